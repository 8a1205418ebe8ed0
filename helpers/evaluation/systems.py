"""The outcomes of published prediction files as runs: counted once, kept, scored ever after.

Prediction files of real systems go in (52 on TACRED, 10 on SemEval-2010 Task 8), runs come out; they are
stored in results/runs, where the notebooks find them also on a machine without the files. It trains nothing
and loads no torch.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import data
from ..core import SEMEVAL_RELATIONS, MissingData
from ..data import join_semeval_answers, locate, registered_files, semeval_key
from ..metrics import Outcome
from .answers import Answers

if TYPE_CHECKING:
    from ..runs import Run

TACRED_GOLD = {"tacred": "gold", "tacred-revised": "gold_tacrev"}
"""Data set → its gold column: the original labels, and those revised by Alt et al. 2020 (TACREV)."""
SEMEVAL: dict[str, Any] = {"dataset": "semeval2010", "negative": "Other", "labels": SEMEVAL_RELATIONS}
CHATGPT_FILE = "semeval2010/predictions_llm/ChatGPT_Li2023.json"
_PUBLISHED = tomllib.loads(Path(__file__).with_name("systems.toml").read_text("utf-8"))
_TACRED = _PUBLISHED["tacred"]
_SEMEVAL, _FURTHER = (
    {name: "semeval2010/predictions/{}_{}_predicted_result.txt".format(*file) for name, file in files.items()}
    for files in (_PUBLISHED["semeval"], _PUBLISHED["further"])
)
SEMEVAL_SYSTEMS = _SEMEVAL | _FURTHER
"""Name → answer file of all ten published systems; names as in `Run.name`."""


def tacred_runs() -> Iterator[Run]:
    """One run for each of 52 systems and each of the two gold columns, and one for each of two pairs.

    A pair's outcome, gold × predicted by the first × predicted by the second, is what a paired test needs.
    Read from a copy of the tacrev repository, the outcomes are the same, and `files` of the runs is empty.

    Raises
    ------
    MissingData, ChecksumError : the prediction files are not here, or are not the registered ones.
    """
    frame = data.tacred_predictions("test")
    models = [(str(column),) for column in frame if column not in ("id", *TACRED_GOLD.values())]
    try:
        locate(_TACRED["file"])
        files = _sums(_TACRED["file"])
    except MissingData:  # a copy of the repository was read
        files = {}
    fixed: dict[str, Any] = {"negative": "no_relation", "files": files, "source": _TACRED["source"]}
    licence = registered_files()[_TACRED["file"]].licence
    fixed |= {"licence": licence, "labels": tuple(frame["gold"].cat.categories)}
    for dataset, gold in TACRED_GOLD.items():
        for systems in (*models, *map(tuple, _TACRED["pairs"])):
            yield _run(frame[gold], frame, systems, dataset=dataset, **fixed)


def semeval_runs() -> Iterator[Run]:
    """One run for each of three systems on SemEval-2010 Task 8, and one for each pair.

    Raises as `tacred_runs`.
    """
    key = semeval_key()
    frames = {name: join_semeval_answers(locate(path), key) for name, path in _SEMEVAL.items()}
    columns = {name: frame["predicted"] for name, frame in frames.items()}
    pairs = (("CR-CNN", "Att-BLSTM"), ("CR-CNN", "CNN"), ("Att-BLSTM", "CNN"))
    for systems in (*((name,) for name in columns), *pairs):
        origin = _semeval_origin(*(_SEMEVAL[name] for name in systems))
        yield _run(frames["CNN"]["gold"], columns, systems, **origin, **SEMEVAL)


def system_title(model: str) -> str:
    """The name of a published TACRED system in tables and figures; any other name stays as it is.

    >>> system_title("knowbert_wordnet_wiki_tacred"), system_title("self_att_bert_cased_unmasked")
    ('KnowBERT', 'Self-attention + BERT cased, unmasked')
    >>> system_title("cnn_wo_discr_masked"), system_title("EM-C")
    ('CNN w/o discr., masked', 'EM-C')
    """
    if model in _TACRED["titles"]:
        return _TACRED["titles"][model]
    kind = next((kind for kind in _TACRED["kinds"] if f"{model}_".startswith(f"{kind}_")), None)
    if kind is None:
        return model
    rest = model.removeprefix(kind)
    for words, title in _TACRED["added"].items():
        rest = rest.replace(words, title)
    return _TACRED["kinds"][kind] + rest


def semeval_variants() -> Iterator[Run]:
    """One run for each of seven further implementations of papers' models, as variants 'by AUTHOR', and one
    for ChatGPT without examples on the undirected labels (Li et al. 2023).

    Blanks around an answer of ChatGPT are left out; one that is none of the labels would be no prediction.

    Raises as `tacred_runs`.
    """
    key = semeval_key()
    for name, path in _FURTHER.items():
        model, variant = name.split(" ", 1)
        frame = join_semeval_answers(locate(path), key)
        columns, origin = {model: frame["predicted"]}, _semeval_origin(path)
        yield _run(frame["gold"], columns, (model,), variant=variant, **origin, **SEMEVAL)
    read = data.read_predictions(locate(CHATGPT_FILE), "groundTruth", "closePred")
    answers = Answers.of(read, label_set="gold", normalise=True, off_list="skip").columns
    fixed: dict[str, Any] = {"dataset": "semeval2010-undirected", "negative": "Other", "labels": None}
    origin = _semeval_origin(CHATGPT_FILE) | {"files": _sums(CHATGPT_FILE)}
    columns = {"ChatGPT": answers["predicted"]}
    yield _run(answers["gold"], columns, ("ChatGPT",), variant="zero-shot", **origin, **fixed)


def _run(gold: Any, columns: Any, systems: tuple[str, ...], labels: Any, **named: Any) -> Run:
    """The run of one system, or of two side by side."""
    from ..runs import Run

    roles = dict(zip(("predicted", "second"), (columns[name] for name in systems), strict=False))
    outcome = Outcome.from_columns(gold, **roles, labels=labels)
    return Run.from_outcome(outcome, model="+".join(systems), second="".join(systems[1:]), **named)


def _sums(*paths: str) -> dict[str, str]:
    return {path: registered_files()[path].sha256 for path in paths}


def _semeval_origin(*paths: str) -> dict[str, Any]:
    """Files, addresses and licence of these predictions."""
    files = [registered_files()[path] for path in paths]
    sources = (file.url.removeprefix("https://raw.githubusercontent.com/") for file in files)
    licences = dict.fromkeys(file.licence for file in files)
    sums = _sums("semeval2010/TEST_FILE_FULL.TXT", *paths)
    return {"files": sums, "source": "; ".join(sources), "licence": "; ".join(licences)}
