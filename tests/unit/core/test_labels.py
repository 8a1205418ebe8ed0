import pytest

from helpers.core import SEMEVAL_RELATIONS, base_relation
from helpers.core.labels import DIRECTIONS, find_negative, inverse_label, label_ids


@pytest.mark.parametrize("label", [*SEMEVAL_RELATIONS, "no_relation", "per:title", "", 3])
def test_an_inverse_undoes_itself_and_keeps_the_base(label):
    inverse = inverse_label(label)
    assert inverse_label(inverse) == label
    assert base_relation(inverse) == base_relation(label)
    assert (inverse == label) == (not str(label).endswith(DIRECTIONS))


def test_ids_are_those_of_the_published_files_or_in_order_with_both_directions():
    ids = label_ids(["Other", "Member-Collection(e1,e2)"])
    assert ids == dict(zip(SEMEVAL_RELATIONS, range(19), strict=True))
    assert (ids["Message-Topic(e1,e2)"], ids["Content-Container(e2,e1)"]) == (1, 18)
    ordered = ["NA", "a(e1,e2)", "a(e2,e1)", "b(e1,e2)", "b(e2,e1)"]
    assert list(label_ids(["b(e2,e1)", "a(e1,e2)", "NA"])) == ordered


def test_the_negative_class_is_found_under_any_spelling_but_only_one():
    for name in ("NO RELATION", "na", "Not-Related"):
        assert find_negative([name, "x"]) == name
    assert find_negative([]) is None
    with pytest.raises(ValueError, match="NA, Other all look like one: name it"):
        find_negative(["NA", "Other"])
