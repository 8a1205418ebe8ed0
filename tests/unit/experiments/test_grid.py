"""The set of standard runs: what belongs to it, what is stored, and that only what is missing is trained."""

from collections import Counter

import pytest

from helpers.cli import main
from helpers.core.labels import SEMEVAL_RELATIONS
from helpers.experiments import grid as standard_runs
from helpers.experiments.experiment import SEEDS, Experiment
from helpers.experiments.grid import chosen, missing, standard_experiments, status
from helpers.metrics.counts import PairedOutcomes
from helpers.runs import Run, save_run


def stored(experiment: Experiment, folder) -> Run:
    run = Run.from_outcome(
        PairedOutcomes.from_rows([(1, 1, 2, 5)], SEMEVAL_RELATIONS),
        dataset=experiment.dataset_name,
        model=experiment.name,
        encoder=experiment.encoder,
        seed=experiment.seed,
        profile=experiment.profile,
    )
    save_run(run, folder)
    return run


def test_every_run_is_there_once():
    every = Counter((one.dataset_name, one.name, one.seed) for one in standard_experiments())
    assert set(every.values()) == {1}
    models = {name for dataset, name, _ in every if dataset == "semeval2010"}
    assert models == {"EM-C", "EM-ES", "R-BERT", "EMR-C", "PTR", "EM-C-M", "EM-ES-M", "R-BERT-M", "PTR-M"}
    for name in models:
        assert {seed for dataset, one, seed in every if (dataset, one) == ("semeval2010", name)} == set(SEEDS)
    for name in ("EM-ES", "PTR"):
        assert every[("semeval2010-ptr-split", name, 687)] == 1


def test_seed_9_comes_first():
    assert [one.seed for one in standard_experiments()[:11]] == [9] * 11


def test_only_what_is_not_stored_is_missing(tmp_path):
    experiments = standard_experiments()
    stored(experiments[3], tmp_path)
    assert missing(experiments, tmp_path) == experiments[:3] + experiments[4:]
    row = status(tmp_path).set_index(["dataset", "model"]).loc[("semeval2010", experiments[3].name)]
    assert row.tolist() == ["9", "148 378 459 687"]


def test_a_quick_run_is_not_taken_for_a_standard_one(tmp_path):
    stored(Experiment("em-c", profile="quick"), tmp_path)
    assert len(missing(standard_experiments(), tmp_path)) == len(standard_experiments())


def test_choice_by_seed_and_name():
    assert {one.seed for one in chosen(standard_experiments(), seeds=[148, 378])} == {148, 378}
    assert {one.name for one in chosen(standard_experiments(), names=["PTR"])} == {"PTR"}


def test_the_command_trains_what_is_missing_and_nothing_else(tmp_path, monkeypatch, capsys):
    trained = []

    def train(experiment, folder, **_):
        trained.append(experiment)
        return stored(experiment, folder)

    monkeypatch.setattr("helpers.experiments.run.run_experiment", train)
    ours = [one for one in standard_experiments() if one.name == "R-BERT" and one.seed in (9, 148)]
    stored(ours[0], tmp_path)
    words = ["runs", "--train", "--model", "R-BERT", "--seed", "9", "--seed", "148", "--out", str(tmp_path)]
    assert main(words) == 0
    assert trained == ours[1:]
    assert "R-BERT" in capsys.readouterr().out
    assert main(words) == 0
    assert trained == ours[1:]


def test_an_unknown_model_is_named(capsys):
    assert main(["runs", "--model", "R-BRET"]) == 2
    assert "unknown model of the standard runs 'R-BRET'; did you mean 'R-BERT'?" in capsys.readouterr().err


@pytest.mark.parametrize("seed", ["8", "x"])
def test_an_unknown_seed_is_refused(seed, capsys):
    assert main(["runs", "--seed", seed]) == 2
    assert seed in capsys.readouterr().err


def test_status_lists_every_model_once():
    table = status()
    assert not table.duplicated(["dataset", "model"]).any()
    assert len(standard_runs.standard_experiments()) == sum(
        len(cell.split()) for column in ("stored", "missing") for cell in table[column] if cell != "–"
    )
