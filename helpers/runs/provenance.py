"""Where a run comes from: the machine, the packages, and the source of the model's code."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import io
import platform
import sys
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import PACKAGE


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


def code_files(sources: Iterable[type | ModuleType]) -> dict[str, str]:
    """The source files of these classes and modules and the `source_sha256` of each, by path in the project:
    their files, those of the classes they are made of, and what these import from their own folder
    (`from .inputs import Batch`), the training loop among it.

    Only files of this package count: a change of a library shows in its version.

    >>> from collections import OrderedDict
    >>> code_files([OrderedDict])
    {}
    """
    names = {
        one.__module__ if isinstance(one, type) else one.__name__
        for source in sources
        for one in (inspect.getmro(source) if isinstance(source, type) else (source,))
    }
    waiting = [Path(sys.modules[name].__file__) for name in names if name.partition(".")[0] == PACKAGE.name]
    found: dict[str, str] = {}
    while waiting:
        path = waiting.pop()
        name = f"helpers/{path.relative_to(PACKAGE).as_posix()}"  # as in a checkout
        if name not in found:
            text = path.read_bytes()
            found[name] = source_sha256(text)
            waiting += (beside for beside in _imported(path, text) if beside.is_file())
    return dict(sorted(found.items()))


def code_sha256(sources: Iterable[type | ModuleType]) -> str:
    """One sha256 for all of `code_files`.

    >>> from collections import OrderedDict
    >>> code_sha256([OrderedDict]) == code_sha256([])
    True
    """
    return joined_sha256(code_files(sources))


def joined_sha256(files: dict[str, str]) -> str:
    """The sha256 of names and hashes: of a set of files.

    >>> joined_sha256({"a": "1", "b": "2"}) == joined_sha256({"b": "2", "a": "1"})
    True
    """
    text = "".join(f"{name} {one}\n" for name, one in sorted(files.items()))
    return hashlib.sha256(text.encode()).hexdigest()


@functools.lru_cache(maxsize=1024)
def source_sha256(text: bytes) -> str:
    """The sha256 of Python source without what does nothing: comments, docstrings, empty lines, line ends.

    Raises SyntaxError for what is no Python.

    >>> source_sha256(b"x = 1  # one") == source_sha256(b"'''About.'''\\r\\n\\r\\nx = 1\\r\\n")
    True
    >>> source_sha256(b"x = 1") == source_sha256(b"x = 2")
    False
    """
    source = text.decode("utf-8").replace("\r\n", "\n")
    lines = source.split("\n")
    for (row, start), (end_row, end) in sorted(_remarks(source, lines), reverse=True):
        rest = lines[end_row - 1][end:]
        lines[row - 1 : end_row] = [lines[row - 1][:start] + rest] + [""] * (end_row - row)
    kept = "\n".join(line.rstrip() for line in lines if line.strip())
    return hashlib.sha256(kept.encode()).hexdigest()


def _remarks(source: str, lines: Sequence[str]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Where comments and docstrings begin and end: row, from 1, and character."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start, token.end
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        match node.body[:1]:
            case [ast.Expr(value=ast.Constant(value=str()) as text)]:
                places = ((text.lineno, text.col_offset), (text.end_lineno, text.end_col_offset))
                first, last = ((row, len(lines[row - 1].encode()[:byte].decode())) for row, byte in places)
                yield first, last


def _imported(path: Path, text: bytes) -> Iterator[Path]:
    """The files beside `path` that its source imports."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names = [node.module] if node.module else [alias.name for alias in node.names]
            yield from (path.parent / f"{name.replace('.', '/')}.py" for name in names)
