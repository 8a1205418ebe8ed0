"""Anybody's predictions, from the files that `tables` reads.

A file with a fault is refused with its line and column; ten million rows are read in seconds.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import SKIPPED, MalformedRecord, listing, naming_file, shown, unknown_name
from .arrow import all_differ
from .cells import Coded, LabelColumns, as_list
from .label_names import with_names
from .tables import INPUT_NAME, LabelList, Source, open_source

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)

COMMON_NAMES = {
    "id": ("id", "sample_id", "example_id", "instance_id", "uid", "guid"),
    "gold": (
        *("gold", "gold_label", "label", "labels", "label_true", "true_label", "y_true", "true", "target"),
        "references",
    ),
    "predicted": (
        *("predicted", "predicted_label", "prediction", "predictions", "pred", "preds", "pred_label"),
        *("label_pred", "y_pred"),
    ),
}
"""Column names that are recognised, in any case; the first of a list is taken even where others match too."""
ANSWERED = ("predicted", "predicted_paired")
"""The roles of columns that hold what a system answered."""
EMPTY = ("error", "skip")
"""What an empty answer is: a fault of the file, or no prediction."""
ROLES = ("id", "gold", *ANSWERED)
"""In the order of messages."""
WEAK_NAMES = ("relation",)
"""Names of a gold column where no other is recognised (TACRED); they may stand over other things as well."""


def read_label_columns(
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
    """What `read_predictions` reads, without a frame: counting takes the columns as they are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("label_true,label_pred\\nNA,None\\n")
    ...     found = read_label_columns(path)
    >>> found["predicted"].tolist(), found.columns
    (['None'], {'gold': 'label_true', 'predicted': 'label_pred'})
    """
    if empty not in EMPTY:
        raise unknown_name("rule of empty answers", empty, EMPTY)
    source = open_source(path, form)
    named = dict(zip(ROLES, (id_column, gold_column, predicted_column, paired_column), strict=True))
    if gold_file is None:
        labels = [name for name in source.names if name.lower() not in COMMON_NAMES["id"]]
        if len(labels) == 1 and not any(named.values()):
            reason = f"there is one column of labels only, {shown(labels[0])}"
            hint = "gold labels are needed, too (score and compare: --gold FILE)"
            raise ValueError(f"{source.path}: {reason}; {hint}")
        columns = read_columns(source, named, form, empty=empty, may_have_no_row=False)
    else:
        columns = _with_gold(source, open_source(gold_file), named, form, empty)
    return with_names(columns, label_names) if label_names else columns


def read_columns(
    source: Source,
    named: Mapping[str, str | None],
    form: str | None = None,
    *,
    alone: bool = False,
    empty: str = "error",
    may_have_no_row: bool = True,
) -> LabelColumns:
    """The columns of a source with these roles, which `columns_of` finds; else as `read_label_columns`."""
    columns = columns_of(source, named, alone)
    answers = {role for role in columns if role in ANSWERED and empty == "skip"}
    source.may_be_empty = {columns[role] for role in answers} - {columns.get("gold"), columns.get("id")}
    table = source.read(list(columns.values()), columns.get("id"))
    if not may_have_no_row and not len(table[next(iter(columns.values()))]):
        raise no_predictions(source.path, source.names)
    if "id" in columns:
        with naming_file(source.path):
            _check_unique(source, table[columns["id"]], columns["id"])
    # what was read from a file is let go; standard input cannot be read again
    path, kept = source.path, source if str(source.path) == INPUT_NAME else None

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        line = (kept or open_source(path, form)).line(row)
        reason = reason if line is not None else f"row {row + 1}: {reason}"
        return MalformedRecord(path, reason, line, columns[role])

    arrays = {role: table[name] for role, name in columns.items()}
    for role in arrays.keys() - {"id"}:
        if columns[role] == columns.get("id"):
            arrays[role] = Coded.of(as_list(arrays[role]))
    arrays |= {role: _without_blanks(arrays[role], path) for role in answers}
    return LabelColumns(arrays, columns, [role for role in columns if named[role] is None], locate)


def no_predictions(path: Path | str, names: Iterable[str]) -> MalformedRecord:
    """The error of files without a row."""
    return MalformedRecord(path, f"there are no predictions, only the columns {listing(names)}")


def _without_blanks(column: Coded, path: Path | str) -> Coded:
    """Predictions with `SKIPPED` where there is no answer, which is logged."""
    times = column.times()
    blank = [label for label in times if not label.strip()]
    if n := sum(times[label] for label in blank):
        logger.warning("%s: %d of %d answers are empty; they count as %s", path, n, len(column), SKIPPED)
    return column.relabelled(dict.fromkeys(blank, SKIPPED))


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
    if alone and role in ("gold", "predicted"):
        labels = [name.lower() for name in source.names if name.lower() not in COMMON_NAMES["id"]]
        lists.append(tuple(labels) if len(labels) == 1 else ())
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
    listed = listing(source.names)
    raise ValueError(
        f"{source.path}: which column is {role}? {problem}; name it, --{role}-column C. Columns: {listed}"
    )


def _with_gold(
    source: Source, of_gold: Source, named: Mapping[str, str | None], form: str | None, empty: str
) -> LabelColumns:
    """Predictions beside the gold labels of another file: by id where both have ids, else row by row."""
    given = named["id"]
    ids = [given if given in table.names else None for table in (source, of_gold)]
    if given is not None and not any(ids):
        source.column(given, " for id")
    own = {role: ids[0] if role == "id" else name for role, name in named.items() if role != "gold"}
    predicted = read_columns(source, own, form, alone=True, empty=empty, may_have_no_row=False)
    known = {"id": ids[1], "gold": named["gold"]}
    gold = read_columns(of_gold, known, alone=True, may_have_no_row=False)
    lengths = [len(columns[role]) for columns, role in ((predicted, "predicted"), (gold, "gold"))]
    if "id" in predicted and "id" in gold:
        predicted = _in_order(predicted, gold, source, of_gold.path)
    elif lengths[0] != lengths[1]:
        reason = "to be matched by id, both need ids"
        raise ValueError(
            f"{source.path} has {lengths[0]} labels, {of_gold.path} has {lengths[1]} gold labels; {reason}"
        )
    elif "id" in predicted or "id" in gold:
        lacking = of_gold.path if "id" in predicted else source.path
        logger.warning("%s has no ids: labels are matched by order", lacking)
    arrays = {**predicted, **gold}
    return LabelColumns(
        {role: arrays[role] for role in ROLES if role in arrays},
        {**predicted.columns, **gold.columns},
        [*gold.recognised, *predicted.recognised],
        lambda role, row, reason: (gold if role in gold else predicted).locate(role, row, reason),
    )


def _in_order(
    predicted: LabelColumns, gold: LabelColumns, source: Source, gold_path: Path | str
) -> LabelColumns:
    """The predictions in the order of the gold ids; what an answer file skips is predicted as `SKIPPED`."""
    own, wanted = as_list(predicted["id"]), as_list(gold["id"])
    row_of = {identifier: row for row, identifier in enumerate(own)}
    if strange := row_of.keys() - set(wanted):
        row = min(row_of[identifier] for identifier in strange)
        raise predicted.locate("id", row, f"id {shown(own[row])} is not in {gold_path}")
    if missing := [identifier for identifier in wanted if identifier not in row_of]:
        many = f"{len(missing)} of the {len(wanted)} ids of {gold_path} are missing"
        text = f"{many}, the first is {shown(missing[0])}"
        if not isinstance(source, LabelList):
            raise ValueError(f"{source.path}: {text}")
        logger.warning("%s: %s; they count as %s", source.path, text, SKIPPED)
    order = np.array([row_of.get(identifier, len(own)) for identifier in wanted])
    arrays = {}
    for role in predicted.roles:
        longer = Coded.joined([predicted[role], Coded.of([SKIPPED])])
        arrays[role] = Coded(longer.codes[order], longer.categories)

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        return predicted.locate(role, int(order[row]), reason)

    return LabelColumns(arrays, predicted.columns, predicted.recognised, locate)


def gold_counts(source: Source, gold_column: str | None = None) -> dict[str, int]:
    """How often each label is gold in a file, with predictions or without; errors as `read_predictions`.

    >>> gold_counts(LabelList("gold.txt", b"NA\\nA\\nNA\\n"))
    {'NA': 2, 'A': 1}
    """
    column = columns_of(source, {"gold": gold_column}, alone=True)["gold"]
    return dict(source.read([column])[column].times())


def read_predictions(
    path: Path | str,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    **options: Any,
) -> pd.DataFrame:
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
    options : gold_file, another file that holds the gold labels (matched by id if both have ids, else by
        order); form, the kind of file whatever its ending (`FORMS`); label_names, id → name
        (`read_label_names`); empty, 'error' or 'skip': an empty prediction counts as `SKIPPED`, but in a list
        of labels, where it is no line.

    Returns
    -------
    A frame with the columns `id` (if there is one), `gold`, `predicted` and `predicted_paired` (if named).
    Labels are categorical, identifiers text. `frame.attrs["columns"]` says which column of the file each was,
    and `frame.attrs["recognised"]` which of them were not named by the caller but recognised; these are also
    logged.

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
    ...     read_predictions(path)
      gold predicted
    0   NA      None
    """
    columns = read_label_columns(path, gold_column, predicted_column, paired_column, id_column, **options)
    return columns.frame()


def _check_unique(source: Source, identifiers: Any, name: str) -> None:
    if not isinstance(identifiers, list) and all_differ(identifiers):
        return
    first: dict[str, int] = {}
    for row, identifier in enumerate(as_list(identifiers)):
        if first.setdefault(identifier, row) != row:
            here, there = map(source.where, (row, first[identifier]))
            reason = f"identifier {shown(identifier)} of {here} occurs twice, the first time in {there}"
            raise MalformedRecord(source.path, reason, source.line(row), name)
