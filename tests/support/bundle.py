"""What the installed Streamlit sends to a browser: its page, and its scripts as one text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit

STATIC = Path(streamlit.__file__).parent / "static"


@cache
def bundle() -> str:
    """Return all scripts of the installed Streamlit."""
    scripts = sorted(STATIC.rglob("*.js"))
    assert scripts
    return "\n".join(each.read_text(encoding="utf8") for each in scripts)
