"""What an experiment is: which model, trained on what, tested on what; and the samples that it reads.

Nothing is trained here, and torch is not imported.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core import file_sha256, find_negative, label_ids, unknown_name, write_atomically
from ..data import (
    PTR_FILES,
    RelationSample,
    clean_sample,
    corpus_hashes,
    data_name,
    datasets,
    file_path,
    find_dataset,
    paired_sets,
    parse_files,
    parsed_corpus,
    ptr_split,
    read_corpus,
    registered_file,
    samples_sha256,
)
from ..models import (
    EMBEDDED,
    VECTOR_SOURCES,
    ModelEntry,
    check_options,
    default_settings,
    full_options,
    model_entry,
    model_versions,
)
from ..models.settings import Count, Settings, checked
from ..runs import variant_name


def recorded(model: str, options: Mapping[str, Any], settings: Settings | None) -> dict[str, dict[str, Any]]:
    """What of a run's configuration is known before its data are read: `options`, all of them, a file by its
    `data_name`, infinity as text; `hyperparameters`, the settings, without a precision that the machine or
    the lack of an encoder decides.

    >>> recorded("cnn", {"filters": 8}, None)["options"]["position_size"]
    5
    """
    full = full_options(model, options)
    if option_files(options):
        full["vectors"] = data_name(full["vectors"])
    full = {name: str(one) if one == float("inf") else one for name, one in full.items()}
    values = asdict(settings) if settings else {}
    inner = model_entry(full.get("base", model))
    if values.get("precision") == "auto" or not inner.encoder:
        values.pop("precision", None)
    return {"hyperparameters": values, "options": full}


def option_files(options: Mapping[str, Any]) -> list[Path]:
    """The files among the options of a model."""
    vectors = options.get("vectors")
    return [] if vectors is None or vectors in VECTOR_SOURCES else [Path(vectors)]


def versions(model: str, options: Mapping[str, Any], dataset: str) -> dict[str, int]:
    """The versions that a run depends on: of the model and the one that it is around, and of the data set.

    >>> versions("cnn", {}, "demo").keys()
    dict_keys(['model cnn', 'data set demo'])
    """
    return model_versions(model, options) | {f"data set {dataset}": find_dataset(dataset).version}


SEEDS = (9, 148, 378, 459, 687)
"""The five seeds of paper W."""
PROFILES = ("quick", "standard", "base", "paper")
BASE_ENCODER = "mpnet-base"
"""The encoder of profile 'base': as large as BERT base, and no model hub is needed for it."""


def experiment_datasets() -> list[str]:
    """The data sets that models are trained on: relations, in a training and a test part.

    >>> "semeval2010" in experiment_datasets(), "docred" in experiment_datasets()
    (True, False)
    """
    known = datasets().values()
    return [one.name for one in known if one.kind == "relations" and {"train", "test"} <= {*one.splits}]


@checked
class Experiment:
    """What is trained on what.

    Attributes
    ----------
    model : one of `MODELS`.
    dataset : one of `experiment_datasets()`.
    merged : trained on every sentence and its paired one (paper R's '-M'); needs directed relations.
    part : 'full', or 'ptr' for the 6507 training sentences of PTR's authors (SemEval only).
    text : 'clean' as paper R's files, 'official', or 'parsed', the words of the parser, for data with trees.
        '': what is usual: 'parsed' for models of trees, which take no other, 'clean' for directed relations,
        else 'official'.
    seed : of weights, order, dropout; `encoder` : see `load_encoder`. Models without either ignore them.
    profile : 'quick' takes `QUICK_SENTENCES` training sentences; the others all of them. 'base' has
        `BASE_ENCODER` and paper R's settings, 'paper' the model's own paper's.
    sentences : that many training sentences, drawn once for all seeds; None: as many as the profile says.
    threads : of the processor, for this run; None: as many as torch takes, or OMP_NUM_THREADS says.
    settings : None takes the profile's for this model.
    holdout : train on nine tenths of the training data and test on the rest: to choose settings.
    options : of the model, see its class; text is converted to the option's type.
    variant : names the run apart from others of the model; '' names what differs from the usual settings and
        options of the profile.

    Raises ValueError for an unknown name or option, for a part that the data set has not, and for an encoder
    or settings of a model that has none.
    """

    model: str
    dataset: str = "semeval2010"
    merged: bool = False
    part: str = "full"
    text: str = ""
    seed: int = SEEDS[0]
    encoder: str = EMBEDDED
    profile: str = "quick"
    sentences: Count | None = None
    threads: Count | None = None
    settings: Settings | None = None
    holdout: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    variant: str = ""

    def __post_init__(self) -> None:
        entry = self.entry  # raises for an unknown model
        known = {"dataset": experiment_datasets(), "profile": PROFILES}
        known |= {"part": ("full", "ptr"), "text": ("", "clean", "official", "parsed")}
        for name, names in known.items():
            if getattr(self, name) not in names:
                raise unknown_name(name, getattr(self, name), names)
        if self.part == "ptr" and self.dataset != "semeval2010":
            raise ValueError(f"part 'ptr' is a split of semeval2010, not of {self.dataset}")
        if not self.inner.encoder and (self.encoder != EMBEDDED or self.profile == "base"):
            raise ValueError(f"model {self.model} has no encoder")
        if self.profile == "base" and self.encoder == EMBEDDED:
            object.__setattr__(self, "encoder", BASE_ENCODER)
        if not entry.settings and self.settings is not None:
            raise ValueError(f"model {self.model} has no training settings")
        about = find_dataset(self.dataset)
        if self.merged and not about.directed:
            raise ValueError(f"merged needs directed relations, which {self.dataset} has not")
        object.__setattr__(self, "text", self.text or self.usual_text)
        if self.inner.parsed and self.text != "parsed":
            raise ValueError(f"model {self.model} reads text 'parsed', not {self.text!r}")
        if self.text == "parsed" and not about.parsed:
            parsed = ", ".join(name for name, one in datasets().items() if one.parsed)
            raise ValueError(f"{self.dataset} has no dependency trees. Data sets with trees: {parsed}")
        object.__setattr__(self, "options", check_options(self.model, self.options))

    @property
    def entry(self) -> ModelEntry:
        """The model's entry in the registry."""
        return model_entry(self.model)

    @property
    def inner_name(self) -> str:
        """The model itself, or of a model around another one that other one.

        >>> Experiment("recent", "re_docred", options={"base": "em-es"}).inner_name
        'em-es'
        """
        return self.options.get("base", self.entry.wraps) if self.entry.wraps else self.model

    @property
    def inner(self) -> ModelEntry:
        """The entry of `inner_name`."""
        return model_entry(self.inner_name)

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
        if self.inner.parsed:
            return "parsed"
        return find_dataset(self.dataset).text

    @property
    def split(self) -> str:
        """What it is tested on: 'test', or 'holdout' (of the training data)."""
        return "holdout" if self.holdout else "test"

    @property
    def run_seed(self) -> int | None:
        """The seed in run files: None for a model that draws nothing at random."""
        return self.seed if self.entry.random else None

    @property
    def settings_name(self) -> str:
        """The settings of the profile: of 'base' paper R's, of 'paper' the model's own, else 'standard'.

        >>> Experiment("r-bert", profile="base").settings_name, Experiment("r-bert", profile="base").encoder
        ('lyu2021', 'mpnet-base')
        """
        return {"base": "lyu2021", "paper": "paper"}.get(self.profile, "standard")

    @property
    def run_variant(self) -> str:
        """`variant`, or what differs from the profile's usual settings and the model's usual options.

        >>> Experiment("em-c", sentences=500).with_settings(changes={"epochs": 2}).run_variant
        'epochs-2+sentences-500'
        """
        if self.variant:
            return self.variant
        entry, settings, usual = self.entry, self.resolved(), {}
        counts = {"sentences": self.sentences, "threads": self.threads}
        chosen = self.options | {name: count for name, count in counts.items() if count}
        if self.options:
            usual = entry.defaults
            usual.pop("base", None)  # which model another one is around is always said
            usual |= {name: self.options.get(name) for name in entry.suffixes}  # they are in the model's name
        if settings:
            chosen = asdict(settings) | chosen
            if self.inner.settings_name(self.settings_name) in self.inner.settings:
                usual |= asdict(default_settings(self.inner_name, self.settings_name, self.encoder))
        return variant_name(chosen, usual)

    def resolved(self) -> Settings | None:
        """The settings that it is trained with; None for a model that has none."""
        if self.settings or not self.inner.settings:
            return self.settings
        return default_settings(self.inner_name, self.settings_name, self.encoder)

    def recorded(self) -> dict[str, dict[str, Any]]:
        """See `recorded`."""
        found = recorded(self.model, self.options, self.resolved())
        found["hyperparameters"]["text"] = self.text
        return found

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
        base = default_settings(self.inner_name, name, self.encoder) if name else self.resolved()
        return replace(self, settings=base.changed(changes or {}))


HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""


@dataclass(frozen=True)
class ExperimentData:
    """Training and test samples, the labels in the order of their ids, the sha256 of each file by name;
    directed : whether the samples have paired ones; inverse, negative : see `Dataset`; samples_sha256 : of
    the whole corpus where it is drawn from its files (`Dataset.made_from`), whose hashes do not say how."""

    train: list[RelationSample]
    test: list[RelationSample]
    labels: tuple[str, ...]
    files: dict[str, str]
    directed: bool = True
    inverse: Mapping[str, str] = field(default_factory=dict)
    negative: str | None = None
    samples_sha256: str = ""


def read_samples(
    dataset: str,
    part: str = "full",
    text: str = "clean",
    merged: bool = False,
    holdout: bool = False,
    at_most: int | None = None,
) -> ExperimentData:
    """The samples in the wanted form; see `Experiment` for the words.

    `at_most` training samples are taken, drawn once and for all; then they are merged with their paired ones.

    Raises MissingData, ChecksumError : the data are not here. ValueError : unknown data set.

    >>> data = read_samples("demo", merged=True, at_most=100)
    >>> len(data.train), data.train[0].text == data.train[1].text
    (200, True)
    """
    read = parsed_corpus if text == "parsed" else read_corpus
    splits, files = read(dataset), corpus_hashes(dataset, ("train", "test"))
    if text == "parsed":
        files |= {name: file_sha256(file_path(name)) for name in parse_files(dataset, ("train", "test"))}
    about = find_dataset(dataset)
    occurring = (sample.relation for samples in splits.values() for sample in samples)
    labels = about.relations or tuple(label_ids(occurring))
    train, test = list(splits["train"]), list(splits["test"])
    if part == "ptr":
        train = ptr_split(train)
        files |= {name: registered_file(name).sha256 for name in PTR_FILES.values()}
    if holdout:
        train, test = _held_out(train)
    if at_most is not None and len(train) > at_most:
        train = random.Random(0).sample(train, at_most)
    if text == "clean":
        train, test = ([clean_sample(sample) for sample in part] for part in (train, test))
    if merged:
        train = paired_sets(train, about.inverse)["merged"]
    negative = about.negative or find_negative(labels)
    drawn = samples_sha256(one for split in splits.values() for one in split) if about.made_from else ""
    return ExperimentData(train, test, labels, files, about.directed, about.inverse, negative, drawn)


def _held_out(samples: Sequence[RelationSample]) -> tuple[list[RelationSample], list[RelationSample]]:
    """The training samples without a tenth, and that tenth: always the same one."""
    chosen = set(random.Random(HOLDOUT).sample(range(len(samples)), len(samples) // HOLDOUT))
    rest = [sample for place, sample in enumerate(samples) if place not in chosen]
    return rest, [samples[place] for place in sorted(chosen)]


def write_predictions(
    path: Path, data: ExperimentData, original: Sequence[int], paired: Sequence[int] | None = None
) -> Path:
    """Write label ids predicted on the test set, and on its paired set, as CSV: id, gold, predicted, paired.

    `python -m helpers score` reads it. Raises ValueError if there are not as many predictions as samples.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    given = [original] if paired is None else [original, paired]
    writer.writerow(("id", "gold", "predicted", "paired")[: 2 + len(given)])
    for sample, *places in zip(data.test, *given, strict=True):
        writer.writerow((sample.id, sample.relation, *(data.labels[place] for place in places)))
    return write_atomically(path, text.getvalue())
