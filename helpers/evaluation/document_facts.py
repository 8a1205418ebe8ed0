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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

from ..core import MalformedRecord, listing, naming_file, shown, unknown_name
from ..data import (
    AnnotatedDocument,
    DocumentFact,
    read_annotated_documents,
    read_document_facts,
    starts_with_key,
)
from ..metrics import Weighting, scheme_names
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
        'official': each of them is a predicted fact that is not right, as DocRED's scorer divides by all
        rows (it counts a repeated right row as right again, too, by which recall may pass 1). Both are
        logged.
    match_entities : 'index': entity numbers mean the same in both files, which is checked if `path` has
        documents; 'name': an entity is the gold one with which it has most names in common.
    schemes, replicates, seed, policy : as in `score_triples`; the bootstrap draws documents.

    Returns a report with the section `documents`: rows intra, inter, evidence (if there is any) and ign.

    Raises ValueError as the readers; for entity lists that differ (with titles), an entity number that the
    document lacks, no known title, and as `score_triples`.
    """
    scheme_names(schemes)  # refuses an unknown one before the files are read
    if counted_as not in COUNTED:
        raise unknown_name("way to count rows", counted_as, COUNTED)
    if match_entities not in ENTITIES:
        raise unknown_name("way to match entities", match_entities, ENTITIES)
    gold = read_annotated_documents(gold_file)
    seen = _train_facts(read_annotated_documents(train)) if train is not None else None
    rows = _read_rows(path, gold, match_entities)
    with naming_file(path):
        counts = _check(path, rows, gold)
        items, evidence = _items(rows, gold, counted_as)
        outcome = outcome_of_sets([(facts, said, facts & said) for facts, said in items.values()])
        rules = {"as": counted_as, "match-entities": match_entities}
        report = report_of_sets(outcome, rules, schemes, replicates, seed, **policy)
    report.extra["documents"] = _sections(items, gold, evidence, seen)
    said = f"{counts['repeated']} repeated rows, {counts['unknown']} of unknown titles ({counted_as})"
    without = "" if train is not None else "; no ign without the training documents"
    report.headings["documents"] = said + without
    if counts["repeated"] or counts["unknown"]:
        logger.warning("%s: %s", path, said)
    return report


def holds_documents(path: Path | str) -> bool:
    """Whether a file is a prediction file in DocRED's form, or documents with entities.

    >>> holds_documents("a.csv")
    False
    """
    return starts_with_key(path, "h_idx", "vertexSet")


def document_sets(path: Path | str, gold_file: Path | str) -> dict[str, Sets]:
    """Title → gold, predicted and right facts of the gold documents, repeated rows counted once; as
    `score_document_facts`."""
    gold = read_annotated_documents(gold_file)
    rows = _read_rows(path, gold, "index")
    with naming_file(path):
        _check(path, rows, gold)
        items, _ = _items(rows, gold, "unique")
    return {title: (facts, said, facts & said) for title, (facts, said) in items.items()}


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
        text = f"{path}: {len(differ)} documents have other entities than the gold ones: {titles}"
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


def _check(path: Path | str, rows: Iterable[DocumentFact], gold: Documents) -> Counter[str]:
    """How many rows are repeated and of unknown titles; an error for an entity that there is not, and if no
    title is known."""
    counts: Counter[str] = Counter()
    keys = set()
    for number, row in enumerate(rows, start=1):
        counts["repeated"] += row[:4] in keys
        keys.add(row[:4])
        if row.title not in gold:
            counts["unknown"] += 1
            first = shown(row.title)
        elif (size := len(gold[row.title].names)) <= max(row.head, row.tail):
            entity = max(row.head, row.tail)
            there = f"entity {entity} is none of the {size} of the gold document"
            raise MalformedRecord(path, f"row {number}, title {shown(row.title)}: {there}")
        counts["known"] += row.title in gold
    if not counts["known"]:
        raise MalformedRecord(path, f"no title is one of the gold documents, the first is {first}")
    return counts


Items = dict[str, tuple[set[Key], set[Key]]]


def _items(
    rows: Iterable[DocumentFact], gold: Documents, counted_as: str
) -> tuple[Items, dict[Key, frozenset[int]]]:
    """Title → gold and predicted facts, keys (relation, head, tail, how often it was there before); and the
    predicted evidence of the facts of known titles."""
    items: Items = {title: ({(*fact, 0) for fact in gold[title].facts}, set()) for title in gold}
    evidence: dict[Key, frozenset[int]] = {}
    times: Counter[Key] = Counter()
    for row in rows:
        if counted_as == "unique" and (row.title not in gold or times[row[:4]]):
            continue
        predicted = items.setdefault(row.title, (set(), set()))[1]
        predicted.add((row.relation, row.head, row.tail, times[row[:4]]))
        if row.title in gold:
            evidence[(row.title, row.relation, row.head, row.tail, times[row[:4]])] = row.evidence
        times[row[:4]] += 1
    return items, evidence


def _train_facts(documents: Documents) -> set[tuple[str, str, str]]:
    """(name of the head, name of the tail, relation) of every fact."""
    return {
        (one, other, relation)
        for document in documents.values()
        for relation, head, tail in document.facts
        for one, other in product(document.names[head], document.names[tail])
    }


def _sections(
    items: Items,
    gold: Documents,
    evidence: Mapping[Key, frozenset[int]],
    seen: set[tuple[str, str, str]] | None,
) -> dict[str, dict[str, Any]]:
    """The rows of the section `documents`."""
    names = ("intra", "inter", "evidence", "all", "train")
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    for title, (facts, predicted) in items.items():
        counts["all"].update(support=len(facts), predicted=len(predicted), correct=len(facts & predicted))
        for key in facts | predicted if title in gold else ():
            relation, head, tail, _ = key
            document = gold[title]
            there = document.facts.get((relation, head, tail), frozenset())
            said = evidence.get((title, *key), frozenset())
            right = key in facts and key in predicted
            common = min(head, tail) >= 0 and document.sentences[head] & document.sentences[tail]
            kind = counts["intra" if common else "inter"]
            kind.update(support=key in facts, predicted=key in predicted, correct=right)
            counts["evidence"].update(support=len(there) * (key in facts), predicted=len(said))
            counts["evidence"]["correct"] += len(there & said) * right
            if right and seen is not None:
                pairs = product(document.names[head], document.names[tail])
                counts["train"]["correct"] += any((*pair, relation) in seen for pair in pairs)
    rows = {name: _row(counts[name]) for name in ("intra", "inter")}
    if counts["evidence"]["predicted"]:
        rows["evidence"] = _row(counts["evidence"])
    if seen is not None:
        total, known = counts["all"], counts["train"]["correct"]
        rows["ign"] = _row(total, known) | {"in_train": known}
    return rows


def _row(counts: Counter[str], left_out: int = 0) -> dict[str, Any]:
    """P, R and F1, 0/0 as 0. left_out : right facts that precision does not count."""
    right, predicted, support = (counts[name] for name in ("correct", "predicted", "support"))
    p, r = (right - left_out) / max(predicted - left_out, 1), right / max(support, 1)
    row = {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}
    return row | {"support": support, "predicted": predicted - left_out, "correct": right - left_out}
