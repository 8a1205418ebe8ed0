"""CNN and PCNN: against a plain form of the formulas, whatever the padding."""

import random
from itertools import pairwise

import numpy as np
import pytest
import torch

from helpers.data import RelationSample
from helpers.models.bags import without_entities
from helpers.models.inputs import collate
from helpers.models.sentence_encoders import Cnn, Pcnn
from helpers.models.word_vectors import PAD, UNK, words_of
from tests.support import sentence_of

WORDS = [f"word{n}" for n in range(9)]
LONGEST = 12


def sentence(length: int, first: int, second: int, seed: int = 0) -> RelationSample:
    """Random words, the head at the word `first`, the tail at `second`."""
    return sentence_of(str(seed), random.Random(seed).choices(WORDS, k=length), first, second, "a")


SENTENCES = [sentence(n, n // 3, n - 1 - n // 4, n) for n in (3, 5, 9, 10, 11, 12, 15)]
SENTENCES += [sentence(8, 6, 2, 20), sentence(8, 0, 1, 21), sentence(8, 3, 3, 22), sentence(20, 15, 18, 23)]


def new(kind: type[Cnn]) -> Cnn:
    torch.manual_seed(1)
    small = {"filters": 4, "word_size": 6, "position_size": 3, "dropout": 0.0}
    model = kind(["a"], max_length=LONGEST, **small)
    model.prepare(SENTENCES * 2)
    return model.eval()


def by_hand(model: Cnn, sample: RelationSample) -> np.ndarray:
    """A sentence's vector from the formulas, padded to the greatest length, one window at a time."""
    words = words_of(sample.text)[:LONGEST]
    starts = [len(words_of(sample.text[: span[0]])) for span in (sample.head, sample.tail)]
    padded = np.zeros((LONGEST + 2, 6 + 2 * 3))
    for place, word in enumerate(words):
        row = model.words.words.weight[model.words.known.get(word, UNK)].tolist()
        for table, start in zip(model.positions, starts, strict=True):
            row += table.weight[min(place - min(start, LONGEST) + LONGEST, 2 * LONGEST - 1)].tolist()
        padded[place + 1] = row
    weight, bias = model.convolution.weight.detach().numpy(), model.convolution.bias.detach().numpy()
    values = [(weight * padded[at : at + 3].T).sum(axis=(1, 2)) + bias for at in range(LONGEST)]
    borders = [0, LONGEST]
    if model.segments == 3:
        first, second = (min(start + 1, len(words)) for start in sorted(starts))
        borders = [0, first, second, len(words)]
    parts = [[np.zeros(len(bias)), *values[begin:end]] for begin, end in pairwise(borders)]
    return np.concatenate([np.max(part, axis=0) for part in parts])


@pytest.mark.parametrize("kind", [Cnn, Pcnn])
def test_vectors_are_those_of_the_formulas_alone_and_in_a_batch(kind) -> None:
    model = new(kind)
    examples, expected = model.sentences(SENTENCES), [by_hand(model, sample) for sample in SENTENCES]
    with torch.no_grad():
        together = model.vectors(collate(examples, PAD)).tolist()
        alone = [model.vectors(collate([example], PAD))[0].tolist() for example in examples]
    for found in (together, alone):
        assert np.array(found) == pytest.approx(np.array(expected), abs=1e-5)
    assert model.classifier.in_features == len(together[0]) == 4 * model.segments


def test_pad_stays_zero_and_unk_is_learnt() -> None:
    model = new(Cnn)
    (example,) = model.sentences([RelationSample("1", "never word1 seen", (0, 5), (6, 11), "a")])
    model.vectors(collate([example], PAD)).sum().backward()
    table = model.words.words.weight
    assert example.ids[0] == UNK and table.grad[UNK].any()
    assert not table.grad[PAD].any() and not table[PAD].any()
    assert all(not table.weight[0].any() for table in model.positions)


@pytest.mark.parametrize(
    ("head", "tail", "text", "places"),
    [
        ((15, 21), (0, 9), " left , early.", (6, 0)),
        ((0, 9), (4, 9), " left London, early.", (0, 0)),
        ((0, 9), (10, 10), " left London, early.", (0, 1)),
        ((22, 29), (15, 21), "Ada Byron left ,", (16, 15)),
    ],
)
def test_turned_nested_and_empty_entities_are_masked(head, tail, text, places) -> None:
    masked = without_entities(RelationSample("1", "Ada Byron left London, early.", head, tail, "a"))
    assert masked.text.rstrip() == text.rstrip()
    assert (masked.head[0], masked.tail[0]) == places and masked.head_text == masked.tail_text == ""


def test_all_vectors_of_a_file_are_taken(tmp_path) -> None:
    path = tmp_path / "glove.txt"
    path.write_text("word1 1 2\nelsewhere 3 4\n")
    model = Pcnn(["a", "b"], max_length=LONGEST, vectors=str(path), filters=2)
    model.prepare(SENTENCES)
    table = model.words.words.weight
    assert table[2:].tolist() == [[3, 4], [1, 2]] and table.requires_grad
    assert model.convolution.in_channels == 2 + 10
