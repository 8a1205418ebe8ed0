"""PTR stepped through: how the prompt of one sentence is built, what fills it, and what follows from it.

For reading and teaching; the model itself is `prompt.Prompt`, and every step is taken from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from ..data import RelationSample
from . import training
from .prompt import MASKS, Prompt


class _PromptStep(NamedTuple):
    """One step: `what` is done, and what `result` it gives for the sentence."""

    what: str
    result: str


def prompt_steps(model: Prompt, sample: RelationSample) -> list[_PromptStep]:
    """The way of one sentence through PTR (Han et al. 2021, section 3), step by step.

    The sentence, its entities, the template, the tokens that the encoder reads, the words that each mask may
    take, the template filled with the words of the sample's relation, the word with the highest logit at each
    mask, and the relation whose words have the highest sum. The last two are those of the model as it is:
    untrained weights give arbitrary words.

    Raises ValueError for a relation that the model does not know.

    >>> from helpers.models.encoder import load_encoder
    >>> model = Prompt(load_encoder(), ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Other"])
    >>> sample = RelationSample("1", "The fire caused panic.", (4, 8), (16, 21), "Cause-Effect(e1,e2)")
    >>> for what, result in prompt_steps(model, sample)[:-2]:
    ...     print(f"{what}: {result}")
    sentence, without markers: The fire caused panic.
    entity 1, entity 2: fire, panic
    template after the sentence: the [1] fire [2] [3] [4] the [5] panic
    tokens: [CLS] the fire caused panic . the [MASK] fire [MASK] [MASK] [MASK] the [MASK] panic [SEP]
    words that mask 1 may take: cause, effect, nothing
    words that mask 2 may take: cause, effect, has
    words that mask 3 may take: nothing, of
    words that mask 4 may take: cause, effect, to
    words that mask 5 may take: cause, effect, nothing
    words of Cause-Effect(e1,e2): cause cause of effect effect
    template filled with them: the cause fire cause of effect the effect panic
    """
    (example,) = model.examples([sample])
    tokens = model.encoder.tokenizer.convert_ids_to_tokens(example.ids)
    masks = [f"[{mask + 1}]" for mask in range(MASKS)]
    allowed = [sorted({words[mask] for words in model.words.values()}) for mask in range(MASKS)]
    words = model.words[sample.relation]
    logits = training.outputs(model, [example], model, progress=False)
    ids = model.candidates.cpu()[torch.arange(MASKS), logits[0].argmax(dim=-1)]
    best = [model.encoder.tokenizer.decode([word]).strip() for word in ids.tolist()]
    relation = model.labels[int(model.relation_scores(logits)[0].argmax())]
    steps = {
        "sentence, without markers": sample.text,
        "entity 1, entity 2": f"{sample.head_text}, {sample.tail_text}",
        "template after the sentence": _filled(sample, masks),
        "tokens": " ".join(tokens),
        **{f"words that mask {n} may take": ", ".join(names) for n, names in enumerate(allowed, start=1)},
        f"words of {sample.relation}": " ".join(words),
        "template filled with them": _filled(sample, words),
        "word with the highest logit at each mask": " ".join(best),
        "relation with the highest sum of its five logits": relation,
    }
    return [_PromptStep(*step) for step in steps.items()]


def _filled(sample: RelationSample, words: Sequence[str]) -> str:
    """The template with something at the five places of its masks."""
    first, second, third, fourth, fifth = words
    return f"the {first} {sample.head_text} {second} {third} {fourth} the {fifth} {sample.tail_text}"
