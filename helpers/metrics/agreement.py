"""Does a ranking hold under other weights, or without one class? Does a system know when it is right?

It draws no conclusions about significance (`significance`, `bootstrap`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping, Sequence
from itertools import combinations, compress, pairwise
from typing import Any

import numpy as np
import scipy  # its parts load when first asked for: importing this module stays quick

from ..core import Label
from .averaging import Counts, Policy, average, averages
from .outcome import Outcome
from .scores import Scheme, Schemes, power

ALPHAS = np.linspace(0, 1, 101)
"""From macro (0) over dodrans (0.75) to weighted (1)."""


def resampled_agreement(
    tables: Sequence[Outcome],
    rng: np.random.Generator,
    replicates: int,
    schemes: Schemes = None,
    **policy: Any,
) -> np.ndarray:
    """Kendall's τ_b between the ranking of M systems and their ranking on each bootstrap replicate.

    Each table is drawn by itself. Systems that were tested on the same samples move together in truth, so the
    ranking on another test set would agree better than this.

    Parameters
    ----------
    tables : one a system, M ≥ 2. schemes, policy : as in `averages`.

    Returns
    -------
    (replicates, S) τ; nan where all systems tie. ValueError for fewer than two systems. Of rankings under two
    schemes, a frame of scores has τ itself: `scores.corr("kendall")`.

    >>> tables = [Outcome.from_rows([(0, 0, n), (0, 1, 900 - n)], ("a", "b")) for n in (100, 500, 800)]
    >>> resampled_agreement(tables, np.random.default_rng(1), 50, ["micro"]).min().item()
    1.0
    """
    if len(tables) < 2:
        raise ValueError(f"there are {len(tables)} tables: a ranking is of at least two systems")
    observed = np.stack([averages(table, schemes, **policy) for table in tables], axis=1)
    drawn = [
        averages(table.resample(rng, replicates), schemes, classes_of=table, **policy) for table in tables
    ]
    kendall = scipy.stats.kendalltau
    taus = [
        [kendall(*pair).statistic for pair in zip(observed, replicate, strict=True)]
        for replicate in np.stack(drawn, axis=2)
    ]
    return np.array(taus)


def flips(first: Mapping[str, float], second: Mapping[str, float]) -> list[tuple[str, str]]:
    """Pairs (x, y) of systems, x better under the first scheme and y under the second; ties are no flips.

    Sorted by how far apart the pair is, both gaps multiplied, largest first. KeyError if a system has one
    score only.

    >>> flips({"a": 0.5, "b": 0.4, "c": 0.1}, {"a": 0.2, "b": 0.3, "c": 0.1})
    [('a', 'b')]
    """
    pairs = [(x, y) for x, y in combinations(first, 2) if (first[x] - first[y]) * (second[x] - second[y]) < 0]
    pairs.sort(key=lambda pair: (first[pair[0]] - first[pair[1]]) * (second[pair[0]] - second[pair[1]]))
    return [(x, y) if first[x] > first[y] else (y, x) for x, y in pairs]


def alpha_crossings(first: Counts, second: Counts, **policy: Any) -> list[float]:
    """The α at which two systems change places under n^α, in rising order; empty if one leads throughout.

    Sign changes are looked for between neighbours of the grid `ALPHAS` and then found to 1e-9; two crossings
    within one step of the grid cancel out and are missed.

    >>> first = Outcome.from_columns(list("aaaaaaaaaabb"), list("aaaaaaaaaaaa"))
    >>> second = Outcome.from_columns(list("aaaaaaaaaabb"), list("aaaaaabbbbbb"))
    >>> [round(alpha, 3) for alpha in alpha_crossings(first, second)]
    [0.712]
    """

    systems = first.per_class(), second.per_class()

    def lead(alpha: float) -> float:
        scores = [average(counts, power(alpha), **policy) for counts in systems]
        return scores[0] - scores[1]

    leads = [(alpha, lead(alpha)) for alpha in ALPHAS.tolist()]
    apart = [(alpha, gap) for alpha, gap in leads if gap]  # a tie on the grid is no change of places yet
    changes = [(a, b) for (a, here), (b, there) in pairwise(apart) if (here > 0) != (there > 0)]
    return [float(scipy.optimize.brentq(lead, a, b, xtol=1e-9)) for a, b in changes]


def leave_one_class_out(outcome: Counts, scheme: Scheme = "macro", **policy: Any) -> dict[Label, float]:
    """The average F1 without each averaged class in turn; its mistakes stay mistakes of the others.

    >>> leave_one_class_out(Outcome.from_columns(list("aab"), list("aaa")))
    {'a': 0.0, 'b': 0.8}
    >>> leave_one_class_out(Outcome.from_sets([[1, 0], [1, 1]], [[1, 0], [1, 0]], labels=["a", "b"]))
    {'a': 0.0, 'b': 1.0}
    """
    rules, counts = Policy.of(outcome, **policy), outcome.per_class()
    listed, averaged = ([*compress(counts.labels, chosen)] for chosen in rules.choose(counts))
    # labels without gold samples stay in the list: under micro their false alarms count in any case
    names = listed if rules.zero_support == "skip" else averaged
    lists = {out: [name for name in names if name != out] for out in averaged}
    return {out: average(counts, scheme, **vars(rules) | {"labels": rest}) for out, rest in lists.items()}


Calibration = namedtuple("Calibration", "bins ece")
"""What `calibration` gives."""


def calibration(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> Calibration:
    """Reliability bins and expected calibration error of stated confidences.

    Parameters
    ----------
    confidence : (n,) how sure the system says that it is, fractions. right : (n,) whether its answer is
        right. bins : of equal width.

    Returns
    -------
    bins : a frame, one row a bin: low, high (it is (low, high]; the first one holds 0, too), n, confidence
        and accuracy: the means, nan where a bin is empty.
    ece : expected calibration error Σ n_b / n · |accuracy_b − confidence_b|; empty bins add 0.

    Source: Guo, Pleiss, Sun and Weinberger 2017, *On Calibration of Modern Neural Networks*, Eq. 2 to 5.

    Raises ValueError for no answer, columns of different length, a confidence outside [0, 1] or missing (with
    its place), and fewer than one bin.

    >>> sure = calibration([0.9, 0.8, 0.85, 0.3], [True, False, True, False], bins=2)
    >>> round(sure.ece, 4), sure.bins["n"].tolist(), sure.bins["accuracy"].round(4).tolist()
    (0.2125, [1, 3], [0.0, 0.6667])
    """
    import pandas as pd

    stated, hits = np.asarray(confidence, dtype=float), np.asarray(right, dtype=bool)
    if stated.shape != hits.shape or stated.ndim != 1 or not len(stated):
        shapes = f"confidence has shape {stated.shape}, right {hits.shape}"
        raise ValueError(f"{shapes}: two columns of one length are needed, at least 1")
    if bins < 1:
        raise ValueError(f"bins is {bins}: at least 1 is needed")
    outside = ~((stated >= 0) & (stated <= 1))
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"confidence[{row}] is {stated[row]:g}: a fraction from 0 to 1 is needed")
    ends = np.arange(bins + 1) / bins
    bin_of = np.digitize(stated, ends[1:-1], right=True)
    counts = np.bincount(bin_of, minlength=bins)
    with np.errstate(invalid="ignore"):
        sure, accuracy = (np.bincount(bin_of, values, bins) / counts for values in (stated, hits))
    columns = {"low": ends[:-1], "high": ends[1:], "n": counts, "confidence": sure, "accuracy": accuracy}
    ece = np.nansum(counts * np.abs(accuracy - sure)) / len(stated)
    return Calibration(pd.DataFrame(columns), float(ece))
