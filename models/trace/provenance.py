"""Where a trace comes from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from models.sites import Site

if TYPE_CHECKING:
    from models.edits import Edit

Reading = Literal["written", "input"]
"""What labels the rows of a cross map; see `AttentionTrace.read`."""


BATCHED_WITHIN = 1e-5
"""How far numbers of a run in company, or from a draft, may be from those of a run alone, step by step."""


@dataclass(frozen=True, slots=True)
class Alignment:
    """Which map, head and reading of a model come closest to word alignment on its trial set."""

    site: Site = Site("decoder", 0, "cross")  # A cross map, such as ``decoder.1.cross``
    head: int | Literal["mean"] = 0
    reading: Reading = "written"  # what labels the rows; see `AttentionTrace.read`


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a trace comes from: enough to caption a figure and to make it again. No clock time."""

    mechanism: str  # key of the mechanism, such as ``bahdanau``
    title: str  # its name as people write it
    year: int  # year of the paper; 0 where no paper is known
    paper: str  # the paper, and the equation that gives the weights
    equation: str  # the paper, and the equation that gives the weights
    checkpoint: str  # key that `models.load` takes, such as ``bahdanau-en-fr``
    sha256: str  # hash of the weights file
    versions: tuple[tuple[str, str], ...]  # libraries with their versions
    # whether what was written was the model's own choice, drawn, given, or there is none
    decoding: Literal["greedy", "sampled", "forced", "none"]
    edits: tuple[Edit, ...] = ()  # interventions, in the order in which they were applied
    exact: bool = True  # whether the weights are those that the model used (float32, no approximation)
    notes: tuple[str, ...] = ()  # what a reader must know: a cut input, rows that need not sum to 1,
    alignment: Alignment = Alignment()  # the map, head and reading that a figure shows unless it is told otherwise
    batched: bool = False  # whether other sentences ran in the same pass: numbers within `BATCHED_WITHIN`
    drafted: bool = False  # whether an earlier translation was verified in parallel: numbers within `BATCHED_WITHIN`

    @property
    def is_approximate(self) -> bool:
        """Whether numbers are those of a run alone, step by step, within `BATCHED_WITHIN` only."""
        return self.batched or self.drafted
