"""Relation classification restricted by entity types: RECENT (Lyu and Chen 2021) around any classifier.

Two steps. A binary classifier says whether there is a relation. If so, the types of the two entities say
which relations are possible: those that training samples with these types have. One is taken as it is;
between several a classifier decides that was trained on the positive samples of this pair of types
alone; with none the answer is the negative class.

The released evaluation looks the second step up in files that hold positive gold samples only, and takes the
pairs of types with one relation from the gold labels of the test set itself:

* a negative sample is never answered with a relation: false alarms of the first step cost nothing
  (`Outcome.leaked` does that to the table of any system);
* a pair of types without a classifier is answered with the one relation that it has in the test set, and with
  the negative class if it has several or none there.

Both modes are given: 'corrected' never reads a gold label, 'as-published' does, and is there to show what the
leak is worth. With `typed` False both steps stay and the types are not read: what RECENT gains over its base
beyond that is due to types.

Departures: both steps are trained with the base's own loss (the first with two outputs, not one), and the
last epoch counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
from torch import nn

from ..core import find_negative
from ..data import TypedSample
from .base import POSITIVE, History, Model, Settings
from .registry import build

Types = tuple[str, str]
_BINARY = "binary"
ANY = ("any", "any")


def possible_relations(
    samples: Sequence[TypedSample], negative: str, typed: bool = True
) -> dict[Types, tuple[str, ...]]:
    """Pair of types → the positive relations that samples with these types have, both in sorted order.

    typed : False: the types are not read, all samples have the pair `ANY`.

    Raises ValueError for a sample without types.

    >>> sample = TypedSample("1", "Ada, 36", (0, 3), (5, 7), "age", "PERSON", "NUMBER")
    >>> possible_relations([sample], "no_relation")
    {('PERSON', 'NUMBER'): ('age',)}
    """
    relations: dict[Types, set[str]] = defaultdict(set)
    for sample in samples:
        if sample.relation != negative:
            relations[_types(sample, typed)].add(sample.relation)
    return {types: tuple(sorted(relations[types])) for types in sorted(relations)}


def _types(sample: TypedSample, typed: bool) -> Types:
    if not typed:
        return ANY
    if not isinstance(sample, TypedSample):
        raise ValueError(f"sample {sample.id} has no entity types")
    return sample.types


class TypeRestriction(nn.Module, Model):
    """A binary classifier, then one for each pair of types with several relations; see the module.

    Parameters
    ----------
    make : `make(labels=…, seed=…)` gives an untrained classifier, from the registry that of option `base`;
        each stage has the same seed.
    evaluation : the mode of `predict`. typed : whether the types are read.
    Raises ValueError if no label has the well-known name of a negative class.

    >>> from .baselines import Majority
    >>> samples = [TypedSample("1", "a b", (0, 1), (2, 3), one, "X", "Y") for one in ("r", "r", "NA")]
    >>> model = TypeRestriction(["NA", "r"], lambda labels, seed: Majority(labels))
    >>> history = model.fit(samples, progress=False)
    >>> model.predict(samples, progress=False).tolist(), model.possible
    ([1, 1, 1], {('X', 'Y'): ('r',)})
    >>> model.evaluations(samples, progress=False)["as-published"].tolist()
    [1, 1, 0]
    """

    def __init__(
        self,
        labels: Sequence[str],
        make: Callable[..., Model],
        evaluation: Literal["corrected", "as-published"] = "corrected",
        typed: bool = True,
    ) -> None:
        super().__init__()
        self.labels, self.make, self.evaluation = tuple(labels), make, evaluation
        self.typed, self.negative = typed, find_negative(self.labels)
        if self.negative is None:
            raise ValueError(f"type restriction needs the negative class among its labels: {self.labels!r}")
        untrained = make(labels=(POSITIVE, *self.labels[:1]), seed=self.seed)
        self.packages, self.precision = untrained.packages, untrained.precision
        self.encoder_name, self.encoder_sha256 = untrained.encoder_name, untrained.encoder_sha256
        self.possible: dict[Types, tuple[str, ...]] = {}
        self.stages: dict[str | Types, Model] = {}
        self._modules_of_stages = nn.ModuleList()

    @classmethod
    def new(cls, labels: Sequence[str], settings: Settings, encoder: str, **options: Any) -> TypeRestriction:
        """Around models of the registry's name `base`, which are given the options that are not its own."""
        base, evaluation, typed = (options.pop(name) for name in ("base", "evaluation", "typed"))
        make = partial(build, base, encoder, settings=settings, **options)
        return cls(labels, make, evaluation, typed)

    def fit(
        self,
        samples: Sequence[TypedSample],
        checkpoint: Path | None = None,
        after_epoch: Callable[[int], None] | None = None,
        progress: bool = True,
    ) -> History:
        """Train the stages one after the other, each from its own checkpoint, `checkpoint` with its number.

        The losses are those of the first stage; seconds, steps and cuts are of all. `after_epoch` is called
        once, at the end: between the epochs of one stage the model is not ready to predict.
        """
        for sample in samples:
            self.label_id(sample)
        self.possible = possible_relations(samples, self.negative, self.typed)
        both, histories = (self.negative, POSITIVE), []
        positive = [sample for sample in samples if sample.relation != self.negative]
        binary = [replace(sample, relation=both[sample.relation != self.negative]) for sample in samples]
        plan = [(_BINARY, both, binary)]
        for types, names in self.possible.items():
            if len(names) > 1:
                plan.append((types, names, [one for one in positive if _types(one, self.typed) == types]))
        for number, (name, labels, members) in enumerate(plan):
            stage = self.make(labels=labels, seed=self.seed)
            own = checkpoint and checkpoint.with_name(f"{checkpoint.stem}-{number}{checkpoint.suffix}")
            histories.append(stage.fit(members, own, None, progress))
            self.stages[name] = stage
            if isinstance(stage, nn.Module):
                self._modules_of_stages.append(stage)
        whole = sum(histories[1:], histories[0])
        if after_epoch:
            after_epoch(len(whole.losses))
        return whole

    def _by_types(self, samples: Sequence[TypedSample]) -> Iterator[tuple[list[int], Types, list[int], Any]]:
        """For each pair of types the positions of its samples, the pair, the label ids of its possible
        relations, and the samples as its stage takes them."""
        groups: dict[Types, list[int]] = defaultdict(list)
        for index, sample in enumerate(samples):
            groups[_types(sample, self.typed)].append(index)
        for types, indices in groups.items():
            relations = self.possible.get(types, ())
            # gold labels are hidden from the stages
            members = [replace(samples[index], relation=relations[0]) for index in indices if relations]
            yield indices, types, [self.labels.index(relation) for relation in relations], members

    def _first_step(self, samples: Sequence[TypedSample], answer: str, progress: bool) -> np.ndarray:
        """What the first stage answers by `predict` or `scores`; it knows two labels, and no gold one."""
        if not self.stages:
            raise ValueError("the model has no classifiers before it is trained")
        hidden = [replace(sample, relation=self.negative) for sample in samples]
        return getattr(self.stages[_BINARY], answer)(hidden, progress=progress)

    def evaluations(self, samples: Sequence[TypedSample], progress: bool = True) -> dict[str, np.ndarray]:
        """The predicted label ids in both modes, each (samples,), from one pass through the stages.

        Raises ValueError before training.
        """
        samples, negative = list(samples), self.labels.index(self.negative)
        corrected = np.full(len(samples), negative)
        leaky = corrected.copy()
        alarms = np.flatnonzero(self._first_step(samples, "predict", progress))
        seen = possible_relations(samples, self.negative, self.typed)
        for places, types, ids, members in self._by_types([samples[index] for index in alarms]):
            indices, in_test = alarms[places], [self.labels.index(name) for name in seen.get(types, ())]
            if len(ids) > 1:
                chosen = self.stages[types].predict(members, progress=progress)
                corrected[indices] = leaky[indices] = np.array(ids)[chosen]
                continue
            for answers, only in ((corrected, ids), (leaky, in_test)):
                if len(only) == 1:
                    answers[indices] = only[0]
        leaky[[sample.relation == self.negative for sample in samples]] = negative
        return {"corrected": corrected, "as-published": leaky}

    def scores(self, samples: Sequence[TypedSample], progress: bool = True) -> np.ndarray:
        """The probability of each label, (samples, labels), 'corrected': of a relation by the first stage,
        times that of this one among those that are possible; what is left is the negative class's.

        The stages have to give probabilities, as neural ones do.
        """
        samples, scores = list(samples), np.zeros((len(samples), len(self.labels)))
        positive = self._first_step(samples, "scores", progress)[:, 1]
        for indices, types, ids, members in self._by_types(samples):
            shares = np.ones((len(indices), len(ids)))
            if len(ids) > 1:
                shares = self.stages[types].scores(members, progress=progress)
            scores[np.ix_(indices, ids)] = positive[indices, None] * shares
        scores[:, self.labels.index(self.negative)] = 1 - scores.sum(axis=1)
        return scores

    def predict(self, samples: Sequence[TypedSample], progress: bool = True) -> np.ndarray:
        """The predicted label ids in the mode `evaluation`; 'as-published' reads the gold labels."""
        return self.evaluations(samples, progress)[self.evaluation]
