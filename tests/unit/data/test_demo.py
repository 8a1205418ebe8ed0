"""The samples of the two synthetic corpora."""

import hashlib

from helpers.data import demo_corpus, demo_documents, samples_sha256


def test_they_are_what_they_were():
    """Scores of notebooks and of canary runs rest on them."""
    hashes = {part: samples_sha256(samples)[:16] for part, samples in demo_corpus().items()}
    assert hashes == {"train": "2033afd0d0544224", "test": "67c26de6bfd5afd1"}
    sets = {part: repr((each.texts, each.labels)).encode() for part, each in demo_documents().items()}
    hashes = {part: hashlib.sha256(content).hexdigest()[:16] for part, content in sets.items()}
    assert hashes == {"train": "00d8bf5f6cca7a61", "test": "821899a9b36c82a2"}
