"""The house: what lies where, what is never committed, which links lead nowhere, what an import loads.

Floors, circles, faces and where torch may be used are contracts of import-linter, docstrings and style are
rules of ruff, both in pyproject.toml: `make lint`.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import helpers
from helpers import ROOT
from helpers.evaluation import score_frame
from helpers.metrics import SCHEMES, Outcome, evaluate
from helpers.models import MODELS
from tests.conftest import NIGHTLY

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
PINS = (ROOT / "requirements.txt").read_text("utf-8")
GLOSSARY = (ROOT / "GLOSSARY.md").read_text("utf-8")
TOP_LEVEL = {
    *("README.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff", "SECURITY.md", "GLOSSARY.md", "TEACHING.md"),
    "CHANGELOG.md",
    *("Makefile", "environment.yml", "requirements.txt", "pyproject.toml"),
    *("notebooks", "helpers", "results", "figures", "examples", "tests", "web", "workflow", "docs"),
}
# homes of people and hosts of package registries: true on one machine only
MACHINE = re.compile(
    r"/home/\w+/|/Users/\w+/|/roo[t]/|[A-Z]:\\Users|pypi\.org|pythonhosted\.org|anaconda\.org"
)
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


def test_top_level_is_the_house_and_nothing_else(committed) -> None:
    assert {path.parts[0] for path in committed if not path.parts[0].startswith(".")} == TOP_LEVEL


def test_no_data_is_committed_and_no_file_is_huge(committed) -> None:
    assert not [path for path in committed if path.parts[0] == "data" or path.suffix in {".pkl", ".pt"}]
    assert not [path for path in committed if (ROOT / path).stat().st_size > 3_000_000]


def test_no_file_names_a_machine(committed) -> None:
    texts = {path: (ROOT / path).read_text("utf-8") for path in committed if path.suffix in TEXT}
    assert not {str(path): found[0] for path, text in texts.items() if (found := MACHINE.search(text))}


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "GLOSSARY.md",
        "TEACHING.md",
        "results/README.md",
        "docs/your_files.md",
    ]
    + [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    + [path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("notebooks/teaching/*.md"))],
)
def test_relative_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / page).read_text("utf-8"))
    files = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    assert not [name for name in files if name and not ((ROOT / page).parent / name).exists()]


def test_imports_within_the_package_are_relative() -> None:
    """Installed, the package has another name."""
    for path in (ROOT / "helpers").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            named = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            named += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            assert not [name for name in named if name.partition(".")[0] == "helpers"], (path, node.lineno)


def loaded(code: str) -> set[str]:
    """The heavy libraries that a new interpreter has loaded after the code."""
    probe = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    return HEAVY & set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize("face", ["core", "metrics", "data", "runs", "evaluation", "models"])
def test_these_folders_load_numpy_and_nothing_heavier(face: str) -> None:
    assert not loaded(f"import helpers.{face}")


def test_scoring_loads_numpy_and_nothing_heavier() -> None:
    code = "import contextlib, io\nfrom helpers.__main__ import main\n"
    code += "with contextlib.redirect_stdout(io.StringIO()):\n"
    code += "    assert main(['score', 'examples/predictions.csv', '--negative', 'Other']) == 0"
    assert not loaded(code)


def test_papers_and_experiments_load_without_torch_scikit_learn_and_matplotlib() -> None:
    paths = sorted((ROOT / "helpers" / "papers").rglob("[a-z]*.py"))
    papers = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "page"]
    code = f"import {', '.join(papers)}, helpers.experiments, helpers.reporting.leaderboard, helpers.cli\n"
    code += "helpers.experiments.Experiment('em-c').resolved(); list(helpers.models.MODELS)"
    assert not loaded(code) & {"torch", "transformers", "sklearn", "matplotlib", "duckdb", "narwhals"}


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
    snippet.write_text(
        f"from helpers.data import read_corpus\nfrom helpers.metrics import evaluate\n\n{wrong}\n"
    )
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--no-error-summary",
        "--cache-dir",
        ROOT / ".mypy_cache",
        snippet,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert said in done.stdout and done.returncode == bool(said), done.stdout + done.stderr


def read_pins(text: str) -> dict[str, str]:
    """Name -> version of each line; anything but `name==version` is refused."""
    pins = {}
    for line in filter(None, (line.partition("#")[0].strip() for line in text.splitlines())):
        found = re.fullmatch(r"([\w.-]+)==(\d[\w.!]*)", line)
        assert found, f"not `name==version`: {line!r}"
        assert canonicalize_name(found[1]) not in pins, f"pinned twice: {found[1]}"
        pins[canonicalize_name(found[1])] = found[2]
    return pins


def disagreements(pins: dict[str, str], ranges: list[str]) -> list[str]:
    """Ranges that have no pin, or a pin outside."""
    needed = [Requirement(line) for line in ranges]
    return [
        f"{one} but {pins.get(canonicalize_name(one.name), 'no pin')}"
        for one in needed
        if not one.specifier.contains(pins.get(canonicalize_name(one.name), "0"))
    ]


def test_every_dependency_is_pinned_within_its_range() -> None:
    extras = PYPROJECT["optional-dependencies"]
    apart = {"all", "site", "spark"}  # made of the others; installed apart
    pinned = [line for name in extras.keys() - apart for line in extras[name]]
    assert not disagreements(read_pins(PINS), PYPROJECT["dependencies"] + pinned)
    assert read_pins(PINS)["torch"] == "2.13.0"


def test_conda_door_reads_the_same_pins() -> None:
    entries = yaml.safe_load((ROOT / "environment.yml").read_text("utf-8"))["dependencies"]
    (piped,) = [entry["pip"] for entry in entries if isinstance(entry, dict)]
    (python,) = [entry for entry in entries if isinstance(entry, str) and entry.startswith("python=")]
    assert piped == ["-r requirements.txt"]
    assert SpecifierSet(PYPROJECT["requires-python"]).contains(python.partition("=")[2])


def test_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == helpers.__version__
    assert citation["license"] == PYPROJECT["license"]


def run_make(*arguments: str, makefile: str | None = None) -> str:
    """What make prints, as if called by a person rather than from within `make test`."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ["make", "-s", *(["-f", "-"] if makefile else []), *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=plain, input=makefile, capture_output=True, text=True, check=True
    )
    return done.stdout


@pytest.mark.parametrize(
    ("given", "exported"),
    [
        ("some/data", f"{ROOT}/some/data"),
        ("my data", f"{ROOT}/my data"),
        ("/far/my data", "/far/my data"),
        ("", ""),
    ],
)
def test_make_passes_the_whole_path_of_the_data(given, exported) -> None:
    show = 'include Makefile\nshow:\n\t@echo "$$RC_DATA_DIR"\n'
    assert run_make("show", f"RC_DATA_DIR={given}", makefile=show).strip() == exported


def test_every_nightly_test_is_there() -> None:
    """A file that is renamed would else move to `make test`, unseen."""
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    files = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert set(NIGHTLY.values()) == {0, 1, 2}
    for name in NIGHTLY:
        assert name in files or f"def {name.rpartition('::')[2]}(" in tests, name


def test_every_scheme_is_explained():
    assert [scheme for scheme in SCHEMES if f"| `{scheme}` |" not in GLOSSARY] == []


def test_every_field_of_a_signature_is_explained():
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    signatures = [row["signature"] for row in evaluate(table, negative="b", labels="listed").schemes.values()]
    labels = ["r(e1,e2)", "r(e2,e1)", "NA"]
    frame = pd.DataFrame({"gold": labels, "predicted": labels, "predicted_paired": labels})
    report = score_frame(frame, negative="NA", replicates=2)
    signatures += [report.schemes["macro"]["signature"], report.extra["direction"]["signature"]]
    fields = {field.partition(":")[0] for one in signatures for field in one.split("|")[1:]}
    assert {"scheme", "labels", "negative", "direction", "n", "v"} <= fields
    assert [field for field in fields if f"`{field}`" not in GLOSSARY] == []


def test_every_model_is_explained():
    assert [name for name in MODELS if f"`{name}`" not in GLOSSARY] == []


TEACHING = ROOT / "notebooks" / "teaching"
KIT = {path: path.read_text("utf-8") for path in [ROOT / "TEACHING.md", *TEACHING.glob("*.md")]}


@pytest.mark.parametrize("page", KIT, ids=lambda page: page.stem)
def test_sections_and_numbers_of_the_teaching_kit_are_in_the_notebooks_that_it_links(page):
    linked = re.findall(r"(\d\d_\w+)\.ipynb\)(?:, sections? (\d(?:[\d, ]|and|to)*))?", KIT[page])
    copies = {
        name: (ROOT / "results" / "notebooks" / f"{name}.ipynb").read_text("utf-8") for name, _ in linked
    }
    for name, sections in linked:
        missing = [one for one in re.findall(r"\d+", sections) if f'"## {one}. ' not in copies[name]]
        assert not missing, f"{name} has no section {missing}"
    shown = "".join(copies.values())
    assert not [number for number in re.findall(r"\d+\.\d+", KIT[page]) if number not in shown]
