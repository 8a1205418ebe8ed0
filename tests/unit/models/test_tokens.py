"""From sentences to token ids: the four markers' places, windows of long sentences, padded batches."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data.samples import RelationSample, parse_tagged
from helpers.models.classifier import MARKERS
from helpers.models.encoder import EMBEDDED, load_encoder
from helpers.models.inputs import Example, collate, tokenize_marked

WHOLE = 10_000
TAGGED = {
    "plain": "the deadly train <e1>crash</e1> was caused by terrorist <e2>attack</e2>",
    "tail first": "the <e2>attack</e2> caused the <e1>crash</e1> .",
    "nested": "the <e1>new <e2>car</e2> engine</e1> failed",
    "nested the other way": "the <e2>new <e1>car</e1> engine</e2> failed",
    "same span": "a <e1><e2>factory</e2></e1> closed",
    "overlapping": "the <e1>state <e2>university</e1> library</e2> opened",
    "adjacent": "the <e1>steel</e1><e2>maker</e2> grew",
    "at both ends": "<e1>rain</e1> fell on the <e2>town</e2>",
    "empty entity": "the <e1></e1> firm in <e2>town</e2>",
    "both empty": "nothing <e1></e1> here <e2></e2>",
    "empty inside the other": "the <e1>big <e2></e2>house</e1> burnt",
    "empty at the end": "the <e1>house</e1> burnt <e2></e2>",
    "within a word": "the pre<e1>paid</e1> card un<e2>used</e2>",
    "blanks inside": "the <e1> house </e1> in  <e2>town </e2>.",
    "punctuation": 'he said : " <e1>u.s.</e1> troops , <e2>30,000</e2> , left "',
    "marker texts": "odd [E11] words <e1>[E22]</e1> and $ # [MASK] [SEP] <e2>more</e2>",
    "private characters": "the \ue000 <e1>odd\ue003 one</e1> \ue001 in <e2>town</e2> \ue002",
    "only entities": "<e1>rain</e1> <e2>snow</e2>",
}
PIECES = (
    "the",
    "engine",
    "of",
    "U.S.",
    "don't",
    "3,000",
    "co-op",
    "unbelievable",
    "x",
    '"',
    ",",
    "Café",
    "–",
)


@pytest.fixture(scope="module", params=["WordPiece", "byte-level BPE"])
def encoder(request):
    name = EMBEDDED if request.param == "WordPiece" else str(request.getfixturevalue("tiny_roberta"))
    return load_encoder(name, MARKERS)


@pytest.fixture(scope="module")
def wordpiece():
    return load_encoder(EMBEDDED, MARKERS)


def ids_of(encoder) -> tuple[int, ...]:
    return tuple(encoder.tokenizer.convert_tokens_to_ids(list(MARKERS)))


def tokenized(encoder, samples, limit: int = WHOLE):
    return tokenize_marked(encoder.tokenizer, samples, [[one] for one in ids_of(encoder)], limit)


def sample_of(tagged: str) -> RelationSample:
    return RelationSample("1", *parse_tagged(tagged), "Other")


def marked(encoder, sample: RelationSample, limit: int = WHOLE):
    (one,) = tokenized(encoder, [sample], limit)
    return one


def plain_ids(encoder, text: str) -> list[int]:
    return encoder.tokenizer(text, add_special_tokens=False)["input_ids"]


def letters(encoder, ids: list[int]) -> str:
    return squeezed(encoder.tokenizer.decode(ids, clean_up_tokenization_spaces=False))


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", re.sub("[\ue000-\ue003]", "", text)).lower()


@st.composite
def samples(draw) -> RelationSample:
    """Words with single blanks between them; entities, empty ones too, begin and end at words."""
    words = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=30))
    starts = [sum(map(len, words[:place])) + place for place in range(len(words))]
    spans = []
    for _ in range(2):
        first, last = sorted(draw(st.lists(st.sampled_from(range(len(words))), min_size=2, max_size=2)))
        empty = draw(st.integers(0, 9)) == 0
        end = starts[first] if empty else starts[last] + len(words[last])
        spans.append((starts[first], end))
    return RelationSample("1", " ".join(words), *spans, "Other")


class TestMarkers:
    def test_golden(self, wordpiece) -> None:
        one = marked(wordpiece, sample_of(TAGGED["plain"]))
        tokens = wordpiece.tokenizer.convert_ids_to_tokens(one.ids)
        expected = "the deadly train [E11] crash [E12] was caused by terrorist [E21] attack [E22]"
        assert (" ".join(tokens), one.marks, one.cut) == (expected, (3, 5, 10, 12), 0)

    @pytest.mark.parametrize("tagged", TAGGED.values(), ids=TAGGED)
    def test_they_stand_around_the_entities(self, tagged, encoder) -> None:
        sample = sample_of(tagged)
        one = marked(encoder, sample)
        assert tuple(one.ids[place] for place in one.marks) == ids_of(encoder)
        for text, (first, last) in zip(
            (sample.head_text, sample.tail_text), (one.marks[:2], one.marks[2:]), strict=True
        ):
            between = [one.ids[place] for place in range(first + 1, last) if place not in one.marks]
            assert letters(encoder, between) == squeezed(text)

    @given(sample=samples())
    def test_so_they_are_for_any_words_and_spans(self, sample, encoder) -> None:
        one = marked(encoder, sample)
        rest = [token for place, token in enumerate(one.ids) if place not in one.marks]
        assert rest == plain_ids(encoder, sample.text)
        assert tuple(one.ids[place] for place in one.marks) == ids_of(encoder)


class TestWindows:
    SENTENCE = "a b c d <e1>e</e1> f g h i j <e2>k</e2> l m n o"

    @pytest.mark.parametrize(
        ("limit", "kept"),
        [
            (19, "a b c d [E11] e [E12] f g h i j [E21] k [E22] l m n o"),
            (18, "a b c d [E11] e [E12] f g h i j [E21] k [E22] l m n"),
            (13, "c d [E11] e [E12] f g i j [E21] k [E22] l"),
            (9, "d [E11] e [E12] f j [E21] k [E22]"),
            (6, "[E11] e [E12] [E21] k [E22]"),
            (5, "[E11] e [E12] [E21] [E22]"),
            (4, "[E11] [E12] [E21] [E22]"),
        ],
    )
    def test_golden(self, limit, kept, wordpiece) -> None:
        one = marked(wordpiece, sample_of(self.SENTENCE), limit)
        assert " ".join(wordpiece.tokenizer.convert_ids_to_tokens(one.ids)) == kept
        assert tuple(one.ids[place] for place in one.marks) == ids_of(wordpiece)
        assert one.cut == 19 - limit

    @given(sample=samples(), limit=st.integers(4, 60))
    def test_what_is_kept(self, sample, limit, encoder) -> None:
        whole, one = marked(encoder, sample), marked(encoder, sample, limit)
        assert len(one.ids) == min(len(whole.ids), limit)
        assert one.cut == len(whole.ids) - len(one.ids)
        assert tuple(one.ids[place] for place in one.marks) == ids_of(encoder)
        entity = set(whole.marks)
        for first, last in (whole.marks[:2], whole.marks[2:]):
            entity |= set(range(first, last))
        between = [set(range(one.marks[at], one.marks[at + 1])) for at in (0, 2)]
        held = set(one.marks).union(*between)
        assert len(held) == min(len(entity), limit)
        distances = sorted(min(abs(place - near) for near in entity) for place in range(len(whole.ids)))
        assert ordered_within(one.ids, whole.ids)
        if one.cut and len(entity) <= limit:
            far = distances[limit - 1]
            nearer = [
                token
                for place, token in enumerate(whole.ids)
                if min(abs(place - near) for near in entity) < far
            ]
            assert ordered_within(nearer, one.ids)


def ordered_within(part: list[int], whole: list[int]) -> bool:
    rest = iter(whole)
    return all(token in rest for token in part)


class TestBatches:
    EXAMPLES = (
        Example([5, 6, 7, 8], (1, 2), 3, first=2),
        Example([5, 9], (0, 1), 1),
        Example([4, 4, 4], (0, 2), 0, first=1, cut=7),
    )

    def test_golden(self) -> None:
        batch = collate(self.EXAMPLES, padding=1, weight=[0.5, 0.25, 0.25])
        assert batch.ids.tolist() == [[5, 6, 7, 8], [5, 9, 1, 1], [4, 4, 4, 1]]
        assert batch.mask.tolist() == [[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 0]]
        assert batch.types.tolist() == [[0, 0, 1, 1], [0, 0, 0, 0], [0, 1, 1, 0]]
        assert batch.places.tolist() == [[1, 2], [0, 1], [0, 2]]
        assert batch.target.tolist() == [3, 1, 0]
        assert batch.weight.tolist() == [0.5, 0.25, 0.25]

    def test_a_marker_of_several_tokens(self, wordpiece) -> None:
        pieces = [[7, 8], [9], [10, 11], [12]]
        sample = sample_of(TestWindows.SENTENCE)
        (whole,) = tokenize_marked(wordpiece.tokenizer, [sample], pieces, WHOLE)
        assert [whole.ids[place] for place in whole.marks] == [7, 9, 10, 12]
        assert [whole.ids[place + 1] for place in whole.marks[::2]] == [8, 11]
        rest = [token for token in whole.ids if token > 12]
        assert rest == plain_ids(wordpiece, sample.text)
        (cut,) = tokenize_marked(wordpiece.tokenizer, [sample], pieces, 8)
        e, k = plain_ids(wordpiece, "e k")
        assert cut.ids == [7, 8, e, 9, 10, 11, k, 12] and cut.marks == (0, 3, 4, 7)
        with pytest.raises(ValueError, match="limit is 5; four markers need at least 6"):
            tokenize_marked(wordpiece.tokenizer, [sample], pieces, 5)
