"""The report of one file: its numbers are the metrics', names are text, it stands among the stored."""

import json

import pytest

from helpers.metrics import Outcome, averages
from helpers.reporting.leaderboard import file_report
from helpers.runs import list_runs
from tests.support import HOSTILE_NAMES, write_rows

ROWS = [("a", "a"), ("a", "b"), ("b", "b"), ("NA", "a"), ("NA", "NA"), (HOSTILE_NAMES[0], "NA")] * 3


@pytest.fixture
def path(tmp_path):
    return write_rows(tmp_path / "mine.csv", ROWS, ("gold", "predicted"))


def test_numbers_are_those_of_the_metrics(path) -> None:
    report = file_report(path, negative="NA", replicates=50)
    expected = [
        f"{100 * value:.2f}"
        for value in averages(Outcome.from_columns(*zip(*ROWS, strict=True)), negative="NA")
    ]
    assert [row[1] for row in report.schemes().cells()[1:]] == expected
    assert [row[0] for row in report.classes().cells()[1:3]] == ["NA (not averaged)", "a"]
    assert f"{expected[-1]} (macro)" in report.how_to_report()
    assert "bootstrap:percentile,50,seed1,95" in report.to_markdown()


def test_a_stored_file_stands_where_it_stood(tmp_path) -> None:
    stored = {run.model: run for run in list_runs("tacred") if not run.second}
    run = stored["gcn"]
    rows = run.outcome().of("predicted").to_rows()
    lines = [f"{run.labels[gold]},{run.labels[predicted]}\n" * count for gold, predicted, count in rows]
    (tmp_path / "gcn.csv").write_text("gold,predicted\n" + "".join(lines))
    report = file_report(tmp_path / "gcn.csv", "tacred", replicates=0)
    scored = {"schemes": ["macro"], "negative": "no_relation"}
    macro = {name: averages(other.outcome(), **scored)[0] for name, other in stored.items()}
    assert report.ranks()["macro"] == sum(value > macro["gcn"] for value in macro.values()) + 1
    assert report.to_dict()["others"] == 52


def test_the_command(path, call, tmp_path) -> None:
    code, out, _ = call("report", path, "--negative", "NA", "--bootstrap", 10, "--format", "json")
    assert code == 0 and json.loads(out)["ranks"] == {} and json.loads(out)["n"] == len(ROWS)
    code, out, _ = call("report", path, "--output", tmp_path / "x.md")
    assert code == 0 and (tmp_path / "x.md").read_text("utf-8").startswith("# mine")
    code, out, err = call("report", path, "--dataset", "tacred")
    assert (code, out) == (2, "") and "mine.csv" in err
