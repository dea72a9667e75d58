"""What an edit did: sums over words, changed words, and ranks, against values worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.edits import mask_key
from models.trace import AttentionTrace, TokenSequence
from tests.support.small_models import translator
from viz.measures.consequence import changed_words, rank_agreement, word_changes, words_of_target

SOURCE = "the cat sleeps in the house"


def written(text: str) -> AttentionTrace:
    return translator("luong-general").attend(SOURCE, text)


def test_a_word_has_the_sum_of_its_pieces() -> None:
    model = translator("luong-general")
    before = model.attend(SOURCE, "le Donaudampfschiff, l'eau")
    after = model.attend(SOURCE, "le Donaudampfschiff, l'eau", edits=[mask_key("decoder.0.cross", 1)])
    changes = word_changes(before, after)
    assert [each.text for each in changes] == list(before.target.word_texts)
    assert len(before.target) > len(changes)
    assert sum(each.before for each in changes) == pytest.approx(sum(step.log_probability for step in before.steps))
    assert sum(each.after for each in changes) == pytest.approx(sum(step.log_probability for step in after.steps))
    assert [each.space for each in changes] == [True, True, False, True, False, False]
    first = before.target.words.index(1)
    pieces = [place for place, word in enumerate(before.target.words) if word == 1]
    assert changes[1].after == pytest.approx(sum(after.steps[place].log_probability for place in pieces))
    assert changes[1].alternatives == after.steps[first].alternatives
    assert any(abs(each.change) > 1e-3 for each in changes)


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="different tokens"):
        word_changes(written("le chat"), written("la maison"))


def test_changed_words_are_marked_in_their_order() -> None:
    found = changed_words(written("le chat dort dans la maison"), written("le chien dort la maison bleue"))
    assert [(each.text, each.kind) for each in found] == [
        ("le", "same"),
        ("chat", "gone"),
        ("chien", "new"),
        ("dort", "same"),
        ("dans", "gone"),
        ("la", "same"),
        ("maison", "same"),
        ("bleue", "new"),
    ]


words = st.lists(st.sampled_from(["le", "la", "chat", "dort"]), min_size=1, max_size=6).map(" ".join)


@given(words, words)
def test_both_texts_can_be_read_off_the_marks(old: str, new: str) -> None:
    found = changed_words(written(old), written(new))
    assert [each.text for each in found if each.kind != "new"] == old.split()
    assert [each.text for each in found if each.kind != "gone"] == new.split()


def test_pieces_are_added_up_by_word() -> None:
    target = TokenSequence(("a", "b", "c", "d"), (5, 6, 7, 2), (0, 0, 1, 2), ("ab", "c", "d"))
    np.testing.assert_allclose(words_of_target(np.array([[1, 2, 3, 4], [0, 1, 0, 1]]), target), [[3, 3, 4], [1, 0, 1]])


def test_ranks_agree_disagree_or_are_unknown() -> None:
    weights = np.array([[0.1, 0.3, 0.6], [0.1, 0.3, 0.6], [0.2, 0.2, 0.2], [0.1, 0.3, 0.6]])
    effects = np.array([[0.0, 5.0, 6.0], [3.0, 2.0, 1.0], [1.0, 2.0, 3.0], [1.0, 1.0, 1.0]])
    np.testing.assert_allclose(rank_agreement(effects, weights), [1.0, -1.0, np.nan, np.nan])
