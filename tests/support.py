"""What several files of tests use; no test imports from another one."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

from helpers import ROOT
from helpers.cli import main
from helpers.core import MalformedRecord
from helpers.data import Documents, ParsedSample, RelationSample
from helpers.data.samples import word_spans
from helpers.metrics import Outcome, Weighting, register_scheme
from helpers.metrics.scores import _WEIGHTINGS
from helpers.runs import Run

LINEAR = json.loads((ROOT / "tests/golden/linear.json").read_text("utf-8"))
"""LibMultiLabel's weights, thresholds and scores of a few documents."""


def nightly(cases: Iterable, third: int, *chosen: object) -> list:
    """The cases of a test; those that are chosen run in `make nightly` only, as they take long."""
    marks = [pytest.mark.nightly(third=third)]
    whole = [(case, case if isinstance(case, tuple) else (case,)) for case in cases]
    return [pytest.param(*values, marks=marks if case in chosen else []) for case, values in whole]


def three_folds(order: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and validation documents of each fold, place by place."""
    n = len(order)
    for fold in range(3):
        inside = range(int(fold * n / 3), int((fold + 1) * n / 3))
        yield order[[place for place in range(n) if place not in inside]], order[list(inside)]


def liblinear_weights(features: np.ndarray, positive: np.ndarray, options: str) -> np.ndarray:
    """Of one label, by LIBLINEAR's own functions."""
    from liblinear.liblinearutil import train
    from scipy import sparse

    model = train(np.where(positive, 1, -1), sparse.csr_matrix(features), f"{options} -q")
    return np.ctypeslib.as_array(model.w, (features.shape[1],)) * model.get_labels()[0]


@contextlib.contextmanager
def temporary_scheme(name: str, weighting: Weighting) -> Iterator[str]:
    """A scheme that is registered for the length of a block."""
    register_scheme(name, weighting)
    try:
        yield name
    finally:
        _WEIGHTINGS.pop(name)


def run_command(*words: object) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of a command; `call` of conftest.py for many examples."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        return main([str(word) for word in words]), out.getvalue(), err.getvalue()


def write_file(folder: Path, name: str, content: bytes | str) -> Path:
    """The content in a file of this name; gzipped if the name ends in .gz."""
    content = content if isinstance(content, bytes) else content.encode()
    (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return folder / name


def fault_of(read: Callable, path: Path, *arguments: object, **options: object) -> str:
    """What a reader says of a spoilt file: one line that begins with the file's name, here without it."""
    with pytest.raises(MalformedRecord) as caught:
        read(path, *arguments, **options)
    message = str(caught.value)
    assert message.startswith(str(path)) and "\n" not in message
    return message.removeprefix(str(path))


def write_documents(path: Path | str, documents: Documents) -> None:
    """In txt form, or in svm form where they have features; gzipped if the name ends in .gz."""
    if documents.texts is not None:
        rows = zip(documents.ids, documents.labels, documents.texts, strict=True)
        lines = ["\t".join((name, " ".join(labels), text)) for name, labels, text in rows]
    else:
        lines = [
            ",".join(labels) + "".join(f" {j + 1}:{value!r}" for j, value in enumerate(row) if value) or " "
            for labels, row in zip(documents.labels, documents.features.toarray().tolist(), strict=True)
        ]
    content = "".join(f"{line}\n" for line in lines).encode()
    Path(path).write_bytes(gzip.compress(content) if str(path).endswith(".gz") else content)


DIRECTED = ("Other", "R(e1,e2)", "R(e2,e1)")
GOOD = ((0, 0, 0, 2), (1, 1, 2, 6), (2, 2, 1, 2))
HALF = ((0, 0, 0, 2), (1, 1, 1, 6), (2, 1, 1, 1), (2, 2, 1, 1))
"""Rows of an outcome: gold, predicted on the original, predicted on the paired sentence, how often."""


def directed_run(model: str, seed: int | None, rows: tuple, **more) -> Run:
    """A run on these labels, small enough to score by hand."""
    about = {"dataset": "semeval2010", "encoder": "tiny", "profile": "standard", "negative": "Other"}
    outcome = Outcome.from_rows(rows, DIRECTED, ("gold", "predicted", "paired"))
    return Run.from_outcome(outcome, model=model, seed=seed, **about | more)


def latex_tables(text: str) -> list[list[list[str]]]:
    """The cells of each tabular; AssertionError for what TeX would not take."""
    code = re.sub(r"^%.*\n?", "", text, flags=re.MULTILINE)
    plain = re.sub(r"\\textbackslash\{\}|\\\^\{\}|\\~\{\}|\\[_%&#${}]", "x", code)
    assert not re.search(r"[#^_%]", re.sub(r"\$[^$]*\$|\\label\{[^}]*\}", "", plain))
    depths = [*itertools.accumulate((char == "{") - (char == "}") for char in plain)]
    assert min(depths) >= 0 == depths[-1] and len(re.findall(r"(?<!\\)\$", code)) % 2 == 0
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", code):
        opened.append(name) if kind == "begin" else None
        assert kind == "begin" or opened.pop() == name
    assert not opened
    tables = []
    for columns, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", code, re.DOTALL):
        rows = [line.removesuffix(r" \\") for line in body.splitlines() if line.endswith(r"\\")]
        cells = [re.split(r"(?<!\\) & ", row) for row in rows]
        assert {len(row) for row in cells} == {len(columns)}
        tables.append(cells)
        assert re.findall(r"\\(\w+rule)", body) == ["toprule", "midrule", "bottomrule"]
    assert tables
    return tables


FACT_RELATIONS = ("NA", *(f"r{number}" for number in range(1, 9)))


def golden_facts() -> tuple[np.ndarray, np.ndarray]:
    """40 entity pairs × 9 labels: scores, and which are true (golden: OpenNRE's evaluation)."""
    i, r = np.arange(40)[:, None], np.arange(9)
    bonus = ((7 * i + 3 * r) % 11 == 0) & (i % 3 != 0)
    scores = ((7919 * i + 104729 * r + 611953 * i * r) % 1000003) / 1000003 + 0.35 * bonus
    gold = ((7 * i + 3 * r) % 11 == 0) & (r > 0)
    return scores, gold


ODD = [b'"', b",", b"\t", b"\n", b"\r", b"\0", b"\xff", b"{", b"[" * 3000, b"9" * 5000, b"-1", b"NaN", b" "]
ODD += [b"", b"=1+1", b"\xed\xa0\x80", b'{"a": ' * 20_000, b"1e400", b"\xef\xbb\xbf", b"\\ud800"]
ODD += [b"x" * 200_000, "علاقة".encode()]


@st.composite
def spoilt(draw, content: bytes) -> bytes:
    """The content with one to three pieces cut, doubled, or replaced by something odd."""
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 0, 1, 2, 10, 100, 10**6])))
        piece = draw(st.one_of(st.sampled_from(ODD), st.binary(max_size=8), st.just(content[start:stop] * 2)))
        content = content[:start] + piece + content[stop:]
    return content


def stop_after(steps: int, patch: pytest.MonkeyPatch, error: type[BaseException] = KeyboardInterrupt) -> None:
    """Stop training before the step of this number."""
    from helpers.models import training

    one_step = training._Loop._one_step

    def step(loop, batch):
        if loop.step == steps:
            raise error
        one_step(loop, batch)

    patch.setattr(training._Loop, "_one_step", step)


# The command, its checkpoints in a folder of the test's own and written every fifth step.
KILLABLE = """
import runpy, sys
from pathlib import Path
from helpers.experiments import run as experiments
from helpers.models import training
experiments.CHECKPOINTS, training.CHECKPOINT_SECONDS, training.CHECK_STEPS = Path(sys.argv.pop(1)), 0, 5
runpy.run_module("helpers", run_name="__main__", alter_sys=True)
"""


def train_command(encoder: Path, folder: Path, **settings) -> list[str]:
    chosen = [word for name, value in settings.items() for word in ("--set", name, str(value))]
    words = ["--model", "em-es", "--dataset", "demo", "--encoder", str(encoder), "--output", str(folder)]
    return ["train", *words, *chosen]


ROLES = ("id", "gold", "predicted", "paired")


def write_rows(path: Path, rows: list[tuple], names: tuple = ROLES) -> Path:
    """Rows in the form that the ending says."""
    kind = path.name.removesuffix(".gz").rpartition(".")[2]
    if kind == "parquet":
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))), path)
        return path
    with (gzip.open if path.name.endswith(".gz") else open)(path, "wt", encoding="utf-8", newline="") as file:
        if kind == "jsonl":
            file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
        else:
            mark = "," if kind == "csv" else "\t"
            csv.writer(file, delimiter=mark, lineterminator="\n").writerows([names, *rows])
    return path


def both_outcomes(found) -> tuple[Outcome, Outcome]:
    """Of counted files: without and with the paired samples."""
    columns = [found[role] for role in ("gold", "predicted", "predicted_paired")]
    return (
        Outcome.from_columns(*columns[:2], counts=found.counts),
        Outcome.from_columns(*columns[:2], paired=columns[2], counts=found.counts),
    )


def some_rows(n: int = 12, start: int = 0) -> list[tuple]:
    labels = ("A", "NA", "R(e1,e2)")
    return [(f"s{k}", labels[k % 3], labels[k * k % 3], labels[k % 2]) for k in range(start, start + n)]


_SOUND = '{"gold": "a", "predicted": "b"}\n'
SPOILT_FILES = {
    "a cell is empty": ("csv", "gold,predicted\na,b\na,\nb,b\n"),
    "blanks only": ("tsv", "gold\tpredicted\na\tb\n  \tb\n"),
    "too few cells": ("csv", "gold,predicted,text\na,b,c\na,b\n"),
    "a quote is open": ("csv", 'gold,predicted\na,b\n"a,b\n'),
    "no UTF-8": ("csv", b"gold,predicted\na,b\na,\xff\n"),
    "no UTF-8 in another column": ("csv", b"gold,predicted,text\na,b,x\na,b,\xff\n"),
    "a field is missing": ("jsonl", _SOUND + '{"gold": "a"}\n'),
    "a field is null": ("jsonl", _SOUND + '{"gold": null, "predicted": "b"}\n'),
    "a label is no label": ("jsonl", _SOUND + '{"gold": 1.5, "predicted": "b"}\n'),
    "a key is there twice": ("jsonl", _SOUND + '{"gold": "a", "predicted": "b", "gold": "a"}\n'),
    "no JSON": ("jsonl", _SOUND + '{"gold": "a", \n'),
    "no object": ("jsonl", _SOUND + "[1]\n"),
}


HOSTILE_NAMES = ["<script>alert(1)</script>", "=cmd()|' /C calc'!A0", "</script><img src=x onerror=alert(2)>"]


_WORDS = ["The", "fire", "here", "caused", "panic"]
PARSED = ParsedSample(
    *("1", " ".join(_WORDS), (4, 8), (21, 26), "Cause-Effect(e1,e2)", "EVENT", "STATE"),
    *(word_spans(_WORDS), (2, 4, 2, 0, 4)),
)


def sentence_of(name: str, words: list[str], head: int, tail: int, relation: str) -> RelationSample:
    """The words with blanks between them; `head` and `tail` say which two are the entities."""
    spans = word_spans(words)
    return RelationSample(name, " ".join(words), spans[head], spans[tail], relation)
