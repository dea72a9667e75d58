"""What models tell a person: English text with named places, and the values that stand there.

Whoever shows a message in another language translates the text and fills in the values; to everybody else a message is
its English sentence. Babel finds the texts by the names below: the first argument is always a literal.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self


def mark(text: str) -> str:
    """Return `text` as it is, marked for translation: for constants, which are translated where they are shown."""
    return text


class Message(str):
    """An English sentence that knows what it was made of."""

    text: str  # the English text with ``{names}``, a literal; it is what a catalogue is asked for
    values: Mapping[str, object]

    def __new__(cls, text: str, /, **values: object) -> Self:
        """Fill `values` into `text`."""
        said = super().__new__(cls, text.format(**values) if values else text)
        said.text, said.values = text, MappingProxyType(values)
        return said

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the message was made of."""
        return _remake, (type(self), (self.text,), dict(self.values))


class CountMessage(Message):
    """A message in which a count stands: one text for one thing, another for several."""

    many: str  # the English texts, literals. Languages with other plural forms have as many texts as they need.
    number: int

    def __new__(cls, one: str, many: str, count: int, /, **values: object) -> Self:
        """Choose by `count`, and fill in."""
        said = super().__new__(cls, one if count == 1 else many, count=count, **values)
        said.text, said.many, said.number = one, many, count
        return said

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what the message was made of."""
        values = {name: value for name, value in self.values.items() if name != "count"}
        return _remake, (type(self), (self.text, self.many, self.number), values)


def _remake(kind: type[Message], texts: tuple[Any, ...], values: Mapping[str, object]) -> Message:
    return kind(*texts, **values)
