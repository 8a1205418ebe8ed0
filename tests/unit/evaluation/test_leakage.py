"""The leak audit: what forcing gold-negative samples to the negative class does to every scheme."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.evaluation import audit_leak, leak_table
from helpers.metrics import SCHEMES, Outcome, averages
from helpers.runs import Run, list_published

PUBLISHED = {"micro": 0.7317, "weighted": 0.6993, "dodrans": 0.6596, "entropy": 0.6672, "macro": 0.5208}
"""GCN's predictions on TACRED after the forcing; micro was .6417."""


def test_gcn_gains_what_recent_claimed() -> None:
    (run,) = (run for run in list_published("tacred", "confusion") if run.model == "gcn")
    report = audit_leak(run.outcome(), run.negative)
    assert report.schemes["micro"]["f1"] == pytest.approx(0.6417, abs=5e-5)
    after = {scheme: row["f1"] for scheme, row in report.schemes_leaked.items()}
    assert after == pytest.approx(PUBLISHED, abs=5.1e-5)
    assert (report.n, report.n_negative) == (15509, 12184)
    skipped = Outcome.from_columns(["NA", "NA", "a"], ["NA", "(skipped)", "a"])
    assert audit_leak(skipped, "NA").false_alarms == 0


def test_a_run_without_a_negative_class_is_refused() -> None:
    run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="d", model="m")
    with pytest.raises(ValueError, match="the run of m on d has no negative class"):
        leak_table([run])


@given(pairs=st.lists(st.tuples(*[st.sampled_from("Nabc")] * 2), min_size=1, max_size=30))
def test_the_table_gives_what_changed_predictions_give(pairs) -> None:
    gold, predicted = map(list, zip(*pairs, strict=True))
    forced = ["N" if label == "N" else other for label, other in pairs]
    table, expected = (Outcome.from_columns(gold, said, labels=list("Nabc")) for said in (predicted, forced))
    assert table.leaked("N") == expected == expected.leaked("N")
    assert (averages(expected, negative="N") - averages(table, negative="N") >= -1e-12).all()
    recalls = [averages(each, None, "recall", negative="N") for each in (table, expected)]
    assert recalls[0] == pytest.approx(recalls[1])
    both = replace(table, counts=np.stack([table.counts, 2 * table.counts])).leaked("N").table()
    assert both.tolist() == [expected.table().tolist(), (2 * expected.table()).tolist()]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "mine.csv").write_text("gold,predicted\n" + "NA,a\nNA,NA\nNA,b\na,a\na,b\nb,NA\nb,b\n")
    return tmp_path / "mine.csv"


def test_the_command_by_hand(path, call) -> None:
    found = json.loads(call("audit-leak", path, "--negative", "NA", "--format", "json")[1])
    assert (found["n"], found["n_negative"], found["false_alarms"]) == (7, 3, 2)
    assert set(found["schemes"]) == set(found["schemes_leaked"]) == set(found["gain"]) == set(SCHEMES)
    micro = [found[name]["micro"] for name in ("schemes", "schemes_leaked", "gain")]
    assert [row["recall"] for row in micro] == [0.5, 0.5, 0]
    assert [row["precision"] for row in micro] == pytest.approx([2 / 5, 2 / 3, 2 / 3 - 2 / 5])
    assert micro[1]["signature"] == micro[0]["signature"] + "|leak:gold_negative"


NONE = "mine.csv: negative is 'none', which is not in labels (3 labels)"
BOTH = "mine.csv: column 'predicted' is both gold and predicted"


@pytest.mark.parametrize(("words", "message"), [("none", NONE), ("NA --gold-column predicted", BOTH)])
def test_the_command_refuses(path, words, message, call) -> None:
    code, out, err = call("audit-leak", path, "--negative", *words.split())
    assert (code, out, err.count("\n")) == (2, "", 1) and message in err
