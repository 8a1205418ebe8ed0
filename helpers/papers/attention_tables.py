"""The case study of R's Figure 4, table by table and in words: what notebook 08 shows.

Every sentence is made from the stored studies. Shares are per cent of the attention of [CLS], mean over the
heads of a layer; attributions are integrated gradients.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ..metrics import holm
from ..reporting import from_to, listed
from .attention import GROUPS, SIDES, SPECIAL, attention_frame, attribution_frame, token_groups

Studies = Mapping[str, Mapping[str, Any]]
"""Model → what `read_study` gives."""
LOOKED, BEFORE, AFTER = "attention on the markers (%)", "its p", "its p, markers exchanged"
FOLLOWED = ("key word", "markers", "literal relation")


def answers_table(studies: Studies) -> pd.DataFrame:
    """What each model says to either side of the sentence, and how likely it finds the gold relation."""
    rows = [
        {"model": name, "sentence": side, "gold": part["gold"], "predicted": part["predicted"]}
        | {"p of the predicted": part["probabilities"][part["predicted"]]}
        | {"p of the gold": part["probabilities"][part["gold"]]}
        for name, study in studies.items()
        for side, part in ((side, study[side]) for side in SIDES)
    ]
    return pd.DataFrame(rows)


def answers_in_words(studies: Studies) -> str:
    """Which models turn their answer with the markers."""
    table = answers_table(studies).set_index(["model", "sentence"])
    parts = []
    for name in studies:
        first, second = (table.loc[(name, side)] for side in SIDES)
        turns = first["predicted"] != second["predicted"]
        right = sum(row["predicted"] == row["gold"] for row in (first, second))
        parts.append(f"{name} {'turns' if turns else 'keeps'} its answer (right on {right} of 2)")
    return listed(parts) + "."


def all_attention(studies: Studies, key_word: str = "caused") -> pd.DataFrame:
    """`attention_frame` of every study and side, with columns sentence and group (of `GROUPS`)."""
    tables = []
    for study in studies.values():
        for side in SIDES:
            frame = attention_frame(study, side)
            groups = np.array(token_groups(study[side]["tokens"], key_word))
            tables.append(frame.assign(sentence=side, group=groups[frame["position"]]))
    return pd.concat(tables, ignore_index=True)


def group_shares(weights: pd.DataFrame) -> pd.DataFrame:
    """Share of each group of tokens in each layer, per cent: model, sentence, layer, group, share.

    Groups in the order of `GROUPS`; `weights` as `all_attention` gives them.
    """
    summed = weights.groupby(["model", "sentence", "layer", "head", "group"], sort=False)["weight"].sum()
    shares = summed.groupby(["model", "sentence", "layer", "group"], sort=False).mean().mul(100)
    return shares.rename("share").reset_index().sort_values(
        "group", key=lambda column: column.map(GROUPS.index), kind="stable", ignore_index=True
    )  # fmt: skip


def telling_layers(shares: pd.DataFrame, least: float = 25.0) -> list[int]:
    """Layers in which some model gives that much of its attention to other tokens than [CLS] and [SEP].

    >>> row = {"model": "m", "sentence": "original", "group": "[CLS], [SEP]"}
    >>> telling_layers(pd.DataFrame([row | {"layer": 1, "share": 90.0}, row | {"layer": 2, "share": 10.0}]))
    [2]
    """
    own = shares[(shares["group"] == GROUPS[0]) & (shares["sentence"] == SIDES[0])]
    lowest = own.groupby("layer")["share"].min()
    return [int(layer) for layer in lowest.index[lowest < 100 - least]]


def last_layer(shares: pd.DataFrame) -> pd.DataFrame:
    """Shares in the last layer, a row a model and side, a column a group."""
    own = shares[shares["layer"] == shares["layer"].max()]
    wide = own.pivot(index=["model", "sentence"], columns="group", values="share")
    return wide[[group for group in GROUPS if group in wide]].rename_axis(columns=None)


def best_heads(weights: pd.DataFrame) -> pd.DataFrame:
    """The head that looks at each of `FOLLOWED` most, on the original sentence."""
    own = weights[weights["group"].isin(FOLLOWED) & (weights["sentence"] == SIDES[0])]
    own = own.sort_values("weight", ascending=False, kind="stable").drop_duplicates(["model", "group"])
    return own.set_index(["model", "group"])[["token", "layer", "head", "weight"]].sort_index()


def tops_in_words(weights: pd.DataFrame) -> str:
    """In how many heads of the last layer which token gets most, by group, on the original sentence."""
    own = weights[(weights["sentence"] == SIDES[0]) & (weights["layer"] == weights["layer"].max())]
    parts = []
    for model, rows in own.groupby("model", sort=False):
        top = rows.loc[rows.groupby("head")["weight"].idxmax()]
        counts = top["group"].value_counts()
        said = [f"{group} in {n} heads" if n > 1 else f"{group} in one head" for group, n in counts.items()]
        parts.append(f"- {model}: most attention goes to {listed(said)}")
    return "\n".join(parts)


def shares_in_words(shares: pd.DataFrame) -> str:
    """How much of the last layer's attention markers and key word get, by model, on the original sentence."""
    wide = last_layer(shares).xs(SIDES[0], level="sentence").fillna(0)
    parts = [
        f"- {model}: markers {row['markers']:.0f} %, key word {row['key word']:.0f} %"
        + (f", literal relation {row['literal relation']:.0f} %" if row.get("literal relation", 0) else "")
        for model, row in wide.iterrows()
    ]
    return "\n".join(parts)


def exchange_table(studies: Studies, shares: pd.DataFrame) -> pd.DataFrame:
    """The attention on the markers beside what their exchange does to the answer: one row a model."""
    markers = last_layer(shares).xs(SIDES[0], level="sentence")["markers"]
    rows = []
    for name, study in studies.items():
        label = study["original"]["predicted"]
        before, after = (study[side]["probabilities"].get(label, np.nan) for side in SIDES)
        rows.append((name, markers[name], label, before, after))
    columns = ["model", LOOKED, "answer", BEFORE, AFTER]
    return pd.DataFrame(rows, columns=columns).set_index("model")


def exchange_in_words(studies: Studies, shares: pd.DataFrame) -> str:
    """Which models look at the markers without their answer depending on them."""
    table = exchange_table(studies, shares)
    still = table[table[AFTER] > table[BEFORE] / 2]
    turned = table.drop(still.index)
    said, other = (
        [f"{name} {share:.0f} %" for name, share in rows[LOOKED].items()] for rows in (still, turned)
    )
    return (
        f"{table.index[0]}: {table[BEFORE].iloc[0]:.3f} and {table[AFTER].iloc[0]:.3f}. The answer stays "
        f"although the markers are exchanged: {listed(said)} of the attention on them. It turns: "
        f"{listed(other)}. All look at the markers; whether that matters shows only when they change places."
    )


def explained(studies: Studies, name: str = "attribution") -> pd.DataFrame:
    """`attribution_frame` of every study that has it, with the title of its score."""
    own = [study for study in studies.values() if study["original"][name]]
    table = pd.concat([attribution_frame(study, name) for study in own], ignore_index=True)
    if name == "direction":
        return table.assign(score=table["relation"] + " over its inverse")
    holds = table["model"].map({"EMR-C": " holds"}).fillna("")
    return table.assign(score=table["relation"] + holds)


def completeness_table(studies: Studies) -> pd.DataFrame:
    """The score that is explained, less that of the empty sentence, beside the sum of the attributions."""
    rows = []
    for name, study in studies.items():
        for side, kind in ((side, kind) for side in SIDES for kind in ("attribution", "direction")):
            if (part := study[side][kind]) is not None:
                sums = {"score − baseline": part["score"] - part["baseline"], "sum": sum(part["values"])}
                rows.append({"model": name, "sentence": side, "explains": kind} | sums)
    return pd.DataFrame(rows)


def largest_in_words(studies: Studies, n: int = 3) -> str:
    """The tokens that add most to the relation's score on the original sentence, and the markers' sum."""
    table = explained(studies).query("sentence == 'original'")
    parts = []
    for model, rows in table.groupby("model", sort=False):
        top = rows.sort_values("value", ascending=False).head(n)
        groups = np.array(token_groups(rows["token"].tolist()))
        markers, total = rows.loc[groups == "markers", "value"].sum(), rows["value"].sum()
        said = [f"*{token}* {value:.1f}" for token, value in zip(top["token"], top["value"], strict=True)]
        literal = rows.loc[groups == "literal relation", "value"].sum()
        words = f", the literal relation {literal:+.1f}".replace("-", "−") if literal else ""
        parts.append(
            f"- {model}, {total:.1f} in all: {listed(said)}; the markers together {markers:.1f}{words}"
        )
    return "\n".join(parts)


def direction_sums(studies: Studies, key_word: str = "caused") -> pd.DataFrame:
    """What each group of tokens adds to the lead of the gold relation over its inverse, by model and side."""
    table = explained(studies, "direction")
    for (model, side), rows in table.groupby(["model", "sentence"], sort=False):
        table.loc[rows.index, "group"] = token_groups(studies[model][side]["tokens"], key_word)
    wide = table.pivot_table(
        index=["model", "sentence"], columns="group", values="value", aggfunc="sum", sort=False
    )
    wide = wide.drop(columns=GROUPS[0]).rename_axis(columns=None)
    return wide.assign(all=wide.sum(axis=1))


def direction_in_words(studies: Studies) -> str:
    """How much of the lead over the inverse comes from the markers, by model and sentence."""
    sums = direction_sums(studies)
    parts = []
    for model, rows in sums.groupby(level="model", sort=False):
        first, second = (rows.loc[(model, side)] for side in SIDES)
        said = [f"{row['markers']:.1f} of {row['all']:.1f}".replace("-", "−") for row in (first, second)]
        parts.append(f"- {model}: the markers add {said[0]}; on the paired sentence {said[1]}")
    return "\n".join(parts)


def agreement_table(studies: Studies) -> pd.DataFrame:
    """Kendall's τ of the last layer's attention and the size of the attributions, original sentence.

    Over the tokens without [CLS] and [SEP]; attention is the mean over the heads. p_holm: over the table.
    """
    rows = []
    for name, study in studies.items():
        part = study["original"]
        inside = [place for place, token in enumerate(part["tokens"]) if token not in SPECIAL]
        looked = np.mean(part["attention"][-1], axis=0)[inside]
        for kind in ("attribution", "direction"):
            if part[kind] is not None:
                found = kendalltau(looked, np.abs(part[kind]["values"])[inside])
                row = {"model": name, "explains": kind, "tau": found.statistic, "p": found.pvalue}
                rows.append(row | {"tokens": len(inside)})
    table = pd.DataFrame(rows)
    table.insert(4, "p_holm", holm(table["p"].tolist()))
    return table


def agreement_in_words(studies: Studies, level: float = 0.05) -> str:
    """Where the two rankings of the tokens agree more than by chance."""
    table = agreement_table(studies)
    agree = table[table["p_holm"] < level]
    rest = table[table["p_holm"] >= level]
    said = [f"{row.model}, {row.explains} (τ = {row.tau:.2f})" for row in agree.itertuples()]
    if rest.empty:
        return f"More agreement than chance for {listed(said)}."
    ends = from_to(rest["tau"], 2).replace(" to ", " and ")
    p, corrected = rest["p"].min(), rest["p_holm"].min()
    return (
        f"More agreement than chance for {listed(said, 'no model')}; else τ lies between {ends}, and the "
        f"smallest p is {p:.3f} alone and {corrected:.2f} corrected over the {len(table)} tests."
    )


def observations_table(studies: Studies, weights: pd.DataFrame) -> pd.DataFrame:
    """The three observations of Lyu et al. beside what is found here."""
    shares = last_layer(group_shares(weights)).xs(SIDES[0], level="sentence")
    first = explained(studies).query("sentence == 'original'")
    first = first.loc[first.groupby("model")["value"].idxmax()].set_index("model")["token"]
    literal = best_heads(weights).loc[("EMR-C", "literal relation")]

    def looked(model: str) -> str:
        row = shares.loc[model]
        return f"Attention: *caused* {row['key word']:.0f} %, markers {row['markers']:.0f} %"

    return pd.DataFrame(
        {
            "Lyu et al. (BERT-base)": [
                "EM-C: mostly *caused*",
                "EM-C-M: markers and *caused*",
                "EMR-C: *caused* and the literal relation, markers a little",
            ],
            "here (MiniLM, seed 9; last layer)": [
                *(f"{looked(model)}. Attributions: *{first[model]}* first" for model in ("EM-C", "EM-C-M")),
                f"{looked('EMR-C')}; literal relation {shares.loc['EMR-C', 'literal relation']:.0f} %, up to "
                f"{literal['weight']:.2f} in one head (layer {literal['layer']}, head {literal['head']})",
            ],
        }
    )
