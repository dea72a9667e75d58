"""What Streamlit's client is made of goes over the line compressed, all of it, and is compressed once."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient
from streamlit import file_util

from viz.server import compressed
from viz.server.compressed import TEXTS, Compressed

CLIENT = Path(file_util.get_static_dir())
FILES = sorted(file.relative_to(CLIENT).as_posix() for file in CLIENT.rglob("*") if file.suffix in TEXTS)


@pytest.fixture(scope="module")
def client() -> TestClient:
    folder = StaticFiles(directory=CLIENT)
    return TestClient(Compressed(Starlette(routes=[Mount("/static", folder), Mount("/school/static", folder)])))


def test_each_file_is_the_same_and_small(client: TestClient) -> None:
    assert len(FILES) > 100
    for name in FILES:
        answer = client.get(f"/static/{name}")
        assert (answer.status_code, answer.headers["content-encoding"]) == (200, "gzip")
        assert answer.content == (CLIENT / name).read_bytes()
        assert int(answer.headers["content-length"]) < max(200, len(answer.content))


def test_a_file_is_compressed_once_whatever_its_path(monkeypatch: pytest.MonkeyPatch) -> None:
    folder, calls, made = StaticFiles(directory=CLIENT), [], gzip.compress
    monkeypatch.setattr(compressed.gzip, "compress", lambda text: calls.append(1) or made(text))
    visitor = TestClient(Compressed(Starlette(routes=[Mount("/{any}/static", folder)])))
    assert [visitor.get(f"/{each}/static/{FILES[0]}").status_code for each in "abc"] == [200, 200, 200]
    assert calls == [1]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"accept-encoding": "identity"}, 200), ({"range": "bytes=0-9", "accept-encoding": "gzip"}, 206)],
)
def test_who_cannot_read_it_or_wants_a_part_is_sent_the_file(
    client: TestClient, headers: dict[str, str], status: int
) -> None:
    answer = client.get(f"/static/{FILES[0]}", headers=headers)
    assert answer.status_code == status
    assert "content-encoding" not in answer.headers


def test_what_is_missing_and_what_is_known_already_pass(client: TestClient) -> None:
    assert client.get("/static/none.js").status_code == 404
    tag = client.get(f"/static/{FILES[0]}").headers["etag"]
    assert client.get(f"/static/{FILES[0]}", headers={"if-none-match": tag}).status_code == 304
