"""From files and frames to reports: the task, the direction rule, intervals, and what is remarked."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.core.errors import MalformedRecord
from helpers.core.labels import SEMEVAL_RELATIONS
from helpers.evaluation.compare import compare_files
from helpers.evaluation.score import score_file, score_frame
from helpers.metrics import Outcome, calibration
from helpers.metrics.averaging import average, averages, evaluate
from helpers.metrics.bootstrap import bootstrap_intervals
from helpers.metrics.direction import direction_scores, official_macro, official_scores
from helpers.metrics.weighting import SCHEMES
from helpers.runs import Run, save_run


@pytest.fixture
def paired(rng) -> pd.DataFrame:
    """Predictions on SemEval's labels that are right two times in three, on both sets."""
    gold = rng.choice(SEMEVAL_RELATIONS, 400)
    flip = str.maketrans("12", "21")  # digits stand in directions only
    on_b = np.array([label.translate(flip) for label in gold])
    guess = rng.choice(SEMEVAL_RELATIONS, (2, 400))
    right = rng.random((2, 400)) < 2 / 3
    predicted, predicted_paired = np.where(right, [gold, on_b], guess)
    return pd.DataFrame({"gold": gold, "predicted": predicted, "predicted_paired": predicted_paired})


def write(path: Path, **columns) -> Path:
    """A CSV file with these columns."""
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def unsigned(section: dict) -> dict:
    """A section of a report without the signatures."""
    found = {name: unsigned(value) if isinstance(value, dict) else value for name, value in section.items()}
    return {name: value for name, value in found.items() if name != "signature"}


class TestFrame:
    def test_it_is_counting_and_evaluating(self, paired):
        report = score_frame(paired, negative="Other")
        table = Outcome.from_columns(paired["gold"], paired["predicted"])
        assert report.to_dict()["schemes"] == evaluate(table, negative="Other").to_dict()["schemes"]
        assert report.negative == "Other" and "Other" not in report.averaged

    def test_intervals_are_those_of_the_bootstrap_over_the_same_classes(self, paired):
        frame = paired[["gold", "predicted"]].copy()
        frame.loc[0, "gold"] = "once"  # absent from a third of the replicates
        report = score_frame(frame, negative="Other", replicates=300, seed=7)
        table = Outcome.from_columns(frame["gold"], frame["predicted"])
        expected, moving = (
            bootstrap_intervals(
                table,
                lambda one, classes=classes: averages(one, classes_of=classes, negative="Other"),
                np.random.default_rng(7),
                replicates=300,
            )
            for classes in (table, None)
        )
        assert [report.schemes[scheme]["low"] for scheme in SCHEMES] == expected.low.tolist()
        assert [report.schemes[scheme]["high"] for scheme in SCHEMES] == expected.high.tolist()
        assert report.schemes["macro"]["high"] < moving.high[SCHEMES.index("macro")]

    def test_every_score_is_signed_and_says_how_its_interval_was_made(self, paired):
        plain, with_intervals = (
            score_frame(paired, task="semeval2010", replicates=replicates, seed=3) for replicates in (0, 50)
        )
        for report, made in ((plain, ""), (with_intervals, "|bootstrap:percentile,50,seed3,95")):
            signed = [*report.schemes.values(), *report.extra["official"].values(), report.extra["direction"]]
            assert len(signed) == 9
            for row in signed:
                assert "|n:400|v:" in row["signature"] and "|negative:Other|" in row["signature"]
                has_interval = any("low" in key or key == "intervals" for key in row)
                assert (
                    row["signature"].endswith(made) if has_interval else "bootstrap" not in row["signature"]
                )
            ways = [
                re.search(r"direction:(\w+)", row["signature"])[1]
                for row in report.extra["official"].values()
            ]
            assert ways == ["kept", "dropped", "grouped"]
            assert report.signature.endswith(made)
            assert ("bootstrap" in report.signature) == bool(made)


class TestTask:
    def test_another_negative_class_is_refused(self, paired):
        with pytest.raises(
            ValueError, match=r"negative is '', but the negative class of semeval2010 is 'Other'"
        ):
            score_frame(paired, task="semeval2010", negative="")

    def test_official_scores_are_those_of_the_scorer(self, paired):
        table = Outcome.from_columns(paired["gold"], paired["predicted"], labels=SEMEVAL_RELATIONS)
        report = score_frame(paired, task="semeval2010")
        assert unsigned(report.extra["official"]) == official_scores(table)
        assert report.extra["official"]["grouped"]["macro"] != report.schemes["macro"]["f1"]


class TestDirection:
    def test_performance_is_the_official_macro_with_the_task(self, paired):
        outcomes = Outcome.from_columns(
            paired["gold"], paired["predicted"], paired=paired["predicted_paired"], labels=SEMEVAL_RELATIONS
        )
        found = score_frame(paired, task="semeval2010").extra["direction"]
        assert unsigned(found) == direction_scores(outcomes).to_dict()
        assert found["performance_original"] == official_macro(outcomes)

    def test_the_interval_of_performance_is_that_of_the_scheme(self):
        """A class with one sample is absent from a third of the replicates, and is averaged there, too."""
        columns = {"gold": ["x"] * 60 + ["y"], "predicted": ["x"] * 61, "predicted_paired": ["x"] * 61}
        report = score_frame(pd.DataFrame(columns), schemes=["macro"], replicates=1000)
        found = report.extra["direction"]["intervals"]
        ends = {key: report.schemes["macro"][key] for key in ("low", "high")}
        assert ends["high"] == 0.5
        assert found["performance_original"] == found["performance_paired"] == pytest.approx(ends, abs=0.005)

    def test_official_intervals_keep_their_relations(self):
        """The paired gold label is the inverse: another class of the table, the same relation."""
        labels = ["Cause-Effect(e1,e2)", "Entity-Origin(e2,e1)"]
        columns = {"gold": [labels[0]] * 60 + [labels[1]], "predicted": [labels[0]] * 61}
        columns["predicted_paired"] = ["Cause-Effect(e2,e1)"] * 61
        extra = score_frame(pd.DataFrame(columns), task="semeval2010", replicates=300).extra
        ends = extra["direction"]["intervals"]
        assert extra["official"]["grouped"]["macro_high"] == 0.5
        assert ends["performance_original"]["high"] == ends["performance_paired"]["high"] == 0.5

    def test_rates_by_counting_rows(self, paired):
        found = score_frame(paired, task="semeval2010").extra["direction"]
        rows = paired[paired["gold"] != "Other"]
        turned = rows["gold"].map(lambda label: label.translate(str.maketrans("12", "21")))
        right_a, right_b = rows["predicted"] == rows["gold"], rows["predicted_paired"] == turned
        right = {"A": right_a, "B": right_b}[found["better_set"]]
        still = rows["predicted"] == rows["predicted_paired"]
        assert found["n"] == len(rows) < len(paired)
        assert found["pir"] == (still & right).sum() / right.sum() > 0
        assert found["ppr"] == (right_a & right_b).sum() / len(rows)

    def test_a_given_inverse_takes_the_place_of_the_rule(self, paired):
        base = "Cause-Effect"
        given = {f"{base}(e1,e2)": f"{base}(e2,e1)"}
        found = score_frame(paired, negative="Other", inverse=given).extra["direction"]
        assert found["n"] == paired["gold"].str.startswith(base).sum() > 0
        names = {f"{base}(e1,e2)": f"{base}(e2,e1)", f"{base}(e2,e1)": f"{base}(e1,e2)"}
        gold = paired["gold"].map(lambda label: names.get(label, label))
        table = Outcome.from_columns(gold, paired["predicted_paired"])
        assert found["performance_paired"] == pytest.approx(
            average(table, "macro", negative="Other"), abs=1e-12
        )


class TestFile:
    @pytest.mark.parametrize(("role", "column", "line"), [("gold", "label", 3), ("predicted", "guess", 4)])
    def test_a_label_that_the_task_lacks_is_told_with_line_and_column(self, tmp_path, role, column, line):
        columns = {"gold": ["Other"] * 4, "predicted": ["Other"] * 4}
        columns[role][line - 2 :] = ["other"] * (6 - line)
        path = write(tmp_path / "mine.csv", label=columns["gold"], guess=columns["predicted"])
        with pytest.raises(
            MalformedRecord, match="unknown label of semeval2010 'other'; did you mean 'Other'"
        ) as found:
            score_file(path, predicted_column="guess", task="semeval2010")
        assert (found.value.line, found.value.column) == (line, column)

    def test_labels_that_a_parquet_file_lists_but_does_not_use_are_no_fault(self, tmp_path):
        labels = pd.Categorical(["Other", "Other"], categories=["unused", "Other"])
        pd.DataFrame({"gold": labels, "predicted": labels}).to_parquet(tmp_path / "mine.parquet")
        assert score_file(tmp_path / "mine.parquet", task="semeval2010").accuracy == 1

    def test_a_skipped_sample_is_an_answer_of_none(self, tmp_path):
        path = write(
            tmp_path / "mine.csv", gold=["Other", "Cause-Effect(e1,e2)"], predicted=["Other", "(skipped)"]
        )
        official = score_file(path, task="semeval2010").extra["official"]["directed"]
        assert unsigned(official) == {"micro": 0.0, "macro": 0.0, "accuracy": 1.0}
        path = write(tmp_path / "wrong.csv", gold=["(skipped)"], predicted=["Other"])
        with pytest.raises(MalformedRecord, match="unknown label of semeval2010"):
            score_file(path, task="semeval2010")


class TestRemarks:
    @pytest.fixture
    def remarks(self, caplog):
        def score(path: Path, **options) -> list[str]:
            caplog.clear()
            score_file(path, **options)
            return [message.removeprefix(f"{path}: ") for message in caplog.messages]

        return score

    def test_nothing_is_remarked_on_a_sound_file(self, tmp_path, remarks, paired):
        path = tmp_path / "mine.csv"
        paired.to_csv(path, index=False)
        assert remarks(path, negative="Other", paired_column="predicted_paired") == []
        assert remarks(path, task="semeval2010") == []

    def test_a_well_known_negative_class_that_was_not_named(self, tmp_path, remarks):
        path = write(tmp_path / "mine.csv", gold=["a", "No-Relation"], predicted=["a", "a"])
        (remark,) = remarks(path)
        assert remark.startswith("'No-Relation' is averaged like any other label")
        assert remark.endswith("say --negative No-Relation")
        assert remarks(path, negative="") == remarks(path, negative="No-Relation") == []

    def test_labels_that_are_written_in_two_ways(self, tmp_path, remarks):
        path = write(tmp_path / "mine.csv", gold=["per:Age", "b"], predicted=["per:age ", "b"])
        assert remarks(path) == [
            "'per:age ' is predicted and never gold; is it 'per:Age'? --normalise counts them as one",
            "1 label is predicted and never gold ('per:age ' 1×): these count as false positives under micro",
        ]
        path = write(tmp_path / "numbers.csv", gold=[1, 2], predicted=["1.0", "2.0"])
        assert remarks(path) == [
            "'1.0' is predicted and never gold; is it '1'? write both as integers",
        ]
        path = write(tmp_path / "signs.csv", gold=[1, -1, 12], predicted=[-1, 1, "1-2"])
        assert remarks(path) == []
        assert score_file(path, normalise=True).accuracy == 0

    def test_labels_that_only_micro_sees_are_named_with_their_count(self, tmp_path, remarks):
        gold, predicted = ["a", "b", "a", "NA", "NA", "NA"], ["a", "a", "c", "d", "c", "NA"]
        path = write(tmp_path / "mine.csv", gold=gold, predicted=predicted)
        said = "2 labels are predicted and never gold, in 3 of 6 predictions ('c' 2×, 'd' 1×): these count as"
        said = f"{said} false positives under micro"
        assert remarks(path, negative="NA") == [said]
        without = score_file(path, negative="NA", labels=["a", "b"]).schemes
        scored = score_file(path, negative="NA").schemes
        assert scored["micro"]["f1"] == pytest.approx(2 / (5 + 3)) and without["micro"]["f1"] == 2 / (2 + 3)
        assert scored["macro"]["f1"] == without["macro"]["f1"]
        # nothing to say where they move nothing: a list leaves them out, micro is not shown, nothing is right
        assert remarks(path, negative="NA", labels=["a", "b"]) == []
        assert remarks(path, negative="NA", schemes=["macro"]) == []
        path = write(tmp_path / "wrong.csv", gold=["a", "b"], predicted=["b", "c"])
        assert remarks(path) == []
        frame = pd.read_csv(tmp_path / "mine.csv", keep_default_na=False)
        table = Outcome.from_columns(frame["gold"], frame["predicted"])
        run = Run.from_outcome(table, dataset="d", model="m", negative="NA")
        assert remarks(save_run(run, tmp_path)) == [said]

    def test_labels_to_average_may_be_those_of_a_whole_task_but_no_slip(self, tmp_path, remarks):
        path = write(tmp_path / "mine.csv", gold=["per:age", "NA"], predicted=["per:age", "per:age"])
        options = {"labels": ["per:age", "org:founded"], "negative": "NA"}
        assert remarks(path, **options) == ["labels to average that never occur: org:founded"]
        report = score_file(path, **options)
        assert report.schemes["macro"]["f1"] == pytest.approx(2 / 3) and report.ignored == ("org:founded",)
        assert score_file(path, zero_support="zero", **options).schemes["macro"]["f1"] == pytest.approx(1 / 3)
        (row,) = compare_files([path, path], schemes=["macro"], replicates=9, **options).to_dict("records")
        assert row["score_first"] == row["score_second"] == report.schemes["macro"]["f1"]
        for score in (score_file, lambda one, **rules: compare_files([one, one], **rules)):
            with pytest.raises(ValueError, match=r"labels\[0\] is 'per:aeg', .* did you mean 'per:age'"):
                score(path, labels=["per:aeg"])


def test_the_negative_class_may_be_predicted_for_paired_samples_only():
    frame = pd.DataFrame(
        {
            "gold": ["R(e1,e2)", "R(e2,e1)"],
            "predicted": ["R(e1,e2)", "R(e2,e1)"],
            "predicted_paired": ["NA", "R(e1,e2)"],
        }
    )
    report = score_frame(frame, negative="NA")
    assert report.labels == ("NA", "R(e1,e2)", "R(e2,e1)") and report.schemes["micro"]["f1"] == 1.0
    assert report.extra["direction"]["performance_paired"] == pytest.approx((1 + 0) / 2)
    with pytest.raises(ValueError, match="negative is 'na'"):
        score_frame(frame, negative="na")
    with pytest.raises(ValueError, match="the frame has no column 'predicted'"):
        score_frame(frame[["gold"]])


class TestConfidence:
    ROWS = [("a", "a", 0.95), ("a", "b", 0.85), ("b", "b", 0.9), ("b", "a", 0.2)]

    @pytest.mark.parametrize(("factor", "unit"), [(1, "fractions"), (100, "per cent")])
    def test_a_column_gives_the_calibration(self, tmp_path, factor, unit):
        path = tmp_path / "a.csv"
        rows = [f"{gold},{predicted},{factor * sure}" for gold, predicted, sure in self.ROWS]
        path.write_text("\n".join(["gold,predicted,sure", *rows]))
        report = score_file(path, confidence="sure")
        bins = calibration([sure for *_, sure in self.ROWS], [True, False, True, False])
        section = report.to_dict()["calibration"]
        assert section["ece"] == pytest.approx(bins.ece) and len(section["bins"]) == 10
        assert section["bins"]["80 to 90"] == pytest.approx({"n": 2, "confidence": 0.875, "accuracy": 0.5})
        assert section["bins"]["0 to 10"] == {"n": 0, "confidence": None, "accuracy": None}
        assert f"calibration: confidence by column sure, {unit}" in report.to_text()
        assert report.signature == score_file(path).signature

    @pytest.mark.parametrize(
        ("column", "message"),
        [("sur", "column 'sur' does not exist"), ("predicted", "a.csv, line 2, column 'predicted': ")],
    )
    def test_what_is_no_confidence_is_refused(self, tmp_path, column, message):
        path = tmp_path / "a.csv"
        path.write_text("gold,predicted,sure\na,b,-1\n")
        with pytest.raises(ValueError, match=message):
            score_file(path, confidence=column)
        with pytest.raises(ValueError, match=r"a.csv: confidence\[0\] is -1: a fraction from 0 to 1"):
            score_file(path, confidence="sure")
        path.write_text("gold,predicted,sure\na,b,1.7\na,a,0.4\n")
        with pytest.raises(
            ValueError, match=r"column 'sure': the largest confidence is 1.7, which is neither"
        ):
            score_file(path, confidence="sure")
        with pytest.raises(ValueError, match="confidence is a column of one file"):
            score_file([path, path], confidence="sure")
