"""Attention Bench: `streamlit run app.py`. How it is served; what it shows is listed in `pages.py`."""

from pathlib import Path

import streamlit as st

from viz.server.guard import guards
from viz.widgets.style import history_script

app = st.App(Path(__file__).with_name("pages.py"), middleware=guards([history_script()]))
