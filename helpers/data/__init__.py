"""Files in, samples out: where data files lie, what a sample is, the data sets, their pairs and statistics.

`datasets()` lists the data sets, `read_corpus(name)` reads one, `register_dataset(Dataset(…))` adds one;
`locate`, `fetch` and `data_status` find files and download them. Nothing is loaded before it is used.
"""

import csv

from .registry import (
    DataFile as DataFile,
    data_name as data_name,
    data_sha256 as data_sha256,
    data_status as data_status,
    fetch as fetch,
    locate as locate,
    registered_file as registered_file,
    registered_files as registered_files,
    search_folders as search_folders,
)
from .encoder_files import (
    ENCODER_PACKAGES as ENCODER_PACKAGES,
    encoder_folder as encoder_folder,
    fetch_encoder as fetch_encoder,
)
from .samples import (
    Fact as Fact,
    RDR_MARKERS as RDR_MARKERS,
    RelationSample as RelationSample,
    SPACED_TAGS as SPACED_TAGS,
    TAGS as TAGS,
    parse_tagged as parse_tagged,
    render as render,
    samples_sha256 as samples_sha256,
)
from .distortion import (
    PRECISION as PRECISION,
    RECALL as RECALL,
    by_relation as by_relation,
    distort_bags as distort_bags,
    hide_word as hide_word,
    mislead_bags as mislead_bags,
    wrong_pairs as wrong_pairs,
)
from .trees import (
    ParsedSample as ParsedSample,
    TypedSample as TypedSample,
    WHOLE_TREE as WHOLE_TREE,
    check_tree as check_tree,
    pruned_heads as pruned_heads,
)
from .tree_files import (
    join_trees as join_trees,
    parse_files as parse_files,
    parsed_corpus as parsed_corpus,
    read_dependencies as read_dependencies,
    read_tacred as read_tacred,
)
from .sentence_pairs import (
    drawn_corpus as drawn_corpus,
    drawn_pairs as drawn_pairs,
    pair_shares as pair_shares,
    read_sentence_pairs as read_sentence_pairs,
)
from .bags import (
    Bag as Bag,
    Mention as Mention,
    make_bags as make_bags,
    without_duplicates as without_duplicates,
)
from .corpora import (
    Dataset as Dataset,
    PTR_FILES as PTR_FILES,
    corpus_hashes as corpus_hashes,
    datasets as datasets,
    fetch_dataset as fetch_dataset,
    file_path as file_path,
    find_dataset as find_dataset,
    ptr_split as ptr_split,
    read_corpus as read_corpus,
    register_dataset as register_dataset,
    unregister_dataset as unregister_dataset,
)
from .readers import read_nyt_star as read_nyt_star
from .own_files import read_relation_file as read_relation_file, register_files as register_files
from .distant import (
    Fingerprint as Fingerprint,
    GIDS_RELATIONS as GIDS_RELATIONS,
    fingerprint as fingerprint,
    masked_sample as masked_sample,
    nyt10m_relation as nyt10m_relation,
    nyt10m_relations as nyt10m_relations,
    read_entity_types as read_entity_types,
    read_gids as read_gids,
    read_opennre as read_opennre,
    read_relation_aliases as read_relation_aliases,
    shared_pairs as shared_pairs,
)
from .demo import (
    NEGATIVE as NEGATIVE,
    SYNTHETIC as SYNTHETIC,
    SYNTHETIC_DOCUMENTS as SYNTHETIC_DOCUMENTS,
    TEST_COUNTS as TEST_COUNTS,
    TEST_ONLY as TEST_ONLY,
    demo_corpus as demo_corpus,
    demo_documents as demo_documents,
)
from .ranked_lists import (
    NamedFact as NamedFact,
    PUBLISHED_LISTS as PUBLISHED_LISTS,
    UNKNOWN_ENTITY as UNKNOWN_ENTITY,
    PublishedList as PublishedList,
    RankedList as RankedList,
    find_list as find_list,
    read_curve as read_curve,
    read_gids_probabilities as read_gids_probabilities,
    read_ranked_list as read_ranked_list,
)
from .pairing import (
    clean_sample as clean_sample,
    paired_sample as paired_sample,
    paired_sets as paired_sets,
    write_pairs as write_pairs,
)
from .label_counts import (
    TOTAL as TOTAL,
    count_labels as count_labels,
    counted_datasets as counted_datasets,
    published_counts as published_counts,
)
from .statistics import (
    dataset_statistics as dataset_statistics,
    find_label_counts as find_label_counts,
    find_statistics as find_statistics,
    label_statistics as label_statistics,
    perplexity as perplexity,
)
from .sources import FORMS as FORMS, open_source as open_source
from .engines import (
    count_label_sets as count_label_sets,
    count_rows as count_rows,
    fact_blocks as fact_blocks,
)
from .counted_files import count_files as count_files, find_files as find_files
from .predictions import (
    COMMON_NAMES as COMMON_NAMES,
    LabelColumns as LabelColumns,
    read_inverse as read_inverse,
    read_label_columns as read_label_columns,
    read_predictions as read_predictions,
)
from .label_names import Respelling as Respelling, read_label_names as read_label_names, respelt as respelt
from .systems import (
    join_semeval_answers as join_semeval_answers,
    semeval_key as semeval_key,
    tacred_predictions as tacred_predictions,
)
from .documents import Documents as Documents, label_list as label_list, label_matrix as label_matrix
from .document_files import read_documents as read_documents, read_labels as read_labels
from .matrices import read_matrix as read_matrix, write_matrix as write_matrix

# Python's csv refuses cells over 131,072 characters; a text of that length may stand beside the labels.
csv.field_size_limit(2**31 - 1)
