"""Distant supervision: OpenNRE's lines, GIDS, RESIDE's side information, the relations of NYT10m."""

import json
from collections import Counter
from pathlib import Path

import pytest

from helpers.core import MalformedRecord, MissingData
from helpers.data import (
    GIDS_RELATIONS,
    count_labels,
    fetch_dataset,
    find_dataset,
    fingerprint,
    make_bags,
    nyt10m_relations,
    read_corpus,
    read_entity_types,
    read_gids,
    read_opennre,
    read_relation_aliases,
    shared_pairs,
)
from helpers.data.formats.distant import ABSENT, NAME_RULES, find_name

TOKENS = {
    "token": ["Ada", "\n ", "left", "\u00a0", "London"],
    "h": {"id": "Q1", "name": "ada", "pos": [0, 1]},
    "t": {"id": "Q84", "name": "london", "pos": [3, 5]},
    "relation": "NA",
}
TEXT = {key: TOKENS[key] for key in ("h", "t", "relation")} | {"text": "Ada left London", "t": {"id": 84}}
TEXT["h"], TEXT["t"] = {"name": "ada", "pos": [0, 3]}, {"id": 84, "name": "", "pos": [9, 15]}


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(one)}\n" for one in records), "utf-8")
    return path


class TestOpenNRE:
    def test_tokens(self, tmp_path) -> None:
        (mention,) = read_opennre(written(tmp_path / "a.txt", TOKENS))
        assert mention.sample.text == "Ada \n  left \u00a0 London"
        assert (mention.sample.head_text, mention.sample.tail_text) == ("Ada", "\u00a0 London")
        assert (mention.sample.id, mention.head, mention.tail, mention.relations) == (
            "1",
            "Q1",
            "Q84",
            ("NA",),
        )

    def test_annotated_lines(self, tmp_path) -> None:
        lines = [TEXT | {"anno_relation_list": names} for names in (["NA"], ["r", "s", "r"])]
        none, two = read_opennre(written(tmp_path / "a.txt", *lines))
        assert (none.relations, two.relations, two.relation) == (("NA",), ("r", "s"), "NA")
        (bag,) = make_bags([none, two], "NA")
        assert bag.relations == ("r", "s")

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"relation": ""}, "the relation is empty"),
            ({"relation": 3}, "the field 'relation' is 3, not a string"),
            ({"token": "Ada left"}, "the field 'token' is 'Ada left', not a list"),
            ({"h": {"id": "Q1", "pos": [0, 6]}}, "h is words 0 to 5; there are 5 words"),
            ({"h": {"id": "Q1", "pos": [1, 1]}}, "h is words 1 to 0"),
            ({"h": {"id": "Q1", "pos": [-1, 1]}}, "h is words -1 to 0"),
            ({"h": {"id": "Q1", "pos": [0, True]}}, "'pos' is True, not a whole number"),
            ({"h": {"id": "Q1"}}, "the field 'pos' is missing"),
            ({"h": {"pos": [0, 1]}}, "the field 'name' is missing"),
            ({"h": {"id": [1], "pos": [0, 1]}}, r"id is \[1\], neither"),
            ({"h": {"name": "", "pos": [0, 1]}}, "an entity has neither id nor name"),
            ({"anno_relation_list": []}, r"anno_relation_list is \[\], not a list of names"),
            (
                {"text": "Ada", "t": {"id": "a", "pos": [0, 9]}},
                r"tail span \(0, 9\) does not lie in the text",
            ),
        ],
    )
    def test_a_malformed_line_is_named_or_counted(self, tmp_path, changes, message) -> None:
        path = written(tmp_path / "a.txt", TOKENS, TOKENS | changes)
        with pytest.raises(MalformedRecord, match=message) as error:
            read_opennre(path)
        assert error.value.line == 2
        found = read_opennre(path, strict=False)
        assert (len(found), fingerprint(found).malformed) == (1, 1)

    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("{'a': " + "[" * 500 + "]" * 500 + "}", "no valid Python literal"),
            ("{'a': '" + "x" * (1 << 20) + "'}", "a Python literal of 1048585 characters"),
            ("{'a': __import__('os')}", "malformed node"),
            ("{'a': " + "-" * 9000 + "1}", "Python literal|malformed"),
            ("{'a'", "no valid Python literal"),
            ("{\"a\": 'b'}", "no valid JSON at character 6"),
        ],
    )
    def test_hostile_lines(self, tmp_path, line, message) -> None:
        path = tmp_path / "a.txt"
        path.write_text(line)
        with pytest.raises(MalformedRecord, match=message):
            read_opennre(path)

    @pytest.mark.parametrize("name", ["nyt10m", "wiki20m"])
    def test_a_corpus_that_may_not_be_passed_on(self, name, tmp_path, monkeypatch) -> None:
        monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
        where = f"get (it|them) from https://thunlp.*/benchmark/{name}/"
        with pytest.raises(MissingData, match=where):
            read_corpus(f"{name}-sentences")
        with pytest.raises(MissingData, match=where):
            fetch_dataset(f"{name}-sentences")
        (tmp_path / name).mkdir()
        for split in ("train", "val", "test"):
            written(tmp_path / name / f"{name}_{split}.txt", TOKENS | {"relation": split}, TOKENS)
        corpus = read_corpus(f"{name}-sentences")
        assert corpus["val"] == read_opennre(tmp_path / name / f"{name}_val.txt")
        assert fingerprint(corpus["test"], "NA").facts == 1


class TestNames:
    @pytest.mark.parametrize(
        ("text", "name", "found", "rule"),
        [
            ("a St_Ives, St_Ives x", "St_Ives", 11, "word"),
            ("the Street (St) x", "St", 12, "word with punctuation"),
            ("in new york", "New_York", 3, "other spelling"),
            ("Andrew_of_Perugia", "Perugia", 10, "part of a word"),
            ("a (b", "(", 2, "part of a word"),
        ],
    )
    def test_rules(self, text, name, found, rule) -> None:
        assert find_name(text, name) == ((found, found + len(name)), rule)


class TestGids:
    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (b"a\tb\tc\td\tNA", "6 columns are expected, found 5"),
            (b"a\tb\tc\td\tNA\tx ###END###\ty", "6 columns are expected, found 7"),
            (b"a\t \tc\td\tNA\tx ###END###", "the second identifier is empty"),
            (b"a\tb\tc\td\t\tx ###END###", "the relation is empty"),
            (b"a\tb\tc\td\tNA\tx", "the sentence has to end with ###END###"),
            (b"a\tb\tc\td\tNA\tx ###END### ###END###", "the sentence has to end with ###END###, once"),
            (b"a\tb\tc\td\tNA\t\xff ###END###", "byte 11 of the line, 0xff, is not UTF-8"),
        ],
    )
    def test_malformed_rows(self, tmp_path, row, message) -> None:
        path = tmp_path / "a.tsv"
        path.write_bytes(b"a\tb\tc\td\tNA\tc d ###END###\n" + row)
        with pytest.raises(MalformedRecord, match=f"line 2: {message}"):
            read_gids(path)
        assert len(read_gids(path, strict=False)) == 1

    def test_the_real_files(self, data_dir) -> None:
        corpus = read_corpus("gids")
        train, test = (fingerprint(corpus[split]) for split in ("train", "test"))
        assert (train.sentences, train.pairs, train.bags, train.facts) == (1864, 1082, 1082, 816)
        assert (test.sentences, test.pairs, test.bags, test.facts) == (5663, 3247, 3248, 2448)
        assert (train.duplicates, test.duplicates, train.several, test.several) == (0, 0, 0, 0)
        assert (train.relations, test.relations) == (5, 5)
        assert shared_pairs(corpus["train"], corpus["test"]) == []
        tails = {rule: test.notes.get(f"tail: {rule}", 0) for rule in (*NAME_RULES, ABSENT)}
        assert tails == dict(zip((*NAME_RULES, ABSENT), (5615, 41, 1, 6, 0), strict=True))
        assert test.notes["head: word"] == 5663 and train.notes["tail: word with punctuation"] == 12
        assert set(count_labels("gids")["test"]) == set(GIDS_RELATIONS)
        assert find_dataset("gids").licence == "none stated"

    def test_side_information(self, data_dir, tmp_path) -> None:
        types = read_entity_types(data_dir / "reside/entity_type/gids/type_info.json")
        entities = {name for split in read_corpus("gids").values() for one in split for name in one[1:3]}
        assert (len(types), len(entities), len(entities & set(types))) == (14707, 6840, 6450)
        folder = data_dir / "reside/relation_alias/gids"
        for ending, phrases in (("", 31), ("_ppdb_extended", 110)):
            aliases = read_relation_aliases(folder / f"relation_alias_from_wikidata{ending}.json")
            assert set(aliases) == set(GIDS_RELATIONS) - {"NA"}
            assert sum(map(len, aliases.values())) == phrases
        for text, message in (("[]", "a JSON object"), ('{"a": [1]}', "'a' has"), ("{\n", "line 2")):
            (tmp_path / "a.json").write_text(text)
            with pytest.raises(MalformedRecord, match=message):
                read_entity_types(tmp_path / "a.json")


class TestOntology:
    def test_counts_of_the_appendix(self) -> None:
        found = nyt10m_relations()
        sources = Counter(new for new in found.values() if new)
        merged = {new: count for new, count in sources.items() if count > 1}
        assert merged == {"/location/region/capital": 12, "/business/location": 3}
        assert (len(found), len(sources), sum(new is None for new in found.values())) == (53, 25, 15)
