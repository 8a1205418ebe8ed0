"""Whether a model beats the simplest one: the majority baseline, which always gives the same answer."""

from __future__ import annotations

import numpy as np

from ..core import Label, shown
from ..metrics import Outcome, averages, scheme_names
from ..runs import Run
from .seeds import original_table, scheme_scores


def majority_label(run: Run) -> Label:
    """The most frequent relation of the training samples, if the run says which it was; else the most
    frequent one of the test set, which no constant answer beats in accuracy.

    >>> table = Outcome.from_columns(["a", "b", "b"], ["a", "b", "a"])
    >>> majority_label(Run.from_outcome(table, dataset="d", model="m"))
    'b'
    """
    known = run.facts.get("majority")
    table = original_table(run)
    return known if known in table.labels else table.labels[int(np.argmax(table.per_class().gold))]


def against_majority(run: Run) -> dict[str, tuple[float, float]]:
    """Accuracy and the F1 under every scheme, of the run and of always answering `majority_label`; fractions.

    A majority that is the negative class has no F1 but 0.

    Raises ValueError for a run that is not of single labels.

    >>> table = Outcome.from_columns(["a", "b", "b", "b"], ["a", "b", "b", "a"])
    >>> against_majority(Run.from_outcome(table, dataset="d", model="m"))["accuracy"]
    (0.75, 0.75)
    """
    if run.kind not in ("confusion", "paired"):
        raise ValueError(
            f"{run.model} on {run.dataset} has an outcome of kind {run.kind}, not of single labels"
        )
    table = original_table(run)
    gold = table.roles["gold"]
    always = np.full_like(gold, table.labels.index(majority_label(run)))
    constant = Outcome({"gold": gold, "predicted": always}, table.counts, table.labels)
    found = averages(constant, negative=run.negative)
    f1 = dict(zip(scheme_names(), found.tolist(), strict=True))
    accuracy = (table.accuracy, constant.accuracy)
    return {"accuracy": accuracy} | {name: (value, f1[name]) for name, value in scheme_scores(run).items()}


def majority_text(run: Run) -> str:
    """One line: whether the run beats the majority baseline, in accuracy and under every scheme.

    >>> table = Outcome.from_columns(["a", "b", "b", "b"], ["a", "b", "b", "b"])
    >>> majority_text(Run.from_outcome(table, dataset="d", model="m"))
    "beats the majority baseline (always 'b', accuracy 75.00) in accuracy and under every scheme"
    """
    pairs = against_majority(run)
    always, accuracy = shown(majority_label(run)), 100 * pairs["accuracy"][1]
    said = f"the majority baseline (always {always}, accuracy {accuracy:.2f})"
    worse = [
        f"{name} {100 * ours:.2f} against {100 * theirs:.2f}"
        for name, (ours, theirs) in pairs.items()
        if not ours > theirs
    ]
    if worse:
        return f"does not beat {said}: {', '.join(worse)}"
    return f"beats {said} in accuracy and under every scheme"
