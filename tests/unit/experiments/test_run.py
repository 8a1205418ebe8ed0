"""One run from end to end: the run file, what is trained again, the command, its files and its errors."""

import csv
import json
import logging
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from helpers.cli import main
from helpers.core.labels import inverse_label, label_ids
from helpers.data import files as registry
from helpers.data import ptr_split, read_corpus
from helpers.data.demo import TEST_COUNTS, demo_corpus
from helpers.data.pairing import paired_sets
from helpers.data.predictions import read_predictions
from helpers.evaluation.score import score_file
from helpers.experiments import Experiment, read_samples
from helpers.experiments import data as experiment_data
from helpers.experiments import run as experiments
from helpers.experiments.run import run_experiment
from helpers.metrics import Outcome
from helpers.metrics.averaging import averages
from helpers.metrics.direction import direction_scores
from helpers.metrics.weighting import SCHEMES
from helpers.models import classifier, training
from helpers.models.registry import build
from helpers.models.settings import Settings
from helpers.models.training import load_weights
from helpers.runs import list_runs, load_run, run_path, run_state

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


def scratch_files() -> list[Path]:
    return sorted(Path("runs").rglob("*.json"))


class TestStoredRuns:
    def test_not_trained_again(self, experiment, request) -> None:
        run = run_of(experiment)
        request.getfixturevalue("no_training")
        assert run_of(experiment) == run
        assert run_of(replace(experiment, settings=replace(QUICK))) == run

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


class TestData:
    def test_the_holdout_is_a_tenth_of_the_training_data(self) -> None:
        train, test = (demo_corpus()[part] for part in ("train", "test"))
        held = read_samples("demo", holdout=True)
        learnt, tested = ({one.id for one in part} for part in (held.train, held.test))
        assert (len(held.train), len(held.test)) == (1080, 120)
        assert not learnt & tested and learnt | tested == {one.id for one in train}
        assert not {one.text for one in held.train} & {one.text for one in held.test}
        assert not tested & {one.id for one in test}

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

    def test_predictions_score_as_the_run(self, tiny_bert, scratch, capsys, caplog) -> None:
        assert (
            main(command(tiny_bert, "--predictions", "p.csv", "--output", "o", "--set", "epochs", "4")) == 0
        )
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

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--model em-cs --dataset demo", "unknown model 'em-cs'; did you mean 'em-c'?"),
            ("--model em-c --dataset demos", "unknown dataset 'demos'; did you mean 'demo'?"),
            ("--model em-c --profile qick", "unknown profile 'qick'; did you mean 'quick'?"),
            ("--model em-c --encodr x", "No such option '--encodr'. Did you mean '--encoder'?"),
            ("--dataset demo", "Missing option '--model'"),
            ("--model em-c --set lerning_rate 1", "did you mean 'learning_rate'? Known: "),
            ("--model em-c --set epochs 1.5", "epochs is '1.5'; it must be a positive whole"),
            ("--model em-c --set dropout much", "dropout is 'much'; it must be in [0, 1)"),
            (
                "--model em-c --set optimizer sgd",
                "--set optimizer sgd needs --set learning_rate, too: 0.0002 is a rate for adamw",
            ),
            ("--model em-c --part ptr", "part 'ptr' is a split of semeval2010, not of demo"),
            ("--model em-es --option layer_norm 1", "layer_norm is '1'; it must be true or false"),
            ("--model em-es --option seed 5", "unknown option of em-es 'seed'"),
            ("--model em-es --option attention eager", "unknown option of em-es 'attention'"),
            ("--model r-bert --option form prot", "did you mean 'port'? Known: paper, port"),
            ("--model emr-c --option candidates 18", "unknown candidates '18'. Known: all, directed"),
            ("--model ptr --option words x", "words is 'x'"),
            ("--model ptr --set max_length 20", "max_length is 20; PTR's prompt needs at least 57"),
            ("--model svm --set epochs 3", "model svm has no training settings"),
            ("--model svm --weights w", "model svm has no weights"),
            ("--model em-c", "python -m helpers data fetch"),
        ],
    )
    def test_bad_input_is_one_line(self, words, message, tiny_bert, scratch, capsys, monkeypatch) -> None:
        monkeypatch.setattr("helpers.data.files.ROOT", scratch)
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        encoder = [] if "svm" in words else ["--encoder", str(tiny_bert)]
        demo = [] if "--dataset" in words or words == "--model em-c" else ["--dataset", "demo"]
        assert main(["train", *words.split(), *demo, *encoder]) == 2
        captured = capsys.readouterr()
        assert captured.out == "" and message in captured.err
        assert captured.err.startswith("error: ") and captured.err.count("\n") == 1
        assert list(scratch.iterdir()) == []

    def test_a_loss_that_is_not_finite(self, tiny_bert, scratch, capsys) -> None:
        assert main(command(tiny_bert, *["--set", "learning_rate", "1e38", "--set", "warmup", "0"])) == 2
        captured = capsys.readouterr()
        assert captured.err.splitlines()[-1].endswith("lower learning_rate") and captured.out == ""
        assert not (scratch / "scratch").exists()


def read(path: str, column: str) -> list[str]:
    with open(path, encoding="utf-8", newline="") as file:
        return [row[column] for row in csv.DictReader(file)]
