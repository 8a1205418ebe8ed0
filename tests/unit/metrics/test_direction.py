"""PD, PIR and PPR: the golden rows, the mirror property, and the cases that are undefined."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import Outcome
from helpers.metrics.averaging import average
from helpers.metrics.direction import direction_scores, inverse_labels, with_inverses

GOLDEN = Path(__file__).parents[2] / "golden"
TOLERANCE = 5e-5  # per cent: half the last digit of the golden values
BASES = ["Message-Topic", "Product-Producer", "Instrument-Agency", "Entity-Destination", "Cause-Effect",
         "Component-Whole", "Entity-Origin", "Member-Collection", "Content-Container"]  # fmt: skip
LABELS = ["Other", *(f"{base}({direction})" for base in BASES for direction in ("e1,e2", "e2,e1"))]


def flipped(ids):
    """2k−1 ↔ 2k, 0 stays."""
    ids = np.asarray(ids)
    return np.where(ids == 0, 0, np.where(ids % 2, ids + 1, ids - 1))


def golden_rows():
    with open(GOLDEN / "direction.csv", newline="") as file:
        return {row.pop("predictions"): row for row in csv.DictReader(file)}


def predictions(name, gold):
    """Predictions of a golden row on the original and on the paired set, from the gold ids."""
    place = np.arange(len(gold))
    if name == "both right":
        return gold, flipped(gold)
    if name == "never moved":
        return gold, gold
    if name == "all Other":
        return gold * 0, gold * 0
    original = np.where(place % 5 == 0, 0, gold)
    return original, np.where(place % 3 == 0, original, flipped(gold))


def differences(row, outcomes):
    """Performances in per cent, shares as counts; infinite where the kind of answer differs."""
    scores = direction_scores(outcomes)
    if scores.better_set != row["better_set"] or np.isnan(scores.pir) != (row["pir_whole"] == "0"):
        return [np.inf]
    performances = ("performance_original", "performance_paired", "pd")
    found = [100 * getattr(scores, key) for key in performances]
    found += [np.nan_to_num(scores.pir) * int(row["pir_whole"]), scores.ppr * scores.n, scores.n]
    keys = (*performances, "pir_part", "ppr_part", "ppr_whole")
    return [abs(value - float(row[key])) for key, value in zip(keys, found, strict=True)]


@pytest.fixture(scope="module")
def gold(data_dir):
    with open(data_dir / "semeval2010" / "rdr" / "test.original.tsv", encoding="utf-8") as file:
        return np.array([int(line.split("\t")[2]) for line in file])


@pytest.fixture(scope="module")
def gold_counts():
    """The same ids in any order: their counts are facts."""
    with open(GOLDEN / "weights_semeval.csv", newline="") as file:
        counts = {row["relation"]: int(row["n"]) for row in csv.DictReader(file)} | {"Other": 454}
    return np.repeat(np.arange(len(LABELS)), [counts[label] for label in LABELS])


@pytest.mark.parametrize("name", golden_rows())
def test_golden_rows_on_the_test_keys(name, gold):
    on_a, on_b = predictions(name, gold)
    outcomes = Outcome.from_columns(gold, on_a, paired=on_b, labels=LABELS)
    assert outcomes.n == 2717
    assert max(differences(golden_rows()[name], outcomes)) <= TOLERANCE


@pytest.mark.parametrize("name", [name for name in golden_rows() if name != "mixed"])
def test_golden_rows_that_need_counts_only(name, gold_counts):
    on_a, on_b = predictions(name, gold_counts)
    outcomes = Outcome.from_columns(gold_counts, on_a, paired=on_b, labels=LABELS)
    assert max(differences(golden_rows()[name], outcomes)) <= TOLERANCE


@pytest.mark.parametrize("name", ["both right", "never moved", "mixed"])
def test_one_corrupted_prediction_is_noticed(name, request):
    ids = request.getfixturevalue("gold" if name == "mixed" else "gold_counts")
    original, paired = (np.array(part) for part in predictions(name, ids))
    place = int(np.flatnonzero((original == ids) & (ids > 0))[0])
    for corrupted in ((np.where(np.arange(len(ids)) == place, 0, original), paired),
                      (original, np.where(np.arange(len(ids)) == place, 0, paired))):  # fmt: skip
        on_a, on_b = corrupted
        outcomes = Outcome.from_columns(ids, on_a, paired=on_b, labels=LABELS)
        assert max(differences(golden_rows()[name], outcomes)) > TOLERANCE


def test_the_paired_gold_file_is_the_flipped_original(gold, data_dir):
    with open(data_dir / "semeval2010" / "rdr" / "test.paired.tsv", encoding="utf-8") as file:
        paired = [int(line.split("\t")[2]) for line in file]
    inverse = inverse_labels(LABELS)
    assert paired == flipped(gold).tolist() == [LABELS.index(inverse[LABELS[number]]) for number in gold]


codes = st.integers(0, 4)
SMALL = LABELS[:5]


@settings(max_examples=100)
@given(st.lists(st.tuples(codes, codes), min_size=1, max_size=30))
def test_mirrored_predictions_have_no_difference_and_never_stay(samples):
    gold, predicted = np.array(samples).T
    outcomes = Outcome.from_columns(gold, predicted, paired=flipped(predicted), labels=SMALL)
    scores = direction_scores(outcomes)
    directed = gold > 0
    right = (gold == predicted)[directed]
    assert (scores.pd, scores.better_set, scores.n) == (pytest.approx(0, abs=1e-12), "B", directed.sum())
    assert scores.pir == pytest.approx(0.0 if right.any() else float("nan"), nan_ok=True)
    assert scores.ppr == pytest.approx(
        right.mean() if directed.any() else float("nan"), abs=1e-12, nan_ok=True
    )


@settings(max_examples=100)
@given(st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=30))
def test_shares_are_those_of_the_definition(samples):
    gold, first, second = np.array(samples).T
    scores = direction_scores(Outcome.from_columns(gold, first, paired=second, labels=SMALL))
    keep = gold > 0
    gold, first, second = gold[keep], first[keep], second[keep]
    right = (first == gold) if scores.better_set == "A" else (second == flipped(gold))
    both = (first == gold) & (second == flipped(gold))
    nan = float("nan")
    assert scores.pir == pytest.approx(
        (right & (first == second)).sum() / right.sum() if right.any() else nan, nan_ok=True
    )
    assert scores.ppr == pytest.approx(both.mean() if len(gold) else nan, nan_ok=True)
    assert scores.pd == pytest.approx(abs(scores.performance_original - scores.performance_paired), abs=1e-12)


def test_undefined_shares_are_named_and_null_in_json():
    wrong = direction_scores(Outcome.from_columns([1, 2], [0, 0], paired=[0, 0], labels=LABELS))
    assert (wrong.undefined, wrong.ppr, wrong.n) == (("pir",), 0.0, 2)
    assert json.loads(json.dumps(wrong.to_dict()))["pir"] is None
    only_other = direction_scores(Outcome.from_columns([0, 0], [0, 0], paired=[0, 0], labels=LABELS))
    assert (only_other.undefined, only_other.n) == (("pir", "ppr"), 0)


def test_other_is_left_out_of_the_shares_but_not_of_the_performance():
    outcomes = Outcome.from_columns([1, 0], [1, 1], paired=[2, 0], labels=LABELS)
    scores = direction_scores(outcomes)
    assert (scores.n, scores.ppr, scores.pir, scores.better_set) == (1, 1.0, 0.0, "B")
    assert scores.pd == pytest.approx(1 / 3, abs=1e-12)


def test_a_users_inverse_may_give_each_pair_once_in_either_order():
    gold, first, second = ["parent", "child", "NA"], ["parent", "parent", "NA"], ["child", "parent", "child"]
    outcomes = Outcome.from_columns(gold, first, paired=second)
    found = [direction_scores(outcomes, inverse) for inverse in (
        {"parent": "child"}, {"child": "parent"}, {"parent": "child", "child": "parent", "NA": "NA"},
    )]  # fmt: skip
    assert found[0] == found[1] == found[2]
    assert (found[0].n, found[0].ppr) == (2, 0.5)


@pytest.mark.parametrize("inverse", [{"a": "b", "c": "b"}, {"a": "b", "b": "c"}, {"a": "b", "b": "b"}])
def test_a_contradictory_inverse_is_refused(inverse):
    outcomes = Outcome.from_columns(list("abc"), list("abc"), paired=list("abc"))
    with pytest.raises(ValueError, match=r"inverse maps '.' to both '.' and '.'"):
        direction_scores(outcomes, inverse)


def test_a_gold_label_may_occur_in_one_direction_only():
    outcomes = Outcome.from_columns(["R(e1,e2)"], ["R(e1,e2)"], paired=["R(e1,e2)"])
    assert with_inverses(outcomes).labels == ("R(e1,e2)", "R(e2,e1)")
    scores = direction_scores(outcomes)
    assert (scores.performance_original, scores.performance_paired, scores.pir, scores.ppr) == (
        1.0,
        0.0,
        1.0,
        0.0,
    )


def test_replicates_are_scored_like_single_tables(rng):
    gold, on_a, on_b = rng.integers(0, 5, (3, 40))
    outcomes = Outcome.from_columns(gold, on_a, paired=on_b, labels=SMALL).resample(rng, 9)
    together = direction_scores(outcomes)
    for place, counts in enumerate(outcomes.counts):
        single = direction_scores(replace(outcomes, counts=counts))
        for name, value in vars(single).items():
            found = getattr(together, name)[place]
            assert found == (value if name == "better_set" else pytest.approx(value, abs=1e-12, nan_ok=True))


def test_classes_of_fixes_the_classes_of_each_set(rng):
    """On A the class 1 has gold samples, on B its inverse, 2; a replicate without them averages them as 0."""
    outcomes = Outcome.from_columns([1, 3], [1, 3], paired=[2, 0], labels=SMALL)
    drawn = replace(outcomes, counts=np.array([[0, 2], [1, 1]]))

    def macro(table, classes_of=None):
        return average(table, "macro", negative="Other", classes_of=classes_of)

    free, fixed = (direction_scores(drawn, None, macro, classes_of=one) for one in (None, outcomes))
    assert free.performance_original.tolist() == [1, 1]
    assert fixed.performance_original.tolist() == [0.5, 1]
    assert free.performance_paired.tolist() == [0, 0.5] == fixed.performance_paired.tolist()
    assert direction_scores(drawn, classes_of=outcomes).performance_original.tolist() == [0.5, 1]


def test_paired_gold_turns_back_to_the_original():
    outcomes = Outcome.from_columns([1, 2, 0], [1, 2, 0], paired=[2, 1, 0], labels=SMALL)
    turned = outcomes.of("paired", inverse_labels(SMALL)).grouped()
    assert turned == Outcome.from_columns([2, 1, 0], [2, 1, 0], labels=SMALL)
