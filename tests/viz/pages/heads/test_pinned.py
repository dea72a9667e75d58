"""A row of a causal model is pinned: it is the row that was written, and stays while the text goes on otherwise."""

from __future__ import annotations

import base64
import json
from functools import cache

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from models import load
from models.trace import AttentionTrace
from models.writing import Writing
from tests.support.heads_page import MINILM, fine, opened, parameter, words
from viz.pages.heads.pinned import MOST
from viz.views.heads import sites_at, view_at
from viz.views.hiding import Hiding, hide_specials
from viz.views.pinned import position_of

GPT = "hf:gpt-en"
BEGUN = "The old man walked to the"
LAYER, HEAD = 2, 2


@cache
def written() -> AttentionTrace:
    return load(GPT).attend(BEGUN, write=Writing(6, temperature=1.5, seed=4))


def ids(count: int) -> str:
    """Return the first ids that were written, as a link has them."""
    trace = written()
    assert trace.written is not None
    return ".".join(map(str, trace.source.ids[trace.written.first :][:count]))


def pin(count: int, *, layer: int = LAYER, head: int = HEAD) -> str:
    """Return what a link says of the row of the last of so many written tokens."""
    trace = written()
    assert trace.written is not None
    place = f"{layer}.{head}.{trace.written.first + count - 1}"
    return f"{place} 0 begin={ids(count)}" if count else place


def strips(app: AppTest) -> list[np.ndarray]:
    """Return the weights of the rows that are shown as pinned and as they are now."""
    drawn = [each for chart in app.get("plotly_chart") for each in json.loads(chart.proto.spec)["data"]]
    rows = [each["z"] for each in drawn if each.get("name", "").startswith(("as pinned", "now"))]
    return [np.frombuffer(base64.b64decode(each["bdata"]), each["dtype"]) for each in rows]


def row_of(trace: AttentionTrace, position: int, *, layer: int = LAYER, head: int = HEAD) -> np.ndarray:
    return np.asarray(trace[f"decoder.{layer}.self"].weights[head, position, : position + 1])


@pytest.mark.parametrize("count", [0, 1, 4])
def test_a_pinned_row_is_the_row_that_was_written_and_says_whose_it_is(count: int) -> None:
    app = opened(model=GPT, sentence=BEGUN, write=f"0 begin={ids(6)}", unit="piece", pinned=pin(count))
    assert not app.warning
    trace = written()
    assert trace.written is not None
    position = trace.written.first + count - 1
    (only,) = strips(app)
    np.testing.assert_allclose(only, row_of(trace, position), atol=1e-5)
    said = words(app)
    assert f"(position {position + 1}), layer {LAYER}, head {HEAD}, pinned in “{BEGUN}" in said
    assert "The text up to it is unchanged." in said
    assert (f"{BEGUN} ▸" in said) == bool(count)


def test_it_stays_while_the_text_is_rewound_and_another_word_is_chosen_and_goes_when_it_is_unpinned() -> None:
    link = pin(4)
    app = opened(model=GPT, sentence=BEGUN, write=f"0 begin={ids(4)}", unit="piece", pinned=link)
    before = strips(app)[0]
    app.button(key="rewind-2").click()
    fine(app.run())
    np.testing.assert_array_equal(strips(app)[0], before)
    assert len(strips(app)) == 1
    assert "it now ends before this position" in words(app)
    for _word in range(2):
        app.button(key="go-on-4").click()
        fine(app.run())
    then, now = strips(app)
    np.testing.assert_array_equal(then, before)
    begin = tuple(map(int, (parameter(app, "write") or "").partition("begin=")[2].split(".")))
    assert begin[:2] == tuple(map(int, ids(2).split(".")))
    trace = load(GPT).attend(BEGUN, write=Writing(0, begin=begin))
    assert trace.source.ids != written().source.ids[: len(trace.source)]
    np.testing.assert_allclose(now, row_of(trace, len(trace.source) - 1), atol=1e-5)
    said = words(app)
    assert "The text has changed since: " in said
    assert "Largest difference on a key that both have" in said
    assert parameter(app, "pinned") == link
    app.button(key="unpin-row-1").click()
    fine(app.run())
    assert parameter(app, "pinned") is None
    assert not strips(app)


def test_several_rows_stay_each_of_its_own_head_and_one_is_unpinned_alone() -> None:
    pins = [pin(3), pin(3, layer=0, head=5), pin(0, head=1)]
    app = opened(model=GPT, sentence=BEGUN, unit="piece", pinned=";".join(pins))
    first = len(written().source) - 6
    wanted = [(first + 2, LAYER, HEAD), (first + 2, 0, 5), (first - 1, LAYER, 1)]
    for row, (position, layer, head) in zip(strips(app), wanted, strict=True):
        np.testing.assert_allclose(row, row_of(written(), position, layer=layer, head=head), atol=1e-5)
    app.button(key="unpin-row-2").click()
    fine(app.run())
    assert parameter(app, "pinned") == f"{pins[0]};{pins[2]}"


def test_words_are_shown_as_words_and_what_a_key_moves_as_that() -> None:
    for extra in ({"unit": "word"}, {"unit": "piece", "quantity": "moved"}):
        app = opened(model=GPT, sentence=BEGUN, write=f"0 begin={ids(5)}", pinned=pin(5), **extra)
        trace = load(GPT).attend(BEGUN, write=Writing(0, begin=tuple(map(int, ids(5).split(".")))))
        own = trace.moved() if "quantity" in extra else trace
        shown = own[f"decoder.{LAYER}.self"]
        shown = shown.to_words() if extra["unit"] == "word" else shown
        np.testing.assert_allclose(strips(app)[0], shown.weights[HEAD, -1], atol=1e-5)


@pytest.mark.parametrize(
    "link",
    [
        "x",
        "2.2",
        "2.2.3 40",
        "2.2.3 0 begin=x",
        "9.2.3",
        "2.9.3",
        "2.2.900",
        "2.2.9 0 begin=99999",
        "2.2.3 0 chat=on",
        ";".join(f"2.2.{place}" for place in range(MOST + 1)),
    ],
)
def test_what_a_link_asks_in_vain_is_named_and_the_rest_stays(link: str) -> None:
    app = opened(model=GPT, sentence=BEGUN, pinned=f"{pin(0)};{link}")
    assert any("a setting we don't know: pinned=" in each.value.replace("\\", "") for each in app.warning)
    assert (parameter(app, "pinned") or "").split(";")[0] == pin(0)
    assert 1 <= len(strips(app)) <= MOST


def test_another_text_begins_anew_and_a_model_that_reads_both_ways_takes_no_row() -> None:
    app = opened(model=GPT, sentence=BEGUN, pinned=pin(2))
    app.text_input(key="sentence").set_value(f"{BEGUN} big")
    fine(app.run())
    assert parameter(app, "pinned") is None
    other = opened(model=MINILM, pinned="2.2.3")
    assert parameter(other, "pinned") is None
    assert "a setting we don't know: pinned=2.2.3" in words(other)


@pytest.mark.parametrize("unit", ["word", "piece"])
@pytest.mark.parametrize("rows", [None, (2, 6)])
@pytest.mark.parametrize("hidden", [False, True])
def test_a_row_of_a_map_is_the_token_that_labels_it(unit: str, rows: tuple[int, int] | None, *, hidden: bool) -> None:
    trace = written()
    hiding = Hiding(source=hide_specials(trace).source if hidden else (), rows=rows)
    view = view_at(trace, sites_at(trace, "decoder.*.self")[0], unit, hiding)
    labels, read = view.query_labels.texts, trace.source
    assert position_of(view, len(labels)) is None
    for row, label in enumerate(labels):
        position = position_of(view, row)
        assert position is not None
        text = read.word_texts[read.words[position]] if unit == "word" else read.texts[position]
        assert label.removeprefix("▸") == text
        if unit == "word":
            assert position + 1 == len(read) or read.words[position + 1] != read.words[position]
    if rows is not None:
        assert len(labels) == 5
