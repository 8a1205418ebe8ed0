"""What a trained linear technique has cost: problems solved, passes over the documents, bytes of weights.

All of it follows from the technique and the data and is the same on every machine; seconds are measured by
`multilabel_runs`.

Source of the counts: LibMultiLabel implementation document 2024, Sections 3.5 and 3.6.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from .models.linear import LinearClassifier


class Work(NamedTuple):
    """`problems` solved by LIBLINEAR, and what they amount to in problems on *all* documents, `whole`."""

    problems: int
    whole: float


_RULES = {"micromacro-freq": Work(4, 3.0), "scut-fbr": Work(16, 9.0)}
_COSTS = Work(22, 15.0)


def work_of(classifier: LinearClassifier, targets: Any) -> Work:
    """The work of a trained technique; targets : (n, L) sparse 0/1, the training documents.

    For L labels: 1vsrest L problems · thresholding 3 L on two thirds of the documents and L on all, so 4 L,
    worth 3 L on all · SCut.fbr 9 L on four ninths, 6 L on two thirds, L on all: 16 L, worth 9 L ·
    cost-sensitive 21 L on two thirds and L on all: 22 L, worth 15 L · tree: a problem for each child of a
    node and each label of a leaf, on the documents with a label below the node. The document counts 3 L for
    thresholding and 21 L for cost-sensitive training: the last training is left out.

    >>> from .models.thresholding import Thresholding
    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> work_of(Thresholding("-s 2", random_state=1).fit(X, y), sparse.csr_array(y))
    Work(problems=8, whole=6.0)
    """
    if hasattr(classifier, "root_"):
        return _work_of_tree(classifier, sparse.csc_array(targets))
    if "-s 4" in classifier.options:
        return Work(1, 1.0)  # all labels in one problem, larger than those of the others
    labels, rule = len(classifier.thresholds_), classifier.get_params().get("rule")
    each = _COSTS if hasattr(classifier, "costs_") else _RULES.get(rule, Work(1, 1.0))
    return Work(each.problems * labels, each.whole * labels)


def _work_of_tree(classifier: LinearClassifier, targets: sparse.csc_array) -> Work:
    problems, whole, n = 0, 0.0, targets.shape[0]
    for node in classifier.root_.walk():
        columns = len(node.children or node.labels)
        below = n if node is classifier.root_ else np.count_nonzero(targets[:, node.labels].sum(axis=1))
        problems += columns
        whole += columns * below / n
    return Work(problems, round(whole, 3))


def weights_of(classifier: LinearClassifier) -> dict[str, int]:
    """`weight_bytes` that the weights take as they are kept, and `weights_not_zero`; without the biases.

    >>> from .models.linear import OneVsRest
    >>> weights_of(OneVsRest("-s 2").fit(np.eye(2), [[1, 0], [0, 1]]))
    {'weight_bytes': 32, 'weights_not_zero': 4}
    """
    if not hasattr(classifier, "root_"):
        weights = classifier.weights_
        return {"weight_bytes": weights.nbytes, "weights_not_zero": int(np.count_nonzero(weights))}
    tables = [node.weights for node in classifier.root_.walk()]
    parts = ("data", "indices", "indptr")
    return {
        "weight_bytes": sum(getattr(table, part).nbytes for table in tables for part in parts),
        "weights_not_zero": sum(int(np.count_nonzero(table.data)) for table in tables),
    }
