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

    def test_quotes_within_the_sentence_stay(self, tmp_path) -> None:
        path = write(tmp_path, BLOCK.format(id=1).replace('"The', '""Any time," the'))
        assert readers.read_semeval(path)[0].text == '"Any time," the fire caused panic.'

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

    def test_empty_file(self, tmp_path) -> None:
        with pytest.raises(MalformedRecord, match="holds no record"):
            readers.read_semeval(write(tmp_path, "\r\n\r\n"), strict=False)


class TestKbp37:
    def test_blanks_and_an_empty_entity(self, tmp_path) -> None:
        text = '0\t" <e1> Thom Yorke </e1> of <e2> </e2> sings . "\nper:employee_of(e2,e1) \n\n\n'
        (one,) = readers.read_kbp37(write(tmp_path, text))
        assert (one.text, one.head_text, one.tail) == ("Thom Yorke of  sings .", "Thom Yorke", (14, 14))
        assert one.relation == "per:employee_of(e2,e1)"

    def test_relation_of_two_words(self, tmp_path) -> None:
        with pytest.raises(MalformedRecord, match="line 1: a relation is one word"):
            readers.read_kbp37(write(tmp_path, '0\t" <e1> a </e1> <e2> b </e2> "\nno relation\n'))


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
    def test_docred_gives_a_fact_per_label(self, tmp_path) -> None:
        path = write(tmp_path, json.dumps([DOCUMENT, DOCUMENT | {"labels": []}]))
        assert readers.read_docred(path) == [Fact("D", "A", "B", "P17"), Fact("D", "B", "A", "P27")]

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

    @pytest.mark.parametrize(("triples", "found"), [("first", "r"), ("last", "t"), ("all", "rst")])
    def test_nyt_triples(self, tmp_path, triples, found) -> None:
        sentence = {"text": "x", "triple_list": [["a", relation, "b"] for relation in "rst"]}
        facts = readers.read_nyt_star(write(tmp_path, json.dumps([sentence])), triples=triples)
        assert "".join(fact.relation for fact in facts) == found

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

    def test_array_items_have_lines(self, tmp_path) -> None:
        assert list(json_array(write(tmp_path, '\n[ {"a":\n1},\n\n "b" ,3]\n'))) == [
            (2, {"a": 1}),
            (5, "b"),
            (5, 3),
        ]
        assert list(json_array(write(tmp_path, " [ ] "))) == []


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

    def test_entity_one_comes_first_in_semeval_and_kbp37(self, data_dir) -> None:
        for name in ("semeval2010", "kbp37"):
            for corpus in read_corpus(name).values():
                assert all(one.head[1] <= one.tail[0] for one in corpus)

    def test_empty_entities_of_kbp37(self, data_dir) -> None:
        found = read_corpus("kbp37").values()
        assert (
            sum(one.head[0] == one.head[1] or one.tail[0] == one.tail[1] for part in found for one in part)
            == 146
        )

    @pytest.mark.parametrize(("split", "facts"), [("dev", 17284), ("test", 17448)])
    def test_re_docred(self, data_dir, split, facts) -> None:
        assert len(readers.read_docred(data_dir / "re_docred" / f"{split}_revised.json")) == facts

    def test_last_and_all_triples_are_other_counts(self, data_dir) -> None:
        path = data_dir / "nyt24" / "NYT-star" / "test_triples.json"
        assert (
            len(readers.read_nyt_star(path, triples="all"))
            > len(readers.read_nyt_star(path, triples="last"))
            == 5000
        )
