"""Ranked facts: golden values of OpenNRE's evaluation, scikit-learn as oracle, and real published lists."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve

from helpers.metrics import Outcome
from helpers.metrics.averaging import averages, evaluate
from helpers.metrics.bootstrap import bootstrap_intervals, paired_bootstrap
from helpers.metrics.fact_samples import FactSample
from helpers.metrics.facts import FactRanking, fact_scores
from tests.support import FACT_RELATIONS, golden_facts


def test_golden_values_of_the_published_evaluation() -> None:
    ranking = FactRanking.from_matrix(*golden_facts(), FACT_RELATIONS, negative="NA")
    assert (ranking.facts, len(ranking)) == (28, 320)
    found = fact_scores(ranking)
    expected = {"auc": 0.297982, "auc_anchored": 0.333697, "average_precision": 0.337561}
    expected |= {"micro_f1": 0.352941, "P@100": 0.15, "P@200": 0.12, "P@300": 0.093333}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=5e-7)
    counts = ranking.counts_at(found["threshold"])
    assert averages(counts, ["macro"])[0] == pytest.approx(0.283333, abs=5e-7)
    single = 2 * counts.correct / (counts.gold + counts.predicted)
    assert single.round(4).tolist() == [0, 0.8, 0.4, 0.6667, 0.4, 0, 0, 0]
    at_half = averages(ranking.counts_at(0.5), ["micro", "macro"])
    assert at_half.tolist() == pytest.approx([0.197917, 0.198208], abs=5e-7)


lists = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=60)


def f1_at(threshold, scores, hits, facts: int) -> float:
    """Micro-F1 of all facts with at least this score."""
    return 2 * hits[scores >= threshold].sum() / ((scores >= threshold).sum() + facts)


@given(lists, st.integers(0, 9))
def test_areas_and_f_by_hand(listed, missing) -> None:
    scores, hits = (np.array(column) for column in zip(*listed, strict=True))
    ranking = FactRanking.from_scores(scores, hits, facts=int(hits.sum()) + missing)
    order = sorted(range(len(scores)), key=lambda at: -scores[at])  # Python's sort keeps the order of equals
    found, points = 0, []
    for rank, at in enumerate(order, start=1):
        found += bool(hits[at])
        points.append((found / rank, found / max(ranking.facts, 1)))
    area = sum((r2 - r1) * (p1 + p2) / 2 for (p1, r1), (p2, r2) in zip(points, points[1:], strict=False))
    assert ranking.auc() == pytest.approx(area, abs=1e-12)
    p1, r1 = points[0]
    assert ranking.auc("anchored") == pytest.approx(area + p1 * r1, abs=1e-12)
    best = max(f1_at(threshold, scores, hits, ranking.facts) for threshold in scores)
    assert ranking.best_f1()[0] == pytest.approx(best, abs=1e-12)
    assert ranking.best_f1()[2] == max(
        score for score in scores if f1_at(score, scores, hits, ranking.facts) == best
    )
    for measure in fact_scores(ranking, at=[1, len(scores)]).values():
        assert measure >= 0


@given(st.lists(st.booleans(), min_size=2, max_size=60), st.integers(0, 99))
def test_average_precision_is_that_of_scikit_learn(hits, seed) -> None:
    """With all scores different and no fact missing."""
    hits = np.array([*hits, True])
    scores = np.random.default_rng(seed).permutation(len(hits)).astype(float)
    ranking = FactRanking.from_scores(scores, hits)
    assert ranking.auc("step") == pytest.approx(average_precision_score(hits, scores), abs=1e-12)


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 5), st.integers(0, 99))
def test_a_curve_gives_the_list_back(hits, missing, seed) -> None:
    """One point a rank, rounded to six decimals; or scikit-learn's points, in falling recall."""
    hits = np.array([*hits, True])
    whole = FactRanking.from_scores(np.arange(len(hits), 0, -1), hits, facts=int(hits.sum()) + missing)
    again = FactRanking.from_curve(whole.precision.round(6), whole.recall.round(6), whole.facts)
    assert again.hits.tolist() == whole.hits.tolist() and again.ranks.tolist() == whole.ranks.tolist()
    assert fact_scores(again) == pytest.approx(fact_scores(whole) | {"threshold": None}, nan_ok=True)
    scores = np.random.default_rng(seed).integers(0, 9, len(hits))  # equal ones share a point
    precision, recall, _ = precision_recall_curve(hits, scores)
    curve = FactRanking.from_curve(precision, recall, int(hits.sum()))
    assert curve.auc("step") == pytest.approx(average_precision_score(hits, scores), abs=1e-12)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64])
def test_the_order_is_that_of_a_stable_sort(kind, rng) -> None:
    values = rng.normal(size=400) if kind is np.float64 else rng.integers(-5, 5, 400) / 4
    far = 1e9 if kind is np.int64 else 1e30
    scores = np.r_[values, 0.0, -0.0, far, -far].astype(kind)
    hits = np.arange(len(scores)) % 3 == 0
    ranking = FactRanking.from_scores(scores, hits)
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    assert ranking.hits.tolist() == hits[order].tolist() and ranking.scores.tolist() == scores[order].tolist()


def test_single_relations_are_those_of_scikit_learn(rng) -> None:
    scores, gold = rng.random((50, 6)), rng.random((50, 6)) < 0.2
    ranking = FactRanking.from_matrix(scores, gold, list("ABCDEF"), negative="C")
    kept = [0, 1, 3, 4, 5]
    expected = f1_score(gold[:, kept], scores[:, kept] >= 0.7, average="macro", zero_division=0)
    assert averages(ranking.counts_at(0.7), ["macro"])[0] == pytest.approx(expected, abs=1e-12)
    unseen = FactRanking.from_matrix(scores, gold, list("ABCDEF"), negative="C", unseen=[1, 0, 9, 0, 2, 0])
    assert unseen.facts == ranking.facts + 3 and unseen.auc() < ranking.auc()


def test_a_common_recall(rng) -> None:
    ranking = FactRanking.from_scores(rng.random(400), rng.random(400) < 0.3, facts=200)
    cut = ranking.until(0.3)
    assert cut.true_positives[-1] == 60 and cut.hits[-1] and len(cut) == len(cut.scores) == len(cut.hits)
    assert cut.auc() == pytest.approx(np.trapezoid(cut.precision, cut.recall))
    more = np.r_[ranking.hits, np.zeros(500, bool)]
    longer = FactRanking.from_scores(np.arange(900, 0, -1), more, facts=200)
    assert longer.until(0.3).auc() == cut.auc()
    with pytest.raises(ValueError, match=r"the list ends at recall 0\.\d+"):
        ranking.until(0.99)
    with pytest.raises(ValueError, match="recall is 0"):
        ranking.until(0)


def test_an_empty_list_has_no_scores() -> None:
    found = fact_scores(FactRanking.from_scores([], [], facts=3))
    assert np.isnan([found["auc"], found["micro_f1"], found["P@100"]]).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"hits": [True]}, r"scores has shape \(2,\), hits \(1,\)"),
        ({"scores": [0.5, np.nan]}, r"scores\[1\] is nan: every fact needs a finite score"),
        ({"facts": 1}, "facts is 1, but the list holds 2 true ones"),
        ({"relations": [0], "labels": ["a"]}, r"relations has shape \(1,\)"),
        ({"relations": [0, 2], "labels": ["a", "b"]}, "relations holds 2; there are 2 labels"),
        (
            {"relations": [0, 0], "labels": ["a"], "facts_of_relation": [1]},
            r"facts_of_relation\[0\] is 1: the",
        ),
        ({"relations": [0, 0], "labels": ["a"], "facts_of_relation": [1, 2]}, "there are 1 labels"),
    ],
)
def test_bad_lists(values, message) -> None:
    with pytest.raises(ValueError, match=message):
        FactRanking.from_scores(**{"scores": [0.5, 0.6], "hits": [True, True]} | values)


@pytest.mark.parametrize(
    ("precision", "recall", "point"),
    [([1.0, 0.4], [0.1, 0.3], 2), ([1.0, 0.5, 0.9], [0.1, 0.1, 0.2], 3), ([0.5, 0.5], [0.1, 0.1], 2)],
)
def test_a_curve_that_contradicts_itself(precision, recall, point) -> None:
    with pytest.raises(ValueError, match=rf"point {point}: precision .* of 10 facts fit no rank"):
        FactRanking.from_curve(precision, recall, facts=10)


def test_a_curve_of_falling_recall_is_turned_with_its_scores() -> None:
    """As scikit-learn gives it; a first rank without a hit stays, the point of precision 1 goes."""
    gold, scores = [False, True, False, True], [0.9, 0.8, 0.4, 0.3]
    precision, recall, thresholds = precision_recall_curve(gold, scores)
    for ends in (slice(None), slice(-1)):  # with scikit-learn's last point, and without
        ranking = FactRanking.from_curve(precision[ends], recall[ends], 2, thresholds)
        assert ranking.hits.tolist() == gold and ranking.scores.tolist() == scores
    with pytest.raises(ValueError, match="point 2: precision 0.9 and recall 0.5 of 2 facts fit no rank"):
        FactRanking.from_curve([0.5, 0.9, 0.5, 0.0, 1.0], [1.0, 0.5, 0.5, 0.0, 0.0], 2)
    with pytest.raises(ValueError, match=r"point 3: score 0.1 is above 0, that of the rank before; a"):
        FactRanking.from_curve([0.5, 1 / 3, 0.5, 0.0], [1.0, 0.5, 0.5, 0.0], 2, [0.0, 0.1, 0.1, 0.0])
    with pytest.raises(ValueError, match=r"scores has shape \(2,\): one for each of 3 points"):
        FactRanking.from_curve([1.0, 0.5, 1 / 3], [0.5, 0.5, 0.5], 2, [0.2, 0.1])


def test_a_threshold_never_cuts_a_tie() -> None:
    """The second of two equal scores is taken with the first, where OpenNRE's best F1 is 1."""
    ranking = FactRanking.from_scores([0.9, 0.5, 0.5], [True, True, False], None, [0, 0, 0], ["r"], [2])
    assert ranking.best_f1() == (0.8, 3, 0.5)
    assert averages(ranking.counts_at(0.5), ["micro"])[0] == 0.8
    assert ranking.auc("step") == 1.0 and ranking.precision_at(2) == 1.0  # these follow the list's order
    curve = FactRanking.from_curve(ranking.precision, ranking.recall, 2, ranking.scores)
    assert curve.best_f1() == (0.8, 3, 0.5)
    part = FactRanking.from_curve([0.5, 0.6], [0.1, 0.3], 10, [0.5, 0.5])  # ranks 2 and 5 of one tie
    assert part.best_f1() == part.completed().best_f1()[:2] + (0.5,) == (0.4, 5, 0.5)


@pytest.mark.filterwarnings("error")
def test_scores_beyond_single_precision() -> None:
    assert FactRanking.from_scores([1e300, 3e38, 4e38], [True, False, False], 2).true_positives.tolist() == [
        1,
        1,
        1,
    ]


def test_counts_need_relations_and_scores() -> None:
    with pytest.raises(ValueError, match="relations is not known of this list"):
        FactRanking.from_scores([1.0], [True]).counts_at(0.5)


class TestResampling:
    def sample(self, rng, n=300, facts=140, tie=1) -> tuple[FactRanking, np.ndarray, np.ndarray]:
        """A list whose units have one to six facts each; `tie` facts have the same score."""
        units = rng.integers(0, 80, n)
        ranking = FactRanking.from_scores(
            np.arange(n, 0, -1) // tie, rng.random(n) < np.linspace(0.6, 0.1, n), facts=facts
        )
        of_unit = np.bincount(units[ranking.hits], minlength=90)
        of_unit[80] = facts - of_unit.sum()
        return ranking, units, of_unit

    def test_each_unit_once_is_the_list_itself(self, rng) -> None:
        ranking, units, of_unit = self.sample(rng)
        expected = fact_scores(ranking, at=[100, 301])
        names = ("auc", "auc_anchored", "average_precision", "micro_f1", "P@100", "P@301")
        for sample in (FactSample.of(ranking), FactSample.of(ranking, units, of_unit)):
            assert sample.scores([100, 301]) == pytest.approx([expected[name] for name in names], nan_ok=True)

    def test_a_replicate_is_the_list_with_its_facts_repeated(self, rng) -> None:
        ranking, units, of_unit = self.sample(rng)
        drawn = FactSample.of(ranking, units, of_unit).resample(rng, 3)
        found = drawn.scores([50])
        for counts, scores in zip(drawn.counts, found, strict=True):
            times = counts[units]
            ranks, hits = (
                one[times.cumsum() > 0] for one in (times.cumsum(), (times * ranking.hits).cumsum())
            )
            p, r = hits / ranks, hits / (counts @ of_unit)
            assert scores[0] == pytest.approx(np.trapezoid(p, r))
            assert scores[1] == pytest.approx(np.trapezoid(p, r) + p[0] * r[0])
            assert scores[3] == pytest.approx((2 * hits / (ranks + counts @ of_unit)).max())
            assert scores[4] == pytest.approx(p[np.flatnonzero(ranks >= 50)[0]])

    @pytest.mark.parametrize("recall", [None, 0.05, 0.3])
    def test_ties_stay_whole_in_every_replicate(self, rng, recall) -> None:
        """F1 is that of the best threshold, against facts written out; a tie that recall cuts ends there."""
        ranking, units, of_unit = self.sample(rng, tie=7)
        sample = FactSample.of(ranking, units, of_unit)
        cut = ranking if recall is None else ranking.until(recall)
        assert sample.scores(recall=recall)[3] == pytest.approx(cut.best_f1()[0])
        drawn = sample.resample(rng, 20)
        for counts, scores in zip(drawn.counts, drawn.scores(recall=recall), strict=True):
            times, facts = counts[units], counts @ of_unit
            repeated = [np.repeat(column, times) for column in (ranking.scores, ranking.hits)]
            one = FactRanking.from_scores(*repeated, facts=int(facts))
            if recall is not None:  # to the last of the k times that the fact stands there
                end = times.cumsum()[np.flatnonzero((times * ranking.hits).cumsum() >= recall * facts)[0]]
                one = FactRanking.from_scores(*(column[:end] for column in repeated), facts=int(facts))
            assert scores[3] == pytest.approx(one.best_f1()[0])

    @pytest.mark.parametrize("recall", [0.05, 0.3, 0.52])
    def test_a_replicate_is_cut_where_it_reaches_the_recall_itself(self, rng, recall) -> None:
        """Against lists written out fact by fact; some of them never reach the last recall."""
        ranking, units, of_unit = self.sample(rng)
        drawn = FactSample.of(ranking, units, of_unit).resample(rng, 60)
        found, ends = drawn.scores(recall=recall), set()
        for counts, scores in zip(drawn.counts, found, strict=True):
            facts, rank, true, points = int(counts @ of_unit), 0, 0, []
            for unit, hit in zip(units.tolist(), ranking.hits.tolist(), strict=True):
                rank, true = rank + counts[unit], true + counts[unit] * hit
                if rank:
                    points.append((true / facts, true / rank, 2 * true / (rank + facts)))
                if true >= recall * facts:
                    break
            else:
                assert np.isnan(scores).all()
                continue
            r, p, f1 = np.array(points).T
            assert scores[0] == pytest.approx(np.trapezoid(p, r))
            assert scores[1] == pytest.approx(np.trapezoid(p, r) + p[0] * r[0])
            assert scores[2] == pytest.approx((np.diff(r, prepend=0) * p).sum())
            assert scores[3] == pytest.approx(f1.max())
            ends.add(rank)
        assert len(ends) > 10  # every replicate has a rank of its own
        whole = FactSample.of(ranking, units, of_unit).scores(recall=recall)
        cut = ranking.until(recall)
        assert whole[0] == pytest.approx(cut.auc()) and whole[3] == pytest.approx(cut.best_f1()[0])
        at = drawn.scores([100], recall)
        assert np.array_equal(at[:, :4], found, equal_nan=True)
        assert np.array_equal(at[:, 4], drawn.scores([100])[:, 4])

    def test_the_interval_holds_the_truth_about_as_often_as_it_says(self) -> None:
        """Lists drawn from one source: the area of a very long one lies in nine of ten 90 % intervals."""
        rng = np.random.default_rng(4)
        chances = np.linspace(0.9, 0.1, 400)

        def drawn(times: int) -> FactRanking:
            hits = rng.random(400 * times) < np.repeat(chances, times)
            return FactRanking.from_scores(-np.arange(400 * times), hits)

        truth, inside = drawn(500).auc("step"), 0
        for _ in range(60):
            sample = FactSample.of(drawn(1))
            ends = bootstrap_intervals(sample, lambda one: one.scores()[..., 2], rng, 200, 0.9)
            inside += ends.low <= truth <= ends.high
        assert 46 <= inside <= 60

    def test_what_cannot_be_drawn(self, rng) -> None:
        ranking, units, of_unit = self.sample(rng)
        for values, message in (
            ((units[:-1], of_unit), "units: expected 300 positions into 90 units"),
            ((units + 20, of_unit), "units: expected 300"),
            ((units, of_unit + 1), "facts_of_unit adds up to 230; the list is of 140"),
        ):
            with pytest.raises(ValueError, match=message):
                FactSample.of(ranking, *values)
        with pytest.raises(ValueError, match="known at some of its ranks only"):
            FactSample.of(FactRanking.from_curve([0.5], [0.5], facts=4))
        samples = FactSample.of(ranking, units, of_unit), FactSample.of(ranking)
        with pytest.raises(ValueError, match="not of the same samples, or units and facts"):
            paired_bootstrap(*samples, lambda one: one.scores(), rng, 9)


class TestRealLists:
    def test_gids_probabilities(self, data_dir: Path) -> None:
        """All golden values, of Jat et al.'s PCNN."""
        file = np.load(data_dir / "gids" / "predictions" / "PCNN.npz")
        gold = np.zeros(file["probabilities"].shape, dtype=bool)
        gold[np.repeat(np.arange(len(gold)), file["gold_lengths"]), file["gold"]] = True
        ranking = FactRanking.from_matrix(file["probabilities"], gold, list("01234"), negative="0")
        found = fact_scores(ranking)
        expected = {"auc": 0.85169, "micro_f1": 0.79669, "P@100": 0.99, "P@200": 0.98, "P@300": 0.96667}
        assert {name: found[name] for name in expected} == pytest.approx(expected, abs=5e-6)


def test_sentence_level_golden_values() -> None:
    """OpenNRE's SentenceRE: micro over all but the negative class; accuracy over all."""
    gold, predicted = ["NA", "r1", "r2", "r1", "NA", "r3"], ["NA", "r1", "r1", "NA", "r2", "r3"]
    report = evaluate(Outcome.from_columns(gold, predicted), negative="NA")
    micro = report.schemes["micro"]
    assert (report.accuracy, micro["precision"], micro["recall"], micro["f1"]) == (0.5, 0.5, 0.5, 0.5)
