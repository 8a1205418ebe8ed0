"""Ranked lists from files: OpenNRE's golden values, what is counted how, and two lists compared."""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.core import MalformedRecord
from helpers.evaluation import compare_fact_files, read_fact_lists, score_fact_file
from helpers.metrics import FactRanking, FactSample, bootstrap_intervals
from tests.support import FACT_RELATIONS, golden_facts, write_rows

FACTS = ("head", "tail", "relation")


def golden_files(folder, ending="csv", shift=0.0):
    """Scored facts and true ones of the golden case, the pairs in their order."""
    scores, gold = golden_facts()
    pairs = [(i, r) for i in range(40) for r in range(1, 9)]
    rows = [(f"h{i}", f"t{i}", FACT_RELATIONS[r], scores[i, r].item() + shift * (i % 5)) for i, r in pairs]
    true = [(f"h{i}", f"t{i}", FACT_RELATIONS[r]) for i, r in np.argwhere(gold)]
    mine = write_rows(folder / f"mine{shift:g}.{ending}", rows, (*FACTS, "score"))
    return mine, write_rows(folder / f"facts.{ending}", true, FACTS)


@pytest.fixture
def write(tmp_path):
    """Write facts that are scored, and true ones, a word of letters each: 'abr' is a, b, r."""

    def to_files(scored, true):
        rows = [(*fact[:2], fact[2:], score) for fact, score in scored]
        facts = [(*fact[:2], fact[2:]) for fact in true.split()]
        mine = write_rows(tmp_path / "mine.csv", rows, (*FACTS, "score"))
        return mine, write_rows(tmp_path / "facts.csv", facts, FACTS)

    return to_files


def curve_file(path, ranking: FactRanking, **columns):
    columns = {"precision": ranking.precision.round(6), "recall": ranking.recall.round(6)} | columns
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_golden_values(tmp_path, ending) -> None:
    report = score_fact_file(*golden_files(tmp_path, ending)).to_dict()
    recipe = "facts|level:bag|area:points|ties:order|recall:all|negative:None|drawn:pair|n:320|facts:28|v:0.1"
    assert report["signature"] == recipe and "intervals" not in report
    expected = {"auc": 0.297982, "auc_anchored": 0.333697, "average_precision": 0.337561}
    expected |= {"micro_f1": 0.352941, "macro_f1": 0.283333}
    assert {name: report[name] for name in expected} == pytest.approx(expected, abs=5e-7)
    assert report["precision_at"] == pytest.approx({"100": 0.15, "200": 0.12, "300": 0.093333}, abs=5e-7)
    single = {name: round(row["f1"], 4) for name, row in report["per_relation"].items() if row["f1"]}
    assert single == {"r2": 0.8, "r3": 0.4, "r4": 0.6667, "r5": 0.4}
    assert (report["n_predictions"], report["n_facts"], report["recall"]) == (320, 28, 1.0)
    assert report["schemes"]["macro"] == report["macro_f1"]
    assert report["schemes"]["micro"] == pytest.approx(report["micro_f1"])


def test_one_report_is_one_cut(write, call) -> None:
    """Of equal scores a threshold takes all: best F1, macro-F1, schemes, relations and intervals agree."""
    mine, true = write([("abr", 0.9), ("cdr", 0.5), ("efr", 0.5)], "abr cdr")
    words = ("--threshold", 0.5, "--bootstrap", 50, "--format", "json")
    report = json.loads(call("score-facts", mine, "--facts", true, *words)[1])
    assert (report["threshold"], report["rank"]) == (0.5, 3)
    names = ("micro_f1", "macro_f1", "fixed_micro_f1")
    assert {*(report[name] for name in names), *report["schemes"].values()} == {0.8}
    assert report["per_relation"]["r"]["f1"] == 0.8 and report["intervals"]["micro_f1"]["high"] <= 1
    assert report["average_precision"] == 1.0 and "ties:order" in report["signature"]
    table = compare_fact_files(mine, mine, true, replicates=20).table.set_index("measure")
    assert table.loc["micro_f1", "score_first"] == 0.8


def test_f1_at_a_fixed_threshold_and_without_relations_that_have_no_facts(tmp_path) -> None:
    """OpenNRE's golden values at .5; then a ninth relation, which has no fact."""
    mine, true = golden_files(tmp_path)
    report = score_fact_file(mine, true, threshold=0.5, replicates=40)
    fixed = [report.scores[name] for name in ("fixed_threshold", "fixed_micro_f1", "fixed_macro_f1")]
    assert fixed == pytest.approx([0.5, 0.197917, 0.198208], abs=5e-7)
    for name in ("fixed_micro_f1", "fixed_macro_f1", "fixed_macro_f1_supported", "macro_f1_supported"):
        assert report.intervals[name]["low"] < report.scores[name]
    assert report.to_latex().count(r"\begin{tabular}") == 2 and "P@300" in report.intervals
    assert score_fact_file(mine, true, threshold=9).scores["fixed_micro_f1"] == 0
    rows = pd.read_csv(mine)
    pd.concat([rows, rows[rows["relation"] == "r8"].assign(relation="r9", score=-1.0)]).to_csv(mine)
    report = score_fact_file(mine, true, threshold=0.5, recall=0.25)  # the cut does not matter
    fixed = {name: report.scores[f"fixed_{name}"] for name in ("micro_f1", "macro_f1", "macro_f1_supported")}
    expected = {"micro_f1": 0.197917, "macro_f1": 0.198208 * 8 / 9, "macro_f1_supported": 0.198208}
    assert fixed == pytest.approx(expected, abs=5e-7)
    assert report.scores["macro_f1_supported"] == pytest.approx(report.scores["macro_f1"] * 9 / 8)
    assert "fixed_threshold" in {row["name"] for row in report.rows()}
    assert all(said in report.to_text() for said in ("· best F1 at rank ", "score ≥ 0.5"))
    (whole,) = read_fact_lists([mine], true)
    curve = curve_file(tmp_path / "curve.csv", whole.ranking, score=whole.ranking.scores)
    scores = score_fact_file(curve, threshold=0.5).scores
    assert scores["fixed_micro_f1"] == pytest.approx(0.197917, abs=5e-7) and scores["fixed_macro_f1"] is None
    assert score_fact_file(curve, threshold=9).scores["fixed_micro_f1"] == 0
    with pytest.raises(ValueError, match="bare.csv: the list has no scores, so nothing can be cut at 0.5"):
        score_fact_file(curve_file(tmp_path / "bare.csv", whole.ranking), threshold=0.5)


def test_what_is_odd_is_said_and_counted_as_documented(write, caplog) -> None:
    scored = [("abr", 0.9), ("abs", 0.1), ("cdr", 0.5), ("abr", 0.3), ("abNA", 0.99)]
    mine, true = write(scored, "abr abr efr cdq cdNA")
    report = score_fact_file(mine, true, negative="NA")
    assert (report.n_predictions, report.n_facts) == (3, 3)
    assert report.per_relation["q"]["facts"] == 1 and report.per_relation["r"]["predicted"] == 1
    for said in (
        f"{mine}: 1 of the facts are scored more than once, the first in line 5; the higher score counts",
        f"{true}: 1 of the facts are listed again, the first in line 3",
        f"{mine}: true facts of pairs that it does not score: 1 of 1 pairs; they count as not found",
        f"{mine}: 1 of 4 combinations of a pair and a relation are not scored; they come after all others",
    ):
        assert said in caplog.text


def test_the_negative_class_is_known_by_its_name(write, caplog) -> None:
    mine, true = write([("abr", 0.3), ("abNo_Relation", 0.9)], "abr")
    report = score_fact_file(mine, true)
    assert (report.n_predictions, report.scores["micro_f1"], report.scores["macro_f1"]) == (1, 1.0, 1.0)
    said = "1 rows of 'No_Relation' are left out, the first in line 3: the negative class by its name"
    assert said in caplog.text and "negative:No_Relation" in report.signature
    assert score_fact_file(mine, true, negative="").n_predictions == 2
    table = compare_fact_files(mine, mine, true, replicates=5).table
    assert table["score_first"].iloc[2] == 1 and "negative:No_Relation" in table["signature"][0]
    with pytest.raises(ValueError, match="mine.csv: which label is the negative class?"):
        score_fact_file(*write([("abNA", 0.3), ("abNo_Relation", 0.9)], "abr"))
    with pytest.raises(ValueError, match="mine.csv: every row is of 'NA': there are no facts"):
        score_fact_file(*write([("abNA", 0.3)], "abr"))
    with pytest.raises(ValueError, match="facts.csv: there are no true facts"):
        score_fact_file(*write([("abr", 0.3)], ""))


def test_a_published_curve_is_the_list_that_it_was_made_of(tmp_path) -> None:
    mine, true = golden_files(tmp_path)
    (whole,) = read_fact_lists([mine], true)
    curve = curve_file(tmp_path / "curve.csv", whole.ranking, score=whole.ranking.scores)
    report, expected = score_fact_file(curve), score_fact_file(mine, true)
    assert report.scores == pytest.approx(expected.scores | {"macro_f1": None, "macro_f1_supported": None})
    assert report.precision_at == expected.precision_at and report.n_facts == 28
    assert report.per_relation == {} and report.schemes == {}
    cut = score_fact_file(curve, recall=0.25)
    assert cut.scores["auc"] == pytest.approx(score_fact_file(mine, true, recall=0.25).scores["auc"])
    assert cut.recall == 0.25 and "recall:0.25" in cut.signature
    assert cut.precision == pytest.approx(7 / cut.n_predictions)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("precision,recall 1,0.1 0.4,0.2 1,0.3", "line 4: precision 1 .* no rank .10 is what the list's end"),
        ("precision,recall 1,0.1 0,0.1 0.666667,0.2", "line 3: precision 0 and recall 0.1 of 10"),
        ("precision,recall 1.5,0.5", "precision is up to 1.5: fractions are needed, not per cent"),
        ("precision,recall 0,0 0,0", "no fact of the list is true"),
        ("precision,recall", "there are no facts, only the columns precision, recall"),
        ("head,tail,score a,b,0.1", "column 'relation' does not exist"),
        ("head,tail,relation,score a,b,r,0.1", "which of these facts are true"),
        ("precision,recall 1,nan", "bad.csv, line 2, column 'recall'"),
        # rising scores; a file that is turned round: the line is that of the file
        ("precision,recall,score 1,0.5,9 0.5,0.5,8 0.666667,1,8.1", "line 4: score 8.1 .* list falls$"),
        ("precision,recall,score 0.666667,1,7 0.9,0.5,8 1,0.5,9", "line 3: precision 0.9 and recall"),
    ],
)
def test_bad_lists_are_refused_with_their_line(tmp_path, rows, message) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(rows.replace(" ", "\n"))
    with pytest.raises(MalformedRecord if "line" in message else ValueError, match=message):
        score_fact_file(path)


@pytest.mark.parametrize("n_facts", [None, 30])
def test_a_list_of_falling_recall_is_turned_as_a_whole(tmp_path, n_facts) -> None:
    """scikit-learn's order, with the point that it puts at recall 0: the same report and threshold."""
    ranking = FactRanking.from_scores(np.arange(40, 0, -1), np.arange(40) % 3 == 1, facts=30)
    plain = curve_file(tmp_path / "plain.csv", ranking, score=ranking.scores)
    rows, turned = pd.read_csv(plain), tmp_path / "turned.csv"
    end = rows.iloc[:1].assign(precision=1.0, recall=0.0, score=99)
    pd.concat([rows[::-1], end]).to_csv(turned, index=False)
    one, two = (score_fact_file(path, n_facts=n_facts, replicates=20) for path in (plain, turned))
    assert one == two and one.n_facts == 30 and one.scores["threshold"] is not None


def test_scored_facts_are_compared_by_pairs(tmp_path, call, caplog) -> None:
    mine, true = golden_files(tmp_path)
    other, _ = golden_files(tmp_path, shift=0.3)
    table = compare_fact_files(mine, other, true, replicates=200).table
    assert table["paired"].all() and (table["p"] <= table["p_holm"]).all()
    both = [score_fact_file(path, true).scores["auc"] for path in (mine, other)]
    row = table.set_index("measure").loc["auc"]
    assert [row["score_first"], row["score_second"]] == pytest.approx(both)
    assert row["difference"] == pytest.approx(both[0] - both[1]) and row["low"] < row["high"]
    same = compare_fact_files(mine, mine, true, replicates=50).table
    assert (same["p"] == 1).all() and (same["difference"] == 0).all()
    code, out, _ = call("compare-facts", mine, other, "--facts", true, "--bootstrap", 50)
    assert code == 0 and "pairs are drawn for both" in out and caplog.messages == []


def test_replicates_are_cut_at_the_recall_not_at_a_rank(tmp_path, caplog) -> None:
    """The list goes on behind the cut; where it ends at it, half of the replicates do not reach it."""
    hits = np.random.default_rng(2).random(600) < np.linspace(0.9, 0.1, 600)
    whole = FactRanking.from_scores(np.arange(600, 0, -1), hits, facts=400)
    lists = {"whole": whole, "cut": whole.until(0.5)}
    paths = [curve_file(tmp_path / f"{name}.csv", ranking) for name, ranking in lists.items()]
    ends = [score_fact_file(path, recall=0.5, replicates=400) for path in paths]
    assert ends[0].scores == ends[1].scores and ends[0].precision_at == ends[1].precision_at
    assert "replicates end before recall 0.5 and are left out of the intervals" in caplog.text
    widths = [report.intervals["auc"]["high"] - report.intervals["auc"]["low"] for report in ends]
    row = compare_fact_files(*paths, recall=0.5, replicates=400).table.set_index("measure").loc["auc"]
    assert row["high_first"] - row["low_first"] == pytest.approx(widths[0])
    whole_end, cut_end = compare_fact_files(*paths, replicates=2).table.iloc[0][
        ["recall_first", "recall_second"]
    ]
    assert (whole_end, cut_end) == (whole.recall[-1], 0.5) and "--recall 0.5 cuts both" in caplog.text
    part = curve_file(tmp_path / "part.csv", FactRanking.from_curve([0.5, 0.6], [0.1, 0.3], 10))
    assert score_fact_file(part, n_facts=10, replicates=2).intervals == {}
    assert "known at some ranks only, so there are no intervals" in caplog.text
    sample, rng = whole.until(0.5).sample(), np.random.default_rng(1)
    fixed = bootstrap_intervals(sample, FactSample.scores, rng, 400)  # every replicate cut at one rank
    assert widths[0] < 0.8 * (fixed.high[0] - fixed.low[0])
