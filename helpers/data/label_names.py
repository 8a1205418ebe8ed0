"""Names of labels: label ids → names, label → inverse, answer → label, and one spelling for each label.

Labels are changed label by label and not row by row.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..core import SKIPPED, MalformedRecord, listing, naming_file, plain_form, read_file, shown
from .cells import LabelColumns, json_document
from .tables import LabelList, open_source


def read_inverse(path: Path | str) -> dict[str, str]:
    """The inverse labels of a file: JSON {label: inverse}, or .csv, .tsv, .jsonl, .parquet with columns label
    and inverse.

    A pair may stand there once, in either order, and is returned in both; labels that are not named are their
    own inverse.

    Raises
    ------
    ValueError : with the file, and the line where there is one: a missing column, no JSON object of labels, a
        label with two inverses, an empty inverse, no labels.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "inverse.json")
    ...     _ = path.write_text('{"per:parents": "per:children"}')
    ...     read_inverse(path)
    {'per:parents': 'per:children', 'per:children': 'per:parents'}
    """
    return _mapping(path, "label", "inverse", both_ways=True)


def read_answer_map(path: Path | str) -> dict[str, str]:
    """The label that each answer stands for: JSON {answer: label}, or .csv, .tsv, .jsonl, .parquet with
    columns answer and label.

    Raises ValueError with the file, and the line where there is one: a missing column, no JSON object of
    labels, an empty label, an answer with two labels, no answers.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "map.json")
    ...     _ = path.write_text('{"I cannot tell": "no_relation"}')
    ...     read_answer_map(path)
    {'I cannot tell': 'no_relation'}
    """
    return _mapping(path, "answer", "label")


def _mapping(path: Path | str, key: str, value: str, both_ways: bool = False) -> dict[str, str]:
    """The pairs of a JSON object, or of the columns with these names."""
    source = None if Path(path).suffix.lower() == ".json" else open_source(path)
    if source is None:
        pairs: Any = json_document(path, pairs=tuple)  # so that a name that occurs twice is seen
        if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
            raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    else:
        table = source.read([source.column(name) for name in (key, value)])
        pairs = list(zip(table[key], table[value], strict=True))

    def fault(row: int, reason: str) -> MalformedRecord:
        return MalformedRecord(path, reason, source.line(row) if source else None)

    mapping: dict[str, str] = {}
    for row, pair in enumerate(pairs):
        if not pair[1].strip():
            raise fault(row, f"the {value} of {shown(pair[0])} is empty")
        for name, other in (pair, pair[::-1]) if both_ways else (pair,):
            if mapping.setdefault(name, other) != other:
                two = f"{shown(mapping[name])} and {shown(other)}"
                raise fault(row, f"{key} {shown(name)} has two {value}s, {two}")
    if not mapping:
        raise MalformedRecord(path, f"there are no {key}s")
    return mapping


def read_label_names(path: Path | str) -> dict[str, str]:
    """Label id → name: a config.json with `id2label` or `label2id` (Hugging Face), an object like one of them
    (such as rel2id.json), a list of names, or a .txt file with one name a line, ids from 0.

    Raises ValueError with the file: none of these; an id that is no whole number; a name that occurs twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "config.json")
    ...     _ = path.write_text('{"model_type": "bert", "id2label": {"0": "no_relation", "1": "per:title"}}')
    ...     read_label_names(path)
    {'0': 'no_relation', '1': 'per:title'}
    """
    with naming_file(path):
        if Path(path).suffix.lower() == ".txt":
            content: Any = [row["label"] for _, row in LabelList(path, read_file(path)).rows()]
        else:
            content = json_document(path)
        if isinstance(content, dict):
            content = content.get("id2label") or content.get("label2id") or content
        if isinstance(content, list):
            content = dict(enumerate(content))
        if not isinstance(content, dict):
            raise ValueError(f"an object or a list of label names is expected, not {shown(content)}")
        pairs = list(content.items())
        if all(type(value) is int for _, value in pairs):  # label2id
            pairs = [pair[::-1] for pair in pairs]
        names = {str(number): name for number, name in pairs}
        for number, name in pairs:
            if not re.fullmatch(r"-?\d{1,18}", str(number)) or not isinstance(name, str) or not name.strip():
                reason = f"{shown(number)}: {shown(name)} is no pair of a label id and a name"
                raise ValueError(f"{reason}; id2label of a config.json, or a list of names, is expected")
        twice = [name for name, times in Counter(names.values()).items() if times > 1]
        if twice or not names:
            raise ValueError(f"the name {shown(twice[0])} occurs twice" if twice else "there are no names")
    return names


def with_names(columns: LabelColumns, names: Mapping[str, str]) -> LabelColumns:
    """The columns with the names of label ids; a label that is a name already stays, and so does a predicted
    text, which may be an answer that is none of the labels.

    Raises MalformedRecord, with the line, for a gold label that is neither, and for an id without a name.

    >>> from helpers.data import Coded
    >>> found = LabelColumns({"gold": Coded.of(["1", "NA"])}, {"gold": "label"})
    >>> with_names(found, {"0": "NA", "1": "a"})["gold"].tolist()
    ['a', 'NA']
    """
    known = {*names, *names.values(), SKIPPED}
    for role in columns.roles:
        unknown = {
            label
            for label in columns[role].categories.tolist()
            if label not in known and (role == "gold" or re.fullmatch(r"-?\d+", label))
        }
        row = columns[role].first_row(unknown.__contains__)
        if row is not None:
            label = shown(columns[role][row])
            reason = f"{label} is no label id and no name; ids are {listing(names, 60)}"
            raise columns.locate(role, row, f"{reason}, names {listing(names.values(), 200)}")
    return columns.replaced({role: columns[role].relabelled(names) for role in columns.roles})


class Respelling(NamedTuple):
    """A label that was spelt otherwise: as it stood, as it is counted, in how many cells of which columns."""

    label: str
    counted_as: str
    cells: int
    columns: tuple[str, ...]


def respelt(
    columns: LabelColumns, known: Sequence[str] | None = None
) -> tuple[LabelColumns, list[Respelling]]:
    """One spelling for each label: those that differ in case, blanks, '_', '-', or in Markdown, quotes and a
    final stop around them only are one (`plain_form`), but never two numbers.

    Parameters
    ----------
    known : the labels as they should be spelt; None: of each group the spelling that is most often gold, of
        equal ones that most often predicted, then the first by name.

    Returns
    -------
    The columns, and what was changed, sorted by label. Two known labels that differ so little only stay two.

    >>> from helpers.data import Coded
    >>> columns = {"gold": Coded.of(["Other", "a"]), "predicted": Coded.of(["other", "a"])}
    >>> respelt(LabelColumns(columns, {"gold": "gold", "predicted": "predicted"}))[1]
    [Respelling(label='other', counted_as='Other', cells=1, columns=('predicted',))]
    """
    times = {role: columns[role].times(columns.counts) for role in columns.roles}
    spellings = defaultdict(set)
    for label in {label for counts in times.values() for label in counts} - {SKIPPED}:
        spellings[plain_form(label)].add(label)
    listed = defaultdict(list)
    for label in known or ():
        listed[plain_form(label)].append(label)
    new_label: dict[str, str] = {}
    for form, labels in spellings.items():
        candidates = listed[form] or [max(sorted(labels), key=lambda label: _rank(times, label))]
        if len(candidates) == 1:
            new_label |= {label: candidates[0] for label in labels if label != candidates[0]}
    return renamed(columns, new_label, columns.roles)


def renamed(
    read: LabelColumns, new_label: Mapping[str, str], roles: Sequence[str]
) -> tuple[LabelColumns, list[Respelling]]:
    """The columns with other labels in place of some in these roles, and what was changed, sorted by label.

    >>> from helpers.data import Coded
    >>> found = LabelColumns({"predicted": Coded.of(["none", "a"])}, {"predicted": "answer"})
    >>> renamed(found, {"none": "NA", "no": "NA"}, ["predicted"])[1]
    [Respelling(label='none', counted_as='NA', cells=1, columns=('answer',))]
    """
    if not new_label:
        return read, []
    times = {role: read[role].times(read.counts) for role in roles}
    changed = []
    for label, new in sorted(new_label.items()):
        if cells := sum(counts[label] for counts in times.values()):
            columns = tuple(read.columns[role] for role, counts in times.items() if counts[label])
            changed.append(Respelling(label, new, cells, columns))
    return read.replaced({role: read[role].relabelled(new_label) for role in roles}), changed


def _rank(times: Mapping[str, Counter], label: str) -> tuple[int, ...]:
    return tuple(times[role][label] for role in ("gold", "predicted") if role in times)
