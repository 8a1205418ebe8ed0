"""Any frame is counted as arrays are; a label that is missing or is none is refused, with its column."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.core import MalformedRecord
from helpers.data import count_rows
from helpers.evaluation import score_frame
from helpers.metrics import Outcome
from tests.support import both_outcomes

COLUMNS = ("gold", "predicted", "paired")
LABELS = st.sampled_from(["A", "a", "NA", "None", "R(e1,e2)", "(skipped)", "007", " x", "ä|b", "'", '"'])
ROWS = st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=30)
INTEGERS = st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=30)


def as_relation(table: pa.Table) -> duckdb.DuckDBPyRelation:
    return duckdb.from_arrow(table)


FRAMES = {"duckdb": as_relation, "arrow": lambda table: table, "pandas": lambda table: table.to_pandas()}
FRAMES["categories"] = lambda table: table.to_pandas().astype("category")


def arrays(rows: list[tuple]) -> list[np.ndarray]:
    return [np.array(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize("kind", FRAMES)
@settings(deadline=None)
@given(rows=st.one_of(ROWS, INTEGERS))
def test_a_frame_is_counted_as_arrays_are(kind, rows):
    gold, predicted, paired = arrays(rows)
    frame = FRAMES[kind](pa.table(dict(zip(COLUMNS, (gold, predicted, paired), strict=True))))
    confusion, outcome = both_outcomes(count_rows(frame, *COLUMNS))
    assert confusion == Outcome.from_columns(gold, predicted)
    assert confusion.counts.dtype == np.int64
    assert outcome == Outcome.from_columns(gold, predicted, paired=paired)


def test_a_frame_is_scored_by_the_rules_of_files():
    rows = [("r(e1,e2)", "r(e1,e2)"), ("r(e1,e2)", "(skipped)"), ("Other", "Other")]
    frame = pd.DataFrame(rows, columns=["gold", "predicted"])
    ours = score_frame(count_rows(duckdb.from_df(frame)), negative="Other")
    assert ours.to_dict() == score_frame(frame, negative="Other").to_dict()
    task = score_frame(count_rows(frame.replace({"r(e1,e2)": "Cause-Effect(e1,e2)"})), task="semeval2010")
    assert "(skipped)" in task.labels and task.n == 3


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("odd", [None, " ", ""])
def test_a_missing_label_is_refused_with_its_column(kind, odd):
    frame = FRAMES[kind](pa.table({"gold": ["a", "b", "b"], "predicted": ["a", odd, odd]}))
    with pytest.raises(MalformedRecord, match="column 'predicted': the cell is empty in 2 of 3 rows"):
        count_rows(frame)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("SELECT 0.5 AS gold, 'a' AS predicted", "column 'gold': labels are text or integers, not "),
        ("SELECT ['a'] AS gold, 'a' AS predicted", "column 'gold': labels are text or integers, not list"),
        ("SELECT 'a' AS gold, 'a' AS predicted LIMIT 0", "there are no rows"),
        ("SELECT 'a' AS gold, 'a' AS guess", "which column is predicted?"),
    ],
)
def test_what_is_no_label_is_refused(query, said):
    with pytest.raises(ValueError, match=said.replace("?", r"\?")):
        count_rows(duckdb.sql(query))


def test_an_absent_column_and_what_is_no_frame_are_refused():
    with pytest.raises(ValueError, match="column 'glod' for gold does not exist; did you mean 'gold'"):
        count_rows(duckdb.sql("SELECT 'a' AS gold, 'a' AS predicted"), "glod")
    with pytest.raises(ValueError, match="is no frame of an engine"):
        count_rows(["a", "b"])


class TestCounts:
    """`counts` of `from_arrays`: rows that were counted already."""

    @pytest.mark.parametrize(
        ("counts", "said"),
        [
            ([1], r"counts has shape \(1,\)"),
            ([0.5, 1], "counts has shape .* float64: a whole number for each of 2 rows"),
            ([-1, 1], "counts holds a negative number"),
            ([2**53, 1], "counts add up to"),
        ],
    )
    def test_others_are_refused(self, counts, said):
        with pytest.raises(ValueError, match=said):
            Outcome.from_columns(["a", "b"], ["a", "a"], counts=np.array(counts))

    def test_a_row_is_weighed_or_counted(self):
        with pytest.raises(ValueError, match="both given"):
            Outcome.from_columns(["a"], ["a"], sample_weight=[1.0], counts=[1])
