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
from ..data import UNKNOWN_ENTITY, as_frame, open_source
from ..metrics import CurveFault, FactRanking, FactSample, curve_order

if TYPE_CHECKING:
    import pandas as pd

    Rows = tuple[Path | str, pd.DataFrame, pd.DataFrame]  # file, rows by name, rows in codes

logger = logging.getLogger(__name__)
FACT = ["head", "tail", "relation"]


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
    scored = [path for path, frame in zip(paths, frames, strict=True) if "precision" not in frame]
    if facts is None:
        if scored:
            asked = "which of these facts are true? Give the file of true facts, --facts FACTS"
            raise ValueError(f"{scored[0]}: {asked}")
        return _from_curves(paths, frames, n_facts)
    true = _read_facts(facts)
    if len(scored) < len(frames):
        curve = next(path for path in paths if path not in scored)
        reason = "a list of precision and recall says itself which facts are true"
        raise ValueError(f"{curve}: {reason}; it takes no --facts, and cannot be compared with scored facts")
    left_out = _negative_class([*frames, true], paths[0]) if negative is None else negative
    every = dict(enumerate(zip((*paths, facts), (*frames, true), strict=True)))
    if left_out:
        every = {
            number: (path, _without(path, frame, left_out, is_given=negative is not None))
            for number, (path, frame) in every.items()
        }
    return _from_scores([*every.values()], left_out or None)


def _read(path: Path | str) -> pd.DataFrame:
    """The columns of a list: codes of names, and numbers; the index is the row in the file."""
    source = open_source(path)
    curve = {"precision", "recall"} <= set(source.names)
    names = [source.column(name) for name in (("precision", "recall") if curve else (*FACT, "score"))]
    if curve:
        given = [name for name in (*FACT, "score") if name in source.names]
        if 0 < len({*FACT} & {*given}) < len(FACT):
            raise ValueError(f"{path}: facts are named by {', '.join(FACT)}; it has {listing(given)} only")
        names += given
    table = source.read(names, numbers=[name for name in names if name not in FACT])
    if not len(table[names[0]]):
        raise MalformedRecord(path, f"there are no facts, only the columns {listing(source.names)}")
    return as_frame(table)


def _read_facts(path: Path | str) -> pd.DataFrame:
    source = open_source(path)
    frame = as_frame(source.read([source.column(name) for name in FACT]))
    twice = frame.duplicated(FACT)
    if twice.any():
        line = _where(path, frame.index[twice][0])
        logger.warning("%s: %d of the facts are listed again, the first in %s", path, twice.sum(), line)
    return frame[~twice]


def _negative_class(frames: Sequence[pd.DataFrame], path: Path | str) -> str | None:
    """The relation of these files with a well-known name of the negative class, None if there is none."""
    relations = dict.fromkeys(name for frame in frames for name in frame["relation"].unique())
    try:
        return find_negative(map(str, relations))
    except ValueError as error:
        raise ValueError(f"{path}: {error}, by --negative") from None


def _without(path: Path | str, frame: pd.DataFrame, negative: str, is_given: bool) -> pd.DataFrame:
    """The rows of other relations; what is left out is noted, unless it was asked for."""
    kept = frame["relation"] != negative
    if not kept.all():
        left_out = f"{(~kept).sum()} rows of {shown(negative)} are left out"
        if is_given:
            logger.info("%s: %s", path, left_out)
        else:
            why = f"the first in {_where(path, frame.index[~kept][0])}: the negative class by its name"
            logger.warning("%s: %s, %s (--negative '' keeps them)", path, left_out, why)
    return frame[kept]


def _where(path: Path | str, row: int) -> str:
    return open_source(path).where(int(row))


def _from_scores(files: Sequence[tuple[Path | str, pd.DataFrame]], negative: str | None) -> list[FactList]:
    """Lists over the pairs of all files, of which the last holds the true facts."""
    import pandas as pd

    frames = [frame for _, frame in files]
    if frames[-1].empty:
        raise MalformedRecord(files[-1][0], "there are no true facts")
    for path, frame in files:
        if frame.empty:
            raise MalformedRecord(path, f"every row is of {shown(negative)}: there are no facts")
    names = {
        column: pd.unique(np.concatenate([frame[column].cat.categories for frame in frames]))
        for column in FACT
    }
    labels = names["relation"]
    # not astype: to pandas, categories in another order are the same type, and the codes would stay
    coded = [
        pd.DataFrame(
            {
                column: frame[column].cat.set_categories(known).cat.codes.astype(int)
                for column, known in names.items()
            }
        )
        for frame in frames
    ]
    every = pd.concat(coded, keys=range(len(coded)))
    every["pair"] = every.groupby(["head", "tail"]).ngroup()
    every["fact"] = every["pair"] * len(labels) + every["relation"]
    *lists, true = (part.droplevel(0) for _, part in every.groupby(level=0))
    of_relation = np.bincount(true["relation"], minlength=len(labels))
    of_pair = np.bincount(true["pair"], minlength=every["pair"].max() + 1)
    true_cells = true["pair"].to_numpy(), true["relation"].to_numpy()
    read = []
    for (path, frame), mine in zip(files, lists, strict=False):
        mine = mine.assign(score=frame["score"]).sort_values("score", ascending=False, kind="stable")
        again = mine.duplicated("fact")
        if again.any():
            first = f"the first in {_where(path, mine.index[again].min())}; the higher score counts"
            logger.warning("%s: %d of the facts are scored more than once, %s", path, again.sum(), first)
            mine = mine[~again]
        hits, relations = mine["fact"].isin(true["fact"]), mine["relation"].to_numpy()
        ranking = FactRanking.from_scores(
            mine["score"], hits, None, relations, [str(label) for label in labels], of_relation
        )
        _note_missing((path, frame, mine), (*files[-1], true), labels)
        read.append(FactList(ranking, str(path), mine["pair"].to_numpy(), of_pair, true_cells, negative))
    return read


def _note_missing(mine: Rows, true: Rows, labels: np.ndarray) -> None:
    """What one of the files has and the other has not, with the first line."""

    def note(said: str, file: Rows, rows: pd.DataFrame, columns: list[str], end: str) -> None:
        path, names, _ = file
        row = rows.index.min()
        where = f"the first is {_names(names.loc[row], columns)} in {path}, {_where(path, row)}"
        logger.warning("%s: %s, %s; %s", mine[0], said, where, end)

    path, names, scored = mine
    facts = true[2]
    lost = facts[~facts["pair"].isin(scored["pair"])]
    if len(lost):
        said = f"true facts of pairs that it does not score: {len(lost)} of {lost['pair'].nunique()} pairs"
        note(said, true, lost, FACT[:2], "they count as not found")
    for file, other, said, end in (
        (true, mine, "relations of true facts are never scored", "their facts count as not found"),
        (mine, true, "of the scored relations have no true fact", "macro-F1 counts them as 0"),
    ):
        alone = file[2][~file[2]["relation"].isin(other[2]["relation"])]
        if len(alone):
            note(f"{alone['relation'].nunique()} {said}", file, alone, FACT[2:], end)
    relations, of_pair = np.unique(scored["relation"]), scored["pair"].value_counts()
    missing = len(relations) * len(of_pair) - len(scored)
    if missing:
        row = scored.index[scored["pair"].map(of_pair) < len(relations)].min()
        there = scored.loc[scored["pair"] == scored.loc[row, "pair"], "relation"]
        relation = shown(labels[np.setdiff1d(relations, there)[0]])
        pair = _names(names.loc[row], FACT[:2])
        said = f"{missing} of {missing + len(scored)} combinations of a pair and a relation are not scored"
        where = f"the first is {relation} of {pair}, a pair of {_where(path, row)}"
        logger.warning("%s: %s, %s; they come after all others", path, said, where)


def _from_curves(
    paths: Sequence[Path | str], frames: list[pd.DataFrame], n_facts: int | None
) -> list[FactList]:
    """Published lists; over the same pairs where each names all its facts and their numbers agree."""
    import pandas as pd

    frames = [
        frame.iloc[curve_order(frame["precision"].to_numpy(), frame["recall"].to_numpy())] for frame in frames
    ]
    lists = [
        FactList(_curve(path, frame, n_facts), str(path)) for path, frame in zip(paths, frames, strict=True)
    ]
    rankings = [each.ranking for each in lists]
    is_named = [_is_named(path, frame) for path, frame in zip(paths, frames, strict=True)]
    is_whole = all(ranking.hits is not None for ranking in rankings)
    if not (is_whole and all(is_named) and len({ranking.facts for ranking in rankings}) == 1):
        return lists
    every = pd.concat([frame[FACT].astype(str) for frame in frames], keys=range(len(frames)))
    every["hit"] = np.concatenate([ranking.hits for ranking in rankings])
    every["is_true"] = every.groupby(FACT, sort=False)["hit"].transform("any")
    wrong = every[every["hit"] != every["is_true"]]
    if len(wrong):
        number, row = wrong.index.to_list()[0]
        reason = f"the fact {_names(wrong.iloc[0])} is false here and true elsewhere"
        raise MalformedRecord(paths[number], reason, open_source(paths[number]).line(row))
    every["pair"] = every.groupby(FACT[:2], sort=False).ngroup()
    true = every[every["is_true"]].drop_duplicates(FACT)
    of_pair = np.bincount(true["pair"], minlength=every["pair"].max() + 1)
    # true facts that none of the lists holds are units by themselves
    of_pair = np.r_[of_pair, np.ones(rankings[0].facts - len(true), int)]
    pairs = (part.to_numpy() for _, part in every.groupby(level=0)["pair"])
    return [each._replace(pairs=part, facts_of_pair=of_pair) for each, part in zip(lists, pairs, strict=True)]


def _names(row: pd.Series, columns: Sequence[str] = FACT) -> str:
    return ", ".join(shown(name) for name in row[[*columns]])


def _curve(path: Path | str, frame: pd.DataFrame, n_facts: int | None) -> FactRanking:
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


def _is_named(path: Path | str, frame: pd.DataFrame) -> bool:
    """Whether every fact has the names of its entities; a fact that stands there twice is refused."""
    if "head" not in frame:
        return False
    unknown = (frame["head"] == UNKNOWN_ENTITY) | (frame["tail"] == UNKNOWN_ENTITY)
    if unknown.any():
        said = f"{unknown.sum()} facts are of entities {UNKNOWN_ENTITY}: facts are drawn, not pairs"
        logger.warning("%s: %s", path, said)
    named = frame.loc[~unknown, FACT].astype(str)
    again = named.duplicated()
    if again.any():
        row = named.index[again][0]
        first = named.index[(named == named.loc[row]).all(axis=1)][0]
        reason = f"the fact {_names(named.loc[row])} is in {_where(path, first)} already"
        reason += ": precision and recall count it twice"
        raise MalformedRecord(path, reason, open_source(path).line(int(row)))
    return not unknown.any()


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
