"""The case study of Lyu et al. 2021 (section V-D, Figure 4): one sentence, three models, what they look at.

Trained weights are too large to keep, so what the figures show is computed once and stored as JSON, with its
provenance. `models.attention` computes, `reporting.studies` reads, `reporting.figures.attention` draws.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .data.demo import demo_corpus
from .data.pairing import paired_sample
from .data.relations import SEMEVAL_RELATIONS, inverse, label_ids
from .data.samples import SPACED_TAGS, RelationSample, parse_tagged, render
from .experiments import Experiment
from .models import attention
from .models.checkpoints import load_weights
from .models.literal_relation import LiteralRelationCls
from .models.registry import build
from .reporting.files import write_atomically
from .reporting.runs import safe_name
from .reporting.studies import FOLDER, SIDES, check_study

_TAGGED = "the deadly train <e1> crash </e1> was caused by terrorist <e2> attack </e2>"
FIGURE_4 = RelationSample("8219", *parse_tagged(_TAGGED, SPACED_TAGS), "Cause-Effect(e2,e1)")
"""The sentence of Figure 4: test item 218 of SemEval-2010 Task 8, cleaned as in the authors' files. The paper
prints the relation as Cause-Effect(e1,e2); the official key and the authors' files say (e2,e1)."""
DIGITS = 5


def case_study(
    experiment: Experiment,
    weights: Path | str,
    sample: RelationSample = FIGURE_4,
    folder: Path | str = FOLDER,
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
    place = (experiment.dataset_name, experiment.name, encoder)
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
        return tuple(label_ids(one.relation for part in demo_corpus(seed=0).values() for one in part))
    raise ValueError(f"the case study knows semeval2010 and demo, not {experiment.dataset}")


def _reading(model, sample: RelationSample) -> dict[str, Any]:
    """What the model reads in one sentence, and what it makes of it."""
    chances = attention.probabilities(model, sample)
    gold, predicted, other = sample.relation, max(chances, key=chances.get), inverse(sample.relation)
    literal = isinstance(model, LiteralRelationCls)
    return {
        "text": render(sample, SPACED_TAGS),
        "gold": gold,
        "predicted": predicted,
        "probabilities": {name: round(chances[name], DIGITS) for name in (gold, other, predicted)},
        "tokens": attention.tokens_read(model, sample),
        "attention": attention.cls_attention(model, sample).astype(float).round(DIGITS).tolist(),
        "attribution": _attribution(model, sample, gold if literal else predicted),
        "direction": None if literal else _attribution(model, sample, gold, other),
    }


def _attribution(model, sample: RelationSample, relation: str, against: str | None = None) -> dict[str, Any]:
    found = attention.integrated_gradients(model, sample, relation, against)
    numbers = {name: round(getattr(found, name), DIGITS) for name in ("score", "baseline", "gap")}
    values = found.values.round(DIGITS).tolist()
    return {"relation": relation, "against": against, "steps": attention.STEPS, **numbers, "values": values}


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
