"""Where a run comes from: the machine, the packages, and the source of the model's code."""

from __future__ import annotations

import ast
import hashlib
import inspect
import platform
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from helpers import PACKAGE


def environment(packages: Sequence[str] = ("numpy", "scipy", "torch", "transformers")) -> dict[str, Any]:
    """Python, platform, device, and versions of those packages that the program has imported, for a run file.

    Nothing is imported here: without torch in the program, the device is 'cpu' and torch has no version.

    >>> sorted(environment())
    ['device', 'platform', 'python', 'versions']
    """
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else "cpu",
        "versions": {name: version(name) for name in packages if name in sys.modules},
    }


def code_sha256(sources: Iterable[type | ModuleType]) -> str:
    """The sha256 of the source of these classes and modules: their files, those of the classes they are made
    of, and what these import from their own folder (`from .inputs import Batch`).

    Only files of this package count: a change of a library shows in its version. Line ends do not matter.

    >>> from collections import OrderedDict
    >>> code_sha256([OrderedDict]) == code_sha256([])
    True
    """
    names = {
        one.__module__ if isinstance(one, type) else one.__name__
        for source in sources
        for one in (inspect.getmro(source) if isinstance(source, type) else (source,))
    }
    waiting = [Path(sys.modules[name].__file__) for name in names if name.partition(".")[0] == PACKAGE.name]
    found: dict[str, bytes] = {}
    while waiting:
        path = waiting.pop()
        name = path.relative_to(PACKAGE.parent).as_posix()
        if name not in found:
            found[name] = path.read_bytes().replace(b"\r\n", b"\n")
            waiting += (beside for beside in _imported(path, found[name]) if beside.is_file())
    digest = hashlib.sha256()
    for name, text in sorted(found.items()):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()


def _imported(path: Path, text: bytes) -> Iterator[Path]:
    """The files beside `path` that its source imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (path.parent / f"{name.replace('.', '/')}.py" for name in names)
