"""Spoilt files for every command and every reader: a right answer, or one line that names the file.

valid/ holds small valid files, a folder a kind. A command or a reader that is not listed here fails a test:
with it comes such a file, to be spoilt. EXAMPLES is the number of spoilt files for each, 20 by default.
"""

import json
import os
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from pkgutil import resolve_name
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers import data, experiments, runs
from helpers.cli import app
from helpers.data import Documents
from helpers.metrics import Outcome
from helpers.models.linear import DocumentClassifier
from helpers.runs import Run, save_run
from tests.support import run_command, spoilt

VALID = Path(__file__).parent / "valid"
EXAMPLES = int(os.environ.get("EXAMPLES", "20"))
FUZZED = settings(max_examples=EXAMPLES, suppress_health_check=[*HealthCheck])
COMMANDS = {
    "score": """
        tables                  {} --format json
        tables                  {} --negative Other --paired-column paired --format json
        tables                  {} --normalise --score mcc --zero-division nan --labels observed --format json
        tables                  {} --label-set gold --off-list skip --empty skip --normalise --format json
        labels                  {} --gold {} --label-set {} --off-list count --format json
        answers_with_map        {} --gold-column gold --predicted-column pred --map {} --format json
        records                 {} --paired-column paired --format json
        gold_lists              {} --gold {} --format json
        tables                  {} --engine duckdb --paired-column paired --format json""",
    "compare": """
        tables                  {} {} --bootstrap 20 --format json
        triples                 {} {} --bootstrap 20 --match last-token --format json
        annotated_documents     {} {} --gold {} --bootstrap 20 --format json
        tables+records          --runs a={} --paired-column paired --format json""",
    "audit-leak": "tables       {} --negative Other --format json",
    "score-facts": """
        scored_facts            {} --facts {} --format json
        curves                  {} --format json --n-facts 40""",
    "compare-facts": "scored_facts  {} {} --facts {} --bootstrap 5 --format json",
    "score-triples": """
        triples                 {} --bootstrap 5 --format json
        triples                 {} --gold {} --match boundaries --normalise --format json
        annotated_documents     {} --gold {} --train {} --format json""",
    "stats": """
        counts                  {} --format json
        tables+gold_lists           {} --format json""",
    "score-multilabel": "matrix  --truth {} --scores {} --format json",
    "linear": "documents        --train {} --test {} --format json --seed 1",
    "report": "tables           {} --bootstrap 5 --format json",
    "grid": "grid               --grid {} --dry-run --format json",
}
"""Command → lines of a kind of files and the words that give the command such a file."""
NO_FILES = {"data", "notebooks", "status", "summary", "leaderboard", "plan", "train", "runs"}
"""They read the repository's own files; leaderboard has spoilt ones in its own tests; plan reads as compare,
train as read_relation_file, runs as grid."""
READERS = {path.name: f"read_{path.name}" for path in sorted(VALID.iterdir())}
READERS |= {"tables": "read_predictions count_files", "tables+records": "open_source"}
READERS |= {"run": "load_run", "model": "load_model", "inverse": "read_mapping"}
READERS |= {"answer_map": "read_answers", "arrays": "_read_arrays"}
"""Kind of files → its readers, if there are any."""
MODULES = [data, data.records, data.sentences, runs, experiments]
MODULES += [SimpleNamespace(read_answers=lambda path: data.read_mapping(path, "answer", "label"))]
ROWS = tomllib.loads(Path(data.__file__).with_name("datasets.toml").read_text()).values()
NAMES = {row["reader"] for row in ROWS if "reader" in row}
OF_CORPORA = {name.split(".")[1].lstrip("_"): resolve_name(f"helpers.data.{name}") for name in NAMES}
MODULES += [SimpleNamespace(load_model=DocumentClassifier.load, **OF_CORPORA)]
OTHERS = {"read_corpus", "read_goemotions", "read_text_lists"}
"""Of registered files, whose checksum is verified."""


def _reader(name: str):
    return next((getattr(module, name) for module in MODULES if hasattr(module, name)), None)


@cache
def valid(kinds: str) -> dict[str, bytes]:
    """Name → content of the valid files of kinds; a run file and a saved model are made anew."""
    with tempfile.TemporaryDirectory() as folder:
        match kinds:
            case "run":
                outcome = Outcome.from_columns(["a", "b"], ["a", "a"])
                path = save_run(Run.from_outcome(outcome, dataset="d", model="m"), folder)
                return {"a.json": path.read_bytes()}
            case "model":
                documents = Documents(["1", "2"], [["grain"], ["oil"]], ["wheat and corn", "oil and gas"])
                DocumentClassifier(options="-s 2").fit(documents).save(Path(folder, "m"))
                return {"a.safetensors": Path(folder, "m").read_bytes()}
    paths = (path for kind in kinds.split("+") for path in (VALID / kind).iterdir())
    return {path.name: path.read_bytes() for path in sorted(paths)}


def test_every_command_and_every_reader_has_files_to_spoil():
    assert {*COMMANDS, *NO_FILES} == {*app.commands}, "list the new command in COMMANDS, with a valid file"
    readers = {name for name in dir(data) if name.startswith(("read_", "open_", "count_files"))}
    readers |= {*OF_CORPORA}
    unknown = readers - {name for _, name in READ} - {*OTHERS}
    assert not unknown, "put a valid file into a folder of valid/ with the reader's name"


LINES = [
    (name, *line.split(None, 1)) for name, lines in COMMANDS.items() for line in lines.strip().split("\n")
]


@pytest.mark.parametrize(("name", "kinds", "words"), LINES)
@FUZZED
@given(choices=st.data())
def test_a_command_answers_or_names_the_file(name, kinds, words, tmp_path, choices):
    chosen, content = choices.draw(st.sampled_from([*valid(kinds).items()]))
    (tmp_path / chosen).write_bytes(choices.draw(spoilt(content)))
    code, out, err = run_command(name, *(word.format(tmp_path / chosen) for word in words.split()))
    said = [line for line in err.splitlines() if line.startswith("error: ")]
    if code == 0:
        assert not said and json.loads(out, parse_constant=pytest.fail)
    else:
        assert code == 2 and out == "" and len(said) == 1, err
        assert chosen in said[0] and len(said[0]) <= 2100 and "a fault of this program" not in said[0]
    assert [path.name for path in tmp_path.iterdir()] == [chosen]
    (tmp_path / chosen).unlink()


READ = [(kinds, name) for kinds, names in READERS.items() for name in names.split() if _reader(name)]


@pytest.mark.parametrize(("kinds", "name"), READ)
@FUZZED
@given(choices=st.data())
def test_a_reader_reads_or_names_the_file(kinds, name, tmp_path, choices):
    read = _reader(name)
    for file, content in valid(kinds).items():
        (tmp_path / file).write_bytes(content)
    chosen, content = choices.draw(st.sampled_from([*valid(kinds).items()]))
    path = tmp_path / chosen.removesuffix(".dep")  # trees lie beside their sentences
    assert read(path) is not None, "valid, or nothing but refusals would be tested"
    (tmp_path / chosen).write_bytes(choices.draw(spoilt(content)))
    try:
        read(path)
    except ValueError as error:
        assert path.name in str(error) and len(str(error)) < 3000


@FUZZED
@given(choices=st.data())
def test_duckdb_reads_a_spoilt_file_as_memory_does_or_refuses_it(tmp_path, choices):
    """What it accepts and memory refuses has its fault in what is not counted; no table is another."""
    chosen, content = choices.draw(st.sampled_from([*valid("tables").items()]))
    path = tmp_path / chosen
    path.write_bytes(choices.draw(spoilt(content)))
    outcomes = []
    for engine in ("memory", "duckdb"):
        try:
            read = data.count_files(path, engine=engine)
            outcomes.append(Outcome.from_columns(read["gold"], read["predicted"], counts=read.counts))
        except ValueError as error:
            outcomes.append(str(error))
    in_memory, in_duckdb = outcomes
    if isinstance(in_memory, Outcome) and isinstance(in_duckdb, Outcome):
        assert in_memory == in_duckdb
    elif isinstance(in_duckdb, Outcome):
        assert in_duckdb.n <= 24 + 3, in_memory
