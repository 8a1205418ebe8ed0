"""The core alone gives what it gives beside Arrow, DuckDB, narwhals, requests and tqdm, faults included."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT
from tests.support import write_rows

EXTRAS = ("pyarrow", "duckdb", "narwhals", "requests", "urllib3", "tqdm")
CODE = """
import contextlib, io, json, sys
given = json.load(sys.stdin)
sys.modules |= dict.fromkeys(given["blocked"])
from helpers.data import counting
counting.LARGE = 0
from helpers.__main__ import main
answers = []
for words in given["commands"]:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
        code = main(words)
    answers.append([code, out.getvalue(), error.getvalue()])
print(json.dumps(answers))
"""
"""Runs commands where some modules cannot be imported; where DuckDB can, it counts files of any length."""
ROWS = [(f"s{k}", "abcN"[k % 4], "abcN"[k * k % 4]) for k in range(12)] + [("s12", "R(e1,e2)", 'q"u')]
NAMES = ("id", "gold", "predicted")
FAULTS = {path.name: path.read_bytes() for path in sorted((Path(__file__).parent / "faulty").iterdir())}
FAULTS |= {"latin.csv": b"gold,predicted\na,caf\xe9\n", "latin.jsonl": b'{"gold": "a", "predicted": "\xe9"}'}
"""Files with a fault, or that look as if they had one, as their names say."""


def answers(commands: list[list[str]], blocked: tuple[str, ...], folder: Path) -> list[list]:
    given = json.dumps({"blocked": blocked, "commands": [[*map(str, words)] for words in commands]})
    pipes = {"input": given, "capture_output": True, "text": True, "timeout": 300}
    done = subprocess.run([sys.executable, "-c", CODE], cwd=folder, **pipes)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def write_files(folder: Path) -> list[str]:
    """The faulty files, small ones for each command, and the same rows in every form that needs no Arrow."""
    forms = ["mine.csv", "mine.tsv", "mine.jsonl", "mine.csv.gz", "mine.jsonl.gz"]
    for name in forms:
        write_rows(folder / name, ROWS, NAMES)
    triple = {"head": "x", "relation": "r", "tail": "y"}
    texts = {
        "mine.json": json.dumps([dict(zip(NAMES, row, strict=True)) for row in ROWS]),
        "gold.txt": "".join(f"{row[1]}\n" for row in ROWS),
        "mine.txt": "".join(f"{row[2]}\n" for row in ROWS),
        "answers.txt": "".join(f"{row[0]}\t{row[2]}\n" for row in ROWS[::-1]),
        "facts.csv": "head,tail,relation\nx,y,r\nx,z,r\n",
        "scores.csv": "head,tail,relation,score\nx,y,r,+0.5\nx,q,r,.25\n",
        "truth.csv": "1,0\n0,1\n",
        "guess.csv": "+0.5,-1\n1e-3,2\n",
        "triples.jsonl": json.dumps({"gold": [triple], "predicted": [triple]}) + "\n",
    }
    for name, content in (FAULTS | texts).items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return [*forms, "mine.json"]


COMMANDS = """
score mine.csv --negative N
score mine.csv mine.jsonl --engine memory
score mine.csv mine.jsonl --engine memory --check-ids
score mine.txt --gold gold.txt
score answers.txt --gold mine.csv
score mine.csv --normalise --format json
score mine.csv --label-set gold --off-list skip
compare mine.csv mine.jsonl --bootstrap 20
compare --runs A=mine.csv --runs A=mine.tsv --runs B=mine.json
plan --from mine.csv mine.json --difference 20
score EXAMPLE --task semeval2010 --paired-column paired
report EXAMPLE --dataset semeval2010 --out report.md
stats mine.csv
score-facts scores.csv --facts facts.csv
score-multilabel --truth truth.csv --scores guess.csv
score-triples triples.jsonl
"""


@pytest.mark.nightly(third=2)
def test_every_command_says_the_same_without_the_extras(tmp_path):
    forms, example = write_files(tmp_path), str(ROOT / "examples" / "predictions.csv")
    commands = [["score", name, "--bootstrap", "20"] for name in (*forms, *FAULTS)]
    commands += [line.replace("EXAMPLE", example).split() for line in COMMANDS.split("\n") if line]
    light, whole = (answers(commands, blocked, tmp_path) for blocked in (EXTRAS, ()))
    for words, mine, theirs in zip(commands, light, whole, strict=True):
        assert mine == theirs, words
    codes = [answer[0] for answer in whole]
    assert not any(codes[: len(forms)]) and sum(codes) >= 2 * 15, "most of the spoilt files are refused"


@pytest.mark.parametrize(
    ("words", "package"),
    [
        ("score mine.parquet", "pyarrow"),
        ("score mine.csv --engine duckdb", "duckdb"),
        ("score s3://bucket/mine.csv", "duckdb"),
        ("data fetch chemprot/dev.txt", "requests"),
    ],
)
def test_what_needs_an_extra_says_so_in_a_line(words, package, folder, monkeypatch, call):
    Path("mine.parquet").write_bytes(b"PAR1")
    Path("mine.csv").write_text("gold,predicted\na,b\n")
    monkeypatch.setenv("RC_DATA_DIR", str(folder))
    loaded = [name for name in sys.modules if name.partition(".")[0] in EXTRAS]
    for name in {*loaded, *EXTRAS}:
        monkeypatch.delitem(sys.modules, name, raising=False)
    for name in EXTRAS:
        monkeypatch.setitem(sys.modules, name, None)
    said = f"error: {words.split()[0]} needs {package}, which is not installed: make setup\n"
    assert call(*words.split()) == (2, "", said)
