"""Files in, samples out: corpora, predictions, documents; where data files are found, and what is refused."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "samples": ["RDR_MARKERS", "RelationSample", "SPACED_TAGS", "TAGS", "parse_tagged", "render"],
        "documents": ["Documents", "label_list", "label_matrix"],
        "predictions": ["open_source", "read_inverse", "read_predictions"],
        "matrices": ["read_matrix", "write_matrix"],
        "systems": ["join_semeval_answers", "semeval_key", "tacred_predictions"],
        "corpora": ["FILES", "PTR_FILES", "ptr_split", "read_corpus"],
        "demo": [
            "NEGATIVE",
            "SYNTHETIC",
            "SYNTHETIC_DOCUMENTS",
            "TEST_COUNTS",
            "TEST_ONLY",
            "demo_corpus",
            "demo_documents",
        ],
        "pairing": ["clean_sample", "paired_sample", "paired_sets"],
        "statistics": ["dataset_statistics", "find_statistics", "label_statistics", "perplexity"],
        "document_files": ["read_documents", "read_labels"],
        "label_counts": ["COUNTED_DATASETS", "TOTAL", "count_labels", "published_counts"],
        "readers": ["read_nyt_star"],
    },
)
