"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

Reading order: `labels`, `columns`, `strings` (any column of labels becomes codes) → `tally`, `cells` (the
pass that counts) → `counts` (`Confusion`, `PairedOutcomes`) → `weighting` (class weights) → `scores` (the
report) → `semeval` and `direction` (the measures of SemEval-2010 Task 8 and of relation direction
recognition) → `significance`, `resampling`, `agreement` (how sure are we, and does the ranking hold?).

This room needs numpy and scipy and nothing else of `helpers`; it reads no files and draws nothing.
"""
