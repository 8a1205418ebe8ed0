"""Paper D (Gao et al. 2021), distant supervision: real ranked lists, and our trained models of bags on GIDS.

The lists are run files of published systems; `python -m helpers.papers.distant` writes them anew from the
published files, nothing else here needs data. Lists stop at different recalls and count different facts: what
may be compared with what is part of every table. Ours are trained on the development part of GIDS (1,082
pairs), the published systems on its training part, which is not at hand: levels are not comparable, only what
differs among ours is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from .. import data, metrics
from ..reporting import TABLES_FOLDER, mixed_runs
from ..runs import RankedFacts, Run, list_published, list_runs, save_run

MEASURES = ("auc", "average_precision", "micro_f1", "macro_f1", *(f"P@{n}" for n in metrics.PRECISION_AT))
NEGATIVE = "NA"
DECIMALS = 6  # of stored scores, as the lists in text have them


class RankedLists(dict[str, Run]):
    """Runs of ranked facts by the names of their systems."""

    @classmethod
    def published(cls, dataset: str) -> RankedLists:
        """The stored lists of published systems, in the order of their areas.

        >>> list(RankedLists.published("gids"))[:2]
        ['RESIDE RESIDE', 'Jat PCNN']
        """
        runs = list_published(dataset, kind="facts")
        return cls({run.model: run for run in sorted(runs, key=lambda run: -_ranking(run).auc())})

    def ranking(self, name: str) -> metrics.FactRanking:
        """The ranked list of a system, over its labels without the negative class.

        >>> len(RankedLists.published("nyt10").ranking("NRE CNN+ATT"))
        2000
        """
        return _ranking(self[name])

    def scores(self, recall: float | None = None, replicates: int = 0, seed: int = 1) -> pd.DataFrame:
        """The measures of each list, up to a common recall if one is given.

        Returns
        -------
        Columns system, facts (that the publisher counted), n (predicted facts), recall (the common one, nan
        for whole lists), ends_at (recall), precision (there), `FACT_MEASURES`, P@100 … (nan beyond the end or
        at ranks that are not known), drawn (what the bootstrap draws, pair or fact), and low, high of `auc`
        if there are replicates: of the whole list drawn again, each replicate cut at the common recall. Lists
        that do not reach it are left out.

        >>> table = RankedLists.published("nyt10").scores().set_index("system")
        >>> table.loc["NRE CNN+ONE", "auc"].round(4).item()
        0.1733
        """
        rows, measures = [], partial(metrics.FactSample.scores, recall=recall)
        for name, run in self.items():
            ranking = self.ranking(name)
            if recall is not None and ranking.recall[-1] < recall:
                continue
            ranking = ranking.until(recall)
            row = {"system": name, "facts": ranking.facts, "n": len(ranking)}
            row |= {"recall": np.nan if recall is None else recall, "ends_at": ranking.recall[-1]}
            row |= {"precision": ranking.precision[-1], "drawn": _drawn_unit(run)} | ranking.measures()
            if replicates:
                drawn = measures, np.random.default_rng(seed), replicates
                interval = metrics.bootstrap_intervals(_sample_of(run), *drawn)
                row |= {"low": interval.low[0], "high": interval.high[0]}
            rows.append(row)
        table = pd.DataFrame(rows).drop(columns=["rank", "threshold"])
        return table.sort_values("auc", ascending=False, ignore_index=True)

    def curves(self, replicates: int = 200, seed: int = 1, points: int = 60) -> pd.DataFrame:
        """Precision at evenly spaced recalls with a 95 % bootstrap band, in per cent.

        Returns columns system, recall, precision, low, high. In a replicate the precision at a recall is that
        of the first rank that reaches it; where fewer than nine tenths of the replicates do, the curve ends.
        """
        frames = []
        for name, run in self.items():
            recall = np.linspace(0, self.ranking(name).completed().recall[-1], points + 1)[1:]
            drawn = partial(_precision_at, recalls=recall), np.random.default_rng(seed), replicates
            band = metrics.bootstrap_intervals(_sample_of(run), *drawn)
            columns = {"recall": recall, "precision": band.value, "low": band.low, "high": band.high}
            frames.append((100 * pd.DataFrame(columns)).assign(system=name))
        return pd.concat(frames, ignore_index=True)

    def hit_shares(self, top: int = 4) -> pd.DataFrame:
        """Of each list's true facts, the share of each relation, in per cent; lists without relations are
        out.

        Returns columns system, relation (the `top` most frequent over all lists, then 'other'), share, hits.
        """
        counts = {}
        for name in self:
            ranking = self.ranking(name)
            if ranking.relations is not None and ranking.hits is not None:
                of_relation = np.bincount(ranking.relations[ranking.hits], minlength=len(ranking.labels))
                counts[name] = pd.Series(of_relation, index=ranking.labels)
        table = pd.DataFrame(counts)
        named = table.sum(axis=1).nlargest(top).index
        other = table.drop(named).sum().to_frame("other").T
        rows = pd.concat([table.loc[named], other]).rename_axis("relation").reset_index()
        rows = rows.melt("relation", var_name="system", value_name="hits")
        rows["share"] = 100 * rows["hits"] / rows.groupby("system")["hits"].transform("sum")
        return rows[["system", "relation", "share", "hits"]]

    def relation_scores(self) -> pd.DataFrame:
        """F1 at the best threshold of each list, fractions: under each weighting scheme over the relations,
        then of each relation; lists that do not name the relations of their facts are out."""
        rows = {}
        for name in self:
            ranking = self.ranking(name)
            if ranking.facts_of_relation is not None and ranking.relations is not None:
                rows[name] = _relation_scores(ranking)
        return pd.DataFrame(rows).T

    def compare(
        self,
        pairs: Iterable[tuple[str, str]],
        recall: float | None = None,
        replicates: int = 2000,
        seed: int = 1,
        paired: bool = True,
    ) -> pd.DataFrame:
        """Bootstrap of the differences of lists: paired by entity pair, where both name them in one
        numbering.

        Parameters
        ----------
        pairs : names of two systems each. recall : both lists are cut there, in every replicate by itself;
            needed where they end at different recalls. Replicates in which a list does not reach it are left
            out.
        paired : False draws each list by itself, for lists that do not name their pairs; the interval is too
            wide where they find the same facts (`unpaired_bootstrap`).

        Returns columns first, second, measure, difference (first − second), low, high, p, p_holm (over all
        rows).

        Raises ValueError for lists without pairs, or with different numbers of facts; for a recall that one
        of them does not reach.
        """
        tables, bootstrap = [], metrics.paired_bootstrap if paired else metrics.unpaired_bootstrap
        for first, second in pairs:
            both = self[first], self[second]
            for run in both:
                _ranking(run).until(recall)  # refuses
            samples = _samples_of_pairs(*both) if paired else map(_sample_of, both)
            drawn = partial(metrics.FactSample.scores, recall=recall), np.random.default_rng(seed), replicates
            test = bootstrap(*samples, *drawn)
            columns = {"first": first, "second": second, "measure": metrics.FACT_MEASURES}
            columns |= {"difference": test.value, "low": test.low, "high": test.high, "p": test.p}
            tables.append(pd.DataFrame(columns))
        table = pd.concat(tables, ignore_index=True)
        return table.assign(p_holm=metrics.holm(table["p"].tolist()))


def _ranking(run: Run) -> metrics.FactRanking:
    return run.outcome().ranking(run.labels, run.negative)


def _system_name(run: Run) -> str:
    """Model, training and strategy as paper D writes them: 'PCNN+bag+ATT'."""
    return "+".join(filter(None, (run.model, run.variant)))


def _drawn_unit(run: Run) -> str:
    """What the bootstrap draws: 'pair' where the list names its pairs and holds all their facts, else 'fact'.

    >>> lists = RankedLists.published("gids") | RankedLists.published("nyt10")
    >>> _drawn_unit(lists["Jat PCNN"]), _drawn_unit(lists["NRE CNN+ATT"])
    ('pair', 'fact')
    """
    ranking = _ranking(run)
    is_whole = ranking.true_positives[-1] == ranking.facts
    return "pair" if run.outcome().pairs is not None and is_whole else "fact"


def _sample_of(run: Run) -> metrics.FactSample:
    """The whole list to be drawn again, by `_drawn_unit`."""
    if _drawn_unit(run) == "fact":
        return _ranking(run).completed().sample()
    return _samples_of_pairs(run)[0]


def _samples_of_pairs(*runs: Run) -> list[metrics.FactSample]:
    """Lists over the same units: pairs by number; facts that none of them found stand by themselves."""
    rankings = [_ranking(run) for run in runs]
    if any(run.outcome().pairs is None for run in runs) or len({each.facts for each in rankings}) > 1:
        names = " and ".join(map(_system_name, runs))
        raise ValueError(f"{names} cannot be paired: other facts, or unnamed pairs")
    lists = [(ranking, np.array(run.outcome().pairs)) for ranking, run in zip(rankings, runs, strict=True)]
    found = [(pairs[ranking.hits], ranking.relations[ranking.hits]) for ranking, pairs in lists]
    true = np.unique(np.hstack(found), axis=1)  # (2, F): pair and relation
    of_unit = np.bincount(true[0], minlength=max(pairs.max() for _, pairs in lists) + 1)
    of_unit = np.r_[of_unit, np.ones(rankings[0].facts - true.shape[1], dtype=np.int64)]
    return [ranking.sample(pairs, of_unit) for ranking, pairs in lists]


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


def _relation_scores(ranking: metrics.FactRanking, schemes: Sequence[str] | None = None) -> dict[str, float]:
    """F1 at the best threshold under these schemes (None: all that are known), then of each relation."""
    counts = ranking.counts_until(ranking.best_f1()[1])
    names, values = list(schemes or metrics.scheme_names()), metrics.averages(counts, schemes).tolist()
    f1 = np.nan_to_num(metrics.CLASS_SCORES["f1"](counts)).tolist()
    return dict(zip([*names, *map(str, counts.labels)], [*values, *f1], strict=True))


def bag_runs(dataset: str = "gids") -> list[Run]:
    """The stored runs of models that were trained here, by name and seed.

    >>> bag_runs()[0].model, bag_runs()[0].variant
    ('BERT-entity', 'bag+ATT')
    """
    return list_runs(dataset, kind="facts", profile="standard")


def bag_scores(runs: Sequence[Run]) -> pd.DataFrame:
    """`MEASURES` and the F1 of each relation, a row for each run: system, seed, seconds, steps (optimiser
    steps, nan where nothing is trained in epochs), then the scores."""
    rows = []
    mixed_runs(runs, _system_name)
    for run in runs:
        ranking = _ranking(run)
        measured, single = ranking.measures(), _relation_scores(ranking, ["macro"])
        row: dict[str, Any] = {"system": _system_name(run), "seed": run.seed, "seconds": run.wall_seconds}
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


def _published_list_runs() -> list[Run]:
    """A run of each of `PUBLISHED_LISTS`; the lists keep their order, scores are rounded.

    `pairs` are known of the probabilities, numbered as in `PublishedList.probabilities`, and of the two lists
    in text that name every entity, numbered by first sight: in the others names may be `UNK`.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    numbers: dict[tuple[str, str], int] = {}
    runs = []
    for row in data.PUBLISHED_LISTS:
        labels = data.GIDS_RELATIONS if row.dataset == "gids" else tuple(data.nyt10m_relations())
        ranking, pairs = _published_ranking(row, labels, numbers)
        facts = RankedFacts.from_ranking(ranking, "bag", labels, pairs, DECIMALS)
        about = {"dataset": row.dataset, "model": row.name, "licence": row.licence, "source": row.source}
        about["files"] = {file: data.registered_files()[file].sha256 for file in row.files}
        runs.append(Run.from_outcome(facts, **about, labels=labels, negative=NEGATIVE))
    return runs


def _published_ranking(
    row: data.PublishedList, labels: tuple[str, ...], numbers: dict[tuple[str, str], int]
) -> tuple[metrics.FactRanking, list[int] | None]:
    """The ranking of a list with all that follows from it, and the pair of each fact: rows of a matrix; of
    lists in text one numbering for all, None where a list does not name all of them."""
    if made := row.probabilities():
        scores, gold = made
        order = np.argsort(-scores[:, 1:].ravel(), kind="stable")  # as in `from_matrix`, without NA
        pairs = order // (len(labels) - 1)
        return metrics.FactRanking.from_matrix(scores, gold, labels, NEGATIVE), pairs.tolist()
    read = row.curve()
    ranking = metrics.FactRanking.from_curve(read.precision, read.recall, row.facts, read.scores)
    if read.facts is None:
        return ranking, None
    positive = [label for label in labels if label != NEGATIVE]
    relations = [positive.index(fact.relation) for fact in read.facts]
    ranking = metrics.FactRanking.from_scores(read.scores, ranking.hits, row.facts, relations, positive)
    named = [(fact.head, fact.tail) for fact in read.facts]
    if any(data.UNKNOWN_ENTITY in pair for pair in named):
        return ranking, None
    return ranking, [numbers.setdefault(pair, len(numbers)) for pair in named]


if __name__ == "__main__":
    print(*map(save_run, _published_list_runs()), sep="\n")
