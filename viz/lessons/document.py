"""Safe YAML reader whose values know their line and key.

Only text is taken from the file: no value is constructed, so that ``language: no`` is Norwegian. Aliases, tags and deep
nesting are refused while the file is read event by event, before anything grows in memory.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import yaml

from models.messages import CountMessage, Message
from viz.lessons.lesson import LessonError

LARGEST = 200_000
"""Bytes of a file at most."""

DEEPEST = 12
"""Levels of lists and mappings at most."""

MOST_PARTS = 5000
"""Values of a file at most."""

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # 25 times as fast, where PyYAML was built with it


@dataclass(frozen=True, slots=True)
class SheetPart:
    """A part of a file."""

    node: yaml.Node
    file: str  # what messages call the file
    key: str = ""  # where it stands: the keys and numbers on the way to it

    @property
    def line(self) -> int:
        """The line on which it begins, from 1."""
        return int(self.node.start_mark.line) + 1

    def error(self, reason: Message) -> LessonError:
        """Return what is wrong with this part."""
        return LessonError(self.file, self.line, self.key, reason)

    def fields(self, required: Collection[str], optional: Collection[str] = ()) -> dict[str, SheetPart]:
        """Return the parts of a mapping, by their keys."""
        known = ", ".join((*required, *optional))
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(Message("keys with values are expected here: {known}", known=known))
        found = self.named()
        for name, _value in self.node.value:
            if _name(name) not in required and _name(name) not in optional:
                here = SheetPart(name, self.file, found[_name(name)].key)
                raise here.error(Message("unknown key; known keys: {known}", known=known))
        for name in required:
            if name not in found:
                raise self.error(Message("the key “{name}” is missing", name=name))
        return found

    def named(self) -> dict[str, SheetPart]:
        """Return the parts of a mapping, by their keys, whatever these are."""
        if not isinstance(self.node, yaml.MappingNode):
            raise self.error(Message("keys with values are expected here"))
        found: dict[str, SheetPart] = {}
        for name, value in self.node.value:
            text = _name(name)
            key = f"{self.key}, {text}" if self.key else text
            if text in found:
                raise SheetPart(name, self.file, key).error(Message("this key appears twice"))
            found[text] = SheetPart(value, self.file, key)
        return found

    def items(self, most: int) -> list[SheetPart]:
        """Return the parts of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise self.error(Message("a list is expected here: lines that begin with “- ”"))
        if not 1 <= len(self.node.value) <= most:
            raise self.error(CountMessage("{count} entry at most", "1 to {count} entries", most))
        return [SheetPart(each, self.file, f"{self.key} {place}") for place, each in enumerate(self.node.value, 1)]

    @property
    def is_text(self) -> bool:
        """Whether this is a text, and neither list nor mapping."""
        return isinstance(self.node, yaml.ScalarNode)

    def text(self, most: int = 4000) -> str:
        """Return a text, without white space around it."""
        if not self.is_text:
            raise self.error(Message("a text is expected here"))
        found = str(self.node.value).strip()
        if not 1 <= len(found) <= most:
            raise self.error(CountMessage("{count} character at most", "1 to {count} characters", most))
        return found

    def number(self, least: int, most: int) -> int:
        """Return a whole number."""
        text = self.text()
        if not (text.isascii() and text.isdigit() and len(text) < 9 and least <= int(text) <= most):
            raise self.error(Message("a number from {least} to {most} is expected", least=least, most=most))
        return int(text)

    def one_of(self, known: Collection[str]) -> str:
        """Return a text that is one of `known`."""
        text = self.text()
        if text not in known:
            raise self.error(
                Message("unknown value “{text}”; known values: {known}", text=text, known=", ".join(known))
            )
        return text


def _name(node: yaml.Node) -> str:
    return str(node.value) if isinstance(node, yaml.ScalarNode) else "?"


def document_of(data: bytes, file: str) -> SheetPart:
    """Return the whole of a YAML file."""
    if len(data) > LARGEST:
        reason = Message("the file has {size} bytes; {most} at most", size=len(data), most=LARGEST)
        raise LessonError(file, 1, "", reason)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LessonError(file, line, "", Message("this is not UTF-8 text")) from error
    try:
        _look_through(text, file)
        node = yaml.compose(text, Loader=_LOADER)
    except yaml.MarkedYAMLError as error:
        place = error.problem_mark or error.context_mark
        reason = Message("this is not valid YAML ({reason})", reason=error.problem or "?")
        if "nesting depth" in (error.problem or ""):  # libyaml looks ahead, to 1,000, before `_look_through` counts
            reason = Message("this is more than a lesson may contain")
        raise LessonError(file, place.line + 1 if place else 1, "", reason) from error
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, LessonError):
            raise
        reason = Message("this is not valid YAML ({reason})", reason=str(error).splitlines()[0])
        raise LessonError(file, 1, "", reason) from error
    if node is None:
        raise LessonError(file, 1, "", Message("the file is empty"))
    return SheetPart(node, file)


def _look_through(text: str, file: str) -> None:
    """Refuse what is not taken, event by event."""
    depth = documents = 0
    for parts, event in enumerate(yaml.parse(text, Loader=_LOADER)):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            reason = Message("anchors and aliases (& and *) are not allowed")
            raise LessonError(file, line, "", reason)
        if getattr(event, "tag", None):
            raise LessonError(file, line, "", Message("tags (!) are not allowed"))
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            raise LessonError(file, line, "", Message("a file contains exactly one lesson"))
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST or parts > MOST_PARTS:
            raise LessonError(file, line, "", Message("this is more than a lesson may contain"))
