"""Files of labelled texts: LibMultiLabel's txt form, GoEmotions, label files; any document file by ending.

Every reader of documents takes `strict`, as those of `readers` do: True stops at the first malformed line,
False leaves such lines out, counts and logs them, and keeps their errors in `.malformed`. Nothing is skipped
silently. The svm form is read in `svm_files`; which corpora there are is said in `corpora`.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from helpers.core import atomic_writer, read_file, unknown_name

from .documents import Documents
from .readers import Record, collect
from .svm_files import read_svm, write_svm

logger = logging.getLogger(__name__)
FORMS = {".txt": "txt", ".tsv": "txt", ".svm": "svm", ".libsvm": "svm"}
"""The form of a document file by its ending, before .gz if there is one."""


class _Line(NamedTuple):
    """One document of a file of texts."""

    id: str
    labels: tuple[str, ...]
    text: str


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
    rows: list[int] = []
    first: list[tuple[int, int]] = []

    def parse(line: int, raw: bytes) -> _Line:
        rows.append(line)
        columns = raw.decode().split("\t")
        if not first and len(columns) not in (2, 3):
            raise ValueError(f"2 or 3 columns, `ID? labels text`, are expected, found {len(columns)}")
        first[:] = first or [(line, len(columns))]
        if len(columns) != first[0][1]:
            expected = f"{first[0][1]} columns are expected, as in line {first[0][0]}"
            raise ValueError(f"{expected}, found {len(columns)}; a text must not hold a TAB")
        identifier, labels, text = columns if len(columns) == 3 else (str(len(rows) - 1), *columns)
        return _Line(identifier, tuple(labels.split()), text)

    return _read(path, parse, strict)


def _read(path: Path | str, parse: Callable[[int, bytes], _Line], strict: bool) -> Documents:
    """The lines of a file that `parse` can read, with what every file of texts must keep to."""
    first: dict[str, int] = {}

    def checked(line: int, raw: bytes) -> list[_Line]:
        one = parse(line, raw)
        if not one.id:
            raise ValueError("the id is empty")
        if not one.text.strip():
            raise ValueError(f"the text of document {one.id!r} is empty")
        if first.setdefault(one.id, line) != line:
            raise ValueError(f"id {one.id!r} occurred before, at line {first[one.id]}")
        return [one]

    read = collect(path, _lines(read_file(path)), checked, strict)
    if not read:
        raise read.malformed[0]
    labels = [tuple(dict.fromkeys(one.labels)) for one in read]
    repeated = sum(len(one.labels) for one in read) - sum(map(len, labels))
    if repeated:
        logger.info("%s: %d labels stand twice in their document and count once", path, repeated)
    return Documents([one.id for one in read], labels, [one.text for one in read], malformed=read.malformed)


def _lines(content: bytes) -> Iterator[Record]:
    """The lines with their numbers, without their ends; a line of blanks is none, one of TABs is."""
    for number, line in enumerate(content.split(b"\n"), start=1):
        if line.strip(b" \r"):
            yield number, line.rstrip(b"\r")


def read_goemotions(path: Path | str, labels: Sequence[str], strict: bool = True) -> Documents:
    """A GoEmotions file, `text TAB label ids TAB comment id`; ids are separated by commas, from 0.

    Parameters
    ----------
    labels : the names of the labels in the order of their ids: `read_labels("labels.txt", keep_order=True)`.

    Raises
    ------
    MalformedRecord : with the line: not UTF-8, not 3 columns, a label id outside the list, an empty text, an
        id that is empty or occurred before.

    Source: Demszky et al. 2020, the files of its data/ folder.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.tsv")
    ...     _ = path.write_text("So kind!\\t0,2\\tedgurhb\\n")
    ...     read_goemotions(path, ["admiration", "anger", "joy"]).labels
    (('admiration', 'joy'),)
    """

    def parse(_line: int, raw: bytes) -> _Line:
        columns = raw.decode().split("\t")
        if len(columns) != 3:
            raise ValueError(f"3 columns, text, label ids, comment id, are expected, found {len(columns)}")
        text, numbers, identifier = columns
        named = tuple(_label_of_id(number, labels) for number in numbers.split(",")) if numbers else ()
        return _Line(identifier, named, text)

    return _read(path, parse, strict)


def _label_of_id(number: str, labels: Sequence[str]) -> str:
    if not (number.isascii() and number.isdigit() and int(number) < len(labels)):
        raise ValueError(f"label id {number!r} is not one of 0–{len(labels) - 1}")
    return labels[int(number)]


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

    def parse(line: int, raw: bytes) -> list[str]:
        label = raw.decode().strip()
        if not label:
            raise ValueError("the line is blank; one label a line is expected")
        if first.setdefault(label, line) != line:
            raise ValueError(f"label {label!r} occurred before, at line {first[label]}")
        return [label]

    content = read_file(path).rstrip()
    labels = collect(path, enumerate(content.split(b"\n") if content else [], start=1), parse, strict=True)
    return tuple(labels if keep_order else sorted(labels))


def write_txt(path: Path | str, documents: Documents) -> None:
    """Write texts in txt form with ids, gzipped if the name ends in .gz; `read_txt` gives the same documents.

    The file is written atomically.

    Raises
    ------
    ValueError : the documents have no texts; an id or a text holds a TAB or an end of line; a label holds
        white space. The message names the document; nothing is written.

    >>> import tempfile
    >>> documents = Documents(["7", "8"], [["grain", "wheat"], []], ["Prices rose.", "No news."])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_txt(Path(folder, "a.txt"), documents)
    ...     read_txt(Path(folder, "a.txt")) == documents
    True
    """
    if documents.texts is None:
        raise ValueError(f"{path}: the documents have features, no texts; the txt form needs texts")
    rows = list(zip(documents.ids, documents.labels, documents.texts, strict=True))
    for position, (identifier, labels, text) in enumerate(rows):
        place = f"{path}: document {identifier!r} (number {position}):"
        for name, value in (("id", identifier), ("text", text)):
            if re.search("[\t\r\n]", value) or (name == "id" and value.startswith("\ufeff")):
                raise ValueError(f"{place} the {name} holds a TAB, an end of line or a byte order mark")
        for label in labels:
            if len(label.split()) != 1 or label != label.strip():
                raise ValueError(f"{place} the label {label!r} holds white space")
    with atomic_writer(path) as stream:
        stream.writelines("\t".join((one, " ".join(own), text)).encode() + b"\n" for one, own, text in rows)


def read_documents(
    path: Path | str,
    format: Literal["txt", "svm"] | None = None,
    strict: bool = True,
    n_features: int | None = None,
    wider: Literal["error", "cut"] = "error",
) -> Documents:
    """Documents from a file in txt form (`read_txt`) or svm form (`read_svm`), which see for what is refused.

    Parameters
    ----------
    format : `txt` or `svm`; None goes by the ending (`FORMS`), before .gz if there is one.
    n_features, wider : the width of the features, for the svm form only.

    Raises ValueError for an unknown format or ending, and for a width of texts.
    """
    if _form(path, format) == "svm":
        return read_svm(path, strict, n_features, wider)
    if n_features is not None:
        raise ValueError(f"n_features is {n_features}, but {path} holds texts: they have no features")
    return read_txt(path, strict)


def write_documents(
    path: Path | str, documents: Documents, format: Literal["txt", "svm"] | None = None
) -> None:
    """Write documents in txt or svm form (`write_txt`, `write_svm`), chosen as in `read_documents`."""
    (write_svm if _form(path, format) == "svm" else write_txt)(path, documents)


def _form(path: Path | str, format: str | None) -> str:
    known = sorted(set(FORMS.values()))
    if format is not None:
        if format not in known:
            raise unknown_name("format of documents", format, known)
        return format
    ending = Path(str(path).lower().removesuffix(".gz")).suffix
    if ending not in FORMS:
        endings = ", ".join(FORMS)
        raise ValueError(
            f"{path}: unknown ending; known are {endings}, each also with .gz; or name the format"
        )
    return FORMS[ending]
