"""A trained linear classifier as a safetensors file: arrays, and one JSON text with the settings.

No pickle is written or read. The words of TF-IDF and the labels travel in the settings; which they are is
decided in `document_classifier`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save
from scipy import sparse

from helpers.data.errors import MalformedRecord
from helpers.data.files import whole_file

from .cost_sensitive import CostSensitive
from .label_tree import LabelTree, Node
from .linear import LinearClassifier

FORMAT = "beyond-micro-f1 linear classifier 1"
_ARRAYS = ("weights_", "bias_weights_", "thresholds_", "costs_", "classes_")
_NODE_ARRAYS = ("labels", "bias")
Restore = Callable[[LinearClassifier], None]


def write_model(
    path: Path | str,
    classifier: LinearClassifier,
    settings: Mapping[str, Any],
    arrays: Mapping[str, np.ndarray],
) -> None:
    """Write a trained classifier, whole or not at all, with further settings and arrays.

    Raises ValueError for settings that JSON cannot hold, such as a generator as `random_state`, and for a
    path that ends in .gz: the file is not compressed.

    >>> import tempfile
    >>> from .linear import OneVsRest
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_model(Path(folder, "m"), OneVsRest("-s 2").fit(np.eye(2), np.eye(2)), {"by": "me"}, {})
    ...     facts, arrays, _ = read_model(Path(folder, "m"))
    >>> facts["by"], facts["parameters"]["options"], arrays["weights_"].shape
    ('me', '-s 2', (2, 2))
    """
    if Path(path).suffix.lower() == ".gz":
        raise ValueError(f"path is {str(path)!r}: a model is not compressed")
    held = {name: getattr(classifier, name) for name in _ARRAYS if hasattr(classifier, name)} | dict(arrays)
    facts = {"format": FORMAT, **settings, "parameters": classifier.get_params()}
    facts |= {"multiclass": classifier.multiclass_, "width": classifier.n_features_in_}
    if isinstance(classifier, LabelTree):
        nodes = list(classifier.root_.walk())
        facts["children"] = [len(node.children) for node in nodes]
        for place, node in enumerate(nodes):
            held |= _node_arrays(place, node)
    held = {name: np.ascontiguousarray(array) for name, array in held.items()}
    try:
        content = save(held, {"settings": json.dumps(facts, default=_plain)})
    except (TypeError, SafetensorError) as error:  # safetensors has room for 100 MB of settings
        raise ValueError(f"these settings cannot be saved: {error}") from None
    with whole_file(path) as stream:
        stream.write(content)


def read_model(path: Path | str) -> tuple[dict[str, Any], dict[str, np.ndarray], Restore]:
    """Settings, arrays, and a function that gives a classifier of the same technique what was learned.

    Raises MalformedRecord for a file that `write_model` did not write, and one that is cut off. That its
    arrays have the shapes that belong together is seen to by the function, which raises ValueError.
    """
    content = Path(path).read_bytes()
    try:
        arrays = load(content)
        length = int.from_bytes(content[:8], "little")
        facts = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["settings"])
        if facts["format"] != FORMAT:
            raise ValueError(f"its format is {facts['format']!r}")
    except (SafetensorError, ValueError, KeyError, TypeError) as error:
        raise MalformedRecord(path, f"not a linear classifier saved by this package ({error})") from None

    def restore(classifier: LinearClassifier) -> None:
        classifier.set_params(**facts["parameters"])
        classifier.multiclass_, classifier.n_features_in_ = facts["multiclass"], facts["width"]
        classifier._is_matrix = True
        for name, shape in _shapes(classifier, len(facts["labels"]), facts["width"]).items():
            setattr(classifier, name, _of_shape(arrays, name, shape))
        if isinstance(classifier, LabelTree):
            classifier.root_ = _tree(arrays, facts["children"], facts["width"], len(facts["labels"]))

    return facts, arrays, restore


def _plain(value: Any) -> Any:
    """A number of numpy as one of Python's."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} is no number, text, list or truth value")


def _shapes(classifier: LinearClassifier, labels: int, width: int) -> dict[str, tuple[int, ...]]:
    """What a classifier for so many labels, on so many features, has learned."""
    shapes = {"classes_": (labels,), "thresholds_": (labels,)}
    if not isinstance(classifier, LabelTree):
        shapes |= {"weights_": (width, labels), "bias_weights_": (labels,)}
    if isinstance(classifier, CostSensitive):
        shapes["costs_"] = (labels,)
    return shapes


def _of_shape(arrays: Mapping[str, np.ndarray], name: str, shape: tuple[int, ...]) -> np.ndarray:
    if arrays[name].shape != shape:
        raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")
    return arrays[name]


def _node_arrays(place: int, node: Node) -> dict[str, np.ndarray]:
    named = {name: getattr(node, name) for name in _NODE_ARRAYS}
    named |= {name: getattr(node.weights, name) for name in ("data", "indices", "indptr")}
    return {f"node-{place}-{name}": array for name, array in named.items()}


def _tree(arrays: Mapping[str, np.ndarray], children: list[int], width: int, labels: int) -> Node:
    """The root of the tree whose nodes were written parents first; ValueError if they make no tree."""
    if sum(children) != len(children) - 1:
        raise ValueError(f"{len(children)} nodes with {sum(children)} children in all make no tree")
    places = iter(range(len(children)))

    def next_node() -> Node:
        place = next(places)
        node = Node(arrays[f"node-{place}-labels"])
        if not (node.labels < labels).all() or not (node.labels >= 0).all():
            raise ValueError(f"node {place} has labels that are not in the list")
        columns = children[place] or len(node.labels)
        node.bias = _of_shape(arrays, f"node-{place}-bias", (columns,))
        parts = tuple(arrays[f"node-{place}-{name}"] for name in ("data", "indices", "indptr"))
        node.weights = sparse.csr_array(parts, shape=(width, columns))
        node.weights.check_format(full_check=True)  # a place outside would be read without a check
        node.children = [next_node() for _ in range(children[place])]
        return node

    return next_node()
