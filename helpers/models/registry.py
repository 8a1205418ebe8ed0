"""The models by name, as models.toml lists them: class, title, options, settings. No torch is imported."""

from __future__ import annotations

import csv
import importlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from .. import RESULTS
from ..core import check_known
from .base import EMBEDDED, Model, Settings, checked_value


class Option(NamedTuple):
    """An option of a model: its default, and its type: bool, int, float, `Literal[…]`, a name of `KINDS`; Any
    if the class checks it; None: that of the default."""

    default: Any
    kind: Any = None

    def checked(self, name: str, value: Any) -> Any:
        """The value as the option's type; its default, such as None, leaves the choice to the model."""
        return value if value is self.default else checked_value(name, value, self.kind or type(self.default))


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


_PUBLISHED: dict[tuple[str, str, str], dict[str, str]] = {}
"""Model, name of settings, '' or 'large' for a large encoder → the published values. 'gao2021' is for
training 'sentence', 'gao2021-bag' for 'bag': that option is given beside."""
with (RESULTS / "published" / "settings.csv").open(encoding="utf-8", newline="") as _file:
    for _row in csv.DictReader(_file):
        if not _row["setting"].startswith("option "):
            _about = _row["model"], _row["settings"], _row["encoder"]
            _PUBLISHED.setdefault(_about, {})[_row["setting"]] = _row["value"]


VECTOR_SOURCES = ("scratch", "encoder")
"""What option `vectors` may be beside a file."""
_TABLE = tomllib.loads(Path(__file__).with_name("models.toml").read_text("utf-8"))
_TYPES = {"int": int, "float": float, "any": Any}


def _option(value: Any) -> Option:
    """As a value of models.toml says it; see there."""
    if isinstance(value, list):
        return Option(value[0], Literal[tuple(value)])
    if isinstance(value, dict):
        return Option(value.get("default"), _TYPES.get(value["kind"], value["kind"]))
    return Option(value)


def _entry(
    name: str, options: Sequence[str] = (), settings: Mapping[str, Any] | None = None, **row: Any
) -> ModelEntry:
    groups = [_TABLE["options"][group].items() for group in options]
    known = {option: _option(value) for group in groups for option, value in group}
    papers = [(paper, own) for (model, paper, size), own in _PUBLISHED.items() if (model, size) == (name, "")]
    papers.sort(key=lambda item: item[0] == "lyu2021")  # last: they trained other people's models, too
    return ModelEntry(**row, options=known, settings={**(settings or {}), **dict(papers)})


MODELS: dict[str, ModelEntry] = {name: _entry(name, **row) for name, row in _TABLE["models"].items()}
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
    check_known("model", name, MODELS)
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
    entry = model_entry(name)
    if not entry.settings:
        raise ValueError(f"model {name} has no training settings")
    settings = entry.settings_name(settings)
    check_known(f"settings of {name}", settings, entry.settings)
    values, large = entry.settings[settings], _PUBLISHED.get((name, settings, "large"), {})
    return Settings(**{**values, **(large if large and _is_large(encoder) else {})})


def _is_large(encoder: str) -> bool:
    """Whether it is as wide as BERT large, 1024: by the configuration in its folder, else by its name."""
    about = Path(encoder, "config.json")
    if not about.is_file():
        return "large" in encoder
    return json.loads(about.read_text("utf-8")).get("hidden_size", 0) >= 1024


def full_options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Every option of a model as its type, those that are given first, then the others' defaults; of a model
    around another one, those of that one, too. Text, as `--option NAME VALUE` gives it, is converted.

    Raises ValueError for an unknown model or option, which lists the known ones, and for a wrong value.

    >>> full_options("em-es", {"layer_norm": "true"})
    {'layer_norm': True, 'marker_scheme': 'added', 'layers': None}
    >>> full_options("em-es", {"layernorm": True})
    Traceback (most recent call last):
    ValueError: unknown option of em-es 'layernorm'; did you mean 'layer_norm'? Known: layer_norm, ...
    >>> full_options("recent", {"base": "svm"})
    {'base': 'svm', 'evaluation': 'corrected', 'typed': True, 'markers': False}
    """
    entry = model_entry(name)
    known = dict(entry.options)
    if entry.wraps:
        base = model_entry(options.get("base", known["base"].default))
        if base.wraps:
            raise ValueError(f"the base of {name} is another model, not {options['base']}")
        known |= {option: about for option, about in base.options.items() if option not in known}
    for option in options:
        check_known(f"option of {name}", option, known)
    given = {option: known[option].checked(option, value) for option, value in options.items()}
    return given | {option: about.default for option, about in known.items() if option not in given}


def build(
    name: str,
    encoder: str,
    labels: Sequence[str],
    settings: Settings | None,
    seed: int,
    **options: Any,
) -> Model:
    """An untrained model; new weights are drawn from `seed`.

    Parameters
    ----------
    name : one of `MODELS`.
    encoder : see `load_encoder`. Models without an encoder ignore it.
    options : of the model, e.g. `layer_norm=True` for em-es; of a model around another one, `base` and the
        options of that.

    Raises ValueError as `full_options`, `load_encoder` and the model's class.
    """
    every, kind = full_options(name, options), model_entry(name).load()
    if "torch" in kind.packages:
        import torch

        torch.manual_seed(seed)
    settings = settings or Settings()
    model = kind.new(labels, settings, encoder, **every)
    model.settings, model.seed = settings, seed
    return model
