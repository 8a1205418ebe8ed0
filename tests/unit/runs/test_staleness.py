"""When a result is stale: one rule, by content, for run files and for what notebooks make."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.core import exclusive
from helpers.data import data_name, registered_files
from helpers.data import files as registry
from helpers.runs import made_states, project_names, read_index, run_state, write_made
from helpers.runs import staleness as rule
from helpers.runs.schema import SCHEMA_VERSION
from tests.support import write_file

DATA = "semeval2010/TRAIN_FILE.TXT"
RUN = "results/runs/d/m/e/seed-9.json"
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["a = 1"]}], "metadata": {}}'
MADE = ("figures/01_a", "results/tables/a.csv")


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project with one run and one table, whose files the rule sees in place of ours."""
    contents = {RUN: "{}", MADE[1]: "a,b\n", "figures/01_a.csv": "x\n1\n", "figures/01_a.png": "P"}
    for name, text in (contents | {"notebooks/01_a.ipynb": NOTEBOOK}).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(tmp_path, name, text)
    monkeypatch.setattr(rule, "ROOT", tmp_path)
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    return tmp_path


def stored(project: Path, **changed) -> Path:
    record = {"files": {DATA: registered_files()[DATA].sha256}, "hyperparameters": {"epochs": 5}}
    record |= {"options": {"filters": 230}, "versions": {"model cnn": 2}, "schema_version": SCHEMA_VERSION}
    return write_file(project, RUN, json.dumps(record | changed))


@pytest.mark.parametrize(
    ("change", "expected", "why"),
    [
        ({}, {"hyperparameters": {"epochs": 5.0}, "options": {"filters": 230}}, ""),
        ({"files": {DATA: "0" * 64}}, {}, f"input {DATA} changed"),
        ({"files": {"semeval2010/none.txt": "0" * 64}}, {}, "input semeval2010/none.txt is gone"),
        ({}, {"hyperparameters": {"epochs": 4}}, "configuration: epochs was 5, is now 4"),
        ({}, {"options": {"filters": 8}}, "configuration: filters was 230, is now 8"),
        ({"versions": {"model cnn": 1}}, {}, "version of model cnn was 1, is now 2"),
        ({"files": 3}, {}, "this is no run file"),
        ({"schema_version": 2}, {}, "this is no run file of version 3"),
        ({"files": {}, "versions": {}}, {}, "it names no inputs"),
    ],
)
def test_a_change_of_a_run_is_named(project, change, expected, why):
    state = {"": "current", "it names no inputs": "unknown"}.get(why, "stale")
    result = run_state(stored(project, **change), expected, {"model cnn": 2, "model pcnn": 7})
    assert result == ("run", RUN, state, why)


def test_own_files_are_known_by_their_places(project, monkeypatch):
    """Two data.csv in two folders are two files, and neither is gone."""
    monkeypatch.setenv("RC_DATA_DIR", str(project / "data"))
    hashes = {}
    for name in ("mine/data.csv", "data/other/data.csv", "../elsewhere/data.csv"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        hashes[data_name(write_file(project, name, name))] = hashlib.sha256(name.encode()).hexdigest()
    assert list(hashes) == ["./mine/data.csv", "other/data.csv", "../elsewhere/data.csv"]
    path = stored(project, files=hashes)
    assert run_state(path).state == "current"
    (project / "mine/data.csv").write_text("changed")
    (project / "data/other/data.csv").unlink()
    assert run_state(path).why == "input ./mine/data.csv changed; input other/data.csv is gone"


class TestIndex:
    @pytest.fixture
    def index(self, project) -> Path:
        path = project / "results" / "provenance.json"
        write_made("notebooks/01_a.ipynb", MADE, ["results/runs/d", "notebooks/01_a.ipynb"], path=path)
        assert re.match(
            r'{\n "notebooks/01_a.ipynb": {\n  "made": {\n   "figures/01_a": "\w{16}",', path.read_text()
        )
        return path

    def states(self, index: Path) -> dict[str, tuple[str, str]]:
        return {result.path: (result.state, result.why) for result in made_states(read_index(index))}

    @pytest.mark.parametrize(
        ("file", "why"),
        [("results/runs/d/m/e/seed-148.json", "results/runs/d changed")]
        + [("notebooks/01_a.ipynb", "notebooks/01_a.ipynb changed")],
    )
    def test_a_changed_input_makes_everything_stale(self, project, index, file, why):
        assert self.states(index) == dict.fromkeys(MADE, ("current", ""))
        (project / file).write_text(NOTEBOOK.replace("a = 1", "a = 2"))
        assert self.states(index) == dict.fromkeys(MADE, ("stale", why))

    def test_new_rules_make_everything_stale(self, index, monkeypatch):
        why = f"the rules were version {rule.RULES_VERSION}, are now 99"
        monkeypatch.setattr(rule, "RULES_VERSION", 99)
        assert self.states(index) == dict.fromkeys(MADE, ("stale", why))

    def test_a_changed_result_is_stale_alone(self, project, index):
        (project / "figures/01_a.png").write_text("another")
        figure = ("stale", "figures/01_a itself changed")
        assert self.states(index) == dict(zip(MADE, (figure, ("current", "")), strict=True))
        for path in project.glob("figures/01_a.*"):
            path.unlink()
        assert self.states(index)["figures/01_a"][0] == "missing"

    def test_a_broken_index_is_named(self, tmp_path):
        path = write_file(tmp_path, "i.json", '{"notebooks/a": {"made": 3}}')
        with pytest.raises(ValueError, match="i.json: notebooks/a.made is 3; "):
            read_index(path)


def test_a_process_notes_what_it_opens_and_renames(project):
    """In a process of its own, as an audit hook cannot be taken back."""
    read = ["results/runs/d/x.csv", "results/runs/x.csv", "examples/a/b/c.csv", f"data/{DATA}", "data/x.csv"]
    code = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from helpers.core import note_opened
note_opened("log")
open({RUN!r}).read()
open("results/tables/.draft", "w").close()
os.replace("results/tables/.draft", "results/tables/b.csv")
open("results/tables/b.csv").read()
open("figures/01_a.png", "w").close()
open("../outside", "w").close()
os.close(os.open(".", os.O_RDONLY))
for name in {read!r}:
    open(name).read()
"""
    for name in read:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(project, name, "")
    subprocess.run([sys.executable, "-c", code], cwd=project, check=True)
    made, inputs = project_names(project / "log")
    assert made == {"results/tables/b.csv", "figures/01_a"}
    assert inputs == {"results/runs/d", *read[1:]}


def test_one_process_at_a_time(tmp_path):
    code = "from sys import argv, stdin\nfrom helpers.core import exclusive\nwith exclusive(argv[1]):\n"
    code += " print(1, flush=True)\n stdin.read()"
    pipes = {"cwd": ROOT, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code, tmp_path / "x"], **pipes) as first:
        assert first.stdout.readline()
        with subprocess.Popen(first.args, **pipes) as second:
            with pytest.raises(subprocess.TimeoutExpired):
                second.wait(0.5)
            first.kill()
            assert second.stdout.readline()
            second.kill()
    with exclusive(tmp_path / "x"):
        pass
