"""Token, segment and position vectors below the heads: strips, a click, the sum in digits, parts without segments."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import models
from models.huggingface.embedding_sum import embedding_sum
from models.huggingface.model import PretrainedModel
from tests.support.heads_page import opened, words

SENTENCE, BERT = "The cat drank the milk because it was hungry.", "hf:bert-en"


def strips(app: Any) -> list[dict[str, Any]]:
    specs = [json.loads(each.proto.spec) for each in app.get("plotly_chart")]
    return next(
        [part for part in each["data"] if part["type"] == "heatmap"] for each in specs if "LayerNorm" in str(each)
    )


def test_a_link_shows_three_vectors_their_sum_and_one_number_in_digits() -> None:
    app = opened(sentence=SENTENCE, model=BERT, below="embedding", summed="5")
    model = models.load(BERT)
    assert isinstance(model, PretrainedModel)
    found = embedding_sum(model, SENTENCE)
    shown = strips(app)
    assert [each["name"] for each in shown] == [
        "token embedding",
        "segment embedding",
        "position embedding",
        "their sum, before LayerNorm",
        "after LayerNorm",
    ]
    assert len({each["zmax"] for each in shown[:4]}) == 1  # one scale of colours for what is added and for the sum
    k = int(np.abs(found.total[5]).argmax())
    said = words(app)
    assert f"{np.linalg.norm(found.parts['segment'][5]):.2f}" in said
    assert f"The model itself used {found.total[5, k]:.6f}" in said
    assert f"The model itself used {found.normalised[5, k]:.6f}" in said
    assert "One text is one segment" in said
    assert any(f"E_{{[{k}]}} + S_{{[{k}]}} + P_{{[{k}]}}" in each.value for each in [*app.markdown, *app.get("latex")])


def test_a_second_text_is_segment_b_and_equal_tokens_part_by_position_alone() -> None:
    app = opened(sentence="The cat saw the cat.", model=BERT, pair="The cat slept.", below="embedding")
    assert "One text is one segment" not in words(app)
    model = models.load(BERT)
    assert isinstance(model, PretrainedModel)
    found = embedding_sum(model, "The cat saw the cat.", "The cat slept.")
    assert set(found.segments) == {0, 1}
    np.testing.assert_array_equal(found.parts["token"][2], found.parts["token"][5])
    assert not np.allclose(found.total[2], found.total[5])


@pytest.mark.usefixtures("tiny")
def test_it_is_offered_where_vectors_are_added_alone(folders: dict[str, Path]) -> None:
    app = opened(sentence=SENTENCE, model=f"hf:{folders['bert'].name}", below="embedding")
    assert len(strips(app)) == 5
    app = opened(sentence=SENTENCE, model="hf:gpt-en", below="embedding")
    assert "What is added up for each token" not in [each.value for each in app.header]
