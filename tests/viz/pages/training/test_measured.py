"""How training goes wrong, and an induction head being born: the figures are those of the files, moved by the link."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models.experiments.induction_table import induction_table
from models.experiments.stability_table import stability_table

OTHER = "zh-en"  # without models at points of their training, so that these sections are quick to open


def script() -> None:
    from viz.pages.training.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=120)
    app.query_params.update({"languages": OTHER} | link)
    app.run()
    assert not app.exception
    return app


def charts(app: AppTest) -> list[dict[str, Any]]:
    return [json.loads(each.proto.spec) for each in app.get("plotly_chart")]


def said(app: AppTest) -> str:
    return " ".join(each.value for each in app.caption).replace("\\", "")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_four_twins_at_a_moment_are_those_of_the_file(language: str) -> None:
    table = stability_table()
    assert table is not None
    app = opened(measured="wrong", updates="4", lang=language)
    curves, lengths = charts(app)
    assert curves["layout"]["shapes"][0]["x0"] == table.points[3]
    losses = [line["y"] for line in curves["data"] if line.get("yaxis", "y") == "y"]
    assert all(list(run.losses) in losses for run in table.runs)
    post = [run for run in table.runs if run.twin == (False, False)]
    assert f"{np.mean([run.losses[3] for run in post]):.2f}" in said(app)
    drawn = [value for value in lengths["data"][1]["y"] if value is not None]
    assert drawn == pytest.approx(np.mean([run.gradients[3] for run in post], axis=0))
    ratio = np.mean([run.gradients[3][-1] / run.gradients[3][table.layers] for run in post])
    assert (f"{ratio:.1f}" if ratio < 10 else f"{ratio:,.0f}") in said(app)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_head_at_a_moment_is_that_of_the_file_and_the_slider_moves_curve_and_maps_together(language: str) -> None:
    table = induction_table()
    assert table is not None
    app = opened(measured="birth", born="1", lang=language)
    for point in (0, len(table.points) - 1):
        app.select_slider(key="born").set_value(str(point + 1)).run()
        assert not app.exception
        curves, maps = charts(app)
        assert curves["layout"]["shapes"][0]["x0"] == table.points[point]
        assert len(maps["data"]) == 2 * table.heads
        assert f"{table.runs[0].second[point]:.2f}" in said(app)
        assert f"{max(table.runs[0].induction[point]):.2f}" in said(app)
    assert app.query_params["born"] == str(len(table.points))


def test_the_curves_of_the_page_stay_where_they_were_and_a_choice_shows_the_others() -> None:
    app = opened(languages="en-fr", sentence="The cat sleeps.")
    assert "alignment" in [each.value for each in app.header][-1]
    app.segmented_control(key="measured").set_value("wrong").run()
    assert not app.exception
    assert [each.value for each in app.header][-1] == "How training goes wrong"
    assert app.query_params["measured"] == "wrong"
