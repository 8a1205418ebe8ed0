"""Systems over their runs: means, tests, ties, what is refused and what is said."""

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from helpers.evaluation import RunComparison, compare_run_files, expand_runs, score_file, seeds_among
from helpers.metrics import Outcome, holm
from helpers.runs import Run, save_run
from tests.support import latex_tables

LABELS = np.array(["R(e1,e2)", "R(e2,e1)", "S(e1,e2)", "Other"])


@pytest.fixture
def runs(rng, tmp_path, monkeypatch) -> dict[str, list[str]]:
    """Five runs of a better system and three of a worse one, with predictions on paired samples."""
    monkeypatch.chdir(tmp_path)
    gold = rng.choice(LABELS, 200, p=[0.2, 0.2, 0.2, 0.4])
    systems = {}
    for name, share, count in (("good", 0.85, 5), ("poor", 0.6, 3)):
        systems[name] = [f"{name}-seed{seed}.csv" for seed in range(count)]
        for path in systems[name]:
            columns = [np.where(rng.random(200) < share, gold, rng.choice(LABELS, 200)) for _ in range(2)]
            with open(path, "w", newline="") as file:
                csv.writer(file).writerows([("gold", "pred", "paired"), *zip(gold, *columns, strict=True)])
    return systems


OPTIONS = {"negative": "Other", "paired_column": "paired"}


def test_every_number_by_hand(runs):
    found = compare_run_files(runs, **OPTIONS)
    rows = {(row["system"], row["score"]): row for row in found.rows()}
    scores = {name: [score_file(path, **OPTIONS).scores() for path in own] for name, own in runs.items()}
    names = ["micro", "weighted", "dodrans", "entropy", "macro", "A", "B", "PD", "PIR", "PPR"]
    assert [score for system, score in rows if system == "good"] == names
    p_values = []
    for name in names:
        a, b = ([one[name] for one in scores[system]] for system in ("good", "poor"))
        row = rows["poor", name]
        assert (row["runs"], row["mean"], row["sd"]) == (
            3,
            pytest.approx(np.mean(b)),
            pytest.approx(np.std(b, ddof=1)),
        )
        assert rows["good", name]["p"] is None and rows["good", name]["against"] == ""
        expected = scipy.stats.ttest_ind(a, b, equal_var=False)
        assert (row["t"], row["p"]) == (pytest.approx(expected.statistic), pytest.approx(expected.pvalue))
        pooled = np.sqrt((4 * np.var(a, ddof=1) + 2 * np.var(b, ddof=1)) / 6)
        assert (
            row["d"] == pytest.approx((np.mean(a) - np.mean(b)) / pooled)
            and row["d_low"] < row["d"] < row["d_high"]
        )
        assert row["difference"] == pytest.approx(np.mean(a) - np.mean(b)) and row["against"] == "good"
        assert row["signature"].endswith("|runs:3|sd:ddof1")
        p_values.append(row["p"])
    assert [rows["poor", name]["p_holm"] for name in names] == pytest.approx(holm(p_values))
    by_rate = compare_run_files(runs, "bh", **OPTIONS).rows()
    expected = scipy.stats.false_discovery_control(p_values)
    assert [row["p_bh"] for row in by_rate if row["against"]] == pytest.approx(expected.tolist())


def test_ties_are_in_bold_and_of_pd_and_pir_the_least_is_best():
    values = {
        "a": {"macro": [0.70, 0.72, 0.74], "PIR": [0.5, 0.51, 0.52]},
        "b": {"macro": [0.71, 0.72, 0.72], "PIR": [0.3, 0.31, 0.32]},
        "c_1": {"macro": [0.50, 0.51, 0.52], "PIR": []},
    }
    (table,) = latex_tables(
        RunComparison(9, values, {"macro": "f1", "PIR": "pir"}, "f1").to_latex(decimals=0)
    )
    bold = [[cell.startswith(r"\textbf") for cell in row[1:]] for row in table[1:]]
    assert bold == [[True, False], [True, True], [False, False]]
    assert table[3] == [r"c\_1", r"51 $\pm$ 1", "--"]


@pytest.mark.parametrize(
    ("a", "b", "bold"),
    [([0.7], [0.6], 0), ([0.7], [0.7], 0), ([0.7, 0.72], [0.6], 0), ([0.7, 0.7], [0.7, 0.7], 2)],
)
def test_nothing_is_bold_that_no_test_decided(a, b, bold):
    text = RunComparison(9, {"a": {"macro": a}, "b": {"macro": b}}, {"macro": "f1"}, "f1").to_latex()
    assert text.count(r"\textbf") == bold and ("Bold:" in text) == bool(bold)


def test_words_of_size_and_paragraphs_say_what_is_decided():
    """Of two runs each, a difference of d = 2 has p = .18: it is undecided, and no size is named."""
    values = {"a": {"macro": [0.72, 0.74]}, "b": {"macro": [0.70, 0.72]}}
    report = RunComparison(9, values, {"macro": "f1"}, "f1")
    assert report.rows()[1]["size"] == "undecided" and report.rows()[1]["d"] > 1.2
    (paragraph,) = report.how_to_report()
    assert "a (2 runs) and b (2 runs)" in paragraph and "large" not in paragraph
    assert "At .05 the systems are not told apart under macro." in paragraph
    assert paragraph.endswith("The test covers the training seed, not the choice of the test set.")
    (single,) = RunComparison(
        9, {name: {"macro": each["macro"][:1]} for name, each in values.items()}, {"macro": "f1"}, "f1"
    ).how_to_report()
    assert "There is no test" in single and "told apart" not in single
    text = report.to_latex(tests=True)
    assert f"b & {report.rows()[1]['p_holm']:.4f}" in text and f"b & {report.rows()[1]['d']:+.2f}" in text


def test_equal_runs_have_no_infinite_number_in_json(runs):
    table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    save_run(Run.from_outcome(table, dataset="d", model="m", seed=1), "one")
    values = {"a": {"macro": [0.5, 0.5]}, "b": {"macro": [0.4, 0.4]}}
    row = RunComparison(4, values, {"macro": "f1|scheme:macro|"}, "f1").to_dict()[1]
    assert (row["t"], row["d"], row["p"], row["size"]) == (None, None, 0.0, "huge")


class TestSaid:
    def test_a_score_that_is_undefined_in_a_run(self, runs, caplog):
        lines = Path(runs["good"][0]).read_text().splitlines()
        wrong = [f"{row.rsplit(',', 4)[0]}" for row in lines[1:]]
        assert wrong  # the gold labels stay, all predictions are Other: PIR is 0/0
        rows = list(csv.reader(lines))
        with open("good-seed0.csv", "w", newline="") as file:
            csv.writer(file).writerows([rows[0], *([row[0], "Other", "Other"] for row in rows[1:])])
        found = compare_run_files(runs, **OPTIONS)
        assert "good: PIR is undefined in 1 runs" in caplog.messages
        assert [len(found.values["good"][name]) for name in ("PPR", "PIR")] == [5, 4]


class TestRefused:
    def test_another_test_set(self, runs):
        Path("poor-seed1.csv").write_text("gold,pred,paired\nOther,Other,Other\n")
        with pytest.raises(
            ValueError, match=r"poor-seed1.csv: .* is gold .* runs are compared on one test set"
        ):
            compare_run_files(runs, **OPTIONS)


class TestRunFiles:
    def test_counts_of_run_files_give_the_same_as_predictions(self, runs):
        kept = {}
        for name, own in runs.items():
            kept[name] = []
            for seed, path in enumerate(own):
                rows = list(csv.reader(Path(path).read_text().splitlines()))[1:]
                gold, on_a, on_b = zip(*rows, strict=True)
                outcome = Outcome.from_columns(gold, on_a, paired=on_b)
                run = Run.from_outcome(outcome, dataset="d", model=name, seed=seed, negative="Other")
                kept[name].append(save_run(run, "runs"))
        stored, read = (compare_run_files(one, **options) for one, options in ((kept, {}), (runs, OPTIONS)))
        assert [row["mean"] for row in stored.rows() if row["score"] in ("micro", "macro", "PPR", "PIR")] == [
            row["mean"] for row in read.rows() if row["score"] in ("micro", "macro", "PPR", "PIR")
        ]


class TestNamesOfFiles:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("A", "'A' is no name and pattern"),
            ("A=", "is no name"),
            ("A=x*.csv", "A: no file matches 'x\\*.csv'"),
        ],
    )
    def test_others_are_refused(self, runs, text, message):
        with pytest.raises(ValueError, match=message):
            expand_runs([text])

    @pytest.mark.parametrize(
        ("paths", "said"),
        [
            (
                ["A-seed1.csv", "A-seed2.csv", "B-seed1.csv", "B-seed2.csv"],
                "'A=A-seed*.csv' --runs 'B=B-seed*.csv'",
            ),
            (["x/A_run1.tsv.gz", "x/A_run2.tsv.gz", "x/B_run1.tsv.gz"], "'A=x/A_run*.tsv.gz'"),
            (["a1.csv", "a2.csv", "b1.csv", "b2.csv"], None),
            (["A-seed1.csv", "A-seed2.csv"], None),
            (["bert1.csv", "bert2.csv", "pcnn3.csv"], None),
            (["mine.csv", "baseline.csv"], None),
            (["seed1.csv", "other.csv"], None),
        ],
    )
    def test_files_that_differ_in_a_number(self, paths, said):
        found = seeds_among(paths)
        assert found is None if said is None else said in found
