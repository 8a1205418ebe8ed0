"""What an experiment is: which model, trained on what, tested on what. Nothing is read or trained here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .data.errors import unknown_name
from .models.baselines import BASELINES
from .models.encoder import EMBEDDED
from .models.registry import MODELS
from .models.settings import PAPER, STANDARD, Settings

SEEDS = (9, 148, 378, 459, 687)
"""The five seeds of paper W."""
DATASETS = ("semeval2010", "kbp37", "demo")
PROFILES = ("quick", "standard", "paper")


@dataclass(frozen=True)
class Experiment:
    """What is trained on what.

    Attributes
    ----------
    model : one of `MODELS` or `BASELINES`.
    merged : trained on every sentence and its paired one (paper R's '-M').
    dataset : 'semeval2010', 'kbp37' or 'demo'.
    part : 'full', or 'ptr' for the 6507 training sentences of PTR's authors (SemEval only).
    text : 'clean' as paper R's files, or 'official'.
    seed : of weights, order, dropout; `encoder` : see `load_encoder`. A baseline has neither.
    profile : 'quick' takes `QUICK_SENTENCES` training sentences, drawn once for all seeds; 'standard' and
        'paper' all of them.
    settings : None takes the profile's for this model; a baseline has none.
    holdout : train on nine tenths of the training data and test on the rest: to choose settings.
    options : of the model, see its class.

    Raises ValueError for an unknown name, for a part that the data set has not, and for a baseline with an
    encoder or settings.
    """

    model: str
    dataset: str = "semeval2010"
    merged: bool = False
    part: Literal["full", "ptr"] = "full"
    text: Literal["clean", "official"] = "clean"
    seed: int = SEEDS[0]
    encoder: str = EMBEDDED
    profile: str = "quick"
    settings: Settings | None = None
    holdout: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {"model": (*MODELS, *BASELINES), "dataset": DATASETS, "profile": PROFILES}
        known |= {"part": ("full", "ptr"), "text": ("clean", "official")}
        for name, names in known.items():
            if getattr(self, name) not in names:
                raise unknown_name(name, getattr(self, name), names)
        if self.part == "ptr" and self.dataset != "semeval2010":
            raise ValueError(f"part 'ptr' is a split of semeval2010, not of {self.dataset}")
        if self.model in BASELINES and (self.encoder != EMBEDDED or self.settings is not None):
            raise ValueError(f"model {self.model} has no encoder and no training settings")

    @property
    def name(self) -> str:
        """The model as the papers write it, '-M' when it is trained on the merged set.

        >>> Experiment("em-es", merged=True).name
        'EM-ES-M'
        >>> Experiment("majority").name, Experiment("svm", options={"markers": True}).name
        ('majority', 'SVM-EM')
        """
        name = self.model if self.model == "majority" else self.model.upper()
        markers = "-EM" if self.model == "svm" and self.options.get("markers") else ""
        return name + markers + ("-M" if self.merged else "")

    @property
    def dataset_name(self) -> str:
        """The data set in run files; another training part or text form makes it another one.

        >>> Experiment("ptr", part="ptr").dataset_name
        'semeval2010-ptr-split'
        """
        part = "-ptr-split" if self.part == "ptr" else ""
        return self.dataset + part + ("-official-text" if self.text == "official" else "")

    @property
    def split(self) -> str:
        """What it is tested on: 'test', or 'holdout' (of the training data)."""
        return "holdout" if self.holdout else "test"

    def resolved(self) -> Settings:
        """The settings that it is trained with. Raises ValueError for a baseline."""
        if self.model in BASELINES:
            raise ValueError(f"model {self.model} has no training settings")
        return self.settings or (PAPER if self.profile == "paper" else STANDARD)[self.model]
