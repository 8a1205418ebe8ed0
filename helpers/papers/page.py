"""README.md and the pages of results/, made from Jinja templates and what is stored: no number is typed.

`results/templates` has the text; `{{ … }}` in it are the tables and values of `NAMES`. `expect` stops the
making of a page whose sentence the numbers no longer bear out. A test holds the pages to this module.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from .. import RESULTS, ROOT
from ..core import write_atomically
from ..evaluation import system_title
from ..metrics import averages
from ..models import EMBEDDED
from ..notebooks import notebook_paths, read_contract
from ..reporting import (
    find_cell,
    load_published,
    markdown_table,
    p_value,
    paired_scores,
    per_seed,
    resampled_intervals,
    to_markdown,
)
from ..reporting.figures import landing_chart, save_figure, settings_chart
from ..runs import list_runs
from .bag_models import gids_table, noise_shares, wiki80_table
from .direction import direction_markdown, table_6_markdown
from .findings import (
    families_markdown,
    finding_runs,
    findings_markdown,
    findings_table,
    folded_markdown,
)
from .graphs import (
    epoch_scores,
    graphs_markdown,
    leak_markdown,
    pair_runs,
    pair_scores,
    restriction_gains,
    restriction_markdown,
    step_shares,
    vector_scores,
)
from .items import items_markdown, status_markdown
from .multilabel import multilabel_markdown
from .page_tables import benchmark_table, claims_table
from .studies import rates_table, study_points, study_scores, study_table
from .systems import paired_test, published_runs, published_systems, score_table, widest_flips
from .weighting import PRINTED_SCHEMES, weighted_markdown

TEMPLATES = RESULTS / "templates"
PAGES = {"README.md": "landing.md"} | {
    f"results/{name}.md": f"{name}.md" for name in ("README", "findings", "studies", "speed", "items")
}
PAGES["docs/which_score.md"] = "which_score.md"
"""Page → its template."""

CORE = ("00", "01", "02", "03", "04", "05", "06", "07")
"""The notebooks to read first, in this order."""


def notebooks_markdown() -> str:
    """The core notebooks, each with the question of its first cell, then links to the others; to the executed
    copies.

    >>> notebooks_markdown().splitlines()[2].split(" | ")[0]
    '| [00 · Start here](results/notebooks/00_start_here.ipynb)'
    """
    core, reference = [], []
    for path in notebook_paths():
        contract = read_contract(path)
        link = f"[{contract['title']}](results/notebooks/{path.name})"
        if path.name[:2] in CORE:
            core.append((link, contract.get("Question", "")))
        else:
            reference.append(link)
    return markdown_table(["core path", "question"], core) + "\n\nReference: " + " · ".join(reference) + "."


def expect(holds: bool, said: str) -> str:
    """Nothing, or ValueError: the sentence `said` is no longer true of what is stored."""
    if not holds:
        raise ValueError(f"no longer true of the stored results: {said}")
    return ""


def lines_with(table: str, text: str) -> str:
    """Of a Markdown table the head and the rows that contain a text.

    >>> print(lines_with("| a |\\n|---|\\n| x |\\n| y |", "y"))
    | a |
    |---|
    | y |
    """
    head, rows = table.splitlines()[:2], table.splitlines()[2:]
    return "\n".join(head + [row for row in rows if text in row])


def mean(model: str, score: str, dataset: str = "semeval2010") -> float:
    """Mean over the stored standard runs of A (performance_original), B, PD, PIR or PPR, per cent.

    >>> 84 < mean("EM-C", "performance_original") < 86
    True
    """
    runs = list_runs(dataset, encoder=EMBEDDED, profile="standard", split="test", variant="")
    values = [paired_scores(run)[score] for run in runs if run.name == model]
    return 100 * float(pd.Series(values).mean())


def study_mean(study: str, setting: str, score: str) -> float:
    """Mean over the seeds of a study's setting, per cent; KeyError for a setting without runs."""
    scores = _study(study)
    return 100 * float(scores[scores["score"] == score].groupby("setting")["value"].mean()[setting])


_study = cache(study_scores)


@cache
def turned() -> tuple[int, int]:
    """Of the 52 published systems on TACRED: pairs in all, pairs that micro and macro order differently.

    >>> turned()[0]
    1326
    """
    scores = score_table(published_systems(published_runs())["tacred"], "no_relation")
    return math.comb(len(scores), 2), len(widest_flips(scores)[1])


def printed(paper: str, item: str, **where: str) -> str:
    """A number as a paper prints it."""
    return str(find_cell(load_published(paper, item), **where).printed)


@cache
def _findings() -> pd.DataFrame:
    return findings_table(finding_runs()).set_index(["family", "label"])


def finding(family: str, label: str) -> Any:
    """One finding by its family and label: its row of `findings_table`."""
    return _findings().loc[(family, label)]


NAMES: dict[str, Callable[..., Any]] = {
    "notebooks": notebooks_markdown,
    "status": status_markdown,
    "claims": claims_table,
    "folded": folded_markdown,
    "findings": findings_markdown,
    "families": families_markdown,
    "direction": direction_markdown,
    "weighted": weighted_markdown,
    "table_6": table_6_markdown,
    "graphs": graphs_markdown,
    "restriction": restriction_markdown,
    "leak": leak_markdown,
    "vectors": vector_scores,
    "epochs": epoch_scores,
    "gains": lambda dataset: restriction_gains(pair_scores(pair_runs(dataset))),
    "shares": lambda dataset: step_shares(pair_runs(dataset)),
    "rates": rates_table,
    "study": study_table,
    "multilabel": multilabel_markdown,
    "gids": gids_table,
    "wiki80": wiki80_table,
    "noise": noise_shares,
    "benchmarks": benchmark_table,
    "items": items_markdown,
    "expect": expect,
    "finding": finding,
    "mean": mean,
    "printed": printed,
    "study_mean": study_mean,
    "turned": turned,
}
"""What a template may call."""


def made(page: str, templates: Path | str = TEMPLATES) -> str:
    """The text of a page, from its template.

    Raises ValueError if a sentence does not hold (`expect`), jinja2.UndefinedError for an unknown name.
    """
    import jinja2  # comes with nbconvert; scoring does without

    loader = jinja2.FileSystemLoader(templates)
    environment = jinja2.Environment(
        loader=loader,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # Markdown
    )
    environment.filters |= {"lines_with": lines_with, "markdown": to_markdown, "p_value": p_value}
    return environment.get_template(PAGES[page]).render(NAMES)


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
    """Draw the figures of both pages: the landing picture, EM-C's markers."""
    save_figure(landing_chart(*picture()), "readme", pd.concat(picture()), folder)
    points = study_points("markers").query("score != 'B'")
    title = "How EM-C's markers start decides PIR, hardly A"
    save_figure(settings_chart(points, title), "studies_markers", points, folder)


if __name__ == "__main__":  # python -m helpers.papers.page
    save_figures()
    write_atomically(EXAMPLE, example().to_csv(index=False))
    for page in PAGES:
        write_atomically(ROOT / page, made(page))
