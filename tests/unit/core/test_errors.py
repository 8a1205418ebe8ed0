import pytest

from helpers.core import MalformedRecord, did_you_mean, unknown_name


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({}, "a.csv: no"),
        ({"line": 3}, "a.csv, line 3: no"),
        ({"column": "gold"}, "a.csv, column 'gold': no"),
        ({"line": 3, "column": "gold"}, "a.csv, line 3, column 'gold': no"),
    ],
)
def test_a_malformed_record_says_where(where, message):
    error = MalformedRecord("a.csv", "no", **where)
    assert str(error) == message
    assert (error.line, error.column) == (where.get("line"), where.get("column"))
    assert isinstance(error, ValueError)


def test_the_nearest_name_is_shown_only_if_it_is_near_and_another_one():
    assert did_you_mean("micor", ["micro", "macro"]) == "; did you mean 'micro'?"
    assert (
        did_you_mean("micro", ["micro"]) == did_you_mean("micro", []) == did_you_mean("xyz", ["micro"]) == ""
    )


def test_an_unknown_name_lists_the_known_ones():
    said = str(unknown_name("scheme", "micor", ["micro", "macro"]))
    assert said == "unknown scheme 'micor'; did you mean 'micro'? Known: micro, macro"
    assert str(unknown_name("scheme", "q", [])) == "unknown scheme 'q'. Known: none"
    assert "did you mean 'tacred'" in str(unknown_name("data set", "tacrd", ["many"], ["tacred", "kbp37"]))
