"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, one training loop.

Here is what loads quickly, without torch: networks and classifiers are imported by their module, as from
`helpers.models.graph`, or made by name, `build`; settings are in `helpers.models.settings`.
"""

import warnings

from .base import EMBEDDED, History, Model, NO_ENCODER, is_first_process
from .registry import (
    MODELS,
    ModelEntry,
    Option,
    VECTOR_SOURCES,
    build,
    check_options,
    default_settings,
    full_options,
    model_entry,
    register_model,
)

# transformers imports tqdm's notebook bar, which warns without ipywidgets; our bars are text everywhere.
warnings.filterwarnings("ignore", "IProgress not found")
