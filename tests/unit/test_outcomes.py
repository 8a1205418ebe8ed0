"""Stored outcomes are those of the prediction files, and score as published."""

from dataclasses import replace
from pathlib import Path

import pytest

from helpers.metrics.scores import average
from helpers.metrics.semeval import official_macro
from helpers.outcomes import semeval_runs, store, tacred_runs
from helpers.reporting.runs import Run, list_runs, load_run

DATASETS = {"tacred": (53, 15509), "tacred-revised": (53, 15509), "semeval2010": (6, 2717)}


def stored(dataset: str, model: str) -> Run:
    (run,) = list_runs(dataset, model)
    return run


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_outcome_is_stored(dataset: str) -> None:
    runs, samples = DATASETS[dataset]
    assert len(list_runs(dataset)) == runs
    assert {run.n for run in list_runs(dataset)} == {samples}


@pytest.mark.parametrize(
    ("dataset", "model", "micro"),
    [
        ("tacred", "spanbert_tacred", 70.83),
        ("tacred", "knowbert_wordnet_wiki_tacred", 71.52),
        ("tacred", "gcn", 64.17),
        ("tacred-revised", "spanbert_tacred", 78.00),
    ],
)
def test_systems_score_as_published(dataset: str, model: str, micro: float) -> None:
    outcome = stored(dataset, model).outcome()
    assert 100 * average(outcome, "micro", negative="no_relation") == pytest.approx(micro, abs=0.005)


@pytest.mark.parametrize(("model", "macro"), [("CNN", 79.26), ("Att-BLSTM", 83.13), ("CR-CNN", 83.27)])
def test_semeval_systems_score_as_published(model: str, macro: float) -> None:
    assert 100 * official_macro(stored("semeval2010", model).outcome()) == pytest.approx(macro, abs=0.005)


def test_a_pair_holds_both_of_its_systems() -> None:
    pair = stored("semeval2010", "CR-CNN+CNN").outcome()
    assert pair.original == stored("semeval2010", "CR-CNN").outcome()
    assert pair.paired() == stored("semeval2010", "CNN").outcome()


def test_stored_outcomes_are_those_of_the_prediction_files(data_dir: Path) -> None:
    counted = {(run.dataset, run.model): run.rows for run in [*tacred_runs(), *semeval_runs()]}
    kept = {(run.dataset, run.model): run.rows for name in DATASETS for run in list_runs(name)}
    assert counted == kept


def test_one_corrupted_count_is_noticed(tmp_path: Path) -> None:
    run = stored("tacred", "spanbert_tacred")
    (gold, predicted, count), *others = run.rows
    (path,) = store([replace(run, rows=((gold, predicted, count - 100), *others))], tmp_path)
    assert load_run(path).rows != run.rows
    assert load_run(path).n == run.n - 100
