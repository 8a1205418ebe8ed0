"""Statistics of labels: definitions, Table 1 of paper W, files of counts, and the published counts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import data
from helpers.data import dataset_statistics, label_statistics, perplexity, published_counts
from tests.support import write_file


@given(st.integers(1, 60), st.integers(1, 1000))
def test_perplexity_of_equal_classes(classes, count):
    assert perplexity([count] * classes + [0]) == pytest.approx(classes, rel=1e-12)


@given(st.lists(st.integers(0, 10**6), min_size=1).filter(any))
def test_bounds_and_scale_of_perplexity(counts):
    value = perplexity(counts)
    assert 1 - 1e-12 <= value <= sum(count > 0 for count in counts) * (1 + 1e-12)
    assert perplexity([3 * count for count in counts]) == pytest.approx(value, rel=1e-12)


def test_by_hand():
    by_hand = label_statistics({"A": 6, "B": 2, "C": 0, "NA": 8}, negative="NA")
    entropy = -(6 / 16 * math.log2(6 / 16) + 2 / 16 * math.log2(2 / 16) + 1 / 2 * math.log2(1 / 2))
    assert (by_hand.labels, by_hand.samples, by_hand.negative_share, by_hand.ratio) == (4, 16, 0.5, 3.0)
    assert by_hand.perplexity == pytest.approx(2**entropy, rel=1e-15)
    assert by_hand.perplexity_without_negative == pytest.approx(perplexity([6, 2]))


# Table 1 of paper W, recomputed: labels, samples, share of NA, perplexity with and without NA, ratio
TABLE_1 = {
    "tacred": (42, 106264, 0.7951, 3.3052, 23.3862, 250),
    "chemprot": (13, 10065, 0, 7.2303, 7.2303, 313.75),
    "semeval2010": (19, 10717, 0.17393, 14.4516, 14.3656, 291),
    "semeval2010-undirected": (10, 10717, 0.17393, 9.6078, 8.7997, 2.1026),
    "nyt24": (24, 66194, 0, 6.2416, 6.2416, 2485),
    "docred": (96, 50503, 0, 32.177, 32.177, 1686),
    "nyt10m": (25, 417893 + 46422 + 9744, None, 7.3759, 7.3759, 1162),
    "kbp37": (37, 15917 + 1724 + 3405, 0.1033, 27.1712, 28.2253, 14.6957),
}


@pytest.mark.parametrize("name", TABLE_1)
def test_table_1(name):
    labels, samples, share, *rest = TABLE_1[name]
    row = dataset_statistics(name)
    assert (row.labels, row.samples) == (labels, samples)
    assert row.negative_share == (None if share is None else pytest.approx(share, abs=5e-5))
    assert [row.perplexity, row.perplexity_without_negative, row.ratio] == pytest.approx(rest, abs=5e-4)


def test_only_the_test_part_fits_the_published_perplexity():
    splits = published_counts("tacred")
    parts = {split: label_statistics(splits[split], "no_relation") for split in splits}
    assert f"{parts['dev'].perplexity:.3f} {parts['train'].perplexity:.3f}" == "3.752 2.889"
    assert (parts["test-tacrev"].samples, splits["test-tacrev"]["no_relation"]) == (15509, 12386)


def test_splits_of_a_file_of_counts(tmp_path):
    text = "split\tcount\tlabel\ntrain\t9\tA\ntrain\t1\tx\ntest\t6\tA\ntest\t2\tB\n"
    row = dataset_statistics(write_file(tmp_path, "counts.tsv", text), negative="x")
    assert (row.labels, row.samples, row.negative_share, row.ratio) == (3, 18, 1 / 18, 3)
    assert row.note == "negative class: as given; perplexity and ratio of split test"
    with pytest.raises(ValueError, match="unknown negative class 'C'"):
        dataset_statistics(tmp_path / "counts.tsv", "C")
    both = dataset_statistics(write_file(tmp_path, "counts.tsv", text.replace("test", "dev")), negative="")
    assert (both.ratio, both.negative, both.samples) == (15, None, 18)


def test_find_takes_a_name_or_a_file(tmp_path):
    assert dataset_statistics(write_file(tmp_path, "counts.csv", "label,count\nA,6\nB,2\n")).ratio == 3


@pytest.mark.parametrize("name", data.counted_datasets())
def test_published_counts_equal_the_real_data(data_dir, name):
    """In their order, too: the most frequent label first."""
    published = {
        split: [(label, count) for label, count in counts.items() if label != data.TOTAL]
        for split, counts in published_counts(name).items()
    }
    counted = {split: list(counts.items()) for split, counts in data.count_labels(name).items()}
    assert {split: counts for split, counts in published.items() if counts} == counted
