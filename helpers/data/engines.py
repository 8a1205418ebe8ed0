"""Counting where the rows are: frames of any engine in, combinations of labels and counts out.

A frame is a DuckDB relation, a data frame of Spark, Dask, Polars or pandas, an Arrow table: what narwhals
knows. One GROUP BY runs in its engine, so the rows stay where they are and only the small table of counts
comes here. Labels have the rules of prediction files: none is missing or blank, case matters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import MalformedRecord, shown
from .predictions import LabelColumns, columns_of, named_columns
from .tabular import Source

if TYPE_CHECKING:
    import pyarrow as pa

COUNT = "__count__"
MOST_COMBINATIONS = 1 << 22
"""Rows of a table of counts: more combinations than that are of ids or texts, not of classes."""
FRAME = "the frame"


def group_rows(frame: Any, columns: Sequence[str]) -> pa.Table:
    """The distinct rows of some columns, and how often each occurs (`COUNT`, int64), by one GROUP BY.

    Raises ValueError for more than `MOST_COMBINATIONS` of them.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "a", "a"], "predicted": ["b", "b", "b"], "text": ["x", "y", "z"]})
    >>> group_rows(frame, ["gold", "predicted"]).to_pylist()
    [{'gold': 'a', 'predicted': 'b', '__count__': 3}]
    """
    import duckdb

    columns = list(dict.fromkeys(columns))
    if isinstance(frame, duckdb.DuckDBPyRelation):
        # by its own method: narwhals' wrapper makes DuckDB 2.0 report leaks when the program ends
        names = ", ".join(map(quoted_name, columns))
        counted = frame.aggregate(f"{names}, count(*) AS {COUNT}", names)
        found = counted.limit(MOST_COMBINATIONS + 1).to_arrow_table()
    else:
        import narwhals as nw

        grouped = nw.from_native(frame).lazy().group_by(*columns).agg(nw.len().alias(COUNT))
        found = grouped.head(MOST_COMBINATIONS + 1).collect().to_arrow()
    if found.num_rows > MOST_COMBINATIONS:
        what = " and ".join(map(shown, columns))
        raise ValueError(
            f"more than {MOST_COMBINATIONS} combinations of {what}: are they labels, or ids or texts?"
        )
    return found


def quoted_name(name: str) -> str:
    """A column's name in SQL.

    >>> quoted_name('a "b"')
    '"a ""b\"""'
    """
    return '"' + name.replace('"', '""') + '"'


class CountedColumns(LabelColumns):
    """Columns of distinct combinations of labels; `counts` says how often each occurs.

    `locate(role, row, reason)` makes the error of a row, with file and line as far as they can be known.
    """

    def __init__(
        self,
        table: pa.Table,
        columns: dict[str, str],
        recognised: Iterable[str],
        locate: Callable[[str, int, str], MalformedRecord],
    ) -> None:
        roles = [role for role in columns if role != "id"]
        super().__init__({role: table.column(role) for role in roles}, columns, recognised)
        self.table, self.locate = table, locate
        self.counts = table.column(COUNT).to_numpy()

    def fault(self, role: str, row: int, reason: str) -> MalformedRecord:
        """As of `LabelColumns`."""
        return self.locate(role, row, reason)

    def replaced(self, arrays: Mapping[str, pa.ChunkedArray]) -> LabelColumns:
        """As of `LabelColumns`."""
        import pyarrow as pa

        table = pa.table({**{name: self.table.column(name) for name in self.table.column_names}, **arrays})
        return CountedColumns(table, self.columns, self.recognised, self.locate)


def count_rows(
    frame: Any, gold: str | None = None, predicted: str | None = None, paired: str | None = None
) -> LabelColumns:
    """How often does each combination of labels occur in a frame of any engine?

    Parameters
    ----------
    frame : DuckDB relation, data frame of Spark, Dask, Polars or pandas, Arrow table; one row a sample.
    gold, predicted, paired : names of the columns; gold and predicted are recognised by a common name if they
        are None, as in `read_predictions`; paired None: no predictions on paired samples.

    Returns
    -------
    Columns `gold`, `predicted` and, if asked for, `predicted_paired` of the distinct combinations, with
    `counts`. `score_frame` of helpers.evaluation scores them;
    `Outcome.from_columns(found["gold"], found["predicted"], counts=found.counts)` is the table. Integers
    stay integers, as in arrays.

    Raises
    ------
    ValueError : a column that is absent or cannot be recognised; more combinations than labels have.
    MalformedRecord : no rows; a column of something else than text or integers; labels that are missing or
        blank, with the number of such rows.

    >>> import duckdb
    >>> rows = duckdb.sql("SELECT * FROM (VALUES ('a', 'a'), ('a', 'b'), ('a', 'b')) t(label, y_pred)")
    >>> found = count_rows(rows)
    >>> sorted(zip(found["gold"].to_pylist(), found["predicted"].to_pylist(), found.counts.tolist()))
    [('a', 'a', 1), ('a', 'b', 2)]
    """
    import pyarrow as pa

    source = Source(FRAME, b"")
    source.names = _names(frame)
    named = named_columns(gold, predicted, paired, None)
    columns = {role: name for role, name in columns_of(source, named).items() if role != "id"}
    found = group_rows(frame, list(columns.values()))
    counts = found.column(COUNT).cast(pa.int64())
    if not found.num_rows:
        raise MalformedRecord(FRAME, "there are no rows, so no samples to count")
    coded = {}
    for role, name in columns.items():
        coded[role] = _checked(found.column(name), name, counts.to_numpy())
    table = pa.table({**coded, COUNT: counts})
    recognised = [role for role in columns if named[role] is None]
    return CountedColumns(
        table,
        columns,
        recognised,
        lambda role, row, why: MalformedRecord(FRAME, why, None, columns[role]),
    )


def _names(frame: Any) -> list[str]:
    if hasattr(frame, "column_names"):  # of Arrow tables, whose `columns` are their data
        return list(frame.column_names)
    if not hasattr(frame, "columns"):
        raise ValueError(
            f"{shown(frame)} is no frame of an engine: DuckDB, Spark, Dask, Polars, pandas, Arrow"
        )
    return [str(name) for name in frame.columns]


def _checked(column: pa.ChunkedArray, name: str, counts: np.ndarray) -> pa.ChunkedArray:
    """The column coded; MalformedRecord for what is no label, with the number of rows."""
    import pyarrow as pa

    is_label = (pa.types.is_string, pa.types.is_large_string, pa.types.is_integer, pa.types.is_boolean)
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not pa.types.is_null(kind) and kind != pa.string_view() and not any(test(kind) for test in is_label):
        raise MalformedRecord(FRAME, f"labels are text or integers, not {kind}", None, name)
    missing = np.array([not _is_label(value) for value in column.to_pylist()])
    if missing.any():
        rows = f"{counts[missing].sum()} of {counts.sum()} rows"
        raise MalformedRecord(FRAME, f"the cell is empty in {rows}", None, name)
    return column.dictionary_encode()


def _is_label(value: Any) -> bool:
    return value is not None and (not isinstance(value, str) or bool(value.strip()))
