"""Ranked facts: golden values of OpenNRE's evaluation, scikit-learn as oracle, and real published lists."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, precision_recall_curve

from helpers.metrics import CLASS_SCORES, FactRanking, averages, paired_bootstrap
from helpers.metrics.facts import FACT_MEASURES
from tests.support import FACT_RELATIONS, golden_facts


def counts_at(ranking: FactRanking, threshold: float):
    """What is predicted of each relation with at least this score."""
    return ranking.counts_until(int((ranking.scores >= threshold).sum()))


def test_golden_values_of_the_published_evaluation() -> None:
    ranking = FactRanking.from_matrix(*golden_facts(), FACT_RELATIONS, negative="NA")
    assert (ranking.facts, len(ranking)) == (28, 320)
    found = ranking.measures()
    expected = {"auc": 0.297982, "auc_anchored": 0.333697, "average_precision": 0.337561}
    expected |= {"micro_f1": 0.352941, "P@100": 0.15, "P@200": 0.12, "P@300": 0.093333}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=5e-7)
    best = counts_at(ranking, found["threshold"])
    assert averages(best, ["macro"])[0] == pytest.approx(0.283333, abs=5e-7)
    assert CLASS_SCORES["f1"](best).round(4).tolist() == [0, 0.8, 0.4, 0.6667, 0.4, 0, 0, 0]
    at_half = averages(counts_at(ranking, 0.5), ["micro", "macro"])
    assert at_half.tolist() == pytest.approx([0.197917, 0.198208], abs=5e-7)


lists = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=60)


def f1_at(threshold, scores, hits, facts: int) -> float:
    """Micro-F1 of all facts with at least this score."""
    return 2 * hits[scores >= threshold].sum() / ((scores >= threshold).sum() + facts)


@given(lists, st.integers(0, 9))
def test_areas_and_f_by_hand(listed, missing) -> None:
    scores, hits = (np.array(column) for column in zip(*listed, strict=True))
    ranking = FactRanking.from_scores(scores, hits, facts=int(hits.sum()) + missing)
    order = np.array(sorted(range(len(scores)), key=lambda fact: -scores[fact]))  # Python's sort is stable
    tp = hits[order].cumsum()
    p, r = tp / np.arange(1, len(tp) + 1), tp / max(ranking.facts, 1)
    assert ranking.auc() == pytest.approx(np.trapezoid(p, r), abs=1e-12)
    assert ranking.auc("anchored") == pytest.approx(np.trapezoid(p, r) + p[0] * r[0], abs=1e-12)
    f1 = {score: f1_at(score, scores, hits, ranking.facts) for score in scores.tolist()}
    best = max(f1.values())
    assert ranking.best_f1()[0] == pytest.approx(best, abs=1e-12)
    assert ranking.best_f1()[2] == max(score for score, value in f1.items() if value == best)


@given(st.lists(st.booleans(), min_size=1, max_size=60), st.integers(0, 5), st.integers(0, 99))
def test_a_curve_gives_the_list_back(hits, missing, seed) -> None:
    """One point a rank, rounded to six decimals; or scikit-learn's points, in falling recall."""
    hits = np.array([*hits, True])
    order = np.arange(len(hits), 0, -1)
    whole = FactRanking.from_scores(order, hits, facts=int(hits.sum()) + missing)
    again = FactRanking.from_curve(whole.precision.round(6), whole.recall.round(6), whole.facts)
    assert again.hits.tolist() == whole.hits.tolist() and again.ranks.tolist() == whole.ranks.tolist()
    assert again.measures() == pytest.approx(whole.measures() | {"threshold": None}, nan_ok=True)
    equal = np.random.default_rng(seed).integers(0, 9, len(hits))  # scores that are equal share a point
    for scores in (order, equal):
        precision, recall, thresholds = precision_recall_curve(hits, scores)
        falls = recall[0] > recall[-2]
        # with scikit-learn's last point, precision 1, and, where it falls, without
        for end in (None, -1) if falls else (None,):
            curve = FactRanking.from_curve(precision[:end], recall[:end], int(hits.sum()), thresholds)
            assert curve.scores.tolist() == thresholds[::-1].tolist()
            assert curve.auc("step") == pytest.approx(average_precision_score(hits, scores), abs=1e-12)


def test_single_relations_are_those_of_scikit_learn(rng) -> None:
    scores, gold = rng.random((50, 6)), rng.random((50, 6)) < 0.2
    ranking = FactRanking.from_matrix(scores, gold, list("ABCDEF"), negative="C")
    kept = [0, 1, 3, 4, 5]
    expected = f1_score(gold[:, kept], scores[:, kept] >= 0.7, average="macro", zero_division=0)
    assert averages(counts_at(ranking, 0.7), ["macro"])[0] == pytest.approx(expected, abs=1e-12)


TWO = [0.6, 0.5], [True, True]


def two(facts=3) -> FactRanking:
    return FactRanking.from_scores(*TWO, facts)


def turned(precision, scores=None) -> FactRanking:
    """A curve of falling recall."""
    return FactRanking.from_curve(precision, [1, 0.5, 0.5, 0, 0][: len(precision)], 2, scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: FactRanking.from_scores(TWO[0], [True]), r"scores has shape \(2,\), hits \(1,\)"),
        (lambda: FactRanking.from_scores([0.5, np.nan], TWO[1]), r"scores\[1\] is nan: every fact needs"),
        (lambda: FactRanking.from_scores(*TWO, 1), "facts is 1, but the list holds 2 true ones"),
        (lambda: FactRanking.from_scores(*TWO, None, [0], ["a"]), r"relations has shape \(1,\)"),
        (lambda: FactRanking.from_scores(*TWO, None, [0, 2], ["a", "b"]), "relations holds 2; there are 2"),
        (lambda: FactRanking.from_scores(*TWO, 2, [0, 0], ["a"], [1]), r"facts_of_relation\[0\] is 1: the"),
        (lambda: FactRanking.from_scores(*TWO, 2, [0, 0], ["a"], [1, 2]), "there are 1 labels"),
        (lambda: FactRanking.from_matrix([[1, 0]], [[1]], ["a", "b"], "a"), r"scores has shape \(1, 2\)"),
        (lambda: FactRanking.from_curve([1], [0.5, 1], 2), r"precision has shape \(1,\), recall \(2,\)"),
        (lambda: FactRanking.from_curve([1], [0.15], 10), "point 1: precision 1 and recall 0.15 of 10"),
        (lambda: FactRanking.from_curve([1, 0.4], [0.1, 0.3], 10), "point 2: .* of 10 facts fit no rank"),
        (lambda: FactRanking.from_curve([1, 0.5, 0.9], [0.1, 0.1, 0.2], 10), "point 3: precision"),
        (lambda: FactRanking.from_curve([0.5, 0.5], [0.1, 0.1], 10), "point 2: precision"),
        (lambda: turned([0.5, 0.9, 0.5, 0, 1]), "point 2: precision 0.9 and"),
        (lambda: turned([0.5, 1 / 3, 0.5, 0], [0, 0.1, 0.1, 0]), "point 3: score 0.1 is above 0, that of"),
        (lambda: turned([0.5, 1 / 3], [0.2]), r"scores has shape \(1,\): one for each of 2"),
        (lambda: two().counts_until(1), "relations is not known of this list"),
        (lambda: two().until(0.99), r"the list ends at recall 0\.\d+"),
        (lambda: two().until(0), "recall is 0"),
        (lambda: two().until(1.5), "recall is 1.5"),
        (lambda: two().sample([0], [2, 1]), "units: expected 2 positions into 2 units"),
        (lambda: two().sample([0, 2], [2, 1]), "units: expected 2"),
        (lambda: two().sample([0, 1], [2, 2]), "facts_of_unit adds up to 4; the list is of 3"),
        (lambda: FactRanking.from_curve([0.5], [0.5], 4).sample(), "known at some of its ranks only"),
    ],
)
def test_lists_curves_and_units_that_contradict_themselves(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_a_threshold_never_cuts_a_tie() -> None:
    """The second of two equal scores is taken with the first, where OpenNRE's best F1 is 1."""
    ranking = FactRanking.from_scores([0.9, 0.5, 0.5], [True, True, False], None, [0, 0, 0], ["r"], [2])
    curve = FactRanking.from_curve(ranking.precision, ranking.recall, 2, ranking.scores)
    assert ranking.best_f1() == curve.best_f1() == (0.8, 3, 0.5)
    assert averages(counts_at(ranking, 0.5), ["micro"])[0] == 0.8
    assert ranking.auc("step") == 1.0 and ranking.precision_at(2) == 1.0  # these follow the list's order
    part = FactRanking.from_curve([0.5, 0.6], [0.1, 0.3], 10, [0.5, 0.5])  # ranks 2 and 5 of one tie
    assert part.best_f1() == part.completed().best_f1()[:2] + (0.5,) == (0.4, 5, 0.5)


@pytest.mark.filterwarnings("error")
def test_scores_of_every_kind_and_of_none() -> None:
    for scores in ([1e300, 3e38, 4e38], np.array([255, 0, 1], np.uint8), np.float32([2, -0.0, 0.0])):
        ranking = FactRanking.from_scores(scores, [True, False, False], 2)
        assert ranking.true_positives.tolist() == [1, 1, 1]
        assert ranking.completed() is ranking
    empty = FactRanking.from_scores([], [])
    found = empty.measures()
    assert np.isnan([found["auc"], found["micro_f1"], found["P@100"]]).all()
    assert (len(empty), empty.facts, found["rank"], found["threshold"]) == (0, 0, 0, None)
    assert FactRanking.from_curve([0, 0], [0, 0], facts=3).ranks.tolist() == [1, 2]


def drawn_list(rng, n=300, facts=140, tie=1) -> tuple[FactRanking, np.ndarray, np.ndarray]:
    """A list whose units have one to six facts each; `tie` facts have the same score."""
    units, hits = rng.integers(0, 80, n), rng.random(n) < np.linspace(0.6, 0.1, n)
    ranking = FactRanking.from_scores(np.arange(n, 0, -1) // tie, hits, facts=facts)
    of_unit = np.bincount(units[ranking.hits], minlength=90)
    of_unit[80] = facts - of_unit.sum()
    return ranking, units, of_unit


@pytest.mark.parametrize("recall", [None, 0.05, 0.3, 0.52])
@pytest.mark.parametrize("tie", [1, 7])
def test_a_replicate_is_the_list_with_its_facts_repeated(rng, recall, tie) -> None:
    """All draws of a fact stand at one point; a replicate is cut at a rank of its own, where a tie ends."""
    ranking, units, of_unit = drawn_list(rng, tie=tie)
    sample = ranking.sample(units, of_unit)
    drawn, ends = sample.resample(rng, 40), set()
    for counts, scores in zip(drawn.counts, drawn.scores(recall=recall), strict=True):
        times, facts = counts[units], int(counts @ of_unit)
        points, tp = times.cumsum(), (times * ranking.hits).cumsum()
        end = len(units)
        if recall is not None:
            reached = np.flatnonzero(tp >= recall * facts)
            if not len(reached):
                assert np.isnan(scores).all()
                continue
            end = int(reached[0]) + 1
            ends.add(int(points[end - 1]))
        known = points[:end] > 0
        p, r = tp[:end][known] / points[:end][known], tp[:end][known] / facts
        assert scores[0] == pytest.approx(np.trapezoid(p, r))
        assert scores[1] == pytest.approx(np.trapezoid(p, r) + p[0] * r[0])
        assert scores[2] == pytest.approx((np.diff(r, prepend=0) * p).sum())
        repeated = (np.repeat(column[:end], times[:end]) for column in (ranking.scores, ranking.hits))
        assert scores[3] == pytest.approx(FactRanking.from_scores(*repeated, facts=facts).best_f1()[0])
    cut = ranking.until(recall).measures(at=[])
    for whole in (sample, ranking.sample()):
        assert whole.scores(recall=recall) == pytest.approx([cut[name] for name in FACT_MEASURES])
    assert recall is None or len(ends) > 7
    with pytest.raises(ValueError, match="not of the same samples, or units and facts"):
        paired_bootstrap(sample, ranking.sample(), lambda table: table.scores(), rng, 9)
    at = drawn.scores([50], recall)
    assert np.array_equal(at[:, :4], drawn.scores(recall=recall), equal_nan=True)
    for counts, score in zip(drawn.counts, at[:, 4], strict=True):  # P@N is of the whole list
        points = counts[units].cumsum()
        first = np.flatnonzero(points >= 50)[0]
        assert score == pytest.approx((counts[units] * ranking.hits).cumsum()[first] / points[first])


def test_all_golden_values_of_real_probabilities(data_dir: Path) -> None:
    """Those of Jat et al.'s PCNN on GIDS."""
    file = np.load(data_dir / "gids" / "predictions" / "PCNN.npz")
    gold = np.zeros(file["probabilities"].shape, dtype=bool)
    gold[np.repeat(np.arange(len(gold)), file["gold_lengths"]), file["gold"]] = True
    ranking = FactRanking.from_matrix(file["probabilities"], gold, list("01234"), negative="0")
    found = ranking.measures()
    expected = {"auc": 0.85169, "micro_f1": 0.79669, "P@100": 0.99, "P@200": 0.98, "P@300": 0.96667}
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=5e-6)
