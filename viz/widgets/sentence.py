"""Sentence box shared by all pages, with examples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.huggingface.reader_entries import READER_ENTRIES
from models.keys import is_pretrained
from models.trace import AttentionTrace, TokenSequence
from models.translation.entry import LANGUAGES
from models.translation.examples import EXAMPLES, SIGHTS
from viz.text.language import _, _n, listed
from viz.text.markup import plain
from viz.text.tokens import shorten, visible
from viz.widgets.session import reported
from viz.widgets.settings import TextSetting, put_text, text_box, typed_text

SENTENCE = TextSetting("sentence", travels=True)
"""The sentence, as the link calls it on every page."""

USUAL = "en-fr"
"""The pair whose examples are shown where none is said."""

MOST_NAMED = 8  # words that a message lists
_BYTE = "\\x"  # how a piece is shown that ends inside a character


def first_of(pair: str) -> str:
    """Return what stands in the box of a visitor who brings nothing."""
    return next(iter(examples_of(pair).values()))


def examples_of(pair: str) -> Mapping[str, str]:
    """Return the examples of a pair; a pair without any of its own has those of `USUAL`."""
    return EXAMPLES.get(pair, EXAMPLES[USUAL])


def offered(pair: str) -> Mapping[str, str]:
    """Return what the menu of examples offers: the sentences on which models part, then the others."""
    return {name: each.sentence for name, each in SIGHTS.get(pair, {}).items()} | dict(examples_of(pair))


def where_to_look(pair: str, sentence: str) -> str:
    """Say where to look while one of the sentences on which models part is in the box; nothing of others."""
    return next((_(each.look) for each in SIGHTS.get(pair, {}).values() if each.sentence == sentence.strip()), "")


def change_examples(before: str, pair: str) -> None:
    """Put the first example of `pair` into the box if one of `before` stands in it; before the box is shown."""
    if typed_text(SENTENCE, first_of(before)) in offered(before).values():
        put_text(SENTENCE, first_of(pair))


def sentence_box(label: str | None = None, *, pair: str = USUAL, first: str | None = None) -> str:
    """Show the box to type a sentence in, with its examples behind a button, and return what stands in it.

    Both go into the row where this is called.

    The text is given as it was typed: it may be empty or longer than a model takes.
    """
    said, examples = label or says_of(pair), offered(pair)
    sentence = text_box(SENTENCE, said, default=first or first_of(pair), placeholder=said, labelled="collapsed")
    st.menu_button(
        _("Examples"),
        tuple(examples),
        format_func=lambda name: f"{_(name)}: {examples[name]}",
        key="examples",
        on_click=_put_example,
        args=(examples,),
    )
    return sentence


def languages_of(pair: str) -> dict[str, str]:
    """Return the names of the languages that are read and written: ``source``, ``target``."""
    source, target = pair.split("-")
    return {"source": _(LANGUAGES[source]), "target": _(LANGUAGES[target])}


def says_of(pair: str) -> str:
    """Say what becomes of the sentence."""
    return _(
        "Type a sentence in {source}. Models translate it to {target} and show the attention of every word.",
        **languages_of(pair),
    )


def say_cut(traces: Sequence[AttentionTrace], place: DeltaGenerator) -> None:
    """Name the words of the source that are cut inside a character, and read in bytes there, and by whom if not by all.

    Of a character at the very beginning the white space before it, which is a part of its first piece, may be the
    reason; any other has no piece of its own.
    """
    cut = {trace.provenance.title: _cut_words(trace.source) for trace in traces}
    words = tuple(dict.fromkeys(word for found in cut.values() for word in found))
    if not words:
        return
    named = " ".join(shorten(visible(each)) for each in words[:MOST_NAMED])
    if len(traces) == 1:
        said = (
            _(
                "This model has no subword for this. It processes its bytes, about which it learnt little: {words}",
                words=named,
            )
            if _is_ours(traces[0])
            else _("This model has no subword for this. It processes its bytes: {words}", words=named)
        )
    elif len(set(cut.values())) == 1:
        said = _(
            "These models have no subword for this. They process its bytes, about which they learnt little: {words}",
            words=named,
        )
    else:
        titles = listed(_(title) for title, found in cut.items() if found)
        said = _(
            "No subword for this. It is processed as bytes, about which the models learnt little: {words} ({models})",
            words=named,
            models=titles,
        )
    if len(words) > MOST_NAMED:
        said += _n(" and {count} more", " and {count} more", len(words) - MOST_NAMED)
    place.caption(plain(said))


def _is_ours(trace: AttentionTrace) -> bool:
    """Return whether the model was trained here, on text with few characters that are cut into bytes."""
    return not is_pretrained(trace.provenance.checkpoint) or trace.provenance.checkpoint in READER_ENTRIES


def _cut_words(source: TokenSequence) -> tuple[str, ...]:
    inside = {word for word, text in zip(source.words, source.texts, strict=True) if _BYTE in text}
    return tuple(source.word_texts[word] for word in sorted(inside) if _BYTE not in source.word_texts[word])


def _put_example(examples: Mapping[str, str]) -> None:
    chosen = reported("examples")
    if chosen is not None:
        put_text(SENTENCE, examples[str(chosen)])
