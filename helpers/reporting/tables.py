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
from ..core import naming_file, write_atomically
from .published import Printed

if TYPE_CHECKING:
    from IPython.display import Markdown

TABLES_FOLDER = RESULTS / "tables"
TIDY_KEYS = ("paper", "item", "dataset", "model", "seed_or_agg", "metric", "scheme")
TIDY_NUMBERS = ("value", "low", "high")
TIDY_COLUMNS = (*TIDY_KEYS, *TIDY_NUMBERS, "published", "signature")
RUN_COLUMNS = ("encoder", "runs", "seeds", "published_model")
"""Columns of a table of runs beside the tidy ones."""


def _tidy(rows: pd.DataFrame | Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """A tidy table: `TIDY_COLUMNS` (others follow), ordered by `TIDY_KEYS`, numbers in names by their value.

    Columns that are not given become empty, `value` excepted.

    Raises ValueError that names the row and its key: no `value` (leave the row out), or the same key twice.

    >>> _tidy([{"model": "b", "value": 0.5}, {"model": "a", "value": 0.25}])["model"].tolist()
    ['a', 'b']
    """
    frame = pd.DataFrame(rows if isinstance(rows, pd.DataFrame) else list(rows))
    frame = frame.reindex(columns=list(dict.fromkeys([*TIDY_COLUMNS, *frame])))
    frame = frame.astype(dict.fromkeys(TIDY_NUMBERS, float))
    texts = [*TIDY_KEYS, "published", "signature"]
    frame[texts] = frame[texts].astype(object).fillna("").astype(str)
    _refuse(frame, frame["value"].isna(), "has no value: leave out the row of a missing run")
    _refuse(frame, frame.duplicated(list(TIDY_KEYS)), "is there twice")
    keys = [[_natural(text) for text in row] for row in frame[list(TIDY_KEYS)].to_numpy()]
    order = sorted(range(len(frame)), key=keys.__getitem__)
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
    """Write a tidy table as CSV, atomically, whatever the order of the rows. Returns the path.

    Numbers have eight significant digits, not decimals: a table may hold p-values of 10^-10 beside counts of
    millions.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     read_tidy(write_tidy([{"model": "a", "value": 2e-10}], Path(folder) / "t.csv")).value.tolist()
    [2e-10]
    """
    return write_csv(_tidy(rows), path)


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

    Raises ValueError that names the file: columns are missing, a number is none, there is no table.
    """
    with naming_file(path):
        frame = pd.read_csv(path, dtype=str, keep_default_na=False)
        if missing := [column for column in TIDY_COLUMNS if column not in frame]:
            raise ValueError(f"columns {', '.join(missing)} are missing")
        numbers = frame[list(TIDY_NUMBERS)].apply(pd.to_numeric)
    return frame.assign(**numbers)


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
    table["difference"] = [value - Printed(text).value if text else np.nan for value, text in pairs]
    judged = [Printed(text).agrees(value) if text else None for value, text in pairs]
    return table.assign(agrees=pd.array(judged, dtype="boolean")).reset_index(drop=True)


def _mean_sd(values: pd.Series, decimals: int) -> str:
    """Mean ± SD (ddof 1) as text; one value alone has no SD, none is '–'.

    >>> _mean_sd(pd.Series([1.0, 2.0, None]), 1), _mean_sd(pd.Series([2.0]), 1)
    ('1.5 ± 0.7', '2.0')
    """
    values = values.dropna()
    if values.empty:
        return "–"
    spread = f" ± {values.std(ddof=1):.{decimals}f}" if len(values) > 1 else ""
    return f"{values.mean():.{decimals}f}{spread}"


def cells(scores: pd.DataFrame, by: str, decimals: int = 2, scale: float = 100) -> pd.DataFrame:
    """Mean ± SD over runs as text: a row for each value of `by`, a column for each score, then `runs`.

    scores : as `per_seed` gives them. scale : 100 shows fractions in per cent.

    >>> two = pd.DataFrame({"model": "EM-C", "seed": [9, 148], "score": "A", "value": [0.84, 0.86]})
    >>> cells(two, "model", 1).to_dict("index")
    {'EM-C': {'A': '85.0 ± 1.4', 'runs': 2}}
    """
    groups = scores.groupby([by, "score"], sort=False)["value"]
    text = groups.agg(lambda values: _mean_sd(scale * values.astype(float), decimals)).unstack()
    counts = groups.size().groupby(level=0).max()
    rows = list(dict.fromkeys(scores[by]))
    return text.reindex(rows).rename_axis(columns=None).assign(runs=counts)


def tidy_runs(rows: pd.DataFrame) -> pd.DataFrame:
    """The tidy table of run rows with all of `RUN_COLUMNS`, also where there is no row."""
    return _tidy(rows).reindex(columns=[*TIDY_COLUMNS, *RUN_COLUMNS]).fillna({"published_model": ""})


def mean_sd_texts(rows: pd.DataFrame, dataset: str, decimals: int) -> pd.DataFrame:
    """Mean ± SD over the runs of a data set, per cent, as text: index model, columns metric and scheme.

    rows : as `tidy_runs` gives them. A single run has no SD; a score without runs is missing.

    >>> row = {"dataset": "d", "model": "m", "metric": "f1", "scheme": "micro", "seed_or_agg": "mean"}
    >>> mean_sd_texts(pd.DataFrame([row | {"value": 0.875}]), "d", 1).loc["m", ("f1", "micro")]
    '87.5'
    """
    own = rows[rows["dataset"] == dataset].set_index(["model", "metric", "scheme"])
    text = (100 * own["value"].astype(float)).map(f"{{:.{decimals}f}}".format).astype(str)
    mean, sd = (text[own["seed_or_agg"] == kind] for kind in ("mean", "sd"))
    return (mean + (" ± " + sd).reindex(mean.index, fill_value="")).unstack(["metric", "scheme"])


def forest_rows(rows: pd.DataFrame, dataset: str, panels: Mapping[tuple[str, str], str]) -> pd.DataFrame:
    """What `forest_chart` draws of a tidy table of runs: published numbers beside each of our runs, per cent.

    rows : as `tidy_runs` gives them. panels : metric and scheme → title of its panel, in order. Models
    are those that have a published number. Columns panel, row (model), source ('published' or 'ours'), value.
    """
    own = rows[rows["dataset"] == dataset]
    own = own.assign(panel=[panels.get(key) for key in zip(own["metric"], own["scheme"], strict=True)])
    own = own.dropna(subset="panel").rename(columns={"model": "row"})
    means, single = own[own["seed_or_agg"] == "mean"], own[own["seed_or_agg"].str.startswith("seed")]
    theirs = means[means["published"] != ""]
    theirs = theirs.assign(source="published", value=theirs["published"].astype(float))
    ours = pd.concat([single, means[~means["row"].isin(single["row"])]])
    ours = ours.assign(source="ours", value=100 * ours["value"])[ours["row"].isin(theirs["row"])]
    drawn = pd.concat([theirs, ours])[["panel", "row", "source", "value"]]
    order = pd.Index([*panels.values(), *theirs["row"].unique()])
    return drawn.sort_values(["panel", "row"], key=order.get_indexer, kind="stable", ignore_index=True)


def runs_named(rows: pd.DataFrame, dataset: str, models: Sequence[str]) -> str:
    """Which runs of ours a table shows: encoder and seeds of each model, in words."""
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == "mean") & rows["model"].isin(models)]
    parts = []
    for (encoder, seeds), said in own.drop_duplicates("model").groupby(["encoder", "seeds"], sort=False):
        word = "no seed" if not seeds else f"seeds {seeds}" if "," in seeds else f"seed {seeds}"
        parts.append(f"{', '.join(said['model'])}: {encoder or 'no encoder'}, {word}")
    return f"Ours: {'; '.join(parts) or 'no runs'}."


def to_markdown(frame: pd.DataFrame, decimals: int = 2) -> str:
    """A frame as a Markdown table: floats with so many decimals, yes and no for truth, nothing for missing.

    Ours, because `DataFrame.to_markdown` needs one more package and cannot write yes, no and nothing.

    >>> print(to_markdown(pd.DataFrame({"model": ["a|b"], "f1": [0.5], "agrees": [True]})))
    | model | f1 | agrees |
    |---|---:|---|
    | a\\|b | 0.50 | yes |
    """
    types = pd.api.types
    numeric = [types.is_numeric_dtype(kind) and not types.is_bool_dtype(kind) for kind in frame.dtypes]
    texts = frame.astype(object).map(_shown, decimals=decimals)
    rule = "|".join("---:" if right else "---" for right in numeric)
    head, *rows = (f"| {' | '.join(cells)} |" for cells in (map(_shown, frame), *texts.to_numpy()))
    return "\n".join([head, f"|{rule}|", *rows])


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
