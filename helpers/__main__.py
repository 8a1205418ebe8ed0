"""`python -m helpers …`: see `helpers.cli`."""

import sys

try:
    from helpers.cli import main
except KeyboardInterrupt:  # while Python was still loading it
    print("error: interrupted; nothing was begun", file=sys.stderr)
    sys.exit(130)

__all__ = ["main"]

if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    sys.exit(main())
