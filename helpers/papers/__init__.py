"""What exactly one paper needs."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "summary": ["summary_text"],
        "weighting": ["KINDS", "single_class_effect", "leads_without", "class_effect"],
        "direction": ["paired_breakdowns"],
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
