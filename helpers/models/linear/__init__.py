"""Linear classifiers of documents with several labels; no torch."""

from .base import LinearClassifier, Node, OneVsRest
from .liblinear import LabelProblems, parse_options
from .documents import TECHNIQUES, DocumentClassifier
from .tuning import Thresholding
