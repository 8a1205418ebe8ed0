"""The registry of models: what loads no torch, learning rates, and the settings that papers give."""

import json
import shutil
import subprocess
import sys
from dataclasses import asdict

import pandas as pd
import pytest

from helpers import ROOT
from helpers.models import MODELS, build, default_settings, full_options, register_model
from helpers.models.base import Settings
from helpers.models.entity_markers import EntityMarkersCls


def test_a_network_of_ones_own_has_settings_and_is_built_by_its_name(tiny_bert) -> None:
    register_model("other", EntityMarkersCls)
    try:
        model = build("other", str(tiny_bert), ["a", "b"], default_settings("other"), 1)
    finally:
        del MODELS["other"]
    assert isinstance(model, EntityMarkersCls) and model.labels == ("a", "b")


@pytest.mark.parametrize("name", MODELS)
def test_every_default_may_be_given(name) -> None:
    """As a model around another one does; a default may be None, which no other value of its kind is."""
    bases = [base for base in MODELS if not MODELS[base].wraps] if MODELS[name].wraps else [None]
    for base in bases:
        options = full_options(name, {"base": base} if base else {})
        assert full_options(name, options) == options


def test_an_experiment_and_a_baseline_load_no_torch() -> None:
    code = "from helpers.experiments import Experiment\nfrom helpers.models.baselines import Majority\n"
    code += "import sys\nExperiment('em-c').resolved(), Majority(['a'])\nprint('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.parametrize(
    ("warmup", "schedule", "expected"),
    [
        (0, "linear", [1.0, 0.8, 0.6, 0.4, 0.2]),
        (2, "linear", [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
        (0.4, "linear", [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
        (0.5, "linear", [0.4, 0.8, 1.0, 0.8, 0.4]),
        (10, "linear", [0.1, 0.2, 0.3, 0.4, 0.5]),
        (2, "constant", [0.5, 1.0, 1.0, 1.0, 1.0]),
    ],
)
def test_learning_rates(warmup, schedule, expected) -> None:
    settings = Settings(learning_rate=1.0, warmup=warmup, schedule=schedule)
    assert [settings.rate(step, 5) for step in range(5)] == pytest.approx(expected)


def test_published_values(tiny_bert, tmp_path) -> None:
    """Every value of the published settings is that of the table, and the table has a row for each."""
    wide = shutil.copytree(tiny_bert, tmp_path / "wide")
    config = json.loads((wide / "config.json").read_text())
    (wide / "config.json").write_text(json.dumps(config | {"hidden_size": 1024}))
    table = pd.read_csv(ROOT / "results/published/settings.csv", dtype=str, keep_default_na=False)
    for row in table.itertuples():
        if row.setting.startswith("option "):
            option = row.setting.removeprefix("option ")
            assert str(full_options(row.model, {option: row.value})[option]).lower() == row.value, row
            continue
        settings = default_settings(row.model, row.settings, str(wide if row.encoder else tiny_bert))
        assert settings == settings.changed({row.setting: row.value}), row
    named = {(row.settings, row.model, row.encoder, row.setting) for row in table.itertuples()}
    usual = asdict(Settings())
    for name, entry in MODELS.items():
        for paper in entry.settings.keys() - {"standard"}:
            base, large = (asdict(default_settings(name, paper, str(folder))) for folder in (tiny_bert, wide))
            assert all((paper, name, "", key) in named for key in base if base[key] != usual[key])
            assert all((paper, name, "large", key) in named for key in base if base[key] != large[key])
    assert set(table["stated"]) == {"yes", "code", "no"} and table["source"].all()
