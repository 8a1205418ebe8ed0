"""Files in, samples out: where data files lie, what a sample is, the data sets, their pairs and statistics.

`datasets()` lists the data sets, `read_corpus(name)` reads one, `register_dataset(Dataset(…))` adds one;
`locate`, `fetch` and `data_status` find files and download them. Nothing is loaded before it is used.
"""

import csv

import lazy_loader

# Python's csv refuses cells over 131,072 characters; a text of that length may stand beside the labels.
csv.field_size_limit(2**31 - 1)

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "registry": [
            "DataFile",
            "data_name",
            "data_sha256",
            "data_status",
            "fetch",
            "locate",
            "registered_file",
            "registered_files",
            "search_folders",
        ],
        "samples": [
            "Fact",
            "RDR_MARKERS",
            "RelationSample",
            "SPACED_TAGS",
            "TAGS",
            "parse_tagged",
            "render",
            "samples_sha256",
        ],
        "distortion": [
            "PRECISION",
            "RECALL",
            "by_relation",
            "distort_bags",
            "hide_word",
            "mislead_bags",
            "wrong_pairs",
        ],
        "trees": ["ParsedSample", "TypedSample", "WHOLE_TREE", "check_tree", "pruned_heads"],
        "tree_files": ["join_trees", "parse_files", "parsed_corpus", "read_dependencies", "read_tacred"],
        "sentence_pairs": ["drawn_corpus", "drawn_pairs", "pair_shares", "read_sentence_pairs"],
        "bags": ["Bag", "Mention", "make_bags", "without_duplicates"],
        "corpora": [
            "Dataset",
            "PTR_FILES",
            "corpus_hashes",
            "datasets",
            "fetch_dataset",
            "file_path",
            "find_dataset",
            "ptr_split",
            "read_corpus",
            "register_dataset",
            "unregister_dataset",
        ],
        "readers": ["read_nyt_star"],
        "own_files": ["read_relation_file", "register_files"],
        "distant": [
            "Fingerprint",
            "GIDS_RELATIONS",
            "fingerprint",
            "masked_sample",
            "nyt10m_relation",
            "nyt10m_relations",
            "read_entity_types",
            "read_gids",
            "read_opennre",
            "read_relation_aliases",
            "shared_pairs",
        ],
        "demo": [
            "NEGATIVE",
            "SYNTHETIC",
            "SYNTHETIC_DOCUMENTS",
            "TEST_COUNTS",
            "TEST_ONLY",
            "demo_corpus",
            "demo_documents",
        ],
        "ranked_lists": [
            "NamedFact",
            "PUBLISHED_LISTS",
            "UNKNOWN_ENTITY",
            "PublishedList",
            "RankedList",
            "find_list",
            "read_curve",
            "read_gids_probabilities",
            "read_ranked_list",
        ],
        "pairing": ["clean_sample", "paired_sample", "paired_sets", "write_pairs"],
        "label_counts": ["TOTAL", "count_labels", "counted_datasets", "published_counts"],
        "statistics": [
            "dataset_statistics",
            "find_label_counts",
            "find_statistics",
            "label_statistics",
            "perplexity",
        ],
        "sources": ["FORMS", "open_source"],
        "engines": ["count_label_sets", "count_rows", "fact_blocks"],
        "counted_files": ["count_files", "find_files"],
        "predictions": [
            "COMMON_NAMES",
            "LabelColumns",
            "read_inverse",
            "read_label_columns",
            "read_predictions",
        ],
        "label_names": ["Respelling", "read_label_names", "respelt"],
        "systems": ["join_semeval_answers", "semeval_key", "tacred_predictions"],
        "documents": ["Documents", "label_list", "label_matrix"],
        "document_files": ["read_documents", "read_labels"],
        "matrices": ["read_matrix", "write_matrix"],
    },
)
