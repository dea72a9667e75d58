"""Warnings about sentences that translators read badly: other scripts, capitals."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from models.trace import AttentionTrace
from models.translation.entry import LANGUAGES as NAMES
from models.translation.latin import latin_language
from models.translation.scripts import suggested_language, without_capitals
from models.translation.words import normalise
from viz.text.language import _, mark
from viz.text.markup import plain
from viz.text.tokens import shorten
from viz.widgets import session
from viz.widgets.language_pair import installed_pairs, switch_to
from viz.widgets.sentence import languages_of

_LONGEST_NAMED = 60
_ANYWAY = "unreadable-anyway"
_OTHERS = {
    "de": mark("German"),
    "es": mark("Spanish"),
    "it": mark("Italian"),
    "pt": mark("Portuguese"),
    "nl": mark("Dutch"),
}
_NAMED = {**NAMES, **_OTHERS}


Switch = Callable[[str], None] | None


class UnreadableError(Exception):
    """A sentence in a script that the models cannot read: there is nothing to show of it."""


def suit(sentence: str, pair: str, place: DeltaGenerator, switch: Switch = switch_to) -> str:
    """Return `sentence` as the models of `pair` should read it, and say what was changed or will not be understood."""
    _look_at_language(sentence, pair, place, switch)
    small = without_capitals(sentence)
    if small != sentence:
        said = _(
            "All in capitals, which the models have hardly seen. Processed as “{text}”",
            text=shorten(small, _LONGEST_NAMED),
        )
        place.caption(plain(said))
    return small


def reads_script(sentence: str, pair: str) -> bool:
    """Return whether the models of `pair` read the script of a sentence, as far as that is known."""
    return suggested_language(sentence) in (None, "zh" if pair.startswith("zh-") else "en")


def say_small(typed: str, traces: Sequence[AttentionTrace], place: DeltaGenerator) -> None:
    """Name the words of a sentence that models read in lower case, because they are all in capitals."""
    found = [zip(normalise(typed).split(), trace.source_text.split(), strict=False) for trace in traces]
    words = dict.fromkeys(word for pairs in found for word, read in pairs if word != read)
    if words:
        named = shorten(" ".join(words), _LONGEST_NAMED)
        place.caption(
            plain(_("Processed in lower case, because the models have hardly seen capitals: {words}", words=named))
        )


def _look_at_language(sentence: str, pair: str, place: DeltaGenerator, switch: Switch) -> None:
    """Say that a sentence is in another language than the one that is read, and stop before one in another script."""
    script, reads = suggested_language(sentence), pair.split("-")[0]
    is_readable = reads_script(sentence, pair)
    language = latin_language(sentence) if script == "en" else script
    if script is None or language == reads or (is_readable and language is None):
        return
    is_shown = is_readable or session.recall(_ANYWAY) == (script, pair)
    source, code = languages_of(pair)["source"], language or "en"
    if script == "other":
        said = _("These models were trained only on {source}. They cannot process this script.", source=source)
    elif language == "other":
        said = _("This does not look like {source}, the only language these models know.", source=source)
    else:
        said = _(
            "This looks like {language}, but these models know only {source}.", language=_(_NAMED[code]), source=source
        )
    with place, st.container(horizontal=True, vertical_alignment="center", key="unsuited"):
        st.warning(plain(said), icon=":material/translate:")
        other = next((each for each in installed_pairs() if each.split("-")[0] == code), None)
        if other and switch:
            label = _("Switch to {source} to {target}", **languages_of(other))
            st.button(label, key="switch-pair", on_click=switch, args=(other,))
        if not is_shown:
            st.button(_("Show anyway"), key="show-anyway", on_click=session.keep, args=(_ANYWAY, (script, pair)))
    if not is_shown:
        raise UnreadableError
