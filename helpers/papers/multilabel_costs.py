"""Run time and space of linear methods, claimed by LibMultiLabel's document and measured: notebook 11.

The document counts problems (Section 3.5) and bytes of weights (Section 3.6). Seconds are those of one
process, stored with the runs; the counts are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from ..data import Documents
from ..experiments import LINEAR_MODELS, run_model
from ..reporting import from_to, listed
from ..runs import Run
from .multilabel import scores_of
from .multilabel_tables import COLLECTIONS, printed_numbers

Runs = Mapping[str, Run]
FORMS = ("1vsrest", "1vsrest primal")


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


def seconds_text(costs: pd.DataFrame) -> str:
    """Measured over expected, for thresholding and for cost-sensitive training."""
    ratio = costs.assign(
        count=costs["seconds"] / (costs["problems"] * costs["one"]),
        worth=costs["seconds"] / (costs["whole"] * costs["one"]),
    )
    parts = []
    for words, start in (("the thresholding rules", "thresholding"), ("cost-sensitive training", "cost_s")):
        own = ratio[ratio["model"].str.startswith(start)]
        parts.append(
            f"{words} took {from_to(own['count'], 2)} times what the count expects and "
            f"{from_to(own['worth'], 2)} times what the documents expect"
        )
    said = "; ".join(parts)
    return said[0].upper() + said[1:] + "."


def bytes_text(costs: pd.DataFrame) -> str:
    """How much of 8nL bytes is kept and how much is 0, for 1vsrest and the tree."""
    parts = []
    for name, title in COLLECTIONS.items():
        own = costs[costs["dataset"] == name].set_index("model")
        flat, tree = own.loc["1vsrest"], own.loc["tree"]
        parts.append(
            f"{title}: `1vsrest` keeps {100 * flat['bytes'] / flat['claimed']:.0f} % of 8nL, "
            f"{100 * (1 - flat['not_zero'] / flat['bytes']):.0f} % of them zeros; the tree keeps "
            f"{100 * tree['bytes'] / tree['claimed']:.0f} %"
        )
    return ". ".join(parts) + "."


def forms_table(runs: Mapping[str, Runs]) -> pd.DataFrame:
    """Scores and seconds of one-vs-rest by the dual and by the primal solver; fractions."""
    names = ["P@1", "P@5", "Macro-F1", "Micro-F1", "seconds"]
    found = {
        (name, model): scores_of(runs[name][model]) | {"seconds": solving(runs[name][model])}
        for name in COLLECTIONS
        for model in FORMS
    }
    return pd.DataFrame(found).T[names].rename_axis(["dataset", "model"])


def forms_text(runs: Mapping[str, Runs]) -> str:
    """How far the two solvers' scores are apart, and which one is faster by how much."""
    table = forms_table(runs)
    scores = table.drop(columns="seconds")
    apart = max(
        (scores.loc[(name, FORMS[0])] - scores.loc[(name, FORMS[1])]).abs().max() for name in COLLECTIONS
    )
    seconds = table["seconds"].unstack()
    parts = [
        f"{min(row, key=row.get)} by a factor of {max(row.values()) / min(row.values()):.1f} on "
        f"{COLLECTIONS[name]}"
        for name, row in (
            (name, {"the dual": seconds.loc[name, FORMS[0]], "the primal": seconds.loc[name, FORMS[1]]})
            for name in COLLECTIONS
        )
    ]
    return f"No score differs by more than {apart:.4f}. The faster one is {listed(parts)}."
