"""Paper L, multi-label classification: tables of stored runs, and the README's table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy

from .. import RESULTS, ROOT
from ..core import MissingData
from ..data import Documents
from ..evaluation import score_multilabel
from ..experiments import LINEAR_MODELS, STORED, documents_of, run_model
from ..metrics import (
    F_MEASURES,
    ClassCounts,
    MultilabelOutcome,
    Outcome,
    Policy,
    averages,
    bootstrap_intervals,
    class_weights,
    label_intervals,
    scheme_names,
)
from ..reporting import markdown_table, published_ours, read_tidy
from ..runs import RUNS_FOLDER, Run, list_runs
from .weighting import PRINTED_SCHEMES

Runs = Mapping[str, Run]
TABLE = RESULTS / "tables" / "13_multilabel.csv"
COLLECTIONS = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}
MODELS = (
    "1vsrest",
    "1vsrest without bias",
    "1vsrest primal",
    "thresholding",
    "thresholding scut-fbr",
    "cost_sensitive",
    "cost_sensitive without bias",
    "cost_sensitive_micro",
    "tree",
)
METRICS = ("P@1", "P@3", "P@5", "Macro-F1", "Micro-F1")
FORMS, RARE_MODELS = ("1vsrest", "1vsrest primal"), ("1vsrest", "thresholding", "cost_sensitive")
DOCUMENT_SCORES = ("P@1", "P@5", "R@5", "RP@5", "NDCG@5", "Macro-F1", "Micro-F1", "Macro*-F1")
"""The measures that the document names."""
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


def multilabel_runs(dataset: str, folder: Path | str = RUNS_FOLDER) -> dict[str, Run]:
    """The stored runs of single multi-label models, by name, in the order of their problems; {} without any.

    >>> next(iter(multilabel_runs("reuters90")))
    '1vsrest'
    """
    runs = [run for run in list_runs(dataset, kind="label_sets", folder=folder) if not run.second]
    return {run.name: run for run in sorted(runs, key=lambda run: (run.facts.get("problems", 0), run.name))}


def scores_of(run: Run, ks: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """Ranking measures at each K, the three F-measures, and F1 under every scheme, all as fractions.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> found = scores_of(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), ks=[1])
    >>> found["P@1"], found["macro"]
    (1.0, 0.5)
    """
    outcome = run.outcome()
    scores = averages(outcome.counts).tolist()
    return outcome.scores(ks) | dict(zip(scheme_names(), scores, strict=True))


def score_rows(
    run: Run, rng: np.random.Generator, replicates: int = 1000, ks: Sequence[int] = (1, 3, 5)
) -> list[dict[str, Any]]:
    """Rows of a tidy table: every score of `scores_of` with its 95 % bootstrap interval and signature.

    Instances are drawn, with all their labels; the generator is used up to here in the order of the rows.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = Run.from_outcome(outcome, dataset="demo", model="1vsrest")
    >>> rows = score_rows(run, np.random.default_rng(1), replicates=10, ks=[1])
    >>> [row["metric"] for row in rows][:5], rows[-1]["scheme"], rows[-1]["value"]
    (['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1'], 'macro', 0.5)
    """
    outcome, schemes = run.outcome(), scheme_names()
    policy = Policy.of(outcome.counts)
    found = outcome.ranking.intervals(ks, rng, replicates)
    found |= label_intervals(outcome.sets, rng, replicates=replicates)
    kinds = F_MEASURES | {scheme: ("f1", scheme) for scheme in schemes}
    fixed = {"paper": "L", "item": "linear methods", "dataset": run.dataset, "model": run.name}
    return [
        fixed
        | {"metric": "f1" if name in schemes else name, "scheme": name if name in schemes else ""}
        | {"value": interval.value, "low": interval.low, "high": interval.high}
        | {
            "signature": policy.signature(outcome.counts, *kinds[name])
            if name in kinds
            else outcome.ranking.signature(name)
        }
        for name, interval in found.items()
    ]


def differing_documents(one: MultilabelOutcome, other: MultilabelOutcome) -> int:
    """How many instances at least have another ranking pattern or another pair of label sets in the other.

    0 says that every score, every interval and every label's counts are the same.

    >>> first = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> other = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, 1]], 1, keep_sets=True)
    >>> differing_documents(first, first), differing_documents(first, other)
    (0, 1)
    """
    pairs = ((one.ranking, other.ranking), (one.sets, other.sets))
    return max((_counter(a.to_rows()) - _counter(b.to_rows())).total() for a, b in pairs)


def _counter(rows: Iterable[Sequence[Any]]) -> Counter:
    return Counter({str(row[:-1]): row[-1] for row in rows})


def pair_gains(
    dataset: str,
    pairs: Iterable[tuple[str, str]],
    rng: np.random.Generator,
    replicates: int = 1000,
    folder: Path | str = RUNS_FOLDER,
) -> pd.DataFrame:
    """`gains` of stored pairs of models, one below the other; `model` says 'second − first'.

    The generator is used up in the order of the pairs. A pair that is not stored has no rows.

    >>> pair_gains("reuters90", [("1vsrest", "thresholding")], np.random.default_rng(1), 10).shape
    (5, 5)
    """
    tables = [pd.DataFrame()]
    for first, second in pairs:
        for run in list_runs(dataset, f"{first}+{second}", folder=folder):
            table = gains(run.outcome(), rng, replicates)
            table.insert(0, "model", f"{second} − {first}")
            tables.append(table)
    return pd.concat(tables, ignore_index=True)


def gains(outcome: Outcome, rng: np.random.Generator, replicates: int = 1000) -> pd.DataFrame:
    """F1 of the second model minus that of the first, under each scheme, with 95 % bootstrap intervals.

    Instances are drawn, each with what both models say of it: two outcomes that were counted apart do not say
    on which instances the models differ, so the interval cannot come from them.

    Parameters
    ----------
    outcome : of label sets, in the roles gold, predicted and second.

    Returns
    -------
    Columns `scheme`, `difference`, `low`, `high`, fractions.

    >>> pair = Outcome.from_sets([[1, 0]], [[1, 1]], ["x", "y"], second=[[1, 0]])
    >>> gains(pair, np.random.default_rng(1), 10).query("scheme == 'micro'").difference.round(3).item()
    0.333
    """
    gold, *predicted = (outcome.roles[role] for role in ("gold", "predicted", "second"))
    # the stored intervals were drawn from kinds in the order of both models' columns side by side
    side_by_side = {"both gold": [gold, gold], "both predicted": predicted}
    order = {role: scipy.sparse.hstack(columns, "csr") for role, columns in side_by_side.items()}
    outcome = replace(outcome, roles=order | outcome.roles).grouped()
    models = ("predicted", "second")
    original = {model: outcome.per_class(model) for model in models}

    def difference(drawn: Outcome) -> np.ndarray:
        first, second = (averages(drawn.per_class(model), classes_of=original[model]) for model in models)
        return second - first

    made = bootstrap_intervals(outcome, difference, rng, replicates)
    columns = {"scheme": scheme_names(), "difference": made.value, "low": made.low, "high": made.high}
    return pd.DataFrame(columns)


def label_f1(counts: ClassCounts) -> np.ndarray:
    """(L,) F1 of each label; 0 where it is undefined.

    >>> from helpers.metrics import Outcome
    >>> label_f1(Outcome.from_sets([[1, 0], [1, 0]], [[1, 0], [0, 0]]).per_class()).round(4).tolist()
    [0.6667, 0.0]
    """
    total = counts.gold + counts.predicted
    return np.divide(2 * counts.correct, total, out=np.zeros(len(total)), where=total > 0)


def label_table(runs: Mapping[str, Run]) -> pd.DataFrame:
    """One row a label: `label`, `train`, `test` (documents that have it), and its F1 under each model.

    Raises ValueError if the runs are not of the same labels.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = Run.from_outcome(outcome, dataset="demo", model="1vsrest", train_support=(3, 2))
    >>> label_table({"1vsrest": run}).values.tolist()
    [[0.0, 3.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    """
    first, *others = runs.values()
    if any(run.labels != first.labels for run in others):
        raise ValueError("runs have different labels: they do not fit in one table")
    columns = {"label": first.labels, "train": first.table.train_support}
    columns |= {"test": first.outcome().counts.gold}
    return pd.DataFrame(columns | {model: label_f1(run.outcome().counts) for model, run in runs.items()})


def multilabel_markdown(path: Path | str = TABLE) -> str:
    """One row a corpus and method: the public package's P@1 / P@3 / P@5 / Macro / Micro, ours, F1 by scheme.

    >>> multilabel_markdown().splitlines()[2].split(" | ")[1:4]
    ['1vsrest', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651']
    """
    table = read_tidy(path)
    head = ["corpus", "method", "P@1 / 3 / 5, Macro-, Micro-F1: package", "ours"]
    lines = []
    for (dataset, corpus), model in product(COLLECTIONS.items(), MODELS):
        rows = table[(table["dataset"] == dataset) & (table["model"] == model)]
        if rows.empty:
            continue
        named = rows[rows["scheme"] == ""].set_index("metric").loc[list(METRICS)]
        schemes = rows[rows["metric"] == "f1"].set_index("scheme")["value"].loc[list(PRINTED_SCHEMES)]
        package = " / ".join(named["published"].replace("", "–")) if any(named["published"]) else "–"
        ours = [" / ".join(named["value"].map("{:.4f}".format)), " / ".join(schemes.map("{:.1%}".format))]
        lines.append([corpus, model, package, ours[0], ours[1].replace("%", "")])
    return markdown_table([*head, f"F1 {' / '.join(PRINTED_SCHEMES)}"], lines)


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


def method_scores(runs: Runs, names: Sequence[str] = DOCUMENT_SCORES) -> pd.DataFrame:
    """The scores `names` of the `LINEAR_MODELS` that are there, per cent; one row a model."""
    own = {model: run for model, run in runs.items() if model in LINEAR_MODELS}
    return 100 * pd.DataFrame({model: scores_of(run) for model, run in own.items()}).T[list(names)]


def empty_table(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """Documents for which a method predicts no label at all, and all test documents."""
    found = {
        name: {m: runs[name][m].outcome().sets.without_prediction for m in LINEAR_MODELS}
        for name in COLLECTIONS
    }
    table = pd.DataFrame(found)
    return table.rename(columns={name: f"{name}, of {runs[name]['1vsrest'].n}" for name in found})


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


def spectrum_of_methods(runs: Runs) -> pd.DataFrame:
    """F1 along n^α of each method, per cent: model, alpha, value."""
    alphas = np.linspace(0, 1, 41)
    schemes = [f"n^{alpha:g}" for alpha in alphas]
    own = {model: run for model, run in runs.items() if model in LINEAR_MODELS}
    tables = [
        pd.DataFrame({"model": m, "alpha": alphas, "value": 100 * averages(run.outcome().counts, schemes)})
        for m, run in own.items()
    ]
    return pd.concat(tables, ignore_index=True)


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


def problems_table(documents: Mapping[str, Documents]) -> pd.DataFrame:
    """How many problems each method hands to the solver on some documents, counted; and what is claimed.

    Columns solved, by label (a multiple of L), the document. One process is used, so that all are counted.
    """

    from ..models.linear import LabelProblems

    printed = printed_numbers()
    claims = printed[printed["metric"] == "problems"].set_index("model")["printed"]
    rows = {}
    for model, parameters in LINEAR_MODELS.items():
        before = LabelProblems.solved
        run = run_model("demo", model, documents, parameters, n_jobs=1)[model]
        count = LabelProblems.solved - before
        rows[model] = {"solved": count, "by label": f"{count / len(run.labels):.4g} L"}
        rows[model] |= {"the document": claims.get(model, "")}
    return pd.DataFrame.from_dict(rows, orient="index")


def linear_costs(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """What training and keeping each method takes on the real collections, one row a method and collection.

    Columns dataset, model, seconds (without TF-IDF, the same for all), problems (solved), whole (what they
    are worth in problems on all documents), one (seconds of one problem of 1vsrest), bytes (kept),
    claimed (8 · features · labels), not_zero (bytes of weights that are not 0).
    """
    rows = []
    for name in COLLECTIONS:
        one = solving(runs[name]["1vsrest"]) / len(runs[name]["1vsrest"].labels)
        for model in LINEAR_MODELS:
            run = runs[name][model]
            facts, n_labels = run.facts, len(run.labels)
            row = {"dataset": name, "model": model, "seconds": solving(run), "problems": facts["problems"]}
            row |= {"whole": facts["whole"], "one": one, "bytes": facts["weight_bytes"]}
            row |= {"claimed": 8 * facts["features"] * n_labels, "not_zero": 8 * facts["weights_not_zero"]}
            rows.append(row)
    return pd.DataFrame(rows)


def solving(run: Run) -> float:
    """Seconds of training without those of TF-IDF.

    >>> from types import SimpleNamespace
    >>> solving(SimpleNamespace(cost={"training": {"cpu_seconds": 3.0}, "tf_idf": {"cpu_seconds": 1.0}}))
    2.0
    """
    return run.cost["training"]["cpu_seconds"] - run.cost["tf_idf"]["cpu_seconds"]


def expected_seconds(costs: pd.DataFrame) -> pd.DataFrame:
    """Measured seconds beside those expected by the number of problems and by what they are worth."""
    return pd.DataFrame(
        {
            "seconds": costs["seconds"],
            "problems": costs["problems"],
            "seconds expected by count": costs["problems"] * costs["one"],
            "worth in full problems": costs["whole"],
            "seconds expected by worth": costs["whole"] * costs["one"],
        }
    ).set_index(pd.MultiIndex.from_frame(costs[["dataset", "model"]]))


def forms_table(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """Scores and seconds of one-vs-rest by the dual and by the primal solver; fractions."""
    names = ["P@1", "P@5", "Macro-F1", "Micro-F1", "seconds"]
    found = {
        (name, model): scores_of(runs[name][model]) | {"seconds": solving(runs[name][model])}
        for name in COLLECTIONS
        for model in FORMS
    }
    return pd.DataFrame(found).T[names].rename_axis(["dataset", "model"])
