"""Tables of the pages that no notebook makes: claims that need no training, and measured speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import pandas as pd

from ..core import unknown_name
from ..metrics import SCHEMES
from ..reporting import TABLES_FOLDER, markdown_table, printed_decimals, read_tidy
from .audit.intervals import CONSISTENT, INCONSISTENT, NOT_DERIVABLE
from .protocols import claims_of_table_4

RATES = ("sentences/s", "FLOP/s")
"""Units of benchmarks of which more is better."""
_STATISTICS = ("perplexity", "perplexity_without_negative", "ratio")
_CORPORA = {
    "TACRED": "tacred",
    "SemEval, 19 labels": "semeval2010",
    "SemEval, 10 labels": "semeval2010-undirected",
    "ChemProt": "chemprot",
    "NYT, 24 labels": "nyt24",
    "DocRED, 699 of 1000 dev documents": "docred",
}
_SYSTEMS = {
    "SpanBERT on TACRED": ("tacred", "spanbert_tacred"),
    "KnowBERT on TACRED": ("tacred", "knowbert_wordnet_wiki_tacred"),
    "SpanBERT on revised TACRED": ("tacred-revised", "spanbert_tacred"),
    "GCN on TACRED": ("tacred", "gcn"),
    "CR-CNN on SemEval, 18 directed classes": ("semeval2010", "CR-CNN"),
}
Claimed = tuple[str, str, str, str, str]
"""A paper's item, the notebook that has it, what it is, what was published, and ours."""


def _in_a_row(values: Iterable[float], form: str) -> str:
    return " / ".join(format(value, form) for value in values)


def _counted(folder: Path) -> Iterator[Claimed]:
    """W's Table 1 and Figure 1, which prints no numbers; real systems, whose published score is micro."""
    for name, dataset in _CORPORA.items():
        rows = _rows_of(folder / "01_statistics.csv", item="Table 1", dataset=dataset).set_index("metric")
        rows = rows.loc[list(_STATISTICS)]
        like = [printed_decimals(printed) for printed in rows["published"]]
        ours = " / ".join(f"{value:.{n}f}" for value, n in zip(rows["value"], like, strict=True))
        what = f"{name}: perplexity with / without NA; ratio"
        yield "W, Table 1", "01_dataset_statistics", what, " / ".join(rows["published"]), ours
    rows = _rows_of(folder / "02_weights.csv", dataset="tacred", model="per:title").set_index("scheme")
    what = "TACRED, weight of `per:title` " + " / ".join(SCHEMES[1:])
    ours = _in_a_row(rows.loc[list(SCHEMES[1:]), "value"], ".4f")
    yield "W, Figure 1", "02_weighting_schemes", what, "a chart", ours
    for name, (dataset, model) in _SYSTEMS.items():
        rows = _rows_of(folder / "03_systems.csv", dataset=dataset, model=model).set_index("scheme")
        what, printed = f"{name}: F1 {' / '.join(SCHEMES)}", rows.loc["micro", "published"] or "–"
        ours = _in_a_row(100 * rows.loc[list(SCHEMES), "value"], ".2f")
        yield "real systems", "03_one_prediction_many_scores", what, printed, ours


def _audited(folder: Path) -> Iterator[Claimed]:
    """How many of the five printed values of p or d can follow from the printed means and SDs."""
    origins = {"p": "p from the printed means ± SD and d", "d": "d from the printed means ± SD"}
    for item in ("Table 3", "Table 4"):
        for metric, origin in origins.items():
            rows = _rows_of(folder / "10_tests.csv", item=item, metric=metric).set_index("scheme")
            rows = rows.loc[list(SCHEMES)]
            ours = f"{(rows['verdict'] == CONSISTENT).sum()} of {len(rows)} within the re-derived interval"
            what = f"{origin}, {' / '.join(SCHEMES)}"
            yield f"W, {item}", "10_audit", what, ", ".join(rows["published"]), ours


def _of_lists(folder: Path) -> Iterator[Claimed]:
    """Areas of ranked lists, per cent, which nobody published: anchored at recall 0, as RESIDE's code has it
    (we found no place where RESIDE prints it), and between the points, whole and up to the common recall."""
    notebook, path, lists = "15_distant_supervision_facts", folder / "15_facts.csv", "ranked lists"
    rows = _rows_of(path, item=lists, model="RESIDE RESIDE", metric="auc_anchored").set_index("dataset")
    what = "RESIDE on NYT10 / GIDS: AUC anchored at recall 0"
    yield "real lists", notebook, what, "–", _in_a_row(100 * rows.loc[["nyt10", "gids"], "value"], ".2f")
    what = "RESIDE / NRE CNN+ATT on NYT10: AUC between the points, whole list; up to recall 0.2"
    both = [
        _rows_of(path, item=item, dataset="nyt10", metric="auc").set_index("model")["value"]
        for item in (lists, f"{lists} up to recall 0.2")
    ]
    ours = [_in_a_row(100 * areas[["RESIDE RESIDE", "NRE CNN+ATT"]], ".2f") for areas in both]
    yield "real lists", notebook, what, "–", "; ".join(ours)
    holds = claims_of_table_4()["holds"]
    said = (f"{len(holds)} claims", f"{holds.sum()} hold")
    yield "D, Tables 2 to 5", notebook, "what the paper says of them", *said


def _verdicts(folder: Path) -> Iterator[Claimed]:
    """The audit's verdicts on all claims of a paper."""
    audit = pd.read_csv(folder / "audit.csv")
    for paper in "WR":
        counts = audit.loc[audit["paper"] == paper, "verdict"].value_counts()
        ours = [f"{counts.get(one, 0)} {one}" for one in (CONSISTENT, INCONSISTENT, NOT_DERIVABLE)]
        what = "numbers that follow from others"
        yield f"{paper}, all", "10_audit", what, f"{counts.sum()} claims", ", ".join(ours)


def _rows_of(path: Path, **where: str) -> pd.DataFrame:
    """The rows of a tidy table with these values; ValueError if there are none.

    >>> _rows_of(TABLES_FOLDER / "01_statistics.csv", dataset="tacrd")
    Traceback (most recent call last):
        ...
    ValueError: 01_statistics.csv has no row with dataset=tacrd
    """
    table = read_tidy(path)
    for column, value in where.items():
        table = table[table[column] == value]
    if table.empty:
        named = ", ".join(f"{column}={value}" for column, value in where.items())
        raise ValueError(f"{path.name} has no row with {named}")
    return table


def claims_table() -> str:
    """The claims as a Markdown table, one row a claim; notebooks link to their executed copies.

    Raises FileNotFoundError if a notebook's table is missing.

    >>> print(claims_table().splitlines()[0])
    | paper item | notebook | what | published | ours |
    """
    parts = (part(TABLES_FOLDER) for part in (_counted, _audited, _of_lists, _verdicts))
    rows = [
        (item, f"[{notebook[:2]}](notebooks/{notebook}.ipynb)", *numbers)
        for part in parts
        for item, notebook, *numbers in part
    ]
    return markdown_table(["paper item", "notebook", "what", "published", "ours"], rows)


def benchmark_table() -> str:
    """The measured ratios as Markdown, one table for what was measured together.

    Of rates (`RATES`) more is better, so their ratio is ours / theirs. Under each table stands the machine.

    >>> print(benchmark_table().splitlines()[0])
    | measurement | ours | peer | theirs | theirs / ours | required |
    """
    rows = pd.read_csv(TABLES_FOLDER / "benchmarks.csv")
    together = [rows["packages"], rows["measurement"].str.endswith(RATES)]
    parts = rows.groupby(together, sort=False)
    return "\n\n".join(_benchmarks(part, more_is_better) for (_, more_is_better), part in parts)


def _benchmarks(rows: pd.DataFrame, more_is_better: bool) -> str:
    head = ["measurement", "ours", "peer", "theirs", "theirs / ours", "required"]
    if more_is_better:
        head[4] = "ours / theirs"
    lines = []
    for row in rows.itertuples(index=False):
        what, unit = row.measurement.rsplit(", ", 1)
        numbers = [quantity(row.ours, unit), row.peer, quantity(row.theirs, unit)]
        ratios = [f"{row.ratio:.3g}" if row.ratio < 1000 else f"{row.ratio:.0f}", f"≥ {row.required:g}"]
        lines.append([what, *numbers, *ratios])
    return f"{markdown_table(head, lines)}\n\n{rows['machine'].iloc[0]}; {rows['packages'].iloc[0]}."


def quantity(value: float, unit: str) -> str:
    """A number of seconds, bytes, sentences or operations a second in a unit that suits it.

    Raises ValueError for a unit that it does not know.

    >>> quantity(0.0274, "s"), quantity(6.9e-05, "s"), quantity(1.603e8, "bytes")
    ('27.4 ms', '0.069 ms', '160 MB')
    >>> quantity(2**31, "resident bytes")
    '2.15 GB'
    >>> quantity(98.64, "sentences/s"), quantity(7.2e10, "FLOP/s")
    ('98.6 sentences/s', '72 GFLOP/s')
    """
    if unit in RATES:
        return f"{value / 1e9:.3g} G{unit}" if unit == "FLOP/s" else f"{value:.3g} {unit}"
    kind = unit.split()[-1]  # 'resident bytes', 'processor s'
    if kind == "bytes":
        return f"{value / 1e9:.3g} GB" if value >= 1e9 else f"{value / 1e6:.3g} MB"
    if kind != "s":
        raise unknown_name("unit", unit, ("s", "bytes", *RATES))
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
