"""The part of Why on path length: what lies between the words of the text in each encoder, computed on the networks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

import streamlit as st

import models
from models.experiments.path_lengths import Paths, by_distance
from models.translation.entry import Entry
from models.translation.words import split_words
from viz.figures.path_lengths import steps_and_gradients
from viz.server.inside import paths_of
from viz.server.runtime import Host
from viz.text.language import SEMICOLON, _, listed, say
from viz.text.markup import plain
from viz.widgets.chart import show_figure

MOST_WORDS = 24
"""Words of the beginning that is taken: the gradient of each state by each word is computed."""


def show_paths(
    host: Host, entries: Mapping[str, Entry], text: str, titles: Mapping[str, str], available: float
) -> None:
    """Show steps, gradients and operations of the chosen models with attention on the beginning of a text.

    Parameters
    ----------
    host : Host
    entries : mapping of str to Entry
        The chosen models that are there.
    text : str
    titles : mapping of str to str
        Of the models, by key.
    available : float
        Pixels that the page is wide.
    """
    st.header(_("Path length: how far a word is from the one that needs it"), anchor=False)
    attending = [key for key, each in entries.items() if each.mechanism.has_attention]
    words = split_words(text)
    beginning = "".join(words[:MOST_WORDS]).strip()
    if not attending:
        st.caption(_("Choose a model with attention: the others hand over no state for each word."))
        return
    paths = {}
    try:
        for key in attending:
            with suppress(KeyError):  # its encoder is none whose layers are known
                paths[key] = paths_of(host, key, beginning)
    except models.InputError as error:
        st.info(plain(say(error)), icon=":material/edit:")
        return
    if not paths:
        return
    show_figure(
        steps_and_gradients(paths, titles, width=available),
        key="paths",
        says=_says(paths, titles),
        name=_("{text} path length", text=beginning),
        available=available,
    )
    _explain(beginning, len(words), len(next(iter(paths.values())).steps))


def _says(paths: Mapping[str, Paths], titles: Mapping[str, str]) -> str:
    """Say what each encoder needs for the text."""
    parts = []
    for key, each in paths.items():
        sizes = by_distance(each.gradients)
        parts.append(
            _(
                "{title}: {steps} steps between the first token and the last, {turns} in turn, {products} million "
                "multiply-adds; the farthest gradient is {share} of a word's own",
                title=titles[key],
                steps=f"{each.steps[-1, 0]:.0f}".replace("inf", "∞"),
                turns=each.in_turn,
                products=f"{each.products / 1e6:,.1f}",
                share=f"{sizes[-1] / sizes[0]:.2g}",
            )
        )
    return listed(parts, SEMICOLON) + _(".")


def _explain(beginning: str, words: int, tokens: int) -> None:
    cut = ""
    if words > MOST_WORDS:
        cut = " " + _("Of the text its first {count} words: {words}", count=MOST_WORDS, words=beginning)
    st.caption(
        plain(
            _(
                "Above: the fewest layers and recurrent steps from the embedding of a token to the encoder's state of "
                "another. Below, on a scale of powers of ten: how much that state changes with the embedding, the size "
                "of its derivative, as a mean over all pairs so far apart; estimated with two random directions a "
                "state. Self-attention reads every token in each layer; a recurrent state hears of a distant one "
                "through all between. Sources: Hochreiter et al. 2001; Gehring et al. 2017; Vaswani et al. 2017, table "
                "1. {tokens} tokens, the end among them.",
                tokens=tokens,
            )
            + cut
        )
    )
