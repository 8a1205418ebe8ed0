"""What is stored is what it was: the scores of every run, the text of its file, the printed numbers."""

import functools
import json
import operator
import shutil
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.metrics import RULES
from helpers.runs import RUNS_FOLDER, Run, load_run, run_path
from helpers.runs.files import _run_text
from tests.golden import renew
from tests.support import nightly

EM_C = "semeval2010/EM-C/all-MiniLM-L6-v2/seed-9.json"
REUTERS = "reuters90/tree/no-encoder/seed-1337.json"


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {path.relative_to(ROOT).as_posix(): load_run(path) for path in renew.RUN_FILES}


def test_scores_are_what_they_were(runs):
    golden = renew.read_golden("stored_runs.csv")
    assert len(golden) >= 577
    changed = renew.changes(golden, {name: renew.run_scores(run) for name, run in runs.items()})
    assert not changed, "\n".join(["scores of stored runs changed:", *map(str, changed[:20])])


@pytest.mark.parametrize("step", nightly([8, 1], 0, 1))
def test_texts_and_paths_are_those_of_the_contents(runs, step):
    for name, run in [*runs.items()][::step]:
        assert (ROOT / name).read_text("utf-8") == _run_text(run), name
        folder = ROOT.joinpath(*Path(name).parts[: 2 if name.startswith("results/runs") else 3])
        assert run_path(run, folder) == ROOT / name


def test_printed_numbers_are_what_they_were():
    changed = renew.changes(renew.read_golden("published.csv"), renew.published_hashes())
    assert not changed, "\n".join(["files of printed numbers changed:", *map(str, changed)])


def test_one_more_digit_of_a_printed_number_is_noticed(tmp_path):
    shutil.copytree(renew.PUBLISHED, tmp_path / "published")
    table = tmp_path / "published" / "D-table-5.csv"
    table.write_text(table.read_text("utf-8") + "9", "utf-8")
    (tmp_path / "published" / "W-prose.csv").unlink()
    hashes = renew.published_hashes(tmp_path / "published")
    changed = renew.changes(renew.read_golden("published.csv"), hashes)
    names = [(change.path.rpartition("/")[2], change.new is None) for change in changed]
    assert names == [("D-table-5.csv", False), ("W-prose.csv", True)]


@pytest.mark.parametrize(
    ("run", "changes"),
    [
        (EM_C, {("rows", -1, -1): 1}),
        ("tacred/gcn/published/predictions.json", {("rows", -1, -1): 1}),
        (REUTERS, {("sets", 0, -1): -1, ("sets", 1, -1): 1}),
        ("gids/CNN+bag+ATT/no-encoder/seed-9.json", {("hit_ranks", -1): 1}),
    ],
)
def test_a_corrupted_run_is_noticed(run, changes, tmp_path):
    path = RUNS_FOLDER / run
    record = json.loads(path.read_text("utf-8"))
    for (*steps, last), added in changes.items():
        functools.reduce(operator.getitem, steps, record["outcome"])[last] += added
    (tmp_path / "run.json").write_text(json.dumps(record), "utf-8")
    name = path.relative_to(ROOT).as_posix()
    golden = {name: renew.read_golden("stored_runs.csv")[name]}
    assert renew.changes(golden, {name: renew.run_scores(load_run(path))}) == []
    changed = renew.changes(golden, {name: renew.run_scores(load_run(tmp_path / "run.json"))})
    assert changed and all(name in str(change) and " → " in str(change) for change in changed)


def test_golden_values_change_with_the_version_of_the_rules_only():
    known = json.loads(renew.RULES_FILE.read_text("utf-8"))
    assert known.get(RULES) == renew.outside_sha256(), "raise RULES, then: python -m tests.golden.renew"
    assert len(set(known.values())) == len(known)
