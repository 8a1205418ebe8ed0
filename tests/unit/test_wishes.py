"""The 52 wishes of users: every row of the table is typed, and gives what the table says.

results/tables/wishes.csv has for each wish a command, or a line of Python, and what it gives: of a command a
piece of its output, of Python the value of the last expression.
"""

import csv
import shlex

import pytest

from helpers import ROOT

TABLE = ROOT / "results" / "tables" / "wishes.csv"
WISHES = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))

GOLD = ["NA", "NA", "born", "born", "title", "title", "title", "NA"]
MINE = ["NA", "born", "born", "title", "title", "title", "NA", "NA"]
OTHER = ["NA", "NA", "title", "title", "title", "born", "NA", "NA"]
FILES = {
    "mixed.csv": "gold,predicted\nOther,other\nborn,Born\n",
    "directed.csv": "gold,predicted\n"
    '"Cause-Effect(e1,e2)","Cause-Effect(e1,e2)"\n"Cause-Effect(e2,e1)","Cause-Effect(e1,e2)"\n'
    "Other,Other\nOther,Other\n",
    "key.txt": "1\tCause-Effect(e1,e2)\n2\tOther\n",
    "answers.txt": "1\tCause-Effect(e1,e2)\n2\tOther\n",
    "facts.csv": "head,tail,relation,score\na,b,r,0.9\na,c,r,0.8\nb,c,r,0.7\n",
    "true.csv": "head,tail,relation\na,b,r\nb,c,r\n",
    "truth.csv": "1,0\n0,1\n1,1\n",
    "scores.csv": "0.9,-0.1\n-0.2,0.8\n0.5,0.1\n",
}


def predictions(predicted: list[str]) -> str:
    return "gold,predicted\n" + "".join(map("{},{}\n".format, GOLD, predicted))


@pytest.fixture
def folder(tmp_path, monkeypatch) -> None:
    """A folder with the files that the table names."""
    monkeypatch.chdir(tmp_path)
    made = FILES | {"mine.csv": predictions(MINE), "theirs.csv": predictions(OTHER)}
    for system, first in (("a", MINE), ("b", OTHER)):
        made |= {f"{system}-{seed}.csv": predictions([*first[seed:], *first[:seed]]) for seed in range(3)}
    for name, text in made.items():
        (tmp_path / name).write_text(text, encoding="utf-8")


def test_all_wishes_are_there_and_the_declined_say_why():
    assert [int(row["number"]) for row in WISHES] == list(range(1, 53))
    assert {row["status"] for row in WISHES} <= {"satisfied", "partly", "declined"}
    assert all(row["remark"] for row in WISHES if row["status"] != "satisfied")
    assert all(row["wish"] and row["shown by"] and row["gives"] for row in WISHES)


@pytest.mark.parametrize("row", WISHES, ids=lambda row: row["number"])
def test_a_wish_is_shown(row, folder, call):
    """What a command prints, which has to end well; the value of the last expression of a line of Python."""
    line = row["shown by"]
    if line.startswith("beyond-micro-f1 "):
        code, out, err = call(*shlex.split(line)[1:])
        assert code == 0 and row["gives"] in out, err
    else:
        *statements, last = line.split("; ")
        names: dict = {}
        exec("\n".join(statements), names)
        assert str(eval(last, names)) == row["gives"]
