"""The table of awkward cases: computed anew, and the differences that it is there to show."""

import csv

from helpers.adapters.awkward_cases import CASES, COLUMNS, NAMES, TABLE, case_rows

ROWS = list(csv.DictReader(TABLE.read_text(encoding="utf-8").splitlines()))


def values(case: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in ROWS:
        if row["case"] == case:
            found.setdefault(row["library"], []).append(row["value"])
    return found


def test_the_stored_table_is_what_the_libraries_give_now():
    assert [tuple(row.values()) for row in ROWS] == list(case_rows())
    assert tuple(ROWS[0]) == COLUMNS
    assert len({row["case"] for row in ROWS}) == len(CASES) == 12


def test_what_the_table_shows():
    assert {one for found in values("every class occurs").values() for one in found} == {"0.8333"}
    alarms = values("false alarms on the negative class")
    assert alarms == {"this project": ["0.6667"], "scikit-learn": ["0.4444"], "torchmetrics": ["1.0000"]}
    micro = values("micro without the negative class")
    assert micro["this project"] == ["0.6667"] and micro["scikit-learn"] == ["0.6000", "0.6667"]
    assert micro["torchmetrics"] == ["1.0000"]
    assert values("no sample at all") == {
        "this project": ["error"],
        "scikit-learn": ["error"],
        "torchmetrics": ["0.0000"],
    }


def test_false_alarms_by_hand():
    case = next(one for one in CASES if one.name == "false alarms on the negative class")
    assert [NAMES[label] for label in case.gold] == ["NA", "NA", "born", "title"]
    # born: TP 1, FP 1; title: TP 1, FP 1: each F is 2/3; age occurs nowhere
    assert values(case.name)["this project"] == [f"{2 / 3:.4f}"]
    assert values(case.name)["scikit-learn"] == [f"{(2 / 3 + 2 / 3 + 0) / 3:.4f}"]
