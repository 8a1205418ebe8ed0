"""One function, one figure: tidy table in, matplotlib figure out."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "datasets": [
            "class_weights_chart",
            "effective_classes_chart",
            "effective_number_chart",
            "perplexity_chart",
            "long_tails_chart",
        ],
        "audit": ["common_denominator_chart", "few_runs_chart", "p_values_chart"],
        "direction": [
            "original_paired_chart",
            "attention_share_chart",
            "attribution_chart",
            "cls_attention_chart",
            "epochs_chart",
            "paired_breakdown_heatmap",
            "rates_chart",
        ],
        "systems": ["lead_without_chart", "reversal_chart", "spectrum_bands_chart"],
    },
)
