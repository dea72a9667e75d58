"""Path lengths on the Why page, computed on the encoders for the words of the text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

import streamlit as st

import models
from models.experiments.path_lengths import MOST, Paths, by_distance
from models.translation.entry import Entry
from models.translation.words import split_words
from viz.figures.path_lengths import steps_and_gradients
from viz.server.introspection import paths_of
from viz.server.runtime import Host
from viz.text.language import SEMICOLON, _, _n, listed, say
from viz.text.markup import plain
from viz.widgets.show import show
from viz.widgets.shown import Shown
from viz.widgets.visit import Visit, Wanted

MOST_WORDS = 24
"""Words of the beginning that is taken; fewer where they have more than `MOST` tokens in a model."""


def show_paths(
    visit: Visit[Wanted], entries: Mapping[str, Entry], text: str, titles: Mapping[str, str]
) -> Mapping[str, Paths]:
    """Show steps, gradients and operations of the chosen models with attention on the beginning of a text.

    Return them by model; none where nothing is shown.
    """
    st.header(_("Path length: how far a word is from the one that needs it"), anchor=False)
    attending = [key for key, each in entries.items() if each.mechanism.has_attention]
    if not attending:
        st.caption(_("Choose a model with attention. The others pass on no state for each word."))
        return {}
    words = split_words(text)
    paths = {}
    try:
        shown = _fitting(visit.host, attending, words[:MOST_WORDS])
        beginning = "".join(words[:shown]).strip()
        for key in attending:
            with suppress(KeyError):  # its encoder is none whose layers are known
                paths[key] = paths_of(visit.host, key, beginning)
    except models.InputError as error:
        st.info(plain(say(error)), icon=":material/edit:")
        return {}
    if not paths:
        return {}
    picture = Shown(
        steps_and_gradients(paths, titles, width=visit.width),
        key="paths",
        says=_says(paths, titles),
        name=_("{text} path length", text=beginning),
    )
    show(picture, visit)
    cut = _cut(beginning, shown) if shown < len(words) else ""
    _explain(sorted({len(each.steps) for each in paths.values()}), cut)
    return paths


def _fitting(host: Host, keys: Sequence[str], words: Sequence[str]) -> int:
    """Return how many words have `MOST` tokens at most in every model; at least one, whatever it has."""
    for key in keys:
        places = host.attend(key, "".join(words).strip()).source.words
        if len(places) > MOST:  # the end is a token, too
            words = words[: max(places[MOST - 1], 1)]
    return len(words)


def _cut(beginning: str, shown: int) -> str:
    """Say how much of a text is shown."""
    if shown == MOST_WORDS:
        return " " + _("First {count} words of the text: {words}", count=shown, words=beginning)
    return " " + _n(
        "First {count} word of the text (at most {most} tokens): {words}",
        "First {count} words of the text (at most {most} tokens): {words}",
        shown,
        most=MOST,
        words=beginning,
    )


def _says(paths: Mapping[str, Paths], titles: Mapping[str, str]) -> str:
    """Say what each encoder needs for the text."""
    parts = []
    for key, each in paths.items():
        sizes = by_distance(each.gradients)
        parts.append(
            _(
                "{title}: {steps} steps between the first token and the last, {turns} sequential steps in all, "
                "{products} million multiply-adds; the gradient between the two farthest words is {share} of a "
                "word's own",
                title=titles[key],
                steps=f"{each.steps[-1, 0]:.0f}".replace("inf", "∞"),
                turns=each.in_turn,
                products=f"{each.products / 1e6:,.1f}",
                share=f"{sizes[-1] / sizes[0]:.2g}",
            )
        )
    return listed(parts, SEMICOLON) + _(".")


def _explain(tokens: Sequence[int], cut: str) -> None:
    st.caption(
        plain(
            _(
                "Above: the fewest layers and recurrent steps from a token's embedding to the encoder state of "
                "another. Below, on a log scale: how much that state changes with the embedding (size of the "
                "derivative). It is a mean over all pairs that far apart, estimated with two random directions per "
                "state. In self-attention every token attends to every token in each layer. In a recurrent encoder "
                "a distant token acts only through all states between. Sources: Hochreiter et al. 2001; Gehring et "
                "al. 2017; Vaswani et al. 2017, table 1. {tokens} tokens, including the end.",
                tokens="\u2013".join(map(str, tokens)),
            )
            + cut
        )
    )
