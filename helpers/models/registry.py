"""The models by name: class, title, options, settings. The table imports no model and no torch."""

from __future__ import annotations

import csv
import importlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .. import RESULTS
from ..core import unknown_name
from .base import EMBEDDED, Model

if TYPE_CHECKING:
    from .settings import Settings


class Option(NamedTuple):
    """An option of a model: its default, which `build` gives, and its type: bool, int, float, `Literal[…]`, a
    name of `settings.KINDS`; Any if the class checks it; None: that of the default."""

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
    unit : 'sample', or 'bag' for a model that takes bags, and samples as bags of one, and that gives scores.
    parsed : whether it reads dependency trees (`ParsedSample`).
    wraps : whether it stands around any other model, option `base`, whose options it has, too; its settings
        and its input are those of the inner one.
    encoder : whether it stands on a pretrained encoder. random : whether a seed makes a difference.
    version : raised by hand when the same settings give other numbers than before; a run with an older one is
        stale. tests/golden/canary.json notices that it has to be.
    """

    source: type[Model] | str
    title: str
    options: Mapping[str, Option] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    encoder: bool = True
    random: bool = True
    suffixes: Mapping[str, str] = field(default_factory=dict)
    unit: Literal["sample", "bag"] = "sample"
    parsed: bool = False
    wraps: bool = False
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
        papers = [paper for paper in self.settings if paper != "standard"]
        return papers[0] if name == "paper" and papers else name

    def full_title(self, options: Mapping[str, Any]) -> str:
        """The title with the suffixes of the options.

        >>> MODELS["svm"].full_title({"markers": True})
        'SVM-EM'
        """
        return self.title + "".join(added for option, added in self.suffixes.items() if options.get(option))

    @property
    def defaults(self) -> dict[str, Any]:
        """The values of the options if they are not given.

        >>> MODELS["em-es"].defaults["layer_norm"]
        False
        """
        return {name: option.default for name, option in self.options.items()}


def _options(kind: Any = None, /, **defaults: Any) -> dict[str, Option]:
    """Options of one kind by their defaults; a tuple lists the choices, the default first."""
    return {
        name: Option(value[0], Literal[value]) if isinstance(value, tuple) else Option(value, kind)
        for name, value in defaults.items()
    }


_PUBLISHED: dict[tuple[str, str, str], dict[str, str]] = {}
"""Model, name of settings, '' or 'large' for a large encoder → the published values. 'gao2021' is for
training 'sentence', 'gao2021-bag' for 'bag': that option is given beside."""
with (RESULTS / "published" / "settings.csv").open(encoding="utf-8", newline="") as _file:
    for _row in csv.DictReader(_file):
        if not _row["setting"].startswith("option "):
            _about = _row["model"], _row["settings"], _row["encoder"]
            _PUBLISHED.setdefault(_about, {})[_row["setting"]] = _row["value"]


def _papers(model: str) -> dict[str, Mapping[str, str]]:
    """Name of settings → values; those of Lyu et al. last, who trained other people's models, too."""
    named = {paper: own for (name, paper, size), own in _PUBLISHED.items() if (name, size) == (model, "")}
    return dict(sorted(named.items(), key=lambda item: item[0] == "lyu2021"))


# Settings 'standard' are for the embedded encoder, chosen on a seeded tenth of the training data, never on
# the test set (results/tables/hyperparameters.csv): those of em-es from five, of ptr from two; of emr-c one
# was tried; em-c and r-bert took those of em-es, all but the learning rate, the best of an equal grid
# (results/studies/rates). Of models of bags they take one to four minutes on one processor for GIDS's part of
# development; epochs of PCNN and BERT-entity were chosen on held-out tenths of its pairs, the others were not
# searched.
_BASIC, _BY_GRID = {"standard": {"learning_rate": 1e-4}}, {"standard": {"learning_rate": 2e-4}}
_FEW = {"standard": {"learning_rate": 1e-4, "epochs": 2}}
_WORDS = {"learning_rate": 1e-3, "epochs": 12, "weight_decay": 1e-5, "schedule": "linear"}
_ON_WORDS = {"standard": _WORDS}
_ON_STATES = {"standard": _WORDS | {"learning_rate": 2e-3, "epochs": 5}}
_ON_TREES = {"standard": {"learning_rate": 1e-3, "epochs": 20}}

VECTOR_SOURCES = ("scratch", "encoder")
"""What option `vectors` may be beside a file."""
_LAYERS = _options(int, layers=None)
_PROMPTS, _BASES = _options(Any, words=None) | _LAYERS, _options(base=("pcnn", "cnn"))
_NORMED, _RECURRENT = _options(layer_norm=False), _options("size", states=200)
_MARKERS = _options(marker_scheme=("added", "pieces", "symbols")) | _LAYERS
_FORMS = _options("share", form=("paper", "port"), dropout=0.1) | _LAYERS
_PAIRS = _options(candidates=("all", "directed"), negatives=("fixed", "resampled")) | _LAYERS
_BAGS = _options(training=("sentence", "bag"), aggregator=("avg", "one", "att"))
_BAGS |= _options("count", bag_size=0) | _options(masked=False) | _options("share", dropout=0.5)
_FILTERS = _BAGS | _options(vectors="scratch") | _options("size", word_size=50, position_size=5, filters=230)
_STATES = _BAGS | _options(vectors="scratch") | _options("size", word_size=50, position_size=16, hidden=192)
_STATES |= _options("share", dropout=0.2)
_STATES |= _options(training=("bag", "sentence"), aggregator=("query", "avg", "one", "att"))
_SIDE = _options(Any, types=None, aliases=None) | _options("size", type_size=50, alias_size=32)
_GRAPH = _options(float, distance=1) | _options(pooling=("max", "avg", "sum"), vectors="encoder")
_GRAPH |= _options(tuned=False, masked=False)
_GRAPH |= _options("size", word_size=300, tag_size=30, layers=2, hidden=200)
_GRAPH |= _options("count", mlp_layers=2) | _options("amount", penalty=0.003)
_GRAPH |= _options("share", input_dropout=0.5, dropout=0.5, word_dropout=0.04)
_BLIND: dict[str, Any] = {"encoder": False, "random": False}
_MARKED: dict[str, Any] = {"options": _options(markers=False), "suffixes": {"markers": "-EM"}} | _BLIND
_MASKED: dict[str, Any] = {"suffixes": {"masked": "-masked"}, "encoder": False}
_BY_BAG, _BY_TREE = _MASKED | {"unit": "bag"}, _MASKED | {"parsed": True}
_BY_BERT = _BY_BAG | {"encoder": True}
_RECENT = _options(base="cnn", evaluation=("corrected", "as-published"), typed=True)
_MARKS, _NETS, _TYPES = ".entity_markers:", ".sentence_encoders:", ".type_restriction:"

MODELS: dict[str, ModelEntry] = {
    "em-c": ModelEntry(_MARKS + "EntityMarkersCls", "EM-C", _MARKERS, _BY_GRID),
    "em-es": ModelEntry(_MARKS + "EntityMarkersStart", "EM-ES", _NORMED | _MARKERS, _BASIC),
    "r-bert": ModelEntry(_MARKS + "RBert", "R-BERT", _FORMS, _BY_GRID),
    "emr-c": ModelEntry(_MARKS + "LiteralRelationCls", "EMR-C", _PAIRS, _BASIC),
    "ptr": ModelEntry(".prompt:Prompt", "PTR", _PROMPTS, _BY_GRID),
    "svm": ModelEntry(".baselines:LinearSvm", "SVM", **_MARKED),
    "majority": ModelEntry(".baselines:Majority", "majority", **_BLIND),
    "cnn": ModelEntry(_NETS + "Cnn", "CNN", _FILTERS, _ON_WORDS, **_BY_BAG),
    "pcnn": ModelEntry(_NETS + "Pcnn", "PCNN", _FILTERS, _ON_WORDS, **_BY_BAG),
    "bert-entity": ModelEntry(".bags:BertEntity", "BERT-entity", _BAGS | _LAYERS, _FEW, **_BY_BERT),
    "bgwa": ModelEntry(_NETS + "Bgwa", "BGWA", _STATES, _ON_STATES, **_BY_BAG),
    "reside": ModelEntry(_NETS + "Bgwa", "RESIDE", _STATES | _SIDE, _ON_STATES, **_BY_BAG),
    "rl-dsre": ModelEntry(".denoising:RlDsre", "RL-DSRE", _BASES | _FILTERS, _ON_WORDS, **_BY_BAG),
    "tfidf-bag": ModelEntry(".baselines:TfidfBag", "TF-IDF", unit="bag", **_MARKED),
    "majority-bag": ModelEntry(".baselines:Majority", "majority-bag", unit="bag", **_BLIND),
    "gcn": ModelEntry(".graph:Gcn", "GCN", _GRAPH, _ON_TREES, **_BY_TREE),
    "c-gcn": ModelEntry(".graph:Gcn", "C-GCN", _GRAPH | _RECURRENT, _ON_TREES, **_BY_TREE),
    "recent": ModelEntry(_TYPES + "TypeRestriction", "RECENT", _RECENT, _ON_WORDS, wraps=True),
}
MODELS = {name: replace(row, settings={**row.settings, **_papers(name)}) for name, row in MODELS.items()}
"""Name → entry."""
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
    >>> del MODELS["first"]
    """
    if name in _OWN:
        raise ValueError(f"model {name!r} is there already: choose another name")
    if facts.get("encoder", True):
        facts = {"settings": {"standard": {}}} | facts
    MODELS[name] = ModelEntry(source, title or name.upper(), **facts)
    return MODELS[name]


def model_entry(name: str) -> ModelEntry:
    """The entry of a model. Raises ValueError, which lists the known ones, for an unknown name."""
    if name not in MODELS:
        raise unknown_name("model", name, MODELS)
    return MODELS[name]


def default_settings(name: str, settings: str = "standard", encoder: str = EMBEDDED) -> Settings:
    """The settings of a model under this name: 'standard', a paper such as 'lyu2021', or 'paper', its own.

    Where a paper has other settings for large encoders, those of `encoder` are taken.

    Raises ValueError for an unknown name, and for a model without training settings.

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
    values, large = entry.settings[settings], _PUBLISHED.get((name, settings, "large"), {})
    return Settings(**{**values, **(large if large and _is_large(encoder) else {})})


def _is_large(encoder: str) -> bool:
    """Whether it is as wide as BERT large, 1024: by the configuration in its folder, else by its name."""
    about = Path(encoder, "config.json")
    if not about.is_file():
        return "large" in encoder
    return json.loads(about.read_text("utf-8")).get("hidden_size", 0) >= 1024


def _known_options(name: str, options: Mapping[str, Any]) -> Mapping[str, Option]:
    """The options of a model; of one around another one, those of that one, too."""
    entry = model_entry(name)
    if not entry.wraps:
        return entry.options
    base = model_entry(options.get("base", entry.defaults["base"]))
    if base.wraps:
        raise ValueError(f"the base of {name} is another model, not {options['base']}")
    return {**entry.options, **base.options, **entry.options}


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

    known = _known_options(name, options)
    for option in options:
        if option not in known:
            raise unknown_name(f"option of {name}", option, known)
    checked = dict(options)
    for option, value in options.items():
        about = known[option]
        if value is not about.default:  # None, say, leaves the choice to the model
            checked[option] = checked_option(option, value, about.kind or type(about.default))
    return checked


def full_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a model: what is given, else its default; of a model around another one, those of that
    one, too.

    >>> full_options("em-es", {"layer_norm": True})
    {'layer_norm': True, 'marker_scheme': 'added', 'layers': None}
    >>> full_options("recent", {"base": "svm"})
    {'base': 'svm', 'evaluation': 'corrected', 'typed': True, 'markers': False}
    """
    known = _known_options(name, options)
    return {option: options.get(option, about.default) for option, about in known.items()}


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
    from .settings import Settings

    every, kind = full_options(name, check_options(name, options)), model_entry(name).load()
    if "torch" in kind.packages:
        import torch

        torch.manual_seed(seed)
    settings = settings or Settings()
    model = kind.new(labels, settings, encoder, attention, **every)
    model.settings, model.seed = settings, seed
    return model
