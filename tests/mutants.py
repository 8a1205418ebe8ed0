"""Small faults, one at a time, that the tests of their folder have to notice: `make mutants`.

    python -m tests.mutants [--seed 0] [--number 40] [--only metrics] [--jobs 2]

A mutant is a module of the package with one change: a comparison turned, an operator of arithmetic exchanged,
a constant raised by 1, `and` for `or`, True for False, None for what a function returns. It is written into a
copy of the checkout, where the tests of its folder run until one of them fails.
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
from queue import SimpleQueue

ROOT = Path(__file__).parents[1]
DATA = ("pairing", "predictions", "tables", "arrow", "cells", "counting", "engines")
FOLDERS = {"metrics": "metrics", "evaluation": "evaluation", "data": "data", "linear": "models/linear"}
FOLDERS |= {"runs": "runs"}
SUBJECTS = {name: (sorted(ROOT.glob(f"helpers/{folder}/*.py")), folder) for name, folder in FOLDERS.items()}
SUBJECTS["data"] = ([path for path in SUBJECTS["data"][0] if path.stem in DATA], "data")
"""Modules that are changed, and the folder of tests/unit that has to notice it."""
PAIRS = ((ast.Lt, ast.GtE), (ast.LtE, ast.Gt), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot), (ast.In, ast.NotIn))
PAIRS += ((ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div))
SWAPPED = {old: new for pair in PAIRS for old, new in (pair, pair[::-1])} | {ast.FloorDiv: ast.Mult}
LIMIT = 1800
"""Seconds; a mutant that loops for ever is caught."""


def changed(node: ast.AST) -> ast.AST | None:
    """What stands in the place of a node, if it is one that mutates."""
    match node:
        case ast.Compare(left, [first, *ops], comparators) if type(first) in SWAPPED:
            return ast.Compare(left, [SWAPPED[type(first)](), *ops], comparators)
        case ast.BoolOp(op, values):
            return ast.BoolOp(SWAPPED[type(op)](), values)
        case ast.BinOp(left, op, right) if type(op) in SWAPPED:
            return ast.BinOp(left, SWAPPED[type(op)](), right)
        case ast.Return(ast.AST()):
            return ast.Return(ast.Constant(None))
        case ast.Constant(bool(value)):
            return ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            return ast.Constant(value + 1)
    return None


def expressions(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes of function bodies: neither annotations nor what is only said in an error."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.Raise | ast.JoinedStr | ast.arg | ast.AnnAssign):
            continue
        if isinstance(child, ast.keyword) and child.arg == "strict":
            continue  # of zip, of sound columns: nothing changes
        if isinstance(child, ast.FunctionDef):
            child.returns, child.decorator_list = None, []
        yield child
        yield from expressions(child)


def mutants(path: Path) -> list[tuple[ast.AST, ast.AST]]:
    """Pairs of a node and its replacement."""
    pairs = ((node, changed(node)) for node in expressions(ast.parse(path.read_text("utf-8"))))
    return [(node, new) for node, new in pairs if new is not None]


def mutated(path: Path, node: ast.AST, new: ast.AST) -> tuple[str, str]:
    """The module's source with the one node replaced, and the change in a line."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    begin, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
    text = ast.unparse(new)
    text = text if isinstance(node, ast.Return | ast.Constant) else f"({text})"
    old = " ".join(source[begin:end].decode().split())
    changes = f"{path.relative_to(ROOT)}:{node.lineno}: {old}  →  {text}"
    return (source[:begin] + text.encode() + source[end:]).decode(), changes


def copied(folder: Path) -> Path:
    """A checkout of its own: package and tests are copied, the rest is linked."""
    for path in ROOT.iterdir():
        if path.name in ("helpers", "tests"):
            shutil.copytree(path, folder / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        elif path.name not in (".git", ".cache", ".hypothesis"):
            (folder / path.name).symlink_to(path)
    return folder


def passes(copy: Path, *tests: Path) -> bool:
    """Whether no test of these files or folders fails."""
    words = ["-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not nightly", *tests]
    environment = os.environ | {"PYTHONPATH": str(copy), "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    options = {"cwd": copy, "env": environment, "capture_output": True, "timeout": LIMIT}
    try:
        return not subprocess.run([sys.executable, *words], **options).returncode
    except subprocess.TimeoutExpired:
        return False


def survives(copy: Path, path: Path, source: str, tests: str) -> bool:
    """Whether no test fails; those in the file of the module's name begin."""
    target, folder = copy / path.relative_to(ROOT), copy / "tests" / "unit" / tests
    target.write_text(source, "utf-8")
    try:
        return all(passes(copy, own) for own in (*folder.glob(f"test_{path.stem}.py"), folder))
    finally:
        shutil.copy(path, target)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--only", choices=SUBJECTS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    chosen = parser.parse_args()
    subjects = [SUBJECTS[chosen.only]] if chosen.only else list(SUBJECTS.values())
    rng = random.Random(chosen.seed)
    drawn = []
    for index in range(chosen.number):  # as many of each folder, whatever its size
        paths, tests = subjects[index % len(subjects)]
        drawn.append(rng.choice([(path, tests, *pair) for path in paths for pair in mutants(path)]))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(chosen.jobs) as pool:
        copies: SimpleQueue[Path] = SimpleQueue()
        for job in range(chosen.jobs):
            first = Path(folder) / str(job)
            first.mkdir()
            copies.put(copied(first))
        for tests in dict.fromkeys(tests for _, tests, *_ in drawn):
            if not passes(first, first / "tests" / "unit" / tests):
                sys.exit(f"tests/unit/{tests} fails without a fault: nothing can be said")

        def judged(drawing: tuple) -> bool:
            path, tests, node, new = drawing
            source, change = mutated(path, node, new)
            copy = copies.get()
            passed = survives(copy, path, source, tests)
            copies.put(copy)
            print("SURVIVES" if passed else "caught  ", change, flush=True)
            return passed

        survivors = sum(pool.map(judged, drawn))
    print(f"{len(drawn) - survivors} of {len(drawn)} caught, seed {chosen.seed}")


if __name__ == "__main__":
    main()
