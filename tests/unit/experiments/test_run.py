"""One run from end to end: the run file, what is trained again, the command, its files and its errors."""

import csv
import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from helpers.cli import main
from helpers.core import file_sha256, inverse_label, label_ids
from helpers.data import demo_corpus, paired_sets, ptr_split, read_corpus
from helpers.data.demo import TEST_COUNTS
from helpers.evaluation import score_file
from helpers.experiments import Experiment, run_experiment
from helpers.experiments import run as experiments
from helpers.experiments.run import read_data
from helpers.metrics import SCHEMES, Outcome, averages, direction_scores
from helpers.models import build, training
from helpers.models.base import Settings
from helpers.models.training import load_weights
from helpers.runs import load_run, run_path, run_state

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
    monkeypatch.setattr(experiments, "QUICK_SENTENCES", SENTENCES)
    monkeypatch.setattr("helpers.cli.train.SCRATCH", tmp_path / "scratch")
    return tmp_path


@pytest.fixture
def experiment(tiny_bert) -> Experiment:
    return Experiment("em-es", "demo", encoder=str(tiny_bert), settings=QUICK)


def run_of(experiment: Experiment, **options):
    return run_experiment(experiment, "runs", progress=False, **options)


def read(dataset: str, **form):
    return read_data(Experiment("majority", dataset, profile="standard", **form))


class TestRunFile:
    def test_contents(self, experiment, tiny_bert, scratch) -> None:
        run = run_of(experiment, weights="w.safetensors")
        path = run_path(run, "runs")
        assert path.as_posix() == f"runs/demo/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"
        assert load_run(path) == run and str(tiny_bert.parent) not in path.read_text()
        assert (run.split, run.labels, run.negative, dict(run.files)) == ("test", LABELS, "Other", {})
        assert run.encoder_sha256 == file_sha256(tiny_bert / "model.safetensors")
        assert run.hyperparameters == asdict(QUICK) | {"text": "clean", "training_samples": SENTENCES}
        assert run.options == {"layer_norm": False, "marker_scheme": "added", "layers": None}
        assert (run.kind, run.table.other) == ("paired", "paired sentence")
        assert run.versions == {"model em-es": 1, "data set demo": 1}
        assert set(run.history) == {"losses", "cut_inputs", "cut_tokens"} and len(run.history["losses"]) == 2
        assert {"processes", "threads", "precision", "prediction_seconds"} <= set(run.environment)
        assert (run.environment["processes"], run.environment["precision"]) == (1, "fp32")
        assert {"torch", "transformers", "accelerate"} <= set(run.environment["versions"])
        assert run.wall_seconds > 0 and run.sentences_per_second > 0

        model = build("em-es", str(tiny_bert), LABELS, QUICK, seed=1)
        load_weights(scratch / "w.safetensors", model).encoder.precision = "fp32"
        sets, names = paired_sets(read("demo").test), np.array(LABELS)
        original, paired = (names[model.predict(part, False)] for part in list(sets.values())[:2])
        gold = [sample.relation for sample in sets["original"]]
        assert Outcome.from_columns(gold, original, paired=paired, labels=LABELS) == run.outcome()
        assert (original != paired).any() and len(set(original)) > 1

    def test_the_resolved_precision_is_part_of_the_configuration(self, experiment, monkeypatch) -> None:
        auto = replace(experiment, settings=QUICK.changed({"precision": "auto"}), variant="auto")
        run = run_of(auto)
        precision = run.environment["precision"]
        assert run.hyperparameters["precision"] == precision in ("bf16", "fp32")
        assert run_state(run_path(run, "runs"), auto.recorded()).state == "current", "on any machine"
        other = {"bf16": "fp32", "fp32": "bf16"}[precision]
        monkeypatch.setattr(training, "resolved_precision", lambda *_: other)
        with pytest.raises(FileExistsError, match="another configuration \\(hyperparameters\\)"):
            run_of(auto)

    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"merged": True}, f"demo/EM-ES-M+quick+{VARIANT}/tiny-bert/seed-9.json"),
            ({"seed": 148}, f"demo/EM-ES+quick+{VARIANT}/tiny-bert/seed-148.json"),
            ({"text": "official"}, f"demo-official-text/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"),
            ({"holdout": True}, f"demo-holdout/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"),
            ({"variant": "mine"}, "demo/EM-ES+quick+mine/tiny-bert/seed-9.json"),
            ({"options": {"layer_norm": False}}, f"demo/EM-ES+quick+{VARIANT}/tiny-bert/seed-9.json"),
        ],
    )
    def test_another_kind_of_run_is_another_file(self, change, expected, experiment, scratch) -> None:
        assert replace(experiment, **change).path("").as_posix() == expected

    def test_it_is_not_trained_again_nor_overwritten(self, experiment, monkeypatch, scratch) -> None:
        experiment = replace(experiment, variant="mine", holdout=True, merged=True)
        run = run_of(experiment)
        assert run.n == 120 and run.hyperparameters["training_samples"] == 2 * SENTENCES
        path = experiment.path(scratch / "runs")
        before = path.read_bytes()
        monkeypatch.setattr(training.NeuralModel, "fit", None)
        assert run_of(replace(experiment, settings=replace(QUICK))) == run
        with pytest.raises(FileExistsError, match=r"seed-9\.json holds .* \(hyperparameters\)"):
            run_of(replace(experiment, settings=replace(QUICK, epochs=3)))
        with pytest.raises(FileExistsError, match=r"\(options\)"):
            run_of(replace(experiment, options={"layer_norm": True}), predictions="p.csv")
        assert path.read_bytes() == before and not (scratch / "p.csv").exists()


class TestData:
    def test_the_holdout_is_a_tenth_of_the_training_data(self) -> None:
        train, test = (demo_corpus()[part] for part in ("train", "test"))
        held = read("demo", holdout=True)
        learnt, tested = ({sample.id for sample in part} for part in (held.train, held.test))
        assert (len(held.train), len(held.test)) == (1080, 120)
        assert not learnt & tested and learnt | tested == {sample.id for sample in train}
        assert not {sample.text for sample in held.train} & {sample.text for sample in held.test}
        assert not tested & {sample.id for sample in test}

    def test_quick_takes_some_and_merges_them_afterwards(self) -> None:
        some, merged = (read("demo", sentences=50, merged=merged) for merged in (False, True))
        assert (len(some.train), len(merged.train), len(some.test)) == (50, 100, 400)
        assert {sample.text for sample in some.train} == {sample.text for sample in merged.train}
        relations = [sample.relation for sample in some.train]
        both = sorted(relations + [inverse_label(relation) for relation in relations])
        assert sorted(sample.relation for sample in merged.train) == both
        assert some.train == read("demo", sentences=50).train
        assert len(read("demo", sentences=5000).train) == 1200

    def test_ptr_split_holds_the_authors_sentences(self, data_dir) -> None:
        whole = read_corpus("semeval2010")["train"]
        train, dev = ptr_split(whole).values()
        assert (len(train), len(dev), len(whole)) == (6507, 1493, 8000)
        order = {sample.id: place for place, sample in enumerate(whole)}
        places = [[order[sample.id] for sample in part] for part in (train, dev)]
        assert places[0] == sorted(places[0]) and sorted(places[0] + places[1]) == list(range(8000))
        lines = (data_dir / "semeval2010" / "ptr_split" / "dev.txt").read_text("utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        theirs = sorted(squeezed("".join(row["token"]), row["relation"], row["h"]["name"]) for row in rows)
        ours = sorted(squeezed(one.text, one.relation, one.head_text) for one in dev)
        assert [row[:2] for row in ours] == [row[:2] for row in theirs]
        assert sum(row == other for row, other in zip(ours, theirs, strict=True)) > 0.99 * len(dev)


def squeezed(text: str, relation: str, head: str) -> tuple[str, str, str]:
    letters = ("".join(x for x in one.lower() if x.isascii() and x.isalnum()) for one in (text, head))
    return next(letters), relation, next(letters)


def command(encoder, *more: str) -> list[str]:
    words = f"train --model em-es --dataset demo --encoder {encoder} --set epochs 1 --set batch_size 16"
    return [*words.split(), *["--set", "learning_rate", "2e-3", "--set", "precision", "fp32"], *more]


class TestCommand:
    def test_it_says_where_the_run_is_and_predictions_score_as_it(self, tiny_bert, scratch, capsys) -> None:
        assert main(command(tiny_bert, "--predictions", "p.csv", "--set", "epochs", "4")) == 0
        (path,) = (scratch / "scratch/demo").rglob("tiny-bert/seed-9.json")
        assert path.parts[-3] == f"EM-ES+quick+{VARIANT}".replace("epochs-2", "epochs-4")
        output = capsys.readouterr().out.splitlines()
        assert output[0] == "EM-ES · tiny-bert · demo test · seed 9 · profile quick"
        assert output[-1] == f"run file: {path}"
        shown = dict(zip(*[iter(output[7].split())] * 2, strict=True))
        outcome = load_run(path).outcome()
        averaged = averages(outcome, negative="Other").tolist()
        assert list(shown) == list(SCHEMES)
        assert [float(score) / 100 for score in shown.values()] == pytest.approx(averaged, abs=5e-5)

        with open("p.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["id"] for row in rows] == [sample.id for sample in demo_corpus()["test"]]
        columns = {name: [row[name] for row in rows] for name in ("gold", "predicted", "paired")}
        assert Outcome.from_columns(**columns, labels=LABELS) == outcome and len({*columns["predicted"]}) > 2
        report = score_file("p.csv", paired_column="paired", negative="Other")
        found = [report.schemes[scheme]["f1"] for scheme in SCHEMES]
        assert found == pytest.approx(averaged, abs=1e-12)
        scores, direction = direction_scores(outcome), report.to_dict()["direction"]
        assert (direction["pir"], direction["ppr"]) == pytest.approx((scores.pir, scores.ppr), abs=1e-12)

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--model em-cs --dataset demo", "unknown model 'em-cs'; did you mean 'em-c'?"),
            ("--model em-c --dataset demos", "unknown dataset 'demos'; did you mean 'demo'?"),
            ("--model em-c --profile qick", "unknown profile 'qick'; did you mean 'quick'?"),
            ("--model em-c --encodr x", "No such option '--encodr'. Did you mean '--encoder'?"),
            ("--dataset demo", "Missing option '--model'"),
            ("--model em-c --set lerning_rate 1", "did you mean 'learning_rate'? Known: "),
            ("--model em-c --set optimizer sgd", "--set optimizer sgd needs --set learning_rate, too"),
            ("--model em-c --part ptr", "part 'ptr' is a split of semeval2010, not of demo"),
            ("--model em-es --option attention eager", "unknown option of em-es 'attention'"),
            ("--model ptr --option words x", "words is 'x'"),
            ("--model ptr --set max_length 20", "max_length is 20; PTR's prompt needs at least 57"),
            ("--model r-bert --option form prot", "did you mean 'port'? Known: paper, port"),
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
        assert list(scratch.iterdir()) == []
