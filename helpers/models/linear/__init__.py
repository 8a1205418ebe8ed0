"""Linear classifiers of documents with several labels; no torch."""

from .base import LinearClassifier, OneVsRest
from .liblinear import LabelProblems, parse_options
from .label_tree import Node
from .documents import TECHNIQUES, DocumentClassifier
from .tuning import Thresholding
