"""The leak audit: what forcing gold-negative samples to the negative class does to every scheme."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import main
from helpers.evaluation import leak_report, leak_table
from helpers.metrics import SCHEMES, Outcome, averages, leaked
from helpers.runs import Run, list_published

GCN = "gcn"
PUBLISHED = {"micro": 0.7317, "weighted": 0.6993, "dodrans": 0.6596, "entropy": 0.6672, "macro": 0.5208}
"""GCN's predictions on TACRED after the forcing; micro was .6417."""
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
