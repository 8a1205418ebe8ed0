"""Averages under every scheme and label policy: golden values, scikit-learn, and where the paper differs."""

import csv
import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as peer

from helpers.metrics import Outcome
from helpers.metrics.averaging import average, averages, evaluate
from helpers.metrics.scores import f_beta
from helpers.metrics.weighting import SCHEMES

GOLDEN = Path(__file__).parents[2] / "golden"
EXAMPLES = json.loads((GOLDEN / "weighting_examples.json").read_text())
TOLERANCE = 5e-7  # half the last digit of the examples
NAN = float("nan")


def example_table(example, predicted=None):
    listed = sorted({*example["gold"], *example["predicted"], *example["labels"]})
    return Outcome.from_columns(list(example["gold"]), list(predicted or example["predicted"]), labels=listed)


def differences(example, table):
    """How far each scheme is from its golden value; entropy only where the official package defines it."""
    found = dict(
        zip(SCHEMES, averages(table, labels=list(example["labels"]), zero_support="zero"), strict=True)
    )
    schemes = set(SCHEMES) - ({"entropy"} if example["entropy"] in ("nan", 0.0) else set())
    return {scheme: abs(found[scheme] - example[scheme]) for scheme in schemes}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["labels"])
def test_golden_averages(example):
    assert max(differences(example, example_table(example)).values()) <= TOLERANCE


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["labels"])
def test_golden_class_scores(example):
    report = evaluate(example_table(example), labels=list(example["labels"]))
    found = {label: report.per_class[label]["f1"] for label in example["labels"]}
    assert found == pytest.approx(example["classes"], abs=TOLERANCE, rel=0)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["labels"])
def test_one_corrupted_prediction_is_noticed(example):
    for place, label in enumerate(example["predicted"]):
        for other in sorted(set("ABN") & {*example["predicted"]} - {label}):
            if {label, other, example["gold"][place]} & {*example["labels"]}:
                corrupted = example["predicted"][:place] + other + example["predicted"][place + 1 :]
                assert max(differences(example, example_table(example, corrupted)).values()) > TOLERANCE


@pytest.mark.parametrize("example", EXAMPLES[:4], ids=lambda example: example["labels"])
def test_the_tolerance_is_below_half_of_what_tells_two_schemes_apart(example):
    values = sorted({example[scheme] for scheme in SCHEMES if example[scheme] != "nan"})
    assert min(np.diff(values)) > 2 * TOLERANCE


@pytest.mark.parametrize("labels", ["ABC", "ABZ"])
def test_a_label_without_gold_samples_by_the_papers_rule(labels):
    """The official package: entropy nan, macro over three labels. The paper leaves the empty label out."""
    table = example_table(next(example for example in EXAMPLES if example["labels"] == labels))
    for policy in ({}, {"zero_support": "skip"}, {"zero_support": "zero"}):
        assert average(table, "entropy", labels=list(labels), **policy) == pytest.approx(
            0.588128, abs=TOLERANCE
        )
    assert average(table, "macro", labels=list(labels)) == pytest.approx(0.583333, abs=TOLERANCE)
    assert average(table, "macro", labels=list(labels), zero_support="zero") == pytest.approx(
        0.388889, abs=TOLERANCE
    )


def test_a_single_class_keeps_its_score_under_entropy():
    """The official package gives 0.0, since the entropy of one class is 0."""
    assert average(example_table(EXAMPLES[4]), "entropy", labels=["A"]) == pytest.approx(
        0.857143, abs=TOLERANCE
    )


def golden_systems():
    with open(GOLDEN / "tacred_systems.csv", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def tacred(data_dir):
    """Columns of the TACRED test set: gold, revised gold, and the predictions of the systems."""
    with gzip.open(data_dir / "tacred" / "tacred_test_predictions.tsv.gz", "rt", encoding="utf-8") as file:
        names, *rows = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    return dict(zip(names, zip(*rows, strict=True), strict=True))


@pytest.mark.parametrize("row", golden_systems(), ids=lambda row: f"{row['system']}-{row['gold']}")
def test_real_systems_on_tacred_score_as_published(row, tacred):
    """Two decimals of a per cent: one sample less right shows, and schemes are 0.1 and more apart."""
    expected = [float(row[scheme]) for scheme in SCHEMES]
    gold, predicted = list(tacred[row["gold"]]), list(tacred[row["system"]])
    found = 100 * averages(Outcome.from_columns(gold, predicted), negative="no_relation")
    assert found == pytest.approx(expected, rel=0, abs=0.005)
    place = next(place for place, label in enumerate(gold) if label == predicted[place] != "no_relation")
    predicted[place] = "no_relation"
    corrupted = 100 * averages(Outcome.from_columns(gold, predicted), negative="no_relation")
    assert np.abs(corrupted - found).max() > 0.01


def random_cases(seed, cases=12):
    rng = np.random.default_rng(seed)
    for case in range(cases):
        n, size = int(rng.choice([1, 3, 20, 500])), int(rng.choice([1, 2, 5, 42]))
        weights = rng.dirichlet(np.full(size, 0.5))
        gold = rng.choice(size, n, p=weights)
        predicted = np.where(rng.random(n) < 0.6, gold, rng.choice(size, n)) if case % 3 else np.zeros(n, int)
        yield rng, gold, predicted, size


@pytest.mark.parametrize("zero_division", [0.0, 1.0, NAN])
@pytest.mark.parametrize("scheme", ["micro", "macro", "weighted"])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees_on_a_label_list(scheme, zero_division, weighted):
    for rng, gold, predicted, size in random_cases(1):
        sample_weight = rng.random(len(gold)) if weighted else None
        listed = rng.permutation(size)[: rng.integers(1, size + 1)].tolist()
        table = Outcome.from_columns(gold, predicted, labels=range(size), sample_weight=sample_weight)
        expected = peer.precision_recall_fscore_support(
            gold, predicted, labels=listed, average=scheme, zero_division=zero_division,
            sample_weight=sample_weight, beta=0.5,
        )[:3]  # fmt: skip
        found = [
            average(table, scheme, score, labels=listed, zero_support="zero", zero_division=zero_division)
            for score in ("precision", "recall", f_beta(0.5))
        ]
        assert found == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)


@pytest.mark.parametrize("scheme", ["micro", "macro", "weighted"])
def test_scikit_learn_agrees_without_a_list_when_observed_labels_are_averaged(scheme):
    for _, gold, predicted, size in random_cases(2):
        table = Outcome.from_columns(gold, predicted, labels=range(size))
        for score, oracle in {"f1": peer.f1_score, "jaccard": peer.jaccard_score}.items():
            found = average(table, scheme, score, labels="observed")
            assert found == pytest.approx(
                oracle(gold, predicted, average=scheme, zero_division=0), abs=1e-12, rel=0
            )


@pytest.mark.parametrize("zero_division", [0.0, 1.0, NAN])
def test_scikit_learn_agrees_class_by_class(zero_division):
    for rng, gold, predicted, size in random_cases(3):
        sample_weight = rng.random(len(gold))
        table = Outcome.from_columns(gold, predicted, labels=range(size), sample_weight=sample_weight)
        expected = peer.precision_recall_fscore_support(
            gold, predicted, labels=range(size), sample_weight=sample_weight, zero_division=zero_division
        )
        rows = evaluate(table, zero_division=zero_division).per_class
        found = np.array(
            [[rows[c][key] for c in range(size)] for key in ("precision", "recall", "f1", "support")]
        )
        assert found == pytest.approx(np.array(expected), abs=1e-12, rel=0, nan_ok=True)


@pytest.mark.parametrize("score", ["jaccard", "mcc", "accuracy", "specificity"])
def test_scikit_learn_agrees_on_one_vs_rest_scores(score):
    oracle = {
        "jaccard": lambda g, p: peer.jaccard_score(g, p, zero_division=0),
        "mcc": lambda g, p: peer.matthews_corrcoef(g, p) if len({*g}) == len({*p}) == 2 else 0.0,
        "accuracy": peer.accuracy_score,
        "specificity": lambda g, p: peer.recall_score(~g, ~p, zero_division=0),
    }[score]
    for _, gold, predicted, size in random_cases(4):
        table = Outcome.from_columns(gold, predicted, labels=range(size))
        expected = np.mean([oracle(gold == label, predicted == label) for label in range(size)])
        assert average(table, "macro", score, labels="listed") == pytest.approx(expected, abs=1e-12, rel=0)


def test_micro_leaves_the_negative_class_out_where_accuracy_counts_it():
    table = Outcome.from_columns(["r"] + ["NA"] * 9, ["NA"] + ["NA"] * 8 + ["r"])
    report = evaluate(table, negative="NA")
    assert (report.accuracy, report.schemes["micro"]["f1"]) == (0.8, 0.0)
    assert evaluate(table).schemes["micro"]["f1"] == report.accuracy


def test_macro_is_over_classes_with_gold_samples_where_scikit_learn_counts_every_observed_label():
    gold, predicted = list("aabb"), list("aabc")
    table = Outcome.from_columns(gold, predicted)
    assert average(table, "macro") == pytest.approx((1 + 2 / 3) / 2, abs=1e-12)
    assert peer.f1_score(gold, predicted, average="macro") == pytest.approx((1 + 2 / 3) / 3, abs=1e-12)
    assert average(table, "macro", labels="observed") == pytest.approx((1 + 2 / 3) / 3, abs=1e-12)


def test_the_mean_of_f_is_not_the_f_of_means():
    gold, predicted = list("aaab"), list("abbb")
    row = evaluate(Outcome.from_columns(gold, predicted)).schemes["macro"]
    assert row["f1"] == pytest.approx(peer.f1_score(gold, predicted, average="macro"), abs=1e-12)
    assert row["f1_of_means"] == pytest.approx(2 / 3, abs=1e-12)
    assert abs(row["f1"] - row["f1_of_means"]) > 0.1


def test_the_negative_class_counts_in_the_entropy_normaliser_unless_told():
    table = Outcome.from_columns(list("aaaab") + ["NA"] * 95, list("aaaac") + ["NA"] * 95)
    raw = {total: np.array([4 * np.log(total / 4), np.log(total)]) for total in (100, 5)}
    for inside, total in ((True, 100), (False, 5)):
        found = average(table, "entropy", negative="NA", negative_in_normaliser=inside)
        assert found == pytest.approx(raw[total][0] / raw[total].sum(), abs=1e-12)


@pytest.mark.parametrize(
    ("policy", "averaged", "ignored"),
    [
        ({}, "abN", "cz"),
        ({"negative": "N"}, "ab", "cz"),
        ({"negative": "N", "labels": "observed"}, "abc", "z"),
        ({"negative": "N", "labels": "listed"}, "abcz", ""),
        ({"negative": "N", "labels": "listed", "zero_support": "skip"}, "ab", "cz"),
        ({"negative": "N", "labels": ["a", "c"]}, "a", "c"),
        ({"negative": "N", "labels": ["a", "c"], "zero_support": "zero"}, "ac", ""),
        ({"labels": np.array(["a", "c"]), "zero_support": "zero"}, "ac", ""),
        ({"labels": ["N"]}, "N", ""),
    ],
)
def test_the_report_says_which_labels_were_averaged(policy, averaged, ignored):
    table = Outcome.from_columns(list("aabNN"), list("acbNN"), labels=list("abcNz"))
    report = evaluate(table, **policy)
    assert ("".join(report.averaged), "".join(report.ignored)) == (averaged, ignored)
    assert {label for label, row in report.per_class.items() if row["averaged"]} == set(averaged)
    expected = np.mean([report.per_class[label]["f1"] for label in averaged])
    assert report.schemes["macro"]["f1"] == pytest.approx(expected, abs=1e-12)


tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)
PROPERTY = settings(max_examples=100)


@PROPERTY
@given(tables, st.permutations(range(4)), st.sampled_from([None, 3]))
def test_the_order_of_the_labels_changes_nothing(samples, order, negative):
    gold, predicted = np.array(samples).T
    found = [
        averages(Outcome.from_columns(gold, predicted, labels=order), negative=negative)
        for order in (range(4), order)
    ]
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@PROPERTY
@given(
    tables,
    st.sampled_from(["supported", "observed", "listed"]),
    st.sampled_from(["precision", "f1", "jaccard"]),
)
def test_averages_lie_between_0_and_1_and_between_their_classes(samples, labels, score):
    table = Outcome.from_columns(*np.array(samples).T, labels=range(4))
    values = averages(table, score=score, labels=labels)
    assert ((values >= 0) & (values <= 1 + 1e-12)).all()
    if score != "jaccard":
        report = evaluate(table, labels=labels)
        scores = [report.per_class[label][score] for label in report.averaged]
        assert (values[1:] >= min(scores) - 1e-12).all()
        assert (values[1:] <= max(scores) + 1e-12).all()


@PROPERTY
@given(tables)
def test_perfect_predictions_score_1_under_every_scheme(samples):
    gold = np.array(samples)[:, 0]
    assert averages(Outcome.from_columns(gold, gold, labels=range(4))) == pytest.approx([1.0] * 5, abs=1e-12)


def test_replicates_are_scored_like_single_tables(rng):
    table = Outcome.from_columns(rng.integers(0, 6, 40), rng.integers(0, 6, 40), labels=range(8)).resample(
        rng, 9
    )
    for policy in ({}, {"negative": 0}, {"labels": "observed"}, {"labels": "listed", "zero_division": NAN}):
        together = averages(table, [*SCHEMES, "n^0.5"], **policy)
        singles = [replace(table, counts=counts) for counts in table.counts]
        apart = np.array([averages(single, [*SCHEMES, "n^0.5"], **policy) for single in singles])
        assert together == pytest.approx(apart, abs=1e-12, nan_ok=True)


def test_no_averaged_class_gives_the_value_of_undefined_scores():
    table = Outcome.from_columns(["NA"], ["NA"])
    assert averages(table, negative="NA").tolist() == [0.0] * 5
    assert averages(table, negative="NA", zero_division=1.0).tolist() == [1.0] * 5
    assert np.isnan(averages(table, negative="NA", zero_division=NAN)).all()


def test_weights_of_one_gold_class_do_not_trip_over_the_last_digit(rng):
    for _ in range(200):
        predicted = rng.integers(0, 7, 30)
        table = Outcome.from_columns(
            np.zeros(30, int), predicted, labels=range(7), sample_weight=rng.random(30)
        )
        assert 0 <= average(table, "entropy") <= 1


@pytest.mark.parametrize("zero_division", [0.0, 1.0, np.nan])
def test_a_report_averages_each_score_as_if_it_were_alone(zero_division):
    """The scores of a report share their weights, unless each leaves out its own undefined classes."""

    def first_half(support, total):  # looks at classes by position, as a user's function may
        assert support.ndim == 1
        return np.where(np.arange(len(support)) < 2, support, 0)

    table = Outcome.from_columns(["a", "a", "b", "c"], ["a", "b", "a", "a"], labels=["a", "b", "c", "d"])
    policy = {"labels": "listed", "zero_division": zero_division}
    report = evaluate(table, schemes=["micro", "macro", "dodrans", first_half], **policy)
    for name, row in report.schemes.items():
        scheme = first_half if name == "first_half" else name
        for score in ("precision", "recall", "f1"):
            assert row[score] == pytest.approx(average(table, scheme, score, **policy), nan_ok=True), (
                name,
                score,
            )


def test_two_schemes_of_one_name_do_not_overwrite_each_other():
    table = Outcome.from_columns(list("aab"), list("aaa"))
    with pytest.raises(ValueError, match="two schemes are named '<lambda>'"):
        evaluate(table, schemes=[lambda n, total: n, lambda n, total: n**2])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": "suported"}, "labels is 'suported': give one of supported, observed, listed or a list"),
        ({"labels": ["a", "x"]}, r"labels\[1\] is 'x', which is not in labels"),
        ({"labels": ["a", "a"]}, "labels holds 'a' twice"),
        ({"labels": ["a", "N"], "negative": "N"}, "labels holds the negative class 'N'"),
        ({"negative": "M"}, "negative is 'M', which is not in labels"),
        ({"negative": "no_relatio"}, "did you mean 'no_relation'"),
        ({"zero_support": "drop"}, "zero_support is 'drop': give 'skip' or 'zero'"),
        ({"zero_division": 0.5}, "zero_division is 0.5: give 0, 1 or nan"),
        ({"zero_division": "warn"}, "zero_division is 'warn'"),
        ({"score": "f0"}, "score is 'f0': beta has to be"),
        ({"schemes": ["micro", "dodran"]}, "unknown scheme 'dodran'.*did you mean 'dodrans'"),
        ({"schemes": "macro"}, "schemes is 'macro'"),
        ({"labels": "supported", "zero_support": "zero"}, "zero_support"),
    ],
)
def test_wrong_policies_are_named(arguments, message):
    table = Outcome.from_columns(["a", "b", "N", "no_relation"], ["a", "a", "N", "a"])
    with pytest.raises(ValueError, match=message):
        evaluate(table, **arguments)


def test_a_report_needs_one_table_with_samples(rng):
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    for wrong in (table.restrict([]), table.resample(rng, 2)):
        with pytest.raises(ValueError, match="one table with at least one sample"):
            evaluate(wrong)
