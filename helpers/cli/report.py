"""Commands on the whole project: run the notebooks, and show published | ours."""

from __future__ import annotations

from .base import app, failed, flag, option, put


@app.command("notebooks")
@option("--only", "NN", "One notebook, by number or name; repeatable.", multiple=True)
@option("-p parameters", "NAME VALUE", "A parameter; repeatable.", (str, str), multiple=True)
@flag("--publish", "Renew the committed copies in results/notebooks.")
def _notebooks(only: tuple[str, ...], parameters: tuple[tuple[str, str], ...], publish: bool) -> int:
    """Run the notebooks in order, headless.

    Executed copies go to scratch/notebooks and are compared with the committed ones. Runs with -p write
    tables and figures to scratch/, too, so the stored results stay as they are.

    examples:
      python -m helpers notebooks
      python -m helpers notebooks --only 02 --only 03 -p replicates 500
    """
    from ..notebooks import NotebookFailed, run_notebooks

    names = [name for name, _ in parameters]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"notebooks: parameter {twice!r} is given twice")
    try:
        run_notebooks(list(only) or None, dict(parameters), publish=publish)
    except NotebookFailed as error:
        return failed(error, 1)
    return 0


@app.command("summary")
def _summary() -> None:
    """Published | ours, from the tables that the notebooks wrote."""
    from ..papers import summary_text

    put(summary_text())
