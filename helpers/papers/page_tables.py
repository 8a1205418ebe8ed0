"""Tables of the pages that no notebook makes: claims that need no training, and measured speed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

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


def _values(file: str, form: str, by: str, keys: Sequence[str], **where: str) -> str:
    """Of the rows of a tidy table with these values, the numbers of some keys in a row; per cent: '%'.

    Raises ValueError if a key has no such row.

    >>> _values("01_statistics", ".2f", "metric", ["perplexity"], dataset="tacrd")
    Traceback (most recent call last):
        ...
    ValueError: 01_statistics.csv has no row with dataset=tacrd, metric=perplexity
    """
    rows = _rows(file, by, keys, **where)["value"]
    scale = 100 if form.endswith("%") else 1
    return " / ".join(f"{scale * value:{form.rstrip('%')}}" for value in rows)


def _rows(file: str, by: str, keys: Sequence[str], **where: str) -> pd.DataFrame:
    """The rows of a tidy table with these values, one for each key."""
    table = read_tidy(TABLES_FOLDER / f"{file}.csv")
    for column, value in where.items():
        table = table[table[column] == value]
    table = table.set_index(by)
    for key in keys:
        if key not in table.index:
            named = ", ".join(f"{column}={value}" for column, value in (where | {by: key}).items())
            raise ValueError(f"{file}.csv has no row with {named}")
    return table.loc[list(keys)]


def _counted() -> Iterator[Claimed]:
    """W's Table 1 and Figure 1, which prints no numbers; real systems, whose published score is micro."""
    for name, dataset in _CORPORA.items():
        rows = _rows("01_statistics", "metric", _STATISTICS, item="Table 1", dataset=dataset)
        pairs = zip(rows["value"], rows["published"], strict=True)
        ours = " / ".join(f"{value:.{printed_decimals(printed)}f}" for value, printed in pairs)
        what = f"{name}: perplexity with / without NA; ratio"
        yield "W, Table 1", "01_dataset_statistics", what, " / ".join(rows["published"]), ours
    what = "TACRED, weight of `per:title` " + " / ".join(SCHEMES[1:])
    ours = _values("02_weights", ".4f", "scheme", SCHEMES[1:], dataset="tacred", model="per:title")
    yield "W, Figure 1", "02_weighting_schemes", what, "a chart", ours
    for name, (dataset, model) in _SYSTEMS.items():
        where = {"dataset": dataset, "model": model}
        printed = _rows("03_systems", "scheme", ["micro"], **where)["published"].iloc[0]
        ours = _values("03_systems", ".2f%", "scheme", SCHEMES, **where)
        what = f"{name}: F1 {' / '.join(SCHEMES)}"
        yield "real systems", "03_one_prediction_many_scores", what, printed or "–", ours


def _audited() -> Iterator[Claimed]:
    """How many of the five printed values of p or d can follow from the printed means and SDs."""
    origins = {"p": "p from the printed means ± SD and d", "d": "d from the printed means ± SD"}
    for item, metric in product(("Table 3", "Table 4"), origins):
        rows = _rows("10_tests", "scheme", SCHEMES, item=item, metric=metric)
        ours = f"{(rows['verdict'] == CONSISTENT).sum()} of {len(rows)} within the re-derived interval"
        what = f"{origins[metric]}, {' / '.join(SCHEMES)}"
        yield f"W, {item}", "10_audit", what, ", ".join(rows["published"]), ours


def _of_lists() -> Iterator[Claimed]:
    """Areas of ranked lists, per cent, which nobody published: anchored at recall 0, as RESIDE's code has it
    (we found no place where RESIDE prints it), and between the points, whole and up to the common recall."""
    of_list = ("real lists", "15_distant_supervision_facts")
    where = {"item": "ranked lists", "model": "RESIDE RESIDE", "metric": "auc_anchored"}
    anchored = _values("15_facts", ".2f%", "dataset", ["nyt10", "gids"], **where)
    yield *of_list, "RESIDE on NYT10 / GIDS: AUC anchored at recall 0", "–", anchored
    systems, where = ["RESIDE RESIDE", "NRE CNN+ATT"], {"dataset": "nyt10", "metric": "auc"}
    items = ("ranked lists", "ranked lists up to recall 0.2")
    areas = [_values("15_facts", ".2f%", "model", systems, item=item, **where) for item in items]
    what = "RESIDE / NRE CNN+ATT on NYT10: AUC between the points, whole list; up to recall 0.2"
    yield *of_list, what, "–", "; ".join(areas)
    holds = claims_of_table_4()["holds"]
    said = (f"{len(holds)} claims", f"{holds.sum()} hold")
    yield "D, Tables 2 to 5", of_list[1], "what the paper says of them", *said


def _verdicts() -> Iterator[Claimed]:
    """The audit's verdicts on all claims of a paper."""
    audit = pd.read_csv(TABLES_FOLDER / "audit.csv")
    for paper in "WR":
        counts = audit.loc[audit["paper"] == paper, "verdict"].value_counts()
        ours = ", ".join(
            f"{counts.get(verdict, 0)} {verdict}" for verdict in (CONSISTENT, INCONSISTENT, NOT_DERIVABLE)
        )
        yield f"{paper}, all", "10_audit", "numbers that follow from others", f"{counts.sum()} claims", ours


def claims_table() -> str:
    """The claims as a Markdown table, one row a claim; notebooks link to their executed copies.

    Raises FileNotFoundError if a notebook's table is missing.

    >>> print(claims_table().splitlines()[0])
    | paper item | notebook | what | published | ours |
    """
    rows = [
        (item, f"[{notebook[:2]}](notebooks/{notebook}.ipynb)", *numbers)
        for item, notebook, *numbers in (*_counted(), *_audited(), *_of_lists(), *_verdicts())
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
        numbers = [_quantity(row.ours, unit), row.peer, _quantity(row.theirs, unit)]
        ratios = [f"{row.ratio:.3g}" if row.ratio < 1000 else f"{row.ratio:.0f}", f"≥ {row.required:g}"]
        lines.append([what, *numbers, *ratios])
    return f"{markdown_table(head, lines)}\n\n{rows['machine'].iloc[0]}; {rows['packages'].iloc[0]}."


def _quantity(value: float, unit: str) -> str:
    """A number of seconds, bytes, sentences or operations a second in a unit that suits it.

    Raises ValueError for a unit that it does not know.

    >>> _quantity(0.0274, "s"), _quantity(6.9e-05, "s"), _quantity(1.603e8, "bytes")
    ('27.4 ms', '0.069 ms', '160 MB')
    >>> _quantity(2**31, "resident bytes")
    '2.15 GB'
    >>> _quantity(98.64, "sentences/s"), _quantity(7.2e10, "FLOP/s")
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
