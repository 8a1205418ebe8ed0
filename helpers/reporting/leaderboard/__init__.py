"""The leaderboard: prediction files in, outcomes stored, every measure of every system, one page.

A submission is checked (`checks`) and reduced to a run file (`store`); a measure is one registered function
over outcomes (`measures`); `payload` is what the page knows, `page` puts it together with the sources under
web/, and `file_report` is the page of a single file.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "measures": [
            "Measure",
            "measure_names",
            "measured",
            "measures_of",
            "register_measure",
            "unregister_measure",
        ],
        "payload": ["page_data"],
        "ranking": ["ranking_table", "alpha_curves"],
        "joint": ["neighbours", "write_neighbours"],
        "page": ["PAGE", "build_page", "take_pictures"],
        "one_file": ["FileReport", "file_report"],
        "checks": ["Problem", "Refused", "find_test_set"],
        "store": [
            "STORE",
            "Submission",
            "add_batch",
            "add_submission",
            "compare_submissions",
            "read_batch",
            "remove_submission",
            "submission_rows",
            "submissions",
        ],
    },
)
