"""Documents written in the forms that LibMultiLabel reads: what tests give to the readers."""

import gzip
from pathlib import Path

from helpers.data import Documents


def write_documents(path: Path | str, documents: Documents) -> None:
    """In txt form, or in svm form where they have features; gzipped if the name ends in .gz."""
    if documents.texts is not None:
        rows = zip(documents.ids, documents.labels, documents.texts, strict=True)
        lines = ["\t".join((name, " ".join(labels), text)) for name, labels, text in rows]
    else:
        lines = [
            ",".join(labels) + "".join(f" {j + 1}:{value!r}" for j, value in enumerate(row) if value) or " "
            for labels, row in zip(documents.labels, documents.features.toarray().tolist(), strict=True)
        ]
    content = "".join(f"{line}\n" for line in lines).encode()
    Path(path).write_bytes(gzip.compress(content) if str(path).endswith(".gz") else content)
