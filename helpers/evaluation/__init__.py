"""From anybody's prediction file to a report."""

from .labels import score_file as score_file
from .scoring import score_frame as score_frame, score_run as score_run
from .multilabel import (
    DocumentScores as DocumentScores,
    score_documents as score_documents,
    score_multilabel as score_multilabel,
    score_multilabel_files as score_multilabel_files,
)
from .fact_lists import FactList as FactList, read_fact_lists as read_fact_lists
from .facts import (
    FactReport as FactReport,
    compare_fact_files as compare_fact_files,
    fact_comparison_text as fact_comparison_text,
    report_of_facts as report_of_facts,
    score_fact_file as score_fact_file,
)
from .seeds import (
    RunComparison as RunComparison,
    compare_run_files as compare_run_files,
    expand_runs as expand_runs,
    seeds_among as seeds_among,
)
from .comparison import (
    compare_files as compare_files,
    comparison_latex as comparison_latex,
    comparison_text as comparison_text,
)
from .leakage import (
    LeakReport as LeakReport,
    audit_leak as audit_leak,
    leak_report as leak_report,
    leak_table as leak_table,
)
from .systems import (
    semeval_implementations as semeval_implementations,
    semeval_runs as semeval_runs,
    semeval_systems as semeval_systems,
    system_title as system_title,
    tacred_runs as tacred_runs,
)
