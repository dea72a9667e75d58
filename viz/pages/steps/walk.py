"""The walk through one word of a sentence: which mechanism, which word, which step, and what is shown of it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import mechanisms
from models.sites import Site
from models.trace import AttentionTrace
from viz.captions.strips import heading_of
from viz.figures.strips import number_strips
from viz.pages.steps.settings import HEAD, LAYER, MECHANISM, MOST_READ, READ, READS, ROW, STEP, TITLES, WALKED, WORD
from viz.server.loading import usable
from viz.server.runtime import Host, shared_host
from viz.text.counting import numbered, position_name
from viz.text.language import _, mark, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.walk.digits import aligned
from viz.walk.mechanisms import WALKS
from viz.walk.steps import WalkStep, strongest_key, take_steps
from viz.widgets import session
from viz.widgets.chart import show_figure
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import say_cut
from viz.widgets.settings import choose, link
from viz.widgets.translation import tinted
from viz.widgets.viewport import page_width

if TYPE_CHECKING:
    from models.experiments.arithmetic import DecoderRun
    from models.translation.translator import Translator

LONGEST_NAMED = 40  # characters of the sentence in the name of a file
USUAL = "bahdanau"
"""The mechanism that the page opens with: the first attention."""

_RUN = "steps-decoder-run"
_STACKS: Mapping[tuple[str, str], str] = {
    ("encoder", "self"): mark("encoder layer {layer}, self-attention"),
    ("decoder", "self"): mark("decoder layer {layer}, self-attention"),
    ("decoder", "cross"): mark("decoder layer {layer}, cross-attention"),
}


def installed(pair: str) -> dict[str, str]:
    """Return the mechanisms whose weights for the languages `pair` are there, with their names.

    Parameters
    ----------
    pair : str
        Such as ``en-fr``.
    """
    keys = set(models.catalog())
    return {key: _(each.title) for key, each in mechanisms().items() if key in WALKS and f"{key}-{pair}" in keys}


def show_steps(sentence: str, pair: str, messages: DeltaGenerator) -> None:
    """Show the walk through `sentence`, with its choices; what is wrong is said in `messages`.

    Parameters
    ----------
    sentence : str
        As it was typed.
    pair : str
        Such as ``en-fr``.
    messages : DeltaGenerator
        Where what is wrong is said.
    """
    names = installed(pair)
    if not names:
        messages.warning(_("There are no weights of any mechanism here: none of them can be walked through."))
        return
    usual = USUAL if USUAL in names else None
    mechanism = choose(MECHANISM, names, default=usual)
    key, host = f"{mechanism}-{pair}", shared_host()
    if not usable(host, (key,), messages):
        return
    source = read_sentence(host, key, sentence, messages)
    if source is None:
        return
    trace = host.attend(key, source)
    link.belong(WALKED, of=mechanism)
    link.belong(READ, of=(mechanism, trace.source.ids))
    st.html(_translation(trace))
    place, head = _place(trace)
    if place is not None:
        trace = host.attend(key, source, sites=(f"{place}.*",))
    _walk(host.model(key), trace, place, head)


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


def _translation(trace: AttentionTrace) -> str:
    wrote = escape(_("{title} wrote:", title=_(trace.provenance.title)))
    language = trace.provenance.checkpoint.rpartition("-")[2]
    return f'<p class="steps-translation"><small>{wrote}</small> <span lang="{language}">{tinted(trace)}</span></p>'


def place_name(site: Site) -> str:
    """Return the name of a place in words.

    Parameters
    ----------
    site : Site
    """
    return _(_STACKS[site.stack, site.kind], layer=site.layer)


def _place(trace: AttentionTrace) -> tuple[Site | None, int]:
    """Return the map to walk through and its head, with a choice where there are several; None without attention."""
    if not trace.sites:
        return None, 0
    best = trace.provenance.alignment
    site = best.site.place if best.site.place in trace else trace.sites[0]
    heads = len(trace[site].head_names)
    if len(trace.sites) == 1 and heads == 1:
        return site, 0
    with st.container(horizontal=True, vertical_alignment="center", key="steps-place"):
        with st.container(width=340):
            places = {str(each): place_name(each) for each in trace.sites}
            site = Site.parse(choose(LAYER, places, default=str(site)))
        with st.container(width=150):
            names = {str(head): _("head {head}", head=head) for head in range(len(trace[site].head_names))}
            default = str(best.head) if best.head != "mean" and str(best.head) in names else "0"
            head = int(choose(HEAD, names, default=default))
    return site, head


def _walk(model: Any, trace: AttentionTrace, place: Site | None, head: int) -> None:
    """Show the choice of word and step, and the step."""
    walk = WALKS[trace.provenance.mechanism]
    queries = trace.target if place is None else trace[place].query_tokens
    words = {str(each): text for each, text in enumerate(numbered(queries.texts))}
    reads = place is not None and place.kind == "self"
    left, right = st.columns(2)
    with left:
        row = int(choose(WORD, words, title=_("The word that reads") if reads else _("The word that is written")))
    run = _decoder_run(model, trace) if walk.needs_states else None
    numbers: dict[str, Any] = {
        "row": row,
        "place": place,
        "head": head,
        "column": None if place is None else _key(trace, place, head, row),
        "parameters": _parameters(model, place, walk.parameters),
        "states": run.states if run else (),
        "vector": run.vector if run else None,
    }
    steps = take_steps(walk, trace, **numbers)
    titles = {step.key: f"{number}. {step.title}" for number, step in enumerate(steps, start=1)}
    link.belong(TITLES, of=tuple(titles), unless=titles)
    with right:
        chosen = choose(STEP, titles)
    st.caption(_("Click a slider, then move on with the arrow keys. Words count from 1, components of vectors from 0."))
    if walk.note:
        st.caption(_(walk.note))
    place_in_walk = next(number for number, step in enumerate(steps) if step.key == chosen)
    _show_step(trace, steps[place_in_walk], _("step {number} of {count}", number=place_in_walk + 1, count=len(steps)))


def _key(trace: AttentionTrace, place: Site, head: int, row: int) -> int:
    """Return the key that is worked out in digits."""
    shown = trace[place]
    count = row + 1 if shown.causal and trace.provenance.decoding == "greedy" else len(shown.key_tokens)
    most = strongest_key(shown.weights[head, row])
    word = visible(shown.key_tokens.texts[most])
    labels = {MOST_READ: _("worked out: the word read most, {place} {word}", place=position_name(most), word=word)}
    texts = shown.key_tokens.texts[:count]
    labels |= {
        str(key): _("worked out: {place} {word}", place=position_name(key), word=visible(each))
        for key, each in enumerate(texts)
    }
    link.belong(ROW, of=(str(place), row), unless=labels)
    with st.container(width=420):
        chosen = choose(READS, labels)
    return most if chosen == MOST_READ else int(chosen)


def _parameters(model: Translator, place: Site | None, names: tuple[str, ...]) -> Mapping[str, Any]:
    from models.experiments.arithmetic import parameters_at

    return parameters_at(model, place, names)


def _decoder_run(model: Translator, trace: AttentionTrace) -> DecoderRun:
    """Return the decoder's states; those of the last run are kept while its steps are looked at."""
    from models.experiments.arithmetic import decoder_run

    identity = (trace.provenance.sha256, trace.source.ids, trace.target.ids)
    run: DecoderRun = session.kept(_RUN, identity, lambda: decoder_run(model, trace))
    return run


def _show_step(trace: AttentionTrace, step: WalkStep, number: str) -> None:
    st.markdown(f"#### {plain(step.title)} :small[:gray[{plain(number)}]]")
    st.markdown(plain(step.says))
    with st.container(key="steps-formula"):
        st.latex(step.formula)
    available = page_width()
    headings = "; ".join(map(heading_of, step.strips))
    show_figure(
        number_strips(step.strips, width=available),
        key="steps",
        says=_("Each cell is a number; frames mark what is worked out in digits below. Point at a cell to read it."),
        alt=f"{step.title}: {headings}. {step.says}",
        name=f"{trace.source_text[:LONGEST_NAMED]} {trace.provenance.mechanism} {step.key}",
        available=available,
    )
    if step.worked is not None:
        with st.container(key="steps-digits"):
            st.latex(aligned(*step.worked.lines))
        went_on = f"{step.worked.captured:.6f}"
        st.caption(_("The model itself went on with {number}.", number=went_on))
    notes = " \u00b7 ".join(map(say, trace.provenance.notes))
    if notes:
        st.caption(plain(notes))
