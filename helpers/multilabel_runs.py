"""One multi-label run from end to end: documents → training → scores → counts, with what it cost.

The bridge between `data`, `models` and `metrics` for notebook 09; the file of a run is that of
`reporting.multilabel`. Which runs are stored is said here (`STORED`); nothing is averaged or drawn.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from .data import registry
from .data.corpora import FILES, read_corpus
from .data.documents import Documents, label_matrix
from .linear_costs import weights_of, work_of
from .metrics.multilabel_outcome import MultilabelOutcome
from .metrics.zero_shot import with_and_without_test_labels
from .models.document_classifier import DocumentClassifier
from .reporting.label_pairs import LabelPairs
from .reporting.multilabel import FOLDER, MultilabelRun, save_run
from .reporting.runs import environment

OPTIONS = "-s 1 -B 1 -e 0.0001"
"""LIBLINEAR options of every stored run, but for those 'without bias'."""
SEED = 1337
DEPTH = 5
HELD_OUT = ("corn", "dlr", "ship", "wheat")
"""Labels of Reuters that the zero-shot run takes away from the training documents."""

MODELS: dict[str, dict[str, Any]] = {
    "1vsrest": {},
    "tree": {"random_state": SEED, "degree": 10},
    "thresholding": {"random_state": SEED},
    "thresholding scut-fbr": {"random_state": SEED, "rule": "scut-fbr"},
    "cost_sensitive": {"random_state": SEED},
    "cost_sensitive_micro": {"random_state": SEED},
}
"""Model → parameters; the technique is the first word. For documents with any number of labels."""

STORED: dict[str, dict[str, dict[str, Any]]] = {
    "reuters90": {
        **MODELS,
        "1vsrest without bias": {},
        "cost_sensitive without bias": {"random_state": SEED},
    },
    "goemotions": MODELS,
    "goemotions-single": {"1vsrest": {}, "binary_and_multiclass": {}, "binary_and_multiclass joint": {}},
    "reuters90-held-out": {"1vsrest": {}},
}
"""Data set → its stored models with their parameters. What stands after '-' was done to the corpus: see
`documents_of`."""

STORED_PARAMETERS = {model: chosen for models in STORED.values() for model, chosen in models.items()}
PAIRS = (("1vsrest", "thresholding"), ("1vsrest", "cost_sensitive"), ("thresholding", "cost_sensitive"))
"""Pairs of models on Reuters whose difference has an interval."""


def documents_of(dataset: str) -> dict[str, Documents]:
    """Training and test documents of a data set of `STORED`.

    'goemotions-single' are the documents of GoEmotions with exactly one label; 'reuters90-held-out' is
    Reuters with the labels `HELD_OUT` taken from the training documents. Raises `MissingData` where the
    corpus is not here.
    """
    corpus, _, change = dataset.partition("-")
    parts = {part: found for part, found in read_corpus(corpus).items() if part != "dev"}
    if change == "single":
        return {part: with_one_label(documents) for part, documents in parts.items()}
    if change == "held-out":
        parts["train"] = without_labels(parts["train"], HELD_OUT)
    return parts


def with_one_label(documents: Documents) -> Documents:
    """The documents that have exactly one label.

    >>> with_one_label(Documents(["a", "b"], [["x"], ["x", "y"]], ["one", "two"])).ids
    ('a',)
    """
    return documents.select(row for row, labels in enumerate(documents.labels) if len(labels) == 1)


def without_labels(documents: Documents, held_out: Iterable[str]) -> Documents:
    """The same documents without these labels; a document may be left with none.

    >>> without_labels(Documents(["a"], [["x", "y"]], ["one"]), ["x"]).labels
    (('y',),)
    """
    away = set(held_out)
    return replace(documents, labels=[[one for one in own if one not in away] for own in documents.labels])


def run_model(
    dataset: str,
    model: str,
    documents: Mapping[str, Documents],
    parameters: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    depth: int = DEPTH,
) -> dict[str, MultilabelRun]:
    """Train a model on documents['train'], predict documents['test'], count.

    Parameters
    ----------
    model : technique, and words that set it apart; 'without bias' leaves `-B 1` away, 'joint' takes solver 4,
        Crammer and Singer's, which trains all labels as one problem.
    parameters : of the technique; None: those of `STORED`.
    n_jobs : processes; 1 makes `cpu_seconds` of the cost mean something.

    Returns
    -------
    {model: run}; with labels that only test documents have, two runs: {model: over the labels of the training
    documents, model + ' with test labels': over all}. Errors as `DocumentClassifier`.

    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> runs = run_model("two", "1vsrest", {"train": documents, "test": documents}, depth=1)
    >>> runs["1vsrest"].facts["problems"], runs["1vsrest"].outcome.scores([1])["P@1"]
    (3, 1.0)
    """
    made = classifier_of(model, parameters, n_jobs)
    training = _timed(lambda: made.fit(documents["train"]))
    features = made.features(documents["test"])
    found: list[np.ndarray] = []
    predicting = _timed(lambda: found.append(made.classifier.decision_function(features)))
    names = [*made.labels, *sorted(set().union(*documents["test"].labels) - set(made.labels))]
    train = label_matrix(documents["train"], names)
    settings = {"technique": made.technique, "options": made.classifier.options}
    settings |= {"parameters": dict(STORED_PARAMETERS.get(model, {}) if parameters is None else parameters)}
    facts = {"train_documents": len(documents["train"]), "features": features.shape[1]}
    facts |= work_of(made.classifier, train[:, : len(made.labels)])._asdict() | weights_of(made.classifier)
    cost = {"training": training, "predicting": predicting, "processes": n_jobs}
    cost |= {"tf_idf": _timed(lambda: made.features(documents["train"]))}  # part of the training
    cost |= {"environment": environment(("numpy", "scipy"))}
    support = train.sum(axis=0).astype(int).tolist()
    outcomes = _counted(made, documents["test"], found[0], names, depth)
    return {
        name: MultilabelRun(
            dataset, name, one, tuple(support[: len(one.ranking.labels)]), settings, facts, cost
        )
        for name, one in zip((model, f"{model} with test labels"), outcomes, strict=False)
    }


def classifier_of(
    model: str, parameters: Mapping[str, Any] | None = None, n_jobs: int | None = None
) -> DocumentClassifier:
    """The untrained classifier of a model; arguments as in `run_model`.

    >>> classifier_of("1vsrest without bias").classifier.options
    '-s 1 -e 0.0001'
    """
    technique, _, words = model.partition(" ")
    change = {"without bias": (" -B 1", ""), "joint": ("-s 1", "-s 4")}.get(words, ("", ""))
    found = STORED_PARAMETERS.get(model, {}) if parameters is None else parameters
    return DocumentClassifier(technique, OPTIONS.replace(*change), n_jobs=n_jobs, **found)


def pair_of_models(
    dataset: str, first: str, second: str, documents: Mapping[str, Documents], n_jobs: int | None = None
) -> LabelPairs:
    """Train two models on documents['train'] and count what both say of each document of documents['test'].

    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> both = {"train": documents, "test": documents}
    >>> pair_of_models("two", "1vsrest", "1vsrest without bias", both).n_labels
    3
    """
    predicted = []
    for model in (first, second):
        made = classifier_of(model, n_jobs=n_jobs).fit(documents["train"])
        predicted.append(made.classifier.predict(made.features(documents["test"])))
    truth = label_matrix(documents["test"], made.labels)
    return LabelPairs.from_matrices(dataset, first, second, truth, *predicted, made.labels)


def _timed(work: Callable[[], Any]) -> dict[str, float]:
    """Seconds on the clock, and seconds that this process, without the ones it starts, was computing."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return {
        "seconds": round(time.perf_counter() - clock, 3),
        "cpu_seconds": round(time.process_time() - processor, 3),
    }


def _counted(
    made: DocumentClassifier, test: Documents, scores: np.ndarray, names: Sequence[str], depth: int
) -> list[MultilabelOutcome]:
    options = {"threshold": made.threshold, "multiclass": made.multiclass, "keep_sets": True}
    truth = label_matrix(test, names)
    if len(names) == len(made.labels):
        return [MultilabelOutcome.from_scores(truth, scores, depth, labels=names, **options)]
    known = np.arange(len(made.labels))
    both = with_and_without_test_labels(truth, scores, known, depth, labels=names, **options)
    return [both[False], both[True]]


def file_sums(dataset: str) -> dict[str, str]:
    """sha256 of the files of a data set's corpus, by registered name."""
    corpus = dataset.partition("-")[0]
    paths = [path for part, path in FILES[corpus].items() if part != "dev"]
    return {path: registry.file_sha256(registry.locate(path)) for path in paths}


def store_runs(folder: Path | str = FOLDER) -> None:
    """Train every model of `STORED` and every pair of `PAIRS`, each in one process, and write them all.

    Ten minutes on an idle machine; `python -m helpers.multilabel_runs` does it. Raises `MissingData` where
    Reuters or GoEmotions is not here.
    """
    for dataset, models in STORED.items():
        documents, sums = documents_of(dataset), file_sums(dataset)
        for model in tqdm(models, desc=dataset):
            for run in run_model(dataset, model, documents, n_jobs=1).values():
                save_run(replace(run, settings=run.settings | {"files": sums}), folder)
    documents = documents_of("reuters90")
    for first, second in tqdm(PAIRS, desc="pairs"):
        pair = pair_of_models("reuters90", first, second, documents)
        pair.save(Path(folder, "pairs", f"reuters90-{first}-{second}.json"))


if __name__ == "__main__":
    store_runs()
