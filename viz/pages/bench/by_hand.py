"""Alignment by hand on the Bench: clicked links, and the alignment error rate of every mechanism."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.experiments.alignment import ErrorRate, GoldSentence
from models.keys import pair_of
from models.trace import AttentionTrace
from viz.canvas.aligner import encode_aligner
from viz.canvas.standalone import Picture
from viz.pages.bench.hand_links import MOST_WORDS, HandLinks, show_links
from viz.pages.bench.settings import BY_HAND
from viz.pages.bench.timeline import Place
from viz.pages.bench.wanted import BenchSettings, Compared, ask_translation, fit_translation, name_of
from viz.server.runtime import Host
from viz.server.translations import forced_translations
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.aligned import Linking, links_of_words, words_of
from viz.views.view import choose_view
from viz.widgets import session
from viz.widgets.canvas import aligned_on, show_canvas
from viz.widgets.readable_text import fit_text
from viz.widgets.settings import link, unknown
from viz.widgets.visit import Visit

CANVAS = "aligner"
_KEPT = "bench-aligned-by-hand"
_MOST_KEPT = 50
"""Pairs of texts whose links are kept during a visit."""


def show_by_hand(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Let the reader align the sentence with one translation, and show how far each mechanism is from it."""
    st.subheader(_("Aligned by hand"), anchor=False)
    seeing = {key: trace for key, trace in ran.traces.items() if trace.sites}
    if ran.target is None:
        found = _on_one(visit.host, seeing, visit.messages)
        if found is None:
            return
        seeing = found
    first = next(iter(seeing.values()))
    source, written = words_of(first.source), words_of(first.target)
    if max(len(source), len(written)) > MOST_WORDS:
        st.info(_("Texts of up to {most} words can be aligned by hand. This one is longer.", most=MOST_WORDS))
        return
    links = _links(source, written)
    grid, rates = st.columns(2, gap="medium")
    with grid:
        languages = tuple(pair_of(next(iter(seeing))).split("-"))
        payload = encode_aligner(source, written, show_links(links), of=_name(source, written), languages=languages)  # type: ignore[arg-type]
        show_canvas(Picture("aligner", payload), key=CANVAS)
    with rates:
        _rates(seeing, ran.places, visit.wanted, GoldSentence(source, written, links.sure, links.sure | links.possible))


def _on_one(
    host: Host, seeing: Mapping[str, AttentionTrace], messages: DeltaGenerator
) -> dict[str, AttentionTrace] | None:
    """Let every mechanism write the translation that the reader types; what is wrong with it is said."""
    key, own = next(iter(seeing.items()))
    typed = ask_translation(key, _("Your translation. Every model scores it, and you align it."))
    try:
        target = fit_text(host.model(key), typed, messages)
        if not target.strip():
            target = fit_translation(host, own, messages)
        if not target.strip():
            st.info(
                plain(_("{title} produced an empty translation, so there is nothing to align to.", title=name_of(key)))
            )
            return None
        return forced_translations(host, tuple(seeing), own.source_text, target)
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return None


def _name(source: Sequence[str], written: Sequence[str]) -> str:
    return f"{zlib.crc32(repr((tuple(source), tuple(written))).encode('utf8', 'replace')):08x}"


def _links(source: Sequence[str], written: Sequence[str]) -> HandLinks:
    """Return what is aligned of this pair: what was just clicked, what the link says, or what was before."""
    name, sizes = _name(source, written), (len(source), len(written))
    kept: dict[str, str] = session.recall(_KEPT, {})
    if link.belong("hand-pair", of=name) and name in kept:
        link.store(BY_HAND.name, kept[name])
    told = aligned_on(CANVAS)
    if told is not None and told[0] == name:
        unknown.forget()
        link.store(BY_HAND.name, BY_HAND.write(BY_HAND.read(told[1], sizes).value))
    found = BY_HAND.read(link.text_of(BY_HAND), sizes)
    if found.unknown is not None:
        unknown.note(BY_HAND.name, found.unknown)
        link.store(BY_HAND.name, BY_HAND.write(found.value))
    links: HandLinks = found.value
    others = {each: text for each, text in kept.items() if each != name}
    session.keep(_KEPT, dict([*others.items(), (name, show_links(links))][-_MOST_KEPT:]))
    return links


def _rates(
    traces: Mapping[str, AttentionTrace], places: Mapping[str, Place], wanted: BenchSettings, gold: GoldSentence
) -> None:
    """Show the error rate of each mechanism with both ways to read links off its map, the lowest first."""
    if not gold.possible:
        st.info(_("Align words on the left. Each mechanism's error rate then appears here."))
        return
    names: dict[Linking, str] = {"strongest": _("strongest of each row"), "grown": _("grown")}
    rows = []
    for key, trace in traces.items():
        view = choose_view(trace, site=places[key][0], head=places[key][1], reading=wanted.reading)
        found = {linking: _rate(links_of_words(view, linking), gold) for linking in names}
        rows.append({_("mechanism"): name_of(key), **{names[linking]: rate for linking, rate in found.items()}})
    rows.sort(key=lambda row: min(value for value in row.values() if isinstance(value, float)))
    column = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(rows, hide_index=True, column_config=dict.fromkeys(names.values(), column))
    st.caption(
        plain(
            _(
                "Alignment error rate (Och and Ney 2003) of the attention weights: 1 \u2212 (|A∩S| + |A∩P|) / (|A| + "
                "|S|). A: the model's links; S: your sure links; P: your sure and possible links. 0: all agree; 1: "
                "none agrees. One sentence says little about a model. </s> is left out."
            )
        )
    )


def _rate(links: frozenset[tuple[int, int]], gold: GoldSentence) -> float:
    count = ErrorRate()
    count.add(links, gold)
    return count.value
