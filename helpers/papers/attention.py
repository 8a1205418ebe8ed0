"""What paper R's models read (Lyu et al. 2021): one trained live, and where three of them look.

The lesson: one model trained live, before and after paired sentences, the effect behind Tables II and V in
small. Runs and weights go where the caller says; what is stored there is not trained again. The case study of
section V-D, Figure 4: one sentence, three models. Trained weights are too large to keep, so what the figures
show is computed once (`case_study`) and stored as JSON with its provenance; `Studies` loads no model.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from .. import data, reporting
from ..core import SEMEVAL_RELATIONS, file_sha256, inverse_label, label_ids, write_atomically
from ..experiments import Experiment, run_experiment
from ..models import build
from ..runs import STUDIES_FOLDER, Run, safe_name
from .direction import NAMES

if TYPE_CHECKING:
    from ..models.entity_markers import RelationClassifier


def _scores(run: Run) -> dict[str, float]:
    return {NAMES[name]: 100 * value for name, value in reporting.paired_scores(run).items()}


@dataclass(frozen=True)
class _Trained:
    """A trained model, named as the papers write it: its run, the runs after each epoch, the classifier."""

    name: str
    run: Run
    epochs: dict[int, list[Run]]
    classifier: RelationClassifier

    @property
    def scores(self) -> dict[str, float]:
        """A, B, PD, PIR and PPR, per cent."""
        return _scores(self.run)

    def curve(self) -> pd.DataFrame:
        """One row an epoch: the five scores."""
        scores = {epoch: _scores(*runs) for epoch, runs in self.epochs.items()}
        return pd.DataFrame(scores).T.rename_axis("epoch")

    def answers(self, samples: Iterable[data.RelationSample]) -> pd.DataFrame:
        """What it predicts for sentences (cleaned as those of training), and how likely it finds it."""
        from ..models.attribution import probabilities

        rows = []
        for sample in samples:
            chances = probabilities(self.classifier, data.clean_sample(sample))
            best = max(chances, key=chances.get)
            row = {"model": self.name, "sentence": data.render(sample), "gold": sample.relation}
            rows.append(row | {"predicted": best, "p": round(chances[best], 3)})
        return pd.DataFrame(rows)

    def both_sides(self, text: str) -> pd.DataFrame:
        """`answers` for a tagged sentence whose relation is not known, and for its paired one."""
        sample = data.RelationSample("mine", *data.parse_tagged(text, data.TAGS), self.run.labels[0])
        return self.answers([sample, data.paired_sample(sample)]).drop(columns="gold")

    def blindness_text(self) -> str:
        """What the five scores say about direction, in words."""
        text = "{name} has an official macro-F1 of {A:.1f} % (A) on the test set and of {B:.1f} % (B) on the "
        text += "paired set. "
        if np.isnan(self.scores["PIR"]):
            text += "Nothing is right, so PIR is undefined, and PPR is 0."
        else:
            text += "Of its right answers {PIR:.1f} % stayed the same when the markers changed places (PIR); "
            text += "of the pairs {PPR:.1f} % are right on both sides (PPR)."
        return text.format(name=self.name, **self.scores)

    def answers_text(self, sample: data.RelationSample) -> str:
        """Whether the answer turns when the markers of a sentence change places, in words."""
        first, second = self.answers([sample, data.paired_sample(sample)]).itertuples()
        kept = first.predicted == second.predicted
        turned = second.predicted == inverse_label(first.predicted)
        what = "turns its answer with" if turned else "loses its way in"
        what = "gives the same answer to" if kept else what
        right = sum(row.predicted == row.gold for row in (first, second))
        text = f"{self.name} {what} the paired sentence ({first.p:.3f} and {second.p:.3f})"
        return f"{text}: right on {right} of 2."


def train_and_keep(experiment: Experiment, folder: Path | str, progress: bool = False) -> _Trained:
    """Train, keep run, weights and the outcome after each epoch in `folder`; what is there is only read.

    Raises as `run_experiment`.
    """

    from ..models.training import load_weights

    name = (experiment.dataset_name, experiment.name, experiment.encoder, str(experiment.seed))
    stem = "-".join(map(safe_name, name))
    weights, after = Path(folder) / f"{stem}.safetensors", Path(folder) / "epochs" / stem
    extras = {} if weights.exists() and after.exists() else {"weights": weights, "epochs": after}
    run = run_experiment(experiment, folder, progress=progress, **extras)
    settings, options = experiment.resolved(), experiment.options
    made = build(experiment.model, experiment.encoder, run.labels, settings, experiment.seed, **options)
    return _Trained(experiment.name, run, reporting.epoch_runs(after), load_weights(weights, made))


STUDIES = STUDIES_FOLDER / "attention"
SIDES = ("original", "paired")
GROUPS = ("[CLS], [SEP]", "markers", "key word", "literal relation", "entities", "other words")
MARKERS = tuple(marker.strip() for marker in data.RDR_MARKERS)
SPECIAL = ("[CLS]", "[SEP]")
DIGITS = 5
_TAGGED = "the deadly train <e1> crash </e1> was caused by terrorist <e2> attack </e2>"
FIGURE_4 = data.RelationSample("8219", *data.parse_tagged(_TAGGED, data.SPACED_TAGS), "Cause-Effect(e2,e1)")
"""The sentence of Figure 4: test item 218 of SemEval-2010 Task 8, cleaned as in the authors' files. The paper
prints the relation as Cause-Effect(e1,e2); the official key and the authors' files say (e2,e1)."""


class Studies(dict[str, dict[str, Any]]):
    """Model → its case study, as `case_study` gives it."""

    @classmethod
    def read(cls, *paths: Path | str) -> Studies:
        """Stored case studies; OSError if a file is missing."""
        studies = (json.loads(Path(path).read_text("utf-8")) for path in paths)
        return cls({study["model"]: study for study in studies})

    def sides(self) -> pd.DataFrame:
        """A row for each model and side: columns model, sentence (the side), then what a study says of it."""
        rows = ((name, side, study[side]) for name, study in self.items() for side in SIDES)
        return pd.DataFrame({"model": name, "sentence": side} | read for name, side, read in rows)

    def attention(self, key_word: str = "caused") -> pd.DataFrame:
        """One row a weight: model, layer and head (from 1), position (from 0), token, weight, sentence (the
        side), group (of `GROUPS`)."""
        tables = []
        for side in self.sides().itertuples():
            weights = np.array(side.attention)
            index = pd.MultiIndex.from_product(map(range, weights.shape), names=["layer", "head", "position"])
            frame = (index.to_frame(index=False) + [1, 1, 0]).assign(weight=weights.ravel())
            tables.append(frame.merge(_tokens(side, key_word), on="position"))
        columns = ["model", "layer", "head", "position", "token", "weight", "sentence", "group"]
        return pd.concat(tables, ignore_index=True)[columns]

    def group_shares(self, key_word: str = "caused") -> pd.DataFrame:
        """Share of each group of tokens in each layer, mean of the heads, per cent: model, sentence, layer,
        group (in the order of `GROUPS`), share."""
        keys = ["model", "sentence", "layer", "group"]
        summed = self.attention(key_word).groupby([*keys, "head"], sort=False)["weight"].sum()
        shares = (100 * summed.groupby(keys, sort=False).mean()).rename("share").reset_index()
        return shares.sort_values("group", key=pd.Index(GROUPS).get_indexer, kind="stable", ignore_index=True)

    def last_layer(self, key_word: str = "caused") -> pd.DataFrame:
        """Shares in the last layer, a row a model and side, a column a group."""
        shares = self.group_shares(key_word)
        own = shares[shares["layer"] == shares["layer"].max()]
        wide = own.pivot(index=["model", "sentence"], columns="group", values="share")
        return wide[[group for group in GROUPS if group in wide]].rename_axis(columns=None)

    def explained(self, name: str = "attribution", key_word: str = "caused") -> pd.DataFrame:
        """One row a token: model, sentence (a side), relation, position, token, value, score (the title of
        what is explained), group (of `GROUPS`).

        name : 'attribution' or 'direction'; a side without it has no rows.
        """
        tables = []
        for side in self.sides().itertuples():
            if part := getattr(side, name):
                what = {"direction": " over its inverse"}.get(name, " holds" if side.model == "EMR-C" else "")
                titles = {"relation": part["relation"], "score": part["relation"] + what}
                tables.append(_tokens(side, key_word).assign(value=part["values"], **titles))
        columns = ["model", "sentence", "relation", "position", "token", "value", "score", "group"]
        return pd.concat(tables, ignore_index=True)[columns]


def _tokens(side: Any, key_word: str) -> pd.DataFrame:
    """A row a token of a row of `Studies.sides`: position, token, group, model, sentence."""
    table = pd.DataFrame({"token": side.tokens, "group": _token_groups(side.tokens, key_word)})
    table = table.assign(model=side.model, sentence=side.sentence)
    return table.rename_axis("position").reset_index()


def _token_groups(tokens: Sequence[str], key: str = "caused") -> list[str]:
    """The group of each token, one of `GROUPS`: what the shares of attention are summed over.

    >>> _token_groups("[CLS] effect cause [SEP] [E11] fire [E12] caused the [E21] alarm [E22] [SEP]".split())
    ['[CLS], [SEP]', 'literal relation', 'literal relation', '[CLS], [SEP]', 'markers', 'entities', 'markers',
     'key word', 'other words', 'markers', 'entities', 'markers', '[CLS], [SEP]']
    """
    literal = tokens.index("[SEP]") if list(tokens).count("[SEP]") > 1 else 0
    named = dict.fromkeys(SPECIAL, GROUPS[0]) | dict.fromkeys(MARKERS, "markers")
    groups, inside = [], False
    for position, token in enumerate(tokens):
        if token in MARKERS:
            inside = token in MARKERS[::2]
        word = "key word" if token == key else "entities" if inside else "other words"
        groups.append(named.get(token, "literal relation" if position < literal else word))
    return groups


def case_study(
    experiment: Experiment,
    weights: Path | str,
    sample: data.RelationSample = FIGURE_4,
    folder: Path | str = STUDIES,
) -> dict[str, Any]:
    """Attention and attributions of a trained model on a sentence and its paired one; written as JSON too.

    The file is `<folder>/<model>.json`: model, data set, run file, encoder, seed, profile, the weights'
    sha256, and for each of `SIDES` the tokens, the gold and the predicted relation with probabilities,
    `attention` (layers, heads, tokens) of [CLS], `attribution`, the integrated gradients of the predicted
    relation's logit, and `direction`, those of the lead of the gold relation over its inverse. EMR-C reads
    the gold relation beside the sentence: its attribution is that of 'holds', and it has no direction.

    Raises ValueError if the weights do not fit the experiment's model; MissingData for a data set that is not
    here, as `build` else.
    """

    from ..models.training import load_weights

    made = (experiment.model, experiment.encoder, _labels(experiment), experiment.resolved())
    model = load_weights(Path(weights), build(*made, experiment.seed, **experiment.options))
    study = {
        "model": experiment.name,
        "dataset": experiment.dataset_name,
        "run": experiment.path("results/runs").as_posix(),
        "encoder": model.encoder.name,
        "encoder_sha256": model.encoder.sha256,
        "weights_sha256": file_sha256(weights),
        "seed": experiment.seed,
        "profile": experiment.profile,
        "sentence": sample.id,
    }
    for side, own in zip(SIDES, (sample, data.paired_sample(sample)), strict=True):
        study[side] = _reading(model, own)
    write_atomically(Path(folder) / f"{experiment.name.lower()}.json", _text(study))
    return study


def _labels(experiment: Experiment) -> tuple[str, ...]:
    if experiment.dataset == "semeval2010":  # known without its files
        return SEMEVAL_RELATIONS
    parts = data.read_corpus(experiment.dataset).values()
    return tuple(label_ids(sample.relation for part in parts for sample in part))


def _reading(model, sample: data.RelationSample) -> dict[str, Any]:
    """What the model reads in one sentence, and what it makes of it."""

    from ..models import attribution
    from ..models.entity_markers import LiteralRelationCls

    chances = attribution.probabilities(model, sample)
    gold, predicted, other = sample.relation, max(chances, key=chances.get), inverse_label(sample.relation)
    literal = isinstance(model, LiteralRelationCls)
    return {
        "text": data.render(sample, data.SPACED_TAGS),
        "gold": gold,
        "predicted": predicted,
        "probabilities": {name: round(chances[name], DIGITS) for name in (gold, other, predicted)},
        "tokens": attribution.tokens_read(model, sample),
        "attention": attribution.cls_attention(model, sample).astype(float).round(DIGITS).tolist(),
        "attribution": _attribution(model, sample, gold if literal else predicted, None),
        "direction": None if literal else _attribution(model, sample, gold, other),
    }


def _attribution(model, sample: data.RelationSample, relation: str, against: str | None) -> dict[str, Any]:
    from ..models import attribution

    explained = attribution.integrated_gradients(model, sample, relation, against)
    numbers = {name: round(getattr(explained, name), DIGITS) for name in ("score", "baseline", "gap")}
    values = explained.values.round(DIGITS).tolist()
    return {"relation": relation, "against": against, "steps": attribution.STEPS, **numbers, "values": values}


def _text(study: Mapping[str, Any]) -> str:
    """JSON with one field of the study a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in study.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"
