"""Stored case studies: what a model looked at in one sentence and its paired one; read, checked, as tables.

`helpers.case_study` computes and writes them. Nothing here loads a model.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import ROOT

FOLDER = ROOT / "results" / "attention"
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
