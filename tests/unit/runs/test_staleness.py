"""When a result is stale: one rule, by content, for run files and for what notebooks make."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.core import exclusive, note_opened, read_opened
from helpers.data import registered_file
from helpers.runs import INDEX, made_states, project_names, read_index, run_state, write_made
from helpers.runs import staleness as rule
from helpers.runs.provenance import source_sha256

DATA = "semeval2010/TRAIN_FILE.TXT"


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """A project with one module, one run and one table, whose files the rule sees in place of ours."""
    for name, text in {
        "helpers/models/a.py": "X = 1  # one\n",
        "results/runs/d/m/e/seed-9.json": "{}",
        "results/tables/a.csv": "a,b\n",
        "figures/01_a.csv": "x\n1\n",
        "figures/01_a.png": "P",
        "notebooks/01_a.ipynb": "{}",
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
    found |= {"code": {"helpers/models/a.py": source_sha256(b"X = 1")}}
    path = project / "results" / "runs" / "d" / "m" / "e" / "seed-9.json"
    path.write_text(json.dumps(found | changed))
    return path


class TestRun:
    def test_what_has_not_changed_is_current(self, project):
        assert run_state(stored(project), {"epochs": 5.0}) == (
            "run",
            "results/runs/d/m/e/seed-9.json",
            "current",
            "",
        )

    def test_remarks_and_times_of_files_change_nothing(self, project):
        path = stored(project)
        (project / "helpers/models/a.py").write_text('"""About it."""\n\nX = 1\n# another remark\n')
        os.utime(project / "helpers/models/a.py", (2e9, 2e9))
        assert run_state(path).state == "current"

    @pytest.mark.parametrize(
        ("change", "expected", "why"),
        [
            ({"files": {DATA: "0" * 64}}, None, f"data/{DATA} changed"),
            ({"files": {"semeval2010/none.txt": "0" * 64}}, None, "data/semeval2010/none.txt is gone"),
            ({}, {"epochs": 4}, "epochs was 5, is now 4"),
            ({"code": {"helpers/models/gone.py": "0" * 64}}, None, "helpers/models/gone.py is gone"),
            ({"files": 3}, None, "this is no run file"),
        ],
    )
    def test_a_change_is_named(self, project, change, expected, why):
        result = run_state(stored(project, **change), expected)
        assert (result.state, result.why) == ("stale", why)

    def test_changed_code_is_named(self, project):
        path = stored(project)
        (project / "helpers/models/a.py").write_text("X = 2")
        assert run_state(path)[2:] == ("stale", "helpers/models/a.py changed")

    def test_without_hashes_it_is_unknown_not_stale(self, project):
        assert run_state(stored(project, code={})).state == "unknown"

    def test_none_is_missing(self, project):
        assert run_state(project / "none.json").state == "missing"


class TestIndex:
    MADE = ("figures/01_a", "results/tables/a.csv")

    @pytest.fixture
    def index(self, project) -> Path:
        path = project / "results" / "provenance.json"
        write_made(
            "notebooks/01_a.ipynb",
            self.MADE,
            ["results/runs/d", "notebooks/01_a.ipynb"],
            ["helpers/models/a.py"],
            path=path,
        )
        return path

    def states(self, index: Path) -> dict[str, tuple[str, str]]:
        return {one.path: (one.state, one.why) for one in made_states(read_index(index))}

    def test_all_is_current_at_first(self, index):
        assert self.states(index) == dict.fromkeys(self.MADE, ("current", ""))

    @pytest.mark.parametrize(
        ("file", "why"),
        [
            ("results/runs/d/m/e/seed-148.json", "results/runs/d changed"),
            ("helpers/models/a.py", "helpers/models/a.py changed"),
            ("notebooks/01_a.ipynb", "notebooks/01_a.ipynb changed"),
        ],
    )
    def test_a_changed_input_makes_everything_stale(self, project, index, file, why):
        (project / file).write_text("NEW = 1")
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

    def test_the_content_of_pages_is_not_compared(self, project, index):
        (project / "README.md").write_text("by hand")
        write_made("pages", ["README.md"], ["results/tables/a.csv"], [], compared=False, path=index)
        (project / "README.md").write_text("by hand, again")
        assert self.states(index)["README.md"] == ("current", "")
        assert [*read_index(index)] == ["notebooks/01_a.ipynb", "pages"]

    def test_the_committed_index_is_read(self):
        assert all(
            name.startswith("notebooks/") or name == "helpers.papers.readme" for name in read_index(INDEX)
        )

    def test_a_broken_index_is_named(self, tmp_path):
        (tmp_path / "i.json").write_text('{"notebooks/a": {"made": 3}}')
        with pytest.raises(ValueError, match="i.json: 'notebooks/a.made': "):
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
open("helpers/models/a.py").close()
"""
    subprocess.run([sys.executable, "-c", code], cwd=project, check=True)
    made, read, ran = project_names(project / "log")
    assert made == {"results/tables/b.csv", "figures/01_a", "results/tables/draft"}
    assert (read, ran) == ({"results/runs/d"}, {"helpers/models/a.py"})
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
