"""Linear classifiers of documents from end to end, of files and of stored runs: documents → training →
scores → counts, with what it cost.

Which runs are stored says `studies.toml` (`STORED`); nothing is averaged or drawn. Problems solved, passes
over the documents and bytes of weights follow from the technique and the data, and are the same on every
machine; seconds are measured. Source of the counts: LibMultiLabel implementation document 2024, Sections 3.5
and 3.6.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm import tqdm

from ..core import atomic_writer, naming_file
from ..data import (
    Documents,
    corpus_hashes,
    find_dataset,
    read_corpus,
    read_documents,
    read_labels,
    write_matrix,
)
from ..evaluation import score_documents
from ..metrics import MultilabelOutcome, Outcome
from ..models import NO_ENCODER
from ..runs import RUNS_FOLDER, Run, environment, save_run
from .experiment import STUDIES

if TYPE_CHECKING:
    from ..models.linear import DocumentClassifier, LinearClassifier

_RULES = {"micromacro-freq": (4, 3.0), "scut-fbr": (16, 9.0)}


def _work_of(classifier: LinearClassifier, targets: Any) -> dict[str, float]:
    """`problems` that LIBLINEAR solved for a trained technique, and what they amount to in problems on *all*
    documents, `whole`; targets : (n, L) sparse 0/1, the training documents.

    For L labels: 1vsrest L problems · thresholding 3 L on two thirds of the documents and L on all, so 4 L,
    worth 3 L on all · SCut.fbr 9 L on four ninths, 6 L on two thirds, L on all: 16 L, worth 9 L ·
    cost-sensitive 21 L on two thirds and L on all: 22 L, worth 15 L · tree: a problem for each child of a
    node and each label of a leaf, on the documents with a label below the node. The document counts 3 L for
    thresholding and 21 L for cost-sensitive training: the last training is left out. Each
    factor of C adds another 21 L.

    >>> from helpers.models.linear import Thresholding
    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> _work_of(Thresholding("-s 2", random_state=1).fit(X, y), y)
    {'problems': 8, 'whole': 6.0}
    """
    if hasattr(classifier, "root_"):
        n, root = targets.shape[0], classifier.root_
        columns = [len(node.children or node.labels) for node in root.walk()]
        below = [np.count_nonzero(targets[:, node.labels].sum(axis=1)) for node in root.walk()]
        below[0] = n  # the root is trained on all documents
        whole = sum(count * rows / n for count, rows in zip(columns, below, strict=True))
        return {"problems": sum(columns), "whole": round(whole, 3)}
    if "-s 4" in classifier.options:  # all labels in one problem, larger than those of the others
        return {"problems": 1, "whole": 1.0}
    labels, settings = len(classifier.thresholds_), classifier.get_params()
    problems, whole = _RULES.get(settings.get("rule"), (1, 1.0))
    if factors := len(settings.get("c_factors", ())):
        problems, whole = 21 * factors + 1, 14.0 * factors + 1
    return {"problems": problems * labels, "whole": whole * labels}


def _weights_of(classifier: LinearClassifier) -> dict[str, int]:
    """`weight_bytes` that the weights take as they are kept, and `weights_not_zero`; without the biases.

    >>> from helpers.models.linear import OneVsRest
    >>> _weights_of(OneVsRest("-s 2").fit(np.eye(2), [[1, 0], [0, 1]]))
    {'weight_bytes': 32, 'weights_not_zero': 4}
    """
    if not hasattr(classifier, "root_"):
        arrays = values = [classifier.weights_]
    else:
        tables = [node.weights for node in classifier.root_.walk()]
        arrays = [getattr(table, part) for table in tables for part in ("data", "indices", "indptr")]
        values = [table.data for table in tables]
    not_zero = sum(int(np.count_nonzero(array)) for array in values)
    return {"weight_bytes": sum(array.nbytes for array in arrays), "weights_not_zero": not_zero}


OPTIONS = "-s 1 -B 1 -e 0.0001"
"""LIBLINEAR options of every stored run; what its name adds changes them (`_classifier_of`)."""
_CHANGES = {"without bias": (" -B 1", ""), "joint": ("-s 1", "-s 4"), "primal": ("-s 1", "-s 2")}
_DEPTH = 5
_NOT_SET = ("options", "n_jobs", "progress")
"""Parameters of a technique that stand elsewhere in a run file, or change no prediction."""
HELD_OUT = ("corn", "dlr", "ship", "wheat")
"""Labels of Reuters that the zero-shot run takes away from the training documents."""

LINEAR_MODELS: dict[str, dict[str, Any]] = STUDIES["linear"]
"""Model → parameters; the technique is the first word. For documents with any number of labels."""
STORED: dict[str, dict[str, dict[str, Any]]] = {
    name: ({} if "-" in name else LINEAR_MODELS) | models for name, models in STUDIES["multilabel"].items()
}
"""Data set → its stored models with their parameters."""
_STORED_PARAMETERS = {model: chosen for models in STORED.values() for model, chosen in models.items()}
PAIRS = (("1vsrest", "thresholding"), ("1vsrest", "cost_sensitive"), ("thresholding", "cost_sensitive"))
"""Pairs of models on Reuters whose difference has an interval."""


def documents_of(dataset: str) -> dict[str, Documents]:
    """Training and test documents of a data set of `STORED`.

    'goemotions-single' are the documents of GoEmotions with exactly one label; 'reuters90-held-out' is
    Reuters with the labels `HELD_OUT` taken from the training documents. Raises `MissingData` where the
    corpus is not here.
    """
    corpus, _, change = dataset.partition("-")
    parts = read_corpus(corpus)
    train, test = parts["train"], parts["test"]
    if change == "single":
        train, test = (
            part.select(row for row, labels in enumerate(part.labels) if len(labels) == 1)
            for part in (train, test)
        )
    if change == "held-out":  # a document may be left with none
        kept = [[label for label in labels if label not in HELD_OUT] for labels in train.labels]
        train = replace(train, labels=kept)
    return {"train": train, "test": test}


def run_model(
    dataset: str,
    model: str,
    documents: Mapping[str, Documents],
    parameters: Mapping[str, Any] | None = None,
    n_jobs: int | None = None,
    depth: int = _DEPTH,
) -> dict[str, Run]:
    """Train a model on documents['train'], predict documents['test'], count.

    Parameters
    ----------
    model : technique, and words that set it apart; 'without bias' leaves `-B 1` away, 'primal' takes solver
        2, the same problem in its primal form, and 'joint' solver 4, Crammer and Singer's, which trains all
        labels as one problem.
    parameters : of the technique; None: those of `STORED`.
    n_jobs : processes; 1 makes `cpu_seconds` of the cost mean something.

    Returns
    -------
    {model: run}; with labels that only test documents have, two runs: {model: over the labels of the training
    documents, model + ' with test labels': over all}. Errors as `DocumentClassifier`.

    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> runs = run_model("two", "1vsrest", {"train": documents, "test": documents}, depth=1)
    >>> runs["1vsrest"].facts["problems"], runs["1vsrest"].outcome().scores([1])["P@1"]
    (3, 1.0)
    """
    made = _classifier_of(model, parameters, n_jobs)
    _, training = _timed(lambda: made.fit(documents["train"]))
    features = made.features(documents["test"])
    scores, predicting = _timed(lambda: made.classifier.decision_function(features))
    _, tf_idf = _timed(lambda: made.features(documents["train"]))  # part of the training
    names = [*made.labels, *sorted(set().union(*documents["test"].labels) - set(made.labels))]
    train, truth = documents["train"].label_matrix(names), documents["test"].label_matrix(names)
    support, known = train.sum(axis=0).astype(int).tolist(), len(made.labels)
    facts = {"train_documents": len(documents["train"]), "features": features.shape[1]}
    facts |= _work_of(made.classifier, train[:, :known]) | _weights_of(made.classifier)
    cost = {"training": training, "predicting": predicting, "processes": n_jobs, "tf_idf": tf_idf}
    configuration = _configuration(dataset, model, made) | {"facts": facts, "cost": cost}
    configuration |= {"environment": environment(("numpy", "scipy")), "wall_seconds": training["seconds"]}
    options: dict[str, Any] = {"threshold": made.threshold, "multiclass": made.multiclass}
    runs = []
    for size in sorted({known, len(names)}):
        options |= {"labels": names[:size], "unscored": size - known}
        outcome = MultilabelOutcome.from_scores(truth[:, :size], scores, depth, **options)
        runs.append(Run.from_outcome(outcome, train_support=support[:size], **configuration))
    wider = [replace(run, variant=f"{run.variant} with test labels".strip()) for run in runs[1:]]
    return {run.name: run for run in (*runs[:1], *wider)}


def _configuration(dataset: str, model: str, made: DocumentClassifier) -> dict[str, Any]:
    """The fields of a run that say what is trained; the variant is what stands after the technique."""
    settings = {"technique": made.technique, "options": made.classifier.options}
    options = {name: value for name, value in made.classifier.get_params().items() if name not in _NOT_SET}
    technique, _, variant = model.partition(" ")
    fields = {"dataset": dataset, "model": technique, "variant": variant, "encoder": NO_ENCODER}
    fields |= {"seed": options.get("random_state"), "hyperparameters": settings}
    return fields | {"options": options, "versions": {f"technique {technique}": made.classifier.version}}


def _classifier_of(
    model: str, parameters: Mapping[str, Any] | None = None, n_jobs: int | None = None
) -> DocumentClassifier:
    """The untrained classifier of a model; arguments as in `run_model`.

    >>> _classifier_of("1vsrest without bias").classifier.options
    '-s 1 -e 0.0001'
    """
    from ..models.linear import DocumentClassifier

    technique, _, words = model.partition(" ")
    chosen = _STORED_PARAMETERS.get(model, {}) if parameters is None else parameters
    options = OPTIONS.replace(*_CHANGES.get(words, ("", "")))
    return DocumentClassifier(technique, options, n_jobs=n_jobs, **chosen)


def _pair_of_models(dataset: str, first: str, second: str, documents: Mapping[str, Documents]) -> Run:
    """Train two models on documents['train'] and count what both say of each document of documents['test'].

    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> both = {"train": documents, "test": documents}
    >>> len(_pair_of_models("two", "1vsrest", "1vsrest without bias", both).labels)
    3
    """
    made = [_classifier_of(model).fit(documents["train"]) for model in (first, second)]
    predicted = [each.classifier.predict(each.features(documents["test"])) for each in made]
    labels = made[0].labels
    truth = documents["test"].label_matrix(labels)
    outcome = Outcome.from_sets(truth, predicted[0], labels, second=predicted[1])
    pairs = zip((first, second), made, strict=True)
    mine, other = (_configuration(dataset, *pair) for pair in pairs)
    own = {"model": f"{first}+{second}", "variant": "", "versions": mine["versions"] | other["versions"]}
    own |= {name: {"first": mine[name], "second": other[name]} for name in ("hyperparameters", "options")}
    own["seed"] = other["seed"] if mine["seed"] is None else mine["seed"]
    return Run.from_outcome(outcome, second=second, **other | own)


def train_and_test(
    train: Path | str | None = None,
    test: Path | str | None = None,
    model: Path | str | None = None,
    *,
    predictions: Path | str | None = None,
    scores: Path | str | None = None,
    ks: Sequence[int] | None = None,
    seed: int | None = None,
    replicates: int = 0,
    **training: Any,
) -> tuple[dict[str, Any], str]:
    """Train a classifier on a file of documents, or load one; predict and score another file.

    Parameters
    ----------
    train, test : files as in `read_documents`. model : with `train`, the file to save the model to; without,
        the file to load it from. training : see `_classifier_from`.
    predictions : file to write, a line a document: `label:score` of what is predicted, best first, four
        digits, as LibMultiLabel does. scores : file to write the matrix of scores to, as `write_matrix`.
    ks, replicates : as in `score_documents`. seed : of folds and clusters, and of the bootstrap.

    Returns
    -------
    The result as plain values (those of the report, 'training', 'prediction'), and as text. Test documents
    without any labels are predicted and not scored.

    Raises ValueError as `read_documents`, `DocumentClassifier` and `score_multilabel`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text("grain\\twheat and corn\\noil gas\\toil and gas\\n")
    ...     found, text = train_and_test(path, path, ks=[1])
    >>> found["P@1"], found["Micro-F1"], found["training"]["labels"]
    (1.0, 1.0, 3)
    """
    from ..models.linear import DocumentClassifier

    documents = read_documents(test) if test else None
    values: dict[str, Any] = {}
    lines: list[str] = []
    if train:
        classifier, values["training"] = _classifier_from(train, documents, seed, **training)
        lines = [_SENTENCE.format(**values["training"])]
        if model:
            classifier.save(model)
            lines.append(f"model: {model}")
    else:
        classifier = DocumentClassifier.load(model)
    if documents is None:
        return values, "\n".join(lines)
    blocks: list[np.ndarray] = []
    with naming_file(test):
        keep = blocks.append if scores or predictions else None
        result = score_documents(classifier, documents, ks, replicates, 1 if seed is None else seed, keep)
    if scores:
        write_matrix(scores, np.concatenate(blocks))
    if predictions:
        _write_predictions(predictions, classifier, blocks)
    n = len(documents)
    lines.append(f"predicted {n} documents in {result.seconds:.2f} s")
    if documents.without_labels < n:
        values = result.report.to_dict() | values
        lines += ["", result.report.to_text()]
        if (wider := result.with_test_labels) is not None:
            values["with_test_labels"] = wider.to_dict()
            title = f"the same with the {len(result.unseen)} labels that only test documents have:"
            lines += ["", title, wider.to_text()]
    return values | {"prediction": {"documents": n, "seconds": result.seconds}}, "\n".join(lines)


_SENTENCE = (
    "{technique} {options!r} · trained on {documents} documents ({without_labels} without labels), "
    "{labels} labels, {features} features in {seconds:.1f} s"
)


def _classifier_from(
    train: Path | str,
    documents: Documents | None,
    seed: int | None,
    technique: str = "1vsrest",
    options: str = "",
    parameters: Mapping[str, Any] | None = None,
    tfidf: Mapping[str, Any] | None = None,
    label_file: Path | str | None = None,
    include_test_labels: bool = False,
    remove_unlabelled: bool = False,
) -> tuple[DocumentClassifier, dict[str, Any]]:
    """A classifier trained on a file of documents, with a progress bar; on what, and how long it took.

    Parameters
    ----------
    technique, options, tfidf, parameters : as in `DocumentClassifier`, the parameters those of the technique.
    label_file : all labels, one a line; None: those of the training documents, with `include_test_labels`
        also those of the test `documents`. remove_unlabelled : leave out training documents without labels.
    """
    from ..models.linear import DocumentClassifier

    made = DocumentClassifier(technique, options, tfidf, **(parameters or {}))
    estimator = made.classifier.set_params(progress=True)
    if "random_state" in estimator.get_params() and "random_state" not in (parameters or {}):
        estimator.set_params(random_state=seed)
    training = read_documents(train)
    training = training.remove_unlabelled() if remove_unlabelled else training
    listed = read_labels(label_file) if label_file else None
    with naming_file(train):
        labels = training.label_list(documents, include_test_labels, listed)
        _, took = _timed(lambda: made.fit(training, labels))
    facts = {"technique": technique, "options": options, "documents": len(training)}
    facts |= {"without_labels": training.without_labels, "labels": len(labels)}
    return made, facts | {"features": estimator.n_features_in_, "seconds": took["seconds"]}


def _write_predictions(path: Path | str, model: DocumentClassifier, blocks: Iterable[np.ndarray]) -> None:
    with atomic_writer(path) as stream:
        for row in (row for block in blocks for row in block):
            best = np.argsort(-row, kind="stable")
            chosen = best[:1] if model.multiclass else best[row[best] > model.threshold]
            words = (f"{model.labels[label]}:{row[label]:.4g}" for label in chosen)
            stream.write((" ".join(words) + "\n").encode())


def _timed(work: Callable[[], Any]) -> tuple[Any, dict[str, float]]:
    """What it gives; seconds on the clock, and those that this process, without the ones it starts, was
    computing."""
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    seconds = time.perf_counter() - clock, time.process_time() - processor
    return result, {"seconds": round(seconds[0], 3), "cpu_seconds": round(seconds[1], 3)}


def _store_runs(folder: Path | str = RUNS_FOLDER) -> None:
    """Train every model of `STORED` and every pair of `PAIRS`, each in one process, and write them all.

    Ten minutes on an idle machine; `python -m helpers.experiments.multilabel` does it. Raises `MissingData`
    where Reuters or GoEmotions is not here.
    """
    for dataset, models in STORED.items():
        documents = documents_of(dataset)
        for model in tqdm(models, desc=dataset):
            for run in run_model(dataset, model, documents, n_jobs=1).values():
                save_run(_of_corpus(run), folder)
    documents = documents_of("reuters90")
    for first, second in tqdm(PAIRS, desc="pairs"):
        save_run(_of_corpus(_pair_of_models("reuters90", first, second, documents)), folder)


def _of_corpus(run: Run) -> Run:
    """The run with the files and the version of the data set that its documents are from."""
    corpus = run.dataset.partition("-")[0]
    made_by = run.versions | {f"data set {corpus}": find_dataset(corpus).version}
    files = corpus_hashes(corpus, ("train", "test"))
    return replace(run, files=files, profile="standard", versions=made_by)


if __name__ == "__main__":
    _store_runs()
