"""What was reproduced: the papers' items one by one, and their findings on trained models under one rule.

A finding is an order of two models under one score, as the paper's own table has it. Ours is the difference
of the means over the seeds that both models have, with Welch's test: *reproduced* if p < .05 and the sign is
the paper's, *contradicted* if p < .05 and it is the other one, else *undecided*. There is no correction for
many tests: the table is to be read as a whole. Levels are not compared, as the encoders differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ..core import unknown_name
from ..models import EMBEDDED
from ..reporting import (
    PUBLISHED_FOLDER,
    compare_models,
    find_cell,
    load_published,
    paired_scores,
    per_seed,
    scheme_scores,
    to_markdown,
)
from ..runs import Run, list_runs
from .graphs import AS_PUBLISHED, DRAWN, pair_runs, restricted_title
from .weighting import PRINTED_SCHEMES

LEVEL = 0.05
REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced", "contradicted", "undecided"
SHOWN = {
    "performance_original": "A",
    "performance_paired": "B",
    "pir": "PIR",
    "ppr": "PPR",
    "fall": "micro − macro",
}
"""Names of scores as the papers write them; the schemes keep theirs."""

_SEMEVAL = "semeval2010"
_OF_W = (
    ("Table 3", "RECENT(EM-ES)", "PTR", DRAWN),
    ("Table 3", f"RECENT(EM-ES){AS_PUBLISHED}", "PTR", DRAWN),
    ("Table 4", "EM-ES", "PTR", _SEMEVAL),
)
_PRINTED_NAMES = {"EM-ES": "BERT_EM"}
"""Our name of a model → W's, where it is another one."""
_DIRECTION = ("performance_original", "pir", "ppr")
_PAIRS_OF_R = (
    ("Table III", "EM-C", "EM-ES", "base", _DIRECTION),
    ("Table III", "EM-C", "R-BERT", "base", _DIRECTION),
    ("Table III", "EM-ES", "R-BERT", "base", _DIRECTION),
    ("Table IV", "EM-C", "EMR-C", "base", (*_DIRECTION, "performance_paired")),
    ("Table V", "EM-C", "EM-C-M", "base", _DIRECTION),
    ("Table VI", "EM-ES", "EM-ES-M", "large", _DIRECTION),
    ("Table VI", "R-BERT", "R-BERT-M", "large", _DIRECTION),
)


@dataclass(frozen=True)
class Finding:
    """The second model against the first under one score.

    Attributes
    ----------
    printed : the paper's two numbers, per cent. dataset : on which ours are trained and tested.
    """

    item: str
    first: str
    second: str
    score: str
    printed: tuple[float, float]
    dataset: str = _SEMEVAL

    @property
    def rises(self) -> bool:
        """Whether the paper's number is larger for the second model."""
        return self.printed[1] > self.printed[0]


def findings() -> list[Finding]:
    """The findings of R's Tables III to VI and of W's Tables 3 and 4, with the numbers that the papers print.

    W: PTR beats RECENT under every scheme, BERT_EM (our EM-ES) beats PTR under every scheme but macro, and
    PTR falls less than either from micro to macro. W ran RECENT's released code, whose evaluation leaks, so
    RECENT (ours around EM-ES, on drawn pairs of Re-DocRED) is there twice, without the leak and with it.

    >>> found = findings()
    >>> len(found), found[0].item, found[0].printed, found[-1].score
    (40, 'R, Table III', (81.27, 86.46), 'fall')
    """
    published = load_published()
    tables = published[published["item"].str.startswith("Table")]
    r, w = (tables[tables["paper"] == paper] for paper in "RW")
    found = [
        Finding(f"R, {item}", *models, score, tuple(_of_r(r, f"{one} ({size})", score) for one in models))
        for item, *models, size, scores in _PAIRS_OF_R
        for score in scores
    ]
    for item, *models, dataset in _OF_W:
        means = [[_of_w(w, item, model, scheme) for scheme in PRINTED_SCHEMES] for model in models]
        for scheme, *printed in zip(PRINTED_SCHEMES, *means, strict=True):
            found.append(Finding(f"W, {item}", *models, scheme, tuple(printed), dataset))
        falls = tuple(round(of_model[0] - of_model[-1], 1) for of_model in means)
        found.append(Finding("W, Section 3.1", *models, "fall", falls, dataset))
    return found


def _of_r(tables: pd.DataFrame, model: str, score: str) -> float:
    return find_cell(tables, model=model, metric=score).value


def _of_w(tables: pd.DataFrame, item: str, model: str, scheme: str) -> float:
    printed = "RECENT" if model.startswith("RECENT") else _PRINTED_NAMES.get(model, model)
    where = {"item": item, "model": printed, "scheme": scheme, "metric": "f1", "statistic": "mean"}
    return find_cell(tables, **where).value


def _scores(run: Run) -> dict[str, float]:
    schemes = scheme_scores(run)
    direction = paired_scores(run) if run.kind == "paired" else {}
    return direction | schemes | {"fall": schemes["micro"] - schemes["macro"]}


def _title(run: Run) -> str:
    """The model without its encoder, which all runs share."""
    return restricted_title(replace(run, encoder=None))


def findings_table(runs: Iterable[Run]) -> pd.DataFrame:
    """Each finding with both papers' and our numbers, per cent, and the verdict.

    Parameters
    ----------
    runs : of one encoder; those of SemEval with outcomes on both test sets.

    Returns
    -------
    Columns item, dataset, first, second, score, printed_first, printed_second, ours_first, ours_second, p,
    runs, verdict; without runs of both models the finding is undecided and ours are nan.

    >>> table = findings_table([])
    >>> len(table), set(table["verdict"])
    (40, {'undecided'})
    """
    scores = per_seed(runs, _scores, _title)
    rows = []
    for one in findings():
        row = (one.item, one.dataset, one.first, one.second, one.score, *one.printed)
        own = scores[(scores["score"] == one.score) & (scores["dataset"] == one.dataset)]
        own = own[own["model"].isin([one.first, one.second])]
        tested = compare_models(own, one.first, one.second) if own["model"].nunique() == 2 else own.iloc[:0]
        if tested.empty:
            rows.append((*row, float("nan"), float("nan"), float("nan"), 0, UNDECIDED))
            continue
        (ours,) = tested.itertuples()
        verdict = REPRODUCED if (ours.difference > 0) == one.rises else CONTRADICTED
        verdict = verdict if ours.p < LEVEL else UNDECIDED
        rows.append((*row, 100 * ours.first, 100 * ours.second, ours.p, ours.runs, verdict))
    columns = ["item", "dataset", "first", "second", "score", "printed_first", "printed_second"]
    return pd.DataFrame(rows, columns=[*columns, "ours_first", "ours_second", "p", "runs", "verdict"])


def findings_markdown(runs: Sequence[Run] | None = None) -> str:
    """`findings_table` for a reader; by default of the stored runs on the embedded encoder."""
    if runs is None:
        runs = list_runs(_SEMEVAL, encoder=EMBEDDED, profile="standard", split="test", variant="")
        runs += [run for run in pair_runs() if run.encoder == EMBEDDED]
    table = findings_table(runs)
    shown = pd.DataFrame(
        {
            "paper": table["item"],
            "what": [
                f"{SHOWN.get(one.score, one.score)}, {one.first} → {one.second}" for one in table.itertuples()
            ],
            "published": [_printed(one) for one in table.itertuples()],
            "ours": [f"{one.ours_first:.2f} → {one.ours_second:.2f}" for one in table.itertuples()],
            "p": [f"{p:.3f}".lstrip("0") if p >= 0.001 else "< .001" for p in table["p"]],
            "runs": table["runs"],
            "verdict": table["verdict"],
        }
    )
    return to_markdown(shown)


def _printed(row: object) -> str:
    decimals = 2 if row.item.startswith("R") else 1
    return " → ".join(f"{value:.{decimals}f}" for value in (row.printed_first, row.printed_second))


ITEMS = PUBLISHED_FOLDER / "items.csv"
STATUSES = (REPRODUCED, "in part", UNDECIDED, CONTRADICTED, "not possible here", "not built yet")
PAPERS = {
    "W": "**W** Harbecke et al. 2022, *Why only Micro-F1?*",
    "R": "**R** Lyu et al. 2021, *Do Models Learn the Directionality of Relations?*",
    "L": "**L** LibMultiLabel project 2024",
    "D": "**D** Gao et al. 2021, *Manual Evaluation Matters*",
}
KINDS = ("table", "figure", "equation", "claim")


def read_items(path: Path | str = ITEMS) -> pd.DataFrame:
    """Every table, figure, numbered equation and claim of the papers, one row each.

    Returns
    -------
    Columns paper, kind, item, what, status (of `STATUSES`), evidence (a file of this repository), key (text
    in that file), note; all text. What is not built yet has no evidence.

    Raises ValueError that names the file and the line for an unknown kind or status.

    >>> read_items().groupby("paper")["item"].count().to_dict()
    {'D': 26, 'L': 18, 'R': 33, 'W': 30}
    """
    items = pd.read_csv(path, dtype=str, keep_default_na=False)
    for column, known in (("kind", KINDS), ("status", STATUSES)):
        for line, value in enumerate(items[column], start=2):
            if value not in known:
                raise ValueError(f"{path}, line {line}: {unknown_name(column, value, known)}")
    return items


def items_markdown(path: Path | str = ITEMS) -> str:
    """How many items of each paper have which status, and all items."""
    items = read_items(path)
    count = _counts(items).reset_index()
    shown = items[["paper", "item", "what", "status"]].assign(
        evidence=[f"[{Path(one).name}]({_link(one)})" if one else "" for one in items["evidence"]],
        note=items["note"],
    )
    return f"{to_markdown(count)}\n\n{to_markdown(shown)}"


def status_markdown(path: Path | str = ITEMS) -> str:
    """How many items of each paper have which status, the papers by title."""
    count = _counts(read_items(path)).rename(index=PAPERS).rename_axis("paper").reset_index()
    return to_markdown(count)


def _counts(items: pd.DataFrame) -> pd.DataFrame:
    count = pd.crosstab(items["paper"], items["status"]).reindex(index=[*PAPERS], columns=STATUSES)
    return count.fillna(0).astype(int).rename_axis(None, axis=1)


def _link(evidence: str) -> str:
    """The file as seen from results/README.md."""
    return evidence.removeprefix("results/") if evidence.startswith("results/") else f"../{evidence}"
