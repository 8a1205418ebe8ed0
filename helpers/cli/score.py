"""Commands on predictions that were made anywhere: every score of a system, and tests between systems."""

from __future__ import annotations

import contextlib
import glob
import math
import os
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from .. import program
from ..core import check_known, shown
from . import app, base
from .base import bootstrap, failed, flag, forms, option, put, put_report, result_of

CONFIDENCE = "How sure the system is, fractions or per cent: adds calibration (bins, expected error)."
FAIL_UNDER = "Exit with 1 if this score is smaller, e.g. dodrans=0.67; repeatable. NAME as for --score-only."
SCORE_ONLY = "Print this number and nothing else: a scheme, accuracy, official (macro-F1 of the task), A, B, "
SCORE_ONLY += "PD, PIR or PPR."


def threshold(text: str) -> tuple[str, float]:
    """The type of `--fail-under`: NAME=VALUE, a fraction."""
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


def _predictions(text: str) -> str:
    """The type of predictions: a file, '-' for standard input, a pattern (*, ?, [..]) or an address.

    >>> _predictions("s3://bucket/part-*.parquet")
    's3://bucket/part-*.parquet'
    """
    is_pattern = glob.has_magic(text) and not os.path.exists(text)
    return text if is_pattern or "://" in text else base.FILE_OR_STDIN.convert(text, None, None)


@app.command("score")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=_predictions)
@base.READING
@base.COLUMNS
@option("--paired-column", "C", "Predictions on the paired samples: adds PD, PIR and PPR.")
@option("--inverse", "FILE", "The inverses, if not (e1,e2) and (e2,e1).", base.FILE)
@option("--task", "TASK", "semeval2010: its labels, its negative class, its official scores.")
@option("--confidence", "C", CONFIDENCE)
@base.SCORING
@bootstrap()
@option("--engine", "E", "memory, duckdb or spark: what counts (default memory, duckdb from 32 MiB on).")
@flag("--check-ids", "Identifiers have to be unique over all files (those of a single file always are).")
@option("--fail-under", "NAME=X", FAIL_UNDER, threshold, multiple=True)
@option("--score-only", "NAME", SCORE_ONLY)
@base.RESULT
def _score(files: tuple[str, ...], **options: Any) -> int:
    """Every score of a file of gold and predicted labels.

    FILE (.csv, .tsv, .jsonl, .json or .parquet, also .gz; - is standard input, CSV) has one row for each
    sample, the negative ones included, with its gold and its predicted label. Columns with a common name
    (gold, label, labels, y_true, references, relation, … and predicted, pred, preds, label_pred, …) need not
    be named. Labels are text: NA, None and null are labels, an empty cell is an error. A sample that the
    system skipped has the predicted label (skipped).

    Answers of a language model may be any text. With --label-set those that are none of the labels are an
    error, or counted as --off-list says; the report has how many, their share and the most frequent ones.
    Refusals and several labels in one answer are none of the labels; --map and --normalise make labels of
    what only looks otherwise.

    With --gold, FILE holds the predictions only: .txt has one label a line, or id, tab and label as SemEval's
    answer files, in which an id that is missing was skipped. JSON is a list of records, as TACRED's, or an
    object of columns.

    Several FILEs, or a pattern in quotes, hold the samples of one test set. From 32 MiB on (of .gz 4, of
    Parquet 1 MiB) DuckDB counts them where it is installed, in about 1 GB of memory; with its extension
    httpfs also at s3://, gs:// and https:// (never run here). --engine spark counts on a Spark cluster. The
    report is the same.

    The gold label of a paired sample is the inverse of the gold label: (e1,e2) and (e2,e1) change places.
    Other inverses come from --inverse: JSON {"per:parents": "per:children", …}, or columns label and inverse.
    A label without an inverse keeps itself and is left out of PIR and PPR.

    With --fail-under the report is printed, and one line says which score is too small: exit code 1.

    examples:
      python -m helpers score mine.csv --negative no_relation
      python -m helpers score predictions.txt --gold gold.txt --negative NA
      python -m helpers score answers.txt --gold key.txt --task semeval2010
      python -m helpers score trainer.csv --id2label config.json --negative no_relation --score-only dodrans
      python -m helpers score mine.csv --negative no_relation --scheme macro --scheme n^0.5 --score mcc
      python -m helpers score llm.jsonl --label-set labels.txt --normalise --off-list skip --negative NA
      python -m helpers score 'predictions/*.parquet' --negative no_relation --check-ids
      python -m helpers score mine.jsonl.gz --gold-column label --predicted-column bert --bootstrap 10000
      python -m helpers score mine.tsv --task semeval2010 --paired-column paired --fail-under dodrans=0.67
    """
    from ..evaluation import score_file

    file = files[0] if len(files) == 1 else files
    score = partial(score_file, file, inverse=_inverses(options), **_reading_of(options))
    with _naming_command(files[0], facts="score-facts", triples="score-triples"):
        return put_scores(score, files, options)


@contextlib.contextmanager
def _naming_command(file: str, **commands: str) -> Iterator[None]:
    """An error of a file without labels names the command that reads it, too: of facts or triples."""
    try:
        yield
    except ValueError as error:
        from ..data import first_record, holds_triples

        names = set(first_record(file)) if "which column is" in str(error) else set()
        kind = "triples" if holds_triples(file) or {"h_idx", "vertexSet"} & names else ""
        if {"head", "tail", "relation", "score"} <= names or {"precision", "recall"} <= names:
            kind = "facts"
        if kind not in commands:
            raise
        raise ValueError(f"{error}; {kind} are read by `{program()} {commands[kind]}`") from error


def _inverses(options: dict[str, Any]) -> dict[str, str] | None:
    """What --inverse, taken out of `options`, says; None if it is not given."""
    from ..data import read_mapping

    inverse = options.pop("inverse")
    if inverse and not options["paired_column"]:
        raise ValueError("--inverse is of use with --paired-column only")
    return read_mapping(inverse) if inverse else None


def _reading_of(options: dict[str, Any]) -> dict[str, Any]:
    """What the options of `READING` that are files, taken out of `options`, hold; and the form of FILE."""
    from ..data import read_label_names, read_labels

    names, labels = options.pop("label_names"), options.pop("label_set")
    labels = labels if labels in (None, base.GOLD) else read_labels(labels, keep_order=True)
    reading = {"label_names": read_label_names(names) if names else None, "label_set": labels}
    return reading | {"form": options.pop("input_format")}


def put_scores(score: Callable[..., Any], files: Sequence[str], options: dict[str, Any]) -> int:
    """Score, put the report or the number that is asked for, and check --fail-under; the exit code.

    score : takes the options that are not of the output, and gives a `ClassReport`. files : for the message.
    """
    fail_under, score_only = options.pop("fail_under"), options.pop("score_only")
    result = result_of(options)
    options |= _policy_of(options)
    asked = [*([score_only] if score_only else []), *(name for name, _ in fail_under)]
    options["schemes"] = _with_powers(options["schemes"], asked)
    report = score(**options)
    scores = report.scores()
    for name in asked:
        check_known("score of this report", name, scores)
    if score_only:
        put(repr(scores[score_only]), result["output"])
    else:
        put_report(report, **result)
    under = ((name, scores[name], least) for name, least in fail_under if not scores[name] >= least)
    small = [f"{name} is {score:.6g}, under {least:g}" for name, score, least in under]
    return failed(f"{', '.join(files)}: {'; '.join(small)}", 1) if small else 0


def _policy_of(options: dict[str, Any]) -> dict[str, Any]:
    """The class score and the labels that the options of `SCORING` ask for, taken out of `options`."""
    score, beta, labels = (options.pop(name) for name in ("score", "beta", "labels"))
    if score is not None and beta is not None:
        raise ValueError(f"--beta is for F_beta: leave out one of --beta {beta:g} and --score {score}")
    if beta is not None and not 0 < beta * beta < math.inf:
        raise ValueError(f"--beta is {beta:g}: a finite positive number is needed")
    score = score or ("f1" if beta is None else f"f{beta:.9f}".rstrip("0").rstrip("."))
    if len(labels) == 1 and labels[0].endswith(".txt"):
        from ..data import read_labels

        labels = read_labels(labels[0], keep_order=True)
    elif len(labels) == 1 and labels[0] in base.NAMED_LABELS:
        labels = labels[0]
    division = float(options["zero_division"])
    return {"score": score, "labels": labels or "supported", "zero_division": division}


def _with_powers(schemes: Sequence[str] | None, asked: Sequence[str]) -> Sequence[str] | None:
    """The schemes, and the powers n^ALPHA among the names that are asked for."""
    from ..metrics import scheme_names

    powers = [name for name in asked if name.startswith("n^")]
    return list(dict.fromkeys([*(schemes or scheme_names()), *powers])) if powers else schemes


@app.command("audit-leak")
@click.argument("file", metavar="FILE", type=base.FILE)
@option("--negative", "L", base.NEGATIVE, required=True)
@base.GOLD_COLUMN
@base.PREDICTED_COLUMN
@base.SCHEMES
@forms("table", "json", "csv")
@base.RAW
def _audit_leak(file: str, **options: Any) -> None:
    """What a system would gain by an evaluation that knows which samples are negative.

    FILE is as in `score`. Each sample whose gold label is the negative class gets it as predicted label: what
    the released evaluation of RECENT does, as its second step is looked up among positive gold samples only.
    A published score that comes out only so has been measured with the leak.

    JSON has the keys n, n_negative, false_alarms (negative samples that were predicted as a relation),
    negative, schemes, schemes_leaked, gain (each: scheme → precision, recall, f1), signature, notes. A note
    says if no sample is negative, and if none of them is predicted as a relation, as the leak leaves it.

    examples:
      python -m helpers audit-leak mine.csv --negative no_relation
      python -m helpers audit-leak tacred.tsv.gz --negative no_relation --predicted-column gcn --format json
    """
    from ..evaluation import audit_leak

    result = result_of(options)
    put_report(audit_leak(file, **options), **result)


RUNS = "The runs of a system: NAME=PATTERN, quoted, e.g. 'A=A-seed*.csv'; repeatable, also for one name."
NO_WORSE = "Exit with 1 if the 95 % interval of A − B under this scheme begins below X, e.g. macro=-0.005: A "
NO_WORSE += "is no worse than B by half a point; repeatable."
CORRECTION = "Correction of p for several tests: holm (default), or bh (Benjamini and Hochberg)."


@app.command("compare")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=base.FILE_OR_STDIN)
@option("--runs", "NAME=PATTERN", RUNS, multiple=True)
@base.READING
@base.MATCH
@base.COUNTED_AS
@base.MATCH_ENTITIES
@base.COLUMNS
@option("--paired-column", "C", "With --runs: predictions on the paired samples, for A, B, PD, PIR, PPR.")
@option("--inverse", "FILE", "The inverses, if not (e1,e2) and (e2,e1).", base.FILE)
@option("--task", "TASK", "semeval2010: its labels, its negative class; with --runs its official score.")
@base.SCORING
@option("--correction", "NAME", CORRECTION, ["holm", "bh"], default="holm")
@bootstrap(default=10_000, least=1)
@option("--fail-under", "SCHEME=X", NO_WORSE, threshold, multiple=True)
@forms("table", "json", "csv", "latex")
@base.LATEX
@base.RAW
@base.OUTPUT
def _compare(files: tuple[str, ...], runs: tuple[str, ...], **options: Any) -> int:
    """Tests between systems: on the same samples, or over their runs.

    Files: the first is compared with each other one by a two-sided paired bootstrap under every scheme; p is
    corrected over all tests (the other files under each scheme). Samples are matched by id if both files have
    ids, else by order; the gold labels have to agree. Files are as in `score`. Files of triples, or of facts
    of documents with --gold, are as in `score-triples`; the bootstrap then draws items.

    Runs (--runs): mean and sample SD over the files of each system, Welch's test, Cohen's d with its 95 %
    interval, for each scheme and, with --paired-column, A, B, PD, PIR and PPR. Run files of this project
    (.json) are read as well. Quote the pattern: it is expanded here, not by the shell.

    The table ends with a paragraph for a paper: scores, difference, interval, p and its correction, n, and
    what the test covers: the test set, or with --runs the seeds.

    LaTeX is one table of systems by schemes (booktabs), the best of each column in bold, and with it what
    does not differ from it significantly.

    With --fail-under the result is printed, and one line says which difference is too small: exit code 1. It
    is decided by the interval, so that a system which may be worse by more fails, whatever its score.

    examples:
      python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation
      python -m helpers compare mine.csv baseline.csv --scheme micro --scheme macro --format latex
      python -m helpers compare mine.csv baseline.csv --negative no_relation --fail-under macro=-0.005
      python -m helpers compare mine.jsonl other.jsonl --match last-token --normalise
      python -m helpers compare --runs 'A=A-seed*.csv' --runs 'B=B-seed*.csv' --negative no_relation
      python -m helpers compare --runs 'A=a*.csv' --runs 'B=b*.csv' --task semeval2010 --paired-column q
    """
    from ..evaluation import compare_files

    result = result_of(options)
    options |= _reading_of(options) | _policy_of(options)
    if runs:
        put_report(_over_runs(files, runs, options), **result)
        return 0
    if any([options.pop("paired_column"), options.pop("inverse")]):
        raise ValueError("--paired-column and --inverse are for --runs")
    if hint := _seeds_among(files):
        raise ValueError(hint)
    fail_under = options.pop("fail_under")
    options["schemes"] = _with_powers(options["schemes"], [scheme for scheme, _ in fail_under])
    with _naming_command(files[0], facts="compare-facts"):
        comparison = compare_files(files, **options)
    worse = comparison.worse(fail_under)
    put_report(comparison, **result)
    return failed(f"{files[0]}: {'; '.join(worse)}", 1) if worse else 0


def _seeds_among(paths: Sequence[str]) -> str | None:
    """What to say of files that look like runs of several systems; None if they do not.

    Runs are files whose names are the same but for the number after 'seed' or 'run'.

    >>> print(_seeds_among(["A-seed1.csv", "A-seed2.csv", "B-seed1.csv"]))
    these look like runs of 2 systems, not like 3 systems; to compare systems over their runs:
    python -m helpers compare --runs 'A=A-seed*.csv' --runs 'B=B-seed*.csv'
    >>> _seeds_among(["bert.csv", "roberta2.csv"]) is None
    True
    """
    patterns = dict.fromkeys(re.sub(r"(?i)(seed|run)([-_.]?)\d+", r"\1\2*", path) for path in paths)
    if not 1 < len(patterns) < len(paths):
        return None
    names = (re.sub(r"(?i)[-_.]?(seed|run)[-_.]?\*.*", "", Path(pattern).name) for pattern in patterns)
    runs = " ".join(
        f"--runs {shlex.quote(f'{name}={pattern}')}" for name, pattern in zip(names, patterns, strict=True)
    )
    few = f"these look like runs of {len(patterns)} systems, not like {len(paths)} systems"
    return f"{few}; to compare systems over their runs: {program()} compare {runs}"


def _over_runs(files: Sequence[str], runs: Sequence[str], options: dict[str, Any]) -> Any:
    """The comparison of `--runs`; ValueError for what goes with files only."""
    from ..evaluation import compare_run_files

    if files:
        given = " ".join(f"--runs {shlex.quote(pattern)}" for pattern in runs)
        hint = "quote the pattern, or give each file by --runs NAME=FILE"
        raise ValueError(f"{files[0]} stands beside {given}: {hint}")
    options["inverse"] = _inverses(options)
    of_files = [options.pop(name) for name in ("match", "counted_as", "match_entities", "fail_under")]
    if any(of_files):
        raise ValueError("--match, --as, --match-entities and --fail-under are for files, not for --runs")
    for name in ("replicates", "seed"):
        options.pop(name)  # no bootstrap: what varies is the training
    return compare_run_files(_expand_runs(runs), **options)


def _expand_runs(given: Iterable[str]) -> dict[str, list[str]]:
    """Name → files, of words like 'A=A-seed*.csv'; a name that is given twice has the files of both.

    Raises ValueError for a word without a name, and for a pattern that no file matches.

    >>> _expand_runs(["=a.csv"])
    Traceback (most recent call last):
    ValueError: '=a.csv' is no name and pattern of files, such as 'A=A-seed*.csv'
    """
    systems: dict[str, list[str]] = {}
    for text in given:
        name, sign, pattern = text.partition("=")
        if not (name.strip() and sign and pattern):
            raise ValueError(f"{shown(text)} is no name and pattern of files, such as 'A=A-seed*.csv'")
        paths = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not paths:
            raise ValueError(f"{name}: no file matches {shown(pattern)}")
        systems.setdefault(name, []).extend(paths)
    return systems
