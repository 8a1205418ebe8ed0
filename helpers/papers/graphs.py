"""Graph models and type restriction: R's row of C-GCN, W's Table 3 on open data, RECENT's leak.

TACRED's text is licensed, so RECENT and PTR are compared on sentence pairs of Re-DocRED, whose negatives are
drawn down to TACRED's share. Levels of the two corpora are not comparable, what differs among the systems is.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import kendalltau

from .. import reporting
from ..data import pruned_heads
from ..evaluation import leak_table, system_title
from ..metrics import SCHEMES, Policy
from ..models import EMBEDDED, NO_ENCODER, model_entry
from ..runs import STUDIES_FOLDER, Run, list_runs, variant_name
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


def kept_words(tree: pd.DataFrame) -> pd.DataFrame:
    """What of a tree of `tree_words` is read at each distance K: index K, columns words (how many), read."""
    kept = {f"{k:g}": tree[tree["distance"].between(0, k)] for k in (0, 1, 2, math.inf)}
    kept["the whole tree"] = tree
    rows = {name: [len(part), " ".join(part["word"])] for name, part in kept.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["words", "read"]).rename_axis("K")


def pair_runs(dataset: str = DRAWN) -> list[Run]:
    """The stored runs of systems that were trained on a corpus with entity types, by title and seed.

    >>> restricted_title(pair_runs()[0])
    'CNN epochs-40'
    """
    runs = list_runs(dataset, profile="standard", kind="confusion", split="test")
    return sorted(runs, key=lambda run: (restricted_title(run), run.seed or 0))


def restricted_title(run: Run) -> str:
    """The name of a system: of type restriction 'RECENT(EM-ES)', of its control 'RECENT(EM-ES) without
    types', both with `AS_PUBLISHED` behind it if they were evaluated so.

    In the brackets stands the base as its own runs are named, with what is unusual about it (settings,
    options, another encoder than the embedded one), so that two variants of one base have two titles.

    >>> from helpers.metrics import Outcome
    >>> table, about = Outcome.from_columns(["a"], ["a"]), {"base": "svm", "markers": True, "typed": False}
    >>> run = {"dataset": "d", "model": "RECENT", "variant": "base-svm+markers-True+C-2+typed-False"}
    >>> restricted_title(Run.from_outcome(table, options=about | {"evaluation": "corrected"}, **run))
    'RECENT(SVM-EM C-2) without types'
    """
    about = run.options
    encoder = "" if run.encoder in (None, EMBEDDED, NO_ENCODER) else f" {run.encoder}"
    if "evaluation" not in about:
        return f"{run.name}{encoder}"
    entry = model_entry(about["base"])
    said = {name: about[name] for name in ("base", "evaluation", "typed", *entry.suffixes) if name in about}
    unusual = [part for part in run.variant.split("+") if part not in variant_name(said, {}).split("+")]
    base = f"{entry.full_title(about)} {'+'.join(unusual)}".strip() + encoder
    types = "" if about.get("typed", True) else WITHOUT_TYPES
    return f"{run.model}({base}){types}{AS_PUBLISHED if about['evaluation'] == 'as-published' else ''}"


def pair_scores(runs: Iterable[Run]) -> pd.DataFrame:
    """F1 under the printed schemes, one row for each run and scheme; columns as `per_seed`, model the title.

    >>> pair_scores([]).columns.tolist()
    ['dataset', 'model', 'encoder', 'seed', 'score', 'value']
    """
    with warnings.catch_warnings():  # its mix of devices is said where its scores stand
        warnings.filterwarnings("ignore", r"runs of RECENT\(C-GCN\)")
        scores = reporting.per_seed(runs, reporting.scheme_scores, restricted_title)
    return scores[scores["score"].isin(list(SCHEMES))].reset_index(drop=True)


def pair_rows(runs: Iterable[Run]) -> pd.DataFrame:
    """Tidy rows: each run, mean and SD over seeds, fractions.

    >>> pair_rows([]).empty
    True
    """
    runs = list(runs)
    scores = pair_scores(runs)
    alone = scores[scores["seed"].isna()].drop(columns="seed").assign(seed_or_agg="all")
    rows = pd.concat([reporting.run_rows(scores), alone], ignore_index=True)
    rows, signatures = rows.rename(columns={"score": "scheme"}), []
    signed = {run.dataset: (Policy(run.negative), run.outcome()) for run in runs}
    for row in rows.itertuples():
        policy, table = signed[row.dataset]
        leak = "|leak:as_published" if row.model.endswith(AS_PUBLISHED) else ""
        signatures.append(policy.signature(table, "f1", row.scheme) + leak)
    rows = rows.assign(paper="W", item="Table 3 on open data", metric="f1", signature=signatures)
    return reporting.tidy_runs(rows)


def restriction_table(rows: pd.DataFrame, *datasets: str) -> pd.DataFrame:
    """W's Table 3 as printed, and ours under it: per cent, mean ± SD over seeds; the best micro first.

    rows : as `pair_rows` gives them, or `read_tidy` of their file. datasets : in this order; none: `DRAWN`.
    Columns data, system, runs, then schemes.

    >>> restriction_table(pair_rows([])).iloc[1].tolist()[:4]
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


def step_shares(runs: Iterable[Run]) -> pd.DataFrame:
    """What a system's score is made of, per cent of counts that are added over its seeds.

    Returns index system; columns detected (of the positive samples, those answered with any relation), named
    (of these, those with the right one), false_alarms (of the negative samples, those answered with a
    relation); nan of nothing. In the order of the runs.

    >>> from helpers.metrics import Outcome
    >>> table = Outcome.from_columns(["a", "a", "b", "b", "NA"], ["a", "b", "NA", "a", "a"])
    >>> step_shares([Run.from_outcome(table, dataset="d", model="m", negative="NA")]).round(1).values.tolist()
    [[75.0, 33.3, 100.0]]
    """
    rows = []
    for run in runs:
        table = run.outcome().per_class()
        negative = table.labels.index(run.negative)
        negatives, quiet = table.gold[negative], table.correct[negative]
        positives, named = table.n - negatives, table.correct.sum() - quiet
        detected = positives - (table.predicted[negative] - quiet)
        rows.append((restricted_title(run), detected, positives, named, negatives - quiet, negatives))
    columns = ["system", "detected", "positives", "named", "false_alarms", "negatives"]
    sums = pd.DataFrame(rows, columns=columns).groupby("system", sort=False).sum()
    of = {"detected": "positives", "named": "detected", "false_alarms": "negatives"}
    return pd.DataFrame({part: 100 * (sums[part] / sums[whole]) for part, whole in of.items()}, sums.index)


def restriction_gains(scores: pd.DataFrame) -> pd.DataFrame:
    """What each part of RECENT gains around each base: points of F1, means over common seeds.

    Returns columns dataset, base, scheme; alone, two_steps (the control, which does not read the types) and
    RECENT (per cent); steps (two_steps − alone), types (RECENT − two_steps), leak (RECENT as published −
    RECENT); runs. A base without all four kinds of runs is left out.

    >>> rows = [("b", 0.4), ("RECENT(b) without types", 0.5), ("RECENT(b)", 0.625)]
    >>> scores = pd.DataFrame([*rows, ("RECENT(b), with the leak", 0.75)], columns=["model", "value"])
    >>> found = restriction_gains(scores.assign(dataset="d", seed=9, score="micro"))
    >>> found[["base", "steps", "types", "leak"]].values.tolist()
    [['b', 10.0, 12.5, 12.5]]
    """
    keys = scores["seed"].fillna(0).astype(int)  # 0: nothing is drawn at random
    by, tables = ["dataset", "score"], []
    wide = scores.assign(seed=keys).pivot(index=[*by, "seed"], columns="model", values="value")
    for model in wide.columns[wide.columns.str.fullmatch(r"RECENT\(.*\)")]:
        base = model.removeprefix("RECENT(").removesuffix(")")
        own = wide.reindex(columns=[base, model + WITHOUT_TYPES, model, model + AS_PUBLISHED])
        own = own.set_axis(["alone", "two_steps", "RECENT", "leaky"], axis=1)
        # a base that draws nothing at random has one run, without a seed: it stands beside every seed
        own["alone"] = own["alone"].fillna(own["alone"].groupby(level=by).transform("mean"))
        groups = own.dropna().groupby(level=by, sort=False)
        tables.append((100 * groups.mean()).assign(base=base, runs=groups.size()))
    columns = ["dataset", "base", "scheme", "alone", "two_steps", "RECENT", "steps", "types", "leak", "runs"]
    if not tables:
        return pd.DataFrame(columns=columns)
    gains = pd.concat(tables).rename_axis(["dataset", "scheme"]).reset_index()
    gains["steps"] = gains["two_steps"] - gains["alone"]
    gains["types"], gains["leak"] = gains["RECENT"] - gains["two_steps"], gains["leaky"] - gains["RECENT"]
    gains["order"] = gains["scheme"].map(SCHEMES.index)
    return gains.sort_values(["base", "order"], kind="stable", ignore_index=True)[columns]


def leak_effects(runs: Iterable[Run]) -> pd.DataFrame:
    """The leak over several systems of one data set: how much it gives, and how it changes their order.

    Returns index scheme; columns systems, least, median, most (points of F1), tau (Kendall's τ_b of the two
    orders), first (the best system), first_leaked.

    Raises ValueError as `leak_table`.
    """
    table, rows = leak_table(runs, SCHEMES), {}
    for scheme, part in table.groupby("scheme", sort=False):
        gain = 100 * part["gain"]
        best = [system_title(part.loc[part[name].idxmax(), "model"]) for name in ("score", "leaked")]
        tau = float(kendalltau(part["score"], part["leaked"]).statistic)
        rows[scheme] = [len(part), gain.min(), gain.median(), gain.max(), tau, *best]
    columns = ["systems", "least", "median", "most", "tau", "first", "first_leaked"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns).rename_axis("scheme")


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


def epoch_scores() -> pd.DataFrame:
    """CNN on the held-out tenth of the drawn pairs by how long it was trained, per cent.

    Returns index epochs; columns micro, macro, then those of `step_shares`.

    >>> epoch_scores().columns.tolist()
    ['micro', 'macro', 'detected', 'named', 'false_alarms']
    """
    runs = sorted(list_runs(folder=STUDIES_FOLDER / "epochs"), key=lambda run: run.hyperparameters["epochs"])
    scores = 100 * pd.DataFrame(map(reporting.scheme_scores, runs))[["micro", "macro"]]
    table = pd.concat([scores, step_shares(runs).reset_index(drop=True)], axis=1)
    return table.set_axis([run.hyperparameters["epochs"] for run in runs]).rename_axis("epochs")
