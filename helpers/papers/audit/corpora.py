"""The public label counts that some printed numbers follow from; this module only reads and adds them up.

Paper W, Table 1 (Harbecke et al. 2022): sizes, shares, perplexities and ratios of the corpora.

Some cells follow from other printed cells: perplexities with and without the negative class are linked by its
share of the test set, the undirected SemEval row by the directed one, sizes by those in papers R and D. The
others follow only from label counts, which `results/published/label_counts.csv` holds where they are public.

Paper W, what the text says about the corpora (Harbecke et al. 2022): Section 1, Figure 1, Section 3.1.

Weights are recomputed from the label counts of the TACRED test set; the bars of Figure 1 carry no printed
numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import log2
from pathlib import Path

import numpy as np
import pandas as pd

from helpers.data import TOTAL, datasets, perplexity
from helpers.metrics import class_weights
from helpers.reporting import PUBLISHED_FOLDER, Cell, Range, find_cell

from .direction import DirectionTables, sample_count
from .intervals import (
    ABOVE_ZERO,
    CONSISTENT,
    INCONSISTENT,
    Check,
    check,
    compare,
    corners,
    difference,
    negative_share,
    overlap,
    whole_numbers,
)

Counts = dict[str, int]
NEEDED = ("dataset", "split", "label", "count")
NEGATIVE = {one.name: one.negative for one in datasets().values()}
SPLITS = {one.name: one.whole for one in datasets().values()}
"""The splits that make up a whole corpus."""


def load_label_counts(path: Path | str = PUBLISHED_FOLDER / "label_counts.csv") -> pd.DataFrame | None:
    """The public label counts (columns dataset, split, label, count, perhaps more); None if there is no such
    file.

    >>> load_label_counts("no-such-file.csv") is None
    True
    """
    return pd.read_csv(path, keep_default_na=False) if Path(path).is_file() else None


class CorpusCounts:
    """Label counts by data set and split, from a frame with the columns `NEEDED` (or from none).

    Raises ValueError if a column is missing.

    >>> frame = pd.DataFrame([["tacred", "test", "no_relation", 12184]], columns=NEEDED)
    >>> counts = CorpusCounts(frame)
    >>> counts.test("tacred"), counts.test("nyt10")
    ({'no_relation': 12184}, None)
    """

    def __init__(self, frame: pd.DataFrame | None) -> None:
        self.frame = pd.DataFrame(columns=list(NEEDED)) if frame is None else frame
        missing = [column for column in NEEDED if column not in self.frame]
        if missing:
            raise ValueError(
                f"label counts lack the columns {', '.join(missing)}; found {', '.join(self.frame)}"
            )

    def split(self, dataset: str, split: str) -> Counts | None:
        """Counts of one split; None if unknown. Undirected SemEval: the directed labels, merged."""
        name = dataset.removesuffix("-undirected")
        rows = self.frame[(self.frame["dataset"] == name) & (self.frame["split"] == split)]
        counts: Counter[str] = Counter()
        for label, count in zip(rows["label"], rows["count"], strict=True):
            counts[label.partition("(")[0] if name != dataset else label] += int(count)
        return dict(counts) or None

    def test(self, dataset: str) -> Counts | None:
        """Counts of the test set; None if unknown."""
        return self.split(dataset, "test")

    def whole(self, dataset: str) -> Counts | None:
        """Counts of all splits together (`TOTAL` where only the size is known); None unless all are known."""
        parts = [self.split(dataset, split) for split in SPLITS.get(dataset, ())]
        return dict(sum(map(Counter, parts), Counter())) if parts and all(parts) else None


def positive(dataset: str, counts: Counts) -> list[int]:
    """Counts of the labels that occur, without the negative one.

    >>> positive("tacred", {"no_relation": 5, "per:age": 2, "per:title": 0})
    [2]
    """
    return [count for label, count in counts.items() if count and label != NEGATIVE.get(dataset)]


def negative_percent(dataset: str, counts: Counts) -> float:
    """Share of the negative class in per cent; 0 if the data set has none.

    >>> negative_percent("tacred", {"no_relation": 3, "per:age": 1})
    75.0
    """
    return 100 * counts.get(NEGATIVE.get(dataset), 0) / sum(counts.values())


PLACE = ("W", "Table 1")
Stated = list[tuple[str, Range]]
"""What is published elsewhere about one number: text and interval."""


def row_statistics(counts: CorpusCounts, dataset: str) -> dict[str, float]:
    """The numbers of a row of Table 1 that label counts give: the first three of all splits, the others of
    the test set.

    >>> frame = pd.DataFrame({"dataset": "nyt24", "split": "test", "label": ["a", "b"], "count": [3, 1]})
    >>> row_statistics(CorpusCounts(frame), "nyt24")["ratio"]
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
        known["perplexity"] = perplexity(test.values())
        known["perplexity_without_negative"] = perplexity(held)
        known["ratio"] = max(held) / min(held)
    return known


def from_label_counts(get: partial, counts: CorpusCounts, dataset: str) -> Iterator[Check]:
    """Every number of a row of Table 1 against label counts."""
    known = row_statistics(counts, dataset)
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


def against_stated(claim: str, stated: Stated, derived: list[Range], inputs: list[Cell]) -> Iterator[Check]:
    """A check for each statement (or one that says there is none), with the derived interval that fits."""
    last = derived[-1] if derived else None
    for published, claimed in stated:
        fitting = next((one for one in derived if overlap(one, claimed)), last)
        yield check(PLACE, claim, published, claimed, fitting, tuple(inputs))
    if not stated:
        yield check(PLACE, claim, "", None, last, tuple(inputs), "nothing printed to compare it with")


def test_shares(published: pd.DataFrame, counts: CorpusCounts, dataset: str) -> Stated:
    """What is published about the share of negative samples in a test set: label counts, and papers R and D.

    Paper R prints the number of SemEval test samples; its PPRs tell how many of them are not Other.
    """
    stated: Stated = []
    test = counts.test(dataset)
    if test:
        share = negative_percent(dataset, test)
        stated.append((f"{share:.2f} by label counts", (share, share)))
    if dataset.startswith("semeval"):
        tables = DirectionTables(published)
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


def _log2(interval: Range) -> Range:
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

    >>> from helpers.reporting import load_published
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

    >>> from helpers.reporting import load_published
    >>> audit_statistics(load_published())[0].verdict
    'not derivable'
    """
    get, counts = partial(find_cell, published, paper="W", item="Table 1"), CorpusCounts(label_counts)
    table = published[published["paper"].eq("W") & published["item"].eq("Table 1")]
    datasets = list(dict.fromkeys(table["dataset"]))
    checks = [one for dataset in datasets for one in from_label_counts(get, counts, dataset)]
    checks += [one for dataset in datasets for one in row_bounds(get, dataset)]
    for dataset in ("tacred", "nyt10", "semeval2010", "semeval2010-undirected"):
        checks += linked_perplexities(get, dataset, test_shares(published, counts, dataset))
    checks += merged_directions(get, test_shares(published, counts, "semeval2010"))
    return checks + [*riedel(published, get)]


SECTION_1 = ("W", "Section 1")


def skewed_corpora(get: partial, datasets: list[str]) -> Iterator[Check]:
    """Mostly negative (TACRED, NYT); a large ratio and a perplexity far below #Rel (all but SemEval)."""
    for dataset in ("tacred", "nyt10"):
        share = get(dataset=dataset, metric="negative_share")
        claim = f"{dataset} is predominantly negative"
        yield check(SECTION_1, claim, "> 50", (50.0, 100.0), share.interval, (share,))
    flat = get(dataset="semeval2010-undirected", metric="ratio")
    for dataset in datasets:
        if dataset != "semeval2010-undirected":
            ratio = get(dataset=dataset, metric="ratio")
            larger = difference(ratio.interval, flat.interval)
            claim = f"{dataset}: the ratio is larger than that of undirected SemEval"
            yield check(SECTION_1, claim, "> 0", ABOVE_ZERO, larger, (ratio, flat))
    least = min(evenness(get, dataset)[0] for dataset in datasets if dataset.startswith("semeval"))
    for dataset in datasets:
        if not dataset.startswith("semeval"):
            cells = [get(dataset=dataset, metric=metric) for metric in ("perplexity", "labels")]
            claim = f"{dataset}: perplexity / #Rel is below that of SemEval"
            yield check(
                SECTION_1, claim, f"< {least:.3f}", (0.0, least), evenness(get, dataset), tuple(cells)
            )


def evenness(get: partial, dataset: str) -> Range:
    """Perplexity / number of classes; 1 for a balanced test set."""
    both, labels = get(dataset=dataset, metric="perplexity"), get(dataset=dataset, metric="labels")
    return both.interval[0] / labels.value, both.interval[1] / labels.value


def largest_relation(published: pd.DataFrame, get: partial) -> Iterator[Check]:
    """NYT: 'the most frequent relation is assigned to 48.3% of the positive test instances'.

    The largest class is ratio × the smallest, a whole number from 1; the number of positive test sentences
    follows from the perplexities (`positive_sentences`). An enclosure by `corners`: the share rises with the
    ratio, falls with the number.
    """
    cells = [
        get(dataset="nyt10", metric=name) for name in ("perplexity", "perplexity_without_negative", "ratio")
    ]
    size = find_cell(published, paper="D", item="Table 1", metric="sentences", statistic="test")
    stated = find_cell(published, paper="W", item="Section 1", metric="largest_positive_share")
    count = positive_sentences(published)
    inputs = (*cells, size)
    note = "nothing printed to compare it with"
    yield check(
        ("W", "Table 1"),
        "nyt10: number of positive test sentences",
        "",
        None,
        count,
        inputs[:2] + (size,),
        note,
    )
    claim = "nyt10: share of the most frequent relation among positive test sentences"
    if count is None:
        yield compare(stated, claim, None, inputs, "the perplexities fit no share of negative samples")
        return
    once, twice = (
        corners(lambda r, n, least=m: 100 * least * r / n, cells[2].interval, count) for m in (1, 2)
    )
    derived = twice if overlap(twice, stated.interval) else once
    note = f"if the least frequent relation occurs once; {twice[0]:.1f} or more if twice (by sentences)"
    yield compare(stated, claim, derived, inputs, note)


def rare_relations(published: pd.DataFrame) -> Check:
    """NYT: '58% of the relations have fewer than 100 training instances'."""
    cell = find_cell(published, paper="W", item="Section 1", metric="relations_below_100_training_instances")
    claim = "nyt10: share of relations with fewer than 100 training instances"
    return compare(cell, claim, None, (), "no counts by relation are printed")


def figure_1(published: pd.DataFrame, counts: CorpusCounts) -> Iterator[Check]:
    """Figure 1's caption: 12,184 negative samples; dodrans and entropy weights between weighted and macro."""
    negatives = find_cell(published, paper="W", item="Figure 1 caption", metric="negative_samples")
    test = counts.test("tacred")
    known = (float(test[NEGATIVE["tacred"]]),) * 2 if test else None
    yield compare(negatives, "tacred: negative test samples", known, ("label counts",) if test else ())
    for scheme in ("dodrans", "entropy"):
        claim = f"tacred: {scheme} weights lie between weighted and macro, class by class"
        if test:
            inside, n, note = between(scheme, positive("tacred", test), sum(test.values()))
            claimed, derived = (float(n), float(n)), (float(inside), float(inside))
            yield check(negatives, claim, f"{n} classes", claimed, derived, ("label counts",), note)
        else:
            yield check(negatives, claim, "all classes", None, None)


def between(scheme: str, support: list[int], total: int) -> tuple[int, int, str]:
    """For how many of the classes is the weight between those of weighted and macro? And is the spread of the
    weights?

    >>> between("dodrans", [16, 1], 17)
    (2, 2, 'largest / smallest weight: weighted 16, dodrans 8, macro 1')
    """
    weights = {name: class_weights(np.array(support), name, total) for name in ("weighted", scheme, "macro")}
    ends = np.sort([weights["weighted"], weights["macro"]], axis=0)
    inside = (ends[0] <= weights[scheme]) & (weights[scheme] <= ends[1])
    spread = ", ".join(f"{name} {values.max() / values.min():.0f}" for name, values in weights.items())
    return int(inside.sum()), len(support), f"largest / smallest weight: {spread}"


def single_sample(published: pd.DataFrame, get: partial, counts: CorpusCounts) -> Iterator[Check]:
    """Section 3.1: one test sample of Entity-Destination(e2,e1); Table 4: 19 classes, as in Table 1."""
    relation = "Entity-Destination(e2,e1)"
    cell = find_cell(published, paper="W", item="Section 3.1", metric=relation)
    test = counts.test("semeval2010")
    known = (float(test.get(relation, 0)),) * 2 if test else None
    yield compare(cell, f"semeval2010: test samples of {relation}", known, ("label counts",) if test else ())
    classes = find_cell(published, paper="W", item="Table 4 caption", metric="labels")
    labels = get(dataset="semeval2010", metric="labels")
    yield compare(classes, "semeval2010: classes as in Table 1", (labels.value, labels.value), (labels,))


def audit_corpus_claims(published: pd.DataFrame, label_counts: pd.DataFrame | None = None) -> list[Check]:
    """All checks of paper W's text about the corpora, in order.

    >>> from helpers.reporting import load_published
    >>> [one.claim for one in audit_corpus_claims(load_published()) if one.verdict == "inconsistent"]
    ['nyt10: share of the most frequent relation among positive test sentences']
    """
    get, counts = partial(find_cell, published, paper="W", item="Table 1"), CorpusCounts(label_counts)
    table = published[published["paper"].eq("W") & published["item"].eq("Table 1")]
    checks = [*skewed_corpora(get, list(dict.fromkeys(table["dataset"]))), *largest_relation(published, get)]
    checks += [rare_relations(published), *figure_1(published, counts)]
    return checks + [*single_sample(published, get, counts)]
