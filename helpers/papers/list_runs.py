"""Paper D (Gao et al. 2021): the published ranked lists of NYT10 and GIDS as run files.

`python -m helpers.papers.list_runs` writes them anew from the published files.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from .. import data
from ..metrics import FactRanking
from ..runs import RUNS_FOLDER, RankedFacts, Run, save_run

NEGATIVE = "NA"
DECIMALS = 6  # as the lists in text have them


def _published_list_runs() -> list[Run]:
    """A run of each of `PUBLISHED_LISTS`; the lists keep their order, scores are rounded.

    `pairs` are known of the probabilities, numbered as by `read_gids_probabilities`, and of the two lists in
    text that name every entity, numbered by first sight: in the others names may be `UNK`.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    numbers: dict[tuple[str, str], int] = {}
    return [_run(row, numbers) for row in data.PUBLISHED_LISTS]


def _run(row: data.PublishedList, numbers: dict[tuple[str, str], int]) -> Run:
    labels = data.GIDS_RELATIONS if row.dataset == "gids" else tuple(data.nyt10m_relations())
    if row.files[0].endswith(".npz"):
        ranking, pairs = _of_probabilities(*data.read_gids_probabilities(data.locate(row.files[0])))
    else:
        ranking, pairs = _of_list(row, labels, numbers)
    return Run.from_outcome(
        RankedFacts.from_ranking(ranking, "bag", labels, pairs, DECIMALS),
        dataset=row.dataset,
        model=row.name,
        files={file: data.registered_file(file).sha256 for file in row.files},
        licence=row.licence,
        source=row.source,
        labels=labels,
        negative=NEGATIVE,
    )


def _of_probabilities(scores: np.ndarray, gold: np.ndarray) -> tuple[FactRanking, list[int]]:
    """The ranking of a matrix, and the pair of each fact, in the order of `FactRanking.from_matrix`."""
    order = np.argsort(-scores[:, 1:].ravel(), kind="stable")
    ranking = FactRanking.from_matrix(scores, gold, data.GIDS_RELATIONS, NEGATIVE)
    return ranking, (order // (scores.shape[1] - 1)).tolist()


def _of_list(
    row: data.PublishedList, labels: tuple[str, ...], numbers: dict[tuple[str, str], int]
) -> tuple[FactRanking, list[int] | None]:
    """The ranking of a list in text, with all that follows from it, and the pair of each fact: one numbering
    for all lists, None where a list does not name all of them."""
    files = [data.locate(file) for file in row.files]
    read = data.read_ranked_list(*files) if len(files) == 1 else data.read_curve(*files)
    ranking = FactRanking.from_curve(read.precision, read.recall, row.facts, read.scores)
    if read.facts is None:
        return ranking, None
    positive = [label for label in labels if label != NEGATIVE]
    relations = [positive.index(fact.relation) for fact in read.facts]
    ranking = FactRanking.from_scores(read.scores, ranking.hits, row.facts, relations, positive)
    named = [(fact.head, fact.tail) for fact in read.facts]
    if any(data.UNKNOWN_ENTITY in pair for pair in named):
        return ranking, None
    return ranking, [numbers.setdefault(pair, len(numbers)) for pair in named]


def _write_list_runs(folder: Path | str = RUNS_FOLDER) -> list[Path]:
    """Write the run of every published list; the paths, in the order of `PUBLISHED_LISTS`."""
    return [save_run(run, folder) for run in _published_list_runs()]


if __name__ == "__main__":
    print(*_write_list_runs(), sep="\n")
