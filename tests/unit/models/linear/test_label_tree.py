"""The tree of labels: LibMultiLabel's scores, how it grows, and the search against all paths."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from helpers import ROOT
from helpers.models.linear.base import OneVsRest
from helpers.models.linear.label_tree import LabelTree, Node, beam_search

PROPERTY = settings(max_examples=60)
GOLDEN = json.loads((ROOT / "tests/golden/linear.json").read_text("utf-8"))["tree"]
X, Y = np.array(GOLDEN["features"]), np.array(GOLDEN["targets"])


def random_tree(rng, labels, depth, width):
    """A tree of any shape over these labels with random weights."""
    kinds = min(len(labels), int(rng.integers(1, 4)))
    children = []
    if depth and kinds:
        parts = rng.integers(0, kinds, len(labels))
        children = [
            random_tree(rng, labels[parts == k], depth - 1, width) for k in range(kinds) if (parts == k).any()
        ]
    columns = len(children or labels)
    weights = np.where(rng.random((width, columns)) < 0.7, rng.normal(size=(width, columns)), 0)
    return Node(labels, children, sparse.csr_array(weights), rng.normal(size=columns))


def path_scores(node, document):
    return [-(max(0.0, 1 - value) ** 2) for value in document @ node.weights.toarray() + node.bias]


def along_all_paths(node, document, score=0.0):
    """{label: score}, whatever the beam."""
    found, scores = {}, path_scores(node, document)
    if not node.children:
        return {label: math.exp(score + own) for label, own in zip(node.labels, scores, strict=True)}
    for child, own in zip(node.children, scores, strict=True):
        found |= along_all_paths(child, document, score + own)
    return found


def followed(root, document, width):
    """One document, level by level: leaves stay, the others make room for their children."""
    level = [(root, 0.0)]
    while any(node.children for node, _ in level):
        wider = []
        for node, score in level:
            steps = zip(node.children, path_scores(node, document), strict=True)
            wider += [(child, score + own) for child, own in steps] if node.children else [(node, score)]
        level = sorted(wider, key=lambda pair: -pair[1])[:width]
    found = {}
    for node, score in level:
        for label, own in zip(node.labels, path_scores(node, document), strict=True):
            found[label] = math.exp(score + own)
    return found


def as_table(found, labels):
    return np.array([[scores.get(label, 0.0) for label in range(labels)] for scores in found])


class TestBeamSearch:
    @PROPERTY
    @given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 4))
    def test_wide_enough_it_finds_all_paths(self, seed, labels, depth):
        rng = np.random.default_rng(seed)
        root, documents = random_tree(rng, rng.permutation(labels), depth, 3), rng.normal(size=(5, 3))
        expected = as_table([along_all_paths(root, document) for document in documents], labels)
        found = beam_search(root, sparse.csr_array(documents), len(list(root.walk())), labels)
        assert found == pytest.approx(expected, abs=1e-12)
        assert (found > 0).all() or (expected == 0).any()

    @PROPERTY
    @given(st.integers(0, 10**6), st.integers(1, 12), st.integers(0, 4), st.integers(1, 4))
    def test_it_follows_the_best_of_each_level(self, seed, labels, depth, width):
        rng = np.random.default_rng(seed)
        root, documents = random_tree(rng, rng.permutation(labels), depth, 3), rng.normal(size=(5, 3))
        expected = as_table([followed(root, document, width) for document in documents], labels)
        found = beam_search(root, sparse.csr_array(documents), width, labels)
        assert found == pytest.approx(expected, abs=1e-12)

    def test_of_equal_scores_the_first_is_followed(self):
        leaves = [Node(np.array([label]), [], sparse.csr_array((1, 1)), np.ones(1)) for label in range(3)]
        root = Node(np.arange(3), leaves, sparse.csr_array((1, 3)), np.ones(3))
        assert beam_search(root, sparse.csr_array([[1.0]]), 2, 3).tolist() == [[1, 1, 0]]


class TestScores:
    @pytest.mark.parametrize("case", GOLDEN["beams"], ids=lambda case: f"beam {case['beam']}")
    @pytest.mark.parametrize("seed", [1337, 1, 2])
    def test_libmultilabels_scores(self, case, seed):
        """Three clear clusters, so any start of K-means finds them."""
        tree = LabelTree(GOLDEN["options"], degree=GOLDEN["degree"], beam=case["beam"], random_state=seed)
        scores = tree.fit(X, Y).decision_function(X)
        assert scores == pytest.approx(np.array(case["scores"]), abs=1e-5)
        assert np.array_equal(tree.predict(X), scores > 0.5)

    def test_a_tree_of_one_node_is_one_vs_rest(self):
        tree, flat = (technique("-s 2 -B 1").fit(X, Y) for technique in (LabelTree, OneVsRest))
        assert len(list(tree.root_.walk())) == 1
        values = flat.decision_function(X)
        assert tree.decision_function(X) == pytest.approx(np.exp(-(np.maximum(0, 1 - values) ** 2)))

    def test_each_node_is_one_vs_rest_on_the_documents_below_it(self):
        """The root on all, with those that have no label."""
        tree = LabelTree(GOLDEN["options"], degree=3, random_state=0).fit(X, Y)
        for node in tree.root_.walk():
            below = Y[:, node.labels].any(axis=1) if node is not tree.root_ else np.full(len(Y), True)
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
        levels = [[root]]
        while levels[-1]:
            levels.append([child for node in levels[-1] for child in node.children])
        assert len(levels) <= depth + 2
        assert sorted(root.labels) == list(range(23))
        for level, nodes in enumerate(levels):
            for node in nodes:
                parts = [child.labels.tolist() for child in node.children]
                assert not parts or sorted(sum(parts, [])) == sorted(node.labels)
                assert len(parts) <= degree and all(parts)
                assert parts or len(node.labels) <= degree or level == depth

    def test_labels_of_the_same_documents_share_a_leaf(self):
        """No split can part them, so the leaf has more labels than the degree."""
        y = np.repeat(Y[:, [0, 2]], 5, axis=1)
        tree = LabelTree("-s 2 -B 1 -c 100", degree=3, random_state=0).fit(X, y)
        root, *leaves = tree.root_.walk()
        assert len(root.children) == len(leaves) == 2
        assert sorted(sorted(leaf.labels) for leaf in leaves) == [list(range(5)), list(range(5, 10))]
        assert np.array_equal(tree.predict(X), y)

    @pytest.mark.parametrize("degree", [2, 3, 20])
    @pytest.mark.parametrize("unseen", [1, 4])
    def test_labels_that_no_document_has(self, degree, unseen):
        y = np.hstack([Y, np.zeros((len(Y), unseen), int)])
        tree = LabelTree("-s 2 -B 1 -c 10", degree=degree, random_state=0).fit(X, y)
        assert not tree.predict(X)[:, 7:].any() and tree.predict(X)[:, :7].sum() >= 12

    def test_the_same_tree_for_the_same_random_state(self):
        def labels(random):
            rng = np.random.default_rng(1)
            features, y = rng.random((40, 5)), (rng.random((40, 20)) < 0.3).astype(int)
            tree = LabelTree("-s 2", degree=3, random_state=random).fit(features, y)
            return [node.labels.tolist() for node in tree.root_.walk()]

        assert labels(3) == labels(np.random.RandomState(3))
        assert labels(3) != labels(4)


class TestBadInput:
    @pytest.mark.parametrize(
        ("name", "value", "least"),
        [
            *(("degree", value, 2) for value in (1, 0, -3, 2.0, "3", None)),
            *(("beam", value, 1) for value in (0, -1, 1.5, "all")),
            *(("depth", value, 0) for value in (-1, 0.5, None)),
        ],
    )
    def test_sizes(self, name, value, least):
        with pytest.raises(
            ValueError, match=f"^{name} is {value!r}; a whole number, {least} or more, is needed$"
        ):
            LabelTree(**{name: value}).fit(X, Y)

    @pytest.mark.parametrize("y", [["a", "b", "c"] * 4, [0, 1] * 6], ids=str)
    def test_classes(self, y):
        with pytest.raises(
            ValueError, match="^y holds classes; a tree needs a 0/1 matrix with a column a label"
        ):
            LabelTree().fit(X, y)
