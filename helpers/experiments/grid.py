"""Studies and grids: lists of experiments, what of their runs is missing or stale, and one run by its path.

Each run is one command, `python -m helpers runs --train --run PATH`; the workflow (workflow/Snakefile) starts
as many of them as there are processors, on this machine or on a cluster. What has to be made is decided here,
by the one rule of staleness, never by times of files.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from .. import ROOT
from ..core import check_known, exclusive, shown, unknown_name
from ..data import datasets
from ..models import EMBEDDED, MODELS
from ..runs import RUNS_FOLDER, STUDIES_FOLDER, Result, made_states, project_path, read_index, run_state
from .experiment import SEEDS, STUDIES, Experiment
from .run import run_experiment

PAGES = ("README.md", *(f"results/{name}.md" for name in ("README", "findings", "items", "speed", "studies")))
_PROFILES = ("standard", "paper")
_TO_BE_MADE = {False: ("missing", "stale"), True: ("missing",)}
"""States, by whether only what is missing is made."""
_FIRST = ("seed", "dataset", "encoder", "merged", "model")
"""Fields of a grid that runs are ordered by; the others follow as they are written."""


class _Job(NamedTuple):
    """One run: its path, what is trained, and whether the outcome after each epoch is stored, too."""

    path: Path
    experiment: Experiment
    every_epoch: bool = False

    @property
    def title(self) -> str:
        """Model and variant."""
        return f"{self.experiment.name} {self.experiment.run_variant}".strip()

    def state(self, known: dict | None = None) -> Result:
        """That of the run file: its options, settings and versions compared with those of today.

        Where the outcome after each epoch is stored, that after the last one is that of the run, and does for
        it: epochs are stored in their order.
        """
        path, settings = self.path, self.experiment.resolved()
        if self.every_epoch and settings and not path.is_file():
            last = "+".join(filter(None, (self.experiment.run_variant, f"epoch-{settings.epochs}")))
            path = replace(self.experiment, variant=last).path(path.parents[3])
        state = run_state(path, self.experiment.recorded(), _known_versions(), known)
        return state._replace(path=project_path(self.path))


@dataclass(frozen=True)
class Study:
    """Experiments whose runs belong together.

    Attributes
    ----------
    folder : where its runs are. every_epoch : whether the outcome after each epoch is stored, too.
    """

    folder: Path
    experiments: tuple[Experiment, ...]
    every_epoch: bool = False

    def jobs(
        self, folder: Path | str | None = None, seeds: Sequence[int] = (), names: Sequence[str] = ()
    ) -> dict[str, _Job]:
        """Its runs by the paths of their files, seen from the project if they lie in it.

        folder : of the run files, instead of its own. seeds, names : only those with one of these seeds and
        one of these names ('EM-ES-M'); ValueError for one that the study has not.

        >>> [job.title for job in study("standard").jobs("runs", [148], ["R-BERT"]).values()]
        ['R-BERT']
        """
        folder = (ROOT / self.folder if folder is None else Path(folder)).absolute()
        chosen = self.experiments
        for field, given in (("seed", seeds), ("name", names)):
            known = {getattr(each, field) for each in self.experiments}
            if unknown := [value for value in given if value not in known]:
                raise unknown_name(f"{field} of the study", unknown[0], map(str, sorted(known)))
            chosen = [each for each in chosen if not given or getattr(each, field) in given]
        jobs = [_Job(each.path(folder), each, self.every_epoch) for each in chosen]
        return {project_path(job.path): job for job in jobs}


def _known_versions() -> dict[str, int]:
    """The version of every model, technique and data set that is registered, named as run files do."""
    from ..models.linear import TECHNIQUES

    rows = {"model": MODELS, "technique": TECHNIQUES, "data set": datasets()}
    return {f"{kind} {name}": row.version for kind, known in rows.items() for name, row in known.items()}


def studies() -> dict[str, Study]:
    """All studies by name; `studies.toml` says what each is for.

    >>> {name: len(study.experiments) for name, study in studies().items()}
    {'standard': 67, 'rates': 15, 'curves': 7, 'ablations': 12, 'layers': 12, 'emr-c': 3, 'bert-em': 5,
     'precision': 3, 'threads': 3, 'vectors': 8, 'base-changed': 15, 'base-again': 1, 'base-cpu': 3,
     'epochs': 3, 'graphs': 26, 'redocred': 77, 'redocred-all': 18, 'gids': 66,
     'gids-sentences': 9, 'wiki80': 9, 'base': 30}
    """
    return {name: study(name) for name, row in STUDIES.items() if "runs" in row and name != "paper"}


def study(name: str, **changed: Any) -> Study:
    """One of `studies`, or 'paper', the papers' own grid. changed : other fields of all its experiments.

    Raises ValueError, which lists the known ones, for an unknown name.

    >>> len(study("paper").experiments), len(study("paper", encoder="roberta-large").experiments)
    (285, 95)
    """
    known = [other for other, row in STUDIES.items() if "runs" in row]
    check_known("study", name, known)
    fields = STUDIES[name] | changed
    grids, apart = fields.pop("runs"), fields.pop("apart", False)
    every_epoch = fields.pop("every_epoch", False)
    experiments = tuple(each for grid in grids for each in _experiments(fields | grid))
    return Study(STUDIES_FOLDER / name if apart else RUNS_FOLDER, experiments, every_epoch)


def _read_grid(path: Path | str) -> Study:
    """The grid of a JSON file: every combination of its lists is one run, seeds first.

    `folder` is that of the run files; `settings` changes single ones, or is the name of a paper's; what else
    stands there is a field of `Experiment`. Every value, of settings and options, too, may be a list. A model
    without settings, seeds or encoder takes none.

    Raises ValueError, one line that names the file and what is at fault.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "grid.json")
    ...     _ = path.write_text('{"folder": "runs", "model": ["em-c", "em-es"], "dataset": "demo"}')
    ...     [experiment.name for experiment in _read_grid(path).experiments]
    ['EM-C', 'EM-ES']
    """
    content = Path(path).read_bytes()
    try:
        fields = json.loads(content)
        if not isinstance(fields, dict) or not isinstance(fields.get("folder"), str):
            raise ValueError("a grid is an object with a folder, a model and a dataset")
        folder = Path(fields.pop("folder"))
        experiments = _experiments({"dataset": None} | fields)
        for experiment in experiments:
            experiment.path(ROOT / folder).exists()  # OSError: a name that no file can have
        return Study(folder, experiments)
    except OSError as error:
        reason = f"folder: {error.strerror}"
    except (ValueError, TypeError, RecursionError) as error:
        reason = str(error)
    raise ValueError(f"{path}: {' '.join(reason.split())}") from None


def _experiments(grid: Mapping[str, Any]) -> tuple[Experiment, ...]:
    """Those of a grid, each once."""
    listed: list[Experiment] = []
    ordered = {name: grid[name] for name in _FIRST if name in grid}
    for fields in _combinations(ordered | {"profile": "standard"} | grid):
        experiment = _experiment(**fields)
        listed += [] if experiment in listed else [experiment]
    return tuple(listed)


def _combinations(grid: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every combination of the lists in a grid, those of its own tables among them; the last changes first.

    >>> [*_combinations({"seed": [9, 148], "options": {"layers": [2, 4]}})][:2]
    [{'seed': 9, 'options': {'layers': 2}}, {'seed': 9, 'options': {'layers': 4}}]
    """
    columns: list[list[Any]] = []
    for value in grid.values():
        listed = [*_combinations(value)] if isinstance(value, dict) else value
        columns.append(listed if isinstance(listed, list) and listed else [value])
    return (dict(zip(grid, values, strict=True)) for values in itertools.product(*columns))


def _experiment(settings: str | Mapping[str, Any] | None = None, **fields: Any) -> Experiment:
    """One of a grid; a model without seeds, encoder or settings takes none."""
    if not isinstance(settings, str | dict | None):
        raise ValueError(f"settings is {shown(settings)}; it must be an object, or the name of a paper's")
    if unknown := fields.keys() - Experiment.__dataclass_fields__.keys():
        raise unknown_name("field", min(unknown), Experiment.__dataclass_fields__)
    if "model" not in fields:
        raise ValueError("model is missing")
    experiment = Experiment(**fields | {"encoder": EMBEDDED})
    given = {"encoder": fields.get("encoder", EMBEDDED)} if experiment.inner.encoder else {}
    given |= {} if experiment.entry.random else {"seed": SEEDS[0]}
    experiment = replace(experiment, **given)
    if not experiment.entry.settings:
        return experiment
    named = settings if isinstance(settings, str) else None
    return experiment.with_settings(named, None if named else settings)


class _Plan(NamedTuple):
    """What a grid consists of, and what of it is to be made now.

    Attributes
    ----------
    jobs : by path, as text. todo : the paths of runs that are missing or stale.
    notebooks : executed copy → the runs of `todo` that it waits for, of notebooks that are to be run again.
    pages : that are to be made anew.
    """

    jobs: dict[str, _Job]
    todo: list[str]
    notebooks: dict[str, list[str]]
    pages: list[str]

    def record(self) -> dict[str, Any]:
        """As JSON values: all runs and those to be made, by path, notebooks, pages."""
        lists = {"runs": self.jobs, "todo": self.todo, "notebooks": self.notebooks, "pages": self.pages}
        return {name: list(listed) for name, listed in lists.items()}

    def to_text(self) -> str:
        """How much is to be made, then a line for each data set, model and encoder: how many runs of it."""
        lines = [f"{len(self.todo)} of {len(self.jobs)} runs are missing or stale."]
        lines += [f"{name}: to be run again" for name in (*self.notebooks, *self.pages)]
        folders = Counter(self.jobs[name].path.parent for name in self.todo)
        lines += [f"{count:4} {'/'.join(folder.parts[-3:])}" for folder, count in folders.items()]
        return "\n".join(lines)


def grid_jobs(
    profile: str = "standard", file: Path | str | None = None, encoders: Sequence[str] = ()
) -> dict[str, _Job]:
    """The jobs of a grid by the paths of their run files, seen from the project if they lie in it.

    profile : 'standard', all studies; 'paper', the papers' own grid, with `encoders` instead of theirs.
    file : a grid of one's own instead, see `_read_grid`.

    Raises ValueError for an unknown profile, and as `_read_grid`.

    >>> "results/runs/semeval2010/EM-C/all-MiniLM-L6-v2/seed-9.json" in grid_jobs()
    True
    """
    check_known("profile of grids", profile, _PROFILES)
    if file is not None:
        grids = [_read_grid(file)]
    elif profile == "paper":
        grids = [study("paper", **{"encoder": [*encoders]} if encoders else {})]
    else:
        grids = [*studies().values()]
    return {name: job for grid in grids for name, job in grid.jobs().items()}


def train_one(
    path: Path | str, jobs: Mapping[str, _Job], progress: bool = True, missing_only: bool = False
) -> bool:
    """Train the run of this path, unless it is there and not stale; returns whether it was trained.

    Of two that ask for the same run at the same time, on one machine or several that share the folder, one
    trains, the other waits and finds it done. A stale run is replaced when the new one is whole; with
    `missing_only` it stays.

    Raises ValueError, with the nearest, for a path that none of the jobs has; else as `run_experiment`.
    """
    name = project_path(Path(path).absolute())
    check_known("run of this grid", name, jobs)
    job = jobs[name]
    folder = job.path.parents[3]
    # of a training in several processes (`accelerate launch`) each waits for its own of the other training
    with exclusive(f"{job.path}.process-{os.environ.get('RANK', '0')}"):
        state = job.state().state
        if state not in _TO_BE_MADE[missing_only]:
            return False
        epochs = folder if job.every_epoch else None
        run_experiment(job.experiment, folder, epochs=epochs, overwrite=state == "stale", progress=progress)
        return True


def all_states() -> list[Result]:
    """The state of every run file that is stored or belongs to the standard grid, and of everything that
    notebooks make; ordered by kind and path.

    What lies in results/tables, figures or results/notebooks and is in no index is unknown.
    """
    known: dict[str, str | None] = {}
    states = {name: job.state(known) for name, job in grid_jobs().items()}
    for pattern in ("runs/*/*/*/*.json", "studies/*/*/*/*/*.json"):
        for path in (ROOT / "results").glob(pattern):
            states.setdefault(project_path(path), run_state(path, versions=_known_versions(), known=known))
    states |= {result.path: result for result in made_states(read_index(), known)}
    why = "results/provenance.json does not say what it was made from; publishing its notebook stores it"
    for kind, pattern in _MADE.items():
        for path in ROOT.glob(pattern):
            name = project_path(path.with_suffix("") if kind == "figure" else path)
            states.setdefault(name, Result(kind, name, "unknown", why))
    for copy in _notebook_copies():
        states.setdefault(copy, Result("notebook", copy, "missing"))
    return sorted(states.values(), key=lambda result: (result.kind, result.path))


_MADE = {"table": "results/tables/*.csv", "figure": "figures/*.csv", "notebook": "results/notebooks/*.ipynb"}
"""What notebooks make: kind → files."""


def _notebook_copies() -> list[str]:
    """The executed copies that there should be, one of each notebook."""
    return [
        f"results/notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    ]


def plan(
    profile: str = "standard",
    file: Path | str | None = None,
    encoders: Sequence[str] = (),
    runs_only: bool = False,
    missing_only: bool = False,
) -> _Plan:
    """What is to be made now: the grid's runs, and of profile 'standard' what notebooks and pages make.

    A notebook is run again if one of its results is missing or stale, or a run that it reads will be made.
    `missing_only` : runs that are stale are left as they are.
    """
    jobs, known = grid_jobs(profile, file, encoders), {}
    wanted = _TO_BE_MADE[missing_only]
    todo = [name for name, job in jobs.items() if job.state(known).state in wanted]
    if runs_only or file is not None or profile != "standard":
        return _Plan(jobs, todo, {}, [])
    index, notebooks = read_index(), {}
    states = {name.path: name.state for name in made_states(index, known)}
    for copy in _notebook_copies():
        made = index.get(copy.removeprefix("results/"))
        waits = [] if made is None else [name for name in todo if "/".join(name.split("/")[:3]) in made.read]
        late = any(states[name] != "current" for name in made.made) if made else not (ROOT / copy).exists()
        if waits or late:
            notebooks[copy] = waits
    late = any(states[page] != "current" for page in PAGES if page in states)
    return _Plan(jobs, todo, notebooks, list(PAGES) if notebooks or late else [])
