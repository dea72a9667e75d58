"""Record of a room: teacher's place, question and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.errors import InputError
from models.messages import Message

MOST_ROOMS = 200
MOST_ROOMS_OF_ADDRESS = 50
"""Of those, opened from one address: a school's."""

MOST_MEMBERS = 300
"""Of a room; a class has forty."""

MOST_QUESTIONS = 200
LONGEST_LEAD = 100_000
"""Characters of a page's link, its sentence in it."""

LONGEST_ANSWER, LONGEST_WORDS, LONGEST_TITLE = 8_000, 40_000, 1_000
"""Characters of an answer as it is kept, of the words of a question, and of what it is called."""

MOST_SENTENCES, LONGEST_SENTENCE, LONGEST_FOUND = 100, 200, 4_000
"""Sentences of a room, characters of one, and of what is kept of what the models made of it."""

MOST_LESSON_BYTES = 20 * 2**20
"""Of the lessons that all rooms together carry; each has at most `viz.lessons.document.LARGEST`."""

MOST_ROOM_BYTES = 4 * 2**20
"""Of what is asked and answered in a room."""

MOST_FILE_BYTES = 512 * 2**20
"""Of the file of all rooms."""

HOUR, DAY = 3600.0, 24 * 3600.0
"""Seconds after which a room that nobody has joined makes place for a new one, and after which any room is cleared."""


class RoomError(InputError):
    """Something that a room does not allow; the message says what and why."""


class LockedError(RoomError):
    """The room is closed to newcomers."""

    def __init__(self, code: str) -> None:
        super().__init__(Message("Room {code} accepts no new members. Ask your teacher.", code=code))


class NoRoomError(RoomError):
    """There is no such room, or no more."""

    def __init__(self, code: str) -> None:
        super().__init__(Message("No room {code} found. Check the letters. A room ends after a day.", code=code))


@dataclass(frozen=True, slots=True)
class Lead:
    """Where the teacher stands."""

    page: str  # address of the page
    link: Mapping[str, str] = field(default_factory=dict)  # what its link says


@dataclass(frozen=True, slots=True)
class Counters:
    """How often something of a room has changed: who knows the numbers knows whether there is something new."""

    lead: int = 0  # where the teacher stands
    shown: int = 0  # what is asked, and whether it is revealed
    members: int = 0  # who is there, and what they have sent


@dataclass(frozen=True, slots=True)
class Room:
    """A room."""

    code: str
    channel: str  # under what its members listen for changes: nobody else knows it
    lead: Lead | None  # none before the teacher's page has been shown once
    asked: str  # the question that was asked last; empty for none
    counters: Counters
    joined: int  # how many have joined
    answered: int  # how many have answered the question that was asked last
    lesson: str = ""  # the name of the lesson that the room carries; empty for none
    is_locked: bool = False  # whether nobody else may join
    sent: int = 0  # sentences of students
    run: int = 0  # those of them that the models have translated


@dataclass(frozen=True, slots=True)
class RoomQuestion:
    """A question that the teacher has asked."""

    key: str
    title: str = ""
    words: tuple[str, ...] = ()  # what was to be marked or chosen among
    is_choice: bool = False  # whether one of them is chosen; else each has a height
    right: int = -1  # of choices, from 0; -1 where none is
    model: tuple[float, ...] = ()  # what the model reads of each word; empty for choices
    revealed: bool = False
