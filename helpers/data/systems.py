"""What other people's systems put out: on TACRED, on SemEval-2010, and ranked lists of facts.

TACRED: 52 systems (ids and labels, no text), as one compiled table, or as a copy of the repository
DFKI-NLP/tacrev (commit 2252b8e); both give the same frame. SemEval: files of the official scorer (v1.2), one
`id TAB label` a line, checked as the scorer does, but blank lines and blanks around a cell are read.

Lists of NYT10 and GIDS have three forms: a point of the precision–recall curve a line, mostly with the fact
beside it; two arrays of precision and recall; the probabilities of every pair and relation. Nothing is
computed here: hits follow from a curve and the number of true facts (`FactRanking.from_curve`).
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .. import core
from ..core import MalformedRecord, MissingData, naming_file, shown, unknown_name
from .columns import Coded, as_frame
from .files import locate, registered_file, search_folders
from .predictions import read_label_columns
from .records import collect, field, lines, read_arrays, records_of
from .samples import Fact
from .sentences import read_semeval
from .tables import open_source

if TYPE_CHECKING:
    import pandas as pd

Split = Literal["test", "dev"]
KEY_COLUMNS = ("id", "gold", "gold_tacrev")
"""The columns before the models'."""


def _read_tacred_predictions(path: Path | str, split: Split = "test") -> pd.DataFrame:
    """What `tacred_predictions` gives, of the compiled table or a copy of the repository."""
    import pandas as pd

    if split not in ("test", "dev"):
        raise unknown_name("split", split, ("test", "dev"))
    if Path(path).is_dir():
        columns = _read_folder(Path(path), split)
    else:
        source = open_source(path)
        if tuple(source.names[:3]) != KEY_COLUMNS:
            names, expected = ", ".join(source.names[:3]), ", ".join(KEY_COLUMNS)
            raise MalformedRecord(path, f"the first columns must be {expected}; they are {names}", 1)
        columns = {name: column.tolist() for name, column in source.read(source.names).items()}
    labels = sorted(set().union(*(column for name, column in columns.items() if name != "id")))
    coded = {name: pd.Categorical(column, labels) for name, column in columns.items() if name != "id"}
    return pd.DataFrame({"id": columns["id"]} | coded)


def tacred_predictions(split: Split = "test") -> pd.DataFrame:
    """Gold labels, revised gold labels (TACREV) and the predictions of every model on one split of TACRED.

    They are read from the compiled table (`.tsv.gz`: id, gold, gold_tacrev, then a column a model), else from
    a copy of the repository in the folder `tacrev` of a data folder (`search_folders`), which holds
    `results/SPLIT_results/*.jsonl` (id, label_true, label_pred), lists of predictions in the same order
    (`*.txt`), and `patch/SPLIT_patch.json` (id, relation: the revised labels). A model's name is that of its
    file without the ending and without `_SPLIT` at its end.

    Returns
    -------
    A frame with `id` (text), `gold`, `gold_tacrev` and one column a model; all label columns are categorical
    with the same sorted categories.

    Raises
    ------
    FileNotFoundError : the folder lacks the results or the patch.
    MalformedRecord : a malformed line; models that differ in ids or gold labels; a list of another length; a
        patch for an id that is not there.
    MissingData : neither is there; the message says how to get them.
    ChecksumError : the table is not the registered one.
    """
    try:
        return _read_tacred_predictions(locate(f"tacred/tacred_{split}_predictions.tsv.gz"), split)
    except MissingData:
        clones = [folder / "tacrev" for folder in search_folders()]
        clone = next((folder for folder in clones if (folder / "results").is_dir()), None)
        if clone is None:
            raise
    return _read_tacred_predictions(clone, split)


def _read_folder(folder: Path, split: str) -> dict[str, list[str]]:
    results = folder / "results" / f"{split}_results"
    tables, lists = (
        dict(sorted((path.stem.removesuffix(f"_{split}"), path) for path in results.glob(f"*.{ending}")))
        for ending in ("jsonl", "txt")
    )
    if not tables:
        raise FileNotFoundError(f"{results} holds no .jsonl file: {folder} is no copy of DFKI-NLP/tacrev")
    gold: dict[str, str] = {}
    columns: dict[str, list[str]] = {}
    for model, path in tables.items():
        read = read_label_columns(path, "label_true", "label_pred", id_column="id")
        true, predicted = (dict(zip(read["id"], read[role], strict=True)) for role in ("gold", "predicted"))
        gold = gold or true
        for name in () if gold == true else gold | true:
            here, there = (shown(key.get(name, "absent")) for key in (true, gold))
            if here != there:
                reason = f"the gold label of {shown(name)} is {here}, but {there} in the other models' files"
                raise MalformedRecord(path, reason, column="label_true")
        columns[model] = [predicted[identifier] for identifier in gold]
    for model, path in lists.items():
        columns[model] = open_source(path).read(["label"])["label"].tolist()
        if (size := len(columns[model])) != len(gold):
            raise MalformedRecord(path, f"{len(gold)} labels are expected, found {size}", size)

    def parse(_line: int | None, _number: int, record: Any) -> list[tuple[str, str]]:
        identifier, relation = field(record, "id", str), field(record, "relation", str)
        if identifier not in gold:
            raise ValueError(f"the id {shown(identifier)} does not occur in the models' files")
        return [(identifier, relation)]

    patch = folder / "patch" / f"{split}_patch.json"
    revised = gold | dict(collect(patch, records_of(patch), parse))
    keys = dict(zip(KEY_COLUMNS, ([*gold], [*gold.values()], [*revised.values()]), strict=True))
    return keys | columns


def semeval_key() -> dict[str, str]:
    """The gold labels of the official test file (2717 ids, 8001–10717).

    Raises
    ------
    MissingData, ChecksumError : the file is absent or not the registered one.
    """
    path = locate("semeval2010/TEST_FILE_FULL.TXT")
    return {sample.id: sample.relation for sample in read_semeval(path)}


def join_semeval_answers(proposals: Path | str, key: Mapping[str, str]) -> pd.DataFrame:
    """Proposals beside the key: `id` (text), `gold` and `predicted` (categorical), one row an id of the key.

    Parameters
    ----------
    proposals : an answer file. key : id → label, such as `semeval_key()`.

    A skipped id has the prediction `SKIPPED`; it is a false negative of its gold class and no false positive.

    Raises
    ------
    MalformedRecord : with the line: not `id TAB label`, an id that occurs twice or is not in the key, an
        unknown label.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "proposals.txt")
    ...     _ = path.write_text("8001\\tOther\\n")
    ...     join_semeval_answers(path, {"8001": "Other", "8002": "Other"})["predicted"].tolist()
    ['Other', '(skipped)']
    """

    def parse(_line: int | None, _number: int, row: dict[str, str]) -> list[tuple[str, str]]:
        label, identifier = row["label"], row.get("id")
        if identifier is None:
            raise ValueError(f"id, tab and label are expected in place of {shown(label)}")
        if identifier not in key:
            raise ValueError(f"id {shown(identifier)} is not in the key")
        if label not in core.SEMEVAL_RELATIONS:
            raise unknown_name("relation", label, core.SEMEVAL_RELATIONS)
        return [(identifier, label)]

    answers = dict(collect(proposals, records_of(proposals, "txt"), parse, itemgetter(0)))
    predicted = [answers.get(identifier, core.SKIPPED) for identifier in key]
    columns = {"gold": Coded.of(key.values()), "predicted": Coded.of(predicted)}
    return as_frame({"id": list(key)} | columns)


def count_tacred() -> dict[str, Mapping[str, int]]:
    """Split → label → count of TACRED: of train as published, of the others from the public predictions."""
    train = _json("tacred/tacred_label_counts.json")["train"]
    dev, test = tacred_predictions("dev"), tacred_predictions("test")
    counted = {"dev": dev["gold"], "test": test["gold"], "test-tacrev": test["gold_tacrev"]}
    return {"train": train} | {split: Counter(labels.astype(str)) for split, labels in counted.items()}


def count_nyt10m() -> dict[str, Mapping[str, int]]:
    """Split → label → count of NYT10m as published: sentences of train and val, facts of test."""
    counts = _json("nyt10m/nyt10m_label_counts.json")
    sentences = {split: counts[split]["records"] for split in ("train", "val")}
    return sentences | {"test": counts["test"]["per_relation_pair_facts"]}


def _json(path: str) -> Any:
    return json.loads(locate(path).read_text(encoding="utf-8"))


UNKNOWN_ENTITY = "UNK"
"""How lists write an entity whose name their program lost."""


@dataclass(frozen=True, eq=False)
class _RankedList:
    """A ranked list as it was published, in the order of its file.

    Attributes
    ----------
    precision, recall : (M,) float64, of the points of the curve.
    scores : (M,) float64 of the facts, or None. facts : M of them, with names and not identifiers,
        `UNKNOWN_ENTITY` for a name that was lost; or None.
    """

    precision: np.ndarray
    recall: np.ndarray
    scores: np.ndarray | None = None
    facts: tuple[Fact, ...] | None = None


def read_ranked_list(path: Path | str) -> _RankedList:
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

    def parse(_line: int | None, _number: int, row: bytes) -> list[tuple[list[float], Fact | None]]:
        cells = row.decode().split()
        widths.append(len(cells))
        if len(cells) not in (3, 6):
            raise ValueError(f"3 fields are expected, or 6 with the fact; found {len(cells)}")
        if len(cells) != widths[0]:
            raise ValueError(f"{widths[0]} fields are expected, as in the first line; found {len(cells)}")
        numbers = [core.finite_number(cell) for cell in cells[:3]]
        if not (0 <= numbers[0] <= 1 and 0 <= numbers[1] <= 1):
            raise ValueError(f"precision {cells[0]} and recall {cells[1]} have to be from 0 to 1")
        return [(numbers, Fact("", *cells[3:]) if cells[3:] else None)]

    points = collect(path, lines(path), parse)
    precision, recall, scores = np.array([numbers for numbers, _ in points]).T.copy()
    facts = tuple(fact for _, fact in points)
    return _RankedList(precision, recall, scores, None if facts[0] is None else facts)


def read_curve(precision: Path | str, recall: Path | str) -> _RankedList:
    """A curve in two .npy files of numbers, precision and recall, as RESIDE's collection has it.

    Raises
    ------
    MalformedRecord : a file is broken or pickled, holds no row of finite numbers from 0 to 1, or the two are
        of different length.

    Source: Vashishth et al. 2018 (malllabiisc/RESIDE, baselines_pr).
    """
    columns = [_curve(path) for path in (precision, recall)]
    if len(columns[0]) != len(columns[1]):
        raise MalformedRecord(recall, f"{len(columns[1])} points; the precision has {len(columns[0])}")
    return _RankedList(columns[0], columns[1])


def _curve(path: Path | str) -> np.ndarray:
    with naming_file(path):
        arrays = read_arrays(path)
        values = next(iter(arrays.values()), np.empty(0))
        if len(arrays) != 1 or values.ndim != 1 or not len(values) or values.dtype.kind not in "iuf":
            raise MalformedRecord(path, "one row of numbers is expected")
        for row in np.flatnonzero(~((values >= 0) & (values <= 1)))[:1]:
            raise MalformedRecord(path, f"value {row} (from 0) is {values[row]}, not from 0 to 1")
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
        fits = gold.ndim == 1 and min(whole) > 0 and sum(whole) == len(gold)
        if not fits or not ((gold >= 0) & (gold < 5)).all():
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


def _published() -> Iterator[PublishedList]:
    with Path(__file__).with_name("ranked_lists.csv").open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        yield PublishedList(**row | {"files": tuple(row["files"].split()), "facts": int(row["facts"])})


PUBLISHED_LISTS = tuple(_published())
"""The twenty different lists. Two of NYT10 in RESIDE's collection, and two of GIDS, are one list each."""
