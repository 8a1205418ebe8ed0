"""`python -m helpers COMMAND`: options in, one call, printed result; how a command is added says `base`."""

# isort: off
from .base import app, main, put, register
from . import score, compare, data, train, grid, leaderboard, report  # in the order of `--help`

__all__ = ["app", "main", "put", "register"]
