"""What the layers of a decoder read apart: counted on maps that are known."""

from __future__ import annotations

import numpy as np
import pytest

from models.experiments.alignment import AlignedSentence, Choice, GoldSentence, aligned
from tests.support.small_models import translator
from training.layers import figures, layers_of, share_read_apart

LINKS = frozenset({(0, 0), (1, 1), (2, 2)})
GOLD = GoldSentence(("the", "cat", "sleeps"), ("le", "chat", "dort"), LINKS, LINKS)
LOW: Choice = ("decoder.0.cross", "mean", "written")
HIGH: Choice = ("decoder.1.cross", "mean", "written")


def sentence(low: list[int], high: list[int]) -> AlignedSentence:
    """Return a sentence whose rows read the given words alone, in either layer; a head and a reading beside them."""
    one = np.eye(3, dtype=np.float32)
    other: Choice = ("decoder.0.cross", 0, "input")
    return AlignedSentence(GOLD, {LOW: one[low], HIGH: one[high], other: one[[2, 2, 2]]})


def test_a_word_counts_that_two_layers_read_another_word_for() -> None:
    same, turned = sentence([0, 1, 2], [0, 1, 2]), sentence([0, 1, 2], [0, 2, 1])
    assert share_read_apart([same]) == 0
    assert share_read_apart([turned]) == pytest.approx(2 / 3)
    assert share_read_apart([same, turned]) == pytest.approx(1 / 3)


def test_each_layer_has_a_rate_of_its_own() -> None:
    found = figures([sentence([0, 1, 2], [0, 2, 1])])
    assert found["aer"] == {"decoder.0.cross": 0.0, "decoder.1.cross": pytest.approx(2 / 3, abs=1e-4)}


def test_a_model_of_several_layers_is_measured_layer_by_layer() -> None:
    (each,) = aligned(translator("convs2s"), [GOLD])
    assert [choice[0] for choice in layers_of(each)] == ["decoder.0.cross", "decoder.1.cross"]
    assert 0 <= share_read_apart([each]) <= 1
