"""A corpus like TACRED from Re-DocRED (Tan et al. 2022, MIT): sentences with two typed entities, one label.

A sample is an ordered pair of entities that a sentence mentions. It has the document's fact about the pair if
the sentence is evidence of it, else the negative class. Documents of the development part are for training,
those of the test part for testing. What follows from the files:

* More than half of the facts have no evidence. A pair with such a fact and no fact of this sentence is left
  out: it may be positive.
* A pair with several facts of this sentence is left out: no single label would be right.
* A pair with one fact of this sentence is positive, also if it has others without evidence.
* A pair of which both entities stand on the same words is left out.
* A fact whose evidence is in other sentences only makes a pair of this sentence negative.

Beside it, the same documents under two sets of labels, DocRED's and Re-DocRED's (`read_labelled_twice`): as
in distant supervision, a sentence has what is known of the pair that it names.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from ...core import shown
from ..bags import Mention
from ..files import locate
from ..samples import Corpus, Fact, RelationSample, Span, TypedSample, word_spans
from .parsing import collect, field, json_array, string

RE_DOCRED = {"train": "re_docred/dev_revised.json", "test": "re_docred/test_revised.json"}
DOCRED = "docred/dev_keys_new.json"
NEGATIVE = "no_relation"
DOCUMENTS, NEGATIVE_SHARE, DRAW_SEED = 250, 0.795, 14
"""Of the drawn part: documents of each split, and the share of the negative class, which is TACRED's."""
KINDS = ("positive", "negative", "elsewhere", "unknown", "several", "same words")
KEPT = KINDS[:3]
"""'elsewhere' is negative, too: the document states a fact of the pair, with evidence in other sentences."""


class _Mention(NamedTuple):
    entity: int
    words: Span
    type: str


def read_docred(path: Path | str, strict: bool = True) -> Corpus:
    """The labels of DocRED documents as `Fact`s; the name of an entity is that of its first mention.

    A document without `labels` (or with an empty list) gives no fact. `source` is the document's title.

    Raises
    ------
    MalformedRecord : no JSON array, a field missing, an entity number out of range.
    """

    def parse(_line: int, _number: int, document: Any) -> list[Fact]:
        names = [mentions[0]["name"] for mentions in field(document, "vertexSet")]
        title = string(document, "title")

        def entity(label: Any, end: str) -> str:
            return names[_entity(label, end, len(names))]

        labels = document.get("labels", [])
        return [Fact(title, entity(label, "h"), entity(label, "t"), string(label, "r")) for label in labels]

    return collect(path, json_array(path), parse, strict)


def read_sentence_pairs(path: Path | str, strict: bool = True) -> Corpus:
    """The pairs of a file in Re-DocRED's form as `TypedSample`s, in the order of documents and sentences.

    A document has `title`, `sents` (lists of words), `vertexSet` (a list of mentions for each entity, with
    `sent_id`, `pos` — first word and the one behind the last — and `type`) and `labels` (`h`, `t`, `r`,
    `evidence`). Of an entity that a sentence mentions several times the first mention counts. The id is
    `document.sentence.head.tail`, each a number from 0; the text is the words with blanks.

    `.notes` counts the pairs of each kind: positive, negative (no fact), elsewhere (negative, as the evidence
    of the fact is in other sentences), and what is left out: unknown (a fact without evidence), several
    (facts of this sentence), same words.

    Raises
    ------
    MalformedRecord : no JSON array, a field missing, a number out of range.
    """
    notes: Counter[str] = Counter()

    def parse(_line: int, number: int, document: Any) -> list[TypedSample]:
        return list(_pairs(number - 1, document, notes))

    corpus = collect(path, json_array(path), parse, strict)
    corpus.notes.update(notes)
    return corpus


def _pairs(number: int, document: Any, notes: Counter[str]) -> Iterator[TypedSample]:
    sentences = field(document, "sents")
    facts: dict[tuple[int, ...], dict[str, frozenset[int]]] = {}
    for (name, *ends), evidence in _facts(document).items():
        if not all(_within(index, len(sentences)) for index in evidence):
            said = f"a fact has evidence {shown(sorted(evidence))}"
            raise ValueError(f"{said}; there are {len(sentences)} sentences")
        facts.setdefault(tuple(ends), {})[name] = evidence
    for sentence, text, spans, head, tail in _named_together(document):
        kind, relation = _label(facts.get((head.entity, tail.entity), {}), sentence)
        kind = "same words" if head.words == tail.words else kind
        notes[kind] += 1
        if kind in KEPT:
            name = f"{number}.{sentence}.{head.entity}.{tail.entity}"
            yield _sample(name, text, spans, head, tail, relation)


def _named_together(document: Any) -> Iterator[tuple[int, str, Sequence[Span], _Mention, _Mention]]:
    """Sentence, its text, the spans of its words, head and tail, of each ordered pair of entities in it."""
    sentences = field(document, "sents")
    entities = field(document, "vertexSet")
    mentions = [_mentions(entity, members, sentences) for entity, members in enumerate(entities)]
    for sentence, words in enumerate(sentences):
        here = [by_sentence[sentence] for by_sentence in mentions if sentence in by_sentence]
        text, spans = " ".join(words), word_spans(words)
        for head, tail in permutations(here, 2):
            yield sentence, text, spans, head, tail


def _sample(
    name: str, text: str, spans: Sequence[Span], head: _Mention, tail: _Mention, relation: str
) -> TypedSample:
    head_span, tail_span = ((spans[first][0], spans[end - 1][1]) for first, end in (head.words, tail.words))
    return TypedSample(name, text, head_span, tail_span, relation, head.type, tail.type)


def read_labelled_twice(
    path: Path | str, labelled: Path | str, revised: bool, strict: bool = True
) -> list[Mention]:
    """The sentences of documents that stand in two files, with the labels of one of them, as `Mention`s.

    Parameters
    ----------
    path : documents as in `read_sentence_pairs`. labelled : the same with other labels, matched by title.
    revised : take the labels of `path`; False: those of `labelled`.

    Documents whose entities have other names there are left out, as their numbers mean other entities; so are
    those that are missing there, and pairs on the same words. Each ordered pair of entities in a sentence is
    a mention: its relations are all that the document states of the pair, or the negative class; an entity is
    the title, a blank and its number from 0. The order is the same for both sets of labels.

    Raises MalformedRecord as `read_sentence_pairs`.
    """

    def titled(_line: int, _number: int, document: Any) -> list[tuple[str, Any]]:
        return [(string(document, "title"), document)]

    others = dict(collect(labelled, json_array(labelled), titled, strict))

    def parse(_line: int, number: int, document: Any) -> list[Mention]:
        other = others.get(title := string(document, "title"))
        if other is None or _entity_names(other) != _entity_names(document):
            return []
        facts: dict[tuple[int, ...], list[str]] = {}
        for relation, *ends in _facts(document if revised else other):
            facts.setdefault(tuple(ends), []).append(relation)
        mentions = []
        for sentence, text, spans, head, tail in _named_together(document):
            if head.words != tail.words:
                relations = tuple(sorted(facts.get((head.entity, tail.entity), []))) or (NEGATIVE,)
                name = f"{number - 1}.{sentence}.{head.entity}.{tail.entity}"
                sample = _sample(name, text, spans, head, tail, relations[0])
                names = f"{title} {head.entity}", f"{title} {tail.entity}"
                mentions.append(Mention(sample, *names, relations))
        return mentions

    return list(collect(path, json_array(path), parse, strict))


def _entity_names(document: Any) -> list[list[str]]:
    return [sorted(string(member, "name") for member in members) for members in field(document, "vertexSet")]


def _facts(document: Any) -> dict[tuple[str, int, int], frozenset[int]]:
    """(relation, head, tail) → the sentences that are its evidence."""
    size = len(field(document, "vertexSet"))
    facts: dict[tuple[str, int, int], frozenset[int]] = {}
    for label in field(document, "labels"):
        key = (string(label, "r"), _entity(label, "h", size), _entity(label, "t", size))
        facts[key] = facts.get(key, frozenset()) | _evidence(label)
    return facts


def _within(value: Any, size: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size


def _mentions(entity: int, members: Sequence[Any], sentences: Sequence[Sequence[str]]) -> dict[int, _Mention]:
    """Sentence → the first mention of the entity in it."""
    first_mention: dict[int, _Mention] = {}
    for member in members:
        sentence, (first, end) = field(member, "sent_id"), field(member, "pos")
        if not _within(sentence, len(sentences)):
            raise ValueError(f"entity {entity} is in sentence {shown(sentence)}; there are {len(sentences)}")
        size = len(sentences[sentence])
        if not (_within(first, size) and _within(end, size + 1) and first < end):
            raise ValueError(f"entity {entity} has the words {shown((first, end))} of {size}")
        mention = _Mention(entity, (first, end), string(member, "type"))
        first_mention[sentence] = min(
            first_mention.get(sentence, mention), mention, key=lambda mention: mention.words
        )
    return first_mention


def _label(relations: Mapping[str, frozenset[int]], sentence: int) -> tuple[str, str]:
    """The kind of a pair in a sentence, and its relation."""
    here = [relation for relation, evidence in relations.items() if sentence in evidence]
    if len(here) == 1:
        return "positive", here[0]
    if here:
        return "several", ""
    if any(not evidence for evidence in relations.values()):
        return "unknown", ""
    return "elsewhere" if relations else "negative", NEGATIVE


def pair_shares(corpus: Corpus) -> dict[str, tuple[int, float]]:
    """Of what `read_sentence_pairs` gave: kind → number of pairs, and their share of all pairs, in [0, 1].

    >>> corpus = Corpus()
    >>> corpus.notes.update({"positive": 1, "negative": 2, "several": 1})
    >>> pair_shares(corpus)["several"]
    (1, 0.25)
    """
    total = sum(corpus.notes[kind] for kind in KINDS)
    return {kind: (corpus.notes[kind], corpus.notes[kind] / max(total, 1)) for kind in KINDS}


def drawn_corpus() -> dict[str, list[RelationSample]]:
    """Split → the drawn part of Re-DocRED's pairs, for runs with several seeds."""
    return {split: drawn_pairs(read_sentence_pairs(locate(file))) for split, file in RE_DOCRED.items()}


def pairs_labelled_twice(revised: bool) -> dict[str, list[Mention]]:
    """Split → the mentions of documents that DocRED and Re-DocRED label, with the labels of one of them.

    Of the training part pairs without a relation by DocRED are drawn; the same pairs for both sets of labels.
    """
    paths, labelled = {split: locate(file) for split, file in RE_DOCRED.items()}, locate(DOCRED)
    chosen = {split: read_labelled_twice(path, labelled, revised) for split, path in paths.items()}
    known = [mention.relation for mention in read_labelled_twice(paths["train"], labelled, revised=False)]
    return chosen | {"train": [chosen["train"][row] for row in _drawn_rows(known)]}


def drawn_pairs(samples: Iterable[RelationSample]) -> list[RelationSample]:
    """A part of the pairs that is always the same: `DOCUMENTS` documents, drawn of those that have a sample,
    all of their positives, and negatives as in `_drawn_rows`; in their order.
    """
    samples, rng = list(samples), random.Random(DRAW_SEED)
    documents = [sample.id.partition(".")[0] for sample in samples]
    present = list(dict.fromkeys(documents))
    chosen = set(rng.sample(present, min(DOCUMENTS, len(present))))
    kept = [sample for sample, document in zip(samples, documents, strict=True) if document in chosen]
    return [kept[row] for row in _drawn_rows([sample.relation for sample in kept], rng)]


def _drawn_rows(relations: Sequence[str], rng: random.Random | None = None) -> list[int]:
    """The rows of positives, and of so many negatives, drawn by `DRAW_SEED` or as given, that they have
    `NEGATIVE_SHARE` of all; all of them if there are fewer."""
    negative = [row for row, relation in enumerate(relations) if relation == NEGATIVE]
    wanted = round((len(relations) - len(negative)) * NEGATIVE_SHARE / (1 - NEGATIVE_SHARE))
    drawn = (rng or random.Random(DRAW_SEED)).sample(negative, min(wanted, len(negative)))
    return sorted({*range(len(relations))} - {*negative} | {*drawn})


class AnnotatedDocument(NamedTuple):
    """A document with its facts: of each entity the names and the sentences of its mentions, and (relation,
    head, tail) → the sentences that are evidence of it; head and tail are numbers of entities."""

    names: list[frozenset[str]]
    sentences: list[frozenset[int]]
    facts: dict[tuple[str, int, int], frozenset[int]]


class DocumentFact(NamedTuple):
    """A row of a prediction file in DocRED's form."""

    title: str
    relation: str
    head: int
    tail: int
    evidence: frozenset[int]


def read_annotated_documents(path: Path | str) -> dict[str, AnnotatedDocument]:
    """Title → document, of a file in DocRED's or Re-DocRED's form.

    Raises
    ------
    MalformedRecord : no JSON array; with the document: a field that is missing or of another kind, an entity
        number out of range, a title that occurs twice.

    >>> import json, tempfile
    >>> entities = [[{"name": "Ada", "sent_id": 0}], [{"name": "Rome", "sent_id": 0}]]
    >>> labels = [{"r": "P937", "h": 0, "t": 1, "evidence": [0]}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.json")
    ...     _ = path.write_text(json.dumps([{"title": "Ada", "vertexSet": entities, "labels": labels}]))
    ...     read_annotated_documents(path)["Ada"].facts
    {('P937', 0, 1): frozenset({0})}
    """
    documents: dict[str, AnnotatedDocument] = {}

    def parse(_line: int, _number: int, document: Any) -> list:
        title = string(document, "title")
        try:
            if title in documents:
                raise ValueError("the title occurred before")
            facts, entities = _facts(document), document["vertexSet"]
            names = [frozenset(string(mention, "name") for mention in mentions) for mentions in entities]
            sentences = [frozenset(field(mention, "sent_id") for mention in own) for own in entities]
            documents[title] = AnnotatedDocument(names, sentences, facts)
        except ValueError as error:
            raise ValueError(f"title {shown(title)}: {error}") from error
        return []

    collect(path, json_array(path), parse, True, "document")
    return documents


def read_document_facts(path: Path | str) -> list[DocumentFact]:
    """The rows of a prediction file in DocRED's form: title, h_idx, t_idx, r and perhaps evidence.

    Raises MalformedRecord for no JSON array, and with the row for a field that is missing or of another kind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "result.json")
    ...     _ = path.write_text('[{"title": "Ada", "h_idx": 0, "t_idx": 1, "r": "P937"}]')
    ...     read_document_facts(path)[0][:4]
    ('Ada', 'P937', 0, 1)
    """

    def parse(_line: int, _number: int, row: Any) -> list[DocumentFact]:
        head, tail = (_entity(row, end) for end in ("h_idx", "t_idx"))
        return [DocumentFact(string(row, "title"), string(row, "r"), head, tail, _evidence(row))]

    return list(collect(path, json_array(path), parse, True, "row"))


def _entity(record: Any, name: str, size: int = sys.maxsize) -> int:
    """The number of an entity, below `size` where that is known."""
    value = field(record, name)
    if not _within(value, size):
        there = "" if size == sys.maxsize else f"; there are {size}"
        raise ValueError(f"{shown(name)} is {shown(value)}, no number of an entity{there}")
    return value


def _evidence(record: Any) -> frozenset[int]:
    evidence = record.get("evidence") or []
    if not isinstance(evidence, list) or not all(type(sentence) is int for sentence in evidence):
        raise ValueError(f"'evidence' is {shown(evidence)}, no list of sentence numbers")
    return frozenset(evidence)
