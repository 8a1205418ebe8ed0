"""Hugging Face's manner, in a Trainer that trains a tiny model."""

import json

import numpy as np
import pytest

from helpers.adapters import compute_metrics
from helpers.metrics import Outcome, averages, scheme_names

NAMES = {0: "no_relation", 1: "per:title", 2: "per:age"}


def test_it_gives_every_scheme_and_accuracy(rng):
    gold, logits = rng.integers(0, 3, 50), rng.normal(size=(50, 3))
    score = compute_metrics(NAMES, "no_relation")
    found = score((logits, gold))
    table = Outcome.from_columns(gold, logits.argmax(1), labels=list(NAMES.values()))
    expected = averages(table, negative="no_relation").tolist()
    assert found == {f"f1_{name}": value for name, value in zip(scheme_names(), expected, strict=True)} | {
        "accuracy": (gold == logits.argmax(1)).mean()
    }
    assert score((logits.argmax(1), gold)) == found
    by_text = compute_metrics({str(key): name for key, name in NAMES.items()}, "no_relation")
    assert by_text(((logits, "hidden"), gold)) == found


def test_targets_of_minus_100_are_ignored_also_by_token(rng):
    gold, logits = rng.integers(0, 3, (4, 6)), rng.normal(size=(4, 6, 3))
    ignored, score = np.where(np.arange(6) < 3, gold, -100), compute_metrics(NAMES, "no_relation")
    assert score((logits, ignored)) == score((logits[:, :3], gold[:, :3]))


def test_tensors_of_bf16_and_a_number_of_classes(rng):
    import torch

    gold, logits = rng.integers(0, 3, 50), torch.tensor(rng.normal(size=(50, 3))).bfloat16()
    gold[:5] = -100
    found = compute_metrics(3, negative=0)((logits.requires_grad_(), torch.tensor(gold)))
    assert found == compute_metrics(NAMES, "no_relation")((logits.detach().argmax(1).numpy(), gold))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda score: score((np.zeros((2, 4)), np.array([0, 1]))),
            r"shape \(2, 4\), targets \(2,\): logits of 3",
        ),
        (
            lambda score: score((np.full((2, 3), np.nan), np.array([0, 1]))),
            "predictions hold nan: the model has",
        ),
        (lambda score: score(([0, 3], [0, 1])), "predictions hold 3: ids from 0 to 2 are needed"),
        (lambda score: score(([0, 1], [0, -1])), "targets hold -1"),
        (lambda score: score(([0.5, 1.0], [0, 1])), "predictions hold float64"),
        (lambda score: score(([0, 1], [-100, -100])), "targets are all -100"),
        (lambda _: compute_metrics({0: "a", 2: "b"}), r"ids \[0, 2\]: 0 to 1 are needed"),
        (lambda _: compute_metrics({"x": "a"}), r"ids \[.x.\]: 0 to 0 are needed"),
        (lambda _: compute_metrics(["a", "a"]), "names 'a' twice"),
        (lambda _: compute_metrics([]), "id2label is empty"),
        (lambda _: compute_metrics(["Other", "r"], "other"), "'Other' does: which one is meant"),
        (lambda _: compute_metrics(["a", "r"], "Other"), "'Other', which is none of the 2 classes"),
    ],
)
def test_what_cannot_be_scored_and_bad_names_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call(compute_metrics(NAMES))


def test_a_trainer_logs_the_scores_and_keeps_the_best_model_by_one(tmp_path):
    import torch
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments

    torch.manual_seed(0)
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    config = BertConfig(vocab_size=12, id2label=NAMES, label2id={v: k for k, v in NAMES.items()}, **size)
    samples = [{"input_ids": torch.tensor([2, n % 3 + 4, 3]), "labels": n % 3} for n in range(12)]
    options = {"per_device_train_batch_size": 6, "per_device_eval_batch_size": 5, "num_train_epochs": 2}
    options |= {"eval_strategy": "epoch", "save_strategy": "best", "load_best_model_at_end": True}
    options |= {"report_to": [], "disable_tqdm": True, "use_cpu": True, "dataloader_pin_memory": False}
    trainer = Trainer(
        BertForSequenceClassification(config),
        TrainingArguments(tmp_path, metric_for_best_model="eval_f1_dodrans", **options),
        train_dataset=samples,
        eval_dataset=samples,
        compute_metrics=compute_metrics(config.id2label, "no_relation"),
    )
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "eval_loss" in entry]
    assert len(logged) == 2 and {f"eval_f1_{name}" for name in scheme_names()} <= logged[0].keys()
    found = trainer.predict(samples)
    table = Outcome.from_columns(found.label_ids, found.predictions.argmax(1), labels=list(NAMES.values()))
    expected = averages(table, ["dodrans"], negative="no_relation").item()
    assert found.metrics["test_f1_dodrans"] == pytest.approx(expected, abs=1e-12)
    assert trainer.state.best_metric == max(entry["eval_f1_dodrans"] for entry in logged)
    stored = json.loads(next(tmp_path.rglob("config.json")).read_text())["id2label"]
    again = compute_metrics(stored, "no_relation")((found.predictions, found.label_ids))
    assert again["f1_dodrans"] == pytest.approx(expected, abs=1e-12)
