"""Figures: a figure from outside, whole files, labels that do not overlap."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers.charts import draw_and_save, interval_chart, save_figure, styled
from helpers.charts.style import WIDTH
from helpers.metrics.scores import SCHEMES


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


def test_a_figure_fits_a_column_and_has_eight_points():
    title = "A finding that takes rather more words than a column is wide, in two lines"
    rows = [{"model": "m", "scheme": scheme, "low": 1.0, "high": 3.0, "value": 2.0} for scheme in SCHEMES]
    figure = interval_chart(pd.DataFrame(rows), title, "what the axis shows, in some more words " * 2)
    texts = [text for text in figure.findobj(mpl.text.Text) if text.get_text()]
    assert figure.get_figwidth() == WIDTH and min(text.get_fontsize() for text in texts) >= 8
    wide = [text for text in texts if text.get_text().startswith(("A finding", "what the"))]
    assert len(wide) == 2 and all("\n" in text.get_text() for text in wide)
    boxes = [text.get_window_extent() for text in (*wide, *figure.axes[0].texts)]
    assert all(box.x0 >= -1 and box.x1 <= figure.bbox.x1 + 1 for box in boxes)
