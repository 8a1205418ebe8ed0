"""Ranked lists from files: OpenNRE's golden values, what is counted how, and two lists compared."""

import json
import logging

import numpy as np
import pandas as pd
import pytest

from helpers.cli import main
from helpers.core import MalformedRecord
from helpers.evaluation import compare_fact_files, read_fact_lists, score_fact_file
from helpers.metrics import FactRanking, FactSample, bootstrap_intervals
from tests.support import FACT_RELATIONS, golden_facts

FACTS = ["head", "tail", "relation"]


def golden_files(folder, ending="csv", shift=0.0):
    """Scored facts and true ones of the golden case, the pairs in their order."""
    scores, gold = golden_facts()
    rows = [
        (f"h{i}", f"t{i}", FACT_RELATIONS[r], scores[i, r] + shift * (i % 5))
        for i in range(40)
        for r in range(1, 9)
    ]
    mine, true = folder / f"mine{shift:g}.{ending}", folder / f"facts.{ending}"
    write(mine, pd.DataFrame(rows, columns=[*FACTS, "score"]))
    named = [(f"h{i}", f"t{i}", FACT_RELATIONS[r]) for i, r in np.argwhere(gold)]
    write(true, pd.DataFrame(named, columns=FACTS))
    return mine, true


def write(path, frame) -> None:
    match path.suffix:
        case ".csv":
            frame.to_csv(path, index=False)
        case ".jsonl":
            frame.to_json(path, orient="records", lines=True, double_precision=15)
        case ".parquet":
            frame.to_parquet(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_golden_values(tmp_path, ending) -> None:
    report = score_fact_file(*golden_files(tmp_path, ending)).to_dict()
    expected = {"auc": 0.297982, "auc_anchored": 0.333697, "average_precision": 0.337561}
    expected |= {"micro_f1": 0.352941, "macro_f1": 0.283333}
    assert {name: report[name] for name in expected} == pytest.approx(expected, abs=5e-7)
    assert report["precision_at"] == pytest.approx({"100": 0.15, "200": 0.12, "300": 0.093333}, abs=5e-7)
    single = {name: round(row["f1"], 4) for name, row in report["per_relation"].items() if row["f1"]}
    assert single == {"r2": 0.8, "r3": 0.4, "r4": 0.6667, "r5": 0.4}
    assert (report["n_predictions"], report["n_facts"], report["recall"]) == (320, 28, 1.0)
    assert report["schemes"]["macro"] == report["macro_f1"]
    assert report["schemes"]["micro"] == pytest.approx(report["micro_f1"])


def test_one_report_is_one_cut(tmp_path, capsys) -> None:
    """Of equal scores a threshold takes all: best F1, macro-F1, schemes, relations and intervals agree."""
    mine, true = tmp_path / "mine.csv", tmp_path / "facts.csv"
    mine.write_text("head,tail,relation,score\na,b,r,0.9\nc,d,r,0.5\ne,f,r,0.5\n")
    true.write_text("head,tail,relation\na,b,r\nc,d,r\n")
    command = ["score-facts", str(mine), "--facts", str(true), "--format", "json"]
    assert main([*command, "--threshold", "0.5", "--bootstrap", "50"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["threshold"], report["rank"]) == (0.5, 3)
    names = ("micro_f1", "macro_f1", "fixed_micro_f1")
    assert {*(report[name] for name in names), *report["schemes"].values()} == {0.8}
    assert report["per_relation"]["r"]["f1"] == 0.8 and report["intervals"]["micro_f1"]["high"] <= 1
    assert report["average_precision"] == 1.0 and "ties:order" in report["signature"]
    table = compare_fact_files(mine, mine, true, replicates=20).set_index("measure")
    assert table.loc["micro_f1", "score_first"] == 0.8


def test_macro_f1_without_relations_that_have_no_facts_and_f1_at_a_fixed_threshold(tmp_path, capsys) -> None:
    """OpenNRE's golden values at .5; then a ninth relation, which has no fact."""
    mine, true = golden_files(tmp_path)
    words = ["score-facts", str(mine), "--facts", str(true), "--threshold", "0.5", "--format", "json"]
    assert main([*words, "--bootstrap", "40"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["fixed_threshold"] == 0.5
    fixed = [found["fixed_micro_f1"], found["fixed_macro_f1"]]
    assert fixed == pytest.approx([0.197917, 0.198208], abs=5e-7)
    names = ("fixed_micro_f1", "fixed_macro_f1", "fixed_macro_f1_supported", "macro_f1_supported")
    assert all(found["intervals"][name]["low"] < found[name] for name in names)
    rows = pd.read_csv(mine)
    pd.concat([rows, rows[rows["relation"] == "r8"].assign(relation="r9", score=-1.0)]).to_csv(mine)
    one = score_fact_file(mine, true, threshold=0.5, recall=0.25)
    assert one.scores["fixed_macro_f1"] == pytest.approx(0.198208 * 8 / 9, abs=5e-7)
    assert one.scores["fixed_macro_f1_supported"] == pytest.approx(0.198208, abs=5e-7)
    assert one.scores["fixed_micro_f1"] == pytest.approx(0.197917, abs=5e-7)  # the cut does not matter
    assert one.scores["macro_f1_supported"] == pytest.approx(one.scores["macro_f1"] * 9 / 8)
    assert "score ≥ 0.5" in one.to_text() and {"fixed_threshold"} <= {row["name"] for row in one.rows()}
    (whole,) = read_fact_lists([mine], true)
    curve = curve_file(tmp_path / "curve.csv", whole.ranking, score=whole.ranking.scores)
    scores = score_fact_file(curve, threshold=0.5).scores
    assert scores["fixed_micro_f1"] == pytest.approx(0.197917, abs=5e-7) and scores["fixed_macro_f1"] is None
    bare = curve_file(tmp_path / "bare.csv", whole.ranking)
    with pytest.raises(ValueError, match="bare.csv: the list has no scores, so nothing can be cut at 0.5"):
        score_fact_file(bare, threshold=0.5)


def test_what_is_odd_is_said_and_counted_as_documented(tmp_path, caplog) -> None:
    mine, true = tmp_path / "mine.csv", tmp_path / "facts.csv"
    mine.write_text("head,tail,relation,score\na,b,r,0.9\na,b,s,0.1\nc,d,r,0.5\na,b,r,0.3\na,b,NA,0.99\n")
    true.write_text("head,tail,relation\na,b,r\na,b,r\ne,f,r\nc,d,q\nc,d,NA\n")
    with caplog.at_level(logging.INFO):
        report = score_fact_file(mine, true, negative="NA")
    assert (report.n_predictions, report.n_facts) == (3, 3)
    assert report.per_relation["q"]["facts"] == 1 and report.per_relation["r"]["predicted"] == 1
    said = caplog.text
    assert "1 of the facts are scored more than once, the first in line 5; the higher score counts" in said
    assert "facts.csv: 1 of the facts are listed again, the first in line 3" in said
    lost = "true facts of pairs that it does not score: 1 of 1 pairs, the first is 'e', 'f' in "
    assert f"{lost}{true}, line 4; they count as not found" in said
    never = "1 relations of true facts are never scored, the first is 'q' in "
    assert f"{never}{true}, line 5; their facts count as not found" in said
    without = "1 of the scored relations have no true fact, the first is 's' in "
    assert f"{without}{mine}, line 3; macro-F1 counts them as 0" in said
    scored = "1 of 4 combinations of a pair and a relation are not scored, the first is 's' of 'c', 'd'"
    assert f"{scored}, a pair of line 4; they come after all others" in said
    assert "1 rows of 'NA' are left out" in said
    levels = {one.levelname for one in caplog.records if "rows of" not in one.message}
    assert levels == {"WARNING"}  # which the commands show


def test_the_negative_class_is_known_by_its_name(tmp_path, caplog, capsys) -> None:
    mine, true = tmp_path / "mine.csv", tmp_path / "facts.csv"
    mine.write_text("head,tail,relation,score\na,b,r,0.3\na,b,No_Relation,0.9\n")
    true.write_text("head,tail,relation\na,b,r\n")
    report = score_fact_file(mine, true)
    assert (report.n_predictions, report.scores["micro_f1"]) == (1, 1.0)
    told = "1 rows of 'No_Relation' are left out, the first in line 3: the negative class by its name"
    assert told in caplog.text and "negative:No_Relation" in report.signature
    assert score_fact_file(mine, true, negative="").n_predictions == 2
    assert main(["score-facts", str(mine), "--facts", str(true), "--negative", ""]) == 0
    assert "2 predictions" in capsys.readouterr().out
    table = compare_fact_files(mine, mine, true, replicates=5)
    assert table["score_first"].iloc[2] == 1 and "negative:No_Relation" in table["signature"][0]
    mine.write_text("head,tail,relation,score\na,b,NA,0.3\na,b,No_Relation,0.9\n")
    with pytest.raises(ValueError, match="mine.csv: which label is the negative class?"):
        score_fact_file(mine, true)
    mine.write_text("head,tail,relation,score\na,b,NA,0.3\n")
    with pytest.raises(ValueError, match="mine.csv: every row is of 'NA': there are no facts"):
        score_fact_file(mine, true)


def curve_file(path, ranking: FactRanking, **columns):
    columns = {"precision": ranking.precision.round(6), "recall": ranking.recall.round(6)} | columns
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def test_a_published_curve_is_the_list_that_it_was_made_of(tmp_path) -> None:
    mine, true = golden_files(tmp_path)
    (whole,) = read_fact_lists([mine], true)
    curve = curve_file(tmp_path / "curve.csv", whole.ranking, score=whole.ranking.scores)
    report, expected = score_fact_file(curve), score_fact_file(mine, true)
    left_out = {"macro_f1": None, "macro_f1_supported": None}
    assert report.scores == pytest.approx(expected.scores | left_out)
    assert report.precision_at == expected.precision_at and report.n_facts == 28
    assert report.per_relation == {} and report.schemes == {}
    cut = score_fact_file(curve, recall=0.25)
    assert cut.scores["auc"] == pytest.approx(score_fact_file(mine, true, recall=0.25).scores["auc"])
    assert cut.recall == 0.25 and "recall:0.25" in cut.signature
    assert cut.precision == pytest.approx(7 / cut.n_predictions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "precision,recall\n1.0,0.1\n0.4,0.2\n1.0,0.3\n",
            r"bad.csv, line 4: precision 1 and recall 0.3 of 10 facts",
        ),
        ("precision,recall\n33.3,2.5\n", "precision is up to 33.3: fractions are needed, not per cent"),
        ("precision,recall\n0,0\n0,0\n", "no fact of the list is true"),
        ("precision,recall,head\n1,0.1,a\n", "facts are named by head, tail, relation; it has head only"),
        ("precision,recall\n", "there are no facts, only the columns precision, recall"),
        ("head,tail,score\na,b,0.1\n", "column 'relation' does not exist"),
        ("head,tail,relation,score\na,b,r,0.1\n", "which of these facts are true"),
        ("precision,recall\n1.0,x\n", "bad.csv, line 2, column 'recall'"),
        ("precision,recall\n1.0,nan\n", "bad.csv, line 2, column 'recall'"),
    ],
)
def test_bad_lists_are_refused(tmp_path, text, message) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        score_fact_file(path)


NAMED = "precision,recall,score,head,tail,relation\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1,0.5,0.9,a,b,r\n0.5,0.5,0.8,c,d,r\n0.666667,1,0.7,a,b,r\n",
            "line 4: the fact 'a', 'b', 'r' is in line 2 already: precision and recall count it twice",
        ),
        (
            "0.666667,1,0.7,a,b,r\n0.5,0.5,0.8,c,d,r\n1,0.5,0.9,a,b,r\n1,0,1,x,y,r\n",
            "line 2: the fact 'a', 'b', 'r' is in line 4 already",
        ),
        (
            "1,0.5,0.9,a,b,r\n0.5,0.5,0.8,c,d,r\n0.666667,1,0.81,e,f,r\n",
            "line 4: score 0.81 is above 0.8, that of the rank before; a ranked list falls$",
        ),
        ("0.666667,1,0.7,a,b,r\n0.9,0.5,0.8,c,d,r\n1,0.5,0.9,e,f,r\n", "line 3: precision 0.9 and recall"),
    ],
)
def test_published_lists_that_contradict_themselves(tmp_path, text, message) -> None:
    """A fact twice, also in a file that is turned round; rising scores; lines are those of the file."""
    path = tmp_path / "bad.csv"
    path.write_text(NAMED + text)
    with pytest.raises(MalformedRecord, match=message):
        score_fact_file(path)


@pytest.mark.parametrize("n_facts", [None, 30])
def test_a_list_of_falling_recall_is_turned_as_a_whole(tmp_path, n_facts) -> None:
    """scikit-learn's order, with the point that it puts at recall 0: the same report, threshold and pairs."""
    hits = np.arange(40) % 3 == 1
    ranking = FactRanking.from_scores(np.arange(40, 0, -1), hits, facts=30)
    names = {"head": [f"h{n // 2}" for n in range(40)], "tail": "t", "relation": ["r", "s"] * 20}
    plain = curve_file(tmp_path / "plain.csv", ranking, score=ranking.scores, **names)
    rows = pd.read_csv(plain)
    end = rows.iloc[:1].assign(precision=1.0, recall=0.0, score=99)
    turned = tmp_path / "turned.csv"
    pd.concat([rows[::-1], end]).to_csv(turned, index=False)
    one, two = (score_fact_file(path, n_facts=n_facts, replicates=20) for path in (plain, turned))
    assert one == two and one.n_facts == 30 and one.scores["threshold"] is not None
    lists = [read_fact_lists([path], n_facts=n_facts)[0] for path in (plain, turned)]
    assert lists[0].pairs.tolist() == lists[1].pairs.tolist()


class TestComparison:
    def test_scored_facts_are_paired(self, tmp_path, capsys) -> None:
        mine, true = golden_files(tmp_path)
        other, _ = golden_files(tmp_path, shift=0.3)
        table = compare_fact_files(mine, other, true, replicates=200)
        assert table["paired"].all() and (table["p"] <= table["p_holm"]).all()
        both = [score_fact_file(path, true).scores["auc"] for path in (mine, other)]
        row = table.set_index("measure").loc["auc"]
        assert [row["score_first"], row["score_second"]] == pytest.approx(both)
        assert row["difference"] == pytest.approx(both[0] - both[1]) and row["low"] < row["high"]
        same = compare_fact_files(mine, mine, true, replicates=50)
        assert (same["p"] == 1).all() and (same["difference"] == 0).all()
        words = ["compare-facts", str(mine), str(other), "--facts", str(true), "--bootstrap", "50"]
        for form in ("table", "json", "csv"):
            assert main([*words, "--format", form]) == 0
        assert "pairs are drawn for both" in capsys.readouterr().out

    def test_replicates_are_cut_at_the_recall_not_at_a_rank(self, tmp_path, caplog) -> None:
        """The list goes on behind the cut; where it ends at it, half of the replicates do not reach it."""
        hits = np.random.default_rng(2).random(600) < np.linspace(0.9, 0.1, 600)
        whole = FactRanking.from_scores(np.arange(600, 0, -1), hits, facts=400)
        paths = [curve_file(tmp_path / f"{n}.csv", one) for n, one in enumerate((whole, whole.until(0.5)))]
        ends = [score_fact_file(path, recall=0.5, replicates=400) for path in paths]
        assert ends[0].scores == ends[1].scores and ends[0].precision_at == ends[1].precision_at
        assert "replicates end before recall 0.5 and are left out of the intervals" in caplog.text
        widths = [one.intervals["auc"]["high"] - one.intervals["auc"]["low"] for one in ends]
        table = compare_fact_files(*paths, recall=0.5, replicates=400).set_index("measure").loc["auc"]
        assert table["high_first"] - table["low_first"] == pytest.approx(widths[0])
        fixed = bootstrap_intervals(
            FactSample.of(whole.until(0.5)), FactSample.scores, np.random.default_rng(1), 400
        )  # as it was: every replicate cut at one rank
        assert widths[0] < 0.8 * (fixed.high[0] - fixed.low[0])
