"""Commands on predictions that were made anywhere: every score, and tests between systems."""

from __future__ import annotations

from typing import Any

import click

from .base import (
    KS,
    SCHEMES,
    SEED,
    app,
    as_json,
    bootstrap,
    columns,
    existing_file,
    flag,
    forms,
    one_of,
    option,
    put,
    put_report,
)

RAW = flag(
    "--raw",
    "In CSV, write labels and names exactly as they are. Otherwise text that begins with = + - or @, a tab "
    "or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula.",
)


@app.command("score")
@click.argument("file", metavar="FILE", type=existing_file)
@columns
@option("--paired-column", "C", "Predictions on the paired samples: adds PD, PIR and PPR.")
@option("--inverse", "FILE", "The inverses, if not (e1,e2) and (e2,e1).", existing_file)
@option("--task", "TASK", "semeval2010: its labels, its negative class, its official scores.")
@SCHEMES
@bootstrap()
@SEED
@forms("table", "json", "csv", "latex")
@RAW
def _score(file: str, inverse: str | None, form: str, raw: bool, **options: Any) -> None:
    """Every score of a file of gold and predicted labels.

    FILE (.csv, .tsv, .jsonl or .parquet, also .gz) has one row for each sample, the negative ones included,
    with its gold and its predicted label. Columns with a common name (gold, label, label_true, y_true, … and
    predicted, pred, label_pred, y_pred, …) need not be named. Labels are text: NA, None and null are labels,
    an empty cell is an error. A sample that the system skipped has the predicted label (skipped).

    The gold label of a paired sample is the inverse of the gold label: (e1,e2) and (e2,e1) change places.
    Other inverses come from --inverse: JSON {"per:parents": "per:children", …}, or columns label and inverse.
    A label without an inverse keeps itself and is left out of PIR and PPR.

    examples:
      python -m helpers score mine.csv --negative no_relation
      python -m helpers score mine.csv --negative no_relation --scheme macro --scheme n^0.5
      python -m helpers score mine.jsonl.gz --gold-column label --predicted-column bert --bootstrap 10000
      python -m helpers score mine.tsv --task semeval2010 --paired-column paired --format json
    """
    from helpers.data import read_inverse
    from helpers.evaluation import score_file

    if inverse and not options["paired_column"]:
        raise ValueError("--inverse is of use with --paired-column only")
    report = score_file(file, inverse=read_inverse(inverse) if inverse else None, **options)
    if form == "csv":
        put(report.to_csv(raw))
    else:
        put_report(report, form)


LABELS = "Labels that the schemes average: listed (default), observed (gold or predicted somewhere), "
LABELS += "supported (gold somewhere)."
THRESHOLD = "Predict labels with scores above it (default 0; 0.5 is usual for probabilities)."


@app.command("score-multilabel")
@option("--truth", "T", "The gold labels, a matrix of 0 and 1.", existing_file, required=True)
@option("--scores", "S", "A score for each document and label.", existing_file, required=True)
@KS
@flag("--multiclass", "Predict the best label of each document.")
@option("--threshold", "X", THRESHOLD, float, default=0.0)
@option("--labels", "L", LABELS, one_of("labels", "listed", "observed", "supported"), default="listed")
@SCHEMES
@bootstrap()
@SEED
@forms("table", "json")
def _score_multilabel(truth: str, scores: str, form: str, **options: Any) -> None:
    """Ranking measures and F-measures of label scores, under every scheme.

    The truth is a matrix of 0 and 1, one row a document and one column a label, the scores are a matrix of
    the same shape: .csv without header, .npy, or .npz (scipy.sparse.save_npz; what is not stored is 0). A
    label is predicted if its score is above 0 (--threshold for probabilities), with --multiclass the best one
    of each document. Of equal scores the label further left comes first.

    JSON has the keys P@K, R@K, RP@K, NDCG@K for each K, Macro-F1, Micro-F1, Macro*-F1, and schemes: name → F1
    averaged under that scheme over the labels that --labels names.

    examples:
      python -m helpers score-multilabel --truth truth.csv --scores scores.npy
      python -m helpers score-multilabel --truth t.npz --scores s.npz --k 1,3,5 --bootstrap 10000
    """
    from helpers.evaluation import score_multilabel_files

    put_report(score_multilabel_files(truth, scores, **options), form)


@app.command("compare")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=existing_file)
@columns
@SCHEMES
@bootstrap(default=10_000, least=1)
@SEED
@forms("table", "json", "csv")
@RAW
def _compare(files: tuple[str, ...], form: str, raw: bool, **options: Any) -> None:
    """Paired bootstrap tests between systems on the same samples.

    The first FILE is compared with each other one: two-sided paired bootstrap under every scheme, p corrected
    by Holm over all tests (the other files under each scheme). Samples are matched by id if both files have
    ids, else by order; the gold labels have to agree. Files are as in `score`.

    example:
      python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation
    """
    from helpers.core import csv_text
    from helpers.evaluation import compare_files, comparison_text

    table = compare_files(files, **options)
    if form == "json":
        put(as_json(table.to_dict("records")))
    elif form == "csv":
        put(csv_text([table.columns, *table.itertuples(index=False, name=None)], raw))
    else:
        put(comparison_text(table))
