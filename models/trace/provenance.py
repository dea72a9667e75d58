"""Where a trace comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from models.sites import Site

if TYPE_CHECKING:
    from models.edits import Edit

Reading = Literal["written", "input"]
"""What labels the rows of a cross map; see `AttentionTrace.read`."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which map, head and reading of a model come closest to word alignment on its trial set.

    Parameters
    ----------
    site : Site
        A cross map, such as ``decoder.1.cross``.
    head : int or "mean"
    reading : {"written", "input"}
        What labels the rows; see `AttentionTrace.read`.
    """

    site: Site = Site("decoder", 0, "cross")
    head: int | Literal["mean"] = 0
    reading: Reading = "written"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a trace comes from: enough to caption a figure and to make it again. No clock time.

    Parameters
    ----------
    mechanism : str
        Key of the mechanism, such as ``bahdanau``.
    title : str
        Its name as people write it.
    year : int
        Year of the paper; 0 where no paper is known.
    paper, equation : str
        The paper, and the equation that gives the weights.
    checkpoint : str
        Key that `models.load` takes, such as ``bahdanau-en-fr``.
    sha256 : str
        Hash of the weights file.
    versions : tuple of (str, str)
        Libraries with their versions.
    decoding : {"greedy", "forced", "none"}
        Whether the target was the model's own choice, was given, or there is none.
    edits : tuple of Edit
        Interventions, in the order in which they were applied.
    exact : bool
        Whether the weights are those that the model used (float32, no approximation).
    notes : tuple of str
        What a reader must know: a cut input, rows that need not sum to 1, ...
    alignment : Alignment
        The map, head and reading that a figure shows unless it is told otherwise.
    """

    mechanism: str
    title: str
    year: int
    paper: str
    equation: str
    checkpoint: str
    sha256: str
    versions: tuple[tuple[str, str], ...]
    decoding: Literal["greedy", "forced", "none"]
    edits: tuple[Edit, ...] = ()
    exact: bool = True
    notes: tuple[str, ...] = ()
    alignment: Alignment = Alignment()
