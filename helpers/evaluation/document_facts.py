"""Facts of documents in DocRED's form, predicted and gold: from files to a report.

Source: Yao et al. 2019 (DocRED) and the scorer released with it. P = right / predicted rows, R = right /
facts. Evidence: sentences of right facts over all predicted and all gold evidence. Ign F1: P without right
facts that the training documents have, (right − in train) / (predicted − in train); R stays that of all
facts. A fact is in train if some pair of names of its head and tail has its relation there. intra: head and
tail have a sentence in common; inter: they have none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from .. import data
from ..core import MalformedRecord, check_known, listing, shown
from ..data import AnnotatedDocument, DocumentFact, first_record, read_annotated_documents
from ..metrics import Outcome
from .answers import amount

COUNTED, ENTITIES = ("unique", "official"), ("index", "name")
ROLES = ("gold", "predicted", "right")
Documents = Mapping[str, AnnotatedDocument]
Key = tuple[Any, ...]
Sets = tuple[set[Key], set[Key], set[Key]]
"""The gold, predicted and right triples of an item; a triple is a key that begins with its relation."""


class ItemSets(NamedTuple):
    """The items of a file: sets of triples, ids if it has them, and of documents what their rows say."""

    sets: Sequence[Sequence[set[Key]]]
    ids: Sequence[str | None] = ()
    documents: _DocumentFacts | None = None

    def outcome(self, roles: Sequence[str] = ROLES) -> Outcome:
        """The outcome of items with a set of triples in each role; ValueError if no item has a gold triple.

        >>> ItemSets([({("r", 1), ("r", 2)}, {("r", 2)}, {("r", 2)})]).outcome().per_class().gold.tolist()
        [2]
        """
        labels = sorted({key[0] for item in self.sets for keys in item for key in keys})
        code = {label: index for index, label in enumerate(labels)}
        n, matrices = len(self.sets), {}
        for role, sets in zip(roles, zip(*self.sets, strict=True), strict=False):
            sizes = [len(keys) for keys in sets]
            columns = np.fromiter((code[key[0]] for keys in sets for key in keys), np.intp, sum(sizes))
            cells = np.ones(len(columns), np.int64), (np.repeat(np.arange(n), sizes), columns)
            # equal places add up
            matrices[role] = scipy.sparse.csr_array(cells, shape=(n, len(labels)))
        if not n or not matrices["gold"].nnz:
            raise ValueError("there is no gold triple")
        return Outcome(matrices, np.ones(n, np.int64), tuple(labels), decision="given").grouped()


class _DocumentFacts(NamedTuple):
    """What the rows of a file say of each document.

    gold : the gold documents. counted_as : how rows are. items : title → gold, predicted and right facts of
        the gold documents, and of unknown titles where these count, as keys (relation, head, tail, how often
        it was there before). evidence : predicted, of the facts of known titles. repeated, unknown : rows
        that are repeated, and of unknown titles.
    """

    gold: Documents
    counted_as: str
    items: dict[str, Sets]
    evidence: dict[Key, frozenset[int]]
    repeated: int
    unknown: int

    def remark(self) -> str:
        """The rows that are not what one expects, and how they count."""
        rows = f"{amount(self.repeated, 'repeated row')}, {self.unknown} of unknown titles"
        return f"{rows} ({self.counted_as})"

    def section(self, train: Path | str | None) -> dict[str, dict[str, Any]]:
        """The rows intra, inter, evidence (if there is any), ign (with training documents), and official
        where rows are counted so: there what repeats a right fact is right again."""
        seen = None if train is None else _train_facts(read_annotated_documents(train))
        sums, in_train = {kind: np.zeros(3, int) for kind in ("intra", "inter", "evidence", "all")}, 0
        for title, (facts, predicted, _) in self.items.items():
            document = self.gold.get(title)
            for key in facts | predicted:
                relation, head, tail = fact = key[:3]
                right = key in predicted and (*fact, 0) in facts
                counts = np.array([key in facts, key in predicted, right])
                sums["all"] += counts
                if document is None:  # a false alarm that is neither intra nor inter
                    continue
                common = min(head, tail) >= 0 and document.sentences[head] & document.sentences[tail]
                sums["intra" if common else "inter"] += counts
                said = self.evidence.get((title, *key), frozenset())
                there = document.facts.get(fact, frozenset())
                sums["evidence"] += counts * [len(there), len(said), len(there & said)]
                if right and seen:
                    names = product(document.names[head], document.names[tail])
                    in_train += any((*pair, relation) in seen for pair in names)
        rows = {kind: _row(sums[kind]) for kind in ("intra", "inter")}
        if sums["evidence"][1]:
            rows["evidence"] = _row(sums["evidence"])
        if seen is not None:
            rows["ign"] = _row(sums["all"], in_train) | {"in_train": in_train}
        return rows | ({"official": _row(sums["all"])} if self.counted_as == "official" else {})


def read_document_facts(
    paths: Sequence[Path | str],
    gold_file: Path | str | None,
    counted_as: str = "unique",
    match_entities: str = "index",
) -> list[ItemSets]:
    """Files in DocRED's form beside the gold documents; of several, all have the titles that one alone knows.

    Arguments and errors as of `score_triples`.
    """
    check_known("way to count rows", counted_as, COUNTED)
    check_known("way to match entities", match_entities, ENTITIES)
    if gold_file is None:
        raise ValueError(f"{paths[0]}: these are documents; the gold ones: --gold FILE")
    gold, systems = read_annotated_documents(gold_file), []
    for path in paths:
        if "vertexSet" in first_record(path):
            rows = list(_rows_of(path, read_annotated_documents(path), gold, match_entities))
        elif match_entities == "name":
            raise ValueError(f"{path}: the rows have no names of entities, by which these could be matched")
        else:
            rows = data.read_document_facts(path)
        systems.append(_counted(path, rows, gold, counted_as))
    titles = [*dict.fromkeys(chain.from_iterable(system.items for system in systems))]
    return [
        ItemSets([system.items.get(title, (set(), set(), set())) for title in titles], titles, system)
        for system in systems
    ]


def _rows_of(
    path: Path | str, documents: Documents, gold: Documents, match_entities: str
) -> Iterator[DocumentFact]:
    """The labels of documents as predictions, with the gold numbers of their entities; −1: it is none of
    them."""
    differ = [title for title in documents if title in gold and gold[title].names != documents[title].names]
    if differ and match_entities == "index":
        titles = f"{amount(len(differ), 'document')}, {listing(map(shown, differ), 300)}"
        text = f"{path}: other entities than in the gold documents: {titles}"
        raise ValueError(f"{text}; --match-entities name matches them by name")
    for title, document in documents.items():
        number = list(range(len(document.names)))
        if title in differ:
            number = [_nearest(names, gold[title].names) for names in document.names]
        for (relation, head, tail), evidence in document.facts.items():
            yield DocumentFact(title, relation, number[head], number[tail], evidence)


def _nearest(names: frozenset[str], known: Sequence[frozenset[str]]) -> int:
    """The entity with most of the names, the first of several; −1 if none has one."""
    common = [len(names & others) for others in known]
    return common.index(max(common)) if any(common) else -1


def _counted(
    path: Path | str, rows: Sequence[DocumentFact], gold: Documents, counted_as: str
) -> _DocumentFacts:
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
        if counted_as == "official" or document is not None and not key[-1]:
            facts, predicted, right = items.setdefault(row.title, (set(), set(), set()))
            predicted.add(key)
            right |= {key} & facts
            if document is not None:
                evidence[row.title, *key] = row.evidence
    unknown = sum(row.title not in gold for row in rows)
    if rows and unknown == len(rows):
        first = shown(rows[0].title)
        raise MalformedRecord(path, f"no title is one of the gold documents, the first is {first}")
    return _DocumentFacts(gold, counted_as, items, evidence, len(rows) - len(times), unknown)


def _train_facts(documents: Documents) -> set[tuple[str, str, str]]:
    """(name of the head, name of the tail, relation) of every fact."""
    return {
        (*names, relation)
        for document in documents.values()
        for relation, head, tail in document.facts
        for names in product(document.names[head], document.names[tail])
    }


def _row(counts: np.ndarray, left_out: int = 0) -> dict[str, Any]:
    """P, R and F1, 0/0 as 0, of facts, predicted and right ones. left_out : right facts that precision does
    not count."""
    support, predicted, right = counts.tolist()
    p, r = (right - left_out) / max(predicted - left_out, 1), right / max(support, 1)
    row = {"precision": p, "recall": r, "f1": 2 * p * r / (p + r) if p + r else 0.0}
    return row | {"support": support, "predicted": predicted - left_out, "correct": right - left_out}
