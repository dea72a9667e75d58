"""The picked heads on the page: side by side, as lines, on the text, or as one map."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from viz.canvas.comparison import encode_comparison
from viz.captions import heads
from viz.figures import HeadPlace, head_combination, head_comparison, head_difference, head_lines
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.shaded_text import STYLE, Way, text_html
from viz.pages.heads.picks import MOST_HEADS, pick_pair
from viz.pages.heads.settings import Settings
from viz.pages.heads.shown import Shown
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.text.tokens import shorten, visible
from viz.views.view import View
from viz.widgets.canvas import comparison_canvas
from viz.widgets.chart import file_name, show_figure
from viz.widgets.controls import segmented, select, start_anew
from viz.widgets.isolation import isolate_on_hover

LONGEST_NAMED = 40  # characters of the sentence in the name of a file
MOST_LINED = 160
"""Tokens of the longest text that is drawn as lines: of a longer one nothing could be told apart."""

WIDEST_LINES = 960  # pixels: lines that run farther are harder to follow
FIGURE = "picked-heads"


def compare_heads(shown: Shown, settings: Settings, picked: Sequence[HeadPlace], width: float) -> None:
    """Show the picked heads in the way that the reader chose."""
    if not picked:
        st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
        return
    ways = {
        "side": _("side by side"),
        "lines": _("lines"),
        "text": _("on the text"),
        "difference": _("difference of two"),
        "sum": _("sum"),
        "mean": _("mean"),
    }
    way = segmented("compare", ways, title=_("How the picked heads are shown"))
    if way == "difference":
        _difference(shown, settings, picked, width)
    elif way == "lines":
        _lines(shown, settings, picked, width)
    elif way == "text":
        _on_text(shown, settings, picked)
    else:
        _maps(shown, settings, picked, width, way)


def file_name_of(shown: Shown, name: str) -> str:
    """Name the file of a saved picture."""
    return f"{shown.trace.source_text[:LONGEST_NAMED]} {name}"


def _maps(shown: Shown, settings: Settings, picked: Sequence[HeadPlace], width: float, way: str) -> None:
    views = shown.pick(picked)
    name = file_name_of(shown, " ".join((way, *(place.title for place in picked))))
    if way == "side":
        sentence = heads.comparison_sentence(picked, views)
        if max(views[0].weights.shape) <= MOST_LABELLED:
            _side_by_side(shown, views, settings, picked, width, sentence, name)
            return
        figure = head_comparison(shown.trace, heads=picked, width=width, **settings.common)
    else:
        how = "sum" if way == "sum" else "mean"
        figure = head_combination(shown.trace, heads=picked, how=how, width=width, **settings.common)  # type: ignore[arg-type]
        sentence = heads.combination_sentence(way, views)
    show_figure(figure, key=FIGURE, says=sentence, name=name, picture=settings.picture, available=width)


def _side_by_side(
    shown: Shown,
    views: Sequence[View],
    settings: Settings,
    picked: Sequence[HeadPlace],
    width: float,
    sentence: str,
    name: str,
) -> None:
    payload = encode_comparison(
        views,
        picked,
        among=shown.places,
        colour=settings.colour,
        most=MOST_HEADS,
        width=width,
        says=sentence,
        file=f"{file_name(name)}.{settings.picture}",
    )
    with st.container(key=f"figure-{FIGURE}"):
        comparison_canvas(payload, key=FIGURE)
    st.caption(plain(sentence))


def _difference(shown: Shown, settings: Settings, picked: Sequence[HeadPlace], width: float) -> None:
    pair = pick_pair(picked)
    if pair is None:
        st.info(_("A difference needs two heads: pick one more."), icon=":material/ads_click:")
        return
    show_figure(
        head_difference(shown.trace, first=pair[0], second=pair[1], width=width, **settings.common),
        key=FIGURE,
        says=heads.difference_sentence(pair, shown.pick(pair)),
        name=file_name_of(shown, f"difference {pair[0].title} {pair[1].title}"),
        picture=settings.picture,
        available=width,
    )


def _lines(shown: Shown, settings: Settings, picked: Sequence[HeadPlace], width: float) -> None:
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
    common = {name: value for name, value in settings.common.items() if name != "colour"}
    room = round(min(width, WIDEST_LINES))
    with st.container(key="lines", width=room):
        show_figure(
            head_lines(shown.trace, heads=picked, width=room, **common),
            key=FIGURE,
            says=heads.comparison_sentence(picked, views),
            name=file_name_of(shown, " ".join(("lines", *(place.title for place in picked)))),
            picture=settings.picture,
            available=room,
        )
    isolate_on_hover("lines")


def _on_text(shown: Shown, settings: Settings, picked: Sequence[HeadPlace]) -> None:
    ways = {"reads": _("what it reads"), "read_by": _("who reads it")}
    start_anew(("word",), of=(shown.trace.source_text, shown.sites, shown.unit, shown.hiding), mark="word-of")
    with st.container(horizontal=True, vertical_alignment="center", key="word-line"):
        way: Way = "reads" if segmented("way", ways, title=_("Which way")) == "reads" else "read_by"
        view = shown.pick(picked[:1])[0]
        tokens = view.shown.query_tokens if way == "reads" else view.shown.key_tokens
        texts = [shorten(visible(text)) for text in tokens.texts]
        labels = {str(place): _("{place}: {word}", place=place + 1, word=text) for place, text in enumerate(texts)}
        with st.container(width=260):
            word = select("word", labels, title=_("Which word"), default=str(_first_word(tokens.texts)))
    st.html(STYLE)
    for place, each in zip(picked, shown.pick(picked), strict=True):
        st.markdown(f"**{place.title}**")
        st.html(text_html(each, position=int(word), way=way, colour=settings.colour))


def _first_word(texts: Sequence[str]) -> int:
    """Return the first token that is a word, so that the picture does not open on a delimiter."""
    words = (place for place, text in enumerate(texts) if text.strip()[:1].isalnum())
    return next(words, 0)
