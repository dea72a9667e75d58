"""Kinds of settings: how each is declared, read from a link and written to it.

No Streamlit: a value becomes text and text a value, whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from viz.widgets.settings.setting import Found, Setting

Labels = Mapping[str, str]
"""What each choice is called in the link, and what the reader sees."""

Shape = Literal["row", "box", "slider"]
"""How one of several choices is shown: all side by side, in a box that opens, or on a slider."""

BETWEEN = " "
"""What stands between several choices in a link."""


@dataclass(frozen=True)
class Choice(Setting):
    """One of several choices."""

    _: KW_ONLY
    title: str = ""  # for screen readers, or above the control if `titled`; a marked message
    # the codes of the link and the marked message of each; None where they are known at run time alone
    choices: Labels | None = None
    default: str | None = None  # A code; None for the first choice
    shape: Shape = "row"
    titled: bool = False  # whether the title of a box is shown above it

    def read(self, text: str | None, codes: Collection[str], default: str) -> Found:
        """Return the choice that `text` names; without a text, or of one that names none of `codes`, `default`."""
        if text is None or text in codes:
            return Found(default if text is None else text)
        return Found(default, text)

    def write(self, value: str, default: str) -> str | None:
        """Return what stands in the link for `value`; None for the default, which leaves it clean."""
        return None if value == default else value


@dataclass(frozen=True)
class Several(Setting):
    """Any number of choices, but at least `least`."""

    _: KW_ONLY
    title: str = ""  # as of `Choice`
    choices: Labels | None = None  # as of `Choice`
    least: int = 0

    def read(self, text: str | None, codes: Sequence[str], default: Sequence[str]) -> Found:
        """Return the choices that `text` names, in the order of `codes`; those of `default` if it names too few."""
        wanted = tuple(default) if text is None else tuple(text.split())
        chosen = tuple(each for each in codes if each in wanted)
        unknown = [each for each in wanted if each not in codes]
        if not unknown and len(chosen) >= self.least:
            return Found(chosen)
        return Found(
            chosen if len(chosen) >= max(self.least, 1) else tuple(default), BETWEEN.join(unknown) or text or ""
        )

    def write(self, value: Sequence[str], default: Sequence[str]) -> str | None:
        """Return what stands in the link for `value`; None for the default."""
        return None if tuple(value) == tuple(default) else BETWEEN.join(value)


@dataclass(frozen=True)
class Switch(Setting):
    """On or off."""

    _: KW_ONLY
    title: str = ""  # A marked message

    def read(self, text: str | None, default: bool) -> Found:
        """Return whether `text` says ``on``; what is neither ``on`` nor ``off`` is named."""
        if text is None or text in ("on", "off"):
            return Found(default if text is None else text == "on")
        return Found(default, text)

    def write(self, value: bool, default: bool) -> str | None:
        """Return what stands in the link for `value`; None for the default."""
        return None if value == default else "on" if value else "off"


@dataclass(frozen=True)
class TextSetting(Setting):
    """A text that the reader types: Streamlit writes it to the link, letter by letter."""

    _: KW_ONLY
    boxed: bool = True  # whether there is a box for it, which Streamlit binds to the link

    def read(self, text: str | None, default: str) -> Found:
        """Return `text`, whatever it is; `default` without one."""
        return Found(default if text is None else text)

    def write(self, value: str, default: str) -> str | None:
        """Return what stands in the link for `value`; None for the default."""
        return None if value == default else value


@dataclass(frozen=True)
class Heads(Setting):
    """The picked heads of each layer: the heads of layer 0 of ``heads`` stand in ``heads0``."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """The names by which a link means the heads of a layer."""
        return tuple(self.name + digits for digits in ("[0-9]", "[0-9][0-9]", "[0-9][0-9][0-9]"))

    def of_layer(self, layer: int, **about: Any) -> Several:
        """Return the setting of one layer; `about` is what else a `Several` takes."""
        return Several(f"{self.name}{layer}", anew_with=self.anew_with, family=self.name, **about)


@dataclass(frozen=True)
class Data(Setting):
    """What has a notation of its own, such as edits and tables."""

    _: KW_ONLY
    parse: Callable[..., Found]  # takes the text of the link, and what else must be known to read it; returns a `Found`
    show: Callable[[Any], str]  # takes a value; returns its text, empty for nothing

    def read(self, text: str | None, *about: Any) -> Found:
        """Return what `text` says, read with what `about` says."""
        return self.parse(text or "", *about)

    def write(self, value: Any) -> str | None:
        """Return what stands in the link for `value`; None for nothing."""
        return self.show(value) or None
