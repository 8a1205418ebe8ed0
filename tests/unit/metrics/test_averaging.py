"""Averages under every scheme and label policy: golden values, scikit-learn, properties, signatures."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support as peer_scores

from helpers.metrics import SCHEMES, Outcome, Policy, average, averages, evaluate
from helpers.metrics.scores import _f_beta

GOLDEN = Path(__file__).parents[2] / "golden"
EXAMPLES = json.loads((GOLDEN / "weighting_examples.json").read_text())
TOLERANCE = 5e-7  # half the last digit of the examples
NAN = float("nan")


def example_table(example, predicted=None):
    listed = sorted({*example["gold"], *example["predicted"], *example["labels"]})
    return Outcome.from_columns(list(example["gold"]), list(predicted or example["predicted"]), labels=listed)


def differences(example, table):
    """How far each scheme is from its golden value; entropy only where the official package defines it."""
    found = averages(table, labels=list(example["labels"]), zero_support="zero").tolist()
    left_out = {"entropy"} if example["entropy"] in ("nan", 0.0) else set()
    pairs = {scheme: value for scheme, value in zip(SCHEMES, found, strict=True) if scheme not in left_out}
    return {scheme: abs(value - example[scheme]) for scheme, value in pairs.items()}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["labels"])
def test_golden_averages_and_class_scores(example):
    table = example_table(example)
    assert max(differences(example, table).values()) <= TOLERANCE
    rows = evaluate(table, labels=list(example["labels"])).per_class
    found = {label: rows[label]["f1"] for label in example["labels"]}
    assert found == pytest.approx(example["classes"], abs=TOLERANCE, rel=0)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["labels"])
def test_one_corrupted_prediction_is_noticed(example):
    for index, label in enumerate(example["predicted"]):
        for other in sorted(set("ABN") & {*example["predicted"]} - {label}):
            if {label, other, example["gold"][index]} & {*example["labels"]}:
                corrupted = example["predicted"][:index] + other + example["predicted"][index + 1 :]
                assert max(differences(example, example_table(example, corrupted)).values()) > TOLERANCE


@pytest.mark.parametrize("labels", ["ABC", "ABZ"])
def test_where_the_paper_differs_from_the_official_package(labels):
    """There a label without gold samples makes entropy nan and counts in macro, and one class alone has 0."""
    example = next(example for example in EXAMPLES if example["labels"] == labels)
    table, schemes = example_table(example), ["entropy", "macro"]
    for rule, expected in (("skip", [0.588128, 0.583333]), ("zero", [0.588128, 0.388889])):
        found = averages(table, schemes, labels=list(labels), zero_support=rule)
        assert found == pytest.approx(expected, abs=TOLERANCE)
    found = average(example_table(EXAMPLES[4]), "entropy", labels=["A"])
    assert found == pytest.approx(0.857143, abs=TOLERANCE)


def random_cases(seed, cases=12):
    rng = np.random.default_rng(seed)
    for case in range(cases):
        n, size = int(rng.choice([1, 3, 20, 500])), int(rng.choice([1, 2, 5, 42]))
        weights = rng.dirichlet(np.full(size, 0.5))
        gold = rng.choice(size, n, p=weights)
        predicted = np.where(rng.random(n) < 0.6, gold, rng.choice(size, n)) if case % 3 else np.zeros(n, int)
        yield rng, gold, predicted, size


@pytest.mark.parametrize("zero_division", [0.0, 1.0, NAN])
@pytest.mark.parametrize("weighted", [False, True])
def test_scikit_learn_agrees_on_a_label_list_and_class_by_class(zero_division, weighted):
    for rng, gold, predicted, size in random_cases(1):
        options = {"sample_weight": rng.random(len(gold)) if weighted else None}
        listed = rng.permutation(size)[: rng.integers(1, size + 1)].tolist()
        table = Outcome.from_columns(gold, predicted, labels=range(size), **options)
        options |= {"zero_division": zero_division, "labels": listed}
        policy = {"zero_division": zero_division, "labels": listed, "zero_support": "zero"}
        for scheme in ("micro", "macro", "weighted"):
            *expected, _ = peer_scores(gold, predicted, average=scheme, beta=0.5, **options)
            scores = ("precision", "recall", _f_beta(0.5))
            found = [average(table, scheme, score, **policy) for score in scores]
            assert found == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)
        expected = np.array(peer_scores(gold, predicted, **options))
        rows, keys = evaluate(table, **policy).per_class, ("precision", "recall", "f1", "support")
        found = np.array([[rows[label][key] for label in listed] for key in keys])
        assert found == pytest.approx(expected, abs=1e-12, rel=0, nan_ok=True)


def test_the_mean_of_f_is_not_the_f_of_means_and_micro_not_accuracy():
    row = evaluate(list("aaab"), list("abbb")).schemes["macro"]
    assert row["f1"] == pytest.approx((1 / 2 + 1 / 2) / 2, abs=1e-12)
    assert row["f1_of_means"] == pytest.approx(2 / 3, abs=1e-12)
    row = evaluate(list("aaab"), list("aabb"), score="f2").schemes["macro"]  # P 3/4, R 5/6
    assert row["f2_of_means"] == pytest.approx(5 * 3 / 4 * 5 / 6 / (4 * 3 / 4 + 5 / 6), abs=1e-12)
    report = evaluate(["r"] + ["NA"] * 9, ["NA"] + ["NA"] * 8 + ["r"], negative="NA")
    assert (report.accuracy, report.schemes["micro"]["f1"]) == (0.8, 0.0)


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
        ({"labels": np.array(["a", "c"]), "zero_support": "zero"}, "ac", ""),
        ({"labels": ["N"]}, "N", ""),
    ],
)
def test_the_report_says_which_labels_were_averaged(policy, averaged, ignored):
    report = evaluate(Outcome.from_columns(list("aabNN"), list("acbNN"), labels=list("abcNz")), **policy)
    assert ("".join(report.averaged), "".join(report.ignored)) == (averaged, ignored)
    assert {label for label, row in report.per_class.items() if row["averaged"]} == set(averaged)
    expected = np.mean([report.per_class[label]["f1"] for label in averaged])
    assert report.schemes["macro"]["f1"] == pytest.approx(expected, abs=1e-12)


PROPERTY = settings(max_examples=100)
tables = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30)


@PROPERTY
@given(tables, st.permutations(range(4)), st.sampled_from([None, 3]))
def test_the_order_of_the_labels_changes_nothing(samples, order, negative):
    gold, predicted = np.array(samples).T
    orders = [Outcome.from_columns(gold, predicted, labels=labels) for labels in (range(4), order)]
    first, second = (averages(table, negative=negative) for table in orders)
    assert first == pytest.approx(second, abs=1e-12)
    assert averages(orders[1].of("gold")) == pytest.approx(np.ones(5), abs=1e-12)  # perfect predictions


def test_replicates_are_scored_like_single_tables(rng):
    table = Outcome.from_columns(*rng.integers(0, 6, (2, 40)), labels=range(8)).resample(rng, 9)
    for policy in ({}, {"negative": 0}, {"labels": "observed"}, {"labels": "listed", "zero_division": NAN}):
        singles = [averages(replace(table, counts=counts), **policy) for counts in table.counts]
        assert averages(table, **policy) == pytest.approx(np.array(singles), abs=1e-12, nan_ok=True)


def test_no_averaged_class_gives_the_value_of_undefined_scores():
    for value in (0.0, 1.0, NAN):
        found = averages(Outcome.from_columns(["NA"], ["NA"]), negative="NA", zero_division=value)
        assert np.array_equal(found, [value] * 5, equal_nan=True)


@pytest.mark.parametrize("zero_division", [0.0, 1.0, NAN])
def test_a_report_averages_each_score_as_if_it_were_alone(zero_division):
    """The scores of a report share their weights, unless each leaves out its own undefined classes."""

    def first_half(support, total):  # looks at classes by position, as a user's function may
        return np.where(np.arange(len(support)) < 2, support, 0)

    table = Outcome.from_columns(["a", "a", "b", "c"], ["a", "b", "a", "a"], labels=["a", "b", "c", "d"])
    policy = {"labels": "listed", "zero_division": zero_division}
    for scheme in ("micro", "macro", "dodrans", first_half):
        (row,) = evaluate(table, scheme=scheme, **policy).schemes.values()
        for score in ("precision", "recall", "f1"):
            assert row[score] == pytest.approx(average(table, scheme, score, **policy), nan_ok=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"labels": "suported"}, "labels is 'suported': give one of supported, observed, listed or a list"),
        ({"labels": ["a", "x"]}, r"labels\[1\] is 'x', which is not in labels"),
        ({"labels": ["a", "N"], "negative": "N"}, "labels holds the negative class 'N'"),
        ({"negative": "no_relatio"}, "negative is 'no_relatio', which is not in .* mean 'no_relation'"),
        ({"zero_support": "drop"}, "zero_support is 'drop': give 'skip' or 'zero'"),
        ({"zero_division": 0.5}, "zero_division is 0.5: give 0, 1 or nan"),
        ({"labels": "supported", "zero_support": "zero"}, "zero_support"),
        ({"schemes": ["micro", "dodran"]}, "unknown scheme 'dodran'.*did you mean 'dodrans'"),
        ({"schemes": "micro"}, "schemes is 'micro': a list of schemes is needed"),
        ({"average": "makro"}, "unknown scheme 'makro'.*did you mean 'macro'"),
        ({"schemes": [lambda n, total: n, lambda n, total: n**2]}, "two schemes are named '<lambda>'"),
        ({"scheme": "macro", "average": "micro"}, "scheme and average say the same thing: give one of them"),
        ({"predicted": ["a"] * 4}, "predicted and sample_weight are of columns"),
    ],
)
def test_wrong_policies_are_named(arguments, message):
    table = Outcome.from_columns(["a", "b", "N", "no_relation"], ["a", "a", "N", "a"])
    with pytest.raises(ValueError, match=message):
        evaluate(table, **arguments)


def test_what_a_report_is_of_and_how_its_scheme_is_named(rng):
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    for wrong, message in (
        (Outcome.from_rows([], "ab"), "one table with at least one sample"),
        (table.resample(rng, 2), "one table with at least one sample"),
        (Outcome.from_sets([[1]], [[1]]), "evaluate is for single labels"),
        (["a", "b"], "predicted is missing"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate(wrong)
    expected = evaluate(table, schemes=["macro"])
    assert evaluate(table, scheme="macro") == evaluate(["a", "b"], ["a", "a"], average="macro") == expected
    assert list(expected.schemes) == ["macro"] and expected.accuracy_interval is not None
    assert evaluate(["a", "b"], ["a", "a"], sample_weight=[1, 1]).accuracy_interval is None


def test_every_choice_that_moves_a_number_shows_in_the_signature():
    table = Outcome.from_columns(list("abN"), list("aNN"), labels=list("abNz"))
    choices = [
        {}, {"negative": "N"}, {"labels": "observed"}, {"labels": "listed"}, {"labels": ["a", "b"]},
        {"labels": ["a", "b", "N", "z"]}, {"zero_support": "zero", "labels": ["a"]}, {"labels": ["a"]},
        {"zero_division": 1.0}, {"zero_division": float("nan")}, {"negative_in_normaliser": False},
        {"score": "f2"},
    ]  # fmt: skip
    signatures = [evaluate(table, **choice).schemes["entropy"]["signature"] for choice in choices]
    signatures += [evaluate(table).schemes[scheme]["signature"] for scheme in SCHEMES if scheme != "entropy"]
    signatures.append(evaluate(table.relabel(str, "dropped")).schemes["entropy"]["signature"])
    signatures.append(evaluate(table + table).schemes["entropy"]["signature"])
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("more", [[], ["x", "y"]])
def test_labels_that_are_joined_in_a_signature_are_told_apart(more):
    """[a, b+c] and [a+b, c]; of four labels there is a hash."""
    for lists in ((["a", "b+c"], ["a+b", "c"]), (["a", "b\nc"], ["a\nb", "c"]), (["a\\+b"], ["a\\", "b"])):
        names = [*dict.fromkeys([*lists[0], *lists[1], *more])]
        table = Outcome.from_columns(names, names)
        signatures = {Policy(labels=[*listed, *more]).signature(table, "f1") for listed in lists}
        assert len(signatures) == 2
