"""One wrong word on the Bench: in which translation, offered by a click on a cell; how far errors run over a corpus."""

from __future__ import annotations

import streamlit as st

from models.keys import mechanism_of, pair_of
from models.translation.checkpoints import CheckpointError
from models.translation.wrong_word_table import wrong_word_table
from viz.figures.wrong_words import wrong_words
from viz.pages.bench.panels import CANVAS
from viz.pages.bench.settings import ALSO, WRONG
from viz.pages.bench.wanted import BenchSettings, Compared, name_of, view_of
from viz.server.translations import forcible_translation
from viz.text.language import _, say
from viz.text.markup import plain
from viz.widgets.canvas import replaced_on
from viz.widgets.settings import choose, link
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit
from viz.widgets.wrong_word import REPLACED_OF, begin_with, show_replaced


def take_replaced() -> None:
    """Let the word that was just clicked be replaced; before the controls are shown."""
    told = replaced_on(CANVAS)
    if told is not None:
        shown = (link.text_of(ALSO) or "").split()
        link.store(ALSO.name, " ".join(dict.fromkeys((*shown, WRONG))))
        link.store(REPLACED_OF.name, mechanism_of(told[0]))
        begin_with(told[1])
        st.toast(_("Below the maps: put another word there."))


def show_wrong_word(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Let the reader put another word in the place of a written one, and show what is written after it."""
    st.header(_("One wrong word"), anchor=False)
    keys = {mechanism_of(key): key for key in ran.traces}
    line = st.container(horizontal=True, vertical_alignment="bottom", key="wrong-word-line")
    with line, st.container(width=280):
        key = keys[choose(REPLACED_OF, {mechanism: name_of(key) for mechanism, key in keys.items()})]
    before = ran.traces[key] if ran.target else forcible_translation(visit.host, key, ran.traces[key].source_text)
    place, wanted = ran.places[key], visit.wanted
    shown = show_replaced(
        visit,
        before,
        line,
        lambda trace: view_of(trace, place, wanted) if trace.sites else None,
        linking=wanted.links,
    )
    if shown:
        _show_corpus(visit, pair_of(key))


def _show_corpus(visit: Visit[BenchSettings], pair: str) -> None:
    """Show how far errors run over the corpus, where it was measured; a damaged table is named."""
    try:
        rows = wrong_word_table(pair)
    except CheckpointError as error:
        st.warning(plain(_("The measured results cannot be shown. {reason}", reason=say(error))))
        return
    if not rows:
        return
    count = min(row.sentences for row in rows)
    says = _(
        "Over {count} sentences of tatoeba.test: a word of the first half gives its place to a random word of another "
        "translation. Above, decoding is then free: the share of translations not yet as they were. Below, it is "
        "forced (teacher forcing): what each right word loses of its log-probability.",
        count=count,
    )
    figure = wrong_words(rows, {row.key: name_of(row.key) for row in rows}, width=visit.width)
    show(Shown(figure, key="wrong-corpus", says=says, name="one wrong word over the corpus"), visit)
