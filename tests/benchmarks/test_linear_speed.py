"""Linear multi-label methods on Reuters-21578 against the public LibMultiLabel packages: `make bench`.

The packages are installed into environments of their own, under .cache: 0.10.0, the newest, which trains
one-vs-rest in as many threads as there are cores, and 0.8.1, which trains label by label. Ours and
theirs take turns; the medians are compared, after the scores were found to be the same to four decimals.
"""

from __future__ import annotations

import functools
import json
import statistics
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers import ROOT
from helpers.core.errors import MissingData
from helpers.data import read_corpus
from helpers.data.documents import label_list, label_matrix
from helpers.metrics import MultilabelOutcome
from helpers.models.linear.documents import TECHNIQUES
from tests.benchmarks.table import MULTILABEL

VERSIONS = ("0.10.0", "0.8.1")
OPTIONS = "-s 1 -B 1 -e 0.0001"
SEED = 1337
TIMES = {"1vsrest": 7, "cost_sensitive": 1}
BATCH = 256
RANKING = ("P@1", "P@3", "P@5")
ONE_DECISION = 1.5e-4
"""What one document more or less changes in Micro-F1 on Reuters: 2 / (2·TP + FP + FN)."""
CLAIMS = 7
PACKAGES = ("liblinear-official", "scikit-learn", "scipy", "numpy")
PEER = Path(__file__).with_name("linear_peer.py")


@pytest.fixture(scope="module")
def peers() -> dict[str, Path]:
    """Version → Python of an environment that holds that LibMultiLabel."""
    folders = {version: ROOT / ".cache" / f"libmultilabel-{version}" for version in VERSIONS}
    for version, folder in folders.items():
        if not (folder / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            install = [folder / "bin/python", "-m", "pip", "install", "--quiet", "sparsekmeans"]
            if subprocess.run([*install, f"libmultilabel=={version}"], check=False).returncode:
                pytest.skip(f"libmultilabel {version} cannot be installed here")
            (folder / "installed").touch()
    return {version: folder / "bin/python" for version, folder in folders.items()}


@pytest.fixture(scope="module")
def reuters(tmp_path_factory):
    """(folder with the matrices, the matrices)."""
    try:
        corpus = read_corpus("reuters90")
    except MissingData as error:
        pytest.skip(f"needs Reuters-21578: {error}")
    labels, words = label_list(corpus["train"]), TfidfVectorizer().fit(corpus["train"].texts)
    folder, tables = tmp_path_factory.mktemp("reuters"), {}
    for part, documents in corpus.items():
        tables[f"{part}_x"] = sparse.csr_array(words.transform(documents.texts))
        tables[f"{part}_y"] = label_matrix(documents, labels)
    for name, table in tables.items():
        sparse.save_npz(folder / f"{name}.npz", table)
    return folder, tables


@pytest.fixture(scope="module")
def measured(peers, reuters):
    """`measured(technique)`: 'ours' and each version → the median of each of its figures, and the metrics."""
    folder, tables = reuters

    def theirs(version: str, technique: str) -> dict:
        command = [peers[version], PEER, folder, technique, OPTIONS]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    @functools.cache
    def run(technique: str) -> dict[str, dict]:
        results = {name: [] for name in (*VERSIONS, "ours")}
        for _ in range(TIMES[technique]):
            for name, own in results.items():
                own.append(ours(technique, tables) if name == "ours" else theirs(name, technique))
        keys = ("training", "prediction", "evaluation")
        return {
            name: {key: statistics.median(one[key] for one in own) for key in keys}
            | {"metrics": own[0]["metrics"]}
            for name, own in results.items()
        }

    return run


def ours(technique: str, tables: dict) -> dict:
    """One training, one prediction, one evaluation in batches, as `linear_peer` does them."""
    seed = {"random_state": SEED} if technique != "1vsrest" else {}
    classifier = TECHNIQUES[technique](OPTIONS).set_params(**seed)
    x, y = tables["test_x"], tables["test_y"]
    start = time.perf_counter()
    classifier.fit(tables["train_x"], tables["train_y"])
    seconds = {"training": time.perf_counter() - start}
    classifier.decision_function(x[:10])
    start = time.perf_counter()
    classifier.decision_function(x)
    seconds["prediction"] = time.perf_counter() - start
    start = time.perf_counter()
    parts = [slice(first, first + BATCH) for first in range(0, x.shape[0], BATCH)]
    outcome = MultilabelOutcome.merged(
        MultilabelOutcome.from_scores(y[rows], classifier.decision_function(x[rows])) for rows in parts
    )
    metrics = outcome.scores((1, 3, 5))
    return seconds | {"evaluation": time.perf_counter() - start, "metrics": metrics}


@pytest.mark.parametrize("technique", ["1vsrest", "cost_sensitive"])
def test_the_scores_are_the_same(technique, measured):
    """To four decimals, but for one decision: theirs change by that much from run to run, as the threads of
    0.10.0 draw from one generator, and 0.8.1 draws for one label after the other."""
    found = measured(technique)
    for version in VERSIONS:
        theirs = found[version]["metrics"]
        ours = {name: found["ours"]["metrics"][name] for name in theirs}
        assert ours == pytest.approx(theirs, abs=ONE_DECISION)
        assert [f"{ours[name]:.4f}" for name in RANKING] == [f"{theirs[name]:.4f}" for name in RANKING]


@pytest.mark.parametrize(
    ("technique", "what", "version", "at_least"),
    [
        ("1vsrest", "training", "0.8.1", 1.5),
        ("1vsrest", "training", "0.10.0", 0.9),  # the same solver, there in threads, here in processes
        ("1vsrest", "prediction", "0.10.0", 1.2),
        ("1vsrest", "evaluation", "0.10.0", 1.5),
        ("cost_sensitive", "training", "0.8.1", 1.8),
        ("cost_sensitive", "training", "0.10.0", 1.8),
    ],
)
def test_speed(technique, what, version, at_least, measured, rows):
    found = measured(technique)
    name = {"evaluation": f"prediction and metrics, {BATCH} documents at a time"}.get(what, what)
    title = f"{MULTILABEL}, Reuters, {technique} {OPTIONS!r}, {name}, s"
    ours, theirs = found["ours"][what], found[version][what]
    rows.record(title, ours, f"LibMultiLabel {version}", theirs, at_least)


@pytest.mark.cheap
def test_a_million_documents_in_bounded_memory(rows, cheap):
    """The 100 best of 4,000 labels for 1,000,000 documents: what is held beside the input stays below it."""
    n, n_labels, listed = 200_000 if cheap else 1_000_000, 4_000, 100
    rng = np.random.default_rng(SEED)
    offsets = rng.permutation(n_labels)[:listed]
    lists = ((rng.integers(n_labels, size=(n, 1)) + offsets) % n_labels).astype(np.int32)
    values = np.broadcast_to(np.linspace(1, 0.01, listed, dtype=np.float32), lists.shape).ravel()
    ends = np.arange(0, listed * n + 1, listed)
    scores = sparse.csr_array((values, lists.ravel(), ends), shape=(n, n_labels))
    gold = np.sort(lists[:, [0, 7, 60]], axis=1)
    pointers = np.arange(0, 3 * n + 1, 3)
    truth = sparse.csr_array((np.ones(3 * n, dtype=bool), gold.ravel(), pointers), shape=(n, n_labels))
    truth.sum_duplicates()
    held = lists.nbytes + values.nbytes + truth.data.nbytes + truth.indices.nbytes + truth.indptr.nbytes
    tracemalloc.start()
    began = time.perf_counter()
    found = MultilabelOutcome.from_scores(truth, scores, listed).scores((1, 5, listed))
    seconds, peak = time.perf_counter() - began, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found["R@100"] == 1 and found["R@1"] == pytest.approx(1 / 3)
    title = f"{MULTILABEL}, {n:,} documents, {n_labels:,} labels, {listed} best, {seconds:.0f} s: peak, bytes"
    rows.record(title, peak, "the input", held, 1)
