"""Attention Bench: `streamlit run app.py`. How it is served, and its pages.

Imported, it is the server's application, whose every reply passes the guards; run, as Streamlit runs it for each
visitor, it shows the page that the link names.
"""

from pathlib import Path

import streamlit as st

from viz.server.connections import bound_connections
from viz.server.guard import guards
from viz.server.lifespan import lifespan
from viz.server.room_sockets import room_routes
from viz.server.scripts import script_routes
from viz.shell.late_requests import ignore_late_requests
from viz.shell.page_scripts import first_script, page_script
from viz.widgets.frame import show_app

PAGES = (
    "why",
    "bench",
    "steps",
    "heads",
    "surgery",
    "scenes",
    "training",
    "lessons",
)

if __name__ == "__main__":
    show_app(PAGES, first="bench", icon=Path(__file__).parent / "viz" / "icon.svg")
else:
    bound_connections()
    ignore_late_requests()
    routes = [*room_routes(), *script_routes()]
    shields = guards([page_script()], first=first_script())
    app = st.App(Path(__file__), routes=routes, middleware=shields, lifespan=lifespan)
