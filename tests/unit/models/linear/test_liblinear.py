"""Option strings, and the training of one label: against LIBLINEAR's own Python interface."""

import ctypes

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train
from scipy import sparse

from helpers.models.linear.liblinear import Options, Rows, parse_options

X = np.array(
    [[1, 0, 0.5], [0.9, 0.1, 0], [0, 1, 0.2], [0.1, 0.8, 0.4], [0.2, 0.1, 1], [0, 0.3, 0.9], [0.7, 0.6, 0],
     [0.4, 0.2, 0.6], [0.05, 0.95, 0.1]]
)  # fmt: skip
FIRST = np.array([1, 1, 0, 0, 0, 0, 1, 1, 0], dtype=bool)


def seed_generator(seed=1):
    """Of the C library: LIBLINEAR's order of the documents comes from it."""
    ctypes.CDLL(None).srand(seed)


def theirs(targets, features, options):
    """Decision values for +1, and predicted targets, by LIBLINEAR's own functions in the same order."""
    seed_generator()
    model = train(targets, sparse.csr_matrix(features), f"{options} -q")
    predicted, _, values = predict([], sparse.csr_matrix(features), model, "-q")
    return np.array(values)[:, 0] * model.get_labels()[0], np.array(predicted)


class TestOptions:
    @pytest.mark.parametrize(
        ("text", "parsed"),
        [
            ("", Options("-s 1 -q", -1.0, None)),
            (None, Options("-s 1 -q", -1.0, None)),
            ("-c 4 -B 1 -q", Options("-c 4 -s 1 -q", 1.0, None)),
            ("-s 1 -B 1 -e 0.0001", Options("-e 0.0001 -s 1 -q", 1.0, None)),
            ("-B 0.5 -m 3 -w1 2 -s 7", Options("-w1 2 -s 7 -q", 0.5, 3)),
            ("  -q -q   -c 2 ", Options("-c 2 -s 1 -q", -1.0, None)),
            ("-s 2 -B 1 -s 5 -B 2 -m 4 -m 1", Options("-s 5 -q", 2.0, 1)),  # the last one, as in LIBLINEAR
        ],
    )
    def test_what_is_made_of_a_text(self, text, parsed):
        assert parse_options(text) == parsed
        assert parsed.has_bias == (parsed.bias > 0)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("-R", "-R, an unregularised bias, is not supported"),
            ("-C -s 2", "-C, the search for C, is not supported"),
            ("-v 3", "-v, cross-validation, is not supported"),
            ("-v5", "-v, cross-validation, is not supported"),  # LibMultiLabel refuses them anywhere
            ("-s 8", "the solver of -s is 8; those for classification are 0 to 7"),
            ("-s -1", "the solver of -s is -1; those"),
            ("-s 1 -s 11", "the solver of -s is 11; those"),
            ("-s", "-s needs a number after it"),
            ("-s 1.5", "-s needs a number after it"),
            ("-B -s 1", "-B needs a number after it"),
            ("-B nan", "-B is nan; it has to be finite"),
            ("-B inf", "-B is inf; it has to be finite"),
            ("-m 0", "-m is 0; at least one process is needed"),
            ("-m two", "-m needs a number after it"),
            ("-c", "LIBLINEAR does not understand them"),
            ("-c one", "LIBLINEAR does not understand them .*'one'"),
            ("-w 2", "LIBLINEAR does not understand them"),
            ("-x 1", "LIBLINEAR does not understand them .Wrong options"),
            ("1vsrest", "LIBLINEAR does not understand them"),
            ("-c 0", "-c and -e have to be above 0"),
            ("-c nan", "-c and -e have to be above 0"),
            ("-c inf", "-c and -e have to be above 0, and -c finite"),
            ("-e -0.1", "-c and -e have to be above 0"),
            ("-w1 0", "the weights -wi have to be above 0 and finite"),
            ("-w1 2 -w-1 -2", "the weights -wi have to be above 0 and finite"),
            ("-w1 nan", "the weights -wi have to be above 0 and finite"),
            ("-w1 inf", "the weights -wi have to be above 0 and finite"),
        ],
    )
    def test_refused(self, text, message):
        with pytest.raises(ValueError, match=f"^options '{text}': {message}"):
            parse_options(text)


class TestTraining:
    @pytest.mark.parametrize("solver", range(8))
    @pytest.mark.parametrize("bias", [0, 1.5])
    def test_every_solver_is_liblinears(self, solver, bias):
        rows = Rows(X, parse_options(f"-s {solver} -c 2 -B {bias}"))
        features = np.hstack([X, np.full((9, 1), bias)]) if bias else X
        values, predicted = theirs(np.where(FIRST, 1, -1), features, f"-s {solver} -c 2")
        assert rows.width == 3 + bool(bias)
        assert rows.decide(rows.train(FIRST), np.arange(9)) == pytest.approx(values, abs=1e-9)
        assert np.array_equal(np.where(values > 0, 1, -1), predicted)

    @pytest.mark.parametrize("solver", range(8))
    @pytest.mark.parametrize("first", [True, False])
    def test_the_sign_is_that_of_the_label_whichever_comes_first(self, solver, first):
        apart = np.delete(np.arange(9), 7)
        order = sorted(apart, key=lambda document: FIRST[document] != first)
        rows = Rows(X[order], parse_options(f"-s {solver}"))
        assert np.array_equal(rows.decide(rows.train(FIRST[order])) > 0, FIRST[order])

    @pytest.mark.parametrize("solver", range(8))
    @pytest.mark.parametrize("value", [True, False])
    def test_a_label_that_all_or_no_documents_have(self, solver, value):
        """Crammer and Singer's solver has nothing to tell apart, and leaves weights of 0."""
        rows = Rows(X, parse_options(f"-s {solver} -B 1"))
        values = rows.decide(rows.train(np.full(9, value)))
        if solver == 4:
            assert not values.any()
        else:
            assert ((values > 0) == value).all()
            mirrored = rows.decide(rows.train(np.full(9, not value)))
            assert values == pytest.approx(-mirrored, abs=1e-9)

    @pytest.mark.parametrize("solver", range(8))
    def test_documents_without_any_feature(self, solver):
        features = np.vstack([X, np.zeros((3, 3))])
        positive = np.concatenate([FIRST, [True, False, False]])
        values, _ = theirs(np.where(positive, 1, -1), features, f"-s {solver}")
        rows = Rows(features, parse_options(f"-s {solver}"))
        assert rows.decide(rows.train(positive)) == pytest.approx(values, abs=1e-9)
        assert rows.decide(rows.train(positive))[-3:].tolist() == [0, 0, 0]

    @pytest.mark.parametrize("solver", range(8))
    def test_some_of_the_documents(self, solver):
        """As if there were no others, in any order, and a document may come twice."""
        options = parse_options(f"-s {solver} -B 1")
        chosen = np.array([8, 0, 3, 3, 5, 6])
        part = Rows(X[chosen], options).train(FIRST[chosen])
        assert np.array_equal(Rows(X, options).train(FIRST, chosen), part)

    @pytest.mark.parametrize("solver", range(8))
    def test_a_cost_is_a_weight_on_the_positive_documents(self, solver):
        values, _ = theirs(np.where(FIRST, 1, -1), X, f"-s {solver} -w1 3.67")
        rows = Rows(X, parse_options(f"-s {solver}"))
        assert rows.decide(rows.train(FIRST, cost=3.67)) == pytest.approx(values, abs=1e-9)

    @pytest.mark.parametrize("solver", [1, 3, 4, 5, 6, 7])
    def test_weights_do_not_depend_on_what_was_trained_before(self, solver):
        """Coarsely, so that the random order of the documents shows."""
        rows = Rows(np.random.default_rng(1).random((60, 5)), parse_options(f"-s {solver} -e 1 -B 1"))
        labels = np.random.default_rng(2).random((3, 60)) < 0.4
        alone = [rows.train(label) for label in labels]
        seed_generator(5)
        again = [rows.train(label) for label in labels[::-1]][::-1]
        assert np.array_equal(alone, again)


class TestClasses:
    @pytest.mark.parametrize("solver", range(8))
    @pytest.mark.parametrize("classes", [[0, 0, 1, 1, 2, 2, 0, 2, 1], [3, 3, 1, 1, 1, 1, 3, 3, 1]], ids=str)
    def test_it_is_liblinears(self, solver, classes):
        seed_generator()
        model = train(classes, sparse.csr_matrix(X), f"-s {solver} -q")
        _, _, values = predict([], sparse.csr_matrix(X), model, "-q")
        rows = Rows(X, parse_options(f"-s {solver}"))
        weights, found = rows.train_classes(np.array(classes))
        assert found.tolist() == model.get_labels()
        assert weights.shape == (3, 1 if len(found) == 2 and solver != 4 else len(found))
        told = np.array(values)  # for two classes LIBLINEAR tells the value of the first
        assert rows.decide(weights)[:, : told.shape[1]] == pytest.approx(told, abs=1e-9)
        if weights.shape[1] == 2:
            assert weights[:, 1] == pytest.approx(-weights[:, 0], abs=1e-9)


class TestFeatures:
    @pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
    @pytest.mark.parametrize("bias", ["", "-B 1"])
    def test_unsorted_and_repeated_features_are_put_in_order_elsewhere(self, form, bias):
        """Taken as two features, 0.5 + 0.5 would have half the squared length of 1.0."""
        columns, starts = np.array([2, 0, 1, 0, 0, 2, 1]), np.array([0, 2, 5, 7])
        values = np.array([0.5, 1, 0.1, 0.5, 0.5, 1, 0.2])
        features = form((values, columns, starts), shape=(3, 3))
        before = [part.copy() for part in (features.data, features.indices, features.indptr)]
        options = parse_options(f"-s 1 -e 0.5 {bias}")
        positive = np.array([True, False, False])
        assert np.array_equal(
            Rows(features, options).train(positive), Rows(features.toarray(), options).train(positive)
        )
        after = (features.data, features.indices, features.indptr)
        assert all(np.array_equal(one, other) for one, other in zip(before, after, strict=True))
