"""Readers of parsed sentences: what they give, and what they say of spoilt files."""

import json
import re

import pytest

from helpers.core import MalformedRecord
from helpers.data import (
    parsed_corpus,
    read_corpus,
    read_dependencies,
    read_tacred,
)

TEXT = "fire\tpanic\tCause-Effect(e1,e2)\tThe <e1> fire </e1> caused <e2> panic </e2>\n"
TEXT += "panic\tfire\tother\t<e2> Fire </e2> and <e1> panic </e1> .\n"
TREES = "0\t3\tROOT\n2\t1\tdet\n3\t2\tnsubj\n3\t4\tdobj\n\n0\t1\tROOT\n1\t2\tcc\n1\t3\tconj\n1\t4\tpunct\n"
ITEM = {
    "id": "e7",
    "relation": "per:title",
    "token": ["He", "is", "a", "king"],
    "stanford_head": [4, 4, 4, "0"],
}
ITEM |= {
    "subj_start": 0,
    "subj_end": 0,
    "obj_start": 2,
    "obj_end": 3,
    "subj_type": "PERSON",
    "obj_type": "TITLE",
}
ITEM |= {"stanford_pos": ["PRP", "VBZ", "DT", "NN"], "stanford_ner": ["O"] * 4}


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.txt.dep").write_text(TREES)
    return tmp_path / "a.txt"


def test_dependencies(path) -> None:
    one, other = read_dependencies(path)
    assert one.tokens == ("The", "fire", "caused", "panic") and one.heads == (2, 3, 0, 3)
    assert (one.id, one.head_text, one.tail_text) == ("1", "fire", "panic")
    assert (other.head_text, other.tail_text, other.heads) == ("panic", "Fire", (0, 1, 1, 1))
    assert other.relation == "other" and other.types == ("", "")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "3\t2\tnsubj",
            "0\t2\tnsubj",
            "a.txt, line 1: sentence 1: a tree has one root; here are 2, words 2, 3",
        ),
        ("3\t2\tnsubj", "1\t2\tnsubj", "line 1: sentence 1: the heads go in a circle at word 1"),
        ("1\t4\tpunct", "5\t4\tpunct", "line 2: sentence 2: the head of word 4 is 5; there are 4 words"),
        ("1\t4\tpunct\n", "", "line 2: sentence 2: its tree has 3 words, the sentence 4, word 4 is missing"),
        ("1\t4\tpunct", "1\t3\tpunct", "its tree has 3 words, the sentence 4, word 4 is missing"),
        ("1\t4\tpunct", "2\t3\tpunct", "sentence 2: word 3 has two heads"),
        ("1\t4\tpunct", "-1\t4\tpunct", "sentence 2: head, number and dependency are expected in its tree"),
        ("\n\n", "\n", "a.txt.dep: 1 trees for the 2 sentences of a.txt"),
    ],
)
def test_spoilt_trees(path, old, new, message) -> None:
    spoilt = path.with_suffix(".txt.dep")
    assert TREES.count(old)
    spoilt.write_text(TREES.replace(old, new, 1))
    with pytest.raises(MalformedRecord, match=re.escape(message)):
        read_dependencies(path)


def test_tacred(tmp_path) -> None:
    (tmp_path / "t.json").write_text(json.dumps([ITEM]))
    (one,) = read_tacred(tmp_path / "t.json")
    assert (one.id, one.relation, one.text, one.types) == (
        "e7",
        "per:title",
        "He is a king",
        ("PERSON", "TITLE"),
    )
    assert (one.head_text, one.tail_text, one.heads) == ("He", "a king", (4, 4, 4, 0))
    assert one.pos == ("PRP", "VBZ", "DT", "NN") and one.ner == ("O",) * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stanford_head": [4, 4, 4, 4]}, "sentence 2: the heads go in a circle"),
        ({"stanford_head": [0, 4, 4, 0]}, "sentence 2: a tree has one root; here are 2, words 1, 4"),
        ({"stanford_head": [9, 4, 4, 0]}, "sentence 2: the head of word 1 is 9; there are 4 words"),
        ({"stanford_head": [0.5, 4, 4, 0]}, "'stanford_head' is 0.5, not a whole number"),
        ({"stanford_head": [4, 4, 0]}, "there are 4 words and 3 heads"),
        ({"subj_end": 4}, "sentence 2: subj is words 0 to 4; there are 4 words"),
        ({"obj_start": -1}, "obj is words -1 to 3"),
        ({"token": ["He", "", "a", "king"]}, "word 2 of 'token' is ''"),
        ({"relation": 3}, "'relation' is 3, not a string"),
        ({"stanford_pos": ["PRP"]}, "there are 4 words and 1 pos"),
    ],
)
def test_spoilt_tacred(change, message, tmp_path) -> None:
    (tmp_path / "t.json").write_text(json.dumps([ITEM, ITEM | change]))
    with pytest.raises(MalformedRecord, match=re.escape(message)):
        read_tacred(tmp_path / "t.json")


@pytest.fixture(scope="module")
def corpus(data_dir):
    return parsed_corpus("semeval2010")


class TestSemeval:
    """The real files; without them skipped."""

    def test_every_sentence_has_its_tree(self, corpus) -> None:
        official = read_corpus("semeval2010")
        assert {split: len(samples) for split, samples in corpus.items()} == {"train": 8000, "test": 2717}
        for split, samples in official.items():
            assert [(one.id, one.relation) for one in corpus[split]] == [
                (one.id, one.relation) for one in samples
            ]
        assert len({one.relation for one in corpus["train"]}) == 19
        assert sum(len(one.heads) for one in corpus["test"]) == 52384
