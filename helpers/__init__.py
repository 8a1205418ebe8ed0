"""Beyond Micro-F1: how relation classification is evaluated.

Two wings and a bridge: `helpers.metrics` turns counts into scores and `helpers.reporting` turns scores into
tables and pictures; `helpers.data` turns files into samples; `helpers.scoring` and `helpers.comparing` join
them for predictions made elsewhere. Importing this package loads none of them.
"""

from pathlib import Path

__version__ = "0.1.0"

ROOT = Path(__file__).resolve().parent.parent
"""The project folder: where `notebooks/`, `results/` and `figures/` live."""
