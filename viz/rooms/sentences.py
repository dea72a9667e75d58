"""Sentences of a class: one a student, what the models made of each, and which the teacher has opened."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection
from dataclasses import asdict, dataclass

from models.messages import CountMessage, Message
from viz.rooms import room as bounds
from viz.rooms.codes import hash_of
from viz.rooms.members import Members
from viz.rooms.room import RoomError, RoomQuestion

NONE = "none"
"""The choice of somebody who expects no model to fail."""

_PREFIX = "sentence-"
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")  # categories of characters that are left out, but for joiners
_JOINER = "\u200d"


@dataclass(frozen=True, slots=True)
class SplitResult:
    """What the models made of a sentence."""

    models: tuple[str, ...] = ()  # the mechanisms; none where the sentence could not be run
    translations: tuple[str, ...] = ()  # of each mechanism
    words: float = 0.0  # how far the translations differ in their content words, from 0 to 1
    maps: float = 0.0  # mean Jensen-Shannon divergence of the maps on one translation, in bits

    @property
    def disagreement(self) -> float:
        """By what sentences are ranked."""
        return (self.words + self.maps) / 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A student's sentence."""

    number: int
    pair: str
    text: str  # empty once the teacher has removed it
    found: SplitResult | None = None  # None until the models have run

    @property
    def key(self) -> str:
        """What the room calls the question which model fails on it."""
        return f"{_PREFIX}{self.number}"

    def question(self) -> RoomQuestion:
        """Return what the class is asked about it."""
        return RoomQuestion(self.key, self.text, (*(self.found or SplitResult()).models, NONE), is_choice=True)


def is_about_sentence(question: str) -> bool:
    """Return whether a question of a room is about a sentence of the class."""
    return question.startswith(_PREFIX)


def cleaned(text: str) -> str:
    """Return a text in one line, without characters that show nothing; raises RoomError where none or too much is left.

    Signs that turn the direction of a line go with them: they would turn what is beside the sentence.
    """
    if len(text) > 100 * bounds.LONGEST_SENTENCE:
        text = text[: 100 * bounds.LONGEST_SENTENCE]  # too long in any case
    kept = (each if each == _JOINER or unicodedata.category(each) not in _UNSEEN else " " for each in text)
    line = " ".join("".join(kept).split())
    if not any(map(str.isalnum, line)):
        raise RoomError(Message("Type a sentence first."))
    if len(line) > bounds.LONGEST_SENTENCE:
        raise RoomError(
            CountMessage(
                "The sentence is too long: at most {count} character. Shorten it.",
                "The sentence is too long: at most {count} characters. Shorten it.",
                bounds.LONGEST_SENTENCE,
            )
        )
    return line


class Sentences(Members):
    """The rooms of a server, with the sentences that students send."""

    def gather(self, code: str, secret: str, pair: str, text: str) -> None:
        """Keep a member's sentence in place of the one before; it waits until the models have run."""
        line = cleaned(text)
        with self._changing():
            if not self.is_member(code, secret):
                raise RoomError(Message("Nothing was sent. Join the room first."))
            before = self.sentence_of(code, secret)
            if before is None:
                self._check_count(code)
            elif not before.text:
                raise RoomError(
                    Message("Your teacher has removed your sentence. You cannot send another one in this room.")
                )
            elif (before.text, before.pair) == (line, pair):
                return
            elif self._file.one("SELECT 1 FROM questions WHERE code = ? AND question = ?", code, before.key):
                raise RoomError(Message("The class is already voting on your sentence. You can no longer change it."))
            member = hash_of(secret)
            self._file.do("DELETE FROM sentences WHERE code = ? AND member = ?", code, member)
            self._file.do(
                "INSERT INTO sentences (code, member, pair, text) VALUES (?, ?, ?, ?)", code, member, pair, line
            )
            self._count(code, "members")

    def _check_count(self, code: str) -> None:
        count = self._file.one("SELECT COUNT(*) FROM sentences WHERE code = ?", code)[0]
        if count >= bounds.MOST_SENTENCES:
            raise RoomError(Message("This room has reached its limit of sentences."))

    def sentence_of(self, code: str, secret: str) -> Sentence | None:
        """Return what a member has sent; None if nothing."""
        found = self._file.one(
            "SELECT number, pair, text, found FROM sentences WHERE code = ? AND member = ?", code, hash_of(secret)
        )
        return _read(*found) if found else None

    def sentence(self, code: str, question: str) -> Sentence | None:
        """Return the sentence that a question is about; None if there is none, or it was removed."""
        return next((each for each in self.sentences(code) if each.key == question), None)

    def sentences(self, code: str) -> list[Sentence]:
        """Return the sentences of a room, those on which the models disagree most first; removed ones are left out."""
        found = self._file.all("SELECT number, pair, text, found FROM sentences WHERE code = ? AND text != ''", code)
        read = [_read(*each) for each in found]
        return sorted(read, key=lambda each: (-each.found.disagreement if each.found else 1.0, each.number))

    def waiting(self, taken: Collection[int] = ()) -> tuple[str, Sentence] | None:
        """Return the room and the sentence that is run next, but none of `taken`; None if none waits.

        First the room of which least was sent before: a room that sends much makes no other one wait.
        """
        found = self._file.all(
            "SELECT code, number, pair, text, found FROM sentences AS mine WHERE found = '' AND text != ''"
            " ORDER BY (SELECT COUNT(*) FROM sentences WHERE code = mine.code AND number < mine.number), number"
        )
        return next(((code, _read(*rest)) for code, *rest in found if rest[0] not in taken), None)

    def settle_sentence(self, code: str, number: int, found: SplitResult) -> None:
        """Keep what the models made of a sentence."""
        text = json.dumps(asdict(found), ensure_ascii=False)
        if len(text) > bounds.LONGEST_FOUND:
            text = json.dumps(asdict(SplitResult()))
        with self._changing():
            if self._file.do("UPDATE sentences SET found = ? WHERE code = ? AND number = ?", text, code, number):
                self._count(code, "members")

    def remove_sentence(self, code: str, key: str, sentence: Sentence) -> None:
        """Take a sentence off the wall for good, with all that was voted on it."""
        with self._changing(code, key):
            self._file.do("UPDATE sentences SET text = '' WHERE code = ? AND number = ?", code, sentence.number)
            self._file.do("DELETE FROM questions WHERE code = ? AND question = ?", code, sentence.key)
            self._file.do("UPDATE rooms SET asked = '' WHERE code = ? AND asked = ?", code, sentence.key)
            self._count(code, "shown")


def _read(number: int, pair: str, text: str, found: str) -> Sentence:
    if not found:
        return Sentence(number, pair, text)
    said = json.loads(found)
    said["models"], said["translations"] = tuple(said["models"]), tuple(said["translations"])
    return Sentence(number, pair, text, SplitResult(**said))
