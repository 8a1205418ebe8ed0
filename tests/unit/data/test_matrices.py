"""Matrices in files: every kind is read back as it was written, and every fault is named."""

import io
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.core.errors import MalformedRecord
from helpers.data.matrices import read_matrix, write_matrix
from tests.support import write_file

PROPERTY = settings(max_examples=50)
NUMBERS = st.floats(allow_nan=False)


class TestReadBack:
    @PROPERTY
    @given(matrix=hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2), elements=NUMBERS))
    @pytest.mark.parametrize("ending", [".csv", ".npy", ".npz"])
    def test_floats_are_the_same_numbers(self, tmp_path_factory, ending, matrix) -> None:
        path = tmp_path_factory.mktemp("m") / f"a{ending}"
        write_matrix(path, matrix)
        found = read_matrix(path)
        assert found.dtype == np.float64 and np.array_equal(found, matrix)

    @pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint16, np.float32, np.float16])
    def test_types(self, tmp_path, dtype) -> None:
        matrix = np.array([[0, 1, 1], [1, 0, 0]], dtype)
        for ending in (".npy", ".npz", ".csv"):
            write_matrix(tmp_path / f"a{ending}", matrix)
            found = read_matrix(tmp_path / f"a{ending}")
            assert found.dtype == (np.float64 if ending == ".csv" else dtype)
            assert found.tolist() == matrix.tolist()
        assert (tmp_path / "a.csv").read_text() == "0,1,1\n1,0,0\n"

    @pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
    @pytest.mark.parametrize("family", ["array", "matrix"])
    def test_every_sparse_format_of_scipy(self, tmp_path, kind, family) -> None:
        dense = np.array([[0, 2.5, 0, -1], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 4, 0]])
        scipy.sparse.save_npz(tmp_path / "a.npz", getattr(scipy.sparse, f"{kind}_{family}")(dense))
        found = read_matrix(tmp_path / "a.npz")
        assert isinstance(found, scipy.sparse.csr_array) and found.has_canonical_format
        assert found.toarray().tolist() == dense.tolist()

    @pytest.mark.parametrize("block", [1000, 1 << 24])
    @pytest.mark.parametrize("shape", [(3, 400), (3000, 3)])
    def test_rows_wider_than_a_block_and_many_blocks(self, tmp_path, monkeypatch, rng, block, shape) -> None:
        monkeypatch.setattr("helpers.data.matrices._BLOCK", block)
        matrix = rng.standard_normal(shape)
        write_matrix(tmp_path / "a.csv", matrix)
        assert np.array_equal(read_matrix(tmp_path / "a.csv"), matrix)


class TestCsvFaults:
    @pytest.mark.parametrize(
        ("content", "place", "reason"),
        [
            ("", "a.csv: ", "the file is empty"),
            (" \n\n", "a.csv: ", "the file is empty"),
            (
                "sports,news\n1,0\n",
                "line 1, column '1': ",
                "'sports' is no number; the file must have no header",
            ),
            ("1,0\n\n0,x\n", "line 3, column '2': ", "'x' is no number"),
            ("1,0\n0,\n", "line 2, column '2': ", "'' is no number"),
            ("1,0\n0,nan\n", "line 2, column '2': ", "'nan' is no number"),
            ("1,0\nTrue,1\n", "line 2, column '1': ", "'True' is no number"),
            ("1,0\n1_0,1\n", "line 2, column '1': ", "'1_0' is no number"),
            ("1;0\n0;1\n", "line 1, column '1': ", "'1;0' is no number"),
            ("1,0\n1\n", "line 2: ", "2 cells are expected, as in the first row, found 1"),
            ("1,0\n1,0,1\n", "line 2: ", "2 cells are expected, as in the first row, found 3"),
            (b"1,0\n1,\xe9\n", "line 2: ", "0xe9, is not UTF-8"),
            ("1,0\n" + "1" * 200_000 + ",x\n", "line 2, column '2'", "'x' is no number"),
        ],
    )
    def test_place_and_reason(self, tmp_path, content, place, reason) -> None:
        with pytest.raises(MalformedRecord) as caught:
            read_matrix(write_file(tmp_path, "a.csv", content))
        assert place in str(caught.value) and reason in str(caught.value)


class TestOtherFaults:
    @pytest.mark.parametrize(
        ("array", "reason"),
        [
            (np.zeros(3), "a matrix of two dimensions is needed, not 3"),
            (np.zeros((2, 1, 3)), "not 2 × 1 × 3"),
            (np.float64(3), "not a single number"),
            (np.zeros((0, 3)), "the matrix of 0 × 3 is empty"),
            (np.array([["a"]]), "numbers are needed, not values of type <U1"),
            (np.array([[1j]]), "numbers are needed, not values of type complex128"),
            (np.array([[1, 2], [3, np.nan]]), r"row 1, column 1 \(both from 0\) is NaN"),
        ],
    )
    def test_arrays_that_are_no_matrix(self, tmp_path, array, reason) -> None:
        np.save(tmp_path / "a.npy", array)
        np.savez(tmp_path / "a.npz", array)
        for ending in (".npy", ".npz"):
            with pytest.raises(MalformedRecord, match=reason):
                read_matrix(tmp_path / f"a{ending}")

    def test_nothing_pickled_is_loaded(self, tmp_path) -> None:
        np.save(tmp_path / "a.npy", np.array([[{}]]), allow_pickle=True)
        np.savez(tmp_path / "a.npz", np.array([[{}]]), allow_pickle=True)
        for content in (pickle.dumps(np.eye(2)), b"", b"x"):
            write_file(tmp_path, "b.npy", content)
            write_file(tmp_path, "b.npz", content)
            for name in ("a.npy", "a.npz", "b.npy", "b.npz"):
                with pytest.raises(MalformedRecord) as caught:
                    read_matrix(tmp_path / name)
                assert "\n" not in str(caught.value)

    def test_a_flipped_byte_is_seen_or_gives_a_matrix(self, tmp_path) -> None:
        scipy.sparse.save_npz(tmp_path / "a.npz", scipy.sparse.csr_array(np.eye(5)))
        content = bytearray((tmp_path / "a.npz").read_bytes())
        seen, places = 0, range(0, len(content), 5)
        for place in places:
            changed = bytes(content[:place]) + bytes([content[place] ^ 0xFF]) + bytes(content[place + 1 :])
            try:
                found = read_matrix(write_file(tmp_path, "b.npz", changed))
            except MalformedRecord:
                seen += 1
            else:
                assert (found != scipy.sparse.csr_array(np.eye(5))).nnz == 0, "only dates and the like differ"
        assert seen > len(places) / 2


class TestWrite:
    def test_an_interrupted_write_leaves_the_old_file(self, tmp_path, monkeypatch) -> None:
        write_matrix(tmp_path / "a.npy", np.eye(2))

        def interrupted(stream: io.BufferedWriter, *_args: object, **_settings: object) -> None:
            stream.write(b"half")
            raise KeyboardInterrupt

        monkeypatch.setattr(np, "save", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_matrix(tmp_path / "a.npy", np.ones((3, 3)))
        assert read_matrix(tmp_path / "a.npy").tolist() == np.eye(2).tolist()
        assert [path.name for path in tmp_path.iterdir()] == ["a.npy"]
