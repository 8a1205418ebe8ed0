"""Readers of corpora: what each form gives, what is said of a malformed record; collections of documents."""

import hashlib
import json
import logging
from collections import Counter
from functools import cache, partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from sklearn.preprocessing import MultiLabelBinarizer

from helpers import data
from helpers.data import Documents, distant, docred, documents, sentences
from helpers.data.distant import _find_name
from helpers.data.docred import NEGATIVE
from helpers.data.documents import _read_svm, _read_txt
from tests.support import fault_of, write_documents, write_file

BLOCK = '{n}\t"The <e1>fire</e1> caused <e2>panic</e2>."\r\nCause-Effect(e1,e2)\r\nComment: none\r\n\r'
NRE = {"token": ["Ada", "\n ", "left", "\u00a0", "London"], "relation": "NA"}
NRE |= {"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}, "t": {"id": "Q84", "name": "london", "pos": [3, 5]}}
NRE_TEXT = {"h": {"name": "ada", "pos": [0, 3]}, "t": {"id": 84, "name": "", "pos": [9, 15]}}
NRE_TEXT |= {"text": "Ada left London", "relation": "NA"}
DOCUMENT = {
    "title": "D",
    "vertexSet": [[{"name": name, "sent_id": 0} for name in names] for names in ("Aa", "B")],
}
DOCUMENT |= {"labels": [{"r": "P17", "h": 0, "t": 1}, {"r": "P27", "h": 1, "t": 0}]}
WORDS = ("Ada Byron lived in London , as Ada said .", "London is in England .", "Ada saw England .")
MENTIONS = [[(0, "PER", 7, 8), (0, "PER", 0, 2), (2, "PER", 0, 1)], [(0, "LOC", 4, 5), (1, "ORG", 0, 1)]]
MENTIONS += [[(1, "LOC", 3, 4), (2, "LOC", 2, 3)], [(1, "LOC", 3, 4)]]
FACTS = [(0, 1, "P551", [0]), (1, 0, "P1", []), (1, 2, "P131", [1]), (1, 2, "P17", [1, 0])]
FACTS += [(2, 1, "P150", [1]), (2, 1, "P2", []), (0, 2, "P27", [1])]
ENTITIES = [
    [{"name": "a", "sent_id": n, "type": kind, "pos": pos} for n, kind, *pos in own] for own in MENTIONS
]
ANNOTATED = {"title": "Ada", "sents": [words.split() for words in WORDS], "vertexSet": ENTITIES}
ANNOTATED |= {"labels": [dict(zip(("h", "t", "r", "evidence"), fact, strict=True)) for fact in FACTS]}
TACRED = {"id": "e7", "relation": "per:title", "token": ["He", "is", "a", "king"]}
TACRED |= {"stanford_head": [4, 4, 4, "0"], "stanford_pos": ["PRP", "VBZ", "DT", "NN"]}
TACRED |= {"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 3, "subj_type": "PERSON"}
TACRED |= {"obj_type": "TITLE", "stanford_ner": ["O"] * 4}
CHEMPROT = {"text": "<< a >> [[ b ]]", "label": "A", "metadata": []}
EMOTIONS = partial(documents._read_goemotions, labels=("admiration", "anger", "joy"))
ARRAY = ("[", ",", "]", None)
LINES = ("", "\n", "\n", 2)
FORMS = {
    "semeval": (sentences.read_semeval, BLOCK, ("", "\n", "\n", 5)),
    "chemprot": (sentences._read_chemprot, CHEMPROT, LINES),
    "opennre": (distant._read_opennre, NRE, LINES),
    "gids": (distant._read_gids, "a\tb\tc\td\tNA\tc d ###END###", LINES),
    "docred": (docred._read_docred, DOCUMENT, ARRAY),
    "pairs": (docred._read_sentence_pairs, ANNOTATED, ARRAY),
    "nyt": (distant._read_nyt_star, {"triple_list": [["a", "r", "b"]]}, ARRAY),
    "tacred": (sentences.read_relation_file, TACRED, ARRAY),
    "txt": (_read_txt, "{n}\ta\tone", LINES),
    "svm": (_read_svm, "x {n}:1", LINES),
    "goemotions": (EMOTIONS, "Hm.\t0\ted{n}", LINES),
}
"""Reader, a sound record, and: what is before, between and behind the records, and the line of the second."""
CASES = [
    ("semeval", ("\t", " "), "id, tab and a quoted sentence are expected in place of '2 \"The"),
    ("semeval", ("Cause-Effect(", "Cause-Efect("), "did you mean 'Cause-Effect(e1,e2)'"),
    ("semeval", ("\r\nCause-Effect(e1,e2)\r\nComment: none", ""), "the line with the relation is missing"),
    ("semeval", ("Comment: none", "8\tnext"), "a comment or a blank line is expected in place of '8\\tnext'"),
    ("semeval", ("2\t", "1\t"), "id '1' occurred before, at line 1"),
    ("chemprot", "{", "no valid JSON at column"),
    ("chemprot", '{"text": "<< a >> [[ b ]]"}', "the field 'relation' is missing; there are text"),
    ("chemprot", {"text": 3}, "the field 'text' is 3, not a string"),
    ("chemprot", {"text": "<< a >> b ]]"}, "no entities are marked in '<< a >> b ]]'"),
    ("opennre", {"relation": ""}, "the relation is empty"),
    ("opennre", {"token": "Ada left"}, "the field 'token' is 'Ada left', not a list"),
    ("opennre", {"token": []}, "there is no word"),
    ("opennre", {"h": {"id": "Q1", "pos": [0, 6]}}, "head is words 0 to 5; there are 5 words"),
    ("opennre", {"h": {"id": "Q1", "pos": [-1, 1]}}, "head is words -1 to 0"),
    ("opennre", {"h": {"id": "Q1", "pos": [0, True]}}, "'pos' is True, not a whole number"),
    ("opennre", {"h": {"pos": [0, 1]}}, "the field 'name' is missing"),
    ("opennre", {"h": {"id": [1], "pos": [0, 1]}}, "the id or name [1]: text or"),
    ("opennre", {"h": {"name": "", "pos": [0, 1]}}, "an entity has the id or name ''"),
    ("opennre", {"anno_relation_list": []}, "anno_relation_list is [], not a list of names"),
    ("opennre", json.dumps(NRE_TEXT | {"text": "Ada"}), "tail span (9, 15) does not lie in the text"),
    ("opennre", "{'a': " + "[" * 500 + "]" * 500 + "}", "no valid Python literal"),
    ("opennre", "{'a': '" + "x" * (1 << 20) + "'}", "a Python literal of 1048585 characters"),
    ("opennre", "{'a': __import__('os')}", "malformed node"),
    ("opennre", "{'a': " + "-" * 9000 + "1}", ""),  # Python's parser gives up in one way or another
    ("opennre", "{\"a\": 'b'}", "no valid JSON at column 7"),
    ("gids", "a\tb\tc\td\tNA", "not enough values to unpack (expected 6, got 5)"),
    ("gids", "a\tb\tc\td\t\tx ###END###", "the relation is empty"),
    ("gids", "a\tb\tc\td\tNA\t\udcff ###END###", "byte 11 of the line, 0xff, is not UTF-8"),
    ("docred", {"labels": [{"r": "P17", "h": 0, "t": 2}]}, "'t' is 2, no number of an entity; there are 2"),
    ("docred", {"vertexSet": None}, "unexpected structure"),
    ("pairs", ('"sent_id": 0', '"sent_id": 3'), "'a' is words (7, 8) of sentence 3, which has no such"),
    ("pairs", ("[7, 8]", "[9, 11]"), "'a' is words (9, 11) of sentence 0, which has no such"),
    ("pairs", ('"PER"', "3"), "'type' is 3, not a string"),
    ("pairs", ('"h": 0', '"h": 4'), "'h' is 4, no number of an entity; there are 4"),
    ("pairs", ('"evidence": [0]', '"evidence": 7'), "'evidence' is 7, no list of sentence numbers"),
    ("pairs", ('"P551"', "null"), "'r' is None"),
    ("nyt", {"triple_list": [["a", "r"]]}, "not enough values to unpack (expected 3, got 2)"),
    ("tacred", {"stanford_head": [0.5, 4, 4, 0]}, "'stanford_head' is 0.5, not a whole number"),
    ("tacred", {"stanford_head": [4, 4, 0]}, "there are 4 words and 3 heads"),
    ("tacred", {"token": ["He", "", "a", "king"]}, "word 2 of 'token' is ''"),
    ("tacred", {"stanford_pos": ["PRP"]}, "there are 4 words and 1 pos"),
    ("txt", "9\tx", "3 columns, `ID? labels text`, are expected, found 2; a text must not hold a TAB"),
    ("txt", "9\tx\t ", "the text of document '9' is empty"),
    ("txt", "\t\t", "the id is empty"),
    ("txt", "1\tx\tone", "id '1' occurred before, at line 1"),
    ("txt", "9\tx\tcaf\udce9", "byte 7 of the line, 0xe9, is not UTF-8"),
    ("svm", "", "the line is empty; a document with neither labels nor features is one blank"),
    ("svm", "1 0:2", "a number from 1 to 2147483647 and a finite one, is expected in place of '0:2'"),
    ("svm", "1 2:3 1:1 2:4", "index 2 stands twice in the line"),
    ("svm", "1, 3 2:1", "a label is empty in '1,'"),
    ("svm", "1 2:1e999", "is expected in place of '2:1e999'"),
    ("svm", "1 2147483648:1", "is expected in place of '2147483648:1'"),
    ("svm", "caf\udce9 1:1", "byte 3 of the line, 0xe9, is not UTF-8"),
    *(
        ("svm", f"1 {entry} 9:1", f"is expected in place of '{entry}'")
        for entry in ("3", "2:1:3", "a:1", "-1:1", "0x2:1", "2:1_0", "2:", "2:nan")
    ),
    ("goemotions", "x\t3\ted2", "unexpected structure (tuple index out of range)"),
    ("goemotions", "x\tjoy\ted2", "invalid literal for int() with base 10: 'joy'"),
    ("goemotions", "x\t1", "not enough values to unpack (expected 3, got 2)"),
]


def record_text(good: dict | str, number: int, change: dict | tuple | str | None = None) -> str:
    """The sound record of this number; with a change of fields or of a piece of text; or another text."""
    if isinstance(change, str):
        return change
    text = json.dumps(good | change if isinstance(change, dict) else good) if isinstance(good, dict) else good
    text = text.replace("{n}", str(number))
    return text.replace(*change, 1) if isinstance(change, tuple) else text


@pytest.mark.parametrize(("form", "change", "reason"), CASES)
def test_a_malformed_record_is_named_with_its_line(tmp_path, form, change, reason):
    read, good, (before, between, behind, line) = FORMS[form]
    records = [record_text(good, 1), record_text(good, 2, change), record_text(good, 3)]
    assert records[1] != record_text(good, 2)

    def written(texts: list[str]):
        content = (before + between.join(texts) + behind).encode("utf-8", "surrogateescape")
        return write_file(tmp_path, "a.json" if form == "tacred" else "a.txt", content)

    assert len(read(written(records[:1])))
    said = fault_of(read, written(records))
    assert said.startswith(f", line {line}: " if line else ": record 2: ") and reason in said


def test_sentences_with_tags(tmp_path):
    content = (BLOCK.replace("{n}", "1") + "\n").replace("panic", "caf\xe9\x85s").encode("latin-1")
    (sample,) = sentences.read_semeval(write_file(tmp_path, "a.txt", content))
    assert (sample.id, sample.relation, sample.head_text) == ("1", "Cause-Effect(e1,e2)", "fire")
    assert sample.tail_text == "caf\xe9\x85s" and "\r" not in sample.text, "byte 0x85 does not end a line"
    text = '0\t" <e1> Thom Yorke </e1> of <e2> </e2> sings . "\nper:employee_of(e2,e1) \n\n\n'
    (sample,) = sentences._read_kbp37(write_file(tmp_path, "a.txt", text))
    assert (sample.text, sample.head_text, sample.tail) == ("Thom Yorke of  sings .", "Thom Yorke", (14, 14))
    assert sample.relation == "per:employee_of(e2,e1)"


class TestOpenNRE:
    def test_tokens_text_and_annotations(self, tmp_path):
        lines = [NRE, *(NRE_TEXT | {"anno_relation_list": names} for names in (["NA"], ["r", "s", "r"]))]
        path = write_file(tmp_path, "a.txt", "\n".join(map(json.dumps, lines)))
        mention, none, two = distant._read_opennre(path)
        assert mention.sample.text == "Ada \n  left \u00a0 London"
        assert (mention.sample.head_text, mention.sample.tail_text) == ("Ada", "\u00a0 London")
        assert (mention.sample.id, *mention[1:3], mention.relations) == ("1", "Q1", "Q84", ("NA",))
        assert (none.relations, two.relations, two.relation) == (("NA",), ("r", "s"), "NA")
        assert data.make_bags([none, two], "NA")[0].relations == ("r", "s")

    @pytest.mark.parametrize(
        ("text", "name", "start", "rule"),
        [
            ("a St_Ives, St_Ives x", "St_Ives", 11, "word"),
            ("the Street (St) x", "St", 12, "word with punctuation"),
            ("in new york", "New_York", 3, "other spelling"),
            ("Andrew_of_Perugia", "Perugia", 10, "part of a word"),
            ("a (b", "(", 2, "part of a word"),
        ],
    )
    def test_rules_of_names_in_gids(self, text, name, start, rule):
        assert _find_name(text, name) == ((start, start + len(name)), rule)

    def test_side_information(self, data_dir, tmp_path):
        types = data.read_text_lists(data_dir / "reside/entity_type/gids/type_info.json")
        corpus = data.read_corpus("gids")
        entities = {name for split in corpus.values() for mention in split for name in mention[1:3]}
        assert (len(types), len(entities), len(entities & set(types))) == (14707, 6840, 6450)
        for ending, phrases in (("", 31), ("_ppdb_extended", 110)):
            file = f"reside/relation_alias/gids/relation_alias_from_wikidata{ending}.json"
            aliases = data.read_text_lists(data_dir / file)
            assert set(aliases) == set(data.GIDS_RELATIONS) - {"NA"}
            assert sum(map(len, aliases.values())) == phrases

    def test_relations_of_nyt10m_are_those_of_the_appendix(self):
        relations = data.nyt10m_relations()
        sources = Counter(new for new in relations.values() if new)
        merged = {new: count for new, count in sources.items() if count > 1}
        assert merged == {"/location/region/capital": 12, "/business/location": 3}
        assert (len(relations), len(sources), list(relations.values()).count(None)) == (53, 25, 15)


class TestSentencePairs:
    def test_every_rule(self, tmp_path):
        corpus = docred._read_sentence_pairs(write_file(tmp_path, "d.json", json.dumps([ANNOTATED] * 2)))
        samples = {sample.id: sample for sample in corpus if sample.id.startswith("1.")}
        assert {name: sample.relation for name, sample in samples.items()} == {
            "1.0.0.1": "P551",  # its evidence; the other way a fact without evidence leaves the pair out
            "1.1.2.1": "P150",  # one fact of this sentence, though another has no evidence
            "1.1.1.3": NEGATIVE,
            "1.1.3.1": NEGATIVE,
            "1.2.0.2": NEGATIVE,  # the evidence is in another sentence
            "1.2.2.0": NEGATIVE,
        }
        counts = (4, 6, 2, 2, 2, 4)
        kinds = ("positive", "negative", "elsewhere", "unknown", "several", "same words")
        assert corpus.notes == dict(zip(kinds, counts, strict=True))
        first = samples["1.0.0.1"]
        assert (first.head_text, first.tail_text, first.types) == ("Ada Byron", "London", ("PER", "LOC"))
        assert samples["1.1.2.1"].types == ("LOC", "ORG")  # of the mention in this sentence

    def test_a_drawn_part(self, tmp_path, monkeypatch):
        corpus = docred._read_sentence_pairs(write_file(tmp_path, "d.json", json.dumps([ANNOTATED] * 30)))

        def drawn(*values: float) -> list:
            for name, value in zip(("DOCUMENTS", "NEGATIVE_SHARE", "DRAW_SEED"), values, strict=True):
                monkeypatch.setattr(docred, name, value)
            return docred._drawn_pairs(corpus)

        part = drawn(10, 0.6, 3)
        assert part == drawn(10, 0.6, 3) != drawn(10, 0.6, 4) and drawn(99, 0.99, 3) == list(corpus)
        assert len({sample.id.partition(".")[0] for sample in part}) == 10
        assert [sample for sample in corpus if sample in part] == part
        assert Counter(sample.relation == NEGATIVE for sample in part) == {False: 20, True: 30}


class TestLabelledTwice:
    def test_every_rule(self, tmp_path):
        """Other labels of the same entities; a document with other names and one that is missing go."""
        named = [[member | {"name": f"name {n}"} for member in part] for n, part in enumerate(ENTITIES)]
        document = ANNOTATED | {"vertexSet": named}
        listed = [document | {"title": title} for title in ("Ada", "Bob", "Eve")]
        path = write_file(tmp_path, "revised.json", json.dumps(listed))
        other = document | {"title": "Bob", "vertexSet": named[::-1]}
        fewer = document | {"labels": [ANNOTATED["labels"][0]]}
        labelled = write_file(tmp_path, "labelled.json", json.dumps([other, fewer]))
        mentions = {
            revised: docred._labelled_twice(path, labelled, revised=revised) for revised in (True, False)
        }
        assert {mention.head.rpartition(" ")[0] for mention in mentions[True]} == {"Ada"}
        places = [[(one.sample.id, one.head, one.tail) for one in part] for part in mentions.values()]
        assert places[0] == places[1]  # the same pairs in the same order
        facts = {}
        for label in ANNOTATED["labels"]:
            facts.setdefault((f"Ada {label['h']}", f"Ada {label['t']}"), set()).add(label["r"])
        for mention in mentions[True]:  # all that is known of the pair, with evidence or without
            assert set(mention.relations) == facts.get((mention.head, mention.tail), {NEGATIVE})
        first = ANNOTATED["labels"][0]
        said = {(one.head, one.tail) for one in mentions[False] if one.relations != (NEGATIVE,)}
        assert said == {(f"Ada {first['h']}", f"Ada {first['t']}")}
        assert max(len(one.relations) for one in mentions[True]) > 1


class TestTrees:
    TEXT = "fire\tpanic\tCause-Effect(e1,e2)\tThe <e1> fire </e1> caused <e2> panic </e2>\n"
    TEXT += "panic\tfire\tother\t<e2> Fire </e2> and <e1> panic </e1> .\n"
    TREES = "0\t3\tROOT\n2\t1\tdet\n3\t2\tnsubj\n3\t4\tdobj\n\n"
    TREES += "0\t1\tROOT\n1\t2\tcc\n1\t3\tconj\n1\t4\tpunct\n"

    def test_dependencies(self, tmp_path):
        write_file(tmp_path, "a.txt.dep", self.TREES)
        first, second = sentences.read_dependencies(write_file(tmp_path, "a.txt", self.TEXT))
        assert first.tokens == ("The", "fire", "caused", "panic") and first.heads == (2, 3, 0, 3)
        assert (first.id, first.head_text, first.tail_text) == ("1", "fire", "panic")
        assert (second.head_text, second.tail_text, second.heads) == ("panic", "Fire", (0, 1, 1, 1))
        assert second.relation == "other" and second.types == ("", "")

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ("3\t2\tnsubj", "1\t2\tnsubj", ", line 1: the heads go in a circle at word 1"),
            ("1\t4\tpunct", "5\t4\tpunct", ", line 2: the head of word 4 is 5; there are 4"),
            ("1\t4\tpunct\n", "", "its tree has a head for the words [1, 2, 3], the sentence words 1 to 4"),
            ("1\t4\tpunct", "1\t3\tpunct", "its tree has a head for the words [1, 2, 3], the sentence"),
            ("1\t4\tpunct", "2\t3\tpunct", "its tree has a head for the words [1, 2, 3, 3], the"),
            ("\n\n", "\n", ".dep: 1 trees for the 2 sentences of a.txt"),
        ],
    )
    def test_spoilt_trees(self, tmp_path, old, new, message):
        assert self.TREES.count(old)
        write_file(tmp_path, "a.txt.dep", self.TREES.replace(old, new, 1))
        assert message in fault_of(sentences.read_dependencies, write_file(tmp_path, "a.txt", self.TEXT))


PROPERTY = settings(max_examples=40)
LINE = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1)


def parts(documents: Documents) -> tuple:
    numbers = documents.features is not None and documents.features.toarray().tolist()
    return documents.ids, documents.labels, documents.texts, numbers


class TestDocuments:
    TEXTS = Documents(["7", "8"], [["grain", "wheat"], []], ['Prices "rose.', " No news. "])
    ROWS = [[0.1, 0, 2], [0, -1e-300, 0], [0, 0, 0]]
    FEATURES = Documents(["0", "1", "2"], [["3", "12"], [], []], features=ROWS)

    @pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "b.tsv", "a.svm", "b.LIBSVM", "a.svm.gz"])
    def test_every_ending(self, tmp_path, name):
        is_text = "svm" not in name.lower()
        content = '7\tgrain wheat\tPrices "rose.\r\n\n8\t\t No news. \n  \n'
        content = content if is_text else "3,12 3:2 1:.1\r\n\t2:-1e-300\n  \n\n\n"
        documents = data.read_documents(write_file(tmp_path, name, content))
        assert parts(documents) == parts(self.TEXTS if is_text else self.FEATURES)
        assert is_text or documents.features.has_canonical_format

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
    def test_forms_of_a_line_of_svm(self, tmp_path, line, labels, row):
        documents = _read_svm(write_file(tmp_path, "a.svm", f"1 3:9\n{line}\n"))
        assert documents.labels[1] == labels and documents.features[[1]].toarray().tolist() == [row]
        assert 0 not in documents.features.data, "zeros are not stored"

    def test_scikit_learn_reads_and_writes_the_same_svm(self, tmp_path, rng):
        features = scipy.sparse.random_array((40, 9), density=0.4, rng=rng, format="csr")
        gold = (rng.random((40, 5)) < 0.4).astype(int)
        path = tmp_path / "a.svm"
        dump_svmlight_file(features, gold, str(path), zero_based=False, multilabel=True)
        documents = _read_svm(path)
        assert documents.label_matrix([*"01234"]).toarray().tolist() == gold.tolist()
        assert np.allclose(documents.features.toarray(), features.toarray(), rtol=1e-15)
        write_documents(path, documents)
        read, labels = load_svmlight_file(str(path), n_features=9, multilabel=True, zero_based=False)
        filled = [row for row, own in enumerate(documents.labels) if own or documents.features[[row]].nnz]
        assert (read != documents.features[filled]).nnz == 0, "its reader skips a document with neither"
        assert labels == [tuple(map(float, documents.labels[row])) for row in filled]

    @PROPERTY
    @given(draw=st.data(), zipped=st.sampled_from(["", ".gz"]))
    def test_txt_is_read_back(self, tmp_path_factory, draw, zipped):
        ids = draw.draw(st.lists(LINE.filter(lambda name: name[0] != "\ufeff"), min_size=1, unique=True))
        word = LINE.filter(lambda name: name.split() == [name])
        labels = [draw.draw(st.lists(word, unique=True, max_size=4)) for _ in ids]
        documents = Documents(ids, labels, [draw.draw(LINE.filter(str.strip)) for _ in ids])
        path = tmp_path_factory.mktemp("d") / f"a.txt{zipped}"
        write_documents(path, documents)
        assert parts(data.read_documents(path)) == parts(documents)

    @PROPERTY
    @given(draw=st.data(), zipped=st.sampled_from(["", ".gz"]))
    def test_svm_is_read_back(self, tmp_path_factory, draw, zipped):
        number = st.sampled_from([0.0, 0.0, 0.0]) | st.floats(allow_nan=False, allow_infinity=False)
        rows = draw.draw(st.lists(st.lists(number, min_size=3, max_size=3), min_size=1, max_size=5))
        word = st.text(st.characters(codec="utf-8", exclude_characters=",:"), min_size=1)
        labels = st.lists(word.filter(lambda name: name.split() == [name]), unique=True, max_size=3)
        features = [[*row, 1.0] for row in rows]  # the largest index of the file is the number of columns
        own = [draw.draw(labels) for _ in rows]
        documents = Documents(map(str, range(len(rows))), own, features=features)
        path = tmp_path_factory.mktemp("d") / f"a.svm{zipped}"
        write_documents(path, documents)
        assert parts(data.read_documents(path)) == parts(documents)


TRAIN = Documents(["a", "b", "c"], [["news", "art"], [], ["news"]], ["one", "two", "three"])
TEST = Documents(["d", "e"], [["zen", "art"], ["zen", "yoga"]], ["four", "five"])


def with_labels(*labels: str) -> Documents:
    """One document for each word, whose letters are its labels."""
    return Documents(map(str, range(len(labels))), map(tuple, labels), ["x"] * len(labels))


def test_select_and_remove_unlabelled(caplog):
    assert parts(TRAIN.select([2, 0]))[:3] == (("c", "a"), (("news",), ("news", "art")), ("three", "one"))
    features = Documents(["a", "b"], [[], ["x"]], features=[[1, 0], [0, 2]])
    with caplog.at_level(logging.INFO):
        assert parts(features.remove_unlabelled())[:4] == (("b",), (("x",),), None, [[0, 2]])
    assert "left out 1 of 2 documents that have no label" in caplog.text


def test_labels_of_train_of_both_or_listed():
    assert TRAIN.label_list() == TRAIN.label_list(TEST) == ("art", "news")
    assert TRAIN.label_list(TEST, include_test_labels=True) == ("art", "news", "yoga", "zen")
    assert TRAIN.label_list(listed=["news", "art", "more"]) == ("art", "more", "news")


@settings(max_examples=100)
@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), min_size=1), st.booleans())
def test_the_matrix_is_that_of_scikit_learn(labels, reverse):
    classes = sorted("abcdef", reverse=reverse)
    matrix = with_labels(*map("".join, labels)).label_matrix(classes)
    assert isinstance(matrix, scipy.sparse.csr_array) and matrix.dtype == np.float64
    expected = MultiLabelBinarizer(classes=classes).fit_transform(labels)
    assert matrix.has_canonical_format and matrix.toarray().tolist() == expected.tolist()


def test_labels_not_in_the_list_are_counted(caplog):
    with caplog.at_level(logging.WARNING):
        assert with_labels("ax", "yx", "bz", "aw", *("a" * 10)).label_matrix(["a", "b"]).sum() == 13
        with_labels("ab").label_matrix(["a", "b", "c"])
    assert [record.getMessage() for record in caplog.records] == [
        "left out 5 labels that are not in the label list, 4 different ones: x, y, z, …"
    ]


GOLDEN = {
    "semeval2010": {"train": (8000, "2e8bda3b844a8435"), "test": (2717, "bfa66e1d2359e77f")},
    "kbp37": {"train": (15917, "18435970a941ff8c"), "test": (3405, "0c177d9fb67be6a8")},
    "chemprot": {"train": (4169, "e999f6a1b3f39ea7"), "test": (3469, "b9003c7dd9ac31d7")},
    "nyt24": {"val": (4999, "4186dde3267e0257"), "test": (5000, "5807194970ec1401")},
    "docred": {"dev-699": (7342, "a05c74be9c889865")},
    "re_docred": {"train": (41129, "a3cc41a2492a34ce"), "test": (41609, "3cfa82c5b9d05059")},
    "re_docred-drawn": {"train": (6571, "9c820a8c74232778"), "test": (6585, "a299c4116d3e5362")},
    "docred-pairs": {"train": (9205, "6506dc2b1875429a"), "test": (25630, "c755a48727ed7451")},
    "docred-pairs-revised": {"train": (9205, "5d680e20640c83c0"), "test": (25630, "41a684b288494219")},
    "gids": {"train": (1864, "6573301fdb37016a"), "test": (5663, "86179509dc7a0294")},
    "gids-sentences": {"train": (1864, "6573301fdb37016a"), "test": (5663, "70dc706eb8078359")},
    "wiki80": {"train": (3920, "18b97e2f85fcd8b5"), "test": (5600, "4b7e446a565cb673")},
    "reuters90": {"train": (7770, "c5cc5bfc0800c8ce"), "test": (3019, "ae42c00c4d6fed85")},
    "goemotions": {"train": (43410, "53e52ffc3818d2b4"), "test": (5427, "5aa0c6bda71eb680")},
}
"""Data set → split → number of records, and the first digits of the sha256 of all their fields."""


read_corpus = cache(data.read_corpus)  # each corpus once a session


class TestRealData:
    @pytest.mark.parametrize("name", GOLDEN)
    def test_every_field_is_what_it_was(self, data_dir, name):
        """Runs name the sha256 of files; what is read from them must not change unsaid, either."""
        for split, corpus in read_corpus(name).items():
            is_documents = isinstance(corpus, Documents)
            rows = zip(corpus.ids, corpus.labels, corpus.texts, strict=True) if is_documents else corpus
            sha256 = hashlib.sha256("".join(f"{row!r}\n" for row in rows).encode()).hexdigest()
            assert (len(corpus), sha256[:16]) == GOLDEN[name].get(split, (len(corpus), sha256[:16]))

    def test_pairs_of_re_docred(self, data_dir):
        kinds = [samples.notes for samples in read_corpus("re_docred").values()]
        assert [notes.total() for notes in kinds] == [45094, 45588]
        assert [notes["elsewhere"] for notes in kinds] == [142, 127]
        shares = [notes["unknown"] / notes.total() for notes in kinds]
        assert shares == pytest.approx([0.0721, 0.0725], abs=5e-5)

    def test_docred_against_re_docred(self, data_dir):
        """Of the facts of pairs that a sentence names DocRED has 36 %, and next to none is wrong."""
        train, test = (
            [data.make_bags(read_corpus(name)[split], NEGATIVE) for name in self.TWICE]
            for split in ("train", "test")
        )
        for part in (train, test):
            assert [(bag.head, bag.tail) for bag in part[0]] == [(bag.head, bag.tail) for bag in part[1]]
        first, revised = (
            {(bag.head, bag.tail, one) for bag in bags for one in bag.relations if one != NEGATIVE}
            for bags in test
        )
        assert (len(first), len(revised), len(first & revised)) == (1704, 4675, 1687)
        shares = [sum(bag.relations == (NEGATIVE,) for bag in bags) / len(bags) for bags in train]
        assert shares[0] == pytest.approx(docred.NEGATIVE_SHARE, abs=0.01) and shares[1] < shares[0]
        assert data.shared_pairs(*read_corpus(self.TWICE[0]).values()) == []

    TWICE = ("docred-pairs", "docred-pairs-revised")

    def test_bags_of_gids(self, data_dir):
        corpus = read_corpus("gids")
        train, test = (data.fingerprint(corpus[split]) for split in ("train", "test"))
        names = ("sentences", "pairs", "bags", "facts", "duplicates", "several")
        assert [train[name] for name in names] == [1864, 1082, 1082, 816, 0, 0]
        assert [test[name] for name in names] == [5663, 3247, 3248, 2448, 0, 0]
        assert data.shared_pairs(corpus["train"], corpus["test"]) == []
        tails = {"word": 5615, "word with punctuation": 41, "other spelling": 1, "part of a word": 6}
        assert test["notes"] == {"head: word": 5663} | {f"tail: {rule}": n for rule, n in tails.items()}

    @pytest.mark.nightly(third=1)
    def test_every_sentence_of_semeval_has_its_tree(self, data_dir):
        parsed = data.parsed_corpus("semeval2010")
        for split, samples in read_corpus("semeval2010").items():
            names = [[(sample.id, sample.relation) for sample in part] for part in (samples, parsed[split])]
            assert names[0] == names[1]
        assert sum(len(sample.heads) for sample in parsed["test"]) == 52384
