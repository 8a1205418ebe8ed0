"""Files in, samples out: where data files lie, what a sample is, the data sets, their pairs and statistics.

`datasets()` lists the data sets, `read_corpus(name)` reads one, `register_dataset(Dataset(…))` adds one;
`locate`, `fetch` and `data_status` find files and download them. Nothing is loaded before it is used.
"""

import csv

from .registry import (
    DataFile,
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
    Fact,
    RDR_MARKERS,
    RelationSample,
    SPACED_TAGS,
    TAGS,
    parse_tagged,
    render,
    samples_sha256,
)
from .distortion import PRECISION, RECALL, by_relation, distort_bags, hide_word, mislead_bags, wrong_pairs
from .trees import ParsedSample, TypedSample, check_tree, pruned_heads
from .tree_files import join_trees, parse_files, parsed_corpus, read_dependencies, read_tacred
from .sentence_pairs import drawn_corpus, drawn_pairs, pair_shares, read_sentence_pairs
from .bags import Bag, Mention, make_bags, without_duplicates
from .corpora import (
    Dataset,
    PTR_FILES,
    corpus_hashes,
    datasets,
    fetch_dataset,
    file_path,
    find_dataset,
    ptr_split,
    read_corpus,
    register_dataset,
    unregister_dataset,
)
from .readers import read_nyt_star
from .own_files import read_relation_file, register_files
from .distant import (
    Fingerprint,
    GIDS_RELATIONS,
    fingerprint,
    masked_sample,
    nyt10m_relation,
    nyt10m_relations,
    read_entity_types,
    read_gids,
    read_opennre,
    read_relation_aliases,
    shared_pairs,
)
from .demo import (
    NEGATIVE,
    SYNTHETIC,
    SYNTHETIC_DOCUMENTS,
    TEST_COUNTS,
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
from .label_counts import TOTAL, count_labels, counted_datasets, published_counts
from .statistics import dataset_statistics, find_label_counts, find_statistics, label_statistics, perplexity
from .sources import FORMS, open_source
from .engines import count_label_sets, count_rows, fact_blocks
from .counted_files import count_files, find_files
from .predictions import COMMON_NAMES, LabelColumns, read_inverse, read_label_columns, read_predictions
from .label_names import Respelling, read_label_names, respelt
from .systems import join_semeval_answers, semeval_key, tacred_predictions
from .documents import Documents, label_list, label_matrix
from .document_files import read_documents, read_labels
from .matrices import read_matrix, write_matrix

# Python's csv refuses cells over 131,072 characters; a text of that length may stand beside the labels.
csv.field_size_limit(2**31 - 1)
