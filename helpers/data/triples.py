"""Sets of triples (head, relation, tail), gold and predicted, of sentences or documents: one item a record.

Read are the forms in which joint and generative extraction leave their output: lists, objects, REBEL's text.
"""

from __future__ import annotations

import functools
import logging
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ..core import listing, shown
from .columns import label_of
from .predictions import COMMON_NAMES
from .records import collect, first_record, records_of
from .samples import Span
from .tables import STANDARD_INPUT, json_value

logger = logging.getLogger(__name__)

LISTS = ("triple_list", "triples", "triplets", "relations", "relation_list", "spo_list")
"""Names of a list of triples that is alone in its file, or gold beside a predicted one."""
GOLD = (*COMMON_NAMES["gold"], "truth", "gold_triples", "true_triples", "gold_relations")
PREDICTED = (
    *(*COMMON_NAMES["predicted"], "predict", "predicted_triples", "pred_triples", "pred_triple_list"),
    *("triple_list_pred", "predicted_relations", "pred_relations", "output", "generated"),
)
HEAD = ("head", "subject", "subj", "sub", "h")
RELATION = ("relation", "predicate", "rel", "type", "label", "r")
TAIL = ("tail", "object", "obj", "t")
NAMES, TYPES, SPANS = ("text", "name", "mention"), ("type", "entity_type", "label"), ("span", "pos", "offset")
TEXTS = ("text", "sentence", "tokens", "token")
GENERATED = "<triplet>"
"""Begins a group of REBEL's text: `<triplet> head <subj> tail <obj> relation <subj> tail <obj> relation`."""
_MARKS = re.compile("</?s>|<pad>")  # of its beginning, end and padding

Names = str | tuple[tuple[str, ...], ...]
"""The key of the triples of a role, or its usual names, the better ones first."""


class Triple(NamedTuple):
    """A relation between two entities; text, span (end exclusive) and type of each where they are known."""

    relation: str
    head: str | None
    tail: str | None
    head_span: Span | None = None
    tail_span: Span | None = None
    head_type: str | None = None
    tail_type: str | None = None


class TripleItem(NamedTuple):
    """The gold and the predicted triples of a sentence or a document, and its id if the file has ids."""

    gold: list[Triple]
    predicted: list[Triple]
    id: str | None = None


def read_triples(
    path: Path | str,
    gold_file: Path | str | None = None,
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    id_column: str | None = None,
) -> list[TripleItem]:
    """Items with gold and predicted triples, from .json (a list), .jsonl, .csv or .tsv, also with .gz.

    An item has two lists, under names such as gold, truth, triple_list and predicted, predict, output. A
    triple is a list [head, relation, tail], or an object: head (or subject, h), relation (predicate, type,
    r), tail (object, t); head and tail are text, or objects with text (or name), span (or start and end) and
    type, or stand beside head_span, head_type and so on. A list may be text: its JSON, or REBEL's
    `<triplet> head <subj> tail <obj> relation`. What is incomplete in generated text is left out of the
    predicted triples, as REBEL's own code does, and counted in a warning.

    Parameters
    ----------
    gold_file : another file with the gold lists; items are matched by id if both files have ids, else by
        order. gold_column, predicted_column, id_column : names that are not recognised.

    Raises
    ------
    MalformedRecord : with line (in a JSON list the record's number) and key: no list, a triple that is not of
        three parts, triples in two forms in one list, a part that is empty or no text, a span outside of the
        text or words of the item; an id twice.
    ValueError : which key holds the lists is not clear; the items of the two files do not match.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.jsonl")
    ...     _ = path.write_text('{"truth": [["Ada", "left", "Rome"]], "predict": []}')
    ...     read_triples(path)[0].gold[0][:3]
    ('left', 'Ada', 'Rome')
    """
    gold_names: Names = gold_column or (GOLD, LISTS)
    if gold_file is None:
        names: dict[str, Names] = {"gold": gold_names, "predicted": predicted_column or (PREDICTED,)}
        columns, ids = _columns(path, names, id_column)
    else:
        columns, own = _columns(path, {"predicted": predicted_column or (PREDICTED, LISTS, GOLD)}, id_column)
        gold, ids = _columns(gold_file, {"gold": gold_names}, id_column)
        columns |= gold
        if own and ids:
            lacking, strange = ids.keys() - own.keys(), own.keys() - ids.keys()
            if lacking or strange:
                what = f"{len(lacking)} ids of {gold_file} are missing" if lacking else "there are other ids"
                raise ValueError(f"{path}: {what}, the first is {shown(min(lacking or strange))}")
            columns["predicted"] = [columns["predicted"][own[name]] for name in ids]
        elif len(columns["predicted"]) != len(columns["gold"]):
            sizes = f"{path} has {len(columns['predicted'])} items, {gold_file} has {len(columns['gold'])}"
            raise ValueError(f"{sizes}; to be matched by id, both need ids")
    numbers = ids or [None] * len(columns["gold"])
    return list(map(TripleItem, columns["gold"], columns["predicted"], numbers))


def holds_triples(path: Path | str, *named: str | None) -> bool:
    """Whether a file has triples in place of labels: a list, or text as REBEL's, under a known name.

    named : further names of keys. What cannot be read holds none: the reader of labels says why.

    >>> holds_triples("a.txt")
    False
    """
    if str(path) == STANDARD_INPUT:  # which can be read once only
        return False
    names = {*GOLD, *PREDICTED, *LISTS, *(name.lower() for name in named if name)}
    values = [value for name, value in first_record(path).items() if name.lower() in names]
    texts = [value.strip() for value in values if isinstance(value, str)]
    return any(isinstance(value, list) for value in values) or any(
        GENERATED in text or text == "[]" or text.startswith(("[[", "[{")) for text in texts
    )


def _columns(
    path: Path | str, roles: dict[str, Names], id_column: str | None
) -> tuple[dict[str, list[list[Triple]]], dict[str, int]]:
    """Role → the triples of each item, and id → item, empty if the items have no ids."""
    keys: dict[str, str] = {}
    columns: dict[str, list[list[Triple]]] = {role: [] for role in roles}
    ids: dict[str, int] = {}
    notes: Counter[str] = Counter()

    def parse(_line: int | None, number: int, item: Any) -> list[int]:
        if not keys:
            keys.update({role: _key(item, role, names) for role, names in roles.items()})
            known = COMMON_NAMES["id"]
            keys["id"] = id_column or next((name for name in item if name.lower() in known), "")
        size = max((len(item.get(name) or ()) for name in TEXTS), default=0)
        for role, column in columns.items():
            key = keys[role]
            if key not in item:
                raise ValueError(f"there is no key {shown(key)}, as the first item has")
            try:
                column.append(_triples(item[key], size, notes if role == "predicted" else None))
            except ValueError as error:
                raise ValueError(f"key {shown(key)}: {error}") from error
        if keys["id"]:
            name = label_of(item.get(keys["id"]))
            if ids.setdefault(name, number - 1) != number - 1:
                raise ValueError(f"id {shown(name)} occurred before, record {ids[name] + 1}")
        return []

    collect(path, records_of(path), parse)
    if notes["incomplete"]:
        logger.warning("%s: %d incomplete triples of generated text are left out", path, notes["incomplete"])
    return columns, ids


def _key(item: dict, role: str, names: Names) -> str:
    """The key of an item that holds the triples of a role; ValueError where that is not clear."""
    if isinstance(names, str):
        return names
    for known in names:
        keys = [name for name in item if name.lower() in known]
        if len(keys) == 1:
            return keys[0]
        if keys:
            raise ValueError(f"which key has {role} triples? {listing(keys)} could; say --{role}-column C")
    hint = f"name it, --{role}-column C" + "; the file that holds them: --gold FILE" * (role == "gold")
    raise ValueError(f"no key of {role} triples is recognised; {hint}. Keys: {listing(item)}")


def _triples(value: Any, size: int, notes: Counter[str] | None) -> list[Triple]:
    """One list of triples. size : of the text, which bounds spans, 0: not known. notes : counts what is
    incomplete in generated text; None: that is an error."""
    if isinstance(value, str):
        text = _MARKS.sub("", value).strip()
        if GENERATED in text or not text:
            return _generated(text, notes)
        try:
            value = json_value(value)
        except ValueError:
            kinds = "a JSON list of triples, or generated text with <triplet>, is expected"
            raise ValueError(f"{kinds}, not {shown(value)}") from None
    if not isinstance(value, list):
        raise ValueError(f"a list of triples is expected, not {shown(value)}")
    if len({type(triple) for triple in value}) > 1:
        raise ValueError("the list holds triples in two forms")
    triples = []
    for number, triple in enumerate(value, start=1):
        try:
            triples.append(_triple(triple, size))
        except ValueError as error:
            raise ValueError(f"triple {number}: {error}") from error
    return triples


def _generated(text: str, notes: Counter[str] | None) -> list[Triple]:
    """The triples of REBEL's text without its marks."""
    triples = []
    for group in text.split(GENERATED)[1:]:
        head, *pieces = group.split("<subj>")
        for piece in pieces or [""]:
            tail, _, relation = piece.partition("<obj>")
            if head.strip() and tail.strip() and relation.strip():
                triples.append(Triple(relation.strip(), head.strip(), tail.strip()))
            elif notes is None:
                raise ValueError(f"{shown(GENERATED + group)} is incomplete")
            else:
                notes["incomplete"] += 1
    return triples


def _triple(value: Any, size: int) -> Triple:
    if isinstance(value, list) and len(value) == 3:
        value = dict(zip(("head", "relation", "tail"), value, strict=True))
    if not isinstance(value, dict):
        raise ValueError(f"head, relation and tail are expected, not {shown(value)}")
    head, relation, tail = _part_names(tuple(value))
    ends = zip(_argument(value, head, size), _argument(value, tail, size), strict=True)
    return Triple(label_of(value[relation], "relation"), *(part for pair in ends for part in pair))


@functools.lru_cache(maxsize=1000)
def _part_names(keys: tuple[str, ...]) -> list[str]:
    parts = [next((name for name in names if name in keys), "") for names in (HEAD, RELATION, TAIL)]
    if not all(parts):
        lacking = ("head", "relation", "tail")[parts.index("")]
        raise ValueError(f"there is no {lacking}; keys: {listing(keys)}")
    return parts


def _argument(triple: dict, name: str, size: int) -> tuple:
    """(text, span, type) of a head or a tail: text or an object, or what stands beside it in the triple."""
    value = triple[name]
    if type(value) is str and len(triple) == 3 and value.strip():  # most often
        return value, None, None
    given, prefix, text = triple, f"{name}_", value
    if isinstance(value, dict):
        given, prefix, text = value, "", _first(value, NAMES)
    span, kind = (_first(given, [prefix + key for key in keys]) for keys in (SPANS, TYPES))
    if span is None and prefix + "start" in given:
        span = [given[prefix + "start"], given.get(prefix + "end")]
    if span is not None:
        span = _span(span, name, size)
    if text is None and span is None or text is not None and not (isinstance(text, str) and text.strip()):
        raise ValueError(f"{name} is {shown(value)}: a text is needed, or an object with a text or a span")
    if kind is not None and not isinstance(kind, str):
        raise ValueError(f"the type of {name} is {shown(kind)}, no text")
    return text, span, kind


def _first(record: dict, names: Iterable[str]) -> Any:
    """The value of the first of these keys that there is, or None."""
    return next((record[name] for name in names if name in record), None)


def _span(span: Any, name: str, size: int) -> Span:
    whole = isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span)
    if not whole or not 0 <= span[0] < span[1]:
        raise ValueError(f"the span of {name} is {shown(span)}: two numbers are needed, start below end")
    if size and span[1] > size:
        raise ValueError(f"the span of {name} is {shown(span)}, outside of the text of length {size}")
    return span[0], span[1]
