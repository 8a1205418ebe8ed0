"""Linear multi-label methods on Reuters against LibMultiLabel, installed under .cache: `make bench`.

0.10.0, the newest, trains one-vs-rest in as many threads as there are cores, 0.8.1 label by label. Ours and
theirs take turns; the medians are compared, after the scores were found to be the same to four decimals.
"""

import functools
import statistics
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers import ROOT
from helpers.core import MissingData
from helpers.data import read_corpus
from helpers.metrics import MultilabelOutcome
from tests.benchmarks.linear_peer import BATCH, SEED
from tests.benchmarks.table import peak_bytes, printed_json

VERSIONS = ("0.10.0", "0.8.1")
OPTIONS = "-s 1 -B 1 -e 0.0001"
TIMES = {"1vsrest": 7, "cost_sensitive": 1}
RANKING = ("P@1", "P@3", "P@5")
ONE_DECISION = 1.5e-4
"""What one document more or less changes in Micro-F1 on Reuters: 2 / (2·TP + FP + FN)."""
PACKAGES = ("liblinear-official", "scikit-learn", "scipy", "numpy")


@pytest.fixture(scope="module")
def commands() -> dict[str, tuple[Path, list[str]]]:
    """'helpers' and each version of LibMultiLabel → a Python, and the words that start it."""
    commands = {"helpers": (Path(sys.executable), ["-m", "tests.benchmarks.linear_peer", "helpers"])}
    for version in VERSIONS:
        folder = ROOT / ".cache" / f"libmultilabel-{version}"
        if not (folder / "installed").exists():
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            install = [folder / "bin/python", "-m", "pip", "install", "--quiet", "sparsekmeans"]
            if subprocess.run([*install, f"libmultilabel=={version}"], check=False).returncode:
                pytest.skip(f"libmultilabel {version} cannot be installed here")
            (folder / "installed").touch()
        commands[version] = folder / "bin/python", ["tests/benchmarks/linear_peer.py", "libmultilabel"]
    return commands


@pytest.fixture(scope="module")
def reuters(tmp_path_factory) -> Path:
    """A folder with the matrices."""
    try:
        corpus = read_corpus("reuters90")
    except MissingData as error:
        pytest.skip(f"needs Reuters-21578: {error}")
    labels, words = corpus["train"].label_list(), TfidfVectorizer().fit(corpus["train"].texts)
    folder = tmp_path_factory.mktemp("reuters")
    for part, documents in corpus.items():
        sparse.save_npz(folder / f"{part}_x.npz", sparse.csr_array(words.transform(documents.texts)))
        sparse.save_npz(folder / f"{part}_y.npz", documents.label_matrix(labels))
    return folder


@pytest.fixture(scope="module")
def measured(commands, reuters):
    """`measured(technique)`: 'helpers' and each version → its figures of each turn."""

    @functools.cache
    def run(technique: str) -> dict[str, list[dict]]:
        results = {name: [] for name in commands}
        for _ in range(TIMES[technique]):
            for name, (python, words) in commands.items():
                results[name].append(printed_json(*words, reuters, technique, OPTIONS, python=python))
        return results

    return run


@pytest.mark.parametrize("technique", TIMES)
def test_the_scores_are_the_same(technique, measured):
    """To four decimals, but for one decision: theirs change by that much from run to run, as the threads of
    0.10.0 draw from one generator, and 0.8.1 draws for one label after the other."""
    ours, *others = (runs[0]["metrics"] for runs in measured(technique).values())
    for theirs in others:
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
def test_speed(technique, what, version, at_least, measured, record):
    runs = measured(technique)
    ours, theirs = (statistics.median(run[what] for run in runs[name]) for name in ("helpers", version))
    name = {"evaluation": f"prediction and metrics, {BATCH} documents at a time"}.get(what, what)
    title = f"multi-label, Reuters, {technique} {OPTIONS!r}, {name}, s"
    record(title, ours, f"LibMultiLabel {version}", theirs, at_least)


@pytest.mark.cheap
def test_a_million_documents_in_bounded_memory(record, cheap):
    """The 100 best of 4,000 labels for 1,000,000 documents: what is held beside the input stays below it."""
    n, n_labels, listed = 200_000 if cheap else 1_000_000, 4_000, 100
    rng = np.random.default_rng(SEED)
    lists = ((rng.integers(n_labels, size=(n, 1)) + rng.permutation(n_labels)[:listed]) % n_labels).astype(
        np.int32
    )
    values = np.broadcast_to(np.linspace(1, 0.01, listed, dtype=np.float32), lists.shape).ravel()
    scores = sparse.csr_array(
        (values, lists.ravel(), np.arange(0, listed * n + 1, listed)), shape=(n, n_labels)
    )
    gold, pointers = np.sort(lists[:, [0, 7, 60]], axis=1), np.arange(0, 3 * n + 1, 3)
    truth = sparse.csr_array((np.ones(3 * n, dtype=bool), gold.ravel(), pointers), shape=(n, n_labels))
    truth.sum_duplicates()
    held = sum(part.nbytes for part in (lists, values, truth.data, truth.indices, truth.indptr))
    peak, found = peak_bytes(
        lambda: MultilabelOutcome.from_scores(truth, scores, listed, keep_sets=False).scores((1, 5, listed))
    )
    assert found["R@100"] == 1 and found["R@1"] == pytest.approx(1 / 3)
    title = f"multi-label, {n:,} documents, {n_labels:,} labels, {listed} best: peak, bytes"
    record(title, peak, "the input", held, 1)
