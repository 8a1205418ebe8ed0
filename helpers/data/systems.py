"""Published predictions of real systems: 52 on TACRED (ids and labels, no text), SemEval-2010 answer files.

TACRED: one compiled table, or a copy of the repository DFKI-NLP/tacrev (commit 2252b8e); both give the same
frame. SemEval: files of the official scorer (v1.2), one `id TAB label` a line. The checks are the scorer's,
but friendlier: blank lines, blanks around a cell and a last line without an end are read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..core import (
    SEMEVAL_RELATIONS,
    SKIPPED,
    MalformedRecord,
    MissingData,
    read_file,
    shown,
    unknown_name,
)
from .cells import Coded, as_frame, as_list
from .files import locate, search_folders
from .formats.parsing import check_new, collect, json_array, string
from .formats.tagged import read_semeval
from .predictions import read_label_columns
from .tables import LabelList, open_source

if TYPE_CHECKING:
    import pandas as pd

Split = Literal["test", "dev"]
KEY_COLUMNS = ("id", "gold", "gold_tacrev")
"""The columns before the models'."""


def _read_tacred_predictions(path: Path | str, split: Split = "test") -> pd.DataFrame:
    """Gold labels, revised gold labels (TACREV) and the predictions of every model on one split of TACRED.

    Parameters
    ----------
    path : the compiled table (`.tsv.gz`: id, gold, gold_tacrev, then a column a model), or the folder of the
        tacrev repository, which holds `results/SPLIT_results/*.jsonl` (id, label_true, label_pred), lists of
        predictions in the same order (`*.txt`), and `patch/SPLIT_patch.json` (id, relation: the revised
        labels). A model's name is that of its file without the ending and without `_SPLIT` at its end.
    split : which split to read from a folder.

    Returns
    -------
    A frame with `id` (text), `gold`, `gold_tacrev` and one column a model; all label columns are categorical
    with the same sorted categories.

    Raises
    ------
    FileNotFoundError : the folder lacks the results or the patch.
    MalformedRecord : a malformed line; models that differ in ids or gold labels; a list of another length; a
        patch for an id that is not there.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "table.tsv")
    ...     _ = path.write_text("id\\tgold\\tgold_tacrev\\tmine\\n0\\tper:age\\tper:age\\tno_relation\\n")
    ...     _read_tacred_predictions(path)["mine"].tolist()
    ['no_relation']
    """
    import pandas as pd

    if split not in ("test", "dev"):
        raise unknown_name("split", split, ("test", "dev"))
    path = Path(path)
    columns = _read_folder(path, split) if path.is_dir() else _read_table(path)
    labels = sorted(set().union(*(column for name, column in columns.items() if name != "id")))
    coded = {name: pd.Categorical(column, labels) for name, column in columns.items() if name != "id"}
    return pd.DataFrame({"id": columns["id"]} | coded)


def tacred_predictions(split: Split = "test") -> pd.DataFrame:
    """The predictions found on this machine: the compiled table, else a copy of the repository, `tacrev`.

    Both are looked for in the data folders (`search_folders`).

    Raises
    ------
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


def _read_table(path: Path) -> dict[str, list[str]]:
    source = open_source(path)
    if tuple(source.names[:3]) != KEY_COLUMNS:
        names, expected = ", ".join(source.names[:3]), ", ".join(KEY_COLUMNS)
        raise MalformedRecord(path, f"the first columns must be {expected}; they are {names}", 1)
    return {name: as_list(column) for name, column in source.read(source.names, "id").items()}


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
        ids = as_list(read["id"])
        true, predicted = (dict(zip(ids, read[role], strict=True)) for role in ("gold", "predicted"))
        gold = gold or true
        for name in () if gold == true else gold | true:
            here, there = (shown(key.get(name, "absent")) for key in (true, gold))
            if here != there:
                reason = f"the gold label of {shown(name)} is {here}, but {there} in the other models' files"
                raise MalformedRecord(path, reason, column="label_true")
        columns[model] = [predicted[identifier] for identifier in gold]
    for model, path in lists.items():
        columns[model] = LabelList(path, path.read_bytes()).read(["label"])["label"].tolist()
        if (size := len(columns[model])) != len(gold):
            raise MalformedRecord(path, f"{len(gold)} labels are expected, found {size}", size)

    def parse(_line: int, _number: int, record: Any) -> list[tuple[str, str]]:
        identifier, relation = string(record, "id"), string(record, "relation")
        if identifier not in gold:
            raise ValueError(f"the id {shown(identifier)} does not occur in the models' files")
        return [(identifier, relation)]

    patch = folder / "patch" / f"{split}_patch.json"
    revised = gold | dict(collect(patch, json_array(patch), parse, strict=True))
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
    first: dict[str, int] = {}

    def parse(line: int, _number: int, row: dict[str, str]) -> list[tuple[str, str]]:
        label, identifier = row["label"], row.get("id")
        if identifier is None:
            raise ValueError(f"id, tab and label are expected in place of {shown(label)}")
        check_new(first, identifier, line)
        if identifier not in key:
            raise ValueError(f"id {shown(identifier)} is not in the key")
        if label not in SEMEVAL_RELATIONS:
            raise unknown_name("relation", label, SEMEVAL_RELATIONS)
        return [(identifier, label)]

    rows = LabelList(proposals, read_file(proposals)).rows()
    answers = dict(collect(proposals, rows, parse, strict=True))
    predicted = [answers.get(identifier, SKIPPED) for identifier in key]
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
