"""Documents that carry several labels each: the collection, its label list and matrix, the files it is in.

A document has an id, any number of labels (none, too), and either a text or a row of features. The rules
about labels are those of paper L (LibMultiLabel) with each choice an argument, and nothing is dropped unsaid.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import MalformedRecord, naming_file, read_file, shown
from .files import locate
from .records import collect, lines, records_of
from .tables import file_kind

logger = logging.getLogger(__name__)
UNLABELLED_WARNING = 0.1
"""From this share of documents without a label on, `label_matrix` warns, as LibMultiLabel does."""
LARGEST_INDEX = 2**31 - 1
"""Of a feature in an svm file."""
_ENTRY = re.compile(rb"([0-9]+):([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_Document = tuple[str, Sequence[str], str]  # id, labels and text


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Documents:
    """A collection of labelled documents, in order; exactly one of `texts` and `features` is given.

    Attributes
    ----------
    ids : an identifier each, no two the same.
    labels : the labels of each document, none of them twice, in any order; `()` where there are none.
    texts : the text of each document, none of them empty.
    features : one row of numbers each, n × d float64, finite, in canonical form (sorted, nothing twice).

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

    def __post_init__(self) -> None:
        if (self.texts is None) == (self.features is None):
            raise ValueError("exactly one of texts and features is needed")
        labels = tuple(own if isinstance(own, str) else tuple(own) for own in self.labels)
        columns: dict[str, Any] = {"ids": tuple(self.ids), "labels": labels}
        if self.texts is not None:
            columns["texts"] = tuple(self.texts)
        else:
            columns["features"] = _canonical_features(self.features)
        n = len(columns["ids"])
        if not n:
            raise ValueError("ids is empty: there are no documents")
        for name, column in columns.items():
            object.__setattr__(self, name, column)  # frozen, and lists are as good as tuples to a caller
            length = column.shape[0] if name == "features" else len(column)
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

    def label_list(
        self,
        test: Documents | None = None,
        include_test_labels: bool = False,
        listed: Iterable[str] | None = None,
    ) -> tuple[str, ...]:
        """The labels of a task in their order: those of these, the training documents, unless told otherwise.

        Parameters
        ----------
        include_test_labels : also those that only the test documents have. No model has seen them, so their
            F1 is 0: Macro-F1 drops, and Micro-F1 counts what is missed. LibMultiLabel's default is False, as
            here.
        listed : the labels of a label file, in place of those of the documents.

        Returns
        -------
        The labels sorted by code point; numbers by their value if the documents have features, as
        LibMultiLabel reads the labels of svm files as numbers.

        Raises
        ------
        ValueError : `include_test_labels` without `test` or with `listed`; a label listed twice; no label.

        Source: paper L on labels that occur in test only, and the code of LibMultiLabel.

        >>> train = Documents(["a", "b"], [["news"], ["art", "news"]], ["one", "two"])
        >>> test = Documents(["c"], [["zen"]], ["three"])
        >>> train.label_list(test), train.label_list(test, include_test_labels=True)
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
            names = list(set().union(*self.labels, *added))
        if not names:
            reason = "there is no label: no document has one"
            raise ValueError(reason if listed is None else "listed is empty")
        by_value = self.features is not None and all(re.fullmatch(r"[+-]?[0-9]+", name) for name in names)
        return tuple(sorted(names, key=lambda name: (int(name), name)) if by_value else sorted(names))

    def label_matrix(self, labels: Sequence[str]) -> scipy.sparse.csr_array:
        """The n × L matrix with 1 where a document has a label, else 0; column j stands for `labels[j]`.

        The numbers are float64, so that products and sums (how often two labels meet) are exact. A label that
        is not in `labels`, as labels are that only the test part has, is left out; one warning is logged with
        the number and the first three names. A document whose labels are all left out is a row of zeros. From
        a tenth of such rows on a warning is logged, as their recall and their ranking scores are 0 by
        definition.

        Raises ValueError if `labels` is empty or has one twice.

        Source: paper L on labels that occur in test only, and LibMultiLabel's code, which drops them unsaid.

        >>> Documents(["a", "b"], [["y", "x"], []], ["one", "two"]).label_matrix(["x", "y", "z"]).toarray()
        array([[1., 1., 0.],
               [0., 0., 0.]])
        """
        if not len(labels):
            raise ValueError("labels is empty")
        _check_distinct(labels, "labels")
        column = {label: position for position, label in enumerate(labels)}
        if left_out := [label for own in self.labels for label in own if label not in column]:
            names = list(dict.fromkeys(left_out))
            first = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
            message = "left out %d labels that are not in the label list, %d different ones: %s"
            logger.warning(message, len(left_out), len(names), first)
        known = [[column[label] for label in own if label in column] for own in self.labels]
        cells, ends = np.concatenate(known).astype(np.int64), np.cumsum([0, *map(len, known)])
        shape = (len(self), len(labels))
        matrix = scipy.sparse.csr_array((np.ones(len(cells)), cells, ends), shape=shape)
        matrix.sort_indices()
        empty = int((np.diff(matrix.indptr) == 0).sum())
        if empty >= UNLABELLED_WARNING * len(self):
            share = 100 * empty / len(self)
            logger.warning("%d of %d documents (%.1f %%) have no label", empty, len(self), share)
        return matrix


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
    """Each id is text, each label and text is not blank, no document has a label twice."""
    for row, (identifier, own) in enumerate(zip(ids, labels, strict=True)):
        of_document = f", of document {shown(identifier)},"
        if not isinstance(identifier, str) or not identifier:
            raise ValueError(f"ids[{row}] is {shown(identifier)}; a string that is not empty is needed")
        if isinstance(own, str) or not all(map(_is_text, own)) or len(set(own)) < len(own):
            needed = "a list of labels is needed, none of them blank or there twice"
            raise ValueError(f"labels[{row}]{of_document} is {shown(own)}: {needed}")
        if texts is not None and not _is_text(texts[row]):
            raise ValueError(f"texts[{row}]{of_document} is empty: {shown(texts[row])}")


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _check_distinct(names: Sequence[str], argument: str) -> None:
    first: dict[str, int | None] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise ValueError(f"{argument}[{position}] is {shown(name)}, as {argument}[{first[name]}] is")


def read_documents(path: Path | str) -> Documents:
    """Documents from a file in LibMultiLabel's txt form (.txt, .tsv) or svm form (.svm, .libsvm), also .gz.

    txt: `id TAB labels TAB text`, or `labels TAB text`. Labels are separated by blanks, and may be none.
    There is no header and no quoting; the text is kept as it is. Lines end at LF or CRLF. In the form without
    ids a document's id is its row number, from 0, as in LibMultiLabel. Blank lines are skipped. `NA` and
    `null` are labels like any other; LibMultiLabel's reader takes them for empty cells.

    svm: `label,label index:value index:value …`. Indices count from 1 and need not be sorted; labels stay
    text. A line that begins with a blank, or with `index:value`, has no labels; a line of labels alone has no
    features; a single blank is a document with neither. Values of zero are not stored. A document's id is its
    row number, from 0; the largest index is the number of columns.

    In both a label that a document has twice counts once (the number is logged).

    Raises
    ------
    MalformedRecord : with the line: not UTF-8; no line at all. txt: neither 2 nor 3 columns, or not as many
        as the first line has (a text must not hold a TAB); an empty text; an id that is empty or occurred
        before. svm: an empty line but at the end, an empty label, no `index:value`, an index below 1, twice
        in the line or above 2³¹ − 1, a value that is no finite number; no feature at all.
    ValueError : another ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text("7\\tgrain wheat\\tPrices rose.\\n8\\t\\tNo news.\\n")
    ...     documents = read_documents(path)
    >>> documents.ids, documents.labels, documents.texts
    (('7', '8'), (('grain', 'wheat'), ()), ('Prices rose.', 'No news.'))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.svm")
    ...     _ = path.write_text("3,12 1:0.5 3:2\\n 2:1\\n")
    ...     documents = read_documents(path)
    >>> documents.labels, documents.features.toarray().tolist()
    ((('3', '12'), ()), [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]])
    """
    kind = file_kind(path)
    if kind in ("txt", "tsv"):
        return _read_txt(path)
    if kind in ("svm", "libsvm"):
        return _read_svm(path)
    raise ValueError(f"{path}: unknown ending; known are .txt, .tsv, .svm, .libsvm, each also with .gz")


def _read_txt(path: Path | str) -> Documents:
    widths: list[int] = []

    def parse(_line: int | None, number: int, raw: bytes) -> list[_Document]:
        columns = raw.decode().split("\t")
        widths.append(len(columns))
        if len(columns) != widths[0] or widths[0] not in (2, 3):
            expected = widths[0] if widths[0] in (2, 3) else "2 or 3"
            reason = f"{expected} columns, `ID? labels text`, are expected, found {len(columns)}"
            raise ValueError(f"{reason}; a text must not hold a TAB")
        identifier, labels, text = columns if len(columns) == 3 else (str(number - 1), *columns)
        if not identifier:
            raise ValueError("the id is empty")
        if not text.strip():
            raise ValueError(f"the text of document {shown(identifier)} is empty")
        return [(identifier, labels.split(), text)]

    ids, labels, texts = zip(*collect(path, lines(path), parse, itemgetter(0)), strict=True)
    return Documents(ids, _distinct(path, labels), texts)


def _distinct(path: Path | str, labels: Sequence[Sequence[str]]) -> list[tuple[str, ...]]:
    """The labels of each document once; how often one stood there twice is logged."""
    distinct = [tuple(dict.fromkeys(own)) for own in labels]
    if repeated := sum(map(len, labels)) - sum(map(len, distinct)):
        logger.info("%s: %d labels stand twice in their document and count once", path, repeated)
    return distinct


def _read_svm(path: Path | str) -> Documents:
    content = read_file(path).replace(b"\r\n", b"\n").replace(b"\t", b" ").rstrip(b"\n")
    rows = enumerate(content.split(b"\n") if content else [], start=1)
    labels, entries = zip(*collect(path, rows, _svm_line), strict=True)
    ends = np.cumsum([0, *map(len, entries)])
    indices = np.fromiter((index for own in entries for index in own), np.int64, ends[-1])
    values = np.fromiter((value for own in entries for value in own.values()), np.float64, ends[-1])
    if not len(indices):
        raise MalformedRecord(path, "no line has a feature")
    features = scipy.sparse.csr_array((values, indices, ends), shape=(len(labels), indices.max() + 1))
    features.sort_indices()
    features.eliminate_zeros()
    return Documents([str(row) for row in range(len(labels))], _distinct(path, labels), features=features)


def _svm_line(_line: int | None, _number: int, raw: bytes) -> list[tuple[tuple[str, ...], dict[int, float]]]:
    """The labels, and index (from 0) → value, of a line."""
    if not raw:
        raise ValueError("the line is empty; a document with neither labels nor features is one blank")
    head, _, tail = raw.rstrip().partition(b" ")
    if b":" in head:
        head, tail = b"", raw
    labels = tuple(head.decode().split(",")) if head else ()
    if not all(map(str.strip, labels)):
        raise ValueError(f"a label is empty in {head.decode()!r}")
    entries: dict[int, float] = {}
    for word in tail.split():
        match = _ENTRY.fullmatch(word)
        index, value = (int(match[1]), float(match[2])) if match else (0, 0.0)
        if not 0 < index <= LARGEST_INDEX or not math.isfinite(value):
            expected = f"index:value, a number from 1 to {LARGEST_INDEX} and a finite one, is expected"
            raise ValueError(f"{expected} in place of {word.decode(errors='replace')[:40]!r}")
        if index - 1 in entries:
            raise ValueError(f"index {index} stands twice in the line")
        entries[index - 1] = value
    return [(labels, entries)]


def _read_goemotions(path: Path | str, labels: Sequence[str] | None = None) -> Documents:
    """A GoEmotions file (Demszky et al. 2020), `text TAB label ids TAB comment id`; ids are separated by
    commas, from 0. labels : their names in that order; None: those of the registered label file.
    """
    names = labels or read_labels(locate("goemotions/labels.txt"), keep_order=True)

    def parse(_line: int | None, _number: int, raw: bytes) -> list[_Document]:
        text, listed, identifier = raw.decode().split("\t")
        return [(identifier, [names[int(number)] for number in listed.split(",") if number], text)]

    ids, own, texts = zip(*collect(path, lines(path), parse), strict=True)
    with naming_file(path):
        return Documents(ids, _distinct(path, own), texts)


def read_labels(path: Path | str, keep_order: bool = False) -> tuple[str, ...]:
    """The labels of a label file, one a line, blanks around them dropped; sorted unless `keep_order`.

    Raises MalformedRecord : with the line: not UTF-8, a blank line between labels, a label that occurred
    before; or no label at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "labels.txt").write_text("wheat\\ngrain\\n")
    ...     read_labels(Path(folder, "labels.txt"))
    ('grain', 'wheat')
    """

    def parse(_line: int | None, _number: int, row: dict[str, str]) -> list[str]:
        if "id" in row:
            raise ValueError("a TAB in it; one label a line is expected")
        return [row["label"]]

    labels = collect(path, records_of(path, "txt"), parse, str, "label")
    return tuple(labels if keep_order else sorted(labels))
