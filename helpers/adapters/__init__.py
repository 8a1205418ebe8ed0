"""The same scores in other libraries' manner: scikit-learn, Hugging Face's Trainer, torchmetrics.

Each library is loaded when its adapter is first used; none is needed to install this package. That of
torchmetrics is a class of it: `from helpers.adapters.streaming import WeightedF1`.
"""

from .functions import compute_metrics, f1_score, multilabel, scorer
