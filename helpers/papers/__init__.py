"""What exactly one paper needs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "summary": ["summary_text"],
        "weighting": ["CLASS_EFFECTS", "single_class_effect", "leads_without", "class_effect"],
        "direction": ["paired_breakdowns"],
        "trained": ["direction_rows", "direction_table", "runs_named", "weighted_rows", "weighted_table"],
        "multilabel": ["differing_documents", "label_table", "score_rows", "scores_of"],
        "attention": [
            "GROUPS",
            "SIDES",
            "STUDIES",
            "attention_frame",
            "attribution_frame",
            "case_study",
            "read_study",
            "token_groups",
        ],
    },
)
