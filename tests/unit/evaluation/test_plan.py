"""Sample sizes: against closed forms, against direct simulation, and what cannot be planned."""

import json

import numpy as np
import pytest

from helpers.cli import main
from helpers.evaluation import at_difference, changed_answers, plan_files, plan_samples, population_of
from helpers.evaluation.plan import discordant, lead
from helpers.metrics import Outcome, accuracy_samples, averages, runs_needed, runs_power

GOLD = ["NA"] * 60 + ["a"] * 30 + ["b"] * 10
FIRST = ["NA"] * 55 + ["a"] * 5 + ["a"] * 26 + ["NA"] * 4 + ["b"] * 8 + ["a"] * 2
SECOND = ["NA"] * 50 + ["a"] * 10 + ["a"] * 20 + ["NA"] * 10 + ["b"] * 3 + ["a"] * 7


def population(negative: str | None = "NA") -> Outcome:
    return population_of(GOLD, FIRST, SECOND, negative)


class TestRuns:
    def test_powers_of_the_fact_sheet(self) -> None:
        assert [round(runs_power(1, 1, k), 2) for k in (5, 10, 17)] == [0.29, 0.56, 0.81]

    def test_power_is_that_of_drawn_runs(self) -> None:
        from scipy.stats import ttest_ind

        drawn = np.random.default_rng(1).normal(size=(2, 20_000, 6))
        p = ttest_ind(drawn[0] + 1.2, drawn[1], axis=-1).pvalue
        assert (p < 0.05).mean() == pytest.approx(runs_power(1.2, 1, 6), abs=0.012)

    @pytest.mark.parametrize("difference", [0.3, 1, 4])
    def test_needed_is_the_smallest_number_that_does(self, difference) -> None:
        runs = runs_needed(difference, 1, 0.9)
        assert runs_power(difference, 1, runs) >= 0.9
        assert runs == 2 or runs_power(difference, 1, runs - 1) < 0.9

    @pytest.mark.parametrize(
        ("call", "message"),
        [
            (lambda: runs_power(0, 1, 5), "difference is 0"),
            (lambda: runs_power(1, 0, 5), "sd is 0"),
            (lambda: runs_power(1, 1, 1), "runs is 1"),
            (lambda: runs_needed(1, 1, 1), "power is 1"),
            (lambda: runs_needed(1e-9, 1), "more than 100,000 runs"),
            (lambda: accuracy_samples(0.1, 0.2), "discordant is 0.1"),
        ],
    )
    def test_what_has_no_answer_is_refused(self, call, message) -> None:
        with pytest.raises(ValueError, match=message):
            call()


class TestPopulation:
    @pytest.mark.parametrize("scheme", ["micro", "weighted", "macro"])
    def test_differences_are_those_of_the_metrics(self, scheme) -> None:
        tables = [Outcome.from_columns(GOLD, said) for said in (FIRST, SECOND)]
        first, second = (averages(table, [scheme], negative="NA")[0] for table in tables)
        assert lead(population(), scheme, "NA") == pytest.approx(first - second, abs=1e-12)

    @pytest.mark.parametrize("scheme", ["accuracy", "micro", "macro"])
    def test_moved_to_a_difference(self, scheme) -> None:
        moved = at_difference(population(), scheme, 0.03, "NA")
        assert lead(moved, scheme, "NA") == pytest.approx(0.03, abs=1e-9)
        assert discordant(moved) == pytest.approx(discordant(population()))
        assert moved.counts.sum() == pytest.approx(1) and (moved.counts >= 0).all()

    def test_differences_that_cannot_be(self) -> None:
        with pytest.raises(ValueError, match=r"under macro the two systems differ by \d+\.\d\d points"):
            at_difference(population(), "macro", 0.9, "NA")
        with pytest.raises(ValueError, match="changing 1 % of the answers makes"):
            changed_answers(GOLD, SECOND, "macro", 0.2, 0.01, "NA")
        with pytest.raises(ValueError, match="no system can be better"):
            changed_answers(GOLD, GOLD, "macro", 0.01, 0.1)


class TestSamples:
    def test_accuracy_needs_what_mcnemars_formula_says(self) -> None:
        moved = at_difference(population(None), "accuracy", 0.05)
        found = plan_samples(moved, "accuracy", test_sets=600)
        assert found.by_formula == accuracy_samples(discordant(moved), 0.05)
        assert found.needed == pytest.approx(found.by_formula, rel=0.1)


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        for name, said in (("one.csv", FIRST), ("two.csv", SECOND)):
            rows = [f"{i},{g},{p}" for i, (g, p) in enumerate(zip(GOLD, said, strict=True))]
            (tmp_path / name).write_text("\n".join(["id,gold,predicted", *rows]))
        return tmp_path / "one.csv", tmp_path / "two.csv"

    def test_two_files(self, files, capsys) -> None:
        words = ["plan", "--from", *map(str, files), "--difference", "5", "--scheme", "accuracy"]
        assert main([*words, "--format", "json"]) == 0
        (plan,) = json.loads(capsys.readouterr().out)
        moved = at_difference(population(None), "accuracy", 0.05)
        assert plan["by_formula"] == accuracy_samples(discordant(moved), 0.05)
        expected = plan_files(*files, difference=0.05, schemes=["accuracy"])[0]
        assert plan["needed"] == expected.needed
        assert main(words) == 0
        assert f"{expected.needed:,}" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            ([], "Missing option '--difference'"),
            (["--difference", "1"], "give --from FILE"),
            (["--difference", "1", "--sd", "-1"], "sd is -1"),
            (["--difference", "99", "--from", "one.csv", "two.csv"], "99 cannot be made of them"),
            (["--difference", "1", "--from", "one.csv"], "give a second file"),
            (["--difference", "1", "--from", "one.csv", "--changed", "10"], "changed answers is 10: it must"),
            (["--difference", "1", "--from", "one.csv", "two.csv", "--negative", "x"], "occurs nowhere"),
        ],
    )
    def test_bad_input_is_one_line(self, files, monkeypatch, capsys, words, message) -> None:
        monkeypatch.chdir(files[0].parent)
        assert main(["plan", *words]) == 2
        caught = capsys.readouterr()
        assert message in caught.err and caught.out == "" and caught.err.count("\n") == 1
