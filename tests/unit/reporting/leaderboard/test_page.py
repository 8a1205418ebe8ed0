"""The page in a browser: what it shows, how it is used, that it is safe, quick and for everybody."""

import json
import time
from itertools import product

import numpy as np
import pytest

from helpers.evaluation import system_title
from helpers.metrics import Outcome, Policy, averages, power
from helpers.reporting.leaderboard import (
    build_page,
    measured,
    page_data,
    register_measure,
    unregister_measure,
)
from helpers.runs import Run, list_runs
from tests.support import HOSTILE_NAMES, nightly

SHOWN = "[...document.querySelectorAll('#table-body tr')]"


def until(page, condition: str, seconds: float = 600) -> None:
    """Wait for a condition in the page. Playwright's own waiting is stopped by the page's security policy: it
    evaluates text in the page unless the condition holds at once."""
    patience = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < patience, f"not within {seconds} s: {condition}"
        time.sleep(0.02)


def go(page, address: str, condition: str = "document.title.startsWith('SemEval')") -> None:
    page.evaluate(f"location.hash = '#{address}'")
    until(page, condition)


def table(page) -> list[dict]:
    """The rows of the ranking: name and the numbers by column."""
    return page.evaluate(
        f"""() => {SHOWN}.map(row => ({{name: row.querySelector('.name').textContent,
        ...Object.fromEntries([...row.querySelectorAll('.score')].map(
        cell => [cell.dataset.column, cell.querySelector('.number').textContent]))}}))"""
    )


@pytest.fixture(scope="module")
def shared(opened, real_page):
    page, faults = opened(real_page)
    yield page
    assert faults == []


@pytest.fixture
def seen(shared):
    """The page of the stored systems, opened once; each test begins at its start."""
    go(shared, "", "document.getElementById('view-ranking').hidden === false")
    return shared


class TestWhatItShows:
    def test_values_are_those_of_the_metrics(self, seen) -> None:
        runs = {system_title(run.name): run.outcome() for run in list_runs("tacred") if not run.second}
        rows, schemes = table(seen), ("micro", "weighted", "dodrans", "entropy", "macro")
        assert len(rows) == len(runs) == 52
        for row in rows:
            outcome = runs[row["name"]]
            values = [*averages(outcome, schemes, negative="no_relation"), outcome.accuracy]
            shown = [row[name] for name in (*schemes, "accuracy")]
            assert shown == [f"{100 * value:.2f}" for value in values]

    def test_seeds_of_a_system_are_one_row_with_their_spread(self, seen) -> None:
        go(seen, "d=semeval2010&sort=macro")
        runs = [run for run in list_runs("semeval2010", profile="standard") if run.name == "EM-ES"]
        values = [100 * averages(run.outcome(), ["macro"], negative="Other")[0] for run in runs]
        named = "row.querySelector('.name').dataset.key === 'EM-ES'"
        (row,) = seen.evaluate(f"{SHOWN}.filter(row => {named}).map(row => row.innerText)")
        assert len(runs) == 5
        assert f"mean of 5 seeds ± {np.std(values, ddof=1):.2f} · " in row.replace("\n", " ")

    @pytest.mark.parametrize(("labels", "alpha"), [("observed", 0.3), ("listed", 0.0), ("supported", 0.61)])
    def test_alpha_and_policy_are_exact(self, seen, labels, alpha) -> None:
        chosen = f"document.getElementById('policy').value === '{labels}'"
        go(seen, f"d=semeval2010&labels={labels}&alpha={alpha}", chosen)
        own = [run for run in list_runs("semeval2010") if not run.second]
        runs = {(run.name, (run.encoder or "").replace("no-encoder", ""), run.seed): run for run in own}
        systems = seen.evaluate(
            """() => leaderboard.testSet().systems.map(one => [
            one.runs.map(run => [run.name, run.encoder, run.seed]),
            leaderboard.liveColumn('alpha', leaderboard.testSet()).value(one)])"""
        )
        assert {len(seeds) for seeds, _ in systems} >= {1, 5}
        policy = {"negative": "Other", "labels": labels}
        for seeds, value in systems:
            expected = [averages(runs[tuple(run)].outcome(), [power(alpha)], **policy)[0] for run in seeds]
            assert value == pytest.approx(np.mean(expected), abs=1e-12)

    def test_signatures_are_those_of_the_policy(self, seen) -> None:
        outcome = next(run for run in list_runs("tacred") if not run.second).outcome()
        everything = Policy(negative="no_relation")
        for scheme in ("micro", "entropy", "macro"):
            seen.click(f'[data-sort="{scheme}"]')
            expected = everything.signature(outcome, "f1", scheme) + "|bootstrap:percentile,20,seed1,95"
            assert seen.inner_text("#signature").startswith(expected)
        classes = [label for label in outcome.labels if label != "no_relation"]
        text = "document.getElementById('signature').textContent"
        most = [label for label in classes if label != outcome.labels[3]]
        by_name = everything.signature(outcome, "f1", "macro").replace("supported", "+".join(sorted(most)))
        few = outcome.labels[3:5]
        of_few = Policy(negative="no_relation", labels=few).signature(outcome, "recall", "macro")
        for kept, score, expected in ((most, "f1", by_name), (few, "recall", of_few)):
            out = sum(1 << c for c, name in enumerate(outcome.labels) if name in classes and name not in kept)
            address = f"out={out:x}&sort=macro&score={score}"
            go(seen, address, f"{text}.startsWith('{score}') && {text}.includes('labels:org')")
            assert seen.inner_text("#signature") == expected


class TestUse:
    def test_sorting(self, seen) -> None:
        seen.click('[data-sort="macro"]')
        values = [float(row["macro"]) for row in table(seen)]
        assert values == sorted(values, reverse=True)
        assert seen.get_attribute('th[data-column="macro"]', "aria-sort") == "descending"
        seen.click('[data-sort="macro"]')
        assert [float(row["macro"]) for row in table(seen)] == sorted(values)

    def test_the_slider_ranks_anew_and_stands_in_the_address(self, seen) -> None:
        go(seen, "d=semeval2010")
        orders = []
        for alpha, scheme in ((0, "macro"), (1, "weighted")):
            seen.fill("#alpha", str(alpha))
            rows = table(seen)
            assert [row["alpha"] for row in rows] == [row[scheme] for row in rows]
            orders.append([row["name"] for row in rows])
        assert orders[0] != orders[1]
        until(seen, "location.hash.includes('alpha=1')")

    @pytest.mark.parametrize("look", nightly(["light, small", "light", "dark"], 1, "light", "dark"))
    def test_axe_finds_no_serious_fault(self, opened, small_folder, tmp_path, request, serious_faults, look):
        if look == "light, small":
            data, name = page_data(small_folder, None, replicates=2, cached=False), "small"
            place = build_page(data, tmp_path / "small.html")
        else:
            place, name = request.getfixturevalue("real_page"), "semeval2010"
        page, faults = opened(place, f"#d={name}", dark=look == "dark")
        for view in ("ranking", "classes", "compare", "agreement", "direction"):
            page.click(f"#tab-{view}")
            assert serious_faults(page) == []
        assert faults == []
        page.close()

    def test_names_that_would_do_harm_are_text(self, opened, small_folder, tmp_path) -> None:
        data = page_data(small_folder, None, replicates=2, cached=False)
        test = next(test for test in data["testsets"] if test["id"] == "small")
        test["systems"] = [test["systems"][0] | {"name": name, "key": name} for name in HOSTILE_NAMES]
        page, faults = opened(build_page(data | {"testsets": [test]}, tmp_path / "x.html"), "#q=script")
        assert {row["name"] for row in table(page)} == {HOSTILE_NAMES[0], HOSTILE_NAMES[2]}
        assert page.evaluate("document.querySelectorAll('#table-body script, #table-body img').length") == 0
        page.locator("#table-body .value").first.click()
        page.keyboard.press("Escape")
        page.fill("#search", "cmd")
        with page.expect_download() as caught:
            page.click("#copy-place >> text=CSV")
        lines = caught.value.path().read_text("utf-8").splitlines()
        assert lines[1].startswith("'=cmd()") and faults == []
        page.close()


AVERAGES = "cases => cases.map(([counts, ...rules]) => leaderboard.averages(counts, ...rules))"


def test_averages_of_random_counts_in_the_browser_to_1e_12(seen, rng) -> None:
    schemes = ["micro", "weighted", "dodrans", "entropy", "macro"]
    cases, expected = [], []
    for _ in range(40):
        size = int(rng.integers(2, 9))
        counts = rng.integers(0, 40, (size, size)) * (rng.random((size, size)) < 0.6)
        counts[0, 0] += 1
        labels = tuple("NABCDEFGH"[:size])
        outcome = Outcome.from_rows([(*cell, n) for cell, n in np.ndenumerate(counts)], labels)
        counted = outcome.per_class()
        given = {"tp": counted.correct, "gold": counted.gold, "pred": counted.predicted}
        given = {name: column.tolist() for name, column in given.items()} | {"n": int(outcome.n)}
        for rule, score in product(("supported", "observed", "listed"), ("f1", "precision", "recall")):
            rules = {"labels": rule, "sets": False, "selected": [label != "N" for label in labels]}
            cases.append([given, [*schemes, 0.37], rules, score])
            expected.append(averages(outcome, [*schemes, power(0.37)], score, negative="N", labels=rule))
    assert np.array(seen.evaluate(AVERAGES, cases)) == pytest.approx(np.array(expected), abs=1e-12)


def test_a_registered_measure_is_a_column_of_every_system(small_folder, opened, tmp_path) -> None:
    register_measure("error", lambda table, negative: 1 - table.accuracy, better="lower")
    try:
        data = page_data(small_folder, None, replicates=50, cached=False)
        small = next(test for test in data["testsets"] if test["id"] == "small")
        errors = [system["m"]["error"][0] for system in small["systems"]]
        assert errors == pytest.approx([8 / 30, 0.0], abs=0.07)
        assert "error|negative:NA|n:30" in json.dumps(small["measures"])
        page, faults = opened(build_page(data, tmp_path / "x.html"), "#d=small&sort=error")
        assert [row["name"] for row in table(page)] == ["perfect", "pairs"] and faults == []
        page.close()
    finally:
        unregister_measure("error")


def test_intervals_keep_the_classes_of_the_whole_test_set() -> None:
    """One of 61 samples is absent from a third of the replicates; its class is averaged there, too."""
    outcomes = Outcome.from_columns(["x"] * 60 + ["y"], ["x"] * 61, paired=["x"] * 61)
    values = measured(Run.from_outcome(outcomes, dataset="d", model="m"), replicates=300)["measures"]
    assert values["performance_original"][2] == values["performance_paired"][2] == 0.5
