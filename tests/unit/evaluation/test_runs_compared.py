"""Systems over their runs: means, tests, ties, what is refused and what is said."""

import csv
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from helpers.cli.score import _seeds_among
from helpers.evaluation import compare_run_files, score_file
from helpers.evaluation.runs_compared import _RunComparison
from helpers.metrics import Outcome, holm
from helpers.runs import Run, save_run
from tests.support import latex_tables, write_rows

LABELS = np.array(["R(e1,e2)", "R(e2,e1)", "S(e1,e2)", "Other"])
NAMES = ("gold", "pred", "paired")
OPTIONS = {"negative": "Other", "paired_column": "paired"}
SCORES = ["micro", "weighted", "dodrans", "entropy", "macro", "A", "B", "PD", "PIR", "PPR"]


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
            write_rows(tmp_path / path, [*zip(gold, *columns, strict=True)], NAMES)
    return systems


def macro(**runs) -> _RunComparison:
    """A comparison of systems by their macro-F1 in each run."""
    values = {system: {"macro": scores} for system, scores in runs.items()}
    return _RunComparison(9, values, {"macro": "f1|scheme:macro|"}, "f1")


def test_every_number_by_hand(runs):
    rows = {(row["system"], row["score"]): row for row in compare_run_files(runs, **OPTIONS).rows()}
    scores = {name: [score_file(path, **OPTIONS).scores() for path in own] for name, own in runs.items()}
    assert [score for system, score in rows if system == "good"] == SCORES
    p_values = []
    for name in SCORES:
        a, b = ([run[name] for run in scores[system]] for system in ("good", "poor"))
        row, test = rows["poor", name], scipy.stats.ttest_ind(a, b, equal_var=False)
        pooled = np.sqrt((4 * np.var(a, ddof=1) + 2 * np.var(b, ddof=1)) / 6)
        expected = {"mean": np.mean(b), "sd": np.std(b, ddof=1), "difference": np.mean(a) - np.mean(b)}
        expected |= {"t": test.statistic, "p": test.pvalue, "d": expected["difference"] / pooled, "runs": 3}
        assert {key: row[key] for key in expected} == pytest.approx(expected)
        assert row["d_low"] < row["d"] < row["d_high"] and row["against"] == "good"
        assert rows["good", name]["p"] is None and rows["good", name]["against"] == ""
        assert row["signature"].endswith("|runs:3|sd:ddof1")
        p_values.append(row["p"])
    assert [rows["poor", name]["p_holm"] for name in SCORES] == pytest.approx(holm(p_values))
    by_rate = [row["p_bh"] for row in compare_run_files(runs, "bh", **OPTIONS).rows() if row["against"]]
    assert by_rate == pytest.approx(scipy.stats.false_discovery_control(p_values).tolist())


def test_ties_are_in_bold_and_of_pd_and_pir_the_least_is_best():
    values = {
        "a": {"macro": [0.70, 0.72, 0.74], "PIR": [0.5, 0.51, 0.52]},
        "b": {"macro": [0.71, 0.72, 0.72], "PIR": [0.3, 0.31, 0.32]},
        "c_1": {"macro": [0.50, 0.51, 0.52], "PIR": []},
    }
    report = _RunComparison(9, values, {"macro": "f1", "PIR": "pir"}, "f1")
    (table,) = latex_tables(report.to_latex(decimals=0))
    bold = [[cell.startswith(r"\textbf") for cell in row[1:]] for row in table[1:]]
    assert bold == [[True, False], [True, True], [False, False]]
    assert table[3] == [r"c\_1", r"51 $\pm$ 1", "--"] and report.rows()[-1]["runs"] == 0


@pytest.mark.parametrize(("scores", "bold"), [(1, 1), (3, 6)])
def test_what_is_bold_follows_the_corrected_p(scores, bold):
    """Welch's p is .032 of each score, .095 by Holm's correction over three."""
    names = [f"score {n}" for n in range(scores)]
    runs = {"a": [0.70, 0.72, 0.74], "b": [0.66, 0.67, 0.68]}
    values = {system: dict.fromkeys(names, own) for system, own in runs.items()}
    text = _RunComparison(9, values, dict.fromkeys(names, "f1"), "f1").to_latex()
    assert text.count(r"\textbf") == bold and "Holm's correction" in text


BOLD = [([0.7], [0.6], 0, "1 run"), ([0.7], [0.6, 0.62], 0, "1 to 2 runs"), ([], [], 0, "0 runs")]
BOLD += [([0.7, 0.72], [0.6], 0, "1 to 2 runs"), ([0.7, 0.7], [0.7, 0.7], 2, "2 runs")]


@pytest.mark.parametrize(("a", "b", "bold", "runs"), BOLD)
def test_nothing_is_bold_that_no_test_decided(a, b, bold, runs):
    text = macro(a=a, b=b).to_latex()
    assert text.count(r"\textbf") == bold and ("Bold:" in text) == bool(bold)
    assert f"sample SD over {runs}, in per cent" in text


def test_words_of_size_and_paragraphs_say_what_is_decided():
    """Of two runs each, a difference of d = 2 has p = .18: it is undecided, and no size is named."""
    report = macro(a=[0.72, 0.74], b=[0.70, 0.72])
    row = report.rows()[1]
    assert row["size"] == "undecided" and row["d"] > 1.2 and row["sd"] == pytest.approx(0.02 / 2**0.5)
    (paragraph,) = report.how_to_report()
    assert "a (2 runs) and b (2 runs)" in paragraph and "large" not in paragraph
    assert "At .05 the systems are not told apart under macro." in paragraph
    assert paragraph.endswith("The test covers the training seed, not the choice of the test set.")
    (single,) = macro(a=[0.72], b=[0.70]).how_to_report()
    assert "There is no test" in single and "told apart" not in single


def test_equal_runs_have_no_infinite_number_in_json():
    row = macro(a=[0.5, 0.5], b=[0.4, 0.4]).to_dict()[1]
    assert (row["t"], row["d"], row["p"], row["size"]) == (None, None, 0.0, "huge")


def test_a_score_that_is_undefined_in_a_run_is_left_out_and_said(runs, caplog):
    path = Path(runs["good"][0])  # its gold labels stay, all predictions become Other: PIR is 0/0
    _, *rows = csv.reader(path.read_text().splitlines())
    write_rows(path, [(row[0], "Other", "Other") for row in rows], NAMES)
    values = compare_run_files(runs, **OPTIONS).values["good"]
    assert "good: PIR is undefined in 1 run" in caplog.messages
    assert "'poor' has 3 runs: fewer than 5 runs of a system say little" in caplog.messages
    compare_run_files(runs, paired_column="paired")  # what is remarked of each file is said once
    assert caplog.text.count("averaged like any other label") == 1
    assert (len(values["PPR"]), len(values["PIR"])) == (5, 4)


def test_another_test_set_is_refused(runs):
    Path("poor-seed1.csv").write_text("gold,pred,paired\nOther,Other,Other\n")
    with pytest.raises(ValueError, match=r"poor-seed1.csv: .* is gold .* runs are compared on one test set"):
        compare_run_files(runs, **OPTIONS)
    path = runs["good"][0]
    for paths, said in (([], "at least one file of each"), ([Path.cwd() / path], f"twice, also as {path}")):
        with pytest.raises(ValueError, match=said):
            compare_run_files({"good": [path], "poor": paths})


def test_counts_of_run_files_give_the_same_as_predictions(runs):
    kept = {name: [] for name in runs}
    for name, own in runs.items():
        for seed, path in enumerate(own):
            gold, on_a, on_b = zip(*[*csv.reader(Path(path).read_text().splitlines())][1:], strict=True)
            outcome = Outcome.from_columns(gold, on_a, paired=on_b)
            run = Run.from_outcome(outcome, dataset="d", model=name, seed=seed, negative="Other")
            kept[name].append(save_run(run, "runs"))
    stored, read = compare_run_files(kept).rows(), compare_run_files(runs, **OPTIONS).rows()
    for one, other in zip(stored, read, strict=True):
        if one["score"] in ("micro", "macro", "PPR", "PIR"):
            assert one["mean"] == other["mean"]
    report = score_file(kept["good"][0], negative="Other")
    assert "performance:official_macro|inverse:e1e2|" in report.extra["direction"]["signature"]
    assert "official" not in report.extra and "B" in report.scores()


def test_files_that_differ_in_a_seed_are_runs():
    hint = _seeds_among(["A-seed1.csv", "A-seed2.csv", "B-seed1.csv", "B-seed2.csv"])
    assert "'A=A-seed*.csv' --runs 'B=B-seed*.csv'" in hint
    assert "'A=x/A_run*.tsv.gz'" in _seeds_among(["x/A_run1.tsv.gz", "x/A_run2.tsv.gz", "x/B_run1.tsv.gz"])
    for paths in ("a1.csv a2.csv b1.csv b2.csv", "A-seed1.csv A-seed2.csv", "seed1.csv other.csv"):
        assert _seeds_among(paths.split()) is None
