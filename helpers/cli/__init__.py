"""`python -m helpers COMMAND`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "arguments": ["parse"],
        "commands": ["main"],
    },
)
