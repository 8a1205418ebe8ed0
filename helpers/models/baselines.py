"""Reference points without a pretrained encoder: the majority class, and TF-IDF with a linear SVM.

Their settings are fixed here and were not searched. Neither has any randomness: one run is all there is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.svm import LinearSVC

from helpers.core import unknown_name
from helpers.data import RelationSample, render

BASELINES = {"majority": (), "svm": ("markers",)}
"""Name → its options."""
LONGEST = 3
"""N-grams have one to three words."""
SVM = {"C": 1.0, "loss": "squared_hinge", "dual": False, "tol": 1e-4, "max_iter": 1000}
"""scikit-learn's `LinearSVC`, one class against the rest; in the primal form nothing is drawn at random."""
_WORD = re.compile(r"\w+|[^\w\s]")
_MARKERS = (" e1_ ", " _e1 ", " e2_ ", " _e2 ")


class Baseline:
    """A classifier of samples that reads their words only.

    Parameters
    ----------
    name : 'majority': the most frequent relation of the training samples, of several the one that comes first
        in the alphabet. 'svm': TF-IDF of `features`, logarithmic counts, unit length, then `SVM`.
    labels : the relations; a prediction is a position in this tuple.
    markers : of 'svm': whether `features` sees the two entities.

    Raises ValueError for an unknown name or option, and for `markers` that is not True or False.

    >>> samples = [RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)"),
    ...            RelationSample("2", "fire in town", (0, 4), (8, 12), "Other")]
    >>> baseline = Baseline("svm", ("Other", "Cause-Effect(e1,e2)"))
    >>> baseline.fit(samples)
    >>> baseline.predict(samples).tolist()
    [1, 0]
    """

    def __init__(self, name: str, labels: Sequence[str], **options: object) -> None:
        if name not in BASELINES:
            raise unknown_name("baseline", name, BASELINES)
        for option in options.keys() - set(BASELINES[name]):
            known = ", ".join(BASELINES[name]) or "none"
            raise ValueError(f"model {name}: unknown option {option!r}; known: {known}")
        self.markers = options.get("markers", False)
        if not isinstance(self.markers, bool):
            raise ValueError(f"model {name}: markers is {self.markers!r}; it is true or false")
        self.name, self.labels = name, tuple(labels)
        self._pipeline = _svm(self.markers) if name == "svm" else DummyClassifier(strategy="most_frequent")

    def fit(self, samples: Sequence[RelationSample]) -> None:
        """Train. Raises ValueError if there are no samples, or a relation is none of the labels."""
        if not samples:
            raise ValueError("samples is empty: there is nothing to train on")
        for sample in samples:
            if sample.relation not in self.labels:
                raise ValueError(f"sample {sample.id}: relation {sample.relation!r} is not in labels")
        self._pipeline.fit(samples, [sample.relation for sample in samples])

    def predict(self, samples: Sequence[RelationSample]) -> np.ndarray:
        """The predicted label ids, shape (samples,). Raises `NotFittedError` of scikit-learn before `fit`."""
        if not samples:
            return np.empty(0, dtype=np.int64)
        ids = {label: position for position, label in enumerate(self.labels)}
        return np.array([ids[label] for label in self._pipeline.predict(samples)])

    def summary(self) -> dict[str, object]:
        """The settings, for the run file."""
        if self.name == "majority":
            return {}
        tfidf = {"ngrams": [1, LONGEST], "sublinear_tf": True}
        return {"markers": self.markers} | tfidf | SVM


def _svm(markers: bool) -> Pipeline:
    def analyzer(sample: RelationSample) -> list[str]:
        return list(features(sample, markers))

    return make_pipeline(TfidfVectorizer(analyzer=analyzer, sublinear_tf=True), LinearSVC(**SVM))


def features(sample: RelationSample, markers: bool) -> Iterator[str]:
    """The features of a sentence, in lower case; a punctuation mark is a word.

    Without markers: its word n-grams, so a sentence and its paired one look the same. With markers: the
    n-grams of the sentence with the four markers as words, and those of its five pieces, each with the name
    of its piece: `before`, `e1`, `e2`, `after`, and `e1..e2` or `e2..e1` for what stands between; that name
    says which entity comes first.

    >>> sample = RelationSample("1", "A fire caused panic.", (14, 19), (2, 6), "Cause-Effect(e2,e1)")
    >>> list(features(sample, False))[:7]
    ['a', 'fire', 'caused', 'panic', '.', 'a fire', 'fire caused']
    >>> [one for one in features(sample, True) if "=" in one]
    ['before=a', 'e2=fire', 'e2..e1=caused', 'e1=panic', 'after=.']
    """
    if not markers:
        yield from _ngrams(sample.text)
        return
    yield from _ngrams(render(sample, _MARKERS))
    entities = sorted((sample.head + ("e1",), sample.tail + ("e2",)))
    (start, end, first), (again, last, second) = entities
    pieces = {
        "before": (0, start),
        first: (start, end),
        f"{first}..{second}": (end, again),
        second: (again, last),
        "after": (max(end, last), len(sample.text)),
    }
    for name, span in pieces.items():
        yield from (f"{name}={gram}" for gram in _ngrams(sample.text[slice(*span)]))


def _ngrams(text: str) -> Iterator[str]:
    words = _WORD.findall(text.lower())
    for length in range(1, LONGEST + 1):
        for start in range(len(words) - length + 1):
            yield " ".join(words[start : start + length])
