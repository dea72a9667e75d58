"""The Scenes page: shapes in nine cells, and captions whose words light the cells that they attend to."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import streamlit as st

import models
from models.captioning.entry import captioners
from viz.figures.drawing.theme import Colour
from viz.pages.scenes.board import scene_now, show_beginnings, show_board
from viz.pages.scenes.measured import show_cards, show_measured
from viz.pages.scenes.settings import CAPTION, DRAW, EDIT, LIKELIEST, OWN, SETTINGS
from viz.pages.scenes.told import SceneAsked, show_maps, show_told, tell
from viz.pages.scenes.walked import show_walk
from viz.server.loading import described, usable
from viz.server.runtime import shared_host
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.widgets.frame import Frame, Page, asking
from viz.widgets.settings import choose, choose_titled
from viz.widgets.shared_settings import COLOUR, PICTURE
from viz.widgets.visit import ImageFormat, Wanted


def _fill(frame: Frame) -> None:
    """Show the board beside the captions, then every word at once, and what was measured."""
    scene = scene_now()
    with asking():
        show_beginnings()
        edit = choose(EDIT)
        draw = choose(DRAW, _draws())
        with st.popover(_("Settings"), icon=":material/tune:", key="settings"):
            own = choose_titled(CAPTION) == OWN
            colour, picture = choose_titled(COLOUR), choose_titled(PICTURE)
    frame.messages = st.container()
    wanted = Wanted(colour=cast("Colour", colour), picture=cast("ImageFormat", picture))
    with st.container(key="scene-stage", horizontal=True):
        stage = st.container(key="scene-captions")
        with st.container(key="scene-side", width=300):
            cell = show_board(scene)
    visit = frame.visit(wanted)
    entries = described(captioners(), frame.messages)
    keys = usable(shared_host(), list(entries), frame.messages)
    if not keys:
        return
    asked = SceneAsked(scene, cell, draw, edit, own)
    try:
        told = tell(visit, [entries[key] for key in keys], asked)
    except models.InputError as error:
        frame.messages.error(plain(say(error)), icon=":material/edit:")
        return
    with stage:
        show_told(visit, asked, told)
    st.header(_("Every word at once"), anchor=False)
    show_maps(visit, told)
    show_walk(visit, keys[0], asked)
    show_measured([each.entry for each in told])
    show_cards([each.entry for each in told])


def _draws() -> dict[str, str]:
    return {
        seed: _(text) if seed == LIKELIEST else _("hard: drawn, seed {seed}", seed=seed)
        for seed, text in (DRAW.choices or {}).items()
    }


PAGE = Page(
    title=mark("Scenes"),
    address="scenes",
    fill=_fill,
    figures=("scene-captions", "figure-scene-maps"),
    settings=SETTINGS,
    sheets=(Path(__file__).parent / "scenes.css",),
    footnote=mark(
        "Xu et al. 2015, Show, Attend and Tell, on drawn scenes. Attention weights show where the model looks, not why "
        "it writes a word."
    ),
    is_there=lambda: bool(captioners()),
)
