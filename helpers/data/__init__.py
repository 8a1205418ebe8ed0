"""Files in, samples out: where data files lie, what a sample is, the data sets, their pairs and statistics.

`datasets()` lists the data sets, `read_corpus(name)` reads one, `register_dataset(Dataset(…))` adds one;
`locate`, `fetch` and `data_status` find files and download them. Nothing is loaded before it is used.
"""

import csv

from .files import (
    data_name,
    data_sha256,
    data_status,
    fetch,
    locate,
    registered_file,
    registered_files,
    search_folders,
)
from .encoder_files import ENCODER_PACKAGES, encoder_folder, fetch_encoder
from .samples import (
    RDR_MARKERS,
    RelationSample,
    SPACED_TAGS,
    TAGS,
    parse_tagged,
    render,
    samples_sha256,
)
from .distortion import by_relation, distort_bags, hide_word, mislead_bags, wrong_pairs
from .trees import ParsedSample, TypedSample, check_tree, pruned_heads
from .bags import (
    Bag,
    Fingerprint,
    Mention,
    fingerprint,
    make_bags,
    nyt10m_relations,
    shared_pairs,
    without_duplicates,
)
from .formats import (
    AnnotatedDocument,
    DocumentFact,
    GIDS_RELATIONS,
    PTR_FILES,
    Triple,
    TripleItem,
    drawn_pairs,
    holds_triples,
    pair_shares,
    ptr_split,
    read_annotated_documents,
    read_dependencies,
    read_document_facts,
    read_documents,
    read_entity_types,
    read_gids,
    read_labels,
    read_nyt_star,
    read_opennre,
    read_relation_aliases,
    read_relation_file,
    read_sentence_pairs,
    read_tacred,
    read_triples,
    starts_with_key,
)
from .catalogue import (
    Dataset,
    datasets,
    find_dataset,
    register_dataset,
    unregister_dataset,
)
from .corpora import (
    corpus_hashes,
    fetch_dataset,
    file_path,
    parse_files,
    parsed_corpus,
    read_corpus,
    register_files,
)
from .statistics import (
    TOTAL,
    count_labels,
    counted_datasets,
    dataset_statistics,
    find_label_counts,
    find_statistics,
    label_statistics,
    perplexity,
    published_counts,
)
from .demo import (
    NEGATIVE,
    SYNTHETIC,
    SYNTHETIC_DOCUMENTS,
    TEST_ONLY,
    demo_corpus,
    demo_documents,
)
from .ranked_lists import (
    PUBLISHED_LISTS,
    UNKNOWN_ENTITY,
    PublishedList,
    find_list,
    read_curve,
    read_gids_probabilities,
    read_ranked_list,
)
from .pairing import clean_sample, paired_sample, paired_sets, write_pairs
from .cells import Coded, as_frame, as_list, distinct_keys
from .tables import open_source
from .predictions import (
    ANSWERED,
    COMMON_NAMES,
    EMPTY,
    LabelColumns,
    read_answer_map,
    read_inverse,
    read_label_columns,
    read_predictions,
)
from .counting import count_files, count_rows, find_files
from .label_names import Respelling, read_label_names, renamed, respelt
from .systems import join_semeval_answers, semeval_key, tacred_predictions
from .documents import Documents, label_list, label_matrix
from .matrices import read_matrix, write_matrix

# Python's csv refuses cells over 131,072 characters; a text of that length may stand beside the labels.
csv.field_size_limit(2**31 - 1)
