"""The five words that PTR gives to each relation: of SemEval's form of names, and of KBP37 and Wikidata."""

from __future__ import annotations

import csv
from pathlib import Path

from ..core import BACKWARD, base_relation, inverse_label, role_words

Words = tuple[str, str, str, str, str]
_NEGATIVE_WORDS: Words = ("nothing", "has", "nothing", "to", "nothing")
POSITIVE = "(relation)"
"""The label of all relations together, in the first step of type restriction."""
POSITIVE_WORDS: Words = ("something", "has", "something", "to", "something")
"""Its words: those of SemEval's Other, turned."""

with Path(__file__).with_name("label_words.csv").open(encoding="utf-8") as _file:
    ROLES = {row["relation"]: (row["head"], row["tail"]) for row in csv.DictReader(_file)}
"""The two roles of KBP37's relations and of DocRED's, which are Wikidata's properties: their names are no
single words, these are. Chosen here, from the names of the relations alone, before anything was trained."""


def label_words(relation: str) -> Words:
    """The five words of a relation. One without direction and without roles has those of SemEval's Other.

    >>> label_words("Cause-Effect(e2,e1)"), label_words("Other")
    (('effect', 'effect', 'of', 'cause', 'cause'), ('nothing', 'has', 'nothing', 'to', 'nothing'))
    >>> label_words("P50")
    ('book', 'book', 'of', 'author', 'author')
    """
    if relation == POSITIVE:
        return POSITIVE_WORDS
    roles = ROLES.get(base_relation(relation))
    if roles is None and inverse_label(relation) == relation:
        return _NEGATIVE_WORDS
    if roles is None:
        head, tail = role_words(relation)
    else:
        head, tail = reversed(roles) if relation.endswith(BACKWARD) else roles
    return (head, head, "of", tail, tail)
