"""Fixed-width numpy string columns as codes, a piece at a time.

Making Python strings of ten million array strings, only to look them up, takes longer than all the counting.
Here a few character columns that tell the known labels apart are hashed into a small table, and every string
is then compared in full with the label found there: what is unknown is learnt, and a count can never be
wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from threading import Lock

import numpy as np

from .labels import Coded


@dataclass(frozen=True)
class KnownStrings:
    """Labels of one width, found by a hash of some of their characters.

    Attributes
    ----------
    strings, codes : (C,) the labels and their codes.
    columns, factors : character columns that are hashed, and the odd 64-bit number each is multiplied by.
    bits : the hash is the top `bits` bits of the sum. slots : (2^bits,) hash → position in `strings`, 0 if
        empty.

    >>> known = KnownStrings.of({"apple": 0, "apply": 1}, np.dtype("U5"))
    >>> found, codes = known.look_up(np.array(["apply", "apple", "ample"]))
    >>> found.tolist(), codes[found].tolist()
    ([True, True, False], [1, 0])
    """

    strings: np.ndarray
    codes: np.ndarray
    columns: list[int]
    factors: np.ndarray
    bits: int
    slots: np.ndarray

    @classmethod
    def of(cls, codes: Mapping[str, int], dtype: np.dtype) -> KnownStrings:
        """The labels that fit into `dtype`, with a hash table in which no two of them share a slot."""
        # numpy drops NULs at the end of its strings, so no element equals a label that ends with one
        texts = [label for label in codes if isinstance(label, str) and not label.endswith("\0")]
        fitting = [label for label in texts if len(label) <= dtype.itemsize // 4]
        strings = np.array(fitting, dtype)
        words = _characters(strings)
        columns = _telling_columns(words)
        rng = np.random.default_rng(0)
        for bits in (b for b in count(10) for _ in range(4)):
            factors = rng.integers(0, 2**63, len(columns), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            keys = _hash(words, columns, factors, bits)
            if len(np.unique(keys)) == len(keys):
                break
        slots = np.zeros(1 << bits, np.intp)
        slots[keys] = np.arange(len(keys))
        return cls(
            strings, np.array([codes[label] for label in fitting], np.intp), columns, factors, bits, slots
        )

    def look_up(self, piece: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) whether each string is a known label, and its code if it is."""
        if not len(self.strings):
            return np.zeros(len(piece), bool), np.zeros(len(piece), np.intp)
        place = self.slots[_hash(_characters(piece), self.columns, self.factors, self.bits)]
        return self.strings[place] == piece, self.codes[place]


@dataclass(frozen=True)
class StringColumn(Coded):
    """A `Coded` column over a contiguous numpy array of fixed-width strings; `values` is an `Interner`.

    >>> from helpers.metrics.labels import Interner
    >>> column = StringColumn(np.array(["b", "a", "b"]), Interner(["a"]), "gold")
    >>> column.codes(0, 3).tolist()
    [1, 0, 1]
    """

    known: list[KnownStrings] = field(default_factory=list)  # one entry: all labels so far
    lock: Lock = field(default_factory=Lock)

    @property
    def parallel(self) -> bool:
        """Pieces are read outside the interpreter lock, so threads pay."""
        return True

    def codes(self, start: int, stop: int) -> np.ndarray:
        """Integer codes of the rows start … stop−1; ValueError as `Coded.codes`."""
        piece = self.data[start:stop]
        if not self.known:
            self._learn(start, piece[:1])
        found, codes = self.known[0].look_up(piece)
        while not found.all():
            self._learn(start, piece[~found])
            found, codes = self.known[0].look_up(piece)
        return codes

    def _learn(self, start: int, strange: np.ndarray) -> None:
        with self.lock:
            try:
                for label in sorted(set(strange.tolist())):
                    self.values[label]
            except KeyError:
                raise self._unknown(start) from None
            self.known[:] = [KnownStrings.of(self.values, self.data.dtype)]


def _characters(strings: np.ndarray) -> np.ndarray:
    """(n, width) code points, without a copy."""
    return strings.view(np.uint32).reshape(len(strings), strings.dtype.itemsize // 4)


def _telling_columns(words: np.ndarray) -> list[int]:
    """Character columns that together tell all rows apart, chosen greedily: a few do, even for thousands of
    labels."""
    group, columns = np.zeros(len(words), np.int64), []
    while group.max(initial=0) + 1 < len(words):
        options = [
            np.unique(group << 21 | words[:, column], return_inverse=True)[1]
            for column in range(words.shape[1])
        ]
        best = int(np.argmax([option.max() for option in options]))
        columns.append(best)
        group = options[best]
    return columns or [0]


def _hash(words: np.ndarray, columns: list[int], factors: np.ndarray, bits: int) -> np.ndarray:
    total = words[:, columns[0]] * factors[0]
    for column, factor in zip(columns[1:], factors[1:], strict=True):
        total += words[:, column] * factor
    return (total >> np.uint64(64 - bits)).astype(np.intp)
