"""What commands share: options, results to standard output or a file, errors of one line."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import reduce
from typing import Any

import click

from ..core import plain_file, visible, write_atomically

LONGEST = 2000  # characters of an error
FILE = click.Path(exists=True, dir_okay=False)
FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True)
REPLICATES, SEEDS, MAX_K = 1_000_000, 2**32 - 1, 1_000_000  # scikit-learn takes no larger seed
GOLD = "gold"
NAMED_LABELS = ("supported", "observed", "listed")
SCHEMA_VERSION = 1
"""Of the JSON that commands write: raised when a key goes or changes its meaning."""


def failed(error: object, code: int = 2) -> int:
    """Say what was wrong in one line on standard error; returns the exit code."""
    print("error:", visible(" ".join(str(error).splitlines()), LONGEST), file=sys.stderr)
    return code


def put(result: Any, output: str | None = None) -> None:
    """The result to standard output, or atomically to a file; what is no text as JSON.

    A reader who left, as in `… | head`, is no error; a full disk is one.
    """
    text = (result if isinstance(result, str) else _as_json(result)).rstrip("\n")
    if output == "":
        raise ValueError("--output is empty: the name of a file is needed")
    if output is not None:
        write_atomically(plain_file(output), text + "\n")
        return
    try:
        print(text, flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if not isinstance(error, BrokenPipeError):
            raise


def _as_json(value: Any) -> str:
    """JSON to read, in UTF-8: an object, or a list of objects, with `schema_version`; ValueError for nan."""
    version = {"schema_version": SCHEMA_VERSION}
    value = version | value if isinstance(value, dict) else [version | row for row in value]
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def put_report(report: Any, form: str, output: str | None = None, raw: bool = False, **latex: Any) -> None:
    """A report in one of its forms. raw : of `to_csv`; latex : arguments of `to_latex`."""
    method = {"table": "to_text", "json": "to_dict"}.get(form, f"to_{form}")
    put(getattr(report, method)(**{"csv": {"raw": raw}, "latex": latex}.get(form, {})), output)


def result_of(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the result, taken out of `options`, as the arguments of `put_report`."""
    names = ("form", "raw", "output", "decimals")
    return {name: options.pop(name) for name in names if name in options}


def _label_file(text: str) -> str:
    """The type of a label set: a file, or the word for the gold labels."""
    return text if text == GOLD else FILE.convert(text, None, None)


def option(name: str, metavar: str, about: str, kind: Any = None, **settings: Any) -> Callable:
    """An option with a value. name : that of the argument may stand after it: '--scheme schemes'. kind : a
    type of click's, or a list of the words it may be."""
    kind = click.Choice(kind) if isinstance(kind, list) else kind
    return click.option(*name.split(), metavar=metavar, help=about, type=kind, **settings)


def flag(name: str, about: str) -> Callable:
    """An option without a value."""
    return click.option(name, is_flag=True, help=about)


def _together(*options: Callable) -> Callable:
    """Several options as one, in their order."""
    return lambda command: reduce(lambda decorated, add: add(decorated), reversed(options), command)


def bootstrap(default: int = 0, least: int = 0, seed: bool = True) -> Callable:
    """`--bootstrap`, the number of replicates, and its `--seed`."""
    about = f"Replicates of the test set, for 95 % intervals (default {default})."
    kind = click.IntRange(least, REPLICATES)
    replicates = option("--bootstrap replicates", "N", about, kind, default=default)
    return _together(replicates, *([SEED] if seed else []))


def forms(*names: str) -> Callable:
    """`--format`, one of these; the first is the default."""
    about = f"{', '.join(names)} (default {names[0]})."
    return option("--format form", "F", about, [*names], default=names[0])


def _ks(text: str) -> list[int]:
    whole: click.ParamType = click.IntRange(1, MAX_K)
    return [whole.convert(part.strip(), None, None) for part in text.split(",")]


SEED = option("--seed", "S", "Seed of the bootstrap (default 1).", click.IntRange(0, SEEDS), default=1)
_SCHEME = "Scheme of averages: micro, weighted, dodrans, entropy, macro, n^ALPHA; repeatable (default: all)."
SCHEMES = option(
    "--scheme schemes", "NAME", _SCHEME, multiple=True, callback=lambda *given: given[-1] or None
)
_MATCH = "Of triples: exact (default), last-token, strict, boundaries, pair or relation: what makes two one."
MATCH = option("--match", "RULE", _MATCH)
_AS = "Of documents: unique (default) or official: what repeated rows and unknown titles count as."
COUNTED_AS = option("--as counted_as", "RULE", _AS)
MATCH_ENTITIES = option("--match-entities", "BY", "Of documents: index (default) or name.")
KS = option("--k ks", "K", "The K's of P@K, R@K, RP@K, NDCG@K, separated by commas (default 1,3,5).", _ks)
_RAW = "In CSV, write labels and names exactly as they are. Otherwise text that begins with = + - or @, a "
_RAW += "tab or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula."
RAW = flag("--raw", _RAW)
OUTPUT = option("--output", "FILE", "Write the result to FILE, atomically.", click.Path(dir_okay=False))
LATEX = option("--decimals", "N", "Of per cent in LaTeX (default 1).", click.IntRange(0, 9), default=1)
RESULT = _together(forms("table", "json", "csv", "latex"), LATEX, RAW, OUTPUT)
GOLD_COLUMN, PREDICTED_COLUMN, ID_COLUMN = (
    option(f"--{role}-column", "C", f"Name of the {role} column (else recognised).")
    for role in ("gold", "predicted", "id")
)
NAMES = _together(GOLD_COLUMN, PREDICTED_COLUMN, ID_COLUMN)
NEGATIVE = "The negative class, e.g. no_relation, which is never averaged; '' for none."
COLUMNS = _together(NAMES, option("--negative", "L", NEGATIVE))
_GOLD = "Another file with the gold labels, matched by id if both have ids, else by order."
_NAMES = "Names of labels that are integers: the model's config.json, or a list of names."
_RESPELT = "Count labels, never numbers, as one that differ in case, blanks, _ or -, or in Markdown marks, "
_RESPELT += "quotes or a final stop around them only; say which."
_LABEL_SET = "The labels, the negative class among them, one a line; gold: those of the gold column."
_OFF_LIST = "Predictions that are none of the labels: error (default), skip (no prediction: a miss), or "
_OFF_LIST += "count (a class of its own: a false alarm)."
_MAP = "What predictions stand for: JSON {answer: label}, or CSV or TSV with the columns answer and label."
READING = _together(
    option("--gold gold_file", "FILE", _GOLD, FILE),
    option("--input-format", "F", "csv, tsv, jsonl, json, parquet or txt, whatever the ending says."),
    option("--id2label label_names", "FILE", _NAMES, FILE),
    flag("--normalise", _RESPELT),
    option("--label-set", "FILE", _LABEL_SET, _label_file),
    option("--off-list", "RULE", _OFF_LIST, ["error", "skip", "count"]),
    option("--map mapping", "FILE", _MAP, FILE),
    option(
        "--empty", "RULE", "Empty predictions: error (default), or skip.", ["error", "skip"], default="error"
    ),
)
_SCORE = "The class score that is averaged: f1 (default), f0.5, precision, recall, accuracy, jaccard, "
_SCORE += "specificity, mcc."
_LABELS = "Labels that are averaged: supported (gold somewhere; default), observed (gold or predicted), "
_LABELS += "listed (all); or the labels themselves, repeatable; or a .txt file with one a line."
_DIVISION = "What 0/0 counts as: 0 (default), 1, or nan, which leaves that class out."
_SUPPORT = "What a label without gold samples does: skip or zero (default: as --labels says)."
SCORING = _together(
    SCHEMES,
    option("--score", "S", _SCORE),
    option("--beta", "B", "Of F_beta, in place of F1: above 1 stresses recall.", float),
    option("--labels", "L", _LABELS, multiple=True),
    option("--zero-division", "X", _DIVISION, ["0", "1", "nan"], default="0"),
    option("--zero-support", "RULE", _SUPPORT, ["skip", "zero"]),
)
