"""Paper W, what the text says about the corpora (Harbecke et al. 2022): Section 1, Figure 1, Section 3.1.

Weights are recomputed from the label counts of the TACRED test set; the bars of Figure 1 carry no printed
numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from ...metrics.weighting import class_weights
from ..published import Interval, find_cell
from .intervals import ABOVE_ZERO, corners, difference, overlap
from .label_counts import NEGATIVE, LabelCounts, positive
from .statistics import positive_sentences
from .verdicts import Check, check, compare

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


def evenness(get: partial, dataset: str) -> Interval:
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


def figure_1(published: pd.DataFrame, counts: LabelCounts) -> Iterator[Check]:
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


def single_sample(published: pd.DataFrame, get: partial, counts: LabelCounts) -> Iterator[Check]:
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

    >>> from helpers.reporting.published import load_published
    >>> [one.claim for one in audit_corpus_claims(load_published()) if one.verdict == "inconsistent"]
    ['nyt10: share of the most frequent relation among positive test sentences']
    """
    get, counts = partial(find_cell, published, paper="W", item="Table 1"), LabelCounts(label_counts)
    table = published[published["paper"].eq("W") & published["item"].eq("Table 1")]
    checks = [*skewed_corpora(get, list(dict.fromkeys(table["dataset"]))), *largest_relation(published, get)]
    checks += [rare_relations(published), *figure_1(published, counts)]
    return checks + [*single_sample(published, get, counts)]
