"""Commands on grids of runs: what is stale and why, and the workflow that makes what is missing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import PACKAGE, ROOT
from .base import app, as_json, existing_file, flag, forms, option, put, whole_number

WORKFLOW = ROOT / "workflow"
PLACES = ("local", "slurm", "kubernetes")
SHOWN = 20
"""Lines of one kind and state in the table of `status`."""


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
        put(as_json([one._asdict() for one in states if one.state != "current"]))
    else:
        put("\n".join(_lines(states)))
    return int(check and any(one.state in ("stale", "missing") for one in states))


def _lines(states: Iterable[Any]) -> Iterable[str]:
    """One line a result that is not current, the unknown ones of a folder together; last the numbers."""
    states = list(states)
    for state in ("stale", "missing"):
        chosen = [one for one in states if one.state == state]
        for one in chosen[:SHOWN]:
            yield f"{state:8} {one.kind:8} {one.path}" + (f": {one.why}" if one.why else "")
        if len(chosen) > SHOWN:
            yield f"{state:8} … and {len(chosen) - SHOWN} more (--format json lists all)"
    together: dict[tuple[str, str, str], int] = {}
    for one in states:
        if one.state == "unknown":
            key = (one.kind, "/".join(one.path.split("/")[: 3 if one.kind == "run" else -1]), one.why)
            together[key] = together.get(key, 0) + 1
    for (kind, folder, why), number in together.items():
        yield f"{'unknown':8} {kind:8} {folder} ({number}): {why}"
    counted = {
        state: sum(one.state == state for one in states)
        for state in ("current", "stale", "missing", "unknown")
    }
    yield ", ".join(f"{number} {state}" for state, number in counted.items())


@app.command("grid")
@option("--profile", "P", "standard (default), or paper: the papers' encoders (with --encoder) and settings.")
@option("--grid file", "FILE", "A grid of your own, as JSON, instead.", existing_file)
@option(
    "--encoder encoders", "E", "Of profile paper; repeatable (default: those of the papers).", multiple=True
)
@flag("--runs-only", "No notebooks and no pages.")
@flag("--missing-only", "Leave runs that are stale as they are.")
@flag("--dry-run", "Only list the grid: what of it is to be made, with its estimated GPU hours.")
@option(
    "--on",
    "PLACE",
    "local (default), slurm, kubernetes, or a folder with a Snakemake profile.",
    default="local",
)
@option(
    "--jobs",
    "N",
    "At most so many at once (default: one a processor; on a cluster, its profile's).",
    whole_number(1, 10_000),
)
@forms("table", "json")
@option(
    "--launch",
    "WORDS",
    f"How a training is started, e.g. 'accelerate launch --num_processes 4 -m {PACKAGE.name}'.",
)
def _grid(
    profile: str | None,
    file: str | None,
    encoders: tuple[str, ...],
    runs_only: bool,
    missing_only: bool,
    dry_run: bool,
    on: str,
    jobs: int | None,
    launch: str | None,
    form: str,
) -> int:
    """Make what is missing or stale of a grid: runs, then notebooks and pages, many at once.

    Snakemake starts the commands, here or on a cluster. Kill it, or any of its jobs, at any time: the next
    call finishes; trainings go on from their checkpoints, what is stored is not made again.

    A grid file holds lists; every combination of their values is a run:
      {"folder": "scratch/mine", "model": ["em-c", "em-es"], "dataset": "demo", "seed": [9, 148],
       "encoder": "bert-base-uncased", "profile": "quick", "settings": {"epochs": 2}}

    GPU hours: 6 × parameters × tokens × epochs, over the operations a second that training reaches; see
    results/README.md, Costs.

    examples:
      python -m helpers grid --dry-run --encoder bert-large-uncased --encoder roberta-large
      python -m helpers grid --grid mine.json --jobs 2
      python -m helpers grid --profile paper --on slurm --jobs 50
    """
    profile = profile or ("paper" if encoders else "standard")
    if encoders and profile != "paper":
        raise ValueError("--encoder belongs to --profile paper; the standard grid has the embedded encoder")
    from ..experiments import grid_record, grid_text, plan

    wanted = plan(profile, file, encoders, runs_only, missing_only)
    if dry_run:
        put(as_json(grid_record(wanted)) if form == "json" else grid_text(wanted))
        return 0
    if not (wanted.todo or wanted.notebooks or wanted.pages):
        put("nothing is missing, nothing is stale")
        return 0
    place = WORKFLOW / "profiles" / on if on in PLACES else Path(on).absolute()
    if not (place / "config.yaml").is_file():
        raise ValueError(f"--on {on}: {place} holds no config.yaml; known places: {', '.join(PLACES)}")
    configuration = {"grid_profile": profile} | ({"runs_only": "true"} if runs_only else {})
    configuration |= {"missing_only": "true"} if missing_only else {}
    configuration |= {"encoders": " ".join(encoders)} if encoders else {}
    configuration |= {"grid_file": str(Path(file).absolute())} if file else {}
    configuration |= {"launch": launch} if launch else {}
    words = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(WORKFLOW / "Snakefile"),
        "--directory",
        str(ROOT),
    ]
    words += ["--profile", str(place)]
    words += (["--cores", str(jobs)] if on == "local" else ["--jobs", str(jobs)]) if jobs else []
    words += ["--config", *(f"{name}={value}" for name, value in configuration.items())]
    return min(subprocess.run(words, check=False).returncode, 1)
