"""Streamlit still answers under the paths that the server closes or bounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.web.server import starlette

from viz.shell import addresses

SERVER = "".join(each.read_text(encoding="utf8") for each in Path(starlette.__file__).parent.glob("*.py"))


def test_uploads_come_under_the_path_that_is_bounded() -> None:
    assert f"{addresses.UPLOADS}{{session_id}}/{{file_id}}" in SERVER


@pytest.mark.parametrize("path", [addresses.METRICS, addresses.AGENT])
def test_what_is_closed_is_where_it_was(path: str) -> None:
    base, _slash, name = path.strip("/").partition("/")
    assert f'BASE_ROUTE_CORE: Final = "{base}"' in SERVER
    assert f"{base}/{name}" in SERVER or f'BASE_ROUTE_CORE}}/{name}"' in SERVER
