"""Tables of single labels and of label sets: what they hold, that they add up, come back and are drawn."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import multilabel_confusion_matrix

from helpers.core import base_relation
from helpers.metrics import Outcome, averages

LABELS = ["R(e1,e2)", "R(e2,e1)", "S(e1,e2)", "Other"]
INVERSE = {"R(e1,e2)": "R(e2,e1)", "R(e2,e1)": "R(e1,e2)"}
PROPERTY = settings(max_examples=100)
codes = st.integers(0, len(LABELS) - 1)
triples = st.lists(st.tuples(codes, codes, codes), min_size=1, max_size=40)


def undirected(outcome):
    return outcome.relabel(base_relation, direction="dropped")


def confusion(samples):
    return Outcome.from_columns(*np.array(samples).T, labels=LABELS)


def outcomes(samples):
    gold, predicted, paired = np.array(samples).T
    return Outcome.from_columns(gold, predicted, paired=paired, labels=LABELS)


def test_rows_are_gold_and_columns_predicted():
    table = Outcome.from_columns(list("aabN"), list("abba"))
    assert table.table().tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 1]] and table.accuracy == 0.5
    counts = table.per_class()
    assert (counts.n, counts.gold.tolist(), counts.predicted.tolist()) == (4, [1, 2, 1], [0, 2, 2])


@PROPERTY
@given(triples, triples)
def test_adding_commutes_with_whatever_is_done_to_tables(left, right):
    tables, whole = (outcomes(left), outcomes(right)), outcomes(left + right)
    for change in (undirected, lambda table: table.relabel(lambda label: INVERSE.get(label, label))):
        assert change(tables[0]) + change(tables[1]) == change(whole) == change(tables[1]) + change(tables[0])
    rows = whole.to_rows()
    assert Outcome.from_rows(rows, LABELS, ("gold", "predicted", "paired")) == whole
    assert rows == sorted(rows) and all(type(number) is int for row in rows for number in row)
    texts = (np.array(LABELS)[np.array(samples).T[:2]] for samples in (left, right, left + right))
    first, second, both = (Outcome.from_columns(*columns) for columns in texts)
    assert first + second == both == second + first  # without a label list


@PROPERTY
@given(triples)
def test_the_original_of_paired_outcomes_is_the_confusion(samples):
    gold, predicted, second = np.array(samples).T
    table, flip = outcomes(samples), np.array([1, 0, 2, 3])
    assert table.of("predicted").grouped() == Outcome.from_columns(gold, predicted, labels=LABELS)
    assert table.of("paired").grouped() == Outcome.from_columns(gold, second, labels=LABELS)
    assert table.of("paired", INVERSE).grouped() == Outcome.from_columns(flip[gold], second, labels=LABELS)
    with pytest.raises(ValueError, match=r"inverse\[0\] is 'T'"):
        table.of("paired", {"R(e1,e2)": "T"})


SETS = {"decision": "given"}
IDENTITY = [[1, 0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Outcome.from_rows([[0, 9, 1]], LABELS), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[0, 0, 1], [-1, 0, 1]], LABELS), r"rows\[1\] is"),
        (lambda: Outcome.from_rows([[0.5, 0, 1]], LABELS), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[0, 1, -5]], LABELS), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[0, 0, float("nan")]], LABELS), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[0, 0, 0, 1]], LABELS), r"is .*: 2 positions below 4 and a count"),
        (lambda: Outcome.from_rows([[0, 0, 1]], LABELS, ("gold", "predicted", "paired")), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[0, 1, 1]], ["a", "a"]), "labels holds a label twice"),
        (lambda: Outcome.from_rows([[0, 0, 2**52]] * 2, LABELS), "rows add up to"),
        (lambda: Outcome.from_rows([[[0], [4], 1]], LABELS, **SETS), r"is .*: 2 lists of positions below 4"),
        (lambda: Outcome.from_rows([[[-1], [0], 1]], LABELS, **SETS), r"rows\[0\] is"),
        (lambda: Outcome.from_rows([[[0, 0], [1], 1]], LABELS, **SETS), r"rows\[0\] is"),
        (lambda: Outcome.from_sets(IDENTITY, [[1, 0, 0]]), r"predicted has shape \(1, 3\), but truth has"),
        (lambda: Outcome.from_sets(IDENTITY, IDENTITY * 2), r"predicted has shape \(2, 2\), but truth has"),
        (lambda: Outcome.from_sets(IDENTITY, [[1, 0.5]]), r"predicted\[0, 1\] is 0.5"),
        (lambda: Outcome.from_sets(IDENTITY, IDENTITY, ["a"]), "labels names 1 labels, but truth has 2"),
        (lambda: Outcome.from_sets(IDENTITY, IDENTITY, ["a", None]), r"labels\[1\] is None: labels are"),
        (lambda: Outcome.from_sets(IDENTITY, IDENTITY, ["a", "a"]), "labels holds 'a' twice"),
    ],
)
def test_rows_of_a_damaged_file_and_sets_that_do_not_fit_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_replicates_keep_the_number_of_samples_and_the_kinds(rng):
    samples = rng.integers(0, 4, (200, 3))
    drawn, table = outcomes(samples).resample(rng, 50), confusion(samples[:, :2])
    assert (drawn.counts.shape[0], set(drawn.n.tolist())) == (50, {200})
    assert (drawn.of("predicted").grouped().n == 200).all()
    assert not table.resample(rng, 50).table()[:, table.table() == 0].any()
    with pytest.raises(ValueError, match="no samples"):
        Outcome.from_rows([], LABELS).resample(rng, 3)


def test_equal_kinds_are_sorted_and_counted_once_in_each_replicate():
    roles = {"gold": np.array([1, 0, 1]), "predicted": np.array([0, 1, 0])}
    outcome = Outcome(roles, np.array([[1, 2, 3], [4, 5, 6]]), ("a", "b")).grouped()
    assert [codes.tolist() for codes in outcome.roles.values()] == [[0, 1], [1, 0]]
    assert outcome.counts.tolist() == [[2, 4], [5, 10]]
    assert outcome.table().tolist() == [[[0, 2], [4, 0]], [[0, 5], [10, 0]]]


def sets_of(rng, n=60, n_labels=7, share=0.2):
    return rng.random((n, n_labels)) < share, rng.random((n, n_labels)) < share


def test_pairs_of_sets_are_counted_once_each_and_come_back(rng):
    truth, predicted = sets_of(rng, 400, 3, 0.4)
    sets = Outcome.from_sets(truth, predicted, "abc", "score>0")
    expected = {}
    for gold, guess in zip(truth, predicted, strict=True):
        key = (tuple(np.flatnonzero(gold).tolist()), tuple(np.flatnonzero(guess).tolist()))
        expected[key] = expected.get(key, 0) + 1
    rows = {(tuple(gold), tuple(guess)): count for gold, guess, count in sets.to_rows()}
    assert rows == expected and list(rows) == sorted(rows)
    assert Outcome.from_rows(sets.to_rows(), "abc", decision="score>0") == sets


def test_columns_beyond_one_byte_sort_and_group_as_numbers(rng):
    columns = rng.integers(0, 70_000, 300)
    truth = sp.csr_array((np.ones(300, bool), columns, np.arange(301)), shape=(300, 70_000))
    rows = Outcome.from_sets(truth, truth).to_rows()
    assert [gold[0] for gold, _, _ in rows] == np.unique(columns).tolist()


def test_what_does_not_belong_together_does_not_add_up():
    def made(predicted=((1, 0),), labels="ab", decision="score>0"):
        return Outcome.from_sets([[1] + [0] * (len(labels) - 1)], predicted, labels, decision)

    table = confusion([(0, 0)])
    for first, second, message in (
        (made(), made(decision="score>0.5"), "decided by score>0 and by score>0.5 do not add up"),
        (made(), made(labels="ba"), "label 0 is 'a' and 'b'"),
        (made(), made([[1, 0, 0]], "abc"), "outcomes of 2 and of 3 labels do not add up"),
        (table, undirected(table), "with and without direction"),
        (table, Outcome.from_columns([0], [0]), "string labels and with integer labels do not add up"),
    ):
        assert first != second and first == first
        with pytest.raises(ValueError, match=message):
            first + second
    for other in (1, None, "outcome"):
        with pytest.raises(TypeError):
            made() + other
    assert made() != made(((0, 0),)) and made() == made() and made() != "outcome"


@pytest.mark.parametrize("times", [1, 3])  # every pair once, or each several times: drawn in two ways
def test_replicates_are_draws_with_replacement(times, rng):
    sets = Outcome.from_sets(np.eye(60), np.eye(60))
    drawn = sum([sets] * times).resample(rng, 4000).counts
    assert drawn.dtype.kind == "i"
    assert (drawn.sum(axis=1) == 60 * times).all()
    assert drawn.mean(axis=0) == pytest.approx(np.full(60, times), abs=0.13 * times)  # 5 standard errors
    assert drawn.var(axis=0) == pytest.approx(np.full(60, times * 59 / 60), rel=0.2)
    pairs = np.cov(drawn[:, :2].T)[0, 1]  # one more of one pair is one less of the others
    assert pairs == pytest.approx(-times / 60, abs=0.08 * times)


def test_counts_of_labels_are_those_of_scikit_learn(rng):
    truth, predicted = sets_of(rng)
    expected = multilabel_confusion_matrix(truth, predicted)
    for make in (np.asarray, sp.csr_matrix, sp.coo_array):
        counts = Outcome.from_sets(make(truth), make(predicted)).per_class()
        cells = np.stack([[counts.tn, counts.fp], [counts.fn, counts.tp]])
        assert cells.transpose(2, 0, 1).tolist() == expected.tolist()


def test_single_labels_are_the_special_case_of_sets(rng):
    gold, predicted = rng.integers(0, 5, (2, 300))
    table = Outcome.from_columns(gold, predicted, labels=range(5))
    counts = Outcome.from_sets(np.eye(5)[gold], np.eye(5)[predicted]).per_class()
    for name in ("correct", "predicted", "gold", "n"):
        assert np.array_equal(getattr(counts, name), getattr(table.per_class(), name))
    assert averages(counts).tolist() == averages(table).tolist()


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32])
def test_sums_do_not_wrap_in_a_narrow_kind_of_number(kind) -> None:
    roles = {"gold": np.array([0, 0, 1]), "predicted": np.array([0, 1, 1])}
    counts = Outcome(roles, np.array([200, 100, 250], kind), ("a", "b")).per_class()
    assert (counts.gold.tolist(), counts.predicted.tolist()) == ([300, 250], [200, 350])
