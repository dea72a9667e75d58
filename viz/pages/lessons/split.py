"""Sentences of a class on the Lessons page: each student sends one, the teacher's wall ranks them unseen."""

from __future__ import annotations

from html import escape
from pathlib import Path

import streamlit as st

from models.messages import Message
from viz.pages.lessons.opened import remove, show_opened, title_of
from viz.rooms.room import Room, RoomError
from viz.rooms.sentences import Sentence, cleaned
from viz.rooms.tally import tally_of
from viz.rooms.wall import html_of_sentences, ranking
from viz.server.rooming import shared_rooming
from viz.server.splitting import shared_splitter
from viz.text.language import _, _n, mark, say
from viz.text.markup import plain
from viz.widgets import session
from viz.widgets.frame import Frame
from viz.widgets.keep import in_this_language
from viz.widgets.language_pair import LANGUAGES, choose_pair, installed_pairs
from viz.widgets.room.here import here, room_now, tell
from viz.widgets.room.who import Here
from viz.widgets.sentence import USUAL, languages_of
from viz.widgets.settings import Switch, link, switch
from viz.widgets.unsuited import reads_script

SPLIT = Switch("split", title=mark("Everybody's own sentence: split the models"))
SHEET = Path(__file__).with_suffix(".css")
_TYPED, _KEPT, _REFUSED = "sentence-typed", "sentence-kept", "sentence-refused"


def show_split(frame: Frame) -> bool:
    """Show the sentences of the class, if the visitor is in a room and they are wanted; return whether they are."""
    now, room = here(), room_now()
    if now is None or room is None:
        if link.text_of(SPLIT) == "on":
            frame.messages.info(_("Open or join a room first. There everyone sends a sentence."))
        return False
    if not switch(SPLIT, default=False):
        return False
    with st.container(key="figure-split"):
        try:
            if now.leads:
                pair = choose_pair(turned=frame.turned)
                show_opened(now, room)
                _show_wall(now, room, pair)
            else:
                show_opened(now, room)
                _show_mine(now, room)
        except RoomError as error:
            tell(error)
    return True


# A student ------------------------------------------------------------------------------------------------------------


def _show_mine(now: Here, room: Room) -> None:
    """Let a student send a sentence, and say what has become of it."""
    led = room.lead.link.get(LANGUAGES.name, USUAL) if room.lead else USUAL
    pair = led if led in installed_pairs() else USUAL
    sent = shared_rooming().store.sentence_of(now.code, now.member)
    if sent is not None and not sent.text:
        st.info(_("Your teacher has removed your sentence."), icon=":material/delete:")
        return
    st.subheader(_("Your sentence"), anchor=False)
    st.caption(
        _("Find a sentence on which the three models disagree. Nobody else sees it until your teacher opens it.")
    )
    if session.recall(_TYPED) is None:  # on a page that was left in between
        session.put_control(_TYPED, session.recall(_KEPT, ""))
    typed = st.text_input(
        _("A sentence in {source}", **languages_of(pair)), key=_TYPED, autocomplete="off", on_change=_forget_refusal
    )
    session.keep(_KEPT, typed or "")
    label = _("Send again") if sent else _("Send to the class")
    st.button(label, icon=":material/send:", type="primary", key="sentence-send", on_click=_send, args=(room, pair))
    refused: RoomError | None = session.recall(_REFUSED)
    if refused is not None:
        st.error(plain(say(refused)), icon=":material/edit:")
    elif sent is not None:
        st.success(plain(_("Sent, without your name: “{sentence}”", sentence=sent.text)), icon=":material/check:")


def _forget_refusal() -> None:
    session.forget(_REFUSED)


def _send(room: Room, pair: str) -> None:
    """Send what was typed; what is wrong with it is said below the box, which keeps it."""
    now, typed = here(), str(session.recall(_TYPED) or "")
    session.keep(_KEPT, typed)
    session.forget(_REFUSED)
    if now is None:
        return
    try:
        text, rooming = cleaned(typed), shared_rooming()
        if not reads_script(text, pair):
            raise RoomError(Message("These models only read {source}. Please write in that language.", **_source(pair)))
        rooming.check_sentence(now.member, now.code)
        with rooming.telling(room) as store:
            store.gather(now.code, now.member, pair, text)
        shared_splitter().wake()
    except RoomError as error:
        session.keep(_REFUSED, error)


def _source(pair: str) -> dict[str, str]:
    return {"source": languages_of(pair)["source"]}


# The teacher ----------------------------------------------------------------------------------------------------------


def _show_wall(now: Here, room: Room, pair: str) -> None:
    """Show a card a sentence, unseen until it is opened, those on which the models disagree most first."""
    store = shared_rooming().store
    sentences = store.sentences(now.code)
    waiting = sum(each.found is None for each in sentences)
    if waiting:  # those that a server did not come to before it was started again are among them
        shared_splitter().wake()
    st.subheader(_("The wall"), anchor=False)
    says = _("Students type a sentence in {source} on this page.", **_source(pair))
    counted = _n("{count} sentence", "{count} sentences", len(sentences))
    st.caption(f"{says} {counted}" + (" · " + _n("{count} waits", "{count} wait", waiting) if waiting else ""))
    if not sentences:
        return
    st.caption(ranking())
    with st.container(horizontal=True, gap="small", key="sentences"):
        for place, each in enumerate(sentences, 1):
            _card(now, room, place, each)
    st.download_button(
        _("The wall as one file (HTML)"),
        in_this_language(lambda: _file(now)),
        file_name=f"sentences-{now.code}.html",
        mime="text/html",
        on_click="ignore",
        icon=":material/download:",
        key="sentences-file",
    )


def _card(now: Here, room: Room, place: int, sentence: Sentence) -> None:
    """Show a sentence's numbers, and behind a button what it says."""
    found, is_open = sentence.found, bool(shared_rooming().store.question(now.code, sentence.key))
    with st.container(border=True, width=230, gap="xsmall", key=f"card-{sentence.number}"):
        text = f'<bdi dir="auto">{escape(sentence.text)}</bdi>' if is_open else "• • •"
        st.html(f'<div class="sentence-card"><b>{place}</b><p>{text}</p>{_numbers(sentence)}</div>')
        if found is None or not found.models:
            st.button(_("Remove"), key=f"remove-{sentence.number}", on_click=remove, args=(now, room, sentence))
            return
        key = f"look-{sentence.number}-{is_open}"  # another one, which is closed, once it is opened
        with st.popover(_("Look"), icon=":material/visibility:", type="tertiary", key=key):
            st.html(f'<p class="sentence-look"><bdi dir="auto">{escape(sentence.text)}</bdi></p>')
            with st.container(horizontal=True):
                about = (now, room, sentence)
                st.button(
                    _("Open for the class"),
                    type="primary",
                    key=f"open-{sentence.number}",
                    on_click=_open,
                    args=about,
                )
                st.button(_("Remove"), key=f"remove-{sentence.number}", on_click=remove, args=about)


def _numbers(sentence: Sentence) -> str:
    found = sentence.found
    if found is None:
        running = _("The models are running …")
        return f"<small>{escape(running)}</small>"
    if not found.models:
        missing = _("The models could not run this sentence.")
        return f"<small>{escape(missing)}</small>"
    rows = ((_("words"), found.words), (_("maps"), found.maps))
    return "".join(
        f'<div class="sentence-bar"><span>{escape(name)}</span><i style="--share:{share:.3f}"></i>{share:.2f}</div>'
        for name, share in rows
    )


def _open(now: Here, room: Room, sentence: Sentence) -> None:
    try:
        with shared_rooming().telling(room) as store:
            store.ask(now.code, now.key, sentence.question())
    except RoomError as error:
        tell(error)
    st.rerun()  # the whole app: the bar shows what is asked


def _file(now: Here) -> str:
    store = shared_rooming().store
    sentences = store.sentences(now.code)
    tallies = {}
    for each in sentences:
        size = len(each.question().words)
        tallies[each.number] = tally_of(store.answers(now.code, each.key), size)
    return html_of_sentences(sentences, tallies, title_of)
