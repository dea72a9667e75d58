"""Every figure of a trace shows what is moved where the trace is `moved`, and says so."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

import models
from models.trace import AttentionTrace
from viz import figures
from viz.views.heads import HeadPlace
from viz.views.view import choose_view

HEADS = (HeadPlace(1, 0), HeadPlace(2, 3))
OTHER = "The dog drank the milk."
FIGURES: dict[str, Callable[[AttentionTrace, AttentionTrace], Any]] = {
    "alignment_heatmap": lambda one, _other: figures.alignment_heatmap(one),
    "difference_heatmap": lambda one, _other: figures.difference_heatmap(
        choose_view(one, site="encoder.0.self", head=0), choose_view(one, site="encoder.0.self", head=1)
    ),
    "difference_multiples": lambda one, _other: figures.difference_multiples(
        [choose_view(one, site="encoder.0.self", head=0)], choose_view(one, site="encoder.0.self", head=1)
    ),
    "head_combination": lambda one, _other: figures.head_combination(one, heads=HEADS),
    "head_comparison": lambda one, _other: figures.head_comparison(one, heads=HEADS),
    "head_difference": lambda one, _other: figures.head_difference(one, first=HEADS[0], second=HEADS[1]),
    "head_lines": lambda one, _other: figures.head_lines(one, heads=HEADS),
    "head_profiles": lambda one, _other: figures.head_profiles(one),
    "rollout_heatmap": lambda one, _other: figures.rollout_heatmap(one),
    "sentence_difference": lambda one, other: figures.sentence_difference(one, other, head=HEADS[0]),
    "similarity_heatmap": lambda one, _other: figures.similarity_heatmap(one),
    "text_reading": lambda one, _other: figures.text_reading(one, head=HEADS[0], word=1),
}


@cache
def traces() -> tuple[AttentionTrace, AttentionTrace]:
    model = models.load("transformer-en-fr")
    return model.attend("The cat drank the milk."), model.attend(OTHER)


def said(figure: Any) -> str:
    """Return all that a figure shows and says."""
    return figure.html if isinstance(figure, figures.TextReading) else str(figure.to_json())


def test_every_figure_of_a_trace_is_tried() -> None:
    takes_trace = {
        name
        for name in figures.__all__
        if "Trace" in str(inspect.signature(getattr(figures, name)))
        and name not in ("head_similarity", "hide_specials")
    }
    assert takes_trace <= set(FIGURES)


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_of_what_is_moved_has_other_numbers_and_says_so(name: str) -> None:
    one, other = traces()
    as_weights, as_moved = said(FIGURES[name](one, other)), said(FIGURES[name](one.moved(), other.moved()))
    assert as_weights != as_moved
    assert re.search(r"\bmove[sd]?\b", as_moved)
    assert not re.search(r"\bmove[sd]?\b", as_weights)
