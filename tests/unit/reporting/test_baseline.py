"""Whether a model beats the majority baseline: by hand, of stored runs, and after training."""

import pytest

from helpers.metrics import Outcome
from helpers.reporting import against_majority, majority_label, majority_text
from helpers.runs import Run, list_runs, load_run

LABELS = ("Other", "a", "b")
ROWS = [(0, 0, 5), (0, 1, 1), (1, 1, 3), (2, 2, 1), (2, 0, 1)]


def run_of(rows, **about):
    table = Outcome.from_rows(rows, LABELS)
    return Run.from_outcome(table, dataset="d", model="m", negative="Other", **about)


def test_by_hand():
    found = against_majority(run_of(ROWS))
    assert majority_label(run_of(ROWS)) == "Other"
    assert found["accuracy"] == pytest.approx((9 / 11, 6 / 11))
    assert found["macro"] == pytest.approx(((6 / 7 + 2 / 3) / 2, 0))
    assert (
        "beats the majority baseline (always 'Other', accuracy 54.55) in accuracy and under"
        in majority_text(run_of(ROWS))
    )


def test_every_stored_model_but_the_baseline_itself_beats_it():
    runs = [run for run in list_runs("semeval2010") if run.profile == "standard" and not run.second]
    assert len(runs) > 20
    worse = [run.name for run in runs if not majority_text(run).startswith("beats")]
    assert set(worse) <= {"majority"}


@pytest.mark.parametrize(
    ("model", "said"), [("svm", "\nbeats the majority"), ("majority", "\ndoes not beat the")]
)
def test_it_is_said_after_training_and_stored(model, said, call, tmp_path):
    code, out, err = call("train", "--model", model, "--dataset", "demo", "--output", tmp_path)
    assert code == 0 and said in out, err
    run = load_run(next(tmp_path.rglob("*.json")))
    assert run.facts == {"majority": "Thing-Destination(e1,e2)"} and majority_label(run) in out
