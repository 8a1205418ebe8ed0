"""Sample sizes: against closed forms, against direct simulation, and what cannot be planned."""

import json
from functools import partial

import numpy as np
import pytest
from scipy.stats import ttest_ind

from helpers.evaluation import changed_answers, plan_files, plan_samples
from helpers.evaluation.plan import _at_difference, _discordant, _lead
from helpers.metrics import Outcome, accuracy_samples, averages, runs_needed, runs_power
from tests.support import write_rows

GOLD = ["NA"] * 60 + ["a"] * 30 + ["b"] * 10
FIRST = ["NA"] * 55 + ["a"] * 5 + ["a"] * 26 + ["NA"] * 4 + ["b"] * 8 + ["a"] * 2
SECOND = ["NA"] * 50 + ["a"] * 10 + ["a"] * 20 + ["NA"] * 10 + ["b"] * 3 + ["a"] * 7
JOINT = Outcome.from_columns(GOLD, FIRST, second=SECOND)
SINGLE, RIGHT = Outcome.from_columns(GOLD, SECOND), Outcome.from_columns(GOLD, GOLD)


def test_powers_are_those_of_the_fact_sheet_and_of_drawn_runs() -> None:
    assert [round(runs_power(1, 1, k), 2) for k in (5, 10, 17)] == [0.29, 0.56, 0.81]
    drawn = np.random.default_rng(1).normal(size=(2, 20_000, 6))
    p = ttest_ind(drawn[0] + 1.2, drawn[1], axis=-1).pvalue
    assert (p < 0.05).mean() == pytest.approx(runs_power(1.2, 1, 6), abs=0.012)
    for difference in (0.3, 1, 4):  # the smallest number of runs that does
        runs = runs_needed(difference, 1, 0.9)
        assert runs_power(difference, 1, runs) >= 0.9
        assert runs == 2 or runs_power(difference, 1, runs - 1) < 0.9


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (runs_power, (0, 1, 5), "difference is 0"),
        (runs_power, (1, 0, 5), "sd is 0"),
        (runs_power, (1, 1, 1), "runs is 1"),
        (runs_needed, (1, 1, 1), "power is 1"),
        (runs_needed, (1e-9, 1), "more than 100,000 runs"),
        (accuracy_samples, (0.1, 0.2), "discordant is 0.1"),
        (_at_difference, (JOINT, "macro", 0.9, "NA"), r"under macro the two systems differ by \d+\.\d\d"),
        (changed_answers, (SINGLE, "macro", 0.2, 0.01, "NA"), "changing 1 % of the answers makes"),
        (changed_answers, (RIGHT, "macro", 0.01, 0.1), "no system can be better"),
    ],
)
def test_what_has_no_answer_is_refused(function, arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        function(*arguments)


@pytest.mark.parametrize("scheme", ["accuracy", "micro", "weighted", "macro"])
def test_a_population_has_the_systems_difference_and_is_moved_to_another(scheme) -> None:
    if scheme != "accuracy":
        tables = [Outcome.from_columns(GOLD, said) for said in (FIRST, SECOND)]
        first, second = (averages(table, [scheme], negative="NA")[0] for table in tables)
        assert _lead(JOINT, scheme, "NA") == pytest.approx(first - second, abs=1e-12)
    moved = _at_difference(JOINT, scheme, 0.03, "NA")
    assert _lead(moved, scheme, "NA") == pytest.approx(0.03, abs=1e-9)
    assert _discordant(moved) == pytest.approx(_discordant(JOINT))
    assert moved.counts.sum() == pytest.approx(1) and (moved.counts >= 0).all()


def test_accuracy_needs_what_mcnemars_formula_says() -> None:
    moved = _at_difference(JOINT, "accuracy", 0.05)
    plan = plan_samples(moved, "accuracy", test_sets=200)
    assert plan.by_formula == accuracy_samples(_discordant(moved), 0.05)
    assert plan.needed == pytest.approx(plan.by_formula, rel=0.15)


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("helpers.evaluation.plan.plan_samples", partial(plan_samples, test_sets=60))
    for name, said in (("one.csv", FIRST), ("two.csv", SECOND)):
        write_rows(tmp_path / name, [*zip(range(100), GOLD, said, strict=True)], ("id", "gold", "predicted"))
    return "one.csv", "two.csv"


def test_the_command_plans_two_files(files, call) -> None:
    words = ["plan", "--from", *files, "--difference", "5", "--scheme", "accuracy"]
    (plan,) = json.loads(call(*words, "--format", "json")[1])
    (expected,) = plan_files(*files, difference=0.05, schemes=["accuracy"])
    moved = _at_difference(JOINT, "accuracy", 0.05)
    assert plan["by_formula"] == accuracy_samples(_discordant(moved), 0.05)
    assert plan["needed"] == expected.needed and f"{expected.needed:,}" in call(*words)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--difference 1", "give --from FILE"),
        ("--difference 1 --sd -1", "sd is -1"),
        ("--difference 99 --from one.csv two.csv", "99 cannot be made of them"),
        ("--difference 1 --from one.csv", "give a second file"),
        ("--difference 1 --from one.csv --changed 10", "changed answers is 10: it must"),
        ("--difference 1 --from one.csv two.csv --negative x", "negative is 'x', which is not in labels"),
    ],
)
def test_the_command_refuses_in_one_line(files, call, words, message) -> None:
    code, out, err = call("plan", *words.split())
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err
