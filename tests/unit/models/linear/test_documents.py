"""From documents to scores and back from a file: every technique, and every file that is no model."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers.core import MalformedRecord
from helpers.data import Documents
from helpers.models.linear import TECHNIQUES, DocumentClassifier

TEXTS = ("wheat and corn", "oil and gas", "wheat oil price", "gas price up", "corn price", "oil barrel",
         "crude oil gas", "corn wheat grain")  # fmt: skip
LABELS = (("grain",), ("oil", "gas"), ("oil", "grain"), ("gas",), ("grain",), ("oil",), ("gas", "oil"), ())
IDS = tuple("abcdefgh")
SEEDED = {"random_state": 1}
PARAMETERS = dict.fromkeys(("thresholding", "cost_sensitive", "cost_sensitive_micro"), SEEDED)
PARAMETERS |= {"1vsrest": {}, "binary_and_multiclass": {}, "tree": SEEDED | {"degree": 2, "beam": 1}}
OPTIONS = "-s 1 -B 1 -c 4"
UNSEEN = Documents("xy", [(), ()], ["gas and wheat, corn OIL", "nothing known"])


class Unpickled:
    def __reduce__(self):
        return pytest.fail, ("a pickle was loaded",)


PICKLED = pickle.dumps(Unpickled())


def documents_for(technique: str, features: bool = False) -> Documents:
    """With one label each where the technique needs it; with texts or with features."""
    single = technique == "binary_and_multiclass"
    labels = [(own[:1] or ("oil",)) if single else own for own in LABELS]
    if features:
        return Documents(IDS, labels, features=TfidfVectorizer().fit_transform(TEXTS))
    return Documents(IDS, labels, TEXTS)


def trained(technique: str, features: bool = False, **rest) -> DocumentClassifier:
    model = DocumentClassifier(technique, OPTIONS, **(PARAMETERS[technique] | rest))
    return model.fit(documents_for(technique, features))


def with_tfidf(**settings) -> DocumentClassifier:
    return DocumentClassifier(tfidf=settings).fit(documents_for("1vsrest"))


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "model.safetensors"


@pytest.mark.parametrize("technique", TECHNIQUES)
class TestEveryTechnique:
    def test_texts_are_tf_idf_and_labels_are_columns(self, technique):
        documents, model = documents_for(technique), trained(technique)
        assert model.labels == ("gas", "grain", "oil")
        estimator = TECHNIQUES[technique](OPTIONS).set_params(**PARAMETERS[technique])
        features = TfidfVectorizer().fit(TEXTS)
        estimator.fit(features.transform(TEXTS), documents.label_matrix(model.labels))
        expected = estimator.decision_function(features.transform(UNSEEN.texts))
        assert np.array_equal(model.scores(UNSEEN), expected)
        assert model.threshold == (0.5 if technique == "tree" else 0.0)
        assert model.multiclass == (technique == "binary_and_multiclass")

        scores, names = model.scores(documents), np.array(model.labels)
        predicted = [tuple(names[row > model.threshold]) for row in scores]
        if technique == "binary_and_multiclass":
            predicted = [(label,) for label in names[scores.argmax(axis=1)]]
        assert model.predict(documents) == predicted and len(set(predicted)) > 1

    @pytest.mark.parametrize("features", [True, False])
    def test_what_comes_back_from_a_file_scores_the_same(self, technique, features, path):
        model, documents = trained(technique, features), documents_for(technique, features)
        model.save(path)
        back = DocumentClassifier.load(path)
        for name in ("labels", "technique", "tfidf", "threshold", "multiclass"):
            assert getattr(back, name) == getattr(model, name)
        assert back.classifier.get_params() == model.classifier.get_params()
        assert np.array_equal(back.scores(documents), model.scores(documents))
        assert back.predict(documents) == model.predict(documents)
        assert np.array_equal(back.fit(documents).scores(documents), model.scores(documents))

    def test_a_label_that_no_document_has(self, technique):
        documents = documents_for(technique)
        model = DocumentClassifier(technique, "-B 1", **PARAMETERS[technique])
        scores = model.fit(documents, ["gas", "grain", "oil", "zinc"]).scores(documents)[:, 3]
        if technique == "binary_and_multiclass":
            assert (scores == -np.inf).all()
        elif technique != "thresholding":
            assert (scores <= model.threshold).all()


@pytest.mark.parametrize("technique", ["thresholding", "cost_sensitive", "cost_sensitive_micro"])
def test_a_label_that_only_validation_documents_have_is_known(technique):
    """L, Section 2.3: 'rare' is a label of one document; where a fold validates on it, no training document
    has it."""
    documents = Documents(IDS, [*LABELS[:-1], ("rare",)], TEXTS)
    model = DocumentClassifier(technique, OPTIONS, **SEEDED).fit(documents)
    assert model.labels == ("gas", "grain", "oil", "rare") and np.isfinite(model.scores(UNSEEN)).all()


def test_features_of_another_width_are_padded_or_cut():
    documents, model = documents_for("1vsrest", features=True), trained("1vsrest", features=True)
    table = documents.features
    left = sparse.csr_array(np.hstack([table[:1, :4].toarray(), np.zeros((1, table.shape[1] - 4))]))
    wide = sparse.hstack([table[:1], [[5.0, 6.0]]], format="csr")
    narrow, padded, wide = (Documents(["n"], [()], features=part) for part in (table[:1, :4], left, wide))
    assert np.array_equal(model.scores(narrow), model.scores(padded))
    assert np.array_equal(model.scores(wide), model.scores(documents)[:1])
    assert wide.features.toarray()[0, -1] == 6.0, "the documents themselves stay"
    assert model.features(narrow).shape == model.features(wide).shape == (1, table.shape[1])


MISFITS = {
    "technique": ["1vsrest", "svm", None, ["tree"]],
    "labels": [["gas", "oil"], 3, None],
    "tfidf": [{"mindf": 1}, 3, {"token_pattern": r"(\w+\s?)*x"}],
    "parameters": [{"options": "", "degree": value} for value in (10**30, 2**32, [1], {"a": 1})],
    "words": [["oil"], 3, ["oil"] * 10],
    "width": [3, "10", None],
    "children": [[], [0], [2], [2, 0, 0, 0], [1, 1, 0], [0, 2, 0], [-1], "ab", [9, 0]],
}
"""Settings of a tree's file whose children are [2, 0, 0] and that has 10 words."""
MISFITS["tfidf"] += [{"input": value} for value in ("filename", "file", "content")]
MISFITS["parameters"] += [{}, {"options": "", "degre": 1}, [1]]


class TestFiles:
    @pytest.mark.parametrize(
        "settings",
        [
            {"use_idf": False},
            {"smooth_idf": False, "norm": "l1", "stop_words": ["and"], "lowercase": False},
            {"norm": None, "binary": True, "sublinear_tf": True},
            {"ngram_range": (1, 2), "max_features": 9, "min_df": np.int64(2), "max_df": 0.9},
            {"analyzer": "char_wb", "ngram_range": (2, 3)},
            {"vocabulary": ["oil", "gas", "corn"]},
        ],
        ids=str,
    )
    def test_settings_of_tf_idf_come_back(self, settings, path):
        documents, model = documents_for("1vsrest"), with_tfidf(**settings)
        model.save(path)
        back = DocumentClassifier.load(path)
        assert back.tfidf == model.tfidf
        for some in (documents, UNSEEN):
            assert np.array_equal(back.features(some).toarray(), model.features(some).toarray())
        assert np.array_equal(back.fit(documents).scores(UNSEEN), model.scores(UNSEEN))

    @pytest.mark.parametrize(
        ("tfidf", "message"),
        [
            (None, "RandomState.* is no number, text"),
            ({"dtype": np.float32}, "float32.* is no number"),
            ({"tokenizer": str.split, "token_pattern": None}, "is no n"),
            ({"token_pattern": "[a-z]+"}, "unknown setting of tfidf in a file 'token_pattern'"),
        ],
    )
    def test_settings_that_cannot_be_saved(self, tfidf, message, path):
        drawn = {"random_state": np.random.RandomState(1)}
        model = with_tfidf(**tfidf) if tfidf else trained("thresholding", **drawn)
        with pytest.raises(ValueError, match=f"^these settings cannot be saved: .*{message}"):
            model.save(path)
        assert not path.exists()

    @pytest.mark.parametrize(
        "content",
        [b"", b"oil gas\n", b"\xff" * 100, PICKLED, None, "{", "[1]", "null", "{}", '{"format": "other"}'],
    )
    def test_foreign_files(self, content, path):
        if not isinstance(content, bytes):
            content = save({"weights_": np.zeros(2)}, {"settings": content} if content else {"other": "1"})
        path.write_bytes(content)
        message = "model.safetensors: not a linear classifier saved by this package"
        with pytest.raises(MalformedRecord, match=message):
            DocumentClassifier.load(path)

    def parts(self, technique: str, path: Path) -> tuple[dict, dict[str, np.ndarray]]:
        """The settings and the arrays of a trained model's file."""
        trained(technique).save(path)
        content = path.read_bytes()
        length = int.from_bytes(content[:8], "little")
        return json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["settings"]), load(content)

    def refused(self, settings: dict, arrays: dict, path: Path, said: str = "do not fit together") -> None:
        path.write_bytes(save(arrays, {"settings": json.dumps(settings)}))
        with pytest.raises(MalformedRecord, match=said):
            DocumentClassifier.load(path)

    @pytest.mark.parametrize("technique", ["cost_sensitive", "tree"])
    def test_a_setting_or_an_array_that_is_missing(self, technique, path):
        settings, arrays = self.parts(technique, path)
        for name in settings.keys() - {"words"}:
            self.refused({key: settings[key] for key in settings.keys() - {name}}, arrays, path, name)
        for name in arrays:
            self.refused(settings, {key: arrays[key] for key in arrays.keys() - {name}}, path)

    @pytest.mark.parametrize(
        ("technique", "name", "change"),
        [
            *(("tree", name, lambda _, v=value: v) for name, values in MISFITS.items() for value in values),
            *(("tree", "node-0-indices", lambda array, by=by: array + by) for by in (10**6, -5)),
            ("tree", "node-0-indptr", lambda array: array[::-1].copy()),
            ("tree", "node-0-data", lambda array: array[:-1]),
            *(("tree", "node-1-labels", lambda array, by=by: array + by) for by in (3, -3)),
            ("tree", "node-1-bias", lambda array: np.append(array, 0)),
            ("1vsrest", "weights_", lambda array: array.T.copy()),
            ("1vsrest", "weights_", lambda array: array[:, :2].copy()),
            ("1vsrest", "bias_weights_", lambda array: array[None]),
            *(("cost_sensitive", name, lambda array: array[:-1]) for name in ("classes_", "costs_", "idf")),
            ("tree", "thresholds_", lambda array: array[:-1]),
        ],
    )
    def test_settings_and_arrays_that_do_not_fit(self, technique, name, change, path):
        settings, arrays = self.parts(technique, path)
        part = settings if name in settings else arrays
        part[name] = change(part[name])
        self.refused(settings, arrays, path)
