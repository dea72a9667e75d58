"""Edits: whatever a link says, a model runs or says why not, its weights are numbers, and nothing of them stays."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st

import models
from benchmarks.fuzz.running import Fuzz
from models.edits import (
    PATTERNS,
    diagonal,
    harden,
    keep_heads,
    mask_key,
    sample,
    scale_scores,
    set_row,
    uniform_row,
    window,
    zero_head,
)
from models.hooks import CaptureError
from models.trace import AttentionTrace
from viz.widgets.edits.history import BETWEEN_ACTIONS, BETWEEN_EDITS, History, read_history

KEYS = ("transformer-en-fr", "bahdanau-en-fr", "luong-local-p-en-fr")
TEXT = "The cat sleeps."

_SITES = st.sampled_from(
    ("decoder.0.cross", "decoder.*.cross", "encoder.0.self", "encoder.*.self", "decoder.2.self", "*", "decoder.9.cross")
)
_PLACES = st.integers(-3, 12) | st.sampled_from((None, 10**9, 2**63, -(10**30)))
_NUMBERS = st.floats() | st.sampled_from((0.0, -1.0, 1e300, 1e6, 5e-324))
_WEIGHTS = st.lists(_NUMBERS | st.floats(0, 1), max_size=6).map(tuple) | st.integers(1, 6).map(lambda n: (1 / n,) * n)


@st.composite
def _written(draw: st.DrawFn) -> str:
    """Return one edit as a link writes it; an empty text where there cannot be such an edit."""
    kinds: dict[Any, tuple[st.SearchStrategy[Any], ...]] = {
        zero_head: (_SITES, _PLACES),
        keep_heads: (_SITES, st.lists(_PLACES, max_size=4).map(tuple)),
        uniform_row: (_SITES, _PLACES, _PLACES),
        diagonal: (_SITES, _PLACES, _PLACES),
        harden: (_SITES, _PLACES, _PLACES),
        sample: (_SITES, _PLACES, _PLACES, _PLACES),
        mask_key: (_SITES, _PLACES),
        scale_scores: (_SITES, _NUMBERS),
        window: (_SITES, _PLACES, _PLACES, _PLACES),
        set_row: (_SITES, _PLACES, _PLACES, _WEIGHTS, _NUMBERS),
        **dict.fromkeys(PATTERNS.values(), (_SITES, _PLACES)),
    }
    kind = draw(st.sampled_from(list(kinds)))
    try:
        return str(kind(*(draw(each) for each in kinds[kind])).to_text())
    except (ValueError, TypeError):
        return ""


@st.composite
def _damaged(draw: st.DrawFn) -> str:
    text = draw(_written())
    place = draw(st.integers(0, len(text)))
    return text[:place] + draw(st.text(max_size=4)) + text[place + draw(st.integers(0, 3)) :]


_LINKS = st.lists(_written() | _written() | _damaged(), max_size=6).flatmap(
    lambda parts: st.sampled_from((BETWEEN_ACTIONS, BETWEEN_EDITS)).map(lambda between: between.join(parts))
)

FUZZ = Fuzz(st.tuples(st.sampled_from(KEYS), _LINKS), 100)


def weights_of(trace: AttentionTrace) -> list[np.ndarray]:
    """Return the weights of every map of a trace."""
    return [each.weights for each in trace]


@cache
def _model(key: str) -> Any:
    model = models.load(key)
    return model, model.attend(TEXT)


def check(example: tuple[str, str]) -> None:
    """Raise AssertionError if edits of a link break a run, or leave something behind."""
    key, text = example
    model, before = _model(key)
    history, _unknown = read_history(text)
    assert read_history(history.to_text())[0] == History(history.done)
    try:
        edited = model.attend(TEXT, edits=history.edits)
    except (models.InputError, CaptureError, ValueError):  # of an edit that does not fit; pages say why
        edited = None
    if edited is not None:
        assert all(np.isfinite(each).all() for each in weights_of(edited))
        assert len(edited.provenance.edits) == len(history.edits)
    after = model.attend(TEXT)
    assert after.output_text == before.output_text
    for mine, its in zip(weights_of(before), weights_of(after), strict=True):
        np.testing.assert_array_equal(mine, its)
