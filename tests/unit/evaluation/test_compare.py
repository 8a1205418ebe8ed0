"""Systems on the same samples: matching, the paired bootstrap, Holm's correction, the text."""

import logging

import numpy as np
import pandas as pd
import pytest

from helpers.evaluation import score_file
from helpers.evaluation.compare import Comparison, compare_files, comparison_latex
from helpers.metrics import Outcome
from helpers.metrics.averaging import averages
from helpers.metrics.bootstrap import paired_bootstrap
from helpers.metrics.weighting import SCHEMES

SMALL = {"replicates": 60}


@pytest.fixture
def systems(rng) -> pd.DataFrame:
    """Gold labels, and three systems that are right nine, eight and five times in ten."""
    labels = np.array(["r", "s", "t", "NA"])
    gold = rng.choice(labels, 300, p=[0.1, 0.2, 0.2, 0.5]).astype(object)
    gold[0] = "once"  # a class that is absent from a third of the replicates
    frame = pd.DataFrame({"id": [f"s{row}" for row in range(300)], "gold": gold})
    for name, share in (("good", 0.9), ("fair", 0.8), ("poor", 0.5)):
        frame[name] = np.where(rng.random(300) < share, gold, rng.choice(labels, 300))
    return frame


@pytest.fixture
def files(systems, tmp_path):
    """One CSV file a system, with ids."""
    paths = []
    for name in ("good", "fair", "poor"):
        paths.append(tmp_path / f"{name}.csv")
        systems[["id", "gold", name]].rename(columns={name: "predicted"}).to_csv(paths[-1], index=False)
    return paths


SHOWN = {"A": "aaba" * 9, "B": "acbb" * 9}


def column_file(path, predicted, gold="aabb"):
    """A CSV file of gold and predicted labels."""
    pd.DataFrame({"gold": list(gold), "predicted": list(predicted)}).to_csv(path, index=False)
    return path


def rewrite(path, change, **options):
    """The file again, changed."""
    frame = change(pd.read_csv(path, keep_default_na=False))
    frame.to_csv(path, index=False, **options)
    return path


class TestNumbers:
    def test_they_are_those_of_the_paired_bootstrap(self, files, systems):
        table = compare_files(files[:2], negative="NA", replicates=200, seed=5)
        outcomes = Outcome.from_columns(systems["gold"], systems["good"], second=systems["fair"])
        test = paired_bootstrap(
            outcomes,
            outcomes.of("second"),
            lambda one: averages(one, classes_of=outcomes, negative="NA"),
            np.random.default_rng(5),
            replicates=200,
        )
        assert table["scheme"].tolist() == list(SCHEMES)
        for name in ("difference", "low", "high", "p"):
            assert table[name].tolist() == getattr(test, name).tolist()
        scores = [averages(one, negative="NA") for one in (outcomes, outcomes.of("second"))]
        assert table["score_first"].tolist() == scores[0].tolist()
        assert table["score_second"].tolist() == scores[1].tolist()

    def test_exchanging_the_files_turns_the_sign(self, files):
        one, two = (compare_files(paths, negative="NA", **SMALL) for paths in (files[:2], files[1::-1]))
        assert one["difference"].tolist() == pytest.approx((-two["difference"]).tolist(), abs=1e-15)
        assert one["difference"].abs().min() > 0.01

    def test_holm_over_all_tests(self, files):
        table = compare_files(files, negative="NA", **SMALL)
        assert table["second"].tolist() == [str(files[1])] * 5 + [str(files[2])] * 5
        by_hand, least = {}, 0.0
        for rank, row in enumerate(table["p"].sort_values(kind="stable").index):
            least = max(least, min(1.0, (10 - rank) * table["p"][row]))
            by_hand[row] = least
        assert table["p_holm"].tolist() == pytest.approx([by_hand[row] for row in range(10)])
        assert (table["p_holm"] >= table["p"]).all() and (table["p_holm"] > table["p"]).sum() >= 9

    def test_a_comparison_does_not_depend_on_the_other_files(self, files):
        alone, among = (
            compare_files(paths, negative="NA", **SMALL) for paths in ((files[0], files[2]), files)
        )
        pd.testing.assert_frame_equal(
            alone.drop(columns="p_holm"), among.tail(5).drop(columns="p_holm").reset_index(drop=True)
        )

    def test_every_row_says_how_it_was_made(self, files):
        table = compare_files(files[:2], negative="NA", replicates=60, seed=9)
        for row in table.to_dict("records"):
            assert row["signature"].startswith(f"f1|scheme:{row['scheme']}|labels:")
            assert "|negative:NA|" in row["signature"]
            assert (row["n"], row["replicates"], row["seed"]) == (300, 60, 9)
        assert "negative:None" in compare_files(files[:2], negative="", **SMALL)["signature"].iloc[0]


class TestClasses:
    """Gold aabb; A aaba shows the classes a and b, B acbb also c."""

    @pytest.fixture
    def pair(self, tmp_path):
        return [
            column_file(tmp_path / f"{name}.csv", predicted)
            for name, predicted in (("A", "aaba"), ("B", "acbb"))
        ]

    @pytest.mark.parametrize("labels", ["supported", "observed", "listed", ["a"]])
    @pytest.mark.parametrize("rules", [{}, {"zero_division": 1.0}, {"score": "precision"}])
    def test_each_score_is_what_the_file_has_alone(self, pair, labels, rules):
        alone = [score_file(path, labels=labels, **rules).schemes for path in pair]
        for order in (0, 1), (1, 0):
            files = [pair[place] for place in order]
            for row in compare_files(files, labels=labels, **rules, **SMALL).to_dict("records"):
                found = [row["score_first"], row["score_second"]]
                name = rules.get("score", "f1")
                assert found == pytest.approx(
                    [alone[place][row["scheme"]][name] for place in order], abs=1e-12
                )

    def test_the_difference_is_over_one_set_of_classes_which_the_signature_names(self, pair):
        table = compare_files(pair, labels="observed", schemes=["macro"], **SMALL)
        (row,) = table.to_dict("records")
        assert row["score_first"] == pytest.approx((4 / 5 + 2 / 3) / 2)
        assert row["score_second"] == pytest.approx((2 / 3 + 1 + 0) / 3)
        assert row["difference"] == pytest.approx((4 / 5 + 2 / 3) / 3 - (2 / 3 + 1 + 0) / 3)
        assert row["signature"].endswith("|difference:union")
        assert "\nA − B averages both over the labels of either file\n" in Comparison(table).to_text()
        (turned,) = compare_files(pair[::-1], labels="observed", schemes=["macro"], **SMALL).to_dict(
            "records"
        )
        assert turned["difference"] == pytest.approx(-row["difference"])

    @pytest.mark.parametrize("rules", [{}, {"labels": ["a"]}, {"labels": "observed", "zero_support": "skip"}])
    def test_where_gold_labels_decide_the_difference_is_that_of_the_scores(self, pair, rules):
        table = compare_files(pair, **rules, **SMALL)
        assert (table["score_first"] - table["score_second"]).tolist() == pytest.approx(
            table["difference"].tolist()
        )
        assert not table["signature"].str.contains("difference").any()


class TestLatex:
    def test_intervals_are_those_of_the_file_alone(self, tmp_path):
        files = [column_file(tmp_path / f"{name}.csv", text, "aabb" * 9) for name, text in SHOWN.items()]
        options = {"labels": "observed", "schemes": ["macro"], "replicates": 200}
        text = comparison_latex(files, **options)
        for path in files:
            row = score_file(path, **options).schemes["macro"]
            f1, low, high = (f"{100 * row[name]:.1f}" for name in ("f1", "low", "high"))
            assert f"{f1} [{low}, {high}]" in text

    @pytest.mark.parametrize(("second", "bold"), [("aaab", True), ("abbb", False)])
    def test_bold_is_what_has_0_in_the_interval_its_end_included(self, tmp_path, second, bold):
        """One of four samples is absent from (3/4)^4 = 32 % of the replicates: the interval begins at 0."""
        files = [
            column_file(tmp_path / f"{name}.csv", text, "aaaa")
            for name, text in (("A", "aaaa"), ("B", second))
        ]
        (row,) = compare_files(files, schemes=["micro"], replicates=400).to_dict("records")
        assert row["difference"] > 0 and (row["low"] == 0) == bold
        (line,) = [
            one
            for one in comparison_latex(files, schemes=["micro"], replicates=400).splitlines()
            if one[:2] == "B "
        ]
        assert line.startswith(r"B & \textbf{") == bold


class TestMatching:
    def test_by_id_whatever_the_order(self, files):
        expected = compare_files(files[:2], negative="NA", **SMALL)
        rewrite(files[1], lambda frame: frame.sample(frac=1, random_state=1))
        pd.testing.assert_frame_equal(compare_files(files[:2], negative="NA", **SMALL), expected)

    def test_by_order_without_ids(self, files, caplog):
        expected = compare_files(files[:2], negative="NA", **SMALL)
        for path in files[:2]:
            rewrite(path, lambda frame: frame.drop(columns="id"))
        pd.testing.assert_frame_equal(compare_files(files[:2], negative="NA", **SMALL), expected)
        assert caplog.messages == []

    def test_ids_in_one_file_only_are_remarked(self, files, caplog):
        rewrite(files[1], lambda frame: frame.drop(columns="id"))
        compare_files(files[:2], **SMALL)
        assert caplog.record_tuples == [
            (
                "helpers.evaluation.pairs",
                logging.WARNING,
                f"{files[1]} has no ids: samples are matched by order",
            )
        ]


class TestRefused:
    @pytest.mark.parametrize("count", [0, 1])
    def test_too_few_files(self, files, count):
        with pytest.raises(ValueError, match=f"at least two files, not {count}"):
            compare_files(files[:count])

    def test_an_id_that_is_missing(self, files):
        rewrite(files[1], lambda frame: frame.drop(index=[4, 9]))
        with pytest.raises(
            ValueError, match=r"fair\.csv: 2 of the 300 ids of .*good\.csv .* the first is 's4'"
        ):
            compare_files(files[:2])
        with pytest.raises(ValueError, match=r"fair\.csv: 2 of the 300 ids of .*good\.csv are missing"):
            compare_files(files[1::-1])

    def test_other_lengths_without_ids(self, files):
        for path, rows in zip(files, (300, 299), strict=False):
            rewrite(path, lambda frame, rows=rows: frame.drop(columns="id").head(rows))
        with pytest.raises(
            ValueError, match=r"good\.csv has 300 samples, .*fair\.csv has 299: to be matched"
        ):
            compare_files(files[:2])

    @pytest.mark.parametrize("label", ["r", "unseen"])
    def test_another_gold_label(self, files, systems, label):
        row = int(np.flatnonzero(systems["gold"] == "s")[3])
        rewrite(files[1], lambda frame: frame.assign(gold=frame["gold"].where(frame.index != row, label)))
        with pytest.raises(
            ValueError, match=rf"differ at id 's{row}': 's' in .*good\.csv, '{label}' in .*fair\.csv"
        ):
            compare_files(files[:2])
        for path in files[:2]:
            rewrite(path, lambda frame: frame.drop(columns="id"))
        with pytest.raises(ValueError, match=rf"gold labels differ at sample {row + 1}: "):
            compare_files(files[:2])
