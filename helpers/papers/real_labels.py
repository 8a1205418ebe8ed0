"""D's central claim on real labels: systems trained on DocRED's labels, in order by these and by Re-DocRED's.

The numbers are those that `helpers.experiments.noise` stores; see there for what was trained.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd

from ..experiments import PROTOCOLS, REAL, REAL_DRAWS
from .gold_versions import order_agreement, order_texts

HELD_OUT, MANUAL = PROTOCOLS
TITLES = {HELD_OUT: "DocRED's labels", MANUAL: "Re-DocRED's labels"}
PRECISION, RECALL = 1687 / 1704, 1687 / 4675
"""Of DocRED's labels of the test pairs against Re-DocRED's: facts that both have (tests/unit/data counts)."""
FALLEN = ({"RESIDE", "BGWA"}, {"RL-DSRE", "PCNN"})
"""Pairs that change places between D's protocols (Section 5.3): the first of each is ahead by the base."""
_MEASURES = {"auc": "AUC", "micro_f1": "best micro-F1"}


def _real_scores(path: Path | str = REAL) -> pd.DataFrame:
    """The stored scores: system, seed, protocol, auc, micro_f1 (fractions)."""
    return pd.read_csv(path)


def scored_by_both(measure: str = "auc") -> pd.DataFrame:
    """A measure by both labels, per cent, a row a system and protocol: index system, the best by DocRED's
    labels first; columns protocol, value (mean over seeds, where there are several), low, high (95 %, test
    documents drawn again), rank."""
    scores = 100 * _real_scores().groupby(["system", "protocol"])[measure].mean()
    drawn = (
        100
        * pd.read_csv(REAL_DRAWS).groupby(["system", "protocol"])[measure].quantile([0.025, 0.975]).unstack()
    )
    table = pd.DataFrame({"value": scores, "low": drawn[0.025], "high": drawn[0.975]}).reset_index("protocol")
    ranks = table.groupby("protocol")["value"].rank(ascending=False, method="min")
    first = table[table["protocol"] == HELD_OUT].sort_values("value", ascending=False).index
    return table.assign(rank=ranks.astype(int)).loc[first]


def both_table() -> pd.DataFrame:
    """Systems by both labels, for reading: runs, AUC with its interval over test documents, rank, best
    micro-F1."""
    areas, f1 = scored_by_both(), scored_by_both("micro_f1")
    runs = _real_scores().groupby("system")["seed"].nunique()
    tables = [runs.reindex(areas.index.unique()).rename("runs")]
    for protocol, title in TITLES.items():
        own, best = (table[table["protocol"] == protocol] for table in (areas, f1))
        columns = {
            f"AUC, {title}": [f"{row.value:.1f} [{row.low:.1f}, {row.high:.1f}]" for row in own.itertuples()],
            f"rank, {title}": own["rank"],
            f"micro-F1, {title}": best["value"].reindex(own.index).map("{:.1f}".format),
        }
        tables.append(pd.DataFrame(columns, own.index))
    return pd.concat(tables, axis=1).rename_axis("system").reset_index()


def order_table() -> pd.DataFrame:
    """How the orders by both labels agree, a row a measure: Kendall's τ with a 95 % interval (test documents
    drawn again, the same for all systems), pairs reversed, of those that DocRED's labels decide (in 97.5 % of
    the draws) how many Re-DocRED's decide the other way, the best system by each."""
    rows, best = [], []
    for measure in _MEASURES:
        means = _means(measure)
        drawn = (_drawn(measure)[protocol][means.index].to_numpy() for protocol in PROTOCOLS)
        rows.append(order_agreement(means[HELD_OUT], means[MANUAL], *drawn))
        best.append({f"best by {TITLES[name]}": means[name].idxmax() for name in PROTOCOLS})
    table = order_texts(pd.DataFrame(rows), len(means))
    table.insert(0, "measure", list(_MEASURES.values()))
    return table.join(pd.DataFrame(best))


def moved_pairs() -> pd.DataFrame:
    """Pairs of systems that DocRED's labels do not decide or that change places, and those that do so in
    paper D (`FALLEN`).

    Columns pair (the first is ahead by DocRED's labels), its lead in AUC by each labels and how the lead
    changes, points, each with a 95 % interval, paired over test documents; the largest change first.
    """
    means, drawn, rows = 100 * _means("auc"), 100 * _drawn("auc"), []
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


def _means(measure: str) -> pd.DataFrame:
    """System → the measure by each protocol, mean over seeds."""
    return _real_scores().groupby(["system", "protocol"])[measure].mean().unstack()


def _drawn(measure: str) -> pd.DataFrame:
    """Draw of the test documents → the measure, columns protocol, system."""
    return pd.read_csv(REAL_DRAWS).pivot(index="draw", columns=["protocol", "system"], values=measure)
