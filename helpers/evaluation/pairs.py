"""Files of several systems on the same samples: read alike, and in the order of the first one."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import metrics
from ..core import shown
from ..data import holds_triples, read_label_columns
from ..metrics import Weighting
from .answers import Answers, settle, split_options
from .document_facts import holds_documents, read_document_sets
from .score import as_run
from .triples import Sets, check_score, read_triple_sets

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
LABELS_ONLY = ("form", "label_names", "label_set", "off_list", "mapping", "task", "negative")
DOCUMENTS_ONLY = ("counted_as", "match_entities")
OF_NO_USE = {
    "documents": (*LABELS_ONLY, "match", "normalise"),
    "triples": (*LABELS_ONLY, *DOCUMENTS_ONLY),
    "labels": ("match", *DOCUMENTS_ONLY),
}
"""What files hold → options that are not for them."""


def read_systems(
    paths: Sequence[Path | str],
    *,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    score: str = "f1",
    **options: Any,
) -> tuple[Any, ...]:
    """The files of at least two systems, as fields of `Comparison`; arguments and errors of `compare_files`.

    >>> read_systems(["a.csv"])
    Traceback (most recent call last):
    ValueError: a comparison takes at least two files, not 1
    """
    score, _ = metrics.resolve_score(score)
    metrics.scheme_names(schemes)  # refuses an unknown one before a file is read
    paths = [paths] if isinstance(paths, str | Path) else paths
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    for path in filter(as_run, paths):
        text = f"{path} is a run file, which has no samples to pair: compare --runs NAME={path}"
        raise ValueError(text)
    reading, settling, policy = split_options(options)
    of_sets = {name: policy.pop(name, None) for name in ("match", *DOCUMENTS_ONLY)}
    kind, given = _kind(paths[0], reading), options | {"negative": negative}
    if strange := [name for name in OF_NO_USE[kind] if given.get(name)]:
        raise ValueError(f"{paths[0]}: {strange[0]} is of no use with {kind}")
    answers: Sequence[Answers] = ()
    matching = ""
    if kind == "labels":
        answers = _read_labels(paths, reading, settling)
        frames, task = [each.columns.frame() for each in answers], answers[0].task
        negative = task.negative if task else negative
    else:
        check_score(score)
        normalise, match = bool(settling.get("normalise")), of_sets.pop("match") or "exact"
        if kind == "triples":
            sets, ids, matching = read_triple_sets(paths, match, normalise, **reading)
        else:
            sets, ids, matching = read_document_sets(paths, reading.get("gold_file"), **of_sets)
        frames, policy = [*map(_frame, sets, ids)], {"labels": "supported"} | policy
    files = zip(paths, frames, strict=True)
    frames = [matched(paths[0], frames[0], *file) for file in files]
    policy["negative"] = negative or None
    return [*map(str, paths)], frames, answers, matching, schemes, score, policy


def _kind(path: Path | str, reading: Mapping[str, Any]) -> str:
    """What a file holds."""
    if holds_documents(path):
        return "documents"
    columns = (reading.get(f"{role}_column") for role in ("gold", "predicted"))
    return "triples" if holds_triples(path, *columns) else "labels"


def _read_labels(
    paths: Sequence[Path | str], reading: Mapping[str, Any], settling: Mapping[str, Any]
) -> list[Answers]:
    """The answers of each file, spelt as the gold labels of the first."""
    systems: list[Answers] = []
    for path in paths:
        spellings = tuple(systems[0].columns["gold"].times()) if systems else ()
        answers = settle(read_label_columns(path, **reading), spellings=spellings, **settling)
        for remark in answers.remarks():
            logger.warning("%s: %s", path, remark)
        systems.append(answers)
    return systems


def _frame(sets: Sequence[Sets], ids: Sequence[str | None]) -> pd.DataFrame:
    """One row an item: its gold triples as text, all its sets, and its id if there is one."""
    import pandas as pd

    frame = pd.DataFrame({"gold": [str(sorted(gold)) for gold, _, _ in sets], "id": ids})
    frame["sets"] = pd.Series(list(sets), dtype=object)
    return frame.drop(columns="id") if frame["id"].isna().any() else frame


def matched(first: Path | str, a: pd.DataFrame, second: Path | str, b: pd.DataFrame) -> pd.DataFrame:
    """The second frame in the order of the samples of the first.

    Raises ValueError for other samples, and for other gold labels.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"id": ["x", "y"], "gold": ["r", "s"]})
    >>> b = pd.DataFrame({"id": ["y", "x"], "gold": ["s", "r"]})
    >>> matched("a.csv", a, "b.csv", b)["gold"].tolist()
    ['r', 's']
    """
    if "id" in a and "id" in b:
        for own, other, has, lacks in ((b, a, second, first), (a, b, first, second)):
            absent = own["id"][~own["id"].isin(other["id"])]
            if len(absent):
                missing = f"{len(absent)} of the {len(own)} ids of {has} are missing"
                raise ValueError(f"{lacks}: {missing}, the first is {shown(absent.iloc[0])}")
        b = b.set_index("id", drop=False).loc[a["id"]]
    elif len(a) != len(b):
        reason = "to be matched, both need ids"
        raise ValueError(f"{first} has {len(a)} samples, {second} has {len(b)}: {reason}")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    differs = a["gold"].astype(str).to_numpy() != b["gold"].astype(str).to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {shown(a['id'].iloc[row])}" if "id" in a else f"sample {row + 1}"
        golds = f"{shown(a['gold'].iloc[row])} in {first}, {shown(b['gold'].iloc[row])} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return b
