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
        st.info(
            _("This works for models that read one text, and for the encoder of our Transformers. Choose one above.")
        )
        return
    typed = text_box(OTHER, _("Second sentence, sharing a word with the first"), placeholder=EXAMPLE[1])
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
        st.info(_("The two have no words in common, so there is nothing to compare."))
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
                st.info(_("The text for comparison is longer than the model accepts. Its end is left out."))
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
        "“{word}”: the cosine of its two vectors is {first} at the input of the first layer and {last} after the "
        "last. For different words it is {low} and {high}.",
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
            "Blue: the cosine between the two vectors of the word. Orange: the mean cosine between different "
            "words, one from each sentence. All vectors of a layer may point in similar directions. The gap "
            "between the lines therefore says more than one cosine alone (Ethayarajh 2019). Layer 0 is the input "
            "of the first layer: the embedding, plus the position embedding if the model adds one. A word of "
            "several subwords is their mean. Punctuation is left out. Left: static vectors (skip-gram with "
            "negative sampling, Mikolov et al. 2013, trained here). Each word has only one, so its cosine is 1."
        )
    ]
    places = one.place_of(found.word), other.place_of(found.word)
    pieces = one.pieces[places[0]], other.pieces[places[1]]
    if [each.strip() for each in pieces[0]] != [each.strip() for each in pieces[1]]:
        said.append(
            _(
                "The model splits the word into different subwords: {one} and {other}.",
                one=isolated(" ".join(map(visible, pieces[0]))),
                other=isolated(" ".join(map(visible, pieces[1]))),
            )
        )
    if any(each.causal for each in traces[0]):
        said.append(_("This model reads from left to right: a word's vectors contain nothing of the words after it."))
    if any(list(map(bare, each.words)).count(found.word) > 1 for each in (one, other)):
        said.append(_("The word occurs more than once in a sentence. Its first occurrence is used."))
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
                    "No static vector for “{word}”: only the {count:,} most common training words have one.",
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
                "Words nearest to the static vector of “{word}”, in any sentence: {near}.",
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
        _("Layer by layer: in each sentence, the other word whose vector has the largest cosine with this word's.")
    )


def _put_example() -> None:
    for box, text in zip((SENTENCE, OTHER), EXAMPLE, strict=True):
        put_text(box, text)
