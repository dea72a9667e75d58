"""The causal mask on Heads: later words with the scores that they would have had, and maps without the mask."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from streamlit.delta_generator import DeltaGenerator

from models.huggingface.reader_entries import READER_ENTRIES
from models.mechanisms import mechanisms
from models.trace import AttentionTrace
from viz.pages.heads.shown import HeadSelection, is_long_text
from viz.pages.heads.wanted import HeadsSettings
from viz.server.runtime import Host
from viz.server.translations import text_to_force
from viz.views.heads import HeadPlace, pick_views
from viz.widgets.unmasked import choose_unmasked, show_unmasked
from viz.widgets.visit import Visit
from viz.widgets.zeroing import ZEROED

SCORES = ("*.weights", "decoder.*.self.scores")


@dataclass(frozen=True, slots=True, eq=False)
class MaskedRun:
    """The run that is shown, and what there is besides it."""

    trace: AttentionTrace
    identity: Hashable
    later: AttentionTrace | None = None  # with the scores that the mask hides, while it is not lifted
    before: AttentionTrace | None = None  # the same text with the mask, where that is lifted


def choose_mask(
    host: Host, trace: AttentionTrace, identity: Hashable, wanted: HeadsSettings, bar: DeltaGenerator
) -> MaskedRun:
    """Let the reader lift the mask of a decoder that was trained with it."""
    key = trace.provenance.checkpoint
    if not wanted.sites.startswith("decoder") or wanted.quantity == ZEROED or not _has_later(trace):
        return MaskedRun(trace, identity)
    source = trace.source_text
    target = text_to_force(host, key, trace) if trace.is_translation else None
    if trace.is_translation and target is None:
        return MaskedRun(trace, identity)
    with bar:
        edits = choose_unmasked()
    if not edits:
        of_words = wanted.sites.endswith("self")
        return MaskedRun(trace, identity, host.attend(key, source, target, sites=SCORES) if of_words else None)
    lifted = host.attend(key, source, target, edits=edits)
    return MaskedRun(lifted, host.identify(key, source, target, edits=edits), before=host.attend(key, source, target))


def _has_later(trace: AttentionTrace) -> bool:
    """Return whether later words can be there: in our Transformers' decoders, and in the small GPT reading a text."""
    if is_long_text(trace) or trace.written is not None:
        return False
    about, reader = mechanisms().get(trace.provenance.mechanism), READER_ENTRIES.get(trace.provenance.checkpoint)
    if about is not None and trace.is_translation:
        return about.is_multi_head
    return reader is not None and not (reader.hops or reader.memory) and all(each.causal for each in trace)


def show_lifted(
    visit: Visit[HeadsSettings], key: str, masked: MaskedRun, shown: HeadSelection, head: HeadPlace
) -> None:
    """Show what lifting the mask changes, with the map of `head` before and after; nothing if it is not lifted."""
    if masked.before is None:
        return
    before = masked.before.moved() if shown.trace.quantity == "moved" else masked.before
    views = [
        pick_views(each, shown.sites, shown.unit, (head,), replace(shown.hiding, opened=None))[0]
        for each in (before, shown.trace)
    ]
    show_unmasked(visit, key, masked.before, masked.trace, views)
