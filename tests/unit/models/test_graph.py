"""GCN and C-GCN: against dense formulas, whatever is in the batch; they learn, stop, and go on."""

import math
import random

import pytest
import torch

from helpers.data import ParsedSample, pruned_heads
from helpers.data.samples import word_spans
from helpers.experiments import Experiment
from helpers.models import build
from helpers.models.base import Settings
from helpers.models.graph import Gcn, GraphConvolution, _pooled, adjacency
from helpers.models.training import load_weights, save_weights
from tests.support import nightly

LABELS = ("Other", "Cause(e1,e2)", "Cause(e2,e1)")
VERBS = {"Other": "and", "Cause(e1,e2)": "causes", "Cause(e2,e1)": "suffers"}
NOUNS = ["fire", "panic", "flood", "noise", "war", "hunger"]
SMALL = {"vectors": "scratch", "tuned": True, "word_size": 8, "tag_size": 3, "hidden": 16}
EVEN = {"input_dropout": 0.0, "dropout": 0.0, "word_dropout": 0.0}
FAST = Settings(learning_rate=0.02, epochs=20, batch_size=4, warmup=0, precision="fp32", weight_decay=0)


def toy(count: int = 24, seed: int = 3, tags: bool = False) -> list[ParsedSample]:
    """`the old fire causes much panic` with its tree; the verb tells the relation; many lengths."""
    rng, samples = random.Random(seed), []
    for number in range(count):
        relation = LABELS[number % 3]
        words = ["the", *["old"] * rng.randrange(3), rng.choice(NOUNS), VERBS[relation]]
        verb = len(words)
        words += [*["much"] * rng.randrange(3), rng.choice(NOUNS)]
        tail = len(words)
        words += rng.choices(["here", "now", "often"], k=rng.randrange(4))
        heads = [verb - 1] * (verb - 2) + [verb, 0] + [tail] * (tail - verb - 1)
        heads += [verb] * (len(words) - tail + 1)
        spans, kinds = word_spans(words), tuple("NV"[place == verb - 1] for place in range(len(words)))
        about = (str(number), " ".join(words), spans[verb - 2], spans[tail - 1], relation, "EVENT", "STATE")
        samples.append(ParsedSample(*about, spans, tuple(heads), *([kinds] * 2 if tags else ((), ()))))
    return samples


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


def outputs(model: Gcn, examples) -> torch.Tensor:
    model.eval()
    with torch.inference_mode():
        return model(model.collate(examples))


def test_a_layer_is_the_formula_and_edges_are_those_of_the_tree() -> None:
    """h' = ReLU((W(A h) + W(h)) / (d + 1)), each word and number by itself."""
    torch.manual_seed(1)
    trees = [[2, 4, 2, 0, 4, -1], [0, 1, -1, -1, -1, -1]]
    vectors, layers = torch.randn(2, 6, 5), GraphConvolution(5, [4, 3], dropout=0.5).eval()
    found, expected = layers(vectors, adjacency(torch.tensor(trees))), vectors.clone()
    for layer in layers.layers:
        rows = []
        for heads, states in zip(trees, expected, strict=True):
            for word in range(6):
                near = [heads[word] - 1] if heads[word] > 0 else []
                near += [other for other in range(6) if heads[other] == word + 1]
                total = sum((states[other] for other in near), torch.zeros(states.shape[1]))
                rows.append(torch.relu((layer(total) + layer(states[word])) / (len(near) + 1)))
        expected = torch.stack(rows).view(2, 6, -1)
    assert torch.allclose(found, expected, atol=1e-6) and (found > 0).any()


@pytest.mark.parametrize("kind", ["gcn", "c-gcn"])
def test_a_model_reads_the_pruned_tree_and_nothing_else_of_it(kind) -> None:
    """The output from the formulas on the whole sentence, with words that do not stay masked."""
    model = new(kind, distance=0)
    model.prepare(SAMPLES)
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
        found = _pooled(model.graph(vectors, adjacency(heads)), parts)
        expected = model.classifier(found.flatten(1))
        assert torch.allclose(outputs(model, model.examples([sample]))[:, :-1], expected, atol=1e-5)
        assert not parts[0, 0].all()


class TestTraining:
    @pytest.mark.parametrize("kind", nightly(KINDS, 2, "avg", "sum", "whole", "frozen"))
    def test_it_learns_a_toy_set_and_the_batch_makes_no_difference(self, kind) -> None:
        model = new(kind)
        history = model.fit(SAMPLES, progress=False)
        found = model.predict(SAMPLES, progress=False)
        assert (found == [LABELS.index(one.relation) for one in SAMPLES]).mean() >= 0.95
        assert history.losses[-1] < 0.4 * history.losses[0]
        examples = model.examples(SAMPLES[:9])
        together, alone = outputs(model, examples), torch.cat([outputs(model, [one]) for one in examples])
        turned = outputs(model, examples[::-1]).flip(0)
        assert torch.allclose(together, alone, atol=1e-4) and torch.allclose(together, turned, atol=1e-4)
        assert len({one.length for one in examples}) > 3

    def test_the_loss_has_a_penalty(self) -> None:
        made = [new("gcn", penalty=penalty) for penalty in (0.0, 0.5)]
        found = []
        for model in made:
            model.prepare(SAMPLES)
            batch = model.collate(model.examples(SAMPLES[:4]))
            output = model(batch)
            found.append(model.losses(output, batch))
        heads = batch.extra["tree"][:, 0]
        vectors = made[0].graph(made[0]._inputs(batch), adjacency(heads))
        tree = _pooled(vectors, (heads >= 0)[:, None])[:, 0]
        assert torch.allclose(found[1] - found[0], 0.5 * tree.square().sum(dim=1), atol=1e-6)

    @pytest.mark.parametrize(("kind", "tags"), [("gcn", True), ("c-gcn", False), ("encoder", True)])
    def test_a_new_model_reads_the_weights_of_a_trained_one(self, kind, tags, tmp_path) -> None:
        samples = toy(12, tags=tags)
        whole = new(kind, FAST.changed({"epochs": 1}))
        whole.fit(samples, progress=False)
        save_weights(tmp_path / "w", whole)
        expected = outputs(whole, whole.examples(SAMPLES))  # with words that training did not have
        loaded = load_weights(tmp_path / "w", new(kind))
        assert torch.equal(outputs(loaded, loaded.examples(SAMPLES)), expected)
        other = new(kind)
        other.prepare(toy(6, seed=8, tags=not tags))  # whose words and tags are others
        load_weights(tmp_path / "w", other)
        assert torch.equal(outputs(other, other.examples(SAMPLES)), expected)
        with pytest.raises(ValueError, match="these weights do not fit the model"):
            load_weights(tmp_path / "w", new(kind, hidden=SMALL["hidden"] + 1))


def test_a_distance_without_end_is_recorded() -> None:
    assert Experiment("c-gcn", options={"distance": "inf"}).recorded()["options"]["distance"] == "inf"
