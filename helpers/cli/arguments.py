"""What `python -m helpers COMMAND --help` says beyond its options.

The arguments of `python -m helpers`: commands, options, help texts, and one-line errors for wrong ones.

It loads nothing heavy, so `--help` answers at once; it reads no files and runs nothing (`__main__` does).
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from helpers import __version__
from helpers.core import unknown_name

ABOUT = "Every score of your predictions, tests between systems, statistics, data, notebooks."

EPILOG = """\
Every command takes --help. Scores are fractions in JSON and CSV, per cent in tables and LaTeX.
Exit codes: 0 done, 1 a notebook failed, 2 bad input, 130 interrupted."""

SCORE = """\
FILE has one row for each sample, the negative ones included, with its gold and its predicted label. Columns
with a common name (gold, label, label_true, y_true, … and predicted, pred, label_pred, y_pred, …) need not be
named. Labels are text: NA, None and null are labels, an empty cell is an error. A sample that the system
skipped has the predicted label (skipped).

The gold label of a paired sample is the inverse of the gold label: (e1,e2) and (e2,e1) change places. Other
inverses come from --inverse: JSON {"per:parents": "per:children", …}, or columns label and inverse. A label
without an inverse keeps itself and is left out of PIR and PPR.

examples:
  python -m helpers score mine.csv --negative no_relation
  python -m helpers score mine.jsonl.gz --gold-column label --predicted-column bert --bootstrap 10000
  python -m helpers score mine.tsv --task semeval2010 --paired-column paired --format json"""

COMPARE = """\
The first FILE is compared with each other one: two-sided paired bootstrap under every scheme, p corrected by
Holm over all tests (the other files under each scheme). Samples are matched by id if both files have ids,
else by order; the gold labels have to agree.

example:
  python -m helpers compare mine.csv baseline.csv other.parquet --negative no_relation"""

STATS = """\
Labels, samples and share of the negative class are those of the whole data set; perplexity and ratio (largest
by smallest positive class) are those of its test part.

names: semeval2010, semeval2010-undirected, chemprot, tacred, nyt24, docred, nyt10m, kbp37

examples:
  python -m helpers stats tacred
  python -m helpers stats counts.csv --negative NA     columns: label, count and, if wanted, split"""

DATA = """\
examples:
  python -m helpers data                        which registered files are here, and where
  python -m helpers data fetch semeval2010      download a data set, or one file, with its checksum
  python -m helpers data build-pairs OUT        original, paired and merged set, from the official files"""

NOTEBOOKS = """\
examples:
  python -m helpers notebooks
  python -m helpers notebooks --only 02 --only 03 -p replicates 500

Executed copies go to scratch/notebooks and are compared with the committed ones. Runs with -p write tables
and figures to scratch/, too, so the stored results stay as they are."""

SCORE_MULTILABEL = """\
TRUTH is a matrix of 0 and 1, one row a document and one column a label, SCORES a matrix of the same shape:
.csv without header, .npy, or .npz (scipy.sparse.save_npz; what is not stored is 0). A label is predicted if
its score is above 0 (--threshold for probabilities), with --multiclass the best one of each document. Of
equal scores the label further left comes first.

JSON has the keys P@K, R@K, RP@K, NDCG@K for each K, Macro-F1, Micro-F1, Macro*-F1, and schemes: name → F1
averaged under that scheme over the labels that --labels names.

examples:
  python -m helpers score-multilabel --truth truth.csv --scores scores.npy
  python -m helpers score-multilabel --truth t.npz --scores s.npz --k 1,3,5 --bootstrap 10000 --format json"""

LINEAR = """\
Files are in LibMultiLabel's forms: .txt or .tsv, a line with id, labels, text or labels, text, separated by
tabs, labels by blanks; .svm or .libsvm, lines such as 3,7 1:0.5 9:1. Texts become TF-IDF features.

Techniques: 1vsrest, thresholding, cost_sensitive, cost_sensitive_micro, tree, and binary_and_multiclass for
documents with one label each. --options are LIBLINEAR's: -s solver (0 to 7), -c cost, -e tolerance, -B bias,
-m processes. There is no bias without -B. A single option needs an equals sign: --options=-q.
--set changes a technique: rule (thresholding: micromacro-freq, scut-fbr); degree, depth, beam (tree).

Labels that only the test documents have are left out, and how much that matters is shown.

examples:
  python -m helpers linear --train train.txt --test test.txt --options "-s 1 -B 1 -e 0.0001"
  python -m helpers linear --train train.svm --test test.svm --technique cost_sensitive --seed 1337
  python -m helpers linear --train train.txt --model mine.safetensors
  python -m helpers linear --model mine.safetensors --test new.txt --predictions labels.txt"""

TRAIN = """\
Trains on the training data, tests on the test set and on its paired set (entity markers exchanged), writes a
run file: the counts of gold × predicted × predicted on the paired sentence, and every setting. Interrupted
training goes on from its checkpoint; a run that is stored already is not trained again.

Runs of profile quick (2000 training sentences) go to scratch/runs, those of standard and paper (all of them)
to results/runs. --settings standard are those found for the embedded encoder, paper those of the papers;
--set changes single ones: learning_rate, epochs, batch_size, optimizer, weight_decay, schedule, warmup, clip,
accumulate, dropout, max_length, marker_vectors, precision. --option sets what belongs to a model: layer_norm
(em-es), form (r-bert: paper, port), candidates (emr-c: all, directed), negatives (emr-c: resampled, fixed),
markers (svm).

Reference points without encoder, settings and seed: svm, TF-IDF with a linear SVM (--option markers true
shows it the entities), and majority, the most frequent relation.

examples:
  python -m helpers train --model em-c --dataset demo
  python -m helpers train --model em-es --merged --dataset semeval2010 --profile standard --seed 148
  python -m helpers train --model r-bert --encoder bert-large-uncased --profile paper --predictions mine.csv
  accelerate launch -m helpers train --model ptr --profile paper --encoder roberta-large   (several GPUs)"""

RUNS = """\
The standard set: nine models on SemEval-2010 with five seeds, two of them also on the training split of PTR's
authors, four on KBP37. Interrupt it at any time: what is stored is not trained again, and what was begun goes
on. To use two cores well, start it twice with different seeds.

examples:
  python -m helpers runs
  python -m helpers runs --train --seed 148
  OMP_NUM_THREADS=1 python -m helpers runs --train --model R-BERT --model R-BERT-M"""


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
    parser = _Parser(prog="python -m helpers", description=ABOUT, epilog=EPILOG)
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
    add("--publish", action="store_true", help="renew the committed copies in results/notebooks")


def _train(parser: _Parser) -> None:
    add, pair = parser.add_argument, {"metavar": ("NAME", "VALUE"), "nargs": 2, "action": "append"}
    models = ("em-c", "em-es", "r-bert", "emr-c", "ptr", "svm", "majority")
    from helpers.data import datasets as known

    datasets = [one.name for one in known().values() if one.directed]
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
    "score": (_score, "every score of a file of gold and predicted labels", SCORE),
    "score-multilabel": (
        _score_multilabel,
        "ranking measures and F-measures of label scores, under every scheme",
        SCORE_MULTILABEL,
    ),
    "compare": (_compare, "paired bootstrap tests between systems on the same samples", COMPARE),
    "stats": (_stats, "label statistics of a data set, or of a file of counts", STATS),
    "data": (_data, "which data files are here; download them; build the paired sets", DATA),
    "train": (_train, "train a relation classifier and store its outcome on both test sets", TRAIN),
    "linear": (_linear, "train and test a linear classifier of documents with several labels", LINEAR),
    "runs": (_runs, "which runs of profile standard are stored; train the missing ones", RUNS),
    "notebooks": (_notebooks, "run the notebooks in order, headless", NOTEBOOKS),
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
