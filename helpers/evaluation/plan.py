"""How many samples of a test set would tell two systems apart?

Test sets of each size are drawn from the joint outcome of two systems, moved to the difference that is asked
for, and each is tested as `compare` tests: by the 95 % interval of a paired bootstrap.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ..core import Label, naming_file, progress
from ..data import read_predictions
from ..metrics import ClassCounts, Outcome, average, paired_bootstrap
from .compare import matched
from .score import negative_hint

logger = logging.getLogger(__name__)
TEST_SETS, REPLICATES, LEVEL = 400, 200, 0.05
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Sizes that are tried, as shares of what a normal distribution of the difference would need."""


def _discordant(joint: Outcome) -> float:
    """The share of samples on which exactly one of the two systems is right.

    >>> round(_discordant(Outcome.from_columns(list("aab"), list("aab"), second=list("aaa"))), 2)
    0.33
    """
    gold, first, second = (joint.roles[role] for role in ("gold", "predicted", "second"))
    return float(joint.counts[(first == gold) != (second == gold)].sum() / joint.n)


def _lead(joint: Outcome, scheme: str, negative: Label | None = None) -> Any:
    """F1 of the first system minus that of the second under a scheme, a fraction; 'accuracy' is one, too.

    (...) for replicates, each over its own classes.

    >>> round(_lead(Outcome.from_columns(list("aab"), list("aab"), second=list("aaa")), "accuracy"), 2)
    0.33
    """
    return _score(joint, scheme, negative) - _score(joint.of("second"), scheme, negative)


def _score(table: Outcome, scheme: str, negative: Label | None, classes_of: ClassCounts | None = None) -> Any:
    if scheme == "accuracy":
        return table.accuracy
    return average(table, scheme, negative=negative, classes_of=classes_of)


def _at_difference(joint: Outcome, scheme: str, difference: float, negative: Label | None = None) -> Outcome:
    """The same samples where the first system leads by `difference`, a positive fraction.

    On a share of the samples of each kind the two systems change places, so that they disagree as often as
    before. Raises ValueError for a difference that is larger than the one there is.
    """
    from scipy.optimize import brentq

    seen = float(_lead(joint, scheme, negative))
    if abs(seen) < difference:
        have = f"under {scheme} the two systems differ by {100 * abs(seen):.2f} points"
        instead = "choose other schemes, or give one file and the share of changed answers"
        raise ValueError(f"{have}: a difference of {100 * difference:g} cannot be made of them; {instead}")
    turned, counts = {"gold": "gold", "predicted": "second", "second": "predicted"}, joint.counts / joint.n
    roles = {role: np.r_[joint.roles[role], joint.roles[other]] for role, other in turned.items()}

    def mixed(share: float) -> Outcome:
        return replace(joint, roles=roles, counts=np.r_[(1 - share) * counts, share * counts])

    return mixed(brentq(lambda share: _lead(mixed(share), scheme, negative) - difference, 0, 1))


def changed_answers(
    table: Outcome, scheme: str, difference: float, changed: float, negative: Label | None = None
) -> Outcome:
    """A better system beside one that is there: it changes a share of the answers and leads by `difference`.

    The same share of the wrong answers of each class becomes right, and the same share of the right ones
    becomes wrong, as the system that is there errs on that class.

    Raises ValueError where so few, or so many, changed answers cannot make that difference.
    """
    from scipy.optimize import brentq

    if not 0 < changed < 1:
        raise ValueError(f"the share of changed answers is {changed:g}: it must lie between 0 and 1")
    label, said, shares = table.roles["gold"], table.roles["predicted"], table.counts / table.n
    right = label == said
    wrong = float(shares[~right].sum())
    if not wrong:
        raise ValueError("all answers are right: no system can be better")
    errors = _errors(label, said, np.where(right, 0, shares), len(table.labels))
    classes, instead = np.nonzero(errors)
    of_class = np.bincount(label[right], shares[right], len(table.labels))
    # kept, mended, and newly wrong answers
    roles = {
        "gold": np.r_[label, label[~right], classes],
        "predicted": np.r_[said, label[~right], instead],
        "second": np.r_[said, said[~right], classes],
    }

    def beside(mended: float) -> Outcome:
        broken = (changed - mended * wrong) / (1 - wrong)
        unchanged = shares * np.where(right, 1 - broken, 1 - mended)
        newly_wrong = broken * (of_class[:, np.newaxis] * errors)[classes, instead]
        return replace(table, roles=roles, counts=np.r_[unchanged, mended * shares[~right], newly_wrong])

    least, most = max(0.0, (changed - (1 - wrong)) / wrong), min(1.0, changed / wrong)
    ends = [float(_lead(beside(mended), scheme, negative)) for mended in (least, most)]
    if not ends[0] <= difference <= ends[1]:
        makes = f"changing {100 * changed:g} % of the answers makes a difference of at most"
        at_most = f"{100 * ends[1]:.2f} points: {100 * difference:g} cannot be reached"
        raise ValueError(f"under {scheme} {makes} {at_most}")
    return beside(brentq(lambda mended: _lead(beside(mended), scheme, negative) - difference, least, most))


def _errors(label: np.ndarray, said: np.ndarray, shares: np.ndarray, size: int) -> np.ndarray:
    """(L, L) how the wrong answers of each class are spread; a class without any has those of all classes.

    >>> _errors(np.array([0, 0, 1]), np.array([1, 2, 0]), np.array([0.2, 0.1, 0.3]), 3).round(2).tolist()
    [[0.0, 0.67, 0.33], [1.0, 0.0, 0.0], [0.6, 0.4, 0.0]]
    """
    table = np.bincount(label * size + said, shares, size * size).reshape(size, size)
    spread = np.where(table.sum(1, keepdims=True) > 0, table, table.sum(0) * (1 - np.eye(size)))
    return spread / np.maximum(spread.sum(1, keepdims=True), np.finfo(float).tiny)


def _accuracy_samples(discordant: float, difference: float, power: float) -> int:
    """Samples that McNemar's test of two accuracies on one test set needs.

    n = (z_.975 √d + z_{power} √(d − δ²))² / δ², d the share of samples on which exactly one system is
    right (`discordant`), δ the difference of the accuracies, not 0. Source: Connor 1987.

    >>> _accuracy_samples(0.1, 0.01, 0.8)
    7847
    """
    z = NormalDist().inv_cdf
    root = z(1 - LEVEL / 2) * sqrt(discordant) + z(power) * sqrt(discordant - difference**2)
    return ceil(root**2 / difference**2)


class SamplePlan(NamedTuple):
    """How many samples tell two systems apart, and how likely each size is to.

    Attributes
    ----------
    scheme, difference, discordant, power : what was asked: the scheme, a fraction, the share of samples on
        which exactly one system is right, and the power. needed : samples, from the curve through `rows`.
    rows : (samples, power there, its standard error). by_formula : by McNemar's test, of accuracy, else None.
    """

    scheme: str
    difference: float
    discordant: float
    power: float
    needed: int
    rows: tuple[tuple[int, float, float], ...]
    by_formula: int | None


def plan_samples(
    population: Outcome,
    scheme: str = "macro",
    power: float = 0.8,
    negative: Label | None = None,
    *,
    test_sets: int = TEST_SETS,
    replicates: int = REPLICATES,
    seed: int = 1,
) -> SamplePlan:
    """How many samples two systems need, of a population in which the first one leads.

    Power is the share of the test sets of n samples, drawn from the population, in which the 95 % interval of
    the paired bootstrap lies above 0. The size for the power asked for is read off a line through the probits
    of the shares over √n, which is exact where the difference is normally distributed.

    Parameters
    ----------
    population : as of `changed_answers`; its counts are shares. scheme : of F1, or 'accuracy'. negative : the
        negative class.
    test_sets, replicates : of each size; the standard error of a power p is √(p (1 − p) / test_sets).

    Returns
    -------
    scheme, difference, discordant, power : what was asked: the scheme, a fraction, the share of samples on
        which exactly one system is right, and the power. needed : samples, from the curve through `rows`.
    rows : (samples, power there, its standard error). by_formula : by McNemar's test, of accuracy, else None.

    Raises ValueError where the first system does not lead, or for a power outside (0.05, 1).

    >>> gold, better, worse = ["a", "b"] * 50, ["a", "b"] * 50, ["a", "b"] * 40 + ["b", "a"] * 10
    >>> joint = Outcome.from_columns(gold, better, second=worse)
    >>> population = replace(joint, counts=joint.counts / joint.n)
    >>> plan = plan_samples(population, "accuracy", test_sets=100)
    >>> plan.by_formula, plan.needed, plan.rows[0][:2]
    (37, 26, (8, 0.16))
    """
    difference, rng = float(_lead(population, scheme, negative)), np.random.default_rng(seed)
    if not difference > 0:
        raise ValueError(f"under {scheme} the first system does not lead")
    if not LEVEL < power < 1:
        raise ValueError(f"power is {power:g}: it has to lie between {LEVEL:g} and 1, e.g. 0.8")
    differ, shares = _discordant(population), population.counts
    by_formula = _accuracy_samples(differ, difference, power) if scheme == "accuracy" else None
    normal, start = NormalDist(), 10_000
    drawn = replace(population, counts=rng.multinomial(start, shares, 1000))
    spread = _lead(drawn, scheme, negative).std()
    about = start * (spread * (normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(power)) / difference) ** 2
    rows = []
    for share in progress(SHARES, desc=scheme, unit="size", leave=False):
        n = max(2, ceil(share * about))
        won = 0
        for counts in rng.multinomial(n, shares, test_sets):
            joint = replace(population, counts=counts)
            statistic = partial(_score, scheme=scheme, negative=negative, classes_of=joint.per_class())
            won += paired_bootstrap(joint, joint.of("second"), statistic, rng, replicates).low > 0
        rows.append((n, won / test_sets, sqrt(won / test_sets * (1 - won / test_sets) / test_sets)))
    sizes, powers = np.array([row[:2] for row in rows]).T
    known = (powers > 0.02) & (powers < 0.99)
    probits = [normal.inv_cdf(share) for share in powers[known]]
    slope, start_at = np.polyfit(np.sqrt(sizes[known]), probits, 1)
    needed = ceil(((normal.inv_cdf(power) - start_at) / slope) ** 2)
    return SamplePlan(scheme, difference, differ, power, needed, tuple(rows), by_formula)


def plan_files(
    first: Path | str,
    second: Path | str | None = None,
    *,
    difference: float,
    schemes: Sequence[str] = ("micro", "weighted", "macro"),
    power: float = 0.8,
    changed: float | None = None,
    negative: str | None = None,
    seed: int = 1,
    **reading: Any,
) -> list[SamplePlan]:
    """How many samples a difference needs, from the files of two systems, or of one; a plan for each scheme.

    Parameters
    ----------
    first, second : prediction files as in `compare_files`; without `second`, `changed` is the share of the
        answers in which a better system differs (`changed_answers`).
    difference : between the two, a fraction. schemes : of F1, or 'accuracy'. power : wanted. negative : the
        negative class; None or "": none.
    reading : options of `read_predictions`.

    Raises ValueError for a difference that these systems cannot have, and as `compare_files`.
    """
    if (second is None) == (changed is None):
        raise ValueError("give a second file, or the share of changed answers, not both")
    if not difference > 0:
        raise ValueError(f"difference is {100 * difference:g}: a number of points above 0 is needed")
    own = read_predictions(first, **reading)
    other = own if second is None else matched(first, own, second, read_predictions(second, **reading))
    joint = Outcome.from_columns(own["gold"], own["predicted"], second=other["predicted"])
    hints = negative_hint(joint.labels) if negative is None else ()
    negative, plans = negative or None, []
    for scheme in schemes:
        with naming_file(first):
            if changed is None:
                population = _at_difference(joint, scheme, difference, negative)
            else:
                population = changed_answers(joint.of("predicted"), scheme, difference, changed, negative)
            plans.append(plan_samples(population, scheme, power, negative, seed=seed))
    for hint in hints:
        logger.warning("%s: %s", first, hint)
    return plans
