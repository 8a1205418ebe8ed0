"""Submissions: what is refused and how, what is stored; spoilt files, kills and races lose nothing."""

import csv
import io
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import ROOT
from helpers.core import SKIPPED
from helpers.data import Dataset, register_dataset, unregister_dataset
from helpers.data.formats import read_semeval
from helpers.metrics import MultilabelOutcome, Outcome
from helpers.reporting.leaderboard import (
    Refused,
    Submission,
    add_batch,
    add_submission,
    compare_submissions,
    file_report,
    find_test_set,
    page_data,
    read_batch,
    remove_submission,
    submissions,
)
from helpers.runs import Run, load_run, save_run
from tests.support import spoilt

GOLD = [["NA", "a", "b"][n % 3] for n in range(12)]
PREDICTED = [["NA", "a", "a", "b"][n % 4] for n in range(12)]
ROWS = [(f"s{n}", gold, predicted) for n, (gold, predicted) in enumerate(zip(GOLD, PREDICTED, strict=True))]


def table(rows=ROWS, names=("id", "gold", "predicted"), delimiter=",") -> str:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


def json_lines(rows=ROWS, names=("id", "gold", "predicted")) -> str:
    return "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A folder of runs with one system on `tiny`, a data set of which only its outcome is known."""
    folder = tmp_path_factory.mktemp("runs")
    outcome = Outcome.from_columns(GOLD, PREDICTED)
    save_run(Run.from_outcome(outcome, dataset="tiny", model="stored", negative="NA"), folder)
    sets = MultilabelOutcome.from_scores(
        [[1, 0], [1, 1], [0, 0]], [[2, -1], [1, 1], [-1, -1]], depth=2, labels=["x", "y"], keep_sets=True
    )
    save_run(Run.from_outcome(sets, dataset="sets", model="stored"), folder)
    return folder


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture(scope="module")
def keyed(tmp_path_factory):
    """A registered data set whose key is here."""
    path = tmp_path_factory.mktemp("keyed") / "test.txt"
    blocks = [f'{n}\t"The <e1>fire</e1> and <e2>hat</e2>."\n{label}\nComment:\n' for n, label in KEY]
    path.write_text("\n".join(blocks))
    register_dataset(Dataset("keyed", files={"test": path}, reader=read_semeval, negative="Other"))
    yield "keyed"
    unregister_dataset("keyed")


KEY = [(n, ["Other", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"][n % 3]) for n in range(1, 10)]


def paths(folder) -> list[Path]:
    """Without opening them: a process at work may remove one at any moment."""
    return sorted(folder.glob("*/*/*/*.json"))


def files(folder) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in paths(folder)}


class TestWhatIsStored:
    @pytest.mark.parametrize(
        ("name", "text"),
        [("a.csv", table()), ("a.tsv", table(delimiter="\t")), ("a.jsonl", json_lines())],
    )
    def test_counts_and_nothing_else(self, name, text, tmp_path, store, runs) -> None:
        (tmp_path / name).write_text(text)
        path = add_submission(
            Submission(tmp_path / name, "tiny", "mine", "https://x.org/p", "MIT"), store, runs
        )
        run = load_run(path)
        assert run.outcome() == Outcome.from_columns(GOLD, PREDICTED)
        assert (run.source, run.licence, run.negative) == ("https://x.org/p", "MIT", "NA")
        assert "s11" not in path.read_text()

    def test_pairs_of_sentences_and_skipped_samples(self, tmp_path, store, runs) -> None:
        rows = [(*row[:2], SKIPPED if n == 1 else row[2], row[2]) for n, row in enumerate(ROWS)]
        (tmp_path / "a.csv").write_text(table(rows, ("id", "gold", "predicted", "turned")))
        submission = Submission(tmp_path / "a.csv", "tiny", "m", columns={"predicted_paired": "turned"})
        run = load_run(add_submission(submission, store, runs))
        assert isinstance(run.outcome(), Outcome) and run.outcome().n == 12
        assert run.labels[-1] == SKIPPED

    def test_several_labels_a_sample(self, tmp_path, store, runs) -> None:
        (tmp_path / "t.csv").write_text("1,0\n1,1\n0,0\n")
        (tmp_path / "s.csv").write_text("2,1\n1,1\n-1,-1\n")
        submission = Submission(tmp_path / "s.csv", "sets", "m", truth=tmp_path / "t.csv")
        assert load_run(add_submission(submission, store, runs)).outcome().counts.predicted.tolist() == [2, 2]
        (tmp_path / "t.csv").write_text("1,1\n1,1\n0,0\n")
        with pytest.raises(Refused, match="2 samples have the label 'y'; the test set has 1"):
            add_submission(submission, store, runs, replace=True)

    def test_ranked_facts(self, tmp_path, store) -> None:
        rows = [(n % 2, (n // 2 + 1) / 1950) for n in range(4)]
        found = np.cumsum([1, 0, 1, 0])
        rows = [(count / rank, count / 1950) for rank, count in enumerate(found.tolist(), 1)]
        (tmp_path / "a.csv").write_text(table(rows, ("precision", "recall")))
        path = add_submission(Submission(tmp_path / "a.csv", "nyt10", "m", n_facts=1950), store)
        assert load_run(path).table.hit_ranks == (1, 3)

    def test_adding_again_changes_nothing_and_other_predictions_need_replace(
        self, tmp_path, store, runs
    ) -> None:
        path = tmp_path / "a.csv"
        path.write_text(table())
        one = Submission(path, "tiny", "mine")
        add_submission(one, store, runs)
        before = files(store)
        add_submission(one, store, runs)
        assert files(store) == before
        path.write_text(table([(*row[:2], "NA") for row in ROWS]))
        with pytest.raises(ValueError, match="is stored already"):
            add_submission(one, store, runs)
        assert files(store) == before
        assert load_run(
            add_submission(one, store, runs, replace=True)
        ).outcome().per_class().predicted.tolist() == [
            12,
            0,
            0,
        ]


class TestATestSetOfOnesOwn:
    """A name that is not known makes a test set of the gold labels; whoever comes later has to have them."""

    def written(self, folder, name, rows, names=("id", "predicted")) -> Path:
        (folder / name).write_text(table(rows, names))
        return folder / name

    @pytest.fixture
    def gold(self, tmp_path) -> Path:
        return self.written(tmp_path, "gold.csv", [row[:2] for row in ROWS], ("id", "gold"))

    def test_gold_labels_of_the_file_or_of_another(self, gold, tmp_path, store, runs, caplog) -> None:
        whole = self.written(tmp_path, "whole.csv", ROWS, ("id", "gold", "predicted"))
        alone = self.written(tmp_path, "alone.csv", [(row[0], row[2]) for row in ROWS[::-1]])
        first = Submission(whole, "mine", "first", negative="NA")
        second = Submission(alone, "mine", "second", gold=gold)
        outcomes = [load_run(add_submission(one, store, runs)).outcome() for one in (first, second)]
        assert outcomes == [Outcome.from_columns(GOLD, PREDICTED, labels=("NA", "a", "b"))] * 2
        assert {run.negative for run in submissions(store)} == {"NA"}
        said = [record.getMessage() for record in caplog.records]
        assert said == ["mine is a new test set: 12 samples, 3 labels, negative class 'NA'"]
        report = file_report(whole, "mine", replicates=0, runs=runs, store=store)
        assert report.ranks()["macro"] == 1 and len(report.others) == 2

    def test_labels_that_are_never_gold_may_be_predicted(self, gold, tmp_path, store, runs) -> None:
        path = self.written(
            tmp_path, "a.csv", [(row[0], "new" if n == 1 else row[2]) for n, row in enumerate(ROWS)]
        )
        run = load_run(add_submission(Submission(path, "mine", "m", gold=gold, negative="NA"), store, runs))
        assert run.labels == ("NA", "a", "b", "new")

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"gold": "turned"}, "turned.csv: these are not the gold labels of mine"),
            ({"gold": "short"}, "short.csv: these are not the gold labels of mine"),
            ({"negative": "a"}, "the negative class of mine is 'NA', not 'a'"),
            ({"dataset": "other", "negative": "Other"}, "unknown negative class 'Other'. Known: NA, a, b"),
            ({"dataset": "mime", "gold": None}, "unknown dataset 'mime'; did you mean 'mine'"),
            ({"dataset": "other", "gold": "no ids"}, "no ids.csv: a file of gold labels needs ids"),
        ],
    )
    def test_what_is_refused(self, changed, said, gold, tmp_path, store, runs) -> None:
        self.written(tmp_path, "turned.csv", [(row[0], "a") for row in ROWS], ("id", "gold"))
        self.written(tmp_path, "short.csv", [row[:2] for row in ROWS[:-1]], ("id", "gold"))
        self.written(tmp_path, "no ids.csv", [row[1:2] for row in ROWS], ("gold",))
        path = self.written(tmp_path, "a.csv", [(row[0], row[2]) for row in ROWS])
        add_submission(Submission(path, "mine", "first", gold=gold, negative="NA"), store, runs)
        before = files(store)
        given = {"dataset": "mine", "gold": "gold"} | changed
        given["gold"] = given["gold"] and tmp_path / f"{given['gold']}.csv"
        with pytest.raises(ValueError, match=said.replace("(", r"\(")):
            add_submission(Submission(path, system="second", **given), store, runs)
        assert files(store) == before

    def test_ids_and_gold_labels_of_a_known_test_set(self, keyed, tmp_path, store, runs) -> None:
        gold = self.written(tmp_path, "gold.csv", [row[:2] for row in ROWS], ("id", "gold"))
        path = self.written(tmp_path, "a.csv", [(row[0], row[2]) for row in ROWS])
        assert load_run(add_submission(Submission(path, "tiny", "m", gold=gold), store, runs)).n == 12
        with pytest.raises(Refused, match="'s11' of the test set is missing"):
            path.write_text(table([(row[0], row[2]) for row in ROWS[:-1]], ("id", "predicted")))
            add_submission(Submission(path, "tiny", "other", gold=gold), store, runs)

    def test_runs_of_one_system_are_one_row_with_their_spread(self, gold, tmp_path, call) -> None:
        for seed in (1, 2):
            path = self.written(
                tmp_path,
                f"{seed}.csv",
                [(row[0], row[2] if n > seed else "NA") for n, row in enumerate(ROWS)],
            )
            words = ["--dataset", "mine", "--system", "A", "--gold", gold, "--negative", "NA", "--seed", seed]
            assert call("leaderboard", "add", path, *words, "--store", tmp_path / "store")[0] == 0
        (test,) = page_data(tmp_path / "none", tmp_path / "store", replicates=0)["testsets"]
        assert [(one["key"], one["seed"]) for one in test["systems"]] == [("A", 1), ("A", 2)]
        files = [tmp_path / "1.csv", tmp_path / "2.csv"]
        words = ["--dataset", "mine", "--systems", "A", "B", "--store", tmp_path / "store"]
        code, _, err = call("leaderboard", "compare", *files, *words)
        assert code == 2 and "or give another file, --gold FILE" in err
        assert call("leaderboard", "compare", *files, *words, "--gold", gold)[0] == 0
        words = ["--runs", tmp_path / "none", "--bootstrap", 1, "--output", tmp_path / "p.html"]
        out = call("leaderboard", "rebuild", "--store", tmp_path / "store", *words)[1]
        assert "systems: 1, test sets: 1" in out
        listed = call("leaderboard", "list", "--format", "csv", "--store", tmp_path / "store")[1]
        assert [line.rpartition(",")[2] for line in listed.splitlines()] == ["seed", "1", "2"]
        (tmp_path / "list.csv").write_text("file,dataset,system,seed\n1.csv,mine,A,1\n2.csv,mine,A,\n")
        assert [one.seed for one in read_batch(tmp_path / "list.csv")] == [1, None]


class TestWhatIsRefused:
    def refused(self, text, tmp_path, store, runs, name="a.csv", dataset="tiny", **options) -> Refused:
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(Refused) as caught:
            add_submission(Submission(tmp_path / name, dataset, "m", **options), store, runs)
        assert not files(store)
        return caught.value

    def test_every_fault_with_its_line(self, tmp_path, store, runs) -> None:
        rows = [*ROWS[:2], ("s2", "b", "bb"), ("s1", "a", "a"), ("", "NA", "NA"), *ROWS[5:]]
        error = self.refused(table(rows), tmp_path, store, runs)
        assert [(one.line, one.column) for one in error.problems[:3]] == [
            (4, "predicted"),
            (5, "id"),
            (6, "id"),
        ]
        assert "unknown label 'bb' of tiny" in error.problems[0].reason
        assert "occurs twice, the first time in line 3" in error.problems[1].reason
        assert any("10 samples; the test set of tiny has 12" in one.reason for one in error.problems)

    def test_ids_have_to_be_complete_and_known(self, keyed, tmp_path, store, runs) -> None:
        text = table([(n, "Other") for n, _ in KEY[:-1]] + [(77, "Other")], ("id", "predicted"))
        error = self.refused(text, tmp_path, store, runs, dataset=keyed)
        said = " ".join(map(str, error.problems))
        assert "'77' is not in the test set" in said and "'9' of the test set is missing" in said

    def test_gold_labels_have_to_be_those_of_the_key(self, keyed, tmp_path, store, runs) -> None:
        rows = [(n, "Other", "Other") for n, _ in KEY]
        error = self.refused(table(rows), tmp_path, store, runs, dataset=keyed)
        assert error.count == 6 and "the key says 'Cause-Effect(e1,e2)'" in error.problems[0].reason

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            ({"dataset": "tinny"}, "did you mean 'tiny'"),
            ({"system": ""}, "1 to 120 characters"),
            ({"system": "a\nb"}, "one line of printable text"),
            ({"system": "../../x"}, "cannot be part of a path"),
            ({"paper": "javascript:alert(1)"}, "begins with https://"),
            ({"system": "stored"}, "one of the reproduction"),
        ],
    )
    def test_words_that_will_not_do(self, words, said, tmp_path, store, runs) -> None:
        (tmp_path / "a.csv").write_text(table())
        given = {"file": tmp_path / "a.csv", "dataset": "tiny", "system": "m"} | words
        with pytest.raises(ValueError, match=said.replace("(", r"\(")):
            add_submission(Submission(**given), store, runs)
        assert not files(store)


CONTENTS = {"a.csv": table(), "a.tsv": table(delimiter="\t"), "a.jsonl": json_lines()}
KEYED = {"k.csv": table(KEY, ("id", "predicted")), "k.txt": "".join(f"{n}\t{label}\n" for n, label in KEY)}


@settings(
    max_examples=1000,
    deadline=None,
    derandomize=True,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
@given(choices=st.data())
@pytest.mark.parametrize("contents", [CONTENTS, KEYED], ids=["without key", "with key"])
def test_two_thousand_spoilt_files(contents, choices, keyed, tmp_path, store, runs) -> None:
    name = choices.draw(st.sampled_from(sorted(contents)))
    (tmp_path / name).write_bytes(choices.draw(spoilt(contents[name].encode())))
    dataset = "tiny" if contents is CONTENTS else keyed
    try:
        path = add_submission(Submission(tmp_path / name, dataset, "m"), store, runs, replace=True)
    except ValueError as error:
        assert name in str(error) and len(str(error)) < 2500
        for problem in getattr(error, "problems", ()):
            assert str(problem).isprintable() and (problem.line or 1) >= 1
        assert not files(store)
    else:  # what was spoilt made no difference: it is whole, and gold is gold
        assert load_run(path).n == find_test_set(dataset, runs).n
        path.unlink()


class TestBatches:
    def test_a_broken_one_never_stops_the_others(self, tmp_path, store, runs) -> None:
        for n in range(40):
            (tmp_path / f"{n}.csv").write_text(table() if n % 4 else table()[:-20])
        lines = [f"{n}.csv,tiny,system {n}" for n in range(40)]
        (tmp_path / "list.csv").write_text("\n".join(["file,dataset,system", *lines, "none.csv,tiny,x"]))
        stored, refused = add_batch(read_batch(tmp_path / "list.csv"), store, runs)
        assert (len(stored), len(refused)) == (30, 11)
        assert len(submissions(store)) == 30

    def test_removing(self, tmp_path, store, runs) -> None:
        for n, name in enumerate(["one", "two"]):
            (tmp_path / f"{name}.csv").write_text(table([(*row[:2], PREDICTED[n]) for row in ROWS]))
            add_submission(Submission(tmp_path / f"{name}.csv", "tiny", name), store, runs)
        pair = [Submission(tmp_path / f"{name}.csv", "tiny", name) for name in ("one", "two")]
        joint = load_run(compare_submissions(*pair, store, runs))
        assert (joint.model, joint.second, joint.n) == ("one+two", "two", 12)
        assert joint.outcome().per_class().predicted.tolist()[:3] == [12, 0, 0]
        assert len(remove_submission("tiny", "two", store)) == 2
        assert [run.model for run in submissions(store)] == ["one"]
        with pytest.raises(ValueError, match="unknown submission to tiny 'two'. Known: one"):
            remove_submission("tiny", "two", store)


WRITER = """
import sys
from pathlib import Path
from helpers.reporting.leaderboard import Submission, add_submission, remove_submission
file, store, runs, who, turns = sys.argv[1:]
for turn in range(int(turns)):
    add_submission(Submission(file, "tiny", f"{who}-{turn}"), store, runs)
    if turn % 3 == 2:
        remove_submission("tiny", f"{who}-{turn}", store)
print("done")
"""


class TestTwoProcesses:
    def start(self, tmp_path, runs, who, turns) -> subprocess.Popen:
        (tmp_path / "a.csv").write_text(table())
        words = [tmp_path / "a.csv", tmp_path / "store", runs, who, turns]
        command = [sys.executable, "-c", WRITER, *map(str, words)]
        return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)

    def test_a_race_loses_nothing(self, tmp_path, runs) -> None:
        both = [self.start(tmp_path, runs, who, 30) for who in "xy"]
        assert [one.communicate(timeout=600)[0] for one in both] == ["done\n", "done\n"]
        names = {run.model for run in submissions(tmp_path / "store")}
        assert names == {f"{who}-{turn}" for who in "xy" for turn in range(30) if turn % 3 != 2}

    def test_kills_leave_whole_files(self, tmp_path, runs) -> None:
        store = tmp_path / "store"
        for kill in range(4):
            process, before = self.start(tmp_path, runs, f"k{kill}", 10**6), len(paths(store))
            end = time.monotonic() + 600
            while len(paths(store)) <= before + kill and time.monotonic() < end:
                time.sleep(0.02)
            process.send_signal(signal.SIGKILL)
            process.communicate(timeout=600)
        found = submissions(store)
        assert len(found) == len(files(store)) >= 4
        (tmp_path / "a.csv").write_text(table())
        add_submission(Submission(tmp_path / "a.csv", "tiny", "after"), store, runs)  # nobody holds the lock
        assert not [path for path in store.rglob("*") if "draft" in path.name]


class TestCommands:
    def test_add_list_remove(self, tmp_path, call) -> None:
        path = tmp_path / "mine.csv"
        path.write_text(table([(f"{n}", "Other") for n in range(3)], ("id", "predicted")))
        code, out, err = call(
            "leaderboard", "add", path, "--dataset", "demo", "--system", "m", "--store", tmp_path
        )
        assert (code, out) == (2, "") and "is not in the test set of demo" in err
        assert err.splitlines()[-1].startswith(f"error: {path}: ") and "nothing was stored" in err
        assert call("leaderboard", "list", "--store", tmp_path)[1].startswith("there are no submissions")
        assert (
            call("leaderboard", "remove", "--dataset", "demo", "--system", "m", "--store", tmp_path)[0] == 2
        )
        assert "Did you mean 'add'" in call("leaderboard", "ad")[2]
