"""Word vectors, positions, CNN and PCNN: against a plain form of the formulas, whatever the padding."""

import random
import re

import pytest
import torch

from helpers.data import RelationSample
from helpers.models.bags import without_entities
from helpers.models.base import as_bags
from helpers.models.inputs import collate
from helpers.models.sentence_encoders import ConvolutionEncoder, Pcnn
from helpers.models.word_vectors import PAD, UNK, read_vectors, words_of

WORDS = [f"word{n}" for n in range(9)]
LONGEST = 12
SMALL = {"filters": 4, "word_size": 6, "position_size": 3}


def sentence(length: int, first: int, second: int, seed: int = 0) -> RelationSample:
    """Random words, the head at the word `first`, the tail at `second`."""
    words = random.Random(seed).choices(WORDS, k=length)
    starts = [sum(len(word) + 1 for word in words[:at]) for at in range(length)]
    spans = [(starts[at], starts[at] + len(words[at])) for at in (first, second)]
    return RelationSample(str(seed), " ".join(words), *spans, "a")


SENTENCES = [sentence(n, n // 3, n - 1 - n // 4, n) for n in (3, 5, 9, 10, 11, 12, 15)]
SENTENCES += [sentence(8, 6, 2, 20), sentence(8, 0, 1, 21), sentence(8, 3, 3, 22), sentence(20, 15, 18, 23)]


def encoder(segments: int, **options) -> ConvolutionEncoder:
    torch.manual_seed(1)
    made = ConvolutionEncoder(LONGEST, segments=segments, dropout=0.0, **SMALL | options)
    made.prepare(as_bags(SENTENCES * 2), 1, "fp32")
    return made.eval()


def by_hand(model: ConvolutionEncoder, sample: RelationSample) -> list[float]:
    """A sentence's vector from the formulas, padded to the greatest length, one number at a time."""
    words = words_of(sample.text)
    starts = [len(words_of(sample.text[: span[0]])) for span in (sample.head, sample.tail)]
    rows = []
    for at in range(LONGEST):
        if at >= min(len(words), LONGEST):
            rows.append([0.0] * model.width)
            continue
        row = model.words.words.weight[model.words.known.get(words[at], UNK)].tolist()
        for table, start in zip(model.positions, starts, strict=True):
            row += table.weight[min(at - min(start, LONGEST) + LONGEST, 2 * LONGEST - 1)].tolist()
        rows.append(row)
    zero = [0.0] * model.width
    padded, weight, bias = [zero, *rows, zero], model.convolution.weight.tolist(), model.convolution.bias
    segments = [range(LONGEST)]
    if model.segments == 3:
        first, second = sorted(starts)
        end = min(len(words), LONGEST)
        borders = [0, min(first + 1, end), min(second + 1, end), end]
        segments = [range(*pair) for pair in zip(borders, borders[1:], strict=False)]
    found = []
    for positions in segments:
        for number, one in enumerate(weight):
            values = [0.0]
            for at in positions:
                window = padded[at : at + 3]
                total = sum(one[d][k] * window[k][d] for k in range(3) for d in range(model.width))
                values.append(total + bias[number].item())
            found.append(max(values))
    return found


@pytest.mark.parametrize("segments", [1, 3])
def test_vectors_are_those_of_the_formulas(segments) -> None:
    model = encoder(segments)
    with torch.no_grad():
        found = model(collate(model.sentences(SENTENCES), PAD)).tolist()
    for sample, row in zip(SENTENCES, found, strict=True):
        assert row == pytest.approx(by_hand(model, sample), abs=1e-5), sample.text
    assert model.size == len(found[0]) == 4 * segments


@pytest.mark.parametrize("segments", [1, 3])
def test_padding_changes_nothing(segments) -> None:
    model = encoder(segments)
    examples = model.sentences(SENTENCES)
    long = [one._replace(ids=one.ids + [PAD] * (LONGEST - len(one.ids))) for one in examples]
    with torch.no_grad():
        together, padded = (model(collate(some, PAD)) for some in (examples, long))
        alone = torch.cat([model(collate([one], PAD)) for one in examples])
    assert torch.allclose(together, alone, atol=1e-6) and torch.allclose(padded, alone, atol=1e-6)
    assert max(len(one.ids) for one in examples) == LONGEST
    bare = [one._replace(ids=one.ids[:-2]) for one in examples[:2]]
    with torch.no_grad():  # the two PAD words are needed: padding positions take part in a CNN's maximum
        shorter = torch.cat([model(collate([one], PAD)) for one in bare])
    assert torch.allclose(shorter, alone[:2]) == (segments == 3)


def test_pad_stays_zero_and_unk_is_learnt() -> None:
    model = encoder(1)
    rare = RelationSample("1", "never word1 seen", (0, 5), (6, 11), "a")
    assert model.sentences([rare])[0].ids[0] == UNK
    model(collate(model.sentences([rare]), PAD)).sum().backward()
    table = model.words.words.weight
    assert not table.grad[PAD].any() and table.grad[UNK].any() and not table[PAD].any()
    assert all(not table.weight[0].any() for table in model.positions)


class TestMasked:
    SAMPLE = RelationSample("1", "Ada Byron left London, early.", (0, 9), (15, 21), "a")

    @pytest.mark.parametrize(
        ("head", "tail", "text", "places"),
        [
            ((15, 21), (0, 9), " left , early.", (6, 0)),
            ((0, 9), (4, 9), " left London, early.", (0, 0)),
            ((0, 9), (10, 10), " left London, early.", (0, 1)),
            ((22, 29), (15, 21), "Ada Byron left ,", (16, 15)),
        ],
    )
    def test_turned_nested_and_empty_ones(self, head, tail, text, places) -> None:
        found = without_entities(RelationSample("1", self.SAMPLE.text, head, tail, "a"))
        assert found.text == text or found.text == text.rstrip()
        assert (found.head[0], found.tail[0]) == places and found.head_text == found.tail_text == ""


class TestVectors:
    def test_those_of_a_file_are_taken(self, tmp_path) -> None:
        path = tmp_path / "glove.txt"
        path.write_text("word1 1 2\nelsewhere 3 4\n")
        model = Pcnn(["a", "b"], LONGEST, vectors=str(path), filters=2)
        model.prepare(model.settings, SENTENCES)
        table = model.encoder.words.words.weight
        assert table[2:].tolist() == [[3, 4], [1, 2]] and not table[PAD].any() and table[UNK].any()
        assert table.requires_grad and model.encoder.width == 2 + 10

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("a 1 2\nb 1\n", "line 2: 1 numbers, the first has 2"),
            ("a 1 x\n", "line 1: not a word with its numbers"),
            ("a\n", "line 1: 0 numbers"),
            ("", "is empty"),
        ],
    )
    def test_a_bad_file(self, text, message, tmp_path) -> None:
        path = tmp_path / "glove.txt"
        path.write_text(text)
        with pytest.raises(ValueError, match=re.escape(message)):
            read_vectors(path)
