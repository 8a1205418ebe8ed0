"""README.md and the pages of results/, made from Jinja templates and what is stored: no number is typed.

`results/templates` has the text; `{{ … }}` in it are tables and values, by the names of `_NAMES`. `expect`
stops the making of a page whose sentence the numbers no longer bear out. A test holds the pages to this
module.
"""

from __future__ import annotations

import itertools
import math
from functools import cache
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import RESULTS, ROOT, experiments, metrics, reporting, runs
from ..charts import BLUE, ORANGE, bar_chart, dumbbell_chart, forest_chart, save_figure, slope_chart
from ..core import unknown_name, write_atomically
from ..data import find_dataset
from ..models import EMBEDDED
from ..notebooks import notebook_paths, read_contract
from . import direction, distant, findings, graphs, multilabel, protocols, weighting

TEMPLATES = RESULTS / "templates"
PAGES = {"README.md": "landing.md", "docs/which_score.md": "which_score.md"} | {
    f"results/{name}.md": f"{name}.md" for name in ("README", "findings", "studies", "speed", "items")
}
"""Page → its template."""
SHOWN = {"EM-C": "trained on\nthe sentences", "EM-C-M": "trained on\nboth directions"}
SETS = {"performance_original": "test sentences", "performance_paired": "entities exchanged"}
EXAMPLE = ROOT / "examples" / "predictions.csv"


def _notebooks_markdown() -> str:
    """The core notebooks, each with the question of its first cell and the minutes to read it, then links to
    the others; to the executed copies.

    >>> _notebooks_markdown().splitlines()[2].split(" | ")[0]
    '| [00 · Start here](results/notebooks/00_start_here.ipynb)'
    """
    contracts = pd.DataFrame({path.name: read_contract(path) for path in notebook_paths()}).T
    links = "[" + contracts["title"] + "](results/notebooks/" + contracts.index + ")"
    is_core = contracts.index < "08"
    core = pd.DataFrame({"core path": links, "question": contracts["Question"]})[is_core]
    minutes = contracts["You need"].str.extract(r"(\d+) minutes to read", expand=False)[is_core]
    core[f"minutes to read, {minutes.astype(int).sum()} in all"] = minutes
    return f"{reporting.to_markdown(core)}\n\nReference: {' · '.join(links[~is_core])}."


def _expect(holds: bool, said: str) -> str:
    """Nothing, or ValueError: the sentence `said` is no longer true of what is stored."""
    if not holds:
        raise ValueError(f"no longer true of the stored results: {said}")
    return ""


def _lines_with(table: str, text: str) -> str:
    """Of a Markdown table the head and the rows that contain a text.

    >>> print(_lines_with("| a |\\n|---|\\n| x |\\n| y |", "y"))
    | a |
    |---|
    | y |
    """
    head, rows = table.splitlines()[:2], table.splitlines()[2:]
    return "\n".join(head + [row for row in rows if text in row])


def _mean(model: str, score: str, dataset: str = "semeval2010") -> float:
    """Mean over the stored standard runs of A (performance_original), B, PD, PIR or PPR, per cent.

    >>> 84 < _mean("EM-C", "performance_original") < 86
    True
    """
    stored = runs.list_runs(dataset, encoder=EMBEDDED, profile="standard", split="test", variant="")
    return float(direction.run_frame(stored, "name", score).groupby("name")[score].mean()[model])


def _study_mean(study: str, setting: str, score: str) -> float:
    """Mean over the seeds of a study's setting, per cent; KeyError for a setting without runs."""
    scores = direction.study_scores(study)
    return 100 * float(scores[scores["score"] == score].groupby("setting")["value"].mean()[setting])


@cache
def _turned() -> tuple[int, int]:
    """Of the 52 published systems on TACRED: pairs in all, pairs that micro and macro order differently.

    >>> _turned()[0]
    1326
    """
    systems = weighting.Systems.published("tacred")
    return math.comb(len(systems.outcomes), 2), len(systems.flips())


def _printed(paper: str, item: str, **where: str) -> str:
    """A number as a paper prints it."""
    return str(reporting.Cell.find(reporting.load_published(paper, item), **where).printed)


def _finding(family: str, label: str, profile: str = "standard") -> Any:
    """One finding by its family and label: its row of `stored_findings`."""
    return findings.stored_findings(profile).set_index(["family", "label"]).loc[(family, label)]


def _table(name: str) -> pd.DataFrame:
    """A tidy table that a notebook wrote; FileNotFoundError if it has not.

    >>> _table("06_direction")["paper"].unique().tolist()
    ['R']
    """
    return reporting.read_tidy(reporting.TABLES_FOLDER / f"{name}.csv")


def _cells(name: str, by: str, keys: list[str], **where: str) -> pd.DataFrame:
    """Of the rows of `_table` with these values, one for each key of the column `by`; KeyError if one lacks.

    >>> where = {"item": "Table 1", "dataset": "tacred"}
    >>> _cells("01_statistics", "metric", ["perplexity", "ratio"], **where)["published"].tolist()
    ['3.31', '250']
    """
    own = _table(name)
    own = own[(own[[*where]] == [*where.values()]).all(axis=1)]
    return own.set_index(by).loc[list(keys)]


def _status_counts() -> pd.DataFrame:
    """How many items of each paper have which status: index paper, columns `findings.STATUSES`."""
    items = findings.read_items()
    count = pd.crosstab(items["paper"], items["status"])
    count = count.reindex(index=[*findings.PAPERS], columns=findings.STATUSES)
    return count.fillna(0).astype(int).rename_axis(None, axis=1)


def _gids_table() -> pd.DataFrame:
    """Systems on the test part of GIDS: the published lists, then ours, mean ± SD over seeds, in per cent."""
    names = {"auc": "AUC", "micro_f1": "best F1"}
    theirs = distant.RankedLists.published("gids").scores().assign(runs="")
    theirs["system"] += " (published)"
    theirs[list(names)] = (100 * theirs[list(names)]).map("{:.1f}".format)
    runs = distant.bag_scores(distant.bag_runs())
    order = runs.groupby("system")["auc"].mean().sort_values(ascending=False).index
    ours = reporting.cells(runs.melt("system", list(names), "score"), "system", 1).loc[order]
    both = pd.concat([theirs, ours.reset_index().assign(facts=2448)]).rename(columns=names)
    return both[["system", "facts", "AUC", "best F1", "runs"]]


GAPS = (0, 1, 2, 5, 100)
"""Bounds of the differences of clean areas, points, by which pairs of systems are grouped."""


def _close_pairs() -> pd.DataFrame:
    """Of pairs of systems, by how far apart their clean areas lie, how many the held-out areas turn, with the
    noise of the paper's rates.

    Returns columns points apart, pairs (of all draws), turned, share.
    """
    draws = experiments.stored_draws().query("strength == 1")
    held_out, manual = experiments.PROTOCOLS
    wide = 100 * draws.pivot(index="draw", columns=["protocol", "system"], values="auc")
    pairs = list(itertools.combinations(wide[manual], 2))
    clean, noisy = (np.concatenate([wide[p][a] - wide[p][b] for a, b in pairs]) for p in (manual, held_out))
    names = [f"{low} to {high}" for low, high in itertools.pairwise(GAPS)]
    groups = pd.Series(pd.cut(abs(clean), GAPS, labels=names), name="points apart")
    counted = pd.Series(clean * noisy < 0).groupby(groups, observed=True).agg(pairs="size", turned="sum")
    counted["share"] = (100 * counted["turned"] / counted["pairs"]).map("{:.0f} %".format)
    return counted.reset_index().astype({"points apart": str})


def _samples_needed() -> pd.DataFrame:
    """The stored samples that one point needs: index corpus and size of its test set, a column a scheme.

    >>> _samples_needed().columns.tolist()
    ['accuracy', 'micro', 'weighted', 'dodrans', 'macro']
    """
    rows = pd.read_csv(reporting.TABLES_FOLDER / "plan.csv").drop_duplicates(["dataset", "scheme"])
    table = rows.pivot(index=["dataset", "test_n"], columns="scheme", values="needed")
    schemes = ["accuracy", "micro", "weighted", "dodrans", "macro"]
    table = table.loc[list(weighting.PLANNED), schemes].rename(lambda name: find_dataset(name).title, level=0)
    return table.rename_axis(["corpus", "test set"]).rename_axis(columns=None)


def _with_base(table: pd.DataFrame) -> pd.DataFrame:
    """`direction_table` with our runs of profile 'base', a row below those of each model that has some."""
    where = {"encoder": experiments.BASE_ENCODER, "profile": "base", "split": "test", "variant": ""}
    base = runs.list_runs("semeval2010", **where)
    scores = reporting.per_seed(base, reporting.paired_scores, attrgetter("model"))
    own = reporting.cells(scores, "model").rename(columns=direction.NAMES)
    own = own.reset_index(names="model").assign(encoder=f"{experiments.BASE_ENCODER}, ours")
    both = pd.concat([table, own[own["model"].isin(table["model"])]])
    return both.set_index("model").loc[table["model"].unique()].reset_index()[table.columns]


RATES = ("sentences/s", "FLOP/s")
"""Units of benchmarks of which more is better."""
_QUANTITIES = {"s": ((1, "s"), (1e-3, "ms")), "bytes": ((1e9, "GB"), (1e6, "MB"))}
_QUANTITIES |= {"sentences/s": ((1, "sentences/s"),), "FLOP/s": ((1e9, "GFLOP/s"),)}


def _quantity(value: float, unit: str) -> str:
    """A number of seconds, bytes, sentences or operations a second in a unit that suits it.

    Raises ValueError for a unit that it does not know.

    >>> _quantity(0.0274, "s"), _quantity(6.9e-05, "processor s"), _quantity(1.603e8, "bytes")
    ('27.4 ms', '0.069 ms', '160 MB')
    >>> _quantity(98.64, "sentences/s"), _quantity(7.2e10, "FLOP/s")
    ('98.6 sentences/s', '72 GFLOP/s')
    """
    kind = unit.split()[-1]
    if kind not in _QUANTITIES:
        raise unknown_name("unit", unit, _QUANTITIES)
    *larger, smallest = _QUANTITIES[kind]
    size, name = next((scale for scale in larger if value >= scale[0]), smallest)
    return f"{value / size:.3g} {name}"


_MODULES = (direction, distant, experiments, findings, graphs, metrics, multilabel, protocols, reporting)
_MODULES += (runs, weighting)
_FUNCTIONS = (_notebooks_markdown, _expect, _mean, _study_mean, _turned, _printed, _finding, _table, _cells)
_FUNCTIONS += (_quantity, _status_counts, _gids_table, _close_pairs, _samples_needed, _with_base)
_NAMES = {module.__name__.rpartition(".")[2]: module for module in _MODULES}
_NAMES |= {function.__name__[1:]: function for function in _FUNCTIONS}
_NAMES |= {"pd": pd, "zip": zip, "RATES": RATES}
"""What templates may name; functions without their underscore."""


def made(page: str, templates: Path | str = TEMPLATES) -> str:
    """The text of a page, from its template.

    Raises ValueError if a sentence does not hold (`_expect`), jinja2.UndefinedError for an unknown name.
    """
    import jinja2  # comes with nbconvert; scoring does without

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates),
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
        autoescape=False,  # Markdown
    )
    environment.globals |= _NAMES
    environment.filters["lines_with"] = _lines_with
    environment.filters |= {"markdown": reporting.to_markdown, "p_value": reporting.p_value}
    return environment.get_template(PAGES[page]).render()


def _exchanged() -> pd.DataFrame:
    """What README's picture shows, per cent: A and B of EM-C's stored runs, trained on sentences and on both
    directions; the 95 % bootstrap interval is that of a single run, on average."""
    shown = [run for run in runs.list_runs("semeval2010", profile="standard") if run.name in SHOWN]
    intervals = reporting.resampled_intervals(shown, "direction").drop(columns="runs")
    scores = reporting.per_seed(shown, reporting.paired_scores).merge(intervals)
    scores = scores[scores["score"].isin(list(SETS))].astype({"seed": int})
    scores[["value", "low", "high"]] *= 100
    scores = scores.assign(model=scores["model"].map(SHOWN), set=scores["score"].map(SETS))
    return scores[["model", "set", "seed", "value", "low", "high"]]


def _example(name: str = "EM-C", seed: int = 9) -> pd.DataFrame:
    """The stored outcome of a run as a file of predictions: id, gold, predicted, paired, in a seeded order.

    >>> _example().columns.tolist()
    ['id', 'gold', 'predicted', 'paired']
    """
    stored = runs.list_runs("semeval2010", profile="standard")
    (run,) = (run for run in stored if (run.name, run.seed) == (name, seed))
    outcome, labels = run.outcome(), np.array(run.labels)
    rows = pd.DataFrame({role: labels[codes] for role, codes in outcome.roles.items()})
    rows = rows.loc[rows.index.repeat(outcome.counts)].sample(frac=1, random_state=seed)
    rows.insert(0, "id", range(1, len(rows) + 1))
    return rows


def _save_figures(folder: Path | str = ROOT / "figures") -> None:
    """Draw the figures of the pages."""
    a, b = (_mean("EM-C", score) for score in SETS)
    title = f"The model EM-C scores {a:.0f}; with the two entities exchanged, {b:.0f}"
    exchanged = _exchanged()
    bars = exchanged.groupby(["model", "set"], sort=False)[["value", "low", "high"]].mean().reset_index()
    bars["words"] = bars["value"].map("{:.0f}".format)
    bars["color"] = bars["set"].map(dict(zip(SETS.values(), (BLUE, ORANGE), strict=True)))
    words = "official macro-F1 (%); black line: 95 % interval"
    look = {"height": 0.4, "xlim": (0, 119), "xticks": [0, 50, 100]}
    figure = bar_chart(bars, title, words, "set", panel="model", **look)
    save_figure(figure, "readme", exchanged, folder)

    points = direction.study_scores("markers").query("score in ['performance_original', 'pir', 'ppr']")
    points = points.assign(score=points["score"].map(direction.NAMES), value=100 * points["value"])
    pir = points[points["score"] == "PIR"].groupby("setting")["value"].mean()
    title = f"With other markers EM-C keeps A, and PIR is {pir.min():.0f} to {pir.max():.0f}"
    heads = {"A": "A ↑", "PIR": "PIR ↓", "PPR": "PPR ↑"}
    words = "per cent; ↑: large is good, ↓: small is good\n"
    words += "A: macro-F1; PIR: did not move; PPR: right both ways"
    drawn = points.rename(columns={"setting": "row", "score": "panel"}).replace({"panel": heads})
    look = {"wrap": 20, "xlim": (-10, 116), "xticks": [0, 50, 100]}
    figure = forest_chart(drawn.assign(source="ours"), title, words, **look)
    save_figure(figure, "studies_markers", points, folder)

    plans = pd.read_csv(reporting.TABLES_FOLDER / "plan.csv")
    titles = {"semeval2010": "SemEval", "tacred": "TACRED", "kbp37": "KBP37"}
    needed = plans.drop(columns="n").drop_duplicates(["dataset", "scheme"]).replace({"dataset": titles})
    needed["words"] = (needed["needed"] / 1000).map("{:.0f}k".format)
    kinds = {"test_n": "there are", "needed": "needed for 80 % power"}
    title = "A lead of one point needs most test sentences under macro-F1"
    look = {"xscale": "log", "xlim": (800, 4e7), "xticks": [1e3, 1e5]}
    figure = dumbbell_chart(needed, kinds, title, "test sentences", "scheme", "dataset", **look)
    save_figure(figure, "which_score_power", plans, folder)
    _save_label_figures(folder)


def _save_label_figures(folder: Path | str) -> None:
    """Draw what corrected labels change: ranks on TACRED, areas on DocRED."""
    ranks = protocols.version_ranks()
    moved = (ranks.max(axis=1) - ranks.min(axis=1)).nlargest(4).index
    lines = ranks.rename_axis("line").reset_index().melt("line", var_name="x")
    lines["marked"] = lines["line"].isin([*ranks.index[ranks.eq(1).any(axis=1)], *moved])
    title = "Corrected test labels give the same 52 systems another order"
    figure = slope_chart(lines, title, "rank of 52 systems (1 is best)", 0, ranks=True)
    save_figure(figure, "studies_gold_versions", ranks, folder)

    labels = protocols.RealLabels()
    areas = labels.by_both().reset_index(names="line").replace({"protocol": protocols.TITLES})
    areas = areas.rename(columns={"protocol": "x"}).assign(marked=True)
    reversed_pairs = labels.orders().set_index("measure").loc["AUC", "pairs reversed"]
    title = f"With more complete labels {reversed_pairs} pairs of systems change places"
    figure = slope_chart(areas, title, "AUC (points); bar: 95 % interval")
    save_figure(figure, "studies_real_labels", areas, folder)


if __name__ == "__main__":  # python -m helpers.papers.page
    _save_figures()
    write_atomically(EXAMPLE, _example().to_csv(index=False))
    for page in PAGES:
        write_atomically(ROOT / page, made(page))
