"""`python -m helpers`: its help, its errors, what it loads, and how it behaves as a process."""

import json
import logging
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
import pytest

from helpers import ROOT
from helpers.cli import app, put
from helpers.data import demo_documents
from helpers.notebooks import NotebookFailed
from tests.support import write_documents


@pytest.fixture
def mine(folder) -> Path:
    (folder / "mine.csv").write_text("gold,predicted\nUrsache→Wirkung,größer\ngrößer,größer\n", "utf-8")
    return folder / "mine.csv"


def python(*words: str, **options) -> subprocess.CompletedProcess:
    """`python -m helpers` as a process; standard output is buffered, as users have it."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    env.pop("PYTHONUNBUFFERED", None)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8", "timeout": 600}
    return subprocess.run([sys.executable, *words], env=env, **(pipes | options))


class TestDataAndNotebooks:
    def test_status_names_every_file(self, call, monkeypatch):
        monkeypatch.setattr("helpers.data.files.ROOT", Path.cwd())
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        out = call("data")[1]
        assert call("data", "status") == (0, out, "")
        assert re.search(r"^missing +semeval2010/TRAIN_FILE\.TXT +CC BY 3\.0$", out, re.MULTILINE)

    def test_what_the_package_logs_is_a_note(self, call, monkeypatch):
        def fetch(_):
            logging.getLogger("helpers.data.files").warning("%s has no address", "a/file")
            return []

        monkeypatch.setattr("helpers.data.fetch_dataset", fetch)
        for _ in range(2):
            assert call("data", "fetch", "tacred") == (0, "\n", "note: a/file has no address\n")

    def test_without_a_network_and_without_data(self, call, monkeypatch):
        def refuse(*_, **__):
            raise OSError("there is no network")

        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.delenv("RC_DATA_DIR", raising=False)
        code, out, _ = call("stats", "tacred")
        assert code == 0 and "perplexity                   3.31" in out
        code, out, err = call("train", "--model", "svm", "--dataset", "demo", "--output", "runs")
        assert code == 0 and "beats the majority baseline" in out, err
        assert "published numbers agree" in call("summary")[1]
        code, _, err = call("train", "--model", "svm", "--dataset", "kbp37")
        assert code == 2 and "kbp37" in err and "is missing" in err

    def test_notebooks_get_parameters_and_whether_to_publish(self, call, monkeypatch):
        got = []
        monkeypatch.setattr(
            "helpers.notebooks.run_notebooks", lambda *given, **more: got.append((*given, more))
        )
        for words in ("", "--only 02 --only 3 -p seed 7", "--publish"):
            assert call("notebooks", *words.split())[0] == 0
        aside, publish = {"publish": False}, {"publish": True}
        assert got == [(None, {}, aside), (["02", "3"], {"seed": "7"}, aside), (None, {}, publish)]

    def test_a_notebook_that_fails_is_exit_code_1(self, call, monkeypatch):
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
            app.commands[name].make_context(name, words, app.make_context("helpers", [name]))


def test_a_command_from_outside_is_listed_and_runs_and_refuses_as_all_do(call, mine, monkeypatch):
    @click.command("rows")
    @click.argument("file")
    @click.option("--format", "form")
    def rows(file: str, form: str | None) -> None:
        """How many lines FILE has."""
        put(str(len(Path(file).read_text("utf-8").splitlines())))

    monkeypatch.setitem(app.commands, "rows", rows)
    assert "rows" in call("--help")[1] and "How many lines FILE has." in call("rows", "--help")[1]
    assert call("rows", mine) == call("rows", "--", mine.rename("-x.csv").name) == (0, "3\n", "")
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

    def test_help_loads_click_and_core_alone(self):
        for words in (["--help"], ["score", "--help"], ["train", "--help"]):
            modules = self.loaded(*words)
            assert not {"numpy", "pandas", "pyarrow", "pydantic", "scipy", "torch"} & modules
            folders = {name.split(".")[1] for name in modules if name.startswith("helpers.")}
            assert folders == {"__main__", "cli", "core"}

    @pytest.mark.nightly(third=0)
    def test_linear_loads_neither_torch_nor_transformers(self, folder):
        write_documents("train.txt", demo_documents()["train"])
        modules = self.loaded("linear", "--train", "train.txt", "--test", "train.txt", "--k", "1")
        assert "helpers.models.linear.documents" in modules
        assert not {"torch", "transformers", "accelerate", "matplotlib"} & modules

    @pytest.mark.skipif(os.name != "posix", reason="needs a POSIX pipe")
    def test_a_reader_that_leaves_is_no_error(self):
        reading, writing = os.pipe()
        os.close(reading)
        run = python("-m", "helpers", "stats", "tacred", stdout=writing)
        os.close(writing)
        assert (run.returncode, run.stderr) == (0, "")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_disk_is_an_error(self):
        with open("/dev/full", "w") as full:
            run = python("-m", "helpers", "stats", "tacred", stdout=full)
        assert run.returncode == 2
        assert run.stderr.startswith("error: ") and run.stderr.count("\n") == 1

    def test_output_is_utf_8_whatever_the_terminal_speaks(self, mine):
        ascii_only = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
        run = python("-m", "helpers", "score", "mine.csv", "--format", "json", env=ascii_only)
        assert (run.returncode, run.stderr) == (0, "") and '"Ursache→Wirkung": {' in run.stdout
        assert json.loads(run.stdout)["labels"] == ["Ursache→Wirkung", "größer"]

    def test_ctrl_c(self, folder):
        rows = "".join(f"{n % 40},{n % 39}\n" for n in range(999))
        (folder / "mine.csv").write_text(f"gold,predicted\n{rows}")
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


def test_an_old_word_works_and_says_the_new_one(call, mine):
    for words in (("--out", "r.md"), ("--out=r.md",)):
        answer = call("report", "mine.csv", "--bootstrap", 5, *words)
        assert answer == (0, "", "note: --out is called --output now\n")
        assert Path("r.md").read_text("utf-8").startswith("# mine")
