"""What an experiment is: which model, trained on what, tested on what, and the names of its runs.

Nothing is read or trained here, and torch is not imported.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Literal, get_args

from .. import models
from ..core import check_known, unknown_name
from ..data import data_name, datasets, find_dataset
from ..models.base import Count, Settings, check_fields
from ..runs import RUNS_FOLDER, run_path, variant_name

SEEDS = (9, 148, 378, 459, 687)
"""The five seeds of paper W."""
_BAG_PROFILES = ("standard", "paper")
_WITH_TREES = ("parsed", "spacy")
"""Forms of the text that a graph model can read."""
STUDIES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("studies.toml").read_text(encoding="utf-8"))
"""What is trained: studies, multi-label models, systems on noisy labels; see there."""
BASE_ENCODER = "mpnet-base"
"""The encoder of profile 'base': as large as BERT base, and no model hub is needed for it."""
SIDE = {
    "types": "reside/entity_type/gids/type_info.json",
    "aliases": "reside/relation_alias/gids/relation_alias_from_wikidata_ppdb_extended.json",
}
"""RESIDE's side information for GIDS: option → registered file."""
_ONE_WAY = ("bgwa", "reside", "rl-dsre")
"""Models of bags that are evaluated by their own aggregator, however they are trained."""


@dataclass(frozen=True)
class Experiment:
    """What is trained on what.

    Attributes
    ----------
    model : one of `MODELS`.
    dataset : one of relations with a training and a test part, or one of mentions, from which bags of
        sentences are made, and facts ranked: for models of `unit` 'bag' and `_BAG_PROFILES`, without merged,
        part, text, sentences and holdout.
    merged : trained on every sentence and its paired one (paper R's '-M'); needs directed relations.
    part : 'full', or 'ptr' for the 6507 training sentences of PTR's authors (SemEval only).
    text : 'clean' as paper R's files, 'official', 'parsed', the words of the parser, for data with trees, or
        'spacy', the official text with tags and trees by spaCy (`data parse`). '': what is usual: for models
        of trees, which take no others, 'parsed' or, without trees, 'spacy'; 'clean' for directed relations,
        else 'official'.
    seed : of weights, order, dropout; `encoder` : see `load_encoder`. Models without either ignore them.
    profile : 'quick' takes `QUICK_SENTENCES` training sentences; the others all of them. 'base' has
        `BASE_ENCODER` and paper R's settings, 'paper' the model's own paper's.
    sentences : that many training sentences, drawn once for all seeds; None: as many as the profile says.
    threads : of the processor, for this run; None: as many as torch takes, or OMP_NUM_THREADS says.
    settings : None takes the profile's for this model.
    holdout : train on nine tenths of the training data and test on the rest: to choose settings.
    options : of the model, see its class; text is converted to the option's type. Those that are not given
        are the defaults.
    variant : names the run apart from others of the model; '' names what differs from the usual settings and
        options of the profile.

    Raises ValueError for an unknown name or option, for a part that the data set has not, for an encoder or
    settings of a model that has none, and for what does not go with bags.
    """

    model: str
    dataset: str = "semeval2010"
    merged: bool = False
    part: Literal["full", "ptr"] = "full"
    text: Literal["", "clean", "official", "parsed", "spacy"] = ""
    seed: int = SEEDS[0]
    encoder: str = models.EMBEDDED
    profile: Literal["quick", "standard", "base", "paper"] = "quick"
    sentences: Count | None = None
    threads: Count | None = None
    settings: Settings | None = None
    holdout: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    variant: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        object.__setattr__(self, "options", models.full_options(self.model, self.options))
        whole = {"train", "test"}
        rows = {name: row for name, row in datasets().items() if row.kind in ("relations", "mentions")}
        known = [name for name, row in rows.items() if row.kind == "mentions" or whole <= {*row.splits}]
        check_known("dataset", self.dataset, known)
        if not self.inner.encoder and (self.encoder != models.EMBEDDED or self.profile == "base"):
            raise ValueError(f"model {self.model} has no encoder")
        if self.profile == "base" and self.encoder == models.EMBEDDED:
            object.__setattr__(self, "encoder", BASE_ENCODER)
        if not self.entry.settings and self.settings is not None:
            raise ValueError(f"model {self.model} has no training settings")
        (self._check_bags if self.of_bags else self._check_sentences)()

    def _check_bags(self) -> None:
        if self.entry.unit != "bag":
            raise ValueError(f"model {self.model} takes single sentences; {self.dataset} is of bags")
        check_known("profile of bags", self.profile, _BAG_PROFILES)
        usual = {"merged": False, "part": "full", "text": "", "sentences": None, "holdout": False}
        if given := [name for name, value in usual.items() if getattr(self, name) != value]:
            raise ValueError(f"{given[0]} is for single sentences; {self.dataset} is of bags")

    def _check_sentences(self) -> None:
        about = find_dataset(self.dataset)
        if self.part == "ptr" and self.dataset != "semeval2010":
            raise ValueError(f"part 'ptr' is a split of semeval2010, not of {self.dataset}")
        if self.merged and not about.directed:
            raise ValueError(f"merged needs directed relations, which {self.dataset} has not")
        object.__setattr__(self, "text", self.text or self.usual_text)
        if self.inner.parsed and self.text not in _WITH_TREES:
            raise ValueError(f"model {self.model} reads text {' or '.join(_WITH_TREES)}, not {self.text}")
        if self.text == "parsed" and not about.parsed:
            with_trees = [name for name, row in datasets().items() if row.parsed]
            raise unknown_name("data set with dependency trees", self.dataset, with_trees)

    @property
    def entry(self) -> models.ModelEntry:
        """The model's entry in the registry."""
        return models.model_entry(self.model)

    @property
    def inner_name(self) -> str:
        """The model itself, or of a model around another one that other one.

        >>> Experiment("recent", "re_docred", options={"base": "em-es"}).inner_name
        'em-es'
        """
        return self.options["base"] if self.entry.wraps else self.model

    @property
    def inner(self) -> models.ModelEntry:
        """The entry of `inner_name`."""
        return models.model_entry(self.inner_name)

    @property
    def of_bags(self) -> bool:
        """Whether the data set has mentions, from which bags are made."""
        return find_dataset(self.dataset).kind == "mentions"

    @property
    def name(self) -> str:
        """The model as the papers write it, '-M' when it is trained on the merged set.

        >>> Experiment("em-es", merged=True).name
        'EM-ES-M'
        >>> Experiment("majority").name, Experiment("svm", options={"markers": True}).name
        ('majority', 'SVM-EM')
        """
        return self.entry.full_title(self.options) + ("-M" if self.merged else "")

    @property
    def dataset_name(self) -> str:
        """The data set in run files; another training part or text form makes it another one.

        >>> Experiment("ptr", part="ptr").dataset_name
        'semeval2010-ptr-split'
        """
        part = "-ptr-split" if self.part == "ptr" else ""
        return self.dataset + part + (f"-{self.text}-text" if self.text != self.usual_text else "")

    @property
    def usual_text(self) -> str:
        """The form of the text that goes without saying; see `text`."""
        if self.of_bags:
            return ""
        about = find_dataset(self.dataset)
        return about.text if not self.inner.parsed else "parsed" if about.parsed else "spacy"

    @property
    def run_seed(self) -> int | None:
        """The seed in run files: None for a model that draws nothing at random."""
        return self.seed if self.entry.random else None

    @property
    def settings_name(self) -> str:
        """The settings of the profile: of 'base' paper R's, or the model's own where R has none; of 'paper'
        the model's own; else 'standard'. For training with bags a paper's own, where it has others for them.

        >>> Experiment("r-bert", profile="base").settings_name, Experiment("r-bert", profile="base").encoder
        ('lyu2021', 'mpnet-base')
        >>> Experiment("cnn", "gids", options={"training": "bag"}, profile="paper").settings_name
        'gao2021-bag'
        """
        of_base = "lyu2021" if "lyu2021" in self.inner.settings else "paper"
        name = {"base": of_base, "paper": "paper"}.get(self.profile, "standard")
        name = self.inner.settings_name(name)
        of_bags = f"{name}-bag"
        return of_bags if self.options.get("training") == "bag" and of_bags in self.inner.settings else name

    @property
    def evaluations(self) -> dict[str, str]:
        """Variant of a run → the evaluation that it stores (`TypeRestriction.evaluations`), the model's own
        last: one training gives them all.

        On bags the name is that of the aggregator: what was trained on sentences is evaluated by the mean and
        by the best of a bag's sentences. Where no class is negative, each pair has one sentence, and the two
        are one.

        >>> Experiment("cnn", "gids", profile="standard").evaluations
        {'sent+AVG': 'avg', 'sent+ONE': 'one'}
        >>> Experiment("recent", "re_docred", profile="standard").evaluations
        {'base-cnn+evaluation-as-published': 'as-published', 'base-cnn': 'corrected'}
        """
        if self.entry.wraps:
            own = self.options["evaluation"]
            names = sorted(get_args(self.entry.options["evaluation"].kind), key=lambda name: name == own)
            return {self._variant(evaluation=name): name for name in names}
        if not self.of_bags or "training" not in self.options or self.model in _ONE_WAY:
            return {self._variant(): ""}
        if self.options["training"] == "bag":
            aggregator = self.options["aggregator"]
            return {self._variant(f"bag+{aggregator.upper()}"): aggregator}
        if find_dataset(self.dataset).negative is None:
            return {self._variant("sent"): "avg"}
        return {self._variant(f"sent+{name.upper()}"): name for name in ("avg", "one")}

    @property
    def run_variant(self) -> str:
        """The variant of the run that is written last: when it is there, all are.

        >>> Experiment("em-c", sentences=500).with_settings(changes={"epochs": 2}).run_variant
        'epochs-2+sentences-500'
        >>> Experiment("pcnn", "gids", profile="paper", options={"training": "bag"}).run_variant
        'bag+AVG'
        """
        return list(self.evaluations)[-1]

    def _variant(self, way: str = "", **added: Any) -> str:
        """`way`, then `variant` or what differs from the profile's usual settings and the model's usual
        options, those `added` among them."""
        return "+".join(filter(None, (way, self.variant or self._changes(self.options | added))))

    def _changes(self, options: Mapping[str, Any]) -> str:
        usual = models.full_options(self.model, {"base": self.inner_name} if self.entry.wraps else {})
        said = {*self.entry.suffixes, *(("training", "aggregator") if self.of_bags else ())}  # elsewhere
        named = {
            name: value
            for name, value in options.items()
            if name not in said and (value != usual[name] or (name == "base" and self.entry.wraps))
        }
        counts = {"sentences": self.sentences, "threads": self.threads}
        named |= {name: count for name, count in counts.items() if count}
        if not (settings := self.resolved()):
            return variant_name(named, {})
        known = self.settings_name in self.inner.settings
        of_profile = (
            models.default_settings(self.inner_name, self.settings_name, self.encoder) if known else None
        )
        return variant_name(asdict(settings) | named, asdict(of_profile) if known else {})

    def path(self, folder: Path | str = RUNS_FOLDER) -> Path:
        """Where its run is kept, before there is one.

        >>> Experiment("em-c", profile="standard").path("runs").as_posix()
        'runs/semeval2010/EM-C/all-MiniLM-L6-v2/seed-9.json'
        """
        return run_path(SimpleNamespace(**self.fields(self.run_variant)), folder)

    def fields(self, variant: str) -> dict[str, Any]:
        """What names the run of a variant, as fields of `Run`."""
        encoder = Path(self.encoder).name if Path(self.encoder).is_dir() else self.encoder
        return {
            "dataset": self.dataset_name,
            "split": "holdout" if self.holdout else "test",
            "model": self.name,
            "variant": variant,
            "encoder": encoder if self.inner.encoder else models.NO_ENCODER,
            "seed": self.run_seed,
            "profile": self.profile,
        }

    def resolved(self) -> Settings | None:
        """The settings that it is trained with; None for a model that has none."""
        if self.settings or not self.inner.settings:
            return self.settings
        return models.default_settings(self.inner_name, self.settings_name, self.encoder)

    @property
    def side(self) -> dict[str, str]:
        """Option → registered file of side information."""
        return SIDE if self.model == "reside" and self.dataset.startswith("gids") else {}

    @property
    def vectors_file(self) -> Path | None:
        """The file of word vectors, where option `vectors` is one."""
        vectors = self.options.get("vectors")
        return None if vectors is None or vectors in models.VECTOR_SOURCES else Path(vectors)

    def recorded(self, variant: str | None = None) -> dict[str, dict[str, Any]]:
        """What of the configuration of a run is known before the data are read: `options`, all of them, a
        file by its `data_name`, infinity as text; `hyperparameters`, the settings, without a precision that
        the machine or the lack of an encoder decides. With `variant`, the evaluation stands there, too.

        >>> Experiment("cnn", "demo", options={"filters": 8}).recorded()["options"]["position_size"]
        5
        """
        options = self.options | self.side
        if self.vectors_file:
            options["vectors"] = data_name(self.vectors_file)
        options = {name: str(value) if value == float("inf") else value for name, value in options.items()}
        settings = self.resolved()
        values = asdict(settings) if settings else {}
        if values.get("precision") == "auto" or not self.inner.encoder:
            values.pop("precision", None)
        values |= {} if self.of_bags else {"text": self.text}
        if variant is not None and self.of_bags:
            values["evaluation"] = variant
        elif variant is not None and self.entry.wraps:
            options["evaluation"] = self.evaluations[variant]
        return {"hyperparameters": values, "options": options}

    def with_settings(self, name: str | None = None, changes: Mapping[str, Any] | None = None) -> Experiment:
        """The same with the settings 'standard', 'lyu2021' … (None: the profile's), single ones changed.

        Raises ValueError as `default_settings` and `Settings.changed`.

        >>> Experiment("em-c").with_settings("paper", {"epochs": 2}).resolved().epochs
        2
        """
        if not name and not changes:
            return self
        if not self.entry.settings:
            raise ValueError(f"model {self.model} has no training settings to choose or to change")
        base = models.default_settings(self.inner_name, name, self.encoder) if name else self.resolved()
        return replace(self, settings=base.changed(changes or {}))
