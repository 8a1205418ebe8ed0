"""The case study of Lyu et al. 2021 (section V-D, Figure 4): one sentence, three models, what they look at.

Trained weights are too large to keep, so what the figures show is computed once (`case_study`) and stored as
JSON with its provenance; `read_study` and the frames load no model.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ..core import SEMEVAL_RELATIONS, inverse_label, label_ids, write_atomically
from ..data import SPACED_TAGS, RelationSample, paired_sample, parse_tagged, read_corpus, render
from ..experiments import Experiment
from ..metrics import holm
from ..models import build
from ..runs import STUDIES_FOLDER, safe_name

STUDIES = STUDIES_FOLDER / "attention"
SIDES = ("original", "paired")
GROUPS = ("[CLS], [SEP]", "markers", "key word", "literal relation", "entities", "other words")
MARKERS = ("[E11]", "[E12]", "[E21]", "[E22]")
SPECIAL = ("[CLS]", "[SEP]")


def read_study(path: Path | str) -> dict[str, Any]:
    """A stored case study. Raises ValueError that names the file if it is not whole; OSError if missing."""
    try:
        study = json.loads(Path(path).read_text("utf-8"))
        check_study(study)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{Path(path).name} is no case study: {error}") from error
    return study


def check_study(study: Mapping[str, Any]) -> None:
    """Raises ValueError if shapes disagree or an attention row does not sum to 1; KeyError if a field lacks.

    >>> check_study({"original": {"tokens": ["a"], "attention": [[[0.5]]]}})
    Traceback (most recent call last):
    ValueError: original: attention of layer 1, head 1 sums to 0.5
    """
    for side in SIDES:
        part = study[side]
        weights, tokens = np.array(part["attention"], dtype=float), len(part["tokens"])
        if weights.ndim != 3 or weights.shape[2] != tokens:
            raise ValueError(f"{side}: attention has shape {weights.shape} for {tokens} tokens")
        sums = weights.sum(axis=2)
        for layer, head in np.argwhere(np.abs(sums - 1) > 1e-3):
            raise ValueError(
                f"{side}: attention of layer {layer + 1}, head {head + 1} sums to {sums[layer, head]:.4g}"
            )
        for name in ("attribution", "direction"):
            if part[name] is not None and len(part[name]["values"]) != tokens:
                raise ValueError(f"{side}: {name} has {len(part[name]['values'])} values, {tokens} tokens")


def attention_frame(study: Mapping[str, Any], side: str = "original") -> pd.DataFrame:
    """Columns model, layer and head (from 1), position (from 0), token, weight: one row a weight."""
    part = study[side]
    weights = np.array(part["attention"])
    index = pd.MultiIndex.from_product(map(range, weights.shape), names=["layer", "head", "position"])
    frame = index.to_frame(index=False)
    frame.insert(0, "model", study["model"])
    frame["token"] = np.array(part["tokens"])[frame["position"]]
    return frame.assign(layer=frame["layer"] + 1, head=frame["head"] + 1, weight=weights.ravel())


def attribution_frame(study: Mapping[str, Any], name: str = "attribution") -> pd.DataFrame:
    """Columns model, sentence (a side), relation (explained), position, token, value: one row a token of each
    side.

    `name` : 'attribution' or 'direction'; a side without it has no rows.
    """
    columns = ["model", "sentence", "relation", "position", "token", "value"]
    rows = [
        (study["model"], side, study[side][name]["relation"], place, token, value)
        for side in SIDES
        if study[side][name] is not None
        for place, (token, value) in enumerate(
            zip(study[side]["tokens"], study[side][name]["values"], strict=True)
        )
    ]
    return pd.DataFrame(rows, columns=columns)


def token_groups(tokens: Sequence[str], key: str = "caused") -> list[str]:
    """The group of each token, one of `GROUPS`: what the shares of attention are summed over.

    >>> token_groups("[CLS] effect cause [SEP] [E11] fire [E12] caused the [E21] alarm [E22] [SEP]".split())
    ['[CLS], [SEP]', 'literal relation', 'literal relation', '[CLS], [SEP]', 'markers', 'entities', 'markers',
     'key word', 'other words', 'markers', 'entities', 'markers', '[CLS], [SEP]']
    """
    literal = tokens.index("[SEP]") if list(tokens).count("[SEP]") > 1 else 0
    named = dict.fromkeys(SPECIAL, GROUPS[0]) | dict.fromkeys(MARKERS, "markers")
    groups, inside = [], False
    for place, token in enumerate(tokens):
        if token in MARKERS:
            inside = token in MARKERS[::2]
        word = "key word" if token == key else "entities" if inside else "other words"
        groups.append(named.get(token, "literal relation" if place < literal else word))
    return groups


_TAGGED = "the deadly train <e1> crash </e1> was caused by terrorist <e2> attack </e2>"

FIGURE_4 = RelationSample("8219", *parse_tagged(_TAGGED, SPACED_TAGS), "Cause-Effect(e2,e1)")
"""The sentence of Figure 4: test item 218 of SemEval-2010 Task 8, cleaned as in the authors' files. The paper
prints the relation as Cause-Effect(e1,e2); the official key and the authors' files say (e2,e1)."""
DIGITS = 5


def case_study(
    experiment: Experiment,
    weights: Path | str,
    sample: RelationSample = FIGURE_4,
    folder: Path | str = STUDIES,
) -> dict[str, Any]:
    """Attention and attributions of a trained model on a sentence and its paired one; written as JSON too.

    The file is `<folder>/<model>.json`: model, data set, run file, encoder, seed, profile, the weights'
    sha256, and for each of `SIDES` the tokens, the gold and the predicted relation with probabilities,
    `attention` (layers, heads, tokens) of [CLS], `attribution`, the integrated gradients of the predicted
    relation's logit, and `direction`, those of the lead of the gold relation over its inverse. EMR-C reads
    the gold relation beside the sentence: its attribution is that of 'holds', and it has no direction.

    Raises ValueError if the weights do not fit the experiment's model, for a data set whose labels are not
    known here, and as `build`.

    >>> case_study(Experiment("em-c", "kbp37"), "em-c.safetensors")
    Traceback (most recent call last):
    ValueError: the case study knows semeval2010 and demo, not kbp37
    """

    from ..models.training import load_weights

    labels = _labels(experiment)
    settings = experiment.resolved()
    model = build(
        experiment.model,
        experiment.encoder,
        labels,
        settings,
        experiment.seed,
        attention="eager",
        **experiment.options,
    )
    load_weights(Path(weights), model)
    encoder = model.encoder.name
    profile = "" if experiment.profile == "standard" else experiment.profile
    named = "+".join(filter(None, (experiment.name, profile, experiment.variant)))
    place = (experiment.dataset_name, named, encoder)
    study = {
        "model": experiment.name,
        "dataset": experiment.dataset_name,
        "run": "/".join(["results/runs", *map(safe_name, place), f"seed-{experiment.seed}.json"]),
        "encoder": encoder,
        "encoder_sha256": model.encoder.sha256,
        "weights_sha256": _sha256(Path(weights)),
        "seed": experiment.seed,
        "profile": experiment.profile,
        "sentence": sample.id,
    }
    for side, one in zip(SIDES, (sample, paired_sample(sample)), strict=True):
        study[side] = _reading(model, one)
    check_study(study)
    write_atomically(Path(folder) / f"{experiment.name.lower()}.json", _text(study))
    return study


def _labels(experiment: Experiment) -> tuple[str, ...]:
    if experiment.dataset == "semeval2010":
        return SEMEVAL_RELATIONS
    if experiment.dataset == "demo":
        return tuple(label_ids(one.relation for part in read_corpus("demo").values() for one in part))
    raise ValueError(f"the case study knows semeval2010 and demo, not {experiment.dataset}")


def _reading(model, sample: RelationSample) -> dict[str, Any]:
    """What the model reads in one sentence, and what it makes of it."""

    from ..models import attribution
    from ..models.literal_relation import LiteralRelationCls

    chances = attribution.probabilities(model, sample)
    gold, predicted, other = sample.relation, max(chances, key=chances.get), inverse_label(sample.relation)
    literal = isinstance(model, LiteralRelationCls)
    return {
        "text": render(sample, SPACED_TAGS),
        "gold": gold,
        "predicted": predicted,
        "probabilities": {name: round(chances[name], DIGITS) for name in (gold, other, predicted)},
        "tokens": attribution.tokens_read(model, sample),
        "attention": attribution.cls_attention(model, sample).astype(float).round(DIGITS).tolist(),
        "attribution": _attribution(model, sample, gold if literal else predicted),
        "direction": None if literal else _attribution(model, sample, gold, other),
    }


def _attribution(model, sample: RelationSample, relation: str, against: str | None = None) -> dict[str, Any]:
    from ..models import attribution

    found = attribution.integrated_gradients(model, sample, relation, against)
    numbers = {name: round(getattr(found, name), DIGITS) for name in ("score", "baseline", "gap")}
    values = found.values.round(DIGITS).tolist()
    return {"relation": relation, "against": against, "steps": attribution.STEPS, **numbers, "values": values}


def _text(study: Mapping[str, Any]) -> str:
    """JSON with one list of numbers or words a line."""
    text = json.dumps(study, indent=1, ensure_ascii=False)
    for item in ('"[^"]*"', '[^][{}",]+'):
        text = re.sub(rf"\[\s+({item}(?:,\s+{item})*)\s+\]", _one_line, text)
    return text + "\n"


def _one_line(found: re.Match[str]) -> str:
    return "[" + re.sub(r",\n\s+", ", ", found[1].strip()) + "]"


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


Studies = Mapping[str, Mapping[str, Any]]
"""Model → what `read_study` gives."""
EXCHANGED = ("attention on the markers (%)", "its p", "its p, markers exchanged")
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


def exchange_table(studies: Studies, shares: pd.DataFrame) -> pd.DataFrame:
    """The attention on the markers beside what their exchange does to the answer: one row a model."""
    markers = last_layer(shares).xs(SIDES[0], level="sentence")["markers"]
    rows = []
    for name, study in studies.items():
        label = study["original"]["predicted"]
        before, after = (study[side]["probabilities"].get(label, np.nan) for side in SIDES)
        rows.append((name, markers[name], label, before, after))
    columns = ["model", EXCHANGED[0], "answer", *EXCHANGED[1:]]
    return pd.DataFrame(rows, columns=columns).set_index("model")


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
