"""Columns of labels: coded, counted, with other names or one spelling for each label.

Labels are looked at label by label and not row by row.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import SKIPPED, MalformedRecord, listing, plain_form, shown, visible

if TYPE_CHECKING:
    import pandas as pd


FRAME = "the frame"


def label_of(value: Any, cell: str = "field") -> str:
    """The label that a value of JSON, or of a `cell`, stands for; ValueError says why it is none.

    >>> label_of(7), label_of("NA")
    ('7', 'NA')
    """
    if type(value) is int:
        return str(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError(f"the {cell} is empty")
    if not isinstance(value, str):
        raise ValueError(f"a label is text or an integer, not {visible(json.dumps(value, default=str), 80)}")
    if not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{shown(value)} holds half a character (an unpaired surrogate)")
    return value


@dataclass(frozen=True, eq=False)
class Coded:
    """A column of labels, in the form of a pandas Categorical.

    Attributes
    ----------
    codes : (n,) integers, positions into `categories`. categories : the distinct labels, an object array.

    >>> column = Coded.of(["NA", "a", "NA"])
    >>> column.codes.tolist(), column.categories.tolist(), column[1], column.tolist()
    ([0, 1, 0], ['NA', 'a'], 'a', ['NA', 'a', 'NA'])
    """

    codes: np.ndarray
    categories: np.ndarray

    @classmethod
    def of(cls, labels: Iterable[Any]) -> Coded:
        """The column of these labels."""
        number: defaultdict[Any, int] = defaultdict()
        number.default_factory = number.__len__
        codes = np.fromiter(map(number.__getitem__, labels), np.int32)
        return cls(codes, np.array([*number], object))

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, row: int) -> Any:
        return self.categories[self.codes[row]]

    def tolist(self) -> list[Any]:
        """The label of each row."""
        return self.categories[self.codes].tolist()

    def times(self, counts: np.ndarray | None = None) -> Counter:
        """How often each label occurs, where each row stands for `counts` (None: one).

        >>> Coded.of(["a", "b", "a"]).times(np.array([1, 1, 4]))
        Counter({'a': 5, 'b': 1})
        """
        sums = np.bincount(self.codes, counts, len(self.categories)).tolist()
        return Counter({label: int(n) for label, n in zip(self.categories.tolist(), sums, strict=True) if n})

    def first_row(self, fault: Callable[[Any], bool]) -> int | None:
        """The first row (from 0) whose label has a fault, or None; each label is judged once.

        >>> Coded.of(["NA", "a", "b"]).first_row("b".__eq__)
        2
        """
        faulty = [code for code, label in enumerate(self.categories.tolist()) if fault(label)]
        rows = np.flatnonzero(np.isin(self.codes, faulty))
        return int(rows[0]) if len(rows) else None

    def rows_of(self, labels: Iterable[Any]) -> np.ndarray:
        """The row of each of these labels, -1 of one that does not occur; each has to occur once at most.

        >>> Coded.of(["x", "y"]).rows_of(["y", "z"]).tolist()
        [1, -1]
        """
        row_of = {label: row for row, label in enumerate(self)}
        return np.array([row_of.get(label, -1) for label in labels], np.intp)

    def relabelled(self, new_label: Mapping[Any, Any]) -> Coded:
        """Other labels in place of some; those that become equal share a code.

        >>> Coded.of(["a", "b"]).relabelled({"a": "b"}).tolist()
        ['b', 'b']
        """
        labels = Coded.of(new_label.get(label, label) for label in self.categories.tolist())
        return Coded(labels.codes[self.codes], labels.categories)

    @staticmethod
    def frame(columns: Mapping[str, Any]) -> pd.DataFrame:
        """Columns as a frame: coded labels are categorical.

        >>> Coded.frame({"gold": Coded.of(["NA", "a"])}).dtypes.tolist()
        [CategoricalDtype(categories=['NA', 'a'], ordered=False, categories_dtype=str)]
        """
        import pandas as pd

        coded = {
            name: pd.Categorical.from_codes(column.codes, column.categories.tolist())
            for name, column in columns.items()
            if isinstance(column, Coded)
        }
        return pd.DataFrame({**columns, **coded})


class Respelling(NamedTuple):
    """A label that was spelt otherwise: as it stood, as it is counted, in how many cells of which columns."""

    label: str
    counted_as: str
    cells: int
    columns: tuple[str, ...]


class LabelColumns(dict):
    """The columns of a prediction file: role (`id`, `gold`, `predicted`, `predicted_paired`) → `Coded`.

    `columns` says which column of the file each is; `counts` how often each row occurs, if an engine counted
    (`count_files`); None: once. `locate(role, row, reason)` is the error about a cell: file, line, column;
    None: of a frame, which has no lines.
    """

    def __init__(
        self,
        arrays: Mapping[str, Coded],
        columns: Mapping[str, str],
        locate: Callable[[str, int, str], MalformedRecord] | None = None,
        counts: np.ndarray | None = None,
    ) -> None:
        super().__init__(arrays)
        self.columns, self.counts = dict(columns), counts
        self.locate = locate or (lambda role, _, reason: MalformedRecord(FRAME, reason, None, columns[role]))

    @property
    def roles(self) -> list[str]:
        """The roles whose columns hold labels."""
        return [role for role in self if role != "id"]

    def replaced(self, arrays: Mapping[str, Coded]) -> LabelColumns:
        """The same columns with other labels in some."""
        return LabelColumns({**self, **arrays}, self.columns, self.locate, self.counts)

    def frame(self) -> pd.DataFrame:
        """The columns as a frame, see `read_predictions`."""
        frame = Coded.frame({role: self[role] if role != "id" else self[role].tolist() for role in self})
        frame.attrs["columns"] = self.columns
        return frame

    def renamed(
        self, new_label: Mapping[str, str], roles: Sequence[str]
    ) -> tuple[LabelColumns, list[Respelling]]:
        """The columns with other labels in place of some in these roles, and what was changed, by label.

        >>> read = LabelColumns({"predicted": Coded.of(["none", "a"])}, {"predicted": "answer"})
        >>> read.renamed({"none": "NA", "no": "NA"}, ["predicted"])[1]
        [Respelling(label='none', counted_as='NA', cells=1, columns=('answer',))]
        """
        times = {role: self[role].times(self.counts) for role in roles}
        changed = []
        for label, new in sorted(new_label.items()):
            if cells := sum(counts[label] for counts in times.values()):
                columns = tuple(self.columns[role] for role, counts in times.items() if counts[label])
                changed.append(Respelling(label, new, cells, columns))
        return self.replaced({role: self[role].relabelled(new_label) for role in roles}), changed

    def respelt(self, known: Sequence[str] | None = None) -> tuple[LabelColumns, list[Respelling]]:
        """One spelling for each label: those that differ in case, blanks, '_', '-', or in Markdown, quotes
        and a final stop around them only are one (`plain_form`), but never two numbers.

        Parameters
        ----------
        known : the labels as they should be spelt; None: of each group the spelling that is most often gold,
            of equal ones that most often predicted, then the first by name.

        Returns
        -------
        The columns, and what was changed, by label. Two known labels that differ so little only stay two.

        >>> columns = {"gold": Coded.of(["Other", "a"]), "predicted": Coded.of(["other", "a"])}
        >>> LabelColumns(columns, {"gold": "gold", "predicted": "predicted"}).respelt()[1]
        [Respelling(label='other', counted_as='Other', cells=1, columns=('predicted',))]
        """
        times = {role: self[role].times(self.counts) for role in self.roles}
        ranking = [times[role] for role in ("gold", "predicted") if role in times]
        spellings, listed = defaultdict(set), defaultdict(list)
        for label in {label for counts in times.values() for label in counts} - {SKIPPED}:
            spellings[plain_form(label)].add(label)
        for label in known or ():
            listed[plain_form(label)].append(label)
        new_label: dict[str, str] = {}
        for form, labels in spellings.items():
            frequent = max(sorted(labels), key=lambda label: [counts[label] for counts in ranking])
            candidates = listed[form] or [frequent]
            if len(candidates) == 1:
                new_label |= {label: candidates[0] for label in labels if label != candidates[0]}
        return self.renamed(new_label, self.roles)

    def named(self, names: Mapping[str, str] | None) -> LabelColumns:
        """The columns with the names of label ids, if there are any; a label that is a name already stays,
        and so does a predicted text, which may be an answer that is none of the labels.

        Raises MalformedRecord, with the line, for a gold label that is neither, and for an id without a name.

        >>> read = LabelColumns({"gold": Coded.of(["1", "NA"])}, {"gold": "label"})
        >>> read.named({"0": "NA", "1": "a"})["gold"].tolist()
        ['a', 'NA']
        """
        if not names:
            return self
        known = {*names, *names.values(), SKIPPED}
        for role in self.roles:

            def strange(label: str, is_gold: bool = role == "gold") -> bool:
                return label not in known and bool(is_gold or re.fullmatch(r"-?\d+", label))

            if (row := self[role].first_row(strange)) is not None:
                reason = f"{shown(self[role][row])} is no label id and no name; ids are {listing(names, 60)}"
                raise self.locate(role, row, f"{reason}, names {listing(names.values(), 200)}")
        return self.replaced({role: self[role].relabelled(names) for role in self.roles})
