"""Tidy tables of results, published | ours side by side, Markdown, and the words of sentences about numbers.

A tidy table has one number a row and says with each what it is: paper item, data set, model, seed or
aggregate, metric, scheme, interval, what was published, and the signature of the score. Runs that are missing
are missing rows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .. import RESULTS
from ..core import write_atomically
from .published import agrees, parse_printed

if TYPE_CHECKING:
    from IPython.display import Markdown

TABLES_FOLDER = RESULTS / "tables"
TIDY_KEYS = ("paper", "item", "dataset", "model", "seed_or_agg", "metric", "scheme")
TIDY_NUMBERS = ("value", "low", "high")
TIDY_COLUMNS = (*TIDY_KEYS, *TIDY_NUMBERS, "published", "signature")


def tidy(rows: pd.DataFrame | Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A tidy table: `TIDY_COLUMNS` (others follow), ordered by `TIDY_KEYS`, numbers in names by their value.

    Columns that are not given become empty, `value` excepted.

    Raises ValueError that names the row and its key: no `value` (leave the row out), or the same key twice.

    >>> tidy([{"model": "b", "value": 0.5}, {"model": "a", "value": 0.25}])["model"].tolist()
    ['a', 'b']
    """
    frame = pd.DataFrame(rows if isinstance(rows, pd.DataFrame) else list(rows))
    frame = frame.reindex(columns=list(dict.fromkeys([*TIDY_COLUMNS, *frame])))
    frame = frame.astype(dict.fromkeys(TIDY_NUMBERS, float))
    texts = [*TIDY_KEYS, "published", "signature"]
    frame[texts] = frame[texts].astype(object).fillna("").astype(str)
    _refuse(frame, frame["value"].isna(), "has no value: leave out the row of a missing run")
    _refuse(frame, frame.duplicated(list(TIDY_KEYS)), "is there twice")
    order = sorted(range(len(frame)), key=lambda i: [_natural(frame.iloc[i][key]) for key in TIDY_KEYS])
    return frame.iloc[order].reset_index(drop=True)


def _refuse(frame: pd.DataFrame, bad: pd.Series, why: str) -> None:
    if bad.any():
        index = int(bad.to_numpy().argmax())
        named = frame.iloc[index][list(TIDY_KEYS)]
        key = ", ".join(f"{name}={value}" for name, value in named.items() if value != "")
        raise ValueError(f"row {index} ({key}) {why}")


def _natural(text: str) -> list[tuple[bool, int, str]]:
    """Sort 'seed-9' before 'seed-148'."""
    parts = filter(None, re.split(r"(\d+)", text))
    return [(part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]


def write_tidy(rows: pd.DataFrame | Iterable[Mapping[str, Any]], path: Path | str) -> Path:
    """Write `tidy(rows)` as CSV, atomically, whatever the order of the rows. Returns the path.

    Numbers have eight significant digits, not decimals: a table may hold p-values of 10^-10 beside counts of
    millions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_tidy(write_tidy([{"model": "a", "value": 2e-10}], Path(folder) / "t.csv")).value.tolist()
    [2e-10]
    """
    return write_csv(tidy(rows), path)


def write_csv(frame: pd.DataFrame, path: Path | str, digits: int = 8) -> Path:
    """Write a frame as CSV, atomically, with so many significant digits. Returns the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_csv(pd.DataFrame({"share": [2 / 3]}), Path(folder) / "t.csv", digits=2).read_text()
    'share\\n0.67\\n'
    """
    return write_atomically(path, frame.to_csv(index=False, float_format=f"%.{digits}g", lineterminator="\n"))


def read_tidy(path: Path | str) -> pd.DataFrame:
    """Read a tidy table; text stays text (an empty cell is ''), `TIDY_NUMBERS` are floats (empty is NaN).

    Raises ValueError that names the file and the missing columns.
    """
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    missing = [column for column in TIDY_COLUMNS if column not in frame]
    if missing:
        raise ValueError(f"{path}: columns {', '.join(missing)} are missing")
    for column in TIDY_NUMBERS:
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
        ours = ours.drop(columns="published", errors="ignore")
        ours = ours.merge(printed, how="left", on=list(on), validate="many_to_one")
    table = ours.drop(columns=[*TIDY_NUMBERS, "published", "signature"], errors="ignore")
    table["published"] = ours["published"].fillna("").astype(str)
    table["ours"] = ours["value"].astype(float) * scale
    pairs = list(zip(table["ours"], table["published"], strict=True))
    table["difference"] = [value - parse_printed(text)[0] if text else np.nan for value, text in pairs]
    judged = [agrees(value, text) if text else None for value, text in pairs]
    return table.assign(agrees=pd.array(judged, dtype="boolean")).reset_index(drop=True)


def to_markdown(frame: pd.DataFrame, decimals: int | Mapping[str, int] = 2) -> str:
    """A frame as a Markdown table: numbers with fixed decimals, yes and no for truth, nothing for missing.

    Ours, because `DataFrame.to_markdown` needs one more package and cannot write yes, no and nothing.

    Parameters
    ----------
    decimals : of all floats, or by column (2 for columns that are not named).

    >>> print(to_markdown(pd.DataFrame({"model": ["a|b"], "f1": [0.5], "agrees": [True]})))
    | model | f1 | agrees |
    |---|---:|---|
    | a\\|b | 0.50 | yes |
    """
    types = pd.api.types
    digits = decimals if isinstance(decimals, Mapping) else dict.fromkeys(frame, decimals)
    columns = [[_shown(value, digits.get(name, 2)) for value in frame[name].astype(object)] for name in frame]
    numeric = [types.is_numeric_dtype(kind) and not types.is_bool_dtype(kind) for kind in frame.dtypes]
    return markdown_table([_shown(name) for name in frame], zip(*columns, strict=True), numeric)


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], numeric: Sequence[bool] = ()) -> str:
    """Lines of Markdown from texts that are escaped already; `numeric` columns stand at the right.

    >>> print(markdown_table(["a", "b"], [["1", "2"]]))
    | a | b |
    |---|---|
    | 1 | 2 |
    """
    rule = "|".join("---:" if right else "---" for right in numeric or [False] * len(head))
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])


def _shown(value: Any, decimals: int = 2) -> str:
    if pd.isna(value):
        return ""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float | np.floating):
        return f"{value:.{decimals}f}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def listed(names: Iterable[object], nothing: str = "none") -> str:
    """Names in a row, the last one after 'and'; `nothing` without any.

    >>> listed(["A", "B", "C"]), listed(["A", "B"]), listed(["A"]), listed([])
    ('A, B and C', 'A and B', 'A', 'none')
    """
    *first, last = [str(name) for name in names] or [nothing]
    return f"{', '.join(first)} and {last}" if first else last


def signed(points: float, decimals: int = 1) -> str:
    """A difference with its sign; a proper minus, no sign for what is printed as 0.

    >>> signed(1.26), signed(-0.71), signed(-0.04)
    ('+1.3', '−0.7', '0.0')
    """
    text = f"{points:+.{decimals}f}".replace("-", "−")
    return text[1:] if float(text[1:]) == 0 else text


def p_value(p: float) -> str:
    """A p-value as the pages print it: three decimals without the leading 0; '–' where there is none.

    >>> p_value(0.0314), p_value(0.0002), p_value(float("nan"))
    ('.031', '< .001', '–')
    """
    return "–" if pd.isna(p) else "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def from_to(values: Iterable[float], decimals: int = 1) -> str:
    """The smallest and the largest value; one number where they are printed alike.

    >>> from_to([3.21, 1.0, 2.5]), from_to([1.01, 0.99])
    ('1.0 to 3.2', '1.0')
    """
    ordered = sorted(values)
    low, high = (f"{value:.{decimals}f}".replace("-", "−") for value in (ordered[0], ordered[-1]))
    return low if low == high else f"{low} to {high}"


def answer(*parts: str | pd.DataFrame, decimals: int = 2, title: str = "Answer") -> Markdown:
    """Text and tables under a line, *Answer* or another, that opens with a click, in JupyterLab and in HTML.

    >>> print(answer("Half of them.").data)
    <details><summary><b>Answer</b></summary>
    <BLANKLINE>
    Half of them.
    <BLANKLINE>
    </details>
    >>> "| &lt;e1>fire&lt;/e1> |" in answer(pd.DataFrame({"sentence": ["<e1>fire</e1>"]})).data
    True
    """
    from IPython.display import Markdown  # a notebook has it; scoring does without

    # tags such as <e1> in a table are text: a browser would take them for elements and show nothing
    texts = [
        part if isinstance(part, str) else to_markdown(part, decimals).replace("<", "&lt;") for part in parts
    ]
    inside = "\n\n".join(texts)
    return Markdown(f"<details><summary><b>{title}</b></summary>\n\n{inside}\n\n</details>")
