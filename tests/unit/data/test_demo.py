"""The two synthetic corpora: their numbers and their samples."""

import hashlib
from collections import Counter

from helpers.data import demo_corpus, demo_documents, samples_sha256
from helpers.data.demo import LABEL_SETS, TEST_COUNTS, TRAIN_FACTOR


def test_sizes_and_distribution():
    counts = {part: Counter(sample.relation for sample in samples) for part, samples in demo_corpus().items()}
    assert counts["test"] == TEST_COUNTS and counts["test"].total() == 400
    assert counts["train"] == {label: TRAIN_FACTOR * count for label, count in TEST_COUNTS.items()}
    for position, (part, documents) in enumerate(demo_documents().items()):
        assert len(documents) == {"train": 600, "test": 300}[part]
        sets = Counter(" ".join(labels) for labels in documents.labels)
        assert sets == +Counter({labels: counts[position] for labels, counts in LABEL_SETS.items()})


def test_they_are_what_they_were():
    """Scores of notebooks and of canary runs rest on them."""
    hashes = {part: samples_sha256(samples)[:16] for part, samples in demo_corpus().items()}
    assert hashes == {"train": "2033afd0d0544224", "test": "67c26de6bfd5afd1"}
    texts = {part: "\n".join(documents.texts).encode() for part, documents in demo_documents().items()}
    hashes = {part: hashlib.sha256(text).hexdigest()[:16] for part, text in texts.items()}
    assert hashes == {"train": "cd2309b55df790ce", "test": "95dc15800cb10ff1"}
