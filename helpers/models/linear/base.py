"""Linear classifiers of documents with several labels, as scikit-learn estimators.

Every technique ends in one weight vector and one threshold a label; the decision value of a label is
x·w + threshold, and a document gets the labels with values above 0, or the one with the highest value where
every training document had exactly one. Source: LibMultiLabel implementation document 2024, linear methods.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any

import numpy as np
from joblib import cpu_count
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import LabelBinarizer, normalize
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, check_is_fitted, column_or_1d, validate_data
from tqdm import tqdm

from ...metrics import as_label_matrix
from .liblinear import LabelProblems, Options, parse_options

ALONE = 50_000
"""Decision values below which a further thread would cost more than it saves."""
parameters = dataclass(eq=False, repr=False)
"""A technique's parameters are the fields of its class and of its base, as scikit-learn reads them."""


@parameters
class LinearClassifier(ClassifierMixin, BaseEstimator):
    """The base of the techniques: targets, decision values, predictions.

    A technique gives `_solve`, which keeps the weights of its problems and may set `thresholds_`.

    Parameters
    ----------
    options : LIBLINEAR's option string, e.g. '-s 1 -B 1 -e 0.0001'; see `liblinear.parse_options`.
    n_jobs : processes; None: as `-m` says, else as many as there are cores. The result does not depend on it.
    progress : whether to show a progress bar over the labels, on standard error.

    Attributes
    ----------
    classes_ : the labels: the positions 0 … L − 1 of a 0/1 matrix, else the values of y.
    weights_ : (d, L), bias_weights_ and thresholds_ : (L,), all float64; L is 1 for two classes that y named.
    multiclass_ : whether every training document had exactly one label.
    """

    options: str = ""
    n_jobs: int | None = None
    progress: bool = False

    threshold = 0.0
    """Decision values above it mean that a document gets the label."""
    version = 1
    """Of a technique: raised by hand when its numbers change; see `ModelEntry.version`."""

    def fit(self, X: Any, y: Any) -> LinearClassifier:
        """Train on X (n, d), sparse or dense, and y: a 0/1 matrix (n, L), sparse or dense, or n classes.

        Raises
        ------
        ValueError : lengths that differ, NaN, a matrix with other values than 0 and 1; options as in
            `parse_options`, n_jobs that is no number of processes.
        MemoryError : the weights would not fit into the memory of this machine.

        >>> X, y = np.eye(3), np.array([[1, 0], [1, 1], [0, 1]])
        >>> OneVsRest("-s 2").fit(X, y).predict(X).tolist()
        [[1, 0], [1, 1], [0, 1]]
        """
        options = parse_options(self.options)
        jobs = self.n_jobs
        if jobs is not None and (isinstance(jobs, bool) or not isinstance(jobs, Integral) or jobs < 1):
            raise ValueError(f"n_jobs is {jobs!r}: give 1 process or more, or None for all cores")
        if y is None:
            raise ValueError("This classifier requires y to be passed, but the target y is None")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        targets = self._targets(y)
        if targets.shape[0] != X.shape[0]:
            raise ValueError(f"X has {X.shape[0]} rows, but y has {targets.shape[0]}")
        self._train(X, targets, options)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """(n, L) decision values, or (n,) for two classes that y named.

        >>> OneVsRest("-s 2").fit(np.eye(2), [[1, 0], [0, 1]]).decision_function(np.eye(2)).round(2).tolist()
        [[0.67, -0.67], [-0.67, 0.67]]
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        values = self._values(X)
        return values if self._is_matrix or len(self.classes_) > 2 else values[:, -1]

    def predict(self, X: Any) -> np.ndarray:
        """(n, L) 0/1 after training on a matrix, (n,) classes otherwise."""
        values = self.decision_function(X)
        if values.ndim == 1:
            return self.classes_[(values > 0).astype(int)]
        if not self.multiclass_:
            return (values > self.threshold).astype(int)
        best = values.argmax(axis=1)
        return (self.classes_ == best[:, None]).astype(int) if self._is_matrix else self.classes_[best]

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn may expect: sparse input and label sets are fine."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        _check_memory(X.shape[1], targets.shape[1])
        title = type(self).__name__ if self.progress else None
        problems = LabelProblems(X, targets, options, self.n_jobs, title)
        self.thresholds_ = np.zeros(problems.count)
        self._solve(problems)
        table = np.ascontiguousarray(problems.weights.T)  # a sparse document times this reads whole rows
        self.weights_, self.bias_weights_ = problems.without_bias(table)

    def _solve(self, problems: LabelProblems) -> None:
        raise NotImplementedError

    def _values(self, X: sparse.csr_array | np.ndarray) -> np.ndarray:
        values = np.empty((X.shape[0], self.weights_.shape[1]))
        jobs = min(self.n_jobs or cpu_count(), X.shape[0] * values.shape[1] // ALONE + 1)
        bounds = [X.shape[0] * part // jobs for part in range(jobs + 1)]

        def fill(start: int, end: int) -> None:
            np.add(X[start:end] @ self.weights_, self.bias_weights_ + self.thresholds_, out=values[start:end])

        with ThreadPoolExecutor(jobs) as pool:  # a product holds no lock of Python's
            list(pool.map(fill, bounds[:-1], bounds[1:]))
        return values

    def _targets(self, y: Any) -> sparse.csc_array:
        """(n, L) 0/1; sets `classes_`, `multiclass_` and whether y was a matrix."""
        try:
            y = y if sparse.issparse(y) else np.asarray(y)
        except ValueError:
            raise ValueError(
                "y has rows of unequal length: give a 0/1 matrix with a column a label"
            ) from None
        self._is_matrix = y.ndim == 2 and y.shape[1] > 1
        if self._is_matrix:
            if y.dtype == object:  # Python's own numbers, as data frames give them
                with suppress(TypeError, ValueError):  # what is no number is refused below
                    y = y.astype(np.float64)
            targets = sparse.csc_array(as_label_matrix(y, "y"), dtype=np.float64)
            self.classes_ = np.arange(targets.shape[1])
        else:
            targets, self.classes_ = _of_classes(y.toarray() if sparse.issparse(y) else y)
        each = targets.sum(axis=1)
        self.multiclass_ = bool(targets.shape[1] > 1 and (each == 1).all())
        return targets


def _of_classes(y: np.ndarray) -> tuple[sparse.csc_array, np.ndarray]:
    """A column for each class, of two classes for the second; and the classes."""
    y = column_or_1d(y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    binarizer = LabelBinarizer(sparse_output=True)
    targets = sparse.csc_array(binarizer.fit_transform(y), dtype=np.float64)
    targets.eliminate_zeros()
    if len(binarizer.classes_) < 2:
        only = binarizer.classes_.tolist()[0]
        raise ValueError(f"y has one class, {only!r}: a classifier needs two at least")
    return targets, binarizer.classes_


def _check_memory(width: int, labels: int) -> None:
    """Dense weights take 8·d·L bytes, twice that while they are put in order."""
    needed, there = 16 * (width + 1) * labels, _memory()
    if there is not None and needed > there:
        raise MemoryError(
            f"the weights of {labels} labels on {width} features take {needed / 2**30:.1f} GiB, "
            f"this machine has {there / 2**30:.1f}; technique tree keeps only those that are not 0"
        )


def _memory() -> int | None:
    """Bytes of memory of this machine; None where it cannot be asked."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


class OneVsRest(LinearClassifier):
    """One binary problem a label: the documents that have it against all the others.

    min_w ½ wᵀw + C Σ_i ξ(y_i wᵀx_i), y_i = ±1, for each label. L problems, 8·d·L bytes of weights.

    >>> X = sparse.csr_array([[1, 0, 0.5], [0, 1, 0.2], [0.2, 0.1, 1]])
    >>> model = OneVsRest("-s 2 -B 1 -e 1e-6").fit(X, np.array([[1, 0], [0, 1], [0, 1]]))
    >>> model.weights_.shape, model.multiclass_
    ((3, 2), True)
    """

    def _solve(self, problems: LabelProblems) -> None:
        list(problems.each(problems.keep, range(problems.count)))


class BinaryAndMulticlass(LinearClassifier):
    """LIBLINEAR's own multi-class training, for documents with exactly one label each.

    Solver 4 (Crammer and Singer) trains all labels as one problem, the others train one-vs-rest. For two
    labels and another solver than 4 there is one weight vector; the second label has its negative. A label
    that no training document has gets the threshold −∞: it is never predicted.

    Raises ValueError for a document with no label or with several, naming its row.

    >>> BinaryAndMulticlass("-s 4").fit(np.eye(3), ["a", "b", "c"]).predict(np.eye(3)).tolist()
    ['a', 'b', 'c']
    """

    def _solve(self, problems: LabelProblems) -> None:
        each, count = problems.targets.sum(axis=1), len(self.classes_)
        single = problems.count == 1  # of two classes that y named
        if not single and (each != 1).any():
            row = int((each != 1).argmax())
            needed = "this technique needs exactly one a document"
            raise ValueError(f"y[{row}] has {int(each[row])} labels; {needed}")
        classes = problems.targets.toarray()[:, 0] if single else problems.targets.tocsr().indices
        weights, present = problems.train_classes(classes)
        if weights.shape[1] == 1:
            weights = np.hstack([weights, -weights])
        table, thresholds = np.zeros((count, problems.width)), np.full(count, -np.inf)
        table[present], thresholds[present] = weights[:, : len(present)].T, 0.0
        problems.weights[:], self.thresholds_ = table[-problems.count :], thresholds[-problems.count :]
        self.multiclass_ = True

    def __sklearn_tags__(self) -> Any:
        """Label sets are refused."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        return tags


@dataclass
class Node:
    """A node of the tree: the labels below it, and its children; a leaf has none.

    `weights`, sparse (d, children or labels), and `bias`, one a column, are those of its classifier.

    >>> root = Node(np.array([0, 1]), [Node(np.array([1])), Node(np.array([0]))])
    >>> [node.labels.tolist() for node in root.walk()]
    [[0, 1], [1], [0]]
    """

    labels: np.ndarray
    children: list[Node] = field(default_factory=list)
    weights: sparse.csr_array | None = None
    bias: np.ndarray | None = None

    def walk(self) -> Iterator[Node]:
        """This node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def follow(self, X: sparse.csr_array, scores: np.ndarray) -> np.ndarray:
        """(n, children or labels) scores −Σ max(0, 1 − f)² along the path, from those (n,) up to here; −∞ for
        documents that did not come here, whose score is −∞."""
        came = scores > -np.inf
        values = (X[came] @ self.weights).toarray() + self.bias
        followed = np.full((len(scores), values.shape[1]), -np.inf)
        followed[came] = scores[came, None] - np.square(np.maximum(0.0, 1.0 - values))
        return followed

    def targets(self, y: sparse.csc_array) -> sparse.csc_array:
        """(n, children or labels) 0/1: which documents have a label of each child, at a leaf each label."""
        if not self.children:
            return y[:, self.labels]
        return sparse.csc_array(np.stack([_any(y[:, child.labels]) for child in self.children], axis=1))


@parameters
class LabelTree(LinearClassifier):
    """One-vs-rest along a tree of label clusters, for label sets too large for one-vs-rest alone.

    A label is represented by the sum of its documents, at unit length. K-means splits the labels into K
    clusters, again and again, until a cluster holds at most K labels. Each node is a one-vs-rest problem:
    which of its clusters (at a leaf: which of its labels) does a document have? Prediction is a beam search.
    Sources: Khandagale et al. 2020, Bonsai; LibMultiLabel implementation document 2024.

    Parameters
    ----------
    options, n_jobs, progress : as in `LinearClassifier`.
    degree : K, the most children of a node. depth : the most levels of clusters. beam : nodes that a document
        follows on each level.
    random_state : of K-means: None, a number or a `numpy.random.RandomState`.

    A label's score is exp(−Σ max(0, 1 − f)²) over the decision values f on its path, in (0, 1]; a label whose
    path was not followed has 0. `predict` takes the labels above 0.5 (LibMultiLabel takes all above 0, so all
    that were reached). The root is trained on all documents, also on those without labels; the other nodes
    on the documents that have a label below them, and where there are none the weights are 0. Only weights
    that are not 0 are kept.

    Raises ValueError for a degree below 2, a beam below 1, a negative depth, and a y of classes.

    >>> y = np.tile(np.eye(6, dtype=int), (2, 1)) | np.eye(6, k=1, dtype=int)[[0, 1, 2, 3, 4, 5] * 2]
    >>> tree = LabelTree("-s 2", degree=2, random_state=0).fit(y.astype(float), y)
    >>> tree.decision_function(y.astype(float)).shape, len(list(tree.root_.walk())) > 3
    ((12, 6), True)
    """

    degree: int = 100
    depth: int = 10
    beam: int = 10
    random_state: Any = None

    threshold = 0.5

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        if not self._is_matrix:
            raise ValueError("y holds classes; a tree needs a 0/1 matrix with a column a label, two at least")
        for name, least in (("degree", 2), ("beam", 1), ("depth", 0)):
            value = getattr(self, name)
            if not (isinstance(value, Integral) and value >= least):
                raise ValueError(f"{name} is {value!r}; a whole number, {least} or more, is needed")
        X = sparse.csr_array(X)
        random = check_random_state(self.random_state)
        represented = normalize(sparse.csr_array(targets.T @ X))
        # K-means takes places of 32 bits only
        represented.indices, represented.indptr = sparse.safely_cast_index_arrays(represented)
        self.root_ = self._grown(represented, np.arange(targets.shape[1]), 0, random)
        self.thresholds_ = np.zeros(targets.shape[1])
        nodes = list(self.root_.walk())
        for node in tqdm(nodes, desc="LabelTree", disable=not self.progress, leave=False):
            self._train_node(node, X, targets, options)

    def _grown(
        self, represented: sparse.csr_array, labels: np.ndarray, depth: int, random: np.random.RandomState
    ) -> Node:
        if depth >= self.depth or len(labels) <= self.degree:
            return Node(labels)
        means = KMeans(self.degree, n_init=1, algorithm="elkan", random_state=random.randint(2**31 - 1))
        with warnings.catch_warnings():
            # of fewer different labels than clusters, which is seen to
            warnings.simplefilter("ignore", ConvergenceWarning)
            clusters = means.fit_predict(represented)
        parts = [np.flatnonzero(clusters == cluster) for cluster in np.unique(clusters)]
        # Fewer clusters than asked for: labels with equal representations, which no further split can part.
        deeper = depth + 1 if len(parts) == self.degree else self.depth
        return Node(labels, [self._grown(represented[part], labels[part], deeper, random) for part in parts])

    def _train_node(self, node: Node, X: sparse.csr_array, y: sparse.csc_array, options: Options) -> None:
        relevant = _any(y[:, node.labels]) | (node is self.root_)
        problems = LabelProblems(X[relevant], node.targets(y)[relevant], options, self.n_jobs)
        list(problems.each(problems.keep, range(problems.count)))
        weights, node.bias = problems.without_bias(problems.weights.T)
        node.weights = sparse.csr_array(weights)

    def _values(self, X: Any) -> np.ndarray:
        return _beam_search(self.root_, sparse.csr_array(X), self.beam, len(self.thresholds_))


def _any(y: sparse.csc_array) -> np.ndarray:
    """(n,) bool: which documents have any of these labels."""
    return y.sum(axis=1) > 0


def _beam_search(root: Node, X: sparse.csr_array, width: int, labels: int) -> np.ndarray:
    """(n, labels) scores exp(−Σ max(0, 1 − f)²) along each path, 0 for labels whose leaf was not reached.

    Parameters
    ----------
    root : with trained nodes below it. X : (n, d). width : nodes that a document follows on a level.

    >>> leaf = Node(np.array([1, 0]), [], sparse.csr_array([[1.0, -1.0]]), np.zeros(2))
    >>> _beam_search(leaf, sparse.csr_array([[1.0]]), 10, 2).round(4).tolist()
    [[0.0183, 1.0]]
    """
    level, scores = [root], np.zeros((X.shape[0], 1))
    while any(node.children for node in level):  # leaves stay; in the place of any other come its children
        pairs = zip(level, scores.T, strict=True)
        scores = np.hstack([node.follow(X, own) if node.children else own[:, None] for node, own in pairs])
        level = [met for node in level for met in node.children or [node]]
        beyond = np.argsort(-scores, axis=1, kind="stable")[:, width:]  # of equal scores the first are kept
        np.put_along_axis(scores, beyond, -np.inf, axis=1)
    scored = np.zeros((X.shape[0], labels))
    for node, own in zip(level, scores.T, strict=True):
        scored[:, node.labels] = np.exp(node.follow(X, own))
    return scored
