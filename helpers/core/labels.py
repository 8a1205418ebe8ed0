"""What a label is, and what the names of directed relations say: inverse, base, role words, label ids.

A label is a string or an integer, and never missing. A directed relation is written `BASE(e1,e2)` or
`BASE(e2,e1)`, as in SemEval-2010 Task 8; every other label (Other, no_relation, …) has no direction.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeVar

from .errors import did_you_mean, listing, shown

Label = str | int
AnyLabel = TypeVar("AnyLabel", str, int, Label)

SKIPPED = "(skipped)"
"""Predicted 'label' of a sample without an answer: a miss of its gold class, a false alarm of none."""

OFF_LIST = "(off list)"
"""The class of all answers that are none of the labels, where they count as false alarms."""

FORWARD, BACKWARD = DIRECTIONS = ("(e1,e2)", "(e2,e1)")

_BASES = "Message-Topic Product-Producer Instrument-Agency Entity-Destination Cause-Effect "
_BASES += "Component-Whole Entity-Origin Member-Collection Content-Container"
SEMEVAL_RELATIONS = ("Other", *(base + way for base in _BASES.split() for way in DIRECTIONS))
"""The 19 labels of SemEval-2010 Task 8 at their label ids in the RDR files: odd is (e1,e2), even (e2,e1)."""

NEGATIVE_NAMES = ("no_relation", "NA", "Other", "none", "no relation", "not related", "NOTA", "false")
"""Names under which corpora write the negative class; case and `_`, `-` or blank do not matter."""

_MARKS = "*`\"'“”‘’„«» \t\r\n"  # Markdown, quotes and blanks around an answer
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?")


def inverse_label(label: AnyLabel) -> AnyLabel:
    """The label of the sample whose entity markers are exchanged (paper R, section III): the direction flips.

    A label without a direction is its own inverse, so `inverse_label(inverse_label(r)) == r` for every label.

    >>> inverse_label("Cause-Effect(e1,e2)"), inverse_label("Other")
    ('Cause-Effect(e2,e1)', 'Other')
    """
    for here, there in (DIRECTIONS, DIRECTIONS[::-1]):
        if isinstance(label, str) and label.endswith(here):
            return label.removesuffix(here) + there
    return label


def base_relation(label: AnyLabel) -> AnyLabel:
    """The base relation: the label without its direction.

    >>> base_relation("Cause-Effect(e2,e1)"), base_relation("Other")
    ('Cause-Effect', 'Other')
    """
    if isinstance(label, str) and label.endswith(DIRECTIONS):
        return label[: -len(FORWARD)]
    return label


def role_words(relation: str) -> tuple[str, str]:
    """The roles of entity 1 and entity 2 in lower case: columns 4 and 5 of the RDR files (paper R).

    The base is cut at its first hyphen or colon, and (e2,e1) swaps the two words; a base without either gives
    the same word twice.

    >>> role_words("Cause-Effect(e2,e1)"), role_words("Other"), role_words("per:title(e1,e2)")
    (('effect', 'cause'), ('other', 'other'), ('per', 'title'))
    """
    first, *rest = re.split("[-:]", base_relation(relation).lower(), maxsplit=1)
    second = rest[0] if rest else first
    return (second, first) if relation.endswith(BACKWARD) else (first, second)


def label_ids(relations: Iterable[str]) -> dict[str, int]:
    """Label ids as in the RDR files: labels without direction first, then the k-th base as 2k−1 and 2k.

    The SemEval labels get exactly the ids of the published files; other inventories are ordered by name, and
    both directions of a base get an id even if only one occurs. With exactly one label without direction (the
    negative class, id 0) the ids of `(e1,e2)` are odd and those of `(e2,e1)` even.

    >>> label_ids(["per:title(e2,e1)", "no_relation"])
    {'no_relation': 0, 'per:title(e1,e2)': 1, 'per:title(e2,e1)': 2}
    """
    seen, ordered = set(relations), SEMEVAL_RELATIONS
    if not seen <= set(ordered):
        plain = sorted(relation for relation in seen if inverse_label(relation) == relation)
        bases = sorted({base_relation(relation) for relation in seen.difference(plain)})
        ordered = (*plain, *(base + way for base in bases for way in DIRECTIONS))
    return {relation: index for index, relation in enumerate(ordered)}


def find_negative(labels: Iterable[str]) -> str | None:
    """The label that is a well-known name of the negative class (`NEGATIVE_NAMES`), or None if there is none.

    Raises
    ------
    ValueError : more than one label has such a name; the caller must say which is meant.

    >>> find_negative(["per:title", "No-Relation"]), find_negative(["P17", "P131"])
    ('No-Relation', None)
    """
    names = {plain_form(name) for name in NEGATIVE_NAMES}
    likely = [label for label in labels if plain_form(label) in names]
    if len(likely) > 1:
        raise ValueError(f"which label is the negative class? {listing(likely)} all look like one: name it")
    return likely[0] if likely else None


def plain_form(label: Label) -> str:
    """What two spellings of a label have in common: no case, no blanks, '_' or '-', no Markdown, no quotes
    around it, no final stop. Of a number only what is around it goes: -1 is not 1, and 1-2 is not 12.

    >>> plain_form("No-Relation "), plain_form("Cause-Effect(e1, e2)"), plain_form("-1"), plain_form("1-2")
    ('norelation', 'causeeffect(e1,e2)', '-1', '1-2')
    >>> plain_form('**"no_relation"**.'), plain_form("`per:title`"), plain_form("...")
    ('norelation', 'per:title', '...')
    """
    text = unicodedata.normalize("NFKC", str(label)).strip()
    bare = text.strip(_MARKS).rstrip(_MARKS + ".。")
    form = re.sub(r"[-_*`\s]", "", bare).casefold()
    return (bare if _NUMBER.fullmatch(form) else form) or text


def unlisted_message(argument: str, index: int | None, value: Label, labels: Iterable[Label]) -> str:
    """Say that `argument[index]`, or `argument` itself, is not in the label list, and which listed label is
    nearest.

    >>> unlisted_message("predicted", 0, "per:titel", ["per:age", "per:title"])
    "predicted[0] is 'per:titel', which is not in labels (2 labels); did you mean 'per:title'?"
    """
    known, named = list(labels), argument if index is None else f"{argument}[{index}]"
    absent = f"which is not in labels ({len(known)} labels)"
    return f"{named} is {shown(value)}, {absent}{did_you_mean(value, known)}"
