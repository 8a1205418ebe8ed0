"""Word vectors: of the encoder, of a file, and files that have none."""

import re

import pytest
import torch

from helpers.models.word_vectors import WordVectors, _read_vectors


def test_of_the_encoder_new_words_have_theirs() -> None:
    vectors = WordVectors("encoder")
    vectors.prepare([["Fire", "and", "panic"]], seed=1)
    known, later = vectors.ids(["fire"]), vectors.ids(["volcanoes", "fire", "Volcanoes"])
    assert later[1] == known[0] and later[0] == later[2] == len(vectors.known) + 1
    tokenizer, weight = vectors._pieces
    pieces = tokenizer("volcanoes", add_special_tokens=False)["input_ids"]
    rows = vectors(torch.tensor([later]))[0]
    assert torch.allclose(rows[0], weight[pieces].mean(0), atol=1e-6)
    assert torch.equal(rows[0], rows[2]) and not torch.equal(rows[0], rows[1])


@pytest.mark.parametrize("whole", [False, True])
def test_of_a_file(tmp_path, whole) -> None:
    (tmp_path / "v.txt").write_text("Fire 1 2\nfire 3 4\npanic 5 6\nnever 7 8\n")
    vectors = WordVectors(tmp_path / "v.txt", whole=whole)
    vectors.prepare([["Fire", "Panic", "other"], ["fire"]], seed=1, always=["SUBJ"])
    assert sorted(vectors.known) == ["Fire", "SUBJ", "fire", *(["never"] if whole else []), "panic"]
    rows = vectors(torch.tensor(vectors.ids(["Fire", "FIRE", "Panic", "never"]))).tolist()
    assert rows[:3] == [[1, 2], [3, 4], [5, 6]] and (rows[3] == [7, 8]) == whole
    table = vectors.words.weight
    assert vectors.width == 2 and not table[0].any() and table[1].any() and table.requires_grad


def test_a_bad_file(tmp_path) -> None:
    for text, message in (
        (b"a 1 2\nb 1\n", "line 2: 1 numbers, the first has 2"),
        (b"a 1 x\n", "line 1: not a word with its numbers"),
        (b"a\n", "line 1: 0 numbers"),
        (b"\xff 1\n", "v.txt: 'utf-8' codec can't decode byte 0xff"),
        (b"", "is empty"),
    ):
        (tmp_path / "v.txt").write_bytes(text)
        with pytest.raises(ValueError, match=re.escape(message)):
            _read_vectors(tmp_path / "v.txt")
