"""Statistics of labels: definitions, Table 1 of paper W, files of counts, and the published counts."""

import csv
import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data.statistics import (
    LABEL_COUNTS,
    TOTAL,
    count_labels,
    counted_datasets,
    dataset_statistics,
    find_statistics,
    label_statistics,
    perplexity,
    published_counts,
)


class TestDistribution:
    @given(st.integers(1, 60), st.integers(1, 1000))
    def test_equal_classes(self, classes, count) -> None:
        assert perplexity([count] * classes + [0]) == pytest.approx(classes, rel=1e-12)

    @given(st.lists(st.integers(0, 10**6), min_size=1).filter(any))
    def test_bounds_and_scale(self, counts) -> None:
        value = perplexity(counts)
        assert 1 - 1e-12 <= value <= sum(count > 0 for count in counts) * (1 + 1e-12)
        assert perplexity([3 * count for count in counts]) == pytest.approx(value, rel=1e-12)

    def test_by_hand(self) -> None:
        found = label_statistics({"A": 6, "B": 2, "C": 0, "NA": 8}, negative="NA")
        entropy = -(6 / 16 * math.log2(6 / 16) + 2 / 16 * math.log2(2 / 16) + 1 / 2 * math.log2(1 / 2))
        assert (found.labels, found.samples, found.negative_share, found.ratio) == (4, 16, 0.5, 3.0)
        assert found.perplexity == pytest.approx(2**entropy, rel=1e-15)
        assert found.perplexity_without_negative == pytest.approx(perplexity([6, 2]))

    @pytest.mark.parametrize(
        ("counts", "negative", "message"),
        [
            ({"A": -1}, None, "counts['A'] is -1"),
            ({"A": 1.5}, None, "counts['A'] is 1.5"),
            ({"A": True}, None, "counts['A'] is True"),
            ({"A": 0}, None, "counts hold no sample (1 labels)"),
            ({}, None, "counts hold no sample (0 labels)"),
            ({"Other": 1, "A": 2}, "other", "unknown negative class 'other'; did you mean 'Other'?"),
        ],
    )
    def test_bad_counts(self, counts, negative, message) -> None:
        with pytest.raises(ValueError, match=re.escape(message)):
            label_statistics(counts, negative)


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


class TestTable1:
    @pytest.mark.parametrize("name", TABLE_1)
    def test_rows(self, name) -> None:
        labels, samples, share, *rest = TABLE_1[name]
        found = dataset_statistics(name)
        assert (found.labels, found.samples) == (labels, samples)
        assert found.negative_share == (None if share is None else pytest.approx(share, abs=5e-5))
        values = (found.perplexity, found.perplexity_without_negative, found.ratio)
        assert values == pytest.approx(rest, abs=5e-4)

    def test_only_the_test_part_fits_the_published_perplexity(self) -> None:
        splits = published_counts("tacred")
        found = {split: label_statistics(splits[split], "no_relation") for split in splits}
        assert f"{found['dev'].perplexity:.3f} {found['train'].perplexity:.3f}" == "3.752 2.889"
        assert found["test-tacrev"].samples == 15509
        assert splits["test-tacrev"]["no_relation"] == 12386


class TestCountsFile:
    def write(self, folder: Path, text: str, name: str = "counts.csv") -> Path:
        path = folder / name
        path.write_text(text)
        return path

    def test_splits(self, tmp_path) -> None:
        text = "split\tcount\tlabel\ntrain\t9\tA\ntrain\t1\tx\ntest\t6\tA\ntest\t2\tB\n"
        found = dataset_statistics(self.write(tmp_path, text, "counts.tsv"), negative="x")
        assert (found.labels, found.samples, found.negative_share, found.ratio) == (3, 18, 1 / 18, 3)
        assert found.note == "negative class: as given; perplexity and ratio of split test"
        both = dataset_statistics(
            self.write(tmp_path, text.replace("test", "dev"), "counts.tsv"), negative=""
        )
        assert (both.ratio, both.negative, both.samples) == (15, None, 18)

    @pytest.mark.parametrize(
        ("text", "negative", "message"),
        [
            ("name,count\nA,1\n", None, "column 'label' does not exist. Columns: name, count"),
            ("a,b\nA,1\n", None, "which column is gold? no column has a common name"),
            (
                "label,count\nA,1\nB,x\n",
                None,
                "line 3, column 'count': a count is an integer, 0 or more, of at most 18 digits, not 'x'",
            ),
            ("label,count\nA,-1\n", None, "line 2, column 'count'"),
            ("label,count\nA,1\n\nA,1\n", None, "line 4, column 'label': label 'A' occurs twice"),
            ("label,count\n,1\n", None, "line 2, column 'label': the cell is empty"),
            ("count,label\n1,\n", None, "line 2, column 'label': the cell is empty"),
            ("label,count\nA\n", None, "line 2: 2 cells are expected"),
            ("label,count\nA,0\n", None, "counts hold no sample"),
            ("label,count\n", None, "counts hold no sample"),
            ("label,count\nA,1\nNA,1\nOther,1\n", None, "NA, Other all look like one"),
            ("label,count\nA,1\n", "B", "unknown negative class 'B'"),
        ],
    )
    def test_faults(self, tmp_path, text, negative, message) -> None:
        with pytest.raises(ValueError, match=re.escape(message)):
            dataset_statistics(self.write(tmp_path, text), negative)

    def test_find_takes_a_name_or_a_file(self, tmp_path) -> None:
        path = self.write(tmp_path, "label,count\nA,6\nB,2\n")
        assert find_statistics(path)["ratio"] == 3
        assert list(find_statistics("tacred"))[:6] == [
            "labels",
            "samples",
            "negative_share",
            "perplexity",
            "perplexity_without_negative",
            "ratio",
        ]
        with pytest.raises(ValueError, match="leave `negative` out"):
            find_statistics("tacred", "NA")
        with pytest.raises(ValueError, match=r"'tacrde'; did you mean 'tacred'\? Known: semeval2010"):
            find_statistics("tacrde")


class TestPublishedCounts:
    rows = list(csv.DictReader(LABEL_COUNTS.read_text("utf-8").splitlines()))

    @pytest.mark.parametrize("name", counted_datasets())
    def test_they_equal_the_real_data(self, data_dir, name) -> None:
        """In their order, too: the most frequent label first."""
        published = {
            split: [(label, count) for label, count in counts.items() if label != TOTAL]
            for split, counts in published_counts(name).items()
        }
        counted = {split: list(counts.items()) for split, counts in count_labels(name).items()}
        assert {split: counts for split, counts in published.items() if counts} == counted
