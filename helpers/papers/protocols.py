"""Paper D as published: its printed Tables 1 to 5 and A.1 with the claims about them, and its ranked lists.

The published lists of NYT10 and GIDS become run files: `python -m helpers.papers.protocols` writes them anew
from the published files.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pandas as pd

from .. import data
from ..metrics import FactRanking, flips
from ..reporting import load_published
from ..runs import RUNS_FOLDER, RankedFacts, Run, save_run

HELD_OUT, MANUAL, SENTENCES = "held-out", "bag-level manual", "sentence-level manual"
"""The three protocols of Table 4."""
NEGATIVE = "NA"
DECIMALS = 6  # as the lists in text have them


def protocol_scores(metric: str = "auc", scheme: str = "") -> pd.DataFrame:
    """A printed measure of Table 4, a row for each system, a column for each protocol, in per cent.

    >>> protocol_scores().loc["BERT+sent+ONE"].tolist()
    [50.5, 61.3, 63.2]
    """
    frame = load_published("D", "Table 4").query("metric == @metric and scheme == @scheme")
    wide = frame.pivot_table(index="model", columns="statistic", values="value", sort=False)
    return wide[[HELD_OUT, MANUAL, SENTENCES]].rename_axis(columns=None)


def reversed_pairs(scores: pd.DataFrame, first: str = HELD_OUT, second: str = MANUAL) -> pd.DataFrame:
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


Checked = tuple[str, str, bool, pd.DataFrame]
"""Claim, place in the paper, whether it holds, the numbers."""


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
        pd.Series(counts[part]).drop([data.TOTAL, NEGATIVE], errors="ignore") for part in ("test", "train")
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
    auc, micro, macro = (protocol_scores(*of) for of in (("auc", ""), ("f1", "micro"), ("f1", "macro")))
    manual, names = auc[MANUAL], auc.index
    pairs = {
        "PCNN and RL-DSRE change places between held-out and manual evaluation": ["RL-DSRE", "PCNN+bag+ATT"],
        "BGWA and RESIDE change places": ["RESIDE", "BGWA"],
    }
    for claim, pair in pairs.items():
        lead = auc.loc[pair[0]] - auc.loc[pair[1]]
        yield claim, "5.3", lead[HELD_OUT] > 0 > lead[MANUAL], auc.loc[pair]
    spread, claim = auc.std(), "the gaps between models are smaller in the manual test"
    yield claim, "5.3", spread[MANUAL] < spread[HELD_OUT], spread.to_frame("SD of AUC over 15 systems").T
    claim = "sentence-level training with BERT is best under all three protocols"
    yield claim, "5.3", auc.idxmax().str.startswith("BERT+sent").all(), auc.max().to_frame("best").T
    best = {start: manual[names.str.startswith(start)].idxmax() for start in ("PCNN+", "BERT+")}
    claim = "bag-level training helps PCNN and does not help BERT (best of each, manual, AUC)"
    helps = ["+bag" in best["PCNN+"], "+bag" in best["BERT+"]]
    yield claim, "5.3", helps == [True, False], auc.loc[names.str.match(r"(PCNN|BERT)\+"), [MANUAL]]
    claim = "ATT is the best strategy of PCNN and the worst of BERT (bag, manual, AUC)"
    pcnn, bert = (manual[names.str.startswith(f"{model}+bag")] for model in ("PCNN", "BERT"))
    are_ends = (pcnn.idxmax(), bert.idxmin()) == ("PCNN+bag+ATT", "BERT+bag+ATT")
    yield claim, "5.3", are_ends, auc.loc[names.str.contains(r"\+bag"), [MANUAL]]
    claim = "some changes raise micro-F1 and lower macro-F1 (manual)"
    opposite = _opposite(micro[MANUAL], macro[MANUAL])
    yield claim, "5.3, Imbalanced Classes", len(opposite) > 0, opposite
    claim = "sentence-level columns are equal for AVG and ONE after sentence-level training (necessarily)"
    columns = product((table[SENTENCES] for table in (auc, micro, macro)), ("CNN", "PCNN", "BERT"))
    same = all(column[f"{model}+sent+AVG"] == column[f"{model}+sent+ONE"] for column, model in columns)
    yield claim, "Table 4", same, auc.loc[names.str.contains(r"\+sent"), [SENTENCES]]
    wiki20 = load_published("D", "Table 5").query("metric == 'auc'").set_index("model")["value"]
    best = [wiki20[wiki20.index.str.startswith(start)].idxmax() for start in ("PCNN", "BERT")]
    claim = "on Wiki20, AVG is the best strategy; bag-level training helps PCNN, not BERT"
    yield claim, "5.4", best == ["PCNN+bag+AVG", "BERT+sent+AVG"], wiki20.to_frame()


def _opposite(micro: pd.Series, macro: pd.Series) -> pd.DataFrame:
    """Systems that differ in one step, training or strategy, and whose micro- and macro-F1 go apart."""
    rows = {}
    for a, b in combinations([name for name in micro.index if "+" in name], 2):
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


def _published_list_runs() -> list[Run]:
    """A run of each of `PUBLISHED_LISTS`; the lists keep their order, scores are rounded.

    `pairs` are known of the probabilities, numbered as by `read_gids_probabilities`, and of the two lists in
    text that name every entity, numbered by first sight: in the others names may be `UNK`.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    numbers: dict[tuple[str, str], int] = {}
    runs = []
    for row in data.PUBLISHED_LISTS:
        labels = data.GIDS_RELATIONS if row.dataset == "gids" else tuple(data.nyt10m_relations())
        if row.files[0].endswith(".npz"):
            ranking, pairs = _of_probabilities(*data.read_gids_probabilities(data.locate(row.files[0])))
        else:
            ranking, pairs = _of_list(row, labels, numbers)
        facts = RankedFacts.from_ranking(ranking, "bag", labels, pairs, DECIMALS)
        about = {"dataset": row.dataset, "model": row.name, "licence": row.licence, "source": row.source}
        about["files"] = {file: data.registered_file(file).sha256 for file in row.files}
        runs.append(Run.from_outcome(facts, **about, labels=labels, negative=NEGATIVE))
    return runs


def _of_probabilities(scores: np.ndarray, gold: np.ndarray) -> tuple[FactRanking, list[int]]:
    """The ranking of a matrix, and the pair of each fact, in the order of `FactRanking.from_matrix`."""
    order = np.argsort(-scores[:, 1:].ravel(), kind="stable")
    ranking = FactRanking.from_matrix(scores, gold, data.GIDS_RELATIONS, NEGATIVE)
    return ranking, (order // (scores.shape[1] - 1)).tolist()


def _of_list(
    row: data.PublishedList, labels: tuple[str, ...], numbers: dict[tuple[str, str], int]
) -> tuple[FactRanking, list[int] | None]:
    """The ranking of a list in text, with all that follows from it, and the pair of each fact: one numbering
    for all lists, None where a list does not name all of them."""
    files = [data.locate(file) for file in row.files]
    read = data.read_ranked_list(*files) if len(files) == 1 else data.read_curve(*files)
    ranking = FactRanking.from_curve(read.precision, read.recall, row.facts, read.scores)
    if read.facts is None:
        return ranking, None
    positive = [label for label in labels if label != NEGATIVE]
    relations = [positive.index(fact.relation) for fact in read.facts]
    ranking = FactRanking.from_scores(read.scores, ranking.hits, row.facts, relations, positive)
    named = [(fact.head, fact.tail) for fact in read.facts]
    if any(data.UNKNOWN_ENTITY in pair for pair in named):
        return ranking, None
    return ranking, [numbers.setdefault(pair, len(numbers)) for pair in named]


def _write_list_runs(folder: Path | str = RUNS_FOLDER) -> list[Path]:
    """Write the run of every published list; the paths, in the order of `PUBLISHED_LISTS`."""
    return [save_run(run, folder) for run in _published_list_runs()]


if __name__ == "__main__":
    print(*_write_list_runs(), sep="\n")
