"""The Bench: one sentence, every mechanism side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import mechanisms
from models.trace import AttentionTrace, Reading
from viz.captions.maps import sentence_of
from viz.figures import alignment_heatmap
from viz.figures.drawing.panels import balanced
from viz.figures.drawing.theme import Colour
from viz.measures.summary import (
    Order,
    divergence_from,
    in_order,
    summary_of,
)
from viz.pages.bench.below import (
    DIFFERENCE,
    MULTIPLES,
    NUMBERS,
    SUMMARY,
    WINDOW,
    choose_below,
    on_one_translation,
    show_difference,
    show_multiples,
    show_numbers,
    show_summaries,
)
from viz.pages.bench.cards import chosen_place, mechanism_card
from viz.pages.bench.choices import Choices, file_name_of, fit_translation, name_of, view_of
from viz.pages.bench.window import show_window
from viz.server.loading import loads, usable
from viz.server.runtime import Host, shared_host
from viz.server.translations import forced_translations, milliseconds, own_translations
from viz.text.language import ENGLISH, _, say, use_language
from viz.text.markup import plain
from viz.views.view import Unit, View
from viz.widgets.chart import Picture, choose_picture, show_figure
from viz.widgets.controls import discard_unknown, segmented, select, several, show_unknown
from viz.widgets.language_pair import PARAMETER, choose_pair, mechanism_of, pair_of
from viz.widgets.page_settings import keep_settings, restore_settings
from viz.widgets.readable_text import fit_text, keep_readable, last_readable
from viz.widgets.sentence import KEY as SENTENCE
from viz.widgets.sentence import languages_of, say_cut, sentence_box
from viz.widgets.style import apply_style
from viz.widgets.viewport import page_width

USUAL = ("bahdanau", "luong-general", "transformer")
"""What is shown to somebody who chose nothing."""
PARAMETERS = (
    SENTENCE,
    "target",
    PARAMETER,
    "mechanisms",
    "align",
    "unit",
    "reading",
    "colour",
    "order",
    "picture",
    "also",
    "chosen",
    "first",
    "second",
    "table",
    "windowed",
    "head-*",
)
"""What the address bar calls the settings of the page, shown now or not."""
CARDS = 4
"""Cards in a row at most, and maps."""
OWN, TEXT = "own", "text"


def page() -> None:
    """Show the page."""
    use_language(ENGLISH)
    apply_style()
    _bench()
    st.caption(
        _(
            "A heatmap shows where a model read, not why it wrote what it wrote. </s> is the end of the sentence, "
            "which models read and write like a word."
        )
    )


@st.fragment
def _bench() -> None:
    """Read the choices, run the models, show what they did: reruns alone while somebody types."""
    use_language(ENGLISH)
    turned = restore_settings(bound=(SENTENCE,), texts=("target",))
    discard_unknown(PARAMETERS)
    pair = choose_pair(turned=turned)
    sentence = sentence_box(pair=pair)
    messages = st.container()
    host = shared_host()
    installed = _installed(pair, messages)
    if installed:
        choices = _controls(installed, pair)
        keys = usable(host, choices.keys, messages)
        if keys:
            _compare(host, keys, sentence, choices, messages)
    show_unknown(messages, sentence=sentence)
    keep_settings(bound=(SENTENCE,))


def _installed(pair: str, messages: DeltaGenerator) -> tuple[str, ...]:
    """Return the keys of the models that are there; those that are not are named."""
    there = models.catalog()
    for mechanism in USUAL:
        key = f"{mechanism}-{pair}"
        if key not in there:
            text = _("{title} is missing: the weights {key} are not installed.", title=name_of(key), key=key)
            messages.warning(text)
    return tuple(key for key in there if pair_of(key) == pair and mechanism_of(key) in mechanisms())


def _controls(installed: Sequence[str], pair: str) -> Choices:
    """Show the choices in one line; what few need is behind a button."""
    names = {mechanism_of(key): name_of(key) for key in installed}
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        shown = several(
            "mechanisms",
            names,
            title=_("Mechanisms"),
            default=tuple(name for name in USUAL if name in names) or tuple(names)[:1],
            least=1,
            drops=("first", "second", "table", "chosen", "windowed"),
        )
        align = _align_control(names)
        unit = segmented("unit", {"word": _("words"), "piece": _("pieces")}, title=_("Unit"))
        with st.popover(_("More"), icon=":material/tune:"):
            reading = segmented(
                "reading",
                {
                    "card": _("rows: best for each model"),
                    "written": _("the word written"),
                    "input": _("the word read in"),
                },
                title=_("What labels the rows"),
            )
            colour = segmented(
                "colour",
                {"linear": _("linear colour"), "root": _("square-root colour: shows faint weights")},
                title=_("How weight becomes colour"),
            )
            orders = {
                "year": _("by year"),
                "agreement": _("by agreement with the chosen one"),
                "entropy": _("sharpest first"),
            }
            order = segmented("order", orders, title=_("Order of the mechanisms"))
            picture = segmented("picture", choose_picture(), title=_("Format of a saved picture"))
    return Choices(
        tuple(f"{mechanism}-{pair}" for mechanism in shown),
        align if align in (OWN, TEXT) else f"{align}-{pair}",
        cast("Unit", unit),
        None if reading == "card" else cast("Reading", reading),
        cast("Colour", colour),
        cast("Picture", picture),
        cast("Order", order),
    )


def _align_control(names: dict[str, str]) -> str:
    labels = {OWN: _("each aligned on its own translation")}
    labels |= {key: _("all on that of {title}", title=title) for key, title in names.items()}
    labels[TEXT] = _("all on my own translation")
    with st.container(width=330):
        return select("align", labels, title=_("Which translation is aligned"))


def _compare(host: Host, keys: tuple[str, ...], sentence: str, choices: Choices, messages: DeltaGenerator) -> None:
    """Run the models and show what they did; on bad input say so and show what the last good sentence gave."""
    try:
        source = fit_text(host.model(keys[0]), sentence, messages)
        own_translations(host, keys, source)
    except models.InputError as error:
        last = last_readable(host.model(keys[0]), error, messages)
        if last is None:
            return
        source = last
    keep_readable(source)
    target = _target(host, keys, source, choices.align, messages)
    traces = own_translations(host, keys, source)
    say_cut(traces[keys[0]], messages)
    if target is not None:
        traces = forced_translations(host, keys, source, target)
    _show(host, traces, target, choices, messages)


def _target(host: Host, keys: Sequence[str], source: str, align: str, messages: DeltaGenerator) -> str | None:
    """Return the translation that all are made to write; None if each writes its own."""
    if align == OWN:
        return None
    author, target = keys[0] if align == TEXT else align, ""
    if align == TEXT:
        typed = st.text_input(
            _("Your translation: every model is made to write it, and says how likely each word was."),
            key="target",
            bind="query-params",
            live="200ms",
            autocomplete="off",
            placeholder=_(
                "Type a translation in {target}; until then, that of {title} is used.",
                target=languages_of(pair_of(author))["target"],
                title=name_of(author),
            ),
        )
        target = fit_text(host.model(keys[0]), typed or "", messages)
    if not target.strip() and loads(host, author, messages):
        target = fit_translation(host, host.attend(author, source), messages)
    if not target.strip():
        messages.warning(plain(_("{title} wrote nothing on which all could be aligned.", title=name_of(author))))
        return None
    try:
        forced_translations(host, keys, source, target)
    except models.InputError as error:
        messages.error(plain(say(error)), icon=":material/edit:")
        return None
    return target


def _show(
    host: Host, traces: dict[str, AttentionTrace], target: str | None, choices: Choices, messages: DeltaGenerator
) -> None:
    cards, drawn, below = st.container(gap="xsmall", key="cards"), st.container(), st.container()
    with below:
        also, chosen = choose_below(traces, choices.order)
    places = {key: chosen_place(models.describe(key).mechanism.key, trace) for key, trace in traces.items()}
    views = {key: view_of(trace, places[key], choices) for key, trace in traces.items() if trace.sites}
    same: dict[str, AttentionTrace] = {}
    if chosen in views and (choices.order == "agreement" or {MULTIPLES, SUMMARY} & set(also)):
        same = on_one_translation(host, traces, target, chosen, messages)
    compared = {key: view_of(trace, places[key], choices) for key, trace in same.items() if trace.sites}
    summaries = {
        key: summary_of(
            key,
            trace,
            views.get(key),
            divergence=divergence_from(compared[key], compared[chosen]) if key in compared else None,
            milliseconds=milliseconds(host, key, trace),
        )
        for key, trace in traces.items()
        if choices.order != "year" or SUMMARY in also
    }
    order = in_order(tuple(traces), summaries, choices.order)
    with cards:
        across = balanced(len(order), CARDS)
        for start in range(0, len(order), across):
            for column, key in zip(st.columns(across), order[start : start + across], strict=False):
                with column:
                    mechanism_card(models.describe(key), traces[key])
        st.caption(
            _(
                "The deeper a word's tint, the less sure the model was of it. Point at it or tap it for its "
                "probability: the product of those of its pieces."
            )
        )
    with drawn:
        available = page_width()
        _show_maps([views[key] for key in order if key in views], file_name_of(traces), choices, available)
    with below:
        if DIFFERENCE in also:
            show_difference(host, traces, target, places, choices, available, messages)
        if MULTIPLES in also and chosen in compared:
            others = [compared[key] for key in order if key in compared and key != chosen]
            show_multiples(others, compared[chosen], choices, available)
        if SUMMARY in also:
            show_summaries([summaries[key] for key in order], file_name_of(traces))
        if WINDOW in also:
            show_window(host, traces, places, choices, available)
        if NUMBERS in also:
            show_numbers({key: views[key] for key in order if key in views})


def _show_maps(shown: list[View], name: str, choices: Choices, available: int) -> None:
    if not shown:
        return
    show_figure(
        alignment_heatmap(shown, colour=choices.colour, width=available),
        key="alignment",
        says=" · ".join(sentence_of(view, count=1) for view in shown),
        alt=" ".join(sentence_of(view) for view in shown),
        name=name,
        picture=choices.picture,
        available=available,
    )
