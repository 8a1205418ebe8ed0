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

import numpy as np

from .. import data
from ..core import MalformedRecord, listing, naming_file, shown, unknown_name
from ..data import AnnotatedDocument, DocumentFact, read_annotated_documents, starts_with_key
from ..metrics import scheme_names
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
    **options: Any,
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
    options : schemes, replicates, seed, score, policy, as in `score_triples`; the bootstrap draws documents.

    Returns a report with the section `documents`: rows intra, inter, evidence (if there is any), ign, and
    official where rows are counted so.

    Raises ValueError as the readers; for entity lists that differ (with titles), an entity number that the
    document lacks, no known title, and as `score_triples`.
    """
    scheme_names(options.get("schemes"))  # refuses an unknown one before the files are read
    gold = read_annotated_documents(gold_file)
    seen = _train_facts(read_annotated_documents(train)) if train is not None else None
    read = read_predicted(path, gold, counted_as, match_entities)
    with naming_file(path):
        rules = {"as": counted_as, "match-entities": match_entities}
        report = report_of_sets(outcome_of_sets([*read.items.values()]), rules, **options)
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


class _Predicted(NamedTuple):
    """What rows say of each document.

    items : title → gold, predicted and right facts of the gold documents, and of unknown titles where these
        count, as keys (relation, head, tail, how often it was there before). evidence : predicted, of the
        facts of known titles. repeated, unknown : rows that are repeated, and of unknown titles.
    """

    items: dict[str, Sets]
    evidence: dict[Key, frozenset[int]]
    repeated: int
    unknown: int


def read_predicted(
    path: Path | str, gold: Documents, counted_as: str = "unique", match_entities: str = "index"
) -> _Predicted:
    """The predictions of a file beside the gold documents; arguments and errors of `score_document_facts`."""
    if counted_as not in COUNTED:
        raise unknown_name("way to count rows", counted_as, COUNTED)
    if match_entities not in ENTITIES:
        raise unknown_name("way to match entities", match_entities, ENTITIES)
    if starts_with_key(path, "vertexSet"):
        rows = list(_rows_of(path, read_annotated_documents(path), gold, match_entities))
    elif match_entities == "name":
        raise ValueError(f"{path}: the rows have no names of entities, by which these could be matched")
    else:
        rows = data.read_document_facts(path)
    with naming_file(path):
        return _counted(path, rows, gold, counted_as)


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


def _counted(path: Path | str, rows: Sequence[DocumentFact], gold: Documents, counted_as: str) -> _Predicted:
    """What the rows say of each document; an error for an entity that there is not, and if no title is
    known."""
    items: dict[str, Sets]
    items = {title: ({(*fact, 0) for fact in gold[title].facts}, set(), set()) for title in gold}
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
    return _Predicted(items, evidence, len(rows) - len(times), unknown)


def _train_facts(documents: Documents) -> set[tuple[str, str, str]]:
    """(name of the head, name of the tail, relation) of every fact."""
    return {
        (name, other, relation)
        for document in documents.values()
        for relation, head, tail in document.facts
        for name, other in product(document.names[head], document.names[tail])
    }


def _sections(
    read: _Predicted, gold: Documents, seen: set[tuple[str, str, str]] | None, counted_as: str
) -> dict[str, dict[str, Any]]:
    """The rows of the section `documents`; what repeats a right fact is right again."""
    lines = []
    for title, (facts, predicted, _) in read.items.items():
        document = gold.get(title)
        for key in facts | predicted:
            relation, head, tail, _ = key
            right = key in predicted and (*key[:3], 0) in facts
            common, there, in_train = -1, frozenset[int](), False
            said = read.evidence.get((title, *key), there)
            if document is not None:
                is_known = min(head, tail) >= 0
                common = bool(is_known and document.sentences[head] & document.sentences[tail])
                there = document.facts.get((relation, head, tail), there)
                pairs = product(document.names[head], document.names[tail]) if right and seen else ()
                in_train = any((*pair, relation) in (seen or ()) for pair in pairs)
            counts = (key in facts, key in predicted, right)
            evidence = (len(there) * (key in facts), len(said), len(there & said) * right)
            lines.append((common, *counts, *evidence, in_train))
    table = np.array(lines, int).reshape(-1, 8)
    every, evidence_of, known = table[:, 1:4], table[:, 4:7].sum(0), int(table[:, 7].sum())
    rows = {"intra": _row(every[table[:, 0] == 1].sum(0)), "inter": _row(every[table[:, 0] == 0].sum(0))}
    if evidence_of[1]:
        rows["evidence"] = _row(evidence_of)
    if seen is not None:
        rows["ign"] = _row(every.sum(0), known) | {"in_train": known}
    return rows | ({"official": _row(every.sum(0))} if counted_as == "official" else {})


def _row(counts: np.ndarray, left_out: int = 0) -> dict[str, Any]:
    """P, R and F1, 0/0 as 0, of facts, predicted and right ones. left_out : right facts that precision does
    not count."""
    support, predicted, right = counts.tolist()
    p, r = (right - left_out) / max(predicted - left_out, 1), right / max(support, 1)
    row = {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}
    return row | {"support": support, "predicted": predicted - left_out, "correct": right - left_out}
