"""Paper D's printed Tables 1 to 5 and A.1: test protocols, the claims about them, the ontology, corpora."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ..data import TOTAL, nyt10m_relations, published_counts
from ..reporting import load_published

HELD_OUT, MANUAL, SENTENCES = "held-out", "bag-level manual", "sentence-level manual"
"""The three protocols of Table 4."""


def protocol_scores(item: str = "Table 4", metric: str = "auc", scheme: str = "") -> pd.DataFrame:
    """A printed measure of Table 4, a row for each system, a column for each protocol, in per cent.

    >>> protocol_scores().loc["BERT+sent+ONE"].tolist()
    [50.5, 61.3, 63.2]
    """
    frame = load_published("D", item).query("metric == @metric and scheme == @scheme")
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
    rows = []
    for a, b in combinations(scores.index, 2):
        better, worse = (a, b) if scores.loc[a, first] > scores.loc[b, first] else (b, a)
        lead, then = (scores.loc[better, one] - scores.loc[worse, one] for one in (first, second))
        if lead > 0 > then:
            rows.append({"better": better, "worse": worse, "lead": lead, "lead_then": then})
    table = pd.DataFrame(rows, columns=["better", "worse", "lead", "lead_then"])
    return table.sort_values("lead_then", ignore_index=True)


def printed_table(item: str) -> pd.DataFrame:
    """A printed table of paper D: a row for each system, the columns that differ (data, protocol, measure).

    >>> printed_table("Table 3").loc["PCNN+bag+ATT (sample)"].tolist()
    ['31.8', '39.6', '11.8']
    """
    frame = load_published("D", item)
    measure = frame["metric"].map({"auc": "AUC", "f1": "F1"})
    frame = frame.assign(measure=np.where(frame["scheme"] == "", measure, frame["scheme"] + "-" + measure))
    columns = [name for name in ("dataset", "statistic") if frame[name].nunique() > 1]
    return frame.pivot_table(
        index="model", columns=[*columns, "measure"], values="printed", aggfunc="first", sort=False
    )


def claims_of_table_4() -> pd.DataFrame:
    """What paper D says about its Tables 2 to 5 and its relations, each checked on the printed numbers.

    What it says of single relations is checked on the public label counts of NYT10m.

    Returns columns claim, where (place in the paper), holds, numbers.
    """
    auc, micro, macro = (protocol_scores(metric=m, scheme=s) for m, s in _MEASURES)
    rows = [
        _claim(
            "PCNN and RL-DSRE change places between held-out and manual evaluation",
            "5.3",
            _turns(auc, "RL-DSRE", "PCNN+bag+ATT"),
            auc.loc[["RL-DSRE", "PCNN+bag+ATT"]],
        ),
        _claim(
            "BGWA and RESIDE change places",
            "5.3",
            _turns(auc, "RESIDE", "BGWA"),
            auc.loc[["RESIDE", "BGWA"]],
        ),
        _claim(
            "the gaps between models are smaller in the manual test",
            "5.3",
            auc[MANUAL].std() < auc[HELD_OUT].std(),
            auc.std().to_frame("SD of AUC over 15 systems").T,
        ),
        _claim(
            "sentence-level training with BERT is best under all three protocols",
            "5.3",
            all(auc[one].idxmax().startswith("BERT+sent") for one in auc),
            auc.max().to_frame("best").T,
        ),
        _claim(
            "bag-level training helps PCNN and does not help BERT (best of each, manual, AUC)",
            "5.3",
            _best(auc, "PCNN+bag") > _best(auc, "PCNN+sent")
            and _best(auc, "BERT+bag") < _best(auc, "BERT+sent"),
            auc[[MANUAL]].loc[[one for one in auc.index if "+" in one and not one.startswith("CNN")]],
        ),
        _claim(
            "ATT is the best strategy of PCNN and the worst of BERT (bag, manual, AUC)",
            "5.3",
            _of(auc, "PCNN+bag").idxmax() == "PCNN+bag+ATT"
            and _of(auc, "BERT+bag").idxmin() == "BERT+bag+ATT",
            auc[[MANUAL]].loc[[one for one in auc.index if "+bag" in one]],
        ),
        _claim(
            "some changes raise micro-F1 and lower macro-F1 (manual)",
            "5.3, Imbalanced Classes",
            bool(len(_opposite(micro[MANUAL], macro[MANUAL]))),
            _opposite(micro[MANUAL], macro[MANUAL]),
        ),
        _claim(
            "sentence-level columns are equal for AVG and ONE after sentence-level training (necessarily)",
            "Table 4",
            all(
                one.loc[f"{model}+sent+AVG", SENTENCES] == one.loc[f"{model}+sent+ONE", SENTENCES]
                for one in (auc, micro, macro)
                for model in ("CNN", "PCNN", "BERT")
            ),
            auc[[SENTENCES]].loc[[one for one in auc.index if "+sent" in one]],
        ),
        _claim(*_of_wiki20()),
    ]
    return pd.DataFrame([*map(_claim_of, (*_of_ontology(), *_of_sampling(), *_of_relations())), *rows])


_MEASURES = (("auc", ""), ("f1", "micro"), ("f1", "macro"))


def _claim(claim: str, where: str, holds: bool, numbers: pd.DataFrame) -> dict[str, Any]:
    shown = "; ".join(
        f"{name} " + " ".join(f"{value:g}" for value in np.round(row.astype(float), 2))
        for name, row in numbers.iterrows()
    )
    return {"claim": claim, "where": where, "holds": bool(holds), "numbers": shown}


Checked = tuple[str, str, bool, pd.DataFrame]
"""Claim, place in the paper, whether it holds, the numbers."""


def _claim_of(checked: Checked) -> dict[str, Any]:
    return _claim(*checked)


def _of_ontology() -> list[Checked]:
    auc = load_published("D", "Table 2").query("metric == 'auc'")
    table = auc.pivot(index="model", columns="dataset", values="value")[["nyt10", "nyt10m"]]
    lower = bool((table["nyt10m"] < table["nyt10"]).all())
    ahead = bool((table.loc["PCNN+bag+ATT"] > table.loc["PCNN+bag+AVG"]).all())
    return [
        ("the new ontology lowers the AUC of both models (held-out)", "Table 2", lower, table),
        ("ATT stays ahead of AVG on the old and on the new ontology", "Table 2", ahead, table),
    ]


def _of_sampling() -> list[Checked]:
    frame = load_published("D", "Table 3").assign(
        measure=lambda table: (table["scheme"] + " " + table["metric"]).str.strip()
    )
    table = frame.pivot_table(index="model", columns="measure", values="value", sort=False)
    full, sampled = (table.loc[f"PCNN+bag+ATT ({name})"] for name in ("full", "sample"))
    close = abs(full["auc"] - sampled["auc"]) < 0.5 and (sampled.drop("auc") > full.drop("auc")).all()
    claim = (
        "ATT with sampled bags is within half a point of AUC of whole ones, and higher in micro- and macro-F1"
    )
    return [(claim, "Table 3", close, table)]


def _of_relations() -> list[Checked]:
    """On the label counts of NYT10m: facts of the test part, sentences of the training part."""
    test, train = (relation_sizes(split) for split in ("test", "train"))
    top = 100 * test.nlargest(4).sum() / test.sum()
    contains = 100 * train["/location/location/contains"] / train.sum()
    few = int((train < 1000).sum())
    return [
        (
            "the four most frequent relations hold about 80 % of the positive test instances",
            "Imbalanced Classes",
            75 <= top <= 85,
            pd.DataFrame({"top four, %": [top]}, index=["NYT10m test"]),
        ),
        (
            "about half of the positive training instances are /location/location/contains",
            "Imbalanced Classes",
            45 <= contains <= 55 and train.idxmax() == "/location/location/contains",
            pd.DataFrame({"contains, %": [contains]}, index=["NYT10m train"]),
        ),
        (
            "half of the relations have fewer than 1000 training sentences",
            "Imbalanced Classes",
            len(train) / 2 <= few,
            pd.DataFrame({"few": [few], "all": [len(train)]}, index=["NYT10m train, few of all:"]),
        ),
    ]


def relation_sizes(split: str) -> pd.Series:
    """How many instances of each relation but NA a part of NYT10m has: sentences, of the test part facts.

    >>> int(relation_sizes("test").sum())
    3899
    """
    counts = published_counts("nyt10m")[split]
    return pd.Series({label: n for label, n in counts.items() if label not in (TOTAL, "NA")})


def _turns(auc: pd.DataFrame, first: str, second: str) -> bool:
    """Whether the first is ahead under the held-out protocol and behind under the manual one of bags."""
    return (
        auc.loc[first, HELD_OUT] > auc.loc[second, HELD_OUT]
        and auc.loc[first, MANUAL] < auc.loc[second, MANUAL]
    )


def _of(auc: pd.DataFrame, start: str) -> pd.Series:
    return auc.loc[[one for one in auc.index if one.startswith(start)], MANUAL]


def _best(auc: pd.DataFrame, start: str) -> float:
    return _of(auc, start).max()


def _opposite(micro: pd.Series, macro: pd.Series) -> pd.DataFrame:
    """Systems that differ in one step, training or strategy, and whose micro- and macro-F1 go apart."""
    rows = {}
    for a, b in combinations([one for one in micro.index if "+" in one], 2):
        differing = sum(x != y for x, y in zip(a.split("+"), b.split("+"), strict=True))
        if differing == 1 and (micro[a] - micro[b]) * (macro[a] - macro[b]) < 0:
            up, down = (a, b) if micro[a] > micro[b] else (b, a)
            rows[f"{down} → {up}"] = {"micro": micro[up] - micro[down], "macro": macro[up] - macro[down]}
    return pd.DataFrame.from_dict(rows, orient="index")


def _of_wiki20() -> tuple[str, str, bool, pd.DataFrame]:
    frame = load_published("D", "Table 5").query("metric == 'auc'").set_index("model")["value"]
    best = {
        start: frame[[one for one in frame.index if one.startswith(start)]].idxmax()
        for start in ("PCNN", "BERT")
    }
    holds = best == {"PCNN": "PCNN+bag+AVG", "BERT": "BERT+sent+AVG"}
    claim = "on Wiki20, AVG is the best strategy; bag-level training helps PCNN, not BERT"
    return claim, "5.4", holds, frame.to_frame()


def ontology_map() -> pd.DataFrame:
    """Table A.1: each of the 53 old relations, what becomes of it, and its new name.

    >>> ontology_map()["what"].value_counts().tolist()
    [23, 15, 15]
    """
    new = pd.Series(nyt10m_relations(), name="new relation").rename_axis("old relation").reset_index()
    shared = new["new relation"].duplicated(keep=False) & new["new relation"].notna()
    what = np.select([new["new relation"].isna(), shared], ["deleted", "merged"], "kept")
    return new.assign(what=what).fillna("")[["old relation", "what", "new relation"]]


def corpus_sizes() -> pd.DataFrame:
    """Table 1 as printed, with what the public label counts of NYT10m give beside it.

    >>> corpus_sizes().loc[("nyt10m", "val"), "counted here"]
    '46,422'
    """
    table = load_published("D", "Table 1").pivot_table(
        index=["dataset", "statistic"], columns="metric", values="printed", aggfunc="first", sort=False
    )
    counted = published_counts("nyt10m")
    ours = {split: sum(n for label, n in one.items() if label != TOTAL) for split, one in counted.items()}
    column = [f"{ours[split]:,}" if name == "nyt10m" and split in ours else "" for name, split in table.index]
    return (
        table.rename(index={"value": "all parts"}, level=1)
        .fillna("")
        .assign(**{"counted here": column})
        .rename_axis(columns=None)
    )
