"""The record of one run of a page: host, choices, width, messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from streamlit.delta_generator import DeltaGenerator

from viz.figures.drawing.theme import Colour
from viz.server.runtime import Host
from viz.views.view import Unit

ImageFormat = Literal["png", "svg"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """How the reader wants figures to be."""

    unit: Unit = "word"
    colour: Colour = "linear"
    picture: ImageFormat = "png"  # what a figure's toolbar saves


W = TypeVar("W", bound=Wanted)


@dataclass(frozen=True, slots=True)
class Visit(Generic[W]):
    """What the parts of a page share in one run."""

    host: Host
    wanted: W  # what the reader chose
    width: float  # pixels that a figure may take
    messages: DeltaGenerator  # where messages to the reader appear
