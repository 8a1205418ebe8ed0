"""Files of parsed sentences: CoreNLP's dependencies beside tokenised sentences, and TACRED's JSON form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from ..core import MalformedRecord, shown, unknown_name
from .corpora import datasets, file_path, find_dataset, read_corpus
from .readers import Corpus, blocks, collect, field, json_array, lines, string
from .samples import SPACED_TAGS, RelationSample, Span, parse_tagged
from .trees import ParsedSample

TREES = ".dep"
"""What the name of the file of trees has behind that of the sentences."""


def read_dependencies(path: Path | str, strict: bool = True, trees: Path | str | None = None) -> Corpus:
    """Tokenised sentences, and their trees in the file `trees` (None: the same name with `.dep` behind it).

    A line of the first is `entity 1 TAB entity 2 TAB relation TAB sentence`, the words and the tags
    `<e1>` `</e1>` `<e2>` `</e2>` separated by blanks. In the second a sentence has a line for each word,
    `head TAB number TAB name of the dependency`, in any order, heads and numbers counted from 1, head 0 for
    the root; a blank line ends it. The names are not kept.

    Returns `ParsedSample`s; the id is the number of the sentence, from 1, the text its words with blanks.

    Raises
    ------
    MalformedRecord : not four columns, tags missing; as many trees as sentences are not there; a tree that is
        none (two roots, a circle, a head out of range, a number missing), with the sentence's number.
    FileNotFoundError : one of the files.
    """
    trees = trees or f"{path}{TREES}"
    parses = [block for _, block in blocks(trees)]
    sentences = list(lines(path))
    if len(parses) != len(sentences):
        found = f"{len(parses)} trees for the {len(sentences)} sentences of {Path(path).name}"
        raise MalformedRecord(trees, found)
    numbered = ((line, (number, row)) for number, (line, row) in enumerate(sentences, start=1))

    def parse(_line: int, record: tuple[int, bytes]) -> list[ParsedSample]:
        number, row = record
        with _naming_sentence(number):
            columns = row.decode().split("\t")
            if len(columns) != 4:
                raise ValueError(f"4 columns are expected, found {len(columns)}")
            text, head, tail = parse_tagged(columns[3].strip(), SPACED_TAGS)
            spans = word_spans(text.split(" "))
            heads = _heads(parses[number - 1], len(spans))
            return [ParsedSample(str(number), text, head, tail, columns[2], "", "", spans, heads)]

    return collect(path, numbered, parse, strict)


@contextmanager
def _naming_sentence(number: int) -> Iterator[None]:
    """Put the number of the sentence in front of what is wrong with it."""
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise ValueError(f"sentence {number}: {error}") from error


def word_spans(words: Sequence[str]) -> tuple[Span, ...]:
    """Character spans of words that are joined by blanks.

    >>> word_spans(["Fire", "and", "panic"])
    ((0, 4), (5, 8), (9, 14))
    """
    ends = [-1]
    for word in words:
        ends.append(ends[-1] + 1 + len(word))
    return tuple((end + 1, following) for end, following in pairwise(ends))


def _heads(block: Sequence[str], size: int) -> tuple[int, ...]:
    """The heads in the order of the words, from the lines of one tree."""
    heads: dict[int, int] = {}
    for line in block:
        head, *others = line.split("\t")
        if len(others) != 2 or not (_is_number(head) and _is_number(others[0])):
            raise ValueError(f"head, number and dependency are expected in its tree, not {shown(line)}")
        if heads.setdefault(int(others[0]), int(head)) != int(head):
            raise ValueError(f"word {int(others[0])} has two heads")
    missing = [place for place in range(1, size + 1) if place not in heads]
    if missing or len(heads) != size:
        lacks = f", word {missing[0]} is missing" if missing else ""
        raise ValueError(f"its tree has {len(heads)} words, the sentence {size}{lacks}")
    return tuple(heads[place] for place in range(1, size + 1))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 7


def read_tacred(path: Path | str, strict: bool = True) -> Corpus:
    """The JSON form of TACRED and of C-GCN's code as `ParsedSample`s.

    A JSON array of objects with `id`, `relation`, `token`, `subj_start`, `subj_end`, `obj_start`, `obj_end`
    (words from 0, ends inclusive), `stanford_head` (from 1, 0 for the root) and, where they are known,
    `subj_type`, `obj_type`, `stanford_pos`, `stanford_ner`. Numbers may stand as text. Head is the subject.

    Raises
    ------
    MalformedRecord : with the sentence's number: a field missing or of another kind, an entity outside of the
        sentence, a tree that is none.

    >>> import json, tempfile
    >>> one = {"id": "7", "relation": "no_relation", "token": ["Ada", "left"], "stanford_head": ["2", 0]}
    >>> one |= {"subj_start": 0, "subj_end": 0, "obj_start": 1, "obj_end": 1, "subj_type": "PERSON"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.json")
    ...     _ = path.write_text(json.dumps([one]))
    ...     read_tacred(path)[0].types
    ('PERSON', '')
    """
    numbered = ((line, (number, one)) for number, (line, one) in enumerate(json_array(path), start=1))

    def parse(_line: int, record: tuple[int, Any]) -> list[ParsedSample]:
        number, item = record
        with _naming_sentence(number):
            return [parsed_sample(item)]

    return collect(path, numbered, parse, strict)


def parsed_sample(item: Any) -> ParsedSample:
    """One object of TACRED's JSON form with a tree; ValueError says what it lacks."""
    words = _texts(item, "token")
    spans = word_spans(words)
    entities = []
    for role in ("subj", "obj"):
        first, last = (_number(field(item, f"{role}_{end}"), f"{role}_{end}") for end in ("start", "end"))
        if not 0 <= first <= last < len(words):
            raise ValueError(f"{role} is words {first} to {last}; there are {len(words)} words")
        entities.append((spans[first][0], spans[last][1]))
    head, tail = entities
    head_type, tail_type = (string(item, name) if name in item else "" for name in ("subj_type", "obj_type"))
    heads = tuple(_number(one, "stanford_head") for one in _list(item, "stanford_head"))
    pos, ner = (_texts(item, name) if name in item else () for name in ("stanford_pos", "stanford_ner"))
    identifier, relation = string(item, "id"), string(item, "relation")
    return ParsedSample(
        identifier, " ".join(words), head, tail, relation, head_type, tail_type, spans, heads, pos, ner
    )


def _list(item: Any, name: str) -> list:
    found = field(item, name)
    if not isinstance(found, list):
        raise ValueError(f"the field {shown(name)} is {shown(found)}, not a list")
    return found


def _texts(item: Any, name: str) -> tuple[str, ...]:
    found = _list(item, name)
    for place, one in enumerate(found, start=1):
        if not isinstance(one, str) or not one:
            raise ValueError(f"word {place} of {shown(name)} is {shown(one)}, not text")
    return tuple(found)


def _number(value: Any, name: str) -> int:
    if isinstance(value, str) and _is_number(value):
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{shown(name)} has {shown(value)}, which is no number")
    return value


def parsed_corpus(name: str, strict: bool = True) -> dict[str, list[ParsedSample]]:
    """Every split of a data set with dependency trees: those of its reader, or those of its `parses`.

    Where trees stand in files of their own, they belong to the samples in their order: id and relation are
    those of the corpus, text and entities those of the parser's sentence, which has the same letters.

    Raises
    ------
    ValueError : unknown data set, or one without trees, with those that have them.
    MalformedRecord : a tree file that does not fit the corpus. Others as `read_corpus`.

    >>> parsed_corpus("kbp37")
    Traceback (most recent call last):
    ValueError: unknown data set with dependency trees 'kbp37'. Known: semeval2010...
    """
    known = [one.name for one in datasets().values() if one.parsed]
    if name not in known:
        raise unknown_name("data set with dependency trees", name, known)
    dataset, corpus = find_dataset(name), read_corpus(name, strict)
    if not dataset.parses:
        return cast(dict[str, list[ParsedSample]], corpus)  # its reader is one of trees
    return {
        split: join_trees(samples, *map(file_path, parse_files(name, [split])))
        for split, samples in cast(dict[str, list[RelationSample]], corpus).items()
    }


def parse_files(name: str, splits: Iterable[str]) -> list[str]:
    """The files of sentences and of trees of some splits, none if the data set has no such files.

    >>> parse_files("semeval2010", ["test"])
    ['semeval2010/dependencies/test.txt', 'semeval2010/dependencies/test.txt.dep']
    """
    parses = find_dataset(name).parses
    return [f"{parses[split]}{end}" for split in splits if split in parses for end in ("", TREES)]


def join_trees(
    samples: Iterable[RelationSample], path: Path | str, trees: Path | str | None = None
) -> list[ParsedSample]:
    """The samples with the trees of a file (`read_dependencies`), matched by order and checked by letters.

    Raises MalformedRecord if there are not as many, or one differs, with the sentence's number.
    """
    samples, parsed = list(samples), read_dependencies(path, trees=trees)
    if len(samples) != len(parsed):
        raise MalformedRecord(path, f"{len(parsed)} sentences; the corpus has {len(samples)}")
    for number, (sample, one) in enumerate(zip(samples, parsed, strict=True), start=1):
        same = all(
            "".join(a.split()) == "".join(b.split())
            for a, b in zip(_shown_parts(sample), _shown_parts(one), strict=True)
        )
        if not same:
            raise MalformedRecord(path, f"sentence {number} is not that of sample {sample.id}", number)
    return [
        replace(one, id=sample.id, relation=sample.relation)
        for sample, one in zip(samples, parsed, strict=True)
    ]


def _shown_parts(sample: RelationSample) -> tuple[str, str, str]:
    return sample.text, sample.head_text, sample.tail_text
