"""Thresholds: LibMultiLabel's numbers, both rules written out slowly, and every cut through some scores."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from liblinear.liblinearutil import train
from scipy import sparse
from sklearn.base import clone

from helpers import ROOT
from helpers.models.linear.base import OneVsRest
from helpers.models.linear.thresholding import (
    FBR,
    Thresholding,
    last_best,
    threshold_candidates,
)

PROPERTY = settings(max_examples=100)
GOLDEN = json.loads((ROOT / "tests/golden/linear.json").read_text("utf-8"))
X, Y = np.array(GOLDEN["features"]), np.array(GOLDEN["targets"])
RULES = ["micromacro-freq", "scut-fbr"]


def trained(features, positive, options):
    """LIBLINEAR's weights of one label."""
    model = train(np.where(positive, 1, -1), sparse.csr_matrix(features), f"{options} -q")
    return np.ctypeslib.as_array(model.w, (features.shape[1],)) * model.get_labels()[0]


def folds_of(order):
    n = len(order)
    for fold in range(3):
        inside = range(int(fold * n / 3), int((fold + 1) * n / 3))
        yield order[[place for place in range(n) if place not in inside]], order[list(inside)]


def f1_of(predicted, positive):
    hits = (predicted & positive).sum()
    return 2 * hits / (predicted.sum() + positive.sum()) if hits else 0.0


def micromacro(features, y, options, random):
    """One item at a time: labels by decreasing support, ties reversed; the cut starts below all."""
    n, labels = y.shape
    support = y.sum(axis=0)
    thresholds, sums = np.zeros(labels), np.zeros(3)
    for rank, label in enumerate(sorted(range(labels), key=lambda label: (-support[label], -label)), start=1):
        order, found, added = random.permutation(n), [], np.zeros(3)
        for training, validation in folds_of(order):
            scores = features[validation] @ trained(features[training], y[training, label], options)
            by_score = sorted(range(len(scores)), key=scores.__getitem__)
            best = (-1, None, None)
            for cut in range(len(scores) + 1):
                above = np.zeros(len(scores), dtype=bool)
                above[by_score[cut:]] = True
                gold = y[validation, label] == 1
                counts = np.array([(above & gold).sum(), (above & ~gold).sum(), (~above & gold).sum()])
                own, pooled = (2 * c[0] / max(2 * c[0] + c[1] + c[2], 1) for c in (counts, counts + sums))
                if own / rank + pooled >= best[0]:
                    best = (own / rank + pooled, cut, counts)
            ordered = scores[by_score]
            ends = [
                np.nextafter(ordered[0], -np.inf),
                *(ordered[1:] + ordered[:-1]) / 2,
                np.nextafter(ordered[-1], np.inf),
            ]
            found.append(ends[best[1]])
            added += best[2]
        thresholds[label] = -np.mean(found)
        sums += added
    return thresholds


def scut(scores, gold):
    """The score to exceed: 0, unless a cut between the scores is better; and F with it."""
    candidates = sorted(scores)
    best, cut = f1_of(scores > 0, gold), 0.0
    by_score = np.argsort(scores, kind="stable")
    chosen = -1.0
    for place in range(len(scores)):
        above = np.isin(np.arange(len(scores)), by_score[place:])
        if f1_of(above, gold) > best and f1_of(above, gold) >= chosen:
            chosen = f1_of(above, gold)
            cut = (
                (candidates[place - 1] + candidates[place]) / 2
                if place
                else np.nextafter(candidates[0], -1e9)
            )
    return cut, f1_of(scores > cut, gold)


def scut_folds(features, positive, fbr, options, order):
    found = []
    for training, validation in folds_of(order):
        scores = features[validation] @ trained(features[training], positive[training], options)
        cut, f1 = scut(scores, positive[validation])
        found.append(cut if f1 > fbr else scores.max())
    return -np.mean(found)


def scut_fbr(features, positive, options, random):
    """Each value of fbr on its own; the same folds for all."""
    outer = random.permutation(len(positive))
    inner = [random.permutation(len(training)) for training, _ in folds_of(outer)]
    sums = []
    for fbr in FBR:
        total = 0.0
        for (training, validation), order in zip(folds_of(outer), inner, strict=True):
            threshold = scut_folds(features[training], positive[training], fbr, options, order)
            scores = features[validation] @ trained(features[training], positive[training], options)
            total += f1_of(scores + threshold > 0, positive[validation])
        sums.append(total)
    best = (
        max(fbr for fbr, total in zip(FBR, sums, strict=True) if total == max(sums)) if max(sums) else FBR[0]
    )
    return scut_folds(features, positive, best, options, random.permutation(len(positive)))


def some_documents(seed, n=36, labels=5, steps=None):
    """Labels that the features explain in part, the last ones rare; with steps, some scores are equal."""
    rng = np.random.default_rng(seed)
    features, noise = rng.random((n, 4)), rng.normal(size=(n, 5))
    y = (features - 0.5) @ rng.normal(size=(4, 5)) + 0.6 * noise > [-0.3, 0.3, 0.6, 0.9, 1.1]
    return (np.floor(features * steps) if steps else features), y[:, :labels].astype(int)


class TestMicromacro:
    @pytest.mark.parametrize(
        "case",
        [case for case in GOLDEN["label_problems"] if case["technique"] == "thresholding"],
        ids=lambda case: case["options"],
    )
    def test_libmultilabels_numbers(self, case):
        model = Thresholding(case["options"], random_state=1337).fit(X, Y)
        assert model.thresholds_ == pytest.approx(case["thresholds"], abs=1e-5)
        weights = np.array(case["weights"])
        assert model.weights_ == pytest.approx(weights[:3], abs=1e-5)
        if "-B" in case["options"]:
            assert model.bias_weights_ == pytest.approx(weights[3], abs=1e-5)

    @pytest.mark.parametrize(("seed", "steps"), [(2, None), (3, None), (5, None), (6, 3), (7, 3), (9, 2)])
    def test_it_is_the_slow_way(self, seed, steps):
        features, y = some_documents(seed, n=34 + seed % 3, steps=steps)
        expected = micromacro(features, y, "-s 2 -e 1e-6", np.random.RandomState(seed))
        model = Thresholding("-s 2 -e 1e-6", random_state=seed).fit(features, y)
        assert model.thresholds_ == pytest.approx(expected, abs=1e-9)


class TestScutFbr:
    @pytest.mark.parametrize("case", GOLDEN["scut_fbr"], ids=lambda case: case["options"])
    def test_libmultilabels_numbers(self, case):
        model = Thresholding(case["options"], rule="scut-fbr", random_state=1337).fit(X, Y)
        assert model.thresholds_ == pytest.approx(case["thresholds"], abs=1e-5)
        assert np.array_equal(model.weights_, OneVsRest(case["options"]).fit(X, Y).weights_)

    def test_libmultilabels_numbers_where_scores_are_equal(self):
        """A cut between equal scores does not part them, so F is counted again with its threshold."""
        case = GOLDEN["equal_scores"]
        model = Thresholding(case["options"], rule="scut-fbr", random_state=1337)
        model.fit(case["features"], case["targets"])
        assert model.thresholds_ == pytest.approx(case["scut_fbr_thresholds"], abs=1e-5)

    @pytest.mark.parametrize(("seed", "steps"), [(0, None), (1, None), (2, 2), (3, 2)])
    def test_it_is_the_slow_way(self, seed, steps):
        features, y = some_documents(seed, n=20 + seed, labels=3, steps=steps)
        random = np.random.RandomState(seed)
        expected = [scut_fbr(features, y[:, label] == 1, "-s 2 -e 1e-6", random) for label in range(3)]
        model = Thresholding("-s 2 -e 1e-6", rule="scut-fbr", random_state=seed).fit(features, y)
        assert model.thresholds_ == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rule", RULES)
class TestBothRules:
    def test_the_folds_are_those_of_the_random_state(self, rule):
        features, y = some_documents(1)
        model = Thresholding("-s 2", rule=rule)
        thresholds = [
            clone(model).set_params(random_state=random).fit(features, y).thresholds_.tolist()
            for random in (5, np.random.RandomState(5), 6, None, None)
        ]
        assert thresholds[0] == thresholds[1]
        assert len({tuple(one) for one in thresholds[1:]}) == 4

    def test_labels_of_all_and_of_no_documents(self, rule):
        y = np.column_stack([np.ones(9), np.zeros(9), np.arange(9) == 4])
        model = Thresholding("-s 2 -B 1", rule=rule, random_state=2).fit(X, y)
        assert np.isfinite(model.thresholds_).all()
        assert model.predict(X)[:, 0].all()


class TestCuts:
    @PROPERTY
    @given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=12))
    def test_every_cut(self, pairs):
        """Equal scores are parted in the order of the documents."""
        scores, positive = np.array([score / 2 for score, _ in pairs]), np.array([p for _, p in pairs])
        cuts = threshold_candidates(scores, positive)
        assert cuts.scores.tolist() == sorted(scores)
        order = sorted(range(len(scores)), key=scores.__getitem__)
        for place in range(len(scores) + 1):
            above = set(order[place:])
            tp = sum(positive[document] for document in above)
            counts = (tp, len(above) - tp, positive.sum() - tp)
            assert tuple(cuts.counts.at(place)) == counts
            threshold = cuts.threshold(place)
            expected = set(np.flatnonzero(scores > threshold))
            parts_equals = 0 < place < len(scores) and cuts.scores[place - 1] == cuts.scores[place]
            assert parts_equals or expected == above

    @pytest.mark.parametrize("scores", [[0.0], [1e9, -1e9], [-0.3, 0.3, 0.3]], ids=str)
    def test_the_first_and_the_last_threshold_are_the_next_numbers(self, scores):
        cuts = threshold_candidates(np.array(scores), np.full(len(scores), True))
        assert np.nextafter(cuts.threshold(0), np.inf) == min(scores)
        assert np.nextafter(cuts.threshold(len(scores)), -np.inf) == max(scores)

    @PROPERTY
    @given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
    def test_the_last_of_the_best(self, values):
        assert last_best(np.array(values)) == max(i for i, value in enumerate(values) if value == max(values))
