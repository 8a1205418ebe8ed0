"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, one training loop.

Names are imported when they are first used: the registry and the settings without torch.
"""

import warnings

import lazy_loader

# transformers imports tqdm's notebook bar, which warns without ipywidgets; our bars are text everywhere.
warnings.filterwarnings("ignore", "IProgress not found")

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "base": ["EMBEDDED", "History", "Model", "NO_ENCODER", "is_first_process"],
        "registry": [
            "ENCODER_SHAPES",
            "MODELS",
            "ModelEntry",
            "VECTOR_SOURCES",
            "build",
            "check_options",
            "default_settings",
            "full_options",
            "model_entry",
            "model_versions",
            "register_model",
            "unregister_model",
        ],
        "settings": ["Count", "Settings", "checked"],
        "classifier": ["MARKERS", "RelationClassifier"],
        "baselines": ["LinearSvm", "Majority", "MajorityBag", "TfidfBag"],
        "bags": ["BagClassifier", "attention_weights", "without_entities"],
        "convolution": ["read_vectors"],
        "denoising": ["RlDsre"],
        "encoder": ["load_encoder", "resolved_precision"],
        "inputs": ["Batch", "Example", "collate"],
        "training": ["accelerator", "load_weights", "processor_threads"],
        "graph": ["GraphConvolution", "adjacency", "pooled"],
        "type_restriction": ["TypeRestriction", "possible_relations"],
        "word_vectors": ["WordVectors"],
        "literal_relation": ["LiteralRelationCls"],
        "prompt_example": ["PromptStep", "prompt_steps"],
        "attribution": ["probabilities"],
    },
)
