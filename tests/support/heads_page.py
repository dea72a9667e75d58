"""The Heads page as tests open it, and what it shows."""

from __future__ import annotations

from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest

from models.trace import AttentionTrace
from tests.support import payloads
from viz.server.runtime import shared_host

MINILM = "hf:minilm"
TEXT = "The cat drank the milk because it was hungry."
PATIENCE = 200  # seconds: the first run loads the model


def script() -> None:
    from viz.pages.heads.page import PAGE

    PAGE.show()


def opened(**link: str) -> AppTest:
    app = AppTest.from_function(script, default_timeout=PATIENCE)
    for fold in ("after-every-token", "likeliest-words"):
        app.session_state[fold] = True
    for key, value in {"sentence": TEXT, **link}.items():
        app.query_params[key] = value
    return fine(app.run())


def fine(app: AppTest) -> AppTest:
    assert not app.exception
    return app


def overview(app: AppTest) -> tuple[dict[str, Any], np.ndarray]:
    """Return header and weights, [head, row, column], of the canvas of all heads."""
    header, cells = payloads.overview(app)
    return header, (cells / 255) ** 2


def words(app: AppTest) -> str:
    """Return what the page says in plain words."""
    texts = [each.value for kind in ("caption", "info", "warning", "error", "markdown") for each in getattr(app, kind)]
    return " ".join([*texts, *(each.proto.body for each in app.get("html"))]).replace("\\", "")


def parameter(app: AppTest, key: str) -> str | None:
    values = app.query_params.get(key)
    return None if values is None else values[0] if isinstance(values, list) else values


def trace_of(key: str, text: str = TEXT, pair: str | None = None) -> AttentionTrace:
    return shared_host().attend(key, text, pair=pair)
