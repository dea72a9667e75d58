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
from viz.cards import Place, mechanism_card
from viz.chart import Picture, choose_picture, file_name, show_figure
from viz.controls import segmented, select, several, show_unknown
from viz.differences import choose_difference, sentence_of_difference
from viz.figures import alignment_heatmap, difference_heatmap
from viz.language import ENGLISH, _, use_language
from viz.loading import loads, usable
from viz.numbers import csv_of, table_of
from viz.returning import keep_settings, restore_settings
from viz.runs import forced_translations, own_translations
from viz.runtime import Host, shared_host
from viz.sentence import KEY as SENTENCE
from viz.sentence import sentence_box
from viz.style import apply_style, plain
from viz.theme import Colour
from viz.viewport import page_width
from viz.views import Unit, View, choose_view, sentence_of

PAIR = "en-fr"
MECHANISMS = ("bahdanau", "luong-general", "transformer")
LONGEST_NAMED = 40  # characters of the sentence in the name of a file
OWN, TEXT = "own", "text"
DIFFERENCE, NUMBERS = "difference", "numbers"


@dataclass(frozen=True, slots=True)
class Choices:
    """What the reader wants to see."""

    keys: tuple[str, ...]
    align: str
    unit: Unit
    reading: Reading | None
    colour: Colour
    picture: Picture


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
    restore_settings(bound=(SENTENCE,), texts=("target",))
    sentence = sentence_box()
    messages = st.container()
    host = shared_host()
    installed = _installed(messages)
    if installed:
        choices = _controls(installed)
        keys = usable(host, choices.keys, messages)
        if keys:
            _compare(host, keys, sentence, choices, messages)
    show_unknown(messages, sentence=sentence)
    keep_settings(bound=(SENTENCE,))


def _name(key: str) -> str:
    """Give the title of the mechanism that the model `key` has."""
    return _(mechanisms()[key.removesuffix(f"-{PAIR}")].title)


def _installed(messages: DeltaGenerator) -> tuple[str, ...]:
    """Give the keys of the models that are there; those that are not are named."""
    wanted, there = [f"{mechanism}-{PAIR}" for mechanism in MECHANISMS], models.catalog()
    for key in wanted:
        if key not in there:
            text = _("{title} is missing: the weights {key} are not installed.", title=_name(key), key=key)
            messages.warning(text)
    return tuple(key for key in wanted if key in there)


def _controls(installed: Sequence[str]) -> Choices:
    """Show the choices in one line; what few need is behind a button."""
    names = {key.removesuffix(f"-{PAIR}"): _name(key) for key in installed}
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        shown = several(
            "mechanisms",
            names,
            title=_("Mechanisms"),
            default=tuple(names),
            least=1,
            drops=("first", "second", "table"),
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
            picture = segmented("picture", choose_picture(), title=_("Format of a saved picture"))
    return Choices(
        tuple(f"{mechanism}-{PAIR}" for mechanism in shown),
        align if align in (OWN, TEXT) else f"{align}-{PAIR}",
        cast("Unit", unit),
        None if reading == "card" else cast("Reading", reading),
        cast("Colour", colour),
        cast("Picture", picture),
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
            placeholder=_("Type a translation in French; until then, that of {title} is used.", title=_name(keys[0])),
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
    places: dict[str, Place] = {}
    with st.container(gap="xsmall", key="cards"):
        for column, (key, trace) in zip(st.columns(len(traces)), traces.items(), strict=True):
            with column:
                places[key] = mechanism_card(models.describe(key), trace)
        st.caption(_("The deeper a word's tint, the less sure the model was of it; point at it for the probability."))
    views = {key: _view(trace, places[key], choices) for key, trace in traces.items()}
    shown, available = tuple(views.values()), page_width()
    show_figure(
        alignment_heatmap(shown, colour=choices.colour, width=available),
        key="alignment",
        says=" · ".join(sentence_of(view, count=1) for view in shown),
        alt=" ".join(sentence_of(view) for view in shown),
        name=_file_name(traces),
        picture=choices.picture,
        available=available,
    )
    names = {DIFFERENCE: _("difference of two"), NUMBERS: _("table of numbers")}
    if len(traces) < 2:
        del names[DIFFERENCE]
    also = several("also", names, title=_("Show below"), default=())
    if DIFFERENCE in also:
        _show_difference(host, traces, target, places, choices, available)
    if NUMBERS in also:
        _show_numbers(views)


def _view(trace: AttentionTrace, place: Place, choices: Choices) -> View:
    return choose_view(trace, unit=choices.unit, site=place[0], head=place[1], reading=choices.reading)


def _file_name(traces: dict[str, AttentionTrace]) -> str:
    sentence = next(iter(traces.values())).source_text
    return f"{sentence[:LONGEST_NAMED]} {' '.join(key.removesuffix(f'-{PAIR}') for key in traces)}"


def _show_difference(
    host: Host,
    traces: dict[str, AttentionTrace],
    target: str | None,
    places: dict[str, Place],
    choices: Choices,
    available: int,
) -> None:
    """Show the signed difference of two mechanisms, both made to write one translation."""
    names = {key.removesuffix(f"-{PAIR}"): _name(key) for key in traces}
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        with st.container(width=250):
            first = select("first", names, title=_("First"))
        st.markdown("\u2212", width="content")
        with st.container(width=250):
            second = select("second", names, title=_("Second"), default=list(names)[1])
    pair = [f"{mechanism}-{PAIR}" for mechanism in (first, second)]
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
    names = {key.removesuffix(f"-{PAIR}"): _name(key) for key in views}
    with st.container(horizontal=True, vertical_alignment="center", key="numbers"):
        with st.container(width=250):
            chosen = f"{select('table', names, title=_('Numbers of'))}-{PAIR}"
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
