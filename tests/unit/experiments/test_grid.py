"""The set of standard runs: what belongs to it, what is stored, and that only what is missing is trained."""

from collections import Counter

import pandas as pd
import pytest

from helpers.cli import main
from helpers.core import SEMEVAL_RELATIONS
from helpers.experiments import (
    SEEDS,
    Experiment,
    Study,
    search,
    standard_experiments,
    status,
    studies,
    study_jobs,
)
from helpers.experiments.study import paper_experiments
from helpers.metrics import Outcome
from helpers.models import MODELS, default_settings
from helpers.papers.studies import _rate_scores
from helpers.runs import Run, save_run


def stored(experiment: Experiment, folder) -> Run:
    outcome = Outcome.from_rows([(1, 1, 2, 5)], SEMEVAL_RELATIONS, ("gold", "predicted", "paired"))
    names = ("split", "encoder", "seed", "profile")
    fields = {name: getattr(experiment, name) for name in names} | {"variant": experiment.run_variant}
    run = Run.from_outcome(outcome, dataset=experiment.dataset_name, model=experiment.name, **fields)
    save_run(run, folder)
    return run


@pytest.fixture
def trained(monkeypatch, tmp_path) -> list[Experiment]:
    """What was trained: each experiment stores a run at once."""
    listed = []

    def train(experiment, folder, epochs=None, **_):
        assert folder == tmp_path and epochs in (None, tmp_path)
        listed.append((experiment, epochs))
        return stored(experiment, folder)

    monkeypatch.setattr("helpers.experiments.grid.run_experiment", train)
    return listed


def test_every_run_is_there():
    every = {(one.dataset_name, one.name, one.seed) for one in standard_experiments()}
    models = {name for dataset, name, _ in every if dataset == "semeval2010"}
    assert models == {"EM-C", "EM-ES", "R-BERT", "EMR-C", "PTR", "EM-C-M", "EM-ES-M", "R-BERT-M", "PTR-M"}
    for name in models:
        assert {seed for dataset, one, seed in every if (dataset, one) == ("semeval2010", name)} == set(SEEDS)
    for name in ("EM-ES", "PTR"):
        assert ("semeval2010-ptr-split", name, 687) in every


def test_no_two_experiments_have_one_path():
    sets = {name: study.experiments for name, study in studies().items()}
    for name, listed in (sets | {"standard": standard_experiments(), "paper": paper_experiments()}).items():
        assert set(Counter(one.path() for one in listed).values()) == {1}, name


def test_only_what_is_not_stored_is_missing_and_trained(tmp_path, trained, capsys):
    """Of the standard set, and of a study, into whose folder its runs go."""
    ours = [one for one in standard_experiments() if one.name == "R-BERT" and one.seed in (9, 148)]
    stored(ours[0], tmp_path)
    shown = status(study_jobs(Study(tmp_path, tuple(standard_experiments()))))
    row = shown.set_index(["dataset", "model"]).loc[("semeval2010", "R-BERT")]
    assert row.tolist() == ["9", "148 378 459 687"]
    of_study = [(one, tmp_path) for one in studies()["rates"].experiments if one.name == "PTR"]
    wanted = [(ours[1], None)], [(ours[1], None), *of_study]
    for words, listed in zip(
        ("--model R-BERT --seed 9 --seed 148", "--study rates --model PTR"), wanted, strict=True
    ):
        for _ in range(2):
            assert main(["runs", "--train", "--output", str(tmp_path), *words.split()]) == 0
            assert trained == listed
    printed = capsys.readouterr().out
    assert len(of_study) == 3 and "R-BERT" in printed and "PTR learning_rate-5e-05" in printed


SEARCHED, BORROWED = ("em-es", "emr-c", "ptr"), ("em-c", "r-bert")
"""Settings were chosen on a held-out tenth; the pages say of which models."""


def test_runs_that_choose_nothing_are_refused(tmp_path) -> None:
    outcome = Outcome.from_rows([(1, 1, 2, 5)], SEMEVAL_RELATIONS, ("gold", "predicted", "paired"))
    about = {"dataset": "semeval2010", "model": "EM-ES", "encoder": "mini", "seed": 9}
    about |= {"wall_seconds": 1.0, "hyperparameters": dict.fromkeys(search.SETTING, 1)}
    for split, message in (
        ("holdout", "EM-ES 1: EM-ES with this setting was tried twice"),
        ("test", "tested on 'test'; settings are chosen on 'holdout' only"),
    ):
        for variant in "01":
            save_run(Run.from_outcome(outcome, variant=variant, split=split, **about), tmp_path / split)
        with pytest.raises(ValueError, match=message):
            search._search_table(tmp_path / split)


def test_the_table_is_that_of_the_runs_and_the_standard_settings_are_the_chosen_ones() -> None:
    table = pd.read_csv(search.SEARCH_TABLE)
    pd.testing.assert_frame_equal(table, search._search_table(), rtol=1e-5)

    def standard(model: str) -> tuple:
        return tuple(getattr(default_settings(model), name) for name in search.SETTING)

    best = table[table["chosen"]].drop_duplicates("model").set_index("model")[[*search.SETTING]]
    assert sorted(best.index) == sorted(MODELS[model].title for model in SEARCHED)
    assert all(tuple(best.loc[MODELS[model].title]) == standard(model) for model in SEARCHED)
    last = _rate_scores().query("epoch == 5").set_index(["model", "learning_rate"])["value"]
    for model in BORROWED:  # what EM-ES has, but for the rate
        assert standard(model) == (last[model.upper()].idxmax(), *standard("em-es")[1:])
    trained = {name for name, row in MODELS.items() if row.settings and row.encoder and not row.wraps}
    assert {name for name in trained if MODELS[name].unit == "sample"} == {*SEARCHED, *BORROWED}
