"""Linear classifiers of documents with several labels; no torch."""

from .base import LinearClassifier as LinearClassifier, OneVsRest as OneVsRest
from .liblinear import parse_options as parse_options
from .label_tree import Node as Node
from .documents import TECHNIQUES as TECHNIQUES, DocumentClassifier as DocumentClassifier
from .thresholding import Thresholding as Thresholding
from .problems import LabelProblems as LabelProblems
