"""How many test samples, or how many seeds, a difference needs to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from .base import app
from .options import FILE, NAMES, NEGATIVE, OUTPUT, SEED, as_json, forms, option, put

if TYPE_CHECKING:
    from ..evaluation import SamplePlan


CHANGED = "Without OTHER: the share of answers that a better system changes, e.g. 0.1."
SCHEME = "A scheme, n^ALPHA or accuracy; repeatable (default micro, weighted, macro)."


@app.command("plan")
@click.argument("other", metavar="[OTHER]", required=False, type=FILE)
@option("--from first", "FILE", "Predictions of a system, with the gold labels.", FILE)
@option("--changed", "X", CHANGED, float)
@option("--sd", "S", "In place of files: the SD of the score over seeds, in points.", float)
@option("--difference", "D", "The difference to be seen, in points (per cent).", float, required=True)
@option("--power", "P", "The probability of seeing it (default 0.8).", float, default=0.8)
@option("--scheme schemes", "NAME", SCHEME, multiple=True)
@option("--negative", "L", NEGATIVE)
@NAMES
@SEED
@forms("table", "json")
@OUTPUT
def _plan(
    other: str | None, first: str | None, sd: float | None, form: str, output: str | None, **options: Any
) -> None:
    """How many samples or seeds tell two systems apart.

    From files: test sets of several sizes are drawn from the joint outcome of the two systems, moved to the
    difference that is asked for, and each is tested by the paired bootstrap as in `compare`; power is the
    share of test sets in which the 95 % interval leaves 0. With one file and --changed, the better system
    changes that share of the answers: the same share of the wrong ones of each class becomes right.

    From --sd: how many seeds of each system the t test needs (noncentral t), by the same difference.

    examples:
      python -m helpers plan --from mine.csv other.csv --difference 1 --scheme macro --negative no_relation
      python -m helpers plan --from mine.csv --changed 0.1 --difference 1 --negative no_relation
      python -m helpers plan --sd 1.0 --difference 1
    """
    if (sd is None) == (first is None):
        raise ValueError("give --from FILE for samples of a test set, or --sd for seeds, not both")
    if sd is None:
        put(_of_files(first, other, form, **options), output)
    else:
        put(_of_seeds(sd, options["difference"], options["power"], form), output)


def _of_files(
    first: str, other: str | None, form: str, schemes: tuple[str, ...], difference: float, **options: Any
) -> str:
    from ..evaluation import plan_files

    chosen = {"schemes": schemes} if schemes else {}
    plans = plan_files(first, other, difference=difference / 100, **chosen, **options)
    return as_json([asdict(plan) for plan in plans]) if form == "json" else _plan_text(plans)


def _plan_text(plans: Sequence[SamplePlan]) -> str:
    """What `plan` prints: the samples that each scheme needs, and the power at each size that was tried."""
    first = plans[0]
    points = f"{100 * first.difference:g} points"
    lines = [f"samples to see a difference of {points} with power {first.power:g}", ""]
    width = max(len(plan.scheme) for plan in plans) + 2
    for plan in plans:
        formula = "" if plan.by_formula is None else f"   (McNemar's test: {plan.by_formula:,})"
        lines.append(f"{plan.scheme:<{width}}{plan.needed:>12,}{formula}")
    lines += ["", f"{'scheme':<{width}}{'samples':>12}{'power':>8}{'±':>7}"]
    for plan in plans:
        lines += [f"{plan.scheme:<{width}}{n:>12,}{won:>8.2f}{error:>7.2f}" for n, won, error in plan.rows]
    lines += ["", f"The two systems differ in being right on {100 * first.discordant:.1f} % of the samples."]
    return "\n".join(lines)


def _of_seeds(sd: float, difference: float, power: float, form: str) -> str:
    from ..metrics import runs_needed, runs_power

    needed = runs_needed(difference, sd, power)
    powers = {runs: runs_power(difference, sd, runs) for runs in sorted({2, 3, 5, 10, 20, needed})}
    if form == "json":
        values = {"difference": difference, "sd": sd, "power": power}
        return as_json(values | {"needed": needed, "powers": powers})
    head = f"{needed} seeds of each system see a difference of {difference:g} at SD {sd:g}"
    lines = [f"{head} with power {power:g}", "", " seeds  power"]
    return "\n".join(lines + [f"{runs:>6}{power:>7.2f}" for runs, power in powers.items()])
