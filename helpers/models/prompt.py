"""PTR (Han et al. 2021): a prompt with five masks after the sentence, filled with words of the relation.

As the released code does it: the encoder alone, no language-model head. The logit of word v at mask j is
hidden_j · embedding_v with the input embeddings; the score of a relation is the sum of its words' logits. The
sentence carries no markers: the prompt names the entities, in order.

A directed relation X-Y has the words x | x of y | y, and with (e2,e1) the words y | y of x | x: the final,
five-word form that the released PTR code reads, as KnowPrompt's repository keeps it for SemEval-2010.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from torch.nn.utils.rnn import pad_sequence

from ..core import BACKWARD, base_relation, inverse_label, role_words
from ..data import RelationSample
from .base import POSITIVE
from .entity_markers import RelationClassifier
from .inputs import Batch, Example, Marked, states_at, tokenize_marked

Words = tuple[str, str, str, str, str]
_NEGATIVE_WORDS: Words = ("nothing", "has", "nothing", "to", "nothing")
POSITIVE_WORDS: Words = ("something", "has", "something", "to", "something")
"""Its words: those of SemEval's Other, turned."""

with Path(__file__).with_name("label_words.csv").open(encoding="utf-8") as _file:
    ROLES = {row["relation"]: (row["head"], row["tail"]) for row in csv.DictReader(_file)}
"""The two roles of KBP37's relations and of DocRED's, which are Wikidata's properties: their names are no
single words, these are. Chosen here, from the names of the relations alone, before anything was trained."""
MASKS, _SECOND = 5, 1
LONGEST_NAME = 24
"""Most tokens of an entity's name in the prompt."""


class Prompt(RelationClassifier):
    """PTR: "sentence the [MASK] entity 1 [MASK] [MASK] [MASK] the [MASK] entity 2".

    Each mask has its own candidates, the distinct words that some relation has there. Loss: the mean over
    the masks of the cross-entropy among that mask's candidates, plus that over the relations' scores.

    `words` are the label words; None takes `label_words`.

    Raises
    ------
    ValueError : a label word is not a single token of the encoder (the word is named), two relations have the
        same words, a relation has no words, the tokenizer has no mask token, or `max_length` is too small for
        the prompt.

    >>> from helpers.models.encoder import load_encoder
    >>> model = Prompt(load_encoder(), ["Cause-Effect(e1,e2)", "Other"])
    >>> (example,) = model.examples([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> model.encoder.tokenizer.decode(example.ids)
    '[CLS] fire and panic the [MASK] fire [MASK] [MASK] [MASK] the [MASK] panic [SEP]'
    """

    markers = ()

    def __init__(self, *given: Any, words: Mapping[str, Words] | None = None) -> None:
        super().__init__(*given)
        tokenizer = self.encoder.tokenizer
        if tokenizer.mask_token_id is None:
            raise ValueError(f"encoder {self.encoder.name!r} has no mask token")
        # The released code encodes "the [MASK]" and "[MASK] [MASK] [MASK] the [MASK]" by themselves: what
        # stands first in them has no blank before it, which a byte-level tokenizer sees.
        self._the = [tokenizer(the, add_special_tokens=False)["input_ids"] for the in ("the", " the")]
        self._prompt = 2 * LONGEST_NAME + sum(map(len, self._the)) + MASKS + 2
        if self.max_length < self._prompt:
            raise ValueError(f"max_length is {self.max_length}; PTR's prompt needs at least {self._prompt}")
        words = _all_label_words(self.labels) if words is None else words
        if not isinstance(words, Mapping):
            raise ValueError(f"words is {words!r}; it must map each relation to its five label words")
        self.words = dict(words)
        if POSITIVE in self.labels:
            self.words.setdefault(POSITIVE, POSITIVE_WORDS)
        for label in self.labels:
            if label not in self.words or len(self.words[label]) != MASKS:
                raise ValueError(f"words: {label!r} needs {MASKS} label words")
        ids = torch.tensor([self._word_ids(self.words[label]) for label in self.labels])
        of_masks = [torch.unique(column, return_inverse=True) for column in ids.T]
        candidates = pad_sequence([words for words, _ in of_masks], batch_first=True, padding_value=-1)
        self.register_buffer("is_candidate", candidates >= 0, persistent=False)
        candidates = torch.where(self.is_candidate, candidates, candidates[:, :1])
        self.register_buffer("candidates", candidates, persistent=False)
        slots = torch.stack([slots for _, slots in of_masks], dim=1)
        self.register_buffer("slots", slots, persistent=False)  # (relations, masks): which candidate it has

    def _word_ids(self, words: Words) -> list[int]:
        """One token id for each word, with the blank before it in the prompt; the second has none."""
        ids = []
        for mask, word in enumerate(words):
            text = word if mask == _SECOND else " " + word
            tokens = self.encoder.tokenizer(text, add_special_tokens=False)["input_ids"]
            if len(tokens) != 1:
                pieces = " ".join(self.encoder.tokenizer.convert_ids_to_tokens(tokens))
                raise ValueError(f"label word {word!r} is not one token of {self.encoder.name}: {pieces}")
            ids += tokens
        return ids

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Sentence and prompt; of a long sentence the window around its entities."""
        tokenizer = self.encoder.tokenizer
        names = tokenizer(
            [" " + name for sample in samples for name in (sample.head_text, sample.tail_text)],
            add_special_tokens=False,
        )["input_ids"]
        sentences = tokenize_marked(tokenizer, samples, ((-1,),) * 4, self.max_length - self._prompt + 4)
        parts = zip(samples, sentences, names[::2], names[1::2], strict=True)
        return [self._example(*of_sample) for of_sample in parts]

    def _example(self, sample: RelationSample, marked: Marked, head: list[int], tail: list[int]) -> Example:
        tokenizer, (the, the_again) = self.encoder.tokenizer, self._the
        hole = [tokenizer.mask_token_id]
        sentence = [token for token in marked.ids if token != -1]  # marks made the window keep the entities
        cut = marked.cut + sum(max(len(name) - LONGEST_NAME, 0) for name in (head, tail))
        head, tail = head[:LONGEST_NAME], tail[:LONGEST_NAME]
        parts = ([tokenizer.cls_token_id], sentence, the, hole, head, hole * 3, the_again, hole, tail)
        ids = [token for part in parts for token in part]
        first = 1 + len(sentence) + len(the)
        second = first + 1 + len(head)
        places = (first, second, second + 1, second + 2, second + 3 + len(the_again))
        return Example([*ids, tokenizer.sep_token_id], places, self.label_id(sample), cut=cut)

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n, masks, candidates) of the words; −∞ where a mask has fewer candidates."""
        at_masks = states_at(self.encoder(batch), batch.places)
        vectors = self.encoder.word_embedding[self.candidates]
        logits = torch.einsum("nmh,mch->nmc", at_masks, vectors.to(at_masks.dtype))
        return logits.masked_fill(~self.is_candidate, -torch.inf)

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Mean cross-entropy at the masks plus cross-entropy over the relations, shape (n,)."""
        output = output.float()
        words = self.slots[batch.target]
        at_masks = functional.cross_entropy(output.flatten(0, 1), words.flatten(), reduction="none")
        whole = functional.cross_entropy(self.relation_scores(output), batch.target, reduction="none")
        return at_masks.reshape(-1, MASKS).mean(dim=1) + whole

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """(n, labels): the sum of the five words' raw logits."""
        slots = self.slots.to(output.device)
        mask = torch.arange(MASKS, device=output.device)
        return output[:, mask, slots].sum(dim=-1)

    def steps(self, sample: RelationSample) -> list[tuple[str, str]]:
        """The way of one sentence through PTR (Han et al. 2021, section 3): what is done, and what it gives.

        The last two steps are those of the model as it is: untrained weights give arbitrary words. Raises
        ValueError for a relation that the model does not know.

        >>> from helpers.models.encoder import load_encoder
        >>> model = Prompt(load_encoder(), ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Other"])
        >>> sample = RelationSample("1", "The fire caused panic.", (4, 8), (16, 21), "Cause-Effect(e1,e2)")
        >>> for what, result in model.steps(sample)[:-2]:
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
        (example,) = self.examples([sample])
        tokenizer, words = self.encoder.tokenizer, self.words[sample.relation]
        may_take = []
        for mask, at_mask in enumerate(zip(*self.words.values(), strict=True), start=1):
            may_take += [(f"words that mask {mask} may take", ", ".join(sorted({*at_mask})))]
        logits = self.outputs([example], progress=False)
        ids = self.candidates.cpu()[torch.arange(MASKS), logits[0].argmax(dim=-1)]
        best = [tokenizer.decode([word]).strip() for word in ids.tolist()]
        relation = self.labels[int(self.relation_scores(logits)[0].argmax())]
        return [
            ("sentence, without markers", sample.text),
            ("entity 1, entity 2", f"{sample.head_text}, {sample.tail_text}"),
            ("template after the sentence", _filled(sample, [f"[{mask + 1}]" for mask in range(MASKS)])),
            ("tokens", " ".join(tokenizer.convert_ids_to_tokens(example.ids))),
            *may_take,
            (f"words of {sample.relation}", " ".join(words)),
            ("template filled with them", _filled(sample, words)),
            ("word with the highest logit at each mask", " ".join(best)),
            ("relation with the highest sum of its five logits", relation),
        ]


def label_words(relation: str) -> Words:
    """The five words of a relation. One without direction and without roles has those of SemEval's Other.

    >>> label_words("Cause-Effect(e2,e1)"), label_words("Other")
    (('effect', 'effect', 'of', 'cause', 'cause'), ('nothing', 'has', 'nothing', 'to', 'nothing'))
    >>> label_words("P50")
    ('book', 'book', 'of', 'author', 'author')
    """
    if relation == POSITIVE:
        return POSITIVE_WORDS
    base = base_relation(relation)
    if base not in ROLES and inverse_label(relation) == relation:
        return _NEGATIVE_WORDS
    roles = ROLES.get(base, role_words(base))
    head, tail = reversed(roles) if relation.endswith(BACKWARD) else roles
    return (head, head, "of", tail, tail)


def _all_label_words(relations: Iterable[str]) -> dict[str, Words]:
    """The words of each relation. Raises ValueError if two relations have the same five.

    >>> _all_label_words(["Cause-Effect(e1,e2)"])
    {'Cause-Effect(e1,e2)': ('cause', 'cause', 'of', 'effect', 'effect')}
    """
    words = {relation: label_words(relation) for relation in relations}
    owners: dict[Words, str] = {}
    for relation, five in words.items():
        if owners.setdefault(five, relation) != relation:
            raise ValueError(f"{relation!r} and {owners[five]!r} have the same label words: {' '.join(five)}")
    return words


def _filled(sample: RelationSample, words: Sequence[str]) -> str:
    """The template with something at the five places of its masks."""
    first, second, third, fourth, fifth = words
    return f"the {first} {sample.head_text} {second} {third} {fourth} the {fifth} {sample.tail_text}"
