"""The registry of models: a network with a tensor of its own, what costs no torch, settings and papers."""

import json
import shutil
import subprocess
import sys
from dataclasses import asdict

import pandas as pd
import pytest
import torch

from helpers import ROOT
from helpers.data import demo_corpus
from helpers.models import MODELS, build, check_options, default_settings, register_model, unregister_model
from helpers.models.entity_markers import EntityMarkersCls
from helpers.models.settings import Settings


class WithDistances(EntityMarkersCls):
    fills = {"distance": 99.0}

    def examples(self, samples):
        return [
            one._replace(extra={"distance": [abs(place - one.places[0]) for place in range(one.length)]})
            for one in super().examples(samples)
        ]

    def forward(self, batch):
        assert ((batch.extra["distance"] == 99) == (batch.mask == 0)).all()
        return super().forward(batch)


def test_a_network_with_a_tensor_of_its_own_is_built_by_its_name_and_trained(tiny_bert) -> None:
    samples = demo_corpus()["train"][:20]
    settings = Settings(epochs=2, batch_size=4, accumulate=2, learning_rate=1e-3, precision="fp32")
    register_model("other", WithDistances)
    try:
        model = build("other", str(tiny_bert), sorted({one.relation for one in samples}), settings, 1)
    finally:
        unregister_model("other")
    before = model.classifier.weight.detach().clone()
    history = model.fit(samples, progress=False)
    assert len(history.losses) == 2 and not torch.equal(before, model.classifier.weight)
    assert model.predict(samples, progress=False).shape == (20,)


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("from helpers.models import MODELS; list(MODELS)", {"torch", "transformers", "sklearn", "pydantic"}),
        (
            "from helpers.experiments import Experiment\nfrom helpers.models.baselines import Majority\n"
            "Experiment('em-c').resolved(); Majority(['a'])",
            {"torch", "transformers", "accelerate"},
        ),
    ],
)
def test_what_is_not_needed_is_not_loaded(code, absent) -> None:
    probe = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not absent & {*done.stdout.split()}


@pytest.mark.parametrize(
    ("warmup", "schedule", "expected"),
    [
        (0, "linear", [1.0, 0.8, 0.6, 0.4, 0.2]),
        (2, "linear", [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
        (0.4, "linear", [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
        (0.5, "linear", [0.4, 0.8, 1.0, 0.8, 0.4]),
        (1, "linear", [1.0, 1.0, 0.75, 0.5, 0.25]),
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
            assert check_options(row.model, {row.setting.removeprefix("option "): row.value}), row
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
