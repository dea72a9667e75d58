"""Models that run elsewhere: the same records, pages and errors; what is lost is asked again, what is away awaited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import models
from models.edits import lift_mask, scale_scores, zero_head
from models.experiments.chance import chance_bands
from models.experiments.sweeps import leave_out_each_word, switch_off_each_head
from models.trace import AttentionTrace
from models.trace.codec import to_bytes
from scale.client import RemoteModels
from scale.client.model import ServedModel
from scale.client.service import MOST_LOST, Service, service_at
from scale.serve.handler import RequestHandler
from scale.serve.model_cache import ModelCache
from scale.serve.web import make_app
from tests.support.serving import CutLine, free_port, served
from viz.measures.pyramid import PARAMETERS, embedded, fold, moved_without
from viz.server.cores import load_for_serving
from viz.server.introspection import inside_of, without_positions
from viz.server.opening import ModelUnavailableError
from viz.server.queueing import telling, watch
from viz.server.runtime import Host, served_host, shared_host
from viz.server.translations import own_translations

KEYS = ("bahdanau-en-fr", "luong-local-p-en-fr", "transformer-en-fr")
SENTENCE = "The tall man hears the guitar."
TOKEN = "a-token-for-these-tests"


@pytest.fixture(scope="module")
def app() -> Any:
    return make_app(RequestHandler(ModelCache(), batched=False), TOKEN)


@pytest.fixture(scope="module")
def address(app: Any) -> Iterator[str]:
    with served(app) as address:
        yield address
    watch(lambda: False)


@pytest.fixture(scope="module")
def there(address: str) -> Host:
    return served_host(RemoteModels(Service(address, TOKEN)))


@pytest.fixture(scope="module")
def here() -> Host:
    return Host(load_for_serving)


def bits(trace: AttentionTrace) -> bytes:
    return to_bytes(trace)


def test_records_are_the_same_bit_for_bit_alone_and_in_company(there: Host, here: Host) -> None:
    texts = (SENTENCE, "The cat sleeps.", "\U0001f600 x")
    expected = {text: {key: bits(each) for key, each in own_translations(here, KEYS, text).items()} for text in texts}
    with ThreadPoolExecutor(6) as visitors:
        found = list(visitors.map(lambda text: (text, own_translations(there, KEYS, text)), texts * 2))
    for text, traces in found:
        assert {key: bits(trace) for key, trace in traces.items()} == expected[text]
    edits = (zero_head("decoder.1.cross", 2), scale_scores("decoder.0.cross", 0.5))
    ask: list[Callable[[Host], AttentionTrace]] = [
        lambda host: host.attend(KEYS[2], "The cat sleeps.", "Le chat dort.", edits=edits),
        lambda host: host.attend("hf:minilm", SENTENCE, pair="It is loud."),
        lambda host: without_positions(host, KEYS[2], SENTENCE),
    ]
    for each in ask:
        assert bits(each(there)) == bits(each(here))


def test_a_model_there_is_what_it_is_here(there: Host, here: Host) -> None:
    for key in (*KEYS, "hf:minilm"):
        served, own = there.model(key), here.model(key)
        assert isinstance(served, ServedModel)
        names = ("title", "sha256", "kind", "heads", "stacks", "pair", "is_translation", "editable", "predicts")
        for name in (*names, "mask_token", "takes_pair"):
            assert getattr(served, name) == getattr(own, name), name
        for text in (SENTENCE, "word " * 4000, ""):
            assert served.fit(text) == own.fit(text)


def test_sweeps_chance_and_walks_are_the_same(there: Host, here: Host) -> None:
    trace = here.attend(KEYS[2], SENTENCE)
    one, other = (host.model(KEYS[2]).replay(trace) for host in (there, here))
    np.testing.assert_allclose(switch_off_each_head(one).changes, switch_off_each_head(other).changes, atol=1e-5)
    np.testing.assert_allclose(leave_out_each_word(one).changes, leave_out_each_word(other).changes, atol=1e-5)
    for how in ("weights", "order"):
        low, expected = (chance_bands(each, "decoder.0.cross", how=how, samples=20).low for each in (one, other))  # type: ignore[arg-type]
        np.testing.assert_allclose(low, expected, atol=1e-5)
    text = here.attend(KEYS[0], SENTENCE)
    states, expected_states = (inside_of(host, KEYS[0]).decoder_run(text) for host in (there, here))
    assert np.array_equal(states.states, expected_states.states)
    place = text.sites[0]
    found, wanted = (inside_of(host, KEYS[0]).parameters_at(place, ("score_vector",)) for host in (there, here))
    assert np.array_equal(found["score_vector"], wanted["score_vector"])
    assert np.array_equal(*(inside_of(host, KEYS[2]).encodings(12) for host in (there, here)))


def test_the_pyramid_and_path_lengths_are_the_same(there: Host, here: Host) -> None:
    key = "rctm-en-fr"
    pyramids = []
    for host in (there, here):
        assert isinstance(host.model(key), ServedModel) == (host is there)
        trace, parameters = host.attend(key, SENTENCE), inside_of(host, key).parameters_at(None, PARAMETERS)
        assert set(parameters) == set(PARAMETERS)
        pyramids.append((fold(parameters, embedded(parameters, trace.source.ids)), trace.source.ids, parameters))
    (one, ids, found), (other, _ids, wanted) = pyramids
    assert len(one.rows) == len(other.rows) > 2
    for cells, expected in zip(one.rows, other.rows, strict=True):
        assert np.array_equal(cells, expected)
    assert np.array_equal(moved_without(found, ids), moved_without(wanted, ids))
    own, expected_paths = (inside_of(host, KEYS[2]).paths(SENTENCE) for host in (there, here))
    for name, values in own.arrays().items():
        np.testing.assert_allclose(values, expected_paths.arrays()[name], rtol=1e-5)
    assert own.form == expected_paths.form


def test_the_beam_and_a_lifted_mask_are_the_same(there: Host, here: Host) -> None:
    found, wanted = (inside_of(host, KEYS[0]).beam(SENTENCE, 3) for host in (there, here))
    assert found == wanted
    assert len(found) == 3
    target, edits = here.attend(KEYS[2], SENTENCE).output_text, (lift_mask("decoder.*.self"),)
    lifted, own = (host.attend(KEYS[2], SENTENCE, target, edits=edits) for host in (there, here))
    assert bits(lifted) == bits(own)
    assert not lifted["decoder.0.self"].causal


def test_what_is_wrong_is_said_in_the_same_words(there: Host, here: Host) -> None:
    for call in (
        lambda host: host.attend(KEYS[0], " "),
        lambda host: host.attend(KEYS[0], "word " * 300),
        lambda host: host.attend(KEYS[0], "x", sites=("decoder.9.cross",)),
        lambda host: host.model("hf:no-such-model"),
        lambda host: inside_of(host, KEYS[0]).paths("Xqz " * 60),
    ):
        caught = []
        for host in (there, here):
            with pytest.raises((models.InputError, RuntimeError)) as error:
                call(host)
            caught.append(error.value)
        assert type(caught[0]) is type(caught[1])
        assert isinstance(caught[0], ModelUnavailableError) or str(caught[0]) == str(caught[1])


def test_what_ends_while_it_answers_is_asked_again_and_given_up_if_it_always_does(address: str) -> None:
    once, always = CutLine(address, 1), CutLine(address, 99)
    try:
        assert served_host(RemoteModels(Service(once.address, TOKEN))).model(KEYS[0]).title
        assert once.came == 2
        with pytest.raises(ModelUnavailableError, match="The models stopped unexpectedly each time they ran"):
            served_host(RemoteModels(Service(always.address, TOKEN))).model(KEYS[0])
        assert always.came == MOST_LOST
    finally:
        once.close()
        always.close()


def test_another_token_is_said(address: str) -> None:
    with pytest.raises(ModelUnavailableError, match="token"):
        served_host(RemoteModels(Service(address, "another-token-of-a-length"))).model(KEYS[0])


def test_who_waits_for_a_service_that_is_away_is_told_and_answered_when_it_is_back(app: Any) -> None:
    port, told, away = free_port(), [], Event()

    def tell(why: str | None) -> None:
        told.append(why)
        away.set()

    def visit(text: str) -> AttentionTrace:
        with telling(tell):
            return host.attend(KEYS[0], text)

    host = served_host(RemoteModels(Service(f"http://127.0.0.1:{port}", TOKEN)))
    with ThreadPoolExecutor(2) as visitors, ExitStack() as up:
        waiting = visitors.submit(visit, SENTENCE)
        assert away.wait(60)
        assert not waiting.done()
        up.enter_context(served(app, port))
        assert waiting.result(60).source_text == SENTENCE
        assert told == ["away", None]
        up.close()  # and once more, with everything loaded
        away.clear()
        waiting = visitors.submit(visit, "The cat sleeps.")
        assert away.wait(60)
        up.enter_context(served(app, port))
        assert waiting.result(60).source_text == "The cat sleeps."
    watch(lambda: False)


@pytest.fixture
def on_service(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("ATTENTION_BENCH_SERVE", address)
    monkeypatch.setenv("ATTENTION_BENCH_SERVE_TOKEN", TOKEN)
    shared_host.clear()
    service_at.cache_clear()
    yield
    shared_host.clear()
    watch(lambda: False)


def page(name: str) -> None:
    from importlib import import_module

    import_module(f"viz.pages.{name}.page").PAGE.show()


LINKS: dict[str, dict[str, str]] = {
    "bench": {"mechanisms": "rctm bahdanau luong-general transformer", "also": "pyramid"},
    "why": {"models": "bahdanau transformer", "long": SENTENCE},
    "heads": {"model": "hf:minilm"},
    "steps": {"mechanism": "bahdanau"},
    "surgery": {"model": "transformer", "check": "heads"},
    "training": {"point": "5"},
}


def shown(name: str) -> list[str]:
    app = AppTest.from_function(page, default_timeout=120, args=(name,))
    for setting, value in {"sentence": SENTENCE, **LINKS[name]}.items():
        app.query_params[setting] = value
    app.session_state["sentence"] = SENTENCE
    app.run()
    assert not app.exception
    assert not app.warning
    return [each.value for each in (*app.markdown, *app.caption, *app.error, *app.info)]


@pytest.mark.parametrize("name", LINKS)
def test_no_page_knows_the_difference(name: str, on_service: None, monkeypatch: pytest.MonkeyPatch) -> None:
    there = shown(name)
    assert isinstance(shared_host().model(KEYS[0]), ServedModel)
    monkeypatch.delenv("ATTENTION_BENCH_SERVE")
    shared_host.clear()
    assert there == shown(name)
    assert not isinstance(shared_host().model(KEYS[0]), ServedModel)
