"""The audit of W and R: which published numbers follow from other published numbers, and do they?

They are recomputed from their rounded inputs by interval arithmetic and called *consistent*, *inconsistent*
or *not derivable*. Read is `results/published` only: no data set, no model.

Here stand all claims (`audit_claims`) and paper W on the corpora (Harbecke et al. 2022): Table 1, and what
Section 1, Figure 1 and Section 3.1 say. Some cells of Table 1 follow from other printed cells: perplexities
with and without the negative class are linked by its share of the test set, the undirected SemEval row by the
directed one, sizes by those in papers R and D. The others follow only from label counts, where they are
public (`dataset_statistics`). The bars of Figure 1 carry no printed numbers; the weights are recomputed for
TACRED.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, log2
from operator import truediv

import numpy as np
import pandas as pd

from ...data import TOTAL, dataset_statistics, find_dataset, published_counts
from ...metrics import class_weights
from ...reporting import Cell, Range, load_published
from ..weighting import RARE, positive_counts
from .direction import DirectionTables
from .intervals import Audit, Known, corners, difference, negative_share, overlap
from .weighting import WeightingTables

Stated = list[tuple[str, Known]]
"""What is published elsewhere about one number: text and range."""
_TABLE_1, _SECTION_1 = ("W", "Table 1"), ("W", "Section 1")
_PERPLEXITIES = ("perplexity", "perplexity_without_negative")
_OF_WHOLE, _OF_TEST = ("labels", "samples", "negative_share"), (*_PERPLEXITIES, "ratio")
_UNDIRECTED = "semeval2010-undirected"
_UNPRINTED = "nothing printed to compare it with"


def _test_counts(dataset: str) -> Mapping[str, int]:
    """Label counts of a test set; {} where they are not public."""
    about = find_dataset(dataset)
    return dataset_statistics(dataset).counts if about.has_counts and about.measured == "test" else {}


def _counted_row(dataset: str) -> dict[str, float]:
    """The numbers of a row of Table 1 that label counts give: size and share in per cent of all splits, the
    others of the test set."""
    about, names = find_dataset(dataset), ["samples"]
    if not about.has_counts:
        return {}
    splits, counted = published_counts(about.counted_name), dataset_statistics(dataset).to_dict()
    if not any(TOTAL in splits[split] for split in about.whole):
        names, counted["negative_share"] = [*_OF_WHOLE], 100 * counted["negative_share"]
    if _test_counts(dataset):
        names += _OF_TEST
    return {name: counted[name] for name in names}


def _row(audit: Audit, dataset: str) -> None:
    """Every number of a row of Table 1 against label counts."""
    known, unknown = _counted_row(dataset), "no label counts that cover it are at hand"
    for metric in (*_OF_WHOLE, *_OF_TEST):
        inputs, note = (("label counts",), "") if metric in known else ((), unknown)
        claim = f"{dataset}: {metric} from label counts"
        audit.compare(audit.cell(metric, dataset=dataset), claim, known.get(metric), inputs, note)


def _row_bounds(audit: Audit, dataset: str) -> None:
    """Inside one row: perplexity is at most #Rel, and both agree where no sample is negative."""
    names = ("labels", "negative_share", *_PERPLEXITIES)
    labels, share, both, without = (audit.cell(name, dataset=dataset) for name in names)
    bounds = [(both, "<= #Rel", labels.value), (without, "w/o NA <= #Rel - 1", labels.value - 1)]
    for cell, text, most in bounds if share.value > 0 else bounds[:1]:
        claim = f"{dataset}: perplexity {text}"
        audit.check(cell, claim, f"<= {most:g}", (1.0, most), cell, (cell, labels))
    if not share.value > 0:
        claim = f"{dataset}: without negative samples both perplexities are equal"
        audit.compare(both, claim, without.value, (without, share))


def _linked_perplexities(audit: Audit, dataset: str) -> None:
    """The share q of negatives in the test set from both perplexities, against what is stated about it."""
    cells = [audit.cell(metric, dataset=dataset) for metric in _PERPLEXITIES]
    shares = [(100 * low, 100 * high) for low, high in negative_share(*cells)]
    text = " or ".join(f"{low:.2f} to {high:.2f}" for low, high in shares)
    claim = f"{dataset}: some share of negative samples links both perplexities"
    last, note = shares[-1] if shares else None, f"share in per cent: {text or 'none'}"
    audit.check(_TABLE_1, claim, "both perplexities", None, last, cells, note, bool(shares))
    claim = f"{dataset}: share of negative samples in the test set"
    _against_stated(audit, claim, _stated_shares(audit, dataset), shares, cells)


def _against_stated(
    audit: Audit, claim: str, stated: Stated, derived: list[Range], inputs: Iterable[Cell]
) -> None:
    """A check for each statement (or one that says there is none), with the derived range that fits."""
    last = derived[-1] if derived else None
    for published, claimed in stated:
        fitting = next((interval for interval in derived if overlap(interval, claimed)), last)
        audit.check(_TABLE_1, claim, published, claimed, fitting, inputs)
    if not stated:
        audit.check(_TABLE_1, claim, "", None, last, inputs, _UNPRINTED)


def _stated_shares(audit: Audit, dataset: str) -> Stated:
    """What is published about the share of negative samples in a test set: label counts, and papers R and D.

    Paper R prints the number of SemEval test samples; its PPRs tell how many of them are not Other.
    """
    stated: Stated = []
    if test := _test_counts(dataset):
        share = 100 * test.get(find_dataset(dataset).negative, 0) / sum(test.values())
        stated.append((f"{share:.2f} by label counts", share))
    if dataset.startswith("semeval"):
        tables = DirectionTables(audit.published)
        share = 100 * (1 - tables.sample_count()[0] / tables.prose("test_samples").value)
        stated.append((f"{share:.2f} by the PPRs of paper R", share))
    if dataset == "nyt10":
        cell = audit.cell("negative_share", paper="D", dataset=dataset, statistic="test")
        stated.append((f"{cell.printed} in paper D, Table 1", cell))
    return stated


def _merged_directions(audit: Audit) -> None:
    """SemEval with and without direction: telling two directions apart adds at most one bit.

    H with direction − H without is (1 − q) times the same difference of the positive classes, q the share of
    Other; so the four perplexities give q. An enclosure by `corners`: the quotient rises with the one
    difference, falls with the other.
    """
    names, bits = ("semeval2010", _UNDIRECTED), []
    pairs = [[audit.cell(metric, dataset=name) for name in names] for metric in _PERPLEXITIES]
    for source, cell in pairs:
        bits.append(difference(corners(log2, source), corners(log2, cell)))
        claim = f"{cell.name}: direction adds at most 1 bit"
        audit.check(cell, claim, "0 to 1", (0.0, 1.0), bits[-1], (source, cell))
    share = corners(lambda both, positives: 100 * (1 - both / positives), *bits)
    claim = "semeval2010: share of Other in the test set from all four perplexities"
    inputs = [cell for column in zip(*pairs, strict=True) for cell in column]
    _against_stated(audit, claim, _stated_shares(audit, "semeval2010"), [share], inputs)
    for metric in ("samples", "negative_share"):
        first, second = audit.cell(metric, dataset="semeval2010"), audit.cell(metric, dataset=_UNDIRECTED)
        audit.compare(second, f"{second.name}: does not depend on direction", first.value, (first,))


def _riedel(audit: Audit) -> None:
    """NYT of Riedel et al.: sizes and shares as paper D prints them."""
    labels = audit.cell("labels", paper="D", dataset="nyt10")
    (train, test), shares = (
        [audit.cell(metric, paper="D", dataset="nyt10", statistic=split) for split in ("train", "test")]
        for metric in ("sentences", "negative_share")
    )
    audit.compare(audit.cell("labels", dataset="nyt10"), "nyt10: #Rel of paper D", labels.value, (labels,))
    total = train.value + test.value
    note = "two copies of the training set: with 522,043 sentences it would fit"
    size, claim = audit.cell("samples", dataset="nyt10"), "nyt10: size = train + test of paper D"
    audit.compare(size, claim, total, (train, test), note)
    mean = corners(lambda a, b: (a * train.value + b * test.value) / total, *shares)
    claim = "nyt10: %NA from the shares of paper D"
    audit.compare(audit.cell("negative_share", dataset="nyt10"), claim, mean, (train, test, *shares))


def positive_sentences(published: pd.DataFrame) -> tuple[int, int] | None:
    """NYT of Riedel et al.: how many test sentences are positive, from both perplexities and paper D's size.

    None if the perplexities fit no share of negative samples.

    >>> from helpers.reporting import load_published
    >>> positive_sentences(load_published())
    (6399, 6656)
    """
    of_nyt = {"item": "Table 1", "dataset": "nyt10"}
    both = (Cell.find(published, paper="W", metric=metric, **of_nyt) for metric in _PERPLEXITIES)
    shares = negative_share(*both)
    size = Cell.find(published, paper="D", metric="sentences", statistic="test", **of_nyt).value
    return (ceil(size * (1 - shares[-1][1])), floor(size * (1 - shares[-1][0]))) if shares else None


def _skewed_corpora(audit: Audit, datasets: list[str]) -> None:
    """Mostly negative (TACRED, NYT); a large ratio and a perplexity far below #Rel (all but SemEval)."""
    for dataset in ("tacred", "nyt10"):
        share, claim = audit.cell("negative_share", dataset=dataset), f"{dataset} is predominantly negative"
        audit.check(_SECTION_1, claim, "> 50", (50.0, 100.0), share, (share,))
    others = [dataset for dataset in datasets if dataset != _UNDIRECTED]
    flat = audit.cell("ratio", dataset=_UNDIRECTED)
    for dataset in others:
        ratio = audit.cell("ratio", dataset=dataset)
        claim = f"{dataset}: the ratio is larger than that of undirected SemEval"
        audit.ordered(_SECTION_1, claim, flat, ratio, (ratio, flat))
    both = ("perplexity", "labels")
    cells = {name: [audit.cell(metric, dataset=name) for metric in both] for name in datasets}
    evenness = {name: corners(truediv, *pair) for name, pair in cells.items()}  # 1: a balanced test set
    least = min(low for dataset, (low, _) in evenness.items() if dataset.startswith("semeval"))
    for dataset in others:
        if dataset != "semeval2010":
            claim, below = f"{dataset}: perplexity / #Rel is below that of SemEval", (0.0, least)
            audit.check(_SECTION_1, claim, f"< {least:.3f}", below, evenness[dataset], cells[dataset])


def _largest_relation(audit: Audit) -> None:
    """NYT: 'the most frequent relation is assigned to 48.3% of the positive test instances'.

    The largest class is ratio × the smallest, a whole number from 1; the number of positive test sentences
    follows from the perplexities (`positive_sentences`). An enclosure by `corners`: the share rises with the
    ratio, falls with the number.
    """
    *both, ratio = (audit.cell(name, dataset="nyt10") for name in _OF_TEST)
    size = audit.cell("sentences", paper="D", dataset="nyt10", statistic="test")
    stated = audit.cell("largest_positive_share", "Section 1", dataset="nyt10")
    count = positive_sentences(audit.published)
    claim = "nyt10: number of positive test sentences"
    audit.check(_TABLE_1, claim, "", None, count, (*both, size), _UNPRINTED)
    derived, note = None, "the perplexities fit no share of negative samples"
    if count is not None:
        once, twice = (corners(lambda r, n, least=m: 100 * least * r / n, ratio, count) for m in (1, 2))
        derived = twice if overlap(twice, stated.interval) else once
        note = f"if the least frequent relation occurs once; {twice[0]:.1f} or more if twice (by sentences)"
    claim = "nyt10: share of the most frequent relation among positive test sentences"
    audit.compare(stated, claim, derived, (*both, ratio, size), note)


def _rest(audit: Audit) -> None:
    """NYT: '58% of the relations have fewer than 100 training instances'. Figure 1's caption: 12,184 negative
    samples; dodrans and entropy weights between weighted and macro. Section 3.1: one test sample of
    Entity-Destination(e2,e1). Table 4: 19 classes, as in Table 1."""
    rare = audit.cell("relations_below_100_training_instances", "Section 1", dataset="nyt10")
    claim = "nyt10: share of relations with fewer than 100 training instances"
    audit.compare(rare, claim, None, (), "no counts by relation are printed")
    negatives = audit.cell("negative_samples", "Figure 1 caption", dataset="tacred")
    _counted(audit, negatives, "tacred: negative test samples", find_dataset("tacred").negative)
    positive, total = positive_counts("tacred")
    n = len(positive)
    for scheme in ("dodrans", "entropy"):
        claim = f"tacred: {scheme} weights lie between weighted and macro, class by class"
        inside, note = _between(scheme, positive, total)
        audit.check(negatives, claim, f"{n} classes", n, inside, ("label counts",), note)
    single = audit.cell(RARE, "Section 3.1", dataset="semeval2010")
    _counted(audit, single, f"semeval2010: test samples of {RARE}", RARE)
    items = ("Table 4 caption", "Table 1")
    classes, labels = (audit.cell("labels", item, dataset="semeval2010") for item in items)
    audit.compare(classes, "semeval2010: classes as in Table 1", labels.value, (labels,))


def _counted(audit: Audit, cell: Cell, claim: str, label: str) -> None:
    """A stated number of test samples of a label against the label counts."""
    audit.compare(cell, claim, _test_counts(claim.partition(":")[0])[label], ("label counts",))


def _between(scheme: str, support: Sequence[int], total: int) -> tuple[int, str]:
    """For how many of the classes is the weight between those of weighted and macro? And how far do the
    weights reach?

    >>> _between("dodrans", [16, 1], 17)
    (2, 'largest / smallest weight: weighted 16, dodrans 8, macro 1')
    """
    weights = {name: class_weights(support, name, total) for name in ("weighted", scheme, "macro")}
    low, high = np.sort([weights["weighted"], weights["macro"]], axis=0)
    inside = (low <= weights[scheme]) & (weights[scheme] <= high)
    reach = ", ".join(f"{name} {values.max() / values.min():.0f}" for name, values in weights.items())
    return int(inside.sum()), f"largest / smallest weight: {reach}"


def _audit_corpora(audit: Audit) -> None:
    """All checks of paper W's Table 1, then of its text about the corpora, in order."""
    of_table_1 = audit.published["paper"].eq("W") & audit.published["item"].eq("Table 1")
    datasets = list(audit.published.loc[of_table_1, "dataset"].unique())
    for dataset in datasets:
        _row(audit, dataset)
    for dataset in datasets:
        _row_bounds(audit, dataset)
    for dataset in ("tacred", "nyt10", "semeval2010", _UNDIRECTED):
        _linked_perplexities(audit, dataset)
    _merged_directions(audit)
    _riedel(audit)
    _skewed_corpora(audit, datasets)
    _largest_relation(audit)
    _rest(audit)


def audit_claims(published: pd.DataFrame | None = None) -> pd.DataFrame:
    """Recompute every published number that follows from others, or from public label counts, and judge it.

    Parameters
    ----------
    published : the printed numbers; None: `load_published()`.

    Returns
    -------
    One row a claim, in a fixed order: paper, item, claim, published, derived_low, derived_high (in the
    claim's unit, missing where nothing follows), verdict, inputs, note. The derived interval is sure to hold
    the true value, for all inputs that round to the printed ones. *consistent*: some value in it would be
    printed, or claimed, like this.
    *inconsistent*: rounding cannot explain the claim. *not derivable*: what is needed is not printed.

    >>> claims = audit_claims()
    >>> sorted(set(claims.verdict))
    ['consistent', 'inconsistent', 'not derivable']
    >>> claims.query("paper == 'R' and verdict == 'inconsistent'")["published"].tolist()
    ['46.38', '33.94', '79.03', '78.76', '< 0', '< 0']
    """
    audit = Audit(load_published() if published is None else published)
    _audit_corpora(audit)
    WeightingTables(audit.published).judge(audit)
    DirectionTables(audit.published).judge(audit, int(positive_counts("semeval2010")[0].sum()))
    return pd.DataFrame(audit.rows)
