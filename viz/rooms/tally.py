"""Tally of a class's answers: shares of words or choices, and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from viz.rooms.change import Change
from viz.rooms.room import RoomQuestion
from viz.rooms.sentences import Sentence, SplitResult
from viz.text.cells import csv_of_rows


@dataclass(frozen=True, slots=True)
class Tally:
    """What a class answered to a question."""

    # of each word or choice, from 0 to 1: of words the mean of what each student expects, of choices how many of the
    # students chose it
    shares: tuple[float, ...]
    count: int  # students


def is_answer(heights: Sequence[float]) -> bool:
    """Return whether every height is a number from 0 to 1: NaN and infinity are none."""
    return all(0 <= each <= 1 for each in heights)


def tally_of(answers: Iterable[Sequence[float]], size: int) -> Tally:
    """Return what answers come to; an answer of another size, or with nothing in it, does not count."""
    taken = [each for each in answers if len(each) == size and is_answer(each) and sum(each) > 0]
    rows = [[height / sum(each) for height in each] for each in taken]
    count = len(rows)
    return Tally(tuple(sum(column) / count for column in zip(*rows, strict=True)) if rows else (0.0,) * size, count)


_COLUMNS = ("question", "title", "revealed", "answers", "answer", "place", "word", "share", "class", "model", "right")
_MORE = ("translation", "words_apart", "maps_apart", "right_before", "right_after")


def csv_of_room(
    questions: Sequence[RoomQuestion],
    answers: Sequence[Sequence[Sequence[float]]],
    sentences: Sequence[Sentence] = (),
    changes: Mapping[str, Change] = MappingProxyType({}),
) -> str:
    """Return what a class answered, a line for each word or choice of each question and student.

    Below it what the models made of each sentence of the class, a line for each model, and for each question that was
    asked before a lesson and after it how many of those who answered both times (``answers``) were right.
    """
    rows: list[Sequence[object]] = [(*_COLUMNS, *_MORE)]
    for question, given in zip(questions, answers, strict=True):
        size, about = len(question.words), (question.key, _line(question.title), int(question.revealed))
        tally = tally_of(given, size)
        for number, heights in enumerate(filter(is_answer, given), 1):
            total = sum(heights)
            for place, (word, height) in enumerate(zip(question.words, heights, strict=False), 1):
                share = round(height / total, 4) if total else 0
                model = round(question.model[place - 1], 4) if len(question.model) == size else ""
                right = int(place - 1 == question.right) if question.is_choice else ""
                mean = round(tally.shares[place - 1], 4)
                rows.append((*about, tally.count, number, place, _line(word), share, mean, model, right, *("",) * 5))
    for each in sentences:
        found = each.found or SplitResult()
        for place, (name, text) in enumerate(zip(found.models, found.translations, strict=True), 1):
            empty = ("",) * 4
            rows.append(
                (each.key, each.text, *empty[1:], place, name, *empty, _line(text), found.words, found.maps, "", "")
            )
    for key, change in changes.items():
        rows.append((key, _line(change.title), "", change.count, *("",) * 10, change.before, change.after))
    return csv_of_rows(rows)


def _line(text: str) -> str:
    return " ".join(text.split())
