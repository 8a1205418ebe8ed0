"""One linear classifier of documents from end to end: files → training → model → predictions → report."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import atomic_writer, naming_file
from ..data import Documents, label_list, read_documents, read_labels, write_matrix
from ..evaluation import score_documents

if TYPE_CHECKING:
    from ..models.linear import DocumentClassifier


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
        result = score_documents(classifier, documents, ks, replicates, seed or 1, keep)
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
        labels = label_list(training, documents, include_test_labels, listed)
        start = time.perf_counter()
        made.fit(training, labels)
        seconds = time.perf_counter() - start
    facts = {"technique": technique, "options": options, "documents": len(training)}
    facts |= {"without_labels": training.without_labels, "labels": len(labels)}
    return made, facts | {"features": estimator.n_features_in_, "seconds": seconds}


def _write_predictions(path: Path | str, model: DocumentClassifier, blocks: Iterable[np.ndarray]) -> None:
    with atomic_writer(path) as stream:
        for row in (row for block in blocks for row in block):
            best = np.argsort(-row, kind="stable")
            chosen = best[:1] if model.multiclass else best[row[best] > model.threshold]
            words = (f"{model.labels[label]}:{row[label]:.4g}" for label in chosen)
            stream.write((" ".join(words) + "\n").encode())
