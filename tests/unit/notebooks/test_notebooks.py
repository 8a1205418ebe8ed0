"""The notebook runner: order, strict parameters, atomically, clean copies."""

import inspect
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import jupyter_client
import nbformat
import pytest
from nbformat import v4

from helpers import ROOT, notebooks
from helpers.notebooks import STARTS, STILLBORN, NotebookFailed, _compare_copies, run_notebooks
from tests.support import nightly

KERNEL = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
PARAMETERS = "seed: int = 9  # of the bootstrap"


def last_output(path: Path) -> str:
    """The printed text of the last cell of an executed copy."""
    return "".join(output.get("text", "") for output in nbformat.read(path, as_version=4).cells[-1].outputs)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A folder of notebooks, to write and run them; executed copies go beside it."""
    for name in ("EXECUTED", "SCRATCH"):
        monkeypatch.setattr(f"helpers.notebooks.{name}", tmp_path / name.lower())
    folder = tmp_path / "notebooks"

    def write(name: str, *sources: str, parameters: str = PARAMETERS) -> Path:
        """A notebook of one parameters cell, then one code cell for each source."""
        cells = [v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
        path = folder / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        cells += map(v4.new_code_cell, sources)
        nbformat.write(v4.new_notebook(cells=cells, metadata=KERNEL), path)
        return path

    def run(only=None, **options):
        return run_notebooks(only, folder=folder, **options)

    executed = tmp_path / "scratch" / "notebooks"
    return SimpleNamespace(root=tmp_path, folder=folder, executed=executed, run=run, write=write)


def test_order_is_by_number(desk) -> None:
    for name in ("10_later", "02_late", "01_data", "notes"):
        desk.write(name)

    def stems(only) -> str:
        return " ".join(path.stem for path in notebooks.notebook_paths(only, desk.folder))

    assert stems(None) == "01_data 02_late 10_later" and stems(2) == stems("02") == "02_late"
    assert stems(["10", "01_data.ipynb"]) == "01_data 10_later"
    with pytest.raises(ValueError, match="unknown notebook ''"):  # an empty variable of the shell is not 00
        stems("")


def test_a_declaration_of_an_unknown_kind_is_refused(desk) -> None:
    for source, kind in (("seed: number = 9", "number"), ("first: int = 1\nseed = 0.5", "None")):
        with pytest.raises(ValueError, match=f"unknown kind of seed in 01_a.ipynb '{kind}'. Known: str, int"):
            notebooks._read_parameters(desk.write("01_a", parameters=source))


READ = {("-3", "int"): -3, ("1e-3", "float"): 1e-3, ("2", "float"): 2.0, ("off", "bool"): False}
READ |= {("true", "str"): "true", (Path("some") / "where", "str"): os.path.join("some", "where")}
WRONG = [("1.5", "int"), ("true", "int"), ("2", "bool"), (True, "int"), (True, "float"), (3, "str")]
WRONG += [(1, "bool")]


def test_values_are_of_their_kind_or_refused() -> None:
    for (text, kind), value in READ.items():
        read = notebooks._parse_value("seed", text, kind)
        assert read == value and type(read) is type(value)
    for value, kind in WRONG:
        with pytest.raises(ValueError, match="seed: .* is not"):
            notebooks._parse_value("seed", value, kind)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sed": 1}, r"unknown parameter of 01_a, 02_b 'sed'; did you mean 'seed'\? Known: alpha, seed"),
        ({"seed": "many"}, "parameter 'seed' of 01_a: 'many' is not int"),
        ({"seed": 1, "alpha": "x"}, "parameter 'alpha' of 02_b: 'x' is not float"),
    ],
)
def test_nothing_runs_and_nothing_is_written_when_a_parameter_is_wrong(desk, parameters, message) -> None:
    desk.write("01_a", f"open({str(desk.root / 'ran')!r}, 'w').close()")
    desk.write("02_b", parameters="alpha: float = 0.75\nseed: int = 1")
    with pytest.raises(ValueError, match=message):
        desk.run(parameters=parameters)
    assert names(desk.root) == ["notebooks"]


def test_parameters_reach_a_kernel_of_this_interpreter(desk, capfd, monkeypatch) -> None:
    other = desk.root / "home" / "kernels" / "python3" / "kernel.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"argv": ["/no/such/python"], "display_name": "other", "language": "python"}')
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(desk.root / "home"))
    monkeypatch.setenv("RC_DATA_DIR", "some/data")
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    kinds = "flag: bool = False\nname: str = 'none'\nlimit: float = 3\nfigures_dir: str = 'figures'"
    desk.write("02_b", "print(flag, name, limit, figures_dir)", parameters=kinds)
    seen = (os.path.abspath("some/data"), sys.executable, str(ROOT))
    ask = f"import os, sys\nseen = os.environ['RC_DATA_DIR'], sys.executable, os.getcwd()\nseen == {seen}"
    parameters = f"results_dir: str = ''\n{PARAMETERS}"
    desk.write("01_a", f"{ask} and print(seed, results_dir)", parameters=parameters)
    before = dict(os.environ)
    given = {"flag": "yes", "name": "it's {x}", "limit": 2, "seed": "7", "figures_dir": "mine"}
    copies = desk.run(parameters=given)
    assert copies == [desk.executed / "01_a.ipynb", desk.executed / "02_b.ipynb"]
    printed = [last_output(copy) for copy in copies]
    assert printed == ["7 scratch/results\n", "True it's {x} 2.0 mine\n"]
    said = capfd.readouterr()
    assert re.fullmatch(r"01_a: \d+\.\d s\n02_b: \d+\.\d s\n", said.out)
    assert not said.err and dict(os.environ) == before  # no progress bar where nobody looks on


def test_copy_is_the_same_every_time_and_names_no_place(desk, monkeypatch) -> None:
    monkeypatch.setenv("RC_DATA_DIR", str(desk.root / "data"))
    speak = (
        "import os, sys, warnings\nfrom pathlib import Path\n"
        "print('in', Path.cwd() / 'results', Path.home() / 'x', os.environ['RC_DATA_DIR'])\n"
        "sys.stdout.flush()\nprint(object(), {'a', 'b', 'c'})\nwarnings.warn('careful')\n"
        "display('between')\nprint('after')\nPath.cwd()"
    )
    desk.write("01_a", speak)
    first, second = (desk.run(parameters={"seed": 4})[0].read_text("utf-8") for _ in range(2))
    assert first == second and "PosixPath('.')" in first
    shown = last_output(desk.executed / "01_a.ipynb")
    assert "in ./results ~/x $RC_DATA_DIR\n<object object at 0x...> {" in shown
    assert first.index("<object object") < first.index("between") < first.index("after")
    notes = ("papermill", "start_time", "iopub", "duration", "ipykernel_", str(ROOT), str(Path.home()))
    assert not [word for word in notes if word in first]
    assert names(desk.executed) == ["01_a.ipynb"]


def test_a_kernel_that_dies_before_its_first_cell_is_started_again(desk, monkeypatch) -> None:
    """As one does whose port another process took first; a fourth start is not tried."""
    died, deaths = f"{STILLBORN} to kernel_info", []
    assert died in inspect.getsource(jupyter_client.client)

    def execute(path, partial, *given, **named):
        if deaths:
            raise RuntimeError(deaths.pop())
        notebook = nbformat.read(path, as_version=4)
        nbformat.write(notebook, partial)
        return notebook

    monkeypatch.setattr("papermill.execute_notebook", execute)
    desk.write("00_a", "print(6 * 7)")
    deaths += [died] * (STARTS + 1)
    with pytest.raises(RuntimeError, match="died before replying"):
        desk.run()
    assert len(deaths) == 1 and STARTS == 3 and not names(desk.executed)
    deaths += [died] * (STARTS - 2)
    assert desk.run()[0].exists()


def test_a_failure_keeps_the_old_copy_and_says_what_was_executed(desk) -> None:
    desk.write("01_a", "print('fine')")
    (old,) = desk.run()
    kept = old.read_text("utf-8")
    desk.write("01_a", "x = 1", "y = {'gold': 1}\ny['predicted']")
    desk.write("02_b")
    with pytest.raises(NotebookFailed) as failure:
        desk.run(parameters={"seed": 2})
    failed = desk.executed / "01_a.failed.ipynb"
    said = "01_a (time limit 1800 s): cell [4]: KeyError: 'predicted'"
    assert str(failure.value) == f"{said}\nwhat was executed: {failed}"
    assert old.read_text("utf-8") == kept and "KeyError" in failed.read_text("utf-8")
    assert names(desk.executed) == ["01_a.failed.ipynb", "01_a.ipynb"]
    desk.write("01_a", "print('mended')")
    desk.run("01")
    assert not failed.exists()


FAILURES = [
    ("raise SystemExit", r"cell \[2\]: SystemExit: left before its end", 60),
    ("import time\ntime.sleep(60)", "CellTimeoutError: A cell timed out", 1),
    ("import os\nos._exit(3)", "DeadKernelError: Kernel died", 60),
]


@pytest.mark.parametrize(("source", "reason", "limit"), nightly(FAILURES, 1, *FAILURES[1:]))
def test_hanging_leaving_and_dying_are_failures(desk, source, reason, limit) -> None:
    desk.write("01_a", source, "print('never')")
    with pytest.raises(NotebookFailed, match=rf"01_a \(time limit {limit} s\): {reason}"):
        desk.run(time_limit=limit)
    assert names(desk.executed) == ["01_a.failed.ipynb"]


def test_a_users_run_is_compared_and_publishing_renews(desk, capsys) -> None:
    solution = desk.write("solutions/01_a", "print(6 * 7)")
    desk.write("01_a", "print('sound')")
    (published,) = desk.run(publish=True)
    assert published == desk.root / "executed" / "01_a.ipynb" and last_output(solution) == "42\n"
    before = published.read_bytes(), solution.read_bytes()
    desk.write("01_a", "print('another')")
    (mine,) = desk.run()
    assert mine == desk.executed / "01_a.ipynb"
    verdict = "the committed copy is of another source: renew it with --publish"
    assert re.fullmatch(rf"01_a: \d+\.\d s, {verdict}", capsys.readouterr().out.splitlines()[-1])
    assert (published.read_bytes(), solution.read_bytes()) == before


@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("torch 2.13.0+cpu of 3, in 1.5 s", "torch 2.14.1 of 3, in 23 s", "same outputs"),
        ("F1 0.5", "F1 0.6", "outputs of cells 0, 1 differ from the committed copy"),
    ],
)
def test_what_counts_as_the_same(tmp_path, old, new, verdict) -> None:
    for name, text in (("old", old), ("new", new)):
        data = {"text/html": text, "image/png": name}
        shown = v4.new_output("stream", text=text), v4.new_output("display_data", data=data)
        cells = [v4.new_code_cell("x", outputs=[output]) for output in shown]
        nbformat.write(v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
    assert _compare_copies(tmp_path / "new.ipynb", tmp_path / "old.ipynb") == verdict
    assert _compare_copies(tmp_path / "new.ipynb", tmp_path / "none.ipynb").startswith("no committed copy")
