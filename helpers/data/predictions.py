"""Anybody's predictions: gold and predicted labels from CSV, TSV, JSON lines or Parquet, plain or gzipped.

Labels are text and are never turned into missing values: `NA`, `None` and `null` are names of relations. A
file with a fault is refused with its line and column. Ten million rows are read in seconds. Nothing is scored
here.

The inverse of each label, read from a file, where it is not `(e1,e2)` ↔ `(e2,e1)`.

It says which label the paired sample has; what is scored with it is the business of `scoring`.
"""

from __future__ import annotations

import gzip
import json
import logging
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from helpers.core import MalformedRecord, did_you_mean

from .tabular import Delimited, JsonLines, Parquet

logger = logging.getLogger(__name__)
ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")

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
    source = open_source(path)
    named = {
        "id": id_column,
        "gold": gold_column,
        "predicted": predicted_column,
        "predicted_paired": paired_column,
    }
    columns = _choose(source, named)
    table = source.read(list(dict.fromkeys(columns.values())), columns.get("id"))
    if not table.num_rows:
        raise MalformedRecord(path, f"there are no predictions, only the columns {', '.join(source.names)}")
    if "id" in columns:
        _check_unique(source, table.column(columns["id"]), columns["id"])
    frame = pd.DataFrame({role: _series(table.column(name)) for role, name in columns.items()})
    frame.attrs["columns"] = columns
    frame.attrs["recognised"] = [role for role in columns if named[role] is None]
    return frame


def open_source(path: Path | str) -> Delimited | JsonLines | Parquet:
    """The file as a source of columns, chosen by its ending.

    Raises
    ------
    ValueError : unknown ending (the known ones are listed).
    MalformedRecord : the file, or the gzip archive around it, is broken.
    """
    path = Path(path)
    endings = [ending.lower() for ending in path.suffixes]
    zipped = endings[-1:] == [".gz"]
    ending = (endings[:-1] if zipped else endings)[-1:]
    if not ending or ending[0] not in ENDINGS:
        raise ValueError(
            f"{path}: unknown ending; known are {', '.join(ENDINGS)}, each also with .gz after it"
        )
    content = _unzipped(path) if zipped else path.read_bytes()
    if ending[0] == ".parquet":
        return Parquet(path, content)
    if ending[0] == ".jsonl":
        return JsonLines(path, content)
    return Delimited(path, content, "," if ending[0] == ".csv" else "\t")


def _unzipped(path: Path) -> bytes:
    try:
        with gzip.open(path) as file:
            return file.read()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedRecord(path, f"the gzip archive is broken ({error})") from error


def _choose(source: Delimited | JsonLines | Parquet, named: dict[str, str | None]) -> dict[str, str]:
    """Role → column of the file."""
    columns = {}
    for role, name in named.items():
        name = _present(source, role, name) if name is not None else _recognised(source, role)
        if name is not None:
            columns[role] = name
    return columns


def _present(source: Delimited | JsonLines | Parquet, role: str, name: str) -> str:
    if source.names.count(name) != 1:
        problem = "occurs more than once" if name in source.names else "does not exist"
        hint = did_you_mean(name, source.names) or "."
        raise ValueError(f"{source.path}: column {name!r} for {role} {problem}{hint} {_listed(source)}")
    return name


def _recognised(source: Delimited | JsonLines | Parquet, role: str) -> str | None:
    known = COMMON_NAMES.get(role, ())
    found = [name for name in source.names if name.lower() in known]
    found = [name for name in found if name.lower() == known[0]] or found
    if len(found) == 1:
        logger.info("%s: column %r is taken for %s", source.path, found[0], role)
        return found[0]
    if role not in ("gold", "predicted"):
        return None
    problem = f"more than one could be: {', '.join(found)}" if found else "no column has a common name"
    raise ValueError(f"{source.path}: which column is {role}? {problem}; name it. {_listed(source)}")


def _listed(source: Delimited | JsonLines | Parquet) -> str:
    return f"Columns: {', '.join(source.names)}"


def _check_unique(source: Delimited | JsonLines | Parquet, identifiers: pa.ChunkedArray, name: str) -> None:
    if pc.count_distinct(identifiers).as_py() == len(identifiers):
        return
    first: dict[str, int] = {}
    for row, identifier in enumerate(identifiers.to_pylist()):
        if first.setdefault(identifier, row) != row:
            reason = f"identifier {identifier!r} of {_place(source, row)} occurs twice"
            reason += f", the first time in {_place(source, first[identifier])}"
            raise MalformedRecord(source.path, reason, source.line(row), name)


def _place(source: Delimited | JsonLines | Parquet, row: int) -> str:
    line = source.line(row)
    return f"row {row + 1}" if line is None else f"line {line}"


def _series(column: pa.ChunkedArray) -> pd.Series:
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return column.to_pandas()


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
                reason = f"label {one!r} has two inverses, {both[one]!r} and {two!r}"
                raise MalformedRecord(path, reason, line(row))
    if not both:
        raise MalformedRecord(path, "there are no labels")
    return both


def _json_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    try:  # a tuple stands for an object, so that a name that occurs twice is seen
        pairs = json.loads(Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=tuple)
    except ValueError as error:
        raise ValueError(f"{path}: no JSON: {error}") from None
    if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
        raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    return pairs, lambda row: None


def _table_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    source, wanted = open_source(path), ("label", "inverse")
    for name in wanted:
        if name not in source.names:
            raise ValueError(f"{path}: no column {name!r}. Columns: {', '.join(source.names)}")
    table = source.read(wanted)
    return list(zip(*(table.column(name).to_pylist() for name in wanted), strict=True)), source.line
