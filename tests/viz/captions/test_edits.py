"""Edits are told in the words of the sentence, and those that meet none of them are left out and say so."""

import pytest

from models.edits import (
    Edit,
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
from models.trace import TokenSequence
from tests.support.figure_samples import translation
from viz.captions.edits import describe, in_words, meeting, meets

ROWS = TokenSequence((" ch", "at", "</s>"), (5, 6, 2), (0, 0, 1), ("chat", "</s>"))
COLUMNS = TokenSequence.from_words(("the", "cat", "</s>"))
CROSS = "decoder.0.cross"
WHERE = "(decoder layer 0 cross-attention)"


@pytest.mark.parametrize(
    ("action", "said"),
    [
        ((mask_key(CROSS, 1),), f"“cat” hidden {WHERE}"),
        ((mask_key(CROSS, 0), mask_key(CROSS, 1)), f"“the”, “cat” hidden {WHERE}"),
        ((zero_head(CROSS, 3),), f"head 3 is ablated {WHERE}"),
        ((zero_head(CROSS, 3), zero_head(CROSS, 1)), f"heads 1, 3 are ablated {WHERE}"),
        ((keep_heads(CROSS, (0, 2)),), f"only heads 0, 2 are kept {WHERE}"),
        ((uniform_row(CROSS, None, 0), uniform_row(CROSS, None, 1)), f"“chat” attends to all tokens equally {WHERE}"),
        ((uniform_row(CROSS, 2, None),), f"every word attends to all tokens equally in head 2 {WHERE}"),
        (
            (harden(CROSS, None, 0),),
            f"“chat” (subword “ch”) attends only to its strongest word: hard attention {WHERE}",
        ),
        (
            (diagonal(CROSS, 1, None),),
            f"every word attends only to the key at its own position: the diagonal in head 1 {WHERE}",
        ),
        ((harden(CROSS, 1, None),), f"every word attends only to its strongest word: hard attention in head 1 {WHERE}"),
        (
            (sample(CROSS, None, 0, 7), sample(CROSS, None, 1, 7)),
            f"“chat” attends to one word, sampled with seed 7: hard attention {WHERE}",
        ),
        ((set_row(CROSS, None, 1, (0.0, 1.0), 1.0),), f"“chat” (subword “at”) attends only to “cat” {WHERE}"),
        (
            (set_row(CROSS, 1, 1, (0.0, 1.0), 0.5),),
            f"“chat” (subword “at”) attends only to “cat”, blended in by 0.5 in head 1 {WHERE}",
        ),
        ((scale_scores(CROSS, 2.0),), f"attention is sharpened: {scale_scores(CROSS, 2.0)}"),
        ((window(CROSS, 0, 1, 1),), f"“chat” (subword “ch”): {window(CROSS, 0, 1, 1)}"),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value[0]).__name__,
)
def test_an_action_is_told_by_its_words(action: tuple[Edit, ...], said: str) -> None:
    assert describe(action, queries=ROWS, keys=COLUMNS) == said


def test_a_piece_of_a_word_is_not_told_as_the_word() -> None:
    assert describe((mask_key(CROSS, 0),), queries=COLUMNS, keys=ROWS) == f"“chat” (subword “ch”) hidden {WHERE}"
    both = (mask_key(CROSS, 0), mask_key(CROSS, 1))
    assert describe(both, queries=COLUMNS, keys=ROWS) == f"“chat” hidden {WHERE}"


def test_an_action_of_several_kinds_is_told_whole() -> None:
    """A link may hold one."""
    said = in_words(translation(COLUMNS, ROWS), (zero_head(CROSS, 0), zero_head(CROSS, 1), mask_key(CROSS, 1)))
    assert said == f"heads 0, 1 are ablated {WHERE}; “cat” hidden {WHERE}"


@pytest.mark.parametrize(
    "edit",
    [
        mask_key(CROSS, 3),
        uniform_row(CROSS, 0, 3),
        diagonal(CROSS, 0, 3),
        harden(CROSS, 0, 3),
        sample(CROSS, 0, 3, 1),
        set_row(CROSS, None, 0, (0.0, 0.0, 0.0, 1.0), 1.0),
        window(CROSS, None, 3, 1),
    ],
    ids=lambda edit: type(edit).__name__,
)
def test_an_edit_of_a_word_that_is_not_there_says_so_and_is_left_out(edit: Edit) -> None:
    assert not meets(edit, ROWS, COLUMNS)
    assert "no effect here, because this sentence is shorter" in describe((edit,), queries=ROWS, keys=COLUMNS)
    kept = mask_key(CROSS, 2)
    assert meets(kept, ROWS, COLUMNS)
    assert describe((kept, edit), queries=ROWS, keys=COLUMNS).startswith("“</s>”")
    assert meeting(translation(COLUMNS, ROWS), (kept, edit)) == (kept,)
