"""The label policy and its signature."""

import pytest

from helpers.metrics import Outcome
from helpers.metrics.averaging import Policy, evaluate
from helpers.metrics.weighting import SCHEMES


def test_the_signature_is_the_example_of_the_design():
    gold = ["no_relation"] * 12184 + ["per:title"] * 3325
    signature = evaluate(Outcome.from_columns(gold, gold), negative="no_relation").schemes["dodrans"][
        "signature"
    ]
    policy = "labels:supported|negative:no_relation|zero_support:skip|direction:kept"
    assert signature == f"f1|scheme:dodrans|{policy}|n:15509|v:0.1"


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
    signatures.append(evaluate(table.relabel({}, "dropped")).schemes["entropy"]["signature"])
    signatures.append(evaluate(table + table).schemes["entropy"]["signature"])
    assert len(set(signatures)) == len(signatures)


@pytest.mark.parametrize("more", [[], ["x", "y"]])
def test_labels_that_are_joined_in_a_signature_are_told_apart(more):
    """[a, b+c] and [a+b, c]; of four labels there is a hash."""
    for one, other in (
        (["a", "b+c"], ["a+b", "c"]),
        (["a", "b\nc"], ["a\nb", "c"]),
        (["a\\+b"], ["a\\", "b"]),
    ):
        names = dict.fromkeys([*one, *other, *more])
        table = Outcome.from_columns(list(names), list(names))
        signatures = {Policy(labels=[*listed, *more]).signature(table, "f1") for listed in (one, other)}
        assert len(signatures) == 2
    table = Outcome.from_columns(["R(e1,e2)", "a|b"], ["a|b", "a|b"])
    assert "|labels:R(e1,e2)+a\\|b|" in Policy(labels=["R(e1,e2)", "a|b"]).signature(table, "f1")


def test_a_scheme_is_named_once_by_any_of_its_words():
    table = Outcome.from_columns(list("abb"), list("aba"))
    expected = evaluate(table, schemes=["macro"])
    assert evaluate(table, scheme="macro") == evaluate(table, average="macro") == expected
    assert list(expected.schemes) == ["macro"]
    with pytest.raises(ValueError, match="scheme and average say the same thing: give one of them"):
        evaluate(table, scheme="macro", average="micro")
    with pytest.raises(ValueError, match="unknown scheme 'makro'.*did you mean 'macro'"):
        evaluate(table, average="makro")
