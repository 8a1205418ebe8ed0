"""A run: what was trained or read, how, and its outcome as counts; save, load, list.

One run is one JSON file, `results/runs/<dataset>/<model>/<encoder>/seed-<n>.json`. It holds no text, no ids
and no scores: scores are computed from the outcome (`Run.outcome`), so that new measures apply to old runs.
What a file may contain is checked by `run_files`. This module trains nothing and imports no torch.
"""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from helpers import ROOT
from helpers.core import write_atomically
from helpers.metrics import Confusion, PairedOutcomes

from .run_files import OPTIONAL, SCHEMA_VERSION, TYPES, check_record, read_record, render

FOLDER = ROOT / "results" / "runs"
CONFUSION = ("gold", "predicted")
PAIRED = ("gold", "predicted", "predicted_paired")
COMPARED = ("gold", "predicted", "predicted_second")
"""Of two systems on the same samples, for a paired test; `model` then names both."""
OUTCOME = ("rows", "environment", "wall_seconds", "sentences_per_second", "history")
"""What a run finds; every other field is its configuration."""


@dataclass(frozen=True)
class Run:
    """Configuration, provenance and outcome of one model on one test set.

    Attributes
    ----------
    dataset, split : names; `files` : sha256 of every file that was read, by name.
    model : name; `encoder`, `encoder_sha256` : the pretrained encoder and its weights, None if there is none.
    seed : None for published predictions and for models without randomness.
    profile : 'quick', 'standard', 'paper', or None for published predictions.
    hyperparameters : everything that was set, JSON values.
    labels : the label list; `negative` : the negative label among them, or None.
    columns : `CONFUSION`, `PAIRED` or `COMPARED`.
    rows : one position into `labels` for each column and a count; non-zero counts only.
    environment : see `environment`; `wall_seconds`, `sentences_per_second` : None where nothing was timed.
    history : of training: mean loss of each epoch, inputs and tokens that were cut; empty for published ones.
    source : where published predictions come from, or a remark.
    """

    dataset: str
    split: str
    model: str
    labels: tuple[str | int, ...]
    rows: tuple[tuple[int, ...], ...]
    columns: tuple[str, ...] = CONFUSION
    negative: str | int | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    encoder: str | None = None
    encoder_sha256: str | None = None
    seed: int | None = None
    profile: str | None = None
    hyperparameters: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    wall_seconds: float | None = None
    sentences_per_second: float | None = None
    history: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
    schema_version: int = SCHEMA_VERSION

    @classmethod
    def from_outcome(cls, outcome: Confusion | PairedOutcomes, **configuration: Any) -> Run:
        """A run with this outcome; `configuration` names the other fields, and `columns` for `COMPARED`.

        Raises ValueError if the columns do not fit the outcome.

        >>> table = Confusion.from_arrays(["a", "b"], ["a", "a"])
        >>> Run.from_outcome(table, dataset="demo", split="test", model="majority").rows
        ((0, 0, 1), (1, 0, 1))
        """
        pairs = isinstance(outcome, PairedOutcomes)
        columns = configuration.pop("columns", PAIRED if pairs else CONFUSION)
        if (columns == CONFUSION) == pairs:
            raise ValueError(f"a {type(outcome).__name__} does not fit the columns {', '.join(columns)}")
        rows = tuple(tuple(row) for row in outcome.to_rows())
        return cls(labels=tuple(outcome.labels), rows=rows, columns=columns, **configuration)

    def outcome(self) -> Confusion | PairedOutcomes:
        """The counts: `Confusion`, or `PairedOutcomes` for a run on paired samples or of two systems.

        >>> Run("demo", "test", "majority", ("a", "b"), ((0, 0, 1), (1, 0, 1))).outcome().n
        2
        """
        kind = Confusion if self.columns == CONFUSION else PairedOutcomes
        return kind.from_rows(self.rows, self.labels)

    @property
    def n(self) -> int:
        """Number of samples."""
        return sum(row[-1] for row in self.rows)


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
    if any(one.strip() in (".", "..") for one in parts) or not re.search(r"[A-Za-z0-9]", part):
        raise ValueError(f"{name!r} cannot be part of a path: it needs a letter or digit and no '..'")
    return part


def run_path(run: Run, folder: Path | str = FOLDER) -> Path:
    """Where a run is kept: `<dataset>/<model>/<encoder or 'published'>/seed-<n>.json`, in `safe_name`s.

    Without a seed the file is `predictions.json`. On another split than 'test' the folder is
    `<dataset>-<split>`.

    >>> run_path(Run("tacred", "test", "SpanBERT", ("a",), ()), "runs").as_posix()
    'runs/tacred/SpanBERT/published/predictions.json'
    """
    dataset = run.dataset if run.split == "test" else f"{run.dataset}-{run.split}"
    file = "predictions.json" if run.seed is None else f"seed-{run.seed}.json"
    return Path(folder, safe_name(dataset), safe_name(run.model), safe_name(run.encoder or "published"), file)


def save_run(run: Run, folder: Path | str = FOLDER, overwrite: bool = False) -> Path:
    """Write a run to its path, atomically. Returns the path.

    A file with the same configuration is replaced. One with another configuration is kept unless `overwrite`.

    Raises
    ------
    FileExistsError : the file holds another configuration; the message names the fields that differ.
    ValueError : the run is not well formed (see `load_run`), or the file that is there is not.

    >>> import tempfile
    >>> run = Run("demo", "test", "majority", ("a",), ((0, 0, 3),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     load_run(save_run(run, folder)) == run
    True
    """
    path = run_path(run, folder)
    check_record(path, _record(run))
    if path.exists() and not overwrite:
        differing = different_fields(load_run(path), run)
        if differing:
            what = f"holds a run with another configuration ({', '.join(differing)})"
            raise FileExistsError(f"{path} {what}; overwrite=True replaces it")
    return write_atomically(path, render(_record(run)))


def _record(run: Run) -> dict[str, Any]:
    """The run as JSON values (lists for tuples), in the order of the file."""
    record = json.loads(json.dumps(asdict(run), allow_nan=False, default=_plain))
    return {key: record[key] for key in TYPES if record[key] or key not in OPTIONAL}


def _plain(value: Any) -> Any:
    """A numpy number as Python's; json calls this for what it cannot write."""
    if hasattr(value, "item"):
        return value.item()
    raise ValueError(f"{value!r} cannot stand in a run file: it is no JSON value")


def load_run(path: Path | str) -> Run:
    """Read a run and check it.

    Raises ValueError that names the file and the key, or the row: not JSON, another schema version, a missing
    or unknown key, a value of the wrong type, a label twice, a row of the wrong length, a position outside
    the labels, a count that is no non-negative whole number, a cell twice. FileNotFoundError if there is no
    such file.
    """
    record = read_record(Path(path))
    check_record(path, record)
    record |= {"labels": tuple(record["labels"]), "columns": tuple(record["columns"])}
    return Run(**record | {"rows": tuple(tuple(row) for row in record["rows"])})


def list_runs(
    dataset: str | None = None,
    model: str | None = None,
    encoder: str | None = None,
    profile: str | None = None,
    split: str | None = None,
    folder: Path | str = FOLDER,
) -> list[Run]:
    """All stored runs with these values, ordered by dataset, split, model, encoder and seed.

    None takes all. No match gives an empty list: a run that is missing is missing, not zero. Raises as
    `load_run`.

    >>> list_runs(folder="no-such-folder")
    []
    """
    wanted = {"dataset": dataset, "model": model, "encoder": encoder, "profile": profile, "split": split}
    wanted = {name: value for name, value in wanted.items() if value is not None}
    runs = [load_run(path) for path in sorted(Path(folder).glob("*/*/*/*.json"))]
    found = [run for run in runs if all(getattr(run, name) == value for name, value in wanted.items())]
    return sorted(found, key=_order)


def _order(run: Run) -> tuple:
    return run.dataset, run.split, run.model, run.encoder or "", -1 if run.seed is None else run.seed


def different_fields(a: Run, b: Run) -> list[str]:
    """Names of the configuration fields that differ; outcome, environment and times are no configuration.

    >>> different_fields(Run("d", "test", "m", ("a",), ()), Run("d", "test", "m", ("a",), (), seed=9))
    ['seed']
    """
    first, second = _record(a), _record(b)
    return [name for name in first if name not in OUTCOME and first[name] != second[name]]


def same_configuration(a: Run, b: Run) -> bool:
    """Would training `b` again be a repetition of `a`?

    >>> run = Run("d", "test", "m", ("a",), ())
    >>> same_configuration(run, Run("d", "test", "m", ("a",), ((0, 0, 1),), wall_seconds=3.0))
    True
    """
    return not different_fields(a, b)


def environment(packages: Sequence[str] = ("numpy", "scipy", "torch", "transformers")) -> dict[str, Any]:
    """Python, platform, device, and versions of those packages that the program has imported, for a run file.

    Nothing is imported here: without torch in the program, the device is 'cpu' and torch has no version.

    >>> sorted(environment())
    ['device', 'platform', 'python', 'versions']
    """
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": _device(),
        "versions": {name: version(name) for name in packages if name in sys.modules},
    }


def _device() -> str:
    torch = sys.modules.get("torch")
    return torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else "cpu"
