"""Reference points without a pretrained encoder: the majority, TF-IDF with a linear model; also of bags.

Their settings are fixed here and were not searched. None has any randomness: one run is all there is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from ..data import Bag, RelationSample, render
from .base import History, Model, as_bags, bag_targets

_ngrams = CountVectorizer(token_pattern=r"\w+|[^\w\s]", ngram_range=(1, 3)).build_analyzer()
_MARKERS = (" e1_ ", " _e1 ", " e2_ ", " _e2 ")
Inputs = Sequence[Bag | RelationSample]


class Majority(Model):
    """The same for every bag: the share of each relation among the training bags, most of all the majority's.

    Takes bags, and samples as bags of one; a prediction is the label with the highest score, of several the
    first.

    >>> model = Majority(("Other", "Cause-Effect(e1,e2)"))
    >>> sample = RelationSample("1", "fire in town", (0, 4), (8, 12), "Other")
    >>> model.fit([sample]).examples, model.scores([sample]).tolist(), model.predict([sample]).tolist()
    (1, [[1.0, 0.0]], [0])
    """

    packages = ("numpy", "scipy", "scikit-learn")

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._estimator: Any = DummyClassifier(strategy="prior")

    def fit(self, samples: Inputs, *_: Any, **__: Any) -> History:
        """Train on samples, or bags with one relation each. Raises ValueError as `bag_targets`."""
        bags, start = as_bags(samples), time.perf_counter()
        targets = bag_targets(bags, self.labels)
        if len(set(targets)) == 1:  # nothing to tell apart
            self._estimator = DummyClassifier()
        self._estimator.fit(bags, targets)
        return History(seconds=time.perf_counter() - start, examples=len(bags))

    def scores(self, bags: Inputs, *_: Any, **__: Any) -> np.ndarray:
        """The probability of each label for each bag, (B, L); 0 for one that no training bag has.

        Raises `NotFittedError` of scikit-learn before `fit`.
        """
        scores = np.zeros((len(bags), len(self.labels)))
        if len(bags):
            scores[:, self._estimator.classes_] = self._estimator.predict_proba(as_bags(bags))
        return scores

    def predict(self, samples: Inputs, *_: Any, **__: Any) -> np.ndarray:
        """The label ids with the highest scores, (B,)."""
        return self.scores(samples).argmax(axis=1)


class TfidfBag(Majority):
    """What a bag's words alone say: TF-IDF of its joined sentences, one to three words, logarithmic counts,
    unit length, then scikit-learn's `LogisticRegression`, C 10, all relations at once. The reference point of
    every model of bags.

    markers : whether `features` sees the two entities.

    >>> samples = [RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)"),
    ...            RelationSample("2", "fire in town", (0, 4), (8, 12), "Other")]
    >>> model = TfidfBag(("Other", "Cause-Effect(e1,e2)"))
    >>> model.fit(samples).examples, model.predict(samples).tolist(), model.scores(samples).shape
    (2, [1, 0], (2, 2))
    """

    def __init__(self, labels: Sequence[str], markers: bool = False) -> None:
        super().__init__(labels)

        def words(bag: Bag) -> list[str]:
            return [feature for sample in bag.samples for feature in features(sample, markers)]

        self._estimator = make_pipeline(TfidfVectorizer(analyzer=words, sublinear_tf=True), self._linear())

    def _linear(self) -> Any:
        return LogisticRegression(C=10.0, max_iter=1000)


class LinearSvm(TfidfBag):
    """As `TfidfBag` on single sentences, with scikit-learn's `LinearSVC`, C 1, one class against the rest, in
    the place of the regression; in its primal form nothing is drawn at random.

    >>> samples = [RelationSample(text, text, (0, 1), (2, 3), text[2]) for text in ("a b", "a c")]
    >>> model = LinearSvm(("b", "c", "d"))
    >>> _ = model.fit(samples)
    >>> model.scores(samples).argsort(axis=1).tolist()
    [[2, 1, 0], [2, 0, 1]]
    """

    def _linear(self) -> Any:
        return LinearSVC(C=1.0, loss="squared_hinge", dual=False, tol=1e-4, max_iter=1000)

    def scores(self, bags: Inputs, *_: Any, **__: Any) -> np.ndarray:
        """The margin of each label, (samples, labels), no probability; that of a label that no training
        sample has is below all others."""
        if not len(bags) or not hasattr(self._estimator, "decision_function"):
            return super().scores(bags)
        margins = self._estimator.decision_function(as_bags(bags))
        if margins.ndim == 1:  # of two labels scikit-learn gives the margin of the second
            margins = np.stack([-margins, margins], axis=1)
        scores = np.full((len(bags), len(self.labels)), margins.min() - 1)
        scores[:, self._estimator.classes_] = margins
        return scores


def features(sample: RelationSample, markers: bool) -> list[str]:
    """The features of a sentence, in lower case; a punctuation mark is a word.

    Without markers: its word n-grams, so a sentence and its paired one look the same. With markers: the
    n-grams of the sentence with the four markers as words, and those of its five pieces, each with the name
    of its piece: `before`, `e1`, `e2`, `after`, and `e1..e2` or `e2..e1` for what stands between; that name
    says which entity comes first.

    >>> sample = RelationSample("1", "A fire caused panic.", (14, 19), (2, 6), "Cause-Effect(e2,e1)")
    >>> features(sample, False)[:7]
    ['a', 'fire', 'caused', 'panic', '.', 'a fire', 'fire caused']
    >>> [feature for feature in features(sample, True) if "=" in feature]
    ['before=a', 'e2=fire', 'e2..e1=caused', 'e1=panic', 'after=.']
    """
    if not markers:
        return _ngrams(sample.text)
    (start, end, first), (again, last, second) = sorted((sample.head + ("e1",), sample.tail + ("e2",)))
    pieces = {
        "before": (0, start),
        first: (start, end),
        f"{first}..{second}": (end, again),
        second: (again, last),
        "after": (max(end, last), len(sample.text)),
    }
    grams = [(name, _ngrams(sample.text[slice(*span)])) for name, span in pieces.items()]
    named = [f"{name}={gram}" for name, own in grams for gram in own]
    return [*_ngrams(render(sample, _MARKERS)), *named]
