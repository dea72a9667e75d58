"""Drawing of a sentence through one vector, and through attention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import models
from models.translation.entry import Entry
from viz.figures.bottleneck import drawing_of, many_looks, one_vector
from viz.figures.printable import PrintedLinks
from viz.server.runtime import Host
from viz.views.view import choose_view
from viz.widgets.drawing import show_drawings
from viz.widgets.keep import keep_row
from viz.widgets.shown import Shown

_LONGEST = 9
"""Words of the beginning that is drawn at most, where there is one so short."""


def show_both_ways(host: Host, entries: Mapping[str, Entry], starts: Sequence[str], titles: Mapping[str, str]) -> None:
    """Draw the first model without attention beside the first with it; nothing where one of them is not chosen."""
    without = next((key for key, each in entries.items() if not each.mechanism.has_attention), None)
    within = next((key for key, each in entries.items() if each.mechanism.has_attention), None)
    if without is None or within is None:
        return
    start = [each for each in starts if len(each.split()) <= _LONGEST][-1:] or starts[:1]
    try:
        blind, seeing = host.attend(without, start[0]), host.attend(within, start[0])
    except models.InputError:
        return
    pictures = (
        one_vector(
            blind.source.word_texts,
            blind.target.word_texts,
            title=titles[without],
            numbers=vector_size(entries[without].card["network"]),
        ),
        many_looks(choose_view(seeing)),
    )
    show_drawings([drawing_of(each) for each in pictures], key="both-ways")
    links = PrintedLinks(pictures)
    keep_row(Shown(key="both-ways", name=f"{start[0]} bottleneck", printed=lambda: links, square=False))


def vector_size(network: Mapping[str, int]) -> int:
    """Return how many numbers the decoder gets of the whole sentence."""
    if "d_model" in network:
        return int(network["d_model"])
    return int(network.get("d_summary", 2 * network["d_decoder"]))
