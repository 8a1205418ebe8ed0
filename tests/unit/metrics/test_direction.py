"""The official scorer of SemEval-2010 Task 8, and PD, PIR, PPR: golden rows, small cases, properties."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.core import SEMEVAL_RELATIONS, SKIPPED
from helpers.metrics import SCHEMES, Outcome, average, averages, plain_values
from helpers.metrics.direction import direction_scores, official_scores

GOLDEN = Path(__file__).parents[2] / "golden"
PRINTED = 0.005 + 1e-9  # per cent: half the last digit that the official script prints
TOLERANCE = 5e-5  # per cent: half the last digit of the golden values of PD, PIR and PPR
LABELS = list(SEMEVAL_RELATIONS)
SMALL = LABELS[:5]
codes = st.integers(0, 4)


def golden_rows(name, key):
    with open(GOLDEN / name, newline="") as file:
        return {row.pop(key): row for row in csv.DictReader(file)}


SCORER = golden_rows("semeval_scorer.csv", "proposals")
PAIRED = golden_rows("direction.csv", "predictions")
IN_ORDER = ("gold of the next line (cyclic)", "gold, ids divisible by 10 skipped", "mixed")
"""Golden rows that need the order of the file; for the others the known counts of its labels are enough."""


def flipped(ids):
    """2k−1 ↔ 2k, 0 stays."""
    ids = np.asarray(ids)
    return np.where(ids == 0, 0, np.where(ids % 2, ids + 1, ids - 1))


@pytest.fixture(scope="module")
def file_ids(data_dir):
    """Gold ids of the test set in the order of the file, ids 8001–10717."""
    with open(data_dir / "semeval2010" / "rdr" / "test.original.tsv", encoding="utf-8") as file:
        ids = np.array([int(line.split("\t")[2]) for line in file])
    assert len(ids) == 2717
    return ids


@pytest.fixture
def gold_ids(name, request):
    """Gold ids for a golden row: of the file where the order matters, else the known counts of each label."""
    if name in IN_ORDER:
        return request.getfixturevalue("file_ids")
    counts = golden_rows("weights_semeval.csv", "relation") | {"Other": {"n": 454}}
    return np.repeat(np.arange(len(LABELS)), [int(counts[label]["n"]) for label in LABELS])


def proposals(name, ids):
    """The answers of a row of the scorer's golden table, as positions in LABELS and SKIPPED."""
    return {
        "gold": ids,
        "every direction flipped": flipped(ids),
        "constant Cause-Effect(e1,e2)": np.full_like(ids, LABELS.index("Cause-Effect(e1,e2)")),
        "gold of the next line (cyclic)": np.roll(ids, -1),
        "gold base, always (e1,e2)": np.where(ids % 2 == 1, ids, np.maximum(ids - 1, 0)),
        "gold, ids divisible by 10 skipped": np.where(np.arange(8001, 8001 + len(ids)) % 10, ids, 19),
        "all Other": np.zeros_like(ids),
    }[name]


def scorer_difference(name, gold, predicted):
    """How far all columns of the golden table are from its row, in per cent."""
    table = Outcome.from_columns(gold, predicted, labels=[*LABELS, SKIPPED])
    rows = official_scores(table)
    found = {f"{kind} {score}": value for kind, row in rows.items() for score, value in row.items()}
    five = averages(table, negative="Other", labels=LABELS[1:]).tolist()
    found |= {f"18-class {scheme}": value for scheme, value in zip(SCHEMES, five, strict=True)}
    assert set(SCORER[name]) == set(found)
    return max(abs(float(value) - 100 * found[key]) for key, value in SCORER[name].items())


@pytest.mark.parametrize("name", SCORER)
def test_golden_rows_of_the_official_scorer_and_one_corrupted_answer(name, gold_ids):
    answers = proposals(name, gold_ids)
    assert scorer_difference(name, gold_ids, answers) <= PRINTED
    whole, effect = LABELS.index("Component-Whole(e2,e1)"), LABELS.index("Cause-Effect(e2,e1)")
    row = int(np.flatnonzero(gold_ids == whole)[0])
    corrupted = np.where(np.arange(len(answers)) == row, whole if answers[row] != whole else effect, answers)
    assert scorer_difference(name, gold_ids, corrupted) > PRINTED


def test_a_wrong_direction_is_one_false_alarm_and_one_miss_of_its_base():
    table = Outcome.from_columns(["R(e1,e2)", "R(e2,e1)"], ["R(e2,e1)", "R(e2,e1)"])
    scores = official_scores(table)
    assert scores["grouped"] == {"micro": 0.5, "macro": 0.5, "accuracy": 0.5}
    assert scores["undirected"] == {"micro": 1.0, "macro": 1.0, "accuracy": 1.0}
    assert (scores["directed"]["macro"], scores["directed"]["micro"]) == (pytest.approx(1 / 3), 0.5)
    assert official_scores(table, negative=None) == scores


def test_a_skipped_id_is_a_miss_but_no_answer():
    gold, answers = ["R(e1,e2)", "R(e1,e2)", "Other", "Other"], ["R(e1,e2)", SKIPPED, "Other", SKIPPED]
    scores = official_scores(Outcome.from_columns(gold, answers))["grouped"]
    assert scores == {"micro": pytest.approx(2 / 3), "macro": pytest.approx(2 / 3), "accuracy": 1.0}
    nothing = official_scores(Outcome.from_columns(gold, [SKIPPED] * 4))["grouped"]
    assert nothing == {"micro": 0.0, "macro": 0.0, "accuracy": 0.0}


@settings(max_examples=100)
@given(st.lists(st.tuples(codes, codes), min_size=1, max_size=40))
def test_micro_of_grouped_is_micro_of_directed_where_both_directions_are_gold(samples):
    table = Outcome.from_columns(*np.array(samples + [(code, code) for code in range(5)]).T, labels=SMALL)
    scores = official_scores(table)
    assert scores["grouped"]["micro"] == pytest.approx(scores["directed"]["micro"], abs=1e-12)
    own = averages(table, ["micro", "macro"], negative="Other")
    assert [scores["directed"][name] for name in ("micro", "macro")] == pytest.approx(own, abs=1e-12)
    assert scores["undirected"]["macro"] >= scores["grouped"]["macro"]
    assert all(0 <= value <= 1 for row in scores.values() for value in row.values())


def predictions(name, gold):
    """Predictions of a golden row on the original and on the paired set, from the gold ids."""
    if name in ("both right", "never moved"):
        return gold, flipped(gold) if name == "both right" else gold
    if name == "all Other":
        return gold * 0, gold * 0
    row = np.arange(len(gold))
    original = np.where(row % 5 == 0, 0, gold)
    return original, np.where(row % 3 == 0, original, flipped(gold))


def paired_difference(name, gold, on_a, on_b):
    """Performances in per cent, shares as counts; infinite where the kind of answer differs."""
    row, scores = PAIRED[name], direction_scores(Outcome.from_columns(gold, on_a, paired=on_b, labels=LABELS))
    if scores.better_set != row["better_set"] or np.isnan(scores.pir) != (row["pir_whole"] == "0"):
        return np.inf
    performances = ("performance_original", "performance_paired", "pd")
    found = [100 * getattr(scores, key) for key in performances]
    found += [np.nan_to_num(scores.pir) * int(row["pir_whole"]), scores.ppr * scores.n, scores.n]
    keys = (*performances, "pir_part", "ppr_part", "ppr_whole")
    return max(abs(value - float(row[key])) for key, value in zip(keys, found, strict=True))


@pytest.mark.parametrize("name", PAIRED)
def test_golden_rows_of_direction_and_one_corrupted_prediction(name, gold_ids):
    on_a, on_b = predictions(name, gold_ids)
    assert paired_difference(name, gold_ids, on_a, on_b) <= TOLERANCE
    if name != "all Other":
        row = int(np.flatnonzero((on_a == gold_ids) & (gold_ids > 0))[0])
        wrong_a, wrong_b = (np.where(np.arange(len(gold_ids)) == row, 0, answers) for answers in (on_a, on_b))
        assert paired_difference(name, gold_ids, wrong_a, on_b) > TOLERANCE
        assert paired_difference(name, gold_ids, on_a, wrong_b) > TOLERANCE


@settings(max_examples=100)
@given(st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=30), st.booleans())
def test_shares_are_those_of_the_definition(samples, mirrored):
    gold, first, second = np.array(samples).T
    second = flipped(first) if mirrored else second
    scores = direction_scores(Outcome.from_columns(gold, first, paired=second, labels=SMALL))
    gold, first, second = (answers[gold > 0] for answers in (gold, first, second))
    right = (first == gold) if scores.better_set == "A" else (second == flipped(gold))
    both, nan = (first == gold) & (second == flipped(gold)), float("nan")
    still = (right & (first == second)).sum() / right.sum() if right.any() else nan
    assert scores.pir == pytest.approx(still, nan_ok=True)
    assert scores.ppr == pytest.approx(both.mean() if len(gold) else nan, nan_ok=True)
    gap = 0 if mirrored else abs(scores.performance_original - scores.performance_paired)
    assert scores.pd == pytest.approx(gap, abs=1e-12)


def test_undefined_shares_and_labels_of_one_direction_only():
    for gold, undefined, n in (([1, 2], ("pir",), 2), ([0, 0], ("pir", "ppr"), 0)):
        scores = direction_scores(Outcome.from_columns(gold, [0, 0], paired=[0, 0], labels=LABELS))
        assert tuple(name for name in ("pir", "ppr") if np.isnan(getattr(scores, name))) == undefined
        assert scores.n == n
        assert plain_values(scores._asdict())["pir"] is None
    scores = direction_scores(Outcome.from_columns(["R(e1,e2)"], ["R(e1,e2)"], paired=["R(e1,e2)"]))
    assert (scores.pd, scores.better_set, scores.pir, scores.ppr) == (1.0, "A", 1.0, 0.0)


def test_a_users_inverse_may_give_each_pair_once_in_either_order():
    gold, first, second = ["parent", "child", "NA"], ["parent", "parent", "NA"], ["child", "parent", "child"]
    outcome = Outcome.from_columns(gold, first, paired=second)
    there, back = {"parent": "child"}, {"child": "parent"}
    found = [direction_scores(outcome, inverse) for inverse in (there, back, there | back | {"NA": "NA"})]
    assert found[0] == found[1] == found[2] and (found[0].n, found[0].ppr) == (2, 0.5)
    for inverse in ({"a": "b", "c": "b"}, {"a": "b", "b": "c"}, {"a": "b", "b": "b"}):
        with pytest.raises(ValueError, match=r"inverse maps '.' to both '.' and '.'"):
            direction_scores(Outcome.from_columns(list("abc"), list("abc"), paired=list("abc")), inverse)
    with pytest.raises(ValueError, match="negative is 'chidl'.*did you mean 'child'"):
        official_scores(outcome, negative="chidl")


def test_replicates_are_scored_like_single_tables(rng):
    gold, on_a, on_b = rng.integers(0, 5, (3, 40))
    on_a[::7] = 5
    outcomes = Outcome.from_columns(gold, on_a, paired=on_b, labels=[*SMALL, SKIPPED]).resample(rng, 9)
    together, official = direction_scores(outcomes), official_scores(outcomes)
    for replicate, counts in enumerate(outcomes.counts):
        single = replace(outcomes, counts=counts)
        for name, value in direction_scores(single)._asdict().items():
            found = getattr(together, name)[replicate]
            assert found == (value if name == "better_set" else pytest.approx(value, abs=1e-12, nan_ok=True))
        for kind, scores in official_scores(single).items():
            found = {name: value[replicate] for name, value in official[kind].items()}
            assert found == pytest.approx(scores, abs=1e-12)


def test_classes_of_fixes_the_classes_of_each_set():
    """On A the class 1 has gold samples, on B its inverse, 2; a replicate without them averages them as 0."""
    outcome = Outcome.from_columns([1, 3], [1, 3], paired=[2, 0], labels=SMALL)
    drawn = replace(outcome, counts=np.array([[0, 2], [1, 1]]))

    def macro(table, classes_of=None):
        return average(table, "macro", negative="Other", classes_of=classes_of)

    for performance, classes_of, on_a in ((macro, None, [1, 1]), (macro, outcome, [0.5, 1])):
        scores = direction_scores(drawn, None, performance, classes_of)
        assert scores.performance_original.tolist() == on_a
        assert scores.performance_paired.tolist() == [0, 0.5]
    assert direction_scores(drawn, classes_of=outcome).performance_original.tolist() == [0.5, 1]
