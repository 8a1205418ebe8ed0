"""Anybody's predictions, label names and inverse labels, from the files that `tables` reads.

A file with a fault is refused with its line and column; ten million rows are read in seconds. Labels are
changed (named, spelt in one way) label by label and not row by row.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import SKIPPED, MalformedRecord, listing, naming_file, plain_form, read_file, shown, unknown_name
from .arrow import all_differ
from .cells import Coded, as_frame, as_list, json_document
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
WEAK_NAMES = ("relation",)
"""Names of a gold column where no other is recognised (TACRED); they may stand over other things as well."""


Locate = Callable[[str, int, str], MalformedRecord]
"""The error about a cell, from its role, its row and the reason: it knows file, line and column."""


class LabelColumns(dict):
    """The columns of a prediction file: role (`id`, `gold`, `predicted`, `predicted_paired`) → column.

    Labels are coded (`Coded`), identifiers texts (`as_list`). `columns` says which column of the file each
    is, and `recognised` which of them were not named by the caller but recognised. `read_predictions` makes a
    frame of them. `counts` says how often each row occurs, where an engine has counted (`count_files`); None:
    once.
    `locate(role, row, reason)` is the error about a cell, with its file, its line and its column.
    """

    def __init__(
        self,
        arrays: Mapping[str, Any],
        columns: dict[str, str],
        recognised: Iterable[str] = (),
        locate: Locate = lambda role, row, reason: MalformedRecord("", f"row {row + 1}: {reason}"),
        counts: np.ndarray | None = None,
    ) -> None:
        super().__init__(arrays)
        self.columns, self.recognised, self.locate, self.counts = columns, list(recognised), locate, counts

    @property
    def roles(self) -> list[str]:
        """The roles whose columns hold labels."""
        return [role for role in self if role != "id"]

    def first_row(self, role: str, fault: Callable[[str], bool]) -> int | None:
        """The first row (from 0) whose label has a fault, or None; each distinct label is judged once."""
        return self[role].first_row(fault)

    def replaced(self, arrays: Mapping[str, Any]) -> LabelColumns:
        """The same columns with other labels in some."""
        return LabelColumns({**self, **arrays}, self.columns, self.recognised, self.locate, self.counts)

    def frame(self) -> pd.DataFrame:
        """The columns as a frame, see `read_predictions`."""
        frame = as_frame(self)
        frame.attrs.update(columns=self.columns, recognised=self.recognised)
        return frame


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
    named = named_columns(gold_column, predicted_column, paired_column, id_column)
    if gold_file is None:
        _check_two_columns(source, named)
        columns = _read(source, named, form, empty=empty)
    else:
        of_gold = open_source(gold_file)
        named["id"], own_id = (id_column if id_column in table.names else None for table in (source, of_gold))
        gold = {"id": own_id, "gold": named.pop("gold")}
        if id_column is not None and not (named["id"] or gold["id"]):
            source.column(id_column, " for id")
        predicted = _read(source, named, form, alone=True, empty=empty)
        columns = _joined(predicted, _read(of_gold, gold, None, alone=True), source, of_gold)
    return with_names(columns, label_names) if label_names else columns


def _check_two_columns(source: Source, named: Mapping[str, str | None]) -> None:
    labels = [name for name in source.names if name.lower() not in COMMON_NAMES["id"]]
    if len(labels) == 1 and not any(named.values()):
        reason = f"there is one column of labels only, {shown(labels[0])}"
        raise ValueError(
            f"{source.path}: {reason}; gold labels are needed, too (score and compare: --gold FILE)"
        )


def no_predictions(path: Path | str, names: Iterable[str]) -> MalformedRecord:
    """The error of files without a row.

    >>> print(no_predictions("a.csv", ["gold"]))
    a.csv: there are no predictions, only the columns gold
    """
    return MalformedRecord(path, f"there are no predictions, only the columns {listing(names)}")


def _read(source: Source, named: Mapping[str, str | None], *how: Any, **options: Any) -> LabelColumns:
    columns = read_columns(source, named, *how, **options)
    if not len(next(iter(columns.values()))):
        raise no_predictions(source.path, source.names)
    return columns


def read_columns(
    source: Source,
    named: Mapping[str, str | None],
    form: str | None = None,
    alone: bool = False,
    empty: str = "error",
) -> LabelColumns:
    """The columns of a source with these roles, which may have no row; else as `read_label_columns`.

    `alone`: the only column that is no id may have any name.
    """
    columns = columns_of(source, named, alone)
    answers = {role for role in columns if role in ANSWERED and empty == "skip"}
    source.may_be_empty = {columns[role] for role in answers} - {columns.get("gold"), columns.get("id")}
    table = source.read(list(dict.fromkeys(columns.values())), columns.get("id"))
    if "id" in columns:
        with naming_file(source.path):
            _check_unique(source, table[columns["id"]], columns["id"])
    # what was read from a file is let go; standard input cannot be read again
    path, kept = source.path, source if str(source.path) == INPUT_NAME else None

    def locate(role: str, row: int, reason: str) -> MalformedRecord:
        line = (kept or open_source(path, form)).line(row)
        reason = reason if line is not None else f"row {row + 1}: {reason}"
        return MalformedRecord(path, reason, line, columns[role])

    recognised = [role for role in columns if named[role] is None]
    arrays = {role: table[name] for role, name in columns.items()}
    for role in arrays.keys() - {"id"}:
        if columns[role] == columns.get("id"):
            arrays[role] = Coded.of(as_list(arrays[role]))
    arrays |= {role: _without_blanks(arrays[role], path) for role in answers}
    return LabelColumns(arrays, columns, recognised, locate)


def _without_blanks(column: Coded, path: Path | str) -> Coded:
    """Predictions with `SKIPPED` where there is no answer, which is logged."""
    times = column.times()
    blank = [label for label in times if not label.strip()]
    if n := sum(times[label] for label in blank):
        logger.warning("%s: %d of %d answers are empty; they count as %s", path, n, len(column), SKIPPED)
    return column.relabelled(dict.fromkeys(blank, SKIPPED))


def named_columns(
    gold: str | None, predicted: str | None, paired: str | None, identifier: str | None
) -> dict[str, str | None]:
    """Role → the column that the caller named, None where it is to be recognised; in the order of messages.

    >>> list(named_columns("label", None, None, None))
    ['id', 'gold', 'predicted', 'predicted_paired']
    """
    return {"id": identifier, "gold": gold, "predicted": predicted, "predicted_paired": paired}


def columns_of(source: Source, named: Mapping[str, str | None], alone: bool = False) -> dict[str, str]:
    """Role → column of a source, of the roles that it has; ValueError where gold or predicted is not clear.

    `alone`: the only column that is no id may have any name.

    >>> from helpers.data.tables import source_of
    >>> named = named_columns(None, None, None, None)
    >>> columns_of(source_of("a.csv", b"label,y_pred\\n", "csv"), named)
    {'gold': 'label', 'predicted': 'y_pred'}
    """
    columns = {role: _column(source, role, name, alone) for role, name in named.items()}
    return {role: name for role, name in columns.items() if name is not None}


def _joined(predicted: LabelColumns, gold: LabelColumns, source: Source, of_gold: Source) -> LabelColumns:
    """Predictions beside the gold labels of another file: by id where both have ids, else row by row."""
    lengths = [len(next(iter(columns.values()))) for columns in (predicted, gold)]
    if "id" in predicted and "id" in gold:
        predicted = _in_order(predicted, gold, source, of_gold)
    elif lengths[0] != lengths[1]:
        reason = "to be matched by id, both need ids"
        raise ValueError(
            f"{source.path} has {lengths[0]} labels, {of_gold.path} has {lengths[1]} gold labels; {reason}"
        )
    elif "id" in predicted or "id" in gold:
        lacking = of_gold.path if "id" in predicted else source.path
        logger.warning("%s has no ids: labels are matched by order", lacking)
    roles = ("id", "gold", "predicted", "predicted_paired")
    arrays = {**predicted, **gold}
    return LabelColumns(
        {role: arrays[role] for role in roles if role in arrays},
        {**predicted.columns, **gold.columns},
        [*gold.recognised, *predicted.recognised],
        lambda role, row, reason: (gold if role in gold else predicted).locate(role, row, reason),
    )


def _in_order(predicted: LabelColumns, gold: LabelColumns, source: Source, of_gold: Source) -> LabelColumns:
    """The predictions in the order of the gold ids; what an answer file skips is predicted as `SKIPPED`."""
    row_of = {identifier: row for row, identifier in enumerate(as_list(predicted["id"]))}
    wanted = as_list(gold["id"])
    if strange := row_of.keys() - set(wanted):
        row = min(row_of[identifier] for identifier in strange)
        identifier = as_list(predicted["id"])[row]
        raise predicted.locate("id", row, f"id {shown(identifier)} is not in {of_gold.path}")
    missing = [identifier for identifier in wanted if identifier not in row_of]
    if missing:
        many = f"{len(missing)} of the {len(wanted)} ids of {of_gold.path} are missing"
        text = f"{many}, the first is {shown(missing[0])}"
        if not isinstance(source, LabelList):
            raise ValueError(f"{source.path}: {text}")
        logger.warning("%s: %s; they count as %s", source.path, text, SKIPPED)
    order = np.array([row_of.get(identifier, len(row_of)) for identifier in wanted])
    arrays = {}
    for role in predicted.roles:
        longer = Coded.joined([predicted[role], Coded.of([SKIPPED])])
        arrays[role] = Coded(longer.codes[order], longer.categories)
    return LabelColumns(
        arrays,
        predicted.columns,
        predicted.recognised,
        lambda role, row, reason: predicted.locate(role, int(order[row]), reason),
    )


def gold_counts(source: Source, gold_column: str | None = None) -> dict[str, int]:
    """How often each label is gold in a file, with predictions or without; errors as `read_predictions`.

    >>> from .tables import LabelList
    >>> gold_counts(LabelList("gold.txt", b"NA\\nA\\nNA\\n"))
    {'NA': 2, 'A': 1}
    """
    column = _column(source, "gold", gold_column, alone=True)
    assert column is not None
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


def _column(source: Source, role: str, name: str | None, alone: bool) -> str | None:
    """The column of the file that has this role: the one that is named, else one with a common name."""
    if name is not None:
        return source.column(name, f" for {role}")
    lists = [COMMON_NAMES.get(role, ())]
    if role == "gold":
        lists.append(WEAK_NAMES)
    elif alone and role == "predicted":
        lists += [COMMON_NAMES["gold"], WEAK_NAMES]
    matching: list[str] = []
    for known in lists:
        matching = matching or [name for name in source.names if name.lower() in known]
        matching = [name for name in matching if known and name.lower() == known[0]] or matching
    if alone and not matching and role in ("gold", "predicted"):
        labels = [name for name in source.names if name.lower() not in COMMON_NAMES["id"]]
        matching = labels if len(labels) == 1 else []
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


def _check_unique(source: Source, identifiers: Any, name: str) -> None:
    if not isinstance(identifiers, list) and all_differ(identifiers):
        return
    first: dict[str, int] = {}
    for row, identifier in enumerate(as_list(identifiers)):
        if first.setdefault(identifier, row) != row:
            here, there = (_place(source, number) for number in (row, first[identifier]))
            reason = f"identifier {shown(identifier)} of {here} occurs twice, the first time in {there}"
            raise MalformedRecord(source.path, reason, source.line(row), name)


def _place(source: Source, row: int) -> str:
    line = source.line(row)
    return f"row {row + 1}" if line is None else f"line {line}"


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
        pairs = _json_pairs(path)
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


def _json_pairs(path: Path | str) -> list[tuple[str, str]]:
    pairs = json_document(path, pairs=tuple)  # for an object, so that a name that occurs twice is seen
    if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
        raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    return list(pairs)


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
        pairs = list(enumerate(content)) if isinstance(content, list) else list(_pairs(content))
        names = {str(number): name for number, name in pairs}
        for number, name in pairs:
            if not re.fullmatch(r"-?\d{1,18}", str(number)) or not isinstance(name, str) or not name.strip():
                reason = f"{shown(number)}: {shown(name)} is no pair of a label id and a name"
                raise ValueError(f"{reason}; id2label of a config.json, or a list of names, is expected")
        twice = [name for name, times in Counter(names.values()).items() if times > 1]
        if twice or not names:
            raise ValueError(f"the name {shown(twice[0])} occurs twice" if twice else "there are no names")
    return names


def _pairs(content: Any) -> Iterable[tuple[Any, Any]]:
    """(id, name) of an object; that of label2id is turned round."""
    if not isinstance(content, dict):
        raise ValueError(f"an object or a list of label names is expected, not {shown(content)}")
    turned = bool(content) and all(type(value) is int for value in content.values())
    return ((value, key) for key, value in content.items()) if turned else content.items()


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
        predicted = role != "gold"

        def is_unknown(label: str, predicted: bool = predicted) -> bool:
            return label not in known and not (predicted and re.fullmatch(r"-?\d+", label) is None)

        row = columns.first_row(role, is_unknown)
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
