"""`python -m helpers …`: every score of your predictions, the notebooks, the data.

This module parses arguments, calls and prints; all else is done in the rooms that it calls.

Exit codes: 0 done · 1 a notebook failed · 2 bad input (one line on standard error says what and where).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

EPILOG = "Scores are fractions in JSON and CSV, per cent in tables. Every command takes --help."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code.

    >>> main(["stats", "semeval2010-undirected"])  # doctest: +ELLIPSIS
    labels ... 10
    ...
    """
    options = build_parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except BrokenPipeError:  # the reader of our output left, e.g. `… | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("interrupted; nothing is left half-written", file=sys.stderr)
        return 130
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def build_parser() -> argparse.ArgumentParser:
    """The parser with one sub-command for each thing to do.

    >>> build_parser().parse_args(["score", "mine.csv", "--bootstrap", "100"]).bootstrap
    100
    """
    parser = argparse.ArgumentParser(
        prog="python -m helpers", description=__doc__.split("\n")[0], epilog=EPILOG
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for add in (_add_score, _add_compare, _add_stats, _add_data, _add_notebooks, _add_summary):
        add(commands)
    return parser


def _command(commands: Any, name: str, run: Callable, about: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(run=run)
    return parser


def _add_score(commands: Any) -> None:
    parser = _command(commands, "score", _score, "every score of a file of gold and predicted labels")
    parser.add_argument("file", metavar="FILE", help=".csv, .tsv, .jsonl or .parquet, also .gz")
    _add_columns(parser)
    parser.add_argument(
        "--paired-column", metavar="C", help="predictions on the paired samples: adds direction scores"
    )
    parser.add_argument(
        "--inverse", metavar="FILE", help="inverse labels, if not (e1,e2) ↔ (e2,e1): JSON or columns"
    )
    parser.add_argument("--task", metavar="TASK", help="semeval2010: adds the official scores")
    _add_bootstrap(parser, default=0)
    parser.add_argument("--format", choices=("table", "json", "csv", "latex"), default="table")


def _add_compare(commands: Any) -> None:
    parser = _command(
        commands, "compare", _compare, "paired bootstrap of systems on the same samples, every scheme"
    )
    parser.add_argument("files", metavar="FILE", nargs="+", help="the first is compared with each other one")
    _add_columns(parser)
    _add_bootstrap(parser, default=10_000)
    parser.add_argument("--format", choices=("table", "json", "csv"), default="table")


def _add_columns(parser: argparse.ArgumentParser) -> None:
    for role in ("gold", "predicted", "id"):
        parser.add_argument(
            f"--{role}-column", metavar="C", help=f"name of the {role} column (else recognised)"
        )
    parser.add_argument(
        "--negative", metavar="L", help="the negative class, e.g. no_relation: never averaged"
    )


def _add_bootstrap(parser: argparse.ArgumentParser, default: int) -> None:
    parser.add_argument(
        "--bootstrap", metavar="N", type=_count, default=default, help=f"replicates ({default})"
    )
    parser.add_argument("--seed", type=_count, default=1, help="seed of the bootstrap (1)")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 up")
    return int(text)


def _add_stats(commands: Any) -> None:
    parser = _command(
        commands, "stats", _stats, "label statistics of a corpus, or of a CSV with label,count[,split]"
    )
    parser.add_argument("name", metavar="NAME_OR_COUNTS_CSV")
    parser.add_argument(
        "--negative", metavar="L", help="the negative class of a counts file (else a well-known name)"
    )
    parser.add_argument("--format", choices=("table", "json"), default="table")


def _add_data(commands: Any) -> None:
    about = "which data files are here; fetch NAME downloads; build-pairs OUT writes the direction sets"
    parser = _command(commands, "data", _data, about)
    parser.add_argument("action", choices=("status", "fetch", "build-pairs"), nargs="?", default="status")
    parser.add_argument("argument", metavar="NAME | OUT", nargs="?")
    parser.add_argument("--dataset", default="semeval2010", help="for build-pairs: semeval2010 or kbp37")


def _add_notebooks(commands: Any) -> None:
    parser = _command(commands, "notebooks", _notebooks, "run the notebooks in order, headless")
    parser.add_argument(
        "--only", metavar="NN", action="append", help="one notebook, by number or name; repeatable"
    )
    parser.add_argument(
        "-p", dest="parameters", metavar=("NAME", "VALUE"), nargs=2, action="append", default=[]
    )


def _add_summary(commands: Any) -> None:
    _command(commands, "summary", _summary, "published | ours, from the tables that the notebooks wrote")


def _score(options: argparse.Namespace) -> None:
    from .data.relations import NEGATIVE_NAMES
    from .scoring import policy_hint, read_inverse, score_file

    report = score_file(
        options.file,
        gold_column=options.gold_column,
        predicted_column=options.predicted_column,
        paired_column=options.paired_column,
        id_column=options.id_column,
        negative=options.negative,
        task=options.task,
        inverse=read_inverse(options.inverse) if options.inverse else None,
        replicates=options.bootstrap,
        seed=options.seed,
    )
    hint = policy_hint(report, NEGATIVE_NAMES)
    if hint:
        print(f"note: {hint}", file=sys.stderr)
    show = {"table": report.to_text, "csv": report.to_csv, "latex": report.to_latex}
    print(_json(report.to_dict()) if options.format == "json" else show[options.format]().rstrip("\n"))


def _compare(options: argparse.Namespace) -> None:
    from .comparing import compare_files

    table = compare_files(
        options.files,
        gold_column=options.gold_column,
        predicted_column=options.predicted_column,
        id_column=options.id_column,
        negative=options.negative,
        replicates=options.bootstrap,
        seed=options.seed,
    )
    if options.format == "json":
        print(_json(table.to_dict("records")))
    elif options.format == "csv":
        print(table.to_csv(index=False, lineterminator="\n"), end="")
    else:
        print(table.to_string(index=False, float_format="{:.4f}".format))


def _stats(options: argparse.Namespace) -> None:
    from .data.statistics import find_statistics

    statistics = find_statistics(options.name, options.negative)
    if options.format == "json":
        print(_json(statistics))
    else:
        print("\n".join(f"{key:<28} {'–' if value is None else value}" for key, value in statistics.items()))


def _data(options: argparse.Namespace) -> None:
    from .data import pairing, registry

    if options.action != "status" and options.argument is None:
        raise ValueError(
            f"data {options.action} needs a second word: a data set to fetch, or a folder to write to"
        )
    if options.action == "build-pairs":
        print("\n".join(map(str, pairing.write_pairs(options.argument, options.dataset))))
    elif options.action == "fetch":
        print("\n".join(map(str, registry.fetch(options.argument))))
    else:
        print("\n".join(map(str, registry.status())))


def _notebooks(options: argparse.Namespace) -> int:
    from .notebooks import NotebookFailed, run_notebooks

    try:
        run_notebooks(options.only, dict(options.parameters))
    except NotebookFailed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _summary(options: argparse.Namespace) -> None:
    from .reporting.summary import summary

    print(summary())


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


if __name__ == "__main__":
    sys.exit(main())
