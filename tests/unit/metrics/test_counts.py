"""Tables of counts: what they hold, that they add up, and that they come back from rows as they were."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import Outcome
from helpers.metrics.averaging import evaluate
from helpers.metrics.direction import drop_direction as undirected

LABELS = ["R(e1,e2)", "R(e2,e1)", "S(e1,e2)", "Other"]
PROPERTY = settings(max_examples=100)
codes = st.integers(0, len(LABELS) - 1)
pairs = st.lists(st.tuples(codes, codes), min_size=1, max_size=40)
triples = st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=40)


def confusion(samples, labels=LABELS):
    return Outcome.from_columns(*np.array(samples).T, labels=labels)


def outcomes(samples, labels=LABELS):
    gold, predicted, paired = np.array(samples).T
    return Outcome.from_columns(gold, predicted, paired=paired, labels=labels)


def test_rows_are_gold_and_columns_predicted():
    table = Outcome.from_columns(list("aab"), list("abb"))
    assert table.table().tolist() == [[1, 1], [0, 1]]
    counts = table.per_class()
    assert (counts.n, counts.gold.tolist(), counts.predicted.tolist()) == (3, [2, 1], [1, 2])
    assert (counts.correct.tolist(), table.accuracy) == ([1, 1], 2 / 3)


def test_restrict_looks_at_gold_only():
    table = Outcome.from_columns(list("aabN"), list("aNab")).restrict(["a"])
    assert table.labels == ("N", "a", "b")
    assert table.to_rows() == [[1, 0, 1], [1, 1, 1]]
    with pytest.raises(ValueError, match=r"labels\[0\] is 'x'"):
        table.restrict(["x"])


def test_paired_turns_gold_and_takes_the_second_prediction():
    table = outcomes([(0, 0, 1), (0, 0, 0), (3, 2, 3)])
    inverse = {"R(e1,e2)": "R(e2,e1)", "R(e2,e1)": "R(e1,e2)"}
    assert table.of("paired", inverse).grouped().to_rows() == [[1, 0, 1], [1, 1, 1], [3, 3, 1]]
    assert table.of("paired").grouped().to_rows() == [[0, 0, 1], [0, 1, 1], [3, 3, 1]]
    with pytest.raises(ValueError, match=r"inverse\[0\] is 'T'"):
        table.of("paired", {"R(e1,e2)": "T"})


@pytest.mark.parametrize("other", [3, None, "table"])
def test_tables_add_to_tables_only(other):
    for table in (confusion([(0, 0)]), outcomes([(0, 0, 0)])):
        with pytest.raises(TypeError):
            table + other
        assert table != other


def test_direction_kept_and_dropped_do_not_add_up():
    table = confusion([(0, 0)])
    with pytest.raises(ValueError, match="direction"):
        table + undirected(table)


@PROPERTY
@given(pairs, st.data())
def test_chunks_add_up_to_the_whole_table(samples, data):
    cut = data.draw(st.integers(1, len(samples)))
    parts = [part for part in (samples[:cut], samples[cut:]) if part]
    whole, *rest = (confusion(part) for part in parts)
    for part in rest:
        whole = whole + part
    assert whole == confusion(samples)


@PROPERTY
@given(pairs, pairs)
def test_chunks_without_a_label_list_give_the_same_table_in_either_order(left, right):
    texts = [[(LABELS[g], LABELS[p]) for g, p in samples] for samples in (left, right)]
    tables = [Outcome.from_columns(*zip(*samples, strict=True)) for samples in texts]
    whole = Outcome.from_columns(*zip(*(texts[0] + texts[1]), strict=True))
    assert tables[0] + tables[1] == whole
    assert tables[1] + tables[0] == whole


@PROPERTY
@given(pairs, pairs)
def test_dropping_direction_and_adding_commute(left, right):
    assert undirected(confusion(left)) + undirected(confusion(right)) == undirected(confusion(left + right))
    swap = {"R(e1,e2)": "R(e2,e1)", "R(e2,e1)": "R(e1,e2)"}
    apart = confusion(left).relabel(swap) + confusion(right).relabel(swap)
    assert apart == confusion(left + right).relabel(swap)


@PROPERTY
@given(triples)
def test_the_original_of_paired_outcomes_is_the_confusion(samples):
    gold, predicted, second = np.array(samples).T
    table = outcomes(samples)
    assert table.of("predicted").grouped() == Outcome.from_columns(gold, predicted, labels=LABELS)
    assert table.of("paired").grouped() == Outcome.from_columns(gold, second, labels=LABELS)
    flip = np.array([1, 0, 2, 3])
    inverse = {"R(e1,e2)": "R(e2,e1)", "R(e2,e1)": "R(e1,e2)"}
    assert table.of("paired", inverse).grouped() == Outcome.from_columns(flip[gold], second, labels=LABELS)


@PROPERTY
@given(triples)
def test_rows_and_back(samples):
    table, pair_table = outcomes(samples), confusion([sample[:2] for sample in samples])
    assert Outcome.from_rows(table.to_rows(), LABELS, ("gold", "predicted", "paired")) == table
    assert Outcome.from_rows(pair_table.to_rows(), LABELS) == pair_table
    assert table.to_rows() == sorted(table.to_rows())
    assert all(type(number) is int for row in pair_table.to_rows() + table.to_rows() for number in row)


@PROPERTY
@given(triples, st.sets(st.sampled_from(LABELS)))
def test_restricting_is_the_same_before_and_after_counting(samples, kept):
    left = [sample for sample in samples if LABELS[sample[0]] in kept]
    if left:
        assert outcomes(samples).restrict(kept) == outcomes(left)
        restricted = outcomes(samples).restrict(kept).of("predicted").grouped()
        assert restricted == outcomes(samples).of("predicted").grouped().restrict(kept)
    else:
        assert outcomes(samples).restrict(kept).n == 0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 9, 1]], r"rows\[0\]"),
        ([[0, 0, 1], [-1, 0, 1]], r"rows\[1\]"),
        ([[0, 0, 1], [0.5, 0, 1]], r"rows\[1\]"),
        ([[0, 0, 1], [0, 1, -5]], r"rows\[1\]"),
        ([[0, 0, 1], [0, 1]], r"rows\[1\]"),
        ([[0, 0, float("nan")]], r"rows\[0\]"),
        ([[0, 0, 0, 1]] * 3, r"rows\[0\]"),
    ],
)
def test_rows_of_a_damaged_file_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        Outcome.from_rows(rows, LABELS)


def test_rows_of_a_damaged_pair_file_are_refused():
    with pytest.raises(ValueError, match=r"rows\[0\]"):
        Outcome.from_rows([[0, 0, 9, 1]], LABELS, ("gold", "predicted", "paired"))
    with pytest.raises(ValueError, match="twice"):
        Outcome.from_rows([[0, 1, 1]], ["a", "a"])


def test_replicates_keep_the_number_of_samples(rng):
    samples = rng.integers(0, 4, (200, 3))
    drawn = outcomes(samples).resample(rng, 50)
    assert (drawn.counts.shape[0], set(drawn.n.tolist())) == (50, {200})
    assert (drawn.of("predicted").grouped().n == 200).all()
    table = confusion(samples[:, :2]).resample(rng, 50)
    assert (table.table().shape, set(table.n.tolist())) == ((50, 4, 4), {200})
    assert not table.table()[:, confusion(samples[:, :2]).table() == 0].any()


def test_an_empty_table_is_not_resampled(rng):
    for table in (confusion([(0, 0)]), outcomes([(0, 0, 0)])):
        with pytest.raises(ValueError, match="no samples"):
            table.restrict(["Other"]).resample(rng, 3)


def test_counts_whose_sums_would_wrap_are_refused():
    rows = [[0, 0, 2**62], [1, 1, 2**62], [1, 0, 2**62], [0, 1, 2**62]]
    with pytest.raises(ValueError, match="rows add up to 2\\^53 or more"):
        Outcome.from_rows(rows, ["a", "b"])
    for counts in ([[2**62, 2**62], [0, 0]], [[-1, 2], [0, 0]]):
        with pytest.raises(ValueError, match="counts (add up to|holds a negative number)"):
            evaluate(Outcome.from_table(np.array(counts), ("a", "b")))
