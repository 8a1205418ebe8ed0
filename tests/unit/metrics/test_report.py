"""A report in its six forms: attributes, dict, rows, DataFrame, CSV, text and LaTeX."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import Outcome
from helpers.metrics.averaging import Policy, evaluate
from helpers.metrics.weighting import SCHEMES


@pytest.fixture
def report():
    table = Outcome.from_columns(["a_1", "a_1", "b&c", "NA"], ["a_1", "b&c", "a_1", "d%"])
    return evaluate(table, negative="NA")


def test_the_dict_has_the_promised_keys_and_goes_into_json(report):
    read = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert {"n", "labels", "negative", "accuracy", "schemes", "per_class", "signature"} <= set(read)
    assert list(read["schemes"]) == list(SCHEMES)
    for scheme, row in read["schemes"].items():
        assert {"precision", "recall", "f1", "signature"} <= set(row)
        assert f"scheme:{scheme}|" in row["signature"]
    assert (read["n"], read["negative"], read["labels"]) == (4, "NA", ["NA", "a_1", "b&c", "d%"])
    assert read["per_class"]["a_1"]["support"] == 2
    assert read["ignored"] == ["d%"]


def test_undefined_is_null_in_json_and_empty_in_csv():
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    undefined = evaluate(table, zero_division=float("nan"))
    assert json.loads(json.dumps(undefined.to_dict(), allow_nan=False))["per_class"]["b"]["precision"] is None
    rows = list(csv.DictReader(io.StringIO(undefined.to_csv())))
    assert next(row for row in rows if row["name"] == "b")["precision"] == ""


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda values: list(np.array(values))])
@pytest.mark.parametrize("values", [[0, 1, 1], [False, True, True]])
def test_reports_on_integer_and_boolean_labels_go_into_json(make, values):
    report = evaluate(Outcome.from_columns(make(values), make(values)), negative=0)
    read = json.loads(json.dumps(report.to_dict()))
    assert (read["labels"], list(read["per_class"]), read["negative"]) == ([0, 1], ["0", "1"], 0)


def test_the_csv_reads_back(report):
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [row["name"] for row in rows] == [*SCHEMES, "NA", "a_1", "b&c", "d%"]
    assert {row["kind"] for row in rows} == {"scheme", "class"}
    for row in rows[: len(SCHEMES)]:
        assert float(row["f1"]) == report.schemes[row["name"]]["f1"]
    for row in rows[len(SCHEMES) :]:
        assert float(row["recall"]) == report.per_class[row["name"]]["recall"]
        assert int(row["support"]) == report.per_class[row["name"]]["support"]


def test_the_text_shows_every_scheme_every_class_and_the_signature(report):
    text = report.to_text()
    lines = text.splitlines()
    for scheme in SCHEMES:
        shown = f"{100 * report.schemes[scheme]['f1']:.2f}"
        assert any(line.startswith(scheme) and shown in line.split() for line in lines)
    for label in ("a_1", "b&c", "d%", "NA (not averaged)"):
        assert any(line.startswith(label) for line in lines)
    assert "accuracy 25.00" in lines[0]
    assert "left out of all but micro: d%" in text
    assert lines[-1] == report.signature


def test_intervals_show_in_every_form(report):
    for place, scheme in enumerate(SCHEMES):
        report.add_interval(scheme, 0.1 + place / 100, 0.9)
    assert report.to_dict()["schemes"]["dodrans"]["low"] == pytest.approx(0.12)
    assert {"low", "high"} <= set(report.to_frame().columns)
    assert "12.00" in report.to_text()
    assert " [12.0, 90.0] & " in report.to_latex()


@pytest.mark.parametrize("scheme", ["micro", "macro"])
def test_an_interval_for_one_scheme_only_is_shown_for_that_one(report, scheme):
    report.add_interval(scheme, 0.1234, 0.9)
    line = next(line for line in report.to_text().splitlines() if line.startswith(scheme))
    assert "12.34" in line
    assert report.to_latex().count("[12.3, 90.0]") == 1
    assert report.to_csv().count("0.1234") == 1


def test_extra_sections_stand_in_the_dict(report):
    report.extra["direction"] = {"pir": float("nan"), "better_set": "B"}
    assert report.to_dict()["direction"] == {"pir": None, "better_set": "B"}


def test_another_beta_has_a_name_of_its_own():
    row = evaluate(Outcome.from_columns(["a", "b"], ["a", "a"]), score="f0.5").schemes["macro"]
    assert "f1" not in row
    assert row["signature"].startswith("f0.5|")


class TestLabelsOfAnyKind:
    FORMULAS = ('=cmd|"/C calc"!A0', "@SUM(1+9)", "-1", "+x", "\tx", "\rx")
    OTHERS = ("a\nb", "a\rb", "a\r\nb", "\x1b[31mred", "\u202eabc", "a|n:9", "'=x", " =x", 'a"b', "")

    @staticmethod
    def names(text):
        head, *rows = csv.reader(io.StringIO(text, newline=""))
        assert {len(row) for row in rows} == {len(head)}
        return [row[1] for row in rows if row[0] == "class"]

    def test_formulas_in_csv(self):
        labels = [*self.FORMULAS, *self.OTHERS]
        report = evaluate(Outcome.from_columns(labels, labels))
        assert self.names(report.to_csv(raw=True)) == sorted(labels)
        safe = [*(f"'{label}" for label in self.FORMULAS), *self.OTHERS]
        assert sorted(self.names(report.to_csv())) == sorted(safe)

    def test_numbers_are_no_formulas(self):
        report = evaluate(Outcome.from_columns([-1, 1], [-1, -1]))
        report.extra["direction"] = {"pd": -0.5, "best": "-x", "=key": np.float64(-0.25), "all": -np.inf}
        rows = list(csv.DictReader(io.StringIO(report.to_csv())))
        row = rows[-1]
        assert [row["pd"], row["best"], row["'=key"], row["all"]] == ["-0.5", "'-x", "-0.25", "-inf"]
        assert "-1" in self.names(report.to_csv())

    def test_text_and_latex_show_them_in_one_line(self):
        report = evaluate(
            Outcome.from_columns(["a\nb", "c"], ["c", "c"], labels=["a\nb", "c", "d\x1b"]), negative="c"
        )
        report.extra["di\nrection"] = {"best\x1b": "A\n_"}
        report.add_interval("micro", 0.0, 1.0)
        for text in (report.to_text(), report.to_latex()):
            assert all(line.isprintable() for line in text.split("\n"))
            assert r"A\n_" in text or r"A\textbackslash{}n\_" in text
        assert len(report.to_text().splitlines()) == 1 + 6 + 1 + 3 + 1 + 1 + 3 + 1
        assert r"left out of all but micro: d\x1b" in report.to_text()

    def test_long_names_are_cut_and_no_row_is_lost(self):
        labels = ["y" * 100_000, "y" * 100_001, "x"]
        report = evaluate(Outcome.from_columns(labels, ["x"] * 3), negative=labels[0])
        text = report.to_text()
        assert len(text) < 5000
        assert [line.split("  ")[0] for line in text.splitlines()[10:12]] == [
            f"{'y' * 79}… (not averaged)",
            f"{'y' * 79}…",
        ]
        assert f"negative {'y' * 79}… · 2 labels" in text.splitlines()[0]
        assert len(report.to_latex()) < 2000
        assert sorted(self.names(report.to_csv())) == sorted(labels)

    @pytest.mark.parametrize("label", ["a|n:9", "a\\|n:9", "a\\", "a\\\\|", "|"])
    def test_a_label_forges_no_field_of_a_signature(self, label):
        table = Outcome.from_columns(["b", label], ["b", "b"])
        for policy in ({"negative": label}, {"labels": [label]}, {"labels": ["b", label]}):
            signature = Policy(**policy).signature(table, "f1", "macro")
            fields = [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r"(?:[^|\\]|\\.)+", signature)]
            assert [one for one in fields if one.startswith("n:")] == ["n:2"]
            listed = "+".join(sorted(policy["labels"])) if "labels" in policy else "supported"
            expected = [f"labels:{listed}", f"negative:{policy.get('negative')}", "zero_support:skip"]
            assert fields == ["f1", "scheme:macro", *expected, "direction:kept", "n:2", "v:0.1"]
