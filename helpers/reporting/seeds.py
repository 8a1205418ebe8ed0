"""Runs that differ only in their seed: scores of each, mean and SD over them, and a test between two models.

Two kinds of doubt, never mixed here. The SD over seeds says how far another *training run* would be off; it
needs at least two runs. A bootstrap interval says how far another *test set* would move the score of one run
(`resampled_intervals`). Missing runs are missing rows, and every mean says of how many runs it is.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd

from ..metrics import (
    DirectionScores,
    FewRunsWarning,
    Outcome,
    averages,
    bootstrap_intervals,
    direction_scores,
    holm,
    mean_and_sd,
    official_macro,
    run_test,
    sawilowsky,
    scheme_names,
)
from ..runs import Run, list_runs

DIRECTION = ("performance_original", "performance_paired", "pd", "pir", "ppr")
"""A, B, PD, PIR and PPR, as `DirectionScores` names them."""
_NAMES = ["dataset", "model", "encoder"]


def original_table(run: Run) -> Outcome:
    """Gold × predicted on the test set itself, for a run with paired samples or without.

    >>> outcomes = Outcome.from_rows([(0, 1, 1, 5)], ("a", "b"), ("gold", "predicted", "paired"))
    >>> original_table(Run.from_outcome(outcomes, dataset="d", model="m")).n
    5
    """
    outcome = run.outcome()
    return outcome.of("predicted").grouped() if isinstance(outcome, Outcome) else outcome


def scheme_scores(run: Run) -> dict[str, float]:
    """F1 on the test set under every scheme, fractions; the run's negative class is not averaged.

    >>> table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> scheme_scores(Run.from_outcome(table, dataset="d", model="m"))["macro"]
    0.42857142857142855
    """
    found = averages(original_table(run), negative=run.negative)
    return dict(zip(scheme_names(), found.tolist(), strict=True))


def paired_scores(run: Run) -> dict[str, float]:
    """A, B, PD, PIR and PPR of R, fractions; `DIRECTION` names them. A and B are the official macro-F1.

    Undefined: PIR is nan where nothing is right on the better set.

    Raises ValueError for a run without paired samples.

    >>> rows, roles = [(0, 0, 0, 3), (1, 1, 0, 1)], ("gold", "predicted", "paired")
    >>> outcomes = Outcome.from_rows(rows, ("R(e1,e2)", "R(e2,e1)"), roles)
    >>> paired_scores(Run.from_outcome(outcomes, dataset="d", model="m"))["ppr"]
    0.25
    """
    return dict(zip(DIRECTION, _direction(run, run.outcome()).tolist(), strict=True))


def _direction(run: Run, outcomes: Outcome) -> np.ndarray:
    """(..., 5) the scores `DIRECTION` of the run's outcomes or of replicates of them."""
    if run.kind != "paired" or run.second:
        raise ValueError(f"{run.model} on {run.dataset} has no predictions on paired samples")
    found: DirectionScores = direction_scores(
        outcomes,
        run.hyperparameters.get("inverse"),  # of data whose relations are not (e1,e2) and (e2,e1)
        performance=lambda table, classes_of: official_macro(table, run.negative, classes_of),
        classes_of=run.outcome(),
    )
    return np.stack([np.asarray(getattr(found, name), dtype=float) for name in DIRECTION], axis=-1)


class MixedRunsWarning(UserWarning):
    """Runs that are averaged were computed on several devices, or in several precisions."""


def mixed_runs(
    runs: Iterable[Run], title: Callable[[Run], str] = attrgetter("name")
) -> dict[tuple[str, str, str], str]:
    """Of models whose runs are not all of one device and precision, dataset, model and encoder → the kinds
    that there are; a run that does not say what computed it counts for none.

    Warns `MixedRunsWarning` of each, so that no mean of them is taken without a word.
    """
    kinds: dict[tuple[str, str, str], dict[str, None]] = {}
    for run in runs:
        made_by = [run.environment[name] for name in ("device", "precision") if run.environment.get(name)]
        if made_by:
            found = kinds.setdefault((run.dataset, title(run), run.encoder or ""), {})
            found[" ".join(made_by)] = None
    mixed = {key: ", ".join(found) for key, found in kinds.items() if len(found) > 1}
    for (dataset, model, _), text in mixed.items():
        warnings.warn(f"runs of {model} on {dataset} mix {text}", MixedRunsWarning, stacklevel=3)
    return mixed


def per_seed(
    runs: Iterable[Run],
    scores: Callable[[Run], Mapping[Hashable, float]],
    title: Callable[[Run], str] = attrgetter("name"),
) -> pd.DataFrame:
    """One row for each score of each run: dataset, model (and variant), encoder ('' if there is none), seed,
    score, value. Attribute `attrs["mixed"]`: `mixed_runs`, which `over_seeds` tells beside the seeds.

    Parameters
    ----------
    scores : run → name of a score → value, e.g. `scheme_scores` or `paired_scores`.
    title : run → what stands in the column model.

    >>> run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="d", model="m", seed=9)
    >>> per_seed([run], lambda run: {"n": run.n}).to_numpy().tolist()
    [['d', 'm', '', 9, 'n', 1]]
    """
    runs = list(runs)
    rows = [
        (run.dataset, title(run), run.encoder or "", run.seed, name, value)
        for run in runs
        for name, value in scores(run).items()
    ]
    frame = pd.DataFrame(rows, columns=[*_NAMES, "seed", "score", "value"])
    frame = frame.astype({"seed": "Int64"})
    frame.attrs["mixed"] = mixed_runs(runs, title)
    return frame


def over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean and sample SD (ddof = 1) over the runs of each model, in the order of first sight.

    Parameters
    ----------
    rows : as `per_seed` gives them. A score that is undefined in a run (nan) is left out of that mean.

    Returns
    -------
    dataset, model, encoder, score, mean, sd (nan for a single run, which has none), runs, seeds (text, with
    the devices and precisions if there are several: `mixed_runs`).

    >>> rows = pd.DataFrame({"dataset": "d", "model": "m", "encoder": "", "seed": [9, 148], "score": "f1"})
    >>> over_seeds(rows.assign(value=[0.5, 0.7])).round(4).to_numpy().tolist()
    [['d', 'm', '', 'f1', 0.6, 0.1414, 2, '9, 148']]
    """
    found = []
    for key, group in rows.dropna(subset="value").groupby([*_NAMES, "score"], sort=False):
        mean, sd, runs = mean_and_sd(group["value"])
        mixed = rows.attrs.get("mixed", {}).get(key[:3])
        seeds = _listed(group["seed"]) + (f" (mixes {mixed})" if mixed else "")
        found.append((*key, mean, sd if runs > 1 else np.nan, runs, seeds))
    return pd.DataFrame(found, columns=[*_NAMES, "score", "mean", "sd", "runs", "seeds"])


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(str(seed) for seed in seeds if not pd.isna(seed))


def compare_models(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Welch's test, Cohen's d with Sawilowsky's word, and Holm's correction between two models.

    The sign is second − first, as in W's Tables 3 and 4. Eq. 4 of d asks for equal numbers of runs, so only
    seeds that both models have are compared. Holm corrects over all rows of the table. `FewRunsWarning` is
    not raised: `runs` says how many there are.

    Parameters
    ----------
    rows : as `per_seed` gives them, of one data set.

    Returns
    -------
    Index: the score; columns first, second (means), difference, p, p_holm, d, word, runs, seeds. With a
    single common seed p and d are undefined (nan), with none there is no row.

    >>> rows = pd.DataFrame({"model": [*"aaabbb"], "seed": [1, 2, 3] * 2, "score": "f1"})
    >>> found = compare_models(rows.assign(value=[1.0, 2.0, 3.0, 3.0, 4.0, 5.0]), "a", "b")
    >>> found[["first", "second", "difference", "d", "word", "seeds"]].to_numpy().tolist()
    [[2.0, 4.0, 2.0, 2.0, 'huge', '1, 2, 3']]
    """
    wide = {
        name: rows[rows["model"] == name].pivot(index="seed", columns="score", values="value")
        for name in (first, second)
    }
    seeds = [seed for seed in wide[first].index if seed in wide[second].index]
    tested = {
        score: _tested(wide[first].loc[seeds, score], wide[second].loc[seeds, score])
        for score in rows["score"].unique()
        if seeds
    }
    frame = pd.DataFrame.from_dict(tested, orient="index", columns=["first", "second", "p", "d"])
    return frame.assign(
        difference=frame["second"] - frame["first"],
        p_holm=np.array(holm(frame["p"]), dtype=float),
        word=[sawilowsky(d) for d in frame["d"]],
        runs=len(seeds),
        seeds=_listed(seeds),
    )[["first", "second", "difference", "p", "p_holm", "d", "word", "runs", "seeds"]]


def _tested(a: Sequence[float], b: Sequence[float]) -> tuple[float, float, float, float]:
    with warnings.catch_warnings(action="ignore", category=FewRunsWarning):
        test = run_test(b, a)
    return test.mean_b, test.mean_a, test.p, test.d


def resampled_intervals(
    runs: Iterable[Run], scores: str = "schemes", replicates: int = 1000, seed: int = 9
) -> pd.DataFrame:
    """Bootstrap intervals (95 %) over the test set: each run's table is resampled, the ends are averaged.

    So the interval is that of a typical single run. Tables of several seeds are *not* added up before: they
    are of the same sentences, so their sum would pass for a larger test set and give too narrow an interval.
    Each run is drawn with a generator of its own, so that a new run moves no interval of another.

    Parameters
    ----------
    scores : 'schemes' for `scheme_scores`, 'direction' for `paired_scores`.

    Returns
    -------
    dataset, model, encoder, score, low, high, runs.

    Raises ValueError for another name of scores.

    >>> table = Outcome.from_rows([(0, 0, 50), (1, 1, 50)], ("a", "b"))
    >>> run = Run.from_outcome(table, dataset="d", model="m", seed=9)
    >>> resampled_intervals([run], replicates=10)[["score", "low", "high"]].to_numpy().tolist()[-1]
    ['macro', 1.0, 1.0]
    """
    if scores not in ("schemes", "direction"):
        raise ValueError(f"scores is {scores!r}: give 'schemes' or 'direction'")
    found, runs = [], list(runs)
    mixed_runs(runs)
    for run in runs:
        if scores == "schemes":
            table, names = original_table(run), scheme_names()
            score = partial(averages, classes_of=table, negative=run.negative)
        else:
            table, names, score = run.outcome(), DIRECTION, partial(_direction, run)
        interval = bootstrap_intervals(table, score, np.random.default_rng(seed), replicates)
        ends = zip(names, np.atleast_1d(interval.low), np.atleast_1d(interval.high), strict=True)
        found += [(run.dataset, run.name, run.encoder or "", *end) for end in ends]
    frame = pd.DataFrame(found, columns=[*_NAMES, "score", "low", "high"])
    grouped = frame.groupby([*_NAMES, "score"], sort=False)
    return grouped.agg(low=("low", "mean"), high=("high", "mean"), runs=("low", "size")).reset_index()


def epoch_runs(folder: Path | str, **where: str) -> dict[int, list[Run]]:
    """The runs in `folder` that were stored after each epoch, as variants `epoch-<n>`, which is taken off.

    `where` as for `list_runs`. No such folder gives an empty mapping.

    >>> epoch_runs("no-such-folder")
    {}
    """
    epochs: dict[int, list[Run]] = {}
    for run in list_runs(folder=folder, **where):
        if found := re.search(r"(?:^|\+)epoch-(\d+)$", run.variant):
            usual = replace(run, variant=run.variant[: found.start()])
            epochs.setdefault(int(found[1]), []).append(usual)
    return dict(sorted(epochs.items()))


def mean_sd(values: pd.Series, decimals: int) -> str:
    """Mean ± SD (ddof 1) as text; one value alone has no SD, none is '–'.

    >>> mean_sd(pd.Series([1.0, 2.0, None]), 1), mean_sd(pd.Series([2.0]), 1)
    ('1.5 ± 0.7', '2.0')
    """
    values = values.dropna()
    if values.empty:
        return "–"
    spread = f" ± {values.std(ddof=1):.{decimals}f}" if len(values) > 1 else ""
    return f"{values.mean():.{decimals}f}{spread}"


def cells(scores: pd.DataFrame, by: str, decimals: int = 2, scale: float = 100) -> pd.DataFrame:
    """Mean ± SD over runs as text: a row for each value of `by`, a column for each score, then `runs`.

    scores : as `per_seed` gives them. scale : 100 shows fractions in per cent.

    >>> two = pd.DataFrame({"model": "EM-C", "seed": [9, 148], "score": "A", "value": [0.84, 0.86]})
    >>> cells(two, "model", 1).to_dict("index")
    {'EM-C': {'A': '85.0 ± 1.4', 'runs': 2}}
    """
    groups = scores.groupby([by, "score"], sort=False)["value"]
    text = groups.agg(lambda values: mean_sd(scale * values.astype(float), decimals)).unstack()
    counts = groups.size().groupby(level=0).max()
    rows = list(dict.fromkeys(scores[by]))
    return text.reindex(rows).rename_axis(columns=None).assign(runs=counts)
