"""Trains, predicts and scores with the public LibMultiLabel package or with this one, on the same clock.

usage: linear_peer.py libmultilabel|helpers FOLDER TECHNIQUE OPTIONS

FOLDER holds train_x, train_y, test_x, test_y as .npz. Prints JSON: seconds of training, of predicting, of
predicting with metrics as LibMultiLabel's own test does them (256 documents at a time), and the metrics.
"""

import json
import os
import sys
import time

import numpy as np
from scipy import sparse

METRICS = ("P@1", "P@3", "P@5", "Macro-F1", "Micro-F1")
SEED, BATCH = 1337, 256


def libmultilabel(technique: str, options: str):
    """Functions that train, predict, and compute metrics of batches of features and truth."""
    import libmultilabel.linear as linear

    def fit(x, y):
        np.random.seed(SEED)  # noqa: NPY002 -- the package draws from the global generator
        return getattr(linear, f"train_{technique}")(y, x, options=options, verbose=False)

    def metrics(model, batches, n_labels):
        collected = linear.get_metrics(list(METRICS), n_labels)
        for x, y in batches:
            collected.update(linear.predict_values(model, x), y.toarray())
        return collected.compute()

    return fit, lambda model, x: model.predict_values(x), metrics


def helpers(technique: str, options: str):
    """The same three functions by this package."""
    from helpers.metrics import MultilabelOutcome
    from helpers.models.linear import TECHNIQUES

    seed = {"random_state": SEED} if technique != "1vsrest" else {}

    def metrics(model, batches, n_labels):
        scored = ((y, model.decision_function(x)) for x, y in batches)  # what theirs keeps: counts
        parts = (MultilabelOutcome.from_scores(*part, keep_sets=False) for part in scored)
        return MultilabelOutcome.merged(parts).scores((1, 3, 5))

    fit = TECHNIQUES[technique](options).set_params(**seed).fit
    return fit, lambda model, x: model.decision_function(x), metrics


def main(way: str, folder: str, technique: str, options: str) -> dict:
    """Train once on few documents (numba compiles then), then measure."""
    fit, predict, metrics = {"libmultilabel": libmultilabel, "helpers": helpers}[way](technique, options)
    names = ("train_x", "train_y", "test_x", "test_y")
    x, y, test_x, test_y = (sparse.csr_matrix(sparse.load_npz(f"{folder}/{name}.npz")) for name in names)
    predict(fit(x[:100], y[:100]), test_x[:10])
    clock = [time.perf_counter()]
    model = fit(x, y)
    clock.append(time.perf_counter())
    predict(model, test_x)
    clock.append(time.perf_counter())
    batches = (slice(first, first + BATCH) for first in range(0, test_x.shape[0], BATCH))
    scores = metrics(model, ((test_x[rows], test_y[rows]) for rows in batches), y.shape[1])
    clock.append(time.perf_counter())
    seconds = dict(zip(("training", "prediction", "evaluation"), np.diff(clock).tolist(), strict=True))
    return seconds | {"metrics": {name: float(scores[name]) for name in METRICS}}


if __name__ == "__main__":
    printed = os.dup(1)  # some versions print; the result is the only thing on standard output
    os.dup2(2, 1)
    result = main(*sys.argv[1:])
    os.write(printed, json.dumps(result).encode())
