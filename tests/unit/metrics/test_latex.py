"""LaTeX that compiles: balanced, escaped, every row as wide as the head; whether TeX is here or not."""

import shutil
import subprocess

import pytest

from helpers.metrics import Outcome, evaluate, latex_float, latex_name, latex_text
from tests.support import latex_tables


@pytest.fixture
def report():
    table = Outcome.from_columns(
        ["a_1", "b&c", "NA"], ["a_1", "a_1", "d%"], labels=["NA", "a_1", "b&c", "d%"]
    )
    return evaluate(table, negative="NA", schemes=["micro", "dodrans", "n^0.5"])


def test_a_report_is_one_table_with_caption_label_and_signature(report):
    report.add_interval("dodrans", 0.701, 0.748)
    text = report.to_latex()
    (rows,) = latex_tables(text)
    assert [row[0] for row in rows] == ["Scheme", "Micro", "Dodrans", "$n^{0.5}$"]
    assert rows[0][1:] == ["Precision", "Recall", "F1", "F1 of means"]
    f1 = report.schemes["dodrans"]["f1"]
    assert rows[2][3] == f"{100 * f1:.1f} [70.1, 74.8]" and rows[1][3] == "40.0"
    assert text.startswith(f"% {report.signature}\n% needs booktabs\n\\begin{{table}}")
    assert r"\caption{Scores in per cent of 3 samples, averaged over 2 classes" in text
    assert r"\label{tab:scores}" in text and "brackets 95" in text


def test_columns_and_the_place_of_intervals(report):
    report.add_interval("dodrans", 0.701, 0.748)
    f1 = f"{100 * report.schemes['dodrans']['f1']:.1f}"
    for place, cell in (
        ("beside", f"{f1} [70.1, 74.8]"),
        ("stacked", rf"\shortstack{{{f1} \\ {{\scriptsize [70.1, 74.8]}}}}"),
        ("none", f1),
    ):
        text = report.to_latex(columns=["f1", "recall"], intervals=place)
        assert "Scheme & F1 & Recall" in text and f"Dodrans & {cell} & " in text
    for style, said in (({"columns": ["F2"]}, "unknown column 'F2'"), ({"intervals": "up"}, "unknown place")):
        with pytest.raises(ValueError, match=said):
            report.to_latex(**style)


@pytest.mark.nightly
@pytest.mark.skipif(
    not shutil.which("kpsewhich")
    or subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode,
    reason="needs pdflatex and booktabs (Debian: texlive-latex-recommended)",
)
@pytest.mark.parametrize("place", ["beside", "stacked"])
def test_it_compiles_and_fits_a_column(report, tmp_path, place):
    report.add_interval("dodrans", 0.701, 0.748)
    table = report.to_latex(columns=["precision", "recall", "f1"], intervals=place)
    head = "\\documentclass[twocolumn]{article}\n\\usepackage{booktabs}\n\\begin{document}\n"
    (tmp_path / "t.tex").write_text(f"{head}{table}\n\\end{{document}}\n", "utf-8")
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "t.tex"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and "Overfull" not in done.stdout, done.stdout[-2000:]


def test_sections_are_tables_of_their_own(report):
    report.extra["direction"] = {"pd": 0.25, "pir": None, "better_set": "B", "n": 4, "signature": "x"}
    report.extra["direction"]["intervals"] = {"pd": {"low": 0.2, "high": 0.3}}
    report.extra["official"] = {
        "grouped": {"macro": 0.5, "macro_low": 0.4, "macro_high": 0.6, "signature": "x"}
    }
    _, direction, official = latex_tables(report.to_latex())
    assert direction == [
        ["Direction", "PD", "PIR", "Better set", "$n$"],
        ["direction", "25.0 [20.0, 30.0]", "--", "B", "4"],
    ]
    assert official == [["Official", "Macro"], ["grouped", "50.0 [40.0, 60.0]"]]


def test_names_of_scores_and_schemes():
    found = [
        latex_name(name) for name in ("micro", "n^-0.5", "mcc", "f2", "f2_of_means", "root_2", "R(e1,e2)")
    ]
    assert found == ["Micro", "$n^{-0.5}$", "MCC", "$F_{2}$", "$F_{2}$ of means", r"root\_2", "R(e1,e2)"]


def table_of(rows, decimals=1):
    """The cells of one table of these rows."""
    named = [(latex_text(name), row) for name, row in rows.items()]
    (cells,) = latex_tables(latex_float([("Relation", named)], "C.", "tab:c", decimals=decimals))
    return cells


def test_missing_values_are_dashes_and_decimals_can_be_chosen():
    nan = {"f1": float("nan"), "f1_low": 0.1, "f1_high": 0.2}
    rows = table_of({"a": {"f1": None}, "b": nan, "c": {"f1": 0.5, "f1_low": None, "f1_high": 0.2}})
    assert [row[1] for row in rows] == ["F1", "--", "--", "50.0"]
    ends = {"f1": 0.72514, "f1_low": 0.7, "f1_high": 0.75}
    assert table_of({"a": ends}, decimals=2)[1] == ["a", "72.51 [70.00, 75.00]"]
    rows = table_of({"a_b": {"f1": 0.5, "f1_sd": 0.012}, "n": {"support": 1234567}}, decimals=0)
    assert rows == [["Relation", "F1", "Support"], [r"a\_b", r"50 $\pm$ 1", ""], ["n", "", "1234567"]]


def test_what_is_best_is_bold():
    assert table_of({"a": {"f1": 0.5, "mcc": 0.5, "bold": ["f1"]}})[1] == ["a", r"\textbf{50.0}", "50.0"]
