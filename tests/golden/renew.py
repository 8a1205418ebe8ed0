"""Golden values of what is stored: the scores of every run, the sha256 of every file of printed numbers, and
for each version of the scoring rules the sha256 of the golden values that other programs gave.

`python -m tests.golden.renew` writes the files anew and prints what changed; look at each line of it. Golden
values change with the version of the rules only: raise RULES of helpers/metrics/averaging.py first.
"""

import csv
import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from helpers import ROOT
from helpers.core import file_sha256
from helpers.metrics import RULES, SCHEMES, averages
from helpers.reporting import paired_scores
from helpers.runs import RUNS_FOLDER, STUDIES_FOLDER, Run, load_run

FOLDER = Path(__file__).parent
RUN_FILES = sorted((*RUNS_FOLDER.rglob("*.json"), *STUDIES_FOLDER.glob("*/*/*/*/*.json")))
PUBLISHED = ROOT / "results" / "published"
RULES_FILE = FOLDER / "rules.json"
FROM_OUTSIDE = ("direction.csv", "multilabel.json", "ranked_lists.csv", "semeval_scorer.csv")
FROM_OUTSIDE += ("tacred_systems.csv", "weighting_examples.json", "weights_semeval.csv", "weights_tacred.csv")
"""Files of golden values that no run of ours moves."""
TOLERANCE = 1e-9
Golden = dict[str, dict[str, float | str]]
"""Path from the root → name → value."""


class Change(NamedTuple):
    """What is no longer as it was stored; None: it is not there."""

    path: str
    name: str
    old: float | str | None
    new: float | str | None

    def __str__(self) -> str:
        return f"{self.path} · {self.name}: {self.old} → {self.new}"


def run_scores(run: Run) -> dict[str, float]:
    """Every measure that follows from the outcome of a run, whatever made it; undefined ones are left out."""
    of_kind = {"facts": _of_facts, "label_sets": _of_label_sets}.get(run.kind, _of_labels)
    values = {"n": run.n} | of_kind(run)
    return {name: float(v) for name, v in values.items() if v is not None and not math.isnan(v)}


def stored_scores() -> Golden:
    """The scores of every stored run."""
    return {path.relative_to(ROOT).as_posix(): dict(run_scores(load_run(path))) for path in RUN_FILES}


def published_hashes(folder: Path = PUBLISHED) -> Golden:
    """The sha256 of every file of printed numbers."""
    files = sorted(folder.iterdir())
    return {f"results/published/{path.name}": {"sha256": file_sha256(path)} for path in files}


def outside_sha256() -> str:
    """The sha256 of the golden values that other programs gave."""
    return hashlib.sha256(b"".join((FOLDER / name).read_bytes() for name in FROM_OUTSIDE)).hexdigest()


def read_golden(name: str) -> Golden:
    """A golden file: one row a path, empty where a name does not belong to it."""
    with open(FOLDER / name, encoding="utf-8", newline="") as file:
        rows = [{key: cell for key, cell in row.items() if cell} for row in csv.DictReader(file)]
    return {
        row.pop("path"): {key: cell if key == "sha256" else float(cell) for key, cell in row.items()}
        for row in rows
    }


def changes(old: Golden, new: Golden) -> list[Change]:
    """Every value that differs by more than `TOLERANCE`, or that only one of the two has."""
    differing = []
    for path in sorted(old.keys() | new.keys()):
        before, after = old.get(path, {}), new.get(path, {})
        for name in dict.fromkeys((*before, *after)):
            values = before.get(name), after.get(name)
            numbers = all(isinstance(value, float) for value in values)
            if numbers and math.isclose(*values, rel_tol=TOLERANCE, abs_tol=TOLERANCE):
                continue
            if values[0] != values[1]:
                differing.append(Change(path, name, *values))
    return differing


def write_golden(name: str, values: Golden) -> None:
    """Store golden values, 12 significant digits."""
    names = list(dict.fromkeys(key for row in values.values() for key in row))
    with open(FOLDER / name, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["path", *names], lineterminator="\n")
        writer.writeheader()
        for path, row in sorted(values.items()):
            cells = {key: cell if isinstance(cell, str) else f"{cell:.12g}" for key, cell in row.items()}
            writer.writerow({"path": path} | cells)


def _of_labels(run: Run) -> Mapping[str, float]:
    scores = _f1(averages(run.outcome(), SCHEMES, negative=run.negative))
    if run.second:
        second = averages(run.outcome().of("second"), SCHEMES, negative=run.negative)
        return scores | _f1(second, " of second")
    return scores | (paired_scores(run) if run.kind == "paired" else {})


def _of_label_sets(run: Run) -> Mapping[str, float]:
    outcome = run.outcome()
    if run.second:
        first, second = (averages(outcome.per_class(role), SCHEMES) for role in ("predicted", "second"))
        return _f1(first) | _f1(second, " of second")
    support = {"train_support": sum(run.table.train_support)}
    return support | outcome.scores((1, 5)) | _f1(averages(outcome.counts, SCHEMES))


def _of_facts(run: Run) -> Mapping[str, float]:
    ranking = run.outcome().ranking(run.labels, run.negative)
    if ranking.relations is None or ranking.facts_of_relation is None:
        return ranking.measures()
    # As many facts as are true: no tie and no best threshold decides where the list is cut.
    counts = ranking.counts_until(min(ranking.facts, len(ranking)))
    return ranking.measures() | _f1(averages(counts, SCHEMES), " of as many facts")


def _f1(scores, ending: str = "") -> dict[str, float]:
    return {f"f1 {scheme}{ending}": value for scheme, value in zip(SCHEMES, scores.tolist(), strict=True)}


if __name__ == "__main__":
    for name, values in {"stored_runs.csv": stored_scores(), "published.csv": published_hashes()}.items():
        for change in changes(read_golden(name) if (FOLDER / name).exists() else {}, values):
            print(change)
        write_golden(name, values)
    known = json.loads(RULES_FILE.read_text("utf-8"))
    if known.setdefault(RULES, outside_sha256()) != outside_sha256():
        raise SystemExit(f"golden values changed, but the rules are still version {RULES}: raise RULES first")
    RULES_FILE.write_text(json.dumps(known, indent=1) + "\n", "utf-8")
