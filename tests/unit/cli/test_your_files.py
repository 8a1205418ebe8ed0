"""What people bring, typed as they would type it: their files, their policy, their pipeline."""

import io
import json
import re
from pathlib import Path

import pytest

from helpers.metrics import Outcome, average
from tests.support import latex_tables


@pytest.fixture
def report(call):
    """Run `score` with these words; gives its JSON."""

    def run(words: str, *more: str) -> dict:
        code, out, err = call("score", *words.split(), *more, "--format", "json")
        assert code == 0, err
        return json.loads(out)

    return run


GOLD = ["per:title", "no_relation", "per:age", "no_relation", "per:age"]
PREDICTED = ["per:title", "per:age", "per:age", "no_relation", "no_relation"]
MACRO = average(Outcome.from_columns(GOLD, PREDICTED), "macro", negative="no_relation")


def lines(labels) -> str:
    return "".join(f"{label}\n" for label in labels)


class TestFiles:
    def test_two_lists_of_labels(self, report, folder):
        Path("gold.txt").write_text(lines(GOLD))
        Path("pred.txt").write_text(lines(PREDICTED))
        found = report("pred.txt --gold gold.txt --negative no_relation")
        assert found["schemes"]["macro"]["f1"] == pytest.approx(MACRO)

    def test_tacred_json_and_predictions_in_another_order(self, report, folder):
        records = [{"id": f"e{n}", "relation": gold, "token": ["x"]} for n, gold in enumerate(GOLD)]
        Path("test.json").write_text(json.dumps(records))
        rows = [f"e{n},{label}" for n, label in enumerate(PREDICTED)]
        Path("mine.csv").write_text("id,pred\n" + lines(reversed(rows)))
        found = report("mine.csv --gold test.json --negative no_relation")
        assert found["schemes"]["macro"]["f1"] == pytest.approx(MACRO)

    def test_standard_input(self, report, monkeypatch):
        text = "gold,predicted\n" + lines(map(",".join, zip(GOLD, PREDICTED, strict=True)))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert report("- --negative no_relation")["schemes"]["macro"]["f1"] == pytest.approx(MACRO)

    def test_answer_files_of_semeval(self, report, call, folder):
        Path("key.txt").write_text("8001\tOther\n8002\tCause-Effect(e1,e2)\n8003\tEntity-Origin(e2,e1)\n")
        Path("answers.txt").write_text("8003\tEntity-Origin(e2,e1)\n8001\tOther\n")
        found = report("answers.txt --gold key.txt --task semeval2010")
        assert found["official"]["grouped"]["macro"] == pytest.approx(1 / 2)
        code, _, err = call("score", "answers.txt", "--gold", "key.txt", "--task", "semeval2010")
        assert code == 0 and "1 of the 3 ids of key.txt are missing, the first is '8002'" in err
        Path("answers.txt").write_text("8003\tEntity-Origin(e2,e1)\n9\tOther\n")
        code, _, err = call("score", "answers.txt", "--gold", "key.txt")
        assert code == 2 and "answers.txt, line 2, column 'id': id '9' is not in key.txt" in err
        Path("answers.txt").write_text("8001\tOther\n8003\tentity-origin(e2,e1)\n")
        code, _, err = call("score", "answers.txt", "--gold", "key.txt", "--task", "semeval2010")
        assert code == 2 and "answers.txt, line 2, column 'label': unknown label of semeval2010" in err
        assert err.strip().endswith("--normalise counts it as 'Entity-Origin(e2,e1)'")

    def test_integers_of_the_trainer_get_their_names(self, report, call, folder):
        names = ["no_relation", "per:title", "per:age"]
        rows = [
            f"{names.index(gold)},{names.index(label)}" for gold, label in zip(GOLD, PREDICTED, strict=True)
        ]
        Path("trainer.csv").write_text("labels,preds\n" + lines(rows))
        Path("config.json").write_text(json.dumps({"id2label": dict(enumerate(names)), "hidden_size": 4}))
        code, _, err = call("score", "trainer.csv", "--negative", "no_relation")
        assert code == 2 and "the labels are integers, such as 1: give their names, --id2label FILE" in err
        found = report("trainer.csv --id2label config.json --negative no_relation")
        assert found["labels"] == sorted(names) and found["schemes"]["macro"]["f1"] == pytest.approx(MACRO)

    def test_commas_in_labels_without_quotes(self, call, folder):
        Path("mine.csv").write_text("gold,predicted\nOther,Other\nCause-Effect(e1,e2),Cause-Effect(e2,e1)\n")
        code, _, err = call("score", "mine.csv")
        assert code == 2 and "mine.csv, line 3: 2 cells are expected, found 4" in err
        assert 'quote labels that contain commas: "Cause-Effect(e1,e2)"' in err

    def test_two_spellings_of_a_label(self, report, call, folder):
        Path("mine.csv").write_text("gold,predicted\nOther,other\nOther,Other\na,a\nA,a\na,b\n")
        _, _, err = call("score", "mine.csv", "--negative", "Other")
        assert "--normalise counts them as one" in err
        found = report("mine.csv --normalise --negative other")
        assert found["normalised"] == {
            "A": {"counted_as": "a", "cells": 1},
            "other": {"counted_as": "Other", "cells": 1},
        }
        assert (found["negative"], found["accuracy"]) == ("Other", 4 / 5)
        assert found["schemes"]["macro"]["signature"].endswith("|normalised:2")


class TestPolicy:
    @pytest.fixture(autouse=True)
    def mine(self, folder):
        Path("mine.csv").write_text(
            "gold,predicted\n" + lines(map(",".join, zip(GOLD, PREDICTED, strict=True)))
        )

    @pytest.mark.parametrize(
        ("words", "policy", "signed"),
        [
            ("--score mcc", {"score": "mcc"}, "mcc|scheme:macro|"),
            ("--score recall", {"score": "recall"}, "recall|scheme:macro|"),
            ("--score f2", {"score": "f2"}, "f2|scheme:macro|"),
            ("--beta 2", {"score": "f2"}, "f2|scheme:macro|"),
            ("--score jaccard", {"score": "jaccard"}, "jaccard|scheme:macro|"),
            ("--score accuracy", {"score": "accuracy"}, "accuracy|scheme:macro|"),
            ("--labels observed", {"labels": "observed"}, "|labels:observed|"),
            (
                "--labels per:age --labels per:title",
                {"labels": ["per:age", "per:title"]},
                "|labels:per:age+per:title|",
            ),
            ("--labels few.txt", {"labels": ["per:age"]}, "|labels:per:age|"),
            ("--zero-division 1", {"zero_division": 1}, "|zero_division:1|"),
            ("--zero-division nan", {"zero_division": float("nan")}, "|zero_division:nan|"),
            (
                "--labels listed --zero-support skip",
                {"labels": "listed", "zero_support": "skip"},
                "|zero_support:skip|",
            ),
        ],
    )
    def test_each_option_is_the_argument_of_that_name(self, call, report, words, policy, signed):
        Path("few.txt").write_text("per:age\n")
        expected = average(Outcome.from_columns(GOLD, PREDICTED), "macro", negative="no_relation", **policy)
        found = report(f"mine.csv --negative no_relation {words}")["schemes"]["macro"]
        assert found[policy.get("score", "f1")] == pytest.approx(expected) and signed in found["signature"]
        call_ = (
            "compare",
            "mine.csv",
            "mine.csv",
            "--negative",
            "no_relation",
            "--bootstrap",
            "5",
            *words.split(),
        )
        code, out, err = call(*call_, "--format", "json")
        row = next(one for one in json.loads(out) if one["scheme"] == "macro")
        assert row["score_second"] == pytest.approx(expected) and signed in row["signature"]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ("--beta 2 --score mcc", "--beta is for F_beta: leave out one of --beta 2 and --score mcc"),
            ("--beta 0", "--beta is 0: a finite positive number is needed"),
            ("--beta nan", "--beta is nan: a finite positive number is needed"),
            ("--score f0", "beta has to be a finite positive number"),
            ("--score mmc", "unknown class score 'mmc'"),
            ("--zero-division 2", "'2' is not one of '0', '1', 'nan'"),
            ("--labels per:agee", "'per:agee', which is not in labels (3 labels); did you mean 'per:age'?"),
            ("--labels no.txt", "no.txt: No such file or directory"),
            ("--fail-under dodrans", "'dodrans' is no name and fraction, such as dodrans=0.67"),
            ("--fail-under dodrans=67", "no name and fraction, such as dodrans=0.67 (not 67)"),
            ("--fail-under PIR=0.2", "of PIR small is good"),
            ("--fail-under dodran=0.2", "unknown score of this report 'dodran'; did you mean 'dodrans'?"),
            ("--score-only PPR", "unknown score of this report 'PPR'"),
            ("--output .", "File '.' is a directory"),
        ],
    )
    def test_what_is_refused(self, call, folder, words, message):
        before = sorted(path.name for path in folder.iterdir())
        code, out, err = call("score", "mine.csv", *words.split())
        assert (code, out) == (2, "") and message in err and err.count("error: ") == 1
        assert sorted(path.name for path in folder.iterdir()) == before

    def test_the_number_alone(self, call):
        words = ("score", "mine.csv", "--negative", "no_relation", "--score-only")
        assert float(call(*words, "macro")[1]) == MACRO
        assert call(*words, "accuracy") == (0, "0.6\n", "")
        half = average(Outcome.from_columns(GOLD, PREDICTED), "n^0.5", negative="no_relation")
        assert float(call(*words, "n^0.5")[1]) == half

    def test_a_check_in_continuous_integration(self, call):
        words = ("score", "mine.csv", "--negative", "no_relation")
        code, out, err = call(*words, "--fail-under", "macro=0.9", "--fail-under", "accuracy=0.5")
        assert code == 1 and err == f"error: mine.csv: macro is {MACRO:.6g}, under 0.9\n"
        assert out == call(*words)[1]
        assert call(*words, "--fail-under", f"macro={MACRO!r}")[0] == 0

    def test_the_result_goes_to_a_file_whole(self, call, folder):
        words = ("score", "mine.csv", "--negative", "no_relation", "--format", "csv")
        expected = call(*words)[1]
        assert call(*words, "--output", "new/out.csv") == (0, "", "")
        assert Path("new/out.csv").read_text() == expected
        assert [path.name for path in Path("new").iterdir()] == ["out.csv"]


class TestSeveralSystems:
    """Runs of several seeds, and one table for a paper."""

    @pytest.fixture(autouse=True)
    def runs(self, folder, rng):
        gold = rng.choice(["r", "s", "NA"], 120)
        for name, share in (("A", 0.9), ("B", 0.6)):
            for seed in range(1, 6):
                predicted = [
                    one if right else "NA" for one, right in zip(gold, rng.random(120) < share, strict=True)
                ]
                rows = map(",".join, zip(gold, predicted, strict=True))
                Path(f"{name}-seed{seed}.csv").write_text("gold,pred\n" + lines(rows))

    def test_five_seeds_in_one_command(self, call):
        words = ("compare", "--runs", "A=A-seed*.csv", "--runs", "B=B-seed*.csv", "--negative", "NA")
        code, out, err = call(*words, "--format", "json")
        rows = json.loads(out)
        assert (code, err, len(rows)) == (0, "", 10)
        macro = rows[-1]
        assert (macro["system"], macro["score"], macro["runs"], macro["against"]) == ("B", "macro", 5, "A")
        assert macro["difference"] > 0.1 and macro["p_holm"] < 0.01 and macro["d_low"] > 1.2
        table = call(*words)[1]
        assert table.startswith("A  5 runs\nB  5 runs\nn 120 · mean ± SD (ddof 1) over runs, per cent\n")
        assert "p_bh" in json.loads(call(*words, "--format", "json", "--correction", "bh")[1])[0]

    def test_a_table_of_systems_for_a_paper(self, call):

        words = (
            "compare",
            "A-seed1.csv",
            "A-seed2.csv",
            "B-seed1.csv",
            "--negative",
            "NA",
            "--bootstrap",
            "200",
        )
        code, _, err = call(*words, "--format", "latex")
        assert code == 2 and "--runs" in err  # two seeds of A
        Path("A-seed2.csv").rename("other.csv")
        words = (*words[:2], "other.csv", *words[3:], "--scheme", "macro", "--scheme", "micro")
        code, out, err = call(*words, "--format", "latex", "--output", "table.tex")
        assert (code, out, err) == (0, "", "")
        (table,) = latex_tables(Path("table.tex").read_text())
        assert table[0] == ["System", "Macro", "Micro"]
        assert [row[0] for row in table[1:]] == ["A-seed1", "other", "B-seed1"]
        number = r"\d+\.\d \[\d+\.\d, \d+\.\d\]"
        cells = [
            re.fullmatch(rf"(\\textbf\{{)?{number}(\}})?", cell) for row in table[1:] for cell in row[1:]
        ]
        assert all(cells)
        bold = [cell[1] is not None for cell in cells]
        assert any(bold[:4]) and bold[4:] == [False, False]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (
                "--runs A=A-seed1.csv B-seed1.csv",
                "B-seed1.csv stands beside --runs A=A-seed1.csv: quote the pattern",
            ),
            ("--runs A=nope*.csv", "A: no file matches 'nope*.csv'"),
            ("--runs A-seed1.csv", "is no name and pattern of files"),
            ("--runs A=A-seed1.csv --runs B=A-seed1.csv", "A-seed1.csv is given twice"),
            ("A-seed1.csv B-seed1.csv --paired-column q", "--paired-column and --inverse are for --runs"),
            ("A-seed1.csv B-seed1.csv --correction bonferroni", "'bonferroni' is not one of 'holm', 'bh'"),
        ],
    )
    def test_what_is_refused(self, call, words, message):
        code, out, err = call("compare", *words.split())
        assert (code, out) == (2, "") and message in err and err.count("error: ") == 1


class TestLabelDistribution:
    def test_statistics_and_a_figure_of_ones_own_file(self, call, folder):
        rows = map(",".join, zip(GOLD, PREDICTED, strict=True))
        Path("mine.csv").write_text("label,pred\n" + lines(rows))
        Path("gold.txt").write_text(lines(GOLD))
        counts = {label: GOLD.count(label) for label in sorted(set(GOLD))}
        Path("counts.csv").write_text("label,count\n" + lines(f"{label},{n}" for label, n in counts.items()))
        found = {}
        for name in ("mine.csv", "gold.txt", "counts.csv"):
            code, out, err = call("stats", name, "--format", "json", "--figure", f"{name}.png")
            assert (code, err) == (0, ""), err
            found[name] = json.loads(out)
            assert Path(f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert found["mine.csv"] == found["gold.txt"] == found["counts.csv"]
        assert (found["mine.csv"]["samples"], found["mine.csv"]["negative_share"]) == (5, 0.4)

    def test_what_is_drawn_is_what_was_counted(self):
        from helpers.reporting.figures import label_distribution_chart

        counts = {f"l{n:03}": 200 - n for n in range(70)} | {"NA": 900, "none here": 0, "$x_1$": 1}
        (axes,) = label_distribution_chart(counts, "NA", "a $ file").axes
        bars = [round(bar.get_width()) for bar in axes.patches]
        assert bars[0] == 900 and sum(bars) == sum(counts.values()) and len(bars) == 61
        assert axes.get_yticklabels()[60].get_text() == "12 further labels" and axes.get_xscale() == "log"
        grey = [bar.get_facecolor()[0] == bar.get_facecolor()[2] for bar in axes.patches]
        assert grey == [True] + [False] * 60
        with pytest.raises(ValueError, match="no sample to draw"):
            label_distribution_chart({"a": 0}, None, "x")
