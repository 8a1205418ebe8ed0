"""The page in a browser: what it shows, how it is used, that it is safe, quick and for everybody."""

import json
import time

import numpy as np
import pytest

from helpers.evaluation import system_title
from helpers.metrics import Outcome, averages, power
from helpers.reporting.leaderboard import (
    build_page,
    measured,
    page_data,
    register_measure,
    unregister_measure,
)
from helpers.reporting.leaderboard.page import json_in_html
from helpers.runs import Run, list_runs
from tests.support import HOSTILE_NAMES

SHOWN = "[...document.querySelectorAll('#table-body tr')]"


def until(page, condition: str, seconds: float = 600) -> None:
    """Wait for a condition in the page. Playwright's own waiting is stopped by the page's security policy: it
    evaluates text in the page unless the condition holds at once."""
    patience = time.monotonic() + seconds
    while not page.evaluate(condition):
        assert time.monotonic() < patience, f"not within {seconds} s: {condition}"
        time.sleep(0.02)


def table(page) -> list[dict]:
    """The rows of the ranking: name and the numbers by column."""
    return page.evaluate(
        f"""() => {SHOWN}.map(row => ({{name: row.querySelector('.name').textContent,
        ...Object.fromEntries([...row.querySelectorAll('.score')].map(
        cell => [cell.dataset.column, cell.querySelector('.number').textContent]))}}))"""
    )


def slide(page, value: float) -> None:
    page.evaluate(
        """value => { const one = document.getElementById('alpha'); one.value = value;
        one.dispatchEvent(new Event('input', {bubbles: true})); }""",
        str(value),
    )


@pytest.fixture(scope="module")
def seen(opened, real_page):
    """The page of the stored systems, opened once."""
    page, faults = opened(real_page)
    yield page
    assert faults == []


@pytest.fixture(autouse=True)
def fresh(request):
    """Begin each test on the shared page at its start."""
    if "seen" in request.fixturenames:
        page = request.getfixturevalue("seen")
        page.evaluate("location.hash = '#'")
        until(page, "document.getElementById('view-ranking').hidden === false")


class TestWhatItShows:
    def test_values_are_those_of_the_metrics(self, seen) -> None:
        runs = {system_title(run.name): run for run in list_runs("tacred") if not run.second}
        rows = table(seen)
        assert len(rows) == len(runs) == 52
        for row in rows:
            outcome, negative = runs[row["name"]].outcome(), "no_relation"
            for scheme in ("micro", "weighted", "dodrans", "entropy", "macro"):
                assert row[scheme] == f"{100 * averages(outcome, [scheme], negative=negative)[0]:.2f}"
            assert row["accuracy"] == f"{100 * outcome.accuracy:.2f}"

    def test_seeds_of_a_system_are_one_row_with_their_spread(self, seen) -> None:
        seen.evaluate("location.hash = '#d=semeval2010&sort=macro'")
        until(seen, "document.title.startsWith('SemEval')")
        runs = [run for run in list_runs("semeval2010", profile="standard") if run.name == "EM-ES"]
        assert len(runs) == 5
        values = [100 * averages(run.outcome(), ["macro"], negative="Other")[0] for run in runs]
        named = "row.querySelector('.name').dataset.key === 'EM-ES'"
        (row,) = seen.evaluate(f"{SHOWN}.filter(row => {named}).map(row => row.innerText)")
        assert f"mean of {len(runs)} seeds ± {np.std(values, ddof=1):.2f} · " in row.replace("\n", " ")

    @pytest.mark.parametrize(("labels", "alpha"), [("observed", 0.3), ("listed", 0.0), ("supported", 0.61)])
    def test_alpha_and_policy_are_exact(self, seen, labels, alpha) -> None:
        seen.evaluate(f"location.hash = '#d=semeval2010&labels={labels}&alpha={alpha}'")
        until(seen, f"document.getElementById('policy').value === '{labels}'")
        own = [run for run in list_runs("semeval2010") if not run.second]
        runs = {(run.name, (run.encoder or "").replace("no-encoder", ""), run.seed): run for run in own}
        values = seen.evaluate(
            """() => leaderboard.model.test().systems.map(one => [
            one.runs.map(run => [run.name, run.encoder, run.seed]),
            leaderboard.model.valueOf({id: 'alpha'})(one)])"""
        )
        assert {len(of_system) for of_system, _ in values} == {1, 5}
        for of_system, value in values:
            outcomes = [runs[tuple(run)].outcome() for run in of_system]
            expected = [averages(one, [power(alpha)], negative="Other", labels=labels)[0] for one in outcomes]
            assert value == pytest.approx(sum(expected) / len(expected), abs=1e-12)

    def test_signatures_are_those_of_the_policy(self, seen) -> None:
        from helpers.metrics import Policy

        outcome = next(run for run in list_runs("tacred") if not run.second).outcome()
        for scheme in ("micro", "entropy", "macro"):
            seen.click(f'[data-sort="{scheme}"]')
            expected = Policy(negative="no_relation").signature(outcome, "f1", scheme)
            assert seen.inner_text("#signature").startswith(expected + "|bootstrap:percentile,20,seed1,95")
        chosen = [label for label in outcome.labels if label not in ("no_relation", outcome.labels[3])]
        place = outcome.labels.index(outcome.labels[3])
        seen.evaluate(f"location.hash = '#out={1 << place:x}&sort=macro'")
        expected = Policy(negative="no_relation").signature(outcome, "f1", "macro")
        expected = expected.replace("labels:supported", f"labels:{'+'.join(sorted(chosen))}")
        until(seen, "document.getElementById('signature').textContent.includes('labels:org')")
        assert seen.inner_text("#signature") == expected
        few = outcome.labels[3:5]
        out = sum(1 << c for c, label in enumerate(outcome.labels) if label not in (*few, "no_relation"))
        seen.evaluate(f"location.hash = '#out={out:x}&sort=macro&score=recall'")
        expected = Policy(negative="no_relation", labels=few).signature(outcome, "recall", "macro")
        until(seen, "document.getElementById('signature').textContent.startsWith('recall')")
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
        seen.evaluate("location.hash = '#d=semeval2010'")
        until(seen, "document.title.startsWith('SemEval')")
        slide(seen, 0)
        first = table(seen)
        assert [row["alpha"] for row in first] == [row["macro"] for row in first]
        slide(seen, 1)
        second = table(seen)
        assert [row["alpha"] for row in second] == [row["weighted"] for row in second]
        assert [row["name"] for row in first] != [row["name"] for row in second]
        until(seen, "location.hash.includes('alpha=1')")


class TestForEverybody:
    @pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
    def test_axe_finds_no_serious_fault(self, opened, real_page, dark) -> None:
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
        page, faults = opened(real_page, "#d=semeval2010", dark=dark)
        for view in ("ranking", "classes", "compare", "agreement", "direction"):
            page.click(f"#tab-{view}")
            found = axe.Axe().run(page).response["violations"]
            serious = [one for one in found if one["impact"] in ("serious", "critical")]
            assert [(one["id"], one["nodes"][0]["html"]) for one in serious] == []
        assert faults == []
        page.close()


class TestManySystems:
    def test_names_that_would_do_harm_are_text(self, opened, many_page) -> None:
        page, faults = opened(many_page, "#q=script")
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


class TestMetricsInTheBrowser:
    def test_random_counts_to_1e_12(self, seen, rng) -> None:
        for _ in range(40):
            size = int(rng.integers(2, 9))
            counts = rng.integers(0, 40, (size, size)) * (rng.random((size, size)) < 0.6)
            counts[0, 0] += 1
            labels = tuple("NABCDEFGH"[:size])
            table_ = Outcome.from_table(counts, labels)
            for labels_rule in ("supported", "observed", "listed"):
                counted = table_.per_class()
                given = {"tp": counted.correct, "gold": counted.gold, "pred": counted.predicted}
                given = {name: one.tolist() for name, one in given.items()} | {"n": int(table_.n)}
                rules = {"labels": labels_rule, "sets": False, "selected": [label != "N" for label in labels]}
                schemes = ["micro", "weighted", "dodrans", "entropy", "macro", 0.37]
                for score in ("f1", "precision", "recall"):
                    found = seen.evaluate(
                        """([counts, schemes, rules, score]) =>
                        schemes.map(one => leaderboard.metrics.average(counts, one, rules, score))""",
                        [given, schemes, rules, score],
                    )
                    named = [power(one) if isinstance(one, float) else one for one in schemes]
                    expected = averages(table_, named, score, negative="N", labels=labels_rule)
                    assert found == pytest.approx(expected.tolist(), abs=1e-12)


class TestBuilding:
    def test_no_text_ends_the_script(self) -> None:
        text = json_in_html({"a": "</script><!--", "b": "\u2028"})
        assert "<" not in text and "\u2028" not in text and json.loads(text)["a"] == "</script><!--"

    def test_a_registered_measure_is_a_column_of_every_system(self, small_folder, opened, tmp_path) -> None:
        register_measure("error", lambda table, negative: 1 - table.accuracy, better="lower")
        try:
            data = page_data(small_folder, None, replicates=50, cached=False)
            small = next(one for one in data["testsets"] if one["id"] == "small")
            assert [one["m"]["error"][0] for one in small["systems"]] == pytest.approx(
                [8 / 30, 0.0], abs=0.07
            )
            assert "error|negative:NA|n:30" in json.dumps(small["measures"])
            page, faults = opened(build_page(data, tmp_path / "x.html"), "#d=small&sort=error")
            assert [row["name"] for row in table(page)] == ["perfect", "pairs"] and faults == []
            page.close()
        finally:
            unregister_measure("error")

    def test_intervals_keep_the_classes_of_the_whole_test_set(self) -> None:
        """One of 61 samples is absent from a third of the replicates; its class is averaged there, too."""
        outcomes = Outcome.from_columns(["x"] * 60 + ["y"], ["x"] * 61, paired=["x"] * 61)
        found = measured(Run.from_outcome(outcomes, dataset="d", model="m"), replicates=300)
        assert found["performance_original"][2] == found["performance_paired"][2] == 0.5
