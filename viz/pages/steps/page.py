"""The Steps: how a weight came to be, with the sentence's own numbers; the Lab; and Positions."""

from __future__ import annotations

import streamlit as st

from viz.pages.steps.lab import show_lab
from viz.pages.steps.positions import show_positions
from viz.pages.steps.walk import show_steps
from viz.text.language import ENGLISH, _, use_language
from viz.widgets.controls import segmented, show_unknown
from viz.widgets.language_pair import choose_pair
from viz.widgets.page_settings import keep_settings, restore_settings
from viz.widgets.sentence import KEY as SENTENCE
from viz.widgets.sentence import sentence_box
from viz.widgets.style import apply_style

STEPS, LAB, POSITIONS = "steps", "lab", "positions"
_STYLE = """
<style>
.steps-translation { margin: 0; overflow-wrap: anywhere; }
.steps-translation small { opacity: 0.75; }
.stMarkdown .katex-display { overflow: auto hidden; max-width: 100%; padding-block: 0.2rem; }
.st-key-steps-digits .katex, .st-key-lab-digits .katex { font-size: 1.02em; }
</style>
"""


def page() -> None:
    """Show the page."""
    use_language(ENGLISH)
    apply_style()
    st.html(_STYLE)
    _steps()


@st.fragment
def _steps() -> None:
    """Read the choices and show the part of the page that is chosen: reruns alone while somebody types."""
    use_language(ENGLISH)
    turned = restore_settings(bound=(SENTENCE,))
    pair = choose_pair(turned=turned)
    sentence = sentence_box(pair=pair)
    messages = st.container()
    parts = {STEPS: _("Steps"), LAB: _("Lab"), POSITIONS: _("Positions")}
    part = segmented("show", parts, title=_("What is shown"))
    if part == LAB:
        st.caption(_("The lab works on the numbers below, not on the sentence."))
        show_lab(messages)
    elif part == POSITIONS:
        show_positions(sentence, pair, messages)
    else:
        show_steps(sentence, pair, messages)
    show_unknown(messages, sentence=sentence)
    keep_settings(bound=(SENTENCE,))
