"""Hostile run files: each is refused in one short line that names the file and the key or row."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import MultilabelOutcome, Outcome
from helpers.runs import ConfusionRows, RankedFacts, Run, load_run, save_run
from helpers.runs.files import run_text

LABELS = ("Other", "r(e1,e2)", "r(e2,e1)")


def make(**changes) -> Run:
    """A run of single labels with the changes."""
    table = Outcome.from_rows([(0, 0, 5), (1, 1, 7), (1, 2, 1)], LABELS)
    hashes = {"files": {"test.tsv": "ab" * 32}, "encoder_sha256": "cd" * 32}
    kept = {"dataset": "demo", "model": "EM-C", "negative": "Other", "encoder": "mini", "seed": 9} | hashes
    return Run.from_outcome(table, **kept | {"hyperparameters": {"epochs": 5}} | changes)


def runs_of_all_kinds() -> dict[str, Run]:
    """One of each kind, of few samples."""
    rng = np.random.default_rng(1)
    truth, scores = rng.random((60, 3)) < 0.4, rng.normal(size=(60, 3))
    facts = RankedFacts(
        level="bag",
        facts=4,
        facts_of_relation=(0, 3, 1),
        relations=(1, 1, 2, 1, 2),
        pairs=(0, 1, 1, 2, 3),
        length=5,
        hit_ranks=(1, 2, 4),
        scores=(0.9, 0.8, 0.8, 0.3, 0.1),
    )
    kept = {
        "paired": (Outcome.from_rows([(0, 1, 2, 5)], LABELS, ("gold", "predicted", "paired")), {}),
        "label sets": (MultilabelOutcome.from_scores(truth, scores, 3, labels=LABELS, keep_sets=True), {}),
        "facts": (facts, {"labels": LABELS}),
        "known ranks": (
            RankedFacts(level="bag", facts=9, length=8, hit_ranks=(2, 2, 3, 7), unknown=((1, 1), (5, 6))),
            {"labels": LABELS},
        ),
    }
    made = {name: Run.from_outcome(one, dataset="d", model="m", **more) for name, (one, more) in kept.items()}
    return {"confusion": make()} | made


TEXTS = [run_text(run) for run in runs_of_all_kinds().values()]
ROW = r"outcome\.rows\[0\]"
HOSTILE = [
    ("schema_version", 7, "schema_version is 7; this program reads version 3"),
    ("schema_version", True, "schema_version is True"),
    ("schema_version", None, "schema_version is None"),
    ("rows", [[0, 0]], r"missing key outcome\.rows\[0\]\[2\]"),
    ("rows", [[0, 0, 1, 1]], r"outcome\.rows\[0\] is \[0, 0, 1, 1\]; .* at most 3 items"),
    ("rows", [[0, 0, 1], [0, 3, 1]], r"outcome\.rows\[1\] is \(0, 3, 1\): 2 positions below 3"),
    ("rows", [[0, 0, -1]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[-1, 0, 1]], ROW + r"\[0\] is -1; expected greater than or equal to 0"),
    ("rows", [[0, 0, 1.0]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[0, 0, True]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[0, 0, "1"]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[0, 0, None]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[0, 0, 2**53]], ROW + r"\[2\] is .*; expected "),
    ("rows", [[0, 0, 10**4000]], ROW + r"\[2\] is 10{60,}…; expected"),
    ("rows", [[0, 0, 2**53 - 1], [1, 1, 1]], r"outcome\.rows add up to 2\^53 or more"),
    ("rows", [[0, 0, 1], [0, 0, 2]], r"outcome\.rows\[1\] is \(0, 0\), which is there already"),
    ("rows", [5], ROW + " is 5; expected a valid tuple"),
    ("rows", {"0": 1}, r"outcome\.rows is \{'0': 1\}; expected"),
    ("rows", None, r"outcome\.rows is None; expected"),
    ("rows", ..., r"missing key outcome\.rows"),
    ("kind", "sums", r"outcome\.kind is 'sums'; expected one of confusion, paired, label_sets, facts"),
    ("kind", ..., r"outcome\.kind is None; expected one of"),
    ("kind", "facts", r"missing key outcome\.level"),
    ("f1", 0.7, r"unknown key outcome\.f1"),
    ("outcome", [], r"outcome is \[\]; expected"),
    ("outcome", None, r"outcome is None; expected"),
    ("outcome", ..., "missing key outcome"),
    ("labels", ["a", "b", "a"], r"labels\[2\] is 'a', which is there already"),
    ("labels", ["a", None, "b"], r"labels\[1\] is None; a label is a string or an integer"),
    ("labels", "abc", "labels is 'abc'; expected"),
    ("labels", ["Other", *range(6000)], "labels holds 6001 labels; expected at most 5000"),
    ("negative", "NA", "negative is 'NA', which is not in labels"),
    ("negative", [], r"negative is \[\]; a label is"),
    ("seed", "9", "seed is '9'; expected a valid integer"),
    ("seed", True, "seed is True; expected a valid integer"),
    ("seed", ..., "missing key seed"),
    ("model", None, "model is None; expected a valid string"),
    ("model", "m" * 9999, "configuration_sha256 is"),
    ("files", {"a": 1}, r"files\.a is 1; expected a valid string"),
    ("files", {"a": "x"}, r"files\.a is 'x'; "),
    ("hyperparameters", [1], r"hyperparameters is \[1\]; expected"),
    ("hyperparameters", {"x": float("inf")}, "hyperparameters is .*; inf is no JSON value"),
    ("wall_seconds", float("nan"), "wall_seconds is nan; nan is no JSON value"),
    ("wall_seconds", -1, r"wall_seconds is -1; expected greater than or equal to 0"),
    ("encoder_sha256", "cd", "encoder_sha256 is 'cd'; "),
    ("x" * 999, 0.7, "unknown key x{70,}…"),
]


def spoilt(path: Path, key: str, value: object) -> None:
    """Change a key of a run file, or of its outcome; `...` removes it."""
    record = json.loads(path.read_text("utf-8"))
    place = record["outcome"] if key in ("rows", "kind", "f1") else record
    if value is ...:
        del place[key]
    else:
        place[key] = value
    path.write_text(json.dumps(record), "utf-8")


def refused(path: Path) -> str:
    """The message of the error, one short line that names the file."""
    with pytest.raises(ValueError) as error:
        load_run(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    assert len(message) <= len(str(path)) + 250
    return message.removeprefix(f"{path}: ")


class TestHostileFiles:
    @pytest.mark.parametrize(("key", "value", "message"), HOSTILE, ids=lambda one: repr(one)[:30])
    def test_one_line_with_file_and_key(self, tmp_path, key, value, message):
        path = save_run(make(), tmp_path)
        spoilt(path, key, value)
        found = refused(path)
        assert re.match(message, found), found

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", "Expecting value: line 1 column 1"),
            (b"{", "Expecting property name enclosed in double quotes: line 1 column 2"),
            (b"[1]", "a run is a JSON object, this is a list"),
            (b'{"a": 1, "a": 2}', "key 'a' is there twice"),
            (b'{"a": "\xff"}', "'utf-8' codec can't decode byte 0xff in position 7"),
            (b"[" * 100_000, "it is nested too deeply"),
            (b'{"a":' * 100_000, "it is nested too deeply"),
            (b'{"seed": ' + b"9" * 5000 + b"}", "Exceeds the limit"),
            (b"{}", "schema_version is None"),
            (b'{"schema_version": 2}', "schema_version is 2; this program reads version 3"),
            (b'{"schema_version": 3}', "missing key dataset"),
            (b"\x00" * 100, "Expecting value: line 1 column 1"),
        ],
    )
    def test_what_is_no_run_file(self, tmp_path, content, message):
        path = tmp_path / "x.json"
        path.write_bytes(content)
        assert refused(path).startswith(message)

    def test_a_huge_file_is_not_read(self, tmp_path):
        path = tmp_path / "x.json"
        with path.open("wb") as file:
            file.truncate(2**33)
        assert refused(path) == "it has 8589934592 bytes; expected at most 67108864"

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"facts": 2}, "outcome.hit_ranks holds 3 hits; outcome.facts is 2"),
            ({"scores": [0.9]}, "outcome.scores has 1 entries, outcome.length is 5"),
            ({"scores": [0.9, 0.8, 0.9, 0.3, 0.1]}, "outcome.scores[2] is 0.9, above the one before, 0.8"),
            (
                {"relations": [1, 1, 2, 1, 3]},
                "outcome.relations[4] is 3, the negative class or none of",
            ),
            ({"relations": [1, 1, 2, 2, 2]}, None),
            (
                {"relations": [2, 2, 2, 1, 2]},
                "outcome.facts_of_relation[2] is 1: the list holds more hits",
            ),
            ({"facts_of_relation": [4]}, "outcome.facts_of_relation is (4,): expected 3 that add up to 4"),
            ({"hit_ranks": [1, True]}, "outcome.hit_ranks[1] is True; expected a valid integer"),
            ({"hits": [1, 1, 0, 1, 0]}, "unknown key outcome.hits"),
            ({"level": "word"}, "outcome.level is 'word'; expected 'bag' or 'sentence'"),
            ({"scores": ["0.9"]}, "outcome.scores[0] is '0.9'; expected a valid number"),
            ({"facts": -1}, "outcome.facts is -1; expected greater than or equal to 0"),
        ],
    )
    def test_ranked_facts(self, tmp_path, changes, message):
        path = save_run(runs_of_all_kinds()["facts"], tmp_path)
        record = json.loads(path.read_text())
        record["outcome"] |= changes
        path.write_text(json.dumps(record))
        if message:
            assert refused(path).startswith(message)
        else:
            load_run(path)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"facts": 3}, "outcome.hit_ranks holds 4 hits; outcome.facts is 3"),
            ({"length": None}, "outcome.length is None; expected a valid integer"),
            ({"hit_ranks": None}, "outcome.hit_ranks is None; expected a valid tuple"),
            (
                {"length": 2**53},
                "outcome.length is 9007199254740992; expected less than or equal to 67108864",
            ),
            ({"hit_ranks": [0]}, "outcome.hit_ranks[0] is 0; expected greater than or equal to 1"),
            ({"hit_ranks": [3, 2]}, "outcome.hit_ranks[0] is 3: expected rising ranks up to 8"),
            ({"hit_ranks": [9]}, "outcome.hit_ranks[0] is 9: expected rising ranks up to 8"),
            ({"hit_ranks": [1]}, "outcome.hit_ranks[0] is 1: expected rising ranks up to 8, pieces that"),
            ({"hit_ranks": [2, 6]}, "outcome.hit_ranks[1] is 6: expected"),
            ({"hit_ranks": [2, 2, 2]}, "outcome.hit_ranks[2] is 2: expected"),
            ({"hit_ranks": [3, 3]}, "outcome.hit_ranks[1] is 3: expected"),
            ({"hit_ranks": [7, 7, 7]}, None),
            (
                {"unknown": [[1, 8]]},
                "outcome.unknown[0] is (1, 8): expected rising ranks up to 8, pieces",
            ),
            ({"unknown": [[3, 2]]}, "outcome.unknown[0] is (3, 2): expected"),
            ({"unknown": [[1, 2], [3, 4]]}, "outcome.unknown[0] is (1, 2): expected"),
            ({"unknown": [[1]]}, "missing key outcome.unknown[0][1]"),
            ({"unknown": 3}, "outcome.unknown is 3; expected"),
            ({"scores": [0.5] * 8}, "outcome.unknown is given: expected no scores"),
            ({"unknown": [], "hit_ranks": [2], "scores": [0.5]}, "outcome.scores has 1 entries, outcome.len"),
            ({"unknown": [], "hit_ranks": [2], "scores": [0.5] * 8}, None),
        ],
    )
    def test_facts_at_known_ranks(self, tmp_path, changes, message):
        path = save_run(runs_of_all_kinds()["known ranks"], tmp_path)
        record = json.loads(path.read_text())
        record["outcome"] |= changes
        path.write_text(json.dumps(record))
        if message:
            assert refused(path).startswith(message)
        else:
            load_run(path)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"train_support": [1, 2]}, "outcome.train_support has 2 counts for 3 labels"),
            ({"sets": [[[0], [0], 1]]}, "outcome.sets holds 1 instances, outcome.ranking 60"),
            (
                {"sets": [[[99], [0], 60]]},
                "outcome.sets[0] is ((99,), (0,), 60): two lists of columns below 3",
            ),
            ({"sets": [[[0, 0], [0], 60]]}, "outcome.sets[0] is"),
            (
                {"sets": [[[0], 0, 60]]},
                "outcome.sets[0][1] is 0; expected a valid tuple",
            ),
            (
                {"ranking": [[1, [9], 60]]},
                "outcome.ranking[0] is (1, (9,), 60): gold labels, different ranks",
            ),
            (
                {"ranking": [[1, [1], 60], [1, [1], 0]]},
                "outcome.ranking[1] is (1, (1,)), which is there already",
            ),
            ({"depth": 0}, "outcome.depth is 0; expected greater than or equal to 1"),
            ({"depth": 10**9}, "outcome.depth is 1000000000; expected less than or equal to 1000"),
            ({"depth": None}, "outcome.second is empty: expected depth, ranking and sets, and no pairs"),
            ({"second": "B"}, "outcome.second is given: expected pairs, and no ranking, sets or depth"),
        ],
    )
    def test_label_sets(self, tmp_path, changes, message):
        path = save_run(runs_of_all_kinds()["label sets"], tmp_path)
        record = json.loads(path.read_text())
        record["outcome"] |= changes
        path.write_text(json.dumps(record))
        assert refused(path).startswith(message)

    @settings(max_examples=300)
    @given(data=st.data())
    def test_anything_anywhere_is_read_or_refused_in_one_line(self, tmp_path_factory, data):
        value = st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
            lambda inner: (
                st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
            ),
            max_leaves=8,
        )
        record = json.loads(data.draw(st.sampled_from(TEXTS)))
        place = record["outcome"] if data.draw(st.booleans()) else record
        place[data.draw(st.sampled_from(sorted(place)) | st.text(max_size=5))] = data.draw(value)
        path = tmp_path_factory.mktemp("hostile") / "x.json"
        path.write_text(json.dumps(record), "utf-8")
        try:
            load_run(path)
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) <= len(str(path)) + 250

    def test_a_malformed_run_cannot_be_made(self):
        with pytest.raises(ValueError, match=r"outcome\.rows\[0\]"):
            make(table=ConfusionRows(rows=((0, 9, 1),)))
        with pytest.raises(ValueError, match="inf is no JSON value"):
            make(wall_seconds=float("inf"))
