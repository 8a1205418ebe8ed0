"""Facts of documents in DocRED's form, predicted and gold: from files to a report.

Source: Yao et al. 2019 (DocRED) and the scorer released with it. P = right / predicted rows, R = right /
facts. Evidence: sentences of right facts over all predicted and all gold evidence. Ign F1: P without right
facts that the training documents have, (right − in train) / (predicted − in train); R stays that of all
facts. A fact is in train if some pair of names of its head and tail has its relation there. intra: head and
tail have a sentence in common; inter: they have none.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from ..core import MalformedRecord, listing, naming_file, shown, unknown_name
from ..data import (
    AnnotatedDocument,
    DocumentFact,
    read_annotated_documents,
    read_document_facts,
    starts_with_key,
)
from ..metrics import Weighting, scheme_names
from .remarks import amount
from .triples import Key, Sets, TripleReport, outcome_of_sets, report_of_sets

logger = logging.getLogger(__name__)
COUNTED, ENTITIES = ("unique", "official"), ("index", "name")
Documents = Mapping[str, AnnotatedDocument]


def score_document_facts(
    path: Path | str,
    gold_file: Path | str,
    *,
    train: Path | str | None = None,
    counted_as: str = "unique",
    match_entities: str = "index",
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
    **policy: Any,
) -> TripleReport:
    """Score a prediction file in DocRED's form, or documents with labels, against documents with labels.

    Parameters
    ----------
    path : rows of title, h_idx, t_idx, r, evidence; or documents as those of `gold_file`, whose labels are
        taken as predictions. train : the training documents; None: no Ign F1.
    counted_as : 'unique': a row that is repeated counts once, rows of unknown titles are left out.
        'official': all rows are predicted facts, as DocRED's released scorer divides by all. Both are logged.
        There a row that repeats a right one is right again, so that recall may pass 1: the section counts it
        so, its row official is that scorer's own number; the schemes count it as a false alarm.
    match_entities : 'index': entity numbers mean the same in both files, which is checked if `path` has
        documents; 'name': an entity is the gold one with which it has most names in common.
    schemes, replicates, seed, policy : as in `score_triples`; the bootstrap draws documents.

    Returns a report with the section `documents`: rows intra, inter, evidence (if there is any), ign, and
    official where rows are counted so.

    Raises ValueError as the readers; for entity lists that differ (with titles), an entity number that the
    document lacks, no known title, and as `score_triples`.
    """
    scheme_names(schemes)  # refuses an unknown one before the files are read
    _check_options(counted_as, match_entities)
    gold = read_annotated_documents(gold_file)
    seen = _train_facts(read_annotated_documents(train)) if train is not None else None
    rows = _read_rows(path, gold, match_entities)
    with naming_file(path):
        read = _counted(path, rows, gold, counted_as)
        outcome = outcome_of_sets([*read.items.values()])
        rules = {"as": counted_as, "match-entities": match_entities}
        report = report_of_sets(outcome, rules, schemes, replicates, seed, **policy)
    report.extra["documents"] = _sections(read, gold, seen, counted_as)
    said = f"{amount(read.repeated, 'repeated row')}, {read.unknown} of unknown titles ({counted_as})"
    without = "" if train is not None else "; no ign without the training documents"
    report.headings["documents"] = said + without
    if read.repeated or read.unknown:
        logger.warning("%s: %s", path, said)
    return report


def holds_documents(path: Path | str) -> bool:
    """Whether a file is a prediction file in DocRED's form, or documents with entities.

    >>> holds_documents("a.csv")
    False
    """
    return starts_with_key(path, "h_idx", "vertexSet")


def document_sets(
    path: Path | str, gold_file: Path | str, counted_as: str = "unique", match_entities: str = "index"
) -> dict[str, Sets]:
    """Title → gold, predicted and right facts of the gold documents, and of unknown titles where these count;
    as `score_document_facts`."""
    _check_options(counted_as, match_entities)
    gold = read_annotated_documents(gold_file)
    rows = _read_rows(path, gold, match_entities)
    with naming_file(path):
        return _counted(path, rows, gold, counted_as).items


def _check_options(counted_as: str, match_entities: str) -> None:
    if counted_as not in COUNTED:
        raise unknown_name("way to count rows", counted_as, COUNTED)
    if match_entities not in ENTITIES:
        raise unknown_name("way to match entities", match_entities, ENTITIES)


def _read_rows(path: Path | str, gold: Documents, match_entities: str) -> list[DocumentFact]:
    if starts_with_key(path, "vertexSet"):
        return list(_rows_of(path, read_annotated_documents(path), gold, match_entities))
    if match_entities == "name":
        raise ValueError(f"{path}: the rows have no names of entities, by which these could be matched")
    return read_document_facts(path)


def _rows_of(
    path: Path | str, documents: Documents, gold: Documents, match_entities: str
) -> Iterator[DocumentFact]:
    """The labels of documents as predictions, with the gold numbers of their entities; −1: it is none of
    them."""
    shared = {title: gold[title] for title in documents if title in gold}
    differ = [title for title, document in shared.items() if document.names != documents[title].names]
    if differ and match_entities == "index":
        titles = listing(map(shown, differ), 300)
        text = (
            f"{path}: other entities than in the gold documents: {amount(len(differ), 'document')}, {titles}"
        )
        raise ValueError(f"{text}; --match-entities name matches them by name")
    for title, document in documents.items():
        number = list(range(len(document.names)))
        if title in differ:
            number = [_nearest(names, shared[title].names) for names in document.names]
        for (relation, head, tail), evidence in document.facts.items():
            yield DocumentFact(title, relation, number[head], number[tail], evidence)


def _nearest(names: frozenset[str], known: Sequence[frozenset[str]]) -> int:
    """The entity with most of the names, the first of several; −1 if none has one."""
    common = [len(names & others) for others in known]
    return common.index(max(common)) if any(common) else -1


class _Counted(NamedTuple):
    """Title → gold, predicted and right facts, as keys (relation, head, tail, how often it was there before);
    the predicted evidence of the facts of known titles; rows that are repeated, and of unknown titles."""

    items: dict[str, Sets]
    evidence: dict[Key, frozenset[int]]
    repeated: int
    unknown: int


def _counted(path: Path | str, rows: Sequence[DocumentFact], gold: Documents, counted_as: str) -> _Counted:
    """What the rows say of each document; an error for an entity that there is not, and if no title is
    known."""
    items: dict[str, Sets] = {}
    for title in gold:
        items[title] = {(*fact, 0) for fact in gold[title].facts}, set(), set()
    evidence: dict[Key, frozenset[int]] = {}
    times: Counter[Key] = Counter()
    for number, row in enumerate(rows, start=1):
        document, entity = gold.get(row.title), max(row.head, row.tail)
        if document is not None and entity >= (size := len(document.names)):
            there = f"entity {entity} is none of the {size} of the gold document"
            raise MalformedRecord(path, f"row {number}, title {shown(row.title)}: {there}")
        fact = row.relation, row.head, row.tail
        key = (*fact, times[row.title, *fact])
        times[row.title, *fact] += 1
        if counted_as == "unique" and (document is None or key[-1]):
            continue
        facts, predicted, right = items.setdefault(row.title, (set(), set(), set()))
        predicted.add(key)
        if key in facts:
            right.add(key)
        if document is not None:
            evidence[row.title, *key] = row.evidence
    unknown = sum(row.title not in gold for row in rows)
    if rows and unknown == len(rows):
        first = shown(rows[0].title)
        raise MalformedRecord(path, f"no title is one of the gold documents, the first is {first}")
    return _Counted(items, evidence, len(rows) - len(times), unknown)


def _train_facts(documents: Documents) -> set[tuple[str, str, str]]:
    """(name of the head, name of the tail, relation) of every fact."""
    return {
        (name, other, relation)
        for document in documents.values()
        for relation, head, tail in document.facts
        for name, other in product(document.names[head], document.names[tail])
    }


def _sections(
    read: _Counted, gold: Documents, seen: set[tuple[str, str, str]] | None, counted_as: str
) -> dict[str, dict[str, Any]]:
    """The rows of the section `documents`; what repeats a right fact is right again."""
    names = ("intra", "inter", "evidence", "all", "train")
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for title, (facts, predicted, _) in read.items.items():
        right = {key for key in predicted if (*key[:3], 0) in facts}
        counts["all"].update(support=len(facts), predicted=len(predicted), correct=len(right))
        for key in facts | predicted if title in gold else ():
            relation, head, tail, _ = key
            document = gold[title]
            there = document.facts.get((relation, head, tail), frozenset())
            said = read.evidence.get((title, *key), frozenset())
            common = min(head, tail) >= 0 and document.sentences[head] & document.sentences[tail]
            kind = counts["intra" if common else "inter"]
            kind.update(support=key in facts, predicted=key in predicted, correct=key in right)
            counts["evidence"].update(support=len(there) * (key in facts), predicted=len(said))
            counts["evidence"]["correct"] += len(there & said) * (key in right)
            if key in right and seen is not None:
                pairs = product(document.names[head], document.names[tail])
                counts["train"]["correct"] += any((*pair, relation) in seen for pair in pairs)
    rows = {name: _row(counts[name]) for name in ("intra", "inter")}
    if counts["evidence"]["predicted"]:
        rows["evidence"] = _row(counts["evidence"])
    if seen is not None:
        known = counts["train"]["correct"]
        rows["ign"] = _row(counts["all"], known) | {"in_train": known}
    return rows | ({"official": _row(counts["all"])} if counted_as == "official" else {})


def _row(counts: Counter[str], left_out: int = 0) -> dict[str, Any]:
    """P, R and F1, 0/0 as 0. left_out : right facts that precision does not count."""
    right, predicted, support = (counts[name] for name in ("correct", "predicted", "support"))
    p, r = (right - left_out) / max(predicted - left_out, 1), right / max(support, 1)
    row = {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}
    return row | {"support": support, "predicted": predicted - left_out, "correct": right - left_out}
