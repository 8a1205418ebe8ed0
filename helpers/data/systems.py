"""What other people's systems put out: on TACRED, on SemEval-2010, and ranked lists of facts.

TACRED: 52 systems (ids and labels, no text), as one compiled table, or as a copy of the repository
DFKI-NLP/tacrev (commit 2252b8e); both give the same frame. SemEval: files of the official scorer (v1.2), one
`id TAB label` a line.

Lists of NYT10 and GIDS have three forms: a point of the precision–recall curve a line, mostly with the fact
beside it; two arrays of precision and recall; the probabilities of every pair and relation. Nothing is
computed here: hits follow from a curve and the number of true facts (`FactRanking.from_curve`).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from ..core import SKIPPED, MalformedRecord, MissingData, shown
from .columns import Coded
from .files import locate, registered_files, search_folders
from .predictions import read_predictions
from .records import collect, field, lines, records_of
from .samples import Fact
from .sentences import read_semeval
from .tables import json_document, open_source

if TYPE_CHECKING:
    import pandas as pd

Split = Literal["test", "dev"]
KEY_COLUMNS = ("id", "gold", "gold_tacrev")
"""The columns before the models'."""


def _read_tacred_predictions(path: Path | str, split: Split = "test") -> pd.DataFrame:
    """What `tacred_predictions` gives, of the compiled table or a copy of the repository."""
    import pandas as pd

    if Path(path).is_dir():
        columns = _read_folder(Path(path), split)
    else:
        source = open_source(path)
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
        path = locate(f"tacred/tacred_{split}_predictions.tsv.gz")
    except MissingData:
        clones = [folder / "tacrev" for folder in search_folders() if (folder / "tacrev/results").is_dir()]
        if not clones:
            raise
        path = clones[0]
    return _read_tacred_predictions(path, split)


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
        read = read_predictions(path, "label_true", "label_pred", id_column="id")
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

    proposals : an answer file, `id TAB label` a line. key : id → label, such as `semeval_key()`. A skipped id
    has the prediction `SKIPPED`; it is a false negative of its gold class and no false positive.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "proposals.txt")
    ...     _ = path.write_text("8001\\tOther\\n")
    ...     join_semeval_answers(path, {"8001": "Other", "8002": "Other"})["predicted"].tolist()
    ['Other', '(skipped)']
    """
    read = open_source(proposals, "txt").read(["id", "label"])
    answers = dict(zip(read["id"], read["label"], strict=True))
    predicted = [answers.get(identifier, SKIPPED) for identifier in key]
    columns = {"gold": Coded.of(key.values()), "predicted": Coded.of(predicted)}
    return Coded.frame({"id": list(key)} | columns)


def _count_tacred() -> dict[str, Mapping[str, int]]:
    """Split → label → count of TACRED: of train as published, of the others from the public predictions."""
    train = json_document(locate("tacred/tacred_label_counts.json"))["train"]
    dev, test = tacred_predictions("dev"), tacred_predictions("test")
    counted = {"dev": dev["gold"], "test": test["gold"], "test-tacrev": test["gold_tacrev"]}
    return {"train": train} | {split: Counter(labels.astype(str)) for split, labels in counted.items()}


def _count_nyt10m() -> dict[str, Mapping[str, int]]:
    """Split → label → count of NYT10m as published: sentences of train and val, facts of test."""
    counts = json_document(locate("nyt10m/nyt10m_label_counts.json"))
    sentences = {split: counts[split]["records"] for split in ("train", "val")}
    return sentences | {"test": counts["test"]["per_relation_pair_facts"]}


UNKNOWN_ENTITY = "UNK"
"""How lists write an entity whose name their program lost."""


class _RankedList(NamedTuple):
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

    def curve(self) -> _RankedList:
        """The list of its text, or of two arrays, precision and recall (Vashishth et al. 2018).

        A line of text has precision, recall, score and, in some lists, the fact: head, tail, relation, names
        without blanks (`mill_valley`). Source: Lin et al. 2016 (thunlp/NRE) and Qin et al. 2018.
        """
        if len(self.files) == 2:
            return _RankedList(*(np.load(locate(file)).astype(np.float64) for file in self.files))
        rows = [line.decode().split() for _, line in lines(locate(self.files[0]))]
        precision, recall, scores = np.array([row[:3] for row in rows], np.float64).T.copy()
        facts = tuple(Fact("", *row[3:]) for row in rows) if rows[0][3:] else None
        return _RankedList(precision, recall, scores, facts)

    def probabilities(self) -> tuple[np.ndarray, np.ndarray] | None:
        """Probabilities and truth, where the list is of them: two (B, 5) arrays, of floats and of bools.

        The columns are `GIDS_RELATIONS`. Row b is the b-th entity pair of the sentences, the pairs sorted by
        their two identifiers: so the labels of all 1,082 pairs of dev are those of the sentences, and of
        3,246 of the 3,247 of test. (The other one, place of birth in its sentences, is NA here: 2,447 facts,
        not 2,448.) Source: Jat et al. 2017, their pickles converted to .npz.
        """
        return _probabilities(self.files[0]) if self.files[0].endswith(".npz") else None

    @property
    def licence(self) -> str:
        """As the repository states it."""
        return registered_files()[self.files[0]].licence

    @property
    def source(self) -> str:
        """Where the list comes from, and the note.

        >>> {row.name: row for row in PUBLISHED_LISTS}["NRE PCNN+ONE"].source.partition(";")[0]
        'thunlp/NRE@ac01b40'
        """
        return "; ".join(part for part in (self.repository, self.note) if part)


def _probabilities(file: str) -> tuple[np.ndarray, np.ndarray]:
    with np.load(locate(file)) as arrays:
        scores, gold, lengths = (arrays[name] for name in ("probabilities", "gold", "gold_lengths"))
    truth = np.zeros(scores.shape, dtype=bool)
    truth[np.repeat(np.arange(len(scores)), lengths), gold] = True
    return scores, truth


with Path(__file__).with_name("ranked_lists.csv").open(encoding="utf-8", newline="") as _file:
    _rows: list[dict[str, Any]] = list(csv.DictReader(_file))
PUBLISHED_LISTS = tuple(
    PublishedList(**row | {"files": tuple(row["files"].split()), "facts": int(row["facts"])}) for row in _rows
)
"""The twenty different lists. Two of NYT10 in RESIDE's collection, and two of GIDS, are one list each."""
