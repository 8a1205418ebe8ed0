"""GCN and C-GCN: against dense formulas, whatever is in the batch; they learn, stop, and go on."""

import json
import math
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from helpers.data import (
    Dataset,
    ParsedSample,
    pruned_heads,
    read_tacred,
    register_dataset,
    unregister_dataset,
)
from helpers.data.samples import word_spans
from helpers.experiments import Experiment, run_experiment
from helpers.models import build
from helpers.models.graph import ContextualGcn, Gcn, GraphConvolution, adjacency, pooled
from helpers.models.settings import Settings
from helpers.models.training import load_weights, save_weights
from helpers.models.word_vectors import WordVectors

LABELS = ("Other", "Cause(e1,e2)", "Cause(e2,e1)")
VERBS = {"Other": "and", "Cause(e1,e2)": "causes", "Cause(e2,e1)": "suffers"}
NOUNS = ["fire", "panic", "flood", "noise", "war", "hunger"]
SMALL = {"vectors": "scratch", "tuned": True, "word_size": 8, "tag_size": 3, "hidden": 16}
EVEN = {"input_dropout": 0.0, "dropout": 0.0, "word_dropout": 0.0}
FAST = Settings(learning_rate=0.02, epochs=20, batch_size=4, warmup=0, precision="fp32", weight_decay=0)


def toy(count: int = 24, seed: int = 3, tags: bool = False) -> list[ParsedSample]:
    """`the old fire causes much panic` with its tree; the verb tells the relation; many lengths."""
    rng, made = random.Random(seed), []
    for number in range(count):
        relation = LABELS[number % 3]
        words = ["the", *["old"] * rng.randrange(3), rng.choice(NOUNS), VERBS[relation]]
        verb = len(words)
        words += [*["much"] * rng.randrange(3), rng.choice(NOUNS)]
        tail = len(words)
        words += rng.choices(["here", "now", "often"], k=rng.randrange(4))
        heads = (
            [verb - 1] * (verb - 2)
            + [verb, 0]
            + [tail] * (tail - verb - 1)
            + [verb] * (len(words) - tail + 1)
        )
        spans = word_spans(words)
        known = (tuple("NV"[place == verb - 1] for place in range(len(words))),) * 2 if tags else ((), ())
        entities = spans[verb - 2], spans[tail - 1]
        made.append(
            ParsedSample(
                str(number),
                " ".join(words),
                *entities,
                relation,
                "EVENT",
                "STATE",
                spans,
                tuple(heads),
                *known,
            )
        )
    return made


SAMPLES = toy()
KINDS = {
    "gcn": ("gcn", {}),
    "c-gcn": ("c-gcn", {"states": 6}),
    "avg": ("gcn", {"pooling": "avg", "distance": 2, "layers": 1}),
    "sum": ("c-gcn", {"pooling": "sum", "distance": math.inf, "states": 6, "mlp_layers": 0}),
    "whole": ("gcn", {"distance": -1, "masked": True}),
    "encoder": ("gcn", {"vectors": "encoder", "tuned": True}),
    "frozen": ("c-gcn", {"vectors": "encoder", "tuned": False, "states": 6}),
}


def new(kind: str, settings: Settings = FAST, **options) -> Gcn:
    name, usual = KINDS[kind]
    return build(name, "", LABELS, settings, 9, **SMALL | EVEN | usual | options)


@pytest.fixture(scope="module")
def trained():
    made: dict[str, Gcn] = {}

    def model(kind: str) -> Gcn:
        if kind not in made:
            made[kind] = new(kind)
            made[kind].history = made[kind].fit(SAMPLES, progress=False)
        return made[kind]

    return model


def outputs(model: Gcn, examples) -> torch.Tensor:
    model.eval()
    with torch.inference_mode():
        return model(model.collate(examples))


class TestLayers:
    def test_a_layer_is_the_formula(self) -> None:
        """h' = ReLU((W(A h) + W(h)) / (d + 1)), each word and number by itself."""
        torch.manual_seed(1)
        heads = torch.tensor([[2, 4, 2, 0, 4, -1], [0, 1, -1, -1, -1, -1]])
        edges, vectors = adjacency(heads), torch.randn(2, 6, 5)
        layers = GraphConvolution(5, [4, 3], dropout=0.5).eval()
        found, expected = layers(vectors, edges), vectors.clone()
        for layer in layers.layers:
            rows = []
            for graph, states in zip(edges, expected, strict=True):
                for word in range(6):
                    near = [other for other in range(6) if graph[word, other]]
                    total = sum((states[other] for other in near), torch.zeros(states.shape[1]))
                    joined = layer(total) + layer(states[word])
                    rows.append(torch.relu(joined / (len(near) + 1)))
            expected = torch.stack(rows).view(2, 6, -1)
        assert torch.allclose(found, expected, atol=1e-6) and (found > 0).any()

    def test_edges_are_those_of_the_tree(self) -> None:
        heads = pruned_heads([2, 0, 4, 2, 4], [0], [3], 1)
        edges = adjacency(torch.as_tensor(heads)[None])[0]
        pairs = {(word, head - 1) for word, head in enumerate(heads.tolist()) if head > 0}
        assert {tuple(one) for one in edges.nonzero().tolist()} == pairs | {(b, a) for a, b in pairs}


@pytest.mark.parametrize("kind", ["gcn", "c-gcn"])
def test_a_model_reads_the_pruned_tree_and_nothing_else_of_it(kind) -> None:
    """The output from the formulas on the whole sentence, with words that do not stay masked."""
    model = new(kind, distance=0)
    model.prepare(FAST, SAMPLES)
    model.eval()
    for sample in SAMPLES[:6]:
        places = [sample.words_of(span) for span in (sample.head, sample.tail)]
        heads = torch.as_tensor(pruned_heads(sample.heads, *places, 0))[None]
        vectors = model.words(torch.tensor([model.words.ids(sample.tokens)]))
        vectors = model.lstm(vectors)[0] if model.recurrent else vectors
        parts = torch.zeros(1, 3, len(sample.words), dtype=torch.bool)
        parts[0, 0] = heads >= 0
        for row, words in enumerate(places, start=1):
            parts[0, row, list(words)] = True
        found = pooled(model.graph(vectors, adjacency(heads)), parts)
        expected = model.classifier(found.flatten(1))
        assert torch.allclose(outputs(model, model.examples([sample]))[:, :-1], expected, atol=1e-5)
        assert not parts[0, 0].all()


class TestEveryModel:
    @pytest.mark.parametrize("kind", KINDS)
    def test_it_learns_a_toy_set(self, kind, trained) -> None:
        model = trained(kind)
        found = model.predict(SAMPLES, progress=False)
        assert (found == [LABELS.index(one.relation) for one in SAMPLES]).mean() >= 0.95
        assert model.history.losses[-1] < 0.4 * model.history.losses[0]

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_batch_makes_no_difference(self, kind, trained) -> None:
        model = trained(kind)
        examples = model.examples(SAMPLES[:9])
        together, alone = outputs(model, examples), torch.cat([outputs(model, [one]) for one in examples])
        turned = outputs(model, examples[::-1]).flip(0)
        assert torch.allclose(together, alone, atol=1e-4) and torch.allclose(together, turned, atol=1e-4)
        assert len({one.length for one in examples}) > 3

    def test_the_loss_has_a_penalty(self) -> None:
        made = [new("gcn", penalty=penalty) for penalty in (0.0, 0.5)]
        found = []
        for model in made:
            model.prepare(FAST, SAMPLES)
            batch = model.collate(model.examples(SAMPLES[:4]))
            output = model(batch)
            found.append(model.losses(output, batch))
        heads = batch.extra["tree"][:, 0]
        vectors = made[0].graph(made[0]._inputs(batch), adjacency(heads))
        tree = pooled(vectors, (heads >= 0)[:, None])[:, 0]
        assert torch.allclose(found[1] - found[0], 0.5 * tree.square().sum(dim=1), atol=1e-6)

    @pytest.mark.parametrize("kind", ["c-gcn", "encoder"])
    def test_stopped_training_goes_on_to_the_same(self, kind, tmp_path) -> None:
        settings = FAST.changed({"epochs": 4})
        drops = {"input_dropout": 0.3, "dropout": 0.3, "word_dropout": 0.1}
        whole = new(kind, settings, **drops)
        losses = whole.fit(SAMPLES, progress=False).losses

        def stop(epoch: int) -> None:
            if epoch == 3:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            new(kind, settings, **drops).fit(SAMPLES, tmp_path / "c", stop, progress=False)
        resumed = new(kind, settings, **drops)
        assert resumed.fit(SAMPLES, tmp_path / "c", progress=False).losses == losses
        assert all(
            torch.equal(a, b)
            for a, b in zip(whole.state_dict().values(), resumed.state_dict().values(), strict=True)
        )
        save_weights(tmp_path / "w", resumed)
        loaded = new(kind, settings)
        loaded.prepare(settings, SAMPLES)
        load_weights(tmp_path / "w", loaded)
        assert torch.equal(outputs(whole, whole.examples(SAMPLES)), outputs(loaded, loaded.examples(SAMPLES)))

    @pytest.mark.parametrize("kind", ["gcn", "c-gcn", "encoder"])
    @pytest.mark.parametrize("tags", [False, True])
    def test_a_new_model_reads_the_weights_of_a_trained_one(self, kind, tags, tmp_path) -> None:
        samples = toy(12, tags=tags)
        whole = new(kind, FAST.changed({"epochs": 1}))
        whole.fit(samples, progress=False)
        save_weights(tmp_path / "w", whole)
        expected = outputs(whole, whole.examples(SAMPLES))  # with words that training did not have
        loaded = load_weights(tmp_path / "w", new(kind))
        assert torch.equal(outputs(loaded, loaded.examples(SAMPLES)), expected)
        other = new(kind)
        other.prepare(FAST, toy(6, seed=8, tags=not tags))  # whose words and tags are others
        load_weights(tmp_path / "w", other)
        assert torch.equal(outputs(other, other.examples(SAMPLES)), expected)
        with pytest.raises(ValueError, match="these weights do not fit the model"):
            load_weights(tmp_path / "w", new(kind, hidden=SMALL["hidden"] + 1))


class TestWordVectors:
    def test_of_the_encoder_new_words_have_theirs(self) -> None:
        vectors = WordVectors("encoder")
        vectors.prepare([["Fire", "and", "panic"]], seed=1)
        alone, later = vectors.ids(["fire"]), vectors.ids(["volcanoes", "fire", "Volcanoes"])
        assert later[1] == alone[0] and later[0] == later[2] == len(vectors.known) + 1
        tokenizer, weight = vectors._pieces
        pieces = tokenizer("volcanoes", add_special_tokens=False)["input_ids"]
        found = vectors(torch.tensor([later]))[0]
        assert torch.allclose(found[0], weight[pieces].mean(0), atol=1e-6) and not torch.equal(
            found[0], found[1]
        )
        assert vectors(torch.tensor([later]))[0, 0].tolist() == found[2].tolist()

    def test_of_a_file(self, tmp_path) -> None:
        (tmp_path / "v.txt").write_text("Fire 1 2\nfire 3 4\npanic 5 6\nnever 7 8\n")
        vectors = WordVectors(tmp_path / "v.txt")
        vectors.prepare([["Fire", "Panic", "other"], ["fire"]], seed=1, always=["SUBJ"])
        assert sorted(vectors.known) == ["Fire", "SUBJ", "fire", "panic"]
        rows = vectors(torch.tensor(vectors.ids(["Fire", "FIRE", "Panic", "never"]))).tolist()
        assert rows[:3] == [[1, 2], [3, 4], [5, 6]] and vectors.ids(["never", "SUBJ"])[0] == 1
        assert vectors.width == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "mean"}, "unknown pooling 'mean'"),
        ({"distance": 0.5}, "distance is 0.5"),
        ({"hidden": 0}, "hidden is 0"),
        ({"dropout": 1.0}, "dropout is 1.0; it must be in"),
        ({"penalty": -1.0}, "neither may be negative"),
    ],
)
def test_options_that_are_refused(options, message) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ContextualGcn(LABELS, **options)


def test_a_sample_without_a_tree_is_refused() -> None:
    from helpers.data import RelationSample

    plain = RelationSample("x", "fire and panic", (0, 4), (9, 14), "Other")
    with pytest.raises(ValueError, match="sample x has no dependency tree"):
        new("gcn").fit([plain], progress=False)
    with pytest.raises(ValueError, match="sample 0: relation 'Other' is not in labels"):
        Gcn(["a"], **SMALL).fit(SAMPLES, progress=False)


class TestRuns:
    """From a data set with trees to a run file."""

    @pytest.fixture
    def dataset(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        for split, seed in (("train", 3), ("test", 4)):
            items = [
                {
                    "id": one.id,
                    "relation": one.relation,
                    "token": list(one.tokens),
                    "stanford_head": list(one.heads),
                }
                | {"subj_start": one.words_of(one.head)[0], "subj_end": one.words_of(one.head)[0]}
                | {"obj_start": one.words_of(one.tail)[0], "obj_end": one.words_of(one.tail)[0]}
                for one in toy(seed=seed)
            ]
            Path(f"{split}.json").write_text(json.dumps(items))
        files = {split: tmp_path / f"{split}.json" for split in ("train", "test")}
        fields = {"reader": read_tacred, "directed": True, "parsed": True}
        yield register_dataset(Dataset("toy", files=files, negative="Other", **fields)).name
        unregister_dataset("toy")

    def test_a_run_with_its_paired_set(self, dataset, tmp_path) -> None:
        options = SMALL | EVEN | {"states": 6, "distance": math.inf}
        experiment = Experiment("c-gcn", dataset, options=options, settings=FAST)
        assert experiment.text == "parsed" and experiment.dataset_name == "toy"
        run = run_experiment(experiment, tmp_path / "runs", progress=False)
        assert run.n == 24 and run.kind == "paired" and run.options["distance"] == "inf"
        assert run.outcome().per_class().correct.sum() >= 20
        again = run_experiment(experiment, tmp_path / "runs", progress=False)
        assert again == run
        assert experiment.recorded()["options"] == run.options
        short = replace(experiment, merged=True, settings=FAST.changed({"epochs": 1}))
        merged = run_experiment(short, tmp_path / "runs", progress=False)
        assert merged.hyperparameters["training_samples"] == 48 and merged.model == "C-GCN-M"

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"dataset": "demo"}, "demo has no dependency trees. Data sets with trees: semeval2010"),
            ({"text": "clean"}, "model c-gcn reads text 'parsed', not 'clean'"),
            ({"encoder": "bert"}, "model c-gcn has no encoder"),
        ],
    )
    def test_what_does_not_go_together(self, changes, message) -> None:
        with pytest.raises(ValueError, match=re.escape(message)):
            Experiment("c-gcn", **changes)
