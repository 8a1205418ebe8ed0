"""Run files: whole or absent, checked on the way in and out, readable in a diff."""

import dataclasses
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from helpers.core import files
from helpers.metrics.counts import Confusion, PairedOutcomes
from helpers.runs.runs import (
    COMPARED,
    CONFUSION,
    PAIRED,
    Run,
    different_fields,
    environment,
    list_runs,
    load_run,
    run_path,
    safe_name,
    same_configuration,
    save_run,
)

LABELS = ("Other", "r(e1,e2)", "r(e2,e1)")


def make(**changes) -> Run:
    """A complete run with the changes."""
    run = Run(
        dataset="demo",
        split="test",
        model="EM-C",
        labels=LABELS,
        rows=((0, 0, 5), (1, 1, 7), (1, 2, 1)),
        negative="Other",
        files={"test.tsv": "ab" * 32},
        encoder="embedded/mini lm",
        encoder_sha256="cd" * 32,
        seed=9,
        profile="quick",
        hyperparameters={"learning_rate": 2e-5, "epochs": 5},
        environment={"python": "3.11.2"},
        wall_seconds=1.5,
        sentences_per_second=100.0,
    )
    return dataclasses.replace(run, **changes)


def test_round_trip_keeps_everything(tmp_path):
    run = make()
    path = save_run(run, tmp_path)
    assert path == tmp_path / "demo" / "EM-C" / "embedded-mini-lm" / "seed-9.json"
    assert load_run(path) == run
    assert load_run(path).n == 13


def test_outcomes_come_back(tmp_path, rng):
    gold, first, second = (rng.choice(LABELS, 500) for _ in range(3))
    both = PairedOutcomes.from_arrays(gold, first, second, LABELS)
    kinds = ((Confusion.from_arrays(gold, first, LABELS), CONFUSION), (both, PAIRED), (both, COMPARED))
    for outcome, columns in kinds:
        run = Run.from_outcome(outcome, columns=columns, dataset="demo", split="test", model="m")
        loaded = load_run(save_run(run, tmp_path, overwrite=True))
        assert loaded.outcome() == outcome and loaded.columns == columns
    assert Run.from_outcome(both, dataset="demo", split="test", model="m").columns == PAIRED
    with pytest.raises(
        ValueError, match="Confusion does not fit the columns gold, predicted, predicted_paired"
    ):
        Run.from_outcome(kinds[0][0], columns=PAIRED, dataset="demo", split="test", model="m")


def test_numpy_numbers_are_written_as_numbers(tmp_path):
    run = make(seed=np.int64(9), hyperparameters={"c": np.float64(0.5)})
    assert load_run(save_run(run, tmp_path)).hyperparameters == {"c": 0.5}
    with pytest.raises(ValueError, match="no JSON value"):
        save_run(make(hyperparameters={"f": object()}), tmp_path)


def test_layout_is_stable_and_rows_are_compact(tmp_path):
    rows = tuple((i, j, 10 * i + j) for i in range(3) for j in range(2))
    path = save_run(make(rows=rows, hyperparameters={"b": 1, "a": 2}), tmp_path)
    text = path.read_text("utf-8")
    assert text.endswith('"rows": [\n    ' + ", ".join(str(list(row)) for row in rows) + "\n  ]\n}\n")
    assert text.index('"a": 2') < text.index('"b": 1')
    assert list(json.loads(text))[:3] == ["schema_version", "dataset", "split"]
    other = save_run(make(rows=rows, hyperparameters={"a": 2, "b": 1}), tmp_path / "again")
    assert other.read_bytes() == path.read_bytes()
    cells = tuple((i, j, 1000) for i in range(60) for j in range(60))
    many = make(rows=cells, labels=tuple(range(60)), negative=None)
    lines = save_run(many, tmp_path, overwrite=True).read_text("utf-8").splitlines()
    assert max(map(len, lines)) <= 110 and len(lines) < 900


def test_without_seed_encoder_or_test_split():
    run = make(seed=None, encoder=None, split="dev")
    assert run_path(run, "r").as_posix() == "r/demo-dev/EM-C/published/predictions.json"


@pytest.mark.parametrize("name", ["..", "a/../b", "../a", "/..", "", "///", "..\\a", ".", "—"])
def test_names_that_lead_out_are_refused(name):
    with pytest.raises(ValueError, match="cannot be part of a path"):
        safe_name(name)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("google/bert", "google-bert"),
        ("a b", "a-b"),
        (".hidden", "hidden"),
        ("C-GCN (K=1)", "C-GCN-K-1"),
        ("v1.5", "v1.5"),
    ],
)
def test_safe_names(name, part):
    assert safe_name(name) == part


def test_another_configuration_is_not_overwritten(tmp_path):
    path = save_run(make(), tmp_path)
    before = path.read_bytes()
    other = make(hyperparameters={"learning_rate": 3e-5, "epochs": 5})
    with pytest.raises(FileExistsError, match=r"another configuration \(hyperparameters\)"):
        save_run(other, tmp_path)
    assert path.read_bytes() == before
    save_run(other, tmp_path, overwrite=True)
    assert load_run(path) == other


def test_two_names_in_one_path_do_not_overwrite_each_other(tmp_path):
    save_run(make(encoder="a b"), tmp_path)
    with pytest.raises(FileExistsError, match="encoder"):
        save_run(make(encoder="a/b"), tmp_path)


def test_same_configuration_ignores_what_was_found(tmp_path):
    again = make(rows=((0, 0, 1),), wall_seconds=9.0, environment={"python": "3.13"})
    assert same_configuration(make(), again)
    save_run(make(), tmp_path)
    assert load_run(save_run(again, tmp_path)).wall_seconds == 9.0
    changes = {"seed": 148, "files": {}, "labels": ("Other",), "negative": None, "profile": "paper"}
    for key, value in changes.items():
        assert different_fields(make(), make(**{key: value})) == [key]
        assert not same_configuration(make(), make(**{key: value}))


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


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema_version", 2, "schema_version is 2; this program reads version 1"),
        ("rows", [[0, 0]], r"rows\[0\] is \[0, 0\]; expected 2 positions and a count"),
        ("rows", [[0, 0, 1], [0, 3, 1]], r"rows\[1\] is \[0, 3, 1\]; positions go from 0 to 2"),
        ("rows", [[0, 0, -1]], r"rows\[0\].*non-negative whole numbers"),
        ("rows", [[0, 0, 1.0]], r"rows\[0\].*non-negative whole numbers"),
        ("rows", [[0, 0, True]], r"rows\[0\].*non-negative whole numbers"),
        ("rows", [[0, 0, 1], [0, 0, 2]], r"rows\[1\].*its cell is there already"),
        ("columns", ["gold"], r"columns is \['gold'\]; known are"),
        ("labels", ["a", "b", "a"], r"labels\[2\] is 'a', which is there already"),
        ("labels", ["a", None, "b"], r"labels\[1\] is None; a label is"),
        ("negative", "NA", "negative is 'NA', which is not in labels"),
        ("seed", "9", "seed is '9'; expected int or null"),
        ("seed", True, "seed is True; expected int or null"),
        ("model", None, "model is None; expected str"),
        ("files", {"a": 1}, r"files\['a'\] is 1; expected a sha256"),
    ],
)
def test_malformed_files_are_refused_by_name(tmp_path, key, value, message):
    path = save_run(make(), tmp_path)
    record = json.loads(path.read_text("utf-8"))
    record[key] = value
    path.write_text(json.dumps(record), "utf-8")
    with pytest.raises(ValueError, match=message) as error:
        load_run(path)
    assert str(path) in str(error.value)


def test_missing_and_unknown_keys_and_half_files(tmp_path):
    path = save_run(make(), tmp_path)
    text = path.read_text("utf-8")
    record = json.loads(text)
    for changed, message in (
        ({k: v for k, v in record.items() if k != "seed"}, "missing key seed"),
        (record | {"f1": 0.7}, "unknown key f1"),
        ([1], "this is a list"),
    ):
        path.write_text(json.dumps(changed), "utf-8")
        with pytest.raises(ValueError, match=message):
            load_run(path)
    path.write_text(text[: len(text) // 2], "utf-8")
    with pytest.raises(ValueError, match=r"seed-9.json, line \d+, column \d+: not JSON"):
        load_run(path)


def test_a_malformed_run_is_not_written(tmp_path):
    with pytest.raises(ValueError, match=r"rows\[0\]"):
        save_run(make(rows=((0, 9, 1),)), tmp_path)
    with pytest.raises(ValueError, match="Out of range float"):
        save_run(make(wall_seconds=float("nan")), tmp_path)
    assert not list(tmp_path.iterdir())


def test_list_runs_filters_and_orders(tmp_path):
    for seed in (687, 9, 148):
        save_run(make(seed=seed), tmp_path)
    save_run(make(model="A"), tmp_path)
    save_run(make(dataset="zeta", seed=None, encoder=None, profile=None), tmp_path)
    found = list_runs(folder=tmp_path)
    order = [("demo", "A", 9), ("demo", "EM-C", 9), ("demo", "EM-C", 148), ("demo", "EM-C", 687)]
    assert [(run.dataset, run.model, run.seed) for run in found] == [*order, ("zeta", "EM-C", None)]
    assert [run.seed for run in list_runs("demo", "EM-C", folder=tmp_path)] == [9, 148, 687]
    assert list_runs(profile="paper", folder=tmp_path) == []
    assert [run.dataset for run in list_runs(model="EM-C", folder=tmp_path)][-1] == "zeta"


def test_importing_runs_and_asking_for_the_environment_imports_no_torch():
    code = (
        "import sys; from helpers.runs.runs import environment; found = environment();"
        "assert 'torch' not in sys.modules and 'torch' not in found['versions'];"
        "assert found['device'] == 'cpu' and 'numpy' in found['versions']"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_environment_is_a_json_value():
    assert json.loads(json.dumps(environment())) == environment()
