"""Run files: whole or absent, readable in a diff; a hostile one is refused in a line with file and key."""

import json
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers import runs
from helpers.core import files
from helpers.metrics import FactRanking, MultilabelOutcome, Outcome
from helpers.runs import ConfusionRows, RankedFacts, Run, list_runs, load_run, save_run
from helpers.runs.files import _run_text
from tests.support import write_file

LABELS = ("Other", "r(e1,e2)", "r(e2,e1)")
ROWS = ((0, 0, 5), (1, 1, 7), (1, 2, 1))
COMPLETE = {"dataset": "demo", "split": "test", "model": "EM-C", "labels": LABELS, "negative": "Other"}
COMPLETE |= {"files": {"test.tsv": "ab" * 32}, "encoder": "embedded/mini lm", "encoder_sha256": "cd" * 32}
COMPLETE |= {"options": {"filters": 230}, "versions": {"model em-c": 1, "data set demo": 1}, "licence": "MIT"}
COMPLETE |= {"seed": 9, "profile": "standard", "hyperparameters": {"learning_rate": 2e-5, "epochs": 5}}
COMPLETE |= {"environment": {"python": "3.11.2"}, "wall_seconds": 1.5, "sentences_per_second": 0.5}


def make(rows: tuple = ROWS, **changes) -> Run:
    """A complete run with the changes."""
    return Run(**COMPLETE | {"table": ConfusionRows(rows=rows)} | changes)


def facts(**changes) -> RankedFacts:
    """Three of four facts found among five predicted ones."""
    kept = {"facts_of_relation": (0, 3, 1), "relations": (1, 1, 2, 1, 2), "pairs": (0, 1, 1, 2, 3)}
    kept |= {"length": 5, "hit_ranks": (1, 2, 4), "scores": (0.9, 0.8, 0.8, 0.3, 0.1)}
    return RankedFacts(level="bag", facts=4, **kept | changes)


def outcomes(rng: np.random.Generator) -> dict[str, Run]:
    """A run of each kind."""
    gold, first, second = (rng.choice(LABELS, 500) for _ in range(3))
    both = Outcome.from_columns(gold, first, paired=second, labels=LABELS)
    compared = Outcome.from_columns(gold, first, second=second, labels=LABELS)
    truth, guess, other = (rng.random((60, 3)) < 0.4 for _ in range(3))
    scored = MultilabelOutcome.from_scores(truth, guess - 0.5 + 0.1 * other, 3, labels=LABELS)
    curve = RankedFacts(level="bag", facts=9, length=8, hit_ranks=(2, 2, 3, 7), unknown=((1, 1), (5, 6)))
    bare = RankedFacts(level="sentence", facts=0, length=0, hit_ranks=())
    kept = {
        "confusion": (Outcome.from_columns(gold, first, labels=LABELS), {}),
        "paired": (both, {}),
        "compared": (compared, {"second": "B", "model": "A+B"}),
        "label sets": (scored, {"train_support": (5, 4, 3), "facts": {"problems": 3}, "cost": {"s": 1.5}}),
        "label pairs": (Outcome.from_sets(truth, guess, LABELS, second=other), {"second": "B"}),
        "facts": (facts(), {"labels": LABELS, "negative": "Other"}),
        "curve": (curve, {"labels": LABELS}),
        "bare facts": (bare, {"labels": LABELS}),
    }
    return {
        name: Run.from_outcome(outcome, **{"dataset": "demo", "model": "m"} | more)
        for name, (outcome, more) in kept.items()
    }


class TestRoundTrip:
    def test_everything_is_kept(self, tmp_path):
        run = make(variant="epochs-5", history={"losses": [2.5, 1.5]}, facts={"a": 1}, cost={"b": {"c": 0.5}})
        path = save_run(run, tmp_path)
        assert path == tmp_path / "demo" / "EM-C+epochs-5" / "embedded-mini-lm" / "seed-9.json"
        assert load_run(path) == run and (run.n, run.name) == (13, "EM-C epochs-5")

    def test_outcomes_of_every_kind_come_back(self, tmp_path, rng):
        for name, run in outcomes(rng).items():
            loaded = load_run(save_run(run, tmp_path / name))
            assert loaded == run and loaded.outcome() == run.outcome(), name
            assert _run_text(loaded) == _run_text(run)
            assert max(map(len, _run_text(run).splitlines())) <= 100

    def test_a_ranking_comes_back(self, tmp_path, rng):
        scores, gold = rng.random((60, 4)), rng.random((60, 4)) < 0.2
        labels = ("a", "NA", "b", "c")
        ranking = FactRanking.from_matrix(scores, gold, labels, "NA")
        pairs = np.repeat(np.arange(60), 3)[np.argsort(-scores[:, [0, 2, 3]].ravel(), kind="stable")]
        kept = RankedFacts.from_ranking(ranking, labels=labels, pairs=pairs, decimals=3)
        run = Run.from_outcome(kept, dataset="d", model="m", labels=labels, negative="NA")
        again = load_run(save_run(run, tmp_path)).outcome().ranking(labels, "NA")
        for name in ("ranks", "true_positives", "hits", "relations", "facts_of_relation"):
            assert np.array_equal(getattr(again, name), getattr(ranking, name)), name
        assert (again.labels, again.facts) == (ranking.labels, ranking.facts)
        assert np.abs(again.scores - ranking.scores).max() <= 5e-4
        assert run.outcome().pairs[0] == scores[:, [0, 2, 3]].argmax() // 3
        assert again.measures() == pytest.approx(ranking.measures(), abs=5e-4, nan_ok=True)
        assert RankedFacts.from_ranking(again, labels=labels, pairs=pairs) == kept

    @given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=30))
    def test_a_curve_with_gaps_comes_back(self, steps):
        ranks = np.cumsum([step for step, _ in steps])
        hits = np.cumsum([hit * step for step, hit in steps])
        ranking = FactRanking(ranks, hits, int(hits[-1]) + 2)
        kept = RankedFacts.from_ranking(ranking).counted(())
        again = kept.ranking()
        assert again.ranks.tolist() == ranks.tolist() and again.true_positives.tolist() == hits.tolist()
        assert again.auc() == ranking.auc() and kept.length == len(ranking)

    def test_what_an_outcome_does_not_have_is_refused(self):
        with pytest.raises(ValueError, match="the outcome is of one system; second is 'B'"):
            Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="d", model="m", second="B")
        with pytest.raises(ValueError, match="label 'x' of the ranking is not among the labels of the run"):
            RankedFacts.from_ranking(FactRanking([1], [1], 1, labels=("x",)), labels=("a",))

    @settings(max_examples=100)
    @given(
        st.dictionaries(st.tuples(*[st.integers(0, 4)] * 3), st.integers(0, 2**40), max_size=40),
        st.booleans(),
    )
    def test_any_counts_come_back(self, counts, compared):
        rows = [(*entry, count) for entry, count in counts.items()]
        third, second = ("second", {"second": "B"}) if compared else ("paired", {})
        outcome = Outcome.from_rows(rows, range(5), ("gold", "predicted", third))
        run = Run.from_outcome(outcome, dataset="d", model="m", **second)
        stored = json.loads(_run_text(run))["outcome"]["rows"]
        assert sum(row[-1] for row in stored) == sum(counts.values()) == run.n


def test_layout_is_stable_and_rows_are_compact(tmp_path):
    rows = tuple((i, j, 10 * i + j) for i in range(3) for j in range(3))
    text = _run_text(make(rows, hyperparameters={"b": np.int64(1), "a": 2}))
    packed = ", ".join(str(list(row)).replace(" ", "") for row in rows)
    assert text.endswith(f'    "kind": "confusion",\n    "rows": [\n      {packed}\n    ]\n  }}\n}}\n')
    assert text.index('"a": 2') < text.index('"b": 1')
    assert list(json.loads(text))[:3] == ["schema_version", "dataset", "split"]
    assert _run_text(make(rows, hyperparameters={"a": 2, "b": 1})) == text
    assert _run_text(make(model="é", labels=("é", *LABELS[1:]), negative=None)).count("é") == 2
    short = len(_run_text(make(hyperparameters={"a": 1})).splitlines())
    for lengths, lines in {(73,): 0, (74,): 2, (40, 47): 2, (40, 48): 3}.items():
        text = _run_text(make(hyperparameters={"a": ["x" * length for length in lengths]}))
        assert len(text.splitlines()) == short + lines


def test_variants_are_what_is_not_usual():
    usual = {"learning_rate": 1e-4, "epochs": 5, "marker_vectors": "random", "warmup": 0}

    def name(**changes):
        return runs.variant_name(usual | changes, usual)

    assert name(learning_rate=2e-4, warmup=0.0) == "learning_rate-0.0002"
    assert name(warmup=2.0) == name(warmup=2)
    changes = {"marker_vectors": "mean", "epochs": 3, "layer_norm": True}
    assert name(**changes) == "epochs-3+marker_vectors-mean+layer_norm-True"
    long = [name(words="x" * 300 + end) for end in "ab"]
    assert len(set(long)) == 2 and max(map(len, long)) < 200
    assert [len(name(words="x" * length)) for length in (154, 155)] == [160, 159]


@pytest.mark.parametrize("name", ["..", "a/../b", "../a", "/..", "", "///", "..\\a", ".", "—"])
def test_names_that_lead_out_are_refused(name):
    with pytest.raises(ValueError, match="cannot be part of a path"):
        runs.safe_name(name)


class TestConfiguration:
    def test_another_one_is_not_overwritten(self, tmp_path):
        path = save_run(make(), tmp_path)
        before = path.read_bytes()
        other = make(hyperparameters={"learning_rate": 3e-5, "epochs": 5})
        with pytest.raises(FileExistsError, match=r"another configuration \(hyperparameters\)"):
            save_run(other, tmp_path)
        assert path.read_bytes() == before
        assert load_run(save_run(other, tmp_path, overwrite=True)) == other

    def test_outcome_time_and_surroundings_are_none_of_it(self, tmp_path):
        again = make(((0, 0, 1),), wall_seconds=9.0, environment={"python": "3.13"}, licence="")
        assert not make().different_fields(again)
        assert make().configuration_sha256 == again.configuration_sha256
        save_run(make(), tmp_path)
        assert load_run(save_run(again, tmp_path)).wall_seconds == 9.0

    def test_every_other_field_is_part_of_it(self):
        changes = {"seed": 148, "files": {}, "profile": "paper", "variant": "v", "options": {"filters": 8}}
        changes |= {"versions": {"model em-c": 2}, "negative": None, "source": "s", "labels": (*LABELS, "x")}
        for key, value in changes.items():
            assert make().different_fields(make(**{key: value})) == [key]
            assert make().configuration_sha256 != make(**{key: value}).configuration_sha256

    def test_one_that_was_edited_is_noticed(self, tmp_path):
        path = save_run(make(), tmp_path)
        path.write_text(path.read_text().replace('"epochs": 5', '"epochs": 6'))
        message = r"configuration_sha256 is '\w+…?'; that of the configuration is"
        assert re.match(message, refused(path))


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = save_run(make(), tmp_path)
    before = path.read_bytes()

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", broken)
    with pytest.raises(KeyboardInterrupt):
        save_run(make(wall_seconds=2.0), tmp_path)
    assert path.read_bytes() == before and os.listdir(path.parent) == ["seed-9.json"]


def test_lists_are_filtered_and_ordered(tmp_path):
    for seed in (687, 9, 148):
        save_run(make(seed=seed), tmp_path)
    save_run(make(model="A B"), tmp_path)
    save_run(make(variant="epochs-3"), tmp_path)
    for dataset, seed in (("demo", 5), ("zeta", None)):
        save_run(make(dataset=dataset, seed=seed, encoder=None, profile=None), tmp_path)
    order = [("demo", "A B", 9), *(("demo", "EM-C", seed) for seed in (5, 9, 148, 687))]
    order += [("demo", "EM-C epochs-3", 9), ("zeta", "EM-C", None)]
    assert [(run.dataset, run.name, run.seed) for run in list_runs(folder=tmp_path)] == order
    assert [run.seed for run in list_runs("demo", "EM-C", variant="", folder=tmp_path)] == [5, 9, 148, 687]
    assert len(list_runs(model="A B", folder=tmp_path)) == 1
    assert list_runs(profile="paper", folder=tmp_path) == list_runs("..", folder=tmp_path) == []
    assert [run.dataset for run in list_runs(model="EM-C", folder=tmp_path)][-1] == "zeta"
    assert [len(list_runs(kind=kind, folder=tmp_path)) for kind in ("confusion", "facts")] == [7, 0]


def test_the_environment_is_a_json_value_and_imports_no_torch(monkeypatch):
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    surroundings = runs.environment()
    assert json.loads(json.dumps(surroundings)) == surroundings and surroundings["device"] == "cpu"
    assert "torch" not in sys.modules and {"numpy"} <= surroundings["versions"].keys() - {"torch"}


RISING = "expected "
IN_OUTCOME = {"rows", "kind", "f1", "level", "length", "hit_ranks", "unknown", "scores", "relations", "depth"}
IN_OUTCOME |= {"facts_of_relation", "second", "train_support", "sets", "ranking", "pairs"}
HOSTILE = [
    ("run", {"schema_version": 7}, "schema_version is 7; this program reads version 3"),
    ("run", {"schema_version": True}, "schema_version is True"),
    ("run", {"rows": [[0, 0]]}, "missing key outcome.rows[0][2]"),
    ("run", {"rows": [[0, 0, 1, 1]]}, "outcome.rows[0] is [0, 0, 1, 1]; "),
    ("run", {"rows": [[0, 0, 1], [0, 3, 1]]}, "outcome.rows[1] is (0, 3, 1): 2 positions below 3"),
    ("run", {"rows": [[-1, 0, 1]]}, "outcome.rows[0][0] is -1; expected greater than or equal to 0"),
    *(
        ("run", {"rows": [[0, 0, count]]}, "outcome.rows[0][2] is ")
        for count in (-1, 1.0, True, "1", None, 2**53, 10**4000)
    ),
    ("run", {"rows": [[0, 0, 2**53 - 1], [1, 1, 1]]}, "outcome.rows add up to 2^53 or more"),
    ("run", {"rows": [[0, 0, 1], [0, 0, 2]]}, "outcome.rows[1] is (0, 0), which is there already"),
    ("run", {"rows": ...}, "missing key outcome.rows"),
    ("run", {"kind": "sums"}, "outcome.kind is 'sums'; expected one of confusion, paired, label_sets, f"),
    ("run", {"kind": "facts"}, "missing key outcome.level"),
    ("run", {"f1": 0.7}, "unknown key outcome.f1"),
    ("run", {"outcome": ...}, "missing key outcome"),
    ("run", {"labels": ["a", "b", "a"]}, "labels[2] is 'a', which is there already"),
    ("run", {"labels": ["a", None, "b"]}, "labels[1] is None; a label is a string or an integer"),
    ("run", {"labels": ["Other", *range(6000)]}, "labels holds 6001 labels; expected at most 5000"),
    ("run", {"negative": "NA"}, "negative is 'NA', which is not in labels"),
    ("run", {"negative": []}, "negative is []; a label is"),
    ("run", {"seed": ...}, "missing key seed"),
    ("run", {"model": "m" * 9999}, "configuration_sha256 is"),
    ("run", {"files": {"a": "x"}}, "files.a is 'x'; "),
    ("run", {"hyperparameters": {"x": float("inf")}}, "hyperparameters is {'x': inf}; inf is no JSON"),
    ("run", {"wall_seconds": float("nan")}, "wall_seconds is nan; nan is no JSON value"),
    ("run", {"wall_seconds": -1}, "wall_seconds is -1; expected greater than or equal to 0"),
    ("run", {"x" * 999: 0.7}, "unknown key " + "x" * 70),
    ("facts", {"hit_ranks": [1, 2, 3, 4, 5]}, "outcome.hit_ranks holds 5 hits; outcome.facts is 4"),
    ("facts", {"scores": [0.9]}, "outcome.scores has 1 entries, outcome.length is 5"),
    ("facts", {"scores": [0.9, 0.8, 0.9, 0.3, 0.1]}, "outcome.scores[1] is 0.8: expected 0.9, as ranks rise"),
    ("facts", {"relations": [1, 1, 2, 1, 3]}, "outcome.relations[4] is 3, the negative class or none of"),
    ("facts", {"relations": [1, 1, 2, 2, 2]}, ""),
    ("facts", {"relations": [2, 2, 2, 1, 2]}, "outcome.facts_of_relation[2] is 1: the list holds more hits"),
    ("facts", {"facts_of_relation": [4]}, "outcome.facts_of_relation is (4,): expected 3 that add up to 4"),
    ("facts", {"facts_of_relation": [0, 3, 2]}, "outcome.facts_of_relation is (0, 3, 2): expected 3 that"),
    ("facts", {"facts_of_relation": None}, ""),
    ("facts", {"relations": None}, ""),
    ("facts", {"level": "word"}, "outcome.level is 'word'; expected 'bag' or 'sentence'"),
    (
        "curve",
        {"length": 2**53},
        "outcome.length is 9007199254740992; expected less than or equal to 67108864",
    ),
    ("curve", {"hit_ranks": [0]}, "outcome.hit_ranks[0] is 0; expected greater than or equal to 1"),
    *(
        ("curve", {"hit_ranks": ranks}, f"outcome.hit_ranks[{index}] is {ranks[index]}: {RISING}")
        for ranks, index in (([3, 2], 0), ([9], 0), ([1], 0), ([2, 6], 1), ([2, 2, 2], 2), ([3, 3], 1))
    ),
    ("curve", {"hit_ranks": [7, 7, 7]}, ""),
    *(
        ("curve", {"unknown": pieces}, f"outcome.unknown[0] is {tuple(pieces[0])}: {RISING}")
        for pieces in ([[1, 8]], [[3, 2]], [[1, 2], [3, 4]])
    ),
    ("curve", {"scores": [0.5] * 8}, "outcome.unknown is given: expected no scores"),
    ("curve", {"unknown": [], "hit_ranks": [2], "scores": [0.5] * 8}, ""),
    ("paired", {"second": "B"}, "outcome.second is 'B'; other is 'paired sentence'"),
    ("label sets", {"train_support": [1, 2]}, "outcome.train_support has 2 counts for 3 labels"),
    ("label sets", {"sets": [[[0], [0], 1]]}, "outcome.sets holds 1 instances, outcome.ranking 60"),
    ("label sets", {"sets": [[[99], [0], 60]]}, "outcome.sets[0] is ((99,), (0,), 60): 2 lists of positions"),
    ("label sets", {"ranking": [[1, [9], 60]]}, "outcome.ranking[0] is (1, (9,), 60): gold labels"),
    ("label sets", {"ranking": [[1, [1], 60], [1, [1], 0]]}, "outcome.ranking[1] is (1, (1,)), which is"),
    ("label sets", {"depth": None}, "outcome.second is empty: expected depth, ranking and sets"),
    ("label sets", {"depth": 1001}, "outcome.depth is 1001; expected less than or equal to 1000"),
    ("label sets", {"pairs": [[[0], [0], [0], 60]]}, "outcome.second is empty: expected depth"),
    ("label pairs", {"depth": 3}, "outcome.second is given: expected pairs, and no ranking, sets or depth"),
    ("label sets", {"second": "B"}, "outcome.second is given: expected pairs, and no ranking, sets or depth"),
]
"""Which run, what is changed in its file (`...` : taken out), and how the refusal begins ('': it is read)."""
RUNS = {"run": make(), **outcomes(np.random.default_rng(1))}
TEXTS = {name: _run_text(run) for name, run in RUNS.items()}


def refused(path: Path) -> str:
    """The message of the error, one short line that names the file."""
    with pytest.raises(ValueError) as error:
        load_run(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ") and "\n" not in message
    assert len(message) <= len(str(path)) + 250
    return message.removeprefix(f"{path}: ")


class TestHostileFiles:
    @pytest.mark.parametrize(("kind", "changes", "message"), HOSTILE)
    def test_one_line_with_file_and_key(self, tmp_path, kind, changes, message):
        record = json.loads(TEXTS[kind])
        for key, value in changes.items():
            inner = record["outcome"] if key in IN_OUTCOME else record
            inner[key] = value
            if value is ...:
                del inner[key]
        (tmp_path / "x.json").write_text(json.dumps(record), "utf-8")
        assert refused(tmp_path / "x.json").startswith(message) if message else load_run(tmp_path / "x.json")

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"", ", line 1: no valid JSON at column 1: Expecting value"),
            (b"[1]", ": a run is a JSON object, this is a list"),
            (b'{"a": 1, "a": 2}', ": key 'a' is there twice"),
            (b'{"a": "\xff"}', ": 'utf-8' codec can't decode byte 0xff in position 7"),
            (b"[" * 100_000, ": nested too deeply"),
            (b'{"a":' * 100_000, ": nested too deeply"),
            (b'{"seed": ' + b"9" * 5000 + b"}", ": Exceeds the limit"),
            (b'{"schema_version": 3}', ": missing key dataset"),
        ],
    )
    def test_what_is_no_run_file(self, tmp_path, content, message):
        with pytest.raises(ValueError, match=re.escape(f"x.json{message}")):
            load_run(write_file(tmp_path, "x.json", content))

    def test_a_huge_file_is_not_read(self, tmp_path):
        with (tmp_path / "x.json").open("wb") as file:
            file.truncate(2**33)
        assert refused(tmp_path / "x.json") == "it has 8589934592 bytes; expected at most 67108864"

    @given(data=st.data())
    def test_anything_anywhere_is_read_or_refused_in_one_line(self, tmp_path_factory, data):
        leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
        value = st.recursive(
            leaves, lambda some: st.lists(some) | st.dictionaries(st.text(), some), max_leaves=8
        )
        record = json.loads(TEXTS[data.draw(st.sampled_from(sorted(TEXTS)))])
        inner = record["outcome"] if data.draw(st.booleans()) else record
        inner[data.draw(st.sampled_from(sorted(inner)) | st.text(max_size=5))] = data.draw(value)
        path = tmp_path_factory.mktemp("hostile") / "x.json"
        path.write_text(json.dumps(record), "utf-8")
        try:
            load_run(path)
        except ValueError as error:
            assert "\n" not in str(error) and len(str(error)) <= len(str(path)) + 250

    def test_a_malformed_run_cannot_be_made(self):
        with pytest.raises(ValueError, match=r"outcome\.rows\[0\]"):
            make(((0, 9, 1),))
        with pytest.raises(ValueError, match="inf is no JSON value"):
            make(wall_seconds=float("inf"))
