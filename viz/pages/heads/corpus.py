"""Picked heads over a corpus, beside this sentence."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from models.corpus.kept import Example, Kept, KeptHead, find
from models.measures.labels import NONE
from viz.captions.corpus import corpus_breadth, corpus_labels
from viz.captions.measures import remark_of
from viz.measures.head_profile import Profile
from viz.pages.heads.shown import HeadSelection
from viz.server.configuration import configuration
from viz.text.language import _, _n
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.views.heads import HeadPlace
from viz.widgets.sentence import SENTENCE
from viz.widgets.settings import put_text

EXAMPLES = 3
LONGEST = 70  # characters of an example on its button


def show_corpus(shown: HeadSelection, sha256: str, picked: Sequence[HeadPlace]) -> None:
    """Show, for each picked head, its labels over a corpus and the sentences on which it fires most.

    Nothing where no corpus was run for this model, or the text is long.
    """
    kept = None if shown.has_long_text else find(sha256, configuration().corpora)
    if kept is None or not picked:
        return
    site = shown.first.shown.site
    kind = f"{site.stack}.{site.kind}"
    profiles = {each.place: each for each in shown.profiles()}
    with st.container(key="over-the-corpus", gap="small"):
        for place in picked:
            head = kept.heads.get((kind, place.layer, place.head))
            if head is not None and place in profiles:
                _head(place, head, profiles[place], shown.unit == "word")
        st.caption(plain(_source(kept)))


def _head(place: HeadPlace, kept: KeptHead, profile: Profile, in_words: bool) -> None:
    """Say what one head does here and over the corpus, with its examples."""
    here = remark_of(profile.label, profile.sink)
    parts = [corpus_labels(kept)]
    if in_words:  # what is measured in pieces does not compare
        parts += [corpus_breadth(kept, profile.values["breadth"])]
    said = _("on this sentence: {here}; over the corpus: {there}", here=here, there=" · ".join(filter(None, parts)))
    st.caption(f"**{plain(place.title)}**: {plain(said)}")
    strongest = _strongest(kept)
    if not strongest:
        return
    with st.popover(_("Sentences where it does this most"), key=f"corpus-{place.code}", type="tertiary"):
        for number, each in enumerate(strongest):
            st.button(
                plain(shorten(each.source, LONGEST)),
                key=f"corpus-{place.code}-{number}",
                help=plain(_pair(each)),
                on_click=put_text,
                args=(SENTENCE, each.source),
                type="tertiary",
            )


def _pair(example: Example) -> str:
    """Say which word of an example reads which, and how much."""
    weight = f"{example.weight:.2f}"
    return _("{query} attends to {key}: {weight}", query=example.query, key=example.key, weight=weight)


def _strongest(kept: KeptHead) -> tuple[Example, ...]:
    """Return the examples of the label that the head has most often, of those that have any and name something."""
    named = (label for label, _share in kept.labels if label != NONE)
    found = next((kept.examples[label] for label in named if label in kept.examples), ())
    return found[:EXAMPLES]


def _source(kept: Kept) -> str:
    """Say what the corpus is."""
    corpus = kept.card["corpus"]
    said = _n(
        "Corpus: {count:,} sentence, measured in words ({name}). In each quoted sentence the head shows its usual "
        "pattern most clearly. Press one to load it here.",
        "Corpus: {count:,} sentences, measured in words ({name}). In each quoted sentence the head shows its usual "
        "pattern most clearly. Press one to load it here.",
        kept.sentences,
        name=corpus["name"],
    )
    if "examples" in kept.card:
        said += " " + _("The quoted sentences are our own. The corpus text is not included.")
    return f"{said} {corpus['credit']}".strip()
