"""Sentences of rooms in the background: what the pages compute, for whatever students type."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import models
from models.measures.divergence import head_divergence
from tests.support.waiting import until
from viz.rooms.sentences import SplitResult
from viz.rooms.store import Store
from viz.server import splitting
from viz.server.rooming import Rooming
from viz.server.runtime import Host
from viz.server.splitting import Splitter, split, split_models

PAIR = "en-fr"


@pytest.fixture(scope="module")
def host() -> Host:
    return Host(lambda key, _progress: models.load(key))


def test_a_sentence_is_measured_on_one_translation(host: Host) -> None:
    keys = split_models(PAIR)
    text = "The agreement was signed in August 1992."
    found = split(host, text, keys)
    assert found.models == ("bahdanau", "luong-general", "transformer")
    assert found.translations == tuple(models.load(key).attend(text).output_text for key in keys)
    target, maps = found.translations[-1], []
    for key in keys:
        trace = models.load(key).attend(text, target)
        chosen = trace.provenance.alignment
        words = trace.read(chosen.site, chosen.reading).to_words()
        weights = words.weights[chosen.head] if chosen.head != "mean" else words.weights.mean(axis=0)
        maps.append(weights if chosen.reading == "written" else weights[:-1])
    apart = [head_divergence(np.stack(two))[0, 1] for two in combinations(maps, 2)]
    assert found.maps == pytest.approx(float(np.mean(apart)), abs=2e-3)


HOSTILE = ("x" * 200, "我爱 the apple 👩\u200d🍳", '<b>bold</b> & "quotes" $x^2$', "é" * 200, "1 2 3", "שלום עולם")


def test_whatever_students_type_is_run_and_a_closed_room_or_a_broken_model_stops_nothing(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooming = Rooming(Store(tmp_path / "rooms.sqlite"))
    store, splitter = rooming.store, Splitter(rooming, host)
    code, _key = store.open_room()
    for each in HOSTILE:
        store.gather(code, store.join(code), PAIR, each)
    store.gather(code, store.join(code), "zz-zz", "No models are there.")
    splitter.wake()
    splitter.wake()
    until(lambda: store.room(code).run == len(HOSTILE) + 1)
    by_text = {each.text: each.found for each in store.sentences(code)}
    assert by_text.pop("No models are there.") == SplitResult()
    assert all(each is not None and len(each.translations) == 3 for each in by_text.values())
    closed, key = store.open_room()
    store.gather(closed, store.join(closed), PAIR, "Too late.")

    def broken(*_about: object) -> SplitResult:
        store.close_room(closed, key)
        raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(splitting, "split", broken)
        splitter.wake()
        until(lambda: closed not in store.codes() and not splitter.busy)
    store.gather(code, store.join(code), PAIR, "It goes on.")
    splitter.wake()
    until(lambda: store.room(code).run == len(HOSTILE) + 2)
