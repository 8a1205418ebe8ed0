"""Documents that carry several labels each: what such a collection is, its label list, its label matrix.

A document has an id, any number of labels (none, too), and either a text or a row of features. The rules
about labels are those of paper L (LibMultiLabel) with each choice an argument, and nothing is dropped unsaid.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import MalformedRecord, shown

logger = logging.getLogger(__name__)
UNLABELLED_WARNING = 0.1
"""From this share of documents without a label on, `label_matrix` warns, as LibMultiLabel does."""


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Documents:
    """A collection of labelled documents, in order; exactly one of `texts` and `features` is given.

    Attributes
    ----------
    ids : an identifier each, no two the same.
    labels : the labels of each document, none of them twice, in any order; `()` where there are none.
    texts : the text of each document, none of them empty.
    features : one row of numbers each, n × d float64, finite, in canonical form (sorted, nothing twice).
    malformed : the errors of the records that a reader left out; empty unless it read with strict=False.

    Raises
    ------
    ValueError : no documents; unequal lengths; both or neither of texts and features; an id twice; a label
        that is empty, no string or twice in a document; an empty text; a feature that is NaN or infinite. The
        message names the argument, the position and the value.

    >>> documents = Documents(["a", "b"], [["sports", "news"], []], ["They won.", "Rain."])
    >>> documents, documents.without_labels
    (<2 Documents with texts; different labels: 2; without labels: 1>, 1)
    """

    ids: Sequence[str]
    labels: Sequence[Sequence[str]]
    texts: Sequence[str] | None = None
    features: Any = None
    malformed: Sequence[MalformedRecord] = ()

    def __post_init__(self) -> None:
        if (self.texts is None) == (self.features is None):
            raise ValueError("exactly one of texts and features is needed")
        columns: dict[str, Any] = {"ids": tuple(self.ids), "labels": _label_tuples(self.labels)}
        columns["malformed"] = tuple(self.malformed)
        if self.texts is not None:
            columns["texts"] = tuple(self.texts)
        for name, column in columns.items():
            object.__setattr__(self, name, column)  # frozen, and lists are as good as tuples to a caller
        if self.features is not None:
            object.__setattr__(self, "features", _canonical_features(self.features))
        n = len(self.ids)
        if not n:
            raise ValueError("ids is empty: there are no documents")
        lengths = {"labels": len(self.labels), "texts": n if self.texts is None else len(self.texts)}
        lengths["features"] = n if self.features is None else self.features.shape[0]
        for name, length in lengths.items():
            if length != n:
                raise ValueError(f"{name} has length {length}, ids has {n}")
        _check_rows(self.ids, self.labels, self.texts)
        _check_distinct(self.ids, "ids")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        content = "texts" if self.features is None else f"{self.features.shape[1]} features"
        labels = f"different labels: {len(set().union(*self.labels))}"
        return f"<{len(self)} Documents with {content}; {labels}; without labels: {self.without_labels}>"

    @property
    def without_labels(self) -> int:
        """The number of documents that have no label."""
        return sum(not labels for labels in self.labels)

    def select(self, rows: Iterable[int]) -> Documents:
        """The documents at these positions (from 0). ValueError for none or one twice, IndexError outside.

        >>> Documents(["a", "b"], [["x"], []], ["one", "two"]).select([1]).ids
        ('b',)
        """
        rows = [int(row) for row in rows]
        ids, labels = [self.ids[row] for row in rows], [self.labels[row] for row in rows]
        texts = None if self.texts is None else [self.texts[row] for row in rows]
        return Documents(ids, labels, texts, None if self.features is None else self.features[rows])

    def remove_unlabelled(self) -> Documents:
        """The documents that have a label, the number of the others logged; ValueError if none has one.

        >>> Documents(["a", "b"], [["x"], []], ["one", "two"]).remove_unlabelled().ids
        ('a',)
        """
        kept = [row for row, labels in enumerate(self.labels) if labels]
        if not kept:
            raise ValueError(f"labels: none of the {len(self)} documents has a label")
        logger.info("left out %d of %d documents that have no label", self.without_labels, len(self))
        return self.select(kept)


def _label_tuples(labels: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    labels = tuple(labels)
    for position, row in enumerate(labels):
        if isinstance(row, str):  # its letters are no labels
            raise ValueError(f"labels[{position}] is the string {shown(row)}; a list of labels is needed")
    return tuple(map(tuple, labels))


def _canonical_features(features: Any) -> scipy.sparse.csr_array:
    """A dense or sparse matrix as n × d float64 rows: columns sorted, what is given twice added up."""
    matrix = scipy.sparse.csr_array(features, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the caller's matrix stays as it is
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        entry = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
        raise ValueError(f"features[{row}, {matrix.indices[entry]}] is {matrix.data[entry]}, not finite")
    return matrix


def _check_rows(ids: Sequence[str], labels: Sequence[Sequence[str]], texts: Sequence[str] | None) -> None:
    """Each id and label is text that is not blank, no document has a label twice, no text is blank."""
    for row, (identifier, own) in enumerate(zip(ids, labels, strict=True)):
        if not isinstance(identifier, str) or not identifier:
            raise ValueError(f"ids[{row}] is {shown(identifier)}; a string that is not empty is needed")
        of_document = f"of document {shown(identifier)},"
        for label in own:
            if not isinstance(label, str) or not label.strip():
                needed = "a string that is not blank is needed"
                raise ValueError(f"labels[{row}], {of_document} has the label {shown(label)}; {needed}")
        if len(set(own)) != len(own):
            twice = next(label for number, label in enumerate(own) if label in own[:number])
            raise ValueError(f"labels[{row}], {of_document} has the label {shown(twice)} twice")
        if texts is not None and (not isinstance(texts[row], str) or not texts[row].strip()):
            raise ValueError(f"texts[{row}], {of_document} is empty: {shown(texts[row])}")


def _check_distinct(names: Sequence[str], argument: str) -> None:
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise ValueError(f"{argument}[{position}] is {shown(name)}, as {argument}[{first[name]}] is")


def label_list(
    train: Documents,
    test: Documents | None = None,
    include_test_labels: bool = False,
    listed: Iterable[str] | None = None,
) -> tuple[str, ...]:
    """The labels of a task in their order: those of the training documents, unless told otherwise.

    Parameters
    ----------
    include_test_labels : also those that only the test documents have. No model has seen them, so their F1 is
        0: Macro-F1 drops, and Micro-F1 counts what is missed. LibMultiLabel's default is False, as here.
    listed : the labels of a label file, in place of those of the documents.

    Returns
    -------
    The labels sorted by code point; numbers by their value if the documents have features, as LibMultiLabel
    reads the labels of svm files as numbers.

    Raises
    ------
    ValueError : `include_test_labels` without `test` or with `listed`; a label listed twice; no label at all.

    Source: paper L on labels that occur in test only, and the code of LibMultiLabel.

    >>> train = Documents(["a", "b"], [["news"], ["art", "news"]], ["one", "two"])
    >>> test = Documents(["c"], [["zen"]], ["three"])
    >>> label_list(train, test), label_list(train, test, include_test_labels=True)
    (('art', 'news'), ('art', 'news', 'zen'))
    """
    if include_test_labels and (test is None or listed is not None):
        reason = "test is None" if test is None else "listed decides which labels there are"
        raise ValueError(f"include_test_labels cannot be met: {reason}")
    if listed is not None:
        names = list(listed)
        _check_distinct(names, "listed")
    else:
        added = test.labels if include_test_labels and test is not None else ()
        names = list(set().union(*train.labels, *added))
    if not names:
        raise ValueError("there is no label: no document has one" if listed is None else "listed is empty")
    by_value = train.features is not None and all(re.fullmatch(r"[+-]?[0-9]+", name) for name in names)
    return tuple(sorted(names, key=lambda name: (int(name), name)) if by_value else sorted(names))


def label_matrix(documents: Documents, labels: Sequence[str]) -> scipy.sparse.csr_array:
    """The n × L matrix with 1 where a document has a label, else 0; column j stands for `labels[j]`.

    The numbers are float64, so that products and sums (how often two labels meet) are exact. A label that is
    not in `labels`, as labels are that only the test part has, is left out; one warning is logged with the
    number and the first three names. A document whose labels are all left out is a row of zeros. From a tenth
    of such rows on a warning is logged, as their recall and their ranking scores are 0 by definition.

    Raises ValueError if `labels` is empty or has one twice.

    Source: paper L on labels that occur in test only, and the code of LibMultiLabel, which drops them unsaid.

    >>> label_matrix(Documents(["a", "b"], [["y", "x"], []], ["one", "two"]), ["x", "y", "z"]).toarray()
    array([[1., 1., 0.],
           [0., 0., 0.]])
    """
    if not len(labels):
        raise ValueError("labels is empty")
    _check_distinct(labels, "labels")
    column = {label: position for position, label in enumerate(labels)}
    if left_out := [label for own in documents.labels for label in own if label not in column]:
        names = list(dict.fromkeys(left_out))
        first = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        message = "left out %d labels that are not in the label list, %d different ones: %s"
        logger.warning(message, len(left_out), len(names), first)
    columns = [sorted(column[label] for label in own if label in column) for own in documents.labels]
    ends = np.cumsum([0, *map(len, columns)])
    indices = np.fromiter((position for own in columns for position in own), np.int64, ends[-1])
    matrix = scipy.sparse.csr_array((np.ones(ends[-1]), indices, ends), shape=(len(documents), len(labels)))
    empty = int((np.diff(ends) == 0).sum())
    if empty >= UNLABELLED_WARNING * len(documents):
        share = 100 * empty / len(documents)
        logger.warning("%d of %d documents (%.1f %%) have no label", empty, len(documents), share)
    return matrix
