"""Ranked lists of facts from files: scored facts beside true ones, or published precision–recall lists.

What a user may not have meant is logged as a warning with its line, and counted as `read_fact_lists` says;
what contradicts itself is refused.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from helpers.core import MalformedRecord, listing, naming_file, shown
from helpers.data import UNKNOWN_ENTITY, open_source
from helpers.metrics import FactRanking, FactSample

logger = logging.getLogger(__name__)
FACT = ("head", "tail", "relation")


class FactList(NamedTuple):
    """A ranked list as it was read.

    ranking : the list. path : its file. pairs : (N,) the entity pair of each predicted fact, positions into
        `facts_of_pair`; None where the file does not name them. facts_of_pair : (U,) true facts of each.
    true : pairs and relations of all true facts, positions; None where they are not known.
    """

    ranking: FactRanking
    path: str
    pairs: np.ndarray | None = None
    facts_of_pair: np.ndarray | None = None
    true: tuple[np.ndarray, np.ndarray] | None = None

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
        and recall, one row for every rank, with score, head, tail and relation if they are known.
    facts : the true facts, with the columns head, tail and relation: for scored facts.
    negative : rows of this relation are left out, in both files.
    n_facts : number of true facts behind a published curve; None: what precision, recall and the number of
        the last row say.

    A fact that is scored twice counts where its score is higher, a true fact that is listed twice counts
    once; a true fact of a pair or a relation that is never scored counts as not found. All of it is logged.

    Raises
    ------
    ValueError : as `open_source`; a column that is missing; scored facts without `facts`.
    MalformedRecord : with its line: no row, a score that is no number, precision and recall that fit no rank.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "published.csv")
    ...     _ = path.write_text("precision,recall\\n1,0.25\\n0.5,0.25\\n0.666667,0.5\\n")
    ...     ranking = read_fact_lists([path])[0].ranking
    >>> ranking.hits.tolist(), ranking.facts
    ([True, False, True], 4)
    """
    frames = [_read(path) for path in paths]
    known = _read_facts(facts, negative) if facts is not None else None
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
    frames = [_without(path, frame, negative) for path, frame in zip(paths, frames, strict=True)]
    return _from_scores(paths, frames, known)


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


def _read_facts(path: Path | str, negative: str | None) -> pd.DataFrame:
    source = open_source(path)
    table = source.read([source.column(name) for name in FACT])
    frame = _without(path, table.unify_dictionaries().to_pandas(), negative)
    if frame.empty:
        raise MalformedRecord(path, "there are no true facts")
    twice = frame.duplicated(list(FACT))
    if twice.any():
        line = _line(path, frame.index[int(twice.argmax())])
        logger.warning("%s: %d of the facts are listed again, the first in %s", path, twice.sum(), line)
    return frame[~twice]


def _without(path: Path | str, frame: pd.DataFrame, negative: str | None) -> pd.DataFrame:
    if not negative:
        return frame
    kept = frame["relation"] != negative
    if not kept.all():
        logger.info("%s: %d rows of %s are left out", path, (~kept).sum(), shown(negative))
    return frame[kept]


def _line(path: Path | str, row: int) -> str:
    line = open_source(path).line(row)
    return f"row {row + 1}" if line is None else f"line {line}"


def _from_scores(
    paths: Sequence[Path | str], frames: list[pd.DataFrame], facts: pd.DataFrame
) -> list[FactList]:
    """Lists over the pairs of all files, in the order in which they first occur."""
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
    true = places[-1] * len(labels) + coded[-1]["relation"]
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
        _say_what_is_missing(path, unit, places[-1], codes["relation"], coded[-1]["relation"], labels)
        found.append(FactList(ranking, str(path), unit[order], of_pair, (places[-1], coded[-1]["relation"])))
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


def _say_what_is_missing(
    path: Path | str,
    units: np.ndarray,
    true_units: np.ndarray,
    relations: np.ndarray,
    true_relations: np.ndarray,
    labels: np.ndarray,
) -> None:
    lost = np.setdiff1d(true_units, units)
    if len(lost):
        missed = int(np.isin(true_units, lost).sum())
        told = f"true facts of pairs that it does not score: {missed} of {len(lost)} pairs"
        logger.warning("%s: %s; they count as not found", path, told)
    unknown = np.setdiff1d(true_relations, relations)
    if len(unknown):
        told = f"{len(unknown)} relations of true facts are never scored, the first is "
        logger.warning("%s: %s%s; their facts count as not found", path, told, shown(labels[unknown[0]]))
    scored = len(np.unique(units)) * len(np.unique(relations))
    if len(units) < scored:
        told = f"{scored - len(units)} of {scored} combinations of a pair and a relation are not scored"
        logger.info("%s: %s; they come after all others", path, told)


def _from_curves(
    paths: Sequence[Path | str], frames: list[pd.DataFrame], n_facts: int | None
) -> list[FactList]:
    """Published lists; over the same pairs where each names all its facts and their numbers agree."""
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
    _check_agreement(paths, [len(frame) for frame in frames], every, hits, true[fact])
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
            if n_facts is None:
                reason += f" ({facts} is what the list's end says, --n-facts N says otherwise)"
            raise MalformedRecord(path, reason, open_source(path).line(int(point) - 1)) from None


def _is_named(path: Path | str, frame: pd.DataFrame) -> bool:
    """Whether every fact has the names of its entities."""
    if "head" not in frame:
        return False
    unknown = (frame["head"] == UNKNOWN_ENTITY) | (frame["tail"] == UNKNOWN_ENTITY)
    if unknown.any():
        logger.warning(
            "%s: %d facts are of entities %s: facts are drawn, not pairs", path, unknown.sum(), UNKNOWN_ENTITY
        )
    return not unknown.any()


def _check_agreement(
    paths: Sequence[Path | str], sizes: Sequence[int], names: pd.DataFrame, hits: np.ndarray, true: np.ndarray
) -> None:
    """Refuse a fact that is true at one place and false at another."""
    odd = np.flatnonzero(hits != true)
    if not len(odd):
        return
    ends, row = np.cumsum(sizes), int(odd[0])
    which = int(np.searchsorted(ends, row, side="right"))
    inside = row - (int(ends[which - 1]) if which else 0)
    fact = ", ".join(shown(one) for one in names.iloc[row])
    reason = f"the fact {fact} is false here and true elsewhere"
    raise MalformedRecord(paths[which], reason, open_source(paths[which]).line(inside))


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
