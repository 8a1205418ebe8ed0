"""A tree over the labels, clusters of similar labels first: for label sets too large for one-vs-rest.

A label is represented by the sum of its documents, at unit length. K-means splits the labels into K clusters,
again and again, until a cluster holds at most K labels. Each node is a one-vs-rest problem: which of its
clusters (at a leaf: which of its labels) does a document have? Prediction is a beam search, node by node, so
that each weight matrix is multiplied once with all the documents that follow it.

Sources: Khandagale et al. 2020, Bonsai; LibMultiLabel implementation document 2024, tree-based methods.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from tqdm import tqdm

from .base import LinearClassifier, parameters
from .liblinear import LabelProblems, Options


class _Beam(NamedTuple):
    """Who follows which node: three arrays of one length; a score is −Σ max(0, 1 − f)² along the path."""

    documents: np.ndarray
    nodes: np.ndarray
    scores: np.ndarray

    def best(self, width: int) -> _Beam:
        """The `width` best of each document; of equal scores those met first.

        >>> beam = _Beam(np.array([0, 0, 1]), np.array([4, 5, 6]), np.array([-2.0, -1.0, -3.0]))
        >>> beam.best(1).nodes.tolist()
        [5, 6]
        """
        order = np.lexsort((-self.scores, self.documents))
        documents = self.documents[order]
        first = np.searchsorted(documents, documents)
        kept = order[np.arange(len(order)) - first < width]
        return _Beam(*(values[kept] for values in self))

    def followers(self) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Each node with the documents that follow it and their scores."""
        for index in np.unique(self.nodes):
            follow = self.nodes == index
            yield index, self.documents[follow], self.scores[follow]


def _beam_search(root: Node, X: sparse.csr_array, width: int, labels: int) -> np.ndarray:
    """(n, labels) scores exp(−Σ max(0, 1 − f)²) along each path, 0 for labels whose leaf was not reached.

    Parameters
    ----------
    root : with trained nodes below it. X : (n, d). width : nodes that a document follows on a level.

    >>> leaf = Node(np.array([1, 0]), [], sparse.csr_array([[1.0, -1.0]]), np.zeros(2))
    >>> _beam_search(leaf, sparse.csr_array([[1.0]]), 10, 2).round(4).tolist()
    [[0.0183, 1.0]]
    """
    nodes = list(root.walk())
    numbers = {id(node): index for index, node in enumerate(nodes)}
    beam = _Beam(np.arange(X.shape[0]), np.zeros(X.shape[0], dtype=np.intp), np.zeros(X.shape[0]))
    while any(nodes[index].children for index in np.unique(beam.nodes)):
        parts = []  # leaves stay; the followers of any other node meet all its children
        for index, documents, scores in beam.followers():
            if children := [numbers[id(child)] for child in nodes[index].children]:
                scores = (scores[:, None] + _path_scores(nodes[index], X[documents])).ravel()
            parts.append((documents, children or [index], scores))
        beam = _Beam(
            np.concatenate([np.repeat(documents, len(met)) for documents, met, _ in parts]),
            np.concatenate([np.tile(met, len(documents)) for documents, met, _ in parts]),
            np.concatenate([scores for _, _, scores in parts]),
        ).best(width)
    scored = np.zeros((X.shape[0], labels))
    for index, documents, scores in beam.followers():
        values = scores[:, None] + _path_scores(nodes[index], X[documents])
        scored[np.ix_(documents, nodes[index].labels)] = np.exp(values)
    return scored


def _path_scores(node: Node, X: sparse.csr_array) -> np.ndarray:
    """(n, columns) −max(0, 1 − f)² for the decision values f of a node."""
    values = (X @ node.weights).toarray() + node.bias
    return -np.square(np.maximum(0.0, 1.0 - values))


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

    def targets(self, y: sparse.csc_array) -> sparse.csc_array:
        """(n, children or labels) 0/1: which documents have a label of each child, at a leaf each label."""
        if not self.children:
            return y[:, self.labels]
        return sparse.csc_array(sparse.hstack([_any(y[:, child.labels]) for child in self.children]))


@parameters
class LabelTree(LinearClassifier):
    """One-vs-rest along a tree of label clusters, with beam search.

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
        represented = _short(normalize(sparse.csr_array(targets.T @ X)))
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
        clusters = _clusters(represented, self.degree, random)
        parts = [np.flatnonzero(clusters == cluster) for cluster in np.unique(clusters)]
        # Fewer clusters than asked for: labels with equal representations, which no further split can part.
        deeper = depth + 1 if len(parts) == self.degree else self.depth
        return Node(labels, [self._grown(represented[part], labels[part], deeper, random) for part in parts])

    def _train_node(self, node: Node, X: sparse.csr_array, y: sparse.csc_array, options: Options) -> None:
        relevant = _any(y[:, node.labels]).toarray()[:, 0] > 0
        relevant |= node is self.root_
        columns = len(node.children or node.labels)
        if not relevant.any():
            node.weights, node.bias = sparse.csr_array((X.shape[1], columns)), np.zeros(columns)
            return
        problems = LabelProblems(X[relevant], node.targets(y)[relevant], options, self.n_jobs)
        list(problems.each(LabelProblems.keep, range(columns)))
        weights, node.bias = problems.without_bias(problems.weights.T)
        node.weights = _short(sparse.csr_array(weights))

    def _values(self, X: Any) -> np.ndarray:
        return _beam_search(self.root_, sparse.csr_array(X), self.beam, len(self.thresholds_))


def _clusters(represented: sparse.csr_array, degree: int, random: np.random.RandomState) -> np.ndarray:
    """The cluster of each label, by Elkan's K-means from one start."""
    seed = random.randint(2**31 - 1)
    means = KMeans(degree, n_init=1, algorithm="elkan", random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different labels than clusters: seen to
        return means.fit_predict(represented)


def _short(table: sparse.csr_array) -> sparse.csr_array:
    """With places of 32 bits, if they fit: K-means takes no others, and they need half the memory."""
    kind = sparse.get_index_dtype((table.indices, table.indptr), check_contents=True)
    return sparse.csr_array((table.data, table.indices.astype(kind), table.indptr.astype(kind)), table.shape)


def _any(y: sparse.csc_array) -> sparse.csc_array:
    """(n, 1) 0/1: which documents have any of these labels."""
    return sparse.csc_array((y.sum(axis=1) > 0).astype(float)[:, None])
