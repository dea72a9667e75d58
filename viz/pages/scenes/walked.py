"""The walk through one word of a soft caption: from the score of each cell to the context vector."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from models.scenes.things import CELLS, to_text
from models.trace import AttentionTrace
from viz.canvas.standalone import Picture
from viz.canvas.walk import encode_walk
from viz.captions.tables import csv_of_walks
from viz.figures.printable import PrintedWalk
from viz.pages.scenes.settings import MOST_READ, READS, STEP, WORD
from viz.pages.scenes.told import PLACE, SceneAsked, edits_of
from viz.server.introspection import inside_of
from viz.text.language import _
from viz.walk.order import all_steps, keep_step
from viz.walk.picture import SentenceLabel, picture_of, sentence_of
from viz.walk.scene import Scene
from viz.walk.show_tell import SHOW_TELL
from viz.walk.steps import look_at, take_steps
from viz.walk.telling import telling_row
from viz.widgets.canvas import show_canvas, walked_on
from viz.widgets.keep import keep_row
from viz.widgets.settings import link, value_of
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

CANVAS = "scene-walk"
FIRST_STEP = "scores"


@dataclass(frozen=True, slots=True)
class _Looked:
    """What is looked at: a word, a cell (None: the one with most weight), a step."""

    row: int
    column: int | None
    step: str


def show_walk(visit: Visit[Wanted], key: str, asked: SceneAsked) -> None:
    """Show how the soft captioner `key` comes to the weights of one word, edited as the page is."""
    st.header(_("How one word comes to its weights"), anchor=False)
    edits = edits_of(asked, draws=False)
    trace = visit.host.attend(key, to_text(asked.scene), None, edits=edits, sites=(f"{PLACE}.*",))
    looked = _looked(trace)
    parameters = inside_of(visit.host, key).parameters_at(trace.sites[0], SHOW_TELL.parameters)
    scene: Scene = look_at(SHOW_TELL, trace, row=looked.row, place=PLACE, column=looked.column, parameters=parameters)
    steps = take_steps(SHOW_TELL, scene)
    titles = all_steps([steps])
    pictures = keep_step([picture_of(SHOW_TELL, scene, steps, "word")], titles)
    lead = SentenceLabel(_("{title} wrote:", title=_(trace.provenance.title)), "en", apart=True)
    text = {**sentence_of(scene.queries, looked.row, "word", lead), "put": ""}
    at = (looked.row, looked.column)
    picture = Picture("walk", encode_walk(pictures, titles=titles, step=looked.step, at=at, text=text))
    show_canvas(picture, key=CANVAS)
    shown = Shown(
        key=CANVAS,
        name=f"{trace.output_text[:40]} {scene.query_word} {looked.step}",
        csv=lambda: csv_of_walks(pictures),
        printed=lambda: PrintedWalk(pictures, [SHOW_TELL.formula], looked.step),
        square=False,
        traces={_(trace.provenance.title): trace},
    )
    keep_row(shown)


def _looked(trace: AttentionTrace) -> _Looked:
    """Return what the reader has just turned to, or what the link names."""
    usual = str(telling_row(trace[PLACE], 0))
    told = walked_on(CANVAS)
    if told is not None:
        row = usual if told.row is None else str(told.row)
        link.store(WORD.name, WORD.write(row, usual))
        column = MOST_READ if told.column is None else str(told.column)
        link.store(READS.name, READS.write(column, MOST_READ))
        link.store(STEP.name, STEP.write(told.step, FIRST_STEP))
    row = value_of(WORD, {str(each): "" for each in range(len(trace.target))}, default=usual)
    column = value_of(READS, {MOST_READ: ""} | {str(each): "" for each in range(CELLS)})
    step = value_of(STEP, {part.key: part.title for part in SHOW_TELL.parts}, default=FIRST_STEP)
    return _Looked(int(row), None if column == MOST_READ else int(column), step)
