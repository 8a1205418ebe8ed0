"""The arguments of `python -m helpers`: commands, options, help texts, and one-line errors for wrong ones.

It loads nothing heavy, so `--help` answers at once; it reads no files and runs nothing (`__main__` does).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from . import __version__
from . import help_texts as texts
from .data.errors import unknown_name


class _Parser(argparse.ArgumentParser):
    """A parser that takes no abbreviations, knows its options, and says in one line what is wrong."""

    def __init__(self, **settings: Any) -> None:
        self.known: list[str] = []
        super().__init__(**settings, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)

    def add_argument(self, *names: str, **settings: Any) -> argparse.Action:
        self.known += [name for name in names if name.startswith("-")]
        return super().add_argument(*names, **settings)

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{message} (see: {self.prog} --help)")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of one command: `command` is its name, the others are named as on the command line.

    Raises
    ------
    ValueError : a command, option or value that is not known (the known ones and the nearest are named), or
        one that is missing or too many.
    SystemExit : `--help` and `--version`, after printing.

    >>> parse(["score", "mine.csv", "--bootstrap", "100"]).bootstrap
    100
    >>> parse(["score", "mine.csv", "--negativ", "NA"])
    Traceback (most recent call last):
    ValueError: unknown option of score '--negativ'; did you mean '--negative'? Known: ...
    """
    if words and words[0] not in COMMANDS and not words[0].startswith("-"):
        raise unknown_name("command", words[0], COMMANDS)
    options, left = _parser().parse_known_args(words)
    for word in left:
        if word.startswith("-"):
            raise unknown_name(f"option of {options.command}", word.partition("=")[0], options.known)
    if left:
        raise ValueError(f"{options.command}: unexpected argument {left[0]!r}")
    return options


def _parser() -> _Parser:
    parser = _Parser(prog="python -m helpers", description=texts.ABOUT, epilog=texts.EPILOG)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND", dest="command")
    for name, (add_arguments, about, more) in COMMANDS.items():
        command = commands.add_parser(name, help=about, description=f"{about.capitalize()}.", epilog=more)
        add_arguments(command)
        command.set_defaults(known=command.known)
    return parser


def _score(parser: _Parser) -> None:
    parser.add_argument("file", metavar="FILE", help=".csv, .tsv, .jsonl or .parquet, also .gz")
    _add_columns(parser)
    add = parser.add_argument
    add("--paired-column", metavar="C", help="predictions on the paired samples: adds PD, PIR and PPR")
    add("--inverse", metavar="FILE", help="the inverses, if not (e1,e2) and (e2,e1)")
    add("--task", metavar="TASK", help="semeval2010: its labels, its negative class, its official scores")
    _add_bootstrap(parser, default=0, least=0)
    _add_format(parser, "table", "json", "csv", "latex")


def _score_multilabel(parser: _Parser) -> None:
    add, about = parser.add_argument, ".csv without header, .npy or .npz"
    add("--truth", metavar="T", required=True, help=f"the gold labels, 0 and 1: {about}")
    add("--scores", metavar="S", required=True, help=f"a score for each document and label: {about}")
    _add_ks(parser)
    add("--multiclass", action="store_true", help="predict the best label of each document")
    about = "predict labels with scores above it (default 0; 0.5 is usual for probabilities)"
    add("--threshold", metavar="X", type=float, default=0.0, help=about)
    kinds, about = ("listed", "observed", "supported"), "labels that the schemes average: listed (default), "
    about += "observed (gold or predicted somewhere), supported (gold somewhere)"
    add("--labels", metavar="L", type=_one_of("labels", *kinds), default="listed", help=about)
    _add_bootstrap(parser, default=0, least=0)
    _add_format(parser, "table", "json")


def _linear(parser: _Parser) -> None:
    add, pair = parser.add_argument, {"metavar": ("NAME", "VALUE"), "nargs": 2, "action": "append"}
    add("--train", metavar="F", help="documents to train on: .txt, .tsv, .svm, .libsvm, also .gz")
    add("--test", metavar="F", help="documents to predict, and to score if any has labels")
    add("--technique", metavar="T", default="1vsrest", help="default 1vsrest")
    add("--options", metavar="O", default="", help="LIBLINEAR's options, e.g. '-s 1 -B 1 -e 0.0001'")
    add("--set", dest="parameters", default=[], **pair, help="one setting of the technique; repeatable")
    add("--tfidf", default=[], **pair, help="one setting of TF-IDF, e.g. min_df 2; repeatable")
    add("--label-file", metavar="F", help="all labels, one a line (default: those of the training documents)")
    about = "labels that only the test documents have are labels like any other"
    add("--include-test-labels", action="store_true", help=about)
    add("--remove-unlabelled", action="store_true", help="leave out training documents without labels")
    add("--model", metavar="F", help="with --train: save the trained model there; without: use that one")
    add("--predictions", metavar="F", help="write the predicted labels and their scores, one line a document")
    add("--scores", metavar="F", help="write the matrix of scores: .csv, .npy or .npz")
    _add_ks(parser)
    add("--seed", metavar="S", type=_whole_number(0), help="of the folds and clusters, and of the bootstrap")
    about = "replicates of the test set, for 95 %% intervals (default 0)"
    add("--bootstrap", metavar="N", type=_whole_number(0), default=0, help=about)
    _add_format(parser, "table", "json")


def _compare(parser: _Parser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="+", help=".csv, .tsv, .jsonl or .parquet, also .gz")
    _add_columns(parser)
    _add_bootstrap(parser, default=10_000, least=1)
    _add_format(parser, "table", "json", "csv")


def _stats(parser: _Parser) -> None:
    parser.add_argument("name", metavar="NAME_OR_COUNTS_CSV")
    about = "negative class of a counts file, '' for none (else recognised by its name)"
    parser.add_argument("--negative", metavar="L", help=about)
    _add_format(parser, "table", "json")


def _data(parser: _Parser) -> None:
    add, actions = parser.add_argument, ("status", "fetch", "build-pairs")
    kind, about = _one_of("action", *actions), f"{', '.join(actions)} (default status)"
    add("action", metavar="ACTION", nargs="?", default="status", type=kind, help=about)
    add("argument", metavar="NAME|OUT", nargs="?", help="what to fetch; the folder to write to")
    add("--dataset", metavar="D", help="for build-pairs: semeval2010 (default) or kbp37")


def _notebooks(parser: _Parser) -> None:
    add, pair = parser.add_argument, {"metavar": ("NAME", "VALUE"), "nargs": 2}
    add("--only", metavar="NN", action="append", help="one notebook, by number or name; repeatable")
    add("-p", dest="parameters", action="append", default=[], **pair, help="a parameter; repeatable")


def _train(parser: _Parser) -> None:
    add, pair = parser.add_argument, {"metavar": ("NAME", "VALUE"), "nargs": 2, "action": "append"}
    models = ("em-c", "em-es", "r-bert", "emr-c", "ptr", "svm", "majority")
    datasets = ("semeval2010", "kbp37", "demo")
    profiles = ("quick", "standard", "paper")
    add("--model", metavar="M", required=True, type=_one_of("model", *models), help=", ".join(models))
    about = f"{', '.join(datasets)} (default semeval2010)"
    add("--dataset", metavar="D", type=_one_of("dataset", *datasets), default=datasets[0], help=about)
    add("--merged", action="store_true", help="train on every sentence and on its paired one")
    parts = ("full", "ptr")
    about = "training part: full (default), or ptr, the 6507 sentences of PTR's authors"
    add("--part", metavar="P", type=_one_of("part", *parts), default=parts[0], help=about)
    texts, about = ("clean", "official"), "clean (default), official"
    add("--text", metavar="T", type=_one_of("text", *texts), default=texts[0], help=about)
    add("--seed", metavar="S", type=_whole_number(0), default=9, help="default 9")
    about = "Hugging Face name or local folder (default: the embedded all-MiniLM-L6-v2)"
    add("--encoder", metavar="E", default="all-MiniLM-L6-v2", help=about)
    about = "quick (default), standard, paper"
    add("--profile", metavar="P", type=_one_of("profile", *profiles), default=profiles[0], help=about)
    about = "standard, paper (default: standard, or paper in profile paper)"
    add("--settings", metavar="S", type=_one_of("settings", "standard", "paper"), help=about)
    add("--set", dest="changed", default=[], **pair, help="one training setting; repeatable")
    add("--option", dest="options", default=[], **pair, help="one setting of the model; repeatable")
    about = "test on a tenth of the training data, not on the test set: to choose settings"
    add("--holdout", action="store_true", help=about)
    add("--out", metavar="DIR", help="where the run file goes (default results/runs or scratch/runs)")
    add("--predictions", metavar="CSV", help="also write the predictions: id, gold, predicted, paired")
    add("--weights", metavar="FILE", help="also write the trained weights (safetensors)")
    add("--every-epoch", metavar="DIR", help="also store the outcome after each epoch, as DIR/epoch-N/…")
    add("--overwrite", action="store_true", help="replace a stored run of another configuration")


def _runs(parser: _Parser) -> None:
    add = parser.add_argument
    add("--train", action="store_true", help="train what is missing, one after the other")
    about = "only this seed; repeatable"
    add("--seed", metavar="S", dest="seeds", action="append", default=[], type=_whole_number(0), help=about)
    about = "only this model, e.g. EM-ES-M; repeatable"
    add("--model", metavar="M", dest="models", action="append", default=[], help=about)
    add("--out", metavar="DIR", help="where the run files are (default results/runs)")


def _summary(parser: _Parser) -> None:
    """It has none."""


COMMANDS = {
    "score": (_score, "every score of a file of gold and predicted labels", texts.SCORE),
    "score-multilabel": (
        _score_multilabel,
        "ranking measures and F-measures of label scores, under every scheme",
        texts.SCORE_MULTILABEL,
    ),
    "compare": (_compare, "paired bootstrap tests between systems on the same samples", texts.COMPARE),
    "stats": (_stats, "label statistics of a data set, or of a file of counts", texts.STATS),
    "data": (_data, "which data files are here; download them; build the paired sets", texts.DATA),
    "train": (_train, "train a relation classifier and store its outcome on both test sets", texts.TRAIN),
    "linear": (_linear, "train and test a linear classifier of documents with several labels", texts.LINEAR),
    "runs": (_runs, "which runs of profile standard are stored; train the missing ones", texts.RUNS),
    "notebooks": (_notebooks, "run the notebooks in order, headless", texts.NOTEBOOKS),
    "summary": (_summary, "published | ours, from the tables that the notebooks wrote", None),
}
"""Name → what adds its arguments, what it does, and more about it."""


def _add_columns(parser: _Parser) -> None:
    for role in ("gold", "predicted", "id"):
        about = f"name of the {role} column (else recognised)"
        parser.add_argument(f"--{role}-column", metavar="C", help=about)
    about = "the negative class, e.g. no_relation, which is never averaged; '' for none"
    parser.add_argument("--negative", metavar="L", help=about)


def _add_bootstrap(parser: _Parser, default: int, least: int) -> None:
    about = f"replicates of the test set, for 95 %% intervals (default {default})"
    parser.add_argument("--bootstrap", metavar="N", type=_whole_number(least), default=default, help=about)
    about = "seed of the bootstrap (default 1)"
    parser.add_argument("--seed", metavar="S", type=_whole_number(0), default=1, help=about)


def _add_ks(parser: _Parser) -> None:
    about = "the K's of P@K, R@K, RP@K, NDCG@K, separated by commas (default 1,3,5)"
    parser.add_argument("--k", dest="ks", metavar="K", type=_whole_numbers, help=about)


def _add_format(parser: _Parser, *names: str) -> None:
    about = f"{', '.join(names)} (default {names[0]})"
    parser.add_argument("--format", metavar="F", type=_one_of("format", *names), default=names[0], help=about)


def _whole_number(least: int) -> Callable[[str], int]:
    def convert(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {least} up")
        return int(text)

    return convert


def _whole_numbers(text: str) -> list[int]:
    return [_whole_number(1)(part.strip()) for part in text.split(",")]


def _one_of(kind: str, *names: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in names:
            raise argparse.ArgumentTypeError(str(unknown_name(kind, text, names)))
        return text

    return convert


def python_value(text: str) -> Any:
    """A word of the command line as Python value: none, true, false, a number, or text.

    >>> python_value("2"), python_value("True"), python_value("0.5"), python_value("scut-fbr")
    (2, True, 0.5, 'scut-fbr')
    """
    words = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
