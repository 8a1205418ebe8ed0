"""The estimators that all linear techniques are: LibMultiLabel's numbers, scikit-learn's rules, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from helpers.models.linear import TECHNIQUES, OneVsRest, Thresholding, liblinear
from helpers.models.linear import base as linear
from helpers.models.linear.base import BinaryAndMulticlass, LabelTree
from helpers.models.linear.tuning import CostSensitive, CostSensitiveMicro
from tests.support import LINEAR, nightly

X, Y = np.array(LINEAR["features"]), np.array(LINEAR["targets"])
CLASSES = np.array(["oil", "oil", "gas", "gas", "sea", "sea", "oil", "sea", "gas"])
SEEDED = [Thresholding(random_state=1), CostSensitive(random_state=1), CostSensitiveMicro(random_state=1)]
MATRIX_TECHNIQUES = [OneVsRest(), *SEEDED, LabelTree(degree=4, random_state=1)]
RNG = np.random.default_rng(7)
LARGER = RNG.random((90, 6)), (RNG.random((90, 9)) < 0.3).astype(int)
"""Documents and labels enough for several processes to take turns."""


def name_of(value):
    return type(value).__name__


@pytest.mark.parametrize(
    "case",
    LINEAR["label_problems"] + LINEAR["multiclass"],
    ids=lambda case: f"{case.get('technique', case.get('classes'))} {case['options']}",
)
def test_libmultilabels_weights(case):
    """And the thresholds; with one class each: three, two, and four of which one is nobody's."""
    technique, classes = case.get("technique", "binary_and_multiclass"), np.array(case.get("classes", [2]))
    y = np.eye(classes.max() + 1)[classes] if "classes" in case else Y
    seed = {"random_state": 1337} if "technique" in case and technique != "1vsrest" else {}
    model = TECHNIQUES[technique](case["options"]).set_params(**seed).fit(X, y)
    weights, thresholds = np.array(case["weights"]), case.get("thresholds", [0] * y.shape[1])
    found = np.vstack([model.weights_, model.bias_weights_])  # that of a bias, if there is one, last
    assert found[: len(weights)] == pytest.approx(weights, abs=1e-5)
    expected = [-np.inf if one is None else one for one in thresholds]
    assert model.thresholds_ == pytest.approx(expected, abs=1e-5)
    if "classes" in case:
        assert model.multiclass_ and np.array_equal(model.predict(X).argmax(axis=1), classes)


def test_scikit_learns_one_vs_rest():
    X, y = LARGER
    peer = OneVsRestClassifier(LinearSVC(fit_intercept=False, tol=1e-8, max_iter=100_000)).fit(X, y)
    mine = OneVsRest("-s 1 -e 1e-8").fit(X, y)
    assert mine.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-4)
    assert np.array_equal(mine.predict(X), peer.predict(X))


@pytest.mark.parametrize("options", ["-s 2 -B 1 -e 1e-6", "-s 4 -e 1e-8"])
@pytest.mark.parametrize("named", [CLASSES, CLASSES == "oil", np.array([3, 3, 7, 7, 3, 3, 3, 3, 7])], ids=str)
def test_a_matrix_and_names_give_the_same(options, named):
    names, places = np.unique(named, return_inverse=True)
    by_name = BinaryAndMulticlass(options).fit(X, named)
    by_column = BinaryAndMulticlass(options).fit(X, np.eye(len(names))[places])
    assert np.array_equal(by_name.predict(X), names[by_column.predict(X).argmax(axis=1)])
    scores = by_column.decision_function(X)
    expected = scores if len(names) > 2 else scores[:, 1]
    assert by_name.decision_function(X) == pytest.approx(expected, abs=1e-12)


class TestTargets:
    @pytest.mark.parametrize(
        "form",
        [np.asarray, np.ndarray.tolist, pd.DataFrame, sparse.csr_array, sparse.coo_array, sparse.lil_matrix],
    )
    @pytest.mark.parametrize("kind", [bool, int, float, object])
    def test_any_form_of_a_matrix(self, form, kind):
        if kind is object and sparse.issparse(form(Y)):
            kind = np.float32  # scipy has no sparse matrices of objects
        model = OneVsRest("-B 1").fit(X, form(Y.astype(kind)))
        expected = OneVsRest("-B 1").fit(X, Y)
        assert np.array_equal(model.weights_, expected.weights_)
        assert model.predict(X).dtype == int and model.classes_.tolist() == [0, 1, 2]

    @pytest.mark.parametrize(("row", "multiclass"), [([0, 1], True), ([1, 1], False), ([0, 0], False)])
    def test_one_label_each_is_multiclass(self, row, multiclass):
        model = OneVsRest("-s 2").fit(X[:3], [[1, 0], row, [0, 1]])
        assert model.multiclass_ is multiclass
        scores = model.decision_function(X)
        expected = np.eye(2)[scores.argmax(axis=1)] if multiclass else scores > 0
        assert np.array_equal(model.predict(X), expected)


@pytest.mark.parametrize("form", [np.asfortranarray, pd.DataFrame, sparse.csr_matrix, sparse.coo_array])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_any_form_of_features(form, kind):
    quarters = np.round(X * 4) / 4
    model, expected = (OneVsRest("-B 1").fit(part, Y) for part in (form(quarters.astype(kind)), quarters))
    assert np.array_equal(model.weights_, expected.weights_)
    scores = model.decision_function(form(quarters.astype(kind)))
    assert isinstance(scores, np.ndarray) and scores.dtype == float
    assert scores == pytest.approx(expected.decision_function(quarters), abs=1e-12)


class TestParameters:
    @pytest.mark.parametrize("technique", nightly(MATRIX_TECHNIQUES, 0, *SEEDED[:2]), ids=name_of)
    def test_numbers_do_not_depend_on_the_number_of_processes(self, technique, monkeypatch):
        monkeypatch.setattr(liblinear, "ALONE", 0)
        usual = {"options": "-s 1 -e 1 -B 1"}
        ways = [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 3}, {"options": "-s 1 -e 1 -B 1 -m 2"}]
        models = [clone(technique).set_params(**usual | way).fit(*LARGER) for way in ways]
        scores = [model.decision_function(LARGER[0]) for model in models]
        assert all(np.array_equal(scores[0], other) for other in scores[1:])
        assert np.array_equal(models[0].thresholds_, models[1].thresholds_)

    @pytest.mark.parametrize("technique", [*MATRIX_TECHNIQUES, BinaryAndMulticlass()], ids=name_of)
    def test_weights_that_do_not_fit_into_memory(self, technique, monkeypatch):
        """A tree keeps only the weights that are not 0."""
        assert linear._memory() > 2**28
        monkeypatch.setattr(linear, "_memory", lambda: 191)
        model, y = clone(technique), np.eye(3)[[0, 1, 2] * 3]
        if name_of(technique) == "LabelTree":
            assert model.fit(X[:, :1], y[:, :2]).predict(X[:, :1]).shape == (9, 2)
            return
        with pytest.raises(MemoryError, match="the weights of 3 labels on 3 features take .* GiB, this mach"):
            model.fit(X, y)
        monkeypatch.setattr(linear, "_memory", lambda: 192)  # 16 bytes · (3 features and a bias) · 3 labels
        model.fit(X, y)


CHECKED = [OneVsRest(), BinaryAndMulticlass(), *SEEDED]


@pytest.mark.parametrize("technique", nightly(CHECKED, 2, *SEEDED), ids=name_of)
def test_scikit_learns_checks(technique):
    check_estimator(technique, on_skip=None)
