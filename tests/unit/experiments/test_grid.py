"""The set of standard runs: what belongs to it, what is stored, and that only what is missing is trained."""

from collections import Counter
from dataclasses import replace

import pytest

from helpers.cli import main
from helpers.core.labels import SEMEVAL_RELATIONS
from helpers.experiments import (
    RATES,
    SEEDS,
    Experiment,
    Study,
    chosen,
    job_state,
    standard_experiments,
    status,
    studies,
    study_jobs,
)
from helpers.runs import Run, save_run
from tests.outcomes import Outcome


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


def test_seed_9_comes_first():
    assert [one.seed for one in standard_experiments()[:11]] == [9] * 11


def test_only_what_is_not_stored_is_missing(tmp_path):
    experiments = standard_experiments()
    stored(experiments[3], tmp_path)
    assert missing(experiments, tmp_path) == experiments[:3] + experiments[4:]
    shown = table(experiments, tmp_path).set_index(["dataset", "model"])
    row = shown.loc[("semeval2010", experiments[3].name)]
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

    monkeypatch.setattr("helpers.experiments.grid.run_experiment", train)
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
    listed = status(study_jobs(studies()["standard"]))
    assert not listed.duplicated(["dataset", "model"]).any()
    assert len(standard_experiments()) == sum(
        len(cell.split()) for column in ("stored", "missing") for cell in listed[column] if cell != "–"
    )


class TestStudies:
    def test_no_two_experiments_have_one_path(self) -> None:
        for name, study in studies().items():
            paths = Counter(
                (one.dataset_name, one.split, one.name, one.run_variant, one.encoder, one.seed)
                for one in study.experiments
            )
            assert set(paths.values()) == {1}, name

    def test_every_model_has_the_same_rates(self) -> None:
        rates = studies()["rates"]
        assert rates.every_epoch and all(one.holdout and one.seed == 9 for one in rates.experiments)
        tried = Counter((one.model, one.resolved().learning_rate) for one in rates.experiments)
        assert tried == {
            (model, rate): 1 for model in ("em-c", "em-es", "r-bert", "emr-c", "ptr") for rate in RATES
        }

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
        words = ["runs", "--study", "rates", "--model", "PTR", "--out", str(tmp_path)]
        assert main([*words, "--train"]) == 0
        wanted = [one for one in studies()["rates"].experiments if one.name == "PTR"]
        assert trained == [(one, tmp_path, tmp_path) for one in wanted] and len(wanted) == 3
        assert main([*words, "--train"]) == 0 and len(trained) == 3
        assert "PTR learning_rate-5e-05" in capsys.readouterr().out

    def test_a_run_whose_last_epoch_is_stored_is_not_missing(self, tmp_path) -> None:
        """The curves' last outcome is that of the standard run, which is stored elsewhere."""
        plain, merged = (
            Experiment("em-c", profile="standard"),
            Experiment("em-c", merged=True, profile="standard"),
        )
        for experiment, last in ((plain, 4), (merged, 5)):
            for epoch in range(1, last + 1):
                stored(replace(experiment, variant=f"epoch-{epoch}"), tmp_path)
        assert missing([plain, merged], tmp_path) == [plain, merged]
        assert missing([plain, merged], tmp_path, every_epoch=True) == [plain]
        rate = next(one for one in studies()["rates"].experiments if one.run_variant)
        stored(replace(rate, variant=f"{rate.run_variant}+epoch-5"), tmp_path)
        assert missing([rate], tmp_path, every_epoch=True) == []

    def test_the_stored_curve_of_em_c_m_is_whole(self) -> None:
        curves = status(study_jobs(studies()["curves"])).set_index("model")
        assert curves.loc["EM-C-M", ["stored", "missing"]].tolist() == ["9", "–"]

    def test_an_unknown_study_is_named(self, capsys) -> None:
        assert main(["runs", "--study", "ablation"]) == 2
        assert "unknown study 'ablation'; did you mean 'ablations'?" in capsys.readouterr().err

    def test_word_vectors_are_compared_on_held_out_training_data(self) -> None:
        tried = studies()["vectors"].experiments
        assert all(one.holdout and one.seed == 9 for one in tried)
        assert {one.model for one in tried} == {"gcn", "c-gcn"}
        usual = [one.name for one in studies()["graphs"].experiments if not one.run_variant]
        assert Counter(usual) == {"C-GCN": 5, "GCN": 5, "C-GCN-M": 5}

    def test_epochs_are_chosen_on_held_out_pairs(self) -> None:
        tried = studies()["epochs"].experiments
        assert all(one.holdout and one.dataset == "re_docred-drawn" for one in tried)
        epochs = [one.resolved().epochs for one in tried]
        assert epochs == [12, 40, 100]
        taken = {one.dataset: one.resolved().epochs for name in ("redocred", "redocred-all")
                 for one in studies()[name].experiments if one.inner_name == "cnn"}  # fmt: skip
        assert taken == {"re_docred-drawn": 40, "re_docred": 40}

    def test_both_evaluations_of_type_restriction_are_listed(self) -> None:
        recent = [one for one in studies()["redocred"].experiments if one.model == "recent"]
        for corrected, published in zip(recent[::2], recent[1::2], strict=True):
            assert published.options == corrected.options | {"evaluation": "as-published"}
            assert (published.seed, published.dataset) == (corrected.seed, corrected.dataset)

    @pytest.mark.parametrize("study", ["redocred", "redocred-all"])
    def test_beside_each_type_restriction_is_its_control(self, study) -> None:
        recent = [one for one in studies()[study].experiments if one.model == "recent"]
        typed, control = ([one for one in recent if ("typed" in one.options) == is_control]
                          for is_control in (False, True))  # fmt: skip
        assert {one.inner_name for one in typed} == {"svm", "cnn", "em-es"}
        assert [(one.seed, one.options | {"typed": False}) for one in typed] == [
            (one.seed, one.options) for one in control
        ]

    def test_what_has_no_encoder_and_no_seed_is_found_when_it_is_stored(self, tmp_path) -> None:
        experiments = [Experiment("svm", profile="standard"), *studies()["graphs"].experiments[:1]]
        for experiment in experiments:
            run = replace(stored(experiment, tmp_path), encoder="no-encoder", seed=experiment.run_seed)
            save_run(run, tmp_path / "without")
        assert missing(experiments, tmp_path / "without") == []
        assert table(experiments, tmp_path / "without")["stored"].tolist() == ["once", "9"]

    def test_what_is_stored_of_gids_is_known(self) -> None:
        (rl_dsre,) = (
            row for row in status(study_jobs(studies()["gids"])).itertuples() if row.model == "RL-DSRE"
        )
        assert (rl_dsre.stored, rl_dsre.missing) == ("9 148 378", "–")
