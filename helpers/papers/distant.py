"""Paper D (Gao et al. 2021), distant supervision: real ranked lists, and what two test protocols say.

The lists are run files of published systems (`list_runs`), so nothing here needs data. Lists stop at
different recalls and count different facts: what may be compared with what is part of every table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.metrics import (
    FACT_MEASURES,
    PRECISION_AT,
    RULES,
    FactPair,
    FactRanking,
    FactSample,
    bootstrap_intervals,
    bootstrap_suffix,
    fact_scores,
    holm,
    label_averages,
    paired_bootstrap,
    scheme_names,
)
from helpers.reporting import load_published
from helpers.runs import RUNS_FOLDER, Run
from helpers.runs import list_runs as stored_runs

HELD_OUT, MANUAL, SENTENCES = "held-out", "bag-level manual", "sentence-level manual"
"""The three protocols of Table 4."""


def published_lists(dataset: str, folder: Path | str = RUNS_FOLDER) -> dict[str, Run]:
    """The stored lists of published systems, by name, in the order of their areas.

    >>> list(published_lists("gids"))[:2]
    ['RESIDE RESIDE', 'Jat PCNN']
    """
    runs = [run for run in stored_runs(dataset, kind="facts", folder=folder) if run.profile is None]
    return {run.model: run for run in sorted(runs, key=lambda run: -ranking_of(run).auc())}


def ranking_of(run: Run) -> FactRanking:
    """The ranked list of a run, over its labels without the negative class.

    >>> len(ranking_of(published_lists("nyt10")["NRE CNN+ATT"]))
    2000
    """
    return run.outcome().ranking(run.labels, run.negative)


def system_name(run: Run) -> str:
    """Model, training and strategy as paper D writes them: 'PCNN+bag+ATT'."""
    return "+".join(filter(None, (run.model, run.variant)))


def sample_of(run: Run) -> FactSample:
    """The list to be drawn again: by entity pair where every fact of a pair is in the list, else by fact."""
    ranking, pairs = ranking_of(run).completed(), run.outcome().pairs
    if pairs is None or int(ranking.hits.sum()) < ranking.facts:
        return FactSample.of(ranking)
    pairs = np.array(pairs)
    return FactSample.of(ranking, pairs, np.bincount(pairs[ranking.hits], minlength=pairs.max() + 1))


def list_scores(
    runs: Mapping[str, Run], recall: float | None = None, replicates: int = 0, seed: int = 1
) -> pd.DataFrame:
    """The measures of each list, up to a common recall if one is given.

    Returns
    -------
    Columns system, facts (that the publisher counted), n (predicted facts), ends_at (recall),
    precision (there), `FACT_MEASURES`, P@100 … (nan beyond the end or at ranks that are not known), and low,
    high of `auc` if there are replicates. Lists that do not reach the recall are left out.

    >>> list_scores(published_lists("nyt10")).set_index("system").loc["NRE CNN+ONE", "auc"].round(4).item()
    0.1733
    """
    rows = []
    for name, run in runs.items():
        ranking = ranking_of(run)
        if recall is not None and ranking.recall[-1] < recall:
            continue
        ranking = ranking if recall is None else ranking.until(recall)
        row = {"system": name, "facts": ranking.facts, "n": len(ranking), "ends_at": ranking.recall[-1]}
        row["precision"] = ranking.precision[-1]
        row |= {key: value for key, value in fact_scores(ranking).items() if key not in ("rank", "threshold")}
        if replicates:
            sample = sample_of(run) if recall is None else FactSample.of(ranking.completed())
            found = bootstrap_intervals(sample, FactSample.scores, np.random.default_rng(seed), replicates)
            row |= {"low": found.low[0], "high": found.high[0]}
        rows.append(row)
    return pd.DataFrame(rows).sort_values("auc", ascending=False, ignore_index=True)


def fact_rows(scores: pd.DataFrame, dataset: str, item: str, replicates: int, seed: int) -> list[dict]:
    """Rows of a tidy table from `list_scores`."""
    rows = []
    for row in scores.to_dict("records"):
        head = {"paper": "D", "item": item, "dataset": dataset, "model": row["system"]}
        made = f"facts|level:bag|facts:{row['facts']}|n:{row['n']}|v:{RULES}"
        for measure in (*FACT_MEASURES, *(f"P@{n}" for n in PRECISION_AT)):
            if np.isnan(row[measure]):
                continue
            ends = {end: row[end] for end in ("low", "high") if measure == "auc" and end in row}
            suffix = bootstrap_suffix(replicates, seed) if ends else ""
            rows.append(head | {"metric": measure, "value": row[measure], "signature": made + suffix} | ends)
    return rows


def cut_areas(runs: Mapping[str, Run], step: float = 0.01) -> pd.DataFrame:
    """The area up to every recall that a list reaches, in per cent: columns system, recall, area."""
    rows = []
    for name, run in runs.items():
        ranking = ranking_of(run)
        end = float(ranking.recall[-1])
        first = max(step, float(ranking.recall[np.flatnonzero(ranking.found)[0]]))
        for recall in [*np.arange(first, end, step), end]:
            rows.append({"system": name, "recall": 100 * recall, "area": 100 * ranking.until(recall).auc()})
    return pd.DataFrame(rows)


def precision_curves(
    runs: Mapping[str, Run], replicates: int = 200, seed: int = 1, points: int = 60
) -> pd.DataFrame:
    """Precision at evenly spaced recalls with a 95 % bootstrap band, in per cent.

    Returns columns system, recall, precision, low, high. In a replicate the precision at a recall is that of
    the first rank that reaches it; where fewer than nine tenths of the replicates do, the curve ends.
    """
    frames = []
    for name, run in runs.items():
        ranking = ranking_of(run).completed()
        grid = np.linspace(0, ranking.recall[-1], points + 1)[1:]

        def at_recalls(sample: FactSample, grid: np.ndarray = grid) -> np.ndarray:
            weight = sample.counts[..., sample.units].astype(float)
            ranks, found = weight.cumsum(-1), (weight * sample.hits).cumsum(-1)
            recall = found / np.maximum(sample.counts @ sample.facts_of_unit, 1)[..., None]
            flat = [
                _precision_at_recall(*one, grid)
                for one in zip(
                    *(part.reshape(-1, part.shape[-1]) for part in (ranks, found, recall)), strict=True
                )
            ]
            return np.array(flat).reshape(*weight.shape[:-1], len(grid))

        found = bootstrap_intervals(sample_of(run), at_recalls, np.random.default_rng(seed), replicates)
        columns = {"recall": grid, "precision": found.value, "low": found.low, "high": found.high}
        frames.append(100 * pd.DataFrame(columns).assign(system=0.0))
        frames[-1]["system"] = name
    return pd.concat(frames, ignore_index=True)


def _precision_at_recall(
    ranks: np.ndarray, found: np.ndarray, recall: np.ndarray, grid: np.ndarray
) -> np.ndarray:
    place = np.searchsorted(recall, grid - 1e-12)
    inside = np.minimum(place, len(recall) - 1)
    return np.where(place < len(recall), found[inside] / np.maximum(ranks[inside], 1), np.nan)


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
    table = pd.concat([table.loc[named], table.drop(named).sum().to_frame("other").T])
    table.index.name = "relation"
    rows = table.reset_index().melt("relation", var_name="system", value_name="hits")
    rows["share"] = 100 * rows["hits"] / rows.groupby("system")["hits"].transform("sum")
    return rows[["system", "relation", "share", "hits"]]


def relation_averages(runs: Mapping[str, Run]) -> pd.DataFrame:
    """F1 at each list's best threshold under every weighting scheme over the relations, and of each relation.

    Lists of which the true facts of each relation are not known are left out. Index: system.
    """
    rows = {}
    for name, run in runs.items():
        ranking = ranking_of(run)
        if ranking.facts_of_relation is None or ranking.relations is None:
            continue
        counts = ranking.counts_until(ranking.best_f1()[1])
        single = 2 * counts.correct / np.maximum(counts.gold + counts.predicted, 1)
        schemes = zip(scheme_names(), label_averages(counts).tolist(), strict=True)
        rows[name] = dict(schemes) | {str(label): f1 for label, f1 in zip(counts.labels, single, strict=True)}
    return pd.DataFrame.from_dict(rows, orient="index")


def compare_lists(
    pairs: Iterable[tuple[Run, Run]], recall: float | None = None, replicates: int = 2000, seed: int = 1
) -> pd.DataFrame:
    """Paired bootstrap of lists that name their entity pairs in one numbering, by pair.

    Parameters
    ----------
    pairs : two runs each. recall : both are cut there; needed where they end at different recalls.

    Returns columns first, second, measure, difference (first − second), low, high, p, p_holm (over all rows).

    Raises ValueError for lists without pairs, or with different numbers of facts.
    """
    rows = []
    for first, second in pairs:
        pair = _paired_samples(first, second, recall)
        test = paired_bootstrap(pair, FactSample.scores, np.random.default_rng(seed), replicates)
        for at, measure in enumerate(FACT_MEASURES):
            values = {name: getattr(test, name)[at] for name in ("difference", "low", "high", "p")}
            rows.append(
                {"first": system_name(first), "second": system_name(second), "measure": measure} | values
            )
    table = pd.DataFrame(rows)
    return table.assign(p_holm=holm(table["p"].tolist()))


def _paired_samples(first: Run, second: Run, recall: float | None) -> FactPair:
    """Both lists over the same units: pairs by number; facts that neither found stand by themselves."""
    runs = (first, second)
    rankings = [ranking_of(run) for run in runs]
    if any(run.outcome().pairs is None for run in runs) or rankings[0].facts != rankings[1].facts:
        names = " and ".join(map(system_name, runs))
        raise ValueError(f"{names} cannot be paired: other facts, or unnamed pairs")
    pairs = [np.array(run.outcome().pairs) for run in runs]
    found = [
        set(zip(own[one.hits], one.relations[one.hits], strict=True))
        for own, one in zip(pairs, rankings, strict=True)
    ]
    true = found[0] | found[1]
    units = max(own.max() for own in pairs) + 1
    of_unit = np.bincount([int(pair) for pair, _ in true], minlength=units)
    of_unit = np.r_[of_unit, np.ones(rankings[0].facts - len(true), dtype=np.int64)]
    samples = []
    for own, ranking in zip(pairs, rankings, strict=True):
        cut = ranking if recall is None else ranking.until(recall)
        samples.append(FactSample.of(cut, own[: len(cut)], of_unit))
    return FactPair(*samples)


def protocol_scores(item: str = "Table 4", metric: str = "auc", scheme: str = "") -> pd.DataFrame:
    """A printed measure of Table 4, a row for each system, a column for each protocol, in per cent.

    >>> protocol_scores().loc["BERT+sent+ONE"].tolist()
    [50.5, 61.3, 63.2]
    """
    frame = load_published("D", item).query("metric == @metric and scheme == @scheme")
    return frame.pivot_table(index="model", columns="statistic", values="value", sort=False)[
        [HELD_OUT, MANUAL, SENTENCES]
    ].rename_axis(columns=None)


def reversed_pairs(scores: pd.DataFrame, first: str = HELD_OUT, second: str = MANUAL) -> pd.DataFrame:
    """Pairs of systems whose order is another one under the second protocol, the largest turns first.

    Returns columns better (under the first), worse, lead (points, under the first), lead_then (under the
    second, negative).

    >>> scores = pd.DataFrame({"held-out": [3.0, 2.0], "bag-level manual": [1.0, 2.5]}, index=["a", "b"])
    >>> reversed_pairs(scores).to_dict("records")
    [{'better': 'a', 'worse': 'b', 'lead': 1.0, 'lead_then': -1.5}]
    """
    rows = []
    for a, b in combinations(scores.index, 2):
        better, worse = (a, b) if scores.loc[a, first] > scores.loc[b, first] else (b, a)
        lead, then = (scores.loc[better, one] - scores.loc[worse, one] for one in (first, second))
        if lead > 0 > then:
            rows.append({"better": better, "worse": worse, "lead": lead, "lead_then": then})
    table = pd.DataFrame(rows, columns=["better", "worse", "lead", "lead_then"])
    return table.sort_values("lead_then", ignore_index=True)


def claims_of_table_4() -> pd.DataFrame:
    """What paper D says about its Tables 4 and 5, each checked on the printed numbers.

    Returns columns claim, where (place in the paper), holds, numbers.
    """
    auc, micro, macro = (protocol_scores(metric=m, scheme=s) for m, s in _MEASURES)
    rows = [
        _claim(
            "PCNN and RL-DSRE change places between held-out and manual evaluation",
            "5.3",
            _turns(auc, "RL-DSRE", "PCNN+bag+ATT"),
            auc.loc[["RL-DSRE", "PCNN+bag+ATT"]],
        ),
        _claim(
            "BGWA and RESIDE change places",
            "5.3",
            _turns(auc, "RESIDE", "BGWA"),
            auc.loc[["RESIDE", "BGWA"]],
        ),
        _claim(
            "the gaps between models are smaller in the manual test",
            "5.3",
            auc[MANUAL].std() < auc[HELD_OUT].std(),
            auc.std().to_frame("SD of AUC over 15 systems").T,
        ),
        _claim(
            "sentence-level training with BERT is best under all three protocols",
            "5.3",
            all(auc[one].idxmax().startswith("BERT+sent") for one in auc),
            auc.max().to_frame("best").T,
        ),
        _claim(
            "bag-level training helps PCNN and does not help BERT (best of each, manual, AUC)",
            "5.3",
            _best(auc, "PCNN+bag") > _best(auc, "PCNN+sent")
            and _best(auc, "BERT+bag") < _best(auc, "BERT+sent"),
            auc[[MANUAL]].loc[[one for one in auc.index if "+" in one and not one.startswith("CNN")]],
        ),
        _claim(
            "ATT is the best strategy of PCNN and the worst of BERT (bag, manual, AUC)",
            "5.3",
            _of(auc, "PCNN+bag").idxmax() == "PCNN+bag+ATT"
            and _of(auc, "BERT+bag").idxmin() == "BERT+bag+ATT",
            auc[[MANUAL]].loc[[one for one in auc.index if "+bag" in one]],
        ),
        _claim(
            "some changes raise micro-F1 and lower macro-F1 (manual)",
            "5.3, Imbalanced Classes",
            bool(len(_opposite(micro[MANUAL], macro[MANUAL]))),
            _opposite(micro[MANUAL], macro[MANUAL]),
        ),
        _claim(
            "sentence-level columns are equal for AVG and ONE after sentence-level training (necessarily)",
            "Table 4",
            all(
                one.loc[f"{model}+sent+AVG", SENTENCES] == one.loc[f"{model}+sent+ONE", SENTENCES]
                for one in (auc, micro, macro)
                for model in ("CNN", "PCNN", "BERT")
            ),
            auc[[SENTENCES]].loc[[one for one in auc.index if "+sent" in one]],
        ),
        _claim(*_of_wiki20()),
    ]
    return pd.DataFrame(rows)


_MEASURES = (("auc", ""), ("f1", "micro"), ("f1", "macro"))


def _claim(claim: str, where: str, holds: bool, numbers: pd.DataFrame) -> dict[str, Any]:
    shown = "; ".join(
        f"{name} " + " ".join(f"{value:g}" for value in np.round(row.astype(float), 2))
        for name, row in numbers.iterrows()
    )
    return {"claim": claim, "where": where, "holds": bool(holds), "numbers": shown}


def _turns(auc: pd.DataFrame, first: str, second: str) -> bool:
    """Whether the first is ahead under the held-out protocol and behind under the manual one of bags."""
    return (
        auc.loc[first, HELD_OUT] > auc.loc[second, HELD_OUT]
        and auc.loc[first, MANUAL] < auc.loc[second, MANUAL]
    )


def _of(auc: pd.DataFrame, start: str) -> pd.Series:
    return auc.loc[[one for one in auc.index if one.startswith(start)], MANUAL]


def _best(auc: pd.DataFrame, start: str) -> float:
    return _of(auc, start).max()


def _opposite(micro: pd.Series, macro: pd.Series) -> pd.DataFrame:
    """Systems that differ in one step, training or strategy, and whose micro- and macro-F1 go apart."""
    rows = {}
    for a, b in combinations([one for one in micro.index if "+" in one], 2):
        differing = sum(x != y for x, y in zip(a.split("+"), b.split("+"), strict=True))
        if differing == 1 and (micro[a] - micro[b]) * (macro[a] - macro[b]) < 0:
            up, down = (a, b) if micro[a] > micro[b] else (b, a)
            rows[f"{down} → {up}"] = {"micro": micro[up] - micro[down], "macro": macro[up] - macro[down]}
    return pd.DataFrame.from_dict(rows, orient="index")


def _of_wiki20() -> tuple[str, str, bool, pd.DataFrame]:
    frame = load_published("D", "Table 5").query("metric == 'auc'").set_index("model")["value"]
    best = {
        start: frame[[one for one in frame.index if one.startswith(start)]].idxmax()
        for start in ("PCNN", "BERT")
    }
    holds = best == {"PCNN": "PCNN+bag+AVG", "BERT": "BERT+sent+AVG"}
    claim = "on Wiki20, AVG is the best strategy; bag-level training helps PCNN, not BERT"
    return claim, "5.4", holds, frame.to_frame()


def ranks_of(scores: pd.DataFrame) -> pd.DataFrame:
    """The rank of each system in each column, 1 the best.

    >>> ranks_of(pd.DataFrame({"p": [10.0, 30.0]}, index=["a", "b"]))["p"].tolist()
    [2, 1]
    """
    return scores.rank(ascending=False, method="min").astype(int)


def long_protocols(scores: pd.DataFrame, marked: Sequence[str]) -> pd.DataFrame:
    """`protocol_scores` as the figure of protocols takes it: columns system, protocol, value, marked."""
    rows = scores.rename_axis("system").reset_index().melt("system", var_name="protocol", value_name="value")
    return rows.assign(marked=rows["system"].isin(marked))
