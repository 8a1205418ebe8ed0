"""What is stored is what it was: the scores of every run, the text of its file, the printed numbers."""

import json
import shutil
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.metrics import RULES, ClassCounts
from helpers.runs import RUNS_FOLDER, Run, load_run, run_path
from helpers.runs.files import run_text
from tests.golden.renew import (
    PUBLISHED,
    RULES_FILE,
    RUN_FILES,
    changes,
    outside_sha256,
    published_hashes,
    read_golden,
    run_scores,
)

EM_C = RUNS_FOLDER / "semeval2010" / "EM-C" / "all-MiniLM-L6-v2" / "seed-9.json"


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    return {path.relative_to(ROOT).as_posix(): load_run(path) for path in RUN_FILES}


def listed(found: list) -> str:
    return "\n".join(map(str, found))


def test_scores_are_what_they_were(runs):
    golden = read_golden("stored_runs.csv")
    assert len(golden) >= 577
    changed = changes(golden, {name: run_scores(run) for name, run in runs.items()})
    assert not changed, f"{len(changed)} scores of stored runs changed:\n{listed(changed[:20])}"


def test_texts_and_paths_are_those_of_the_contents(runs):
    for name, run in runs.items():
        assert (ROOT / name).read_text("utf-8") == run_text(run), name
        folder = ROOT.joinpath(*Path(name).parts[: 2 if name.startswith("results/runs") else 3])
        assert run_path(run, folder) == ROOT / name


def test_printed_numbers_are_what_they_were():
    changed = changes(read_golden("published.csv"), published_hashes())
    assert not changed, f"{len(changed)} files of printed numbers changed:\n{listed(changed)}"


def test_one_changed_digit_of_a_printed_number_is_noticed(tmp_path):
    shutil.copytree(PUBLISHED, tmp_path / "published")
    table = tmp_path / "published" / "D-table-5.csv"
    text = table.read_text("utf-8")
    table.write_text(text[:-5] + ("8" if text[-5] == "9" else "9") + text[-4:], "utf-8")
    (tmp_path / "published" / "W-prose.csv").unlink()
    changed = changes(read_golden("published.csv"), published_hashes(tmp_path / "published"))
    assert [(one.path.rpartition("/")[2], one.new is None) for one in changed] == [
        ("D-table-5.csv", False),
        ("W-prose.csv", True),
    ]


def one_more(outcome: dict) -> None:
    outcome["rows"][-1][-1] += 1


def one_moved(outcome: dict) -> None:
    outcome["sets"][0][-1] -= 1
    outcome["sets"][1][-1] += 1


def one_hit_later(outcome: dict) -> None:
    outcome["hit_ranks"][-1] += 1


@pytest.mark.parametrize(
    ("path", "corrupt"),
    [
        (EM_C, one_more),
        (RUNS_FOLDER / "tacred" / "gcn" / "published" / "predictions.json", one_more),
        (RUNS_FOLDER / "reuters90" / "tree" / "no-encoder" / "seed-1337.json", one_moved),
        (RUNS_FOLDER / "gids" / "CNN+bag+ATT" / "no-encoder" / "seed-9.json", one_hit_later),
    ],
)
def test_a_corrupted_run_is_noticed(path, corrupt, tmp_path):
    record = json.loads(path.read_text("utf-8"))
    corrupt(record["outcome"])
    corrupted = tmp_path / "run.json"
    corrupted.write_text(json.dumps(record), "utf-8")
    name = path.relative_to(ROOT).as_posix()
    golden = {name: read_golden("stored_runs.csv")[name]}
    assert changes(golden, {name: run_scores(load_run(path))}) == []
    changed = changes(golden, {name: run_scores(load_run(corrupted))})
    assert changed and all(name in str(one) and " → " in str(one) for one in changed)


def test_golden_values_change_with_the_version_of_the_rules_only():
    known = json.loads(RULES_FILE.read_text("utf-8"))
    assert known.get(RULES) == outside_sha256(), "raise RULES, then: python -m tests.golden.renew"
    assert len(set(known.values())) == len(known)


def test_label_counts_are_whole():
    run = load_run(RUNS_FOLDER / "reuters90" / "tree" / "no-encoder" / "seed-1337.json")
    assert isinstance(run.outcome().counts, ClassCounts) and run.outcome().counts.correct.dtype.kind == "i"
