"""Sets of triples, gold and predicted, of sentences or documents: from files to a report.

Right is a predicted triple that is one of the gold triples of its item by the match rule; a triple counts
once in an item. There is no negative class and there are no true negatives. Items are what a bootstrap draws.

Sources of the rules: Bekoulis et al. 2018; Taillé et al. 2020, *Let's Stop Incorrect Comparisons in
End-to-end Relation Extraction!*; last-token is the 'partial match' of papers on NYT.
"""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .. import metrics
from ..core import check_known, naming_file, plain_form, shown
from ..data import Triple, TripleItem, first_record, holds_triples, read_triples
from ..metrics import ClassReport, Policy, Schemes, averages
from .document_facts import ROLES, ItemSets, Key, Sets, read_document_facts

logger = logging.getLogger(__name__)
MATCHES = ("exact", "last-token", "strict", "boundaries", "pair", "relation")
"""exact: relation and both texts · last-token: relation and the last word of both · strict: relation, span
(or text, where there are none) and type of both · boundaries: as strict, without types · pair: the texts
without the relation · relation: the relation alone."""
NEED_TRUE_NEGATIVES = ("accuracy", "specificity", "mcc")
_ARTICLE = re.compile(r"^(?:an?|the) (?=.)")
OF_TRIPLES, OF_DOCUMENTS = ("match", "normalise"), ("counted_as", "match_entities")
COLUMN_OPTIONS = ("gold_column", "predicted_column", "id_column")


def score_triples(
    path: Path | str | Sequence[Any],
    gold_file: Path | str | None = None,
    *,
    train: Path | str | None = None,
    schemes: Schemes = None,
    replicates: int = 0,
    seed: int = 1,
    score: str = "f1",
    **options: Any,
) -> ClassReport:
    """Score items with gold and predicted triples, of a file or as they are; or facts of documents.

    In the report `n` are items, `labels` relations, and support and predicted count triples; there is no
    accuracy and no negative class.

    Parameters
    ----------
    path, gold_file : as in `read_triples`; or, in place of a file, one pair (gold, predicted) an item, both
        lists of `Triple` or of (head, relation, tail). Or a prediction file in DocRED's form, rows of title,
        h_idx, t_idx, r, evidence, or documents with labels, which are taken as predictions; `gold_file` then
        has the documents with the gold labels.
    schemes : names, 'n^α' or functions; None: all. replicates, seed : of the bootstrap over items.
    options : gold_column, predicted_column, id_column, as in `read_triples`; fields of `Policy`, such as
        `labels` and `zero_division`. Of triples match, one of `MATCHES` ('exact'); normalise: entities that
        differ in case, blanks or an article in front are one, and relations as `score --normalise` has it: in
        case, blanks, _ and -.

    Of documents
    ------------
    train : the training documents; None: no Ign F1.
    counted_as : 'unique': a row that is repeated counts once, rows of unknown titles are left out.
        'official': all rows are predicted facts, as DocRED's released scorer divides by all. Both are logged.
        There a row that repeats a right one is right again, so that recall may pass 1: the section counts it
        so, its row official is that scorer's own number; the schemes count it as a false alarm.
    match_entities : 'index': entity numbers mean the same in both files, which is checked if `path` has
        documents; 'name': an entity is the gold one with which it has most names in common.

    The report then has the section `documents`: rows intra, inter, evidence (if there is any), ign, and
    official where rows are counted so.

    Raises ValueError as the readers; for an unknown match; a text, or under strict a type, that is missing
    (with item and key); no gold triple; a score that counts true negatives; an option that is for the other
    kind of file; entity lists that differ (with titles), an entity number that the document lacks, no known
    title.

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
    metrics.scheme_names(schemes)  # refuses an unknown one before the file is read
    reading = {name: options.pop(name, None) for name in (*OF_TRIPLES, *OF_DOCUMENTS, *COLUMN_OPTIONS)}
    averaging = {"schemes": schemes, "score": score, "labels": "supported"} | options
    if not isinstance(path, str | Path):
        _check_score(score)
        items, rules = _as_items(path), (reading["match"] or "exact", bool(reading["normalise"]))
        return _report(ItemSets(_triple_sets(items, *rules)), _matching(*rules), averaging, replicates, seed)
    (read,), matching = read_item_sets([path], gold_file, score=score, train=train, **reading)
    with naming_file(path):
        report = _report(read, matching, averaging, replicates, seed)
    if read.documents:
        report.extra["documents"] = read.documents.section(train)
        without = "; no ign without the training documents" if train is None else ""
        report.headings["documents"] = read.documents.remark() + without
        if read.documents.repeated or read.documents.unknown:
            logger.warning("%s: %s", path, read.documents.remark())
    return report


def holds_items(path: Path | str, *columns: str | None) -> bool:
    """Whether a file holds triples, under these columns or usual ones, or facts of documents.

    >>> holds_items("a.csv")
    False
    """
    return _holds_documents(path) or holds_triples(path, *columns)


def _holds_documents(path: Path | str) -> bool:
    """Whether a file is a prediction file in DocRED's form, or documents with entities."""
    is_json = str(path).lower().removesuffix(".gz").endswith(".json")
    return is_json and bool({"h_idx", "vertexSet"} & first_record(path).keys())


def read_item_sets(
    paths: Sequence[Path | str], gold_file: Path | str | None = None, *, score: str = "f1", **options: Any
) -> tuple[list[ItemSets], str]:
    """The sets of files, and how their triples are matched, for signatures; relations of triples are spelt
    alike in all of them if `normalise`. Options (None: the default) and errors of `score_triples`."""
    with naming_file(paths[0]):
        _check_score(score)
    documents = _holds_documents(paths[0])
    given = {name: value for name, value in options.items() if value}
    others = (*OF_TRIPLES, *COLUMN_OPTIONS) if documents else (*OF_DOCUMENTS, "train")
    if strange := [name for name in others if name in given]:
        kind = "documents" if documents else "triples"
        raise ValueError(f"{paths[0]}: {strange[0]} is of no use with {kind}")
    if documents:
        rules = dict(zip(OF_DOCUMENTS, ("unique", "index"), strict=True)) | given
        rules.pop("train", None)
        matching = "|as:{counted_as}|match-entities:{match_entities}".format(**rules)
        return read_document_facts(paths, gold_file, **rules), matching
    match, normalise = given.pop("match", "exact"), given.pop("normalise", False)
    matching, read = _matching(match, normalise), []
    systems = [read_triples(path, gold_file, **given) for path in paths]
    for path, items in zip(paths, systems, strict=True):
        with naming_file(path):
            sets = _triple_sets(items, match, normalise, [*chain(*systems)])
        read.append(ItemSets(sets, [item.id for item in items]))
    return read, matching


def _matching(match: str, normalise: bool) -> str:
    """How triples are matched, for signatures."""
    check_known("match", match, MATCHES)
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


def _report(
    items: ItemSets, matching: str, averaging: Mapping[str, Any], replicates: int, seed: int
) -> ClassReport:
    """The report of sets of triples; matching : how they were matched, for the signature."""
    outcome = items.outcome()
    counts, policy = outcome.per_class(), dict(averaging)
    schemes, score = policy.pop("schemes"), policy.pop("score")
    report = Policy.of(counts, **policy).report(counts, schemes, score, "triples")
    report.sign(matching + metrics.bootstrap_suffix(replicates, seed))
    if replicates:
        scores, rng = partial(averages, classes_of=counts, **averaging), np.random.default_rng(seed)
        report.add_intervals(metrics.bootstrap_intervals(outcome, scores, rng, replicates))
    return report


def _check_score(score: str) -> None:
    """Raises ValueError for a score that counts true negatives, which triples have none of."""
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
