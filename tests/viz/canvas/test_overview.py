"""What the canvas overview is fed with: decoded, it is the trace within the rounding that is stated."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.support import payloads
from tests.support.canvas_samples import HOSTILE, SAMPLES, encoder
from tests.support.figure_samples import AWKWARD
from tests.support.head_samples import KINDS, transformer, weights_of
from viz.canvas.overview import LONGEST_TEXT, MOST_CELLS, Tiles, code, encode_overview
from viz.canvas.payload import Look
from viz.canvas.pooling import blocks, pooled
from viz.views.heads import HeadPlace, views_at
from viz.views.hiding import Hiding
from viz.widgets.canvas import read_picked

FORTY = [f"w{place}" for place in range(39)] + ["</s>"]


def decode(payload: bytes) -> tuple[dict[str, Any], np.ndarray]:
    """Return the header of a payload, and weights as float64 [head, row, column]."""
    header, cells = payloads.decode(payload)
    return header, (cells / 255) ** 2


@given(arrays(np.float32, 40, elements=st.floats(0, 1, width=32)))
def test_a_byte_is_near_enough_to_its_weight(weights: np.ndarray) -> None:
    error = np.abs((code(weights) / 255.0) ** 2 - weights)
    assert error.max() <= 0.004
    assert (error[weights < 0.01] <= 0.0004).all()


@pytest.mark.parametrize("sites", KINDS)
def test_every_weight_of_a_short_text_is_there(sites: str) -> None:
    trace = transformer(FORTY, FORTY[10:])
    header, cells = decode(encode_overview(views_at(trace, sites, "word")))
    assert [tuple(place) for place in header["heads"]] == [(layer, head) for layer in range(3) for head in range(8)]
    for (layer, head), shown in zip(header["heads"], cells, strict=True):
        np.testing.assert_allclose(shown, weights_of(trace, sites, layer, head), atol=0.004)
    assert header["in_layers"]
    assert "largest" not in header["note"]


def test_of_a_long_text_each_cell_is_the_largest_of_the_tokens_that_it_names() -> None:
    trace = encoder(150, layers=1, heads=2)
    header, cells = decode(encode_overview(views_at(trace, "encoder.*.self", "word")))
    assert cells.shape == (2, 50, 50)
    assert header["rows"] == header["columns"] == list(range(0, 151, 3))
    weights = trace["encoder.0.self"].weights
    expected = weights.reshape(2, 50, 3, 50, 3).max(axis=(2, 4))
    np.testing.assert_allclose(cells, expected, atol=0.004)
    assert "a cell shows the largest weight of a few tokens" in header["note"]


@given(st.integers(0, 300), st.integers(2, 70), st.booleans())
def test_blocks_share_all_tokens_out(count: int, most: int, alone: bool) -> None:
    starts = blocks(count, most, alone=alone)
    sizes = np.diff(starts)
    assert starts[0] == 0
    assert starts[-1] == count
    assert len(sizes) <= most
    assert (sizes > 0).all()
    assert not alone or not count or sizes[-1] == 1
    regular = sizes[: -2 if alone else -1]
    assert not regular.size or (regular == regular[0]).all()


@given(st.integers(1, 40), st.integers(1, 40), st.integers(2, 12), st.booleans())
def test_pooling_keeps_the_largest(queries: int, keys: int, most: int, alone: bool) -> None:
    weights = np.random.default_rng(queries * 41 + keys).random((queries, keys))
    rows, columns = blocks(queries, most), blocks(keys, most, alone=alone)
    found = pooled(weights, rows, columns)
    for row, column in np.ndindex(*found.shape):
        part = weights[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        assert found[row, column] == part.max()


def test_heads_come_in_the_order_asked_for_and_those_left_out_are_counted() -> None:
    trace = transformer()
    wanted = [HeadPlace(2, 5), HeadPlace(0, 0), HeadPlace(1, 7)]
    tiles = Tiles(wanted, [wanted[2]], remarks={wanted[1]: "broad 0.90"})
    payload = encode_overview(views_at(trace, "encoder.*.self", "word"), tiles)
    header, cells = decode(payload)
    assert [HeadPlace(*place) for place in header["heads"]] == wanted
    for place, shown in zip(wanted, cells, strict=True):
        np.testing.assert_allclose(shown, weights_of(trace, "encoder.*.self", *place), atol=0.004)
    assert header["remarks"] == ["", "broad 0.90", ""]
    assert header["picked"] == [[1, 7]]
    assert not header["in_layers"]
    assert "21 of 24 heads left out" in header["note"]
    for wrong in ([HeadPlace(3, 0)], [wanted[0], wanted[0]]):
        with pytest.raises(ValueError, match="each head is shown once"):
            encode_overview(views_at(trace, "encoder.*.self", "word"), Tiles(wrong))


def test_hidden_tokens_are_one_column_and_cells_below_the_threshold_are_counted() -> None:
    trace = encoder(140, layers=1, heads=2)
    hiding = Hiding(source=(0, 139), threshold=0.05)
    header, cells = decode(encode_overview(views_at(trace, "encoder.*.self", "word", hiding)))
    assert header["keys"][-1] == "⟨hidden⟩"
    assert header["columns"][-1] - header["columns"][-2] == 1  # pooled with nothing
    assert len(header["columns"]) - 1 <= MOST_CELLS
    mass = trace["encoder.0.self"].weights[:, 1:-1][:, :, [0, 139]].sum(axis=-1)  # [head, query]
    expected = np.stack([mass[:, start : start + 3].max(axis=1) for start in range(0, 138, 3)], axis=1)
    np.testing.assert_allclose(cells[:, :, -1], expected, atol=0.004)
    shown = np.concatenate([trace["encoder.0.self"].weights[:, 1:-1, 1:-1], mass[..., None]], axis=-1)
    assert f"{(shown < 0.05).sum()} of {2 * 138 * 139} cells below 0.05, left empty" in header["note"]


@pytest.mark.parametrize("name", AWKWARD)
@pytest.mark.parametrize("sites", KINDS)
def test_any_token_can_be_sent(name: str, sites: str) -> None:
    header, cells = decode(encode_overview(views_at(transformer(AWKWARD[name], AWKWARD[name]), sites, "word")))
    assert cells.shape[1:] == (len(AWKWARD[name]),) * 2
    assert all(header["queries"])
    assert all(header["keys"])


def test_the_words_of_a_saved_picture_and_of_those_who_do_not_see_it_are_there() -> None:
    views = views_at(transformer(("the", "حب", "</s>"), ("a", "</s>")), "decoder.*.cross", "word")
    header, _cells = decode(encode_overview(views, look=Look(says="One is strongest.", file="cats.svg")))
    assert header["alt"] == f"{header['title']}. One is strongest. {header['note']}"
    assert header["file"] == "cats.svg"
    assert header["texts"] == ["queries, from the top: a </s>", "keys, from the left: the \u2068حب\u2069 </s>"]


def test_of_a_long_text_a_saved_picture_names_the_first_tokens() -> None:
    header, _cells = decode(encode_overview(views_at(encoder(600, layers=1, heads=1), "encoder.*.self", "word")))
    for text in header["texts"]:
        assert "word0 word1 word2" in text
        assert text.endswith("…")
        assert len(text) < LONGEST_TEXT + 40


def test_markup_is_sent_as_the_text_that_it_is() -> None:
    header, _cells = decode(encode_overview(views_at(SAMPLES["hostile"](), "encoder.*.self", "word")))
    assert header["keys"][0] == HOSTILE.replace(" ", "␣")


@pytest.mark.parametrize("colour", ["linear", "root"])
def test_the_legend_names_the_meaning_and_its_ticks_lie_on_it(colour: str) -> None:
    header, _cells = decode(encode_overview(views_at(transformer(), "encoder.*.self", "word"), look=Look(colour)))  # type: ignore[arg-type]
    assert "attention weight" in header["legend"]
    assert ("square root" in header["legend"]) == (colour == "root")
    for place, text in header["ticks"]:
        assert place == pytest.approx(float(text) ** (0.5 if colour == "root" else 1), abs=1e-6)
    assert header["ticks"][0][1] == "0"
    assert header["ticks"][-1][1] == "1"


def test_a_large_model_is_a_small_payload() -> None:
    payload = encode_overview(views_at(encoder(128, layers=6, heads=12), "encoder.*.self", "word"))
    assert len(payload) < 250_000


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        (None, None),
        ([], ()),
        ([[1, 2], [0, 3]], (HeadPlace(1, 2), HeadPlace(0, 3))),
        ([[1, 2], [1, 2]], (HeadPlace(1, 2),)),
        ("[[1, 2]]", None),
        ([[1]], None),
        ([[1, -2]], None),
        ([[1, True]], None),
        ([["1", "2"]], None),
        ([1, 2], None),
        ({"a": 1}, None),
    ],
)
def test_what_a_browser_sends_is_read_with_care(sent: object, read: object) -> None:
    assert read_picked(sent) == read
