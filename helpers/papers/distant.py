"""Paper D (Gao et al. 2021): published ranked lists of facts as run files.

`python -m helpers.papers.distant` writes them anew from the published files.
"""

from __future__ import annotations

from helpers.data import (
    GIDS_RELATIONS,
    PublishedList,
    locate,
    nyt10m_relations,
    read_curve,
    read_gids_probabilities,
    read_ranked_list,
)
from helpers.metrics import FactRanking


def published_ranking(row: PublishedList) -> FactRanking:
    """A published list, with all that follows from its files.

    Raises
    ------
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    files = [locate(file) for file in row.files]
    if row.files[0].endswith(".npz"):
        scores, gold = read_gids_probabilities(files[0])
        return FactRanking.from_matrix(scores, gold, GIDS_RELATIONS, "NA")
    found = read_ranked_list(files[0]) if len(files) == 1 else read_curve(*files)
    return FactRanking.from_curve(found.precision, found.recall, row.facts, found.scores)
