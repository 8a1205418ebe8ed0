"""Beam search down a tree of classifiers, for many documents at once.

On each level a document follows the nodes with the best scores; the search goes node by node, so each weight
matrix is multiplied once with all the documents that follow it. How the tree was grown and trained is in
`label_tree`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse


class Beam(NamedTuple):
    """Who follows which node: three arrays of one length; a score is −Σ max(0, 1 − f)² along the path."""

    documents: np.ndarray
    nodes: np.ndarray
    scores: np.ndarray

    def best(self, width: int) -> Beam:
        """The `width` best of each document; of equal scores those met first.

        >>> beam = Beam(np.array([0, 0, 1]), np.array([4, 5, 6]), np.array([-2.0, -1.0, -3.0]))
        >>> beam.best(1).nodes.tolist()
        [5, 6]
        """
        order = np.lexsort((-self.scores, self.documents))
        documents = self.documents[order]
        first = np.searchsorted(documents, documents)
        kept = order[np.arange(len(order)) - first < width]
        return Beam(*(values[kept] for values in self))


def beam_search(root: Any, X: sparse.csr_array, width: int, labels: int) -> np.ndarray:
    """(n, labels) scores exp(−Σ max(0, 1 − f)²) along each path, 0 for labels whose leaf was not reached.

    Parameters
    ----------
    root : `label_tree.Node` with trained nodes. X : (n, d). width : nodes that a document follows on a level.

    >>> from .label_tree import Node
    >>> leaf = Node(np.array([1, 0]), [], sparse.csr_array([[1.0, -1.0]]), np.zeros(2))
    >>> beam_search(leaf, sparse.csr_array([[1.0]]), 10, 2).round(4).tolist()
    [[0.0183, 1.0]]
    """
    nodes = list(root.walk())
    place = {id(node): index for index, node in enumerate(nodes)}
    n = X.shape[0]
    beam = Beam(np.arange(n), np.zeros(n, dtype=np.intp), np.zeros(n))
    while any(nodes[index].children for index in np.unique(beam.nodes)):
        beam = _next_level(beam, nodes, place, X).best(width)
    found = np.zeros((n, labels))
    for index in np.unique(beam.nodes):
        followers = beam.nodes == index
        documents, scores = beam.documents[followers], beam.scores[followers]
        found[np.ix_(documents, nodes[index].labels)] = np.exp(
            scores[:, None] + _path_scores(nodes[index], X[documents])
        )
    return found


def _next_level(beam: Beam, nodes: list[Any], place: dict[int, int], X: sparse.csr_array) -> Beam:
    """Leaves stay; the followers of any other node meet all its children."""
    parts = []
    for index in np.unique(beam.nodes):
        followers = beam.nodes == index
        documents, scores = beam.documents[followers], beam.scores[followers]
        children = np.array([place[id(child)] for child in nodes[index].children], dtype=np.intp)
        if not len(children):
            parts.append((documents, np.full(len(documents), index), scores))
            continue
        scores = scores[:, None] + _path_scores(nodes[index], X[documents])
        parts.append((np.repeat(documents, len(children)), np.tile(children, len(documents)), scores.ravel()))
    return Beam(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _path_scores(node: Any, X: sparse.csr_array) -> np.ndarray:
    """(n, columns) −max(0, 1 − f)² for the decision values f of a node."""
    values = (X @ node.weights).toarray() + node.bias
    return -np.square(np.maximum(0.0, 1.0 - values))
