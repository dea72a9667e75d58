"""The captions of a scene by each model: soft, regularised and hard attention beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

import streamlit as st

from models.edits import Edit, harden, mask_key, sample, scale_scores, uniform_row
from models.scenes.alignment import Score, score_of
from models.scenes.things import CELLS, Scene, to_text
from models.scenes.wording import caption_of
from models.trace import AttentionTrace
from models.translation.entry import Entry
from viz.captions.tables import csv_of_views
from viz.figures import alignment_heatmap
from viz.figures.scenes import LitCaption, scenes_html
from viz.measures.draws import PROBABILITIES, as_probabilities
from viz.pages.scenes.settings import EVEN, FLAT, FORCE, HIDE, LIKELIEST, NO_EDIT, SHARP, STRONGEST
from viz.server.runs import Run
from viz.text.language import SEMICOLON, _, listed
from viz.text.markup import plain
from viz.views.view import choose_view
from viz.widgets.drawing import show_drawings
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

PLACE = "decoder.0.cross"
SITES = ("*.weights",)
DRAWN_SITES = (*SITES, f"*.{PROBABILITIES}")


@dataclass(frozen=True, slots=True)
class SceneAsked:
    """What the reader wants to see."""

    scene: Scene
    cell: int  # the selected one
    draw: str  # the seed of hard attention
    edit: str
    own: bool  # whether each model writes its own caption


@dataclass(frozen=True, slots=True)
class Told:
    """What one model did."""

    entry: Entry
    shown: AttentionTrace  # the run whose maps are shown
    score: Score  # of the run that is made to write the right caption
    unedited: str  # what it writes without the edit


def edits_of(asked: SceneAsked, *, draws: bool) -> tuple[Edit, ...]:
    """Return the edits of a run: the draw of hard attention, and what the reader chose."""
    drawn = (sample(PLACE, None, None, int(asked.draw)),) if draws and asked.draw != LIKELIEST else ()
    chosen: dict[str, tuple[Edit, ...]] = {
        NO_EDIT: (),
        EVEN: (uniform_row(PLACE, None, None),),
        STRONGEST: (harden(PLACE, None, None),),
        FLAT: (scale_scores(PLACE, 1 / 3),),
        SHARP: (scale_scores(PLACE, 1 / 0.3),),
        HIDE: (mask_key(PLACE, asked.cell),),
        FORCE: tuple(mask_key(PLACE, each) for each in range(CELLS) if each != asked.cell),
    }
    return (*drawn, *chosen[asked.edit])


def tell(visit: Visit[Wanted], entries: Sequence[Entry], asked: SceneAsked) -> list[Told]:
    """Let each model caption the scene: as it is asked for, made to write the right caption, and without the edit."""
    text, right = to_text(asked.scene), " ".join(each.text for each in caption_of(asked.scene))
    runs = []
    for entry in entries:
        key = entry.key
        sites = DRAWN_SITES if entry.mechanism.draws else SITES
        edits = edits_of(asked, draws=entry.mechanism.draws)
        plain_edits = edits_of(replace(asked, edit=NO_EDIT), draws=entry.mechanism.draws)
        runs += [
            Run(key, text, None, {"sites": sites, "edits": edits}),
            Run(key, text, right, {"sites": sites, "edits": edits}),
            Run(key, text, None, {"sites": SITES, "edits": plain_edits}),
        ]
    found = iter(visit.host.attend_each(runs))
    told = []
    for entry, own, forced, before in zip(entries, found, found, found, strict=True):
        score = score_of(forced, caption_of(asked.scene))
        told.append(Told(entry, own if asked.own else forced, score, before.output_text))
    return told


def show_told(visit: Visit[Wanted], asked: SceneAsked, told: Sequence[Told]) -> None:
    """Draw the scene once a model, with the caption; a word lights the cells that it attends to."""
    panels = [_panel(visit, asked, each) for each in told]
    show_drawings(scenes_html(panels), key="scenes-told")
    right = caption_of(asked.scene)
    st.caption(
        plain(
            _("The right caption, written by rules: {caption}.", caption=" ".join(each.text for each in right))
            + " "
            + _(
                "Point at a word, or choose it: the cells show its attention weights (darker: more weight). "
                "Underlined in red: the right caption has another word there. Captions are in English."
            )
            + (" " + _("Orange frame: the cell that hard attention reads.") if _has_frames(told) else "")
        )
    )
    for each in told:
        if asked.edit != NO_EDIT and each.unedited != each.shown.output_text:
            said = _("{title}, without the edit: {caption}", title=_(each.entry.mechanism.title), caption=each.unedited)
            st.caption(plain(said))


def _has_frames(told: Sequence[Told]) -> bool:
    return any(each.entry.mechanism.draws for each in told)


def _panel(visit: Visit[Wanted], asked: SceneAsked, told: Told) -> LitCaption:
    trace, mechanism = told.shown, told.entry.mechanism
    read = trace.maps[0].weights[0]  # [word, cell]
    words = [text for text in trace.target.word_texts if text != "</s>"]
    probable = as_probabilities(trace).maps[0].weights[0] if mechanism.draws else read
    right = [each.text for each in caption_of(asked.scene)]
    edited = _("edited") + " · " if asked.edit != NO_EDIT else ""
    return LitCaption(
        key=told.entry.key,
        title=_(mechanism.title),
        note=edited + says_of_score(told.score),
        scene=asked.scene,
        words=words,
        weights=probable[: len(words)],
        drawn=[int(row.argmax()) for row in read[: len(words)]] if mechanism.draws else (),
        wrong=wrong_words(words, right),
        colour=visit.wanted.colour,
    )


def wrong_words(words: Sequence[str], right: Sequence[str]) -> list[bool]:
    """Return of each word whether it is no part of what a caption has in common with the right one."""
    same = {
        place
        for block in SequenceMatcher(None, words, right, autojunk=False).get_matching_blocks()
        for place in range(block.a, block.a + block.size)
    }
    return [place not in same for place in range(len(words))]


def says_of_score(score: Score) -> str:
    """Say how well the words of the right caption attend to the cells that they name."""
    return _(
        "weight on the cells that words name: {weight} (even weights: {even}); {right} of {count} content words right",
        weight=f"{score.weight:.2f}",
        even=f"{score.even:.2f}",
        right=score.right,
        count=score.words,
    )


def show_maps(visit: Visit[Wanted], told: Sequence[Told]) -> None:
    """Show every word at once: rows are words, columns are cells."""
    views = [replace(choose_view(each.shown), of_cells=True) for each in told]
    figure = alignment_heatmap(views, colour=visit.wanted.colour, width=visit.width)
    weights = {_(each.entry.mechanism.title): f"{each.score.weight:.2f}" for each in told}
    strongest = [_("{title}: {weight}", title=title, weight=weight) for title, weight in weights.items()]
    parts = listed(strongest, SEMICOLON)
    shown = Shown(
        figure,
        key="scene-maps",
        says=_("Weight on the cells that the words of the right caption name: {parts}.", parts=parts),
        name="captions of a scene",
        csv=lambda: csv_of_views(views),
        traces={_(each.entry.mechanism.title): each.shown for each in told},
    )
    show(shown, visit)
