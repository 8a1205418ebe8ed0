"""Sets of triples: real predictions under the match rules, every form of file, and what cannot be read."""

import json
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.cli import main
from helpers.data import Triple, TripleItem, read_triples, search_folders
from helpers.evaluation import compare_files, score_triples, triple_outcome

JOINTER = "nyt24/JointER_predictions/best_test_results.json"
ITEMS = [
    {"gold": [["Ada", "left", "Rome"], ["Bo", "of", "Rome"]], "predicted": [["Ada", "left", "Rome"]]},
    {"gold": [["Cy", "left", "the Oslo"]], "predicted": [["Cy", "left", "Oslo"], ["Cy", "left", "Oslo"]]},
]


def write(folder, items, name="a.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def numbers(report):
    rows = report.per_class.values()
    return tuple(sum(row[key] for row in rows) for key in ("support", "predicted", "correct"))


@pytest.mark.parametrize(
    ("match", "counted", "scores"),
    [
        (
            "exact",
            (8120, 6804, 5816),
            {"micro": 77.94, "weighted": 76.72, "dodrans": 75.07, "macro": 63.70},
        ),
        ("last-token", (8110, 6775, 5817), {"micro": 78.16}),
        ("pair", (6775, 6804, 5874), {"micro": 86.52}),
    ],
)
def test_golden_values_of_real_predictions(match, counted, scores) -> None:
    path = next((one for folder in search_folders() if (one := folder / JOINTER).is_file()), None)
    if path is None:
        pytest.skip(f"{JOINTER} is not here")
    report = score_triples(path, match=match)
    assert numbers(report) == counted and report.n == 5000
    found = {name: 100 * report.schemes[name]["f1"] for name in scores}
    assert found == pytest.approx(scores, abs=0.005)


def test_the_rules_on_a_small_case(tmp_path) -> None:
    path = write(tmp_path, ITEMS)
    assert numbers(score_triples(path)) == (3, 2, 1)
    assert numbers(score_triples(path, normalise=True)) == (3, 2, 2)
    assert numbers(score_triples(path, match="last-token")) == (3, 2, 2)
    assert numbers(score_triples(path, match="relation")) == (3, 2, 2)
    report = score_triples(path, replicates=200)
    assert report.signature == (
        "f1|labels:supported|zero_support:skip|decision:given|n:2|labels_n:2|v:0.1|match:exact"
        "|bootstrap:percentile,200,seed1,95"
    )
    assert report.schemes["micro"]["low"] <= report.schemes["micro"]["f1"] <= report.schemes["micro"]["high"]
    assert "accuracy" not in report.to_dict() and "accuracy" not in report.scores()
    with pytest.raises(ValueError, match="no true negatives, so there is no mcc"):
        score_triples(path, score="mcc")


def test_every_form_gives_the_same_items(tmp_path) -> None:
    expected = read_triples(write(tmp_path, ITEMS))
    (tmp_path / "a.json").write_text(json.dumps(ITEMS))

    def parts(triple):
        return {"subject": triple[0], "predicate": triple[1], "object": {"name": triple[2]}}

    def generated(triples):
        return " ".join(f"<triplet> {head} <subj> {tail} <obj> {name}" for head, name, tail in triples)

    others = [
        [{"truth": [*map(parts, item["gold"])], "predict": item["predicted"]} for item in ITEMS],
        [{"triple_list": item["gold"], "output": generated(item["predicted"])} for item in ITEMS],
        [{key: json.dumps(triples) for key, triples in item.items()} for item in ITEMS],
        [item | {"predicted": item["predicted"] or "<s></s><pad>"} for item in ITEMS],
    ]
    for number, items in enumerate(others):
        assert read_triples(write(tmp_path, items, f"{number}.jsonl")) == expected
    assert read_triples(tmp_path / "a.json") == expected
    rows = ["gold,predicted"]
    rows += [",".join('"' + json.dumps(item[key]).replace('"', '""') + '"' for key in item) for item in ITEMS]
    (tmp_path / "a.csv").write_text("\n".join(rows))
    assert read_triples(tmp_path / "a.csv") == expected
    mine = write(tmp_path, [{"id": n, "triples": ITEMS[n]["predicted"]} for n in (1, 0)], "mine.jsonl")
    gold = write(tmp_path, [{"id": n, "triples": ITEMS[n]["gold"]} for n in (0, 1)], "gold.jsonl")
    assert [item[:2] for item in read_triples(mine, gold)] == [item[:2] for item in expected]
    assert [item.id for item in read_triples(mine, gold)] == ["0", "1"]


RIGHT = {"gold": [["a", "r", "b"]], "predicted": [["a", "r", "b"]]}
SPAN = {"text": "a", "span": [0, 1]}


@pytest.mark.parametrize(
    ("item", "options", "said"),
    [
        ({"predicted": []}, {}, "there is no key 'gold'"),
        (
            {"gold": [["a", "r"]], "predicted": []},
            {},
            "item 2, key 'gold': triple 1: head, relation",
        ),
        ({"gold": [], "predicted": [["a", "r", 3]]}, {}, "item 2, key 'predicted': triple 1: tail is 3"),
        (
            {"gold": [], "predicted": [["a", " ", "b"]]},
            {},
            "triple 1: relation: the field is empty",
        ),
        ({"gold": [["a", "r", "b"], {"h": "a"}], "predicted": []}, {}, "triples in two forms"),
        ({"gold": [{"h": "a", "r": "r"}], "predicted": []}, {}, "triple 1: there is no tail"),
        ({"gold": "<triplet> a", "predicted": ""}, {}, "item 2, key 'gold': .* is incomplete"),
        ({"gold": {"a": 1}, "predicted": []}, {}, "a list of triples is expected"),
        ({"gold": [["a", "r", "b"]], "predicted": "none"}, {}, "key 'predicted': a JSON list of triples, or"),
        (
            {"text": "a", "gold": [[SPAN, "r", {"span": [1, 5]}]], "predicted": []},
            {},
            r"the span of tail is \[1, 5\], outside of the text of length 1",
        ),
        (
            {"gold": [[SPAN, "r", SPAN]], "predicted": []},
            {"match": "boundaries"},
            "item 2, gold .* others have",
        ),
        (RIGHT, {"match": "strict"}, "item 1, gold triples: strict needs the types"),
    ],
)
def test_bad_items_are_refused_with_file_item_and_key(tmp_path, item, options, said) -> None:
    path = write(tmp_path, [RIGHT, item])
    with pytest.raises(ValueError, match=said) as error:
        score_triples(path, **options)
    assert str(path) in str(error.value)


def test_bad_files_are_refused(tmp_path) -> None:
    empty, none = write(tmp_path, [], "empty.jsonl"), write(tmp_path, [{"gold": [], "predicted": []}])
    for path, said in ((empty, "no record"), (none, "there is no gold triple")):
        with pytest.raises(ValueError, match=said):
            score_triples(path)
    with pytest.raises(ValueError, match="unknown match 'exakt'; did you mean 'exact'"):
        score_triples(none, match="exakt")
    one = write(tmp_path, [{"id": 1, "triples": []}], "one.jsonl")
    two = write(tmp_path, [{"id": 2, "triples": [["a", "r", "b"]]}], "two.jsonl")
    with pytest.raises(ValueError, match="1 ids of .*two.jsonl are missing, the first is '2'"):
        score_triples(one, two)
    with pytest.raises(ValueError, match="which key has gold triples"):
        score_triples(write(tmp_path, [{"gold": [], "truth": [], "predicted": []}], "both.jsonl"))
    with pytest.raises(ValueError, match="no key of gold triples is recognised.*--gold FILE"):
        score_triples(write(tmp_path, [{"predicted": []}], "lone.jsonl"))


NAMES = st.sampled_from(["Ada", "Bo", "Rome", "the Hague"])
SETS = st.lists(st.builds(Triple, st.sampled_from("rst"), NAMES, NAMES), max_size=4)
DOCUMENTS = st.lists(st.builds(TripleItem, SETS, SETS), min_size=1, max_size=5).filter(
    lambda items: any(item.gold for item in items)
)


@given(items=DOCUMENTS, match=st.sampled_from(["exact", "last-token", "pair", "relation"]), data=st.data())
def test_order_duplicates_and_names_change_nothing(items, match, data) -> None:
    counted = partial(triple_outcome, match=match)
    outcome = counted(items)
    moved = data.draw(st.permutations(items))
    moved = [TripleItem(*(data.draw(st.permutations(triples * 2)) for triples in item[:2])) for item in moved]
    assert counted(moved) == outcome
    renamed = [
        TripleItem(*([one._replace(relation="new " + one.relation) for one in part] for part in item[:2]))
        for item in items
    ]
    first, second = outcome.per_class(), counted(renamed).per_class()
    assert all((getattr(first, name) == getattr(second, name)).all() for name in ("tp", "fp", "fn"))
    same = counted([TripleItem(item.gold, item.gold) for item in items]).per_class()
    assert (same.fp == 0).all() and (same.fn == 0).all()


@given(items=DOCUMENTS)
def test_items_in_python_are_those_of_a_file(items) -> None:
    plain = [
        tuple([(one.head, one.relation, one.tail) for one in part] for part in item[:2]) for item in items
    ]
    assert (
        score_triples(plain).to_dict()
        == score_triples([(item.gold, item.predicted) for item in items]).to_dict()
    )


@pytest.mark.parametrize("triple", [("Ada", "left"), "abc"])
def test_a_triple_in_python_has_three_parts(triple) -> None:
    with pytest.raises(ValueError, match=r"item 1, predicted triples: \(head, relation, tail\) is expected"):
        score_triples([([("Ada", "left", "Rome")], [triple])])


class TestCompare:
    """A has two items right, B has the second one only; under last-token A has the third one, too."""

    A = [[["Ada", "left", "Rome"]], [["Bo", "of", "Oslo"]], [["Cy", "left", "Old Rome"]]]
    B = [[["Ada", "left", "Oslo"]], [["Bo", "of", "Oslo"]], []]
    GOLD = [A[0], A[1], [["Cy", "left", "Rome"]]]

    @pytest.fixture
    def files(self, tmp_path):
        items = {
            name: [{"id": n, "gold": self.GOLD[n], "predicted": said[n]} for n in order]
            for name, said, order in (("a", self.A, (0, 1, 2)), ("b", self.B, (2, 0, 1)))
        }
        return [write(tmp_path, own, f"{name}.jsonl") for name, own in items.items()]

    @pytest.mark.parametrize("options", [{}, {"match": "last-token"}, {"match": "pair", "normalise": True}])
    def test_each_score_is_what_the_file_has_alone(self, files, options):
        for row in compare_files(files, replicates=50, **options).to_dict("records"):
            for path, column in zip(files, ("score_first", "score_second"), strict=True):
                alone = score_triples(path, **options).schemes[row["scheme"]]["f1"]
                assert row[column] == pytest.approx(alone, abs=1e-12)
            assert row["n"] == 3 and row["low"] <= row["difference"] <= row["high"]
            assert row["signature"].endswith(score_triples(path, **options).signature.partition("|v:")[2][3:])

    def test_items_are_drawn_for_both_and_a_file_does_not_differ_from_itself(self, files):
        (row,) = compare_files([files[0]] * 2, replicates=50, schemes=["micro"]).to_dict("records")
        assert (row["difference"], row["low"], row["high"], row["p"]) == (0, 0, 0, 1)

    def test_other_gold_triples_items_and_options_are_refused(self, files, tmp_path):
        other = [{"id": n, "gold": self.A[n], "predicted": []} for n in range(3)]
        with pytest.raises(ValueError, match="gold labels differ at id '2'.*b2.jsonl"):
            compare_files([files[0], write(tmp_path, other, "b2.jsonl")])
        with pytest.raises(ValueError, match="2 of the 3 ids of .*a.jsonl are missing"):
            compare_files([files[0], write(tmp_path, other[:1], "b3.jsonl")])
        for options in ({"negative": "NA"}, {"task": "semeval2010"}, {"off_list": "skip"}):
            with pytest.raises(ValueError, match=f"a.jsonl: {next(iter(options))} is of no use with triples"):
                compare_files(files, **options)
        with pytest.raises(ValueError, match="no true negatives"):
            compare_files(files, score="mcc")

    def test_the_command(self, files, capsys):
        words = ["compare", *map(str, files), "--bootstrap", "200", "--scheme", "micro"]
        assert main([*words, "--fail-under", "micro=-1"]) == 0
        assert "To report: On the same 3 items a and b have F1" in capsys.readouterr().out
        assert main([*words, "--format", "latex", "--fail-under", "micro=0.9"]) == 1
        out, err = capsys.readouterr()
        assert "per cent of 3 items" in out and "under +90.00" in err and len(err.splitlines()) == 1
        assert main([*words, "--fail-under", "macro=0"]) == 2
        assert "unknown scheme of this comparison 'macro'" in capsys.readouterr().err
        gold = write(
            files[0].parent, [{"id": n, "triples": own} for n, own in enumerate(self.GOLD)], "g.jsonl"
        )
        assert main([*words, "--gold", str(gold), "--match", "last-token"]) == 0
        assert "|match:last-token" in capsys.readouterr().out
