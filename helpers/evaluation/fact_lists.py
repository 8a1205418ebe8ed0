"""Ranked lists of facts from files: scored facts beside true ones, or published precision–recall lists.

What a user may not have meant is logged as a warning with its line, and counted as `read_fact_lists` says;
what contradicts itself is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..core import MalformedRecord, find_negative, listing, naming_file, shown
from ..data import UNKNOWN_ENTITY, open_source
from ..metrics import FactRanking, FactSample, curve_order

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
FACT = ("head", "tail", "relation")


class FactList(NamedTuple):
    """A ranked list as it was read.

    ranking : the list. path : its file. pairs : (N,) the entity pair of each predicted fact, positions into
        `facts_of_pair`; None where the file does not name them. facts_of_pair : (U,) true facts of each.
    true : pairs and relations of all true facts, positions; None where they are not known. negative : the
        relation that was left out.
    """

    ranking: FactRanking
    path: str
    pairs: np.ndarray | None = None
    facts_of_pair: np.ndarray | None = None
    true: tuple[np.ndarray, np.ndarray] | None = None
    negative: str | None = None

    def sample(self) -> FactSample:
        """The list to be drawn again: by entity pair, or fact by fact where pairs are not named."""
        return FactSample.of(self.ranking, self.pairs, self.facts_of_pair)

    @property
    def unit(self) -> str:
        """What is drawn: 'pair' or 'fact'."""
        return "fact" if self.pairs is None else "pair"


def read_fact_lists(
    paths: Sequence[Path | str],
    facts: Path | str | None = None,
    negative: str | None = None,
    n_facts: int | None = None,
) -> list[FactList]:
    """Ranked lists from files of scored facts or of published curves; several over the same entity pairs.

    Parameters
    ----------
    paths : each with the columns head, tail, relation and score, one row for every scored fact; or precision
        and recall, one row for every rank, with score, head, tail and relation if they are known; in the
        order of ranks, or turned round, as scikit-learn writes curves (`curve_order`).
    facts : the true facts, with the columns head, tail and relation: for scored facts.
    negative : rows of this relation are left out, in both files; None: the one with a well-known name such
        as 'NA', if there is one (`find_negative`); '': none.
    n_facts : number of true facts behind a published curve; None: what precision, recall and the number of
        the last row say.

    A fact that is scored twice counts where its score is higher, a true fact that is listed twice counts
    once; a true fact of a pair or a relation that is never scored counts as not found; what a list does not
    score of its pairs and relations comes after all others. All of it is logged, with the first line.

    Raises
    ------
    ValueError : as `open_source`; a column that is missing; scored facts without `facts`; several relations
        that look like the negative class.
    MalformedRecord : with its line: no row, a score that is no number, precision and recall that fit no rank;
        in a published list also a score above that of the rank before, and a fact that stands in it twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "published.csv")
    ...     _ = path.write_text("precision,recall\\n1,0.25\\n0.5,0.25\\n0.666667,0.5\\n")
    ...     ranking = read_fact_lists([path])[0].ranking
    >>> ranking.hits.tolist(), ranking.facts
    ([True, False, True], 4)
    """
    frames = [_read(path) for path in paths]
    known = _read_facts(facts) if facts is not None else None
    scored = [path for path, frame in zip(paths, frames, strict=True) if "precision" not in frame]
    if scored and known is None:
        raise ValueError(
            f"{scored[0]}: which of these facts are true? Give the file of true facts, --facts FACTS"
        )
    if known is not None and len(scored) < len(frames):
        curve = next(path for path in paths if path not in scored)
        reason = "a list of precision and recall says itself which facts are true"
        raise ValueError(f"{curve}: {reason}; it takes no --facts, and cannot be compared with scored facts")
    if known is None:
        return _from_curves(paths, frames, n_facts)
    assert facts is not None
    left_out = _negative_class([*frames, known], paths[0]) if negative is None else negative
    *frames, known = (
        _without(path, frame, left_out, said=negative is not None)
        for path, frame in zip((*paths, facts), (*frames, known), strict=True)
    )
    if known.empty:
        raise MalformedRecord(facts, "there are no true facts")
    for path, frame in zip(paths, frames, strict=True):
        if frame.empty:
            raise MalformedRecord(path, f"every row is of {shown(left_out)}: there are no facts")
    lists = _from_scores(paths, frames, facts, known)
    return [one._replace(negative=left_out or None) for one in lists]


def _read(path: Path | str) -> pd.DataFrame:
    """The columns of a list: codes of names, and numbers."""
    source = open_source(path)
    curve = {"precision", "recall"} <= set(source.names)
    needed = ("precision", "recall") if curve else (*FACT, "score")
    names = [source.column(name) for name in needed]
    if curve:
        given = [name for name in (*FACT, "score") if name in source.names]
        if 0 < len(set(FACT) & set(given)) < len(FACT):
            raise ValueError(f"{path}: facts are named by {', '.join(FACT)}; it has {listing(given)} only")
        names += given
    numbers = [name for name in names if name not in FACT]
    table = source.read(names, numbers=numbers)
    if not table.num_rows:
        raise MalformedRecord(path, f"there are no facts, only the columns {listing(source.names)}")
    return table.unify_dictionaries().to_pandas()


def _read_facts(path: Path | str) -> pd.DataFrame:
    source = open_source(path)
    table = source.read([source.column(name) for name in FACT])
    frame = table.unify_dictionaries().to_pandas()
    twice = frame.duplicated(list(FACT))
    if twice.any():
        line = _line(path, frame.index[int(twice.argmax())])
        logger.warning("%s: %d of the facts are listed again, the first in %s", path, twice.sum(), line)
    return frame[~twice]


def _negative_class(frames: Sequence[pd.DataFrame], path: Path | str) -> str | None:
    """The relation of these files with a well-known name of the negative class, None if there is none."""
    relations = dict.fromkeys(name for frame in frames for name in frame["relation"].unique())
    try:
        return find_negative(map(str, relations))
    except ValueError as error:
        raise ValueError(f"{path}: {error}, by --negative") from None


def _without(path: Path | str, frame: pd.DataFrame, negative: str | None, said: bool) -> pd.DataFrame:
    """The rows of other relations; what is left out is noted, unless it was asked for."""
    if not negative:
        return frame
    kept = frame["relation"] != negative
    if not kept.all():
        left_out = f"{(~kept).sum()} rows of {shown(negative)} are left out"
        if said:
            logger.info("%s: %s", path, left_out)
        else:
            why = f"the first in {_line(path, frame.index[~kept][0])}: the negative class by its name"
            logger.warning("%s: %s, %s (--negative '' keeps them)", path, left_out, why)
    return frame[kept]


def _line(path: Path | str, row: int) -> str:
    line = open_source(path).line(row)
    return f"row {row + 1}" if line is None else f"line {line}"


def _from_scores(
    paths: Sequence[Path | str], frames: list[pd.DataFrame], facts_path: Path | str, facts: pd.DataFrame
) -> list[FactList]:
    """Lists over the pairs of all files, in the order in which they first occur."""

    import pandas as pd

    names = {
        column: pd.unique(np.concatenate([frame[column].cat.categories for frame in (*frames, facts)]))
        for column in FACT
    }
    labels = names["relation"]
    coded = [
        # not astype: to pandas, categories in another order are the same type, and the codes would stay
        {
            one: frame[one].cat.set_categories(known).cat.codes.to_numpy(np.int64)
            for one, known in names.items()
        }
        for frame in (*frames, facts)
    ]
    pairs = [one["head"] * len(names["tail"]) + one["tail"] for one in coded]
    units, place = np.unique(np.concatenate(pairs), return_inverse=True)
    places = np.split(place, np.cumsum([len(one) for one in pairs])[:-1])
    true_cells = places[-1], coded[-1]["relation"]
    true = true_cells[0] * len(labels) + true_cells[1]
    of_relation = np.bincount(coded[-1]["relation"], minlength=len(labels))
    of_pair = np.bincount(places[-1], minlength=len(units))
    found = []
    for path, frame, codes, unit in zip(paths, frames, coded, places, strict=False):
        order = np.argsort(-frame["score"].to_numpy(), kind="stable")
        key = (unit * len(labels) + codes["relation"])[order]
        order, key = _once(path, frame, order, key)
        ranking = FactRanking.from_scores(
            frame["score"].to_numpy()[order],
            np.isin(key, true),
            None,
            codes["relation"][order],
            [str(label) for label in labels],
            of_relation,
        )
        rows = frame.index.to_numpy()[order]
        mine = _Rows(path, frame, rows, unit[order], codes["relation"][order])
        true_rows = _Rows(facts_path, facts, facts.index.to_numpy(), *true_cells)
        _say_what_is_missing(mine, true_rows, labels)
        found.append(FactList(ranking, str(path), unit[order], of_pair, true_cells))
    return found


def _once(
    path: Path | str, frame: pd.DataFrame, order: np.ndarray, key: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Each fact once, where its score is highest."""
    _, first = np.unique(key, return_index=True)
    if len(first) == len(key):
        return order, key
    again = np.setdiff1d(np.arange(len(key)), first)
    row = int(frame.index[order[again]].min())
    told = f"the first in {_line(path, row)}; the higher score counts"
    logger.warning("%s: %d of the facts are scored more than once, %s", path, len(again), told)
    first.sort()
    return order[first], key[first]


class _Rows(NamedTuple):
    """Facts of a file: path and frame, (N,) the row of each in it, its pair and its relation as numbers."""

    path: Path | str
    frame: pd.DataFrame
    rows: np.ndarray
    units: np.ndarray
    relations: np.ndarray

    def first(self, chosen: np.ndarray) -> int:
        """The place of the chosen fact that is first in the file."""
        places = np.flatnonzero(chosen)
        return int(places[self.rows[places].argmin()])

    def pair(self, place: int) -> str:
        """The pair of a fact, named."""
        return ", ".join(shown(self.frame[name].loc[self.rows[place]]) for name in FACT[:2])

    def line(self, place: int) -> str:
        """Where a fact stands."""
        return f"{self.path}, {_line(self.path, int(self.rows[place]))}"


def _say_what_is_missing(mine: _Rows, true: _Rows, labels: np.ndarray) -> None:
    """What one of the files has and the other has not, with the first place."""

    def note(told: str) -> None:
        logger.warning("%s: %s", mine.path, told)

    lost = ~np.isin(true.units, mine.units)
    if lost.any():
        at, pairs = true.first(lost), len(np.unique(true.units[lost]))
        where = f"the first is {true.pair(at)} in {true.line(at)}"
        told = f"true facts of pairs that it does not score: {lost.sum()} of {pairs} pairs"
        note(f"{told}, {where}; they count as not found")
    for (one, other), told, end in (
        ((true, mine), "relations of true facts are never scored", "their facts count as not found"),
        ((mine, true), "of the scored relations have no true fact", "macro-F1 counts them as 0"),
    ):
        alone = ~np.isin(one.relations, other.relations)
        if alone.any():
            at, many = one.first(alone), len(np.unique(one.relations[alone]))
            where = f"the first is {shown(labels[one.relations[at]])} in {one.line(at)}"
            note(f"{many} {told}, {where}; {end}")
    _say_what_is_not_scored(mine, labels)


def _say_what_is_not_scored(mine: _Rows, labels: np.ndarray) -> None:
    scored, of_pair = np.unique(mine.relations), np.bincount(mine.units)
    every = len(np.unique(mine.units)) * len(scored)
    if len(mine.units) == every:
        return
    at = mine.first(of_pair[mine.units] < len(scored))
    there = mine.relations[mine.units == mine.units[at]]
    relation = shown(labels[np.setdiff1d(scored, there)[0]])
    told = f"{every - len(mine.units)} of {every} combinations of a pair and a relation are not scored"
    where = f"the first is {relation} of {mine.pair(at)}, a pair of {_line(mine.path, int(mine.rows[at]))}"
    logger.warning("%s: %s, %s; they come after all others", mine.path, told, where)


def _from_curves(
    paths: Sequence[Path | str], frames: list[pd.DataFrame], n_facts: int | None
) -> list[FactList]:
    """Published lists; over the same pairs where each names all its facts and their numbers agree."""

    import pandas as pd

    frames = [
        frame.iloc[curve_order(frame["precision"].to_numpy(), frame["recall"].to_numpy())] for frame in frames
    ]
    rankings = [_curve(path, frame, n_facts) for path, frame in zip(paths, frames, strict=True)]
    lists = [FactList(ranking, str(path)) for path, ranking in zip(paths, rankings, strict=True)]
    named = [_is_named(path, frame) for path, frame in zip(paths, frames, strict=True)]
    whole = all(ranking.hits is not None for ranking in rankings)
    if not (whole and all(named) and len({ranking.facts for ranking in rankings}) == 1):
        return lists
    every = pd.concat([frame[list(FACT)].astype(str) for frame in frames], ignore_index=True)
    pair = every.groupby(["head", "tail"], sort=False).ngroup().to_numpy()
    fact = every.groupby(list(FACT), sort=False).ngroup().to_numpy()
    hits = np.concatenate([ranking.hits for ranking in rankings])
    true = np.bincount(fact[hits], minlength=fact.max() + 1) > 0
    _check_agreement(paths, frames, every, hits, true[fact])
    first = np.unique(fact, return_index=True)[1]  # one row of each fact
    of_pair = np.bincount(pair[first[true]], minlength=pair.max() + 1)
    of_pair = np.r_[
        of_pair, np.ones(rankings[0].facts - int(true.sum()), int)
    ]  # found by none: by themselves
    parts = np.split(pair, np.cumsum([len(frame) for frame in frames])[:-1])
    return [one._replace(pairs=part, facts_of_pair=of_pair) for one, part in zip(lists, parts, strict=True)]


def _curve(path: Path | str, frame: pd.DataFrame, n_facts: int | None) -> FactRanking:
    precision, recall = (frame[name].to_numpy() for name in ("precision", "recall"))
    with naming_file(path):
        facts = _number_of_facts(precision, recall) if n_facts is None else n_facts
        try:
            scores = frame["score"].to_numpy() if "score" in frame else None
            return FactRanking.from_curve(precision, recall, facts, scores)
        except ValueError as error:
            point, _, reason = str(error).removeprefix("point ").partition(": ")
            if not point.isdecimal():
                raise
            if n_facts is None and reason.endswith("fit no rank"):
                reason += f" ({facts} is what the list's end says, --n-facts N says otherwise)"
            row = int(frame.index[int(point) - 1])
            raise MalformedRecord(path, reason, open_source(path).line(row)) from None


def _is_named(path: Path | str, frame: pd.DataFrame) -> bool:
    """Whether every fact has the names of its entities; a fact that stands there twice is refused."""
    if "head" not in frame:
        return False
    unknown = (frame["head"] == UNKNOWN_ENTITY) | (frame["tail"] == UNKNOWN_ENTITY)
    if unknown.any():
        logger.warning(
            "%s: %d facts are of entities %s: facts are drawn, not pairs", path, unknown.sum(), UNKNOWN_ENTITY
        )
    named = frame.loc[~unknown, list(FACT)].astype(str)
    again = named.duplicated()
    if again.any():
        row = int(named.index[int(again.argmax())])
        same = (named == named.loc[row]).all(axis=1)
        fact = ", ".join(shown(name) for name in named.loc[row])
        reason = f"the fact {fact} is in {_line(path, int(named.index[int(same.argmax())]))} already"
        reason += ": precision and recall count it twice"
        raise MalformedRecord(path, reason, open_source(path).line(row))
    return not unknown.any()


def _check_agreement(
    paths: Sequence[Path | str],
    frames: Sequence[pd.DataFrame],
    names: pd.DataFrame,
    hits: np.ndarray,
    true: np.ndarray,
) -> None:
    """Refuse a fact that is true at one place and false at another."""
    odd = np.flatnonzero(hits != true)
    if not len(odd):
        return
    ends, row = np.cumsum([len(frame) for frame in frames]), int(odd[0])
    which = int(np.searchsorted(ends, row, side="right"))
    inside = row - (int(ends[which - 1]) if which else 0)
    fact = ", ".join(shown(one) for one in names.iloc[row])
    reason = f"the fact {fact} is false here and true elsewhere"
    line = open_source(paths[which]).line(int(frames[which].index[inside]))
    raise MalformedRecord(paths[which], reason, line)


def _number_of_facts(precision: np.ndarray, recall: np.ndarray) -> int:
    """hits / recall at the last rank, one row a rank."""
    for name, values in (("precision", precision), ("recall", recall)):
        if values.max() > 1:
            raise ValueError(f"{name} is up to {values.max():g}: fractions are needed, not per cent")
    end = int(np.argmax(recall))
    if recall[end] <= 0:
        raise ValueError(
            "no fact of the list is true, so it does not say how many there are: give their number"
        )
    return round(precision[end] * (end + 1) / recall[end])
