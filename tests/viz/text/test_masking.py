"""Words behind masks: which can be hidden, and what is then read."""

from __future__ import annotations

import pytest

from viz.text.masking import Masked, hide, maskable

MASK = "[MASK]"


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("The cat drank the milk.", [1, 4], Masked("The [MASK] drank the [MASK].", ("cat", "milk"))),
        ("  I don't know!", [1], Masked("  I [MASK] know!", ("don't",))),
        ("The cat.", [2], Masked("The cat[MASK]", (".",))),
        ("The [MASK] sat on cats", [6], Masked("The [MASK] sat on [MASK]", ("", "cats"))),
        ("The [MASK] sat", [0, 2, 9], Masked("[MASK] [MASK] sat", ("The", ""))),
        ("我喝茶。", [1], Masked("我[MASK]茶。", ("喝",))),
        ("nothing", [], Masked("nothing", ())),
    ],
)
def test_words_give_way_to_masks_and_all_else_stays(text: str, numbers: list[int], expected: Masked) -> None:
    assert hide(text, MASK, numbers) == expected


def test_a_mask_that_was_typed_is_no_word_to_hide() -> None:
    assert maskable("The [MASK] sat.", MASK) == {0: "The", 4: "sat", 5: "."}
    assert maskable(MASK, MASK) == maskable("", MASK) == {}
