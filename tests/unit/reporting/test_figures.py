"""Figures: a further scheme, a figure from outside, whole files, labels that do not overlap."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.metrics.weighting import SCHEMES, temporary_scheme
from helpers.reporting.figures import draw_and_save, gains_chart, interval_chart, save_figure, styled
from helpers.reporting.figures.parts import alpha_axis, spread_labels
from helpers.reporting.figures.style import scheme_look


def test_labels_are_spread_apart_around_their_middle():
    assert spread_labels([3.0, 1.0, 1.2], 1.0) == pytest.approx([3.0, 0.6, 1.6])
    assert spread_labels([], 1.0) == []


def test_a_further_scheme_has_a_look_of_its_own_that_stays():
    looks = [tuple(scheme_look(scheme).values()) for scheme in (*SCHEMES, "root", "n^0.5")]
    assert len(set(looks)) == 7
    with temporary_scheme("another", lambda support, total: support):
        assert tuple(scheme_look("root").values()) == looks[5]


def test_charts_draw_a_sixth_scheme():
    rows = [{"model": "m", "scheme": scheme, "low": 1.0, "high": 3.0} for scheme in (*SCHEMES, "root")]
    table = pd.DataFrame(rows).assign(value=2.0, difference=2.0)
    for figure in (interval_chart(table, "t"), gains_chart(table, "t")):
        assert [text.get_text() for text in figure.legends[0].get_texts()] == [*SCHEMES, "root"]


@styled
def my_chart(drawn: pd.DataFrame, title: str) -> plt.Figure:
    figure, axes = plt.subplots()
    axes.plot(drawn["alpha"], drawn["value"])
    alpha_axis(axes, title)
    return figure


def test_a_figure_from_outside_is_saved_like_any_other(tmp_path):
    drawn = pd.DataFrame({"alpha": [0, 1], "value": [1 / 3, 0.5]})
    figure = draw_and_save(my_chart, "mine", drawn, tmp_path / "new", "Title")
    assert figure.axes[0].get_title(loc="left") == "Title"
    files = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert sorted(files) == ["mine.csv", "mine.pdf", "mine.png"]
    assert files["mine.csv"] == b"alpha,value\n0,0.33333333\n1,0.5\n"
    again = save_figure(my_chart(drawn, "Title"), "mine", drawn, tmp_path)
    assert [path.read_bytes() for path in again] == [files[path.name] for path in again]


@pytest.mark.parametrize(("name", "rows"), [("a/b", 1), ("", 1), ("empty", 0)])
def test_a_path_and_an_empty_table_are_refused(tmp_path, name, rows):
    with pytest.raises(ValueError, match="name is|drawn is empty"):
        save_figure(plt.figure(), name, pd.DataFrame({"x": range(rows)}), tmp_path)
    assert not list(tmp_path.iterdir())
