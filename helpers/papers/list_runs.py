"""Paper D (Gao et al. 2021): the published ranked lists of NYT10 and GIDS as run files.

`python -m helpers.papers.list_runs` writes them anew from the published files.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from ..data import (
    GIDS_RELATIONS,
    PUBLISHED_LISTS,
    UNKNOWN_ENTITY,
    PublishedList,
    locate,
    nyt10m_relations,
    read_curve,
    read_gids_probabilities,
    read_ranked_list,
    registered_file,
)
from ..metrics import FactRanking
from ..runs import RUNS_FOLDER, RankedFacts, Run, save_run

NEGATIVE = "NA"
DECIMALS = 6  # as the lists in text have them


def _list_labels(dataset: str) -> tuple[str, ...]:
    """The relations of 'nyt10' (53, in the order of Table A.1) or 'gids' (5), the negative class among them.

    >>> [len(_list_labels(dataset)) for dataset in ("nyt10", "gids")]
    [53, 5]
    """
    return GIDS_RELATIONS if dataset == "gids" else tuple(nyt10m_relations())


def _published_ranking(row: PublishedList) -> FactRanking:
    """A published list, with all that follows from its files.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    if row.files[0].endswith(".npz"):
        scores, gold = read_gids_probabilities(locate(row.files[0]))
        return FactRanking.from_matrix(scores, gold, GIDS_RELATIONS, NEGATIVE)
    files = [locate(file) for file in row.files]
    found = read_ranked_list(*files) if len(files) == 1 else read_curve(*files)
    ranking = FactRanking.from_curve(found.precision, found.recall, row.facts, found.scores)
    if found.facts is None:
        return ranking
    labels = [label for label in _list_labels(row.dataset) if label != NEGATIVE]
    relations = [labels.index(fact.relation) for fact in found.facts]
    return FactRanking.from_scores(found.scores, ranking.hits, row.facts, relations, labels)


def _published_list_runs() -> list[Run]:
    """A run of each of `PUBLISHED_LISTS`; the lists keep their order, scores are rounded.

    `pairs` are known of the probabilities, numbered as by `read_gids_probabilities`, and of the two lists in
    text that name every entity, numbered by first sight: in the others names may be `UNK`.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    return [_run(row) for row in PUBLISHED_LISTS]


def _run(row: PublishedList) -> Run:
    ranking, labels = _published_ranking(row), _list_labels(row.dataset)
    return Run.from_outcome(
        RankedFacts.from_ranking(ranking, "bag", labels, _pairs(row), DECIMALS),
        dataset=row.dataset,
        model=row.name,
        files={file: registered_file(file).sha256 for file in row.files},
        licence=row.licence,
        source=row.source,
        labels=labels,
        negative=NEGATIVE,
    )


def _pairs(row: PublishedList) -> list[int] | None:
    """The pair of each fact, in the order of the list; None where the list does not name all of them."""
    if row.files[0].endswith(".npz"):  # the order of `FactRanking.from_matrix`
        scores = read_gids_probabilities(locate(row.files[0]))[0][:, 1:]
        return (np.argsort(-scores.ravel(), kind="stable") // scores.shape[1]).tolist()
    named = _named_pairs(row.dataset)
    return named.get(row.name)


@cache
def _named_pairs(dataset: str) -> dict[str, list[int]]:
    """List → the pair of each fact, for lists that name every entity: one numbering for all of them."""
    numbers: dict[tuple[str, str], int] = {}
    found = {}
    for row in PUBLISHED_LISTS:
        if row.dataset != dataset or len(row.files) > 1 or row.files[0].endswith(".npz"):
            continue
        facts = read_ranked_list(locate(row.files[0])).facts or ()
        pairs = [(fact.head, fact.tail) for fact in facts]
        if pairs and not any(UNKNOWN_ENTITY in pair for pair in pairs):
            found[row.name] = [numbers.setdefault(pair, len(numbers)) for pair in pairs]
    return found


def _write_list_runs(folder: Path | str = RUNS_FOLDER) -> list[Path]:
    """Write the run of every published list; the paths, in the order of `PUBLISHED_LISTS`."""
    return [save_run(run, folder) for run in _published_list_runs()]


if __name__ == "__main__":
    print(*_write_list_runs(), sep="\n")
