"""The core alone gives what it gives beside Arrow, DuckDB, narwhals, requests and tqdm, faults included."""

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT

EXTRAS = ("pyarrow", "duckdb", "narwhals", "requests", "urllib3", "tqdm")
CODE = """
import contextlib, io, json, sys
given = json.load(sys.stdin)
sys.modules |= dict.fromkeys(given["blocked"])
from helpers.data import arrow
arrow.FOR_ARROW = 0
from helpers.__main__ import main
answers = []
for words in given["commands"]:
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as error:
        code = main(words)
    answers.append([code, out.getvalue(), error.getvalue()])
print(json.dumps(answers))
"""
"""Runs commands where some modules cannot be imported; where Arrow can, it reads files of any length."""
ROWS = [(f"s{k}", "abcN"[k % 4], "abcN"[k * k % 4]) for k in range(12)] + [("s12", "R(e1,e2)", 'q"u')]
NAMES = ("id", "gold", "predicted")
FAULTS = {
    "ragged.csv": b"gold,predicted\na,b\na\nb,b\n",
    "empty.csv": b"gold,predicted\na,b\n,b\n",
    "blank.tsv": b"gold\tpredicted\na\t \n",
    "latin.csv": b"gold,predicted\na,caf\xe9\n",
    "latin.jsonl": b'{"gold": "a", "predicted": "caf\xe9"}\n',
    "open.csv": b'gold,predicted\na,"b\na,b\n',
    "quote.csv": b'gold,predicted\na,b"c\na,""b\n',
    "lines.csv": b'gold,predicted,text\na,b,"x\n\ny"\na,,z\n',
    "columns.csv": b"gold,gold,predicted\na,a,b\n",
    "twice.jsonl": b'{"gold": "a", "gold": "b", "predicted": "b"}\n',
    "nan.jsonl": b'{"gold": "a", "predicted": NaN}\n',
    "half.jsonl": b'{"gold": "a", "predicted": "\\ud800"}\n',
    "cut.jsonl": b'{"gold": "a", "predicted": "b"}\n{"gold": "a"',
    "null.jsonl": b'{"gold": "a", "predicted": "b"}\n{"gold": null, "predicted": "b"}\n',
    "mixed.jsonl": b'{"gold": 1, "predicted": 2}\n{"gold": "x", "predicted": 2}\n',
    "list.jsonl": b'{"gold": 1, "predicted": 2}\n[1]\n',
    "ids.csv": b"id,gold,predicted\n1,a,b\n2,a,b\n1,a,b\n",
    "cut.json": b'[{"gold": "a", "predicted": "b"}, {"gold"',
    "void.csv": b"",
    "header.csv": b"gold,predicted\n",
    "mark.csv": b"\xef\xbb\xbfgold,predicted\r\na,b\r\n\r\nb,b\r\n",
    "returns.csv": b"gold,predicted\ra,b\rb,b\r",
    "cut.csv.gz": gzip.compress(b"gold,predicted\na,b\n")[:-9],
}


def answers(commands: list[list[str]], blocked: tuple[str, ...], folder: Path) -> list[list]:
    given = json.dumps(
        {"blocked": blocked, "commands": [[str(word) for word in words] for words in commands]}
    )
    done = subprocess.run(
        [sys.executable, "-c", CODE], input=given, cwd=folder, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def write_forms(folder: Path) -> list[str]:
    """The same rows in every form that needs no Arrow."""
    quoted = ['"' + cell.replace('"', '""') + '"' for row in (NAMES, *ROWS) for cell in row]
    table = [quoted[at : at + 3] for at in range(0, len(quoted), 3)]
    records = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    texts = {
        "mine.csv": "".join(",".join(row) + "\n" for row in table),
        "mine.tsv": "".join("\t".join(row) + "\n" for row in table),
        "mine.jsonl": "".join(json.dumps(record) + "\n" for record in records),
        "mine.json": json.dumps(records),
        "gold.txt": "".join(f"{row[1]}\n" for row in ROWS),
        "mine.txt": "".join(f"{row[2]}\n" for row in ROWS),
        "answers.txt": "".join(f"{row[0]}\t{row[2]}\n" for row in ROWS[::-1]),
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    for name in ("mine.csv", "mine.jsonl"):
        (folder / f"{name}.gz").write_bytes(gzip.compress(texts[name].encode()))
    return ["mine.csv", "mine.tsv", "mine.jsonl", "mine.json", "mine.csv.gz", "mine.jsonl.gz"]


def test_every_command_says_the_same_without_the_extras(tmp_path):
    forms = write_forms(tmp_path)
    for name, content in FAULTS.items():
        (tmp_path / name).write_bytes(content)
    examples = ROOT / "examples"
    commands = [
        *(["score", name, "--bootstrap", 20] for name in (*forms, *FAULTS)),
        ["score", "mine.csv", "--negative", "N"],
        ["score", "mine.csv", "mine.jsonl", "--engine", "memory"],
        ["score", "mine.csv", "mine.jsonl", "--engine", "memory", "--check-ids"],
        ["score", "mine.txt", "--gold", "gold.txt"],
        ["score", "answers.txt", "--gold", "mine.csv"],
        ["score", "mine.csv", "--normalise", "--format", "json"],
        ["score", "mine.csv", "--label-set", "gold", "--off-list", "skip"],
        ["compare", "mine.csv", "mine.jsonl", "--bootstrap", 20],
        ["compare", "--runs", "A=mine.csv", "--runs", "A=mine.tsv", "--runs", "B=mine.json"],
        ["plan", "--from", "mine.csv", "mine.json", "--difference", 20],
        ["score", examples / "predictions.csv", "--task", "semeval2010", "--paired-column", "paired"],
        ["report", examples / "predictions.csv", "--dataset", "semeval2010", "--out", "report.md"],
        ["stats", "mine.csv"],
        ["score-facts", "scores.csv", "--facts", "facts.csv"],
        ["score-multilabel", "--truth", "truth.csv", "--scores", "guess.csv"],
        ["score-triples", "triples.jsonl"],
    ]
    (tmp_path / "facts.csv").write_text("head,tail,relation\nx,y,r\nx,z,r\n")
    (tmp_path / "scores.csv").write_text("head,tail,relation,score\nx,y,r,+0.5\nx,q,r,.25\n")
    (tmp_path / "truth.csv").write_text("1,0\n0,1\n")
    (tmp_path / "guess.csv").write_text("+0.5,-1\n1e-3,2\n")
    triple = {"head": "x", "relation": "r", "tail": "y"}
    (tmp_path / "triples.jsonl").write_text(json.dumps({"gold": [triple], "predicted": [triple]}) + "\n")
    light, whole = (answers(commands, blocked, tmp_path) for blocked in (EXTRAS, ()))
    for words, mine, theirs in zip(commands, light, whole, strict=True):
        assert mine == theirs, words
    codes = dict(zip(map(str, commands), (answer[0] for answer in whole), strict=True))
    assert all(codes[str(words)] == 0 for words in commands[: len(forms)])
    assert sum(codes.values()) >= 2 * 15, "most of the spoilt files are refused"


@pytest.mark.parametrize(
    ("words", "package"),
    [
        (("score", "mine.parquet"), "pyarrow"),
        (("score", "mine.csv", "--engine", "duckdb"), "duckdb"),
        (("score", "s3://bucket/mine.csv"), "duckdb"),
        (("data", "fetch", "chemprot/dev.txt"), "requests"),
    ],
)
def test_what_needs_an_extra_says_so_in_a_line(words, package, tmp_path, monkeypatch, call):
    monkeypatch.chdir(tmp_path)
    Path("mine.parquet").write_bytes(b"PAR1")
    Path("mine.csv").write_text("gold,predicted\na,b\n")
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] in EXTRAS]:
        monkeypatch.delitem(sys.modules, name)
    for name in EXTRAS:
        monkeypatch.setitem(sys.modules, name, None)
    code, out, error = call(*words)
    assert (code, out) == (2, "")
    assert error == f"error: {words[0]} needs {package}, which is not installed: make setup\n"
