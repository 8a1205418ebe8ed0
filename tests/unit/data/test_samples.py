"""Samples, markers and names of relations."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.core.labels import (
    SEMEVAL_RELATIONS,
    base_relation,
    find_negative,
    inverse_label,
    label_ids,
    role_words,
)
from helpers.data.samples import (
    CHEMPROT_MARKERS,
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
    def test_it_cannot_change(self) -> None:
        with pytest.raises(dataclasses.FrozenInstanceError):
            sample().relation = "Other"
        assert not hasattr(sample(), "__dict__")

    @pytest.mark.parametrize("span", [(-1, 2), (5, 4), (20, 23)])
    def test_spans_must_lie_in_the_text(self, span) -> None:
        with pytest.raises(ValueError, match=r"tail span \(.*\) does not lie in the text of length 22"):
            sample(tail=span)

    def test_relation_must_be_there(self) -> None:
        with pytest.raises(ValueError, match="relation is empty"):
            RelationSample("1", "a b", (0, 1), (2, 3), "")


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

    def test_overlapping_markers(self) -> None:
        with pytest.raises(ValueError, match="two markers overlap at character 13"):
            parse_tagged("[E21] x [E11] [E22] y [E12]", RDR_MARKERS)

    def test_an_empty_entity_with_one_blank(self) -> None:
        text, head, tail = parse_tagged("an <e1> </e1> station in <e2> Cork </e2> .", SPACED_TAGS)
        assert (text, head) == ("an  station in Cork .", (3, 3))
        assert text[slice(*tail)] == "Cork"

    def test_much_greater_in_chemprot(self) -> None:
        tagged = "order of << Panx1 >> : [[ A ]] >> B"
        with pytest.raises(ValueError, match="'>>' occurs 2 times"):
            parse_tagged(tagged, CHEMPROT_MARKERS)
        text, head, _ = parse_tagged(tagged, CHEMPROT_MARKERS, closing_repeats=True)
        assert (text, text[slice(*head)]) == ("order of Panx1 : A >> B", "Panx1")


class TestRelations:
    def test_semeval_ids_are_those_of_the_published_files(self) -> None:
        ids = label_ids(["Other"])
        assert [ids[name] for name in SEMEVAL_RELATIONS] == list(range(19))
        assert ids["Entity-Destination(e2,e1)"] == 8
        assert SEMEVAL_RELATIONS[17:] == ("Content-Container(e1,e2)", "Content-Container(e2,e1)")

    def test_inverse_swaps_odd_and_even_ids(self) -> None:
        ids = label_ids(SEMEVAL_RELATIONS)
        for name, number in ids.items():
            assert ids[inverse_label(name)] == (
                0 if number == 0 else number + 1 if number % 2 else number - 1
            )
            assert inverse_label(inverse_label(name)) == name
            assert base_relation(name) == base_relation(inverse_label(name))

    def test_role_words_swap_with_the_direction(self) -> None:
        for name in SEMEVAL_RELATIONS:
            assert role_words(inverse_label(name)) == role_words(name)[::-1]
        assert role_words("no_relation") == ("no_relation", "no_relation")

    @pytest.mark.parametrize("name", ["no_relation", "NA", "Other", "NO-RELATION", "None", "other"])
    def test_well_known_negatives(self, name) -> None:
        assert find_negative(["A", name]) == name

    def test_two_negatives_must_be_told_apart(self) -> None:
        with pytest.raises(ValueError, match="NA, Other all look like one"):
            find_negative(["NA", "A", "Other"])
