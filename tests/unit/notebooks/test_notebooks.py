"""The notebook runner: order, strict parameters, atomically, clean copies."""

import inspect
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import jupyter_client
import pytest

from helpers import ROOT
from helpers.notebooks import (
    STARTS,
    STILLBORN,
    NotebookFailed,
    compare_copies,
    notebook_paths,
    parse_value,
    read_parameters,
    run_notebooks,
)
from tests.support import nbformat, v4

KERNEL = {"kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}}
PARAMETERS = "seed: int = 9  # of the bootstrap"


def write_notebook(path: Path, *sources: str, parameters: str = PARAMETERS) -> Path:
    """A notebook at `path`: one parameters cell, then one code cell for each source."""
    cells = [
        v4.new_code_cell(parameters, metadata={"tags": ["parameters"]}),
        *map(v4.new_code_cell, sources),
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(v4.new_notebook(cells=cells, metadata=KERNEL), path)
    return path


def text_outputs(path: Path) -> list[str]:
    """The printed text of each code cell of the executed copy at `path`."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    return ["".join(output.get("text", "") for output in cell.outputs) for cell in cells]


@pytest.fixture
def desk(tmp_path: Path) -> SimpleNamespace:
    """A folder of notebooks, one for executed copies that does not exist yet, and a runner between them."""
    folder, executed = tmp_path / "notebooks", tmp_path / "executed"

    def run(only=None, parameters=None, **options):
        return run_notebooks(only, parameters, executed, folder=folder, **options)

    return SimpleNamespace(folder=folder, executed=executed, run=run)


class TestSelection:
    @pytest.fixture(autouse=True)
    def three(self, desk: SimpleNamespace) -> None:
        for name in ("10_late", "02_weights", "01_data"):
            write_notebook(desk.folder / f"{name}.ipynb")
        (desk.folder / "notes.ipynb").write_text("not a lesson")

    @pytest.mark.parametrize(
        ("only", "expected"),
        [
            (None, ["01_data", "02_weights", "10_late"]),
            (2, ["02_weights"]),
            ("02", ["02_weights"]),
            ("02_weights", ["02_weights"]),
            (["10", "01_data.ipynb"], ["01_data", "10_late"]),
        ],
    )
    def test_order_is_by_number(self, desk, only, expected) -> None:
        assert [path.stem for path in notebook_paths(only, desk.folder)] == expected


class TestDeclaration:
    @pytest.mark.parametrize(
        ("source", "complaint"),
        [
            ("seed: number = 9", "unknown kind of seed in 01_a.ipynb 'number'. Known: str, int"),
            ("first: int = 1\nbare = 0.5", "unknown kind of bare in 01_a.ipynb 'None'"),
        ],
    )
    def test_an_unknown_kind_is_refused(self, tmp_path, source, complaint) -> None:
        path = write_notebook(tmp_path / "01_a.ipynb", parameters=source)
        with pytest.raises(ValueError, match=complaint):
            read_parameters(path)


class TestValues:
    @pytest.mark.parametrize(
        ("text", "kind", "value"),
        [
            ("-3", "int", -3),
            ("1e-3", "float", 1e-3),
            ("2", "float", 2.0),
            ("off", "bool", False),
            ("True", "bool", True),
            ("true", "str", "true"),
            (Path("some") / "where", "str", os.path.join("some", "where")),
        ],
    )
    def test_reading(self, text, kind, value) -> None:
        read = parse_value("seed", text, kind)
        assert read == value
        assert type(read) is type(value)

    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ("1.5", "int"),
            ("true", "int"),
            ("2", "bool"),
            (True, "int"),
            (3, "str"),
            (True, "float"),
            (1, "bool"),
            (None, "int"),
        ],
    )
    def test_another_kind_is_refused(self, value, kind) -> None:
        with pytest.raises(ValueError, match="seed: .* is not"):
            parse_value("seed", value, kind)


class TestRefusal:
    """Nothing runs and nothing is written when a parameter is wrong."""

    @pytest.fixture(autouse=True)
    def two(self, desk: SimpleNamespace) -> None:
        trace = desk.folder.parent / "ran"
        write_notebook(desk.folder / "01_a.ipynb", f"open({str(trace)!r}, 'w').close()")
        write_notebook(desk.folder / "02_b.ipynb", parameters="alpha: float = 0.75\nseed: int = 1")

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            ({"sed": 1}, r"unknown parameter of 01_a, 02_b 'sed'; did you mean 'seed'\? Known: alpha, seed"),
            ({"seed": "many"}, "parameter 'seed' of 01_a: 'many' is not int"),
            ({"seed": 1, "alpha": "x"}, "parameter 'alpha' of 02_b: 'x' is not float"),
        ],
    )
    def test_nothing_runs(self, desk, parameters, message) -> None:
        with pytest.raises(ValueError, match=message):
            desk.run(parameters=parameters)
        assert sorted(path.name for path in desk.folder.parent.iterdir()) == ["notebooks"]


class TestRun:
    def test_parameters_reach_those_that_declare_them(self, desk, capfd) -> None:
        kinds = "flag: bool = False\nname: str = 'none'\nlimit: float = 3"
        write_notebook(desk.folder / "02_b.ipynb", "print(flag, name, limit)", parameters=kinds)
        write_notebook(desk.folder / "01_a.ipynb", "print(seed)")

        given = {"flag": "yes", "name": "it's {x}", "limit": 2, "seed": "7"}
        results = desk.run(parameters=given)

        assert [(result.name, result.path) for result in results] == [
            ("01_a", desk.executed / "01_a.ipynb"),
            ("02_b", desk.executed / "02_b.ipynb"),
        ]
        assert text_outputs(results[0].path)[-1] == "7\n"
        assert text_outputs(results[1].path)[-1] == "True it's {x} 2.0\n"
        said = capfd.readouterr()
        assert said.out.splitlines() == [f"{result.name}: {result.seconds:.1f} s" for result in results]
        assert not said.err  # no progress bar where nobody looks on

    def test_kernel_is_this_interpreter_at_the_project_folder(self, desk, monkeypatch, tmp_path) -> None:
        home = tmp_path / "home"
        (home / "kernels" / "python3").mkdir(parents=True)
        (home / "kernels" / "python3" / "kernel.json").write_text(
            '{"argv": ["/no/such/python"], "display_name": "other", "language": "python"}'
        )
        monkeypatch.setenv("JUPYTER_DATA_DIR", str(home))
        monkeypatch.setenv("RC_DATA_DIR", "some/data")
        monkeypatch.delenv("TQDM_DISABLE", raising=False)
        facts = "import os, sys\nfacts = [sys.executable, os.getcwd(), os.environ['RC_DATA_DIR']]\n"
        seen = tmp_path / "seen"
        write_notebook(desk.folder / "01_a.ipynb", f"{facts}open({str(seen)!r}, 'w').write('|'.join(facts))")
        before = dict(os.environ)

        desk.run()

        assert seen.read_text().split("|") == [sys.executable, str(ROOT), os.path.abspath("some/data")]
        assert dict(os.environ) == before

    def test_copy_is_the_same_every_time_and_names_no_place(self, desk, monkeypatch) -> None:
        monkeypatch.setenv("RC_DATA_DIR", str(desk.folder.parent / "data"))
        speak = (
            "import os, sys, warnings\nfrom pathlib import Path\n"
            "print('in', Path.cwd() / 'results', Path.home() / 'x', os.environ['RC_DATA_DIR'])\n"
            "sys.stdout.flush()\nprint(object(), {'a', 'b', 'c'})\nwarnings.warn('careful')\n"
            "display('between')\nprint('after')\nPath.cwd()"
        )
        write_notebook(desk.folder / "01_a.ipynb", speak)
        (result,) = desk.run(parameters={"seed": 4})
        first = result.path.read_text("utf-8")
        desk.run(parameters={"seed": 4})

        assert result.path.read_text("utf-8") == first
        assert "in ./results ~/x $RC_DATA_DIR\n<object object at 0x...> {" in text_outputs(result.path)[-1]
        assert "PosixPath('.')" in first
        assert first.index("<object object") < first.index("between") < first.index("after")
        for word in (
            "papermill",
            "start_time",
            "iopub",
            "duration",
            "ipykernel_",
            str(ROOT),
            str(Path.home()),
        ):
            assert word not in first
        assert [path.name for path in desk.executed.iterdir()] == ["01_a.ipynb"]


class TestFailure:
    @pytest.mark.parametrize(("deaths", "runs"), [(0, True), (2, True), (3, False)])
    def test_a_kernel_that_dies_before_its_first_cell_is_started_again(
        self, desk, monkeypatch, deaths, runs
    ) -> None:
        """As one does whose port another process took first; a fourth start is not tried."""
        import papermill  # which brings nbformat

        real, starts = papermill.execute_notebook, []
        died = f"{STILLBORN} to kernel_info"
        assert died in inspect.getsource(jupyter_client.client)

        def execute(*given, **named):
            starts.append(given)
            if len(starts) <= deaths:
                raise RuntimeError(died)
            return real(*given, **named)

        monkeypatch.setattr(papermill, "execute_notebook", execute)
        write_notebook(desk.folder / "00_a.ipynb", "print(6 * 7)")
        if runs:
            (result,) = desk.run()
            assert text_outputs(result.path)[-1] == "42\n" and len(starts) == deaths + 1
        else:
            with pytest.raises(RuntimeError, match="died before replying"):
                desk.run()
            assert len(starts) == STARTS == 3 and not list(desk.executed.rglob("*.ipynb"))

    def test_message_and_old_copy(self, desk) -> None:
        good = write_notebook(desk.folder / "01_a.ipynb", "print('fine')")
        write_notebook(desk.folder / "02_b.ipynb")
        (old, _) = desk.run()
        kept = old.path.read_text("utf-8")
        write_notebook(good, "x = 1", "y = {'gold': 1}\ny['predicted']")
        (desk.executed / "02_b.ipynb").unlink()

        with pytest.raises(NotebookFailed) as failure:
            desk.run(parameters={"seed": 2})

        failed = desk.executed / "01_a.failed.ipynb"
        first, *traceback, last = str(failure.value).splitlines()
        assert first == "01_a (time limit 1800 s): PapermillExecutionError: "
        assert 'Exception encountered at "In [4]":' in traceback
        assert "----> 2 y['predicted']" in traceback
        assert traceback[-1] == "KeyError: 'predicted'"
        assert last == f"what was executed: {failed}"
        assert old.path.read_text("utf-8") == kept
        assert "KeyError" in failed.read_text("utf-8")
        assert sorted(path.name for path in desk.executed.iterdir()) == ["01_a.failed.ipynb", "01_a.ipynb"]

        write_notebook(good, "print('mended')")
        desk.run("01")
        assert not failed.exists()

    @pytest.mark.parametrize(
        ("source", "reason", "limit"),
        [
            ("import time\ntime.sleep(60)", "CellTimeoutError: A cell timed out", 4),
            (
                "import sys\nsys.exit()",
                r"PapermillExecutionError: (?s:.*)In \[2\](?s:.*)SystemExit: left before",
                60,
            ),
            ("import os\nos._exit(3)", "DeadKernelError: Kernel died", 60),
        ],
    )
    def test_hanging_leaving_and_dying_are_failures(self, desk, source, reason, limit) -> None:
        write_notebook(desk.folder / "01_a.ipynb", source, "print('never')")
        with pytest.raises(NotebookFailed, match=rf"01_a \(time limit {limit} s\): {reason}"):
            desk.run(time_limit=limit)
        assert [path.name for path in desk.executed.iterdir()] == ["01_a.failed.ipynb"]


class TestCopies:
    """A user's run writes to scratch/ and says what the committed copies show otherwise."""

    @pytest.fixture
    def places(self, desk, monkeypatch):
        for name in ("EXECUTED", "SCRATCH"):
            monkeypatch.setattr(f"helpers.notebooks.{name}", desk.folder.parent / name.lower())
        return desk.folder.parent

    def test_a_users_run_is_compared_and_publishing_renews(self, desk, places, capsys) -> None:
        timed = "import time\nprint(f'took {time.perf_counter():.4f} s')\nopen('{}').read()"
        (places / "seen").write_text("4")
        source = timed.replace("{}", str(places / "seen"))
        write_notebook(desk.folder / "01_a.ipynb", source)
        (published,) = run_notebooks(folder=desk.folder, publish=True)
        assert published.path == places / "executed" / "01_a.ipynb"
        before = published.path.read_bytes()

        for content, verdict in (
            ("4", "same outputs"),
            ("5", "outputs of cell 1 differ from the committed copy"),
        ):
            (places / "seen").write_text(content)
            (mine,) = run_notebooks(folder=desk.folder)
            assert mine.path == places / "scratch" / "notebooks" / "01_a.ipynb"
            assert capsys.readouterr().out.splitlines()[-1] == f"01_a: {mine.seconds:.1f} s, {verdict}"
            assert published.path.read_bytes() == before

        write_notebook(desk.folder / "01_a.ipynb", "print('another')")
        run_notebooks(folder=desk.folder)
        assert "the committed copy is of another source" in capsys.readouterr().out

    def test_publishing_renews_the_outputs_of_the_solution(self, desk, places) -> None:
        write_notebook(desk.folder / "01_a.ipynb")
        solution = write_notebook(desk.folder / "solutions" / "01_a.ipynb", "print(6 * 7)")
        run_notebooks(folder=desk.folder)
        assert "42" not in "".join(text_outputs(solution))
        run_notebooks(folder=desk.folder, publish=True)
        assert text_outputs(solution)[-1] == "42\n"
        assert [path.name for path in solution.parent.iterdir()] == ["01_a.ipynb"]

    def test_parameters_of_ones_own_go_aside(self, desk, places) -> None:
        declared = "results_dir: str = 'results'\nfigures_dir: str = 'figures'\nseed: int = 9"
        write_notebook(
            desk.folder / "01_a.ipynb", "print(results_dir, figures_dir, seed)", parameters=declared
        )
        (mine,) = run_notebooks(parameters={"seed": 7, "figures_dir": "mine"}, folder=desk.folder)
        assert mine.path == places / "scratch" / "notebooks" / "01_a.ipynb"
        assert text_outputs(mine.path)[-1] == "scratch/results mine 7\n"

    @pytest.mark.parametrize(
        ("old", "new", "verdict"),
        [
            ("0.5 of 3", "0.5 of 3", "same outputs"),
            ("in 1.5 s", "in 23 s", "same outputs"),
            ("torch 2.13.0+cpu", "torch 2.14.1", "same outputs"),
            ("F1 0.5", "F1 0.6", "outputs of cells 0, 1 differ from the committed copy"),
            ("3 sentences", "4 sentences", "outputs of cells 0, 1 differ from the committed copy"),
        ],
    )
    def test_what_counts_as_the_same(self, tmp_path, old, new, verdict) -> None:
        for name, text in (("old", old), ("new", new)):
            shown = [
                [v4.new_output("stream", text=text)],
                [v4.new_output("display_data", data={"text/html": text, "image/png": name})],
            ]
            cells = [v4.new_code_cell("x", outputs=outputs) for outputs in shown]
            nbformat.write(v4.new_notebook(cells=cells), tmp_path / f"{name}.ipynb")
        assert compare_copies(tmp_path / "new.ipynb", tmp_path / "old.ipynb") == verdict
        assert compare_copies(tmp_path / "new.ipynb", tmp_path / "none.ipynb").startswith("no committed copy")
