"""Commands on label sets, ranked facts, sets of triples and documents in DocRED's form."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from . import app, base
from .base import FILE, bootstrap, flag, forms, option, put_report, result_of
from .score import FAIL_UNDER, put_scores, threshold

LABELS = "Labels that the schemes average: listed (default), observed (gold or predicted somewhere), "
LABELS += "supported (gold somewhere)."
THRESHOLD = "Predict labels with scores above it (default 0; 0.5 is usual for probabilities)."


@app.command("score-multilabel")
@option("--truth", "T", "The gold labels, a matrix of 0 and 1.", FILE, required=True)
@option("--scores", "S", "A score for each document and label.", FILE, required=True)
@base.KS
@flag("--multiclass", "Predict the best label of each document.")
@option("--threshold", "X", THRESHOLD, float, default=0.0)
@option("--labels", "L", LABELS, ["listed", "observed", "supported"], default="listed")
@base.SCHEMES
@bootstrap()
@forms("table", "json")
def _score_multilabel(truth: str, scores: str, form: str, **options: Any) -> None:
    """Ranking measures and F-measures of label scores, under every scheme.

    The truth is a matrix of 0 and 1, one row a document and one column a label, the scores are a matrix of
    the same shape: .csv without header, .npy, or .npz (scipy.sparse.save_npz; what is not stored is 0). A
    label is predicted if its score is above 0 (--threshold for probabilities), with --multiclass the best one
    of each document. Of equal scores the label further left comes first.

    JSON has the keys P@K, R@K, RP@K, NDCG@K for each K, Macro-F1, Micro-F1, Macro*-F1, and schemes: name → F1
    averaged under that scheme over the labels that --labels names.

    examples:
      python -m helpers score-multilabel --truth truth.csv --scores scores.npy
      python -m helpers score-multilabel --truth t.npz --scores s.npz --k 1,3,5 --bootstrap 10000
    """
    from ..evaluation import score_multilabel

    put_report(score_multilabel(truth, scores, **options), form)


RECALL = option("--recall", "R", "Score the list up to the first rank with this recall.", float)
FACTS = option("--facts", "FACTS", "The true facts, with columns head, tail and relation.", FILE)
N_FACTS = option("--n-facts", "N", "Number of true facts behind a published list.", click.IntRange(1, 2**53))
LEFT_OUT = "The negative class: its rows are left out (else recognised by a name such as NA; '' for none)."


FIXED = "Give F1 of the facts with at least this score, too, e.g. 0.5."


@app.command("score-facts")
@click.argument("predictions", metavar="PREDICTIONS", type=FILE)
@FACTS
@RECALL
@option("--threshold", "X", FIXED, float)
@option("--negative", "L", LEFT_OUT)
@N_FACTS
@base.SCHEMES
@bootstrap()
@forms("table", "json", "csv", "latex")
@base.LATEX
@base.RAW
def _score_facts(predictions: str, **options: Any) -> None:
    """Distant supervision: a ranked list of facts against the true ones.

    PREDICTIONS (.csv, .tsv, .jsonl or .parquet, also .gz) has the columns head, tail, relation and score, one
    row for every entity pair and relation but the negative class; FACTS has head, tail and relation. Or
    PREDICTIONS is a published list with precision and recall, one row a rank, and score if it is known; in
    the order of ranks, or in scikit-learn's, of falling recall. Of equal scores the one further up comes
    first, in areas and precision at N; a threshold takes all of them or none, so the best F1 can be below
    OpenNRE's, which may cut between equal scores.

    A fact that is scored twice counts where its score is higher, a true fact listed twice counts once, a true
    fact of a pair or a relation that is never scored counts as not found, and what is not scored of the pairs
    and relations in PREDICTIONS comes last: how many these are is noted on standard error. A published list
    is refused, with the line, where scores rise, and where precision and recall fit no rank.

    JSON has the keys auc (between the points of the curve, as OpenNRE has it), auc_anchored,
    average_precision, micro_f1 (the best over all thresholds), threshold, rank, macro_f1 (at the threshold, a
    relation without true facts is 0), macro_f1_supported (without these relations), precision_at, schemes,
    per_relation, n_predictions, n_facts, precision and recall at the end of the list, signature; with
    --threshold fixed_threshold, fixed_micro_f1, fixed_macro_f1, fixed_macro_f1_supported (of the whole list);
    and intervals (--bootstrap draws entity pairs; with --recall every replicate is cut where it reaches it).

    examples:
      python -m helpers score-facts mine.csv --facts true.csv
      python -m helpers score-facts mine.jsonl.gz --facts true.csv --bootstrap 1000 --format json
      python -m helpers score-facts mine.csv --facts true.csv --threshold 0.5
      python -m helpers score-facts published.csv --recall 0.2
    """
    from ..evaluation import score_fact_file

    result = result_of(options)
    put_report(score_fact_file(predictions, **options), **result)


@app.command("compare-facts")
@click.argument("first", metavar="A", type=FILE)
@click.argument("second", metavar="B", type=FILE)
@FACTS
@RECALL
@option("--negative", "L", LEFT_OUT)
@N_FACTS
@bootstrap(default=10_000, least=1)
@forms("table", "json", "csv")
@base.RAW
def _compare_facts(first: str, second: str, **options: Any) -> None:
    """Two ranked lists of facts: do they differ beyond chance?

    A and B are files as in `score-facts`. Of scored facts, entity pairs are drawn for both together, and p is
    two-sided, corrected by Holm. Published lists have intervals each by itself and there is no p. Lists that
    end at different recalls are cut by --recall, or their areas say nothing.

    examples:
      python -m helpers compare-facts mine.csv baseline.csv --facts true.csv
      python -m helpers compare-facts cnn.csv pcnn.csv --recall 0.3
    """
    from ..evaluation import compare_fact_files

    result = result_of(options)
    put_report(compare_fact_files(first, second, **options), **result)


NORMALISE = "Entities that differ in case, blanks or an article in front are one; relations as in score."


@app.command("score-triples")
@click.argument("file", metavar="FILE", type=FILE)
@option("--gold gold_file", "FILE", "Another file with the gold triples.", FILE)
@base.MATCH
@flag("--normalise", NORMALISE)
@option("--train", "FILE", "Of documents: the training documents, for Ign F1.", FILE)
@base.COUNTED_AS
@base.MATCH_ENTITIES
@base.NAMES
@base.SCORING
@bootstrap()
@option("--fail-under", "NAME=X", FAIL_UNDER, threshold, multiple=True)
@option("--score-only", "NAME", "Print this number and nothing else: a scheme.")
@base.RESULT
def _score_triples(file: str, **options: Any) -> int:
    """Sets of triples (head, relation, tail), gold and predicted, of sentences or documents.

    FILE (.json, a list; .jsonl, .csv or .tsv; also .gz) holds one item a record, with two lists of triples
    under names such as gold, truth, triple_list and predicted, predict, output. A triple is [head, relation,
    tail] or an object: head (or subject), relation (or predicate, type), tail (or object); head and tail are
    text, or objects with text, span (or start, end) and type. A list may also be text: its JSON, as in a cell
    of CSV, or REBEL's, <triplet> head <subj> tail <obj> relation. With --gold, FILE holds the predictions;
    items are matched by id if both files have ids, else by order.

    A triple counts once in an item. Right is what is gold and predicted by --match: exact compares relation
    and both texts, last-token the last word of both ('partial match' of papers on NYT), strict the span (the
    text where there is none) and the type of both, boundaries the span or text only, pair leaves out the
    relation, relation compares nothing else. There is no negative class and no accuracy.

    Documents: FILE is a prediction file in DocRED's form (title, h_idx, t_idx, r, evidence), or documents
    with vertexSet and labels, and --gold are the documents with the gold labels. A section gives F1 of pairs
    with and without a common sentence (intra, inter), of evidence, and with --train Ign F1, whose recall is
    that of all facts. Rows that are repeated or of unknown titles are left out (--as unique), or are false
    alarms (official); the section's row official is then the number of DocRED's released scorer, in which a
    row that repeats a right one is right again.
    Where FILE has documents with other entity lists, these are named; --match-entities name takes the gold
    entity with most names in common.

    The bootstrap draws items. JSON has the keys n (items), labels, schemes, per_class (relation → precision,
    recall, f1, support, predicted, correct), averaged, ignored, signature.

    examples:
      python -m helpers score-triples mine.jsonl --bootstrap 10000
      python -m helpers score-triples output.jsonl --gold test_triples.json --match last-token --normalise
      python -m helpers score-triples result.json --gold dev.json --train train_annotated.json
      python -m helpers score-triples mine.csv --gold-column truth --predicted-column rebel --format json
    """
    from ..evaluation import score_triples

    return put_scores(partial(score_triples, file), [file], options)
