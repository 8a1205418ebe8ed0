"""From files and frames to reports: the task, direction, intervals, a sixth scheme, and what is remarked."""

import inspect
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest

from helpers import evaluation, metrics
from helpers.core import SEMEVAL_RELATIONS, MalformedRecord
from helpers.evaluation import compare_files, score_file, score_frame
from helpers.metrics import SCHEMES, Outcome, averages
from helpers.papers.multilabel import scores_of
from helpers.reporting import resampled_intervals, scheme_scores
from helpers.runs import Run, save_run
from tests.support import temporary_scheme

FLIP = str.maketrans("12", "21")  # digits stand in directions only
FORWARD, BACKWARD = "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"


@pytest.fixture
def paired(rng) -> pd.DataFrame:
    """Predictions on SemEval's labels that are right two times in three, on both sets."""
    gold = rng.choice(SEMEVAL_RELATIONS, 400)
    guess, right = rng.choice(SEMEVAL_RELATIONS, (2, 400)), rng.random((2, 400)) < 2 / 3
    predicted, other = np.where(right, [gold, [label.translate(FLIP) for label in gold]], guess)
    return pd.DataFrame({"gold": gold, "predicted": predicted, "predicted_paired": other})


@pytest.fixture
def write(tmp_path):
    """Write columns as mine.csv; gives the path."""

    def to_file(**columns):
        pd.DataFrame(columns).to_csv(tmp_path / "mine.csv", index=False)
        return tmp_path / "mine.csv"

    return to_file


def unsigned(section: dict) -> dict:
    """A section of a report without the signatures."""
    values = {key: unsigned(value) if isinstance(value, dict) else value for key, value in section.items()}
    return {key: value for key, value in values.items() if key != "signature"}


def test_intervals_are_those_of_the_bootstrap_over_the_same_classes(paired):
    frame = paired[["gold", "predicted"]].copy()
    frame.loc[0, "gold"] = "once"  # absent from a third of the replicates
    report = score_frame(frame, negative="Other", replicates=300, seed=7)
    table = Outcome.from_columns(frame["gold"], frame["predicted"])
    scores = partial(averages, negative="Other")
    expected, moving = (
        metrics.bootstrap_intervals(table, statistic, np.random.default_rng(7), 300)
        for statistic in (partial(scores, classes_of=table), scores)
    )
    for end in ("low", "high"):
        assert [report.schemes[scheme][end] for scheme in SCHEMES] == getattr(expected, end).tolist()
    assert report.schemes["macro"]["high"] < moving.high[SCHEMES.index("macro")]


def test_every_score_is_signed_and_says_how_its_interval_was_made(paired):
    for replicates, made in ((0, ""), (50, "|bootstrap:percentile,50,seed3,95")):
        report = score_frame(paired, task="semeval2010", replicates=replicates, seed=3)
        official = report.extra["official"].values()
        signed = [*report.schemes.values(), *official, report.extra["direction"]]
        assert len(signed) == 9
        for row in signed:
            signature = row["signature"]
            assert "|n:400|v:" in signature and "|negative:Other|" in signature
            drawn = any("low" in key or key == "intervals" for key in row)
            assert signature.endswith(made) if drawn else "bootstrap" not in signature
        ways = [re.search(r"direction:(\w+)", row["signature"])[1] for row in official]
        assert ways == ["kept", "dropped", "grouped"]
        over = "18 labels (directed) or over 9 relations (undirected; grouped, the task's own score)"
        assert report.headings["official"] == f"macro is over {over}"
        assert report.signature.endswith(made) and ("bootstrap" in report.signature) == bool(made)


def test_how_often_and_by_which_seed_is_drawn_unless_told():
    scoring = (evaluation.score._report, evaluation.score_triples, evaluation.score_multilabel)
    scoring += (evaluation.score_documents, evaluation.score_fact_file)
    for function in (*scoring, evaluation.compare_fact_files, evaluation.compare._Comparison):
        defaults = [inspect.signature(function).parameters[name].default for name in ("replicates", "seed")]
        assert defaults == [0 if function in scoring else 10_000, 1]


class TestTask:
    def test_official_scores_are_those_of_the_scorer(self, paired):
        table = Outcome.from_columns(paired["gold"], paired["predicted"], labels=SEMEVAL_RELATIONS)
        report = score_frame(paired, task="semeval2010")
        assert unsigned(report.extra["official"]) == metrics.official_scores(table)
        assert report.extra["official"]["grouped"]["macro"] != report.schemes["macro"]["f1"]

    def test_labels_that_a_parquet_file_lists_but_does_not_use_are_no_fault(self, tmp_path):
        labels = pd.Categorical(["Other", "Other"], categories=["unused", "Other"])
        pd.DataFrame({"gold": labels, "predicted": labels}).to_parquet(tmp_path / "mine.parquet")
        assert score_file(tmp_path / "mine.parquet", task="semeval2010").accuracy == 1

    def test_a_skipped_sample_is_an_answer_of_none_and_no_gold_label(self, write):
        path = write(gold=["Other", FORWARD], predicted=["Other", "(skipped)"])
        official = score_file(path, task="semeval2010").extra["official"]["directed"]
        assert unsigned(official) == {"micro": 0.0, "macro": 0.0, "accuracy": 1.0}
        with pytest.raises(MalformedRecord, match="unknown label of semeval2010"):
            score_file(write(gold=["(skipped)"], predicted=["Other"]), task="semeval2010")


class TestDirection:
    def test_intervals_keep_the_classes_of_the_scheme_and_the_relations_of_the_task(self):
        """What has one sample is absent from a third of the replicates, and is averaged there, too; the
        paired gold label is another class of the table, and the same relation."""
        columns = {"gold": ["x"] * 60 + ["y"], "predicted": ["x"] * 61, "predicted_paired": ["x"] * 61}
        report = score_frame(pd.DataFrame(columns), schemes=["macro"], replicates=1000)
        drawn = report.extra["direction"]["intervals"]
        ends = {key: report.schemes["macro"][key] for key in ("low", "high")}
        assert ends["high"] == 0.5
        assert drawn["performance_original"] == drawn["performance_paired"] == pytest.approx(ends, abs=0.005)
        columns = {"gold": [FORWARD] * 60 + ["Entity-Origin(e2,e1)"], "predicted": [FORWARD] * 61}
        frame = pd.DataFrame(columns).assign(predicted_paired=BACKWARD)
        extra = score_frame(frame, task="semeval2010", replicates=300).extra
        drawn = extra["direction"]["intervals"]
        assert extra["official"]["grouped"]["macro_high"] == 0.5
        assert drawn["performance_original"]["high"] == drawn["performance_paired"]["high"] == 0.5

    def test_the_negative_class_may_be_predicted_for_paired_samples_only(self):
        frame = pd.DataFrame({"gold": ["R(e1,e2)", "R(e2,e1)"], "predicted": ["R(e1,e2)", "R(e2,e1)"]})
        frame = frame.assign(predicted_paired=["NA", "R(e1,e2)"], counts=9)  # a column that nobody asked for
        report = score_frame(frame, negative="NA")
        assert report.labels == ("NA", "R(e1,e2)", "R(e2,e1)") and report.schemes["micro"]["f1"] == 1.0
        assert report.extra["direction"]["performance_paired"] == pytest.approx(1 / report.n) == 0.5
        with pytest.raises(ValueError, match="negative is 'na'"):
            score_frame(frame, negative="na")
        with pytest.raises(ValueError, match="the frame has no column 'predicted'"):
            score_frame(frame[["gold"]])


class TestRemarks:
    @pytest.fixture
    def remarks(self, caplog):
        def score(path, **options) -> list[str]:
            caplog.clear()
            score_file(path, **options)
            return [message.removeprefix(f"{path}: ") for message in caplog.messages]

        return score

    def test_a_well_known_negative_class_that_was_not_named(self, write, remarks):
        path = write(gold=["a", "No-Relation"], predicted=["a", "a"])
        (remark,) = remarks(path)
        assert remark.startswith("'No-Relation' is averaged like any other label")
        assert remark.endswith("say --negative No-Relation")
        assert remarks(path, negative="") == remarks(path, negative="No-Relation") == []
        other = path.rename(path.with_name("other.csv"))
        (remark,) = remarks([other, write(gold=["a"], predicted=["a"])], negative="")
        assert "2 files are one test set here" in remark

    def test_roles_and_inverses_that_may_be_slips(self, write, remarks):
        path = write(gold=["r", "s"], predicted=["r", "s"], paired=["s", "r"])
        (remark,) = remarks(path, predicted_column="gold")
        assert remark == "column 'gold' is taken for gold and for predicted"
        none = "no gold label has an inverse, so PIR and PPR are undefined; --inverse FILE gives inverses"
        absent = "1 labels with an inverse do not occur, the first is 'x'"
        for inverse, said in ((None, [none]), ({"r": "s"}, []), ({"x": "y"}, [absent, none])):
            assert remarks(path, paired_column="paired", inverse=inverse) == said

    def test_labels_that_are_written_in_two_ways(self, write, remarks):
        assert remarks(write(gold=["per:Age", "b"], predicted=["per:age ", "b"])) == [
            "'per:age ' is predicted and never gold; is it 'per:Age'? --normalise counts them as one",
            "1 label is predicted and never gold ('per:age ' 1×): these count as false positives under micro",
        ]
        (remark,) = remarks(write(gold=[1, 2], predicted=["1.0", "2.0"]))
        assert remark == "'1.0' is predicted and never gold; is it '1'? write both as integers"
        (remark,) = remarks(write(gold=["a", "A"], predicted=["a", "A"]))
        assert remark == "'a' and 'A' are two labels here; --normalise counts them as one"
        (remark,) = remarks(write(gold=["a"], predicted=["b"]))
        assert remark.startswith("no predicted label occurs as gold: are the labels")
        path = write(gold=[1, -1, 12], predicted=[-1, 1, "1-2"])
        assert remarks(path) == [] and score_file(path, normalise=True).accuracy == 0

    def test_labels_that_only_micro_sees_are_named_with_their_count(self, write, tmp_path, remarks):
        gold, predicted = ["a", "b", "a", "NA", "NA", "NA"], ["a", "a", "c", "d", "c", "NA"]
        said = "2 labels are predicted and never gold, in 3 of 6 predictions ('c' 2×, 'd' 1×): these count as"
        said = f"{said} false positives under micro"
        path = write(gold=gold, predicted=predicted)
        assert remarks(path, negative="NA") == [said]
        run = Run.from_outcome(Outcome.from_columns(gold, predicted), dataset="d", model="m", negative="NA")
        stored = save_run(run, tmp_path)
        assert remarks(stored) == remarks(stored, negative="NA") == [said]
        for options, message in (
            ({"gold_file": path}, "is a run file and has its gold labels"),
            ({"task": "semeval2010"}, "is a run file and is of d, not of semeval2010"),
            ({"label_set": "gold"}, "which has counts and no answers: leave out label_set"),
        ):
            with pytest.raises(ValueError, match=message):
                score_file(stored, **options)
        pair = Outcome.from_columns(gold, predicted, second=gold)
        with pytest.raises(ValueError, match="is not of one classifier of single labels"):
            score_file(save_run(Run.from_outcome(pair, dataset="d", model="m+n", second="n"), tmp_path))
        # nothing to say where they move nothing: a list leaves them out, micro is not shown, nothing is right
        assert remarks(path, negative="NA", labels=["a", "b"]) == []
        assert remarks(path, negative="NA", schemes=["macro"]) == []
        assert remarks(write(gold=["a", "b"], predicted=["b", "c"])) == []

    def test_labels_to_average_may_be_those_of_a_whole_task_but_no_slip(self, write, remarks):
        path = write(gold=["per:age", "NA"], predicted=["per:age", "per:age"])
        options = {"labels": ["per:age", "org:founded"], "negative": "NA"}
        assert remarks(path, **options) == ["labels to average that never occur: org:founded"]
        report = score_file(path, **options)
        assert report.schemes["macro"]["f1"] == pytest.approx(2 / 3) and report.ignored == ("org:founded",)
        assert score_file(path, zero_support="zero", **options).schemes["macro"]["f1"] == pytest.approx(1 / 3)
        (row,) = compare_files([path, path], schemes=["macro"], replicates=9, **options).rows()
        assert row["score_second"] == report.schemes["macro"]["f1"]
        with pytest.raises(ValueError, match=r"labels\[0\] is 'per:aeg', .* did you mean 'per:age'"):
            score_file(path, labels=["per:aeg"])


class TestConfidence:
    ROWS = [("a", "a", 0.95), ("a", "b", 0.85), ("b", "b", 0.9), ("b", "a", 0.2)]

    @pytest.mark.parametrize(("factor", "unit"), [(1, "fractions"), (100, "per cent")])
    def test_a_column_gives_the_calibration(self, write, factor, unit):
        gold, predicted, sure = zip(*self.ROWS, strict=True)
        path = write(gold=gold, predicted=predicted, sure=[factor * share for share in sure])
        report = score_file(path, confidence="sure")
        section = report.to_dict()["calibration"]
        expected = metrics.calibration(list(sure), [True, False, True, False]).ece
        assert section["ece"] == pytest.approx(expected) and len(section["bins"]) == 10
        assert section["bins"]["80 to 90"] == pytest.approx({"n": 2, "confidence": 0.875, "accuracy": 0.5})
        assert f"calibration: confidence by column sure, {unit}" in report.to_text()
        assert report.signature == score_file(path).signature

    @pytest.mark.parametrize(
        ("stated", "column", "message"),
        [
            ([1, 1], "sur", "column 'sur' does not exist"),
            ([1, 1], "predicted", "mine.csv, line 2, column 'predicted': "),
            ([0.4, -1], "sure", r"mine.csv: confidence\[1\] is -1: a fraction from 0 to 1"),
            ([1.7, 0.4], "sure", "column 'sure': the largest confidence is 1.7, which is neither"),
        ],
    )
    def test_what_is_no_confidence_is_refused(self, write, stated, column, message):
        path = write(gold=["a", "a"], predicted=["b", "a"], sure=stated)
        with pytest.raises(ValueError, match=message):
            score_file(path, confidence=column)
        with pytest.raises(ValueError, match="confidence is a column of one file"):
            score_file([path, path], confidence="sure")


ROOT_WEIGHTED = [*SCHEMES, "root"]


@temporary_scheme("root", lambda support, total: support**0.5)
def test_a_sixth_scheme_has_intervals_and_is_in_every_report():
    gold, predicted, rng = list("aaaaabbbcd"), list("aaabbbbaca"), np.random.default_rng(1)
    table = Outcome.from_columns(gold, predicted)
    report = score_frame(pd.DataFrame({"gold": gold, "predicted": predicted}), replicates=50)
    drawn = metrics.bootstrap_intervals(table, lambda t: averages(t, ["n^0.5"], classes_of=table), rng, 50)
    row = report.schemes["root"]
    assert [row["f1"], row["low"], row["high"]] == [drawn.value, drawn.low, drawn.high]
    signature = metrics.Policy().signature(table, "f1", "root")
    assert metrics.evaluate(table).schemes["root"]["signature"] == signature
    run = Run.from_outcome(table, dataset="d", split="test", model="m", seed=9)
    assert [*scheme_scores(run)] == ROOT_WEIGHTED
    assert [*resampled_intervals([run], replicates=10)["score"]] == ROOT_WEIGHTED
    outcome = metrics.MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1)
    assert "root" in scores_of(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), ks=[1])
