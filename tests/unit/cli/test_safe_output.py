"""What the commands print of labels that are formulas, control characters, forged fields or very long."""

import csv
import io
import json
import re

import pytest

FORMULAS = ('=cmd|"/C calc"!A0', "@SUM(1+9)", "-1", "+x", "\tx", "\rx")
HARMLESS = ("per:age", "a\nb", "a\rb", "\x1b[31mred", "\u202eabc", "a|n:9", "'x", " =x", "関係", 'a"b,c')
LABELS = (*FORMULAS, *HARMLESS)
SCHEMES = ["micro", "weighted", "dodrans", "entropy", "macro"]


def write(path, gold, predicted):
    """A file of predictions, in JSON lines: every label is kept as it is."""
    rows = ({"gold": one, "predicted": other} for one, other in zip(gold, predicted, strict=True))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path.name


def cells(text):
    """The rows of a CSV text as dicts; they have to be of equal width."""
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    assert {len(row) for row in rows} == {len(head)}
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.fixture
def out(call):
    """Run a command that has to succeed; gives its standard output."""

    def run(*words):
        code, text, err = call(*words)
        assert code == 0, err
        return text

    return run


@pytest.fixture
def odd(folder):
    """One sample of each odd label, half of them found."""
    return write(folder / "odd.jsonl", LABELS, [*LABELS[::2], *LABELS[::2]])


class TestScoreAsCsv:
    def test_formulas_get_an_apostrophe_and_nothing_else_does(self, out, odd):
        names = [row["name"] for row in cells(out("score", odd, "--format", "csv")) if row["kind"] == "class"]
        assert sorted(names) == sorted([*(f"'{label}" for label in FORMULAS), *HARMLESS])


class TestScoreToRead:
    SHOWN = (r"a\nb", r"a\rb", r"\x1b[31mred", r"\u202eabc", r"\tx", r"\rx")

    @pytest.mark.parametrize("raw", [[], ["--raw"]])
    def test_a_table_has_one_line_a_label_and_no_control_character(self, out, odd, raw):
        text = out("score", odd, *raw)
        lines = text.split("\n")
        assert all(line.isprintable() for line in lines)
        assert (
            len(lines) == 1 + (1 + len(SCHEMES)) + 1 + (1 + len(LABELS)) + 1 + 1 + 1
        )  # star, signature, end
        for name in (*self.SHOWN, "関係", *FORMULAS[:4]):
            assert sum(line.startswith(f"{name} ") for line in lines) == 1
        table = lines[1 + 6 + 1 :][: 1 + len(LABELS)]
        assert len({len(line) for line in table}) == 1


class TestCompare:
    @pytest.fixture
    def files(self, folder):
        """Two systems, the first the worse, in files that are named like formulas."""
        gold = ["r", "s", "NA", "r"] * 10
        return [
            write(folder / name, gold, predicted)
            for name, predicted in {"=a.jsonl": ["s"] * 40, "@b,c.jsonl": gold}.items()
        ]

    def test_names_of_files_get_an_apostrophe_and_differences_do_not(self, out, files):
        rows = cells(out("compare", *files, "--format", "csv", "--bootstrap", 50))
        assert {(row["first"], row["second"]) for row in rows} == {("'=a.jsonl", "'@b,c.jsonl")}
        exact = json.loads(out("compare", *files, "--format", "json", "--bootstrap", 50))
        for row, found in zip(rows, exact, strict=True):
            assert row["difference"].startswith("-0.") and row["difference"] == repr(found["difference"])
            for name in ("low", "high", "p", "p_holm", "n", "seed", "score_first"):
                assert row[name] == str(found[name])

    def test_a_label_forges_no_field(self, out, folder):
        label = "x|scheme:micro"
        paths = [write(folder / f"{name}.jsonl", ["x", label], ["x", name]) for name in ("x", "y")]
        rows = cells(out("compare", *paths, "--negative", label, "--bootstrap", 5, "--format", "csv"))
        signatures = [re.split(r"(?<!\\)\|", row["signature"]) for row in rows]
        assert [fields[1] for fields in signatures] == [f"scheme:{scheme}" for scheme in SCHEMES]
        assert all(fields[3] == r"negative:x\|scheme:micro" for fields in signatures)
