"""What exactly one paper needs; the audit of the printed numbers is in `helpers.papers.audit`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "weighting": [
            "CLASS_EFFECTS",
            "PRINTED_SCHEMES",
            "class_effect",
            "single_class_effect",
            "leads_without",
            "weighted_rows",
            "weighted_table",
        ],
        "direction": ["paired_breakdowns", "direction_rows", "direction_table"],
        "multilabel": [
            "differing_documents",
            "label_table",
            "multilabel_runs",
            "pair_gains",
            "score_rows",
            "scores_of",
        ],
        "attention": [
            "GROUPS",
            "SIDES",
            "STUDIES",
            "read_study",
            "attention_frame",
            "attribution_frame",
            "token_groups",
            "case_study",
        ],
        "distant": [
            "claims_of_table_4",
            "compare_lists",
            "cut_areas",
            "fact_rows",
            "hit_shares",
            "list_scores",
            "long_protocols",
            "precision_curves",
            "protocol_scores",
            "published_lists",
            "ranking_of",
            "ranks_of",
            "relation_averages",
            "reversed_pairs",
            "system_name",
        ],
        "bag_models": [
            "bag_findings",
            "bag_rows",
            "bag_runs",
            "bag_scores",
            "mean_over_seeds",
            "relation_f1",
        ],
        "list_runs": ["list_labels", "published_list_runs", "published_ranking", "write_list_runs"],
        "summary": ["summary_text"],
    },
)
