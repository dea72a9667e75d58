"""What every setting of a page has, and what a link says of one. No Streamlit."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Found:
    """What a link says of a setting.

    Parameters
    ----------
    value : object
        What holds: what the link asks for, or the default.
    unknown : str or None
        What the link asks for and there is not, to be named; None if all of it is there.
    """

    value: Any
    unknown: str | None = None


@dataclass(frozen=True)
class Setting:
    """One setting of a page.

    Parameters
    ----------
    name : str
        What the link calls it; ``*`` stands for what is known at run time alone, see `named`.
    anew_with : tuple of str
        What resets it: names of other settings, and of what the page says that it belongs to
        (`viz.widgets.settings.link.belong`).
    travels : bool
        Whether it comes along when the reader turns to another page that has it too.
    family : str
        Of one of many alike, such as the heads of a layer: the name of all; empty for one that stands alone.
    """

    name: str
    _: KW_ONLY
    anew_with: tuple[str, ...] = ()
    travels: bool = False
    family: str = ""

    def covers(self, name: str) -> bool:
        """Return whether a link means this setting by `name`.

        Parameters
        ----------
        name : str
            A name of a link.
        """
        return any(fnmatchcase(name, each) for each in self.patterns)

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names by which a link means this setting, ``*`` for any part of a name."""
        return (self.name,)

    def named(self, part: str) -> Self:
        """Return the setting with `part` in place of the ``*`` of its name.

        Parameters
        ----------
        part : str

        Examples
        --------
        >>> Setting("head-*").named("transformer").name
        'head-transformer'
        """
        return replace(self, name=self.name.replace("*", part), family=self.name)
