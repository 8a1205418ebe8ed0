"""Paper W (Harbecke et al. 2022), Table 1: label statistics of the corpora, published | ours.

All from stored label counts. A test part stands for its corpus; of DocRED it is the 699 public development
documents, of a corpus without direction (`-undirected`) the test part with its directions merged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2

import numpy as np
import pandas as pd

from ..core import NEGATIVE_NAMES, MissingData, base_relation
from ..data import (
    TOTAL,
    count_labels,
    counted_datasets,
    dataset_statistics,
    label_statistics,
    locate,
    perplexity,
    published_counts,
    read_nyt_star,
)
from ..reporting import load_published, published_ours

EXTRA = ("nyt10m", "kbp37", "re_docred")
"""Measured by the same rule, but not in the paper's table; of Re-DocRED the pairs in one sentence."""
_OF_TEST = ("perplexity", "perplexity_without_negative", "ratio")


def printed_statistics() -> pd.DataFrame:
    """Table 1 as printed, its numbers: one a row.

    >>> len(printed_statistics()["dataset"].unique())
    7
    """
    return load_published("W", "Table 1").query("unit != 'text'")


def corpus_statistics() -> pd.DataFrame:
    """Our statistics, a row for each corpus but NYT of Riedel et al. (its test counts are not public).

    `negative_share` is in per cent, as printed. Of NYT10m the test counts are facts, none of which is NA, so
    its perplexity with the negative class is unknown.

    >>> ours = corpus_statistics().set_index("dataset")
    >>> float(ours.loc["tacred", "perplexity"].round(2)), int(ours.loc["tacred", "labels"])
    (3.31, 42)
    """
    names = [*dict.fromkeys(printed_statistics()["dataset"]), *EXTRA]
    rows = [{"dataset": name} | dataset_statistics(name).to_dict() for name in names if name != "nyt10"]
    ours = pd.DataFrame(rows)
    ours["negative_share"] = 100 * ours["negative_share"].astype(float)
    ours.loc[ours["dataset"] == "nyt10m", "perplexity"] = np.nan
    return ours


def compared_statistics() -> pd.DataFrame:
    """Published and ours, a row for each number of ours (see `published_ours`).

    >>> compared = compared_statistics()
    >>> sorted(compared.loc[compared["agrees"] == False, "dataset"].unique())
    ['docred']
    """
    printed = printed_statistics()
    long = corpus_statistics().melt("dataset", list(dict.fromkeys(printed["metric"])), var_name="metric")
    return published_ours(long.dropna(subset="value"), printed, on=["dataset", "metric"])


def side_by_side(compared: pd.DataFrame, names: Sequence[str] = ()) -> pd.DataFrame:
    """The comparison as the paper prints it: a row a corpus, in each cell published | ours.

    >>> side_by_side(compared_statistics(), ["tacred"])["perplexity"].tolist()
    ['3.31 | 3.30525']
    """
    printed = printed_statistics()
    order, metrics = list(dict.fromkeys(printed["dataset"])), list(dict.fromkeys(printed["metric"]))
    ours = compared["ours"].map("{:.6g}".format)
    cells = compared.assign(cell=(compared["published"] + " | " + ours).str.removeprefix(" | "))
    wide = cells.pivot(index="dataset", columns="metric", values="cell")
    return wide.reindex(index=list(names or order), columns=metrics).fillna("")


def recounted() -> pd.DataFrame:
    """Which stored label counts could be counted again from the corpora on this machine, and were equal.

    Raises ValueError naming data set and split where they are not.
    """
    found = {}
    for dataset in counted_datasets():
        try:
            counted, stored = count_labels(dataset), published_counts(dataset)
        except MissingData:
            found[dataset] = "not (all) here: the stored counts are used"
            continue
        for split in counted:
            if counted[split] != {label: n for label, n in stored[split].items() if label != TOTAL}:
                raise ValueError(f"{dataset}, {split}: the counts differ from the stored ones")
        found[dataset] = f"counted again, equal: {', '.join(counted)}"
    return pd.Series(found, name="label counts").to_frame()


def statistics_by_split(names: Sequence[str]) -> pd.DataFrame:
    """The statistics of each split and of the whole, index (dataset, split); negative share in per cent.

    >>> statistics_by_split(["tacred"]).loc[("tacred", "test"), "perplexity"].round(2)
    np.float64(3.31)
    """
    rows = {}
    for dataset in names:
        stored = published_counts(dataset)
        splits = {split: Counter(stored[split]) for split in ("train", "dev", "test") if split in stored}
        splits["whole"] = sum(splits.values(), Counter())
        negative = dataset_statistics(dataset).negative
        for split, counts in splits.items():
            rows[dataset, split] = label_statistics(counts, negative).to_dict()
    table = pd.DataFrame.from_dict(rows, orient="index")
    table = table[["samples", "negative_share", *_OF_TEST]].astype(float)
    return table.assign(negative_share=100 * table["negative_share"]).astype({"samples": int})


def entropy_parts(dataset: str) -> dict[str, float]:
    """The perplexity of a test part, split at its negative class: 2^h(q) · P₊^(1 − q), q the negative share.

    >>> [round(value, 3) for value in entropy_parts("tacred").values()]
    [0.786, 1.682, 23.386, 1.966, 3.305]
    """
    found = label_statistics(published_counts(dataset)["test"], dataset_statistics(dataset).negative)
    q, positive = found.negative_share, found.perplexity_without_negative
    coin = 2 ** (-q * log2(q) - (1 - q) * log2(1 - q))
    rest = positive ** (1 - q)
    return {"negative share q": q, "2^h(q)": coin, "P₊": positive, "P₊^(1 − q)": rest, "product": coin * rest}


def triples_kept() -> pd.DataFrame:
    """NYT* with all triples of each sentence, the last, or the first: samples, perplexity, ratio.

    Raises MissingData without the file.
    """
    path = locate("nyt24/NYT-star/test_triples.json")
    rows = {
        kept: label_statistics(Counter(fact.relation for fact in read_nyt_star(path, triples=kept))).to_dict()
        for kept in ("all", "last", "first")
    }
    return pd.DataFrame(rows).T[["samples", "perplexity", "ratio"]].astype(float)


def redrawn_docred(seed: int, draws: int = 2000) -> tuple[float, float]:
    """The middle 95 % of the perplexity when the 7342 facts of DocRED's 699 documents are drawn again."""
    facts = np.array(list(published_counts("docred")["dev-699"].values()))
    drawn = np.random.default_rng(seed).multinomial(facts.sum(), facts / facts.sum(), size=draws)
    low, high = np.percentile([perplexity(one) for one in drawn], [2.5, 97.5])
    return float(low), float(high)


def docred_documents() -> pd.DataFrame:
    """The 699 documents beside what is known of all 1000: facts per document, share of the largest relation.

    Of Table 1 the share follows from the ratio if the smallest relation has one fact.
    """
    counts = published_counts("docred")
    facts, whole = list(counts["dev-699"].values()), counts["dev"][TOTAL]
    printed = printed_statistics().set_index(["dataset", "metric"])["value"]
    rows = {
        "699 documents, counted": (sum(facts) / 699, 100 * max(facts) / sum(facts)),
        "1000 documents, printed": (whole / 1000, 100 * printed["docred", "ratio"] / whole),
    }
    return pd.DataFrame.from_dict(
        rows, orient="index", columns=["facts per document", "largest relation (%)"]
    )


def test_counts(dataset: str) -> pd.Series:
    """Counts of the positive classes of a test part, those that do not occur among them.

    >>> int((test_counts("nyt24") > 0).sum()), len(test_counts("nyt24"))
    (20, 24)
    """
    splits = published_counts(dataset.removesuffix("-undirected"))
    counts = pd.Series(splits.get("test") or splits["dev-699"], name="count").rename_axis("relation")
    counts = counts.groupby(base_relation if dataset.endswith("-undirected") else str).sum()
    return counts.drop([TOTAL, *NEGATIVE_NAMES], errors="ignore")


test_counts.__test__ = False  # pytest takes every name that begins so for a test


def class_tails(ours: pd.DataFrame) -> pd.DataFrame:
    """The positive classes that occur in each test part, largest first: dataset, relation, count, rank, share
    (per cent), perplexity (of the data set, without its negative class).

    >>> tails = class_tails(corpus_statistics())
    >>> tails.loc[tails["dataset"] == "nyt24", "rank"].max()
    np.int64(20)
    """
    parts = []
    for dataset, effective in zip(ours["dataset"], ours["perplexity_without_negative"], strict=True):
        counts = test_counts(dataset)
        counts = counts[counts > 0].sort_values(ascending=False, kind="stable").reset_index()
        counts.insert(0, "dataset", dataset)
        counts["rank"] = counts.index + 1
        counts["share"] = 100 * counts["count"] / counts["count"].sum()
        parts.append(counts.assign(perplexity=effective))
    return pd.concat(parts, ignore_index=True)


def held_by_the_largest(tails: pd.DataFrame) -> pd.DataFrame:
    """What the largest relations hold of the positive samples, as many as the perplexity says, and the rest.

    >>> held_by_the_largest(class_tails(corpus_statistics())).loc["tacred", "hold (%)"].round(1)
    np.float64(90.6)
    """
    within = tails["rank"] <= tails["perplexity"].round()
    first, last = (tails[chosen].groupby("dataset", sort=False)["share"] for chosen in (within, ~within))
    held = pd.DataFrame({"largest relations": first.size(), "hold (%)": first.sum()})
    held["the other relations"], held["hold the rest (%)"] = last.size(), last.sum()
    return held.fillna(0).astype({"the other relations": int})


def largest_and_smallest(tails: pd.DataFrame) -> pd.DataFrame:
    """The two classes of the imbalance ratio, and the ratio if the smallest had one sample more.

    >>> largest_and_smallest(class_tails(corpus_statistics())).loc["semeval2010", "ratio"]
    np.float64(291.0)
    """
    groups = tails.groupby("dataset", sort=False)
    ends = groups.agg(largest=("relation", "first"), n_largest=("count", "first"))
    ends["smallest"], ends["n_smallest"] = groups["relation"].last(), groups["count"].last()
    ends["ratio"] = ends["n_largest"] / ends["n_smallest"]
    return ends.assign(ratio_with_one_more=ends["n_largest"] / (ends["n_smallest"] + 1))


def effective_numbers(ours: pd.DataFrame) -> pd.DataFrame:
    """What `effective_number_chart` shows: labels and perplexities, NYT of Riedel et al. as published."""
    printed = printed_statistics()
    riedel = printed[printed["dataset"] == "nyt10"].set_index("metric")["value"].to_dict()
    numbers = pd.concat([ours.assign(source="ours"), pd.DataFrame([riedel | {"dataset": "nyt10"}])])
    numbers["source"] = numbers["source"].fillna("published")
    order = [*dict.fromkeys(printed["dataset"]), *EXTRA]
    columns = ["labels", "perplexity_without_negative", "perplexity", "source"]
    return numbers.set_index("dataset").loc[order, columns].reset_index()


def statistics_rows(ours: pd.DataFrame) -> pd.DataFrame:
    """The rows of the tidy table `01_statistics`."""
    printed = printed_statistics()
    long = ours.melt("dataset", list(dict.fromkeys(printed["metric"])), var_name="metric")
    published = printed[["dataset", "metric", "printed"]].rename(columns={"printed": "published"})
    rows = long.dropna(subset="value").merge(published, how="left")
    in_table = rows["dataset"].isin(printed["dataset"])
    rows = rows.assign(paper="W", item=np.where(in_table, "Table 1", "Table 1, same rule"))
    rows["unit"] = rows["metric"].map(printed.drop_duplicates("metric").set_index("metric")["unit"])
    tested = np.where(rows["dataset"] == "docred", "dev-699", "test")
    rows["split"] = np.where(rows["metric"].isin(_OF_TEST), tested, "whole")
    rows["note"] = rows["dataset"].map(ours.set_index("dataset")["note"])
    return rows
