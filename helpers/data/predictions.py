"""Anybody's predictions and inverse labels, from the files that `tabular` reads.

A file with a fault is refused with its line and column; ten million rows are read in seconds.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from helpers.core import MalformedRecord, listing, naming_file, read_file, shown

from .tabular import Source, first_row, open_source

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

logger = logging.getLogger(__name__)

COMMON_NAMES = {
    "id": ("id", "sample_id", "example_id", "instance_id", "uid", "guid"),
    "gold": ("gold", "gold_label", "label", "labels", "label_true", "true_label", "y_true", "true", "target"),
    "predicted": (
        "predicted",
        "predicted_label",
        "prediction",
        "predictions",
        "pred",
        "pred_label",
        "label_pred",
        "y_pred",
    ),
}
"""Column names that are recognised, in any case; the first of a list is taken even where others match too."""


class LabelColumns(dict):
    """The columns of a prediction file: role (`id`, `gold`, `predicted`, `predicted_paired`) → Arrow column.

    Labels are coded, identifiers text. `columns` says which column of the file each is, and `recognised`
    which of them were not named by the caller but recognised. `read_predictions` makes a frame of them.
    """

    def __init__(self, table: pa.Table, columns: dict[str, str], recognised: Iterable[str]) -> None:
        super().__init__((role, table.column(name)) for role, name in columns.items())
        self.columns, self.recognised = columns, list(recognised)

    def first_row(self, role: str, fault: Callable[[str], bool]) -> int | None:
        """The first row (from 0) whose label has a fault, or None; each distinct label is judged once."""
        return first_row(self[role], fault)


def read_label_columns(
    path: Path | str,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
) -> LabelColumns:
    """What `read_predictions` reads, without a frame: counting takes the columns as they are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("label_true,label_pred\\nNA,None\\n")
    ...     found = read_label_columns(path)
    >>> found["predicted"].to_pylist(), found.columns
    (['None'], {'gold': 'label_true', 'predicted': 'label_pred'})
    """
    source = open_source(path)
    named = {
        "id": id_column,
        "gold": gold_column,
        "predicted": predicted_column,
        "predicted_paired": paired_column,
    }
    found = {role: _column(source, role, name) for role, name in named.items()}
    columns = {role: name for role, name in found.items() if name is not None}
    table = source.read(list(dict.fromkeys(columns.values())), columns.get("id"))
    if not table.num_rows:
        raise MalformedRecord(path, f"there are no predictions, only the columns {listing(source.names)}")
    if "id" in columns:
        with naming_file(path):
            _check_unique(source, table.column(columns["id"]), columns["id"])
    return LabelColumns(table, columns, (role for role in columns if named[role] is None))


def read_predictions(
    path: Path | str,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
) -> pd.DataFrame:
    """Gold and predicted labels of a file.

    Parameters
    ----------
    path : a file that ends in .csv, .tsv, .jsonl or .parquet, or in one of these with .gz after it. Text is
        UTF-8.
    gold_column, predicted_column : names of the two columns. None: recognised by a common name
        (`COMMON_NAMES`).
    paired_column : name of the column with the predictions on the paired samples, if there is one.
    id_column : name of the column of identifiers. None: recognised by a common name, left out if there is
        none.

    Returns
    -------
    A frame with the columns `id` (if there is one), `gold`, `predicted` and `predicted_paired` (if named).
    Labels are categorical, identifiers text. `frame.attrs["columns"]` says which column of the file each was,
    and `frame.attrs["recognised"]` which of them were not named by the caller but recognised; these are also
    logged.

    Raises
    ------
    ValueError : unknown ending; a column that is absent or cannot be recognised (the columns there are
        listed).
    MalformedRecord : with line and column: wrong encoding, a row with too few or too many cells, broken JSON,
        an empty label, a label that is neither text nor an integer, an identifier that is missing or occurs
        twice; no rows.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("label_true,label_pred\\nNA,None\\n")
    ...     read_predictions(path)
      gold predicted
    0   NA      None
    """
    import pandas as pd

    found = read_label_columns(path, gold_column, predicted_column, paired_column, id_column)
    codes = {role: column.unify_dictionaries() for role, column in found.items()}
    frame = pd.DataFrame({role: column.to_pandas() for role, column in codes.items()})
    frame.attrs.update(columns=found.columns, recognised=found.recognised)
    return frame


def _column(source: Source, role: str, name: str | None) -> str | None:
    """The column of the file that has this role: the one that is named, else one with a common name."""
    if name is not None:
        return source.column(name, f" for {role}")
    known = COMMON_NAMES.get(role, ())
    found = [name for name in source.names if name.lower() in known]
    found = [name for name in found if name.lower() == known[0]] or found
    if len(found) == 1:
        logger.info("%s: column %r is taken for %s", source.path, found[0], role)
        return found[0]
    if role not in ("gold", "predicted"):
        return None
    problem = f"more than one could be: {listing(found)}" if found else "no column has a common name"
    listed = listing(source.names)
    raise ValueError(
        f"{source.path}: which column is {role}? {problem}; name it, --{role}-column C. Columns: {listed}"
    )


def _check_unique(source: Source, identifiers: pa.ChunkedArray, name: str) -> None:
    with ThreadPoolExecutor() as pool:
        hashes = np.concatenate(list(pool.map(text_hashes, identifiers.chunks)))
    hashes.sort()
    if (hashes[1:] != hashes[:-1]).all():
        return
    first: dict[str, int] = {}
    for row, identifier in enumerate(identifiers.to_pylist()):
        if first.setdefault(identifier, row) != row:
            here, there = (_place(source, one) for one in (row, first[identifier]))
            reason = f"identifier {shown(identifier)} of {here} occurs twice, the first time in {there}"
            raise MalformedRecord(source.path, reason, source.line(row), name)


def text_hashes(texts: pa.StringArray) -> np.ndarray:
    """(n,) uint64, one for each text: equal where the texts are, and hardly ever elsewhere.

    Eight bytes of every text are mixed in at a time. Sorted, they tell whether a text occurs twice in a
    fraction of the time that a table of ten million texts takes.

    >>> import pyarrow as pa
    >>> one, two, three = text_hashes(pa.array(["sample-10", "sample-11", "sample-10"])).tolist()
    >>> one == three, one == two
    (True, False)
    """
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    padded = np.concatenate([np.frombuffer(data or b"", np.uint8), np.zeros(8, np.uint8)])
    words = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    starts, lengths = ends[:-1].astype(np.int64), np.diff(ends).astype(np.uint64)
    hashes, rows = lengths.copy(), slice(None)
    for done in range(0, int(lengths.max(initial=0)), 8):
        if (lengths <= done).any():
            rows = np.flatnonzero(lengths > done)
        left = np.minimum(lengths[rows] - np.uint64(done), 8)
        word = words[starts[rows] + done] << (np.uint64(8) * (np.uint64(8) - left))
        mixed = (hashes[rows] ^ word) * np.uint64(0x9E3779B97F4A7C15)
        hashes[rows] = mixed ^ (mixed >> np.uint64(32))
    return hashes


def _place(source: Source, row: int) -> str:
    line = source.line(row)
    return f"row {row + 1}" if line is None else f"line {line}"


Pairs = Sequence[tuple[str, str]]


def read_inverse(path: Path | str) -> dict[str, str]:
    """The inverse labels of a file: JSON {label: inverse}, or .csv, .tsv, .jsonl, .parquet with columns label
    and inverse.

    A pair may stand there once, in either order, and is returned in both; labels that are not named are their
    own inverse.

    Raises
    ------
    ValueError : with the file, and the line where there is one: a missing column, no JSON object of labels, a
        label with two inverses, no labels.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "inverse.json")
    ...     _ = path.write_text('{"per:parents": "per:children"}')
    ...     read_inverse(path)
    {'per:parents': 'per:children', 'per:children': 'per:parents'}
    """
    pairs, line = _json_pairs(path) if Path(path).suffix.lower() == ".json" else _table_pairs(path)
    both: dict[str, str] = {}
    for row, (label, other) in enumerate(pairs):
        for one, two in ((label, other), (other, label)):
            if both.setdefault(one, two) != two:
                reason = f"label {shown(one)} has two inverses, {shown(both[one])} and {shown(two)}"
                raise MalformedRecord(path, reason, line(row))
    if not both:
        raise MalformedRecord(path, "there are no labels")
    return both


def _json_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    with naming_file(path):
        try:  # a tuple stands for an object, so that a name that occurs twice is seen
            pairs = json.loads(read_file(path).decode(), object_pairs_hook=tuple)
        except ValueError as error:
            raise ValueError(f"no JSON: {error}") from None
    if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
        raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    return pairs, lambda row: None


def _table_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    source, wanted = open_source(path), ("label", "inverse")
    for name in wanted:
        source.column(name)
    table = source.read(wanted)
    return list(zip(*(table.column(name).to_pylist() for name in wanted), strict=True)), source.line
