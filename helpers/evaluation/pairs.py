"""Files of several systems on the same samples: read alike, in the order of the first one, and paired.

What is drawn are samples, or, of triples and of facts of documents, items with all their triples.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import metrics
from ..core import Label, naming_file, shown
from ..data import holds_triples, read_annotated_documents, read_label_columns, read_triples
from ..metrics import BootstrapTest, Outcome, Policy, Weighting, averages
from .answers import Answers, choices_text, settle
from .document_facts import holds_documents, read_predicted
from .score import Task, as_run, counted, find_task, split_options
from .triples import COLUMNS, ROLES, Sets, check_score, match_rules, outcome_of_sets, triple_sets

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
LABELS_ONLY = ("form", "label_names", "label_set", "off_list", "mapping", "task", "negative")
DOCUMENTS_ONLY = ("counted_as", "match_entities")
OF_NO_USE = {
    "documents": (*LABELS_ONLY, "match", "normalise"),
    "triples": (*LABELS_ONLY, *DOCUMENTS_ONLY),
    "labels": ("match", *DOCUMENTS_ONLY),
}
"""What files hold → options that are not for them."""


@dataclass(frozen=True)
class Systems:
    """Systems on the same samples, in one order, and what is averaged.

    Attributes
    ----------
    paths : their files. frames : of each, gold and predicted, or gold and sets of triples. choices : of each,
        what answers count as, or how triples are matched, for signatures.
    task : of the labels, or None. labels : the label set; () where none is known. rules : arguments of
        `averages`.
    """

    paths: Sequence[Path | str]
    frames: Sequence[pd.DataFrame]
    choices: Sequence[Mapping[str, int | None]]
    task: Task | None
    labels: Sequence[Label]
    rules: Mapping[str, Any]

    @property
    def units(self) -> str:
        """What the bootstrap draws."""
        return "items" if "sets" in self.frames[0] else "samples"

    def pair(self, first: int, second: int) -> Outcome:
        """Gold × what either system predicts."""
        a, b = self.frames[first], self.frames[second]
        if "sets" in a:
            sets = [(*own, *other[1:]) for own, other in zip(a["sets"], b["sets"], strict=True)]
            return outcome_of_sets(sets, (*ROLES, "second", "right_second"))
        columns = {"gold": a["gold"], "predicted": a["predicted"], "second": b["predicted"]}
        return counted(
            columns, self.task, self.labels or self.rules.get("labels", ()), self.rules["negative"]
        )

    def test(self, pair: Outcome, replicates: int, seed: int) -> BootstrapTest:
        """The paired test over classes that both share: those of the gold labels and of all predictions."""
        second = pair.of("second")
        statistic = partial(averages, classes_of=pair.of("predicted") + second, **self.rules)
        return metrics.paired_bootstrap(pair, second, statistic, np.random.default_rng(seed), replicates)

    def scores_of(self, table: Outcome) -> Callable[[Outcome], np.ndarray]:
        """The scores of one system's table, and of its replicates, under each scheme, as `score_frame` has
        them."""
        rules = self.rules
        if self.task is None and not self.labels and rules.get("labels") == "listed":
            rules = {**rules, "labels": "observed"}  # the table lists the labels of other files, too
        return partial(averages, classes_of=table, **rules)

    def signature(self, table: Outcome, scheme: str | None = None) -> str:
        """The recipe of a score of a comparison, and which classes a difference averages over where the
        systems' own may differ; without a scheme what all share."""
        union = "|difference:union" if scheme != "micro" and self.is_union(table) else ""
        return self._policy(table).signature(table, self.rules["score"], scheme) + union

    def is_union(self, table: Outcome) -> bool:
        """Whether predictions have a part in which labels are averaged: a difference averages both systems
        over the labels of either."""
        policy = self._policy(table)
        return isinstance(policy.labels, str) and policy.zero_support == "zero"

    def said(self, *indices: int) -> str:
        """What these systems' answers count as, or how triples are matched: the end of a signature."""
        return choices_text(*(self.choices[index] for index in indices or range(len(self.paths))))

    def _policy(self, table: Outcome) -> Policy:
        others = ("schemes", "score")
        return Policy.of(table, **{name: rule for name, rule in self.rules.items() if name not in others})


def read_systems(
    paths: Sequence[Path | str],
    *,
    task: str | None = None,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    score: str = "f1",
    **options: Any,
) -> Systems:
    """The files of at least two systems; arguments and errors as of `compare_files`.

    >>> read_systems(["a.csv"])
    Traceback (most recent call last):
    ValueError: a comparison takes at least two files, not 1
    """
    known = find_task(task)
    metrics.scheme_names(schemes)  # refuses an unknown one before a file is read
    negative = known.negative if known else negative or None
    reading, settling, policy = split_options(options)
    of_sets = {name: policy.pop(name, None) for name in ("match", *DOCUMENTS_ONLY)}
    rules = {"schemes": schemes, "score": metrics.resolve_score(score)[0], "negative": negative, **policy}
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    for path in paths:
        if as_run(path):
            raise ValueError(
                f"{path} is a run file, which has no samples to pair: compare --runs NAME={path}"
            )
    columns = (reading.get(f"{role}_column") for role in ("gold", "predicted"))
    kind = "labels"
    if holds_documents(paths[0]):
        kind = "documents"
    elif holds_triples(paths[0], *columns):
        kind = "triples"
    given = options | {"task": task, "negative": negative}
    for name in OF_NO_USE[kind]:
        if given.get(name):
            raise ValueError(f"{paths[0]}: {name} is of no use with {kind}")
    if kind == "labels":
        answers = _read_labels(paths, known, reading, settling)
        frames, choices = [each.columns.frame() for each in answers], [each.choices() for each in answers]
        return Systems(paths, _in_order(paths, frames), choices, known, answers[0].labels, rules)
    check_score(rules["score"])
    if kind == "documents":
        frames, chosen = _read_documents(paths, reading.get("gold_file"), of_sets)
    else:
        frames, chosen = _read_triples(paths, reading, of_sets["match"], bool(settling.get("normalise")))
    choices = [{f"{name}:{value}": None for name, value in chosen.items()}] * len(paths)
    return Systems(paths, _in_order(paths, frames), choices, None, (), {"labels": "supported"} | rules)


def _read_labels(
    paths: Sequence[Path | str], task: Task | None, reading: Mapping[str, Any], settling: Mapping[str, Any]
) -> list[Answers]:
    """The answers of each file, spelt as the gold labels of the first."""
    systems: list[Answers] = []
    for path in paths:
        spellings = tuple(systems[0].columns["gold"].times()) if systems else ()
        answers = settle(read_label_columns(path, **reading), task, spellings=spellings, **settling)
        for remark in answers.remarks():
            logger.warning("%s: %s", path, remark)
        systems.append(answers)
    return systems


def _read_documents(
    paths: Sequence[Path | str], gold_file: Path | str | None, options: Mapping[str, str | None]
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """One row a document, titles that one file alone knows among them; and how rows are counted."""
    if gold_file is None:
        raise ValueError(f"{paths[0]}: these are documents; the gold ones: --gold FILE")
    counted_as, entities = options["counted_as"] or "unique", options["match_entities"] or "index"
    gold = read_annotated_documents(gold_file)
    systems = [read_predicted(path, gold, counted_as, entities).items for path in paths]
    titles = dict.fromkeys(chain(*systems))
    frames = [_frame([of.get(title, (set(), set(), set())) for title in titles], titles) for of in systems]
    return frames, {"as": counted_as} | ({"match-entities": "name"} if entities == "name" else {})


def _read_triples(
    paths: Sequence[Path | str], reading: Mapping[str, Any], match: str | None, normalise: bool
) -> tuple[list[pd.DataFrame], dict[str, str]]:
    """One row an item, and the rules of a match."""
    rules, names = match_rules(match or "exact", normalise), ("gold_file", *COLUMNS)
    systems = [read_triples(path, **{name: reading.get(name) for name in names}) for path in paths]
    frames = []
    for path, items in zip(paths, systems, strict=True):
        with naming_file(path):
            sets = triple_sets(items, rules["match"], normalise, [*chain(*systems)] if normalise else ())
        frames.append(_frame(sets, [item.id for item in items]))
    return frames, rules


def _frame(sets: Sequence[Sets], ids: Iterable[str | None]) -> pd.DataFrame:
    """One row an item: its gold triples as text, all its sets, and its id if there is one."""
    import pandas as pd

    frame = pd.DataFrame({"gold": [str(sorted(gold)) for gold, _, _ in sets], "id": [*ids]})
    frame["sets"] = pd.Series(list(sets), dtype=object)
    return frame.drop(columns="id") if frame["id"].isna().any() else frame


def _in_order(paths: Sequence[Path | str], frames: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    """All frames in the order of the samples of the first."""
    others = zip(paths[1:], frames[1:], strict=True)
    return [frames[0], *(matched(paths[0], frames[0], path, frame) for path, frame in others)]


def matched(first: Path | str, a: pd.DataFrame, second: Path | str, b: pd.DataFrame) -> pd.DataFrame:
    """The second frame in the order of the samples of the first.

    Raises ValueError for other samples, and for other gold labels.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"id": ["x", "y"], "gold": ["r", "s"]})
    >>> b = pd.DataFrame({"id": ["y", "x"], "gold": ["s", "r"]})
    >>> matched("a.csv", a, "b.csv", b)["gold"].tolist()
    ['r', 's']
    """
    if "id" in a and "id" in b:
        for own, other, has, lacks in ((b, a, second, first), (a, b, first, second)):
            absent = own["id"][~own["id"].isin(other["id"])]
            if len(absent):
                missing = f"{len(absent)} of the {len(own)} ids of {has} are missing"
                raise ValueError(f"{lacks}: {missing}, the first is {shown(absent.iloc[0])}")
        b = b.set_index("id", drop=False).loc[a["id"]]
    elif len(a) != len(b):
        reason = "to be matched, both need ids"
        raise ValueError(f"{first} has {len(a)} samples, {second} has {len(b)}: {reason}")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    differs = a["gold"].astype(str).to_numpy() != b["gold"].astype(str).to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {shown(a['id'].iloc[row])}" if "id" in a else f"sample {row + 1}"
        golds = f"{shown(a['gold'].iloc[row])} in {first}, {shown(b['gold'].iloc[row])} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return b
