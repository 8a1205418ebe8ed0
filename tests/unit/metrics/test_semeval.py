"""The official scorer of SemEval-2010 Task 8: the script's printed values, each rule on a small case."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.core.labels import SKIPPED
from helpers.metrics import Outcome
from helpers.metrics.averaging import averages
from helpers.metrics.direction import base_relation, official_macro, official_scores
from helpers.metrics.direction import drop_direction as undirected

GOLDEN = Path(__file__).parents[2] / "golden"
TOLERANCE = 0.005 + 1e-9  # per cent: half the last digit that the script prints
BASES = [
    "Message-Topic", "Product-Producer", "Instrument-Agency", "Entity-Destination", "Cause-Effect",
    "Component-Whole", "Entity-Origin", "Member-Collection", "Content-Container",
]  # fmt: skip
LABELS = ["Other", *(f"{base}({direction})" for base in BASES for direction in ("e1,e2", "e2,e1"))]
FLIPPED = {
    label: label.translate(str.maketrans("12", "21")) for label in LABELS
}  # digits stand in directions only


def golden_rows():
    with open(GOLDEN / "semeval_scorer.csv", newline="") as file:
        return {
            row.pop("proposals"): {key: float(value) for key, value in row.items()}
            for row in csv.DictReader(file)
        }


def proposals(name, gold):
    """The answers of a golden row to the gold labels of the ids 8001, 8002, …"""
    make = {
        "gold": lambda: gold,
        "every direction flipped": lambda: [FLIPPED[label] for label in gold],
        "constant Cause-Effect(e1,e2)": lambda: ["Cause-Effect(e1,e2)"] * len(gold),
        "gold of the next line (cyclic)": lambda: gold[1:] + gold[:1],
        "gold base, always (e1,e2)": lambda: [label.replace("(e2,e1)", "(e1,e2)") for label in gold],
        "gold, ids divisible by 10 skipped": lambda: [
            SKIPPED if number % 10 == 0 else label for number, label in enumerate(gold, 8001)
        ],
        "all Other": lambda: ["Other"] * len(gold),
    }
    return make[name]()


def scored(gold, predicted):
    """All columns of the golden table, in per cent."""
    table = Outcome.from_columns(gold, predicted, labels=[*LABELS, SKIPPED])
    found = {
        f"{evaluation} {score}": 100 * value
        for evaluation, scores in official_scores(table).items()
        for score, value in scores.items()
    }
    five = 100 * averages(table, negative="Other", labels=LABELS[1:])
    names = ("micro", "weighted", "dodrans", "entropy", "macro")
    return found | {f"18-class {name}": value for name, value in zip(names, five.tolist(), strict=True)}


def largest_difference(row, found):
    assert set(row) == set(found)
    return max(abs(row[key] - found[key]) for key in row)


@pytest.fixture(scope="module")
def gold(data_dir):
    """Gold labels of the test set in the order of the file, ids 8001–10717."""
    with open(data_dir / "semeval2010" / "rdr" / "test.original.tsv", encoding="utf-8") as file:
        return [LABELS[int(line.split("\t")[2])] for line in file]


@pytest.fixture(scope="module")
def gold_counts():
    """The same labels in any order: their counts are facts."""
    with open(GOLDEN / "weights_semeval.csv", newline="") as file:
        counts = {row["relation"]: int(row["n"]) for row in csv.DictReader(file)} | {"Other": 454}
    return [label for label, count in counts.items() for _ in range(count)]


@pytest.mark.parametrize("name", golden_rows())
def test_golden_rows_on_the_test_keys(name, gold):
    assert len(gold) == 2717
    assert largest_difference(golden_rows()[name], scored(gold, proposals(name, gold))) <= TOLERANCE


@pytest.mark.parametrize(
    "name", [name for name in golden_rows() if "next" not in name and "skipped" not in name]
)
def test_golden_rows_that_need_counts_only(name, gold_counts):
    found = scored(gold_counts, proposals(name, gold_counts))
    assert largest_difference(golden_rows()[name], found) <= TOLERANCE


@pytest.mark.parametrize("name", golden_rows())
def test_one_corrupted_answer_is_noticed(name, gold_counts, request):
    needs_order = "next" in name or "skipped" in name
    keys = request.getfixturevalue("gold") if needs_order else gold_counts
    answers = proposals(name, keys)
    place = keys.index("Component-Whole(e2,e1)")
    wrong = "Component-Whole(e2,e1)" if answers[place] != "Component-Whole(e2,e1)" else "Cause-Effect(e2,e1)"
    corrupted = [*answers[:place], wrong, *answers[place + 1 :]]
    assert largest_difference(golden_rows()[name], scored(keys, corrupted)) > TOLERANCE


@pytest.mark.parametrize(("system", "printed"), [("CNN", 79.26), ("Att-BLSTM", 83.13), ("CR-CNN", 83.27)])
def test_real_systems_score_as_the_script_printed(system, printed, gold, data_dir):
    path = data_dir / "semeval2010" / "predictions" / f"onehaitao_{system}_predicted_result.txt"
    answers = dict(line.split("\t") for line in path.read_text(encoding="utf-8").splitlines())
    predicted = [answers[str(number)] for number in range(8001, 10718)]
    found = 100 * official_macro(Outcome.from_columns(gold, predicted, labels=LABELS))
    assert found == pytest.approx(printed, rel=0, abs=TOLERANCE)


def test_a_wrong_direction_is_one_false_alarm_and_one_miss_of_its_base():
    table = Outcome.from_columns(["R(e1,e2)", "R(e2,e1)"], ["R(e2,e1)", "R(e2,e1)"])
    scores = official_scores(table)
    assert scores["grouped"] == {"micro": 0.5, "macro": 0.5, "accuracy": 0.5}
    assert scores["undirected"] == {"micro": 1.0, "macro": 1.0, "accuracy": 1.0}
    assert scores["directed"]["macro"] == pytest.approx((0 + 2 / 3) / 2, abs=1e-12)
    assert scores["directed"]["micro"] == 0.5


def test_a_skipped_id_is_a_miss_but_no_answer():
    gold = ["R(e1,e2)", "R(e1,e2)", "Other", "Other"]
    scores = official_scores(Outcome.from_columns(gold, ["R(e1,e2)", SKIPPED, "Other", SKIPPED]))["grouped"]
    assert scores == {"micro": pytest.approx(2 / 3), "macro": pytest.approx(2 / 3), "accuracy": 1.0}
    other = official_scores(Outcome.from_columns(gold, ["R(e1,e2)", "Other", "Other", "Other"]))["grouped"]
    assert (scores["micro"], scores["macro"]) == (other["micro"], other["macro"])
    nothing = official_scores(Outcome.from_columns(gold, [SKIPPED] * 4))["grouped"]
    assert nothing == {"micro": 0.0, "macro": 0.0, "accuracy": 0.0}


def test_a_negative_class_that_the_table_lacks_is_named():
    table = Outcome.from_columns(["R(e1,e2)", "no_relation"], ["R(e1,e2)", "no_relation"])
    with pytest.raises(ValueError, match="negative is 'no_relatio'.*did you mean 'no_relation'"):
        official_scores(table, negative="no_relatio")


def test_labels_lose_their_direction():
    assert [base_relation(label) for label in ("R(e1,e2)", "R(e2,e1)", "R(e1,e2)x", "Other")] == [
        "R",
        "R",
        "R(e1,e2)x",
        "Other",
    ]
    assert undirected(Outcome.from_columns(["R(e1,e2)"], ["R(e2,e1)"])).direction == "dropped"


codes = st.integers(0, 4)


@settings(max_examples=100)
@given(st.lists(st.tuples(codes, codes), min_size=1, max_size=40))
def test_micro_of_grouped_is_micro_of_directed_where_both_directions_are_gold(samples):
    labels = ["R(e1,e2)", "R(e2,e1)", "S(e1,e2)", "S(e2,e1)", "Other"]
    every = [(code, code) for code in range(5)]
    table = Outcome.from_columns(*np.array(samples + every).T, labels=labels)
    scores = official_scores(table)
    assert scores["grouped"]["micro"] == pytest.approx(scores["directed"]["micro"], abs=1e-12)
    assert scores["directed"]["micro"] == pytest.approx(
        averages(table, ["micro"], negative="Other").item(), abs=1e-12
    )
    assert scores["directed"]["macro"] == pytest.approx(
        averages(table, ["macro"], negative="Other").item(), abs=1e-12
    )
    assert scores["undirected"]["macro"] >= scores["grouped"]["macro"]
    assert all(0 <= value <= 1 for row in scores.values() for value in row.values())


def test_replicates_are_scored_like_single_tables(rng):
    gold, predicted = rng.choice([*LABELS[:7], SKIPPED], (2, 60))
    gold[gold == SKIPPED] = "Other"
    table = Outcome.from_columns(gold, predicted, labels=[*LABELS[:7], SKIPPED]).resample(rng, 8)
    together = official_scores(table)
    for place, counts in enumerate(table.counts):
        single = official_scores(replace(table, counts=counts))
        for evaluation, scores in single.items():
            for score, value in scores.items():
                assert together[evaluation][score][place] == pytest.approx(value, abs=1e-12)
