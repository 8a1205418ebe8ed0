"""Bad input on the command line: exit code 2, one line that says what and where, nothing else happens."""

import pytest

from helpers.cli import app


@pytest.fixture(autouse=True)
def no_data(folder, monkeypatch) -> None:
    """No data within reach."""
    monkeypatch.setattr("helpers.data.files.ROOT", folder)
    monkeypatch.delenv("RC_DATA_DIR", raising=False)


FILES = {
    "-x.csv": "gold,predicted\na,a\n",
    "mine.csv": "gold,predicted,q\na,b,a\na,a,a\n",
    "ids.csv": "id,gold,predicted\n1,a,b\n2,a,b\n",
    "other.csv": "id,gold,predicted\n1,a,b\n3,a,b\n",
    "longer.csv": "gold,predicted\na,b\na,a\na,a\n",
    "wrong.csv": "gold,predicted\na,b\nb,a\n",
    "hole.csv": "gold,predicted\na,b\na,\n",
    "empty.csv": "",
    "unnamed.csv": "x,y\na,b\n",
    "latin.csv": "gold,predicted\na,b\ncaf\xe9,b\n".encode("latin-1"),
    "table.xlsx": "gold,predicted\na,b\n",
    "semeval.tsv": "gold\tpredicted\nOther\tOther\nCause-Effect(e1,e2)\tcause-effect(e1,e2)\n",
    "right.tsv": "gold\tpredicted\nOther\tOther\n",
    "counts.csv": "label,count\na,many\n",
    "semi.csv": "id;gold;predicted\n1;R(e1,e2);b\n",
    "tabs.csv": "gold\tpredicted\na\tb\n",
    "two.json": '{"a": "b", "b": "c"}',
}  # fmt: skip
BAD = [
    ("score nowhere.csv", "Invalid value for 'FILE...': File 'nowhere.csv' does not exist"),
    ("score .", "Invalid value for 'FILE...': File '.' is a directory"),
    ("score table.xlsx", "table.xlsx: unknown ending; known are .csv"),
    ("score empty.csv", "empty.csv, line 1: the file is empty"),
    ("score latin.csv", "latin.csv, line 3, column 'gold': byte 22 of the file, 0xe9, is not UTF-8"),
    ("score hole.csv", "hole.csv, line 3, column 'predicted': the cell is empty"),
    ("score unnamed.csv", "unnamed.csv: which column is gold?"),
    ("score mine.csv --gold-column glod", "column 'glod' for gold does not exist; did you mean 'gold'?"),
    ("score mine.csv --negative NA", "mine.csv: negative is 'NA', which is not in labels"),
    ("score mine.csv --bootstrap many", "for '--bootstrap': 'many' is not a valid integer range"),
    ("score mine.csv --bootstrap -5", "for '--bootstrap': -5 is not in the range 0<=x<=1000000"),
    ("score mine.csv --seed 1.5", "for '--seed': '1.5' is not a valid integer range"),
    ("score mine.csv --format jsno", "for '--format': 'jsno' is not one of 'table', 'json', 'csv', 'latex'"),
    ("score mine.csv --task semeval", "unknown task 'semeval'; did you mean 'semeval2010'? Known: "),
    ("score mine.csv --task semeval2010", "mine.csv, line 2, column 'gold': unknown label of semeval2010"),
    ("score semeval.tsv --task semeval2010",
     "semeval.tsv, line 3, column 'predicted': unknown label of semeval2010 'cause-effect(e1,e2)'; "
     "did you mean 'Cause-Effect(e1,e2)'?"),
    ("score right.tsv --task semeval2010 --negative a", "negative class of semeval2010 is 'Other'"),
    ("score mine.csv --inverse two.json", "--inverse is of use with --paired-column only"),
    ("score mine.csv --paired-column q --inverse two.json", "two.json: label 'b' has two inverses, 'a' and"),
    ("score mine.csv --paired-column q --inverse no.json", "for '--inverse': File 'no.json' does not exist"),
    ("score mine.csv --negativ a", "No such option '--negativ'. Did you mean '--negative'?"),
    ("score -x.csv", "-x.csv reads as an option; the file of that name is ./-x.csv"),
    ("score mine.csv mine.csv", "mine.csv: the file is named twice; its samples would count twice"),
    ("score mine.csv ./mine.csv", "./mine.csv: the file is named twice, also as mine.csv; its samples would"),
    ("score *.parq", "*.parq: no file has a name like that"),
    ("score mine.csv --engine duckbd", "unknown engine 'duckbd'; did you mean 'duckdb'? Known: memory, "),
    ("score mine.csv --check-ids", "mine.csv: there are no identifiers to check; which column has"),
    ("score mine.csv --gold-column=--json", "column '--json' for gold does not exist"),
    ("score semi.csv", "semi.csv, line 1: the header looks separated by semicolons: 'id;gold;pred"),
    ("score semi.csv --engine duckdb", "semi.csv, line 1: the header looks separated by semicolons"),
    ("score tabs.csv", "tabs.csv, line 1: the header looks separated by tabs: 'gold\\tpredicted'; say"),
    ("score mine.csv --scheme macor", "unknown scheme 'macor'"),
    ("score mine.csv --scheme macro --scheme macro", "two schemes are named 'macro'"),
    ("compare ids.csv ids.csv --scheme macor", "did you mean 'macro'?"),
    ("score mine.csv --output --raw",
     "Option '--output' lacks a value before --raw; if that is the value, write --output=--raw"),
    ("score mine.csv --gold-column --negative a", "Option '--gold-column' lacks a value before --negative"),
    ("notebooks -p seed --publish", "Option '-p' lacks a value before --publish (see"),
    ("--versoin", "No such option '--versoin'. Did you mean '--version'?"),
    ("score", "Missing argument 'FILE...' (see: python -m helpers score --help)"),
    ("compare mine.csv", "at least two files, not 1"),
    ("compare mine.csv longer.csv", "mine.csv has 2 samples, longer.csv has 3"),
    ("compare mine.csv wrong.csv", "gold labels differ at sample 2: 'a' in mine.csv, 'b' in wrong.csv"),
    ("compare ids.csv other.csv", "ids.csv: 1 of the 2 ids of other.csv are missing, the first is '3'"),
    ("compare ids.csv ids.csv --negative NA", "ids.csv, ids.csv: negative is 'NA', which is not in labels"),
    ("compare ids.csv ids.csv --bootstrap 0", "'--bootstrap': 0 is not in the range 1<=x<=1000000"),
    ("compare ids.csv nowhere.csv", "File 'nowhere.csv' does not exist"),
    ("compare ids.csv ids.csv --format xml", "'xml' is not one of 'table', 'json', 'csv', 'latex'"),
    ("stats tacrde", "'tacrde'; did you mean 'tacred'? Known: semeval2010"),
    ("stats counts.csv", "counts.csv, line 2, column 'count': a count is an integer, 0 or more,"),
    ("stats unnamed.csv", "unnamed.csv: which column is gold? no column has a common name"),
    ("stats mine.csv --figure a.doc", "'a.doc' has to end in .png, .pdf or .svg"),
    ("stats tacred --negative NA", "the labels of tacred are known: leave `negative` out"),
    ("data stauts", "No such command 'stauts'. Did you mean 'status'?"),
    ("data fetch", "Missing argument 'NAME'"),
    ("data build-pairs", "Missing argument 'OUT'"),
    ("data status kbp37", "Got unexpected extra argument (kbp37)"),
    ("data fetch kbp37 --dataset kbp37", "No such option '--dataset'"),
    ("data fetch kbp73", "unknown data set or file 'kbp73'; did you mean 'kbp37'?"),
    ("data build-pairs out --dataset tacred", "'tacred'. Known: semeval2010, kbp37"),
    ("data build-pairs out", "semeval2010/TRAIN_FILE.TXT is missing. Looked for"),
    ("notebooks -p sed 1", "'sed'; did you mean 'seed'? Known: "),
    ("notebooks --only 00 -p replicate 10", "did you mean 'replicates'?"),
    ("notebooks --only 00 -p replicates ten", "'ten' is not int"),
    ("notebooks --only 77", "unknown notebook '77'"),
    ("notebooks -p seed 1 -p seed 2", "parameter 'seed' is given twice"),
    ("notebooks -p seed", "Option '-p' requires 2 arguments"),
    ("summary all", "Got unexpected extra argument (all) (see: python -m helpers summary --help)"),
    ("scroe mine.csv", "No such command 'scroe'. Did you mean 'score'? (see: python -m helpers --help)"),
    ("", "Missing command (see: python -m helpers --help)"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD, ids=[words or "nothing" for words, _ in BAD])
def test_bad_input_is_one_line_and_nothing_is_printed_or_written(call, folder, words, message):
    for name, content in FILES.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = call(*words.split())
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and err.count("\n") == 1
    assert message in err
    assert {path.name for path in folder.iterdir()} == set(FILES)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("first\nsecond"), "error: first second\n"),
        (MemoryError(), "error: there is not enough memory\n"),
        (OSError("no file, no number"), "error: no file, no number\n"),
    ],
    ids=["two lines", "no words", "no file"],
)
def test_every_error_is_one_line(call, monkeypatch, error, line):
    def fail(**_):
        raise error

    monkeypatch.setattr(app.commands["stats"], "callback", fail)
    assert call("stats", "tacred") == (2, "", line)


def test_interruption_is_exit_code_130(call, monkeypatch):
    def interrupt(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(app.commands["stats"], "callback", interrupt)
    code, out, err = call("stats", "tacred")
    assert (code, out) == (130, "") and err.startswith("error: interrupted")
