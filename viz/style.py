"""The style of the pages: sizes that Streamlit's theme has no setting for, and text that is no markup."""

from __future__ import annotations

import string

import streamlit as st

_MARKDOWN = str.maketrans({character: f"\\{character}" for character in string.punctuation})

_STYLE = """
<style>
[data-testid="stMainBlockContainer"] { padding-inline: clamp(0.75rem, 3vw, 3rem); }
.st-key-sentence input { font-size: 1.35rem; padding-block: 0.7rem; }
.st-key-sentence [data-testid="stTextInputRootElement"] { height: auto; }
.bench-name { font-size: 1.15rem; font-weight: 600; margin: 0; padding: 0; }
.bench-year { font-weight: 400; opacity: 0.75; }
.bench-translation { font-size: 1.25rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }
.stMarkdown:has(.katex-display) { min-height: 3.4rem; display: flex; align-items: center; justify-content: center; }
.stMarkdown:has(.katex-display) [data-testid="stMarkdownContainer"] { margin: 0; }
.stMarkdown .katex-display { margin: 0; }
.st-key-figure { overflow-x: auto; }
.st-key-figure .stElementContainer, .st-key-figure .stPlotlyChart { max-width: none; flex-shrink: 0; }
.stPlotlyChart .main-svg > g:not(.hoverlayer) text { fill: currentColor !important; }
</style>
"""


def apply_style() -> None:
    """Put the style sheet on the page."""
    st.html(_STYLE)


def plain(text: str) -> str:
    r"""Give `text` such that Streamlit's Markdown shows it as it is: a visitor's text is never markup.

    Examples
    --------
    >>> plain("*a*")
    '\\*a\\*'
    """
    return text.translate(_MARKDOWN)
