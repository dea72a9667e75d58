"""Streamlit's loggers for what a browser sends; a bound on its log in Streamlit's settings would replace them."""

from __future__ import annotations

OF_VISITORS = (
    "streamlit.web.server.starlette.starlette_websocket",
    "streamlit.runtime.app_session",
    "streamlit.runtime.runtime",
)
