"""`python -m helpers linear`: from files of documents to a trained linear classifier, its scores, its report.

The bridge between `data` (documents), `models` (the techniques) and `metrics` (the measures). Nothing is
scored, trained or read here itself.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from helpers.core import atomic_writer
from helpers.data import Documents, label_list, read_documents, read_labels, write_matrix
from helpers.evaluation import score_documents
from helpers.models.linear import DocumentClassifier

from .arguments import python_value


def linear(options: Namespace) -> tuple[dict[str, Any], str]:
    """Do what the options say; returns the result as plain values and as text.

    Raises
    ------
    ValueError : neither `--train` nor `--model`, or nothing to do; an option that would be ignored; as
        `read_documents`, `DocumentClassifier`, `score_multilabel`.

    >>> import tempfile
    >>> from helpers.cli import parse
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text("grain\\twheat and corn\\noil gas\\toil and gas\\n")
    ...     found, text = linear(parse(["linear", "--train", str(path), "--test", str(path), "--k", "1"]))
    >>> found["P@1"], found["Micro-F1"], found["training"]["labels"]
    (1.0, 1.0, 3)
    """
    _check(options)
    test = read_documents(options.test) if options.test else None
    model, facts = _trained(options, test) if options.train else (DocumentClassifier.load(options.model), {})
    found, lines = ({"training": facts}, [_sentence(facts)]) if facts else ({}, [])
    if options.train and options.model:
        model.save(options.model)
        lines.append(f"model: {options.model}")
    if test is not None:
        scored, text = _tested(model, test, options)
        found, lines = scored | found, [*lines, *text]
    return found, "\n".join(lines)


def _check(options: Namespace) -> None:
    if not options.train and not options.model:
        raise ValueError("linear needs --train F, documents to train on, or --model F, a saved model")
    if options.train and not (options.test or options.model):
        raise ValueError("linear has nothing to do with the model: give --test F, or --model F to save it")
    if not options.train and not options.test:
        raise ValueError("linear needs --test F, documents to predict")
    for name in ("predictions", "scores"):
        if getattr(options, name) and not options.test:
            raise ValueError(f"--{name} needs --test F")
    ignored = {"label_file": None, "include_test_labels": False, "remove_unlabelled": False, "options": ""}
    ignored |= {"parameters": [], "tfidf": [], "technique": "1vsrest"}
    for name, usual in ignored.items():
        if not options.train and getattr(options, name) != usual:
            word = {"parameters": "set"}.get(name, name.replace("_", "-"))
            raise ValueError(f"--{word} is for training; {options.model} is trained already")


def _trained(options: Namespace, test: Documents | None) -> tuple[DocumentClassifier, dict[str, Any]]:
    train = read_documents(options.train)
    if options.remove_unlabelled:
        train = train.remove_unlabelled()
    listed = read_labels(options.label_file) if options.label_file else None
    labels = label_list(train, test, options.include_test_labels, listed)
    settings = {name: python_value(text) for name, text in options.parameters}
    tfidf = {name: python_value(text) for name, text in options.tfidf}
    model = DocumentClassifier(options.technique, options.options, tfidf, **settings)
    if "random_state" in model.classifier.get_params() and "random_state" not in settings:
        model.classifier.set_params(random_state=options.seed)
    model.classifier.set_params(progress=True)
    start = time.perf_counter()
    model.fit(train, labels)
    seconds = time.perf_counter() - start
    facts = {"technique": options.technique, "options": options.options, "documents": len(train)}
    facts |= {"without_labels": train.without_labels, "labels": len(labels)}
    return model, facts | {"features": model.classifier.n_features_in_, "seconds": seconds}


def _sentence(facts: dict[str, Any]) -> str:
    sizes = f"{facts['documents']} documents ({facts['without_labels']} without labels)"
    sizes += f", {facts['labels']} labels, {facts['features']} features"
    return f"{facts['technique']} {facts['options']!r} · trained on {sizes} in {facts['seconds']:.1f} s"


def _tested(
    model: DocumentClassifier, test: Documents, options: Namespace
) -> tuple[dict[str, Any], list[str]]:
    blocks: list[np.ndarray] = []
    keep = blocks.append if options.scores or options.predictions else None
    found = score_documents(model, test, options.ks, options.bootstrap, options.seed or 1, keep)
    if options.scores:
        write_matrix(options.scores, np.concatenate(blocks))
    if options.predictions:
        _write_predictions(options.predictions, model, blocks)
    facts = {"prediction": {"documents": len(test), "seconds": found.seconds}}
    lines = [f"predicted {len(test)} documents in {found.seconds:.2f} s"]
    if test.without_labels == len(test):
        return facts, lines
    values, lines = found.report.to_dict() | facts, [*lines, "", found.report.to_text()]
    if found.with_test_labels is not None:
        values["with_test_labels"] = found.with_test_labels.to_dict()
        lines += ["", f"the same with the {len(found.unseen)} labels that only test documents have:"]
        lines.append(found.with_test_labels.to_text())
    return values, lines


def _write_predictions(path: Path | str, model: DocumentClassifier, blocks: Iterable[np.ndarray]) -> None:
    """A line a document: `label:score` of what is predicted, best first, four digits, as in LibMultiLabel."""
    with atomic_writer(path) as stream:
        for row in (row for block in blocks for row in block):
            best = np.argsort(-row, kind="stable")
            chosen = best[:1] if model.multiclass else best[row[best] > model.threshold]
            words = (f"{model.labels[label]}:{row[label]:.4g}" for label in chosen)
            stream.write((" ".join(words) + "\n").encode())
