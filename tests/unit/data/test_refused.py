"""Arguments that are refused, and what is said of them: the argument, the position and the value."""

from dataclasses import replace

import numpy as np
import pytest

from helpers import data
from helpers.data import Dataset, Documents, label_statistics, parse_tagged
from helpers.data.samples import _check_tree
from helpers.metrics import Outcome
from tests.support import PARSED

SAMPLE = ("The fire caused panic.", (4, 8), "Cause-Effect(e1,e2)")
EMPTY_WORD = ((0, 3), (4, 4), (9, 13), (14, 20), (21, 26))


def documents(**changes) -> Documents:
    return Documents(**{"ids": ["a", "b"], "labels": [["x"], []], "texts": ["one", "two"]} | changes)


def features(rows) -> Documents:
    return documents(texts=None, features=rows)


def spans(tail: tuple) -> data.RelationSample:
    return data.RelationSample("1", SAMPLE[0], SAMPLE[1], tail, SAMPLE[2])


def counted(counts: list) -> Outcome:
    return Outcome.from_columns(["a", "b"], ["a", "a"], counts=np.array(counts))


def listed(**options) -> tuple[str, ...]:
    return documents().label_list(**options)


REFUSED = [
    (lambda: Dataset("d", kind="fact"), "unknown kind of data set 'fact'; did you mean 'facts'"),
    (lambda: Dataset("d", files={"test": "a.txt"}), "`files` and `reader` belong together"),
    (lambda: Dataset("d", reader=data.read_relation_file), "`files` and `reader` belong together"),
    (lambda: replace(data.find_dataset("kbp37"), measured="x"), "its splits are train, dev, test"),
    (lambda: documents(ids=[], labels=[], texts=[]), "ids is empty: there are no documents"),
    (lambda: documents(texts=["one"]), "texts has length 1, ids has 2"),
    (lambda: documents(texts=None), "exactly one of texts and features"),
    (lambda: documents(features=np.eye(2)), "exactly one of texts and features"),
    (lambda: features(np.eye(3)), "features has length 3, ids has 2"),
    (lambda: features([[1, 0, 2], [0, 0, np.nan]]), "features[1, 2] is nan"),
    (lambda: documents(ids=["a", "a"]), "ids[1] is 'a', as ids[0] is"),
    (lambda: documents(ids=["a", ""]), "ids[1] is ''"),
    (lambda: documents(labels=[["x"], "xy"]), "labels[1], of document 'b', is 'xy': a list of labels"),
    (
        lambda: documents(labels=[["x"], [*"yxy"]]),
        "labels[1], of document 'b', is ('y', 'x', 'y'): a list of labels is needed",
    ),
    (
        lambda: documents(labels=[["x"], [" "]]),
        "labels[1], of document 'b', is (' ',): a list of labels is needed",
    ),
    (lambda: documents(texts=["one", " \t"]), "texts[1], of document 'b', is empty"),
    (lambda: documents().select([]), "no documents"),
    (lambda: documents().select([1]).remove_unlabelled(), "none of the 1 documents has a label"),
    (lambda: listed(include_test_labels=True), "include_test_labels cannot be met: test is None"),
    (lambda: listed(include_test_labels=True, test=documents(), listed=["a"]), "listed decides"),
    (lambda: listed(listed=["a", "b", "a"]), "listed[2] is 'a', as listed[0] is"),
    (lambda: listed(listed=[]), "listed is empty"),
    (lambda: documents().label_matrix([]), "labels is empty"),
    (lambda: documents().label_matrix(["a", "a"]), "labels[1] is 'a', as labels[0] is"),
    (lambda: spans((20, 23)), "tail span (20, 23) does not lie"),
    (lambda: parse_tagged("<e1>a</e1> b</e2>"), "'<e2>' occurs 0 times"),
    (lambda: parse_tagged("<e1>a</e1> <e1>b</e1> <e2>c</e2>"), "'<e1>' occurs 2 times"),
    (lambda: parse_tagged("</e1>a<e1> <e2>b</e2>"), "'</e1>' comes before '<e1>'"),
    (lambda: _check_tree([]), "at least one word"),
    (lambda: _check_tree([0, 3]), "the head of word 2 is 3; there are 2 words"),
    (lambda: _check_tree(["0"]), "is '0', which is no number"),
    (lambda: replace(PARSED, heads=(2, 4, 2, 0)), "there are 5 words and 4 heads"),
    (lambda: replace(PARSED, pos=("NN",)), "there are 5 words and 1 pos"),
    (lambda: replace(PARSED, heads=(2, 1, 2, 0, 4)), "circle at word 1"),
    (lambda: replace(PARSED, text="The fire"), "does not lie"),
    (lambda: replace(PARSED, words=EMPTY_WORD), "word (4, 4) does not lie"),
    (lambda: label_statistics({"A": -1}), "counts['A'] is -1"),
    (lambda: label_statistics({"A": 1.5}), "counts['A'] is 1.5"),
    (lambda: label_statistics({"A": 0}), "counts hold no sample (1 labels)"),
    (lambda: label_statistics({"Other": 1}, "other"), "class 'other'; did you mean 'Other'?"),
    (lambda: data.dataset_statistics("tacred", "NA"), "leave `negative` out"),
    (lambda: data.dataset_statistics("tacrde"), "'tacrde'; did you mean 'tacred'? Known: semeval2010"),
    (lambda: counted([1]), "counts has shape (1,)"),
    (lambda: counted([0.5, 1]), "float64: a whole number for each of 2 rows"),
    (lambda: counted([-1, 1]), "counts holds a negative number"),
    (lambda: counted([2**53, 1]), "counts add up to"),
    (lambda: Outcome.from_columns(["a"], ["a"], sample_weight=[1.0], counts=[1]), "both given"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_the_message_names_the_argument(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value)
