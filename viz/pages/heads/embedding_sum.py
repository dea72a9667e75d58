"""Token, segment and position vectors and their sum, below the heads of a model such as BERT."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from models import InputError
from models.trace import AttentionTrace
from viz.captions.strips import heading_of
from viz.figures.embedding_sum import clickable_strips
from viz.pages.heads.settings import READ_TEXT, SUMMED
from viz.pages.heads.wanted import HeadsSettings
from viz.server.embedding_sums import embedding_sum_of
from viz.text.counting import position_name
from viz.text.language import _, say
from viz.text.markup import plain
from viz.text.tokens import isolated, shorten, visible
from viz.walk.embedding_sum import part_names, sum_in_digits, sum_strips
from viz.widgets import session
from viz.widgets.equations import show_equations
from viz.widgets.settings import choose, link
from viz.widgets.show import show_strips
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

if TYPE_CHECKING:
    from models.huggingface.embedding_sum import EmbeddingSum

KEY = "embedding-sum"
_CLICKED = f"{KEY}-clicked"


def show_embedding_sum(visit: Visit[HeadsSettings], trace: AttentionTrace) -> None:
    """Show what is added up for each token, and one number of a chosen token in digits."""
    st.header(_("What is added up for each token"), anchor=False)
    try:
        found = embedding_sum_of(visit.host, trace)
    except InputError as error:
        st.info(plain(say(error)))
        return
    row = _choose(trace)
    texts = [visible(each) for each in trace.source.texts]
    strips = sum_strips(found, texts, row)
    shown = Shown(
        key=KEY,
        says=_lengths(found, texts[row], row),
        alt="; ".join(map(heading_of, strips)),
        name=_("{text} embeddings", text=trace.source_text[:40]),
        selects=True,
    )
    show_strips(strips, shown, visit, draw=clickable_strips)
    st.caption(plain(" ".join(_explained(found))))
    for worked in sum_in_digits(found, row):
        show_equations(*worked.lines, available=visit.width)
        st.caption(_("The model itself used {number}.", number=f"{worked.captured:.6f}"))


def _choose(trace: AttentionTrace) -> int:
    """Return the token that is worked out: the one that was clicked, or chosen; a word of the text at first."""
    texts = trace.source.texts
    labels = {
        str(place): _("{place}: “{word}”", place=position_name(place), word=isolated(shorten(visible(text))))
        for place, text in enumerate(texts)
    }
    link.belong(READ_TEXT, of=(trace.provenance.checkpoint, trace.source.ids, ()), unless=labels)
    state: Any = session.reported(f"chart-{KEY}")
    clicked = [int(each["y"]) for each in (state or {}).get("selection", {}).get("points", [])][:1]
    if clicked != session.recall(_CLICKED, []):
        session.keep(_CLICKED, clicked)
        if clicked and clicked[0] < len(texts):
            link.store(SUMMED.name, str(clicked[0]))
    with st.container(width=330):
        return int(choose(SUMMED, labels, default=str(min(2, len(texts) - 1))))


def _lengths(found: EmbeddingSum, word: str, row: int) -> str:
    """Say how long each vector of a token is, and how long their sum."""
    names = part_names()
    said = [
        _("{name} {length}", name=names[name], length=f"{np.linalg.norm(each[row]):.2f}")
        for name, each in found.parts.items()
    ]
    return _(
        "Lengths for “{word}”: {parts}. Their sum has length {total}.",
        word=isolated(word),
        parts=_(", ").join(said),
        total=f"{np.linalg.norm(found.total[row]):.2f}",
    )


def _explained(found: EmbeddingSum) -> list[str]:
    said = [
        _("Row: a token. Column: a component of its vector. Purple is above 0, orange below. Click a row for its sum."),
        _("The vectors and their sum share one colour scale. LayerNorm rescales each row: it has its own scale."),
    ]
    if "segment" not in found.parts:
        said.append(_("This model has no segment embedding: two vectors are added."))
    elif len(set(found.segments)) == 1:
        said.append(
            _("One text is one segment: its row is the same for every token. With a second text, B has another row.")
        )
    return [*said, _("Equal tokens have the same token embedding. Only their positions tell them apart.")]
