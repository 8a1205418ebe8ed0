"""From labelled documents to scores: TF-IDF, a linear technique, the list of labels; saved without pickle.

TF-IDF is scikit-learn's with its defaults: raw counts, log((1 + D)/(1 + df)) + 1, unit length, learned from
the training documents only. Documents that come as features are taken as they are. A trained classifier is a
safetensors file: arrays, and one JSON text with the settings, the labels and the words of TF-IDF.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from ...core import MalformedRecord, atomic_writer, check_known, read_file, shown, visible
from ...data import Documents
from .base import BinaryAndMulticlass, LabelTree, LinearClassifier, Node, OneVsRest
from .tuning import CostSensitive, CostSensitiveMicro, Thresholding

FORMAT = "beyond-micro-f1 linear classifier 1"
_NAMES = """
analyzer binary lowercase max_df max_features min_df ngram_range norm smooth_idf stop_words strip_accents
sublinear_tf use_idf vocabulary
"""
_TFIDF_SETTINGS = frozenset(_NAMES.split())
"""What a saved classifier may set: numbers and words. `input`, for one, would open files that texts name, and
a `token_pattern` can take longer than a life on a short text."""
_ARRAYS = ("weights_", "bias_weights_", "thresholds_", "costs_", "classes_")


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is no number, text, list or truth value")


def _of_shape(arrays: Mapping[str, np.ndarray], name: str, *shape: int) -> np.ndarray:
    if arrays[name].shape != shape:
        raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    return arrays[name]


def _tree(arrays: Mapping[str, np.ndarray], children: list[int], width: int, labels: int) -> Node:
    """The root of the tree whose nodes were written parents first; ValueError if they make no tree."""
    if sum(children) != len(children) - 1:
        raise ValueError(f"{len(children)} nodes with {sum(children)} children in all make no tree")
    places = iter(range(len(children)))

    def next_node() -> Node:
        number = next(places)
        node = Node(arrays[f"node-{number}-labels"])
        if not (node.labels < labels).all() or not (node.labels >= 0).all():
            raise ValueError(f"node {number} has labels that are not in the list")
        columns = children[number] or len(node.labels)
        node.bias = _of_shape(arrays, f"node-{number}-bias", columns)
        parts = tuple(arrays[f"node-{number}-{name}"] for name in ("data", "indices", "indptr"))
        node.weights = sparse.csr_array(parts, shape=(width, columns))
        node.weights.check_format(full_check=True)  # a place outside would be read without a check
        node.children = [next_node() for _ in range(children[number])]
        return node

    return next_node()


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
    tfidf : settings of `TfidfVectorizer` that differ from its defaults, e.g. {"min_df": 2}; `_TFIDF_SETTINGS`
        with numbers, text, lists and truth values can be saved.
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
        _check_names("technique", [technique], TECHNIQUES)
        self.classifier = TECHNIQUES[technique](options)
        _check_names(f"parameter of technique {technique}", parameters, self.classifier.get_params())
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
        names = tuple(labels) if labels is not None else documents.label_list()
        if len(names) < 2:
            raise ValueError(f"labels is {list(names)}: two labels at least are needed")
        targets = documents.label_matrix(names)
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
        predicted = self.classifier.predict(self.features(documents))
        return [tuple(self.labels[column] for column in np.flatnonzero(row)) for row in predicted]

    def features(self, documents: Documents) -> sparse.csr_array:
        """(n, d) what the technique sees of these documents."""
        if not self.labels:
            raise NotFittedError("this DocumentClassifier is not trained yet: call fit first")
        if (documents.texts is None) != (self._vectorizer is None):
            there, here = ("texts", "features") if documents.texts is None else ("features", "texts")
            raise ValueError(f"documents come as {here}, but the classifier was trained on {there}")
        if documents.texts is not None:
            return sparse.csr_array(self._vectorizer.transform(documents.texts))
        table = sparse.csr_array(documents.features, copy=True)
        table.resize(table.shape[0], self.classifier.n_features_in_)
        return table

    @property
    def threshold(self) -> float:
        """Scores above it mean that a document gets the label: 0, and 0.5 for the tree."""
        return self.classifier.threshold

    @property
    def multiclass(self) -> bool:
        """Whether every training document had one label: then the highest score decides."""
        return self.classifier.multiclass_

    def save(self, path: Path | str) -> None:
        """Write the trained classifier to a safetensors file, atomically.

        Raises `NotFittedError` before training; ValueError for settings that JSON cannot hold, such as a
        generator as `random_state`, for settings that are none of `_TFIDF_SETTINGS`, and for a path that ends
        in .gz: the file is not compressed.

        >>> import tempfile
        >>> documents = Documents(["1", "2"], [["grain"], ["oil"]], ["wheat and corn", "oil"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     DocumentClassifier(options="-s 2").fit(documents).save(Path(folder, "m"))
        ...     DocumentClassifier.load(Path(folder, "m")).predict(documents)
        [('grain',), ('oil',)]
        """
        if not self.labels:
            raise NotFittedError("this DocumentClassifier is not trained yet: there is nothing to save")
        if Path(path).suffix.lower() == ".gz":
            raise ValueError(f"path is {str(path)!r}: a model is not compressed")
        made = self.classifier
        facts = {"format": FORMAT, "technique": self.technique, "labels": self.labels, "tfidf": self.tfidf}
        arrays = {name: getattr(made, name) for name in _ARRAYS if hasattr(made, name)}
        if self._vectorizer is not None:
            facts["words"] = self._vectorizer.get_feature_names_out().tolist()
            if self._vectorizer.use_idf:
                arrays["idf"] = self._vectorizer.idf_
        facts |= {"parameters": made.get_params(), "multiclass": made.multiclass_}
        facts["width"] = made.n_features_in_
        if isinstance(made, LabelTree):
            nodes = list(made.root_.walk())
            facts["children"] = [len(node.children) for node in nodes]
            for number, node in enumerate(nodes):
                named = {"labels": node.labels, "bias": node.bias}
                named |= {name: getattr(node.weights, name) for name in ("data", "indices", "indptr")}
                arrays |= {f"node-{number}-{name}": array for name, array in named.items()}
        arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        try:
            settings = json.dumps(facts, default=_plain)
            _check_facts(json.loads(settings))
            content = save(arrays, {"settings": settings})
        except (TypeError, ValueError, SafetensorError) as error:  # safetensors holds 100 MB of settings
            raise ValueError(f"these settings cannot be saved: {error}") from None
        with atomic_writer(path) as stream:
            stream.write(content)

    @classmethod
    def load(cls, path: Path | str) -> DocumentClassifier:
        """Read what `save` wrote. The file may come from anybody: it holds numbers, words and a few settings.

        Raises
        ------
        MalformedRecord : no safetensors file, one that is cut off, or one that `save` did not write.
        OSError : as the file system does.
        """
        content = read_file(path)
        try:
            arrays = load(content)
            length = int.from_bytes(content[:8], "little")
            facts = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["settings"])
            if facts["format"] != FORMAT:
                raise ValueError(f"its format is {facts['format']!r}")
        except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
            reason = f"not a linear classifier saved by this package ({visible(str(error), 200)})"
            raise MalformedRecord(path, reason) from None
        try:
            return cls._restored(facts, arrays)
        except Exception as error:  # whatever the settings of a file that `save` did not write lead to
            reason = f"its settings and arrays do not fit together ({visible(str(error), 200)})"
            raise MalformedRecord(path, reason) from None

    @classmethod
    def _restored(cls, facts: dict[str, Any], arrays: dict[str, np.ndarray]) -> DocumentClassifier:
        _check_facts(facts)
        model = cls(facts["technique"], facts["parameters"].pop("options"), facts["tfidf"])
        model.labels = tuple(facts["labels"])
        if "words" in facts:
            vectorizer = TfidfVectorizer(**{**model.tfidf, "vocabulary": facts["words"]})
            if vectorizer.use_idf:
                vectorizer.idf_ = arrays.get("idf")
            else:
                vectorizer.fit([""])  # there is nothing to learn, but scikit-learn wants it called
            model._vectorizer = vectorizer
        made, width, labels = model.classifier, facts["width"], len(facts["labels"])
        given = facts["parameters"].items()
        made.set_params(**{name: tuple(value) if isinstance(value, list) else value for name, value in given})
        made.multiclass_, made.n_features_in_, made._is_matrix = facts["multiclass"], width, True
        learned = ["classes_", "thresholds_", *(["costs_"] if isinstance(made, CostSensitive) else [])]
        if isinstance(made, LabelTree):
            made.root_ = _tree(arrays, facts["children"], width, labels)
        else:
            learned.append("bias_weights_")
            made.weights_ = _of_shape(arrays, "weights_", width, labels)
        for name in learned:
            setattr(made, name, _of_shape(arrays, name, labels))
        return model


def _check_names(what: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        check_known(what, name, known)


def _tfidf_settings(tfidf: Mapping[str, Any]) -> dict[str, Any]:
    """As `TfidfVectorizer` takes them, or ValueError for a name that it does not know."""
    known = [name for name in TfidfVectorizer().get_params() if name not in ("input", "encoding")]
    _check_names("setting of tfidf", tfidf, known)
    ranges = {name: tuple(tfidf[name]) for name in ("ngram_range",) if isinstance(tfidf.get(name), list)}
    settings = dict(tfidf) | ranges  # JSON has lists only
    try:  # scikit-learn looks at them when it is given texts; with a vocabulary it learns nothing from these
        with np.errstate(divide="ignore"), warnings.catch_warnings():
            warnings.filterwarnings("error", "Only .*dtype")  # else another one is taken in its place
            TfidfVectorizer(**{"vocabulary": ["a"]} | settings).fit(["a"])
    except (ValueError, TypeError, re.error, UserWarning) as error:
        raise ValueError(f"tfidf: {visible(' '.join(str(error).split()), 240)}") from None
    return settings


def _check_facts(facts: Mapping[str, Any]) -> None:
    """ValueError for settings of other types than `save` writes."""
    _check_names("setting of tfidf in a file", facts["tfidf"], sorted(_TFIDF_SETTINGS))
    for name in ("labels", "words"):
        if not all(isinstance(text, str) for text in facts.get(name, [])):
            raise ValueError(f"{name} holds something that is no text")
    if len(set(facts["labels"])) != len(facts["labels"]):
        raise ValueError("labels holds a label twice")
    for name, value in facts["parameters"].items():
        for part in value if name == "c_factors" and isinstance(value, list) else [value]:
            if not isinstance(part, int | str | float | None) or (isinstance(part, int) and abs(part) >> 32):
                raise ValueError(f"parameter {shown(name)} is {shown(value)}")
