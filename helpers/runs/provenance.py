"""Where a run comes from: the machine and the packages."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any


def environment(packages: Sequence[str] = ("numpy", "scipy", "torch", "transformers")) -> dict[str, Any]:
    """Python, platform, device, and versions of those packages that the program has imported, for a run file.

    Nothing is imported here: without torch in the program, the device is 'cpu' and torch has no version.

    >>> sorted(environment())
    ['device', 'platform', 'python', 'versions']
    """
    torch = sys.modules.get("torch")
    return {
        "python": platform.python_version(),
        "platform": platform.platform(),
        "device": torch.cuda.get_device_name() if torch is not None and torch.cuda.is_available() else "cpu",
        "versions": {name: version(name) for name in packages if name in sys.modules},
    }
