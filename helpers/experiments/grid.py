"""Grids of runs as files: what belongs to a grid, what of it is missing or stale, and one run by its path.

Each run is one command, `python -m helpers runs --train --run PATH`; the workflow (workflow/Snakefile) starts
as many of them as there are processors, on this machine or on a cluster. What has to be made is decided here,
by the one rule of staleness, never by times of files.
"""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from .. import ROOT
from ..core import exclusive, shown, unknown_name
from ..data import datasets
from ..models import EMBEDDED, MODELS
from ..runs import RUNS_FOLDER, Result, made_states, read_index, run_state
from .experiment import SEEDS, Experiment
from .run import run_experiment
from .study import ENCODERS, Study, paper_experiments, studies

PAGES = ("README.md", *(f"results/{name}.md" for name in ("README", "findings", "items", "speed", "studies")))
_PROFILES = ("standard", "paper")


class _Job(NamedTuple):
    """One run: its path, what is trained, and whether the outcome after each epoch is stored, too."""

    path: Path
    experiment: Experiment
    every_epoch: bool = False


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


def read_grid(path: Path | str) -> Study:
    """The grid of a JSON file: every combination of its lists is one run, seeds first.

    `folder` is that of the run files; model, dataset, encoder, seed, merged are one value or a list;
    `settings` changes single ones; what else stands there is a field of `Experiment`. A model without
    settings, seeds or encoder takes none.

    Raises ValueError, one line that names the file and what is at fault.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "grid.json")
    ...     _ = path.write_text('{"folder": "runs", "model": ["em-c", "em-es"], "dataset": "demo"}')
    ...     [experiment.name for experiment in read_grid(path).experiments]
    ['EM-C', 'EM-ES']
    """
    content = Path(path).read_bytes()
    try:
        given = json.loads(content)
        if not isinstance(given, dict) or not isinstance(given.get("folder"), str):
            raise ValueError("a grid is an object with a folder, a model and a dataset")
        folder, changes = Path(given.pop("folder")), given.pop("settings", {})
        if not isinstance(changes, dict):
            raise ValueError(f"settings is {shown(changes)}; it must be an object")
        lists = {name: given.pop(name, usual) for name, usual in _LISTED.items()}
        every = [value if isinstance(value, list) else [value] for value in lists.values()]
        listed: list[Experiment] = []
        for values in itertools.product(*every):
            experiment = _of_grid(
                {"profile": "standard"} | given | dict(zip(lists, values, strict=True)), changes
            )
            experiment.path(ROOT / folder).exists()  # OSError: a name that no file can have
            listed += [experiment] if experiment not in listed else []
        return Study(folder, tuple(listed))
    except OSError as error:
        reason = f"folder: {error.strerror}"
    except (ValueError, TypeError, RecursionError) as error:
        reason = str(error)
    raise ValueError(f"{path}: {' '.join(reason.split())}") from None


_LISTED = {"seed": SEEDS[0], "dataset": None, "encoder": EMBEDDED, "merged": False, "model": None}


def _of_grid(fields: dict[str, Any], changes: Mapping[str, Any]) -> Experiment:
    about = Experiment(**fields | {"encoder": EMBEDDED, "merged": False})
    fields |= {} if about.inner.encoder else {"encoder": EMBEDDED}
    fields |= {} if about.entry.random else {"seed": SEEDS[0]}
    experiment = Experiment(**fields)
    return experiment.with_settings(changes=changes) if about.entry.settings else experiment


def grid_jobs(
    profile: str = "standard", file: Path | str | None = None, encoders: Sequence[str] = ()
) -> dict[str, _Job]:
    """The jobs of a grid by the paths of their run files, seen from the project if they lie in it.

    profile : 'standard', all studies; 'paper', the papers' own grid, with `encoders`
    (default `ENCODERS`). file : a grid of one's own instead, see `read_grid`.

    Raises ValueError for an unknown profile, and as `read_grid`.

    >>> "results/runs/semeval2010/EM-C/all-MiniLM-L6-v2/seed-9.json" in grid_jobs()
    True
    """
    if profile not in _PROFILES:
        raise unknown_name("profile of grids", profile, _PROFILES)
    if file is not None:
        grids = [read_grid(file)]
    elif profile == "paper":
        grids = [Study(Path(RUNS_FOLDER), tuple(paper_experiments(encoders or ENCODERS)))]
    else:
        grids = [*studies().values()]
    return {name: job for grid in grids for name, job in study_jobs(grid).items()}


def study_jobs(study: Study, folder: Path | str | None = None) -> dict[str, _Job]:
    """The jobs of one study, by path as in `grid_jobs`; `folder` : of the run files, instead of its own."""
    folder = (ROOT / study.folder if folder is None else Path(folder)).absolute()
    jobs = [_Job(experiment.path(folder), experiment, study.every_epoch) for experiment in study.experiments]
    return {_shown(job.path): job for job in jobs}


def _shown(path: Path) -> str:
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def _job_state(job: _Job, known: dict | None = None) -> Result:
    """The state of a job's run file, its options, settings and versions compared with those of today.

    Where the outcome after each epoch is stored, that after the last one is that of the run, and does for it:
    epochs are stored in their order.
    """
    path, settings = job.path, job.experiment.resolved()
    if job.every_epoch and settings and not path.is_file():
        last = "+".join(filter(None, (job.experiment.run_variant, f"epoch-{settings.epochs}")))
        path = replace(job.experiment, variant=last).path(path.parents[3])
    state = run_state(path, job.experiment.recorded(), _known_versions(), known)
    return state._replace(path=_shown(job.path))


def status(jobs: Mapping[str, _Job]) -> pd.DataFrame:
    """Data set, model (and variant), the seeds that are stored and those that are missing, one row a model.

    >>> status(study_jobs(studies()["standard"], "no-such-folder")).iloc[0].tolist()
    ['semeval2010', 'EM-C', '–', '9 148 378 459 687']
    """
    rows: dict[tuple[str, str], dict[str, list[Any]]] = {}
    for job in jobs.values():
        experiment = job.experiment
        title = f"{experiment.name} {experiment.run_variant}".strip()
        row = rows.setdefault((experiment.dataset_name, title), {"stored": [], "missing": []})
        state = "missing" if _job_state(job).state == "missing" else "stored"
        row[state].append("once" if experiment.run_seed is None else experiment.run_seed)
    table = [
        (*key, *(" ".join(map(str, sorted(seeds))) or "–" for seeds in row.values()))
        for key, row in rows.items()
    ]
    return pd.DataFrame(table, columns=["dataset", "model", "stored", "missing"])


def _known_versions() -> dict[str, int]:
    """The version of every model, technique and data set that is registered, named as run files do."""
    from ..models.linear import TECHNIQUES

    rows = {"model": MODELS, "technique": TECHNIQUES, "data set": datasets()}
    return {f"{kind} {name}": row.version for kind, known in rows.items() for name, row in known.items()}


def train_one(
    path: Path | str, jobs: Mapping[str, _Job], progress: bool = True, missing_only: bool = False
) -> bool:
    """Train the run of this path, unless it is there and not stale; returns whether it was trained.

    Of two that ask for the same run at the same time, on one machine or several that share the folder, one
    trains, the other waits and finds it done. A stale run is replaced when the new one is whole; with
    `missing_only` it stays.

    Raises ValueError, with the nearest, for a path that none of the jobs has; else as `run_experiment`.
    """
    name = _shown(Path(path).absolute())
    if name not in jobs:
        raise unknown_name("run of this grid", name, jobs)
    job = jobs[name]
    folder = job.path.parents[3]
    # of a training in several processes (`accelerate launch`) each waits for its own of the other training
    with exclusive(f"{job.path}.process-{os.environ.get('RANK', '0')}"):
        state = _job_state(job).state
        if state not in _to_be_made(missing_only):
            return False
        epochs = folder if job.every_epoch else None
        run_experiment(job.experiment, folder, epochs=epochs, overwrite=state == "stale", progress=progress)
        return True


def _to_be_made(missing_only: bool) -> tuple[str, ...]:
    return ("missing",) if missing_only else ("missing", "stale")


def all_states() -> list[Result]:
    """The state of every run file that is stored or belongs to the standard grid, and of everything that
    notebooks make; ordered by kind and path.

    What lies in results/tables, figures or results/notebooks and is in no index is unknown.
    """
    known: dict[str, str | None] = {}
    states = {name: _job_state(job, known) for name, job in grid_jobs().items()}
    for pattern in ("runs/*/*/*/*.json", "studies/*/*/*/*/*.json"):
        for path in (ROOT / "results").glob(pattern):
            states.setdefault(_shown(path), run_state(path, versions=_known_versions(), known=known))
    states |= {result.path: result for result in made_states(read_index(), known)}
    why = "results/provenance.json does not say what it was made from; publishing its notebook stores it"
    for kind, pattern in _MADE.items():
        for path in ROOT.glob(pattern):
            name = _shown(path.with_suffix("") if kind == "figure" else path)
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
    wanted = _to_be_made(missing_only)
    todo = [name for name, job in jobs.items() if _job_state(job, known).state in wanted]
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
