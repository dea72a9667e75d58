"""View of the picked heads: side by side, as lines, on the text, or as one map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import streamlit as st

from viz.canvas.comparison import encode_comparison
from viz.canvas.payload import Look
from viz.canvas.standalone import Picture
from viz.captions import heads
from viz.captions.maps import quantity_note
from viz.captions.tables import csv_of_views
from viz.figures import HeadPlace, head_combination, head_comparison, head_difference, head_lines
from viz.figures.comparison import Combination
from viz.figures.drawing.long_maps import MOST_LABELLED
from viz.figures.drawing.shaded_text import STYLE, Way, text_html
from viz.pages.heads.picks import pick_pair
from viz.pages.heads.settings import COMPARE, DIFFERENCE, SHOWN_TEXT, WAY, WORD
from viz.pages.heads.shown import HeadSelection
from viz.pages.heads.span import Spanned, choose_span
from viz.pages.heads.wanted import HeadsSettings
from viz.text.counting import position_name
from viz.text.language import _, _n
from viz.text.tokens import shorten, visible
from viz.widgets.isolation import isolate_on_hover
from viz.widgets.keep import file_name
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

LONGEST_NAMED = 40  # characters of the sentence in the name of a file
MOST_LINED = 160
"""Tokens of the longest text that is drawn as lines: of a longer one nothing could be told apart."""

WIDEST_LINES = 960  # pixels: lines that run farther are harder to follow
FIGURE = "picked-heads"


def compare_heads(
    visit: Visit[HeadsSettings],
    spanned: Spanned,
    picked: Sequence[HeadPlace],
    *,
    offered: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Show the picked heads in the way that the reader chose.

    A cell of a map in full offers what is `offered`.
    """
    if not picked:
        st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
        return
    way = choose(COMPARE)
    shown = spanned.shown
    visit = replace(visit, wanted=replace(visit.wanted, hiding=shown.hiding))
    if way == DIFFERENCE:
        _difference(visit, shown, picked)
    elif way == "lines":
        _lines(visit, shown, picked)
    elif way == "text":
        _on_text(visit.wanted, shown, picked)
    elif way == "side":
        _side_by_side(visit, shown, picked, offered)
    else:
        _together(visit, shown, picked, cast("Combination", way))
    choose_span(spanned)  # below, so that no map moves when a longer text brings it


def file_name_of(shown: HeadSelection, name: str) -> str:
    """Name the file of a saved picture."""
    moved = " moved" * (shown.first.quantity == "moved")
    lifted = " unmasked" * bool(shown.trace.provenance.edits)
    return f"{shown.trace.source_text[:LONGEST_NAMED]} {name}{moved}{lifted}"


def _side_by_side(
    visit: Visit[HeadsSettings],
    shown: HeadSelection,
    picked: Sequence[HeadPlace],
    offered: Sequence[Mapping[str, Any]],
) -> None:
    views, wanted, width = shown.pick(picked), visit.wanted, visit.width
    says, name = heads.comparison_sentence(picked, views), _file_name(shown, "side", picked)
    says = " ".join(filter(None, (says, *map(heads.value_sentence, picked, views))))
    says += "".join(f" {note}{_('.')}" for note in quantity_note(views[0]))
    paper = partial(head_comparison, shown.trace, heads=picked, width=width, **wanted.common)
    if max(views[0].weights.shape) > MOST_LABELLED:
        show(Shown(paper(), key=FIGURE, says=says, name=name), visit)
        return
    turned = shown.turned(wanted.quantities, wanted.colour, wanted.picture, width, tuple(picked))
    look = Look(wanted.colour, width, says, f"{file_name(name)}.{wanted.picture}", turned)
    crossed = shown.crossed(picked)
    packed = encode_comparison(views, picked, among=shown.places, look=look, offers=offered, crossed=crossed)
    picture = Shown(
        Picture("comparison", packed),
        key=FIGURE,
        says=says,
        name=name,
        csv=lambda: csv_of_views(views),
        printed=partial(paper, crossed=crossed),
        traces={_(shown.trace.provenance.title): shown.trace},
    )
    show(picture, visit)


def _together(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace], how: Combination) -> None:
    figure = head_combination(shown.trace, heads=picked, how=how, width=visit.width, **visit.wanted.common)
    says, name = heads.combination_sentence(how, shown.pick(picked)), _file_name(shown, how, picked)
    show(Shown(figure, key=FIGURE, says=says, name=name), visit)


def _file_name(shown: HeadSelection, way: str, picked: Sequence[HeadPlace]) -> str:
    return file_name_of(shown, " ".join((way, *(place.title for place in picked))))


def _difference(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace]) -> None:
    pair = pick_pair(picked)
    if pair is None:
        st.info(_("A difference needs two heads: pick one more."), icon=":material/ads_click:")
        return
    figure = head_difference(shown.trace, first=pair[0], second=pair[1], width=visit.width, **visit.wanted.common)
    says = heads.difference_sentence(pair, shown.pick(pair))
    show(Shown(figure, key=FIGURE, says=says, name=_file_name(shown, "difference", pair)), visit)


def _lines(visit: Visit[HeadsSettings], shown: HeadSelection, picked: Sequence[HeadPlace]) -> None:
    views = shown.pick(picked)
    if max(views[0].weights.shape) > MOST_LINED:
        st.info(
            _n(
                "Lines are drawn for up to {count} word or subword. This text has more: choose “side by side”.",
                "Lines are drawn for up to {count} words or subwords. This text has more: choose “side by side”.",
                MOST_LINED,
            )
        )
        return
    common = {name: value for name, value in visit.wanted.common.items() if name != "colour"}
    room = round(min(visit.width, WIDEST_LINES))
    with st.container(key="lines", width=room):
        figure = head_lines(shown.trace, heads=picked, width=room, **common)
        says = heads.comparison_sentence(picked, views)
        picture = Shown(figure, key=FIGURE, says=says, name=_file_name(shown, "lines", picked))
        show(picture, replace(visit, width=room))
    isolate_on_hover("lines")


def _on_text(wanted: HeadsSettings, shown: HeadSelection, picked: Sequence[HeadPlace]) -> None:
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
