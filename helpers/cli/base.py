"""The command line: the group of commands, the options that they share, and errors of one line.

A command is one function in one file: its options, one call that does the work, `put` of what it gives. What
the work needs is imported in the function, so that `--help` answers at once. The docstring is the help: its
first line stands in the list of commands, the rest is shown as written. From outside the package it is

    from helpers.cli import app, put

    @app.command("rows")
    @click.argument("file", metavar="FILE")
    def rows(file):
        '''How many lines FILE has.'''
        put(str(len(open(file).readlines())))

or `register(command)`. Standard output holds the result and nothing else; after an error it is empty. Notes
(what the package logs) and errors go to standard error.
"""

from __future__ import annotations

import inspect
import json
import logging
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import requires
from pathlib import Path
from typing import Any

import click

from .. import IS_CHECKOUT, NAME, PACKAGE, ROOT, __version__, program
from ..core import did_you_mean, plain_file, shown, unknown_name, visible, write_atomically

DISTRIBUTIONS = {"sklearn": "scikit-learn", "liblinear": "liblinear-official"}
"""Modules that are called otherwise than the distribution that they come with."""
LONGEST = 2000  # characters of an error
REPLICATES, SEEDS, MAX_K = 1_000_000, 2**32 - 1, 1_000_000  # scikit-learn takes no larger seed


class _Command(click.Command):
    """Shows its help as it is written, and takes no option for the value of the option before it."""

    # click wraps paragraphs; ours hold tables and examples, which are shown as they are written
    def _help(self) -> tuple[str, str]:
        first, _, rest = inspect.cleandoc(self.help or "").partition("\n\n")
        return first, rest

    def get_short_help_str(self, limit: int = 0) -> str:
        """The first line, without its full stop, for the list of commands."""
        return self._help()[0].removesuffix(".")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The first line, above the options."""
        formatter.write(f"\n{self._help()[0]}\n")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The rest, below the options, line by line as it is written."""
        rest = (
            self._help()[1]
            .replace("python -m helpers", program())
            .replace("-m helpers", f"-m {PACKAGE.name}")
        )
        formatter.write(f"\n{rest}".rstrip() + "\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click, but `--gold-column --json` is a missing value; `--gold-column=--json` is that column."""
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        names = {name: one for one in options for name in one.opts}
        for place, word in enumerate(args):
            wanted = names[word].nargs if word in names and not names[word].is_flag else 0
            for following in args[place + 1 : place + 1 + wanted]:
                if following not in names and not following.startswith("--"):
                    continue
                message = f"expected {wanted} argument{'s' * (wanted > 1)} before {following}"
                if wanted == 1:
                    message += f"; if that is the value, write {word}={following}"
                raise click.BadParameter(message, ctx, names[word])
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx  # not every error of click's parser has it
            raise


class _Group(_Command, click.Group):
    """Lists the commands in their order, and refuses an unknown one with the nearest."""

    command_class = _Command
    group_class = type  # a group of commands within is of this class, too

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order in which they were added; click would sort them."""
        return list(self.commands)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple:
        """As click, but an unknown name is refused with the nearest one."""
        if args[0] not in self.commands:
            raise unknown_name("command", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group(cls=_Group, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="%(version)s", help="Show the version and exit.")
def app() -> None:
    """Every score of your predictions, tests between systems, statistics, data, notebooks.

    Every command takes --help, and --debug, which shows where in the program an error arose. Scores are
    fractions in JSON and CSV, per cent in tables and LaTeX.
    Exit codes: 0 done, 1 a score is under --fail-under, a notebook, job or check failed, 2 bad input,
    130 interrupted.
    """


def register(command: click.Command) -> click.Command:
    """Add a command that was made without `app.command`; ValueError if its name is taken.

    >>> register(app.commands["score"])
    Traceback (most recent call last):
    ValueError: there is a command 'score' already
    """
    if command.name in app.commands:
        raise ValueError(f"there is a command {command.name!r} already")
    app.add_command(command)
    return command


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
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in words
    words = [word for word in words if word != "--debug"]
    try:
        with _notes_on_standard_error(), app.make_context(program(), words) as context:
            return app.invoke(context) or 0
    except click.exceptions.Exit as end:  # after --help and --version
        return end.exit_code
    except KeyboardInterrupt:
        return failed("interrupted; nothing is left half-written", 130)
    except click.UsageError as error:
        return failed(_usage_message(error, words))
    except Exception as error:
        if debug:
            raise
        return failed(missing_extra(error, words[0] if words else "") or _message(error))


def _message(error: Exception) -> str:
    """One line about an error: what the input lacks, or, of an error that no input should cause, its kind."""
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


def missing_extra(error: BaseException | None, command: str = "") -> str:
    """How to install what a command lacks: '' unless a package of one of the extras could not be imported.

    Of the extras that hold the package the one with the name of the command is named, else the first; in a
    checkout, which has its packages by `make setup`, the package itself.

    >>> missing_extra(ModuleNotFoundError("No module named 'papermill'", name="papermill"), "notebooks")
    "notebooks needs papermill, which is not installed: pip install 'papermill>=2.6'"
    """
    while error is not None and not (isinstance(error, ModuleNotFoundError) and error.name):
        error = error.__cause__
    if error is None:
        return ""
    root = error.name.partition(".")[0]
    wanted = DISTRIBUTIONS.get(root, root).replace("_", "-").lower()
    pattern = rf"""({re.escape(wanted)}\b[^;]*);.*extra == ['"](\w+)['"]"""
    holding = [found for line in _declared() if (found := re.match(pattern, line, re.IGNORECASE))]
    if not holding:
        return ""
    extras = [found[2] for found in holding]
    extra = command if command in extras else extras[0]
    install = holding[0][1] if IS_CHECKOUT else f"{NAME}[{extra}]"
    return f"{command or 'this'} needs {wanted}, which is not installed: pip install '{install}'"


def _declared() -> list[str]:
    """What this package requires, as its metadata say; a checkout has none, but its pyproject.toml."""
    if not IS_CHECKOUT:
        return requires(NAME) or []
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    return [f"{line}; extra == '{extra}'" for extra, lines in extras.items() for line in lines]


def _usage_message(error: click.UsageError, words: Sequence[str]) -> str:
    """What is wrong with the words of the command line: the option, the value, the nearest known name."""
    if isinstance(error, click.NoSuchOption):
        options = [one for one in error.ctx.command.get_params(error.ctx) if isinstance(one, click.Option)]
        known = [name for one in options for name in one.opts]
        # of -x.csv click sees the letter only
        name = next((word for word in words if word.startswith(error.option_name)), error.option_name)
        name = name.partition("=")[0] if name.startswith("--") else name
        return str(unknown_name(f"option of {error.ctx.info_name}", name, known))
    return f"{error.format_message().removesuffix('.')} (see: {error.ctx.command_path} --help)"


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


def put(text: str, output: str | None = None) -> None:
    """The result to standard output, or atomically to a file.

    A reader who left, as in `… | head`, is no error; a full disk is one.
    """
    if output is not None:
        write_atomically(output, text.rstrip("\n") + "\n")
        return
    try:
        print(text.rstrip("\n"), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if not isinstance(error, BrokenPipeError):
            raise


def as_json(value: Any) -> str:
    """JSON to read, in UTF-8; ValueError for nan."""
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def put_report(report: Any, form: str, raw: bool = False, output: str | None = None) -> None:
    """Print a report in one of its forms: json, or what its `to_text`, `to_csv`, `to_latex` give."""
    if form == "json":
        text = as_json(report.to_dict())
    elif form == "csv":
        text = report.to_csv(raw)
    else:
        text = report.to_text() if form == "table" else report.to_latex()
    put(text, output)


def existing_file(text: str) -> str:
    """A path that has to be a file; if there is none, the nearest name in its folder is suggested."""
    path = Path(text)
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder; a file is needed")
    if not plain_file(path).exists():
        beside = os.listdir(path.parent) if path.parent.is_dir() else []
        raise FileNotFoundError(f"{path}: no such file{did_you_mean(path.name, beside, cutoff=0.8)}")
    return text


def input_file(text: str) -> str:
    """An existing file, or '-', standard input."""
    return text if text == "-" else existing_file(text)


def input_files(text: str) -> str:
    """An `input_file`, a pattern (*, ?, [..]) or an address (s3://…)."""
    is_pattern = any(mark in text for mark in "*?[") and not os.path.exists(text)
    return text if is_pattern or "://" in text else input_file(text)


def output_file(text: str) -> str:
    """A path to write to: no folder, and nothing else than a file."""
    if Path(text).is_dir():
        raise IsADirectoryError(f"{text} is a folder; the name of a file is needed")
    plain_file(text)
    return text


def whole_number(least: int, most: int) -> Callable[[object], int]:
    """The type of whole numbers from `least` to `most`."""

    def convert(value: object) -> int:
        text = str(value)
        # so many digits only, as Python refuses to read thousands of them
        if not (text.isdecimal() and len(text) <= 20 and least <= int(text) <= most):
            raise click.BadParameter(f"{shown(text)} is not a whole number from {least} to {most}")
        return int(text)

    return convert


def one_of(kind: str, *names: str) -> Callable[[str], str]:
    """The type of a few names."""

    def convert(value: str) -> str:
        if value not in names:
            raise click.BadParameter(str(unknown_name(kind, value, names)))
        return value

    return convert


def python_value(text: str) -> Any:
    """A word of the command line as Python value: none, true, false, a number, or text.

    >>> python_value("2"), python_value("True"), python_value("0.5"), python_value("1_000")
    (2, True, 0.5, '1_000')
    """
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float) if text.isascii() and "_" not in text else ():  # Python takes 1_000, and ３
        try:
            return kind(text)
        except ValueError:
            continue
    return text


PAIR = (str, python_value)
"""The type of options with a name and a value, such as `--set degree 2`."""


def option(name: str, metavar: str, about: str, kind: Any = None, **settings: Any) -> Callable:
    """An option with a value; `name` may have the name of the argument after it: '--scheme schemes'."""
    return click.option(*name.split(), metavar=metavar, help=about, type=kind, **settings)


def flag(name: str, about: str) -> Callable:
    """An option without a value."""
    return click.option(name, is_flag=True, help=about)


def columns(command: Callable) -> Callable:
    """The options of commands that read predictions: the columns' names and the negative class."""
    about = "The negative class, e.g. no_relation, which is never averaged; '' for none."
    command = option("--negative", "L", about)(command)
    for role in ("id", "predicted", "gold"):
        command = option(f"--{role}-column", "C", f"Name of the {role} column (else recognised).")(command)
    return command


def bootstrap(default: int = 0, least: int = 0) -> Callable:
    """`--bootstrap`, the number of replicates."""
    about = f"Replicates of the test set, for 95 % intervals (default {default})."
    return option("--bootstrap replicates", "N", about, whole_number(least, REPLICATES), default=default)


def forms(*names: str) -> Callable:
    """`--format`, one of these; the first is the default."""
    about = f"{', '.join(names)} (default {names[0]})."
    return option("--format form", "F", about, one_of("format", *names), default=names[0])


SEED = option("--seed", "S", "Seed of the bootstrap (default 1).", whole_number(0, SEEDS), default=1)
SCHEMES = option(
    "--scheme schemes",
    "NAME",
    "Average with this scheme: micro, weighted, dodrans, entropy, macro, n^ALPHA; repeatable (default: all).",
    multiple=True,
    callback=lambda context, parameter, names: names or None,
)
KS = option(
    "--k ks",
    "K",
    "The K's of P@K, R@K, RP@K, NDCG@K, separated by commas (default 1,3,5).",
    lambda text: [whole_number(1, MAX_K)(part.strip()) for part in text.split(",")],
)
