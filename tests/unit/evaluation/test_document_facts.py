"""Facts of documents in DocRED's form: real labels as predictions, a small case by hand, and refusals."""

import json

import pytest

from helpers.data import search_folders
from helpers.evaluation import compare_files, score_document_facts

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


def write(folder, name, value):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(value))
    return path


def registered(name):
    path = next((one for folder in search_folders() if (one := folder / name).is_file()), None)
    return path or pytest.skip(f"{name} is not here")


def test_docred_labels_as_predictions_of_re_docred(tmp_path) -> None:
    old = json.loads(registered("docred/dev_keys_new.json").read_text())
    new = json.loads(registered("re_docred/dev_revised.json").read_text())
    new = {document["title"]: document for document in new}
    old = [document for document in old if document["title"] in new]

    def names(document):
        return [{mention["name"] for mention in mentions} for mentions in document["vertexSet"]]

    same = [document for document in old if names(document) == names(new[document["title"]])]
    gold = write(tmp_path, "gold", [new[document["title"]] for document in same])
    report = score_document_facts(write(tmp_path, "mine", same), gold)
    micro = report.schemes["micro"]
    found = [100 * micro[name] for name in ("precision", "recall", "f1")]
    assert found == pytest.approx([99.59, 31.23, 47.55], abs=0.005)
    rows = report.extra["documents"]
    assert 100 * rows["evidence"]["f1"] == pytest.approx(80.42, abs=0.005)
    assert sum(rows[kind]["correct"] for kind in ("intra", "inter")) == 3407
    with pytest.raises(ValueError, match="39 documents have other entities .*--match-entities name"):
        score_document_facts(write(tmp_path, "all", old), registered("re_docred/dev_revised.json"))


def test_a_small_case_by_hand(tmp_path) -> None:
    mine, gold = write(tmp_path, "mine", ROWS), write(tmp_path, "gold", [DOCUMENT])
    train = dict(DOCUMENT, title="Bo", labels=DOCUMENT["labels"][:1])
    report = score_document_facts(mine, gold, train=write(tmp_path, "train", [train]), replicates=20)
    rows = report.extra["documents"]
    assert report.schemes["micro"]["f1"] == pytest.approx(2 / 3)
    counts = {
        name: tuple(row[key] for key in ("support", "predicted", "correct")) for name, row in rows.items()
    }
    assert counts == {"intra": (1, 2, 1), "inter": (2, 1, 1), "evidence": (3, 3, 2), "ign": (3, 2, 1)}
    assert (rows["ign"]["precision"], rows["ign"]["recall"]) == (1 / 2, 2 / 3)
    assert report.scores()["ign"] == pytest.approx(4 / 7)
    assert "|as:unique|match-entities:index|bootstrap" in report.signature
    assert "ign" not in score_document_facts(mine, gold).extra["documents"]
    itself = score_document_facts(gold, gold)
    assert set(itself.scores().values()) == {1.0}


def test_entities_are_matched_by_name(tmp_path) -> None:
    gold = write(tmp_path, "gold", [DOCUMENT])
    turned = dict(DOCUMENT, vertexSet=DOCUMENT["vertexSet"][::-1])
    turned["labels"] = [dict(label, h=2 - label["h"], t=2 - label["t"]) for label in DOCUMENT["labels"]]
    mine = write(tmp_path, "mine", [turned])
    with pytest.raises(ValueError, match="1 documents have other entities than the gold ones: 'Ada'"):
        score_document_facts(mine, gold)
    assert score_document_facts(mine, gold, match_entities="name").schemes["micro"]["f1"] == 1.0


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"title": "Ada", "h_idx": 0, "t_idx": 3, "r": "in"},
            "row 2, title 'Ada': entity 3 is none of",
        ),
        ({"title": "Ada", "h_idx": "0", "t_idx": 1, "r": "in"}, "row 2: 'h_idx' is '0', no number"),
        ({"title": "Ada", "t_idx": 1, "r": "in"}, "row 2: the field 'h_idx' is missing"),
        ({"title": "Ada", "h_idx": 0, "t_idx": 1, "r": "in", "evidence": ["a"]}, "row 2: 'evidence' is"),
    ],
)
def test_bad_rows_are_refused_with_file_and_row(tmp_path, row, said) -> None:
    mine, gold = write(tmp_path, "mine", [ROWS[0], row]), write(tmp_path, "gold", [DOCUMENT])
    with pytest.raises(ValueError, match=said) as error:
        score_document_facts(mine, gold)
    assert str(mine) in str(error.value)


class TestRowsThatAreRepeated:
    """As DocRED's released scorer counts: all rows, a repeated right one as right again."""

    UNKNOWN = {"title": "Nobody", "h_idx": 0, "t_idx": 1, "r": "born"}

    def test_official_counts_every_row(self, tmp_path) -> None:
        gold = write(tmp_path, "gold", [DOCUMENT])
        mine = write(tmp_path, "mine", [*ROWS[:1], *ROWS, self.UNKNOWN])
        report = score_document_facts(mine, gold, counted_as="official", train=gold)
        micro, rows = report.schemes["micro"], report.extra["documents"]
        assert (micro["precision"], micro["recall"]) == (2 / 5, 2 / 3)
        counts = {
            name: [row[key] for key in ("support", "predicted", "correct")] for name, row in rows.items()
        }
        assert (
            counts["official"] == [3, 5, 3] and counts["evidence"] == [3, 4, 3] and counts["ign"] == [3, 2, 0]
        )
        assert report.scores()["official"] == pytest.approx(2 * 3 / (5 + 3))
        unique = score_document_facts(mine, gold)
        assert unique.schemes["micro"]["precision"] == 2 / 3 and "official" not in unique.extra["documents"]
        assert unique.headings["documents"].startswith("1 repeated rows, 1 of unknown titles (unique)")

    def test_compare_counts_as_score_does(self, tmp_path) -> None:
        gold = write(tmp_path, "gold", [DOCUMENT, dict(DOCUMENT, title="Bo")])
        files = [write(tmp_path, "a", [*ROWS, ROWS[0], self.UNKNOWN]), write(tmp_path, "b", ROWS[:2])]
        for counted_as in ("unique", "official"):
            options = {"gold_file": gold, "counted_as": counted_as}
            (row,) = compare_files(files, schemes=["micro"], replicates=20, **options).to_dict("records")
            alone = [score_document_facts(path, schemes=["micro"], **options) for path in files]
            assert [row["score_first"], row["score_second"]] == [
                pytest.approx(report.schemes["micro"]["f1"]) for report in alone
            ]
            assert row["signature"].endswith(f"|as:{counted_as}")
        with pytest.raises(ValueError, match="unknown way to match entities 'names'"):
            compare_files(files, gold_file=gold, match_entities="names")
        with pytest.raises(ValueError, match="a.json: match is of no use with documents"):
            compare_files(files, gold_file=gold, match="pair")
