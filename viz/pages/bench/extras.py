"""Parts below the Bench's maps: differences, table of mechanisms, table of weights."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.keys import mechanism_of
from models.trace import AttentionTrace
from viz.captions.differences import sentence_of_difference
from viz.captions.tables import csv_of, csv_of_summaries, table_of, table_of_summaries
from viz.figures import difference_heatmap, difference_multiples
from viz.measures.summary import Summary, SummaryOrder, divergence_from, summary_of
from viz.pages.bench.draws import has_draws
from viz.pages.bench.pyramid import has_pyramid
from viz.pages.bench.settings import (
    AGREEMENT,
    ALSO,
    BEAM,
    CHOSEN,
    DIFFERENCE,
    DRAWN,
    FIRST,
    HAND,
    MULTIPLES,
    NUMBERS,
    PREDICT,
    PYRAMID,
    ROUNDS,
    SECOND,
    SUMMARY,
    TABLE,
    WINDOW,
    WRONG,
)
from viz.pages.bench.wanted import (
    LONGEST_NAMED,
    BenchSettings,
    Compared,
    file_name_of,
    fit_translation,
    name_of,
    view_of,
)
from viz.pages.bench.window import is_local
from viz.server.runtime import Host
from viz.server.translations import forced_translations, milliseconds
from viz.text.language import _
from viz.text.markup import plain
from viz.views.differences import choose_difference
from viz.views.view import View
from viz.widgets.asked_heads import ASKED
from viz.widgets.keep import csv_box, csv_button, file_name
from viz.widgets.settings import choose, choose_several
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit


def choose_below(traces: dict[str, AttentionTrace], order: SummaryOrder) -> tuple[tuple[str, ...], str]:
    """Let the reader choose what stands below the maps, and with which mechanism the others are compared."""
    names = {
        DIFFERENCE: _("difference of two"),
        MULTIPLES: _("differences to one"),
        SUMMARY: _("all in a table"),
        NUMBERS: _("table of numbers"),
        HAND: _("align by hand"),
        WINDOW: _("window of local attention"),
        PREDICT: _("predict a row first"),
        PYRAMID: _("pyramid of the RCTM"),
        DRAWN: _("draws of hard attention"),
        ASKED: _("which heads do this most?"),
        WRONG: _("one wrong word"),
        BEAM: _("tree of the beam"),
        ROUNDS: _("round by round"),
    }
    mapped = {mechanism_of(key): name_of(key) for key, trace in traces.items() if trace.sites}
    if len(mapped) < 2:
        del names[DIFFERENCE], names[MULTIPLES]
    if not mapped:
        del names[NUMBERS], names[HAND], names[PREDICT]
    if not any(is_local(key, trace) for key, trace in traces.items()):
        del names[WINDOW]
    if not any(map(has_pyramid, traces)):
        del names[PYRAMID]
    if not any(map(has_draws, traces)):
        del names[DRAWN]
    also = choose_several(ALSO, names, default=())
    chosen = next(iter(mapped), "")
    if len(mapped) > 1 and (order == AGREEMENT or {MULTIPLES, SUMMARY} & set(also)):
        labels = {key: _("compared with {title}", title=title) for key, title in mapped.items()}
        with st.container(width=330):
            chosen = choose(CHOSEN, labels)
    return also, next((key for key in traces if mechanism_of(key) == chosen), "")


def on_one_translation(
    host: Host, traces: dict[str, AttentionTrace], target: str | None, chosen: str, messages: DeltaGenerator
) -> dict[str, AttentionTrace]:
    """Let every mechanism write one translation, so that rows line up: the aligned one, or that of the chosen one."""
    if target is not None:
        return traces
    source, target = traces[chosen].source_text, fit_translation(host, traces[chosen], messages)
    return forced_translations(host, tuple(traces), source, target) if target.strip() else {}


def show_multiples(visit: Visit[BenchSettings], views: list[View], reference: View) -> None:
    """Show the signed difference of each mechanism to the chosen one, all on one translation."""
    st.caption(plain(_("Same translation for all: “{text}”", text=reference.trace.output_text)))
    shown = Shown(
        difference_multiples(views, reference, colour=visit.wanted.colour, width=visit.width),
        key="differences",
        says=" · ".join(sentence_of_difference(choose_difference(view, reference)) for view in views),
        name=f"{reference.trace.source_text[:LONGEST_NAMED]} differences",
    )
    show(shown, visit)


def summaries_of(
    host: Host, traces: dict[str, AttentionTrace], views: dict[str, View], compared: dict[str, View], chosen: str
) -> dict[str, Summary]:
    """Return the numbers of each mechanism, with how far it is from the `chosen` one where the two are compared."""
    return {
        key: summary_of(
            key,
            trace,
            views.get(key),
            divergence=divergence_from(compared[key], compared[chosen]) if key in compared else None,
            milliseconds=milliseconds(host, key, trace),
        )
        for key, trace in traces.items()
    }


def show_summaries(summaries: list[Summary], name: str) -> None:
    """Show all mechanisms in a table, to be kept as CSV."""
    st.dataframe(table_of_summaries(summaries), hide_index=True, placeholder="")
    st.caption(
        _(
            "Entropy: of the weights in the map shown, averaged over rows. It is 0 when one word gets all the "
            "weight. Coverage: total attention weight on each source word, counted up to 1, averaged. Divergence "
            "(Jensen-Shannon), on the same translation: 0 when the rows agree. Milliseconds: time of the original "
            "run on this server, including hooks."
        )
    )
    csv_box(csv_of_summaries(summaries), f"{file_name(name)}-summary")


def show_difference(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Show the signed difference of two mechanisms, both made to write one translation."""
    traces = ran.traces
    names = {mechanism_of(key): name_of(key) for key, trace in traces.items() if trace.sites}
    with st.container(horizontal=True, vertical_alignment="center", key="pair"):
        with st.container(width=250):
            first = choose(FIRST, names)
        st.markdown("\u2212", width="content")
        with st.container(width=250):
            usual = next(name for name in names if name != first)
            second = choose(SECOND, names, default=usual)
    pair = [key for mechanism in (first, second) for key in traces if mechanism_of(key) == mechanism]
    if ran.target is None:
        source = traces[pair[0]].source_text
        target = fit_translation(visit.host, traces[pair[0]], visit.messages)
        if not target.strip():
            st.info(
                plain(_("{title} produced an empty translation, so there is nothing to compare.", title=names[first]))
            )
            return
        st.caption(plain(_("Same translation for both, by {title}: “{text}”", title=names[first], text=target)))
        traces = forced_translations(visit.host, pair, source, target)
    one, other = (view_of(traces[key], ran.places[key], visit.wanted) for key in pair)
    shown = Shown(
        difference_heatmap(one, other, colour=visit.wanted.colour, width=visit.width),
        key="difference",
        says=sentence_of_difference(choose_difference(one, other)),
        name=file_name_of({f"difference-{key}": traces[key] for key in pair}),
    )
    show(shown, visit)


def show_numbers(views: dict[str, View]) -> None:
    """Show the weights of one mechanism as a table, and return them as CSV."""
    names = {mechanism_of(key): name_of(key) for key in views}
    with st.container(horizontal=True, vertical_alignment="center", key="numbers"):
        with st.container(width=250):
            named = choose(TABLE, names)
        chosen = next(key for key in views if mechanism_of(key) == named)
        view = views[chosen]
        csv_button(csv_of(view), file_name(file_name_of({chosen: view.trace})))
    st.caption(plain(_("{rows}; {columns}", rows=view.query_title, columns=view.key_title)))
    columns = table_of(view)
    shown = {name: st.column_config.NumberColumn(format="%.4f") for name in list(columns)[1:]}
    st.dataframe(columns, hide_index=True, column_config=shown)
