"""Bad input on the command line: exit code 2, one line that says what and where, nothing else happens."""

import os

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
    "unnamed.csv": "precision,recall\na,b\n",
    "semeval.tsv": "gold\tpredicted\nOther\tOther\nCause-Effect(e1,e2)\tcause-effect(e1,e2)\n",
    "right.tsv": "gold\tpredicted\nOther\tOther\n",
    "counts.csv": "label,count\na,many\n",
    "commas.csv": "gold,predicted\nOther,Other\nCause-Effect(e1,e2),Cause-Effect(e2,e1)\n",
    "semi.csv": "id;gold;predicted\n1;R(e1,e2);b\n",
    "skipped.csv": "gold,predicted\n(skipped),a\n",
    "commas.tsv": "gold,predicted\na,a\n",
    "two.json": '{"a": "b", "b": "c"}',
    "A-seed1.csv": "gold,predicted\na,b\n",
    "B-seed1.csv": "gold,predicted\na,b\n",
}  # fmt: skip
BAD = [
    ("score .", "Invalid value for 'FILE...': File '.' is a directory"),
    ("score mine.csv --negative NA", "mine.csv: negative is 'NA', which is not in labels"),
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
    ("score *.parq", "*.parq: no file has a name like that"),
    ("score mine.csv --check-ids", "mine.csv: there are no identifiers to check; which column has"),
    ("score commas.csv", '; quote labels that contain commas: "Cause-Effect(e1,e2)"'),
    ("score semi.csv", "semi.csv, line 1: the header looks separated by semicolons: 'id;gold;pred"),
    ("score commas.tsv", "commas.tsv, line 1: the header looks separated by commas"),
    ("score skipped.csv", "skipped.csv, line 2, column 'gold': (skipped) stands for no prediction"),
    ("score mine.csv --scheme macor", "unknown scheme 'macor'"),
    ("score unnamed.csv", "Columns: precision, recall; facts are read by `python -m helpers score-facts`"),
    ("score mine.csv --output=", "--output is empty: the name of a file is needed"),
    ("leaderboard", "Missing command (see: python -m helpers leaderboard --help)"),
    ("score mine.csv --output --raw",
     "Option '--output' lacks a value before --raw; if that is the value, write --output=--raw"),
    ("score mine.csv --gold-column --negative a", "Option '--gold-column' lacks a value before --negative"),
    ("notebooks -p seed --publish", "Option '-p' lacks a value before --publish (see"),
    ("score", "Missing argument 'FILE...' (see: python -m helpers score --help)"),
    ("plan mine.csv --sd 1 --difference 1", "--sd is of seeds: OTHER and --changed go with --from FILE"),
    ("compare mine.csv", "at least two files, not 1"),
    ("compare mine.csv longer.csv", "mine.csv has 2 samples, longer.csv has 3"),
    ("compare mine.csv wrong.csv", "gold labels differ at sample 2: 'a' in mine.csv, 'b' in wrong.csv"),
    ("compare ids.csv other.csv", "ids.csv: 1 of the 2 ids of other.csv are missing, the first is '3'"),
    ("compare --runs A=A-seed1.csv B-seed1.csv", "B-seed1.csv stands beside --runs A=A-seed1.csv: quote"),
    ("compare --runs A=nope*.csv", "A: no file matches 'nope*.csv'"),
    ("runs --run a.json", "--run PATH needs --train"),
    ("runs --train --run a.json --output new", "--output is of no use with --run"),
    ("compare --runs A=A-seed1.csv --runs B=A-seed1.csv", "A-seed1.csv is given twice"),
    ("compare A-seed1.csv B-seed1.csv --paired-column q", "--paired-column and --inverse are for --runs"),
    ("score mine.csv --beta 2 --score mcc", "for F_beta: leave out one of --beta 2 and --score mcc"),
    ("score mine.csv --beta 0", "--beta is 0: a finite positive number is needed"),
    ("score mine.csv --score mmc", "unknown class score 'mmc'"),
    ("score mine.csv --labels aa", "'aa', which is not in labels"),
    ("score mine.csv --fail-under dodrans", "'dodrans' is no name and fraction, such as dodrans=0.67"),
    ("score mine.csv --fail-under dodrans=67", "no name and fraction, such as dodrans=0.67 (not 67)"),
    ("score mine.csv --fail-under PIR=0.2", "of PIR small is good"),
    ("score mine.csv --fail-under dodran=0.2", "score of this report 'dodran'; did you mean 'dodrans'?"),
    ("score mine.csv --score-only PPR", "unknown score of this report 'PPR'"),
    ("stats tacrde", "'tacrde'; did you mean 'tacred'? Known: semeval2010"),
    (f"stats {'long' * 40}.csv", f"'{'long' * 40}.csv': no file of labels or of counts"),
    ("stats counts.csv", "counts.csv, line 2, column 'count': 'many' is no finite number"),
    ("stats unnamed.csv", "unnamed.csv: which column is gold? no column has a common name"),
    ("data fetch kbp73", "unknown data set or file 'kbp73'; did you mean 'kbp37'?"),
    ("data build-pairs out", "semeval2010/TRAIN_FILE.TXT is missing. Looked for"),
    ("notebooks --only 77", "unknown notebook '77'"),
    ("scroe mine.csv", "No such command 'scroe'. Did you mean 'score'? (see: python -m helpers --help)"),
    ("", "Missing command (see: python -m helpers --help)"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "message"), BAD, ids=[words or "nothing" for words, _ in BAD])
def test_bad_input_is_one_line_and_nothing_is_printed_or_written(call, folder, words, message):
    for name, content in FILES.items():
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = call(*words.split())
    assert (code, out) == (2, "")
    *notes, line = err.splitlines()
    assert line.startswith("error: ") and message in line and all(note.startswith("note: ") for note in notes)
    assert {path.name for path in folder.iterdir()} == set(FILES)


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (ValueError("first\nsecond"), 2, "first second"),
        (MemoryError(), 2, "there is not enough memory"),
        (OSError("no file, no number"), 2, "no file, no number"),
        (KeyboardInterrupt(), 130, "interrupted; nothing is left half-written"),
    ],
)
def test_every_error_is_one_line(call, monkeypatch, error, code, said):
    def fail(**_):
        raise error

    monkeypatch.setattr(app.commands["stats"], "callback", fail)
    assert call("stats", "tacred") == (code, "", f"error: {said}\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a named pipe")
def test_a_pipe_is_refused_and_not_waited_for(folder, call):
    os.mkfifo(folder / "mine.csv")
    code, _, err = call("score", "mine.csv")
    assert code == 2 and "mine.csv: this is no plain file" in err
