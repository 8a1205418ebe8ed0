"""What a notebook's parameters cell declares, and whether a given value is of the declared kind.

Reads sources only: nothing is run, and no default is ever replaced here (papermill does that).
"""

import ast
import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

KINDS = {"str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "list": (list,)}
WORDS = dict.fromkeys(["true", "yes", "on", "1"], True) | dict.fromkeys(["false", "no", "off", "0"], False)


class Parameter(NamedTuple):
    """A declared parameter: name, kind as written (`int`, `list[str]`), default, and the trailing comment."""

    name: str
    kind: str
    default: Any
    help: str


def inspect_parameters(path: Path) -> dict[str, Parameter]:
    """Parameters that the notebook at `path` declares, by name, read without running it.

    Raises ValueError when it has not exactly one code cell tagged `parameters`, or for what `read_parameters`
    refuses.
    """
    name, notebook = Path(path).name, nbformat.read(path, as_version=4)
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1 or tagged[0].cell_type != "code":
        raise ValueError(f"{name}: needs exactly one code cell tagged 'parameters', has {len(tagged)}")
    return {parameter.name: parameter for parameter in read_parameters(tagged[0].source, name)}


def read_parameters(source: str, notebook: str = "notebook") -> list[Parameter]:
    """Parameters that the source of a parameters cell declares, each as `name: kind = literal  # meaning`.

    Kinds are str, int, float (an int will do), bool, list, `list[kind]` and `kind | None`; where the
    annotation is missing, the type of the literal counts. Raises ValueError, naming notebook and line, for
    anything else: a value that is computed in this cell would not follow a parameter that is injected after
    it.

    >>> read_parameters("seed: int = 9  # of the bootstrap")
    [Parameter(name='seed', kind='int', default=9, help='of the bootstrap')]
    """
    lines = source.splitlines()
    parameters = []
    for statement in ast.parse(source).body:
        line = lines[statement.end_lineno - 1].encode()
        try:
            name, kind, default = _declaration(statement)
            if not _fits(default, ast.parse(kind, mode="eval").body):
                raise ValueError(f"{default!r} is not {kind}")
        except ValueError as error:
            raise ValueError(f"{notebook}, parameters cell, line {statement.lineno}: {error}") from None
        comment = line[statement.end_col_offset :].decode().strip()
        parameters.append(Parameter(name, kind, default, comment.lstrip("# ")))
    return parameters


def parse_value(value: Any, kind: str) -> Any:
    """`value` as the declared kind; text from a command line is read as a literal, or as a word for a bool.

    Raises ValueError when it is of another kind: a bool is not an int, and an int is not a bool.

    >>> parse_value("5", "int"), parse_value("yes", "bool"), parse_value("[148, 9]", "list[int]")
    (5, True, [148, 9])
    >>> parse_value("5", "str"), parse_value("None", "int | None")
    ('5', None)
    >>> parse_value("five", "int")
    Traceback (most recent call last):
    ...
    ValueError: 'five' is not int
    """
    declared = ast.parse(kind, mode="eval").body
    for reading in _readings(value):
        if _fits(reading, declared):
            return reading
    raise ValueError(f"{value!r} is not {kind}")


def accept_values(
    declared: Mapping[str, Mapping[str, Parameter]], values: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Which notebook gets which of `values`: each name goes to every notebook that declares it.

    declared: notebook -> its parameters by name. Raises ValueError when no notebook declares a name (listing
    the known names and the nearest one), or when a value is not of the declared kind.

    >>> seed, alpha = read_parameters("seed: int = 9\\nalpha: float = 0.75")
    >>> accept_values({"01_a": {"seed": seed}, "02_b": {"seed": seed, "alpha": alpha}}, {"alpha": "0.5"})
    {'01_a': {}, '02_b': {'alpha': 0.5}}
    """
    known = sorted(set().union(*declared.values()))
    for name in values:
        if name not in known:
            notebooks = ", ".join(declared)
            raise ValueError(f"unknown parameter {name!r}: not declared by {notebooks}{suggest(name, known)}")
    return {notebook: _accepted(notebook, parameters, values) for notebook, parameters in declared.items()}


def suggest(name: str, known: Sequence[str]) -> str:
    """End of an error message about an unknown name: the nearest known one, if any is near, and all of them.

    >>> suggest("sed", ["alpha", "seed"])
    "; did you mean 'seed'? Known: alpha, seed"
    """
    nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    guess = f"; did you mean {nearest[0]!r}?" if nearest else "."
    return f"{guess} Known: {', '.join(known) or 'none'}"


def _declaration(statement: ast.stmt) -> tuple[str, str, Any]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
            return name, ast.unparse(annotation), _literal(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, type(_literal(value)).__name__, _literal(value)
    raise ValueError(f"expected `name: kind = literal`, found `{ast.unparse(statement)}`")


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(value)
    except ValueError:
        message = f"`{ast.unparse(value)}` is computed, not a literal: derive it in a later cell"
        raise ValueError(message) from None


def _readings(value: Any) -> Iterator[Any]:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        if value.lower() in WORDS:
            yield WORDS[value.lower()]
        with suppress(ValueError, SyntaxError):  # what is no literal can only be meant as text
            yield ast.literal_eval(value)
    yield value


def _fits(value: Any, declared: ast.expr) -> bool:
    match declared:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Constant(value=None):
            return value is None
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return type(value) is list and all(_fits(one, item) for one in value)
        case ast.Name(id=name) if name in KINDS:
            return type(value) in KINDS[name]
    known = ", ".join(KINDS)
    raise ValueError(f"unknown kind `{ast.unparse(declared)}`; known: {known}, list[kind], kind | None")


def _accepted(notebook: str, declared: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    accepted = {}
    for name in (name for name in values if name in declared):
        try:
            accepted[name] = parse_value(values[name], declared[name].kind)
        except ValueError as error:
            raise ValueError(f"parameter {name!r} of {notebook}: {error}") from None
    return accepted
