"""Answer files of the official SemEval-2010 Task 8 scorer."""

from pathlib import Path

import pytest

from helpers.core.errors import MalformedRecord
from helpers.data.systems import join_semeval_answers

KEY = {"8001": "Other", "8002": "Cause-Effect(e1,e2)", "8003": "Cause-Effect(e2,e1)"}


def write(folder: Path, *rows: str, end: str = "\n") -> Path:
    path = folder / "answers.txt"
    path.write_bytes("".join(row + end for row in rows).encode("latin-1"))
    return path


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("8001\tOther", "id '8001' occurs twice"),
        ("9\tOther", "id '9' is not in the key"),
        ("8002\tother", r"unknown relation 'other'; did you mean 'Other'\?"),
        ("8002\tCause-Effect", "unknown relation 'Cause-Effect'"),
        ("8002 Other", "id, tab and label are expected in place of '8002 Other'"),
        ("8002\t", "id, tab and label are expected"),
        ("8002\tOther\tOther", "id, tab and label are expected"),
        ("8002\tCaf\xe9", "0xe9, is not UTF-8"),
    ],
)
def test_malformed_row(tmp_path, row, reason) -> None:
    path = write(tmp_path, "8001\tOther", row)
    with pytest.raises(MalformedRecord, match=f"answers.txt, line 2: .*{reason}"):
        join_semeval_answers(path, KEY)
