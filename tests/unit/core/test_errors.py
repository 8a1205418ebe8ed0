import pytest

from helpers.core import MalformedRecord, did_you_mean, naming_file


@pytest.mark.parametrize("line", [None, 3])
@pytest.mark.parametrize("column", [None, "gold"])
def test_a_malformed_record_says_where(line, column):
    error = MalformedRecord("a.csv", "no", line, column)
    where = "a.csv" + (", line 3" if line else "") + (", column 'gold'" if column else "")
    assert isinstance(error, ValueError) and str(error) == f"{where}: no"
    assert (error.line, error.column) == (line, column)


def test_the_nearest_name_is_shown_only_if_it_is_near_and_another_one():
    assert did_you_mean("micor", ["micro", "macro"]) == "; did you mean 'micro'?"
    assert [
        did_you_mean(*pair) for pair in (("micro", ["micro"]), ("x", ["micro"]), ("x" * 2000, ["x" * 1999]))
    ] == [""] * 3


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
