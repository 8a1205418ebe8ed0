"""Options of the commands that score: how a file is read, what is averaged, where the result goes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import click

from .base import existing_file, flag, one_of, option, output_file, whole_number

RAW = flag(
    "--raw",
    "In CSV, write labels and names exactly as they are. Otherwise text that begins with = + - or @, a tab "
    "or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula.",
)
OUTPUT = option("--output", "FILE", "Write the result to FILE, atomically.", output_file)
DECIMALS = option("--decimals", "N", "Of per cent in LaTeX (default 1).", whole_number(0, 9), default=1)
NAMED_LABELS = ("supported", "observed", "listed")


def reading(command: Callable) -> Callable:
    """How a file of predictions is read: where the gold labels are, its form, the names of labels."""
    gold = "Another file with the gold labels, matched by id if both have ids, else by order."
    names = "Names of labels that are integers: the model's config.json, or a list of names."
    form = "csv, tsv, jsonl, json, parquet or txt, whatever the ending says."
    respelt = "Count labels, never numbers, as one that differ in case, blanks, _ or - only; say which."
    for one in (
        flag("--normalise", respelt),
        option("--id2label", "FILE", names, existing_file),
        option("--input-format", "F", form),
        option("--gold", "FILE", gold, existing_file),
    ):
        command = one(command)
    return command


def reading_of(options: dict[str, Any]) -> dict[str, Any]:
    """The options of `reading`, taken out of `options`, as the arguments of `score_file`."""
    from ..data import read_label_names

    names = options.pop("id2label")
    found = {"gold_file": options.pop("gold"), "form": options.pop("input_format")}
    found |= {"label_names": read_label_names(names) if names else None}
    return found | {"normalise": options.pop("normalise")}


def policy(command: Callable) -> Callable:
    """Which score is averaged, over which labels, and what the undefined counts as."""
    division = "What 0/0 counts as: 0 (default), 1, or nan, which leaves that class out."
    support = "What a label without gold samples does: skip or zero (default: as --labels says)."
    labels = "Labels that are averaged: supported (gold somewhere; default), observed (gold or predicted), "
    labels += "listed (all); or the labels themselves, repeatable; or a .txt file with one a line."
    score = "The class score that is averaged: f1 (default), f0.5, precision, recall, accuracy, jaccard, "
    score += "specificity, mcc."
    for one in (
        option("--zero-support", "RULE", support, one_of("rule", "skip", "zero")),
        option("--zero-division", "X", division, one_of("value of 0/0", "0", "1", "nan")),
        option("--labels", "L", labels, multiple=True),
        option("--beta", "B", "Of F_beta, in place of F1: above 1 stresses recall.", float),
        option("--score", "S", score),
    ):
        command = one(command)
    return command


def policy_of(options: dict[str, Any]) -> dict[str, Any]:
    """The options of `policy`, taken out of `options`: `score` and fields of `metrics.Policy`."""
    score, beta, labels = (options.pop(name) for name in ("score", "beta", "labels"))
    rules = {name: options.pop(name) for name in ("zero_division", "zero_support")}
    found = {name: value for name, value in rules.items() if value is not None}
    if "zero_division" in found:
        found["zero_division"] = float(found["zero_division"])
    if score is not None and beta is not None:
        raise ValueError(f"--beta is for F_beta: leave out one of --beta {beta:g} and --score {score}")
    if beta is not None and not (0 < beta < math.inf):
        raise ValueError(f"--beta is {beta:g}: a finite positive number is needed")
    if score is not None or beta is not None:
        found["score"] = score or f"f{beta:.9f}".rstrip("0").rstrip(".")
    if labels:
        found["labels"] = labels[0] if len(labels) == 1 and labels[0] in NAMED_LABELS else _listed(labels)
    return found


def _listed(labels: tuple[str, ...]) -> list[str]:
    """The labels of --labels; a name that ends in .txt is a file with one a line."""
    if len(labels) > 1 or not labels[0].endswith(".txt"):
        return list(labels)
    from ..data import open_source

    source = open_source(existing_file(labels[0]))
    return source.read([source.column("label")])["label"].to_pylist()


def threshold(text: str) -> tuple[str, float]:
    """The type of `--fail-under`: NAME=VALUE, a fraction.

    >>> threshold("dodrans=0.67")
    ('dodrans', 0.67)
    """
    name, _, value = text.rpartition("=")
    try:
        least = float(value)
    except ValueError:
        least = math.nan
    if not name or not -1 <= least <= 1:
        raise click.BadParameter(f"{text!r} is no name and fraction, such as dodrans=0.67 (not 67)")
    if name in ("PD", "PIR"):
        raise click.BadParameter(f"of {name} small is good: a least value makes no sense")
    return name, least
