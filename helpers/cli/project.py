"""Commands on the whole project: what is stale, grids of runs, the notebooks, published | ours."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from .. import PACKAGE, ROOT
from .base import app, failed
from .options import FILE, as_json, flag, forms, option, put

WORKFLOW = ROOT / "workflow"
CLUSTERS = ("local", "slurm")
JOBS = "At most so many at once (default: one a processor; on a cluster, its profile's)."
LAUNCH = f"How a training is started, e.g. 'accelerate launch --num_processes 4 -m {PACKAGE.name}'."
LINES = 20
"""Of one state in the table of `status`."""


@app.command("status")
@flag("--check", "Exit with 1 if anything is stale or missing.")
@forms("table", "json")
def _status(check: bool, form: str) -> int:
    """What is stale, missing or unknown of all results, and why.

    A result is stale if what it was made from has changed. A run: an input file, its configuration (settings
    and all options of the model), or the version of its model or data set, which is raised when its numbers
    change. A table, figure or executed notebook: the notebook's cells, what it read, or the version of the
    rules. The text of the package's source does not count, nor do the times of files.

    Run files hold all this themselves; results/provenance.json that of what notebooks make, as published.

    examples:
      python -m helpers status
      python -m helpers status --check --format json
    """
    from ..experiments import all_states

    states = all_states()
    if form == "json":
        put(as_json([result._asdict() for result in states if result.state != "current"]))
    else:
        put("\n".join(_lines(states)))
    return int(check and any(result.state in ("stale", "missing") for result in states))


def _lines(states: Sequence[Any]) -> Iterator[str]:
    """One line a result that is not current, the unknown ones of a folder together; last the numbers."""
    for state in ("stale", "missing"):
        chosen = [result for result in states if result.state == state]
        for result in chosen[:LINES]:
            yield f"{state:8} {result.kind:8} {result.path}" + (f": {result.why}" if result.why else "")
        if len(chosen) > LINES:
            yield f"{state:8} … and {len(chosen) - LINES} more (--format json lists all)"
    unknown = Counter(
        (result.kind, "/".join(result.path.split("/")[: 3 if result.kind == "run" else -1]), result.why)
        for result in states
        if result.state == "unknown"
    )
    for (kind, folder, why), number in unknown.items():
        yield f"{'unknown':8} {kind:8} {folder} ({number}): {why}"
    counts = Counter(result.state for result in states)
    yield ", ".join(f"{counts[state]} {state}" for state in ("current", "stale", "missing", "unknown"))


@app.command("grid")
@option("--profile", "P", "standard (default), or paper: the papers' encoders (with --encoder) and settings.")
@option("--grid file", "FILE", "A grid of your own, as JSON, instead.", FILE)
@option("--encoder encoders", "E", "Of profile paper (default: the papers'); repeatable.", multiple=True)
@flag("--runs-only", "No notebooks and no pages.")
@flag("--missing-only", "Leave runs that are stale as they are.")
@flag("--dry-run", "Only list the grid, and what of it is to be made.")
@option("--on", "PLACE", "local (default), slurm, or a folder with a Snakemake profile.", default="local")
@option("--jobs", "N", JOBS, click.IntRange(1, 10_000))
@forms("table", "json")
@option("--launch", "WORDS", LAUNCH)
def _grid(dry_run: bool, on: str, jobs: int | None, launch: str | None, form: str, **chosen: Any) -> int:
    """Make what is missing or stale of a grid: runs, then notebooks and pages, many at once.

    Snakemake starts the commands, here or on a cluster. Kill it, or any of its jobs, at any time: the next
    call finishes; trainings go on from their checkpoints, what is stored is not made again.

    A grid file holds lists; every combination of their values is a run:
      {"folder": "scratch/mine", "model": ["em-c", "em-es"], "dataset": "demo", "seed": [9, 148],
       "encoder": "bert-base-uncased", "profile": "quick", "settings": {"epochs": 2}}

    examples:
      python -m helpers grid --dry-run --encoder bert-large-uncased --encoder roberta-large
      python -m helpers grid --grid mine.json --jobs 2
      python -m helpers grid --profile paper --on slurm --jobs 50
    """
    file, encoders = chosen["file"], chosen["encoders"]
    chosen["profile"] = chosen["profile"] or ("paper" if encoders else "standard")
    if encoders and chosen["profile"] != "paper":
        raise ValueError("--encoder belongs to --profile paper; the standard grid has the embedded encoder")
    from ..experiments import plan

    wanted = plan(**chosen)
    if dry_run:
        put(as_json(wanted.record()) if form == "json" else wanted.to_text())
        return 0
    if not (wanted.todo or wanted.notebooks or wanted.pages):
        put("nothing is missing, nothing is stale")
        return 0
    cluster = WORKFLOW / "profiles" / on if on in CLUSTERS else Path(on).absolute()
    if not (cluster / "config.yaml").is_file():
        raise ValueError(f"--on {on}: {cluster} holds no config.yaml; known places: {', '.join(CLUSTERS)}")
    given = {
        "grid_profile": chosen["profile"],
        "runs_only": "true" if chosen["runs_only"] else "",
        "missing_only": "true" if chosen["missing_only"] else "",
        "encoders": " ".join(encoders),
        "grid_file": str(Path(file).absolute()) if file else "",
        "launch": launch,
    }
    words = [sys.executable, "-m", "snakemake", "--snakefile", str(WORKFLOW / "Snakefile")]
    words += ["--directory", str(ROOT), "--profile", str(cluster)]
    words += ["--cores" if on == "local" else "--jobs", str(jobs)] if jobs else []
    words += ["--config", *(f"{name}={value}" for name, value in given.items() if value)]
    return min(subprocess.run(words, check=False).returncode, 1)


@app.command("notebooks")
@option("--only", "NN", "One notebook, by number or name; repeatable.", multiple=True)
@option("-p parameters", "NAME VALUE", "A parameter; repeatable.", (str, str), multiple=True)
@flag("--publish", "Renew the committed copies in results/notebooks.")
def _notebooks(only: tuple[str, ...], parameters: tuple[tuple[str, str], ...], publish: bool) -> int:
    """Run the notebooks in order, headless.

    Executed copies go to scratch/notebooks and are compared with the committed ones. Runs with -p write
    tables and figures to scratch/, too, so the stored results stay as they are.

    examples:
      python -m helpers notebooks
      python -m helpers notebooks --only 02 --only 03 -p replicates 500
    """
    from ..notebooks import NotebookFailed, run_notebooks

    names = [name for name, _ in parameters]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"notebooks: parameter {twice[0]!r} is given twice")
    try:
        run_notebooks(list(only) or None, dict(parameters), publish=publish)
    except NotebookFailed as error:
        return failed(error, 1)
    return 0


@app.command("summary")
def _summary() -> None:
    """Published | ours, from the tables that the notebooks wrote."""
    from ..papers.summary import summary_text

    put(summary_text())
