"""The estimators that all linear techniques are: LibMultiLabel's numbers, scikit-learn's rules, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import DataConversionWarning
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from helpers.models.linear import base as linear
from helpers.models.linear import problems as label_problems
from helpers.models.linear.base import BinaryAndMulticlass, OneVsRest
from helpers.models.linear.cost_sensitive import CostSensitive, CostSensitiveMicro
from helpers.models.linear.label_tree import LabelTree
from helpers.models.linear.thresholding import Thresholding
from tests.support import LINEAR

X, Y = np.array(LINEAR["features"]), np.array(LINEAR["targets"])
CLASSES = np.array(["oil", "oil", "gas", "gas", "sea", "sea", "oil", "sea", "gas"])
SEEDED = [Thresholding(random_state=1), CostSensitive(random_state=1), CostSensitiveMicro(random_state=1)]
MATRIX_TECHNIQUES = [OneVsRest(), *SEEDED, LabelTree(degree=4, random_state=1)]
RNG = np.random.default_rng(7)
LARGER = RNG.random((90, 6)), (RNG.random((90, 9)) < 0.3).astype(int)
"""Documents and labels enough for several processes to take turns."""


def name_of(value):
    return type(value).__name__


def weights_like(model, expected):
    """The weights as LibMultiLabel keeps them, that of the bias, if there is one, last."""
    return np.vstack([model.weights_, model.bias_weights_])[: len(expected)]


class TestOneVsRest:
    @pytest.mark.parametrize("options", ["-s 2 -c 1 -B 1 -e 1e-6", "-s 1 -c 1 -B 1 -e 1e-6", "-s 2 -e 1e-6"])
    def test_the_example(self, options):
        """By LIBLINEAR 2.50: one column a label; with a bias the scores of the first two documents, too."""
        model = OneVsRest(options).fit(X, Y)
        assert model.thresholds_.tolist() == [0, 0, 0]
        if "-B" not in options:
            plain = [
                [1.28494, -0.51028, -0.89111],
                [-0.69966, 1.15773, -0.51988],
                [-0.63659, -0.98327, 1.13489],
            ]
            assert model.weights_ == pytest.approx(np.array(plain), abs=1e-4)
            assert model.bias_weights_.tolist() == [0, 0, 0]
            return
        weights = [
            [1.29700, -0.34600, -0.83943],
            [-0.68258, 1.34139, -0.46183],
            [-0.62072, -0.82153, 1.18590],
        ]
        weights.append([-0.02174, -0.23514, -0.07424])
        assert weights_like(model, weights) == pytest.approx(np.array(weights), abs=1e-4)
        scores = [[0.96490, -0.99191, -0.32073], [1.07730, -0.41241, -0.87592]]
        assert model.decision_function(X)[:2] == pytest.approx(np.array(scores), abs=1e-4)

    def test_libmultilabels_weights(self):
        (case,) = [case for case in LINEAR["label_problems"] if case["technique"] == "1vsrest"]
        model, weights = OneVsRest(case["options"]).fit(X, Y), np.array(case["weights"])
        assert weights_like(model, weights) == pytest.approx(weights, abs=1e-5)

    def test_scikit_learns_one_vs_rest(self):
        X, y = LARGER
        peer = OneVsRestClassifier(LinearSVC(fit_intercept=False, tol=1e-8, max_iter=100_000)).fit(X, y)
        mine = OneVsRest("-s 1 -e 1e-8").fit(X, y)
        assert mine.decision_function(X) == pytest.approx(peer.decision_function(X), abs=1e-4)
        assert np.array_equal(mine.predict(X), peer.predict(X))


class TestBinaryAndMulticlass:
    @pytest.mark.parametrize(
        "case", LINEAR["multiclass"], ids=lambda case: f"{case['options']} {case['classes']}"
    )
    def test_libmultilabels_weights(self, case):
        """With three and two classes, and with one that no document has."""
        classes = np.array(case["classes"])
        model = BinaryAndMulticlass(case["options"]).fit(X, np.eye(classes.max() + 1)[classes])
        weights = np.array(case["weights"])
        assert weights_like(model, weights) == pytest.approx(weights, abs=1e-5)
        thresholds = case.get("thresholds", np.zeros(classes.max() + 1))
        assert model.thresholds_.tolist() == [-np.inf if one is None else one for one in thresholds]
        assert model.multiclass_
        assert np.array_equal(model.predict(X).argmax(axis=1), classes)

    @pytest.mark.parametrize("options", ["-s 2 -B 1 -e 1e-6", "-s 4 -e 1e-8"])
    @pytest.mark.parametrize(
        "named", [CLASSES, CLASSES == "oil", np.array([3, 3, 7, 7, 3, 3, 3, 3, 7])], ids=str
    )
    def test_a_matrix_and_names_give_the_same(self, options, named):
        names, places = np.unique(named, return_inverse=True)
        by_name = BinaryAndMulticlass(options).fit(X, named)
        by_column = BinaryAndMulticlass(options).fit(X, np.eye(len(names))[places])
        assert np.array_equal(by_name.predict(X), names[by_column.predict(X).argmax(axis=1)])
        scores = by_column.decision_function(X)
        assert np.array_equal(by_name.decision_function(X), scores if len(names) > 2 else scores[:, 1])

    @pytest.mark.parametrize(("row", "labels", "count"), [(5, [0, 0, 0], 0), (3, [1, 0, 1], 2)])
    def test_a_document_without_exactly_one_label_is_named(self, row, labels, count):
        y = np.eye(3)[[0, 1, 2] * 3]
        y[row] = labels
        message = rf"^y\[{row}\] has {count} labels; this technique needs exactly one a document$"
        with pytest.raises(ValueError, match=message):
            BinaryAndMulticlass().fit(X, y)


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

    @pytest.mark.parametrize("technique", [OneVsRest(), BinaryAndMulticlass(), *SEEDED], ids=name_of)
    def test_two_named_classes(self, technique):
        sea = np.where(CLASSES == "sea", "yes", "no")
        model = clone(technique).set_params(options="-s 2 -B 1").fit(X, sea)
        assert model.decision_function(X).shape == (9,)
        assert np.array_equal(model.predict(X), np.where(model.decision_function(X) > 0, "yes", "no"))
        assert np.mean(model.predict(X) == sea) > 0.7

    def test_one_column_is_two_classes(self):
        with pytest.warns(DataConversionWarning):
            model = OneVsRest("-s 2").fit(X, Y[:, :1])
        assert model.predict(X).shape == (9,) and model.classes_.tolist() == [0, 1]

    @pytest.mark.parametrize(
        ("y", "message"),
        [
            ([[0, 1, 0], [0, 0, 2], [3, 0, 1]], r"y\[1, 2\] is 2: a label is there"),
            (sparse.csc_array([[0, 1, 0], [0, 0, 2], [3, 0, 1]]), r"y\[1, 2\] is 2: a label is there"),
            (sparse.coo_array((np.ones(2), ([1, 1], [0, 0])), (3, 2)), r"y\[1, 0\] is 2.0: a label"),
            ([[1, 0], [0, 1], [-1, 1]], r"y\[2, 0\] is -1: a label"),
            ([[1, 0], [0, np.nan], [1, 1]], r"y\[1, 1\] is nan: a label"),
            ([["oil", "gas"]] * 3, "y holds <U3: numbers are needed"),
            (np.array([["oil", 1]] * 3, dtype=object), "y holds object: numbers are needed"),
            ([["oil", "gas"], ["sea"], []], "y has rows of unequal length: give a 0/1 matrix"),
            (["oil"] * 3, "y has one class, 'oil': a classifier needs two at least"),
            ([[1, 0], [0, 1]], "X has 3 rows, but y has 2"),
            (np.zeros((3, 0)), "0 feature"),
            (np.zeros((3, 2, 2)), "dim"),
        ],
    )
    def test_bad_targets(self, y, message):
        with pytest.raises(ValueError, match=message):
            OneVsRest().fit(X[:3], y)


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
    @pytest.mark.parametrize("technique", [*MATRIX_TECHNIQUES, BinaryAndMulticlass()], ids=name_of)
    def test_bad_values(self, technique):
        y = np.eye(3)[[0, 1, 2] * 3]
        with pytest.raises(ValueError, match="options '-s 12': the solver of -s is 12"):
            clone(technique).set_params(options="-s 12").fit(X, y)
        with pytest.raises(ValueError, match="n_jobs is -1: give 1 process or more"):
            clone(technique).set_params(n_jobs=-1).fit(X, y)

    @pytest.mark.parametrize("technique", MATRIX_TECHNIQUES, ids=name_of)
    def test_numbers_do_not_depend_on_the_number_of_processes(self, technique, monkeypatch):
        monkeypatch.setattr(label_problems, "ALONE", 0)
        usual = {"options": "-s 1 -e 1 -B 1"}
        ways = [{"n_jobs": 1}, {"n_jobs": 2}, {"n_jobs": 3}, {"options": "-s 1 -e 1 -B 1 -m 2"}]
        models = [clone(technique).set_params(**usual | way).fit(*LARGER) for way in ways]
        scores = [model.decision_function(LARGER[0]) for model in models]
        assert all(np.array_equal(scores[0], other) for other in scores[1:])
        assert np.array_equal(models[0].thresholds_, models[1].thresholds_)

    @pytest.mark.parametrize("technique", [*MATRIX_TECHNIQUES, BinaryAndMulticlass()], ids=name_of)
    def test_weights_that_do_not_fit_into_memory(self, technique, monkeypatch):
        """A tree keeps only the weights that are not 0."""
        monkeypatch.setattr(linear, "_memory", lambda: 100)
        model, y = clone(technique), np.eye(3)[[0, 1, 2] * 3]
        if name_of(technique) == "LabelTree":
            assert model.fit(X[:, :1], y[:, :2]).predict(X[:, :1]).shape == (9, 2)
            return
        with pytest.raises(MemoryError, match="the weights of 3 labels on 3 features take .* GiB, this mach"):
            model.fit(X, y)


class TestScikitLearn:
    @pytest.mark.parametrize("technique", [OneVsRest(), BinaryAndMulticlass(), *SEEDED], ids=name_of)
    def test_its_checks(self, technique):
        check_estimator(technique, on_skip=None)

    @pytest.mark.parametrize("technique", MATRIX_TECHNIQUES, ids=name_of)
    @pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
    def test_a_grid_of_options(self, technique, form):
        texts = ["wheat corn", "corn wheat oil", "oil gas", "gas price", "oil gas price", "wheat"] * 3
        y = form(np.array([[1, 0, 0], [1, 1, 0], [0, 1, 1], [0, 0, 1], [0, 1, 1], [1, 0, 0]] * 3))
        pipeline = make_pipeline(TfidfVectorizer(), clone(technique))
        grid = {f"{name_of(technique).lower()}__options": ["-s 2 -c 0.0001", "-s 2 -c 10 -B 1"]}
        search = GridSearchCV(pipeline, grid, scoring="f1_micro", cv=3, error_score="raise").fit(texts, y)
        assert search.best_params_ == {f"{name_of(technique).lower()}__options": "-s 2 -c 10 -B 1"}
        assert search.best_score_ > 0.8
        assert search.predict(["wheat", "gas"]).tolist() == [[1, 0, 0], [0, 0, 1]]
