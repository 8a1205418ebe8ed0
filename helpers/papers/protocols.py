"""Paper D's printed Tables 1 to 5 and A.1: test protocols, the claims about them, the ontology, corpora."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from ..data import TOTAL, nyt10m_relations, published_counts
from ..metrics import flips
from ..reporting import load_published

HELD_OUT, MANUAL, SENTENCES = "held-out", "bag-level manual", "sentence-level manual"
"""The three protocols of Table 4."""


def protocol_scores(metric: str = "auc", scheme: str = "") -> pd.DataFrame:
    """A printed measure of Table 4, a row for each system, a column for each protocol, in per cent.

    >>> protocol_scores().loc["BERT+sent+ONE"].tolist()
    [50.5, 61.3, 63.2]
    """
    frame = load_published("D", "Table 4").query("metric == @metric and scheme == @scheme")
    return frame.pivot_table(index="model", columns="statistic", values="value", sort=False)[
        [HELD_OUT, MANUAL, SENTENCES]
    ].rename_axis(columns=None)


def reversed_pairs(scores: pd.DataFrame, first: str = HELD_OUT, second: str = MANUAL) -> pd.DataFrame:
    """Pairs of systems whose order is another one under the second protocol, the largest turns first.

    Returns columns better (under the first), worse, lead (points, under the first), lead_then (under the
    second, negative).

    >>> scores = pd.DataFrame({"held-out": [3.0, 2.0], "bag-level manual": [1.0, 2.5]}, index=["a", "b"])
    >>> reversed_pairs(scores).to_dict("records")
    [{'better': 'a', 'worse': 'b', 'lead': 1.0, 'lead_then': -1.5}]
    """
    turned = flips(scores[first].to_dict(), scores[second].to_dict())
    rows = [(a, b, *(scores.loc[a, [first, second]] - scores.loc[b, [first, second]])) for a, b in turned]
    table = pd.DataFrame(rows, columns=["better", "worse", "lead", "lead_then"])
    return table.sort_values("lead_then", ignore_index=True)


def claims_of_table_4() -> pd.DataFrame:
    """What paper D says about its Tables 2 to 5 and its relations, each checked on the printed numbers.

    What it says of single relations is checked on the public label counts of NYT10m.

    Returns columns claim, where (place in the paper), holds, numbers.
    """
    rows = [*_of_ontology(), _of_sampling(), *_of_relations(), *_of_protocols(), _of_wiki20()]
    table = pd.DataFrame(rows, columns=["claim", "where", "holds", "numbers"])
    return table.assign(holds=table["holds"].astype(bool), numbers=table["numbers"].map(_in_words))


Checked = tuple[str, str, bool, pd.DataFrame]
"""Claim, place in the paper, whether it holds, the numbers."""


def _in_words(numbers: pd.DataFrame) -> str:
    rows = numbers.astype(float).round(2).iterrows()
    return "; ".join(f"{name} " + " ".join(f"{value:g}" for value in row) for name, row in rows)


def _of_protocols() -> Iterator[Checked]:
    """Table 4: three protocols of fifteen systems."""
    measures = (("auc", ""), ("f1", "micro"), ("f1", "macro"))
    auc, micro, macro = (protocol_scores(metric, scheme) for metric, scheme in measures)
    pairs = {
        "PCNN and RL-DSRE change places between held-out and manual evaluation": ["RL-DSRE", "PCNN+bag+ATT"],
        "BGWA and RESIDE change places": ["RESIDE", "BGWA"],
    }
    for claim, pair in pairs.items():
        lead = auc.loc[pair[0]] - auc.loc[pair[1]]
        yield claim, "5.3", lead[HELD_OUT] > 0 > lead[MANUAL], auc.loc[pair]
    spread, claim = auc.std(), "the gaps between models are smaller in the manual test"
    yield claim, "5.3", spread[MANUAL] < spread[HELD_OUT], spread.to_frame("SD of AUC over 15 systems").T
    claim = "sentence-level training with BERT is best under all three protocols"
    yield claim, "5.3", auc.idxmax().str.startswith("BERT+sent").all(), auc.max().to_frame("best").T
    manual, names = auc[MANUAL], auc.index
    bags, sentences = (
        {model: manual[names.str.startswith(f"{model}+{training}")] for model in ("PCNN", "BERT")}
        for training in ("bag", "sent")
    )
    helps = [bags[model].max() > sentences[model].max() for model in ("PCNN", "BERT")]
    claim = "bag-level training helps PCNN and does not help BERT (best of each, manual, AUC)"
    yield claim, "5.3", helps == [True, False], auc.loc[names.str.match(r"(PCNN|BERT)\+"), [MANUAL]]
    claim = "ATT is the best strategy of PCNN and the worst of BERT (bag, manual, AUC)"
    are_ends = bags["PCNN"].idxmax() == "PCNN+bag+ATT" and bags["BERT"].idxmin() == "BERT+bag+ATT"
    yield claim, "5.3", are_ends, auc.loc[names.str.contains(r"\+bag"), [MANUAL]]
    claim = "some changes raise micro-F1 and lower macro-F1 (manual)"
    opposite = _opposite(micro[MANUAL], macro[MANUAL])
    yield claim, "5.3, Imbalanced Classes", len(opposite) > 0, opposite
    claim = "sentence-level columns are equal for AVG and ONE after sentence-level training (necessarily)"
    trained = [[f"{model}+sent+{way}" for way in ("AVG", "ONE")] for model in ("CNN", "PCNN", "BERT")]
    columns = (table[SENTENCES] for table in (auc, micro, macro))
    same = all(column[pair].nunique() == 1 for column in columns for pair in trained)
    yield claim, "Table 4", same, auc.loc[names.str.contains(r"\+sent"), [SENTENCES]]


def _of_ontology() -> Iterator[Checked]:
    auc = load_published("D", "Table 2").query("metric == 'auc'")
    table = auc.pivot(index="model", columns="dataset", values="value")[["nyt10", "nyt10m"]]
    lower = (table["nyt10m"] < table["nyt10"]).all()
    yield "the new ontology lowers the AUC of both models (held-out)", "Table 2", lower, table
    ahead = (table.loc["PCNN+bag+ATT"] > table.loc["PCNN+bag+AVG"]).all()
    yield "ATT stays ahead of AVG on the old and on the new ontology", "Table 2", ahead, table


def _of_sampling() -> Checked:
    frame = load_published("D", "Table 3")
    frame = frame.assign(measure=(frame["scheme"] + " " + frame["metric"]).str.strip())
    table = frame.pivot_table(index="model", columns="measure", values="value", sort=False)
    full, sampled = (table.loc[f"PCNN+bag+ATT ({name})"] for name in ("full", "sample"))
    close = abs(full["auc"] - sampled["auc"]) < 0.5 and (sampled.drop("auc") > full.drop("auc")).all()
    claim = (
        "ATT with sampled bags is within half a point of AUC of whole ones, and higher in micro- and macro-F1"
    )
    return claim, "Table 3", close, table


def _of_relations() -> Iterator[Checked]:
    """On the label counts of NYT10m: facts of the test part, sentences of the training part; NA left out."""
    section, counts = "Imbalanced Classes", published_counts("nyt10m")
    test, train = (pd.Series(counts[part]).drop([TOTAL, "NA"], errors="ignore") for part in ("test", "train"))
    top = 100 * test.nlargest(4).sum() / test.sum()
    claim = "the four most frequent relations hold about 80 % of the positive test instances"
    yield claim, section, 75 <= top <= 85, pd.DataFrame({"top four, %": [top]}, ["NYT10m test"])
    contains = 100 * train["/location/location/contains"] / train.sum()
    claim = "about half of the positive training instances are /location/location/contains"
    half = 45 <= contains <= 55 and train.idxmax() == "/location/location/contains"
    yield claim, section, half, pd.DataFrame({"contains, %": [contains]}, ["NYT10m train"])
    few = (train < 1000).sum()
    claim = "half of the relations have fewer than 1000 training sentences"
    numbers = pd.DataFrame({"few": [few], "all": [len(train)]}, ["NYT10m train, few of all:"])
    yield claim, section, len(train) / 2 <= few, numbers


def _opposite(micro: pd.Series, macro: pd.Series) -> pd.DataFrame:
    """Systems that differ in one step, training or strategy, and whose micro- and macro-F1 go apart."""
    rows = {}
    for a, b in combinations([name for name in micro.index if "+" in name], 2):
        differing = sum(x != y for x, y in zip(a.split("+"), b.split("+"), strict=True))
        if differing == 1 and (micro[a] - micro[b]) * (macro[a] - macro[b]) < 0:
            up, down = (a, b) if micro[a] > micro[b] else (b, a)
            rows[f"{down} → {up}"] = {"micro": micro[up] - micro[down], "macro": macro[up] - macro[down]}
    return pd.DataFrame.from_dict(rows, orient="index")


def _of_wiki20() -> Checked:
    table = load_published("D", "Table 5").query("metric == 'auc'").set_index("model")["value"]
    best = {start: table[table.index.str.startswith(start)].idxmax() for start in ("PCNN", "BERT")}
    claim = "on Wiki20, AVG is the best strategy; bag-level training helps PCNN, not BERT"
    return claim, "5.4", best == {"PCNN": "PCNN+bag+AVG", "BERT": "BERT+sent+AVG"}, table.to_frame()


def ontology_map() -> pd.DataFrame:
    """Table A.1: each of the 53 old relations, what becomes of it, and its new name.

    >>> ontology_map()["what"].value_counts().tolist()
    [23, 15, 15]
    """
    new = pd.Series(nyt10m_relations(), name="new relation").rename_axis("old relation").reset_index()
    shared = new["new relation"].duplicated(keep=False) & new["new relation"].notna()
    what = np.select([new["new relation"].isna(), shared], ["deleted", "merged"], "kept")
    return new.assign(what=what).fillna("")[["old relation", "what", "new relation"]]
