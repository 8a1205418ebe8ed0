"""Files of labelled documents: txt, svm, GoEmotions, label files; what they hold, what is said of a fault."""

import logging
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from helpers.core.errors import MalformedRecord
from helpers.data import Documents, label_list, label_matrix, read_corpus
from helpers.data.formats.documents import (
    read_documents,
    read_goemotions,
    read_labels,
    read_svm,
    read_txt,
)
from tests.support import write_documents, write_file

PROPERTY = settings(max_examples=40)

TEXTS = Documents(["7", "8"], [["grain", "wheat"], []], ['Prices "rose.', " No news. "])
FEATURES = Documents(
    ["0", "1", "2"], [["3", "12"], [], []], features=[[0.1, 0, 2], [0, -1e-300, 0], [0, 0, 0]]
)


def fault(read, path: Path, *arguments: object) -> str:
    with pytest.raises(MalformedRecord) as caught:
        read(path, *arguments)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)
    return str(caught.value).removeprefix(str(path))


class TestTxt:
    def test_three_columns(self, tmp_path) -> None:
        content = '7\tgrain wheat\tPrices "rose.\r\n\n8\t\t No news. \n  \n'
        for name in ("a.txt", "a.txt.gz", "b.tsv"):
            documents = read_documents(write_file(tmp_path, name, content))
            assert documents == TEXTS and documents.malformed == ()

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("9\tx", "3 columns are expected, as in line 1, found 2; a text must not hold a TAB"),
            ("9\tx\tone\ttwo", "3 columns are expected, as in line 1, found 4; a text must not hold a TAB"),
            ("9\tx\t ", "the text of document '9' is empty"),
            ("\t\t", "the id is empty"),
            ("\tx\tone", "the id is empty"),
            ("7\tx\tone", "id '7' occurred before, at line 1"),
            ("9\tx\tcaf\udce9", "byte 7 of the line, 0xe9, is not UTF-8"),
        ],
    )
    def test_malformed_line(self, tmp_path, caplog, line, reason) -> None:
        content = f"7\ta\tone\n\n{line}\n8\tb\ttwo\n".encode(errors="surrogateescape")
        path = write_file(tmp_path, "a.txt", content)
        assert fault(read_txt, path) == f", line 3: {reason}"
        with caplog.at_level(logging.WARNING):
            documents = read_txt(path, strict=False)
        assert documents == Documents(["7", "8"], [["a"], ["b"]], ["one", "two"])
        assert [error.line for error in documents.malformed] == [3]
        assert "left out 1 of 3 records; the first:" in caplog.text and reason in caplog.text

    @PROPERTY
    @given(data=st.data(), zipped=st.sampled_from(["", ".gz"]))
    def test_read_back(self, tmp_path_factory, data, zipped) -> None:
        line = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1)
        ids = data.draw(st.lists(line.filter(lambda one: one[0] != "\ufeff"), min_size=1, unique=True))
        word = line.filter(lambda one: one.split() == [one])
        labels = [data.draw(st.lists(word, unique=True, max_size=4)) for _ in ids]
        texts = [data.draw(line.filter(str.strip)) for _ in ids]
        documents = Documents(ids, labels, texts)
        path = tmp_path_factory.mktemp("d") / f"a.txt{zipped}"
        write_documents(path, documents)
        assert read_documents(path) == documents


class TestSvm:
    def test_lines(self, tmp_path) -> None:
        content = "3,12 3:2 1:.1\r\n\t2:-1e-300\n  \n\n\n"
        for name in ("a.svm", "b.LIBSVM", "a.svm.gz"):
            path = write_file(tmp_path, name, content)
            found = read_documents(path)
            assert found == FEATURES and found.features.dtype == np.float64, name
            assert found.features.has_canonical_format

    @pytest.mark.parametrize(
        ("line", "labels", "row"),
        [
            ("1:2 3:4", (), [2, 0, 4]),
            ("x", ("x",), [0, 0, 0]),
            ("x,+3,é 2:0 3:0.0", ("x", "+3", "é"), [0, 0, 0]),
            ("x\t 1:1e2\t\t2:+.5", ("x",), [100, 0.5, 0]),
            ("5,5,4 1:3.", ("5", "4"), [3, 0, 0]),
            (" ", (), [0, 0, 0]),
        ],
    )
    def test_forms_of_a_line(self, tmp_path, line, labels, row) -> None:
        found = read_svm(write_file(tmp_path, "a.svm", f"1 3:9\n{line}\n"))
        assert found.labels[1] == labels and found.features[[1]].toarray().tolist() == [row]
        assert 0 not in found.features.data, "zeros are not stored"

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("", "the line is empty; a document with neither labels nor features is one blank"),
            ("1 0:2", "indices start at one, not at zero as in '0:2'"),
            ("1 2:3 1:1 2:4", "index 2 stands twice in the line"),
            ("1 2:0 2:0", "index 2 stands twice in the line"),
            ("1, 3 2:1", "a label is empty in '1,'"),
            ("1 3 2:1", "index:value, two numbers, is expected in place of '3'"),
            ("1 2:1:3", "index:value, two numbers, is expected in place of '2:1:3'"),
            ("1 a:1", "index:value, two numbers, is expected in place of 'a:1'"),
            ("1 -1:1", "index:value, two numbers, is expected in place of '-1:1'"),
            ("1 0x2:1", "index:value, two numbers, is expected in place of '0x2:1'"),
            ("1 2:1_0", "index:value, two numbers, is expected in place of '2:1_0'"),
            ("1 2:", "index:value, two numbers, is expected in place of '2:'"),
            ("1 2:nan", "index:value, two numbers, is expected in place of '2:nan'"),
            ("1 2:1e999", "the value of '2:1e999' is too large for a number"),
            ("1 2147483648:1", "the index of '2147483648:1' is above 2147483647"),
            ("caf\udce9 1:1", "byte 3 of the line, 0xe9, is not UTF-8"),
        ],
    )
    def test_malformed_line(self, tmp_path, caplog, line, reason) -> None:
        path = write_file(tmp_path, "a.svm", f"x 1:1\n{line}\ny 2:1\n".encode(errors="surrogateescape"))
        assert fault(read_svm, path).startswith(f", line 2: {reason}")
        with caplog.at_level(logging.WARNING):
            documents = read_svm(path, strict=False)
        assert documents == Documents(["0", "2"], [["x"], ["y"]], features=np.eye(2))
        assert [error.line for error in documents.malformed] == [2]
        assert "left out 1 of 3 records" in caplog.text

    def test_scikit_learn_reads_and_writes_the_same(self, tmp_path, rng) -> None:
        features = scipy.sparse.random_array((40, 9), density=0.4, rng=rng, format="csr")
        gold = (rng.random((40, 5)) < 0.4).astype(int)
        path = tmp_path / "a.svm"
        dump_svmlight_file(features, gold, str(path), zero_based=False, multilabel=True)
        documents = read_svm(path)
        assert label_matrix(documents, [*"01234"]).toarray().tolist() == gold.tolist()
        assert np.allclose(documents.features.toarray(), features.toarray(), rtol=1e-15)
        write_documents(path, documents)
        found, labels = load_svmlight_file(str(path), n_features=9, multilabel=True, zero_based=False)
        filled = [row for row, own in enumerate(documents.labels) if own or documents.features[[row]].nnz]
        assert (found != documents.features[filled]).nnz == 0, "its reader skips a document with neither"
        assert labels == [tuple(map(float, documents.labels[row])) for row in filled]

    @PROPERTY
    @given(data=st.data(), zipped=st.sampled_from(["", ".gz"]))
    def test_read_back(self, tmp_path_factory, data, zipped) -> None:
        number = st.sampled_from([0.0, 0.0, 0.0]) | st.floats(allow_nan=False, allow_infinity=False)
        rows = data.draw(st.lists(st.lists(number, min_size=3, max_size=3), min_size=1, max_size=5))
        word = st.text(st.characters(codec="utf-8", exclude_characters=",:"), min_size=1)
        labels = st.lists(word.filter(lambda one: one.split() == [one]), unique=True, max_size=3)
        features = [[*row, 1.0] for row in rows]  # the largest index of the file is the number of columns
        documents = Documents(
            map(str, range(len(rows))), [data.draw(labels) for _ in rows], features=features
        )
        path = tmp_path_factory.mktemp("d") / f"a.svm{zipped}"
        write_documents(path, documents)
        assert read_documents(path) == documents


class TestGoEmotions:
    LABELS = ("admiration", "anger", "joy")

    def test_lines(self, tmp_path) -> None:
        path = write_file(tmp_path, "a.tsv", 'So "kind! \t0,2\teda\nHm.\t\tedb\n')
        found = read_goemotions(path, self.LABELS)
        assert found == Documents(["eda", "edb"], [["admiration", "joy"], []], ['So "kind! ', "Hm."])

    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("x\t3\ted2", "label id '3' is not one of 0–2"),
            ("x\t-1\ted2", "label id '-1' is not one of 0–2"),
            ("x\t1,\ted2", "label id '' is not one of 0–2"),
            ("x\tjoy\ted2", "label id 'joy' is not one of 0–2"),
            ("x\t1", "3 columns, text, label ids, comment id, are expected, found 2"),
            ("\t1\ted2", "the text of document 'ed2' is empty"),
            ("x\t1\ted1", "id 'ed1' occurred before, at line 1"),
        ],
    )
    def test_malformed_line(self, tmp_path, line, reason) -> None:
        path = write_file(tmp_path, "a.tsv", f"Hm.\t0\ted1\n{line}\n")
        assert fault(read_goemotions, path, self.LABELS) == f", line 2: {reason}"
        assert len(read_goemotions(path, self.LABELS, strict=False)) == 1


class TestLabelFiles:
    @pytest.mark.parametrize(
        ("content", "reason"),
        [
            ("a\nb\na\n", ", line 3: label 'a' occurred before, at line 1"),
            ("a\n\nb\n", ", line 2: a label is expected in place of ''"),
            (b"a\n\xff\n", ", line 2: byte 2 of the file, 0xff, is not UTF-8; save the file as UTF-8"),
            ("\n", ", line 1: the file is empty; a label on each line is needed"),
        ],
    )
    def test_malformed(self, tmp_path, content, reason) -> None:
        assert fault(read_labels, write_file(tmp_path, "labels.txt", content)) == reason


class TestRealData:
    """Counts of the files themselves; the 90 topics are those with documents in both parts."""

    def test_reuters(self, data_dir, caplog) -> None:
        with caplog.at_level(logging.INFO):
            corpus = read_corpus("reuters90")
        train, test = corpus["train"], corpus["test"]
        assert (len(train), len(test)) == (7770, 3019)
        assert train.without_labels == test.without_labels == 0
        labels = label_list(train)
        assert len(labels) == 90 and label_list(test) == label_list(train, test, True) == labels
        counts = label_matrix(train, labels).sum(axis=0)
        assert counts.sum() == 9585 and counts[labels.index("earn")] == counts.max() == 2877
        assert (counts < 5).sum() == 20 and counts.min() == 1
        assert (train.ids[0], train.labels[0], test.ids[0]) == ("1", ("cocoa",), "14826")
        assert caplog.text.count("1 labels stand twice in their document") == 2

    def test_goemotions(self, data_dir) -> None:
        corpus = read_corpus("goemotions")
        assert {split: len(part) for split, part in corpus.items()} == {
            "train": 43410,
            "dev": 5426,
            "test": 5427,
        }
        labels = label_list(corpus["train"])
        assert len(labels) == 28 and all(label_list(part) == labels for part in corpus.values())
        counts = label_matrix(corpus["train"], labels).sum(axis=0)
        assert counts.sum() == 51103
        assert counts[labels.index("neutral")] == counts.max() == 14219
        assert counts[labels.index("grief")] == counts.min() == 77
        assert all(part.without_labels == 0 for part in corpus.values())
        assert (corpus["dev"].ids[1], corpus["dev"].labels[1]) == ("ee84bjg", ("approval", "neutral"))
