"""Multiple-choice question of a step, with its answer kept for the worksheet."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

import models
from models.messages import Message
from viz.lessons.lesson import Question as AskedInLesson
from viz.lessons.lesson import Row
from viz.rooms.room import RoomQuestion
from viz.server.opening import ModelUnavailableError
from viz.server.runtime import shared_host
from viz.text.language import _, say
from viz.text.markup import plain
from viz.views.view import View, choose_view
from viz.widgets import session
from viz.widgets.language_pair import LANGUAGES
from viz.widgets.lesson.place import LessonPlace, asked_for
from viz.widgets.prediction import predict
from viz.widgets.room.asking import asked, waiting_for
from viz.widgets.room.class_picture import show_class
from viz.widgets.sentence import SENTENCE, USUAL, first_of

_ANSWERS = "lesson-answers"


def show_question(place: LessonPlace, question: AskedInLesson) -> None:
    """Show a question, and say whether what is chosen is right."""
    st.markdown(question.ask)
    if waiting_for(place) == "asking":
        st.caption(_("Your teacher has not asked this yet."))
        return
    if question.mark is not None:
        _mark(place, question.mark)
        return
    together = asked(RoomQuestion(place.code, title_of(place), question.choices, True, question.right - 1))
    revealed = together is not None and together.question.revealed
    given, key = answers().get(place.code), f"lesson-question-{place.code}"
    chosen = st.radio(
        _("Your answer"),
        range(1, len(question.choices) + 1),
        index=None if given is None else given - 1,
        format_func=lambda each: question.choices[each - 1],
        key=key,
        label_visibility="collapsed",
        disabled=revealed,
    )
    if chosen is not None:
        keep_answer(place.code, chosen)
    if together is not None and not revealed:
        together.offer(lambda: _marked(key, len(question.choices)), place.code)
        return
    if chosen is not None:
        _say(chosen == question.right)
    if together is not None:
        show_class(together, place.lesson.language)
        together.offer_again(place.code)


def _marked(key: str, count: int) -> list[float]:
    """Return what is chosen in a control as heights, one for each choice."""
    return [float(each == session.recall(key)) for each in range(1, count + 1)]


def title_of(place: LessonPlace) -> str:
    """Return what a step is called, as for somebody who has its answers before them."""
    return _("{title}, step {number}", title=place.lesson.title, number=place.number)


def _say(is_right: bool) -> None:
    if is_right:
        st.success(_("Right."), icon=":material/check:")
    else:
        st.info(_("Not yet: look at the picture again."), icon=":material/replay:")


def _mark(place: LessonPlace, row: Row) -> None:
    """Let the reader mark what the row of a word will read, before it is shown."""
    step = place.step
    try:
        view, number = marked_row(step.link, row)
    except (models.InputError, ModelUnavailableError) as error:
        st.error(plain(say(error)), icon=":material/edit_document:")
        return
    predict(
        view,
        number,
        identity=asked_for(place),
        key="lesson",
        code=pair_in(step.link).split("-")[0],
        title=title_of(place),
    )


def pair_in(link: Mapping[str, str]) -> str:
    """Return the languages of a step, such as ``en-fr``."""
    return link.get(LANGUAGES.name, USUAL)


def marked_row(link: Mapping[str, str], row: Row) -> tuple[View, int]:
    """Return the map in which a reader marks a row, and which row of it is meant."""
    pair = pair_in(link)
    view = choose_view(shared_host().attend(f"{row.mechanism}-{pair}", link.get(SENTENCE.name, first_of(pair))))
    words = view.shown.query_tokens.texts
    if row.word not in words:
        raise models.InputError(Message("The model does not write “{word}” here.", word=row.word))
    return view, words.index(row.word)


def keep_answer(code: str, chosen: int) -> None:
    """Keep what was answered to a question for this visit."""
    session.keep(_ANSWERS, answers() | {code: chosen})


def answers() -> dict[str, int]:
    """Return what was answered in this visit, from 1, by the code of the step."""
    found: dict[str, int] = session.recall(_ANSWERS, {})
    return found
