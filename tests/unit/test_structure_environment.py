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
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")


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


def test_pins_hold_on_any_platform() -> None:
    assert not [name for name in read_pins(PINS) if name.startswith(("nvidia", "cuda", "triton"))]


def test_conda_door_reads_the_same_pins() -> None:
    assert not environment_faults(ENVIRONMENT, PYPROJECT["requires-python"])


def test_every_direct_dependency_says_what_needs_it() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    declared = re.findall(r'^    "[\w-]+[>=]=.*$', text, flags=re.MULTILINE)
    extras = [lines for name, lines in PYPROJECT["optional-dependencies"].items() if name != "all"]
    assert len(declared) == len(PYPROJECT["dependencies"]) + sum(map(len, extras))
    assert not [line for line in declared if "  # " not in line]


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


def test_help_is_the_default_and_lists_all_targets_at_most_sixteen() -> None:
    targets = set(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, flags=re.MULTILINE)[0].split())
    rules = set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))
    listed = set(re.findall(r"make (\w+) +\S", run_make()))
    assert targets == rules == listed
    assert {"setup", "reproduce", "publish", "test", "bench", "help"} <= targets
    assert len(targets) <= 16


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


def test_ci_runs_the_tests() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    text = script.read_text("utf-8")
    assert "make test\n" in text and "make test ONLY=data" in text and 'make nightly THIRD="$third"' in text


def test_every_nightly_test_is_there() -> None:
    """A file that is renamed would else move to `make test`, unseen."""
    tests = "".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    files = {path.name for path in (ROOT / "tests").rglob("test_*.py")}
    assert set(NIGHTLY.values()) == {0, 1, 2}
    for name in NIGHTLY:
        assert name in files or f"def {name.rpartition('::')[2]}(" in tests, name


class TestTheChecksThemselves:
    @pytest.mark.parametrize(
        "line", ["numpy>=2", "torch==2.13.0+cpu", "x @ file:///x", "a==1\na==2", "--find-links x"]
    )
    def test_anything_but_a_pin_is_refused(self, line) -> None:
        with pytest.raises(AssertionError, match="not `name==version`|pinned twice"):
            read_pins(line)

    def test_disagreements(self) -> None:
        assert disagreements({"numpy": "1.26.0"}, ["NumPy>=2.0", "scipy>=1", "numpy<2"]) == [
            "NumPy>=2.0 but 1.26.0",
            "scipy>=1 but no pin",
        ]

    @pytest.mark.parametrize(
        ("old", "new", "fault"),
        [
            ("- -r requirements.txt", "- numpy==2.0", "numpy==2.0: a pin beside"),
            ("- pip ", "- numpy=2.0\n  - pip ", "numpy=2.0: a package beside"),
            ("python=3.11", "python=3.9", "not one version within"),
        ],
    )
    def test_environment_faults(self, old, new, fault) -> None:
        assert old in ENVIRONMENT
        assert fault in environment_faults(ENVIRONMENT.replace(old, new), PYPROJECT["requires-python"])[0]
