"""The leaderboard: prediction files in, outcomes stored, every measure of every system, one page.

A submission is checked (`checks`) and reduced to a run file (`store`); a measure is one registered function
over outcomes (`measures`); `payload` is what the page knows, `page` puts it together with the sources under
web/, and `file_report` is the page of a single file.
"""

from .measures import (
    Measure as Measure,
    measure_names as measure_names,
    measured as measured,
    measures_of as measures_of,
    register_measure as register_measure,
    unregister_measure as unregister_measure,
)
from .payload import page_data as page_data
from .ranking import ranking_table as ranking_table, alpha_curves as alpha_curves
from .joint import neighbours as neighbours, write_neighbours as write_neighbours
from .page import PAGE as PAGE, build_page as build_page, take_pictures as take_pictures
from .one_file import FileReport as FileReport, file_report as file_report
from .checks import Problem as Problem, Refused as Refused, find_test_set as find_test_set
from .store import (
    STORE as STORE,
    Submission as Submission,
    add_batch as add_batch,
    add_submission as add_submission,
    compare_submissions as compare_submissions,
    read_batch as read_batch,
    remove_submission as remove_submission,
    submission_rows as submission_rows,
    submissions as submissions,
)
