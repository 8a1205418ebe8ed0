"""The net's comparison: what counts as equal, what is found, what is named."""

import pytest

from tests.net import EACH, clean, compare, equal, expanded


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("micro 0.5 of 3", "micro 0.5 of 3", True),
        ("micro 0.5", "micro 0.50000000001", True),
        ("micro 0.5", "micro 0.5001", False),
        ("micro 0.5", "macro 0.5", False),
        ("1 2", "1", False),
        ("a1b2", "a1b3", False),
    ],
)
def test_what_is_equal(old, new, same):
    assert equal(old, new) is same


def test_what_differs_between_machines_is_left_out():
    said = clean('HOME/a.csv in 3.1 s (12.5 a second) at 0x7f00aa11, "seconds": 0.25', {"HOME": "HERE"})
    assert said == 'HERE/a.csv in … seconds (…) at 0x..., "seconds": …'


def test_a_difference_is_found_and_a_named_one_is_no_fault(tmp_path, capsys):
    for name, score in (("old", "0.5"), ("new", "0.6")):
        (tmp_path / name).mkdir()
        text = f"$ score a.csv\nexit 0\nmicro {score}\n\n$ score b.csv\nexit 2\n\n"
        (tmp_path / name / "commands.txt").write_text(text)
    old, new = tmp_path / "old", tmp_path / "new"
    assert compare(old, old) == 0
    capsys.readouterr()
    assert compare(old, new) == 1
    said = capsys.readouterr().out
    assert "commands $ score a.csv" in said and "-micro 0.5" in said and "b.csv" not in said
    (tmp_path / "named.txt").write_text("commands $ score a.csv: the formula was wrong\n")
    assert compare(old, new, tmp_path / "named.txt") == 0
    assert "named: the formula was wrong" in capsys.readouterr().out


def test_a_name_in_braces_stands_for_each():
    assert list(expanded("stats {form2} {form2}\nscore")) == [
        f"stats {one} {one}" for one in EACH["form2"]
    ] + ["score"]
