"""Files of lines, of records and of numbers, and the one way from records to samples (`collect`).

Matrices stand in .csv without header, .npy, and .npz, dense or sparse (as SciPy saves it). Nothing pickled is
ever loaded. Whether the numbers are 0 and 1, or fit together, is decided elsewhere.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import MalformedRecord, atomic_writer, listing, naming_file, plain_file, read_file, shown, visible
from .samples import Corpus
from .tables import open_source

Record = tuple[int | None, Any]
"""Where a record starts (line, 1-based; None in a JSON document) and its raw form."""
ENDINGS = (".csv", ".npy", ".npz")
_NAMES: dict[type | None, str] = {str: "a string", int: "a whole number", list: "a list"}


def collect(
    path: Path | str,
    records: Iterable[Record],
    parse: Callable[[int | None, int, Any], list],
    key: Callable[[Any], str] | None = None,
    what: str = "id",
) -> Corpus:
    """Parse every record of a file: `parse(line, number, raw)` gives the samples or facts of one record.

    key : of a sample, its name, `what`, which no other sample of the file may have.

    Raises MalformedRecord for a record that `parse` refuses, with its line, or where the file has none with
    its number, from 1; and for a file that holds no record.

    >>> collect("a.txt", [(1, "4"), (2, "5")], lambda line, number, raw: [int(raw)])
    [4, 5]
    >>> collect("a.txt", [(1, "4"), (2, "x")], lambda line, number, raw: [int(raw)])
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.txt, line 2: invalid literal for int() with base 10: 'x'
    """
    corpus, number = Corpus(), 0
    first: dict[str, int | None] = {}
    with naming_file(path):
        for number, (line, raw) in enumerate(records, start=1):
            try:
                samples = parse(line, number, raw)
                for name in map(key, samples) if key else ():
                    if name in first:
                        where = "" if line is None else f", at line {first[name]}"
                        raise ValueError(f"{what} {shown(name)} occurred before{where}")
                    first[name] = line
                corpus.extend(samples)
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                record = f"record {number}: " if line is None else ""
                raise MalformedRecord(path, record + _reason(error), line) from error
    if not number:
        raise MalformedRecord(path, "the file holds no record")
    return corpus


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} of the line, 0x{error.object[error.start]:02x}, is not UTF-8"
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    is_plain = isinstance(error, ValueError)
    return visible(str(error) if is_plain else f"unexpected structure ({error})", 300)


def lines(path: Path | str) -> Iterator[Record]:
    """The lines without their ends, as bytes: `parse` decodes, so it fails by line. Lines of blanks are none,
    one of TABs is."""
    for number, line in enumerate(read_file(path).split(b"\n"), start=1):
        if line.strip(b" \r"):
            yield number, line.rstrip(b"\r")


def records_of(path: Path | str, form: str | None = None) -> Iterator[Record]:
    """The records of a file that `open_source` reads: JSON objects, or the cells of a table by column."""
    source = open_source(path, form)
    for line, row in source.rows():
        yield line if source.has_lines else None, row


def first_record(path: Path | str) -> dict[str, Any]:
    """The first record of a file, by which its reader is chosen; {} if there is none, or it cannot be read:
    the reader that is chosen then says why.

    >>> first_record("none.csv")
    {}
    """
    try:
        return dict(next(records_of(path))[1])
    except (ValueError, OSError, StopIteration, RecursionError):
        return {}


def field(record: Any, name: str, kind: type | None = None) -> Any:
    """The value of a field of a JSON object; ValueError if the record is no object or lacks the field, or its
    value is of another kind than text, a whole number or a list (of Python's literals also a tuple)."""
    if not isinstance(record, dict):
        raise ValueError(f"a JSON object is expected, not {type(record).__name__}")
    if name not in record:
        raise ValueError(f"the field {name!r} is missing; there are {', '.join(record) or 'none'}")
    value = record[name]
    kinds = (list, tuple) if kind is list else kind or object
    if not isinstance(value, kinds) or kind is int and isinstance(value, bool):
        raise ValueError(f"the field {shown(name)} is {shown(value)}, not {_NAMES[kind]}")
    return value


def read_matrix(path: Path | str) -> np.ndarray | scipy.sparse.csr_array:
    """The two-dimensional matrix of a file, its kind chosen by the ending.

    Returns
    -------
    - .csv: float64; one row a line, cells separated by commas, no header; blank lines are skipped;
    - .npy, and .npz with one array: the array as it was saved (float, integer or bool);
    - .npz as `scipy.sparse.save_npz` writes it, in any of SciPy's formats: a `csr_array` with sorted columns
      (an entry that is there twice is added up, as SciPy does; zeros that are stored stay).

    Infinite values are allowed: a tree's labels that were not reached have the score −∞.

    Raises
    ------
    MalformedRecord : of a .csv, with the row: a cell that is empty or no number, a row with too few or too
        many cells; of any file: broken, cut off or pickled, no numbers, not two-dimensional, empty, NaN (with
        its place), several arrays in one .npz.
    ValueError : unknown ending (the known ones are listed).

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "scores.csv")
    ...     _ = path.write_text("0.5,-1\\n2,1e-3\\n")
    ...     read_matrix(path)
    array([[ 5.e-01, -1.e+00],
           [ 2.e+00,  1.e-03]])
    """
    path = Path(path)
    with naming_file(path):
        matrix = _read_csv(path) if _ending(path) == ".csv" else _read_numpy(path)
    if matrix.ndim != 2:
        shape = " × ".join(map(str, matrix.shape)) or "a single number"
        raise MalformedRecord(path, f"a matrix of two dimensions is needed, not {shape}")
    if 0 in matrix.shape:
        raise MalformedRecord(path, f"the matrix of {matrix.shape[0]} × {matrix.shape[1]} is empty")
    if matrix.dtype.kind not in "biuf":
        raise MalformedRecord(path, f"numbers are needed, not values of type {matrix.dtype}")
    unlike_itself: Any = matrix != matrix  # as only NaN is
    for row, column in zip(*unlike_itself.nonzero(), strict=True):
        raise MalformedRecord(path, f"the value in row {row}, column {column} (both from 0) is NaN")
    return matrix


def _ending(path: Path) -> str:
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(f"{path}: unknown ending; known are {', '.join(ENDINGS)}")
    return ending


def _read_csv(path: Path) -> np.ndarray:
    content = read_file(path)
    if not content.strip():
        raise MalformedRecord(path, "the file is empty")
    try:
        return np.loadtxt(content.decode().splitlines(), delimiter=",", comments=None, quotechar='"', ndmin=2)
    except ValueError as error:
        raise ValueError(f"{error} (the first row is 0; there is no header)") from None


def _read_numpy(path: Path) -> np.ndarray | scipy.sparse.csr_array:
    """What NumPy or SciPy saved; the content decides which, should the ending be the wrong one of the two."""
    arrays = _read_arrays(path)
    if "format" in arrays:
        with _opened(path) as file:
            matrix = scipy.sparse.load_npz(file)
            if hasattr(matrix, "check_format"):
                matrix.check_format(full_check=True)  # indices outside the shape would be read as they are
            rows = scipy.sparse.csr_array(matrix)
            rows.sum_duplicates()
        return rows
    if len(arrays) != 1:
        listed = listing(arrays) or "nothing"
        raise MalformedRecord(path, f"one array, or SciPy's sparse form, is expected, not {listed}")
    return next(iter(arrays.values()))


@contextlib.contextmanager
def _opened(path: Path | str) -> Iterator[BinaryIO]:
    with open(plain_file(path), "rb") as file:
        try:
            yield file
        except Exception as error:  # NumPy's and zipfile's own, of many kinds: a header is Python text
            reason = visible(" ".join(str(error).split()), 160) or type(error).__name__
            raise MalformedRecord(path, f"the file is broken, cut off or pickled ({reason})") from error


def _read_arrays(path: Path | str) -> dict[str, np.ndarray]:
    """All arrays of an .npz file by name; that of an .npy file under the name ''. Nothing pickled is loaded.

    Raises
    ------
    MalformedRecord : broken, cut off or pickled, or an archive of something else.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(Path(folder, "a.npz"), gold=[0, 1], lengths=[2])
    ...     {name: array.tolist() for name, array in _read_arrays(Path(folder, "a.npz")).items()}
    {'gold': [0, 1], 'lengths': [2]}
    """
    with _opened(path) as file:
        loaded = np.load(file, allow_pickle=False)
        arrays = {"": loaded} if isinstance(loaded, np.ndarray) else dict(loaded)
    for name, member in arrays.items():
        if not isinstance(member, np.ndarray):  # of an archive of other files
            raise MalformedRecord(path, f"{shown(name)} in it is no array")
    return arrays


def write_matrix(path: Path | str, matrix: np.ndarray) -> None:
    """Write a dense matrix so that `read_matrix` gives the same numbers (of .csv float64); atomically.

    Raises ValueError for an unknown ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_matrix(Path(folder, "scores.csv"), np.eye(2))
    ...     Path(folder, "scores.csv").read_text()
    '1,0\\n0,1\\n'
    """
    path = Path(path)
    ending = _ending(path)
    with atomic_writer(path) as stream:
        if ending == ".npz":
            np.savez_compressed(stream, matrix=matrix)
        elif ending == ".npy":
            np.save(stream, matrix, allow_pickle=False)
        else:
            plain = {"b": np.uint8, "f": np.float64}  # whose text gives the float64 back
            for row in matrix.astype(plain.get(matrix.dtype.kind, matrix.dtype), copy=False):
                cells = (repr(value).removesuffix(".0") for value in row.tolist())
                stream.write((",".join(cells) + "\n").encode())
