"""Options that several commands share: how a file is read, what is averaged, where the result goes."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import click

FILE = click.Path(exists=True, dir_okay=False)
FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True)
REPLICATES, SEEDS, MAX_K = 1_000_000, 2**32 - 1, 1_000_000  # scikit-learn takes no larger seed
GOLD = "gold"
NAMED_LABELS = ("supported", "observed", "listed")


def predictions(text: str) -> str:
    """The type of predictions: a file, '-' for standard input, a pattern (*, ?, [..]) or an address.

    >>> predictions("s3://bucket/part-*.parquet")
    's3://bucket/part-*.parquet'
    """
    is_pattern = any(mark in text for mark in "*?[") and not os.path.exists(text)
    return text if is_pattern or "://" in text else FILE_OR_STDIN.convert(text, None, None)


def _label_file(text: str) -> str:
    """The type of a label set: a file, or the word for the gold labels."""
    return text if text == GOLD else FILE.convert(text, None, None)


def option(name: str, metavar: str, about: str, kind: Any = None, **settings: Any) -> Callable:
    """An option with a value; `name` may have the name of the argument after it: '--scheme schemes'."""
    return click.option(*name.split(), metavar=metavar, help=about, type=kind, **settings)


def flag(name: str, about: str) -> Callable:
    """An option without a value."""
    return click.option(name, is_flag=True, help=about)


def together(*options: Callable) -> Callable:
    """Several options as one, in their order."""

    def decorate(command: Callable) -> Callable:
        for decorator in reversed(options):
            command = decorator(command)
        return command

    return decorate


def replicates(default: int = 0, least: int = 0) -> Callable:
    """`--bootstrap`, the number of replicates."""
    about = f"Replicates of the test set, for 95 % intervals (default {default})."
    kind = click.IntRange(least, REPLICATES)
    return option("--bootstrap replicates", "N", about, kind, default=default)


def bootstrap(default: int = 0, least: int = 0) -> Callable:
    """`--bootstrap` and its `--seed`."""
    return together(replicates(default, least), SEED)


def forms(*names: str) -> Callable:
    """`--format`, one of these; the first is the default."""
    about = f"{', '.join(names)} (default {names[0]})."
    return option("--format form", "F", about, click.Choice(names), default=names[0])


def _ks(text: str) -> list[int]:
    whole: click.ParamType = click.IntRange(1, MAX_K)
    return [whole.convert(part.strip(), None, None) for part in text.split(",")]


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


SEED = option("--seed", "S", "Seed of the bootstrap (default 1).", click.IntRange(0, SEEDS), default=1)
SCHEMES = option(
    "--scheme schemes",
    "NAME",
    "Average with this scheme: micro, weighted, dodrans, entropy, macro, n^ALPHA; repeatable (default: all).",
    multiple=True,
    callback=lambda context, parameter, names: names or None,
)
MATCH = option(
    "--match",
    "RULE",
    "Of triples: exact (default), last-token, strict, boundaries, pair or relation: what makes two one.",
)
COUNTED_AS = option(
    "--as counted_as",
    "RULE",
    "Of documents: unique (default) or official: what repeated rows and unknown titles count as.",
)
MATCH_ENTITIES = option("--match-entities", "BY", "Of documents: index (default) or name.")
KS = option("--k ks", "K", "The K's of P@K, R@K, RP@K, NDCG@K, separated by commas (default 1,3,5).", _ks)
RAW = flag(
    "--raw",
    "In CSV, write labels and names exactly as they are. Otherwise text that begins with = + - or @, a tab "
    "or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula.",
)
OUTPUT = option("--output", "FILE", "Write the result to FILE, atomically.", click.Path(dir_okay=False))
LATEX = together(
    option("--decimals", "N", "Of per cent in LaTeX (default 1).", click.IntRange(0, 9), default=1),
    option(
        "--columns", "LIST", "In LaTeX only these columns, by the names of CSV, separated by commas.", _words
    ),
    option(
        "--intervals",
        "PLACE",
        "In LaTeX beside the score (default), stacked below it, or none.",
        click.Choice(("beside", "stacked", "none")),
        default="beside",
    ),
)
"""How a table for a paper looks."""
RESULT = together(forms("table", "json", "csv", "latex"), LATEX, RAW, OUTPUT)
"""In which form the result goes where."""
GOLD_COLUMN, PREDICTED_COLUMN, ID_COLUMN = (
    option(f"--{role}-column", "C", f"Name of the {role} column (else recognised).")
    for role in ("gold", "predicted", "id")
)
NAMES = together(GOLD_COLUMN, PREDICTED_COLUMN, ID_COLUMN)
"""The columns' names."""
NEGATIVE = "The negative class, e.g. no_relation, which is never averaged; '' for none."
COLUMNS = together(NAMES, option("--negative", "L", NEGATIVE))
"""The columns' names and the negative class."""
_GOLD = "Another file with the gold labels, matched by id if both have ids, else by order."
_NAMES = "Names of labels that are integers: the model's config.json, or a list of names."
_RESPELT = (
    "Count labels, never numbers, as one that differ in case, blanks, _ or -, or in Markdown marks, quotes "
)
_RESPELT += "or a final stop around them only; say which."
_LABEL_SET = "The labels, the negative class among them, one a line; gold: those of the gold column."
_OFF_LIST = (
    "Predictions that are none of the labels: error (default), skip (no prediction: a miss), or count (a "
)
_OFF_LIST += "class of its own: a false alarm)."
_MAP = "What predictions stand for: JSON {answer: label}, or CSV or TSV with the columns answer and label."
READING = together(
    option("--gold", "FILE", _GOLD, FILE),
    option("--input-format", "F", "csv, tsv, jsonl, json, parquet or txt, whatever the ending says."),
    option("--id2label", "FILE", _NAMES, FILE),
    flag("--normalise", _RESPELT),
    option("--label-set", "FILE", _LABEL_SET, _label_file),
    option("--off-list", "RULE", _OFF_LIST, click.Choice(("error", "skip", "count"))),
    option("--map mapping", "FILE", _MAP, FILE),
    option(
        "--empty",
        "RULE",
        "Empty predictions: error (default), or skip.",
        click.Choice(("error", "skip")),
        default="error",
    ),
)
"""How a file of predictions is read: where the gold labels are, its form, the names of labels."""
SCORING = together(
    SCHEMES,
    option(
        "--score",
        "S",
        "The class score that is averaged: f1 (default), f0.5, precision, recall, accuracy, jaccard, "
        "specificity, mcc.",
    ),
    option("--beta", "B", "Of F_beta, in place of F1: above 1 stresses recall.", float),
    option(
        "--labels",
        "L",
        "Labels that are averaged: supported (gold somewhere; default), observed (gold or predicted), "
        "listed (all); or the labels themselves, repeatable; or a .txt file with one a line.",
        multiple=True,
    ),
    option(
        "--zero-division",
        "X",
        "What 0/0 counts as: 0 (default), 1, or nan, which leaves that class out.",
        click.Choice(("0", "1", "nan")),
        callback=lambda context, parameter, value: None if value is None else float(value),
    ),
    option(
        "--zero-support",
        "RULE",
        "What a label without gold samples does: skip or zero (default: as --labels says).",
        click.Choice(("skip", "zero")),
    ),
)
"""Under which schemes which score is averaged, over which labels, and what the undefined counts as."""
