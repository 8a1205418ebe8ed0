"""Label words of PTR: five words for each relation, one a mask (Han et al. 2021).

A directed relation X-Y has the words x | x of y | y, and with (e2,e1) the words y | y of x | x: the final,
five-word form that the released PTR code reads, as KnowPrompt's repository keeps it for SemEval-2010.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from helpers.data.relations import BACKWARD, inverse, role_words, undirected

Words = tuple[str, str, str, str, str]

NEGATIVE_WORDS: Words = ("nothing", "has", "nothing", "to", "nothing")

ROLES: Mapping[str, tuple[str, str]] = {
    "org:alternate_names": ("organization", "name"),
    "org:city_of_headquarters": ("headquarters", "city"),
    "org:country_of_headquarters": ("headquarters", "country"),
    "org:founded": ("organization", "date"),
    "org:founded_by": ("organization", "founder"),
    "org:members": ("group", "member"),
    "org:stateorprovince_of_headquarters": ("headquarters", "state"),
    "org:subsidiaries": ("company", "subsidiary"),
    "org:top_members/employees": ("organization", "leader"),
    "per:alternate_names": ("person", "name"),
    "per:cities_of_residence": ("resident", "city"),
    "per:countries_of_residence": ("resident", "country"),
    "per:country_of_birth": ("born", "country"),
    "per:employee_of": ("employee", "organization"),
    "per:origin": ("person", "origin"),
    "per:spouse": ("husband", "wife"),
    "per:stateorprovinces_of_residence": ("resident", "state"),
    "per:title": ("person", "title"),
}
"""The two roles of KBP37's relations: their names are no single words, these are. Chosen here."""


def label_words(relation: str) -> Words:
    """The five words of a relation. A relation without direction has those of SemEval's Other.

    >>> label_words("Cause-Effect(e2,e1)"), label_words("Other")
    (('effect', 'effect', 'of', 'cause', 'cause'), ('nothing', 'has', 'nothing', 'to', 'nothing'))
    """
    if inverse(relation) == relation:
        return NEGATIVE_WORDS
    roles = ROLES.get(undirected(relation))
    if roles is None:
        head, tail = role_words(relation)
    else:
        head, tail = reversed(roles) if relation.endswith(BACKWARD) else roles
    return (head, head, "of", tail, tail)


def all_label_words(relations: Iterable[str]) -> dict[str, Words]:
    """The words of each relation. Raises ValueError if two relations have the same five.

    >>> all_label_words(["Cause-Effect(e1,e2)"])
    {'Cause-Effect(e1,e2)': ('cause', 'cause', 'of', 'effect', 'effect')}
    """
    words = {relation: label_words(relation) for relation in relations}
    owners: dict[Words, str] = {}
    for relation, five in words.items():
        if owners.setdefault(five, relation) != relation:
            raise ValueError(f"{relation!r} and {owners[five]!r} have the same label words: {' '.join(five)}")
    return words
