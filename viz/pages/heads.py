"""The Heads: one sentence, every attention head of the Transformer, a few of them compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from types import MappingProxyType
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from viz import head_profile
from viz.chart import Picture, choose_picture, show_figure
from viz.controls import segmented, show_unknown
from viz.figures import HeadPlace, head_combination, head_comparison, head_difference, head_overview
from viz.figures.head_maps import pick_views, views_at
from viz.head_picks import pick_heads, pick_pair
from viz.head_table import head_table
from viz.language import ENGLISH, _, mark, use_language
from viz.loading import usable
from viz.returning import keep_settings, restore_settings
from viz.runtime import Host, shared_host
from viz.sentence import KEY as SENTENCE
from viz.sentence import sentence_box
from viz.style import apply_style, plain
from viz.theme import Colour
from viz.viewport import page_width
from viz.views import Unit

KEY = "transformer-en-fr"
MAPS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "encoder": ("encoder.*.self", mark("encoder self")),
        "decoder": ("decoder.*.self", mark("decoder self")),
        "cross": ("decoder.*.cross", mark("cross")),
    }
)
"""What the address bar calls each kind of map, its sites, and its name."""

LONGEST_NAMED = 40  # characters of the sentence in the name of a file
_STYLE = """
<style>
.heads-translation { margin: 0; overflow-wrap: anywhere; }
.heads-translation small { opacity: 0.75; }
</style>
"""


@dataclass(frozen=True, slots=True)
class _Choices:
    """What the reader chose to see."""

    sites: str
    unit: Unit
    colour: Colour
    picture: Picture


def page() -> None:
    """Show the page."""
    use_language(ENGLISH)
    apply_style()
    st.html(_STYLE)
    _heads()
    st.caption(
        _(
            "A map shows where a head read. It does not by itself say why the model wrote what it wrote. "
            "Layers and heads are counted from 0."
        )
    )


@st.fragment
def _heads() -> None:
    """Read the choices, run the model, show its heads: reruns alone while somebody types."""
    use_language(ENGLISH)
    restore_settings(bound=(SENTENCE,))
    sentence = sentence_box()
    messages = st.container()
    choices = _choose()
    trace = _run(shared_host(), sentence, messages)
    if trace is not None:
        _show(trace, choices)
    show_unknown(messages, sentence=sentence)
    keep_settings(bound=(SENTENCE,))


def _choose() -> _Choices:
    """Show the choices in one line; what few need is behind a button."""
    with st.container(horizontal=True, vertical_alignment="center", key="controls"):
        kind = segmented("map", {key: _(name) for key, (_sites, name) in MAPS.items()}, title=_("Which attention"))
        unit = segmented("unit", {"word": _("words"), "piece": _("pieces")}, title=_("Unit"))
        with st.popover(_("More"), icon=":material/tune:"):
            colours = {"linear": _("linear colour"), "root": _("square-root colour: shows faint weights")}
            colour = segmented("colour", colours, title=_("How weight becomes colour"))
            picture = segmented("picture", choose_picture(), title=_("Format of a saved picture"))
    return _Choices(MAPS[kind][0], cast("Unit", unit), cast("Colour", colour), cast("Picture", picture))


def _run(host: Host, sentence: str, messages: DeltaGenerator) -> AttentionTrace | None:
    """Run `sentence`; on bad input say so and give what the last good sentence gave."""
    if KEY not in models.catalog():
        title = _(mechanisms()["transformer"].title)
        messages.warning(_("{title} is missing: the weights {key} are not installed.", title=title, key=KEY))
        return None
    if not usable(host, (KEY,), messages):
        return None
    try:
        return _attend(host, sentence, messages)
    except models.InputError as error:
        messages.error(plain(_(str(error))), icon=":material/edit:")
        last = st.session_state.get("last_good")
        if last is None:
            return None
        messages.caption(plain(_("Below: the last sentence that could be read, “{sentence}”", sentence=last)))
        return host.attend(KEY, host.model(KEY).fit(last)[0])


def _attend(host: Host, sentence: str, messages: DeltaGenerator) -> AttentionTrace:
    fitting, left_out = host.model(KEY).fit(sentence)
    trace = host.attend(KEY, fitting)
    if left_out:
        said = _(
            "This text is longer than the model takes. The last {count} words are left out; read up to “…{end}”.",
            count=left_out,
            end=fitting[-LONGEST_NAMED:],
        )
        messages.info(plain(said), icon=":material/content_cut:")
    st.session_state["last_good"] = fitting
    return trace


def _show(trace: AttentionTrace, choices: _Choices) -> None:
    views = views_at(trace, choices.sites, choices.unit)
    _translation(trace)
    available = page_width()
    overview = st.container()
    picked = pick_heads(views)
    with overview:
        show_figure(
            head_overview(
                trace,
                sites=choices.sites,
                unit=choices.unit,
                picked=picked,
                colour=choices.colour,
                width=available,
            ),
            key="all-heads",
            says=head_profile.overview_sentence(views),
            name=_file_name(trace, "all heads"),
            picture=choices.picture,
            available=available,
        )
    _compare(trace, choices, picked, available)
    head_table(views, picked)


def _file_name(trace: AttentionTrace, name: str) -> str:
    return f"{trace.source_text[:LONGEST_NAMED]} {name}"


def _translation(trace: AttentionTrace) -> None:
    """Show small what the decoder wrote."""
    entry = models.describe(KEY)
    wrote = _("{title} wrote in {language}:", title=_(entry.mechanism.title), language=_(entry.target_language))
    text = escape(trace.output_text) if trace.output_text.strip() else f"<em>{escape(_('nothing written'))}</em>"
    said = f'<span lang="{escape(entry.pair.rpartition("-")[2])}" dir="auto">{text}</span>'
    st.html(f'<p class="heads-translation"><small>{escape(wrote)}</small> {said}</p>')


def _compare(trace: AttentionTrace, choices: _Choices, picked: Sequence[HeadPlace], width: float) -> None:
    """Show the picked heads: side by side, the difference of two, their sum or their mean."""
    if not picked:
        st.info(_("Pick a head above to see it in full."), icon=":material/ads_click:")
        return
    ways = {"side": _("side by side"), "difference": _("difference of two"), "sum": _("sum"), "mean": _("mean")}
    way = segmented("compare", ways, title=_("How the picked heads are shown"))
    common: dict[str, Any] = {"sites": choices.sites, "unit": choices.unit, "colour": choices.colour, "width": width}
    if way == "difference":
        pair = pick_pair(picked)
        if pair is None:
            st.info(_("A difference needs two heads: pick one more."), icon=":material/ads_click:")
            return
        figure = head_difference(trace, first=pair[0], second=pair[1], **common)
        sentence = head_profile.difference_sentence(pair, pick_views(trace, choices.sites, choices.unit, pair))
    else:
        views = pick_views(trace, choices.sites, choices.unit, picked)
        if way == "side":
            figure = head_comparison(trace, heads=picked, **common)
            sentence = head_profile.comparison_sentence(picked, views)
        else:
            figure = head_combination(trace, heads=picked, how="sum" if way == "sum" else "mean", **common)
            sentence = head_profile.combination_sentence(way, views)
    show_figure(
        figure,
        key="picked-heads",
        says=sentence,
        name=_file_name(trace, " ".join((way, *(place.title for place in picked)))),
        picture=choices.picture,
        available=width,
    )
