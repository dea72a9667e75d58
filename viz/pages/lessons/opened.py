"""Opened sentence of a class: a vote on which model fails, what each wrote, and where the winner is taken."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import streamlit as st

from models.mechanisms import mechanisms, multi_head
from viz.rooms.room import Room, RoomError
from viz.rooms.sentences import NONE, Sentence
from viz.rooms.wall import rows_of_models
from viz.server.rooming import shared_rooming
from viz.text.language import _
from viz.widgets import session
from viz.widgets.room.asking import AskedInRoom, asked
from viz.widgets.room.class_picture import show_class
from viz.widgets.room.here import take_class, tell
from viz.widgets.room.who import Here


def title_of(model: str) -> str:
    """Return what a choice of the vote is called."""
    return _("none of them") if model == NONE else _(mechanisms()[model].title)


def show_opened(now: Here, room: Room) -> None:
    """Show the sentence that the class votes on; nothing if none is open."""
    sentence = shared_rooming().store.sentence(now.code, room.asked)
    together = asked(sentence.question()) if sentence else None
    if sentence is None or together is None:
        return
    titles = tuple(title_of(each) for each in together.question.words)
    with st.container(border=True, key="sentence-opened"):
        st.html(f'<p class="sentence-open"><bdi dir="auto">{escape(sentence.text)}</bdi></p>')
        if together.question.revealed:
            st.html(rows_of_models(sentence, title_of))
            show_class(replace(together, question=replace(together.question, words=titles)))
        else:
            _vote(together, titles)
        if now.leads:
            _lead_on(now, room, together, sentence)


def _vote(together: AskedInRoom, titles: tuple[str, ...]) -> None:
    """Let a student say which model fails, and the teacher reveal what all said."""
    key = together.question.key
    st.markdown("**" + _("Which model translates this sentence worst?") + "**")
    if together.here.leads:
        together.offer(tuple, key)
        return
    sent = together.sent.index(max(together.sent)) if together.sent else None
    st.radio(
        _("Your answer"),
        range(len(titles)),
        index=sent,
        format_func=titles.__getitem__,
        key=f"vote-{key}",
        label_visibility="collapsed",
    )
    together.offer(lambda: [float(each == session.recall(f"vote-{key}")) for each in range(len(titles))], key)


def _lead_on(now: Here, room: Room, together: AskedInRoom, sentence: Sentence) -> None:
    """Show the teacher what is done with an opened sentence."""
    with st.container(horizontal=True, gap="small", key="sentence-on"):
        if together.question.revealed:
            together.offer_again(together.question.key)
            model = _worst(together)
            st.button(
                _("Take it to Surgery: {title}", title=title_of(model)),
                icon=":material/content_cut:",
                key="sentence-surgery",
                on_click=take_class,
                args=("surgery", {"sentence": sentence.text, "languages": sentence.pair, "model": model}),
            )
            heads = f"{multi_head().key}-{sentence.pair}"
            st.button(
                _("Take it to Heads: {title}", title=title_of(multi_head().key)),
                icon=":material/grid_view:",
                key="sentence-heads",
                on_click=take_class,
                args=("heads", {"sentence": sentence.text, "model": heads}),
            )
        st.button(
            _("Remove"), icon=":material/delete:", key="remove-opened", on_click=remove, args=(now, room, sentence)
        )


def _worst(together: AskedInRoom) -> str:
    """Return the model that most of the class named; the last of them where nobody named one."""
    models, shares = together.question.words[:-1], together.tally().shares
    return models[max(reversed(range(len(models))), key=shares.__getitem__)]


def remove(now: Here, room: Room, sentence: Sentence) -> None:
    """Take a sentence off the wall; as a callback of a control of the teacher."""
    try:
        with shared_rooming().telling(room) as store:
            store.remove_sentence(now.code, now.key, sentence)
    except RoomError as error:
        tell(error)
    st.rerun()  # the whole app: the bar shows what is asked
