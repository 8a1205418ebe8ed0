"""Spoilt files for every command and every reader: a right answer, or one line that names the file.

A command or a reader that is not listed here fails a test: with it comes a valid file to be spoilt. EXAMPLES
is the number of spoilt files for each, 40 by default.
"""

import importlib
import io
import json
import os
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import data
from helpers.cli import app
from helpers.data import Documents, datasets
from helpers.metrics import Outcome
from helpers.models.linear import DocumentClassifier
from helpers.runs import Run
from helpers.runs.files import run_text
from tests.support import run_command, spoilt, write_rows

EXAMPLES = int(os.environ.get("EXAMPLES", "40"))
LABELS = ["Other", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "NA"]
RECORDS = [
    {"gold": LABELS[n % 4], "predicted": LABELS[n * 3 % 4], "paired": LABELS[n * 7 % 3]} for n in range(24)
]
TEXTS = "grain\twheat and corn\ngas oil\toil and gas\ntrade\tcorn for oil\n\tnothing\n" * 3


def saved(write, *arrays) -> bytes:
    stream = io.BytesIO()
    write(stream, *arrays)
    return stream.getvalue()


def in_every_form(rows: list[dict]) -> dict[str, bytes]:
    """Rows as CSV, TSV, JSON lines and Parquet."""
    frame, stream = pd.DataFrame(rows), io.BytesIO()
    frame.to_parquet(stream)
    lines = frame.to_json(orient="records", lines=True).encode()
    texts = {
        f"a.{end}": frame.to_csv(sep=mark, index=False).encode()
        for end, mark in (("csv", ","), ("tsv", "\t"))
    }
    return texts | {"a.jsonl": lines, "a.parquet": stream.getvalue()}


@cache
def a_model() -> dict[str, bytes]:
    """A linear classifier that was saved."""
    documents = Documents(["1", "2"], [["grain"], ["oil"]], ["wheat and corn", "oil and gas"])
    with tempfile.TemporaryDirectory() as folder:
        DocumentClassifier(options="-s 2").fit(documents).save(Path(folder, "m"))
        return {"a.safetensors": Path(folder, "m").read_bytes()}


def a_run() -> dict[str, bytes]:
    """A run file."""
    outcome = Outcome.from_columns(["a", "b"], ["a", "a"])
    return {"a.json": run_text(Run.from_outcome(outcome, dataset="d", model="m")).encode()}


TABLES = in_every_form(RECORDS)
DOCUMENTS_OF_LABELS = {
    "a.json": json.dumps(RECORDS).encode(),
    "b.json": json.dumps(pd.DataFrame(RECORDS).to_dict("list")).encode(),
}
LISTS_OF_LABELS = {
    "a.txt": "".join(f"{row['gold']}\n" for row in RECORDS).encode(),
    "b.txt": "".join(f"{8000 + n}\t{row['gold']}\n" for n, row in enumerate(RECORDS)).encode(),
    "a.json": json.dumps([row["gold"] for row in RECORDS]).encode(),
    "b.json": json.dumps([{"id": str(n), "relation": row["gold"]} for n, row in enumerate(RECORDS)]).encode(),
}
NAMES = {
    "a.json": b'{"model_type": "bert", "id2label": {"0": "NA", "1": "A"}}',
    "b.json": b'{"NA": 0, "A": 1}',
    "c.json": b'["NA", "A"]',
    "a.txt": b"NA\nA\n",
}
TRUTH = np.eye(4, 3)
MATRICES = {
    "a.csv": b"1,0,0\n0,1,0\n0,0,1\n0,0,0\n",
    "a.npy": saved(np.save, TRUTH),
    "a.npz": saved(np.savez, TRUTH),
}
COUNTS = {"a.csv": b"label,count,split\nNA,8,test\nA,6,test\nB,2,test\n"}
DOCUMENTS = {"a.txt": TEXTS.encode(), "a.svm": b"grain 1:1 3:0.5\ngas,oil 2:1\ntrade 1:0.5 2:1\n" * 3}
SCORED = in_every_form(
    [{"head": f"h{n % 7}", "tail": "t", "relation": f"r{n // 7}", "score": n * 7 % 11 / 4} for n in range(21)]
)
CURVES = in_every_form([{"precision": 0.5, "recall": n / 40, "score": 1 - n / 40} for n in range(2, 25, 2)])
INVERSES = {"a.json": b'{"Cause-Effect(e1,e2)": "Cause-Effect(e2,e1)"}', "a.csv": b"label,inverse\nA,B\n"}
BLOCK = b'1\t"The <e1>fire</e1> caused <e2>panic</e2>."\nCause-Effect(e1,e2)\nComment: none\n\n'
PAIR = b'0\t" <e1> Thom Yorke </e1> of <e2> Radiohead </e2> sings . "\nper:employee_of(e2,e1) \n\n\n'

MENTION = {"token": ["Ada", "\n ", "left", "London"], "relation": "NA", "anno_relation_list": ["NA", "r"]}
MENTION |= {"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}, "t": {"name": "london", "pos": [3, 4]}}
MENTIONS = {"a.txt": (json.dumps(MENTION) + "\n").encode() * 2, "b.txt": f"{MENTION}\n{MENTION}\n".encode()}
GIDS = b"/m/1\t/m/2\tAda_L\tLondon\tNA\tAda_L left London. ###END### \n" * 2
LISTED = {"a.txt": b"1.0\t0.1\t0.9\n0.5\t0.1\t0.8\n", "b.txt": b"1.0\t0.1\t0.9\ta b /r\n" * 2}
PROBABILITIES = {"probabilities": np.full((2, 5), 0.2), "gold": np.array([0, 1, 3]), "gold_lengths": [1, 2]}
PROBABILITIES = saved(lambda stream: np.savez(stream, **PROBABILITIES))
LISTS = {"a.json": b'{"/m/1": ["/location", "/location/city"], "/m/2": []}'}

DOCUMENT = {
    "title": "D",
    "vertexSet": [[{"name": "A"}], [{"name": "B"}]],
    "labels": [{"r": "P17", "h": 0, "t": 1}],
}

TREE = {"id": "7", "relation": "r", "token": ["Ada", "left", "Rome"], "stanford_head": ["2", 0, 2]}
TREE |= {
    "subj_start": 0,
    "subj_end": 0,
    "obj_start": 2,
    "obj_end": 2,
    "subj_type": "PERSON",
    "obj_type": "CITY",
}
TREE |= {"stanford_pos": ["NNP", "VBD", "NNP"], "stanford_ner": ["PERSON", "O", "CITY"]}

DEPENDENCIES = {"a.txt": b"fire\tpanic\tOther\tThe <e1> fire </e1> caused <e2> panic </e2>\n"}
DEPENDENCIES["a.txt.dep"] = b"0\t3\tROOT\n2\t1\tdet\n3\t2\tnsubj\n3\t4\tdobj\n"

PAGE = {"title": "D", "sents": [["Ada", "left", "Rome"], ["It", "rained"]]}
PAGE["vertexSet"] = [
    [{"name": "Ada", "type": "PER", "sent_id": 0, "pos": [0, 1]}],
    [{"name": "Rome", "type": "LOC", "sent_id": 0, "pos": [2, 3]}],
]
PAGE["labels"] = [{"r": "P937", "h": 0, "t": 1, "evidence": [0]}]

ANNOTATED = {"a.json": json.dumps([PAGE]).encode()}
FACTS_OF_DOCUMENTS = {"a.json": json.dumps([{"title": "D", "h_idx": 0, "t_idx": 1, "r": "P937"}]).encode()}
LISTED_TRIPLES = [["Ada", "left", "Rome"], ["Ada", "of", "Rome"]]
ENDS = {"head": {"text": "Ada", "start": 0, "end": 3, "type": "PER"}, "relation": "left"}
ENDS |= {"tail": {"text": "Rome", "span": [9, 13], "type": "LOC"}}
REBEL = "<s><triplet> Ada <subj> Rome <obj> left</s>"
TRIPLES = {
    "a.json": json.dumps(
        [{"text": "Ada", "truth": LISTED_TRIPLES, "predict": LISTED_TRIPLES[:1]}] * 3
    ).encode(),
    "b.json": json.dumps([{"text": "Ada left Rome", "gold": [ENDS], "predicted": [ENDS]}]).encode(),
    "a.jsonl": json.dumps({"triple_list": LISTED_TRIPLES, "output": REBEL}).encode() + b"\n",
    "a.csv": pd.DataFrame({"gold": [json.dumps(LISTED_TRIPLES)], "predicted": [REBEL]})
    .to_csv(index=False)
    .encode(),
}

GRID = {
    "folder": "runs",
    "model": ["em-c", "majority"],
    "dataset": "demo",
    "seed": [9, 148],
    "profile": "quick",
}
GRIDS = {"a.json": json.dumps(GRID | {"settings": {"epochs": 1}}).encode()}
INDEX = {"notebooks/01.ipynb": {"made": {"figures/a": "ab"}, "read": {}, "rules": 1}}
INDEXES = {"a.json": json.dumps(INDEX).encode()}
PLAIN_WORDS = {"token": ["Ada", "left"], "h": {"pos": [0, 1]}, "t": {"pos": [1, 2]}, "relation": "r"}
OWN = {"text": "Ada left", "e1_start": 0, "e1_end": 3, "e2_start": 4, "e2_end": 8, "relation": "r"}
OWN_FILES = {name: content for name, content in in_every_form([OWN] * 2).items() if name != "a.parquet"}
OWN_FILES |= {"a.txt": BLOCK, "a.json": json.dumps([TREE, PLAIN_WORDS]).encode()}

MAPPED = "{} --gold-column gold --predicted-column pred"
ANSWER_MAPS = {"a.json": b'{"none": "NA", "n/a": "NA"}', "a.csv": b"answer,label\nnone,NA\n"}

COMMANDS = {
    "score": [
        (TABLES, "{} --format json"),
        (TABLES, "{} --negative Other --paired-column paired --format json"),
        (TABLES, "{} --normalise --score mcc --zero-division nan --labels observed --format json"),
        (TABLES, "{} --label-set gold --off-list skip --empty skip --normalise --format json"),
        ({"a.txt": b"r\nOther\n"}, "{} --gold {} --label-set {} --off-list count --format json"),
        ({"a.csv": b"gold,pred,answer,label\nA,no,no,A\nB,B,b,B\n"}, f"{MAPPED} --map {{}} --format json"),
        (DOCUMENTS_OF_LABELS, "{} --paired-column paired --format json"),
        (LISTS_OF_LABELS, "{} --gold {} --format json"),
        (TABLES, "{} --engine duckdb --paired-column paired --format json"),
    ],
    "compare": [
        (TABLES, "{} {} --bootstrap 20 --format json"),
        (TRIPLES, "{} {} --bootstrap 20 --match last-token --format json"),
        (ANNOTATED, "{} {} --gold {} --bootstrap 20 --format json"),
        (TABLES | DOCUMENTS_OF_LABELS, "--runs a={} --paired-column paired --format json"),
    ],
    "audit-leak": [(TABLES, "{} --negative Other --format json")],
    "score-facts": [(SCORED, "{} --facts {} --format json"), (CURVES, "{} --format json --n-facts 40")],
    "compare-facts": [(SCORED, "{} {} --facts {} --bootstrap 5 --format json")],
    "score-triples": [
        (TRIPLES, "{} --bootstrap 5 --format json"),
        (TRIPLES, "{} --gold {} --match boundaries --normalise --format json"),
        (ANNOTATED, "{} --gold {} --train {} --format json"),
    ],
    "stats": [(COUNTS, "{} --format json"), (TABLES | LISTS_OF_LABELS, "{} --format json")],
    "score-multilabel": [(MATRICES, "--truth {} --scores {} --format json")],
    "linear": [(DOCUMENTS, "--train {} --test {} --format json --seed 1")],
    "runs": [],
    "report": [(TABLES, "{} --bootstrap 5 --format json")],
    "grid": [(GRIDS, "--grid {} --dry-run --format json")],
}
"""Command → valid files and the words that give it such a file."""
NO_FILES = {
    "plan": "reads files as compare does, by read_label_columns, and then draws test sets for seconds",
    "data": "fetches and reads registered files, whose checksums are known",
    "train": "reads registered files, your own by read_relation_file, and run files as load_run does",
    "notebooks": "runs the repository's own notebooks",
    "summary": "reads the repository's own tables",
    "leaderboard": "2,000 spoilt files in tests/unit/reporting/leaderboard/test_store.py",
    "status": "reads the repository's own results",
}
READERS = {
    "helpers.data:open_source": TABLES | DOCUMENTS_OF_LABELS | {"a.txt": LISTS_OF_LABELS["a.txt"]},
    "helpers.data:read_label_names": NAMES,
    "helpers.data:read_label_columns": TABLES,
    "helpers.data:count_files": TABLES,
    "helpers.data:read_predictions": TABLES,
    "helpers.data:read_inverse": INVERSES,
    "helpers.data:read_answer_map": ANSWER_MAPS,
    "helpers.data:read_relation_file": OWN_FILES,
    "helpers.data:read_matrix": MATRICES,
    "helpers.data:read_documents": DOCUMENTS,
    "helpers.data:read_labels": {"a.txt": b"grain\noil\n"},
    "helpers.data:read_nyt_star": {"a.json": b'[{"text": "a b", "triple_list": [["a", "/r", "b"]]}]'},
    "helpers.data:read_opennre": MENTIONS,
    "helpers.data:read_gids": {"a.tsv": GIDS},
    "helpers.data:read_entity_types": LISTS,
    "helpers.data:read_relation_aliases": LISTS,
    "helpers.data:read_sentence_pairs": {"a.json": json.dumps([PAGE, PAGE]).encode()},
    "helpers.data:read_dependencies": DEPENDENCIES,
    "helpers.data:read_tacred": {"a.json": json.dumps([TREE, TREE]).encode()},
    "helpers.data:read_triples": TRIPLES,
    "helpers.data:read_annotated_documents": ANNOTATED,
    "helpers.data:read_document_facts": FACTS_OF_DOCUMENTS,
    "helpers.data:read_ranked_list": LISTED,
    "helpers.data:read_gids_probabilities": {"a.npz": PROBABILITIES},
    "helpers.data.ranked_lists:read_arrays": {name: MATRICES[name] for name in ("a.npy", "a.npz")},
    "helpers.data.formats:read_semeval": {"a.txt": BLOCK},
    "helpers.data.formats:read_kbp37": {"a.txt": PAIR},
    "helpers.data.formats:read_chemprot": {
        "a.txt": b'{"text": "<< a >> x [[ b ]]", "label": "A", "metadata": []}\n'
    },
    "helpers.data.formats:read_nyt_star": {"a.json": b'[{"text": "a b", "triple_list": [["a", "/r", "b"]]}]'},
    "helpers.data.formats:read_docred": {"a.json": json.dumps([DOCUMENT]).encode()},
    "helpers.data.formats:read_txt": {"a.txt": TEXTS.encode()},
    "helpers.runs:load_run": a_run,
    "helpers.runs:read_index": INDEXES,
    "helpers.experiments:read_grid": GRIDS,
    "helpers.models.linear:DocumentClassifier.load": a_model,
}
"""Reader → valid files, or what makes them."""
TWO_FILES = {"helpers.data:read_dependencies"}
"""Readers of a file and of another one beside it."""
OTHERS = {
    "read_corpus": "reads registered files by the readers above",
    "_read_goemotions": "two files; spoilt ones in tests/unit/data/test_document_files.py",
    "read_curve": "two files, which read_arrays reads; spoilt ones in tests/unit/data/test_ranked_lists.py",
}


def test_every_command_and_every_reader_has_files_to_spoil():
    assert {*COMMANDS, *NO_FILES} == set(app.commands), "list the new command in COMMANDS, with a valid file"
    exported = {
        f"helpers.data:{name}" for name in dir(data) if name.startswith(("read_", "open_", "count_files"))
    }
    own = {f"helpers.data.formats:{one.reader.__name__}" for one in datasets().values() if one.reader}
    known = {name.rpartition(":")[2] for name in READERS} | {*OTHERS}
    assert {name.rpartition(":")[2] for name in exported | own} <= known, (
        "list the new reader in READERS, with a valid file"
    )


FUZZED = settings(
    max_examples=EXAMPLES,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
    ],
)
CASES = [(name, files, words) for name, kinds in COMMANDS.items() for files, words in kinds]


@pytest.mark.parametrize(
    ("name", "files", "words"), CASES, ids=[f"{name} {words}" for name, _, words in CASES]
)
@FUZZED
@given(choices=st.data())
def test_a_command_answers_or_names_the_file(name, files, words, tmp_path, choices):
    chosen = choices.draw(st.sampled_from(sorted(files)))
    (tmp_path / chosen).write_bytes(choices.draw(spoilt(files[chosen])))
    place = str(tmp_path / chosen)
    code, out, err = run_command(name, *(word.format(place) for word in words.split()))
    said = [line for line in err.splitlines() if line.startswith("error: ")]
    if code == 0:
        assert not said
        assert json.loads(out, parse_constant=pytest.fail)
    else:
        assert code == 2 and out == "" and len(said) == 1, err
        assert chosen in said[0] and len(said[0]) <= 2100 and "a fault of this program" not in said[0]
    assert [path.name for path in tmp_path.iterdir()] == [chosen]
    (tmp_path / chosen).unlink()


def reader(name: str):
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    return found


def write_valid(name: str, folder: Path) -> dict[str, bytes]:
    """All valid files of a reader in the folder; their contents."""
    files = READERS[name]() if callable(READERS[name]) else READERS[name]
    for file, content in files.items():
        (folder / file).write_bytes(content)
    return files


@pytest.mark.parametrize("name", READERS)
@FUZZED
@given(choices=st.data())
def test_a_reader_reads_or_names_the_file(name, tmp_path, choices):
    files = write_valid(name, tmp_path)
    chosen = choices.draw(st.sampled_from(sorted(files)))
    (tmp_path / chosen).write_bytes(choices.draw(spoilt(files[chosen])))
    read = min(files) if name in TWO_FILES else chosen
    try:
        reader(name)(tmp_path / read)
    except ValueError as error:
        assert read in str(error) and len(str(error)) < 3000


@pytest.mark.parametrize("name", READERS)
def test_the_valid_files_are_read(name, tmp_path):
    """Else nothing but refusals would be tested."""
    files = write_valid(name, tmp_path)
    for chosen in [min(files)] if name in TWO_FILES else files:
        assert reader(name)(tmp_path / chosen) is not None


ANY_LABEL = st.sampled_from(
    ["A", "NA", "R(e1,e2)", "R(e2,e1)", "None", "007", " ", "", "ä|b", "(skipped)", "=x"]
)


@st.composite
def small_tables(draw) -> tuple[list[str], list[list[str]]]:
    """A header and up to six rows: with ids or without, with predictions on paired samples or without."""
    names = [name for name in ("id", "paired") if draw(st.booleans())]
    names = draw(st.permutations(["gold", "predicted", *names]))
    cells = st.tuples(*(st.sampled_from("1234567") if name == "id" else ANY_LABEL for name in names))
    return names, [list(row) for row in draw(st.lists(cells, max_size=6))]


@FUZZED
@given(choices=st.data())
def test_duckdb_reads_a_spoilt_file_as_memory_does_or_refuses_it(tmp_path, choices):
    """What it accepts and memory refuses has its fault in what is not counted; no table is another."""
    chosen = choices.draw(st.sampled_from(sorted(TABLES)))
    path = tmp_path / chosen
    path.write_bytes(choices.draw(spoilt(TABLES[chosen])))
    outcomes = []
    for engine in ("memory", "duckdb"):
        try:
            found = data.count_files(path, engine=engine)
            outcomes.append(Outcome.from_columns(found["gold"], found["predicted"], counts=found.counts))
        except ValueError as error:
            outcomes.append(str(error))
    in_memory, in_duckdb = outcomes
    if isinstance(in_memory, Outcome) and isinstance(in_duckdb, Outcome):
        assert in_memory == in_duckdb
    elif isinstance(in_duckdb, Outcome):
        assert in_duckdb.n <= len(RECORDS) + 3, in_memory


def expected_fault(names: list[str], rows: list[list[str]], negative: str | None) -> str | None:
    """What has to be said of such a table, or None if it is sound."""
    columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
    if not rows:
        return "there are no predictions"
    if any(not cell.strip() for column in columns.values() for cell in column):
        return "the cell is empty"
    if len(set(columns.get("id", ()))) < len(columns.get("id", ())):
        return "occurs twice"
    labels = {label for name, column in columns.items() if name != "id" for label in column}
    return "negative is" if negative and negative not in labels else None


@FUZZED
@given(
    table=small_tables(),
    negative=st.sampled_from([None, "NA", "A"]),
    ending=st.sampled_from(["csv", "tsv", "jsonl"]),
)
def test_a_small_table_is_scored_or_its_fault_is_the_one_that_is_named(tmp_path, table, negative, ending):
    names, rows = table
    path = write_rows(tmp_path / f"a.{ending}", rows, names)
    words = ["score", path, "--format", "json"]
    words += ["--negative", negative] if negative else []
    words += ["--paired-column", "paired"] if "paired" in names else []
    code, out, err = run_command(*words)
    fault = expected_fault(names, rows, negative)
    if fault:
        fault = "there is no JSON object" if ending == "jsonl" and not rows else fault
        fault = "the field is empty" if ending == "jsonl" and "cell is empty" in fault else fault
        assert code == 2 and fault in err, err
    else:
        assert code == 0, err
        pairs = [(row[names.index("gold")], row[names.index("predicted")]) for row in rows]
        found = json.loads(out)
        right = sum(gold == predicted for gold, predicted in pairs) / len(pairs)
        assert (found["n"], found["accuracy"]) == (len(pairs), pytest.approx(right))
