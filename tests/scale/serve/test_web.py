"""What the service answers whoever asks it, over a real socket: records, refusals in words, and nothing else."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch

import models
from models.edits import zero_head
from models.error_codec import error_of, tell
from models.errors import CaptureError, InputError
from models.huggingface.embedded import Local
from models.huggingface.hub_settings import check_identity
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from models.translation import batching
from models.translation.checkpoints import CheckpointError
from scale.serve.__main__ import main
from scale.serve.handler import BusyError, RequestHandler
from scale.serve.model_cache import ModelCache
from scale.serve.settings import ServiceSettings, SettingsError
from scale.serve.web import THIS, make_app
from scale.serve.wire import LARGEST, MOST_EDITS, MOST_IN_HEADER, OURS, SENT, RefusedError, Request, read_request
from tests.support.commands import exit_code
from tests.support.huggingface_samples import TEXT, tiny_network, tiny_tokenizer
from tests.support.serving import served

KEY, TOKEN = "bahdanau-en-fr", "a token for these tests"
SENTENCE = "A small doctor hears the guitar."


@pytest.fixture(scope="module")
def shelf() -> ModelCache:
    return ModelCache()


@pytest.fixture(scope="module")
def address(shelf: ModelCache) -> Iterator[str]:
    with served(make_app(RequestHandler(shelf), TOKEN)) as address:
        yield address


def ask(address: str, path: str, data: bytes | Any = b"", **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=60)
    sent = {"Authorization": f"Bearer {TOKEN}"} | headers
    connection.request("POST", path, data, {name: value for name, value in sent.items() if value})
    reply = connection.getresponse()
    found = reply.status, dict(reply.headers), reply.read()
    connection.close()
    return found


def said(answer: tuple[int, dict[str, str], bytes]) -> tuple[int, str, str]:
    told = json.loads(answer[2])
    return answer[0], told["kind"], str(error_of(told))


@pytest.fixture
def one_thread() -> Iterator[None]:
    """Let this process add up in the order in which the service does: two threads give other last bits."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("one_thread")
def test_a_record_is_the_same_bit_for_bit(address: str, shelf: ModelCache) -> None:
    edits = (zero_head("decoder.0.cross", 0),)
    for request in (
        Request("attend", KEY, SENTENCE),
        Request("attend", KEY, SENTENCE, "Un petit médecin.", None, edits),
    ):
        status, headers, data = ask(address, "/v1/attend", request.to_bytes())
        assert (status, headers[OURS]) == (200, THIS)
        alone = shelf.model(KEY).attend(request.source, request.target, edits=request.edits)
        assert data == to_bytes(alone)
        in_a_header = {SENT: request.to_bytes().decode("ascii")}
        assert ask(address, "/v1/attend", **in_a_header)[::2] == (200, data)


def test_what_is_wrong_with_a_text_is_said_as_in_this_process(address: str) -> None:
    for source, sites in ((" ", ("*.weights",)), ("word " * 400, ("*.weights",)), (SENTENCE, ("decoder.7.cross",))):
        with pytest.raises((InputError, CaptureError)) as expected:
            models.load(KEY).attend(source, sites=sites)
        status, kind, words = said(ask(address, "/v1/attend", Request("attend", KEY, source, sites=sites).to_bytes()))
        assert (status, kind, words) == (422, type(expected.value).__name__, str(expected.value))
    assert said(ask(address, "/v1/attend", Request("attend", "no-such-model", "x").to_bytes()))[:2] == (422, "KeyError")


@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("attend", b""),
        ("attend", b"\x80\x05\x95."),
        ("attend", b"[" * 100_000),
        ("attend", b'{"key": ' + b"9" * 6000 + b"}"),
        ("attend", b'{"key": "../../etc/passwd"}'),
        ("attend", b'{"key": "bahdanau-en-fr", "source": 5}'),
        ("attend", b'{"key": "bahdanau-en-fr", "source": "x", "more": 1}'),
        ("attend", b'{"key": "bahdanau-en-fr", "source": "x", "edits": ["rm -rf"]}'),
        ("attend", b'{"key": "bahdanau-en-fr", "source": "x", "sites": ["' + b"*" * 90 + b'"]}'),
        ("replay", b'{"key": "bahdanau-en-fr", "source": "x", "orders": [[-1]]}'),
        ("replay", b'{"key": "bahdanau-en-fr", "source": "x", "orders": [' + b"[0]," * 70 + b"[0]]}"),
        ("parameters", b'{"key": "bahdanau-en-fr", "names": ["__class__.__init__ "]}'),
        ("shell", b'{"key": "bahdanau-en-fr"}'),
    ],
)
def test_rubbish_is_refused_with_the_reason(address: str, path: str, data: bytes) -> None:
    status, kind, words = said(ask(address, f"/v1/{path}", data))
    assert (status, kind) == (400, "RefusedError")
    assert 10 < len(words) < 400
    if data.isascii() and data.decode().isprintable() and len(data) < MOST_IN_HEADER:
        assert said(ask(address, f"/v1/{path}", **{SENT: data.decode()})) == (status, kind, words)


def test_a_million_tokens_and_a_thousand_edits_are_refused_in_words(address: str) -> None:
    long = Request("attend", KEY, "word " * 10**6).to_bytes()
    assert said(ask(address, "/v1/attend", long))[:2] == (413, "InputError")
    assert said(ask(address, "/v1/attend", iter([long[:LARGEST], long[LARGEST:]])))[:2] == (
        422,
        "InputError",
    )  # no length
    status, kind, words = said(ask(address, "/v1/attend", Request("attend", KEY, "wort " * 3000).to_bytes()))
    assert (status, kind) == (422, "InputError")
    assert "15,000" not in words
    assert "14,999 characters" in words
    many = (zero_head("decoder.0.cross", 0),) * 1000
    status, kind, words = said(ask(address, "/v1/attend", Request("attend", KEY, "x", edits=many).to_bytes()))
    assert (status, kind) == (422, "InputError")
    assert str(MOST_EDITS) in words


def test_what_was_asked_stands_in_no_log(
    address: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = "Zebulon whispers quietly."
    with caplog.at_level("DEBUG"):
        for source, status in ((secret, 200), (secret * 4000, 422)):
            for data in (Request("attend", KEY, source).to_bytes(), f'{{"key": "{secret}"}}'.encode()):
                assert ask(address, "/v1/attend", data)[0] in (status, 400)
    assert "Zebulon" not in caplog.text + "".join(capfd.readouterr())


def test_who_has_no_token_and_who_is_a_page_of_a_browser_is_refused(address: str) -> None:
    asked = Request("attend", KEY, SENTENCE).to_bytes()
    for token in ("", "Bearer another token of this length", TOKEN):
        assert said(ask(address, "/v1/attend", asked, Authorization=token))[:2] == (401, "RefusedError")
    assert said(ask(address, "/v1/attend", asked, Origin="http://127.0.0.1"))[:2] == (403, "RefusedError")


def test_a_walk_gets_no_parameters_of_what_is_none_of_ours_and_no_path(address: str) -> None:
    asked = Request("parameters", KEY, names=("no.such.name",)).to_bytes()
    assert said(ask(address, "/v1/parameters", asked))[:2] == (422, "KeyError")
    asked = Request("replay", KEY, SENTENCE, orders=((0, 1, 2), (4000, 1, 2))).to_bytes()
    assert said(ask(address, "/v1/replay", asked))[:2] == (422, "ValueError")


def test_requests_that_wait_run_together_but_who_left_what_is_wrong_and_who_asks_to_run_alone(
    shelf: ModelCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go_on, runs = Event(), Event(), []
    attend_together = batching.attend_together

    class Held(ModelCache):
        def model(self, key: str) -> Any:
            begun.set()
            go_on.wait(60)
            return shelf.model(key)

    monkeypatch.setattr(batching, "attend_together", lambda *given: runs.append(given[1]) or attend_together(*given))
    texts = ("The cat sleeps.", "A dog runs.", " ", "The tall man reads.", "We were tired!")
    desk = RequestHandler(Held(), most_waiting=len(texts))
    first = desk.ask(Request("attend", KEY, "We rest."))
    assert begun.wait(60)
    jobs = [desk.ask(Request("attend", KEY, text, alone=text == texts[-1])) for text in texts]
    with pytest.raises(BusyError):
        desk.ask(Request("attend", KEY, "One too many."))
    jobs[1].left = True
    go_on.set()
    data = [each.future.result(60)[0] for each in (first, jobs[0], *jobs[3:])]
    traces = [AttentionTrace.load(io.BytesIO(each)) for each in data]
    assert [each.source_text for each in traces] == ["We rest.", texts[0], *texts[3:]]
    assert [each.provenance.batched for each in traces] == [False, True, True, False]
    assert data[-1] == to_bytes(shelf.model(KEY).attend(texts[-1]))
    with pytest.raises(InputError):
        jobs[2].future.result(60)
    assert [len(each) for each in runs] == [3]
    assert not jobs[1].future.done()


def test_many_at_once_are_each_given_their_own(address: str) -> None:
    def one(text: str) -> str:
        return AttentionTrace.load(
            io.BytesIO(ask(address, "/v1/attend", Request("attend", KEY, text).to_bytes())[2])
        ).source_text

    texts = [f"The {noun} sleeps." for noun in ("cat", "dog", "man", "bird", "child", "horse")] * 2
    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(one, texts)) == texts


def test_an_error_of_any_kind_crosses_and_none_is_made_of_rubbish() -> None:
    for error in (
        InputError(models.errors.EMPTY["text"]),
        KeyError("no such"),
        ValueError("5"),
        CheckpointError("damaged"),
    ):
        again = error_of(json.loads(json.dumps(tell(error))))
        assert (type(again), again.args) == (type(error), error.args)
    assert type(error_of(tell(ZeroDivisionError("by 0")))) is RuntimeError
    for told in ({}, {"kind": "InputError"}, {"kind": "ValueError", "said": ["x"]}, []):
        with pytest.raises(ValueError, match="record"):
            error_of(told)


def test_a_request_is_read_as_it_was_written() -> None:
    edits = (zero_head("decoder.1.cross", 2),)
    asked = Request(
        "replay", KEY, "x", "y", "z", edits, ("*",), ((0, 1), (1, 0)), ((1, edits[0]),), None, 5, ("a.b",), 3
    )
    assert read_request("replay", asked.to_bytes()) == asked
    with pytest.raises(RefusedError):
        read_request("attend", b" " * (LARGEST + 1))


def test_of_the_hub_only_what_is_named_is_fetched_and_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "fetched"
    tiny_network("bert").save_pretrained(folder)
    tiny_tokenizer().save_pretrained(folder)
    fetched: list[str] = []
    monkeypatch.setattr("models.huggingface.hub.look_up", check_identity)
    monkeypatch.setattr("models.huggingface.hub.fetch", lambda found, *_: fetched.append(found) or folder)
    tried: list[Local] = []
    monkeypatch.setattr("models.huggingface.trial.try_out", lambda known, _dtype: tried.append(known))
    named = ServiceSettings(hub=("owner/name",))
    named.fetch()
    with served(make_app(named.desk())) as address:
        for key, status in (("hf:owner/name", 200), ("hf:owner/other", 422)):
            assert ask(address, "/v1/attend", Request("attend", key, TEXT).to_bytes())[0] == status
    assert set(fetched) == {"owner/name"}
    assert {each.folder for each in tried} == {folder}
    assert "hf:owner/name" in named.desk().shelf.titles()
    with pytest.raises(SettingsError, match="no owner/name"):
        ServiceSettings(hub=("../secret",))


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"host": "0.0.0.0"}, "ATTENTION_BENCH_SERVE_TOKEN"),
        ({"token": "short"}, "16"),
        ({"folders": (Path("/no/such"),)}, "no folder"),
        ({"workers": 0}, "begin with 1"),
        *(({"port": port}, f"no port {port}: ports go from 1 to 65535") for port in (99999, 65536, 0, -1)),
    ],
)
def test_a_service_that_must_not_be_started_is_not(given: dict[str, Any], reason: str) -> None:
    with pytest.raises(SettingsError, match=reason):
        ServiceSettings(**given)
    assert "secret-secret-secret" not in repr(ServiceSettings(token="secret-secret-secret"))


def test_the_command_says_why_it_does_not_start(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ATTENTION_BENCH_SERVE_TOKEN", raising=False)
    assert exit_code(main, "--plain", "--host", "0.0.0.0") == 2
    assert "ATTENTION_BENCH_SERVE_TOKEN" in capsys.readouterr().err
    monkeypatch.setenv("attention_bench_serve_token", "sixteen letters!")
    assert exit_code(main, "--plain") == 2
    assert "attention_bench_serve_token is written ATTENTION_BENCH_SERVE_TOKEN" in capsys.readouterr().err
