"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .data.predictions import read_predictions
from .metrics.counts import Confusion, PairedOutcomes
from .metrics.resampling import paired_bootstrap
from .metrics.scores import averages
from .metrics.significance import holm
from .metrics.weighting import SCHEMES


def compare_files(
    paths: Sequence[Path | str],
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    id_column: str | None = None,
    negative: str | None = None,
    replicates: int = 10_000,
    seed: int = 1,
) -> pd.DataFrame:
    """Compare systems on the same samples: paired bootstrap of the first file against each other one, every
    scheme.

    Samples are matched by id where both files have ids, else by order; the gold labels have to agree.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second, difference
    (first − second), low, high (95 %), p, p_holm (corrected over all rows of a scheme), n.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("id,gold,predicted\\n1,x,x\\n2,y,x\\n") for path in paths]
    ...     compare_files(paths, replicates=99)["p"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]

    Raises
    ------
    ValueError : fewer than two files, other samples, other gold labels (file and first sample are named).
    """
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    frames = [read_predictions(path, gold_column, predicted_column, None, id_column) for path in paths]
    rows = [
        row
        for path, frame in zip(paths[1:], frames[1:], strict=True)
        for row in _compare(
            paths[0], frames[0], path, frame, negative, np.random.default_rng(seed), replicates
        )
    ]
    table = pd.DataFrame(rows)
    table["p_holm"] = table.groupby("scheme")["p"].transform(lambda p: holm(p.tolist()))
    return table[[*table.columns.drop(["n", "p_holm"]), "p_holm", "n"]]


def _compare(
    first: Path | str,
    a: pd.DataFrame,
    second: Path | str,
    b: pd.DataFrame,
    negative: str | None,
    rng: np.random.Generator,
    replicates: int,
) -> list[dict[str, Any]]:
    a, b = _matched(first, a, second, b)
    outcomes = PairedOutcomes.from_arrays(a["gold"], a["predicted"], b["predicted"])

    def scores(table: Confusion) -> np.ndarray:
        return averages(table, negative=negative)

    test = paired_bootstrap(outcomes, scores, rng, replicates)
    columns = {"score_first": scores(outcomes.original), "score_second": scores(outcomes.paired())}
    columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
    return [
        {"scheme": scheme, "first": str(first), "second": str(second)}
        | {name: float(values[place]) for name, values in columns.items()}
        | {"n": outcomes.n}
        for place, scheme in enumerate(SCHEMES)
    ]


def _matched(
    first: Path | str, a: pd.DataFrame, second: Path | str, b: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both frames in the same order of samples, with equal gold labels."""
    if "id" in a and "id" in b:
        b = _in_order(first, a["id"], second, b)
    elif len(a) != len(b):
        raise ValueError(
            f"{first} has {len(a)} samples, {second} has {len(b)}; they have no ids to match them by"
        )
    differs = a["gold"].astype(str).to_numpy() != b["gold"].astype(str).to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {a['id'].iloc[row]}" if "id" in a else f"sample {row + 1}"
        golds = f"{a['gold'].iloc[row]!r} in {first}, {b['gold'].iloc[row]!r} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return a, b


def _in_order(first: Path | str, ids: pd.Series, second: Path | str, b: pd.DataFrame) -> pd.DataFrame:
    for here, there, where in ((ids, b["id"], second), (b["id"], ids, first)):
        absent = ~here.isin(there)
        if absent.any():
            raise ValueError(f"id {here[absent].iloc[0]!r} is missing in {where}")
    return b.set_index("id").loc[ids].reset_index()
