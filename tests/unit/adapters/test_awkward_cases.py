"""The stored table of awkward cases: each call in it is made anew, and the differences that it is to show.

Each library is called as its documentation suggests for the purpose; where two calls are usual, both stand
there. Not in the table: seqeval, which needs a compiler for an old build to install, and Hugging Face's
evaluate, which loads its metrics from a hub when they are called, and whose F1 is scikit-learn's.
"""

import csv
import warnings

import pytest
import sklearn.metrics
import torch
from torchmetrics.classification import MulticlassF1Score

from helpers import ROOT
from helpers.adapters import compute_metrics, f1_score

TABLE = ROOT / "results" / "tables" / "awkward_cases.csv"
ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))
NAMES = ("NA", "born", "title", "age")  # in the order of their ids; NA is the negative class


def computed(row: dict[str, str]) -> float:
    """What the call of a row gives: it is evaluated as it stands there."""
    gold, predicted = ([int(label) for label in row[column].split()] for column in ("gold", "predicted"))
    if row["library"] == "torchmetrics":
        metric = eval(row["call"], {"MulticlassF1Score": MulticlassF1Score})
        if gold:
            metric.update(torch.tensor(predicted), torch.tensor(gold))
        return metric.compute().item()
    columns = {"gold": gold, "predicted": predicted, "nan": float("nan")}
    if row["library"] == "scikit-learn":
        return eval(row["call"], columns | {"f1_score": sklearn.metrics.f1_score})
    if "compute_metrics" in row["call"]:
        called = row["call"].replace("(…)", "((predicted, gold))")
        return eval(called, columns | {"compute_metrics": compute_metrics, "names": NAMES})
    named = {name: [NAMES[label] for label in columns[name]] for name in ("gold", "predicted")}
    return eval(row["call"], columns | named | {"f1_score": f1_score})


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['case']}, {row['call']}")
def test_the_stored_table_is_what_the_libraries_give_now(row):
    with warnings.catch_warnings(action="ignore"):  # the table says what comes out, with a warning or without
        try:
            found = f"{computed(row):.4f}", row["what it does"]
        except ValueError as error:
            found = "error", str(error).splitlines()[0]
    assert found == (row["value"], row["what it does"])


def values(case: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in ROWS:
        if row["case"] == case:
            found.setdefault(row["library"], []).append(row["value"])
    return found


def test_what_the_table_shows():
    assert len({row["case"] for row in ROWS}) == 12
    assert {one for found in values("every class occurs").values() for one in found} == {"0.8333"}
    alarms = values("false alarms on the negative class")
    assert alarms == {"this project": ["0.6667"], "scikit-learn": ["0.4444"], "torchmetrics": ["1.0000"]}
    micro = values("micro without the negative class")
    assert micro["this project"] == ["0.6667"] and micro["scikit-learn"] == ["0.6000", "0.6667"]
    assert micro["torchmetrics"] == ["1.0000"]
    assert values("no sample at all") == {
        "this project": ["error"],
        "scikit-learn": ["error"],
        "torchmetrics": ["0.0000"],
    }


def test_false_alarms_by_hand():
    row = next(row for row in ROWS if row["case"] == "false alarms on the negative class")
    assert [NAMES[int(label)] for label in row["gold"].split()] == ["NA", "NA", "born", "title"]
    # born: TP 1, FP 1; title: TP 1, FP 1: each F is 2/3; age occurs nowhere
    assert values(row["case"])["this project"] == [f"{2 / 3:.4f}"]
    assert values(row["case"])["scikit-learn"] == [f"{(2 / 3 + 2 / 3 + 0) / 3:.4f}"]
