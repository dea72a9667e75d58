"""A parameter of the link to which a text box is bound: Streamlit lets nobody else write it.

Until Streamlit takes the value and passes it on to the box; the error is public, when it is raised is not.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from contextlib import suppress

from streamlit.errors import StreamlitAPIException


def put_unless_bound(link: MutableMapping[str, str], name: str, value: str) -> None:
    """Put a value into the link, where no box is bound to it."""
    with suppress(StreamlitAPIException):
        link[name] = value
