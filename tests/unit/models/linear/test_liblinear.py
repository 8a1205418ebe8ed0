"""Option strings, and the training of one label: against LIBLINEAR's own Python interface."""

import ctypes

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train
from scipy import sparse

from helpers.models.linear import parse_options
from helpers.models.linear.liblinear import LabelProblems, Options

X = np.array(
    [[1, 0, 0.5], [0.9, 0.1, 0], [0, 1, 0.2], [0.1, 0.8, 0.4], [0.2, 0.1, 1], [0, 0.3, 0.9], [0.7, 0.6, 0],
     [0.4, 0.2, 0.6], [0.05, 0.95, 0.1]]
)  # fmt: skip
FIRST = np.array([1, 1, 0, 0, 0, 0, 1, 1, 0], dtype=bool)


def documents(features, options: str, positive=()) -> LabelProblems:
    """With one label, that of the `positive` ones; without any, nobody's."""
    targets = np.reshape(positive, (-1, 1)) if len(positive) else (features.shape[0], 1)
    return LabelProblems(features, sparse.csc_array(targets, dtype=float), parse_options(options))


def seed_generator(seed=1):
    """Of the C library: LIBLINEAR's order of the documents comes from it."""
    ctypes.CDLL(None).srand(seed)


def theirs(targets, features, options):
    """The model and its decision values, by LIBLINEAR's own functions in the same order."""
    seed_generator()
    model = train(targets, sparse.csr_matrix(features), f"{options} -q")
    return model, np.array(predict([], sparse.csr_matrix(features), model, "-q")[2])


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        (None, Options("-s 1 -q", -1.0, None)),
        ("-B 0.5 -m 3 -w1 0.5 -s 7 -q", Options("-w1 0.5 -s 7 -q", 0.5, 3)),
        ("  -q -q   -c 2 -B 0", Options("-c 2 -s 1 -q", -1.0, None)),
        ("-s 2 -B 1 -s 5 -B 2 -m 4 -m 1", Options("-s 5 -q", 2.0, 1)),  # the last one, as in LIBLINEAR
    ],
)
def test_what_is_made_of_a_text(text, parsed):
    assert parse_options(text) == parsed


@pytest.mark.parametrize("solver", range(8))
class TestTraining:
    @pytest.mark.parametrize("case", ["plain", "bias", "cost", "documents without any feature"])
    def test_every_solver_is_liblinears(self, solver, case):
        features, positive, options, more, cost = X, FIRST, f"-s {solver} -c 2", "", 1.0
        if case == "cost":
            more, cost = " -w1 3.67", 3.67
        if case == "documents without any feature":
            features, positive = np.vstack([X, np.zeros((3, 3))]), np.append(FIRST, [True, False, False])
        rows = documents(features, options + (" -B 1.5" if case == "bias" else ""), positive)
        if case == "bias":
            features = np.hstack([X, np.full((9, 1), 1.5)])
        model, values = theirs(np.where(positive, 1, -1), features, options + more)
        assert rows.width == features.shape[1]
        decided = rows.decide(rows.solve(0, cost=cost), np.arange(len(positive)))
        assert decided == pytest.approx(values[:, 0] * model.get_labels()[0], abs=1e-9)
        assert len(positive) == 9 or not decided[-3:].any()

    @pytest.mark.parametrize("first", [True, False])
    def test_the_sign_is_that_of_the_label_whichever_comes_first(self, solver, first):
        apart = np.delete(np.arange(9), 7)
        order = sorted(apart, key=lambda document: FIRST[document] != first)
        rows = documents(X[order], f"-s {solver}", FIRST[order])
        assert np.array_equal(rows.decide(rows.solve(0)) > 0, FIRST[order])

    def test_a_label_that_all_or_no_documents_have(self, solver):
        """Crammer and Singer's solver has nothing to tell apart, and leaves weights of 0."""
        both = (documents(X, f"-s {solver} -B 1", np.full(9, value)) for value in (True, False))
        every, none = (rows.decide(rows.solve(0)) for rows in both)
        assert every == pytest.approx(-none, abs=1e-9)
        assert not every.any() if solver == 4 else (every > 0).all()

    def test_some_of_the_documents(self, solver):
        """As if there were no others, in any order, and a document may come twice."""
        options, chosen = f"-s {solver} -B 1", np.array([8, 0, 3, 3, 5, 6])
        part = documents(X[chosen], options, FIRST[chosen]).solve(0)
        assert np.array_equal(documents(X, options, FIRST).solve(0, chosen), part)

    def test_weights_do_not_depend_on_what_was_trained_before(self, solver):
        """Coarsely, so that the random order of the documents shows."""
        features, labels = np.random.default_rng(1).random((60, 5)), np.random.default_rng(2).random((60, 3))
        rows = LabelProblems(features, labels < 0.4, parse_options(f"-s {solver} -e 1 -B 1"))
        alone = [rows.solve(label) for label in range(3)]
        seed_generator(5)
        again = [rows.solve(label) for label in (2, 1, 0)][::-1]
        assert np.array_equal(alone, again)

    @pytest.mark.parametrize("classes", [[0, 0, 1, 1, 2, 2, 0, 2, 1], [3, 3, 1, 1, 1, 1, 3, 3, 1]], ids=str)
    def test_several_classes(self, solver, classes):
        model, values = theirs(classes, X, f"-s {solver}")  # of two classes the values of the first
        rows = documents(X, f"-s {solver}")
        weights, order = rows.train_classes(np.array(classes))
        assert order.tolist() == model.get_labels()
        assert weights.shape == (3, 1 if len(order) == 2 and solver != 4 else len(order))
        assert rows.decide(weights)[:, : values.shape[1]] == pytest.approx(values, abs=1e-9)
        if weights.shape[1] == 2:
            assert weights[:, 1] == pytest.approx(-weights[:, 0], abs=1e-9)


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("bias", ["", "-B 1"])
def test_unsorted_and_repeated_features_are_put_in_order_elsewhere(form, bias):
    """Taken as two features, 0.5 + 0.5 would have half the squared length of 1.0."""
    columns, starts = np.array([2, 0, 1, 0, 0, 2, 1]), np.array([0, 2, 5, 7])
    values = np.array([0.5, 1, 0.1, 0.5, 0.5, 1, 0.2])
    features = form((values, columns, starts), shape=(3, 3))
    before = [part.copy() for part in (features.data, features.indices, features.indptr)]
    options, positive = f"-s 1 -e 0.5 {bias}", np.array([True, False, False])
    mine, dense = (documents(table, options, positive).solve(0) for table in (features, features.toarray()))
    assert np.array_equal(mine, dense)
    after = (features.data, features.indices, features.indptr)
    assert all(np.array_equal(*pair) for pair in zip(before, after, strict=True))
