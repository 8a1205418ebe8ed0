"""The same scores in other libraries' manner: scikit-learn, Hugging Face's Trainer, torchmetrics.

Each library is loaded when its adapter is first used; none is needed to install this package.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "scikit_learn": ["f1_score", "multilabel", "scorer"],
        "trainer": ["compute_metrics"],
        "streaming": ["WeightedF1"],
    },
)
