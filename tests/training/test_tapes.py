"""How far back intra-attention reads: the shares of each row, counted a second way on captured weights."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.small_models import translator
from training.tapes import LEAST, NEAREST, reach

PAIRS = [
    ("The cat drank the milk that stood on the table in the hall.", "Le chat a bu le lait qui était sur la table."),
    ("Yes.", "Oui."),
]


@pytest.mark.parametrize("key", ["lstmn-shallow", "lstmn-deep"])
def test_the_share_of_the_nearest_is_that_of_the_maps(key: str) -> None:
    model = translator(key)
    found = reach(model, PAIRS)
    assert set(found) == {"encoder.0.self", "decoder.0.self"}
    for place, told in found.items():
        near, rows = [], 0
        for source, target in PAIRS:
            weights = model.attend(source, target)[place].weights[0]
            for row in range(LEAST, len(weights)):
                near.append(sum(float(weights[row, row - back]) for back in range(1, NEAREST + 1)))
                rows += 1
        assert told["rows"] == rows > 0
        assert told["nearest"] == pytest.approx(float(np.mean(near)), abs=1e-4)
        assert 0 < told["even"] <= NEAREST / LEAST
        assert 1 <= told["mean_distance"] <= 60


def test_texts_too_short_to_tell_count_for_nothing() -> None:
    told = reach(translator("lstmn-deep"), PAIRS[1:])
    assert all(each["rows"] == 0 for each in told.values())
