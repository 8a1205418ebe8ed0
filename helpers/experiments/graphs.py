"""The runs of graph models on SemEval-2010, and of type restriction on the sentence pairs of Re-DocRED."""

from __future__ import annotations

from typing import Any

from .experiment import SEEDS, Experiment

TRIED = ({"vectors": "scratch", "tuned": True}, {"tuned": True}, {})
"""Word vectors from scratch; the encoder's word pieces, averaged to words, learnt on; the same frozen, which
came out best on the held-out tenth (`vector_experiments`) and is the usual choice of the models."""
EPOCHS = 40
"""Twice the standard ones: whether longer training would do."""
PAIR_EPOCHS = (12, 40, 100)
"""Of CNN on the drawn pairs: the usual ones, for GIDS, and more. On the held-out tenth
(`epoch_experiments`) the usual ones detect next to nothing, and the most are no better than the second,
which is therefore taken, on all pairs, too."""
PAIRS, DRAWN = "re_docred", "re_docred-drawn"
UNTYPED, LEAKY = {"typed": False}, {"evaluation": "as-published"}
_CNN, _SVM, _ES = {"base": "cnn"}, {"base": "svm", "markers": True}, {"base": "em-es"}


def _experiment(model: str, seed: int = SEEDS[0], **others: Any) -> Experiment:
    return Experiment(model, seed=seed, profile="standard", **others)


def vector_experiments() -> list[Experiment]:
    """GCN and C-GCN with each kind of word vectors on the held-out tenth; the usual kind for longer, too.

    >>> sorted({(one.split, one.seed) for one in vector_experiments()})
    [('holdout', 9)]
    """
    models = ("gcn", "c-gcn")
    tried = [_experiment(model, holdout=True, options=one) for one in TRIED for model in models]
    usual = [one for one in tried if not one.options]
    return tried + [one.with_settings(changes={"epochs": EPOCHS}) for one in usual]


def graph_experiments() -> list[Experiment]:
    """C-GCN, GCN and C-GCN-M on SemEval-2010 with five seeds, seed 9 of each first; one C-GCN from scratch.

    >>> [(one.name, one.run_variant) for one in graph_experiments()[2:4]]
    [('C-GCN-M', ''), ('C-GCN', 'vectors-scratch+tuned-True')]
    """
    models = (("c-gcn", False), ("gcn", False), ("c-gcn", True))
    runs = [_experiment(model, seed, merged=merged) for seed in SEEDS for model, merged in models]
    return [*runs[:3], _experiment("c-gcn", options=TRIED[0]), *runs[3:]]


def epoch_experiments() -> list[Experiment]:
    """CNN on the held-out tenth of the drawn pairs, trained for longer and longer.

    >>> [(one.split, one.run_variant) for one in epoch_experiments()][:2]
    [('holdout', ''), ('holdout', 'epochs-40')]
    """
    cnn = _experiment("cnn", dataset=DRAWN, holdout=True)
    return [cnn.with_settings(changes={"epochs": epochs}) for epochs in PAIR_EPOCHS]


def pair_experiments() -> list[Experiment]:
    """Table 3's comparison on the drawn pairs of Re-DocRED, with five seeds.

    RECENT stands there in both evaluations, one after the other: one training gives both
    (`run_experiment`). Beside it stands its control, which has the same two steps and does not read the
    types. What draws nothing at random has one run.

    >>> sorted({one.inner_name for one in pair_experiments()})
    ['cnn', 'em-es', 'majority', 'ptr', 'svm']
    """
    return _references(DRAWN) + [one for seed in SEEDS for one in _systems(DRAWN, seed)]


def all_pair_experiments() -> list[Experiment]:
    """The same on all pairs of Re-DocRED, once; PTR, which takes longest, last.

    >>> {one.dataset for one in all_pair_experiments()}
    {'re_docred'}
    """
    return _references(PAIRS) + sorted(_systems(PAIRS, SEEDS[0]), key=lambda one: one.model == "ptr")


def _references(dataset: str) -> list[Experiment]:
    """Without a seed of their own: the most frequent class, a linear SVM, RECENT around it, its control."""
    alone = [_experiment("majority", dataset=dataset), _experiment("svm", dataset=dataset)]
    alone.append(_experiment("svm", dataset=dataset, options={"markers": True}))
    return alone + _restricted(dataset, SEEDS[0], _SVM)


def _systems(dataset: str, seed: int) -> list[Experiment]:
    cnn, *others = (_experiment(model, seed, dataset=dataset) for model in ("cnn", "em-es", "ptr"))
    of_words = [cnn, *_restricted(dataset, seed, _CNN)]
    of_words = [one.with_settings(changes={"epochs": PAIR_EPOCHS[1]}) for one in of_words]
    return of_words + others + _restricted(dataset, seed, _ES)


def _restricted(dataset: str, seed: int, base: dict[str, Any]) -> list[Experiment]:
    """Type restriction around a base, then its control; each evaluated correctly and as published."""
    ways = [types | evaluation for types in ({}, UNTYPED) for evaluation in ({}, LEAKY)]
    return [_experiment("recent", seed, dataset=dataset, options=base | way) for way in ways]
