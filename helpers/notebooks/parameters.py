"""What a notebook's parameters cell declares, and whether a given value is of the declared kind.

Reads sources only: nothing is run, and no default is replaced here (papermill does that).
"""

from __future__ import annotations

import ast
import functools
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ConfigDict, TypeAdapter, ValidationError

from ..core import did_you_mean

_KINDS = {"str": str, "int": int, "float": float, "bool": bool, "list": list}
_WORDS = dict.fromkeys(["true", "yes", "on", "1"], True) | dict.fromkeys(["false", "no", "off", "0"], False)


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
    import nbformat

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
    it. (`papermill.inspect_notebook` passes over what it cannot read, `kind | None` among it.)

    >>> read_parameters("seed: int = 9  # of the bootstrap")
    [Parameter(name='seed', kind='int', default=9, help='of the bootstrap')]
    """
    lines, parameters = source.splitlines(), []
    for statement in ast.parse(source).body:
        try:
            name, kind, default = _declaration(statement)
        except ValueError as error:
            raise ValueError(f"{notebook}, parameters cell, line {statement.lineno}: {error}") from None
        comment = lines[statement.end_lineno - 1].encode()[statement.end_col_offset :].decode()
        parameters.append(Parameter(name, kind, default, comment.strip().lstrip("# ")))
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
    for reading in _readings(value):
        with suppress(ValidationError):
            return _validator(kind).validate_python(reading)
    raise ValueError(f"{value!r} is not {kind}")


def accept_values(
    declared: Mapping[str, Mapping[str, Parameter]], values: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Which notebook gets which of `values`: each name goes to every notebook that declares it.

    declared: notebook → its parameters by name. Raises ValueError when no notebook declares a name (listing
    the known names and the nearest one), or when a value is not of the declared kind.

    >>> seed, alpha = read_parameters("seed: int = 9\\nalpha: float = 0.75")
    >>> accept_values({"01_a": {"seed": seed}, "02_b": {"seed": seed, "alpha": alpha}}, {"alpha": "0.5"})
    {'01_a': {}, '02_b': {'alpha': 0.5}}
    """
    known = sorted(set().union(*declared.values()))
    for name in values:
        if name not in known:
            hint = f"{did_you_mean(name, known, cutoff=0.4) or '.'} Known: {', '.join(known) or 'none'}"
            raise ValueError(f"unknown parameter {name!r}: not declared by {', '.join(declared)}{hint}")
    accepted: dict[str, dict[str, Any]] = {notebook: {} for notebook in declared}
    for notebook, parameters in declared.items():
        for name in (name for name in values if name in parameters):
            try:
                accepted[notebook][name] = parse_value(values[name], parameters[name].kind)
            except ValueError as error:
                raise ValueError(f"parameter {name!r} of {notebook}: {error}") from None
    return accepted


def _declaration(statement: ast.stmt) -> tuple[str, str, Any]:
    """Name, kind and default of one statement of a parameters cell."""
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
            kind = ast.unparse(annotation)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            kind = ""
        case _:
            raise ValueError(f"expected `name: kind = literal`, found `{ast.unparse(statement)}`")
    try:
        default = ast.literal_eval(value)
    except ValueError:
        computed = ast.unparse(value)
        raise ValueError(f"`{computed}` is computed, not a literal: derive it in a later cell") from None
    kind = kind or type(default).__name__
    try:
        _validator(kind).validate_python(default)
    except ValidationError:
        raise ValueError(f"{default!r} is not {kind}") from None
    return name, kind, default


@functools.cache
def _validator(kind: str) -> TypeAdapter:
    return TypeAdapter(_type(ast.parse(kind, mode="eval").body), config=ConfigDict(strict=True))


def _type(kind: ast.expr) -> Any:
    match kind:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _type(left) | _type(right)
        case ast.Constant(value=None):
            return type(None)
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return list[_type(item)]
        case ast.Name(id=name) if name in _KINDS:
            return _KINDS[name]
    raise ValueError(
        f"unknown kind `{ast.unparse(kind)}`; known: {', '.join(_KINDS)}, list[kind], kind | None"
    )


def _readings(value: Any) -> Iterator[Any]:
    """What a value may mean: text as a word for a bool, as a literal, as itself."""
    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(value, str):
        if value.lower() in _WORDS:
            yield _WORDS[value.lower()]
        with suppress(ValueError, SyntaxError):
            yield ast.literal_eval(value)
    yield value
