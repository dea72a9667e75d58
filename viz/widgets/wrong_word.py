"""One wrong word in a translation: given up to there, free from there on, beside the translation as it was."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from itertools import zip_longest

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import models
from models.keys import pair_of
from models.measures.wrong_word import runner_up, with_word, words_until_same
from models.trace import AttentionTrace
from models.writing import Writing
from viz.captions.written import Written, written_words
from viz.server.translations import sites_of
from viz.text.counting import numbered
from viz.text.language import _, _n, mark, say
from viz.text.markup import plain
from viz.text.tokens import visible
from viz.views.aligned import Linking
from viz.views.view import View
from viz.widgets.edits.translation_consequence import marked, show_line
from viz.widgets.panels import panel_of, show_panels
from viz.widgets.settings import Choice, TextSetting, choose, link, put_text, text_box
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, W

REPLACED_OF = Choice("wrong-of", title=mark("Translation by"), shape="box", anew_with=("mechanisms",))
REPLACED = Choice(
    "wrong-word", title=mark("Word to replace"), shape="box", anew_with=(REPLACED_OF.name, "replaced words")
)
INSTEAD = TextSetting("instead")
"""The wrong word: in which translation, in the place of which word, and what."""

NONE = "none"
"""What a link calls no word, on a page that shows a wrong word only when one was clicked."""

BOTH = 2
"""Translations that a word can stand in."""

LONGEST_NAMED = 40  # characters of the sentence in the name of a file


def begin_with(word: int) -> None:
    """Let the word of a translation that was just clicked be replaced; before the controls are shown."""
    link.store(REPLACED.name, str(word))
    put_text(INSTEAD, "")


def show_replaced(
    visit: Visit[W],
    before: AttentionTrace,
    line: DeltaGenerator,
    view_of: Callable[[AttentionTrace], View | None],
    *,
    linking: Linking = "none",
    may_be_none: bool = False,
) -> bool:
    """Let the reader put another word in the place of a written one on `line`, and show what is written after it.

    `view_of` gives the map that is shown of a run. Return whether another translation was shown.
    """
    words, key = written_words(before), before.provenance.checkpoint
    if not words:
        st.info(_("The translation is empty, so no word can be replaced."))
        return False
    chosen = _choose_word(before, words, line, may_be_none=may_be_none)
    if chosen is None:
        return False
    word, text = chosen
    if not text:
        st.info(_("Type a word to put in its place."))
        return False
    try:
        given = visit.host.attend(key, before.source_text, with_word(before, word, text), sites=sites_of(key)).target
        write = Writing(0, begin=given.ids[:-1])
        after = visit.host.attend(key, before.source_text, write=write, sites=sites_of(key))
    except models.InputError as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return False
    known = len(given.word_texts) - 1
    _say(before, after, word, known)
    traces = {_("as it was"): before, _("with the wrong word"): after}
    panels = [panel_of(key, trace, view_of(trace), name=name) for name, trace in traces.items()]
    with st.container(key="figure-wrong-word"):
        shown = Shown(key="wrong", name=f"{before.source_text[:LONGEST_NAMED]} wrong word", traces=traces)
        show_panels(panels, shown, colour=visit.wanted.colour, linking=linking)
    _show_table(before, after, word, known)
    return True


def _choose_word(
    before: AttentionTrace, words: tuple[Written, ...], line: DeltaGenerator, *, may_be_none: bool
) -> tuple[int, str] | None:
    """Return which word of the translation is replaced, from 0, and by what: typed, or what nearly came; None: none."""
    link.belong("replaced words", of=before.target.word_texts)
    names = dict(zip((str(each.word) for each in words), numbered([each.text for each in words]), strict=True))
    usual = max(words[: max(1, len(words) // BOTH)], key=lambda each: len(each.text))
    with line, st.container(width=200):
        if may_be_none:
            names, default = {NONE: _("no wrong word"), **names}, NONE
        else:
            default = str(usual.word)
        chosen = choose(REPLACED, names, default=default)
    if chosen == NONE:
        return None
    other = runner_up(before, int(chosen))
    with line, st.container(width=300):
        hint = _("“{word}”: the model's second choice", word=visible(other)) if other else None
        typed = text_box(INSTEAD, _("Another word in its place"), placeholder=hint)
    return int(chosen), typed.strip() or other


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
    st.dataframe(said, hide_index=True, placeholder="")
    st.caption(_("From the replaced word on. The first probability then is that of the wrong word itself."))
