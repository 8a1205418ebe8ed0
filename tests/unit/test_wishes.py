"""The 52 wishes of users: every row of the table is typed, and gives what the table says: of a command a
piece of its output, of Python the value of the last expression; and the commands of pages."""

import csv
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import NAME, ROOT

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
    "ranked.csv": "head,tail,relation,score\na,c,r,0.9\nb,d,s,0.2\n",
    "llm.jsonl": '{"gold": "r", "predicted": "**r**"}\n{"gold": "r", "predicted": "I cannot say"}\n',
    "test.jsonl": '{"gold": [["Ada", "left", "Rome"]]}',
    "output.jsonl": '{"predicted": [["Ada", "left", "Rome"]]}',
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


@pytest.mark.parametrize(("page", "word"), [("README.md", "mine.csv"), ("results/speed.md", "100000000")])
def test_the_commands_of_a_page_run_as_it_has_them(page, word, folder, call):
    """On fewer rows, and without what installs; Spark's is typed in tests/unit/data."""
    for path in (Path("mine.csv"), Path("theirs.csv")):
        path.write_text(path.read_text().replace("NA", "no_relation"))
    blocks = re.findall(r"^```bash\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if word in block)
    for line in block.replace("100000000", "1000").splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "python":
            subprocess.run([sys.executable, *words], check=True)
        elif program == NAME and "spark" not in words:
            code, out, err = call(*words)
            assert code == 0 and out, (line, err)
