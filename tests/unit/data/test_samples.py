"""Samples, markers and names of relations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.core.labels import (
    SEMEVAL_RELATIONS,
    base_relation,
    inverse_label,
    label_ids,
)
from helpers.data.samples import (
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    RelationSample,
    parse_tagged,
    render,
)


def sample(head=(4, 8), tail=(16, 21), text="The fire caused panic.") -> RelationSample:
    return RelationSample("1", text, head, tail, "Cause-Effect(e1,e2)")


class TestSample:
    @pytest.mark.parametrize("span", [(-1, 2), (5, 4), (20, 23)])
    def test_spans_must_lie_in_the_text(self, span) -> None:
        with pytest.raises(ValueError, match=r"tail span \(.*\) does not lie in the text of length 22"):
            sample(tail=span)


class TestMarkers:
    @pytest.mark.parametrize(
        ("one", "expected"),
        [
            (sample(), "The <e1>fire</e1> caused <e2>panic</e2>."),
            (sample((16, 21), (4, 8)), "The <e2>fire</e2> caused <e1>panic</e1>."),
            (sample((0, 4), (4, 8)), "<e1>The </e1><e2>fire</e2> caused panic."),
            (sample((4, 21), (4, 8)), "The <e1><e2>fire</e2> caused panic</e1>."),
            (sample((4, 4), (4, 8)), "The <e1></e1><e2>fire</e2> caused panic."),
            (sample((4, 8), (8, 8)), "The <e1>fire</e1><e2></e2> caused panic."),
        ],
    )
    def test_render_and_back(self, one, expected) -> None:
        assert render(one) == expected
        assert parse_tagged(expected) == (one.text, one.head, one.tail)

    @given(
        st.text("ab ", min_size=1, max_size=12), st.data(), st.sampled_from([TAGS, RDR_MARKERS, SPACED_TAGS])
    )
    def test_parse_undoes_render(self, text, data, markers) -> None:
        place = st.integers(0, len(text))
        cuts = sorted(data.draw(st.lists(place, min_size=4, max_size=4)))
        spans = [(cuts[0], cuts[1]), (cuts[2], cuts[3])]
        head, tail = data.draw(st.permutations(spans))
        one = RelationSample("1", text, head, tail, "Other")
        assert parse_tagged(render(one, markers), markers) == (text, head, tail)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("<e1>a</e1> b</e2>", r"'<e2>' occurs 0 times"),
            ("<e1>a</e1> <e1>b</e1> <e2>c</e2>", r"'<e1>' occurs 2 times"),
            ("<e1>a</e1> <e2>b</e2></e2>", r"'</e2>' occurs 2 times"),
            ("</e1>a<e1> <e2>b</e2>", r"'</e1>' comes before '<e1>'"),
        ],
    )
    def test_malformed(self, text, message) -> None:
        with pytest.raises(ValueError, match=message):
            parse_tagged(text)


class TestRelations:
    def test_inverse_swaps_odd_and_even_ids(self) -> None:
        ids = label_ids(SEMEVAL_RELATIONS)
        for name, number in ids.items():
            assert ids[inverse_label(name)] == (
                0 if number == 0 else number + 1 if number % 2 else number - 1
            )
            assert inverse_label(inverse_label(name)) == name
            assert base_relation(name) == base_relation(inverse_label(name))
