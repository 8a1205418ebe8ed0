"""Where training stands, in one safetensors file: weights, optimiser, step, losses. No pickle.

The file is written under a temporary name and renamed, so there is either the old one or the new one. No
random state is kept: training draws it from the seed and the step (`training`).
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn
from torch.optim import Optimizer


def save_checkpoint(path: Path, model: nn.Module, optimizer: Optimizer, progress: dict[str, Any]) -> None:
    """Write weights, optimiser state and `progress` (JSON values), whole or not at all."""
    tensors = {f"model.{name}": value.detach().contiguous() for name, value in model.state_dict().items()}
    for place, parameter in enumerate(_parameters(optimizer)):
        for name, value in optimizer.state.get(parameter, {}).items():
            tensors[f"optimizer.{place}.{name}"] = torch.as_tensor(value).detach().contiguous()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        save_file(tensors, draft, metadata={"progress": json.dumps(progress)})
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: Optimizer, device: torch.device | str = "cpu"
) -> dict[str, Any]:
    """Put the weights and the optimiser state back; returns the progress.

    Raises ValueError that names the file if it is no checkpoint of such a model.
    """
    try:
        with safe_open(path, framework="pt", device=str(device)) as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            progress = json.loads(file.metadata()["progress"])
        weights = _under("model.", tensors)
        model.load_state_dict(weights)
    except Exception as error:
        raise ValueError(
            f"{path}: not a checkpoint of this model ({error}); delete it to start anew"
        ) from None
    for place, parameter in enumerate(_parameters(optimizer)):
        state = _under(f"optimizer.{place}.", tensors)
        if state:
            optimizer.state[parameter] = state
    return progress


def remove_checkpoint(path: Path) -> None:
    """Delete a checkpoint that is no longer needed, and the drafts of it that killed processes left."""
    for file in (path, *path.parent.glob(f".{path.name}.*")):
        file.unlink(missing_ok=True)


def save_weights(path: Path, model: nn.Module) -> Path:
    """Write a trained model's weights as safetensors, whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_weights(Path(folder, "new", "linear.safetensors"), nn.Linear(2, 1))
    ...     load_weights(path, nn.Linear(2, 1)).weight.shape
    torch.Size([1, 2])
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        save_file({name: value.detach().contiguous() for name, value in model.state_dict().items()}, draft)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path


def load_weights(path: Path, model: nn.Module) -> nn.Module:
    """Put weights that `save_weights` wrote into a model of the same kind.

    Raises ValueError that names the file if it does not fit.
    """
    try:
        with safe_open(path, framework="pt") as file:
            model.load_state_dict({name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
    except Exception as error:
        raise ValueError(f"{path}: these weights do not fit the model ({error})") from None
    return model


def _parameters(optimizer: Optimizer) -> list[nn.Parameter]:
    return [parameter for group in optimizer.param_groups for parameter in group["params"]]


def _under(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
