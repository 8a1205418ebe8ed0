"""The models by name, and how one is built."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from helpers.data.errors import unknown_name
from helpers.models.classifier import RelationClassifier
from helpers.models.encoder import load_encoder
from helpers.models.entity_markers import EntityMarkersCls, EntityMarkersStart, RBert
from helpers.models.literal_relation import LiteralRelationCls
from helpers.models.prompt import Prompt
from helpers.models.settings import Settings

MODELS: dict[str, type[RelationClassifier]] = {
    "em-c": EntityMarkersCls,
    "em-es": EntityMarkersStart,
    "r-bert": RBert,
    "emr-c": LiteralRelationCls,
    "ptr": Prompt,
}
"""Name → class."""


def build(
    name: str,
    encoder: str,
    labels: Sequence[str],
    settings: Settings,
    seed: int,
    attention: str | None = None,
    **options: object,
) -> RelationClassifier:
    """A model with its pretrained encoder; new weights are drawn from `seed`.

    Parameters
    ----------
    name : one of `MODELS`.
    encoder : see `load_encoder`; `attention` likewise.
    options : of the model, e.g. `layer_norm=True` for em-es.

    Raises ValueError for an unknown model or option, and as `load_encoder`.
    """
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    kind = MODELS[name]
    torch.manual_seed(seed)
    pooler = options.get("form") == "port"
    loaded = load_encoder(encoder, kind.markers, settings.dropout, pooler, attention)
    try:
        return kind(loaded, labels, settings.max_length, **options)
    except TypeError as error:
        raise ValueError(f"model {name}: {str(error).partition('() ')[2] or error}") from None
