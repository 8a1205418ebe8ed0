"""Every stored run: its scores are those that it had when it was stored, its text is that of its contents."""

import csv
from collections import defaultdict
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.metrics import SCHEMES, LabelCounts, averages, label_averages
from helpers.reporting import original_table, paired_scores
from helpers.runs import RUNS_FOLDER, STUDIES_FOLDER, Run, load_run, run_path
from helpers.runs.files import run_text

PATHS = sorted((*RUNS_FOLDER.rglob("*.json"), *(STUDIES_FOLDER).glob("*/*/*/*/*.json")))
NAMES = [path.relative_to(ROOT).as_posix() for path in PATHS]


def golden() -> dict[str, dict[str, float]]:
    """Path → measure → value, written by the program that stored the runs, before their form was changed."""
    found = defaultdict(dict)
    with open(Path(__file__).parents[2] / "golden" / "stored_runs.csv", newline="") as file:
        for row in csv.DictReader(file):
            found[row["path"]][row["measure"]] = float(row["value"])
    return found


GOLDEN = golden()


def f1(scores, ending: str = "") -> dict[str, float]:
    return {f"f1 {scheme}{ending}": value for scheme, value in zip(SCHEMES, scores.tolist(), strict=True)}


def measures(run: Run) -> dict[str, float]:
    """Every kind's measures of the golden file."""
    outcome = run.outcome()
    if run.kind == "label_sets":
        if run.second:
            sides = zip(("first", "second"), outcome.counts(), strict=True)
            pairs = [f1(label_averages(counts, SCHEMES), f" of {side}") for side, counts in sides]
            return {"n": run.n} | pairs[0] | pairs[1]
        schemes = zip(SCHEMES, label_averages(outcome.counts, SCHEMES).tolist(), strict=True)
        return (
            {"n": run.n, "train_support": sum(run.table.train_support)}
            | outcome.scores((1, 5))
            | dict(schemes)
        )
    found = {"n": run.n} | f1(averages(original_table(run), SCHEMES, negative=run.negative))
    if run.second:
        return found | f1(averages(outcome.paired(), SCHEMES, negative=run.negative), " of second")
    return found | (paired_scores(run) if run.kind == "paired" else {})


@pytest.mark.parametrize("path", PATHS, ids=NAMES)
def test_scores_are_what_they_were(path):
    run = load_run(path)
    name = path.relative_to(ROOT).as_posix()
    if name in GOLDEN:  # a run that was stored later has tests of its own
        assert measures(run) == pytest.approx(GOLDEN[name], rel=1e-12, abs=1e-12, nan_ok=True)
    assert path.read_text("utf-8") == run_text(run)
    folder = ROOT.joinpath(*Path(name).parts[: 2 if name.startswith("results/runs") else 3])
    assert run_path(run, folder) == path


def test_no_stored_run_is_lost():
    assert GOLDEN.keys() - set(NAMES) == set()
    assert len(GOLDEN) == 179


def test_one_sample_more_is_noticed():
    run = load_run(RUNS_FOLDER / "tacred" / "gcn" / "published" / "predictions.json")
    counts = run.outcome().counts.copy()
    counts[0, 1] += 1
    moved = type(run.outcome())(counts, run.labels)
    found = measures(Run.from_outcome(moved, dataset="d", model="m", negative=run.negative))
    expected = GOLDEN["results/runs/tacred/gcn/published/predictions.json"]
    assert found != pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_label_counts_are_whole():
    run = load_run(RUNS_FOLDER / "reuters90" / "tree" / "no-encoder" / "seed-1337.json")
    assert isinstance(run.outcome().counts, LabelCounts) and run.outcome().counts.correct.dtype.kind == "i"
