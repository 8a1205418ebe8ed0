"""The stack: imports are relative and point down, folders are entered by their face, scoring starts fast."""

import ast
import graphlib
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
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
HEAVY = {*TORCH, "pandas", "scipy.stats", "pyarrow", "duckdb", "narwhals", "sklearn", "matplotlib"}
LIGHT = {"core": {"numpy", "scipy"}, "metrics": {"numpy", "scipy"}, "data": {"numpy", "scipy"}}
"""What these folders import outside of functions; of scipy only `scipy.sparse` is loaded."""
BY_PATH = {
    f"helpers.models.{path.stem}"
    for path in (ROOT / "helpers" / "models").glob("*.py")
    if path.stem not in ("base", "registry", "__init__")
} | {"helpers.adapters.streaming"}
"""Modules that load a heavy library (settings: pydantic), which no face does: imported by their path."""


def public_names(face: ModuleType) -> list[str]:
    """What a face lists: the names in it that are no modules."""
    return [
        name for name, thing in vars(face).items() if not (name.startswith("_") or inspect.ismodule(thing))
    ]


class Import(NamedTuple):
    """One imported name: where from, its line, and whether it waits until a function is called."""

    module: str
    name: str
    line: int
    lazy: bool
    relative: bool


def imports(source: str, package: str) -> Iterator[Import]:
    """Imported names of a module of `package`, relative ones resolved."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, "", node.lineno, lazy, False) for alias in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = package.split(".")[: len(package.split(".")) - level + 1] if level else []
                path = ".".join([*base, *([module] if module else [])])
                yield from (Import(path, alias.name, node.lineno, lazy, level > 0) for alias in names)
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
    """Imports by the package's own name, that go up or sideways, or that reach past a face."""
    faults = []
    for found in imports(source, package):
        if found.module.partition(".")[0] != "helpers":
            continue
        other = folder_of(found.module)
        where = f"line {found.line}: {folder or 'helpers'} imports {found.name} from {found.module}"
        if not found.relative:
            faults.append(f"{where}: not relative, and installed the package has another name")
        if not (other and folder) or other == folder:
            continue
        if FLOORS[other] >= FLOORS[folder]:
            faults.append(f"{where}: not from a lower floor")
        elif found.module not in FACES | BY_PATH:
            faults.append(f"{where}: past its face")
    return faults


def package_faults(source: str, package: str, folder: str) -> list[str]:
    """Packages that a folder must do without, or imports in functions only."""
    faults = []
    for found in imports(source, package):
        root = found.module.partition(".")[0]
        if root in TORCH and (folder not in ("models", "adapters") or "linear" in package):
            faults.append(f"line {found.line}: {package} imports {root}")
        light = LIGHT.get(folder, set()) | sys.stdlib_module_names | {"helpers", ""}
        if folder in LIGHT and not found.lazy and root not in light:
            faults.append(f"line {found.line}: {folder} imports {root}")
        if folder in ("core", "metrics") and root not in light | {"pandas"}:
            faults.append(f"line {found.line}: {folder} imports {root}")
    return faults


def circle(sources: dict[str, str]) -> list[str]:
    """Modules that import each other before any function runs: the first circle, or nothing.

    sources : module → source; a face is its package, and is imported with every module in it.
    """

    def targets(one: Import) -> tuple[str, str, str]:
        return f"{one.module}.{one.name}", one.module, f"{one.module}.__init__"

    graph = {}
    for module, source in sources.items():
        package = module if f"{module}.__init__" in sources else module.rpartition(".")[0]
        graph[module] = {
            next((target for target in targets(one) if target in sources), module)
            for one in imports(source, package.removesuffix(".__init__"))
            if not one.lazy
        } - {module}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return error.args[1]
    return []


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
def test_imports_are_relative_point_down_and_enter_by_the_face(module: Path) -> None:
    source, package, folder = described(module)
    assert not stack_faults(source, package, folder)
    assert not package_faults(source, package, folder)
    assert not private_faults(source, package)


def test_no_modules_import_each_other() -> None:
    names = {path: ".".join(path.with_suffix("").parts) for path in MODULES}
    assert not circle({name: (ROOT / path).read_text("utf-8") for path, name in names.items()})


@pytest.mark.parametrize("face", sorted(FACES - NO_FACE))
def test_a_face_says_what_it_gives_so_that_tools_follow(face: str) -> None:
    module = importlib.import_module(face)
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    listed = [one for node in tree.body if isinstance(node, ast.ImportFrom) for one in node.names]
    if face != "helpers.cli":  # commands register themselves
        assert [one.asname for one in listed] == [one.name for one in listed]
        assert sorted(public_names(module)) == sorted(one.name for one in listed)
    assert not [node for node in tree.body if isinstance(node, ast.FunctionDef)], "no names are made up"


def loaded(code: str) -> dict:
    """What a new interpreter has loaded after the code, and the processor seconds that it took."""
    probe = f"import json, sys, time\nstart = time.process_time()\n{code}\n"
    probe += "names = {m.partition('.')[0] for m in sys.modules} | {'scipy.stats'} & set(sys.modules)\n"
    probe += "print(json.dumps([time.process_time() - start, sorted(names)]))"
    command = [sys.executable, "-c", probe]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, modules = json.loads(done.stdout.splitlines()[-1])
    return {"seconds": seconds, "modules": set(modules)}


def heavy(code: str) -> set[str]:
    """The heavy libraries that a new interpreter has loaded after the code."""
    return HEAVY & loaded(code)["modules"]


@pytest.mark.parametrize("face", ["core", "metrics", "data", "runs", "evaluation", "models"])
def test_these_folders_load_numpy_and_scipy_sparse_at_most(face: str) -> None:
    assert not heavy(f"import helpers.{face}")


def test_scoring_a_small_file_loads_pyarrow_and_nothing_heavier() -> None:
    code = "import contextlib, io\nfrom helpers.__main__ import main\n"
    code += "with contextlib.redirect_stdout(io.StringIO()):\n"
    code += "    assert main(['score', 'examples/predictions.csv', '--negative', 'Other']) == 0"
    assert heavy(code) == {"pyarrow"}


def test_papers_and_experiments_load_without_torch_scikit_learn_and_matplotlib() -> None:
    code = "import helpers.papers, helpers.experiments, helpers.reporting.leaderboard, helpers.cli"
    assert not heavy(code) & {*TORCH, "sklearn", "matplotlib", "duckdb", "narwhals"}


def test_importing_metrics_takes_half_a_second_of_the_processor() -> None:
    least = min(loaded("import helpers.metrics")["seconds"] for _ in range(3))
    own = loaded("import scipy.sparse")["seconds"]
    assert least < max(0.5, 1.6 * own)  # a busy machine is slower at everything


CALLS = """
from helpers.data import read_corpus
from helpers.metrics import Confusion, evaluate

evaluate(Confusion.from_arrays(["a"], ["a"]))
{wrong}
"""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("", ""),
        ('evaluate("nonsense")', 'Argument 1 to "evaluate" has incompatible type "str"'),
        ("read_corpus(7)", 'Argument 1 to "read_corpus" has incompatible type "int"'),
        ("from helpers.data import no_such_name", "has no attribute"),
    ],
)
def test_mypy_checks_calls_across_folders(wrong, said, tmp_path) -> None:
    snippet = tmp_path / "snippet.py"
    snippet.write_text(CALLS.format(wrong=wrong))
    words = [
        "--no-error-summary",
        "--no-implicit-reexport",
        "--cache-dir",
        str(ROOT / ".mypy_cache"),
        snippet,
    ]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert said in done.stdout and done.returncode == bool(said), done.stdout + done.stderr


class TestTheChecksThemselves:
    @pytest.mark.parametrize(
        ("folder", "line"),
        [
            ("metrics", "from ..data import locate"),
            ("metrics", "from ..reporting import tidy"),
            ("data", "def f():\n    from ..metrics import evaluate"),
            ("runs", "from ..metrics.counts import Confusion"),
            ("reporting", "from ..experiments import Experiment"),
            ("models", "from ..experiments import Experiment"),
            ("data", "from helpers.core import Label"),
            ("data", "import helpers.core"),
        ],
    )
    def test_a_wrong_import_is_caught(self, folder, line) -> None:
        assert stack_faults(line, f"helpers.{folder}", folder)

    @pytest.mark.parametrize(
        ("folder", "line"),
        [
            ("metrics", "import sklearn.metrics"),
            ("metrics", "import pandas"),
            ("data", "import pandas"),
            ("data", "import pyarrow.csv"),
            ("metrics", "def f():\n    import pyarrow"),
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
            ("data", "def f():\n    import duckdb"),
            ("metrics", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas as pd"),
            ("metrics", "from .counts import Confusion\nfrom ..core import Label\nimport numpy as np, math"),
            ("papers", "from .. import ROOT\nfrom ..reporting.figures import styled\nimport pandas"),
            ("papers", "def f():\n    from ..models.training import load_weights"),
            ("models", "import torch\nfrom ..data import RelationSample"),
        ],
    )
    def test_a_right_import_passes(self, folder, line) -> None:
        assert not stack_faults(line, f"helpers.{folder}", folder)
        assert not package_faults(line, f"helpers.{folder}", folder)

    def test_a_circle_is_caught(self) -> None:
        sources = {"helpers.data.a": "from .b import x", "helpers.data.b": "from . import a"}
        assert set(circle(sources)) == set(sources)
        assert not circle(sources | {"helpers.data.b": "def f():\n    from .a import y"})
        face = {"helpers.data.__init__": "from .a import y as y", "helpers.data.a": "from . import y"}
        assert circle(face)

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
    faces = {one.__name__: {name: getattr(one, name) for name in public_names(one)} for one in modules}
    assert not homonyms(faces)
    a, b = object(), object()
    assert homonyms({"x": {"n": a, "m": a}, "y": {"n": b, "m": a}}) == ["n: x, y"]
