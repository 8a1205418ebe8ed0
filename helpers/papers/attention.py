"""The case study of Lyu et al. 2021 (section V-D, Figure 4): one sentence, three models, what they look at.

Trained weights are too large to keep, so what the figures show is computed once (`case_study`) and stored as
JSON with its provenance; `read_study` and the frames load no model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import SEMEVAL_RELATIONS, file_sha256, inverse_label, label_ids, write_atomically
from ..data import SPACED_TAGS, RelationSample, paired_sample, parse_tagged, read_corpus, render
from ..experiments import Experiment
from ..models import build
from ..runs import STUDIES_FOLDER

STUDIES = STUDIES_FOLDER / "attention"
SIDES = ("original", "paired")
GROUPS = ("[CLS], [SEP]", "markers", "key word", "literal relation", "entities", "other words")
MARKERS = ("[E11]", "[E12]", "[E21]", "[E22]")
SPECIAL = ("[CLS]", "[SEP]")


def read_study(path: Path | str) -> dict[str, Any]:
    """A stored case study. Raises ValueError that names the file if it is not whole; OSError if missing."""
    try:
        study = json.loads(Path(path).read_text("utf-8"))
        _check_study(study)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{Path(path).name} is no case study: {error}") from error
    return study


def _check_study(study: Mapping[str, Any]) -> None:
    """Raises ValueError if shapes disagree or an attention row does not sum to 1; KeyError if a field lacks.

    >>> _check_study({"original": {"tokens": ["a"], "attention": [[[0.5]]]}})
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


def _token_groups(tokens: Sequence[str], key: str = "caused") -> list[str]:
    """The group of each token, one of `GROUPS`: what the shares of attention are summed over.

    >>> _token_groups("[CLS] effect cause [SEP] [E11] fire [E12] caused the [E21] alarm [E22] [SEP]".split())
    ['[CLS], [SEP]', 'literal relation', 'literal relation', '[CLS], [SEP]', 'markers', 'entities', 'markers',
     'key word', 'other words', 'markers', 'entities', 'markers', '[CLS], [SEP]']
    """
    literal = tokens.index("[SEP]") if list(tokens).count("[SEP]") > 1 else 0
    named = dict.fromkeys(SPECIAL, GROUPS[0]) | dict.fromkeys(MARKERS, "markers")
    groups, inside = [], False
    for position, token in enumerate(tokens):
        if token in MARKERS:
            inside = token in MARKERS[::2]
        word = "key word" if token == key else "entities" if inside else "other words"
        groups.append(named.get(token, "literal relation" if position < literal else word))
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

    Raises ValueError if the weights do not fit the experiment's model; MissingData for a data set that is not
    here, as `build` else.
    """

    from ..models.training import load_weights

    options = experiment.options | {"attention": "eager"}
    made = (experiment.model, experiment.encoder, _labels(experiment), experiment.resolved())
    model = load_weights(Path(weights), build(*made, experiment.seed, **options))
    study = {
        "model": experiment.name,
        "dataset": experiment.dataset_name,
        "run": experiment.path("results/runs").as_posix(),
        "encoder": model.encoder.name,
        "encoder_sha256": model.encoder.sha256,
        "weights_sha256": file_sha256(weights),
        "seed": experiment.seed,
        "profile": experiment.profile,
        "sentence": sample.id,
    }
    for side, own in zip(SIDES, (sample, paired_sample(sample)), strict=True):
        study[side] = _reading(model, own)
    _check_study(study)
    write_atomically(Path(folder) / f"{experiment.name.lower()}.json", _text(study))
    return study


def _labels(experiment: Experiment) -> tuple[str, ...]:
    if experiment.dataset == "semeval2010":  # known without its files
        return SEMEVAL_RELATIONS
    return tuple(label_ids(s.relation for part in read_corpus(experiment.dataset).values() for s in part))


def _reading(model, sample: RelationSample) -> dict[str, Any]:
    """What the model reads in one sentence, and what it makes of it."""

    from ..models import attribution
    from ..models.entity_markers import LiteralRelationCls

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

    explained = attribution.integrated_gradients(model, sample, relation, against)
    numbers = {name: round(getattr(explained, name), DIGITS) for name in ("score", "baseline", "gap")}
    values = explained.values.round(DIGITS).tolist()
    return {"relation": relation, "against": against, "steps": attribution.STEPS, **numbers, "values": values}


def _text(study: Mapping[str, Any]) -> str:
    """JSON with one field of the study a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in study.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


Studies = Mapping[str, Mapping[str, Any]]
"""Model → what `read_study` gives."""


def study_sides(studies: Studies) -> pd.DataFrame:
    """A row for each model and side: columns model, sentence (the side), then what a study says of it."""
    rows = [
        {"model": name, "sentence": side} | study[side] for name, study in studies.items() for side in SIDES
    ]
    return pd.DataFrame(rows)


def _tokens(side: Any, key_word: str) -> pd.DataFrame:
    """A row a token of a row of `study_sides`: position, token, group, model, sentence."""
    table = pd.DataFrame({"token": side.tokens, "group": _token_groups(side.tokens, key_word)})
    table = table.assign(model=side.model, sentence=side.sentence)
    return table.rename_axis("position").reset_index()


def all_attention(studies: Studies, key_word: str = "caused") -> pd.DataFrame:
    """One row a weight: model, layer and head (from 1), position (from 0), token, weight, sentence (the
    side), group (of `GROUPS`)."""
    tables = []
    for side in study_sides(studies).itertuples():
        weights = np.array(side.attention)
        index = pd.MultiIndex.from_product(map(range, weights.shape), names=["layer", "head", "position"])
        frame = (index.to_frame(index=False) + [1, 1, 0]).assign(weight=weights.ravel())
        tables.append(frame.merge(_tokens(side, key_word), on="position"))
    columns = ["model", "layer", "head", "position", "token", "weight", "sentence", "group"]
    return pd.concat(tables, ignore_index=True)[columns]


def explained(studies: Studies, name: str = "attribution", key_word: str = "caused") -> pd.DataFrame:
    """One row a token: model, sentence (a side), relation, position, token, value, score (the title of what
    is explained), group (of `GROUPS`).

    name : 'attribution' or 'direction'; a side without it has no rows.
    """
    tables = []
    for side in study_sides(studies).itertuples():
        if part := getattr(side, name):
            what = {"direction": " over its inverse"}.get(name, " holds" if side.model == "EMR-C" else "")
            titles = {"relation": part["relation"], "score": part["relation"] + what}
            tables.append(_tokens(side, key_word).assign(value=part["values"], **titles))
    columns = ["model", "sentence", "relation", "position", "token", "value", "score", "group"]
    return pd.concat(tables, ignore_index=True)[columns]


def group_shares(weights: pd.DataFrame) -> pd.DataFrame:
    """Share of each group of tokens in each layer, per cent: model, sentence, layer, group, share.

    Groups in the order of `GROUPS`; `weights` as `all_attention` gives them.
    """
    summed = weights.groupby(["model", "sentence", "layer", "head", "group"], sort=False)["weight"].sum()
    shares = 100 * summed.groupby(["model", "sentence", "layer", "group"], sort=False).mean()
    return shares.rename("share").reset_index().sort_values(
        "group", key=lambda column: column.map(GROUPS.index), kind="stable", ignore_index=True
    )  # fmt: skip


def last_layer(shares: pd.DataFrame) -> pd.DataFrame:
    """Shares in the last layer, a row a model and side, a column a group."""
    own = shares[shares["layer"] == shares["layer"].max()]
    wide = own.pivot(index=["model", "sentence"], columns="group", values="share")
    return wide[[group for group in GROUPS if group in wide]].rename_axis(columns=None)
