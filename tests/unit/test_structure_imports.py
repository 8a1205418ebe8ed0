"""The stack: imports point down, other folders are entered by their face only, and scoring starts fast."""

import ast
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers import ROOT

# Folder → floor. A folder may import what lies below it; of its own floor only itself.
FLOORS = {"core": 1, "metrics": 2, "data": 2, "runs": 3, "models": 3, "evaluation": 4, "adapters": 4}
FLOORS |= {"experiments": 5, "reporting": 5, "notebooks": 5, "papers": 6, "cli": 7, "__main__": 8}
FACES = {"helpers", "helpers.models.linear", "helpers.reporting.figures", "helpers.papers.audit"}
FACES |= {"helpers.reporting.leaderboard"}
FACES |= {f"helpers.{folder}" for folder in FLOORS}
TORCH = {"torch", "transformers", "accelerate", "torchmetrics", "tokenizers"}
SCORING = {"numpy", "scipy", "lazy_loader"}  # of core and metrics; pandas inside a function


class Import(NamedTuple):
    """One imported name: where from, its line, and whether it waits until a function is called."""

    module: str
    name: str
    line: int
    lazy: bool


def imports(source: str, package: str) -> Iterator[Import]:
    """Imported names of a module of `package`, relative ones resolved."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, "", node.lineno, lazy) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                path = ".".join([*base, *([module] if module else [])])
                yield from (Import(path, alias.name, node.lineno, lazy) for alias in names)
            case _:
                within = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or is_typing(node)
                for child in ast.iter_child_nodes(node):
                    yield from visit(child, within)

    yield from visit(ast.parse(source), False)


def is_typing(node: ast.AST) -> bool:
    """Whether the node is `if TYPE_CHECKING:`, which never runs."""
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def folder_of(module: str) -> str:
    """The folder of a module of the package: 'metrics' for 'helpers.metrics.counts', '' for 'helpers'."""
    return module.partition(".")[2].partition(".")[0]


def stack_faults(source: str, package: str, folder: str) -> list[str]:
    """Imports that go up or sideways, that reach past a face, or that name their own folder in full."""
    faults = []
    for found in imports(source, package):
        other = folder_of(found.module) if found.module.partition(".")[0] == "helpers" else ""
        where = f"line {found.line}: {folder or 'helpers'} imports {found.name} from {found.module}"
        if not other or not folder:
            continue
        if other == folder:
            own = ".".join(package.split(".")[:2])
            if not found.module.startswith(own):
                faults.append(where)
        elif FLOORS[other] >= FLOORS[folder]:
            faults.append(f"{where}: not from a lower floor")
        elif found.module not in FACES:
            faults.append(f"{where}: past its face")
    return faults


def package_faults(source: str, package: str, folder: str) -> list[str]:
    """Packages that a folder must do without."""
    faults = []
    for found in imports(source, package):
        root = found.module.partition(".")[0]
        if root in TORCH and (folder not in ("models", "adapters") or "linear" in package):
            faults.append(f"line {found.line}: {package} imports {root}")
        light = root in SCORING | sys.stdlib_module_names | {"helpers", ""} or (
            root == "pandas" and found.lazy
        )
        if folder in ("core", "metrics") and not light:
            faults.append(f"line {found.line}: {folder} imports {root}")
    return faults


def private_faults(source: str, package: str) -> list[str]:
    """Private names of other packages, imported or reached through an imported module."""
    own = ".".join(package.split(".")[:2])
    found = [one for one in imports(source, package) if not f"{one.module}.".startswith(f"{own}.")]
    faults = [
        f"line {one.line}: {one.module}.{one.name}" for one in found if is_private(f"{one.module}.{one.name}")
    ]
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
    """Source, package and folder of a module, given relative to the project root."""
    folder = "" if module == Path("helpers/__init__.py") else Path(module.parts[1]).stem
    return (ROOT / module).read_text("utf-8"), ".".join(module.parts[:-1]), folder


NO_FACE = {"helpers", "helpers.__main__"}
MODULES = sorted(path.relative_to(ROOT) for path in (ROOT / "helpers").rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_point_down_and_enter_by_the_face(module: Path) -> None:
    source, package, folder = described(module)
    assert not stack_faults(source, package, folder)
    assert not package_faults(source, package, folder)
    assert not private_faults(source, package)


@pytest.mark.parametrize("face", sorted(FACES - NO_FACE))
def test_a_face_gives_what_it_lists(face: str) -> None:
    module = importlib.import_module(face)
    names = getattr(module, "__all__", [])
    assert len(set(names)) == len(names)
    assert not [name for name in names if not hasattr(module, name)]
    # a submodule of the same name would take the place of what the face lists
    files = [name for name in names if (Path(module.__file__).parent / f"{name}.py").exists()]
    assert not [name for name in files if not inspect.ismodule(getattr(module, name))]


def loaded(code: str) -> dict:
    """What a new interpreter has loaded after the code, and the processor seconds that it took."""
    probe = f"import json, sys, time\nstart = time.process_time()\n{code}\n"
    probe += (
        "print(json.dumps([time.process_time() - start, sorted({m.partition('.')[0] for m in sys.modules})]))"
    )
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, modules = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": seconds, "modules": set(modules)}


def test_metrics_need_numpy_and_scipy_only() -> None:
    code = "import helpers.metrics, helpers.core\n"
    code += "for face in (helpers.core, helpers.metrics):\n    [getattr(face, name) for name in face.__all__]"
    strangers = TORCH | {
        "pandas",
        "pyarrow",
        "sklearn",
        "matplotlib",
        "papermill",
        "tqdm",
        "pydantic",
        "click",
    }
    assert not strangers & loaded(code)["modules"]


def test_importing_metrics_takes_under_three_tenths_of_a_second() -> None:
    code = "from helpers.metrics import Confusion, evaluate, averages"
    assert min(loaded("import helpers.metrics")["seconds"] for _ in range(3)) < 0.3
    assert min(loaded(code)["seconds"] for _ in range(3)) < 1.0  # numpy and scipy.sparse themselves


class TestTheChecksThemselves:
    @pytest.mark.parametrize(
        ("folder", "line"),
        [
            ("metrics", "from helpers.data import locate"),
            ("metrics", "from ..reporting import tidy"),
            ("data", "def f():\n    from helpers.metrics import evaluate"),
            ("runs", "from helpers.metrics.counts import Confusion"),
            ("reporting", "from helpers.experiments import Experiment"),
            ("models", "from helpers.experiments import Experiment"),
        ],
    )
    def test_a_wrong_import_is_caught(self, folder, line) -> None:
        assert stack_faults(line, f"helpers.{folder}", folder)

    @pytest.mark.parametrize(
        ("folder", "line"),
        [
            ("metrics", "import sklearn.metrics"),
            ("metrics", "import pandas"),
            ("experiments", "def f():\n    import torch"),
            ("data", "import transformers"),
        ],
    )
    def test_a_wrong_package_is_caught(self, folder, line) -> None:
        assert package_faults(line, f"helpers.{folder}", folder)

    @pytest.mark.parametrize(
        ("folder", "line"),
        [
            ("metrics", "def f():\n    import pandas as pd"),
            ("metrics", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd"),
            (
                "metrics",
                "from .counts import Confusion\nfrom helpers.core import Label\nimport numpy as np, math",
            ),
            (
                "papers",
                "from helpers import ROOT\nfrom helpers.reporting.figures import styled\nimport pandas",
            ),
            ("models", "import torch\nfrom helpers.data import RelationSample"),
        ],
    )
    def test_a_right_import_passes(self, folder, line) -> None:
        assert not stack_faults(line, f"helpers.{folder}", folder)
        assert not package_faults(line, f"helpers.{folder}", folder)

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


def homonyms(faces: dict[str, dict[str, object]]) -> list[str]:
    """Names under which two faces offer different things."""
    things: dict[str, dict[int, str]] = {}
    for face, names in faces.items():
        for name, thing in names.items():
            things.setdefault(name, {})[id(thing)] = face
    return [f"{name}: {', '.join(found.values())}" for name, found in things.items() if len(found) > 1]


def test_a_public_name_means_one_thing() -> None:
    modules = [importlib.import_module(face) for face in sorted(FACES) if face not in NO_FACE]
    faces = {one.__name__: {name: getattr(one, name) for name in one.__all__} for one in modules}
    assert not homonyms(faces)
    a, b = object(), object()
    assert homonyms({"x": {"n": a, "m": a}, "y": {"n": b, "m": a}}) == ["n: x, y"]
