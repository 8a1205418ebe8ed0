"""Paper W (Harbecke et al. 2022), class weighting: Table 4 from our runs, and one class in a macro average.

Notebook 06 writes `weighted_rows` to `results/tables`; from that file `weighted_table` makes what a reader
wants to see. The rest asks how much of a macro average is one class.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from ..metrics import Policy, average, evaluate, scheme_names
from ..reporting import (
    TABLES_FOLDER,
    compare_models,
    load_published,
    mean_sd_text,
    original_table,
    per_seed,
    read_tidy,
    run_numbers,
    run_rows,
    runs_named,
    scheme_scores,
    tidy_runs,
    to_markdown,
)
from ..runs import Run

PRINTED_SCHEMES = ("micro", "weighted", "dodrans", "entropy", "macro")
"""The schemes that the paper printed numbers of, in its order; `scheme_names` has all that are known."""
BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in Table 4."""
CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


def class_effect(run: Run, label: str) -> dict[str, float]:
    """A class in the macro-F1 of a run: `CLASS_EFFECTS`; f1 and the two macro-F1s are fractions.

    Without the class, mistakes that involve it stay mistakes of the others. Raises ValueError if the run has
    no such label, KeyError without a gold sample of it.

    >>> from helpers.metrics import Confusion
    >>> table = Confusion.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
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
    """W's Table 4, published | ours, for the README; FileNotFoundError if notebook 06 has not written it."""
    rows = read_tidy(Path(folder) / "06_weighted_f1.csv").query("scheme in @PRINTED_SCHEMES")
    return f"{to_markdown(weighted_table(rows))}\n\n{runs_named(rows, 'semeval2010', list(BERT_EM))}"
