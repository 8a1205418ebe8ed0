"""From sentences to token ids: the markers' places, windows of long sentences, batches and their order."""

import itertools
import random
import re
import unicodedata
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import RelationSample, parse_tagged
from helpers.data.samples import word_spans
from helpers.models import EMBEDDED
from helpers.models.encoder import load_encoder
from helpers.models.inputs import MARKERS, tokenize_marked
from helpers.models.training import _epoch_batches, _parts

WHOLE = 10_000
TAGGED = {
    "adjacent": "the <e1>steel</e1><e2>maker</e2> grew",
    "both empty": "nothing <e1></e1> here <e2></e2>",
    "empty inside the other": "the <e1>big <e2></e2>house</e1> burnt",
    "within a word": "the pre<e1>paid</e1> card un<e2>used</e2>",
    "blanks inside": "the <e1> house </e1> in  <e2>town </e2>.",
    "punctuation": 'he said : " <e1>u.s.</e1> troops , <e2>30,000</e2> , left "',
    "marker texts": "odd [E11] words <e1>[E22]</e1> and $ # [MASK] [SEP] <e2>more</e2>",
    "private characters": "the \ue000 <e1>odd\ue003 one</e1> \ue001 in <e2>town</e2> \ue002",
}
PIECES = ("the", "engine", "U.S.", "don't", "3,000", "co-op", "unbelievable", "x", '"', ",", "Café", "–")


@pytest.fixture(scope="module", params=["WordPiece", "byte-level BPE"])
def encoder(request):
    name = EMBEDDED if request.param == "WordPiece" else str(request.getfixturevalue("tiny_roberta"))
    return load_encoder(name, MARKERS)


def sample_of(tagged: str) -> RelationSample:
    return RelationSample("1", *parse_tagged(tagged), "Other")


def marked(encoder, sample: RelationSample, limit: int = WHOLE):
    markers = encoder.tokenizer.convert_tokens_to_ids(list(MARKERS))
    (sentence,) = tokenize_marked(encoder.tokenizer, [sample], [[marker] for marker in markers], limit)
    assert [sentence.ids[place] for place in sentence.marks] == markers
    return sentence


def plain_ids(encoder, text: str) -> list[int]:
    return encoder.tokenizer(text, add_special_tokens=False)["input_ids"]


def squeezed(text: str) -> str:
    """Letters alone: without blanks, accents and the characters that stand for markers."""
    return re.sub("[\\s\ue000-\ue003\u0300-\u036f]", "", unicodedata.normalize("NFKD", text)).lower()


def markers_stand_around_the_entities(encoder, sample: RelationSample) -> bool:
    sentence, letters = marked(encoder, sample), []
    for first, last in (sentence.marks[:2], sentence.marks[2:]):
        ids = [sentence.ids[place] for place in range(first, last) if place not in sentence.marks]
        letters.append(squeezed(encoder.tokenizer.decode(ids, clean_up_tokenization_spaces=False)))
    return letters == [squeezed(sample.head_text), squeezed(sample.tail_text)]


@st.composite
def samples(draw) -> RelationSample:
    """Words with single blanks between them; entities, empty ones too, begin and end at words."""
    words = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=30))
    starts, spans = [start for start, _ in word_spans(words)], []
    for _ in range(2):
        first, last = sorted(draw(st.lists(st.sampled_from(range(len(words))), min_size=2, max_size=2)))
        empty = draw(st.integers(0, 9)) == 0
        spans.append((starts[first], starts[first] if empty else starts[last] + len(words[last])))
    return RelationSample("1", " ".join(words), *spans, "Other")


class TestMarkers:
    @pytest.mark.parametrize("tagged", TAGGED.values(), ids=TAGGED)
    def test_they_stand_around_the_entities(self, tagged, encoder) -> None:
        assert markers_stand_around_the_entities(encoder, sample_of(tagged))

    @given(sample=samples())
    def test_so_they_are_for_any_words_and_spans(self, sample, encoder) -> None:
        assert markers_stand_around_the_entities(encoder, sample)
        sentence = marked(encoder, sample)
        rest = [token for place, token in enumerate(sentence.ids) if place not in sentence.marks]
        assert rest == plain_ids(encoder, sample.text)

    def test_of_several_tokens(self) -> None:
        wordpiece = load_encoder(EMBEDDED)
        pieces, sample = [[7, 8], [9], [10, 11], [12]], sample_of("a b <e1>e</e1> f g <e2>k</e2> l")
        (cut,) = tokenize_marked(wordpiece.tokenizer, [sample], pieces, 8)
        e, k = plain_ids(wordpiece, "e k")
        assert cut.ids == [7, 8, e, 9, 10, 11, k, 12] and cut.marks == (0, 3, 4, 7)


@given(sample=samples(), limit=st.integers(4, 60))
def test_what_a_window_keeps(sample, limit, encoder) -> None:
    """Markers, then entities, then what is nearest to them, in the order of the sentence."""
    whole, sentence = marked(encoder, sample), marked(encoder, sample, limit)
    inside = {*range(*whole.marks[:2]), *range(*whole.marks[2:]), *whole.marks}
    order = sorted(
        (place not in whole.marks, place not in inside, min(abs(place - near) for near in inside), place)
        for place in range(len(whole.ids))
    )
    assert sentence.ids == [whole.ids[place] for place in sorted(key[-1] for key in order[:limit])]
    assert sentence.cut == len(whole.ids) - len(sentence.ids)


class TestOrder:
    @given(st.lists(st.integers(1, 90), min_size=1, max_size=300), st.integers(1, 9), st.integers(0, 99))
    def test_every_example_once(self, lengths, size, seed) -> None:
        batches = _epoch_batches(lengths, size, random.Random(seed))
        assert sorted(place for batch in batches for place in batch) == list(range(len(lengths)))
        assert len(batches) == -(-len(lengths) // size)
        assert sorted(map(len, batches))[1:] == [size] * (len(batches) - 1)

    @given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 4))
    def test_shares_of_the_processes_make_the_batch(self, size, accumulate, processes) -> None:
        for batch in (list(range(size)), [3]):
            weights = Counter()
            for rank in range(processes):
                parts = _parts(batch, accumulate, rank, processes)
                assert len(parts) == accumulate and all(parts)
                for index, weight in itertools.chain(*parts):
                    weights[index] += weight
            expected = dict.fromkeys(batch, pytest.approx(1 / len(batch)))
            assert {index: weight for index, weight in weights.items() if weight} == expected
