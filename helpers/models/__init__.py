"""Samples in, predictions out: pretrained encoders, the classifiers on top of them, one training loop.

Here is what loads quickly, without torch: networks and classifiers are imported by their module, as from
`helpers.models.classifier`, or made by name, `build`; settings are in `helpers.models.settings`.
"""

import warnings

from .base import (
    EMBEDDED as EMBEDDED,
    History as History,
    Model as Model,
    NO_ENCODER as NO_ENCODER,
    is_first_process as is_first_process,
)
from .registry import (
    ENCODER_SHAPES as ENCODER_SHAPES,
    MODELS as MODELS,
    ModelEntry as ModelEntry,
    VECTOR_SOURCES as VECTOR_SOURCES,
    build as build,
    check_options as check_options,
    default_settings as default_settings,
    full_options as full_options,
    model_entry as model_entry,
    model_versions as model_versions,
    register_model as register_model,
    unregister_model as unregister_model,
)

# transformers imports tqdm's notebook bar, which warns without ipywidgets; our bars are text everywhere.
warnings.filterwarnings("ignore", "IProgress not found")
