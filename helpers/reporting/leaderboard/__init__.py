"""The leaderboard: prediction files in, outcomes stored, every measure of every system, one page.

A submission is checked (`checks`) and reduced to a run file (`store`); a measure is one registered function
over outcomes (`measures`); `payload` is what the page knows, `page` puts it together with the sources under
web/, and `file_report` is the page of a single file.
"""

from .measures import measured, register_measure, unregister_measure
from .checks import Refused, Submission
from .store import STORE, Store
from .payload import alpha_curves, page_data, ranking_table, write_neighbours
from .page import PAGE, build_page, file_report
