"""Small faults, one at a time, that the tests of their folder have to notice: `make mutants`.

    python -m tests.mutants [--seed 0] [--number 40] [--only metrics]

A mutant is a module of the package with one change: a comparison turned, an operator of arithmetic exchanged,
a constant raised by 1, `and` for `or`, True for False, None for what a function returns. It is written into a
copy of the checkout, where its examples and the tests of its folder run until one of them fails.

Left out is what says only how a text is laid out (the widths of columns, how long a listing is), how much is
worked on at a time (BLOCK…, `AMOUNTS`, `replicate_entries`), what a type checker needs, whether a class is
frozen, and the engine that only nightly tests run (Spark).
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("metrics", "evaluation", "data", "models/linear", "runs")
"""Of helpers; the folder of the same name in tests/unit has to notice a fault there."""
DATA = ("variants", "predictions", "tables", "columns", "counting", "engines")
"""Modules of data that are changed; the others read one format each."""
AMOUNTS = ("ALONE", "AHEAD", "LARGE", "READ_AGAIN", "MOST_COMBINATIONS", "_HEADER", "jobs", "version")
"""Of work for a process or an engine, where no result depends on the number; and versions, raised by hand."""
PAIRS = ((ast.Lt, ast.GtE), (ast.LtE, ast.Gt), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
PAIRS += ((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div))
SWAPPED = {old: new for pair in PAIRS for old, new in (pair, pair[::-1])} | {ast.FloorDiv: ast.Mult}


def changed(node: ast.AST) -> ast.AST | None:
    """What stands in the place of a node, if it is one that mutates."""
    match node:
        case ast.Compare(left, [first, *ops], comparators) if type(first) in SWAPPED:
            return ast.Compare(left, [SWAPPED[type(first)](), *ops], comparators)
        case ast.BoolOp(op, values):
            return ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            return ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.Return(ast.AST() as value) if ast.unparse(value) not in ("None", "False"):
            return ast.Return(ast.Constant(None))
        case ast.Constant(bool(value)):
            return ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            return ast.Constant(value + 1)
    return None


def is_left_out(node: ast.AST, parent: ast.AST) -> bool:
    """Whether no test has to notice a fault there: of annotations, errors' words, layout, sizes of blocks."""
    match node, parent:
        case ast.Raise() | ast.JoinedStr() | ast.arg() | ast.Assert() | ast.ClassDef("_Spark"), _:
            return True
        case ast.keyword("strict" | "copy" | "width" | "leave") | ast.AnnAssign(ast.Name("width")), _:
            return True  # strict: of zip, of sound columns
        case _, ast.AnnAssign(annotation=other) | ast.FunctionDef(returns=other):
            return node is other
        case _, ast.Call(ast.Name("Column" | "listing" | "shown" | "visible"), [_, second, *_]):
            return node is second
        case ast.Assign([ast.Name(name)]), _:
            return name.startswith("BLOCK") or name in AMOUNTS
        case ast.Call(ast.Name("max")), _:
            return "BLOCK" in ast.unparse(node)
        case ast.FunctionDef("replicate_entries"), _:
            return True
    return False


def expressions(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a module and of the bodies of its functions and classes."""
    decorators = getattr(tree, "decorator_list", [])
    for child in ast.iter_child_nodes(tree):
        if child not in decorators and not is_left_out(child, tree):
            yield child
            yield from expressions(child)


def mutants(path: Path) -> list[tuple[ast.AST, ast.AST, ast.AST]]:
    """The module's tree, a node of it and what stands in the node's place."""
    tree = ast.parse(path.read_text("utf-8"))
    pairs = ((node, changed(node)) for node in expressions(tree))
    return [(tree, node, new) for node, new in pairs if new is not None]


def passes(copy: Path, *tests: Path | str) -> bool:
    """Whether no test of these files or folders fails."""
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not nightly", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    options = {"cwd": copy, "env": environment, "capture_output": True, "timeout": 1800}
    try:
        return not subprocess.run([sys.executable, *words], **options).returncode
    except subprocess.TimeoutExpired:
        return False  # it loops for ever


def survives(path: Path, source: str, tests: str) -> bool:
    """Whether no test fails in a copy of the checkout: the module's examples, the file of its name, all."""
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        for part in ROOT.iterdir():
            if part.name in ("helpers", "tests"):
                shutil.copytree(part, copy / part.name, ignore=shutil.ignore_patterns("__pycache__"))
            elif part.name not in (".git", ".cache", ".hypothesis"):
                (copy / part.name).symlink_to(part)
        (copy / path.relative_to(ROOT)).write_text(source, "utf-8")
        unit, module = copy / "tests" / "unit", ".".join(path.relative_to(ROOT).with_suffix("").parts)
        examples = [f"{unit}/test_doctests.py::test_examples[{module}]"] if ">>> " in source else []
        folder = unit / tests
        return all(passes(copy, own) for own in (*examples, *folder.glob(f"test_{path.stem}.py"), folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--only", metavar="FOLDER", help="of helpers, e.g. metrics")
    chosen = parser.parse_args()
    folders = [chosen.only] if chosen.only else FOLDERS
    for folder in folders:
        if not passes(ROOT, ROOT / "tests" / "unit" / folder):
            sys.exit(f"tests/unit/{folder} fails without a fault: nothing can be said")
    rng = random.Random(chosen.seed)
    drawn = []
    for index in range(chosen.number):  # as many of each folder, whatever its size
        folder = folders[index % len(folders)]
        paths = sorted((ROOT / "helpers" / folder).glob("*.py"))
        paths = [path for path in paths if folder != "data" or path.stem in DATA]
        drawn.append(rng.choice([(path, folder, *fault) for path in paths for fault in mutants(path)]))

    def judged(drawing: tuple) -> bool:
        path, folder, tree, node, new = drawing
        change = f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}  →  {ast.unparse(new)}"
        node.__class__, node.__dict__ = type(new), vars(new)  # in its tree
        survived = survives(path, ast.unparse(tree), folder)
        print("SURVIVES" if survived else "caught  ", change, flush=True)
        return survived

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        survivors = sum(pool.map(judged, drawn))
    print(f"{len(drawn) - survivors} of {len(drawn)} caught, seed {chosen.seed}")


if __name__ == "__main__":
    main()
