"""Parser of lessons: checks keys and links, and takes nothing that fetches or runs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fnmatch import fnmatchcase
from urllib.parse import parse_qsl

from models.edits import read_edit
from models.keys import is_of_hub
from models.mechanisms import mechanisms
from models.messages import Message
from viz.lessons.document import SheetPart, document_of
from viz.lessons.lesson import Expectation, Lesson, LessonStep, Question, Row

Pages = Mapping[str, tuple[str, ...]]
"""The pages that a lesson can show, and what the link of each calls its settings, ``*`` for any part of a name."""

MOVED: Mapping[str, str] = {"open": "heads"}
"""Pages of earlier versions, each with the page that has become its place: old links and lessons lead there."""

KINDS = ("lesson", "exercise")
EDITS = "edits"
BETWEEN_EDITS = "~"
"""What the link calls edits, and what stands between two of them."""

MOST_STEPS, MOST_CHOICES, MOST_CLAIMS, MOST_QUESTIONS, LONGEST_LINE = 60, 8, 40, 3, 200
CLAIMS = ("sentence", "model", "writes", "word", "reads", "head", "least", "most", "edited", "bleu", "aer", "is")
"""What a step can claim of a model."""

COMPUTED = ("quantity", "of", "rank")
"""What a step can claim of a quantity: its name, that of one of its values, and that it is the least or the most."""

QUANTITIES = (
    "score",
    "exponential",
    "sum-of-exponentials",
    "probability",
    "attention",
    "moved",
    "added-to-the-logit",
    "lost-without-the-word",
    "lost-word-by-word",
    "lost-without-the-head",
    "lost-by-the-edits",
    "heads",
    "heads-that-change-the-translation",
    "label",
    "induction",
    "first-token",
    "next-token",
    "alignment-error",
    "alignment-error-as-written",
    "sink",
    "size-of-a-query",
    "spread-of-rows",
    "card",
    "BLEU-of-twins",
    "BLEU-of-pattern",
    "measured-in-training",
    "memory",
    "classifier",
    "book",
    "error-runs",
    "largest-random-weight",
)
"""What ``quantity`` can name; `viz.lessons.quantities` computes them."""

GIVEN = "given"
"""A number that a step itself supposes: nothing is measured."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_HTML = re.compile(r"<(?!/?(?:s|pad|unk)>)[A-Za-z!/?][^>]*>")
_PICTURE = re.compile(r"!\[")
_OPENS_A_HUB = "hub"


def is_name(text: str) -> bool:
    """Return whether a lesson can be called `text`: letters, digits, hyphens, at most 64."""
    return _NAME.fullmatch(text) is not None


def read_lesson(data: bytes, *, file: str, name: str, pages: Pages) -> Lesson:
    """Return the lesson that a file holds."""
    whole = document_of(data, file)
    found = whole.fields(("title", "language", "steps"), ("about", "minutes", "kind", "number", "questions"))
    language = found["language"].text(20)
    if not re.fullmatch(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*", language):
        raise found["language"].error(Message("a language code is expected, such as “en” or “zh”"))
    return Lesson(
        name=name,
        title=_prose(found["title"], LONGEST_LINE),
        language=language,
        steps=tuple(_step(each, pages) for each in found["steps"].items(MOST_STEPS)),
        about=_prose(found["about"], 2 * LONGEST_LINE) if "about" in found else "",
        minutes=found["minutes"].number(1, 600) if "minutes" in found else 0,
        kind=found["kind"].one_of(KINDS) if "kind" in found else KINDS[0],
        number=found["number"].number(0, 9999) if "number" in found else 0,
        questions=_asked_twice(found["questions"]) if "questions" in found else (),
    )


def _asked_twice(part: SheetPart) -> tuple[Question, ...]:
    """Return the questions that are asked before the lesson and after it."""
    found = tuple(map(_question, part.items(MOST_QUESTIONS)))
    if any(each.mark for each in found):
        raise part.error(
            Message("questions before and after a lesson need “choices” and “right”: no row is marked there")
        )
    return found


def _has(names: Sequence[str], name: str) -> bool:
    return any(fnmatchcase(name, each) for each in names)


def _prose(part: SheetPart, most: int = 4000) -> str:
    """Return Markdown that shows no HTML and fetches no picture."""
    text = part.text(most)
    if found := _HTML.search(text):
        raise part.error(Message("HTML is not allowed: {text}", text=found[0][:LONGEST_LINE]))
    if _PICTURE.search(text):
        raise part.error(Message("pictures are not allowed: the page itself is the picture"))
    return text


def _step(part: SheetPart, pages: Pages) -> LessonStep:
    found = part.fields(("text", "page"), ("title", "link", "point", EDITS, "question", "hint", "answer", "expect"))
    named = found["page"].one_of((*pages, *(old for old, new in MOVED.items() if new in pages)))
    page = MOVED.get(named, named)
    link = _link(found["link"], pages[page]) if "link" in found else {}
    if EDITS in found:
        link |= {EDITS: _edits(found[EDITS], pages[page])}
    return LessonStep(
        text=_prose(found["text"]),
        page=page,
        link=link,
        title=_prose(found["title"], LONGEST_LINE) if "title" in found else "",
        point=_row(found["point"], ("word",), ("mechanism",)) if "point" in found else None,
        question=_question(found["question"]) if "question" in found else None,
        hint=_prose(found["hint"]) if "hint" in found else "",
        answer=_prose(found["answer"]) if "answer" in found else "",
        expect=tuple(_expectation(each) for each in found["expect"].items(MOST_CLAIMS)) if "expect" in found else (),
    )


def _link(part: SheetPart, names: Sequence[str]) -> dict[str, str]:
    """Return the settings of a page; a link of the hub is refused: opening a lesson must not fetch a model."""
    if part.is_text:
        pairs = parse_qsl(part.text().lstrip("?"), keep_blank_values=True, max_num_fields=60)
        given = [(part, name, value) for name, value in pairs]
    else:
        given = [(each, name, each.text()) for name, each in part.named().items()]
    for where, name, value in given:
        if not _has(names, name):
            raise where.error(Message("the page has no setting “{name}”", name=name))
        if is_of_hub(value) or value == _OPENS_A_HUB:
            raise where.error(Message("a lesson cannot open a Hub model: “{value}”", value=value[:LONGEST_LINE]))
    found = {name: value for _where, name, value in given}
    if len(found) < len(given):
        raise part.error(Message("a setting appears twice in the link"))
    return found


def _edits(part: SheetPart, names: Sequence[str]) -> str:
    """Return edits as the link holds them."""
    if not _has(names, EDITS):
        raise part.error(Message("this page does not support edits"))
    for each in part.items(MOST_CLAIMS):
        try:
            read_edit(each.text())
        except ValueError as error:
            raise each.error(Message("this is not a valid edit ({reason})", reason=error)) from error
    return BETWEEN_EDITS.join(each.text() for each in part.items(MOST_CLAIMS))


def _row(part: SheetPart, required: Collection[str], optional: Collection[str] = ()) -> Row:
    found = part.fields(required, optional)
    mechanism = found["mechanism"].one_of(tuple(mechanisms())) if "mechanism" in found else ""
    return Row(mechanism, found["word"].text(LONGEST_LINE))


def _question(part: SheetPart) -> Question:
    found = part.fields(("ask",), ("choices", "right", "mark"))
    ask = _prose(found["ask"])
    if ("choices" in found) == ("mark" in found) or ("choices" in found) != ("right" in found):
        raise part.error(Message("a question needs “choices” and “right”, or “mark”"))
    if "mark" in found:
        return Question(ask, mark=_row(found["mark"], ("mechanism", "word")))
    choices = tuple(_prose(each, 400) for each in found["choices"].items(MOST_CHOICES))
    return Question(ask, choices, found["right"].number(1, len(choices)))


def _expectation(part: SheetPart) -> Expectation:
    found = part.fields((), (*CLAIMS, *COMPUTED, GIVEN))
    if not {"model", "quantity", GIVEN} & found.keys():
        raise part.error(Message("a claim needs a “model”, a “quantity” or a “given” number"))
    if "quantity" in found:
        found["quantity"].one_of(QUANTITIES)
    if "rank" in found:
        found["rank"].one_of(("least", "most"))
    return Expectation(part.line, {name: each.text() for name, each in found.items()})
