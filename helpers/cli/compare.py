"""Commands on several systems: paired tests on the same samples."""

from __future__ import annotations

from typing import Any

import click

from .base import SCHEMES, SEED, app, as_json, bootstrap, columns, existing_file, forms, put
from .options import OUTPUT, RAW, policy, policy_of


@app.command("compare")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=existing_file)
@columns
@SCHEMES
@policy
@bootstrap(default=10_000, least=1)
@SEED
@forms("table", "json", "csv")
@RAW
@OUTPUT
def _compare(files: tuple[str, ...], form: str, raw: bool, output: str | None, **options: Any) -> None:
    """Paired bootstrap tests between systems on the same samples.

    The first FILE is compared with each other one: two-sided paired bootstrap under every scheme, p corrected
    by Holm over all tests (the other files under each scheme). Samples are matched by id if both files have
    ids, else by order; the gold labels have to agree. Files are as in `score`.

    example:
      python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation
    """
    from helpers.core import csv_text
    from helpers.evaluation import compare_files, comparison_text

    options |= policy_of(options)
    table = compare_files(files, **options)
    if form == "json":
        put(as_json(table.to_dict("records")), output)
    elif form == "csv":
        put(csv_text([table.columns, *table.itertuples(index=False, name=None)], raw), output)
    else:
        put(comparison_text(table), output)
