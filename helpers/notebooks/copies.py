"""Executed copies of notebooks: cleaned of what differs between machines, and compared."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nbformat import NotebookNode

MACHINE_DEPENDENT = {
    "seconds": re.compile(r"\b\d[\d.,]*(e-?\d+)? ?(µs|ms|s|seconds|min|minutes)\b"),
    "version": re.compile(r"\b\d+\.\d+\.\d+([.+-]\w+)*\b"),
}
"""What a cell may show otherwise on another machine, and what stands for it in a comparison: `… seconds`."""


def clean_copy(notebook: NotebookNode, shown_as: Mapping[str, str]) -> NotebookNode:
    """The executed notebook without what differs between machines and runs; the outputs stay.

    Drops papermill's notes, times of execution, the Python version and memory addresses, joins the pieces of
    a stream, and replaces each folder in `shown_as` (absolute path → what to show) in every text output.

    >>> import nbformat
    >>> stream = nbformat.v4.new_output("stream", text="wrote /srv/ada/project/results/a.csv")
    >>> notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[stream])])
    >>> clean_copy(notebook, {"/srv/ada/project": "."}).cells[0].outputs[0].text
    'wrote ./results/a.csv'
    """
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)  # papermill gives every cell an empty list
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.id, cell.source = "injected-parameters", _impersonal(cell.source, shown_as)
        if cell.cell_type == "code":
            cell.outputs = [_clean_output(output, shown_as) for output in _joined(cell.outputs)]
    return notebook


def compare_copies(copy: Path, committed: Path) -> str:
    """Whether two executed copies show the same: 'same outputs', or in which cells (from 0) they do not.

    Compared is `shown_lines` of each cell.
    """
    import nbformat  # it compiles grammars for two seconds

    if not committed.exists():
        return "no committed copy to compare with"
    new, old = (nbformat.read(path, as_version=4).cells for path in (copy, committed))
    if [cell.source for cell in new] != [cell.source for cell in old]:
        return "the committed copy is of another source: renew it with --publish"
    cells = [
        n for n, pair in enumerate(zip(new, old, strict=True)) if shown_lines(pair[0]) != shown_lines(pair[1])
    ]
    if not cells:
        return "same outputs"
    return (
        f"outputs of cell{'s'[: len(cells) > 1]} {', '.join(map(str, cells))} differ from the committed copy"
    )


def shown_lines(cell: NotebookNode) -> list[str]:
    """The text that a cell shows, line by line, without what is `MACHINE_DEPENDENT`.

    Pictures are left out: what they draw lies beside them as CSV.

    >>> import nbformat
    >>> stream = nbformat.v4.new_output("stream", text="F1 0.5 in 3.1 s, torch 2.13.0\\n12 sentences")
    >>> shown_lines(nbformat.v4.new_code_cell(outputs=[stream]))
    ['F1 0.5 in … seconds, torch … version', '12 sentences']
    """
    texts = []
    for output in cell.get("outputs", []):
        texts += [output.text] if "text" in output else []
        texts += [str(data) for kind, data in output.get("data", {}).items() if kind.startswith("text/")]
    text = "\n".join(text.rstrip("\n") for text in texts)
    for name, pattern in MACHINE_DEPENDENT.items():
        text = pattern.sub(f"… {name}", text)
    return text.splitlines()


def _joined(outputs: Iterable[NotebookNode]) -> list[NotebookNode]:
    """Neighbouring pieces of a stream as one (nbclient would join those with a table between them, too)."""
    joined: list[NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _clean_output(output: NotebookNode, shown_as: Mapping[str, str]) -> NotebookNode:
    if output.output_type == "stream":
        output.text = _impersonal(output.text, shown_as)
    if output.output_type == "error":
        output.traceback = [_impersonal(line, shown_as) for line in output.traceback]
    for kind, data in output.get("data", {}).items():
        if kind.startswith("text/"):
            output.data[kind] = _impersonal(data, shown_as)
    return output


def _impersonal(text: str, shown_as: Mapping[str, str]) -> str:
    text = re.sub(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py", "<cell>", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    for folder in sorted(shown_as, key=len, reverse=True):
        text = re.sub(re.escape(folder) + r"(?![\w-])", lambda _, to=shown_as[folder]: to, text)
    return text
