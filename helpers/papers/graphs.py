"""Graph models and type restriction: R's row of C-GCN, W's Table 3 on open data, RECENT's leak.

TACRED's text is licensed, so RECENT and PTR are compared on sentence pairs of Re-DocRED, whose negatives are
drawn down to TACRED's share. Levels of the two corpora are not comparable, what differs among the systems is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .. import reporting
from ..data import pruned_heads
from ..evaluation import leak_table, system_title
from ..metrics import SCHEMES
from ..models import EMBEDDED, NO_ENCODER, model_entry
from ..runs import Run, list_runs, variant_name
from .direction import direction_table
from .weighting import printed_means

_FROM_SCRATCH = " vectors-scratch+tuned-True"
"""What the name of a run has behind it whose word vectors were drawn, see `experiments.studies`."""
FAR = 3
"""Distance of a word that is more than two steps off the path."""
DRAWN = "re_docred-drawn"
_DATA = {DRAWN: "Re-DocRED, drawn", "re_docred": "Re-DocRED, all", "tacred": "TACRED"}
AS_PUBLISHED = ", with the leak"
"""What the title of a system has behind it if negatives were forced, as RECENT's released code does."""
WITHOUT_TYPES = " without types"
"""What the title of RECENT's control has behind it: the same two steps, which do not read the types."""


def tree_words(
    words: Sequence[str], heads: Sequence[int], subject: Sequence[int], object_: Sequence[int]
) -> pd.DataFrame:
    """A tree for `tree_chart`: word, head, distance from the path between the entities, entity.

    Parameters
    ----------
    words, heads : as in `pruned_heads`: heads from 1, 0 for the root. subject, object_ : positions from 0.

    `distance` : the smallest K with which `pruned_heads` keeps the word, `FAR` beyond 2, −1 for words that
    are not below the lowest common ancestor of the entities.

    >>> tree_words("He likes cold tea".split(), [2, 0, 4, 2], [0], [3])["distance"].tolist()
    [0, 0, 1, 0]
    """
    distance = np.full(len(words), -1)
    for name, limit in ((FAR, math.inf), (2, 2), (1, 1), (0, 0)):
        distance[pruned_heads(heads, subject, object_, limit) >= 0] = name
    entity = np.isin(np.arange(len(words)), [*subject, *object_])
    return pd.DataFrame({"word": words, "head": heads, "distance": distance, "entity": entity})


@dataclass(frozen=True)
class PairSystems:
    """Runs of systems that were trained on a corpus with entity types: RECENT, its bases, PTR."""

    runs: Sequence[Run]

    @classmethod
    def stored(cls, dataset: str = DRAWN) -> PairSystems:
        """The stored ones, by title and seed.

        >>> PairSystems.title(PairSystems.stored().runs[0])
        'CNN epochs-40'
        """
        runs = list_runs(dataset, profile="standard", kind="confusion", split="test")
        return cls(sorted(runs, key=lambda run: (cls.title(run), run.seed or 0)))

    @staticmethod
    def title(run: Run) -> str:
        """The name of a system: of type restriction 'RECENT(EM-ES)', of its control 'RECENT(EM-ES) without
        types', both with `AS_PUBLISHED` behind it if they were evaluated so.

        In the brackets stands the base as its own runs are named, with what is unusual about it (settings,
        options, another encoder than the embedded one), so that two variants of one base have two titles.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a"], ["a"])
        >>> about = {"base": "svm", "markers": True, "typed": False}
        >>> run = {"dataset": "d", "model": "RECENT", "variant": "base-svm+markers-True+C-2+typed-False"}
        >>> PairSystems.title(Run.from_outcome(table, options=about | {"evaluation": "corrected"}, **run))
        'RECENT(SVM-EM C-2) without types'
        """
        about = run.options
        encoder = "" if run.encoder in (None, EMBEDDED, NO_ENCODER) else f" {run.encoder}"
        if "evaluation" not in about:
            return f"{run.name}{encoder}"
        entry = model_entry(about["base"])
        named = ("base", "evaluation", "typed", *entry.suffixes)
        said = {name: about[name] for name in named if name in about}
        unusual = [part for part in run.variant.split("+") if part not in variant_name(said, {}).split("+")]
        base = f"{entry.full_title(about)} {'+'.join(unusual)}".strip() + encoder
        types = "" if about.get("typed", True) else WITHOUT_TYPES
        return f"{run.model}({base}){types}{AS_PUBLISHED if about['evaluation'] == 'as-published' else ''}"

    def scores(self) -> pd.DataFrame:
        """F1 under the printed schemes, a row for each run and scheme; columns as `per_seed`, model: title.

        >>> PairSystems([]).scores().columns.tolist()
        ['dataset', 'model', 'encoder', 'seed', 'score', 'value']
        """
        with warnings.catch_warnings():  # its mix of devices is said where its scores stand
            warnings.filterwarnings("ignore", r"runs of RECENT\(C-GCN\)")
            scores = reporting.per_seed(self.runs, reporting.scheme_scores, self.title)
        return scores[scores["score"].isin(list(SCHEMES))].reset_index(drop=True)

    def shares(self) -> pd.DataFrame:
        """What a system's score is made of, per cent of counts that are added over its seeds.

        Returns index system; columns detected (of the positive samples, those answered with any relation),
        named (of these, those with the right one), false_alarms (of the negative samples, those answered with
        a relation); nan of nothing. In the order of the runs.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a", "a", "b", "b", "NA"], ["a", "b", "NA", "a", "a"])
        >>> run = Run.from_outcome(table, dataset="d", model="m", negative="NA")
        >>> PairSystems([run]).shares().round(1).values.tolist()
        [[75.0, 33.3, 100.0]]
        """
        rows = []
        for run in self.runs:
            table = run.outcome().per_class()
            negative = table.labels.index(run.negative)
            negatives, quiet = table.gold[negative], table.correct[negative]
            positives, named = table.n - negatives, table.correct.sum() - quiet
            detected = positives - (table.predicted[negative] - quiet)
            rows.append((self.title(run), detected, positives, named, negatives - quiet, negatives))
        columns = ["system", "detected", "positives", "named", "false_alarms", "negatives"]
        sums = pd.DataFrame(rows, columns=columns).groupby("system", sort=False).sum()
        of = {"detected": "positives", "named": "detected", "false_alarms": "negatives"}
        shares = {part: 100 * (sums[part] / sums[whole]) for part, whole in of.items()}
        return pd.DataFrame(shares, sums.index)

    def gains(self) -> pd.DataFrame:
        """What each part of RECENT gains around each base: points of F1, means over common seeds.

        Returns columns dataset, base, scheme; alone, two_steps (the control, which does not read the types)
        and RECENT (per cent); steps (two_steps − alone), types (RECENT − two_steps), leak (RECENT as
        published − RECENT); runs. A base without all four kinds of runs is left out.

        >>> PairSystems.stored().gains()["base"].unique().tolist()
        ['CNN epochs-40', 'EM-ES', 'SVM-EM']
        """
        scores = self.scores()
        scores["seed"] = scores["seed"].fillna(0)  # nothing is drawn at random
        around = scores["model"].str.extract(r"^RECENT\((?P<base>.*)\)(?P<kind>.*)$")
        kinds = {WITHOUT_TYPES: "two_steps", "": "RECENT", AS_PUBLISHED: "leaky"}
        around = scores.assign(base=around["base"], kind=around["kind"].map(kinds)).dropna(subset="kind")
        keys = ["dataset", "base", "score"]
        wide = around.pivot(index=[*keys, "seed"], columns="kind", values="value")
        wide = wide.reindex(columns=["alone", *kinds.values()])
        alone = scores.rename(columns={"model": "base"}).set_index([*keys, "seed"])["value"]
        # a base that draws nothing at random has one run, without a seed: it stands beside every seed
        means = alone.groupby(level=keys).mean().reindex(wide.index.droplevel("seed"))
        wide["alone"] = alone.reindex(wide.index).fillna(pd.Series(means.to_numpy(), wide.index))
        groups = wide.dropna().groupby(level=keys)
        gains = (100 * groups.mean()).assign(runs=groups.size())
        gains = gains.rename_axis(index={"score": "scheme"}, columns=None).reset_index()
        parts = ["alone", *kinds.values()]
        gains[["steps", "types", "leak"]] = gains[parts].diff(axis=1)[parts[1:]]
        columns = [*parts[:-1], "steps", "types", "leak", "runs"]
        gains = gains.sort_values("scheme", key=pd.Index(SCHEMES).get_indexer, kind="stable")
        gains = gains.sort_values("base", kind="stable", ignore_index=True)
        return gains[["dataset", "base", "scheme", *columns]]


def restriction_table(rows: pd.DataFrame, *datasets: str) -> pd.DataFrame:
    """W's Table 3 as printed, and ours under it: per cent, mean ± SD over seeds; the best micro first.

    rows : `17_restriction.csv` of notebook 17, or such rows. datasets : in this order.
    Without datasets `DRAWN`. Columns data, system, runs, then schemes.

    >>> restriction_table(reporting.tidy_runs(pd.DataFrame())).iloc[1].tolist()[:4]
    ['TACRED, published', 'PTR', '5', '72.5 ± 0.3']
    """
    parts = [printed_means("Table 3").loc[["RECENT", "PTR"]].assign(data="TACRED, published", runs="5")]
    for dataset in datasets or (DRAWN,):
        means = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == "mean")]
        means = means[means["scheme"] == "micro"].sort_values("value", ascending=False).set_index("model")
        ours = reporting.mean_sd_texts(rows, dataset, 1).droplevel("metric", axis=1).loc[means.index]
        runs = means["runs"].astype(int).astype(str)
        parts.append(ours.assign(data=f"{_DATA.get(dataset, dataset)}, ours", runs=runs))
    return pd.concat(parts).rename_axis("system").reset_index()[["data", "system", "runs", *SCHEMES]]


def leak_effects(runs: Iterable[Run]) -> pd.DataFrame:
    """The leak over several systems of one data set: how much it gives, and how it changes their order.

    Returns index scheme; columns systems, least, median, most (points of F1), tau (Kendall's τ_b of the two
    orders), first (the best system), first_leaked.

    Raises ValueError as `leak_table`.
    """
    table = leak_table(runs, SCHEMES)
    groups = table.assign(gain=100 * table["gain"]).groupby("scheme", sort=False)
    effects = groups["gain"].agg(systems="size", least="min", median="median", most="max")
    effects["tau"] = [part["score"].corr(part["leaked"], "kendall") for _, part in groups]
    for name, score in {"first": "score", "first_leaked": "leaked"}.items():
        effects[name] = table.loc[groups[score].idxmax(), "model"].map(system_title).to_numpy()
    return effects


def graph_table(rows: pd.DataFrame) -> pd.DataFrame:
    """`direction_table` of graph models: R's row of C-GCN and ours, and what the word vectors of ours are;
    those with spaCy's parses last.

    rows : as `direction_rows` gives them of graph models, or `read_tidy` of their file. Returns index model;
    columns numbers (published, or ours), runs, A, B, PD, PIR, PPR.

    >>> from .direction import direction_rows
    >>> graph_table(direction_rows([], pd.DataFrame())).loc["C-GCN", ["numbers", "A"]].tolist()
    ['published', '84.79']
    """
    by_spacy = direction_table(rows, "semeval2010-spacy-text")
    by_spacy["model"] += ", spaCy's parses"
    table = pd.concat([direction_table(rows), by_spacy], ignore_index=True)
    table = table[table["model"].str.contains("GCN") & table["PPR"].ne("–")]
    ours = table["model"].str.endswith(_FROM_SCRATCH).map({True: "ours", False: "ours, word pieces"})
    numbers = table["encoder"].where(table["encoder"] == "published", ours)
    model = table["model"].str.replace(_FROM_SCRATCH, ", vectors from scratch")
    table = table.drop(columns="encoder").assign(model=model)
    table.insert(1, "numbers", numbers)
    return table.set_index("model")
