"""Distant supervision's files: OpenNRE's lines, GIDS, NYT*, RESIDE's lists of types and phrases."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path
from typing import Any

from ..core import shown
from .bags import Mention
from .files import locate
from .records import collect, field, lines, records_of
from .samples import Corpus, Fact, RelationSample, Span
from .sentences import sample_of
from .tables import json_document, json_value

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
the sentences, pair by pair (`PublishedList.probabilities`).
"""


def _read_opennre(path: Path | str) -> Corpus:
    """OpenNRE's lines as `Mention`s: one sentence a line, JSON or a Python dictionary (Gao et al. 2021, whose
    program evaluates each line as Python; nothing is evaluated here).

    A line has `text` with character offsets or `token` with token offsets, `h` and `t` with `pos` [start,
    end), `id` and `name`, and `relation`; lines that annotators looked at have `anno_relation_list` too. The
    text of tokens is the tokens with one blank between; a token may be blanks or an end of line (in 130
    sentences of Wiki80). An entity without `id` is known by its name. The sample's id is the line number.
    """

    def parse(line: int | None, _number: int, row: bytes) -> list[Mention]:
        is_literal = re.match(rb"\s*\{\s*'", row)
        record = _literal(row.decode()) if is_literal else json_value(row.decode())
        head, tail = (_identifier(field(record, name)) for name in ("h", "t"))
        return [Mention(sample_of(record, str(line)), head, tail, _annotated(record))]

    return collect(path, lines(path), parse)


def _literal(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a Python literal of {len(text)} characters; at most {MOST_CHARACTERS} are read")
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"no valid Python literal ({error})") from None


def _annotated(record: Any) -> tuple[str, ...]:
    if "anno_relation_list" not in record:
        return ()
    relations = record["anno_relation_list"]
    is_texts = isinstance(relations, list | tuple) and all(isinstance(text, str) for text in relations)
    if not is_texts or not relations or "" in relations:
        reason = "not a list of names; none is written ['NA']"
        raise ValueError(f"anno_relation_list is {shown(relations)}, {reason}")
    return tuple(dict.fromkeys(relations))


def _identifier(entity: Any) -> str:
    """What an entity is known by: its id, else its name."""
    known = entity.get("id") or field(entity, "name", str)
    known = str(known) if type(known) is int else known
    if not isinstance(known, str) or not known:
        raise ValueError(f"an entity has the id or name {shown(known)}: text or an integer is needed")
    return known


NAME_RULES = {
    "word": r"(?<!\S){name}(?!\S)",
    "word with punctuation": r"(?<!\w){name}(?!\w)",
    "other spelling": r"(?i)(?<!\w){spelt}(?!\w)",
    "part of a word": r"(?i){spelt}",
}
"""How a name is looked for in a sentence, one rule after the other; the first place that fits is taken. As
`spelt`, blanks may stand for its underscores."""


def _find_name(text: str, name: str) -> tuple[Span, str]:
    """Where a name stands in a sentence, and the rule (`NAME_RULES`) that found it; (0, 0) if it is absent.

    >>> _find_name("Ada_Lovelace left London, at last", "London")
    ((18, 24), 'word with punctuation')
    >>> _find_name("Ada_Lovelace left", "London")
    ((0, 0), 'absent')
    """
    escaped = re.escape(name)
    for rule, pattern in NAME_RULES.items():
        if match := re.search(pattern.format(name=escaped, spelt=escaped.replace("_", "[_ ]")), text):
            return match.span(), rule
    return (0, 0), "absent"


def _read_gids(path: Path | str) -> Corpus:
    """GIDS (Jat et al. 2017) as `Mention`s: two identifiers, two names, relation and sentence, by tabs.

    The sentence ends with `###END###`, which is left out. Names have `_` for blanks, in the sentence too,
    which is kept as it is (`text.replace("_", " ")` moves no character). Where a name stands is not in the
    file: `_find_name` looks for it, and `.notes` counts the rules, as `head: word`. An entity that is nowhere
    has an empty span at the start, the position 0 of programs that count words; the published files have
    none. The sample's id is the line number. The relation `…/degree` is `…/degrees` in relation2id.txt.
    """
    notes: Counter[str] = Counter()

    def parse(line: int | None, _number: int, row: bytes) -> list[Mention]:
        head_id, tail_id, head_name, tail_name, relation, sentence = row.decode().split("\t")
        text, _ = (part.strip() for part in sentence.split(END))
        (head, head_rule), (tail, tail_rule) = (_find_name(text, name) for name in (head_name, tail_name))
        notes.update((f"head: {head_rule}", f"tail: {tail_rule}"))
        return [Mention(RelationSample(str(line), text, head, tail, relation), head_id, tail_id)]

    corpus = collect(path, lines(path), parse)
    corpus.notes = notes
    return corpus


def _gids_by_sentence() -> dict[str, list[Mention]]:
    """Split → GIDS, each test sentence a pair of its own: its head is not that of any other sentence."""
    train, test = (_read_gids(locate(f"gids/{part}.tsv")) for part in ("dev", "test"))
    apart = [mention._replace(head=f"{mention.head} {mention.sample.id}") for mention in test]
    return {"train": train, "test": apart}


def read_text_lists(path: Path | str) -> dict[str, tuple[str, ...]]:
    """Entity → its types in Freebase, or relation → phrases that say it, from RESIDE's JSON object of lists.

    Its `/people/person/education./education/education/degrees` is called `…/degree` here, as the sentences of
    GIDS have it.

    Raises MalformedRecord where it is no JSON.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "types.json")
    ...     _ = path.write_text('{"/m/0100b5": ["/location"]}')
    ...     read_text_lists(path)
    {'/m/0100b5': ('/location',)}
    """
    lists = json_document(path)
    return {_DEGREE if name == f"{_DEGREE}s" else name: tuple(own) for name, own in lists.items()}


def _read_nyt_star(path: Path | str) -> Corpus:
    """NYT* files, a JSON array of `{"text", "triple_list": [[head, relation, tail], …]}`, as `Fact`s.

    Of a sentence the first triple is kept: the rule behind Table 1 of paper W. `source` is the sentence's
    position, from 0.
    """

    def parse(_line: int | None, number: int, sentence: Any) -> list[Fact]:
        listed = field(sentence, "triple_list")[:1]
        return [Fact(str(number - 1), head, tail, relation) for head, relation, tail in listed]

    return collect(path, records_of(path, "json"), parse)
