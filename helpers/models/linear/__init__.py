"""Linear classifiers of documents with several labels; no torch."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "liblinear": ["parse_options"],
        "label_tree": ["Node"],
        "base": ["LinearClassifier", "OneVsRest"],
        "documents": ["TECHNIQUES", "DocumentClassifier"],
        "thresholding": ["Thresholding"],
        "problems": ["LabelProblems"],
    },
)
