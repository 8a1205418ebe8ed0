"""Published ranked lists of facts: what other people's systems put out on NYT10 and GIDS, column by column.

Three forms: text with a point of the precision–recall curve a rank, mostly with the fact beside it; two
arrays of precision and recall; the probabilities of every pair and relation. Nothing is computed here: hits
follow from a curve and the number of true facts (`FactRanking.from_curve` of the metrics).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core import MalformedRecord, finite_number, naming_file
from .files import registered_file
from .formats.parsing import collect, lines
from .matrices import read_arrays

UNKNOWN_ENTITY = "UNK"
"""How lists write an entity whose name their program lost."""


class NamedFact(NamedTuple):
    """A fact as lists print it: names, not identifiers; `UNKNOWN_ENTITY` for a name that was lost."""

    head: str
    tail: str
    relation: str


@dataclass(frozen=True, eq=False)
class RankedList:
    """A ranked list as it was published, in the order of its file.

    Attributes
    ----------
    precision, recall : (M,) float64, of the points of the curve.
    scores : (M,) float64 of the facts, or None. facts : M of them, or None.
    """

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray | None = None
    facts: tuple[NamedFact, ...] | None = None


def read_ranked_list(path: Path | str) -> RankedList:
    """A list in text: precision, recall, score, and on each line or on none the fact: head, tail, relation.

    The fields are separated by one tab each, or by tabs and blanks; names have no blanks (`mill_valley`). No
    line may be left out, as lines are ranks.

    Raises
    ------
    MalformedRecord : with the line: neither three nor six fields, another number of fields than the first
        line has, a number that is none, precision or recall outside [0, 1]; not UTF-8.

    Source: Lin et al. 2016 (thunlp/NRE) and Qin et al. 2018, whose programs write this form.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pr.txt")
    ...     _ = path.write_text("1.000000\\t0.000513\\t0.99\\tfrance UNK /location/location/contains\\n")
    ...     found = read_ranked_list(path)
    >>> found.scores.tolist(), found.facts[0].tail
    ([0.99], 'UNK')
    """
    widths: list[int] = []

    def parse(_line: int, _number: int, row: bytes) -> list[tuple[list[float], NamedFact | None]]:
        cells = row.decode().split()
        widths.append(len(cells))
        if len(cells) not in (3, 6):
            raise ValueError(f"3 fields are expected, or 6 with the fact; found {len(cells)}")
        if len(cells) != widths[0]:
            raise ValueError(f"{widths[0]} fields are expected, as in the first line; found {len(cells)}")
        numbers = [finite_number(cell) for cell in cells[:3]]
        if not (0 <= numbers[0] <= 1 and 0 <= numbers[1] <= 1):
            raise ValueError(f"precision {cells[0]} and recall {cells[1]} have to be from 0 to 1")
        return [(numbers, NamedFact(*cells[3:]) if cells[3:] else None)]

    points = collect(path, lines(path), parse, strict=True)
    precision, recall, scores = np.array([numbers for numbers, _ in points]).T.copy()
    facts = tuple(fact for _, fact in points)
    return RankedList(precision, recall, scores, None if facts[0] is None else facts)


def read_curve(precision: Path | str, recall: Path | str) -> RankedList:
    """A curve in two .npy files of numbers, precision and recall, as RESIDE's collection has it.

    Raises
    ------
    MalformedRecord : a file is broken or pickled, holds no row of finite numbers from 0 to 1, or the two are
        of different length.

    Source: Vashishth et al. 2018 (malllabiisc/RESIDE, baselines_pr).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = [Path(folder, f"{name}.npy") for name in ("precision", "recall")]
    ...     for file, values in zip(files, ([1.0, 0.5], [0.1, 0.1]), strict=True):
    ...         np.save(file, values)
    ...     read_curve(*files).precision.tolist()
    [1.0, 0.5]
    """
    columns = [_column(path) for path in (precision, recall)]
    if len(columns[0]) != len(columns[1]):
        raise MalformedRecord(recall, f"{len(columns[1])} points; the precision has {len(columns[0])}")
    return RankedList(columns[0], columns[1])


def _column(path: Path | str) -> np.ndarray:
    with naming_file(path):
        arrays = read_arrays(path)
        values = next(iter(arrays.values()), np.empty(0))
        if len(arrays) != 1 or values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
            raise MalformedRecord(path, "one row of numbers is expected")
        odd = np.flatnonzero(~((values >= 0) & (values <= 1)))
        if len(odd):
            raise MalformedRecord(path, f"value {odd[0]} (from 0) is {values[odd[0]]}, not from 0 to 1")
    return values.astype(np.float64)


def read_gids_probabilities(path: Path | str) -> tuple[np.ndarray, np.ndarray]:
    """Probabilities and truth of a system of Jat et al. on GIDS: two (B, 5) arrays, of floats and of bools.

    The columns are `GIDS_RELATIONS`. Row b is the b-th entity pair of the sentences, the pairs sorted by
    their two identifiers: so the labels of all 1,082 pairs of dev are those of the sentences, and of 3,246 of
    the 3,247 of test. (The other one, place of birth in its sentences, is NA here: 2,447 facts, not 2,448.)

    Raises
    ------
    MalformedRecord : the file is broken or pickled, an array is missing or of another shape, a probability is
        outside [0, 1], a label is no column.

    Source: Jat et al. 2017 (SharmisthaJat/RE-DS-Word-Attention-Models), their pickles converted to .npz.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "PCNN.npz")
    ...     np.savez(path, probabilities=np.full((2, 5), 0.2), gold=[0, 1, 3], gold_lengths=[1, 2])
    ...     read_gids_probabilities(path)[1].astype(int).tolist()
    [[1, 0, 0, 0, 0], [0, 1, 0, 1, 0]]
    """
    with naming_file(path):
        arrays = read_arrays(path)
        kinds = {"probabilities": "f", "gold": "iu", "gold_lengths": "iu"}
        for name, kind in kinds.items():
            if name not in arrays or arrays[name].dtype.kind not in kind:
                raise MalformedRecord(path, f"the array {name!r} of numbers is missing or of another type")
        scores, gold, lengths = (arrays[name] for name in kinds)
        if scores.ndim != 2 or scores.shape[1] != 5 or not len(scores) or lengths.shape != scores.shape[:1]:
            shapes = f"probabilities of shape {scores.shape}, gold_lengths of {lengths.shape}"
            raise MalformedRecord(path, f"{shapes}: expected (B, 5) and (B,)")
        if not ((scores >= 0) & (scores <= 1)).all():
            raise MalformedRecord(path, "a probability is not from 0 to 1")
        whole = [int(length) for length in lengths]  # a sum in 64 bits could overflow
        if (
            gold.ndim != 1
            or min(whole) < 1
            or sum(whole) != len(gold)
            or not ((gold >= 0) & (gold < 5)).all()
        ):
            raise MalformedRecord(path, "gold and gold_lengths do not give each pair labels from 0 to 4")
    truth = np.zeros(scores.shape, dtype=bool)
    truth[np.repeat(np.arange(len(scores)), lengths), gold] = True
    return scores, truth


@dataclass(frozen=True, slots=True)
class PublishedList:
    """One row of `PUBLISHED_LISTS`.

    Attributes
    ----------
    name : who published it, and the system. dataset : 'nyt10' or 'gids', the test part.
    files : registered; one in text, or precision and recall, or probabilities.
    facts : true facts that the publisher counted.
    area : which of `metrics.AREAS` its publisher calls AUC.
    repository : where the list comes from. note : what a reader must know.
    """

    name: str
    dataset: str
    files: tuple[str, ...]
    facts: int
    area: str
    repository: str
    note: str

    @property
    def licence(self) -> str:
        """As the repository states it."""
        return registered_file(self.files[0]).licence

    @property
    def source(self) -> str:
        """Where the list comes from, and the note.

        >>> {row.name: row for row in PUBLISHED_LISTS}["NRE PCNN+ONE"].source.partition(";")[0]
        'thunlp/NRE@ac01b40'
        """
        return "; ".join(part for part in (self.repository, self.note) if part)


def _published() -> tuple[PublishedList, ...]:
    with Path(__file__).with_name("ranked_lists.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    numbers = [{"files": tuple(row["files"].split()), "facts": int(row["facts"])} for row in rows]
    return tuple(PublishedList(**row | own) for row, own in zip(rows, numbers, strict=True))


PUBLISHED_LISTS = _published()
"""The twenty different lists. Two of NYT10 in RESIDE's collection, and two of GIDS, are one list each."""
