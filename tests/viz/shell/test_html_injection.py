"""Streamlit's page is one that a script can be put into, before every script of its own."""

from __future__ import annotations

import re

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from viz.shell.html_injection import FIRST_PAGE, HEAD, FirstPage, inline_scripts

PAGE = FIRST_PAGE.read_text(encoding="utf8")


def test_the_installed_page_begins_with_the_script() -> None:
    assert PAGE.count(HEAD.decode()) == 1
    routes = [Route("/", lambda _request: HTMLResponse(PAGE))]
    answer = TestClient(Starlette(routes=routes, middleware=[Middleware(FirstPage, "zero();")])).get("/").text
    assert answer == PAGE.replace("<head>", "<head><script>zero();</script>")
    assert answer.index("<script") == answer.index("<script>zero();")


def test_every_script_in_the_installed_page_is_found_for_the_policy() -> None:
    own = [tag for tag in re.findall(r"<script[^>]*>", PAGE) if " src=" not in tag]
    assert inline_scripts(PAGE)
    assert own == ["<script>"] * len(inline_scripts(PAGE))
