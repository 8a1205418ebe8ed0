"""Run files: where a run is kept, how its text is laid out; save, load, list, compare.

One run is one JSON file. The same run always gives the same text, so a difference between two files is a
difference between two runs.
"""

from __future__ import annotations

import hashlib
import json
import platform
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from functools import lru_cache
from importlib.metadata import version
from operator import attrgetter
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from .. import RESULTS, ROOT
from ..core import naming_file, shown, write_atomically
from ..data import json_document
from .schema import SCHEMA_VERSION, Run, normal, plain, validated

RUNS_FOLDER = ROOT / "results" / "runs"
"""Where runs are written, and read."""
STORED_RUNS = RESULTS / "runs"
"""The runs of the reproduction: the same folder, or its copy in an installed package."""
STUDIES_FOLDER = ROOT / "results" / "studies"
WIDTH = 100
MAX_BYTES = 1 << 26
_NAMES = [field.name for field in fields(Run)]
_CUT = _NAMES.index("licence")
KEYS = (*_NAMES[:_CUT], "configuration_sha256", *_NAMES[_CUT:-1], "outcome")
"""Keys of a run file, in their order, after its `schema_version`."""
OPTIONAL = {"options", "versions", "history", "facts", "cost"}
"""Left out when they are empty."""
RUN = TypeAdapter(Run)
_COMPACT = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode


def safe_name(name: str) -> str:
    """A name as one part of a path: letters, digits and `. _ + -` stay, whatever else becomes '-'.

    Two names can meet in one path ('a b' and 'a/b'); `save_run` then refuses the second, as its configuration
    differs.

    Raises ValueError for a name that leads out of its folder or leaves nothing: '..' as a part, or no letter
    or digit.

    >>> safe_name("google/bert base (uncased)"), safe_name("EM-C")
    ('google-bert-base-uncased', 'EM-C')
    """
    parts = re.split(r"[/\\]", str(name))
    part = re.sub(r"[^A-Za-z0-9._+-]+", "-", str(name)).strip("-.")
    if any(name.strip() in (".", "..") for name in parts) or not re.search(r"[A-Za-z0-9]", part):
        raise ValueError(f"{shown(name)} cannot be part of a path: it needs a letter or digit and no '..'")
    return part


def variant_name(chosen: Mapping[str, Any], usual: Mapping[str, Any]) -> str:
    """What of `chosen` differs from `usual`, or is not in it, as the name of a variant; '' if nothing does.

    A name that is too long for a path ends in a part of its sha256.

    >>> variant_name({"epochs": 3, "learning_rate": 2e-4}, {"epochs": 5, "learning_rate": 2e-4})
    'epochs-3'
    """
    differing = {key: value for key, value in chosen.items() if key not in usual or usual[key] != value}
    name = "+".join(f"{key}-{normal(value)}" for key, value in differing.items())
    return name if len(name) <= 160 else f"{name[:150]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def run_path(run: Any, folder: Path | str = RUNS_FOLDER) -> Path:
    """Where a run is kept: `<dataset>/<model>[+<variant>]/<encoder or 'published'>/seed-<n>.json`.

    A profile other than 'standard' is named before the variant, a split other than 'test' after the data set.
    Without a seed the file is `predictions.json`. All parts are `safe_name`s. What is not made yet has a path
    too: anything that has these fields of a run.

    >>> from helpers.metrics import Outcome
    >>> run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="tacred", model="SpanBERT")
    >>> run_path(run, "runs").as_posix()
    'runs/tacred/SpanBERT/published/predictions.json'
    """
    dataset = run.dataset if run.split == "test" else f"{run.dataset}-{run.split}"
    profile = "" if run.profile in (None, "standard") else run.profile
    model = "+".join(safe_name(part) for part in (run.model, profile, run.variant) if part)
    file = "predictions.json" if run.seed is None else f"seed-{run.seed}.json"
    return Path(folder, safe_name(dataset), model, safe_name(run.encoder or "published"), file)


def save_run(run: Run, folder: Path | str = RUNS_FOLDER, overwrite: bool = False) -> Path:
    """Write a run to its path, atomically. Returns the path.

    A file with the same configuration is replaced. One with another configuration is kept unless `overwrite`.

    Raises
    ------
    FileExistsError : the file holds another configuration; the message names the fields that differ.
    ValueError : the file that is there is no run file.

    >>> import tempfile
    >>> from helpers.metrics import Outcome
    >>> run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="demo", model="majority")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_run(save_run(run, folder)) == run
    True
    """
    path = run_path(run, folder)
    differing = load_run(path).different_fields(run) if path.exists() and not overwrite else []
    if differing:
        what = f"holds a run with another configuration ({', '.join(differing)})"
        raise FileExistsError(f"{path} {what}; overwrite=True replaces it")
    return write_atomically(path, _run_text(run))


def _run_text(run: Run) -> str:
    """The text of a run file: one key a line, lists with several entries a line, a newline at the end.

    >>> from helpers.metrics import Outcome
    >>> run = Run.from_outcome(Outcome.from_columns([0, 0, 1], [0, 1, 1]), dataset="demo", model="m")
    >>> print(_run_text(run)[-125:], end="")
      "labels": [0, 1],
      "negative": null,
      "outcome": {
        "kind": "confusion",
        "rows": [[0,0,1], [0,1,1], [1,1,1]]
      }
    }
    """
    record: dict[str, Any] = {"schema_version": SCHEMA_VERSION}
    values = {key: plain(getattr(run, key)) for key in KEYS[:-1]}
    record |= {key: value for key, value in values.items() if value or key not in OPTIONAL}
    record["outcome"] = {
        field.name: plain(value)
        for field in fields(run.table)
        if (value := getattr(run.table, field.name)) not in (None, "", ()) or value != field.default
    }
    return _laid_out(record) + "\n"


def _laid_out(value: Any, indent: str = "") -> str:
    """JSON text. Lists of entries are packed into lines of `WIDTH`."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        entries = (f"{inner}{_COMPACT(key)}: {_laid_out(entry, inner)}" for key, entry in value.items())
        return "{\n" + ",\n".join(entries) + f"\n{indent}}}"
    if not isinstance(value, list):
        return _COMPACT(value)
    lines = list(_pack_rows(value, WIDTH - len(inner)))
    if len("".join(lines)) + len(indent) < WIDTH - 20:
        return f"[{''.join(lines)}]"
    return "[\n" + "\n".join(f"{inner}{line}" for line in lines) + f"\n{indent}]"


def _pack_rows(rows: Iterable[Any], width: int) -> Iterable[str]:
    """Entries as JSON with commas between them, as many in a line as `width` characters hold.

    >>> list(_pack_rows([[0, 1], [2], 3], width=11))
    ['[0,1], [2],', '3']
    """
    line = ""
    for row in rows:
        text = _COMPACT(row)
        if line and len(line) + len(text) + 3 > width:
            yield line + ","
            line = ""
        line += f", {text}" if line else text
    if line:
        yield line


def load_run(path: Path | str) -> Run:
    """Read a run and check it.

    Raises ValueError, one line that names the file and the key or row: not JSON, another schema version, a
    missing or unknown key, a value of the wrong type, rows that contradict each other, a configuration that
    is not that of its sha256. OSError as the file system does.
    """
    path = Path(path)
    with naming_file(path):
        if path.stat().st_size > MAX_BYTES:
            raise ValueError(f"it has {path.stat().st_size} bytes; expected at most {MAX_BYTES}")
        return _parse(path, path.read_bytes())


@lru_cache(maxsize=1024)  # a page asks for the same stored runs a dozen times
def _parse(path: Path, content: bytes) -> Run:
    record = json_document(path, content)
    if not isinstance(record, dict):
        raise ValueError(f"a run is a JSON object, this is a {type(record).__name__}")
    version = record.pop("schema_version", None)
    if version != SCHEMA_VERSION:
        raise ValueError(f"schema_version is {shown(version)}; this program reads version {SCHEMA_VERSION}")
    if missing := [key for key in KEYS if key not in record and key not in OPTIONAL]:
        raise ValueError(f"missing key {missing[0]}")
    stated = record.pop("configuration_sha256", None)
    run = validated(RUN, record)
    if stated not in (None, run.configuration_sha256):
        actual = f"that of the configuration is {run.configuration_sha256!r}"
        raise ValueError(f"configuration_sha256 is {shown(stated)}; {actual}")
    return run


def list_runs(
    dataset: str | None = None,
    model: str | None = None,
    encoder: str | None = None,
    *,
    folder: Path | str = RUNS_FOLDER,
    **others: str | None,
) -> list[Run]:
    """All stored runs with these values, ordered by dataset, split, model, variant, encoder and seed.

    others : of further fields (profile, split, variant) and of `kind`. None takes all; variant='' takes the
    runs of models as they are usually trained. No match gives an empty list: a run that is missing is
    missing, not zero. Raises as `load_run`.

    >>> list_runs(folder="no-such-folder")
    []
    """
    wanted = {"dataset": dataset, "model": model, "encoder": encoder, **others}
    # the folders' names begin with these: the other files need not be read
    parts = [f"{name}*" if name and re.fullmatch(r"[\w.+-]+", name) else "*" for name in (dataset, model)]
    runs = map(load_run, sorted(Path(folder).glob("/".join([*parts, "*", "*.json"]))))
    kept = [run for run in runs if all(value in (None, getattr(run, key)) for key, value in wanted.items())]
    names = attrgetter("dataset", "split", "model", "variant")
    return sorted(kept, key=lambda run: (*names(run), run.encoder or "", run.seed or 0))


def list_published(dataset: str, kind: str | None = None) -> list[Run]:
    """The stored predictions of others on a data set: the runs without a profile, which all runs that were
    trained here have. Arguments and errors as `list_runs`.

    >>> {run.profile for run in list_published("tacred")}
    {None}
    """
    return [run for run in list_runs(dataset, kind=kind) if run.profile is None]


def environment(packages: Sequence[str] = ("numpy", "scipy", "torch", "transformers")) -> dict[str, Any]:
    """Python, platform, device, and versions of those packages that the program has imported, for a run file.

    Nothing is imported here: without torch in the program, the device is 'cpu' and torch has no version.

    >>> sorted(environment())
    ['device', 'platform', 'python', 'versions']
    """
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else "cpu",
        "versions": {name: version(name) for name in packages if name in sys.modules},
    }
