"""A report in its forms: dict, rows, DataFrame, CSV, text, and LaTeX that compiles."""

import csv
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import SCHEMES, Outcome, Policy, escape_markdown, evaluate, latex_float, latex_name
from helpers.metrics.latex import latex_text
from helpers.metrics.report import DIRECTION_SCORES, Table
from tests.support import latex_tables


@pytest.fixture
def report():
    table = Outcome.from_columns(["a_1", "a_1", "b&c", "NA"], ["a_1", "b&c", "a_1", "d\x1b"])
    return evaluate(table, negative="NA", schemes=[*SCHEMES, "n^0.5"])


def test_the_dict_has_the_promised_keys_and_goes_into_json(report):
    report.extra["direction"] = dict.fromkeys(DIRECTION_SCORES.values(), 0.5) | {"pir": None}
    assert report.scores()["A"] == 0.5 and np.isnan(report.scores()["PIR"])
    report.extra["direction"] = {"pir": float("nan"), "better_set": "B"}
    read = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert (read["n"], read["negative"], read["labels"]) == (4, "NA", ["NA", "a_1", "b&c", "d\x1b"])
    assert read["averaged"] == ["a_1", "b&c"] and read["ignored"] == ["d\x1b"]
    assert list(read["schemes"]) == [*SCHEMES, "n^0.5"] and read["per_class"]["a_1"]["support"] == 2
    for scheme, row in read["schemes"].items():
        assert {"precision", "recall", "f1"} <= set(row) and f"scheme:{scheme}|" in row["signature"]
    assert read["direction"] == {"pir": None, "better_set": "B"}


def test_undefined_is_null_in_json_and_empty_in_csv():
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    undefined = evaluate(table, zero_division=float("nan"))
    assert json.loads(json.dumps(undefined.to_dict(), allow_nan=False))["per_class"]["b"]["precision"] is None
    rows = list(csv.DictReader(io.StringIO(undefined.to_csv())))
    assert next(row for row in rows if row["name"] == "b")["precision"] == ""


@pytest.mark.parametrize("make", [list, np.array, pd.Series, lambda values: list(np.array(values))])
def test_reports_on_integer_and_boolean_labels_go_into_json(make):
    for values in ([0, 1, 1], [False, True, True]):
        report = evaluate(make(values), make(values), negative=0, score="f0.5")
        read = json.loads(json.dumps(report.to_dict()))
        assert (read["labels"], list(read["per_class"]), read["negative"]) == ([0, 1], ["0", "1"], 0)
        assert "f1" not in read["schemes"]["macro"] and read["signature"].startswith("f0.5|")


def test_the_csv_reads_back(report):
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    assert [row["name"] for row in rows] == [*report.schemes, *report.labels]
    for row in rows:
        known = (report.schemes if row["kind"] == "scheme" else report.per_class)[row["name"]]
        assert (float(row["f1"]), float(row["recall"])) == (known["f1"], known["recall"])
    formula = evaluate(["=1+1"], ["=1+1"])  # what a spreadsheet would compute
    assert "class,'=1+1," in formula.to_csv() and "class,=1+1," in formula.to_csv(raw=True)


def test_the_text_shows_every_scheme_every_class_and_the_signature(report):
    lines = report.to_text().splitlines()
    for scheme in SCHEMES:
        shown = f"{100 * report.schemes[scheme]['f1']:.2f}"
        assert any(line.startswith(scheme) and shown in line.split() for line in lines)
    for label in ("a_1", "b&c", r"d\x1b", "NA (not averaged)"):
        assert any(line.startswith(label) for line in lines)
        assert f"| {escape_markdown(label)}" in report.to_markdown()
    assert "accuracy 25.00" in lines[0] and lines[-1] == report.signature
    assert any(r"left out of all but micro: d\x1b" in line for line in lines)
    rows = [("micro", {"f1": 0.5, "support": 7}), ("macro", {"f1": 1.0})]
    expected = "scheme          f1  support\nmicro        50.00        7\nmacro       100.00"
    assert Table("scheme", rows).to_text() == expected
    many = evaluate(Outcome.from_columns(["a"], ["a"], labels=list("abcdefg"))).to_text()
    assert "6 without gold samples, left out of all but micro: b, c, d, e, f, …" in many


@pytest.mark.parametrize("scheme", ["micro", "macro"])
def test_an_interval_shows_in_every_form_for_its_scheme_only(report, scheme):
    report.schemes[scheme] |= {"low": 0.1234, "high": 0.9}
    line = next(line for line in report.to_text().splitlines() if line.startswith(scheme))
    assert "12.34" in line and report.to_dict()["schemes"][scheme]["low"] == 0.1234
    assert report.to_latex().count("[12.3, 90.0] & ") == report.to_csv().count("0.1234") == 1
    assert report.to_frame()["high"].tolist().count(0.9) == 1


@pytest.mark.parametrize("label", ["a|n:9", "a\\|n:9", "a\\", "a\\\\|", "|"])
def test_a_label_forges_no_field_of_a_signature(label):
    table = Outcome.from_columns(["b", label], ["b", "b"])
    for policy in ({"negative": label}, {"labels": [label]}, {"labels": ["b", label]}):
        signature = Policy(**policy).signature(table, "f1", "macro")
        fields = [re.sub(r"\\(.)", r"\1", text) for text in re.findall(r"(?:[^|\\]|\\.)+", signature)]
        listed = "+".join(sorted(policy["labels"])) if "labels" in policy else "supported"
        expected = [f"labels:{listed}", f"negative:{policy.get('negative')}", "zero_support:skip"]
        assert fields == ["f1", "scheme:macro", *expected, "direction:kept", "n:2", "v:0.1"]


def test_a_report_is_one_table_with_caption_label_and_signature(report):
    report.schemes["dodrans"] |= {"low": 0.701, "high": 0.748}
    text = report.to_latex()
    (rows,) = latex_tables(text)
    assert rows[0] == ["Scheme", "Precision", "Recall", "F1", "F1 of means"]
    assert [row[0] for row in rows[1:]] == ["Micro", "Weighted", "Dodrans", "Entropy", "Macro", "$n^{0.5}$"]
    f1 = f"{100 * report.schemes['dodrans']['f1']:.1f}"
    assert rows[3][3] == f"{f1} [70.1, 74.8]" and rows[1][3] == "28.6"
    assert text.startswith(f"% {report.signature}\n% needs booktabs\n\\begin{{table}}")
    assert r"\caption{Scores in per cent of 4 samples, averaged over 2 classes" in text
    assert r"\label{tab:scores}" in text and "brackets 95" in text


@pytest.mark.nightly(third=0)
@pytest.mark.skipif(
    not shutil.which("kpsewhich")
    or subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode,
    reason="needs pdflatex and booktabs (Debian: texlive-latex-recommended)",
)
def test_a_table_compiles(report, tmp_path):
    report.schemes["dodrans"] |= {"low": 0.701, "high": 0.748}
    table = report.to_latex()
    head = "\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{table}\n\\end{{document}}\n", "utf-8")
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "Overfull" not in done.stdout, done.stdout[-2000:]


def test_sections_are_tables_of_their_own(report):
    direction = {"pd": 0.25, "pir": None, "better_set": "B", "n": 4, "signature": "x"}
    report.extra["direction"] = direction | {"intervals": {"pd": {"low": 0.2, "high": 0.3}}}
    macro = {"macro": 0.5, "macro_low": 0.4, "macro_high": 0.6, "signature": "x"}
    report.extra["official"], report.headings["official"] = {"grouped": macro}, "over 2 labels"
    text = report.to_text()
    assert "pd 25.00  pir undefined  better_set B  n 4\n    x\n  intervals.pd" in text
    assert "\nofficial: over 2 labels\n  grouped" in text
    _, direction, official = latex_tables(report.to_latex())
    assert direction[0] == ["Direction", "PD", "PIR", "Better set", "$n$"]
    assert direction[1] == ["direction", "25.0 [20.0, 30.0]", "--", "B", "4"]
    assert official == [["Official", "Macro"], ["grouped", "50.0 [40.0, 60.0]"]]


def table_of(rows, decimals=1):
    """The cells of one table of these rows."""
    named = [(latex_text(name), row) for name, row in rows.items()]
    (cells,) = latex_tables(latex_float([("Relation", named)], "C.", "tab:c", decimals=decimals))
    return cells


def test_cells_of_latex():
    scores = ("micro", "n^-0.5", "mcc", "f2", "f2_of_means", "root_2", "R(e1,e2)")
    expected = ["Micro", "$n^{-0.5}$", "MCC", "$F_{2}$", "$F_{2}$ of means", r"root\_2", "R(e1,e2)"]
    assert [latex_name(name) for name in scores] == expected
    nan = {"f1": float("nan"), "f1_low": 0.1, "f1_high": 0.2}
    rows = table_of({"a": {"f1": None}, "b": nan, "c": {"f1": 0.5, "f1_low": None, "f1_high": 0.2}})
    assert [row[1] for row in rows] == ["F1", "--", "--", "50.0"]
    ends = {"f1": 0.72514, "f1_low": 0.7, "f1_high": 0.75}
    assert table_of({"a": ends}, decimals=2)[1] == ["a", "72.51 [70.00, 75.00]"]
    rows = table_of({"a_b": {"f1": 0.5, "f1_sd": 0.012}, "n": {"support": 1234567}}, decimals=0)
    assert rows == [["Relation", "F1", "Support"], [r"a\_b", r"50 $\pm$ 1", ""], ["n", "", "1234567"]]
    assert table_of({"a": {"f1": 0.5, "mcc": 0.5, "bold": ["f1"]}})[1] == ["a", r"\textbf{50.0}", "50.0"]
