"""What the Heads page says of a head over a corpus, beside this sentence."""

from __future__ import annotations

import numpy as np
import pytest

from models import load
from models.corpus.kept import KeptHead, find
from scale.corpus.worker import HeadsOverCorpus
from tests.support.heads_page import MINILM, TEXT, fine, opened
from viz.captions.corpus import corpus_breadth, corpus_labels


def test_a_value_stands_among_those_of_the_corpus() -> None:
    counts = np.zeros(200, dtype=np.int64)
    counts[[20, 100]] = 30, 70  # 30 sentences near 0.1, 70 near 0.5
    head = KeptHead((("first", 0.97), ("none", 0.025), ("broad", 0.005)), {"breadth": (counts, 1.0)}, {})
    assert head.share_below("breadth", 0.3) == pytest.approx(0.3)
    assert head.share_below("breadth", 0.5025) == pytest.approx(0.65)
    assert [head.share_below("breadth", value) for value in (0.0, 1.0, 2.0)] == [0, 1, 1]
    assert head.share_below("distance", 1.0) is None
    assert corpus_breadth(head, 0.3) == "sharper here than in 70 of 100 sentences"
    assert corpus_breadth(head, 0.9) == "more diffuse here than in 100 of 100 sentences"
    assert corpus_labels(head) == "first token in 97 of 100 · no clear pattern in 2 of 100"


@pytest.mark.parametrize("key", [MINILM, "transformer-en-fr"])
def test_the_tables_that_come_along_are_of_the_weights_that_come_along(key: str) -> None:
    kept = find(load(key).sha256)
    assert kept is not None
    assert kept.sentences > 5000
    heads = HeadsOverCorpus(key).about.heads
    assert len(kept.heads) == sum(heads.values())
    assert all(sum(share for _label, share in each.labels) == pytest.approx(1) for each in kept.heads.values())
    assert any(each.examples for each in kept.heads.values())
    assert find("0" * 64) is None


def test_an_example_of_a_head_is_opened_by_a_click() -> None:
    app = opened(model=MINILM)
    lines = [each.value for each in app.caption if "over the corpus" in each.value and "layer" in each.value]
    assert 1 <= len(lines) <= 4
    assert all("on this sentence" in each and "of 100" in each for each in lines)
    example = next(each for each in app.button if (each.key or "").startswith("corpus-"))
    fine(example.click().run())
    typed = "".join(app.query_params["sentence"])
    assert typed.split()[0] == example.label.split()[0].replace("\\", "")
    assert typed != TEXT
