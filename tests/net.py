"""The net: what the project prints on fixed inputs, written into a folder; two such folders compared.

    python -m tests.net write before [SECTION …]
    … a change that must change nothing …
    python -m tests.net write after
    python -m tests.net compare before after [NAMED]

Written are, in blocks that begin with `$ `: what every command prints, with its exit code and standard error
(commands.txt, help.txt; refused.txt for bad input), what readers give for sound and for spoilt files
(readers.txt), the scores of all stored runs (scores.csv), the pages with their tables (pages/), and what the
notebooks print, and their tables, run in this process with few replicates (notebooks/).

Two numbers are equal if they differ by less than 1e-9; seconds, versions, addresses and the folders of this
machine are left out. A difference is a fault, or NAMED, a file of lines `START OF A BLOCK: reason`, says
why it is right. What reads the data does so in $RC_DATA_DIR: write both folders with it, or both without.
"""

import ast
import contextlib
import csv
import dataclasses
import difflib
import gzip
import importlib
import io
import itertools
import json
import logging
import math
import os
import re
import shlex
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers import ROOT
from helpers.__main__ import main as helpers_main
from helpers.notebooks import MACHINE_DEPENDENT

TOLERANCE = 1e-9
NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.]*[A-Za-z_])")
SHOWN = 6
"""Lines of a block that differs."""

# ---------------------------------------------------------------------------------------------- inputs

OTHER, CAUSE, EFFECT, ORIGIN = (
    *("Other", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"),
    "Entity-Origin(e1,e2)",
)
LABELS = [OTHER, CAUSE, EFFECT, ORIGIN]
NAMES = ("id", "gold", "predicted", "paired")


def drawn(n: int, *factors: int) -> list[str]:
    """Labels that are the same in every run, no library's random numbers among them."""
    return [LABELS[(k * k * factors[0] + k * factors[1] + k // 7) % 4] for k in range(n)]


def predictions(other: int = 0, n: int = 60) -> list[dict[str, str]]:
    """Rows of a system: two thirds right, the rest drawn."""
    gold, wrong, turned = drawn(n, 3, 5), drawn(n, 5 + other, 2), drawn(n, 2, 7 + other)
    return [
        dict(zip(NAMES, (f"s{k}", gold[k], gold[k] if (k + other) % 3 else wrong[k], turned[k]), strict=True))
        for k in range(n)
    ]


def as_csv(rows: list[dict], mark: str = ",") -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=mark, lineterminator="\n")
    writer.writerows([list(rows[0]), *(row.values() for row in rows)])
    return text.getvalue().encode()


def as_lines(rows: list[dict]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def in_every_form(stem: str, rows: list[dict]) -> dict[str, bytes]:
    """A table as CSV, TSV, JSON lines, records, an object of columns, Parquet; two of them packed."""
    frame, stream = pd.DataFrame(rows), io.BytesIO()
    frame.to_parquet(stream)
    files = {
        "csv": as_csv(rows),
        "tsv": as_csv(rows, "\t"),
        "jsonl": as_lines(rows),
        "json": json.dumps(rows).encode(),
        "columns.json": json.dumps(frame.to_dict("list")).encode(),
        "parquet": stream.getvalue(),
        "csv.gz": gzip.compress(as_csv(rows), mtime=0),
        "jsonl.gz": gzip.compress(as_lines(rows), mtime=0),
    }
    return {f"{stem}.{ending}": content for ending, content in files.items()}


def column(rows: list[dict], name: str) -> bytes:
    return "".join(f"{row[name]}\n" for row in rows).encode()


def saved(write: Callable, *arrays: Any, **named: Any) -> bytes:
    stream = io.BytesIO()
    write(stream, *arrays, **named)
    return stream.getvalue()


def fact_files() -> dict[str, bytes]:
    """Two ranked lists with ties, and the true facts."""
    pairs = [(f"h{k % 5}", f"t{k % 3}", f"r{k % 4}") for k in range(24)]
    keys = ("head", "tail", "relation")
    true = [dict(zip(keys, pair, strict=True)) for k, pair in enumerate(pairs) if k % 3 == 0]
    lists = {
        name: [
            dict(zip(keys, pair, strict=True)) | {"score": (k * step % 13) / 8}
            for k, pair in enumerate(pairs)
        ]
        for name, step in (("facts", 5), ("facts2", 7))
    }
    curve = [{"precision": round((k - k // 4) / k, 6), "recall": (k - k // 4) / 40} for k in range(1, 21)]
    return {
        "true.csv": as_csv(true),
        "curve.csv": as_csv(curve),
        "facts2.csv": as_csv(lists["facts2"]),
        **in_every_form("facts", lists["facts"]),
    }


def matrix_files() -> dict[str, bytes]:
    truth = np.array(
        [[int((k * 3 + label * 5) % 7 < 3) for label in range(4)] for k in range(12)], dtype=float
    )
    scores = np.array([[(k * 5 + label * 3) % 11 / 4 - 1 for label in range(4)] for k in range(12)])
    return {
        f"{name}.{ending}": content
        for name, matrix in (("truth", truth), ("scores", scores))
        for ending, content in (
            ("csv", "".join(",".join(map(str, row)) + "\n" for row in matrix.tolist()).encode()),
            ("npy", saved(np.save, matrix)),
            ("npz", saved(np.savez, matrix)),
        )
    }


WORDS = ("wheat", "corn", "oil", "gas", "trade", "bank", "rate", "ship", "gold", "tin")
TOPICS = ("grain", "fuel", "money", "metal")


def document_files() -> dict[str, bytes]:
    def line(k: int) -> str:
        topics = [TOPICS[n] for n in range(4) if (k + n * n) % 4 == 0 or (k * 3 + n) % 7 == 0]
        words = [WORDS[(k * 7 + n * (1 + k % 3)) % 10] for n in range(6)]
        return f"{k}\t{' '.join(topics)}\t{' '.join(words)}\n"

    def vector(k: int) -> str:
        values = " ".join(f"{n + 1}:{(k * (n + 3)) % 5 / 4:g}" for n in range(5) if (k + n) % 3)
        return f"{','.join(str(n) for n in range(3) if (k + n) % 2)} {values}\n"

    return {
        "train.txt": "".join(map(line, range(40))).encode(),
        "test.txt": "".join(map(line, range(40, 60))).encode(),
        "train.svm": "".join(map(vector, range(30))).encode(),
        "test.svm": "".join(map(vector, range(30, 40))).encode(),
        "single.txt": "".join(
            f"{TOPICS[k % 4]}\t{WORDS[k % 10]} {WORDS[k % 4]}\n" for k in range(24)
        ).encode(),
        "topics.txt": b"grain\nfuel\nmoney\nmetal\nmore\n",
    }


TREE = {
    **{"id": "7", "relation": "r", "token": ["Ada", "left", "Rome"], "stanford_head": ["2", 0, 2]},
    **{"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 2, "subj_type": "PER", "obj_type": "CITY"},
    **{"stanford_pos": ["NNP", "VBD", "NNP"], "stanford_ner": ["PERSON", "O", "CITY"]},
}
MENTION = {
    **{"token": ["Ada", "\n ", "left", "London"], "relation": "NA", "anno_relation_list": ["NA", "r"]},
    **{"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}, "t": {"name": "london", "pos": [3, 4]}},
}
PLAIN = {"token": ["Ada", "left"], "h": {"pos": [0, 1]}, "t": {"pos": [1, 2]}, "relation": "r"}
PAGE = {
    **{"title": "D", "sents": [["Ada", "left", "Rome"], ["It", "rained"]]},
    "vertexSet": [
        [{"name": "Ada", "type": "PER", "sent_id": 0, "pos": [0, 1]}],
        [{"name": "Rome", "type": "LOC", "sent_id": 0, "pos": [2, 3]}],
    ],
    "labels": [{"r": "P937", "h": 0, "t": 1, "evidence": [0]}],
}
SEMEVAL = b'1\t"The <e1>fire</e1> caused <e2>panic</e2>."\nCause-Effect(e1,e2)\nComment: none\n\n'
SEMEVAL += b'2\t"The <e1>hat</e1> and the <e2>dog</e2>."\nOther\nComment:\n\n'
KBP37 = b'0\t" <e1> Thom Yorke </e1> of <e2> Radiohead </e2> sings . "\nper:employee_of(e2,e1) \n\n\n'
SPANS = {"text": "Ada left", "e1_start": 0, "e1_end": 3, "e2_start": 4, "e2_end": 8, "relation": "r"}
MARKED = [
    {"text": f"<e1>fire {k}</e1> caused <e2>panic</e2>", "relation": LABELS[k * k % 4]} for k in range(12)
]
PROBABILITIES = {"probabilities": np.full((2, 5), 0.2), "gold": np.array([0, 1, 3]), "gold_lengths": [1, 2]}
GRID = {
    "folder": "runs",
    "model": ["em-c", "majority"],
    "dataset": "demo",
    "seed": [9, 148],
    "profile": "quick",
}


def inputs() -> dict[str, bytes]:
    """Sound files: name → content."""
    mine, other = predictions(), predictions(1)
    numbers = [{"gold": LABELS.index(row["gold"]), "pred": LABELS.index(row["predicted"])} for row in mine]
    files = in_every_form("mine", mine) | {
        "other.csv": as_csv(other),
        "shuffled.csv": as_csv(other[::-1]),
        "part1.csv": as_csv(mine[:30]),
        "part2.csv": as_csv(mine[30:]),
        "bare.csv": as_csv([{"gold": row["gold"], "predicted": row["predicted"]} for row in mine]),
        "named.csv": as_csv([{"human": row["gold"], "machine": row["predicted"]} for row in mine]),
        "spelt.csv": as_csv([row | {"predicted": row["predicted"].lower()} for row in mine]),
        "skipped.csv": as_csv([mine[k] | ({} if k % 5 else {"predicted": "(skipped)"}) for k in range(60)]),
        "formula.csv": b"gold,predicted\n=1+1,=1+1\n+a,-b\n@c,@c\n",
        "odd.csv": b"gold,predicted\nNA,NA\nNone,null\nnull,nan\nNaN,NaN\n",
        "crlf.csv": as_csv(mine).replace(b"\n", b"\r\n"),
        "bom.csv": b"\xef\xbb\xbf" + as_csv(mine),
        "numbers.csv": as_csv(numbers),
        "config.json": json.dumps({"model_type": "bert", "id2label": dict(enumerate(LABELS))}).encode(),
        "names.json": json.dumps(LABELS).encode(),
        "gold.txt": column(mine, "gold"),
        "predicted.txt": column(mine, "predicted"),
        "key.txt": "".join(f"{8001 + k}\t{row['gold']}\n" for k, row in enumerate(mine)).encode(),
        "answers.txt": "".join(f"{8001 + k}\t{mine[k]['predicted']}\n" for k in range(55)).encode(),
        "tacred.json": json.dumps([{"id": row["id"], "relation": row["gold"]} for row in mine]).encode(),
        "labels.txt": f"{CAUSE}\n{ORIGIN}\n".encode(),
        "inverse.json": json.dumps({CAUSE: EFFECT}).encode(),
        "inverse.csv": f'label,inverse\n"{CAUSE}","{EFFECT}"\n'.encode(),
        "counts.csv": b"label,count,split\nNA,8,test\nA,6,test\nB,2,test\nB,9,train\n",
        "grid.json": json.dumps(GRID | {"settings": {"epochs": 1}}).encode(),
        "own.txt": SEMEVAL,
        "own.json": json.dumps([TREE, TREE | {"id": "8", "relation": "NA"}]).encode(),
        "own2.json": json.dumps([PLAIN, PLAIN | {"relation": "s"}]).encode(),
        "batch.csv": b"file,dataset,system\nboard.csv,semeval2010,mine\nnowhere.csv,semeval2010,gone\n",
    }  # fmt: skip
    files |= {
        f"{name}-seed{k}.csv": as_csv(predictions(k + 3 * (name == "B"))) for name in "AB" for k in range(5)
    }
    for ending, content in in_every_form("own", MARKED).items():
        if ending not in ("own.json", "own.columns.json", "own.parquet"):
            files[ending] = content
    files["spans.csv"] = as_csv([SPANS, SPANS | {"relation": "NA"}])
    files |= {f"test-{name}": files[name] for name in EACH["own"]}
    return files | fact_files() | matrix_files() | document_files()


SPOILT: dict[str, bytes] = {
    "hole.csv": b"gold,predicted\na,b\na,\n",
    "ragged.csv": b"gold,predicted\na,b\na\n",
    "wide.csv": b"gold,predicted\na,b\na,b,c\n",
    "empty.csv": b"",
    "header.csv": b"gold,predicted\n",
    "unnamed.csv": b"x,y\na,b\n",
    "twocolumns.csv": b"gold,gold,predicted\na,a,b\n",
    "twice.csv": b"id,gold,predicted\n1,a,b\n2,a,b\n1,a,b\n",
    "no_id.csv": b"id,gold,predicted\n1,a,b\n,a,b\n",
    "latin.csv": "gold,predicted\na,b\ncaf\xe9,b\n".encode("latin-1"),
    "null.csv": b"gold,predicted\na,\0\n",
    "quote.csv": b'gold,predicted\n"a,b\nc,d\n',
    "semicolon.csv": b"gold;predicted\na;b\n",
    "half.csv.gz": gzip.compress(b"gold,predicted\n" + b"a,b\n" * 99, mtime=0)[:30],
    "plain.csv.gz": b"gold,predicted\na,b\n",
    "broken.parquet": b"PAR1 and no more",
    "broken.jsonl": b'{"gold": "a", "predicted": "b"}\n{"gold": "a"\n',
    "lacks.jsonl": b'{"gold": "a", "predicted": "b"}\n{"gold": "a"}\n',
    "number.jsonl": b'{"gold": "a", "predicted": 1.5}\n',
    "null.jsonl": b'{"gold": "a", "predicted": null}\n',
    "list.jsonl": b'["a", "b"]\n',
    "deep.jsonl": b'{"a": ' * 3000 + b"\n",
    "broken.json": b'[{"gold": "a"',
    "scalar.json": b"3",
    "uneven.json": b'{"gold": ["a", "b"], "predicted": ["a"]}',
    "blank.txt": b"a\n\nb\n",
    "lines.txt": b'{"gold": "a"}\n',
    "table.xlsx": b"gold,predicted\na,b\n",
    "longer.csv": as_csv([*predictions(), predictions()[0] | {"id": "s60"}]),
    "wrong.csv": as_csv([row | {"gold": OTHER} for row in predictions()]),
    "ids.csv": as_csv([row | {"id": row["id"] + "x"} for row in predictions()]),
    "case.tsv": b"gold\tpredicted\nOther\tOther\nCause-Effect(e1,e2)\tcause-effect(e1,e2)\n",
    "many.csv": b"label,count\na,many\n",
    "minus.csv": b"label,count\na,-1\n",
    "two.json": b'{"a": "b", "b": "c"}',
    "two.csv": b"label,inverse\na,b\nb,c\n",
    "short.json": b'["NA"]',
    "noscore.csv": b"head,tail,relation\nh,t,r\n",
    "nanscore.csv": b"head,tail,relation,score\nh,t,r,nan\n",
    "textscore.csv": b"head,tail,relation,score\nh,t,r,high\n",
    "twicefact.csv": b"head,tail,relation,score\nh,t,r,0.5\nh,t,r,0.7\n",
    "rising.csv": b"precision,recall,score\n1,0.1,0.5\n1,0.2,0.9\n",
    "contradiction.csv": b"precision,recall\n1,0.1\n0.2,0.9\n",
    "three.csv": b"0,1,2\n1,0,0\n",
    "raggedmatrix.csv": b"0,1\n1\n",
    "textmatrix.csv": b"0,x\n1,0\n",
    "object.npy": saved(np.save, np.array([{}], dtype=object)),
    "half.npz": saved(np.savez, np.eye(3))[:60],
    "nolabel.txt": b"one\ttwo\tthree\tfour\n",
    "broken.svm": b"1 1:x\n",
    "order.svm": b"1 3:1 2:1\n",
    "nomarks.csv": b"text,relation\nAda left,r\n",
    "outside.csv": b"text,e1_start,e1_end,e2_start,e2_end,relation\nAda,0,3,4,8,r\n",
    "gridkey.json": json.dumps(GRID | {"modle": ["em-c"]}).encode(),
    "gridmodel.json": json.dumps(GRID | {"model": "em-d"}).encode(),
    "batchless.csv": b"file,dataset\na.csv,tiny\n",
}

# -------------------------------------------------------------------------------------------- commands

COMMANDS = r"""
score {table} --format json
score {table} --paired-column paired --negative Other --format json --engine memory
score {counted} --paired-column paired --negative Other --format json --engine duckdb --check-ids
score {kind} --format json
score mine.csv --format {form} --negative Other --bootstrap 30 --paired-column paired
score mine.csv --format {form} --task semeval2010 --bootstrap 30 --paired-column paired
score formula.csv --format {form}
score formula.csv --format csv --raw
score mine.csv --negative Other --score {measure}
score mine.csv --negative Other --beta 2
score mine.csv --negative Other --bootstrap 10 --seed 3
score mine.csv --negative Other --format latex --decimals 3
score mine.csv --negative Other --labels {labels}
score mine.csv --negative Other --labels 'Cause-Effect(e1,e2)' --labels 'Entity-Origin(e1,e2)'
score mine.csv --negative Other --zero-division {nothing}
score mine.csv --negative Other --labels listed --zero-support zero
score mine.csv --negative Other --scheme macro --scheme n^0.5
score mine.csv --negative Other --score-only dodrans
score mine.csv --negative Other --fail-under dodrans=0.01
score mine.csv --negative Other --fail-under macro=0.99 --fail-under micro=0.99
score mine.csv --negative ''
score mine.csv --input-format csv --output written.txt
score mine.csv --gold gold.txt
score mine.csv --task semeval2010 --paired-column paired --score-only PD
score mine.csv --task semeval2010 --score-only official
score spelt.csv --negative Other
score spelt.csv --negative Other --normalise
score named.csv --gold-column human --predicted-column machine
score numbers.csv --id2label {names} --negative Other
score part1.csv part2.csv --negative Other --check-ids
score part*.csv --negative Other --engine duckdb
score predicted.txt --gold gold.txt --negative Other
score answers.txt --gold key.txt --task semeval2010
score shuffled.csv --gold tacred.json
score mine.csv --paired-column paired --inverse {inverse}
score - --input-format jsonl --negative Other < mine.jsonl
score - < mine.csv
compare mine.csv other.csv skipped.csv --negative Other --bootstrap 40 --format {form}
compare mine.csv shuffled.csv --negative Other --bootstrap 40
compare mine.csv other.csv --labels observed --scheme macro --bootstrap 40 --format json
compare other.csv mine.csv --labels observed --scheme macro --bootstrap 40 --format json
compare mine.csv other.csv --correction bh --score mcc --scheme weighted --bootstrap 40 --seed 5
compare mine.parquet other.csv --task semeval2010 --bootstrap 40
compare --runs A=A-seed*.csv --runs B=B-seed*.csv --negative Other --paired-column paired --format {form}
compare --runs A=A-seed*.csv --runs B=B-seed*.csv --task semeval2010
compare --runs 'A={stored}/EM-C/all-MiniLM-L6-v2/*.json' --runs 'B={stored}/PTR/all-MiniLM-L6-v2/*.json'
audit-leak mine.csv --negative Other --format {form3}
score-facts facts.csv --facts true.csv --bootstrap 20 --format {form}
score-facts facts.{ending} --facts true.csv --format json
score-facts facts.csv --facts true.csv {cut}
score-facts curve.csv --n-facts 40 --format json
score-facts twicefact.csv --facts true.csv
compare-facts facts.csv facts2.csv --facts true.csv --bootstrap 20 --format {form3}
compare-facts curve.csv curve.csv --n-facts 40 --recall 0.2 --bootstrap 20
stats {counts} --format {form2}
stats {dataset} --format json
score-multilabel --truth truth.csv --scores scores.csv --bootstrap 20 --format {form2}
score-multilabel --truth truth.{array} --scores scores.{array} --format json
score-multilabel --truth truth.csv --scores scores.csv {multilabel}
linear --train train.txt --test test.txt --seed 1 --bootstrap 20 --format {form2}
linear --train train.txt --test test.txt --seed 1 --technique {technique}
linear --train train.txt --test test.txt --seed 1 {linear}
linear --train single.txt --test single.txt --technique binary_and_multiclass
linear --train train.svm --test test.svm --predictions labels.out --scores scores.out.csv
linear --train train.txt --model m.safetensors
linear --model m.safetensors --test test.txt --format json
report mine.csv --negative Other --bootstrap 20 --format {page}
train --model {model} --dataset demo --out runs
train --model svm --dataset demo --out runs --predictions predicted.csv --overwrite
train --model majority --train {own} --test test-{own} --dataset own --variant {own} --out runs
runs --study {study}
grid --grid grid.json --dry-run --format {form2}
grid --dry-run --runs-only
data status
status
summary
leaderboard list --store store --format {form3}
leaderboard rebuild --out page.html --bootstrap 10 --store store
--version
"""
"""Every command with every format, option, kind of file and engine; see `EACH` for names in braces."""
PACKED = ("mine.csv", "mine.tsv", "mine.jsonl", "mine.parquet", "mine.csv.gz", "mine.jsonl.gz")
EACH = {
    "table": (*PACKED, "mine.json", "mine.columns.json"),
    "counted": PACKED,
    "kind": ("bare.csv", "skipped.csv", "odd.csv", "crlf.csv", "bom.csv", "numbers.csv"),
    "form": ("table", "json", "csv", "latex"),
    "form3": ("table", "json", "csv"),
    "form2": ("table", "json"),
    "page": ("markdown", "html", "json"),
    "measure": ("f1", "f0.5", "precision", "recall", "accuracy", "jaccard", "specificity", "mcc"),
    "labels": ("supported", "observed", "listed", "labels.txt"),
    "nothing": ("0", "1", "nan"),
    "names": ("config.json", "names.json"),
    "inverse": ("inverse.json", "inverse.csv"),
    "ending": ("tsv", "jsonl", "parquet", "csv.gz"),
    "cut": ("--recall 0.4", "--threshold 0.5", "--scheme macro", "--negative r3", "--recall 1 --bootstrap 9"),
    "counts": ("mine.csv --negative Other", "gold.txt", "counts.csv --negative NA", "mine.parquet"),
    "dataset": ("semeval2010", "chemprot", "tacred", "nyt24", "docred", "nyt10m", "kbp37", "re_docred"),
    "array": ("npy", "npz"),
    "multilabel": ("--multiclass", "--threshold 0.5", "--labels supported", "--k 1,2", "--scheme n^0.25"),
    "technique": ("thresholding", "cost_sensitive", "cost_sensitive_micro", "tree"),
    "linear": (
        *("--options '-s 1 -B 1'", "--label-file topics.txt", "--tfidf min_df 2", "--include-test-labels"),
        *("--remove-unlabelled", "--technique thresholding --set rule scut-fbr"),
    ),
    "model": ("majority", "svm", "majority"),
    "own": ("own.csv", "own.tsv", "own.jsonl", "own.csv.gz", "own.txt", "own.json", "own2.json", "spans.csv"),
    "study": ("standard", "gids", "redocred"),
    "stored": (f"{ROOT}/results/runs/semeval2010",),
    "spoilt": tuple(SPOILT),
    "tabular": tuple(name for name in SPOILT if name.endswith((".csv", ".tsv", ".jsonl", ".parquet", ".gz"))),
}  # fmt: skip
REFUSED = r"""
score {spoilt}
score {tabular} --engine duckdb
score nowhere.csv
score mine.cvs
score .
score *.parq
score
score mine.csv mine.csv
score mine.csv --gold-column glod
score mine.csv --gold-column --negative a
score mine.csv --paired-column p
score mine.csv --negative NA
score mine.csv --seed 1.5
score mine.csv --bootstrap many
score mine.csv --bootstrap -5
score mine.csv --format jsno
score mine.csv --input-format xml
score mine.csv --task semeval
score mine.csv --engine duckbd
score mine.csv --negativ a
score mine.csv --scheme macor
score mine.csv --scheme n^x
score mine.csv --scheme macro --scheme macro
score mine.csv --score f
score mine.csv --beta -1
score mine.csv --labels A --labels B
score mine.csv --negative Other --zero-support zero
score mine.csv --zero-division 2
score mine.csv --fail-under x
score mine.csv --fail-under dodrnas=0.5
score mine.csv --score-only PD
score mine.csv --inverse two.json
score mine.csv --paired-column paired --inverse two.json
score mine.csv --paired-column paired --inverse two.csv
score mine.csv --paired-column paired --inverse mine.csv
score mine.csv --gold other.csv --gold-column paired
score bare.csv --check-ids
score case.tsv --task semeval2010
score odd.csv --task semeval2010
score numbers.csv --id2label short.json
score predicted.txt
score lines.txt --gold gold.txt
score blank.txt --gold gold.txt
compare
compare mine.csv
compare mine.csv longer.csv
compare mine.csv wrong.csv
compare mine.csv ids.csv
compare mine.csv nowhere.csv
compare mine.csv other.csv --bootstrap 0
compare mine.csv other.csv --correction bonferroni
compare mine.csv other.csv --paired-column paired
compare A-seed1.csv A-seed2.csv B-seed1.csv
compare --runs A=nope*.csv
compare --runs A-seed1.csv
compare --runs A=hole.csv
compare --runs A=A-seed1.csv --runs B=A-seed1.csv
compare --runs A=A-seed1.csv B-seed1.csv
audit-leak mine.csv
audit-leak mine.csv --negative NA
score-facts facts.csv
score-facts curve.csv
score-facts noscore.csv --facts true.csv
score-facts nanscore.csv --facts true.csv
score-facts textscore.csv --facts true.csv
score-facts rising.csv --n-facts 9
score-facts contradiction.csv --n-facts 9
score-facts facts.csv --facts mine.csv
score-facts facts.csv --facts true.csv --recall 2
score-facts facts.csv --facts true.csv --threshold x
compare-facts facts.csv noscore.csv --facts true.csv
compare-facts facts.csv --facts true.csv
score-multilabel --truth three.csv --scores scores.csv
score-multilabel --truth scores.csv --scores scores.csv
score-multilabel --truth truth.csv --scores raggedmatrix.csv
score-multilabel --truth truth.csv --scores textmatrix.csv
score-multilabel --truth object.npy --scores scores.npy
score-multilabel --truth truth.csv --scores half.npz
score-multilabel --truth truth.csv --scores scores.csv --k 0
score-multilabel --truth truth.csv --scores scores.csv --k 9
stats tacrde
stats many.csv
stats minus.csv
stats unnamed.csv
stats mine.csv --figure a.doc
stats tacred --negative NA
linear --test test.txt
linear --train nolabel.txt --test test.txt
linear --train broken.svm --test test.svm
linear --train order.svm
linear --train train.txt --test test.svm
linear --train train.txt --test test.txt --technique svm
linear --train train.txt --options '-s 9'
linear --train train.txt --set depth 3
linear --model scores.npz --test test.txt
train
train --model em-d --dataset demo --out runs
train --model majority --dataset dmeo --out runs
train --model majority --train own.csv --out runs
train --model majority --train own.csv --test own.csv --out runs
train --model majority --train nomarks.csv --test own.csv --out runs
train --model majority --train own.csv --test outside.csv --out runs
train --model em-c --dataset demo --set epoch 3 --out runs
train --model em-c --dataset demo --option marker_schema x --out runs
train --model em-c --dataset demo --seed -1 --out runs
train --model em-c --dataset demo --profile fast --out runs
train --model recent --dataset semeval2010 --out runs
grid --grid gridkey.json --dry-run
grid --grid gridmodel.json --dry-run
grid --grid two.json --dry-run
grid --grid broken.json --dry-run
grid --grid nowhere.json --dry-run
data stauts
data fetch
data fetch kbp73
data build-pairs
data status kbp37
data build-pairs out --dataset tacred
notebooks -p sed 1
notebooks -p seed 1 -p seed 2
notebooks -p seed
notebooks --only 77
notebooks --only 00 -p replicates ten
leaderboard add --store store
leaderboard add mine.csv --system x --store store
leaderboard add mine.csv --dataset semeval --system x --store store
leaderboard add mine.csv --dataset semeval2010 --system mine --store store
leaderboard add hole.csv --dataset kbp37 --system x --store store
leaderboard add --batch batchless.csv --store store
leaderboard add --batch batch.csv --store store
leaderboard remove --dataset semeval2010 --system nobody --store store
leaderboard compare mine.csv other.csv --dataset semeval2010 --systems A B --store store
report hole.csv
report mine.csv --dataset tacred
runs --study gid
runs --run nowhere.json
summary all
status --chekc
scroe mine.csv

--versoin
"""
"""Bad input of each kind."""


def expanded(text: str) -> Iterator[str]:
    """Every line, with each of `EACH` in the place of a name in braces."""
    for line in text.strip("\n").splitlines():
        names = dict.fromkeys(re.findall(r"\{(\w+)\}", line))
        for values in itertools.product(*(EACH[name] for name in names)):
            yield line.format(**dict(zip(names, values, strict=True)))


def call(line: str) -> str:
    """What a command says: exit code, standard output, standard error."""
    words, _, stdin = line.partition(" < ")
    out, err = io.StringIO(), io.StringIO()
    given, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(Path(stdin).read_bytes() if stdin else b""))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = helpers_main(shlex.split(words))
    finally:
        sys.stdin = given
    return f"exit {code}\n{out.getvalue()}" + (
        f"--- standard error\n{err.getvalue()}" if err.getvalue() else ""
    )


# --------------------------------------------------------------------------------------------- readers

READERS: dict[str, dict[str, bytes]] = {
    "helpers.data:read_predictions": {f"mine.{end}": b"" for end in ("csv", "tsv", "jsonl", "parquet")},
    "helpers.data:read_label_names": {"config.json": b"", "names.json": b"", "labels.txt": b""},
    "helpers.data:read_inverse": {"inverse.json": b"", "inverse.csv": b""},
    "helpers.data:read_matrix": {"scores.csv": b"", "scores.npy": b"", "scores.npz": b""},
    "helpers.data:read_documents": {"train.txt": b"", "train.svm": b""},
    "helpers.data:read_labels": {"topics.txt": b""},
    "helpers.data:read_relation_file": dict.fromkeys(
        ("own.csv", "own.jsonl", "own.txt", "own.json", "own2.json", "spans.csv"), b""
    ),
    "helpers.data:read_nyt_star": {"a.json": b'[{"text": "a b", "triple_list": [["a", "/r", "b"]]}]'},
    "helpers.data:read_opennre": {
        "a.txt": (json.dumps(MENTION) + "\n").encode() * 2,
        "b.txt": f"{MENTION}\n{MENTION}\n".encode(),
    },
    "helpers.data:read_gids": {
        "a.tsv": b"/m/1\t/m/2\tAda_L\tLondon\tNA\tAda_L left London. ###END### \n" * 2
    },
    "helpers.data:read_entity_types": {"a.json": b'{"/m/1": ["/location", "/location/city"], "/m/2": []}'},
    "helpers.data:read_sentence_pairs": {"a.json": json.dumps([PAGE, PAGE]).encode()},
    "helpers.data:read_tacred": {"a.json": json.dumps([TREE, TREE]).encode()},
    "helpers.data:read_ranked_list": {
        "a.txt": b"1.0\t0.1\t0.9\n0.5\t0.1\t0.8\n",
        "b.txt": b"1.0\t0.1\t0.9\ta b /r\n" * 2,
    },
    "helpers.data:read_gids_probabilities": {"a.npz": saved(np.savez, **PROBABILITIES)},
    "helpers.data.formats:read_semeval": {"a.txt": SEMEVAL},
    "helpers.data.formats:read_kbp37": {"a.txt": KBP37},
    "helpers.data.formats:read_chemprot": {
        "a.txt": b'{"text": "<< a >> x [[ b ]]", "label": "A", "metadata": []}\n'
    },
    "helpers.data.formats:read_docred": {"a.json": json.dumps([PAGE]).encode()},
}
"""Reader → its files; b"" is the file of that name among `inputs`."""
SPOILS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda content: content,
    "cut in the middle": lambda content: content[: len(content) // 2],
    "a byte that is no UTF-8": lambda content: (
        content[: len(content) // 3] + b"\xff" + content[len(content) // 3 :]
    ),
    "a quote in the middle": lambda content: (
        content[: len(content) // 2] + b'"' + content[len(content) // 2 :]
    ),
    "a field lost": lambda content: re.sub(rb"[,\t ][^,\t ]*(?=\n|$|\}|\])", b"", content, count=1),
    "empty": lambda content: b"",
}


def described(value: Any) -> Any:
    """A value as JSON, without the names of classes."""
    if isinstance(value, pd.DataFrame):
        return value.to_csv(index=False)
    if hasattr(value, "tocoo"):
        return value.toarray().tolist()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: described(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if hasattr(value, "_asdict"):
        return described(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): described(one) for key, one in value.items()}
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    if hasattr(value, "__iter__"):
        return [described(one) for one in value]
    return (
        {key: described(one) for key, one in vars(value).items()}
        if hasattr(value, "__dict__")
        else str(value)
    )


def read(name: str, path: Path) -> str:
    """What a reader gives, or what it says of the file."""
    module, _, attribute = name.partition(":")
    try:
        with contextlib.redirect_stderr(io.StringIO()) as err:
            found = getattr(importlib.import_module(module), attribute)(path)
            said = json.dumps(described(found), ensure_ascii=False)
    except Exception as error:
        return f"{type(error).__name__}: {error}\n"
    return f"{said}\n{err.getvalue()}"


def blocks_of_readers(files: Mapping[str, bytes]) -> Iterator[tuple[str, str]]:
    for name, own in READERS.items():
        for file, content in own.items():
            for how, spoil in SPOILS.items():
                path = Path("spoilt", file)
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(spoil(content or files[file]))
                yield f"{name} {file}, {how}", read(name, path)


# --------------------------------------------------------------------- runs, pages, notebooks' tables

SKIPPED = {
    "05_train_a_relation_classifier": "trains a model for minutes",
    "08_attention_case_study": "runs the encoder",
    "16_bring_your_own": "trains small models",
}
LIGHTER = {"replicates": 60, "experiments": 300, "draws": 20, "train": "none", "interactive": False}


def blocks_of_notebook(path: Path) -> Iterator[tuple[str, str]]:
    """What each cell of a notebook prints, and the tables that it writes, run in this process."""
    import matplotlib
    import nbformat

    matplotlib.use("Agg")
    folder = Path.cwd() / "notebooks" / path.stem  # a relative one would be taken from the project's root
    given = LIGHTER | {"results_dir": str(folder / "results"), "figures_dir": str(folder / "figures")}
    space: dict[str, Any] = {"__name__": "__main__", "display": print}
    for place, cell in enumerate(nbformat.read(path, as_version=4).cells):
        if cell.cell_type != "code":
            continue
        body = ast.parse(cell.source).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as out, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(ast.Module(body, []), path.stem, "exec"), space)
            value = last and eval(compile(ast.Expression(last.value), path.stem, "eval"), space)
            if isinstance(value, pd.DataFrame | pd.Series):
                value = value.to_csv()
            if value is not None:
                print(value)
        if "parameters" in cell.metadata.get("tags", []):
            space.update({name: value for name, value in given.items() if name in space})
        yield f"{path.stem}, cell {place}", out.getvalue()
    matplotlib.pyplot.close("all")
    for table in sorted(folder.rglob("*.csv")):
        yield table.relative_to(folder.parent).as_posix(), table.read_text("utf-8")


def scores() -> Iterator[tuple[str, str]]:
    from tests.golden.renew import stored_scores

    for path, found in stored_scores().items():
        yield path, "".join(f"{name} {value!r}\n" for name, value in found.items())


def pages() -> Iterator[tuple[str, str]]:
    from helpers.papers.page import PAGES, made

    for page in PAGES:
        yield page, made(page)
    yield "page.html", Path("page.html").read_text("utf-8")


def notebooks() -> Iterator[tuple[str, str]]:
    from helpers.notebooks import notebook_paths

    for path in notebook_paths():
        if path.stem not in SKIPPED:
            yield from blocks_of_notebook(path)


def sections(files: Mapping[str, bytes]) -> dict[str, Iterator[tuple[str, str]]]:
    words = re.findall(r"^  ([a-z-]+) ", call("--help"), re.MULTILINE)
    return {
        "help": ((name, call(f"{name} --help")) for name in ["", *words]),
        "commands": ((line, call(line)) for line in expanded(COMMANDS)),
        "refused": ((line, call(line)) for line in expanded(REFUSED)),
        "readers": blocks_of_readers(files),
        "scores": scores(),
        "pages": pages(),
        "notebooks": notebooks(),
    }


# --------------------------------------------------------------------------------- written, compared


def write(out: Path, *only: str) -> None:
    """Write the net, or only these sections, into a folder; says how long each took."""
    out = out.absolute()
    out.mkdir(parents=True, exist_ok=True)
    logging.disable()
    os.environ |= {"TQDM_DISABLE": "1", "COLUMNS": "100"}
    if data := os.environ.get("RC_DATA_DIR"):
        os.environ["RC_DATA_DIR"] = os.path.abspath(data)
    with tempfile.TemporaryDirectory() as folder:
        shown = {os.path.realpath(folder): "HERE", folder: "HERE", str(ROOT): "ROOT", str(Path.home()): "~"}
        shown |= {os.environ["RC_DATA_DIR"]: "DATA"} if data else {}
        os.chdir(folder)
        files = inputs()
        for name, content in (files | SPOILT).items():
            Path(name).write_bytes(content)
        for section, blocks in sections(files).items():
            if only and section not in only:
                continue
            start, begun = time.process_time(), time.perf_counter()
            with open(out / f"{section}.txt", "w", encoding="utf-8") as file:
                for title, text in blocks:
                    file.write(clean(f"$ {title}\n{text.rstrip()}\n\n".replace("\n$ ", "\n| $ "), shown))
            used, passed = time.process_time() - start, time.perf_counter() - begun
            print(f"{section}: {used:.0f} s of processor time, {passed:.0f} s", flush=True)
        os.chdir(ROOT)


def clean(text: str, shown: Mapping[str, str]) -> str:
    """The text without what differs between machines and runs."""
    for folder in sorted(shown, key=len, reverse=True):
        text = re.sub(re.escape(folder) + r"(?![\w-])", shown[folder], text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    text = re.sub(r"\b\d[\d.,]* a second\b|(?<=\"seconds\": )[\d.e-]+", "…", text)
    for name, pattern in MACHINE_DEPENDENT.items():
        text = pattern.sub(f"… {name}", text)
    return text


def read_blocks(folder: Path) -> dict[str, str]:
    """Every block of a net by its section and first line."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.txt")):
        for block in re.split(r"^(?=\$ )", path.read_text("utf-8"), flags=re.MULTILINE)[1:]:
            title, _, text = block.partition("\n")
            name = f"{path.stem} {title}"
            found[name if name not in found else f"{name} (again)"] = text
    return found


def equal(old: str, new: str) -> bool:
    """The same text, with numbers that differ by less than `TOLERANCE`."""
    if old == new:
        return True
    if NUMBER.split(old) != NUMBER.split(new):
        return False
    pairs = zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=TOLERANCE, abs_tol=TOLERANCE) for a, b in pairs)


def compare(old: Path, new: Path, named: Path | None = None) -> int:
    """Print every block that differs; returns how many do that are not named."""
    before, after = read_blocks(old), read_blocks(new)
    lines = named.read_text("utf-8").splitlines() if named else []
    reasons = [(start, reason) for start, _, reason in (line.rpartition(": ") for line in lines) if start]
    faults = 0
    for name in dict.fromkeys((*before, *after)):
        first, second = before.get(name, ""), after.get(name, "")
        if equal(first, second) and (name in before) == (name in after):
            continue
        reason = next((why for start, why in reasons if name.startswith(start)), "")
        faults += not reason
        print(f"{name}\n" + (f"    named: {reason}" if reason else ""))
        rows = [
            row
            for row in difflib.unified_diff(first.splitlines(), second.splitlines(), lineterm="", n=0)
            if not row.startswith(("---", "+++", "@@"))
        ]
        for row in islice(rows, SHOWN if not reason else 0):
            print(f"    {row[:160]}")
        if not reason and len(rows) > SHOWN:
            print(f"    … {len(rows) - SHOWN} lines more")
    print(f"{len(before.keys() | after.keys())} blocks, {faults} differ without a reason")
    return faults


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder, *only]:
            write(Path(folder), *only)
        case ["compare", old, new, *rest] if len(rest) < 2:
            sys.exit(compare(Path(old), Path(new), *map(Path, rest)) > 0)
        case _:
            sys.exit(__doc__)
