"""Files in, samples out: where data files lie, what a sample is, the data sets, their pairs and statistics.

`datasets()` lists the data sets, `read_corpus(name)` reads one, `register_dataset(Dataset(…))` adds one;
`locate`, `fetch` and `data_status` find files and download them. Nothing is loaded before it is used.
"""

import csv

from .files import ENCODER_PACKAGES, data_name, data_sha256, data_status, encoder_folder, fetch
from .files import locate, registered_files, search_folders
from .samples import RDR_MARKERS, SPACED_TAGS, TAGS, ParsedSample, RelationSample, TypedSample
from .samples import parse_tagged, pruned_heads, render, samples_sha256
from .bags import Bag, Mention, distort_bags, fingerprint, make_bags, mislead_bags, nyt10m_relations
from .bags import shared_pairs, without_duplicates
from .records import first_record, read_matrix, write_matrix
from .sentences import PTR_FILES, ptr_split, read_relation_file
from .distant import GIDS_RELATIONS, read_text_lists
from .docred import AnnotatedDocument, DocumentFact, read_annotated_documents, read_document_facts
from .triples import Triple, TripleItem, holds_triples, read_triples
from .documents import Documents, read_documents, read_labels
from .catalogue import Dataset, datasets, fetch_dataset, find_dataset, read_corpus, register_dataset
from .catalogue import register_files
from .statistics import TOTAL, count_labels, counted_datasets, dataset_statistics
from .statistics import label_statistics, perplexity, published_counts
from .demo import NEGATIVE, SYNTHETIC, SYNTHETIC_DOCUMENTS, TEST_ONLY, demo_corpus, demo_documents
from .variants import clean_sample, corpus_hashes, paired_sample, paired_sets, parse_dataset
from .variants import parsed_corpus, write_pairs
from .columns import Coded, LabelColumns, Respelling
from .tables import json_document, open_source
from .predictions import ANSWERED, COMMON_NAMES, EMPTY, columns_of, read_label_names, read_mapping
from .predictions import read_predictions
from .counting import count_files, count_rows
from .systems import PUBLISHED_LISTS, UNKNOWN_ENTITY, PublishedList, join_semeval_answers, semeval_key
from .systems import tacred_predictions

# Python's csv refuses cells over 131,072 characters; a text of that length may stand beside the labels.
csv.field_size_limit(2**31 - 1)
