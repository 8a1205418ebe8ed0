"""Answer files of the official SemEval-2010 Task 8 scorer (v1.2): one `id TAB label` a line.

A proposals file may skip ids of the key, never have others; the scorer's own checks are made here, with file
and line. Scoring is done elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pandas as pd

from helpers.data import readers, registry
from helpers.data.errors import unknown_name
from helpers.data.records import collect, lines
from helpers.data.relations import SEMEVAL_RELATIONS

SKIPPED = "(skipped)"
"""The predicted label of a sample that a proposals file skips; it never equals a gold label."""


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

    def parse(_line: int, row: bytes) -> list[str]:
        identifier, label = _cells(row)
        if identifier in answers:
            raise ValueError(f"id {identifier!r} occurs twice")
        if ids is not None and identifier not in ids:
            raise ValueError(f"id {identifier!r} is not in the key")
        if label not in labels:
            raise unknown_name("relation", label, labels)
        answers[identifier] = label
        return [identifier]

    collect(path, lines(path), parse, strict=True)
    return answers


def _cells(row: bytes) -> tuple[str, str]:
    cells = [cell.strip() for cell in row.decode().split("\t")]
    if len(cells) != 2 or not all(cells):
        raise ValueError(f"id, tab and label are expected in place of {row.decode()[:40]!r}")
    return cells[0], cells[1]


def semeval_key() -> dict[str, str]:
    """The gold labels of the official test file (2717 ids, 8001–10717).

    Raises
    ------
    MissingData, ChecksumError : the file is absent or not the registered one.
    """
    path = registry.locate("semeval2010/TEST_FILE_FULL.TXT")
    return {sample.id: sample.relation for sample in readers.read_semeval(path)}


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
    gold = key if isinstance(key, Mapping) else read_semeval_answers(key)
    predicted = read_semeval_answers(proposals, ids=gold.keys())
    return pd.DataFrame(
        {
            "id": pd.Series(list(gold), dtype="str"),
            "gold": pd.Categorical(list(gold.values())),
            "predicted": pd.Categorical([predicted.get(identifier, SKIPPED) for identifier in gold]),
        }
    )
