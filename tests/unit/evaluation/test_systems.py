"""Stored outcomes are those of the prediction files, and score as published."""

import csv
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from helpers.core import MissingData
from helpers.evaluation import semeval_runs, semeval_variants, tacred_runs
from helpers.evaluation.systems import TACRED_GOLD
from helpers.metrics import SCHEMES, Outcome, averages, official_macro
from helpers.runs import Run, list_runs, load_run, run_path, save_run

DATASETS = {"tacred": (54, 15509), "tacred-revised": (54, 15509), "semeval2010": (6, 2717)}
with open(Path(__file__).parents[2] / "golden" / "tacred_systems.csv", newline="") as file:
    GOLDEN = [*csv.DictReader(file)]
"""Systems on TACRED with their published scores, in per cent."""
SEMEVAL = {"CNN": 79.26, "Att-BLSTM": 83.13, "CR-CNN": 83.27}
SEMEVAL |= {"CNN by hankniu01": 78.77, "CNN by M1zuk1": 78.76}
SEMEVAL |= {"Attention-CNN by onehaitao": 81.56, "Attention-CNN by qhLin1997": 82.05}
SEMEVAL |= dict.fromkeys(("Att-BLSTM by M1zuk1", "CR-CNN by M1zuk1", "R-BERT by M1zuk1"))
"""Official macro-F1 where one is published."""


stored_runs, variants = cache(list_runs), cache(lambda: [*semeval_variants()])


def published(dataset: str) -> list[Run]:
    """The stored runs that were counted from published predictions, one implementation of each system."""
    return [run for run in stored_runs(dataset) if run.profile is None and not run.variant]


def stored(dataset: str, name: str) -> Run:
    (run,) = (run for run in stored_runs(dataset) if run.profile is None and run.name == name)
    return run


def test_every_outcome_is_stored() -> None:
    for dataset, (runs, samples) in DATASETS.items():
        assert [run.n for run in published(dataset)] == [samples] * runs


@pytest.mark.parametrize("row", GOLDEN, ids=lambda row: f"{row['system']}-{row['gold']}")
def test_systems_score_as_published(row: dict[str, str]) -> None:
    (dataset,) = (name for name, gold in TACRED_GOLD.items() if gold == row["gold"])
    table = stored(dataset, row["system"]).outcome()
    missed = table + Outcome.from_rows([[1, 0, 1]], table.labels)  # one positive sample more
    scores, others = (100 * averages(each, SCHEMES, negative="no_relation") for each in (table, missed))
    assert scores == pytest.approx([float(row[scheme]) for scheme in SCHEMES], abs=0.005 + 1e-9)
    assert table.labels[0] == "no_relation" and abs(scores - others).max() > 0.005


@pytest.mark.parametrize(("name", "macro"), SEMEVAL.items())
def test_systems_on_semeval_score_as_published(name: str, macro: float | None) -> None:
    run = stored("semeval2010", name)
    assert run.n == 2717
    if macro is not None:
        assert 100 * official_macro(run.outcome()) == pytest.approx(macro, abs=0.005)
    if " by " in name and "RC_DATA_DIR" in os.environ:
        assert [each for each in variants() if each.name == name] == [run]


def test_the_language_model_is_stored() -> None:
    """Its scores are in test_answers.py; 16 of 2,717 answers are Other."""
    (run,) = list_runs("semeval2010-undirected")
    counts = run.outcome().per_class()
    assert (run.name, run.n, run.negative) == ("ChatGPT zero-shot", 2717, "Other")
    assert counts.predicted[counts.labels.index("Other")] == 16
    if "RC_DATA_DIR" in os.environ:
        assert variants()[-1] == run


def test_a_pair_holds_both_of_its_systems() -> None:
    pair = stored("semeval2010", "CR-CNN+CNN").outcome()
    assert pair.of("predicted").grouped() == stored("semeval2010", "CR-CNN").outcome()
    assert pair.of("second").grouped() == stored("semeval2010", "CNN").outcome()


def differing(counted: Iterable[Run], kept: Iterable[Run]) -> set[tuple[str, str]]:
    """Data set and model of the runs that are in one of the two only, or are not the same in both.

    Which files were read does not matter: the table and the repository hold the same predictions.
    """
    one, two = (
        {(run.dataset, run.model): replace(run, files={}) for run in runs} for runs in (counted, kept)
    )
    return {name for name in one.keys() | two.keys() if one.get(name) != two.get(name)}


def test_stored_outcomes_are_those_of_the_prediction_files(data_dir: Path) -> None:
    counted = [*tacred_runs(), *semeval_runs()]
    assert len(counted) == sum(runs for runs, _ in DATASETS.values())
    assert differing(counted, [run for name in DATASETS for run in published(name)]) == set()


def test_one_corrupted_count_fails_the_comparison(tmp_path: Path) -> None:
    runs = published("tacred")
    for run in runs:
        save_run(run, tmp_path)
    assert differing(list_runs(folder=tmp_path), runs) == set()
    path = run_path(stored("tacred", "gcn"), tmp_path)
    record = json.loads(path.read_text())
    record["outcome"]["rows"][0][-1] += 1  # one sample in 15509
    path.write_text(json.dumps(record))
    assert differing(list_runs(folder=tmp_path), runs) == {("tacred", "gcn")}
    assert load_run(path).n == 15510


def test_where_a_copy_of_the_repository_was_read_no_sum_is_claimed(data_dir, monkeypatch) -> None:
    def nowhere(path):
        raise MissingData(path)

    (whole, *_), _ = [*tacred_runs()], monkeypatch.setattr("helpers.evaluation.systems.locate", nowhere)
    assert next(tacred_runs()) == replace(whole, files={}) != whole
