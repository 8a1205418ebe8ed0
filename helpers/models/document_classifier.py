"""From labelled documents to scores: TF-IDF, a linear technique, the list of labels; saved without pickle.

TF-IDF is scikit-learn's with its defaults: raw counts, log((1 + D)/(1 + df)) + 1, unit length, learned from
the training documents only. Documents that come as features are taken as they are. How a technique trains is
in `linear`, `thresholding`, `cost_sensitive` and `label_tree`; nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers.data.documents import Documents, label_list, label_matrix
from helpers.data.errors import MalformedRecord, unknown_name

from .cost_sensitive import CostSensitive, CostSensitiveMicro
from .label_tree import LabelTree
from .linear import BinaryAndMulticlass, LinearClassifier, OneVsRest
from .linear_files import read_model, write_model
from .thresholding import Thresholding

TECHNIQUES: dict[str, type[LinearClassifier]] = {
    "1vsrest": OneVsRest,
    "thresholding": Thresholding,
    "cost_sensitive": CostSensitive,
    "cost_sensitive_micro": CostSensitiveMicro,
    "binary_and_multiclass": BinaryAndMulticlass,
    "tree": LabelTree,
}
"""LibMultiLabel's names of the linear techniques."""


class DocumentClassifier:
    """A linear technique on documents.

    Parameters
    ----------
    technique : a name of `TECHNIQUES`. options : LIBLINEAR's option string.
    tfidf : settings of `TfidfVectorizer` that differ from its defaults, e.g. {"min_df": 2}; numbers, text,
        lists and truth values only, so that they can be saved.
    parameters : those of the technique, e.g. `random_state`, `n_jobs`, `progress`, `rule`, `degree`.

    Attributes: `labels`, the labels in the order of the columns; `classifier`, the fitted estimator.

    Raises ValueError for an unknown technique, a parameter that it does not have, or an unknown setting of
    TF-IDF.

    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> model = DocumentClassifier("1vsrest", "-s 2").fit(documents)
    >>> model.labels, model.scores(documents).shape
    (('gas', 'grain', 'oil'), (2, 3))
    >>> model.predict(documents)
    [('grain',), ('gas', 'oil')]
    """

    def __init__(
        self,
        technique: str = "1vsrest",
        options: str = "",
        tfidf: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> None:
        if technique not in TECHNIQUES:
            raise unknown_name("technique", technique, TECHNIQUES)
        self.classifier = TECHNIQUES[technique](options)
        known = self.classifier.get_params()
        for name in parameters:
            if name not in known:
                raise unknown_name(f"parameter of technique {technique}", name, known)
        self.classifier.set_params(**parameters)
        self.technique, self.tfidf = technique, _tfidf_settings(tfidf or {})
        self.labels: tuple[str, ...] = ()
        self._vectorizer: TfidfVectorizer | None = None

    def fit(self, documents: Documents, labels: Sequence[str] | None = None) -> DocumentClassifier:
        """Train. `labels` are the columns, in their order; None: the labels of the documents, sorted.

        A label of the list that no document has is learned from negative documents only. Its scores are −∞
        with binary_and_multiclass, and for texts 0 or less with 1vsrest and cost-sensitive training;
        thresholding can predict it all the same. Raises ValueError as the techniques do, for a single label
        (nothing to tell apart), and for texts without a word that TF-IDF counts.
        """
        self.labels, self._vectorizer = (), None  # if this training fails, nothing is left of an earlier one
        names = tuple(labels) if labels is not None else label_list(documents)
        if len(names) < 2:
            raise ValueError(f"labels is {list(names)}: two labels at least are needed")
        targets = label_matrix(documents, names)
        features, vectorizer = documents.features, None
        if documents.texts is not None:
            vectorizer = TfidfVectorizer(**self.tfidf)
            features = vectorizer.fit_transform(documents.texts)
        self.classifier.fit(features, targets)
        self.labels, self._vectorizer = names, vectorizer
        return self

    def scores(self, documents: Documents) -> np.ndarray:
        """(n, L) decision values, in the order of `labels`; those above `threshold` are predicted.

        Features are padded with zeros, or cut, to the width of the training documents. Raises ValueError for
        features after training on texts, or the other way round; `NotFittedError` before training.
        """
        return self.classifier.decision_function(self.features(documents))

    def predict(self, documents: Documents) -> list[tuple[str, ...]]:
        """The labels of each document: those that score above `threshold`, none or several; if every training
        document had one label, the one with the highest score. Raises as `scores` does."""
        found = self.classifier.predict(self.features(documents))
        return [tuple(self.labels[column] for column in np.flatnonzero(row)) for row in found]

    def features(self, documents: Documents) -> sparse.csr_array:
        """(n, d) what the technique sees of these documents."""
        if not self.labels:
            raise NotFittedError("this DocumentClassifier is not trained yet: call fit first")
        if (documents.texts is None) != (self._vectorizer is None):
            there, here = ("texts", "features") if documents.texts is None else ("features", "texts")
            raise ValueError(f"documents come as {here}, but the classifier was trained on {there}")
        if documents.texts is not None:
            return sparse.csr_array(self._vectorizer.transform(documents.texts))
        return _of_width(documents.features, self.classifier.n_features_in_)

    @property
    def threshold(self) -> float:
        """Scores above it mean that a document gets the label: 0, and 0.5 for the tree."""
        return self.classifier.threshold

    @property
    def multiclass(self) -> bool:
        """Whether every training document had one label: then the highest score decides."""
        return self.classifier.multiclass_

    def save(self, path: Path | str) -> None:
        """Write the trained classifier to a safetensors file, whole or not at all.

        Raises `NotFittedError` before training, ValueError for settings that JSON cannot hold.
        """
        if not self.labels:
            raise NotFittedError("this DocumentClassifier is not trained yet: there is nothing to save")
        settings = {"technique": self.technique, "labels": self.labels, "tfidf": self.tfidf}
        arrays = {}
        if self._vectorizer is not None:
            settings["words"] = self._vectorizer.get_feature_names_out().tolist()
            if self._vectorizer.use_idf:
                arrays["idf"] = self._vectorizer.idf_
        write_model(path, self.classifier, settings, arrays)

    @classmethod
    def load(cls, path: Path | str) -> DocumentClassifier:
        """Read what `save` wrote; nothing in the file is executed.

        Raises
        ------
        MalformedRecord : no safetensors file, or one that `save` did not write. OSError : as the file system
            does.
        """
        settings, arrays, restore = read_model(path)
        try:
            model = cls(settings["technique"], settings["parameters"].pop("options"), settings["tfidf"])
            model.labels = tuple(settings["labels"])
            if "words" in settings:
                model._vectorizer = _restored_vectorizer(model.tfidf, settings["words"], arrays.get("idf"))
            restore(model.classifier)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise MalformedRecord(path, f"its settings and arrays do not fit together ({error})") from None
        return model


def _tfidf_settings(tfidf: Mapping[str, Any]) -> dict[str, Any]:
    """As `TfidfVectorizer` takes them, or ValueError for a name that it does not know."""
    known = TfidfVectorizer().get_params()
    for name in tfidf:
        if name not in known:
            raise unknown_name("setting of tfidf", name, known)
    ranges = {name: tuple(tfidf[name]) for name in ("ngram_range",) if name in tfidf}  # JSON has lists only
    return dict(tfidf) | ranges


def _restored_vectorizer(
    tfidf: Mapping[str, Any], words: list[str], idf: np.ndarray | None
) -> TfidfVectorizer:
    vectorizer = TfidfVectorizer(**{**tfidf, "vocabulary": words})
    if vectorizer.use_idf:
        vectorizer.idf_ = idf
        return vectorizer
    return vectorizer.fit([""])  # there is nothing to learn, but scikit-learn wants it called


def _of_width(features: sparse.csr_array, width: int) -> sparse.csr_array:
    """Columns after `width` are cut, missing ones are zeros."""
    if features.shape[1] >= width:
        return features[:, :width]
    return sparse.csr_array((features.data, features.indices, features.indptr), (features.shape[0], width))
