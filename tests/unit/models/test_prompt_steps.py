"""PTR stepped through: each step is that of the model."""

from helpers.core import SEMEVAL_RELATIONS
from helpers.data import RelationSample, parse_tagged
from helpers.models import build
from helpers.models.attribution import probabilities
from helpers.models.prompt_example import prompt_steps
from helpers.models.settings import Settings

CRASH = "the <e1>crash</e1> was caused by an <e2>attack</e2>"


def test_the_steps_are_those_of_the_model(tiny_bert):
    model = build("ptr", str(tiny_bert), SEMEVAL_RELATIONS, Settings(max_length=96), 9)
    sample = RelationSample("1", *parse_tagged(CRASH), "Cause-Effect(e2,e1)")
    steps = dict(prompt_steps(model, sample))
    (example,) = model.examples([sample])
    assert steps["tokens"].split() == model.encoder.tokenizer.convert_ids_to_tokens(example.ids)
    filled = "the effect crash effect of cause the cause attack"
    assert steps["template filled with them"] == filled
    allowed = [steps[f"words that mask {mask} may take"].split(", ") for mask in range(1, 6)]
    assert tuple(map(len, allowed)) == model.sizes
    best = steps["word with the highest logit at each mask"].split()
    assert all(word in words for word, words in zip(best, allowed, strict=True))
    chances = probabilities(model, sample)
    assert steps["relation with the highest sum of its five logits"] == max(chances, key=chances.get)
