"""The Bench: one sentence, every mechanism side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import mechanisms
from models.trace import AttentionTrace, Reading
from viz.bench_summary import (
    Order,
    Summary,
    csv_of_summaries,
    divergence_from,
    in_order,
    summary_of,
    table_of_summaries,
)
from viz.cards import Place, chosen_place, mechanism_card
from viz.chart import Picture, choose_picture, file_name, show_figure
from viz.controls import segmented, select, several, show_unknown
from viz.differences import choose_difference, sentence_of_difference
from viz.figures import alignment_heatmap, difference_heatmap, difference_multiples
from viz.language import ENGLISH, _, use_language
from viz.loading import loads, usable
from viz.numbers import csv_of, table_of
from viz.pairs import choose_pair, mechanism_of, pair_of
from viz.returning import keep_settings, restore_settings
from viz.runs import forced_translations, milliseconds, own_translations
from viz.runtime import Host, shared_host
from viz.sentence import KEY as SENTENCE
from viz.sentence import languages_of, sentence_box
from viz.style import apply_style, plain
from viz.theme import Colour
from viz.viewport import page_width
from viz.views import Unit, View, choose_view, sentence_of

USUAL = ("bahdanau", "luong-general", "transformer")
"""What is shown to somebody who chose nothing."""
CARDS = 4
"""Cards in a row at most, and maps."""
LONGEST_NAMED = 40  # characters of the sentence in the name of a file
OWN, TEXT = "own", "text"
DIFFERENCE, MULTIPLES, SUMMARY, NUMBERS = "difference", "differences", "summary", "numbers"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the reader wants to see."""

    keys: tuple[str, ...]
    align: str
    unit: Unit
    reading: Reading | None
    colour: Colour
    picture: Picture
    order: Order


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


def _name(key: str) -> str:
    """Give the title of the mechanism that the model `key` has."""
    return _(mechanisms()[mechanism_of(key)].title)


def _installed(pair: str, messages: DeltaGenerator) -> tuple[str, ...]:
    """Give the keys of the models that are there; those that are not are named."""
    there = models.catalog()
    for mechanism in USUAL:
        key = f"{mechanism}-{pair}"
        if key not in there:
            text = _("{title} is missing: the weights {key} are not installed.", title=_name(key), key=key)
            messages.warning(text)
    return tuple(key for key in there if pair_of(key) == pair and mechanism_of(key) in mechanisms())


def _controls(installed: Sequence[str], pair: str) -> Choices:
    """Show the choices in one line; what few need is behind a button."""
    names = {mechanism_of(key): _name(key) for key in installed}
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        shown = several(
            "mechanisms",
            names,
            title=_("Mechanisms"),
            default=tuple(name for name in USUAL if name in names) or tuple(names)[:1],
            least=1,
            drops=("first", "second", "table", "chosen"),
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
        source = _fit(host, keys[0], sentence, messages)
        own_translations(host, keys, source)
    except models.InputError as error:
        messages.error(plain(_(str(error))), icon=":material/edit:")
        if "last_good" not in st.session_state:
            return
        source = str(st.session_state["last_good"])
        messages.caption(plain(_("Below: the last sentence that could be read, “{sentence}”", sentence=source)))
    st.session_state["last_good"] = source
    target = _target(host, keys, source, choices.align, messages)
    traces = own_translations(host, keys, source)
    if target is not None:
        traces = forced_translations(host, keys, source, target)
    _show(host, traces, target, choices)


def _fit(host: Host, key: str, text: str, messages: DeltaGenerator) -> str:
    """Cut `text` to what the model `key` takes, and say what was left out."""
    fitting, left_out = host.model(key).fit(text)
    if left_out:
        said = _(
            "This text is longer than the models take. The last {count} words are left out; read up to “…{end}”.",
            count=left_out,
            end=fitting[-40:],
        )
        messages.info(plain(said), icon=":material/content_cut:")
    return fitting


def _target(host: Host, keys: Sequence[str], source: str, align: str, messages: DeltaGenerator) -> str | None:
    """Give the translation that all are made to write; None if each writes its own."""
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
                title=_name(author),
            ),
        )
        target = _fit(host, keys[0], typed or "", messages)
    if not target.strip() and loads(host, author, messages):
        target = _fit(host, author, host.attend(author, source).output_text, messages)
    if not target.strip():
        messages.warning(plain(_("{title} wrote nothing on which all could be aligned.", title=_name(author))))
        return None
    try:
        forced_translations(host, keys, source, target)
    except models.InputError as error:
        messages.error(plain(_(str(error))), icon=":material/edit:")
        return None
    return target


def _show(host: Host, traces: dict[str, AttentionTrace], target: str | None, choices: Choices) -> None:
    cards, drawn, below = st.container(gap="xsmall", key="cards"), st.container(), st.container()
    with below:
        also, chosen = _also(traces, choices.order)
    places = {key: chosen_place(models.describe(key).mechanism.key, trace) for key, trace in traces.items()}
    views = {key: _view(trace, places[key], choices) for key, trace in traces.items() if trace.sites}
    same: dict[str, AttentionTrace] = {}
    if chosen in views and (choices.order == "agreement" or {MULTIPLES, SUMMARY} & set(also)):
        same = _on_one_translation(host, traces, target, chosen)
    compared = {key: _view(trace, places[key], choices) for key, trace in same.items() if trace.sites}
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
        for start in range(0, len(order), CARDS):
            row = order[start : start + CARDS]
            for column, key in zip(st.columns(min(len(order), CARDS)), row, strict=False):
                with column:
                    mechanism_card(models.describe(key), traces[key])
        st.caption(_("The deeper a word's tint, the less sure the model was of it; point at it for the probability."))
    with drawn:
        available = page_width()
        _show_maps([views[key] for key in order if key in views], _file_name(traces), choices, available)
    with below:
        if DIFFERENCE in also:
            _show_difference(host, traces, target, places, choices, available)
        if MULTIPLES in also and chosen in compared:
            others = [compared[key] for key in order if key in compared and key != chosen]
            _show_multiples(others, compared[chosen], choices, available)
        if SUMMARY in also:
            _show_summaries([summaries[key] for key in order], _file_name(traces))
        if NUMBERS in also:
            _show_numbers({key: views[key] for key in order if key in views})


def _also(traces: dict[str, AttentionTrace], order: Order) -> tuple[tuple[str, ...], str]:
    """Let the reader choose what stands below the maps, and with which mechanism the others are compared."""
    names = {
        DIFFERENCE: _("difference of two"),
        MULTIPLES: _("differences to one"),
        SUMMARY: _("all in a table"),
        NUMBERS: _("table of numbers"),
    }
    mapped = {mechanism_of(key): _name(key) for key, trace in traces.items() if trace.sites}
    if len(mapped) < 2:
        del names[DIFFERENCE], names[MULTIPLES]
    if not mapped:
        del names[NUMBERS]
    also = several("also", names, title=_("Show below"), default=())
    chosen = next(iter(mapped), "")
    if len(mapped) > 1 and (order == "agreement" or {MULTIPLES, SUMMARY} & set(also)):
        labels = {key: _("compared with {title}", title=title) for key, title in mapped.items()}
        with st.container(width=330):
            chosen = select("chosen", labels, title=_("With which mechanism the others are compared"))
    return also, next((key for key in traces if mechanism_of(key) == chosen), "")


def _on_one_translation(
    host: Host, traces: dict[str, AttentionTrace], target: str | None, chosen: str
) -> dict[str, AttentionTrace]:
    """Let every mechanism write one translation, so that rows line up: the aligned one, or that of the chosen one."""
    if target is not None:
        return traces
    source, target = traces[chosen].source_text, traces[chosen].output_text
    return forced_translations(host, tuple(traces), source, target) if target.strip() else {}


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


def _show_multiples(views: list[View], reference: View, choices: Choices, available: int) -> None:
    """Show the signed difference of each mechanism to the chosen one, all on one translation."""
    st.caption(plain(_("All write one translation: “{text}”", text=reference.trace.output_text)))
    show_figure(
        difference_multiples(views, reference, colour=choices.colour, width=available),
        key="differences",
        says=" · ".join(sentence_of_difference(choose_difference(view, reference)) for view in views),
        name=f"{reference.trace.source_text[:LONGEST_NAMED]} differences",
        picture=choices.picture,
        available=available,
    )


def _show_summaries(summaries: list[Summary], name: str) -> None:
    """Show all mechanisms in a table, to be kept as CSV."""
    st.dataframe(table_of_summaries(summaries), hide_index=True)
    st.caption(
        _(
            "Entropy: of the map shown, mean over rows, 0 where one word gets all. Coverage: how much of each source "
            "word was read in all, counted up to 1, mean. Divergence (Jensen-Shannon): 0 where rows read alike, on one "
            "translation. Milliseconds: what the run took on this server when it was made, hooks and all."
        )
    )
    st.download_button(
        _("CSV"),
        csv_of_summaries(summaries),
        file_name=f"{file_name(name)}-summary.csv",
        mime="text/csv",
        on_click="ignore",
        icon=":material/download:",
        key="summary-csv",
    )


def _view(trace: AttentionTrace, place: Place, choices: Choices) -> View:
    return choose_view(trace, unit=choices.unit, site=place[0], head=place[1], reading=choices.reading)


def _file_name(traces: dict[str, AttentionTrace]) -> str:
    sentence = next(iter(traces.values())).source_text
    return f"{sentence[:LONGEST_NAMED]} {' '.join(mechanism_of(key) for key in traces)}"


def _show_difference(
    host: Host,
    traces: dict[str, AttentionTrace],
    target: str | None,
    places: dict[str, Place],
    choices: Choices,
    available: int,
) -> None:
    """Show the signed difference of two mechanisms, both made to write one translation."""
    names = {mechanism_of(key): _name(key) for key, trace in traces.items() if trace.sites}
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        with st.container(width=250):
            first = select("first", names, title=_("First"))
        st.markdown("\u2212", width="content")
        with st.container(width=250):
            second = select("second", names, title=_("Second"), default=list(names)[1])
    pair = [key for mechanism in (first, second) for key in traces if mechanism_of(key) == mechanism]
    if target is None:
        source, target = traces[pair[0]].source_text, traces[pair[0]].output_text
        if not target.strip():
            st.info(plain(_("{title} wrote nothing on which the two could be compared.", title=names[first])))
            return
        st.caption(plain(_("Both write the translation of {title}: “{text}”", title=names[first], text=target)))
        traces = forced_translations(host, pair, source, target)
    one, other = (_view(traces[key], places[key], choices) for key in pair)
    show_figure(
        difference_heatmap(one, other, colour=choices.colour, width=available),
        key="difference",
        says=sentence_of_difference(choose_difference(one, other)),
        name=_file_name({f"difference-{key}": traces[key] for key in pair}),
        picture=choices.picture,
        available=available,
    )


def _show_numbers(views: dict[str, View]) -> None:
    """Show the weights of one mechanism as a table, and give them as CSV."""
    names = {mechanism_of(key): _name(key) for key in views}
    with st.container(horizontal=True, vertical_alignment="center", key="numbers"):
        with st.container(width=250):
            named = select("table", names, title=_("Numbers of"))
        chosen = next(key for key in views if mechanism_of(key) == named)
        view = views[chosen]
        st.download_button(
            _("CSV"),
            csv_of(view),
            file_name=f"{file_name(_file_name({chosen: view.trace}))}.csv",
            mime="text/csv",
            on_click="ignore",
            icon=":material/download:",
        )
    st.caption(plain(_("{rows}; {columns}", rows=view.query_title, columns=view.key_title)))
    columns = table_of(view)
    shown = {name: st.column_config.NumberColumn(format="%.4f") for name in list(columns)[1:]}
    st.dataframe(columns, hide_index=True, column_config=shown)
