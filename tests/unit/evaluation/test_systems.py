"""Stored outcomes are those of the prediction files, and score as published."""

import csv
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.evaluation.systems import (
    TACRED_GOLD,
    TACRED_PAIRS,
    language_model_runs,
    semeval_implementations,
    semeval_runs,
    tacred_runs,
)
from helpers.metrics.averaging import averages
from helpers.metrics.direction import official_macro
from helpers.metrics.weighting import SCHEMES
from helpers.runs import Run, list_runs, load_run, run_path, save_run

DATASETS = {"tacred": (54, 15509), "tacred-revised": (54, 15509), "semeval2010": (6, 2717)}


def published(dataset: str) -> list[Run]:
    """The stored runs that were counted from published predictions, one implementation of each system."""
    return [run for run in list_runs(dataset) if run.profile is None and not run.variant]


def stored(dataset: str, model: str) -> Run:
    (run,) = (run for run in published(dataset) if run.model == model)
    return run


def golden() -> list[dict[str, str]]:
    """Systems on TACRED with their published scores, in per cent."""
    with open(Path(__file__).parents[2] / "golden" / "tacred_systems.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("dataset", DATASETS)
def test_every_outcome_is_stored(dataset: str) -> None:
    runs, samples = DATASETS[dataset]
    assert len(published(dataset)) == runs
    assert {run.n for run in published(dataset)} == {samples}


@pytest.mark.parametrize("row", golden(), ids=lambda row: f"{row['system']}-{row['gold']}")
def test_systems_score_as_published(row: dict[str, str]) -> None:
    (dataset,) = (name for name, gold in TACRED_GOLD.items() if gold == row["gold"])
    scores = averages(stored(dataset, row["system"]).outcome(), SCHEMES, negative="no_relation")
    assert 100 * scores == pytest.approx([float(row[scheme]) for scheme in SCHEMES], abs=0.005 + 1e-9)


@pytest.mark.parametrize(("model", "macro"), [("CNN", 79.26), ("Att-BLSTM", 83.13), ("CR-CNN", 83.27)])
def test_semeval_systems_score_as_published(model: str, macro: float) -> None:
    assert 100 * official_macro(stored("semeval2010", model).outcome()) == pytest.approx(macro, abs=0.005)


@pytest.mark.parametrize(
    ("name", "macro"),
    [
        ("Attention-CNN by onehaitao", 81.56),
        ("Attention-CNN by qhLin1997", 82.05),
        ("CNN by hankniu01", 78.77),
    ]
    + [("CNN by M1zuk1", 78.76), ("Att-BLSTM by M1zuk1", None), ("CR-CNN by M1zuk1", None)]
    + [("R-BERT by M1zuk1", None)],
)
def test_implementations_are_stored_and_score_as_published(name: str, macro: float | None) -> None:
    (run,) = (run for run in list_runs("semeval2010") if run.name == name)
    assert run.n == 2717 and run.profile is None
    if macro is not None:
        assert 100 * official_macro(run.outcome()) == pytest.approx(macro, abs=0.005)
    if "RC_DATA_DIR" in os.environ:
        (counted,) = (one for one in semeval_implementations() if one.name == name)
        assert counted == run


def test_the_language_model_is_stored_and_scores_as_the_fact_sheet_says() -> None:
    """Values of Li et al.'s answers, trimmed; 16 of 2,717 are Other."""
    (run,) = list_runs("semeval2010-undirected")
    assert (run.name, run.n, run.negative) == ("ChatGPT zero-shot", 2717, "Other")
    outcome = run.outcome()
    assert 100 * outcome.accuracy == pytest.approx(39.05, abs=0.005)
    assert (100 * averages(outcome, ["micro", "macro"], negative="Other")).tolist() == pytest.approx(
        [42.51, 38.86], abs=0.005
    )
    counts = outcome.per_class()
    assert counts.predicted[counts.labels.index("Other")] == 16
    if "RC_DATA_DIR" in os.environ:
        assert [*language_model_runs()] == [run]


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


def test_a_copy_of_the_repository_gives_the_same_outcomes(tmp_path, monkeypatch) -> None:
    gold = ["no_relation", "per:age", "per:title", "per:age"]
    first, second = TACRED_PAIRS[0]
    answers = dict.fromkeys(TACRED_PAIRS[1], gold[::-1]) | {first: gold, second: ["per:age"] * 4}
    results = tmp_path / "clone" / "tacrev" / "results" / "test_results"
    results.mkdir(parents=True)
    for model, labels in answers.items():
        lines = [
            json.dumps({"id": str(row), "label_true": true, "label_pred": label})
            for row, (true, label) in enumerate(zip(gold, labels, strict=True))
        ]
        (results / f"{model}.jsonl").write_text("\n".join(lines))
    patch = tmp_path / "clone" / "tacrev" / "patch" / "test_patch.json"
    patch.parent.mkdir()
    patch.write_text(json.dumps([{"id": "3", "relation": "no_relation"}]))
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path / "clone"))
    monkeypatch.setattr("helpers.data.files.ROOT", tmp_path)
    runs = {(run.dataset, run.model): run for run in tacred_runs()}
    pairs = ["+".join(pair) for pair in TACRED_PAIRS]
    assert set(runs) == {(dataset, model) for dataset in TACRED_GOLD for model in (*answers, *pairs)}
    assert all(run.files == {} for run in runs.values())  # the table was not read, so its sum is not claimed
    perfect = [runs[dataset, first].outcome() for dataset in ("tacred", "tacred-revised")]
    assert [outcome.per_class().correct.sum() for outcome in perfect] == [4, 3]
    assert runs["tacred", pairs[0]].outcome().of("second").grouped() == runs["tacred", second].outcome()
