"""Paper W (Harbecke et al. 2022), Section 2: what the weighting schemes make of real class counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..data import dataset_statistics, published_counts
from ..metrics import SCHEMES, Confusion, class_weights, desiderata, evaluate

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


def extreme_weights(table: pd.DataFrame, each: int = 8) -> pd.DataFrame:
    """The largest and the smallest classes of a `weight_table`, as many of each.

    >>> extreme_weights(weight_table("tacred"), 2)["support"].tolist()
    [500, 346, 5, 2]
    """
    return pd.concat([table.head(each), table.tail(each)], ignore_index=True)


def entropy_normaliser(dataset: str) -> pd.DataFrame:
    """Entropy weights of the largest class with the negative samples in the normaliser, and without them.

    >>> entropy_normaliser("tacred")["per:title"].round(4).tolist()
    [0.1101, 0.0904]
    """
    positive, total = positive_counts(dataset)
    negatives = total - int(positive.sum())
    rows = {f"with the {negatives} negatives": total, "without them": None}
    weights = [class_weights(positive, "entropy", n)[0] for n in rows.values()]
    return pd.DataFrame({positive.index[0]: weights}, index=list(rows))


def scheme_steps(table: Confusion, negative: str, schemes: Sequence[str] = WEIGHTED) -> pd.DataFrame:
    """F1 and weight of each averaged class under each scheme: relation, scheme, f1, weight.

    Their products add up to the scores.

    >>> table = Confusion.from_arrays(["a", "b", "b"], ["a", "b", "a"])
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


def desiderata_table(examples: Mapping[str, Any], schemes: Sequence[str]) -> pd.DataFrame:
    """Which of D0, D1, D2 hold: a row an example (name → counts or data set), a column a scheme.

    >>> desiderata_table({"100, 10, 1": [100, 10, 1]}, ["entropy"]).iloc[0, 0]
    'D0 D2'
    """
    rows = {}
    for name, example in examples.items():
        counts, total = positive_counts(example) if isinstance(example, str) else (example, None)
        held = {scheme: desiderata(counts, scheme, total) for scheme in schemes}
        rows[name] = {s: " ".join(d for d, holds in found.items() if holds) for s, found in held.items()}
    return pd.DataFrame.from_dict(rows, orient="index")


def largest_shares() -> pd.DataFrame:
    """The largest class of each example corpus, and whether its share of all samples is above 1/e.

    >>> largest_shares()["above 1/e"].tolist()
    [False, False, False, True]
    """
    rows = {}
    for dataset, name in EXAMPLES.items():
        positive, total = positive_counts(dataset)
        share = positive.iloc[0] / total
        rows[name] = (positive.index[0], 100 * share, bool(share > np.exp(-1)))
    return pd.DataFrame.from_dict(rows, orient="index", columns=["largest class", "share (%)", "above 1/e"])


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


def weight_rows(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """The rows of the tidy table `02_weights`, from data set → `weight_table`."""
    long = pd.concat([table.assign(dataset=dataset) for dataset, table in tables.items()])
    long = long.melt(["dataset", "relation", "support"], var_name="scheme", value_name="value")
    item = long["dataset"].map({"tacred": "Figure 1", "semeval2010": "Figure 1, SemEval"})
    return long.assign(paper="W", item=item, model=long["relation"], metric="weight").drop(columns="relation")


def count_editor(counts: Sequence[int] = (100, 10, 1)) -> Any:
    """A widget: edit the counts of the classes and α, and see the weights of every scheme change.

    Needs ipywidgets (an extra of the notebooks) and a running kernel.
    """
    import ipywidgets as widgets
    from IPython.display import display

    names = [f"class {chr(97 + place)}" for place in range(len(counts))]
    boxes = [
        widgets.BoundedIntText(n, min=0, max=10**6, description=name)
        for name, n in zip(names, counts, strict=True)
    ]
    alpha = widgets.FloatSlider(0.5, min=0, max=1.25, step=0.05, description="α")
    shown = widgets.Output()

    def draw(_: object = None) -> None:
        support = [box.value for box in boxes]
        schemes = (*WEIGHTED, f"n^{alpha.value:g}")
        table = pd.DataFrame({scheme: class_weights(support, scheme) for scheme in schemes}, index=names)
        with shown:
            shown.clear_output(wait=True)
            display(table.round(3))

    for control in (*boxes, alpha):
        control.observe(draw, names="value")
    draw()
    return widgets.VBox([*boxes, alpha, shown])
