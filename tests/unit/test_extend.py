"""Adding a data set or a model touches one place; schemes and figures: test_weighting, test_figures."""

import json
from collections import Counter

import numpy as np

from helpers.data import Dataset, demo_corpus, register_dataset
from helpers.models import MODELS, History, Model, register_model
from helpers.runs import load_run


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


def test_a_model_of_ones_own_is_trained_on_a_data_set_of_ones_own(call, tmp_path):
    parts = {split: samples[: 10 if split == "train" else 5] for split, samples in demo_corpus().items()}
    register_dataset(Dataset("mine", maker=lambda: parts, whole=tuple(parts), negative="Other"))
    register_model("second", Second, "SECOND", encoder=False, random=False)
    try:
        code, out, _ = call("stats", "mine", "--format", "json")
        assert code == 0 and json.loads(out)["negative"] == "Other"
        code, out, err = call("train", "--model", "second", "--dataset", "mine", "--output", tmp_path)
    finally:
        del MODELS["second"]
    assert code == 0 and out.startswith("SECOND · no-encoder · mine test"), err
    (path,) = (tmp_path / "mine").rglob("predictions.json")
    assert load_run(path).outcome().per_class().predicted.max() == 5
