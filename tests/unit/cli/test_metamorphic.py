"""One question, one answer: small files of any kind, scored in ways that have to agree.

Files are drawn by hypothesis, always the same ones: rare classes, classes that are predicted only, numbers as
labels, labels with commas, quotes and blanks. Commands run in this process; their JSON is compared.
"""

import csv
import gzip
import json
import math
import os
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from helpers.metrics import SCHEMES, Outcome, evaluate
from tests.support import run_command

FEW, ANY = int(os.environ.get("EXAMPLES", "15")), list(HealthCheck)
PROPERTY = settings(max_examples=FEW, derandomize=True, database=None, suppress_health_check=ANY)
POOLS = (
    ("per:title", "org:founded", "per:age", "P17", "no_relation"),
    ("1", "-1", "2", "10", "0"),
    ("a b", "a,b", 'a"b', "é", "None"),
    ("Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Entity-Origin(e1,e2)", "Entity-Origin(e2,e1)", "Other"),
)
EXACT = {"rel": 0, "abs": 1e-12}


class Table(NamedTuple):
    """Gold labels, two systems' predictions, the negative class or None, and the option that names it."""

    gold: list[str]
    predicted: list[str]
    other: list[str]
    negative: str | None = None
    flags: tuple[str, ...] = ()


@st.composite
def tables(draw, least: int = 1) -> Table:
    """Two predictions in three are right; the negative class, if there is one, is gold somewhere."""
    names = draw(st.sampled_from(POOLS))[draw(st.integers(0, 3)) :]
    label = st.sampled_from(names)
    right = st.sampled_from([True, True, False])
    rows = draw(st.lists(st.tuples(label, right, label, right, label), min_size=least, max_size=30))
    gold = [row[0] for row in rows]
    first, second = ([row[0] if row[at] else row[at + 1] for row in rows] for at in (1, 3))
    if names[-1] in gold and draw(st.booleans()):
        return Table(gold, first, second, names[-1], ("--negative", names[-1]))
    return Table(gold, first, second)


def write(path: Path, gold: list, predicted: list, paired: list | None = None, ids: bool = True) -> Path:
    """The labels as a file; its ending says in which form (`.columns.json`: an object of columns)."""
    columns = {"id": [f"s{row}" for row in range(len(gold))]} if ids else {}
    columns |= {"gold": gold, "predicted": predicted} | ({} if paired is None else {"paired": paired})
    frame, name = pd.DataFrame(columns, dtype=str), path.name.removesuffix(".gz")
    path.parent.mkdir(exist_ok=True)
    if name.endswith(".parquet"):
        frame.to_parquet(path)
        return path
    if name.endswith(".jsonl"):
        text = frame.to_json(orient="records", lines=True, force_ascii=False)
    elif name.endswith(".json"):
        text = json.dumps(columns if ".columns" in name else frame.to_dict("records"))
    else:
        text = frame.to_csv(index=False, sep="\t" if name.endswith(".tsv") else ",")
    path.write_bytes(gzip.compress(text.encode()) if path.name.endswith(".gz") else text.encode())
    return path


def report(*words: object):
    """What a command says in JSON; of a comparison its rows."""
    code, out, err = run_command(*words, "--format", "json")
    assert code == 0, err
    found = json.loads(out)
    for entry in found if isinstance(found, list) else [found]:
        assert entry.pop("schema_version") == 1
    return found


def values(found: dict, score: str = "f1") -> dict[str, float]:
    return {scheme: row[score] for scheme, row in found["schemes"].items()}


@pytest.fixture
def new_folder(tmp_path):
    """Makes an empty folder for each example."""
    return lambda: Path(tempfile.mkdtemp(dir=tmp_path))


def by_scikit_learn(table: Table, skips: bool, score: str, zero_division: float) -> dict[str, float]:
    """The schemes that are defined, from scikit-learn's class scores and the papers' weights."""
    support, place = Counter(table.gold), ("precision", "recall", "f1").index(score)
    classes = sorted({*table.gold, *table.predicted} - {table.negative})
    if not classes:
        return {}
    options = {"labels": classes, "zero_division": zero_division}
    pooled = precision_recall_fscore_support(*table[:2], average="micro", **options)[place]
    own = precision_recall_fscore_support(*table[:2], **options)[place]
    kept = np.array([support[one] > 0 or not skips for one in classes])
    shares = np.array([support[one] / len(table.gold) for one in classes])
    entropies = np.array([-share * math.log(share) if share else 0 for share in shares])
    weights = {"weighted": shares, "dodrans": shares**0.75, "entropy": entropies, "macro": shares**0}
    sums = {name: (weight * kept).sum() for name, weight in weights.items()}
    return {"micro": pooled} | {name: weights[name] * kept @ own / sums[name] for name in sums if sums[name]}


POLICIES = {"labels": st.sampled_from(["supported", "observed"]), "rule": st.sampled_from([None, "skip"])}
POLICIES |= {"score": st.sampled_from(["f1", "precision", "recall"]), "division": st.sampled_from([0, 1])}


@PROPERTY
@given(table=tables(), **POLICIES)
def test_schemes_by_scikit_learn(new_folder, table, labels, rule, score, division):
    path = write(new_folder() / "mine.csv", table.gold, table.predicted)
    words = ["--labels", labels, "--score", score, "--zero-division", division]
    words += ["--zero-support", rule] if rule else []
    skips = rule == "skip" or labels == "supported"
    found = values(report("score", path, *words, *table.flags), score)
    for scheme, value in by_scikit_learn(table, skips, score, division).items():
        assert found[scheme] == pytest.approx(value, **EXACT), scheme


FORMS = ("tsv", "jsonl", "json", "columns.json", "parquet", "csv.gz", "jsonl.gz", "json.gz")


@PROPERTY
@given(table=tables())
def test_every_form_gives_one_report_and_so_does_python(new_folder, table):
    folder = new_folder()
    expected = report("score", write(folder / "mine.csv", table.gold, table.predicted), *table.flags)
    for form in FORMS:
        found = report("score", write(folder / f"mine.{form}", table.gold, table.predicted), *table.flags)
        assert found == expected, form
    for name, labels in (("gold", table.gold), ("predicted", table.predicted)):
        (folder / f"{name}.txt").write_text("\n".join(labels), "utf-8")
        answers = "".join(f"s{row}\t{label}\n" for row, label in enumerate(labels))
        (folder / f"{name}-by-id.txt").write_text(answers, "utf-8")
    for names in (("predicted", "gold"), ("predicted-by-id", "gold-by-id")):
        one, gold = (folder / f"{name}.txt" for name in names)
        assert report("score", one, "--gold", gold, *table.flags) == expected
    counted = Outcome.from_columns(table.gold, table.predicted)
    assert json.loads(json.dumps(evaluate(counted, negative=table.negative).to_dict())) == expected


NAMES = ("mine", "run[1]", "run*", "ru?1", "a b", "100%", "it's", "{1,2}")


def check_engine(folder: Path, table: Table, name: str, form: str, cut: int, engine: str) -> None:
    """One file and its parts by this engine, beside files that its name as a pattern would mean."""
    columns = table.gold, table.predicted
    expected = report("score", write(folder / "whole.csv", *columns), *table.flags)
    for decoy in ("run1", "ru11", "1"):
        write(folder / f"{decoy}.{form}", ["decoy"], ["decoy"])
    path = write(folder / f"{name}.{form}", *columns)
    assert report("score", path, "--engine", engine, *table.flags) == expected
    parts = []
    for part in (slice(cut), slice(cut, None)):
        if columns[0][part]:
            place = folder / "parts" / f"{name}-{len(parts)}.{form}"
            parts.append(write(place, *(column[part] for column in columns), ids=False))
    for files in (parts[::-1], [folder / "parts" / f"*.{form}"]):
        assert report("score", *files, "--engine", engine, *table.flags) == expected


ONE_FILE = {"table": tables(), "name": st.sampled_from(NAMES), "cut": st.integers(0, 30)}


@PROPERTY
@given(**ONE_FILE, form=st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"]))
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_every_engine_gives_one_report(new_folder, engine, table, name, form, cut):
    check_engine(new_folder(), table, name, form, cut, engine)


@settings(PROPERTY, max_examples=5)
@given(**ONE_FILE, form=st.sampled_from(["csv", "tsv", "jsonl", "parquet"]))
def test_spark_gives_that_report_too(spark, new_folder, table, name, form, cut):
    check_engine(new_folder(), table, name, form, cut, "spark")


@PROPERTY
@given(table=tables(least=2), seed=st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_names_of_labels_change_a_score(new_folder, table, seed):
    folder, names = new_folder(), sorted({*table.gold, *table.predicted})
    expected = values(report("score", write(folder / "a.csv", table.gold, table.predicted), *table.flags))
    rows = seed.sample([*zip(table.gold, table.predicted, strict=True)], len(table.gold))
    turned = write(folder / "b.csv", *map(list, zip(*rows, strict=True)))
    assert values(report("score", turned, *table.flags)) == pytest.approx(expected, **EXACT)
    new = dict(zip(names, seed.sample([f"r{k}" for k in range(9)], len(names)), strict=True))
    renamed = write(folder / "c.csv", *([new[one] for one in column] for column in table[:2]))
    flags = [new.get(word, word) for word in table.flags]
    assert values(report("score", renamed, *flags)) == pytest.approx(expected, **EXACT)


@settings(PROPERTY, max_examples=5)
@given(table=tables(), ids=st.booleans())
@pytest.mark.parametrize("kind", ["link", "hard link", "x/.."])
def test_one_file_under_two_names_is_refused(new_folder, kind, table, ids):
    folder = new_folder()
    path = write(folder / "mine.csv", table.gold, table.predicted, ids=ids)
    (folder / "x").mkdir()
    other = folder / ("link.csv" if "link" in kind else "x/../mine.csv")
    if "link" in kind:
        (os.symlink if kind == "link" else os.link)(path, other)
    for words in (["score", path, other], ["compare", "--runs", f"A={path}", "--runs", f"B={other}"]):
        code, out, err = run_command(*words, *table.flags)
        assert (code, out) == (2, "") and str(path) in err and str(other) in err


@PROPERTY
@given(table=tables(), labels=st.sampled_from(["supported", "observed", "listed", None]))
@example(Table([*"aabb"], [*"aaba"], [*"acbb"]), "observed")
def test_compare_gives_each_system_its_score_alone(new_folder, table, labels):
    folder = new_folder()
    files = [write(folder / f"{k}.csv", table.gold, one) for k, one in enumerate(table[1:3])]
    every = sorted({*table.gold, *table.predicted, *table.other} - {table.negative})
    words = ["--labels", labels] if labels else [word for label in every for word in ("--labels", label)]
    alone = [values(report("score", path, *words, *table.flags)) for path in files]
    for first, second in ((0, 1), (1, 0)):
        rows = report("compare", files[first], files[second], "--bootstrap", 9, *words, *table.flags)
        for place, column in ((first, "score_first"), (second, "score_second")):
            assert {row["scheme"]: row[column] for row in rows} == pytest.approx(alone[place], **EXACT)


@PROPERTY
@given(table=tables(), scheme=st.sampled_from(SCHEMES))
def test_one_scheme_under_two_names_and_a_scheme_alone(new_folder, table, scheme):
    path = write(new_folder() / "mine.csv", table.gold, table.predicted)
    words = [word for name in (*SCHEMES, "n^1", "n^0.75", "n^0") for word in ("--scheme", name)]
    found = values(report("score", path, *words, *table.flags))
    for power, name in (("n^1", "weighted"), ("n^0.75", "dodrans"), ("n^0", "macro")):
        assert found[power] == pytest.approx(found[name], **EXACT)
    assert values(report("score", path, "--scheme", scheme, *table.flags)) == {scheme: found[scheme]}
    assert float(run_command("score", path, "--score-only", scheme, *table.flags)[1]) == found[scheme]


SPELLINGS = {"per age": ("per age", "PER-age", "peraGe "), "other": ("other", "Other", "o_ther")}
SPELLINGS |= {number: (number,) for number in ("1", "-1", "11", "1-1", "1.0")}
SPELT = st.sampled_from([*SPELLINGS])


@PROPERTY
@given(rows=st.lists(st.tuples(SPELT, SPELT), min_size=1, max_size=30), data=st.data())
def test_normalise_merges_spellings_and_never_numbers(new_folder, rows, data):
    folder, columns = new_folder(), [*map(list, zip(*rows, strict=True))]
    spelt = [[data.draw(st.sampled_from(SPELLINGS[label])) for label in column] for column in columns]
    merged = report("score", write(folder / "merged.csv", *columns))
    found = report("score", write(folder / "mine.csv", *spelt), "--normalise")
    assert values(found) == pytest.approx(values(merged), **EXACT)


@PROPERTY
@given(table=tables(least=3), seed=st.integers(0, 99))
def test_a_seed_gives_one_interval_and_performance_has_that_of_macro(new_folder, table, seed):
    path = write(new_folder() / "mine.csv", table.gold, table.predicted, paired=table.predicted)
    words = ("score", path, "--bootstrap", 400, "--seed", seed, "--paired-column", "paired", *table.flags)
    found = report(*words)
    assert found == report(*words)
    macro, direction = found["schemes"]["macro"], found["direction"]
    assert direction["performance_original"] == pytest.approx(macro["f1"], **EXACT)
    ends = direction["intervals"]["performance_original"]
    wide = max(0.15, 0.5 * (macro["high"] - macro["low"]))  # other replicates, 400 of them
    assert abs(ends["low"] - macro["low"]) <= wide and abs(ends["high"] - macro["high"]) <= wide


OF_TRIPLES = settings(PROPERTY, max_examples=10)
MATCHES = ("exact", "last-token", "pair", "relation")
ENTITIES = st.sampled_from(["Ada", "Bo Li", "Rome", "the Hague", "Old Rome", "a, b"])
TRIPLES = st.lists(
    st.tuples(ENTITIES, st.sampled_from(["left", "born in", "P17"]), ENTITIES).map(list), max_size=4
)
ITEMS = st.lists(st.tuples(TRIPLES, TRIPLES), min_size=1, max_size=6).filter(
    lambda items: any(gold for gold, _ in items)
)
RULES = st.tuples(st.sampled_from(MATCHES), st.booleans()).map(
    lambda rule: ("--match", rule[0], *["--normalise"] * rule[1])
)


def write_triples(path: Path, items: list, names: tuple[str, ...] = ("gold", "predicted")) -> Path:
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


@OF_TRIPLES
@given(items=ITEMS, rules=RULES, data=st.data())
def test_triples_order_and_duplicates_change_nothing(new_folder, items, rules, data) -> None:
    folder = new_folder()
    moved = [
        tuple(data.draw(st.permutations(triples * 2)) for triples in item)
        for item in data.draw(st.permutations(items))
    ]
    first, second = (
        report("score-triples", write_triples(folder / f"{name}.jsonl", each), *rules)
        for name, each in (("a", items), ("b", moved))
    )
    assert first == second


@OF_TRIPLES
@given(items=ITEMS, rules=RULES)
def test_triples_new_names_of_relations_change_names_alone(new_folder, items, rules) -> None:
    folder, new = new_folder(), {"left": "r 1", "born in": "r 2", "P17": "r 3"}
    renamed = [
        tuple([[head, new[relation], tail] for head, relation, tail in triples] for triples in item)
        for item in items
    ]
    first, second = (
        report("score-triples", write_triples(folder / f"{name}.jsonl", each), *rules)
        for name, each in (("a", items), ("b", renamed))
    )
    assert values(first) == pytest.approx(values(second), abs=1e-12)
    if "pair" not in rules:
        assert {new[name]: row for name, row in first["per_class"].items()} == second["per_class"]


@OF_TRIPLES
@given(items=ITEMS, rules=RULES)
def test_triples_a_file_against_itself_is_perfect_and_no_other_one_is_better(
    new_folder, items, rules
) -> None:
    folder = new_folder()
    itself = write_triples(folder / "itself.jsonl", [(gold, gold) for gold, _ in items])
    assert [*values(report("score-triples", itself, *rules)).values()] == pytest.approx([1] * 5, **EXACT)
    other = write_triples(folder / "other.jsonl", items)
    for row in report("compare", itself, other, *rules, "--bootstrap", 20):
        assert row["difference"] >= -1e-12 and row["score_first"] == pytest.approx(1, **EXACT)


@OF_TRIPLES
@given(items=ITEMS, rules=RULES)
def test_triples_every_form_gives_one_report(new_folder, items, rules) -> None:
    folder = new_folder()
    whole = report("score-triples", write_triples(folder / "a.jsonl", items), *rules)
    for ending in ("json", "csv"):
        assert report("score-triples", write_triples(folder / f"a.{ending}", items), *rules) == whole
    gold = write_triples(folder / "gold.json", items, ("gold",))
    predicted = write_triples(folder / "predicted.jsonl", items, ("predicted",))
    assert report("score-triples", predicted, "--gold", gold, *rules) == whole


@OF_TRIPLES
@given(items=ITEMS, rules=RULES, data=st.data())
def test_triples_compare_has_what_each_file_has_alone(new_folder, items, rules, data) -> None:
    folder = new_folder()
    others = [(gold, data.draw(TRIPLES)) for gold, _ in items]
    files = [write_triples(folder / f"{name}.jsonl", each) for name, each in (("a", items), ("b", others))]
    alone = [values(report("score-triples", file, *rules)) for file in files]
    for row in report("compare", *files, *rules, "--bootstrap", 20):
        scores = [row["score_first"], row["score_second"]]
        assert scores == pytest.approx([each[row["scheme"]] for each in alone], abs=1e-12)
    for row in report("compare", *files[::-1], *rules, "--bootstrap", 20):
        assert row["score_first"] == pytest.approx(alone[1][row["scheme"]], abs=1e-12)
