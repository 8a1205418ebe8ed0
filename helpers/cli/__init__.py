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
import logging
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from .. import IS_CHECKOUT, NAME, PACKAGE, __version__, program
from .base import failed, put

__all__ = ["app", "main", "put"]
logger = logging.getLogger(__name__)
DISTRIBUTIONS = {"sklearn": "scikit-learn", "liblinear": "liblinear-official"}
"""Modules that are called otherwise than the distribution that they come with."""
RENAMED = {"out": "output"}
"""Old words for options, which still work."""


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
        for index, word in enumerate(args[: args.index("--")] if "--" in args else args):
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
    notes, package = logging.StreamHandler(), logging.getLogger(PACKAGE.name)
    notes.setFormatter(logging.Formatter("note: %(message)s"))
    package.addHandler(notes)
    try:
        with app.make_context(program(), words) as context:
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
    finally:
        package.removeHandler(notes)


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
    from importlib.metadata import requires

    pattern = rf"(?im)^{re.escape(package)}\b[^;\n]*;.*extra == ['\"](?!all\b)(\w+)"
    extras = re.findall(pattern, "\n".join(requires(NAME) or ()))
    extra = command if command in extras else next(iter(extras), "")
    return f"{needs}: pip install '{NAME}[{extra}]'" if extra else ""


from . import score, sets, train, leaderboard, project  # noqa: E402  # in the order of `--help`
