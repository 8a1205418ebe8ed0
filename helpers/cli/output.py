"""Where the result of a command goes: a text or a report, to standard output or to a file."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from ..core import plain_file, write_atomically

SCHEMA_VERSION = 1
"""Of the JSON that commands write: raised when a key goes or changes its meaning."""


def put(text: str, output: str | None = None) -> None:
    """The result to standard output, or atomically to a file.

    A reader who left, as in `… | head`, is no error; a full disk is one.
    """
    if output is not None:
        write_atomically(plain_file(output), text.rstrip("\n") + "\n")
        return
    try:
        print(text.rstrip("\n"), flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or Python tries again when it ends
        if not isinstance(error, BrokenPipeError):
            raise


def as_json(value: Any) -> str:
    """JSON to read, in UTF-8: an object, or a list of objects, with `schema_version`; ValueError for nan."""
    version = {"schema_version": SCHEMA_VERSION}
    value = version | value if isinstance(value, dict) else [version | row for row in value]
    return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
