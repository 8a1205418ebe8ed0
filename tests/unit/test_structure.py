"""The house: what lies where, what is never committed, which links lead nowhere, what an import loads.

Floors, circles, faces and where torch may be used are contracts of import-linter, docstrings and style are
rules of ruff, both in pyproject.toml: `make lint`.
"""

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT

TOP_LEVEL = {
    *("README.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff", "SECURITY.md", "GLOSSARY.md", "TEACHING.md"),
    "CHANGELOG.md",
    *("Makefile", "environment.yml", "requirements.txt", "pyproject.toml"),
    *("notebooks", "helpers", "results", "figures", "examples", "tests", "web", "workflow"),
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
    ]
    + [f"notebooks/{path.name}" for path in sorted((ROOT / "notebooks").glob("*.ipynb"))],
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


@pytest.mark.parametrize(
    ("words", "libraries"),
    [
        (["score", "examples/predictions.csv", "--negative", "Other"], {"pyarrow"}),
        (["train", "--help"], set()),
    ],
)
def test_commands_load_what_they_need(words, libraries) -> None:
    code = "import contextlib, io\nfrom helpers.__main__ import main\n"
    code += f"with contextlib.redirect_stdout(io.StringIO()):\n    assert main({words}) == 0"
    assert loaded(code) == libraries


def test_papers_and_experiments_load_without_torch_scikit_learn_and_matplotlib() -> None:
    paths = sorted((ROOT / "helpers" / "papers").rglob("[a-z]*.py"))
    papers = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths if path.stem != "page"]
    code = f"import {', '.join(papers)}, helpers.experiments, helpers.reporting.leaderboard, helpers.cli"
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
