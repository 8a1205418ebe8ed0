"""Sentences with entities, a record each: TACRED, trees, OpenNRE, GIDS, NYT*, RESIDE's lists, own files."""

from __future__ import annotations

import ast
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from ...core import MalformedRecord, naming_file, read_file, shown, unknown_name
from ..bags import Mention
from ..samples import (
    CHEMPROT_MARKERS,
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    Corpus,
    Fact,
    Markers,
    RelationSample,
    Span,
    parse_tagged,
    word_spans,
)
from ..sources import open_source
from ..trees import ParsedSample, TypedSample
from .parsing import Record, blocks, collect, field, json_array, lines, numbered, string
from .tagged import read_tagged

TREES = ".dep"
"""What the name of the file of trees has behind that of the sentences."""
END = "###END###"
MOST_CHARACTERS, MOST_DEPTH = 1 << 20, 50
"""Of a line that is a Python literal; Python's parser is not made for hostile ones."""
_DEGREE = "/people/person/education./education/education/degree"
GIDS_RELATIONS = (
    "NA",
    "/people/deceased_person/place_of_death",
    "/people/person/education./education/education/institution",
    "/people/person/place_of_birth",
    _DEGREE,
)
"""In the order of the columns and gold numbers of Jat et al.'s published probabilities.

The file relation2id.txt beside them has another order; but only in this one the numbers are the relations of
the sentences, pair by pair (`ranked_lists.read_gids_probabilities`).
"""
ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt")
MARKERS: tuple[Markers, ...] = (
    SPACED_TAGS,
    TAGS,
    RDR_MARKERS,
    ("[E1] ", " [/E1]", "[E2] ", " [/E2]"),
    ("[E1]", "[/E1]", "[E2]", "[/E2]"),
    CHEMPROT_MARKERS,
)
"""Entity markers that are recognised; the first whose two opening ones occur is taken."""
TEXT, LABEL, WORDS = ("text", "sentence"), ("relation", "label"), ("token", "tokens")
SPANS = (("e1_start", "e1_end", "e2_start", "e2_end"), ("head_start", "head_end", "tail_start", "tail_end"))


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

    return collect(path, numbered(sentences), parse, strict)


@contextmanager
def _naming_sentence(number: int) -> Iterator[None]:
    """Put the number of the sentence in front of what is wrong with it."""
    try:
        yield
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        raise ValueError(f"sentence {number}: {error}") from error


def _heads(block: Sequence[str], size: int) -> tuple[int, ...]:
    """The heads in the order of the words, from the lines of one tree."""
    heads: dict[int, int] = {}
    for line in block:
        head, *others = line.split("\t")
        if len(others) != 2 or not all(re.fullmatch("[0-9]{1,6}", one) for one in (head, others[0])):
            raise ValueError(f"head, number and dependency are expected in its tree, not {shown(line)}")
        if heads.setdefault(int(others[0]), int(head)) != int(head):
            raise ValueError(f"word {int(others[0])} has two heads")
    missing = [place for place in range(1, size + 1) if place not in heads]
    if missing or len(heads) != size:
        lacks = f", word {missing[0]} is missing" if missing else ""
        raise ValueError(f"its tree has {len(heads)} words, the sentence {size}{lacks}")
    return tuple(heads[place] for place in range(1, size + 1))


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

    def parse(_line: int, record: tuple[int, Any]) -> list[RelationSample]:
        number, item = record
        with _naming_sentence(number):
            field(item, "stanford_head")
            return [token_sample(item, string(item, "id"), string(item, "relation"))]

    return collect(path, numbered(json_array(path)), parse, strict)


def token_sample(record: Any, identifier: str, relation: str, words: str = "token") -> RelationSample:
    """A sample whose sentence is a list of words, in the forms of TACRED and of OpenNRE; ValueError says what
    it lacks.

    Entities are `h` and `t` with `pos` (first word, the one behind the last), or `subj_start`, `subj_end`,
    `obj_start`, `obj_end` (ends inclusive). With `stanford_head` the sample has its tree, with `subj_type`
    and `obj_type` the types; a number may stand as text.
    """
    tokens = _texts(record, words)
    if not tokens:
        raise ValueError("there is no word")
    text, spans = " ".join(tokens), word_spans(tokens)
    head, tail = ((spans[first][0], spans[end - 1][1]) for first, end in _bounds(record, len(tokens)))
    types = [string(record, name) if name in record else None for name in ("subj_type", "obj_type")]
    head_type, tail_type = (one or "" for one in types)
    if "stanford_head" in record:
        heads = tuple(_whole(one, "stanford_head") for one in _list(record, "stanford_head"))
        pos, ner = (
            _texts(record, name) if name in record else () for name in ("stanford_pos", "stanford_ner")
        )
        return ParsedSample(
            identifier, text, head, tail, relation, head_type, tail_type, spans, heads, pos, ner
        )
    if None in types:
        return RelationSample(identifier, text, head, tail, relation)
    return TypedSample(identifier, text, head, tail, relation, head_type, tail_type)


def _bounds(record: Any, size: int) -> list[Span]:
    """Start and end (exclusive) of the two entities: words of `size`; of size 0, characters."""
    bounds: list[tuple[str, int, int]] = []
    if "h" in record or "t" in record:
        for role in ("h", "t"):
            pos = field(field(record, role), "pos")
            if not isinstance(pos, list | tuple) or len(pos) != 2:
                raise ValueError(f"pos of {shown(role)} is {shown(pos)}, not [start, end)")
            bounds.append((role, _whole(pos[0], "pos"), _whole(pos[1], "pos")))
    else:
        for role in ("subj", "obj"):
            first, last = (_whole(field(record, name), name) for name in (f"{role}_start", f"{role}_end"))
            bounds.append((role, first, last + 1))
    for role, start, end in bounds:
        if size and not 0 <= start < end <= size:
            raise ValueError(f"{role} is words {start} to {end - 1}; there are {size} words")
        if not 0 <= start <= end:
            raise ValueError(f"pos of {shown(role)} is [{start}, {end}]: it has to rise from 0 on")
    return [(start, end) for _, start, end in bounds]


def _list(record: Any, name: str) -> list:
    items = field(record, name)
    if not isinstance(items, list | tuple):
        raise ValueError(f"the field {shown(name)} is {shown(items)}, not a list")
    return list(items)


def _texts(record: Any, name: str) -> tuple[str, ...]:
    items = _list(record, name)
    for place, item in enumerate(items, start=1):
        if not isinstance(item, str) or not item:
            raise ValueError(f"word {place} of {shown(name)} is {shown(item)}, not text")
    return tuple(items)


def _identifier(entity: Any) -> str:
    """What an entity is known by: its id, else its name."""
    known = entity.get("id", "")
    known = str(known) if type(known) is int else known or string(entity, "name")
    if not isinstance(known, str):
        raise ValueError(f"id is {shown(known)}, neither a string nor an integer")
    if not known:
        raise ValueError("an entity has neither id nor name")
    return known


def _whole(value: Any, name: str) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{shown(name)} is {shown(value)}, not a whole number")
    return value


def read_opennre(path: Path | str, strict: bool = True) -> Corpus:
    """OpenNRE's lines as `Mention`s: one sentence a line, JSON or a Python dictionary.

    A line has `text` with character offsets or `token` with token offsets, `h` and `t` with `pos` [start,
    end), `id` and `name`, and `relation`; lines that annotators looked at have `anno_relation_list` too. The
    text of tokens is the tokens with one blank between; a token may be blanks or an end of line (in 130
    sentences of Wiki80). An entity without `id` is known by its name. The sample's id is the line number.

    Raises
    ------
    MalformedRecord : neither JSON nor a Python dictionary, a field missing or of another type, a place
        outside of the sentence, an empty relation or list of annotated relations.

    Source: Gao et al. 2021 and OpenNRE, which evaluates each line as Python; nothing is evaluated here.

    >>> import tempfile
    >>> line = {"token": ["Ada", "left", "London"], "relation": "NA"}
    >>> line |= {"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}}
    >>> line |= {"t": {"id": "Q84", "name": "london", "pos": [2, 3]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text(json.dumps(line) + "\\n" + str(line))
    ...     [(one.head, one.tail, one.sample.tail_text) for one in read_opennre(path)]
    [('Q1', 'Q84', 'London'), ('Q1', 'Q84', 'London')]
    """

    def parse(line: int, row: bytes) -> list[Mention]:
        record = _literal(row.decode()) if re.match(rb"\s*\{\s*'", row) else json.loads(row)
        head_id, tail_id = (_identifier(field(record, name)) for name in ("h", "t"))
        relation = string(record, "relation")
        if "text" in record:
            head, tail = _bounds(record, 0)
            sample = RelationSample(str(line), string(record, "text"), head, tail, relation)
        else:
            sample = token_sample(record, str(line), relation)
        return [Mention(sample, head_id, tail_id, _annotated(record))]

    return collect(path, lines(path), parse, strict)


def _literal(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a Python literal of {len(text)} characters; at most {MOST_CHARACTERS} are read")
    steps = (1 if letter in "([{" else -1 if letter in ")]}" else 0 for letter in text)
    if max(itertools.accumulate(steps)) > MOST_DEPTH:
        raise ValueError(f"a Python literal nested more than {MOST_DEPTH} deep")
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"no valid Python literal ({error})") from None


def _annotated(record: Any) -> tuple[str, ...]:
    if "anno_relation_list" not in record:
        return ()
    found = record["anno_relation_list"]
    if not (isinstance(found, list | tuple) and found and all(isinstance(one, str) and one for one in found)):
        raise ValueError(f"anno_relation_list is {shown(found)}, not a list of names; none is written ['NA']")
    return tuple(dict.fromkeys(found))


NAME_RULES: dict[str, Callable[[str], re.Pattern[str]]] = {
    "word": lambda name: re.compile(rf"(?<!\S){re.escape(name)}(?!\S)"),
    "word with punctuation": lambda name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"),
    "other spelling": lambda name: re.compile(
        rf"(?<!\w){re.escape(name).replace('_', '[_ ]')}(?!\w)", re.IGNORECASE
    ),
    "part of a word": lambda name: re.compile(re.escape(name).replace("_", "[_ ]"), re.IGNORECASE),
}
"""How a name is looked for in a sentence, one rule after the other; the first place that fits is taken."""
ABSENT = "absent"


def find_name(text: str, name: str) -> tuple[Span, str]:
    """Where a name stands in a sentence, and the rule (`NAME_RULES`) that found it; (0, 0) if it is absent.

    >>> find_name("Ada_Lovelace left London, at last", "London")
    ((18, 24), 'word with punctuation')
    >>> find_name("Ada_Lovelace left", "London")
    ((0, 0), 'absent')
    """
    for rule, pattern in NAME_RULES.items() if name else ():
        if found := pattern(name).search(text):
            return found.span(), rule
    return (0, 0), ABSENT


def read_gids(path: Path | str, strict: bool = True) -> Corpus:
    """GIDS (Jat et al. 2017) as `Mention`s: two identifiers, two names, relation and sentence, by tabs.

    The sentence ends with `###END###`, which is left out. Names have `_` for blanks, in the sentence too,
    which is kept as it is (`text.replace("_", " ")` moves no character). Where a name stands is not in the
    file: `find_name` looks for it, and `.notes` counts the rules, as `head: word`. An entity that is nowhere
    has an empty span at the start, the position 0 of programs that count words; the published files have
    none. The sample's id is the line number. The relation `…/degree` is `…/degrees` in relation2id.txt.

    Raises
    ------
    MalformedRecord : not six columns, an empty identifier, name or relation, no `###END###`, not UTF-8.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.tsv")
    ...     _ = path.write_text("/m/1\\t/m/2\\tAda_L\\tLondon\\tNA\\tAda_L left London. ###END### \\n")
    ...     mentions = read_gids(path)
    >>> mentions[0].sample.tail_text, sorted(mentions.notes)
    ('London', ['head: word', 'tail: word with punctuation'])
    """
    notes: Counter[str] = Counter()

    def parse(line: int, row: bytes) -> list[Mention]:
        columns = row.decode().split("\t")
        if len(columns) != 6:
            raise ValueError(f"6 columns are expected, found {len(columns)}")
        *names, sentence = columns
        titles = ("first identifier", "second identifier", "first name", "second name", "relation")
        for title, value in zip(titles, names, strict=True):
            if not value.strip():
                raise ValueError(f"the {title} is empty")
        text, end, rest = sentence.partition(END)
        if not end or rest.strip():
            raise ValueError(f"the sentence has to end with {END}, once")
        text = text.strip()
        (head, head_rule), (tail, tail_rule) = (find_name(text, name) for name in names[2:4])
        notes.update((f"head: {head_rule}", f"tail: {tail_rule}"))
        return [Mention(RelationSample(str(line), text, head, tail, names[4]), names[0], names[1])]

    corpus = collect(path, lines(path), parse, strict)
    corpus.notes = notes
    return corpus


def read_entity_types(path: Path | str) -> dict[str, tuple[str, ...]]:
    """Entity → its types in Freebase, from RESIDE's JSON object of lists.

    Raises
    ------
    MalformedRecord : no JSON object of lists of strings; with the line where the JSON breaks off.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "types.json")
    ...     _ = path.write_text('{"/m/0100b5": ["/location"]}')
    ...     read_entity_types(path)
    {'/m/0100b5': ('/location',)}
    """
    return _read_lists(path)


def read_relation_aliases(path: Path | str) -> dict[str, tuple[str, ...]]:
    """Relation → phrases that say it, from RESIDE's JSON object of lists.

    Its `/people/person/education./education/education/degrees` is called `…/degree` here, as the sentences of
    GIDS have it.

    Raises
    ------
    MalformedRecord : as `read_entity_types`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "alias.json")
    ...     _ = path.write_text('{"/people/person/place_of_birth": ["born in", "birthplace"]}')
    ...     read_relation_aliases(path)["/people/person/place_of_birth"]
    ('born in', 'birthplace')
    """
    return {_DEGREE if name == f"{_DEGREE}s" else name: own for name, own in _read_lists(path).items()}


def _read_lists(path: Path | str) -> dict[str, tuple[str, ...]]:
    with naming_file(path):
        content = read_file(path)
        try:
            found = json.loads(content.decode())
        except json.JSONDecodeError as error:
            raise MalformedRecord(path, f"no valid JSON: {error.msg}", error.lineno) from error
        except RecursionError as error:
            raise MalformedRecord(path, "nested too deeply") from error
        except ValueError as error:  # not UTF-8, or a number of thousands of digits
            raise MalformedRecord(path, f"no valid JSON ({error})") from error
        if not isinstance(found, dict):
            raise MalformedRecord(path, f"a JSON object is expected, not {type(found).__name__}")
        for name, own in found.items():
            if not isinstance(own, list) or not all(isinstance(one, str) for one in own):
                raise MalformedRecord(path, f"{shown(name)} has {shown(own)}, not a list of strings")
    return {name: tuple(own) for name, own in found.items()}


def read_nyt_star(
    path: Path | str, strict: bool = True, triples: Literal["first", "last", "all"] = "first"
) -> Corpus:
    """NYT* files, a JSON array of `{"text", "triple_list": [[head, relation, tail], …]}`, as `Fact`s.

    Parameters
    ----------
    triples : which triples of a sentence to keep. Only `first` gives the statistics in Table 1 of paper W.

    `source` is the sentence's position, from 0.

    Raises
    ------
    MalformedRecord : no JSON array, a field missing, an empty triple list, a triple that is not three
        strings.
    ValueError : `triples` is none of the three.
    """
    if triples not in ("first", "last", "all"):
        raise unknown_name("triples", triples, ("first", "last", "all"))
    kept = {"first": slice(0, 1), "last": slice(-1, None), "all": slice(None)}[triples]
    positions = itertools.count()

    def parse(_line: int, sentence: Any) -> list[Fact]:
        source = str(next(positions))
        found = field(sentence, "triple_list")
        if not found:
            raise ValueError("the triple list is empty")
        for triple in found:
            if len(triple) != 3 or not all(isinstance(part, str) for part in triple):
                raise ValueError(f"a triple is three strings, not {shown(triple)}")
        return [Fact(source, head, tail, relation) for head, relation, tail in found[kept]]

    return collect(path, json_array(path), parse, strict)


def read_relation_file(
    path: Path | str, strict: bool = True, relations: tuple[str, ...] | None = None
) -> Corpus:
    """Sentences with two entities and their relation, in one of the usual forms, chosen by the ending.

    - .json: an array of objects. TACRED's: `token`, `subj_start`, `subj_end`, `obj_start`, `obj_end` (words
      from 0, ends inclusive), `relation`, and `stanford_head` for a dependency tree. OpenNRE's: `token`, `h`
      and `t` with `pos` (words, ends exclusive), `relation`. Or as in a line of .jsonl.
    - .jsonl, .csv, .tsv: `text` (or sentence), `relation` (or label), and either the entities marked in the
      text (`<e1>fire</e1>`, `[E1] fire [/E1]` and the like) or `e1_start`, `e1_end`, `e2_start`, `e2_end`
      (or head_, tail_): characters from 0, ends exclusive. A line of .jsonl may also be one of .json.
    - .txt: blocks as SemEval-2010 and KBP37 have them, of any relations, in UTF-8.

    The id is `id`, or the number of the record. All but .txt may be gzipped.

    Parameters
    ----------
    relations : the known ones; another one is malformed. None: any.

    Raises
    ------
    MalformedRecord : with the line: a field that is missing or of another kind, no marker or one too many, an
        entity outside of the sentence, an unknown relation, an id that occurs twice.
    ValueError : an unknown ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.csv")
    ...     _ = path.write_text("text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n")
    ...     read_relation_file(path)[0].head_text
    'Ada'
    """
    path = Path(path)
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in ENDINGS:
        raise ValueError(f"{path}: unknown ending; known are {', '.join(ENDINGS)}")
    first: dict[str, tuple[int, int]] = {}

    def parse(line: int, record: tuple[int, Any]) -> list[RelationSample]:
        number, content = record
        sample = _sample(json.loads(content) if isinstance(content, bytes) else content, number)
        if relations is not None and sample.relation not in relations:
            raise unknown_name("relation", sample.relation, relations)
        if first.setdefault(sample.id, (line, number)) != (line, number):
            raise ValueError(f"id {shown(sample.id)} occurred before, at line {first[sample.id][0]}")
        return [sample]

    if ending == ".txt":
        found = read_tagged(path, strict, lambda relation: _known(relation, relations))
    else:
        with naming_file(path):
            found = collect(path, numbered(_records(path, ending)), parse, strict)
    return found


def _known(relation: str, relations: tuple[str, ...] | None) -> str:
    if relations is not None and relation not in relations:
        raise unknown_name("relation", relation, relations)
    return relation


def _records(path: Path, ending: str) -> Iterator[Record]:
    """Each record with its line: an object, or bytes that hold one in JSON."""
    if ending == ".json":
        yield from json_array(path)
    elif ending == ".jsonl":
        for number, row in enumerate(read_file(path).split(b"\n"), start=1):
            if row.strip():
                yield number, row.strip()
    else:
        source = open_source(path)
        for line, row in source.rows():
            if len(row) != len(source.names):
                raise MalformedRecord(
                    path, f"the row has {len(row)} cells, the header {len(source.names)}", line
                )
            yield line, dict(zip(source.names, row, strict=True))


def _sample(record: Any, number: int) -> RelationSample:
    """A record as a sample; ValueError says what it lacks."""
    relation = string(record, _first(record, LABEL))
    identifier = str(record.get("id") or number)
    words = next((name for name in WORDS if name in record), None)
    if words:
        return token_sample(record, identifier, relation, words)
    text = string(record, _first(record, TEXT))
    named = next((names for names in SPANS if names[0] in record), None)
    if named:
        one, end, other, last = (_whole(field(record, name), name) for name in named)
        return RelationSample(identifier, text, (one, end), (other, last), relation)
    return RelationSample(identifier, *parse_tagged(text, _markers(text)), relation)


def _first(record: Any, names: tuple[str, ...]) -> str:
    """The first of the names that the record has; if it has none, the first name."""
    known = record if isinstance(record, dict) else {}
    return next((name for name in names if name in known), names[0])


def _markers(text: str) -> Markers:
    found = next((one for one in MARKERS if one[0] in text and one[2] in text), None)
    if found is None:
        known = ", ".join("".join(one[:2]) for one in MARKERS[1:])
        raise ValueError(f"no entities are marked in {shown(text)}, and there is no e1_start. Known: {known}")
    return found
