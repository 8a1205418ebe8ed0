"""Beyond Micro-F1: how relation classification is evaluated.

A stack of folders, each entered by its face (`from helpers.metrics import Confusion, evaluate`): core ·
metrics, data · models, runs · evaluation · experiments, reporting · papers · cli. Importing this package
loads none of them.
"""

from pathlib import Path

__version__ = "0.1.0"

PACKAGE = Path(__file__).resolve().parent
"""The folder of this package."""
_IS_CHECKOUT = (PACKAGE.parent / "pyproject.toml").is_file()

ROOT = PACKAGE.parent if _IS_CHECKOUT else Path.cwd()
"""Where `notebooks/`, `figures/` and all that is written lie: the project's folder, or, where the package is
installed from a wheel, the folder in which it is used. Nothing is ever written into an installed package."""

RESULTS = ROOT / "results" if _IS_CHECKOUT else PACKAGE / "stored"
"""Published numbers, tables and stored runs: `results/`, or their copy in an installed package."""

WEB = (ROOT if _IS_CHECKOUT else RESULTS) / "web"
"""The sources of the leaderboard's page."""
