"""Trains and predicts with the public LibMultiLabel package; run by the Python of an environment of its own.

usage: python linear_peer.py FOLDER TECHNIQUE OPTIONS

FOLDER holds train_x, train_y, test_x, test_y as .npz. Prints JSON: seconds of training, of predicting, of
predicting with metrics as the package's own test does them (256 documents at a time), and the metrics.
Imports nothing of this project.
"""

import json
import os
import sys
import time

import numpy as np
from scipy import sparse

METRICS = ("P@1", "P@3", "P@5", "Macro-F1", "Micro-F1")


def main(folder: str, technique: str, options: str) -> dict:
    """Train once for warming up (compilation by numba), then measure."""
    import libmultilabel.linear as linear

    names = ("train_x", "train_y", "test_x", "test_y")
    x, y, test_x, test_y = (sparse.csr_matrix(sparse.load_npz(f"{folder}/{name}.npz")) for name in names)
    linear.train_1vsrest(y[:100], x[:100], options=options, verbose=False)
    np.random.seed(1337)  # noqa: NPY002 -- the package draws from the global generator
    start = time.perf_counter()
    model = getattr(linear, f"train_{technique}")(y, x, options=options, verbose=False)
    seconds = {"training": time.perf_counter() - start}
    model.predict_values(test_x[:10])
    start = time.perf_counter()
    model.predict_values(test_x)
    seconds["prediction"] = time.perf_counter() - start
    metrics, start = linear.get_metrics(list(METRICS), y.shape[1]), time.perf_counter()
    for first in range(0, test_x.shape[0], 256):
        rows = slice(first, first + 256)
        metrics.update(linear.predict_values(model, test_x[rows]), test_y[rows].toarray())
    scores = {name: float(value) for name, value in metrics.compute().items()}
    return seconds | {"evaluation": time.perf_counter() - start, "metrics": scores}


if __name__ == "__main__":
    printed = os.dup(1)  # some versions print; the result is the only thing on standard output
    os.dup2(2, 1)
    result = main(*sys.argv[1:])
    os.write(printed, json.dumps(result).encode())
