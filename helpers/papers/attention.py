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

from ..core import SEMEVAL_RELATIONS, inverse_label, label_ids, write_atomically
from ..data import SPACED_TAGS, RelationSample, paired_sample, parse_tagged, read_corpus, render
from ..experiments import Experiment
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
