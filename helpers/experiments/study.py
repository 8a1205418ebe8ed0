"""Which experiments belong together: the standard set, the studies, the papers' grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import unknown_name
from ..models import default_settings
from ..runs import RUNS_FOLDER, STUDIES_FOLDER
from .experiment import SEEDS, Experiment

ENCODERS = ("bert-base-uncased", "bert-large-uncased", "roberta-large")
"""Of the papers' grid."""
RATES = (5e-5, 1e-4, 2e-4)
_TRIED = ({"vectors": "scratch", "tuned": True}, {"tuned": True}, {})
"""Word vectors from scratch; the encoder's word pieces, averaged to words, learnt on; the same frozen, which
came out best on the held-out tenth (study 'vectors') and is the usual choice of the models."""
_GRAPH_EPOCHS = 40
"""Twice the standard ones: whether longer training would do."""
PAIR_EPOCHS = (12, 40, 100)
"""Of CNN on the drawn pairs: the usual ones, for GIDS, and more. On the held-out tenth (study 'epochs') the
usual ones detect next to nothing, and the most are no better than the second, which is therefore taken, on
all pairs, too."""
_WIKI80_EPOCHS = (2, 5)
"""The standard number, and more, as Wiki80's training part has 49 sentences a relation; none is chosen."""

EQUAL_EPOCHS = 21
"""Of training with GIDS's bags: with 34 steps an epoch about as many as 12 epochs of 59 steps with its
sentences."""

_THREE = SEEDS[:3]
_MODELS = (("em-c", False), ("em-es", False), ("r-bert", False), ("emr-c", False), ("ptr", False))
_MERGED = (("em-c", True), ("em-es", True), ("r-bert", True), ("ptr", True))
_COMPARED = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True), ("ptr", False))
_BASE = dict.fromkeys(
    [("em-c", False), ("em-es", False), ("r-bert", False), ("ptr", False), ("em-c", True)], 5
)
_BASE |= {("em-es", True): 2, ("r-bert", True): 2, ("emr-c", False): 1}
"""What is trained in profile 'base', too, with how many seeds."""
_KBP37 = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True))


@dataclass(frozen=True)
class Study:
    """A list of experiments whose runs belong together.

    Attributes
    ----------
    folder : where its runs are. every_epoch : whether the outcome after each epoch is stored, too.
    """

    folder: Path
    experiments: tuple[Experiment, ...]
    every_epoch: bool = False


def studies() -> dict[str, Study]:
    """The studies by name; 'standard' is the set whose runs the tables show.

    rates : every model with three learning rates on the held-out tenth, scored after each epoch. curves :
    EM-C and EM-C-M after each epoch. ablations : EM-C with other markers, and with less training. layers :
    EM-C and EM-ES on the first layers of the encoder. emr-c : EMR-C in other forms. bert-em : EM-ES as paper
    W trained it on SemEval, with a layer normalisation, on the official text. precision, threads : EM-C in
    fp32, and on one thread of the processor. base : eight models on an encoder of BERT base's size, in R's
    settings; base-changed : some of them with other markers, in fp32, as in paper W, and with two learning
    rates on the held-out tenth; base-again : EM-ES once more; base-cpu : three of them on a processor.
    vectors : graph models with other word vectors on the held-out tenth. epochs : CNN on the held-out tenth
    of the drawn pairs, trained for longer. graphs : C-GCN, GCN and C-GCN-M; C-GCN and GCN with spaCy's
    parses. redocred : EM-ES, PTR, CNN, SVM and RECENT around three of them, with types and without, GCN and
    RECENT around GCN and C-GCN, on the drawn sentence pairs of Re-DocRED. redocred-all : the same without GCN
    and C-GCN on all of its pairs. gids : models of bags on GIDS. gids-sentences : the linear
    ones, tested on single sentences. wiki80 : BERT-entity on the sentences of Wiki80.

    >>> {name: len(study.experiments) for name, study in studies().items()}
    {'standard': 67, 'rates': 15, 'curves': 4, 'ablations': 12, 'layers': 12, 'emr-c': 9, 'bert-em': 5,
     'precision': 3, 'threads': 3, 'vectors': 8, 'base-changed': 15, 'base-again': 1, 'base-cpu': 3,
     'epochs': 3, 'graphs': 26, 'redocred': 77, 'redocred-all': 18, 'gids': 63,
     'gids-sentences': 3, 'wiki80': 6, 'base': 30}
    """
    apart = {
        "rates": [_rate(model, rate) for model, _ in _MODELS for rate in RATES],
        "curves": [*(_one("em-c", seed) for seed in _THREE), _one("em-c", merged=True)],
        "ablations": [experiment for seed in _THREE for experiment in _ablations(seed)],
        "layers": [
            _one(model, seed, options={"layers": layers})
            for seed, layers, model in itertools.product(_THREE, (2, 4), ("em-c", "em-es"))
        ],
        "emr-c": _forms_of_emr_c(),
        "bert-em": [_one("em-es", seed, text="official", options={"layer_norm": True}) for seed in SEEDS],
        "precision": [_one("em-c", seed, {"precision": "fp32"}) for seed in _THREE],
        "threads": [_one("em-c", seed, threads=1) for seed in _THREE],
        "vectors": _vectors(),
        "base-changed": _base_changed(),
        "base-again": [_base("em-es")],
        "base-cpu": [_base(model) for model in ("em-c", "em-es", "r-bert")],
        "epochs": [
            _one("cnn", changes={"epochs": epochs}, dataset="re_docred-drawn", holdout=True)
            for epochs in PAIR_EPOCHS
        ],
    }
    standard = {"standard": standard_experiments()}
    rest = {"graphs": _graphs(), "redocred": _drawn_pairs(), "redocred-all": _all_pairs()}
    rest |= {
        "gids": _gids(),
        "gids-sentences": _on_bags("gids-sentences", _REFERENCES, SEEDS[:1]),
        "wiki80": _wiki80(),
    }
    rest["base"] = [
        _base(model, seed, merged=merged) for (model, merged), n in _BASE.items() for seed in SEEDS[:n]
    ]
    return {
        name: Study(
            STUDIES_FOLDER / name if name in apart else Path(RUNS_FOLDER),
            tuple(listed),
            every_epoch=name in ("rates", "curves"),
        )
        for name, listed in (standard | apart | rest).items()
    }


def standard_experiments() -> list[Experiment]:
    """Every run of the standard set, in the order of use: seed 9 of every model first.

    >>> experiments = standard_experiments()
    >>> len(experiments), experiments[0].name, experiments[0].seed
    (67, 'EM-C', 9)
    """
    first = _each((*_MODELS, *_MERGED), SEEDS[:1])
    split = [_one(model, seed, part="ptr") for seed in SEEDS for model in ("em-es", "ptr")]
    compared = _each(_COMPARED, SEEDS[1:])
    second = _each(_KBP37, SEEDS[:1], dataset="kbp37")
    others = _each([pair for pair in (*_MODELS, *_MERGED) if pair not in _COMPARED], SEEDS[1:])
    third = _each(_KBP37, SEEDS[1:3], dataset="kbp37")
    three_seeds = first + split[:2] + compared[:10] + split[2:6] + second + others[:8]
    return three_seeds + compared[10:] + others[8:] + split[6:] + third


def paper_experiments(
    encoders: Sequence[str] = ENCODERS, datasets: Sequence[str] = ("semeval2010", "kbp37")
) -> list[Experiment]:
    """The papers' own grid: the nine models of paper R on each encoder and data set with `SEEDS`, and EM-ES
    and PTR of paper W on SemEval-2010, in the papers' settings. Nothing of it is stored.

    >>> len(paper_experiments(["roberta-large"], ["semeval2010"])), len(paper_experiments())
    (50, 285)
    """
    listed = []
    for seed, encoder in itertools.product(SEEDS, encoders):
        shared = {"seed": seed, "encoder": encoder, "profile": "paper"}
        for dataset, (model, merged) in itertools.product(datasets, (*_MODELS, *_MERGED)):
            experiment = Experiment(model, dataset, merged=merged, **shared)
            has_lyu = "lyu2021" in experiment.entry.settings
            listed.append(experiment.with_settings("lyu2021") if has_lyu else experiment)
        if "semeval2010" in datasets:
            weighted = Experiment("em-es", text="official", options={"layer_norm": True}, **shared)
            listed.append(weighted.with_settings("harbecke2022"))
    return listed


def chosen(
    experiments: Iterable[Experiment], seeds: Sequence[int] = (), names: Sequence[str] = ()
) -> list[Experiment]:
    """Those with one of these seeds and one of these names ('EM-ES-M'); nothing given takes all.

    Raises ValueError for a seed or a name that none of them has.

    >>> [one.seed for one in chosen(standard_experiments(), seeds=[148], names=["R-BERT"])]
    [148]
    """
    every = list(experiments)
    known = {"seed": {each.seed for each in every}, "model": {each.name for each in every}}
    for kind, given in (("seed", seeds), ("model", names)):
        for value in given:
            if value not in known[kind]:
                raise unknown_name(f"{kind} of the standard runs", value, map(str, sorted(known[kind])))
    return [each for each in every if (not seeds or each.seed in seeds) and (not names or each.name in names)]


def _one(
    model: str, seed: int = SEEDS[0], changes: dict[str, Any] | None = None, **others: Any
) -> Experiment:
    """Of profile standard, with these changes of its settings."""
    return Experiment(model, seed=seed, profile="standard", **others).with_settings(changes=changes)


def _base(
    model: str, seed: int = SEEDS[0], changes: dict[str, Any] | None = None, **others: Any
) -> Experiment:
    """Of profile base, with these changes of its settings."""
    return Experiment(model, seed=seed, profile="base", **others).with_settings(changes=changes)


def _base_changed() -> list[Experiment]:
    """Markers, precision, paper W's text and normalisation, and learning rates on the held-out tenth."""
    started = [_base("em-c", changes={"marker_vectors": "mean"})]
    marked = [_base("em-c", options={"marker_scheme": scheme}) for scheme in ("pieces", "symbols")]
    weighted = [_base("em-es", seed, text="official", options={"layer_norm": True}) for seed in SEEDS]
    exact = [_base("em-es", changes={"precision": "fp32"})]
    tried = itertools.product(("em-c", "em-es", "r-bert"), (2e-5, 5e-5))
    rates = [_base(model, changes={"learning_rate": rate}, holdout=True) for model, rate in tried]
    return started + marked + weighted + exact + rates


def _each(listed: Iterable[tuple[str, bool]], seeds: Sequence[int], **others: Any) -> list[Experiment]:
    """Each model, merged or not, with each seed; seeds change last."""
    return [
        _one(model, seed, merged=merged, **others)
        for seed, (model, merged) in itertools.product(seeds, listed)
    ]


def _rate(model: str, rate: float) -> Experiment:
    return _one(model, changes={"learning_rate": rate}, holdout=True)


def _ablations(seed: int) -> list[Experiment]:
    """What EM-C's blindness to direction may depend on, one change each."""
    marked = [_one("em-c", seed, options={"marker_scheme": scheme}) for scheme in ("pieces", "symbols")]
    started = _one("em-c", seed, {"marker_vectors": "mean"})
    return [started, *marked, _one("em-c", seed, {"epochs": 4}, sentences=2000)]


def _forms_of_emr_c() -> list[Experiment]:
    changed = ({"negatives": "resampled"}, {"turned": "symbols"})
    forms = [_one("emr-c", seed, options=options) for options in changed for seed in _THREE]
    return forms + [_one("emr-c", seed, {"learning_rate": 2e-5, "epochs": 10}) for seed in _THREE]


def _vectors() -> list[Experiment]:
    """GCN and C-GCN with each kind of word vectors on the held-out tenth; the usual kind for longer, too."""
    models = ("gcn", "c-gcn")
    tried = [_one(model, holdout=True, options=options) for options in _TRIED for model in models]
    return tried + [_one(model, changes={"epochs": _GRAPH_EPOCHS}, holdout=True) for model in models]


def _graphs() -> list[Experiment]:
    """C-GCN, GCN, C-GCN-M on SemEval-2010 with five seeds, seed 9 of each first; one C-GCN from scratch; both
    models with spaCy's tags and trees."""
    runs = _each((("c-gcn", False), ("gcn", False), ("c-gcn", True)), SEEDS)
    by_spacy = _each((("c-gcn", False), ("gcn", False)), SEEDS, text="spacy")
    return [*runs[:3], _one("c-gcn", options=_TRIED[0]), *runs[3:], *by_spacy]


def _drawn_pairs() -> list[Experiment]:
    """Table 3's comparison on the drawn pairs of Re-DocRED, with five seeds; GCN, and RECENT around GCN and
    C-GCN, with three, without the control.

    RECENT stands there in both evaluations, one after the other: one training gives both. Beside it stands
    its control, which has the same two steps and does not read the types. What draws nothing at random has
    one run.
    """
    dataset = "re_docred-drawn"
    systems = [experiment for seed in SEEDS for experiment in _systems(dataset, seed)]
    for seed in _THREE:
        systems.append(_one("gcn", seed, dataset=dataset))
        for base in ("gcn", "c-gcn"):
            systems += _restricted(dataset, seed, {"base": base})[:2]
    return _references(dataset) + systems


def _all_pairs() -> list[Experiment]:
    """The same on all pairs of Re-DocRED, once; PTR, which takes longest, last."""
    dataset = "re_docred"
    systems = _systems(dataset, SEEDS[0])
    return _references(dataset) + sorted(systems, key=lambda system: system.model == "ptr")


def _references(dataset: str) -> list[Experiment]:
    """Without a seed of their own: the most frequent class, a linear SVM, RECENT around it, its control."""
    marked = {"markers": True}
    alone = [_one("majority", dataset=dataset), _one("svm", dataset=dataset)]
    alone.append(_one("svm", dataset=dataset, options=marked))
    return alone + _restricted(dataset, SEEDS[0], {"base": "svm"} | marked)


def _systems(dataset: str, seed: int) -> list[Experiment]:
    longer = {"epochs": PAIR_EPOCHS[1]}
    cnn = [_one("cnn", seed, longer, dataset=dataset), *_restricted(dataset, seed, {"base": "cnn"}, longer)]
    others = [_one(model, seed, dataset=dataset) for model in ("em-es", "ptr")]
    return cnn + others + _restricted(dataset, seed, {"base": "em-es"})


def _restricted(
    dataset: str, seed: int, base: dict[str, Any], changes: dict[str, Any] | None = None
) -> list[Experiment]:
    """Type restriction around a base, then its control; each evaluated correctly and as published."""
    ways = itertools.product(({}, {"typed": False}), ({}, {"evaluation": "as-published"}))
    return [
        _one("recent", seed, changes, dataset=dataset, options=base | types | evaluation)
        for types, evaluation in ways
    ]


_REFERENCES = [("majority-bag", {}), ("tfidf-bag", {}), ("tfidf-bag", {"markers": True})]
_BY_SENTENCE = {"training": "sentence"}
_BY_BAG = {way: {"training": "bag", "aggregator": way} for way in ("avg", "one", "att")}
_AFTER = ("bgwa", "reside", "rl-dsre")


def _gids() -> list[Experiment]:
    """Every encoder, training and aggregator on GIDS, the recurrent models, RL-DSRE, reference points.

    PCNN is trained on bags for as many steps as on sentences, too.
    """
    ways = [_BY_SENTENCE, *_BY_BAG.values()]
    encoders = [("cnn", {}), ("pcnn", {}), ("bert-entity", {}), ("bert-entity", {"masked": True})]
    listed = [(model, options | way) for model, options in encoders for way in ways]
    listed += [(model, {}) for model in _AFTER]
    made = _on_bags("gids", _REFERENCES, SEEDS[:1]) + _on_bags("gids", listed, _THREE)
    return made + _on_bags("gids", [("pcnn", _BY_BAG["avg"])], _THREE, {"epochs": EQUAL_EPOCHS})


def _on_bags(
    dataset: str,
    listed: Iterable[tuple[str, dict[str, Any]]],
    seeds: Sequence[int],
    changes: dict[str, Any] | None = None,
) -> list[Experiment]:
    """Models and their options with each seed; seeds change last."""
    return [
        _one(model, seed, changes, dataset=dataset, options=options)
        for seed, (model, options) in itertools.product(seeds, listed)
    ]


def _wiki80() -> list[Experiment]:
    """BERT-entity on the sentences of Wiki80, with each number of epochs."""
    usual = default_settings("bert-entity").epochs
    changes = [None if epochs == usual else {"epochs": epochs} for epochs in _WIKI80_EPOCHS]
    return [_one("bert-entity", seed, change, dataset="wiki80") for seed in _THREE for change in changes]
