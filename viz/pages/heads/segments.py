"""Segment memory, below the heads: the second half of the text with keys and values of the first, or without."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np
import streamlit as st

from models.readers.segment_table import WAYS, SegmentTable, Way, segment_table
from models.trace import AttentionTrace, TokenSequence
from viz.figures.segments import segment_map
from viz.pages.heads.settings import RECURRENCE
from viz.pages.heads.wanted import HeadsSettings
from viz.server.segments import segments_of
from viz.text.language import _
from viz.text.markup import plain
from viz.views.heads import HeadPlace
from viz.widgets.settings import choose, labels_of
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.readers.segments import SegmentRead

LEAST = 8  # tokens of a text in two segments
WIDEST = 900


def show_segments(visit: Visit[HeadsSettings], trace: AttentionTrace, picked: Sequence[HeadPlace]) -> None:
    """Show what the second half of the text attends to where the first is its memory, and what that is worth."""
    st.header(_("Segment memory"), anchor=False)
    first, table = len(trace.source) // 2, segment_table()
    if len(trace.source) < LEAST:
        st.info(_("Type a longer text: two segments need at least {count} tokens.", count=LEAST))
        return
    found = segments_of(visit.host, trace.provenance.checkpoint, trace, first)
    way = cast("Way", choose(RECURRENCE))
    _map(visit, trace, first, found[way], picked[0] if picked else HeadPlace(0, 0))
    _figures(found, first, table)


def _map(visit: Visit[HeadsSettings], trace: AttentionTrace, first: int, read: SegmentRead, place: HeadPlace) -> None:
    weights = read.weights[place.layer, place.head]
    lead = weights.shape[1] - weights.shape[0]
    texts = trace.source.texts
    keys = TokenSequence.from_words([*texts[:lead], *texts[first:]])
    memory = lead if lead == first else 0
    figure = segment_map(
        weights,
        keys,
        title=place.title,
        memory=memory,
        width=min(visit.width, WIDEST),
    )
    share = float(weights[:, :memory].sum(axis=1).mean())
    says = _(
        "{head}: {share} of the second segment's weight is on the segment before.",
        head=place.title,
        share=f"{share:.0%}",
    )
    show(Shown(figure, key="segments", says=says, name=_("{text} segments", text=trace.source_text[:40])), visit)
    st.caption(
        _(
            "Your text is cut in the middle. Row: a token of the second segment. Column: a token that it can attend "
            "to, the memory first. Colour: attention weight of the first picked head. The memory is the keys and "
            "values that every layer had in the segment before (Transformer-XL, Dai et al. 2019). Nothing is trained."
        )
    )


def _figures(found: dict[Way, SegmentRead], first: int, table: SegmentTable | None) -> None:
    """Show perplexity and the weight on the memory for each way, here and on held-out text, and what follows."""
    names = labels_of(RECURRENCE)
    rows = []
    for way in WAYS:
        memory = found[way].weights[..., :first] if way in ("anew", "on") else np.zeros(1)
        row: dict[str, object] = {
            _("second segment"): names[way],
            _("perplexity here"): math.exp(-float(found[way].log_probabilities.mean())),
            _("weight on the memory here"): round(float(memory.sum(axis=-1).mean()), 2),
        }
        if table is not None:
            row[_("held-out perplexity")] = table.ways[way].perplexity
            row[_("held-out weight on the memory")] = round(table.ways[way].in_memory, 2)
        rows.append(row)
    number, share = st.column_config.NumberColumn(format="%.1f"), st.column_config.NumberColumn(format="percent")
    columns = {name: share if each % 2 else number for each, name in enumerate([*rows[0]][1:])}
    st.dataframe(rows, hide_index=True, column_config=columns)
    if table is None:
        return
    far = table.ways["on"].by_distance
    said = [
        _(
            "Held-out: {count} lines of novels, two segments of {size} tokens, mean of all heads.",
            count=table.texts,
            size=table.segment,
        ),
        _(
            "The positions of this model are absolute. Going on, they are its own context of {context} tokens and end "
            "with it. Begun anew, two tokens share each position: on held-out text worse than no memory behind a "
            "boundary token. A memory beyond the context needs relative positions, which this model lacks.",
            context=table.context,
        ),
        _(
            "How far back it attends, positions going on: {near} of the weight is on the nearest four tokens of the "
            "memory, {middle} on the farther ones, {last} on the boundary token at the beginning.",
            near=f"{sum(far[:4]):.0%}",
            middle=f"{sum(far[4:-1]):.0%}",
            last=f"{far[-1]:.0%}",
        ),
    ]
    st.caption(plain(" ".join(said)))
