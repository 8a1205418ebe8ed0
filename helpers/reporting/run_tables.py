"""Tidy rows of our training runs: each run, means with intervals and SDs over seeds, and what was printed.

The papers fine-tuned BERT and RoBERTa: our encoder is named wherever a number of ours stands beside one of
theirs (`published_model`), and nothing is judged to agree or not.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..core import unknown_name
from ..runs import RUNS_FOLDER, Run, list_runs
from .seeds import over_seeds
from .tables import TIDY_COLUMNS, tidy

RUN_COLUMNS = ("encoder", "runs", "seeds", "published_model")
"""Columns of such a table beside the tidy ones."""
Printed = Mapping[tuple[str, ...], tuple[str, str, str]]
"""Data set, our model, metric, scheme, seed or aggregate → printed number, the paper's model, its item."""


def run_rows(
    scores: pd.DataFrame, intervals: pd.DataFrame, names: Mapping[str, tuple[str, str]]
) -> list[dict]:
    """Rows of single runs, means and SDs; an undefined value has no row.

    Parameters
    ----------
    scores : as `per_seed` gives them. intervals : as `resampled_intervals`; their ends go with the means.
    names : score → its metric and scheme in the tidy table.

    >>> scores = pd.DataFrame({"dataset": "d", "model": "m", "encoder": "", "seed": [9], "score": "micro"})
    >>> rows = run_rows(scores.assign(value=0.5), pd.DataFrame(), {"micro": ("f1", "micro")})
    >>> [(row["metric"], row["scheme"], row["seed_or_agg"], row["value"]) for row in rows]
    [('f1', 'micro', 'seed-9', 0.5), ('f1', 'micro', 'mean', 0.5)]
    """

    def named(one: tuple) -> dict:
        row = {"dataset": one.dataset, "model": one.model, "encoder": one.encoder}
        return row | dict(zip(("metric", "scheme"), names[one.score], strict=True))

    rows = [
        named(one) | {"seed_or_agg": f"seed-{one.seed}", "value": one.value}
        for one in scores.dropna(subset=["seed", "value"]).itertuples()
    ]
    ends = {
        (end.dataset, end.model, end.encoder, end.score): {"low": end.low, "high": end.high}
        for end in intervals.itertuples()
    }
    for one in over_seeds(scores).itertuples():
        said = named(one) | {"runs": one.runs, "seeds": one.seeds}
        own = ends.get((one.dataset, one.model, one.encoder, one.score), {})
        rows.append(said | {"seed_or_agg": "mean", "value": one.mean} | own)
        if one.runs > 1:
            rows.append(said | {"seed_or_agg": "sd", "value": one.sd})
    return rows


def tidy_runs(rows: Sequence[dict], printed: Printed) -> pd.DataFrame:
    """The tidy table of run rows with all of `RUN_COLUMNS`, also where there is no row.

    >>> tidy_runs([], {}).columns.tolist()[-4:]
    ['encoder', 'runs', 'seeds', 'published_model']
    """
    for row in rows:
        row["published"], row["published_model"], _ = printed.get(printed_key(row), ("", "", ""))
    return tidy(rows).reindex(columns=[*TIDY_COLUMNS, *RUN_COLUMNS])


def printed_key(row: Mapping[str, str]) -> tuple[str, ...]:
    """What a row is called in a `Printed`.

    >>> printed_key({"dataset": "d", "model": "m", "metric": "f1", "scheme": "micro", "seed_or_agg": "mean"})
    ('d', 'm', 'f1', 'micro', 'mean')
    """
    return tuple(row[name] for name in ("dataset", "model", "metric", "scheme", "seed_or_agg"))


def run_numbers(rows: pd.DataFrame, dataset: str) -> dict[tuple[str, ...], float]:
    """The values of a data set by model, metric, scheme and seed or aggregate.

    >>> run_numbers(tidy_runs([], {}), "semeval2010")
    {}
    """
    own = rows[rows["dataset"] == dataset]
    keys = zip(own["model"], own["metric"], own["scheme"], own["seed_or_agg"], strict=True)
    return dict(zip(keys, own["value"].astype(float), strict=True))


def mean_sd_text(numbers: Mapping[tuple[str, ...], float], key: tuple[str, str, str], decimals: int) -> str:
    """Mean ± SD in per cent, as text; '–' without runs, no SD for a single one.

    >>> mean_sd_text({("m", "f1", "micro", "mean"): 0.875}, ("m", "f1", "micro"), 1)
    '87.5'
    """
    mean, sd = numbers.get((*key, "mean")), numbers.get((*key, "sd"))
    if mean is None:
        return "–"
    return f"{100 * mean:.{decimals}f}" + ("" if sd is None else f" ± {100 * sd:.{decimals}f}")


def forest_rows(
    rows: pd.DataFrame, dataset: str, panels: Mapping[tuple[str, str], str], models: Sequence[str] = ()
) -> pd.DataFrame:
    """What `forest_chart` draws of a tidy table of runs: published numbers beside each of our runs, per cent.

    Parameters
    ----------
    rows : as `tidy_runs` gives them. panels : metric and scheme → title of its panel, in order. models : in
        the order wanted; none: all that have a published number.

    Returns
    -------
    Columns panel, row (model), source ('published' or 'ours'), value.

    >>> forest_rows(tidy_runs([], {}), "semeval2010", {("ppr", ""): "PPR"}).columns.tolist()
    ['panel', 'row', 'source', 'value']
    """
    own = rows[rows["dataset"] == dataset]
    own = own.assign(panel=[panels.get(key) for key in zip(own["metric"], own["scheme"], strict=True)])
    own = own.dropna(subset="panel").rename(columns={"model": "row"})
    means = own[own["seed_or_agg"] == "mean"]
    printed = means[means["published"] != ""]
    theirs = printed.assign(source="published", value=printed["published"].astype(float))
    alone = means[~means["row"].isin(own.loc[own["seed_or_agg"].str.startswith("seed"), "row"])]
    ours = pd.concat([own[own["seed_or_agg"].str.startswith("seed")], alone])
    ours = ours.assign(source="ours", value=100 * ours["value"])
    found = pd.concat([theirs, ours])[["panel", "row", "source", "value"]]
    order = list(models or dict.fromkeys(theirs["row"]))
    found = found[found["row"].isin(order)]
    for column, known in (("row", order), ("panel", list(panels.values()))):
        found = found.sort_values(column, key=lambda one, known=known: one.map(known.index), kind="stable")
    return found.reset_index(drop=True)


def runs_named(rows: pd.DataFrame, dataset: str, models: Sequence[str]) -> str:
    """Which runs of ours a table shows: encoder and seeds of each model, in words.

    >>> runs_named(tidy_runs([], {}), "semeval2010", ["EM-ES"])
    'Ours: no runs.'
    """
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == "mean") & rows["model"].isin(models)]
    parts = []
    for (encoder, seeds), said in own.drop_duplicates("model").groupby(["encoder", "seeds"], sort=False):
        word = "no seed" if not seeds else f"seeds {seeds}" if "," in seeds else f"seed {seeds}"
        parts.append(f"{', '.join(said['model'])}: {encoder or 'no encoder'}, {word}")
    return f"Ours: {'; '.join(parts) or 'no runs'}."


def runs_with(encoder: str, datasets: Iterable[str], folder: Path | str = RUNS_FOLDER) -> list[Run]:
    """The runs of profile standard that read with this encoder, or with none.

    Raises ValueError, with the known names, for an encoder that no run has.

    >>> runs_with("all-MiniLM-L6-v2", ["no-such-data"])
    []
    """
    runs = [run for name in datasets for run in list_runs(name, profile="standard", folder=folder)]
    known = sorted({run.encoder for run in runs if run.seed is not None})
    if known and encoder not in known:
        raise unknown_name("encoder", encoder, known)
    return [run for run in runs if run.seed is None or run.encoder == encoder]


SETTINGS = ("dataset", "split", "profile", "encoder", "seed", "negative", "variant")
"""Fields of a run that `settings_table` shows beside its hyperparameters."""


def settings_table(runs: Run | Iterable[Run]) -> pd.DataFrame:
    """Everything that was set in some runs: one row a setting, one column a model.

    What belongs to the run itself comes first, then each hyperparameter and option, then the sha256 (first 12
    digits) of each input file. Runs of one model on one data set share a column: equal values stand there
    once, others side by side in the order of the runs, as seeds do. '' where a model has no such setting.

    Raises ValueError if there is no run.

    >>> from helpers.metrics import Outcome
    >>> given = {"dataset": "demo", "model": "em-c", "hyperparameters": {"epochs": 3, "words": {"a": "b"}}}
    >>> table = Outcome.from_columns(["a"], ["a"])
    >>> settings_table([Run.from_outcome(table, seed=seed, **given) for seed in (9, 148)])
             em-c
    dataset  demo
    split    test
    seed     9, 148
    epochs   3
    words    {"a": "b"}
    """
    columns: dict[tuple[str, str], dict[str, dict[str, None]]] = {}
    for run in [runs] if isinstance(runs, Run) else runs:
        values = {name: getattr(run, name) for name in SETTINGS if getattr(run, name) not in (None, "")}
        # Sorted as a run file has them: a run that was just trained and a stored one give one table.
        values |= dict(sorted(run.hyperparameters.items()))
        # `dropout` of the settings is the encoder's
        options = sorted(run.options.items())
        values |= {f"option {name}" if name in values else name: one for name, one in options}
        values |= {f"sha256 of {name}": sum_[:12] for name, sum_ in sorted(run.files.items())}
        column = columns.setdefault((run.name, run.dataset), {})
        for name, value in values.items():
            column.setdefault(name, {})[_setting(value)] = None
    if not columns:
        raise ValueError("runs is empty: there are no settings to show")
    several = len({name for name, _ in columns}) < len(columns)
    titles = [f"{name}, {dataset}" if several else name for name, dataset in columns]
    shown = [{name: ", ".join(values) for name, values in column.items()} for column in columns.values()]
    rows = dict.fromkeys(name for column in shown for name in column)
    return (
        pd.DataFrame({title: dict(column) for title, column in zip(titles, shown, strict=True)})
        .reindex(sorted(rows, key=lambda name: (name.startswith("sha256 of "), name not in SETTINGS)))
        .fillna("")
    )


def _setting(value: Any) -> str:
    """A setting as text: numbers and names as they are, tables and lists as JSON."""
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list | tuple) else str(value)
