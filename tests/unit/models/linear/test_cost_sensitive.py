"""Cost-sensitive training: the search for a cost written out slowly; LibMultiLabel's numbers: test_base."""

import numpy as np
import pytest

from helpers.models.linear import OneVsRest
from helpers.models.linear.tuning import COSTS, FBR, CostSensitive, CostSensitiveMicro
from tests.support import LINEAR, liblinear_weights, three_folds

TECHNIQUES = pytest.mark.parametrize("technique", [CostSensitive, CostSensitiveMicro])
EXACT = "-s 2 -e 1e-6"


def cross_validated(features, positive, cost, order):
    """True positives, false positives, false negatives over all three folds."""
    predicted = np.zeros(len(order), dtype=bool)
    for training, validation in three_folds(order):
        weight = f" -w1 {cost}" if positive[training].any() else ""
        weights = liblinear_weights(features[training], positive[training], EXACT + weight)
        predicted[validation] = features[validation] @ weights > 0
    return np.array(
        [(predicted & positive).sum(), (predicted & ~positive).sum(), (~predicted & positive).sum()]
    )


def first_best(counts):
    """The cost of the first of the highest F."""
    values = [2 * tp / (2 * tp + fp + fn) if tp else 0.0 for tp, fp, fn in counts]
    return COSTS[values.index(max(values))]


def test_costs_are_those_of_the_document():
    """(2 − t)/t for t = 7/7 … 1/7, two decimals; and the values of fbr, tenths."""
    sevenths = np.arange(7, 0, -1) / 7
    assert pytest.approx((2 - sevenths) / sevenths, abs=5e-3) == COSTS
    assert pytest.approx(np.arange(1, 9) / 10) == FBR


@pytest.mark.parametrize("seed", [1, 2])
@TECHNIQUES
def test_the_costs_are_those_of_a_slow_search_and_the_weights_are_those_of_the_costs(technique, seed):
    rng = np.random.default_rng(seed)
    features = rng.random((40, 4))
    rare = features @ rng.normal(size=(4, 4)) > [0.6, 0.9, 1.2, 1.5]
    y = (rare ^ (rng.random((40, 4)) < 0.1)).astype(int)
    random, micro = np.random.RandomState(seed), technique is CostSensitiveMicro
    orders = [random.permutation(40)] * 4 if micro else [random.permutation(40) for _ in range(4)]
    counts = [
        [cross_validated(features, positive, cost, order) for cost in COSTS]
        for positive, order in zip(y.T == 1, orders, strict=True)
    ]
    expected = [first_best(sum(map(np.array, counts)))] * 4 if micro else [*map(first_best, counts)]
    model = technique(EXACT, random_state=seed).fit(features, y)
    assert model.costs_.tolist() == expected
    assert expected[0] > 1 if micro else len(set(expected)) > 1
    for label, cost in enumerate(expected):
        alone = OneVsRest(f"{EXACT} -w1 {cost}").fit(features, y).weights_[:, label]
        assert model.weights_[:, label] == pytest.approx(alone, abs=1e-12)


@TECHNIQUES
@pytest.mark.parametrize("n", [1, 2, 9])
def test_of_costs_that_are_all_the_same_the_lowest(technique, n):
    """Nothing is right, or everything, whatever the cost; a fold may be empty."""
    features = np.array(LINEAR["features"])
    model = technique("-s 2 -B 1", random_state=1).fit(features[:n], np.zeros((n, 2)))
    assert model.costs_.tolist() == [1, 1] and not model.predict(features).any()


def test_each_label_takes_the_best_pair_of_a_cost_and_a_c():
    """Sections 3.3 and 3.8."""
    features = np.random.default_rng(3).random((60, 5))
    y = (features[:, :2] + 0.3 * np.random.default_rng(4).random((60, 2)) > 0.85).astype(int)
    factors = (0.1, 1.0, 10.0)
    grid = CostSensitive("-s 2", random_state=1, c_factors=factors, splits="different").fit(features, y)
    assert set(grid.c_factors_) <= set(factors) and set(grid.costs_) <= set(COSTS)
    for label, (factor, cost) in enumerate(zip(grid.c_factors_, grid.costs_, strict=True)):
        alone = OneVsRest(f"-s 2 -c {factor} -w1 {cost}").fit(features, y)
        assert grid.weights_[:, label] == pytest.approx(alone.weights_[:, label], abs=1e-9)
