"""Options, parameters and targets of linear techniques that are refused, and what is said of them."""

import numpy as np
import pytest
from scipy import sparse

from helpers.data import Documents
from helpers.models.linear import TECHNIQUES, DocumentClassifier
from helpers.models.linear.base import BinaryAndMulticlass, LabelTree, OneVsRest
from helpers.models.linear.liblinear import parse_options
from helpers.models.linear.tuning import CostSensitive

X = np.random.default_rng(1).random((9, 3))
ONE_EACH = np.eye(3)[[0, 1, 2] * 3]


def fit(y, technique=OneVsRest, **parameters):
    return technique(**parameters).fit(X if y is ONE_EACH else X[:3], y)


def documents(labels=(), texts=(), technique="1vsrest", **parameters) -> DocumentClassifier:
    model = DocumentClassifier(technique, **parameters)
    return model.fit(Documents("ab"[: len(texts)], [tuple(own) for own in labels], texts))


OPTIONS = {
    "-R": "-R, an unregularised bias, is not supported",
    "-C -s 2": "-C, the search for C, is not supported",
    "-v5": "-v, cross-validation, is not supported",  # LibMultiLabel refuses them anywhere
    "-s 8": "the solver of -s is 8; those for classification are 0 to 7",
    "-s 1 -s -1": "the solver of -s is -1; those",
    "-s": "-s needs a number after it",
    "-s 1.5": "-s needs a number after it",
    "-B -s 1": "-B needs a number after it",
    "-m 0": "-m is 0; at least one process is needed",
    "-m two": "-m needs a number after it",
}
OPTIONS |= {f"-B {value}": f"-B is {value}; it has to be finite" for value in ("nan", "inf")}
OPTIONS |= dict.fromkeys(("-c", "-c one", "-w 2", "-x 1", "1vsr"), "LIBLINEAR does not understand them")
OPTIONS |= dict.fromkeys(("-c 0", "-c nan", "-c inf", "-e -0.1"), "-c and -e have to be above 0")
OPTIONS |= dict.fromkeys(
    [f"-w1 2 -w-1 {value}" for value in ("0", "-2", "nan", "inf")], "the weights -wi have"
)
SIZES = [("degree", value, 2) for value in (1, 2.0, "3", None)]
SIZES += [("beam", 0, 1), ("beam", 1.5, 1), ("depth", -1, 0), ("depth", 0.5, 0)]
PARAMETERS = [({"options": "-s 12"}, "options '-s 12': the solver of -s is 12")]
PARAMETERS += [({"n_jobs": -1}, "n_jobs is -1: give 1 process or more")]
REFUSED = [
    *((lambda text=text: parse_options(text), f"options '{text}': {said}") for text, said in OPTIONS.items()),
    *(
        (lambda name=name, value=value: fit(ONE_EACH, LabelTree, **{name: value}),
         f"{name} is {value!r}; a whole number, {least} or more, is needed")
        for name, value, least in SIZES
    ),
    *(
        (lambda kind=kind, given=given: fit(ONE_EACH, kind, **given), said)
        for kind in TECHNIQUES.values() for given, said in PARAMETERS
    ),
    (lambda: fit(["a", "b", "c"], LabelTree), "y holds classes; a tree needs a 0/1 matrix"),
    (lambda: fit(ONE_EACH, CostSensitive, splits="other"), "unknown splits 'other'"),
    (lambda: fit(ONE_EACH, CostSensitive, c_factors=[]), "positive numbers, at least one"),
    (lambda: fit(ONE_EACH, CostSensitive, c_factors=[1.0, -1.0]), "c_factors is"),
    (lambda: fit([[1, 0], [0, 1], [0, 0]], BinaryAndMulticlass), "y[2] has 0 labels; this technique"),
    (lambda: fit([[1, 0], [1, 1], [0, 0]], BinaryAndMulticlass), "y[1] has 2 labels; this technique"),
    (lambda: fit(sparse.csc_array([[0, 1, 0], [0, 0, 2], [3, 0, 1]])), "y[1, 2] is 2: a label is there"),
    (lambda: fit(sparse.coo_array((np.ones(2), ([1, 1], [0, 0])), (3, 2))), "y[1, 0] is 2.0: a label"),
    (lambda: fit([[1, 0], [0, 1], [-1, 1]]), "y[2, 0] is -1: a label"),
    (lambda: fit([[1, 0], [0, np.nan], [1, 1]]), "y[1, 1] is nan: a label"),
    (lambda: fit([["oil", "gas"]] * 3), "y holds <U3: numbers are needed"),
    (lambda: fit(np.array([["oil", 1]] * 3, dtype=object)), "y holds object: numbers are needed"),
    (lambda: fit([["oil", "gas"], ["sea"], []]), "y has rows of unequal length: give a 0/1 matrix"),
    (lambda: fit(["oil"] * 3), "y has one class, 'oil': a classifier needs two at least"),
    (lambda: fit([[1, 0], [0, 1]]), "X has 3 rows, but y has 2"),
    (lambda: fit(np.zeros((3, 0))), "0 feature"),
    (lambda: fit(np.zeros((3, 2, 2))), "dim"),
    (lambda: documents(technique="tree", degre=3), "technique tree 'degre'; did you mean 'degree'"),
    (lambda: documents(random_state=1), "unknown parameter of technique 1vsrest 'random_state'"),
    (lambda: documents(tfidf={"mindf": 2}), "unknown setting of tfidf 'mindf'; did you mean 'min_df'"),
    (lambda: documents([()], ["oil"]), "there is no label: no document has one"),
    (lambda: documents([("x",)], ["oil"]), "labels is ['x']: two labels at least"),
    (lambda: documents(["x", "y"], ["a", "1 2"]), "empty vocabulary"),
    (lambda: documents(["x", "y"], ["oil", "gas"], tfidf={"min_df": 3}), "min_df"),
    (lambda: documents(["x", "yz"], ["oil", "gas"], "binary_and_multiclass"), "y[1] has 2 labels"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_the_message_names_the_argument(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert message in str(caught.value)
