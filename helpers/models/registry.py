"""The models by name, and how one is built."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Sequence

import torch

from helpers.core import unknown_name

from .base import RelationClassifier
from .encoder import load_encoder
from .entity_markers import EntityMarkersCls, EntityMarkersStart, RBert
from .literal_relation import LiteralRelationCls
from .prompt import Prompt
from .settings import Settings

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

    Raises ValueError for an unknown model or option, and as `load_encoder` and the model's class.
    """
    check_options(name, options)
    kind = MODELS[name]
    torch.manual_seed(seed)
    pooler = options.get("form") == "port"
    loaded = load_encoder(encoder, kind.markers, settings.dropout, pooler, attention, settings.marker_vectors)
    return kind(loaded, labels, settings.max_length, **options)


def check_options(name: str, options: Iterable[str]) -> None:
    """Raise ValueError, which lists the known ones, for an unknown model or one that has not these options.

    >>> check_options("em-es", ["layer_norm"])
    >>> check_options("em-es", ["layernorm"])
    Traceback (most recent call last):
    ValueError: unknown option of em-es 'layernorm'; did you mean 'layer_norm'? Known: layer_norm
    """
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    common = inspect.signature(RelationClassifier).parameters
    known = [one for one in inspect.signature(MODELS[name]).parameters if one not in common]
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {name}", option, known or ["none"])
