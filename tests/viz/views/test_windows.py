"""Windows of local attention: edges, centres and the Gaussian, in pieces and in words, where the model reads."""

from __future__ import annotations

import numpy as np
import pytest

from models.edits import window
from models.trace import AttentionTrace
from tests.support.small_models import translator
from viz.figures import alignment_heatmap
from viz.views.view import choose_view
from viz.views.windows import windows_of

SOURCE, TARGET = "The unbelievable cat sleeps in the house.", "le chat incroyablement dort"
SITES = ("*.weights", "*.centre")


def local(key: str, **options: object) -> AttentionTrace:
    sites = (*SITES, "*.raw_weights") if key == "luong-local-p" else SITES
    return translator(key).attend(SOURCE, TARGET, sites=sites, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["luong-local-m", "luong-local-p"])
def test_what_is_read_lies_within_the_edges_and_nothing_beyond(key: str) -> None:
    trace = local(key)
    view = choose_view(trace, unit="piece", reading="written")
    found = windows_of(view)
    assert found is not None
    columns = np.arange(len(trace.source))
    inside = (columns > found.left[:, None]) & (columns < found.right[:, None])
    assert not view.weights[~inside].any()
    assert view.weights[inside].min() > 0
    assert ((found.left <= found.centre) & (found.centre <= found.right + 1)).all()
    if key == "luong-local-m":
        np.testing.assert_allclose(found.centre, np.minimum(np.arange(len(trace.target)), len(trace.source) - 1))
        assert found.sigma_left is None
    else:
        assert found.sigma_left is not None
        width = trace[view.shown.site].companions["centre"][0, :, 1]
        np.testing.assert_allclose(found.centre - found.sigma_left, width / 2)


@pytest.mark.parametrize("reading", ["written", "input"])
@pytest.mark.parametrize("key", ["luong-local-m", "luong-local-p"])
def test_words_that_are_read_lie_within_the_edges(key: str, reading: str) -> None:
    view = choose_view(local(key), reading=reading)  # type: ignore[arg-type]
    found = windows_of(view)
    assert found is not None
    assert len(found.centre) == len(view.weights)
    single = np.bincount(np.array(view.trace.target.words)) == 1
    columns = np.arange(view.weights.shape[1])
    touched = (columns + 0.5 > found.left[:, None] + 1e-9) & (columns - 0.5 < found.right[:, None] - 1e-9)
    if reading == "written":
        assert not view.weights[single][~touched[single]].any()
    assert touched.any(axis=1).all()
    assert found.left.min() >= -0.5
    assert found.right.max() <= view.weights.shape[1] - 0.5


def test_an_edited_window_is_drawn_where_it_now_is() -> None:
    trace = local("luong-local-m", edits=[window("decoder.0.cross", 1, 5, 1)])
    found = windows_of(choose_view(trace, unit="piece", reading="written"))
    assert found is not None
    assert (found.left[1], found.centre[1], found.right[1]) == (3.5, 5.0, 6.5)
    assert found.centre[2] == 2.0


def test_the_figure_draws_them_and_says_so() -> None:
    plain, drawn = translator("luong-general").attend(SOURCE, TARGET), local("luong-local-p")
    assert windows_of(choose_view(plain)) is None
    figure = alignment_heatmap([plain, drawn])
    lines = [each for each in figure.data if each.type == "scatter"]
    assert len(lines) == 5
    assert {each.xaxis for each in lines} == {"x2"}
    said = [each.text for each in figure.layout.annotations]
    assert "one sigma" not in said[0]
    assert "one sigma" in said[1].replace("<br>", " ")
