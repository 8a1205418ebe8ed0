"""Figures: a further scheme, a figure from outside, whole files, labels that do not overlap."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.metrics.weighting import SCHEMES
from helpers.reporting.figures import draw_and_save, interval_chart, save_figure, styled
from helpers.reporting.figures.style import COLUMN, scheme_look
from tests.support import temporary_scheme


def test_a_further_scheme_has_a_look_of_its_own_that_stays():
    looks = [tuple(scheme_look(scheme).values()) for scheme in (*SCHEMES, "root", "n^0.5")]
    assert len(set(looks)) == 7
    with temporary_scheme("another", lambda support, total: support):
        assert tuple(scheme_look("root").values()) == looks[5]


@styled
def my_chart(drawn: pd.DataFrame, title: str) -> plt.Figure:
    figure, axes = plt.subplots()
    axes.plot(drawn["alpha"], drawn["value"])
    axes.set_title(title, loc="left")
    return figure


def test_a_figure_from_outside_is_saved_like_any_other(tmp_path):
    drawn = pd.DataFrame({"alpha": [0, 1], "value": [1 / 3, 0.5]})
    draw_and_save(my_chart, "mine", drawn, tmp_path / "new", "Title")
    files = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert sorted(files) == ["mine.csv", "mine.pdf", "mine.png"]
    assert files["mine.csv"] == b"alpha,value\n0,0.33333333\n1,0.5\n"
    again = save_figure(my_chart(drawn, "Title"), "mine", drawn, tmp_path)
    assert {path.name: path.read_bytes() for path in again} == files


@pytest.mark.parametrize(("name", "rows"), [("a/b", 1), ("empty", 0)])
def test_a_path_and_an_empty_table_are_refused(tmp_path, name, rows):
    with pytest.raises(ValueError, match="name is|drawn is empty"):
        save_figure(plt.figure(), name, pd.DataFrame({"x": range(rows)}), tmp_path)


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
    for draw, given in ((two_panels, (title,)), (interval_chart, (pd.DataFrame(rows), title))):
        figure = draw(*given, width="column")
        assert figure.get_figwidth() == COLUMN < draw(*given).get_figwidth()
        texts = [text for text in figure.findobj(mpl.text.Text) if text.get_text()]
        assert min(text.get_fontsize() for text in texts) >= 6.5
        titles = [text for text in texts if text.get_text().startswith("A finding")]
        keys = [text for legend in figure.legends for text in legend.get_texts()]
        boxes = [text.get_window_extent() for text in (*titles, *keys)]
        assert titles and all(box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)
    with pytest.raises(ValueError, match="unknown width 'wide'"):
        two_panels(title, width="wide")
