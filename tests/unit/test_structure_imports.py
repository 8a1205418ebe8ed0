"""The layers: who may import whom, that nobody reaches into another package, and that scoring starts fast."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers import ROOT

# The rooms that each room may import. A room that is not listed stands on top: no listed one may import it.
BELOW = {
    "__init__": set(),
    "metrics": {"metrics"},
    "data": {"data"},
    "models": {"models", "data"},
    "reporting": {"reporting", "metrics"},
    "notebook_parameters": {"notebook_parameters"},
    "notebooks": {"notebooks", "notebook_parameters"},
}
TORCH = {"torch", "transformers", "torchmetrics", "lightning_utilities", "safetensors", "tokenizers"}
LEARNING = {"models", "experiments"}
OWN_NAMES = {"ROOT", "__version__"}  # what helpers/__init__.py defines
SCORING = {"numpy", "scipy"}  # all that metrics may need; pandas inside a function only


class Import(NamedTuple):
    """One imported name: its dotted path, its line, and whether it waits until a function is called."""

    target: str
    line: int
    lazy: bool


def imports(source: str, package: str) -> Iterator[Import]:
    """Imported names of a module of `package`, relative ones resolved."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, node.lineno, lazy) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                path = ".".join([*base, *([module] if module else [])])
                yield from (Import(f"{path}.{alias.name}", node.lineno, lazy) for alias in names)
            case _:
                within = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_typing(node)
                for child in ast.iter_child_nodes(node):
                    yield from visit(child, within)

    yield from visit(ast.parse(source), False)


def is_typing(node: ast.AST) -> bool:
    """Whether the node is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def room_of(target: str) -> str | None:
    """The room of a dotted path; None for other packages, and for the names that helpers itself defines."""
    package, _, rest = target.partition(".")
    room = rest.partition(".")[0]
    return room if package == "helpers" and room and room not in OWN_NAMES else None


def layer_faults(source: str, package: str, room: str) -> list[str]:
    """Imports that go up, go sideways, or bring a package that the room must do without."""
    faults = []
    for found in imports(source, package):
        root, other = found.target.split(".")[0], room_of(found.target)
        if other and room in BELOW and other not in BELOW[room]:
            faults.append(f"line {found.line}: {room} imports {found.target}")
        if root in TORCH and room not in LEARNING:
            faults.append(f"line {found.line}: {room} imports {root}")
        if room == "metrics" and not is_light(found, root):
            faults.append(f"line {found.line}: metrics imports {root}")
    return faults


def is_light(found: Import, root: str) -> bool:
    """Whether metrics may import this: the standard library, numpy, scipy; pandas when it is called for."""
    return root in SCORING | sys.stdlib_module_names | {"helpers"} or (root == "pandas" and found.lazy)


def private_faults(source: str, package: str) -> list[str]:
    """Private names of other packages, imported or reached through an imported module."""
    own = ".".join(package.split(".")[:2])
    found = [one for one in imports(source, package) if not f"{one.target}.".startswith(f"{own}.")]
    faults = [f"line {one.line}: {one.target}" for one in found if is_private(one.target)]
    tree = ast.parse(source)
    names = {
        alias.asname or alias.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name in names and is_private(attr):
                faults.append(f"line {node.lineno}: {name}.{attr}")
    return faults


def is_private(target: str) -> bool:
    """Whether any part of a dotted path starts with an underscore, `__dunder__` names aside."""
    return any(part.startswith("_") and not part.endswith("__") for part in target.split("."))


def described(module: Path) -> tuple[str, str, str]:
    """Source, package and room of a module, given relative to the project root."""
    return (ROOT / module).read_text("utf-8"), ".".join(module.parts[:-1]), Path(module.parts[1]).stem


MODULES = sorted(path.relative_to(ROOT) for path in (ROOT / "helpers").rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_point_down(module: Path) -> None:
    assert not layer_faults(*described(module))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_only_public_names_of_others(module: Path) -> None:
    source, package, _ = described(module)
    assert not private_faults(source, package)


def dotted(modules: list[Path]) -> str:
    """The modules as an import statement lists them."""
    return ", ".join(".".join(one.with_suffix("").parts).removesuffix(".__init__") for one in modules)


def fresh(code: str) -> str:
    """What a new interpreter prints."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_the_evaluation_wing_starts_without_torch() -> None:
    rooms = ("metrics", "data", "reporting")
    wing = [one for one in MODULES if one.parts[1] in rooms]
    loaded = set(fresh(f"import sys, {dotted(wing)}; print(*sys.modules)").split())
    assert loaded >= {f"helpers.{room}" for room in rooms}
    assert not loaded & TORCH


def test_scoring_starts_in_under_a_second() -> None:
    needed = ", ".join(f"helpers.metrics.{name}" for name in ("scores", "semeval", "direction", "resampling"))
    clock = f"import time; start = time.process_time(); import {needed}; print(time.process_time() - start)"
    assert min(float(fresh(clock)) for _ in range(3)) < 1  # processor time: other work may share the cores


class TestTheChecksThemselves:
    @pytest.mark.parametrize(
        ("room", "line", "fault"),
        [
            ("metrics", "from helpers.data import registry", "metrics imports helpers.data.registry"),
            ("metrics", "from ..reporting import runs", "metrics imports helpers.reporting.runs"),
            ("metrics", "from helpers import notebooks", "metrics imports helpers.notebooks"),
            ("metrics", "import sklearn.metrics", "metrics imports sklearn"),
            ("metrics", "import pandas", "metrics imports pandas"),
            ("reporting", "import helpers.data.readers", "reporting imports helpers.data.readers"),
            (
                "data",
                "def f():\n    from helpers.metrics import evaluate",
                "data imports helpers.metrics.evaluate",
            ),
            ("reporting", "def f():\n    import torch", "reporting imports torch"),
            ("models", "from helpers import experiments", "models imports helpers.experiments"),
        ],
    )
    def test_a_wrong_import_is_caught(self, room, line, fault) -> None:
        (found, *_) = layer_faults(line, f"helpers.{room}", room)
        assert found.endswith(fault)

    @pytest.mark.parametrize(
        ("room", "line"),
        [
            ("metrics", "def f():\n    import pandas as pd"),
            ("metrics", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd"),
            ("metrics", "from . import counts\nfrom helpers import __version__\nimport numpy as np, math"),
            ("reporting", "from helpers import ROOT\nfrom helpers.metrics import evaluate\nimport pandas"),
            ("models", "import torch\nfrom helpers.data.samples import Bag"),
            ("__main__", "from helpers import data, metrics, reporting, notebooks"),
        ],
    )
    def test_a_right_import_passes(self, room, line) -> None:
        assert layer_faults(line, f"helpers.{room}", room) == []

    @pytest.mark.parametrize(
        "line",
        [
            "from sklearn.metrics._classification import _check_targets",
            "import numpy as np\nnp._core.multiarray",
            "from helpers.metrics.counts import _cells",
        ],
    )
    def test_a_private_name_is_caught(self, line) -> None:
        assert private_faults(line, "helpers.reporting")

    def test_own_private_names_and_dunders_pass(self) -> None:
        source = "from helpers.metrics.counts import _cells\nimport numpy\nnumpy.__version__"
        assert private_faults(source, "helpers.metrics") == []
