"""One list of pins, within the declared ranges, behind both doors; a Makefile that says what it can do."""

import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

import helpers
from helpers import ROOT
from tests.conftest import NIGHTLY

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
ENVIRONMENT = (ROOT / "environment.yml").read_text("utf-8")
PINS = (ROOT / "requirements.txt").read_text("utf-8")


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


def environment_faults(text: str, python: str) -> list[str]:
    """What is wrong with the conda door: a second list of pins, no list, or a Python outside the range."""
    entries = yaml.safe_load(text)["dependencies"]
    conda = [entry for entry in entries if isinstance(entry, str)]
    piped = [line for entry in entries if isinstance(entry, dict) for line in entry["pip"]]
    faults = [
        f"{entry}: a package beside the list"
        for entry in conda
        if not re.match(r"(python|pip|cxx-compiler)\b", entry)
    ]
    faults += [f"{line}: a pin beside the list" for line in piped if line != "-r requirements.txt"]
    if piped.count("-r requirements.txt") != 1:
        faults.append("requirements.txt is not read exactly once")
    versions = [entry.partition("=")[2] for entry in conda if entry.startswith("python=")]
    if len(versions) != 1 or not SpecifierSet(python).contains(versions[0]):
        faults.append(f"python {versions} is not one version within {python}")
    return faults


def test_every_dependency_is_pinned_within_its_range() -> None:
    extras = PYPROJECT["optional-dependencies"]
    apart = {"all", "spark"}  # made of the others; installed apart, with a Java runtime
    pinned = [line for name in extras.keys() - apart for line in extras[name]]
    assert not disagreements(read_pins(PINS), PYPROJECT["dependencies"] + pinned)
    assert read_pins(PINS)["torch"] == "2.13.0"


def test_conda_door_reads_the_same_pins() -> None:
    assert not environment_faults(ENVIRONMENT, PYPROJECT["requires-python"])


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
