"""What each model reads of a sentence, and one model trained live, before and after paired sentences.

The effect behind R's Tables II and V in small. Runs and weights go where the caller says; what is stored
there is not trained again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..core import inverse_label
from ..data import NEGATIVE, TAGS, RelationSample, clean_sample, paired_sample, parse_tagged, render
from ..experiments import Experiment, run_experiment
from ..metrics import SCHEMES, Outcome, averages
from ..models import EMBEDDED, build, default_settings
from ..reporting import epoch_runs, paired_scores
from ..runs import Run, safe_name
from .direction import NAMES

if TYPE_CHECKING:
    from ..models.network import RelationClassifier

READS = {
    "em-c": "EM-C: the vector of [CLS] → one score for each relation",
    "em-es": "EM-ES: the vectors of the two opening markers → one score for each relation",
    "r-bert": "R-BERT: [CLS] and the mean of each entity → one score for each relation",
    "emr-c": "EMR-C: the vector of [CLS] → does the relation in front hold? Asked once for each relation",
    "ptr": "PTR: the vectors of the five masks → which words stand there? A relation is five words",
}
"""Model → what its classifier makes of which tokens."""
_READ = {"em-es": ["[E11]", "[E21]"], "ptr": ["[MASK]"]}
"""These tokens, where they are not [CLS]."""


def model_inputs(sample: RelationSample, labels: Sequence[str], encoder: str = EMBEDDED) -> pd.DataFrame:
    """The tokens that each model of `READS` is given for one sentence, and which of them it looks at.

    Returns
    -------
    Columns model (a title of `READS`), position, token, read (whether the classifier on top uses the vector
    that the encoder makes of the token). EMR-C is shown with the sentence's own relation.

    >>> sample = RelationSample("1", "fire and panic", (0, 4), (9, 14), "Cause-Effect(e1,e2)")
    >>> table = model_inputs(sample, ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Other"])
    >>> table[table["read"]].groupby("model", sort=False)["token"].agg(" ".join).tolist()
    ['[CLS]', '[E11] [E21]', '[CLS] fire panic', '[CLS]', '[MASK] [MASK] [MASK] [MASK] [MASK]']
    """

    from ..models import attribution

    tables = []
    for name, title in READS.items():
        model = build(name, encoder, labels, default_settings(name), seed=9)  # as before training
        tokens = pd.Series(attribution.tokens_read(model, sample), name="token")
        table = tokens.rename_axis("position").reset_index().assign(model=title)
        table["read"] = tokens.isin(_READ.get(name, ["[CLS]"]))
        for mark in "$#" if name == "r-bert" else "":  # an entity stands between two of them
            is_mark = tokens == mark
            table["read"] |= is_mark.cumsum().eq(1) & ~is_mark
        tables.append(table[["model", "position", "token", "read"]])
    return pd.concat(tables, ignore_index=True)


def lesson_experiments(
    model: str, dataset: str, merged: bool, epochs: int = 0, sentences: int = 0, **others: object
) -> list[Experiment]:
    """The model on the training sentences and, if `merged`, on these and their paired ones.

    Parameters
    ----------
    epochs, sentences : 0: three epochs and as many sentences as usual in profile quick, else as the settings
        of the profile say. others : seed, encoder, profile, as for `Experiment`.

    >>> [(one.name, one.resolved().epochs) for one in lesson_experiments("em-c", "demo", merged=True)]
    [('EM-C', 3), ('EM-C-M', 3)]
    """
    plain = Experiment(model, dataset, sentences=sentences or None, **others)
    changes = {"epochs": 3, "learning_rate": 2e-4} if plain.profile == "quick" else {}
    changes |= {"epochs": epochs} if epochs else {}
    plain = plain.with_settings(changes=changes)
    return [plain, replace(plain, merged=True)] if merged else [plain]


def _scores(run: Run) -> dict[str, float]:
    return {NAMES[name]: 100 * value for name, value in paired_scores(run).items()}


@dataclass(frozen=True)
class _Trained:
    """A trained model: its run, the runs after each epoch, and the classifier itself."""

    experiment: Experiment
    run: Run
    epochs: dict[int, list[Run]]
    classifier: RelationClassifier

    @property
    def name(self) -> str:
        """The model as the papers write it."""
        return self.experiment.name

    @property
    def scores(self) -> dict[str, float]:
        """A, B, PD, PIR and PPR, per cent."""
        return _scores(self.run)

    def curve(self) -> pd.DataFrame:
        """One row an epoch: the five scores, and the mean loss of the training sentences."""
        table = pd.DataFrame({epoch: _scores(*runs) for epoch, runs in self.epochs.items()}).T
        return table.assign(loss=self.run.history["losses"]).rename_axis("epoch")

    def answers(self, samples: Iterable[RelationSample]) -> pd.DataFrame:
        """What it predicts for sentences (cleaned as those of training), and how likely it finds it."""
        from ..models.attribution import probabilities

        rows = []
        for sample in samples:
            chances = probabilities(self.classifier, clean_sample(sample))
            best = max(chances, key=chances.get)
            row = {"model": self.name, "sentence": render(sample), "gold": sample.relation}
            rows.append(row | {"predicted": best, "p": round(chances[best], 3)})
        return pd.DataFrame(rows)

    def both_sides(self, text: str) -> pd.DataFrame:
        """`answers` for a tagged sentence whose relation is not known, and for its paired one."""
        sample = RelationSample("mine", *parse_tagged(text, TAGS), self.run.labels[0])
        return self.answers([sample, paired_sample(sample)]).drop(columns="gold")

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

    def answers_text(self, sample: RelationSample) -> str:
        """Whether the answer turns when the markers of a sentence change places, in words."""
        first, second = self.answers([sample, paired_sample(sample)]).itertuples()
        kept = first.predicted == second.predicted
        turned = second.predicted == inverse_label(first.predicted)
        what = (
            "gives the same answer to" if kept else "turns its answer with" if turned else "loses its way in"
        )
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
    return _Trained(experiment, run, epoch_runs(after), load_weights(weights, made))


RARE = 10
RIGHT = {"specialist": (0.93, 0.2), "generalist": (0.8, 0.8)}
"""System → how often it is right on a label with at least `RARE` sentences, and on a rarer one."""


def invented_predictions(
    gold: pd.Series, seed: int, right: Mapping[str, tuple[float, float]] = RIGHT
) -> dict[str, pd.Series]:
    """Predictions of systems that do not exist: each right as often as `right` says, else any label.

    >>> gold = pd.Series(["a"] * 20 + ["b"] * 2)
    >>> found = invented_predictions(gold, 1)
    >>> list(found), len(found["specialist"])
    (['specialist', 'generalist'], 22)
    """
    rng = np.random.default_rng(seed)
    frequent = gold.map(gold.value_counts()) >= RARE
    predictions = {}
    for name, (if_frequent, if_rare) in right.items():
        hits = rng.random(len(gold)) < np.where(frequent, if_frequent, if_rare)
        predictions[name] = gold.where(hits, rng.permutation(gold))
    return predictions


def invented_leads(
    gold: pd.Series, seeds: Iterable[int], right: Mapping[str, tuple[float, float]] = RIGHT
) -> pd.DataFrame:
    """F1 of the specialist minus F1 of the generalist, in points, for each seed and scheme.

    Returns columns seed, scheme, lead.

    >>> leads = invented_leads(pd.Series(["a"] * 20 + ["Other"] * 2), [1, 2])
    >>> len(leads), list(leads.columns)
    (10, ['seed', 'scheme', 'lead'])
    """
    rows = []
    for seed in seeds:
        scores = [
            averages(Outcome.from_columns(gold.tolist(), labels.tolist()), negative=NEGATIVE)
            for labels in invented_predictions(gold, seed, right).values()
        ]
        rows += zip([seed] * len(SCHEMES), SCHEMES, 100 * (scores[0] - scores[1]), strict=True)
    return pd.DataFrame(rows, columns=["seed", "scheme", "lead"])
