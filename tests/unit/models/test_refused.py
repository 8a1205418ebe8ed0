"""Settings, options and samples that models refuse, and what is said of them."""

import pytest

from helpers.core import SEMEVAL_RELATIONS
from helpers.data import Bag, RelationSample, parse_tagged
from helpers.experiments import Experiment
from helpers.models import attribution, build
from helpers.models.base import Settings
from helpers.models.baselines import Majority, TfidfBag
from helpers.models.encoder import load_encoder
from helpers.models.inputs import tokenize_marked
from helpers.models.sentence_encoders import Cnn
from helpers.models.type_restriction import TypeRestriction

CRASH = parse_tagged("the deadly train <e1>crash</e1> was caused by terrorist <e2>attack</e2>")
SAMPLE = RelationSample("7", *CRASH, "Cause-Effect(e2,e1)")
LABELS = ("NA", "born", "died")
RESTRICTED = TypeRestriction(("Other", SAMPLE.relation), lambda labels, seed: Majority(labels))
ZORGONITE = ("Other", "Zorgonite-Whole(e1,e2)", "Zorgonite-Whole(e2,e1)")
POSITIVE, COUNT = "a positive, finite number", "a positive whole number"
NOT_NEGATIVE, SHARE = "a finite number from 0 up", "in [0, 1), or none"
INF, NAN = float("inf"), float("nan")
BAD = [("learning_rate", value, POSITIVE) for value in (0, NAN, "none")]
BAD += [("epsilon", value, POSITIVE) for value in (0, INF, -INF)]
BAD += [("epochs", value, COUNT) for value in (0, "1.5", "true")]
BAD += [(name, -1, COUNT) for name in ("batch_size", "accumulate", "max_length")]
BAD += [(name, -0.1, NOT_NEGATIVE) for name in ("weight_decay", "warmup", "clip")]
BAD += [("clip", NAN, NOT_NEGATIVE), ("dropout", 1.0, SHARE), ("dropout", -0.1, SHARE)]


def classifier(name: str, labels=SEMEVAL_RELATIONS, **options):
    return lambda folder: build(name, folder, labels, Settings(), 9, **options)


def gradients(name: str, **arguments):
    model = classifier(name)
    return lambda folder: attribution.integrated_gradients(model(folder), SAMPLE, **arguments)


def fit_bags(*relations: tuple[str, ...]):
    bags = [Bag("a", "b", own, (SAMPLE,)) for own in relations]
    return [lambda _, kind=kind: kind(LABELS).fit(bags, progress=False) for kind in (Cnn, TfidfBag)]


REFUSED = [
    *((lambda _, k=name, v=value: Settings(**{k: v}), f"{name} is {value!r}; it must be {must}")
      for name, value, must in BAD),
    (gradients("em-c", relation="Cause"), "'Cause' is none that the model scores"),
    (gradients("em-c", relation="Other", against="Cause"), "'Cause' is none that the model scores"),
    (gradients("emr-c", relation="Other", against="Cause-Effect(e1,e2)"), "one relation at a time"),
    (gradients("em-c", relation="Other", steps=0), "steps is 0"),
    (classifier("ptr", ZORGONITE), "label word 'zorgonite' is not one token of tiny-bert: "),
    (lambda folder: load_encoder(folder, layers=0), "cannot be loaded: layers is 0; it has 2"),
    (lambda folder: load_encoder(folder, layers=3), "cannot be loaded: layers is 3; it has 2"),
    (lambda _: tokenize_marked(None, [SAMPLE], [[7, 8], [9], [1, 2], [3]], 5), "four markers need at least"),
    (classifier("cnn", bag_size=-1), "bag_size is -1; it must be a whole number from 0 up"),
    (classifier("cnn", filters=0), "filters is 0; it must be a positive whole number"),
    (classifier("r-bert", dropout=1.0), "dropout is 1.0; it must be in [0, 1)"),
    (classifier("bgwa", training="sentence"), "'query' is learnt from bags: choose training 'bag'"),
    (classifier("cnn", aggregator="max"), "unknown aggregator 'max'"),
    *((call, "bags[1] has 2 relations: train on") for call in fit_bags(("born",), ("born", "died"))),
    *((call, "bags[0]: relation 'wed' is not in labels") for call in fit_bags(("wed",))),
    *((call, "there is nothing to train on") for call in fit_bags()),
    (lambda _: build("majority", None, LABELS, None, 0).fit([]), "there is nothing to train on"),
    (lambda _: build("svm", None, LABELS, None, 0).fit([SAMPLE]), "relation 'Cause-Effect(e2,e1)' is not in"),
    (classifier("c-gcn", pooling="mean"), "unknown pooling 'mean'"),
    (classifier("c-gcn", distance=0.5), "distance is 0.5"),
    (classifier("c-gcn", hidden=0), "hidden is 0; it must be a positive whole number"),
    (classifier("c-gcn", dropout=1.0), "dropout is 1.0; it must be in"),
    (classifier("recent", base="gcn", mlp_layers=-1), "mlp_layers is -1; it must be a whole number"),
    (classifier("c-gcn", penalty=-1.0), "penalty is -1.0; it must be a finite number from 0 up"),
    (classifier("recent", base="recent"), "the base of recent is another model, not recent"),
    (lambda _: classifier("gcn", vectors="scratch")("").fit([SAMPLE]), "sample 7 has no dependency tree"),
    (lambda _: RESTRICTED.fit([SAMPLE]), "sample 7 has no entity types"),
    (lambda _: RESTRICTED.predict([SAMPLE]), "before it is trained"),
    (lambda _: Experiment("c-gcn", dataset="demo", text="parsed"), "data set with dependency trees 'demo'"),
    (lambda _: Experiment("c-gcn", text="clean"), "model c-gcn reads text parsed or spacy, not clean"),
    (lambda _: Experiment("c-gcn", encoder="bert"), "model c-gcn has no encoder"),
    (lambda _: Experiment("cnn", "demo", profile="papers").resolved(), "did you mean 'paper'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_the_message_names_the_argument(call, message, tiny_bert):
    with pytest.raises(ValueError) as caught:
        call(str(tiny_bert))
    assert message in str(caught.value)
