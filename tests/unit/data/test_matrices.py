"""Matrices in files: every kind is read back as it was written, and every fault is named."""

import io
import pickle
import zipfile

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helpers.data import read_matrix, write_matrix
from tests.support import fault_of, write_file

SHAPES = hnp.array_shapes(min_dims=2, max_dims=2)


@settings(max_examples=50)
@given(matrix=hnp.arrays(np.float64, SHAPES, elements=st.floats(allow_nan=False)))
@pytest.mark.parametrize("ending", [".csv", ".npy", ".npz"])
def test_floats_are_the_same_numbers(tmp_path_factory, ending, matrix):
    path = tmp_path_factory.mktemp("m") / f"a{ending}"
    write_matrix(path, matrix)
    read = read_matrix(path)
    assert read.dtype == np.float64 and np.array_equal(read, matrix)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.int64, np.uint16, np.float32, np.float16])
def test_types(tmp_path, dtype):
    matrix = np.array([[0, 1, 1], [1, 0, 0]], dtype)
    for ending in (".npy", ".npz", ".csv"):
        write_matrix(tmp_path / f"a{ending}", matrix)
        read = read_matrix(tmp_path / f"a{ending}")
        assert read.dtype == (np.float64 if ending == ".csv" else dtype) and read.tolist() == matrix.tolist()
    assert (tmp_path / "a.csv").read_text() == "0,1,1\n1,0,0\n"


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("family", ["array", "matrix"])
def test_every_sparse_format_of_scipy(tmp_path, kind, family):
    dense = np.array([[0, 2.5, 0, -1], [0, 0, 0, 0], [3, 0, 0, 0], [0, 0, 4, 0]])
    scipy.sparse.save_npz(tmp_path / "a.npz", getattr(scipy.sparse, f"{kind}_{family}")(dense))
    read = read_matrix(tmp_path / "a.npz")
    assert isinstance(read, scipy.sparse.csr_array) and read.has_canonical_format
    assert read.toarray().tolist() == dense.tolist()


@pytest.mark.parametrize(
    ("array", "reason"),
    [
        (np.zeros(3), "a matrix of two dimensions is needed, not 3"),
        (np.zeros((2, 1, 3)), "not 2 × 1 × 3"),
        (np.float64(3), "not a single number"),
        (np.zeros((0, 3)), "the matrix of 0 × 3 is empty"),
        (np.array([["a"]]), "numbers are needed, not values of type <U1"),
        (np.array([[1j]]), "numbers are needed, not values of type complex128"),
        (np.array([[1, 2], [3, np.nan]]), "row 1, column 1 (both from 0) is NaN"),
    ],
)
def test_arrays_that_are_no_matrix(tmp_path, array, reason):
    np.save(tmp_path / "a.npy", array)
    np.savez(tmp_path / "a.npz", array)
    for ending in (".npy", ".npz"):
        assert reason in fault_of(read_matrix, tmp_path / f"a{ending}")


def test_nothing_pickled_is_loaded(tmp_path):
    np.save(tmp_path / "a.npy", np.array([[{}]]), allow_pickle=True)
    np.savez(tmp_path / "a.npz", np.array([[{}]]), allow_pickle=True)
    with zipfile.ZipFile(archive := io.BytesIO(), "w") as file:
        file.writestr("a.txt", "no array")
    for content in (pickle.dumps(np.eye(2)), b"", b"x", archive.getvalue()):
        for path in (write_file(tmp_path, "b.npy", content), write_file(tmp_path, "b.npz", content)):
            assert fault_of(read_matrix, path) and fault_of(read_matrix, path.with_stem("a"))
