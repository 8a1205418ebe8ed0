"""Tables of the pages that no notebook makes: claims that need no training, and measured speed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..core import unknown_name
from ..reporting import TABLES_FOLDER, markdown_table, printed_decimals, read_tidy
from .audit.intervals import CONSISTENT, INCONSISTENT, NOT_DERIVABLE
from .protocols import claims_of_table_4
from .weighting import PRINTED_SCHEMES

RATES = ("sentences/s", "FLOP/s")
"""Units of benchmarks of which more is better."""


class Claim(NamedTuple):
    """A row of the table of claims: a paper's item, the notebook that has it, what it is, both numbers."""

    item: str
    notebook: str
    what: str
    numbers: Callable[[Path], tuple[str, str]]


def table_1(dataset: str, folder: Path) -> tuple[str, str]:
    """Perplexity with and without the negative class, and the ratio, of one corpus of W's Table 1."""
    rows = rows_of(folder / "01_statistics.csv", item="Table 1", dataset=dataset).set_index("metric")
    rows = rows.loc[["perplexity", "perplexity_without_negative", "ratio"]]
    ours = [rounded(value, like) for value, like in zip(rows["value"], rows["published"], strict=True)]
    return " / ".join(rows["published"]), " / ".join(ours)


def weights(dataset: str, relation: str, folder: Path) -> tuple[str, str]:
    """Normalised weights of one class under the class-weighting schemes; the paper prints no numbers."""
    rows = rows_of(folder / "02_weights.csv", dataset=dataset, model=relation).set_index("scheme")
    return "a chart", " / ".join(f"{weight:.4f}" for weight in rows.loc[list(PRINTED_SCHEMES[1:]), "value"])


def system(dataset: str, model: str, folder: Path) -> tuple[str, str]:
    """F1 of one real system under the five schemes, in per cent; what was published is micro."""
    rows = rows_of(folder / "03_systems.csv", dataset=dataset, model=model).set_index("scheme")
    scores = " / ".join(f"{100 * value:.2f}" for value in rows.loc[list(PRINTED_SCHEMES), "value"])
    return rows.loc["micro", "published"] or "–", scores


def tests_of(item: str, metric: str, folder: Path) -> tuple[str, str]:
    """How many of the five printed values of p or d can follow from the printed means and SDs."""
    rows = (
        rows_of(folder / "10_tests.csv", item=item, metric=metric)
        .set_index("scheme")
        .loc[list(PRINTED_SCHEMES)]
    )
    fits = (rows["verdict"] == CONSISTENT).sum()
    return ", ".join(rows["published"]), f"{fits} of {len(rows)} within the re-derived interval"


def verdicts(paper: str, folder: Path) -> tuple[str, str]:
    """The audit's verdicts on all claims of a paper."""
    audit = pd.read_csv(folder / "audit.csv")
    found = audit.loc[audit["paper"] == paper, "verdict"].value_counts()
    said = [f"{found.get(verdict, 0)} {verdict}" for verdict in (CONSISTENT, INCONSISTENT, NOT_DERIVABLE)]
    return f"{found.sum()} claims", ", ".join(said)


def ranked_list(systems: tuple[str, ...], folder: Path) -> tuple[str, str]:
    """Areas of lists on NYT10 between their points, per cent: whole, and up to the common recall; nobody
    published these."""
    found = []
    for item in ("ranked lists", "ranked lists up to recall 0.2"):
        rows = rows_of(folder / "15_facts.csv", item=item, dataset="nyt10", metric="auc").set_index("model")
        found.append(" / ".join(f"{100 * rows.loc[system, 'value']:.2f}" for system in systems))
    return "–", "; ".join(found)


def anchored_areas(folder: Path) -> tuple[str, str]:
    """RESIDE's lists on NYT10 and GIDS: the area anchored at recall 0, as RESIDE's code has it, per cent; we
    found no place where RESIDE prints it."""
    rows = rows_of(folder / "15_facts.csv", item="ranked lists", model="RESIDE RESIDE", metric="auc_anchored")
    rows = rows.set_index("dataset").loc[["nyt10", "gids"]]
    return "–", " / ".join(f"{100 * value:.2f}" for value in rows["value"])


def claims_of_d(folder: Path) -> tuple[str, str]:
    """How many of D's claims about its Tables 2 to 5 and its relations hold on the printed numbers."""
    holds = claims_of_table_4()["holds"]
    return f"{len(holds)} claims", f"{holds.sum()} hold"


def rows_of(path: Path, **where: str) -> pd.DataFrame:
    """The rows of a tidy table with these values; ValueError if there are none.

    >>> rows_of(TABLES_FOLDER / "01_statistics.csv", dataset="tacrd")
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


def rounded(value: float, printed: str) -> str:
    """A value with as many decimals as the printed number.

    >>> rounded(23.3862, "23.39"), rounded(313.75, "314")
    ('23.39', '314')
    """
    return f"{value:.{printed_decimals(printed)}f}"


STATISTICS, SYSTEMS = "01_dataset_statistics", "03_one_prediction_many_scores"
PERPLEXITY, FIVE = "perplexity with / without NA; ratio", "F1 " + " / ".join(PRINTED_SCHEMES)

CLAIMS = (
    *(
        Claim("W, Table 1", STATISTICS, f"{name}: {PERPLEXITY}", partial(table_1, dataset))
        for name, dataset in {
            "TACRED": "tacred",
            "SemEval, 19 labels": "semeval2010",
            "SemEval, 10 labels": "semeval2010-undirected",
            "ChemProt": "chemprot",
            "NYT, 24 labels": "nyt24",
            "DocRED, 699 of 1000 dev documents": "docred",
        }.items()
    ),
    Claim(
        "W, Figure 1",
        "02_weighting_schemes",
        "TACRED, weight of `per:title` " + " / ".join(PRINTED_SCHEMES[1:]),
        partial(weights, "tacred", "per:title"),
    ),
    *(
        Claim("real systems", SYSTEMS, f"{name}: {FIVE}", partial(system, dataset, model))
        for name, dataset, model in (
            ("SpanBERT on TACRED", "tacred", "spanbert_tacred"),
            ("KnowBERT on TACRED", "tacred", "knowbert_wordnet_wiki_tacred"),
            ("SpanBERT on revised TACRED", "tacred-revised", "spanbert_tacred"),
            ("GCN on TACRED", "tacred", "gcn"),
            ("CR-CNN on SemEval, 18 directed classes", "semeval2010", "CR-CNN"),
        )
    ),
    *(
        Claim(
            f"W, {item}",
            "10_audit",
            f"{origin}, " + " / ".join(PRINTED_SCHEMES),
            partial(tests_of, item, metric),
        )
        for item in ("Table 3", "Table 4")
        for metric, origin in (
            ("p", "p from the printed means ± SD and d"),
            ("d", "d from the printed means ± SD"),
        )
    ),
    Claim(
        "real lists",
        "15_distant_supervision_facts",
        "RESIDE on NYT10 / GIDS: AUC anchored at recall 0",
        anchored_areas,
    ),
    Claim(
        "real lists",
        "15_distant_supervision_facts",
        "RESIDE / NRE CNN+ATT on NYT10: AUC between the points, whole list; up to recall 0.2",
        partial(ranked_list, ("RESIDE RESIDE", "NRE CNN+ATT")),
    ),
    Claim("D, Tables 2 to 5", "15_distant_supervision_facts", "what the paper says of them", claims_of_d),
    Claim("W, all", "10_audit", "numbers that follow from others", partial(verdicts, "W")),
    Claim("R, all", "10_audit", "numbers that follow from others", partial(verdicts, "R")),
)


def claims_table(folder: Path | str = TABLES_FOLDER) -> str:
    """The claims as a Markdown table, one row a claim; notebooks link to their executed copies.

    Raises FileNotFoundError if a notebook's table is missing.

    >>> print(claims_table().splitlines()[0])
    | paper item | notebook | what | published | ours |
    """
    links = (f"[{claim.notebook[:2]}](notebooks/{claim.notebook}.ipynb)" for claim in CLAIMS)
    rows = [
        (claim.item, link, claim.what, *claim.numbers(Path(folder)))
        for claim, link in zip(CLAIMS, links, strict=True)
    ]
    return markdown_table(["paper item", "notebook", "what", "published", "ours"], rows)


def benchmark_table(path: Path | str = TABLES_FOLDER / "benchmarks.csv") -> str:
    """The measured ratios as Markdown, one table for what was measured together.

    Of rates (`RATES`) more is better, so their ratio is ours / theirs. Under each table stands the machine.

    >>> print(benchmark_table().splitlines()[0])
    | measurement | ours | peer | theirs | theirs / ours | required |
    """
    rows = pd.read_csv(path)
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
