"""Collections of labelled documents: what is refused, the label list, the label matrix, what is logged."""

import logging

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.preprocessing import MultiLabelBinarizer

from helpers.data.documents import Documents, label_list, label_matrix

PROPERTY = settings(max_examples=100)
TRAIN = Documents(["a", "b", "c"], [["news", "art"], [], ["news"]], ["one", "two", "three"])
TEST = Documents(["d", "e"], [["zen", "art"], ["zen", "yoga"]], ["four", "five"])


def with_labels(*labels: str) -> Documents:
    """One document for each word, whose letters are its labels."""
    return Documents(
        [str(row) for row in range(len(labels))], [tuple(own) for own in labels], ["x"] * len(labels)
    )


class TestDocuments:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"ids": [], "labels": [], "texts": []}, "ids is empty: there are no documents"),
            ({"labels": [["x"]]}, "labels has length 1, ids has 2"),
            ({"texts": ["one"]}, "texts has length 1, ids has 2"),
            ({"texts": None}, "exactly one of texts and features"),
            ({"features": np.eye(2)}, "exactly one of texts and features"),
            ({"texts": None, "features": np.eye(3)}, "features has length 3, ids has 2"),
            ({"texts": None, "features": [[1, 0, 2], [0, 0, np.nan]]}, r"features\[1, 2\] is nan"),
            ({"texts": None, "features": [[1, 0], [0, -np.inf]]}, r"features\[1, 1\] is -inf"),
            ({"ids": ["a", "a"]}, r"ids\[1\] is 'a', as ids\[0\] is"),
            ({"ids": ["a", ""]}, r"ids\[1\] is ''"),
            ({"ids": ["a", 7]}, r"ids\[1\] is 7"),
            ({"labels": [["x"], "xy"]}, r"labels\[1\] is the string 'xy'; a list of labels is needed"),
            ({"labels": [["x"], ["y", "x", "y"]]}, r"labels\[1\], of document 'b', has the label 'y' twice"),
            ({"labels": [["x"], [" "]]}, r"labels\[1\], of document 'b', has the label ' '"),
            ({"labels": [["x"], [3]]}, r"labels\[1\], of document 'b', has the label 3"),
            ({"texts": ["one", " \t"]}, r"texts\[1\], of document 'b', is empty"),
        ],
    )
    def test_what_is_refused(self, changes, message) -> None:
        sound = {"ids": ["a", "b"], "labels": [["x"], []], "texts": ["one", "two"]}
        assert len(Documents(**sound)) == 2
        with pytest.raises(ValueError, match=message):
            Documents(**sound | changes)

    def test_select_and_remove_unlabelled(self, caplog) -> None:
        assert TRAIN.select([2, 0]) == Documents(["c", "a"], [["news"], ["news", "art"]], ["three", "one"])
        features = Documents(["a", "b"], [[], ["x"]], features=[[1, 0], [0, 2]])
        with caplog.at_level(logging.INFO):
            assert features.remove_unlabelled() == Documents(["b"], [["x"]], features=[[0, 2]])
        assert "left out 1 of 2 documents that have no label" in caplog.text
        with pytest.raises(ValueError, match="none of the 1 documents has a label"):
            features.select([0]).remove_unlabelled()
        with pytest.raises(ValueError, match="no documents"):
            TRAIN.select([])


class TestLabelList:
    def test_labels_of_train_or_of_both(self) -> None:
        assert label_list(TRAIN) == label_list(TRAIN, TEST) == ("art", "news")
        assert label_list(TRAIN, TEST, include_test_labels=True) == ("art", "news", "yoga", "zen")
        assert label_list(TRAIN, listed=["news", "art", "more"]) == ("art", "more", "news")

    @pytest.mark.parametrize(
        ("settings", "message"),
        [
            ({"include_test_labels": True}, "include_test_labels cannot be met: test is None"),
            ({"include_test_labels": True, "test": TEST, "listed": ["a"]}, "listed decides"),
            ({"listed": ["a", "b", "a"]}, r"listed\[2\] is 'a', as listed\[0\] is"),
            ({"listed": []}, "listed is empty"),
        ],
    )
    def test_what_is_refused(self, settings, message) -> None:
        with pytest.raises(ValueError, match=message):
            label_list(TRAIN, **settings)


class TestLabelMatrix:
    @PROPERTY
    @given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), min_size=1), st.booleans())
    def test_agrees_with_scikit_learn(self, labels, reverse) -> None:
        classes = sorted("abcdef", reverse=reverse)
        matrix = label_matrix(with_labels(*map("".join, labels)), classes)
        assert isinstance(matrix, scipy.sparse.csr_array) and matrix.dtype == np.float64
        assert matrix.has_canonical_format
        expected = MultiLabelBinarizer(classes=classes).fit_transform(labels)
        assert matrix.toarray().tolist() == expected.tolist()

    def test_labels_not_in_the_list_are_counted(self, caplog) -> None:
        with caplog.at_level(logging.WARNING):
            matrix = label_matrix(with_labels("ax", "yx", "bz", "aw", *("a" * 10)), ["a", "b"])
        assert matrix.sum() == 13
        assert [record.getMessage() for record in caplog.records] == [
            "left out 5 labels that are not in the label list, 4 different ones: x, y, z, …"
        ]
        caplog.clear()
        label_matrix(with_labels("ab"), ["a", "b", "c"])
        assert not caplog.records

    @pytest.mark.parametrize(
        ("labels", "unknown", "message"),
        [
            ([], "drop", "labels is empty"),
            (["a", "a"], "drop", r"labels\[1\] is 'a', as labels\[0\] is"),
            (["a"], "dorp", r"did you mean 'drop'\? Known: drop, error"),
        ],
    )
    def test_what_is_refused(self, labels, unknown, message) -> None:
        with pytest.raises(ValueError, match=message):
            label_matrix(TRAIN, labels, unknown)
