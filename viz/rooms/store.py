"""Stored content of rooms: uploaded lesson, questions and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence

from models.messages import Message
from viz.lessons.document import LARGEST
from viz.rooms import room as bounds
from viz.rooms.codes import hash_of
from viz.rooms.room import RoomError, RoomQuestion
from viz.rooms.sentences import Sentences
from viz.rooms.tally import is_answer


class Store(Sentences):
    """The rooms of a server, with what is asked and answered in them."""

    def carry(self, code: str, key: str, name: str, file: bytes) -> None:
        """Let a room carry a teacher's own lesson, in place of the one before, until it is closed."""
        with self._changing(code, key):
            if self.room(code).lesson == name:
                return
            others = self._file.one("SELECT COALESCE(SUM(LENGTH(file)), 0) FROM lessons WHERE code != ?", code)[0]
            if len(file) > LARGEST or others + len(file) > bounds.MOST_LESSON_BYTES:
                raise RoomError(Message("This server has no space for another lesson. The class stays where it is."))
            self._file.do("INSERT OR REPLACE INTO lessons (code, name, file) VALUES (?, ?, ?)", code, name, file)

    def lesson(self, code: str) -> bytes:
        """Return the file of the lesson that a room carries; empty if it carries none."""
        found = self._file.one("SELECT file FROM lessons WHERE code = ?", code)
        return bytes(found[0]) if found else b""

    def ask(self, code: str, key: str, question: RoomQuestion, *more: RoomQuestion) -> None:
        """Ask the class a question; one that was asked before keeps its answers, and stays revealed if it was.

        Asked at once with others it stands for all of them: how many have answered is counted of it.
        """
        with self._changing(code, key):
            new = [self._put_question(code, each) for each in (question, *more)]
            asked = self._file.do(
                "UPDATE rooms SET asked = ? WHERE code = ? AND asked != ?", question.key, code, question.key
            )
            if any(new) or asked:
                self._count(code, "shown")

    def _put_question(self, code: str, question: RoomQuestion) -> bool:
        """Keep a question, and return whether it is new."""
        about, known = _written(question), self._known(code, question.key)
        if known is None:
            self._insert(code, question.key, about)
        elif question.words and known != about:
            self._check_space(code, about)
            self._file.do("UPDATE questions SET about = ? WHERE code = ? AND question = ?", about, code, question.key)
        return known is None

    def reveal(self, code: str, key: str, question: str, *, revealed: bool = True) -> None:
        """Show the class what it answered; or hide that again, and let it answer anew."""
        with self._changing(code, key):
            if self._known(code, question) is None:  # a step that asks nothing: its hint and its answer
                self._insert(code, question, _written(RoomQuestion(question)))
            self._file.do("UPDATE questions SET revealed = ? WHERE code = ? AND question = ?", revealed, code, question)
            if not revealed:
                self._file.do("DELETE FROM answers WHERE code = ? AND question = ?", code, question)
                self._count(code, "members")
            self._count(code, "shown")

    def _known(self, code: str, question: str) -> str | None:
        """Return what is kept of a question; None if it was not asked."""
        found = self._file.one("SELECT about FROM questions WHERE code = ? AND question = ?", code, question)
        return str(found[0]) if found else None

    def _check_space(self, code: str, text: str) -> None:
        """Raise RoomError if a room has no space for a text."""
        held = self._file.one(
            "SELECT (SELECT COALESCE(SUM(LENGTH(CAST(about AS BLOB))), 0) FROM questions WHERE code = ?)"
            " + (SELECT COALESCE(SUM(LENGTH(given || question || member)), 0) FROM answers WHERE code = ?)",
            code,
            code,
        )[0]
        if held + len(text.encode("utf8", "replace")) > bounds.MOST_ROOM_BYTES:
            raise RoomError(Message("This room is full. Open another one."))

    def _insert(self, code: str, question: str, about: str) -> None:
        number = self._file.one("SELECT COUNT(*) FROM questions WHERE code = ?", code)[0]
        if number >= bounds.MOST_QUESTIONS:
            raise RoomError(Message("This room has reached its limit of questions. Open another one."))
        self._check_space(code, about)
        self._file.do(
            "INSERT INTO questions (code, question, number, about) VALUES (?, ?, ?, ?)", code, question, number, about
        )

    def question(self, code: str, question: str) -> RoomQuestion | None:
        """Return a question that the teacher has asked; None if it was not."""
        found = self._file.one(
            "SELECT question, about, revealed FROM questions WHERE code = ? AND question = ?", code, question
        )
        return _read(*found) if found else None

    def questions(self, code: str) -> list[RoomQuestion]:
        """Return all that was asked in a room, in its order."""
        found = self._file.all("SELECT question, about, revealed FROM questions WHERE code = ? ORDER BY number", code)
        return [_read(*each) for each in found]

    def answer(self, code: str, secret: str, question: str, heights: Sequence[float]) -> None:
        """Keep what a member answers, in place of what they answered before."""
        if not is_answer(heights):
            raise RoomError(Message("This is not a valid answer: it needs numbers from 0 to 1."))
        given = json.dumps([round(float(each), 3) for each in heights], separators=(",", ":"))
        if len(given) > bounds.LONGEST_ANSWER:
            raise RoomError(Message("This answer is too long to send."))
        with self._changing():
            asked = self.question(code, question)
            if asked is None or asked.revealed or not self.is_member(code, secret):
                raise RoomError(Message("Nothing was sent. This question is no longer open."))
            self._check_space(code, given)
            self._file.do(
                "INSERT OR REPLACE INTO answers (code, question, member, given) VALUES (?, ?, ?, ?)",
                code,
                question,
                hash_of(secret),
                given,
            )
            self._count(code, "members")

    def answer_of(self, code: str, secret: str, question: str) -> tuple[float, ...] | None:
        """Return what a member has answered; None if nothing."""
        found = self._file.one(
            "SELECT given FROM answers WHERE code = ? AND question = ? AND member = ?",
            code,
            question,
            hash_of(secret),
        )
        return tuple(json.loads(found[0])) if found else None

    def answers_to_both(self, code: str, first: str, second: str) -> list[tuple[list[float], list[float]]]:
        """Return what each member has answered to two questions, of those who answered both."""
        found = self._file.all(
            "SELECT one.given, other.given FROM answers AS one JOIN answers AS other USING (code, member)"
            " WHERE code = ? AND one.question = ? AND other.question = ? ORDER BY member",
            code,
            first,
            second,
        )
        return [(json.loads(one), json.loads(other)) for one, other in found]

    def answers(self, code: str, question: str) -> list[list[float]]:
        """Return what the class has answered, in the order of the members' hashes: nobody can tell who is who."""
        found = self._file.all(
            "SELECT given FROM answers WHERE code = ? AND question = ? ORDER BY member", code, question
        )
        return [json.loads(given) for (given,) in found]


def _written(question: RoomQuestion) -> str:
    about = {
        "title": question.title[: bounds.LONGEST_TITLE],
        "words": question.words,
        "is_choice": question.is_choice,
        "right": question.right,
        "model": question.model,
    }
    text = json.dumps(about, ensure_ascii=False)
    if len(text) > bounds.LONGEST_WORDS or len(question.key) > bounds.LONGEST_TITLE:
        raise RoomError(Message("This question is too long to send to the class."))
    return text


def _read(key: str, about: str, revealed: int) -> RoomQuestion:
    said = json.loads(about)
    said["words"], said["model"] = tuple(said["words"]), tuple(said["model"])
    return RoomQuestion(key, **said, revealed=bool(revealed))
