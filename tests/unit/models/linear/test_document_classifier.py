"""From documents to scores and back from a file: every technique, and every file that is no model."""

import json
import pickle
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load, save
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from helpers.core import files
from helpers.core.errors import MalformedRecord
from helpers.data.documents import Documents, label_matrix
from helpers.models.linear import cost_sensitive, thresholding
from helpers.models.linear.documents import TECHNIQUES, DocumentClassifier
from helpers.models.linear.problems import cross_validation_folds

TEXTS = ("wheat and corn", "oil and gas", "wheat oil price", "gas price up", "corn price", "oil barrel",
         "crude oil gas", "corn wheat grain")  # fmt: skip
LABELS = (("grain",), ("oil", "gas"), ("oil", "grain"), ("gas",), ("grain",), ("oil",), ("gas", "oil"), ())
IDS = tuple("abcdefgh")
SEEDED = {"random_state": 1}
PARAMETERS = {
    "1vsrest": {},
    "thresholding": SEEDED,
    "cost_sensitive": SEEDED,
    "cost_sensitive_micro": SEEDED,
    "binary_and_multiclass": {},
    "tree": SEEDED | {"degree": 2, "beam": 1},
}


def documents_for(technique: str, features: bool = False) -> Documents:
    """With one label each where the technique needs it; with texts or with features."""
    single = technique == "binary_and_multiclass"
    labels = [(own[:1] or ("oil",)) if single else own for own in LABELS]
    if features:
        return Documents(IDS, labels, features=TfidfVectorizer().fit_transform(TEXTS))
    return Documents(IDS, labels, TEXTS)


def trained(technique: str, features: bool = False, **rest) -> DocumentClassifier:
    model = DocumentClassifier(technique, "-s 1 -B 1 -c 4", **(PARAMETERS[technique] | rest))
    return model.fit(documents_for(technique, features))


def parts_of(path: Path) -> tuple[dict, dict[str, np.ndarray]]:
    """The settings and the arrays of a file."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    return json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["settings"]), load(content)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "models" / "model.safetensors"


@pytest.mark.parametrize("technique", ["thresholding", "cost_sensitive", "cost_sensitive_micro"])
def test_a_label_that_only_validation_documents_have_is_known(technique, monkeypatch):
    """L, Section 2.3: folds are drawn from the training documents, and all of them have the same labels.

    'rare' is a label of one document: in the fold that validates on it, no training document has it.
    """
    folds = []

    def drawn(order):
        folds.extend(cross_validation_folds(order))
        return folds[-3:]

    for module in (thresholding, cost_sensitive):
        monkeypatch.setattr(module, "cross_validation_folds", drawn)
    labels = [*LABELS[:-1], ("rare",)]
    model = DocumentClassifier(technique, "-s 1 -B 1 -c 4", **SEEDED).fit(Documents(IDS, labels, TEXTS))
    place = len(IDS) - 1
    assert sum(place not in training for training, _ in folds[:3]) == 1
    assert model.labels == ("gas", "grain", "oil", "rare")
    scores = model.scores(Documents(["x"], [[]], ["corn wheat grain"]))
    assert scores.shape == (1, 4) and np.isfinite(scores).all()


class TestScores:
    @pytest.mark.parametrize("technique", TECHNIQUES)
    def test_texts_are_tf_idf_and_labels_are_columns(self, technique):
        documents = documents_for(technique)
        model = trained(technique)
        assert model.labels == ("gas", "grain", "oil")
        estimator = TECHNIQUES[technique]("-s 1 -B 1 -c 4").set_params(**PARAMETERS[technique])
        features = TfidfVectorizer().fit(TEXTS)
        estimator.fit(features.transform(TEXTS), label_matrix(documents, model.labels))
        other = Documents(["x", "y"], [[], []], ["gas and wheat", "nothing known"])
        assert np.array_equal(
            model.scores(other), estimator.decision_function(features.transform(other.texts))
        )
        assert model.threshold == (0.5 if technique == "tree" else 0.0)
        assert model.multiclass == (technique == "binary_and_multiclass")

    def test_features_of_another_width_are_padded_or_cut(self):
        documents = documents_for("1vsrest", features=True)
        model = trained("1vsrest", features=True)
        table = documents.features
        narrow = Documents(["n"], [()], features=table[:1, :4])
        padded = sparse.csr_array(np.hstack([table[:1, :4].toarray(), np.zeros((1, table.shape[1] - 4))]))
        wide = Documents(["w"], [()], features=sparse.hstack([table[:1], [[5.0, 6.0]]], format="csr"))
        assert np.array_equal(model.scores(narrow), model.scores(Documents(["p"], [()], features=padded)))
        assert np.array_equal(model.scores(wide), model.scores(documents)[:1])
        assert model.features(narrow).shape == model.features(wide).shape == (1, table.shape[1])

    @pytest.mark.parametrize("technique", TECHNIQUES)
    def test_a_label_that_no_document_has(self, technique):
        documents = documents_for(technique)
        model = DocumentClassifier(technique, "-B 1", **PARAMETERS[technique])
        scores = model.fit(documents, ["gas", "grain", "oil", "zinc"]).scores(documents)[:, 3]
        if technique == "binary_and_multiclass":
            assert (scores == -np.inf).all()
        elif technique != "thresholding":
            assert (scores <= model.threshold).all()


class TestPredict:
    @pytest.mark.parametrize("technique", TECHNIQUES)
    def test_labels_are_those_above_the_threshold_or_the_best_one(self, technique, path):
        model, documents = trained(technique), documents_for(technique)
        scores, names = model.scores(documents), np.array(model.labels)
        if technique == "binary_and_multiclass":
            assert model.multiclass
            expected = [(label,) for label in names[scores.argmax(axis=1)]]
        else:
            expected = [tuple(names[row > model.threshold]) for row in scores]
        assert model.predict(documents) == expected
        assert len(set(expected)) > 1
        model.save(path)
        assert DocumentClassifier.load(path).predict(documents) == expected


class TestBadInput:
    @pytest.mark.parametrize(
        ("technique", "parameters", "message"),
        [
            ("tree", {"degre": 3}, "unknown parameter of technique tree 'degre'; did you mean 'degree'"),
            (
                "1vsrest",
                SEEDED,
                "unknown parameter of technique 1vsrest 'random_state'.* Known: n_jobs, options, pro",
            ),
            ("thresholding", {"beam": 2}, "technique thresholding 'beam'.* Known: .*random_state, rule"),
            ("1vsrest", {"tfidf": {"mindf": 2}}, "unknown setting of tfidf 'mindf'; did you mean 'min_df'"),
        ],
    )
    def test_unknown_parameters(self, technique, parameters, message):
        with pytest.raises(ValueError, match=message):
            DocumentClassifier(technique, **parameters)

    @pytest.mark.parametrize(
        ("model", "documents", "message"),
        [
            (DocumentClassifier(), Documents("a", [()], ["oil"]), "there is no label: no document has one"),
            (
                DocumentClassifier(),
                Documents("a", [("x",)], ["oil"]),
                r"labels is \['x'\]: two labels at least",
            ),
            (DocumentClassifier(), Documents("ab", [["x"], ["y"]], ["a", "1 2"]), "empty vocabulary"),
            (DocumentClassifier(options="-s 9"), Documents("ab", [["x"], ["y"]], ["oil", "gas"]), "-s is 9"),
            (DocumentClassifier(n_jobs=0), Documents("ab", [["x"], ["y"]], ["oil", "gas"]), "n_jobs is 0"),
            (
                DocumentClassifier(tfidf={"min_df": 3}),
                Documents("ab", [["x"], ["y"]], ["oil", "gas"]),
                "min_df",
            ),
            (
                DocumentClassifier("binary_and_multiclass"),
                Documents("ab", [["x"], ["y", "z"]], ["oil", "gas"]),
                r"y\[1\] has 2 labels; this technique needs exactly one",
            ),
        ],
    )
    def test_training(self, model, documents, message):
        with pytest.raises(ValueError, match=message):
            model.fit(documents)


class TestFiles:
    @pytest.mark.parametrize("technique", TECHNIQUES)
    @pytest.mark.parametrize("features", [True, False])
    def test_what_comes_back_scores_the_same(self, technique, features, path):
        model, documents = trained(technique, features), documents_for(technique, features)
        model.save(path)
        back = DocumentClassifier.load(path)
        assert (back.labels, back.technique, back.tfidf) == (model.labels, technique, model.tfidf)
        assert (back.threshold, back.multiclass) == (model.threshold, model.multiclass)
        assert back.classifier.get_params() == model.classifier.get_params()
        assert np.array_equal(back.scores(documents), model.scores(documents))
        predicted = model.classifier.predict(model.features(documents))
        assert np.array_equal(back.classifier.predict(back.features(documents)), predicted)
        assert np.array_equal(back.fit(documents).scores(documents), model.scores(documents))

    @pytest.mark.parametrize(
        "settings",
        [
            {"use_idf": False},
            {"smooth_idf": False, "norm": "l1"},
            {"norm": None, "binary": True, "sublinear_tf": True},
            {"ngram_range": (1, 2), "max_features": 9},
            {"analyzer": "char_wb", "ngram_range": (2, 3)},
            {"vocabulary": ["oil", "gas", "corn"]},
            {"stop_words": ["and"], "lowercase": False},
            {"min_df": 2, "max_df": 0.9},
        ],
        ids=str,
    )
    def test_settings_of_tf_idf_come_back(self, settings, path):
        documents, unseen = documents_for("1vsrest"), Documents("x", [()], ["corn oil and GAS and xyz"])
        model = DocumentClassifier(tfidf=settings).fit(documents)
        model.save(path)
        back = DocumentClassifier.load(path)
        assert back.tfidf == model.tfidf
        for some in (documents, unseen):
            assert np.array_equal(back.features(some).toarray(), model.features(some).toarray())
        assert np.array_equal(back.fit(documents).scores(unseen), model.scores(unseen))

    @pytest.mark.parametrize(
        ("model", "message"),
        [
            (
                lambda: trained("thresholding", random_state=np.random.RandomState(1)),
                "RandomState.* is no number, text",
            ),
            (
                lambda: DocumentClassifier(tfidf={"dtype": np.float32}).fit(documents_for("")),
                "float32.* is no number",
            ),
            (
                lambda: DocumentClassifier(tfidf={"tokenizer": str.split, "token_pattern": None}).fit(
                    documents_for("")
                ),
                "is no n",
            ),
            (
                lambda: DocumentClassifier(tfidf={"token_pattern": "[a-z]+"}).fit(documents_for("")),
                "unknown setting of tfidf in a file 'token_pattern'",
            ),
        ],
    )
    def test_settings_that_cannot_be_saved(self, model, message, path):
        with pytest.raises(ValueError, match=f"^these settings cannot be saved: .*{message}"):
            model().save(path)
        assert not path.exists()

    @pytest.mark.parametrize("moment", ["write", "replace"])
    def test_a_writing_that_fails_leaves_the_old_file(self, moment, path, monkeypatch):
        trained("1vsrest").save(path)
        before = path.read_bytes()

        def full(*_):
            raise OSError("no space left on device")

        monkeypatch.setattr(files.os, {"write": "fsync", "replace": "replace"}[moment], full)
        with pytest.raises(OSError, match="no space left"):
            trained("thresholding").save(path)
        assert path.read_bytes() == before
        assert [one.name for one in path.parent.iterdir()] == [path.name]

    def test_no_pickle_is_loaded(self, path, monkeypatch):
        class Boom:
            def __reduce__(self):
                return pytest.fail, ("a pickle was loaded",)

        path.parent.mkdir()
        path.write_bytes(pickle.dumps(Boom()))
        with pytest.raises(MalformedRecord):
            DocumentClassifier.load(path)
        with path.open("wb") as stream:
            np.save(stream, np.array([Boom()], dtype=object), allow_pickle=True)
        with pytest.raises(MalformedRecord):
            DocumentClassifier.load(path)

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"oil gas\n",
            b"\xff" * 100,
            save({"weights_": np.zeros(2)}),
            save({"weights_": np.zeros(2)}, {"other": "1"}),
            save({"weights_": np.zeros(2)}, {"settings": "{"}),
            save({"weights_": np.zeros(2)}, {"settings": "[1]"}),
            save({"weights_": np.zeros(2)}, {"settings": "null"}),
            save({"weights_": np.zeros(2)}, {"settings": "{}"}),
            save({"weights_": np.zeros(2)}, {"settings": '{"format": "another 2"}'}),
        ],
        ids=lambda content: repr(content[-40:]),
    )
    def test_foreign_files(self, content, path):
        path.parent.mkdir()
        path.write_bytes(content)
        with pytest.raises(
            MalformedRecord, match="model.safetensors: not a linear classifier saved by this package"
        ):
            DocumentClassifier.load(path)

    @pytest.mark.parametrize("technique", ["cost_sensitive", "tree"])
    def test_a_setting_or_an_array_that_is_missing(self, technique, path):
        trained(technique).save(path)
        settings, arrays = parts_of(path)
        for name in settings.keys() - {"words"}:
            less = {key: value for key, value in settings.items() if key != name}
            path.write_bytes(save(arrays, {"settings": json.dumps(less)}))
            with pytest.raises(MalformedRecord, match=name):
                DocumentClassifier.load(path)
        for name in arrays:
            less = {key: value for key, value in arrays.items() if key != name}
            path.write_bytes(save(less, {"settings": json.dumps(settings)}))
            with pytest.raises(MalformedRecord, match="do not fit together"):
                DocumentClassifier.load(path)

    @pytest.mark.parametrize(
        "changed",
        [
            *({"technique": value} for value in ("1vsrest", "svm", None, ["tree"])),
            *({"labels": value} for value in (["gas", "oil"], 3, None)),
            *({"tfidf": value} for value in ({"mindf": 1}, 3)),
            *({"tfidf": {"input": value}} for value in ("filename", "file", "content")),
            {"tfidf": {"token_pattern": r"(\w+\s?)*x"}},
            *({"parameters": {"options": "", "degree": value}} for value in (10**30, [1], {"a": 1})),
            *({"words": value} for value in (["oil"], 3, ["oil"] * 10)),
            *({"parameters": value} for value in ({}, {"options": "", "degre": 1}, [1])),
            *({"width": value} for value in (3, "10", None)),
            *(
                {"children": value}
                for value in ([], [0], [2], [2, 0, 0, 0], [1, 1, 0], [0, 2, 0], [-1], "ab", [9, 0])
            ),
        ],
        ids=str,
    )
    def test_settings_that_do_not_fit(self, changed, path):
        trained("tree").save(path)
        settings, arrays = parts_of(path)
        assert settings["children"] == [2, 0, 0] and settings["width"] == len(settings["words"]) == 10
        path.write_bytes(save(arrays, {"settings": json.dumps(settings | changed)}))
        with pytest.raises(MalformedRecord, match="its settings and arrays do not fit together"):
            DocumentClassifier.load(path)

    @pytest.mark.parametrize(
        ("technique", "name", "change"),
        [
            ("tree", "node-0-indices", lambda array: array + 10**6),
            ("tree", "node-0-indices", lambda array: array - 5),
            ("tree", "node-0-indptr", lambda array: array[::-1].copy()),
            ("tree", "node-0-data", lambda array: array[:-1]),
            ("tree", "node-1-labels", lambda array: array + 3),
            ("tree", "node-1-labels", lambda array: array - 3),
            ("tree", "node-1-bias", lambda array: np.append(array, 0)),
            ("tree", "thresholds_", lambda array: array[:-1]),
            ("1vsrest", "weights_", lambda array: array.T.copy()),
            ("1vsrest", "weights_", lambda array: array[:, :2].copy()),
            ("1vsrest", "bias_weights_", lambda array: array[None]),
            ("1vsrest", "classes_", lambda array: array[:-1]),
            ("cost_sensitive", "costs_", lambda array: array[:-1]),
            ("1vsrest", "idf", lambda array: array[:-1]),
        ],
    )
    def test_arrays_that_do_not_fit(self, technique, name, change, path):
        trained(technique).save(path)
        settings, arrays = parts_of(path)
        path.write_bytes(save(arrays | {name: change(arrays[name])}, {"settings": json.dumps(settings)}))
        with pytest.raises(MalformedRecord, match="its settings and arrays do not fit together"):
            DocumentClassifier.load(path)
