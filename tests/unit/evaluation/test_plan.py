"""Sample sizes: against closed forms, against direct simulation, and what cannot be planned."""

import json
from functools import partial

import numpy as np
import pytest

from helpers.evaluation import changed_answers, plan_files, plan_samples
from helpers.evaluation.plan import _accuracy_samples, _at_difference, _discordant, _lead
from helpers.metrics import Outcome, averages
from tests.support import write_rows

GOLD = ["NA"] * 60 + ["a"] * 30 + ["b"] * 10
FIRST = ["NA"] * 55 + ["a"] * 5 + ["a"] * 26 + ["NA"] * 4 + ["b"] * 8 + ["a"] * 2
SECOND = ["NA"] * 50 + ["a"] * 10 + ["a"] * 20 + ["NA"] * 10 + ["b"] * 3 + ["a"] * 7
JOINT = Outcome.from_columns(GOLD, FIRST, second=SECOND)
SINGLE, RIGHT = Outcome.from_columns(GOLD, SECOND), Outcome.from_columns(GOLD, GOLD)
WORST = Outcome.from_columns(["a"] * 10, ["a"] * 2 + ["b"] * 8)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (_at_difference, (JOINT, "macro", 0.9, "NA"), r"under macro the two systems differ by \d+\.\d\d"),
        (plan_samples, (JOINT, "accuracy", 1.0), "power is 1: it has to lie between 0.05 and 1"),
        (changed_answers, (SINGLE, "macro", 0.2, 0.01, "NA"), "changing 1 % of the answers makes"),
        (changed_answers, (RIGHT, "macro", 0.01, 0.1), "no system can be better"),
        (changed_answers, (SINGLE, "accuracy", 0.27, 0.3, "NA"), "of at most 24.00 points: 27 cannot"),
        (changed_answers, (WORST, "accuracy", 0.05, 0.5), "5 cannot be reached"),
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


@pytest.mark.parametrize("scheme", ["accuracy", "macro"])
def test_changed_answers_make_the_difference_and_err_as_the_system_does(scheme) -> None:
    population = changed_answers(SINGLE, scheme, 0.03, 0.2, "NA")
    gold, first, second = population.roles.values()
    assert _lead(population, scheme, "NA") == pytest.approx(0.03, abs=1e-9) and population.counts.min() >= 0
    assert population.of("second").table() == pytest.approx(SINGLE.table() / 100)
    assert population.counts[first != second].sum() == pytest.approx(0.2)
    for was_right in (True, False):  # the same share of each class changes
        own = (second == gold) == was_right
        kinds = (own, own & (first != second))
        there, changed = (np.bincount(gold[each], population.counts[each]) for each in kinds)
        assert changed / there == pytest.approx(np.full(3, changed.sum() / there.sum()))


def test_accuracy_needs_what_mcnemars_formula_says() -> None:
    moved = _at_difference(JOINT, "accuracy", 0.05)
    plan = plan_samples(moved, "accuracy", test_sets=200)
    assert plan.by_formula == _accuracy_samples(_discordant(moved), 0.05, 0.8)
    assert plan.needed == pytest.approx(plan.by_formula, rel=0.15)
    plan = plan_samples(moved, "macro", negative="NA", test_sets=40, replicates=50)
    sizes, powers, errors = zip(*plan.rows, strict=True)
    assert (plan.by_formula, plan.needed, sizes) == (None, 759, (209, 417, 625, 834, 1250, 1667))
    assert (powers, errors[0]) == ((0.425, 0.525, 0.8, 0.75, 0.95, 1), pytest.approx(0.0782, abs=5e-5))


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("helpers.evaluation.plan.plan_samples", partial(plan_samples, test_sets=60))
    for name, said, step in (("one.csv", FIRST, 1), ("two.csv", SECOND, -1)):  # matched by id
        rows = [*zip(range(100), GOLD, said, strict=True)][::step]
        write_rows(tmp_path / name, rows, ("id", "gold", "predicted"))
    return "one.csv", "two.csv"


def test_the_command_plans_two_files(files, call) -> None:
    words = ["plan", "--from", *files, "--difference", "5", "--scheme", "accuracy"]
    (plan,) = json.loads(call(*words, "--format", "json")[1])
    (expected,) = plan_files(*files, difference=0.05, schemes=["accuracy"])
    moved = _at_difference(JOINT, "accuracy", 0.05)
    assert plan["by_formula"] == _accuracy_samples(_discordant(moved), 0.05, 0.8)
    assert plan["needed"] == expected.needed and f"{expected.needed:,}" in call(*words)[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--difference 1", "give --from FILE"),
        ("--difference 1 --sd -1", "sd is -1"),
        ("--difference 99 --from one.csv two.csv --negative=", "99 cannot be made of them"),
        ("--difference 1 --from one.csv", "give a second file"),
        ("--difference 1 --from one.csv --changed 1.5", "changed answers is 1.5: it must"),
        ("--difference 1 --from one.csv two.csv --negative x", "negative is 'x', which is not in labels"),
    ],
)
def test_the_command_refuses_in_one_line(files, call, words, message) -> None:
    code, out, err = call("plan", *words.split())
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err
