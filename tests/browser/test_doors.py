"""Every door: whatever page a visit begins at, its page arrives whole."""

from __future__ import annotations

import gzip
import zlib
from base64 import b64encode
from hashlib import sha256
from http.client import HTTPConnection
from importlib import import_module
from urllib.parse import urlsplit

import brotli
import pytest

from app import PAGES
from viz.server.guard import FIRST_PAGE, inline_scripts
from viz.widgets.style import first_script, page_script

ADDRESSES = tuple(import_module(f"viz.pages.{folder}.page").PAGE.address for folder in PAGES)
PATHS = ("", "start", *ADDRESSES, "heads.", "a/heads", "no-page", "no.page")
VISITS = {
    "first": {},
    "again": {"If-None-Match": "*", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"},
    "in part": {"Range": "bytes=0-99"},
}
DECODED = {None: bytes, "identity": bytes, "gzip": gzip.decompress, "br": brotli.decompress, "deflate": zlib.decompress}


@pytest.mark.parametrize("visit", VISITS)
@pytest.mark.parametrize("encoding", ["gzip", "br", "identity", "gzip, deflate, br, zstd", None])
@pytest.mark.parametrize("path", PATHS)
def test_a_page_brings_the_first_script_and_the_policy_that_allows_it(
    address: str, path: str, encoding: str | None, visit: str
) -> None:
    line = HTTPConnection(urlsplit(address).netloc, timeout=60)
    line.request("GET", f"/{path}", headers=VISITS[visit] | ({"Accept-Encoding": encoding} if encoding else {}))
    answer = line.getresponse()
    page = DECODED[answer.headers["Content-Encoding"]](answer.read()).decode()
    line.close()
    assert answer.status == 200
    assert page.count(f"<head><script>{first_script()}</script>") == 1
    assert page.replace(f"<script>{first_script()}</script>", "", 1) == FIRST_PAGE.read_text(encoding="utf8")
    allowed = answer.headers["Content-Security-Policy"].partition("script-src")[2].partition(";")[0].split()
    for script in (*inline_scripts(page), page_script()):
        assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in allowed
