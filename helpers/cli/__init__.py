"""`python -m helpers COMMAND`: options in, one call, printed result; how a command is added says `base`."""

# isort: off
from .base import app, main, put
from . import score, sets, train, leaderboard, project  # in the order of `--help`

__all__ = ["app", "main", "put"]
