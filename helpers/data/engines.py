"""Prediction files counted out of core: by DuckDB in bounded memory, by Spark where its cluster is.

An engine gives the labels of files as they stand there. It checks no byte of a column that is not asked for,
and DuckDB takes a comma before the end of a JSON object, and blanks outside of quotes. It names no line: a
fault is looked for again by the reader in memory (`count_files`) and has its words.
"""

from __future__ import annotations

import glob
import json
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from ..core import MalformedRecord, listing, naming_file, plain_file, read_file, shown, visible
from .columns import Coded, LabelColumns, label_of
from .predictions import columns_of, read_columns
from .tables import DELIMITERS, SOURCES, Source, file_kind, file_size, is_address, open_source

KINDS = ("csv", "tsv", "jsonl", "parquet")
READ_AGAIN = 1 << 28
"""Bytes up to which a file is read again, in memory, to name the line of a fault."""
_HEADER = 1 << 24  # bytes of a header line
_MEMORY = "1GB"  # that DuckDB may take; what does not fit goes to a temporary folder
# by a hash: numbers take a fraction of the memory of texts; what looks repeated is looked at itself
_REPEATED = """
    WITH suspects AS
        (SELECT {hash}(id) AS code FROM part GROUP BY 1 HAVING count(*) > 1 ORDER BY 1 LIMIT 1000)
    SELECT id, count(*) FROM part
    WHERE id IS NULL OR trim(id) = '' OR {hash}(id) IN (SELECT code FROM suspects)
    GROUP BY id HAVING count(*) > 1 OR id IS NULL OR trim(id) = '' ORDER BY id LIMIT 1
"""


class _Part(NamedTuple):
    """Files that are alike: one kind, the same columns. `columns` says which column has a role."""

    kind: str
    names: Sequence[str]
    columns: Mapping[str, str]
    files: list[str]

    def table(self, values: Mapping[str, Sequence[Any]], times: np.ndarray) -> LabelColumns:
        """The distinct rows, by role, and how often each occurs."""
        coded = {}
        for role, column in values.items():
            try:
                coded[role] = Coded.of(map(self._label, column))
            except ValueError as error:
                raise MalformedRecord(self.files[0], str(error), None, self.columns[role]) from None

        def locate(role: str, row: int, reason: str) -> MalformedRecord:
            """With the first line that has this label; without one where the files are large."""
            for file in self.files:
                if file_size(file) <= READ_AGAIN:
                    columns = read_columns(open_source(file), {role: self.columns[role]})
                    first = columns[role].first_row(coded[role][row].__eq__)
                    if first is not None:
                        return columns.locate(role, first, reason)
            return MalformedRecord(self.files[0], reason, None, self.columns[role])

        return LabelColumns(coded, self.columns, locate, times)

    def _label(self, value: Any) -> str:
        text = json.loads(value) if self.kind == "jsonl" and value else value
        return label_of(text, "cell" if self.kind in DELIMITERS else "field")


class _Engine:
    """What counts files. `errors` : what it raises for a file that it cannot read."""

    name = hash = ""
    errors: tuple[type[Exception], ...] = ()

    def close(self) -> None:
        """Let go of what was opened."""

    def frame(self, part: _Part, roles: Sequence[str]) -> Any:
        """A column for each role, as it stands there (in JSON lines: JSON); ids as text."""
        raise NotImplementedError

    def rows(self, frame: Any, query: str) -> Sequence[Sequence[Any]]:
        """What a query of the table `part` answers."""
        raise NotImplementedError

    def head(self, path: str, kind: str) -> Source:
        """The columns of a file, from its beginning or, of Parquet, its end."""
        if kind != "parquet":
            beginning = read_file(path, keep_mark=True, most=_HEADER)
            return SOURCES[kind](path, kind, beginning.rpartition(b"\n")[0] or beginning)
        if path.lower().endswith(".gz"):
            raise MalformedRecord(path, "Parquet within gzip is read in memory only, --engine memory")
        import pyarrow as pa

        content = pa.memory_map(path).read_buffer() if plain_file(path).stat().st_size else b""
        return SOURCES[kind](path, kind, content)

    def parts(self, files: Sequence[str], named: Mapping[str, str | None]) -> list[_Part]:
        """Files that are alike, together. Raises ValueError as `columns_of`."""
        parts: dict[tuple, _Part] = {}
        for file in files:
            kind = file_kind(file)
            with naming_file(file):
                source = self.head(file, kind)
                columns = columns_of(source, named)
            names = () if kind == "jsonl" else tuple(source.names)
            key = (kind, names, source.types, *columns.items())
            parts.setdefault(key, _Part(kind, source.names, columns, [])).files.append(file)
        return list(parts.values())

    def unreadable(self, files: Sequence[str], error: Exception) -> MalformedRecord:
        """The error of files that the engine cannot read."""
        is_far = any(map(is_address, files))
        hint = "its extension httpfs reads addresses" if is_far else "try --engine memory"
        return MalformedRecord(files[0], f"{self.name} cannot read this ({_first_line(error, 300)}); {hint}")

    def check_ids(self, parts: Sequence[_Part]) -> None:
        """MalformedRecord for an identifier that is missing or occurs twice in all files."""
        files = [file for part in parts for file in part.files]
        try:
            ids = reduce(lambda some, more: some.union(more), (self.frame(part, ["id"]) for part in parts))
            answer = self.rows(ids, _REPEATED.format(hash=self.hash))
        except self.errors as error:
            raise self.unreadable(files, error) from error
        for value, times in answer:
            missing = value is None or not value.strip()
            reason = "a cell is empty" if missing else f"identifier {shown(value)} occurs {times} times"
            raise MalformedRecord(listing(files, 200), reason, None, parts[0].columns["id"])


def _first_line(error: Exception, most: int) -> str:
    return visible(" ".join(str(error).split("\n")[0].split()), most)


class _DuckDb(_Engine):
    name, hash = "DuckDB", "hash"

    def __init__(self) -> None:
        import duckdb

        self.folder, self.errors = tempfile.TemporaryDirectory(), (duckdb.Error,)
        settings: dict[str, Any] = {"memory_limit": _MEMORY, "temp_directory": self.folder.name}
        settings |= {"preserve_insertion_order": "false", "autoinstall_known_extensions": "false"}
        self.connection = duckdb.connect(config=settings)

    def close(self) -> None:
        """See `_Engine.close`."""
        self.connection.close()
        self.folder.cleanup()

    def head(self, path: str, kind: str) -> Source:
        """See `_Engine.head`; of an address from the engine."""
        if not is_address(path):
            return super().head(path, kind)
        try:
            if kind == "jsonl":
                query = f"FROM read_ndjson_objects([{_literal(path)}]) LIMIT 1"
                lines = self.connection.sql(query).fetchall()
                return SOURCES[kind](path, kind, lines[0][0].encode() if lines else b"")
            relation = self._scan(kind, [path], "all_varchar=true")
        except self.errors as error:
            raise self.unreadable([path], error) from error
        source = Source(path, names=relation.columns)
        source.types = str(relation.types) if kind == "parquet" else ""
        return source

    def _scan(self, kind: str, files: Sequence[str], columns: str = "") -> Any:
        """The files as a relation; `columns` is what is known of those of a text."""
        listed = ", ".join(_literal(_file_alone(file)) for file in files)
        if kind == "parquet":
            reader = f"read_parquet([{listed}], hive_partitioning=false"
        elif kind == "jsonl":
            reader = f"read_json([{listed}], format='newline_delimited', {columns}"
        else:
            reader = f"read_csv([{listed}], header=true, delim={_literal(DELIMITERS[kind])}, "
            reader += f"""quote='"', escape='"', {columns}"""
        if kind != "parquet" and all(file.lower().endswith(".gz") for file in files):
            reader += ", compression='gzip'"  # DuckDB looks for .gz before a ?, as in an address
        return self.connection.sql(f"FROM {reader})")

    def frame(self, part: _Part, roles: Sequence[str]) -> Any:
        """See `_Engine.frame`."""
        own = {role: part.columns[role] for role in roles}
        if part.kind == "jsonl":
            kinds = {name: "VARCHAR" if role == "id" else "JSON" for role, name in own.items()}
            columns = ", ".join(f"{_literal(name)}: '{kind}'" for name, kind in kinds.items())
            relation = self._scan(part.kind, part.files, f"columns={{{columns}}}")
        else:
            columns = ", ".join(f"'c{position}': 'VARCHAR'" for position in range(len(part.names)))
            columns = f"auto_detect=false, strict_mode=true, columns={{{columns}}}"
            relation = self._scan(part.kind, part.files, columns)
            # by position: DuckDB's names do not tell Gold from gold
            own = {role: relation.columns[part.names.index(name)] for role, name in own.items()}
        chosen = {role: quoted(name) for role, name in own.items()}
        if "id" in chosen:
            chosen["id"] = f"CAST({chosen['id']} AS VARCHAR)"
        return relation.project(", ".join(f"{name} AS {role}" for role, name in chosen.items()))

    def rows(self, frame: Any, query: str) -> Sequence[Sequence[Any]]:
        """See `_Engine.rows`."""
        frame.create_view("part")
        return self.connection.execute(query).fetchall()


def _file_alone(file: str) -> str:
    """A name that means this file to DuckDB, which takes *, ? and [ for patterns and drops a leading './'."""
    plain = is_address(file) or not glob.has_magic(file)
    return file if plain else glob.escape(os.path.abspath(file))


def quoted(name: str) -> str:
    """A column's name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


class _Spark(_Engine):
    """On the active session, or on the one that the surroundings configure (spark-submit, SPARK_REMOTE)."""

    name, hash = "Spark", "xxhash64"

    def __init__(self) -> None:
        try:
            from py4j.protocol import Py4JError
            from pyspark.errors import PySparkException
            from pyspark.sql import SparkSession
        except ImportError:
            needed = "pip install 'beyond-micro-f1[spark]', and Java 17 or newer"
            raise ValueError(f"Spark is not installed: {needed}") from None
        self.errors = (PySparkException, Py4JError)
        try:
            self.session = SparkSession.builder.appName("beyond-micro-f1").getOrCreate()
        except Exception as error:
            needed = "it needs a Java runtime, 17 or newer"
            raise ValueError(f"Spark does not start; {needed} ({_first_line(error, 200)})") from error

    def frame(self, part: _Part, roles: Sequence[str]) -> Any:
        """See `_Engine.frame`."""
        from pyspark.sql import functions as F

        # Hadoop takes *, ?, [, { in a path for patterns
        files = ["file://" + re.sub(r"([*?\[\]{}\\])", r"\\\1", os.path.abspath(name)) for name in part.files]
        if part.kind == "jsonl":
            frame = self.session.read.text(files).where("trim(value) <> ''")
            line = F.parse_json("value")
            paths = {role: "$[" + repr(part.columns[role]) + "]" for role in roles}
            chosen = {role: F.to_json(F.variant_get(line, path, "variant")) for role, path in paths.items()}
            if "id" in paths:
                chosen["id"] = F.variant_get(line, paths["id"], "string")
        else:
            if part.kind == "parquet":
                frame, names = self.session.read.parquet(*files), part.names
            else:
                names = [f"c{position}" for position in range(len(part.names))]
                reading = self.session.read.options(sep=DELIMITERS[part.kind], quote='"', escape='"')
                reading = reading.options(header=True, mode="FAILFAST", columnPruning=False)
                frame = reading.schema(", ".join(f"{name} string" for name in names)).csv(files)
            own = {role: names[part.names.index(part.columns[role])] for role in roles}
            chosen = {role: F.col("`" + name.replace("`", "``") + "`") for role, name in own.items()}
            if "id" in chosen:
                chosen["id"] = chosen["id"].cast("string")
        return frame.select(*(column.alias(role) for role, column in chosen.items()))

    def rows(self, frame: Any, query: str) -> Sequence[Sequence[Any]]:
        """See `_Engine.rows`."""
        frame.createOrReplaceTempView("part")
        return self.session.sql(query).collect()


ENGINES = {"duckdb": _DuckDb, "spark": _Spark}
"""What counts files out of core, by name. A new engine plugs in here."""
