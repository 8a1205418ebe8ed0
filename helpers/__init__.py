"""Beyond Micro-F1: how relation classification is evaluated.

A stack of folders, each entered by its face (`from helpers.metrics import Confusion, evaluate`): core ·
metrics, data · models, runs · evaluation · experiments, reporting · papers · cli. Importing this package
loads none of them.
"""

from pathlib import Path

__version__ = "0.1.0"

ROOT = Path(__file__).resolve().parent.parent
"""The project folder: where `notebooks/`, `results/` and `figures/` live."""
