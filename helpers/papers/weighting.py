"""Paper W (Harbecke et al. 2022), class weighting: Table 1 from label counts, Table 4 from our runs, one
class in a macro average; published systems of TACRED and SemEval under the schemes, from stored outcomes; how
many test samples a difference of one point needs; invented systems that show what a scheme rewards.

A test part stands for its corpus in Table 1; of DocRED it is the 699 public development documents, of a
corpus without direction (`-undirected`) the test part with its directions merged. Notebook 05 writes
`weighted_rows` to `results/tables`; from that file `weighted_table` makes what a reader wants to see.
`python -m helpers.papers.weighting` writes `results/tables/plan.csv` anew (some minutes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pandas as pd

from .. import RESULTS, data, metrics, reporting
from ..core import write_atomically
from ..evaluation import changed_answers, plan_samples, system_title
from ..metrics import SCHEMES
from ..runs import Run, list_published, load_run

BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in Table 4."""
PAIR = ("EM-ES", "PTR")
TRAINED_ON = {"semeval2010": "all 8,000 sentences", "semeval2010-ptr-split": "PTR's 6,507 sentences"}
"""Data set of a run file → what its models were trained on; the test set is the same."""
RARE = "Entity-Destination(e2,e1)"
"""The class with one test sentence."""
TEST_SETS = ("tacred", "tacred-revised", "semeval2010")
"""Test sets with published predictions."""
PUBLISHED = {"spanbert_tacred": "70.8", "knowbert_wordnet_wiki_tacred": "71.5"}
"""System → its published micro-F1 on TACRED, per cent."""
PLANNED = {
    "semeval2010": "semeval2010/EM-ES/all-MiniLM-L6-v2/seed-9.json",
    "tacred": "tacred/spanbert_tacred/published/predictions.json",
    "kbp37": "kbp37/EM-ES/all-MiniLM-L6-v2/seed-9.json",
}
"""Data set → the stored run of the system that a better one is planned beside."""
DIFFERENCE, CHANGED = 0.01, 0.1
"""The better system leads by one point, and changes a tenth of the answers."""
FREQUENT = 10
RIGHT = {"specialist": (0.93, 0.2), "generalist": (0.8, 0.8)}
"""System → how often it is right on a label with at least `FREQUENT` sentences, and on a rarer one."""
CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


def positive_counts(dataset: str) -> tuple[pd.Series, int]:
    """Counts of the positive classes of a test part, largest first, those that do not occur among them; and
    the number of all its samples.

    >>> counts, total = positive_counts("tacred")
    >>> counts.index[0], int(counts.iloc[0]), total
    ('per:title', 500, 15509)
    """
    statistics = data.dataset_statistics(dataset)
    counts = pd.Series(statistics.counts, name="support").rename_axis("relation")
    positive = counts.drop([statistics.negative], errors="ignore")
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
    signed = {run.dataset: (metrics.Policy(negative=run.negative), run.outcome()) for run in runs}
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
        table = run.outcome()
        report = metrics.evaluate(table, schemes=["macro"], negative=run.negative)
        others = [name for name in report.averaged if name != label]
        own, whole = report.per_class[label], report.schemes["macro"]["f1"]
        counts = (own["support"], own["correct"], own["predicted"] - own["correct"], own["f1"])
        without = metrics.average(table, "macro", negative=run.negative, labels=others)
        rows.append((run.dataset, run.name, run.seed, *counts, whole, without))
    return pd.DataFrame(rows, columns=["dataset", "model", "seed", *CLASS_EFFECTS])


@dataclass(frozen=True)
class Systems:
    """Systems on one test set: name → outcome; `negative` is the class that is not averaged."""

    outcomes: Mapping[str, metrics.Outcome]
    negative: str | None

    @classmethod
    def published(cls, dataset: str) -> Systems:
        """Those of one of `TEST_SETS`; of a model with several implementations the first.

        >>> {dataset: len(Systems.published(dataset).outcomes) for dataset in TEST_SETS}
        {'tacred': 52, 'tacred-revised': 52, 'semeval2010': 3}
        """
        runs = [run for run in list_published(dataset, kind="confusion") if not run.variant]
        return cls({run.model: run.outcome() for run in runs}, runs[0].negative)

    def scores(self) -> pd.DataFrame:
        """F1 of each system under each scheme, best micro first.

        >>> table = metrics.Outcome.from_columns(["a", "b", "NA"], ["a", "b", "NA"])
        >>> Systems({"perfect": table}, "NA").scores().loc["perfect"].tolist()
        [1.0, 1.0, 1.0, 1.0, 1.0]
        """
        rows = [metrics.averages(table, negative=self.negative) for table in self.outcomes.values()]
        table = pd.DataFrame(rows, list(self.outcomes), list(SCHEMES))
        return table.sort_values("micro", ascending=False)

    def flips(self) -> list[tuple[str, str]]:
        """Pairs of systems, the first better under micro, the second under macro; the widest first."""
        scores = self.scores()
        return metrics.flips(scores["micro"].to_dict(), scores["macro"].to_dict())

    def crossing(self, pairs: Sequence[tuple[str, str]]) -> tuple[pd.DataFrame, list[float]]:
        """The first of these pairs that changes places at some α: its two curves, and the α's.

        The curves have columns model, alpha, value (per cent).
        """
        for pair in pairs:
            outcomes = [self.outcomes[model] for model in pair]
            if crossings := metrics.alpha_crossings(*outcomes, negative=self.negative):
                break
        powers = [metrics.power(alpha) for alpha in metrics.ALPHAS]
        values = [100 * metrics.averages(outcome, powers, negative=self.negative) for outcome in outcomes]
        wide = pd.DataFrame(dict(zip(map(system_title, pair), values, strict=True)))
        curves = wide.assign(alpha=metrics.ALPHAS).melt("alpha", var_name="model")
        return curves[["model", "alpha", "value"]], crossings

    def left_out(self, model: str) -> pd.DataFrame:
        """By how many points the macro-F1 of a system changes without each class: relation, support, f1 (per
        cent), change.

        >>> table = metrics.Outcome.from_columns(list("aab"), list("aaa"))
        >>> Systems({"m": table}, None).left_out("m")["change"].round(1).tolist()
        [-40.0, 40.0]
        """
        table, averaged = self.outcomes[model], {"negative": self.negative}
        without = pd.Series(metrics.leave_one_class_out(table, "macro", **averaged))
        classes = pd.DataFrame(metrics.evaluate(table, **averaged).per_class).T.loc[without.index]
        rows = classes[["support", "f1"]].astype({"support": int, "f1": float}).rename_axis("relation")
        change = 100 * (without - metrics.average(table, "macro", **averaged))
        return rows.assign(f1=100 * rows["f1"], change=change).reset_index()


def paired_test(
    run: Run, replicates: int, seed: int, statistic: Callable[[metrics.Outcome], np.ndarray] | None = None
) -> pd.DataFrame:
    """The paired bootstrap of a run of two systems: difference, low, high (points) and p, a row a scheme.

    statistic : what is compared, in place of F1 under the five schemes.
    """
    pair: metrics.Outcome = run.outcome()

    def five(table: metrics.Outcome) -> np.ndarray:
        return metrics.averages(table, classes_of=pair, negative=run.negative)

    drawn = statistic or five, np.random.default_rng(seed), replicates
    test = metrics.paired_bootstrap(pair, pair.of("second"), *drawn)
    fractions = {"difference": test.value, "low": test.low, "high": test.high}
    points = {name: 100 * np.atleast_1d(values) for name, values in fractions.items()}
    index = [run.model] if statistic else list(SCHEMES)
    return pd.DataFrame(points | {"p": np.atleast_1d(test.p)}, index=index)


def invented_predictions(
    gold: pd.Series, seed: int, right: Mapping[str, tuple[float, float]] = RIGHT
) -> dict[str, pd.Series]:
    """Predictions of systems that do not exist: each right as often as `right` says, else any label.

    >>> gold = pd.Series(["a"] * 20 + ["b"] * 2)
    >>> found = invented_predictions(gold, 1)
    >>> list(found), len(found["specialist"])
    (['specialist', 'generalist'], 22)
    """
    rng, is_frequent = np.random.default_rng(seed), gold.map(gold.value_counts()) >= FREQUENT
    return {
        name: gold.where(rng.random(len(gold)) < np.where(is_frequent, *shares), rng.permutation(gold))
        for name, shares in right.items()
    }


def invented_leads(
    gold: pd.Series, seeds: Iterable[int], right: Mapping[str, tuple[float, float]] = RIGHT
) -> pd.DataFrame:
    """F1 of the specialist minus F1 of the generalist, in points, for each seed and scheme.

    Returns columns seed, scheme, lead.

    >>> leads = invented_leads(pd.Series(["a"] * 20 + ["Other"] * 2), [1, 2])
    >>> len(leads), list(leads.columns)
    (10, ['seed', 'scheme', 'lead'])
    """
    rows = []
    for seed in seeds:
        predictions = invented_predictions(gold, seed, right).values()
        outcomes = (metrics.Outcome.from_columns(gold, predicted) for predicted in predictions)
        first, second = (metrics.averages(outcome, negative=data.NEGATIVE) for outcome in outcomes)
        rows += zip([seed] * len(SCHEMES), SCHEMES, 100 * (first - second), strict=True)
    return pd.DataFrame(rows, columns=["seed", "scheme", "lead"])


def _plan_rows(dataset: str, scheme: str) -> pd.DataFrame:
    """The sizes that were tried, a row each: `n`, `power`, `error`; with `test_n`, `needed`, `discordant`.

    `needed` has a power of 80 % (`plan_samples`); `test_n` is the size of the test set that there is.
    """
    run = load_run(RESULTS / "runs" / PLANNED[dataset])
    outcome, labels = run.outcome(), np.array(run.labels)
    roles = (labels[np.repeat(outcome.roles[role], outcome.counts)] for role in ("gold", "predicted"))
    answered = metrics.Outcome.from_columns(*(answers.tolist() for answers in roles))
    population = changed_answers(answered, scheme, DIFFERENCE, CHANGED, run.negative)
    plan = plan_samples(population, scheme, negative=run.negative)
    rows = pd.DataFrame(plan.rows, columns=["n", "power", "error"])
    head = {"dataset": dataset, "model": run.model, "scheme": scheme, "test_n": run.n, "needed": plan.needed}
    return rows.assign(**head, discordant=plan.discordant)[[*head, "discordant", *rows]]


if __name__ == "__main__":
    pairs = product(PLANNED, ("micro", "weighted", "dodrans", "macro", "accuracy"))
    table = pd.concat([_plan_rows(*pair) for pair in pairs])
    write_atomically(reporting.TABLES_FOLDER / "plan.csv", table.to_csv(index=False, float_format="%.6g"))
