"""Ranked lists of facts from files: scored facts beside true ones, or published precision–recall lists.

What a user may not have meant is logged as a warning, and counted as `read_fact_lists` says; what contradicts
itself is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core import MalformedRecord, find_negative, listing, naming_file, shown
from ..data import Coded, open_source
from ..metrics import CurveFault, FactRanking, FactSample

if TYPE_CHECKING:
    import pandas as pd

    Files = Sequence[tuple[Path | str, pd.DataFrame]]

logger = logging.getLogger(__name__)
FACT = ["head", "tail", "relation"]


class FactList(NamedTuple):
    """A ranked list as it was read.

    ranking : the list. path : its file. negative : the relation that was left out.
    pairs : (N,) the entity pair of each predicted fact, positions into `facts_of_pair`. facts_of_pair : (U,)
        true facts of each. true : pairs and relations of all true facts, positions. All three are None of a
        published curve.
    """

    ranking: FactRanking
    path: str
    pairs: np.ndarray | None = None
    facts_of_pair: np.ndarray | None = None
    true: tuple[np.ndarray, np.ndarray] | None = None
    negative: str | None = None

    def sample(self) -> FactSample:
        """The list to be drawn again: by entity pair, or fact by fact of a published curve."""
        return self.ranking.sample(self.pairs, self.facts_of_pair)


def read_fact_lists(
    paths: Sequence[Path | str],
    facts: Path | str | None = None,
    negative: str | None = None,
    n_facts: int | None = None,
) -> list[FactList]:
    """Ranked lists from files of scored facts, all over the same entity pairs, or of published curves.

    Parameters
    ----------
    paths : each with the columns head, tail, relation and score, one row for every scored fact; or precision
        and recall, one row for every rank, with score if it is known; in the order of ranks, or turned round,
        as scikit-learn writes curves (`FactRanking.curve_order`). What facts these are is not read.
    facts : the true facts, with the columns head, tail and relation: for scored facts.
    negative : rows of this relation are left out, in both files; None: the one with a well-known name such
        as 'NA', if there is one (`find_negative`); '': none.
    n_facts : number of true facts behind a published curve; None: what precision, recall and the number of
        the last row say.

    A fact that is scored twice counts where its score is higher, a true fact that is listed twice counts
    once; a true fact of a pair or a relation that is never scored counts as not found; what a list does not
    score of its pairs and relations comes after all others. How many these are is logged.

    Raises
    ------
    ValueError : as `open_source`; a column that is missing; scored facts without `facts`; several relations
        that look like the negative class.
    MalformedRecord : with its line: no row, a score that is no number, precision and recall that fit no rank;
        in a published list also a score above that of the rank before.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "published.csv")
    ...     _ = path.write_text("precision,recall\\n1,0.25\\n0.5,0.25\\n0.666667,0.5\\n")
    ...     ranking = read_fact_lists([path])[0].ranking
    >>> ranking.hits.tolist(), ranking.facts
    ([True, False, True], 4)
    """
    files = [(path, _read(path)) for path in paths]
    curves = [path for path, frame in files if "precision" in frame]
    if facts is None:
        if scored := [path for path in paths if path not in curves]:
            asked = "which of these facts are true? Give the file of true facts, --facts FACTS"
            raise ValueError(f"{scored[0]}: {asked}")
        return [FactList(_curve(path, frame, n_facts), str(path)) for path, frame in files]
    true = _read_facts(facts)
    if curves:
        reason = "a list of precision and recall says itself which facts are true; it takes no --facts"
        raise ValueError(f"{curves[0]}: {reason}, and cannot be compared with scored facts")
    files.append((facts, true))
    left_out = _negative_class(files) if negative is None else negative
    if left_out:
        files = [(path, _without(path, frame, left_out, negative is not None)) for path, frame in files]
    return _from_scores(files, left_out or None)


def _read(path: Path | str) -> pd.DataFrame:
    """The columns of a list: names, and numbers; the index is the row in the file."""
    source = open_source(path)
    names = [*FACT, "score"]
    if {"precision", "recall"} <= set(source.names):
        names = ["precision", "recall", *({"score"} & set(source.names))]
    names = [source.column(name) for name in names]
    table = source.read(names, numbers=[name for name in names if name not in FACT])
    if not len(table[names[0]]):
        raise MalformedRecord(path, f"there are no facts, only the columns {listing(source.names)}")
    return Coded.frame(table)


def _read_facts(path: Path | str) -> pd.DataFrame:
    source = open_source(path)
    frame = Coded.frame(source.read([source.column(name) for name in FACT]))
    twice = frame.duplicated(FACT)
    if twice.any():
        line = _where(path, frame.index[twice][0])
        logger.warning("%s: %d of the facts are listed again, the first in %s", path, twice.sum(), line)
    return frame[~twice]


def _negative_class(files: Files) -> str | None:
    """The relation of these files with a well-known name of the negative class, None if there is none."""
    relations = dict.fromkeys(str(name) for _, frame in files for name in frame["relation"].unique())
    try:
        return find_negative(relations)
    except ValueError as error:
        raise ValueError(f"{files[0][0]}: {error}, by --negative") from None


def _without(path: Path | str, frame: pd.DataFrame, negative: str, is_given: bool) -> pd.DataFrame:
    """The rows of other relations; what is left out is noted, unless it was asked for."""
    rows = frame.index[frame["relation"] == negative]
    if len(rows) and not is_given:
        left_out = f"{path}: {len(rows)} rows of {shown(negative)} are left out"
        why = f"the first in {_where(path, rows[0])}: the negative class by its name"
        logger.warning("%s, %s (--negative '' keeps them)", left_out, why)
    if len(rows) == len(frame):
        raise MalformedRecord(path, f"every row is of {shown(negative)}: there are no facts")
    return frame.drop(rows)


def _where(path: Path | str, row: int) -> str:
    return open_source(path).where(int(row))


def _from_scores(files: Files, negative: str | None) -> list[FactList]:
    """Lists over the pairs of all files, of which the last holds the true facts."""
    import pandas as pd

    if files[-1][1].empty:
        raise MalformedRecord(files[-1][0], "there are no true facts")
    every = pd.concat([frame for _, frame in files], keys=range(len(files)))
    codes = pd.DataFrame({name: pd.factorize(every[name])[0] for name in FACT}, every.index)
    labels = [str(label) for label in every["relation"].unique()]
    pairs = codes.groupby(["head", "tail"])
    every["code"], every["pair"] = codes["relation"], pairs.ngroup()
    every["fact"] = codes.groupby(FACT).ngroup()
    *lists, true = (part.droplevel(0) for _, part in every.groupby(level=0))
    of_relation = np.bincount(true["code"], minlength=len(labels))
    of_pair = np.bincount(true["pair"], minlength=pairs.ngroups)
    true_cells = true["pair"].to_numpy(), true["code"].to_numpy()
    read = []
    for (path, _), scored in zip(files, lists, strict=False):
        scored = scored.sort_values("score", ascending=False, kind="stable")
        again = scored.duplicated("fact")
        if again.any():
            first = f"the first in {_where(path, scored.index[again].min())}; the higher score counts"
            logger.warning("%s: %d of the facts are scored more than once, %s", path, again.sum(), first)
            scored = scored[~again]
        hits, relations = scored["fact"].isin(true["fact"]), scored["code"].to_numpy()
        ranking = FactRanking.from_scores(scored["score"], hits, None, relations, labels, of_relation)
        _note_missing(path, scored, true)
        read.append(FactList(ranking, str(path), scored["pair"].to_numpy(), of_pair, true_cells, negative))
    return read


def _note_missing(path: Path | str, scored: pd.DataFrame, true: pd.DataFrame) -> None:
    """How many true facts, and combinations of its pairs and relations, a list does not score."""
    lost = true[~true["pair"].isin(scored["pair"])]
    if len(lost):
        pairs = f"{len(lost)} of {lost['pair'].nunique()} pairs; they count as not found"
        logger.warning("%s: true facts of pairs that it does not score: %s", path, pairs)
    every = scored["pair"].nunique() * scored["code"].nunique()
    if missing := every - len(scored):
        said = f"{missing} of {every} combinations of a pair and a relation are not scored"
        logger.warning("%s: %s; they come after all others", path, said)


def _curve(path: Path | str, frame: pd.DataFrame, n_facts: int | None) -> FactRanking:
    frame = frame.iloc[FactRanking.curve_order(*frame[["precision", "recall"]].to_numpy().T)]
    precision, recall = (frame[name].to_numpy() for name in ("precision", "recall"))
    scores = frame["score"].to_numpy() if "score" in frame else None
    with naming_file(path):
        facts = _number_of_facts(precision, recall) if n_facts is None else n_facts
        try:
            return FactRanking.from_curve(precision, recall, facts, scores)
        except CurveFault as fault:
            hint = ""
            if n_facts is None and fault.column != "score":
                hint = f" ({facts} is what the list's end says, --n-facts N says otherwise)"
            line = open_source(path).line(int(frame.index[fault.point]))
            raise MalformedRecord(path, fault.reason + hint, line) from None


def _number_of_facts(precision: np.ndarray, recall: np.ndarray) -> int:
    """hits / recall at the last rank, one row a rank."""
    for name, values in (("precision", precision), ("recall", recall)):
        if values.max() > 1:
            raise ValueError(f"{name} is up to {values.max():g}: fractions are needed, not per cent")
    end = int(np.argmax(recall))
    if recall[end] <= 0:
        unknown = "no fact of the list is true, so it does not say how many there are"
        raise ValueError(f"{unknown}: give their number")
    return round(precision[end] * (end + 1) / recall[end])
