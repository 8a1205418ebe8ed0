"""The tree of labels: LibMultiLabel's scores, how it grows, and the search against a slow one."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers.models.linear import Node, OneVsRest
from helpers.models.linear.base import LabelTree, _beam_search
from tests.support import LINEAR

GOLDEN = LINEAR["tree"]
X, Y = np.array(GOLDEN["features"]), np.array(GOLDEN["targets"])
EVERY = 1000  # a beam in which all nodes of a test's tree have room


def random_tree(rng, labels, depth, width):
    """A tree of any shape over these labels with random weights."""
    kinds, children = min(len(labels), int(rng.integers(1, 4))), []
    if depth and kinds:
        parts = rng.integers(0, kinds, len(labels))
        groups = [labels[parts == kind] for kind in range(kinds) if (parts == kind).any()]
        children = [random_tree(rng, group, depth - 1, width) for group in groups]
    columns = len(children or labels)
    weights = np.where(rng.random((width, columns)) < 0.7, rng.normal(size=(width, columns)), 0)
    return Node(labels, children, sparse.csr_array(weights), rng.normal(size=columns))


def followed(root, document, width):
    """Label → score of one document, level by level: leaves stay, the others make room for their children."""

    def below(node, kinds, score):
        values = document @ node.weights.toarray() + node.bias
        return [(kind, score - max(0.0, 1 - value) ** 2) for kind, value in zip(kinds, values, strict=True)]

    level = [(root, 0.0)]
    while any(node.children for node, _ in level):
        wider = []
        for node, score in level:
            wider += below(node, node.children, score) if node.children else [(node, score)]
        level = sorted(wider, key=lambda pair: -pair[1])[:width]
    return {label: math.exp(own) for node, score in level for label, own in below(node, node.labels, score)}


class TestBeamSearch:
    @settings(max_examples=100)
    @given(*map(st.integers, (0, 1, 0), (10**6, 12, 4)), st.sampled_from([1, 2, 3, 4, EVERY, EVERY]))
    def test_it_follows_the_best_of_each_level(self, seed, labels, depth, width):
        rng = np.random.default_rng(seed)
        root, documents = random_tree(rng, rng.permutation(labels), depth, 3), rng.normal(size=(5, 3))
        scores = _beam_search(root, sparse.csr_array(documents), width, labels)
        slow = [followed(root, document, width) for document in documents]
        expected = [[own.get(label, 0.0) for label in range(labels)] for own in slow]
        assert scores == pytest.approx(np.array(expected), abs=1e-12)
        assert width != EVERY or all(len(own) == labels for own in slow)

    def test_of_equal_scores_the_first_is_followed(self):
        leaves = [Node(np.array([label]), [], sparse.csr_array((1, 1)), np.ones(1)) for label in range(3)]
        root = Node(np.arange(3), leaves, sparse.csr_array((1, 3)), np.ones(3))
        assert _beam_search(root, sparse.csr_array([[1.0]]), 2, 3).tolist() == [[1, 1, 0]]


class TestScores:
    @pytest.mark.parametrize("case", GOLDEN["beams"], ids=lambda case: f"beam {case['beam']}")
    @pytest.mark.parametrize("seed", [1337, 1, 2])
    def test_libmultilabels_scores(self, case, seed):
        """Three clear clusters, so any start of K-means finds them."""
        tree = LabelTree(GOLDEN["options"], degree=GOLDEN["degree"], beam=case["beam"], random_state=seed)
        scores = tree.fit(X, Y).decision_function(X)
        assert scores == pytest.approx(np.array(case["scores"]), abs=1e-5)
        assert np.array_equal(tree.predict(X), scores > 0.5)
        assert LabelTree().get_params().items() >= {"degree": 100, "depth": 10, "beam": 10}.items()

    def test_each_node_is_one_vs_rest_on_the_documents_below_it(self):
        """The root on all, with those that have no label."""
        tree = LabelTree(GOLDEN["options"], degree=3, random_state=0).fit(X, Y)
        for node in tree.root_.walk():
            below = Y[:, node.labels].any(axis=1) | (node is tree.root_)
            kinds = [child.labels for child in node.children] or [[label] for label in node.labels]
            targets = np.column_stack([Y[:, labels].any(axis=1) for labels in kinds])
            expected = OneVsRest(GOLDEN["options"]).fit(X[below], targets[below])
            assert np.array_equal(node.weights.toarray(), expected.weights_)
            assert np.array_equal(node.bias, expected.bias_weights_)


class TestGrowth:
    @pytest.mark.parametrize("degree", [2, 3, 5])
    @pytest.mark.parametrize("depth", [0, 1, 2, 10])
    def test_nodes_part_their_labels(self, degree, depth):
        rng = np.random.default_rng(degree + depth)
        features, y = rng.random((60, 8)), (rng.random((60, 23)) < 0.2).astype(int)
        root = LabelTree("-s 2", degree=degree, depth=depth, random_state=1).fit(features, y).root_
        assert sorted(root.labels) == list(range(23))

        def check(node, level):
            parts = [child.labels.tolist() for child in node.children]
            assert not parts or sorted(sum(parts, [])) == sorted(node.labels)
            assert len(parts) <= degree and all(parts) and level <= depth
            assert parts or len(node.labels) <= degree or level == depth
            for child in node.children:
                check(child, level + 1)

        check(root, 0)

    def test_labels_of_the_same_documents_share_a_leaf(self):
        """No split can part them, so the leaf has more labels than the degree."""
        y = np.repeat(Y[:, [0, 2]], 5, axis=1)
        tree = LabelTree("-s 2 -B 1 -c 100", degree=3, random_state=0).fit(X, y)
        root, *leaves = tree.root_.walk()
        assert len(root.children) == len(leaves) == 2
        assert sorted(sorted(leaf.labels) for leaf in leaves) == [list(range(5)), list(range(5, 10))]
        assert np.array_equal(tree.predict(X), y)

    def test_labels_that_no_document_has(self):
        y = np.hstack([Y, np.zeros((len(Y), 4), int)])
        tree = LabelTree("-s 2 -B 1 -c 10", degree=3, random_state=0).fit(X, y)
        assert not tree.predict(X)[:, 7:].any() and tree.predict(X)[:, :7].sum() >= 12
