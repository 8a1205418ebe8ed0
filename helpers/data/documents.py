"""What makes the parts of a document collection sound: ids, labels, texts and features (`documents`).

Each check names the argument, the position and the value of the first fault. Nothing is repaired, but that
features are brought into canonical form.

Documents that carry several labels each: what such a collection is, its label list, its label matrix.

A document has an id, any number of labels (none, too), and either a text or a row of features. The rules
about labels are those of paper L (LibMultiLabel) with each choice an argument, and nothing is dropped unsaid.
No file is read here (`document_files`), no text is turned into features, nothing is scored.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from helpers.core import MalformedRecord, did_you_mean, unknown_name


def label_tuples(labels: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """The labels of each document as a tuple.

    Raises ValueError where a document has one string in place of a list: its letters are no labels.

    >>> label_tuples([["a", "b"], []])
    (('a', 'b'), ())
    """
    labels = tuple(labels)
    for position, row in enumerate(labels):
        if isinstance(row, str):
            raise ValueError(f"labels[{position}] is the string {row!r}; a list of labels is needed")
    return tuple(map(tuple, labels))


def canonical_features(features: Any) -> csr_array:
    """A dense or sparse matrix as n × d float64 rows: columns sorted, what is given twice added up.

    Raises ValueError for a value that is NaN or infinite.

    >>> canonical_features([[0, 2], [1, 0]]).indices
    array([1, 0], dtype=int32)
    """
    matrix = csr_array(features, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the caller's matrix stays as it is
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        place = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise ValueError(f"features[{row}, {matrix.indices[place]}] is {matrix.data[place]}, not finite")
    return matrix


def check_ids(ids: Sequence[str]) -> None:
    """Raises ValueError for an id that is no string, is empty, or occurred before; or if there is none.

    >>> check_ids(["a", "b", "a"])
    Traceback (most recent call last):
    ValueError: ids[2] is 'a', as ids[0] is
    """
    if not ids:
        raise ValueError("ids is empty: there are no documents")
    for position, identifier in enumerate(ids):
        if not isinstance(identifier, str) or not identifier:
            raise ValueError(f"ids[{position}] is {identifier!r}; a string that is not empty is needed")
    check_distinct(ids, "ids")


def check_lengths(ids: int, **lengths: int) -> None:
    """Raises ValueError for a part whose length is not the number of ids.

    >>> check_lengths(2, labels=3)
    Traceback (most recent call last):
    ValueError: labels has length 3, ids has 2
    """
    for name, length in lengths.items():
        if length != ids:
            raise ValueError(f"{name} has length {length}, ids has {ids}")


def check_distinct(names: Sequence[str], argument: str) -> None:
    """Raises ValueError for a name that occurred before; the message gives both positions.

    >>> check_distinct(["a", "b"], "labels")
    """
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise ValueError(f"{argument}[{position}] is {name!r}, as {argument}[{first[name]}] is")


def check_labels(ids: Sequence[str], labels: Sequence[tuple[str, ...]]) -> None:
    """Raises ValueError for a label that is no string or blank, or that a document has twice.

    >>> check_labels(["7"], [("a", "a")])
    Traceback (most recent call last):
    ValueError: labels[0], of document '7', has the label 'a' twice
    """
    for position, row in enumerate(labels):
        place = f"labels[{position}], of document {ids[position]!r},"
        for label in row:
            if not isinstance(label, str) or not label.strip():
                raise ValueError(f"{place} has the label {label!r}; a string that is not blank is needed")
        if len(set(row)) != len(row):
            twice = next(label for number, label in enumerate(row) if label in row[:number])
            raise ValueError(f"{place} has the label {twice!r} twice")


def check_texts(ids: Sequence[str], texts: Sequence[str]) -> None:
    """Raises ValueError for a text that is no string, empty, or of blanks only.

    >>> check_texts(["7"], ["Rain."])
    """
    for position, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"texts[{position}], of document {ids[position]!r}, is empty: {text!r}")


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

    Two collections are equal if ids, labels in order, texts and features are; `malformed` is not compared.

    Raises
    ------
    ValueError : no documents; unequal lengths; both or neither of texts and features; an id twice; a label
        that is empty, no string or twice in a document; an empty text; a feature that is NaN or infinite. The
        message names the argument, the position and the value.

    >>> documents = Documents(["a", "b"], [["sports", "news"], []], ["They won.", "Rain."])
    >>> documents, documents.without_labels
    (<2 Documents with texts; different labels: 2; without labels: 1>, 1)
    """

    ids: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    texts: tuple[str, ...] | None = None
    features: csr_array | None = None
    malformed: tuple[MalformedRecord, ...] = ()

    def __post_init__(self) -> None:
        set_field = object.__setattr__  # the class is frozen, and lists are as good as tuples to a caller
        set_field(self, "ids", tuple(self.ids))
        set_field(self, "labels", label_tuples(self.labels))
        set_field(self, "malformed", tuple(self.malformed))
        if (self.texts is None) == (self.features is None):
            raise ValueError("exactly one of texts and features is needed")
        if self.texts is not None:
            set_field(self, "texts", tuple(self.texts))
        else:
            set_field(self, "features", canonical_features(self.features))
        check_ids(self.ids)
        rows = {"features": self.features.shape[0]} if self.texts is None else {"texts": len(self.texts)}
        check_lengths(len(self.ids), labels=len(self.labels), **rows)
        check_labels(self.ids, self.labels)
        check_texts(self.ids, self.texts or ())

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Documents):
            return NotImplemented
        if (self.ids, self.labels, self.texts) != (other.ids, other.labels, other.texts):
            return False
        if self.features is None or other.features is None:
            return self.features is other.features
        return self.features.shape == other.features.shape and (self.features != other.features).nnz == 0

    __hash__ = None

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
        ids, labels = (tuple(column[row] for row in rows) for column in (self.ids, self.labels))
        if self.features is not None:
            return Documents(ids, labels, features=self.features[rows])
        return Documents(ids, labels, tuple(self.texts[row] for row in rows))

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
        check_distinct(names, "listed")
    else:
        names = set().union(*train.labels, *(test.labels if include_test_labels else ()))
    if not names:
        raise ValueError("there is no label: no document has one" if listed is None else "listed is empty")
    by_value = train.features is not None and all(re.fullmatch(r"[+-]?[0-9]+", name) for name in names)
    return tuple(sorted(names, key=lambda name: (int(name), name)) if by_value else sorted(names))


def label_matrix(
    documents: Documents, labels: Sequence[str], unknown: Literal["drop", "error"] = "drop"
) -> csr_array:
    """The n × L matrix with 1 where a document has a label, else 0; column j stands for `labels[j]`.

    The numbers are float64, so that products and sums (how often two labels meet) are exact.

    Parameters
    ----------
    unknown : what to do with a label that is not in `labels`, as labels are that only the test part has:
        `drop` leaves it out and logs one warning with the number and the first three names; `error` raises.

    A document whose labels are all left out is a row of zeros. From a tenth of such rows on a warning is
    logged, as their recall and their ranking scores are 0 by definition.

    Raises
    ------
    ValueError : `labels` is empty or has one twice; `unknown` is neither word; a label is not in the list and
        `unknown` is `error` (the message names the document and the nearest label).

    Source: paper L on labels that occur in test only, and the code of LibMultiLabel, which drops them unsaid.

    >>> label_matrix(Documents(["a", "b"], [["y", "x"], []], ["one", "two"]), ["x", "y", "z"]).toarray()
    array([[1., 1., 0.],
           [0., 0., 0.]])
    """
    if unknown not in ("drop", "error"):
        raise unknown_name("choice for unknown labels", unknown, ("drop", "error"))
    if not len(labels):
        raise ValueError("labels is empty")
    check_distinct(labels, "labels")
    column = {label: position for position, label in enumerate(labels)}
    pairs = ((row, label) for row, own in enumerate(documents.labels) for label in own)
    left_out = [(row, label) for row, label in pairs if label not in column]
    if left_out and unknown == "error":
        raise _unknown_label(documents, labels, *left_out[0])
    if left_out:
        _log_left_out([label for _, label in left_out])
    columns = [sorted(column[label] for label in own if label in column) for own in documents.labels]
    ends = np.cumsum([0, *map(len, columns)])
    indices = np.fromiter((one for own in columns for one in own), np.int64, ends[-1])
    matrix = csr_array((np.ones(ends[-1]), indices, ends), shape=(len(documents), len(labels)))
    _warn_of_unlabelled(int((np.diff(ends) == 0).sum()), len(documents))
    return matrix


def _unknown_label(documents: Documents, labels: Sequence[str], row: int, label: str) -> ValueError:
    hint = did_you_mean(label, labels, cutoff=0.4)
    place = f"labels[{row}], of document {documents.ids[row]!r}"
    return ValueError(f"{place}: {label!r} is none of the {len(labels)} labels{hint}")


def _log_left_out(labels: Sequence[str]) -> None:
    names = list(dict.fromkeys(labels))
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    message = "left out %d labels that are not in the label list, %d different ones: %s"
    logger.warning(message, len(labels), len(names), shown)


def _warn_of_unlabelled(number: int, documents: int) -> None:
    if number >= UNLABELLED_WARNING * documents:
        share = 100 * number / documents
        logger.warning("%d of %d documents (%.1f %%) have no label", number, documents, share)


def is_multiclass(documents: Documents) -> bool:
    """Whether every document has exactly one label: then the label with the highest score is predicted.

    >>> is_multiclass(Documents(["a", "b"], [["x"], ["y"]], ["one", "two"]))
    True
    """
    return all(len(labels) == 1 for labels in documents.labels)
