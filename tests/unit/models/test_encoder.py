"""Where the encoder's weights come from, which ones are refused, and the marker tokens that are added."""

import json
import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from helpers.core import file_sha256
from helpers.models import EMBEDDED, build
from helpers.models import encoder as module
from helpers.models.base import Settings
from helpers.models.encoder import EMBEDDED_SHA256, load_encoder, resolved_precision
from helpers.models.inputs import MARKERS, Example, collate

WEIGHTS = "model.safetensors"


@pytest.fixture
def copy(tiny_bert, tmp_path) -> Path:
    """A copy of the small BERT that a test may spoil."""
    return Path(shutil.copytree(tiny_bert, tmp_path / "copy"))


class TestEmbedded:
    def test_a_changed_copy_is_refused_before_it_is_read(self, tiny_bert, monkeypatch) -> None:
        monkeypatch.setattr(module, "AutoModel", None)
        monkeypatch.setattr(module, "_source", lambda name: str(tiny_bert))
        found = file_sha256(tiny_bert / "model.safetensors")
        with pytest.raises(ValueError, match=f"{EMBEDDED}.*sha256 is {found}, not {EMBEDDED_SHA256}"):
            load_encoder()

    def test_without_its_package_the_command_is_named(self, monkeypatch) -> None:
        monkeypatch.setattr(module, "EMBEDDED_PACKAGE", "gt_no_such_package")
        with pytest.raises(ValueError, match="not installed: pip install gt-no-such-package"):
            load_encoder()


class TestFolders:
    def test_roberta_counts_its_positions_from_the_padding_id(self, tiny_roberta) -> None:
        encoder = load_encoder(str(tiny_roberta))
        assert (encoder.name, encoder.longest, encoder.segments) == ("tiny-roberta", 128, False)
        longest = collate([Example([0, *[5] * 126, 2], (0,), 0)], padding=1)
        assert encoder(longest).shape == (1, 128, 32)

    def test_the_shorter_of_model_and_tokenizer_decides(self, copy) -> None:
        settings = json.loads((copy / "tokenizer_config.json").read_text())
        (copy / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": 77}))
        assert load_encoder(str(copy)).longest == 77
        assert build("em-c", str(copy), ["a"], Settings(max_length=99), seed=1).max_length == 77
        assert build("em-c", str(copy), ["a"], Settings(max_length=66), seed=1).max_length == 66

    def test_no_folder_of_a_machine_in_the_name(self, tiny_bert, monkeypatch) -> None:
        monkeypatch.chdir(tiny_bert.parent)
        for name in (str(tiny_bert), "tiny-bert", "./tiny-bert/", f"{tiny_bert}/../tiny-bert"):
            assert load_encoder(name).name == "tiny-bert"


def with_other_weights(folder: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    save_file({f"other.{name}": one for name, one in weights.items()}, folder / WEIGHTS)


def with_a_pickle(folder: Path) -> None:
    torch.save(load_file(folder / WEIGHTS), folder / "pytorch_model.bin")
    (folder / WEIGHTS).unlink()


def refused(folder: Path, message: str, **options) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        load_encoder(str(folder), **options)
    assert str(folder) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("dropout", [None, 0.0])
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: os.truncate(folder / WEIGHTS, 9999), "cannot be loaded"),
        (lambda folder: (folder / "config.json").unlink(), "cannot be loaded"),
        (with_other_weights, "weights lack .* of the model's parameters"),
        (with_a_pickle, "no model.safetensors: only safetensors weights are read"),
    ],
)
def test_a_spoilt_folder_is_refused(spoil, message, dropout, copy) -> None:
    (copy / "pytorch_model.bin").write_bytes(b"not even a pickle")  # beside the others it is not read
    assert load_encoder(str(copy)).sha256 == file_sha256(copy / WEIGHTS)
    spoil(copy)
    refused(copy, message, dropout=dropout)


@pytest.mark.parametrize("kind", ["evil", "bert"])
def test_code_of_a_model_is_never_run(kind, copy, tmp_path) -> None:
    trace = tmp_path / "trace"
    (copy / "evil.py").write_text(f"from pathlib import Path\nPath({str(trace)!r}).touch()\n")
    auto = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model", "AutoTokenizer": ["evil.T", "evil.T"]}
    settings = json.loads((copy / "config.json").read_text())
    settings |= {"auto_map": auto, "model_type": kind, "architectures": ["Model"]}
    (copy / "config.json").write_text(json.dumps(settings))
    refused(copy, "cannot be loaded") if kind == "evil" else load_encoder(str(copy))
    assert not trace.exists()


def test_an_unknown_name_without_network(monkeypatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ValueError, match="^encoder 'nobody/none' cannot be loaded: ") as caught:
        load_encoder("nobody/none")
    assert "\n" not in str(caught.value)


def test_the_first_layers_alone(tiny_bert) -> None:
    whole, one = (load_encoder(str(tiny_bert), layers=layers).eval() for layers in (None, 1))
    assert (len(whole.transformer.encoder.layer), len(one.transformer.encoder.layer)) == (2, 1)
    assert one.sha256 == whole.sha256
    batch = collate([Example([2, 5, 6, 3], (0,), 0)], padding=0)
    states = whole.outputs(batch, output_hidden_states=True).hidden_states
    assert torch.allclose(one(batch), states[1]) and not torch.allclose(one(batch), states[2])


@pytest.mark.parametrize("folder", ["tiny_bert", "tiny_roberta"])
def test_missing_markers_are_added_and_known_ones_keep_their_vectors(folder, request) -> None:
    name = str(request.getfixturevalue(folder))
    before, known, after = (load_encoder(name, markers) for markers in ((), ("$", "$", "#", "#"), MARKERS))
    ids, size = before.tokenizer.convert_tokens_to_ids(["$", "#"]), len(before.word_embedding)
    assert known.tokenizer.convert_tokens_to_ids(["$", "#"]) == ids and len(set(ids)) == 2
    assert before.tokenizer.unk_token_id not in ids
    assert torch.equal(known.word_embedding, before.word_embedding)
    stored = load_file(Path(name, "model.safetensors"))["embeddings.word_embeddings.weight"]
    assert torch.equal(before.word_embedding, stored)
    assert after.tokenizer.convert_tokens_to_ids(list(MARKERS)) == list(range(size, size + 4))
    assert torch.equal(after.word_embedding[:size], stored) and len(after.word_embedding) == size + 4


@pytest.mark.parametrize(("generation", "expected"), [(7, "fp32"), (8, "bf16"), (9, "bf16")])
def test_precision_auto_on_a_gpu(generation, expected, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: (generation, 5))
    assert resolved_precision("auto", torch.device("cuda", 0)) == expected
