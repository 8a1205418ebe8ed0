"""Samples with more than their text: the types of the entities, and the sentence's dependency tree.

A tree is a head for each of T words: its number in the sentence, counted from 1, or 0 for the root. What of a
tree a graph model reads is cut out around the path between the two entities (`pruned_heads`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .samples import RelationSample, Span

WHOLE_TREE = -1
"""As distance: nothing is left out."""


@dataclass(frozen=True, slots=True)
class TypedSample(RelationSample):
    """A sample whose entities have types, such as PERSON and CITY; '' is an unknown type.

    >>> TypedSample("1", "Ada of Rome", (0, 3), (7, 11), "born", "PERSON", "CITY").types
    ('PERSON', 'CITY')
    """

    head_type: str = ""
    tail_type: str = ""

    @property
    def types(self) -> tuple[str, str]:
        """The types of head and tail."""
        return self.head_type, self.tail_type


@dataclass(frozen=True, slots=True)
class ParsedSample(TypedSample):
    """A sample with the words that a parser saw, and their dependency tree.

    Attributes
    ----------
    words : character span of each word in `text`, in order. heads : of each word, from 1; 0 for the root.
    pos, ner : part of speech and named-entity tag of each word; empty if they are not known.

    Raises ValueError : a span outside of the text, columns of different length, and as `check_tree`.

    >>> spans = ((0, 4), (5, 11), (12, 17))
    >>> sample = ParsedSample("1", "Fire causes panic", (0, 4), (12, 17), "c", "", "", spans, (2, 0, 2))
    >>> sample.tokens, sample.words_of(sample.tail)
    (('Fire', 'causes', 'panic'), (2,))
    """

    words: tuple[Span, ...] = ()
    heads: tuple[int, ...] = ()
    pos: tuple[str, ...] = ()
    ner: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        RelationSample.__post_init__(self)
        for start, end in self.words:
            if not 0 <= start < end <= len(self.text):
                raise ValueError(f"word ({start}, {end}) does not lie in the text of length {len(self.text)}")
        for name in ("heads", "pos", "ner"):
            count = len(getattr(self, name))
            if count != len(self.words) and (count or name == "heads"):
                raise ValueError(f"there are {len(self.words)} words and {count} {name}")
        check_tree(self.heads)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words themselves."""
        return tuple(self.text[start:end] for start, end in self.words)

    def words_of(self, span: Span) -> tuple[int, ...]:
        """Positions of the words that a span touches, from 0; of an empty span the word at or after it."""
        start, end = span[0], max(span[1], span[0] + 1)
        touched = tuple(position for position, (a, b) in enumerate(self.words) if a < end and start < b)
        after = next(
            (position for position, (_, b) in enumerate(self.words) if b > start), len(self.words) - 1
        )
        return touched or (after,)


def check_tree(heads: Sequence[int]) -> None:
    """Raise ValueError unless the heads make one tree: what is wrong, and at which word (from 1).

    >>> check_tree([2, 0, 2])
    >>> check_tree([2, 1, 0])
    Traceback (most recent call last):
    ValueError: the heads go in a circle at word 1
    >>> check_tree([0, 0])
    Traceback (most recent call last):
    ValueError: a tree has one root; here are 2, words 1, 2
    """
    if not heads:
        raise ValueError("a tree has at least one word")
    for word, head in enumerate(heads, start=1):
        if not isinstance(head, int | np.integer) or isinstance(head, bool):
            raise ValueError(f"the head of word {word} is {head!r}, which is no number")
        if not 0 <= head <= len(heads):
            raise ValueError(f"the head of word {word} is {head}; there are {len(heads)} words")
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    reached = np.array([0, *heads])  # of each word, the head; after every doubling, twice as far up
    for _ in range(len(heads).bit_length()):
        reached = reached[reached]
    if len(roots) != 1 and (roots or not reached.any()):
        places = ", ".join(map(str, roots[:5]))
        raise ValueError(f"a tree has one root; here are {len(roots)}, words {places}")
    if reached.any():
        raise ValueError(f"the heads go in a circle at word {reached.astype(bool).argmax()}")


def ancestors(heads: np.ndarray) -> np.ndarray:
    """(D, T): row d holds each word's ancestor d steps up, row 0 the word itself; T where there is none.

    D is the number of steps after which nothing is left. The heads have to make a tree (`check_tree`).

    >>> ancestors(np.array([2, 0, 2])).tolist()
    [[0, 1, 2], [1, 3, 1], [3, 3, 3]]
    """
    size = len(heads)
    parent = np.append(np.where(heads > 0, heads - 1, size), size)
    rows = [np.arange(size)]
    while (rows[-1] < size).any():
        rows.append(parent[rows[-1]])
    return np.stack(rows)


def pruned_heads(
    heads: Sequence[int], subject: Sequence[int], object_: Sequence[int], distance: float = 1
) -> np.ndarray:
    """(T,) the tree around the path between two entities: heads, 0 for its top word, −1 for words left out.

    Of all words of both entities, the lowest common ancestor (LCA) is the top. The path is every word between
    an entity's word and the LCA, both included. A word below the LCA stays if it stands at most `distance`
    steps below the path (Zhang, Qi, Manning 2018, section 3.2).

    Parameters
    ----------
    heads : of the T words, from 1; 0 for the root. subject, object_ : positions of their words, from 0.
    distance : 0 (the path alone), 1, 2, …; `math.inf`: the whole subtree of the LCA; −1 (`WHOLE_TREE`): the
        whole tree, as the released code's option of that value does.

    Raises ValueError for another distance.

    >>> heads = [2, 0, 4, 2, 4]  # He likes cold tea now
    >>> [pruned_heads(heads, [0], [3], distance).tolist() for distance in (0, 1, -1)]
    [[2, 0, -1, 2, -1], [2, 0, 4, 2, 4], [2, 0, 4, 2, 4]]
    >>> pruned_heads(heads, [3], [3], 0).tolist()
    [-1, -1, -1, 0, -1]
    """
    if not distance >= WHOLE_TREE or distance != np.inf and distance != int(distance):
        raise ValueError(f"distance is {distance!r}; it must be -1, 0, 1, 2, … or inf")
    given = np.asarray(heads, dtype=np.intp)
    if distance == WHOLE_TREE:
        return given.copy()
    up, size = ancestors(given), len(given)
    entities = up[:, [*subject, *object_]]  # (D, words of the entities)
    above = np.zeros((entities.shape[1], size + 1), dtype=bool)
    above[np.arange(entities.shape[1]), entities] = True
    common = above[:, :size].all(axis=0)
    depth = (up < size).sum(axis=0)
    top = np.where(common, depth, 0).argmax()
    path = np.append(above[:, :size].any(axis=0) & ~common, False)
    path[top] = True
    steps = path[up]  # (D, T): whether the ancestor so many steps up is on the path
    kept = steps.any(axis=0) & (steps.argmax(axis=0) <= distance)
    pruned = np.where(kept, given, -1)
    pruned[top] = 0
    return pruned
