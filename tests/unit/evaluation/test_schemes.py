"""A sixth scheme: one function, registered once, and in every report."""

import numpy as np
import pandas as pd
import pytest

from helpers.evaluation import compare_files, score_file, score_frame
from helpers.metrics import (
    SCHEMES,
    MultilabelOutcome,
    Outcome,
    Policy,
    averages,
    bootstrap_intervals,
    evaluate,
    register_scheme,
    scheme_names,
    unregister_scheme,
)
from helpers.papers.multilabel import scores_of
from helpers.reporting import resampled_intervals, scheme_scores
from helpers.runs import Run
from tests.support import temporary_scheme

GOLD, PREDICTED = list("aaaaabbbcd"), list("aaabbbbaca")


def root(support, total):
    return support**0.5


@pytest.fixture(autouse=True)
def _root():
    with temporary_scheme("root", root):
        yield
    assert scheme_names() == SCHEMES


def test_it_stands_behind_the_five_and_equals_its_member_of_the_family():
    table = Outcome.from_columns(GOLD, PREDICTED)
    assert scheme_names() == (*SCHEMES, "root")
    report = evaluate(table)
    assert list(report.schemes) == [*SCHEMES, "root"]
    assert report.schemes["root"]["f1"] == averages(table, ["n^0.5"])[0]
    assert report.schemes["root"]["signature"] == Policy().signature(table, "f1", "root")
    assert "\nroot " in report.to_text()
    assert "\nroot & " in report.to_latex()
    assert "scheme,root," in report.to_csv()
    assert averages(table).shape == (6,)


def test_it_has_intervals_in_the_report_of_a_frame_and_of_a_file(tmp_path):
    frame = pd.DataFrame({"gold": GOLD, "predicted": PREDICTED})
    report = score_frame(frame, replicates=50)
    table, rng = Outcome.from_columns(GOLD, PREDICTED), np.random.default_rng(1)
    found = bootstrap_intervals(table, lambda t: averages(t, ["n^0.5"], classes_of=table), rng, 50)
    assert [report.schemes["root"][end] for end in ("low", "high")] == [found.low.item(), found.high.item()]
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert list(score_file(tmp_path / "a.csv").schemes) == [*SCHEMES, "root"]


def test_systems_are_compared_under_it(tmp_path):
    for name, predicted in {"a": PREDICTED, "b": GOLD}.items():
        pd.DataFrame({"gold": GOLD, "predicted": predicted}).to_csv(tmp_path / f"{name}.csv", index=False)
    table = compare_files([tmp_path / "a.csv", tmp_path / "b.csv"], replicates=20)
    assert table["scheme"].tolist() == [*SCHEMES, "root"]


def test_stored_runs_are_scored_under_it():
    table = Outcome.from_columns(GOLD, PREDICTED)
    run = Run.from_outcome(table, dataset="d", split="test", model="m", seed=9)
    assert list(scheme_scores(run)) == [*SCHEMES, "root"]
    assert resampled_intervals([run], replicates=10)["score"].tolist() == [*SCHEMES, "root"]
    outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    assert "root" in scores_of(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), ks=[1])


@pytest.mark.parametrize(
    ("name", "function", "message"),
    [
        ("micro", root, "is one of micro, weighted, dodrans, entropy, macro: choose another name"),
        ("macro", root, "is one of"),
        ("n^0.5", root, "letters, digits and underscores"),
        ("a|b", root, "letters, digits and underscores"),
        ("", root, "letters, digits and underscores"),
        (None, root, "letters, digits and underscores"),
        ("mine", 0.5, "a function .support, total. is needed"),
    ],
)
def test_a_bad_registration_changes_nothing(name, function, message):
    with pytest.raises(ValueError, match=message):
        register_scheme(name, function)
    with pytest.raises(ValueError, match="is no registered scheme"):
        unregister_scheme(name)
    assert scheme_names() == (*SCHEMES, "root")
