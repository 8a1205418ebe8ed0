"""Every kind of label column gives the same table, each bad one a message with argument, index and value."""

import itertools

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
    "tuple": tuple,
    "generator": lambda values: (value for value in values),
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy str": np.array,
    "numpy wide str": lambda values: np.array(values, dtype="U40"),
    "numpy strided str": lambda values: np.repeat(np.array(values), 3)[::3],
    "numpy read-only str": lambda values: np.frombuffer(np.array(values).tobytes(), dtype="U1"),
    "numpy StringDType": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas str": lambda values: pd.Series(values, dtype="str"),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas shuffled index": lambda values: pd.Series(values, index=[3, 1, 2, 0, 5, 4]),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.string())),
    "Categorical": lambda values: pd.Categorical(values, categories=["x", "c", "b", "a"]),
    "Index": pd.Index,
    "CategoricalIndex": pd.CategoricalIndex,
    "arrow string": pa.array,
    "arrow large string": lambda values: pa.array(values, pa.large_string()),
    "arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "arrow chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
    "arrow chunks with dictionaries of their own": lambda values: pa.chunked_array(
        [pa.array(part).dictionary_encode() for part in (values[:2], values[2:])]
    ),
    "arrow slice": lambda values: pa.array(["z", *values]).dictionary_encode()[1:],
} | {
    f"arrow dictionary of {width}": lambda values, width=width: pa.array(values).cast(
        pa.dictionary(getattr(pa, width)(), pa.string())
    )
    for width in ("int8", "int64", "uint8", "uint32")
}

INTEGER_TYPES = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", ">u8"]
NUMBER_KINDS = (
    {
        "list": list,
        "list of numpy integers": lambda values: list(np.array(values)),
        "numpy object": lambda values: np.array(values, dtype=object),
        "pandas Int64": lambda values: pd.Series(values, dtype="Int64"),
        "pandas object": lambda values: pd.Series(values, dtype=object),
        "pandas category": lambda values: pd.Series(values, dtype="category"),
        "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.int32())),
        "Index": pd.Index,
        "range index": lambda values: pd.Series(values, index=range(10, 16)),
        "arrow": pa.array,
        "arrow chunks": lambda values: pa.chunked_array([values[:2], values[2:]]),
    }
    | {f"numpy {name}": lambda values, name=name: np.array(values, dtype=name) for name in INTEGER_TYPES}
    | {"numpy strided": lambda values: np.array([values, values]).T[:, 0]}
)


@pytest.mark.parametrize("kind", TEXT_KINDS)
@pytest.mark.parametrize("labels", [None, ["c", "b", "a"]])
def test_every_kind_of_text_column_gives_the_same_table(kind, labels):
    make = TEXT_KINDS[kind]
    table = Outcome.from_columns(make(TEXT_GOLD), make(TEXT_PREDICTED), labels=labels)
    assert table.labels == tuple(labels or "abc")
    assert table.table().tolist() == np.array(TABLE)[:: -1 if labels else 1, :: -1 if labels else 1].tolist()


@pytest.mark.parametrize("kind", NUMBER_KINDS)
@pytest.mark.parametrize("labels", [None, [2, 5, 9]])
def test_every_kind_of_integer_column_gives_the_same_table(kind, labels):
    make = NUMBER_KINDS[kind]
    table = Outcome.from_columns(make(NUMBER_GOLD), make(NUMBER_PREDICTED), labels=labels)
    assert (table.labels, table.table().tolist()) == ((2, 5, 9), TABLE)
    assert all(type(label) is int for label in table.labels)  # numpy integers would not go into JSON


@pytest.mark.parametrize("kind", sorted(set(NUMBER_KINDS) - {"pandas category"}))
def test_integers_are_positions_in_a_list_of_strings(kind):
    gold, predicted = NUMBER_KINDS[kind]([1, 0, 2, 0, 1, 1]), NUMBER_KINDS[kind]([1, 1, 2, 0, 0, 1])
    assert Outcome.from_columns(gold, predicted, labels=["a", "b", "c"]).table().tolist() == TABLE


@pytest.mark.parametrize("gold", TEXT_KINDS)
def test_text_kinds_mix(gold):
    for predicted in ("list", "numpy str", "arrow dictionary"):
        table = Outcome.from_columns(TEXT_KINDS[gold](TEXT_GOLD), TEXT_KINDS[predicted](TEXT_PREDICTED))
        assert (table.labels, table.table().tolist()) == (("a", "b", "c"), TABLE)


def test_torch_tensors_count_like_lists():
    torch = pytest.importorskip("torch")
    for dtype in (torch.int64, torch.int32, torch.int16, torch.uint8):
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
    "ids",
    [
        [-1, 0, 1],
        [-(2**63), -1, 2**63 - 1],
        [10**15, 10**15 + 1, 10**15 + 2],
        [0, 2**63, 2**64 - 1],
        [2**64 - 3, 2**64 - 2, 2**64 - 1],
    ],
)
@pytest.mark.parametrize("listed", [True, False])
def test_ids_of_any_size_and_sign(ids, listed):
    dtype = np.uint64 if max(ids) >= 2**63 else np.int64
    expected = [[1, 1, 0], [1, 2, 0], [0, 0, 1]]
    for make in (list, lambda values: np.array(values, dtype=dtype)):
        gold = make([ids[place] for place in (1, 0, 2, 0, 1, 1)])
        predicted = make([ids[place] for place in (1, 1, 2, 0, 0, 1)])
        table = Outcome.from_columns(gold, predicted, labels=ids if listed else None)
        assert (table.labels, table.table().tolist()) == (tuple(ids), expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32])
def test_the_whole_range_of_a_small_integer_type(dtype):
    ends = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    table = Outcome.from_columns(np.array(ends, dtype), np.array(ends[::-1], dtype))
    assert (table.labels, table.table().tolist()) == (tuple(ends), [[0, 1], [1, 0]])


MISSING = {
    "None in a list": ["a", "b", None],
    "nan in a list": ["a", "b", float("nan")],
    "pd.NA in a list": ["a", "b", pd.NA],
    "numpy object": np.array(["a", "b", None], dtype=object),
    "numpy StringDType": np.array(["a", "b", None], dtype=np.dtypes.StringDType(na_object=None)),
    "numpy masked": np.ma.array(["a", "b", "a"], mask=[False, False, True]),
    "numpy float": np.array([0.0, 1.0, np.nan]),
    "pandas object": pd.Series(["a", "b", None], dtype=object),
    "pandas str": pd.Series(["a", "b", None], dtype="str"),
    "pandas string": pd.Series(["a", "b", pd.NA], dtype="string"),
    "pandas category": pd.Series(["a", "b", None], dtype="category"),
    "pandas Int64": pd.Series([0, 1, pd.NA], dtype="Int64"),
    "pandas float": pd.Series([0.0, 1.0, None]),
    "pandas boolean": pd.Series([True, False, None], dtype="boolean"),
    "pandas arrow": pd.Series(["a", "b", None], dtype=pd.ArrowDtype(pa.string())),
    "Index": pd.Index(["a", "b", None]),
    "Categorical": pd.Categorical(["a", "b", None]),
    "arrow": pa.array(["a", "b", None]),
    "arrow integers": pa.array([0, 1, None]),
    "arrow dictionary": pa.array(["a", "b", None]).dictionary_encode(),
    "arrow dictionary of uint8": pa.array(["a", "b", None]).cast(pa.dictionary(pa.uint8(), pa.string())),
    "arrow null among the dictionary's values": pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "b", None]),
    "arrow chunks": pa.chunked_array([["a", "b"], [None]]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_value_is_named_with_argument_and_index(kind):
    good = [0, 1, 1] if any(word in kind.lower() for word in ("int", "float", "bool")) else ["a", "b", "b"]
    for argument, labels in itertools.product(("gold", "predicted"), (None, ["a", "b"])):
        columns = {"gold": good, "predicted": good} | {argument: MISSING[kind]}
        with pytest.raises(ValueError, match=rf"(?i){argument}\[2\] is (none|nan|<na>|--|masked)"):
            Outcome.from_columns(**columns, labels=labels)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ([1.0, 2.0], r"gold\[0\] is 1.0"),
        ([1, 1.0], r"gold\[1\] is 1.0"),
        (np.array([1.0, 2.0]), "gold has dtype float64"),
        (pd.Series([1.0, 2.0]), r"gold\[0\] is 1.0"),
        (pa.array([1.0, 2.0]), r"gold\[0\] is 1.0"),
        (np.array([b"a", b"b"]), r"gold has dtype \|S1"),
        (np.array(["2010-07-15", "2010-07-16"], dtype="M8[D]"), r"gold has dtype datetime64"),
        (np.array([["a"], ["b"]]), r"gold has shape \(2, 1\)"),
        (np.array("a"), r"gold has shape \(\)"),
        (pd.DataFrame({"cat": ["a", "b"]}), r"gold has shape \(2, 1\)"),
        ([["a"], ["b"]], r"gold\[0\] is \['a'\]"),
        ([("a", "b"), ("a", "c")], r"gold\[0\] is \('a', 'b'\)"),
        (["a", 1], "strings and integers"),
        ("ab", "gold is a string"),
        (None, "gold is None"),
        (7, "gold is 7"),
    ],
)
def test_columns_that_hold_no_labels_are_refused(column, message):
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(column, ["a", "b"])
