"""Held-out against manual evaluation, as an experiment: does the ranking by noisy labels hold by clean ones?

Every system is trained on noisy labels, and its list of facts is scored twice: by noisy test labels
(held-out) and by clean ones (manual). The labels are

- drawn: GIDS, whose labels people have judged, stands for the manual truth. In every draw its labels are
  distorted (`distort_bags`) in the training and in the test part, alike for all systems;
- learnable: a word of the text foretells the false ones (`mislead_bags`);
- real: annotators of DocRED were shown what a knowledge base and a model proposed, and missed two facts of
  three; Re-DocRED labelled the documents again. So DocRED's labels stand to Re-DocRED's as held-out labels
  to manual ones in paper D: nearly all of them are right, most facts are missing. A sentence that names a
  pair has the pair's relations, as in distant supervision.

`python -m helpers.experiments.noise` makes noise_learnt.csv and noise_curves.csv in results/studies, and adds
the draws that are missing to noise.csv and, of the systems that fall in paper D, to noise_fallen.csv.
`python -m helpers.experiments.noise real` trains the systems on real labels that are missing in `REAL`, with
one seed, and adds each to it and to `REAL_DRAWS` when it is done.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ..core import write_atomically
from ..data import NEGATIVE, Mention, demo_corpus, distort_bags, make_bags, mislead_bags, read_corpus
from ..metrics import FactRanking
from ..models import EMBEDDED, MODELS, build, default_settings
from ..runs import STUDIES_FOLDER, environment
from .experiment import SEEDS, STUDIES
from .run import BagData, read_bags, read_side

STORED, LEARNT = STUDIES_FOLDER / "noise.csv", STUDIES_FOLDER / "noise_learnt.csv"
CURVES, FALLEN_DRAWS = STUDIES_FOLDER / "noise_curves.csv", STUDIES_FOLDER / "noise_fallen.csv"
REAL = STUDIES_FOLDER / "noise_real.csv"
"""Scores of every training: system, seed, protocol, auc, micro_f1, and its `COSTS`."""
REAL_DRAWS = STUDIES_FOLDER / "noise_real_draws.csv"
"""The same of test documents drawn again, mean over seeds: system, draw, protocol, auc, micro_f1."""
MEASURES = ("auc", "micro_f1")
COLUMNS = ("strength", "draw", "system", "protocol", *MEASURES)
COSTS = ("device", "precision", "seconds")
"""What a training is stored with, beside its scores; those of early ones were not recorded."""
PROTOCOLS = HELD_OUT, MANUAL = "held-out", "manual"
_STRENGTHS = (1.0, 1.25, 0.5)
"""1.25: of the facts by the base 61 % are true, and 17 % of the true ones there; none above 1.51."""
_DRAWS, _POINTS = 10, 50
"""Draws of each strength; points of a stored curve."""
SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MISLEADING, TAKEN_FOR = "spring", "Cause-Effect(e1,e2)"
"""Of noise that can be learnt, on the demo bags: a word that says nothing of a relation, and which relation
bags with it are taken for."""
READER, BLIND = "reads every word", "the word is blanked"
_REPLICATES, _SEED, _AT_ONCE = 200, 1, 8
"""Draws of the test documents, the same for every system; their seed; how many are scored together."""
_LENGTH = 100_000
"""Of a list on real labels: four facts a pair; what lies behind is all but random."""


def systems(labels: str = "drawn") -> list[dict[str, Any]]:
    """The systems that are ranked by 'drawn' or 'real' labels, or the 'fallen' ones; see `studies.toml`.

    A system is a training: model, evaluations (title → aggregator, '' for the model's own), and what of the
    usual options and of the standard settings is changed.

    >>> {labels: sum(len(system["evaluations"]) for system in systems(labels)) for labels in STUDIES["noise"]}
    {'drawn': 9, 'fallen': 3, 'real': 10}
    """
    return STUDIES["noise"][labels]


def _side(data: BagData) -> dict[str, Any]:
    """What RESIDE is given: the entity types of typed sentences, else GIDS's registered types and aliases."""
    bags = [*data.train, *data.test]
    if not hasattr(bags[0].samples[0], "types"):
        return read_side()
    types: dict[str, list[str]] = {}
    for bag in bags:
        types |= zip((bag.head, bag.tail), ([kind] for kind in bag.samples[0].types), strict=True)
    return {"types": types}


def _trained_scores(
    seed: int, data: BagData, system: Mapping[str, Any]
) -> tuple[dict[str, np.ndarray], tuple]:
    """Train one of `systems` once; title → scores of the test bags, (B, L), and the `COSTS`.

    A model of single sentences is trained on the sentences of the bags; a bag's scores are the mean over its
    sentences.
    """
    model, evaluations, settings = system["model"], system["evaluations"], None
    options = system.get("options", {}) | (_side(data) if model == "reside" else {})
    inner = options.get("base", model)
    if MODELS[inner].settings:
        settings = default_settings(inner).changed(system.get("changes", {}))
    made = build(model, EMBEDDED, data.labels, settings, seed, **options)
    if MODELS[model].unit == "bag":
        history = made.fit(data.train, progress=False)
        scores = data.evaluate(made, set(evaluations.values()), progress=False)
    else:
        samples = [replace(each, relation=bag.relations[0]) for bag in data.train for each in bag.samples]
        history = made.fit(samples, progress=False)
        each = made.scores([sample for bag in data.test for sample in bag.samples], progress=False)
        starts = np.cumsum([0, *(len(bag.samples) for bag in data.test)])
        scores = {"": np.add.reduceat(each, starts[:-1]) / np.diff(starts)[:, np.newaxis]}
    costs = environment(())["device"], made.precision or "", round(history.seconds, 1)
    return {title: scores[aggregator] for title, aggregator in evaluations.items()}, costs


Lists = Iterator[tuple[str, str, FactRanking, tuple]]
"""Title, protocol, the list of facts that it is scored by, and the `COSTS` of the training."""


def _lists(
    listed: Iterable[Mapping[str, Any]], seed: int, data: BagData, truths: Mapping[str, BagData]
) -> Lists:
    """Of each evaluation of each system, trained on `data`; the true facts are those of `truths`, by
    protocol."""
    for system in listed:
        scores, costs = _trained_scores(seed, data, system)
        for (title, own), (protocol, truth) in itertools.product(scores.items(), truths.items()):
            ranking = FactRanking.from_matrix(own, truth.gold, truth.labels, truth.negative)
            yield title, protocol, ranking, costs


def _draw(data: BagData, strength: float, draw: int, listed: Iterable[Mapping[str, Any]]) -> Lists:
    rng = random.Random(f"{draw} {strength}")
    bags = distort_bags(data.train, data.negative, rng, strength)
    noised = replace(data, train=[part for bag in bags for part in bag.by_relation()])
    truth = replace(data, test=distort_bags(data.test, data.negative, rng, strength))
    return _lists(listed, draw, noised, {HELD_OUT: truth, MANUAL: data})


def _rows(strength: float, draw: int, lists: Lists) -> pd.DataFrame:
    rows = [
        (strength, draw, title, protocol, ranking.auc(), ranking.best_f1()[0], *costs)
        for title, protocol, ranking, costs in lists
    ]
    return pd.DataFrame(rows, columns=[*COLUMNS, *COSTS])


def one_draw(
    data: BagData, strength: float, draw: int, listed: Sequence[Mapping[str, Any]] | None = None
) -> pd.DataFrame:
    """Train every system on one draw of the noise and score it by both protocols: `COLUMNS`, `COSTS`.

    `data` : the clean bags; the training part by (head, tail, relation) or by pair. The draw is the seed.
    """
    return _rows(strength, draw, _draw(data, strength, draw, systems() if listed is None else listed))


def _draw_curves(data: BagData, strength: float, draw: int) -> pd.DataFrame:
    """The curves of a draw: system, protocol, recall, precision at the first rank that reaches it."""
    recalls = np.arange(1, _POINTS + 1) / _POINTS
    curves = []
    for title, protocol, ranking, _ in _draw(data, strength, draw, systems()):
        reached = recalls[recalls <= ranking.recall[-1] + 1e-12]
        precision = ranking.precision[np.searchsorted(ranking.recall, reached - 1e-12)]
        curve = {"system": title, "protocol": protocol, "recall": reached, "precision": precision}
        curves.append(pd.DataFrame(curve))
    return pd.concat(curves, ignore_index=True)


def _learnable_draws(
    data: BagData, word: str, relation: str, shares: Sequence[float], draws: int
) -> pd.DataFrame:
    """Two linear models on labels that a word misleads (`mislead_bags`), scored by both protocols.

    One reads the texts as they are, the other with blanks for the word, in training and in test; else they
    are the same. The labels of both parts are misled alike. Rows of `COLUMNS`; strength is the share.
    """
    train, test = ([bag.hiding(word) for bag in part] for part in (data.train, data.test))
    hidden = replace(data, train=train, test=test)
    frames = []
    for share, draw in itertools.product(shares, range(draws)):
        how = (data.negative, word, relation, share, random.Random(f"{draw} {share} {word}"))
        train, test = mislead_bags(data.train, *how), mislead_bags(data.test, *how)
        truths = {HELD_OUT: replace(data, test=test), MANUAL: data}
        for title, read in ((READER, data), (BLIND, hidden)):
            pairs = zip(read.train, train, strict=True)
            bags = [replace(bag, relations=noised.relations) for bag, noised in pairs]
            misled = [part for bag in bags for part in bag.by_relation()]
            system = {"model": "tfidf-bag", "evaluations": {title: ""}}
            lists = _lists([system], draw, replace(read, train=misled), truths)
            frames.append(_rows(share, draw, lists))
    return pd.concat(frames, ignore_index=True)[[*COLUMNS]]


def demo_bags() -> BagData:
    """Bags of the synthetic demo sentences, for where no data are: an entity is a word in one relation.

    >>> data = demo_bags()
    >>> len(data.train), len(data.labels), data.negative
    (263, 17, 'Other')
    """
    parts = {}
    for part, samples in demo_corpus().items():
        mentions = [
            Mention(sample, *(f"{word}, {sample.relation}" for word in (sample.head_text, sample.tail_text)))
            for sample in samples
        ]
        parts[part] = make_bags(mentions, NEGATIVE)
    labels = {relation for bags in parts.values() for bag in bags for relation in bag.relations}
    return BagData(parts["train"], parts["test"], tuple(sorted(labels)), NEGATIVE, {})


def stored_draws(path: Path | str = STORED) -> pd.DataFrame:
    """The rows of all draws that are stored; none yet: an empty table.

    >>> stored_draws("no-such-file").columns.tolist()
    ['strength', 'draw', 'system', 'protocol', 'auc', 'micro_f1']
    """
    return pd.read_csv(path) if Path(path).exists() else pd.DataFrame(columns=COLUMNS)


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


def _scored_by_both(scores: np.ndarray, truths: Mapping[str, BagData], replicates: int) -> pd.DataFrame:
    """The list that a matrix of scores (B, L) makes, by both protocols: draw, protocol, auc, micro_f1.

    Draw 0 are the test documents as they are; in the others they are drawn again, all pairs of a document
    together, the same documents for every system.
    """
    labels, negative = truths[MANUAL].labels, truths[MANUAL].negative
    kept = [number for number, label in enumerate(labels) if label != negative]
    documents = [bag.head.rpartition(" ")[0] for bag in truths[MANUAL].test]
    codes, listed = np.unique(documents, return_inverse=True)[1], scores[:, kept].ravel()
    order, frames = np.argsort(-listed, kind="stable")[:_LENGTH], []
    for protocol, truth in truths.items():
        gold = truth.gold[:, kept]
        ranking = FactRanking.from_scores(listed[order], gold.ravel()[order], int(gold.sum()))
        sample = ranking.sample(codes[order // len(kept)], np.bincount(codes, gold.sum(axis=1)))
        drawn = sample.resample(np.random.default_rng(_SEED), replicates).counts
        parts = np.array_split(drawn, max(1, replicates // _AT_ONCE))
        values = [replace(sample, counts=part).scores() for part in (sample.counts[np.newaxis], *parts)]
        frame = pd.DataFrame(np.concatenate(values)[:, [0, 3]], columns=MEASURES)
        frames.append(frame.assign(draw=range(len(frame)), protocol=protocol))
    return pd.concat(frames, ignore_index=True)[["draw", "protocol", *MEASURES]]


def _real_data() -> dict[str, BagData]:
    """Protocol → the same bags with DocRED's and with Re-DocRED's labels, over the labels of both."""
    read = {HELD_OUT: read_bags("docred-pairs"), MANUAL: read_bags("docred-pairs-revised")}
    negative = read[MANUAL].negative
    known = {label for data in read.values() for label in data.labels} - {negative}
    return {name: replace(data, labels=(negative, *sorted(known))) for name, data in read.items()}


def _train_real(truths: Mapping[str, BagData]) -> None:
    """Train the systems that are missing in `REAL`, and add the scores of each by both labels; says which."""
    for system in systems("real"):
        (title,) = system["evaluations"]
        if title in set(pd.read_csv(REAL)["system"]):
            continue
        scores, costs = _trained_scores(SEEDS[0], truths[HELD_OUT], system)
        about = {"system": title, "seed": SEEDS[0]} | dict(zip(COSTS, map(str, costs), strict=True))
        rows = _scored_by_both(scores[title], truths, _REPLICATES).assign(**about)
        rows = rows.sort_values("draw", kind="stable")
        for path, own in ((REAL_DRAWS, rows.query("draw > 0")), (REAL, rows.query("draw == 0"))):
            stored = pd.read_csv(path, dtype={"seconds": str}, keep_default_na=False)
            stored = stored[stored["system"] != title]  # draws of a training that was stopped before `REAL`
            _write(path, pd.concat([stored, own[stored.columns]]), "%.5f")
        print(title, flush=True)


def _clean_data() -> BagData:
    """GIDS, both parts by (head, tail). Raises MissingData, ChecksumError if it is not here."""
    data = read_bags("gids")
    return replace(data, train=make_bags(read_corpus("gids")["train"], data.negative))


def _add_draws(path: Path, strengths: Sequence[float], listed: Sequence[Mapping[str, Any]]) -> None:
    """Make the draws that are not stored yet, one after the other; says which. Whole draws are written."""
    stored, data = stored_draws(path), _clean_data()
    done = set(zip(stored["strength"], stored["draw"], strict=True))
    for strength, draw in itertools.product(strengths, range(_DRAWS)):
        if (strength, draw) not in done:
            stored = pd.concat([stored, one_draw(data, strength, draw, listed)], ignore_index=True)
            _write(path, stored.sort_values(["strength", "draw"], kind="stable"))
            print(f"strength {strength}, draw {draw}", flush=True)


def _write(path: Path, rows: pd.DataFrame, form: str = "%.6f") -> None:
    """Rows as CSV, whole or not at all."""
    write_atomically(path, rows.to_csv(index=False, float_format=form, lineterminator="\n"))


def _main(words: Sequence[str]) -> None:
    match words:
        case ("real",):
            _train_real(_real_data())
        case ():
            _write(LEARNT, _learnable_draws(demo_bags(), MISLEADING, TAKEN_FOR, SHARES, _DRAWS))
            _write(CURVES, _draw_curves(_clean_data(), strength=1.0, draw=0))
            _add_draws(STORED, _STRENGTHS, systems())
            _add_draws(FALLEN_DRAWS, (1.0,), systems("fallen"))
        case _:
            raise SystemExit("python -m helpers.experiments.noise [real]")


if __name__ == "__main__":
    _main(tuple(sys.argv[1:]))
