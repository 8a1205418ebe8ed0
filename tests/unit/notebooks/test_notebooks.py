"""The notebook runner: order, strict parameters, atomically, clean copies."""

import inspect
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import jupyter_client
import pytest

from helpers import ROOT, notebooks
from helpers.notebooks import STARTS, NotebookFailed, compare_copies, run_notebooks
from tests.support import nbformat, v4

KERNEL = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
PARAMETERS = "seed: int = 9  # of the bootstrap"


def write_notebook(path: Path, *sources: str, parameters: str = PARAMETERS) -> Path:
    """A notebook at `path`: one parameters cell, then one code cell for each source."""
    cells = [v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}), *map(v4.new_code_cell, sources)]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(v4.new_notebook(cells=cells, metadata=KERNEL), path)
    return path


def last_output(path: Path) -> str:
    """The printed text of the last cell of an executed copy."""
    return "".join(output.get("text", "") for output in nbformat.read(path, as_version=4).cells[-1].outputs)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def desk(tmp_path: Path) -> SimpleNamespace:
    """A folder of notebooks, one for executed copies that does not exist yet; to write and run them."""
    folder, executed = tmp_path / "notebooks", tmp_path / "executed"

    def run(only=None, parameters=None, **options):
        return run_notebooks(only, parameters, executed, folder=folder, **options)

    def write(name: str, *sources: str, **options) -> Path:
        return write_notebook(folder / f"{name}.ipynb", *sources, **options)

    return SimpleNamespace(folder=folder, executed=executed, run=run, write=write)


@pytest.mark.parametrize(
    ("only", "stems"),
    [
        (None, "01_data 02_late 10_later"),
        (2, "02_late"),
        ("02", "02_late"),
        (["10", "01_data.ipynb"], "01_data 10_later"),
    ],
)
def test_order_is_by_number(desk, only, stems) -> None:
    for name in ("10_later", "02_late", "01_data", "notes"):
        desk.write(name)
    assert [path.stem for path in notebooks.notebook_paths(only, desk.folder)] == stems.split()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("seed: number = 9", "unknown kind of seed in 01_a.ipynb 'number'. Known: str, int"),
        ("first: int = 1\nbare = 0.5", "unknown kind of bare in 01_a.ipynb 'None'"),
    ],
)
def test_a_declaration_of_an_unknown_kind_is_refused(desk, source, complaint) -> None:
    with pytest.raises(ValueError, match=complaint):
        notebooks.read_parameters(desk.write("01_a", parameters=source))


READ = {("-3", "int"): -3, ("1e-3", "float"): 1e-3, ("2", "float"): 2.0, ("off", "bool"): False}
READ |= {("true", "str"): "true", (Path("some") / "where", "str"): os.path.join("some", "where")}
WRONG = [("1.5", "int"), ("true", "int"), ("2", "bool"), (True, "int"), (True, "float"), (3, "str")]
WRONG += [(1, "bool")]


def test_values_are_of_their_kind_or_refused() -> None:
    for (text, kind), value in READ.items():
        read = notebooks.parse_value("seed", text, kind)
        assert read == value and type(read) is type(value)
    for value, kind in WRONG:
        with pytest.raises(ValueError, match="seed: .* is not"):
            notebooks.parse_value("seed", value, kind)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"sed": 1}, r"unknown parameter of 01_a, 02_b 'sed'; did you mean 'seed'\? Known: alpha, seed"),
        ({"seed": "many"}, "parameter 'seed' of 01_a: 'many' is not int"),
        ({"seed": 1, "alpha": "x"}, "parameter 'alpha' of 02_b: 'x' is not float"),
    ],
)
def test_nothing_runs_and_nothing_is_written_when_a_parameter_is_wrong(desk, parameters, message) -> None:
    desk.write("01_a", f"open({str(desk.folder.parent / 'ran')!r}, 'w').close()")
    desk.write("02_b", parameters="alpha: float = 0.75\nseed: int = 1")
    with pytest.raises(ValueError, match=message):
        desk.run(parameters=parameters)
    assert names(desk.folder.parent) == ["notebooks"]


def test_parameters_reach_those_that_declare_them(desk, capfd) -> None:
    kinds = "flag: bool = False\nname: str = 'none'\nlimit: float = 3"
    desk.write("02_b", "print(flag, name, limit)", parameters=kinds)
    desk.write("01_a", "print(seed)")
    results = desk.run(parameters={"flag": "yes", "name": "it's {x}", "limit": 2, "seed": "7"})
    assert [result.path for result in results] == [
        desk.executed / f"{name}.ipynb" for name in ("01_a", "02_b")
    ]
    assert [last_output(result.path) for result in results] == ["7\n", "True it's {x} 2.0\n"]
    said = capfd.readouterr()
    assert said.out.splitlines() == [f"{result.name}: {result.seconds:.1f} s" for result in results]
    assert not said.err  # no progress bar where nobody looks on


def test_kernel_is_this_interpreter_at_the_project_folder(desk, monkeypatch, tmp_path) -> None:
    other = tmp_path / "home" / "kernels" / "python3" / "kernel.json"
    other.parent.mkdir(parents=True)
    other.write_text('{"argv": ["/no/such/python"], "display_name": "other", "language": "python"}')
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "home"))
    monkeypatch.setenv("RC_DATA_DIR", "some/data")
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    desk.write(
        "01_a", "import os, sys\nprint(sys.executable, os.getcwd(), os.environ['RC_DATA_DIR'], sep='|')"
    )
    before = dict(os.environ)
    monkeypatch.setattr("helpers.notebooks._impersonal", lambda text: text)
    (result,) = desk.run()
    seen = last_output(result.path).strip().split("|")
    assert seen == [sys.executable, str(ROOT), os.path.abspath("some/data")] and dict(os.environ) == before


def test_copy_is_the_same_every_time_and_names_no_place(desk, monkeypatch) -> None:
    monkeypatch.setenv("RC_DATA_DIR", str(desk.folder.parent / "data"))
    speak = (
        "import os, sys, warnings\nfrom pathlib import Path\n"
        "print('in', Path.cwd() / 'results', Path.home() / 'x', os.environ['RC_DATA_DIR'])\n"
        "sys.stdout.flush()\nprint(object(), {'a', 'b', 'c'})\nwarnings.warn('careful')\n"
        "display('between')\nprint('after')\nPath.cwd()"
    )
    desk.write("01_a", speak)
    first, second = (desk.run(parameters={"seed": 4})[0].path.read_text("utf-8") for _ in range(2))
    assert first == second and "PosixPath('.')" in first
    assert "in ./results ~/x $RC_DATA_DIR\n<object object at 0x...> {" in last_output(
        desk.executed / "01_a.ipynb"
    )
    assert first.index("<object object") < first.index("between") < first.index("after")
    notes = ("papermill", "start_time", "iopub", "duration", "ipykernel_", str(ROOT), str(Path.home()))
    assert not [word for word in notes if word in first]
    assert names(desk.executed) == ["01_a.ipynb"]


class TestFailure:
    def test_a_kernel_that_dies_before_its_first_cell_is_started_again(self, desk, monkeypatch) -> None:
        """As one does whose port another process took first; a fourth start is not tried."""
        import papermill  # which brings nbformat

        real, died, deaths = papermill.execute_notebook, f"{notebooks.STILLBORN} to kernel_info", []
        assert died in inspect.getsource(jupyter_client.client)

        def execute(*given, **named):
            if deaths:
                raise RuntimeError(deaths.pop())
            return real(*given, **named)

        monkeypatch.setattr(papermill, "execute_notebook", execute)
        desk.write("00_a", "print(6 * 7)")
        deaths += [died] * (STARTS + 1)
        with pytest.raises(RuntimeError, match="died before replying"):
            desk.run()
        assert len(deaths) == 1 and STARTS == 3 and not list(desk.executed.rglob("*.ipynb"))
        deaths += [died] * (STARTS - 2)
        (result,) = desk.run()
        assert last_output(result.path) == "42\n"

    def test_message_and_old_copy(self, desk) -> None:
        desk.write("01_a", "print('fine')")
        desk.write("02_b")
        (old, _) = desk.run()
        kept = old.path.read_text("utf-8")
        desk.write("01_a", "x = 1", "y = {'gold': 1}\ny['predicted']")
        (desk.executed / "02_b.ipynb").unlink()

        with pytest.raises(NotebookFailed) as failure:
            desk.run(parameters={"seed": 2})

        failed = desk.executed / "01_a.failed.ipynb"
        first, *traceback, last = str(failure.value).splitlines()
        assert first == "01_a (time limit 1800 s): PapermillExecutionError: "
        assert {'Exception encountered at "In [4]":', "----> 2 y['predicted']"} <= {*traceback}
        assert traceback[-1] == "KeyError: 'predicted'" and last == f"what was executed: {failed}"
        assert old.path.read_text("utf-8") == kept
        assert "KeyError" in failed.read_text("utf-8")
        assert names(desk.executed) == ["01_a.failed.ipynb", "01_a.ipynb"]

        desk.write("01_a", "print('mended')")
        desk.run("01")
        assert not failed.exists()

    @pytest.mark.parametrize(
        ("source", "reason", "limit"),
        [
            ("import time\ntime.sleep(60)", "CellTimeoutError: A cell timed out", 4),
            (
                "raise SystemExit",
                r"PapermillExecutionError: (?s:.*)In \[2\](?s:.*)SystemExit: left before",
                60,
            ),
            ("import os\nos._exit(3)", "DeadKernelError: Kernel died", 60),
        ],
    )
    def test_hanging_leaving_and_dying_are_failures(self, desk, source, reason, limit) -> None:
        desk.write("01_a", source, "print('never')")
        with pytest.raises(NotebookFailed, match=rf"01_a \(time limit {limit} s\): {reason}"):
            desk.run(time_limit=limit)
        assert names(desk.executed) == ["01_a.failed.ipynb"]


class TestCopies:
    """A user's run writes to scratch/ and says what the committed copies show otherwise."""

    @pytest.fixture(autouse=True)
    def root(self, desk, monkeypatch) -> Path:
        for name in ("EXECUTED", "SCRATCH"):
            monkeypatch.setattr(f"helpers.notebooks.{name}", desk.folder.parent / name.lower())
        return desk.folder.parent

    def test_a_users_run_is_compared_and_publishing_renews(self, desk, root, capsys) -> None:
        (root / "seen").write_text("4")
        timed = (
            f"import time\nprint(f'took {{time.perf_counter():.4f}} s')\nopen({str(root / 'seen')!r}).read()"
        )
        desk.write("01_a", timed)
        solution = write_notebook(desk.folder / "solutions" / "01_a.ipynb", "print(6 * 7)")
        (published,) = run_notebooks(folder=desk.folder, publish=True)
        assert published.path == root / "executed" / "01_a.ipynb" and last_output(solution) == "42\n"
        before = published.path.read_bytes(), solution.read_bytes()

        differ = "outputs of cell 1 differ from the committed copy"
        for content, verdict in (("4", "same outputs"), ("5", differ)):
            (root / "seen").write_text(content)
            (mine,) = run_notebooks(folder=desk.folder)
            assert mine.path == root / "scratch" / "notebooks" / "01_a.ipynb"
            assert capsys.readouterr().out.splitlines()[-1] == f"01_a: {mine.seconds:.1f} s, {verdict}"
            assert (published.path.read_bytes(), solution.read_bytes()) == before

        desk.write("01_a", "print('another')")
        run_notebooks(folder=desk.folder)
        assert "the committed copy is of another source" in capsys.readouterr().out

    def test_parameters_of_ones_own_go_aside(self, desk, root) -> None:
        declared = "results_dir: str = 'results'\nfigures_dir: str = 'figures'\nseed: int = 9"
        desk.write("01_a", "print(results_dir, figures_dir, seed)", parameters=declared)
        (mine,) = run_notebooks(parameters={"seed": 7, "figures_dir": "mine"}, folder=desk.folder)
        assert mine.path == root / "scratch" / "notebooks" / "01_a.ipynb"
        assert last_output(mine.path) == "scratch/results mine 7\n"

    @pytest.mark.parametrize(
        ("old", "new", "verdict"),
        [
            ("torch 2.13.0+cpu of 3, in 1.5 s", "torch 2.14.1 of 3, in 23 s", "same outputs"),
            ("F1 0.5", "F1 0.6", "outputs of cells 0, 1 differ from the committed copy"),
            ("3 sentences", "4 sentences", "outputs of cells 0, 1 differ from the committed copy"),
        ],
    )
    def test_what_counts_as_the_same(self, tmp_path, old, new, verdict) -> None:
        for name, text in (("old", old), ("new", new)):
            data = {"text/html": text, "image/png": name}
            shown = v4.new_output("stream", text=text), v4.new_output("display_data", data=data)
            cells = [v4.new_code_cell("x", outputs=[output]) for output in shown]
            nbformat.write(v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
        assert compare_copies(tmp_path / "new.ipynb", tmp_path / "old.ipynb") == verdict
        assert compare_copies(tmp_path / "new.ipynb", tmp_path / "none.ipynb").startswith("no committed copy")
