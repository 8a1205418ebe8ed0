"""The leak audit: every scheme before and after gold-negative samples are forced to the negative class.

Why one would: see `Outcome.leaked`. A system whose stated score only comes out after the forcing has
been evaluated with the leak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import core, metrics
from ..core import Label, naming_file, shown, table_name, visible
from ..data import read_predictions
from ..metrics import Column, Outcome, Report, Schemes, Table, points
from .answers import amount

if TYPE_CHECKING:
    import pandas as pd

    from ..runs import Run

SCORES = ("precision", "recall", "f1")
RANKS = ("rank", "rank_leaked", "rank_change")
COLUMNS = {"f1": Column("f1"), "f1_leaked": Column("leaked"), "f1_gain": Column("gain", form=points)}
COLUMNS |= {"precision": Column("precision", 12), "precision_leaked": Column("p leaked", 10)}
COLUMNS |= {"recall": Column("recall", 10)}


@dataclass(frozen=True)
class _LeakReport(Report):
    """Scores of one outcome with and without the leak.

    Attributes
    ----------
    n : samples. n_negative : those of the negative class. false_alarms : those of them that were predicted as
        another class, which the leak turns right; skipped ones are none.
    negative : the negative class.
    schemes, schemes_leaked : scheme → precision, recall, f1, signature.
    gain : scheme → precision, recall, f1: leaked minus stated.
    signature : the policy shared by all rows.
    notes : what one should know of such a file: no negative sample, or no false alarm.

    >>> table = Outcome.from_columns(gold=["NA", "NA", "a"], predicted=["a", "NA", "a"])
    >>> print(audit_leak(table, "NA", ["micro", "macro"]).to_text())
    n 3 · negative NA: 2 samples, 1 false alarm turned right
    scheme          f1  leaked    gain   precision  p leaked    recall
    micro        66.67  100.00  +33.33       50.00    100.00    100.00
    macro        66.67  100.00  +33.33       50.00    100.00    100.00
    f1|labels:supported|negative:NA|zero_support:skip|direction:kept|n:3|v:0.1
    """

    n: int
    n_negative: int
    false_alarms: int
    negative: Label
    schemes: dict[str, dict[str, Any]]
    schemes_leaked: dict[str, dict[str, Any]]
    gain: dict[str, dict[str, float]]
    signature: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The attributes as a dictionary, in order."""
        return metrics.plain_values(vars(self))

    def rows(self) -> list[dict[str, Any]]:
        """One row a scheme: scheme, then each score, leaked, gained."""
        tables = {"": self.schemes, "_leaked": self.schemes_leaked, "_gain": self.gain}
        return [
            {"scheme": scheme}
            | {f"{name}{end}": table[scheme][name] for name in SCORES for end, table in tables.items()}
            for scheme in self.schemes
        ]

    def parts(self) -> Iterator[str | Table]:
        """A table in per cent, gains in points."""
        of, alarms = amount(self.n_negative, "sample"), amount(self.false_alarms, "false alarm")
        yield f"n {self.n} · negative {table_name(self.negative)}: {of}, {alarms} turned right"
        yield Table("scheme", [(table_name(row["scheme"]), row) for row in self.rows()], COLUMNS)
        yield visible(self.signature)
        yield from (f"note: {note}" for note in self.notes)


def audit_leak(
    source: Outcome | Path | str, negative: Label, schemes: Schemes = None, **reading: Any
) -> _LeakReport:
    """Every scheme before and after the leak, of an outcome or of a file of gold and predicted labels.

    Parameters
    ----------
    schemes : names, 'n^α' or functions; None: all of `scheme_names`. reading : of a file, options of
        `read_predictions`.

    Raises
    ------
    ValueError : as `read_predictions`; an unknown scheme; a negative class that is none of the labels; one
        column for both.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\nNA,a\\nNA,NA\\na,a\\n")
    ...     round(audit_leak(path, "NA").gain["micro"]["f1"], 4)
    0.3333
    """
    metrics.scheme_names(schemes)  # refuses an unknown one before the file is read
    if not isinstance(source, Outcome):
        columns = read_predictions(source, **reading)
        with naming_file(source):
            if (name := columns.columns["gold"]) == columns.columns["predicted"]:
                raise ValueError(f"column {shown(name)} is both gold and predicted")
            return audit_leak(Outcome.from_columns(columns["gold"], columns["predicted"]), negative, schemes)
    before = metrics.evaluate(source, schemes=schemes, negative=negative)
    after = metrics.evaluate(source.leaked(negative), schemes=schemes, negative=negative)
    after.sign("|leak:gold_negative")
    stated, forced = (
        {scheme: {name: row[name] for name in (*SCORES, "signature")} for scheme, row in rows.items()}
        for rows in (before.schemes, after.schemes)
    )
    gain = {key: {name: forced[key][name] - row[name] for name in SCORES} for key, row in stated.items()}
    n_negative, right = (before.per_class[negative][name] for name in ("support", "correct"))
    alarms = n_negative - right
    if core.SKIPPED in source.labels:
        alarms -= source.table()[source.labels.index(negative), source.labels.index(core.SKIPPED)].item()
    notes: tuple[str, ...] = ()
    if not n_negative:
        notes = (f"no sample has the gold label {shown(negative)}: there is nothing to leak",)
    elif not alarms:
        notes = ("no negative sample is answered with a relation: what the leak leaves, ask how it was made",)
    counts = source.n, n_negative, alarms
    return _LeakReport(*counts, negative, stated, forced, gain, before.signature, notes)


def leak_table(runs: Iterable[Run], schemes: Schemes = None) -> pd.DataFrame:
    """What the leak would give each of several systems on the same data, and how their order would change.

    runs : of classifiers, all with a negative class; runs that hold a pair of systems are left out.

    Returns
    -------
    One row for each run and scheme: dataset, model, scheme, score, leaked, gain (F1), rank, rank_leaked (1 is
    the best, ties share the smaller one), rank_change (places won by the leak), signature. A rank is among
    the runs of the same data set.

    Raises ValueError for a run without a negative class.

    >>> from helpers.runs import Run
    >>> pair = Outcome.from_columns(list("abNNN"), list("aNNNN"), second=list("abaab"))
    >>> runs = [Run.from_outcome(pair, dataset="d", model="both", second="bold", negative="N")]
    >>> for name, role in {"careful": "predicted", "bold": "second"}.items():
    ...     outcome = pair.of(role).grouped()
    ...     runs.append(Run.from_outcome(outcome, dataset="d", model=name, negative="N"))
    >>> table = leak_table(runs, ["micro"]).round(4)
    >>> table[["model", "gain", "rank", "rank_leaked", "rank_change"]].values.tolist()
    [['careful', 0.0, 1, 2, -1], ['bold', 0.4286, 2, 1, 1]]
    """

    import pandas as pd

    rows = []
    for run in runs:
        outcome = run.outcome()
        if not isinstance(outcome, Outcome) or len(outcome.roles) > 2:
            continue
        if run.negative is None:
            raise ValueError(f"the run of {run.model} on {run.dataset} has no negative class")
        report = audit_leak(outcome, run.negative, schemes)
        for row in report.rows():
            own = {"dataset": run.dataset, "model": run.model, "scheme": row["scheme"]}
            own |= {"score": row["f1"], "leaked": row["f1_leaked"], "gain": row["f1_gain"]}
            rows.append(own | {"signature": report.schemes[row["scheme"]]["signature"]})
    columns = ("dataset", "model", "scheme", "score", "leaked", "gain", *RANKS, "signature")
    table = pd.DataFrame(rows, columns=columns)
    of_scheme = table.groupby(["dataset", "scheme"])[["score", "leaked"]]
    table[["rank", "rank_leaked"]] = of_scheme.rank(ascending=False, method="min").astype(int)
    table["rank_change"] = table["rank"] - table["rank_leaked"]
    return table
