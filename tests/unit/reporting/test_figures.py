"""Figures: a further scheme, a figure from outside, whole files, labels that do not overlap."""

from itertools import combinations

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from helpers.evaluation import system_title
from helpers.metrics.weighting import SCHEMES
from helpers.reporting.figures import (
    draw_and_save,
    gains_chart,
    interval_chart,
    leak_chart,
    restriction_chart,
    save_figure,
    styled,
)
from helpers.reporting.figures.parts import alpha_axis, spread_labels
from helpers.reporting.figures.style import COLUMN, PALETTE, QUIET, STYLE, contrast, ink, scheme_look
from helpers.runs import list_runs
from tests.schemes import temporary_scheme


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
    named = [text.get_text() for text in gains_chart(table, "t").legends[0].get_texts()]
    assert named == [axes.get_title("left") for axes in interval_chart(table, "t").axes]
    assert named == [*SCHEMES, "root"]


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


def test_text_and_marks_stand_out_from_white():
    assert min(contrast(color) for color in [*PALETTE, QUIET]) >= 3
    assert min(contrast(ink(color)) for color in [*PALETTE, STYLE["text.color"]]) >= 4.5
    assert contrast("#de8f05") < 3  # the orange that went


SEEN_BY = {
    "deuteranopes": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "protanopes": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "others": np.eye(3),
}
"""Linear RGB as dichromats see it (Machado, Oliveira & Fernandes 2009, severity 1)."""


def as_seen(color: str, matrix) -> np.ndarray:
    """CIE L*a*b* of a colour (D65)."""
    parts = np.array(mpl.colors.to_rgb(color))
    light = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(matrix) @ light, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.array(to_xyz) @ seen / [0.9505, 1, 1.089])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("matrix", SEEN_BY.values(), ids=SEEN_BY)
def test_colour_blind_readers_tell_the_schemes_apart(matrix):
    colors = [as_seen(scheme_look(scheme)["color"], matrix) for scheme in SCHEMES]
    assert min(np.linalg.norm(one - other) for one, other in combinations(colors, 2)) > 12


@styled
def two_panels(title: str) -> plt.Figure:
    figure, panels = plt.subplots(1, 2, figsize=(9, 3))
    for axes in panels:
        axes.plot([0, 1], label="a line of some length")
        axes.set_title(title, fontsize=8)
    figure.suptitle(title)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center")
    return figure


def test_a_figure_fits_a_column():
    title = "A finding that takes rather more words than a column is wide"
    rows = [{"model": "m", "scheme": scheme, "low": 1.0, "high": 3.0, "value": 2.0} for scheme in SCHEMES]
    for draw in (
        lambda **way: two_panels(title, **way),
        lambda **way: interval_chart(pd.DataFrame(rows), title, **way),
    ):
        figure = draw(width="column")
        assert figure.get_figwidth() == COLUMN < draw().get_figwidth()
        texts = [text for text in figure.findobj(mpl.text.Text) if text.get_text()]
        assert min(text.get_fontsize() for text in texts) >= 6.5
        titles = [text for text in texts if text.get_text().startswith("A finding")]
        boxes = [
            text.get_window_extent()
            for text in [*titles, *(one for key in figure.legends for one in key.get_texts())]
        ]
        assert titles and all(box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)
    with pytest.raises(ValueError, match="unknown width 'wide'"):
        two_panels(title, width="wide")


def test_published_systems_have_names_of_their_own():
    models = {run.model for run in list_runs("tacred") if "+" not in run.model}
    assert len({system_title(model) for model in models}) == len(models) == 52
    assert not [title for title in map(system_title, models) if "_" in title]


def test_dots_of_single_seeds_are_told_of_where_there_are_any():
    rows = [{"system": "s", "scheme": "micro", "seed": seed, "value": 40.0 + seed} for seed in (1, 2)]
    charts = [restriction_chart(pd.DataFrame(part), "title") for part in (rows[:1], rows)]
    assert ["single seeds" in chart.axes[0].get_xlabel() for chart in charts] == [False, True]
    drawn = [sum(len(one.get_offsets()) for one in chart.axes[0].collections) for chart in charts]
    assert drawn == [1, 3]


def test_every_system_has_its_name_beside_its_leak():
    systems = pd.DataFrame({"system": ["a", "b"], "score": [64.0, 60.0], "leaked": [73.0, 66.0]})
    (axes,) = leak_chart(systems, "title", ["b"]).axes
    assert [one.get_text() for one in axes.get_yticklabels()] == ["a", "b"]
    assert [one.get_text() for one in axes.texts] == ["+6.0"]
