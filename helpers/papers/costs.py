"""The section Costs of results/README.md: what exceeds one machine, on paper, by formula."""

from __future__ import annotations

import pandas as pd

from ..experiments import (
    ASSUMED,
    CORES,
    SHARE_ROW,
    benchmark,
    core_hours,
    counting_costs,
    gpu_hours,
    paper_experiments,
    parameters,
    row_bytes,
    row_seconds,
    thread_seconds,
    token_counts,
)
from ..reporting import markdown_table

_BYTES = {1e12: "TB", 1e9: "GB", 1e6: "MB"}


def costs_markdown() -> str:
    """Two tables, of counting and of training, each below its formula and above its constants.

    >>> [line for line in costs_markdown().splitlines() if line.startswith("| CSV")][-1].split(" | ")[1]
    '10¹²'
    """
    return "\n\n".join((_counting(), _counting_constants(), _training(), _training_constants()))


def _counting() -> str:
    head = ["file", "predictions", "bytes read", "core hours", f"on {CORES} cores", "dollars, counting"]
    rows = [
        [
            row.form,
            {10**7: "10⁷", 10**9: "10⁹", 10**12: "10¹²"}[row.predictions],
            amount(row.bytes),
            f"{row.core_hours:.2g}" if row.core_hours < 10 else f"{row.core_hours:.0f}",
            seconds(3600 * row.hours),
            money(row.dollars),
            money(row.dollars_month),
        ]
        for row in counting_costs().itertuples(index=False)
    ]
    formula = "core hours = N · s · c / 3600; bytes = N · b; dollars = core hours · price, bytes · price"
    return f"**Counting N predictions.** {formula}.\n\n{markdown_table([*head, 'keeping a month'], rows)}"


def _counting_constants() -> str:
    said = [
        f"{form}: s = {1e9 * each:.0f} ns a row on c = {cores} cores (benchmarks.csv, {rows / 1e6:.0f}"
        f" million rows), b = {row_bytes(form):.3g} bytes a row (bytes.csv)"
        for form, (each, cores, rows) in row_seconds().items()
    ]
    prices = f"{ASSUMED.core_hour} dollars a core hour, {ASSUMED.gigabyte_month} a gigabyte and month"
    return f"Measured: {'; '.join(said)}. Assumed: {prices}; reading is as fast as there."


def _training() -> str:
    one = pd.DataFrame(
        {
            "encoder": experiment.encoder,
            "dataset": experiment.dataset,
            "hours": gpu_hours(experiment),
            "core_hours": core_hours(experiment),
        }
        for experiment in paper_experiments()
    )
    every = one.groupby(["encoder", "dataset"], sort=False)[["hours", "core_hours"]].agg(["size", "sum"])
    rows = []
    for (encoder, dataset), row in every.iterrows():
        gpu, cores = row["hours", "sum"], row["core_hours", "sum"]
        rows.append(
            (
                encoder,
                dataset,
                str(int(row["hours", "size"])),
                f"{gpu:.2f}",
                money(gpu * ASSUMED.gpu_hour),
                f"{cores:.0f}",
            )
        )
    gpu, cores = one["hours"].sum(), one["core_hours"].sum()
    rows.append(("all", "", str(len(one)), f"{gpu:.2f}", money(gpu * ASSUMED.gpu_hour), f"{cores:.0f}"))
    head = ["encoder", "data set", "runs", "GPU hours, at least", "dollars", "core hours"]
    formula = "GPU seconds = 6 · P · T · S · E · w / w(EM-C) / (share · F); core seconds = P · T · S · E · w"
    return f"**Training the papers' grid.** {formula}.\n\n{markdown_table(head, rows)}"


def _training_constants() -> str:
    base, large = (parameters(f"bert-{size}-uncased") / 1e6 for size in ("base", "large"))
    tokens = ", ".join(f"{name} {inputs} · {each:.1f}" for name, (inputs, each) in token_counts().items())
    work = ", ".join(f"{name} {1e12 * each:.1f}" for name, each in sorted(thread_seconds().items()))
    lines = (
        f"P: parameters of the encoder's layers, {base:.0f} M (base), {large:.0f} M (large).",
        f"S · T: inputs and mean tokens, {tokens} (tokens.csv); merged training doubles S.",
        "E: epochs of the papers' settings.",
        f"w: picoseconds of one thread a parameter and token, {work}: each model's fastest stored run.",
        f"share: {benchmark(SHARE_ROW)['ratio']:.0%} of a processor's matrix products (benchmarks.csv).",
        f"Assumed: F = {ASSUMED.gpu_operations / 1e12:.0f} TFLOP/s (an A100, its vendor's number),",
        f"{ASSUMED.gpu_hour:g} dollars a GPU hour. No GPU was at hand: on short sentences it spends much of",
        "a step on starting its programs, so that the hours are a lower bound.",
    )
    return " ".join(lines)


def amount(number: float) -> str:
    """Bytes in a unit that suits them.

    >>> amount(2.644e13), amount(9.7e6)
    ('26.4 TB', '9.7 MB')
    """
    unit = next((one for one in _BYTES if number >= one), 1e6)
    return f"{number / unit:.3g} {_BYTES[unit]}"


def seconds(number: float) -> str:
    """Seconds, minutes or hours.

    >>> seconds(0.05), seconds(90), seconds(5400)
    ('0.05 s', '1.5 min', '1.5 h')
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if number >= size:
            return f"{number / size:.3g} {unit}"
    return f"{number:.2g} s"


def money(number: float) -> str:
    """Dollars.

    >>> money(0.002), money(4.8), money(613)
    ('< 0.01', '4.80', '613')
    """
    return "< 0.01" if number < 0.01 else f"{number:.2f}" if number < 100 else f"{number:.0f}"
