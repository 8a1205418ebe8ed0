"""The pages beside the README: every scheme, signature field and model is in the glossary; paths exist."""

import re

import numpy as np
import pandas as pd
import pytest

from helpers import ROOT
from helpers.evaluation import score_frame
from helpers.metrics import SCHEMES, evaluate
from helpers.models import MODELS
from tests.outcomes import Outcome

GLOSSARY, TEACHING = ((ROOT / page).read_text("utf-8") for page in ("GLOSSARY.md", "TEACHING.md"))


def test_every_scheme_is_explained():
    assert [scheme for scheme in SCHEMES if f"| `{scheme}` |" not in GLOSSARY] == []


def test_every_field_of_a_signature_is_explained():
    table = Outcome.from_columns(["a", "b"], ["a", "a"])
    signatures = [row["signature"] for row in evaluate(table, negative="b", labels="listed").schemes.values()]
    labels = ["r(e1,e2)", "r(e2,e1)", "NA"]
    frame = pd.DataFrame({"gold": labels, "predicted": labels, "predicted_paired": labels})
    report = score_frame(frame, negative="NA", replicates=2)
    signatures += [report.schemes["macro"]["signature"], report.extra["direction"]["signature"]]
    fields = {field.partition(":")[0] for one in signatures for field in one.split("|")[1:]}
    assert {"scheme", "labels", "negative", "direction", "n", "v"} <= fields
    assert [field for field in fields if f"`{field}`" not in GLOSSARY] == []


def test_every_model_is_explained():
    assert [name for name in MODELS if f"`{name}`" not in GLOSSARY] == []


@pytest.mark.parametrize("number", sorted(set(re.findall(r"notebooks/(\d\d)_", TEACHING))))
def test_sections_that_teaching_names_exist(number):
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    text = path.read_text("utf-8")
    for line in TEACHING.splitlines():
        if f"notebooks/{number}_" in line:
            for section in re.findall(r"sections? ([\d, and to]+)", line):
                wanted = np.unique([int(one) for one in re.findall(r"\d+", section)])
                assert all(re.search(rf'"## {one}\. ', text) for one in wanted), (path.name, section)
