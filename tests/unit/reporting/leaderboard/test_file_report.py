"""The report of one file: its numbers are the metrics', names are text, it stands among the stored."""

import csv
import io
import json

import pytest

from helpers.metrics import averages
from helpers.reporting.leaderboard import file_report
from helpers.runs import list_runs
from tests.support import HOSTILE_NAMES

ROWS = [("a", "a"), ("a", "b"), ("b", "b"), ("NA", "a"), ("NA", "NA"), (HOSTILE_NAMES[0], "NA")] * 3


@pytest.fixture
def path(tmp_path):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("gold", "predicted"), *ROWS])
    (tmp_path / "mine.csv").write_text(text.getvalue())
    return tmp_path / "mine.csv"


def test_numbers_are_those_of_the_metrics(path) -> None:
    report = file_report(path, negative="NA", replicates=50)
    expected = averages(report.counts(), negative="NA")
    assert [row[1] for row in report.scheme_rows()[1:]] == [f"{100 * value:.2f}" for value in expected]
    assert [row[0] for row in report.class_rows()[1:3]] == ["NA (not averaged)", "a"]
    assert f"{100 * expected[-1]:.2f} (macro)" in report.how_to_report()
    assert "bootstrap:percentile,50,seed1,95" in report.to_markdown()


def test_a_stored_file_stands_where_it_stood(tmp_path) -> None:
    (run,) = (one for one in list_runs("tacred") if one.model == "gcn")
    counts = run.outcome().table()
    pairs = [
        (gold, predicted)
        for row, gold in enumerate(run.labels)
        for column, predicted in enumerate(run.labels)
        for _ in range(int(counts[row, column]))
    ]
    text = "\n".join(["gold,predicted", *(f"{gold},{predicted}" for gold, predicted in pairs)])
    (tmp_path / "gcn.csv").write_text(text)
    report = file_report(tmp_path / "gcn.csv", "tacred", replicates=0)
    tables = [one.outcome() for one in list_runs("tacred") if not one.second]
    ahead = sum(
        averages(one, ["macro"], negative="no_relation")[0]
        > averages(run.outcome(), ["macro"], negative="no_relation")[0]
        for one in tables
    )
    assert report.ranks()["macro"] == ahead + 1 and len(report.others) == 52


def test_the_page_has_no_serious_fault_and_loads_nothing(path, opened, tmp_path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    (tmp_path / "r.html").write_text(file_report(path, negative="NA", replicates=20).to_html(), "utf-8")
    page, faults = opened(tmp_path / "r.html")
    serious = [
        one["id"]
        for one in axe.Axe().run(page).response["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert serious == [] and faults == []
    page.close()


def test_the_command(path, call, tmp_path) -> None:
    code, out, _ = call("report", path, "--negative", "NA", "--bootstrap", 10, "--format", "json")
    assert code == 0 and json.loads(out)["ranks"] == {} and json.loads(out)["n"] == len(ROWS)
    code, out, _ = call("report", path, "--format", "html", "--output", tmp_path / "x.html")
    assert code == 0 and (tmp_path / "x.html").read_text("utf-8").startswith("<!doctype html>")
    code, out, err = call("report", path, "--dataset", "tacred")
    assert (code, out) == (2, "") and "mine.csv" in err
