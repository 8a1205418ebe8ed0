"""Two ways to judge the same systems, D's central question (Gao et al. 2021): as printed, on real labels.

As printed: D's Tables 2 to 5 and A.1, with the claims about them. On real labels, of which some are cheap and
some better: TACRED's labels are crowd workers'; TACREV (Alt et al. 2020) corrected the sentences that most
systems got wrong, Re-TACRED (Stoica et al. 2021) labelled all of them again and dropped some. DocRED's
annotators missed facts that Re-DocRED (Tan et al. 2022) has. So the first stands to the others as held-out
evaluation to manual evaluation in D. The scores by DocRED's labels are those of `helpers.experiments.noise`;
see there for what was trained. `python -m helpers.papers.protocols` writes `results/tables/gold_versions.csv`
and `…_systems.csv` anew.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import pandas as pd
import scipy  # scipy.stats is loaded when it is first asked for

from .. import data
from ..evaluation import system_title
from ..experiments import PROTOCOLS, REAL, REAL_DRAWS
from ..metrics import Outcome, averages, flips
from ..reporting import TABLES_FOLDER, load_published, write_csv

TABLE_4 = HELD_OUT, BAGS, SENTENCES = "held-out", "bag-level manual", "sentence-level manual"
"""The three protocols of Table 4."""
TITLES = dict(zip(PROTOCOLS, ("DocRED's labels", "Re-DocRED's labels"), strict=True))
NEGATIVE, REPLICATES, SEED = "no_relation", 2000, 1
RENAMED = {
    f"org:{area}_of_headquarters": f"org:{area}_of_branch" for area in ("city", "country", "stateorprovince")
}
RENAMED |= {"per:alternate_names": "per:identity"}
"""TACRED's label → Re-TACRED's name of (nearly) the same relation."""
PRECISION, RECALL = 1687 / 1704, 1687 / 4675
"""Of DocRED's labels of the test pairs against Re-DocRED's: facts that both have (tests/unit/data counts)."""
FALLEN = ({"RESIDE", "BGWA"}, {"RL-DSRE", "PCNN"})
"""Pairs that change places between D's protocols (Section 5.3): the first of each is ahead by the base."""
Checked = tuple[str, str, bool, pd.DataFrame]
"""Claim, place in the paper, whether it holds, the numbers."""


def reversed_pairs(scores: pd.DataFrame, first: str = HELD_OUT, second: str = BAGS) -> pd.DataFrame:
    """Pairs of systems whose order is another one under the second protocol, the largest turns first.

    Returns columns better (under the first), worse, lead (points, under the first), lead_then (under the
    second, negative).

    >>> scores = pd.DataFrame({"held-out": [3.0, 2.0], "bag-level manual": [1.0, 2.5]}, index=["a", "b"])
    >>> reversed_pairs(scores).to_dict("records")
    [{'better': 'a', 'worse': 'b', 'lead': 1.0, 'lead_then': -1.5}]
    """
    turned = flips(scores[first].to_dict(), scores[second].to_dict())
    rows = [(a, b, *(scores.loc[a, [first, second]] - scores.loc[b, [first, second]])) for a, b in turned]
    table = pd.DataFrame(rows, columns=["better", "worse", "lead", "lead_then"])
    return table.sort_values("lead_then", ignore_index=True)


def claims_of_table_4() -> pd.DataFrame:
    """What paper D says about its Tables 2 to 5 and its relations, each checked on the printed numbers.

    What it says of single relations is checked on the public label counts of NYT10m.

    Returns columns claim, where (place in the paper), holds, numbers.
    """
    rows = [*_of_sampling(), *_of_relations(), *_of_protocols()]
    table = pd.DataFrame(rows, columns=["claim", "where", "holds", "numbers"])
    return table.assign(holds=table["holds"].astype(bool), numbers=table["numbers"].map(_in_words))


def _in_words(numbers: pd.DataFrame) -> str:
    rows = numbers.astype(float).round(2).iterrows()
    return "; ".join(f"{name} " + " ".join(f"{value:g}" for value in row) for name, row in rows)


def _of_sampling() -> Iterator[Checked]:
    """Table 2: the new ontology; Table 3: bags of drawn sentences."""
    auc = load_published("D", "Table 2").query("metric == 'auc'")
    table = auc.pivot(index="model", columns="dataset", values="value")[["nyt10", "nyt10m"]]
    lower, ahead = table["nyt10m"] < table["nyt10"], table.loc["PCNN+bag+ATT"] > table.loc["PCNN+bag+AVG"]
    yield "the new ontology lowers the AUC of both models (held-out)", "Table 2", lower.all(), table
    yield "ATT stays ahead of AVG on the old and on the new ontology", "Table 2", ahead.all(), table
    frame = load_published("D", "Table 3")
    frame = frame.assign(measure=(frame["scheme"] + " " + frame["metric"]).str.strip())
    table = frame.pivot_table(index="model", columns="measure", values="value", sort=False)
    gain = table.loc["PCNN+bag+ATT (sample)"] - table.loc["PCNN+bag+ATT (full)"]
    close = abs(gain["auc"]) < 0.5 and (gain.drop("auc") > 0).all()
    claim = (
        "ATT with sampled bags is within half a point of AUC of whole ones, and higher in micro- and macro-F1"
    )
    yield claim, "Table 3", close, table


def _of_relations() -> Iterator[Checked]:
    """On the label counts of NYT10m: facts of the test part, sentences of the training part; NA left out."""
    section, counts = "Imbalanced Classes", data.published_counts("nyt10m")
    test, train = (
        pd.Series(counts[part]).drop([data.TOTAL, "NA"], errors="ignore") for part in ("test", "train")
    )
    top = 100 * test.nlargest(4).sum() / test.sum()
    claim = "the four most frequent relations hold about 80 % of the positive test instances"
    yield claim, section, 75 <= top <= 85, pd.DataFrame({"top four, %": [top]}, ["NYT10m test"])
    contains = 100 * train["/location/location/contains"] / train.sum()
    claim = "about half of the positive training instances are /location/location/contains"
    half = 45 <= contains <= 55 and train.idxmax() == "/location/location/contains"
    yield claim, section, half, pd.DataFrame({"contains, %": [contains]}, ["NYT10m train"])
    few = (train < 1000).sum()
    claim = "half of the relations have fewer than 1000 training sentences"
    numbers = pd.DataFrame({"few": [few], "all": [len(train)]}, ["NYT10m train, few of all:"])
    yield claim, section, len(train) / 2 <= few, numbers


def _of_protocols() -> Iterator[Checked]:
    """Table 4: three protocols of fifteen systems; Table 5: Wiki20."""
    printed = load_published("D", "Table 4")
    printed = printed.pivot_table("value", "model", ["scheme", "statistic"], sort=False)
    auc, micro, macro = (printed[scheme][list(TABLE_4)] for scheme in ("", "micro", "macro"))
    manual, names = auc[BAGS], auc.index
    pairs = {
        "PCNN and RL-DSRE change places between held-out and manual evaluation": ["RL-DSRE", "PCNN+bag+ATT"],
        "BGWA and RESIDE change places": ["RESIDE", "BGWA"],
    }
    for claim, pair in pairs.items():
        lead = auc.loc[pair[0]] - auc.loc[pair[1]]
        yield claim, "5.3", lead[HELD_OUT] > 0 > lead[BAGS], auc.loc[pair]
    spread, claim = auc.std(), "the gaps between models are smaller in the manual test"
    yield claim, "5.3", spread[BAGS] < spread[HELD_OUT], spread.to_frame("SD of AUC over 15 systems").T
    claim = "sentence-level training with BERT is best under all three protocols"
    yield claim, "5.3", auc.idxmax().str.startswith("BERT+sent").all(), auc.max().to_frame("best").T
    best = {start: manual[names.str.startswith(start)].idxmax() for start in ("PCNN+", "BERT+")}
    claim = "bag-level training helps PCNN and does not help BERT (best of each, manual, AUC)"
    helps = ["+bag" in best["PCNN+"], "+bag" in best["BERT+"]]
    yield claim, "5.3", helps == [True, False], auc.loc[names.str.match(r"(PCNN|BERT)\+"), [BAGS]]
    claim = "ATT is the best strategy of PCNN and the worst of BERT (bag, manual, AUC)"
    pcnn, bert = (manual[names.str.startswith(f"{model}+bag")] for model in ("PCNN", "BERT"))
    are_ends = (pcnn.idxmax(), bert.idxmin()) == ("PCNN+bag+ATT", "BERT+bag+ATT")
    yield claim, "5.3", are_ends, auc.loc[names.str.contains(r"\+bag"), [BAGS]]
    claim = "some changes raise micro-F1 and lower macro-F1 (manual)"
    opposite = _opposite(micro[BAGS], macro[BAGS])
    yield claim, "5.3, Imbalanced Classes", len(opposite) > 0, opposite
    claim = "sentence-level columns are equal for AVG and ONE after sentence-level training (necessarily)"
    columns = itertools.product((table[SENTENCES] for table in (auc, micro, macro)), ("CNN", "PCNN", "BERT"))
    same = all(column[f"{model}+sent+AVG"] == column[f"{model}+sent+ONE"] for column, model in columns)
    yield claim, "Table 4", same, auc.loc[names.str.contains(r"\+sent"), [SENTENCES]]
    wiki20 = load_published("D", "Table 5").query("metric == 'auc'").set_index("model")["value"]
    best = [wiki20[wiki20.index.str.startswith(start)].idxmax() for start in ("PCNN", "BERT")]
    claim = "on Wiki20, AVG is the best strategy; bag-level training helps PCNN, not BERT"
    yield claim, "5.4", best == ["PCNN+bag+AVG", "BERT+sent+AVG"], wiki20.to_frame()


def _opposite(micro: pd.Series, macro: pd.Series) -> pd.DataFrame:
    """Systems that differ in one step, training or strategy, and whose micro- and macro-F1 go apart."""
    rows = {}
    for a, b in itertools.combinations([name for name in micro.index if "+" in name], 2):
        differing = sum(x != y for x, y in zip(a.split("+"), b.split("+"), strict=True))
        if differing == 1 and (micro[a] - micro[b]) * (macro[a] - macro[b]) < 0:
            up, down = (a, b) if micro[a] > micro[b] else (b, a)
            rows[f"{down} → {up}"] = {"micro": micro[up] - micro[down], "macro": macro[up] - macro[down]}
    return pd.DataFrame.from_dict(rows, orient="index")


def ontology_map() -> pd.DataFrame:
    """Table A.1: each of the 53 old relations, what becomes of it, and its new name.

    >>> ontology_map()["what"].value_counts().tolist()
    [23, 15, 15]
    """
    new = pd.Series(data.nyt10m_relations(), name="new relation").rename_axis("old relation").reset_index()
    shared = new["new relation"].duplicated(keep=False) & new["new relation"].notna()
    what = np.select([new["new relation"].isna(), shared], ["deleted", "merged"], "kept")
    return new.assign(what=what).fillna("")[["old relation", "what", "new relation"]]


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
    taus = [scipy.stats.kendalltau(*pair).statistic for pair in zip(drawn_first, drawn_second, strict=True)]
    low, high = np.quantile(taus, [0.025, 0.975])
    sure = _decided(drawn_first) > 0
    turned, overturned = flips(dict(first), dict(second)), sure & (_decided(drawn_second) < 0)
    counts = {"reversed": len(turned), "decided": int(sure.sum()), "overturned": int(overturned.sum())}
    return {"tau": scipy.stats.kendalltau(first, second).statistic, "low": low, "high": high} | counts


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
    frame = data.tacred_predictions("test")
    revised = json.loads(data.locate("tacred/re_tacred/test_id2label.json").read_bytes())
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


@dataclass
class RealLabels:
    """Systems that were scored by DocRED's labels and by Re-DocRED's, `PROTOCOLS`.

    scores : columns system, seed, protocol, auc, micro_f1 (fractions). draws : the same on test documents
    that were drawn again, with `draw` in place of `seed`.
    """

    scores: pd.DataFrame = field(default_factory=partial(pd.read_csv, REAL))
    draws: pd.DataFrame = field(default_factory=partial(pd.read_csv, REAL_DRAWS))

    def means(self, measure: str) -> pd.DataFrame:
        """System → the measure by each protocol, per cent, mean over seeds."""
        return 100 * self.scores.groupby(["system", "protocol"])[measure].mean().unstack()

    def drawn(self, measure: str) -> pd.DataFrame:
        """Draw of the test documents → the measure, per cent, columns protocol, system."""
        return 100 * self.draws.pivot(index="draw", columns=["protocol", "system"], values=measure)

    def by_both(self) -> pd.DataFrame:
        """AUC by both labels, per cent, a row a system and protocol: index system, the best by DocRED's
        labels first; columns protocol, value (mean over seeds), low, high (95 %, test documents drawn again),
        rank."""
        means, drawn = self.means("auc").sort_values(HELD_OUT, ascending=False), self.drawn("auc")
        ranks = means.rank(ascending=False, method="min").astype(int)
        table = pd.concat({"value": means.stack(), "rank": ranks.stack()}, axis=1)
        table[["low", "high"]] = drawn.quantile([0.025, 0.975]).T.swaplevel()
        return table.reset_index("protocol")[["protocol", "value", "low", "high", "rank"]]

    def table(self) -> pd.DataFrame:
        """Systems by both labels, for reading: runs, AUC with its interval over test documents, rank, best
        micro-F1."""
        areas, f1 = self.by_both(), self.means("micro_f1")
        table = self.scores.groupby("system")["seed"].nunique().loc[areas.index.unique()].to_frame("runs")
        for protocol, title in TITLES.items():
            own = areas[areas["protocol"] == protocol]
            texts = [f"{row.value:.1f} [{row.low:.1f}, {row.high:.1f}]" for row in own.itertuples()]
            table[f"AUC, {title}"], table[f"rank, {title}"] = texts, own["rank"]
            table[f"micro-F1, {title}"] = f1[protocol].map("{:.1f}".format)
        return table.reset_index()

    def orders(self) -> pd.DataFrame:
        """How the orders by both labels agree, a row a measure: Kendall's τ with a 95 % interval (test
        documents drawn again, the same for all systems), pairs reversed, of those that DocRED's labels decide
        (in 97.5 % of the draws) how many Re-DocRED's decide the other way, the best system by each."""
        tables = []
        for measure, title in {"auc": "AUC", "micro_f1": "best micro-F1"}.items():
            means, drawn = self.means(measure), self.drawn(measure)
            draws = (drawn[protocol][means.index].to_numpy() for protocol in PROTOCOLS)
            row = _order_agreement(*(means[protocol] for protocol in PROTOCOLS), *draws)
            best = {f"best by {title}": means[name].idxmax() for name, title in TITLES.items()}
            tables.append(_order_texts(pd.DataFrame([row]), len(means)).assign(**best))
            tables[-1].insert(0, "measure", title)
        return pd.concat(tables, ignore_index=True)

    def moved(self) -> pd.DataFrame:
        """Pairs of systems that DocRED's labels do not decide or that change places, and those that do so in
        paper D (`FALLEN`).

        Columns pair (the first is ahead by DocRED's labels), its lead in AUC by each labels and how the lead
        changes, points, each with a 95 % interval, paired over test documents; the largest change first.
        """
        means, drawn, rows = self.means("auc"), self.drawn("auc"), []
        held_out, manual = PROTOCOLS
        order = means.sort_values(held_out, ascending=False, kind="stable").index
        for first, second in itertools.combinations(order, 2):
            lead = means.loc[first] - means.loc[second]
            leads = pd.DataFrame({name: drawn[name][first] - drawn[name][second] for name in PROTOCOLS})
            for table in (lead, leads):
                table["change"] = table[manual] - table[held_out]
            low, high = leads.quantile(0.025), leads.quantile(0.975)
            is_turned = lead[held_out] * lead[manual] < 0
            if is_turned or low[held_out] <= 0 <= high[held_out] or {first, second} in FALLEN:
                columns = TITLES | {"change": "change"}
                texts = {t: f"{lead[n]:+.1f} [{low[n]:.1f}, {high[n]:.1f}]" for n, t in columns.items()}
                rows.append({"pair": f"{first} − {second}", "by": -abs(lead["change"])} | texts)
        return pd.DataFrame(rows).sort_values("by", kind="stable", ignore_index=True).drop(columns="by")


if __name__ == "__main__":
    agreement, systems = _agreement_rows()
    write_csv(agreement, TABLES_FOLDER / "gold_versions.csv", digits=6)
    write_csv(systems, TABLES_FOLDER / "gold_versions_systems.csv", digits=6)
