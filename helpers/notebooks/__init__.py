"""Notebooks headless: strict parameters, one run after the other, clean executed copies."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "parameters": ["Parameter", "accept_values", "inspect_parameters", "parse_value", "read_parameters"],
        "contracts": ["contract_table", "read_contract"],
        "copies": ["clean_copy", "compare_copies", "shown_lines"],
        "runner": ["NotebookFailed", "NotebookResult", "notebook_paths", "run_notebooks"],
    },
)
