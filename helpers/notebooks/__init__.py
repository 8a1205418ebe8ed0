"""Notebooks headless: strict parameters, one run after the other, clean executed copies."""

from .parameters import (
    Parameter as Parameter,
    accept_values as accept_values,
    inspect_parameters as inspect_parameters,
    parse_value as parse_value,
    read_parameters as read_parameters,
)
from .contracts import contract_table as contract_table, read_contract as read_contract
from .copies import clean_copy as clean_copy, compare_copies as compare_copies, shown_lines as shown_lines
from .runner import (
    NotebookFailed as NotebookFailed,
    NotebookResult as NotebookResult,
    notebook_paths as notebook_paths,
    run_notebooks as run_notebooks,
)
