"""Systems on the same samples: matching, the paired bootstrap, corrections, LaTeX, what is refused."""

import numpy as np
import pandas as pd
import pytest

from helpers.evaluation import compare_files, score_file
from helpers.metrics import SCHEMES, Outcome, averages, holm, paired_bootstrap

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
    paths = [tmp_path / f"{name}.csv" for name in ("good", "fair", "poor")]
    for path in paths:
        systems[["id", "gold", path.stem]].set_axis(["id", "gold", "predicted"], axis=1).to_csv(
            path, index=False
        )
    return paths


@pytest.fixture
def pair(tmp_path):
    """Two CSV files A and B: a system's predictions each, one letter a label."""

    def write(gold, first, second):
        for name, predicted in (("A", first), ("B", second)):
            frame = pd.DataFrame({"gold": list(gold), "predicted": list(predicted)})
            frame.to_csv(tmp_path / f"{name}.csv", index=False)
        return [tmp_path / "A.csv", tmp_path / "B.csv"]

    return write


def rewrite(path, change):
    """The file again, changed."""
    change(pd.read_csv(path, keep_default_na=False)).to_csv(path, index=False)


def rows(files, **options) -> list[dict]:
    return compare_files(files, **(SMALL | options)).rows()


class TestNumbers:
    def test_they_are_those_of_the_paired_bootstrap(self, files, systems):
        table = compare_files(files[:2], negative="NA", replicates=200, seed=5).to_frame()
        outcomes = Outcome.from_columns(systems["gold"], systems["good"], second=systems["fair"])
        second, rng = outcomes.of("second"), np.random.default_rng(5)
        scores = [averages(outcome, negative="NA").tolist() for outcome in (outcomes, second)]
        assert [table["score_first"].tolist(), table["score_second"].tolist()] == scores
        test = paired_bootstrap(
            outcomes, second, lambda drawn: averages(drawn, classes_of=outcomes, negative="NA"), rng, 200
        )
        assert table["scheme"].tolist() == list(SCHEMES)
        for name, values in vars(test).items():
            assert table["difference" if name == "value" else name].tolist() == values.tolist()
        for row in table.to_dict("records"):
            assert row["signature"].startswith(f"f1|scheme:{row['scheme']}|labels:")
            assert "|negative:NA|" in row["signature"]
            assert (row["n"], row["replicates"], row["seed"]) == (300, 200, 5)
        assert "negative:None" in rows(files[:2], negative="")[0]["signature"]

    def test_only_the_correction_depends_on_the_other_files(self, files):
        among = compare_files(files, negative="NA", **SMALL).to_frame()
        assert among["second"].tolist() == [str(files[1])] * 5 + [str(files[2])] * 5
        assert among["p_holm"].tolist() == holm(among["p"].tolist())
        assert (among["p_holm"] >= among["p"]).all() and (among["p_holm"] > among["p"]).sum() >= 9
        alone = compare_files([files[0], files[2]], negative="NA", **SMALL).to_frame().drop(columns="p_holm")
        pd.testing.assert_frame_equal(alone, among.tail(5).drop(columns="p_holm").reset_index(drop=True))


class TestClasses:
    @pytest.fixture
    def shown(self, pair):
        return pair("aabb", "aaba", "acbb")  # A has the classes a and b, B also c

    @pytest.mark.parametrize("labels", ["observed", "listed"])
    def test_the_difference_is_over_one_set_of_classes_which_the_signature_names(self, shown, labels):
        comparison = compare_files(shown, labels=labels, schemes=["macro"], **SMALL)
        (row,) = comparison.rows()
        assert row["score_first"] == pytest.approx((4 / 5 + 2 / 3) / 2)
        assert row["score_second"] == pytest.approx((2 / 3 + 1 + 0) / 3)
        assert row["difference"] == pytest.approx((4 / 5 + 2 / 3) / 3 - (2 / 3 + 1 + 0) / 3)
        assert row["signature"].endswith("|difference:union")
        assert "\nA − B averages both over the labels of either file\n" in comparison.to_text()
        (turned,) = rows(shown[::-1], labels=labels, schemes=["macro"])
        assert turned["difference"] == pytest.approx(-row["difference"])

    def test_a_score_of_true_negatives_is_that_of_the_file_alone(self, shown):
        (row,) = compare_files(shown, score="mcc", schemes=["micro"], **SMALL).rows()
        assert row["score_first"] == score_file(shown[0], score="mcc").schemes["micro"]["mcc"]
        assert row["difference"] != row["score_first"] - row["score_second"]
        assert row["signature"].endswith("|difference:union")

    @pytest.mark.parametrize("rules", [{}, {"labels": ["a"]}, {"labels": "observed", "zero_support": "skip"}])
    def test_where_gold_labels_decide_the_difference_is_that_of_the_scores(self, shown, rules):
        for row in rows(shown, **rules):
            assert row["score_first"] - row["score_second"] == pytest.approx(row["difference"])
            assert "difference" not in row["signature"]


class TestLatex:
    def test_one_system_never_answers_with_the_negative_class(self, pair):
        comparison = compare_files(pair("aabb", "aabN", "aaab"), negative="N", **SMALL)
        first = comparison.rows()[0]
        assert f"{100 * first['score_second']:.1f} [" in comparison.to_latex()

    def test_intervals_are_those_of_the_file_alone(self, pair):
        files = pair("aabb" * 9, "aaba" * 9, "acbb" * 9)
        options = {"labels": "observed", "schemes": ["macro"], "replicates": 200}
        text = compare_files(files, **options).to_latex()
        for path in files:
            row = score_file(path, **options).schemes["macro"]
            f1, low, high = (f"{100 * row[name]:.1f}" for name in ("f1", "low", "high"))
            assert f"{f1} [{low}, {high}]" in text and "Corrected" not in text

    @pytest.mark.parametrize(("correction", "n", "bold"), [("holm", 1, 0), ("holm", 5, 1), ("bh", 5, 0)])
    def test_bold_is_what_the_corrected_p_does_not_tell_from_the_best(self, pair, correction, n, bold):
        """B errs on four samples of 40: p is about .02, under Holm of five schemes about .1."""
        files = pair("a" * 34 + "b" * 6, "a" * 34 + "b" * 6, "a" * 30 + "b" * 4 + "b" * 6)
        options = {"schemes": ["n^0", "n^0.1", "n^0.2", "n^0.3", "n^0.4"][:n], "replicates": 400}
        row, *_ = rows(files, correction=correction, **options)
        assert row["low"] > 0 and (row[f"p_{correction}"] >= 0.05) == bold
        comparison = compare_files(files, correction=correction, **options)
        text, lines = comparison.to_text(), comparison.to_latex().splitlines()
        assert sum(line.startswith(r"B & \textbf{") for line in lines) == bold
        said = "systems are not told apart" if bold else "systems differ"
        assert f"At .05 the {said} under {', '.join(options['schemes'])}." in text
        assert [len(line.split()) for line in text.splitlines() if line.startswith("n^")] == [8] * n


class TestMatching:
    def test_by_id_whatever_the_order_or_by_order_without_ids(self, files, caplog):
        expected, text = rows(files[:2], negative="NA"), files[1].read_text()
        rewrite(files[1], lambda frame: frame.sample(frac=1, random_state=1))
        assert rows(files[:2], negative="NA") == expected
        files[1].write_text(text)
        for path in files[:2]:
            rewrite(path, lambda frame: frame.drop(columns="id"))
        assert rows(files[:2], negative="NA") == expected and caplog.messages == []
        compare_files(files[1:], **SMALL)
        averaged = "'NA' is averaged like any other label; if it is the negative class, say --negative NA"
        by_order = f"{files[1]} has no ids: samples are matched by order"
        assert caplog.messages == [by_order, f"{files[1]}: {averaged}"]

    @pytest.mark.parametrize("label", ["r", "unseen"])
    def test_another_gold_label(self, files, systems, label):
        row = int(np.flatnonzero(systems["gold"] == "s")[3])
        rewrite(files[1], lambda frame: frame.assign(gold=frame["gold"].where(frame.index != row, label)))
        message = rf"differ at id 's{row}': 's' in .*good\.csv, '{label}' in .*fair\.csv"
        with pytest.raises(ValueError, match=message):
            compare_files(files[:2])
        for path in files[:2]:
            rewrite(path, lambda frame: frame.drop(columns="id"))
        with pytest.raises(ValueError, match=rf"gold labels differ at sample {row + 1}: "):
            compare_files(files[:2])
