"""What was reproduced, under one rule for all papers: findings on trained models, and every printed item.

A finding is an order of two models under one score, as the paper's own table has it: `FINDINGS` lists them.
Of R and W ours is the difference of the means over the seeds that both models have, with Welch's test. A
*family* is the claims of one table on one encoder, with one form of its systems; p is Holm's within it.
`_verdict` is the rule. B, PIR and PPR are compared only between models that are no further apart in A than
the paper's two. Levels are not compared.

`ITEMS` says of each table, figure, equation and claim what the evidence is, which rule makes a status of it,
and, for claims over runs, the family of tests, which was fixed before their runs were read. A test holds each
status to its rule, and those over runs to the verdicts.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd
import scipy  # scipy.stats is loaded when it is first asked for

from .. import reporting
from ..experiments import BASE_ENCODER
from ..metrics import holm
from ..models import EMBEDDED
from ..runs import STUDIES_FOLDER, Run, list_runs
from .direction import NAMES, A
from .graphs import PairSystems

FINDINGS, ITEMS = (reporting.PUBLISHED_FOLDER / name for name in ("findings.csv", "items.csv"))
"""FINDINGS: one row a pair of models: the scores that the paper compares them under, and where it prints
them; D's, of which ours are other systems, say whether the second is ahead."""
LEVEL, LEAST_RUNS = 0.05, 5
REPRODUCED, CONTRADICTED, UNDECIDED = "reproduced (order)", "contradicted", "undecided"
STATUSES = "reproduced", REPRODUCED, "in part", UNDECIDED, CONTRADICTED, "not possible here", "not built yet"
PAPERS = {
    "W": "**W** Harbecke et al. 2022, *Why only Micro-F1?*",
    "R": "**R** Lyu et al. 2021, *Do Models Learn the Directionality of Relations?*",
    "L": "**L** LibMultiLabel project 2024",
    "D": "**D** Gao et al. 2021, *Manual Evaluation Matters*",
}

_SEMEVAL = "semeval2010"
_OFFICIAL_TEXT = f"{_SEMEVAL}-official-text"
"""Data of W's own form of EM-ES, BERT_EM: a layer normalisation, on the official text."""
_NEED_EQUAL_A = ("performance_paired", "pir", "ppr")
_PAIR = ["dataset", "first", "second"]
_TESTED = ["ours_first", "ours_second", "p", "d"]


def _read_findings(papers: str) -> pd.DataFrame:
    """`FINDINGS` of these papers (a pattern), a row a score; `item` is the family without the form, `label`
    names score and models.

    >>> _read_findings("D")["label"][0]
    'auc, PCNN+sent+AVG → PCNN+bag+AVG'
    """
    table = pd.read_csv(FINDINGS, dtype=str, keep_default_na=False)
    table = table[table["family"].str.match(papers)]
    table = table.assign(score=table.pop("scores").str.split()).explode("score", ignore_index=True)
    table["item"] = table["family"].str.split(", ").str[:2].str.join(", ")
    score = table["score"].replace(NAMES | {"fall": "micro − macro"})
    return table.assign(label=score + ", " + table["first"] + " → " + table["second"])


def _with_printed(table: pd.DataFrame) -> pd.DataFrame:
    """Findings with the numbers that the papers print for both models, and whether the second's is larger."""
    published = reporting.load_published().query("statistic in ['value', 'mean']")
    cells = published["paper"] + ", " + published["item"] + ", " + published["model"]
    score = published["metric"].mask(published["metric"] == "f1", published["scheme"])
    printed = dict(zip(zip(cells, score, strict=True), published["printed"], strict=True))
    for where in [where for where, score in printed if score == "micro"]:
        printed[where, "fall"] = f"{float(printed[where, 'micro']) - float(printed[where, 'macro']):.1f}"
    for side in ("printed_first", "printed_second"):
        table[side] = [printed[key] for key in zip(table[side], table["score"], strict=True)]
    table["item"] = table["item"].mask(table["score"] == "fall", "W, Section 3.1")
    return table.assign(rises=table["printed_second"].astype(float) > table["printed_first"].astype(float))


def _scores(run: Run) -> dict[str, float]:
    schemes = reporting.scheme_scores(run)
    direction = reporting.paired_scores(run) if run.kind == "paired" else {}
    return direction | schemes | {"fall": schemes["micro"] - schemes["macro"]}


def _title(run: Run) -> str:
    """The model without its encoder, which all runs share."""
    title = PairSystems.title(run).replace(f" {run.encoder}", "")
    return "BERT_EM" if run.dataset == _OFFICIAL_TEXT else title


def _verdict(rises: bool, difference: float, p: float, runs: int) -> str:
    """The one rule for an order over runs, on another encoder or other data than the paper's.

    *Reproduced (order)* or *contradicted* if p, Holm's within the family, is below .05 and each model has at
    least five runs, else *undecided*: fewer runs give an effect and its interval only.

    >>> [_verdict(True, *one) for one in ((2.0, 0.01, 5), (-2.0, 0.01, 5), (2.0, 0.01, 3))]
    ['reproduced (order)', 'contradicted', 'undecided']
    """
    if runs < LEAST_RUNS or not p < LEVEL:
        return UNDECIDED
    return REPRODUCED if (difference > 0) == rises else CONTRADICTED


def _holm_within(table: pd.DataFrame, groups: pd.Series | str = "family") -> pd.Series:
    """Holm's p of the tests `p` of each group."""
    return table.groupby(groups, sort=False)["p"].transform(lambda p: np.array(holm(p), dtype=float))


def findings_table(runs: Iterable[Run]) -> pd.DataFrame:
    """Each finding of R's Tables III to VI and of W's Tables 3 and 4 with both papers' and our numbers, per
    cent, and the verdict: the second model against the first under one score.

    W: PTR beats RECENT under every scheme, BERT_EM beats PTR under every scheme but macro, and PTR falls
    less than either from micro to macro. W ran RECENT's released code, whose evaluation leaks: RECENT (ours
    around EM-ES, on drawn pairs of Re-DocRED) is there with the leak and without it, BERT_EM as W has it
    and as the EM-ES of R's tables.

    Parameters
    ----------
    runs : of one encoder; those of SemEval with outcomes on both test sets.

    Returns
    -------
    Columns item, family (the findings that Holm corrects together: 'R, Table III', 'W, Table 3, with the
    leak'), label ('A, EM-C → EM-ES'), dataset (on which ours are trained and tested), first, second, score,
    printed_first, printed_second (as printed), rises (in the paper), ours_first, ours_second, p, p_holm
    (within the family), d, runs, verdict, why (what the runs do not let us decide); without runs of both
    models the finding is undecided and ours are nan.

    >>> table = findings_table([])
    >>> len(table), set(table["verdict"]), table["printed_first"][0], table["label"].iloc[-1]
    (46, {'undecided'}, '81.27', 'micro − macro, EM-ES → PTR')
    """
    table, keys = _with_printed(_read_findings("[RW]")).drop(columns="finding"), [*_PAIR, "score"]
    compared = [run for run in runs if _title(run) in {*table["first"], *table["second"]}]
    scores = reporting.per_seed(compared, _scores, _title).replace({"dataset": {_OFFICIAL_TEXT: _SEMEVAL}})
    tests = []
    for (dataset, *pair), part in table.groupby(_PAIR, sort=False):
        own = scores[(scores["dataset"] == dataset) & scores["score"].isin(part["score"])]
        tested = reporting.compare_models(own, *pair).rename_axis("score").reset_index()
        tested["ours_first"], tested["ours_second"] = 100 * tested["first"], 100 * tested["second"]
        tests.append(tested.assign(**dict(zip(_PAIR, (dataset, *pair), strict=True))))
    table = table.merge(pd.concat(tests)[[*keys, *_TESTED, "runs"]], "left", keys)
    table = table.fillna({"runs": 0}).astype({"runs": int})
    table["p_holm"], table["why"] = _holm_within(table), _further_apart_in_a(table)
    return table.assign(verdict=_verdicts(table, table["p_holm"]))


def _verdicts(table: pd.DataFrame, p: pd.Series) -> list[str]:
    difference = table["ours_second"] - table["ours_first"]
    decided = map(_verdict, table["rises"], difference, p, table["runs"])
    return [UNDECIDED if why else word for word, why in zip(decided, table["why"], strict=True)]


def _further_apart_in_a(table: pd.DataFrame) -> pd.Series:
    """Of B, PIR and PPR: how far our two models are apart in A, where the paper's two are closer."""
    apart = table[table["score"] == A].set_index(_PAIR)
    ours = (apart["ours_second"] - apart["ours_first"]).abs()
    theirs = (apart["printed_second"].astype(float) - apart["printed_first"].astype(float)).abs()
    text = ours.map("{:.1f}".format) + " points apart in A, in the paper " + theirs.map("{:.1f}".format)
    said = table[_PAIR].merge(text[ours > theirs].rename("why"), "left", left_on=_PAIR, right_index=True)
    return said["why"].where(table["score"].isin(_NEED_EQUAL_A)).fillna("")


def _finding_runs(profile: str = "standard") -> list[Run]:
    """The stored runs that the findings are about: on the embedded encoder, or of profile 'base'."""
    encoder, study = (BASE_ENCODER, "base-changed") if profile == "base" else (EMBEDDED, "bert-em")
    runs = list_runs(_SEMEVAL, encoder=encoder, profile=profile, split="test", variant="")
    runs += list_runs(_OFFICIAL_TEXT, folder=STUDIES_FOLDER / study, encoder=encoder)
    return runs + [run for run in PairSystems.stored().runs if run.encoder == encoder]


@cache
def stored_findings(profile: str = "standard") -> pd.DataFrame:
    """`findings_table` of the stored runs of a profile. Of profile 'base' W's Table 4 is left undecided: the
    settings are R's and PTR's."""
    table = findings_table(_finding_runs(profile))
    if profile == "base":
        is_w = table["family"].str.startswith("W, Table 4") & (table["runs"] > 0)
        table.loc[is_w, ["verdict", "why"]] = UNDECIDED, "two papers' settings"
    return table


def choices_of_family() -> pd.DataFrame:
    """What the choice of the family does: the findings whose verdict is not the same under all four; p of the
    test alone, Holm's within the family, within all forms of the table, within the whole paper. Bold where
    there is a verdict."""
    table = stored_findings()
    table_of = table["family"].str.split(", ").str[:2].str.join(", ")
    p = pd.DataFrame({"alone": table["p"], "family": table["p_holm"]})
    p["all forms of the table"] = _holm_within(table, table_of)
    p["whole paper"] = _holm_within(table, table["family"].str[0])
    verdicts = pd.DataFrame({choice: _verdicts(table, p[choice]) for choice in p})
    text = p.map(reporting.p_value)
    text = text.mask(p < LEVEL, "**" + text + "**")
    text.insert(0, "finding", table_of + ": " + table["label"])
    return text[verdicts.nunique(axis=1) > 1]


def bag_findings(scores: pd.DataFrame) -> pd.DataFrame:
    """Findings of paper D on our runs on GIDS (`bag_scores`), under the rule of `_verdict`; a family is a
    table or figure.

    Returns columns family, finding, label ('auc, A → B'), difference (B − A, points) with its 95 % interval
    low and high (Welch's), p and p_holm (nan below `LEAST_RUNS` runs: no verdict), runs, steps (optimiser
    steps of both: where they differ the amount of training does, too), verdict; a finding whose systems have
    fewer than two runs each is left out.
    """
    rows, steps = [], scores.groupby("system")["steps"].mean()
    for order in _read_findings("D").itertuples():
        names = (order.first, order.second)
        first, second = (100 * scores.loc[scores["system"] == name, order.score].to_numpy() for name in names)
        if (fewest := min(len(first), len(second))) < 2:
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # equal scores: nan
            test = scipy.stats.ttest_ind(second, first, equal_var=False)
            low, high = test.confidence_interval()
        row = {"family": order.family, "finding": order.finding, "label": order.label}
        row |= {"difference": second.mean() - first.mean(), "low": low, "high": high}
        row |= {"p": test.pvalue if fewest >= LEAST_RUNS else np.nan, "p_holm": np.nan, "runs": fewest}
        row["steps"] = ", ".join(f"{steps[name]:.0f}" for name in names if steps[name] >= 0)
        rows.append(row | {"rises": order.rises == "yes"})
    table = pd.DataFrame(rows)
    table["p_holm"] = _holm_within(table)
    decided = map(_verdict, table.pop("rises"), table["difference"], table["p_holm"], table["runs"])
    return table.assign(verdict=list(decided))


def read_items() -> pd.DataFrame:
    """Every table, figure, numbered equation and claim of the papers, one row each.

    Returns
    -------
    Columns paper, kind, item, what, status (of `STATUSES`), evidence, rule, family (of tests; more than one:
    '; '), file (of this repository), key (text in that file; of tests, their labels), note; all text. What is
    not built has no file.

    >>> read_items().groupby("paper")["item"].count().to_dict()
    {'D': 30, 'L': 23, 'R': 35, 'W': 32}
    """
    return pd.read_csv(ITEMS, dtype=str, keep_default_na=False)
