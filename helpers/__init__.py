"""Beyond Micro-F1: how relation classification is evaluated.

A stack of folders, each entered by its face (`from helpers.metrics import Outcome, evaluate`): core ·
metrics, data · models, runs · evaluation · experiments, reporting · charts · papers · cli. Importing this
package loads none of them. Installed, it is called `beyond_micro_f1`.
"""

import sys
from pathlib import Path

__version__ = "0.2.0"
NAME = "beyond-micro-f1"
"""What is installed: its command has the same name."""

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package: `helpers` in a checkout; installed, it is called `beyond_micro_f1`."""
IS_CHECKOUT = PACKAGE.name == "helpers"

ROOT = PACKAGE.parent if IS_CHECKOUT else Path.cwd()
"""Where `notebooks/`, `figures/` and all that is written lie: the project's folder, or, where the package is
installed from a wheel, the folder in which it is used. Nothing is ever written into an installed package."""

RESULTS = ROOT / "results" if IS_CHECKOUT else PACKAGE / "stored"
"""Published numbers, tables and stored runs: `results/`, or their copy in an installed package."""

WEB = (ROOT if IS_CHECKOUT else RESULTS) / "web"
"""The sources of the leaderboard's page."""


def program() -> str:
    """How this program is started, as printed hints name it: a command or a module that Python runs.

    >>> program()
    'python -m helpers'
    """
    as_module = IS_CHECKOUT or Path(sys.argv[0]) == PACKAGE / "__main__.py"
    return f"python -m {PACKAGE.name}" if as_module else NAME
