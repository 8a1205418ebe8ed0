"""Paper W (Harbecke et al. 2022), class weighting: Table 4 from our runs, and one class in a macro average.

Notebook 05 writes `weighted_rows` to `results/tables`; from that file `weighted_table` makes what a reader
wants to see. The rest asks how much of a macro average is one class.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from .. import reporting
from ..metrics import SCHEMES, Policy, average, evaluate, scheme_names
from ..runs import Run

BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in Table 4."""
CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


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
    rows = reporting.run_rows(scores, intervals, {scheme: ("f1", scheme) for scheme in scheme_names()})
    rows += [row for dataset in dict.fromkeys(scores["dataset"]) for row in _test_rows(scores, dataset, pair)]
    signed = {run.dataset: (Policy(negative=run.negative), reporting.original_table(run)) for run in runs}
    for row in rows:
        policy, table = signed[row["dataset"]]
        name = row["metric"] if row["metric"] == "f1" else f"{row['metric']} of f1"
        row["signature"] = policy.signature(table, name, row["scheme"]) + (made if "low" in row else "")
        row |= {"paper": "W", "item": "Table 4" if row["dataset"] == "semeval2010" else "further data"}
    return reporting.tidy_runs(rows, _printed())


def _test_rows(scores: pd.DataFrame, dataset: str, pair: tuple[str, str]) -> list[dict]:
    own = scores[scores["dataset"] == dataset]
    encoder = "".join(own.loc[own["model"] == pair[0], "encoder"].head(1))
    shared = {"dataset": dataset, "model": f"{pair[1]} - {pair[0]}", "encoder": encoder}
    shared["seed_or_agg"] = "test"
    return [
        shared | {"metric": name, "scheme": scheme, "value": test[name]} | test[["runs", "seeds"]].to_dict()
        for scheme, test in reporting.compare_models(own, *pair).iterrows()
        for name in ("p", "p_holm", "d")
        if not pd.isna(test[name])
    ]


def _printed() -> dict[tuple[str, ...], tuple[str, str, str]]:
    """Table 4 for `tidy_runs`."""
    ours = {theirs: ours for ours, theirs in BERT_EM.items()} | {"PTR - BERT_EM": "PTR - EM-ES"}
    cells = {}
    for row in reporting.load_published("W", "Table 4").itertuples():
        names = ("f1", row.statistic) if row.statistic in ("mean", "sd") else (row.statistic, "test")
        key = (row.dataset, ours[row.model], names[0], row.scheme, names[1])
        cells[key] = (row.printed, row.model, "Table 4")
    return cells


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
    own, texts = rows[rows["dataset"] == dataset], reporting.mean_sd_texts(rows, dataset, 1)
    tested = own[own["seed_or_agg"] == "test"].pivot(index="scheme", columns="metric", values="value")
    tested = tested.reindex(columns=["d", "p", "p_holm"])
    tests = tested.map("{:.2g}".format).assign(d=tested["d"].map("{:.1f}".format))
    printed = {key[1:]: text for key, (text, *_) in _printed().items()}
    pair, lines = "PTR - EM-ES", []
    for scheme in dict.fromkeys([*SCHEMES, *own["scheme"]]):
        line = {"scheme": scheme}
        for model, theirs in BERT_EM.items():
            both = [printed.get((model, "f1", scheme, kind)) for kind in ("mean", "sd")]
            line[f"{theirs} published"] = " ± ".join(both) if all(both) else None
            line[f"{model} ours"] = texts.get(("f1", scheme), {}).get(model)
        for name in ("d", "p"):
            line[f"{name} published"] = printed.get((pair, name, scheme, "test"))
            line[f"{name} ours"] = tests[name].get(scheme)
        lines.append(line | {"p ours, Holm": tests["p_holm"].get(scheme)})
    return pd.DataFrame(lines).fillna("–")


TRAINED_ON = {"semeval2010": "all 8,000 sentences", "semeval2010-ptr-split": "PTR's 6,507 sentences"}
"""Data set of a run file → what its models were trained on; the test set is the same."""
PAIR = ("EM-ES", "PTR")
RARE = "Entity-Destination(e2,e1)"
"""The class with one test sentence."""


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
