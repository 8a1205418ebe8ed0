"""What every network is: one training loop, one prediction loop, checkpoints and weights, on any device.

accelerate places model and optimiser and joins the processes; what happens in a step does not depend on how
many there are: each computes its share of the batch, and losses are weighted by the whole batch. Examples of
about equal length share a batch, so little is padded; the order is random all the same. Order and random
state are drawn from seed and step, so training that was interrupted goes on to the same result. Files are
safetensors, written atomically; no pickle.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import random
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.utils import gather_object
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional
from torch.optim import Optimizer
from tqdm import tqdm

from ..core import atomic_path
from .base import NO_ENCODER, History, Model, Settings
from .encoder import resolved_precision
from .inputs import Batch, collate

CHECKPOINT_SECONDS = 300
"""How long after the last checkpoint the next one is written; at the end of a training there is one, too."""
CHECK_STEPS = 10
"""After so many steps, and after an epoch, it is seen whether a checkpoint is due."""
PREDICTION_TOKENS = 4096
"""Tokens, padding among them, that are computed together when a model is asked."""
_POOL = 50
"""Batches that are sorted by length together: the fewer, the more random; the more, the less padding."""


def accelerator() -> Accelerator:
    """The accelerator of this process: the GPUs that there are, else the processor."""
    return Accelerator(cpu=not torch.cuda.is_available(), mixed_precision="no")


@contextlib.contextmanager
def processor_threads(count: int | None) -> Iterator[int]:
    """Compute on so many threads in this block, which is given them; None: as many as before.

    >>> with processor_threads(1) as threads:
    ...     threads, torch.get_num_threads()
    (1, 1)
    """
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield count or before
    finally:
        torch.set_num_threads(before)


def save_weights(path: Path, model: nn.Module) -> Path:
    """Write a trained model's weights as safetensors, atomically.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_weights(Path(folder, "new", "linear.safetensors"), nn.Linear(2, 1))
    ...     load_weights(path, nn.Linear(2, 1)).weight.shape
    torch.Size([1, 2])
    """
    _write(path, model.state_dict())
    return path


def load_weights(path: Path, model: nn.Module) -> nn.Module:
    """Put weights that `save_weights` wrote into a model of the same kind, on the device that there is.

    Raises ValueError that names the file if it does not fit.
    """
    try:
        model.load_state_dict(_read(path)[0])
    except Exception as error:
        raise ValueError(f"{path}: these weights do not fit the model ({error})") from None
    return model.to(accelerator().device)


def _write(path: Path, values: Mapping[str, Any], metadata: dict[str, str] | None = None) -> None:
    tensors = {name: torch.as_tensor(value).detach().contiguous() for name, value in values.items()}
    with atomic_path(path) as draft:
        try:
            save_file(tensors, draft, metadata=metadata)
        except SafetensorError as error:  # of the file system, such as a full disk
            raise OSError(f"{path} could not be written: {error}") from error


def _read(path: Path, device: torch.device | str = "cpu") -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    with safe_open(path, framework="pt", device=str(device)) as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118


class NeuralModel(nn.Module, Model):
    """What training and prediction need of a model, with or without a pretrained encoder.

    A subclass gives `examples` and `forward` (from a `Batch` to what the loss reads, first axis examples)
    and, where they differ from the usual, `training_examples`, `collate`, `losses` and `relation_scores`.
    """

    padding: int = 0
    fills: Mapping[str, float] = {}
    """Of a batch; see `collate`."""

    resampled: bool = False
    """Whether `training_examples` differ from epoch to epoch."""
    settings = Settings()
    packages = ("numpy", "scipy", "torch", "transformers", "tokenizers", "accelerate")

    @abstractmethod
    def examples(self, samples: Sequence[Any]) -> list[Any]:
        """Inputs for prediction: one for each sample (`relation_scores` may expect several)."""

    def training_examples(self, samples: Sequence[Any], rng: random.Random) -> list[Any]:
        """Inputs of one epoch; by default those of prediction. `rng` is seeded for the epoch."""
        return self.examples(samples)

    def collate(self, examples: Sequence[Any], weight: Sequence[float] | float = 1.0) -> Batch:
        """The examples as one batch, padded to the longest; `weight` is the share of each in the loss."""
        return collate(examples, self.padding, weight, self.fills)

    def prepare(self, samples: Sequence[Any]) -> None:
        """What has to be set before training, such as the vocabulary; by default nothing."""

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of each example, shape (n,): cross-entropy over the relations."""
        return functional.cross_entropy(output.float(), batch.target, reduction="none")

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """Scores (samples, labels) from the outputs of `examples`; the highest one is the prediction."""
        return output

    def fit(
        self,
        samples: Sequence[Any],
        checkpoint: Path | None = None,
        after_epoch: Callable[[int], None] | None = None,
        progress: bool = True,
    ) -> History:
        """Train with `settings` and `seed`; the last epoch is the result.

        Parameters
        ----------
        checkpoint : file that is written on the way and read if it is there: training then goes on from it to
            the same result. It must belong to the same samples, settings and seed.
        after_epoch : called with the number of epochs done, the model being ready to predict.
        progress : show a bar on standard error.

        Raises
        ------
        ValueError : no samples, a relation that is no label of the model, a checkpoint of another model.
        FloatingPointError : the loss is no longer finite.

        >>> from helpers.data import RelationSample
        >>> from helpers.models import build, default_settings
        >>> samples = [RelationSample(word, f"{word} or not", (0, 1), (5, 8), word) for word in ("a", "b")]
        >>> settings = default_settings("em-c").changed({"epochs": 2, "batch_size": 1})
        >>> model = build("em-c", "all-MiniLM-L6-v2", ["a", "b"], settings, seed=9)
        >>> history = model.fit(samples, progress=False)
        >>> history.steps, len(history.losses), model.predict(samples, progress=False).shape
        (4, 2, (2,))
        """
        if not samples:
            raise ValueError("samples is empty: there is nothing to train on")
        loop = _Loop(self, samples, checkpoint, progress)
        with _numerics(), loop.bar:
            loop.resume()
            while loop.epoch < self.settings.epochs:
                loop.run_epoch()
                if after_epoch:
                    after_epoch(loop.epoch)
                loop.save()  # after it, so that an epoch whose end was interrupted is done again
        return loop.history

    def outputs(
        self,
        examples: Sequence[Any],
        function: Callable[[Batch], torch.Tensor] | None = None,
        progress: bool = True,
    ) -> torch.Tensor:
        """What `forward`, or another function of a batch, gives for each of the examples, in their order:
        (n, …), on the processor. At least one example is needed.
        """
        joined, batches = accelerator(), _prediction_batches([example.length for example in examples])
        mine = batches[joined.process_index :: joined.num_processes]
        bar = tqdm(mine, desc="predicting", unit="batch", disable=not (progress and joined.is_main_process))
        device = next(self.parameters()).device
        self.eval()
        with torch.inference_mode(), _numerics():
            inputs = (self.collate([examples[index] for index in batch]).to(device) for batch in bar)
            computed = [(function or self)(batch).float() for batch in inputs]
        rows = torch.cat(computed).cpu() if computed else ()  # on the device until now: no batch waits for it
        pairs = list(zip(itertools.chain(*mine), rows, strict=True))
        everything = gather_object(pairs) if joined.num_processes > 1 else pairs
        return torch.stack([row for _, row in sorted(everything, key=lambda pair: pair[0])])

    def raw_scores(self, samples: Sequence[Any], progress: bool = True) -> torch.Tensor:
        """`relation_scores` of the samples, (samples, labels), the same in every process."""
        if not len(samples):
            return torch.empty(0, len(self.labels))
        return self.relation_scores(self.outputs(self.examples(samples), progress=progress)).cpu()

    def predict(self, samples: Sequence[Any], progress: bool = True) -> np.ndarray:
        """The predicted label ids, shape (samples,); ties go to the smaller id."""
        return self.raw_scores(samples, progress).numpy().argmax(axis=1)

    def scores(self, samples: Sequence[Any], progress: bool = True) -> np.ndarray:
        """The probability of each label, (samples, labels): the softmax of `relation_scores`."""
        return torch.softmax(self.raw_scores(samples, progress).float(), dim=1).numpy().astype(float)

    @property
    def precision(self) -> str:
        """Of the encoder, as settings and device say; fp32 where there is none."""
        if self.encoder_name == NO_ENCODER:
            return "fp32"
        return resolved_precision(self.settings.precision, accelerator().device)


class _Loop:
    """The state of one training."""

    def __init__(self, model: NeuralModel, samples, checkpoint, progress) -> None:
        self.bare, self.samples, self.checkpoint, self.settings = model, samples, checkpoint, model.settings
        self.joined = accelerator()
        model.prepare(samples)
        self.model, self.optimizer = self.joined.prepare(model, _optimizer(model))
        self.examples = model.training_examples(samples, self._rng("examples", 0))
        self.steps_per_epoch = -(-len(self.examples) // self.settings.batch_size)
        self.epoch = self.step = 0
        self.loss_sum = torch.zeros((), dtype=torch.float64, device=self.joined.device)
        self.lap, self.saved = time.perf_counter(), time.monotonic()
        cuts, steps = [one.cut for one in self.examples], self.steps_per_epoch * self.settings.epochs
        self.history = History([], 0.0, steps, len(cuts), sum(map(bool, cuts)), sum(cuts))
        hidden = not (progress and self.joined.is_main_process)
        self.bar = tqdm(total=steps, desc="training", unit="step", disable=hidden)

    def _rng(self, what: str, number: int) -> random.Random:
        return random.Random(f"{self.bare.seed} {what} {number}")

    def resume(self) -> None:
        """Go to where the checkpoint stands, if there is one; ValueError if it is none of such a model."""
        if self.checkpoint is None or not self.checkpoint.exists():
            return
        try:
            tensors, metadata = _read(self.checkpoint, self.joined.device)
            done = json.loads(metadata["progress"])
            self.bare.load_state_dict(_under("model.", tensors))
        except Exception as error:
            why = f"not a checkpoint of this model ({error}); delete it to start anew"
            raise ValueError(f"{self.checkpoint}: {why}") from None
        optimizer = self.optimizer.optimizer
        learnt = itertools.chain.from_iterable(group["params"] for group in optimizer.param_groups)
        for number, parameter in enumerate(learnt):
            if state := _under(f"optimizer.{number}.", tensors):
                optimizer.state[parameter] = state
        self.step, self.epoch = done["step"], done["step"] // self.steps_per_epoch
        if self.joined.is_main_process:
            self.loss_sum += done["loss_sum"]
        self.history.losses, self.history.seconds = done["losses"], done["seconds"]
        self.bar.update(self.step)

    def save(self) -> None:
        """Write a checkpoint if one is due, by the first process, which keeps the losses of all; the others
        wait."""
        joined, history = self.joined, self.history
        waited = max(gather_object([time.monotonic() - self.saved]))  # one answer in all processes
        if self.checkpoint is None or (waited < CHECKPOINT_SECONDS and self.step < history.steps):
            return
        total = joined.reduce(self.loss_sum, reduction="sum")
        self.loss_sum = total if joined.is_main_process else torch.zeros_like(total)
        if joined.is_main_process:
            states = self.optimizer.optimizer.state_dict()["state"].items()
            parts = {f"optimizer.{number}": state for number, state in states}
            parts["model"] = self.bare.state_dict()
            named = {f"{part}.{name}": one for part, state in parts.items() for name, one in state.items()}
            done = {"step": self.step, "loss_sum": total.item()}
            done |= {"losses": history.losses, "seconds": history.seconds}
            _write(self.checkpoint, named, {"progress": json.dumps(done)})
        joined.wait_for_everyone()
        self.saved = time.monotonic()

    def _count_seconds(self) -> None:
        """Those since the last call, when the device has computed all that it was asked for."""
        if self.joined.device.type != "cpu":
            torch.accelerator.synchronize(self.joined.device)
        now = time.perf_counter()
        self.history.seconds += now - self.lap
        self.lap = now

    def run_epoch(self) -> None:
        """The steps of this epoch that are still to be done."""
        self.model.train()
        self.lap = time.perf_counter()
        if self.bare.resampled and self.epoch:
            self.examples = self.bare.training_examples(self.samples, self._rng("examples", self.epoch))
        lengths = [example.length for example in self.examples]
        batches = _epoch_batches(lengths, self.settings.batch_size, self._rng("order", self.epoch))
        for batch in batches[self.step - self.epoch * self.steps_per_epoch :]:
            self._one_step(batch)
            if self.step % CHECK_STEPS == 0 and self.step % self.steps_per_epoch:
                self._count_seconds()
                self.save()
        self._count_seconds()
        self.epoch += 1
        mean = self.joined.reduce(self.loss_sum, reduction="sum").item() / self.steps_per_epoch
        if not np.isfinite(mean):
            raise FloatingPointError(f"the loss of epoch {self.epoch} is {mean}: lower learning_rate")
        self.history.losses.append(mean)
        self.loss_sum = torch.zeros_like(self.loss_sum)
        self.bar.set_postfix_str(f"loss {mean:.3f}")

    def _one_step(self, batch: Sequence[int]) -> None:
        joined, settings = self.joined, self.settings
        torch.manual_seed(self._rng("step", self.step).getrandbits(62) + joined.process_index)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate(self.step, self.history.steps)
        parts = _parts(batch, settings.accumulate, joined.process_index, joined.num_processes)
        for number, part in enumerate(parts, start=1):
            examples = [self.examples[index] for index, _ in part]
            inputs = self.bare.collate(examples, [weight for _, weight in part]).to(joined.device)
            is_last = number == len(parts)
            with contextlib.nullcontext() if is_last else joined.no_sync(self.model):
                loss = (self.bare.losses(self.model(inputs), inputs) * inputs.weight).sum()
                self.loss_sum += loss.detach()
                joined.backward(loss * joined.num_processes)
        if settings.clip:
            joined.clip_grad_norm_(self.model.parameters(), settings.clip)
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.step += 1
        self.bar.update()


def _under(prefix: str, tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}


def _parts(batch: Sequence[int], accumulate: int, rank: int, processes: int) -> list[list[tuple[int, float]]]:
    """This process's share of a batch in `accumulate` parts: positions of examples, and their weights.

    Every example weighs 1 / (size of its whole batch), whoever computes it, so that sums of losses are the
    mean over the batch. A process with nothing to do in a part gets one example of weight 0.
    """
    shares = accumulate * processes
    return [
        [(index, 1.0 / len(batch)) for index in batch[share::shares]] or [(batch[0], 0.0)]
        for share in range(rank * accumulate, (rank + 1) * accumulate)
    ]


def _epoch_batches(lengths: Sequence[int], size: int, rng: random.Random) -> list[list[int]]:
    """Positions of the examples of one epoch, in batches of `size` of about equal length, shuffled.

    The examples are shuffled, every `_POOL` batches of them are sorted by length and cut, and the batches are
    shuffled. Each example comes once; only the last of the pool's batches may be smaller.

    >>> _epoch_batches([3, 9, 3, 9], size=2, rng=random.Random(0))
    [[2, 0], [1, 3]]
    """
    order = list(range(len(lengths)))
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * _POOL):
        pool = sorted(order[start : start + size * _POOL], key=lengths.__getitem__)
        batches += [pool[begin : begin + size] for begin in range(0, len(pool), size)]
    rng.shuffle(batches)
    return batches


def _prediction_batches(lengths: Sequence[int]) -> list[list[int]]:
    """Positions of examples, of about equal length in a batch of at most `PREDICTION_TOKENS`, the longest
    first, so that memory fails early if at all.

    >>> _prediction_batches([3000, 9, 2048, 2048])
    [[0], [2, 3], [1]]
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True):
        if not batches or (len(batches[-1]) + 1) * lengths[batches[-1][0]] > PREDICTION_TOKENS:
            batches.append([])
        batches[-1].append(index)
    return batches


def _optimizer(model: NeuralModel) -> Optimizer:
    """Fused Adam or AdamW with weight decay on matrices only; plain SGD with weight decay on everything."""
    settings = model.settings
    learnt = [parameter for parameter in model.parameters() if parameter.requires_grad]
    matrices, vectors = ([one for one in learnt if (one.ndim > 1) == wanted] for wanted in (True, False))
    decay = 0.0 if settings.optimizer == "adam" else settings.weight_decay
    if settings.optimizer == "sgd":
        return torch.optim.SGD([*matrices, *vectors], lr=settings.learning_rate, weight_decay=decay)
    groups = [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]
    kind = torch.optim.AdamW if settings.optimizer == "adamw" else torch.optim.Adam
    return kind(groups, lr=settings.learning_rate, eps=settings.epsilon, fused=True)


@contextlib.contextmanager
def _numerics() -> Iterator[None]:
    """The same operations in the same order in every run; on a GPU, what has no such form only warns, and
    products of fp32 are computed in TF32."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    before = torch.are_deterministic_algorithms_enabled()
    warned = torch.is_deterministic_algorithms_warn_only_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=torch.cuda.is_available())
    torch.utils.deterministic.fill_uninitialized_memory = False  # costs time and finds bugs of torch only
    products = torch.get_float32_matmul_precision()
    if torch.cuda.is_available():
        torch.set_float32_matmul_precision("high")
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=warned)
        torch.utils.deterministic.fill_uninitialized_memory = filled
        torch.set_float32_matmul_precision(products)
