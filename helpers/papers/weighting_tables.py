"""W's Table 4 in our runs, table by table and in words: what notebook 06 shows.

Every sentence is made from the runs that it is about, so it changes with them. Differences are PTR − EM-ES,
in points, mean over the seeds that both models have; EM-ES is W's BERT_EM.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..metrics import ALPHAS, alpha_spectrum, leave_one_class_out
from ..models import EMBEDDED
from ..reporting import (
    compare_models,
    find_cell,
    from_to,
    listed,
    load_published,
    original_table,
    over_seeds,
    per_seed,
    scheme_scores,
    signed,
)
from ..runs import RUNS_FOLDER, Run, list_runs
from .weighting import BERT_EM, PRINTED_SCHEMES, class_effect, leads_without, single_class_effect

TRAINED_ON = {"semeval2010": "all 8,000 sentences", "semeval2010-ptr-split": "PTR's 6,507 sentences"}
"""Data set of a run file → what its models were trained on; the test set is the same."""
PAIR = ("EM-ES", "PTR")
RARE = "Entity-Destination(e2,e1)"
"""The class with one test sentence."""
CLASSES = 18
LEVEL = 0.05


def table_4_runs(encoder: str = EMBEDDED, folder: Path | str = RUNS_FOLDER) -> list[Run]:
    """The runs of profile standard on both training sets; those without an encoder, too.

    >>> table_4_runs(folder="no-such-folder")
    []
    """
    runs = [run for name in TRAINED_ON for run in list_runs(name, profile="standard", folder=folder)]
    return [run for run in runs if run.seed is None or run.encoder == encoder]


def _scores(runs: Sequence[Run]) -> pd.DataFrame:
    found = per_seed(runs, scheme_scores)
    return found.assign(value=100 * found["value"].astype(float))


def runs_table(runs: Sequence[Run]) -> pd.DataFrame:
    """Which runs there are: trained on, model, encoder, runs, seeds.

    >>> runs_table([]).columns.tolist()
    ['trained on', 'model', 'encoder', 'runs', 'seeds']
    """
    found = over_seeds(_scores(runs).query("score == 'micro'"))
    found.insert(0, "trained on", found["dataset"].map(TRAINED_ON))
    return found[["trained on", "model", "encoder", "runs", "seeds"]]


def means_table(runs: Sequence[Run], models: Sequence[str] = PAIR) -> pd.DataFrame:
    """F1 under each scheme, mean ± SD over the runs as text; a row for each training set and model.

    >>> means_table([]).columns.tolist()
    ['trained on', 'model', 'runs', 'micro', 'weighted', 'dodrans', 'entropy', 'macro']
    """
    found = over_seeds(_scores(run for run in runs if run.model in models))
    shown = ["" if pd.isna(sd) else f" ± {sd:.1f}" for sd in found["sd"]]
    found["shown"] = [f"{mean:.1f}{sd}" for mean, sd in zip(found["mean"], shown, strict=True)]
    found.insert(0, "trained on", found["dataset"].map(TRAINED_ON))
    wide = found.pivot(index=["trained on", "model", "runs"], columns="score", values="shown")
    wide = wide.reindex(columns=list(PRINTED_SCHEMES)).rename_axis(columns=None)
    return wide.reindex(list(TRAINED_ON.values()), level=0).reset_index()


def pair_tests(runs: Sequence[Run]) -> dict[str, pd.DataFrame]:
    """`compare_models` of `PAIR` for each training set that has runs of both.

    >>> pair_tests([])
    {}
    """
    scores = _scores(runs)
    tables = {name: compare_models(scores[scores["dataset"] == name], *PAIR) for name in TRAINED_ON}
    return {name: table.loc[list(PRINTED_SCHEMES)] for name, table in tables.items() if len(table)}


def leads_table(runs: Sequence[Run]) -> pd.DataFrame:
    """PTR − EM-ES under each scheme: published, and ours by training set."""
    printed = load_published("W", "Table 4").query("statistic == 'mean'")
    means = printed.pivot(index="scheme", columns="model", values="value")
    rows = {"published": means["PTR"] - means["BERT_EM"]}
    rows |= {f"ours, {TRAINED_ON[name]}": table["difference"] for name, table in pair_tests(runs).items()}
    return pd.DataFrame(rows).T[list(PRINTED_SCHEMES)].rename_axis("PTR − EM-ES, points")


def leads_text(runs: Sequence[Run]) -> str:
    """Under which schemes PTR leads: in the paper, and in our runs."""
    parts = []
    for name, row in leads_table(runs).iterrows():
        ahead = row.index[row > 0]
        under = f"leads under {listed(ahead)} alone" if len(ahead) else "leads under none of the five schemes"
        under = "leads under all five schemes" if len(ahead) == len(row) else under
        parts.append(f"**{name}**: PTR {under}")
    return "; ".join(parts) + "."


def significance_table(runs: Sequence[Run]) -> pd.DataFrame:
    """Welch's p, Holm's correction of it, d and its word, a row for each training set and scheme."""
    columns = ["difference", "p", "p_holm", "d", "word", "runs"]
    tables = [
        table[columns].rename_axis("scheme").reset_index().assign(**{"trained on": TRAINED_ON[name]})
        for name, table in pair_tests(runs).items()
    ]
    found = pd.concat(tables or [pd.DataFrame(columns=["trained on", "scheme", *columns])])
    return found.set_index(["trained on", "scheme"])


def significance_text(runs: Sequence[Run]) -> str:
    """How many of the differences are significant, with and without Holm's correction."""
    parts = []
    for name, table in pair_tests(runs).items():
        plain, holm = ((table[column] < LEVEL).sum() for column in ("p", "p_holm"))
        parts.append(
            f"Trained on {TRAINED_ON[name]} ({table['runs'].iloc[0]} common seeds), {plain} of {len(table)} "
            f"differences have p < .05, {holm} after Holm's correction; d lies between "
            f"{from_to(table['d']).replace(' to ', ' and ')}."
        )
    return " ".join(parts)


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


def single_class_text(runs: int = 5, classes: int = CLASSES) -> str:
    """How large an SD a class with one sentence makes, beside the SDs that are printed."""
    effect, printed = single_class_effect(runs, classes), printed_macro()
    split = effect.loc[1 : runs - 1, "sd"]
    return (
        f"If 1 to {runs - 1} of {runs} runs get the sentence right, the SD of macro-F1 "
        "is at least "
        f"{split.min():.1f} points from this class alone. Printed are "
        f"{listed(sd for _, sd in printed.values())}."
    )


def lead_cases() -> pd.DataFrame:
    """What is left of PTR's printed lead in macro-F1 for each F1 that the rare class may have."""
    table = load_published("W", "Table 4")
    ends = [
        find_cell(table, model=model, scheme="macro", statistic="mean").interval for model in BERT_EM.values()
    ]
    names = {"first": "F1 of the class, BERT_EM", "second": "F1 of the class, PTR"}
    names |= {"low": "lead of PTR without it, from", "high": "to"}
    return leads_without(*ends, classes=CLASSES, hits=(0, 2 / 3, 1)).rename(columns=names)


def lead_cases_text() -> str:
    """Which of the cases agrees with the other schemes."""
    cases, others = lead_cases(), leads_table([]).loc["published", list(PRINTED_SCHEMES[:-1])]
    low, high = cases.columns[2:]
    fits = cases[cases[high] < 0]
    best, worst = cases[cases[low] > 0][low].min(), cases[high].max()
    (case,) = fits.itertuples(index=False)
    return (
        f"Under the four other schemes PTR trails, by {from_to(-others)} points. Of the {len(cases)} cases "
        f"{len(fits)} agrees with them: F1 {case[0]:g} for BERT_EM and {case[1]:g} for PTR, where PTR trails "
        f"by {from_to([-case[2], -case[3]])} points on the other 17 classes, too. In every other case it "
        f"would lead there, by {best:.1f} to {worst:.1f} points."
    )


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


def rare_class_text(runs: Sequence[Run], label: str = RARE) -> str:
    """Which models ever get the sentence, and at what price."""
    table = rare_class_table(runs, label)
    merged = table["model"].str.endswith("-M")
    parts = []
    for words, rows in (
        ("trained on the sentences as they are", table[~merged]),
        ("trained on paired sentences, too (-M)", table[merged]),
    ):
        hit = rows.loc[rows["right"] > 0, "model"].unique()
        parts.append(
            f"Of the models {words}, {listed(hit, 'none')} got it in {'at least one' if len(hit) else 'any'} "
            f"run ({rows['right'].sum()} of {rows['runs'].sum()} runs; {rows['false alarms'].sum()} "
            "false alarms)"
        )
    return ". ".join(parts) + "."


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


def reversal_text(runs: Sequence[Run]) -> str:
    """How many lines of the figure rise, and what that says."""
    ours = reversal_table(runs).query("panel != 'published, and what follows'")
    change = ours["without_class"] - ours["with_class"]
    rises = change[change > 0]
    return (
        f"{len(rises)} of our {len(ours)} lines rise, by {from_to(rises)} points: runs that missed "
        "the sentence. "
        f"{len(ours) - len(rises)} fall: runs that got it."
    )


def left_out_table(runs: Sequence[Run], dataset: str = "semeval2010") -> pd.DataFrame:
    """The lead of PTR in macro-F1 without each class: relation, support, lead; largest class first."""
    own = [run for run in runs if run.dataset == dataset]
    scores = per_seed(
        own, lambda run: leave_one_class_out(original_table(run), "macro", negative=run.negative)
    )
    leads = 100 * compare_models(scores, *PAIR)["difference"]
    table = original_table(own[0])
    support = dict(zip(table.labels, map(int, table.gold), strict=True))
    found = pd.DataFrame({"relation": leads.index, "support": leads.index.map(support), "lead": leads.values})
    return found.sort_values("support", ascending=False, ignore_index=True)


def left_out_text(runs: Sequence[Run], dataset: str = "semeval2010") -> str:
    """Which classes could turn the lead around, and which one moves it most."""
    leads, whole = left_out_table(runs, dataset), pair_tests(runs)[dataset].loc["macro", "difference"]
    turned = leads[leads["lead"] * whole < 0]["relation"]
    most = leads.loc[(leads["lead"] - whole).abs().idxmax()]
    return (
        f"With all classes PTR − EM-ES is {signed(whole, 2)}. Leaving one out turns the sign for "
        f"{listed(turned, 'none of them')}. Most depends on `{most['relation']}` (n = {most['support']}): "
        f"{signed(most['lead'], 2)} without it."
    )


def spectrum_table(runs: Sequence[Run]) -> pd.DataFrame:
    """F1 along n^α of `PAIR`, mean and SD over the runs, per cent; as `spectrum_bands_chart` wants it."""

    def along(run: Run) -> dict[float, float]:
        return dict(
            zip(ALPHAS, 100 * alpha_spectrum(original_table(run), negative=run.negative), strict=True)
        )

    found = over_seeds(per_seed([run for run in runs if run.model in PAIR], along))
    found = found.rename(columns={"score": "alpha"}).assign(panel=found["dataset"].map(TRAINED_ON))
    return found[["panel", "model", "alpha", "mean", "sd", "runs", "seeds"]]


def spectrum_text(runs: Sequence[Run]) -> str:
    """How far F1 climbs in the lower and in the upper half of the range."""
    means = spectrum_table(runs).set_index(["panel", "model", "alpha"])["mean"].unstack()
    low, high = means[0.5] - means[0.0], means[1.0] - means[0.5]
    return (
        f"From α = 0 to ½ the curves climb {from_to(low)} points, from ½ to 1 only {from_to(high)}: "
        "the bend is "
        "at the left end, where a class of one sentence begins to count as much as one of hundreds."
    )


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


def doubts_text(rows: pd.DataFrame, dataset: str = "semeval2010") -> str:
    """By how much the interval over test sets exceeds the spread over seeds."""
    table = doubts_table(rows, dataset)
    ratio = table["SD over test sets"] / table["SD over seeds"]
    larger = (ratio > 1).sum()
    return (
        f"The doubt about the test set is the larger one in {larger} of {len(ratio)} rows; it is "
        f"{from_to(ratio)} times that about the seed."
    )
