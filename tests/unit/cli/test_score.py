"""`score`, `compare`, `stats`: people's files, policy and pipeline, typed as they would type it, by hand."""

import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import SCHEMES, Outcome, average
from tests.support import latex_tables

GOLD = ["per:title", "no_relation", "per:age", "no_relation", "per:age"]
PREDICTED = ["per:title", "per:age", "per:age", "no_relation", "no_relation"]
MACRO = average(Outcome.from_columns(GOLD, PREDICTED), "macro", negative="no_relation")
NEGATIVE = ("--negative", "no_relation")
DIRECTED = [
    "Cause-Effect(e1,e2)", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Entity-Origin(e1,e2)", "Other"
]  # fmt: skip
POOLED = ": 1 label is predicted and never gold ('C' 1×): these count as false positives under micro\n"


def write(name: str, **columns) -> None:
    pd.DataFrame(columns).to_csv(name, index=False)


def lines(labels) -> str:
    return "".join(f"{label}\n" for label in labels)


@pytest.fixture(autouse=True)
def files(folder) -> None:
    """mine.csv; the worked example as paper.csv, N being the negative class; and a case of direction."""
    write("mine.csv", gold=GOLD, predicted=PREDICTED)
    write("paper.csv", gold=list("AAABBNNNNN"), predicted=list("ABABNNNACN"))
    predicted = [*DIRECTED[:2], *[DIRECTED[3]] * 2, "Other"]
    paired = [DIRECTED[2], *[DIRECTED[0]] * 2, "Other", "Other"]
    write("directed.csv", gold=DIRECTED, predicted=predicted, paired=paired)


@pytest.fixture
def answer(call):
    """Run a command that has to succeed; gives its JSON, of a table the rows. It may say `POOLED` only."""

    def run(*words: object) -> dict:
        code, out, err = call(*words, "--format", "json")
        assert code == 0 and err in ("", f"note: {words[1]}{POOLED}"), err
        report = json.loads(out, parse_constant=pytest.fail)
        for entry in report if isinstance(report, list) else [report]:
            assert entry.pop("schema_version") == 1
        return report

    return run


class TestReport:
    def test_the_worked_example_and_its_intervals(self, answer):
        words = ("score", "paper.csv", "--negative", "N")
        report, drawn = answer(*words), answer(*words, "--bootstrap", 400)
        assert (report["n"], report["labels"], report["negative"]) == (10, ["A", "B", "C", "N"], "N")
        assert report["accuracy"] == 0.6 and not {"official", "direction"} & set(report)
        scores = {scheme: row["f1"] for scheme, row in report["schemes"].items()}
        expected = dict(zip(SCHEMES, (0.545455, 0.6, 0.595907, 0.588128, 0.583333), strict=True))
        assert scores == pytest.approx(expected, abs=5e-7)
        for scheme, row in report["schemes"].items():
            listed = "listed" if scheme == "micro" else "supported"
            assert row["signature"].startswith(f"f1|scheme:{scheme}|labels:{listed}|negative:N|")
            assert {"precision", "recall", "f1"} <= set(row) and not {"low", "high"} & set(row)
        assert report["per_class"]["A"]["f1"] == pytest.approx(2 / 3)
        assert report["per_class"]["A"]["support"] == 3
        assert all(0 <= row["low"] < row["f1"] < row["high"] <= 1 for row in drawn["schemes"].values())
        assert answer(*words, "--bootstrap", 400, "--seed", 2)["schemes"] != drawn["schemes"]

    def test_names_of_nothing_are_labels_and_no_undefined_number_leaves_as_nan(self, call):
        Path("odd.csv").write_text("gold,predicted\nNA,NA\nNone,null\nnull,nan\nNaN,NaN\n=1+1,=1+1\n")
        for raw, cell in (([], "class,'=1+1,"), (["--raw"], "class,=1+1,")):
            assert cell in call("score", "odd.csv", "--format", "csv", *raw)[1]
        report = json.loads(call("score", "odd.csv", "--format", "json")[1])
        assert (
            report["labels"] == ["=1+1", "NA", "NaN", "None", "nan", "null"] and report["accuracy"] == 3 / 5
        )
        Path("mine.tsv").write_text("gold\tpredicted\tq\nr(e1,e2)\tOther\tOther\nOther\tOther\tOther\n")
        words = ("--negative", "Other", "--paired-column", "q", "--bootstrap", 20, "--format", "json")
        out = call("score", "mine.tsv", *words)[1]
        assert not re.search("NaN|Infinity", out) and json.loads(out)["direction"]["pir"] is None


class TestTask:
    WORDS = ("score", "directed.csv", "--task", "semeval2010", "--paired-column", "paired")

    def test_official_scores_and_direction_by_hand(self, answer):
        report = answer(*self.WORDS)
        assert (len(report["labels"]), report["negative"]) == (19, "Other")
        assert list(report["official"]) == ["directed", "undirected", "grouped"]
        # Cause-Effect: 2 right of 2 answers and 3 gold, 4/5; Entity-Origin: 1 of 2 answers and 1 gold, 2/3
        grouped, macro = report["official"]["grouped"], (4 / 5 + 2 / 3) / 2
        assert grouped.pop("signature").startswith("f1|official:semeval2010|")
        assert grouped == pytest.approx({"micro": 6 / 8, "macro": macro, "accuracy": 4 / 5})
        # paired: Cause-Effect 2 right of 3 answers and 3 gold, Entity-Origin none of 0 and 1
        direction = report["direction"]
        assert direction["performance_original"] == grouped["macro"]
        values = [direction[name] for name in ("performance_paired", "pd", "pir", "ppr")]
        assert values == pytest.approx([(2 / 3 + 0) / 2, macro - 1 / 3, 1 / 3, 1 / 4])
        assert (direction["better_set"], direction["n"]) == ("A", 4)

    def test_inverse_from_a_file_leaves_out_labels_without_one(self, answer):
        Path("i.json").write_text('{"parents": "children"}')
        gold, paired = ["parents", "children", "spouse"], ["children", "children", "spouse"]
        write("family.csv", gold=gold, predicted=gold, q=paired)
        direction = answer("score", "family.csv", "--paired-column", "q", "--inverse", "i.json")["direction"]
        # set B: parents (the second) is not found, children once among two answers, spouse found
        assert direction["performance_paired"] == pytest.approx((0 + 2 / 3 + 1) / 3)
        assert [direction[name] for name in ("better_set", "pir", "ppr", "n")] == ["A", 0.5, 0.5, 2]

    def test_every_form_has_every_section(self, call):
        words = (*self.WORDS, "--bootstrap", 50)
        table, rows, report = (call(*words, "--format", form)[1] for form in ("table", "csv", "json"))
        assert re.search(r"^ +grouped +micro 75\.00 +macro 73\.33 +accuracy 80\.00", table, re.MULTILINE)
        assert re.search(r"pir 33\.33 +ppr 25\.00 +n 4", table)
        assert set(pd.read_csv(io.StringIO(rows))["kind"]) == {"scheme", "class", "official", "direction"}
        official, direction = (json.loads(report)[name] for name in ("official", "direction"))
        assert official["grouped"]["macro_low"] <= official["grouped"]["macro_high"]
        assert {"performance_original", "pd", "pir", "ppr"} < set(direction["intervals"])


class TestFiles:
    def test_two_files_and_standard_input(self, answer, monkeypatch):
        Path("gold.txt").write_text(lines(GOLD))
        Path("pred.txt").write_text(lines(PREDICTED))
        records = [{"id": f"e{n}", "relation": gold, "token": ["x"]} for n, gold in enumerate(GOLD)]
        Path("test.json").write_text(json.dumps(records))
        write("turned.csv", id=[f"e{n}" for n in range(4, -1, -1)], pred=PREDICTED[::-1])
        text = "gold,predicted\n" + lines(map(",".join, zip(GOLD, PREDICTED, strict=True)))
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        for words in (["pred.txt", "--gold", "gold.txt"], ["turned.csv", "--gold", "test.json"], ["-"]):
            assert answer("score", *words, *NEGATIVE)["schemes"]["macro"]["f1"] == pytest.approx(MACRO)

    def test_answer_files_of_semeval(self, call):
        words = ("score", "answers.txt", "--gold", "key.txt", "--task", "semeval2010")
        Path("key.txt").write_text("8001\tOther\n8002\tCause-Effect(e1,e2)\n8003\tEntity-Origin(e2,e1)\n")
        Path("answers.txt").write_text("8003\tEntity-Origin(e2,e1)\n8001\tOther\n")
        code, out, err = call(*words, "--score-only", "official")
        assert code == 0 and float(out) == pytest.approx(1 / 2)
        assert "1 of the 3 ids of key.txt are missing, the first is '8002'" in err
        Path("answers.txt").write_text("8003\tEntity-Origin(e2,e1)\n9\tOther\n")
        code, _, err = call(*words)
        assert code == 2 and "answers.txt, line 2, column 'id': id '9' is not in key.txt" in err

    def test_integers_of_the_trainer_get_their_names(self, answer, call):
        names = ["no_relation", "per:title", "per:age"]
        write("trainer.csv", labels=map(names.index, GOLD), preds=map(names.index, PREDICTED))
        Path("config.json").write_text(json.dumps({"id2label": dict(enumerate(names)), "hidden_size": 4}))
        code, _, err = call("score", "trainer.csv", *NEGATIVE)
        assert code == 2 and "trainer.csv: negative is 'no_relation', which is not in labels" in err
        report = answer("score", "trainer.csv", "--id2label", "config.json", *NEGATIVE)
        assert report["labels"] == sorted(names) and report["schemes"]["macro"]["f1"] == pytest.approx(MACRO)


class TestPolicy:
    @pytest.mark.parametrize(
        ("words", "policy", "signed"),
        [
            ("--score mcc", {"score": "mcc"}, "mcc|scheme:macro|"),
            ("--beta 2", {"score": "f2"}, "f2|scheme:macro|"),
            (
                "--labels per:age --labels per:title",
                {"labels": ["per:age", "per:title"]},
                ":per:age+per:title|",
            ),
            ("--labels few.txt", {"labels": ["per:age"]}, "|labels:per:age|"),
            ("--zero-division nan", {"zero_division": float("nan")}, "|zero_division:nan|"),
        ],
    )
    def test_each_option_is_the_argument_of_that_name(self, answer, words, policy, signed):
        Path("few.txt").write_text("per:age\n")
        expected = average(Outcome.from_columns(GOLD, PREDICTED), "macro", negative="no_relation", **policy)
        row = answer("score", "mine.csv", *NEGATIVE, *words.split())["schemes"]["macro"]
        assert row[policy.get("score", "f1")] == pytest.approx(expected) and signed in row["signature"]
        two = ("mine.csv", "mine.csv", "--scheme", "macro", "--bootstrap", 5)
        (row,) = answer("compare", *two, *NEGATIVE, *words.split())
        assert row["score_second"] == pytest.approx(expected) and signed in row["signature"]

    def test_the_number_alone_a_check_and_a_file_whole(self, call):
        words = ("score", "mine.csv", *NEGATIVE)
        half = average(Outcome.from_columns(GOLD, PREDICTED), "n^0.5", negative="no_relation")
        for name, value in {"macro": MACRO, "accuracy": 0.6, "n^0.5": half}.items():
            assert call(*words, "--score-only", name) == (0, f"{value!r}\n", "")
        code, out, err = call(*words, "--fail-under", "macro=0.9", "--fail-under", "accuracy=0.5")
        assert code == 1 and err == f"error: mine.csv: macro is {MACRO:.6g}, under 0.9\n"
        assert out == call(*words)[1]
        assert call(*words, "--fail-under", f"macro={MACRO!r}")[0] == 0
        assert call(*words, "--output", "new/out.csv") == (0, "", "")
        assert Path("new/out.csv").read_text() == out and [*Path("new").iterdir()] == [Path("new/out.csv")]


class TestCompare:
    @pytest.fixture
    def runs(self, rng):
        gold = rng.choice(["r", "s", "NA"], 120)
        for name, share in (("A", 0.9), ("B", 0.6)):
            for seed in range(1, 6):
                predicted = np.where(rng.random(120) < share, gold, "NA")
                write(f"{name}-seed{seed}.csv", gold=gold, pred=predicted)

    def test_five_seeds_in_one_command(self, call, answer, runs):
        words = ("compare", "--runs", "A=A-seed*.csv", "--runs", "B=B-seed*.csv", "--negative", "NA")
        *others, macro = answer(*words)
        assert len(others) == 9 and macro["difference"] > 0.1 and macro["p_holm"] < 0.01
        assert [macro[key] for key in ("system", "score", "runs", "against")] == ["B", "macro", 5, "A"]
        head = "A  5 runs\nB  5 runs\nn 120 · mean ± SD (ddof 1) over runs, per cent\n"
        assert call(*words)[1].startswith(head)
        assert "p_bh" in answer(*words, "--correction", "bh")[0]

    def test_a_table_of_systems_for_a_paper(self, call, runs):
        words = ("A-seed1.csv", "B-seed1.csv", "--negative", "NA", "--bootstrap", 200, "--format", "latex")
        assert "compare --runs" in call("compare", "A-seed2.csv", *words)[2]  # two seeds of A
        Path("A-seed2.csv").rename("other.csv")
        more = ("--scheme", "macro", "--scheme", "micro", "--output", "table.tex")
        assert call("compare", "other.csv", *words, *more) == (0, "", "")
        (table,) = latex_tables(Path("table.tex").read_text())
        assert table[0][1:] == ["Macro", "Micro"]
        assert [row[0] for row in table] == ["System", "other", "A-seed1", "B-seed1"]
        cell = r"(\\textbf\{)?\d+\.\d \[\d+\.\d, \d+\.\d\](\})?"
        bold = [re.fullmatch(cell, text)[1] is not None for row in table[1:] for text in row[1:]]
        assert any(bold[:4]) and bold[4:] == [False, False]


class TestStats:
    def test_statistics_and_a_figure_of_ones_own_file(self, answer):
        Path("gold.txt").write_text(lines(GOLD))
        counts = {label: GOLD.count(label) for label in sorted(set(GOLD))}
        write("counts.csv", label=counts.keys(), count=counts.values())
        names = ("mine.csv", "gold.txt", "counts.csv")
        first, *others = (answer("stats", name, "--figure", f"{name}.png") for name in names)
        assert others == [first, first] and (first["samples"], first["negative_share"]) == (5, 0.4)
        assert all(Path(f"{name}.png").read_bytes().startswith(b"\x89PNG") for name in names)
        assert answer("stats", "mine.csv", "--negative", "")["negative_share"] == 0

    def test_what_is_drawn_is_what_was_counted(self):
        from helpers.charts import label_distribution_chart

        counts = {f"l{n:03}": 200 - n for n in range(70)} | {"NA": 900, "none here": 0, "$x_1$": 1}
        (axes,) = label_distribution_chart(counts, "NA", "a $ file").axes
        bars = [round(bar.get_width()) for bar in axes.patches]
        assert bars[0] == 900 and sum(bars) == sum(counts.values()) and len(bars) == 61
        assert axes.get_yticklabels()[60].get_text() == "12 further labels" and axes.get_xscale() == "log"
        grey = [bar.get_facecolor()[0] == bar.get_facecolor()[2] for bar in axes.patches]
        assert grey == [True] + [False] * 60
        with pytest.raises(ValueError, match="no sample to draw"):
            label_distribution_chart({"a": 0}, None, "x")
