"""What an evaluation gains that knows the negative samples: the leak of RECENT, as a function of the table.

RECENT (Lyu and Chen 2021) decides in two steps, and its released evaluation looks up the second step's answer
in files that hold positive gold samples only; a false alarm of the first step is not found there and counts
as the negative class. So no negative sample is ever predicted positive. On the table of counts that is: the
row of the negative class moves to its diagonal.
"""

from __future__ import annotations

from dataclasses import replace

from helpers.core import Label

from .counts import Confusion, positions


def leaked(confusion: Confusion, negative: Label) -> Confusion:
    """The outcome if every sample of the negative class had been predicted as it: its false alarms vanish.

    Parameters
    ----------
    confusion : counts (..., L, L), of any system. negative : the negative class.

    Returns
    -------
    The same table, in the row of `negative` all samples in the column of `negative`. Recall of every positive
    class stays, its precision can only rise, so no scheme falls.

    Raises ValueError if `negative` is none of the labels.

    >>> table = Confusion.from_arrays(gold=["NA", "NA", "a"], predicted=["a", "NA", "NA"])
    >>> leaked(table, "NA").counts.tolist()
    [[2, 0], [1, 0]]
    """
    row = positions([negative], confusion.labels, "negative")[0]
    counts = confusion.counts.copy()
    counts[..., row, :] = 0
    counts[..., row, row] = confusion.gold[..., row]
    return replace(confusion, counts=counts)
