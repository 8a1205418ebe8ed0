"""The README's table of multi-label classifiers, from the table that notebook 09 wrote."""

from __future__ import annotations

from pathlib import Path

from .. import ROOT
from .tables import read_tidy

TABLE = ROOT / "results" / "tables" / "09_multilabel.csv"
CORPORA = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}
MODELS = (
    "1vsrest",
    "1vsrest without bias",
    "thresholding",
    "thresholding scut-fbr",
    "cost_sensitive",
    "cost_sensitive without bias",
    "cost_sensitive_micro",
    "tree",
)
METRICS = ("P@1", "P@3", "P@5", "Macro-F1", "Micro-F1")
SCHEMES = ("micro", "weighted", "dodrans", "entropy", "macro")


def multilabel_markdown(path: Path | str = TABLE) -> str:
    """One row a corpus and method: the public package's P@1 / P@3 / P@5 / Macro / Micro, ours, F1 by scheme.

    >>> multilabel_markdown().splitlines()[2].split(" | ")[1:4]
    ['1vsrest', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651']
    """
    table = read_tidy(path)
    head = ["corpus", "method", "P@1 / 3 / 5, Macro-, Micro-F1: package", "ours", f"F1 {' / '.join(SCHEMES)}"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for dataset, corpus in CORPORA.items():
        for model in MODELS:
            rows = table[(table["dataset"] == dataset) & (table["model"] == model)]
            if not len(rows):
                continue
            named = rows[rows["scheme"] == ""].set_index("metric")
            schemes = rows[rows["metric"] == "f1"].set_index("scheme")["value"]
            package = " / ".join(named.loc[list(METRICS), "published"].replace("", "–"))
            cells = [
                corpus,
                model,
                "–" if set(package) <= set("– /") else package,
                " / ".join(f"{value:.4f}" for value in named.loc[list(METRICS), "value"]),
                " / ".join(f"{100 * value:.1f}" for value in schemes.loc[list(SCHEMES)]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
