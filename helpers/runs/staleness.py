"""When a result is stale: one rule for run files, tables, figures, executed notebooks and pages.

A result knows what it was made from: the hashes of its input files, its configuration, and versions, small
integers that are raised by hand when numbers change. It is stale if one of them is another one now; times of
files and the text of the source say nothing. A run file holds them itself; what a notebook makes stands in
one index, results/provenance.json, which the notebook runner writes when it publishes: the hashes of what it
read, its own cells among it, and `RULES_VERSION`.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import TypeAdapter

from .. import ROOT
from ..core import exclusive, file_sha256, naming_file, shown, write_atomically
from ..data import data_sha256, search_folders
from .outcomes import record
from .schema import SCHEMA_VERSION, validated

INDEX = ROOT / "results" / "provenance.json"
RULES_VERSION = 1
"""Of all that turns runs into tables, figures and pages: raised when one of them changes though its inputs do
not. Who forgets it is told by the comparison of made tables with the stored ones (`make reproduce`)."""
SHORT = 16
"""Hexadecimal digits of a hash in the index."""
DATA = "data/"
"""What a registered data file's name begins with in the index."""
KINDS = {"results/tables": "table", "figures": "figure", "results/notebooks": "notebook"}
KINDS |= {"results/runs": "run", "results/studies": "run"}


class Result(NamedTuple):
    """A result: 'run', 'table', 'figure', 'notebook' or 'page'; its path in the project; its state, and why.

    A figure stands for its files: its path has no ending.
    """

    kind: str
    path: str
    state: Literal["current", "stale", "missing", "unknown"]
    why: str = ""


@record
class _MadeFrom:
    """What one notebook (or page) made, from what: path in the project → the first `SHORT` digits of its
    hash. `rules` : the `RULES_VERSION`."""

    made: dict[str, str]
    read: dict[str, str]
    rules: int


_INDEX = TypeAdapter(dict[str, _MadeFrom])


def _kind_of(path: str) -> str:
    """The kind of a result by its path.

    >>> _kind_of("figures/06_moves"), _kind_of("results/README.md")
    ('figure', 'page')
    """
    return next((kind for folder, kind in KINDS.items() if path.startswith(f"{folder}/")), "page")


def project_path(path: Path) -> str:
    """The path as text, seen from the project if it lies in it."""
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def _digest(name: str) -> str | None:
    """The hash of what lies at `name` in the project; None if there is nothing.

    Of a data file ('data/NAME', see `data_name`), the registered one if there is one; of a notebook, over its
    cells; of a folder, or of a figure's files, over all their names and contents.
    """
    if name.startswith(DATA):
        return data_sha256(name.removeprefix(DATA))
    path = ROOT / name
    if path.is_file():
        content = path.read_bytes()
        if name.startswith("notebooks/"):
            with contextlib.suppress(ValueError):
                cells = json.loads(content)["cells"]
                texts = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
                content = json.dumps(texts).encode()
        return hashlib.sha256(content).hexdigest()
    paths = path.parent.glob(f"{path.name}.*") if _kind_of(name) == "figure" else path.rglob("*.*")
    files = sorted(file for file in paths if file.is_file())
    lines = [f"{file.relative_to(ROOT).as_posix()} {file_sha256(file)}\n" for file in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest() if files else None


def _changes(recorded: Mapping[str, str], known: dict[str, str | None] | None = None) -> list[str]:
    """What of the recorded files has another hash now, in words; recorded hashes may be cut short.

    `known` : hashes that were computed already; those that are needed are added.

    >>> _changes({"results/tables/none.csv": "0" * 64})
    ['results/tables/none.csv is gone']
    >>> _changes({"data/semeval2010/TRAIN_FILE.TXT": "0" * 64})
    ['data/semeval2010/TRAIN_FILE.TXT changed']
    """
    known = {} if known is None else known
    known |= {name: _digest(name) for name in recorded.keys() - known.keys()}
    reasons = []
    for name, before in recorded.items():
        now = known[name]
        if not (now and before and now.startswith(before)):
            reasons.append(f"{name} {'changed' if now else 'is gone'}")
    return reasons


def run_state(
    path: Path,
    expected: Mapping[str, Any] | None = None,
    versions: Mapping[str, int] | None = None,
    known: dict | None = None,
) -> Result:
    """The state of one run file.

    Missing, if it is not there; stale, if an input changed, the configuration changed (`expected`: fields
    of the run, of tables the values to compare), or a version of the run is older than in `versions`;
    unknown, if it says neither from what files it is nor by which version; else current.

    >>> run_state(Path("results/runs/none.json")).state
    'missing'
    """
    name = project_path(path)
    if not path.is_file():
        return Result("run", name, "missing")
    try:
        stored = json.loads(path.read_bytes())
        if stored.get("schema_version") != SCHEMA_VERSION:
            return Result("run", name, "stale", f"this is no run file of version {SCHEMA_VERSION}")
        inputs, made_by = stored["files"], stored.get("versions", {})
        files = {DATA + file: sha for file, sha in inputs.items()}
        reasons = [f"input {reason.removeprefix(DATA)}" for reason in _changes(files, known)]
        compared = [("configuration:", stored.get(field, {}), now) for field, now in (expected or {}).items()]
        stated = {key: now for key, now in (versions or {}).items() if key in made_by}
        reasons += [
            f"{what} {key} was {shown(before.get(key))}, is now {shown(value)}"
            for what, before, now in (*compared, ("version of", made_by, stated))
            for key, value in now.items()
            if before.get(key) != value
        ]
    except (ValueError, KeyError, AttributeError, TypeError):
        return Result("run", name, "stale", "this is no run file")
    if not (reasons or inputs or made_by):
        return Result("run", name, "unknown", "it names no inputs")
    return Result("run", name, "stale" if reasons else "current", "; ".join(reasons))


def read_index(path: Path = INDEX) -> dict[str, _MadeFrom]:
    """Notebook or page → what it made, from what; {} where there is no index yet.

    Raises ValueError, one line that names the file, if it holds something else.

    >>> read_index(Path("none.json"))
    {}
    """
    if not path.exists():
        return {}
    with naming_file(path):
        return validated(_INDEX, json.loads(path.read_bytes()))


def write_made(maker: str, made: Iterable[str], read: Iterable[str], path: Path = INDEX) -> None:
    """Store in the index what `maker` made, from what: names in the project, see `_digest`.

    Others may write at the same time.
    """

    def hashes(names: Iterable[str]) -> dict[str, str]:
        return {name: sha[:SHORT] for name in sorted(set(names)) if (sha := _digest(name))}

    with exclusive(path):
        entry = _MadeFrom(made=hashes(made), read=hashes(read), rules=RULES_VERSION)
        index = dict(sorted((read_index(path) | {maker: entry}).items()))
        write_atomically(path, _INDEX.dump_json(index, indent=1).decode() + "\n")


def project_names(log: Path) -> tuple[set[str], set[str]]:
    """What a process made and read of the project, from what it noted (`note_opened`): names as in the
    index. What was written first and read then was made only. A run file that was read stands for its whole
    folder, as a new one beside it would be read, too.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table, lines = f"{ROOT}/results/tables/a.csv", f"r {ROOT}/examples/in.csv\\nw /tmp/out.csv\\n"
    ...     _ = Path(folder, "log").write_text(f"{lines}w {table}\\nr {table}\\n")
    ...     project_names(Path(folder, "log"))
    ({'results/tables/a.csv'}, {'examples/in.csv'})
    """
    opened: dict[Path, str] = {}
    for line in log.read_text("utf-8", "surrogateescape").splitlines():
        way, _, path = line.partition(" ")
        opened.setdefault(Path(path), way)
    made = {name for path, way in opened.items() if way == "w" and (name := _result(path))}
    read = {name for path, way in opened.items() if way == "r" for name in _inputs(path)}
    return made, read - made - {"results/provenance.json"}


def _result(path: Path) -> str:
    """The name of a table, figure or executed notebook; '' for other files, and for drafts."""
    name = project_path(path)
    kind = _kind_of(name)
    if kind not in ("table", "figure", "notebook") or "/." in name:
        return ""
    return name.removesuffix(path.suffix) if kind == "figure" else name


def _inputs(path: Path) -> Iterator[str]:
    """The name of a data file; of a file in the project that results are made from, too."""
    for folder in map(os.path.abspath, search_folders()):
        if path.is_relative_to(folder) and data_sha256(file := path.relative_to(folder).as_posix()):
            yield DATA + file
    name = project_path(path)
    if _kind_of(name) == "run" and name.count("/") > 2:
        yield "/".join(name.split("/")[:3])
    elif name.startswith(("results/", "figures/", "examples/", "notebooks/")) and path.suffix not in (
        "",
        ".md",
    ):
        yield name


def made_states(index: Mapping[str, _MadeFrom], known: dict | None = None) -> Iterator[Result]:
    """The state of everything that stands in the index: of what one notebook makes, all is stale at once."""
    known = {} if known is None else known
    for entry in index.values():
        reasons = _changes(entry.read, known)
        if entry.rules != RULES_VERSION:
            reasons.append(f"the rules were version {entry.rules}, are now {RULES_VERSION}")
        for name, before in entry.made.items():
            edited = _changes({name: before}, known)
            why = [*reasons, f"{name} itself changed"] if edited else reasons
            if known[name] is None:
                yield Result(_kind_of(name), name, "missing")
            else:
                yield Result(_kind_of(name), name, "stale" if why else "current", "; ".join(why))
