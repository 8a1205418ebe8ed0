"""The classes of outcomes under the names that all tests use: renaming one, or giving it another form, is a
change of this file."""

from helpers.metrics.class_scores import BinaryCounts
from helpers.metrics.counts import Confusion, PairedOutcomes
from helpers.metrics.fact_samples import FactPair, PredictedFacts
from helpers.metrics.label_sets import LabelCounts, LabelSets
from helpers.metrics.multilabel import MultilabelOutcome
from helpers.metrics.ranking import RankingOutcome

__all__ = [
    "BinaryCounts",
    "Confusion",
    "FactPair",
    "LabelCounts",
    "LabelSets",
    "MultilabelOutcome",
    "PairedOutcomes",
    "PredictedFacts",
    "RankingOutcome",
]
