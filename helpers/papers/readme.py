"""The tables of README.md and results/README.md, made from stored results: nothing in them is typed.

`filled` puts them between their marks; a test holds both pages to it. Whole tables, number by number, are
printed by `python -m helpers summary`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from .. import ROOT
from ..core import unknown_name, write_atomically
from ..evaluation import system_title
from ..metrics import averages
from ..notebooks import notebook_paths, read_contract
from ..reporting import (
    TABLES_FOLDER,
    markdown_table,
    paired_scores,
    per_seed,
    printed_decimals,
    read_tidy,
    resampled_intervals,
)
from ..reporting.figures import landing_chart, learning_rates_chart, save_figure, settings_chart
from ..runs import list_runs
from .audit import CONSISTENT, INCONSISTENT, NOT_DERIVABLE
from .bag_models import gids_markdown, noise_markdown, wiki80_markdown
from .direction import direction_markdown, table_6_markdown
from .findings import families_markdown, findings_markdown
from .graphs import graphs_markdown, leak_markdown, restriction_markdown
from .items import items_markdown, status_markdown
from .multilabel import multilabel_markdown
from .protocols import claims_of_table_4
from .studies import STUDIES, rate_scores, rates_markdown, study_markdown, study_points
from .systems import paired_test, published_runs, published_systems, score_table, widest_flips
from .weighting import PRINTED_SCHEMES, weighted_markdown

RATES = ("sentences/s", "FLOP/s")
"""Units of benchmarks of which more is better."""


class Claim(NamedTuple):
    """A row of the README's table: a paper's item, the notebook that has it, what it is, and both numbers."""

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
        rows_of(folder / "04_tests.csv", item=item, metric=metric)
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
        rows = rows_of(folder / "12_facts.csv", item=item, dataset="nyt10", metric="auc").set_index("model")
        found.append(" / ".join(f"{100 * rows.loc[system, 'value']:.2f}" for system in systems))
    return "–", "; ".join(found)


def anchored_areas(folder: Path) -> tuple[str, str]:
    """RESIDE's lists on NYT10 and GIDS: the area anchored at recall 0, as RESIDE's code has it, per cent; we
    found no place where RESIDE prints it."""
    rows = rows_of(folder / "12_facts.csv", item="ranked lists", model="RESIDE RESIDE", metric="auc_anchored")
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
            "04_audit",
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
        "12_distant_supervision_facts",
        "RESIDE on NYT10 / GIDS: AUC anchored at recall 0",
        anchored_areas,
    ),
    Claim(
        "real lists",
        "12_distant_supervision_facts",
        "RESIDE / NRE CNN+ATT on NYT10: AUC between the points, whole list; up to recall 0.2",
        partial(ranked_list, ("RESIDE RESIDE", "NRE CNN+ATT")),
    ),
    Claim("D, Tables 2 to 5", "12_distant_supervision_facts", "what the paper says of them", claims_of_d),
    Claim("W, all", "04_audit", "numbers that follow from others", partial(verdicts, "W")),
    Claim("R, all", "04_audit", "numbers that follow from others", partial(verdicts, "R")),
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


def notebooks_markdown() -> str:
    """Every notebook with its question, as its first cell asks it; links lead to the executed copies.

    >>> notebooks_markdown().splitlines()[2].split(" | ")[0]
    '| [00 · Start here](results/notebooks/00_start_here.ipynb)'
    """
    rows = []
    for path in notebook_paths():
        contract = read_contract(path)
        link = f"[{contract['title']}](results/notebooks/{path.name})"
        rows.append((link, contract.get("Question", "")))
    return markdown_table(["notebook", "question"], rows)


PAGES: dict[str, dict[str, Callable[[], str]]] = {
    "README.md": {"notebooks": notebooks_markdown, "status": status_markdown},
    "results/README.md": {
        "claims": claims_table,
        "findings": findings_markdown,
        "families": families_markdown,
        "direction": direction_markdown,
        "kbp37": partial(direction_markdown, dataset="kbp37"),
        "weighted": weighted_markdown,
        "table-vi": table_6_markdown,
        "graphs": graphs_markdown,
        "restriction": restriction_markdown,
        "leak": leak_markdown,
        "rates": rates_markdown,
        **{name: partial(study_markdown, name) for name in STUDIES},
        "multilabel": multilabel_markdown,
        "gids": gids_markdown,
        "wiki80": wiki80_markdown,
        "noise": noise_markdown,
        "benchmarks": benchmark_table,
        "items": items_markdown,
    },
}
"""Page → the marks in it and what makes the text between them."""


def filled(page: str, text: str) -> str:
    """The text of a page with its tables made anew, between their marks `<!-- name -->` and `<!-- /name -->`.

    Raises ValueError if a mark is missing.
    """
    for name, make in PAGES[page].items():
        start, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if start not in text or end not in text:
            raise ValueError(f"{page} lacks the marks {start.strip()} and {end}")
        before, rest = text.split(start, 1)
        text = f"{before}{start}{make()}\n{end}{rest.split(end, 1)[1]}"
    return text


SHOWN = {"EM-C": "trained on\nsentences", "EM-C-M": "trained on both\ndirections"}
SETS = {"performance_original": "as it is", "performance_paired": "exchanged"}
EXAMPLE = ROOT / "examples" / "predictions.csv"


def picture() -> tuple[pd.DataFrame, pd.DataFrame]:
    """What README's picture shows, per cent, from stored outcomes; intervals are 95 % bootstrap intervals.

    Left: of all pairs of the 52 TACRED systems the one that micro and macro turn widest (`widest_flips`,
    which sees no interval), its paired differences under five schemes. Right: A and B of EM-C's runs,
    trained on sentences and on both directions; the interval is that of a single run, on average.

    >>> [len(table) for table in picture()]
    [5, 20]
    """
    stored = published_runs()
    (pair, *_) = widest_flips(score_table(published_systems(stored)["tacred"], "no_relation"))[1]
    tested = paired_test(stored["tacred", "+".join(pair)], replicates=10_000, seed=1)
    scores = {
        end: 100 * averages(stored["tacred", model].outcome(), PRINTED_SCHEMES, negative="no_relation")
        for end, model in zip(("score_first", "score_second"), pair, strict=True)
    }
    first, second = map(system_title, pair)
    lead = tested.loc[list(PRINTED_SCHEMES)].rename_axis("scheme").reset_index()
    runs = [run for run in list_runs("semeval2010", profile="standard") if run.name in SHOWN]
    direction = per_seed(runs, paired_scores).merge(
        resampled_intervals(runs, "direction").drop(columns="runs")
    )
    direction = direction[direction["score"].isin(list(SETS))].astype({"seed": int})
    direction[["value", "low", "high"]] *= 100
    direction = direction.assign(
        model=direction["model"].map(SHOWN), set=direction["score"].map(SETS)
    )[["model", "set", "seed", "value", "low", "high"]]  # fmt: skip
    return lead.assign(first=first, second=second, **scores), direction


def example(name: str = "EM-C", seed: int = 9) -> pd.DataFrame:
    """The stored outcome of a run as a file of predictions: id, gold, predicted, paired, in a seeded order.

    >>> example().columns.tolist()
    ['id', 'gold', 'predicted', 'paired']
    """
    stored = list_runs("semeval2010", profile="standard")
    (run,) = (one for one in stored if (one.name, one.seed) == (name, seed))
    *columns, counts = zip(*run.outcome().to_rows(), strict=True)
    named = ("gold", "predicted", "paired")
    rows = pd.DataFrame(
        {name: [run.labels[place] for place in column] for name, column in zip(named, columns, strict=True)}
    )
    rows = rows.loc[rows.index.repeat(counts)].sample(frac=1, random_state=seed)
    rows.insert(0, "id", range(1, len(rows) + 1))
    return rows


def save_figures(folder: Path | str = ROOT / "figures") -> None:
    """Draw the figures of both pages: the landing picture, the rates that were tried, EM-C's markers."""
    save_figure(landing_chart(*picture()), "readme", pd.concat(picture()), folder)
    rates = rate_scores().assign(value=lambda table: 100 * table["value"])
    titles = (
        "Which learning rate, on held-out training data",
        "EM-C and its markers: A, B, PIR and PPR of each run",
    )
    save_figure(learning_rates_chart(rates, titles[0]), "studies_rates", rates, folder)
    points = study_points("markers")
    save_figure(settings_chart(points, titles[1]), "studies_markers", points, folder)


if __name__ == "__main__":  # python -m helpers.papers.readme
    save_figures()
    write_atomically(EXAMPLE, example().to_csv(index=False))
    for page in PAGES:
        write_atomically(ROOT / page, filled(page, (ROOT / page).read_text(encoding="utf-8")))
