"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers.core import shown, table_name, visible
from helpers.data import read_predictions
from helpers.metrics import (
    PairedOutcomes,
    Policy,
    Weighting,
    averages,
    holm,
    paired_bootstrap,
    resolve_score,
    scheme_names,
)

logger = logging.getLogger(__name__)


def compare_files(
    paths: Sequence[Path | str],
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    id_column: str | None = None,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 10_000,
    seed: int = 1,
    score: str = "f1",
    **policy: Any,
) -> pd.DataFrame:
    """Compare systems on the same samples: paired bootstrap of the first file against each other one, under
    each scheme.

    Samples are matched by id where both files have ids, else by order; the gold labels have to agree. If only
    one of two files has ids, that is logged as a warning.

    Parameters
    ----------
    paths : at least two files; columns as in `read_predictions`.
    negative : the negative class; None or "": none. schemes : names, 'n^α' or functions; None: all of
        `scheme_names`. replicates, seed : of the bootstrap; each comparison starts from the seed, so that its
        numbers do not depend on the other files. score, policy : what is averaged, as in `averages`.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second, difference
    (first − second), low, high (95 %), p, p_holm (corrected over all rows), n, replicates, seed, signature.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("id,gold,predicted\\n1,x,x\\n2,y,x\\n") for path in paths]
    ...     compare_files(paths, replicates=99)["p"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]

    Raises
    ------
    ValueError : fewer than two files, an unknown scheme, other samples, other gold labels (file and first
        sample are named), a negative class that is in none of the files; and as `read_predictions`.
    """
    paths = [paths] if isinstance(paths, str | Path) else paths
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    names, rules = scheme_names(schemes), policy | {"negative": negative or None}
    score, _ = resolve_score(score)
    weightings = names if schemes is None else schemes
    frames = [read_predictions(path, gold_column, predicted_column, None, id_column) for path in paths]
    rows: list[dict[str, Any]] = []
    for path, frame in zip(paths[1:], frames[1:], strict=True):
        a, b = _matched(paths[0], path, frames[0], frame)
        outcomes = PairedOutcomes.from_arrays(a["gold"], a["predicted"], b["predicted"])
        scores = partial(averages, schemes=weightings, score=score, classes_of=outcomes.original, **rules)
        try:
            test = paired_bootstrap(outcomes, scores, np.random.default_rng(seed), replicates)
        except ValueError as error:
            raise ValueError(f"{paths[0]}, {path}: {error}") from error
        columns = {"score_first": scores(outcomes.original), "score_second": scores(outcomes.paired())}
        columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
        for place, scheme in enumerate(names):
            row = {"scheme": scheme, "first": str(paths[0]), "second": str(path)}
            row |= {name: float(values[place]) for name, values in columns.items()} | {"n": outcomes.n}
            row |= {"replicates": replicates, "seed": seed}
            signature = Policy(**rules).signature(outcomes.original, score, scheme)
            rows.append(row | {"signature": signature})
    table = pd.DataFrame(rows)
    table.insert(table.columns.get_loc("p") + 1, "p_holm", holm(table["p"].tolist()))
    return table


def _matched(
    first: Path | str, second: Path | str, a: pd.DataFrame, b: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both frames in the same order of samples, with equal gold labels."""
    if "id" in a and "id" in b:
        b = b.iloc[_order(first, a["id"], second, b["id"])]
    elif len(a) != len(b):
        reason = "to be matched, both need ids"
        raise ValueError(f"{first} has {len(a)} samples, {second} has {len(b)}: {reason}")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    # a label that the first file does not have gets the code -1 in the second
    other = b["gold"].cat.set_categories(a["gold"].cat.categories)
    differs = a["gold"].cat.codes.to_numpy() != other.cat.codes.to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {shown(a['id'].iloc[row])}" if "id" in a else f"sample {row + 1}"
        golds = f"{shown(a['gold'].iloc[row])} in {first}, {shown(b['gold'].iloc[row])} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return a, b


def _order(first: Path | str, ids: pd.Series, second: Path | str, others: pd.Series) -> np.ndarray:
    """Where each sample of the first file stands in the second."""
    for here, there, has, lacks in ((others, ids, second, first), (ids, others, first, second)):
        places = pd.Index(there).get_indexer(pd.Index(here))
        absent = places < 0
        if absent.any():
            missing = f"{absent.sum()} of the {len(here)} ids of {has} are missing"
            raise ValueError(f"{lacks}: {missing}, the first is {shown(here.iloc[int(absent.argmax())])}")
    return places


def comparison_text(table: pd.DataFrame) -> str:
    """The table of `compare_files` to read: a block for each other file, scores in per cent; what cannot be
    printed in a label or in the name of a file is escaped.

    >>> row = {"first": "a.csv", "second": "b.csv", "n": 9, "replicates": 99, "seed": 1, "scheme": "micro"}
    >>> row |= {"score_first": 0.75, "score_second": 0.5, "difference": 0.25, "low": -0.05, "high": 0.6}
    >>> print(comparison_text(pd.DataFrame([row | {"p": 0.03, "p_holm": 0.06, "signature": "f1"}])))
    A a.csv
    B b.csv
    n 9 · 99 replicates, seed 1
    scheme         A       B   A − B     low    high       p  p Holm
    micro      75.00   50.00  +25.00   -5.00  +60.00  0.0300  0.0600
    f1
    """
    blocks = (table["scheme"] == table["scheme"].iloc[0]).cumsum()
    return "\n\n".join(_block(rows) for _, rows in table.groupby(blocks))


def _block(rows: pd.DataFrame) -> str:
    one = rows.iloc[-1]  # micro, the first, pools labels that the others leave out
    titles = "  ".join(f"{title:>6}" for title in ("A", "B", "A − B", "low", "high", "p", "p Holm"))
    lines = [f"A {visible(one['first'])}", f"B {visible(one['second'])}"]
    lines.append(f"n {one['n']} · {one['replicates']} replicates, seed {one['seed']}")
    lines += [f"{'scheme':<10}{titles}", *(_line(row) for _, row in rows.iterrows())]
    # the first only: the negative class may be named like a scheme
    return "\n".join([*lines, visible(one["signature"].replace(f"|scheme:{one['scheme']}", "", 1))])


def _line(row: pd.Series) -> str:
    scores = [f"{100 * row[name]:6.2f}" for name in ("score_first", "score_second")]
    changes = [f"{100 * row[name]:+6.2f}" for name in ("difference", "low", "high")]
    chances = [f"{p:.4f}" if p >= 5e-5 else f"{p:.0e}" for p in row[["p", "p_holm"]]]
    return f"{table_name(row['scheme']):<10}" + "  ".join([*scores, *changes, *chances])
