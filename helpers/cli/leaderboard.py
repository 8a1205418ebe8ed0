"""The leaderboard: add and list submissions, rebuild the page; a report of one file."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import click

from .. import program
from . import app, base
from .base import bootstrap, flag, forms, option, put, put_report

logger = logging.getLogger(__name__)
SEED_TYPE = click.IntRange(0, base.SEEDS)
STORE = option("--store", "FOLDER", "Where submissions lie (default results/leaderboard/runs).")
TEST_SET = "The test set, e.g. tacred, tacred-revised, semeval2010, kbp37, gids; or a name of your own."
DATASET = option("--dataset", "D", TEST_SET, required=True)


@app.group("leaderboard", no_args_is_help=False)
def _leaderboard() -> None:
    """Add your predictions to the leaderboard; list them; rebuild its page.

    A submission is a prediction file. It is checked (every fault is listed with its line), reduced to counts
    and stored as a run file; texts, ids and single predictions are not kept. Every measure of every stored
    system is computed at the next rebuild: nothing is trained again, nobody is asked for anything again.
    `add` says which file holds the submission: without that file it is gone.

    examples:
      python -m helpers leaderboard add mine.csv --dataset tacred --system "My model"
      python -m helpers leaderboard rebuild
    """


@_leaderboard.command("add")
@click.argument("file", metavar="FILE", type=base.FILE)
@DATASET
@option("--system", "NAME", "The name that the page shows.", required=True)
@option("--paper", "URL", "Where the system is described.", default="")
@option("--licence", "L", "Of the predictions, e.g. MIT.", default="")
@option("--gold", "FILE", "A file with ids and gold labels, where there are none.", base.FILE)
@option("--negative", "L", "The negative class of a test set of your own, e.g. no_relation.")
@option("--seed", "N", "One run of several: the page shows the system once, with their mean.", SEED_TYPE)
@base.GOLD_COLUMN
@base.PREDICTED_COLUMN
@option("--paired-column predicted_paired_column", "C", "Predictions on the paired sentences, for direction.")
@base.ID_COLUMN
@option("--truth", "T", "For several labels a sample: the gold matrix; FILE holds the scores.", base.FILE)
@option("--threshold", "X", "Labels with scores above it are predicted (default 0).", float, default=0.0)
@option("--facts", "FACTS", "For ranked facts: the true ones, with head, tail and relation.", base.FILE)
@option("--n-facts", "N", "For a published list: how many facts are true.", click.IntRange(1, 2**53))
@flag("--replace", "Put it in the place of a stored submission of that name.")
@STORE
def _add(replace: bool, store: str | None, **options: Any) -> None:
    """Add a prediction file.

    FILE (.csv, .tsv, .jsonl or .parquet, also .gz) has one row for each sample of the test set, the negative
    ones included: its id and predicted label, and its gold label where the test set is not on this machine.
    An answer file of SemEval (.txt, id TAB label) is read, too. Gold labels have to be those of the test set,
    ids complete and each once. All faults are listed, the first 50 with their line; then nothing is stored.
    A name that is not known makes a test set, of the gold labels in FILE or in --gold; what is added to it
    later has to have the same.

    examples:
      python -m helpers leaderboard add mine.csv --dataset tacred --system "My model"
      python -m helpers leaderboard add answers.txt --dataset semeval2010 --system "My CNN" --licence MIT
      python -m helpers leaderboard add a.csv --dataset mine --gold gold.csv --negative NA --system A --seed 1
    """
    from ..reporting import leaderboard

    roles = {role: options.pop(f"{role}_column") for role in ("id", "gold", "predicted", "predicted_paired")}
    submission = leaderboard.Submission(**options, columns=roles)
    path = _noting(lambda: leaderboard.Store(store or leaderboard.STORE).add(submission, replace))
    there = f" --store {store}" if store else ""
    put(f"{path}\n`{program()} leaderboard rebuild{there}` puts it on the page")


def _noting(act: Callable[[], Any], after: str = "; nothing was stored") -> Any:
    """What `act` gives; each fault of a refused file is a note of its own, the error says how many."""
    from ..reporting.leaderboard import Refused

    try:
        return act()
    except Refused as error:
        for problem in error.problems:
            logger.warning("%s, %s", error.path, problem)
        kept = "" if error.count == len(error.problems) else f", the first {len(error.problems)} are listed"
        several = "problem" if error.count == 1 else "problems"
        raise ValueError(f"{error.path}: {error.count} {several}{kept}{after}") from None


@_leaderboard.command("rebuild")
@option("--output out", "FILE", "The page (default results/leaderboard/index.html).")
@option("--runs", "FOLDER", "Where the runs of the reproduction lie (default results/runs).")
@bootstrap(default=1000, seed=False)
@flag("--fresh", "Compute all intervals anew, not only those of new outcomes.")
@flag("--neighbours", "First renew the paired intervals of neighbours, from the prediction files.")
@STORE
def _rebuild(out: str | None, fresh: bool, neighbours: bool, **options: Any) -> None:
    """Compute every measure of every stored system, and write the page: one file, to be opened or uploaded.

    Intervals that were computed before are kept in .cache; of new outcomes they take a second each. With
    --neighbours, which takes some minutes and needs the published prediction files, the differences between
    systems that stand side by side in a ranking get paired intervals.

    examples:
      python -m helpers leaderboard rebuild
      python -m helpers leaderboard rebuild --output page.html --bootstrap 200
    """
    from ..reporting.leaderboard import PAGE, build_page, page_data, write_neighbours

    if neighbours:
        write_neighbours(options["replicates"])
    given = {name: value for name, value in options.items() if value not in (None, "")}
    data = page_data(**given, cached=not fresh)
    path = build_page(data, out or PAGE)
    systems = sum(len({run["key"] for run in testset["systems"]}) for testset in data["testsets"])
    size = f"{path.stat().st_size / 1e6:.2f} MB"
    put(f"{path}: systems: {systems}, test sets: {len(data['testsets'])}, {size}")


@_leaderboard.command("list")
@forms("table", "json", "csv")
@STORE
def _list(form: str, store: str | None) -> None:
    """The stored submissions.

    example:
      python -m helpers leaderboard list
    """
    from ..core import csv_text, table_name
    from ..reporting import leaderboard

    names = {"dataset": "dataset", "system": "model", "outcome": "kind", "n": "n", "licence": "licence"}
    names |= {"paper": "source", "seed": "seed"}
    runs = leaderboard.Store(store or leaderboard.STORE).submissions()
    rows = [[getattr(run, field) for field in names.values()] for run in runs]
    if form == "json":
        put([dict(zip(names, row, strict=True)) for row in rows])
    elif form == "csv":
        put(csv_text([names, *rows]))
    else:
        shown = (row[:4] if row[-1] is None else [*row[:4], f"seed {row[-1]}"] for row in rows)
        lines = "\n".join("  ".join(map(table_name, row)) for row in shown)
        put(lines or "there are no submissions yet; `leaderboard add` stores one")


BESIDE = "A stored test set: checks FILE, and gives the systems to stand beside."


@app.command("report")
@click.argument("path", metavar="FILE", type=base.FILE)
@option("--dataset", "D", BESIDE, default="")
@option("--system", "NAME", "The name in the report (default: that of the file).", default="")
@base.COLUMNS
@bootstrap(default=1000, seed=False)
@forms("markdown", "json")
@base.OUTPUT
def _report(form: str, output: str | None, **options: Any) -> None:
    """A report of one prediction file, on one page.

    All schemes with intervals, every class, a paragraph that says how to report the score; with --dataset
    also the rank among the stored systems under each scheme.

    examples:
      python -m helpers report mine.csv --negative no_relation
      python -m helpers report mine.csv --dataset tacred --system "My model" --output report.md
    """
    from ..reporting.leaderboard import file_report

    roles = {role: options.pop(f"{role}_column") for role in ("id", "gold", "predicted")}
    made = _noting(lambda: file_report(**options, columns=roles), "")
    put_report(made, form, output)
