"""The command line: the group of commands, how one is run, errors of one line, and shared options.

A command is one function: its options, one call that does the work, `put` of what it gives. What the work
needs is imported in the function, so that `--help` answers at once. The docstring is the help: its first line
stands in the list of commands, the rest is shown as written. From outside the package it is

    from helpers.cli import app, put

    @app.command("rows")
    @click.argument("file", metavar="FILE")
    def rows(file):
        '''How many lines FILE has.'''
        put(str(len(open(file).readlines())))

Standard output holds the result and nothing else; after an error it is empty. Notes (what the package logs)
and errors go to standard error.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import click

from .. import IS_CHECKOUT, NAME, PACKAGE, __version__, program
from ..core import plain_file, visible, write_atomically

logger = logging.getLogger(__name__)
DISTRIBUTIONS = {"sklearn": "scikit-learn", "liblinear": "liblinear-official"}
"""Modules that are called otherwise than the distribution that they come with."""
RENAMED = {"out": "output"}
"""Old words for options, which still work."""
LONGEST = 2000  # characters of an error


def _renamed(word: str) -> str:
    if word in RENAMED:
        logger.warning("--%s is called --%s now", word, RENAMED[word])
    return RENAMED.get(word, word)


class _Command(click.Command):
    """Shows its help as it is written, where click would fill the lines of tables and examples, and takes no
    option for the value of the one before it: `--output --raw` would write a file called `--raw`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click; UsageError if an option stands where a value is needed, or a file looks like one."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        values = {name: 0 if each.is_flag else each.nargs for each in options for name in each.opts}
        values |= {f"--{old}": values.get(f"--{new}", 0) for old, new in RENAMED.items()}
        for index, word in enumerate(args):
            before = args[index - 1] if index else ""
            looks = re.match("-[^-].", word) and not {word, before} & values.keys()
            if looks and Path(word).is_file():
                raise click.UsageError(f"{word} reads as an option; the file of that name is ./{word}", ctx)
            for value in args[index + 1 : index + 1 + values.get(word, 0)]:
                if value in values or value.startswith("--"):
                    message = f"Option '{word}' lacks a value before {value}"
                    write = f"; if that is the value, write {word}={value}" if values[word] == 1 else ""
                    raise click.UsageError(message + write, ctx)
        return super().parse_args(ctx, args)

    def _parts(self) -> tuple[str, str]:
        first, _, rest = inspect.cleandoc(self.help or "").partition("\n\n")
        rest = rest.replace("python -m helpers", program()).replace("-m helpers", f"-m {PACKAGE.name}")
        return first, rest

    def get_short_help_str(self, limit: int = 0) -> str:
        """The first line, without its full stop, for the list of commands."""
        return self._parts()[0].removesuffix(".")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first line, above the options."""
        formatter.write(f"\n{self._parts()[0]}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The rest, below the options."""
        formatter.write(f"\n{self._parts()[1]}".rstrip() + "\n")


class _Group(_Command, click.Group):
    """Lists the commands in the order in which they were added; click would sort them."""

    command_class = _Command
    group_class = type  # a group of commands within is of this class, too

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in their order."""
        return list(self.commands)


SETTINGS = {"help_option_names": ["-h", "--help"], "token_normalize_func": _renamed}


@click.group(cls=_Group, no_args_is_help=False, context_settings=SETTINGS)
@click.version_option(__version__, message="%(version)s", help="Show the version and exit.")
def app() -> None:
    """Every score of your predictions, tests between systems, statistics, data, notebooks.

    Every command takes --help, and --debug, which shows where in the program an error arose. Scores are
    fractions in JSON and CSV, per cent in tables and LaTeX. JSON is an object, of a table a list of
    objects, with the key schema_version.
    Exit codes: 0 done, 1 a score is under --fail-under, a notebook, job or check failed, 2 bad input,
    130 interrupted.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 a check failed, 2 bad input, 130 interrupted.

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
    given = list(sys.argv[1:] if arguments is None else arguments)
    words = [word for word in given if word != "--debug"]
    try:
        with _notes_on_standard_error(), app.make_context(program(), words) as context:
            return app.invoke(context) or 0
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code
    except KeyboardInterrupt:
        return failed("interrupted; nothing is left half-written", 130)
    except click.UsageError as error:
        see = f" (see: {error.ctx.command_path} --help)" if error.ctx else ""
        return failed(error.format_message().removesuffix(".") + see)
    except Exception as error:
        if len(words) < len(given):
            raise
        return failed(_lacking(error, words[0]) or _message(error))


def _message(error: Exception) -> str:
    """What the input or the machine lacks; of an error that no input should cause, its kind."""
    text = " ".join(str(error).splitlines())
    match error:
        case OSError(filename=name, strerror=reason) if name is not None and reason:
            return f"{name}: {reason}"
        case MemoryError():
            return text or "there is not enough memory"
        case OSError() | ValueError() | FloatingPointError():
            return text or type(error).__name__
    where = "".join(f"{note}: " for note in getattr(error, "__notes__", ()))
    ours = "a fault of this program: please report it; --debug shows where"
    return f"{where}{type(error).__name__}: {text} ({ours})"


def _lacking(error: BaseException | None, command: str) -> str:
    """How to install the package that could not be imported, '' if none of the extras holds it.

    Of several extras the one with the name of the command is named, else the first; in a checkout, which has
    its packages by `make setup`, that.
    """
    while error is not None and not (isinstance(error, ModuleNotFoundError) and error.name):
        error = error.__cause__
    module = error.name.partition(".")[0] if isinstance(error, ModuleNotFoundError) and error.name else ""
    if not module or module == PACKAGE.name:
        return ""
    package = DISTRIBUTIONS.get(module, module).replace("_", "-")
    needs = f"{command} needs {package}, which is not installed"
    if IS_CHECKOUT:
        return f"{needs}: make setup"
    pattern = re.compile(rf"{re.escape(package)}\b[^;]*;.*extra == ['\"](\w+)['\"]", re.IGNORECASE)
    extras = [
        extra_line[1]
        for line in requires(NAME) or ()
        if (extra_line := pattern.match(line)) and extra_line[1] != "all"
    ]
    extra = command if command in extras else next(iter(extras), "")
    return f"{needs}: pip install '{NAME}[{extra}]'" if extra else ""


def failed(error: object, code: int = 2) -> int:
    """Say what was wrong in one line on standard error; returns the exit code."""
    print("error:", visible(" ".join(str(error).splitlines()), LONGEST), file=sys.stderr)
    return code


@contextmanager
def _notes_on_standard_error() -> Iterator[None]:
    """What the package logs is shown to the user as notes."""
    handler, package = logging.StreamHandler(), logging.getLogger(PACKAGE.name)
    handler.setFormatter(logging.Formatter("note: %(message)s"))
    package.addHandler(handler)
    try:
        yield
    finally:
        package.removeHandler(handler)


FILE = click.Path(exists=True, dir_okay=False)
FILE_OR_STDIN = click.Path(exists=True, dir_okay=False, allow_dash=True)
REPLICATES, SEEDS, MAX_K = 1_000_000, 2**32 - 1, 1_000_000  # scikit-learn takes no larger seed
GOLD = "gold"
NAMED_LABELS = ("supported", "observed", "listed")
SCHEMA_VERSION = 1
"""Of the JSON that commands write: raised when a key goes or changes its meaning."""


def put(text: str, output: str | None = None) -> None:
    """The result to standard output, or atomically to a file.

    A reader who left, as in `… | head`, is no error; a full disk is one.
    """
    if output is not None:
        write_atomically(plain_file(output), text.rstrip("\n") + "\n")
        return
    try:
        print(text.rstrip("\n"), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if not isinstance(error, BrokenPipeError):
            raise


def as_json(value: Any) -> str:
    """JSON to read, in UTF-8: an object, or a list of objects, with `schema_version`; ValueError for nan."""
    version = {"schema_version": SCHEMA_VERSION}
    value = version | value if isinstance(value, dict) else [version | row for row in value]
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def put_report(report: Any, form: str, output: str | None = None, raw: bool = False, **latex: Any) -> None:
    """A report in one of its forms. raw : of `to_csv`; latex : arguments of `to_latex`."""
    method = {"table": "to_text", "json": "to_dict"}.get(form, f"to_{form}")
    made = getattr(report, method)(**{"csv": {"raw": raw}, "latex": latex}.get(form, {}))
    put(as_json(made) if form == "json" else made, output)


def result_of(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the result, taken out of `options`, as the arguments of `put_report`."""
    names = ("form", "raw", "output", "decimals", "columns", "intervals", "tests")
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

    def decorate(command: Callable) -> Callable:
        for decorator in reversed(options):
            command = decorator(command)
        return command

    return decorate


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


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def _number(context: click.Context, parameter: click.Parameter, value: str) -> float:
    return float(value)


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
_RAW = (
    "In CSV, write labels and names exactly as they are. Otherwise text that begins with = + - or @, a tab "
)
_RAW += "or a carriage return gets an apostrophe in front, so that no spreadsheet runs it as a formula."
RAW = flag("--raw", _RAW)
OUTPUT = option("--output", "FILE", "Write the result to FILE, atomically.", click.Path(dir_okay=False))
_COLUMNS = "In LaTeX only these columns, by the names of CSV, separated by commas."
_BESIDE = "In LaTeX beside the score (default), stacked below it, or none."
LATEX = _together(
    option("--decimals", "N", "Of per cent in LaTeX (default 1).", click.IntRange(0, 9), default=1),
    option("--columns", "LIST", _COLUMNS, _words),
    option("--intervals", "PLACE", _BESIDE, ["beside", "stacked", "none"], default="beside"),
)
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
    option("--zero-division", "X", _DIVISION, ["0", "1", "nan"], default="0", callback=_number),
    option("--zero-support", "RULE", _SUPPORT, ["skip", "zero"]),
)
