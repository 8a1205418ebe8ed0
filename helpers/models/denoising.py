"""RL-DSRE (Qin et al. 2018): policies that move false positives of distant supervision to the negative class.

The cleaned bags then train any classifier. Policies are learnt before it, from the training bags alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import torch
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score
from torch import nn
from torch.nn import functional

from ..core import find_negative
from ..data import Bag, Mention, RelationSample, make_bags
from .bags import Inputs
from .base import History, as_bags, bag_targets
from .baselines import features
from .sentence_encoders import Cnn

WIDTH = 16
"""Sentences are described by so many components of TF-IDF (latent semantic analysis)."""
_PRETRAINING, EPOCHS = 100, 30
"""Steps of a policy as a classifier, and epochs with reward."""
_RATE, _RL_RATE, HIDDEN = 0.01, 0.003, 16
"""Learning rates (Adam) as a classifier and with reward; hidden units of a policy."""
_DECAY = 0.01
"""Weight decay of a policy: without it, it learns the false positives by heart as true ones."""
_SCALE = 100.0
"""α of the reward α (F1_i − F1_{i−1}), as in the paper."""
HELD_OUT = 3
"""One in that many sentences of a relation is held out for the reward."""
_FEWEST = 6
"""A relation with fewer sentences is left as it is."""


class _Policy:
    """Takes sentences of a relation for false positives, once it is learnt: one policy a relation.

    The state of a sentence is its vector and the mean vector `removed` of the sentences that were removed in
    the epoch before; 2 · K → `HIDDEN` → ReLU → 1 gives the logit of removing it.

    The policy is first a classifier of the relation's sentences (keep) against the others (remove). In each
    epoch i it draws which sentences of the training part to remove, Ψ_i. A logistic regression learns the
    relation from what is left, the removed ones counting as others; F1_i is its score on the held-out part,
    from which the policy takes those that it would remove with p > .5. The policy's loss (REINFORCE) is
    −R_i (Σ_{Ψ_i \\ Ψ_{i−1}} log p − Σ_{Ψ_{i−1} \\ Ψ_i} log p), R_i = `_SCALE` · (F1_i − F1_{i−1}), a mean
    over the sentences of both sums. In the end all with p > .5 are removed.

    points : (S, K) vectors. mine, rest : the places of the relation's sentences, and of the others.
    """

    def __init__(self, points: torch.Tensor, mine: np.ndarray, rest: np.ndarray, seed: int) -> None:
        self.points, self.removed = points, torch.zeros(points.shape[1])
        self.rng = torch.Generator().manual_seed(seed)
        order = [part[torch.randperm(len(part), generator=self.rng).numpy()] for part in (mine, rest)]
        self.judged = [part[::HELD_OUT] for part in order]
        self.kept = [np.delete(part, np.s_[::HELD_OUT]) for part in order]
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            width = points.shape[1]
            self.net = nn.Sequential(nn.Linear(2 * width, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=_RATE, weight_decay=_DECAY)

    def logits(self, rows: np.ndarray) -> torch.Tensor:
        """How likely these sentences are to be false positives, (n,)."""
        vectors = self.points[rows]
        return self.net(torch.cat([vectors, self.removed.expand_as(vectors)], dim=1))[:, 0]

    def learn(self) -> None:
        """As a classifier, then with reward."""
        mine, rest = map(len, self.kept)
        both, remove = np.concatenate(self.kept), torch.cat([torch.zeros(mine), torch.ones(rest)])
        balance = torch.where(remove > 0, 0.5 / rest, 0.5 / mine)
        for _ in range(_PRETRAINING):
            logits = self.logits(both)
            self._step(functional.binary_cross_entropy_with_logits(logits, remove, balance, reduction="sum"))
        for group in self.optimizer.param_groups:
            group["lr"] = _RL_RATE
        before = last = None
        for _ in range(EPOCHS):
            logits = self.logits(self.kept[0])
            drawn = torch.rand(len(logits), generator=self.rng) < torch.sigmoid(logits.detach())
            score = self._reward_f1(drawn.numpy())
            if before is not None:
                change = drawn.float() - last.float()  # 1: only now, −1: only before
                gain = _SCALE * (score - before) * (change * functional.logsigmoid(logits)).sum()
                self._step(-gain / max(int(change.abs().sum()), 1))
            before, last, chosen = score, drawn, self.points[self.kept[0]][drawn]
            self.removed = chosen.mean(dim=0) if drawn.any() else torch.zeros_like(self.removed)

    def _step(self, loss: torch.Tensor) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def removes(self, rows: np.ndarray) -> np.ndarray:
        """Which of these sentences it takes for false positives, (n,) bool."""
        with torch.no_grad():
            return (self.logits(rows) > 0).numpy()

    def _reward_f1(self, drawn: np.ndarray) -> float:
        """F1 of the relation on the held-out part, of a classifier trained without the removed sentences."""
        if drawn.all():
            return 0.0
        truth = np.concatenate([~drawn, np.zeros(len(self.kept[1]), dtype=bool)])
        judge = LogisticRegression(C=10.0, class_weight="balanced")
        judge.fit(self.points[np.concatenate(self.kept)].numpy(), truth)
        stay = ~self.removes(self.judged[0])
        gold = np.concatenate([stay, np.zeros(len(self.judged[1]), dtype=bool)])
        predicted = judge.predict(self.points[np.concatenate(self.judged)].numpy())
        return float(f1_score(gold, predicted, zero_division=0))


def _false_positives(vectors: np.ndarray, targets: Sequence[int], relation: int, seed: int) -> np.ndarray:
    """Which sentences of a relation its policy takes for false positives: bool (S,), False for others.

    vectors : (S, K). targets : (S,) label ids.

    >>> vectors = np.repeat(np.eye(2), 20, axis=0)
    >>> _false_positives(vectors, [1] * 20 + [0] * 20, 1, seed=9).sum()
    np.int64(0)
    """
    is_mine, false = np.asarray(targets) == relation, np.zeros(len(vectors), dtype=bool)
    mine, rest = np.flatnonzero(is_mine), np.flatnonzero(~is_mine)
    if min(len(mine), len(rest)) >= _FEWEST:
        own_seed = int(np.random.default_rng([seed, relation]).integers(2**62))
        policy = _Policy(torch.tensor(vectors, dtype=torch.float32), mine, rest, own_seed)
        policy.learn()
        false[mine] = policy.removes(mine)
    return false


def _sentence_components(samples: Sequence[RelationSample], width: int = WIDTH, seed: int = 0) -> np.ndarray:
    """(S, K) latent semantic analysis of `features` with entities, rows of unit length; K ≤ `width`.

    >>> texts = ("fire caused panic", "fire in town")
    >>> samples = [RelationSample(text, text, (0, 4), (8, 10), "Other") for text in texts]
    >>> _sentence_components(samples, width=2).shape
    (2, 2)
    """
    counts = TfidfVectorizer(analyzer=lambda sample: features(sample, True), sublinear_tf=True)
    table = counts.fit_transform(samples)
    width = max(1, min(width, min(table.shape)))
    vectors = TruncatedSVD(width, random_state=seed).fit_transform(table)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)


def _moved_to(bags: Sequence[Bag], negative: str, moved: Sequence[bool]) -> list[Bag]:
    """The bags, each of one relation, with the sentences that are `moved` under the negative class instead.

    They join the negative bag of their pair, or make one; a bag without sentences is left out.

    >>> sample = RelationSample("1", "Ada left London", (0, 3), (9, 15), "lived in")
    >>> bag = Bag("Q1", "Q84", ("lived in",), (sample, sample))
    >>> [(one.relations, len(one.samples)) for one in _moved_to([bag], "NA", [True, False])]
    [(('NA',), 1), (('lived in',), 1)]
    """
    flags = iter(moved)
    mentions = [
        Mention(sample, bag.head, bag.tail, (negative,) if next(flags) else bag.relations)
        for bag in bags
        for sample in bag.samples
    ]
    return make_bags(mentions, negative, by_relation=True)


class RlDsre(Cnn):
    """A CNN or PCNN, and the policies that clean its training bags.

    One policy for each relation but the negative class, as in the paper: what makes a false positive differs
    between relations, and no reward is shared. Otherwise smaller than the paper's: sentences are
    `_sentence_components` instead of a CNN's vectors, the classifier of the reward is a logistic regression
    instead of a CNN, what was removed is that of the epoch before instead of so far, and each sentence is
    drawn by its own probability instead of a fixed number of them.

    Attributes
    ----------
    moved : after `fit`, relation → how many of its training sentences went to the negative class.

    Raises ValueError if the labels have no negative class.
    """

    packages = (*Cnn.packages, "scikit-learn")

    def __init__(self, labels: Sequence[str], **options: Any) -> None:
        super().__init__(labels, **options)
        self.negative, self.moved = find_negative(self.labels), {}
        if self.negative is None:
            raise ValueError("labels have no negative class to move false positives to")

    def make_encoder(self, width: int, base: Literal["cnn", "pcnn"] = "pcnn", **layers: Any) -> int:
        """That of `base`."""
        self.segments = {"cnn": 1, "pcnn": 3}[base]
        return super().make_encoder(width, **layers)

    def clean(self, samples: Inputs) -> list[Bag]:
        """The bags without what the policies take for false positives; sets `moved`."""
        bags = as_bags(samples)
        ids = bag_targets(bags, self.labels)
        targets = [target for target, bag in zip(ids, bags, strict=True) for _ in bag.samples]
        vectors = _sentence_components([sample for bag in bags for sample in bag.samples], seed=self.seed)
        moved, self.moved = np.zeros(len(vectors), dtype=bool), {}
        for relation, label in enumerate(self.labels):
            if label != self.negative:
                false = _false_positives(vectors, targets, relation, self.seed)
                moved |= false
                self.moved[label] = int(false.sum())
        return _moved_to(bags, self.negative, moved)

    def fit(self, samples: Inputs, *how: Any, **named: Any) -> History:
        """Clean the bags and train on them; see `NeuralModel.fit`."""
        return super().fit(self.clean(samples), *how, **named)
