"""One wrong word in a translation: given up to there, free from there on, beside the translation as it was."""

from __future__ import annotations

from html import escape
from itertools import zip_longest

import streamlit as st

import models
from models.keys import mechanism_of, pair_of
from models.measures.wrong_word import runner_up, with_word, words_until_same
from models.trace import AttentionTrace
from models.translation.checkpoints import CheckpointError
from models.translation.wrong_word_table import wrong_word_table
from models.writing import Writing
from viz.captions.written import Written, written_words
from viz.figures.wrong_words import wrong_words
from viz.pages.bench.panels import CANVAS
from viz.pages.bench.settings import ALSO, INSTEAD, REPLACED, REPLACED_OF, WRONG
from viz.pages.bench.wanted import LONGEST_NAMED, BenchSettings, Compared, name_of, view_of
from viz.server.translations import forcible_translation, sites_of
from viz.text.counting import numbered
from viz.text.language import _, _n, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.widgets.canvas import replaced_on
from viz.widgets.edits.translation_consequence import marked, show_line
from viz.widgets.panels import panel_of, show_panels
from viz.widgets.settings import choose, link, put_text, text_box
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

BOTH = 2
"""Translations that a word can stand in."""


def take_replaced() -> None:
    """Let the word that was just clicked be replaced; before the controls are shown."""
    told = replaced_on(CANVAS)
    if told is not None:
        shown = (link.text_of(ALSO) or "").split()
        link.store(ALSO.name, " ".join(dict.fromkeys((*shown, WRONG))))
        link.store(REPLACED_OF.name, mechanism_of(told[0]))
        link.store(REPLACED.name, str(told[1]))
        put_text(INSTEAD, "")
        st.toast(_("Below the maps: put another word there."))


def show_wrong_word(visit: Visit[BenchSettings], ran: Compared) -> None:
    """Let the reader put another word in the place of a written one, and show what is written after it."""
    st.header(_("One wrong word"), anchor=False)
    keys = {mechanism_of(key): key for key in ran.traces}
    line = st.container(horizontal=True, vertical_alignment="bottom", key="wrong-word-line")
    with line, st.container(width=280):
        key = keys[choose(REPLACED_OF, {mechanism: name_of(key) for mechanism, key in keys.items()})]
    before = ran.traces[key] if ran.target else forcible_translation(visit.host, key, ran.traces[key].source_text)
    words = written_words(before)
    if not words:
        st.info(_("The translation is empty, so no word can be replaced."))
        return
    word, text = _choose_word(before, words, line)
    if not text:
        st.info(_("Type a word to put in its place."))
        return
    try:
        given = visit.host.attend(key, before.source_text, with_word(before, word, text), sites=sites_of(key)).target
        write = Writing(0, begin=given.ids[:-1])
        after = visit.host.attend(key, before.source_text, write=write, sites=sites_of(key))
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return
    known = len(given.word_texts) - 1
    _say(before, after, word, known)
    _draw(visit, ran, key, {_("as it was"): before, _("with the wrong word"): after})
    _show_table(before, after, word, known)
    _show_corpus(visit, pair_of(key))


def _choose_word(
    before: AttentionTrace, words: tuple[Written, ...], line: st.delta_generator.DeltaGenerator
) -> tuple[int, str]:
    """Return which word of the translation is replaced, from 0, and by what: typed, or what nearly came."""
    link.belong("replaced words", of=before.target.word_texts)
    names = numbered([each.text for each in words])
    usual = max(words[: max(1, len(words) // BOTH)], key=lambda each: len(each.text))
    with line, st.container(width=200):
        word = int(
            choose(
                REPLACED,
                dict(zip(map(str, (each.word for each in words)), names, strict=True)),
                default=str(usual.word),
            )
        )
    other = runner_up(before, word)
    with line, st.container(width=300):
        hint = _("“{word}”: the model's second choice", word=visible(other)) if other else None
        typed = text_box(INSTEAD, _("Another word in its place"), placeholder=hint)
    return word, typed.strip() or other


def _say(before: AttentionTrace, after: AttentionTrace, word: int, known: int) -> None:
    """Show both translations, and say how far the error runs."""
    language = pair_of(before.provenance.checkpoint).rpartition("-")[2]
    show_line(_("As it was:"), escape(before.output_text), language=language)
    show_line(
        _("With the wrong word:"),
        marked(before, after),
        _("underlined: new; struck through: removed"),
        language=language,
    )
    until = words_until_same(before, after, word, known)
    if until is None:
        said = _("The error runs to the end: the two translations have no ending in common.")
    elif not until:
        said = _("The error does not spread: all that follows is as it was.")
    else:
        said = _n(
            "The error runs for {count} word. Then the translation is as it was.",
            "The error runs for {count} words. Then the translation is as it was.",
            until,
        )
    st.markdown(plain(said))
    st.caption(
        _(
            "Up to the wrong word, decoding is forced. From there on it is free and greedy: each word depends on the "
            "words before it. In training the model always read the right words (teacher forcing), never its own "
            "mistakes. This gap is called exposure bias."
        )
    )


def _draw(visit: Visit[BenchSettings], ran: Compared, key: str, traces: dict[str, AttentionTrace]) -> None:
    """Show the maps of both translations, with the probability of every word."""
    wanted, place = visit.wanted, ran.places[key]
    panels = [
        panel_of(key, trace, view_of(trace, place, wanted) if trace.sites else None, name=name)
        for name, trace in traces.items()
    ]
    source = next(iter(traces.values())).source_text
    with st.container(key="figure-wrong-word"):
        shown = Shown(key="wrong", name=f"{source[:LONGEST_NAMED]} wrong word", traces=traces)
        show_panels(panels, shown, colour=wanted.colour, linking=wanted.links)


def _show_table(before: AttentionTrace, after: AttentionTrace, word: int, known: int) -> None:
    """Show the probability of each word from the wrong one on, in both translations."""
    was, now = (
        [each for each in written_words(trace) if each.word >= first]
        for trace, first in ((before, word), (after, known - 1))
    )
    said = [
        {
            _("as it was"): visible(one.text) if one else "",
            _("probability"): round(one.probability, 4) if one else None,
            _("with the wrong word"): visible(other.text) if other else "",
            _("probability then"): round(other.probability, 4) if other else None,
        }
        for one, other in zip_longest(was, now)
    ]
    st.dataframe(said, hide_index=True)
    st.caption(_("From the replaced word on. The first probability then is that of the wrong word itself."))


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
