"""Commands on several systems: on the same samples, and over their runs."""

from __future__ import annotations

import shlex
from typing import Any

import click

from .base import (
    SCHEMES,
    SEED,
    app,
    as_json,
    bootstrap,
    columns,
    existing_file,
    forms,
    input_file,
    one_of,
    option,
    put,
)
from .options import DECIMALS, OUTPUT, RAW, policy, policy_of, reading, reading_of

RUNS = "The runs of a system: NAME=PATTERN, quoted, e.g. 'A=A-seed*.csv'; repeatable, also for one name."
CORRECTION = "Correction of p for several tests: holm (default), or bh (Benjamini and Hochberg)."


@app.command("compare")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=input_file)
@option("--runs", "NAME=PATTERN", RUNS, multiple=True)
@reading
@columns
@option("--paired-column", "C", "With --runs: predictions on the paired samples, for A, B, PD, PIR, PPR.")
@option("--inverse", "FILE", "The inverses, if not (e1,e2) and (e2,e1).", existing_file)
@option("--task", "TASK", "semeval2010: its labels, its negative class; with --runs its official score.")
@SCHEMES
@policy
@option("--correction", "NAME", CORRECTION, one_of("correction", "holm", "bh"), default="holm")
@bootstrap(default=10_000, least=1)
@SEED
@forms("table", "json", "csv", "latex")
@DECIMALS
@RAW
@OUTPUT
def _compare(
    files: tuple[str, ...],
    runs: tuple[str, ...],
    paired_column: str | None,
    inverse: str | None,
    decimals: int,
    output: str | None,
    **options: Any,
) -> None:
    """Tests between systems: on the same samples, or over their runs.

    Files: the first is compared with each other one by a two-sided paired bootstrap under every scheme; p is
    corrected over all tests (the other files under each scheme). Samples are matched by id if both files have
    ids, else by order; the gold labels have to agree. Files are as in `score`.

    Runs (--runs): mean and sample SD over the files of each system, Welch's test, Cohen's d with its 95 %
    interval, for each scheme and, with --paired-column, A, B, PD, PIR and PPR. Run files of this project
    (.json) are read as well. Quote the pattern: it is expanded here, not by the shell.

    LaTeX is one table of systems by schemes (booktabs), the best of each column in bold, and with it what
    does not differ from it significantly.

    examples:
      python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation
      python -m helpers compare mine.csv baseline.csv --scheme micro --scheme macro --format latex
      python -m helpers compare --runs 'A=A-seed*.csv' --runs 'B=B-seed*.csv' --negative no_relation
      python -m helpers compare --runs 'A=a*.csv' --runs 'B=b*.csv' --task semeval2010 --paired-column q
    """
    form, raw = options.pop("form"), options.pop("raw")
    options |= policy_of(options)
    own = reading_of(options)
    own |= {name: options.pop(name) for name in ("gold_column", "predicted_column", "id_column")}
    if not runs:
        if paired_column or inverse:
            raise ValueError("--paired-column and --inverse are for --runs")
        text = _systems(files, form, raw, decimals, **own, **options)
    elif files:
        given = " ".join(f"--runs {shlex.quote(one)}" for one in runs)
        raise ValueError(
            f"{files[0]} stands beside {given}: quote the pattern, or give each file by --runs NAME=FILE"
        )
    else:
        for name in ("replicates", "seed"):
            options.pop(name)  # no bootstrap: what varies is the training
        options |= own | {"paired_column": paired_column, "inverse": inverse}
        text = _over_runs(runs, form, raw, decimals, **options)
    put(text, output)


def _systems(files: tuple[str, ...], shape: str, raw: bool, decimals: int, **options: Any) -> str:
    from ..core import csv_text
    from ..evaluation import compare_files, comparison_latex, comparison_text, seeds_among

    if hint := seeds_among(files):
        raise ValueError(hint)
    if shape == "latex":
        del options["correction"]  # bold is decided by intervals
        return comparison_latex(files, decimals=decimals, **options)
    table = compare_files(files, **options)
    if shape == "json":
        return as_json(table.to_dict("records"))
    if shape == "csv":
        return csv_text([table.columns, *table.itertuples(index=False, name=None)], raw)
    return comparison_text(table)


def _over_runs(runs: tuple[str, ...], shape: str, raw: bool, decimals: int, **options: Any) -> str:
    from ..data import read_inverse
    from ..evaluation import compare_run_files, expand_runs

    if options["inverse"] and not options["paired_column"]:
        raise ValueError("--inverse is of use with --paired-column only")
    options["inverse"] = read_inverse(options["inverse"]) if options["inverse"] else None
    found = compare_run_files(expand_runs(runs), **options)
    if shape == "json":
        return as_json(found.to_dict())
    if shape == "latex":
        return found.to_latex(decimals)
    return found.to_csv(raw) if shape == "csv" else found.to_text()
