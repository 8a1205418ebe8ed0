"""Trees: what is a tree, and what of it stays around the path, against a search from node to node."""

import math
import re
from collections import deque
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import ParsedSample, check_tree, paired_sample, paired_sets, pruned_heads
from helpers.data.samples import word_spans


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
    found = [word]
    while heads[found[-1]]:
        found.append(heads[found[-1]] - 1)
    return found


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
    below = [word for word in far if top in upwards(heads, word)]
    kept = {word for word in below if far[word] <= distance}
    return [-1 if one not in kept else 0 if one == top else head for one, head in enumerate(heads)]


@given(case=trees_with_entities(), distance=st.sampled_from([0, 1, 2, 3, math.inf]))
def test_pruning_is_that_of_a_search(case, distance) -> None:
    assert pruned_heads(*case, distance).tolist() == by_search(*case, distance)


@given(case=trees_with_entities(), distance=st.sampled_from([0, 1, 2, math.inf]))
def test_what_is_left_is_a_tree_with_both_entities(case, distance) -> None:
    heads, subject, object_ = case
    found = pruned_heads(heads, subject, object_, distance).tolist()
    kept = [place for place, head in enumerate(found) if head >= 0]
    assert {*subject, *object_} <= {*kept} and found.count(0) == 1
    check_tree([0 if found[place] == 0 else kept.index(found[place] - 1) + 1 for place in kept])
    wider = pruned_heads(heads, subject, object_, distance + 1).tolist()
    assert all(there == here for here, there in zip(found, wider, strict=True) if here >= 0)
    assert pruned_heads(heads, object_, subject, distance).tolist() == found
    assert pruned_heads(heads, subject, object_, -1).tolist() == heads


@given(trees())
def test_every_tree_is_one_and_every_spoilt_one_is_none(heads) -> None:
    check_tree(heads)
    for place in range(len(heads)):
        below = [word for word in range(len(heads)) if place in upwards(heads, word)]
        for head in below:  # a word that hangs from a word below it closes a circle
            spoilt = heads[:place] + [head + 1] + heads[place + 1 :]
            with pytest.raises(ValueError, match="circle"):
                check_tree(spoilt)
        if heads[place]:
            with pytest.raises(ValueError, match="one root; here are 2"):
                check_tree(heads[:place] + [0] + heads[place + 1 :])


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([], "at least one word"),
        ([0, 3], "the head of word 2 is 3; there are 2 words"),
        ([-1], "the head of word 1 is -1"),
        (["0"], "is '0', which is no number"),
        ([True], "is True, which is no number"),
    ],
)
def test_heads_that_are_none(heads, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        check_tree(heads)


WORDS = ["The", "fire", "here", "caused", "panic"]
SAMPLE = ParsedSample(
    *("1", " ".join(WORDS), (4, 8), (21, 26), "Cause-Effect(e1,e2)", "EVENT", "STATE"),
    *(word_spans(WORDS), (2, 4, 2, 0, 4)),
)


class TestParsedSample:
    def test_pairing_exchanges_the_types_and_keeps_the_tree(self) -> None:
        other = paired_sample(SAMPLE)
        assert (other.head_text, other.tail_text, other.types) == ("panic", "fire", ("STATE", "EVENT"))
        assert other.relation == "Cause-Effect(e2,e1)" and other.heads == SAMPLE.heads
        assert paired_sample(other) == SAMPLE
        assert paired_sets([SAMPLE])["merged"] == [SAMPLE, other]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"heads": (2, 4, 2, 0)}, "there are 5 words and 4 heads"),
            ({"pos": ("NN",)}, "there are 5 words and 1 pos"),
            ({"heads": (2, 1, 2, 0, 4)}, "circle at word 1"),
            ({"text": "The fire"}, "head span|tail span|does not lie"),
            ({"words": ((0, 3), (4, 4), (9, 13), (14, 20), (21, 26))}, r"word \(4, 4\) does not lie"),
        ],
    )
    def test_what_does_not_fit(self, change, message) -> None:
        with pytest.raises(ValueError, match=message):
            replace(SAMPLE, **change)
