"""The findings of R and W on trained models, under one rule.

A finding is an order of two models under one score, as the paper's own table has it. Ours is the difference
of the means over the seeds that both models have, with Welch's test. A *family* is the claims of one table on
one encoder, with one form of its systems; p is Holm's within it. `verdict` is the rule. B, PIR and PPR
are compared only between models that are no further apart in A than the paper's two. Levels are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from ..experiments import BASE_ENCODER
from ..metrics import SCHEMES, holm
from ..models import EMBEDDED
from ..reporting import (
    compare_models,
    find_cell,
    load_published,
    p_value,
    paired_scores,
    per_seed,
    scheme_scores,
    to_markdown,
)
from ..runs import STUDIES_FOLDER, Run, list_runs
from .direction import NAMES
from .graphs import AS_PUBLISHED, DRAWN, pair_runs, restricted_title

LEVEL, LEAST_RUNS = 0.05, 5
REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced (order)", "contradicted", "undecided"
SHOWN = NAMES | {"fall": "micro − macro"}
"""Names of scores as the papers write them; the schemes keep theirs."""

_SEMEVAL = "semeval2010"
BERT_EM, _OFFICIAL_TEXT = "BERT_EM", f"{_SEMEVAL}-official-text"
"""W's own form of EM-ES: a layer normalisation, on the official text."""
_OF_W = (
    ("Table 3", "with the leak", f"RECENT(EM-ES){AS_PUBLISHED}", "PTR", DRAWN),
    ("Table 3", "without the leak", "RECENT(EM-ES)", "PTR", DRAWN),
    ("Table 4", "BERT_EM", BERT_EM, "PTR", _SEMEVAL),
    ("Table 4", "EM-ES", "EM-ES", "PTR", _SEMEVAL),
)
"""Table, form of the first system (W's own first), models, data."""
_PRINTED_NAMES = {"EM-ES": BERT_EM}
"""Our name of a model → W's, where it is another one."""
_A = "performance_original"
_DIRECTION = (_A, "pir", "ppr")
_PAIRS_OF_R = (
    ("Table III", "EM-C", "EM-ES", "base", _DIRECTION),
    ("Table III", "EM-C", "R-BERT", "base", _DIRECTION),
    ("Table III", "EM-ES", "R-BERT", "base", _DIRECTION),
    ("Table IV", "EM-C", "EMR-C", "base", (*_DIRECTION, "performance_paired")),
    ("Table V", "EM-C", "EM-C-M", "base", _DIRECTION),
    ("Table VI", "EM-ES", "EM-ES-M", "large", _DIRECTION),
    ("Table VI", "R-BERT", "R-BERT-M", "large", _DIRECTION),
)

_KEYS = ["dataset", "first", "second", "score"]
_TESTED = ["ours_first", "ours_second", "p", "d"]


def findings() -> pd.DataFrame:
    """The findings of R's Tables III to VI and of W's Tables 3 and 4: the second model against the first
    under one score, with the numbers that the papers print.

    W: PTR beats RECENT under every scheme, BERT_EM beats PTR under every scheme but macro, and PTR falls
    less than either from micro to macro. W ran RECENT's released code, whose evaluation leaks: RECENT (ours
    around EM-ES, on drawn pairs of Re-DocRED) is there with the leak and without it, BERT_EM as W has it
    and as the EM-ES of R's tables.

    Returns
    -------
    Columns item, family (the findings that Holm corrects together: 'R, Table III', 'W, Table 3, with the
    leak'), label ('A, EM-C → EM-ES'), dataset (on which ours are trained and tested), first, second, score,
    printed_first, printed_second (as printed), rises (whether the paper's number is larger for the second).

    >>> table = findings()
    >>> len(table), table["family"][0], table["printed_first"][0], table["label"].iloc[-1]
    (46, 'R, Table III', '81.27', 'micro − macro, EM-ES → PTR')
    """
    published = load_published()
    tables = published[published["item"].str.startswith("Table")]
    r, w = (tables[tables["paper"] == paper] for paper in "RW")
    rows = []
    for item, *models, size, scores in _PAIRS_OF_R:
        for score in scores:
            printed = (find_cell(r, model=f"{one} ({size})", metric=score).printed for one in models)
            rows.append((f"R, {item}", f"R, {item}", _SEMEVAL, *models, score, *printed))
    for item, form, *models, dataset in _OF_W:
        means = [{scheme: _of_w(w, item, model, scheme) for scheme in SCHEMES} for model in models]
        falls = [f"{float(mean['micro']) - float(mean['macro']):.1f}" for mean in means]
        for score in (*SCHEMES, "fall"):
            place, printed = f"W, {item}", (mean.get(score) for mean in means)
            if score == "fall":
                place, printed = "W, Section 3.1", falls
            rows.append((place, f"W, {item}, {form}", dataset, *models, score, *printed))
    table = pd.DataFrame(rows, columns=["item", "family", *_KEYS, "printed_first", "printed_second"])
    pair = ", " + table["first"] + " → " + table["second"]
    table.insert(2, "label", table["score"].replace(SHOWN) + pair)
    rises = table["printed_second"].astype(float) > table["printed_first"].astype(float)
    return table.assign(rises=rises)


def _of_w(tables: pd.DataFrame, item: str, model: str, scheme: str) -> str:
    printed = "RECENT" if model.startswith("RECENT") else _PRINTED_NAMES.get(model, model)
    where = {"item": item, "model": printed, "scheme": scheme, "metric": "f1", "statistic": "mean"}
    return str(find_cell(tables, **where).printed)


def _scores(run: Run) -> dict[str, float]:
    schemes = scheme_scores(run)
    direction = paired_scores(run) if run.kind == "paired" else {}
    return direction | schemes | {"fall": schemes["micro"] - schemes["macro"]}


def _title(run: Run) -> str:
    """The model without its encoder, which all runs share."""
    if run.dataset == _OFFICIAL_TEXT:
        return BERT_EM
    return restricted_title(replace(run, encoder=None))


def verdict(rises: bool, difference: float, p: float, runs: int) -> str:
    """The one rule for an order over runs, on another encoder or other data than the paper's.

    *Reproduced (order)* or *contradicted* if p, Holm's within the family, is below .05 and each model has at
    least five runs, else *undecided*: fewer runs give an effect and its interval only.

    >>> [verdict(True, *one) for one in ((2.0, 0.01, 5), (-2.0, 0.01, 5), (2.0, 0.01, 3))]
    ['reproduced (order)', 'contradicted', 'undecided']
    """
    if runs < LEAST_RUNS or not p < LEVEL:
        return UNDECIDED
    return REPRODUCED if (difference > 0) == rises else CONTRADICTED


def finding_runs(profile: str = "standard") -> list[Run]:
    """The stored runs that the findings are about: on the embedded encoder, or of profile 'base'."""
    encoder, study = (BASE_ENCODER, "base-changed") if profile == "base" else (EMBEDDED, "bert-em")
    found = list_runs(_SEMEVAL, encoder=encoder, profile=profile, split="test", variant="")
    found += list_runs(_OFFICIAL_TEXT, folder=STUDIES_FOLDER / study, encoder=encoder)
    return found + [run for run in pair_runs() if run.encoder == encoder]


def findings_table(runs: Iterable[Run]) -> pd.DataFrame:
    """Each finding with both papers' and our numbers, per cent, and the verdict.

    Parameters
    ----------
    runs : of one encoder; those of SemEval with outcomes on both test sets.

    Returns
    -------
    Columns item, family, label, dataset, first, second, score, printed_first, printed_second (as printed),
    rises (in the paper), ours_first, ours_second, p, p_holm (within the family), d, runs, verdict, why (what
    the runs do not let us decide); without runs of both models the finding is undecided and ours are nan.

    >>> table = findings_table([])
    >>> len(table), set(table["verdict"])
    (46, {'undecided'})
    """
    scores = per_seed(runs, _scores, _title).replace({"dataset": {_OFFICIAL_TEXT: _SEMEVAL}})
    table, tests = findings(), [pd.DataFrame(columns=[*_KEYS, *_TESTED, "runs"])]
    for (dataset, *pair), part in table.groupby(_KEYS[:3], sort=False):
        own = scores[(scores["dataset"] == dataset) & scores["score"].isin(part["score"])]
        own = own[own["model"].isin(pair)]
        if own["model"].nunique() == 2:
            tested = compare_models(own, *pair).rename_axis("score").reset_index()
            tested["ours_first"], tested["ours_second"] = 100 * tested["first"], 100 * tested["second"]
            tested["dataset"], tested["first"], tested["second"] = dataset, *pair
            tests.append(tested[[*_KEYS, *_TESTED, "runs"]])
    table = table.merge(pd.concat(tests), "left", _KEYS)
    table = table.astype(dict.fromkeys(_TESTED, float)).fillna({"runs": 0}).astype({"runs": int})
    table["p_holm"] = _holm(table, table["family"])
    table["why"] = _further_apart_in_a(table)
    table["verdict"] = _verdicts(table, table["p_holm"])
    return table


def _holm(table: pd.DataFrame, groups: pd.Series) -> pd.Series:
    return table.groupby(groups, sort=False)["p"].transform(lambda p: np.array(holm(p), dtype=float))


def _verdicts(table: pd.DataFrame, p: pd.Series) -> list[str]:
    difference = table["ours_second"] - table["ours_first"]
    decided = map(verdict, table["rises"], difference, p, table["runs"])
    return [UNDECIDED if why else one for one, why in zip(decided, table["why"], strict=True)]


def _further_apart_in_a(table: pd.DataFrame) -> list[str]:
    """Of B, PIR and PPR: how far our two models are apart in A, where the paper's two are closer."""
    pairs = ["first", "second", "dataset"]
    apart = table[table["score"] == _A].set_index(pairs)
    ours = (apart["ours_second"] - apart["ours_first"]).abs()
    printed = (apart["printed_second"].astype(float) - apart["printed_first"].astype(float)).abs()
    said = {
        pair: f"{ours[pair]:.1f} points apart in A, in the paper {printed[pair]:.1f}"
        for pair in apart.index
        if ours[pair] > printed[pair]
    }
    is_other = table["score"].isin([*_DIRECTION[1:], "performance_paired"])
    keys = table[pairs].itertuples(index=False, name=None)
    return [said.get(key, "") if one else "" for key, one in zip(keys, is_other, strict=True)]


def findings_markdown(runs: Sequence[Run] | None = None) -> str:
    """`findings_table` for a reader; by default of the stored runs on the embedded encoder."""
    table = findings_table(finding_runs() if runs is None else runs)
    shown = pd.DataFrame(
        {
            "paper": table["item"],
            "what": table["label"],
            "published": table["printed_first"] + " → " + table["printed_second"],
            "ours": [f"{one.ours_first:.2f} → {one.ours_second:.2f}" for one in table.itertuples()],
            "p": table["p"].map(p_value),
            "p, Holm": table["p_holm"].map(p_value),
            "runs": table["runs"],
            "verdict": [
                ": ".join(filter(None, one)) for one in zip(table["verdict"], table["why"], strict=True)
            ],
        }
    )
    return to_markdown(shown)


def base_findings() -> pd.DataFrame:
    """`findings_table` of profile base. W's Table 4 is left undecided: the settings are R's and PTR's."""
    table = findings_table(finding_runs("base"))
    is_w = table["family"].str.startswith("W, Table 4") & (table["runs"] > 0)
    table.loc[is_w, ["verdict", "why"]] = UNDECIDED, "two papers' settings"
    return table


def base_markdown() -> str:
    """The findings that have runs at base size: published, on the small encoder, at base size."""
    small, base = findings_table(finding_runs()), base_findings()

    def numbers(table: pd.DataFrame) -> list[str]:
        means = [f"{one.ours_first:.2f} → {one.ours_second:.2f}" for one in table.itertuples()]
        whys = zip(means, table["verdict"], table["why"], strict=True)
        return [f"{mean}: {word}" + (f" ({why})" if why else "") for mean, word, why in whys]

    shown = pd.DataFrame(
        {
            "paper": base["item"],
            "what": base["label"],
            "published": base["printed_first"] + " → " + base["printed_second"],
            "small encoder": numbers(small),
            "base size": numbers(base),
            "p, Holm, base size": base["p_holm"].map(p_value),
            "runs": base["runs"],
        }
    )
    return to_markdown(shown[base["runs"] > 0])


def folded_markdown() -> str:
    """The findings of each family in one line: how many have which verdict, and Holm's p of those decided.

    >>> print(folded_markdown().splitlines()[2])
    | R, Table III | 9 | 6 | 3 | 0 | .032 |
    """
    rows = []
    for family, part in findings_table(finding_runs()).groupby("family", sort=False):
        counts = part["verdict"].value_counts()
        decided = part.loc[part["verdict"] != UNDECIDED, "p_holm"].max()
        numbers = [counts.get(word, 0) for word in (REPRODUCED, UNDECIDED, CONTRADICTED)]
        rows.append((family, len(part), *numbers, p_value(decided)))
    columns = ["table, form", "findings", REPRODUCED, UNDECIDED, CONTRADICTED]
    return to_markdown(pd.DataFrame(rows, columns=[*columns, "largest p (Holm) of a verdict"]))


def _families_table(table: pd.DataFrame) -> pd.DataFrame:
    """What the choice of the family does: the findings whose verdict is not the same under all four.

    Returns columns finding, and p: of the test alone, Holm's within the family, within all forms of the
    table, within the whole paper.
    """
    table_of = table["family"].str.split(", ").str[:2].str.join(", ")
    choices = {
        "alone": table["p"],
        "family": table["p_holm"],
        "all forms of the table": _holm(table, table_of),
        "whole paper": _holm(table, table["family"].str[0]),
    }
    verdicts = pd.DataFrame({name: _verdicts(table, p) for name, p in choices.items()})
    moved = verdicts.nunique(axis=1) > 1
    labels = table_of + ": " + table["label"]
    return pd.DataFrame({"finding": labels} | choices)[moved].reset_index(drop=True)


def families_markdown() -> str:
    """`_families_table` of the stored runs; bold where there is a verdict."""
    found = _families_table(findings_table(finding_runs()))
    for name in found.columns[1:]:
        found[name] = [f"**{p_value(p)}**" if p < LEVEL else p_value(p) for p in found[name]]
    return to_markdown(found)
