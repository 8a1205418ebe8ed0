"""The set of standard runs: what belongs to it, what is stored, and that only what is missing is trained."""

from collections import Counter

from helpers.cli import main
from helpers.core.labels import SEMEVAL_RELATIONS
from helpers.experiments import (
    SEEDS,
    Experiment,
    Study,
    job_state,
    standard_experiments,
    status,
    studies,
    study_jobs,
)
from helpers.metrics import Outcome
from helpers.runs import Run, save_run


def stored(experiment: Experiment, folder) -> Run:
    run = Run.from_outcome(
        Outcome.from_rows([(1, 1, 2, 5)], SEMEVAL_RELATIONS, ("gold", "predicted", "paired")),
        dataset=experiment.dataset_name,
        split=experiment.split,
        model=experiment.name,
        variant=experiment.run_variant,
        encoder=experiment.encoder,
        seed=experiment.seed,
        profile=experiment.profile,
    )
    save_run(run, folder)
    return run


def table(experiments, folder):
    return status(study_jobs(Study(folder, tuple(experiments))))


def missing(experiments, folder, every_epoch: bool = False) -> list[Experiment]:
    jobs = study_jobs(Study(folder, tuple(experiments), every_epoch))
    return [job.experiment for job in jobs.values() if job_state(job).state == "missing"]


def test_every_run_is_there_once():
    every = Counter((one.dataset_name, one.name, one.seed) for one in standard_experiments())
    assert set(every.values()) == {1}
    models = {name for dataset, name, _ in every if dataset == "semeval2010"}
    assert models == {"EM-C", "EM-ES", "R-BERT", "EMR-C", "PTR", "EM-C-M", "EM-ES-M", "R-BERT-M", "PTR-M"}
    for name in models:
        assert {seed for dataset, one, seed in every if (dataset, one) == ("semeval2010", name)} == set(SEEDS)
    for name in ("EM-ES", "PTR"):
        assert every[("semeval2010-ptr-split", name, 687)] == 1


def test_only_what_is_not_stored_is_missing(tmp_path):
    experiments = standard_experiments()
    stored(experiments[3], tmp_path)
    assert missing(experiments, tmp_path) == experiments[:3] + experiments[4:]
    shown = table(experiments, tmp_path).set_index(["dataset", "model"])
    row = shown.loc[("semeval2010", experiments[3].name)]
    assert row.tolist() == ["9", "148 378 459 687"]


def test_the_command_trains_what_is_missing_and_nothing_else(tmp_path, monkeypatch, capsys):
    trained = []

    def train(experiment, folder, **_):
        trained.append(experiment)
        return stored(experiment, folder)

    monkeypatch.setattr("helpers.experiments.grid.run_experiment", train)
    ours = [one for one in standard_experiments() if one.name == "R-BERT" and one.seed in (9, 148)]
    stored(ours[0], tmp_path)
    words = [
        "runs",
        "--train",
        "--model",
        "R-BERT",
        "--seed",
        "9",
        "--seed",
        "148",
        "--output",
        str(tmp_path),
    ]
    assert main(words) == 0
    assert trained == ours[1:]
    assert "R-BERT" in capsys.readouterr().out
    assert main(words) == 0
    assert trained == ours[1:]


class TestStudies:
    def test_no_two_experiments_have_one_path(self) -> None:
        for name, study in studies().items():
            paths = Counter(
                (one.dataset_name, one.split, one.name, one.run_variant, one.encoder, one.seed)
                for one in study.experiments
            )
            assert set(paths.values()) == {1}, name

    def test_an_ablation_differs_in_one_thing(self) -> None:
        usual = Experiment("em-c", profile="standard").resolved()
        for one in studies()["ablations"].experiments:
            settings = {name for name, value in vars(one.resolved()).items() if value != vars(usual)[name]}
            assert (settings, {*one.options}, one.sentences) in (
                ({"marker_vectors"}, set(), None),
                (set(), {"marker_scheme"}, None),
                ({"epochs"}, set(), 2000),
            )

    def test_the_command_trains_into_the_folder_of_the_study(self, tmp_path, monkeypatch, capsys) -> None:
        trained = []

        def train(experiment, folder, epochs=None, **_):
            trained.append((experiment, folder, epochs))
            return stored(experiment, tmp_path)

        monkeypatch.setattr("helpers.experiments.grid.run_experiment", train)
        words = ["runs", "--study", "rates", "--model", "PTR", "--output", str(tmp_path)]
        assert main([*words, "--train"]) == 0
        wanted = [one for one in studies()["rates"].experiments if one.name == "PTR"]
        assert trained == [(one, tmp_path, tmp_path) for one in wanted] and len(wanted) == 3
        assert main([*words, "--train"]) == 0 and len(trained) == 3
        assert "PTR learning_rate-5e-05" in capsys.readouterr().out
