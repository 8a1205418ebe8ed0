"""The classes of outcomes under the names that all tests use: renaming one, or giving it another form, is a
change of this file."""

from helpers.metrics import ClassCounts, MultilabelOutcome, Outcome, RankingOutcome

__all__ = ["ClassCounts", "MultilabelOutcome", "Outcome", "RankingOutcome"]
