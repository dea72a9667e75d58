"""The words of a translation: text, spaces and probabilities."""

from __future__ import annotations

import math

import pytest

import models
from viz.captions.written import written_words


@pytest.mark.parametrize("key", ["bahdanau-en-fr", "luong-general-zh-en"])
def test_the_words_make_up_the_translation_and_carry_the_product_of_their_pieces(key: str) -> None:
    trace = models.load(key).attend("An unbelievable misunderstanding." if key.endswith("fr") else "我吃了一个苹果。")
    words = written_words(trace)
    assert "".join(" " * each.spaced + each.text for each in words) == trace.output_text
    for each in words:
        steps = [step for step, word in zip(trace.steps, trace.target.words, strict=True) if word == each.word]
        assert each.probability == pytest.approx(math.prod(step.probability for step in steps))
        assert f"{each.probability:.4f}" in each.says
