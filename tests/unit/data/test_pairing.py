"""The paired sample, the text cleaning, and the six files of paper R rebuilt from the official ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.core import file_sha256
from helpers.data import RelationSample, paired_sample, paired_sets, parse_tagged, variants, write_pairs

PUBLISHED = {
    "train.original.tsv": "e517f9bcfcdeffc01bdf03bc619d8dfb16d01e30d7f3eaf793e1280d840eafba",
    "train.paired.tsv": "ff78641a6f953e5ba6455a56f2fde668d83e5acc4ae7955e6f2a2bbcd1cb141a",
    "train.merged.tsv": "3112d0b47496305eb27954e945e9c20e958388fa63d6b3af38eb91275593da26",
    "test.original.tsv": "5366b2be5fca476cabb31dcaa5848d8babb5621a4aed3b3073c99eb3500e893e",
    "test.paired.tsv": "14e864977765d752d59aefc9156e4d2cd472500451f32292023a577e2e6db3a4",
    "test.merged.tsv": "f6757ffb89f3152c7eb1ae2cf04c98fd5f778660ab42d4091ea516b0eafce16d",
}
"""sha256 of the files in Saintfe/RDR."""


def tagged(text: str, relation: str = "Cause-Effect(e1,e2)", name: str = "1") -> RelationSample:
    return RelationSample(name, *parse_tagged(text), relation)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("What's that? It's \"done\" (really).", "what is that it is done really"),
        ("They've said: I'm sure you're", "they have said : i am sure you are"),
        ("right; we'll see.", "right; we will see"),
        ("He can't, won't and didn't; she'd go.", "he can not wo not and did not ; she would go"),
        ("9.5 % of $3 & <4> = 5+6 ^ a/b!", "9 5 of 3 <4 = 5 + 6 ^ a b !"),
        ("a 10k run, 5K", "a 10000 run 5000"),
        ("tools, e.g. U.S. e-mail after 9/11 too", "tools eg american email after911too"),
        ("the dog's tail's end'", "the dog tail end"),
        ("Caf\xe9 na_me", "caf na me"),
    ],
)
def test_cleaning(text, cleaned):
    assert variants._clean_text(text) == cleaned


def test_inverse_labels_are_those_that_are_given():
    inverse = {"parent": "child", "child": "parent", "spouse": "spouse"}
    relations = ["parent", "child", "spouse", "none", "Cause-Effect(e1,e2)"]
    samples = [tagged("<e1>Ada</e1> and <e2>Byron</e2>", relation, relation) for relation in relations]
    sets = paired_sets(samples, inverse)
    expected = ["child", "parent", "spouse", "none", "Cause-Effect(e2,e1)"]
    assert [sample.relation for sample in sets["paired"]] == expected
    assert [sample.relation for sample in sets["merged"][1::2]] == expected, "merged training learns these"
    assert [sample.relation for sample in paired_sets(samples)["paired"]][:3] == relations[:3]
    named = paired_sample(tagged("<e1>a</e1> <e2>b</e2>", "r(e1,e2)"), {"r(e1,e2)": "s(e1,e2)"})
    assert named.relation == "s(e1,e2)", "a given inverse counts before the one that the name tells"


@given(st.sampled_from(["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Other", "per:title(e2,e1)"]))
def test_pairing_twice_changes_nothing(relation):
    sample = tagged("The <e1>fire</e1> caused <e2>panic</e2>.", relation)
    other = paired_sample(sample)
    assert paired_sample(other) == sample
    assert (other.text, other.head, other.tail) == (sample.text, sample.tail, sample.head)
    assert (other.relation == relation) == (relation == "Other")


@pytest.fixture
def toy_corpus(monkeypatch):
    texts = {"train": "The <e1>fire</e1> caused <e2>panic</e2>.", "test": "<e1>Noise</e1> and <e2>fear</e2>"}
    toy = {split: [tagged(text)] for split, text in texts.items()}
    monkeypatch.setattr(variants, "read_corpus", lambda _name: toy)


class TestWriting:
    def test_files(self, tmp_path, toy_corpus, caplog):
        files = write_pairs(tmp_path / "new" / "folder")
        assert [file.name for file in files] == list(PUBLISHED)
        assert {*files} == set((tmp_path / "new" / "folder").iterdir())
        assert [file.read_text().count("\n") for file in files] == [1, 1, 2, 1, 1, 2]
        assert files[2].read_bytes() == (
            b"0\tthe [E11] fire [E12] caused [E21] panic [E22]\t9\tcause\teffect\n"
            b"0\tthe [E21] fire [E22] caused [E11] panic [E12]\t10\teffect\tcause\n"
        )
        assert f"{files[0]} differs from the published file" in caplog.text, "a toy is not the real corpus"

    def test_an_interruption_leaves_the_folder_as_it_was(self, tmp_path, toy_corpus, monkeypatch):
        (tmp_path / "train.original.tsv").write_text("old")
        real, calls = variants._rdr_line, iter(range(4))

        def interrupted(*arguments):
            if next(calls) == 3:
                raise KeyboardInterrupt
            return real(*arguments)

        monkeypatch.setattr(variants, "_rdr_line", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_pairs(tmp_path)
        assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
            ("train.original.tsv", "old")
        ]

    def test_the_six_files_are_the_published_ones(self, data_dir, tmp_path, caplog):
        files = write_pairs(tmp_path)
        assert {file.name: file_sha256(file) for file in files} == PUBLISHED
        assert caplog.text == ""
        rows = [file.read_text(encoding="utf-8").count("\n") for file in files]
        assert rows == [8000, 8000, 16000, 2717, 2717, 5434]

    @pytest.mark.nightly(third=1)
    def test_kbp37_by_the_same_code(self, data_dir, tmp_path):
        files = {file.name: file for file in write_pairs(tmp_path, "kbp37")}
        assert len(files) == 9 and files["train.merged.tsv"].read_text().count("\n") == 2 * 15917
        rows = [line.split("\t") for line in (tmp_path / "dev.merged.tsv").read_text().splitlines()]
        for (index, _, label, *roles), (again, _, other, *others) in zip(rows[::2], rows[1::2], strict=True):
            assert index == again and roles == others[::-1]
            assert int(other) == (int(label) and int(label) + (1 if int(label) % 2 else -1))
