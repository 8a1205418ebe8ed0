"""LibMultiLabel's svm form: `label,label index:value index:value …`, one document a line, indices from 1.

Arrow reads a sound file fast; one with a fault is read again line by line, to name the line. Labels stay
text. A line has no id; a document's id is its row number, from 0. Texts are read in `document_files`.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy.sparse import csr_array

from helpers.core import MalformedRecord, atomic_writer, read_file, unknown_name

from .documents import Documents
from .readers import collect

logger = logging.getLogger(__name__)
_LARGEST_INDEX = 2**31 - 1
_NUMBER = re.compile(rb"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PIECE = 1 << 14  # lines that Arrow takes at a time, so that memory does not grow with the file


class _Read(NamedTuple):
    """What the lines hold: row numbers (from 0), labels, entries with sorted columns; what was left out."""

    rows: Sequence[int]
    labels: list[tuple[str, ...]]
    matrix: csr_array
    malformed: Sequence[MalformedRecord] = ()


def read_svm(
    path: Path | str,
    strict: bool = True,
    n_features: int | None = None,
    wider: Literal["error", "cut"] = "error",
) -> Documents:
    """Documents with features from a file in svm form, plain or gzipped (.gz).

    A line that begins with a blank, or with `index:value`, has no labels; a line of labels alone has no
    features; a single blank is a document with neither. Indices need not be sorted. Values of zero are not
    stored, labels that a line has twice count once (their number is logged). `n_features` is the width.

    Parameters
    ----------
    strict : True raises at the first line that cannot be read; False leaves such lines out, counts and logs
        them and keeps their errors in `.malformed`.
    n_features : the number of columns; None takes the largest index of the file.
    wider : what becomes of an index above `n_features`: `error` makes the line malformed; `cut` leaves the
        value out, as LibMultiLabel does at prediction, and logs how many.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8, empty (but for empty lines at the end), an empty label, no
        `index:value`, an index of 0 (indices start at one), twice in the line or above 2³¹ − 1, a value that
        is no finite number; or no line at all, or no feature and no `n_features`.
    ValueError : `wider` is neither word; `n_features` is below 1.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.svm")
    ...     _ = path.write_text("3,12 1:0.5 3:2\\n 2:1\\n")
    ...     documents = read_svm(path)
    >>> documents.labels, documents.features.toarray().tolist()
    ((('3', '12'), ()), [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]])
    """
    if wider not in ("error", "cut"):
        raise unknown_name("choice for wider rows", wider, ("error", "cut"))
    if n_features is not None and n_features < 1:
        raise ValueError(f"n_features is {n_features}; at least 1 is needed")
    largest = n_features if n_features and wider == "error" else _LARGEST_INDEX
    lines = _lines(read_file(path))
    read = _fast(lines, largest) or _slow(path, lines, largest, strict)
    labels = [tuple(dict.fromkeys(own)) for own in read.labels]
    repeated = sum(map(len, read.labels)) - sum(map(len, labels))
    if repeated:
        logger.info("%s: %d labels stand twice in their line and count once", path, repeated)
    features = _of_width(path, read.matrix, n_features)
    features.eliminate_zeros()
    return Documents(map(str, read.rows), labels, features=features, malformed=read.malformed)


def _lines(content: bytes) -> list[bytes]:
    """The lines; empty ones at the end are none."""
    for other, usual in ((b"\r\n", b"\n"), (b"\t", b" ")):
        content = content.replace(other, usual) if other in content else content  # large: no needless copy
    lines = content.split(b"\n")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _of_width(path: Path | str, matrix: csr_array, n_features: int | None) -> csr_array:
    width = n_features or matrix.shape[1]
    if not width:
        raise MalformedRecord(path, "no line has a feature, so that n_features is needed")
    if width < matrix.shape[1]:
        cut = matrix[:, :width]
        message = "%s: left out %d values whose index is above n_features = %d"
        logger.warning(message, path, matrix.nnz - cut.nnz, width)
        return cut
    matrix.resize(matrix.shape[0], width)
    return matrix


def _divide(line: bytes) -> tuple[bytes, bytes]:
    """The labels and the features of a line."""
    head, _, tail = line.rstrip().partition(b" ")
    return (b"", line) if b":" in head else (head, tail)


def _labels(head: bytes) -> tuple[str, ...]:
    labels = tuple(head.decode().split(",")) if head else ()
    if not all(map(str.strip, labels)):
        raise ValueError(f"a label is empty in {head.decode()!r}")
    return labels


def _fast(lines: Sequence[bytes], largest: int) -> _Read | None:
    """All lines, read by Arrow; None if there is a fault somewhere, or a number that Arrow does not know."""
    if not lines or b"" in lines:
        return None
    try:
        pieces = [_piece(lines[start : start + _PIECE]) for start in range(0, len(lines), _PIECE)]
    except (pa.ArrowException, ValueError):
        return None
    labels, lengths, indices, values = zip(*pieces, strict=True)
    indices, values = np.concatenate(indices), np.concatenate(values)
    if not np.isfinite(values).all() or not ((indices > 0) & (indices <= largest)).all():
        return None
    matrix = _matrix(np.concatenate(lengths), indices, values)
    return _Read(range(len(lines)), sum(labels, []), matrix) if matrix.has_canonical_format else None


def _piece(lines: Sequence[bytes]) -> tuple[list[tuple[str, ...]], np.ndarray, np.ndarray, np.ndarray]:
    """Labels, numbers of entries, and the entries of some lines: indices from 1 and values."""
    heads, tails = zip(*map(_divide, lines), strict=True)
    trimmed = pc.ascii_trim_whitespace(pa.array(tails, pa.binary()).cast(pa.string()))
    entries = pc.ascii_split_whitespace(trimmed).filter(pc.not_equal(trimmed, ""))
    lengths = np.zeros(len(lines), np.int64)
    lengths[pc.not_equal(trimmed, "").to_numpy(zero_copy_only=False)] = pc.list_value_length(entries)
    pairs = pc.split_pattern(entries.flatten(), ":")
    if not pc.all(pc.equal(pc.list_value_length(pairs), 2), min_count=0).as_py():
        raise ValueError("an entry is not index:value")
    indices, values = (pc.list_element(pairs, place) for place in (0, 1))
    if not pc.all(pc.ascii_is_decimal(indices), min_count=0).as_py():
        raise ValueError("an index is not a number")
    return (
        [_labels(head) for head in heads],
        lengths,
        indices.cast(pa.int64()).to_numpy(),
        values.cast(pa.float64()).to_numpy(),
    )


def _matrix(lengths: np.ndarray, indices: np.ndarray, values: np.ndarray) -> csr_array:
    ends = np.concatenate([[0], np.cumsum(lengths)])
    matrix = csr_array((values, indices - 1, ends), shape=(len(lengths), indices.max(initial=0)))
    matrix.sort_indices()
    return matrix


def _slow(path: Path | str, lines: Sequence[bytes], largest: int, strict: bool) -> _Read:
    """The lines one by one, as `collect` treats them."""

    def parse(line: int, raw: bytes) -> list[tuple]:
        if not raw:
            raise ValueError("the line is empty; a document with neither labels nor features is one blank")
        head, tail = _divide(raw)
        labels = _labels(head)
        entries: dict[int, float] = {}
        for word in tail.split():
            index, value = _entry(word, largest)
            if index in entries:
                raise ValueError(f"index {index} stands twice in the line")
            entries[index] = value
        indices = np.fromiter(entries, np.int64, len(entries))
        return [(line - 1, labels, indices, np.fromiter(entries.values(), np.float64, len(entries)))]

    read = collect(path, enumerate(lines, start=1), parse, strict)
    if not read:
        raise read.malformed[0]
    rows, labels, indices, values = zip(*read, strict=True)
    matrix = _matrix(np.array([len(own) for own in indices]), np.concatenate(indices), np.concatenate(values))
    return _Read(rows, list(labels), matrix, read.malformed)


def _entry(word: bytes, largest: int) -> tuple[int, float]:
    digits, colon, number = word.partition(b":")
    shown = word.decode(errors="replace")[:40]
    if not colon or not digits.isdigit() or not _NUMBER.fullmatch(number):
        raise ValueError(f"index:value, two numbers, is expected in place of {shown!r}")
    index, value = int(digits), float(number)
    if index == 0:
        raise ValueError(f"indices start at one, not at zero as in {shown!r}")
    if index > largest:
        raise ValueError(f"the index of {shown!r} is above {largest}, the largest that is allowed")
    if not math.isfinite(value):
        raise ValueError(f"the value of {shown!r} is too large for a number")
    return index, value


def write_svm(path: Path | str, documents: Documents) -> None:
    """Write documents with features in svm form, gzipped if the name ends in .gz; the inverse of `read_svm`.

    The file is written atomically, with digits enough to give the same numbers. Neither ids (what is
    read has row numbers) nor the width are part of the form; give `read_svm` the width.

    Raises
    ------
    ValueError : the documents have no features; a label holds a comma, a colon or white space. The message
        names the document; nothing is written.

    >>> import tempfile
    >>> documents = Documents(["0", "1"], [["3", "12"], []], features=[[0.5, 0, 2], [0, 1, 0]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_svm(Path(folder, "a.svm"), documents)
    ...     print(Path(folder, "a.svm").read_text(), end="")
    ...     read_svm(Path(folder, "a.svm")) == documents
    3,12 1:0.5 3:2
     2:1
    True
    """
    if documents.features is None:
        raise ValueError(f"{path}: the documents have texts, no features; the svm form needs features")
    for position, labels in enumerate(documents.labels):
        for label in labels:
            if re.search(r"[,:\s]", label):
                place = f"labels[{position}], of document {documents.ids[position]!r}"
                raise ValueError(f"{path}: {place}: {label!r} holds a comma, a colon or white space")
    with atomic_writer(path) as stream:
        stream.writelines(_svm_lines(documents))


def _svm_lines(documents: Documents) -> Iterator[bytes]:
    features = documents.features
    for labels, start, end in zip(documents.labels, features.indptr[:-1], features.indptr[1:], strict=True):
        entries = zip(features.indices[start:end].tolist(), features.data[start:end].tolist(), strict=True)
        words = (f"{index + 1}:{repr(value).removesuffix('.0')}" for index, value in entries if value)
        yield f"{','.join(labels)} {' '.join(words)}\n".encode()
