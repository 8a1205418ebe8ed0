"""From columns to counts: every kind of column and of block gives the same table, and a bad one is named."""

import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import Outcome

pa = pytest.importorskip("pyarrow", reason="needs pyarrow, of the extra `large`")
TEXT_GOLD, TEXT_PREDICTED = ["b", "a", "c", "a", "b", "b"], ["b", "b", "c", "a", "a", "b"]
NUMBER_GOLD, NUMBER_PREDICTED = [5, 2, 9, 2, 5, 5], [5, 5, 9, 2, 2, 5]
TABLE = [[1, 1, 0], [1, 2, 0], [0, 0, 1]]
TEXT_KINDS = {
    "list": list,
    "generator": lambda values: (value for value in values),
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy strided str": lambda values: np.repeat(np.array(values, dtype="U40"), 3)[::3],
    "numpy read-only str": lambda values: np.frombuffer(np.array(values).tobytes(), dtype="U1"),
    "numpy StringDType": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas shuffled index": lambda values: pd.Series(values, index=[3, 1, 2, 0, 5, 4]),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
    "Categorical": lambda values: pd.Categorical(values, categories=["x", "c", "b", "a"]),
    "CategoricalIndex": pd.CategoricalIndex,
    "arrow large string": lambda values: pa.array(values, pa.large_string()),
    "arrow chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "arrow dictionaries": lambda values: pa.chunked_array(
        [pa.array(part).dictionary_encode() for part in (values[:2], values[2:])]
    ),
    "arrow slice": lambda values: pa.array(["z", *values]).dictionary_encode()[1:],
    "arrow uint8": lambda values: pa.array(values).cast(pa.dictionary(pa.uint8(), pa.string())),
}
NUMBER_KINDS = {
    "list of numpy integers": lambda values: list(np.array(values)),
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy strided": lambda values: np.array([values, values]).T[:, 0],
    "pandas Int64": lambda values: pd.Series(values, dtype="Int64"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.int32())),
    "Index": pd.Index,
    "arrow": pa.array,
} | {
    name: lambda values, name=name: np.array(values, name) for name in ("i1", "i8", "u1", "u8", ">i4", ">u8")
}


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize("labels", [None, ["c", "b", "a"]])
def test_every_kind_of_text_column_gives_the_same_table(kind, labels):
    make, turn = TEXT_KINDS[kind], slice(None, None, -1 if labels else 1)
    table = Outcome.from_columns(make(TEXT_GOLD), make(TEXT_PREDICTED), labels=labels)
    assert table.labels == tuple(labels or "abc")
    assert np.array_equal(table.table(), np.array(TABLE)[turn, turn])


@pytest.mark.parametrize("kind", NUMBER_KINDS)
def test_every_kind_of_integer_column_gives_the_same_table(kind):
    make = NUMBER_KINDS[kind]
    for labels in (None, [2, 5, 9]):
        table = Outcome.from_columns(make(NUMBER_GOLD), make(NUMBER_PREDICTED), labels=labels)
        assert (table.labels, table.table().tolist()) == ((2, 5, 9), TABLE)
        assert all(type(label) is int for label in table.labels)  # numpy integers would not go into JSON
    if kind != "pandas category":  # integers are positions in a list of strings
        gold, predicted = make([1, 0, 2, 0, 1, 1]), make([1, 1, 2, 0, 0, 1])
        assert Outcome.from_columns(gold, predicted, labels=["a", "b", "c"]).table().tolist() == TABLE


def test_torch_tensors_count_like_lists():
    torch = pytest.importorskip("torch")
    for dtype in (torch.int64, torch.int16, torch.uint8):
        gold, predicted = torch.tensor(NUMBER_GOLD, dtype=dtype), torch.tensor(NUMBER_PREDICTED, dtype=dtype)
        assert Outcome.from_columns(gold, predicted).table().tolist() == TABLE
    with pytest.raises(ValueError, match="gold has dtype float32"):
        Outcome.from_columns(torch.tensor([0.5]), torch.tensor([1]))


@pytest.mark.parametrize("make", [list, np.array, pd.Series, pa.array])
def test_booleans_are_the_labels_0_and_1(make):
    table = Outcome.from_columns(make([True, False, True]), make([True, True, True]))
    assert (table.labels, table.table().tolist()) == ((0, 1), [[0, 1], [0, 2]])
    assert all(type(label) is int for label in table.labels)  # True == 1, but their names in JSON differ


@pytest.mark.parametrize(
    "ids", [(-128, 0, 127), (-(2**63), -1, 2**63 - 1), (2**64 - 3, 2**64 - 2, 2**64 - 1)]
)
def test_ids_of_any_size_and_sign(ids):
    dtype = np.uint64 if ids[2] >= 2**63 else np.int8 if ids[2] == 127 else np.int64
    for make in (list, lambda values: np.array(values, dtype=dtype)):
        gold = make([ids[code] for code in (1, 0, 2, 0, 1, 1)])
        predicted = make([ids[code] for code in (1, 1, 2, 0, 0, 1)])
        for labels in (None, ids):
            table = Outcome.from_columns(gold, predicted, labels=labels)
            assert (table.labels, table.table().tolist()) == (ids, TABLE)


MISSING = {
    "None in a list": ["a", "b", None],
    "nan in a list": ["a", "b", float("nan")],
    "numpy object": np.array(["a", "b", None], dtype=object),
    "numpy StringDType": np.array(["a", "b", None], dtype=np.dtypes.StringDType(na_object=None)),
    "numpy masked": np.ma.array(["a", "b", "a"], mask=[False, False, True]),
    "numpy float": np.array([0.0, 1.0, np.nan]),
    "pandas string": pd.Series(["a", "b", pd.NA], dtype="string"),
    "pandas category": pd.Series(["a", "b", None], dtype="category"),
    "pandas Int64": pd.Series([0, 1, pd.NA], dtype="Int64"),
    "arrow integers": pa.array([0, 1, None]),
    "arrow dictionary": pa.array(["a", "b", None]).cast(pa.dictionary(pa.uint8(), pa.string())),
    "arrow null among the dictionary's values": pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "b", None]),
    "arrow chunks": pa.chunked_array([["a", "b"], [None]]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_value_is_named_with_argument_and_index(kind):
    good = [0, 1, 1] if any(word in kind for word in ("Int64", "float", "integers")) else ["a", "b", "b"]
    for argument, labels in (("gold", None), ("predicted", ["a", "b"])):
        columns = {"gold": good, "predicted": good} | {argument: MISSING[kind]}
        with pytest.raises(ValueError, match=rf"(?i){argument}\[2\] is (none|nan|<na>|--|masked)"):
            Outcome.from_columns(**columns, labels=labels)


AB = ["a", "b"]
OBJECTS = np.array(["a", "zz", "y"], dtype=object)
TITLES = ["a", "b", "title"]


@pytest.mark.parametrize(
    ("gold", "predicted", "labels", "message"),
    [
        (AB, ["a"], None, "gold has 2 samples, predicted has 1"),
        ([], [], None, "gold is empty"),
        (np.array([], dtype=int), np.array([], dtype=int), None, "gold is empty"),
        (AB, ["a", "titel"], TITLES, r"predicted\[1\] is 'titel'.*\(3 labels\); did you mean 'title'\?"),
        (["b", "x", "y", "x"], ["b"] * 4, AB, r"gold\[1\] is 'x'"),
        (["a"] * 3, OBJECTS, AB, r"^predicted\[1\] is 'zz', which is not in labels \(2 labels\)"),
        ([1, 2, 7], [1, 1, 1], [1, 2], r"gold\[2\] is 7, .* not in labels \(2 labels\)"),
        ([0, 1, 2], [0, 0, 0], AB, r"gold\[2\] is 2"),
        ([0, 1, 1], [0, -1, 0], AB, r"predicted\[1\] is -1"),
        (np.array([0, 2**64 - 1], "u8"), [0, 0], AB, rf"gold\[1\] is {2**64 - 1}"),
        (["1", "2"], [1, 2], None, "labels mix strings and integers"),
        (np.arange(5001), np.arange(5001), None, "5001 distinct labels: more than 5000"),
        (list(map(str, range(5001))), ["1"] * 5001, None, "more than 5000 distinct labels, '5000' among"),
        (AB, AB, [], "labels is empty"),
        (AB, AB, ["a", "b", "a"], "labels holds 'a' twice"),
        (AB, AB, ["a", 1], "labels mix strings and integers"),
        ([0, 1], [0, 1], [0.0, 1.0], r"labels\[0\] is 0.0"),
        (AB, AB, "ab", "labels is 'ab'"),
        (AB, AB, range(5001), "5001 distinct labels: more than 5000"),
        ([1, 1.0], AB, None, r"gold\[1\] is 1.0"),
        (["a", b"a"], AB, None, r"gold\[1\] is b'a'"),
        (["a", ("a", "c")], AB, None, r"gold\[1\] is \('a', 'c'\)"),
        (np.array([1.0, 2.0]), AB, None, r"gold has dtype float64: .*; gold\[0\] is 1.0"),
        (pa.array([1.0, 2.0]), AB, None, r"gold\[0\] is 1.0"),
        (np.array([b"a", b"b"]), AB, None, r"gold has dtype \|S1: .*; gold\[0\] is b'a'"),
        (np.array([["a"], ["b"]]), AB, None, r"gold has shape \(2, 1\)"),
        (pd.DataFrame({"cat": AB}), AB, None, r"gold has shape \(2, 1\)"),
        ("ab", AB, None, "gold is a string"),
        (None, AB, None, "gold is None"),
    ],
)
def test_bad_columns_and_label_lists_are_named(gold, predicted, labels, message):
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(gold, predicted, labels=labels)


def test_weights_are_checked_and_one_of_zero_keeps_its_labels():
    for weight, message in {
        (1.0, -2.0): r"sample_weight\[1\] is -2.0",
        (np.nan, 1.0): r"sample_weight\[0\] is nan",
        (1.0, np.inf): r"sample_weight\[1\] is inf",
        (1.0,): r"sample_weight has shape \(1,\), gold has 2 samples",
        ((1.0,), (1.0,)): r"sample_weight has shape \(2, 1\)",
        ("heavy", 1.0): "sample_weight holds something that is no number",
    }.items():
        with pytest.raises(ValueError, match=message):
            Outcome.from_columns(AB, AB, sample_weight=weight)
    assert Outcome.from_columns(["a", "b"], ["a", "c"], sample_weight=[1, 0]).labels == ("a", "b", "c")
    counted = Outcome.from_columns(AB, ["b", "b"], counts=[2, 3])
    assert counted == Outcome.from_columns(list("aabbb"), list("bbbbb")) and counted.counts.dtype.kind == "i"
    for options in ({"counts": [2]}, {"counts": [2.0, 3.0]}, {"counts": [1, 1], "sample_weight": [1, 1]}):
        with pytest.raises(ValueError, match="^counts has|both given: a row is weighed or counted"):
            Outcome.from_columns(AB, AB, **options)
    with pytest.raises(ValueError, match=r"gold\[1\] is 7"):
        Outcome.from_columns([0, 7], [0, 0], labels=AB, sample_weight=[1, 0])


def named(table):
    """Entries of a table by label."""
    return {tuple(table.labels[code] for code in row[:-1]): row[-1] for row in table.to_rows()}


@pytest.fixture
def large(rng):
    return rng.integers(0, 30, (2, (1 << 20) + 12_345))


@pytest.mark.parametrize("kind", ["int64", "uint8", "strings", "categorical", "weighted"])
def test_batches_add_up_to_the_whole(large, kind):
    names = np.array([f"r{code:02}" for code in range(30)])
    make = {"strings": names.__getitem__, "categorical": lambda c: pd.Categorical.from_codes(c, names)}
    columns = [make.get(kind, lambda c: c.astype("u1" if kind == "uint8" else "i8"))(c) for c in large]
    weight = np.full(large.shape[1], 0.5) if kind == "weighted" else None
    whole = Outcome.from_columns(*columns, labels=names if kind in make else range(30), sample_weight=weight)
    batches = (large[:, start : start + 100_000] for start in range(0, large.shape[1], 100_000))
    expected = sum(Outcome.from_columns(*batch, labels=range(30)) for batch in batches).table()
    assert np.array_equal(whole.table(), expected * (0.5 if kind == "weighted" else 1))


def test_the_first_offending_row_is_named_in_whichever_block_it_is():
    texts = np.full(300_000, "a", dtype=object)
    for value in ("x", None):
        texts[[100_000, 250_000]] = value
        with pytest.raises(ValueError, match=rf"^gold\[100000\] is {value!r}"):
            Outcome.from_columns(texts, texts, labels=AB)


SPREADS = [(-7, 3), (-(10**12), 300), (10**12, 10**9), (0, 5_000), (2**63, 300), (0, 60)]


@pytest.mark.parametrize(("low", "span"), SPREADS)
def test_columns_and_weights_are_counted_like_a_dictionary(rng, low, span):
    values = np.unique(rng.integers(0, span, 400)).astype("u8" if low >= 0 else "i8") + low
    columns = rng.choice(values, (3, 70_000))
    weight = rng.integers(0, 5, 70_000) / 4  # quarters add up exactly
    for m, share in ((2, None), (2, weight), (3, None)):
        expected, roles = Counter(), {"paired": columns[2]} if m == 3 else {}
        times = np.ones(70_000, int) if share is None else share
        for *key, n in zip(*columns[:m].tolist(), times.tolist(), strict=True):
            expected[tuple(key)] += n
        table = Outcome.from_columns(*columns[:2], sample_weight=share, **roles)
        assert named(table) == {key: n for key, n in expected.items() if n}


def test_counting_needs_little_memory_beside_the_columns(rng):
    gold, predicted = rng.integers(0, 42, (2, 5_000_000))
    tracemalloc.start()
    table = Outcome.from_columns(gold, predicted, labels=range(42))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n == 5_000_000 and peak < 0.5 * (gold.nbytes + predicted.nbytes)
