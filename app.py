"""Attention Bench: `streamlit run app.py`. Page configuration and navigation, nothing else."""

from pathlib import Path

import streamlit as st

from viz.pages.bench import page as bench
from viz.pages.heads import page as heads
from viz.pages.steps import page as steps
from viz.pages.surgery import page as surgery
from viz.pages.why import page as bottleneck
from viz.text.language import ENGLISH, _, use_language

use_language(ENGLISH)
st.set_page_config(
    page_title="Attention Bench", page_icon=str(Path(__file__).parent / "viz" / "icon.svg"), layout="wide"
)
pages = [
    st.Page(bench.page, title=_("Bench"), url_path="bench", default=True),
    st.Page(heads.page, title=_("Heads"), url_path="heads"),
    st.Page(steps.page, title=_("Steps"), url_path="steps"),
    st.Page(surgery.page, title=_("Surgery"), url_path="surgery"),
]
if bottleneck.is_measured():
    pages.append(st.Page(bottleneck.page, title=_("Why attention"), url_path="why"))
st.navigation(pages, position="top").run()
