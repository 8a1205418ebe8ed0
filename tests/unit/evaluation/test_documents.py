"""A document classifier on labelled documents, and measures in scikit-learn's searches."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from helpers.data.demo import demo_documents
from helpers.data.documents import label_list, label_matrix
from helpers.evaluation import multilabel as document_scoring
from helpers.evaluation.multilabel import score_documents, score_multilabel, scorer
from helpers.models.linear.base import OneVsRest
from helpers.models.linear.documents import DocumentClassifier

OPTIONS = "-s 1 -B 1 -e 0.0001"


@pytest.fixture(scope="module")
def parts():
    return demo_documents()


@pytest.fixture(scope="module")
def model(parts):
    return DocumentClassifier("1vsrest", OPTIONS).fit(parts["train"])


def test_report_equals_that_of_the_matrices(parts, model) -> None:
    truth = label_matrix(parts["test"], model.labels)
    expected = score_multilabel(truth, model.scores(parts["test"]), replicates=50, seed=3)
    found = score_documents(model, parts["test"], replicates=50, seed=3).report
    assert (found.scores, found.schemes) == (expected.scores, expected.schemes)
    assert found.intervals == expected.intervals


def test_blocks_do_not_matter(parts, model, monkeypatch) -> None:
    whole, blocks = score_documents(model, parts["test"]), []
    monkeypatch.setattr(document_scoring, "BLOCK", 7 * len(model.labels))
    found = score_documents(model, parts["test"], taker=blocks.append)
    assert [len(block) for block in blocks[:-1]] == [7] * (len(blocks) - 1)
    assert np.array_equal(np.concatenate(blocks), model.scores(parts["test"]))
    assert found.report.scores == pytest.approx(whole.report.scores, abs=1e-12)


def test_labels_of_the_test_documents_only(parts, model) -> None:
    """Macro is multiplied by M / L, P@K stays, R@K falls: LibMultiLabel's document says it would not."""
    found = score_documents(model, parts["test"])
    known, every = found.report, found.with_test_labels
    assert set(found.unseen) == set(label_list(parts["test"])) - set(model.labels) != set()
    assert every.scores["Macro-F1"] == pytest.approx(known.scores["Macro-F1"] * known.labels / every.labels)
    assert every.scores["P@1"] == known.scores["P@1"]
    assert every.scores["R@5"] < known.scores["R@5"]


@pytest.mark.parametrize("measure", ["P@1", "NDCG@3", "Macro*-F1", "dodrans"])
def test_scorer_in_a_search_with_a_pipeline(parts, measure) -> None:
    texts = np.array(parts["train"].texts, dtype=object)
    y = label_matrix(parts["train"], label_list(parts["train"])).toarray()
    pipeline = make_pipeline(TfidfVectorizer(), OneVsRest())
    grid = {"onevsrest__options": ["-s 1 -c 1", "-s 1 -c 0.001"]}
    search = GridSearchCV(pipeline, grid, scoring=scorer(measure), cv=2, refit=False).fit(texts, y)
    half = len(texts) // 2
    pipeline.set_params(onevsrest__options="-s 1 -c 1").fit(texts[half:], y[half:])
    expected = score_multilabel(y[:half], pipeline.decision_function(texts[:half]))
    found = search.cv_results_["split0_test_score"][0]
    assert found == pytest.approx((expected.scores | expected.schemes)[measure], abs=1e-12)
    assert search.best_params_["onevsrest__options"] == "-s 1 -c 1"
