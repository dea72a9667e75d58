"""The rows and columns of the picked heads that a reader chooses: by slider, by link, and back to all."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.heads_page import MINILM, fine, opened, overview, parameter, trace_of
from tests.support.payloads import compared

TEXT = "The cat drank the cold milk. " * 8
LINK = {"model": MINILM, "sentence": TEXT, "unit": "word", "heads0": "1", "heads5": "0"}


def test_a_link_shows_the_rows_and_columns_that_it_names_and_the_rest_as_one_column() -> None:
    app = fine(opened(**LINK, rows="9-13", columns="3-20"))
    header, cells = compared(app)
    own = trace_of(MINILM, TEXT)["encoder.0.self"].to_words().weights[1].astype(np.float64)
    expected = np.column_stack((own[9:14, 3:21], own[9:14].sum(axis=1) - own[9:14, 3:21].sum(axis=1)))
    np.testing.assert_allclose(cells[0], expected, atol=1e-6)
    assert header["keys"][-1] == "⟨hidden⟩"
    count = own.shape[0]
    assert f"rows 10-14 of {count}; the others are hidden" in header["alt"]
    assert f"columns 4-21 of {count}; weight of the others: ⟨hidden⟩" in header["alt"]
    assert "special tokens hidden" not in header["alt"]
    assert len(overview(app)[0]["queries"]) == count


def test_sliders_choose_rows_and_columns_and_one_press_shows_all() -> None:
    app = fine(opened(**LINK))
    whole = compared(app)[1].shape
    fine(app.select_slider(key="span-rows").set_range(4, 7).run())
    fine(app.select_slider(key="span-columns").set_range(0, 9).run())
    assert (parameter(app, "rows"), parameter(app, "columns")) == ("4-7", "0-9")
    assert compared(app)[1].shape[1:] == (4, 11)
    fine(app.button(key="span-all").click().run())
    assert (parameter(app, "rows"), parameter(app, "columns")) == (None, None)
    assert compared(app)[1].shape == whole


def test_rows_are_counted_among_those_that_are_shown_and_begin_anew_with_them() -> None:
    app = fine(opened(**LINK, hide="on", rows="0-0"))
    assert compared(app)[0]["queries"] == ["The"]
    fine(app.toggle(key="hide").set_value(False).run())
    assert parameter(app, "rows") is None


@pytest.mark.parametrize("asked", ["7", "9-3", "-1-4", "900-901", "a-b", "²-³"])
def test_rows_that_there_are_not_are_named_and_all_are_shown(asked: str) -> None:
    app = fine(opened(**LINK, rows=asked))
    assert any(asked in each.value.replace("\\", "") for each in app.warning)
    assert "rows" not in compared(app)[0]["alt"]


@pytest.mark.parametrize("way", ["lines", "difference", "sum", "mean"])
def test_each_picture_of_picked_heads_takes_them_and_says_so(way: str) -> None:
    app = opened(**LINK, compare=way, rows="2-9", columns="5-8")
    assert any("rows 3-10 of" in chart.proto.spec for chart in app.get("plotly_chart"))


def test_words_of_the_chosen_rows_alone_are_offered_on_the_text() -> None:
    app = opened(**LINK, compare="text", rows="2-9")
    assert len(app.selectbox(key="word").options) == 8


def test_a_part_of_a_long_text_is_drawn_with_every_token_named_and_a_fold_has_no_part() -> None:
    app = fine(opened(**{**LINK, "sentence": TEXT * 5}, rows="30-40", columns="20-60"))
    assert len(compared(app)[0]["queries"]) == 11
    fine(opened(**{**LINK, "unit": "sentence"}, rows="2-3"))
