"""Matrices in files: every kind is read back as it was written, and every fault is named."""

import io
import itertools
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.core.errors import MalformedRecord
from helpers.data.matrices import first_nan, read_matrix, write_matrix

PROPERTY = settings(max_examples=50, deadline=None, derandomize=True, database=None)
NUMBERS = st.floats(allow_nan=False)


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


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
        write_matrix(tmp_path / "b.npz", found)
        assert (read_matrix(tmp_path / "b.npz") != found).nnz == 0

    def test_stored_zeros_stay_and_doubles_are_added(self, tmp_path) -> None:
        matrix = scipy.sparse.csr_array(([1, 2, 0], [1, 1, 0], [0, 2, 3]), shape=(2, 2))
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
        found = read_matrix(tmp_path / "a.npz")
        assert found.toarray().tolist() == [[0, 3], [0, 0]] and found.nnz == 2

    def test_what_others_write(self, tmp_path) -> None:
        np.savetxt(tmp_path / "a.csv", [[0.1, -np.inf], [1e300, 2]], delimiter=",")
        assert read_matrix(tmp_path / "a.csv").tolist() == [[0.1, -np.inf], [1e300, 2]]
        np.savez(tmp_path / "a.npz", np.eye(2))
        assert read_matrix(tmp_path / "a.npz").tolist() == [[1, 0], [0, 1]]
        np.save(tmp_path / "f.npy", np.asfortranarray([[1, 2], [3, 4]]))
        assert read_matrix(tmp_path / "f.npy").tolist() == [[1, 2], [3, 4]]

    @pytest.mark.parametrize(
        "content",
        ["1,2\n3,4", "\ufeff1,2\r\n3,4\r\n", '\n"1", 2\n\n3,4\n\n', "+1,2\n3,4e0\n", "1,2\r3,4\r"],
    )
    def test_ways_to_write_a_csv(self, tmp_path, content) -> None:
        assert read_matrix(write(tmp_path, "A.CSV", content)).tolist() == [[1, 2], [3, 4]]

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
            read_matrix(write(tmp_path, "a.csv", content))
        assert place in str(caught.value) and reason in str(caught.value)


class TestOtherFaults:
    def test_unknown_ending(self, tmp_path) -> None:
        for act in (read_matrix, lambda path: write_matrix(path, np.eye(2))):
            with pytest.raises(ValueError, match=r"a\.txt: unknown ending; known are \.csv, \.npy, \.npz"):
                act(tmp_path / "a.txt")
        assert not list(tmp_path.iterdir())

    def test_missing_file(self, tmp_path) -> None:
        for ending in (".csv", ".npy", ".npz"):
            with pytest.raises(FileNotFoundError):
                read_matrix(tmp_path / f"a{ending}")

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

    def test_sparse_that_is_no_matrix(self, tmp_path) -> None:
        matrix = scipy.sparse.csr_array([[0, 1.0], [np.nan, 0]])
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
        with pytest.raises(MalformedRecord, match="row 1, column 0"):
            read_matrix(tmp_path / "a.npz")
        scipy.sparse.save_npz(tmp_path / "b.npz", scipy.sparse.coo_array(np.array([0, 1.0])))
        with pytest.raises(MalformedRecord, match="two dimensions is needed, not 2"):
            read_matrix(tmp_path / "b.npz")

    def test_indices_outside_the_matrix(self, tmp_path) -> None:
        matrix = scipy.sparse.csr_array(np.eye(3))
        matrix.indices[2] = 700
        scipy.sparse.save_npz(tmp_path / "a.npz", matrix)
        with pytest.raises(MalformedRecord, match="the file is broken, cut off or pickled"):
            read_matrix(tmp_path / "a.npz")

    def test_several_arrays(self, tmp_path) -> None:
        np.savez(tmp_path / "a.npz", truth=np.eye(2), scores=np.eye(2))
        with pytest.raises(MalformedRecord, match="SciPy's sparse form, is expected, not truth, scores"):
            read_matrix(tmp_path / "a.npz")

    def test_nothing_pickled_is_loaded(self, tmp_path) -> None:
        np.save(tmp_path / "a.npy", np.array([[{}]]), allow_pickle=True)
        np.savez(tmp_path / "a.npz", np.array([[{}]]), allow_pickle=True)
        for content in (pickle.dumps(np.eye(2)), b"", b"x"):
            write(tmp_path, "b.npy", content)
            write(tmp_path, "b.npz", content)
            for name in ("a.npy", "a.npz", "b.npy", "b.npz"):
                with pytest.raises(MalformedRecord) as caught:
                    read_matrix(tmp_path / name)
                assert "\n" not in str(caught.value)

    def test_the_content_decides_which_of_the_two_endings_is_meant(self, tmp_path) -> None:
        np.savez(tmp_path / "a.npz", np.eye(2))
        (tmp_path / "a.npz").rename(tmp_path / "a.npy")
        np.save(tmp_path / "b.npy", np.eye(2))
        (tmp_path / "b.npy").rename(tmp_path / "b.npz")
        assert (
            read_matrix(tmp_path / "a.npy").tolist()
            == read_matrix(tmp_path / "b.npz").tolist()
            == [[1, 0], [0, 1]]
        )

    @pytest.mark.parametrize("names", [[], ["notes.txt"], ["notes.txt", "more.txt"]])
    def test_archives_without_arrays(self, tmp_path, names) -> None:
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            for name in names:
                archive.writestr(name, "hello")
        with pytest.raises(MalformedRecord, match=f"is expected, not {', '.join(names) or 'nothing'}"):
            read_matrix(tmp_path / "a.npz")

    @pytest.mark.parametrize("name", ["a.npy", "a.npz", "sparse.npz"])
    def test_cut_off_anywhere(self, tmp_path, name) -> None:
        matrix = scipy.sparse.csr_array(np.eye(5)) if name == "sparse.npz" else np.eye(5)
        write_matrix(tmp_path / name, matrix)
        content = (tmp_path / name).read_bytes()
        for end in itertools.chain(range(0, len(content), 37), [len(content) - 1]):
            (tmp_path / name).write_bytes(content[:end])
            with pytest.raises(MalformedRecord, match=name):
                read_matrix(tmp_path / name)

    def test_a_flipped_byte_is_seen_or_gives_a_matrix(self, tmp_path) -> None:
        write_matrix(tmp_path / "a.npz", scipy.sparse.csr_array(np.eye(5)))
        content = bytearray((tmp_path / "a.npz").read_bytes())
        seen, places = 0, range(0, len(content), 5)
        for place in places:
            changed = bytes(content[:place]) + bytes([content[place] ^ 0xFF]) + bytes(content[place + 1 :])
            try:
                found = read_matrix(write(tmp_path, "b.npz", changed))
            except MalformedRecord:
                seen += 1
            else:
                assert (found != scipy.sparse.csr_array(np.eye(5))).nnz == 0, "only dates and the like differ"
        assert seen > len(places) / 2


class TestWrite:
    @pytest.mark.parametrize(
        ("name", "matrix", "message"),
        [
            ("a.csv", np.zeros(3), r"matrix has shape \(3,\) and type float64; two dimensions"),
            ("a.npy", np.zeros((0, 2)), r"shape \(0, 2\)"),
            ("a.npz", np.array([["a"]]), "type <U1"),
            ("a.csv", np.array([[0, np.nan]]), r"matrix\[0, 1\] is NaN"),
            ("a.npz", scipy.sparse.csr_array([[0, np.nan]]), r"matrix\[0, 1\] is NaN"),
            ("a.npy", scipy.sparse.csr_array(np.eye(2)), "make it dense for .npy"),
            ("a.csv", scipy.sparse.csr_array(np.eye(2)), "make it dense for .csv"),
        ],
    )
    def test_refused_and_nothing_written(self, tmp_path, name, matrix, message) -> None:
        with pytest.raises(ValueError, match=message):
            write_matrix(tmp_path / "new" / name, matrix)
        assert not list(tmp_path.iterdir())

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


def test_first_nan_of_a_matrix_of_several_blocks(monkeypatch) -> None:
    monkeypatch.setattr("helpers.data.matrices._BLOCK", 6)
    matrix = np.zeros((7, 3))
    assert first_nan(matrix) is None
    matrix[5, 2] = matrix[6, 0] = np.nan
    assert first_nan(matrix) == first_nan(scipy.sparse.csr_array(matrix)) == (5, 2)
    assert first_nan(scipy.sparse.csr_array((3, 3))) is None
