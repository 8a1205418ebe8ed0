"""The house: what lies where, what is never committed, and what public names and links owe their reader."""

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers import ROOT
from tests import outcomes
from tests.unit.test_structure_notebooks import PLANNED

TOP_LEVEL = {
    *(
        "README.md",
        "CONTRIBUTING.md",
        "LICENSE",
        "CITATION.cff",
        "SECURITY.md",
        "GLOSSARY.md",
        "TEACHING.md",
        "Makefile",
        "environment.yml",
        "requirements.txt",
        "pyproject.toml",
    ),
    *("notebooks", "helpers", "results", "figures", "examples", "tests", "web", "workflow"),
}
TEXT = {".py", ".md", ".ipynb", ".toml", ".yml", ".cff", ".json", ".csv", ".txt", ".html", ".tex", ""}
# homes of people and hosts of package registries: true on one machine only
MACHINE = re.compile(
    r"/home/\w+/|/Users/\w+/|/roo[t]/|[A-Z]:\\Users|pypi\.org|pythonhosted\.org|anaconda\.org"
)
LINES = 500  # of a module; one subject rarely needs more than 300
# words of an earlier house; a reader who knows the field should need no glossary
SLANG = re.compile(r"\b(rooms?(?! for)|wings?|bridges?|tall(y|ies)|whole or not at all)\b", re.IGNORECASE)
PROPER = {"helpers/data/demo.py"}  # letters about roads and bridges


def project_files() -> list[Path]:
    """Files that belong to the project, relative to its root: committed, or about to be."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout to know which files belong to the project")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.decode()
    return [Path(name) for name in sorted(set(listed.split("\0"))) if name and (ROOT / name).is_file()]


def strangers(files: list[Path]) -> list[str]:
    """Top-level names that DESIGN's house does not know."""
    names = {file.parts[0] for file in files}
    return sorted(name for name in names if name not in TOP_LEVEL and not name.startswith("."))


def doctest_faults(source: str, everywhere: bool) -> list[str]:
    """Public functions and classes of a module that lack a docstring, or an example where there must be one.

    everywhere: each function, and each class with methods, needs an example; else one in the module will do.
    """
    public = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_")
        if "overload" not in map(ast.unparse, node.decorator_list)  # documented where it is implemented
    ]
    acting = [node for node in public if is_acting(node)]
    shown = {node.name: any(">>>" in text for text in docstrings(node)) for node in acting}
    faults = [f"{node.name} has no docstring" for node in public if not ast.get_docstring(node)]
    if everywhere:
        faults += [f"{name} has no example" for name, has in shown.items() if not has]
    elif acting and not any(shown.values()):
        faults.append("no public name has an example")
    return faults


def is_acting(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Whether there is something to call: a function, or a class that is more than a record."""
    methods = [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.FunctionDef)]
    return isinstance(node, ast.FunctionDef) or any(not method.name.startswith("_") for method in methods)


def docstrings(node: ast.AST) -> list[str]:
    """The docstrings of a definition and of those within it."""
    kinds = ast.FunctionDef | ast.ClassDef
    return [ast.get_docstring(one) or "" for one in ast.walk(node) if isinstance(one, kinds)]


def broken_links(text: str, folder: Path) -> list[str]:
    """Relative links of a Markdown text, seen from `folder`, that lead nowhere."""
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    files = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    return [file for file in files if file and not (folder / file).exists()]


def modules() -> list[Path]:
    """Modules of the package, relative to the project root."""
    return sorted(path.relative_to(ROOT) for path in (ROOT / "helpers").rglob("*.py"))


def test_top_level_is_the_house_and_nothing_else() -> None:
    files = project_files()
    assert not strangers(files)
    assert {file.parts[0] for file in files} >= TOP_LEVEL
    assert strangers([Path("utils.py"), Path(".ci/run"), Path("helpers/x.py")]) == ["utils.py"]


def test_no_data_is_committed_and_no_file_is_huge() -> None:
    files = project_files()
    assert not [file for file in files if file.parts[0] == "data" or file.suffix in {".pkl", ".pt", ".bin"}]
    assert not [file for file in files if (ROOT / file).stat().st_size > 3_000_000]


def test_no_file_names_a_machine() -> None:
    texts = {file: (ROOT / file).read_text("utf-8") for file in project_files() if file.suffix in TEXT}
    assert not {str(file): found[0] for file, text in texts.items() if (found := MACHINE.search(text))}
    assert MACHINE.search("written to /home/" + "ada/results")


@pytest.mark.parametrize("module", modules(), ids=str)
def test_modules_are_short_and_documented(module: Path) -> None:
    source = (ROOT / module).read_text("utf-8")
    assert ast.get_docstring(ast.parse(source)), "no module docstring"
    assert len(source.splitlines()) <= LINES
    if module.name != "__main__.py":
        assert not doctest_faults(source, everywhere=module.parts[1] == "metrics")


def test_test_folders_mirror_the_folders_of_the_package() -> None:
    def folders(root: Path, pattern: str) -> set[Path]:
        return {path.parent.relative_to(root) for path in root.rglob(pattern)} - {Path()}

    package, tests = folders(ROOT / "helpers", "*.py"), folders(ROOT / "tests" / "unit", "test_*.py")
    assert tests <= package
    assert {folder for folder in package if len(folder.parts) == 1} <= tests


def slang(text: str) -> list[str]:
    """Lines with a word of our own making."""
    return [line.strip() for line in text.splitlines() if SLANG.search(line)]


def test_words_are_the_fields() -> None:
    kinds = {".py", ".md", ".ipynb"}
    files = [file for file in project_files() if file.suffix in kinds and file.parts[0] != "results"]
    own = {*PROPER, "tests/unit/test_structure.py"}
    assert not {
        str(file): found
        for file in files
        if str(file) not in own and (found := slang((ROOT / file).read_text("utf-8")))
    }
    assert slang("The bridge between two Rooms") and not slang("leaves room for three: drawings, a tall yes")


@pytest.mark.parametrize(
    "page",
    [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "results/README.md")),
        *sorted((ROOT / "notebooks").glob("*.ipynb")),
    ],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_relative_links_lead_somewhere(page: Path) -> None:
    to_come = {f"{name}.ipynb" for name in PLANNED}
    assert {*broken_links(page.read_text("utf-8"), page.parent)} <= to_come


def test_readme_names_every_notebook() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert not [path.name for path in (ROOT / "notebooks").glob("*.ipynb") if path.name not in readme]


@pytest.mark.parametrize("path", sorted((ROOT / "tests").rglob("*.py")), ids=lambda path: path.stem)
def test_outcome_classes_come_from_one_module(path) -> None:
    """So that another name, or another form, of them is one change."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("helpers"):
            named = {one.name for one in node.names} & set(outcomes.__all__)
            assert not named or path.stem == "outcomes", f"line {node.lineno}: import it from tests.outcomes"


class TestTheChecksThemselves:
    @pytest.mark.parametrize(
        ("source", "everywhere", "faults"),
        [
            ("def f():\n    '''Do.'''", True, ["f has no example"]),
            ("def f():\n    '''Do.'''", False, ["no public name has an example"]),
            ("def f():\n    pass\ndef g():\n    '''>>> 1'''", False, ["f has no docstring"]),
            ("class C:\n    '''C.'''\n    def m(self):\n        '''>>> 1'''", True, []),
            ("def _f(): pass", True, []),
            ("class C:\n    '''An error.'''", False, []),
        ],
    )
    def test_doctest_faults(self, source, everywhere, faults) -> None:
        assert doctest_faults(source, everywhere) == faults

    def test_broken_links(self, tmp_path) -> None:
        (tmp_path / "there.md").touch()
        text = "[a](there.md#part) [b](gone.md) ![c](figures/gone.png) [d](https://example.org/x) [e](#here)"
        assert broken_links(text, tmp_path) == ["gone.md", "figures/gone.png"]
