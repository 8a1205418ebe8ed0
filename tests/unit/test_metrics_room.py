"""The room as a whole: it stands alone, and it is there at once."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers import ROOT

MODULES = sorted(f"helpers.metrics.{path.stem}" for path in (ROOT / "helpers" / "metrics").glob("[a-z]*.py"))
PROBE = """
import json, sys, time
start = time.perf_counter()
for name in sys.argv[1:]:
    __import__(name)
print(json.dumps({"seconds": time.perf_counter() - start, "modules": sorted(sys.modules)}))
"""


def imported(*names):
    """What a fresh process has loaded after importing modules, and the seconds that took."""
    command = [sys.executable, "-c", PROBE, *names]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def test_the_room_needs_numpy_and_scipy_only():
    assert len(MODULES) >= 13
    loaded = imported(*MODULES)["modules"]
    strangers = {"pandas", "torch", "pyarrow", "sklearn", "matplotlib", "transformers", "papermill", "tqdm"}
    assert not strangers & {name.partition(".")[0] for name in loaded}
    ours = {name for name in loaded if name.startswith("helpers")}
    assert ours == {"helpers", "helpers.metrics", *MODULES}


def test_the_probe_sees_a_stranger():
    assert "pandas" in imported("helpers.metrics.counts", "pandas")["modules"]


@pytest.mark.parametrize("module", ["helpers.metrics.scores", "helpers.metrics.semeval"])
def test_scoring_starts_in_well_under_a_second(module):
    assert any(imported(module)["seconds"] < 1.0 for _ in range(3))  # a busy machine gets another try


def test_the_whole_room_is_imported_in_a_second_or_two():
    """Welch's test brings scipy.stats, which takes most of the time."""
    assert any(imported(*MODULES)["seconds"] < 2.0 for _ in range(3))


def test_a_report_is_made_without_pandas_too():
    code = (
        "import sys\n"
        "from helpers.metrics.counts import Confusion\n"
        "from helpers.metrics.scores import evaluate\n"
        "report = evaluate(Confusion.from_arrays(['a', 'b'], ['a', 'a']))\n"
        "report.to_text(), report.to_csv(), report.to_latex(), report.to_dict()\n"
        "sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_every_module_has_its_test_file():
    folder = Path(__file__).parent
    missing = [
        name for name in MODULES if not (folder / f"test_metrics_{name.rpartition('.')[2]}.py").exists()
    ]
    assert missing == []
