"""Files of traces for tests: whole ones, and ones that are taken apart and put together otherwise."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np

from models.trace import AttentionTrace

ENGLISH, FRENCH = "the old cat </s>".split(), "le vieux chat </s>".split()


def shares(heads: int, queries: int, keys: int, seed: int = 0) -> np.ndarray:
    """Draw weights whose rows sum to 1: float32 [head, query, key]."""
    values = np.random.default_rng(seed).random((heads, queries, keys)) ** 4
    return np.asarray(values / values.sum(axis=-1, keepdims=True), dtype=np.float32)


def saved(trace: AttentionTrace) -> bytes:
    file = io.BytesIO()
    trace.save(file)
    return file.getvalue()


def aligned(**about: Any) -> AttentionTrace:
    """Make a translation with one head."""
    return AttentionTrace.from_arrays(
        {"decoder.0.cross": shares(1, 4, 4)}, source=ENGLISH, target=FRENCH, **{"title": "Mine", **about}
    )


def encoder(heads: int = 3, layers: int = 2, tokens: int = 5) -> AttentionTrace:
    """Make a text that reads itself."""
    maps = {f"encoder.{layer}.self": shares(heads, tokens, tokens, layer) for layer in range(layers)}
    return AttentionTrace.from_arrays(maps, source=[f"word{place}" for place in range(tokens)], title="An encoder")


def changed(data: bytes, change: Callable[[dict[str, Any]], Any], **members: bytes) -> bytes:
    """Return a file whose header is another, and which has other members too."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for each in old.namelist():
            content = members.pop(each.removesuffix(".npy").replace(".", "_"), None) or old.read(each)
            if each == "header.npy":
                header = json.loads(np.load(io.BytesIO(content)).tobytes())
                header = change(header) or header
                content = member(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))
            new.writestr(each, content)
        for name, content in members.items():
            new.writestr(f"{name}.npy", content)
    return made.getvalue()


def member(values: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, values, allow_pickle=allow_pickle)
    return file.getvalue()
