"""Paper W (Harbecke et al. 2022), class weighting: Table 4 from our runs, and one class in a macro average.

Notebook 05 writes `weighted_rows` to `results/tables`; from that file `weighted_table` makes what a reader
wants to see. The rest asks how much of a macro average is one class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from ..data import dataset_statistics, published_counts
from ..metrics import (
    SCHEMES,
    Outcome,
    Policy,
    average,
    class_weights,
    evaluate,
    leave_one_class_out,
    scheme_names,
)
from ..models import EMBEDDED
from ..reporting import (
    TABLES_FOLDER,
    compare_models,
    find_cell,
    load_published,
    mean_sd_text,
    original_table,
    per_seed,
    read_tidy,
    run_numbers,
    run_rows,
    runs_named,
    runs_with,
    scheme_scores,
    tidy_runs,
    to_markdown,
)
from ..runs import RUNS_FOLDER, Run

PRINTED_SCHEMES = ("micro", "weighted", "dodrans", "entropy", "macro")
"""The schemes that the paper printed numbers of, in its order; `scheme_names` has all that are known."""
BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in Table 4."""
CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


def class_effect(run: Run, label: str) -> dict[str, float]:
    """A class in the macro-F1 of a run: `CLASS_EFFECTS`; f1 and the two macro-F1s are fractions.

    Without the class, mistakes that involve it stay mistakes of the others. Raises ValueError if the run has
    no such label, KeyError without a gold sample of it.

    >>> from helpers.metrics import Outcome
    >>> table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> found = class_effect(Run.from_outcome(table, dataset="d", model="m"), "b")
    >>> found["correct"], round(found["with_class"], 4), round(found["without_class"], 4)
    (0, 0.4286, 0.8571)
    """
    table = original_table(run)
    report = evaluate(table, schemes=["macro"], negative=run.negative)
    others = [name for name in report.averaged if name != label]
    counts = report.per_class[label]
    found = (
        counts["support"],
        counts["correct"],
        counts["predicted"] - counts["correct"],
        counts["f1"],
        report.schemes["macro"]["f1"],
        average(table, "macro", negative=run.negative, labels=others),
    )
    return dict(zip(CLASS_EFFECTS, found, strict=True))


def single_class_effect(runs: int, classes: int) -> pd.DataFrame:
    """What a class with one test sample adds to a macro-F1 if k of the runs get it right.

    With F1 = 1 in k of the runs and 0 in the others the class adds 100·k / (runs·classes) points to the mean,
    and by itself an SD (ddof = 1) of 100 / classes · √(k·(runs − k) / (runs·(runs − 1))) points.

    Returns
    -------
    Index k = 0 … runs; columns points, sd. Raises ValueError for fewer than two runs.

    >>> single_class_effect(5, 18).round(2).loc[[0, 1, 5]].to_numpy().tolist()
    [[0.0, 0.0], [1.11, 2.48], [5.56, 0.0]]
    """
    if runs < 2:
        raise ValueError(f"runs is {runs}: a spread takes at least two")
    k = np.arange(runs + 1)
    spread = np.sqrt(k * (runs - k) / (runs * (runs - 1)))
    return pd.DataFrame({"points": 100 * k / (runs * classes), "sd": 100 / classes * spread}, index=k)


def leads_without(
    first: tuple[float, float], second: tuple[float, float], classes: int, hits: tuple[float, ...] = (0, 1)
) -> pd.DataFrame:
    """The lead second − first of two printed macro-F1s without one class, for each F1 the class may have.

    A macro-F1 m over C classes, one of them with F1 f, is (C·m − 100·f) / (C − 1) without it.

    Parameters
    ----------
    first, second : lowest and highest macro-F1 in per cent, e.g. from `rounding_interval`.
    hits : values of f.

    Returns
    -------
    Columns first, second (f of each), low, high: the lead in points.

    >>> leads_without((82.65, 82.75), (87.75, 87.85), 18).round(2).to_numpy().tolist()[1]
    [0.0, 1.0, -0.59, -0.38]
    """
    rows = []
    for f, g in product(hits, repeat=2):
        a, b = ([(classes * end - 100 * hit) / (classes - 1) for end in ends] for ends, hit in
                ((first, f), (second, g)))  # fmt: skip
        rows.append((float(f), float(g), b[0] - a[1], b[1] - a[0]))
    return pd.DataFrame(rows, columns=["first", "second", "low", "high"])


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
    scores = per_seed(runs, scheme_scores)
    rows = run_rows(scores, intervals, {scheme: ("f1", scheme) for scheme in scheme_names()})
    rows += [row for dataset in dict.fromkeys(scores["dataset"]) for row in _test_rows(scores, dataset, pair)]
    signed = {run.dataset: (Policy(negative=run.negative), original_table(run)) for run in runs}
    for row in rows:
        policy, table = signed[row["dataset"]]
        name = row["metric"] if row["metric"] == "f1" else f"{row['metric']} of f1"
        row["signature"] = policy.signature(table, name, row["scheme"]) + (made if "low" in row else "")
        row |= {"paper": "W", "item": "Table 4" if row["dataset"] == "semeval2010" else "further data"}
    return tidy_runs(rows, _printed())


def _test_rows(scores: pd.DataFrame, dataset: str, pair: tuple[str, str]) -> list[dict]:
    own = scores[scores["dataset"] == dataset]
    encoder = "".join(own.loc[own["model"] == pair[0], "encoder"].head(1))
    shared = {"dataset": dataset, "model": f"{pair[1]} - {pair[0]}", "encoder": encoder}
    shared["seed_or_agg"] = "test"
    return [
        shared | {"metric": name, "scheme": scheme, "value": test[name]} | test[["runs", "seeds"]].to_dict()
        for scheme, test in compare_models(own, *pair).iterrows()
        for name in ("p", "p_holm", "d")
        if not pd.isna(test[name])
    ]


def _printed() -> dict[tuple[str, ...], tuple[str, str, str]]:
    """Table 4 for `tidy_runs`."""
    ours = {theirs: ours for ours, theirs in BERT_EM.items()} | {"PTR - BERT_EM": "PTR - EM-ES"}
    found = {}
    for row in load_published("W", "Table 4").itertuples():
        names = ("f1", row.statistic) if row.statistic in ("mean", "sd") else (row.statistic, "test")
        key = (row.dataset, ours[row.model], names[0], row.scheme, names[1])
        found[key] = (row.printed, row.model, "Table 4")
    return found


def weighted_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """W's Table 4, published | ours, as text: mean ± SD in per cent, then p, d and p after Holm.

    Parameters
    ----------
    rows : what `weighted_rows` gives, or `read_tidy` of its file.

    Returns
    -------
    A row for each of `PRINTED_SCHEMES`, then for each further scheme of `rows`. What was not printed and what
    we have no runs for is '–', an SD of a single run is left out.

    >>> weighted_table(weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame())).loc[0, "PTR ours"]
    '–'
    """
    ours = run_numbers(rows, dataset)
    printed = {key[1:]: text for key, (text, *_) in _printed().items()}
    pair, lines = "PTR - EM-ES", []
    for scheme in dict.fromkeys([*PRINTED_SCHEMES, *(key[2] for key in ours)]):
        line = {"scheme": scheme}
        for model, theirs in BERT_EM.items():
            found = [printed.get((model, "f1", scheme, kind)) for kind in ("mean", "sd")]
            line[f"{theirs} published"] = " ± ".join(found) if all(found) else "–"
            line[f"{model} ours"] = mean_sd_text(ours, (model, "f1", scheme), 1)
        tests = {name: ours.get((pair, name, scheme, "test")) for name in ("d", "p", "p_holm")}
        shown = {n: "–" if v is None else f"{v:.1f}" if n == "d" else f"{v:.2g}" for n, v in tests.items()}
        for name in ("d", "p"):
            line[f"{name} published"] = printed.get((pair, name, scheme, "test"), "–")
            line[f"{name} ours"] = shown[name]
        lines.append(line | {"p ours, Holm": shown["p_holm"]})
    return pd.DataFrame(lines)


def weighted_markdown(folder: Path | str = TABLES_FOLDER) -> str:
    """W's Table 4, published | ours, for the README; FileNotFoundError if notebook 05 has not written it."""
    rows = read_tidy(Path(folder) / "05_weighted_f1.csv").query("scheme in @PRINTED_SCHEMES")
    return f"{to_markdown(weighted_table(rows))}\n\n{runs_named(rows, 'semeval2010', list(BERT_EM))}"


TRAINED_ON = {"semeval2010": "all 8,000 sentences", "semeval2010-ptr-split": "PTR's 6,507 sentences"}
"""Data set of a run file → what its models were trained on; the test set is the same."""
PAIR = ("EM-ES", "PTR")
RARE = "Entity-Destination(e2,e1)"
"""The class with one test sentence."""
CLASSES = 18


def table_4_runs(encoder: str = EMBEDDED, folder: Path | str = RUNS_FOLDER) -> list[Run]:
    """The runs of profile standard on both training sets; those without an encoder, too.

    Raises ValueError for an encoder that no run has.

    >>> table_4_runs(folder="no-such-folder")
    []
    """
    return runs_with(encoder, TRAINED_ON, folder)


def _scores(runs: Sequence[Run]) -> pd.DataFrame:
    found = per_seed(runs, scheme_scores)
    return found.assign(value=100 * found["value"].astype(float))


def pair_tests(runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """`compare_models` of `PAIR` for each training set that has runs of both.

    >>> pair_tests([])
    {}
    """
    scores = _scores(runs)
    tables = {name: compare_models(scores[scores["dataset"] == name], *PAIR) for name in TRAINED_ON}
    return {name: table.loc[list(PRINTED_SCHEMES)] for name, table in tables.items() if len(table)}


def leads_table(tests: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """PTR − EM-ES under each scheme: published, and ours by training set; `tests` from `pair_tests`."""
    printed = load_published("W", "Table 4").query("statistic == 'mean'")
    means = printed.pivot(index="scheme", columns="model", values="value")
    rows = {"published": means["PTR"] - means["BERT_EM"]}
    rows |= {f"ours, {TRAINED_ON[name]}": table["difference"] for name, table in tests.items()}
    return pd.DataFrame(rows).T[list(PRINTED_SCHEMES)].rename_axis("PTR − EM-ES, points")


def printed_macro() -> dict[str, tuple[float, float]]:
    """Mean and SD of macro-F1 that Table 4 prints, by model.

    >>> printed_macro()
    {'BERT_EM': (82.7, 0.4), 'PTR': (87.8, 0.5)}
    """
    table = load_published("W", "Table 4")
    return {
        model: tuple(
            find_cell(table, model=model, scheme="macro", statistic=kind).value for kind in ("mean", "sd")
        )
        for model in BERT_EM.values()
    }


def lead_cases() -> pd.DataFrame:
    """What is left of PTR's printed lead in macro-F1 for each F1 that the rare class may have."""
    table = load_published("W", "Table 4")
    ends = [
        find_cell(table, model=model, scheme="macro", statistic="mean").interval for model in BERT_EM.values()
    ]
    names = {"first": "F1 of the class, BERT_EM", "second": "F1 of the class, PTR"}
    names |= {"low": "lead of PTR without it, from", "high": "to"}
    return leads_without(*ends, classes=CLASSES, hits=(0, 2 / 3, 1)).rename(columns=names)


def rare_class_table(runs: Sequence[Run], label: str = RARE) -> pd.DataFrame:
    """In how many runs of each model the sentence of a class is right, and its false alarms."""
    found = per_seed(runs, lambda run: class_effect(run, label))
    wide = found.pivot(index=["dataset", "model", "seed"], columns="score", values="value").reset_index()
    wide = wide.astype({"correct": int, "false_alarms": int})
    groups = wide.groupby(["dataset", "model"], sort=False)
    table = groups.agg(
        runs=("correct", "size"), right=("correct", "sum"), false_alarms=("false_alarms", "sum")
    )
    table = table.reset_index().rename(columns={"false_alarms": "false alarms"})
    table.insert(0, "trained on", table.pop("dataset").map(TRAINED_ON))
    return table


def reversal_table(runs: Sequence[Run], label: str = RARE) -> pd.DataFrame:
    """Macro-F1 with and without a class, per cent: what is printed and what follows from it, and each run.

    The printed means are taken without the class as if BERT_EM missed its sentence and PTR got it.
    """
    effect = per_seed([run for run in runs if run.model in PAIR], lambda run: class_effect(run, label))
    wide = effect.pivot(index=["dataset", "model", "seed"], columns="score", values="value")
    ours = (100 * wide[["with_class", "without_class"]].astype(float)).reset_index()
    ours = ours.assign(panel="ours, " + ours["dataset"].map(TRAINED_ON)).rename(columns={"seed": "run"})
    printed = [mean for mean, _ in printed_macro().values()]
    theirs = pd.DataFrame({"panel": "published, and what follows", "model": BERT_EM.values(), "run": 0})
    theirs = theirs.assign(with_class=printed)
    theirs["without_class"] = (CLASSES * theirs["with_class"] - [0, 100]) / (CLASSES - 1)
    columns = ["panel", "model", "run", "with_class", "without_class"]
    return pd.concat([theirs[columns], ours[columns]], ignore_index=True)


def left_out_table(runs: Sequence[Run], dataset: str = "semeval2010") -> pd.DataFrame:
    """The lead of PTR in macro-F1 without each class: relation, support, lead; largest class first."""
    own = [run for run in runs if run.dataset == dataset]
    scores = per_seed(
        own, lambda run: leave_one_class_out(original_table(run), "macro", negative=run.negative)
    )
    leads = 100 * compare_models(scores, *PAIR)["difference"]
    table = original_table(own[0])
    support = dict(zip(table.labels, map(int, table.per_class().gold), strict=True))
    found = pd.DataFrame({"relation": leads.index, "support": leads.index.map(support), "lead": leads.values})
    return found.sort_values("support", ascending=False, ignore_index=True)


def lead_rows(rows: pd.DataFrame, leads: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """PTR − EM-ES under each scheme for `forest_chart`, points: as published, and seed by seed.

    rows : of `weighted_rows`. leads : of `leads_table`.
    """
    own = rows[(rows["dataset"] == dataset) & (rows["metric"] == "f1")]
    seeds = own[own["seed_or_agg"].str.startswith("seed-")]
    wide = seeds.pivot(index=["scheme", "seed_or_agg"], columns="model", values="value")
    ours = (100 * (wide["PTR"] - wide["EM-ES"])).dropna().droplevel("seed_or_agg")
    both = pd.concat({"published": leads.loc["published"], "ours": ours}, names=["source", "row"])
    return both.rename("value").reset_index().assign(panel="")


def ranked_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """All models of `weighted_rows` under all schemes, means in per cent, best micro first."""
    own = rows[(rows["dataset"] == dataset) & (rows["metric"] == "f1") & (rows["seed_or_agg"] == "mean")]
    wide = 100 * own.pivot(index="model", columns="scheme", values="value").reindex(columns=PRINTED_SCHEMES)
    counts = own.drop_duplicates("model").set_index("model")["runs"].astype(int)
    return wide.sort_values("micro", ascending=False).rename_axis(columns=None).assign(runs=counts)


def interval_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """What `interval_chart` draws, per cent, in the order of `ranked_table`; no models without hits."""
    ranked = ranked_table(rows, dataset)
    own = rows[(rows["dataset"] == dataset) & (rows["metric"] == "f1") & (rows["seed_or_agg"] == "mean")]
    order = [(model, scheme) for model in ranked[ranked["micro"] > 0].index for scheme in PRINTED_SCHEMES]
    found = own.set_index(["model", "scheme"]).loc[order, ["value", "low", "high", "runs"]].reset_index()
    return found.assign(**{name: 100 * found[name] for name in ("value", "low", "high")})


def doubts_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """SD over test sets (95 % interval / 3.92) and over seeds of `PAIR`, points, a row a model and scheme."""
    own = rows[(rows["dataset"] == dataset) & (rows["metric"] == "f1") & rows["model"].isin(PAIR)]
    mean, sd = (own[own["seed_or_agg"] == kind].set_index(["model", "scheme"]) for kind in ("mean", "sd"))
    width = 100 * (mean["high"] - mean["low"])
    doubts = {"SD over test sets": width / 3.92, "SD over seeds": 100 * sd["value"]}
    order = pd.MultiIndex.from_product([PAIR, PRINTED_SCHEMES], names=["model", "scheme"])
    return pd.DataFrame(doubts).assign(runs=mean["runs"].astype(int)).reindex(order)


WEIGHTED = SCHEMES[1:]
"""The schemes that weigh classes; micro is one F1 over all samples."""
EXAMPLES = {"tacred": "TACRED", "semeval2010": "SemEval", "chemprot": "ChemProt", "nyt24": "NYT, Hoffmann"}


def positive_counts(dataset: str) -> tuple[pd.Series, int]:
    """Test counts of the positive classes, largest first, and the number of all samples.

    >>> counts, total = positive_counts("tacred")
    >>> counts.index[0], int(counts.iloc[0]), total
    ('per:title', 500, 15509)
    """
    everything = pd.Series(published_counts(dataset)["test"], name="support").rename_axis("relation")
    positive = everything.drop(dataset_statistics(dataset).negative or [])
    return positive.sort_values(ascending=False, kind="stable"), int(everything.sum())


def weight_table(dataset: str) -> pd.DataFrame:
    """Normalised weights, a row for each positive class, largest first: relation, support, then the schemes.

    >>> float(weight_table("tacred")["weighted"][0].round(4))
    0.1504
    """
    positive, total = positive_counts(dataset)
    return positive.reset_index().assign(
        **{scheme: class_weights(positive, scheme, total) for scheme in WEIGHTED}
    )


def scheme_steps(table: Outcome, negative: str, schemes: Sequence[str] = WEIGHTED) -> pd.DataFrame:
    """F1 and weight of each averaged class under each scheme: relation, scheme, f1, weight.

    Their products add up to the scores.

    >>> table = Outcome.from_columns(["a", "b", "b"], ["a", "b", "a"])
    >>> steps = scheme_steps(table, None, ["macro"])
    >>> steps["weight"].tolist(), float((steps["f1"] * steps["weight"]).sum().round(4))
    ([0.5, 0.5], 0.6667)
    """
    report = evaluate(table, negative=negative)
    classes = [report.per_class[label] for label in report.averaged]
    support = [one["support"] for one in classes]
    parts = [
        pd.DataFrame({"relation": report.averaged, "f1": [one["f1"] for one in classes]}).assign(
            scheme=scheme, weight=class_weights(support, scheme, table.n)
        )
        for scheme in schemes
    ]
    return pd.concat(parts, ignore_index=True)


def alpha_family(
    alphas: Sequence[float] = tuple(np.linspace(0, 1.25, 51)),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """How many classes a score looks at, 2^entropy of its weights: along n^α, and under the schemes.

    Returns two frames, dataset, alpha, effective_classes, the second with a column scheme (entropy has no α).

    >>> curves, marks = alpha_family([0.0, 1.0])
    >>> marks.set_index(["dataset", "scheme"]).loc[("TACRED", "macro"), "effective_classes"].round(1)
    np.float64(41.0)
    """
    curves, marks = [], []
    places = {"macro": 0.0, "dodrans": 0.75, "weighted": 1.0, "entropy": np.nan}
    for dataset, name in EXAMPLES.items():
        counts, total = positive_counts(dataset)
        curves += [(name, a, effective_classes(class_weights(counts, f"n^{a:g}"))) for a in alphas]
        marks += [
            (name, scheme, a, effective_classes(class_weights(counts, scheme, total)))
            for scheme, a in places.items()
        ]
    columns = ["dataset", "alpha", "effective_classes"]
    return pd.DataFrame(curves, columns=columns), pd.DataFrame(
        marks, columns=["dataset", "scheme", *columns[1:]]
    )


def effective_classes(weights: np.ndarray) -> float:
    """2^entropy of normalised weights: the number of classes if they weigh alike, 1 if one decides.

    >>> effective_classes(np.array([0.5, 0.5, 0.0]))
    2.0
    """
    positive = weights[weights > 0]
    return float(2 ** -(positive * np.log2(positive)).sum())
