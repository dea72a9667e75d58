"""Sentences of a room: one a student, bounded, ranked by disagreement, gone once the teacher has removed them."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.rooms import room as bounds
from viz.rooms.room import RoomError, RoomQuestion
from viz.rooms.sentences import NONE, SplitResult, cleaned
from viz.rooms.store import Store

PAIR = "en-fr"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(tmp_path / "rooms.sqlite")
    yield made
    made.close()


def found(words: float, maps: float = 0.0) -> SplitResult:
    return SplitResult(("bahdanau", "transformer"), ("Un.", "Deux."), words, maps)


def test_sentences_are_run_one_after_another_and_ranked_by_how_much_the_models_disagree(store: Store) -> None:
    code, _key = store.open_room()
    members = [store.join(code) for _ in range(3)]
    for number, member in enumerate(members):
        store.gather(code, member, PAIR, f"Sentence {number}.")
    assert [each.found for each in store.sentences(code)] == [None] * 3
    for share in (0.1, 0.9, 0.5):
        taken = store.waiting()
        assert taken is not None
        store.settle_sentence(code, taken[1].number, found(share, share / 2))
    assert store.waiting() is None
    assert store.room(code).run == 3
    assert [each.text for each in store.sentences(code)] == ["Sentence 1.", "Sentence 2.", "Sentence 0."]
    assert store.sentences(code)[0].found == found(0.9, 0.45)


def test_a_room_that_sends_much_makes_no_other_wait(store: Store) -> None:
    busy, other = store.open_room()[0], store.open_room()[0]
    for _each in range(5):
        store.gather(busy, store.join(busy), PAIR, "One of many.")
    store.gather(other, store.join(other), PAIR, "The only one.")
    taken: list[int] = []
    order = []
    while (waits := store.waiting(taken)) is not None:
        order.append(waits[0])
        taken.append(waits[1].number)
    assert order == [busy, other, *[busy] * 4]


def test_a_sentence_is_changed_until_the_class_votes_on_it_and_gone_once_removed(store: Store) -> None:
    code, key = store.open_room()
    ann, ben = store.join(code), store.join(code)
    store.gather(code, ann, PAIR, "First.")
    store.gather(code, ann, PAIR, "Second.")
    (sentence,) = store.sentences(code)
    assert (sentence.text, sentence.found) == ("Second.", None)
    store.settle_sentence(code, sentence.number, found(1))
    (sentence,) = store.sentences(code)
    store.gather(code, ann, PAIR, "Second.")  # sent twice: the models run once
    assert store.sentences(code) == [sentence]
    store.ask(code, key, sentence.question())
    assert store.question(code, sentence.key) == RoomQuestion(
        sentence.key, "Second.", ("bahdanau", "transformer", NONE), is_choice=True
    )
    store.answer(code, ben, sentence.key, [1, 0, 0])
    with pytest.raises(RoomError, match="The class is already voting on your sentence"):
        store.gather(code, ann, PAIR, "Third.")
    with pytest.raises(RoomError, match="not the teacher's"):
        store.remove_sentence(code, "a key of nobody", sentence)
    store.remove_sentence(code, key, sentence)
    assert (store.sentences(code), store.questions(code), store.room(code).asked) == ([], [], "")
    assert store.room(code).run == 0
    with pytest.raises(RoomError, match="removed your sentence"):
        store.gather(code, ann, PAIR, "Again.")
    store.gather(code, ben, PAIR, "Mine.")
    store.leave(code, ben)
    assert store.sentences(code) == []


def test_whoever_is_no_member_sends_nothing_and_a_room_is_bounded(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, _key = store.open_room()
    with pytest.raises(RoomError, match="Join"):
        store.gather(code, "nobody", PAIR, "Hello.")
    monkeypatch.setattr(bounds, "MOST_SENTENCES", 2)
    members = [store.join(code) for _ in range(3)]
    for each in members[:2]:
        store.gather(code, each, PAIR, "Hello.")
    with pytest.raises(RoomError, match="This room has reached its limit of sentences"):
        store.gather(code, members[2], PAIR, "Hello.")
    store.gather(code, members[0], PAIR, "Another.")  # takes no new place


def test_what_the_models_wrote_is_bounded(store: Store) -> None:
    code, _key = store.open_room()
    store.gather(code, store.join(code), PAIR, "Hello.")
    (sentence,) = store.sentences(code)
    store.settle_sentence(code, sentence.number, SplitResult(("a",), ("x" * bounds.LONGEST_FOUND,)))
    assert store.sentences(code)[0].found == SplitResult()


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("  The cat\n\tsleeps.\x00\x1b ", "The cat sleeps."),
        ("<script>alert(1)</script>", "<script>alert(1)</script>"),
        ("evil\u202etxt.exe", "evil txt.exe"),
        ("我爱 apples 👩\u200d🍳", "我爱 apples 👩\u200d🍳"),
        ("a\ud800b", "a b"),
    ],
)
def test_what_shows_nothing_is_left_out(typed: str, kept: str) -> None:
    assert cleaned(typed) == kept


@pytest.mark.parametrize("typed", ["", " \n", "\u202e\x00", "?!", "x" * 201, "x " * 10_000_000])
def test_nothing_and_too_much_are_refused(typed: str) -> None:
    with pytest.raises(RoomError):
        cleaned(typed)


@given(st.text())
def test_a_sentence_is_one_line_that_is_kept_when_it_is_sent_again(typed: str) -> None:
    try:
        line = cleaned(typed)
    except RoomError:
        return
    assert len(line) <= bounds.LONGEST_SENTENCE
    assert cleaned(line) == line
    assert not any(unicodedata.category(each) == "Cc" for each in line)
