"""A run ends when nobody waits for it, and leaves nothing open behind."""

from __future__ import annotations

import pytest

from models.hooks import current_session
from models.waiting import asking, go_on
from tests.support.huggingface_samples import tiny_model
from tests.support.small_models import KEYS, translator


class LeftError(BaseException):
    """What a page ends its run with."""


class Visitor:
    """Somebody who waits for so many steps."""

    def __init__(self, patience: int) -> None:
        self.asked, self.patience = 0, patience

    def __call__(self) -> None:
        self.asked += 1
        if self.asked > self.patience:
            raise LeftError


@pytest.mark.parametrize("key", KEYS)
def test_a_translation_ends_between_two_tokens(key: str) -> None:
    model = translator(key)
    whole, visitor = model.attend("the cat sat on the mat"), Visitor(2)
    assert len(whole.target) > 3
    with pytest.raises(LeftError), asking(visitor):
        model.attend("the cat sat on the mat")
    assert visitor.asked == 3
    assert current_session() is None
    again = model.attend("the cat sat on the mat")
    assert again.target == whole.target
    for one, other in zip(whole, again, strict=True):
        assert (one.weights == other.weights).all()


@pytest.mark.parametrize("family", ["bert", "t5"])
def test_a_pretrained_model_ends_between_two_layers(family: str) -> None:
    visitor = Visitor(2)
    with pytest.raises(LeftError), asking(visitor):
        tiny_model(family).attend("The cat.")
    assert current_session() is None
    assert tiny_model(family).attend("The cat.").maps


def test_outside_of_the_block_nobody_is_asked() -> None:
    visitor = Visitor(0)
    with pytest.raises(LeftError), asking(visitor):
        go_on()
    go_on()
    assert visitor.asked == 1
