"""The findings of R and W on trained models, under one rule.

A finding is an order of two models under one score, as the paper's own table has it: `FINDINGS` lists them.
Ours is the difference of the means over the seeds that both models have, with Welch's test. A *family* is the
claims of one table on one encoder, with one form of its systems; p is Holm's within it. `verdict` is the
rule. B, PIR and PPR are compared only between models that are no further apart in A than the paper's two.
Levels are not compared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from .. import reporting
from ..experiments import BASE_ENCODER
from ..metrics import holm
from ..models import EMBEDDED
from ..runs import STUDIES_FOLDER, Run, list_runs
from .direction import NAMES, A
from .graphs import pair_runs, restricted_title

FINDINGS = reporting.PUBLISHED_FOLDER / "findings.csv"
"""One row a pair of models: the scores that the paper compares them under, and where it prints them; D's, of
which ours are other systems, say whether the second is ahead."""
LEVEL, LEAST_RUNS = 0.05, 5
REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced (order)", "contradicted", "undecided"
SHOWN = NAMES | {"fall": "micro − macro"}
"""Names of scores as the papers write them; the schemes keep theirs."""

_SEMEVAL = "semeval2010"
_OFFICIAL_TEXT = f"{_SEMEVAL}-official-text"
"""Data of W's own form of EM-ES, BERT_EM: a layer normalisation, on the official text."""
_NEED_EQUAL_A = ("performance_paired", "pir", "ppr")
_PAIR = ["dataset", "first", "second"]
_TESTED = ["ours_first", "ours_second", "p", "d"]


def _findings() -> pd.DataFrame:
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

    >>> table = _findings()
    >>> len(table), table["family"][0], table["printed_first"][0], table["label"].iloc[-1]
    (46, 'R, Table III', '81.27', 'micro − macro, EM-ES → PTR')
    """
    table = read_findings("[RW]")
    published = reporting.load_published()
    published = published[published["statistic"].isin(["value", "mean"])]
    cells = published["paper"] + ", " + published["item"] + ", " + published["model"]
    score = published["metric"].mask(published["metric"] == "f1", published["scheme"])
    printed = dict(zip(zip(cells, score, strict=True), published["printed"], strict=True))
    for where in [where for where, score in printed if score == "micro"]:
        printed[where, "fall"] = f"{float(printed[where, 'micro']) - float(printed[where, 'macro']):.1f}"
    for side in ("printed_first", "printed_second"):
        table[side] = [printed[key] for key in zip(table[side], table["score"], strict=True)]
    table["item"] = table["item"].mask(table["score"] == "fall", "W, Section 3.1")
    table["rises"] = table["printed_second"].astype(float) > table["printed_first"].astype(float)
    columns = ["item", "family", "label", *_PAIR, "score", "printed_first", "printed_second", "rises"]
    return table[columns]


def read_findings(papers: str) -> pd.DataFrame:
    """`FINDINGS` of these papers (a pattern), a row a score; `item` is the family without the form, `label`
    names score and models.

    >>> read_findings("D")["label"][0]
    'auc, PCNN+sent+AVG → PCNN+bag+AVG'
    """
    table = pd.read_csv(FINDINGS, dtype=str, keep_default_na=False)
    table = table[table["family"].str.match(papers)]
    table = table.assign(score=table.pop("scores").str.split()).explode("score", ignore_index=True)
    table["item"] = table["family"].str.split(", ").str[:2].str.join(", ")
    table["label"] = table["score"].replace(SHOWN) + ", " + table["first"] + " → " + table["second"]
    return table


def _scores(run: Run) -> dict[str, float]:
    schemes = reporting.scheme_scores(run)
    direction = reporting.paired_scores(run) if run.kind == "paired" else {}
    return direction | schemes | {"fall": schemes["micro"] - schemes["macro"]}


def _title(run: Run) -> str:
    """The model without its encoder, which all runs share."""
    return "BERT_EM" if run.dataset == _OFFICIAL_TEXT else restricted_title(replace(run, encoder=None))


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


def _finding_runs(profile: str = "standard") -> list[Run]:
    """The stored runs that the findings are about: on the embedded encoder, or of profile 'base'."""
    encoder, study = (BASE_ENCODER, "base-changed") if profile == "base" else (EMBEDDED, "bert-em")
    runs = list_runs(_SEMEVAL, encoder=encoder, profile=profile, split="test", variant="")
    runs += list_runs(_OFFICIAL_TEXT, folder=STUDIES_FOLDER / study, encoder=encoder)
    return runs + [run for run in pair_runs() if run.encoder == encoder]


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
    scores = reporting.per_seed(runs, _scores, _title).replace({"dataset": {_OFFICIAL_TEXT: _SEMEVAL}})
    table, tests = _findings(), [pd.DataFrame(columns=[*_PAIR, "score", *_TESTED, "runs"])]
    for (dataset, *pair), part in table.groupby(_PAIR, sort=False):
        own = scores[(scores["dataset"] == dataset) & scores["score"].isin(part["score"])]
        own = own[own["model"].isin(pair)]
        if own["model"].nunique() == 2:
            tested = reporting.compare_models(own, *pair).rename_axis("score").reset_index()
            tested["ours_first"], tested["ours_second"] = 100 * tested["first"], 100 * tested["second"]
            tested[_PAIR] = dataset, *pair
            tests.append(tested[tests[0].columns])
    table = table.merge(pd.concat(tests), "left", [*_PAIR, "score"])
    table = table.astype(dict.fromkeys(_TESTED, float)).fillna({"runs": 0}).astype({"runs": int})
    table["p_holm"] = holm_within(table, table["family"])
    table["why"] = _further_apart_in_a(table)
    table["verdict"] = _verdicts(table, table["p_holm"])
    return table


def holm_within(table: pd.DataFrame, groups: pd.Series) -> pd.Series:
    """Holm's p of the tests `p` of each group."""
    return table.groupby(groups, sort=False)["p"].transform(lambda p: np.array(holm(p), dtype=float))


def _verdicts(table: pd.DataFrame, p: pd.Series) -> list[str]:
    difference = table["ours_second"] - table["ours_first"]
    decided = map(verdict, table["rises"], difference, p, table["runs"])
    return [UNDECIDED if why else word for word, why in zip(decided, table["why"], strict=True)]


def _further_apart_in_a(table: pd.DataFrame) -> pd.Series:
    """Of B, PIR and PPR: how far our two models are apart in A, where the paper's two are closer."""
    apart = table[table["score"] == A].set_index(_PAIR)
    ours = (apart["ours_second"] - apart["ours_first"]).abs()
    theirs = (apart["printed_second"].astype(float) - apart["printed_first"].astype(float)).abs()
    text = ours.map("{:.1f}".format) + " points apart in A, in the paper " + theirs.map("{:.1f}".format)
    said = table[_PAIR].merge(text[ours > theirs].rename("why"), "left", left_on=_PAIR, right_index=True)
    return said["why"].where(table["score"].isin(_NEED_EQUAL_A)).fillna("")


@cache
def stored_findings(profile: str = "standard") -> pd.DataFrame:
    """`findings_table` of the stored runs of a profile. Of profile 'base' W's Table 4 is left undecided: the
    settings are R's and PTR's."""
    table = findings_table(_finding_runs(profile))
    if profile == "base":
        is_w = table["family"].str.startswith("W, Table 4") & (table["runs"] > 0)
        table.loc[is_w, ["verdict", "why"]] = UNDECIDED, "two papers' settings"
    return table


def _numbers(table: pd.DataFrame) -> pd.Series:
    """Our means of both models, as text."""
    return table["ours_first"].map("{:.2f}".format) + " → " + table["ours_second"].map("{:.2f}".format)


def _head(table: pd.DataFrame) -> dict[str, pd.Series]:
    printed = table["printed_first"] + " → " + table["printed_second"]
    return {"paper": table["item"], "what": table["label"], "published": printed}


def findings_markdown() -> str:
    """The findings on the embedded encoder, one a row."""
    table = stored_findings()
    why = (": " + table["why"]).where(table["why"] != "", "")
    p = {"p": table["p"].map(reporting.p_value), "p, Holm": table["p_holm"].map(reporting.p_value)}
    columns = {"ours": _numbers(table)} | p | {"runs": table["runs"], "verdict": table["verdict"] + why}
    return reporting.to_markdown(pd.DataFrame(_head(table) | columns))


def base_markdown() -> str:
    """The findings that have runs at base size: published, on the small encoder, at base size."""
    columns = {"small encoder": stored_findings(), "base size": stored_findings("base")}
    base = columns["base size"]
    texts = {}
    for name, table in columns.items():
        why = (" (" + table["why"] + ")").where(table["why"] != "", "")
        texts[name] = _numbers(table) + ": " + table["verdict"] + why
    texts |= {"p, Holm, base size": base["p_holm"].map(reporting.p_value), "runs": base["runs"]}
    return reporting.to_markdown(pd.DataFrame(_head(base) | texts)[base["runs"] > 0])


def folded_markdown() -> str:
    """The findings of each family in one line: how many have which verdict, and Holm's p of those decided.

    >>> print(folded_markdown().splitlines()[2])
    | R, Table III | 9 | 6 | 3 | 0 | .032 |
    """
    table = stored_findings()
    groups = table.groupby("family", sort=False)
    counts = pd.crosstab(table["family"], table["verdict"]).reindex(groups.groups, fill_value=0)
    decided = table["p_holm"].where(table["verdict"] != UNDECIDED).groupby(table["family"]).max()
    shown = {"findings": groups.size()} | {
        word: counts[word] for word in (REPRODUCED, UNDECIDED, CONTRADICTED)
    }
    shown["largest p (Holm) of a verdict"] = decided.map(reporting.p_value)
    return reporting.to_markdown(pd.DataFrame(shown).rename_axis("table, form").reset_index())


def families_markdown() -> str:
    """What the choice of the family does: the findings whose verdict is not the same under all four; p of the
    test alone, Holm's within the family, within all forms of the table, within the whole paper. Bold where
    there is a verdict."""
    table = stored_findings()
    table_of = table["family"].str.split(", ").str[:2].str.join(", ")
    choices = {"alone": table["p"], "family": table["p_holm"]}
    choices["all forms of the table"] = holm_within(table, table_of)
    choices["whole paper"] = holm_within(table, table["family"].str[0])
    verdicts = pd.DataFrame({name: _verdicts(table, p) for name, p in choices.items()})
    shown = pd.DataFrame({"finding": table_of + ": " + table["label"]})
    for name, p in choices.items():
        shown[name] = p.map(reporting.p_value).mask(p < LEVEL, "**" + p.map(reporting.p_value) + "**")
    return reporting.to_markdown(shown[verdicts.nunique(axis=1) > 1])
