"""The training split that PTR's authors used for SemEval-2010: which official samples are in its parts.

Their files hold the sentences tokenised and without ids; here each is matched to the official sentence. The
6507 training sentences hold no example of Entity-Destination(e2,e1): its only one is among the 1493 of dev.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from helpers.data import registry
from helpers.data.errors import MalformedRecord, unknown_name
from helpers.data.records import lines
from helpers.data.samples import RelationSample

FILES = {"train": "semeval2010/ptr_split/train.txt", "dev": "semeval2010/ptr_split/dev.txt"}


def ptr_split(samples: Iterable[RelationSample], part: str = "train") -> list[RelationSample]:
    """The official training samples that are in PTR's `train` (6507) or `dev` (1493), in the official order.

    Raises
    ------
    MalformedRecord : a line that matches no official sample of the same relation that is not taken yet.
    ValueError : unknown part.
    MissingData, ChecksumError : the split's file is absent or not the registered one.

    >>> ptr_split([], "test")
    Traceback (most recent call last):
    ValueError: unknown part 'test'. Known: train, dev
    """
    if part not in FILES:
        raise unknown_name("part", part, FILES)
    waiting: dict[tuple[str, str], list[RelationSample]] = defaultdict(list)
    samples = list(samples)
    for sample in samples:
        waiting[_letters(sample.text), sample.relation].append(sample)
    taken = {}
    for name, file in FILES.items():  # both, as a sentence that occurs twice may be once in each
        path = registry.locate(file)
        taken[name] = {_take(waiting, path, number, row).id for number, row in lines(path)}
    return [sample for sample in samples if sample.id in taken[part]]


def _take(waiting: dict, path: Path, number: int, row: bytes) -> RelationSample:
    """Match by the letters and digits of the sentence; twins are told apart by entity 1."""
    record = json.loads(row)
    twins = waiting[_letters("".join(record["token"])), record["relation"]]
    if not twins:
        raise MalformedRecord(path, f"no official sample for {' '.join(record['token'])[:60]!r}", number)
    head = _letters(record["h"]["name"])
    same = [place for place, twin in enumerate(twins) if _letters(twin.head_text) == head]
    return twins.pop(same[0] if same else 0)


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
