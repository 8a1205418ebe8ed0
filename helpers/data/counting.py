"""How often each combination of labels occurs, in prediction files and in frames of any engine.

Files of less than 32 MiB are read as any prediction file is, and added; larger ones and addresses are counted
by DuckDB in bounded memory, or by Spark where its cluster is. Labels have the rules of prediction files
everywhere: none is missing or blank, case matters.
"""

from __future__ import annotations

import contextlib
import glob
import logging
import os
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from ..core import MalformedRecord, listing, named_twice, shown, unknown_name
from .columns import FRAME, Coded, LabelColumns
from .engines import ENGINES, KINDS, READ_AGAIN, quoted
from .predictions import NO_PREDICTIONS, ROLES, columns_of, read_columns, read_predictions
from .tables import STANDARD_INPUT, Source, file_kind, file_size, is_address, open_source

logger = logging.getLogger(__name__)

LARGE = 1 << 25
"""Bytes from which files are counted by DuckDB, where it is installed; of fewer, it is no faster."""
MOST_COMBINATIONS = 1 << 22
"""Rows of a table of counts: more combinations than that are of ids or texts, not of classes."""
MEMORY = "memory"
"""The engine that reads whole files."""
_COUNT = "__count__"


def _find_files(paths: Path | str | Sequence[Path | str]) -> list[str]:
    """The files that paths and patterns (*, ?, [..], ** for folders) mean; addresses are kept as they are.

    Raises FileNotFoundError for a pattern without a file, ValueError for a file that is meant twice, under
    one name or two.

    >>> _find_files(["a.csv", "s3://bucket/*.parquet"])
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
    engine : 'memory', 'duckdb' or 'spark'; None: memory for less than 32 MiB (of archives 4, of
        Parquet 1 MiB), or where DuckDB is not installed, else DuckDB.
    check_ids : identifiers have to be unique over all files. Those of a single file always are, unless
        DuckDB or Spark is named.
    gold_file, form, empty : as of `read_predictions`, for one file in memory.

    Returns
    -------
    As `read_predictions`, all files together; of DuckDB and Spark combinations of labels, with `counts`.

    Raises
    ------
    ValueError, MalformedRecord : as `read_predictions`; an engine that is unknown or not installed; no
        column of identifiers to check. FileNotFoundError : no file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in "ab":
    ...         _ = Path(folder, f"{name}.csv").write_text("gold,predicted\\nNA,NA\\nNA,r\\n")
    ...     counted = count_files(f"{folder}/*.csv")
    >>> counted["predicted"].tolist()
    ['NA', 'r', 'NA', 'r']
    """
    if engine not in (None, MEMORY, *ENGINES):
        raise unknown_name("engine", engine, (MEMORY, *ENGINES))
    files = _find_files(paths)
    name = str(paths) if isinstance(paths, str | Path) else listing(files, 200)
    columns = (gold_column, predicted_column, paired_column, id_column)
    named = dict(zip(ROLES, (id_column, *columns[:3]), strict=True))
    alone = len(files) == 1 and not is_address(files[0])
    for_one = {"--gold": gold_file, "--input-format": form, "--empty": empty if empty != "error" else None}
    given = [option for option, value in for_one.items() if value is not None]
    whole = alone and (given or files[0] == STANDARD_INPUT or file_kind(files[0]) not in KINDS)
    large = any(map(is_address, files)) or sum(map(file_size, files)) >= LARGE and find_spec("duckdb")
    chosen = engine or ("duckdb" if large and not whole else MEMORY)
    if given and not (alone and chosen == MEMORY):
        raise ValueError(f"{name}: {given[0]} is for one file that is read in memory, --engine memory")
    for file in files:
        if is_address(file) and chosen != "duckdb":
            raise ValueError(f"{file}: addresses are read by DuckDB, --engine duckdb")
        if file_kind(file) not in KINDS and not (alone and chosen == MEMORY):
            known = ", ".join(f".{ending}" for ending in KINDS)
            raise ValueError(f"{file}: files that are counted together end in {known}")
    # a file that is given alone has its identifiers checked, whatever its size
    checked = check_ids or (alone and (engine is None or chosen == MEMORY))

    def in_memory() -> LabelColumns:
        if not alone:
            return _read_all(files, named, check_ids)
        read = read_predictions(files[0], *columns, gold_file=gold_file, form=form, empty=empty)
        _have_ids([read], name, check_ids)
        return read

    try:
        counted = in_memory() if chosen == MEMORY else _count_all(files, named, chosen, check_ids, checked)
    except MalformedRecord:
        if chosen == MEMORY or sum(map(file_size, files)) > READ_AGAIN:
            raise
        counted = in_memory()  # which knows the line of the fault, and reads some files that engines do not
        if engine:
            raise
    if "id" in counted.columns and not checked:
        logger.warning("%s: ids are not checked; --check-ids looks for those that occur twice", name)
    return counted.named(label_names)


def _have_ids(tables: Iterable[Any], name: str, needed: bool) -> bool:
    """Whether all these tables have identifiers; ValueError if they are needed and one has none."""
    there = all("id" in table.columns for table in tables)
    if needed and not there:
        raise ValueError(f"{name}: there are no identifiers to check; which column has them? --id-column C")
    return there


def _read_all(files: Sequence[str], named: Mapping[str, str | None], check_ids: bool) -> LabelColumns:
    """The columns of files that are read one after the other, one below the other."""
    tables, holders = [], defaultdict(list)
    for file in files:
        tables.append(read_columns(open_source(file), named))
        identifiers = tables[-1].pop("id", ())  # let go, if they are not to be checked
        for identifier in identifiers if check_ids else ():
            holders[identifier].append(file)
    _have_ids(tables, files[0], check_ids)
    if twice := [identifier for identifier, those in holders.items() if len(those) > 1]:
        those = holders[min(twice)]
        where = "all in this file" if len({*those}) == 1 else f"the first in this file, one in {max(those)}"
        reason = f"identifier {shown(min(twice))} occurs {len(those)} times, {where}"
        raise MalformedRecord(min(those), reason, None, tables[0].columns["id"])
    return _joined(tables, files[0], tables[0].columns.values())


def _count_all(
    files: Sequence[str], named: Mapping[str, str | None], engine: str, check_ids: bool, check_known: bool
) -> LabelColumns:
    """The counts of all files by an engine; `check_known` : ids are checked where all files have some."""
    tables = []
    with contextlib.closing(ENGINES[engine]()) as reader:
        parts = reader.parts(files, named)
        roles = [role for role in parts[0].columns if role != "id"]
        have_ids = _have_ids(parts, files[0], check_ids)  # before anything is counted
        for part in parts:
            try:
                values, times = _group_rows(reader.frame(part, roles), roles)
            except reader.errors as error:
                raise reader.unreadable(part.files, error) from error
            tables.append(part.table(values, times))
        if have_ids and check_known:
            reader.check_ids(parts)
    return _joined(tables, files[0], parts[0].names)


def _joined(tables: Sequence[LabelColumns], path: str, names: Collection[str]) -> LabelColumns:
    """The tables one below the other; MalformedRecord if there is no row, with the columns of the first."""
    first, ends = tables[0], [0, *accumulate(len(table["gold"]) for table in tables)]
    if not ends[-1]:
        raise MalformedRecord(path, NO_PREDICTIONS + listing(names))

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        number = int(np.searchsorted(ends, row, side="right")) - 1
        return tables[number].locate(role, row - ends[number], reason)

    together = {role: Coded.of(label for table in tables for label in table[role]) for role in first.roles}
    counts = None if first.counts is None else np.concatenate([table.counts for table in tables])
    return LabelColumns(together, first.columns, locate, counts)


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
    >>> sorted(zip(counted["gold"].tolist(), counted["predicted"].tolist(), counted.counts.tolist()))
    [('a', 'a', 1), ('a', 'b', 2)]
    """
    if not hasattr(frame, "columns"):
        engines = "DuckDB, Spark, Dask, Polars, pandas, Arrow"
        raise ValueError(f"{shown(frame)} is no frame of an engine: {engines}")
    # `columns` of an Arrow table are its data
    source = Source(FRAME, names=[str(name) for name in getattr(frame, "column_names", frame.columns)])
    named = dict(zip(ROLES[1:], (gold, predicted, paired), strict=True))
    columns = columns_of(source, named)
    grouped, counts = _group_rows(frame, list(columns.values()))
    if not len(counts):
        raise MalformedRecord(FRAME, "there are no rows, so no samples to count")
    for name, values in grouped.items():
        missing = np.array([_is_missing(value, name) for value in values])
        if missing.any():
            rows = f"{counts[missing].sum()} of {counts.sum()} rows"
            raise MalformedRecord(FRAME, f"the cell is empty in {rows}", None, name)
    coded = {role: Coded.of(grouped[name]) for role, name in columns.items()}
    return LabelColumns(coded, columns, counts=counts)


def _is_missing(value: Any, column: str) -> bool:
    """Whether a cell of a frame is empty; MalformedRecord for what is neither text nor an integer."""
    if isinstance(value, str):
        return not value.strip()
    if value is None or value is getattr(sys.modules.get("pandas"), "NA", None) or value != value:
        return True
    if not isinstance(value, int | np.integer | np.bool_):
        reason = f"labels are text or integers, not {type(value).__name__}"
        raise MalformedRecord(FRAME, reason, None, column)
    return False


def _group_rows(frame: Any, columns: Sequence[str]) -> tuple[dict[str, list], np.ndarray]:
    """The distinct rows of some columns of a frame, and how often each occurs (int64), by one GROUP BY.

    Frames of pandas need nothing else, others narwhals or, of DuckDB, Arrow.

    Raises ValueError for more than `MOST_COMBINATIONS` of them.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "a", "a"], "predicted": ["b", "b", "b"], "text": ["x", "y", "z"]})
    >>> _group_rows(frame, ["gold", "predicted"])
    ({'gold': ['a'], 'predicted': ['b']}, array([3]))
    """
    columns = list(dict.fromkeys(columns))
    kind, *_ = type(frame).__module__.lstrip("_").split(".")
    if kind == "pandas":
        groups = frame.groupby(columns, sort=False, dropna=False, observed=True).size()
        table = groups.reset_index(name=_COUNT).to_dict("list")
    elif kind == "duckdb":
        # by its own method: narwhals' wrapper makes DuckDB 2.0 report leaks when the program ends
        names = ", ".join(map(quoted, columns))
        counted = frame.aggregate(f"{names}, count(*) AS {_COUNT}", names)
        table = counted.limit(MOST_COMBINATIONS + 1).to_arrow_table().to_pydict()
    else:
        import narwhals as nw

        grouped = nw.from_native(frame).lazy().group_by(*columns).agg(nw.len().alias(_COUNT))
        table = grouped.head(MOST_COMBINATIONS + 1).collect().to_arrow().to_pydict()
    counts = np.array(table.pop(_COUNT), np.int64)
    if len(counts) > MOST_COMBINATIONS:
        what = f"{MOST_COMBINATIONS} combinations of {' and '.join(map(shown, columns))}"
        raise ValueError(f"more than {what}: are they labels, or ids or texts?")
    return {name: table[name] for name in columns}, counts
