"""Arrow as an accelerator: the columns of large CSV, TSV and JSON-lines files, in parallel, and of Parquet.

What a file means is defined by the rows of `tables`. The functions here give the same columns, or None where
the rows have to be looked at: for a fault, and for what Arrow may read otherwise.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import MalformedRecord
from .cells import Coded

if TYPE_CHECKING:
    import pyarrow as pa


class Wanted(NamedTuple):
    """Which columns are read: labels, but for the one of identifiers, which are text, and those of numbers.

    Empty cells are a fault, but in `may_be_empty`.
    """

    columns: Sequence[str]
    identifiers: str | None = None
    numbers: Collection[str] = ()
    may_be_empty: Collection[str] = ()

    def labels(self) -> list[str]:
        """The columns of labels."""
        return [name for name in self.columns if name != self.identifiers and name not in self.numbers]


FOR_ARROW = 1 << 21
"""Bytes from which Arrow reads a text: of fewer, loading it takes longer than Python's reader."""
_BLOCK = 1 << 24  # bytes that Arrow parses at a time: a row has to fit into two blocks


def _is_for_arrow(content: bytes) -> bool:
    """Whether Arrow is to read this text: it is long, and Arrow is installed."""
    return len(content) >= FOR_ARROW and find_spec("pyarrow") is not None


def delimited_columns(content: bytes, delimiter: str, wanted: Wanted) -> dict[str, Any] | None:
    """The named columns of a CSV or TSV file with a header, which is known to be UTF-8; or None.

    >>> delimited_columns(b"id,gold\\n7,NA\\n", ",", Wanted(["gold"]))  # it is short
    """
    if not _is_for_arrow(content):
        return None
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    quoted = b'"' in content
    if quoted and not _well_quoted(content, delimiter):
        return None
    kinds = dict.fromkeys(wanted.columns, pa.string()) | dict.fromkeys(wanted.numbers, pa.float64())
    kinds |= dict.fromkeys(wanted.labels(), pa.dictionary(pa.int32(), pa.string()))
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(content),
            # threads only where they pay: one that has just begun may abort a process that ends
            read_options=arrow_csv.ReadOptions(block_size=_BLOCK, use_threads=len(content) > _BLOCK),
            parse_options=arrow_csv.ParseOptions(delimiter=delimiter),
            convert_options=arrow_csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(wanted.columns),
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError):  # a spoilt header may be read otherwise
        return None
    # a cell of several lines may have been cut
    if quoted and table.num_rows != _lines(content) - 1:
        return None
    return _sound(table, wanted)


def json_columns(content: bytes, first: dict[str, Any], wanted: Wanted) -> dict[str, Any] | None:
    """The named fields of JSON lines, with the types that the first object shows; or None."""
    if not _is_for_arrow(content):
        return None
    import pyarrow as pa
    from pyarrow import json as arrow_json

    whole = {column for column in wanted.columns if type(first.get(column)) is int}
    kinds = dict.fromkeys(whole, pa.int64()) | dict.fromkeys(wanted.numbers, pa.float64())
    schema = pa.schema([(column, kinds.get(column, pa.string())) for column in wanted.columns])
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    threads = arrow_json.ReadOptions(use_threads=len(content) > _BLOCK)
    try:
        table = arrow_json.read_json(pa.BufferReader(content), threads, options)
    except pa.ArrowInvalid:
        return None
    # Arrow also takes objects that go over several lines; of what may be empty, a field may be missing
    if table.num_rows != _lines(content) or any(table[name].null_count for name in wanted.may_be_empty):
        return None
    return _sound(table, wanted)


def parquet_schema(path: Path | str, content: Any) -> pa.Schema:
    """Names and types of the columns of a Parquet file; MalformedRecord if it is none."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        return parquet.read_schema(pa.BufferReader(content))
    except (pa.ArrowException, OSError) as error:
        raise MalformedRecord(path, f"this is no whole Parquet file ({error})") from error


def parquet_rows(path: Path | str, content: Any) -> Iterator[dict[str, Any]]:
    """The rows of a Parquet file; MalformedRecord where it is damaged."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        for batch in parquet.ParquetFile(pa.BufferReader(content)).iter_batches(use_threads=False):
            yield from batch.to_pylist()
    except (pa.ArrowException, OSError) as error:
        raise MalformedRecord(path, f"the file cannot be read ({error})") from error


def parquet_columns(path: Path | str, content: Any, wanted: Wanted) -> dict[str, Any] | None:
    """The named columns of a Parquet file, or None. Raises MalformedRecord where it is damaged."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        table = parquet.read_table(
            pa.BufferReader(content),
            columns=list(wanted.columns),
            read_dictionary=wanted.labels(),
            use_threads=len(content) > _BLOCK,
            pre_buffer=False,
        )
    except (pa.ArrowException, OSError) as error:
        raise MalformedRecord(path, f"the file cannot be read ({error})") from error
    try:
        for chunk in (chunk for column in table.columns for chunk in column.chunks):
            # of codes, their range and the distinct labels; whole validation takes as long as reading
            if pa.types.is_dictionary(chunk.type):
                _check_codes(chunk)
            (chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk).validate(full=True)
    except pa.ArrowException as error:
        raise MalformedRecord(path, f"a column is damaged ({error})") from error
    return _sound(table, wanted) if all(_fits(field, wanted) for field in table.schema) else None


def _fits(field: pa.Field, wanted: Wanted) -> bool:
    """Whether a column is of text or integers, or of numbers, where those are wanted."""
    import pyarrow as pa

    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if field.name in wanted.numbers:
        return pa.types.is_floating(kind) or pa.types.is_integer(kind)
    return kind in (pa.string(), pa.large_string(), pa.string_view()) or pa.types.is_integer(kind)


def _check_codes(chunk: pa.DictionaryArray) -> None:
    """Refuse codes of labels that are not in the dictionary: of a damaged file Arrow may read such codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(chunk.indices).as_py()
    if ends["max"] is not None and not 0 <= ends["min"] <= ends["max"] < len(chunk.dictionary):
        raise pa.ArrowInvalid(f"code {ends['max']} of {len(chunk.dictionary)} labels")


def _column(column: pa.ChunkedArray, name: str, wanted: Wanted) -> Any:
    """Labels coded, a missing one as ''; numbers as floats, a missing one as nan; identifiers as they are."""
    import pyarrow as pa

    if name in wanted.numbers:
        return column.cast(pa.float64(), safe=False).to_numpy()  # of large integers the nearest float
    if name == wanted.identifiers:
        return column.cast(pa.string())
    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    labels = [label or "" for label in encoded.dictionary.cast(pa.string()).to_pylist()]
    codes = encoded.indices.cast(pa.int32())
    coded = Coded(np.from_dlpack(codes.fill_null(len(labels))), np.array([*labels, ""], object))
    if column.null_count or len(set(labels)) < len(labels):
        return coded.relabelled({})
    return Coded(coded.codes, coded.categories[:-1])


def _is_sound(column: Any) -> bool:
    """Whether no cell is missing or blank, or is no finite number."""
    import pyarrow.compute as pc

    if isinstance(column, Coded):
        return all(map(str.strip, column.categories.tolist()))
    if isinstance(column, np.ndarray):
        return bool(np.isfinite(column).all())
    return not column.null_count and pc.min(pc.binary_length(pc.utf8_trim_whitespace(column))).as_py() != 0


def _sound(table: pa.Table, wanted: Wanted) -> dict[str, Any] | None:
    """The columns of a table; None if a cell has a fault, which its row has to tell."""
    columns = {name: _column(table[name], name, wanted) for name in table.column_names}
    checked = [column for name, column in columns.items() if name not in wanted.may_be_empty]
    return columns if all(map(_is_sound, checked)) else None


def _well_quoted(content: bytes, delimiter: str) -> bool:
    """Whether each quote opens a cell, closes one, or is doubled within one: Arrow also takes others."""
    array, count = np.frombuffer(content, np.uint8), 0
    fits = np.zeros(256, bool)
    fits[list(b'"\r\n' + delimiter.encode())] = True
    for start in range(0, len(array), _BLOCK):
        quotes = np.flatnonzero(array[start : start + _BLOCK] == ord('"')) + start
        opening, closing = quotes[count % 2 :: 2], quotes[1 - count % 2 :: 2]
        before = fits[array[opening - 1]] | (opening == 0)
        after = fits[array[(closing + 1) % len(array)]] | (closing + 1 == len(array))
        if not (before.all() and after.all()):
            return False
        count += len(quotes)
    return count % 2 == 0


def _lines(content: bytes) -> int:
    # three times as fast as bytes.count, which stops at each line
    array = np.frombuffer(content, np.uint8)
    ends = sum(
        np.count_nonzero(array[start : start + _BLOCK] == ord("\n")) for start in range(0, len(array), _BLOCK)
    )
    return int(ends) + (not content.endswith(b"\n"))


def all_differ(texts: pa.ChunkedArray) -> bool:
    """Whether no text occurs twice; False also if two only have the same hash, which hardly ever happens.

    >>> import pyarrow as pa
    >>> all_differ(pa.chunked_array([["a", "b"], ["a"]]))
    False
    """
    with ThreadPoolExecutor() as pool:
        hashes = np.concatenate([np.empty(0, np.uint64), *pool.map(_text_hashes, texts.chunks)])
    hashes.sort()
    return bool((hashes[1:] != hashes[:-1]).all())


def _text_hashes(texts: pa.StringArray) -> np.ndarray:
    """(n,) uint64, one for each text: equal where the texts are, and hardly ever elsewhere.

    Eight bytes of every text are mixed in at a time. Sorted, they tell whether a text occurs twice in a
    fraction of the time that a table of ten million texts takes.

    >>> import pyarrow as pa
    >>> one, two, three = _text_hashes(pa.array(["sample-10", "sample-11", "sample-10"])).tolist()
    >>> one == three, one == two
    (True, False)
    """
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    padded = np.concatenate([np.frombuffer(data or b"", np.uint8), np.zeros(8, np.uint8)])
    words = np.ndarray(len(padded) - 7, "<u8", padded, strides=(1,))
    starts, lengths = ends[:-1].astype(np.int64), np.diff(ends).astype(np.uint64)
    hashes = lengths.copy()
    rows: slice | np.ndarray = slice(None)
    for done in range(0, int(lengths.max(initial=0)), 8):
        if (lengths <= done).any():
            rows = np.flatnonzero(lengths > done)
        left = np.minimum(lengths[rows] - np.uint64(done), 8)
        word = words[starts[rows] + done] << (np.uint64(8) * (np.uint64(8) - left))
        mixed = (hashes[rows] ^ word) * np.uint64(0x9E3779B97F4A7C15)
        hashes[rows] = mixed ^ (mixed >> np.uint64(32))
    return hashes
