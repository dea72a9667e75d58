"""One word in two sentences on the Heads page: vectors by layer, beside its static vector."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st

import models
from models.errors import CaptureError
from models.experiments.contextual import (
    WordInContext,
    WordStates,
    has_states,
    shared_words,
    state_sites,
    word_in_context,
    word_states,
)
from models.experiments.word_vectors import NO_VECTORS, WordVectors, static_vectors
from models.trace import AttentionTrace
from models.translation.words import bare
from viz.figures.word_in_context import word_across_layers
from viz.pages.heads.matched import Texts
from viz.pages.heads.settings import OTHER, SAME
from viz.pages.heads.wanted import HeadsSettings
from viz.server.runtime import Host
from viz.text.language import _, listed, say
from viz.text.markup import plain
from viz.text.tokens import isolated, visible
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import choose_titled, put_text, text_box
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit

EXAMPLE = ("He bought new shoes.", "He moved to New York.")
NEAREST = 8
"""So many of the words nearest to the static vector are named."""

WIDEST = 900
"""Pixels: a line over a few layers needs no more."""


def show_same_word(visit: Visit[HeadsSettings], key: str, texts: Texts) -> None:
    """Ask for a second sentence and a shared word, and show how similar its vectors are in each layer."""
    if not has_states(visit.host.model(key)):
        st.info(_("This is for models that read one text, and for the encoder of our Transformers: choose one above."))
        return
    typed = text_box(OTHER, _("Second sentence, with a word that stands in the first as well"), placeholder=EXAMPLE[1])
    if not typed.strip():
        said = _("try: “{one}” and “{other}”", one=EXAMPLE[0], other=EXAMPLE[1])
        st.button(said, key="same-word-pair", type="tertiary", on_click=_put_example)
        return
    traces = _run(visit.host, key, (texts[0], typed))
    if traces is None:
        return
    one, other = (word_states(each) for each in traces)
    vectors = _vectors()
    words = shared_words(one.words, other.words)
    if not words:
        st.info(_("The two have no words in common: there is nothing to compare."))
        return
    labels = {word: one.words[one.place_of(word)] for word in words}
    word = choose_titled(SAME, {each: labels[each] for each in _rarest_first(words, vectors)})
    found = word_in_context(one, other, word)
    _figure(visit, found, one, other, vectors)
    _notes(found, traces, one, other, pair=texts[1])
    _show_static(word, vectors)
    _closest(found)


def _vectors() -> WordVectors:
    """Return the static vectors; none, after saying why, where their files are not whole."""
    try:
        return static_vectors()
    except models.InputError as error:
        st.warning(plain(say(error)))
        return NO_VECTORS


def _run(host: Host, key: str, texts: Sequence[str]) -> list[AttentionTrace] | None:
    """Run the model once on each, its states captured; None, after saying why, if it cannot read one."""
    model, traces = host.model(key), []
    try:
        for text in texts:
            fitting, left_out = model.fit(text)
            if left_out:
                st.info(_("The text compared with is longer than the model takes: its end is left out."))
            traces.append(host.attend(key, fitting, sites=state_sites(model)))
    except (models.InputError, CaptureError) as error:
        st.error(plain(say(error)), icon=":material/edit:")
        return None
    return traces


def _rarest_first(words: Sequence[str], vectors: WordVectors) -> list[str]:
    """Return the words as they are to be offered: those first that say most, which are the rarest."""
    return sorted(words, key=lambda word: -vectors.places.get(word, len(vectors.words)))


def _figure(
    visit: Visit[HeadsSettings], found: WordInContext, one: WordStates, other: WordStates, vectors: WordVectors
) -> None:
    known = found.word in vectors
    figure = word_across_layers(
        found,
        static=1.0 if known else math.nan,
        static_baseline=vectors.mean_cosine(one.words, other.words),
        width=min(visit.width, WIDEST),
    )
    says = _(
        "“{word}”: the cosine of its two vectors is {first} where they go into the first layer and {last} after the "
        "last; that of different words is {low} and {high}.",
        word=isolated(visible(found.word)),
        first=f"{found.cosines[0]:.2f}",
        last=f"{found.cosines[-1]:.2f}",
        low=f"{found.baseline[0]:.2f}",
        high=f"{found.baseline[-1]:.2f}",
    )
    show(Shown(figure, key="same-word", says=says, name=_("{word} in two sentences", word=found.word)), visit)


def _notes(
    found: WordInContext, traces: Sequence[AttentionTrace], one: WordStates, other: WordStates, *, pair: str | None
) -> None:
    """Say how the picture is to be read, and what is special about this model and these sentences."""
    said = [
        _(
            "Blue: the cosine between the two vectors of the word; orange: the mean over every two different words, "
            "one of each sentence. Vectors of a layer may all point much the same way, so that the distance between "
            "the two lines says more than a cosine alone (Ethayarajh 2019). Layer 0 is what goes into the first layer: "
            "the embedding, with that of the position where the model adds one to it; a word of several pieces is "
            "their mean; marks are left out. At the left: static vectors (skip-gram with negative sampling, Mikolov et "
            "al. 2013, trained here), one a word, so that their cosine is 1."
        )
    ]
    places = one.place_of(found.word), other.place_of(found.word)
    pieces = one.pieces[places[0]], other.pieces[places[1]]
    if [each.strip() for each in pieces[0]] != [each.strip() for each in pieces[1]]:
        said.append(
            _(
                "The model reads them as different pieces, {one} and {other}.",
                one=isolated(" ".join(map(visible, pieces[0]))),
                other=isolated(" ".join(map(visible, pieces[1]))),
            )
        )
    if any(each.causal for each in traces[0]):
        said.append(_("This model reads from left to right: a word's vectors know nothing of the words after it."))
    if any(list(map(bare, each.words)).count(found.word) > 1 for each in (one, other)):
        said.append(_("The word stands more than once in a sentence: its first place is taken."))
    if pair is not None:
        said.append(_("Each sentence is read by itself, without text B."))
    st.caption(plain(" ".join(said)))


def _show_static(word: str, vectors: WordVectors) -> None:
    """Name the words nearest to the static vector; say so if there is none."""
    if not vectors.words:
        return
    if word not in vectors:
        st.info(
            plain(
                _(
                    "“{word}” has no static vector: it is not among the {count:,} commonest words of the text that "
                    "these were trained on.",
                    word=isolated(visible(word)),
                    count=len(vectors.words),
                )
            )
        )
        return
    near = listed(
        [_("{word} {value}", word=each, value=f"{value:.2f}") for each, value in vectors.nearest(word, NEAREST)]
    )
    st.markdown(
        plain(
            _(
                "Nearest to the static vector of “{word}”, whatever the sentence: {near}.",
                word=isolated(visible(word)),
                near=near,
            )
        )
    )


def _closest(found: WordInContext) -> None:
    """Show, layer by layer, which other word of its own sentence each of the two is closest to."""
    first, second = found.closest
    if not first and not second:
        return
    names = _("the first"), _("the second")
    rows = []
    for layer in range(len(found.cosines)):
        row: dict[str, Any] = {_("layer"): layer}
        for name, each in zip(names, found.closest, strict=True):
            word, value = each[layer] if each else ("", math.nan)
            row[_("closest in {sentence}", sentence=name)] = visible(word)
            row[_("cosine, {sentence}", sentence=name)] = value
        rows.append(row)
    number = st.column_config.NumberColumn(format="%.2f")
    columns = {_("cosine, {sentence}", sentence=name): number for name in names}
    st.dataframe(rows, hide_index=True, height="content" if len(rows) <= 14 else 420, column_config=columns)
    st.caption(
        _("Of each sentence the other word whose vector has the largest cosine with this word's, layer by layer.")
    )


def _put_example() -> None:
    for box, text in zip((SENTENCE, OTHER), EXAMPLE, strict=True):
        put_text(box, text)
