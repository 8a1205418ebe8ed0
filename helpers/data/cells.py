"""What a cell may hold, and columns of labels: labels are text or integers and never blank."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import MalformedRecord, abridged, naming_file, read_file, shown

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of labels, in the form of a pandas Categorical.

    Attributes
    ----------
    codes : (n,) integers, positions into `categories`. categories : the distinct labels, an object array.

    >>> column = Coded.of(["NA", "a", "NA"])
    >>> column.codes.tolist(), column.categories.tolist(), column[1], column.tolist()
    ([0, 1, 0], ['NA', 'a'], 'a', ['NA', 'a', 'NA'])
    """

    codes: np.ndarray
    categories: np.ndarray

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Coded:
        """The column of these labels."""
        number: defaultdict[Any, int] = defaultdict()
        number.default_factory = number.__len__
        codes = np.fromiter(map(number.__getitem__, labels), np.int32)
        return cls(codes, np.array([*number], object))

    @classmethod
    def joined(cls, columns: Sequence[Coded]) -> Coded:
        """Columns one below the other.

        >>> Coded.joined([Coded.of(["a"]), Coded.of(["b", "a"])]).tolist()
        ['a', 'b', 'a']
        """
        number = cls.of(label for column in columns for label in column.categories.tolist())
        starts = np.cumsum([0, *(len(column.categories) for column in columns[:-1])])
        codes = [number.codes[start + column.codes] for start, column in zip(starts, columns, strict=True)]
        return cls(np.concatenate(codes), number.categories)

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, row: int) -> Any:
        return self.categories[self.codes[row]]

    def tolist(self) -> list[Any]:
        """The label of each row."""
        return self.categories[self.codes].tolist()

    def times(self, counts: np.ndarray | None = None) -> Counter:
        """How often each label occurs, where each row stands for `counts` (None: one).

        >>> Coded.of(["a", "b", "a"]).times(np.array([1, 1, 4]))
        Counter({'a': 5, 'b': 1})
        """
        sums = np.bincount(self.codes, counts, len(self.categories)).tolist()
        return Counter({label: int(n) for label, n in zip(self.categories.tolist(), sums, strict=True) if n})

    def first_row(self, fault: Callable[[Any], bool]) -> int | None:
        """The first row (from 0) whose label has a fault, or None; each label is judged once.

        >>> Coded.of(["NA", "a", "b"]).first_row("b".__eq__)
        2
        """
        odd = [code for code, label in enumerate(self.categories.tolist()) if fault(label)]
        where = np.isin(self.codes, odd) if odd else np.zeros(1, bool)
        return int(where.argmax()) if where.any() else None

    def relabelled(self, new_label: Mapping[Any, Any]) -> Coded:
        """Other labels in place of some; those that become equal share a code.

        >>> Coded.of(["a", "b"]).relabelled({"a": "b"}).tolist()
        ['b', 'b']
        """
        labels = Coded.of(new_label.get(label, label) for label in self.categories.tolist())
        return Coded(labels.codes[self.codes], labels.categories)


def as_list(column: Any) -> list[Any]:
    """The cells of a column of any kind: labels, numbers, identifiers in a list or in Arrow's column.

    >>> as_list(Coded.of("ab")), as_list(["a"])
    (['a', 'b'], ['a'])
    """
    if isinstance(column, list):
        return column
    return column.to_pylist() if hasattr(column, "to_pylist") else column.tolist()


def as_frame(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Columns as a frame: labels are categorical, identifiers text.

    >>> as_frame({"gold": Coded.of(["NA", "a"])}).dtypes.tolist()
    [CategoricalDtype(categories=['NA', 'a'], ordered=False, categories_dtype=str)]
    """
    import pandas as pd

    def made(column: Any) -> Any:
        if isinstance(column, Coded):
            return pd.Categorical.from_codes(column.codes, column.categories.tolist())
        return column if isinstance(column, np.ndarray) else as_list(column)

    return pd.DataFrame({name: made(column) for name, column in columns.items()})


class LabelColumns(dict):
    """The columns of a prediction file: role (`id`, `gold`, `predicted`, `predicted_paired`) → column.

    Labels are coded (`Coded`), identifiers texts (`as_list`). `columns` says which column of the file each
    is, and `recognised` which of them were not named by the caller but recognised. `counts` says how often
    each row occurs, where an engine has counted (`count_files`); None: once.
    `locate(role, row, reason)` is the error about a cell, with its file, its line and its column.
    """

    def __init__(
        self,
        arrays: Mapping[str, Any],
        columns: Mapping[str, str],
        recognised: Iterable[str] = (),
        locate: Callable[[str, int, str], MalformedRecord] = lambda role, row, reason: MalformedRecord(
            "", f"row {row + 1}: {reason}"
        ),
        counts: np.ndarray | None = None,
    ) -> None:
        super().__init__(arrays)
        self.columns, self.recognised = dict(columns), list(recognised)
        self.locate, self.counts = locate, counts

    @property
    def roles(self) -> list[str]:
        """The roles whose columns hold labels."""
        return [role for role in self if role != "id"]

    def replaced(self, arrays: Mapping[str, Any]) -> LabelColumns:
        """The same columns with other labels in some."""
        return LabelColumns({**self, **arrays}, self.columns, self.recognised, self.locate, self.counts)

    def frame(self) -> pd.DataFrame:
        """The columns as a frame, see `read_predictions`."""
        frame = as_frame(self)
        frame.attrs.update(columns=self.columns, recognised=self.recognised)
        return frame


def distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, from json's `object_pairs_hook`; ValueError for a key that is there twice.

    >>> json.loads('{"gold": "a", "gold": "b"}', object_pairs_hook=distinct_keys)
    Traceback (most recent call last):
    ValueError: key 'gold' is there twice
    """
    record = dict(pairs)
    if len(record) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"key {shown(twice)} is there twice")
    return record


def json_fault(error: Exception) -> str:
    """What is wrong with a text that is no JSON, from the error of json, or of `distinct_keys`."""
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON at character {error.pos}: {error.msg}"
    return "nested too deeply" if isinstance(error, RecursionError) else str(error)


def json_document(path: Path | str, content: bytes | None = None, pairs: Callable = distinct_keys) -> Any:
    """The one JSON value of a file, whose content may be known; `pairs` makes an object of its pairs.

    Raises MalformedRecord for what is none, with the line where it breaks off; for a key that is there twice.
    """
    try:
        content = read_file(path) if content is None else content
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        reason = f"no valid JSON at column {error.colno}: {error.msg}"
        raise MalformedRecord(path, reason, error.lineno) from error
    except RecursionError as error:
        raise MalformedRecord(path, json_fault(error)) from error
    except ValueError as error:  # not UTF-8, or a number of thousands of digits
        raise MalformedRecord(path, f"no valid JSON ({error})") from error


def json_records(path: Path | str, content: bytes) -> Sequence[Any]:
    """The records of a JSON document: of its list, of the rows of its columns, or labels, one a record.

    Raises MalformedRecord for a document of another shape, and as `json_document`.
    """
    document = json_document(path, content)
    with naming_file(path):
        return _records(document)


def _records(document: Any) -> Sequence[Any]:
    if isinstance(document, list):
        labels = bool(document) and not isinstance(document[0], dict | list)
        return [{"label": label} for label in document] if labels else document
    columns = document if isinstance(document, dict) else {}
    for name, column in columns.items():
        if isinstance(column, dict):  # by their order, rows of two columns may not be the same
            raise ValueError(
                f"column {shown(name)} has a key for each row; a list for each column is needed, "
                "or a list of records, in pandas to_json(orient='records')"
            )
    columns = {name: column for name, column in columns.items() if isinstance(column, list)}
    if not columns:
        shapes = "a list of records, an object of columns, or a list of labels"
        raise ValueError(f"{shapes} is expected, not {shown(document)}")
    rows = {name: len(column) for name, column in columns.items()}
    if len(set(rows.values())) > 1:
        lengths = ", ".join(f"{shown(name)} has {n}" for name, n in rows.items())
        raise ValueError(f"the columns have different lengths: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def label_of(value: Any, cell: str = "field") -> str:
    """The label that a value of JSON, or of a `cell`, stands for; ValueError says why it is none.

    >>> label_of(7), label_of("NA")
    ('7', 'NA')
    """
    if type(value) is int:
        return str(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"the {cell} is empty")
    if not isinstance(value, str):
        raise ValueError(f"a label is text or an integer, not {abridged(json.dumps(value, default=str), 80)}")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{shown(value)} holds half a character (an unpaired surrogate)")
    return value
