"""Cost-sensitive training: LibMultiLabel's numbers, and the search for a cost written out slowly."""

import json

import numpy as np
import pytest
from liblinear.liblinearutil import train
from scipy import sparse
from sklearn.base import clone

from helpers import ROOT
from helpers.models.linear.base import OneVsRest
from helpers.models.linear.cost_sensitive import COSTS, CostSensitive, CostSensitiveMicro

GOLDEN = json.loads((ROOT / "tests/golden/linear.json").read_text("utf-8"))
X, Y = np.array(GOLDEN["features"]), np.array(GOLDEN["targets"])
TECHNIQUES = {"cost_sensitive": CostSensitive, "cost_sensitive_micro": CostSensitiveMicro}


def with_bias(model):
    return np.vstack([model.weights_, model.bias_weights_])


def cross_validated(features, positive, options, cost, order):
    """True positives, false positives, false negatives over all three folds."""
    n, predicted = len(order), np.zeros(len(order), dtype=bool)
    for fold in range(3):
        validation = order[int(fold * n / 3) : int((fold + 1) * n / 3)]
        training = np.array([document for document in order if document not in validation])
        targets = np.where(positive[training], 1, -1)
        weight = f"-w1 {cost}" if (targets > 0).any() else ""
        model = train(targets, sparse.csr_matrix(features[training]), f"{options} {weight} -q")
        weights = np.ctypeslib.as_array(model.w, (features.shape[1],)) * model.get_labels()[0]
        predicted[validation] = features[validation] @ weights > 0
    return np.array(
        [(predicted & positive).sum(), (predicted & ~positive).sum(), (~predicted & positive).sum()]
    )


def first_best(counts):
    """The cost of the first of the highest F."""
    values = [2 * tp / (2 * tp + fp + fn) if tp else 0.0 for tp, fp, fn in counts]
    return COSTS[values.index(max(values))]


@pytest.fixture(params=[1, 2])
def documents(request):
    rng = np.random.default_rng(request.param)
    features = rng.random((40, 4))
    rare = features @ rng.normal(size=(4, 4)) > [0.6, 0.9, 1.2, 1.5]
    return features, (rare ^ (rng.random((40, 4)) < 0.1)).astype(int), request.param


def test_costs_are_those_of_the_document():
    """(2 − t)/t for t = 7/7 … 1/7, two decimals."""
    sevenths = np.arange(7, 0, -1) / 7
    assert pytest.approx((2 - sevenths) / sevenths, abs=5e-3) == COSTS


@pytest.mark.parametrize(
    "case",
    [case for case in GOLDEN["label_problems"] if case["technique"] in TECHNIQUES],
    ids=lambda case: f"{case['technique']} {case['options']}",
)
def test_libmultilabels_weights(case):
    model = TECHNIQUES[case["technique"]](case["options"], random_state=1337).fit(X, Y)
    weights = with_bias(model) if "-B" in case["options"] else model.weights_
    assert weights == pytest.approx(np.array(case["weights"]), abs=1e-5)


def test_each_label_has_the_cost_of_a_slow_search(documents):
    features, y, seed = documents
    random = np.random.RandomState(seed)
    expected = []
    for positive in y.T == 1:
        order = random.permutation(40)
        expected.append(
            first_best([cross_validated(features, positive, "-s 2 -e 1e-6", cost, order) for cost in COSTS])
        )
    assert len(set(expected)) > 1
    model = CostSensitive("-s 2 -e 1e-6", random_state=seed).fit(features, y)
    assert model.costs_.tolist() == expected


def test_all_labels_have_the_cost_of_a_slow_search(documents):
    features, y, seed = documents
    order = np.random.RandomState(seed).permutation(40)
    pooled = [
        sum(cross_validated(features, positive, "-s 2 -e 1e-6", cost, order) for positive in y.T == 1)
        for cost in COSTS
    ]
    assert first_best(pooled) > 1
    model = CostSensitiveMicro("-s 2 -e 1e-6", random_state=seed).fit(features, y)
    assert model.costs_.tolist() == [first_best(pooled)] * 4


def test_the_weights_are_those_of_the_costs(documents):
    features, y, seed = documents
    for technique in TECHNIQUES.values():
        model = technique("-s 2 -e 1e-6", random_state=seed).fit(features, y)
        for label, cost in enumerate(model.costs_):
            alone = OneVsRest(f"-s 2 -e 1e-6 -w1 {cost}").fit(features, y).weights_[:, label]
            assert model.weights_[:, label] == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("technique", TECHNIQUES.values())
class TestBoth:
    @pytest.mark.parametrize("n", [1, 2, 9])
    def test_of_costs_that_are_all_the_same_the_lowest(self, technique, n):
        """Nothing is right, or everything, whatever the cost; a fold may be empty."""
        y = np.column_stack([np.zeros(n), np.zeros(n)])
        model = technique("-s 2 -B 1", random_state=1).fit(X[:n], y)
        assert model.costs_.tolist() == [1, 1] and not model.predict(X).any()

    def test_the_folds_are_those_of_the_random_state(self, technique):
        rng = np.random.default_rng(5)
        features, y = rng.random((30, 3)), (rng.random((30, 12)) < 0.3).astype(int)
        model = technique("-s 2", random_state=3)
        costs = [
            clone(model).set_params(random_state=random).fit(features, y).costs_.tolist()
            for random in (3, np.random.RandomState(3), 4)
        ]
        assert costs[0] == costs[1]
        assert technique is CostSensitiveMicro or costs[0] != costs[2]


class TestGridAndSplits:
    """Sections 3.3 and 3.8: pairs (C, t), and splits drawn anew for each of them."""

    X = np.random.default_rng(3).random((60, 5))
    Y = (X[:, :2] + 0.3 * np.random.default_rng(4).random((60, 2)) > 0.85).astype(int)

    def test_each_label_takes_the_best_pair(self) -> None:
        factors = (0.1, 1.0, 10.0)
        grid = CostSensitive("-s 2", random_state=1, c_factors=factors).fit(self.X, self.Y)
        assert set(grid.c_factors_) <= set(factors)
        assert set(grid.costs_) <= set(COSTS)
        for label, (factor, cost) in enumerate(zip(grid.c_factors_, grid.costs_, strict=True)):
            alone = CostSensitive("-s 2", random_state=1, c_factors=[factor]).fit(self.X, self.Y)
            if alone.costs_[label] == cost:  # the same problem on all documents
                np.testing.assert_allclose(alone.weights_[:, label], grid.weights_[:, label], atol=1e-9)

    @pytest.mark.parametrize(
        ("parameters", "said"),
        [
            ({"splits": "other"}, "unknown splits 'other'"),
            ({"c_factors": []}, "c_factors is .*positive numbers, at least one"),
            ({"c_factors": [1.0, -1.0]}, "c_factors is"),
        ],
    )
    def test_refused(self, parameters, said) -> None:
        with pytest.raises(ValueError, match=said):
            CostSensitive(**parameters).fit(self.X, self.Y)
