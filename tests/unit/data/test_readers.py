"""Readers of corpora: what they read, and what they say of a malformed record."""

import json
import logging
from pathlib import Path

import pytest

from helpers.core.errors import MalformedRecord
from helpers.data import formats as readers
from helpers.data import read_corpus
from helpers.data.formats import json_array
from helpers.data.samples import Fact

BLOCK = '{id}\t"The <e1>fire</e1> caused <e2>panic</e2>."\r\nCause-Effect(e1,e2)\r\nComment: none\r\n\r\n'


def write(folder: Path, content: bytes | str) -> Path:
    path = folder / "corpus.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


class TestSemeval:
    def test_crlf_and_latin1(self, tmp_path) -> None:
        path = write(tmp_path, BLOCK.format(id=1).replace("panic", "caf\xe9\x85s").encode("latin-1"))
        (one,) = readers.read_semeval(path)
        assert (one.id, one.relation) == ("1", "Cause-Effect(e1,e2)")
        assert (one.head_text, one.tail_text) == ("fire", "caf\xe9\x85s"), "byte 0x85 does not end a line"
        assert "\r" not in one.text

    @pytest.mark.parametrize(
        ("old", "new", "reason"),
        [
            ("\t", " ", "id, tab and a quoted sentence are expected in place of '2 \"The"),
            ("</e1>", "", "'</e1>' occurs 0 times"),
            ("Cause-Effect(", "Cause-Efect(", "did you mean 'Cause-Effect(e1,e2)'"),
            ("\r\nCause-Effect(e1,e2)\r\nComment: none", "", "the line with the relation is missing"),
            ("Comment: none", "8\tnext", "a comment or a blank line is expected in place of '8\\tnext'"),
            ("2\t", "1\t", "id 1 occurred before, at line 1"),
        ],
    )
    def test_malformed_block(self, tmp_path, caplog, old, new, reason) -> None:
        path = write(tmp_path, BLOCK.format(id=1) + BLOCK.format(id=2).replace(old, new) + BLOCK.format(id=3))
        with pytest.raises(MalformedRecord) as caught:
            readers.read_semeval(path)
        assert str(caught.value).startswith(f"{path}, line 5: ") and reason in str(caught.value)
        with caplog.at_level(logging.WARNING):
            corpus = readers.read_semeval(path, strict=False)
        assert [one.id for one in corpus] == ["1", "3"]
        assert [error.line for error in corpus.malformed] == [5]
        assert "left out 1 of 3 records; the first:" in caplog.text and reason in caplog.text


class TestKbp37:
    def test_blanks_and_an_empty_entity(self, tmp_path) -> None:
        text = '0\t" <e1> Thom Yorke </e1> of <e2> </e2> sings . "\nper:employee_of(e2,e1) \n\n\n'
        (one,) = readers.read_kbp37(write(tmp_path, text))
        assert (one.text, one.head_text, one.tail) == ("Thom Yorke of  sings .", "Thom Yorke", (14, 14))
        assert one.relation == "per:employee_of(e2,e1)"


class TestChemprot:
    @pytest.mark.parametrize(
        ("line", "reason"),
        [
            ("{", "no valid JSON at character 1"),
            ("[]", "a JSON object is expected, not list"),
            ('{"text": "<< a >> [[ b ]]"}', "the field 'label' is missing; there are text"),
            ('{"text": 3, "label": "A"}', "the field 'text' is 3, not a string"),
            ('{"text": "<< a >> b ]]", "label": "A"}', "'[[' occurs 0 times"),
        ],
    )
    def test_malformed_line(self, tmp_path, line, reason) -> None:
        good = '{"text": "<< a >> [[ b ]]", "label": "A", "metadata": []}\n'
        path = write(tmp_path, good + line + "\n" + good)
        with pytest.raises(MalformedRecord, match="line 2") as caught:
            readers.read_chemprot(path)
        assert reason in str(caught.value)
        corpus = readers.read_chemprot(path, strict=False)
        assert [one.id for one in corpus] == ["1", "3"] and len(corpus.malformed) == 1


DOCUMENT = {
    "title": "D",
    "vertexSet": [[{"name": "A"}, {"name": "a"}], [{"name": "B"}]],
    "labels": [{"r": "P17", "h": 0, "t": 1}, {"r": "P27", "h": 1, "t": 0}],
}


class TestJsonCorpora:
    @pytest.mark.parametrize(
        ("change", "reason"),
        [
            ({"labels": [{"r": "P17", "h": 0, "t": 2}]}, "an entity number is not below 2"),
            ({"labels": [{"r": "P17", "h": 0}]}, "the field 't' is missing"),
            ({"vertexSet": None}, "unexpected structure"),
            ({"title": 1}, "the field 'title' is 1"),
        ],
    )
    def test_malformed_document(self, tmp_path, change, reason) -> None:
        path = write(tmp_path, json.dumps([DOCUMENT, DOCUMENT | change], indent=1))
        line = path.read_text().splitlines().index(" {", 3) + 1
        with pytest.raises(MalformedRecord, match=f"line {line}: .*{reason}"):
            readers.read_docred(path)
        assert len(readers.read_docred(path, strict=False)) == 2

    def test_nyt_malformed(self, tmp_path) -> None:
        good = {"triple_list": [["a", "r", "b"]]}
        path = write(tmp_path, json.dumps([{"triple_list": []}, {"triple_list": [["a", "r"]]}, good]))
        with pytest.raises(MalformedRecord, match="the triple list is empty"):
            readers.read_nyt_star(path)
        corpus = readers.read_nyt_star(path, strict=False)
        assert corpus == [Fact("2", "a", "b", "r")] and len(corpus.malformed) == 2
        with pytest.raises(ValueError, match=r"did you mean 'first'\?"):
            readers.read_nyt_star(path, triples="frist")

    @pytest.mark.parametrize(
        ("content", "line", "reason"),
        [
            (b'{"a": 1}', 1, "one JSON array is expected"),
            (b"[1,\n2", 2, "it does not go on"),
            (b"[1\n, {]", 2, "item 1 of the array"),
            (b'["caf\xe9"]', 1, "byte 5 of the file, 0xe9, is not UTF-8"),
        ],
    )
    def test_broken_array(self, tmp_path, content, line, reason) -> None:
        with pytest.raises(MalformedRecord, match=f"line {line}: .*{reason}"):
            list(json_array(write(tmp_path, content)))


class TestRealData:
    @pytest.mark.parametrize(
        ("name", "sizes"),
        [
            ("semeval2010", {"train": 8000, "test": 2717}),
            ("kbp37", {"train": 15917, "dev": 1724, "test": 3405}),
            ("chemprot", {"train": 4169, "dev": 2427, "test": 3469}),
            ("nyt24", {"val": 4999, "test": 5000}),
            ("docred", {"dev-699": 7342}),
        ],
    )
    def test_sizes(self, data_dir, name, sizes) -> None:
        assert {split: len(corpus) for split, corpus in read_corpus(name).items()} == sizes

    @pytest.mark.parametrize(("split", "facts"), [("dev", 17284), ("test", 17448)])
    def test_re_docred(self, data_dir, split, facts) -> None:
        assert len(readers.read_docred(data_dir / "re_docred" / f"{split}_revised.json")) == facts
