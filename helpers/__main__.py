"""`python -m helpers …`: see `helpers.cli`."""

import sys

try:
    from .cli import main
except KeyboardInterrupt:  # while Python was still loading it
    print("error: interrupted; nothing was begun", file=sys.stderr)
    sys.exit(130)

__all__ = ["main", "run"]


def run() -> int:
    """The command line with streams in UTF-8, whatever the terminal says; returns the exit code."""
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return main()


if __name__ == "__main__":
    sys.exit(run())
