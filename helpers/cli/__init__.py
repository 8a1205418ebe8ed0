"""`python -m helpers COMMAND`: options in, one call, printed result; how a command is added says `base`."""

# isort: off
from .base import app, main
from .options import put
from . import score, sets, data, train, leaderboard, project  # in the order of `--help`

__all__ = ["app", "main", "put"]
