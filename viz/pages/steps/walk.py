"""The walk through one word of a sentence: which mechanisms, which word, which step, and what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from streamlit.delta_generator import DeltaGenerator

import models
from models.trace import AttentionTrace
from viz.canvas.walk import encode_walk
from viz.figures.printable import PrintedWalk
from viz.pages.steps.numbers import show_numbers
from viz.pages.steps.places import Place, choose_mechanisms, choose_places, installed
from viz.pages.steps.settings import (
    MOST_READ,
    READ,
    READS,
    ROW,
    STEP,
    WALKED,
    WORD,
)
from viz.server.loading import usable
from viz.server.runtime import Host, shared_host
from viz.text.language import _
from viz.views.view import Unit
from viz.walk.mechanisms import WALKS
from viz.walk.order import all_steps, keep_step, nearest_step
from viz.walk.picture import picture_of, sentence_of
from viz.walk.scene import Scene
from viz.walk.steps import look_at, take_steps
from viz.walk.telling import same_row, telling_row, telling_word
from viz.widgets import session
from viz.widgets.canvas import Walked, walk_canvas, walked_on
from viz.widgets.keep import keep_row
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut
from viz.widgets.settings import choose, link, unknown, value_of
from viz.widgets.shared_settings import UNIT

if TYPE_CHECKING:
    from models.experiments.arithmetic import DecoderRun
    from models.translation.translator import Translator

CANVAS = "walk"
_RUN, _ROWS = "steps-decoder-run-", "steps-rows"


def show_steps(sentence: str, pair: str, messages: DeltaGenerator, bar: DeltaGenerator) -> None:
    """Show the walk through `sentence`, with its choices; what is wrong is said in `messages`.

    Parameters
    ----------
    sentence : str
        As it was typed.
    pair : str
        Such as ``en-fr``.
    messages : DeltaGenerator
        Where what is wrong is said.
    bar : DeltaGenerator
        Where its choices stand.
    """
    names = installed(pair)
    if not names:
        messages.warning(_("There are no weights of any mechanism here: none of them can be walked through."))
        return
    chosen = choose_mechanisms(names, bar)
    keys, host = tuple(f"{each}-{pair}" for each in chosen), shared_host()
    if not usable(host, keys, messages):
        return
    source = read_sentence(host, keys[0], sentence, messages)
    if source is None:
        return
    link.belong(WALKED, of=chosen)
    places = choose_places(host, keys, source, bar)
    with bar:
        unit = cast("Unit", choose(UNIT))
    _walk(host, places, unit)


def read_sentence(host: Host, key: str, sentence: str, messages: DeltaGenerator) -> str | None:
    """Return what the model `key` reads: `sentence`, cut if it is too long, or the last that could be read.

    What is wrong is said in `messages`; None if there was no sentence that could be read yet.

    Parameters
    ----------
    host : Host
    key : str
        As `models.load` takes it.
    sentence : str
        As it was typed.
    messages : DeltaGenerator
        Where what is wrong is said.
    """
    model = host.model(key)
    try:
        fitting = fit_text(model, sentence, messages)
        say_cut(host.attend(key, fitting), messages)
    except models.InputError as error:
        return last_readable(model, error, messages)
    keep_readable(fitting)
    return fitting


def _walk(host: Host, places: list[Place], unit: Unit) -> None:
    """Show the picture, and the numbers of the step that is looked at."""
    first = places[0]
    told = walked_on(CANVAS)
    row = _row(first, told)
    column = _column(first, row, told)
    scenes, walks = [], []
    for place in places:
        scenes.append(_scene(host, place, *_same(first, place, row, column)))
        walks.append(take_steps(WALKS[place.mechanism], scenes[-1]))
    titles = all_steps(walks)
    step = _step(titles, told)
    pictures = [
        picture_of(WALKS[place.mechanism], scene, steps, unit)
        for place, scene, steps in zip(places, scenes, walks, strict=True)
    ]
    text = sentence_of(first.queries, row, unit, **_lead(first))
    shown = keep_step(pictures, titles)
    walk_canvas(encode_walk(shown, titles=titles, step=step, row=row, column=column, text=text), key=CANVAS)
    keep_row(
        lambda: _printed(places, shown, step),
        key="walk",
        name=f"{_wrote(first, row)} {step}",
        square=False,
        traces={_(place.trace.provenance.title): place.trace for place in places},
    )
    looked_at = []
    for scene, steps in zip(scenes, walks, strict=True):
        own = nearest_step(step, [each.key for each in steps])
        looked_at.append((scene, next(each for each in steps if each.key == own)))
    show_numbers(looked_at)


def _printed(places: list[Place], pictures: list[dict[str, Any]], step: str) -> PrintedWalk:
    formulas = [WALKS[place.mechanism].formula for place in places]
    return PrintedWalk(pictures, formulas, step, _("the likeliest next words"))


def _wrote(place: Place, row: int) -> str:
    return f"{place.mechanism} {place.queries.word_texts[place.queries.words[row]]}"


def _same(first: Place, place: Place, row: int, column: int | None) -> tuple[int, int | None]:
    """Return query and key of another mechanism: those of the same words, which its tokenizer may cut otherwise."""
    if place is first:
        return row, column
    own = same_row(first.queries, row, place.queries)
    key = None if column is None or place.site is None else same_row(first.trace.source, column, place.trace.source)
    return min(row, len(place.queries) - 1) if own is None else own, key


def _row(place: Place, told: Walked | None) -> int:
    """Return the query: what the reader has turned to, what the link names, or a word that tells something.

    Another mechanism keeps the word, whose row may be another one in its translation.
    """
    queries = place.queries
    usual = telling_word(queries) if place.site is None else telling_row(place.trace[place.site], place.head)
    of_source = (place.trace.source.ids, place.site.kind if place.site else "cross", queries is place.trace.source)
    anew = link.belong(READ, of=of_source)
    before, row = session.recall(_ROWS, (queries, None))
    if told is not None and told.row is not None and told.row < len(queries):
        unknown.forget()
        link.store(WORD.name, WORD.write(str(told.row), str(usual)))
    elif not anew and before != queries and row is not None and not link.came_back():
        kept = same_row(before, row, queries)
        link.store(WORD.name, None if kept is None else WORD.write(str(kept), str(usual)))
    found = int(value_of(WORD, {str(each): "" for each in range(len(queries))}, default=str(usual)))
    session.keep(_ROWS, (queries, found))
    return found


def _column(place: Place, row: int, told: Walked | None) -> int | None:
    """Return the key whose score is explained; None for the one that is read most."""
    if place.site is None:
        return None
    shown = place.trace[place.site]
    written = shown.causal and place.trace.provenance.decoding == "greedy"
    keys = {MOST_READ: ""} | {str(key): "" for key in range(row + 1 if written else len(shown.key_tokens))}
    link.belong(ROW, of=(str(place.site), row), unless=keys)
    if told is not None:
        wanted = MOST_READ if told.column is None else str(told.column)
        link.store(READS.name, READS.write(wanted if wanted in keys else MOST_READ, MOST_READ))
    chosen = value_of(READS, keys)
    return None if chosen == MOST_READ else int(chosen)


def _step(titles: Mapping[str, str], told: Walked | None) -> str:
    """Return the step: of one that the mechanisms here do not have, the nearest before it."""
    asked = told.step if told is not None else link.text_of(STEP)
    nearest = nearest_step(asked, tuple(titles)) if asked else None
    if nearest is not None:
        link.store(STEP.name, STEP.write(nearest, next(iter(titles))))
    return value_of(STEP, titles)


def _lead(place: Place) -> dict[str, str]:
    """Return what is said before the words that a reader can choose, and their language."""
    source, target = place.key.rpartition("-")[0].rpartition("-")[2], place.key.rpartition("-")[2]
    if place.site is not None and place.site.kind == "self" and place.site.stack == "encoder":
        return {"lead": _("It reads itself:"), "language": source}
    if place.site is not None and place.site.kind == "self":
        return {"lead": _("Read in, word by word:"), "language": target}
    return {"lead": _("{title} wrote:", title=_(place.trace.provenance.title)), "language": target}


def _scene(host: Host, place: Place, row: int, column: int | None) -> Scene:
    from models.experiments.arithmetic import parameters_at

    walk, model = WALKS[place.mechanism], cast("Translator", host.model(place.key))
    run = _decoder_run(model, place.trace) if walk.needs_states else None
    return look_at(
        walk,
        place.trace,
        row=row,
        place=place.site,
        head=place.head,
        column=column,
        parameters=parameters_at(model, place.site, walk.parameters),
        states=run.states if run else (),
        vector=run.vector if run else None,
        is_last=place.is_last,
    )


def _decoder_run(model: Translator, trace: AttentionTrace) -> DecoderRun:
    """Return the decoder's states; those of the last run are kept while its steps are looked at."""
    from models.experiments.arithmetic import decoder_run

    identity = (trace.provenance.sha256, trace.source.ids, trace.target.ids)
    run: DecoderRun = session.kept(_RUN + model.key, identity, lambda: decoder_run(model, trace))
    return run
