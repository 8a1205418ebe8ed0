"""Answer files of the official SemEval-2010 Task 8 scorer."""

from collections import Counter
from pathlib import Path

import pytest

from helpers.core.errors import MalformedRecord
from helpers.core.labels import SEMEVAL_BASES, base_relation
from helpers.data.systems import SKIPPED, join_semeval_answers, semeval_key

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


def official_macro(gold: list[str], predicted: list[str]) -> float:
    """The official score by its definition: mean F1 of the nine relations; a wrong direction is wrong."""
    bases = Counter(map(base_relation, gold)) + Counter(map(base_relation, predicted))
    right = Counter(base_relation(one) for one, other in zip(gold, predicted, strict=True) if one == other)
    return sum(2 * right[base] / bases[base] for base in SEMEVAL_BASES) / len(SEMEVAL_BASES)


@pytest.mark.parametrize(("system", "published"), [("CNN", 79.26), ("Att-BLSTM", 83.13), ("CR-CNN", 83.27)])
def test_real_answers(data_dir, system, published) -> None:
    path = data_dir / "semeval2010" / "predictions" / f"onehaitao_{system}_predicted_result.txt"
    frame = join_semeval_answers(path, semeval_key())
    assert len(frame) == 2717 and SKIPPED not in frame["predicted"].cat.categories
    score = official_macro(frame["gold"].tolist(), frame["predicted"].tolist())
    assert 100 * score == pytest.approx(published, abs=0.005)
