"""Distant supervision's files: OpenNRE's lines, GIDS, NYT*, RESIDE's lists of types and phrases."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from ...core import MalformedRecord, shown, unknown_name
from ..bags import Mention
from ..files import locate
from ..samples import Corpus, Fact, RelationSample, Span
from ..tables import json_document
from .parsing import collect, field, json_array, json_record, lines, string
from .records import bounds, token_sample

END = "###END###"
MOST_CHARACTERS = 1 << 20
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
the sentences, pair by pair (`read_gids_probabilities`).
"""


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

    >>> import json, tempfile
    >>> line = {"token": ["Ada", "left", "London"], "relation": "NA"}
    >>> line |= {"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}}
    >>> line |= {"t": {"id": "Q84", "name": "london", "pos": [2, 3]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text(json.dumps(line) + "\\n" + str(line))
    ...     [(one.head, one.tail, one.sample.tail_text) for one in read_opennre(path)]
    [('Q1', 'Q84', 'London'), ('Q1', 'Q84', 'London')]
    """

    def parse(line: int, _number: int, row: bytes) -> list[Mention]:
        record = _literal(row.decode()) if re.match(rb"\s*\{\s*'", row) else json_record(row)
        head_id, tail_id = (_identifier(field(record, name)) for name in ("h", "t"))
        relation = string(record, "relation")
        if "text" in record:
            head, tail = bounds(record, 0)
            sample = RelationSample(str(line), string(record, "text"), head, tail, relation)
        else:
            sample = token_sample(record, str(line), relation)
        return [Mention(sample, head_id, tail_id, _annotated(record))]

    return collect(path, lines(path), parse, strict)


def _literal(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a Python literal of {len(text)} characters; at most {MOST_CHARACTERS} are read")
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"no valid Python literal ({error})") from None


def _annotated(record: Any) -> tuple[str, ...]:
    relations = record.get("anno_relation_list", ())
    is_list = isinstance(relations, list | tuple) and bool(relations or "anno_relation_list" not in record)
    if not is_list or not all(isinstance(relation, str) and relation for relation in relations):
        reason = "not a list of names; none is written ['NA']"
        raise ValueError(f"anno_relation_list is {shown(relations)}, {reason}")
    return tuple(dict.fromkeys(relations))


def _identifier(entity: Any) -> str:
    """What an entity is known by: its id, else its name."""
    known = entity.get("id", "")
    known = str(known) if type(known) is int else known or string(entity, "name")
    if not isinstance(known, str):
        raise ValueError(f"id is {shown(known)}, neither a string nor an integer")
    if not known:
        raise ValueError("an entity has neither id nor name")
    return known


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


def _find_name(text: str, name: str) -> tuple[Span, str]:
    """Where a name stands in a sentence, and the rule (`NAME_RULES`) that found it; (0, 0) if it is absent.

    >>> _find_name("Ada_Lovelace left London, at last", "London")
    ((18, 24), 'word with punctuation')
    >>> _find_name("Ada_Lovelace left", "London")
    ((0, 0), 'absent')
    """
    for rule, pattern in NAME_RULES.items() if name else ():
        if match := pattern(name).search(text):
            return match.span(), rule
    return (0, 0), ABSENT


def read_gids(path: Path | str, strict: bool = True) -> Corpus:
    """GIDS (Jat et al. 2017) as `Mention`s: two identifiers, two names, relation and sentence, by tabs.

    The sentence ends with `###END###`, which is left out. Names have `_` for blanks, in the sentence too,
    which is kept as it is (`text.replace("_", " ")` moves no character). Where a name stands is not in the
    file: `_find_name` looks for it, and `.notes` counts the rules, as `head: word`. An entity that is nowhere
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

    def parse(line: int, _number: int, row: bytes) -> list[Mention]:
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
        (head, head_rule), (tail, tail_rule) = (_find_name(text, name) for name in names[2:4])
        notes.update((f"head: {head_rule}", f"tail: {tail_rule}"))
        return [Mention(RelationSample(str(line), text, head, tail, names[4]), names[0], names[1])]

    corpus = collect(path, lines(path), parse, strict)
    corpus.notes = notes
    return corpus


def gids_by_sentence() -> dict[str, list[Mention]]:
    """Split → GIDS, each test sentence a pair of its own: its head is not that of any other sentence."""
    train, test = (read_gids(locate(f"gids/{part}.tsv")) for part in ("dev", "test"))
    apart = [mention._replace(head=f"{mention.head} {mention.sample.id}") for mention in test]
    return {"train": train, "test": apart}


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
    lists = json_document(path)
    if not isinstance(lists, dict):
        raise MalformedRecord(path, f"a JSON object is expected, not {type(lists).__name__}")
    for name, own in lists.items():
        if not isinstance(own, list) or not all(isinstance(text, str) for text in own):
            raise MalformedRecord(path, f"{shown(name)} has {shown(own)}, not a list of strings")
    return {name: tuple(own) for name, own in lists.items()}


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
    return {_DEGREE if name == f"{_DEGREE}s" else name: own for name, own in read_entity_types(path).items()}


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

    def parse(_line: int, number: int, sentence: Any) -> list[Fact]:
        listed = field(sentence, "triple_list")
        if not listed:
            raise ValueError("the triple list is empty")
        for triple in listed:
            if len(triple) != 3 or not all(isinstance(part, str) for part in triple):
                raise ValueError(f"a triple is three strings, not {shown(triple)}")
        return [Fact(str(number - 1), head, tail, relation) for head, relation, tail in listed[kept]]

    return collect(path, json_array(path), parse, strict)
