"""Adding a data set or a model touches one place; schemes and figures: test_weighting, test_figures."""

import json
from collections import Counter

import numpy as np
import pytest

from helpers.data import Dataset, read_corpus, register_dataset, unregister_dataset
from helpers.data.formats import read_semeval
from helpers.models import History, Model, register_model, unregister_model
from helpers.runs import load_run

FIRE = ("The <e1>fire</e1> caused <e2>panic</e2>.", "Cause-Effect(e1,e2)")
CAT = ("A <e1>cat</e1> and a <e2>hat</e2>.", "Other")
SENTENCES = {"train": [FIRE] * 6 + [CAT] * 4, "test": [FIRE] * 3 + [CAT] * 2}


@pytest.fixture
def dataset(tmp_path):
    """A data set in files on disk, in SemEval's form."""
    files = {}
    for split, rows in SENTENCES.items():
        files[split] = tmp_path / f"{split}.txt"
        blocks = [f'{number}\t"{text}"\n{label}\nComment:\n' for number, (text, label) in enumerate(rows, 1)]
        files[split].write_text("\n".join(blocks))
    facts = {"reader": read_semeval, "directed": True, "negative": "Other"}
    register_dataset(Dataset("mine", "My corpus", files=files, **facts))
    yield "mine"
    unregister_dataset("mine")


class Second(Model):
    """Predicts the second most frequent relation of the training samples."""

    def __init__(self, labels):
        self.labels = tuple(labels)

    def fit(self, samples, **_):
        ranked = Counter(sample.relation for sample in samples).most_common()
        self.choice = self.labels.index(ranked[min(1, len(ranked) - 1)][0])
        return History(seconds=1.0, examples=len(samples))

    def predict(self, samples, **_):
        return np.full(len(samples), self.choice)


def test_a_model_of_ones_own_is_trained_on_a_data_set_of_ones_own(dataset, call, tmp_path):
    assert [len(samples) for samples in read_corpus(dataset).values()] == [10, 5]
    code, out, _ = call("stats", dataset, "--format", "json")
    assert code == 0 and json.loads(out)["samples"] == 15 and json.loads(out)["negative"] == "Other"
    register_model("second", Second, "SECOND", encoder=False, random=False)
    try:
        words = ("--model", "second", "--dataset", dataset, "--output", tmp_path / "runs")
        code, out, err = call("train", *words)
    finally:
        unregister_model("second")
    assert code == 0 and out.startswith("SECOND · no-encoder · mine test"), err
    (path,) = (tmp_path / "runs" / dataset).rglob("predictions.json")
    outcome = load_run(path).outcome()
    assert outcome.per_class().predicted.max() == outcome.n == 5
