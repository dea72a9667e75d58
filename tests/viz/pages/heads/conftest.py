"""Tiny models of every kind, as checkpoints come, in the server's folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.huggingface_samples import tiny_network, tiny_tokenizer


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write a tiny model of each kind, as checkpoints come."""
    place, made = tmp_path_factory.mktemp("models"), {}
    for family in ("bert", "gpt2", "marian"):
        made[family] = place / f"tiny-{family}"
        tiny_network(family).save_pretrained(made[family])
        tiny_tokenizer(ends=family != "gpt2").save_pretrained(made[family])
    return made


@pytest.fixture
def tiny(folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTENTION_BENCH_MODELS", ":".join(map(str, folders.values())))
