"""Documents in DocRED's form: their facts, and corpora of sentences with the pairs of entities in them.

Of Re-DocRED (Tan et al. 2022, MIT) a corpus like TACRED is made: sentences with two typed entities, one label
(`_read_sentence_pairs`). A sample is an ordered pair of entities that a sentence mentions. It has the
document's fact about the pair if the sentence is evidence of it, else the negative class. Documents of the
development part are for training, those of the test part for testing. What follows from the files:

* More than half of the facts have no evidence. A pair with such a fact and no fact of this sentence is left
  out: it may be positive.
* A pair with several facts of this sentence is left out: no single label would be right.
* A pair with one fact of this sentence is positive, also if it has others without evidence.
* A pair of which both entities stand on the same words is left out.
* A fact whose evidence is in other sentences only makes a pair of this sentence negative.

Beside it, the same documents under two sets of labels, DocRED's and Re-DocRED's: as in distant supervision, a
sentence has what is known of the pair that it names.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import permutations
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from ..core import shown
from .bags import Mention
from .files import locate
from .records import collect, field, records_of
from .samples import Corpus, Fact, RelationSample, TypedSample, word_spans

RE_DOCRED = {"train": "re_docred/dev_revised.json", "test": "re_docred/test_revised.json"}
DOCRED = "docred/dev_keys_new.json"
NEGATIVE = "no_relation"
DOCUMENTS, NEGATIVE_SHARE, DRAW_SEED = 250, 0.795, 14
"""Of the drawn part: documents of each split, and the share of the negative class, which is TACRED's."""
KINDS = ("positive", "negative", "elsewhere", "unknown", "several", "same words")
KEPT = KINDS[:3]
"""'elsewhere' is negative, too: the document states a fact of the pair, with evidence in other sentences."""


class _EntityMention(NamedTuple):
    """Where a document names an entity: sentence and words (first, the one behind the last), from 0; its type
    there. Words and type are () and '' where the file has none."""

    name: str
    sentence: int
    words: tuple[int, ...]
    type: str


class AnnotatedDocument(NamedTuple):
    """A document with its facts: of each entity the names and the sentences of its mentions, and (relation,
    head, tail) → the sentences that are evidence of it; head and tail are numbers of entities. `words` : of
    each sentence. `mentions` : of each entity."""

    title: str
    names: list[frozenset[str]]
    sentences: list[frozenset[int]]
    facts: dict[tuple[str, int, int], frozenset[int]]
    words: list[list[str]]
    mentions: list[list[_EntityMention]]


class DocumentFact(NamedTuple):
    """A row of a prediction file in DocRED's form."""

    title: str
    relation: str
    head: int
    tail: int
    evidence: frozenset[int]


def _read(path: Path | str, made: Callable[[int, AnnotatedDocument], list], **unique: Any) -> Corpus:
    """What `made(number, document)` gives of each document of a file. unique : of `collect`."""

    def parse(_line: int | None, number: int, record: Any) -> list:
        title = field(record, "title", str)
        try:
            return made(number - 1, _document(title, record))
        except ValueError as error:
            raise ValueError(f"title {shown(title)}: {error}") from error

    return collect(path, records_of(path, "json"), parse, **unique)


def _document(title: str, record: Any) -> AnnotatedDocument:
    sents = record.get("sents", [])
    entities = [[_mention(member, sents) for member in members] for members in field(record, "vertexSet")]
    facts: dict[tuple[str, int, int], frozenset[int]] = {}
    for label in field(record, "labels"):
        key = (field(label, "r", str), _index(label, "h", len(entities)), _index(label, "t", len(entities)))
        facts[key] = facts.get(key, frozenset()) | _evidence(label)
    names = [frozenset(mention.name for mention in mentions) for mentions in entities]
    sentences = [frozenset(mention.sentence for mention in mentions) for mentions in entities]
    return AnnotatedDocument(title, names, sentences, facts, sents, entities)


def _mention(record: Any, sents: Sequence[Sequence[str]]) -> _EntityMention:
    name, sentence = field(record, "name", str), _index(record, "sent_id")
    words = tuple(record.get("pos", ()))
    inside = sentence < len(sents) and len(words) == 2 and 0 <= words[0] < words[1] <= len(sents[sentence])
    if sents and words and not inside:
        raise ValueError(f"{shown(name)} is words {shown(words)} of sentence {sentence}, which has no such")
    return _EntityMention(name, sentence, words, field(record, "type", str) if "type" in record else "")


def _index(record: Any, name: str, entities: int | None = None) -> int:
    """The number of a sentence or an entity, below `entities` where so many are known."""
    value = field(record, name, int)
    if value < 0:
        raise ValueError(f"{shown(name)} is {shown(value)}, no number from 0 on")
    if entities is not None and value >= entities:
        raise ValueError(f"{shown(name)} is {value}, no number of an entity; there are {entities}")
    return value


def _evidence(record: Any) -> frozenset[int]:
    evidence = record.get("evidence") or []
    if not isinstance(evidence, list) or not all(type(sentence) is int for sentence in evidence):
        raise ValueError(f"'evidence' is {shown(evidence)}, no list of sentence numbers")
    return frozenset(evidence)


def read_annotated_documents(path: Path | str) -> dict[str, AnnotatedDocument]:
    """Title → document, of a file in DocRED's or Re-DocRED's form.

    Raises MalformedRecord : no JSON array; with the document: a field that is missing or of another kind, an
    entity number out of range, a title that occurs twice.

    >>> import json, tempfile
    >>> entities = [[{"name": "Ada", "sent_id": 0}], [{"name": "Rome", "sent_id": 0}]]
    >>> labels = [{"r": "P937", "h": 0, "t": 1, "evidence": [0]}]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.json")
    ...     _ = path.write_text(json.dumps([{"title": "Ada", "vertexSet": entities, "labels": labels}]))
    ...     read_annotated_documents(path)["Ada"].facts
    {('P937', 0, 1): frozenset({0})}
    """
    documents = _read(path, lambda _, document: [document], key=attrgetter("title"), what="title")
    return {document.title: document for document in documents}


def read_document_facts(path: Path | str) -> list[DocumentFact]:
    """The rows of a prediction file in DocRED's form: title, h_idx, t_idx, r and perhaps evidence.

    Raises MalformedRecord, with the record's number, for a field that is missing or of another kind.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "result.json")
    ...     _ = path.write_text('[{"title": "Ada", "h_idx": 0, "t_idx": 1, "r": "P937"}]')
    ...     read_document_facts(path)[0][:4]
    ('Ada', 'P937', 0, 1)
    """

    def parse(_line: int | None, _number: int, row: Any) -> list[DocumentFact]:
        head, tail = (_index(row, end) for end in ("h_idx", "t_idx"))
        return [DocumentFact(field(row, "title", str), field(row, "r", str), head, tail, _evidence(row))]

    return collect(path, records_of(path, "json"), parse)


def _read_docred(path: Path | str) -> Corpus:
    """The labels of DocRED documents as `Fact`s; the name of an entity is that of its first mention.

    `source` is the document's title. Raises MalformedRecord as `read_annotated_documents`.
    """

    def facts(_number: int, document: AnnotatedDocument) -> list[Fact]:
        names = [mentions[0].name for mentions in document.mentions]
        return [Fact(document.title, names[head], names[tail], name) for name, head, tail in document.facts]

    return _read(path, facts)


class _Pair(NamedTuple):
    """An ordered pair of entities that a sentence names: a sample with the mentions of both marked, to be
    labelled, their numbers, and of the document relation → evidence of the facts about them."""

    sample: TypedSample
    sentence: int
    ends: tuple[int, int]
    same_words: bool
    facts: Mapping[str, frozenset[int]]


def _pairs(number: int, document: AnnotatedDocument) -> Iterator[_Pair]:
    """The pairs of a document, by sentence; of an entity that one mentions several times the first counts."""
    facts: dict[tuple[int, int], dict[str, frozenset[int]]] = defaultdict(dict)
    for (relation, head, tail), evidence in document.facts.items():
        facts[head, tail][relation] = evidence
    for sentence, words in enumerate(document.words):
        text, spans = " ".join(words), word_spans(words)
        here = [
            (entity, min(members, key=lambda mention: mention.words))
            for entity, mentions in enumerate(document.mentions)
            if (members := [mention for mention in mentions if mention.sentence == sentence])
        ]
        for (head, first), (tail, second) in permutations(here, 2):
            name, same_words = f"{number}.{sentence}.{head}.{tail}", first.words == second.words
            places = [(spans[start][0], spans[end - 1][1]) for start, end in (first.words, second.words)]
            sample = TypedSample(name, text, places[0], places[1], NEGATIVE, first.type, second.type)
            yield _Pair(sample, sentence, (head, tail), same_words, facts.get((head, tail), {}))


def _read_sentence_pairs(path: Path | str) -> Corpus:
    """The pairs of a file in Re-DocRED's form as `TypedSample`s, in the order of documents and sentences.

    A document has `title`, `sents` (lists of words), `vertexSet` (a list of mentions for each entity, with
    `name`, `sent_id`, `pos` — first word and the one behind the last — and `type`) and `labels` (`h`, `t`,
    `r`, `evidence`). The id is `document.sentence.head.tail`, each a number from 0; the text is the words
    with blanks.

    `.notes` counts the pairs of each kind: positive, negative (no fact), elsewhere (negative, as the evidence
    of the fact is in other sentences), and what is left out: unknown (a fact without evidence), several
    (facts of this sentence), same words.

    Raises MalformedRecord as `read_annotated_documents`.
    """
    notes = Counter(dict.fromkeys(KINDS, 0))

    def samples(number: int, document: AnnotatedDocument) -> list[TypedSample]:
        labelled = [(pair, *_label(pair)) for pair in _pairs(number, document)]
        notes.update(kind for _, kind, _ in labelled)
        return [replace(pair.sample, relation=name) for pair, kind, name in labelled if kind in KEPT]

    corpus = _read(path, samples)
    corpus.notes = notes
    return corpus


def _label(pair: _Pair) -> tuple[str, str]:
    """The kind of a pair in a sentence, and its relation."""
    here = [relation for relation, evidence in pair.facts.items() if pair.sentence in evidence]
    if pair.same_words:
        return "same words", ""
    if here:
        return ("positive", here[0]) if len(here) == 1 else ("several", "")
    if not all(pair.facts.values()):
        return "unknown", ""
    return "elsewhere" if pair.facts else "negative", NEGATIVE


def _labelled_twice(path: Path | str, labelled: Path | str, revised: bool) -> list[Mention]:
    """The sentences of documents that stand in two files, with the labels of one of them, as `Mention`s.

    path : documents as in `_read_sentence_pairs`. labelled : the same with other labels, matched by title.
    revised : take the labels of `path`; False: those of `labelled`.

    Documents whose entities have other names there are left out, as their numbers mean other entities; so are
    those that are missing there, and pairs on the same words. Each ordered pair of entities in a sentence is
    a mention: its relations are all that the document states of the pair, or the negative class; an entity is
    the title, a blank and its number from 0. The order is the same for both sets of labels.
    """
    others = {document.title: document for document in _read(labelled, lambda _, document: [document])}

    def mentions(number: int, document: AnnotatedDocument) -> list[Mention]:
        other = others.get(document.title)
        if other is None or _entity_names(other) != _entity_names(document):
            return []
        made = []
        for pair in _pairs(number, document if revised else document._replace(facts=other.facts)):
            if not pair.same_words:
                relations = tuple(sorted(pair.facts)) or (NEGATIVE,)
                head, tail = (f"{document.title} {entity}" for entity in pair.ends)
                made.append(Mention(replace(pair.sample, relation=relations[0]), head, tail, relations))
        return made

    return _read(path, mentions)


def _entity_names(document: AnnotatedDocument) -> list[list[str]]:
    return [sorted(mention.name for mention in mentions) for mentions in document.mentions]


def _pairs_labelled_twice(revised: bool) -> dict[str, list[Mention]]:
    """Split → the mentions of documents that DocRED and Re-DocRED label, with the labels of one of them.

    Of the training part pairs without a relation by DocRED are drawn; the same pairs for both sets of labels.
    """
    paths, labelled = {split: locate(file) for split, file in RE_DOCRED.items()}, locate(DOCRED)
    chosen = {split: _labelled_twice(path, labelled, revised) for split, path in paths.items()}
    known = [mention.relation for mention in _labelled_twice(paths["train"], labelled, revised=False)]
    return chosen | {"train": [chosen["train"][row] for row in _drawn_rows(known)]}


def _drawn_corpus() -> dict[str, list[RelationSample]]:
    """Split → the drawn part of Re-DocRED's pairs, for runs with several seeds."""
    return {split: _drawn_pairs(_read_sentence_pairs(locate(file))) for split, file in RE_DOCRED.items()}


def _drawn_pairs(samples: Iterable[RelationSample]) -> list[RelationSample]:
    """A part of the pairs that is always the same: `DOCUMENTS` documents, drawn of those that have a sample,
    all of their positives, and negatives as in `_drawn_rows`; in their order."""
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


_docred_pairs = partial(_pairs_labelled_twice, revised=False)
_docred_pairs_revised = partial(_pairs_labelled_twice, revised=True)
