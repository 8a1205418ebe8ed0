"""Small untrained encoders, BERT-like and RoBERTa-like, in folders as `save_pretrained` writes them.

torch and transformers are imported by the tests that need them, not by every worker.
"""

import json
import shutil
import warnings
from pathlib import Path

import pytest

from helpers.core import SEMEVAL_RELATIONS
from helpers.data import demo_corpus

SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two layers of BERT, 32 wide, with the vocabulary of the embedded encoder."""
    import torch
    from transformers import BertConfig, BertModel

    from helpers.models import EMBEDDED
    from helpers.models.encoder import load_encoder

    folder = tmp_path_factory.mktemp("encoders") / "tiny-bert"
    tokenizer = load_encoder(EMBEDDED).tokenizer
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    BertModel(BertConfig(vocab_size=len(tokenizer), initializer_range=0.2, **SIZE)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_roberta(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two layers of RoBERTa, 32 wide; a byte-level BPE in which each label word is one token."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import RobertaConfig, RobertaModel

    from helpers.models.prompt import _all_label_words

    folder = tmp_path_factory.mktemp("encoders") / "tiny-roberta"
    folder.mkdir()
    words = {word for five in _all_label_words(SEMEVAL_RELATIONS).values() for word in five}
    texts = [sample.text for sample in demo_corpus()["train"][:100]]
    texts += [blank + word for word in sorted(words | {"the"}) for blank in (" ", "") for _ in range(50)]
    tokenizer = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokenizer.train_from_iterator(texts, vocab_size=1000, special_tokens=special, show_progress=False)
    tokenizer.save_model(str(folder))
    kind = {"tokenizer_class": "RobertaTokenizer", "model_max_length": 128}
    (folder / "tokenizer_config.json").write_text(json.dumps(kind))
    torch.manual_seed(0)
    shape = SIZE | {"max_position_embeddings": 130, "type_vocab_size": 1, "initializer_range": 0.2}
    RobertaModel(RobertaConfig(vocab_size=tokenizer.get_vocab_size(), **shape)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def spark():
    """A session of two workers; skips where there is no Spark."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install '.[spark]'")
    if not shutil.which("java"):
        pytest.skip("Spark needs a Java runtime; there is no java on the path")
    with warnings.catch_warnings(action="ignore"):  # pyspark's own
        made = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        made = made.config("spark.sql.shuffle.partitions", "3").config("spark.driver.memory", "512m")
        session = made.getOrCreate()
        session.sparkContext.setLogLevel("OFF")
        yield session
        session.stop()
