"""`python -m helpers`: what it prints, in which form, and how it behaves as a process."""

import csv
import inspect
import io
import json
import logging
import math
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import click
import pandas as pd
import pytest

from helpers import ROOT
from helpers.cli import app, put
from helpers.data import counted_datasets
from helpers.data.demo import demo_documents
from tests.support import write_documents

GOLDEN = Path(__file__).parents[2] / "golden"
SCHEMES = ("micro", "weighted", "dodrans", "entropy", "macro")
PAPER = {"gold": list("AAABBNNNNN"), "predicted": list("ABABNNNACN")}
EXPECTED = (0.545455, 0.6, 0.595907, 0.588128, 0.583333)  # of PAPER, N being the negative class
POOLED = ": 1 label is predicted and never gold ('C' 1×): these count as false positives under micro"
DIRECTED = {
    "gold": ["r(e1,e2)", "r(e1,e2)", "r(e2,e1)", "s(e1,e2)", "Other"],
    "predicted": ["r(e1,e2)", "r(e1,e2)", "s(e1,e2)", "s(e1,e2)", "Other"],
    "paired": ["r(e2,e1)", "r(e1,e2)", "r(e1,e2)", "Other", "Other"],
}
SEMEVAL = {"r": "Cause-Effect", "s": "Entity-Origin"}


def golden(name: str) -> list[dict[str, str]]:
    """The rows of a file of golden values."""
    with open(GOLDEN / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def answer(call):
    """Run a command that has to succeed; gives its JSON, of a table the rows. It may say `POOLED` only."""

    def run(*words: object) -> dict:
        code, out, err = call(*words, "--format", "json")
        assert (code, [line for line in err.splitlines() if not line.endswith(POOLED)]) == (0, [])
        found = json.loads(out, parse_constant=pytest.fail)
        for entry in found if isinstance(found, list) else [found]:
            assert entry.pop("schema_version") == 1
        return found

    return run


@pytest.fixture
def paper(folder) -> Path:
    """The worked example as CSV."""
    pd.DataFrame(PAPER).to_csv(folder / "paper.csv", index=False)
    return folder / "paper.csv"


def python(*words: str, **options) -> subprocess.CompletedProcess:
    """`python -m helpers` as a process; standard output is buffered, as users have it."""
    changes = options.pop("env", {})
    env = {**os.environ, "PYTHONPATH": str(ROOT), **changes}
    env.pop("PYTHONUNBUFFERED", None)
    options = {"capture_output": True, "text": True, "encoding": "utf-8", "timeout": 600} | options
    return subprocess.run([sys.executable, *words], env=env, **options)


def test_every_command_takes_the_options_that_it_declares():
    context = click.Context(app)
    for name in app.list_commands(context):
        command = app.get_command(context, name)
        parameters = inspect.signature(command.callback).parameters
        declared = {one.name for one in command.params if one.expose_value}
        rest = {key for key, one in parameters.items() if one.kind is inspect.Parameter.VAR_KEYWORD}
        taken = set(parameters) - rest - {"context"}  # click.pass_context hands that one in
        assert taken <= declared, name
        if not rest:
            assert declared <= taken, name


class TestScore:
    def test_json_has_the_keys_and_the_scores_of_the_worked_example(self, answer, paper):
        report = answer("score", paper, "--negative", "N")
        assert {"n", "labels", "negative", "accuracy", "schemes", "per_class", "signature"} <= set(report)
        assert (report["n"], report["labels"], report["negative"]) == (10, ["A", "B", "C", "N"], "N")
        assert report["accuracy"] == 0.6
        assert tuple(report["schemes"]) == SCHEMES
        for scheme, f1 in zip(SCHEMES, EXPECTED, strict=True):
            row = report["schemes"][scheme]
            assert {"precision", "recall", "f1"} <= set(row) and not {"low", "high"} & set(row)
            assert row["f1"] == pytest.approx(f1, abs=5e-7)
            listed = "listed" if scheme == "micro" else "supported"
            assert row["signature"].startswith(f"f1|scheme:{scheme}|labels:{listed}|negative:N|")
        assert report["per_class"]["A"]["f1"] == pytest.approx(2 / 3)
        assert report["per_class"]["A"]["support"] == 3
        assert not {"official", "direction"} & set(report)

    def test_intervals_hold_the_score_and_depend_on_the_seed_only(self, answer, paper):
        words = ("score", paper, "--negative", "N", "--bootstrap", 400)
        report = answer(*words)
        for row in report["schemes"].values():
            assert 0 <= row["low"] < row["f1"] < row["high"] <= 1
        assert answer(*words, "--seed", 1) == report
        assert answer(*words, "--seed", 2)["schemes"] != report["schemes"]

    def test_schemes_are_the_rows_of_the_report(self, call, answer, paper):
        words = (
            "score",
            paper,
            "--negative",
            "N",
            "--scheme",
            "macro",
            "--scheme",
            "n^0.5",
            "--bootstrap",
            30,
        )
        found, every = answer(*words)["schemes"], answer(*words[:4], "--bootstrap", 30)["schemes"]
        assert list(found) == ["macro", "n^0.5"] and found["macro"] == every["macro"]
        assert found["n^0.5"]["low"] < found["n^0.5"]["f1"] < found["n^0.5"]["high"]
        assert "|scheme:n^0.5|" in found["n^0.5"]["signature"]
        assert re.findall(r"^(?:macro|n\^0.5|micro)", call(*words)[1], re.MULTILINE) == ["macro", "n^0.5"]

    def test_names_of_nothing_are_labels(self, call, folder):
        (folder / "odd.csv").write_text("gold,predicted\nNA,NA\nNone,null\nnull,nan\nNaN,NaN\n")
        code, out, _ = call("score", "odd.csv", "--format", "json")
        assert code == 0
        assert json.loads(out)["labels"] == ["NA", "NaN", "None", "nan", "null"]
        assert json.loads(out)["accuracy"] == 0.5


@pytest.fixture
def directed(folder) -> Path:
    """Five samples and their paired samples, relations r and s."""
    pd.DataFrame(DIRECTED).to_csv(folder / "directed.csv", index=False)
    return folder / "directed.csv"


@pytest.fixture
def semeval(folder) -> Path:
    """The same with names of SemEval-2010 Task 8."""
    frame = pd.DataFrame(DIRECTED).map(lambda label: SEMEVAL.get(label[0], label[0]) + label[1:])
    frame.to_csv(folder / "semeval.csv", index=False)
    return folder / "semeval.csv"


class TestTask:
    def test_official_scores_and_direction_by_hand(self, answer, semeval):
        report = answer("score", semeval, "--task", "semeval2010", "--paired-column", "paired")
        assert (len(report["labels"]), report["negative"]) == (19, "Other")
        assert list(report["official"]) == ["directed", "undirected", "grouped"]
        # Cause-Effect: 2 right of 2 answers and 3 gold, 4/5; Entity-Origin: 1 of 2 answers and 1 gold, 2/3
        grouped = {"micro": 6 / 8, "macro": (4 / 5 + 2 / 3) / 2, "accuracy": 4 / 5}
        assert report["official"]["grouped"].pop("signature").startswith("f1|official:semeval2010|")
        assert report["official"]["grouped"] == pytest.approx(grouped)
        # paired: Cause-Effect 2 right of 3 answers and 3 gold, Entity-Origin none of 0 and 1
        direction = report["direction"]
        assert direction["performance_original"] == report["official"]["grouped"]["macro"]
        assert direction["performance_paired"] == pytest.approx((2 / 3 + 0) / 2)
        assert direction["pd"] == pytest.approx((4 / 5 + 2 / 3) / 2 - 1 / 3)
        assert (direction["better_set"], direction["n"]) == ("A", 4)
        assert (direction["pir"], direction["ppr"]) == pytest.approx((1 / 3, 1 / 4))

    @pytest.mark.parametrize("name", ["inverse.json", "inverse.csv"])
    def test_inverse_from_a_file_leaves_out_labels_without_one(self, answer, folder, name):
        texts = {
            "inverse.json": '{"parents": "children"}',
            "inverse.csv": "label,inverse\nchildren,parents\n",
        }
        (folder / name).write_text(texts[name])
        (folder / "mine.csv").write_text(
            "gold,predicted,q\nparents,parents,children\nchildren,children,children\nspouse,spouse,spouse\n"
        )
        direction = answer("score", "mine.csv", "--paired-column", "q", "--inverse", name)["direction"]
        # set B: parents (the second) is not found, children once among two answers, spouse found
        assert direction["performance_paired"] == pytest.approx((0 + 2 / 3 + 1) / 3)
        assert (direction["better_set"], direction["pir"], direction["ppr"], direction["n"]) == (
            "A",
            0.5,
            0.5,
            2,
        )

    def test_every_form_has_every_section(self, call, semeval):
        words = ("score", semeval, "--task", "semeval2010", "--paired-column", "paired", "--bootstrap", 50)
        _, table, _ = call(*words)
        assert re.search(r"^ +grouped +micro 75\.00 +macro 73\.33 +accuracy 80\.00", table, re.MULTILINE)
        assert re.search(r"pir 33\.33 +ppr 25\.00 +n 4", table)
        rows = pd.read_csv(io.StringIO(call(*words, "--format", "csv")[1]), keep_default_na=False)
        assert {"scheme", "class", "official", "direction"} == set(rows["kind"])
        report = json.loads(call(*words, "--format", "json")[1])
        assert report["official"]["grouped"]["macro_low"] <= report["official"]["grouped"]["macro_high"]
        assert set(report["direction"]["intervals"]) == {
            "performance_original", "performance_paired", "pd", "pir", "ppr"
        }  # fmt: skip


class TestRealData:
    @pytest.mark.parametrize(
        "golden", golden("tacred_systems"), ids=lambda row: f"{row['system']}-{row['gold']}"
    )
    def test_tacred_systems_straight_from_the_table(self, answer, data_dir, golden):
        table = data_dir / "tacred" / "tacred_test_predictions.tsv.gz"
        named = ("--gold-column", golden["gold"], "--predicted-column", golden["system"])
        report = answer("score", table, *named, "--negative", "no_relation")
        found = [100 * report["schemes"][scheme]["f1"] for scheme in SCHEMES]
        assert found == pytest.approx([float(golden[scheme]) for scheme in SCHEMES], abs=0.005 + 1e-9)

    @pytest.mark.parametrize(
        ("system", "official"), [("CNN", 79.26), ("Att-BLSTM", 83.13), ("CR-CNN", 83.27)]
    )
    def test_semeval_systems_joined_to_the_key(self, answer, folder, data_dir, system, official):
        test = (data_dir / "semeval2010" / "TEST_FILE_FULL.TXT").read_text("latin-1").splitlines()
        key = pd.DataFrame(
            {"id": [row.split("\t")[0] for row in test[::4]], "gold": [row.strip() for row in test[1::4]]}
        )
        path = data_dir / "semeval2010" / "predictions" / f"onehaitao_{system}_predicted_result.txt"
        answers = pd.read_csv(path, sep="\t", names=["id", "pred"], dtype=str)
        key.merge(answers, on="id", validate="1:1").to_json("mine.jsonl", orient="records", lines=True)
        report = answer("score", "mine.jsonl", "--task", "semeval2010")
        assert report["n"] == 2717
        assert 100 * report["official"]["grouped"]["macro"] == pytest.approx(official, abs=0.005)

    def test_build_pairs_are_the_published_files(self, call, folder, data_dir):
        code, out, _ = call("data", "build-pairs", folder / "pairs")
        assert code == 0
        assert out.count("equals the published file") == len(list((folder / "pairs").iterdir())) == 6


class TestCompare:
    @pytest.fixture
    def files(self, folder):
        gold = ["r", "s", "NA", "r"] * 25
        frame = pd.DataFrame({"id": range(100), "gold": gold, "predicted": gold})
        frame.to_csv("best.csv", index=False)
        frame.assign(predicted=["r", "s", "NA", "s"] * 25).sample(frac=1, random_state=1).to_parquet(
            "good.parquet"
        )
        frame.assign(predicted="r").to_json("bad.jsonl", orient="records", lines=True)
        return "best.csv", "good.parquet", "bad.jsonl"

    def test_json(self, answer, files):
        rows = answer("compare", *files, "--negative", "NA", "--bootstrap", 200)
        assert [(row["second"], row["scheme"]) for row in rows] == [
            (b, s) for b in files[1:] for s in SCHEMES
        ]
        macro = {row["second"]: row for row in rows if row["scheme"] == "macro"}
        # good: r 25 right of 25 answers and 50 gold, s 25 of 50 and 25; bad: r 50 of 100 and 50, s none
        assert macro["good.parquet"]["score_second"] == pytest.approx((2 / 3 + 2 / 3) / 2)
        assert macro["bad.jsonl"]["difference"] == pytest.approx(1 - (2 / 3 + 0) / 2)
        for row in rows:
            assert row["low"] < row["difference"] < row["high"]
            assert row["p"] == pytest.approx(1 / 201) and row["p_holm"] == pytest.approx(
                10 / 201
            )  # two files, five schemes
            assert f"|scheme:{row['scheme']}|" in row["signature"]


class TestStats:
    KEYS = ("labels", "samples", "negative_share", "perplexity", "perplexity_without_negative", "ratio")

    def test_keys_and_values_of_table_1(self, answer):
        rows = {
            name: [answer("stats", name)[key] for key in self.KEYS]
            for name in (*counted_datasets(), "semeval2010-undirected")
        }
        expected = {
            "semeval2010": (19, 10717, 0.174, 14.45, 14.37, 291),
            "semeval2010-undirected": (10, 10717, 0.174, 9.61, 8.80, 2.10),
            "chemprot": (13, 10065, 0, 7.23, 7.23, 313.75),
            "tacred": (42, 106264, 0.795, 3.31, 23.39, 250),
            "nyt24": (24, 66194, 0, 6.24, 6.24, 2485),
        }
        for name, row in expected.items():
            assert rows[name] == pytest.approx(list(row), abs=0.005)
        assert set(rows) == {*expected, "docred", "nyt10m", "kbp37", "re_docred"}
        assert rows["nyt10m"][2] is None

    def test_counts_of_ones_own(self, answer, folder):
        (folder / "counts.csv").write_text("label,count\na,6\nb,2\nNA,8\n")
        found = answer("stats", "counts.csv")
        assert [found[key] for key in ("labels", "samples", "negative_share", "ratio")] == [3, 16, 0.5, 3]
        assert answer("stats", "counts.csv", "--negative", "b")["negative_share"] == 0.125
        assert answer("stats", "counts.csv", "--negative", "")["negative_share"] == 0


class TestDataAndNotebooks:
    def test_status_names_every_file(self, call, monkeypatch):
        monkeypatch.setattr("helpers.data.files.ROOT", Path.cwd())
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        code, out, err = call("data")
        assert (code, err) == (0, "")
        assert re.search(r"^missing +semeval2010/TRAIN_FILE\.TXT +CC BY 3\.0$", out, re.MULTILINE)
        assert call("data", "status")[1] == out

    def test_what_the_package_logs_is_a_note(self, call, monkeypatch):
        def fetch(_):
            logging.getLogger("helpers.data.files").warning("%s has no address", "a/file")
            return []

        monkeypatch.setattr("helpers.data.fetch_dataset", fetch)
        assert call("data", "fetch", "tacred") == (0, "\n", "note: a/file has no address\n")
        assert call("data", "fetch", "tacred")[2].count("note") == 1

    def test_without_a_network_and_without_data(self, call, monkeypatch):
        def refuse(*_, **__):
            raise OSError("there is no network")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        code, out, _ = call("stats", "tacred")
        assert code == 0 and "perplexity                   3.31" in out
        code, out, err = call("train", "--model", "svm", "--dataset", "demo", "--output", "runs")
        assert code == 0 and "beats the majority baseline" in out, err
        code, out, _ = call("summary")
        assert code == 0 and "published numbers agree" in out
        code, _, err = call("train", "--model", "svm", "--dataset", "kbp37")
        assert code == 2 and "kbp37" in err and "is missing" in err

    def test_notebooks_get_parameters_and_whether_to_publish(self, call, monkeypatch):
        got = []
        monkeypatch.setattr(
            "helpers.notebooks.run_notebooks", lambda *words, **more: got.append((*words, more))
        )
        assert call("notebooks")[0] == 0
        assert call("notebooks", "--only", "02", "--only", 3, "-p", "seed", 7)[0] == 0
        assert call("notebooks", "--publish")[0] == 0
        aside, publish = {"publish": False}, {"publish": True}
        assert got == [(None, {}, aside), (["02", "3"], {"seed": "7"}, aside), (None, {}, publish)]

    def test_a_notebook_that_fails_is_exit_code_1(self, call, monkeypatch):
        from helpers.notebooks import NotebookFailed

        def fail(*_, **__):
            raise NotebookFailed("03_x, cell 4: ValueError: no")

        monkeypatch.setattr("helpers.notebooks.run_notebooks", fail)
        assert call("notebooks") == (1, "", "error: 03_x, cell 4: ValueError: no\n")


class TestHelp:
    @pytest.mark.parametrize("command", app.commands)
    def test_every_command_explains_itself(self, call, command):
        code, out, _ = call(command, "--help")
        assert code == 0 and call(command, "-h")[1] == out
        assert f"Usage: python -m helpers {command}" in out
        assert max(map(len, out.splitlines())) <= 110

    @pytest.mark.parametrize("page", ["--help", "your_files.md"])
    def test_every_example_can_be_parsed(self, call, page):
        if page == "--help":
            text = "\n".join(call(command, "--help")[1] for command in app.commands)
            examples = re.findall(r"^  \S.*-m helpers (.*?)(?:   .*)?$", text, re.MULTILINE)
        else:
            text = (ROOT / "docs" / page).read_text("utf-8")
            examples = re.findall(r"`(?:… \\\| )?((?:score|compare|stats|plan)[a-z-]* [^`]*)`", text)
        assert len(examples) >= 15
        for name, *words in map(shlex.split, examples):
            for word in words:
                Path(word).parent.mkdir(parents=True, exist_ok=True)
                Path(word).touch()
            context = app.commands[name].make_context(name, words, app.make_context("helpers", [name]))
            assert context.command.name == name


class TestAddedCommand:
    """A command from outside: its function, and nothing else."""

    @pytest.fixture
    def rows(self):
        @click.command("rows")
        @click.argument("file")
        @click.option("--format", "form")
        def rows(file: str, form: str | None) -> None:
            """How many lines FILE has."""
            put(str(len(Path(file).read_text().splitlines())))

        app.add_command(rows)
        yield rows
        del app.commands["rows"]

    def test_it_is_listed_and_runs_and_refuses_as_all_do(self, rows, call, paper):
        assert "rows" in call("--help")[1] and "How many lines FILE has." in call("rows", "--help")[1]
        assert call("rows", paper) == (0, "11\n", "")
        assert "No such option '--fromat'. Did you mean '--format'?" in call("rows", "--fromat", 1)[2]
        assert call("rows", "no.csv") == (2, "", "error: no.csv: No such file or directory\n")


class TestProcess:
    def loaded(self, *words: object) -> set[str]:
        """The modules of a fresh process that ran a command."""
        code = "import sys; from helpers.__main__ import main; "
        code += f"code = main({list(map(str, words))!r}); print(code, *sys.modules, file=sys.stderr)"
        exit_code, *modules = python("-c", code).stderr.splitlines()[-1].split()
        assert exit_code == "0"
        return set(modules)

    def test_help_loads_click_core_and_names_alone(self):
        for words in (["--help"], ["score", "--help"], ["train", "--help"]):
            modules = self.loaded(*words)
            assert not {"numpy", "pandas", "pyarrow", "scipy", "torch"} & modules
            folders = {name.split(".")[1] for name in modules if name.startswith("helpers.")}
            assert folders == {"__main__", "cli", "core", "models"}  # of models the names, no numpy

    def test_linear_loads_neither_torch_nor_transformers(self):
        write_documents("train.txt", demo_documents()["train"])
        modules = self.loaded("linear", "--train", "train.txt", "--test", "train.txt", "--k", "1")
        assert "helpers.models.linear.documents" in modules
        assert not {"torch", "transformers", "accelerate", "matplotlib"} & modules

    @pytest.mark.skipif(os.name != "posix", reason="needs a POSIX pipe")
    def test_a_reader_that_leaves_is_no_error(self):
        reading, writing = os.pipe()
        os.close(reading)
        run = python(
            "-m", "helpers", "stats", "tacred", stdout=writing, stderr=subprocess.PIPE, capture_output=False
        )
        os.close(writing)
        assert (run.returncode, run.stderr) == (0, "")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            run = python(
                "-m", "helpers", "stats", "tacred", stdout=full, stderr=subprocess.PIPE, capture_output=False
            )
        assert run.returncode == 2
        assert run.stderr.startswith("error: ") and run.stderr.count("\n") == 1

    def test_output_is_utf_8_whatever_the_terminal_speaks(self, folder):
        (folder / "mine.csv").write_text(
            "gold,predicted\nUrsache→Wirkung,größer\ngrößer,größer\n", encoding="utf-8"
        )
        ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
        run = python("-m", "helpers", "score", "mine.csv", "--format", "json", env=ascii_only)
        assert (run.returncode, run.stderr) == (0, "")
        assert json.loads(run.stdout)["labels"] == ["Ursache→Wirkung", "größer"]
        assert '"Ursache→Wirkung": {' in run.stdout
        assert python("-m", "helpers", "score", "--help", env=ascii_only).returncode == 0

    def test_ctrl_c(self, folder):
        (folder / "mine.csv").write_text(
            "gold,predicted\n" + "".join(f"{n % 40},{n % 39}\n" for n in range(999))
        )
        # a shell may have started the tests with the signal ignored
        code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
        code += "import helpers.evaluation.score; from helpers.cli import main; print('begun', flush=True); "
        code += "sys.exit(main(['score', 'mine.csv', '--bootstrap', '1000000']))"
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        env = {**os.environ, "PYTHONPATH": str(ROOT)}
        with subprocess.Popen([sys.executable, "-c", code], env=env, **pipes) as process:
            assert process.stdout.readline() == "begun\n"
            time.sleep(1)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=600)
        assert (process.returncode, out) == (130, "")
        assert err == "error: interrupted; nothing is left half-written\n"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
    def test_a_pipe_is_refused_and_not_waited_for(self, folder):
        os.mkfifo(folder / "mine.csv")
        run = python("-m", "helpers", "score", "mine.csv")
        assert run.returncode == 2 and "mine.csv: this is no plain file" in run.stderr


def test_an_old_word_works_and_says_the_new_one(call, folder):
    (folder / "mine.csv").write_text("gold,predicted\na,a\n")
    for words in (("--out", "r.md"), ("--out=r.md",)):
        code, out, err = call("report", "mine.csv", "--bootstrap", 5, *words)
        assert (code, out, err) == (0, "", "note: --out is called --output now\n")
        assert (folder / "r.md").read_text().startswith("# mine")


def test_no_undefined_number_leaves_as_nan(answer, folder):
    (folder / "mine.tsv").write_text("gold\tpredicted\tq\nr(e1,e2)\tOther\tOther\nOther\tOther\tOther\n")
    report = answer("score", "mine.tsv", "--negative", "Other", "--paired-column", "q", "--bootstrap", 20)
    numbers = list(re.findall(r"NaN|Infinity", json.dumps(report)))
    assert not numbers and report["direction"]["pir"] is None
    assert all(math.isfinite(row["f1"]) for row in report["schemes"].values())
