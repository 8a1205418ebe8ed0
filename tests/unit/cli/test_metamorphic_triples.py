"""One question, one answer, of triples at the command line: small files, scored in ways that agree."""

import contextlib
import csv
import io
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.cli import main

PROPERTY = settings(max_examples=10, suppress_health_check=list(HealthCheck))
MATCHES = ("exact", "last-token", "pair", "relation")
NAMES = st.sampled_from(["Ada", "Bo Li", "Rome", "the Hague", "Old Rome", "a, b"])
TRIPLES = st.lists(st.tuples(NAMES, st.sampled_from(["left", "born in", "P17"]), NAMES).map(list), max_size=4)
ITEMS = st.lists(st.tuples(TRIPLES, TRIPLES), min_size=1, max_size=6).filter(
    lambda items: any(gold for gold, _ in items)
)
RULES = st.tuples(st.sampled_from(MATCHES), st.booleans()).map(
    lambda rule: ("--match", rule[0], *["--normalise"] * rule[1])
)


@pytest.fixture
def new_folder(tmp_path):
    """Makes an empty folder for each example."""
    return lambda: Path(tempfile.mkdtemp(dir=tmp_path))


def report(*words: object):
    """What a command says in JSON."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main([*map(str, words), "--format", "json"]) == 0
    return json.loads(out.getvalue())


def write(path: Path, items: list, names: tuple[str, ...] = ("gold", "predicted")) -> Path:
    """The items as JSON lines, a JSON list or CSV, by the ending; `names` : of the lists that are written."""
    roles = {"gold": 0, "predicted": 1}
    records = [
        {"id": f"s{number}"} | {name: item[roles[name]] for name in names}
        for number, item in enumerate(items)
    ]
    if path.suffix == ".json":
        path.write_text(json.dumps(records))
    elif path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    else:
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(records[0])
            for record in records:
                writer.writerow([record["id"], *(json.dumps(record[name]) for name in names)])
    return path


def f1(found: dict) -> dict[str, float]:
    return {scheme: row["f1"] for scheme, row in found["schemes"].items()}


@PROPERTY
@given(items=ITEMS, rules=RULES, data=st.data())
def test_order_and_duplicates_change_nothing(new_folder, items, rules, data) -> None:
    folder = new_folder()
    moved = [
        tuple(data.draw(st.permutations(triples * 2)) for triples in item)
        for item in data.draw(st.permutations(items))
    ]
    first, second = (
        report("score-triples", write(folder / f"{name}.jsonl", each), *rules)
        for name, each in (("a", items), ("b", moved))
    )
    assert first == second


@PROPERTY
@given(items=ITEMS, rules=RULES)
def test_new_names_of_relations_change_names_alone(new_folder, items, rules) -> None:
    folder, new = new_folder(), {"left": "r 1", "born in": "r 2", "P17": "r 3"}
    renamed = [
        tuple([[head, new[relation], tail] for head, relation, tail in triples] for triples in item)
        for item in items
    ]
    first, second = (
        report("score-triples", write(folder / f"{name}.jsonl", each), *rules)
        for name, each in (("a", items), ("b", renamed))
    )
    assert f1(first) == pytest.approx(f1(second), abs=1e-12)
    if "pair" not in rules:
        assert {new[name]: row for name, row in first["per_class"].items()} == second["per_class"]


@PROPERTY
@given(items=ITEMS, rules=RULES)
def test_a_file_against_itself_is_perfect_and_no_other_one_is_better(new_folder, items, rules) -> None:
    folder = new_folder()
    itself = write(folder / "itself.jsonl", [(gold, gold) for gold, _ in items])
    assert set(f1(report("score-triples", itself, *rules)).values()) == {1.0}
    other = write(folder / "other.jsonl", items)
    for row in report("compare", itself, other, *rules, "--bootstrap", 20):
        assert row["difference"] >= -1e-12 and row["score_first"] == 1.0


@PROPERTY
@given(items=ITEMS, rules=RULES)
def test_every_form_gives_one_report(new_folder, items, rules) -> None:
    folder = new_folder()
    whole = report("score-triples", write(folder / "a.jsonl", items), *rules)
    for ending in ("json", "csv"):
        assert report("score-triples", write(folder / f"a.{ending}", items), *rules) == whole
    gold = write(folder / "gold.json", items, ("gold",))
    predicted = write(folder / "predicted.jsonl", items, ("predicted",))
    assert report("score-triples", predicted, "--gold", gold, *rules) == whole


@PROPERTY
@given(items=ITEMS, rules=RULES, data=st.data())
def test_compare_has_what_each_file_has_alone(new_folder, items, rules, data) -> None:
    folder = new_folder()
    others = [(gold, data.draw(TRIPLES)) for gold, _ in items]
    files = [write(folder / f"{name}.jsonl", each) for name, each in (("a", items), ("b", others))]
    alone = [f1(report("score-triples", file, *rules)) for file in files]
    for row in report("compare", *files, *rules, "--bootstrap", 20):
        scores = [row["score_first"], row["score_second"]]
        assert scores == pytest.approx([each[row["scheme"]] for each in alone], abs=1e-12)
    for row in report("compare", *files[::-1], *rules, "--bootstrap", 20):
        assert row["score_first"] == pytest.approx(alone[1][row["scheme"]], abs=1e-12)
