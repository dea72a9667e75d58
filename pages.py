"""The pages of Attention Bench, in the order in which they stand in the navigation; `app.py` serves them."""

from pathlib import Path

from viz.widgets.frame import show_app

PAGES = (
    "why",
    "bench",
    "steps",
    "heads",
    "surgery",
    "lessons",
)
show_app(PAGES, first="bench", icon=Path(__file__).parent / "viz" / "icon.svg")
