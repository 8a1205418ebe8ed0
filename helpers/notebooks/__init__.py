"""Notebooks headless: strict parameters, one run after the other, clean executed copies."""

from .parameters import Parameter, inspect_parameters, parse_value, read_parameters
from .contracts import contract_table, read_contract
from .copies import compare_copies, shown_lines
from .runner import NotebookFailed, notebook_paths, run_notebooks
