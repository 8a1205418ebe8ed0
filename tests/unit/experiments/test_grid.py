"""The set of standard runs: what belongs to it, what is stored, and that only what is missing is trained."""

from collections import Counter

import pandas as pd
import pytest

from helpers import ROOT
from helpers.cli import main
from helpers.core import SEMEVAL_RELATIONS
from helpers.experiments import SEEDS, Experiment, studies, study
from helpers.metrics import Outcome, direction_scores
from helpers.models import MODELS, default_settings
from helpers.papers.direction import rates_table
from helpers.runs import STUDIES_FOLDER, Run, list_runs, save_run


def stored(experiment: Experiment, folder) -> Run:
    outcome = Outcome.from_rows([(1, 1, 2, 5)], SEMEVAL_RELATIONS, ("gold", "predicted", "paired"))
    run = Run.from_outcome(outcome, **experiment.fields(experiment.run_variant))
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
    every = {(one.dataset_name, one.name, one.seed) for one in study("standard").experiments}
    models = {name for dataset, name, _ in every if dataset == "semeval2010"}
    assert models == {"EM-C", "EM-ES", "R-BERT", "EMR-C", "PTR", "EM-C-M", "EM-ES-M", "R-BERT-M", "PTR-M"}
    for name in models:
        assert {seed for dataset, one, seed in every if (dataset, one) == ("semeval2010", name)} == set(SEEDS)
    for name in ("EM-ES", "PTR"):
        assert ("semeval2010-ptr-split", name, 687) in every


def test_no_two_experiments_have_one_path():
    for name, listed in (studies() | {"paper": study("paper")}).items():
        assert set(Counter(one.path() for one in listed.experiments).values()) == {1}, name


def test_only_what_is_not_stored_is_missing_and_trained(tmp_path, trained, capsys):
    """Of the standard set, and of a study, into whose folder its runs go."""
    ours = [one for one in study("standard").experiments if one.name == "R-BERT" and one.seed in (9, 148)]
    stored(ours[0], tmp_path)
    assert main(["runs", "--output", str(tmp_path)]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 67 and [line.split()[0] for line in shown].count("missing") == 66
    assert f"stale    {ours[0].path(tmp_path).as_posix()}" in shown
    of_study = [(one, tmp_path) for one in study("rates").experiments if one.name == "PTR"]
    wanted = [(ours[1], None)], [(ours[1], None), *of_study]
    for words, listed in zip(
        ("--model R-BERT --seed 9 --seed 148", "--study rates --model PTR"), wanted, strict=True
    ):
        for _ in range(2):
            assert main(["runs", "--train", "--output", str(tmp_path), *words.split()]) == 0
            assert trained == listed
    told = capsys.readouterr().err
    assert len(of_study) == 3 and "R-BERT" in told and "PTR learning_rate-5e-05" in told


SEARCHED, BORROWED = ("em-es", "emr-c", "ptr"), ("em-c", "r-bert")
"""Settings were chosen on a held-out tenth; the pages say of which models."""


SETTING = ["learning_rate", "batch_size", "epochs"]


def test_the_search_table_is_that_of_its_runs() -> None:
    """Each setting was tried once, on the held-out tenth; the best is marked."""
    table = pd.read_csv(ROOT / "results" / "tables" / "hyperparameters.csv")
    wide = table.pivot(index=["model", *SETTING, "chosen"], columns="metric", values="value").reset_index()
    tried = []
    for run in list_runs(folder=STUDIES_FOLDER / "search"):
        assert run.split == "holdout"
        scores = direction_scores(run.outcome())
        values = (scores.performance_original, scores.performance_paired, run.wall_seconds)
        tried.append((run.model, *(run.hyperparameters[name] for name in SETTING), *values))
    columns = ["model", *SETTING, "official_macro_f1", "official_macro_f1_paired", "seconds"]
    expected = pd.DataFrame(tried, columns=columns).sort_values(columns, ignore_index=True)
    assert not expected.duplicated(["model", *SETTING]).any()
    pd.testing.assert_frame_equal(wide[columns], expected, rtol=1e-5, check_names=False)
    order = {"official_macro_f1": False, "epochs": True, "learning_rate": True, "batch_size": False}
    best = wide.sort_values([*order], ascending=[*order.values()]).drop_duplicates("model")
    assert best["chosen"].all() and wide["chosen"].sum() == len(best)


def test_the_standard_settings_are_the_chosen_ones() -> None:
    table = pd.read_csv(ROOT / "results" / "tables" / "hyperparameters.csv")

    def standard(model: str) -> tuple:
        return tuple(getattr(default_settings(model), name) for name in SETTING)

    best = table[table["chosen"]].drop_duplicates("model").set_index("model")[SETTING]
    assert sorted(best.index) == sorted(MODELS[model].title for model in SEARCHED)
    assert all(tuple(best.loc[MODELS[model].title]) == standard(model) for model in SEARCHED)
    last = rates_table().set_index(["model", "learning rate"])["epoch 5"].str.strip("*").astype(float)
    for model in BORROWED:  # what EM-ES has, but for the rate
        assert standard(model) == (float(last[model.upper()].idxmax()), *standard("em-es")[1:])
    trained = {name for name, row in MODELS.items() if row.settings and row.encoder and not row.wraps}
    assert {name for name in trained if MODELS[name].unit == "sample"} == {*SEARCHED, *BORROWED}
