"""What is never committed, which links lead nowhere, what an import loads.

Floors, circles, faces and where torch may be used are contracts of import-linter, docstrings and style are
rules of ruff, both in pyproject.toml: `make lint`.
"""

import ast
import csv
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import helpers
from helpers import ROOT
from helpers.metrics import SCHEMES, Outcome, Policy
from helpers.models import MODELS

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINS = (ROOT / "requirements.txt").read_text("utf-8")
PAGES = [f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY", "GLOSSARY", "TEACHING")]
# homes of people and hosts of package registries: true on one machine only
MACHINE = re.compile(r"/home/\w+/|/Users/\w+/|/roo[t]/|[A-Z]:\\Users|(pypi|pythonhosted|anaconda)\.org")
TEXT = {".py", ".md", ".ipynb", ".toml", ".yml", ".cff", ".json", ".csv", ".txt", ".html", ".tex", ""}
HEAVY = {"torch", "transformers", "accelerate", "pandas", "scipy.stats", "pyarrow", "duckdb", "narwhals"}
HEAVY |= {"sklearn", "matplotlib"}


@pytest.fixture(scope="module")
def committed() -> list[Path]:
    """Files that are committed, or about to be, relative to the root."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("needs a git checkout to know which files belong to the project")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return [Path(name) for name in sorted(set(listed.split("\0"))) if name and (ROOT / name).is_file()]


def test_no_data_is_committed_and_no_file_is_huge(committed) -> None:
    assert not [path for path in committed if path.parts[0] == "data" or path.suffix in {".pkl", ".pt"}]
    assert not [path for path in committed if (ROOT / path).stat().st_size > 3_000_000]


def test_no_file_names_a_machine(committed) -> None:
    texts = {path: (ROOT / path).read_text("utf-8") for path in committed if path.suffix in TEXT}
    assert not {str(path): found[0] for path, text in texts.items() if (found := MACHINE.search(text))}


def test_relative_links_lead_somewhere() -> None:
    pages = [ROOT / page for page in (*PAGES, "results/README.md", "docs/your_files.md")]
    folders = ("notebooks", "notebooks/solutions", "results/notebooks")
    pages += [page for folder in folders for page in (ROOT / folder).glob("*.ipynb")]
    pages += ROOT.glob("notebooks/teaching/*.md")
    for page in pages:
        links = re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8"))
        files = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
        assert [name for name in files if name and not (page.parent / name).exists()] == [], page


def test_imports_within_the_package_are_relative() -> None:
    """Installed, the package has another name."""
    for path in (ROOT / "helpers").rglob("*.py"):
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        names = [one.name for node in nodes if isinstance(node, ast.Import) for one in node.names]
        names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and not node.level]
        assert not [name for name in names if name.partition(".")[0] == "helpers"], path


LIGHT = f"""import sys
from helpers import core, data, evaluation, metrics, models, runs
from helpers.__main__ import main
assert main(['score', 'examples/predictions.csv', '--negative', 'Other']) == 0
print({HEAVY} & sys.modules.keys())"""


def test_lower_folders_and_scoring_load_numpy_and_nothing_heavier() -> None:
    done = subprocess.run([sys.executable, "-c", LIGHT], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.endswith("\nset()\n")


def test_every_dependency_is_pinned_once_within_its_range() -> None:
    pins = re.findall(r"^([\w.-]+)==(\d[\w.!]*)", PINS, re.MULTILINE)
    versions = {canonicalize_name(name): version for name, version in pins}
    assert len(versions) == len(pins) == len(re.findall(r"^[^#\s]", PINS, re.MULTILINE))
    extras = PYPROJECT["optional-dependencies"]
    apart = {"all", "site", "spark", "parse"}  # made of the others; installed apart
    needed = PYPROJECT["dependencies"] + [line for name in extras.keys() - apart for line in extras[name]]
    for dependency in map(Requirement, needed):
        assert dependency.specifier.contains(versions[canonicalize_name(dependency.name)]), dependency


def test_the_other_doors_name_these_pins_and_this_version() -> None:
    texts = ((ROOT / name).read_text("utf-8") for name in ("environment.yml", "CITATION.cff"))
    conda, citation = map(yaml.safe_load, texts)
    (python,) = [entry for entry in conda["dependencies"] if str(entry).startswith("python=")]
    assert {"pip": ["-r requirements.txt"]} in conda["dependencies"]
    assert SpecifierSet(PYPROJECT["requires-python"]).contains(python.partition("=")[2])
    assert (citation["version"], citation["license"]) == (helpers.__version__, PYPROJECT["license"])


def test_every_scheme_model_and_field_of_a_signature_is_explained():
    policy = Policy(negative="NA", labels="listed")
    signature = policy.signature(Outcome.from_columns(["a", "NA"], ["a", "a"]), "f1", "macro")
    fields = {field.partition(":")[0] for field in signature.split("|")[1:]}
    for table in (ROOT / "results" / "tables").glob("*.csv"):
        rows = csv.DictReader(table.read_text("utf-8").splitlines())
        fields |= {part.partition(":")[0] for row in rows for part in row.get("signature", "").split("|")[1:]}
    glossary = (ROOT / "GLOSSARY.md").read_text("utf-8")
    assert [name for name in (*SCHEMES, *MODELS, *fields) if f"`{name}`" not in glossary] == []


@pytest.mark.parametrize("page", [ROOT / "TEACHING.md", *ROOT.glob("notebooks/teaching/*.md")], ids=str)
def test_sections_and_numbers_of_the_teaching_kit_are_in_the_notebooks_that_it_links(page):
    text = page.read_text("utf-8")
    linked = re.findall(r"(\d\d_\w+)\.ipynb\)(?:, sections? (\d(?:[\d, ]|and|to)*))?", text)
    shown = ""
    for name, sections in linked:
        copy = (ROOT / "results" / "notebooks" / f"{name}.ipynb").read_text("utf-8")
        missing = [number for number in re.findall(r"\d+", sections) if f'"## {number}. ' not in copy]
        assert not missing, f"{name} has no section {missing}"
        shown += copy
    assert not [number for number in re.findall(r"\d+\.\d+", text) if number not in shown]
