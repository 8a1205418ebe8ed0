"""How many samples of a test set would tell two systems apart?

Test sets of each size are drawn from the joint outcome of two systems, moved to the difference that is asked
for, and each is tested as `compare` tests: by the 95 % interval of a paired bootstrap.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from ..core import Label, naming_file, progress, shown
from ..data import read_label_columns
from ..metrics import ClassCounts, accuracy_samples, averages
from .compare import matched

TEST_SETS, REPLICATES, LEVEL = 400, 200, 0.05
SHARES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Sizes that are tried, as shares of what a normal distribution of the difference would need."""


@dataclass(frozen=True)
class Population:
    """Where test sets are drawn from: kinds of samples, and how often each occurs.

    Attributes
    ----------
    kinds : (K, 3) integers: the gold label and the labels that two systems predict, by place in `labels`.
    shares : (K,) of all samples; they add up to 1. labels : L of them. negative : is never averaged.
    """

    kinds: np.ndarray
    shares: np.ndarray
    labels: tuple[Label, ...]
    negative: Label | None = None

    @classmethod
    def from_columns(
        cls, gold: Sequence[Label], first: Sequence[Label], second: Sequence[Label], negative: Any = None
    ) -> Population:
        """The samples of one test set, each as often as it occurs there.

        >>> Population.from_columns(list("aab"), list("aab"), list("aaa")).shares.round(2).tolist()
        [0.67, 0.33]
        """
        labels, codes = np.unique(np.concatenate([gold, first, second]).astype(str), return_inverse=True)
        kinds, counts = np.unique(codes.reshape(3, -1).T, axis=0, return_counts=True)
        if negative is not None and negative not in labels:
            raise ValueError(f"the negative class {shown(negative)} occurs nowhere")
        return cls(kinds, counts / counts.sum(), tuple(labels.tolist()), negative)

    @property
    def discordant(self) -> float:
        """The share of samples on which exactly one of the two systems is right."""
        gold, first, second = self.kinds.T
        return float(self.shares[(first == gold) != (second == gold)].sum())

    def difference(
        self, scheme: str, counts: np.ndarray | None = None, whole: np.ndarray | None = None
    ) -> Any:
        """F1 of the first system minus that of the second under a scheme, a fraction; 'accuracy' is one, too.

        counts : (…, K), of drawn test sets; None: the shares. whole : (K,) of the test set whose gold labels
            say which classes are averaged.
        """
        counts = self.shares if counts is None else counts
        gold, first, second = self.kinds.T
        if scheme == "accuracy":
            return counts @ ((first == gold) * 1.0 - (second == gold)) / counts.sum(-1)
        classes = self._counts(counts if whole is None else whole, first)
        score = [
            averages(self._counts(counts, said), [scheme], classes_of=classes, negative=self.negative)[..., 0]
            for said in (first, second)
        ]
        return score[0] - score[1]

    def _counts(self, counts: np.ndarray, predicted: np.ndarray) -> ClassCounts:
        gold, each = self.kinds[:, 0], np.eye(len(self.labels))
        right = each[gold] * (predicted == gold)[:, np.newaxis]
        sums = (counts @ right, counts @ each[predicted], counts @ each[gold])
        return ClassCounts(*sums, counts.sum(-1), self.labels)

    def at_difference(self, scheme: str, difference: float) -> Population:
        """The same samples where the first system leads by `difference`, a positive fraction.

        On a share of the samples of each kind the two systems change places, so that they disagree as often
        as before. Raises ValueError for a difference that is larger than the one there is.
        """
        from scipy.optimize import brentq

        seen = float(self.difference(scheme))
        if abs(seen) < difference:
            have = f"under {scheme} the two systems differ by {100 * abs(seen):.2f} points"
            raise ValueError(f"{have}: a difference of {100 * difference:g} cannot be made of them")
        doubled = np.concatenate([self.kinds, self.kinds[:, [0, 2, 1]]])

        def mixed(share: float) -> Population:
            shares = np.concatenate([(1 - share) * self.shares, share * self.shares])
            return replace(self, kinds=doubled, shares=shares)

        return mixed(brentq(lambda share: mixed(share).difference(scheme) - difference, 0, 1))


def changed_answers(
    gold: Sequence[Label],
    predicted: Sequence[Label],
    scheme: str,
    difference: float,
    changed: float,
    negative: Label | None = None,
) -> Population:
    """A better system beside one that is there: it changes a share of the answers and leads by `difference`.

    The same share of the wrong answers of each class becomes right, and the same share of the right ones
    becomes wrong, as the system that is there errs on that class.

    Raises ValueError where so few, or so many, changed answers cannot make that difference.
    """
    from scipy.optimize import brentq

    alone = Population.from_columns(gold, predicted, predicted, negative)
    (label, said), shares = alone.kinds[:, :2].T, alone.shares
    right = label == said
    wrong = float(shares[~right].sum())
    if not wrong:
        raise ValueError("all answers are right: no system can be better")
    errors = _errors(label, said, np.where(right, 0, shares), len(alone.labels))
    classes, instead = np.nonzero(errors)
    of_class = np.bincount(label[right], shares[right], len(alone.labels))
    kept, mended_kinds = (label, said, said), (label[~right], label[~right], said[~right])
    kinds = np.concatenate([np.stack(part, 1) for part in (kept, mended_kinds, (classes, instead, classes))])

    def beside(mended: float) -> Population:
        broken = (changed - mended * wrong) / (1 - wrong)
        unchanged = shares * np.where(right, 1 - broken, 1 - mended)
        newly_wrong = broken * (of_class[:, np.newaxis] * errors)[classes, instead]
        return replace(
            alone, kinds=kinds, shares=np.concatenate([unchanged, mended * shares[~right], newly_wrong])
        )

    least, most = max(0.0, (changed - (1 - wrong)) / wrong), min(1.0, changed / wrong)
    ends = [float(beside(mended).difference(scheme)) for mended in (least, most)]
    if not ends[0] <= difference <= ends[1]:
        could = (
            f"changing {100 * changed:g} % of the answers makes a difference of at most {100 * ends[1]:.2f}"
        )
        raise ValueError(f"under {scheme} {could} points: {100 * difference:g} cannot be reached")
    return beside(brentq(lambda mended: float(beside(mended).difference(scheme)) - difference, least, most))


def _errors(label: np.ndarray, said: np.ndarray, shares: np.ndarray, size: int) -> np.ndarray:
    """(L, L) how the wrong answers of each class are spread; a class without any has those of all classes."""
    table = np.zeros((size, size))
    np.add.at(table, (label, said), shares)
    spread = np.where(table.sum(1, keepdims=True) > 0, table, table.sum(0) * (1 - np.eye(size)))
    return spread / np.maximum(spread.sum(1, keepdims=True), np.finfo(float).tiny)


@dataclass(frozen=True)
class SamplePlan:
    """How many samples tell two systems apart, and how likely each size is to.

    Attributes
    ----------
    scheme, difference, discordant, power : what was asked: the scheme, a fraction, the share of samples on
        which exactly one system is right, and the power. needed : samples, from the curve through `rows`.
    rows : (samples, power there, its standard error). by_formula : `accuracy_samples`, if of accuracy.
    """

    scheme: str
    difference: float
    discordant: float
    power: float
    needed: int
    rows: tuple[tuple[int, float, float], ...]
    by_formula: int | None


def plan_samples(
    population: Population,
    scheme: str = "macro",
    power: float = 0.8,
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
    population : of `Population.at_difference` or `changed_answers`. scheme : of F1, or 'accuracy'.
    test_sets, replicates : of each size; the standard error of a power p is √(p (1 − p) / test_sets).

    Raises ValueError where the first system does not lead, or for a power outside (0.05, 1).

    >>> gold, better, worse = ["a", "b"] * 50, ["a", "b"] * 50, ["a", "b"] * 40 + ["b", "a"] * 10
    >>> found = plan_samples(Population.from_columns(gold, better, worse), "accuracy", test_sets=100)
    >>> found.by_formula, found.needed < 80
    (37, True)
    """
    difference, rng = float(population.difference(scheme)), np.random.default_rng(seed)
    if not difference > 0:
        raise ValueError(f"under {scheme} the first system does not lead")
    by_formula = accuracy_samples(population.discordant, float(population.difference("accuracy")), power)
    normal, start = NormalDist(), 10_000
    spread = population.difference(scheme, rng.multinomial(start, population.shares, 1000)).std()
    about = start * (spread * (normal.inv_cdf(1 - LEVEL / 2) + normal.inv_cdf(power)) / difference) ** 2
    rows = []
    for share in progress(SHARES, desc=scheme, unit="size", leave=False):
        n = max(2, ceil(share * about))
        drawn = rng.multinomial(n, population.shares, test_sets)
        won = float(np.mean([_lowest(population, scheme, counts, rng, replicates) > 0 for counts in drawn]))
        rows.append((n, won, float(np.sqrt(won * (1 - won) / test_sets))))
    sizes, powers = np.array([row[:2] for row in rows]).T
    known = (powers > 0.02) & (powers < 0.99)
    slope, start_at = np.polyfit(np.sqrt(sizes[known]), [normal.inv_cdf(one) for one in powers[known]], 1)
    needed = ceil(((normal.inv_cdf(power) - start_at) / slope) ** 2)
    formula = by_formula if scheme == "accuracy" else None
    return SamplePlan(scheme, difference, population.discordant, power, needed, tuple(rows), formula)


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
    difference : between the two, a fraction. schemes : of F1, or 'accuracy'. power : wanted.
    reading : options of `read_predictions`.

    Raises ValueError for a difference that these systems cannot have, and as `compare_files`.
    """
    if (second is None) == (changed is None):
        raise ValueError("give a second file, or the share of changed answers, not both")
    paths = [first] if second is None else [first, second]
    columns = [read_label_columns(path, **reading).frame() for path in paths]
    plans = []
    if second is not None:
        columns[1] = matched(first, columns[0], second, columns[1])
    gold, predicted = columns[0]["gold"].astype(str).tolist(), columns[0]["predicted"].astype(str).tolist()
    other = columns[-1]["predicted"].astype(str).tolist()
    for scheme in schemes:
        with naming_file(first):
            if changed is None:
                whole = Population.from_columns(gold, predicted, other, negative)
                population = whole.at_difference(scheme, difference)
            else:
                population = changed_answers(gold, predicted, scheme, difference, changed, negative)
            plans.append(plan_samples(population, scheme, power, seed=seed))
    return plans


def plan_text(plans: Sequence[SamplePlan]) -> str:
    """What `plan` prints: the samples that each scheme needs, and the power at each size that was tried."""
    first = plans[0]
    lines = [
        f"samples to see a difference of {100 * first.difference:g} points with power {first.power:g}",
        "",
    ]
    width = max(len(plan.scheme) for plan in plans) + 2
    for plan in plans:
        formula = "" if plan.by_formula is None else f"   (McNemar's test: {plan.by_formula:,})"
        lines.append(f"{plan.scheme:<{width}}{plan.needed:>12,}{formula}")
    lines += ["", f"{'scheme':<{width}}{'samples':>12}{'power':>8}{'±':>7}"]
    for plan in plans:
        lines += [f"{plan.scheme:<{width}}{n:>12,}{won:>8.2f}{error:>7.2f}" for n, won, error in plan.rows]
    lines += ["", f"The two systems differ in being right on {100 * first.discordant:.1f} % of the samples."]
    return "\n".join(lines)


def _lowest(
    population: Population, scheme: str, counts: np.ndarray, rng: np.random.Generator, replicates: int
) -> float:
    """The lower end of the 95 % interval of the difference on one test set."""
    drawn = rng.multinomial(counts.sum(), counts / counts.sum(), replicates)
    return float(np.quantile(population.difference(scheme, drawn, counts), LEVEL / 2))
