"""Sets of triples, gold and predicted, of sentences or documents: from files to a report.

Right is a predicted triple that is one of the gold triples of its item by the match rule; a triple counts
once in an item. There is no negative class and there are no true negatives. Items are what a bootstrap draws.

Sources of the rules: Bekoulis et al. 2018; Taillé et al. 2020, *Let's Stop Incorrect Comparisons in
End-to-end Relation Extraction!*; last-token is the 'partial match' of papers on NYT.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from .. import metrics
from ..core import naming_file, plain_form, shown, unknown_name
from ..data import Triple, TripleItem, read_triples
from ..metrics import ClassReport, Outcome, Policy, Weighting, averages, plain_number

MATCHES = ("exact", "last-token", "strict", "boundaries", "pair", "relation")
"""exact: relation and both texts · last-token: relation and the last word of both · strict: relation, span
(or text, where there are none) and type of both · boundaries: as strict, without types · pair: the texts
without the relation · relation: the relation alone."""
NEED_TRUE_NEGATIVES = ("accuracy", "specificity", "mcc")
_ARTICLE = re.compile(r"^(?:an?|the) (?=.)")
Key = tuple[Any, ...]
Sets = tuple[set[Key], set[Key], set[Key]]
"""The gold, predicted and right triples of an item; a triple is a key that begins with its relation."""
ROLES = ("gold", "predicted", "right")
COLUMNS = ("gold_column", "predicted_column", "id_column")
FileSets = tuple[list[list[Sets]], list[Sequence[str | None]], str]
"""Of each file the sets and the ids of all items; and how triples are matched, for signatures."""


class TripleReport(ClassReport):
    """A `ClassReport` of triples: `n` are items, `labels` relations, support and predicted count triples.

    accuracy is nan, and negative None: triples have neither.
    """

    units = "items"

    def _head(self) -> str:
        counts = {
            name: sum(row[key] for row in self.per_class.values())
            for name, key in (("gold", "support"), ("predicted", "predicted"), ("right", "correct"))
        }
        numbers = " · ".join(f"{name} {plain_number(count)}" for name, count in counts.items())
        return f"{plain_number(self.n)} items · triples: {numbers}"

    def to_dict(self) -> dict[str, Any]:
        """As of `ClassReport`, without accuracy and negative."""
        values = super().to_dict()
        return {key: value for key, value in values.items() if key not in ("accuracy", "negative")}

    def scores(self) -> dict[str, float]:
        """The score under each scheme by name, and F1 of each row of the section `documents`."""
        rows = {name: row["f1"] for name, row in self.extra.get("documents", {}).items()}
        return {name: row[self.score_name] for name, row in self.schemes.items()} | rows


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """No search for cyclic garbage meanwhile: of millions of tuples without a cycle it is half the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_uncollected()
def score_triples(
    path: Path | str | Sequence[Any],
    gold_file: Path | str | None = None,
    *,
    match: str = "exact",
    normalise: bool = False,
    **options: Any,
) -> TripleReport:
    """Score items with gold and predicted triples, of a file or as they are.

    Parameters
    ----------
    path, gold_file : as in `read_triples`; or, in place of a file, one pair (gold, predicted) an item, both
        lists of `Triple` or of (head, relation, tail).
    match : one of `MATCHES`. normalise : entities that differ in case, blanks or an article in front are one,
        and relations as `score --normalise` has it: in case, blanks, _ and -.
    gold_column, predicted_column, id_column : as in `read_triples`.
    options : schemes, names, 'n^α' or functions, None: all; replicates (0), seed (1), of the bootstrap over
        items; score; fields of `Policy`, such as `labels` and `zero_division`.

    Raises ValueError as `read_triples`; for an unknown match; a text, or under strict a type, that is missing
    (with item and key); no gold triple; a score that counts true negatives.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.jsonl")
    ...     _ = path.write_text('{"gold": [["Ada", "left", "Rome"]], "predicted": [["Ada", "left", "rome"]]}')
    ...     [score_triples(path, normalise=said).schemes["micro"]["f1"] for said in (False, True)]
    [0.0, 1.0]
    >>> item = [("Ada", "left", "Rome")], [("Ada", "left", "Rome"), ("Bo", "left", "Rome")]
    >>> score_triples([item]).schemes["micro"]["precision"]
    0.5
    """
    metrics.scheme_names(options.get("schemes"))  # refuses an unknown one before the file is read
    columns = {name: options.pop(name) for name in COLUMNS if name in options}
    if isinstance(path, str | Path):
        (sets,), _, matching = read_triple_sets([path], match, normalise, gold_file=gold_file, **columns)
        with naming_file(path):
            return report_of_sets(sets, matching, **options)
    items = _as_items(path)
    return report_of_sets(_triple_sets(items, match, normalise), _matching(match, normalise), **options)


def read_triple_sets(paths: Sequence[Path | str], match: str, normalise: bool, **reading: Any) -> FileSets:
    """The sets of files, with relations spelt alike in all of them if `normalise`; reading : of
    `read_triples`. Arguments and errors of `score_triples`."""
    matching, names = _matching(match, normalise), ("gold_file", *COLUMNS)
    reading = {name: value for name, value in reading.items() if name in names}
    systems, sets = [read_triples(path, **reading) for path in paths], []
    for path, items in zip(paths, systems, strict=True):
        with naming_file(path):
            sets.append(_triple_sets(items, match, normalise, [*chain(*systems)]))
    return sets, [[item.id for item in items] for items in systems], matching


def _matching(match: str, normalise: bool) -> str:
    """How triples are matched, for signatures."""
    if match not in MATCHES:
        raise unknown_name("match", match, MATCHES)
    return f"|match:{match}{'|normalise:case+blanks+articles' * normalise}"


def _as_items(pairs: Iterable[Any]) -> list[TripleItem]:
    """Pairs (gold, predicted) as `read_triples` gives items."""
    items = []
    for number, pair in enumerate(pairs, start=1):
        lists = []
        for role, triples in zip(ROLES, pair, strict=False):
            for triple in triples:
                if isinstance(triple, str) or not isinstance(triple, Triple) and len(triple) != 3:
                    needed = f"(head, relation, tail) is expected, not {shown(triple)}"
                    raise ValueError(f"item {number}, {role} triples: {needed}")
            given = (each if isinstance(each, Triple) else Triple(each[1], *each[::2]) for each in triples)
            lists.append([*given])
        items.append(TripleItem(lists[0], lists[1]))
    return items


def _triple_sets(
    items: Sequence[TripleItem], match: str, normalise: bool, others: Sequence[TripleItem] = ()
) -> list[Sets]:
    """The gold, predicted and right triples of each item, a triple as what is equal in two that match.

    others : items of further files, with which relations are spelt alike.

    >>> triples = [Triple("left", "Ada", "Rome"), Triple("left", "Bo", "Rome")]
    >>> _triple_sets([TripleItem(triples, triples[:1])], "relation", normalise=False)
    [({('left',)}, {('left',)}, {('left',)})]
    """
    key_of = _key_function(items, match, _spellings([*items, *others]) if normalise else None)
    sets = []
    for number, item in enumerate(items, start=1):
        keys = []
        for role, triples in zip(ROLES, item[:2], strict=False):
            try:
                keys.append({key_of(triple) for triple in triples})
            except ValueError as error:
                raise ValueError(f"item {number}, {role} triples: {error}") from error
        sets.append((keys[0], keys[1], keys[0] & keys[1]))
    return sets


def outcome_of_sets(items: Sequence[Sequence[set[Key]]], roles: Sequence[str] = ROLES) -> Outcome:
    """The outcome of items with a set of triples in each role; ValueError if no item has a gold triple.

    >>> outcome_of_sets([({("r", 1), ("r", 2)}, {("r", 2)}, {("r", 2)})]).per_class().gold.tolist()
    [2]
    """
    labels = sorted({key[0] for item in items for keys in item for key in keys})
    code = {label: index for index, label in enumerate(labels)}
    matrices = {}
    for role, sets in zip(roles, zip(*items, strict=True), strict=False):
        sizes = [len(keys) for keys in sets]
        columns = np.fromiter((code[key[0]] for keys in sets for key in keys), np.intp, sum(sizes))
        cells = np.ones(len(columns), np.int64), (np.repeat(np.arange(len(items)), sizes), columns)
        # equal places add up
        matrices[role] = scipy.sparse.csr_array(cells, shape=(len(items), len(labels)))
    if not items or not matrices["gold"].nnz:
        raise ValueError("there is no gold triple")
    return Outcome(matrices, np.ones(len(items), np.int64), tuple(labels), decision="given").grouped()


def report_of_sets(
    items: Sequence[Sets],
    matching: str,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
    *,
    score: str = "f1",
    **policy: Any,
) -> TripleReport:
    """The report of sets of triples; matching : how they were matched, for the signature.

    >>> report_of_sets([({("r", 1)}, set(), set())], "|match:exact").signature
    'f1|labels:supported|zero_support:skip|decision:given|n:1|labels_n:1|v:0.1|match:exact'
    """
    check_score(score)
    outcome, policy = outcome_of_sets(items), {"labels": "supported"} | policy
    counts = outcome.per_class()
    report = metrics.class_report(counts, Policy.of(counts, **policy), schemes, score, TripleReport)
    report.sign(matching + metrics.bootstrap_suffix(replicates, seed))
    if replicates:
        scores = partial(averages, schemes=schemes, score=score, classes_of=counts, **policy)
        rng = np.random.default_rng(seed)
        report.add_intervals(metrics.bootstrap_intervals(outcome, scores, rng, replicates))
    return report


def check_score(score: str) -> None:
    """Raises ValueError for a score that counts true negatives, which triples have none of.

    >>> check_score("mcc")
    Traceback (most recent call last):
    ValueError: triples have no true negatives, so there is no mcc of them
    """
    if score in NEED_TRUE_NEGATIVES:
        raise ValueError(f"triples have no true negatives, so there is no {score} of them")


def _key_function(
    items: Sequence[TripleItem], match: str, relation: Mapping[str, str] | None
) -> Callable[[Triple], Key]:
    """From a triple to what has to be equal in two that match. relation : its spelling, if normalised."""
    text = functools.cache(_normalised) if relation else lambda text: text
    last_word = functools.cache(lambda name: (text(name).split() or [""])[-1])
    entity = last_word if match == "last-token" else text
    triples = chain.from_iterable(chain(item.gold, item.predicted) for item in items)
    spans = match in ("strict", "boundaries") and any(each.head_span or each.tail_span for each in triples)

    def key(triple: Triple) -> Key:
        name = relation[triple.relation] if relation else triple.relation
        if match == "relation":
            return (name,)
        if spans:
            ends: Key = (triple.head_span, triple.tail_span)
            if None in ends:
                raise ValueError("some heads and tails have spans, others have none")
        elif triple.head is None or triple.tail is None:
            raise ValueError(f"head and tail have spans and no text, which {match} needs")
        else:
            ends = (entity(triple.head), entity(triple.tail))
        if match == "strict":
            if triple.head_type is None or triple.tail_type is None:
                raise ValueError("strict needs the types of head and tail, and one is missing")
            ends = (*ends, triple.head_type, triple.tail_type)
        return ("pair" if match == "pair" else name, *ends)

    return key


def _normalised(text: str) -> str:
    """In lower case, with single blanks, without an article in front."""
    return _ARTICLE.sub("", " ".join(text.casefold().split()))


def _spellings(items: Sequence[TripleItem]) -> dict[str, str]:
    """Relation → the spelling that it counts as: a gold one if there is one."""
    gold, predicted = (
        sorted({triple.relation for item in items for triple in getattr(item, role)}) for role in ROLES[:2]
    )
    first: dict[str, str] = {}
    return {name: first.setdefault(plain_form(name), name) for name in (*gold, *predicted)}
