"""Paper W (Harbecke et al. 2022), class weighting: Table 1 from label counts, Table 4 from our runs, and one
class in a macro average.

A test part stands for its corpus in Table 1; of DocRED it is the 699 public development documents, of a
corpus without direction (`-undirected`) the test part with its directions merged. Notebook 05 writes
`weighted_rows` to `results/tables`; from that file `weighted_table` makes what a reader wants to see.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .. import data, reporting
from ..core import NEGATIVE_NAMES, base_relation
from ..metrics import SCHEMES, Policy, average, evaluate, scheme_names
from ..runs import Run

BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in Table 4."""
PAIR = ("EM-ES", "PTR")
TRAINED_ON = {"semeval2010": "all 8,000 sentences", "semeval2010-ptr-split": "PTR's 6,507 sentences"}
"""Data set of a run file → what its models were trained on; the test set is the same."""
RARE = "Entity-Destination(e2,e1)"
"""The class with one test sentence."""
CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


def side_by_side(compared: pd.DataFrame, names: Sequence[str] = ()) -> pd.DataFrame:
    """The comparison as the paper prints it: a row a corpus, in each cell published | ours.

    >>> row = {"dataset": "tacred", "metric": "perplexity", "published": "3.31", "ours": 3.30525}
    >>> side_by_side(pd.DataFrame([row]), ["tacred"])["perplexity"].tolist()
    ['3.31 | 3.30525']
    """
    printed = reporting.load_published("W", "Table 1").query("unit != 'text'")
    text = (compared["published"] + " | ").mask(compared["published"] == "", "")
    cells = compared.assign(cell=text + compared["ours"].map("{:.6g}".format))
    order = {"index": list(names or printed["dataset"].unique()), "columns": printed["metric"].unique()}
    wide = cells.pivot(index="dataset", columns="metric", values="cell").reindex(**order)
    return wide.astype(object).fillna("")


def positive_counts(dataset: str) -> tuple[pd.Series, int]:
    """Counts of the positive classes of a test part, largest first, those that do not occur among them; and
    the number of all its samples.

    >>> counts, total = positive_counts("tacred")
    >>> counts.index[0], int(counts.iloc[0]), total
    ('per:title', 500, 15509)
    """
    splits = data.published_counts(dataset.removesuffix("-undirected"))
    counts = pd.Series(splits.get("test") or splits["dev-699"], name="support").rename_axis("relation")
    counts = counts.drop(data.TOTAL, errors="ignore")
    counts = counts.groupby(base_relation if dataset.endswith("-undirected") else str, sort=False).sum()
    positive = counts.drop(list(NEGATIVE_NAMES), errors="ignore")
    return positive.sort_values(ascending=False, kind="stable"), int(counts.sum())


def weighted_rows(
    runs: Sequence[Run], pair: tuple[str, str], intervals: pd.DataFrame, made: str = ""
) -> pd.DataFrame:
    """Tidy rows of F1 under every scheme: each run, mean and SD over seeds, and the tests of one pair.

    Parameters
    ----------
    runs : of any models and data sets. pair : the two models that are tested, second − first.
    intervals : as `resampled_intervals` gives them; their ends go with the means.
    made : how the intervals were made, for the signature.

    Returns
    -------
    A tidy table with the further columns `RUN_COLUMNS`; `published` is filled for the models of Table 4 on
    `semeval2010`. A test that is undefined (a single run) has no row.

    >>> weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame()).empty
    True
    """
    scores = reporting.per_seed(runs, reporting.scheme_scores)
    rows = [reporting.run_rows(scores, intervals).rename(columns={"score": "scheme"}).assign(metric="f1")]
    rows += [_test_rows(own, pair) for _, own in scores.groupby("dataset", sort=False)]
    rows, signatures = pd.concat(rows, ignore_index=True), []
    signed = {run.dataset: (Policy(negative=run.negative), reporting.original_table(run)) for run in runs}
    for row in rows.itertuples():
        policy, table = signed[row.dataset]
        name = row.metric if row.metric == "f1" else f"{row.metric} of f1"
        signatures.append(policy.signature(table, name, row.scheme) + ("" if pd.isna(row.low) else made))
    item = rows["dataset"].eq("semeval2010").map({True: "Table 4", False: "further data"})
    rows = rows.assign(paper="W", item=item, signature=signatures)
    keys = ["dataset", "model", "metric", "scheme", "seed_or_agg"]
    printed = _printed_cells()[[*keys, "published", "published_model"]]
    return reporting.tidy_runs(rows.merge(printed, "left", keys))


def _printed_cells() -> pd.DataFrame:
    """W's Table 4, a row a number, named as the rows of our runs are."""
    printed = reporting.load_published("W", "Table 4")
    ours = {theirs: ours for ours, theirs in BERT_EM.items()} | {"PTR - BERT_EM": "PTR - EM-ES"}
    is_test = ~printed["statistic"].isin(["mean", "sd"])
    names = {"published": printed["printed"], "published_model": printed["model"]}
    names |= {"model": printed["model"].map(ours), "metric": printed["statistic"].where(is_test, "f1")}
    return printed.assign(**names, seed_or_agg=printed["statistic"].mask(is_test, "test"))


def _test_rows(scores: pd.DataFrame, pair: tuple[str, str]) -> pd.DataFrame:
    """p, Holm's p and d of one data set under each scheme."""
    encoder = "".join(scores.loc[scores["model"] == pair[0], "encoder"].head(1))
    shared = {"dataset": scores["dataset"].iloc[0], "model": f"{pair[1]} - {pair[0]}", "encoder": encoder}
    tests = reporting.compare_models(scores, *pair).rename_axis("scheme").reset_index()
    rows = tests.melt(["scheme", "runs", "seeds"], ["p", "p_holm", "d"], "metric").dropna(subset="value")
    return rows.assign(**shared, seed_or_agg="test")


def printed_means(item: str) -> pd.DataFrame:
    """Mean ± SD as W's Table 3 or 4 prints them: index model, columns scheme.

    >>> printed_means("Table 4").loc["PTR", "macro"]
    '87.8 ± 0.5'
    """
    printed = reporting.load_published("W", item).query("statistic in ['mean', 'sd']")
    return printed.sort_values("statistic").groupby(["model", "scheme"])["printed"].agg(" ± ".join).unstack()


def weighted_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """W's Table 4, published | ours, as text: mean ± SD in per cent, then p, d and p after Holm.

    Parameters
    ----------
    rows : what `weighted_rows` gives, or `read_tidy` of its file.

    Returns
    -------
    A row for each of `SCHEMES`, then for each further scheme of `rows`. What was not printed and what
    we have no runs for is '–', an SD of a single run is left out.

    >>> weighted_table(weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame())).loc[0, "PTR ours"]
    '–'
    """
    own = rows[rows["dataset"] == dataset]
    ours = reporting.mean_sd_texts(rows, dataset, 1).reindex(list(BERT_EM)).T.droplevel("metric")
    tested = own[own["seed_or_agg"] == "test"].pivot(index="scheme", columns="metric", values="value")
    tested = tested.reindex(columns=["d", "p", "p_holm"])
    tests = tested.map("{:.2g}".format).assign(d=tested["d"].map("{:.1f}".format))
    theirs, item = printed_means("Table 4").T, reporting.load_published("W", "Table 4")
    columns = {}
    for model, name in BERT_EM.items():
        columns |= {f"{name} published": theirs[name], f"{model} ours": ours[model]}
    for name in ("d", "p"):
        printed = item[item["statistic"] == name].set_index("scheme")["printed"]
        columns |= {f"{name} published": printed, f"{name} ours": tests[name]}
    table = pd.DataFrame(columns | {"p ours, Holm": tests["p_holm"]})
    table = table.reindex(list(dict.fromkeys([*SCHEMES, *own["scheme"]]))).astype(object).fillna("–")
    return table.rename_axis("scheme").reset_index()


def class_effects(runs: Sequence[Run], label: str = RARE) -> pd.DataFrame:
    """A class in the macro-F1 of each run: dataset, model, seed, then `CLASS_EFFECTS`.

    f1 and the two macro-F1s are fractions. Without the class, mistakes that involve it stay mistakes of the
    others. Raises ValueError if a run has no such label, KeyError without a gold sample of it.

    >>> from helpers.metrics import Outcome
    >>> table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> found = class_effects([Run.from_outcome(table, dataset="d", model="m")], "b")
    >>> found[["correct", "with_class", "without_class"]].round(4).values.tolist()
    [[0.0, 0.4286, 0.8571]]
    """
    rows = []
    for run in runs:
        table = reporting.original_table(run)
        report = evaluate(table, schemes=["macro"], negative=run.negative)
        others = [name for name in report.averaged if name != label]
        own, whole = report.per_class[label], report.schemes["macro"]["f1"]
        counts = (own["support"], own["correct"], own["predicted"] - own["correct"], own["f1"])
        without = average(table, "macro", negative=run.negative, labels=others)
        rows.append((run.dataset, run.name, run.seed, *counts, whole, without))
    return pd.DataFrame(rows, columns=["dataset", "model", "seed", *CLASS_EFFECTS])
