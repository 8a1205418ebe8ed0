"""What scikit-learn, torchmetrics and this project give on the same awkward cases, side by side.

`python -m helpers.adapters.awkward_cases` writes results/tables/awkward_cases.csv; a test computes it anew.
Each library is called as its documentation suggests for the purpose; where two calls are usual, both stand
there. Not here: seqeval, which needs a compiler for an old build to install, and Hugging Face's evaluate,
which loads its metrics from a hub when they are called, and whose F1 is scikit-learn's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import ROOT
from ..core import csv_text, write_atomically
from .scikit_learn import f1_score
from .trainer import compute_metrics

TABLE = ROOT / "results" / "tables" / "awkward_cases.csv"
COLUMNS = ("case", "gold", "predicted", "library", "call", "value", "what it does")
NAMES = ("NA", "born", "title", "age")
"""Labels of the cases, in the order of their ids; NA is the negative class."""


class Call(NamedTuple):
    """One way to score a case: the library, the call as one would type it, and what it does with the case."""

    library: str
    call: str
    run: Callable[[list[int], list[int]], float]
    remark: str


class Case(NamedTuple):
    """Gold and predicted ids, and the calls that are compared."""

    name: str
    gold: list[int]
    predicted: list[int]
    calls: Sequence[Call]


def _sklearn(words: str, remark: str, **options: Any) -> Call:
    def run(gold: list[int], predicted: list[int]) -> float:
        from sklearn.metrics import f1_score as theirs

        return theirs(gold, predicted, **options)

    return Call("scikit-learn", f"f1_score(gold, predicted, {words})", run, remark)


def _torchmetrics(words: str, remark: str, **options: Any) -> Call:
    def run(gold: list[int], predicted: list[int]) -> float:
        import torch
        from torchmetrics.classification import MulticlassF1Score

        metric = MulticlassF1Score(num_classes=len(NAMES), **options)
        if gold:
            metric.update(torch.tensor(predicted), torch.tensor(gold))
        return metric.compute().item()

    return Call("torchmetrics", f"MulticlassF1Score(4, {words})", run, remark)


def _ours(words: str, remark: str, **options: Any) -> Call:
    def run(gold: list[int], predicted: list[int]) -> float:
        labels = ([NAMES[one] for one in column] for column in (gold, predicted))
        return f1_score(*labels, **options)

    return Call("this project", f"f1_score(gold, predicted, {words})", run, remark)


def _trainer(remark: str) -> Call:
    def run(gold: list[int], predicted: list[int]) -> float:
        return compute_metrics(NAMES, "NA")((predicted, gold))["f1_macro"]

    return Call("this project", 'compute_metrics(names, "NA")(…)["f1_macro"]', run, remark)


MACRO = _ours('scheme="macro"', "averages the classes with gold samples", scheme="macro")
POSITIVE = _ours(
    'scheme="macro", negative="NA"',
    "leaves NA out of the average; a false alarm on an NA sample stays a false positive",
    scheme="macro",
    negative="NA",
)
SK_MACRO = _sklearn(
    'average="macro", zero_division=0', "averages the classes that occur", average="macro", zero_division=0
)
SK_LABELS = _sklearn(
    'labels=[1, 2, 3], average="macro", zero_division=0',
    "averages the labels it is given, absent ones as 0",
    labels=[1, 2, 3],
    average="macro",
    zero_division=0,
)
TM_MACRO = _torchmetrics(
    'average="macro"', "averages the classes that occur in gold or predicted", average="macro"
)
TM_IGNORE = _torchmetrics(
    'average="macro", ignore_index=0',
    "drops the samples whose gold label is 0, and their false alarms; averages 0 where it is predicted",
    average="macro",
    ignore_index=0,
)

CASES = (
    Case("every class occurs", [0, 1, 2, 3, 1], [0, 1, 2, 3, 2], (MACRO, SK_MACRO, TM_MACRO)),
    Case("a class of the list occurs nowhere", [1, 1, 2], [1, 2, 2], (MACRO, SK_MACRO, SK_LABELS, TM_MACRO)),
    Case(
        "a class is predicted and never gold",
        [1, 1, 2],
        [1, 3, 2],
        (
            MACRO,
            _ours(
                'scheme="macro", labels="observed"',
                "averages what is gold or predicted somewhere",
                scheme="macro",
                labels="observed",
            ),
            SK_MACRO,
            TM_MACRO,
        ),
    ),
    Case("a class is gold and never predicted", [1, 1, 2], [1, 1, 1], (MACRO, SK_MACRO, TM_MACRO)),
    Case("false alarms on the negative class", [0, 0, 1, 2], [1, 2, 1, 2], (POSITIVE, SK_LABELS, TM_IGNORE)),
    Case("relations missed as negative", [1, 1, 2, 3], [0, 1, 0, 3], (POSITIVE, SK_LABELS, TM_IGNORE)),
    Case(
        "micro without the negative class",
        [0, 0, 0, 1, 2],
        [1, 1, 0, 1, 2],
        (
            _ours('scheme="micro", negative="NA"', "pools the relations", scheme="micro", negative="NA"),
            _sklearn('average="micro"', "is accuracy, negatives included", average="micro"),
            _sklearn(
                'labels=[1, 2, 3], average="micro"', "pools the relations", labels=[1, 2, 3], average="micro"
            ),
            _torchmetrics(
                'average="micro", ignore_index=0',
                "drops the negative samples, and with them their false alarms",
                average="micro",
                ignore_index=0,
            ),
        ),
    ),
    Case("only negative gold labels", [0, 0, 0], [0, 1, 0], (POSITIVE, SK_LABELS, TM_IGNORE)),
    Case("only negative predictions", [1, 2, 0], [0, 0, 0], (POSITIVE, SK_LABELS, TM_IGNORE)),
    Case(
        "a target to be ignored, −100",
        [1, 2, -100],
        [1, 1, 2],
        (
            _trainer("leaves it out"),
            SK_MACRO,
            _torchmetrics(
                'average="macro", ignore_index=-100', "leaves it out", average="macro", ignore_index=-100
            ),
        ),
    ),
    Case("no sample at all", [], [], (MACRO, SK_MACRO, TM_MACRO)),
    Case(
        "undefined scores as nan",
        [1, 1, 2],
        [1, 1, 3],
        (
            _ours(
                'scheme="macro", labels="observed", zero_division=nan',
                "leaves out what is undefined",
                scheme="macro",
                labels="observed",
                zero_division=float("nan"),
            ),
            _sklearn(
                'average="macro", zero_division=nan',
                "leaves out what is undefined",
                average="macro",
                zero_division=float("nan"),
            ),
        ),
    ),
)


def case_rows(cases: Sequence[Case] = CASES) -> Iterator[tuple[str, ...]]:
    """The rows of the table, `COLUMNS`: the value with four decimals, or the kind of error.

    >>> for row in case_rows(CASES[4:5]):
    ...     print(row[3], row[5])
    this project 0.6667
    scikit-learn 0.4444
    torchmetrics 1.0000
    """
    for case in cases:
        gold, predicted = (" ".join(map(str, column)) for column in (case.gold, case.predicted))
        for library, call, run, remark in case.calls:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the table says what comes out, with a warning or without
                try:
                    value = f"{run(case.gold, case.predicted):.4f}"
                except ValueError as error:
                    value, remark = "error", str(error).splitlines()[0]
            yield case.name, gold, predicted, library, call, value, remark


if __name__ == "__main__":
    print(write_atomically(TABLE, csv_text([COLUMNS, *case_rows()], raw=True)))
