"""Multi-label runs from end to end on the demo letters: what is trained, counted, held out; what it cost."""

from unittest.mock import patch

import pytest

from helpers.data import TEST_ONLY, demo_documents
from helpers.experiments import HELD_OUT, LINEAR_MODELS, documents_of, multilabel, run_model
from helpers.experiments.multilabel import OPTIONS
from helpers.models.linear import DocumentClassifier, LabelProblems
from helpers.papers.multilabel import differing_documents
from helpers.runs import list_runs, load_run


@pytest.fixture(scope="module")
def letters():
    return demo_documents()


def test_labels_of_the_test_part_only_make_two_runs(letters):
    runs = run_model("demo", "1vsrest", letters)
    assert list(runs) == ["1vsrest", "1vsrest with test labels"]
    out, included = (one.outcome() for one in runs.values())
    assert len(included.ranking.labels) == len(out.ranking.labels) + len(TEST_ONLY)
    assert included.ranking.labels[-2:] == TEST_ONLY
    assert included.ranking.scores([1])["P@1"] == out.ranking.scores([1])["P@1"]
    assert included.ranking.scores([5])["R@5"] < out.ranking.scores([5])["R@5"]


def test_it_counts_what_the_classifier_says(letters):
    run = run_model("demo", "thresholding", letters)["thresholding"]
    made = DocumentClassifier("thresholding", OPTIONS, random_state=1337).fit(letters["train"])
    truth = letters["test"].label_matrix(made.labels).toarray() > 0
    guess = made.scores(letters["test"]) > 0
    assert run.outcome().counts.correct.tolist() == (truth & guess).sum(axis=0).tolist()
    assert run.outcome().counts.predicted.tolist() == guess.sum(axis=0).tolist()
    train = letters["train"].label_matrix(made.labels).sum(axis=0)
    assert run.table.train_support == tuple(train.astype(int).tolist())


@pytest.mark.parametrize("model", [model for model in LINEAR_MODELS if model != "tree"])
def test_the_problems_are_those_that_the_solver_is_called_for(letters, model):
    with patch.object(LabelProblems, "solve", autospec=True, side_effect=LabelProblems.solve) as calls:
        run = run_model("demo", model, letters, n_jobs=1)[model]
    assert run.facts["problems"] == calls.call_count


def test_all_are_stored_in_one_go(letters, tmp_path, monkeypatch):
    stored = {"STORED": {"demo": {"1vsrest": {}}}, "PAIRS": (("1vsrest", "thresholding"),)}
    read = {"documents_of": lambda dataset: letters, "corpus_hashes": lambda *_: {"letters": "0" * 64}}
    for name, value in (stored | read).items():
        monkeypatch.setattr(multilabel, name, value)
    multilabel._store_runs(tmp_path)
    runs = {run.name: run for run in list_runs("demo", folder=tmp_path)}
    assert list(runs) == ["1vsrest", "1vsrest with test labels"]
    assert runs["1vsrest"].files == {"letters": "0" * 64}
    assert runs["1vsrest"].cost.keys() == {"training", "predicting", "tf_idf", "processes"}
    pair = load_run(tmp_path / "reuters90" / "1vsrest+thresholding" / "no-encoder" / "seed-1337.json")
    assert (pair.model, pair.second, len(pair.labels)) == ("1vsrest+thresholding", "thresholding", 14)
    for role, model in (("predicted", "1vsrest"), ("second", "thresholding")):
        counts = pair.outcome().per_class(role)
        own = run_model("demo", model, letters)[model].outcome().counts
        assert counts.correct.tolist() == own.correct.tolist()
        assert counts.predicted.tolist() == own.predicted.tolist()


class TestOnRealData:
    def test_reuters_gives_the_stored_outcome(self, data_dir):
        (stored,) = list_runs("reuters90", "1vsrest", variant="")
        again = run_model("reuters90", "1vsrest", documents_of("reuters90"))["1vsrest"]
        assert differing_documents(again.outcome(), stored.outcome()) == 0
        assert again.facts == stored.facts

    def test_held_out_labels_are_in_the_test_part_only(self, data_dir):
        parts = documents_of("reuters90-held-out")
        assert not set(HELD_OUT) & set(parts["train"].label_list())
        assert set(HELD_OUT) < set(parts["test"].label_list())
