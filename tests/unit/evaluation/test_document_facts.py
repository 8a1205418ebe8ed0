"""Facts of documents in DocRED's form: real labels as predictions, a small case by hand, and refusals."""

import json

import pytest

from helpers.data import search_folders
from helpers.evaluation import compare_files, score_triples

NAMES = ["Ada", "Rome", "Italy"]
DOCUMENT = {
    "title": "Ada",
    "vertexSet": [[{"name": name, "sent_id": min(place, 1)}] for place, name in enumerate(NAMES)],
    "labels": [
        {"r": "born", "h": 0, "t": 1, "evidence": [0, 1]},
        {"r": "in", "h": 1, "t": 2, "evidence": [1]},
        {"r": "in", "h": 0, "t": 2, "evidence": []},
    ],
}
ROWS = [
    {"title": "Ada", "h_idx": 0, "t_idx": 1, "r": "born", "evidence": [0]},
    {"title": "Ada", "h_idx": 1, "t_idx": 2, "r": "in", "evidence": [1]},
    {"title": "Ada", "h_idx": 2, "t_idx": 1, "r": "in", "evidence": [0]},
]
UNKNOWN = {"title": "Nobody", "h_idx": 0, "t_idx": 1, "r": "born"}


@pytest.fixture
def write(tmp_path):
    def to_file(name, value):
        (tmp_path / f"{name}.json").write_text(json.dumps(value))
        return tmp_path / f"{name}.json"

    return to_file


@pytest.fixture
def gold(write):
    return write("gold", [DOCUMENT])


def registered(name):
    path = next((path for folder in search_folders() if (path := folder / name).is_file()), None)
    return path or pytest.skip(f"{name} is not here")


def counts(report) -> dict[str, tuple]:
    rows = report.extra["documents"].items()
    return {name: tuple(row[key] for key in ("support", "predicted", "correct")) for name, row in rows}


def test_docred_labels_as_predictions_of_re_docred(write) -> None:
    revised = registered("re_docred/dev_revised.json")
    new = {document["title"]: document for document in json.loads(revised.read_text())}
    old = json.loads(registered("docred/dev_keys_new.json").read_text())
    old = [document for document in old if document["title"] in new]

    def names(document):
        return [{mention["name"] for mention in mentions} for mentions in document["vertexSet"]]

    same = [document for document in old if names(document) == names(new[document["title"]])]
    gold = write("gold", [new[document["title"]] for document in same])
    report = score_triples(write("mine", same), gold)
    scores = [100 * report.schemes["micro"][name] for name in ("precision", "recall", "f1")]
    assert scores == pytest.approx([99.59, 31.23, 47.55], abs=0.005)
    rows = report.extra["documents"]
    assert 100 * rows["evidence"]["f1"] == pytest.approx(80.42, abs=0.005)
    assert sum(rows[kind]["correct"] for kind in ("intra", "inter")) == 3407
    with pytest.raises(ValueError, match="gold documents: 39 documents, .*--match-entities name"):
        score_triples(write("all", old), revised)


def test_a_small_case_by_hand(write, gold) -> None:
    mine, train = write("mine", ROWS), dict(DOCUMENT, title="Bo", labels=DOCUMENT["labels"][:1])
    report = score_triples(mine, gold, train=write("train", [train]), replicates=20)
    assert report.schemes["micro"]["f1"] == pytest.approx(2 / 3)
    assert counts(report) == {"intra": (1, 2, 1), "inter": (2, 1, 1), "evidence": (3, 3, 2), "ign": (3, 2, 1)}
    ign = report.extra["documents"]["ign"]
    assert (ign["precision"], ign["recall"]) == (1 / 2, 2 / 3)
    kinds = report.extra["documents"]
    assert kinds["intra"]["recall"] == kinds["inter"]["precision"] == 1
    assert report.scores()["ign"] == pytest.approx(4 / 7)
    assert "|as:unique|match-entities:index|bootstrap" in report.signature
    assert "ign" not in score_triples(mine, gold).extra["documents"]
    assert set(score_triples(gold, gold).scores().values()) == {1.0}


def test_entities_are_matched_by_name(write, gold) -> None:
    labels = [dict(label, h=2 - label["h"], t=2 - label["t"]) for label in DOCUMENT["labels"]]
    mine = write("mine", [dict(DOCUMENT, vertexSet=DOCUMENT["vertexSet"][::-1], labels=labels)])
    with pytest.raises(ValueError, match="other entities than in the gold documents: 1 document, 'Ada'"):
        score_triples(mine, gold)
    assert score_triples(mine, gold, match_entities="name").schemes["micro"]["f1"] == 1.0


def test_bad_rows_are_refused_with_file_and_row(write, gold) -> None:
    for change, said in (
        ({"t_idx": 3}, "row 2, title 'Ada': entity 3 is none of"),
        ({"h_idx": "0"}, "record 2: the field 'h_idx' is '0', not a whole number"),
        ({"evidence": ["a"]}, "record 2: 'evidence' is"),
    ):
        with pytest.raises(ValueError, match=f"mine.json.*{said}"):
            score_triples(write("mine", [ROWS[0], ROWS[1] | change]), gold)
    with pytest.raises(ValueError, match="no title is one of the gold documents, the first is 'Nobody'"):
        score_triples(write("mine", [UNKNOWN, UNKNOWN | {"title": "No"}]), gold)


def test_official_counts_every_row_a_repeated_right_one_as_right_again(write, gold, caplog) -> None:
    """As DocRED's released scorer counts."""
    mine = write("mine", [*ROWS[:1], *ROWS, UNKNOWN])
    report = score_triples(mine, gold, counted_as="official", train=gold)
    micro, rows = report.schemes["micro"], counts(report)
    assert (micro["precision"], micro["recall"]) == (2 / 5, 2 / 3)
    assert (rows["official"], rows["evidence"], rows["ign"]) == ((3, 5, 3), (3, 4, 3), (3, 2, 0))
    assert report.scores()["official"] == pytest.approx(2 * 3 / (5 + 3)) and report.scores()["ign"] == 0
    unique = score_triples(mine, gold)
    assert unique.schemes["micro"]["precision"] == 2 / 3 and "official" not in unique.extra["documents"]
    said = "1 repeated row, 1 of unknown titles (unique)"
    assert unique.headings["documents"] == f"{said}; no ign without the training documents"
    score_triples(write("once", [*ROWS, UNKNOWN]), gold)
    assert caplog.messages[-1].endswith("once.json: 0 repeated rows, 1 of unknown titles (unique)")


def test_compare_counts_as_score_does(write) -> None:
    gold = write("gold", [DOCUMENT, dict(DOCUMENT, title="Bo")])
    files = [write("a", [*ROWS, ROWS[0], UNKNOWN]), write("b", ROWS[:2])]
    for counted_as in ("unique", "official"):
        options = {"gold_file": gold, "counted_as": counted_as, "schemes": ["micro"]}
        (row,) = compare_files(files, replicates=20, **options).rows()
        alone = [score_triples(path, **options).schemes["micro"]["f1"] for path in files]
        assert [row["score_first"], row["score_second"]] == pytest.approx(alone)
        assert row["signature"].endswith(f"|as:{counted_as}|match-entities:index")
    with pytest.raises(ValueError, match="a.json: match is of no use with documents"):
        compare_files(files, gold_file=gold, match="pair")
