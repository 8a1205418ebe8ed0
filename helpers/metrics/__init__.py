"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

Reading order: `labels`, `columns`, `strings` (any column of labels becomes codes) → `tally`, `cells` (the
pass that counts) → `counts` (`Confusion`, `PairedOutcomes`) → `weighting` (class weights) → `scores` (the
report) → `semeval` and `direction` (the measures of SemEval-2010 Task 8 and of relation direction
recognition) → `significance`, `resampling`, `agreement` (how sure are we, and does the ranking hold?).

Instances with several labels: `label_matrix`, `label_columns` (truth), `topk`, `label_scores`,
`ranked_labels` (scores and their order) → `multilabel_outcome` (the pass that counts) → `rank_values`,
`ranking` (P@K, R@K, RP@K, NDCG@K), `label_counts`, `label_sets`, `multilabel` (F-measures under every
scheme) → `zero_shot`.

This room needs numpy and scipy and nothing else of `helpers`; it reads no files and draws nothing.
"""
