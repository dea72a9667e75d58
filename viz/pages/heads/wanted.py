"""Choices of the Heads page's reader: attention, texts, words or subwords, colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.model import Model
from models.trace import AttentionTrace, TokenSequence
from viz.figures.drawing.theme import Colour
from viz.pages.heads.settings import BETWEEN, COLOUR, FIND, FOLDED_TEXT, HIDE, LEAST, MAP, OPEN
from viz.pages.heads.shown import is_long_text
from viz.text.counting import FIRST_POSITION
from viz.text.language import _, mark
from viz.views.folding import sentence_names, sentences_of
from viz.views.heads import KINDS, kinds_of
from viz.views.hiding import NOTHING, Hiding, hide_specials
from viz.views.view import Unit
from viz.widgets.settings import choose, choose_several, choose_titled, labels_of, link, switch, text_box
from viz.widgets.shared_settings import PICTURE, UNIT, ZEROABLE
from viz.widgets.visit import ImageFormat, Wanted
from viz.widgets.zeroing import ZEROED, is_zeroable

BETWEENS: Mapping[str, tuple[int, int] | None] = {"all": None, "aa": (0, 0), "ab": (0, 1), "ba": (1, 0), "bb": (1, 1)}
"""What the link calls each part of the maps of a pair of texts."""

SENTENCE_UNIT = "sentence"
"""What the link calls words whose other sentences are folded."""

THRESHOLDS = ("0", "0.01", "0.02", "0.05", "0.1", "0.2", "0.3", "0.5")


@dataclass(frozen=True, slots=True, kw_only=True)
class HeadsSettings(Wanted):
    """What the reader chose to see."""

    sites: str  # as `viz.figures.drawing.heads.views_at` takes it
    hiding: Hiding
    quantity: str = "weights"
    quantities: tuple[str, ...] = ()  # those of the switch, in its order
    hides_specials: bool = False  # whether tokens that stand for no text are hidden

    @property
    def common(self) -> dict[str, Any]:
        """What every figure of heads takes."""
        return {"sites": self.sites, "unit": self.unit, "colour": self.colour, "hiding": self.hiding}


def choose_wanted(trace: AttentionTrace, model: Model, line: DeltaGenerator, settings: DeltaGenerator) -> HeadsSettings:
    """Show which attention can be seen on `line`, and the other choices behind the button of `settings`."""
    kinds = kinds_of(trace.sites)
    with line:
        names = {kind: _(KINDS[kind][1]) for kind in kinds}
        if len(kinds) == 1 and kinds[0] != "cross":
            both = _("bidirectional self-attention") if kinds == ("encoder",) else _("causal self-attention")
            names = {kinds[0]: both}
        kind = kinds[0] if kinds == ("hops",) else choose(MAP, names)  # their picture says what they are
        quantity, quantities = _choose_quantity(trace, model, KINDS[kind][0])
        between = _choose_between() if kind == "encoder" and trace.source.segments else None
    sentences = () if trace.is_translation else sentence_names(trace.source.to_words())
    with settings:
        units, colours = dict(labels_of(UNIT)), dict(labels_of(COLOUR))
        if is_long_text(trace):  # pieces, and colours in which weights of one in hundreds can be seen
            units, colours = (dict(reversed(each.items())) for each in (units, colours))
        if len(sentences) > 1:
            units[SENTENCE_UNIT] = _("sentences")
        unit, colour = choose_titled(UNIT, units), choose_titled(COLOUR, colours)
        labels = {each: _("from {least}", least=each) if float(each) else _("all weights") for each in THRESHOLDS}
        least = choose_titled(LEAST, labels)
        hidden = switch(HIDE, default=False)
        picture = choose_titled(PICTURE)
    hiding = hide_specials(trace) if hidden else NOTHING
    opened = None
    if unit == SENTENCE_UNIT:
        unit = "word"
        with line:
            link.belong(FOLDED_TEXT, of=trace.source_text)
            opened = _choose_opened(trace.source.to_words(), sentences)
    hiding = replace(hiding, threshold=float(least), between=between, opened=opened)
    return HeadsSettings(
        sites=KINDS[kind][0],
        unit=cast("Unit", unit),
        colour=cast("Colour", colour),
        hiding=hiding,
        quantity=quantity,
        quantities=quantities,
        picture=cast("ImageFormat", picture),
        hides_specials=hidden,
    )


def _choose_opened(words: TokenSequence, sentences: Sequence[str]) -> tuple[int, ...]:
    """Let sentences be opened by a click, or by a word that stands in them; return those that are open."""
    sought = text_box(
        FIND, _("Find a word and open the sentences with it"), placeholder=_("find a word"), labelled="collapsed"
    )
    labels = {str(number + FIRST_POSITION): name for number, name in enumerate(sentences)}
    chosen = {int(each) - FIRST_POSITION for each in choose_several(OPEN, labels, default=())}
    if sought.strip():
        numbers = zip(words.texts, sentences_of(words), strict=True)
        found = {own for text, own in numbers if own is not None and sought.strip().casefold() in text.casefold()}
        if not found:
            st.caption(_("No word in this text contains “{sought}”.", sought=sought.strip()))
        chosen |= found
    return tuple(sorted(chosen))


_NOT_HERE = {
    "moved": mark(
        "Norm-weighted attention is not available here: the values and the matrix after them cannot be captured."
    ),
    ZEROED: mark("Value zeroing works for Transformers that run on this server. Weights are shown here."),
}


def _choose_quantity(trace: AttentionTrace, model: Model, sites: str) -> tuple[str, tuple[str, ...]]:
    """Let weights be changed for what else is known of these maps; where a link asks in vain, say why.

    Return what is chosen, and what there was to choose from.
    """
    known = {"weights"}
    if all(each.has_moved for each in trace if each.site.matches(sites)):
        known.add("moved")
    if is_zeroable(trace, sites.rpartition(".")[2]) and model.editable and hasattr(model, "tokenizer"):
        known.add(ZEROED)
    asked = link.text_of(ZEROABLE)
    labels = {code: name for code, name in labels_of(ZEROABLE).items() if code in known | {asked}}
    chosen = choose(ZEROABLE, labels) if len(labels) > 1 else "weights"
    if chosen not in known:
        st.caption(_(_NOT_HERE[chosen]))
    return chosen if chosen in known else "weights", tuple(labels)


def _choose_between() -> tuple[int, int] | None:
    labels = {"all": _("A and B"), "aa": "A → A", "ab": "A → B", "ba": "B → A", "bb": "B → B"}
    return BETWEENS[choose(BETWEEN, labels)]
