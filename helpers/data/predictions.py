"""Anybody's predictions, from the files that `tables` reads, and files that say what labels mean.

A file with a fault is refused with its line and column.
"""

from __future__ import annotations

import logging
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core import SKIPPED, MalformedRecord, check_known, listing, naming_file, shown
from .columns import Coded, LabelColumns
from .tables import INPUT_NAME, Source, json_document, open_source

logger = logging.getLogger(__name__)

_USUAL = {
    "id": "id sample_id example_id instance_id uid guid",
    "gold": "gold gold_label label labels label_true true_label y_true true target references",
    "predicted": "predicted predicted_label prediction predictions pred preds pred_label label_pred y_pred",
}
COMMON_NAMES = {role: tuple(names.split()) for role, names in _USUAL.items()}
"""Column names that are recognised, in any case; the first of a list is taken even where others match too."""
ANSWERED = ("predicted", "predicted_paired")
"""The roles of columns that hold what a system answered."""
EMPTY = ("error", "skip")
"""What an empty answer is: a fault of the file, or no prediction."""
ROLES = ("id", "gold", *ANSWERED)
"""In the order of messages."""
NO_PREDICTIONS = "there are no predictions, only the columns "
WEAK_NAMES = ("relation",)
"""Names of a gold column where no other is recognised (TACRED); they may stand over other things as well."""


def read_predictions(
    path: Path | str,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    *,
    gold_file: Path | str | None = None,
    form: str | None = None,
    label_names: Mapping[str, str] | None = None,
    empty: str = "error",
) -> LabelColumns:
    """Gold and predicted labels of a file.

    Parameters
    ----------
    path : a file that ends in .csv, .tsv, .jsonl, .json, .parquet or .txt, or in one of these with .gz after
        it; '-' is standard input. Text is UTF-8.
    gold_column, predicted_column : names of the two columns. None: recognised by a common name
        (`COMMON_NAMES`).
    paired_column : name of the column with the predictions on the paired samples, if there is one.
    id_column : name of the column of identifiers. None: recognised by a common name, left out if there is
        none.
    gold_file : another file that holds the gold labels, matched by id if both have ids, else by order.
    form : the kind of file, whatever its ending (`SOURCES`). label_names : id → name (`read_label_names`).
    empty : 'error' or 'skip': an empty prediction counts as `SKIPPED`, but in a list of labels, where it is
        no line.

    Returns
    -------
    The columns `id` (if there is one), `gold`, `predicted` and `predicted_paired` (if named), as
    `LabelColumns`; its `frame` makes a frame of pandas, its `columns` says which column of the file each was.
    One that was recognised is logged.

    Raises
    ------
    ValueError : unknown ending; a column that is absent or cannot be recognised (the columns there are
        listed).
    MalformedRecord : with line and column: wrong encoding, a row with too few or too many cells, broken JSON,
        an empty label, a label that is neither text nor an integer, an identifier that is missing or occurs
        twice; no rows.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("label_true,label_pred\\nNA,None\\n")
    ...     read = read_predictions(path)
    >>> read["predicted"].tolist(), read.columns
    (['None'], {'gold': 'label_true', 'predicted': 'label_pred'})
    """
    check_known("rule of empty answers", empty, EMPTY)
    source = open_source(path, form)
    named = dict(zip(ROLES, (id_column, gold_column, predicted_column, paired_column), strict=True))
    if gold_file is not None:
        columns = _with_gold(source, open_source(gold_file), named, empty)
    elif len(labels := _without_ids(source)) == 1 and not any(named.values()):
        reason = f"there is one column of labels only, {shown(labels[0])}"
        hint = "gold labels are needed, too (score and compare: --gold FILE)"
        raise ValueError(f"{source.path}: {reason}; {hint}")
    else:
        columns = read_columns(source, named, empty=empty)
    if not len(columns["predicted"]):
        raise MalformedRecord(source.path, NO_PREDICTIONS + listing(source.names))
    return columns.named(label_names)


def columns_of(source: Source, named: Mapping[str, str | None], alone: bool = False) -> dict[str, str]:
    """Role → column of a source, of the roles that it has; ValueError where gold or predicted is not clear.

    named : role → the column that the caller named, None where it is to be recognised. alone : the only
    column that is no id may have any name.

    >>> from helpers.data.tables import Source
    >>> columns_of(Source("a.csv", names=["label", "y_pred"]), {"gold": None, "predicted": None})
    {'gold': 'label', 'predicted': 'y_pred'}
    """
    columns = {role: _column(source, role, name, alone) for role, name in named.items()}
    return {role: name for role, name in columns.items() if name is not None}


def _column(source: Source, role: str, name: str | None, alone: bool) -> str | None:
    """The column of the file that has this role: the one that is named, else one with a common name."""
    if name is not None:
        return source.column(name, f" for {role}")
    lists = [COMMON_NAMES.get(role, ())]
    if role == "gold":
        lists.append(WEAK_NAMES)
    elif alone and role == "predicted":
        lists += [COMMON_NAMES["gold"], WEAK_NAMES]
    if alone and role in ("gold", "predicted") and len(labels := _without_ids(source)) == 1:
        lists.append((labels[0].lower(),))
    matching: list[str] = []
    for known in lists:
        matching = matching or [name for name in source.names if name.lower() in known]
        matching = [name for name in matching if known and name.lower() == known[0]] or matching
    if len(matching) == 1:
        logger.info("%s: column %r is taken for %s", source.path, matching[0], role)
        return matching[0]
    if role not in ("gold", "predicted"):
        return None
    problem = f"more than one could be: {listing(matching)}" if matching else "no column has a common name"
    problem += f"; name it, --{role}-column C. Columns: {listing(source.names)}"
    raise ValueError(f"{source.path}: which column is {role}? {problem}")


def _without_ids(source: Source) -> list[str]:
    return [name for name in source.names if name.lower() not in COMMON_NAMES["id"]]


def read_columns(
    source: Source, named: Mapping[str, str | None], *, alone: bool = False, empty: str = "error"
) -> LabelColumns:
    """The columns of a source with these roles, which `columns_of` finds; else as `read_predictions`.

    There may be no row.
    """
    columns = columns_of(source, named, alone)
    answers = [role for role in columns if role in ANSWERED]
    answered = {columns[role] for role in answers} - {columns.get("gold"), columns.get("id")}
    source.may_be_empty = answered if empty == "skip" else ()
    try:
        table = source.read([*columns.values()])
    except MalformedRecord as error:
        if error.column in answered and error.reason.endswith("is empty"):
            reason = f"{error.reason} (score and compare: --empty skip takes it for no prediction)"
            raise MalformedRecord(error.path, reason, error.line, error.column) from None
        raise
    if "id" in columns:
        _check_unique(source, columns["id"], table[columns["id"]])
    # what was read from a file is let go; standard input cannot be read again
    path, form, kept = source.path, source.form, source if str(source.path) == INPUT_NAME else None

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        line = (kept or open_source(path, form)).line(row)
        reason = reason if line is not None else f"row {row + 1}: {reason}"
        return MalformedRecord(path, reason, line, columns[role])

    arrays = {role: table[name] for role, name in columns.items()}
    arrays |= {role: _without_blanks(arrays[role], path) for role in answers if empty == "skip"}
    return LabelColumns(arrays, columns, locate)


def _check_unique(source: Source, name: str, identifiers: Coded) -> None:
    # codes count upwards from 0, until one comes again
    for row in np.flatnonzero(identifiers.codes != np.arange(len(identifiers))).tolist():
        here, there = map(source.where, (row, int(identifiers.codes[row])))
        reason = f"identifier {shown(identifiers[row])} of {here} occurs twice, the first time in {there}"
        raise MalformedRecord(source.path, reason, source.line(row), name)


def _without_blanks(column: Coded, path: Path | str) -> Coded:
    """Predictions with `SKIPPED` where there is no answer, which is logged."""
    if blank := column.times()[""]:
        logger.warning("%s: %d of %d answers are empty; they count as %s", path, blank, len(column), SKIPPED)
    return column.relabelled({"": SKIPPED})


def _with_gold(source: Source, of_gold: Source, named: Mapping[str, str | None], empty: str) -> LabelColumns:
    """Predictions beside the gold labels of another file: by id where both have ids, else row by row."""
    given = named["id"]
    ids = [given if given in table.names else None for table in (source, of_gold)]
    if given is not None and not any(ids):
        source.column(given, " for id")
    own = {role: ids[0] if role == "id" else name for role, name in named.items() if role != "gold"}
    predicted = read_columns(source, own, alone=True, empty=empty)
    gold = read_columns(of_gold, {"id": ids[1], "gold": named["gold"]}, alone=True)
    n, n_gold = len(predicted["predicted"]), len(gold["gold"])
    order = np.arange(n)
    if "id" in predicted and "id" in gold:
        order = _rows_by_id(predicted, gold, source, of_gold.path)
    elif n != n_gold:
        reason = "to be matched by id, both need ids"
        if source.form == "txt" and n == n_gold + 1:
            reason += "; if its first line is a header, say --input-format tsv"
        raise ValueError(f"{source.path} has {n} labels, {of_gold.path} has {n_gold} gold labels; {reason}")
    elif "id" in predicted or "id" in gold:
        lacking = of_gold.path if "id" in predicted else source.path
        logger.warning("%s has no ids: labels are matched by order", lacking)

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        return gold.locate(role, row, reason) if role in gold else predicted.locate(role, order[row], reason)

    arrays = {**predicted, **gold}
    for role in predicted.roles:
        answers = [*predicted[role], SKIPPED]  # the last is that of ids without an answer
        arrays[role] = Coded.of(answers[row] for row in order)
    arrays = {role: arrays[role] for role in ROLES if role in arrays}
    return LabelColumns(arrays, predicted.columns | gold.columns, locate)


def _rows_by_id(
    predicted: LabelColumns, gold: LabelColumns, source: Source, gold_path: Path | str
) -> np.ndarray:
    """The row of each gold id among the n predictions; n where an answer file skips it."""
    own, wanted = predicted["id"], gold["id"]
    for row in np.flatnonzero(wanted.rows_of(own) < 0)[:1]:
        raise predicted.locate("id", row, f"id {shown(own[row])} is not in {gold_path}")
    rows = own.rows_of(wanted)
    for row in np.flatnonzero(rows < 0)[:1]:
        many = f"{(rows < 0).sum()} of the {len(wanted)} ids of {gold_path} are missing"
        text = f"{many}, the first is {shown(wanted[row])}"
        if source.form != "txt":
            raise ValueError(f"{source.path}: {text}")
        logger.warning("%s: %s; they count as %s", source.path, text, SKIPPED)
    return np.where(rows < 0, len(own), rows)


def read_mapping(path: Path | str, key: str = "label", value: str = "inverse") -> dict[str, str]:
    """What each label, or answer, stands for: JSON {key: value}, or .csv, .tsv, .jsonl, .parquet with columns
    of these names: 'label' and 'inverse', or 'answer' and 'label'.

    A pair of inverses may stand there once, in either order, and is returned in both; labels that are not
    named are their own inverse.

    Raises
    ------
    ValueError : with the file, and the line where there is one: a missing column, no JSON object of labels, a
        key with two values, an empty value, no keys.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "inverse.json")
    ...     _ = path.write_text('{"per:parents": "per:children"}')
    ...     read_mapping(path)
    ...     read_mapping(path, "answer", "label")
    {'per:parents': 'per:children', 'per:children': 'per:parents'}
    {'per:parents': 'per:children'}
    """
    source = None if Path(path).suffix.lower() == ".json" else open_source(path)
    if source is None:
        pairs: Any = json_document(path, pairs=tuple)  # so that a name that occurs twice is seen
        if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
            raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    else:
        pairs = list(zip(*source.read([source.column(name) for name in (key, value)]).values(), strict=True))
    mapping: dict[str, str] = {}
    for row, pair in enumerate(pairs):
        fault = "" if pair[1].strip() else f"the {value} of {shown(pair[0])} is empty"
        for name, other in (pair, pair[::-1]) if value == "inverse" else (pair,):
            if mapping.setdefault(name, other) != other and not fault:
                fault = f"{key} {shown(name)} has two {value}s, {shown(mapping[name])} and {shown(other)}"
        if fault:
            raise MalformedRecord(path, fault, source.line(row) if source else None)
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
        is_list = Path(path).suffix.lower() == ".txt"
        content: Any = open_source(path).read(["label"])["label"].tolist() if is_list else json_document(path)
        if isinstance(content, dict):
            content = content.get("id2label") or content.get("label2id") or content
        if isinstance(content, list):
            content = dict(enumerate(content))
        if not isinstance(content, dict):
            raise ValueError(f"an object or a list of label names is expected, not {shown(content)}")
        pairs = list(content.items())
        if all(type(value) is int for _, value in pairs):  # label2id
            pairs = [pair[::-1] for pair in pairs]
        for number, name in pairs:
            if not re.fullmatch(r"-?\d{1,18}", str(number)) or not isinstance(name, str) or not name.strip():
                reason = f"{shown(number)}: {shown(name)} is no pair of a label id and a name"
                raise ValueError(f"{reason}; id2label of a config.json, or a list of names, is expected")
        names = {str(number): name for number, name in pairs}
        twice = [name for name, times in Counter(names.values()).items() if times > 1]
        if twice or not names:
            raise ValueError(f"the name {shown(twice[0])} occurs twice" if twice else "there are no names")
    return names
