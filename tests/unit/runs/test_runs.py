"""Run files: whole or absent, checked on the way in and out, readable in a diff."""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.core import files
from helpers.metrics import FactRanking, MultilabelOutcome, Outcome, fact_scores
from helpers.runs import (
    ConfusionRows,
    RankedFacts,
    Run,
    different_fields,
    environment,
    list_runs,
    load_run,
    safe_name,
    save_run,
    variant_name,
)
from helpers.runs.files import run_text

LABELS = ("Other", "r(e1,e2)", "r(e2,e1)")
ROWS = ((0, 0, 5), (1, 1, 7), (1, 2, 1))


def make(**changes) -> Run:
    """A complete run with the changes."""
    run = Run(
        dataset="demo",
        split="test",
        model="EM-C",
        labels=LABELS,
        table=ConfusionRows(rows=ROWS),
        negative="Other",
        files={"test.tsv": "ab" * 32},
        encoder="embedded/mini lm",
        encoder_sha256="cd" * 32,
        options={"filters": 230},
        versions={"model em-c": 1, "data set demo": 1},
        licence="MIT",
        seed=9,
        profile="standard",
        hyperparameters={"learning_rate": 2e-5, "epochs": 5},
        environment={"python": "3.11.2"},
        wall_seconds=1.5,
        sentences_per_second=100.0,
    )
    return dataclasses.replace(run, **changes)


def facts(**changes) -> RankedFacts:
    """Three of four facts found among five predicted ones."""
    kept = {"facts_of_relation": (0, 3, 1), "relations": (1, 1, 2, 1, 2), "pairs": (0, 1, 1, 2, 3)}
    kept |= {"length": 5, "hit_ranks": (1, 2, 4), "scores": (0.9, 0.8, 0.8, 0.3, 0.1)}
    return RankedFacts(level="bag", facts=4, **kept | changes)


def outcomes(rng: np.random.Generator) -> dict[str, Run]:
    """A run of each kind."""
    gold, first, second = (rng.choice(LABELS, 500) for _ in range(3))
    both = Outcome.from_columns(gold, first, paired=second, labels=LABELS)
    compared = Outcome.from_columns(gold, first, second=second, labels=LABELS)
    truth, guess, other = (rng.random((60, 3)) < 0.4 for _ in range(3))
    scored = MultilabelOutcome.from_scores(truth, guess - 0.5 + 0.1 * other, 3, labels=LABELS, keep_sets=True)
    kept = {
        "confusion": (Outcome.from_columns(gold, first, labels=LABELS), {}),
        "paired": (both, {}),
        "compared": (compared, {"second": "B", "model": "A+B"}),
        "label sets": (scored, {"train_support": (5, 4, 3), "facts": {"problems": 3}, "cost": {"s": 1.5}}),
        "label pairs": (Outcome.from_sets(truth, guess, LABELS, second=other), {"second": "B"}),
        "facts": (facts(), {"labels": LABELS, "negative": "Other"}),
        "known ranks": (
            RankedFacts(level="bag", facts=9, length=8, hit_ranks=(2, 2, 3, 7), unknown=((1, 1), (5, 6))),
            {"labels": LABELS},
        ),
        "bare facts": (RankedFacts(level="sentence", facts=0, length=0, hit_ranks=()), {"labels": LABELS}),
    }
    return {
        name: Run.from_outcome(one, **{"dataset": "demo", "model": "m"} | more)
        for name, (one, more) in kept.items()
    }


class TestRoundTrip:
    def test_everything_is_kept(self, tmp_path):
        run = make(variant="epochs-5", history={"losses": [2.5, 1.5]}, facts={"a": 1}, cost={"b": {"c": 0.5}})
        path = save_run(run, tmp_path)
        assert path == tmp_path / "demo" / "EM-C+epochs-5" / "embedded-mini-lm" / "seed-9.json"
        assert load_run(path) == run
        assert (load_run(path).n, load_run(path).name) == (13, "EM-C epochs-5")

    def test_outcomes_of_every_kind_come_back(self, tmp_path, rng):
        for name, run in outcomes(rng).items():
            loaded = load_run(save_run(run, tmp_path / name))
            assert loaded == run and loaded.outcome() == run.outcome(), name
            assert run_text(loaded) == run_text(run)
            assert max(map(len, run_text(run).splitlines())) <= 100

    def test_a_ranking_comes_back(self, tmp_path, rng):
        scores, gold = rng.random((60, 4)), rng.random((60, 4)) < 0.2
        labels = ("a", "NA", "b", "c")
        ranking = FactRanking.from_matrix(scores, gold, labels, "NA")
        pairs = np.repeat(np.arange(60), 3)[np.argsort(-scores[:, [0, 2, 3]].ravel(), kind="stable")]
        kept = RankedFacts.from_ranking(ranking, labels=labels, pairs=pairs, decimals=3)
        run = Run.from_outcome(kept, dataset="d", model="m", labels=labels, negative="NA")
        again = load_run(save_run(run, tmp_path)).outcome().ranking(labels, "NA")
        for name in ("ranks", "true_positives", "hits", "relations", "facts_of_relation"):
            assert np.array_equal(getattr(again, name), getattr(ranking, name)), name
        assert (again.labels, again.facts) == (ranking.labels, ranking.facts)
        assert np.abs(again.scores - ranking.scores).max() <= 5e-4
        assert run.outcome().pairs[0] == scores[:, [0, 2, 3]].argmax() // 3
        assert fact_scores(again) == pytest.approx(fact_scores(ranking), abs=5e-4, nan_ok=True)
        assert RankedFacts.from_ranking(again, labels=labels, pairs=pairs) == kept

    @given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), min_size=1, max_size=30))
    def test_a_curve_with_gaps_comes_back(self, steps):
        ranks = np.cumsum([step for step, _ in steps])
        found = np.cumsum([hit * step for step, hit in steps])
        ranking = FactRanking(ranks, found, int(found[-1]) + 2)
        kept = RankedFacts.from_ranking(ranking).counted(())
        again = kept.ranking()
        assert again.ranks.tolist() == ranks.tolist() and again.true_positives.tolist() == found.tolist()
        assert again.auc() == ranking.auc() and kept.length == len(ranking)

    def test_what_an_outcome_does_not_have_is_refused(self, rng):
        table = Outcome.from_columns(["a"], ["a"])
        with pytest.raises(ValueError, match="the outcome is of one system; second is 'B'"):
            Run.from_outcome(table, dataset="d", model="m", second="B")
        truth = rng.random((9, 3)) < 0.5
        bare = MultilabelOutcome.from_scores(truth, truth - 0.5, 2)
        with pytest.raises(ValueError, match="keep_sets=True"):
            Run.from_outcome(bare, dataset="d", model="m")

    @settings(max_examples=100)
    @given(
        st.dictionaries(st.tuples(*[st.integers(0, 4)] * 3), st.integers(0, 2**40), max_size=40),
        st.booleans(),
    )
    def test_any_counts_come_back(self, counts, compared):
        rows = [(*entry, count) for entry, count in counts.items()]
        second = {"second": "B"} if compared else {}
        run = Run.from_outcome(
            Outcome.from_rows(rows, range(5), ("gold", "predicted", "second" if compared else "paired")),
            dataset="d",
            model="m",
            **second,
        )
        record = json.loads(run_text(run))
        assert sum(row[-1] for row in record["outcome"]["rows"]) == sum(counts.values()) == run.n


class TestText:
    def test_layout_is_stable_and_rows_are_compact(self, tmp_path):
        rows = tuple((i, j, 10 * i + j) for i in range(3) for j in range(3))
        run = make(table=ConfusionRows(rows=rows), hyperparameters={"b": 1, "a": 2})
        path = save_run(run, tmp_path)
        text = path.read_text("utf-8")
        packed = ", ".join(str(list(row)).replace(" ", "") for row in rows)
        assert text.endswith(f'    "kind": "confusion",\n    "rows": [\n      {packed}\n    ]\n  }}\n}}\n')
        assert text.index('"a": 2') < text.index('"b": 1')
        assert list(json.loads(text))[:3] == ["schema_version", "dataset", "split"]
        other = save_run(dataclasses.replace(run, hyperparameters={"a": 2, "b": 1}), tmp_path / "again")
        assert other.read_bytes() == path.read_bytes()


class TestPath:
    def test_variants_are_what_is_not_usual(self):
        usual = {"learning_rate": 1e-4, "epochs": 5, "marker_vectors": "random", "warmup": 0}
        assert variant_name(usual | {"learning_rate": 2e-4, "warmup": 0.0}, usual) == "learning_rate-0.0002"
        assert variant_name(usual | {"warmup": 2.0}, usual) == variant_name(usual | {"warmup": 2}, usual)
        both = usual | {"marker_vectors": "mean", "epochs": 3, "layer_norm": True}
        assert variant_name(both, usual) == "epochs-3+marker_vectors-mean+layer_norm-True"
        long = [variant_name({"words": "x" * 300 + end}, {}) for end in "ab"]
        assert len(set(long)) == 2 and max(map(len, long)) < 200

    @pytest.mark.parametrize("name", ["..", "a/../b", "../a", "/..", "", "///", "..\\a", ".", "—"])
    def test_names_that_lead_out_are_refused(self, name):
        with pytest.raises(ValueError, match="cannot be part of a path"):
            safe_name(name)


class TestConfiguration:
    def test_another_one_is_not_overwritten(self, tmp_path):
        path = save_run(make(), tmp_path)
        before = path.read_bytes()
        other = make(hyperparameters={"learning_rate": 3e-5, "epochs": 5})
        with pytest.raises(FileExistsError, match=r"another configuration \(hyperparameters\)"):
            save_run(other, tmp_path)
        assert path.read_bytes() == before
        save_run(other, tmp_path, overwrite=True)
        assert load_run(path) == other

    def test_what_was_found_is_none_of_it(self, tmp_path):
        found = {"wall_seconds": 9.0, "environment": {"python": "3.13"}, "licence": ""}
        again = make(table=ConfusionRows(rows=((0, 0, 1),)), **found)
        assert not different_fields(make(), again)
        assert make().configuration_sha256 == again.configuration_sha256
        save_run(make(), tmp_path)
        assert load_run(save_run(again, tmp_path)).wall_seconds == 9.0
        changes = {
            "seed": 148,
            "files": {},
            "profile": "paper",
            "variant": "v",
            "options": {"filters": 8},
            "versions": {"model em-c": 2, "data set demo": 1},
            "negative": None,
            "source": "s",
        }
        for key, value in changes.items():
            assert different_fields(make(), make(**{key: value})) == [key]
            assert make().configuration_sha256 != make(**{key: value}).configuration_sha256
        fewer = make(labels=("Other",), negative=None, table=ConfusionRows(rows=((0, 0, 1),)))
        assert different_fields(make(), fewer) == ["labels", "negative"]

    def test_a_configuration_that_was_edited_is_noticed(self, tmp_path):
        path = save_run(make(), tmp_path)
        path.write_text(path.read_text().replace('"epochs": 5', '"epochs": 6'))
        with pytest.raises(
            ValueError, match=r"configuration_sha256 is '\w+…?'; that of the configuration is"
        ):
            load_run(path)


def test_an_interrupted_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = save_run(make(), tmp_path)
    before = path.read_bytes()

    def broken(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(files.os, "replace", broken)
    with pytest.raises(KeyboardInterrupt):
        save_run(make(wall_seconds=2.0), tmp_path)
    assert path.read_bytes() == before
    assert os.listdir(path.parent) == ["seed-9.json"]


class TestList:
    def test_filters_and_orders(self, tmp_path):
        for seed in (687, 9, 148):
            save_run(make(seed=seed), tmp_path)
        save_run(make(model="A"), tmp_path)
        save_run(make(variant="epochs-3", seed=9), tmp_path)
        save_run(make(dataset="zeta", seed=None, encoder=None, profile=None), tmp_path)
        found = list_runs(folder=tmp_path)
        order = [("demo", "A", 9), *(("demo", "EM-C", seed) for seed in (9, 148, 687))]
        order += [("demo", "EM-C epochs-3", 9), ("zeta", "EM-C", None)]
        assert [(run.dataset, run.name, run.seed) for run in found] == order
        assert [run.seed for run in list_runs("demo", "EM-C", variant="", folder=tmp_path)] == [9, 148, 687]
        assert list_runs(profile="paper", folder=tmp_path) == list_runs("..", folder=tmp_path) == []
        assert [run.dataset for run in list_runs(model="EM-C", folder=tmp_path)][-1] == "zeta"
        assert len(list_runs(kind="confusion", folder=tmp_path)) == 6
        assert list_runs(kind="facts", folder=tmp_path) == []


class TestProvenance:
    def test_the_environment_is_a_json_value_and_imports_no_torch(self):
        assert json.loads(json.dumps(environment())) == environment()
        code = (
            "import sys; from helpers.runs import environment; found = environment();"
            "assert 'torch' not in sys.modules and 'torch' not in found['versions'];"
            "assert found['device'] == 'cpu' and 'numpy' in found['versions']"
        )
        subprocess.run([sys.executable, "-c", f"import numpy; {code}"], check=True)
