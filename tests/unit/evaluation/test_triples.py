"""Sets of triples: real predictions under the match rules, every form of file, and what cannot be read."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.data import Triple, TripleItem, read_triples, search_folders
from helpers.evaluation import compare_files, score_triples
from helpers.evaluation.triples import ItemSets, _triple_sets

ITEMS = [
    {"gold": [["Ada", "left", "Rome"], ["Bo", "of", "Rome"]], "predicted": [["Ada", "left", "Rome"]]},
    {"gold": [["Cy", "left", "the Oslo"]], "predicted": [["Cy", "left", "Oslo"], ["Cy", "left", "Oslo"]]},
]


@pytest.fixture
def write(tmp_path):
    def to_file(items, name="a.jsonl"):
        (tmp_path / name).write_text("".join(json.dumps(item) + "\n" for item in items))
        return tmp_path / name

    return to_file


def numbers(report):
    rows = report.per_class.values()
    return tuple(sum(row[key] for row in rows) for key in ("support", "predicted", "correct"))


SCORES = {"micro": 77.94, "weighted": 76.72, "dodrans": 75.07, "macro": 63.70}
REAL = [("exact", (8120, 6804, 5816), SCORES), ("last-token", (8110, 6775, 5817), {"micro": 78.16})]
REAL += [("pair", (6775, 6804, 5874), {"micro": 86.52})]


@pytest.mark.parametrize(("match", "counted", "scores"), REAL)
def test_golden_values_of_real_predictions(match, counted, scores) -> None:
    files = [folder / "nyt24/JointER_predictions/best_test_results.json" for folder in search_folders()]
    path = next((path for path in files if path.is_file()), None) or pytest.skip("JointER's are not here")
    report = score_triples(path, match=match)
    assert numbers(report) == counted and report.n == 5000
    assert {name: 100 * report.schemes[name]["f1"] for name in scores} == pytest.approx(scores, abs=0.005)


def test_the_rules_on_a_small_case(write) -> None:
    path = write(ITEMS)
    assert numbers(score_triples(path)) == (3, 2, 1)
    for rules in ({"normalise": True}, {"match": "last-token"}, {"match": "relation"}):
        assert numbers(score_triples(path, **rules)) == (3, 2, 2)
    report = score_triples(path, replicates=200)
    recipe = "f1|labels:supported|zero_support:skip|decision:given|n:2|labels_n:2|v:0.1|match:exact"
    assert report.signature == f"{recipe}|bootstrap:percentile,200,seed1,95"
    micro = report.schemes["micro"]
    assert micro["low"] <= micro["f1"] <= micro["high"]
    assert "accuracy" not in report.to_dict() and "accuracy" not in report.scores()
    assert report.to_text().startswith("2 items · triples: gold 3 · predicted 2 · right 1 · ")


def test_boundaries_match_by_spans_and_strict_by_types_too() -> None:
    gold = Triple("r", "a", "b", (0, 1), (2, 3), "PER", "LOC")
    cases = (("tail", "c", 1, 1), ("head_span", (0, 2), 0, 0))
    cases += (("head_type", "ORG", 0, 1), ("tail_type", "ORG", 0, 1))
    for field, value, *right in cases:
        items = [([gold], [gold._replace(**{field: value})])]
        assert [numbers(score_triples(items, match=rule))[2] for rule in ("strict", "boundaries")] == right
        if field.endswith("type"):
            with pytest.raises(ValueError, match="item 1, predicted triples: strict needs the types"):
                score_triples([([gold], [gold._replace(**{field: None})])], match="strict")
    with pytest.raises(ValueError, match="some heads and tails have spans, others have none"):
        score_triples([([gold._replace(tail_span=None)], [])], match="strict")


def test_every_form_gives_the_same_items(write, tmp_path) -> None:
    expected = read_triples(write(ITEMS))

    def parts(triple):
        return {"subject": triple[0], "predicate": triple[1], "object": {"name": triple[2]}}

    def generated(triples):
        return " ".join(f"<triplet> {head} <subj> {tail} <obj> {name}" for head, name, tail in triples)

    for items in (
        [{"truth": [*map(parts, item["gold"])], "predict": item["predicted"]} for item in ITEMS],
        [{"triple_list": item["gold"], "output": generated(item["predicted"])} for item in ITEMS],
        [{key: json.dumps(triples) for key, triples in item.items()} for item in ITEMS],
        [item | {"predicted": item["predicted"] or "<s></s><pad>"} for item in ITEMS],
    ):
        assert read_triples(write(items)) == expected
    (tmp_path / "a.json").write_text(json.dumps(ITEMS))
    cells = ['","'.join(json.dumps(item[key]).replace('"', '""') for key in item) for item in ITEMS]
    (tmp_path / "a.csv").write_text("\n".join(["gold,predicted", *(f'"{row}"' for row in cells)]))
    assert read_triples(tmp_path / "a.json") == read_triples(tmp_path / "a.csv") == expected
    mine = write([{"id": n, "triples": ITEMS[n]["predicted"]} for n in (1, 0)], "mine.jsonl")
    items = read_triples(mine, write([{"id": n, "triples": ITEMS[n]["gold"]} for n in (0, 1)], "gold.jsonl"))
    assert [item[:2] for item in items] == [item[:2] for item in expected]
    assert [item.id for item in items] == ["0", "1"]


ABC = [["a", "r", "b"]]
SPAN = {"text": "a", "span": [0, 1]}
SPANS = {"gold": [[SPAN, "r", SPAN]], "predicted": []}
OUTSIDE = {"text": "a", "gold": [[SPAN, "r", {"span": [1, 5]}]], "predicted": []}


@pytest.mark.parametrize(
    ("item", "options", "said"),
    [
        ({"predicted": []}, {}, "there is no key 'gold'"),
        ({"gold": [["a", "r"]], "predicted": []}, {}, "line 2: key 'gold': triple 1: head, relation"),
        ({"gold": [], "predicted": [["a", "r", 3]]}, {}, "line 2: key 'predicted': triple 1: tail is 3"),
        ({"gold": [], "predicted": [["a", " ", "b"]]}, {}, "triple 1: the relation is empty"),
        ({"gold": [*ABC, {"h": "a"}], "predicted": []}, {}, "triples in two forms"),
        ({"gold": [{"h": "a", "r": "r"}], "predicted": []}, {}, "triple 1: there is no tail"),
        ({"gold": "<triplet> a", "predicted": ""}, {}, "line 2: key 'gold': .* is incomplete"),
        ({"gold": {"a": 1}, "predicted": []}, {}, "a list of triples is expected"),
        ({"gold": ABC, "predicted": "none"}, {}, "key 'predicted': a JSON list of triples, or"),
        (OUTSIDE, {}, r"the span of tail is \[1, 5\], outside of the text of length 1"),
        (SPANS, {"match": "boundaries"}, "item 1, gold .* others have"),
        ({"gold": ABC, "predicted": ABC}, {"match": "strict"}, "item 1, gold triples: strict needs the t"),
        ({"gold": ABC, "predicted": ABC}, {"score": "mcc"}, "no true negatives, so there is no mcc"),
    ],
)
def test_bad_items_are_refused_with_file_item_and_key(write, item, options, said) -> None:
    path = write([{"gold": ABC, "predicted": ABC}, item])
    with pytest.raises(ValueError, match=said) as error:
        score_triples(path, **options)
    assert str(path) in str(error.value)


def test_bad_files_items_and_rules_are_refused(write) -> None:
    mine, gold = (write([{"id": n, "triples": ABC}], f"{n}.jsonl") for n in (1, 2))
    three = r"item 1, predicted triples: \(head, relation, tail\) is expected"
    for arguments, said in (
        ([write([], "a.jsonl")], "no JSON object"),
        ([write([{"gold": [], "predicted": []}], "b.jsonl")], "there is no gold triple"),
        ([write([{"gold": [], "truth": [], "predicted": []}], "c.jsonl")], "which key has gold triples"),
        ([write([{"predicted": []}], "d.jsonl")], "no key of gold triples is recognised.*--gold FILE"),
        ([mine, gold], "1 ids of .*2.jsonl are missing, the first is '2'"),
        ([[(ABC, [("Ada", "left")])]], three),
        ([[(ABC, ["abc"])]], three),
        ([[]], "there is no gold triple"),
    ):
        with pytest.raises(ValueError, match=said):
            score_triples(*arguments)
    with pytest.raises(ValueError, match="unknown match 'exakt'; did you mean 'exact'"):
        score_triples(mine, match="exakt")


NAMES = st.sampled_from(["Ada", "Bo", "Rome", "the Hague"])
SETS = st.lists(st.builds(Triple, st.sampled_from("rst"), NAMES, NAMES), max_size=4)
DOCUMENTS = st.lists(st.builds(TripleItem, SETS, SETS), min_size=1, max_size=5)
DOCUMENTS = DOCUMENTS.filter(lambda items: any(item.gold for item in items))


@given(items=DOCUMENTS, match=st.sampled_from(["exact", "last-token", "pair", "relation"]), data=st.data())
def test_order_duplicates_and_names_change_nothing(items, match, data) -> None:
    outcome = ItemSets(_triple_sets(items, match, False)).outcome()
    moved = data.draw(st.permutations(items))
    moved = [TripleItem(*(data.draw(st.permutations(triples * 2)) for triples in item[:2])) for item in moved]
    assert ItemSets(_triple_sets(moved, match, False)).outcome() == outcome
    renamed = [
        TripleItem(*([each._replace(relation=f"new {each.relation}") for each in part] for part in item[:2]))
        for item in items
    ]
    first, second = outcome.per_class(), ItemSets(_triple_sets(renamed, match, False)).outcome().per_class()
    assert all((getattr(first, name) == getattr(second, name)).all() for name in ("tp", "fp", "fn"))
    right = [TripleItem(item.gold, item.gold) for item in items]
    same = ItemSets(_triple_sets(right, match, False)).outcome().per_class()
    assert (same.fp == 0).all() and (same.fn == 0).all()
    plain = [tuple([(t.head, t.relation, t.tail) for t in part] for part in item[:2]) for item in items]
    pairs = [(item.gold, item.predicted) for item in items]
    assert score_triples(plain).to_dict() == score_triples(pairs).to_dict()


class TestCompare:
    """A has two items right, B has the second one only; under last-token A has the third one, too."""

    A = [[["Ada", "left", "Rome"]], [["Bo", "of", "Oslo"]], [["Cy", "left", "Old Rome"]]]
    B = [[["Ada", "left", "Oslo"]], [["Bo", "of", "Oslo"]], []]
    GOLD = [A[0], A[1], [["Cy", "left", "Rome"]]]

    @pytest.fixture
    def files(self, write):
        systems = (("a", self.A, (0, 1, 2)), ("b", self.B, (2, 0, 1)))
        return [
            write([{"id": n, "gold": self.GOLD[n], "predicted": said[n]} for n in order], f"{name}.jsonl")
            for name, said, order in systems
        ]

    @pytest.mark.parametrize("options", [{}, {"match": "last-token"}, {"match": "pair", "normalise": True}])
    def test_each_score_is_what_the_file_has_alone(self, files, options):
        alone = [score_triples(path, **options) for path in files]
        for row in compare_files(files, replicates=50, **options).rows():
            for report, column in zip(alone, ("score_first", "score_second"), strict=True):
                assert row[column] == pytest.approx(report.schemes[row["scheme"]]["f1"], abs=1e-12)
            assert row["n"] == 3 and row["low"] <= row["difference"] <= row["high"]
            assert row["signature"].endswith(alone[0].signature.partition("|v:")[2][3:])
        table = compare_files([files[0]] * 2, replicates=50, **options).to_frame()  # items are drawn for both
        assert not table[["difference", "low", "high"]].any().any() and (table["p"] == 1).all()

    def test_other_gold_triples_items_and_options_are_refused(self, files, write):
        other = [{"id": n, "gold": self.A[n], "predicted": []} for n in range(3)]
        with pytest.raises(ValueError, match="gold labels differ at id '2'.*b2.jsonl"):
            compare_files([files[0], write(other, "b2.jsonl")])
        with pytest.raises(ValueError, match="2 of the 3 ids of .*a.jsonl are missing"):
            compare_files([files[0], write(other[:1], "b3.jsonl")])
        for options in ({"negative": "NA"}, {"task": "semeval2010"}, {"off_list": "skip"}):
            with pytest.raises(ValueError, match=f"a.jsonl: {next(iter(options))} is of no use with triples"):
                compare_files(files, **options)

    def test_the_command(self, files, write, call):
        words = ["compare", *files, "--bootstrap", "200", "--scheme", "micro"]
        code, out, _ = call(*words, "--fail-under", "micro=-1")
        assert code == 0 and "To report: On the same 3 items a and b have F1" in out
        code, out, err = call(*words, "--format", "latex", "--fail-under", "micro=0.9")
        assert code == 1 and "per cent of 3 items" in out
        assert "under +90.00" in err and len(err.splitlines()) == 1
        code, _, err = call(*words, "--fail-under", "macro=0")
        assert code == 2 and "unknown scheme of this comparison 'macro'" in err
        gold = write([{"id": n, "triples": triples} for n, triples in enumerate(self.GOLD)], "g.jsonl")
        code, out, _ = call(*words, "--gold", gold, "--match", "last-token")
        assert code == 0 and "|match:last-token" in out
