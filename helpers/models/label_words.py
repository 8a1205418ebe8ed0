"""The five words that PTR gives to each relation: of SemEval's form of names, and of KBP37 and Wikidata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..core import BACKWARD, base_relation, inverse_label, role_words

Words = tuple[str, str, str, str, str]
NEGATIVE_WORDS: Words = ("nothing", "has", "nothing", "to", "nothing")
POSITIVE = "(relation)"
"""The label of all relations together, in the first step of type restriction."""
POSITIVE_WORDS: Words = ("something", "has", "something", "to", "something")
"""Its words: those of SemEval's Other, turned."""

_KBP37 = """
org:alternate_names organization name · org:city_of_headquarters headquarters city
org:country_of_headquarters headquarters country · org:founded organization date
org:founded_by organization founder · org:members group member
org:stateorprovince_of_headquarters headquarters state · org:subsidiaries company subsidiary
org:top_members/employees organization leader · per:alternate_names person name
per:cities_of_residence resident city · per:countries_of_residence resident country
per:country_of_birth born country · per:employee_of employee organization · per:origin person origin
per:spouse husband wife · per:stateorprovinces_of_residence resident state · per:title person title
"""
_WIKIDATA = """
P6 government leader · P17 site country · P19 born place · P20 died place · P22 child father
P25 child mother · P26 husband wife · P27 citizen country · P30 land continent · P31 instance class
P35 state president · P36 country capital · P37 country language · P39 person office · P40 parent child
P50 book author · P54 player team · P57 film director · P58 film writer · P69 student school
P86 music composer · P102 politician party · P108 employee employer · P112 organization founder
P118 team league · P123 game publisher · P127 property owner · P131 place region · P136 work genre
P137 facility operator · P140 person religion · P150 region district · P155 sequel original
P156 original sequel · P159 organization headquarters · P161 film actor · P162 film producer
P166 winner award · P170 work creator · P171 species family · P172 person ethnicity · P175 song singer
P176 product manufacturer · P178 software developer · P179 episode series · P190 city twin
P194 country parliament · P205 lake country · P206 place water · P241 soldier army · P264 artist label
P272 film studio · P276 event location · P279 type class · P355 company subsidiary · P361 part whole
P364 film language · P400 game platform · P403 river mouth · P449 show network · P463 member group
P488 organization chairman · P495 work country · P527 whole part · P551 resident home · P569 born date
P570 died date · P571 founded date · P576 ended date · P577 published date · P580 start time
P582 end time · P585 event time · P607 soldier war · P674 story character · P676 song writer
P706 place mountain · P710 event participant · P737 student influence · P740 band origin
P749 subsidiary company · P800 artist work · P807 country union · P840 story setting · P937 worker place
P1001 law jurisdiction · P1056 company product · P1198 country unemployment · P1336 territory claim
P1344 participant event · P1365 successor former · P1366 former successor · P1376 capital country
P1412 speaker language · P1441 character story · P3373 brother sister
"""


def _roles(rows: str) -> dict[str, tuple[str, str]]:
    """Relation → the words for its head and its tail."""
    words = (row.split() for line in rows.strip().splitlines() for row in line.split("·"))
    return {relation: (head, tail) for relation, head, tail in words}


ROLES: Mapping[str, tuple[str, str]] = _roles(_KBP37) | _roles(_WIKIDATA)
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
        return NEGATIVE_WORDS
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
