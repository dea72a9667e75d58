"""Edits as steps: undo restores what was, text carries it, words name it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from models.edits import Edit, keep_heads, mask_key, scale_scores, set_row, window, zero_head
from viz.widgets.edits.history import LONGEST, MOST_EDITS, Action, History, read_history

POOL: tuple[Action, ...] = (
    (zero_head("decoder.*.cross", 1),),
    (keep_heads("encoder.0.self", (0, 2)),),
    (mask_key("decoder.0.cross", 1), mask_key("decoder.0.cross", 2)),
    (set_row("decoder.0.cross", None, 3, (0.25, 0.75), 0.5),),
    (scale_scores("*.*.*", 0.5),),
    (window("decoder.0.cross", None, 2, 1),),
)
actions = st.lists(st.sampled_from(POOL), max_size=8)
moves = st.lists(st.one_of(st.sampled_from(["undo", "redo", "clear"]), st.sampled_from(POOL), st.integers(0, 9)))


@given(actions)
def test_text_carries_what_is_in_force(done: list[Action]) -> None:
    history = History(tuple(done))
    assert read_history(history.to_text()) == (history, ())


@given(actions, st.sampled_from(POOL))
def test_undo_gives_back_what_was_and_redo_what_came(done: list[Action], action: Action) -> None:
    history = History(tuple(done))
    after = history.add(action)
    assert after.edits == (*history.edits, *action)
    assert after.undo().done == history.done
    assert after.undo().redo() == after
    assert history.clear().done == ()
    again = history.clear()
    for _action in done:
        again = again.redo()
    assert again.done == history.done


@given(moves)
def test_nothing_is_ever_lost_or_made_up_but_by_a_new_edit(steps: list[object]) -> None:
    history = History()
    for step in steps:
        before = sorted(map(repr, (*history.done, *history.undone)))
        if isinstance(step, tuple):
            history = history.add(step)
            continue
        if isinstance(step, int):
            if step >= len(history.done):
                continue
            history = history.without(step)
        else:
            history = getattr(history, str(step))()
        assert sorted(map(repr, (*history.done, *history.undone))) == before


@given(st.text())
def test_any_text_is_read_without_an_error(text: str) -> None:
    history, unknown = read_history(text)
    assert all(isinstance(edit, Edit) for edit in history.edits)
    assert bool(unknown) or read_history(history.to_text())[0] == history


def test_a_link_holds_so_many_edits_and_no_more() -> None:
    history = History()
    for _time in range(LONGEST + 5):
        history = history.add(POOL[0])
    assert len(history.done) == LONGEST
    assert len(read_history("~".join([POOL[0][0].to_text()] * (LONGEST + 5)))[0].done) == LONGEST


def test_all_actions_together_have_so_many_edits_and_no_more() -> None:
    word: Action = tuple(mask_key("decoder.0.cross", place) for place in range(MOST_EDITS - 10))
    history = History().add(word)
    assert len(history.edits) == MOST_EDITS - 10
    assert history.add(word) == history  # a second such action is not done
    assert len(history.add(word[:10]).edits) == MOST_EDITS
    text = " ".join(["mask_key(decoder.0.cross,1)"] * 1600)
    assert read_history(text) == (History(), (text,))
    text = f"{history.to_text()}~{POOL[0][0].to_text()}~{history.to_text()}"
    assert read_history(text) == (History((word, POOL[0])), (history.to_text(),))
