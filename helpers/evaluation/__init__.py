"""From anybody's prediction file to a report."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "labels": ["score_file"],
        "scoring": ["score_frame", "score_run"],
        "multilabel": ["DocumentScores", "score_documents", "score_multilabel", "score_multilabel_files"],
        "fact_lists": ["FactList", "read_fact_lists"],
        "facts": [
            "FactReport",
            "compare_fact_files",
            "fact_comparison_text",
            "report_of_facts",
            "score_fact_file",
        ],
        "seeds": ["RunComparison", "compare_run_files", "expand_runs", "seeds_among"],
        "comparison": ["compare_files", "comparison_latex", "comparison_text"],
        "leakage": ["LeakReport", "audit_leak", "leak_report", "leak_table"],
        "systems": [
            "semeval_implementations",
            "semeval_runs",
            "semeval_systems",
            "system_title",
            "tacred_runs",
        ],
    },
)
