"""Thresholds: LibMultiLabel's numbers, both rules written out slowly, and every cut through some scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.models.linear import OneVsRest, Thresholding
from helpers.models.linear.tuning import _threshold_candidates
from tests.support import LINEAR, liblinear_weights, three_folds

X, Y = np.array(LINEAR["features"]), np.array(LINEAR["targets"])
EXACT = "-s 2 -e 1e-6"


def fold_scores(features, positive, training, validation):
    return features[validation] @ liblinear_weights(features[training], positive[training], EXACT)


def micromacro(features, y, random):
    """One item at a time: labels by decreasing support, ties reversed; the cut starts below all."""
    n, labels = y.shape
    thresholds, sums = np.zeros(labels), np.zeros(3)
    support = y.sum(axis=0)
    for rank, label in enumerate(sorted(range(labels), key=lambda label: (-support[label], -label)), start=1):
        cuts, added = [], np.zeros(3)
        for training, validation in three_folds(random.permutation(n)):
            gold = y[validation, label] == 1
            scores = fold_scores(features, y[:, label] == 1, training, validation)
            by_score = sorted(range(len(scores)), key=scores.__getitem__)
            best = (-1, None, None)
            for cut in range(len(scores) + 1):
                above = np.zeros(len(scores), dtype=bool)
                above[by_score[cut:]] = True
                counts = np.array([(above & gold).sum(), (above & ~gold).sum(), (~above & gold).sum()])
                own, pooled = (2 * c[0] / max(2 * c[0] + c[1] + c[2], 1) for c in (counts, counts + sums))
                if own / rank + pooled >= best[0]:
                    best = (own / rank + pooled, cut, counts)
            ordered = scores[by_score]
            below, above = np.nextafter(ordered[0], -np.inf), np.nextafter(ordered[-1], np.inf)
            ends = [below, *(ordered[1:] + ordered[:-1]) / 2, above]
            cuts.append(ends[best[1]])
            added += best[2]
        thresholds[label] = -np.mean(cuts)
        sums += added
    return thresholds


def some_documents(seed, n=36, labels=5, steps=None):
    """Labels that the features explain in part, the last ones rare; with steps, some scores are equal."""
    rng = np.random.default_rng(seed)
    features, noise = rng.random((n, 4)), rng.normal(size=(n, 5))
    y = (features - 0.5) @ rng.normal(size=(4, 5)) + 0.6 * noise > [-0.3, 0.3, 0.6, 0.9, 1.1]
    return (np.floor(features * steps) if steps else features), y[:, :labels].astype(int)


@pytest.mark.parametrize(("seed", "steps"), [(2, None), (3, None), (5, None), (6, 3), (7, 3), (9, 2)])
def test_micromacro_is_the_slow_way(seed, steps):
    features, y = some_documents(seed, n=34 + seed % 3, steps=steps)
    model = Thresholding(EXACT, random_state=seed).fit(features, y)
    expected = micromacro(features, y, np.random.RandomState(seed))
    assert model.thresholds_ == pytest.approx(expected, abs=1e-9)


EQUAL = LINEAR["equal_scores"] | {"thresholds": LINEAR["equal_scores"]["scut_fbr_thresholds"]}


@pytest.mark.parametrize("case", [*LINEAR["scut_fbr"], EQUAL], ids=lambda case: case["options"])
def test_scut_fbr_has_libmultilabels_numbers(case):
    """Where scores are equal, too: no cut parts them, so F is counted again with its threshold."""
    documents = case.get("features", X), case.get("targets", Y)
    model = Thresholding(case["options"], rule="scut-fbr", random_state=1337).fit(*documents)
    assert model.thresholds_ == pytest.approx(case["thresholds"], abs=1e-5)
    assert np.array_equal(model.weights_, OneVsRest(case["options"]).fit(*documents).weights_)


@pytest.mark.parametrize(("rule", "least"), [("micromacro-freq", 3), ("scut-fbr", 5)])
def test_labels_of_all_and_of_no_documents(rule, least):
    y = np.column_stack([np.ones(9), np.zeros(9), np.arange(9) == 4])
    model = Thresholding("-s 2 -B 1", rule=rule, random_state=2).fit(X, y)
    assert np.isfinite(model.thresholds_).all() and model.predict(X)[:, 0].all()
    Thresholding(rule=rule).fit(X[:least], y[:least])
    with pytest.raises(ValueError, match=f"X has {least - 1} rows; rule {rule} needs {least} at least"):
        Thresholding(rule=rule).fit(X[: least - 1], y[: least - 1])


@settings(max_examples=100)
@given(st.lists(st.tuples(st.integers(-3, 3), st.booleans()), min_size=1, max_size=12))
def test_every_cut(pairs):
    """Equal scores are parted in the order of the documents."""
    scores, positive = np.array([score / 2 for score, _ in pairs]), np.array([p for _, p in pairs])
    cuts, order = _threshold_candidates(scores, positive), np.argsort(scores, kind="stable")
    for place in range(len(scores) + 1):
        above = set(order[place:].tolist())
        tp = sum(positive[document] for document in above)
        assert tuple(cuts.counts[:, place]) == (tp, len(above) - tp, positive.sum() - tp)
        parts_equals = 0 < place < len(scores) and scores[order[place - 1]] == scores[order[place]]
        assert parts_equals or set(np.flatnonzero(scores > cuts.thresholds[place])) == above
