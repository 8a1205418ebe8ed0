"""Ten users, each typing what she would type: from the files that she has to the number that she wants."""

import json
import re
import socket

import numpy as np
import pytest

from helpers.adapters import compute_metrics, f1_score, scorer

NAMES = ["no_relation", "per:title", "per:age"]
GOLD = [0, 0, 1, 1, 2, 2, 2, 0]
FOUND = [0, 1, 1, 2, 2, 2, 0, 0]
# per:title: TP 1, FP 1, FN 1, F = 1/2; per:age: TP 2, FP 1, FN 1, F = 2/3
MACRO = (1 / 2 + 2 / 3) / 2


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every user works in a folder of her own, without the data sets."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RC_DATA_DIR", raising=False)
    return tmp_path


@pytest.fixture
def macro(call):
    """The macro-F1 that `score` gives in JSON."""

    def run(*words: object) -> float:
        code, out, err = call("score", *words, "--format", "json")
        assert code == 0, err
        return json.loads(out)["schemes"]["macro"]["f1"]

    return run


def named(ids: list[int]) -> list[str]:
    return [NAMES[one] for one in ids]


def table(gold: list[int], predicted: list[int]) -> str:
    rows = zip(named(gold), named(predicted), strict=True)
    return "gold,predicted\n" + "".join(f"{one},{other}\n" for one, other in rows)


def test_4_somebody_with_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import KFold, cross_val_score

    rng = np.random.default_rng(0)
    labels = np.array(named([0] * 20 + [1, 2] * 20))  # the last fold has no negative sample
    features = rng.normal(size=(60, 3)) + (labels == "per:age")[:, None]
    scoring = scorer("macro", negative="no_relation")
    scores = cross_val_score(LogisticRegression(), features, labels, scoring=scoring, cv=KFold(3))
    assert len(scores) == 3 and not np.isnan(scores).any() and scores[0] == 0 < scores[2] < 1
    assert f1_score(named(GOLD), named(FOUND), scheme="macro", negative="no_relation") == pytest.approx(MACRO)


def test_5_somebody_with_a_trainer():
    from transformers import EvalPrediction

    logits = np.eye(3)[[*FOUND, 1]]
    prediction = EvalPrediction(predictions=(logits, "hidden states"), label_ids=np.array([*GOLD, -100]))
    found = compute_metrics(dict(enumerate(NAMES)), "no_relation")(prediction)
    assert found["f1_macro"] == pytest.approx(MACRO) and found["accuracy"] == pytest.approx(5 / 8)


def test_6_somebody_who_scores_batch_by_batch():
    import torch

    from helpers.adapters.streaming import WeightedF1

    metric = WeightedF1(NAMES, "macro", negative="no_relation")
    logits, target = torch.eye(3)[FOUND], torch.tensor(GOLD)
    for start in range(0, len(GOLD), 3):
        metric.update(logits[start : start + 3], target[start : start + 3])
    assert metric.compute().item() == pytest.approx(MACRO)


def test_7_a_teacher_without_a_network(call, folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError("there is no network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    code, out, _ = call("stats", "tacred")
    assert code == 0 and "perplexity                   3.31" in out
    code, out, err = call("train", "--model", "svm", "--dataset", "demo", "--output", folder / "runs")
    assert code == 0 and "beats the majority baseline" in out, err
    code, out, _ = call("summary")
    assert code == 0 and "published numbers agree" in out
    code, _, err = call("train", "--model", "svm", "--dataset", "kbp37")
    assert code == 2 and "kbp37" in err and "is missing" in err


def test_8_an_author_with_latex(call, folder):
    (folder / "mine.csv").write_text(table(GOLD * 5, FOUND * 5))
    (folder / "baseline.csv").write_text(table(GOLD * 5, [0, 1, 2, 2, 1, 2, 0, 0] * 5))
    words = ("--negative", "no_relation", "--scheme", "micro", "--scheme", "macro", "--bootstrap", "200")
    code, out, err = call(
        "compare", "mine.csv", "baseline.csv", *words, "--format", "latex", "--output", "t.tex"
    )
    assert code == 0, err
    text = (folder / "t.tex").read_text()
    assert all(part in text for part in (r"\toprule", r"\bottomrule", r"\caption{", r"\label{tab:", "Macro"))
    assert re.search(rf"mine & .*\\textbf{{{100 * MACRO:.1f} \[\d+\.\d, \d+\.\d\]}}", text)


def test_9_somebody_with_five_seeds(call, folder):
    rng = np.random.default_rng(5)
    values: dict[str, list[float]] = {"A": [], "B": []}
    gold = list(rng.integers(0, 3, 60))
    for seed in range(5):
        for system, share in (("A", 0.9), ("B", 0.6)):
            found = [one if rng.random() < share else int(rng.integers(0, 3)) for one in gold]
            (folder / f"{system}-seed{seed}.csv").write_text(table(gold, found))
            values[system].append(f1_score(named(gold), named(found), scheme="macro", negative="no_relation"))
    words = ("--runs", "A=A-seed*.csv", "--runs", "B=B-seed*.csv", "--negative", "no_relation")
    code, out, err = call("compare", *words, "--scheme", "macro")
    assert code == 0, err
    for system in values.values():
        assert f"{100 * np.mean(system):.2f} ± {100 * np.std(system, ddof=1):.2f}" in out
    code, _, err = call("compare", "A-seed0.csv", "A-seed1.csv", "B-seed0.csv", "--negative", "no_relation")
    assert "--runs" in err
