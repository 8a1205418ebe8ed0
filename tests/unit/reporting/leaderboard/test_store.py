"""Submissions: what is refused and how, what is stored; spoilt files, kills and races lose nothing."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import ROOT
from helpers.core import SKIPPED
from helpers.data import Dataset, register_dataset
from helpers.data.sentences import read_semeval
from helpers.metrics import MultilabelOutcome, Outcome
from helpers.reporting import leaderboard
from helpers.reporting.leaderboard import Refused, Store, Submission, payload, write_neighbours
from helpers.runs import Run, load_run, save_run
from tests.support import spoilt, write_rows

NAMES, PREDICTIONS = ("id", "gold", "predicted"), ("id", "predicted")
GOLD = [["NA", "a", "b"][n % 3] for n in range(12)]
PREDICTED = [["NA", "a", "a", "b"][n % 4] for n in range(12)]
ROWS = [(f"s{n}", *labels) for n, labels in enumerate(zip(GOLD, PREDICTED, strict=True))]
FORMS = ("a.csv", "a.tsv", "a.jsonl")
WITHOUT_GOLD = [(row[0], row[2]) for row in ROWS]
KEY = [(n, ["Other", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"][n % 3]) for n in range(1, 10)]


def written(path: Path, rows=ROWS, names=NAMES) -> Path:
    return write_rows(path, rows, names)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of runs with one system on `tiny`, a data set of which only its outcome is known."""
    folder = tmp_path_factory.mktemp("runs")
    outcome = Outcome.from_columns(GOLD, PREDICTED)
    save_run(Run.from_outcome(outcome, dataset="tiny", model="stored", negative="NA"), folder)
    truth, scores = [[1, 0], [1, 1], [0, 0]], [[2, -1], [1, 1], [-1, -1]]
    sets = MultilabelOutcome.from_scores(truth, scores, depth=2, labels=["x", "y"])
    save_run(Run.from_outcome(sets, dataset="sets", model="stored"), folder)
    return folder


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def keyed(tmp_path):
    """A registered data set whose key is here."""
    path = tmp_path / "test.txt"
    blocks = [f'{n}\t"The <e1>fire</e1> and <e2>hat</e2>."\n{label}\nComment:\n' for n, label in KEY]
    path.write_text("\n".join(blocks))
    register_dataset(Dataset("keyed", files={"test": path}, reader=read_semeval, negative="Other"))
    return "keyed"


@pytest.fixture
def add(tmp_path, store, runs):
    """Write a table and submit it; gives the run that is stored."""

    def submit(rows=ROWS, names=NAMES, dataset="tiny", system="m", options=None, **given) -> Run:
        submission = Submission(written(tmp_path / "a.csv", rows, names), dataset, system, **given)
        return load_run(Store(store, runs).add(submission, **options or {}))

    return submit


def files(folder) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.glob("*/*/*/*.json")}


class TestWhatIsStored:
    @pytest.mark.parametrize("name", FORMS)
    def test_counts_and_nothing_else(self, name, tmp_path, store, runs) -> None:
        submission = Submission(written(tmp_path / name), "tiny", "mine", "https://x.org/p", "MIT")
        path = Store(store, runs).add(submission)
        run = load_run(path)
        assert run.outcome() == Outcome.from_columns(GOLD, PREDICTED)
        assert (run.source, run.licence, run.negative) == ("https://x.org/p", "MIT", "NA")
        assert "s11" not in path.read_text()

    def test_pairs_of_sentences_and_skipped_samples(self, add) -> None:
        rows = [(*row[:2], SKIPPED if n == 1 else row[2], row[2]) for n, row in enumerate(ROWS)]
        run = add(rows, (*NAMES, "turned"), columns={"predicted_paired": "turned"})
        assert run.outcome().n == 12 and "paired" in run.outcome().roles and run.labels[-1] == SKIPPED

    def test_several_labels_a_sample(self, tmp_path, store, runs) -> None:
        truth, scores = tmp_path / "t.csv", tmp_path / "s.csv"
        truth.write_text("1,0\n1,1\n0,0\n")
        scores.write_text("2,1\n1,1\n-1,-1\n")
        submission = Submission(scores, "sets", "m", truth=truth)
        assert load_run(Store(store, runs).add(submission)).outcome().counts.predicted.tolist() == [2, 2]
        truth.write_text("1,1\n1,1\n0,0\n")
        with pytest.raises(ValueError, match="2 samples have the gold label 'y', not 1"):
            Store(store, runs).add(submission, replace=True)

    def test_ranked_facts(self, tmp_path, store) -> None:
        rows = [(hits / rank, hits / 1950) for rank, hits in enumerate([1, 1, 2, 2], 1)]
        file = written(tmp_path / "a.csv", rows, ("precision", "recall"))
        path = Store(store).add(Submission(file, "nyt10", "m", n_facts=1950))
        assert load_run(path).table.hit_ranks == (1, 3)

    def test_adding_again_changes_nothing_and_other_predictions_need_replace(self, add, store) -> None:
        others = [(*row[:2], "NA") for row in ROWS]
        add()
        before = files(store)
        add()
        with pytest.raises(ValueError, match="is stored already"):
            add(others)
        assert files(store) == before
        assert add(others, options={"replace": True}).outcome().per_class().predicted.tolist() == [12, 0, 0]


class TestATestSetOfOnesOwn:
    """A name that is not known makes a test set of the gold labels; whoever comes later has to have them."""

    @pytest.fixture
    def gold(self, tmp_path) -> dict[str, Path]:
        """Files of gold labels, right and wrong."""
        right = [row[:2] for row in ROWS]
        made = {"right": right, "turned": [(row[0], "a") for row in ROWS], "short": right[:-1]}
        made = {name: written(tmp_path / f"{name}.csv", rows, NAMES[:2]) for name, rows in made.items()}
        return made | {"no ids": written(tmp_path / "no ids.csv", [row[1:] for row in right], NAMES[1:2])}

    def test_gold_labels_of_the_file_or_of_another(self, add, gold, tmp_path, store, runs, caplog) -> None:
        more = {"names": PREDICTIONS, "dataset": "mine", "gold": gold["right"]}
        first = add(dataset="mine", system="first", negative="NA")
        second = add(WITHOUT_GOLD[::-1], system="second", **more)
        expected = Outcome.from_columns(GOLD, PREDICTED, labels=("NA", "a", "b"))
        assert first.outcome() == second.outcome() == expected
        third = add([("s0", "new"), *WITHOUT_GOLD[1:]], system="third", **more)
        assert third.labels == ("NA", "a", "b", "new")
        assert {run.negative for run in Store(store).submissions()} == {"NA"}
        said = [record.getMessage() for record in caplog.records]
        assert said == ["mine is a new test set: 12 samples, 3 labels, negative class 'NA'"]
        whole = written(tmp_path / "whole.csv")
        report = leaderboard.file_report(whole, "mine", replicates=0, runs=runs, store=store)
        assert report.ranks()["macro"] == 1 and report.to_dict()["others"] == 3

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"gold": "turned"}, "turned.csv: these are not the gold labels of mine"),
            ({"gold": "short"}, "short.csv: these are not the gold labels of mine"),
            ({"negative": "a"}, "the negative class of mine is 'NA', not 'a'"),
            ({"dataset": "other", "negative": "Other"}, "unknown negative class 'Other'. Known: NA, a, b"),
            ({"dataset": "mime", "gold": ""}, "unknown dataset 'mime'; did you mean 'mine'"),
            ({"dataset": "other", "gold": "no ids"}, "no ids.csv: a file of gold labels needs ids"),
            ({"system": ""}, "1 to 120 characters"),
            ({"system": "a\nb"}, "one line of printable text"),
            ({"system": "../../x"}, "cannot be part of a path"),
            ({"paper": "javascript:alert(1)"}, "begins with https://"),
            ({"dataset": "tiny", "system": "stored"}, "one of the reproduction"),
        ],
    )
    def test_what_is_refused(self, changed, said, add, gold, store) -> None:
        first = {"dataset": "mine", "system": "first", "gold": "right"}
        add(WITHOUT_GOLD, PREDICTIONS, **first | {"gold": gold["right"], "negative": "NA"})
        before, given = files(store), first | {"system": "second"} | changed
        with pytest.raises(ValueError, match=said):
            add(WITHOUT_GOLD, PREDICTIONS, **given | {"gold": gold.get(given["gold"])})
        assert files(store) == before

    def test_ids_and_gold_labels_of_a_known_test_set(self, add, gold) -> None:
        assert add(WITHOUT_GOLD, PREDICTIONS, gold=gold["right"]).n == 12
        with pytest.raises(Refused, match="'s11' of the test set is missing"):
            add(WITHOUT_GOLD[:-1], PREDICTIONS, system="other", gold=gold["right"])

    def test_runs_of_one_system_are_one_row_with_their_spread(self, gold, tmp_path, call) -> None:
        labels, store = ("--gold", gold["right"]), ("--store", tmp_path / "store")
        both = [tmp_path / "1.csv", tmp_path / "2.csv"]
        for seed, path in enumerate(both, 1):
            written(path, [(row[0], row[2] if n > seed else "NA") for n, row in enumerate(ROWS)], PREDICTIONS)
            words = ["--dataset", "mine", "--system", "A", *labels, "--negative", "NA", "--seed", seed]
            assert call("leaderboard", "add", path, *words, *store)[0] == 0
        data = leaderboard.page_data(tmp_path / "none", tmp_path / "store", replicates=0)
        (test,) = data["testsets"]
        assert [(system["key"], system["seed"]) for system in test["systems"]] == [("A", 1), ("A", 2)]
        words = ["--runs", tmp_path / "none", "--bootstrap", 1, "--output", tmp_path / "p.html"]
        assert "systems: 1, test sets: 1" in call("leaderboard", "rebuild", *store, *words)[1]
        listed = call("leaderboard", "list", "--format", "csv", *store)[1]
        assert [line.rpartition(",")[2] for line in listed.splitlines()] == ["seed", "1", "2"]


def test_every_fault_with_its_line(add, store) -> None:
    rows = [*ROWS[:2], ("s2", "b", "bb"), ("s1", "a", "a"), ("", "NA", "NA"), *ROWS[5:]]
    with pytest.raises(Refused) as caught:
        add(rows)
    problems = caught.value.problems
    named = [(problem.line, problem.column) for problem in problems[:3]]
    assert named == [(4, "predicted"), (5, "id"), (6, "id")] and not files(store)
    assert "unknown label 'bb' of tiny" in problems[0].reason
    assert "occurs twice, the first time in line 3" in problems[1].reason
    assert any("10 samples; the test set of tiny has 12" in problem.reason for problem in problems)


def test_ids_and_gold_labels_have_to_be_those_of_the_key(keyed, add, store) -> None:
    with pytest.raises(Refused, match="2 problems.*'77' is not in the test set") as caught:
        add([*KEY[:-1], (77, "Other")], PREDICTIONS, dataset=keyed)
    assert "'9' of the test set is missing" in caught.value.problems[1].reason
    with pytest.raises(Refused, match="6 problems.*the key says 'Cause-Effect") as caught:
        add([(n, "Other", "Other") for n, _ in KEY], dataset=keyed)
    assert not files(store)


@settings(max_examples=4 * int(os.environ.get("EXAMPLES", "20")), suppress_health_check=[*HealthCheck])
@given(choices=st.data())
@pytest.mark.parametrize(("dataset", "names"), [("tiny", FORMS), ("keyed", ("k.csv", "k.txt"))])
def test_spoilt_files(dataset, names, choices, keyed, tmp_path, store, runs) -> None:
    file = tmp_path / choices.draw(st.sampled_from(names))
    if file.suffix == ".txt":
        file.write_text("".join(f"{n}\t{label}\n" for n, label in KEY))
    else:
        written(file, *((ROWS, NAMES) if dataset == "tiny" else (KEY, PREDICTIONS)))
    file.write_bytes(choices.draw(spoilt(file.read_bytes())))
    try:
        path = Store(store, runs).add(Submission(file, dataset, "m"), replace=True)
    except ValueError as error:
        assert file.name in str(error) and len(str(error)) < 2500
        for problem in getattr(error, "problems", ()):
            assert str(problem).isprintable() and (problem.line or 1) >= 1
        assert not files(store)
    else:  # what was spoilt made no difference: it is whole, and gold is gold
        assert load_run(path).n == Store(store, runs).test_set(dataset).n
        path.unlink()


def test_a_submission_is_its_file(tmp_path, store, runs) -> None:
    for n, name in enumerate(["one", "two"]):
        file = written(tmp_path / f"{name}.csv", [(*row[:2], PREDICTED[n]) for row in ROWS])
        path = Store(store, runs).add(Submission(file, "tiny", name))
    path.with_name("broken.json").write_text("{")  # is in nobody's way
    assert len(leaderboard.page_data(runs, store, 0)["testsets"][-1]["systems"]) == 3
    path.unlink()
    assert [run.model for run in Store(store).submissions()] == ["one"]
    own = Submission(written(tmp_path / "own.csv"), "own", "m")
    for _ in range(2):  # a test set of one's own is gone with its last system, and made anew
        Store(store, runs).add(own).unlink()


@pytest.mark.nightly(third=2)
def test_paired_intervals_of_neighbours_are_those_of_the_page(data_dir, tmp_path, monkeypatch) -> None:
    stored = payload.PAIRS.read_text("utf-8")
    monkeypatch.setattr(payload, "PAIRS", tmp_path / "pairs.json")
    assert write_neighbours().read_text("utf-8") == stored


WRITER = """
import sys
from helpers.reporting.leaderboard import Store, Submission
file, store, runs, who, turns = sys.argv[1:]
store = Store(store, runs)
for turn in range(int(turns)):
    path = store.add(Submission(file, "tiny", f"{who}-{turn}"))
    if turn % 3 == 2:
        path.unlink()
print("done")
"""


def test_kills_and_a_second_process_lose_nothing(tmp_path, store, runs, add) -> None:
    words = [sys.executable, "-c", WRITER, written(tmp_path / "a.csv"), store, runs]

    def start(who: str, turns: int) -> subprocess.Popen:
        return subprocess.Popen([*words, who, str(turns)], cwd=ROOT, stdout=subprocess.PIPE, text=True)

    steady, end = start("steady", 30), time.monotonic() + 600
    for kill in range(2):
        process = start(f"k{kill}", 10**6)
        while not [*store.glob(f"*/k{kill}-{kill % 2}/*/*.json")] and time.monotonic() < end:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=600)
    assert steady.communicate(timeout=600)[0] == "done\n"
    names = {run.model for run in Store(store).submissions()}
    kept = {f"steady-{turn}" for turn in range(30) if turn % 3 != 2}
    assert names >= kept | {f"k{kill}-0" for kill in range(2)}
    assert len(names) == len(files(store))
    add(system="after")  # nobody holds the lock
    assert not [path for path in store.rglob("*") if "draft" in path.name]


def test_commands_that_end_with_2(tmp_path, call) -> None:
    path = written(tmp_path / "mine.csv", [(n, "Other") for n in range(3)], PREDICTIONS)
    named, store = ("--dataset", "demo", "--system", "m"), ("--store", tmp_path)
    code, out, err = call("leaderboard", "add", path, *named, *store)
    assert (code, out) == (2, "") and "is not in the test set of demo" in err
    assert err.splitlines()[-1].startswith(f"error: {path}: ") and "nothing was stored" in err
    assert call("leaderboard", "list", *store)[1].startswith("there are no submissions")
