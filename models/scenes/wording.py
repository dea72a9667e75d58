"""The caption of a scene, written by rules, with the cells that each word names: the truth of an alignment.

The first two groups of equal things, in reading order, are put in words with how they are to each other; then which of
two sorts the scene has more of, and how many other things there are. Each content word names the cells of its things.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from models.scenes.things import CELLS, COLOURS, COLUMNS, KINDS, ROWS, SIDE, SIZES, Scene, Thing

NUMBERS = ("a", "two", "three", "four")
MANY = "several"
"""From five on."""
RELATIONS = ("left", "right", "above", "near")
COMPARISONS = ("more", "fewer", "many")
FUNCTION_WORDS = ("there", "a", "is", "are", "at", "the", "in", "of", "with", "than", "as", "and", "here")
"""Words that name no cell."""


class CaptionWord(NamedTuple):
    """A word of a caption, and the cells that it names: none of a function word."""

    text: str
    cells: frozenset[int] = frozenset()


_word = CaptionWord

Group = tuple[Thing, frozenset[int]]
"""Equal things of a scene, and where they are."""


def plural(kind: str) -> str:
    """Return the plural of a kind."""
    return f"{kind}s"


VOCABULARY = (
    *FUNCTION_WORDS,
    *NUMBERS[1:],
    MANY,
    "one",
    *SIZES,
    *COLOURS,
    *KINDS,
    *map(plural, KINDS),
    *ROWS,
    *COLUMNS,
    "above",
    "near",
    "row",
    "column",
    *COMPARISONS,
    "other",
    "others",
    "nothing",
)
"""All words of captions."""


def number(count: int) -> str:
    """Return the word for so many things."""
    return NUMBERS[count - 1] if count <= len(NUMBERS) else MANY


def groups_of(scene: Scene) -> list[Group]:
    """Return the groups of equal things, by the first cell of each in reading order."""
    found: dict[Thing, set[int]] = {}
    for cell, thing in enumerate(scene):
        if thing is not None:
            found.setdefault(thing, set()).add(cell)
    return [(thing, frozenset(cells)) for thing, cells in found.items()]


def caption_of(scene: Scene) -> tuple[CaptionWord, ...]:
    """Return the caption of a scene."""
    groups = groups_of(scene)
    if not groups:
        return (
            _word("there"),
            _word("is"),
            _word("nothing", frozenset(range(CELLS))),
            _word("here"),
        )
    if len(groups) == 1:
        return (*_begun(groups[0]), *_named(groups[0]), *_placed(groups[0][1]))
    first, second = groups[:2]
    count = sum(len(cells) for _thing, cells in groups)
    return (
        *_begun(first),
        *_named(first),
        *_related(first[1], second[1]),
        *_named(second),
        *(_compared(scene, first[0], second[0]) if count > 2 else ()),
        *_others([cells for _thing, cells in groups[2:]]),
    )


def _begun(group: Group) -> tuple[CaptionWord, CaptionWord]:
    return _word("there"), _word("is" if len(group[1]) == 1 else "are")


def _named(group: Group) -> Iterator[CaptionWord]:
    thing, cells = group
    several = len(cells) > 1
    yield _word(number(len(cells)), cells if several else frozenset())
    for text in (thing.size, thing.colour, plural(thing.kind) if several else thing.kind):
        yield _word(text, cells)


def _placed(cells: frozenset[int]) -> Iterator[CaptionWord]:
    """Say where the things of a scene of equal things are."""
    rows, columns = ({each // SIDE for each in cells}, {each % SIDE for each in cells})
    if len(cells) == 1:
        yield from (
            _word("at"),
            _word("the"),
            _word(ROWS[min(rows)], cells),
            _word(COLUMNS[min(columns)], cells),
        )
    elif len(rows) == 1:
        yield from (
            _word("in"),
            _word("the"),
            _word(ROWS[min(rows)], cells),
            _word("row", cells),
        )
    elif len(columns) == 1:
        yield from (
            _word("in"),
            _word("the"),
            _word(COLUMNS[min(columns)], cells),
            _word("column", cells),
        )
    else:
        yield _word("here")


def relation_of(first: frozenset[int], second: frozenset[int]) -> str:
    """Return how the cells `first`, which begin earlier in reading order, are to `second`."""
    left, right = ([each % SIDE for each in cells] for cells in (first, second))
    if max(left) < min(right):
        return "left"
    if min(left) > max(right):
        return "right"
    if max(first) // SIDE < min(second) // SIDE:
        return "above"
    return "near"


def _related(first: frozenset[int], second: frozenset[int]) -> Iterator[CaptionWord]:
    relation = relation_of(first, second)
    yield _word(relation, first | second)
    if relation in ("left", "right"):
        yield _word("of")


def _compared(scene: Scene, first: Thing, second: Thing) -> Iterator[CaptionWord]:
    """Say which of two sorts there are more of: by kind, or by colour or size where the kind is the same."""
    name = next(each for each in ("kind", "colour", "size") if getattr(first, each) != getattr(second, each))
    sorts = [getattr(each, name) for each in (first, second)]
    one, other = (
        frozenset(cell for cell, thing in enumerate(scene) if thing is not None and getattr(thing, name) == sort)
        for sort in sorts
    )
    texts = [plural(each) if name == "kind" else each for each in sorts]
    yield _word("with")
    if len(one) == len(other):
        yield from (
            _word("as"),
            _word("many", one | other),
            _word(texts[0], one),
            _word("as"),
            _word(texts[1], other),
        )
    else:
        word = "more" if len(one) > len(other) else "fewer"
        yield from (
            _word(word, one | other),
            _word(texts[0], one),
            _word("than"),
            _word(texts[1], other),
        )


def _others(groups: list[frozenset[int]]) -> Iterator[CaptionWord]:
    cells = frozenset[int]().union(*groups)
    if not cells:
        return
    yield _word("and")
    yield _word(number(len(cells)) if len(cells) > 1 else "one", cells)
    yield _word("others" if len(cells) > 1 else "other", cells)
