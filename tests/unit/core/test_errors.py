import pytest

from helpers.core import MalformedRecord, did_you_mean, listing, naming_file, unknown_name


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


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ValueError("no"), MalformedRecord, "a.csv: no"),
        (ValueError("a.csv has none"), ValueError, "a.csv has none"),
        (MalformedRecord("a.csv", "no", 3), MalformedRecord, "a.csv, line 3: no"),
        (OverflowError("too\n large"), MalformedRecord, "a.csv: too large"),
        (RecursionError("depth"), MalformedRecord, "a.csv: it is nested too deeply"),
        (MemoryError(), MalformedRecord, "a.csv: MemoryError"),
        (OSError(28, "No space left"), OSError, "[Errno 28] No space left: 'a.csv'"),
        (TypeError("what"), TypeError, "what"),
    ],
)
def test_whatever_happens_to_a_file_names_it(error, kind, message):
    with pytest.raises(kind) as found, naming_file("a.csv"):
        raise error
    assert str(found.value) == message
    assert getattr(found.value, "__notes__", ["a.csv"]) == ["a.csv"]


def test_messages_stay_short_and_plain():
    long = ["x" * 100_000, *(f"label {number}" for number in range(10_000)), "\x1b[31m"]
    assert len(listing(long)) < 1100 and listing(long).endswith("… (10002)")
    assert listing(["\x1b[31m"]) == r"\x1b[31m"
    assert len(str(unknown_name("label", "y" * 100_000, long))) < 1400
    assert len(str(MalformedRecord("a.csv", "no", column="y" * 100_000))) < 120
