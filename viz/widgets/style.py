"""The style of the pages: sizes that Streamlit's theme has no setting for, and text that is no markup."""

from __future__ import annotations

from html import escape

import streamlit as st

from viz.text.language import _

_STYLE = """
<style>
[data-testid="stMainBlockContainer"] { padding-inline: clamp(0.75rem, 3vw, 3rem); }
.bench-title { position: fixed; top: 0.55rem; right: 3.5rem; z-index: 1000000; font-size: 1.05rem; padding: 0; }
[class*="st-key-card-"] { container-type: inline-size; }
[class*="st-key-card-"] .katex-display > .katex { font-size: clamp(0.72rem, 5.4cqw, 1.2rem); }
.bench-vector { border-radius: 0.4em; padding: 0.35em 0.7em; text-align: center; font-size: 0.95rem;
  background: linear-gradient(90deg, #2280aa1f, #2280aa80 45% 55%, #2280aa1f); }
@media (min-width: 700px) { .bench-title { right: 9rem; } }
.stElementContainer:has(.bench-title) { position: absolute; }
.stMain .stVerticalBlock { gap: 0.6rem; }
.st-key-sentence input { font-size: 1.35rem; padding-block: 0.55rem; }
.st-key-sentence [data-testid="stTextInputRootElement"] { height: auto; }
.bench-name { font-size: 1.15rem; font-weight: 600; margin: 0; padding: 0; }
.bench-year { font-weight: 400; opacity: 0.75; }
.bench-translation { font-size: 1.25rem; line-height: 1.45; margin: 0; overflow-wrap: anywhere;
  max-height: 10.2em; overflow-y: auto; }
.stMarkdown:has(.katex-display) { min-height: 2.9rem; display: flex; align-items: center; justify-content: center; }
.stMarkdown:has(.katex-display) [data-testid="stMarkdownContainer"] { margin: 0; }
.stMarkdown .katex-display { margin: 0; }
.bench-translation span { border-radius: 0.2em; padding-block: 0.08em; }
.surgery-text { font-size: 1.2rem; line-height: 1.6; margin: 0; overflow-wrap: anywhere; }
.surgery-text span { border-radius: 0.2em; padding-block: 0.08em; }
.surgery-text ins { text-decoration: underline; text-decoration-thickness: 0.14em; font-weight: 600; }
.surgery-text del { opacity: 0.75; }
.noted:focus::after { content: attr(title); position: absolute; z-index: 10; max-width: 15rem; margin: 1.7em 0 0 -2em;
  padding: 0.3em 0.6em; border-radius: 0.3em; background: #222; color: #fff; font-size: 0.9rem;
  line-height: 1.3; text-decoration: none; }
[class*="st-key-figure"] { overflow-x: auto; }
[class*="st-key-figure"] :is(.stElementContainer, .stPlotlyChart) { max-width: none; flex-shrink: 0; }
.stPlotlyChart .main-svg { background: transparent !important; }
.stPlotlyChart .main-svg > g:not(.hoverlayer) text:not(.heatmap-label *) { fill: currentColor !important; }
</style>
"""


def apply_style() -> None:
    """Put the style sheet on the page, and the name of the app into its header."""
    st.html(f'{_STYLE}<h1 class="bench-title">{escape(_("Attention Bench"))}</h1>')
