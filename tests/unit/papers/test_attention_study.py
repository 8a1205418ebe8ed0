"""The case study: what is stored is what the model gives, whole, and of the sentence of Figure 4."""

from pathlib import Path

import numpy as np
import pytest

from helpers.core.labels import SEMEVAL_RELATIONS
from helpers.experiments.experiment import Experiment
from helpers.models.encoder import EMBEDDED, EMBEDDED_SHA256
from helpers.models.registry import build
from helpers.models.training import save_weights
from helpers.papers.attention import SIDES, STUDIES, Studies, case_study


@pytest.fixture(scope="module", params=["em-c", "emr-c"])
def study(request: pytest.FixtureRequest, tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory):
    """A case study of an untrained model, and the file that it wrote."""
    experiment = Experiment(request.param, encoder=str(tiny_bert), merged=request.param == "em-c")
    model = build(experiment.model, experiment.encoder, SEMEVAL_RELATIONS, experiment.resolved(), seed=3)
    folder = tmp_path_factory.mktemp("study")
    weights = save_weights(folder / "weights.safetensors", model)
    return case_study(experiment, weights, folder=folder), folder / f"{experiment.name.lower()}.json"


def test_what_is_written_is_read_back(study) -> None:
    made, path = study
    assert Studies.read(path) == {made["model"]: made}
    assert str(path.parent) not in path.read_text("utf-8")


@pytest.fixture(scope="module")
def stored() -> Studies:
    return Studies.read(*sorted(STUDIES.glob("*.json")))


def test_stored_studies_are_whole(stored) -> None:
    assert sorted(stored) == ["EM-C", "EM-C-M", "EMR-C"]
    for found in stored.values():
        assert (found["encoder"], found["encoder_sha256"]) == (EMBEDDED, EMBEDDED_SHA256)
        assert (found["dataset"], found["profile"], found["seed"]) == ("semeval2010", "standard", 9)
        for side in (found[side] for side in SIDES):
            weights = np.array(side["attention"])
            assert weights.shape[2] == len(side["tokens"]) and np.abs(weights.sum(axis=2) - 1).max() < 1e-3
            for part in filter(None, (side["attribution"], side["direction"])):
                explained = part["score"] - part["baseline"]
                assert len(part["values"]) == len(side["tokens"])
                assert abs(sum(part["values"]) - explained) < 0.01 * max(1, abs(explained))


def test_emr_c_reads_the_literal_relation_on_the_paired_sentence_only(stored) -> None:
    """R, Section V-D, of layer 5 of 12; here of the last two of 6, mean over heads."""
    shares = Studies({"EMR-C": stored["EMR-C"]}).group_shares()
    means = shares.groupby(["sentence", "layer", "group"])["share"].mean().unstack()
    lead = means["literal relation"] - means["markers"]
    assert lead["paired"].loc[[5, 6]].min() > 2 and lead["original"].loc[[5, 6]].max() < -2
    assert means["key word"].max() < 5


def test_the_last_layer_looks_at_words_in_all_three(stored) -> None:
    """R's footnote 9 has the middle layers for two texts; the stored EMR-C, which reads two, has the last."""
    shares = stored.group_shares("caused").query("sentence == 'original'")
    special = shares[shares["group"] == "[CLS], [SEP]"]
    least = special.loc[special.groupby("model")["share"].idxmin()].set_index("model")["layer"]
    assert least.to_dict() == {"EM-C": 6, "EM-C-M": 6, "EMR-C": 6}
