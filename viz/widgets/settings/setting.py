"""Base of all settings, and the result of reading one from a link; no Streamlit."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Found:
    """What a link says of a setting."""

    value: Any  # what holds: what the link asks for, or the default
    unknown: str | None = None  # what the link asks for and there is not, to be named; None if all of it is there


@dataclass(frozen=True)
class Setting:
    """One setting of a page."""

    name: str  # what the link calls it; ``*`` stands for what is known at run time alone, see `named`
    _: KW_ONLY
    # what resets it: names of other settings, and of what the page says that it belongs to
    # (`viz.widgets.settings.link.belong`)
    anew_with: tuple[str, ...] = ()
    travels: bool = False  # whether it comes along when the reader turns to another page that has it too
    # of one of many alike, such as the heads of a layer: the name of all; empty for one that stands alone
    family: str = ""

    def covers(self, name: str) -> bool:
        """Return whether a link means this setting by `name`."""
        return any(fnmatchcase(name, each) for each in self.patterns)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names by which a link means this setting, ``*`` for any part of a name."""
        return (self.name,)

    def named(self, part: str) -> Self:
        """Return the setting with `part` in place of the ``*`` of its name."""
        return replace(self, name=self.name.replace("*", part), family=self.name)
