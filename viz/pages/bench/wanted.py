"""Choices of the Bench's reader, names of models, and a text cut to what models take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from streamlit.delta_generator import DeltaGenerator

from models.keys import mechanism_of, pair_of
from models.mechanisms import mechanisms
from models.trace import AttentionTrace, Reading
from viz.measures.summary import SummaryOrder
from viz.pages.bench.settings import TARGET
from viz.pages.bench.timeline import Place
from viz.server.runtime import Host
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.views.aligned import Linking
from viz.views.view import View, choose_view
from viz.widgets.sentence import languages_of
from viz.widgets.settings import text_box
from viz.widgets.visit import Wanted
from viz.widgets.zeroing import ZEROED

LONGEST_NAMED = 40  # characters of the sentence in the name of a file


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchSettings(Wanted):
    """What the reader wants to see."""

    keys: tuple[str, ...]
    align: str
    quantity: str
    reading: Reading | None
    order: SummaryOrder
    links: Linking
    folds: Mapping[str, DeltaGenerator]
    """Where the head of each mechanism is asked for."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The runs that are compared."""

    traces: dict[str, AttentionTrace]
    target: str | None  # the translation that all write; None: each its own
    places: dict[str, Place]  # the layer and head that is shown of each
    views: dict[str, View]  # in the order shown


def name_of(key: str) -> str:
    """Return the title of the mechanism that the model `key` has."""
    return _(mechanisms()[mechanism_of(key)].title)


def ask_translation(key: str, label: str) -> str:
    """Let the reader type a translation that every model is made to write, and return it; empty if there is none."""
    return text_box(
        TARGET,
        label,
        placeholder=_(
            "Type a translation in {target}. Until then, the translation by {title} is used.",
            target=languages_of(pair_of(key))["target"],
            title=name_of(key),
        ),
    )


def fit_translation(host: Host, trace: AttentionTrace, messages: DeltaGenerator) -> str:
    """Cut what a model wrote to what the models take as a given translation, and say what was left out."""
    key = trace.provenance.checkpoint
    fitting, left_out = host.model(key).fit(trace.output_text)
    if left_out:
        said = _n(
            "The translation by {title} is longer than the models accept. For alignment and comparison, its last "
            "word is left out.",
            "The translation by {title} is longer than the models accept. For alignment and comparison, its last "
            "{count} words are left out.",
            left_out,
            title=name_of(key),
        )
        messages.info(plain(said), icon=":material/content_cut:")
    return fitting


def view_of(trace: AttentionTrace, place: Place, wanted: BenchSettings) -> View:
    """Return the map of `trace` at `place` as the reader wants it."""
    site, head = place
    if wanted.quantity == ZEROED and any(each.has_zeroed for each in trace):
        trace, head = trace.zeroed(), "mean"  # all heads together
    elif wanted.quantity == "moved" and trace.has_moved:
        trace = trace.moved()
    return choose_view(trace, unit=wanted.unit, site=site, head=head, reading=wanted.reading)


def file_name_of(traces: dict[str, AttentionTrace]) -> str:
    """Return the name of a picture of `traces`: the sentence and the mechanisms."""
    sentence = next(iter(traces.values())).source_text
    return f"{sentence[:LONGEST_NAMED]} {' '.join(mechanism_of(key) for key in traces)}"
