"""One question, one answer: small files of any kind, scored in ways that have to agree.

Files are drawn by hypothesis, always the same ones: rare classes, classes that are predicted only, numbers as
labels, labels with commas, quotes and blanks. Commands run in this process; their JSON is compared.
"""

import gzip
import json
import os
import tempfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from helpers.metrics import SCHEMES, Outcome, evaluate
from tests.support import run_command, write_rows

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
    path.parent.mkdir(exist_ok=True)
    if not path.name.endswith("json") and ".json." not in path.name:
        return write_rows(path, [*zip(*columns.values(), strict=True)], tuple(columns))
    frame = pd.DataFrame(columns, dtype=str)
    text = json.dumps(columns if ".columns" in path.name else frame.to_dict("records")).encode()
    path.write_bytes(gzip.compress(text) if path.name.endswith(".gz") else text)
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


POLICIES = {"labels": st.sampled_from(["supported", "observed"]), "support": st.sampled_from([None, "skip"])}
POLICIES |= {"score": st.sampled_from(["f1", "precision", "mcc"]), "division": st.sampled_from([0, 1])}
FORMS = ("tsv", "jsonl", "json", "columns.json", "parquet", "csv.gz", "jsonl.gz", "json.gz")


@PROPERTY
@given(table=tables(), **POLICIES)
def test_every_form_gives_one_report_and_so_does_python(new_folder, table, labels, support, score, division):
    """Python's scores are scikit-learn's in tests/unit/metrics/test_scores.py."""
    folder, policy = new_folder(), {"labels": labels, "score": score, "zero_division": division}
    words = ["--labels", labels, "--score", score, "--zero-division", division, *table.flags]
    if support:
        policy["zero_support"], words = support, [*words, "--zero-support", support]
    expected = report("score", write(folder / "mine.csv", table.gold, table.predicted), *words)
    for form in FORMS:
        found = report("score", write(folder / f"mine.{form}", table.gold, table.predicted), *words)
        assert found == expected, form
    for name, labels in (("gold", table.gold), ("predicted", table.predicted)):
        (folder / f"{name}.txt").write_text("\n".join(labels), "utf-8")
        answers = "".join(f"s{row}\t{label}\n" for row, label in enumerate(labels))
        (folder / f"{name}-by-id.txt").write_text(answers, "utf-8")
    for names in (("predicted", "gold"), ("predicted-by-id", "gold-by-id")):
        one, gold = (folder / f"{name}.txt" for name in names)
        assert report("score", one, "--gold", gold, *words) == expected
    counted = Outcome.from_columns(table.gold, table.predicted)
    assert json.loads(json.dumps(evaluate(counted, negative=table.negative, **policy).to_dict())) == expected


NAMES = ("mine", "run[1]", "run*", "ru?1", "a b", "100%", "it's", "{1,2}")


def check_engine(folder: Path, table: Table, name: str, form: str, cut: int, engine: str) -> None:
    """One file and its parts by this engine, beside files that its name as a pattern would mean."""
    columns = table.gold, table.predicted
    expected = report("score", write(folder / "whole.csv", *columns), *table.flags)
    for decoy in ("run1", "ru11", "1"):
        write(folder / f"{decoy}.{form}", ["decoy"], ["decoy"])
    path = write(folder / f"{name}.{form}", *columns)
    assert report("score", path, "--engine", engine, *table.flags) == expected
    cuts = [part for part in (slice(cut), slice(cut, None)) if columns[0][part]]
    parts = [
        write(folder / "parts" / f"{name}-{number}.{form}", *(column[part] for column in columns), ids=False)
        for number, part in enumerate(cuts)
    ]
    for files in (parts[::-1], [folder / "parts" / f"*.{form}"]):
        assert report("score", *files, "--engine", engine, *table.flags) == expected


ONE_FILE = {"table": tables(), "name": st.sampled_from(NAMES), "cut": st.integers(0, 30)}


@PROPERTY
@given(**ONE_FILE, form=st.sampled_from(["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"]))
@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_every_engine_gives_one_report(new_folder, engine, **case):
    check_engine(new_folder(), engine=engine, **case)


@settings(PROPERTY, max_examples=5)
@given(**ONE_FILE, form=st.sampled_from(["csv", "tsv", "jsonl", "parquet"]))
def test_spark_gives_that_report_too(spark, new_folder, **case):
    check_engine(new_folder(), engine="spark", **case)


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


@pytest.mark.parametrize("kind", ["link", "hard link", "x/.."])
def test_one_file_under_two_names_is_refused(new_folder, kind):
    folder = new_folder()
    path, other = write(folder / "mine.csv", ["a"], ["a"], ids=False), folder / "x/../mine.csv"
    (folder / "x").mkdir()
    if "link" in kind:
        other = folder / "link.csv"
        (os.symlink if kind == "link" else os.link)(path, other)
    for words in (["score", path, other], ["compare", "--runs", f"A={path}", "--runs", f"B={other}"]):
        code, out, err = run_command(*words)
        assert (code, out) == (2, "") and str(path) in err and str(other) in err


COMPARED = st.sampled_from([(), ("--zero-division", 1), ("--score", "precision")])


@PROPERTY
@given(table=tables(), labels=st.sampled_from(["supported", "observed", "listed", None]), rules=COMPARED)
@example(Table([*"aabb"], [*"aaba"], [*"acbb"]), "observed", ())
def test_compare_gives_each_system_its_score_alone(new_folder, table, labels, rules):
    folder = new_folder()
    files = [write(folder / f"{k}.csv", table.gold, said) for k, said in enumerate(table[1:3])]
    every = sorted({*table.gold, *table.predicted, *table.other} - {table.negative})
    words = ["--labels", labels] if labels else [word for label in every for word in ("--labels", label)]
    words, score = [*words, *rules, *table.flags], "precision" if "precision" in rules else "f1"
    alone = [values(report("score", path, *words), score) for path in files]
    for first, second in ((0, 1), (1, 0)):
        rows = report("compare", files[first], files[second], "--bootstrap", 9, *words)
        for index, column in ((first, "score_first"), (second, "score_second")):
            assert {row["scheme"]: row[column] for row in rows} == pytest.approx(alone[index], **EXACT)


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


ENTITIES = st.sampled_from(["Ada", "Bo Li", "Rome", "the Hague", "Old Rome", "a, b"])
TRIPLE = st.tuples(ENTITIES, st.sampled_from(["left", "born in", "P17"]), ENTITIES).map(list)
TRIPLES = st.lists(TRIPLE, max_size=4)
ITEMS = st.lists(st.tuples(st.lists(TRIPLE, min_size=1, max_size=4), TRIPLES), min_size=1, max_size=6)
RULES = [["--match", match] for match in ("exact", "last-token", "pair", "relation")]
RULES += [[*rule, "--normalise"] for rule in RULES]


@settings(PROPERTY, max_examples=10)
@given(items=ITEMS, rules=st.sampled_from(RULES))
def test_triples_have_one_report_in_every_form_and_no_file_beats_its_gold_triples(new_folder, items, rules):
    folder, (gold, predicted) = new_folder(), map(list, zip(*items, strict=True))

    def written(name: str, **lists: list) -> Path:
        frame, path = pd.DataFrame({"id": [f"s{row}" for row in range(len(gold))]} | lists), folder / name
        if path.suffix == ".csv":
            frame.set_index("id").map(json.dumps).to_csv(path)
        else:
            frame.to_json(path, orient="records", lines=path.suffix == ".jsonl")
        return path

    files = [written(f"mine.{ending}", gold=gold, predicted=predicted) for ending in ("jsonl", "json", "csv")]
    both = written("p.json", predicted=predicted), "--gold", written("g.jsonl", gold=gold)
    whole = report("score-triples", files[0], *rules)
    for words in (files[1:2], files[2:], both):
        assert report("score-triples", *words, *rules) == whole
    best = written("best.jsonl", gold=gold, predicted=gold)
    for row in report("compare", best, files[0], *rules, "--bootstrap", 20):
        expected = [1, values(whole)[row["scheme"]]]
        assert [row["score_first"], row["score_second"]] == pytest.approx(expected, **EXACT)
        assert row["difference"] >= -1e-12
