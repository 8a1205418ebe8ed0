"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, one training loop.

Here is what loads quickly, without torch: networks and classifiers are imported by their module, as from
`helpers.models.graph`, or made by name, `build`.
"""

import warnings

from .base import EMBEDDED, History, Model, NO_ENCODER, Settings, is_first_process
from .registry import (
    MODELS,
    ModelEntry,
    Option,
    VECTOR_SOURCES,
    build,
    default_settings,
    full_options,
    model_entry,
    register_model,
)

# transformers imports tqdm's notebook bar, which warns without ipywidgets; our bars are text everywhere.
warnings.filterwarnings("ignore", "IProgress not found")
