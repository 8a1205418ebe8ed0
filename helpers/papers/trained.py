"""Tables of our own training runs: tidy rows of W's Table 4 and R's Tables II–VI, and published | ours.

`weighted_rows` and `direction_rows` are what notebooks 06 and 07 write to `results/tables`. From these files
`weighted_table` and `direction_table` make what a reader wants to see, also for the README. The papers
fine-tuned BERT and RoBERTa; our encoder is named wherever a number of ours stands beside one of theirs, and
nothing is judged to agree or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from helpers import ROOT
from helpers.metrics import RULES, SCHEMES, Policy, scheme_names
from helpers.reporting import (
    COLUMNS,
    DIRECTION,
    compare_models,
    load_published,
    original_table,
    over_seeds,
    paired_scores,
    per_seed,
    read_tidy,
    scheme_scores,
    tidy,
    to_markdown,
)
from helpers.runs import Run

TABLES = ROOT / "results" / "tables"
BERT_EM = {"EM-ES": "BERT_EM", "PTR": "PTR"}
"""Our name of a model → its name in W's Table 4."""
SIZES = ("base", "large")
FURTHER = ("encoder", "runs", "seeds", "published_model")
"""Columns of our tables beside the tidy ones."""
_TESTS = ("p", "p_holm", "d")
_TEXTS = {name: name.upper() for name in ("pd", "pir", "ppr")} | {DIRECTION[0]: "A", DIRECTION[1]: "B"}


def weighted_rows(
    runs: Sequence[Run], pair: tuple[str, str], intervals: pd.DataFrame, made: str = ""
) -> pd.DataFrame:
    """Tidy rows of F1 under the five schemes: each run, mean and SD over seeds, and the tests of one pair.

    Parameters
    ----------
    runs : of any models and data sets. pair : the two models that are tested, second − first.
    intervals : as `seeds.resampled_intervals` gives them; their ends go with the means.
    made : how the intervals were made, for the signature.

    Returns
    -------
    A tidy table with the further columns encoder, runs, seeds and published_model; `published` is filled for
    the models of Table 4 on `semeval2010`. A test that is undefined (a single run) has no row.

    >>> weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame()).empty
    True
    """
    scores = per_seed(runs, scheme_scores)
    rows = _score_rows(scores, intervals, {scheme: ("f1", scheme) for scheme in scheme_names()})
    rows += [row for dataset in dict.fromkeys(scores["dataset"]) for row in _test_rows(scores, dataset, pair)]
    signatures = {run.dataset: (Policy(negative=run.negative), original_table(run)) for run in runs}
    for row in rows:
        policy, table = signatures[row["dataset"]]
        name = row["metric"] if row["metric"] == "f1" else f"{row['metric']} of f1"
        row["signature"] = policy.signature(table, name, row["scheme"]) + (made if "low" in row else "")
        row |= {"paper": "W", "item": "Table 4" if row["dataset"] == "semeval2010" else "further data"}
    return _tidied(_with_published(rows, _printed_weighted()))


def direction_rows(runs: Sequence[Run], intervals: pd.DataFrame, made: str = "") -> pd.DataFrame:
    """Tidy rows of A, B, PD, PIR and PPR: each run, mean and SD over seeds; arguments as `weighted_rows`.

    `published` is the base model's number where R has one, else the large model's; `published_model` says
    which. An undefined PIR has no row.

    >>> direction_rows([], pd.DataFrame()).empty
    True
    """
    scores = per_seed(runs, paired_scores)
    names = {name: (name, "official" if name in (*DIRECTION[:2], "pd") else "") for name in DIRECTION}
    rows = _score_rows(scores, intervals, names)
    signatures = {
        run.dataset: f"|performance:official_macro|inverse:e1e2|negative:{run.negative}|n:{run.n}|v:{RULES}"
        for run in runs
    }
    printed = _printed_direction()
    for row in rows:
        end = made if "low" in row else ""
        row["signature"] = row["metric"] + signatures[row["dataset"]] + end
        item = printed.get(
            (row["dataset"], row["model"], row["metric"], row["scheme"], "mean"), ("", "", "")
        )[2]
        row |= {"paper": "R", "item": item or "further models"}
    return _tidied(_with_published(rows, printed))


def _tidied(rows: list[dict]) -> pd.DataFrame:
    """The tidy table with all of `FURTHER`, also where there is no row."""
    frame = tidy(rows)
    return frame.reindex(columns=[*COLUMNS, *FURTHER])


def _score_rows(scores: pd.DataFrame, intervals: pd.DataFrame, names: dict) -> list[dict]:
    """Rows of single runs, means and SDs; `names`: score → metric and scheme."""
    rows = []
    for one in scores.dropna(subset=["seed", "value"]).itertuples():
        rows.append(_row(one, names) | {"seed_or_agg": f"seed-{one.seed}", "value": one.value})
    ends = {
        (end.dataset, end.model, end.encoder, end.score): {"low": end.low, "high": end.high}
        for end in intervals.itertuples()
    }
    for one in over_seeds(scores).itertuples():
        said = _row(one, names) | {"runs": one.runs, "seeds": one.seeds}
        key = (one.dataset, one.model, one.encoder, one.score)
        rows.append(said | {"seed_or_agg": "mean", "value": one.mean} | ends.get(key, {}))
        if one.runs > 1:
            rows.append(said | {"seed_or_agg": "sd", "value": one.sd})
    return rows


def _row(one: tuple, names: dict) -> dict:
    metric, scheme = names[one.score]
    found = {"dataset": one.dataset, "model": one.model, "encoder": one.encoder}
    return found | {"metric": metric, "scheme": scheme}


def _test_rows(scores: pd.DataFrame, dataset: str, pair: tuple[str, str]) -> list[dict]:
    own = scores[scores["dataset"] == dataset]
    encoder = "".join(own.loc[own["model"] == pair[0], "encoder"].head(1))
    tests = compare_models(own, *pair)
    shared = {
        "dataset": dataset,
        "model": f"{pair[1]} - {pair[0]}",
        "encoder": encoder,
        "seed_or_agg": "test",
    }
    return [
        shared | {"metric": name, "scheme": scheme, "value": test[name]} | test[["runs", "seeds"]].to_dict()
        for scheme, test in tests.iterrows()
        for name in _TESTS
        if not pd.isna(test[name])
    ]


def _with_published(rows: list[dict], printed: dict) -> list[dict]:
    for row in rows:
        key = (row["dataset"], row["model"], row["metric"], row["scheme"], row["seed_or_agg"])
        row["published"], row["published_model"], _ = printed.get(key, ("", "", ""))
    return rows


def _printed_weighted() -> dict[tuple, tuple[str, str, str]]:
    """Data set, our model, metric, scheme, aggregate → printed number, the paper's model, item."""
    ours = {theirs: ours for ours, theirs in BERT_EM.items()} | {"PTR - BERT_EM": "PTR - EM-ES"}
    return {
        (
            row.dataset,
            ours[row.model],
            "f1" if row.statistic in ("mean", "sd") else row.statistic,
            row.scheme,
            row.statistic if row.statistic in ("mean", "sd") else "test",
        ): (row.printed, row.model, "Table 4")
        for row in load_published("W", "Table 4").itertuples()
    }


def _printed_direction() -> dict[tuple, tuple[str, str, str]]:
    """As `_printed_weighted`; base before large."""
    printed, found = load_published("R"), {}
    for size in SIZES[::-1]:
        for _, row in printed[printed["model"].str.endswith(f"({size})")].iterrows():
            if row["item"].startswith("Table"):
                key = (row["dataset"], row["model"].rpartition(" (")[0], row["metric"], row["scheme"], "mean")
                found[key] = (row["printed"], row["model"], row["item"])
    return found


def weighted_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """W's Table 4, published | ours, as text: mean ± SD in per cent, then p, d and p after Holm.

    Parameters
    ----------
    rows : what `weighted_rows` gives, or `read_tidy` of its file.

    Returns
    -------
    A row for each scheme. What we have no runs for is '–', an SD of a single run is left out.

    >>> weighted_table(weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame())).loc[0, "PTR ours"]
    '–'
    """
    ours = _numbers(rows[rows["dataset"] == dataset])
    printed = {key[1:]: value[0] for key, value in _printed_weighted().items()}
    lines = []
    for scheme in SCHEMES:
        line = {"scheme": scheme}
        for model, theirs in BERT_EM.items():
            mean, sd = (printed[model, "f1", scheme, kind] for kind in ("mean", "sd"))
            line[f"{theirs} published"] = f"{mean} ± {sd}"
            line[f"{model} ours"] = _mean_sd(ours, (model, "f1", scheme), 1)
        for name in ("d", "p"):
            line[f"{name} published"] = printed["PTR - EM-ES", name, scheme, "test"]
            line[f"{name} ours"] = _test(ours, name, scheme)
        lines.append(line | {"p ours, Holm": _test(ours, "p_holm", scheme)})
    return pd.DataFrame(lines)


def direction_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """R's Tables II–VI, published and ours under each other, as text: per cent, ours mean ± SD over seeds.

    Parameters
    ----------
    rows : what `direction_rows` gives, or `read_tidy` of its file.

    Returns
    -------
    Columns model, encoder, runs, A, B, PD, PIR, PPR: R's numbers by size (single runs; on SemEval only), then
    ours. Models in R's order, then further ones; '–' where nothing is defined.

    >>> direction_table(direction_rows([], pd.DataFrame())).query("model == 'EM-C'")["PPR"].tolist()
    ['3.27', '12.95']
    """
    own = rows[rows["dataset"] == dataset]
    ours, lines = _numbers(own), []
    printed = load_published("R")
    printed = printed[printed["item"].str.startswith("Table") & (printed["dataset"] == dataset)]
    full = printed[printed["metric"] == "ppr"]["model"]
    names = dict.fromkeys([*(name.partition(" (")[0] for name in full), *own["model"]])
    for name in names:
        for theirs in (one for one in full if one.partition(" (")[0] == name):
            size = theirs.rpartition(" (")[2].rstrip(")") if "(" in theirs else ""
            numbers = printed[printed["model"] == theirs].set_index("metric")["printed"]
            encoder = f"BERT {size}, published" if size else "published"
            lines.append([name, encoder, "1", *(numbers[metric] for metric in DIRECTION)])
        found = own[(own["model"] == name) & (own["seed_or_agg"] == "mean")]
        if len(found):
            cells = [
                _mean_sd(ours, (name, m, "" if m in ("pir", "ppr") else "official"), 2) for m in DIRECTION
            ]
            encoder, runs = found.iloc[0]["encoder"], found["runs"].astype(int).max()
            lines.append([name, f"{encoder or 'none'}, ours", str(runs), *cells])
    return pd.DataFrame(lines, columns=["model", "encoder", "runs", *(_TEXTS[name] for name in DIRECTION)])


def _numbers(rows: pd.DataFrame) -> dict[tuple, float]:
    keys = zip(rows["model"], rows["metric"], rows["scheme"], rows["seed_or_agg"], strict=True)
    return dict(zip(keys, rows["value"].astype(float), strict=True))


def _mean_sd(numbers: dict[tuple, float], key: tuple, decimals: int) -> str:
    mean, sd = numbers.get((*key, "mean")), numbers.get((*key, "sd"))
    if mean is None:
        return "–"
    return f"{100 * mean:.{decimals}f}" + ("" if sd is None else f" ± {100 * sd:.{decimals}f}")


def _test(numbers: dict[tuple, float], name: str, scheme: str) -> str:
    value = numbers.get(("PTR - EM-ES", name, scheme, "test"))
    return "–" if value is None else f"{value:.1f}" if name == "d" else f"{value:.2g}"


def runs_named(rows: pd.DataFrame, dataset: str, models: Sequence[str]) -> str:
    """Which runs of ours a table shows: encoder and seeds of each model, in words.

    >>> runs_named(weighted_rows([], ("EM-ES", "PTR"), pd.DataFrame()), "semeval2010", ["EM-ES"])
    'Ours: no runs.'
    """
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == "mean") & rows["model"].isin(models)]
    said = {}
    for row in own.drop_duplicates("model").itertuples():
        said.setdefault((row.encoder, row.seeds), []).append(row.model)
    parts = [
        f"{', '.join(names)}: {encoder or 'no encoder'}, {_seeds(seeds)}"
        for (encoder, seeds), names in said.items()
    ]
    return f"Ours: {'; '.join(parts) or 'no runs'}."


def _seeds(seeds: str) -> str:
    return f"{'seeds' if ',' in seeds else 'seed'} {seeds}" if seeds else "no seed"


def weighted_markdown(folder: Path | str = TABLES) -> str:
    """W's Table 4, published | ours, for the README; FileNotFoundError if notebook 06 has not written it."""
    rows = read_tidy(Path(folder) / "06_weighted_f1.csv")
    return f"{to_markdown(weighted_table(rows))}\n\n{runs_named(rows, 'semeval2010', list(BERT_EM))}"


def direction_markdown(folder: Path | str = TABLES, dataset: str = "semeval2010") -> str:
    """`direction_table` of notebook 07's table, for the README; FileNotFoundError without it."""
    rows = read_tidy(Path(folder) / "07_direction.csv")
    models = list(dict.fromkeys(rows.loc[rows["dataset"] == dataset, "model"]))
    return f"{to_markdown(direction_table(rows, dataset))}\n\n{runs_named(rows, dataset, models)}"
