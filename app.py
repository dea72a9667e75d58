"""Attention Bench: `streamlit run app.py`. Its pages, nothing else."""

from pathlib import Path

from viz.widgets.frame import show_app

PAGES = (
    "why",
    "bench",
    "steps",
    "heads",
    "surgery",
)
show_app(PAGES, first="bench", icon=Path(__file__).parent / "viz" / "icon.svg")
