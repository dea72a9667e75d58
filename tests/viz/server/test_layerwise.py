"""Texts whose whole record would not fit: memory while they run, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

import models
from benchmarks.head_layers import KEY, peak_above, pooled_bytes, write_wide
from models.model import Model
from tests.support.huggingface_samples import tiny_model
from viz.server import layerwise
from viz.server.layerwise import attend_layerwise, record_bytes
from viz.server.runtime import Host

LAYERS, HEADS, TOKENS = 16, 8, 512
MAP = 4 * HEADS * TOKENS**2


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder: Path = tmp_path_factory.mktemp("models")
    return models.load(write_wide(folder, layers=LAYERS, heads=HEADS, tokens=TOKENS))


def test_memory_does_not_grow_with_the_layers(wide: Model) -> None:
    host = Host(lambda _key, _progress: wide)
    wide.attend("x")
    _payload, pooled = peak_above(lambda: pooled_bytes(host, TOKENS, list(wide.heads)[:1]))
    _trace, whole = peak_above(lambda: wide.attend("x" * TOKENS))
    assert whole > LAYERS * MAP * 0.9
    assert pooled < 8 * MAP


def test_the_picked_layers_alone_are_kept_and_a_second_look_runs_nothing(
    wide: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, runs = Host(lambda _key, _progress: wide), []
    run = host.run_here
    monkeypatch.setattr(host, "run_here", lambda *asked: runs.append(asked) or run(*asked))
    first, last = min(wide.heads), max(wide.heads)
    for whole, count in (([first, last], 1), ([last, first], 1), ([first], 2)):
        trace, small = attend_layerwise(host, KEY, "xyz", whole)
        assert trace.sites == tuple(whole if len(whole) == 1 else (first, last))
        assert len(small.cells) == LAYERS * HEADS
        assert len(runs) == count
    assert len(host.attend(KEY, "xyz").sites) == LAYERS


@pytest.mark.parametrize(("tokens", "is_large"), [(9, False), (10, True)])
def test_a_record_is_too_large_by_its_tokens(monkeypatch: pytest.MonkeyPatch, tokens: int, is_large: bool) -> None:
    model = tiny_model("llama")
    monkeypatch.setattr(layerwise, "TRACE_BYTES", 4 * 12 * 9**2)
    assert record_bytes(model, "x" * tokens) == is_large * 4 * 12 * tokens**2
    assert not record_bytes(tiny_model("bert"), "x" * tokens)
