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
from ..data import Bag, RelationSample
from .bags import BagClassifier, Inputs
from .base import History, Model, as_bags, bag_targets
from .baselines import features
from .sentence_encoders import Cnn, Pcnn

_BASES: dict[str, type[BagClassifier]] = {"cnn": Cnn, "pcnn": Pcnn}
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


def _logits(policy: nn.Module, vectors: torch.Tensor, removed: torch.Tensor) -> torch.Tensor:
    """How likely sentences (n, K) are to be false positives: logits (n,) of removing each.

    The state of a sentence is its vector and the mean vector of the sentences that were removed in the epoch
    before; a policy is 2 · K → `HIDDEN` → ReLU → 1.
    """
    return policy(torch.cat([vectors, removed.expand_as(vectors)], dim=1))[:, 0]


def _false_positives(vectors: np.ndarray, targets: Sequence[int], relation: int, seed: int) -> np.ndarray:
    """Which sentences of a relation a learnt policy takes for false positives: bool (S,), False for others.

    The policy is first a classifier of the relation's sentences (keep) against the others (remove). In each
    epoch i it draws which sentences of the training part to remove, Ψ_i. A logistic regression learns the
    relation from what is left, the removed ones counting as others; F1_i is its score on the held-out part,
    from which the policy takes those that it would remove with p > .5. The policy's loss (REINFORCE) is
    −R_i (Σ_{Ψ_i \\ Ψ_{i−1}} log p − Σ_{Ψ_{i−1} \\ Ψ_i} log p), R_i = `_SCALE` · (F1_i − F1_{i−1}), a mean
    over the sentences of both sums. In the end all with p > .5 are removed.

    vectors : (S, K). targets : (S,) label ids.

    >>> vectors = np.repeat(np.eye(2), 20, axis=0)
    >>> _false_positives(vectors, [1] * 20 + [0] * 20, 1, seed=9).sum()
    np.int64(0)
    """
    torch_seed = int(np.random.default_rng([seed, relation]).integers(2**62))
    rng = torch.Generator().manual_seed(torch_seed)
    mine = np.flatnonzero(np.asarray(targets) == relation)
    rest = np.flatnonzero(np.asarray(targets) != relation)
    removable = np.zeros(len(vectors), dtype=bool)
    if len(mine) < _FEWEST or len(rest) < _FEWEST:
        return removable
    order = [part[torch.randperm(len(part), generator=rng).numpy()] for part in (mine, rest)]
    judged = [part[::HELD_OUT] for part in order]
    kept = [np.delete(part, np.s_[::HELD_OUT]) for part in order]
    points = torch.tensor(vectors, dtype=torch.float32)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(torch_seed)
        policy = nn.Sequential(nn.Linear(2 * points.shape[1], HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 1))
    optimizer = torch.optim.Adam(policy.parameters(), lr=_RATE, weight_decay=_DECAY)
    removed = _learn(policy, optimizer, points, kept, judged, rng)
    with torch.no_grad():
        removable[mine] = (_logits(policy, points[mine], removed) > 0).numpy()
    return removable


def _learn(
    policy: nn.Module,
    optimizer: torch.optim.Optimizer,
    points: torch.Tensor,
    kept: Sequence[np.ndarray],
    judged: Sequence[np.ndarray],
    rng: torch.Generator,
) -> torch.Tensor:
    """Train the policy in place; returns the mean vector of the sentences that it removed last."""
    removed = torch.zeros(points.shape[1])
    both = points[np.concatenate(kept)]
    remove = torch.cat([torch.zeros(len(kept[0])), torch.ones(len(kept[1]))])
    balance = torch.where(remove > 0, 0.5 / len(kept[1]), 0.5 / len(kept[0]))
    for _ in range(_PRETRAINING):
        loss = functional.binary_cross_entropy_with_logits(
            _logits(policy, both, removed), remove, balance, reduction="sum"
        )
        _step(optimizer, loss)
    for group in optimizer.param_groups:
        group["lr"] = _RL_RATE
    before = last = None
    for _ in range(EPOCHS):
        logits = _logits(policy, points[kept[0]], removed)
        drawn = torch.rand(len(logits), generator=rng) < torch.sigmoid(logits.detach())
        score = _reward_f1(policy, points, kept, judged, drawn.numpy(), removed)
        if before is not None:
            change = drawn.float() - last.float()  # 1: only now, −1: only before
            gain = _SCALE * (score - before) * (change * functional.logsigmoid(logits)).sum()
            _step(optimizer, -gain / max(int(change.abs().sum()), 1))
        before, last = score, drawn
        removed = points[kept[0]][drawn].mean(dim=0) if drawn.any() else torch.zeros_like(removed)
    return removed


def _step(optimizer: torch.optim.Optimizer, loss: torch.Tensor) -> None:
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def _reward_f1(policy, points, kept, judged, drawn, removed) -> float:
    """F1 of the relation on the held-out part, of a classifier trained without the removed sentences."""
    if drawn.all():
        return 0.0
    part = np.concatenate(kept)
    truth = np.concatenate([~drawn, np.zeros(len(kept[1]), dtype=bool)])
    judge = LogisticRegression(C=10.0, class_weight="balanced").fit(points[part].numpy(), truth)
    with torch.no_grad():
        stay = (_logits(policy, points[judged[0]], removed) <= 0).numpy()
    gold = np.concatenate([stay, np.zeros(len(judged[1]), dtype=bool)])
    predicted = judge.predict(points[np.concatenate(judged)].numpy())
    return float(f1_score(gold, predicted, zero_division=0))


def _sentence_components(samples: Sequence[RelationSample], width: int = WIDTH, seed: int = 0) -> np.ndarray:
    """(S, K) latent semantic analysis of `features` with entities, rows of unit length; K ≤ `width`.

    >>> texts = ("fire caused panic", "fire in town")
    >>> samples = [RelationSample(text, text, (0, 4), (8, 10), "Other") for text in texts]
    >>> _sentence_components(samples, width=2).shape
    (2, 2)
    """
    counts = TfidfVectorizer(analyzer=lambda sample: list(features(sample, True)), sublinear_tf=True)
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
    flags, gathered = iter(moved), {}
    for bag in bags:
        for sample in bag.samples:
            relation = negative if next(flags) else bag.relations[0]
            gathered.setdefault((bag.head, bag.tail, relation), []).append(sample)
    return [
        Bag(head, tail, (relation,), tuple(samples)) for (head, tail, relation), samples in gathered.items()
    ]


class RlDsre(nn.Module, Model):
    """A classifier, and the policies that clean its training bags.

    One policy for each relation but the negative class, as in the paper: what makes a false positive differs
    between relations, and no reward is shared. Otherwise smaller than the paper's: sentences are
    `_sentence_components` instead of a CNN's vectors, the classifier of the reward is a logistic regression
    instead of a CNN, what was removed is that of the epoch before instead of so far, and each sentence is
    drawn by its own probability instead of a fixed number of them.

    Parameters
    ----------
    model : with `fit`, `predict` and `scores`; its labels have a negative class. seed : of the policies.

    Attributes
    ----------
    moved : after `fit`, relation → how many of its training sentences went to the negative class.

    Raises ValueError if the labels have no negative class.
    """

    def __init__(self, model: Any, seed: int = 0) -> None:
        super().__init__()
        self.model, self.labels, self.seed = model, tuple(model.labels), seed
        self.encoder_name, self.encoder_sha256 = model.encoder_name, model.encoder_sha256
        self.packages, self.precision = (*model.packages, "scikit-learn"), model.precision
        self.negative = find_negative(self.labels)
        if self.negative is None:
            raise ValueError("labels have no negative class to move false positives to")
        self.moved: dict[str, int] = {}

    @classmethod
    def build(
        cls, labels: Sequence[str], seed: int = 0, base: Literal["cnn", "pcnn"] = "pcnn", **given: Any
    ) -> RlDsre:
        """Around a new CNN or PCNN, given what it takes."""
        return cls(_BASES[base].build(labels, seed=seed, **given), seed)

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
        """Clean the bags and train the classifier on them."""
        return self.model.fit(self.clean(samples), *how, **named)

    def predict(self, samples: Inputs, *how: Any, **named: Any) -> np.ndarray:
        """As the classifier."""
        return self.model.predict(samples, *how, **named)

    def scores(self, bags: Inputs, *how: Any, **named: Any) -> np.ndarray:
        """As the classifier."""
        return self.model.scores(bags, *how, **named)
