"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, one training loop."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "encoder": ["EMBEDDED", "load_encoder", "resolved_precision"],
        "registry": ["MODELS", "build", "check_options"],
        "inputs": ["collate"],
        "settings": ["PAPER", "STANDARD", "Settings"],
        "baselines": ["BASELINES", "Baseline"],
        "base": ["RelationClassifier"],
        "training": ["accelerator", "load_weights"],
        "literal_relation": ["LiteralRelationCls"],
        "attribution": ["probabilities"],
    },
)
