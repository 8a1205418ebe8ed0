"""The leak audit: what forcing gold-negative samples to the negative class does to every scheme."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import main
from helpers.core import MissingData
from helpers.data import locate
from helpers.evaluation import audit_leak, leak_report, leak_table
from helpers.metrics import SCHEMES, averages, leaked
from helpers.runs import Run, list_published
from tests.outcomes import Outcome

GCN = "gcn"
PUBLISHED = {"micro": 0.7317, "weighted": 0.6993, "dodrans": 0.6596, "entropy": 0.6672, "macro": 0.5208}
"""GCN's predictions on TACRED after the forcing (FACTS C3); micro was .6417."""
TEXT = "gold,predicted\n" + "NA,a\nNA,NA\nNA,b\na,a\na,b\nb,NA\nb,b\n"


@pytest.fixture(scope="module")
def tacred() -> list[Run]:
    return list_published("tacred", "confusion")


def test_gcn_gains_what_recent_claimed(tacred) -> None:
    (run,) = [one for one in tacred if one.model == GCN]
    report = leak_report(run.outcome(), run.negative)
    assert report.schemes["micro"]["f1"] == pytest.approx(0.6417, abs=5e-5)
    found = {scheme: row["f1"] for scheme, row in report.schemes_leaked.items()}
    assert found == pytest.approx(PUBLISHED, abs=5.1e-5)
    assert (report.n, report.n_negative) == (15509, 12184)


def test_the_file_gives_what_the_stored_outcome_gives(tacred) -> None:
    try:
        path = locate("tacred/tacred_test_predictions.tsv.gz")
    except MissingData as error:
        pytest.skip(f"needs the prediction files: {error}")
    (run,) = [one for one in tacred if one.model == GCN]
    by_file = audit_leak(path, "no_relation", predicted_column=GCN).to_dict()
    by_run = leak_report(run.outcome(), "no_relation").to_dict()
    unsigned = [json.loads(re.sub(r'"[^"]*\|[^"]*"', '""', json.dumps(one))) for one in (by_file, by_run)]
    assert unsigned[0] == unsigned[1] and by_file["gain"]["micro"]["f1"] > 0.09


def test_all_systems_gain_under_every_scheme(tacred) -> None:
    table = leak_table(tacred)
    assert len(table) == 52 * len(SCHEMES) and set(table["dataset"]) == {"tacred"}
    assert (table["gain"] > 0).all()
    micro = table[table["scheme"] == "micro"].set_index("model")
    assert micro.loc[GCN, "leaked"] == pytest.approx(0.7317, abs=5e-5)
    # with the leak the plain GCN would stand above systems that are better by far
    assert micro.loc[GCN, "leaked"] > micro.loc["spanbert_tacred", "score"]
    for scheme, rows in table.groupby("scheme"):
        assert rows["rank"].min() == rows["rank_leaked"].min() == 1, scheme
        assert (rows["rank"] - rows["rank_leaked"] == rows["rank_change"]).all()
        best = rows.loc[rows["score"].idxmax()]
        assert best["rank"] == 1
    assert micro["rank_change"].abs().max() > 0


def test_equal_scores_share_the_smaller_rank() -> None:
    """Two systems are right alike, the third is behind both: 1, 1, 3, with the leak and without."""
    predicted = {"one": ["NA", "a", "b", "b"], "two": ["NA", "a", "b", "b"], "three": ["NA", "a", "a", "a"]}
    runs = [
        Run.from_outcome(
            Outcome.from_columns(["NA", "a", "b", "b"], labels), dataset="d", model=name, negative="NA"
        )
        for name, labels in predicted.items()
    ]
    table = leak_table([runs[2], *runs[:2]], ["micro"]).set_index("model")
    for rank in ("rank", "rank_leaked"):
        assert table[rank].to_dict() == {"one": 1, "two": 1, "three": 3}
    assert table["rank_change"].eq(0).all()


def test_a_run_without_a_negative_class_is_refused() -> None:
    run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="d", model="m")
    with pytest.raises(ValueError, match="the run of m on d has no negative class"):
        leak_table([run])


tables = st.lists(st.tuples(*[st.sampled_from("Nabc")] * 2), min_size=1, max_size=30)


@given(pairs=tables)
def test_the_table_gives_what_changed_predictions_give(pairs) -> None:
    gold, predicted = map(list, zip(*pairs, strict=True))
    forced = ["N" if one == "N" else other for one, other in pairs]
    labels = list("Nabc")
    table = Outcome.from_columns(gold, predicted, labels=labels)
    assert leaked(table, "N") == Outcome.from_columns(gold, forced, labels=labels)
    assert leaked(leaked(table, "N"), "N") == leaked(table, "N")
    gain = averages(leaked(table, "N"), negative="N") - averages(table, negative="N")
    assert (gain >= -1e-12).all()
    others = averages(table, None, "recall", negative="N")
    assert averages(leaked(table, "N"), None, "recall", negative="N") == pytest.approx(others)


def test_replicates_are_forced_one_by_one() -> None:
    table = Outcome.from_columns(list("NNab"), list("aNab"))
    both = replace(table, counts=np.stack([table.counts, 2 * table.counts]))
    assert leaked(both, "N").table().tolist() == [
        leaked(table, "N").table().tolist(),
        (2 * leaked(table, "N").table()).tolist(),
    ]
    with pytest.raises(ValueError, match=r"negative\[0\] is 'X'"):
        leaked(table, "X")


class TestCommand:
    @pytest.fixture
    def path(self, tmp_path):
        (tmp_path / "mine.csv").write_text(TEXT)
        return str(tmp_path / "mine.csv")

    def test_json(self, path, capsys) -> None:
        assert main(["audit-leak", path, "--negative", "NA", "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["n"], found["n_negative"], found["false_alarms"]) == (7, 3, 2)
        assert set(found["schemes"]) == set(found["schemes_leaked"]) == set(found["gain"]) == set(SCHEMES)
        micro = [found[one]["micro"] for one in ("schemes", "schemes_leaked", "gain")]
        assert [one["recall"] for one in micro] == [0.5, 0.5, 0]
        assert [one["precision"] for one in micro] == pytest.approx([2 / 5, 2 / 3, 2 / 3 - 2 / 5])
        assert micro[1]["signature"] == micro[0]["signature"] + "|leak:gold_negative"

    def test_csv_and_table(self, path, capsys) -> None:
        words = ["audit-leak", path, "--negative", "NA", "--scheme", "micro", "--format"]
        assert main([*words, "csv"]) == 0
        (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
        assert float(row["f1_leaked"]) - float(row["f1"]) == pytest.approx(float(row["f1_gain"]))
        assert main([*words, "table"]) == 0
        assert "micro        44.44   57.14  +12.70" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--negative", "none"], "mine.csv: negative is 'none', which is not in labels (3 labels)"),
            ([], "Missing option '--negative'"),
            (["--negative", "NA", "--scheme", "mikro"], "did you mean 'micro'"),
            (["--negative", "NA", "--gold-column", "x"], "mine.csv"),
            (
                ["--negative", "NA", "--gold-column", "gold", "--predicted-column", "gold"],
                "mine.csv: column 'gold' is both gold and predicted",
            ),
            (["--negative", "NA", "--gold-column", "predicted"], "'predicted' is both gold and predicted"),
        ],
    )
    def test_errors(self, path, words, message, capsys) -> None:
        assert main(["audit-leak", path, *words]) == 2
        out, err = capsys.readouterr()
        assert message in err and not out and err.count("\n") == 1

    @pytest.mark.parametrize(
        ("text", "note"),
        [
            (TEXT, None),
            ("gold,predicted\nNA,NA\na,b\nb,NA\n", "no negative sample is answered with a relation"),
            ("gold,predicted\na,NA\nb,a\n", "no sample has the gold label 'NA'"),
        ],
    )
    def test_a_file_that_the_leak_does_not_change_gets_a_note(self, text, note, path, capsys) -> None:
        Path(path).write_text(text)
        assert main(["audit-leak", path, "--negative", "NA"]) == 0
        table = capsys.readouterr().out
        assert main(["audit-leak", path, "--negative", "NA", "--format", "json"]) == 0
        notes = json.loads(capsys.readouterr().out)["notes"]
        if note is None:
            assert notes == [] and "note:" not in table
        else:
            assert len(notes) == 1 and notes[0].startswith(note) and f"note: {note}" in table
