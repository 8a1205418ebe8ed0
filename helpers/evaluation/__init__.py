"""From anybody's prediction file to a report."""

from .score import score_file, score_frame, score_run
from .multilabel import score_documents, score_multilabel
from .fact_files import read_fact_lists
from .facts import compare_fact_files, score_fact_file
from .compare import compare_files
from .runs_compared import compare_run_files
from .leakage import audit_leak, leak_table
from .systems import SEMEVAL_SYSTEMS, semeval_runs, semeval_variants, system_title, tacred_runs
from .plan import SamplePlan, changed_answers, plan_files, plan_samples
from .triples import MATCHES, score_triples
