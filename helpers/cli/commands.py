"""`python -m helpers …`: every score of your predictions, tests between systems, statistics, data, notebooks.

This module calls and prints; arguments are parsed in `arguments`, all else is done in the rooms that it
calls. Standard output holds the result and nothing else, in UTF-8; after an error it is empty. Notes and
errors go to standard error.

Exit codes: 0 done · 1 a notebook failed · 2 bad input (one line says what and where) · 130 interrupted.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from helpers.core import did_you_mean

from .arguments import parse


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. `--help` and `--version` raise SystemExit after printing.

    >>> main(["stats", "semeval2010-undirected"])
    labels                       10
    samples                      10717
    negative_share               17.39 %
    perplexity                   9.61
    perplexity_without_negative  8.80
    ratio                        2.10
    negative                     Other
    0
    """
    try:
        with _notes_on_standard_error():
            options = parse(sys.argv[1:] if arguments is None else arguments)
            return RUN[options.command](options) or 0
    except KeyboardInterrupt:
        return _failed("interrupted; nothing is left half-written", 130)
    except OSError as error:
        named = error.filename is not None and error.strerror
        return _failed(f"{error.filename}: {error.strerror}" if named else error)
    except (ValueError, MemoryError) as error:
        return _failed(error)


def _failed(error: object, code: int = 2) -> int:
    """Say so in one line."""
    print("error:", *(str(error) or type(error).__name__).splitlines(), file=sys.stderr)
    return code


@contextmanager
def _notes_on_standard_error() -> Iterator[None]:
    """What the package logs is shown to the user as notes."""
    handler, package = logging.StreamHandler(), logging.getLogger("helpers")
    handler.setFormatter(logging.Formatter("note: %(message)s"))
    package.addHandler(handler)
    try:
        yield
    finally:
        package.removeHandler(handler)


def _score(options: Namespace) -> None:
    from helpers.data import read_inverse
    from helpers.evaluation import score_file

    _check_files(options.file, options.inverse)
    if options.inverse and not options.paired_column:
        raise ValueError("--inverse is of use with --paired-column only")
    report = score_file(
        options.file,
        **_shared(options),
        paired_column=options.paired_column,
        task=options.task,
        inverse=read_inverse(options.inverse) if options.inverse else None,
    )
    shown = {"table": report.to_text, "csv": report.to_csv, "latex": report.to_latex}
    _put(_json(report.to_dict()) if options.format == "json" else shown[options.format]())


def _score_multilabel(options: Namespace) -> None:
    from helpers.evaluation import score_multilabel_files

    _check_files(options.truth, options.scores)
    names = ("ks", "multiclass", "threshold", "labels", "seed")
    chosen = {name: getattr(options, name) for name in names}
    report = score_multilabel_files(options.truth, options.scores, **chosen, replicates=options.bootstrap)
    _put(_json(report.to_dict()) if options.format == "json" else report.to_text())


def _linear(options: Namespace) -> None:
    from .linear import linear

    _check_files(options.train, options.test, options.label_file, None if options.train else options.model)
    found, text = linear(options)
    _put(_json(found) if options.format == "json" else text)


def _compare(options: Namespace) -> None:
    from helpers.evaluation import compare_files, comparison_text

    _check_files(*options.files)
    table = compare_files(options.files, **_shared(options))
    if options.format == "json":
        _put(_json(table.to_dict("records")))
    elif options.format == "csv":
        _put(table.to_csv(index=False, lineterminator="\n"))
    else:
        _put(comparison_text(table))


def _shared(options: Namespace) -> dict[str, Any]:
    """What score and compare have in common, under the names of `score_file` and `compare_files`."""
    names = ("gold_column", "predicted_column", "id_column", "negative", "seed")
    return {name: getattr(options, name) for name in names} | {"replicates": options.bootstrap}


def _check_files(*paths: str | None) -> None:
    """Each path has to be a file; the nearest name in its folder is suggested."""
    for path in map(Path, filter(None, paths)):
        if path.is_dir():
            raise ValueError(f"{path} is a folder; a file is needed")
        if not path.exists():
            beside = os.listdir(path.parent) if path.parent.is_dir() else []
            hint = did_you_mean(path.name, beside, cutoff=0.8)
            raise ValueError(f"{path}: no such file{hint}")


def _stats(options: Namespace) -> None:
    from helpers.data import find_statistics

    statistics = find_statistics(options.name, options.negative)
    if options.format == "json":
        _put(_json(statistics))
    else:
        lines = [f"{key:<28} {_rounded(key, value)}" for key, value in statistics.items() if value != ""]
        _put("\n".join(lines))


def _rounded(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{100 * value:.2f} %" if key == "negative_share" else f"{value:.2f}"
    return "–" if value is None else str(value)


def _data(options: Namespace) -> None:
    from helpers.data import data_status, fetch, write_pairs

    _check_action(options)
    if options.action == "fetch":
        found = fetch(options.argument)
    elif options.action == "build-pairs":
        found = write_pairs(options.argument, options.dataset or "semeval2010")
    else:
        found = data_status()
    _put("\n".join(map(str, found)))


def _check_action(options: Namespace) -> None:
    """Nothing that the action needs is missing, and nothing is given that it would ignore."""
    needed = {"fetch": "NAME, a data set or one of its files", "build-pairs": "OUT, a folder to write to"}
    if options.action in needed and not options.argument:
        raise ValueError(f"data {options.action} needs {needed[options.action]}")
    if options.action not in needed and options.argument is not None:
        raise ValueError(f"data {options.action}: unexpected argument {options.argument!r}")
    if options.action != "build-pairs" and options.dataset is not None:
        raise ValueError(f"data {options.action}: --dataset is for build-pairs only")


def _notebooks(options: Namespace) -> int:
    from helpers.notebooks import NotebookFailed, run_notebooks

    names = [name for name, _ in options.parameters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"notebooks: parameter {twice!r} is given twice")
    try:
        run_notebooks(options.only, dict(options.parameters), publish=options.publish)
    except NotebookFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _train(options: Namespace) -> None:
    from .train import train

    if lines := train(options):
        _put(lines)


def _runs(options: Namespace) -> None:
    from .train import runs

    _put(runs(options))


def _summary(options: Namespace) -> None:
    from helpers.papers import summary_text

    _put(summary_text())


RUN = {
    "score": _score,
    "score-multilabel": _score_multilabel,
    "compare": _compare,
    "stats": _stats,
    "data": _data,
    "train": _train,
    "linear": _linear,
    "runs": _runs,
    "notebooks": _notebooks,
    "summary": _summary,
}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def _put(text: str) -> None:
    """The result to standard output. A reader who left, as in `… | head`, is no error; a full disk is one."""
    try:
        print(text.rstrip("\n"), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if not isinstance(error, BrokenPipeError):
            raise
