"""LibMultiLabel's document in our runs, table by table and in words: what notebooks 09 and 10 show.

Every sentence is made from the runs or the document's numbers that it is about, so it changes with them.
Scores are per cent where nothing else is said.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from .. import ROOT
from ..core import MissingData
from ..data import Documents
from ..evaluation import score_multilabel
from ..experiments import LINEAR_MODELS, STORED, documents_of, run_model
from ..metrics import class_weights, label_averages
from ..reporting import from_to, listed, published_ours, signed
from ..runs import Run
from .multilabel import differing_documents, label_table, multilabel_runs, score_rows, scores_of
from .weighting import PRINTED_SCHEMES

Runs = Mapping[str, Run]
DOCUMENT_SCORES = ("P@1", "P@5", "R@5", "RP@5", "NDCG@5", "Macro-F1", "Micro-F1", "Macro*-F1")
"""The measures that the document names."""
COLLECTIONS = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}
EXAMPLES = {
    ("example", "perfect prediction of two labels"): ([1, 1, 0, 0, 0], [2, 1, -1, -1, -1]),
    ("example 1", "prediction 1"): ([0, 1, 1, 0, 0], [0.1, 0.3, 1.0, -0.3, -0.7]),
    ("example 1", "prediction 2"): ([0, 1, 1, 0, 0], [0.8, 0.2, 0.7, -0.1, -0.5]),
    ("example 2", "instance 1"): ([0, 1, 0, 0, 0], [0.1, 1.2, -0.9, -0.7, -0.5]),
    ("example 2", "instance 2"): ([1, 0, 1, 0, 1], [0.3, 1.0, 0.4, -0.9, 0.1]),
}
"""Items of the document's section 1 → truth, decision values."""
SUPPORTS = {"1 to 5": 5, "6 to 20": 20, "21 to 100": 100, "over 100": np.inf}
"""Groups of labels → the most training documents that a label of the group has."""


def printed_numbers() -> pd.DataFrame:
    """What the document and the package print, as text; column item tells which."""
    path = ROOT / "results" / "published" / "libmultilabel.csv"
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def worked_examples() -> pd.DataFrame:
    """The document's worked examples, published | ours; NDCG@5 also where it prints none.

    >>> table = worked_examples()
    >>> table.loc[table["agrees"] == False, ["model", "metric", "published"]].to_numpy().tolist()
    [['instance 2', 'DCG@5', '1.52']]
    """
    rows = []
    for (dataset, model), (truth, values) in EXAMPLES.items():
        found = score_multilabel([truth], [values], ks=[1, 5]).scores
        ideal = sum(1 / np.log2(rank + 2) for rank in range(sum(truth)))
        found["DCG@5"] = found["NDCG@5"] * ideal
        rows += [{"dataset": dataset, "model": model, "metric": m, "value": v} for m, v in found.items()]
    table = published_ours(pd.DataFrame(rows), printed_numbers(), on=["dataset", "model", "metric"])
    kept = (table["published"] != "") | table["metric"].eq("NDCG@5")
    return table[kept].rename(columns={"dataset": "item"}).reset_index(drop=True)


def perfect_micro() -> pd.DataFrame:
    """Micro-F1 of a perfect prediction: by the formula as the document prints it, and by ours.

    >>> perfect_micro()["Micro-F1 of a perfect prediction"].tolist()
    [0.5, 1.0]
    """
    truth = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [1, 1, 0, 0]])
    printed = printed_numbers().query("statistic == 'formula'")["printed"].item()
    hits = truth.sum()  # FP and FN are 0
    ours = score_multilabel(truth, 2 * truth - 1, ks=[1]).scores["Micro-F1"]
    column = "Micro-F1 of a perfect prediction"
    return pd.DataFrame({column: [hits / (2 * hits), ours]}, [f"as printed: {printed}", "the helper"])


def demo_linear_runs(documents: Mapping[str, Documents]) -> dict[str, Run]:
    """All `LINEAR_MODELS` trained on the letters, now; with the labels that only test letters have, too."""
    runs = {}
    for model, parameters in LINEAR_MODELS.items():
        runs |= run_model("demo", model, documents, parameters)
    return runs


def linear_runs() -> dict[str, dict[str, Run]]:
    """Every stored run of linear methods by data set and name."""
    return {name: multilabel_runs(name) for name in STORED}


def collections_table(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """Size and tail of each collection, from the counts of its one-vs-rest run; one row a collection."""
    rows = {}
    for name, own in runs.items():
        run = own["1vsrest"]
        sizes, counts = run.outcome().ranking, np.sort(run.outcome().counts.gold)
        rows[name] = {"training documents": run.facts["train_documents"], "test documents": sizes.n}
        rows[name] |= {"labels": len(counts), "labels per test document": round(counts.sum() / sizes.n, 2)}
        rows[name] |= {
            "without labels": sizes.without_labels,
            "test documents of the largest label": counts[-1],
        }
        rows[name] |= {"of the median label": np.median(counts), "of the smallest label": counts[0]}
    return pd.DataFrame.from_dict(rows, orient="index")


def largest_weights(run: Run, n: int = 4) -> pd.DataFrame:
    """Normalised weights of the largest labels under the schemes, and entropy with N = documents."""
    support = run.outcome().counts.gold
    largest = np.argsort(-support)[:n]
    weights = {scheme: class_weights(support, scheme)[largest] for scheme in PRINTED_SCHEMES[1:]}
    weights["entropy, N = documents"] = class_weights(support, "entropy", run.n)[largest]
    return pd.DataFrame(weights, index=[f"{run.labels[place]} ({support[place]})" for place in largest])


def largest_weights_text(run: Run) -> str:
    """How much the choice of N changes the weight of the largest label."""
    table = largest_weights(run, 1)
    usual, other = table["entropy"].iloc[0], table["entropy, N = documents"].iloc[0]
    a_document = run.outcome().counts.gold.sum() / run.n
    return (
        f"Nothing: log 1 is 0. On {COLLECTIONS[run.dataset]}, where a document has {a_document:.2f} labels, "
        f"the second reading takes {100 * (1 - other / usual):.0f} % of the weight of "
        f"`{run.labels[run.outcome().counts.gold.argmax()]}`."
    )


def unknown_labels_table(demo: Runs, held_out: Runs, model: str = "1vsrest") -> pd.DataFrame:
    """Scores with the labels that no training document has left out of the truth, and with them included."""
    names = ["P@1", "P@5", "R@1", *DOCUMENT_SCORES[2:7], "weighted", "dodrans", "entropy"]
    tables = {}
    for title, runs in (("letters", demo), ("Reuters", held_out)):
        pair = {"left out": runs[model], "included": runs[f"{model} with test labels"]}
        table = 100 * pd.DataFrame({name: scores_of(run) for name, run in pair.items()}).loc[names]
        change = table["included"] - table["left out"]
        tables[title] = table.assign(change=change.round(9) + 0.0)  # no -0.00 of what differs in the last bit
    return pd.concat(tables, axis=1)


def unknown_labels_text(table: pd.DataFrame, least: float = 0.005) -> str:
    """Which ranking measures change, which do not; macro against weighted."""
    changes = table.xs("change", axis=1, level=1)
    ranking = changes.loc[[name for name in changes.index if "@" in name]].abs().max(axis=1)
    still, moved = ranking.index[ranking < least], ranking.index[ranking >= least]
    macro, weighted = changes.loc["Macro-F1"], changes.loc["weighted"]
    parts = [
        f"on {where} macro-F1 loses {-macro[where]:.1f} points and *weighted* {-weighted[where]:.1f}"
        for where in changes
    ]
    return f"Not affected: {listed(still)}. Affected: {listed(moved)}. Of the F-measures, {'; '.join(parts)}."


def method_scores(runs: Runs, names: Sequence[str] = DOCUMENT_SCORES) -> pd.DataFrame:
    """The scores `names` of the `LINEAR_MODELS` that are there, per cent; one row a model."""
    own = {model: run for model, run in runs.items() if model in LINEAR_MODELS}
    return 100 * pd.DataFrame({model: scores_of(run) for model, run in own.items()}).T[list(names)]


def methods_text(runs: Mapping[str, Runs]) -> str:
    """What thresholding and cost-sensitive training change on the real collections, in words."""
    reuters, emotions = (method_scores(runs[name]) for name in COLLECTIONS)
    line, cost = (reuters.loc[one] - reuters.loc["1vsrest"] for one in ("thresholding", "cost_sensitive"))
    other = emotions.loc["cost_sensitive"] - emotions.loc["1vsrest"]
    one_cost = reuters.loc["cost_sensitive_micro"] - reuters.loc["cost_sensitive"]
    return (
        f"On Reuters `thresholding` moves macro-F1 by {signed(line['Macro-F1'])} points and micro-F1 by "
        f"{signed(line['Micro-F1'])}, but R@5 by {signed(line['R@5'])}; `cost_sensitive` moves macro-F1 by "
        f"{signed(cost['Macro-F1'])}. On GoEmotions `cost_sensitive` moves macro-F1 by "
        f"{signed(other['Macro-F1'])} and P@1 by {signed(other['P@1'])}. One cost for all labels "
        "instead of one "
        f"for each: {signed(one_cost['Macro-F1'])} points of macro-F1 on Reuters."
    )


def cost_pairs_text(runs: Runs) -> str:
    """What searching pairs (C, t), and drawing splits for each cost, change on Reuters."""
    base = scores_of(runs["cost_sensitive"])
    words = {"grid of C": "pairs (C, t) instead of t alone", "different splits": "other splits for each cost"}
    parts = [
        f"{text}: macro-F1 {signed(100 * (found['macro'] - base['macro']))}, micro-F1 "
        f"{signed(100 * (found['micro'] - base['micro']))} points"
        for name, text in words.items()
        if (run := runs.get(f"cost_sensitive {name}")) and (found := scores_of(run))
    ]
    return f"Cost-sensitive training with {'; with '.join(parts)}." if parts else "No such run is stored."


def empty_table(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """Documents for which a method predicts no label at all, and all test documents."""
    found = {
        name: {m: runs[name][m].outcome().sets.without_prediction for m in LINEAR_MODELS}
        for name in COLLECTIONS
    }
    table = pd.DataFrame(found)
    return table.rename(columns={name: f"{name}, of {runs[name]['1vsrest'].n}" for name in found})


def empty_text(runs: Mapping[str, Runs]) -> str:
    """The shares of documents that one-vs-rest and thresholding leave without a label."""
    parts = []
    for name, title in COLLECTIONS.items():
        n = runs[name]["1vsrest"].n
        one, other = (runs[name][m].outcome().sets.without_prediction for m in ("1vsrest", "thresholding"))
        parts.append(
            f"{title}: {100 * one / n:.1f} % with `1vsrest`, {100 * other / n:.1f} % with a threshold"
        )
    return "Documents without any predicted label, " + "; ".join(parts) + "."


def falls_text(runs: Mapping[str, Runs]) -> str:
    """How far each collection's scores fall from micro to macro, and which thresholding rule leads where."""
    parts = []
    for name, title in COLLECTIONS.items():
        table = method_scores(runs[name], PRINTED_SCHEMES)
        lead = table.loc["thresholding"] - table.loc["thresholding scut-fbr"]
        parts.append(
            f"{title}: from micro to macro the methods fall by {from_to(table['micro'] - table['macro'], 0)} "
            f"points; the two thresholding rules are at most {lead.abs().max():.1f} points apart, with "
            "the newer one "
            f"ahead under {listed(lead.index[lead > 0], 'no scheme')}"
        )
    return ". ".join(parts) + "."


def package_table(runs: Runs) -> pd.DataFrame:
    """The package's own numbers on Reuters beside ours: model, metric, package, ours, difference, agrees."""
    rows = [
        {"dataset": "reuters90", "model": model, "metric": metric, "value": value}
        for model, run in runs.items()
        for metric, value in run.outcome().scores([1, 3, 5]).items()
    ]
    printed = printed_numbers()
    package = printed[printed["item"].str.startswith("package")]
    both = published_ours(pd.DataFrame(rows), package, on=["dataset", "model", "metric"])
    both = both[both["published"] != ""].rename(columns={"published": "package"})
    return both.set_index(["model", "metric"])[["package", "ours", "difference", "agrees"]]


def package_text(runs: Runs) -> str:
    """How many of the package's numbers come out alike, and what the bias does."""
    table = package_table(runs)
    with_bias, without = (scores_of(runs[name]) for name in ("1vsrest", "1vsrest without bias"))
    change = {name: 100 * (with_bias[name] - without[name]) for name in ("P@1", "Macro-F1")}
    return (
        f"{table['agrees'].sum()} of {len(table)} numbers would be printed as the package prints "
        "them, with four "
        f"decimals. The bias `-B 1` moves P@1 by {signed(change['P@1'])} and macro-F1 by "
        f"{signed(change['Macro-F1'])} points."
    )


def trained_again(train: str, runs: Runs) -> pd.DataFrame:
    """Models trained on Reuters now, beside what is stored: seconds, documents that differ.

    `train` : names with commas, 'all' or 'none'. Without the corpus a line is printed and the table is empty.
    """
    named = {"all": list(STORED["reuters90"]), "none": []}.get(
        train, [one.strip() for one in train.split(",")]
    )
    rows = {}
    try:
        documents = documents_of("reuters90") if named else {}
        for model in named:
            again = run_model("reuters90", model, documents)[model]
            moved = differing_documents(again.outcome(), runs[model].outcome())
            rows[model] = {"seconds": again.cost["training"]["seconds"], "documents that differ": moved}
    except MissingData as missing:
        print(f"Reuters is not here, the stored outcomes are used. ({str(missing).partition('. ')[0]}.)")
    return pd.DataFrame.from_dict(rows, orient="index", columns=["seconds", "documents that differ"])


def single_text(runs: Runs) -> str:
    """What training the labels jointly changes for documents with one label."""
    found = {name: scores_of(run) for name, run in runs.items()}
    plain, other, joint = (
        found[name] for name in ("1vsrest", "binary_and_multiclass", "binary_and_multiclass joint")
    )
    same = all(abs(plain[name] - other[name]) < 0.0005 for name in DOCUMENT_SCORES)
    change = {name: signed(100 * (joint[name] - plain[name])) for name in ("Micro-F1", "Macro-F1", "P@5")}
    return (
        f"One-vs-rest and LIBLINEAR's multi-class with solver 1 are {'the same' if same else 'different'}. "
        f"Trained jointly: accuracy {change['Micro-F1']}, macro-F1 {change['Macro-F1']}, P@5 {change['P@5']} "
        "points."
    )


RARE_MODELS = ("1vsrest", "thresholding", "cost_sensitive")


def support_table(runs: Runs, models: Sequence[str] = RARE_MODELS) -> pd.DataFrame:
    """F1 of each label under some models, per cent, long: label, train, group (of `SUPPORTS`), model, f1."""
    labels = label_table({model: runs[model] for model in models})
    labels["group"] = pd.cut(labels["train"], [0, *SUPPORTS.values()], labels=list(SUPPORTS)).astype(str)
    long = labels.melt(["label", "train", "test", "group"], var_name="model", value_name="f1")
    return long.assign(f1=100 * long["f1"])


def support_means(runs: Runs, models: Sequence[str] = RARE_MODELS) -> pd.DataFrame:
    """Labels, share of all test labels, and mean F1 of each model, by group of support."""
    long = support_table(runs, models)
    first = long[long["model"] == models[0]].groupby("group", sort=False)
    means = long.pivot_table(index="group", columns="model", values="f1")[list(models)]
    table = means.rename_axis(columns=None).reindex(list(SUPPORTS))
    table.insert(0, "labels", first.size())
    table.insert(1, "of all test labels (%)", 100 * first["test"].sum() / first["test"].sum().sum())
    return table.rename_axis("training documents")


def support_text(runs: Runs) -> str:
    """What becomes of the rarest labels, and how much they weigh."""
    table = support_means(runs)
    rare = table.iloc[0]
    chosen = support_table(runs).query("group == '1 to 5'").pivot(index="label", columns="model", values="f1")
    same = (chosen["cost_sensitive"] - chosen["1vsrest"]).abs() < 0.05
    return (
        f"{rare['labels']:.0f} of {table['labels'].sum():.0f} topics have at most five training "
        "documents. They "
        f"hold {rare['of all test labels (%)']:.1f} % of the test labels and "
        f"{100 * rare['labels'] / table['labels'].sum():.0f} % of the weight of macro-F1. "
        "Thresholding takes them "
        f"from {rare['1vsrest']:.0f} to {rare['thresholding']:.0f}; cost-sensitive training leaves "
        f"{same.sum()} of "
        f"them where they are."
    )


def gains_text(gains: pd.DataFrame) -> str:
    """The gain of thresholding under each scheme, and what cannot be told apart; `pair_gains` in points."""
    own = gains[gains["model"] == "thresholding − 1vsrest"].set_index("scheme")["difference"]
    unclear = gains[(gains["low"] <= 0) & (gains["high"] >= 0)]
    said = [f"{row.model} under {row.scheme}" for row in unclear.itertuples()]
    steps = listed(f"{scheme} {signed(own[scheme])}" for scheme in own.sort_values().index)
    return f"Thresholding gains {steps} points. Not told apart (0 in the interval): {listed(said)}."


def spectrum_of_methods(runs: Runs) -> pd.DataFrame:
    """F1 along n^α of each method, per cent: model, alpha, value."""
    alphas = np.linspace(0, 1, 41)
    schemes = [f"n^{alpha:g}" for alpha in alphas]
    own = {model: run for model, run in runs.items() if model in LINEAR_MODELS}
    tables = [
        pd.DataFrame(
            {"model": m, "alpha": alphas, "value": 100 * label_averages(run.outcome().counts, schemes)}
        )
        for m, run in own.items()
    ]
    return pd.concat(tables, ignore_index=True)


def spectrum_order_text(runs: Runs) -> str:
    """Whether methods change places along α, and how far apart they are at both ends."""
    wide = spectrum_of_methods(runs).pivot(index="alpha", columns="model", values="value")
    orders = wide.rank(axis=1).drop_duplicates()
    reach = wide.max(axis=1) - wide.min(axis=1)
    moved = "keep their order for every α" if len(orders) == 1 else f"stand in {len(orders)} different orders"
    return (
        f"On Reuters the {wide.shape[1]} methods {moved}; from first to last they are "
        f"{reach.iloc[0]:.0f} points "
        f"apart at α = 0 and {reach.iloc[-1]:.0f} at α = 1."
    )


def all_method_rows(runs: Mapping[str, Runs], seed: int, replicates: int) -> pd.DataFrame:
    """Tidy rows of every stored run with intervals, signatures and the package's numbers."""
    rows = []
    for name in STORED:
        for run in runs[name].values():
            rows += score_rows(run, np.random.default_rng(seed), replicates)
    made = f"|bootstrap:percentile,{replicates},seed{seed},95"
    table = pd.DataFrame(rows).assign(signature=lambda found: found["signature"] + made)
    printed = printed_numbers().rename(columns={"printed": "published"})
    package = printed[printed["item"].str.startswith("package")]
    return table.merge(package[["dataset", "model", "metric", "published"]], how="left")


def intervals_shown(rows: pd.DataFrame, dataset: str = "reuters90") -> pd.DataFrame:
    """Macro-F1 and Micro-F1 of each model with their intervals, as text."""
    own = rows[(rows["dataset"] == dataset) & rows["metric"].isin(["Macro-F1", "Micro-F1"])]
    ends = (100 * own[["low", "high"]]).round(1).astype(str).agg(" to ".join, axis=1)
    own = own.assign(shown=(100 * own["value"]).map("{:.1f}".format) + " (" + ends + ")")
    return own.pivot(index="model", columns="metric", values="shown").rename_axis(columns=None)
