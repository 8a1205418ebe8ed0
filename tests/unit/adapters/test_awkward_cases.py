"""The stored table of awkward cases: each call in it is made anew, as its library suggests it."""

import csv
import warnings

import pytest
import sklearn.metrics
import torch

from helpers import ROOT
from helpers.adapters import compute_metrics, f1_score

TABLE = ROOT / "results" / "tables" / "awkward_cases.csv"
ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))
NAMES = ("NA", "born", "title", "age")  # in the order of their ids; NA is the negative class


def computed(row: dict[str, str]) -> float:
    """What the call of a row gives: it is evaluated as it stands there."""
    gold, predicted = ([int(label) for label in row[column].split()] for column in ("gold", "predicted"))
    names = {"gold": gold, "predicted": predicted, "nan": float("nan"), "names": NAMES}
    if row["library"] == "torchmetrics":
        from torchmetrics.classification import MulticlassF1Score  # takes seconds to load

        metric = eval(row["call"], {"MulticlassF1Score": MulticlassF1Score})
        if gold:
            metric.update(torch.tensor(predicted), torch.tensor(gold))
        return metric.compute().item()
    if row["library"] == "scikit-learn":
        return eval(row["call"], names | {"f1_score": sklearn.metrics.f1_score})
    if "compute_metrics" in row["call"]:
        called = row["call"].replace("(…)", "((predicted, gold))")
        return eval(called, names | {"compute_metrics": compute_metrics})
    named = {name: [NAMES[label] for label in names[name]] for name in ("gold", "predicted")}
    return eval(row["call"], names | named | {"f1_score": f1_score})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['case']}, {row['call']}")
def test_the_stored_table_is_what_the_libraries_give_now(row):
    with warnings.catch_warnings(action="ignore"):  # the table says what comes out, with a warning or without
        try:
            found = f"{computed(row):.4f}", row["what it does"]
        except ValueError as error:
            found = "error", str(error).splitlines()[0]
    assert found == (row["value"], row["what it does"])
