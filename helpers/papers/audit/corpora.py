"""Paper W on the corpora (Harbecke et al. 2022): Table 1, and what Section 1, Figure 1 and Section 3.1 say.

Some cells of Table 1 follow from other printed cells: perplexities with and without the negative class are
linked by its share of the test set, the undirected SemEval row by the directed one, sizes by those in papers
R and D. The others follow only from label counts, which `results/published/label_counts.csv` holds where they
are public. The bars of Figure 1 carry no printed numbers; the weights are recomputed for TACRED.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import ceil, floor, log2

import numpy as np
import pandas as pd

from ...core import base_relation
from ...data import TOTAL, find_dataset, label_statistics
from ...metrics import class_weights
from ...reporting import Cell, Range, find_cell
from .direction import DirectionTables, sample_count
from .intervals import (
    CONSISTENT,
    INCONSISTENT,
    Check,
    Known,
    check,
    compare,
    corners,
    difference,
    ends,
    negative_share,
    ordered,
    overlap,
)

Counts = dict[str, int]
Stated = list[tuple[str, Known]]
"""What is published elsewhere about one number: text and range."""
_TABLE_1, _SECTION_1 = ("W", "Table 1"), ("W", "Section 1")
_PERPLEXITIES = ("perplexity", "perplexity_without_negative")
_OF_WHOLE, _OF_TEST = ("labels", "samples", "negative_share"), (*_PERPLEXITIES, "ratio")
_UNDIRECTED = "semeval2010-undirected"
_UNPRINTED = "nothing printed to compare it with"


class StatisticsTable:
    """What is printed about the corpora of Table 1, `table("tacred", "ratio")`, and their label counts.

    published : `load_published()`. counts : label counts, columns dataset, split, label and count.
    """

    def __init__(self, published: pd.DataFrame, counts: pd.DataFrame) -> None:
        self.published = published
        of_table_1 = published["paper"].eq("W") & published["item"].eq("Table 1")
        self.datasets = list(dict.fromkeys(published.loc[of_table_1, "dataset"]))
        parts = counts.groupby(["dataset", "split"], sort=False)[["label", "count"]]
        self.counts = {key: part.to_numpy().tolist() for key, part in parts}

    def __call__(
        self, dataset: str, metric: str, paper: str = "W", item: str = "Table 1", **where: str
    ) -> Cell:
        """One printed number; ValueError if there is none."""
        return find_cell(self.published, paper=paper, item=item, dataset=dataset, metric=metric, **where)

    def split(self, dataset: str, split: str = "test") -> Counts:
        """Counts of one split; {} if unknown. Undirected SemEval: the directed labels, merged."""
        name, counts = find_dataset(dataset).counted_name, Counter()
        for label, count in self.counts.get((name, split), []):
            counts[label if name == dataset else base_relation(label)] += count
        return dict(counts)

    def positive(self, dataset: str) -> list[int]:
        """Counts of the labels that occur in the test set, without the negative one; [] if unknown."""
        negative = find_dataset(dataset).negative
        return [count for label, count in self.split(dataset).items() if count and label != negative]

    def statistics(self, dataset: str) -> dict[str, float]:
        """The numbers of a row of Table 1 that label counts give: size and share in per cent of all splits,
        the others of the test set."""
        about, known = find_dataset(dataset), {}
        parts = [self.split(dataset, split) for split in about.whole]
        if parts and all(parts):
            whole = dict(sum(map(Counter, parts), Counter()))
            known["samples"] = sum(whole.values())
            if TOTAL not in whole:
                measured = label_statistics(whole, about.negative).to_dict()
                known |= {name: measured[name] for name in _OF_WHOLE}
                known["negative_share"] *= 100
        if test := self.split(dataset):
            measured = label_statistics(test, about.negative).to_dict()
            known |= {name: measured[name] for name in _OF_TEST}
        return known


def _row(table: StatisticsTable, dataset: str) -> Iterator[Check]:
    """Every number of a row of Table 1 against label counts."""
    known, unknown = table.statistics(dataset), "no label counts that cover it are at hand"
    for metric in (*_OF_WHOLE, *_OF_TEST):
        inputs, note = (("label counts",), "") if metric in known else ((), unknown)
        claim = f"{dataset}: {metric} from label counts"
        yield compare(table(dataset, metric), claim, known.get(metric), inputs, note)


def _row_bounds(table: StatisticsTable, dataset: str) -> Iterator[Check]:
    """Inside one row: perplexity is at most #Rel, and both agree where no sample is negative."""
    names = ("labels", "negative_share", *_PERPLEXITIES)
    labels, share, both, without = (table(dataset, name) for name in names)
    bounds = [(both, "<= #Rel", labels.value), (without, "w/o NA <= #Rel - 1", labels.value - 1)]
    for cell, text, most in bounds if share.value > 0 else bounds[:1]:
        claim = f"{dataset}: perplexity {text}"
        yield check(cell, claim, f"<= {most:g}", (1.0, most), cell, (cell, labels))
    if not share.value > 0:
        claim = f"{dataset}: without negative samples both perplexities are equal"
        yield compare(both, claim, without.value, (without, share))


def _linked_perplexities(table: StatisticsTable, dataset: str) -> Iterator[Check]:
    """The share q of negatives in the test set from both perplexities, against what is stated about it."""
    cells = [table(dataset, metric) for metric in _PERPLEXITIES]
    shares = [(100 * low, 100 * high) for low, high in negative_share(*cells)]
    text = " or ".join(f"{low:.2f} to {high:.2f}" for low, high in shares)
    claim = f"{dataset}: some share of negative samples links both perplexities"
    verdict, (low, high) = (CONSISTENT, shares[-1]) if shares else (INCONSISTENT, (None, None))
    inputs, note = "; ".join(map(str, cells)), f"share in per cent: {text or 'none'}"
    yield Check(*_TABLE_1, claim, "both perplexities", low, high, verdict, inputs, note)
    claim = f"{dataset}: share of negative samples in the test set"
    yield from _against_stated(claim, _stated_shares(table, dataset), shares, cells)


def _against_stated(
    claim: str, stated: Stated, derived: list[Range], inputs: Iterable[Cell]
) -> Iterator[Check]:
    """A check for each statement (or one that says there is none), with the derived range that fits."""
    last = derived[-1] if derived else None
    for published, claimed in stated:
        fitting = next((interval for interval in derived if overlap(interval, ends(claimed))), last)
        yield check(_TABLE_1, claim, published, claimed, fitting, inputs)
    if not stated:
        yield check(_TABLE_1, claim, "", None, last, inputs, _UNPRINTED)


def _stated_shares(table: StatisticsTable, dataset: str) -> Stated:
    """What is published about the share of negative samples in a test set: label counts, and papers R and D.

    Paper R prints the number of SemEval test samples; its PPRs tell how many of them are not Other.
    """
    stated: Stated = []
    if test := table.split(dataset):
        share = 100 * test.get(find_dataset(dataset).negative, 0) / sum(test.values())
        stated.append((f"{share:.2f} by label counts", share))
    if dataset.startswith("semeval"):
        tables = DirectionTables(table.published)
        share = 100 * (1 - sample_count(tables)[0] / tables.prose("test_samples").value)
        stated.append((f"{share:.2f} by the PPRs of paper R", share))
    if dataset == "nyt10":
        cell = table(dataset, "negative_share", "D", statistic="test")
        stated.append((f"{cell.printed} in paper D, Table 1", cell))
    return stated


def _merged_directions(table: StatisticsTable) -> Iterator[Check]:
    """SemEval with and without direction: telling two directions apart adds at most one bit.

    H with direction − H without is (1 − q) times the same difference of the positive classes, q the share of
    Other; so the four perplexities give q. An enclosure by `corners`: the quotient rises with the one
    difference, falls with the other.
    """
    pairs = [[table(name, metric) for name in ("semeval2010", _UNDIRECTED)] for metric in _PERPLEXITIES]
    bits = []
    for source, cell in pairs:
        bits.append(difference(corners(log2, source), corners(log2, cell)))
        claim = f"{cell.name}: direction adds at most 1 bit"
        yield check(cell, claim, "0 to 1", (0.0, 1.0), bits[-1], (source, cell))
    share = corners(lambda both, positives: 100 * (1 - both / positives), *bits)
    claim = "semeval2010: share of Other in the test set from all four perplexities"
    inputs = [cell for column in zip(*pairs, strict=True) for cell in column]
    yield from _against_stated(claim, _stated_shares(table, "semeval2010"), [share], inputs)
    for metric in ("samples", "negative_share"):
        first, second = table("semeval2010", metric), table(_UNDIRECTED, metric)
        yield compare(second, f"{second.name}: does not depend on direction", first.value, (first,))


def _riedel(table: StatisticsTable) -> Iterator[Check]:
    """NYT of Riedel et al.: sizes and shares as paper D prints them."""
    labels = table("nyt10", "labels", "D")
    (train, test), shares = (
        [table("nyt10", metric, "D", statistic=split) for split in ("train", "test")]
        for metric in ("sentences", "negative_share")
    )
    yield compare(table("nyt10", "labels"), "nyt10: #Rel of paper D", labels.value, (labels,))
    total = train.value + test.value
    note = "two copies of the training set: with 522,043 sentences it would fit"
    yield compare(
        table("nyt10", "samples"), "nyt10: size = train + test of paper D", total, (train, test), note
    )
    mean = corners(lambda a, b: (a * train.value + b * test.value) / total, *shares)
    claim = "nyt10: %NA from the shares of paper D"
    yield compare(table("nyt10", "negative_share"), claim, mean, (train, test, *shares))


def positive_sentences(published: pd.DataFrame) -> tuple[int, int] | None:
    """NYT of Riedel et al.: how many test sentences are positive, from both perplexities and paper D's size.

    None if the perplexities fit no share of negative samples.

    >>> from helpers.reporting import load_published
    >>> positive_sentences(load_published())
    (6399, 6656)
    """
    of_nyt = {"item": "Table 1", "dataset": "nyt10"}
    both = (find_cell(published, paper="W", metric=metric, **of_nyt) for metric in _PERPLEXITIES)
    shares = negative_share(*both)
    size = find_cell(published, paper="D", metric="sentences", statistic="test", **of_nyt).value
    return (ceil(size * (1 - shares[-1][1])), floor(size * (1 - shares[-1][0]))) if shares else None


def _skewed_corpora(table: StatisticsTable) -> Iterator[Check]:
    """Mostly negative (TACRED, NYT); a large ratio and a perplexity far below #Rel (all but SemEval)."""
    for dataset in ("tacred", "nyt10"):
        share, claim = table(dataset, "negative_share"), f"{dataset} is predominantly negative"
        yield check(_SECTION_1, claim, "> 50", (50.0, 100.0), share, (share,))
    others = [dataset for dataset in table.datasets if dataset != _UNDIRECTED]
    flat = table(_UNDIRECTED, "ratio")
    for dataset in others:
        ratio = table(dataset, "ratio")
        claim = f"{dataset}: the ratio is larger than that of undirected SemEval"
        yield ordered(_SECTION_1, claim, flat, ratio, (ratio, flat))
    cells = {name: [table(name, metric) for metric in ("perplexity", "labels")] for name in table.datasets}
    evenness = {  # 1 for a balanced test set
        name: tuple(end / classes.value for end in both.interval) for name, (both, classes) in cells.items()
    }
    least = min(low for dataset, (low, _) in evenness.items() if dataset.startswith("semeval"))
    for dataset in others:
        if dataset != "semeval2010":
            claim, below = f"{dataset}: perplexity / #Rel is below that of SemEval", (0.0, least)
            yield check(_SECTION_1, claim, f"< {least:.3f}", below, evenness[dataset], cells[dataset])


def _largest_relation(table: StatisticsTable) -> Iterator[Check]:
    """NYT: 'the most frequent relation is assigned to 48.3% of the positive test instances'.

    The largest class is ratio × the smallest, a whole number from 1; the number of positive test sentences
    follows from the perplexities (`positive_sentences`). An enclosure by `corners`: the share rises with the
    ratio, falls with the number.
    """
    *both, ratio = (table("nyt10", name) for name in _OF_TEST)
    size = table("nyt10", "sentences", "D", statistic="test")
    stated = table("nyt10", "largest_positive_share", item="Section 1")
    count = positive_sentences(table.published)
    claim = "nyt10: number of positive test sentences"
    yield check(_TABLE_1, claim, "", None, count, (*both, size), _UNPRINTED)
    derived, note = None, "the perplexities fit no share of negative samples"
    if count is not None:
        once, twice = (corners(lambda r, n, least=m: 100 * least * r / n, ratio, count) for m in (1, 2))
        derived = twice if overlap(twice, stated.interval) else once
        note = f"if the least frequent relation occurs once; {twice[0]:.1f} or more if twice (by sentences)"
    claim = "nyt10: share of the most frequent relation among positive test sentences"
    yield compare(stated, claim, derived, (*both, ratio, size), note)


def _rest(table: StatisticsTable) -> Iterator[Check]:
    """NYT: '58% of the relations have fewer than 100 training instances'. Figure 1's caption: 12,184 negative
    samples; dodrans and entropy weights between weighted and macro. Section 3.1: one test sample of
    Entity-Destination(e2,e1). Table 4: 19 classes, as in Table 1."""
    rare = table("nyt10", "relations_below_100_training_instances", item="Section 1")
    claim = "nyt10: share of relations with fewer than 100 training instances"
    yield compare(rare, claim, None, (), "no counts by relation are printed")
    negatives = table("tacred", "negative_samples", item="Figure 1 caption")
    yield _counted(table, negatives, "tacred: negative test samples", find_dataset("tacred").negative)
    for scheme in ("dodrans", "entropy"):
        claim = f"tacred: {scheme} weights lie between weighted and macro, class by class"
        if test := table.split("tacred"):
            inside, n, note = _between(scheme, table.positive("tacred"), sum(test.values()))
            yield check(negatives, claim, f"{n} classes", n, inside, ("label counts",), note)
        else:
            yield check(negatives, claim, "all classes", None, None)
    relation = "Entity-Destination(e2,e1)"
    single = table("semeval2010", relation, item="Section 3.1")
    yield _counted(table, single, f"semeval2010: test samples of {relation}", relation)
    classes, labels = table("semeval2010", "labels", item="Table 4 caption"), table("semeval2010", "labels")
    yield compare(classes, "semeval2010: classes as in Table 1", labels.value, (labels,))


def _counted(table: StatisticsTable, cell: Cell, claim: str, label: str) -> Check:
    """A stated number of test samples of a label against the label counts."""
    test = table.split(claim.partition(":")[0])
    return compare(cell, claim, test.get(label, 0) if test else None, ("label counts",) if test else ())


def _between(scheme: str, support: list[int], total: int) -> tuple[int, int, str]:
    """For how many of the classes is the weight between those of weighted and macro? And how far do the
    weights reach?

    >>> _between("dodrans", [16, 1], 17)
    (2, 2, 'largest / smallest weight: weighted 16, dodrans 8, macro 1')
    """
    weights = {name: class_weights(np.array(support), name, total) for name in ("weighted", scheme, "macro")}
    low, high = np.sort([weights["weighted"], weights["macro"]], axis=0)
    inside = (low <= weights[scheme]) & (weights[scheme] <= high)
    reach = ", ".join(f"{name} {values.max() / values.min():.0f}" for name, values in weights.items())
    return int(inside.sum()), len(support), f"largest / smallest weight: {reach}"


def audit_corpora(table: StatisticsTable) -> list[Check]:
    """All checks of paper W's Table 1, then of its text about the corpora, in order."""
    checks = [claim for rows in (_row, _row_bounds) for name in table.datasets for claim in rows(table, name)]
    for dataset in ("tacred", "nyt10", "semeval2010", _UNDIRECTED):
        checks += _linked_perplexities(table, dataset)
    for part in (_merged_directions, _riedel, _skewed_corpora, _largest_relation, _rest):
        checks += part(table)
    return checks
