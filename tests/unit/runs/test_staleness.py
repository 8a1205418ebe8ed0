"""When a result is stale: one rule, by content, for run files and for what notebooks make."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.core import exclusive, note_opened, read_opened
from helpers.data import data_name, registered_file
from helpers.data import files as registry
from helpers.runs import made_states, project_names, read_index, run_state, write_made
from helpers.runs import staleness as rule
from helpers.runs.schema import SCHEMA_VERSION

DATA = "semeval2010/TRAIN_FILE.TXT"
NOTEBOOK = '{"cells": [{"cell_type": "code", "source": ["a = 1"]}], "metadata": {}}'


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A project with one run and one table, whose files the rule sees in place of ours."""
    for name, text in {
        "results/runs/d/m/e/seed-9.json": "{}",
        "results/tables/a.csv": "a,b\n",
        "figures/01_a.csv": "x\n1\n",
        "figures/01_a.png": "P",
        "notebooks/01_a.ipynb": NOTEBOOK,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(rule, "ROOT", tmp_path)
    for function in (rule.digest, rule.changes, rule.project_names):
        defaults = tuple(tmp_path if one == ROOT else one for one in function.__defaults__)
        monkeypatch.setattr(function, "__defaults__", defaults)
    return tmp_path


def stored(project: Path, **changed) -> Path:
    found = {"files": {DATA: registered_file(DATA).sha256}, "hyperparameters": {"epochs": 5}}
    found |= {"options": {"filters": 230}, "versions": {"model cnn": 2}, "schema_version": SCHEMA_VERSION}
    path = project / "results" / "runs" / "d" / "m" / "e" / "seed-9.json"
    path.write_text(json.dumps(found | changed))
    return path


class TestRun:
    def test_what_has_not_changed_is_current(self, project):
        now = {"hyperparameters": {"epochs": 5.0}, "options": {"filters": 230}}
        name = "results/runs/d/m/e/seed-9.json"
        found = run_state(stored(project), now, {"model cnn": 2, "model pcnn": 7})
        assert found == ("run", name, "current", "")

    @pytest.mark.parametrize(
        ("change", "expected", "why"),
        [
            ({"files": {DATA: "0" * 64}}, {}, f"input {DATA} changed"),
            ({"files": {"semeval2010/none.txt": "0" * 64}}, {}, "input semeval2010/none.txt is gone"),
            ({}, {"hyperparameters": {"epochs": 4}}, "configuration: epochs was 5, is now 4"),
            ({}, {"options": {"filters": 8}}, "configuration: filters was 230, is now 8"),
            ({"versions": {"model cnn": 1}}, {}, "version of model cnn was 1, is now 2"),
            ({"files": 3}, {}, "this is no run file"),
            ({"schema_version": 2}, {}, "this is no run file of version 3"),
        ],
    )
    def test_a_change_is_named(self, project, change, expected, why):
        result = run_state(stored(project, **change), expected, {"model cnn": 2})
        assert (result.state, result.why) == ("stale", why)

    def test_own_files_are_known_by_their_places(self, project, tmp_path, monkeypatch):
        """Two data.csv in two folders are two files, and neither is gone."""
        monkeypatch.setattr(registry, "ROOT", project)
        monkeypatch.setenv("RC_DATA_DIR", str(project / "data"))
        files = {}
        for place in ("mine/data.csv", "data/other/data.csv", "../elsewhere/data.csv"):
            path = project / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(place)
            files[data_name(path)] = hashlib.sha256(place.encode()).hexdigest()
        assert list(files) == ["./mine/data.csv", "other/data.csv", "../elsewhere/data.csv"]
        path = stored(project, files=files)
        assert run_state(path).state == "current"
        (project / "mine/data.csv").write_text("changed")
        (project / "data/other/data.csv").unlink()
        assert run_state(path).why == "input ./mine/data.csv changed; input other/data.csv is gone"


class TestIndex:
    MADE = ("figures/01_a", "results/tables/a.csv")

    @pytest.fixture
    def index(self, project) -> Path:
        path = project / "results" / "provenance.json"
        write_made(
            "notebooks/01_a.ipynb",
            self.MADE,
            ["results/runs/d", "notebooks/01_a.ipynb"],
            path=path,
        )
        return path

    def states(self, index: Path) -> dict[str, tuple[str, str]]:
        return {one.path: (one.state, one.why) for one in made_states(read_index(index))}

    @pytest.mark.parametrize(
        ("file", "why"),
        [
            ("results/runs/d/m/e/seed-148.json", "results/runs/d changed"),
            ("notebooks/01_a.ipynb", "notebooks/01_a.ipynb changed"),
        ],
    )
    def test_a_changed_input_makes_everything_stale(self, project, index, file, why):
        (project / file).write_text(NOTEBOOK.replace("a = 1", "a = 2"))
        assert self.states(index) == dict.fromkeys(self.MADE, ("stale", why))

    def test_new_rules_make_everything_stale(self, index, monkeypatch):
        monkeypatch.setattr(rule, "RULES_VERSION", 99)
        before = read_index(index)["notebooks/01_a.ipynb"].rules
        why = f"the rules were version {before}, are now 99"
        assert self.states(index) == dict.fromkeys(self.MADE, ("stale", why))

    def test_a_changed_result_is_stale_alone(self, project, index):
        (project / "figures/01_a.png").write_text("another")
        assert self.states(index) == {
            "figures/01_a": ("stale", "figures/01_a itself changed"),
            "results/tables/a.csv": ("current", ""),
        }
        for path in project.glob("figures/01_a.*"):
            path.unlink()
        assert self.states(index)["figures/01_a"][0] == "missing"

    def test_a_broken_index_is_named(self, tmp_path):
        (tmp_path / "i.json").write_text('{"notebooks/a": {"made": 3}}')
        with pytest.raises(ValueError, match="i.json: notebooks/a.made is 3; "):
            read_index(tmp_path / "i.json")


def test_a_process_notes_what_it_opens_and_renames(project):
    """In a process of its own, as an audit hook cannot be taken back."""
    code = f"""
import os, sys
sys.path.insert(0, {str(ROOT)!r})
from helpers.core import note_opened
note_opened("log")
open("results/runs/d/m/e/seed-9.json").read()
open("results/tables/draft", "w").close()
os.replace("results/tables/draft", "results/tables/b.csv")
open("results/tables/b.csv").read()
open("figures/01_a.png", "w").close()
"""
    subprocess.run([sys.executable, "-c", code], cwd=project, check=True)
    made, read = project_names(project / "log")
    assert made == {"results/tables/b.csv", "figures/01_a", "results/tables/draft"}
    assert read == {"results/runs/d"}
    assert callable(note_opened) and len(read_opened(project / "log")[1]) == 3


def test_one_process_at_a_time(tmp_path):
    code = f"""
import sys, time
sys.path.insert(0, {str(ROOT)!r})
from helpers.core import exclusive
with exclusive({str(tmp_path / "x")!r}):
    print("in", flush=True); time.sleep(60)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "in\n"
        waiting = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        try:
            with pytest.raises(subprocess.TimeoutExpired):
                waiting.wait(0.5)
            process.kill()
            assert waiting.stdout.readline() == "in\n"
        finally:
            waiting.kill()
            waiting.communicate()
    finally:
        process.kill()
        process.communicate()
    with exclusive(tmp_path / "x"):
        pass
