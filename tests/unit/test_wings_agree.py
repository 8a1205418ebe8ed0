"""What both wings know by name is the same: the wings may not import each other, so a test ties them."""

import pytest

from helpers.data import relations, semeval_answers
from helpers.metrics import direction, labels, semeval
from helpers.metrics.weighting import SCHEMES
from helpers.reporting import claims
from helpers.reporting.figures.style import SCHEME_COLORS

LABELS = [*relations.SEMEVAL_RELATIONS, "per:title", "NA", "per:children(e1,e2)"]


@pytest.mark.parametrize("label", LABELS)
def test_inverse_and_base_of_a_label(label: str) -> None:
    assert direction.inverse_labels([label])[label] == relations.inverse(label)
    assert semeval.base_relation(label) == relations.undirected(label)


def test_the_mark_of_a_skipped_sample() -> None:
    assert labels.SKIPPED == semeval_answers.SKIPPED


def test_the_five_schemes() -> None:
    assert tuple(SCHEME_COLORS) == tuple(claims.SCHEMES) == SCHEMES
