"""The models by name: class, title, options, settings. The table imports no model and no torch."""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..core import unknown_name
from .base import EMBEDDED, Model

if TYPE_CHECKING:
    from .settings import Settings


@dataclass(frozen=True)
class ModelEntry:
    """A model as others see it before its class is imported.

    Attributes
    ----------
    source : the class, a `Model`, or 'package.module:Class'; '.module' lies in this folder.
    title : as the papers write it. suffixes : option → what a true one adds to the title.
    options : the class's own, name → type: bool, int, float, `Literal[…]`; Any if the class checks it.
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
    options: Mapping[str, Any] = field(default_factory=dict)
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

    def defaults(self) -> dict[str, Any]:
        """The values of the options that the class takes if they are not given; read from its source, as the
        class itself may import torch.

        >>> MODELS["em-es"].defaults()["layer_norm"]
        False
        """
        if not isinstance(self.source, str) or not self.source.startswith("."):
            parameters = inspect.signature(self.load()).parameters.values()
            found = {one.name: one.default for one in parameters if one.default is not one.empty}
        else:
            module, _, name = self.source.partition(":")
            found = _defaults(Path(__file__).parent / f"{module[1:].replace('.', '/')}.py", name)
        return {name: value for name, value in found.items() if name in self.options}


@functools.cache
def _defaults(path: Path, name: str) -> dict[str, Any]:
    """The defaults of a class's parameters that have one: its own `__init__`'s, and its base's where there
    is none or `**` passes on to it."""
    path, found = _definition(path, name)
    for node in found.body if isinstance(found, ast.ClassDef) else ():
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            places = node.args.posonlyargs + node.args.args
            given = dict(zip(reversed(places), reversed(node.args.defaults), strict=False))
            given |= dict(zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True))
            own = {one.arg: _literal(path, value) for one, value in given.items() if value is not None}
            return (_of_bases(path, found) if node.args.kwarg else {}) | own
    return _of_bases(path, found)


def _of_bases(path: Path, found: ast.AST | None) -> dict[str, Any]:
    bases = [one.id for one in getattr(found, "bases", ()) if isinstance(one, ast.Name)]
    return {option: value for base in reversed(bases) for option, value in _defaults(path, base).items()}


def _definition(path: Path, name: str) -> tuple[Path, ast.AST | None]:
    """Where a class or constant is defined, here or in a module that this one imports from; and its node."""
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.ClassDef(name=found) if found == name:
                return path, node
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                return path, value
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)):
                for one, value in zip(names, values, strict=False):
                    if isinstance(one, ast.Name) and one.id == name:
                        return path, value
            case ast.ImportFrom(level=1, module=str(module), names=names) if name in (
                one.name for one in names
            ):
                return _definition(path.parent / f"{module.replace('.', '/')}.py", name)
    return path, None


def _literal(path: Path, node: ast.AST | None) -> Any:
    if isinstance(node, ast.Name):
        path, node = _definition(path, node.id)
    return ast.literal_eval(node) if node is not None else None


_STANDARD = {"learning_rate": 1e-4}
_BY_GRID = {"learning_rate": 2e-4}
_LYU = {"learning_rate": 2e-5, "batch_size": 100, "schedule": "constant", "warmup": 0, "clip": 0}
_LARGE = {"lyu2021": {"batch_size": 20}}
_HARBECKE = {"learning_rate": 3e-5, "batch_size": 64, "optimizer": "adam", "schedule": "constant"}
_HARBECKE |= {"warmup": 0, "clip": 0, "max_length": 512}
_WU = {"learning_rate": 2e-5, "batch_size": 16, "optimizer": "adam", "warmup": 0, "clip": 0}
_PTR = {"learning_rate": 3e-5, "batch_size": 64, "epsilon": 1e-6, "warmup": 500, "max_length": 512}
_MARKERS = {"marker_scheme": Literal["added", "pieces", "symbols"]}
_PAIRS = {"candidates": Literal["all", "directed"], "negatives": Literal["fixed", "resampled"]}
_PAIRS |= {"turned": Literal["roles", "symbols"]}
_FORMS = {"form": Literal["paper", "port"], "dropout": float}

_ROWS = (
    ("em-c", ".entity_markers:EntityMarkersCls", _MARKERS, _BY_GRID, {"lyu2021": _LYU}),
    (
        *("em-es", ".entity_markers:EntityMarkersStart", {"layer_norm": bool} | _MARKERS, _STANDARD),
        {"harbecke2022": _HARBECKE, "lyu2021": _LYU},
    ),
    ("r-bert", ".entity_markers:RBert", _FORMS, _BY_GRID, {"wu2019": _WU, "lyu2021": _LYU}),
    ("emr-c", ".literal_relation:LiteralRelationCls", _PAIRS, _STANDARD, {"lyu2021": _LYU}),
    ("ptr", ".prompt:Prompt", {"words": Any}, {"learning_rate": 2e-4}, {"harbecke2022": _PTR}),
)
MODELS: dict[str, ModelEntry] = {
    name: ModelEntry(
        source, name.upper(), options | {"layers": int}, {"standard": standard} | published, _LARGE
    )
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
MODELS["svm"] = ModelEntry(
    ".baselines:LinearSvm", "SVM", {"markers": bool}, suffixes={"markers": "-EM"}, **_BLIND
)
MODELS["majority"] = ModelEntry(".baselines:Majority", "majority", **_BLIND)

# Models of bags. 'standard' takes one to four minutes on one processor for GIDS's development part; epochs of
# PCNN and BERT-entity were chosen on held-out tenths of its pairs, the others were not searched. 'gao2021' is
# for training 'sentence', 'gao2021-bag' for 'bag': that option is given beside.
_BAGS = {"training": Literal["sentence", "bag"], "aggregator": Literal["avg", "one", "att"]}
_BAGS |= {"bag_size": int, "masked": bool, "dropout": float}
VECTOR_SOURCES = ("scratch", "encoder", "contextual")
"""What option `vectors` may be beside a file."""
_WORDS = {"vectors": str, "word_size": int, "position_size": int}
_FILTERS = _BAGS | _WORDS | {"filters": int}
_STATES = _BAGS | _WORDS | {"aggregator": Literal["avg", "one", "att", "query"], "hidden": int}
_SIDE = {"types": Any, "aliases": Any, "type_size": int, "alias_size": int}
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
            _BAGS | {"layers": int},
            _STANDARD | {"epochs": 2},
        ),
        {"gao2021": _GAO_BERT, "gao2021-bag": _GAO_BERT | _BY_BAG},
    ),
    ("bgwa", "BGWA", ".recurrent:Bgwa", _STATES, _STATE_STANDARD, {"vashishth2018": _JAT}),
    ("reside", "RESIDE", ".recurrent:Reside", _STATES | _SIDE, _STATE_STANDARD, {"vashishth2018": _JAT}),
    (
        *("rl-dsre", "RL-DSRE", ".denoising:RlDsre", {"base": Literal["cnn", "pcnn"]} | _FILTERS),
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
MODELS["tfidf-bag"] = ModelEntry(
    ".baselines:TfidfBag", "TF-IDF", {"markers": bool}, suffixes={"markers": "-EM"}, unit="bag", **_BLIND
)
MODELS["majority-bag"] = ModelEntry(".baselines:MajorityBag", "majority-bag", unit="bag", **_BLIND)

_GRAPH = {"distance": float, "pooling": Literal["max", "avg", "sum"], "vectors": str, "tuned": bool}
_GRAPH |= {"masked": bool, "word_size": int, "tag_size": int, "layers": int, "hidden": int}
_GRAPH |= {"mlp_layers": int, "penalty": float}
_GRAPH |= {"input_dropout": float, "dropout": float, "word_dropout": float}
_GRAPH_STANDARD = {"learning_rate": 1e-3, "epochs": 20}
_ZHANG = {"learning_rate": 0.3, "epochs": 100, "batch_size": 50, "optimizer": "sgd", "weight_decay": 0}
_ZHANG |= {"warmup": 0, "clip": 5}
for _name, _title, _source, _options in (
    ("gcn", "GCN", ".graph:Gcn", _GRAPH),
    ("c-gcn", "C-GCN", ".graph:ContextualGcn", _GRAPH | {"states": int}),
):
    MODELS[_name] = ModelEntry(
        *(_source, _title, _options, {"standard": _GRAPH_STANDARD, "zhang2018": _ZHANG}),
        encoder=False,
        suffixes={"masked": "-masked"},
        parsed=True,
    )

# the options of the base, which checks them, and its settings
_INNER = {option: Any for entry in MODELS.values() for option in entry.options}
MODELS["recent"] = ModelEntry(
    *(".type_restriction:TypeRestriction", "RECENT"),
    _INNER | {"base": str, "evaluation": Literal["corrected", "as-published"], "typed": bool},
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
    found = {option: checked_option(option, value, known[option]) for option, value in options.items()}
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
    usual = dict.fromkeys(entry.options) | entry.defaults()
    if entry.base:
        usual["base"] = options.get("base", entry.base)
        usual |= full_options(usual["base"], {})
    if not entry.wraps:
        return usual | dict(options)
    own, of_base = _split(entry, {"base": entry.wraps} | dict(options))
    usual = {option: value for option, value in usual.items() if entry.options[option] is not Any}
    return usual | own | full_options(own["base"], of_base)


def _split(entry: ModelEntry, options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The options of a model around another one: its own, and those of the base."""
    of_base = {option: value for option, value in options.items() if entry.options[option] is Any}
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
