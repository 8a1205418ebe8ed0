"""Paper W, Table 1 (Harbecke et al. 2022): sizes, shares, perplexities and ratios of the corpora.

Some cells follow from other printed cells: perplexities with and without the negative class are linked by its
share of the test set, the undirected SemEval row by the directed one, sizes by those in papers R and D. The
others follow only from label counts, which `results/published/label_counts.csv` holds where they are public.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import log2

import pandas as pd
from scipy.stats import entropy

from ..published import Cell, Interval, find_cell
from .direction import Tables, sample_count
from .intervals import corners, difference, negative_share, overlap, whole_numbers
from .label_counts import TOTAL, LabelCounts, negative_percent, positive
from .verdicts import CONSISTENT, INCONSISTENT, Check, check, compare

PLACE = ("W", "Table 1")
Stated = list[tuple[str, Interval]]
"""What is published elsewhere about one number: text and interval."""


def perplexity(counts: list[int]) -> float:
    """2^H of the class distribution; between 1 and the number of classes.

    >>> round(perplexity([5, 5, 5, 5]), 9)
    4.0
    """
    return float(2 ** entropy(counts, base=2))


def statistics(counts: LabelCounts, dataset: str) -> dict[str, float]:
    """The numbers of a row of Table 1 that label counts give: the first three of all splits, the others of
    the test set.

    >>> frame = pd.DataFrame({"dataset": "nyt24", "split": "test", "label": ["a", "b"], "count": [3, 1]})
    >>> statistics(LabelCounts(frame), "nyt24")["ratio"]
    3.0
    """
    whole, test = counts.whole(dataset), counts.test(dataset)
    known: dict[str, float] = {}
    if whole:
        known["samples"] = sum(whole.values())
    if whole and TOTAL not in whole:
        known |= {"labels": len(whole), "negative_share": negative_percent(dataset, whole)}
    if test:
        held = positive(dataset, test)
        known["perplexity"] = perplexity(list(test.values()))
        known["perplexity_without_negative"] = perplexity(held)
        known["ratio"] = max(held) / min(held)
    return known


def from_label_counts(get: partial, counts: LabelCounts, dataset: str) -> Iterator[Check]:
    """Every number of a row of Table 1 against label counts."""
    known = statistics(counts, dataset)
    for metric in (
        "labels",
        "samples",
        "negative_share",
        "perplexity",
        "perplexity_without_negative",
        "ratio",
    ):
        cell, claim = get(dataset=dataset, metric=metric), f"{dataset}: {metric} from label counts"
        if metric in known:
            yield compare(cell, claim, (known[metric], known[metric]), ("label counts",))
        else:
            yield compare(cell, claim, None, note="no label counts that cover it are at hand")


def row_bounds(get: partial, dataset: str) -> Iterator[Check]:
    """Inside one row: perplexity is at most #Rel, and both agree where no sample is negative."""
    labels, share = get(dataset=dataset, metric="labels"), get(dataset=dataset, metric="negative_share")
    both = get(dataset=dataset, metric="perplexity")
    without = get(dataset=dataset, metric="perplexity_without_negative")
    classes = labels.value
    claim, limit = f"{dataset}: perplexity <= #Rel", (1.0, classes)
    yield check(both, claim, f"<= {classes:g}", limit, both.interval, (both, labels))
    claim, limit = f"{dataset}: perplexity w/o NA <= #Rel - 1", (1.0, classes - 1)
    if share.value > 0:
        yield check(without, claim, f"<= {classes - 1:g}", limit, without.interval, (without, labels))
    else:
        claim = f"{dataset}: without negative samples both perplexities are equal"
        yield compare(both, claim, (without.value, without.value), (without, share))


def linked_perplexities(get: partial, dataset: str, stated: Stated) -> Iterator[Check]:
    """The share q of negatives in the test set from both perplexities, against what is stated about it."""
    cells = [get(dataset=dataset, metric=metric) for metric in ("perplexity", "perplexity_without_negative")]
    shares = [(100 * low, 100 * high) for low, high in negative_share(*(cell.interval for cell in cells))]
    text = " or ".join(f"{low:.2f} to {high:.2f}" for low, high in shares)
    claim = f"{dataset}: some share of negative samples links both perplexities"
    verdict, (low, high) = (CONSISTENT, shares[-1]) if shares else (INCONSISTENT, (None, None))
    inputs, note = "; ".join(map(str, cells)), f"share in per cent: {text or 'none'}"
    yield Check(*PLACE, claim, "both perplexities", low, high, verdict, inputs, note)
    yield from against_stated(f"{dataset}: share of negative samples in the test set", stated, shares, cells)


def against_stated(
    claim: str, stated: Stated, derived: list[Interval], inputs: list[Cell]
) -> Iterator[Check]:
    """A check for each statement (or one that says there is none), with the derived interval that fits."""
    last = derived[-1] if derived else None
    for published, claimed in stated:
        fitting = next((one for one in derived if overlap(one, claimed)), last)
        yield check(PLACE, claim, published, claimed, fitting, tuple(inputs))
    if not stated:
        yield check(PLACE, claim, "", None, last, tuple(inputs), "nothing printed to compare it with")


def test_shares(published: pd.DataFrame, counts: LabelCounts, dataset: str) -> Stated:
    """What is published about the share of negative samples in a test set: label counts, and papers R and D.

    Paper R prints the number of SemEval test samples; its PPRs tell how many of them are not Other.
    """
    stated: Stated = []
    test = counts.test(dataset)
    if test:
        share = negative_percent(dataset, test)
        stated.append((f"{share:.2f} by label counts", (share, share)))
    if dataset.startswith("semeval"):
        tables = Tables(published)
        share = 100 * (1 - sample_count(tables)[0] / tables.prose("test_samples").value)
        stated.append((f"{share:.2f} by the PPRs of paper R", (share, share)))
    if dataset == "nyt10":
        cell = find_cell(published, paper="D", metric="negative_share", statistic="test")
        stated.append((f"{cell.printed} in paper D, Table 1", cell.interval))
    return stated


def merged_directions(get: partial, stated: Stated) -> Iterator[Check]:
    """SemEval with and without direction: telling two directions apart adds at most one bit.

    H with direction − H without is (1 − q) times the same difference of the positive classes, q the share of
    Other; so the four perplexities give q. An enclosure by `corners`: the quotient rises with the one
    difference, falls with the other.
    """
    metrics = ("perplexity", "perplexity_without_negative")
    directed = [get(dataset="semeval2010", metric=metric) for metric in metrics]
    undirected = [get(dataset="semeval2010-undirected", metric=metric) for metric in metrics]
    pairs = list(zip(directed, undirected, strict=True))
    bits = [difference(_log2(source.interval), _log2(cell.interval)) for source, cell in pairs]
    for added, (source, cell) in zip(bits, pairs, strict=True):
        claim = f"{cell.name}: direction adds at most 1 bit"
        yield check(cell, claim, "0 to 1", (0.0, 1.0), added, (source, cell))
    share = corners(lambda both, positives: 100 * (1 - both / positives), *bits)
    claim = "semeval2010: share of Other in the test set from all four perplexities"
    yield from against_stated(claim, stated, [share], [*directed, *undirected])
    for metric in ("samples", "negative_share"):
        one = get(dataset="semeval2010", metric=metric)
        other = get(dataset="semeval2010-undirected", metric=metric)
        yield compare(other, f"{other.name}: does not depend on direction", (one.value, one.value), (one,))


def _log2(interval: Interval) -> Interval:
    return log2(interval[0]), log2(interval[1])


def riedel(published: pd.DataFrame, get: partial) -> Iterator[Check]:
    """NYT of Riedel et al.: sizes and shares as paper D prints them (Gao et al. 2021, Table 1)."""
    line = partial(find_cell, published, paper="D", item="Table 1")
    labels, printed = line(metric="labels"), get(dataset="nyt10", metric="labels")
    train, test = (line(metric="sentences", statistic=split) for split in ("train", "test"))
    shares = [line(metric="negative_share", statistic=split) for split in ("train", "test")]
    yield compare(printed, "nyt10: #Rel of paper D", (labels.value, labels.value), (labels,))
    total = train.value + test.value
    note = "two copies of the training set: with 522,043 sentences it would fit"
    size = get(dataset="nyt10", metric="samples")
    yield compare(size, "nyt10: size = train + test of paper D", (total, total), (train, test), note)
    mean = corners(lambda a, b: (a * train.value + b * test.value) / total, *(one.interval for one in shares))
    share = get(dataset="nyt10", metric="negative_share")
    yield compare(share, "nyt10: %NA from the shares of paper D", mean, (train, test, *shares))


def positive_sentences(published: pd.DataFrame) -> tuple[int, int] | None:
    """NYT of Riedel et al.: how many test sentences are positive, from both perplexities and paper D's size.

    None if the perplexities fit no share of negative samples.

    >>> from helpers.reporting.published import load_published
    >>> positive_sentences(load_published())
    (6399, 6656)
    """
    get = partial(find_cell, published, paper="W", item="Table 1", dataset="nyt10")
    both, without = get(metric="perplexity"), get(metric="perplexity_without_negative")
    shares = negative_share(both.interval, without.interval)
    size = find_cell(published, paper="D", item="Table 1", metric="sentences", statistic="test").value
    return whole_numbers((size * (1 - shares[-1][1]), size * (1 - shares[-1][0]))) if shares else None


def audit_statistics(published: pd.DataFrame, label_counts: pd.DataFrame | None = None) -> list[Check]:
    """All checks of paper W's Table 1, in order.

    >>> from helpers.reporting.published import load_published
    >>> audit_statistics(load_published())[0].verdict
    'not derivable'
    """
    get, counts = partial(find_cell, published, paper="W", item="Table 1"), LabelCounts(label_counts)
    table = published[published["paper"].eq("W") & published["item"].eq("Table 1")]
    datasets = list(dict.fromkeys(table["dataset"]))
    checks = [one for dataset in datasets for one in from_label_counts(get, counts, dataset)]
    checks += [one for dataset in datasets for one in row_bounds(get, dataset)]
    for dataset in ("tacred", "nyt10", "semeval2010", "semeval2010-undirected"):
        checks += linked_perplexities(get, dataset, test_shares(published, counts, dataset))
    checks += merged_directions(get, test_shares(published, counts, "semeval2010"))
    return checks + [*riedel(published, get)]
