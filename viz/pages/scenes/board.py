"""The board of nine cells: select a cell, choose what is in it; or draw a scene by a seed."""

from __future__ import annotations

from base64 import b64encode

import streamlit as st

from models.scenes.examples import EXAMPLES
from models.scenes.things import CELLS, COLOURS, COLUMNS, KINDS, ROWS, SIDE, SIZES, Scene, Thing, scene_by_seed
from viz.figures.scenes import CELL as UNITS
from viz.figures.scenes import thing_svg
from viz.pages.scenes.settings import CELL, SCENE
from viz.text.counting import FIRST_POSITION
from viz.text.language import _
from viz.widgets import session
from viz.widgets.settings import link, value_of
from viz.widgets.settings.unknown import note

EMPTY = "empty"
KIND, COLOUR, SIZE, SEED = "scene-kind", "scene-colour", "scene-size", "scene-seed"
MOST_SEED = 9999


def scene_now() -> Scene:
    """Return the scene that the link names; what is none is named, and replaced."""
    found = SCENE.read(link.text_of(SCENE))
    if found.unknown is not None:
        note(SCENE.name, found.unknown)
        _put(found.value)
    scene: Scene = found.value
    return scene


def show_board(scene: Scene) -> int:
    """Show the nine cells as buttons and what can be put into the selected one; return its place."""
    chosen = int(value_of(CELL)) - FIRST_POSITION
    st.html(f"<style>{''.join(_look(scene, cell, chosen) for cell in range(CELLS))}</style>")
    with st.container(key="scene-board"):
        for row in range(SIDE):
            with st.container(horizontal=True, key=f"scene-row-{row}"):
                for cell in range(row * SIDE, (row + 1) * SIDE):
                    st.button(name_of(scene, cell), key=f"scene-cell-{cell}", on_click=_select, args=(cell,))
    _choose_thing(scene, chosen)
    return chosen


def name_of(scene: Scene, cell: int) -> str:
    """Say where a cell is and what it has."""
    thing = scene[cell]
    where = _("{row} {column}", row=_(ROWS[cell // SIDE]), column=_(COLUMNS[cell % SIDE]))
    return _("{where}: {thing}", where=where, thing=said_of(thing) if thing else _("empty"))


def said_of(thing: Thing) -> str:
    """Say a thing in the language of the reader."""
    return _("{size} {colour} {kind}", size=_(thing.size), colour=_(thing.colour), kind=_(thing.kind))


def show_beginnings() -> None:
    """Offer a scene drawn by a seed, and examples."""
    with st.container(horizontal=True, vertical_alignment="center", width="content", gap="xsmall", key="scene-begin"):
        with st.container(width=96):
            st.number_input(_("Seed"), 0, MOST_SEED, 1, key=SEED, label_visibility="collapsed", icon=":material/tag:")
        st.button(_("Draw a random scene"), icon=":material/casino:", key="scene-draw", on_click=_draw)
        with st.popover(_("Examples"), icon=":material/grid_view:"):
            for key, (title, scene) in EXAMPLES.items():
                st.button(_(title), key=f"scene-example-{key}", on_click=_put, args=(scene,), width="stretch")


def _look(scene: Scene, cell: int, chosen: int) -> str:
    """Return the rule that draws a cell on its button."""
    thing = scene[cell]
    drawn = thing_svg(thing) if thing else ""
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {UNITS} {UNITS}">{drawn}</svg>'
    picture = f"url(data:image/svg+xml;base64,{b64encode(svg.encode()).decode()})"
    frame = "outline: var(--scene-frame);" if cell == chosen else ""
    return f".st-key-scene-cell-{cell} button {{ background: #f6f6f1 {picture} center / contain no-repeat; {frame} }}\n"


def _choose_thing(scene: Scene, cell: int) -> None:
    thing = scene[cell]
    session.put_control(KIND, thing.kind if thing else EMPTY)
    session.put_control(COLOUR, thing.colour if thing else session.recall(COLOUR) or COLOURS[0])
    session.put_control(SIZE, thing.size if thing else session.recall(SIZE) or SIZES[-1])
    choices = ((KIND, _("Kind"), (EMPTY, *KINDS)), (COLOUR, _("Colour"), COLOURS), (SIZE, _("Size"), SIZES))
    with st.container(key="scene-thing", gap="xsmall"):
        for key, title, codes in choices:
            st.segmented_control(
                title,
                codes,
                format_func=_,
                required=True,
                key=key,
                label_visibility="collapsed",
                disabled=thing is None and key != KIND,
                on_change=_change,
                args=(scene, cell),
            )


def _select(cell: int) -> None:
    link.store(CELL.name, CELL.write(str(cell + FIRST_POSITION), str(FIRST_POSITION)))


def _change(scene: Scene, cell: int) -> None:
    kind, colour, size = (session.recall(each) for each in (KIND, COLOUR, SIZE))
    thing = Thing(kind, colour, size) if kind in KINDS and colour in COLOURS and size in SIZES else None
    _put((*scene[:cell], thing, *scene[cell + 1 :]))


def _draw() -> None:
    """Draw the scene of the seed, and turn to the next seed."""
    seed = int(session.recall(SEED) or 0)
    _put(scene_by_seed(seed))
    session.put_control(SEED, (seed + 1) % (MOST_SEED + 1))


def _put(scene: Scene) -> None:
    link.store(SCENE.name, SCENE.write(scene))
    link.drop_dependents(SCENE.name)
