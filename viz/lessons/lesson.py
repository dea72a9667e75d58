"""What a lesson is: a title, a language, and steps that each show a page as a link describes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from models.errors import InputError
from models.messages import Message


class LessonError(InputError):
    """A file that is no lesson: says the file, the line, the key, and what is wrong with it.

    Parameters
    ----------
    file : str
    line : int
        From 1.
    key : str
        Such as ``steps 2, question, right``; empty for the file as a whole.
    reason : Message
    """

    def __init__(self, file: str, line: int, key: str, reason: Message) -> None:
        if key:
            said = Message("{file}, line {line}, {key}: {reason}", file=file, line=line, key=key, reason=reason)
        else:
            said = Message("{file}, line {line}: {reason}", file=file, line=line, reason=reason)
        super().__init__(said)


@dataclass(frozen=True, slots=True)
class Row:
    """A word that a mechanism writes: a row of its map.

    Parameters
    ----------
    mechanism : str
        Such as ``bahdanau``.
    word : str
        As the model writes it on the step's sentence, or a word of the sentence if `mechanism` is empty.
    """

    mechanism: str
    word: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question: choices of which one is right, or a row whose reading the student marks before it is shown.

    Parameters
    ----------
    ask : str
        In Markdown.
    choices : tuple of str
        In Markdown; empty for a question whose words are marked.
    right : int
        Of the choices, from 1; 0 without choices.
    mark : Row or None
    """

    ask: str
    choices: tuple[str, ...] = ()
    right: int = 0
    mark: Row | None = None


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a step says of a model: data that `viz.lessons.expectations` holds against the model.

    Parameters
    ----------
    line : int
        Of the file.
    claims : mapping of str to str
        See `docs/lessons.md`.
    """

    line: int
    claims: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a lesson.

    Parameters
    ----------
    text : str
        In Markdown.
    page : str
        Address of the page that is shown.
    link : mapping of str to str
        Its settings, as its link holds them, edits among them.
    title : str
    point : Row or None
        What is pointed at on the Bench.
    question : Question or None
    hint, answer : str
        In Markdown; empty for none.
    expect : tuple of Expectation
    """

    text: str
    page: str
    link: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    point: Row | None = None
    question: Question | None = None
    hint: str = ""
    answer: str = ""
    expect: tuple[Expectation, ...] = ()


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson.

    Parameters
    ----------
    name : str
        What the link calls it: the name of its file.
    title : str
    language : str
        A code such as ``en`` or ``zh``.
    steps : tuple of Step
        At least one.
    about : str
        One line for the list of lessons.
    minutes : int
        About how long it takes; 0 if that is not said.
    kind : str
        ``lesson`` or ``exercise``.
    number : int
        Its place in the list.
    """

    name: str
    title: str
    language: str
    steps: tuple[Step, ...]
    about: str = ""
    minutes: int = 0
    kind: str = "lesson"
    number: int = 0
