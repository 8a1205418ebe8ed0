"""One run from end to end: the run file, what is trained again, the command, its files and its errors."""

import csv
import json
import logging
import re
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.cli import main
from helpers.core.labels import inverse_label, label_ids
from helpers.data import Dataset, ptr_split, read_corpus, register_dataset, unregister_dataset
from helpers.data import files as registry
from helpers.data.demo import TEST_COUNTS, demo_corpus
from helpers.data.pairing import paired_sets
from helpers.data.predictions import read_predictions
from helpers.evaluation.score import score_file
from helpers.experiments import Experiment, read_samples
from helpers.experiments import data as experiment_data
from helpers.experiments import run as experiments
from helpers.experiments.run import run_experiment
from helpers.metrics.averaging import averages
from helpers.metrics.direction import direction_scores
from helpers.metrics.weighting import SCHEMES
from helpers.models import classifier, training
from helpers.models.registry import build, default_settings
from helpers.models.settings import Settings
from helpers.models.training import load_weights
from helpers.runs import different_fields, list_runs, load_run, run_path, run_state
from tests.outcomes import Outcome

LABELS = tuple(label_ids(TEST_COUNTS))
QUICK = Settings(learning_rate=2e-3, epochs=2, batch_size=16, precision="fp32")
VARIANT = "learning_rate-0.002+epochs-2+batch_size-16+precision-fp32"
"""What of `QUICK` is not in the usual settings."""
SENTENCES = 96


@pytest.fixture(autouse=True)
def scratch(monkeypatch, tmp_path):
    """Few sentences, and every file of a run below this folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(experiments, "CHECKPOINTS", tmp_path / "checkpoints")
    monkeypatch.setattr(experiment_data, "QUICK_SENTENCES", SENTENCES)
    monkeypatch.setattr("helpers.cli.train.SCRATCH", tmp_path / "scratch")
    return tmp_path


@pytest.fixture
def experiment(tiny_bert) -> Experiment:
    return Experiment("em-es", "demo", encoder=str(tiny_bert), settings=QUICK)


@pytest.fixture
def no_training(monkeypatch) -> None:
    def train(*arguments):
        raise AssertionError("nothing is to be trained here")

    monkeypatch.setattr(training, "train", train)


def stop_after(steps: int, patch: pytest.MonkeyPatch, error: type[BaseException] = KeyboardInterrupt) -> None:
    one_step = training._Loop._one_step

    def step(loop, parts):
        if loop.step == steps:
            raise error
        one_step(loop, parts)

    patch.setattr(training._Loop, "_one_step", step)


def run_of(experiment: Experiment, **options):
    return run_experiment(experiment, "runs", progress=False, **options)


class TestRunFile:
    def test_contents(self, experiment, tiny_bert) -> None:
        run = run_of(experiment)
        path = run_path(run, "runs")
        assert path.as_posix() == f"runs/demo/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"
        assert load_run(path) == run
        described = (run.dataset, run.split, run.model, run.encoder, run.seed, run.profile)
        assert described == ("demo", "test", "EM-ES", "tiny-bert", 9, "quick")
        assert (run.labels, run.negative, dict(run.files)) == (LABELS, "Other", {})
        assert run.encoder_sha256 == registry.file_sha256(tiny_bert / "model.safetensors")
        assert run.hyperparameters == asdict(QUICK) | {"text": "clean", "training_samples": SENTENCES}
        assert run.options == {"layer_norm": False, "marker_scheme": "added", "layers": None}
        assert (run.kind, run.table.other, run.variant) == ("paired", "paired sentence", VARIANT)
        assert run.versions == {"model em-es": 1, "data set demo": 1}
        assert run.outcome().per_class().gold.tolist() == [TEST_COUNTS[label] for label in LABELS]
        assert set(run.history) == {"losses", "cut_inputs", "cut_tokens"} and len(run.history["losses"]) == 2
        assert {"processes", "threads", "precision", "prediction_seconds"} <= set(run.environment)
        assert (run.environment["processes"], run.environment["precision"]) == (1, "fp32")
        assert {"torch", "transformers", "accelerate"} <= set(run.environment["versions"])
        assert run.wall_seconds > 0 and run.sentences_per_second > 0

    def test_no_sentence_and_no_id_is_in_it(self, experiment) -> None:
        text = run_path(run_of(experiment), "runs").read_text("utf-8")
        assert "synthetic-demo" not in text
        assert not [
            one.text for one in demo_corpus()["test"] if one.text in text or one.head_text + " " in text
        ]

    def test_nothing_else_is_left(self, experiment, scratch) -> None:
        run_of(experiment)
        left = [path for path in scratch.rglob("*") if path.is_file()]
        assert left == [scratch / f"runs/demo/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"]

    def test_the_outcome_is_that_of_the_weights(self, experiment, tiny_bert, scratch) -> None:
        run = run_of(experiment, weights="w.safetensors")
        model = build("em-es", str(tiny_bert), LABELS, QUICK, seed=1)
        load_weights(scratch / "w.safetensors", model).encoder.precision = "fp32"
        data = read_samples("demo")
        sets = paired_sets(data.test)
        names = np.array(LABELS)
        original, paired = (
            names[training.predict(model, sets[kind], progress=False)] for kind in ("original", "paired")
        )
        gold = [sample.relation for sample in data.test]
        assert Outcome.from_columns(gold, original, paired=paired, labels=LABELS) == run.outcome()
        assert (original != paired).any() and len(set(original)) > 1

    @pytest.mark.parametrize("change", [{"filters": 5}, {"position_size": 2}, {"word_size": 7}])
    def test_two_settings_of_cnn_are_two_runs(self, change, scratch) -> None:
        settings = default_settings("cnn").changed({"epochs": 1})
        options = {"filters": 4, "position_size": 3, "word_size": 8}
        one = Experiment("cnn", "demo", sentences=80, options=options, settings=settings)
        other = replace(one, options=options | change)
        runs = [run_of(one), run_of(other)]
        assert different_fields(*runs) == ["variant", "options"] and runs[0].outcome() != runs[1].outcome()
        assert len(list((scratch / "runs").rglob("*.json"))) == 2
        assert run_state(run_path(runs[0], "runs"), one.recorded()).state == "current"
        ((name, value),) = change.items()
        why = f"configuration: {name} was {options[name]}, is now {value}"
        assert run_state(run_path(runs[0], "runs"), other.recorded())[2:] == ("stale", why)
        # even under one name of the variant, the second is not taken for the first
        run_of(replace(one, variant="mine"))
        with pytest.raises(FileExistsError, match="another configuration \\(options\\)"):
            run_of(replace(other, variant="mine"))

    def test_the_resolved_precision_is_part_of_the_configuration(self, experiment, monkeypatch) -> None:
        auto = replace(experiment, settings=QUICK.changed({"precision": "auto"}), variant="auto")
        run = run_of(auto)
        found = run.environment["precision"]
        assert run.hyperparameters["precision"] == found in ("bf16", "fp32")
        assert run_state(run_path(run, "runs"), auto.recorded()).state == "current", "on any machine"
        other = {"bf16": "fp32", "fp32": "bf16"}[found]
        monkeypatch.setattr(classifier, "resolved_precision", lambda *_: other)
        with pytest.raises(FileExistsError, match="another configuration \\(hyperparameters\\)"):
            run_of(auto)

    def test_threads_are_those_that_were_asked_for(self, experiment) -> None:
        before = torch.get_num_threads()
        wanted = before + 1
        run = run_of(replace(experiment, threads=wanted))
        assert run.environment["threads"] == run.hyperparameters["threads"] == wanted
        assert run.variant.endswith(f"threads-{wanted}") and torch.get_num_threads() == before

    def test_every_epoch(self, experiment) -> None:
        run = run_of(experiment, epochs="curve")
        curve = [load_run(path) for path in sorted(Path("curve").rglob("*.json"))]
        assert [one.variant for one in curve] == [f"{VARIANT}+epoch-1", f"{VARIANT}+epoch-2"]
        assert curve[1].table == run.table != curve[0].table
        assert curve[0].hyperparameters == run.hyperparameters

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"merged": True}, "demo/EM-ES-M+quick+{}/tiny-bert/seed-9.json"),
            ({"seed": 148}, "demo/EM-ES+quick+{}/tiny-bert/seed-148.json"),
            ({"text": "official"}, "demo-official-text/EM-ES+quick+{}/tiny-bert/seed-9.json"),
            ({"holdout": True}, "demo-holdout/EM-ES+quick+{}/tiny-bert/seed-9.json"),
            ({"variant": "mine"}, "demo/EM-ES+quick+mine/tiny-bert/seed-9.json"),
            ({"options": {"layer_norm": False}}, "demo/EM-ES+quick+{}/tiny-bert/seed-9.json"),
        ],
    )
    def test_another_kind_of_run_is_another_file(self, change, expected, experiment, scratch) -> None:
        one = replace(experiment, settings=replace(QUICK, epochs=1, batch_size=96), **change)
        run = run_of(one)
        expected = expected.format("learning_rate-0.002+epochs-1+batch_size-96+precision-fp32")
        assert [path.relative_to("runs").as_posix() for path in scratch_files()] == [expected]
        assert run.hyperparameters["training_samples"] == SENTENCES * (2 if one.merged else 1)
        assert run.n == (120 if one.holdout else 400)

    def test_profiles_have_their_settings(self) -> None:
        assert (
            Experiment("ptr").resolved()
            == default_settings("ptr")
            == Experiment("ptr", profile="standard").resolved()
        )
        assert (
            Experiment("ptr", profile="paper").resolved()
            == default_settings("ptr", "paper")
            != default_settings("ptr")
        )
        assert Experiment("ptr", profile="paper", settings=QUICK).resolved() == QUICK

    def test_profile_base_has_its_encoder_and_the_settings_of_paper_r(self) -> None:
        one = Experiment("em-c", profile="base")
        assert (one.encoder, one.run_variant) == ("mpnet-base", "")
        assert (one.resolved().learning_rate, one.resolved().batch_size) == (2e-5, 100)
        assert one.with_settings(changes={"learning_rate": 5e-5}).run_variant == "learning_rate-5e-05"
        with pytest.raises(ValueError, match="has no encoder"):
            Experiment("cnn", profile="base")


def scratch_files() -> list[Path]:
    return sorted(Path("runs").rglob("*.json"))


class TestStoredRuns:
    def test_not_trained_again(self, experiment, request) -> None:
        run = run_of(experiment)
        request.getfixturevalue("no_training")
        assert run_of(experiment) == run
        assert run_of(replace(experiment, settings=replace(QUICK))) == run

    def test_files_that_are_asked_for_are_made(self, experiment, request, scratch) -> None:
        run = run_of(experiment)
        again = run_of(experiment, predictions="p.csv")
        assert again.table == run.table and again.history == run.history
        assert (scratch / "p.csv").exists()
        request.getfixturevalue("no_training")
        with pytest.raises(AssertionError):
            run_of(experiment, weights="w.safetensors")

    def test_another_configuration_is_refused(self, experiment, request, scratch) -> None:
        experiment = replace(experiment, variant="mine")
        path = run_path(run_of(experiment), scratch / "runs")
        before = path.read_bytes()
        request.getfixturevalue("no_training")
        with pytest.raises(FileExistsError, match=r"seed-9\.json holds .* \(hyperparameters\)"):
            run_of(replace(experiment, settings=replace(QUICK, epochs=3)))
        with pytest.raises(FileExistsError, match=r"\(options\)"):
            run_of(replace(experiment, options={"layer_norm": True}), predictions="p.csv")
        assert path.read_bytes() == before and not (scratch / "p.csv").exists()

    def test_another_encoder_of_that_name_is_refused(self, experiment, tiny_roberta, scratch) -> None:
        run_of(experiment)
        shutil.copytree(tiny_roberta, scratch / "copy" / "tiny-bert")
        with pytest.raises(FileExistsError, match=r"encoder_sha256"):
            run_of(replace(experiment, encoder="copy/tiny-bert"))

    def test_overwriting(self, experiment) -> None:
        run_of(replace(experiment, variant="mine"))
        other = replace(experiment, settings=replace(QUICK, epochs=1), variant="mine")
        assert run_of(other, overwrite=True).hyperparameters["epochs"] == 1
        assert load_run(run_path(run_of(other), "runs")).hyperparameters["epochs"] == 1

    def test_other_samples_drawn_from_the_same_file_are_refused(self, tmp_path) -> None:
        train = read_corpus("demo")["train"]
        (tmp_path / "source.txt").write_text("the file that samples are drawn from")

        def train_on(first: int):
            splits = {"train": train[first : first + 20], "test": train[:5]}
            register_dataset(
                Dataset("a-draw", maker=lambda: splits, made_from=("source.txt",), whole=("train", "test"))
            )
            return run_experiment(Experiment("majority", "a-draw"), tmp_path / "runs")

        try:
            assert (
                train_on(0).hyperparameters["samples_sha256"] == train_on(0).hyperparameters["samples_sha256"]
            )
            with pytest.raises(FileExistsError, match="hyperparameters"):
                train_on(1)
        finally:
            unregister_dataset("a-draw")


class TestInterrupted:
    def test_it_goes_on_from_its_checkpoint(self, experiment, scratch, monkeypatch) -> None:
        whole = run_experiment(experiment, "whole", progress=False)
        with monkeypatch.context() as patch:
            stop_after(8, patch)
            with pytest.raises(KeyboardInterrupt):
                run_of(experiment)
        assert scratch_files() == []
        (checkpoint,) = (scratch / "checkpoints").iterdir()
        (abandoned := checkpoint.with_name(".helpers-killed")).mkdir()
        (abandoned / "lock").touch()
        steps, one_step = [], training._Loop._one_step
        monkeypatch.setattr(
            training._Loop, "_one_step", lambda loop, parts: (steps.append(loop.step), one_step(loop, parts))
        )
        run = run_of(experiment)
        assert steps == [6, 7, 8, 9, 10, 11]
        assert run.table == whole.table and run.history == whole.history
        assert list((scratch / "checkpoints").iterdir()) == []

    def test_a_curve_whose_first_epochs_are_gone_is_trained_anew(self, experiment, monkeypatch) -> None:
        with monkeypatch.context() as patch:
            stop_after(8, patch)
            with pytest.raises(KeyboardInterrupt):
                run_of(experiment, epochs="curve")
        assert [path.parts[2] for path in Path("curve").rglob("*.json")] == [f"EM-ES+quick+{VARIANT}+epoch-1"]
        shutil.rmtree("curve")
        run_of(experiment, epochs="curve")
        variants = [load_run(path).variant for path in sorted(Path("curve").rglob("*.json"))]
        assert variants == [f"{VARIANT}+epoch-1", f"{VARIANT}+epoch-2"]

    def test_another_run_does_not_take_it(self, experiment, scratch, monkeypatch) -> None:
        for one in (experiment, replace(experiment, seed=148), replace(experiment, merged=True)):
            with monkeypatch.context() as patch:
                stop_after(7 * (2 if one.merged else 1), patch)
                with pytest.raises(KeyboardInterrupt):
                    run_of(one)
        assert len(list((scratch / "checkpoints").iterdir())) == 3

    def test_the_command_says_so(self, tiny_bert, scratch, monkeypatch, capsys) -> None:
        stop_after(3, monkeypatch)
        assert main(command(tiny_bert)) == 130
        captured = capsys.readouterr()
        assert captured.out == "" and "error: interrupted" in captured.err
        assert not (scratch / "scratch").exists()


class TestData:
    def test_the_holdout_is_a_tenth_of_the_training_data(self) -> None:
        train, test = (demo_corpus()[part] for part in ("train", "test"))
        held = read_samples("demo", holdout=True)
        learnt, tested = ({one.id for one in part} for part in (held.train, held.test))
        assert (len(held.train), len(held.test)) == (1080, 120)
        assert not learnt & tested and learnt | tested == {one.id for one in train}
        assert not {one.text for one in held.train} & {one.text for one in held.test}
        assert not tested & {one.id for one in test}

    @pytest.mark.parametrize("options", [{}, {"merged": True}, {"at_most": 50}, {"text": "official"}])
    def test_it_is_always_the_same(self, options) -> None:
        usual, other = read_samples("demo", holdout=True), read_samples("demo", holdout=True, **options)
        assert [one.id for one in usual.test] == [one.id for one in other.test]
        assert not {one.id for one in other.test} & {one.id for one in other.train}

    def test_quick_takes_some_and_merges_them_afterwards(self) -> None:
        some, merged = (read_samples("demo", at_most=50, merged=merged) for merged in (False, True))
        assert (len(some.train), len(merged.train), len(some.test)) == (50, 100, 400)
        assert len({one.id for one in some.train}) == 50
        assert {one.text for one in some.train} == {one.text for one in merged.train}
        relations = sorted(one.relation for one in some.train)
        assert sorted(one.relation for one in merged.train) == sorted(
            relations + [inverse_label(relation) for relation in relations]
        )
        assert some.train == read_samples("demo", at_most=50).train
        assert len(read_samples("demo", at_most=5000).train) == 1200

    def test_only_the_quick_profile_takes_some(self, experiment) -> None:
        one = replace(experiment, settings=replace(QUICK, epochs=1, batch_size=600))
        assert run_of(one).hyperparameters["training_samples"] == SENTENCES
        assert run_of(replace(one, seed=1)).hyperparameters["training_samples"] == SENTENCES
        run = run_experiment(replace(one, profile="standard"), "other", progress=False)
        assert (run.hyperparameters["training_samples"], run.profile) == (1200, "standard")

    def test_ptr_split(self, data_dir) -> None:
        everything = read_corpus("semeval2010")["train"]
        train, dev = ptr_split(everything), ptr_split(everything, "dev")
        assert (len(train), len(dev), len(everything)) == (6507, 1493, 8000)
        ids = [{one.id for one in part} for part in (train, dev)]
        assert not ids[0] & ids[1] and ids[0] | ids[1] == {one.id for one in everything}
        rare = "Entity-Destination(e2,e1)"
        assert [sum(one.relation == rare for one in part) for part in (train, dev)] == [0, 1]
        assert [sum(one.relation == "Other" for one in part) for part in (train, dev)] == [1146, 264]
        order = {one.id: place for place, one in enumerate(everything)}
        assert [order[one.id] for one in train] == sorted(order[one.id] for one in train)

    def test_ptr_split_holds_the_authors_sentences(self, data_dir) -> None:
        lines = (data_dir / "semeval2010" / "ptr_split" / "dev.txt").read_text("utf-8").splitlines()
        theirs = sorted(
            (squeezed("".join(row["token"])), row["relation"], squeezed(row["h"]["name"]))
            for row in map(json.loads, lines)
        )
        dev = ptr_split(read_corpus("semeval2010")["train"], "dev")
        ours = sorted((squeezed(one.text), one.relation, squeezed(one.head_text)) for one in dev)
        assert [one[:2] for one in ours] == [one[:2] for one in theirs]
        same_head = sum(one == other for one, other in zip(ours, theirs, strict=True))
        assert same_head > 0.99 * len(dev)

    def test_ptr_split_of_other_samples(self, data_dir) -> None:
        with pytest.raises(ValueError, match=r"train\.txt, line 1: no official sample for "):
            ptr_split(demo_corpus()["train"])
        with pytest.raises(ValueError, match="unknown part 'val'"):
            ptr_split([], "val")

    def test_training_on_the_ptr_split(self, data_dir) -> None:
        data = read_samples("semeval2010", part="ptr", at_most=50)
        assert len(data.train) == 50 and len(data.test) == 2717
        assert {"semeval2010/ptr_split/train.txt", "semeval2010/ptr_split/dev.txt"} < set(data.files)


def squeezed(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isascii() and letter.isalnum())


def command(encoder, *more: str, model: str = "em-es") -> list[str]:
    words = f"train --model {model} --dataset demo --encoder {encoder} --set epochs 1 --set batch_size 16"
    return [*words.split(), *["--set", "learning_rate", "2e-3", "--set", "precision", "fp32"], *more]


class TestCommand:
    def test_it_trains_and_says_where_the_run_is(self, tiny_bert, scratch, capsys) -> None:
        assert main(command(tiny_bert)) == 0
        (path,) = (scratch / "scratch/demo").rglob("tiny-bert/seed-9.json")
        assert path.parts[-3] == "EM-ES+quick+learning_rate-0.002+epochs-1+batch_size-16+precision-fp32"
        output = capsys.readouterr().out.splitlines()
        assert output[0] == "EM-ES · tiny-bert · demo test · seed 9 · profile quick"
        assert output[-1] == f"run file: {path}"
        scores = dict(zip(*[iter(output[7].split())] * 2, strict=True))
        averaged = averages(load_run(path).outcome(), negative="Other")
        assert list(scores) == list(SCHEMES)
        assert list(map(float, scores.values())) == pytest.approx((100 * averaged).tolist(), abs=0.005)

    def test_profiles_other_than_quick_go_to_the_results(self, tiny_bert, scratch, monkeypatch) -> None:
        monkeypatch.setattr("helpers.runs.RUNS_FOLDER", scratch / "results")
        changes = [
            "--set",
            "batch_size",
            "600",
            "--set",
            "max_length",
            "64",
            "--option",
            "layer_norm",
            "true",
        ]
        assert main(command(tiny_bert, *changes, "--profile", "standard", "--seed", "148")) == 0
        (run,) = list_runs("demo", "EM-ES", folder=scratch / "results")
        assert run.seed == 148 and run.variant.endswith("+layer_norm-True")
        found = run.hyperparameters
        assert (found["batch_size"], found["max_length"], run.options["layer_norm"]) == (600, 64, True)
        expected = replace(
            default_settings("em-es"),
            **{"epochs": 1, "batch_size": 600, "max_length": 64, "learning_rate": 2e-3, "precision": "fp32"},
        )
        assert {name: found[name] for name in asdict(expected)} == asdict(expected)

    def test_settings_of_the_papers(self, tiny_bert, scratch) -> None:
        assert main(command(tiny_bert, "--settings", "paper", "--out", "o", model="ptr")) == 0
        (found,) = (run.hyperparameters for run in list_runs("demo", "PTR", folder=scratch / "o"))
        assert (found["warmup"], found["epsilon"], found["epochs"]) == (500, 1e-6, 1)

    @pytest.mark.parametrize(
        ("words", "lacking"),
        [
            ("--profile paper", "--option layer_norm true --text official"),
            ("--settings harbecke2022 --text official", "--option layer_norm true"),
            ("--settings paper --option layer_norm true", "--text official"),
            ("--settings harbecke2022 --option layer_norm true --text official", ""),
            ("--profile paper --settings lyu2021", ""),
            ("--profile standard", ""),
            ("--profile paper --dataset kbp37", ""),
        ],
    )
    def test_what_a_papers_settings_do_not_hold_is_noted(self, words, lacking, monkeypatch, capsys) -> None:
        """W's BERT_EM on SemEval has a layer normalisation and reads the official text."""

        def stop(*_, **__):
            raise ValueError("not trained here")

        monkeypatch.setattr("helpers.experiments.run_experiment", stop)
        assert main(["train", "--model", "em-es", *words.split()]) == 2
        said = capsys.readouterr().err
        assert "error: not trained here" in said
        noted = [line for line in said.splitlines() if line.startswith("note: settings harbecke2022")]
        assert noted == [line for line in noted if lacking and line.endswith(f", add {lacking}")]
        assert len(noted) == bool(lacking)

    def test_predictions_score_as_the_run(self, tiny_bert, scratch, capsys, caplog) -> None:
        assert main(command(tiny_bert, "--predictions", "p.csv", "--out", "o", "--set", "epochs", "4")) == 0
        capsys.readouterr()
        (outcome,) = (run.outcome() for run in list_runs("demo", "EM-ES", folder=scratch / "o"))
        assert len(set(read("p.csv", "predicted"))) > 2
        assert read("p.csv", "id") == [one.id for one in demo_corpus()["test"]]
        with caplog.at_level(logging.WARNING):
            report = score_file("p.csv", paired_column="paired", negative="Other")
        assert caplog.messages == []
        shown = [report.schemes[scheme]["f1"] for scheme in SCHEMES]
        assert shown == pytest.approx(averages(outcome, negative="Other").tolist(), abs=1e-12)
        frame = read_predictions("p.csv", None, None, "paired", None)
        again = Outcome.from_columns(
            frame["gold"], frame["predicted"], paired=frame["predicted_paired"], labels=LABELS
        )
        assert again == outcome
        expected = direction_scores(outcome)
        words = ["p.csv", "--paired-column", "paired", "--negative", "Other", "--format", "json"]
        assert main(["score", *words]) == 0
        direction = json.loads(capsys.readouterr().out)["direction"]
        assert (direction["pir"], direction["ppr"]) == pytest.approx((expected.pir, expected.ppr), abs=1e-12)

    def test_a_stored_run_is_shown_again(self, tiny_bert, capsys, request) -> None:
        assert main(command(tiny_bert)) == 0
        first = capsys.readouterr()
        request.getfixturevalue("no_training")
        assert main(command(tiny_bert)) == 0
        again = capsys.readouterr()
        assert again.out == first.out and "training" not in again.err

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--model em-cs --dataset demo", "unknown model 'em-cs'; did you mean 'em-c'?"),
            ("--model em-c --dataset demos", "unknown dataset 'demos'; did you mean 'demo'?"),
            ("--model em-c --dataset demo --profile qick", "unknown profile 'qick'; did you mean 'quick'?"),
            (
                "--model em-c --dataset demo --encodr x",
                "No such option '--encodr'. Did you mean '--encoder'?",
            ),
            ("--dataset demo", "Missing option '--model'"),
            ("--model em-c --dataset demo --seed -1", "-1 is not in the range"),
            ("--model em-c --dataset demo --set lerning_rate 1", "did you mean 'learning_rate'? Known: "),
            (
                "--model em-c --dataset demo --set epochs 1.5",
                "epochs is '1.5'; it must be a positive whole",
            ),
            (
                "--model em-c --dataset demo --set epochs true",
                "epochs is 'true'; it must be a positive whole",
            ),
            (
                "--model em-c --dataset demo --set epochs 0",
                "epochs is '0'; it must be a positive whole",
            ),
            (
                "--model em-c --dataset demo --set learning_rate much",
                "learning_rate is 'much'; it must be a positive, ",
            ),
            (
                "--model em-c --dataset demo --set learning_rate none",
                "learning_rate is 'none'; it must be a positive, ",
            ),
            (
                "--model em-c --dataset demo --set learning_rate nan",
                "learning_rate is 'nan'; it must be a positive, ",
            ),
            (
                "--model em-c --dataset demo --set dropout much",
                "dropout is 'much'; it must be in [0, 1)",
            ),
            (
                "--model em-c --dataset demo --set dropout true",
                "dropout is True; it must be in [0, 1)",
            ),
            (
                "--model em-c --dataset demo --set optimizer sgd",
                "--set optimizer sgd needs --set learning_rate, too: 0.0002 is a rate for adamw",
            ),
            (
                "--model em-c --dataset demo --set optimizer rmsprop",
                "unknown optimizer 'rmsprop'. Known: adamw, adam, sgd",
            ),
            ("--model em-c --dataset demo --part ptr", "part 'ptr' is a split of semeval2010, not of demo"),
            ("--model em-c --dataset demo --option layer_norm true", "unknown option of em-c 'layer_norm'"),
            (
                "--model em-es --dataset demo --option layer_norm 1",
                "layer_norm is '1'; it must be true or false",
            ),
            ("--model em-es --dataset demo --option seed 5", "unknown option of em-es 'seed'"),
            ("--model em-es --dataset demo --option attention eager", "unknown option of em-es 'attention'"),
            ("--model r-bert --dataset demo --option form prot", "did you mean 'port'? Known: paper, port"),
            (
                "--model emr-c --dataset demo --option candidates 18",
                "unknown candidates '18'. Known: all, directed",
            ),
            ("--model ptr --dataset demo --option words x", "words is 'x'"),
            (
                "--model ptr --dataset demo --set max_length 20",
                "max_length is 20; PTR's prompt needs at least 57",
            ),
            ("--model svm --dataset demo --set epochs 3", "model svm has no training settings"),
            ("--model svm --dataset demo --weights w", "model svm has no weights"),
            ("--model em-c", "python -m helpers data fetch"),
        ],
    )
    def test_bad_input_is_one_line(self, words, message, tiny_bert, scratch, capsys, monkeypatch) -> None:
        monkeypatch.setattr("helpers.data.files.ROOT", scratch)
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        encoder = [] if "svm" in words else ["--encoder", str(tiny_bert)]
        assert main(["train", *words.split(), *encoder]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and message in captured.err
        assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
        assert list(scratch.iterdir()) == []

    def test_an_encoder_that_is_not_there(self, scratch, capsys) -> None:
        assert main(command(scratch / "nowhere")) == 2
        captured = capsys.readouterr()
        assert captured.err.startswith(f"error: encoder '{scratch / 'nowhere'}' cannot be loaded: ")
        assert captured.err.count("\n") == 1 and list(scratch.iterdir()) == []

    def test_a_loss_that_is_not_finite(self, tiny_bert, scratch, capsys) -> None:
        assert main(command(tiny_bert, *["--set", "learning_rate", "1e38", "--set", "warmup", "0"])) == 2
        captured = capsys.readouterr()
        assert captured.err.splitlines()[-1].endswith("lower learning_rate") and captured.out == ""
        assert not (scratch / "scratch").exists()

    def test_another_setting_is_another_file(self, tiny_bert, scratch) -> None:
        for more in ([], ["--set", "clip", "0"], ["--variant", "mine"]):
            assert main(command(tiny_bert, "--set", "max_length", "32", *more)) == 0
        assert len(list((scratch / "scratch").rglob("seed-9.json"))) == 3
        assert list((scratch / "scratch").glob("demo/EM-ES+quick+mine/tiny-bert/*"))

    def test_another_configuration(self, tiny_bert, tiny_roberta, scratch, capsys) -> None:
        shutil.copytree(tiny_roberta, scratch / "copy" / "tiny-bert")
        assert main(command(tiny_bert)) == 0
        capsys.readouterr()
        assert main(command("copy/tiny-bert")) == 2
        captured = capsys.readouterr()
        assert re.search(r"holds a run with another configuration \(.*encoder_sha256", captured.err)
        assert captured.err.count("\n") == 1
        assert main(command("copy/tiny-bert", "--overwrite")) == 0


def read(path: str, column: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:
        return [row[column] for row in csv.DictReader(file)]
