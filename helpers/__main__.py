"""`python -m helpers …`: see `helpers.cli`."""

import sys

from helpers.cli import main

__all__ = ["main"]

if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main())
