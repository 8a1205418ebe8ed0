"""A data set of two files of one's own, as a row of the table of data sets."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from ..core import MalformedRecord, find_negative, inverse_label, listing, unknown_name
from . import formats
from .catalogue import Dataset, register_dataset
from .cells import json_document
from .label_names import read_inverse
from .samples import ParsedSample, RelationSample

logger = logging.getLogger(__name__)


def register_files(
    name: str,
    train: Path | str,
    test: Path | str,
    *,
    relations: Path | str | None = None,
    inverse: Path | str | Mapping[str, str] | None = None,
    negative: str | None = None,
    title: str = "",
) -> Dataset:
    """Register a data set from two files: then `stats`, `train`, pairing and every table know its name.

    Relations are directed, so that the data set is paired, where labels end in (e1,e2) and (e2,e1) or
    `inverse` is given. Models are trained on the text as it is.

    Parameters
    ----------
    train, test : as `read_relation_file` reads them.
    relations : a file with all relations, one a line, or JSON (a list, or relation → id); None: those that
        occur.
    inverse : relation → inverse, or a file as `read_inverse` reads it, e.g. per:parents ↔ per:children.
    negative : the negative class; None: recognised by its name, if one occurs.

    Raises
    ------
    MalformedRecord : as `read_relation_file`. OSError : a file is not there.
    ValueError : `train` and `test` are the same file; `negative` or an inverse is no relation; the name is
        taken.

    >>> import tempfile
    >>> from helpers.data import read_corpus, unregister_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = "text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n"
    ...     files = [Path(folder, name) for name in ("train.csv", "test.csv")]
    ...     _ = [file.write_text(rows) for file in files]
    ...     _ = register_files("mine", *files)
    ...     {split: len(samples) for split, samples in read_corpus("mine").items()}
    {'train': 1, 'test': 1}
    >>> unregister_dataset("mine")
    """
    files = {"train": Path(train).resolve(), "test": Path(test).resolve()}
    if files["train"] == files["test"]:
        raise ValueError(f"{train} is given for training and for testing: a test file of its own is needed")
    listed = None if relations is None else _relations(relations)
    reader = partial(formats.read_relation_file, relations=listed)
    samples = {split: reader(file) for split, file in files.items()}
    occurring = {sample.relation: None for part in samples.values() for sample in part}
    labels = listed or tuple(occurring)
    turned = read_inverse(inverse) if isinstance(inverse, str | Path) else dict(inverse or {})
    turned |= {other: label for label, other in turned.items()}
    if listed is not None:
        strange = next((label for label in turned if label not in listed), None)
        if strange is not None:
            raise unknown_name("relation in `inverse`", strange, listed)
    if negative is not None and negative not in labels:
        raise unknown_name("negative class", negative, labels)
    _say_what_is_shared(samples)
    return register_dataset(
        Dataset(
            name,
            title,
            files=files,
            reader=reader,
            directed=bool(turned) or any(inverse_label(label) != label for label in labels),
            negative=negative if negative is not None else find_negative(labels),
            parsed=all(isinstance(sample, ParsedSample) for part in samples.values() for sample in part),
            relations=tuple(dict.fromkeys([*labels, *turned])) if listed or turned else (),
            inverse=turned,
            text="official",
        )
    )


def _relations(path: Path | str) -> tuple[str, ...]:
    """All relations of a file: one a line, a JSON list, or the keys of a JSON object."""
    if Path(path).suffix.lower() != ".json":
        return formats.read_labels(path, keep_order=True)
    content = json_document(path)
    names = list(content) if isinstance(content, list | dict) else []
    if not names or not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
        raise MalformedRecord(path, "has to hold a JSON list of relations, or an object relation → id")
    return tuple(names)


def _say_what_is_shared(samples: Mapping[str, list[RelationSample]]) -> None:
    """Note test samples that stand in the training file too, and relations that only the test file has."""
    known = {(sample.text, sample.head, sample.tail): None for sample in samples["train"]}
    shared = sum((sample.text, sample.head, sample.tail) in known for sample in samples["test"])
    if shared:
        logger.warning("%d of %d test samples stand in the training file too", shared, len(samples["test"]))
    unseen = {sample.relation for sample in samples["test"]} - {
        sample.relation for sample in samples["train"]
    }
    if unseen:
        logger.warning("relations without a training sample: %s", listing(sorted(unseen)))
