"""Held-out against manual evaluation, as an experiment: does the ranking by noisy labels hold by clean ones?

GIDS, whose labels people have judged, stands for the manual truth. In every draw its labels are distorted
(`distort_bags`) in the training and in the test part, every system is trained on the distorted part, and its
list is scored twice: by the distorted test labels (held-out) and by the clean ones (manual).

That noise is alike for all systems. `learnable_draws` makes noise that a system can learn from the text.

`python -m helpers.experiments.noise` makes noise_learnt.csv and noise_curves.csv in results/studies, and adds
the draws that are missing to noise.csv and, of the systems that fall in paper D, to noise_fallen.csv.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ..core import write_atomically
from ..data import (
    NEGATIVE,
    Bag,
    Mention,
    by_relation,
    demo_corpus,
    distort_bags,
    hide_word,
    locate,
    make_bags,
    mislead_bags,
    read_corpus,
    read_entity_types,
    read_relation_aliases,
)
from ..metrics import FactRanking
from ..models import EMBEDDED, MODELS, build, default_settings
from ..runs import STUDIES_FOLDER, environment
from .data import BagData, read_bags
from .experiment import SIDE

STORED = STUDIES_FOLDER / "noise.csv"
LEARNT = STUDIES_FOLDER / "noise_learnt.csv"
CURVES = STUDIES_FOLDER / "noise_curves.csv"
_FALLEN = STUDIES_FOLDER / "noise_fallen.csv"
COLUMNS = ("strength", "draw", "system", "protocol", "auc", "micro_f1")
COSTS = ("device", "precision", "seconds")
"""What a training is stored with, beside its scores."""
_STRENGTHS = (1.0, 1.25, 0.5)
"""1.25: of the facts by the base 61 % are true, and 17 % of the true ones there; none above 1.51."""
_DRAWS, _POINTS = 10, 50
"""Draws of each strength; points of a stored curve."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MISLEADING, TAKEN_FOR = "spring", "Cause-Effect(e1,e2)"
"""Of noise that can be learnt, on the demo bags: a word that says nothing of a relation, and which relation
bags with it are taken for."""
PROTOCOLS = HELD_OUT, MANUAL = "held-out", "manual"
EPOCHS, _FILTERS = 6, 100
"""Half of the standard epochs and filters: a draw takes a minute on one core."""
_STATES, _STATE_EPOCHS = 96, 3
"""Likewise of the recurrent models: half of the standard width, three of five epochs."""


class System(NamedTuple):
    """A training, the aggregators of its evaluations by the names of the systems, and what of the standard
    settings is changed."""

    model: str
    options: Mapping[str, Any]
    systems: Mapping[str, str | None]
    changes: Mapping[str, Any] = {}


def systems() -> list[System]:
    """The nine systems that are ranked, from seven trainings.

    >>> sum(len(one.systems) for one in systems())
    9
    """
    small, fewer = {"filters": _FILTERS}, {"epochs": EPOCHS}
    bag = {"training": "bag"} | small
    return [
        System("tfidf-bag", {}, {"TF-IDF": None}),
        System("tfidf-bag", {"markers": True}, {"TF-IDF-EM": None}),
        System("cnn", small, {"CNN+sent+AVG": "avg", "CNN+sent+ONE": "one"}, fewer),
        System("cnn", small | {"masked": True}, {"CNN-masked+sent+AVG": "avg"}, fewer),
        System("pcnn", small, {"PCNN+sent+AVG": "avg", "PCNN+sent+ONE": "one"}, fewer),
        System("pcnn", bag | {"aggregator": "avg"}, {"PCNN+bag+AVG": "avg"}, fewer),
        System("pcnn", bag | {"aggregator": "att"}, {"PCNN+bag+ATT": "att"}, fewer),
    ]


def _fallen_systems() -> list[System]:
    """The systems that fall in paper D, as small as the others; RESIDE is given GIDS's types and aliases.

    Raises MissingData, ChecksumError if these are not here.
    """
    states, fewer = {"hidden": _STATES}, {"epochs": _STATE_EPOCHS}
    readers = {"types": read_entity_types, "aliases": read_relation_aliases}
    side = {name: readers[name](locate(file)) for name, file in SIDE.items()}
    return [
        System("rl-dsre", {"filters": _FILTERS}, {"RL-DSRE": None}, {"epochs": EPOCHS}),
        System("bgwa", states, {"BGWA": None}, fewer),
        System("reside", states | side, {"RESIDE": None}, fewer),
    ]


def one_draw(
    data: BagData, strength: float, draw: int, listed: Sequence[System] | None = None
) -> Iterator[dict[str, Any]]:
    """Train every system on one draw of the noise and score it by both protocols: rows of `COLUMNS`, `COSTS`.

    `data` : the clean bags; the training part by (head, tail, relation) or by pair. The draw is the seed.
    """
    return (_row(strength, draw, *scored) for scored in _draw(data, strength, draw, listed))


def _row(
    strength: float, draw: int, name: str, protocol: str, ranking: FactRanking, costs: dict[str, Any]
) -> dict[str, Any]:
    values = (strength, draw, name, protocol, ranking.auc(), ranking.best_f1()[0])
    return dict(zip(COLUMNS, values, strict=True)) | costs


def _draw_curves(
    data: BagData, strength: float, draw: int, listed: Sequence[System] | None = None
) -> pd.DataFrame:
    """The curves of `one_draw`: system, protocol, recall, precision at the first rank that reaches it."""
    recalls = np.arange(1, _POINTS + 1) / _POINTS
    rows = []
    for name, protocol, ranking, _ in _draw(data, strength, draw, listed):
        reached = recalls[recalls <= ranking.recall[-1] + 1e-12]
        precision = ranking.precision[np.searchsorted(ranking.recall, reached - 1e-12)]
        points = zip(reached.tolist(), precision.tolist(), strict=True)
        rows += [(name, protocol, *point) for point in points]
    return pd.DataFrame(rows, columns=["system", "protocol", "recall", "precision"])


Lists = Iterator[tuple[str, str, FactRanking, dict[str, Any]]]
"""System, protocol, the list of facts that it is scored by, and its `COSTS`."""


def _draw(data: BagData, strength: float, draw: int, listed: Sequence[System] | None) -> Lists:
    rng = random.Random(f"{draw} {strength}")
    train = by_relation(distort_bags(data.train, data.negative, rng, strength))
    noised = replace(data, test=distort_bags(data.test, data.negative, rng, strength))
    for system in systems() if listed is None else listed:
        yield from _trained(system, draw, train, data.test, {HELD_OUT: noised, MANUAL: data})


def _trained(
    system: System, seed: int, train: list[Bag], test: list[Bag], truths: dict[str, BagData]
) -> Lists:
    """Of each evaluation of one training; the labels are those of `truths`, by protocol."""
    clean = truths[MANUAL]
    for name, scores, costs in trained_scores(system, seed, train, test, clean.labels):
        for protocol, truth in truths.items():
            ranking = FactRanking.from_matrix(scores, truth.gold, truth.labels, truth.negative)
            yield name, protocol, ranking, costs


def trained_scores(
    system: System, seed: int, train: Sequence[Bag], test: Sequence[Bag], labels: Sequence[str]
) -> Iterator[tuple[str, np.ndarray, dict[str, Any]]]:
    """Train once; of each evaluation its name, the scores of the test bags, (B, L), and the `COSTS`.

    A model of single sentences is trained on the sentences of the bags; a bag's scores are the mean over its
    sentences.
    """
    inner, settings = system.options.get("base", system.model), None
    if MODELS[inner].settings:
        settings = default_settings(inner).changed(system.changes)
    model = build(system.model, EMBEDDED, labels, settings, seed, **system.options)
    by_bag = MODELS[system.model].unit == "bag"
    samples = [replace(one, relation=bag.relations[0]) for bag in train for one in bag.samples]
    history = model.fit(train if by_bag else samples, progress=False)
    known = (environment(())["device"], model.precision or "", round(history.seconds, 1))
    costs = dict(zip(COSTS, known, strict=True))
    if by_bag:
        for name, aggregator in system.systems.items():
            yield name, model.scores(test, *filter(None, [aggregator]), progress=False), costs
        return
    scores = model.scores([one for bag in test for one in bag.samples], progress=False)
    starts = np.cumsum([0, *(len(bag.samples) for bag in test)])
    for name in system.systems:
        yield name, np.add.reduceat(scores, starts[:-1]) / np.diff(starts)[:, np.newaxis], costs


READER, BLIND = "reads every word", "the word is blanked"


def learnable_draws(
    data: BagData, word: str, relation: str, shares: Sequence[float], draws: int
) -> pd.DataFrame:
    """Two linear models on labels that a word misleads (`mislead_bags`), scored by both protocols.

    One reads the texts as they are, the other with blanks for the word, in training and in test; else they
    are the same. The labels of both parts are misled alike. Rows of `COLUMNS`; strength is the share.
    """
    hidden = replace(data, train=hide_word(data.train, word), test=hide_word(data.test, word))
    rows = []
    for share, draw in itertools.product(shares, range(draws)):
        rng = random.Random(f"{draw} {share} {word}")
        how = (data.negative, word, relation, share, rng)
        train, test = mislead_bags(data.train, *how), mislead_bags(data.test, *how)
        truths = {HELD_OUT: replace(data, test=test), MANUAL: data}
        for name, read in ((READER, data), (BLIND, hidden)):
            pairs = zip(read.train, train, strict=True)
            misled = by_relation([replace(bag, relations=noised.relations) for bag, noised in pairs])
            lists = _trained(System("tfidf-bag", {}, {name: None}), draw, misled, read.test, truths)
            rows += [_row(share, draw, *scored) for scored in lists]
    return pd.DataFrame(rows, columns=COLUMNS)


def _clean_data() -> BagData:
    """GIDS, both parts by (head, tail). Raises MissingData, ChecksumError if it is not here."""
    data = read_bags("gids")
    train = make_bags(read_corpus("gids")["train"], data.negative)
    return BagData(train, data.test, data.labels, data.negative, data.files)


def demo_bags() -> BagData:
    """Bags of the synthetic demo sentences, for where no data are: an entity is a word in one relation.

    >>> data = demo_bags()
    >>> len(data.train), len(data.labels), data.negative
    (263, 17, 'Other')
    """
    parts = {}
    for part, samples in demo_corpus().items():
        names = [[f"{word}, {one.relation}" for word in (one.head_text, one.tail_text)] for one in samples]
        mentions = [Mention(sample, *pair) for sample, pair in zip(samples, names, strict=True)]
        parts[part] = make_bags(mentions, NEGATIVE)
    labels = {relation for bags in parts.values() for bag in bags for relation in bag.relations}
    return BagData(parts["train"], parts["test"], tuple(sorted(labels)), NEGATIVE, {})


def stored_draws(path: Path | str = STORED) -> pd.DataFrame:
    """The rows of all draws that are stored; none yet: an empty table.

    >>> stored_draws("no-such-file").columns.tolist()
    ['strength', 'draw', 'system', 'protocol', 'auc', 'micro_f1']
    """
    return pd.read_csv(path) if Path(path).exists() else pd.DataFrame(columns=COLUMNS)


def _add_draws(
    path: Path | str = STORED,
    strengths: Sequence[float] = _STRENGTHS,
    draws: int = _DRAWS,
    listed: Sequence[System] | None = None,
) -> Iterator[str]:
    """Make the draws that are not stored yet, one after the other; says which. Whole draws are written."""
    stored, data = stored_draws(path), _clean_data()
    done = set(zip(stored["strength"], stored["draw"], strict=True))
    for strength, draw in itertools.product(strengths, range(draws)):
        if (strength, draw) not in done:
            made = pd.DataFrame(one_draw(data, strength, draw, listed))
            stored = pd.concat([stored, made], ignore_index=True)
            write(path, stored.sort_values(["strength", "draw"], kind="stable"))
            yield f"strength {strength}, draw {draw}"


def write(path: Path | str, rows: pd.DataFrame) -> None:
    """Rows as CSV, whole or not at all."""
    write_atomically(path, rows.to_csv(index=False, float_format="%.6f", lineterminator="\n"))


def agreement(rows: pd.DataFrame, measure: str = "auc") -> pd.DataFrame:
    """How well the two rankings of each draw agree: strength, draw, tau (Kendall's), best_kept, loss.

    `best_kept` : whether the best system by held-out labels is the best one by clean labels; `loss` : by how
    much it falls behind that one.

    >>> rows = pd.DataFrame({"strength": 1.0, "draw": 0, "system": list("abab"), "auc": [0.5, 0.4, 0.3, 0.6],
    ...                      "protocol": ["held-out"] * 2 + ["manual"] * 2})
    >>> agreement(rows)[["tau", "best_kept", "loss"]].values.tolist()
    [[-1.0, False, 0.3]]
    """
    from scipy.stats import kendalltau

    agreed = []
    for (strength, draw), part in rows.groupby(["strength", "draw"]):
        table = part.pivot(index="system", columns="protocol", values=measure)
        loss = table[MANUAL].max() - table.loc[table[HELD_OUT].idxmax(), MANUAL]
        tau = float(kendalltau(table[HELD_OUT], table[MANUAL]).statistic)
        agreed.append((strength, draw, tau, bool(loss == 0), loss))
    return pd.DataFrame(agreed, columns=["strength", "draw", "tau", "best_kept", "loss"])


if __name__ == "__main__":
    write(LEARNT, learnable_draws(demo_bags(), MISLEADING, TAKEN_FOR, SHARES, _DRAWS))
    write(CURVES, _draw_curves(_clean_data(), strength=1.0, draw=0))
    for made in itertools.chain(_add_draws(), _add_draws(_FALLEN, (1.0,), listed=_fallen_systems())):
        print(made, flush=True)
