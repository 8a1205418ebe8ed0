"""How often each combination of labels occurs, in prediction files and in frames of any engine.

Files of less than 1 GiB together are read as any prediction file is, one after the other; larger ones and
addresses are counted by DuckDB in bounded memory, or by Spark where its cluster is. Labels have the rules of
prediction files everywhere: none is missing or blank, case matters.
"""

from __future__ import annotations

import glob
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import MalformedRecord, listing, named_twice, shown, unknown_name
from .cells import check_types
from .engines import ENGINES, KINDS, Engine, Part, is_address, is_large, quoted_name
from .label_names import with_names
from .predictions import LabelColumns, columns_of, named_columns, read_label_columns
from .sources import STANDARD_INPUT, file_kind
from .tabular import Source

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

MOST_COMBINATIONS = 1 << 22
"""Rows of a table of counts: more combinations than that are of ids or texts, not of classes."""
_COUNT, _FRAME = "__count__", "the frame"


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
        matching = [name for name in sorted(glob.glob(path, recursive=True)) if os.path.isfile(name)]
        if not matching:
            raise FileNotFoundError(f"{path}: no file has a name like that")
        files += matching
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
    empty: str = "error",
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
    gold_file, form, empty : as of `read_predictions`, for one file in memory.

    Returns
    -------
    As `read_label_columns`; of DuckDB, Spark and several files combinations of labels, with `counts`.

    Raises
    ------
    ValueError, MalformedRecord : as `read_label_columns`; an engine that is unknown or not installed; no
        column of identifiers to check. FileNotFoundError : no file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         _ = Path(folder, f"{name}.csv").write_text("gold,predicted\\nNA,NA\\nNA,r\\n")
    ...     counted = count_files(f"{folder}/*.csv")
    >>> sorted(set(counted["predicted"].to_pylist())), int(counted.counts.sum())
    (['NA', 'r'], 4)
    """
    if engine is not None and engine not in ENGINES:
        raise unknown_name("engine", engine, ENGINES)
    files = find_files(paths)
    name = str(paths) if isinstance(paths, str | Path) else listing(files, 200)
    columns = (gold_column, predicted_column, paired_column, id_column)
    alone = len(files) == 1 and not is_address(files[0])
    for_one = {"--gold": gold_file, "--input-format": form, "--empty": empty if empty != "error" else None}
    given = [option for option, value in for_one.items() if value is not None]
    read_whole = bool(given) or files[0] == STANDARD_INPUT
    read_whole = alone and (read_whole or file_kind(files[0]) not in KINDS)
    # several files were made by an engine, as a rule: they are many, and one query reads them all
    chosen = engine or ("memory" if read_whole or (alone and not is_large(*files)) else "duckdb")
    if chosen == "memory" and alone:
        reading: dict[str, Any] = {"gold_file": gold_file, "form": form, "label_names": label_names}
        whole = read_label_columns(files[0], *columns, **reading, empty=empty)
        _check_there_are_ids(whole.columns, files[0], check_ids)
        return whole
    if given:
        raise ValueError(f"{name}: {given[0]} is for one file that is read in memory, --engine memory")
    for file in files:
        if is_address(file) and chosen != "duckdb":
            raise ValueError(f"{file}: addresses are read by DuckDB, --engine duckdb")
    named = named_columns(*columns)
    with ENGINES[chosen](name) as reader:
        parts = reader.parts(files, named)
        counted = _count_parts(parts, named, reader)
        # a file that is given alone keeps what it has in memory: its identifiers are checked
        if check_ids or (alone and engine is None and "id" in counted.columns):
            for part in parts:
                _check_there_are_ids(part.columns, part.files[0], True)
            reader.check_ids(parts)
        elif "id" in counted.columns:
            logger.warning("%s: ids are not checked; --check-ids looks for those that occur twice", name)
    return with_names(counted, label_names) if label_names else counted


def _count_parts(parts: Sequence[Part], named: Mapping[str, str | None], reader: Engine) -> LabelColumns:
    """The counts of all parts, one below the other."""
    import pyarrow as pa

    columns = dict(parts[0].columns)
    roles = [role for role in columns if role != "id"]
    values: list[pa.Table] = []
    coded: dict[str, list[pa.Array]] = {role: [] for role in roles}
    times: list[np.ndarray] = []
    for part in parts:
        with reader.naming(part):
            grouped, counts = group_rows(reader.frame(part, roles), roles)
        for role in roles:
            field = grouped.schema.field(role).with_name(part.columns[role])
            check_types(part.files[0], pa.schema([field]))
            coded[role].append(_coded(part, role, grouped.column(role), reader))
        values.append(grouped)
        times.append(counts)
    starts, counts = np.cumsum([0, *map(len, times)])[:-1], np.concatenate(times)
    if not len(counts):
        reason = f"there are no predictions, only the columns {listing(parts[0].names)}"
        raise MalformedRecord(parts[0].files[0], reason)

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        number = int(np.searchsorted(starts, row, side="right")) - 1
        part, value = parts[number], values[number].column(role)[row - int(starts[number])].as_py()
        with type(reader)(reader.place) as again:  # by now the first one has closed its connection
            return again.fault(part, role, value, reason)

    recognised = [role for role in columns if named[role] is None]
    arrays = {role: pa.chunked_array(chunks) for role, chunks in coded.items()}
    return LabelColumns(arrays, columns, recognised, locate, counts)


def _coded(part: Part, role: str, column: pa.ChunkedArray, reader: Engine) -> pa.DictionaryArray:
    """The labels that values of files stand for, coded; each distinct value is looked at once."""
    import pyarrow as pa

    coded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    labels = []
    for value in coded.dictionary.to_pylist():
        try:
            labels.append(reader.label(part, value))
        except ValueError as error:
            raise reader.fault(part, role, value, str(error)) from None
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(labels, pa.string()))


def _check_there_are_ids(columns: Mapping[str, str], path: str, asked: bool) -> None:
    if asked and "id" not in columns:
        raise ValueError(f"{path}: there are no identifiers to check; which column has them? --id-column C")


def count_rows(
    frame: Any, gold: str | None = None, predicted: str | None = None, paired: str | None = None
) -> LabelColumns:
    """How often does each combination of labels occur in a frame of any engine?

    One GROUP BY runs where the rows are, and only the small table of counts comes here.

    Parameters
    ----------
    frame : DuckDB relation, data frame of Spark, Dask, Polars or pandas, Arrow table: what narwhals knows;
        one row a sample.
    gold, predicted, paired : names of the columns; gold and predicted are recognised by a common name if they
        are None, as in `read_predictions`; paired None: no predictions on paired samples.

    Returns
    -------
    Columns `gold`, `predicted` and, if asked for, `predicted_paired` of the distinct combinations, with
    `counts`. `score_frame` of helpers.evaluation scores them;
    `Outcome.from_columns(counted["gold"], counted["predicted"], counts=counted.counts)` is the table.
    Integers stay integers, as in arrays.

    Raises
    ------
    ValueError : a column that is absent or cannot be recognised; more combinations than labels have.
    MalformedRecord : no rows; a column of something else than text or integers; labels that are missing or
        blank, with the number of such rows.

    >>> import duckdb
    >>> rows = duckdb.sql("SELECT * FROM (VALUES ('a', 'a'), ('a', 'b'), ('a', 'b')) t(label, y_pred)")
    >>> counted = count_rows(rows)
    >>> sorted(zip(counted["gold"].to_pylist(), counted["predicted"].to_pylist(), counted.counts.tolist()))
    [('a', 'a', 1), ('a', 'b', 2)]
    """
    import pyarrow as pa

    if not hasattr(frame, "columns"):
        engines = "DuckDB, Spark, Dask, Polars, pandas, Arrow"
        raise ValueError(f"{shown(frame)} is no frame of an engine: {engines}")
    # `columns` of an Arrow table are its data
    source = Source.named(_FRAME, [str(name) for name in getattr(frame, "column_names", frame.columns)])
    named = named_columns(gold, predicted, paired, None)
    columns = {role: name for role, name in columns_of(source, named).items() if role != "id"}
    grouped, counts = group_rows(frame, list(columns.values()))
    if not len(counts):
        raise MalformedRecord(_FRAME, "there are no rows, so no samples to count")
    labels = (field for field in grouped.schema if not pa.types.is_boolean(field.type))
    check_types(_FRAME, pa.schema(field for field in labels if not pa.types.is_null(field.type)))
    for name, column in zip(grouped.column_names, grouped.columns, strict=True):
        missing = np.array([value is None or not str(value).strip() for value in column.to_pylist()])
        if missing.any():
            rows = f"{counts[missing].sum()} of {counts.sum()} rows"
            raise MalformedRecord(_FRAME, f"the cell is empty in {rows}", None, name)
    return LabelColumns(
        {role: grouped.column(name).dictionary_encode() for role, name in columns.items()},
        columns,
        (role for role in columns if named[role] is None),
        lambda role, row, reason: MalformedRecord(_FRAME, reason, None, columns[role]),
        counts,
    )


def group_rows(frame: Any, columns: Sequence[str]) -> tuple[pa.Table, np.ndarray]:
    """The distinct rows of some columns of a frame, and how often each occurs (int64), by one GROUP BY.

    Raises ValueError for more than `MOST_COMBINATIONS` of them.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "a", "a"], "predicted": ["b", "b", "b"], "text": ["x", "y", "z"]})
    >>> grouped, counts = group_rows(frame, ["gold", "predicted"])
    >>> grouped.to_pylist(), counts
    ([{'gold': 'a', 'predicted': 'b'}], array([3]))
    """
    import duckdb
    import pyarrow as pa

    columns = list(dict.fromkeys(columns))
    if isinstance(frame, duckdb.DuckDBPyRelation):
        # by its own method: narwhals' wrapper makes DuckDB 2.0 report leaks when the program ends
        names = ", ".join(map(quoted_name, columns))
        counted = frame.aggregate(f"{names}, count(*) AS {_COUNT}", names)
        table = counted.limit(MOST_COMBINATIONS + 1).to_arrow_table()
    else:
        import narwhals as nw

        grouped = nw.from_native(frame).lazy().group_by(*columns).agg(nw.len().alias(_COUNT))
        table = grouped.head(MOST_COMBINATIONS + 1).collect().to_arrow()
    if table.num_rows > MOST_COMBINATIONS:
        what = " and ".join(map(shown, columns))
        raise ValueError(
            f"more than {MOST_COMBINATIONS} combinations of {what}: are they labels, or ids or texts?"
        )
    return table.select(columns), table.column(_COUNT).cast(pa.int64()).to_numpy()
