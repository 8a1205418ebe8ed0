"""Files of labelled documents: LibMultiLabel's txt and svm forms, GoEmotions, label files.

`strict` means what it means in `collect`: True stops at the first malformed line; False leaves such lines
out, counts and logs them, and keeps their errors in `.malformed`.
"""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ...core import MalformedRecord, naming_file, read_file, shown
from ..documents import Documents
from ..files import locate
from ..tables import open_source
from .parsing import check_new, collect, lines

logger = logging.getLogger(__name__)
_LARGEST_INDEX = 2**31 - 1
_ENTRY = re.compile(rb"([0-9]+):([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_Line = tuple[str, Sequence[str], str]  # id, labels and text of a document


def read_txt(path: Path | str, strict: bool = True) -> Documents:
    """Documents from LibMultiLabel's txt form: `id TAB labels TAB text`, or `labels TAB text`.

    Labels are separated by blanks, and may be none. There is no header and no quoting; the text is kept as it
    is. Lines end at LF or CRLF. In the form without ids a document's id is its row number, from 0, as in
    LibMultiLabel (here malformed rows count too). Blank lines are skipped; a label that a document has twice
    counts once (the number is logged). `NA` and `null` are labels like any other; LibMultiLabel's reader
    takes them for empty cells.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8; neither 2 nor 3 columns, or not as many as the first line has
        (a text must not hold a TAB); an empty text; an id that is empty or occurred before; or no line.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text("7\\tgrain wheat\\tPrices rose.\\n8\\t\\tNo news.\\n")
    ...     documents = read_txt(path)
    >>> documents.ids, documents.labels, documents.texts
    (('7', '8'), (('grain', 'wheat'), ()), ('Prices rose.', 'No news.'))
    """
    first: list[tuple[int, int]] = []

    def parse(line: int, number: int, raw: bytes) -> _Line:
        columns = raw.decode().split("\t")
        if not first and len(columns) not in (2, 3):
            raise ValueError(f"2 or 3 columns, `ID? labels text`, are expected, found {len(columns)}")
        first[:] = first or [(line, len(columns))]
        if len(columns) != first[0][1]:
            expected = f"{first[0][1]} columns are expected, as in line {first[0][0]}"
            raise ValueError(f"{expected}, found {len(columns)}; a text must not hold a TAB")
        identifier, labels, text = columns if len(columns) == 3 else (str(number - 1), *columns)
        return identifier, labels.split(), text

    return _read(path, parse, strict)


def _read(path: Path | str, parse: Callable[[int, int, bytes], _Line], strict: bool) -> Documents:
    """The lines of a file that `parse` can read, with what every file of texts must keep to."""
    first: dict[str, int] = {}

    def checked(line: int, number: int, raw: bytes) -> list[_Line]:
        identifier, labels, text = parse(line, number, raw)
        if not identifier:
            raise ValueError("the id is empty")
        if not text.strip():
            raise ValueError(f"the text of document {shown(identifier)} is empty")
        check_new(first, identifier, line)
        return [(identifier, labels, text)]

    read = collect(path, lines(path), checked, strict)
    if not read:
        raise read.malformed[0]
    ids, labels, texts = zip(*read, strict=True)
    return Documents(ids, _distinct(path, labels, "document"), texts, malformed=read.malformed)


def _distinct(path: Path | str, labels: Sequence[Sequence[str]], holder: str) -> list[tuple[str, ...]]:
    """The labels of each document once; how often one stood there twice is logged."""
    distinct = [tuple(dict.fromkeys(own)) for own in labels]
    repeated = sum(map(len, labels)) - sum(map(len, distinct))
    if repeated:
        logger.info("%s: %d labels stand twice in their %s and count once", path, repeated, holder)
    return distinct


def read_goemotions(path: Path | str, strict: bool = True, labels: Sequence[str] | None = None) -> Documents:
    """A GoEmotions file, `text TAB label ids TAB comment id`; ids are separated by commas, from 0.

    Parameters
    ----------
    labels : their names in the order of their ids; None: those of the registered label file.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8, not 3 columns, a label id outside the list, an empty text, an
        id that is empty or occurred before.

    Source: Demszky et al. 2020, the files of its data/ folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.tsv")
    ...     _ = path.write_text("So kind!\\t0,2\\tedgurhb\\n")
    ...     read_goemotions(path, labels=["admiration", "anger", "joy"]).labels
    (('admiration', 'joy'),)
    """

    names = labels or read_labels(locate("goemotions/labels.txt"), keep_order=True)

    def parse(_line: int, _number: int, raw: bytes) -> _Line:
        columns = raw.decode().split("\t")
        if len(columns) != 3:
            raise ValueError(f"3 columns, text, label ids, comment id, are expected, found {len(columns)}")
        text, listed, identifier = columns
        numbers = listed.split(",") if listed else []
        for number in numbers:
            if not (number.isascii() and number.isdigit() and int(number) < len(names)):
                raise ValueError(f"label id {shown(number)} is not one of 0–{len(names) - 1}")
        return identifier, [names[int(number)] for number in numbers], text

    return _read(path, parse, strict)


def read_labels(path: Path | str, keep_order: bool = False) -> tuple[str, ...]:
    """The labels of a label file, one a line, blanks around them dropped; sorted unless `keep_order`.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8, a blank line between labels, a label that occurred before; or
        no label at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "labels.txt").write_text("wheat\\ngrain\\n")
    ...     read_labels(Path(folder, "labels.txt"))
    ('grain', 'wheat')
    """
    first: dict[str, int] = {}

    def parse(line: int, _number: int, row: dict[str, str]) -> list:
        if "id" in row:
            raise ValueError("a TAB in it; one label a line is expected")
        check_new(first, row["label"], line, "label")
        return []

    with naming_file(path):
        collect(path, open_source(path, "txt").rows(), parse, strict=True)
    return tuple(first if keep_order else sorted(first))


def _read_svm(path: Path | str, strict: bool = True) -> Documents:
    """Documents from LibMultiLabel's svm form, `label,label index:value index:value …`, plain or gzipped.

    Indices count from 1 and need not be sorted; labels stay text. A line that begins with a blank, or with
    `index:value`, has no labels; a line of labels alone has no features; a single blank is a document with
    neither. Values of zero are not stored, labels that a line has twice count once (their number is logged).
    A document's id is its row number, from 0; the largest index is the number of columns.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8, empty (but for empty lines at the end), an empty label, no
        `index:value`, an index of 0 (indices start at one), twice in the line or above 2³¹ − 1, a value that
        is no finite number; or no line at all, or no feature.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.svm")
    ...     _ = path.write_text("3,12 1:0.5 3:2\\n 2:1\\n")
    ...     documents = _read_svm(path)
    >>> documents.labels, documents.features.toarray().tolist()
    ((('3', '12'), ()), [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]])
    """
    content = read_file(path).replace(b"\r\n", b"\n").replace(b"\t", b" ").rstrip(b"\n")
    rows_read = content.split(b"\n") if content else []
    read = collect(path, enumerate(rows_read, start=1), _svm_line, strict)
    if not read:
        raise read.malformed[0]
    rows, labels, entries = zip(*read, strict=True)
    ends = np.cumsum([0, *map(len, entries)])
    indices = np.fromiter((index - 1 for own in entries for index in own), np.int64, ends[-1])
    values = np.fromiter((value for own in entries for value in own.values()), np.float64, ends[-1])
    if not len(indices):
        raise MalformedRecord(path, "no line has a feature")
    features = scipy.sparse.csr_array((values, indices, ends), shape=(len(rows), indices.max() + 1))
    features.sort_indices()
    features.eliminate_zeros()
    distinct = _distinct(path, labels, "line")
    return Documents([*map(str, rows)], distinct, features=features, malformed=read.malformed)


def _svm_line(_line: int, number: int, raw: bytes) -> list[tuple[int, tuple[str, ...], dict[int, float]]]:
    """Row number, labels, and index → value of a line."""
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
        index, value = _entry(word)
        if index in entries:
            raise ValueError(f"index {index} stands twice in the line")
        entries[index] = value
    return [(number - 1, labels, entries)]


def _entry(word: bytes) -> tuple[int, float]:
    match, text = _ENTRY.fullmatch(word), word.decode(errors="replace")[:40]
    if not match:
        raise ValueError(f"index:value, two numbers, is expected in place of {text!r}")
    index, value = int(match[1]), float(match[2])
    if index == 0:
        raise ValueError(f"indices start at one, not at zero as in {text!r}")
    if index > _LARGEST_INDEX:
        raise ValueError(f"the index of {text!r} is above {_LARGEST_INDEX}, the largest that is allowed")
    if not math.isfinite(value):
        raise ValueError(f"the value of {text!r} is too large for a number")
    return index, value


def read_documents(path: Path | str, strict: bool = True) -> Documents:
    """Documents from a file in the form that its ending names, which may be gzipped: `read_txt` for .txt and
    .tsv, `_read_svm` for .svm and .libsvm; see there for what is refused.

    Raises ValueError for another ending.
    """
    ending = Path(str(path).lower().removesuffix(".gz")).suffix
    if ending not in READERS:
        raise ValueError(f"{path}: unknown ending; known are {', '.join(READERS)}, each also with .gz")
    return READERS[ending](path, strict)


READERS = dict.fromkeys((".txt", ".tsv"), read_txt) | dict.fromkeys((".svm", ".libsvm"), _read_svm)
