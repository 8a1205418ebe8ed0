"""Held-out against manual evaluation on real labels: DocRED's labels, and Re-DocRED's of the same documents.

Annotators of DocRED were shown what a knowledge base and a model proposed, and missed two facts of three;
Re-DocRED labelled the documents again. So DocRED's labels stand to Re-DocRED's as held-out labels to manual
ones in paper D: nearly all of them are right, most facts are missing. Every system is trained on pairs with
DocRED's labels (`docred-pairs`), as the systems of paper D are on those of the base; its list of facts is
scored by both. A sentence that names a pair has the pair's relations, as in distant supervision.

`python -m helpers.experiments.real_noise` trains what is missing with one seed, and makes `REAL` and
`REAL_DRAWS` of all that was trained; with the name of a system and a seed it trains this one alone, so that
several can be trained at the same time, and with more seeds.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from .. import ROOT
from ..core import write_atomically
from ..data import Bag
from ..metrics import FactRanking, FactSample
from ..runs import STUDIES_FOLDER
from .data import BagData, read_bags
from .experiment import SEEDS
from .noise import COSTS, HELD_OUT, MANUAL, System, trained_scores, write
from .study import PAIR_EPOCHS

REAL = STUDIES_FOLDER / "noise_real.csv"
"""Scores of every training: system, seed, protocol, auc, micro_f1, and its `COSTS`."""
REAL_DRAWS = STUDIES_FOLDER / "noise_real_draws.csv"
"""The same of test documents drawn again, mean over seeds: system, draw, protocol, auc, micro_f1."""
PARTS = ROOT / ".cache" / "noise_real"
MEASURES = ("auc", "micro_f1")
_UNKNOWN = "not recorded"
"""The costs of trainings from before they were stored."""
_REPLICATES, _SEED, _AT_ONCE = 200, 1, 8
"""Draws of the test documents, the same for every system; their seed; how many are scored together."""
_LENGTH = 100_000
"""Of a list: four facts a pair; what lies behind is all but random."""


def real_systems(bags: Sequence[Bag] = ()) -> dict[str, System]:
    """The systems by name. Nearly every bag has one sentence here, so that all are trained on sentences, and
    AVG and ONE are one.

    bags : whose entity types RESIDE is given.

    >>> len(real_systems())
    10
    """
    longer, types = {"epochs": PAIR_EPOCHS[1]}, {}
    for bag in bags:
        types |= zip((bag.head, bag.tail), ([kind] for kind in bag.samples[0].types), strict=True)
    listed = [
        System("svm", {}, {"SVM": None}),
        System("svm", {"markers": True}, {"SVM-EM": None}),
        System("cnn", {}, {"CNN": None}, longer),
        System("pcnn", {}, {"PCNN": None}, longer),
        System("rl-dsre", {}, {"RL-DSRE": None}, longer),
        System("bgwa", {}, {"BGWA": None}),
        System("reside", {"types": types}, {"RESIDE": None}),
        System("em-es", {}, {"EM-ES": None}),
        System("recent", {"base": "em-es"}, {"RECENT(EM-ES)": None}),
        System("ptr", {}, {"PTR": None}),
    ]
    return {next(iter(system.systems)): system for system in listed}


def real_data() -> dict[str, BagData]:
    """Protocol → the same bags with DocRED's and with Re-DocRED's labels, over the labels of both.

    Raises MissingData, ChecksumError if they are not here.
    """
    read = {HELD_OUT: read_bags("docred-pairs"), MANUAL: read_bags("docred-pairs-revised")}
    negative = read[MANUAL].negative
    known = {label for data in read.values() for label in data.labels} - {negative}
    return {name: replace(data, labels=(negative, *sorted(known))) for name, data in read.items()}


def scored_by_both(scores: np.ndarray, truths: dict[str, BagData], replicates: int) -> pd.DataFrame:
    """The list that a matrix of scores (B, L) makes, by both protocols: draw, protocol, auc, micro_f1.

    Draw 0 are the test documents as they are; in the others they are drawn again, all pairs of a document
    together, the same documents for every system.
    """
    test = truths[MANUAL].test
    documents, codes = np.unique([bag.head.rpartition(" ")[0] for bag in test], return_inverse=True)
    rng, size = np.random.default_rng(_SEED), len(documents)
    drawn = [np.ones((1, size), int), rng.multinomial(size, np.full(size, 1 / size), replicates)]
    counts, frames = np.concatenate(drawn), []
    labels, negative = truths[MANUAL].labels, truths[MANUAL].negative
    kept = [number for number, label in enumerate(labels) if label != negative]
    listed = scores[:, kept].ravel()
    order = np.argsort(-listed, kind="stable")[:_LENGTH]
    for protocol, truth in truths.items():
        gold = truth.gold[:, kept]
        ranking = FactRanking.from_scores(listed[order], gold.ravel()[order], int(gold.sum()))
        facts = np.bincount(codes, gold.sum(axis=1), size).astype(int)
        sample = FactSample.of(ranking, codes[order // len(kept)], facts)
        parts = np.array_split(counts, max(1, len(counts) // _AT_ONCE))
        values = np.concatenate([replace(sample, counts=part).scores() for part in parts])
        frame = pd.DataFrame(values[:, [0, 3]], columns=MEASURES)
        frames.append(frame.assign(draw=range(len(frame)), protocol=protocol))
    return pd.concat(frames, ignore_index=True)[["draw", "protocol", *MEASURES]]


def train_part(name: str, seed: int, truths: dict[str, BagData], folder: Path = PARTS) -> Path:
    """Train a system, score it by both and store the rows, unless they are stored already."""
    path = folder / f"{name}-{seed}.csv"
    if not path.exists():
        data = truths[HELD_OUT]
        system = real_systems([*data.train, *data.test])[name]
        ((_, scores, costs),) = trained_scores(system, seed, data.train, data.test, data.labels)
        rows = scored_by_both(scores, truths, _REPLICATES).assign(system=name, seed=seed, **costs)
        write(path, rows)
    return path


def _joined(folder: Path = PARTS) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What is stored, as the rows of `REAL` and of `REAL_DRAWS`."""
    rows = pd.concat([pd.read_csv(path, keep_default_na=False) for path in folder.glob("*.csv")])
    rows = rows.reindex(columns=list(dict.fromkeys([*rows, *COSTS]))).fillna(dict.fromkeys(COSTS, _UNKNOWN))
    rows["system"] = pd.Categorical(rows["system"], list(real_systems()), ordered=True)
    rows = rows.sort_values(["system", "seed", "draw"], kind="stable")
    means = rows.groupby(["system", "draw", "protocol"], observed=True)[[*MEASURES]].mean().reset_index()
    return rows.query("draw == 0")[["system", "seed", "protocol", *MEASURES, *COSTS]], means.query("draw > 0")


if __name__ == "__main__":
    labelled = real_data()
    if only := sys.argv[1:]:
        train_part(only[0], int(only[1]), labelled)
    else:
        for name in real_systems():
            print(train_part(name, SEEDS[0], labelled).name, flush=True)
        for path, frame in zip((REAL, REAL_DRAWS), _joined(), strict=True):
            text = frame.to_csv(index=False, float_format="%.5f", lineterminator="\n")
            write_atomically(path, text)
