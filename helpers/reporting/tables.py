"""Tidy tables of results, and published | ours side by side.

A tidy table has one number a row and says with each what it is: paper item, data set, model, seed or
aggregate, metric, scheme, interval, what was published, and the signature of the score. Runs that are missing
are missing rows. This module computes no score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.core import write_atomically

from .published import agrees, parse_printed

KEYS = ("paper", "item", "dataset", "model", "seed_or_agg", "metric", "scheme")
NUMBERS = ("value", "low", "high")
COLUMNS = (*KEYS, *NUMBERS, "published", "signature")
FLOAT_FORMAT = "%.8g"
"""Eight significant digits, not decimals: a table may hold p-values of 10^-10 beside counts of millions."""


def tidy(rows: pd.DataFrame | Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A tidy table: columns `COLUMNS` (others follow), ordered by `KEYS`, numbers in names by their value.

    Columns that are not given become empty, `value` excepted.

    Raises ValueError that names the row and its key: no `value` (leave the row out), or the same key twice.

    >>> tidy([{"model": "b", "value": 0.5}, {"model": "a", "value": 0.25}])["model"].tolist()
    ['a', 'b']
    """
    frame = pd.DataFrame(rows if isinstance(rows, pd.DataFrame) else list(rows))
    for column in COLUMNS:
        if column not in frame:
            frame[column] = np.nan if column in NUMBERS else ""
    frame = frame[[*COLUMNS, *(column for column in frame if column not in COLUMNS)]]
    frame[list(NUMBERS)] = frame[list(NUMBERS)].astype(float)
    texts = [column for column in COLUMNS if column not in NUMBERS]
    frame[texts] = frame[texts].astype(object).fillna("").astype(str)
    _refuse(frame, frame["value"].isna(), "has no value: leave out the row of a missing run")
    _refuse(frame, frame.duplicated(list(KEYS)), "is there twice")
    order = sorted(range(len(frame)), key=lambda i: [_natural(frame.iloc[i][key]) for key in KEYS])
    return frame.iloc[order].reset_index(drop=True)


def _refuse(frame: pd.DataFrame, bad: pd.Series, why: str) -> None:
    if bad.any():
        index = int(bad.to_numpy().argmax())
        key = ", ".join(f"{name}={frame.iloc[index][name]}" for name in KEYS if frame.iloc[index][name] != "")
        raise ValueError(f"row {index} ({key}) {why}")


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Sort 'seed-9' before 'seed-148'."""
    return [
        (part.isdigit(), int(part) if part.isdigit() else 0, part)
        for part in re.split(r"(\d+)", text)
        if part
    ]


def write_tidy(rows: pd.DataFrame | Iterable[Mapping[str, Any]], path: Path | str) -> Path:
    """Write `tidy(rows)` as CSV, atomically, whatever the order of the rows. Returns the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_tidy(write_tidy([{"model": "a", "value": 2e-10}], Path(folder) / "t.csv")).value.tolist()
    [2e-10]
    """
    text = tidy(rows).to_csv(index=False, float_format=FLOAT_FORMAT, lineterminator="\n")
    return write_atomically(path, text)


def read_tidy(path: Path | str) -> pd.DataFrame:
    """Read a tidy table; text stays text (an empty cell is ''), `NUMBERS` are floats (empty is NaN).

    Raises ValueError that names the file and the missing columns.
    """
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    missing = [column for column in COLUMNS if column not in frame]
    if missing:
        raise ValueError(f"{path}: columns {', '.join(missing)} are missing")
    for column in NUMBERS:
        frame[column] = pd.to_numeric(frame[column])
    return frame


def published_ours(
    ours: pd.DataFrame,
    published: pd.DataFrame | None = None,
    on: Sequence[str] = ("dataset", "model", "metric", "scheme"),
    scale: float = 1.0,
) -> pd.DataFrame:
    """What was published beside what we find.

    Parameters
    ----------
    ours : rows with `value`, and either `published` (the printed string; empty where nothing is) or, with the
        argument `published`, the columns `on`.
    published : printed numbers (`load_published`), joined by the columns `on`; only numbers that we have are
        shown.
    scale : ours times `scale` is in the printed unit, e.g. 100 for scores that are printed in per cent.

    Returns
    -------
    The columns that name the row, then published (as printed), ours (in the printed unit), difference (ours −
    published), agrees (would ours be printed like this?). Without a published number the last two are
    missing.

    Raises ValueError if a key of `published` occurs twice.

    >>> ours = pd.DataFrame({"model": ["SpanBERT"], "value": [0.70826], "published": ["70.8"]})
    >>> published_ours(ours, scale=100).round(3).values.tolist()
    [['SpanBERT', '70.8', 70.826, 0.026, True]]
    """
    if published is not None:
        printed = published[[*on, "printed"]].rename(columns={"printed": "published"})
        ours = ours.drop(columns="published", errors="ignore").merge(
            printed, how="left", on=list(on), validate="many_to_one"
        )
    names = [column for column in ours if column not in (*NUMBERS, "published", "signature")]
    table = ours[names].copy()
    table["published"] = ours["published"].fillna("").astype(str)
    table["ours"] = ours["value"].astype(float) * scale
    pairs = list(zip(table["ours"], table["published"], strict=True))
    table["difference"] = [value - parse_printed(text)[0] if text else np.nan for value, text in pairs]
    table["agrees"] = pd.array(
        [agrees(value, text) if text else None for value, text in pairs], dtype="boolean"
    )
    return table.reset_index(drop=True)


def to_markdown(frame: pd.DataFrame, decimals: int | Mapping[str, int] = 2) -> str:
    """A frame as a Markdown table: numbers with fixed decimals, yes and no for truth, nothing for missing.

    Parameters
    ----------
    decimals : of all floats, or by column (2 for columns that are not named).

    >>> print(to_markdown(pd.DataFrame({"model": ["a|b"], "f1": [0.5], "agrees": [True]})))
    | model | f1 | agrees |
    |---|---:|---|
    | a\\|b | 0.50 | yes |
    """
    digits = decimals if isinstance(decimals, Mapping) else dict.fromkeys(frame.columns, decimals)
    numeric = {name: pd.api.types.is_numeric_dtype(frame[name]) for name in frame}
    boolean = {name: pd.api.types.is_bool_dtype(frame[name]) for name in frame}
    rule = ["---:" if numeric[name] and not boolean[name] else "---" for name in frame]
    write = [_writer(digits.get(name, 2)) for name in frame]
    rows = [
        [show(value) for show, value in zip(write, row, strict=True)] for row in frame.itertuples(index=False)
    ]
    lines = [[_escaped(name) for name in frame.columns], None, *rows]
    return "\n".join(
        "|" + "|".join(rule) + "|" if line is None else f"| {' | '.join(line)} |" for line in lines
    )


def _writer(decimals: int) -> Callable[[Any], str]:
    def write(value: Any) -> str:
        if pd.isna(value):
            return ""
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        return f"{value:.{decimals}f}" if isinstance(value, float | np.floating) else _escaped(value)

    return write


def _escaped(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")
