"""What an engine does with prediction files: their labels as raw values and counts, and where a value stands.

DuckDB reads with bounded memory, Spark where its cluster is. Both read otherwise than the reader in memory:
bytes of columns that are not asked for are not checked, and a quote after blanks opens a cell.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from ..core import MalformedRecord, abridged, plain_file, shown
from .cells import check_types
from .engines import group_rows, quoted_name
from .predictions import LabelColumns, read_label_columns
from .sources import DELIMITERS, file_kind, open_source, source_of
from .tabular import Source

if TYPE_CHECKING:
    import pyarrow as pa

LARGE = 1 << 30
"""Bytes from which a file is counted out of core, and is not read again to name the line of a fault."""
FILE = "__file__"
KINDS = ("csv", "tsv", "jsonl", "parquet")
_HEADER = 1 << 24  # bytes of a header line
_MEMORY = "1GB"  # that DuckDB may take; what does not fit goes to a temporary folder


class Part(NamedTuple):
    """Files that are alike: one kind, the same columns. `columns` says which column has a role."""

    kind: str
    names: tuple[str, ...]
    columns: Mapping[str, str]
    files: list[str]


def is_address(path: Path | str) -> bool:
    """Whether this is an address (s3://, gs://, https://, file://), which only DuckDB reads.

    >>> is_address("s3://bucket/part-*.parquet"), is_address("a.csv")
    (True, False)
    """
    return bool(re.match(r"[a-z][a-z0-9+.-]+://", str(path)))


def is_large(path: str) -> bool:
    """Whether a file is better counted out of core; of an archive, by a guess of what it holds.

    >>> is_large("no/such/file")
    False
    """
    if not os.path.exists(path):
        return False
    packed = 8 if path.lower().endswith(".gz") else 1
    return packed * plain_file(path).stat().st_size >= LARGE


def kind_to_scan(path: str) -> str:
    """The ending that says what a file is, one of `KINDS`; ValueError for another.

    >>> kind_to_scan("part-0.parquet")
    'parquet'
    """
    kind = file_kind(path)
    if kind not in KINDS:
        known = ", ".join(f".{one}" for one in KINDS)
        raise ValueError(f"{path}: files that are counted together end in {known}")
    return kind


def head_of_file(path: str) -> tuple[str, Source, str]:
    """Kind, columns and types (of Parquet) of a file, from its beginning or, of Parquet, its end."""
    kind = kind_to_scan(path)
    if kind != "parquet":
        return kind, source_of(path, _first_line(path, skip_blank=kind == "jsonl"), kind), ""
    if path.lower().endswith(".gz"):
        raise ValueError(f"{path}: Parquet within gzip is read in memory only, --engine memory")
    import pyarrow as pa
    from pyarrow import parquet

    try:
        schema = parquet.read_schema(plain_file(path))
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise MalformedRecord(path, f"this is no whole Parquet file ({error})") from error
    source = Source(path, b"")
    source.names = schema.names
    return kind, source, str(schema.remove_metadata())


def _first_line(path: str, skip_blank: bool) -> bytes:
    opened = gzip.open if path.lower().endswith(".gz") else open
    try:
        with opened(plain_file(path), "rb") as file:
            line = file.readline(_HEADER)
            while skip_blank and line and not line.strip():
                line = file.readline(_HEADER)
            # a name in quotes may hold an end of line
            while not skip_blank and line.count(b'"') % 2 and len(line) < _HEADER:
                more = file.readline(_HEADER)
                if not more:
                    break
                line += more
            return line
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedRecord(path, f"the gzip archive is broken ({error})") from error


class Reader:
    """What an engine does with parts. `raw_json`: of JSON lines it gives the values as JSON."""

    name = "memory"
    modules: tuple[str, ...] = ()
    raw_json = True

    def __init__(self, place: str) -> None:
        self.place = place

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def head(self, path: str) -> tuple[str, Source, str]:
        """As `head_of_file`."""
        if is_address(path):
            raise ValueError(f"{path}: addresses are read by DuckDB, --engine duckdb")
        return head_of_file(path)

    def count(self, part: Part, roles: Sequence[str]) -> pa.Table:
        """Raw values of each role and how often they occur together."""
        raise NotImplementedError

    def file_of(self, part: Part, role: str, value: Any) -> str:
        """The first file with this raw value."""
        raise NotImplementedError

    def repeated(self, parts: Sequence[Part]) -> tuple[str | None, int, list[str]] | None:
        """An identifier that occurs more than once or is missing, how often, and up to two files with it."""
        raise NotImplementedError

    def check_ids(self, parts: Sequence[Part]) -> None:
        """MalformedRecord for an identifier that is missing or occurs twice."""
        every = Part("", (), {}, [file for part in parts for file in part.files])
        with self.naming(every):
            found = self.repeated(parts)
        if found is None:
            return
        value, times, files = found
        column = next(part.columns["id"] for part in parts if files[0] in part.files or len(parts) == 1)
        if len(files) == 1 and not is_address(files[0]) and not is_large(files[0]):
            read_label_columns(files[0], id_column=column)  # raises, and names both lines
        if value is None or not value.strip():
            raise MalformedRecord(files[0], "the cell is empty", None, column)
        where = f"the first in this file, one in {files[1]}" if len(files) > 1 else "all in this file"
        raise MalformedRecord(
            files[0], f"identifier {shown(value)} occurs {times} times, {where}", None, column
        )

    @contextmanager
    def naming(self, part: Part) -> Iterator[None]:
        """An error of the engine becomes one that names the file, in the words of the reader in memory."""
        try:
            yield
        except Exception as error:
            if type(error).__module__.partition(".")[0].lstrip("_") not in self.modules:
                raise
            told = str(error)
            named = [one for one in part.files if one in told or os.path.abspath(one) in told]
            named = named or (part.files if len(part.files) == 1 else [])
            if named and part.columns and not is_address(named[0]) and not is_large(named[0]):
                open_source(named[0]).read(list(dict.fromkeys(part.columns.values())), part.columns.get("id"))
            said = abridged(" ".join(told.split("\n")[0].split()), 300)
            hint = "; its extension httpfs reads addresses" if any(map(is_address, part.files)) else ""
            place = named[0] if named else self.place
            raise MalformedRecord(place, f"{self.name} cannot read this ({said}){hint}") from error


class _Memory(Reader):
    raw_json = False

    def _read(self, part: Part, file: str) -> LabelColumns:
        roles = ("gold", "predicted", "predicted_paired", "id")
        return read_label_columns(file, *(part.columns.get(role) for role in roles))

    def count(self, part: Part, roles: Sequence[str]) -> pa.Table:
        """See `Reader.count`."""
        import pyarrow as pa

        tables = []
        for file in part.files:
            found = self._read(part, file)
            tables.append(
                group_rows(pa.table({role: found[role].cast(pa.string()) for role in roles}), roles)
            )
        return pa.concat_tables(tables)

    def file_of(self, part: Part, role: str, value: Any) -> str:
        """See `Reader.file_of`."""
        return next(
            file
            for file in part.files
            if self._read(part, file).first_row(role, lambda label: label == value) is not None
        )

    def repeated(self, parts: Sequence[Part]) -> tuple[str | None, int, list[str]] | None:
        """See `Reader.repeated`."""
        seen: dict[str, str] = {}
        for part in parts:
            for file in part.files:
                for value in self._read(part, file)["id"].to_pylist():
                    if value in seen:
                        return value, 2, [seen[value], file]
                    seen[value] = file
        return None


class _DuckDb(Reader):
    name, modules = "DuckDB", ("duckdb",)

    def __enter__(self) -> Reader:
        import duckdb

        self.folder = tempfile.TemporaryDirectory()
        settings: dict[str, Any] = {"memory_limit": _MEMORY, "temp_directory": self.folder.name}
        settings |= {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false"}
        self.connection = duckdb.connect(config=settings)
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.folder.cleanup()

    def head(self, path: str) -> tuple[str, Source, str]:
        """See `Reader.head`."""
        if not is_address(path):
            return head_of_file(path)
        kind = kind_to_scan(path)
        source = Source(path, b"")
        with self.naming(Part(kind, (), {}, [path])):
            if kind == "parquet":
                found = self.connection.sql(f"FROM read_parquet([{_text(path)}], hive_partitioning=false)")
            elif kind == "jsonl":
                lines = self.connection.sql(f"FROM read_ndjson_objects([{_text(path)}]) LIMIT 1").fetchall()
                return kind, source_of(path, lines[0][0].encode() if lines else b"", kind), ""
            else:
                quoting = (
                    f"header=true, all_varchar=true, delim={_text(DELIMITERS[kind])}, quote='\"', escape='\"'"
                )
                found = self.connection.sql(f"FROM read_csv([{_text(path)}], {quoting})")
            source.names = found.columns
            return kind, source, str(found.types) if kind == "parquet" else ""

    def _relation(self, part: Part, roles: Sequence[str]) -> Any:
        """A column for each role, raw, and the file."""
        files = "[" + ", ".join(_text(_file_alone(file)) for file in part.files) + "]"
        own = {role: part.columns[role] for role in roles}
        if part.kind == "jsonl":
            kinds = {name: "VARCHAR" if role == "id" else "JSON" for role, name in own.items()}
            columns = ", ".join(f"{_text(name)}: '{kind}'" for name, kind in kinds.items())
            read = f"read_json({files}, format='newline_delimited', columns={{{columns}}}, filename='{FILE}')"
        elif part.kind == "parquet":
            read = f"read_parquet({files}, hive_partitioning=false, filename='{FILE}')"
        else:
            columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(part.names)))
            read = f"read_csv({files}, auto_detect=false, header=true, delim={_text(DELIMITERS[part.kind])}, "
            read += f"quote='\"', escape='\"', columns={{{columns}}}, strict_mode=true, filename='{FILE}')"
        relation = self.connection.sql(f"FROM {read}")
        # by position: DuckDB's names do not tell Gold from gold
        names = (
            own
            if part.kind == "jsonl"
            else {role: relation.columns[part.names.index(name)] for role, name in own.items()}
        )
        chosen = [f"{quoted_name(name)} AS {quoted_name(role)}" for role, name in names.items()]
        return relation.project(", ".join([*chosen, quoted_name(FILE)]))

    def count(self, part: Part, roles: Sequence[str]) -> pa.Table:
        """See `Reader.count`."""
        relation = self._relation(part, roles)
        if part.kind == "parquet":
            schema = relation.limit(0).to_arrow_table().schema
            for role in roles:
                check_types(part.files[0], _renamed(schema.field(role), part.columns[role]))
        return group_rows(relation, roles)

    def file_of(self, part: Part, role: str, value: Any) -> str:
        """See `Reader.file_of`."""
        literal = "NULL" if value is None else _text(str(value))
        same = f"CAST({quoted_name(role)} AS VARCHAR) IS NOT DISTINCT FROM {literal}"
        ((file,),) = (
            self._relation(part, [role]).filter(same).aggregate(f"min({quoted_name(FILE)})").fetchall()
        )
        return _as_given(file, part.files)

    def repeated(self, parts: Sequence[Part]) -> tuple[str | None, int, list[str]] | None:
        """See `Reader.repeated`."""
        text = f"CAST(id AS VARCHAR) AS id, {quoted_name(FILE)}"
        ids = [self._relation(part, ["id"]).project(text) for part in parts]
        every = reduce(lambda one, other: one.union(other), ids)
        # by a hash: numbers take a fraction of the memory of texts; what looks repeated is looked at itself
        hashes = every.project("hash(id) AS hash").aggregate("hash, count(*) AS n", "hash").filter("n > 1")
        suspects = ", ".join(str(one) for one, _ in hashes.order("hash").limit(1000).fetchall())
        faults = "id IS NULL OR trim(id) = ''" + (f" OR hash(id) IN ({suspects})" if suspects else "")
        counted = every.filter(faults).aggregate("id, count(*) AS n", "id")
        counted = counted.filter("n > 1 OR id IS NULL OR trim(id) = ''")
        for value, times in counted.order("id").limit(1).fetchall():
            same = "id IS NULL" if value is None else f"id = {_text(value)}"
            files = every.filter(same).project(quoted_name(FILE)).distinct().order("1").limit(2).fetchall()
            given = [file for part in parts for file in part.files]
            return value, times, [_as_given(file, given) for (file,) in files]
        return None


def _file_alone(file: str) -> str:
    """A name that means this file to DuckDB, which takes *, ? and [ for patterns and drops a leading './'."""
    plain = is_address(file) or not glob.has_magic(file)
    return file if plain else glob.escape(os.path.abspath(file))


def _as_given(file: str, given: Sequence[str]) -> str:
    """The name of a file as the caller wrote it."""
    return next((one for one in given if os.path.abspath(one) == os.path.abspath(file)), file)


def _renamed(field: Any, name: str) -> Any:
    import pyarrow as pa

    return pa.schema([field.with_name(name)])


def _text(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


class _Spark(Reader):
    """On the active session, or on the one that the surroundings configure (spark-submit, SPARK_REMOTE)."""

    name, modules = "Spark", ("pyspark", "py4j")

    def __enter__(self) -> Reader:
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            told = "Spark is not installed: pip install 'beyond-micro-f1[spark]', and Java 17 or newer"
            raise ValueError(told) from None
        try:
            self.session = SparkSession.builder.appName("beyond-micro-f1").getOrCreate()
        except Exception as error:
            said = abridged(" ".join(str(error).split("\n")[0].split()), 200)
            raise ValueError(
                f"Spark does not start; it needs a Java runtime, 17 or newer ({said})"
            ) from error
        return self

    def _frame(self, part: Part, roles: Sequence[str]) -> Any:
        """A column for each role, raw, and the file."""
        from pyspark.sql import functions as F

        # Hadoop takes *, ?, [, { in a path for patterns
        files = ["file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", os.path.abspath(one)) for one in part.files]
        own = {role: part.columns[role] for role in roles}
        file = F.col("_metadata.file_path").alias(FILE)
        if part.kind == "jsonl":
            lines = self.session.read.text(files).where("trim(value) <> ''")
            whole = F.parse_json("value")
            paths = {role: "$[" + repr(name) + "]" for role, name in own.items()}
            raw = {role: F.variant_get(whole, path, "variant") for role, path in paths.items()}
            texts = {role: F.variant_get(whole, path, "string") for role, path in paths.items()}
            chosen = [texts[role] if role == "id" else F.to_json(raw[role]) for role in roles]
            return lines.select(*(one.alias(role) for one, role in zip(chosen, roles, strict=True)), file)
        if part.kind == "parquet":
            frame, names = self.session.read.parquet(*files), own
        else:
            schema = ", ".join(f"c{place} string" for place in range(len(part.names)))
            form: dict[str, bool | str] = {
                "header": True,
                "sep": str(DELIMITERS[part.kind]),
                "quote": '"',
                "escape": '"',
                "mode": "FAILFAST",
            }
            frame = self.session.read.options(**form, columnPruning=False).schema(schema).csv(files)
            names = {role: f"c{part.names.index(name)}" for role, name in own.items()}
        quoted = {role: "`" + name.replace("`", "``") + "`" for role, name in names.items()}
        return frame.select(*(F.col(name).alias(role) for role, name in quoted.items()), file)

    def count(self, part: Part, roles: Sequence[str]) -> pa.Table:
        """See `Reader.count`."""
        found = group_rows(self._frame(part, roles), roles)
        for role in roles:
            check_types(part.files[0], _renamed(found.schema.field(role), part.columns[role]))
        return found

    def file_of(self, part: Part, role: str, value: Any) -> str:
        """See `Reader.file_of`."""
        from pyspark.sql import functions as F

        frame = self._frame(part, [role])
        first = frame.where(F.col(role).eqNullSafe(F.lit(value))).agg(F.min(FILE)).first()
        return self._path(first[0], part)

    def _path(self, address: str, part: Part) -> str:
        return _as_given(unquote(address.removeprefix("file:")).replace("//", ""), part.files)

    def repeated(self, parts: Sequence[Part]) -> tuple[str | None, int, list[str]] | None:
        """See `Reader.repeated`."""
        from pyspark.sql import functions as F

        frames = [self._frame(part, ["id"]).withColumn("id", F.col("id").cast("string")) for part in parts]
        every = reduce(lambda one, other: one.unionByName(other), frames)
        counted = every.groupBy("id").agg(F.count(F.lit(1)).alias("n"))
        found = counted.where("n > 1 OR id IS NULL OR trim(id) = ''").orderBy("id").first()
        if found is None:
            return None
        rows = (
            every.where(F.col("id").eqNullSafe(F.lit(found[0]))).select(FILE).distinct().orderBy(FILE).take(2)
        )
        whole = Part("", (), {}, [file for part in parts for file in part.files])
        return found[0], found[1], [self._path(one, whole) for (one,) in rows]


READERS = {"memory": _Memory, "duckdb": _DuckDb, "spark": _Spark}
"""Engine → how it reads files. A new engine plugs in here."""
