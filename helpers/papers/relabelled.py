"""Real label noise: systems under cheap labels and under better ones, D's central question on other corpora.

TACRED's labels are crowd workers'; TACREV (Alt et al. 2020) corrected the sentences that most systems got
wrong, Re-TACRED (Stoica et al. 2021) labelled all of them again and dropped some. DocRED's annotators missed
facts that Re-DocRED (Tan et al. 2022) has. So the first stands to the others as held-out evaluation to manual
evaluation in paper D. The scores by DocRED's labels are those of `helpers.experiments.noise`; see there
for what was trained. `python -m helpers.papers.relabelled` writes `results/tables/gold_versions.csv` and
`…_systems.csv` anew.
"""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from ..data import locate, tacred_predictions
from ..evaluation import system_title
from ..experiments import PROTOCOLS, REAL, REAL_DRAWS
from ..metrics import Outcome, averages, flips
from ..reporting import TABLES_FOLDER, write_csv

NEGATIVE, REPLICATES, SEED = "no_relation", 2000, 1
RENAMED = {
    f"org:{area}_of_headquarters": f"org:{area}_of_branch" for area in ("city", "country", "stateorprovince")
}
RENAMED |= {"per:alternate_names": "per:identity"}
"""TACRED's label → Re-TACRED's name of (nearly) the same relation."""
HELD_OUT, MANUAL = PROTOCOLS
TITLES = {HELD_OUT: "DocRED's labels", MANUAL: "Re-DocRED's labels"}
PRECISION, RECALL = 1687 / 1704, 1687 / 4675
"""Of DocRED's labels of the test pairs against Re-DocRED's: facts that both have (tests/unit/data counts)."""
FALLEN = ({"RESIDE", "BGWA"}, {"RL-DSRE", "PCNN"})
"""Pairs that change places between D's protocols (Section 5.3): the first of each is ahead by the base."""


def _decided(scores: np.ndarray) -> np.ndarray:
    """(M, M) 1 where the row's system leads the column's in 97.5 % of the draws, −1 where it trails, else 0.

    >>> _decided(np.array([[0.2, 0.1]] * 40)).tolist()
    [[0, 1], [-1, 0]]
    """
    leads = np.array([(scores[:, [system]] > scores).mean(axis=0) for system in range(scores.shape[1])])
    return (leads >= 0.975).astype(int) - (leads.T >= 0.975).astype(int)


def _order_agreement(
    first: pd.Series, second: pd.Series, drawn_first: np.ndarray, drawn_second: np.ndarray
) -> dict[str, float]:
    """How two orders of the same systems agree: `tau`, Kendall's, with a 95 % bootstrap interval (`low`,
    `high`); `reversed`: pairs in the other order; `decided`: pairs that the first decides (paired bootstrap,
    95 %), and `overturned`: those of them that the second decides the other way.

    first, second : system → score. drawn_first, drawn_second : (B, M) scores on the same B test sets.
    """
    taus = [kendalltau(*pair).statistic for pair in zip(drawn_first, drawn_second, strict=True)]
    low, high = np.quantile(taus, [0.025, 0.975])
    sure = _decided(drawn_first) > 0
    turned, overturned = flips(dict(first), dict(second)), sure & (_decided(drawn_second) < 0)
    counts = {"reversed": len(turned), "decided": int(sure.sum()), "overturned": int(overturned.sum())}
    return {"tau": kendalltau(first, second).statistic, "low": low, "high": high} | counts


def _order_texts(rows: pd.DataFrame, systems: int) -> pd.DataFrame:
    """What `_order_agreement` gives, for reading.

    >>> row = {"tau": 0.5, "low": 0.25, "high": 0.75, "reversed": 2, "decided": 1, "overturned": 0}
    >>> _order_texts(pd.DataFrame([row]), 4).iloc[0].tolist()
    ['0.50 [0.25, 0.75]', '2 of 6', '0 of 1']
    """
    pairs, rows = math.comb(systems, 2), list(rows.itertuples())
    columns = {
        "Kendall's τ": [f"{row.tau:.2f} [{row.low:.2f}, {row.high:.2f}]" for row in rows],
        "pairs reversed": [f"{row.reversed} of {pairs:,}" for row in rows],
        "of those decided": [f"{row.overturned} of {row.decided:,}" for row in rows],
    }
    return pd.DataFrame(columns)


def _versions() -> dict[str, tuple[pd.Series, pd.DataFrame]]:
    """Version → its gold labels, and the answers of the 52 systems to be held against them.

    The first is TACRED; all are of the 13,418 test sentences that Re-TACRED has kept. Re-TACRED counts once
    with its labels as they are, once with the systems' answers in its names (`RENAMED`).

    Raises MissingData or ChecksumError if the files are not here, or are not the registered ones.
    """
    frame = tacred_predictions("test")
    revised = json.loads(locate("tacred/re_tacred/test_id2label.json").read_bytes())
    frame = frame[frame["id"].isin(revised)].astype(str).reset_index(drop=True)
    answers = frame.drop(columns=["id", "gold", "gold_tacrev"])
    relabelled = frame["id"].map(revised)
    return {
        "TACRED": (frame["gold"], answers),
        "TACREV": (frame["gold_tacrev"], answers),
        "Re-TACRED": (relabelled, answers),
        "Re-TACRED, relations renamed": (relabelled, answers.replace(RENAMED)),
    }


def _system_scores(gold: pd.Series, answers: pd.DataFrame) -> pd.DataFrame:
    """System → micro-F1 and macro-F1, per cent.

    >>> _system_scores(pd.Series(["a", "b"]), pd.DataFrame({"s": ["a", "a"]})).round(1).loc["s"].tolist()
    [50.0, 33.3]
    """
    scores = {}
    for name in answers:
        outcome = Outcome.from_columns(gold, answers[name])
        negative = NEGATIVE if NEGATIVE in outcome.labels else None
        scores[name] = 100 * averages(outcome, ["micro", "macro"], negative=negative)
    return pd.DataFrame.from_dict(scores, orient="index", columns=["micro", "macro"])


def _drawn_scores(gold: pd.Series, answers: pd.DataFrame, draws: np.ndarray) -> np.ndarray:
    """(B, M) micro-F1 of M systems on B test sets; `draws` (B, n) says how often each sentence is in each.

    The same draws for every version and system, so that what is compared is compared on the same sentences.

    >>> draws = np.array([[1, 1], [2, 0]])
    >>> _drawn_scores(pd.Series(["a", "b"]), pd.DataFrame({"s": ["a", "a"]}), draws).tolist()
    [[0.5], [1.0]]
    """
    positive, said = (gold != NEGATIVE).to_numpy(), (answers != NEGATIVE).to_numpy()
    right = answers.eq(gold, axis=0).to_numpy() & said
    sizes = (draws @ positive)[:, np.newaxis] + draws @ said.astype(draws.dtype)
    return 2 * (draws @ right.astype(draws.dtype)) / sizes


def _agreement_rows() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row a version: how its order of the systems by micro-F1 agrees with TACRED's, and `best`, its best
    system. And every system's scores."""
    labelled = _versions()
    gold, _ = labelled["TACRED"]
    rng = np.random.default_rng(SEED)
    draws = rng.multinomial(len(gold), np.full(len(gold), 1 / len(gold)), REPLICATES).astype(np.float32)
    scores = {name: _system_scores(*version) for name, version in labelled.items()}
    drawn = {name: _drawn_scores(*version, draws) for name, version in labelled.items()}
    rows = []
    for name, table in scores.items():
        pairs = (scores["TACRED"]["micro"], table["micro"], drawn["TACRED"], drawn[name])
        rows.append({"version": name} | _order_agreement(*pairs) | {"best": table["micro"].idxmax()})
    return pd.DataFrame(rows), pd.concat(scores, names=["version", "system"]).reset_index()


def agreement_table() -> pd.DataFrame:
    """How the order of 52 systems under each version agrees with TACRED's, as stored, for reading.

    >>> agreement_table().columns.tolist()
    ['order under', "Kendall's τ", 'pairs reversed', 'of those decided', 'best system']
    """
    rows = pd.read_csv(TABLES_FOLDER / "gold_versions.csv").iloc[1:].reset_index(drop=True)
    table = _order_texts(rows, len(version_ranks())).assign(**{"best system": rows["best"].map(system_title)})
    table.insert(0, "order under", rows["version"])
    return table


def version_ranks() -> pd.DataFrame:
    """The rank of each system by micro-F1 under each version, from the stored scores.

    >>> version_ranks().columns.tolist()
    ['TACRED', 'TACREV', 'Re-TACRED']
    """
    scores = pd.read_csv(TABLES_FOLDER / "gold_versions_systems.csv")
    wide = scores.pivot(index="system", columns="version", values="micro").rename(index=system_title)
    return wide.rank(ascending=False, method="min")[["TACRED", "TACREV", "Re-TACRED"]].astype(int)


def _real_scores() -> pd.DataFrame:
    """The stored scores: system, seed, protocol, auc, micro_f1 (fractions)."""
    return pd.read_csv(REAL)


def _means(measure: str) -> pd.DataFrame:
    """System → the measure by each protocol, per cent, mean over seeds."""
    return 100 * _real_scores().groupby(["system", "protocol"])[measure].mean().unstack()


def _drawn(measure: str) -> pd.DataFrame:
    """Draw of the test documents → the measure, per cent, columns protocol, system."""
    return 100 * pd.read_csv(REAL_DRAWS).pivot(index="draw", columns=["protocol", "system"], values=measure)


def scored_by_both(measure: str = "auc") -> pd.DataFrame:
    """A measure by both labels, per cent, a row a system and protocol: index system, the best by DocRED's
    labels first; columns protocol, value (mean over seeds, where there are several), low, high (95 %, test
    documents drawn again), rank."""
    means = _means(measure).sort_values(HELD_OUT, ascending=False)
    ends = _drawn(measure).quantile([0.025, 0.975]).T.set_axis(["low", "high"], axis=1)
    ranks = means.rank(ascending=False, method="min").astype(int)
    table = pd.concat({"value": means.stack(), "rank": ranks.stack()}, axis=1).reset_index("protocol")
    keys = pd.MultiIndex.from_arrays([table["protocol"], table.index])
    table[["low", "high"]] = ends.loc[keys].to_numpy()
    return table[["protocol", "value", "low", "high", "rank"]]


def both_table() -> pd.DataFrame:
    """Systems by both labels, for reading: runs, AUC with its interval over test documents, rank, best
    micro-F1."""
    areas, f1 = scored_by_both(), scored_by_both("micro_f1")
    table = _real_scores().groupby("system")["seed"].nunique().loc[areas.index.unique()].to_frame("runs")
    for protocol, title in TITLES.items():
        own, best = (scores[scores["protocol"] == protocol] for scores in (areas, f1))
        texts = [f"{row.value:.1f} [{row.low:.1f}, {row.high:.1f}]" for row in own.itertuples()]
        table[f"AUC, {title}"], table[f"rank, {title}"] = texts, own["rank"]
        table[f"micro-F1, {title}"] = best["value"].map("{:.1f}".format)
    return table.reset_index()


def order_table() -> pd.DataFrame:
    """How the orders by both labels agree, a row a measure: Kendall's τ with a 95 % interval (test documents
    drawn again, the same for all systems), pairs reversed, of those that DocRED's labels decide (in 97.5 % of
    the draws) how many Re-DocRED's decide the other way, the best system by each."""
    tables = []
    for measure, title in {"auc": "AUC", "micro_f1": "best micro-F1"}.items():
        means, drawn = _means(measure), _drawn(measure)
        draws = (drawn[protocol][means.index].to_numpy() for protocol in PROTOCOLS)
        row = _order_agreement(means[HELD_OUT], means[MANUAL], *draws)
        best = {f"best by {TITLES[name]}": means[name].idxmax() for name in PROTOCOLS}
        tables.append(_order_texts(pd.DataFrame([row]), len(means)).assign(**best))
        tables[-1].insert(0, "measure", title)
    return pd.concat(tables, ignore_index=True)


def moved_pairs() -> pd.DataFrame:
    """Pairs of systems that DocRED's labels do not decide or that change places, and those that do so in
    paper D (`FALLEN`).

    Columns pair (the first is ahead by DocRED's labels), its lead in AUC by each labels and how the lead
    changes, points, each with a 95 % interval, paired over test documents; the largest change first.
    """
    means, drawn, rows = _means("auc"), _drawn("auc"), []
    columns = TITLES | {"change": "change"}
    order = means.sort_values(HELD_OUT, ascending=False, kind="stable").index
    for first, second in itertools.combinations(order, 2):
        lead = means.loc[first] - means.loc[second]
        leads = pd.DataFrame({name: drawn[name][first] - drawn[name][second] for name in PROTOCOLS})
        for table in (lead, leads):
            table["change"] = table[MANUAL] - table[HELD_OUT]
        low, high = leads.quantile(0.025), leads.quantile(0.975)
        is_turned = lead[HELD_OUT] * lead[MANUAL] < 0
        if is_turned or low[HELD_OUT] <= 0 <= high[HELD_OUT] or {first, second} in FALLEN:
            texts = {t: f"{lead[n]:+.1f} [{low[n]:.1f}, {high[n]:.1f}]" for n, t in columns.items()}
            rows.append({"pair": f"{first} − {second}", "by": -abs(lead["change"])} | texts)
    return pd.DataFrame(rows).sort_values("by", kind="stable", ignore_index=True).drop(columns="by")


if __name__ == "__main__":
    agreement, systems = _agreement_rows()
    write_csv(agreement, TABLES_FOLDER / "gold_versions.csv", digits=6)
    write_csv(systems, TABLES_FOLDER / "gold_versions_systems.csv", digits=6)
