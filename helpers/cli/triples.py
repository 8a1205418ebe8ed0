"""The command for sets of triples and for documents in DocRED's form."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from .base import app
from .options import COUNTED_AS, FILE, MATCH, MATCH_ENTITIES, NAMES, RESULT, SCORING, bootstrap, flag, option
from .score import FAIL_UNDER, put_scores, threshold

DOCUMENTS = ("train", "counted_as", "match_entities")
NORMALISE = "Entities that differ in case, blanks or an article in front are one; relations as in score."


@app.command("score-triples")
@click.argument("file", metavar="FILE", type=FILE)
@option("--gold gold_file", "FILE", "Another file with the gold triples.", FILE)
@MATCH
@flag("--normalise", NORMALISE)
@option("--train", "FILE", "Of documents: the training documents, for Ign F1.", FILE)
@COUNTED_AS
@MATCH_ENTITIES
@NAMES
@SCORING
@bootstrap()
@option("--fail-under", "NAME=X", FAIL_UNDER, threshold, multiple=True)
@option("--score-only", "NAME", "Print this number and nothing else: a scheme.")
@RESULT
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
    from ..evaluation import holds_documents, score_document_facts, score_triples

    documents = holds_documents(file)
    own = ("match", "normalise", "gold_column", "predicted_column", "id_column") if documents else DOCUMENTS
    strange = [name for name in own if options.pop(name)]
    if strange:
        option = "--" + strange[0].removeprefix("counted_").replace("_", "-")
        raise ValueError(f"{file}: {option} is not for {'documents' if documents else 'sets of triples'}")
    if documents and not options["gold_file"]:
        raise ValueError(f"{file}: these are documents; the gold ones: --gold FILE")
    for name in ("match", *DOCUMENTS):
        if options.get(name, "") is None:  # the default of what is called
            del options[name]
    score = score_document_facts if documents else score_triples
    return put_scores(partial(score, file), [file], options)
