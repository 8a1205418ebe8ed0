"""Scores of stored runs: of each run, means with intervals and SDs over seeds, tests; printed numbers beside.

Two kinds of doubt, never mixed here. The SD over seeds says how far another *training run* would be off; it
needs at least two runs. A bootstrap interval says how far another *test set* would move the score of one run
(`resampled_intervals`). Missing runs are missing rows, and every mean says of how many runs it is.

The papers fine-tuned BERT and RoBERTa: our encoder is named wherever a number of ours stands beside one of
theirs (`published_model`), and nothing is judged to agree or not.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from operator import attrgetter
from pathlib import Path

import numpy as np
import pandas as pd

from .. import metrics
from ..core import shown, unknown_name
from ..runs import Run, list_runs

DIRECTION = ("performance_original", "performance_paired", "pd", "pir", "ppr")
"""A, B, PD, PIR and PPR, as `DirectionScores` names them."""
_NAMES = ["dataset", "model", "encoder"]


def _original_table(run: Run) -> metrics.Outcome:
    """Gold × predicted on the test set itself, for a run with paired samples or without."""
    outcome = run.outcome()
    return outcome.of("predicted").grouped() if isinstance(outcome, metrics.Outcome) else outcome


def scheme_scores(run: Run) -> dict[str, float]:
    """F1 on the test set under every scheme, fractions; the run's negative class is not averaged.

    >>> table = metrics.Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> scheme_scores(Run.from_outcome(table, dataset="d", model="m"))["macro"]
    0.42857142857142855
    """
    scores = metrics.averages(run.outcome(), negative=run.negative)
    return dict(zip(metrics.scheme_names(), scores.tolist(), strict=True))


def paired_scores(run: Run) -> dict[str, float]:
    """A, B, PD, PIR and PPR of R, fractions; `DIRECTION` names them. A and B are the official macro-F1.

    PIR is nan where nothing is right on the better set. Raises ValueError for a run without paired samples.

    >>> rows, roles = [(0, 0, 0, 3), (1, 1, 0, 1)], ("gold", "predicted", "paired")
    >>> outcomes = metrics.Outcome.from_rows(rows, ("R(e1,e2)", "R(e2,e1)"), roles)
    >>> paired_scores(Run.from_outcome(outcomes, dataset="d", model="m"))["ppr"]
    0.25
    """
    return dict(zip(DIRECTION, _direction(run, run.outcome()).tolist(), strict=True))


def _direction(run: Run, outcomes: metrics.Outcome) -> np.ndarray:
    """(..., 5) the scores `DIRECTION` of the run's outcomes or of replicates of them."""
    if run.kind != "paired" or run.second:
        raise ValueError(f"{run.model} on {run.dataset} has no predictions on paired samples")
    scores = metrics.direction_scores(
        outcomes,
        run.hyperparameters.get("inverse"),  # of data whose relations are not (e1,e2) and (e2,e1)
        performance=lambda table, classes_of: metrics.official_macro(table, run.negative, classes_of),
        classes_of=run.outcome(),
    )
    return np.stack([np.asarray(getattr(scores, name), dtype=float) for name in DIRECTION], axis=-1)


def mixed_runs(
    runs: Iterable[Run], title: Callable[[Run], str] = attrgetter("name")
) -> dict[tuple[str, str, str], str]:
    """Of models whose runs are not all of one device and precision, dataset, model and encoder → the kinds
    that there are; a run that does not say what computed it counts for none. Warns of each.
    """
    kinds: dict[tuple[str, str, str], dict[str, None]] = {}
    for run in runs:
        made_by = [run.environment[name] for name in ("device", "precision") if run.environment.get(name)]
        if made_by:
            seen = kinds.setdefault((run.dataset, title(run), run.encoder or ""), {})
            seen[" ".join(made_by)] = None
    mixed = {key: ", ".join(seen) for key, seen in kinds.items() if len(seen) > 1}
    for (dataset, model, _), text in mixed.items():
        warnings.warn(f"runs of {model} on {dataset} mix {text}", stacklevel=3)
    return mixed


def per_seed(
    runs: Iterable[Run],
    scores: Callable[[Run], Mapping[Hashable, float]],
    title: Callable[[Run], str] = attrgetter("name"),
) -> pd.DataFrame:
    """One row for each score of each run: dataset, model, encoder ('' if there is none), seed, score, value.

    scores : run → name of a score → value, e.g. `scheme_scores` or `paired_scores`. title : run → its model.
    Attribute `attrs["mixed"]`: `mixed_runs`, which means tell beside the seeds.

    >>> run = Run.from_outcome(metrics.Outcome.from_columns(["a"], ["a"]), dataset="d", model="m", seed=9)
    >>> per_seed([run], lambda run: {"n": run.n}).to_numpy().tolist()
    [['d', 'm', '', 9, 'n', 1]]
    """
    runs = list(runs)
    rows = [
        (run.dataset, title(run), run.encoder or "", run.seed, name, value)
        for run in runs
        for name, value in scores(run).items()
    ]
    frame = pd.DataFrame(rows, columns=[*_NAMES, "seed", "score", "value"]).astype({"seed": "Int64"})
    frame.attrs["mixed"] = mixed_runs(runs, title)
    return frame


def _over_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean and sample SD (ddof = 1) over the runs of each model, in the order of first sight.

    rows : as `per_seed` gives them; a score that is undefined in a run (nan) is left out of that mean.
    Columns dataset, model, encoder, score, mean, sd (nan for a single run), runs, seeds (text, with the
    devices and precisions if there are several).

    >>> rows = pd.DataFrame({"dataset": "d", "model": "m", "encoder": "", "seed": [9, 148], "score": "f1"})
    >>> _over_seeds(rows.assign(value=[0.5, 0.7])).round(4).to_numpy().tolist()
    [['d', 'm', '', 'f1', 0.6, 0.1414, 2, '9, 148']]
    """
    groups = rows.dropna(subset="value").groupby([*_NAMES, "score"], sort=False)
    columns = {"mean": ("value", "mean"), "sd": ("value", "std"), "runs": ("value", "size")}
    means = groups.agg(**columns, seeds=("seed", _listed)).reset_index()
    mixed = rows.attrs.get("mixed", {})
    kinds = [mixed.get(key) for key in means[_NAMES].itertuples(index=False, name=None)]
    return means.assign(seeds=means["seeds"] + [f" (mixes {kind})" if kind else "" for kind in kinds])


def _listed(seeds: Iterable[int]) -> str:
    return ", ".join(str(seed) for seed in seeds if not pd.isna(seed))


def compare_models(rows: pd.DataFrame, first: str, second: str) -> pd.DataFrame:
    """Welch's test, Cohen's d with Sawilowsky's word, and Holm's correction between two models.

    The sign is second − first, as in W's Tables 3 and 4. Eq. 4 of d asks for equal numbers of runs, so only
    seeds that both models have are compared. Holm corrects over all rows of the table.

    rows : as `per_seed` gives them, of one data set. Index: the score; columns first, second (means),
    difference, p, p_holm, d, word, runs, seeds. With a single common seed p and d are undefined (nan), with
    none there is no row.

    >>> rows = pd.DataFrame({"model": [*"aaabbb"], "seed": [1, 2, 3] * 2, "score": "f1"})
    >>> table = compare_models(rows.assign(value=[1.0, 2.0, 3.0, 3.0, 4.0, 5.0]), "a", "b")
    >>> table[["first", "second", "difference", "d", "word", "seeds"]].to_numpy().tolist()
    [[2.0, 4.0, 2.0, 2.0, 'huge', '1, 2, 3']]
    """
    both = [rows[rows["model"] == name] for name in (first, second)]
    a, b = (own.pivot(index="seed", columns="score", values="value") for own in both)
    seeds = [seed for seed in a.index if seed in b.index]
    scores = list(rows["score"].unique()) if seeds else []
    tests = [metrics.run_test(b.loc[seeds, score], a.loc[seeds, score]) for score in scores]
    frame = pd.DataFrame(tests, scores, ["difference", "p", "d"], dtype=float)
    frame["first"], frame["second"] = (own.loc[seeds, scores].mean() for own in (a, b))
    frame["p_holm"] = np.array(metrics.holm(frame["p"]), dtype=float)
    frame["word"] = [metrics.sawilowsky(d) for d in frame["d"]]
    frame["runs"], frame["seeds"] = len(seeds), _listed(seeds)
    return frame[["first", "second", "difference", "p", "p_holm", "d", "word", "runs", "seeds"]]


def resampled_intervals(
    runs: Iterable[Run], scores: str = "schemes", replicates: int = 1000, seed: int = 9
) -> pd.DataFrame:
    """Bootstrap intervals (95 %) over the test set: each run's table is resampled, the ends are averaged.

    So the interval is that of a typical single run. Tables of several seeds are *not* added up before: they
    are of the same sentences, so their sum would pass for a larger test set and give too narrow an interval.
    Each run is drawn with a generator of its own, so that a new run moves no interval of another.

    scores : 'schemes' for `scheme_scores`, 'direction' for `paired_scores`; ValueError for another name.
    Columns dataset, model, encoder, score, low, high, runs.

    >>> table = metrics.Outcome.from_rows([(0, 0, 50), (1, 1, 50)], ("a", "b"))
    >>> run = Run.from_outcome(table, dataset="d", model="m", seed=9)
    >>> resampled_intervals([run], replicates=10)[["score", "low", "high"]].to_numpy().tolist()[-1]
    ['macro', 1.0, 1.0]
    """
    if scores not in ("schemes", "direction"):
        raise ValueError(f"scores is {scores!r}: give 'schemes' or 'direction'")
    rows, runs = [], list(runs)
    mixed_runs(runs)
    for run in runs:
        if scores == "schemes":
            table, names = _original_table(run), metrics.scheme_names()
            score = partial(metrics.averages, classes_of=table, negative=run.negative)
        else:
            table, names, score = run.outcome(), DIRECTION, partial(_direction, run)
        interval = metrics.bootstrap_intervals(table, score, np.random.default_rng(seed), replicates)
        for name, ends in interval.named(names).items():
            rows.append((run.dataset, run.name, run.encoder or "", name, ends.low, ends.high))
    frame = pd.DataFrame(rows, columns=[*_NAMES, "score", "low", "high"])
    grouped = frame.groupby([*_NAMES, "score"], sort=False)
    return grouped.agg(low=("low", "mean"), high=("high", "mean"), runs=("low", "size")).reset_index()


def epoch_runs(folder: Path | str, **where: str) -> dict[int, list[Run]]:
    """The runs in `folder` that were stored after each epoch, as variants `epoch-<n>`, which is taken off.

    `where` as for `list_runs`. No such folder gives an empty mapping.
    """
    epochs: dict[int, list[Run]] = {}
    for run in list_runs(folder=folder, **where):
        if matched := re.search(r"(?:^|\+)epoch-(\d+)$", run.variant):
            usual = replace(run, variant=run.variant[: matched.start()])
            epochs.setdefault(int(matched[1]), []).append(usual)
    return dict(sorted(epochs.items()))


def run_rows(scores: pd.DataFrame, intervals: pd.DataFrame | None = None) -> pd.DataFrame:
    """Rows of single runs, means and SDs; an undefined value has no row.

    scores : as `per_seed` gives them. intervals : as `resampled_intervals`; their ends go with the means.
    Columns dataset, model, encoder, score, seed_or_agg, value, low, high, runs, seeds.
    """
    key, means = [*_NAMES, "score"], _over_seeds(scores)
    single = scores.assign(seed_or_agg="seed-" + scores["seed"].astype(str)).dropna(subset="seed")
    mean, sd = (means.assign(seed_or_agg=kind, value=means[kind]) for kind in ("mean", "sd"))
    if intervals is not None and len(intervals):
        mean = mean.merge(intervals[[*key, "low", "high"]], "left", key)
    rows = pd.concat([single, mean, sd], ignore_index=True).dropna(subset="value")
    return rows.reindex(columns=[*key, "seed_or_agg", "value", "low", "high", "runs", "seeds"])


def runs_with(encoder: str, datasets: Iterable[str]) -> list[Run]:
    """The runs of profile standard that read with this encoder, or with none.

    Raises ValueError, with the known names, for an encoder that no run has.
    """
    runs = [run for name in datasets for run in list_runs(name, profile="standard")]
    known = sorted({run.encoder for run in runs if run.seed is not None})
    if known and encoder not in known:
        raise unknown_name("encoder", encoder, known)
    return [run for run in runs if run.seed is None or run.encoder == encoder]


SETTINGS = ("dataset", "split", "profile", "encoder", "seed", "negative", "variant")
"""Fields of a run that `settings_table` shows beside its hyperparameters."""


def settings_table(runs: Run | Iterable[Run]) -> pd.DataFrame:
    """Everything that was set in some runs: one row a setting, one column a model.

    What belongs to the run itself comes first, then each hyperparameter and option, then the sha256 (first 12
    digits) of each input file. Runs of one model on one data set share a column: equal values stand there
    once, others side by side in the order of the runs, as seeds do. '' where a model has no such setting.

    Raises ValueError if there is no run.

    >>> given = {"dataset": "demo", "model": "em-c", "hyperparameters": {"epochs": 3}}
    >>> table = metrics.Outcome.from_columns(["a"], ["a"])
    >>> settings_table([Run.from_outcome(table, seed=seed, **given) for seed in (9, 148)])["em-c"].to_dict()
    {'dataset': 'demo', 'split': 'test', 'seed': '9, 148', 'epochs': '3'}
    """
    rows = []
    for run in [runs] if isinstance(runs, Run) else runs:
        values = {name: getattr(run, name) for name in SETTINGS if getattr(run, name) not in (None, "")}
        # Sorted as a run file has them: a run that was just trained and a stored one give one table.
        values |= dict(sorted(run.hyperparameters.items()))
        for name, value in sorted(run.options.items()):  # `dropout` of the settings is the encoder's
            values[f"option {name}" if name in values else name] = value
        values |= {f"sha256 of {name}": digest[:12] for name, digest in sorted(run.files.items())}
        for name, value in values.items():
            nested = isinstance(value, dict | list | tuple)
            text = json.dumps(value, ensure_ascii=False) if nested else str(value)
            rows.append((run.name, run.dataset, name, text))
    if not rows:
        raise ValueError("runs is empty: there are no settings to show")
    frame = pd.DataFrame(rows, columns=["model", "dataset", "setting", "value"]).drop_duplicates()
    if (frame.groupby("model")["dataset"].nunique() > 1).any():
        frame["model"] += ", " + frame["dataset"]
    table = frame.groupby(["setting", "model"])["value"].agg(", ".join).unstack(fill_value="")
    own, sums = frame["setting"].isin(SETTINGS), frame["setting"].str.startswith("sha256 of ")
    order = pd.concat([frame[own], frame[~own & ~sums], frame[sums]])["setting"].unique()
    return table.loc[order, frame["model"].unique()].rename_axis(index=None, columns=None)


def majority_text(run: Run) -> str:
    """One line: whether the run beats the majority baseline, in accuracy and under every scheme.

    The baseline always answers the most frequent relation of the training samples, if the run says which it
    was; else the most frequent one of the test set, which no constant answer beats in accuracy. A majority
    that is the negative class has no F1 but 0. ValueError for a run that is not of single labels.

    >>> table = metrics.Outcome.from_columns(["a", "b", "b", "b"], ["a", "b", "b", "b"])
    >>> majority_text(Run.from_outcome(table, dataset="d", model="m"))
    "beats the majority baseline (always 'b', accuracy 75.00) in accuracy and under every scheme"
    """
    if run.kind not in ("confusion", "paired"):
        raise ValueError(f"{run.model} on {run.dataset} has an outcome of {run.kind}, not of single labels")
    known, table = run.facts.get("majority"), _original_table(run)
    label = known if known in table.labels else table.labels[int(np.argmax(table.per_class().gold))]
    always = np.full_like(table.roles["gold"], table.labels.index(label))
    constant = metrics.Outcome(table.roles | {"predicted": always}, table.counts, table.labels)
    names, pair = ["accuracy", *metrics.scheme_names()], (table, constant)
    scores = ([each.accuracy, *metrics.averages(each, negative=run.negative)] for each in pair)
    rows = list(zip(names, *scores, strict=True))
    worse = [f"{name} {100 * a:.2f} against {100 * b:.2f}" for name, a, b in rows if not a > b]
    baseline = f"the majority baseline (always {shown(label)}, accuracy {100 * constant.accuracy:.2f})"
    if worse:
        return f"does not beat {baseline}: {', '.join(worse)}"
    return f"beats {baseline} in accuracy and under every scheme"
