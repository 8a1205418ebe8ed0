"""Published predictions of real systems: 52 on TACRED (ids and labels, no text), SemEval-2010 answer files.

TACRED: one compiled table, or a copy of the repository DFKI-NLP/tacrev (commit 2252b8e); both give the same
frame. SemEval: files of the official scorer (v1.2), one `id TAB label` a line. The checks are the scorer's,
but friendlier: blank lines, blanks around a cell and a last line without an end are read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
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
from .cells import as_frame
from .files import locate, search_folders
from .formats import collect, json_array, read_semeval, string
from .tables import LabelList, open_source

if TYPE_CHECKING:
    import pandas as pd

Split = Literal["test", "dev"]
KEY_COLUMNS = ("id", "gold", "gold_tacrev")
"""The columns before the models'."""


def read_tacred_predictions(path: Path | str, split: Split = "test") -> pd.DataFrame:
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
    ...     read_tacred_predictions(path)["mine"].tolist()
    ['no_relation']
    """

    import pandas as pd

    if split not in ("test", "dev"):
        raise unknown_name("split", split, ("test", "dev"))
    path = Path(path)
    columns = _read_folder(path, split) if path.is_dir() else _read_table(path)
    coded = {name: column for name, column in columns.items() if name != "id"}
    labels = sorted(set().union(*(column.cat.categories for column in coded.values())))
    return pd.DataFrame(columns | {name: column.cat.set_categories(labels) for name, column in coded.items()})


def tacred_predictions(split: Split = "test") -> pd.DataFrame:
    """The predictions found on this machine: the compiled table, else a copy of the repository, `tacrev`.

    Both are looked for in the data folders (`search_folders`).

    Raises
    ------
    MissingData : neither is there; the message says how to get them.
    ChecksumError : the table is not the registered one.
    """
    try:
        return read_tacred_predictions(locate(f"tacred/tacred_{split}_predictions.tsv.gz"), split)
    except MissingData:
        clones = [folder / "tacrev" for folder in search_folders()]
        clone = next((folder for folder in clones if (folder / "results").is_dir()), None)
        if clone is None:
            raise
    return read_tacred_predictions(clone, split)


def _read_table(path: Path) -> dict[str, pd.Series]:
    source = open_source(path)
    if tuple(source.names[:3]) != KEY_COLUMNS:
        found, expected = ", ".join(source.names[:3]), ", ".join(KEY_COLUMNS)
        raise MalformedRecord(path, f"the first columns must be {expected}; they are {found}", 1)
    frame = as_frame(source.read(source.names, "id"))
    return {name: frame[name] for name in source.names}


def _read_folder(folder: Path, split: str) -> dict[str, pd.Series]:
    import pandas as pd

    results = folder / "results" / f"{split}_results"
    tables, lists = (
        dict(sorted((path.stem.removesuffix(f"_{split}"), path) for path in results.glob(f"*.{ending}")))
        for ending in ("jsonl", "txt")
    )
    if not tables:
        raise FileNotFoundError(f"{results} holds no .jsonl file: {folder} is no copy of DFKI-NLP/tacrev")
    golds: list[pd.Series] = []
    columns: dict[str, pd.Series] = {}
    for model, path in tables.items():
        table = open_source(path).read(("id", "label_true", "label_pred"), "id")
        found = as_frame(table).set_index("id")
        golds.append(found["label_true"])
        _check_same_gold(path, golds[-1], golds[0])
        columns[model] = found["label_pred"].reindex(golds[0].index).reset_index(drop=True)
    gold = golds[0]
    columns |= {model: _read_list(path, len(gold)) for model, path in lists.items()}
    patch = _read_patch(folder / "patch" / f"{split}_patch.json", gold.index)
    revised = [patch.get(str(one), label) for one, label in gold.astype(str).items()]
    key = (gold.index.to_series(), gold, pd.Series(revised, dtype="category"))
    return {name: one.reset_index(drop=True) for name, one in zip(KEY_COLUMNS, key, strict=True)} | columns


def _check_same_gold(path: Path, true: pd.Series, gold: pd.Series) -> None:
    """Refuse a model whose ids or gold labels are not those of the first model."""
    import pandas as pd

    if not true.index.is_unique:
        twice = true.index[true.index.duplicated()][0]
        raise MalformedRecord(path, f"the id {shown(twice)} occurs twice", column="id")
    labels = pd.concat([true.astype(str), gold.astype(str)], axis=1).fillna("absent")
    for one, (mine, others) in labels[labels.iloc[:, 0] != labels.iloc[:, 1]][:1].iterrows():
        reason = f"is {shown(mine)}, but {shown(others)} in the other models' files"
        raise MalformedRecord(path, f"the gold label of {shown(one)} {reason}", column="label_true")


def _read_list(path: Path, expected: int) -> pd.Series:
    import pandas as pd

    labels = [row["label"] for _, row in LabelList(path, path.read_bytes()).rows()]
    if len(labels) != expected:
        raise MalformedRecord(path, f"{expected} labels are expected, found {len(labels)}", len(labels))
    return pd.Series(labels, dtype="category")


def _read_patch(path: Path, ids: pd.Index) -> dict[str, str]:
    """The revised labels by id."""

    def parse(_line: int, record: Any) -> list[tuple[str, str]]:
        identifier, relation = string(record, "id"), string(record, "relation")
        if identifier not in ids:
            raise ValueError(f"the id {shown(identifier)} does not occur in the models' files")
        return [(identifier, relation)]

    return dict(collect(path, json_array(path), parse, strict=True))


def read_semeval_answers(
    path: Path | str, ids: Collection[str] | None = None, labels: Collection[str] = SEMEVAL_RELATIONS
) -> dict[str, str]:
    """An answer file as a mapping from id to label, in file order.

    Parameters
    ----------
    ids : the ids that may occur (those of the key); None allows any.
    labels : the labels that may occur.

    Raises
    ------
    MalformedRecord : with the line: not `id TAB label`, an id that occurs twice or is not in `ids`, an
        unknown label.
    """
    answers: dict[str, str] = {}
    for line, row in LabelList(path, read_file(path)).rows():
        label = row["label"]
        if "id" not in row:
            raise MalformedRecord(path, f"id, tab and label are expected in place of {shown(label)}", line)
        identifier = row["id"]
        if identifier in answers:
            raise MalformedRecord(path, f"id {shown(identifier)} occurs twice", line)
        if ids is not None and identifier not in ids:
            raise MalformedRecord(path, f"id {shown(identifier)} is not in the key", line)
        if label not in labels:
            raise MalformedRecord(path, str(unknown_name("relation", label, labels)), line)
        answers[identifier] = label
    return answers


def semeval_key() -> dict[str, str]:
    """The gold labels of the official test file (2717 ids, 8001–10717).

    Raises
    ------
    MissingData, ChecksumError : the file is absent or not the registered one.
    """
    path = locate("semeval2010/TEST_FILE_FULL.TXT")
    return {sample.id: sample.relation for sample in read_semeval(path)}


def join_semeval_answers(proposals: Path | str, key: Path | str | Mapping[str, str]) -> pd.DataFrame:
    """Proposals beside the key: `id` (text), `gold` and `predicted` (categorical), one row an id of the key.

    Parameters
    ----------
    proposals : an answer file.
    key : an answer file, or a mapping from id to label such as `semeval_key()`.

    A skipped id has the prediction `SKIPPED`; it is a false negative of its gold class and no false positive.

    Raises
    ------
    MalformedRecord : as `read_semeval_answers`; an id of the proposals that is not in the key.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "proposals.txt")
    ...     _ = path.write_text("8001\\tOther\\n")
    ...     join_semeval_answers(path, {"8001": "Other", "8002": "Other"})["predicted"].tolist()
    ['Other', '(skipped)']
    """

    import pandas as pd

    gold = key if isinstance(key, Mapping) else read_semeval_answers(key)
    predicted = read_semeval_answers(proposals, ids=gold.keys())
    return pd.DataFrame(
        {
            "id": pd.Series(list(gold), dtype="str"),
            "gold": pd.Categorical(list(gold.values())),
            "predicted": pd.Categorical([predicted.get(identifier, SKIPPED) for identifier in gold]),
        }
    )


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
