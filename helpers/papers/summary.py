"""Published | ours on one page, from the tidy tables that the notebooks wrote; `make reproduce` ends with it.

Read are `NN_….csv`, of which rows with a published value are shown, and `audit.csv`, of which the verdicts
are counted. No score is computed and no file is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from .. import program
from ..core import check_known, naming_file
from ..reporting import TABLES_FOLDER, Printed, load_published, read_tidy
from .audit.intervals import CONSISTENT, INCONSISTENT, NOT_DERIVABLE

_NAMES = ("dataset", "model", "seed_or_agg", "metric", "scheme")
"""The columns that say what a number is, within a paper's item."""
_SHOWN = ["what", "published", "ours", "agrees"]
_JUDGED = {CONSISTENT: "yes", INCONSISTENT: "no", NOT_DERIVABLE: ""}


def summary_text(folder: Path | str = TABLES_FOLDER) -> str:
    """All published numbers that a notebook holds against its own, by paper item, and the audit's verdicts.

    Parameters
    ----------
    folder : where the tables are.

    Returns
    -------
    Lines of text, columns what | published | ours | agrees, both numbers in the printed unit. The last line
    counts the agreements, names the others, and counts what was not judged.

    Raises
    ------
    ValueError : no table at all; a file that is no tidy table; a number that cannot be compared (file and row
        are named).

    >>> import tempfile
    >>> from helpers.reporting import write_tidy
    >>> row = {"paper": "W", "item": "Table 9", "metric": "f1", "value": 0.70826, "published": "70.8"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_tidy([row], Path(folder) / "12_systems.csv")
    ...     print(summary_text(folder))
    W, Table 9 (12_systems.csv)
    what  published   ours  agrees
    f1         70.8  70.83  yes
    <BLANKLINE>
    1 of 1 published numbers agree.
    """
    folder = Path(folder)
    paths, audited = sorted(folder.glob("[0-9][0-9]_*.csv")), folder / "audit.csv"
    if not paths and not audited.is_file():
        raise ValueError(f"no tables in {folder}; this makes them: {program()} notebooks")
    rows = [row for path in paths for row in _comparisons(path)]
    table = pd.DataFrame(rows, columns=["heading", "item", *_SHOWN], dtype=object)
    parts = [f"{heading}\n{_aligned(group)}" for heading, group in table.groupby("heading", sort=False)]
    if audited.is_file():
        parts.append(_verdicts(audited))
    return "\n\n".join([*parts, _count(table)])


def _comparisons(path: Path) -> Iterator[tuple[str, str, str, str, str, str]]:
    """The rows of a tidy table with a published value as (heading, item, what, published, ours, agrees).

    What all rows of an item share goes into the heading, the rest into `what`. `ours` is in the printed unit,
    with one digit more than is printed. `agrees`: 'yes' if it would be printed like this. Rows with a
    `verdict` were judged as intervals by the audit: `ours` is the interval, and the verdict decides ('': not
    derivable). Rows that name an `encoder` are of models trained here, on another encoder than the paper's:
    not judged. A table that names neither paper nor published values, such as one of fingerprints, has no
    such rows.

    Raises ValueError that names file and row: a published value that is no number, a score that is no
    fraction, an unknown verdict, or one without its interval.
    """
    with naming_file(path):
        if not {"paper", "published"} & set(pd.read_csv(path, nrows=0)):
            return
    table = read_tidy(path)
    for (paper, item), rows in table[table["published"] != ""].groupby(["paper", "item"], sort=False):
        varying = [name for name in _NAMES if rows[name].nunique() > 1] or list(_NAMES)
        shared = [_words(rows.iloc[0], [name for name in _NAMES if name not in varying], ", ")]
        trained = sorted(set(rows.get("encoder", [])) - {""})
        shared += [f"ours on {encoder}, not judged" for encoder in trained]
        heading = ", ".join(filter(None, (paper, item, *shared))) + f" ({path.name})"
        for _, row in rows.iterrows():
            try:
                yield heading, f"{paper} {item}", _words(row, varying), row["published"], *_judged(row)
            except ValueError as error:
                raise ValueError(f"{path}, {item}, {_words(row, _NAMES)}: {error}") from error


def _words(row: pd.Series, columns: Sequence[str], between: str = " ") -> str:
    return between.join(row[column] for column in columns if row[column])


def _judged(row: pd.Series) -> tuple[str, str]:
    """Ours in the printed unit, and whether it agrees: 'yes', 'no' or, not judged, ''."""
    printed, verdict, scale = row["published"], row.get("verdict"), 1.0
    # a table with a column `unit` names the unit of its values, which is the printed one; else scores are
    # fractions, as everywhere in the project, and printed in per cent where `results/published` says so
    if not row.get("unit") and row["metric"] in _percentages():
        scale = 100.0
        if abs(row["value"]) > 1:
            problem = f"{row['metric']} has to be a fraction, or to say its unit"
            raise ValueError(f"value is {row['value']:g}: {problem}")
    if verdict:
        check_known("verdict", verdict, _JUDGED)
        ends = ("low", "high") if verdict != NOT_DERIVABLE else ()
        return " to ".join(_printed_like(row[end] * scale, printed) for end in ends), _JUDGED[verdict]
    ours = row["value"] * scale
    agreed = "" if row.get("encoder") else "yes" if Printed(printed).agrees(ours) else "no"
    return _printed_like(ours, printed), agreed


@cache
def _percentages() -> frozenset[str]:
    published = load_published()
    return frozenset(published.loc[published["unit"] == "percent", "metric"])


def _printed_like(value: float, printed: str) -> str:
    """A number with one digit more than the printed one has; whole where both are whole.

    Raises ValueError if `printed` is no number, or `value` is missing.

    >>> [_printed_like(*pair) for pair in ((70.826, "70.8"), (42.0, "42"), (2.2e-8, "10^-8"))]
    ['70.83', '42', '2.2e-08']
    """
    decimals = Printed(printed).decimals
    if pd.isna(value):
        raise ValueError(f"there is nothing to hold against {printed}")
    if "^" in printed:
        return f"{value:.1e}"
    return f"{value:.0f}" if not decimals and float(value).is_integer() else f"{value:.{decimals + 1}f}"


def _aligned(rows: pd.DataFrame) -> str:
    """Columns of text side by side, numbers to the right."""
    lines = pd.DataFrame([_SHOWN, *rows[_SHOWN].to_numpy()])
    sides = zip(lines, ("right", "left", "left", "right"), strict=True)  # where the blanks go
    columns = [lines[name].str.pad(lines[name].str.len().max(), side) for name, side in sides]
    return "\n".join("  ".join(cells).rstrip() for cells in zip(*columns, strict=True))


def _verdicts(path: Path) -> str:
    """How many claims of each paper the audit found consistent."""
    table = pd.read_csv(path, usecols=["paper", "verdict"])
    counts = pd.crosstab(table["paper"], table["verdict"]).reindex(columns=list(_JUDGED), fill_value=0)
    heading = f"The audit: claims that follow from other published numbers ({path.name})"
    said = [", ".join(f"{n} {word}" for word, n in row.items()) for _, row in counts.iterrows()]
    return "\n".join([heading, *map(": ".join, zip(counts.index, said, strict=True))])


def _count(rows: pd.DataFrame) -> str:
    """How many numbers agree, which do not, and how many were not judged."""
    agreed, wrong, left = (rows[rows["agrees"] == answer] for answer in ("yes", "no", ""))
    named = "; ".join(f"{item}: {', '.join(own['what'])}" for item, own in wrong.groupby("item", sort=False))
    said = f"{len(agreed)} of {len(agreed) + len(wrong)} published numbers agree"
    said += f"; these do not: {named}." if named else "."
    if len(left):
        are = "row is" if len(left) == 1 else "rows are"
        said += f" {len(left)} more {are} not judged: of another encoder, or not derivable."
    return said
