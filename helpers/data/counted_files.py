"""Prediction files counted by an engine: one file or thousands, on disk or at an address, out of core.

`count_files` gives the same labels and errors as `read_label_columns`: a file in which an engine finds
something wrong is read again in memory, to name line and column in the same words.
"""

from __future__ import annotations

import glob
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import MalformedRecord, listing, named_twice, naming_file, unknown_name
from .cells import first_row, label_of_json
from .engines import COUNT, CountedColumns
from .label_names import with_names
from .predictions import LabelColumns, columns_of, named_columns, read_label_columns
from .scans import KINDS, READERS, Part, Reader, is_address, is_large
from .sources import STANDARD_INPUT, file_kind, open_source
from .tabular import Source

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)


def find_files(paths: Path | str | Sequence[Path | str]) -> list[str]:
    """The files that paths and patterns (*, ?, [..], ** for folders) mean; addresses are kept as they are.

    Raises FileNotFoundError for a pattern without a file, ValueError for a file that is meant twice, under
    one name or two.

    >>> find_files(["a.csv", "s3://bucket/*.parquet"])
    ['a.csv', 's3://bucket/*.parquet']
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    files: list[str] = []
    for path in map(str, given):
        if is_address(path) or os.path.exists(path) or not glob.has_magic(path):
            files.append(path)
            continue
        found = [one for one in sorted(glob.glob(path, recursive=True)) if os.path.isfile(one)]
        if not found:
            raise FileNotFoundError(f"{path}: no file has a name like that")
        files += found
    if twice := named_twice(files):
        also = "" if twice[0] == twice[1] else f", also as {twice[0]}"
        raise ValueError(f"{twice[1]}: the file is named twice{also}; its samples would count twice")
    return files


def count_files(
    paths: Path | str | Sequence[Path | str],
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    engine: str | None = None,
    check_ids: bool = False,
    gold_file: Path | str | None = None,
    form: str | None = None,
    label_names: Mapping[str, str] | None = None,
) -> LabelColumns:
    """The label columns of one prediction file or of many, counted where there are many rows.

    Parameters
    ----------
    paths : a file as in `read_predictions`; or a pattern such as 'predictions/*.parquet', an address (DuckDB
        reads s3://, gs:// and https:// if its extension httpfs is installed), several of them: of CSV, TSV,
        JSON lines or Parquet. Their rows are the samples of one test set.
    gold_column, predicted_column, paired_column, id_column, label_names : as of `read_predictions`.
    engine : 'memory', 'duckdb' or 'spark'; None: memory for one file of less than 1 GiB, else DuckDB.
    check_ids : identifiers have to be unique over all files. In memory those of a file always are.
    gold_file, form : as of `read_predictions`, for one file in memory.

    Returns
    -------
    As `read_label_columns`; of DuckDB, Spark and several files distinct combinations, with `counts`.

    Raises
    ------
    ValueError, MalformedRecord : as `read_label_columns`; an engine that is unknown or not installed; no
        column of identifiers to check. FileNotFoundError : no file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         _ = Path(folder, f"{name}.csv").write_text("gold,predicted\\nNA,NA\\nNA,r\\n")
    ...     found = count_files(f"{folder}/*.csv")
    >>> sorted(zip(found["predicted"].to_pylist(), found.counts.tolist()))
    [('NA', 2), ('r', 2)]
    """
    if engine is not None and engine not in READERS:
        raise unknown_name("engine", engine, READERS)
    files = find_files(paths)
    place = str(paths) if isinstance(paths, str | Path) else listing(files, 200)
    columns = (gold_column, predicted_column, paired_column, id_column)
    plain = not is_address(place) and place == files[0]
    small = gold_file is not None or form is not None or place == STANDARD_INPUT
    small = small or file_kind(place) not in KINDS or not is_large(place)
    if plain and (engine == "memory" or (engine is None and small)):
        found = read_label_columns(place, *columns, gold_file=gold_file, form=form, label_names=label_names)
        _check_there_are_ids(found.columns, place, check_ids)
        return found
    if gold_file is not None or form is not None:
        option = "--gold" if gold_file is not None else "--input-format"
        raise ValueError(f"{place}: {option} is for one file that is read in memory, --engine memory")
    named = named_columns(*columns)
    with READERS[engine or "duckdb"](place) as reader:
        parts = _parts(files, named, reader.head)
        counted = _count_parts(parts, named, reader)
        # one plain file keeps what it has in memory: its identifiers are checked
        if check_ids or (plain and engine is None and "id" in counted.columns):
            for part in parts:
                _check_there_are_ids(part.columns, part.files[0], True)
            reader.check_ids(parts)
        elif "id" in counted.columns and engine != "memory":
            logger.warning("%s: ids are not checked; --check-ids looks for those that occur twice", place)
    return with_names(counted, label_names) if label_names else counted


def _count_parts(parts: list[Part], named: Mapping[str, str | None], reader: Reader) -> CountedColumns:
    import pyarrow as pa

    columns = dict(parts[0].columns)
    roles = [role for role in columns if role != "id"]
    tables, raw = [], []
    for part in parts:
        with reader.naming(part):
            found = reader.count(part, roles)
        label_of = label_of_json if part.kind == "jsonl" and reader.raw_json else _label_of_cell
        coded = {role: _coded(part, role, found.column(role), label_of, reader) for role in roles}
        tables.append(pa.table({**coded, COUNT: found.column(COUNT).cast(pa.int64())}))
        raw.append(found)
    table = pa.concat_tables(tables)
    if not table.num_rows:
        reason = f"there are no predictions, only the columns {listing(parts[0].names)}"
        raise MalformedRecord(parts[0].files[0], reason)

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        at = 0
        while row >= len(raw[at]):
            row, at = row - len(raw[at]), at + 1
        with type(reader)(reader.place) as again:  # by now the first one has closed its connection
            return _located(parts[at], role, raw[at].column(role)[row].as_py(), reason, again)

    return CountedColumns(table, columns, [role for role in columns if named[role] is None], locate)


def _check_there_are_ids(columns: Mapping[str, str], path: str, asked: bool) -> None:
    if asked and "id" not in columns:
        raise ValueError(f"{path}: there are no identifiers to check; which column has them? --id-column C")


def _label_of_cell(value: Any) -> str:
    if value is None or not str(value).strip():
        raise ValueError("the cell is empty")
    return str(value)


def _coded(
    part: Part, role: str, column: pa.ChunkedArray, label_of: Callable[[Any], str], reader: Reader
) -> pa.ChunkedArray:
    """The labels that raw values stand for, coded; each distinct value is looked at once."""
    import pyarrow as pa

    coded = (
        pa.chunked_array(column).combine_chunks() if isinstance(column, pa.Array) else column.combine_chunks()
    )
    if not pa.types.is_dictionary(coded.type):
        coded = coded.dictionary_encode(null_encoding="encode")
    labels: list[str] = []
    for value in coded.dictionary.to_pylist():
        try:
            labels.append(label_of(json.loads(value) if value and label_of is label_of_json else value))
        except ValueError as error:
            raise _located(part, role, value, str(error), reader) from None
    return pa.chunked_array([pa.DictionaryArray.from_arrays(coded.indices, pa.array(labels, pa.string()))])


def _located(part: Part, role: str, value: Any, reason: str, reader: Reader) -> MalformedRecord:
    """The error of a value: the first file with it and, if that can be read in memory, line and column."""
    name = part.columns[role]
    with reader.naming(part):
        file = part.files[0] if len(part.files) == 1 else reader.file_of(part, role, value)
    if is_address(file) or is_large(file):
        return MalformedRecord(file, reason, None, name)
    try:
        source = open_source(file)
        column = source.read([name]).column(name)
    except MalformedRecord as fault:
        return fault
    text = json.loads(value) if part.kind == "jsonl" and reader.raw_json and value else value
    row = first_row(column, lambda label: label == str(text))
    return MalformedRecord(file, reason, None if row is None else source.line(row), name)


def _parts(
    files: Sequence[str], named: Mapping[str, str | None], head_of: Callable[[str], tuple[str, Source, str]]
) -> list[Part]:
    """Files that are alike, together."""
    parts: dict[tuple, Part] = {}
    for file in files:
        with naming_file(file):
            kind, source, types = head_of(file)
            columns = columns_of(source, named)
        names = () if kind == "jsonl" else tuple(source.names)
        key = (kind, names, types, *columns.items())
        parts.setdefault(key, Part(kind, tuple(source.names), columns, [])).files.append(file)
    return list(parts.values())
