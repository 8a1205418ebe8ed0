"""Which published numbers follow from other published numbers, and do they?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "intervals": ["CONSISTENT", "INCONSISTENT", "NOT_DERIVABLE"],
        "corpora": ["positive_sentences"],
        "report": ["audit_claims", "write_audit"],
        "direction": ["Tables"],
        "weighting": ["TABLES", "comparisons", "effect_words"],
    },
)
