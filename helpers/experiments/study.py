"""Which experiments belong together: the standard set, the studies, the papers' grid."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core import unknown_name
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
    ones and PCNN, tested on single sentences. wiki80 : BERT-entity and PCNN on the sentences of Wiki80.

    >>> {name: len(study.experiments) for name, study in studies().items()}
    {'standard': 67, 'rates': 15, 'curves': 4, 'ablations': 12, 'layers': 12, 'emr-c': 9, 'bert-em': 5,
     'precision': 3, 'threads': 3, 'vectors': 8, 'base-changed': 15, 'base-again': 1, 'base-cpu': 3,
     'epochs': 3, 'graphs': 26, 'redocred': 77, 'redocred-all': 18, 'gids': 66,
     'gids-sentences': 9, 'wiki80': 9, 'base': 30}
    """
    apart = {
        "rates": _each([(model, _rate(rate)) for model, _ in _MODELS for rate in RATES], holdout=True),
        "curves": _each([("em-c", False)], _THREE) + _each([("em-c", True)]),
        "ablations": _each([("em-c", change) for change in _ABLATIONS], _THREE),
        "layers": _each([(model, _option(layers=n)) for n in (2, 4) for model in ("em-c", "em-es")], _THREE),
        "emr-c": [run for form in _FORMS for run in _each([("emr-c", form)], _THREE)],
        "bert-em": _each([("em-es", _WEIGHTED)], SEEDS),
        "precision": _each([("em-c", _EXACT)], _THREE),
        "threads": _each([("em-c", False)], _THREE, threads=1),
        "vectors": _each([*_VECTORS, *((model, _epochs(_GRAPH_EPOCHS)) for model in _GRAPHS)], holdout=True),
        "base-changed": _base_changed(),
        "base-again": _each([("em-es", False)], profile="base"),
        "base-cpu": _each([("em-c", False), ("em-es", False), ("r-bert", False)], profile="base"),
        "epochs": _each(
            [("cnn", _epochs(epochs)) for epochs in PAIR_EPOCHS], dataset="re_docred-drawn", holdout=True
        ),
    }
    rest = {
        "graphs": _graphs(),
        "redocred": _drawn_pairs(),
        "redocred-all": _all_pairs(),
        "gids": _gids(),
        "gids-sentences": _each(_REFERENCES, dataset="gids-sentences")
        + _each([("pcnn", {"options": way}) for way in _SINGLY], _THREE, dataset="gids-sentences"),
        "wiki80": _each(_WIKI80, _THREE, dataset="wiki80"),
        "base": [run for pair, n in _BASE.items() for run in _each([pair], SEEDS[:n], profile="base")],
    }
    return {
        name: Study(
            STUDIES_FOLDER / name if name in apart else Path(RUNS_FOLDER),
            tuple(listed),
            every_epoch=name in ("rates", "curves"),
        )
        for name, listed in ({"standard": standard_experiments()} | apart | rest).items()
    }


Row = tuple[str, bool | dict[str, Any]]
"""A model, and whether it is merged, or other fields of `Experiment` and `changes` of its settings."""


def _each(rows: Iterable[Row], seeds: Sequence[int] = SEEDS[:1], **shared: Any) -> list[Experiment]:
    """Each row with each seed, in profile standard; seeds change last. shared : fields of all.

    >>> [(one.name, one.seed) for one in _each([("em-c", True), ("em-es", False)], (9, 148))]
    [('EM-C-M', 9), ('EM-ES', 9), ('EM-C-M', 148), ('EM-ES', 148)]
    """
    listed = []
    for seed, (model, own) in itertools.product(seeds, list(rows)):
        fields = {"profile": "standard", **shared, **({"merged": own} if isinstance(own, bool) else own)}
        changes = fields.pop("changes", None)
        listed.append(Experiment(model, seed=seed, **fields).with_settings(changes=changes))
    return listed


def _option(**options: Any) -> dict[str, Any]:
    return {"options": options}


def _epochs(number: int) -> dict[str, Any]:
    return {"changes": {"epochs": number}}


def _rate(rate: float) -> dict[str, Any]:
    return {"changes": {"learning_rate": rate}}


_MEAN, _EXACT = {"changes": {"marker_vectors": "mean"}}, {"changes": {"precision": "fp32"}}
_PIECES, _SYMBOLS = _option(marker_scheme="pieces"), _option(marker_scheme="symbols")
_ABLATIONS = (_MEAN, _PIECES, _SYMBOLS, _epochs(4) | {"sentences": 2000})
"""What EM-C's blindness to direction may depend on, one change each."""
_FORMS = (_option(negatives="resampled"), _option(turned="symbols"))
_FORMS += ({"changes": {"learning_rate": 2e-5, "epochs": 10}},)
_WEIGHTED = {"text": "official", "options": {"layer_norm": True}}
_GRAPHS = ("gcn", "c-gcn")
_VECTORS = [(model, {"options": options}) for options in _TRIED for model in _GRAPHS]
_WIKI80: list[Row] = [("bert-entity", {}), ("bert-entity", _epochs(_WIKI80_EPOCHS[1])), ("pcnn", {})]


def standard_experiments() -> list[Experiment]:
    """Every run of the standard set, in the order of use: seed 9 of every model first.

    >>> experiments = standard_experiments()
    >>> len(experiments), experiments[0].name, experiments[0].seed
    (67, 'EM-C', 9)
    """
    first = _each((*_MODELS, *_MERGED))
    split = _each([("em-es", False), ("ptr", False)], SEEDS, part="ptr")
    compared = _each(_COMPARED, SEEDS[1:])
    second = _each(_KBP37, dataset="kbp37")
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


def _base_changed() -> list[Experiment]:
    """Markers, precision, paper W's text and normalisation, and learning rates on the held-out tenth."""
    tried = itertools.product(("em-c", "em-es", "r-bert"), (2e-5, 5e-5))
    return [
        *_each([("em-c", change) for change in (_MEAN, _PIECES, _SYMBOLS)], profile="base"),
        *_each([("em-es", _WEIGHTED)], SEEDS, profile="base"),
        *_each([("em-es", _EXACT)], profile="base"),
        *_each([(model, _rate(rate)) for model, rate in tried], profile="base", holdout=True),
    ]


def _graphs() -> list[Experiment]:
    """C-GCN, GCN, C-GCN-M on SemEval-2010 with five seeds, seed 9 of each first; one C-GCN from scratch; both
    models with spaCy's tags and trees."""
    plain: list[Row] = [("c-gcn", False), ("gcn", False)]
    runs = _each([*plain, ("c-gcn", True)], SEEDS)
    scratch = _each([("c-gcn", {"options": _TRIED[0]})])
    return [*runs[:3], *scratch, *runs[3:], *_each(plain, SEEDS, text="spacy")]


def _drawn_pairs() -> list[Experiment]:
    """Table 3's comparison on the drawn pairs of Re-DocRED, with five seeds; GCN, and RECENT around GCN and
    C-GCN, with three, without the control.

    RECENT stands there in both evaluations, one after the other: one training gives both. Beside it stands
    its control, which has the same two steps and does not read the types. What draws nothing at random has
    one run.
    """
    graphs = [("gcn", False), *_restricted(base="gcn")[:2], *_restricted(base="c-gcn")[:2]]
    dataset = "re_docred-drawn"
    runs = _each(_REFERRED, dataset=dataset) + _each(_SYSTEMS, SEEDS, dataset=dataset)
    return runs + _each(graphs, _THREE, dataset=dataset)


def _all_pairs() -> list[Experiment]:
    """The same on all pairs of Re-DocRED, once; PTR, which takes longest, last."""
    systems = _each(_SYSTEMS, dataset="re_docred")
    return _each(_REFERRED, dataset="re_docred") + sorted(systems, key=lambda run: run.model == "ptr")


def _restricted(changes: dict[str, Any] | None = None, **base: Any) -> list[Row]:
    """Type restriction around a base, then its control; each evaluated correctly and as published."""
    ways = itertools.product(({}, {"typed": False}), ({}, {"evaluation": "as-published"}))
    return [("recent", {"changes": changes, "options": base | types | way}) for types, way in ways]


_LONGER = _epochs(PAIR_EPOCHS[1])
_REFERRED: list[Row] = [("majority", False), ("svm", False), ("svm", _option(markers=True))]
_REFERRED += _restricted(base="svm", markers=True)
"""Without a seed of their own: the most frequent class, a linear SVM, RECENT around it, its control."""
_SYSTEMS: list[Row] = [("cnn", _LONGER), *_restricted(_LONGER["changes"], base="cnn")]
_SYSTEMS += [("em-es", False), ("ptr", False), *_restricted(base="em-es")]
_REFERENCES: list[Row] = [("majority-bag", False), ("tfidf-bag", False), ("tfidf-bag", _option(markers=True))]
_BY_SENTENCE = {"training": "sentence"}
_BY_BAG = {way: {"training": "bag", "aggregator": way} for way in ("avg", "one", "att")}
_DRAWN = _BY_BAG["att"] | {"bag_size": 2}
"""Two sentences of each bag, drawn anew in each epoch: 17 % of GIDS's bags have more, 3 % more than the four
that paper D draws."""
_SINGLY = (_BY_SENTENCE, _BY_BAG["att"])
"""Trainings of PCNN that are tested on single sentences."""


def _gids() -> list[Experiment]:
    """Every encoder, training and aggregator on GIDS, the recurrent models, RL-DSRE, reference points.

    PCNN is trained on bags for as many steps as on sentences, too, and on sentences drawn from each bag.
    """
    encoders = [("cnn", {}), ("pcnn", {}), ("bert-entity", {}), ("bert-entity", {"masked": True})]
    ways = (_BY_SENTENCE, *_BY_BAG.values())
    rows = [(model, {"options": options | way}) for model, options in encoders for way in ways]
    rows += [(model, False) for model in ("bgwa", "reside", "rl-dsre")] + [("pcnn", {"options": _DRAWN})]
    longer = ("pcnn", {"options": _BY_BAG["avg"]} | _epochs(EQUAL_EPOCHS))
    made = _each(_REFERENCES, dataset="gids") + _each(rows, _THREE, dataset="gids")
    return made + _each([longer], _THREE, dataset="gids")
