"""Attention Bench: `streamlit run app.py`. Its pages, nothing else."""

from pathlib import Path

from viz.widgets.frame import show_app

PAGES = (
    "bench",
    "heads",
    "steps",
    "surgery",
    "why",
)
show_app(PAGES, icon=Path(__file__).parent / "viz" / "icon.svg")
