"""Files of every form as samples, facts, mentions or documents, a function a form."""

from .parsing import collect, json_array, lines, starts_with_key, string
from .tagged import PTR_FILES, ptr_split, read_chemprot, read_kbp37, read_semeval
from .docred import (
    DRAW_SEED,
    NEGATIVE,
    NEGATIVE_SHARE,
    AnnotatedDocument,
    DocumentFact,
    drawn_pairs,
    pair_shares,
    read_annotated_documents,
    read_docred,
    read_document_facts,
    read_labelled_twice,
    read_sentence_pairs,
)
from .records import TREES, read_dependencies, read_relation_file, read_tacred
from .distant import (
    GIDS_RELATIONS,
    read_entity_types,
    read_gids,
    read_nyt_star,
    read_opennre,
    read_relation_aliases,
)
from .documents import read_documents, read_goemotions, read_labels, read_txt
from .triples import Triple, TripleItem, holds_triples, read_triples
