"""View of the picked heads: side by side, as lines, on the text, or as one map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import streamlit as st

from viz.canvas.comparison import encode_comparison
from viz.canvas.standalone import Picture
from viz.captions import heads
from viz.captions.tables import csv_of_views
from viz.figures import HeadPlace, head_combination, head_comparison, head_difference, head_lines
from viz.figures.comparison import Combination
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.shaded_text import STYLE, Way, text_html
from viz.pages.heads.picks import pick_pair
from viz.pages.heads.settings import COMPARE, DIFFERENCE, SHOWN_TEXT, WAY, WORD
from viz.pages.heads.shown import MOST_HEADS, HeadSelection
from viz.pages.heads.wanted import HeadsSettings
from viz.text.counting import position_name
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.text.tokens import shorten, visible
from viz.widgets.canvas import comparison_canvas
from viz.widgets.chart import show_figure
from viz.widgets.isolation import isolate_on_hover
from viz.widgets.keep import file_name, keep_row
from viz.widgets.settings import choose, link

LONGEST_NAMED = 40  # characters of the sentence in the name of a file
MOST_LINED = 160
"""Tokens of the longest text that is drawn as lines: of a longer one nothing could be told apart."""

WIDEST_LINES = 960  # pixels: lines that run farther are harder to follow
FIGURE = "picked-heads"


def compare_heads(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace], width: float) -> None:
    """Show the picked heads in the way that the reader chose."""
    if not picked:
        st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
        return
    way = choose(COMPARE)
    if way == DIFFERENCE:
        _difference(shown, wanted, picked, width)
    elif way == "lines":
        _lines(shown, wanted, picked, width)
    elif way == "text":
        _on_text(shown, wanted, picked)
    elif way == "side":
        _side_by_side(shown, wanted, picked, width)
    else:
        _together(shown, wanted, picked, width, cast("Combination", way))


def file_name_of(shown: HeadSelection, name: str) -> str:
    """Name the file of a saved picture."""
    return f"{shown.trace.source_text[:LONGEST_NAMED]} {name}"


def _side_by_side(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace], width: float) -> None:
    views = shown.pick(picked)
    says, name = heads.comparison_sentence(picked, views), _file_name(shown, "side", picked)
    if max(views[0].weights.shape) > MOST_LABELLED:
        figure = head_comparison(shown.trace, heads=picked, width=width, **wanted.common)
        show_figure(figure, key=FIGURE, says=says, name=name, picture=wanted.picture, available=width)
        return
    file = f"{file_name(name)}.{wanted.picture}"
    common: dict[str, Any] = {"colour": wanted.colour, "width": width, "says": says, "file": file}
    payload = encode_comparison(views, picked, among=shown.places, most=MOST_HEADS, **common)
    with st.container(key=f"figure-{FIGURE}"):
        comparison_canvas(payload, key=FIGURE)
    st.caption(plain(says))
    keep_row(
        lambda: head_comparison(shown.trace, heads=picked, width=width, **wanted.common),
        key=FIGURE,
        name=name,
        csv=lambda: csv_of_views(views),
        pictures=lambda: [Picture("comparison", payload)],
        traces={_(shown.trace.provenance.title): shown.trace},
    )


def _together(
    shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace], width: float, how: Combination
) -> None:
    figure = head_combination(shown.trace, heads=picked, how=how, width=width, **wanted.common)
    says, name = heads.combination_sentence(how, shown.pick(picked)), _file_name(shown, how, picked)
    show_figure(figure, key=FIGURE, says=says, name=name, picture=wanted.picture, available=width)


def _file_name(shown: HeadSelection, way: str, picked: Sequence[HeadPlace]) -> str:
    return file_name_of(shown, " ".join((way, *(place.title for place in picked))))


def _difference(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace], width: float) -> None:
    pair = pick_pair(picked)
    if pair is None:
        st.info(_("A difference needs two heads: pick one more."), icon=":material/ads_click:")
        return
    show_figure(
        head_difference(shown.trace, first=pair[0], second=pair[1], width=width, **wanted.common),
        key=FIGURE,
        says=heads.difference_sentence(pair, shown.pick(pair)),
        name=_file_name(shown, "difference", pair),
        picture=wanted.picture,
        available=width,
    )


def _lines(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace], width: float) -> None:
    views = shown.pick(picked)
    if max(views[0].weights.shape) > MOST_LINED:
        st.info(
            _n(
                "Lines are drawn for up to {count} word or piece; this text has more. Side by side shows it.",
                "Lines are drawn for up to {count} words or pieces; this text has more. Side by side shows it.",
                MOST_LINED,
            )
        )
        return
    common = {name: value for name, value in wanted.common.items() if name != "colour"}
    room = round(min(width, WIDEST_LINES))
    with st.container(key="lines", width=room):
        show_figure(
            head_lines(shown.trace, heads=picked, width=room, **common),
            key=FIGURE,
            says=heads.comparison_sentence(picked, views),
            name=_file_name(shown, "lines", picked),
            picture=wanted.picture,
            available=room,
        )
    isolate_on_hover("lines")


def _on_text(shown: HeadSelection, wanted: HeadsSettings, picked: Sequence[HeadPlace]) -> None:
    link.belong(SHOWN_TEXT, of=(shown.trace.source_text, shown.sites, shown.unit, shown.hiding))
    with st.container(horizontal=True, vertical_alignment="center", key="word-line"):
        way: Way = "reads" if choose(WAY) == "reads" else "read_by"
        view = shown.pick(picked[:1])[0]
        tokens = view.shown.query_tokens if way == "reads" else view.shown.key_tokens
        texts = [shorten(visible(text)) for text in tokens.texts]
        labels = {
            str(place): _("{place}: {word}", place=position_name(place), word=text) for place, text in enumerate(texts)
        }
        with st.container(width=260):
            word = choose(WORD, labels, default=str(_first_word(tokens.texts)))
    st.html(STYLE)
    for place, each in zip(picked, shown.pick(picked), strict=True):
        st.markdown(f"**{place.title}**")
        st.html(text_html(each, position=int(word), way=way, colour=wanted.colour))


def _first_word(texts: Sequence[str]) -> int:
    """Return the first token that is a word, so that the picture does not open on a delimiter."""
    words = (place for place, text in enumerate(texts) if text.strip()[:1].isalnum())
    return next(words, 0)
