"""Notebook 00: two made-up systems that change places with the scheme, and what of the data is here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from .. import program
from ..core import inverse_label
from ..data import NEGATIVE, data_status, registered_files
from ..evaluation import score_frame
from ..metrics import SCHEMES, Confusion, averages

RARE = 10
RIGHT = {"specialist": (0.93, 0.2), "generalist": (0.8, 0.8)}
"""System → how often it is right on a label with at least `RARE` sentences, and on a rarer one."""


Rates = Mapping[str, tuple[float, float]]


def invented_predictions(gold: pd.Series, seed: int, right: Rates = RIGHT) -> dict[str, pd.Series]:
    """Predictions of systems that do not exist: each right as often as `right` says, else any label.

    >>> gold = pd.Series(["a"] * 20 + ["b"] * 2)
    >>> found = invented_predictions(gold, 1)
    >>> list(found), len(found["specialist"])
    (['specialist', 'generalist'], 22)
    """
    rng = np.random.default_rng(seed)
    frequent = gold.map(gold.value_counts()) >= RARE
    found = {}
    for name, (if_frequent, if_rare) in right.items():
        hits = rng.random(len(gold)) < np.where(frequent, if_frequent, if_rare)
        found[name] = gold.where(hits, rng.permutation(gold))
    return found


def invented_leads(gold: pd.Series, seeds: Iterable[int], right: Rates = RIGHT) -> pd.DataFrame:
    """F1 of the specialist minus F1 of the generalist, in points, for each seed and scheme.

    Returns columns seed, scheme, lead.

    >>> leads = invented_leads(pd.Series(["a"] * 20 + ["Other"] * 2), [1, 2])
    >>> len(leads), list(leads.columns)
    (10, ['seed', 'scheme', 'lead'])
    """
    rows = []
    for seed in seeds:
        scores = [
            averages(Confusion.from_arrays(gold.tolist(), labels.tolist()), negative=NEGATIVE)
            for labels in invented_predictions(gold, seed, right).values()
        ]
        rows += zip([seed] * len(SCHEMES), SCHEMES, 100 * (scores[0] - scores[1]), strict=True)
    return pd.DataFrame(rows, columns=["seed", "scheme", "lead"])


def lead_counts(leads: pd.DataFrame) -> pd.DataFrame:
    """In how many draws each system leads, and the lead in the middle draw, a row for each scheme.

    >>> leads = pd.DataFrame({"seed": [1, 2, 3], "scheme": "micro", "lead": [2.0, 1.0, -4.0]})
    >>> lead_counts(leads).loc["micro"].tolist()
    [2.0, 1.0, 1.0]
    """
    leads = leads.set_index("scheme")["lead"]
    grouped = leads.groupby(level=0, sort=False)
    found = {"specialist leads": grouped.agg(lambda lead: (lead > 0).sum())}
    found |= {"generalist leads": grouped.agg(lambda lead: (lead < 0).sum())}
    return pd.DataFrame(found | {"median lead (points)": grouped.median()})


def direction_of(gold: pd.Series, predicted: pd.Series, follows_markers: bool) -> dict[str, float]:
    """Macro-F1 on the sentences (A) and on the paired ones (B), PD, PIR and PPR in per cent, of a system that
    answers with the inverse label on the paired sentence, or with the same one.

    >>> gold = pd.Series(["r(e1,e2)", "r(e2,e1)", "Other"])
    >>> direction_of(gold, gold, False)
    {'A': 100.0, 'B': 0.0, 'PD': 100.0, 'PIR': 100.0, 'PPR': 0.0}
    """
    paired = predicted.map(inverse_label) if follows_markers else predicted
    frame = pd.DataFrame({"gold": gold, "predicted": predicted, "predicted_paired": paired})
    found = score_frame(frame, negative=NEGATIVE).extra["direction"]
    names = {"A": "performance_original", "B": "performance_paired", "PD": "pd", "PIR": "pir", "PPR": "ppr"}
    return {name: round(100 * found[key], 1) for name, key in names.items()}


def marker_exchange() -> pd.DataFrame:
    """The project's emblem as a table for `marker_exchange_chart`: one sentence, two directions, one answer.

    >>> marker_exchange()["gold"].tolist()
    ['Cause-Effect(e2,e1)', 'Cause-Effect(e1,e2)']
    """
    words = {"before": "The", "first": "outage", "between": "was a consequence of the", "second": "storm"}
    gold = "Cause-Effect(e2,e1)"
    rows = [{"marks": "e1 e2", "gold": gold}, {"marks": "e2 e1", "gold": inverse_label(gold)}]
    return pd.DataFrame([words | {"after": "."} | row | {"answer": gold} for row in rows])


def data_overview() -> pd.DataFrame:
    """What of each data set is on this machine, whose licence it is under, and how to get what is missing.

    The licence is that of the file: published predictions on a corpus may be free where its text is not.

    >>> data_overview().loc["tacred", "licence of these files"]
    'MIT (predictions and labels; the text of TACRED is licensed by the LDC and is not read)'
    """
    files = pd.DataFrame([(one.dataset, one.file, one.state, one.licence) for one in data_status()])
    files.columns = ["dataset", "file", "state", "licence"]
    data = files.pivot_table(index="dataset", columns="state", values="file", aggfunc="count", fill_value=0)
    data = data.reindex(columns=["ok", "missing", "corrupt"], fill_value=0).rename_axis(columns=None)
    licences = files.groupby("dataset")["licence"].agg(lambda names: "; ".join(names.unique()))
    tacred = licences.index.str.startswith("tacred")
    licences[tacred] = (
        "MIT (predictions and labels; the text of TACRED is licensed by the LDC and is not read)"
    )
    data["licence of these files"] = licences
    has_address = data.index.isin([one.dataset for one in registered_files().values() if one.url])
    fetch = np.where(has_address, f"{program()} data fetch " + data.index, "no address: see `data`")
    data["to get it"] = np.where(data["missing"] > 0, fetch, "")
    return data
