"""A sentence that translators read badly: in another script, or with capitals, which are read in lower case."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.trace import AttentionTrace
from models.translation.entry import LANGUAGES as NAMES
from models.translation.scripts import suggested_language, without_capitals
from models.translation.words import normalise
from viz.text.language import _
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.widgets.language_pair import installed_pairs, switch_to
from viz.widgets.sentence import languages_of

_LONGEST_NAMED = 60


def suit(sentence: str, pair: str, place: DeltaGenerator) -> str:
    """Return `sentence` as the models of `pair` should read it, and say what was changed or will not be understood.

    Parameters
    ----------
    sentence : str
        As it was typed.
    pair : str
        Such as ``en-fr``.
    place : DeltaGenerator
        Where it is said. Where there are models for the language that the text seems to be in, a button turns to them.

    Returns
    -------
    str
        A sentence all in capitals in lower case; any other as it is.
    """
    _say_language(suggested_language(sentence), pair, place)
    small = without_capitals(sentence)
    if small != sentence:
        said = _(
            "All in capitals, which the models have hardly seen: read as “{text}”", text=shorten(small, _LONGEST_NAMED)
        )
        place.caption(plain(said))
    return small


def say_small(typed: str, traces: Sequence[AttentionTrace], place: DeltaGenerator) -> None:
    """Name the words of a sentence that models read in lower case, because they are all in capitals.

    Parameters
    ----------
    typed : str
        What was given to the models.
    traces : sequence of AttentionTrace
        What they made of it.
    place : DeltaGenerator
        Where it is said.
    """
    found = [zip(normalise(typed).split(), trace.source_text.split(), strict=False) for trace in traces]
    words = dict.fromkeys(word for pairs in found for word, read in pairs if word != read)
    if words:
        named = shorten(" ".join(words), _LONGEST_NAMED)
        place.caption(plain(_("Read in lower case, for the models have hardly seen capitals: {words}", words=named)))


def _say_language(language: str | None, pair: str, place: DeltaGenerator) -> None:
    reads = pair.split("-")[0]
    if language in (None, reads):
        return
    source = languages_of(pair)["source"]
    other = next((each for each in installed_pairs() if each.split("-")[0] == language), None)
    if language not in NAMES or other is None:
        place.warning(
            plain(_("These models were trained on {source} alone: they cannot read this script.", source=source)),
            icon=":material/translate:",
        )
        return
    with place, st.container(horizontal=True, vertical_alignment="center", key="unsuited"):
        st.warning(
            plain(
                _("This looks like {language}; these models read {source}.", language=_(NAMES[language]), source=source)
            ),
            icon=":material/translate:",
        )
        label = _("Switch to {source} to {target}", **languages_of(other))
        st.button(label, key="switch-pair", on_click=switch_to, args=(other,))
