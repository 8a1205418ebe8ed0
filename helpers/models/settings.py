"""Training settings: what may be set, the papers' values, and the values found here for the embedded encoder.

The search behind `STANDARD` is in results/tables/hyperparameters.csv: a seeded tenth of the training data was
held out for it, never the test set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Settings:
    """How a model is trained.

    learning_rate, epochs, batch_size : `batch_size` examples make one optimiser step.
    optimizer : 'adamw' (weight decay, not on biases and normalisations) or 'adam' (none).
    schedule : 'linear' falls to 0 at the last step, 'constant' stays; before that, `warmup` steps of linear
        rise: a number of steps if at least 1, else a share of all steps.
    clip : the gradient's largest norm; 0 does not clip.
    accumulate : an optimiser step is computed in that many parts; the result is the same but for rounding.
    dropout : of the encoder; None keeps its own.
    max_length : most tokens of an input.
    marker_vectors : where the vectors of added marker tokens start: 'random', drawn one by one as in the
        papers' days, or 'mean', all close to the mean of the vocabulary, as transformers does since 4.46.
        From the former EM-C learns more about direction (results/studies/ablations).
    precision : 'fp32', 'bf16' (mixed: weights and sums stay fp32), or 'auto': bf16 where the processor or GPU
        has instructions for it.

    Raises
    ------
    ValueError : a value is out of range; the message names it.

    >>> Settings(learning_rate=0.0)
    Traceback (most recent call last):
    ValueError: learning_rate is 0.0; it must be positive
    """

    learning_rate: float = 1e-4
    epochs: int = 5
    batch_size: int = 32
    optimizer: Literal["adamw", "adam"] = "adamw"
    weight_decay: float = 0.01
    epsilon: float = 1e-8
    schedule: Literal["linear", "constant"] = "linear"
    warmup: float = 0.1
    clip: float = 1.0
    accumulate: int = 1
    dropout: float | None = None
    max_length: int = 128
    marker_vectors: Literal["random", "mean"] = "random"
    precision: Literal["auto", "bf16", "fp32"] = "auto"

    def __post_init__(self) -> None:
        for name in ("learning_rate", "epochs", "batch_size", "epsilon", "accumulate", "max_length"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be positive")
        for name in ("weight_decay", "warmup", "clip"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it must not be negative")
        if self.dropout is not None and not 0 <= self.dropout < 1:
            raise ValueError(f"dropout is {self.dropout}; it must be in [0, 1)")
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                raise ValueError(f"{name} is {getattr(self, name)!r}; known: {', '.join(known)}")

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of the step-th of `steps` optimiser steps, from 0.

        >>> [round(Settings(learning_rate=1.0, warmup=2).rate(step, 6), 3) for step in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
        """
        warmup = self.warmup if self.warmup >= 1 else self.warmup * steps
        if step < warmup:
            return self.learning_rate * min(1.0, (step + 1) / warmup)
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * (steps - step) / max(steps - warmup, 1)


_CHOICES = {
    "optimizer": ("adamw", "adam"),
    "schedule": ("linear", "constant"),
    "marker_vectors": ("random", "mean"),
    "precision": ("auto", "bf16", "fp32"),
}

STANDARD = {
    "em-c": Settings(learning_rate=1e-4),
    "em-es": Settings(learning_rate=1e-4),
    "r-bert": Settings(learning_rate=1e-4),
    "emr-c": Settings(learning_rate=1e-4),
    "ptr": Settings(learning_rate=2e-4),
}
"""For the embedded encoder."""
_LYU = Settings(learning_rate=2e-5, epochs=5, batch_size=100, schedule="constant", warmup=0, clip=0)
"""Lyu et al. 2021 for base encoders; for large ones the batch is 20. Schedule, clipping: not stated."""

PAPER = {
    "em-c": _LYU,
    "em-es": Settings(
        learning_rate=3e-5,
        epochs=5,
        batch_size=64,
        optimizer="adam",
        schedule="constant",
        warmup=0,
        clip=0,
        max_length=512,
    ),
    "r-bert": Settings(learning_rate=2e-5, epochs=5, batch_size=16, optimizer="adam", warmup=0, clip=0),
    "emr-c": _LYU,
    "ptr": Settings(learning_rate=3e-5, epochs=5, batch_size=64, epsilon=1e-6, warmup=500, max_length=512),
}
"""As published: EM-C and EMR-C by Lyu et al. 2021, EM-ES as BERT_EM by Harbecke et al. 2022, R-BERT by Wu and
He 2019, PTR by Han et al. 2021 (500 warm-up steps: on SemEval's 6507 sentences, 500 of 510)."""
