"""Scores on random words that are read twice: heads made to do one thing get 1 for it."""

from __future__ import annotations

import numpy as np
import pytest

from models.experiments.repeated_words import WORDS, repeated_scores, repeated_text
from models.trace import AttentionTrace


def test_the_text_is_two_copies_of_different_words_and_the_same_for_the_same_seed() -> None:
    words = repeated_text().split()
    assert words[:WORDS] == words[WORDS:]
    assert len(set(words)) == WORDS
    assert repeated_text() == " ".join(words) != repeated_text(1)


@pytest.mark.parametrize(("head", "scores"), [(0, (1, 0, 0)), (1, (0, 1, 0)), (2, (0, 0, 1))])
def test_a_head_made_for_one_pattern_has_all_its_weight_there(head: int, scores: tuple[float, ...]) -> None:
    words = repeated_text().split()
    count = len(words)
    weights = np.zeros((3, count, count), dtype=np.float32)
    weights[:, :WORDS, 0] = 1
    for row in range(count):
        if row >= WORDS:
            weights[0, row, row - WORDS + 1] = weights[1, row, row - WORDS] = 1
        weights[2, row] = 0
        weights[2, row, max(row - 1, 0)] = 1
    trace = AttentionTrace.from_arrays({"encoder.0.self": weights}, source=words)
    assert len(trace.source) == count
    (found,) = repeated_scores(trace)
    assert (found.induction[head], found.duplicate[head], found.previous[head]) == pytest.approx(scores, abs=0.03)
    assert found.chance == pytest.approx(1 / count)
