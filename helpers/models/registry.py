"""The models by name: class, title, options, settings. The table imports no model and no torch."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..core import unknown_name
from .base import EMBEDDED, Model

if TYPE_CHECKING:
    from .settings import Settings


class Option(NamedTuple):
    """An option of a model: its default, as the class has it, and its type: bool, int, float, `Literal[…]`;
    Any if the class checks it; None: that of the default."""

    default: Any
    kind: Any = None


@dataclass(frozen=True)
class ModelEntry:
    """A model as others see it before its class is imported.

    Attributes
    ----------
    source : the class, a `Model`, or 'package.module:Class'; '.module' lies in this folder.
    title : as the papers write it. suffixes : option → what a true one adds to the title.
    options : the class's own, by name.
    settings : 'standard', 'lyu2021', … → the values that differ from those of `Settings()`, the model's own
        paper first among the papers; a model without any is trained in one go and has no epochs and no
        weights to store.
    large : name of settings → what a large encoder has otherwise; see `is_large`.
    unit : 'sample', or 'bag' for a model that takes bags, and samples as bags of one, and that gives scores.
    parsed : whether it reads dependency trees (`ParsedSample`).
    wraps : of a model around another one, the name of that one if option `base` names no other; its settings
        and its input are those of the inner one. base : of one that makes the inner one itself, likewise.
    encoder : whether it stands on a pretrained encoder. random : whether a seed makes a difference.
    version : raised by hand when the same settings give other numbers than before; a run with an older one is
        stale. tests/golden/canary.json notices that it has to be.
    """

    source: type[Model] | str
    title: str
    options: Mapping[str, Option] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    large: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    encoder: bool = True
    random: bool = True
    suffixes: Mapping[str, str] = field(default_factory=dict)
    unit: Literal["sample", "bag"] = "sample"
    parsed: bool = False
    wraps: str = ""
    base: str = ""
    version: int = 1

    def load(self) -> type[Model]:
        """The class; this is where torch is imported, if the model needs it."""
        if not isinstance(self.source, str):
            return self.source
        module, _, name = self.source.partition(":")
        return getattr(importlib.import_module(module, __package__), name)

    def settings_name(self, name: str) -> str:
        """The name of settings: 'paper' is that of the first of the papers.

        >>> MODELS["r-bert"].settings_name("paper")
        'wu2019'
        """
        papers = [one for one in self.settings if one != "standard"]
        return papers[0] if name == "paper" and papers else name

    def full_title(self, options: Mapping[str, Any]) -> str:
        """The title with the suffixes of the options.

        >>> MODELS["svm"].full_title({"markers": True})
        'SVM-EM'
        """
        return self.title + "".join(added for option, added in self.suffixes.items() if options.get(option))

    @property
    def defaults(self) -> dict[str, Any]:
        """The values of the options that the class takes if they are not given.

        >>> MODELS["em-es"].defaults["layer_norm"]
        False
        """
        return {name: option.default for name, option in self.options.items()}


_STANDARD = {"learning_rate": 1e-4}
_BY_GRID = {"learning_rate": 2e-4}
_LYU = {"learning_rate": 2e-5, "batch_size": 100, "schedule": "constant", "warmup": 0, "clip": 0}
_LARGE = {"lyu2021": {"batch_size": 20}}
_HARBECKE = {"learning_rate": 3e-5, "batch_size": 64, "optimizer": "adam", "schedule": "constant"}
_HARBECKE |= {"warmup": 0, "clip": 0, "max_length": 512}
_WU = {"learning_rate": 2e-5, "batch_size": 16, "optimizer": "adam", "warmup": 0, "clip": 0}
_PTR = {"learning_rate": 3e-5, "batch_size": 64, "epsilon": 1e-6, "warmup": 500, "max_length": 512}
_MARKERS = {"marker_scheme": Option("added", Literal["added", "pieces", "symbols"])}
_PAIRS = {
    "candidates": Option("all", Literal["all", "directed"]),
    "negatives": Option("fixed", Literal["fixed", "resampled"]),
    "turned": Option("roles", Literal["roles", "symbols"]),
}
_FORMS = {"form": Option("paper", Literal["paper", "port"]), "dropout": Option(0.1)}
_LAYERS = {"layers": Option(None, int)}

_ROWS = (
    ("em-c", ".entity_markers:EntityMarkersCls", _MARKERS, _BY_GRID, {"lyu2021": _LYU}),
    (
        *("em-es", ".entity_markers:EntityMarkersStart", {"layer_norm": Option(False)} | _MARKERS, _STANDARD),
        {"harbecke2022": _HARBECKE, "lyu2021": _LYU},
    ),
    ("r-bert", ".entity_markers:RBert", _FORMS, _BY_GRID, {"wu2019": _WU, "lyu2021": _LYU}),
    ("emr-c", ".literal_relation:LiteralRelationCls", _PAIRS, _STANDARD, {"lyu2021": _LYU}),
    ("ptr", ".prompt:Prompt", {"words": Option(None, Any)}, {"learning_rate": 2e-4}, {"harbecke2022": _PTR}),
)
MODELS: dict[str, ModelEntry] = {
    name: ModelEntry(source, name.upper(), options | _LAYERS, {"standard": standard} | published, _LARGE)
    for name, source, options, standard, published in _ROWS
}
"""Name → entry.

Settings 'standard' are for the embedded encoder. They were chosen on a seeded tenth of the training data,
never on the test set (results/tables/hyperparameters.csv): those of em-es from five, of ptr from two; of
emr-c one was tried; em-c and r-bert took those of em-es, all but the learning rate, the best of an equal grid
(results/studies/rates). The others are the published ones, each with its source in
results/published/settings.csv: Lyu et al. 2021 for all their models, Harbecke et al. 2022 for EM-ES (their
BERT_EM) and PTR (the released code's 500 warm-up steps: of 510 on SemEval's 6507 sentences), Wu and He 2019
for R-BERT.
"""
_BLIND = {"encoder": False, "random": False}
_MARKED: dict[str, Any] = {"options": {"markers": Option(False)}, "suffixes": {"markers": "-EM"}}
MODELS["svm"] = ModelEntry(".baselines:LinearSvm", "SVM", **_MARKED, **_BLIND)
MODELS["majority"] = ModelEntry(".baselines:Majority", "majority", **_BLIND)

# Models of bags. 'standard' takes one to four minutes on one processor for GIDS's development part; epochs of
# PCNN and BERT-entity were chosen on held-out tenths of its pairs, the others were not searched. 'gao2021' is
# for training 'sentence', 'gao2021-bag' for 'bag': that option is given beside.
_BAGS = {
    "training": Option("sentence", Literal["sentence", "bag"]),
    "aggregator": Option("avg", Literal["avg", "one", "att"]),
    "bag_size": Option(0),
    "masked": Option(False),
    "dropout": Option(0.5),
}
VECTOR_SOURCES = ("scratch", "encoder", "contextual")
"""What option `vectors` may be beside a file."""
_WORDS = {"vectors": Option("scratch"), "word_size": Option(50), "position_size": Option(5)}
_FILTERS = _BAGS | _WORDS | {"filters": Option(230)}
_STATES = _BAGS | _WORDS | {"training": Option("bag", Literal["sentence", "bag"]), "dropout": Option(0.2)}
_STATES |= {"aggregator": Option("query", Literal["avg", "one", "att", "query"])}
_STATES |= {"hidden": Option(192), "position_size": Option(16)}
_BASES = {"base": Option("pcnn", Literal["cnn", "pcnn"])}
_SIDE = {"types": Option(None, Any), "aliases": Option(None, Any)}
_SIDE |= {"type_size": Option(50), "alias_size": Option(32)}
_WORD_STANDARD = {"learning_rate": 1e-3, "epochs": 12, "weight_decay": 1e-5, "schedule": "linear"}
_STATE_STANDARD = _WORD_STANDARD | {"learning_rate": 2e-3, "epochs": 5}
_GAO = {"epochs": 100, "batch_size": 160, "learning_rate": 0.1, "optimizer": "sgd", "weight_decay": 1e-5}
_GAO |= {"warmup": 300, "clip": 0}
_GAO_BERT = {"epochs": 3, "batch_size": 64, "learning_rate": 2e-5, "warmup": 300, "clip": 0}
_BY_BAG = {"schedule": "constant", "warmup": 0}
_JAT = {"epochs": 2, "batch_size": 32, "learning_rate": 1e-3, "optimizer": "adam", **_BY_BAG, "clip": 0}
_GAO_WORDS = {"gao2021": _GAO, "gao2021-bag": _GAO | _BY_BAG}
_BAG_ROWS = (
    ("cnn", "CNN", ".convolution:Cnn", _FILTERS, _WORD_STANDARD, _GAO_WORDS),
    ("pcnn", "PCNN", ".convolution:Pcnn", _FILTERS, _WORD_STANDARD, _GAO_WORDS),
    (
        *(
            "bert-entity",
            "BERT-entity",
            ".bags:BertEntity",
            _BAGS | _LAYERS,
            _STANDARD | {"epochs": 2},
        ),
        {"gao2021": _GAO_BERT, "gao2021-bag": _GAO_BERT | _BY_BAG},
    ),
    ("bgwa", "BGWA", ".recurrent:Bgwa", _STATES, _STATE_STANDARD, {"vashishth2018": _JAT}),
    ("reside", "RESIDE", ".recurrent:Reside", _STATES | _SIDE, _STATE_STANDARD, {"vashishth2018": _JAT}),
    (
        *("rl-dsre", "RL-DSRE", ".denoising:RlDsre", _BASES | _FILTERS),
        *(_WORD_STANDARD, _GAO_WORDS),
    ),
)
for _name, _title, _source, _options, _standard, _published in _BAG_ROWS:
    MODELS[_name] = ModelEntry(
        *(_source, _title, _options, {"standard": _standard} | _published),
        encoder=_name == "bert-entity",
        suffixes={"masked": "-masked"},
        unit="bag",
        base="pcnn" if _name == "rl-dsre" else "",
    )
MODELS["tfidf-bag"] = ModelEntry(".baselines:TfidfBag", "TF-IDF", unit="bag", **_MARKED, **_BLIND)
MODELS["majority-bag"] = ModelEntry(".baselines:MajorityBag", "majority-bag", unit="bag", **_BLIND)

_GRAPH = {"distance": Option(1, float), "pooling": Option("max", Literal["max", "avg", "sum"])}
_GRAPH |= {"vectors": Option("encoder"), "tuned": Option(False), "masked": Option(False)}
_GRAPH |= {"word_size": Option(300), "tag_size": Option(30), "layers": Option(2), "hidden": Option(200)}
_GRAPH |= {"mlp_layers": Option(2), "penalty": Option(0.003)}
_GRAPH |= {"input_dropout": Option(0.5), "dropout": Option(0.5), "word_dropout": Option(0.04)}
_GRAPH_STANDARD = {"learning_rate": 1e-3, "epochs": 20}
_ZHANG = {"learning_rate": 0.3, "epochs": 100, "batch_size": 50, "optimizer": "sgd", "weight_decay": 0}
_ZHANG |= {"warmup": 0, "clip": 5}
for _name, _title, _source, _options in (
    ("gcn", "GCN", ".graph:Gcn", _GRAPH),
    ("c-gcn", "C-GCN", ".graph:ContextualGcn", _GRAPH | {"states": Option(200)}),
):
    MODELS[_name] = ModelEntry(
        *(_source, _title, _options, {"standard": _GRAPH_STANDARD, "zhang2018": _ZHANG}),
        encoder=False,
        suffixes={"masked": "-masked"},
        parsed=True,
    )

# the options of the base, which checks them, and its settings
_INNER = {name: Option(None, Any) for entry in MODELS.values() for name in entry.options}
MODELS["recent"] = ModelEntry(
    *(".type_restriction:TypeRestriction", "RECENT"),
    _INNER
    | {
        "base": Option("cnn"),
        "evaluation": Option("corrected", Literal["corrected", "as-published"]),
        "typed": Option(True),
    },
    {"standard": _WORD_STANDARD},
    wraps="cnn",
)


_OWN = frozenset(MODELS)


def register_model(
    name: str, source: type[Model] | str, title: str | None = None, **facts: Any
) -> ModelEntry:
    """Add a model from outside, e.g. from a notebook; it is then trained, stored and listed like the others.

    A model of one's own is given anew, so that a notebook cell can be run twice.

    Parameters
    ----------
    title : None: the name in capitals. facts : the other fields of `ModelEntry`; a model with an encoder that
        names no settings has those of `Settings()`.

    Raises ValueError for the name of a model that comes with the package.

    >>> from helpers.models.baselines import Majority
    >>> register_model("first", Majority, encoder=False, random=False).title
    'FIRST'
    >>> unregister_model("first")
    """
    if name in _OWN:
        raise ValueError(f"model {name!r} is there already: choose another name")
    if facts.get("encoder", True):
        facts = {"settings": {"standard": {}}} | facts
    MODELS[name] = ModelEntry(source, title or name.upper(), **facts)
    return MODELS[name]


def unregister_model(name: str) -> None:
    """Forget a model that was registered; ValueError for any other name.

    >>> unregister_model("em-c")
    Traceback (most recent call last):
    ValueError: 'em-c' is no registered model
    """
    if name in _OWN or name not in MODELS:
        raise ValueError(f"{name!r} is no registered model")
    del MODELS[name]


def model_entry(name: str) -> ModelEntry:
    """The entry of a model. Raises ValueError, which lists the known ones, for an unknown name."""
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    return MODELS[name]


def default_settings(name: str, settings: str = "standard", encoder: str = EMBEDDED) -> Settings:
    """The settings of a model under this name: 'standard', a paper such as 'lyu2021', or 'paper', its own.

    Where a paper has other settings for large encoders, those of `encoder` are taken.

    Raises ValueError for an unknown name, for a model without training settings, and for an encoder that
    cannot be read, where its size matters.

    >>> default_settings("ptr").learning_rate, default_settings("ptr", "paper").warmup
    (0.0002, 500.0)
    >>> default_settings("r-bert", "paper").batch_size, default_settings("r-bert", "lyu2021").batch_size
    (16, 100)
    """
    from .settings import Settings

    entry = model_entry(name)
    if not entry.settings:
        raise ValueError(f"model {name} has no training settings")
    settings = entry.settings_name(settings)
    if settings not in entry.settings:
        raise unknown_name(f"settings of {name}", settings, entry.settings)
    values = dict(entry.settings[settings])
    if encoder != EMBEDDED and settings in entry.large:
        values |= entry.large[settings] if _is_large(encoder) else {}
    return Settings(**values)


_KNOWN_LARGE = {EMBEDDED: False, "mpnet-base": False, "bert-base-uncased": False, "roberta-base": False}
_KNOWN_LARGE |= {"bert-large-uncased": True, "roberta-large": True}
"""Encoders of the papers, which need not be here to say what settings they have."""


def _is_large(encoder: str) -> bool:
    if encoder in _KNOWN_LARGE:
        return _KNOWN_LARGE[encoder]
    from .encoder import is_large  # torch

    return is_large(encoder)


def check_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a model as their types; text, as `--option NAME VALUE` gives it, is converted. A model
    around another one has the other one's, too.

    Raises ValueError for an unknown model or option, which lists the known ones, and for a wrong value.

    >>> check_options("em-es", {"layer_norm": "true"})
    {'layer_norm': True}
    >>> check_options("em-es", {"layernorm": True})
    Traceback (most recent call last):
    ValueError: unknown option of em-es 'layernorm'; did you mean 'layer_norm'? Known: layer_norm, ...
    """
    from .settings import checked_option

    entry = model_entry(name)
    known = entry.options
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {name}", option, known)
    found = {
        option: checked_option(option, value, known[option].kind or type(known[option].default))
        for option, value in options.items()
    }
    if not entry.wraps:
        return found
    own, of_base = _split(entry, found)
    return found | check_options(own.get("base", entry.wraps), of_base)


def full_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a model: those that are given, else what its class takes; of a model around another
    one, those of that one, too.

    >>> full_options("em-es", {"layer_norm": True})
    {'layer_norm': True, 'marker_scheme': 'added', 'layers': None}
    >>> full_options("recent", {"base": "svm"})
    {'base': 'svm', 'evaluation': 'corrected', 'typed': True, 'markers': False}
    """
    entry = model_entry(name)
    if not entry.wraps:
        return entry.defaults | dict(options)
    own, of_base = _split(entry, entry.defaults | dict(options))
    given = {option: value for option, value in of_base.items() if option in options}
    return own | full_options(own["base"], given)


def _split(entry: ModelEntry, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a model around another one: its own, and those of the base."""
    of_base = {option: value for option, value in options.items() if entry.options[option].kind is Any}
    return {option: value for option, value in options.items() if option not in of_base}, of_base


def model_versions(name: str, options: Mapping[str, Any]) -> dict[str, int]:
    """The version of a model, and of the one that it is around.

    >>> [*model_versions("recent", {"base": "em-es"})]
    ['model recent', 'model em-es']
    """
    entry = model_entry(name)
    inner = options.get("base", entry.wraps or entry.base or name)
    return {f"model {one}": model_entry(one).version for one in dict.fromkeys((name, inner))}


def build(
    name: str,
    encoder: str,
    labels: Sequence[str],
    settings: Settings | None,
    seed: int,
    attention: str | None = None,
    **options: Any,
) -> Model:
    """An untrained model; new weights are drawn from `seed`.

    Parameters
    ----------
    name : one of `MODELS`.
    encoder : see `load_encoder`; `attention` likewise. Models without an encoder ignore both.
    options : of the model, e.g. `layer_norm=True` for em-es; of a model around another one, `base` and the
        options of that.

    Raises ValueError as `check_options`, `load_encoder` and the model's class.
    """
    options, entry = check_options(name, options), MODELS[name]
    if entry.wraps:
        own, of_base = _split(entry, options)
        base = own.pop("base", entry.wraps)
        if model_entry(base).wraps:
            raise ValueError(f"the base of {name} is another model, not {base}")
        of_base = check_options(base, of_base)

        def make(names: Sequence[str], stage_seed: int) -> Model:
            return build(base, encoder, names, settings, stage_seed, attention, **of_base)

        options = own | {"make": make}
    return entry.load().build(labels, encoder, settings, seed, attention, **options)
