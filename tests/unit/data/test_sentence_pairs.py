"""Sentence pairs from Re-DocRED: each rule on a document made for it, and the real corpus."""

import copy
import hashlib
import json
import re
from collections import Counter

import pytest

from helpers.core import MalformedRecord
from helpers.data import (
    dataset_statistics,
    drawn_pairs,
    find_dataset,
    locate,
    pair_shares,
    paired_sample,
    read_corpus,
    read_sentence_pairs,
)
from helpers.data.formats.docred import NEGATIVE

DOCUMENT = {
    "title": "Ada",
    "sents": [
        ["Ada", "Byron", "lived", "in", "London", ",", "as", "Ada", "said", "."],
        ["London", "is", "in", "England", "."],
        ["Ada", "saw", "England", "."],
    ],
    "vertexSet": [
        [
            {"name": "Ada", "type": "PER", "sent_id": 0, "pos": [7, 8]},
            {"name": "Ada Byron", "type": "PER", "sent_id": 0, "pos": [0, 2]},
            {"name": "Ada", "type": "PER", "sent_id": 2, "pos": [0, 1]},
        ],
        [
            {"name": "London", "type": "LOC", "sent_id": 0, "pos": [4, 5]},
            {"name": "London", "type": "ORG", "sent_id": 1, "pos": [0, 1]},
        ],
        [
            {"name": "England", "type": "LOC", "sent_id": 1, "pos": [3, 4]},
            {"name": "England", "type": "LOC", "sent_id": 2, "pos": [2, 3]},
        ],
        [{"name": "England", "type": "LOC", "sent_id": 1, "pos": [3, 4]}],
    ],
    "labels": [
        {"h": 0, "t": 1, "r": "P551", "evidence": [0]},
        {"h": 1, "t": 0, "r": "P1", "evidence": []},
        {"h": 1, "t": 2, "r": "P131", "evidence": [1]},
        {"h": 1, "t": 2, "r": "P17", "evidence": [1, 0]},
        {"h": 2, "t": 1, "r": "P150", "evidence": [1]},
        {"h": 2, "t": 1, "r": "P2", "evidence": []},
        {"h": 0, "t": 2, "r": "P27", "evidence": [1]},
    ],
}


def written(tmp_path, *documents):
    (tmp_path / "d.json").write_text(json.dumps(documents))
    return tmp_path / "d.json"


def test_every_rule(tmp_path) -> None:
    corpus = read_sentence_pairs(written(tmp_path, DOCUMENT, DOCUMENT))
    found = {one.id: one for one in corpus if one.id.startswith("1.")}
    assert {name: one.relation for name, one in found.items()} == {
        "1.0.0.1": "P551",  # its evidence; the other way a fact without evidence leaves the pair out
        "1.1.2.1": "P150",  # one fact of this sentence, though another has no evidence
        "1.1.1.3": NEGATIVE,
        "1.1.3.1": NEGATIVE,
        "1.2.0.2": NEGATIVE,  # the evidence is in another sentence
        "1.2.2.0": NEGATIVE,
    }
    assert corpus.notes == {
        **{"positive": 4, "negative": 6, "elsewhere": 2, "unknown": 2, "several": 2, "same words": 4}
    }
    shares = pair_shares(corpus)
    assert shares["same words"] == (4, 0.2) and sum(share for _, share in shares.values()) == pytest.approx(1)
    one = found["1.0.0.1"]
    assert (one.head_text, one.tail_text, one.types) == ("Ada Byron", "London", ("PER", "LOC"))
    assert found["1.1.2.1"].types == ("LOC", "ORG")  # of the mention in this sentence
    assert paired_sample(one).types == ("LOC", "PER")


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("vertexSet", 0, 0, "sent_id"), 3, "entity 0 is in sentence 3; there are 3"),
        (("vertexSet", 0, 0, "pos"), [9, 11], "entity 0 has the words (9, 11) of 10"),
        (("vertexSet", 0, 0, "pos"), [2, 2], "entity 0 has the words (2, 2)"),
        (("vertexSet", 0, 0, "type"), 3, "'type' is 3, not a string"),
        (("labels", 0, "h"), 4, "a fact is of the entities (4, 1); there are 4"),
        (("labels", 0, "evidence"), [3], "evidence [3]; there are 3 sentences"),
        (("labels", 0, "r"), None, "'r' is None"),
    ],
)
def test_spoilt_documents(place, value, message, tmp_path) -> None:
    spoilt = copy.deepcopy(DOCUMENT)
    inner = spoilt
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    with pytest.raises(MalformedRecord, match=re.escape(message)):
        read_sentence_pairs(written(tmp_path, spoilt))


def test_a_drawn_part(tmp_path) -> None:
    corpus = read_sentence_pairs(written(tmp_path, *[DOCUMENT] * 30))
    part = drawn_pairs(corpus, documents=10, negative_share=0.6, seed=3)
    assert (
        part
        == drawn_pairs(corpus, documents=10, negative_share=0.6, seed=3)
        != drawn_pairs(corpus, 10, 0.6, 4)
    )
    documents = {one.id.partition(".")[0] for one in part}
    assert len(documents) == 10 and [one for one in corpus if one in part] == part
    assert Counter(one.relation == NEGATIVE for one in part) == {False: 20, True: 30}
    everything = drawn_pairs(corpus, documents=99, negative_share=0.99)
    assert everything == list(corpus)
    with pytest.raises(ValueError, match="negative_share is 1"):
        drawn_pairs(corpus, negative_share=1)


def digest(samples) -> str:
    lines = (f"{one.id}\t{one.relation}\t{one.head}\t{one.tail}\t{one.types}" for one in samples)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


FINGERPRINTS = {"train": "a7af9c422dc0e3e8", "test": "501b235a2828c199"}


def test_the_real_corpus(data_dir) -> None:
    corpus = read_corpus("re_docred")
    assert {split: digest(samples)[:16] for split, samples in corpus.items()} == FINGERPRINTS
    counts = [sum(count for count, _ in pair_shares(samples).values()) for samples in corpus.values()]
    assert counts == [45094, 45588]
    assert [samples.notes["elsewhere"] for samples in corpus.values()] == [142, 127]
    for file in find_dataset("re_docred").files.values():
        facts = [fact for one in json.loads(locate(file).read_text("utf-8")) for fact in one["labels"]]
        without = sum(not fact["evidence"] for fact in facts) / len(facts)
        assert without == pytest.approx(0.5675, abs=0.001), "more than half name no evidence"
    lost = [pair_shares(samples)["unknown"][1] for samples in corpus.values()]
    assert lost == pytest.approx([0.0721, 0.0725], abs=5e-5)
    found = dataset_statistics("re_docred")
    assert (found.labels, found.samples, found.ratio) == (95, 41129 + 41609, 278)
    assert found.negative_share == pytest.approx(0.9336, abs=5e-5)
