"""Mixed precision: what 'auto' means on this processor or GPU, and the context that applies it."""

from __future__ import annotations

from pathlib import Path

import torch

_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")  # as /proc/cpuinfo names them, the last one on Arm


def resolved_precision(precision: str, device: torch.device) -> str:
    """'bf16' or 'fp32': 'auto' is bf16 where the device has instructions for it, else fp32.

    >>> resolved_precision("fp32", torch.device("cpu"))
    'fp32'
    """
    if precision != "auto":
        return precision
    if device.type == "cuda":
        return "bf16" if _gpu_has_bf16(device) else "fp32"
    return "bf16" if _processor_has_bf16() else "fp32"


def autocast(precision: str, device: torch.device) -> torch.autocast:
    """The context in which matrix products run in bf16 if `precision` resolves to it; sums stay fp32."""
    return torch.autocast(
        device.type, torch.bfloat16, enabled=resolved_precision(precision, device) == "bf16"
    )


def _gpu_has_bf16(device: torch.device) -> bool:
    return torch.version.hip is not None or torch.cuda.get_device_capability(device)[0] >= 8


def _processor_has_bf16() -> bool:
    """Whether bf16 products run in hardware; torch would emulate them otherwise, slower than fp32."""
    try:
        words = Path("/proc/cpuinfo").read_text("utf-8").split()
    except OSError:
        return False
    return not set(_FLAGS).isdisjoint(words)
