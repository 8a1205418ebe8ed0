"""Samples and markers; trees, and what of one stays around the path, against a search from node to node."""

import math
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import data
from helpers.data import RelationSample, parse_tagged, pruned_heads, render
from helpers.data.samples import _check_tree
from tests.support import PARSED

MARKERS = (data.TAGS, data.RDR_MARKERS, data.SPACED_TAGS)


def sample(head=(4, 8), tail=(16, 21), text="The fire caused panic.") -> RelationSample:
    return RelationSample("1", text, head, tail, "Cause-Effect(e1,e2)")


@pytest.mark.parametrize(
    ("head", "tail", "expected"),
    [
        ((4, 8), (16, 21), "The <e1>fire</e1> caused <e2>panic</e2>."),
        ((16, 21), (4, 8), "The <e2>fire</e2> caused <e1>panic</e1>."),
        ((0, 4), (4, 8), "<e1>The </e1><e2>fire</e2> caused panic."),
        ((4, 21), (4, 8), "The <e1><e2>fire</e2> caused panic</e1>."),
        ((4, 4), (4, 8), "The <e1></e1><e2>fire</e2> caused panic."),
        ((4, 8), (8, 8), "The <e1>fire</e1><e2></e2> caused panic."),
    ],
)
def test_render_and_back(head, tail, expected):
    assert render(sample(head, tail)) == expected
    assert parse_tagged(expected) == (sample().text, head, tail)


@given(st.text("ab ", min_size=1, max_size=12), st.data(), st.sampled_from(MARKERS))
def test_parse_undoes_render(text, draw, markers):
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    head, tail = draw.draw(st.permutations([(cuts[0], cuts[1]), (cuts[2], cuts[3])]))
    assert parse_tagged(render(sample(head, tail, text), markers), markers) == (text, head, tail)


@st.composite
def trees(draw, most: int = 12) -> list[int]:
    """Heads of a random tree: each node hangs from an earlier one, and the nodes are renamed."""
    size = draw(st.integers(1, most))
    names = draw(st.permutations(range(size)))
    heads = [0] * size
    for node in range(1, size):
        heads[names[node]] = names[draw(st.integers(0, node - 1))] + 1
    return heads


@st.composite
def trees_with_entities(draw) -> tuple[list[int], list[int], list[int]]:
    heads = draw(trees())
    words = st.lists(st.integers(0, len(heads) - 1), min_size=1, max_size=3, unique=True)
    return heads, draw(words), draw(words)


def upwards(heads: list[int], word: int) -> list[int]:
    """The word, its head, and so on to the root."""
    way = [word]
    while heads[way[-1]]:
        way.append(heads[way[-1]] - 1)
    return way


def by_search(heads: list[int], subject: list[int], object_: list[int], distance: float) -> list[int]:
    """The same by definition: the path by walking up, the words below it by breadth-first search."""
    ways = [upwards(heads, word) for word in [*subject, *object_]]
    top = next(word for word in ways[0] if all(word in way for way in ways))
    path = {word for way in ways for word in way[: way.index(top) + 1]}
    far = dict.fromkeys(path, 0)
    waiting = deque(path)
    while waiting:
        word = waiting.popleft()
        for child, head in enumerate(heads):
            if head == word + 1 and child not in far:
                far[child] = far[word] + 1
                waiting.append(child)
    # what hangs above the top, or beside it, is reached from no word of the path
    kept = {word for word in far if top in upwards(heads, word) and far[word] <= distance}
    return [-1 if word not in kept else 0 if word == top else head for word, head in enumerate(heads)]


@given(case=trees_with_entities(), distance=st.sampled_from([0, 1, 2, 3, math.inf]))
def test_pruning_is_that_of_a_search_and_leaves_a_tree_with_both_entities(case, distance):
    heads, subject, object_ = case
    pruned = pruned_heads(heads, subject, object_, distance).tolist()
    assert pruned == by_search(*case, distance)
    kept = [word for word, head in enumerate(pruned) if head >= 0]
    assert {*subject, *object_} <= {*kept} and pruned.count(0) == 1
    _check_tree([0 if pruned[word] == 0 else kept.index(pruned[word] - 1) + 1 for word in kept])
    assert pruned_heads(heads, object_, subject, distance).tolist() == pruned
    assert pruned_heads(heads, subject, object_, -1).tolist() == heads


@given(trees())
def test_every_tree_is_one_and_every_spoilt_one_is_none(heads):
    _check_tree(heads)
    for word in range(len(heads)):
        for below in (other for other in range(len(heads)) if word in upwards(heads, other)):
            # a word that hangs from a word below it closes a circle
            with pytest.raises(ValueError, match="circle"):
                _check_tree(heads[:word] + [below + 1] + heads[word + 1 :])
        if heads[word]:
            with pytest.raises(ValueError, match="one root; here are 2"):
                _check_tree(heads[:word] + [0] + heads[word + 1 :])


def test_pairing_exchanges_the_types_and_keeps_the_tree():
    other = data.paired_sample(PARSED)
    assert (other.head_text, other.tail_text, other.types) == ("panic", "fire", ("STATE", "EVENT"))
    assert other.relation == "Cause-Effect(e2,e1)" and other.heads == PARSED.heads
    assert data.paired_sample(other) == PARSED and data.paired_sets([PARSED])["merged"] == [PARSED, other]
