"""Record of a lesson: title, language, and steps that each show a page by its link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.errors import InputError
from models.messages import Message


class LessonError(InputError):
    """A file that is no lesson: says the file, the line, the key, and what is wrong with it."""

    def __init__(self, file: str, line: int, key: str, reason: Message) -> None:
        if key:
            said = Message("{file}, line {line}, {key}: {reason}", file=file, line=line, key=key, reason=reason)
        else:
            said = Message("{file}, line {line}: {reason}", file=file, line=line, reason=reason)
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class Row:
    """A word that a mechanism writes: a row of its map."""

    mechanism: str  # such as ``bahdanau``
    word: str  # as the model writes it on the step's sentence, or a word of the sentence if `mechanism` is empty


@dataclass(frozen=True, slots=True)
class Question:
    """A question: choices of which one is right, or a row whose reading the student marks before it is shown."""

    ask: str  # in Markdown
    choices: tuple[str, ...] = ()  # in Markdown; empty for a question whose words are marked
    right: int = 0  # of the choices, from 1; 0 without choices
    mark: Row | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a step says of a model: data that `viz.lessons.expectations` holds against the model."""

    line: int  # of the file
    claims: Mapping[str, str]  # see `docs/lessons.md`


@dataclass(frozen=True, slots=True)
class LessonStep:
    """A step of a lesson."""

    text: str  # in Markdown
    page: str  # address of the page that is shown
    link: Mapping[str, str] = field(default_factory=dict)  # its settings, as its link holds them, edits among them
    title: str = ""
    point: Row | None = None  # what is pointed at on the Bench
    question: Question | None = None
    hint: str = ""  # in Markdown; empty for none
    answer: str = ""  # in Markdown; empty for none
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson."""

    name: str  # what the link calls it: the name of its file
    title: str
    language: str  # A code such as ``en`` or ``zh``
    steps: tuple[LessonStep, ...]  # at least one
    about: str = ""  # one line for the list of lessons
    minutes: int = 0  # about how long it takes; 0 if that is not said
    kind: str = "lesson"  # ``lesson`` or ``exercise``
    number: int = 0  # its place in the list
    questions: tuple[Question, ...] = ()  # with choices, asked before the first step and after the last
