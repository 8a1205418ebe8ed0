"""Paper D (Gao et al. 2021), distant supervision: real ranked lists, and our trained models of bags on GIDS.

The lists are run files of published systems (`helpers.papers.protocols`), so nothing here needs data. Lists
stop at different recalls and count different facts: what may be compared with what is part of every table.
Ours are trained on the development part of GIDS (1,082 pairs), the published systems on its training part,
which is not at hand: levels are not comparable, only what differs among ours is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .. import metrics
from ..reporting import TABLES_FOLDER, cells, mixed_runs, per_seed
from ..runs import Run, list_published, list_runs

MEASURES = ("auc", "average_precision", "micro_f1", "macro_f1", *(f"P@{n}" for n in metrics.PRECISION_AT))


def published_lists(dataset: str) -> dict[str, Run]:
    """The stored lists of published systems, by name, in the order of their areas.

    >>> list(published_lists("gids"))[:2]
    ['RESIDE RESIDE', 'Jat PCNN']
    """
    runs = list_published(dataset, kind="facts")
    return {run.model: run for run in sorted(runs, key=lambda run: -ranking_of(run).auc())}


def ranking_of(run: Run) -> metrics.FactRanking:
    """The ranked list of a run, over its labels without the negative class.

    >>> len(ranking_of(published_lists("nyt10")["NRE CNN+ATT"]))
    2000
    """
    return run.outcome().ranking(run.labels, run.negative)


def system_name(run: Run) -> str:
    """Model, training and strategy as paper D writes them: 'PCNN+bag+ATT'."""
    return "+".join(filter(None, (run.model, run.variant)))


def _sample_of(run: Run) -> metrics.FactSample:
    """The whole list to be drawn again, by `_drawn_unit`."""
    ranking = ranking_of(run).completed()
    if _drawn_unit(run) == "fact":
        return metrics.FactSample.of(ranking)
    pairs = np.array(run.outcome().pairs)
    return metrics.FactSample.of(ranking, pairs, np.bincount(pairs[ranking.hits], minlength=pairs.max() + 1))


def _drawn_unit(run: Run) -> str:
    """What the bootstrap draws: 'pair' where the list names its pairs and holds all their facts, else 'fact'.

    >>> _drawn_unit(published_lists("gids")["Jat PCNN"]), _drawn_unit(published_lists("nyt10")["NRE CNN+ATT"])
    ('pair', 'fact')
    """
    ranking = ranking_of(run)
    is_whole = ranking.true_positives[-1] == ranking.facts
    return "pair" if run.outcome().pairs is not None and is_whole else "fact"


def list_scores(
    runs: Mapping[str, Run], recall: float | None = None, replicates: int = 0, seed: int = 1
) -> pd.DataFrame:
    """The measures of each list, up to a common recall if one is given.

    Returns
    -------
    Columns system, facts (that the publisher counted), n (predicted facts), recall (the common one, nan for
    whole lists), ends_at (recall), precision (there), `FACT_MEASURES`, P@100 … (nan beyond the end or at
    ranks that are not known), drawn (`_drawn_unit`), and low, high of `auc` if there are replicates: of the
    whole list drawn again, each replicate cut at the common recall. Lists that do not reach it are left out.

    >>> list_scores(published_lists("nyt10")).set_index("system").loc["NRE CNN+ONE", "auc"].round(4).item()
    0.1733
    """
    rows = []
    for name, run in runs.items():
        ranking = ranking_of(run)
        if recall is not None and ranking.recall[-1] < recall:
            continue
        ranking = ranking if recall is None else ranking.until(recall)
        row = {"system": name, "facts": ranking.facts, "n": len(ranking)}
        row |= {"recall": np.nan if recall is None else recall, "ends_at": ranking.recall[-1]}
        row |= {"precision": ranking.precision[-1], "drawn": _drawn_unit(run)} | metrics.fact_scores(ranking)
        if replicates:
            drawn = partial(metrics.FactSample.scores, recall=recall), np.random.default_rng(seed), replicates
            interval = metrics.bootstrap_intervals(_sample_of(run), *drawn)
            row |= {"low": interval.low[0], "high": interval.high[0]}
        rows.append(row)
    table = pd.DataFrame(rows).drop(columns=["rank", "threshold"])
    return table.sort_values("auc", ascending=False, ignore_index=True)


def fact_rows(scores: pd.DataFrame, dataset: str, item: str, replicates: int, seed: int) -> list[dict]:
    """Rows of a tidy table from `list_scores`; nobody published these numbers.

    The signature says, as that of `evaluation.FactReport`, which area it is, up to which recall, and what the
    bootstrap draws.
    """
    areas = dict(zip(metrics.FACT_MEASURES, metrics.AREAS, strict=False))
    shared, rows = {"paper": "D", "item": item, "dataset": dataset}, []
    for row in scores.to_dict("records"):
        cut = "all" if np.isnan(row["recall"]) else f"{row['recall']:g}"
        drawn = f"|recall:{cut}|drawn:{row['drawn']}|n:{row['n']}|facts:{row['facts']}|v:{metrics.RULES}"
        for measure in (*metrics.FACT_MEASURES, *(f"P@{n}" for n in metrics.PRECISION_AT)):
            signature = "facts|level:bag" + (f"|area:{areas[measure]}" if measure in areas else "") + drawn
            made = shared | {"model": row["system"], "metric": measure, "value": row[measure]}
            if measure == "auc" and "low" in row:
                made |= {"low": row["low"], "high": row["high"]}
                signature += metrics.bootstrap_suffix(replicates, seed)
            rows.append(made | {"signature": signature})
    return [row for row in rows if not np.isnan(row["value"])]


def relation_scores(ranking: metrics.FactRanking, schemes: Sequence[str] | None = None) -> dict[str, float]:
    """F1 at the best threshold of a list under each weighting scheme over the relations (None: all that are
    known), and of each relation; fractions."""
    counts = ranking.counts_until(ranking.best_f1()[1])
    names, values = list(schemes or metrics.scheme_names()), metrics.averages(counts, schemes).tolist()
    f1 = np.nan_to_num(metrics.CLASS_SCORES["f1"](counts)).tolist()
    return dict(zip([*names, *map(str, counts.labels)], [*values, *f1], strict=True))


def precision_curves(
    runs: Mapping[str, Run], replicates: int = 200, seed: int = 1, points: int = 60
) -> pd.DataFrame:
    """Precision at evenly spaced recalls with a 95 % bootstrap band, in per cent.

    Returns columns system, recall, precision, low, high. In a replicate the precision at a recall is that of
    the first rank that reaches it; where fewer than nine tenths of the replicates do, the curve ends.
    """
    frames = []
    for name, run in runs.items():
        recall = np.linspace(0, ranking_of(run).completed().recall[-1], points + 1)[1:]
        drawn = partial(_precision_at, recalls=recall), np.random.default_rng(seed), replicates
        band = metrics.bootstrap_intervals(_sample_of(run), *drawn)
        columns = {"recall": recall, "precision": band.value, "low": band.low, "high": band.high}
        frames.append((100 * pd.DataFrame(columns)).assign(system=name))
    return pd.concat(frames, ignore_index=True)


def _precision_at(sample: metrics.FactSample, recalls: np.ndarray) -> np.ndarray:
    """(…, R) the precision of each replicate at R recalls, nan beyond its end."""

    def precision(counts: np.ndarray) -> np.ndarray:
        weight = counts[sample.units].astype(float)
        ranks, hits = weight.cumsum(), (weight * sample.hits).cumsum()
        recall = hits / max(counts @ sample.facts_of_unit, 1)
        rank = np.searchsorted(recall, recalls - 1e-12)
        inside = np.minimum(rank, len(recall) - 1)
        return np.where(rank < len(recall), hits[inside] / np.maximum(ranks[inside], 1), np.nan)

    return np.apply_along_axis(precision, -1, sample.counts)


def hit_shares(runs: Mapping[str, Run], top: int = 4) -> pd.DataFrame:
    """Of each list's true facts, the share of each relation, in per cent; lists without relations are out.

    Returns columns system, relation (the `top` most frequent over all lists, then 'other'), share, hits.
    """
    counts = {}
    for name, run in runs.items():
        ranking = ranking_of(run)
        if ranking.relations is not None and ranking.hits is not None:
            of_relation = np.bincount(ranking.relations[ranking.hits], minlength=len(ranking.labels))
            counts[name] = pd.Series(of_relation, index=ranking.labels)
    table = pd.DataFrame(counts)
    named = table.sum(axis=1).nlargest(top).index
    table = pd.concat([table.loc[named], table.drop(named).sum().to_frame("other").T]).rename_axis("relation")
    rows = table.reset_index().melt("relation", var_name="system", value_name="hits")
    rows["share"] = 100 * rows["hits"] / rows.groupby("system")["hits"].transform("sum")
    return rows[["system", "relation", "share", "hits"]]


def compare_lists(
    pairs: Iterable[tuple[Run, Run]],
    recall: float | None = None,
    replicates: int = 2000,
    seed: int = 1,
    paired: bool = True,
) -> pd.DataFrame:
    """Bootstrap of the differences of lists: paired by entity pair, where both name them in one numbering.

    Parameters
    ----------
    pairs : two runs each. recall : both are cut there, in every replicate by itself; needed where they end
        at different recalls. Replicates in which a list does not reach it are left out.
    paired : False draws each list by itself, for lists that do not name their pairs; the interval is too wide
        where they find the same facts (`unpaired_bootstrap`).

    Returns columns first, second, measure, difference (first − second), low, high, p, p_holm (over all rows).

    Raises ValueError for lists without pairs, or with different numbers of facts; for a recall that one of
    them does not reach.
    """
    tables = []
    for both in pairs:
        for run in both if recall is not None else ():
            ranking_of(run).until(recall)  # refuses
        drawn = partial(metrics.FactSample.scores, recall=recall), np.random.default_rng(seed), replicates
        if paired:
            test = metrics.paired_bootstrap(*_paired_samples(*both), *drawn)
        else:
            test = metrics.unpaired_bootstrap(*map(_sample_of, both), *drawn)
        measures, (first, second) = list(metrics.FACT_MEASURES), map(system_name, both)
        columns = {"difference": test.value, "low": test.low, "high": test.high, "p": test.p}
        values = {name: column[: len(measures)] for name, column in columns.items()}
        tables.append(pd.DataFrame({"first": first, "second": second, "measure": measures} | values))
    table = pd.concat(tables, ignore_index=True)
    return table.assign(p_holm=metrics.holm(table["p"].tolist()))


def _paired_samples(first: Run, second: Run) -> list[metrics.FactSample]:
    """Both lists over the same units: pairs by number; facts that neither found stand by themselves."""
    runs = (first, second)
    rankings = [ranking_of(run) for run in runs]
    if any(run.outcome().pairs is None for run in runs) or rankings[0].facts != rankings[1].facts:
        names = " and ".join(map(system_name, runs))
        raise ValueError(f"{names} cannot be paired: other facts, or unnamed pairs")
    lists = [(ranking, np.array(run.outcome().pairs)) for ranking, run in zip(rankings, runs, strict=True)]
    true: set[tuple[int, int]] = set()
    for ranking, pairs in lists:
        true |= set(zip(pairs[ranking.hits], ranking.relations[ranking.hits], strict=True))
    units = max(pairs.max() for _, pairs in lists) + 1
    of_unit = np.bincount([int(pair) for pair, _ in true], minlength=units)
    of_unit = np.r_[of_unit, np.ones(rankings[0].facts - len(true), dtype=np.int64)]
    return [metrics.FactSample.of(ranking, pairs, of_unit) for ranking, pairs in lists]


def bag_runs(dataset: str = "gids") -> list[Run]:
    """The stored runs of models that were trained here, by name and seed.

    >>> system_name(bag_runs()[0])
    'BERT-entity+bag+ATT'
    """
    runs = list_runs(dataset, kind="facts", profile="standard")
    return sorted(runs, key=lambda run: (system_name(run), run.seed or 0))


def bag_scores(runs: Sequence[Run]) -> pd.DataFrame:
    """`MEASURES` and the F1 of each relation, a row for each run: system, seed, seconds, steps (optimiser
    steps, nan where nothing is trained in epochs), then the scores."""
    rows = []
    mixed_runs(runs, system_name)
    for run in runs:
        ranking = ranking_of(run)
        measured, single = metrics.fact_scores(ranking), relation_scores(ranking, ["macro"])
        row: dict[str, Any] = {"system": system_name(run), "seed": run.seed, "seconds": run.wall_seconds}
        row |= {"steps": _steps(run)} | {name: measured[name] for name in MEASURES if name in measured}
        rows.append(row | {"macro_f1": single.pop("macro")} | single)
    return pd.DataFrame(rows)


def _steps(run: Run) -> float:
    """Optimiser steps of the training: batches of sentences, or of bags, in all epochs."""
    settings = run.hyperparameters | run.options
    if "batch_size" not in settings or "training_bags" not in settings:
        return np.nan
    examples = settings["training_bags"]
    if settings.get("training") == "sentence":
        counts = pd.read_csv(TABLES_FOLDER / "16_fingerprint.csv", index_col="count")
        examples = int(float(counts.loc["sentences", "train"]))
    return float(settings["epochs"] * np.ceil(examples / settings["batch_size"]))


def wiki80_table() -> pd.DataFrame:
    """BERT-entity and PCNN on single sentences of Wiki80: system with its epochs, runs, accuracy, macro-F1;
    per cent, mean ± SD.

    Trained on 49 sentences of each of 80 relations, tested on the development part; no class is negative.

    >>> wiki80_table().columns.tolist()
    ['system', 'runs', 'accuracy', 'macro-F1']
    """

    def both(run: Run) -> dict[str, float]:
        values = metrics.averages(run.outcome(), ["micro", "macro"])
        return dict(zip(("accuracy", "macro-F1"), values, strict=True))

    runs = list_runs("wiki80", kind="confusion", profile="standard")
    scores = per_seed(runs, both, lambda run: f"{run.model}, {run.hyperparameters['epochs']} epochs")
    table = cells(scores, "model", 1).sort_index().reset_index(names="system")
    return table.reindex(columns=["system", "runs", "accuracy", "macro-F1"])
