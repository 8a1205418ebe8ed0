"""A student's walk: core notebooks with a setting, a scheme, a file and a model of her own."""

from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers.notebooks import NotebookFailed, notebook_paths, run_notebooks

pytestmark = pytest.mark.nightly(third=1)


@pytest.fixture
def walk(tmp_path: Path):
    """Run a notebook with parameters and cells of one's own behind it; the lines that its cells show."""

    def run(number: str, *cells: str, **parameters: object) -> list[str]:
        (path,) = notebook_paths(number)
        notebook = nbformat.read(path, as_version=4)
        notebook.cells += map(v4.new_code_cell, cells)
        nbformat.write(notebook, tmp_path / path.name)
        folders = ["figures_dir"] if number in ("00", "04") else ["figures_dir", "results_dir"]
        given = dict.fromkeys(folders, str(tmp_path)) | parameters
        (copy,) = run_notebooks(number, given, tmp_path / "executed", folder=tmp_path)
        cells = nbformat.read(copy, as_version=4).cells
        outputs = [output for cell in cells for output in cell.get("outputs", ())]
        shown = [output.get("data", {"text/plain": output.get("text", "")}) for output in outputs]
        texts = [data.get("text/markdown", data.get("text/plain", "")) for data in shown]
        return "\n".join(texts).splitlines()

    return run


def test_a_scheme_and_a_power_of_ones_own(walk) -> None:
    equal = "metrics.average(spanbert, lambda support, total: 0 * support + 1, negative='no_relation')"
    lines = walk("02", f'print("own", round({equal}, 4))', alpha=0.9)
    assert any("n^0.9" in line for line in lines)
    assert lines[-1] == "own 0.5615", "equal weights are macro"


def test_a_file_of_ones_own_and_another_draw(walk) -> None:
    write = "Path('mine.csv').write_text('gold,predicted\\na,a\\nb,a\\nNA,NA\\n')"
    score = "print(evaluation.score_file('mine.csv', negative='NA').schemes['micro']['f1'])"
    assert walk("00", "import os\nos.chdir(tempfile.mkdtemp())", write, score, seed=9)[-1] == "0.5"


def test_a_hardly_trained_model_is_not_praised(walk) -> None:
    text = "\n".join(walk("04", epochs=1, sentences=200))
    assert "nan %" not in text and "solved" not in text and "still knows no better" in text


def test_an_unknown_model_is_refused_before_anything_is_read(walk) -> None:
    with pytest.raises(NotebookFailed, match=r"cell \[3\]: ValueError: unknown model .bert."):
        walk("04", model="bert")
